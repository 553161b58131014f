//! What `inspect` tells about a file.

use super::Finding;
use crate::bodyparts::{BodyPartLibrary, SHARES};
use std::path::Path;

report_types! {
    /// What is known about a file.
    #[serde(untagged)]
    pub enum Inspection {
        Mesh(Box<MeshInspection>),
        Motion(Box<MotionInspection>),
        Rig(Box<RigInspection>),
        BodyParts(Box<BodyPartsInspection>),
        Error(FileFailure),
    }

    /// A mesh: what it holds, how it stands, what is wrong with its surface, and what will be done about it.
    pub struct MeshInspection {
        pub file: String,
        pub kind: &'static str,
        pub format: String,
        pub parts: Vec<String>,
        pub materials: usize,
        pub images: usize,
        pub vertex_colors: bool,
        pub texture_coordinates: bool,
        pub height_in_file: f64,
        pub height_meters: f64,
        pub size_reason: String,
        pub up: AxisInspection,
        pub front: AxisInspection,
        pub yaw_degrees: f64,
        pub output_from_input_columns: [f64; 16],
        pub vertices: usize,
        pub welded_vertices: usize,
        pub isolated_vertices: usize,
        pub triangles: usize,
        pub triangles_in_use: usize,
        pub degenerate_triangles: usize,
        pub duplicate_triangles: usize,
        pub turned_triangles: usize,
        pub misoriented_edges: usize,
        pub components: Vec<ComponentInspection>,
        pub holes: usize,
        pub boundary_edges: usize,
        pub nonmanifold_edges: usize,
        pub pinched_vertices: usize,
        pub watertight: bool,
        pub limbs: Vec<LimbInspection>,
        pub skeleton: Option<SkeletonInspection>,
        pub refused: Option<String>,
        pub actions: Vec<String>,
        pub warnings: Vec<Finding>,
    }

    /// A library of body parts: its characters, and how well they rig each other.
    pub struct BodyPartsInspection {
        pub file: String,
        pub kind: &'static str,
        pub name: String,
        pub characters: Vec<CharacterInspection>,
        pub self_test: Option<SelfTestInspection>,
    }

    /// A character of a library.
    pub struct CharacterInspection {
        pub name: String,
        pub licence: String,
        pub height_meters: f64,
        pub vertices: usize,
        pub joints: Vec<String>,
        pub roles: Vec<Option<String>>,
    }

    /// Mean difference from the artist's weights of characters that the others rig, with shares of the library's weights.
    pub struct SelfTestInspection {
        pub shares: Vec<f64>,
        pub differences: Vec<f64>,
        pub best_share: f64,
    }

    /// An axis, and why it is that one.
    pub struct AxisInspection {
        pub axis: String,
        pub reason: String,
        pub probability: f64,
    }

    /// A limb, or another end of the body, that the shape shows. Points are those of the file.
    pub struct LimbInspection {
        pub name: String,
        pub kind: String,
        pub rank: usize,
        pub partner: Option<String>,
        pub base: [f64; 3],
        pub tip: [f64; 3],
        pub length_over_size: f64,
        pub grounded: bool,
        pub twigs: usize,
    }

    /// A connected part of a surface.
    pub struct ComponentInspection {
        pub triangles: usize,
        pub area_share: f64,
        pub closed: bool,
    }

    /// Joints without a mesh: a rig file, or clips alone.
    pub struct RigInspection {
        pub file: String,
        pub kind: &'static str,
        pub skeleton: SkeletonInspection,
    }

    /// The joints of a character.
    pub struct SkeletonInspection {
        pub joints: Vec<JointInspection>,
        pub kind: String,
        pub convention: Option<&'static str>,
        pub confidence: f64,
        pub soles: usize,
        pub animations: Vec<String>,
    }

    /// A joint, and what it is.
    pub struct JointInspection {
        pub name: String,
        pub parent: Option<String>,
        pub role: Option<String>,
        pub confidence: f64,
    }

    /// A motion: who moves in it, how, and which joints of a skeleton it can move. `heel` and `ball` have a digit for each frame, 1 where they
    /// are planted.
    pub struct MotionInspection {
        pub file: String,
        pub kind: &'static str,
        pub frames: usize,
        pub fps: f64,
        pub seconds: f64,
        pub convention: Option<&'static str>,
        pub joints: Vec<MotionJointInspection>,
        pub confidence: f64,
        pub up: String,
        pub unit: UnitInspection,
        pub height_in_file: f64,
        pub reference: ReferenceInspection,
        pub rest_frame: bool,
        pub mirrored: bool,
        pub meters_per_second: f64,
        pub treadmill_meters_per_second: Option<f64>,
        pub loops: bool,
        pub contacts: Vec<FootInspection>,
        pub map: JointMapInspection,
        pub warnings: Vec<Finding>,
    }

    /// A joint of a motion, what it is, and why.
    pub struct MotionJointInspection {
        #[serde(flatten)]
        pub joint: JointInspection,
        pub reason: Option<String>,
    }

    /// The unit of lengths, as far as the size of the figure tells.
    pub struct UnitInspection {
        pub name: &'static str,
        pub meters: f64,
    }

    /// The pose that serves as rest, and how much it is like a character that stands, from 0 to 1.
    pub struct ReferenceInspection {
        pub pose: String,
        pub score: f64,
    }

    /// When a foot is planted.
    pub struct FootInspection {
        pub foot: String,
        pub heel: String,
        pub ball: String,
    }

    /// Which joints of a skeleton the motion moves.
    pub struct JointMapInspection {
        pub skeleton: String,
        pub confidence: f64,
        pub joints: Vec<MappedJoint>,
        pub unmatched_joints: Vec<String>,
        pub unused_joints: Vec<String>,
    }

    /// A joint of the skeleton, and what moves it.
    pub struct MappedJoint {
        pub joint: String,
        pub from: Option<MappedSource>,
        pub confidence: Option<f64>,
        pub reason: Option<String>,
    }

    /// A joint of the motion, or two and the share of the second.
    #[serde(untagged)]
    pub enum MappedSource {
        Joint(String),
        Between(String, String, f64),
    }

    /// A file of which nothing could be made, and why.
    pub struct FileFailure {
        pub file: String,
        pub error: String,
    }
}

impl BodyPartsInspection {
    /// What a library holds.
    pub fn of(file: &Path, library: &BodyPartLibrary) -> BodyPartsInspection {
        let characters = library.characters.iter().map(|character| CharacterInspection {
            name: character.name.clone(),
            licence: character.licence.clone(),
            height_meters: character.height.into(),
            vertices: character.positions.len(),
            joints: character.joints.iter().map(|joint| joint.name.clone()).collect(),
            roles: character.joints.iter().map(|joint| joint.role.map(|role| role.to_string())).collect(),
        });
        BodyPartsInspection {
            file: file.to_string_lossy().into_owned(),
            kind: "body parts",
            name: library.name.clone(),
            characters: characters.collect(),
            self_test: library.self_test.map(|test| SelfTestInspection {
                shares: SHARES.to_vec(),
                differences: test.differences.to_vec(),
                best_share: test.best_share(),
            }),
        }
    }
}
