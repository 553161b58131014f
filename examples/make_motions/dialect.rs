//! Dialects of BVH. The format fixes neither names nor axes nor unit nor rest pose, so every program has its own; all
//! motions are authored once and translated here, at the very end.

use puppetry::math::{Quat, Vec3};

use super::pose::Frame;
use super::skeleton::Body;

/// Which pose all-zero channels show.
#[derive(Clone, Copy, PartialEq)]
pub enum Rest {
    /// As the body is authored: the T-pose of the human, the standing dog.
    Authored,
    /// Arms lowered by so many degrees.
    APose(f64),
    /// No pose at all: every bone lies along +X, as the engines write it that store bones in their own axes.
    AlongX,
}

/// How a file spells a motion.
#[derive(Clone, Copy)]
pub struct Dialect {
    /// What the convention is called.
    pub convention: &'static str,
    /// `(canonical name without its side, name in the file)`; `*` stands for the side.
    pub names: &'static [(&'static str, &'static str)],
    /// How left and right are spelled.
    pub sides: [&'static str; 2],
    /// Rotation channels in the order in which they are written.
    pub order: &'static str,
    pub unit: &'static str,
    pub units_per_metre: f64,
    pub z_up: bool,
    pub rest: Rest,
    /// The rest pose is written as frame 0, before the motion.
    pub rest_first: bool,
}

/// A joint as the file has it.
pub struct Spelled {
    pub name: String,
    pub parent: Option<usize>,
    pub offset: Vec3,
    pub end: Option<Vec3>,
}

impl Dialect {
    /// The hierarchy in this dialect.
    pub fn hierarchy(&self, body: &Body) -> Vec<Spelled> {
        let rebind = self.rebinding(body);
        let spell = |(j, joint): (usize, &super::skeleton::Joint)| Spelled {
            name: self.name(joint.name),
            parent: joint.parent,
            // The root's own place is in its channels; its offset says where it stands in the rest pose.
            offset: match joint.parent {
                None => self.up() * joint.rest * self.units_per_metre,
                Some(p) => self.up() * (rebind[p] * (joint.rest - body.rest(p))) * self.units_per_metre,
            },
            end: joint.end.map(|end| self.up() * (rebind[j] * (end - joint.rest)) * self.units_per_metre),
        };
        body.joints.iter().enumerate().map(spell).collect()
    }

    /// Root position and local rotations of a frame in this dialect.
    pub fn frame(&self, body: &Body, frame: &Frame) -> (Vec3, Vec<Quat>) {
        let (rebind, up) = (self.rebinding(body), self.up());
        let world: Vec<Quat> = frame
            .turns
            .iter()
            .zip(&rebind)
            .map(|(turn, rebind)| up * turn * rebind.inverse() * up.inverse())
            .collect();
        let local = body.joints.iter().enumerate().map(|(j, joint)| match joint.parent {
            None => world[j],
            Some(parent) => world[parent].inverse() * world[j],
        });
        (up * frame.root * self.units_per_metre, local.collect())
    }

    /// From Y up to this dialect's up axis; a Z-up character faces -Y.
    fn up(&self) -> Quat {
        if self.z_up { Quat::from_axis_angle(&Vec3::x_axis(), 90f64.to_radians()) } else { Quat::identity() }
    }

    /// For each joint the rotation from its authored axes to the axes of the file's rest pose.
    fn rebinding(&self, body: &Body) -> Vec<Quat> {
        (0..body.joints.len())
            .map(|joint| match self.rest {
                Rest::Authored => Quat::identity(),
                Rest::APose(degrees) => {
                    let name = body.joints[joint].name;
                    let arm = ["UpperArm", "LowerArm", "Hand"].iter().any(|part| name.ends_with(part));
                    let side = if name.starts_with("Left") { -1.0 } else { 1.0 };
                    let angle = if arm { side * degrees } else { 0.0 };
                    Quat::from_axis_angle(&Vec3::z_axis(), angle.to_radians())
                }
                Rest::AlongX => {
                    let bone = bone(body, joint).normalize();
                    // Legs and trunk keep the lateral axis as Z, arms keep the vertical.
                    let second = if bone.x.abs() < 0.7 { Vec3::x() } else { Vec3::y() };
                    let third = (second - bone * second.dot(&bone)).normalize();
                    Quat::from_basis_unchecked(&[bone, third.cross(&bone), third]).inverse()
                }
            })
            .collect()
    }

    fn name(&self, canonical: &str) -> String {
        let side = ["Left", "Right"].iter().position(|side| canonical.contains(side));
        let key = canonical.replace("Left", "").replace("Right", "");
        let spelled =
            self.names.iter().find(|(name, _)| *name == key).map_or(canonical, |(_, spelled)| spelled);
        spelled.replace('*', side.map_or("", |side| self.sides[side]))
    }
}

/// The bone that a joint moves: to the next joint of the trunk, else to its only child, else to its end.
fn bone(body: &Body, joint: usize) -> Vec3 {
    let children = || body.joints.iter().filter(|child| child.parent == Some(joint));
    let trunk = |name: &str| !name.contains("Left") && !name.contains("Right");
    let next = children().find(|child| trunk(child.name)).or_else(|| children().next());
    let end = next.map_or(body.joints[joint].end, |child| Some(child.rest));
    end.map_or(Vec3::y(), |end| end - body.rest(joint))
}

type Names = &'static [(&'static str, &'static str)];

const MOTION_BUILDER: Names = &[
    ("Hips", "Hips"),
    ("UpperLeg", "*UpLeg"),
    ("LowerLeg", "*Leg"),
    ("Foot", "*Foot"),
    ("Toes", "*ToeBase"),
    ("Spine", "Spine"),
    ("Chest", "Spine1"),
    ("UpperChest", "Spine2"),
    ("Shoulder", "*Shoulder"),
    ("UpperArm", "*Arm"),
    ("LowerArm", "*ForeArm"),
    ("Hand", "*Hand"),
];

/// CMU's clips as MotionBuilder names them, with the T-pose that their conversions put before the motion.
pub const CMU: Dialect = Dialect {
    convention: "CMU, MotionBuilder",
    names: MOTION_BUILDER,
    sides: ["Left", "Right"],
    order: "ZYX",
    unit: "cm",
    units_per_metre: 100.0,
    z_up: false,
    rest: Rest::Authored,
    rest_first: true,
};

/// Mixamo: MotionBuilder names behind a namespace.
pub const MIXAMO: Dialect = Dialect {
    convention: "Mixamo",
    names: &[
        ("Hips", "mixamorig:Hips"),
        ("UpperLeg", "mixamorig:*UpLeg"),
        ("LowerLeg", "mixamorig:*Leg"),
        ("Foot", "mixamorig:*Foot"),
        ("Toes", "mixamorig:*ToeBase"),
        ("Spine", "mixamorig:Spine"),
        ("Chest", "mixamorig:Spine1"),
        ("UpperChest", "mixamorig:Spine2"),
        ("Neck", "mixamorig:Neck"),
        ("Head", "mixamorig:Head"),
        ("Shoulder", "mixamorig:*Shoulder"),
        ("UpperArm", "mixamorig:*Arm"),
        ("LowerArm", "mixamorig:*ForeArm"),
        ("Hand", "mixamorig:*Hand"),
    ],
    order: "XYZ",
    rest_first: false,
    ..CMU
};

/// The first BVH files, by the company that made the format; a limb's joints carry the names of the anatomical joints.
pub const BIOVISION: Dialect = Dialect {
    convention: "Biovision",
    names: &[
        ("Hips", "Hip"),
        ("UpperLeg", "*Hip"),
        ("LowerLeg", "*Knee"),
        ("Foot", "*Ankle"),
        ("Toes", "*Toe"),
        ("Spine", "Chest"),
        ("Shoulder", "*Collar"),
        ("UpperArm", "*Shoulder"),
        ("LowerArm", "*Elbow"),
        ("Hand", "*Wrist"),
    ],
    order: "ZXY",
    unit: "inch",
    units_per_metre: 1.0 / 0.0254,
    rest_first: false,
    ..CMU
};

/// Unreal's mannequin, which rests in an A-pose.
pub const UNREAL: Dialect = Dialect {
    convention: "Unreal",
    names: &[
        ("Hips", "pelvis"),
        ("UpperLeg", "thigh_*"),
        ("LowerLeg", "calf_*"),
        ("Foot", "foot_*"),
        ("Toes", "ball_*"),
        ("Spine", "spine_01"),
        ("Chest", "spine_02"),
        ("UpperChest", "spine_03"),
        ("Neck", "neck_01"),
        ("Head", "head"),
        ("Shoulder", "clavicle_*"),
        ("UpperArm", "upperarm_*"),
        ("LowerArm", "lowerarm_*"),
        ("Hand", "hand_*"),
    ],
    sides: ["l", "r"],
    order: "YXZ",
    rest: Rest::APose(48.0),
    rest_first: false,
    ..CMU
};

/// VRM's humanoid bones.
pub const VRM: Dialect = Dialect {
    convention: "VRM",
    names: &[
        ("Hips", "hips"),
        ("UpperLeg", "*UpperLeg"),
        ("LowerLeg", "*LowerLeg"),
        ("Foot", "*Foot"),
        ("Toes", "*Toes"),
        ("Spine", "spine"),
        ("Chest", "chest"),
        ("UpperChest", "upperChest"),
        ("Neck", "neck"),
        ("Head", "head"),
        ("Shoulder", "*Shoulder"),
        ("UpperArm", "*UpperArm"),
        ("LowerArm", "*LowerArm"),
        ("Hand", "*Hand"),
    ],
    sides: ["left", "right"],
    order: "YXZ",
    unit: "m",
    units_per_metre: 1.0,
    rest_first: false,
    ..CMU
};

/// Poser and DAZ.
pub const POSER: Dialect = Dialect {
    convention: "Poser, DAZ",
    names: &[
        ("Hips", "hip"),
        ("UpperLeg", "*Thigh"),
        ("LowerLeg", "*Shin"),
        ("Foot", "*Foot"),
        ("Toes", "*Toe"),
        ("Spine", "abdomen"),
        ("Chest", "chest"),
        ("Neck", "neck"),
        ("Head", "head"),
        ("Shoulder", "*Collar"),
        ("UpperArm", "*Shldr"),
        ("LowerArm", "*ForeArm"),
        ("Hand", "*Hand"),
    ],
    sides: ["l", "r"],
    order: "XYZ",
    unit: "inch",
    units_per_metre: 1.0 / 0.0254,
    rest_first: false,
    ..CMU
};

const BIPED: Names = &[
    ("Hips", "Bip01 Pelvis"),
    ("UpperLeg", "Bip01 * Thigh"),
    ("LowerLeg", "Bip01 * Calf"),
    ("Foot", "Bip01 * Foot"),
    ("Toes", "Bip01 * Toe0"),
    ("Spine", "Bip01 Spine"),
    ("Chest", "Bip01 Spine1"),
    ("UpperChest", "Bip01 Spine2"),
    ("Neck", "Bip01 Neck"),
    ("Head", "Bip01 Head"),
    ("Shoulder", "Bip01 * Clavicle"),
    ("UpperArm", "Bip01 * UpperArm"),
    ("LowerArm", "Bip01 * Forearm"),
    ("Hand", "Bip01 * Hand"),
    // The same rig with four legs: hands are forefeet, and the hock hangs on a link that only animals have.
    ("HindUpperLeg", "Bip01 * Thigh"),
    ("HindLowerLeg", "Bip01 * Calf"),
    ("HindFoot", "Bip01 * HorseLink"),
    ("HindToes", "Bip01 * Foot"),
    ("Blade", "Bip01 * Clavicle"),
    ("FrontUpperLeg", "Bip01 * UpperArm"),
    ("FrontLowerLeg", "Bip01 * Forearm"),
    ("FrontFoot", "Bip01 * Hand"),
    ("FrontToes", "Bip01 * Finger0"),
    ("Tail", "Bip01 Tail"),
    ("Tail1", "Bip01 Tail1"),
    ("Tail2", "Bip01 Tail2"),
];

/// 3ds Max Biped: names with blanks, Z up.
pub const MAX_BIPED: Dialect = Dialect {
    convention: "3ds Max Biped",
    names: BIPED,
    sides: ["L", "R"],
    order: "ZXY",
    z_up: true,
    rest_first: false,
    ..CMU
};

/// Xsens MVN, which writes the vertical turn first.
pub const XSENS: Dialect = Dialect {
    convention: "Xsens",
    names: &[
        ("Hips", "Hips"),
        ("UpperLeg", "*Hip"),
        ("LowerLeg", "*Knee"),
        ("Foot", "*Ankle"),
        ("Toes", "*Toe"),
        ("Spine", "Chest"),
        ("Chest", "Chest2"),
        ("UpperChest", "Chest3"),
        ("Shoulder", "*Collar"),
        ("UpperArm", "*Shoulder"),
        ("LowerArm", "*Elbow"),
        ("Hand", "*Wrist"),
    ],
    order: "YXZ",
    rest_first: false,
    ..CMU
};

/// LAFAN1: bones along their own X axis, so that the pose of zero channels is no pose.
pub const LAFAN1: Dialect = Dialect {
    convention: "LAFAN1",
    names: &[
        ("Hips", "Hips"),
        ("UpperLeg", "*UpLeg"),
        ("LowerLeg", "*Leg"),
        ("Foot", "*Foot"),
        ("Toes", "*Toe"),
        ("Spine", "Spine"),
        ("Chest", "Spine1"),
        ("UpperChest", "Spine2"),
        ("Shoulder", "*Shoulder"),
        ("UpperArm", "*Arm"),
        ("LowerArm", "*ForeArm"),
        ("Hand", "*Hand"),
    ],
    order: "ZYX",
    rest: Rest::AlongX,
    rest_first: false,
    ..CMU
};

/// Names of game animators: part first, side as a suffix.
pub const ANIMATOR: Dialect = Dialect {
    convention: "animator's rig",
    names: &[
        ("Hips", "Hips"),
        ("HindUpperLeg", "BackUpLeg.*"),
        ("HindLowerLeg", "BackLowLeg.*"),
        ("HindFoot", "BackFoot.*"),
        ("HindToes", "BackToe.*"),
        ("Spine", "Body"),
        ("Chest", "Shoulders"),
        ("Blade", "FrontLeg.*"),
        ("FrontUpperLeg", "FrontUpLeg.*"),
        ("FrontLowerLeg", "FrontLowLeg.*"),
        ("FrontFoot", "FrontFoot.*"),
        ("FrontToes", "FrontToe.*"),
        ("Tail", "Tail1"),
        ("Tail1", "Tail2"),
        ("Tail2", "Tail3"),
    ],
    sides: ["L", "R"],
    order: "ZXY",
    unit: "m",
    units_per_metre: 1.0,
    rest_first: false,
    ..CMU
};

/// The names that puppetry gives to a quadruped of its own.
pub const PUPPETRY: Dialect = Dialect {
    convention: "puppetry",
    names: &[
        ("HindUpperLeg", "Hind*UpperLeg"),
        ("HindLowerLeg", "Hind*LowerLeg"),
        ("HindFoot", "Hind*Foot"),
        ("HindToes", "Hind*Toes"),
        ("Blade", "Front*Shoulder"),
        ("FrontUpperLeg", "Front*UpperLeg"),
        ("FrontLowerLeg", "Front*LowerLeg"),
        ("FrontFoot", "Front*Foot"),
        ("FrontToes", "Front*Toes"),
    ],
    order: "XYZ",
    unit: "m",
    units_per_metre: 1.0,
    rest_first: false,
    ..CMU
};

/// Captured dogs: a human's names on four legs.
pub const DOG_CAPTURE: Dialect = Dialect {
    convention: "dog capture",
    names: &[
        ("Hips", "Hips"),
        ("HindUpperLeg", "*UpLeg"),
        ("HindLowerLeg", "*Leg"),
        ("HindFoot", "*Foot"),
        ("HindToes", "*ToeBase"),
        ("Spine", "Spine"),
        ("Chest", "Spine1"),
        ("Blade", "*Shoulder"),
        ("FrontUpperLeg", "*Arm"),
        ("FrontLowerLeg", "*ForeArm"),
        ("FrontFoot", "*Hand"),
        ("FrontToes", "*HandTip"),
        ("Tail", "Tail"),
        ("Tail1", "Tail1"),
        ("Tail2", "Tail2"),
    ],
    order: "YXZ",
    rest_first: false,
    ..CMU
};

/// 3ds Max Biped with four legs.
pub const MAX_QUADRUPED: Dialect =
    Dialect { convention: "3ds Max Biped, four legs", z_up: false, ..MAX_BIPED };
