//! Feet: what stands on the ground belongs to them.
//!
//! A skeleton draws a leg as a line from joint to joint, and a foot is more than that: the heel, and the sole below the ball, lie beyond
//! a joint, where the bones that meet there are equally near and share the heat. Half of a heel then turns with the shank, and slips over
//! the ground while the foot stands still. Two things mend it at both joints, the ankle and the ball:
//!
//! * A bone runs from the joint towards the ground that it stands on, so that what lies there is nearer to it than to the
//!   bone above.
//! * What heat still carries there along the surface fades from the height of the joint to the ground.

use super::bones::Bone;
use super::heat::Equilibrium;
use crate::math::{Bounds, Vec3};
use crate::skeleton::{Skeleton, find_soles};

/// A joint of a foot and the ground it stands on.
pub(super) struct Footing {
    /// Height of the ground.
    ground: f64,
    /// Height of the joint above the ground.
    height: f64,
    /// For each joint of the skeleton what it is to this one.
    kin: Vec<Kin>,
    /// Halfway to the ground; how far makes no difference, from a tenth to nine tenths.
    pub bone: Bone,
}

/// What a joint of the skeleton is to a joint of a foot.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Kin {
    /// The joint itself, or what hangs on it.
    Foot,
    /// It carries this foot and no other.
    Leg,
    /// Not of this leg: where the hem of a robe goes over from one foot to the other, neither takes from the other.
    Stranger,
}

/// A vertex of which less than the first share follows the foot is none of it and stays as it is: the hem of a robe that
/// reaches the floor. One of which more than the second does is the foot's alone on the ground. Between, the more the
/// nearer, so that nothing jumps.
const OWN: (f64, f64) = (0.25, 0.75);

/// The joints that stand on the ground, of a skeleton whose joints are at `joints` inside a `surface`: ankles, and after
/// each of them the ball that hangs on it.
pub(super) fn footings(skeleton: &Skeleton, joints: &[Vec3], surface: &[Vec3]) -> Vec<Footing> {
    let soles = find_soles(skeleton, joints, surface, Bounds::of(surface).extent().y);
    // A foot whose toes all are tagged has a sole for each of them.
    let mut ankles: Vec<usize> = soles.iter().map(|sole| sole.joint).collect();
    ankles.sort_unstable();
    ankles.dedup();
    let mut feet_below = vec![0; joints.len()];
    ankles.iter().flat_map(|&ankle| above(skeleton, ankle)).for_each(|joint| feet_below[joint] += 1);
    let mut footings = Vec::new();
    for sole in &soles {
        let leg_of = |joint: usize| above(skeleton, joint).filter(|&above| feet_below[above] == 1);
        let mut stand = |joint: usize, ground: &Vec3| {
            let mut kin = vec![Kin::Stranger; joints.len()];
            leg_of(joint).for_each(|above| kin[above] = Kin::Leg);
            (0..joints.len())
                .filter(|&other| above(skeleton, other).any(|above| above == joint))
                .for_each(|other| kin[other] = Kin::Foot);
            let bone = Bone { owner: joint, from: joints[joint], to: (joints[joint] + ground) / 2.0 };
            footings.push(Footing { ground: ground.y, height: joints[joint].y - ground.y, kin, bone });
        };
        stand(sole.joint, &sole.heel);
        let is_ball = |joint: &usize| {
            skeleton.joints[*joint].parent == Some(sole.joint) && !skeleton.joints[*joint].is_tip
        };
        if let Some(ball) = (0..joints.len()).find(is_ball) {
            stand(ball, &sole.ball);
        }
    }
    footings
}

/// A joint and those that carry it, up to the root.
fn above(skeleton: &Skeleton, joint: usize) -> impl Iterator<Item = usize> + '_ {
    std::iter::successors(Some(joint), |&joint| skeleton.joints[joint].parent)
}

impl Footing {
    /// Gives what stands on the ground to the joint.
    pub fn stand(&self, equilibrium: &mut Equilibrium, positions: &[Vec3]) {
        for (vertex, position) in positions.iter().enumerate() {
            let height = position.y - self.ground;
            if height >= self.height {
                continue;
            }
            let share = |kin: Kin| equilibrium.share(vertex, |joint| self.kin[joint] == kin);
            let (own, legs) = (share(Kin::Foot), share(Kin::Leg));
            let is_foot = smooth((own - OWN.0) / (OWN.1 - OWN.0));
            if is_foot > 0.0 {
                let kept = 1.0 - is_foot * (1.0 - smooth(height / self.height));
                equilibrium.scale(vertex, |joint| match self.kin[joint] {
                    Kin::Foot => 1.0 + (1.0 - kept) * legs / own,
                    Kin::Leg => kept,
                    Kin::Stranger => 1.0,
                });
            }
        }
    }
}

/// From 0 to 1 without a kink, and no farther.
fn smooth(part: f64) -> f64 {
    let part = part.clamp(0.0, 1.0);
    part * part * (3.0 - 2.0 * part)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::io::skeleton_file;
    use crate::skeleton::built_in;

    /// A person on two flat soles.
    fn person() -> (Skeleton, Vec<Footing>) {
        let human = skeleton_file::read(built_in()[0].text).unwrap();
        let joints: Vec<Vec3> = human.joints.iter().map(|joint| joint.position).collect();
        let mut surface = vec![Vec3::y()];
        for side in [-0.055, 0.055] {
            surface.extend((-5..=13).map(|step| Vec3::new(side, 0.0, 0.01 * f64::from(step))));
        }
        let footings = footings(&human, &joints, &surface);
        (human, footings)
    }

    /// What becomes of the weights of a vertex at a height, in ankle heights.
    fn standing<const N: usize>(height: f64, weights: [(&str, f64); N]) -> [f64; N] {
        let (human, footings) = person();
        let joint = |name: &str| human.find(name).unwrap();
        let ankle = human.joints[joint("LeftFoot")].position.y;
        let columns = weights.map(|(name, weight)| (joint(name) as u16, weight));
        let mut equilibrium = Equilibrium::at_one_vertex(&columns);
        for footing in &footings {
            footing.stand(&mut equilibrium, &[Vec3::new(0.055, height * ankle, -0.03)]);
        }
        columns.map(|(owner, _)| equilibrium.share(0, |joint| joint == usize::from(owner)))
    }

    #[test]
    fn ankles_and_balls_reach_for_the_ground_below_them() {
        let (human, footings) = person();
        let names: Vec<&str> =
            footings.iter().map(|footing| human.joints[footing.bone.owner].name.as_str()).collect();
        assert_eq!(names, ["LeftFoot", "LeftToes", "RightFoot", "RightToes"]);
        let heel = footings[0].bone.to;
        assert!((heel - Vec3::new(0.055, 0.039 / 2.0, -0.025)).norm() < 1e-9, "{heel:?}");
        let ball = footings[1].bone.to;
        assert!((ball - Vec3::new(0.055, 0.006, 0.09)).norm() < 1e-9, "{ball:?}");
    }

    #[test]
    fn the_share_of_the_leg_fades_from_the_ankle_to_the_ground() {
        let shank = |height: f64| standing(height, [("LeftFoot", 0.8), ("LeftLowerLeg", 0.2)])[1];
        assert!((shank(1.0) - 0.2).abs() < 1e-12 && shank(0.0).abs() < 1e-12);
        assert!((shank(0.5) - 0.1).abs() < 1e-12, "{}", shank(0.5));
        assert!(
            (0..20).all(|step| shank(0.05 * f64::from(step)) < shank(0.05 * f64::from(step + 1)) + 1e-12)
        );
    }

    #[test]
    fn what_stands_on_the_ball_is_of_the_toes() {
        let [foot, toes] = standing(0.0, [("LeftFoot", 0.2), ("LeftToes", 0.8)]);
        assert!(foot.abs() < 1e-12 && (toes - 1.0).abs() < 1e-12, "{foot} {toes}");
    }

    #[test]
    fn a_hem_on_the_floor_is_not_torn() {
        // One that hangs on the shank and only grazes the foot, and one halfway between the feet.
        let grazing = [("LeftLowerLeg", 0.8), ("LeftFoot", 0.2)];
        assert_eq!(standing(0.0, grazing), grazing.map(|(_, weight)| weight));
        let between = [("LeftFoot", 0.45), ("RightFoot", 0.45), ("Hips", 0.1)];
        let stood = standing(0.0, between);
        assert!(
            stood.iter().zip(between).all(|(now, (_, before))| (now - before).abs() < 1e-12),
            "{stood:?}"
        );
    }
}
