//! Walking, running and sneaking. Phases are parts of the gait cycle and start when the left foot lands.
//!
//! Sources of the figures: Winter 1991, The Biomechanics and Motor Control of Human Gait; Perry & Burnfield 2010, Gait
//! Analysis (pelvis, timing); Murray, Drought & Kory 1964, Walking patterns of normal men; Murray, Sepic & Barnard
//! 1967 (arms); Novacheck 1998, The biomechanics of running.

use puppetry::stages::math::Vec3;

use super::curves::{Curve, sway, wave};
use super::footsteps::{Footsteps, Plant, Step, Stride};
use super::pose::{Arm, FPS, Frame, Posture, human, lowering, turn};
use super::skeleton::Human;

/// A way of moving on that repeats.
#[derive(Clone, Copy)]
pub struct Gait {
    /// Frames of one cycle, and cycles in the clip.
    pub cycle: usize,
    pub cycles: usize,
    /// Metres per second.
    pub speed: f64,
    /// Frames of a cycle that a foot is on the floor. Feet land and leave on whole frames, so that no frame shows a foot
    /// that is almost down and still moving.
    pub stance: usize,
}

impl Gait {
    /// Seconds of one cycle.
    pub fn period(&self) -> f64 {
        self.cycle as f64 / FPS
    }

    /// Times of all frames; the one after the last would be the first again, displaced.
    pub fn times(&self) -> impl Iterator<Item = f64> + use<> {
        (0..self.cycle * self.cycles).map(|frame| frame as f64 / FPS)
    }

    /// Where the body is along its way at time `t`; the clip is centred on the origin.
    pub fn way(&self, t: f64) -> f64 {
        self.speed * (t - 0.5 * self.period() * self.cycles as f64)
    }

    /// The steps of a foot that lands in frame `phase` of the cycle with its ball at `x`, and `ahead` of the body at
    /// mid-stance.
    pub fn footsteps(&self, phase: usize, x: f64, ahead: f64, yaw: f64, stride: Stride) -> Footsteps {
        let (period, stance) = (self.period(), self.stance as f64 / FPS);
        let land = |cycle: i32| f64::from(cycle) * period + phase as f64 / FPS;
        let plant = |cycle| {
            let mid_stance = land(cycle) + 0.5 * stance;
            Plant { x, z: self.way(mid_stance) + ahead, yaw }
        };
        let step = |cycle| Step {
            lift: land(cycle) - (period - stance),
            land: land(cycle),
            to: plant(cycle),
            stride,
        };
        Footsteps { start: plant(-2), steps: (-1..self.cycles as i32 + 2).map(step).collect() }
    }

    /// Frames of a posture that depends on time and on how far the body is lowered.
    fn frames(&self, body: &Human, straightest: f64, posture: impl Fn(f64, f64) -> Posture) -> Vec<Frame> {
        let cycle = || self.times().take(self.cycle);
        let reach = |drop| cycle().map(|t| human(body, &posture(t, drop)).reach).fold(0.0, f64::max);
        let drop = lowering(straightest, reach);
        self.times().map(|t| human(body, &posture(t, drop))).collect()
    }
}

/// Walk at 1.3 m/s: 120 steps a minute, 62 % stance, heel strike, the double bounce of the pelvis.
pub const WALK: Gait = Gait { cycle: 60, cycles: 3, speed: 1.3, stance: 37 };

/// Frames of the walk.
pub fn walk(body: &Human) -> Vec<Frame> {
    let stride = Stride {
        peel: 0.30,
        tip: 0.05,
        push: 57.0,
        fold: 0.18,
        land: -21.0,
        settle: 0.12,
        height: 0.034,
        carry: (0.45, 0.62),
        reach: (0.0, 1.0),
        ramps: (0.34, 0.26),
    };
    let feet = [WALK.footsteps(0, 0.055, 0.03, 6.0, stride), WALK.footsteps(30, -0.055, 0.03, -6.0, stride)];
    let hip = body.body.mid_hip().y;
    // Shoulder and elbow flexion over the cycle of the same side's foot (Murray 1967: 24° back to 8° forward).
    let elbow = Curve::cycle(1.0, &[(0.02, 16.0), (0.35, 34.0), (0.5, 42.0), (0.72, 28.0)]);
    WALK.frames(body, 0.9985, |t, drop| {
        let phase = t / WALK.period();
        let arm = |own: f64| Arm {
            flexion: -6.0 - 18.0 * wave(own, 0.01),
            abduction: 7.0 + 1.5 * wave(own, 0.5),
            external: -12.0,
            elbow: elbow.at(own),
            pronation: 18.0,
            wrist: 6.0 + 5.0 * wave(own, 0.62),
            shrug: 0.8 * wave(2.0 * own, 0.1),
            ..Arm::default()
        };
        Posture {
            pelvis: Vec3::new(
                // Over the standing foot, 2 cm to each side; lowest when both feet are down.
                0.020 * wave(phase, 0.30),
                hip - drop - 0.012 * wave(2.0 * phase, 0.07),
                WALK.way(t) + 0.010 * wave(2.0 * phase, 0.34),
            ),
            // Leading side forward by 5°, swinging side down by 4° just after the other foot has landed.
            pelvis_turn: turn(
                -5.0 * wave(phase, 0.02),
                4.0 + 1.0 * wave(2.0 * phase, 0.15),
                4.0 * wave(phase, 0.16),
            ),
            chest: turn(
                5.0 * wave(phase, 0.04),
                3.0 + 0.8 * wave(2.0 * phase, 0.12),
                -1.5 * wave(phase, 0.20),
            ),
            // The gaze stays on its way; the head dips a little against the bounce (Pozzo 1990).
            head: turn(0.6 * wave(phase, 0.05), 2.0 + 1.2 * wave(2.0 * phase, 0.58), -0.5 * wave(phase, 0.2)),
            arms: [arm(phase), arm(phase + 0.5)],
            feet: [0, 1].map(|i| feet[i].at(&body.body, &body.body.legs[i], t)),
        }
    })
}

/// Run at 3.2 m/s: 171 steps a minute, a third stance, two flights in a cycle.
pub const RUN: Gait = Gait { cycle: 42, cycles: 4, speed: 3.2, stance: 14 };

/// Frames of the run.
pub fn run(body: &Human) -> Vec<Frame> {
    let stride = Stride {
        peel: 0.17,
        tip: 0.04,
        push: 84.0,
        fold: 0.34,
        land: -7.0,
        settle: 0.045,
        height: 0.07,
        carry: (0.5, 0.5),
        reach: (0.0, 1.0),
        ramps: (0.28, 0.18),
    };
    let feet = [RUN.footsteps(0, 0.03, -0.008, 4.0, stride), RUN.footsteps(21, -0.03, -0.008, -4.0, stride)];
    let hip = body.body.mid_hip().y;
    RUN.frames(body, 0.994, |t, drop| {
        let phase = t / RUN.period();
        let arm = |own: f64| Arm {
            flexion: -8.0 - 36.0 * wave(own, 0.04),
            abduction: 12.0 - 3.0 * wave(own, 0.04),
            external: -20.0,
            elbow: 95.0 - 14.0 * wave(own, 0.12),
            pronation: 20.0,
            wrist: 5.0,
            shrug: 2.0,
            ..Arm::default()
        };
        Posture {
            pelvis: Vec3::new(
                0.010 * wave(phase, 0.18),
                // 3 cm up and down twice a cycle: at the top that is free fall (0.030 (4π / 0.7 s)² = 9.7 m/s²).
                hip - drop - 0.030 * wave(2.0 * phase, 0.35),
                RUN.way(t) + 0.006 * wave(2.0 * phase, 0.6),
            ),
            pelvis_turn: turn(
                -7.0 * wave(phase, -0.02),
                12.0 + 2.0 * wave(2.0 * phase, 0.65),
                4.5 * wave(phase, 0.18),
            ),
            chest: turn(
                10.0 * wave(phase, 0.02),
                9.0 + 1.5 * wave(2.0 * phase, 0.45),
                -2.0 * wave(phase, 0.18),
            ),
            head: turn(1.0 * wave(phase, 0.02), 3.0 + 1.5 * wave(2.0 * phase, 0.9), 0.0),
            arms: [arm(phase), arm(phase + 0.5)],
            feet: [0, 1].map(|i| feet[i].at(&body.body, &body.body.legs[i], t)),
        }
    })
}

/// Sneak at 0.5 m/s: bent, knees high, toes first, a look around on the way.
pub const SNEAK: Gait = Gait { cycle: 96, cycles: 2, speed: 0.5, stance: 58 };

/// Frames of the sneak.
pub fn sneak(body: &Human) -> Vec<Frame> {
    let stride = Stride {
        peel: 0.30,
        tip: 0.06,
        push: 48.0,
        fold: 0.30,
        land: 22.0,
        settle: 0.22,
        height: 0.30,
        carry: (0.45, 0.55),
        reach: (0.12, 0.92),
        ramps: (0.34, 0.3),
    };
    let feet = [SNEAK.footsteps(0, 0.07, 0.07, 8.0, stride), SNEAK.footsteps(48, -0.07, 0.07, -8.0, stride)];
    let hip = body.body.mid_hip().y;
    let look = Curve::cycle(
        1.0,
        &[(0.0, 0.0), (0.12, 24.0), (0.36, 24.0), (0.52, 0.0), (0.64, -26.0), (0.86, -26.0)],
    );
    SNEAK.frames(body, 0.955, |t, drop| {
        let phase = t / SNEAK.period();
        let clip = phase / SNEAK.cycles as f64;
        let arm = |own: f64| Arm {
            flexion: 38.0 - 20.0 * wave(own, 0.0),
            abduction: 22.0 + 5.0 * wave(own, 0.3),
            external: -22.0,
            elbow: 98.0 + 16.0 * wave(own, 0.62),
            pronation: 40.0,
            // Hands hang loose, a little late.
            wrist: 38.0 + 14.0 * wave(own, 0.78),
            shrug: 8.0 + 3.0 * wave(2.0 * own, 0.5),
            ..Arm::default()
        };
        Posture {
            pelvis: Vec3::new(
                // Slow enough that the weight has to be over one foot before the other may leave the floor.
                0.060 * wave(phase, 0.28),
                hip - drop - 0.030 * wave(2.0 * phase, 0.12),
                SNEAK.way(t) + 0.030 * wave(2.0 * phase, 0.35),
            ),
            pelvis_turn: turn(
                -8.0 * wave(phase, 0.02),
                18.0 + 3.0 * wave(2.0 * phase, 0.1),
                -4.0 * wave(phase, 0.3),
            ),
            chest: turn(
                9.0 * wave(phase, 0.06),
                36.0 + 5.0 * wave(2.0 * phase, 0.16),
                3.0 * wave(phase, 0.3),
            ),
            head: turn(look.at(clip), 8.0 + 3.0 * wave(2.0 * phase, 0.5), 2.0 * sway(clip, 0.3)),
            arms: [arm(phase), arm(phase + 0.5)],
            feet: [0, 1].map(|i| feet[i].at(&body.body, &body.body.legs[i], t)),
        }
    })
}
