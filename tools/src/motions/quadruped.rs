//! The dog: walk, trot, gallop and idle. Legs are hind left, hind right, front left, front right.
//!
//! Footfall phases and duty factors: Hildebrand 1965, Symmetrical gaits of horses; Hildebrand 1977, Analysis of
//! asymmetrical gaits; speeds and stride frequencies by size: Heglund & Taylor 1988; the spine in the gallop:
//! Alexander 1988, Why mammals gallop.

use puppetry::stages::math::Vec3;

use super::curves::{Curve, ease, sway, wave};
use super::footsteps::{Footsteps, Plant, Stride};
use super::gait::Gait;
use super::pose::{DogPosture, FPS, Frame, dog, lowering, turn};
use super::skeleton::Dog;

/// A gait of four feet.
struct Footfall {
    gait: Gait,
    /// The frame of the cycle in which each foot lands.
    phases: [usize; 4],
    /// Distance of hind and front feet from the midline.
    width: [f64; 2],
    /// How far ahead of its rest place hind and front feet are at mid-stance.
    ahead: [f64; 2],
    stride: [Stride; 2],
}

impl Footfall {
    /// Frames of a posture that is given everything but its feet, from time and how far the body is lowered.
    fn frames(&self, body: &Dog, straightest: f64, posture: impl Fn(f64, f64) -> DogPosture) -> Vec<Frame> {
        let feet: [Footsteps; 4] = [0, 1, 2, 3].map(|leg| {
            let (pair, side) = (leg / 2, if leg % 2 == 0 { 1.0 } else { -1.0 });
            let rest = body.body.rest(body.body.legs[leg].toes).z;
            let ahead = rest - body.body.mid_hip().z + self.ahead[pair];
            self.gait.footsteps(self.phases[leg], side * self.width[pair], ahead, 0.0, self.stride[pair])
        });
        let at = |t: f64, drop: f64| {
            let mut posture = posture(t, drop);
            posture.feet = [0, 1, 2, 3].map(|leg| feet[leg].at(&body.body, &body.body.legs[leg], t));
            dog(body, &posture)
        };
        let cycle = || self.gait.times().take(self.gait.cycle);
        let drop = lowering(straightest, |drop| cycle().map(|t| at(t, drop).reach).fold(0.0, f64::max));
        self.gait.times().map(|t| at(t, drop)).collect()
    }
}

/// The dog standing, each foot so far ahead of its rest place.
fn standing(body: &Dog, ahead: [f64; 4]) -> DogPosture {
    let foot = |leg: usize| {
        let ahead = ahead[leg];
        let leg = &body.body.legs[leg];
        let ball = body.body.rest(leg.toes);
        Footsteps::standing(Plant { x: ball.x, z: ball.z + ahead, yaw: 0.0 }).at(&body.body, leg, 0.0)
    };
    DogPosture {
        pelvis: body.body.mid_hip(),
        pelvis_turn: turn(0.0, 0.0, 0.0),
        chest: turn(0.0, 0.0, 0.0),
        neck: turn(0.0, 0.0, 0.0),
        head: turn(0.0, 0.0, 0.0),
        tail: turn(0.0, 0.0, 0.0),
        feet: [0, 1, 2, 3].map(foot),
    }
}

/// A lateral-sequence walk: hind left, front left, hind right, front right, a quarter of the cycle apart.
pub const WALK: Gait = Gait { cycle: 40, cycles: 3, speed: 1.0, stance: 25 };

/// Frames of `quad_walk`.
pub fn walk(body: &Dog) -> Vec<Frame> {
    let hind = Stride {
        peel: 0.20,
        tip: 0.04,
        push: 46.0,
        fold: 0.22,
        land: 8.0,
        settle: 0.10,
        height: 0.055,
        carry: (0.45, 0.5),
        reach: (0.0, 1.0),
        ramps: (0.34, 0.28),
    };
    let front = Stride { push: 70.0, fold: 0.34, land: 4.0, height: 0.06, ..hind };
    let footfall = Footfall {
        gait: WALK,
        phases: [0, 20, 9, 29],
        width: [0.055, 0.06],
        ahead: [0.0, 0.02],
        stride: [hind, front],
    };
    let stand = standing(body, [0.0; 4]);
    footfall.frames(body, 0.965, |t, drop| {
        let phase = t / WALK.period();
        let mut posture = stand.clone();
        posture.pelvis = Vec3::new(
            0.012 * wave(phase, 0.30),
            stand.pelvis.y - drop + 0.009 * wave(2.0 * phase, 0.32),
            WALK.way(t) + 0.006 * wave(2.0 * phase, 0.1),
        );
        posture.pelvis_turn =
            turn(-4.0 * wave(phase, 0.0), 1.2 * wave(2.0 * phase, 0.3), 4.0 * wave(phase, 0.24));
        // The shoulders do at the front feet's phase what the hips do at the hind feet's.
        posture.chest =
            turn(-3.0 * wave(phase, 0.28), -1.4 * wave(2.0 * phase, 0.52), 3.0 * wave(phase, 0.50));
        // The neck nods twice a cycle, the head keeps level.
        let nod = 4.5 * wave(2.0 * phase, 0.62);
        posture.neck = turn(-wave(phase, 0.3), 8.0 + nod, 0.0);
        posture.head = turn(0.0, 4.0 + 0.3 * nod, 0.0);
        posture.tail = turn(5.0 * wave(phase, 0.55), 4.0 + 2.0 * wave(2.0 * phase, 0.5), 0.0);
        posture
    })
}

/// A trot: diagonal pairs together, with a short flight between them.
pub const TROT: Gait = Gait { cycle: 26, cycles: 5, speed: 2.2, stance: 11 };

/// Frames of `quad_trot`.
pub fn trot(body: &Dog) -> Vec<Frame> {
    let hind = Stride {
        peel: 0.13,
        tip: 0.035,
        push: 58.0,
        fold: 0.26,
        land: 6.0,
        settle: 0.06,
        height: 0.06,
        carry: (0.45, 0.5),
        reach: (0.0, 1.0),
        ramps: (0.34, 0.34),
    };
    let front = Stride { push: 84.0, fold: 0.38, land: 3.0, height: 0.06, ..hind };
    let footfall = Footfall {
        gait: TROT,
        phases: [0, 13, 13, 0],
        width: [0.045, 0.05],
        ahead: [0.0, 0.02],
        stride: [hind, front],
    };
    let stand = standing(body, [0.0; 4]);
    footfall.frames(body, 0.965, |t, drop| {
        let phase = t / TROT.period();
        let mut posture = stand.clone();
        // Lowest at mid-stance of each pair; 1.6 cm at 4 Hz is free fall at the top.
        let bounce = 0.016 * wave(2.0 * phase, 0.44 + 0.5);
        posture.pelvis = Vec3::new(0.004 * wave(phase, 0.22), stand.pelvis.y - drop + bounce, TROT.way(t));
        posture.pelvis_turn =
            turn(-3.0 * wave(phase, 0.0), 1.0 * wave(2.0 * phase, 0.6), 3.0 * wave(phase, 0.22));
        posture.chest = turn(3.0 * wave(phase, 0.0), 1.0 * wave(2.0 * phase, 0.1), -2.5 * wave(phase, 0.22));
        posture.neck = turn(0.0, 2.0 + 2.5 * wave(2.0 * phase, 0.6), 0.0);
        posture.head = turn(0.0, 2.0 + 1.0 * wave(2.0 * phase, 0.7), 0.0);
        posture.tail = turn(4.0 * wave(phase, 0.6), 3.0 * wave(2.0 * phase, 0.75), 0.0);
        posture
    })
}

/// A rotary gallop, as dogs do it: hind right, hind left, a flight stretched out, front left, front right, a flight
/// gathered.
pub const GALLOP: Gait = Gait { cycle: 24, cycles: 5, speed: 4.5, stance: 6 };

/// Frames of `quad_gallop`.
pub fn gallop(body: &Dog) -> Vec<Frame> {
    let hind = Stride {
        peel: 0.085,
        tip: 0.017,
        push: 78.0,
        fold: 0.24,
        land: 4.0,
        settle: 0.025,
        height: 0.07,
        carry: (0.34, 0.5),
        reach: (0.0, 1.0),
        ramps: (0.28, 0.30),
    };
    let front = Stride { push: 84.0, fold: 0.40, land: 2.0, height: 0.07, ..hind };
    let footfall = Footfall {
        gait: GALLOP,
        phases: [3, 0, 11, 14],
        width: [0.05, 0.045],
        ahead: [0.0, 0.028],
        stride: [hind, front],
    };
    let stand = standing(body, [0.0; 4]);
    // The back is rounded (+) in the gathered flight before the hind feet land, hollow when they have pushed off.
    let flex = |phase: f64| wave(phase, 0.97);
    footfall.frames(body, 0.965, |t, drop| {
        let phase = t / GALLOP.period();
        let mut posture = stand.clone();
        posture.pelvis = Vec3::new(
            0.006 * wave(phase, 0.1),
            stand.pelvis.y - drop + 0.022 * wave(phase, 0.70) + 0.006 * wave(2.0 * phase, 0.4),
            GALLOP.way(t) + 0.02 * wave(phase, 0.2),
        );
        // Rounding lowers the front of the pelvis' own axis backwards: the rump tucks under, the chest dips.
        posture.pelvis_turn =
            turn(2.0 * wave(phase, 0.05), 2.0 - 12.0 * flex(phase), 2.0 * wave(phase, 0.15));
        posture.chest =
            turn(-2.0 * wave(phase, 0.55), 1.0 + 9.0 * flex(phase - 0.03), 2.0 * wave(phase, 0.6));
        posture.neck = turn(0.0, 16.0 + 8.0 * wave(phase, 0.80), 0.0);
        posture.head = turn(0.0, 6.0 + 3.0 * wave(phase, 0.86), 0.0);
        posture.tail = turn(3.0 * wave(phase, 0.3), -2.0 + 7.0 * wave(phase, 0.30), 0.0);
        posture
    })
}

/// Frames of `quad_idle`.
pub const IDLE: usize = 360;

/// Stands, shifts its weight, looks left and right, pants, wags its tail in two bursts.
pub fn idle(body: &Dog) -> Vec<Frame> {
    let period = IDLE as f64 / FPS;
    let curve = |keys: &[(f64, f64)]| Curve::cycle(period, keys);
    let weight = curve(&[(0.0, -0.8), (0.9, -0.8), (2.1, 0.9), (3.9, 0.9), (5.2, -0.8)]);
    let look =
        curve(&[(0.4, 0.0), (0.9, 34.0), (2.0, 34.0), (2.6, 4.0), (3.2, -26.0), (4.2, -26.0), (4.9, 0.0)]);
    let tilt = curve(&[(0.9, 0.0), (1.25, 13.0), (1.8, 13.0), (2.2, 0.0)]);
    let nose = curve(&[(0.4, 0.0), (1.0, -7.0), (2.0, -5.0), (3.2, 9.0), (4.2, 7.0), (5.0, 0.0)]);
    let stand = standing(body, [0.02, -0.05, 0.03, -0.015]);
    let wagging = |t: f64| {
        ease(t, 0.7, 1.3) - 0.75 * ease(t, 2.2, 3.0) + 0.5 * ease(t, 3.8, 4.4) - 0.75 * ease(t, 5.2, 5.9)
    };
    (0..IDLE)
        .map(|frame| {
            let t = frame as f64 / FPS;
            let (cycles, weight, look_late) = (t / period, weight.at(t), look.at(t - 0.12));
            let breath = wave(3.0 * cycles, 0.4);
            let mut posture = stand.clone();
            posture.pelvis += Vec3::new(0.016 * weight, -0.012 + 0.002 * breath, 0.006 * sway(cycles, 0.2));
            posture.pelvis_turn = turn(-1.5 * weight, 0.0, 3.0 * weight);
            posture.chest =
                turn(0.10 * look_late - 1.0 * weight, -0.6 - 0.5 * breath, 0.8 * weight + 0.04 * look_late);
            posture.neck = turn(0.55 * look_late, -6.0 + 0.6 * nose.at(t) + 1.2 * breath, 0.0);
            posture.head =
                turn(look.at(t), nose.at(t) + 1.0 * sway(cycles, 1.0), tilt.at(t) + 1.5 * sway(cycles, 2.0));
            // 3 wags a second; each joint of the tail adds its share.
            let wag = wagging(t) * 15.0 * wave(18.0 * cycles, 0.0);
            posture.tail = turn(wag + 2.0 * sway(cycles, 3.0), 8.0 * wagging(t) - 2.0, 0.0);
            dog(body, &posture)
        })
        .collect()
}
