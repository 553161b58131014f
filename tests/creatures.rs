//! Bodies that are neither a person nor an animal on four legs: their limbs, and skeletons made of these.

// Expected values, not results: any bits will do.
#![allow(clippy::disallowed_methods)]

mod common;

use common::{puppetry, root};
use puppetry::stages::io::load_mesh;
use puppetry::stages::pipeline::{Jointed, place_joints};
use puppetry::{RigOptions, Silent, SkeletonSource, Vec3};
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::PathBuf;

const LIMBS: [(&str, &str); 9] = [
    ("bird", "1 pair of legs, 1 pair of wings, 1 tail, a head"),
    ("centaur", "2 pairs of legs, 1 pair of arms, 1 tail, a head"),
    ("dragon", "2 pairs of legs, 1 pair of wings, 1 tail, a head"),
    ("fish", "1 pair of wings, 1 tail, a head"),
    ("fourarms", "1 pair of legs, 2 pairs of arms, a head"),
    ("hexapod", "3 pairs of legs, a head"),
    ("raptor", "1 pair of legs, 1 pair of arms, 1 tail, a head"),
    ("snake", "1 tail, a head"),
    ("spider", "4 pairs of legs, 1 pair of feelers"),
];

fn path(name: &str, ending: &str) -> PathBuf {
    root().join("examples/characters/creatures").join(format!("{name}.{ending}"))
}

fn placed(name: &str) -> Jointed {
    let mut options = RigOptions::default();
    options.source = SkeletonSource::Shape;
    let (mesh, _) = load_mesh(&path(name, "glb")).unwrap();
    place_joints(&mesh, &options, &Silent).unwrap()
}

#[test]
fn every_creature_stands_as_its_file_says_and_shows_its_limbs() {
    for (name, limbs) in LIMBS {
        let file = path(name, "glb").to_string_lossy().into_owned();
        let told = puppetry(root(), &["inspect", &file]).exits_with(0);
        let told = told.stdout();
        assert!(told.contains(&format!("limbs         {limbs}\n")), "{name}: {told}");
        assert!(told.contains("up            +Y") && told.contains("faces         +Z"), "{name}: {told}");
    }
}

/// Where the joints of the limbs at the left and in the middle are off, in S.
fn errors(name: &str, jointed: &Jointed) -> Vec<f64> {
    let truth: Value = serde_json::from_slice(&std::fs::read(path(name, "truth.json")).unwrap()).unwrap();
    let joints = &jointed.rig_file.skeleton.joints;
    let (mesh, _) = load_mesh(&path(name, "glb")).unwrap();
    let size = puppetry::stages::math::Bounds::of(&mesh.positions).diagonal() / 3f64.sqrt();
    let point = |value: &Value| Vec3::from_fn(|axis, _| value[axis].as_f64().unwrap());
    let of_limb = |limb: &Value| {
        let word = if limb["side"] == "left" { "Left" } else { "Tail" };
        let own: Vec<Vec3> = joints
            .iter()
            .filter(|joint| !joint.is_tip && joint.name.contains(word))
            .map(|joint| joint.position)
            .collect();
        let off = |at: Vec3| own.iter().map(|own| (own - at).norm()).fold(f64::INFINITY, f64::min) / size;
        let names = limb["joints"].as_array().unwrap().iter();
        names.map(|joint| off(point(&truth["joints"][joint.as_str().unwrap()]))).collect::<Vec<f64>>()
    };
    let limbs = truth["limbs"].as_array().unwrap().iter().filter(|limb| limb["side"] != "right");
    limbs.flat_map(of_limb).collect()
}

#[test]
fn joints_of_creatures_are_near_those_that_they_were_made_with() {
    for (name, mean, most) in [
        ("bird", 0.03, 0.06),
        ("centaur", 0.08, 0.13),
        ("dragon", 0.05, 0.09),
        ("fish", 0.04, 0.06),
        ("fourarms", 0.03, 0.08),
        ("hexapod", 0.06, 0.08),
        ("raptor", 0.06, 0.09),
        ("spider", 0.05, 0.09),
    ] {
        let errors = errors(name, &placed(name));
        let own = errors.iter().sum::<f64>() / errors.len() as f64;
        let farthest = errors.iter().copied().fold(0.0, f64::max);
        println!("{name}: mean {:.1}, at most {:.1} % of S", 100.0 * own, 100.0 * farthest);
        assert!(own <= mean && farthest <= most, "{name}: {own:.3} on average, {farthest:.3} at most");
    }
}

#[test]
fn free_skeletons_have_unique_names_and_mirrored_partners() {
    for (name, _) in LIMBS {
        let jointed = placed(name);
        let joints = &jointed.rig_file.skeleton.joints;
        let names: BTreeSet<&str> = joints.iter().map(|joint| joint.name.as_str()).collect();
        assert_eq!(names.len(), joints.len(), "{name}");
        assert!(jointed.rig_file.confidence > 0.5, "{name}: {}", jointed.rig_file.confidence);
        for joint in joints.iter() {
            assert!(joint.position.iter().all(|part| part.is_finite()), "{name}: {}", joint.name);
            let Some(partner) = joint.partner else { continue };
            let image = joints[partner].position;
            let off = (joint.position - Vec3::new(-image.x, image.y, image.z)).norm();
            assert!(off < 0.01, "{name}: {} is {off} from its mirror image", joint.name);
        }
    }
}

#[test]
fn a_spider_is_rigged_on_eight_legs_and_a_hint_moves_a_knee() {
    let dir = tempfile::tempdir().unwrap();
    let file = path("spider", "glb").to_string_lossy().into_owned();
    let out = ["rig", &file, "-o", "out.glb", "-o", "out.rig.json", "--skeleton", "free"];
    puppetry(dir.path(), &out).exits_with(0).prints("free, ").prints("4 pairs of legs");
    let rig: Value =
        serde_json::from_slice(&std::fs::read(dir.path().join("out.rig.json")).unwrap()).unwrap();
    assert_eq!(rig["skeleton"], "free");
    for leg in 1..=4 {
        assert!(rig["joints"][format!("LeftLeg{leg}Foot")].is_array(), "{rig}");
    }
    let hinted = [&out[..], &["--hint", "LeftLeg2Lower=0.2,0.3,0.05"]].concat();
    puppetry(dir.path(), &hinted).exits_with(0);
    let rig: Value =
        serde_json::from_slice(&std::fs::read(dir.path().join("out.rig.json")).unwrap()).unwrap();
    let knee: Vec<f64> = (0..3).map(|k| rig["joints"]["LeftLeg2Lower"][k].as_f64().unwrap()).collect();
    assert!((knee[0] - 0.2).abs() < 1e-6 && (knee[1] - 0.3).abs() < 1e-6 && (knee[2] - 0.05).abs() < 1e-6);
    let unknown = [&out[..], &["--hint", "LeftLeg9Lower=0.2,0.3,0.05"]].concat();
    puppetry(dir.path(), &unknown).exits_with(1).complains("LeftLeg9Lower");
}
