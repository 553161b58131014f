//! Ground support: what stands on the ground belongs to the feet.
//!
//! A skeleton draws a leg as a line from joint to joint, and a foot is more than that: the heel, and the sole below the ball, lie beyond
//! a joint, where the bones that meet there are equally near and share the heat. Half of a heel then rotates with the shank, and slips
//! over the ground while the foot stands still. Two things mend it at both joints, the ankle and the ball:
//!
//! * A bone runs from the joint towards the ground, so that the surface there is nearer to it than to the bone above.
//! * The weight of the leg, which heat still carries there along the surface, fades from the height of the joint to the ground.

use super::bones::Bone;
use super::heat_weights::HeatWeights;
use crate::math::{Bounds, Vec3};
use crate::skeleton::{Skeleton, Sole, find_soles};

/// A joint of a foot and the ground below it.
pub(super) struct GroundSupport {
    /// Height of the ground.
    ground: f64,
    /// Height of the joint above the ground.
    height: f64,
    /// For each joint of the skeleton its part in this leg.
    segments: Vec<LegSegment>,
    /// Halfway to the ground; how far makes no difference, from a tenth to nine tenths.
    pub bone: Bone,
}

/// The part of a joint in a leg, as seen from a joint of its foot.
#[derive(Debug, Clone, Copy, PartialEq)]
enum LegSegment {
    /// The joint of the foot itself, or one below it.
    Foot,
    /// An ancestor of this foot and of no other.
    Leg,
    /// Not of this leg: where the hem of a robe goes over from one foot to the other, neither takes weight from the other.
    Other,
}

/// Vertices with less foot weight than the first are left unchanged: the hem of a robe that reaches the floor. With more than the
/// second they move with the foot alone on the ground. Between, the more the nearer, so that nothing jumps.
const MIN_FOOT_WEIGHT: f64 = 0.25;
const FULL_FOOT_WEIGHT: f64 = 0.75;

/// The ground supports of a skeleton whose joints are at `joints` inside a `surface`: for each foot its ankle, then its ball.
pub(super) fn ground_supports(skeleton: &Skeleton, joints: &[Vec3], surface: &[Vec3]) -> Vec<GroundSupport> {
    let soles = find_soles(skeleton, joints, surface, Bounds::of(surface).extent().y);
    let feet_below = feet_below(skeleton, &soles);
    let mut supports = Vec::new();
    for sole in &soles {
        supports.push(GroundSupport::new(skeleton, joints, &feet_below, sole.joint, &sole.heel));
        if let Some(ball) = ball(skeleton, sole.joint) {
            supports.push(GroundSupport::new(skeleton, joints, &feet_below, ball, &sole.ball));
        }
    }
    supports
}

/// The number of feet below each joint. A foot whose toes all are tagged has a sole for each of them, and counts once.
fn feet_below(skeleton: &Skeleton, soles: &[Sole]) -> Vec<usize> {
    let mut ankles: Vec<usize> = soles.iter().map(|sole| sole.joint).collect();
    ankles.sort_unstable();
    ankles.dedup();
    let mut feet_below = vec![0; skeleton.joints.len()];
    let above = ankles.iter().flat_map(|&ankle| skeleton.joints.ancestors(ankle));
    above.for_each(|joint| feet_below[joint] += 1);
    feet_below
}

/// The first joint below an ankle that is not a tip.
fn ball(skeleton: &Skeleton, ankle: usize) -> Option<usize> {
    skeleton.joints.iter().position(|joint| joint.parent == Some(ankle) && !joint.is_tip)
}

impl GroundSupport {
    fn new(
        skeleton: &Skeleton,
        joints: &[Vec3],
        feet_below: &[usize],
        joint: usize,
        ground: &Vec3,
    ) -> GroundSupport {
        let mut segments = vec![LegSegment::Other; joints.len()];
        for above in skeleton.joints.ancestors(joint).filter(|&above| feet_below[above] == 1) {
            segments[above] = LegSegment::Leg;
        }
        for below in skeleton.joints.subtree(joint) {
            segments[below] = LegSegment::Foot;
        }
        let bone = Bone { owner: joint, from: joints[joint], to: (joints[joint] + ground) / 2.0 };
        GroundSupport { ground: ground.y, height: joints[joint].y - ground.y, segments, bone }
    }

    /// Moves the weight of the leg to the foot where the surface stands on the ground.
    pub fn apply(&self, weights: &mut HeatWeights, positions: &[Vec3]) {
        for (vertex, position) in positions.iter().enumerate() {
            let height = position.y - self.ground;
            if height >= self.height {
                continue;
            }
            let foot = self.weight_of(LegSegment::Foot, weights, vertex);
            let leg = self.weight_of(LegSegment::Leg, weights, vertex);
            let support = smoothstep((foot - MIN_FOOT_WEIGHT) / (FULL_FOOT_WEIGHT - MIN_FOOT_WEIGHT));
            if support > 0.0 {
                let kept = 1.0 - support * (1.0 - smoothstep(height / self.height));
                weights.scale(vertex, |joint| match self.segments[joint] {
                    LegSegment::Foot => 1.0 + (1.0 - kept) * leg / foot,
                    LegSegment::Leg => kept,
                    LegSegment::Other => 1.0,
                });
            }
        }
    }

    fn weight_of(&self, segment: LegSegment, weights: &HeatWeights, vertex: usize) -> f64 {
        weights.share(vertex, |joint| self.segments[joint] == segment)
    }
}

/// From 0 to 1 without a kink, and no farther.
fn smoothstep(t: f64) -> f64 {
    let t = t.clamp(0.0, 1.0);
    t * t * (3.0 - 2.0 * t)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::io::skeleton_file;
    use crate::skeleton::built_in;

    /// A person on two flat soles.
    fn person() -> (Skeleton, Vec<GroundSupport>) {
        let human = skeleton_file::read(built_in()[0].text).unwrap();
        let joints: Vec<Vec3> = human.joints.iter().map(|joint| joint.position).collect();
        let mut surface = vec![Vec3::y()];
        for side in [-0.055, 0.055] {
            surface.extend((-5..=13).map(|step| Vec3::new(side, 0.0, 0.01 * f64::from(step))));
        }
        let supports = ground_supports(&human, &joints, &surface);
        (human, supports)
    }

    /// What becomes of the weights of a vertex at a height, in ankle heights.
    fn standing<const N: usize>(height: f64, weights: [(&str, f64); N]) -> [f64; N] {
        let (human, supports) = person();
        let joint = |name: &str| human.find(name).unwrap();
        let ankle = human.joints[joint("LeftFoot")].position.y;
        let (joints, columns): (Vec<u16>, Vec<f64>) =
            weights.iter().map(|&(name, weight)| (joint(name) as u16, weight)).unzip();
        let mut weights = HeatWeights::of_columns(&joints, &columns, 1);
        for support in &supports {
            support.apply(&mut weights, &[Vec3::new(0.055, height * ankle, -0.03)]);
        }
        std::array::from_fn(|index| weights.share(0, |joint| joint == usize::from(joints[index])))
    }

    #[test]
    fn ankles_and_balls_reach_for_the_ground_below_them() {
        let (human, supports) = person();
        let names: Vec<&str> =
            supports.iter().map(|support| human.joints[support.bone.owner].name.as_str()).collect();
        assert_eq!(names, ["LeftFoot", "LeftToes", "RightFoot", "RightToes"]);
        let heel = supports[0].bone.to;
        assert!((heel - Vec3::new(0.055, 0.039 / 2.0, -0.025)).norm() < 1e-9, "{heel:?}");
        let ball = supports[1].bone.to;
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
