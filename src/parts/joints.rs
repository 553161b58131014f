//! Joints where pieces touch.
//!
//! Bharaj et al. 2012 put joints at the middles of clusters and remark that plausible ones lie near contacts (section 3.2). A
//! rigid piece rotates where it touches its parent, and nowhere else without coming off; and where a ball, an axle or a ring
//! is between the two, about the middle of that. Mean errors of joints as embedded, at contacts, and with pivots, in parts of the height:
//! three.js's robot 3.3, 3.0 and 2.7 %, the mannequin of the Godot demos 1.9, 1.2 and 1.0 %, Quaternius' cyberpunk 3.1, 2.9 and 2.7 %, our own
//! robot 2.6, 2.1 and 1.2 %; Kenney's box robot, which has no such pieces, 3.2, 1.9 and 1.9 %.

use super::contacts::Contact;
use super::fitted::{FittedSkeleton, mirrored};
use super::pieces::Piece;
use crate::math::Vec3;
use crate::skeleton::Skeleton;

/// The longest side of a pivot, in its shortest ones. Less leaves out axles, more takes flat plates for them.
const COMPACT: f64 = 3.0;

/// For each joint the position where its pieces touch those of an ancestor, if they do; at a pivot, the middle of that. The joints of
/// the trunk have none: it is one piece or a few, which its joints share. On the two sides of a symmetric character the
/// positions are mirror images.
pub fn contact_positions(
    contacts: &[Contact],
    joint_of_piece: &[usize],
    pivots: &[Option<Vec3>],
    fitted: &FittedSkeleton,
) -> Vec<Option<Vec3>> {
    let joints = &fitted.skeleton.joints;
    let mut positions = mean_contacts(contacts, joint_of_piece, pivots, fitted.skeleton);
    for joint in trunk(fitted.skeleton) {
        positions[joint] = None;
    }
    let Some(plane) = fitted.plane else { return positions };
    let partners = joints.iter().enumerate().map(|(index, joint)| joint.partner.unwrap_or(index));
    let pairs = positions.iter().zip(partners);
    pairs.map(|(own, partner)| Some(((*own)? + mirrored(&positions[partner]?, plane)) * 0.5)).collect()
}

/// For each joint the middle of the contacts with its ancestors, weighted by area. Contacts with other joints do not count: a hand
/// may lean on a thigh.
fn mean_contacts(
    contacts: &[Contact],
    joint_of_piece: &[usize],
    pivots: &[Option<Vec3>],
    skeleton: &Skeleton,
) -> Vec<Option<Vec3>> {
    let mut sums = vec![(Vec3::zeros(), 0.0); skeleton.joints.len()];
    for contact in contacts.iter().filter(|contact| contact.gap == 0.0) {
        let [a, b] = contact.pieces;
        for [inner, outer] in [[a, b], [b, a]] {
            let [joint, above] = [inner, outer].map(|piece| joint_of_piece[piece]);
            if joint != above && skeleton.joints.is_below(joint, above) {
                let position = pivots[inner].or(pivots[outer]).unwrap_or(contact.position);
                sums[joint].0 += position * contact.area;
                sums[joint].1 += contact.area;
            }
        }
    }
    sums.into_iter().map(|(sum, area)| (area > 0.0).then(|| sum / area)).collect()
}

/// The middle of each piece that is a ball, an axle or a ring between two limbs: compact, smaller than what it touches on either side, and
/// of one joint with one side while the other side has another joint. Limbs rotate about the middle of such a piece,
/// whichever of them it is fixed to.
pub fn pivots(pieces: &[Piece], contacts: &[Contact], joint_of_piece: &[usize]) -> Vec<Option<Vec3>> {
    // Whether each piece touches a larger one of its own joint, and one of another.
    let mut sides = vec![[false; 2]; pieces.len()];
    for contact in contacts.iter().filter(|contact| contact.gap == 0.0) {
        let [a, b] = contact.pieces;
        for [piece, other] in [[a, b], [b, a]] {
            if pieces[piece].area < pieces[other].area {
                sides[piece][usize::from(joint_of_piece[piece] != joint_of_piece[other])] = true;
            }
        }
    }
    let pieces = pieces.iter().zip(&sides);
    pieces
        .map(|(piece, sides)| {
            let half = piece.oriented.half;
            (*sides == [true; 2] && half.max() < COMPACT * half.min()).then_some(piece.center)
        })
        .collect()
}

/// The root and the joints of the middle that have limbs below them.
fn trunk(skeleton: &Skeleton) -> impl Iterator<Item = usize> + '_ {
    let limbs = (0..skeleton.joints.len()).filter(|&joint| skeleton.joints[joint].partner.is_some());
    let above = limbs.flat_map(|joint| skeleton.joints.ancestors(joint));
    above.filter(|&joint| skeleton.joints[joint].partner.is_none()).chain([0])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::io::skeleton_file;
    use crate::skeleton::built_in;

    #[test]
    fn an_arm_rotates_where_it_touches_the_trunk_on_both_sides_alike() {
        let human = skeleton_file::read(built_in()[0].text).unwrap();
        let joints: Vec<Vec3> = human.joints.iter().map(|joint| joint.position).collect();
        let find = |name: &str| human.find(name).unwrap();
        // Chest, both upper arms, a left thigh that the left arm leans on, and a head that floats.
        let joint_of_piece =
            ["UpperChest", "LeftUpperArm", "RightUpperArm", "LeftUpperLeg", "Head"].map(find);
        let contact = |a, b, position, gap| Contact { pieces: [a, b], position, area: 1.0, gap };
        let contacts = [
            contact(0, 1, Vec3::new(0.12, 0.8, 0.0), 0.0),
            contact(0, 2, Vec3::new(-0.10, 0.8, 0.02), 0.0),
            contact(1, 3, Vec3::new(0.2, 0.4, 0.0), 0.0),
            contact(0, 4, Vec3::new(0.0, 0.9, 0.0), 0.1),
        ];
        let fitted = FittedSkeleton { skeleton: &human, joints: &joints, height: 1.0, plane: Some(0.0) };
        let none = [None; 5];
        let positions = contact_positions(&contacts, &joint_of_piece, &none, &fitted);
        let found: Vec<usize> = (0..positions.len()).filter(|&joint| positions[joint].is_some()).collect();
        assert_eq!(found, [find("LeftUpperArm"), find("RightUpperArm")]);
        assert!((positions[find("LeftUpperArm")].unwrap() - Vec3::new(0.11, 0.8, 0.01)).norm() < 1e-12);
        assert!((positions[find("RightUpperArm")].unwrap() - Vec3::new(-0.11, 0.8, 0.01)).norm() < 1e-12);
        let askew = FittedSkeleton { plane: None, ..fitted };
        let positions = contact_positions(&contacts, &joint_of_piece, &none, &askew);
        assert_eq!(positions[find("LeftUpperArm")], Some(Vec3::new(0.12, 0.8, 0.0)));
        let ball = Vec3::new(0.15, 0.8, 0.0);
        let positions =
            contact_positions(&contacts, &joint_of_piece, &[None, Some(ball), None, None, None], &askew);
        assert_eq!(positions[find("LeftUpperArm")], Some(ball));
    }
}
