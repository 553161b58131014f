//! What the root of an extracted clip does: it does not shake, nothing else moves, and loops stay closed.

// Measured, not written: any bits will do.
#![allow(clippy::disallowed_methods)]

mod common;

use common::{corpus_files, root};
use puppetry::stages::clip::RootMotion;
use puppetry::stages::math::{Quat, Vec3};
use puppetry::stages::motion::{Pose, built_in};
use puppetry::{Character, ClipOptions, LoadOptions, Loaded, Motion, RigOptions, Silent};
use std::f64::consts::{PI, TAU};

/// The example character with a root.
fn character() -> Character {
    let file = root().join("examples/characters/slim.glb");
    let Ok((Loaded::Mesh(mesh), _)) = puppetry::load(&file, &LoadOptions::default()) else { panic!() };
    let mut character = puppetry::rig(&mesh, &RigOptions::default(), &Silent).unwrap().character;
    assert!(character.ensure_root(RootMotion::Extract));
    character
}

fn poses(
    character: &Character,
    motion: &Motion,
    root_motion: RootMotion,
    looping: bool,
) -> Option<Vec<Pose>> {
    let mut options = ClipOptions::default();
    (options.root_motion, options.looping) = (root_motion, looping);
    let animated = puppetry::animate(character, "clip", motion, &options).ok()?;
    Some(animated.poses)
}

/// What the root of a piece of a motion does, from one second to another.
fn cut(character: &Character, motion: &Motion, [start, end]: [f64; 2]) -> Vec<Pose> {
    let mut options = ClipOptions::default();
    (options.root_motion, options.start, options.end) = (RootMotion::Extract, Some(start), Some(end));
    puppetry::animate(character, "clip", motion, &options).unwrap().poses
}

/// The heading of the root in each frame, in degrees.
fn root_headings(poses: &[Pose]) -> Vec<f64> {
    headings(poses, 0, &Quat::identity())
}

/// From the least to the greatest value.
fn span(values: &[f64]) -> f64 {
    let [least, most] = [f64::min, f64::max].map(|end| values.iter().copied().reduce(end).unwrap());
    most - least
}

/// The motion around a bend: its root turns by so many degrees a second, and goes where it then faces.
fn bent(motion: &Motion, degrees_per_second: f64) -> Motion {
    let mut bent = motion.clone();
    let root = motion.translations.track_of(0).unwrap();
    let turned = motion.rotations.track_of(0).unwrap();
    let mut at = motion.translations.at(0)[root];
    for frame in 0..motion.frames {
        let turn = (degrees_per_second * motion.frame_seconds * frame as f64).to_radians();
        let turn = Quat::from_axis_angle(&Vec3::y_axis(), turn);
        if frame > 0 {
            at += turn * (motion.translations.at(frame)[root] - motion.translations.at(frame - 1)[root]);
        }
        bent.translations.values[frame * motion.translations.joints.len() + root] = at;
        let rotation = &mut bent.rotations.values[frame * motion.rotations.joints.len() + turned];
        *rotation = turn * *rotation;
    }
    bent
}

/// The heading of a joint against its rest in each frame, in degrees without jumps.
fn headings(poses: &[Pose], joint: usize, rest: &Quat) -> Vec<f64> {
    let mut yaw = 0.0;
    let turns = poses.iter().map(|pose| {
        let turn = pose.rotations[joint] * rest.inverse();
        let twist = 2.0 * turn.j.atan2(turn.w);
        yaw += (twist - yaw + PI).rem_euclid(TAU) - PI;
        yaw.to_degrees()
    });
    turns.collect()
}

/// The farthest that values are from their mean over a second and a half, or half of a short clip, away from the ends.
fn wobble(values: &[f64], frame_seconds: f64) -> f64 {
    let radius = ((0.75 / frame_seconds).round() as usize).min(values.len() / 4);
    let middles = radius..values.len().saturating_sub(radius);
    let from_mean = middles.map(|middle| {
        let around = &values[middle - radius..=middle + radius];
        (values[middle] - around.iter().sum::<f64>() / around.len() as f64).abs()
    });
    from_mean.fold(0.0, f64::max)
}

#[test]
fn the_root_turns_smoothly_and_everything_else_stays_where_it_was() {
    let character = character();
    let hips = character.hips();
    let rest = character.rig.joints[hips].rest.rotation;
    for known in built_in().iter().filter(|known| !known.name.starts_with("quad")) {
        let motion = Motion::built_in(known.name).unwrap();
        let kept = poses(&character, &motion, RootMotion::Keep, false).unwrap();
        let extracted = poses(&character, &motion, RootMotion::Extract, false).unwrap();
        for (before, after) in kept.iter().zip(&extracted) {
            assert_eq!(before.positions[hips..], after.positions[hips..], "{}", known.name);
            assert_eq!(before.rotations[hips..], after.rotations[hips..], "{}", known.name);
        }
        let of_hips = wobble(&headings(&kept, hips, &rest), motion.frame_seconds);
        let of_root = wobble(&root_headings(&extracted), motion.frame_seconds);
        let ahead = |poses: &[Pose], joint: usize| {
            poses.iter().map(|p| p.positions[joint].x * 100.0).collect::<Vec<_>>()
        };
        let swayed = wobble(&ahead(&kept, hips), motion.frame_seconds);
        let sways = wobble(&ahead(&extracted, 0), motion.frame_seconds);
        println!(
            "{:10} heading of the hips {of_hips:5.2}°, of the root {of_root:5.2}°; sideways {swayed:5.2} cm, {sways:5.2} cm",
            known.name
        );
        if matches!(known.name, "walk" | "run" | "sneak") {
            assert!(of_root < 1.0, "{}: {of_root}°", known.name);
            assert!(sways < 0.5, "{}: {sways} cm", known.name);
        }
    }
}

/// Pieces of walks and runs in seconds: from one step to one and a half cycles.
const PIECES: [[f64; 2]; 4] = [[0.1, 1.0], [0.5, 1.8], [0.2, 0.8], [0.0, 0.4]];

#[test]
fn a_few_steps_straight_ahead_do_not_turn_the_root() {
    let character = character();
    // One who sneaks takes longer for a step, and sways as far as others walk around a corner.
    for (name, pieces) in [("walk", &PIECES[..]), ("run", &PIECES), ("sneak", &PIECES[..1])] {
        let motion = Motion::built_in(name).unwrap();
        for &piece in pieces {
            let poses = cut(&character, &motion, piece);
            let of_root = span(&root_headings(&poses));
            let aside: Vec<f64> = poses.iter().map(|pose| pose.positions[0].x * 100.0).collect();
            println!("{name:6} {piece:?} turns by {of_root:4.2}°, goes {:4.2} cm aside", span(&aside));
            assert!(of_root < 2.0, "{name} {piece:?}: {of_root}°");
            assert!(wobble(&aside, motion.frame_seconds) < 0.5, "{name} {piece:?}");
        }
    }
}

#[test]
fn a_few_steps_around_a_bend_turn_the_root_with_it() {
    let character = character();
    for name in ["walk", "run"] {
        for rate in [-60.0, 40.0, 90.0] {
            let motion = bent(&Motion::built_in(name).unwrap(), rate);
            for piece in [[0.2, 0.8], [0.1, 1.0], [0.0, 2.0]] {
                let poses = cut(&character, &motion, piece);
                let headings = root_headings(&poses);
                let turned = headings[headings.len() - 1] - headings[0];
                let wanted = rate * motion.frame_seconds * (poses.len() - 1) as f64;
                println!("{name:6} {piece:?} by {wanted:6.1}°: {turned:6.1}°");
                assert!((turned - wanted).abs() < 15.0, "{name} {piece:?}: {turned}° of {wanted}°");
            }
        }
    }
}

#[test]
fn a_captured_run_of_one_and_a_half_cycles_goes_straight() {
    let Some(file) = corpus_files(".bvh").into_iter().find(|file| file.ends_with("run_mixamo_names.bvh"))
    else {
        return;
    };
    let character = character();
    let (motion, _) = puppetry::load_motion(&file).unwrap();
    let poses = poses(&character, &motion, RootMotion::Extract, false).unwrap();
    let headings = root_headings(&poses);
    assert!(wobble(&headings, motion.frame_seconds) < 0.2, "{headings:?}");
    assert!(span(&headings) < 3.0, "{headings:?}");
    let paces = poses.windows(2).map(|pair| (pair[1].positions[0] - pair[0].positions[0]).norm());
    let speeds: Vec<f64> = paces.map(|pace| pace / motion.frame_seconds).collect();
    assert!(span(&speeds) < 0.1 * speeds[0], "{speeds:?}");
}

#[test]
fn loops_stay_closed_and_on_the_spot_the_path_is_gone() {
    let character = character();
    let hips = character.hips();
    for known in built_in().iter().filter(|known| known.loops && !known.name.starts_with("quad")) {
        let motion = Motion::built_in(known.name).unwrap();
        let extracted = poses(&character, &motion, RootMotion::Extract, true).unwrap();
        let [first, second, .., before, last] = extracted.as_slice() else { panic!() };
        let turn = last.rotations[0] * first.rotations[0].inverse();
        // From the last frame the root goes on as from the first, and the hips stand to it as they did.
        let step = |a: &Pose, b: &Pose| a.rotations[0].inverse() * (b.positions[0] - a.positions[0]);
        let rate = (step(first, second) - step(before, last)).norm();
        assert!(rate < 0.002, "{}: the root jumps by {rate} m a frame", known.name);
        let local = |pose: &Pose| pose.rotations[0].inverse() * (pose.positions[hips] - pose.positions[0]);
        assert!((local(first) - local(last)).norm() < 1e-6, "{}", known.name);
        assert!(turn.angle() < 0.01, "{}", known.name);
        let treading = poses(&character, &motion, RootMotion::InPlace, true).unwrap();
        let [first, .., last] = treading.as_slice() else { panic!() };
        let gap = (first.positions[hips] - last.positions[hips]).norm();
        assert!(gap < 1e-6, "{}: {gap}", known.name);
        let away = |pose: &Pose| {
            (pose.positions[hips] - character.rig.joints[hips].rest.translation.vector).xz().norm()
        };
        let farthest = treading.iter().map(away).fold(0.0, f64::max);
        assert!(farthest < 0.15, "{}: {farthest} m away", known.name);
        assert!(treading.iter().all(|pose| pose.positions[0] == Vec3::zeros()));
    }
}

#[test]
fn captured_motions_turn_the_root_less_than_the_hips() {
    let files = corpus_files(".bvh");
    if files.is_empty() {
        return;
    }
    let character = character();
    let hips = character.hips();
    let rest = character.rig.joints[hips].rest.rotation;
    for file in files {
        let (motion, _) = puppetry::load_motion(&file).unwrap();
        // Animals are refused.
        let Some(kept) = poses(&character, &motion, RootMotion::Keep, false) else { continue };
        let extracted = poses(&character, &motion, RootMotion::Extract, false).unwrap();
        for (before, after) in kept.iter().zip(&extracted) {
            assert_eq!(before.positions[hips..], after.positions[hips..], "{}", file.display());
        }
        let of_hips = wobble(&headings(&kept, hips, &rest), motion.frame_seconds);
        let of_root = wobble(&root_headings(&extracted), motion.frame_seconds);
        println!("{:30} {of_hips:6.2}° {of_root:6.2}°", file.file_name().unwrap().to_string_lossy());
        assert!(of_root <= of_hips + 0.1, "{}: {of_root}° of {of_hips}°", file.display());
    }
}
