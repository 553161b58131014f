//! Motions that touch the ground with hands: nothing of the skin goes under it, hands rest where they are put, and shoulders are the
//! character's own.

mod common;

use common::root;
use nalgebra::{Isometry3, Point3, Translation3};
use puppetry::stages::io::load_motion;
use puppetry::stages::math::{asin, hypot};
use puppetry::stages::motion::Pose;
use puppetry::{Character, ClipOptions, Motion, RigOptions, Silent, Vec3};

fn character(name: &str) -> Character {
    let path = root().join(format!("examples/characters/{name}.glb"));
    let (mesh, _) = puppetry::load_mesh(&path).unwrap();
    puppetry::rig(&mesh, &RigOptions::default(), &Silent).unwrap().character
}

fn motion(name: &str) -> Motion {
    load_motion(&root().join(format!("tests/data/{name}.bvh"))).unwrap().0
}

fn poses(character: &Character, motion: &Motion) -> Vec<Pose> {
    puppetry::animate(character, "floor", motion, &ClipOptions::default()).unwrap().poses
}

/// The height of the lowest vertex of which the joints named so have most, in percent of the character's height.
fn lowest(character: &Character, pose: &Pose, belongs: impl Fn(&str) -> bool) -> f64 {
    let placed = pose.positions.iter().zip(&pose.rotations);
    let posed_from_rest: Vec<Isometry3<f64>> = placed
        .zip(character.rig.joints.iter())
        .map(|((position, rotation), joint)| {
            Isometry3::from_parts(Translation3::from(*position), *rotation) * joint.rest.inverse()
        })
        .collect();
    let heights = character.surface.iter().map(|(position, _)| position.y);
    let (floor, top) = heights.fold((f64::INFINITY, 0.0_f64), |(low, high), y| (low.min(y), high.max(y)));
    let vertices = character.surface.iter().filter(|(_, weights)| {
        let most = weights.iter().max_by(|a, b| a.1.total_cmp(&b.1));
        most.is_some_and(|(joint, _)| belongs(&character.rig.joints[*joint].name))
    });
    let lowest = vertices.map(|(position, weights)| {
        let moved = weights
            .iter()
            .map(|(joint, weight)| (posed_from_rest[*joint] * Point3::from(*position)).coords * *weight);
        moved.sum::<Vec3>().y
    });
    100.0 * (lowest.fold(f64::INFINITY, f64::min) - floor) / (top - floor)
}

/// Percent of the height under the ground, over all frames.
#[track_caller]
fn assert_above_ground(name: &str, clip: &str, limit: f64) {
    let character = character(name);
    let poses = poses(&character, &motion(clip));
    let depth = poses.iter().map(|pose| -lowest(&character, pose, |_| true)).fold(0.0, f64::max);
    assert!(depth < limit, "{name} {clip}: {depth:.2} % of the height under the ground");
}

#[test]
fn who_crawls_stays_above_the_ground() {
    for name in ["slim", "child", "troll", "gingerbread"] {
        assert_above_ground(name, "crawl", 1.5);
    }
}

#[test]
fn who_does_push_ups_stays_above_the_ground() {
    for name in ["slim", "child", "troll", "gingerbread"] {
        assert_above_ground(name, "push_up", 1.5);
    }
}

/// Arms that are half as long again as the source's, for their legs, come down beside the head; a copy has the troll's hands 54 % of
/// its height under the ground.
#[test]
fn a_cartwheel_is_turned_on_the_ground() {
    for (name, limit) in [("slim", 1.0), ("child", 1.0), ("troll", 1.5), ("gingerbread", 1.0)] {
        assert_above_ground(name, "cartwheel", limit);
    }
}

/// Seats, backs and fronts lie on the ground, not in it and hardly above it.
#[test]
fn who_sits_lies_and_rolls_over_is_on_the_ground() {
    for name in ["slim", "child", "troll", "gingerbread"] {
        assert_above_ground(name, "lie_down", 1.0);
        let character = character(name);
        let poses = poses(&character, &motion("lie_down"));
        let sits = &poses[150];
        let seat = lowest(&character, sits, |joint| joint == "Hips" || joint.contains("UpperLeg"));
        assert!(seat < 2.0, "{name} sits {seat:.2} % of the height above the ground");
    }
}

#[test]
fn hands_rest_on_the_ground_and_do_not_slide() {
    for name in ["slim", "child", "troll", "gingerbread"] {
        let character = character(name);
        let poses = poses(&character, &motion("push_up"));
        for side in ["Left", "Right"] {
            assert_rests(&character, &poses, &format!("{side}Hand"));
        }
    }
}

#[track_caller]
fn assert_rests(character: &Character, poses: &[Pose], name: &str) {
    let hand = character.rig.find(name).unwrap();
    let heights = poses.iter().map(|pose| lowest(character, pose, |joint| joint == name).abs());
    assert!(heights.fold(0.0, f64::max) < 1.5, "{name} is on the ground");
    let settled = &poses[15..];
    let places = settled.iter().map(|pose| pose.positions[hand] - settled[0].positions[hand]);
    let slide = places.map(|way| hypot(way.x, way.z)).fold(0.0, f64::max);
    assert!(slide < 0.02, "{name} slides by {slide:.3} m");
}

/// Degrees by which a collar bone is raised against its rest, from the trunk.
fn raised(character: &Character, pose: &Pose, side: &str) -> f64 {
    let joint = |name: &str| character.rig.find(name).unwrap();
    let [hips, neck] = ["Hips", "Neck"].map(joint);
    let [shoulder, arm] = ["Shoulder", "UpperArm"].map(|part| joint(&format!("{side}{part}")));
    let elevation = |at: &dyn Fn(usize) -> Vec3| {
        let up = (at(neck) - at(hips)).normalize();
        asin((at(arm) - at(shoulder)).normalize().dot(&up)).to_degrees()
    };
    let at_rest = |joint: usize| character.rig.joints[joint].rest.translation.vector;
    elevation(&|joint| pose.positions[joint]) - elevation(&at_rest)
}

/// The collar bones of captures lead upwards by up to 27 degrees.
#[test]
fn nobody_shrugs_who_walks() {
    let captured = common::corpus_file("walk_cmu.bvh").map(|path| load_motion(&path).unwrap().0);
    for walk in [Motion::built_in("walk"), captured].into_iter().flatten() {
        for name in ["slim", "child", "troll", "gingerbread"] {
            let character = character(name);
            for pose in poses(&character, &walk) {
                for side in ["Left", "Right"] {
                    let raised = raised(&character, &pose, side);
                    assert!(raised.abs() < 5.0, "{name}, {side}: {raised:.1} degrees");
                }
            }
        }
    }
}
