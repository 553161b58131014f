//! A bird with its wings spread, and a dragon.

use super::{Creature, LimbSpec, knot, round};
use crate::characters::implicit::{Detail, Ink, ball, egg, limb};
use crate::characters::model::Character;
use puppetry::stages::math::Vec3;

const PLUMAGE: Ink = 0x5B6B7C;
const QUILLS: Ink = 0x39434F;
const BEAK: Ink = 0xE0A030;
const SCALES: Ink = 0x8C3B33;
const SAIL: Ink = 0xC97B4A;
const HORN: Ink = 0xE4D8BE;
const EYES: Ink = 0x101010;

pub fn bird() -> Character {
    let bird = Creature {
        trunk: vec![
            knot("hips", [0.30, -0.05], 0.075),
            knot("chest", [0.35, 0.08], 0.085),
            knot("neck", [0.44, 0.17], 0.045),
            knot("head", [0.52, 0.20], 0.05),
        ],
        limbs: vec![
            round(
                ("leg", 1, BEAK),
                &[
                    [0.05, 0.27, -0.03],
                    [0.055, 0.19, 0.03],
                    [0.055, 0.10, -0.03],
                    [0.055, 0.018, -0.01],
                    [0.055, 0.012, 0.07],
                ],
                &[0.035, 0.022, 0.014, 0.014, 0.012],
            ),
            LimbSpec {
                depth: 7.0,
                ..round(
                    ("wing", 1, QUILLS),
                    &[[0.06, 0.38, 0.07], [0.25, 0.45, 0.06], [0.46, 0.43, 0.03], [0.66, 0.40, -0.04]],
                    &[0.014, 0.014, 0.012, 0.008],
                )
            },
        ],
        lumps: vec![
            (BEAK, limb(Vec3::new(0.0, 0.515, 0.235), Vec3::new(0.0, 0.50, 0.32), 0.026, 0.008)),
            (PLUMAGE, egg(Vec3::new(0.0, 0.295, -0.20), Vec3::new(0.06, 0.016, 0.12))),
            (EYES, ball(Vec3::new(0.04, 0.535, 0.225), 0.012)),
        ],
        ink: PLUMAGE,
    };
    let detail = Detail { cell: 0.006, finest: 0.011, coarsest: 0.04, per_radius: 0.9, ..Detail::default() };
    bird.sculpted("wings spread, thin; legs with a toe", &detail)
}

pub fn dragon() -> Character {
    let dragon = Creature {
        trunk: vec![
            knot("hips", [0.85, -0.42], 0.20),
            knot("spine", [0.88, -0.05], 0.22),
            knot("chest", [0.90, 0.32], 0.21),
            knot("neck", [1.10, 0.58], 0.11),
            knot("neck_2", [1.38, 0.74], 0.085),
            knot("head", [1.62, 0.86], 0.09),
        ],
        limbs: vec![
            round(
                ("leg", 1, SCALES),
                &[[0.19, 0.78, 0.32], [0.25, 0.46, 0.22], [0.24, 0.12, 0.34], [0.24, 0.04, 0.46]],
                &[0.10, 0.075, 0.06, 0.05],
            ),
            round(
                ("leg", 2, SCALES),
                &[[0.18, 0.78, -0.42], [0.24, 0.50, -0.26], [0.24, 0.22, -0.48], [0.24, 0.04, -0.32]],
                &[0.13, 0.09, 0.06, 0.05],
            ),
            LimbSpec {
                depth: 7.0,
                ..round(
                    ("wing", 1, SAIL),
                    &[[0.14, 1.06, 0.12], [0.50, 1.40, 0.08], [0.95, 1.42, -0.05], [1.40, 1.20, -0.22]],
                    &[0.035, 0.034, 0.030, 0.018],
                )
            },
            round(
                ("tail", 1, SCALES),
                &[
                    [0.0, 0.86, -0.64],
                    [0.0, 0.72, -1.02],
                    [0.0, 0.52, -1.38],
                    [0.0, 0.42, -1.75],
                    [0.0, 0.46, -2.10],
                ],
                &[0.15, 0.11, 0.08, 0.055, 0.025],
            ),
        ],
        lumps: vec![
            (SCALES, limb(Vec3::new(0.0, 1.66, 0.90), Vec3::new(0.0, 1.56, 1.20), 0.105, 0.055)),
            (HORN, limb(Vec3::new(0.06, 1.72, 0.86), Vec3::new(0.10, 1.86, 0.70), 0.026, 0.010)),
            (SAIL, egg(Vec3::new(0.0, 0.46, -2.12), Vec3::new(0.02, 0.10, 0.09))),
            (EYES, ball(Vec3::new(0.075, 1.71, 0.98), 0.02)),
        ],
        ink: SCALES,
    };
    let detail = Detail { cell: 0.015, finest: 0.026, coarsest: 0.11, per_radius: 0.8, ..Detail::default() };
    dragon.sculpted("wings, four legs, a long neck and a long tail", &detail)
}
