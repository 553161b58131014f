//! Inverse kinematics of a limb of two bones: the closed form.
//!
//! It is the limit of [`super::ik_dls`] with full closed-loop correction: the knee opens or closes about its hinge until
//! the distance is right, then the whole leg swings by the least rotation. Twist and the side to which the knee points are
//! those of the pose that it starts from.

use crate::math::{Quat, Vec3, acos, atan2, hypot};

/// Sine of an angle below which two directions are parallel.
const PARALLEL: f64 = 1e-12;

/// How the two bones rotate, in the axes of the points.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TwoBoneRotations {
    /// Rotation of the upper bone.
    pub upper: Quat,
    /// Rotation of the lower bone.
    pub lower: Quat,
}

/// Rotations of the bones `hip`-`knee` and `knee`-`ankle` that bring the ankle to `goal`, or as near as they reach.
///
/// `hinge` is a unit axis; a rotation of the lower bone about it by a positive angle bends the knee.
pub fn solve(hip: &Vec3, knee: &Vec3, ankle: &Vec3, goal: &Vec3, hinge: &Vec3) -> TwoBoneRotations {
    let (upper, lower) = (knee - hip, ankle - knee);
    let distance = (goal - hip).norm();
    // |upper + lower turned by θ|² = distance², with the part of the lower bone across the hinge turning.
    let along = hinge * hinge.dot(&lower);
    let across = lower - along;
    let (a, b) = (upper.dot(&across), upper.dot(&hinge.cross(&across)));
    let c = 0.5 * (distance * distance - upper.norm_squared() - lower.norm_squared()) - upper.dot(&along);
    let radius = hypot(a, b);
    // The straightest leg is at the angle of (a, b); a knee bends to one side of it only.
    let angle = if radius > 0.0 { atan2(b, a) + acos((c / radius).clamp(-1.0, 1.0)) } else { 0.0 };
    let bend = Quat::from_axis_angle(&nalgebra::Unit::new_unchecked(*hinge), angle);
    let reached = upper + bend * lower;
    let swing = least_rotation(&reached, &(goal - hip), hinge);
    TwoBoneRotations { upper: swing, lower: swing * bend }
}

/// The least rotation from one direction to another; half turns go about `axis`.
fn least_rotation(from: &Vec3, to: &Vec3, axis: &Vec3) -> Quat {
    let cross = from.cross(to);
    let (sin, cos) = (cross.norm(), from.dot(to));
    let size = from.norm() * to.norm();
    if sin <= PARALLEL * size || size == 0.0 {
        return match cos < 0.0 {
            true => Quat::from_axis_angle(&nalgebra::Unit::new_normalize(*axis), std::f64::consts::PI),
            false => Quat::identity(),
        };
    }
    Quat::from_axis_angle(&nalgebra::Unit::new_unchecked(cross / sin), atan2(sin, cos))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ankle_after(hip: &Vec3, knee: &Vec3, ankle: &Vec3, turns: &TwoBoneRotations) -> (Vec3, Vec3) {
        let knee_after = hip + turns.upper * (knee - hip);
        (knee_after, knee_after + turns.lower * (ankle - knee))
    }

    #[test]
    fn the_ankle_is_at_the_goal_and_the_knee_in_front() {
        let (hip, knee, ankle) =
            (Vec3::new(0.1, 0.9, 0.0), Vec3::new(0.1, 0.5, 0.02), Vec3::new(0.1, 0.1, 0.0));
        for goal in [Vec3::new(0.1, 0.3, 0.3), Vec3::new(0.3, 0.2, -0.2), Vec3::new(0.0, 0.15, 0.1)] {
            let turns = solve(&hip, &knee, &ankle, &goal, &Vec3::x());
            let (knee_after, ankle_after) = ankle_after(&hip, &knee, &ankle, &turns);
            assert!((ankle_after - goal).norm() < 1e-12);
            let (thigh, shank) = (knee_after - hip, ankle_after - knee_after);
            assert!((turns.upper * Vec3::x()).dot(&thigh.cross(&shank)) > 0.0, "the knee bends forwards");
        }
    }

    #[test]
    fn out_of_reach_the_leg_points_to_the_goal() {
        let (hip, knee, ankle) = (Vec3::zeros(), Vec3::new(0.0, -0.4, 0.1), Vec3::new(0.0, -0.8, 0.0));
        let goal = Vec3::new(0.0, -3.0, 1.0);
        let turns = solve(&hip, &knee, &ankle, &goal, &Vec3::x());
        let (_, end) = ankle_after(&hip, &knee, &ankle, &turns);
        assert!(end.normalize().dot(&goal.normalize()) > 1.0 - 1e-12);
        assert!((end.norm() - 2.0 * 0.17f64.sqrt()).abs() < 1e-9, "straight");
    }
}
