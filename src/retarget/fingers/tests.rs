use super::relaxed::RELAXED;
use super::*;
use crate::math::{Vec3, atan2, cos, sin};
use crate::motion::{Motion, MotionJoint, Tracks};
use crate::retarget::rest_alignment::bone_frame;
use crate::retarget::{RetargetOptions, SourceOptions, retarget};
use crate::rig::{Rig, RigJoint, Tip};
use crate::skeleton::Skeleton;
use nalgebra::Isometry3;

struct Node {
    name: String,
    parent: Option<usize>,
    position: Vec3,
    is_end: bool,
}

/// Along the arm, across the hand to the thumb, and out of the palm.
fn axes_of_hand(nodes: &[Node], side: Side) -> [Vec3; 3] {
    let at = |name: &str| nodes.iter().find(|node| node.name == format!("{side:?}{name}")).unwrap().position;
    let ahead = (at("Hand") - at("LowerArm")).normalize();
    let across = (Vec3::z() - ahead * ahead.z).normalize();
    let normal = ahead.cross(&across);
    [ahead, across, if side == Side::Left { normal } else { -normal }]
}

/// The human with fingers of so many joints, each of which is bent by so many degrees at rest.
fn person(fingers: &[Finger], joints: usize, bent: f64) -> Vec<Node> {
    let human = Skeleton::human();
    let node = |joint: &crate::skeleton::Joint| Node {
        name: joint.name.clone(),
        parent: joint.parent,
        position: joint.position,
        is_end: joint.is_tip,
    };
    let mut nodes: Vec<Node> = human.joints.iter().map(node).collect();
    for side in [Side::Left, Side::Right] {
        let [ahead, across, palm] = axes_of_hand(&nodes, side);
        let hand = nodes.iter().position(|node| node.name == format!("{side:?}Hand")).unwrap();
        for &finger in fingers {
            let is_thumb = finger == Finger::Thumb;
            let place = finger as usize as f64;
            let from_wrist = if is_thumb {
                ahead * 0.015 + across * 0.02
            } else {
                ahead * 0.05 + across * (0.0325 - 0.013 * place)
            };
            let (mut parent, mut position) = (hand, nodes[hand].position + from_wrist);
            for joint in 1..=joints + 1 {
                let is_end = joint > joints;
                let name = if is_end {
                    format!("{side:?}{finger}Tip")
                } else {
                    format!("{side:?}Hand{finger}{joint}")
                };
                nodes.push(Node { name, parent: Some(parent), position, is_end });
                parent = nodes.len() - 1;
                let angle = (bent * joint as f64).to_radians();
                let bone = if is_thumb {
                    (ahead + across).normalize()
                } else {
                    ahead * cos(angle) + palm * sin(angle)
                };
                position += bone * 0.02;
            }
        }
    }
    nodes
}

/// A rig with axes that are rolled anyhow.
fn rig(nodes: &[Node]) -> Rig {
    let mut indices = vec![0; nodes.len()];
    let (mut joints, mut tips) = (Vec::new(), Vec::new());
    for (index, node) in nodes.iter().enumerate() {
        let parent = node.parent.map(|parent| indices[parent]);
        if node.is_end {
            tips.push(Tip { name: node.name.clone(), joint: parent.unwrap(), position: node.position });
            continue;
        }
        indices[index] = joints.len();
        let roll = index as f64;
        let rotation = Quat::from_euler_angles(0.7 * roll, 1.3 * roll, 0.4 * roll);
        joints.push(RigJoint {
            name: node.name.clone(),
            parent,
            rest: Isometry3::from_parts(node.position.into(), rotation),
        });
    }
    Rig::of_joints(joints, tips)
}

/// Three frames in which the joints of fingers are bent by more and more: by so many degrees in the last one.
fn bending(nodes: &[Node], degrees: &[f64]) -> Motion {
    let joint = |node: &Node| MotionJoint {
        name: node.name.clone(),
        parent: node.parent,
        offset: node.position - node.parent.map_or(Vec3::zeros(), |parent| nodes[parent].position),
        is_end: node.is_end,
    };
    let joints: Vec<MotionJoint> = nodes.iter().map(joint).collect();
    let turning: Vec<usize> = (0..nodes.len()).filter(|&node| !nodes[node].is_end).collect();
    let mut values = Vec::new();
    for frame in 0..3 {
        for &index in &turning {
            let name = &nodes[index].name;
            let side = if name.starts_with("Left") { Side::Left } else { Side::Right };
            let [ahead, _, palm] = axes_of_hand(nodes, side);
            let number =
                name.strip_prefix(&format!("{side:?}Hand")).filter(|rest| !rest.starts_with("Thumb"));
            let number = number.and_then(|rest| rest.chars().last()?.to_digit(10));
            let angle = number.map_or(0.0, |number| degrees[number as usize - 1]) * f64::from(frame) / 2.0;
            let axis = nalgebra::Unit::new_normalize(ahead.cross(&palm));
            values.push(Quat::from_axis_angle(&axis, angle.to_radians()));
        }
    }
    Motion {
        joints: joints.into(),
        rest: None,
        frames: 3,
        frame_seconds: 0.1,
        rotations: Tracks { joints: turning, values },
        translations: Tracks { joints: Vec::new(), values: Vec::new() },
    }
}

/// The last pose of a motion on a rig, and what its fingers do.
fn posed(rig: &Rig, motion: &Motion) -> (Pose, FingerCount) {
    let source = Source::of(motion, &SourceOptions::default());
    let result = retarget(&Target::of(rig), motion, &source, &[], &RetargetOptions::default()).unwrap();
    (result.poses.last().unwrap().clone(), result.report.fingers.unwrap())
}

/// Degrees by which the bones of a finger are bent against the palm in a pose, and how far they are out of their plane.
fn bends(rig: &Rig, pose: &Pose, side: Side, finger: Finger) -> Vec<[f64; 2]> {
    let at = |name: &str| rig.find(&format!("{side:?}Hand{name}")).unwrap();
    let place = |joint: usize| pose.positions[joint];
    let hand = at("");
    let row = ["Index1", "Middle1", "Ring1", "Little1"].map(|name| place(at(name)));
    let middle = row.iter().sum::<Vec3>() / 4.0 - place(hand);
    let axes = bone_frame(&middle.normalize(), &(row[0] - row[3]).normalize()).unwrap();
    let sign = if side == Side::Left { 1.0 } else { -1.0 };
    let joints = (1..).map_while(|joint| rig.find(&format!("{side:?}Hand{finger}{joint}")));
    let joints: Vec<usize> = joints.collect();
    let ends = joints[1..].iter().map(|&joint| rig.joints[joint].rest.translation.vector);
    let tip = rig.tips.iter().find(|tip| Some(&tip.joint) == joints.last()).unwrap().position;
    let bend = |(&joint, end): (&usize, Vec3)| {
        let rest = &rig.joints[joint].rest;
        let bone =
            (pose.rotations[joint] * rest.rotation.inverse() * (end - rest.translation.vector)).normalize();
        let bone = axes.transpose() * bone;
        [atan2(sign * bone.z, bone.x).to_degrees(), bone.y]
    };
    joints.iter().zip(ends.chain([tip])).map(bend).collect()
}

const BOTH: [Side; 2] = [Side::Left, Side::Right];

/// Straight hands that close, on hands that are half closed at rest and the other way round, with axes that are rolled: bones
/// point as the source's do.
#[test]
fn fingers_point_in_the_palm_as_the_source_s_do() {
    let degrees = [30.0, 40.0, 20.0];
    for (ours, theirs) in [(0.0, 0.0), (25.0, 0.0), (0.0, 20.0), (15.0, 30.0)] {
        let rig = rig(&person(&Finger::OF_HAND, 3, ours));
        let (pose, count) = posed(&rig, &bending(&person(&Finger::OF_HAND, 3, theirs), &degrees));
        assert_eq!(count, FingerCount { imitating: 30, relaxed: 0, still: 0 });
        for (side, finger) in BOTH.into_iter().flat_map(|side| Finger::OF_PALM.map(|finger| (side, finger))) {
            let mut expected = 0.0;
            for ([bend, aside], degrees) in bends(&rig, &pose, side, finger).into_iter().zip(degrees) {
                expected += degrees + theirs;
                assert!(
                    (bend - expected).abs() < 1e-6 && aside.abs() < 1e-6,
                    "{side:?} {finger:?}: {bend} {aside}"
                );
            }
        }
    }
}

/// Fingers of two joints, or of one, bend those of three as far at the end, and from joint to joint further.
#[test]
fn other_numbers_of_joints_share_the_bend() {
    let rig = rig(&person(&Finger::OF_HAND, 3, 10.0));
    for degrees in [&[50.0, 30.0][..], &[60.0][..], &[30.0, 20.0, 20.0, 20.0][..]] {
        let motion = bending(&person(&Finger::OF_HAND, degrees.len(), 0.0), degrees);
        let (pose, _) = posed(&rig, &motion);
        let bends = bends(&rig, &pose, Side::Right, Finger::Ring);
        // The fourth joint is a tip.
        let total: f64 = degrees.iter().take(3).sum();
        assert!(bends.windows(2).all(|pair| pair[0][0] <= pair[1][0] + 1e-6), "{bends:?}");
        assert!(bends[0][0] > 10.0 && (bends[2][0] - total).abs() < 12.0, "{degrees:?}: {bends:?}");
    }
}

/// A mitten moves four fingers, and four fingers a mitten.
#[test]
fn hands_with_fewer_fingers_take_the_nearest() {
    let whole = person(&Finger::OF_HAND, 3, 0.0);
    let few = person(&[Finger::Thumb, Finger::Index], 2, 0.0);
    let target = rig(&whole);
    let (pose, count) = posed(&target, &bending(&few, &[50.0, 30.0]));
    assert_eq!((count.relaxed, count.still), (0, 0));
    for finger in Finger::OF_PALM {
        let bends = bends(&target, &pose, Side::Left, finger);
        assert!((bends[2][0] - 80.0).abs() < 3.0, "{finger:?}: {bends:?}");
    }
    let (pose, count) = posed(&rig(&few), &bending(&whole, &[30.0, 30.0, 20.0]));
    assert_eq!(count, FingerCount { imitating: 8, relaxed: 0, still: 0 });
    assert!(pose.rotations.iter().all(|rotation| rotation.coords.iter().all(|x| x.is_finite())));
}

/// Flat hands hang relaxed, those that are drawn closed stay, and both sides do the same.
#[test]
fn flat_hands_relax_where_the_motion_has_no_fingers() {
    let walk = Motion::built_in("walk").unwrap();
    for (bent, is_relaxed) in [(0.0, true), (5.0, true), (14.0, false), (30.0, false)] {
        let rig = rig(&person(&Finger::OF_HAND, 3, bent));
        let (pose, count) = posed(&rig, &walk);
        let expected = if is_relaxed { [0, 30, 0] } else { [0, 0, 30] };
        assert_eq!([count.imitating, count.relaxed, count.still], expected, "{bent}");
        for (place, finger) in Finger::OF_PALM.into_iter().enumerate() {
            let wanted = if is_relaxed { RELAXED[place].iter().sum() } else { 3.0 * bent };
            for side in BOTH {
                let last = bends(&rig, &pose, side, finger)[2][0];
                assert!((last - wanted).abs() < 0.1, "{side:?} {finger:?}: {last}, {wanted}");
            }
        }
    }
}

/// Flat fingers that never move were not captured; a fist that never opens was.
#[test]
fn fingers_that_nobody_captured_count_for_nothing() {
    let rig = rig(&person(&Finger::OF_HAND, 3, 0.0));
    let still = |bent: f64| bending(&person(&Finger::OF_HAND, 3, bent), &[0.0; 3]);
    assert_eq!(posed(&rig, &still(0.0)).1.relaxed, 30);
    let (pose, count) = posed(&rig, &still(40.0));
    assert_eq!(count.imitating, 30);
    assert!((bends(&rig, &pose, Side::Left, Finger::Middle)[2][0] - 120.0).abs() < 1e-6);
}

#[test]
fn odd_hands_do_no_harm() {
    let walk = Motion::built_in("walk").unwrap();
    for fingers in [&[Finger::Thumb][..], &[Finger::Little], &[Finger::Index, Finger::Ring], &[Finger::All]] {
        for joints in [1, 4] {
            let hand = person(fingers, joints, 0.0);
            let whole = person(&Finger::OF_HAND, 3, 0.0);
            let poses = [
                posed(&rig(&hand), &walk).0,
                posed(&rig(&hand), &bending(&whole, &[40.0; 3])).0,
                posed(&rig(&whole), &bending(&hand, &[40.0; 4])).0,
            ];
            for pose in &poses {
                assert!(pose.rotations.iter().all(|rotation| rotation.coords.iter().all(|x| x.is_finite())));
                assert!(pose.positions.iter().all(|position| position.iter().all(|x| x.is_finite())));
            }
        }
    }
}
