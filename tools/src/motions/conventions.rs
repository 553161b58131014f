//! The dialects in which the clips are written, as the programs that made them common do.

use super::dialect::{Dialect, Names, Rest};

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
    order: "XZY",
    rest_first: false,
    ..CMU
};

/// 3ds Max Biped with four legs.
pub const MAX_QUADRUPED: Dialect =
    Dialect { convention: "3ds Max Biped, four legs", order: "YZX", z_up: false, ..MAX_BIPED };
