//! The jump: anticipation, flight, absorption, settling.

use super::curves::{Curve, ease, quintic};
use super::footsteps::Footsteps;
use super::pose::{FPS, Frame, turn};
use super::skeleton::Human;
use super::standing::{STAND, alive, at_ease, frames, right};

/// Crouches, jumps up, lands, settles. The body flies freely: 2.5 m/s at take-off lift it by 0.32 m.
pub fn jump(body: &Human) -> Vec<Frame> {
    const FRAMES: usize = 210;
    const G: f64 = 9.81;
    const SPEED: f64 = 2.5;
    let standing = body.body.mid_hip().y - 0.007;
    // Hip height at take-off: legs nearly straight, on tiptoe. The landing is met a little lower.
    let (crouch, take_off, landing, absorbed) =
        (standing - 0.33, standing + 0.035, standing + 0.025, standing - 0.30);
    let (bottom, off) = (0.98, 1.24);
    let flight = (SPEED + (SPEED * SPEED + 2.0 * G * (take_off - landing)).sqrt()) / G;
    let (land, deepest) = (off + flight, off + flight + 0.24);
    let flying = |t: f64| SPEED * (t - off) - 0.5 * G * (t - off).powi(2);
    // The feet leave the floor and meet it again within a tenth of a second; between they fly with the body, closer to
    // it by what the legs still stretch after take-off and are drawn up before landing.
    let (leave, left, meet, met) = (off - 0.03, off + 0.085, land - 0.09, land + 0.025);
    let speed = |t: f64| SPEED - G * (t - off);
    let (stretch, tuck) = (0.085, 0.03);
    let lift = |t: f64| match t {
        t if t < leave || t > met => 0.0,
        t if t < left => {
            quintic((0.0, 0.0, 0.0), (flying(left) - stretch, speed(left), -G), left - leave, t - leave)
        }
        t if t < meet => flying(t) - stretch + tuck * ease(t, left, meet),
        t => quintic((flying(meet) - stretch + tuck, speed(meet), -G), (0.0, 0.0, 0.0), met - meet, t - meet),
    };
    let height = |t: f64| match t {
        t if t < 0.30 => standing,
        t if t < bottom => quintic((standing, 0.0, 0.0), (crouch, 0.0, 9.0), bottom - 0.30, t - 0.30),
        t if t < off => quintic((crouch, 0.0, 9.0), (take_off, SPEED, -G), off - bottom, t - bottom),
        t if t < land => take_off + flying(t),
        t if t < deepest => {
            quintic((landing, SPEED - G * flight, -G), (absorbed, 0.0, 6.0), deepest - land, t - land)
        }
        t if t < deepest + 0.75 => {
            quintic((absorbed, 0.0, 6.0), (standing + 0.004, 0.0, 0.0), 0.75, t - deepest)
        }
        t => standing + 0.004 * (1.0 - ease(t, deepest + 0.75, deepest + 1.1)),
    };
    let curve = |keys: &[(f64, f64)]| Curve::path(keys);
    let lean = curve(&[
        (0.25, 0.0),
        (0.92, 42.0),
        (off + 0.04, -3.0),
        (off + 0.25, 2.0),
        (land, 8.0),
        (deepest, 36.0),
        (deepest + 0.75, -2.0),
        (deepest + 1.1, 0.0),
    ]);
    let gaze = curve(&[
        (0.3, 0.0),
        (0.9, -4.0),
        (off, -16.0),
        (off + 0.3, 6.0),
        (land, 18.0),
        (deepest, 12.0),
        (deepest + 0.8, 0.0),
    ]);
    let flexion = curve(&[
        (0.2, 0.0),
        (0.45, 10.0),
        (0.92, -44.0),
        (0.97, -43.0),
        (off + 0.09, 140.0),
        (off + 0.22, 142.0),
        (land, 78.0),
        (deepest, 22.0),
        (deepest + 0.2, -12.0),
        (deepest + 0.7, 3.0),
        (deepest + 1.0, 0.0),
    ]);
    let elbow = curve(&[
        (0.2, 14.0),
        (0.9, 24.0),
        (1.08, 52.0),
        (off + 0.1, 22.0),
        (land, 38.0),
        (deepest + 0.1, 48.0),
        (deepest + 0.8, 14.0),
    ]);
    // Heels: flat in the crouch, up in the last part of the push, toes down in the air, then ball and heel land.
    let heels = curve(&[
        (off - 0.17, 0.0),
        (off + 0.04, 52.0),
        (off + 0.24, 34.0),
        (land - 0.03, 28.0),
        (land + 0.13, 0.0),
    ]);
    let feet = [Footsteps::standing(STAND), Footsteps::standing(right(STAND))];
    frames(body, FRAMES, |t| {
        let mut posture = at_ease(body);
        // The hips go back as they go down.
        let depth = (standing - height(t)).max(0.0);
        posture.pelvis.y = height(t);
        posture.pelvis.z += -0.5 * depth * depth / (depth + 0.08);
        posture.pelvis_turn = turn(0.0, 3.0 + 0.7 * lean.at(t), 0.0);
        posture.chest = turn(0.0, 1.0 + lean.at(t), 0.0);
        posture.head = turn(0.0, 2.0 + gaze.at(t), 0.0);
        for arm in &mut posture.arms {
            arm.flexion += flexion.at(t);
            arm.elbow += elbow.at(t) - 14.0;
            arm.abduction += 8.0 * ease(t, off - 0.1, off + 0.1) * (1.0 - ease(t, deepest, deepest + 0.6));
        }
        let toes_free = ease(t, leave, left) * (1.0 - ease(t, meet, met));
        posture.feet = [0, 1]
            .map(|i| feet[i].rolled(&body.body, &body.body.legs[i], heels.at(t), toes_free).raised(lift(t)));
        alive(posture, t, FRAMES as f64 / FPS)
    })
}
