//! A child with a big head and bigger eyes, in dungarees and rubber boots.

use super::body::{Body, Girth, Joints};
use super::implicit::{Detail, Ink, Sculpture, ball, below, beyond, egg, flat_limb, limb};
use super::model::{Character, sculpted};
use puppetry::stages::math::Vec3;
use puppetry::stages::mesh::Material;

const SKIN: Ink = 0xF2C19B;
const HAIR: Ink = 0xC4622D;
const SHIRT: Ink = 0xF7D154;
/// Of the same cloth as the shirt, but another ink, so that it can end at its own place.
const SLEEVE: Ink = 0xF7D155;
const DUNGAREES: Ink = 0x2F7F9E;
const BOOT: Ink = 0xD94F4F;
const BUTTON: Ink = 0xFFE9A8;
const BOOT_RIM: Ink = 0xB53B3B;
const DARK: Ink = 0x7A3B22;

pub fn make() -> Character {
    let body = Body {
        hip_height: 0.37,
        hip_width: 0.068,
        leg_spread: 0.05,
        knee_bend: 0.008,
        ankle_height: 0.062,
        foot_length: 0.165,
        foot_splay: 0.2,
        torso: 0.28,
        neck: 0.035,
        head: Vec3::new(0.172, 0.168, 0.158),
        shoulder_width: 0.105,
        shoulder_drop: 0.035,
        upper_arm: 0.135,
        forearm: 0.125,
        hand: 0.095,
        arm_drop: 0.78,
        elbow_bend: 0.15,
        girth: Girth {
            torso: [0.100, 0.098, 0.092],
            torso_depth: 0.82,
            neck: 0.045,
            arm: [0.042, 0.035, 0.028],
            leg: [0.062, 0.052, 0.040],
            foot: 0.043,
        },
        ..Body::default()
    };
    let j = body.joints();
    let s = &mut Sculpture::default();
    body.add_torso(s, SHIRT);
    body.add_arms(s, SLEEVE);
    body.add_legs(s, DUNGAREES);
    body.add_feet(s, BOOT);
    body.add_hands(s, SKIN);
    let head = body.add_head(s, SKIN);

    // Dungarees: trousers, a bib with straps, buttons; boots with a rim.
    s.stamp_over(SLEEVE, SKIN, beyond(j.elbow.lerp(&j.wrist, 0.3), body.forearm_direction()));
    s.stamp_over(SHIRT, DUNGAREES, below(j.spine.y + 0.005));
    s.stamp_over(SHIRT, DUNGAREES, flat_limb(j.spine, j.chest + Vec3::y() * 0.015, [0.072, 0.052], 3.0));
    let strap = Vec3::new(0.047, j.chest.y, 0.0);
    s.stamp_over(SHIRT, DUNGAREES, flat_limb(strap, Vec3::new(0.06, j.neck.y + 0.05, 0.0), [0.016; 2], 9.0));
    s.add(BUTTON, 0.002, egg(Vec3::new(0.042, j.chest.y + 0.032, 0.078), Vec3::new(0.014, 0.014, 0.011)));
    s.stamp_over(SHIRT, SKIN, limb(j.neck + Vec3::y() * 0.01, head.center, 0.055, 0.1));
    s.stamp_over(DUNGAREES, BOOT, below(0.115));
    s.add(BOOT_RIM, 0.003, limb(at_height(&j, 0.108), at_height(&j, 0.118), 0.055, 0.055));
    s.stamp_over(BOOT, 0x6B2A2A, below(0.016));

    // Hair: a cap with a fringe, two bunches with ties, and a cowlick.
    let (center, r) = (head.center, head.radii);
    s.add(SKIN, 0.012, egg(head.at(90.0, -12.0), Vec3::new(0.022, 0.036, 0.026)));
    s.add(
        HAIR,
        0.01,
        egg(center + Vec3::new(0.0, 0.036, -0.03), r.component_mul(&Vec3::new(1.07, 1.0, 1.02))),
    );
    s.add(HAIR, 0.012, limb(head.above(4.0, 50.0, 1.03), head.above(30.0, 37.0, 1.04), 0.034, 0.026));
    s.add(HAIR, 0.012, limb(head.above(30.0, 48.0, 1.02), head.above(58.0, 28.0, 1.03), 0.034, 0.022));
    let tie = head.above(105.0, 28.0, 1.1);
    s.add(0x3DA35D, 0.004, ball(tie, 0.026));
    s.add(
        HAIR,
        0.008,
        limb(tie + Vec3::new(0.045, 0.012, -0.005), tie + Vec3::new(0.085, -0.075, -0.01), 0.042, 0.016),
    );
    s.add(HAIR, 0.01, limb(head.above(0.0, 88.0, 1.0), head.above(0.0, 80.0, 1.34), 0.022, 0.007));

    // Face.
    head.add_eyes(s, 25.0, -4.0, 0.040, 0x3F7FBF);
    head.ridge(s, DARK, 0.008, &[[15.0, 15.0], [26.0, 18.0], [36.0, 14.0]]);
    s.add(SKIN, 0.012, ball(head.at(0.0, -17.0), 0.017));
    head.draw(s, 0xA8423F, 0.0085, &[[0.0, -37.0], [8.0, -36.0], [14.0, -32.0]]);
    s.stamp(0xF0937C, egg(head.at(40.0, -27.0), Vec3::new(0.026, 0.02, 0.04)));
    for (left, up) in [(13.0, -24.0), (19.0, -27.0), (20.0, -21.5)] {
        s.stamp(0xD08A5E, ball(head.at(left, up), 0.0055));
    }

    let mut character = Character::new("biped", "A", j.named());
    let material =
        character.material(Material { name: "child".into(), roughness: 0.8, ..Material::default() });
    let detail = Detail { cell: 0.0075, finest: 0.0042, coarsest: 0.03, ..Detail::default() };
    character.add("child", material, sculpted(s, &detail));
    character.stand()
}

/// A point of the shin.
fn at_height(j: &Joints, height: f64) -> Vec3 {
    j.knee.lerp(&j.ankle, (j.knee.y - height) / (j.knee.y - j.ankle.y))
}
