//! Motions that touch the ground with more than feet: a crawl, push-ups, a cartwheel, a roll. They are for tests: planted hands are exactly
//! still, but knees and hips may go into the floor by a finger's breadth, as captured ones do.

use puppetry::stages::math::{Quat, Vec3};

use super::curves::{bump, ease};
use super::footsteps::{FootPose, pitch, yaw};
use super::ik::two_bone_about;
use super::pose::{FPS, Frame, Posture, human, position, turn};
use super::skeleton::Human;
use super::standing::at_ease;

/// Height of the wrist of a hand that lies flat.
const WRIST: f64 = 0.03;
const SIDES: [f64; 2] = [1.0, -1.0];

/// A hand on its way: where the wrist is, and how the hand is turned.
struct HandPose {
    wrist: Vec3,
    turn: Quat,
    /// Where the elbow points.
    elbow: Vec3,
}

/// A posture whose hands are at places in the world.
fn reaching(body: &Human, posture: &Posture, hands: &[HandPose; 2]) -> Frame {
    let mut frame = human(body, posture);
    for ((&[_, upper, lower, hand], goal), side) in body.arms.iter().zip(hands).zip(SIDES) {
        let shoulder = position(&body.body, &frame, upper);
        let rest = [upper, lower, hand].map(|joint| body.body.rest(joint));
        let line = (goal.wrist - shoulder).normalize();
        // Elbows of a T-pose bend about the vertical.
        let bend =
            two_bone_about(-side * Vec3::y(), rest, shoulder, goal.wrist, goal.elbow.cross(&line), 1.0);
        frame.turns[upper] = bend.upper;
        frame.turns[lower] = bend.lower;
        frame.turns[hand] = goal.turn;
    }
    frame
}

/// A hand that lies flat, with the fingers ahead.
fn flat(side: f64) -> Quat {
    yaw(-90.0 * side)
}

/// A foot on its toes, sole to the back: the ball is at `ball`.
fn on_toes(body: &Human, leg: usize, ball: Vec3, pitched: f64) -> FootPose {
    let leg = &body.body.legs[leg];
    let foot = pitch(pitched);
    let ankle = ball + foot * (body.body.rest(leg.foot) - body.body.rest(leg.toes));
    FootPose { ankle, foot, toes: Quat::identity(), yaw: 0.0 }
}

/// Crawls on hands and knees, three cycles: a hand and the other knee together.
pub fn crawl(body: &Human) -> Vec<Frame> {
    const PERIOD: f64 = 1.4;
    const STRIDE: f64 = 0.28;
    const STANCE: f64 = 0.62;
    let frames = (3.0 * PERIOD * FPS) as usize;
    // How far a limb is along its way, and how high it is lifted.
    let along = |t: f64, offset: f64| {
        let cycles = t / PERIOD + offset;
        let swing = ((cycles.fract() - STANCE) / (1.0 - STANCE)).clamp(0.0, 1.0);
        (STRIDE * (cycles.floor() + ease(swing, 0.0, 1.0) - offset + 0.5 * STANCE), bump(swing, 0.5))
    };
    (0..frames)
        .map(|frame| {
            let t = frame as f64 / FPS;
            let z = STRIDE * t / PERIOD;
            let sway = (std::f64::consts::TAU * t / PERIOD).sin();
            let mut posture = at_ease(body);
            posture.pelvis = Vec3::new(0.015 * sway, 0.50, z);
            posture.pelvis_turn = turn(3.0 * sway, 84.0, 2.0 * sway);
            posture.chest = turn(-3.0 * sway, 80.0, 0.0);
            posture.head = turn(0.0, 35.0, 0.0);
            posture.feet = [0, 1].map(|leg| {
                let (ahead, lift) = along(t, 0.5 * leg as f64);
                let ankle = Vec3::new(0.10 * SIDES[leg], 0.07 + 0.04 * lift, ahead - 0.43);
                FootPose { ankle, foot: pitch(100.0), toes: pitch(100.0), yaw: 0.0 }
            });
            let hands = [0, 1].map(|arm| {
                let (ahead, lift) = along(t, 0.5 * (1 - arm) as f64);
                let side = SIDES[arm];
                let wrist = Vec3::new(0.20 * side, WRIST + 0.08 * lift, ahead + 0.52);
                HandPose { wrist, turn: flat(side), elbow: Vec3::new(side, 0.0, -0.6) }
            });
            reaching(body, &posture, &hands)
        })
        .collect()
}

/// Three push-ups.
pub fn push_up(body: &Human) -> Vec<Frame> {
    const PERIOD: f64 = 1.8;
    let frames = (3.0 * PERIOD * FPS) as usize;
    let feet = [0, 1].map(|leg| on_toes(body, leg, Vec3::new(0.10 * SIDES[leg], 0.02, -0.95), 70.0));
    (0..frames)
        .map(|frame| {
            let down = 0.5 - 0.5 * (std::f64::consts::TAU * frame as f64 / FPS / PERIOD).cos();
            // From the ankles to the shoulders the body is a beam.
            let slope = ((0.50 - 0.36 * down) / 1.36_f64).asin();
            let beam = Vec3::new(0.0, slope.sin(), slope.cos());
            let ankles = (feet[0].ankle + feet[1].ankle) * 0.5;
            let mut posture = at_ease(body);
            posture.pelvis = ankles + beam * 0.85;
            posture.pelvis_turn = turn(0.0, 90.0 - slope.to_degrees(), 0.0);
            posture.chest = posture.pelvis_turn;
            posture.head = turn(0.0, 70.0, 0.0);
            posture.feet = feet;
            let hands = [0, 1].map(|arm| HandPose {
                wrist: Vec3::new(0.26 * SIDES[arm], WRIST, 0.42),
                turn: flat(SIDES[arm]),
                elbow: Vec3::new(SIDES[arm], 0.3, -1.0),
            });
            reaching(body, &posture, &hands)
        })
        .collect()
}

/// Sits down on the floor, lies back, waits, and rolls over onto the front.
pub fn lie_down(body: &Human) -> Vec<Frame> {
    const SECONDS: f64 = 7.0;
    const LYING: f64 = 0.12;
    let stands = at_ease(body);
    (0..(SECONDS * FPS) as usize)
        .map(|frame| {
            let t = frame as f64 / FPS;
            let [sits, stretches, lies, rolls] =
                [(0.2, 1.6), (1.4, 2.4), (2.8, 4.0), (4.8, 6.2)].map(|(from, to)| ease(t, from, to));
            let roll = turn(0.0, 0.0, 180.0 * rolls);
            let lean = 180.0 * sits * (1.0 - sits) - 10.0 * sits * (1.0 - lies) - 90.0 * lies;
            let mut posture = at_ease(body);
            posture.pelvis.x = 0.45 * rolls;
            posture.pelvis.y += (LYING - stands.pelvis.y) * sits;
            posture.pelvis.z -= 0.35 * sits;
            posture.pelvis_turn = roll * turn(0.0, lean, 0.0);
            posture.chest = posture.pelvis_turn;
            posture.head = roll * turn(0.0, 0.9 * lean, 0.0);
            let pelvis = posture.pelvis;
            posture.feet = [0, 1].map(|leg| {
                let stretched = pelvis + roll * Vec3::new(0.10 * SIDES[leg], -0.05, 0.82);
                let ankle = stands.feet[leg].ankle.lerp(&stretched, stretches);
                let foot = roll * pitch(-50.0 * stretches);
                FootPose { ankle, foot, toes: foot, yaw: 0.0 }
            });
            let hands = [0, 1].map(|arm| {
                let side = SIDES[arm];
                let rests = pelvis + roll * Vec3::new(0.30 * side, WRIST - LYING, -0.1);
                let wrist = Vec3::new(0.28 * side, 0.80, 0.05).lerp(&rests, sits);
                HandPose { wrist, turn: roll * flat(side), elbow: Vec3::new(side, 0.0, -0.3) }
            });
            reaching(body, &posture, &hands)
        })
        .collect()
}

/// When a hand or a foot of the cartwheel stands, in degrees of the turn.
struct Spoke {
    /// Its place in the axes of the body, from the middle of the hips.
    at: Vec3,
    from: f64,
    to: f64,
    /// Degrees in which it comes and goes.
    blend: f64,
    /// The turn at which it stands as it does in the axes of the body.
    middle: f64,
}

impl Spoke {
    /// Where it is when the body has turned so far: as the body carries it, or on the ground.
    fn place(&self, turned: f64, ground: f64) -> Vec3 {
        let carried = |turned: f64| hips(turned) + turn(0.0, 0.0, -turned) * self.at;
        let stand = carried(self.middle);
        let stand = Vec3::new(stand.x, ground, stand.z);
        let planted = ease(turned, self.from - self.blend, self.from)
            * (1.0 - ease(turned, self.to, self.to + self.blend));
        carried(turned).lerp(&stand, planted)
    }
}

/// The middle of the hips.
fn hips(turned: f64) -> Vec3 {
    let upside_down = 0.5 - 0.5 * turned.to_radians().cos();
    Vec3::new(2.8 * turned / 360.0, 0.80 + 0.18 * upside_down, 0.0)
}

/// A cartwheel to the left.
pub fn cartwheel(body: &Human) -> Vec<Frame> {
    const FRAMES: usize = 170;
    let never = 1e3;
    let hands = [(0.45, 122.0, 190.0, 155.0), (-0.45, 160.0, 232.0, 205.0)]
        .map(|(x, from, to, middle)| Spoke { at: Vec3::new(x, 1.00, 0.0), from, to, blend: 35.0, middle });
    let feet = [
        (0.42, -never, 45.0, 0.0),
        (-0.42, -never, 5.0, 0.0),
        (0.42, 352.0, never, 360.0),
        (-0.42, 300.0, never, 360.0),
    ]
    .map(|(x, from, to, middle)| Spoke { at: Vec3::new(x, -0.74, 0.0), from, to, blend: 40.0, middle });
    let ankle = body.body.rest(body.body.legs[0].foot).y;
    (0..FRAMES)
        .map(|frame| {
            let turned = 360.0 * ease(frame as f64 / FPS, 0.4, 2.4);
            let mut posture = at_ease(body);
            posture.pelvis = hips(turned);
            posture.pelvis_turn = turn(0.0, 0.0, -turned);
            posture.chest = posture.pelvis_turn;
            posture.head = posture.pelvis_turn;
            posture.feet = [0, 1].map(|leg| {
                let spoke = if turned < 180.0 { &feet[leg] } else { &feet[leg + 2] };
                // A foot is flat on the ground and goes along with the body in the air.
                let air = ease(turned, 10.0, 70.0) * (1.0 - ease(turned, 290.0, 350.0));
                let foot = turn(0.0, 0.0, -turned * air);
                FootPose { ankle: spoke.place(turned, ankle), foot, toes: foot, yaw: 0.0 }
            });
            let hands = [0, 1].map(|arm| {
                let side = SIDES[arm];
                let lies = ease(turned, 80.0, 120.0) * (1.0 - ease(turned, 235.0, 280.0));
                let raised = posture.chest * turn(0.0, 0.0, 65.0 * side);
                HandPose {
                    wrist: hands[arm].place(turned, WRIST),
                    turn: raised.slerp(&flat(side), lies),
                    elbow: Vec3::new(0.0, 0.0, -1.0),
                }
            });
            reaching(body, &posture, &hands)
        })
        .collect()
}
