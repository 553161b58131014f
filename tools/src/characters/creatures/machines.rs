//! Robots of rigid parts: with six legs, and with four arms.

use super::{Creature, knot, middle, round};
use crate::characters::implicit::Ink;
use crate::characters::model::Character;
use crate::characters::solids::{chamfered_box, rod, sphere};
use puppetry::stages::math::Vec3;

const SHELL: Ink = 0xD9DDE2;
const ACCENT: Ink = 0x2F7FB8;
const DARK: Ink = 0x2B3138;

pub fn hexapod() -> Character {
    let leg = |rank: usize, forward: f64, spread: f64| {
        let at = |out: f64, height: f64| [0.13 + out, height, forward + spread * out];
        let points = [at(0.0, 0.24), at(0.085, 0.25), at(0.24, 0.36), at(0.34, 0.08), at(0.355, 0.02)];
        round(("leg", rank, ACCENT), &points, &[0.030, 0.030, 0.026, 0.020, 0.022])
    };
    let hexapod = Creature {
        trunk: vec![knot("hips", [0.24, 0.0], 0.1), knot("head", [0.27, 0.26], 0.05)],
        limbs: vec![leg(1, 0.17, 0.5), leg(2, 0.0, 0.0), leg(3, -0.17, -0.5)],
        lumps: Vec::new(),
        ink: SHELL,
    };
    let trunk = [
        ("body", SHELL, chamfered_box(middle([0.24, 0.0]), Vec3::new(0.115, 0.05, 0.22), 0.02)),
        ("lid", ACCENT, chamfered_box(middle([0.30, -0.02]), Vec3::new(0.085, 0.018, 0.16), 0.01)),
        ("neck", DARK, rod(middle([0.255, 0.21]), middle([0.268, 0.265]), 0.025, 0.025)),
        ("head", SHELL, chamfered_box(middle([0.275, 0.30]), Vec3::new(0.06, 0.035, 0.045), 0.012)),
        ("eye", ACCENT, rod(middle([0.275, 0.34]), middle([0.275, 0.356]), 0.026, 0.024)),
    ];
    hexapod.of_parts("six legs of coxa, femur, tibia and foot; every part is closed and separate", &trunk)
}

pub fn fourarms() -> Character {
    let arm = |rank: usize, height: f64, rise: f64| {
        let at = |out: f64| [0.25 + out, height + rise * out, 0.0];
        round(("arm", rank, ACCENT), &[at(0.0), at(0.25), at(0.48), at(0.62)], &[0.045, 0.042, 0.036, 0.045])
    };
    let leg = round(
        ("leg", 1, SHELL),
        &[[0.125, 0.62, 0.0], [0.13, 0.35, 0.02], [0.13, 0.09, -0.01], [0.13, 0.03, 0.03]],
        &[0.055, 0.05, 0.045, 0.05],
    );
    let fourarms = Creature {
        trunk: vec![
            knot("hips", [0.66, 0.0], 0.15),
            knot("spine", [0.80, 0.0], 0.1),
            knot("chest", [1.0, 0.0], 0.2),
            knot("neck", [1.27, 0.0], 0.06),
            knot("head", [1.33, 0.0], 0.12),
        ],
        limbs: vec![leg, arm(1, 1.17, 0.25), arm(2, 0.97, -0.35)],
        lumps: Vec::new(),
        ink: SHELL,
    };
    let trunk = [
        ("pelvis", ACCENT, chamfered_box(middle([0.66, 0.0]), Vec3::new(0.16, 0.06, 0.10), 0.025)),
        ("waist", DARK, rod(middle([0.715, 0.0]), middle([0.885, 0.0]), 0.09, 0.11)),
        ("torso", SHELL, chamfered_box(middle([1.06, 0.0]), Vec3::new(0.20, 0.18, 0.13), 0.03)),
        ("panel", DARK, chamfered_box(middle([1.08, 0.135]), Vec3::new(0.11, 0.08, 0.012), 0.006)),
        ("neck", DARK, rod(middle([1.235, 0.0]), middle([1.315, 0.0]), 0.055, 0.055)),
        ("head", SHELL, chamfered_box(middle([1.42, 0.01]), Vec3::new(0.13, 0.11, 0.12), 0.03)),
        ("visor", ACCENT, chamfered_box(middle([1.43, 0.135]), Vec3::new(0.10, 0.03, 0.012), 0.006)),
        ("antenna", DARK, rod(middle([1.525, 0.0]), middle([1.60, 0.0]), 0.01, 0.008)),
        ("lamp", ACCENT, sphere(middle([1.615, 0.0]), 0.022)),
    ];
    fourarms.of_parts("two legs and four arms; every part is closed and separate", &trunk)
}
