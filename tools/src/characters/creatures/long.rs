//! Bodies without legs: a snake in an S, and a fish.

use super::{Creature, Knot, LimbSpec, knot, round};
use crate::characters::implicit::{Detail, Ink, ball, egg};
use crate::characters::model::Character;
use puppetry::stages::math::Vec3;

const SCALES: Ink = 0x6B7F3A;
const SILVER: Ink = 0x7FA3B5;
const FINS: Ink = 0xD9773F;
const EYES: Ink = 0x101010;

/// How far the snake bends to its sides, in metres, and the length of a wave.
const SWAY: f64 = 0.22;
const WAVE: f64 = 1.35;

pub fn snake() -> Character {
    const NAMES: [&str; 10] =
        ["tail_3", "tail_2", "tail_1", "hips", "spine_1", "spine_2", "spine_3", "spine_4", "neck", "head"];
    const RADII: [f64; 10] = [0.018, 0.034, 0.046, 0.055, 0.06, 0.062, 0.06, 0.054, 0.042, 0.05];
    let knots = NAMES.iter().zip(RADII).enumerate();
    let knots: Vec<Knot> =
        knots.map(|(k, (name, radius))| knot(name, [radius, -1.05 + 0.235 * k as f64], radius)).collect();
    let snake = Creature {
        trunk: knots,
        limbs: Vec::new(),
        lumps: vec![
            (SCALES, egg(Vec3::new(0.0, 0.052, 1.13), Vec3::new(0.062, 0.045, 0.10))),
            (EYES, ball(Vec3::new(0.04, 0.08, 1.17), 0.013)),
        ],
        ink: SCALES,
    };
    let detail = Detail { cell: 0.01, finest: 0.02, coarsest: 0.06, per_radius: 0.55, ..Detail::default() };
    let bend = |at: Vec3| {
        let phase = std::f64::consts::TAU * at.z / WAVE;
        Vec3::new(at.x + SWAY * phase.sin(), at.y, at.z)
    };
    snake.bent("bent into an S: it has no mirror plane", &detail, &bend)
}

pub fn fish() -> Character {
    let fish = Creature {
        trunk: vec![
            knot("tail_2", [0.24, -0.52], 0.03),
            knot("tail_1", [0.24, -0.36], 0.06),
            knot("hips", [0.24, -0.16], 0.105),
            knot("spine", [0.24, 0.06], 0.125),
            knot("head", [0.24, 0.28], 0.10),
        ],
        limbs: vec![LimbSpec {
            depth: 3.5,
            ..round(
                ("wing", 1, FINS),
                &[[0.10, 0.20, 0.13], [0.22, 0.14, 0.06], [0.33, 0.10, -0.02]],
                &[0.016, 0.015, 0.010],
            )
        }],
        lumps: vec![
            (SILVER, egg(Vec3::new(0.0, 0.235, 0.37), Vec3::new(0.06, 0.06, 0.09))),
            (FINS, egg(Vec3::new(0.0, 0.32, -0.59), Vec3::new(0.014, 0.10, 0.055))),
            (FINS, egg(Vec3::new(0.0, 0.16, -0.59), Vec3::new(0.014, 0.10, 0.055))),
            (FINS, egg(Vec3::new(0.0, 0.38, 0.02), Vec3::new(0.014, 0.07, 0.12))),
            (EYES, ball(Vec3::new(0.075, 0.27, 0.35), 0.018)),
        ],
        ink: SILVER,
    };
    let detail = Detail { cell: 0.007, finest: 0.014, coarsest: 0.05, per_radius: 0.8, ..Detail::default() };
    fish.sculpted("a body without legs; fins at its sides, a tail fin", &detail)
}
