//! What a person says about joints and sizes, and what follows from it.

mod common;

use common::posed::write_posed;
use common::{example_characters, puppetry, root};
use serde_json::Value;
use std::fs;
use std::path::Path;

const GINGERBREAD: &str = "examples/characters/gingerbread.glb";

/// The joints of the gingerbread person with some hints, by name.
fn joints(dir: &Path, flags: &[&str]) -> Value {
    let out = dir.join("rig.json").to_string_lossy().into_owned();
    puppetry(root(), &[&["rig", GINGERBREAD, "-o", &out], flags].concat()).exits_with(0);
    serde_json::from_str::<Value>(&fs::read_to_string(out).unwrap()).unwrap()["joints"].take()
}

fn position(joints: &Value, name: &str) -> [f64; 3] {
    std::array::from_fn(|axis| joints[name][axis].as_f64().unwrap_or_else(|| panic!("{name}")))
}

fn distance(a: [f64; 3], b: [f64; 3]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt()
}

#[test]
fn a_hint_by_a_friendly_name_counts_for_both_sides_unless_it_shall_not() {
    let dir = tempfile::tempdir().unwrap();
    let before = joints(dir.path(), &[]);
    let [x, y, z] = position(&before, "LeftLowerArm");
    let wanted = [x, y - 0.1, z];
    for name in ["LeftElbow", "left_elbow", "left elbow", "leftlowerarm", "LeftForeArm"] {
        let hint = format!("{name}={},{},{}", wanted[0], wanted[1], wanted[2]);
        let after = joints(dir.path(), &["--hint", &hint]);
        assert!(distance(position(&after, "LeftLowerArm"), wanted) < 1e-5, "{name}");
        let [right, mirrored] = [position(&after, "RightLowerArm"), [-wanted[0], wanted[1], wanted[2]]];
        assert!(distance(right, mirrored) < 0.02, "{name}: {right:?}");
        if name == "LeftElbow" {
            // Hands and feet are where they were seen.
            let moved = |name| distance(position(&after, name), position(&before, name));
            assert!(moved("LeftFoot") < 0.01 && moved("LeftHand") < 0.05, "{}", moved("LeftHand"));
            let alone = joints(dir.path(), &["--hint", &hint, "--no-mirror"]);
            assert!(distance(position(&alone, "LeftLowerArm"), wanted) < 1e-5);
            let right = position(&alone, "RightLowerArm");
            assert!(distance(right, position(&before, "RightLowerArm")) < 0.05, "{right:?}");
        }
    }
}

#[test]
fn a_name_that_is_misspelled_is_answered_by_the_one_that_was_meant() {
    let refused = |flags: &[&str], part: &str| {
        puppetry(root(), &[&["rig", GINGERBREAD, "-o", "/dev/null.json"], flags].concat())
            .exits_with(1)
            .complains(part);
    };
    refused(
        &["--hint", "LftElbw=0,1,0"],
        "the skeleton 'human' has no joint 'LftElbw'; did you mean left_elbow?",
    );
    refused(
        &["--hint", "Wheel=0,1,0"],
        "the skeleton 'human' has no joint 'Wheel'; its joints are Hips, Spine",
    );
    refused(
        &["--hint", "elbow=0,1,0"],
        "'elbow' is not clear on the skeleton 'human': left or right? Type left_elbow or right_elbow.",
    );
    refused(&["--skeleton", "humna"], "There is no skeleton 'humna'; did you mean human?");
    refused(
        &["--hint", "left_elbow=0,1,0", "--hint", "LeftLowerArm=0,1,0"],
        "There are two hints for LeftLowerArm",
    );
}

#[test]
fn the_picture_of_the_joints_has_room_for_names_and_rulers() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name).to_string_lossy().into_owned();
    puppetry(root(), &["rig", GINGERBREAD, "-o", &at("a.json"), "--stages", &at("stages")]).exits_with(0);
    let size = |name: &str| {
        let png = fs::read(dir.path().join("stages").join(name)).unwrap();
        let number = |at: usize| u32::from_be_bytes(png[at..at + 4].try_into().unwrap());
        [number(16), number(20)]
    };
    let (joints, prior) = (size("08-joints.png"), size("07-prior.png"));
    assert!(joints[0] > prior[0] + 300 && joints[1] > prior[1], "{joints:?} {prior:?}");
}

#[test]
fn a_unit_that_is_plainly_wrong_is_corrected_and_told_once() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name).to_string_lossy().into_owned();
    for (name, height) in [("small.glb", "1.7cm"), ("large.glb", "170m"), ("usual.glb", "0.5m")] {
        puppetry(root(), &["rig", GINGERBREAD, "-o", &at(name), "--height", height, "-q"]).exits_with(0);
    }
    let all = ["small.glb", "large.glb", "usual.glb"].map(at);
    let all: Vec<&str> = all.iter().map(String::as_str).collect();
    let run = puppetry(root(), &[&["inspect"], &all[..]].concat()).exits_with(0);
    assert_eq!(run.stderr().matches("unusual-size").count(), 1, "{}", run.stderr());
    run.complains("2 characters are unusually small or large").complains("--height auto");
    puppetry(root(), &[&["inspect", "--height", "auto"], &all[..]].concat())
        .exits_with(0)
        .warns_of_nothing()
        .prints("= 1.7 m (the file's own unit is wrong")
        .prints("= 0.5 m (the file's own unit)");
    let large = puppetry(root(), &["inspect", &at("large.glb")]);
    let large = large
        .complains("for example --height 1.7m or --height auto")
        .prints("leave it where it is: place and");
    assert!(!large.stdout().contains("size, place"), "{}", large.stdout());
}

#[test]
fn a_shorter_stride_is_named_only_where_it_helps() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("x.glb").to_string_lossy().into_owned();
    let mut named = 0;
    for character in example_characters() {
        let character = character.to_string_lossy().into_owned();
        let warning = |stride: &str| {
            let flags = ["animate", &character, "--motion", "run", "-o", &out, "--stride", stride];
            let text = puppetry(root(), &flags).exits_with(0).stderr();
            text.lines()
                .find(|line| line.contains("feet-slide") || line.contains("out-of-reach"))
                .map(str::to_owned)
        };
        let Some(before) = warning("2.2") else { continue };
        let Some((_, rest)) = before.split_once("a smaller stride helps: --stride ") else { continue };
        named += 1;
        let stride = rest.split(' ').next().unwrap();
        assert!(stride.parse::<f64>().unwrap() < 2.2);
        // Nothing is wrong any more, or clearly less.
        let percent = |line: &str| {
            let number = line.split('%').next().unwrap().split_whitespace().last().unwrap();
            number.parse::<f64>().unwrap_or_else(|_| panic!("no percentage in: {line}"))
        };
        let kind = |line: &str| line.split_once('[').unwrap().1.to_owned();
        if let Some(after) = warning(stride).filter(|after| kind(after) == kind(&before)) {
            assert!(percent(&after) < 0.75 * percent(&before) + 0.5, "{before}\n{after}");
        }
    }
    assert!(named > 0, "no character needed shorter steps");
}

#[test]
fn a_hint_in_other_coordinates_is_warned_of_and_keeps_a_confidence_that_was_asked_for() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("rig.json").to_string_lossy().into_owned();
    let [x, y, z] = position(&joints(dir.path(), &[]), "LeftLowerArm");
    let rig = |hint: [f64; 3], flags: &[&str]| {
        let hint = format!("left_elbow={},{},{}", hint[0], hint[1], hint[2]);
        puppetry(root(), &[&["rig", GINGERBREAD, "-o", &out, "--hint", &hint], flags].concat())
    };
    let right = rig([x, y, z], &[]).exits_with(0);
    assert!(!right.stderr().contains("far-hint"), "{}", right.stderr());
    rig([0.3 * x, 0.3 * y, z], &[]).complains("the hint for LeftLowerArm is").complains("[far-hint]");
    rig([x, y, z], &["--min-confidence", "1"]).exits_with(1).complains("less than --min-confidence 1");
}

#[test]
fn two_names_of_one_joint_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("joints.json").to_string_lossy().into_owned();
    fs::write(&file, r#"{"joints": {"left_ankle": [0.1, 0.1, 0.0], "left_foot": [0.1, 0.0, 0.1]}}"#).unwrap();
    puppetry(root(), &["rig", GINGERBREAD, "-o", "/dev/null.json", "--joints", &file])
        .exits_with(1)
        .complains("'left_ankle' and 'left_foot' are one joint, 'LeftFoot'");
}

/// With the arms right, legs and hips are as right as before, or better.
#[test]
fn four_right_hints_on_the_arms_harm_no_leg() {
    const LEGS: [(&str, &str); 7] = [
        ("hips", "Hips"),
        ("left_hip", "LeftUpperLeg"),
        ("right_hip", "RightUpperLeg"),
        ("left_knee", "LeftLowerLeg"),
        ("right_knee", "RightLowerLeg"),
        ("left_ankle", "LeftFoot"),
        ("right_ankle", "RightFoot"),
    ];
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("rig.json").to_string_lossy().into_owned();
    for case in ["fused_thighs", "lowered_arms", "pebbles", "robe", "staff"] {
        let mesh = format!("tests/data/{case}.glb");
        let truth = fs::read(root().join(format!("tests/data/{case}.truth.json"))).unwrap();
        let truth = serde_json::from_slice::<Value>(&truth).unwrap()["joints"].take();
        let worst = |hints: &[&str]| {
            let hints: Vec<String> = hints
                .iter()
                .map(|name| {
                    let [x, y, z] = position(&truth, name);
                    format!("--hint={name}={x},{y},{z}")
                })
                .collect();
            let hints: Vec<&str> = hints.iter().map(String::as_str).collect();
            puppetry(root(), &[&["rig", &mesh, "-o", &out][..], &hints].concat());
            let joints = serde_json::from_slice::<Value>(&fs::read(&out).unwrap()).unwrap()["joints"].take();
            let errors =
                LEGS.iter().map(|(truly, ours)| distance(position(&truth, truly), position(&joints, ours)));
            errors.fold(0.0, f64::max)
        };
        let (before, after) =
            (worst(&[]), worst(&["left_elbow", "left_wrist", "right_elbow", "right_wrist"]));
        assert!(after < 1.1 * before + 0.01, "{case}: {before:.3} m, with hints {after:.3} m");
    }
}

const DOG: &str = "examples/characters/dog.glb";

/// The shape says what a dog is, and a name that it does not have alone is asked about.
#[test]
fn a_name_does_not_choose_the_body() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("a.json").to_string_lossy().into_owned();
    let rig = |flags: &[&str]| puppetry(root(), &[&["rig", DOG, "-o", &out], flags].concat());
    for (name, question) in [
        ("left knee", "front or hind? Type front_left_knee or hind_left_knee"),
        ("left foot", "front or hind? Type front_left_foot or hind_left_foot"),
        ("left elbow", "front or hind? Type front_left_elbow or hind_left_knee"),
        ("stifle", "left or right? Type left_stifle or right_stifle"),
        ("LeftHand", "did you mean front_left_hand?"),
    ] {
        let hint = format!("{name}=0.08,0.2,0.14");
        let run = rig(&["--hint", &hint]).exits_with(1).complains(question).complains("'horse'");
        assert!(!run.stderr().contains("UpperArm"), "joints of people: {}", run.stderr());
    }
    rig(&["--hint", "left knee=0.08,0.2,0.14"]).complains("if its body is another, give --skeleton human");
    rig(&["--hint", "Wheel=0.08,0.2,0.14"])
        .complains("its joints are Hips, Spine, Chest, Neck, Head, FrontLeft");
    assert!(!Path::new(&out).exists());
    rig(&["--skeleton", "human", "--hint", "left knee=0.08,0.2,0.14", "--force"])
        .prints("human, 22 joints (as told)");

    rig(&[]).exits_with(0).prints("horse");
    let before = serde_json::from_slice::<Value>(&fs::read(&out).unwrap()).unwrap()["joints"].take();
    for (name, joint) in [
        ("left stifle", "HindLeftLowerLeg"),
        ("left_hock", "HindLeftHock"),
        ("hind left hock", "HindLeftHock"),
        ("LeftCarpus", "FrontLeftFoot"),
        ("withers", "Chest"),
        ("front left elbow", "FrontLeftLowerLeg"),
    ] {
        let [x, y, z] = position(&before, joint);
        let wanted = [x, y + 0.01, z];
        rig(&["--hint", &format!("{name}={},{},{}", wanted[0], wanted[1], wanted[2])])
            .exits_with(0)
            .prints("horse");
        let after = serde_json::from_slice::<Value>(&fs::read(&out).unwrap()).unwrap()["joints"].take();
        assert!(distance(position(&after, joint), wanted) < 1e-5, "{name}");
    }
}

/// Some joints in a file do not choose the body, and those of all limbs do.
#[test]
fn joints_of_some_limbs_belong_to_the_skeleton_of_the_shape() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name).to_string_lossy().into_owned();
    let rig = |joints: &str| {
        fs::write(at("joints.json"), format!(r#"{{"joints": {joints}}}"#)).unwrap();
        puppetry(root(), &["rig", DOG, "-o", &at("a.json"), "--joints", &at("joints.json")])
    };
    rig(r#"{"left_knee": [0.08, 0.26, -0.14], "right_knee": [-0.08, 0.26, -0.14]}"#)
        .exits_with(1)
        .complains("annot take the joints of '")
        .complains("front or hind? Type front_left_knee or hind_left_knee");
    assert!(!Path::new(&at("a.json")).exists());
    let some = rig(
        r#"{"left stifle": [0.08, 0.26, -0.14], "right stifle": [-0.08, 0.26, -0.14], "hips": [0, 0.4, -0.17]}"#,
    );
    some.exits_with(0).prints("horse, 20 joints (by the shape of the body)");
    let truth = root().join("examples/characters/dog.truth.json").to_string_lossy().into_owned();
    puppetry(root(), &["rig", DOG, "-o", &at("a.json"), "--joints", &truth])
        .exits_with(0)
        .prints("quadruped, 18 joints (by the names of the joints)");
}

/// Key joints, as the skeleton of people calls them.
const KEY_JOINTS: [&str; 15] = [
    "Hips",
    "Neck",
    "Head",
    "LeftUpperArm",
    "RightUpperArm",
    "LeftLowerArm",
    "RightLowerArm",
    "LeftHand",
    "RightHand",
    "LeftUpperLeg",
    "RightUpperLeg",
    "LeftLowerLeg",
    "RightLowerLeg",
    "LeftFoot",
    "RightFoot",
];

/// A raised arm misleads; with its elbow and wrist right, the shoulder is not beside them, and hips and legs are right: every
/// key joint within 12 % of the height and four of five within 8 %, as of any good rig.
#[test]
fn with_four_right_hints_a_misread_pose_is_a_good_rig() {
    const WITHIN: [f64; 2] = [0.12, 0.08];
    let dir = tempfile::tempdir().unwrap();
    let [mesh, out] = ["posed.obj", "rig.json"].map(|name| dir.path().join(name));
    for name in ["slim", "child"] {
        let character = root().join(format!("examples/characters/{name}.glb"));
        for (motion, moment) in [("wave", 0.33), ("dance", 0.59)] {
            let truth = write_posed(&mesh, &character, motion, moment);
            let truth = |name: &str| {
                let (_, at) = truth.iter().find(|(joint, _)| joint == name).unwrap();
                [at.x, at.y, at.z]
            };
            let height = truth("Head")[1];
            let rig = |hinted: &[&str]| {
                let hint = |name: &&str| {
                    let [x, y, z] = truth(name);
                    format!("--hint={name}={x},{y},{z}")
                };
                let hints: Vec<String> = hinted.iter().map(hint).collect();
                let hints: Vec<&str> = hints.iter().map(String::as_str).collect();
                let files = [mesh.to_string_lossy(), out.to_string_lossy()];
                let flags = ["rig", &files[0], "-o", &files[1], "--force", "--up", "y", "--front", "z"];
                puppetry(root(), &[&flags[..], &hints].concat());
                let joints =
                    serde_json::from_slice::<Value>(&fs::read(&out).unwrap()).unwrap()["joints"].take();
                KEY_JOINTS.map(|name| distance(position(&joints, name), truth(name)) / height)
            };
            let errors = rig(&["LeftLowerArm", "LeftHand", "RightLowerArm", "RightHand"]);
            let far = |within: f64| errors.iter().filter(|error| **error > within).count();
            let [beyond, loose] = WITHIN.map(far);
            assert!(beyond == 0 && 5 * loose <= errors.len(), "{name}, {motion} at {moment}: {errors:.3?}");
        }
    }
}
