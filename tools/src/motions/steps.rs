//! Steps that lead nowhere: turning around and dancing.

use puppetry::stages::math::Vec3;

use super::curves::{Curve, bump, wave};
use super::footsteps::{Footsteps, Plant, Step, Stride, yaw};
use super::pose::{Arm, FPS, Frame, turn};
use super::skeleton::Human;
use super::standing::{STAND, alive, at_ease, balance, frames, place, right};

/// A short, flat step on the spot.
const SHUFFLE: Stride = Stride {
    peel: 0.14,
    tip: 0.04,
    push: 30.0,
    fold: 0.2,
    land: 9.0,
    settle: 0.10,
    height: 0.05,
    carry: (0.5, 0.5),
    reach: (0.0, 1.0),
    ramps: (0.34, 0.25),
};

/// Turns left by 180° in four steps; the head leads, chest and hips follow.
pub fn turn_around(body: &Human) -> Vec<Frame> {
    const FRAMES: usize = 204;
    let around = |side: Plant, degrees: f64| {
        let spot = yaw(degrees) * Vec3::new(side.x, 0.0, side.z);
        Plant { x: spot.x, z: spot.z, yaw: side.yaw + degrees }
    };
    let step = |lift: f64, side: Plant, degrees: f64| Step {
        lift,
        land: lift + 0.4,
        to: around(side, degrees),
        stride: SHUFFLE,
    };
    let feet = [
        Footsteps { start: STAND, steps: vec![step(0.60, STAND, 72.0), step(1.60, STAND, 180.0)] },
        Footsteps {
            start: right(STAND),
            steps: vec![step(1.10, right(STAND), 116.0), step(2.10, right(STAND), 180.0)],
        },
    ];
    let hips = Curve::path(&[(0.45, 0.0), (0.85, 34.0), (1.33, 82.0), (1.85, 138.0), (2.45, 180.0)]);
    let look = Curve::path(&[(0.20, 0.0), (0.70, 62.0), (1.20, 122.0), (1.75, 180.0)]);
    let weight = Curve::path(&[
        (0.20, 0.5),
        (0.60, 0.25),
        (0.78, 0.25),
        (1.15, 0.68),
        (1.32, 0.70),
        (1.65, 0.30),
        (1.82, 0.30),
        (2.15, 0.68),
        (2.35, 0.68),
        (2.95, 0.5),
    ]);
    let knees = Curve::path(&[(0.3, 0.0), (0.7, 0.02), (2.3, 0.02), (2.9, 0.0)]);
    frames(body, FRAMES, |t| {
        let mut posture = at_ease(body);
        let at = place(body, &feet, t);
        let (facing, weight) = (hips.at(t), weight.at(t));
        posture.pelvis = balance(&at, weight) + Vec3::new(0.0, posture.pelvis.y - knees.at(t), 0.0);
        posture.pelvis_turn = turn(facing, 4.0, 5.0 * (weight - 0.5));
        posture.chest = turn(0.6 * hips.at(t + 0.10) + 0.4 * look.at(t), 3.0, -3.0 * (weight - 0.5));
        posture.head = turn(look.at(t), 4.0 * bump((t - 0.2) / 1.6, 0.5), 0.0);
        for (arm, out) in posture.arms.iter_mut().zip([1.0, -1.0]) {
            // Arms are thrown out a little and arrive late.
            let lag = hips.at(t + 0.1) - hips.at(t - 0.1);
            arm.flexion += out * 0.45 * lag;
            arm.abduction += 0.22 * lag;
            arm.elbow += 0.35 * lag;
        }
        posture.feet = at;
        alive(posture, t, FRAMES as f64 / FPS)
    })
}

/// A bar of step-touch to the right and to the left, then a V-step, with hips, shoulders and arms on the beat.
pub fn dance(body: &Human) -> Vec<Frame> {
    // 112.5 beats a minute, two bars of four.
    const BEAT: usize = 32;
    let second = BEAT as f64 / FPS;
    // Feet land on the beat: (beat, x, z, pitch at landing).
    let left = [
        (2.0, -0.13, 0.10, 24.0),
        (3.0, 0.30, 0.12, 12.0),
        (6.0, 0.25, 0.36, -10.0),
        (8.0, 0.115, 0.12, 14.0),
    ];
    let right = [
        (1.0, -0.30, 0.12, 12.0),
        (4.0, 0.13, 0.10, 24.0),
        (5.0, -0.25, 0.36, -10.0),
        (7.0, -0.115, 0.12, 14.0),
    ];
    let footsteps = |steps: [(f64, f64, f64, f64); 4], yaw: f64| {
        let step = |bars: f64, (beat, x, z, land): (f64, f64, f64, f64)| Step {
            lift: (bars + beat - 0.5625) * second,
            land: (bars + beat) * second,
            to: Plant { x, z, yaw },
            stride: Stride { land, height: 0.085, push: 40.0, settle: 0.09, peel: 0.12, ..SHUFFLE },
        };
        let (_, x, z, _) = steps[3];
        let steps = [-8.0, 0.0, 8.0].into_iter().flat_map(|bars| steps.map(|s| step(bars, s))).collect();
        Footsteps { start: Plant { x, z, yaw }, steps }
    };
    let feet = [footsteps(left, 10.0), footsteps(right, -10.0)];
    let curve = |keys: &[(f64, f64)]| Curve::cycle(8.0, keys);
    // The body follows its feet, late and less far.
    let across = curve(&[
        (0.3, 0.04),
        (1.65, -0.21),
        (2.15, -0.21),
        (3.6, 0.21),
        (4.15, 0.21),
        (5.55, -0.05),
        (6.4, 0.06),
        (7.3, -0.03),
    ]);
    let ahead = curve(&[(0.0, 0.015), (4.2, 0.015), (6.1, 0.235), (6.5, 0.235)]);
    let hip = curve(&[
        (0.5, 4.0),
        (1.5, -7.0),
        (2.0, -4.0),
        (2.5, -7.0),
        (3.5, 7.0),
        (4.0, 4.0),
        (4.5, 7.0),
        (5.4, -6.0),
        (6.4, 6.0),
        (7.4, -5.0),
    ]);
    let twist = curve(&[
        (0.5, 0.0),
        (1.5, -14.0),
        (2.2, 10.0),
        (3.5, 14.0),
        (4.2, -10.0),
        (5.1, 12.0),
        (6.1, -12.0),
        (7.0, 0.0),
    ]);
    let up = [
        curve(&[
            (0.0, 18.0),
            (1.0, 50.0),
            (2.0, 22.0),
            (3.0, 10.0),
            (4.0, 30.0),
            (5.2, 20.0),
            (6.05, 138.0),
            (6.6, 128.0),
            (7.3, 40.0),
        ]),
        curve(&[
            (0.0, 18.0),
            (1.0, 10.0),
            (2.0, 30.0),
            (3.0, 50.0),
            (4.0, 22.0),
            (5.05, 138.0),
            (5.6, 128.0),
            (6.4, 60.0),
            (7.3, 40.0),
        ]),
    ];
    let out = [
        curve(&[
            (0.0, 16.0),
            (1.0, 46.0),
            (2.0, 12.0),
            (3.0, 40.0),
            (4.0, 12.0),
            (5.0, 24.0),
            (6.0, 30.0),
            (7.05, 62.0),
            (7.6, 40.0),
        ]),
        curve(&[
            (0.0, 16.0),
            (1.0, 40.0),
            (2.0, 12.0),
            (3.0, 46.0),
            (4.0, 12.0),
            (5.0, 30.0),
            (6.0, 26.0),
            (7.05, 62.0),
            (7.6, 40.0),
        ]),
    ];
    let bend = curve(&[
        (0.0, 78.0),
        (1.0, 62.0),
        (2.0, 104.0),
        (3.0, 62.0),
        (4.0, 104.0),
        (5.0, 44.0),
        (6.0, 44.0),
        (7.05, 40.0),
        (7.6, 76.0),
    ]);
    frames(body, 8 * BEAT, |t| {
        let beat = t / second;
        let mut posture = at_ease(body);
        let at = place(body, &feet, t);
        let bounce = wave(beat, 0.08);
        posture.pelvis = Vec3::new(across.at(beat), posture.pelvis.y - 0.07 - 0.026 * bounce, ahead.at(beat));
        posture.pelvis_turn = turn(-0.6 * twist.at(beat), 7.0 + 3.0 * bounce, hip.at(beat));
        posture.chest = turn(twist.at(beat - 0.08), 6.0 + 3.5 * wave(beat, 0.16), -0.9 * hip.at(beat - 0.06));
        posture.head =
            turn(0.35 * twist.at(beat - 0.2), 3.0 + 5.0 * wave(beat, 0.14), -0.5 * hip.at(beat - 0.15));
        for (side, arm) in posture.arms.iter_mut().enumerate() {
            *arm = Arm {
                flexion: up[side].at(beat),
                abduction: out[side].at(beat),
                external: 8.0,
                elbow: bend.at(beat) + 8.0 * wave(beat, 0.1),
                pronation: 20.0,
                wrist: 8.0 + 10.0 * wave(beat, 0.3),
                shrug: 2.0 + 2.5 * wave(beat, 0.55),
                ..Arm::default()
            };
        }
        posture.feet = at;
        posture
    })
}
