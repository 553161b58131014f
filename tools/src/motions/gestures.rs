//! What a human does with both feet on the floor: idle, wave, sit.

use super::curves::{Curve, bump, ease, wave};
use super::pose::{Arm, FPS, Frame, turn};
use super::skeleton::Human;
use super::standing::{alive, at_ease, frames, shift_weight};

/// Stands, shifts the weight from one leg to the other, looks around, breathes.
pub fn idle(body: &Human) -> Vec<Frame> {
    const FRAMES: usize = 480;
    let period = FRAMES as f64 / FPS;
    let curve = |keys: &[(f64, f64)]| Curve::cycle(period, keys);
    let weight = curve(&[(0.0, -0.75), (1.2, -0.75), (2.6, 0.85), (5.0, 0.85), (6.8, -0.75)]);
    let look =
        curve(&[(0.5, 0.0), (2.1, 0.0), (2.9, 17.0), (4.1, 17.0), (5.0, -9.0), (6.4, -9.0), (7.3, 0.0)]);
    let nod = curve(&[(1.0, 0.0), (2.5, -2.0), (4.6, 4.0), (6.0, 3.0)]);
    frames(body, FRAMES, |t| {
        let mut posture = at_ease(body);
        shift_weight(&mut posture, weight.at(t));
        // The eyes go first, the trunk follows late and little.
        posture.head = turn(look.at(t), nod.at(t), 0.0) * posture.head;
        posture.chest = turn(0.22 * look.at(t - 0.15), 0.0, 0.0) * posture.chest;
        alive(posture, t, period)
    })
}

/// Raises the right arm, waves four times, lowers it; weight on the left leg, head tilted.
pub fn greet(body: &Human) -> Vec<Frame> {
    const FRAMES: usize = 270;
    let period = FRAMES as f64 / FPS;
    let curve = |keys: &[(f64, f64)]| Curve::cycle(period, keys);
    let (abduction, flexion) = (
        curve(&[(0.25, 7.0), (0.95, 72.0), (1.25, 68.0), (2.9, 70.0), (3.75, 6.0), (4.0, 7.0)]),
        curve(&[(0.15, 0.0), (0.55, 22.0), (1.1, 16.0), (2.9, 16.0), (3.4, 22.0), (3.95, 0.0)]),
    );
    let elbow = curve(&[(0.2, 14.0), (0.85, 118.0), (1.2, 98.0), (2.8, 100.0), (3.2, 104.0), (3.95, 14.0)]);
    let external = curve(&[(0.2, -10.0), (1.1, 74.0), (2.9, 74.0), (3.6, -10.0)]);
    let weight = curve(&[(0.0, 0.1), (0.9, 0.9), (3.1, 0.9), (4.1, 0.1)]);
    let smile = curve(&[(0.3, 0.0), (1.0, 1.0), (3.0, 1.0), (3.8, 0.0)]);
    let swing = |t: f64| (ease(t, 0.95, 1.35) - ease(t, 2.85, 3.2)) * wave(2.1 * t, 2.1 * 1.15);
    frames(body, FRAMES, |t| {
        let mut posture = at_ease(body);
        shift_weight(&mut posture, weight.at(t));
        let smile = smile.at(t);
        posture.chest = turn(3.0 * smile, -2.0 * smile, 4.0 * smile - 1.2 * swing(t - 0.04)) * posture.chest;
        posture.head = turn(-4.0 * smile, -3.0 * smile, -7.0 * smile + 1.0 * swing(t - 0.15)) * posture.head;
        posture.arms[1] = Arm {
            flexion: flexion.at(t),
            abduction: abduction.at(t) + 4.0 * swing(t),
            external: external.at(t),
            elbow: elbow.at(t) - 24.0 * swing(t - 0.03),
            pronation: 15.0 * (1.0 - smile),
            // The hand drags behind the forearm.
            deviation: 16.0 * swing(t - 0.11),
            wrist: 4.0 - 10.0 * smile,
            shrug: 3.0 * smile,
        };
        posture.arms[0].abduction += 4.0 * smile;
        posture.arms[0].elbow += 8.0 * smile;
        alive(posture, t, period)
    })
}

/// Sits down on a seat 0.45 m high, waits, stands up; the feet do not move. Phases and trunk lean after Schenkman et al.
/// 1990: the trunk leans first, the hips leave the seat near the largest lean, then everything extends.
pub fn sit(body: &Human) -> Vec<Frame> {
    const FRAMES: usize = 420;
    // The hip joints of somebody who sits are 9 cm above the seat.
    let seated = 0.45 + 0.09;
    let standing = body.body.mid_hip().y - 0.007;
    let down = Curve::path(&[
        (0.55, 0.0),
        (1.0, 0.12),
        (1.9, 0.97),
        (2.25, 1.0),
        (4.25, 1.0),
        (4.65, 0.95),
        (5.5, 0.06),
        (5.95, 0.0),
    ]);
    let back = Curve::path(&[
        (0.40, 0.0),
        (0.95, 0.35),
        (1.75, 1.0),
        (2.3, 0.97),
        (4.2, 0.97),
        (4.7, 0.86),
        (5.4, 0.10),
        (5.95, 0.0),
    ]);
    let lean = Curve::path(&[
        (0.35, 0.0),
        (1.55, 40.0),
        (2.5, -3.0),
        (3.0, 0.0),
        (3.9, 0.0),
        (4.62, 43.0),
        (5.6, 4.0),
        (6.0, -1.5),
        (6.6, 0.0),
    ]);
    let tilt = Curve::path(&[(0.40, 0.0), (1.5, 26.0), (2.5, -14.0), (3.9, -14.0), (4.62, 24.0), (5.7, 0.0)]);
    let look = Curve::path(&[(2.5, 0.0), (2.95, -22.0), (3.4, -22.0), (3.85, 0.0)]);
    let on_thighs = Curve::path(&[(0.7, 0.0), (2.2, 1.0), (4.25, 1.0), (5.3, 0.0)]);
    let reach_out = |t: f64| bump((t - 0.5) / 1.8, 0.55) + 0.8 * bump((t - 4.1) / 1.4, 0.4);
    frames(body, FRAMES, |t| {
        let mut posture = at_ease(body);
        posture.pelvis.y = standing + (seated - standing) * down.at(t);
        posture.pelvis.z += -0.43 * back.at(t);
        posture.pelvis_turn = turn(0.0, 3.0 + tilt.at(t), 0.0);
        posture.chest = turn(0.15 * look.at(t - 0.1), 1.0 + lean.at(t), 0.0);
        posture.head = turn(look.at(t), 3.0 + 0.35 * lean.at(t - 0.05), 0.0);
        for arm in &mut posture.arms {
            let (rest, out) = (on_thighs.at(t), reach_out(t));
            arm.flexion += 20.0 * rest + 30.0 * out;
            arm.abduction += 6.0 * rest;
            arm.external += -5.0 * rest;
            arm.elbow += 46.0 * rest + 10.0 * out;
            arm.pronation += 45.0 * rest;
            arm.wrist += 8.0 * rest;
        }
        alive(posture, t, FRAMES as f64 / FPS)
    })
}
