//! Derived joints of rigs that others made, recognised by name and place.
//!
//! Makers hang them beside the next joint (Unreal), in chains (Character Creator) or in line (Rigify, Daz). The rules of
//! [`crate::rig::HelperDriver`] are about rotations in the world, so all of them are one case, but for one: where the bone of an
//! upper arm is cut into pieces, its own joint is the piece that must not twist.

use super::target::figure_of;
use crate::math::Vec3;
use crate::rig::{Follows, Helper, Rig, TwistFrom};
use crate::skeleton::Figure;
use crate::skeleton::naming::{Limb, Segment, Side};
use crate::skeleton::{HelperKind, helper_kind, is_piece_of};

/// Farther from the line of its bone, in parts of its length, a joint twists something else.
const BESIDE: f64 = 0.12;
/// Farther from a joint, in lengths of its bone, a joint does not stand at its place. Shares stand there to rounding.
const AT_JOINT: f64 = 0.02;

/// A bone of a limb.
#[derive(Clone, Copy)]
struct Bone {
    joint: usize,
    next: usize,
    from: TwistFrom,
}

/// The rig with what of its joints follows others.
pub fn with_helpers(mut rig: Rig) -> Rig {
    let figure = figure_of(&rig);
    let bones = bones(&figure, rig.joints.len());
    // Paws swing by up to 160 degrees, where twist means nothing.
    let twisted = bones.iter().filter(|_| !figure.is_quadruped());
    let mut helpers: Vec<Helper> = twisted.flat_map(|bone| twists(&rig, &figure, bone)).collect();
    let halves: Vec<Helper> = bones.iter().filter_map(|bone| half(&rig, &figure, bone, &helpers)).collect();
    let pieces: Vec<Helper> = bones.iter().filter_map(|bone| own_piece(&rig, bone, &helpers)).collect();
    helpers.extend(halves);
    helpers.extend(pieces);
    rig.helpers = helpers;
    rig
}

fn bones(figure: &Figure, joints: usize) -> Vec<Bone> {
    let mut bones = Vec::new();
    for limb in [Limb::Arm, Limb::FrontLeg, Limb::Leg] {
        for side in [Side::Left, Side::Right] {
            let [upper, lower, end] = [Segment::Upper, Segment::Lower, Segment::End]
                .map(|segment| figure.limb(limb, side, segment).filter(|&joint| joint < joints));
            let pairs = [(upper, lower, TwistFrom::Above), (lower, end, TwistFrom::Below)];
            let whole = pairs
                .into_iter()
                .filter_map(|(joint, next, from)| Some(Bone { joint: joint?, next: next?, from }));
            bones.extend(whole);
        }
    }
    bones
}

/// The joints that share the twist of a bone, in the order of their places.
fn twists(rig: &Rig, figure: &Figure, bone: &Bone) -> Vec<Helper> {
    let candidates = (0..rig.joints.len()).filter(|&joint| {
        figure.roles.roles[joint].is_none()
            && limb_joint_above(rig, figure, joint) == Some(bone.joint)
            && (helper_kind(&rig.joints[joint].name) == Some(HelperKind::Twist) || is_piece(rig, bone, joint))
    });
    let mut placed: Vec<(f64, usize)> =
        candidates.filter_map(|joint| Some((share(figure, bone, joint)?, joint))).collect();
    placed.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    placed.into_iter().map(|(share, joint)| helper(bone, joint, share)).collect()
}

fn helper(&Bone { joint: bone, next, from }: &Bone, joint: usize, share: f64) -> Helper {
    Helper { joint, follows: Follows::Twist { bone, next, share, from } }
}

/// The nearest joint above that is one of a body.
fn limb_joint_above(rig: &Rig, figure: &Figure, joint: usize) -> Option<usize> {
    rig.joints.ancestors(joint).skip(1).find(|&above| figure.roles.roles[above].is_some())
}

/// Whether a joint stands in line between the joints of a bone.
fn is_in_line(rig: &Rig, bone: &Bone, joint: usize) -> bool {
    joint != bone.joint && rig.joints.is_below(joint, bone.joint) && rig.joints.is_below(bone.next, joint)
}

fn is_piece(rig: &Rig, bone: &Bone, joint: usize) -> bool {
    is_in_line(rig, bone, joint) && is_piece_of(&rig.joints[joint].name, &rig.joints[bone.joint].name)
}

/// Where a joint stands along a bone, from 0 to 1; `None` if it is not beside it.
fn share(figure: &Figure, bone: &Bone, joint: usize) -> Option<f64> {
    let [start, end, at] = [bone.joint, bone.next, joint].map(|joint| figure.positions[joint]);
    let along: Vec3 = end - start;
    let share = ((at - start).dot(&along) / along.norm_squared()).clamp(0.0, 1.0);
    ((at - start - along * share).norm() <= BESIDE * along.norm()).then_some(share)
}

/// The joint that rotates half as far as that of a bone, at its place.
fn half(rig: &Rig, figure: &Figure, bone: &Bone, twists: &[Helper]) -> Option<Helper> {
    let [start, end] = [bone.joint, bone.next].map(|joint| figure.positions[joint]);
    let is_half = |joint: usize| {
        figure.roles.roles[joint].is_none()
            && helper_kind(&rig.joints[joint].name) == Some(HelperKind::Half)
            && (figure.positions[joint] - start).norm() <= AT_JOINT * (end - start).norm()
    };
    let above = limb_joint_above(rig, figure, bone.joint).or(rig.joints[bone.joint].parent)?;
    let joint = (0..rig.joints.len()).find(|&joint| is_half(joint) && rig.joints.is_below(joint, above))?;
    let first = twists.iter().find(|twist| {
        matches!(twist.follows, Follows::Twist { bone: of, from: TwistFrom::Above, .. } if of == bone.joint)
    });
    let below = first.map_or(bone.joint, |twist| twist.joint);
    (joint != bone.joint).then_some(Helper { joint, follows: Follows::Half { above, below } })
}

/// The joint of a bone that is cut into pieces in line and twists from above: it is the piece that stays with the shoulder. Behind all
/// helpers, which follow what it does before.
fn own_piece(rig: &Rig, bone: &Bone, twists: &[Helper]) -> Option<Helper> {
    let mut pieces = twists.iter().filter(|twist| is_in_line(rig, bone, twist.joint));
    (bone.from == TwistFrom::Above && pieces.next().is_some()).then(|| helper(bone, bone.joint, 0.0))
}

/// Whether a helper is the joint of a limb itself, whatever moves that.
pub(super) fn is_own_piece(helper: &Helper) -> bool {
    matches!(helper.follows, Follows::Twist { bone, .. } if bone == helper.joint)
}

#[cfg(test)]
mod tests {
    use super::super::{RetargetOptions, Source, SourceOptions, Target, retarget};
    use super::*;
    use crate::motion::{Motion, Pose};
    use crate::rig::{RigJoint, bind_pose};
    use crate::skeleton::Skeleton;
    use crate::skeleton::naming::Role;
    use nalgebra::Isometry3;

    /// The built-in person with other names, and joints beside or in its left arm.
    fn person(rename: impl Fn(&str) -> String) -> Rig {
        let human = Skeleton::human();
        let mut rig = bind_pose(&human, &human.positions()).into_rig();
        rig.joints.iter_mut().for_each(|joint| joint.name = rename(&joint.name));
        rig
    }

    fn add(rig: &mut Rig, name: &str, parent: usize, [bone, next]: [usize; 2], share: f64) -> usize {
        let at = |joint: usize| rig.joints[joint].rest.translation.vector;
        let place = at(bone) + (at(next) - at(bone)) * share;
        let rest = Isometry3::from_parts(place.into(), rig.joints[parent].rest.rotation);
        rig.joints.push(RigJoint { name: name.into(), parent: Some(parent), rest })
    }

    fn unreal(name: &str) -> String {
        crate::rig::NameStyle::Unreal.name(name).unwrap_or_else(|| name.to_owned())
    }

    #[test]
    fn twists_of_unreal_and_chains_of_character_creator_are_found() {
        let mut rig = person(unreal);
        let find = |rig: &Rig, name: &str| rig.find(name).unwrap();
        let (arm, elbow, hand) = (find(&rig, "upperarm_l"), find(&rig, "lowerarm_l"), find(&rig, "hand_l"));
        let first = add(&mut rig, "upperarm_twist_01_l", arm, [arm, elbow], 0.0);
        let near = add(&mut rig, "CC_Base_L_ForearmTwist01", elbow, [elbow, hand], 0.0);
        let far = add(&mut rig, "CC_Base_L_ForearmTwist02", near, [elbow, hand], 0.5);
        let share = add(&mut rig, "CC_Base_L_ElbowShareBone", elbow, [elbow, hand], 0.0);
        let watch = add(&mut rig, "watch", elbow, [elbow, hand], 0.9);
        let rig = with_helpers(rig);
        let twist = |bone, next, share, from| Follows::Twist { bone, next, share, from };
        let expected = [
            (first, twist(arm, elbow, 0.0, TwistFrom::Above)),
            (near, twist(elbow, hand, 0.0, TwistFrom::Below)),
            (far, twist(elbow, hand, 0.5, TwistFrom::Below)),
            (share, Follows::Half { above: arm, below: elbow }),
        ];
        assert_eq!(rig.helpers.len(), expected.len(), "{:?}", rig.helpers);
        for (helper, (joint, follows)) in rig.helpers.iter().zip(expected) {
            match (helper.follows, follows) {
                (Follows::Twist { share: a, .. }, Follows::Twist { share: b, .. }) => {
                    assert!(helper.joint == joint && (a - b).abs() < 1e-9, "{helper:?}");
                }
                (ours, theirs) => assert_eq!((helper.joint, ours), (joint, theirs)),
            }
        }
        assert!(rig.helpers.iter().all(|helper| helper.joint != watch));
        let shares = Role::Limb(Limb::Arm, Side::Left, Segment::Lower);
        assert_eq!(figure_of(&rig).roles.roles[elbow], Some(shares));
    }

    /// A person of whose left upper arm the second half is a bone of its own, and the joints of both.
    fn person_in_pieces() -> (Rig, [usize; 2]) {
        let rig = person(unreal);
        let (arm, elbow) = (rig.find("upperarm_l").unwrap(), rig.find("lowerarm_l").unwrap());
        // The piece comes behind its child in the list: hang the arm below it by hand.
        let mut joints = rig.joints.to_vec();
        let at = |joint: usize| joints[joint].rest.translation.vector;
        let rest = Isometry3::from_parts((0.5 * (at(arm) + at(elbow))).into(), joints[arm].rest.rotation);
        joints.insert(elbow, RigJoint { name: "upperarm_l.001".into(), parent: Some(arm), rest });
        for joint in joints.iter_mut().skip(elbow + 1) {
            joint.parent = joint.parent.map(|parent| if parent >= elbow { parent + 1 } else { parent });
        }
        joints[elbow + 1].parent = Some(elbow);
        (with_helpers(Rig::of_joints(joints, Vec::new())), [arm, elbow])
    }

    #[test]
    fn the_pieces_of_an_upper_arm_begin_with_one_that_stays_with_the_shoulder() {
        let (rig, [arm, piece]) = person_in_pieces();
        let joints: Vec<usize> = rig.helpers.iter().map(|helper| helper.joint).collect();
        assert_eq!(joints, [piece, arm]);
        assert!(is_own_piece(&rig.helpers[1]) && !rig.only_following()[piece]);
    }

    #[test]
    fn pieces_of_an_arm_share_its_twist_in_a_clip() {
        let (rig, [arm, piece]) = person_in_pieces();
        let motion = Motion::built_in("dance").unwrap();
        let source = Source::of(&motion, &SourceOptions::default());
        let options = RetargetOptions::default();
        let poses = retarget(&Target::of(&rig), &motion, &source, &[], &options).unwrap().poses;
        let from_rest =
            |pose: &Pose, joint: usize| pose.rotations[joint] * rig.joints[joint].rest.rotation.inverse();
        let turns = poses.iter().map(|pose| from_rest(pose, arm).angle_to(&from_rest(pose, piece)));
        let most = turns.fold(0.0, f64::max).to_degrees();
        assert!(most > 5.0, "{most}");
    }
}
