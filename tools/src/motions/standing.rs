//! Somebody who stands: where the feet are, how the weight is shifted, and the breath and sway of a living body.

use puppetry::stages::math::Vec3;

use super::curves::{Curve, sway};
use super::footsteps::{FootPose, Footsteps, Plant, yaw};
use super::pose::{Arm, FPS, Frame, Posture, human, turn};
use super::skeleton::Human;

/// Ball of the left foot of somebody who stands at ease at the origin; the right one is its mirror image.
pub const STAND: Plant = Plant { x: 0.115, z: 0.12, yaw: 8.0 };

/// The same place on the other side.
pub fn right(plant: Plant) -> Plant {
    Plant { x: -plant.x, yaw: -plant.yaw, ..plant }
}

/// Somebody who stands at ease, knees not locked.
pub fn at_ease(body: &Human) -> Posture {
    let feet = [Footsteps::standing(STAND), Footsteps::standing(right(STAND))];
    let arm =
        Arm { abduction: 7.0, external: -10.0, elbow: 14.0, pronation: 15.0, wrist: 4.0, ..Arm::default() };
    let feet = place(body, &feet, 0.0);
    Posture {
        pelvis: balance(&feet, 0.5) + Vec3::new(0.0, body.body.mid_hip().y - 0.007, 0.0),
        pelvis_turn: turn(0.0, 3.0, 0.0),
        chest: turn(0.0, 1.0, 0.0),
        head: turn(0.0, 2.0, 0.0),
        arms: [arm; 2],
        feet,
    }
}

/// Both feet at time `t`.
pub fn place(body: &Human, feet: &[Footsteps; 2], t: f64) -> [FootPose; 2] {
    [0, 1].map(|i| feet[i].at(&body.body, &body.body.legs[i], t))
}

/// Puts the weight `left` (0 to 1) of the way from the right foot to the left.
pub fn balance(feet: &[FootPose; 2], left: f64) -> Vec3 {
    let middle = |foot: &FootPose| foot.ankle + yaw(foot.yaw) * Vec3::new(0.0, 0.0, 0.03);
    let spot = middle(&feet[1]).lerp(&middle(&feet[0]), left);
    Vec3::new(spot.x, 0.0, spot.z)
}

/// The first `count` frames of a posture that depends on time.
pub fn frames(body: &Human, count: usize, posture: impl Fn(f64) -> Posture) -> Vec<Frame> {
    (0..count).map(|frame| human(body, &posture(frame as f64 / FPS))).collect()
}

/// Breathing at about 15 a minute, a whole number of times in a period: 1 at the end of a breath in.
fn breath(t: f64, period: f64) -> f64 {
    let breaths = (period / 4.0).round();
    Curve::cycle(1.0, &[(0.0, -1.0), (0.42, 1.0), (0.5, 1.0), (0.9, -1.0)]).at(t / period * breaths)
}

/// A body that stands is never still: breath, and sway of a few millimetres.
pub fn alive(mut posture: Posture, t: f64, period: f64) -> Posture {
    let (breath, cycles) = (breath(t, period), t / period);
    posture.pelvis += Vec3::new(0.005 * sway(cycles, 0.1), 0.0, 0.007 * sway(cycles, 0.6));
    posture.chest *= turn(1.0 * sway(cycles, 1.7), -0.9 * breath, 0.5 * sway(cycles, 2.3));
    posture.head *=
        turn(1.5 * sway(cycles, 3.1), 0.5 * breath + 0.8 * sway(cycles, 4.2), 0.8 * sway(cycles, 5.0));
    for (side, arm) in posture.arms.iter_mut().enumerate() {
        arm.shrug += 1.3 * breath;
        arm.abduction += 0.6 * breath;
        arm.flexion += 1.2 * sway(cycles, 6.0 + side as f64);
        arm.elbow += 1.5 * sway(cycles, 8.0 + side as f64);
    }
    posture
}

/// Moves the weight sideways, -1 to the right and +1 to the left: the loaded hip rises, the other knee gives, the chest
/// leans back over the standing leg.
pub fn shift_weight(posture: &mut Posture, left: f64) {
    posture.pelvis += Vec3::new(0.042 * left, -0.006 * left * left, 0.0);
    posture.pelvis_turn *= turn(-2.5 * left, 0.0, 3.8 * left);
    posture.chest *= turn(-left, 0.0, -2.2 * left);
    posture.head *= turn(0.0, 0.0, 1.2 * left);
}
