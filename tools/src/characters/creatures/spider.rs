//! A spider: eight legs of three bones, palps, an abdomen; one shell.

use super::{Creature, knot, round};
use crate::characters::implicit::{Detail, Ink, ball, egg};
use crate::characters::model::Character;
use puppetry::stages::math::Vec3;

const HAIR: Ink = 0x4A3B34;
const BANDS: Ink = 0x8A6A4A;
const EYES: Ink = 0x101010;

pub fn spider() -> Character {
    let spider = Creature {
        trunk: vec![
            knot("abdomen", [0.225, -0.13], 0.04),
            knot("hips", [0.205, -0.04], 0.066),
            knot("chest", [0.205, 0.04], 0.068),
            knot("head", [0.205, 0.10], 0.045),
        ],
        limbs: [(0.068, 62.0), (0.024, 22.0), (-0.020, -18.0), (-0.064, -52.0)]
            .iter()
            .enumerate()
            .map(|(leg, &(forward, degrees))| leg_at(leg + 1, forward, degrees))
            .chain([round(
                ("feeler", 1, BANDS),
                &[[0.028, 0.19, 0.13], [0.044, 0.21, 0.20], [0.040, 0.14, 0.25]],
                &[0.015, 0.013, 0.010],
            )])
            .collect(),
        lumps: vec![
            (HAIR, egg(Vec3::new(0.0, 0.25, -0.27), Vec3::new(0.115, 0.105, 0.15))),
            (EYES, ball(Vec3::new(0.022, 0.235, 0.128), 0.012)),
        ],
        ink: HAIR,
    };
    let detail = Detail { cell: 0.006, finest: 0.011, coarsest: 0.05, per_radius: 0.75, ..Detail::default() };
    spider.sculpted("eight legs of three bones and a pair of palps", &detail)
}

/// A leg that goes out from the thorax at an angle to x.
fn leg_at(rank: usize, forward: f64, degrees: f64) -> super::LimbSpec {
    let (sine, cosine) = degrees.to_radians().sin_cos();
    let at = |out: f64, height: f64| [0.045 + out * cosine, height, forward + out * sine];
    let points = [at(0.01, 0.20), at(0.17, 0.33), at(0.30, 0.10), at(0.45, 0.008)];
    round(("leg", rank, BANDS), &points, &[0.019, 0.016, 0.012, 0.009])
}
