//! A centaur, and a dinosaur that runs on two legs.

use super::{Creature, knot, round};
use crate::characters::implicit::{Detail, Ink, ball, egg, limb};
use crate::characters::model::Character;
use puppetry::stages::math::Vec3;

const COAT: Ink = 0x8A5A34;
const SKIN: Ink = 0xD9A77F;
const HOOF: Ink = 0x2F2620;
const SCALES: Ink = 0x5E7B4A;
const BELLY: Ink = 0xC9C08A;
const EYES: Ink = 0x101010;

pub fn centaur() -> Character {
    let leg = |rank: usize, points: &[[f64; 3]], radii: &[f64]| round(("leg", rank, COAT), points, radii);
    let centaur = Creature {
        trunk: vec![
            knot("hips", [1.00, -0.52], 0.20),
            knot("spine", [0.99, -0.15], 0.19),
            knot("chest", [1.00, 0.22], 0.20),
            knot("waist", [1.26, 0.30], 0.125),
            knot("torso", [1.56, 0.31], 0.15),
            knot("neck", [1.76, 0.31], 0.06),
            knot("head", [1.86, 0.32], 0.07),
        ],
        limbs: vec![
            leg(
                1,
                &[[0.13, 0.92, 0.22], [0.13, 0.55, 0.26], [0.13, 0.14, 0.20], [0.13, 0.03, 0.26]],
                &[0.10, 0.06, 0.045, 0.06],
            ),
            leg(
                2,
                &[[0.14, 0.98, -0.52], [0.14, 0.66, -0.42], [0.14, 0.38, -0.62], [0.14, 0.03, -0.55]],
                &[0.13, 0.08, 0.05, 0.06],
            ),
            round(
                ("arm", 1, SKIN),
                &[[0.19, 1.63, 0.31], [0.40, 1.47, 0.29], [0.58, 1.33, 0.33], [0.70, 1.25, 0.37]],
                &[0.058, 0.046, 0.036, 0.040],
            ),
            round(
                ("tail", 1, HOOF),
                &[[0.0, 1.10, -0.70], [0.0, 0.92, -0.86], [0.0, 0.62, -0.90], [0.0, 0.42, -0.89]],
                &[0.05, 0.06, 0.055, 0.03],
            ),
        ],
        lumps: vec![
            (SKIN, egg(Vec3::new(0.0, 1.93, 0.34), Vec3::new(0.095, 0.125, 0.11))),
            (SKIN, limb(Vec3::new(0.0, 1.40, 0.31), Vec3::new(0.14, 1.62, 0.31), 0.12, 0.07)),
            (EYES, ball(Vec3::new(0.035, 1.95, 0.44), 0.014)),
        ],
        ink: COAT,
    };
    let detail = Detail { cell: 0.012, finest: 0.02, coarsest: 0.08, per_radius: 0.7, ..Detail::default() };
    centaur.sculpted("four legs, two arms and a tail", &detail)
}

pub fn raptor() -> Character {
    let raptor = Creature {
        trunk: vec![
            knot("hips", [1.00, -0.10], 0.18),
            knot("spine", [1.03, 0.12], 0.165),
            knot("chest", [1.08, 0.35], 0.15),
            knot("neck", [1.22, 0.52], 0.085),
            knot("head", [1.45, 0.64], 0.075),
        ],
        limbs: vec![
            round(
                ("leg", 1, SCALES),
                &[
                    [0.13, 0.95, -0.08],
                    [0.17, 0.62, 0.10],
                    [0.16, 0.36, -0.16],
                    [0.16, 0.06, -0.03],
                    [0.16, 0.03, 0.14],
                ],
                &[0.12, 0.08, 0.05, 0.045, 0.03],
            ),
            round(
                ("arm", 1, SCALES),
                &[[0.11, 1.00, 0.40], [0.15, 0.84, 0.36], [0.14, 0.76, 0.48], [0.13, 0.70, 0.55]],
                &[0.045, 0.034, 0.028, 0.024],
            ),
            round(
                ("tail", 1, SCALES),
                &[[0.0, 1.02, -0.32], [0.0, 1.06, -0.70], [0.0, 1.09, -1.05], [0.0, 1.10, -1.40]],
                &[0.13, 0.08, 0.05, 0.02],
            ),
        ],
        lumps: vec![
            (BELLY, limb(Vec3::new(0.0, 1.47, 0.68), Vec3::new(0.0, 1.43, 0.94), 0.085, 0.045)),
            (EYES, ball(Vec3::new(0.07, 1.52, 0.72), 0.02)),
        ],
        ink: SCALES,
    };
    let detail = Detail { cell: 0.013, finest: 0.022, coarsest: 0.09, per_radius: 0.7, ..Detail::default() };
    raptor.sculpted("a trunk that lies, two legs, small arms and a long tail", &detail)
}
