//! What a human does on the spot: idle, wave, sit, jump, turn, dance.

use puppetry::math::Vec3;

use super::curves::{Curve, bump, ease, quintic, sway, wave};
use super::footsteps::{FootPose, Footsteps, Plant, Step, Stride, yaw};
use super::pose::{Arm, FPS, Frame, Posture, human, turn};
use super::skeleton::Human;

/// Ball of the left foot of somebody who stands at ease at the origin; the right one is its mirror image.
const STAND: Plant = Plant { x: 0.115, z: 0.12, yaw: 8.0 };

fn right(plant: Plant) -> Plant {
    Plant { x: -plant.x, yaw: -plant.yaw, ..plant }
}

/// Somebody who stands at ease, knees not locked.
fn at_ease(body: &Human) -> Posture {
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

fn place(body: &Human, feet: &[Footsteps; 2], t: f64) -> [FootPose; 2] {
    [0, 1].map(|i| feet[i].at(&body.body, &body.body.legs[i], t))
}

/// Puts the weight `left` (0 to 1) of the way from the right foot to the left.
fn balance(feet: &[FootPose; 2], left: f64) -> Vec3 {
    let middle = |foot: &FootPose| foot.ankle + yaw(foot.yaw) * Vec3::new(0.0, 0.0, 0.03);
    let spot = middle(&feet[1]).lerp(&middle(&feet[0]), left);
    Vec3::new(spot.x, 0.0, spot.z)
}

fn frames(body: &Human, count: usize, posture: impl Fn(f64) -> Posture) -> Vec<Frame> {
    (0..count).map(|frame| human(body, &posture(frame as f64 / FPS))).collect()
}

/// Breathing at about 15 a minute, a whole number of times in a period: 1 at the end of a breath in.
fn breath(t: f64, period: f64) -> f64 {
    let breaths = (period / 4.0).round();
    Curve::cycle(1.0, &[(0.0, -1.0), (0.42, 1.0), (0.5, 1.0), (0.9, -1.0)]).at(t / period * breaths)
}

/// A body that stands is never still: breath, and sway of a few millimetres.
fn alive(mut posture: Posture, t: f64, period: f64) -> Posture {
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
fn shift_weight(posture: &mut Posture, left: f64) {
    posture.pelvis += Vec3::new(0.042 * left, -0.006 * left * left, 0.0);
    posture.pelvis_turn *= turn(-2.5 * left, 0.0, 3.8 * left);
    posture.chest *= turn(-left, 0.0, -2.2 * left);
    posture.head *= turn(0.0, 0.0, 1.2 * left);
}

/// Frames of `idle`.
pub const IDLE: usize = 480;

/// Stands, shifts the weight from one leg to the other, looks around, breathes.
pub fn idle(body: &Human) -> Vec<Frame> {
    let weight = Curve::cycle(8.0, &[(0.0, -0.75), (1.2, -0.75), (2.6, 0.85), (5.0, 0.85), (6.8, -0.75)]);
    let look = Curve::cycle(
        8.0,
        &[(0.5, 0.0), (2.1, 0.0), (2.9, 17.0), (4.1, 17.0), (5.0, -9.0), (6.4, -9.0), (7.3, 0.0)],
    );
    let nod = Curve::cycle(8.0, &[(1.0, 0.0), (2.5, -2.0), (4.6, 4.0), (6.0, 3.0)]);
    frames(body, IDLE, |t| {
        let mut posture = at_ease(body);
        shift_weight(&mut posture, weight.at(t));
        // The eyes go first, the trunk follows late and little.
        posture.head = turn(look.at(t), nod.at(t), 0.0) * posture.head;
        posture.chest = turn(0.22 * look.at(t - 0.15), 0.0, 0.0) * posture.chest;
        alive(posture, t, 8.0)
    })
}

/// Frames of `wave`.
pub const WAVE: usize = 270;

/// Raises the right arm, waves four times, lowers it; weight on the left leg, head tilted.
pub fn greet(body: &Human) -> Vec<Frame> {
    let period = WAVE as f64 / FPS;
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
    frames(body, WAVE, |t| {
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

/// Frames of `sit`.
pub const SIT: usize = 420;

/// Sits down on a seat 0.45 m high, waits, stands up; the feet do not move. Phases and trunk lean after Schenkman et al.
/// 1990: the trunk leans first, the hips leave the seat near the largest lean, then everything extends.
pub fn sit(body: &Human) -> Vec<Frame> {
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
    frames(body, SIT, |t| {
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
            arm.external += 6.0 * rest;
            arm.elbow += 46.0 * rest + 10.0 * out;
            arm.pronation += 45.0 * rest;
            arm.wrist += 8.0 * rest;
        }
        alive(posture, t, SIT as f64 / FPS)
    })
}

/// Frames of `jump`.
pub const JUMP: usize = 210;

/// Crouches, jumps up, lands, settles. The body flies freely: 2.5 m/s at take-off lift it by 0.32 m.
pub fn jump(body: &Human) -> Vec<Frame> {
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
    frames(body, JUMP, |t| {
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
        alive(posture, t, JUMP as f64 / FPS)
    })
}

/// A short, flat step on the spot.
const SHUFFLE: Stride = Stride {
    peel: 0.14,
    tip: 0.04,
    push: 34.0,
    fold: 0.2,
    land: 9.0,
    settle: 0.10,
    height: 0.06,
    carry: (0.5, 0.5),
    reach: (0.0, 1.0),
    ramps: (0.34, 0.25),
};

/// Frames of `turn`.
pub const TURN: usize = 204;

/// Turns left by 180° in four steps; the head leads, chest and hips follow.
pub fn turn_around(body: &Human) -> Vec<Frame> {
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
    let knees = Curve::path(&[(0.3, 0.0), (0.7, 0.03), (2.3, 0.03), (2.9, 0.0)]);
    frames(body, TURN, |t| {
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
        alive(posture, t, TURN as f64 / FPS)
    })
}

/// Frames of one beat, 112.5 a minute, and of `dance`: two bars of four.
pub const BEAT: usize = 32;
/// Frames of `dance`.
pub const DANCE: usize = 8 * BEAT;

/// A bar of step-touch to the right and to the left, then a V-step, with hips, shoulders and arms on the beat.
pub fn dance(body: &Human) -> Vec<Frame> {
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
    frames(body, DANCE, |t| {
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
