//! The only folder that knows file formats.
//!
//! A reader is a pure function from bytes to data: `read(bytes, folder, warnings)`. It never panics, never
//! reserves memory that the bytes present do not justify, and says what is wrong and where by a [`Fault`].
//! [`SourceFile`] recognises the format, calls the reader and makes a [`LoadError`] of a fault and the file's name; [`load_mesh`] and its
//! kin are its short forms.

mod animated_nodes;
mod assembly;
pub mod bodyparts_file;
mod bound;
mod built_in;
pub mod bvh;
#[cfg(feature = "preview")]
mod codec;
mod color;
mod corners;
mod error;
#[cfg(feature = "fbx")]
pub mod fbx;
mod folder;
mod format;
pub mod gltf_read;
mod gltf_write;
mod images;
pub mod joint_file;
mod json_item;
pub mod json_text;
mod left_out;
pub mod map_file;
mod media_type;
pub mod mtl;
pub mod obj;
pub mod off;
mod part_choice;
pub mod pinocchio;
pub mod ply;
mod props;
pub mod rig_file;
pub mod skeleton_file;
mod solids;
mod source_file;
pub mod stl;
mod text;
mod text_lines;
pub mod truth_file;

pub use bound::BoundMesh;
#[cfg(feature = "preview")]
pub use codec::{AnimationFormat, NoEncoder, decode_image, write_png};
pub use error::{Fault, LoadError, Location, Problem};
pub use folder::Folder;
pub use format::recognise;
pub use gltf_write::{
    GltfCharacter, GltfWriteError, SkinBinding, rigged_character, write_glb, write_motion_glb,
};
pub use part_choice::{PartChoice, parts_named};
pub use props::leave_out;
pub use solids::take_solids_apart;
pub use source_file::{SourceFile, referenced_files};

use crate::Warning;
use crate::math::{Bounds, Vec3};
use crate::mesh::Mesh;
use crate::motion::{Motion, skeleton_of};
use crate::rig::{BoundVertex, Rig};
use crate::skeleton::{Skeleton, find_sides};
use std::fs;
use std::path::Path;

/// Reads a mesh file of any known format, with the files that it refers to, and warnings.
pub fn load_mesh(path: &Path) -> Result<(Mesh, Vec<Warning>), LoadError> {
    load_parts(path, &PartChoice::default())
}

/// The same, of the chosen parts alone.
///
/// # Errors
/// Also if a part is not there, or none is left.
pub fn load_parts(path: &Path, choice: &PartChoice) -> Result<(Mesh, Vec<Warning>), LoadError> {
    SourceFile::open(path)?.into_mesh(choice)
}

/// A character that has joints already, in the document that it came in.
pub struct RiggedFile {
    /// Its joints as they were bound, and the ends of its bones. Soles are not looked for; only a rig file has them.
    pub rig: Rig,
    /// The skinned vertices at rest, in the coordinates of the rig, with their weights.
    pub surface: Vec<BoundVertex>,
    /// The document, which takes clips.
    pub character: GltfCharacter,
}

/// Reads a motion, BVH or the animation of a glTF, GLB or FBX file, and warnings about repairs.
pub fn load_motion(path: &Path) -> Result<(Motion, Vec<Warning>), LoadError> {
    SourceFile::open(path)?.motion()
}

/// The motions of a file, each with its name.
pub type NamedMotions = Vec<(String, Motion)>;

/// Reads all motions of a file, each with its name; a BVH file has one, which has the name of the file.
pub fn load_motions(path: &Path) -> Result<(NamedMotions, Vec<Warning>), LoadError> {
    SourceFile::open(path)?.motions()
}

/// Reads a skeleton: a skeleton file, a joint list of Pinocchio, or the hierarchy of a BVH motion.
pub fn load_skeleton(path: &Path) -> Result<(Skeleton, Vec<Warning>), LoadError> {
    let mut warnings = Vec::new();
    let skeleton = load_with(path, |bytes| read_skeleton(path, bytes, &mut warnings))?;
    Ok((skeleton, warnings))
}

/// Reads the positions of joints, in the coordinates of a mesh file, by [`joint_file::read`].
pub fn load_joints(path: &Path) -> Result<Vec<(String, Vec3)>, LoadError> {
    load_with(path, joint_file::read)
}

/// Reads a skeleton from the content of a file, by [`load_skeleton`]. A BVH motion gives it the name of the file.
pub fn read_skeleton(name: &Path, bytes: &[u8], warnings: &mut Vec<Warning>) -> Result<Skeleton, Fault> {
    if bvh::is_bvh(bytes) {
        let motion = bvh::read(bytes, warnings)?;
        let why = "all joints are in one place".to_owned();
        let mut skeleton =
            skeleton_of(&motion).ok_or(Fault::whole(Problem::Invalid { what: "the hierarchy", why }))?;
        if let Some(name) = name.file_stem() {
            skeleton.name = name.to_string_lossy().into_owned();
        }
        skeleton.recognise_roles();
        return Ok(skeleton);
    }
    let mut text = text::Text::new(bytes);
    text.skip_to_word();
    if text.word() == b"puppetry-skeleton" {
        let mut skeleton = skeleton_file::read(&String::from_utf8_lossy(bytes))?;
        find_sides(&mut skeleton);
        return Ok(skeleton);
    }
    let mut skeleton = standing(pinocchio::read(bytes)?);
    find_sides(&mut skeleton);
    skeleton.recognise_roles();
    Ok(skeleton)
}

/// A joint list with the size and position of a skeleton file: it stands on y = 0, one unit high, its root above the origin.
fn standing(mut skeleton: Skeleton) -> Skeleton {
    let bounds = Bounds::of(skeleton.joints.iter().map(|joint| &joint.position));
    let size = bounds.extent().y;
    let scale = if size > 0.0 { 1.0 / size } else { 1.0 };
    let root = skeleton.joints[0].position;
    let origin = Vec3::new(root.x, bounds.min.y, root.z);
    for joint in &mut skeleton.joints {
        joint.position = (joint.position - origin) * scale;
    }
    skeleton
}

/// What a reader finds in a file.
fn load_with<T>(path: &Path, read: impl FnOnce(&[u8]) -> Result<T, Fault>) -> Result<T, LoadError> {
    let read = read_file(path).map_err(Fault::whole).and_then(|bytes| read(&bytes));
    read.map_err(|fault| LoadError::new(path, fault))
}

fn read_file(path: &Path) -> Result<Vec<u8>, Problem> {
    let kind = fs::metadata(path)?.file_type();
    if kind.is_dir() {
        return Err(Problem::IsFolder);
    }
    if !kind.is_file() {
        return Err(Problem::NotRegular);
    }
    let bytes = fs::read(path)?;
    if bytes.is_empty() { Err(Problem::Empty) } else { Ok(bytes) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::Format;

    #[test]
    fn files_are_loaded_by_their_content_with_what_they_refer_to() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("m.mtl"), "newmtl m\nPr 0.5").unwrap();
        for (name, content, format) in [
            ("a.stl", "mtllib m.mtl\nv 0 0 0\nusemtl m\nf 1 1 1", Format::Obj),
            ("b", "OFF 1 1 0\n0 0 0\n3 0 0 0", Format::Off),
        ] {
            let path = dir.path().join(name);
            fs::write(&path, content).unwrap();
            let (mesh, warnings) = load_mesh(&path).unwrap();
            assert_eq!((mesh.origin.format, warnings), (format, vec![]));
            assert!(format != Format::Obj || mesh.appearance.materials[0].roughness == 0.5);
        }
    }

    #[test]
    fn errors_name_the_file() {
        let dir = tempfile::tempdir().unwrap();
        let error = |name: &str, content: Option<&str>| {
            let path = dir.path().join(name);
            if let Some(content) = content {
                fs::write(&path, content).unwrap();
            }
            load_mesh(&path).unwrap_err().to_string().replace(&format!("{}", dir.path().display()), "DIR")
        };
        assert_eq!(error("a.obj", Some("")), "cannot read 'DIR/a.obj': the file is empty; export it again");
        assert_eq!(
            error("a.obj", Some("v 0 0 0\nv 0 x 0")),
            "cannot read 'DIR/a.obj', line 2: expected a number, found 'x'; mend it or export the file again"
        );
        assert_eq!(
            error("a.blend", Some("BLENDER-v300")),
            "cannot read 'DIR/a.blend': this is not a format puppetry knows; save it as GLB, glTF, OBJ, PLY, STL, \
             OFF or FBX"
        );
        assert!(error("gone.obj", None).starts_with("cannot read 'DIR/gone.obj': No such file"));
        fs::create_dir(dir.path().join("folder.obj")).unwrap();
        assert_eq!(
            error("folder.obj", None),
            "cannot read 'DIR/folder.obj': it is a folder; name a file in it"
        );
    }

    #[test]
    fn skeletons_of_every_kind_are_recognised() {
        let dir = tempfile::tempdir().unwrap();
        let load = |content: &str| {
            let path = dir.path().join("mine.txt");
            fs::write(&path, content).unwrap();
            load_skeleton(&path).unwrap().0
        };
        let human = load(crate::skeleton::built_in()[0].text);
        assert_eq!((human.name.as_str(), human.joints.len()), ("human", 27));
        assert_eq!(load("hips 0 1 0 -1\nknee 0 0.5 0 hips\n").joints.len(), 2);
        let walker = load(crate::motion::built_in()[0].bvh);
        assert_eq!(walker.name, "mine");
        let joint = |name: &str| &walker.joints[walker.find(name).unwrap()];
        // T-pose, Y up, facing +Z, one high.
        assert!(joint("LeftHand").position.x > 0.3 && joint("RightHand").position.x < -0.3);
        assert!((joint("Head.end").position.y - 1.0).abs() < 1e-9);
        let tip = joint("LeftToeBase.end");
        assert!(tip.is_foot && tip.is_tip && tip.position.z > joint("LeftFoot").position.z + 0.05);
        assert_eq!(walker.joints[tip.partner.unwrap()].name, "RightToeBase.end");
        assert!(joint("Hips").is_torso && joint("Head").is_torso && !joint("LeftLeg").is_torso);
    }

    /// Every motion that is built in stands upright, faces +Z and has as many feet as its animal.
    #[test]
    fn every_motion_has_a_skeleton() {
        for motion in crate::motion::built_in() {
            let motion_data = bvh::read(motion.bvh.as_bytes(), &mut Vec::new()).unwrap();
            let skeleton = skeleton_of(&motion_data).unwrap();
            let feet: Vec<_> = skeleton.joints.iter().filter(|joint| joint.is_foot).collect();
            let is_quad = motion.name.starts_with("quad");
            assert_eq!(feet.len(), if is_quad { 4 } else { 2 }, "{}", motion.name);
            for foot in feet {
                let heel = &skeleton.joints[foot.parent.unwrap()];
                assert!(foot.position.z > heel.position.z, "{}: {} points back", motion.name, foot.name);
                let is_left = crate::skeleton::naming::mirrored_name(&foot.name).unwrap() > foot.name;
                assert_eq!(foot.position.x > 0.0, is_left, "{}: {}", motion.name, foot.name);
            }
            for (index, joint) in skeleton.joints.iter().enumerate() {
                assert!(joint.partner.is_none_or(|partner| skeleton.joints[partner].partner == Some(index)));
                assert!(joint.parent.is_none_or(|parent| parent < index));
            }
        }
    }

    #[cfg(unix)]
    #[test]
    fn what_never_ends_is_not_read() {
        assert_eq!(
            load_mesh(Path::new("/dev/zero")).unwrap_err().to_string(),
            "cannot read '/dev/zero': it is not a regular file; save it to disk first"
        );
    }
}
