//! A stocky troll: long arms, short legs, a stoop, a great nose, and a loincloth.

use super::body::{Body, Girth, nod};
use super::implicit::{Detail, Ink, Sculpture, ball, below, egg, flat_limb, limb};
use super::model::{Character, sculpted};
use puppetry::stages::math::Vec3;
use puppetry::stages::mesh::Material;

const SKIN: Ink = 0x6F8F5A;
const BELLY: Ink = 0x9DB37A;
const DARK: Ink = 0x4D6B45;
const MOSS: Ink = 0x3A4F23;
const FUR: Ink = 0x6B4426;
const HORN: Ink = 0xEFE3C0;

pub fn make() -> Character {
    let body = Body {
        hip_height: 0.60,
        hip_width: 0.19,
        leg_spread: 0.10,
        knee_bend: 0.05,
        ankle_height: 0.12,
        foot_length: 0.42,
        foot_splay: 0.25,
        torso: 0.88,
        stoop: 0.55,
        neck: 0.13,
        head: Vec3::new(0.20, 0.21, 0.20),
        shoulder_width: 0.40,
        shoulder_drop: 0.13,
        upper_arm: 0.50,
        forearm: 0.45,
        hand: 0.33,
        arm_drop: 0.98,
        elbow_bend: 0.22,
        fingers: 3,
        girth: Girth {
            torso: [0.30, 0.34, 0.33],
            torso_depth: 0.82,
            neck: 0.14,
            arm: [0.15, 0.115, 0.10],
            leg: [0.165, 0.125, 0.10],
            foot: 0.10,
        },
    };
    let j = body.joints();
    let s = &mut Sculpture::default();
    body.add_torso(s, SKIN);
    body.add_arms(s, SKIN);
    body.add_legs(s, SKIN);
    body.add_feet(s, SKIN);
    body.add_hands(s, SKIN);

    // Belly, forearms like clubs, toes.
    s.add(SKIN, 0.10, egg(j.spine + Vec3::new(0.0, -0.02, 0.11), Vec3::new(0.29, 0.29, 0.25)));
    s.stamp(BELLY, egg(j.spine + Vec3::new(0.0, 0.06, 0.33), Vec3::new(0.21, 0.33, 0.16)));
    s.add(SKIN, 0.08, ball(j.elbow.lerp(&j.wrist, 0.35), 0.125));
    let forward = body.foot_direction();
    let side = Vec3::new(forward.z, 0.0, -forward.x);
    for (across, length) in [(-0.075, 0.255), (0.0, 0.28), (0.07, 0.245)] {
        let toe = Vec3::new(j.ankle.x, 0.045, j.ankle.z) + forward * length + side * across;
        s.add(SKIN, 0.012, ball(toe, 0.052));
        s.stamp_over(SKIN, HORN, ball(toe + forward * 0.042 + Vec3::y() * 0.03, 0.026));
    }
    s.carve(0.02, below(0.0));

    // A fur loincloth.
    s.stamp_over(SKIN, BELLY, egg(j.spine + Vec3::new(0.0, 0.06, 0.33), Vec3::new(0.21, 0.33, 0.16)));
    for ink in [SKIN, BELLY] {
        s.stamp_over(ink, FUR, egg(Vec3::new(0.0, 0.62, 0.0), Vec3::new(0.62, 0.12, 0.72)));
    }
    s.stamp_over(SKIN, FUR, flat_limb(Vec3::new(0.0, 0.6, 0.2), Vec3::new(0.0, 0.46, 0.2), [0.2, 0.10], 1.0));

    // Head: heavy brow, nose, jaw with tusks, ears, a mossy mane.
    let head = body.add_head(s, SKIN);
    let center = head.center;
    s.add(
        SKIN,
        0.05,
        egg(center + Vec3::new(0.0, -0.10, 0.075), Vec3::new(0.155, 0.095, 0.135)).turned(nod(8.0)),
    );
    s.add(SKIN, 0.03, limb(head.above(7.0, 24.0, 0.98), head.above(44.0, 30.0, 0.96), 0.042, 0.034));
    s.add(DARK, 0.025, limb(head.at(0.0, 9.0), head.above(0.0, -6.0, 1.36), 0.033, 0.064));
    s.add(DARK, 0.012, ball(head.above(12.0, -9.0, 1.24), 0.038));
    s.add(SKIN, 0.02, limb(head.at(88.0, 5.0), head.above(102.0, 24.0, 2.15), 0.055, 0.018));
    s.stamp(0xA87E6A, limb(head.above(80.0, 8.0, 1.22), head.above(96.0, 21.0, 1.9), 0.032, 0.012));
    head.add_eyes(s, 25.0, 3.0, 0.045, 0xE0A526);
    let mouth = center + Vec3::new(0.0, -0.128, 0.0);
    let lip = |x: f64, y: f64| mouth + Vec3::new(x, y, 0.19 - 2.2 * x * x);
    for (from, to) in [((0.0, -0.004), (0.07, -0.004)), ((0.07, -0.004), (0.132, 0.034))] {
        s.stamp_over(SKIN, 0x3A2A22, flat_limb(lip(from.0, from.1), lip(to.0, to.1), [0.013; 2], 3.0));
    }
    s.add(
        HORN,
        0.004,
        limb(lip(0.085, -0.022) + Vec3::z() * 0.012, lip(0.098, 0.050) + Vec3::z() * 0.03, 0.019, 0.004),
    );
    for (up, reach) in [(58.0, 1.22), (85.0, 1.30), (112.0, 1.28), (138.0, 1.2)] {
        s.add(MOSS, 0.02, limb(head.above(0.0, up, 0.95), head.above(0.0, up + 10.0, reach), 0.06, 0.022));
    }
    s.add(
        MOSS,
        0.03,
        limb(center + Vec3::new(0.0, -0.02, -0.17), j.neck + Vec3::new(0.0, 0.03, -0.16), 0.07, 0.04),
    );
    // Warts.
    for at in [head.at(48.0, -18.0), head.at(30.0, 44.0), j.shoulder + Vec3::new(0.02, 0.13, 0.06)] {
        s.add(DARK, 0.006, ball(at, 0.02));
    }

    let mut character = Character::new("biped", "A", j.named());
    let material =
        character.material(Material { name: "troll".into(), roughness: 0.9, ..Material::default() });
    let detail = Detail { cell: 0.015, finest: 0.010, coarsest: 0.075, ..Detail::default() };
    character.add("troll", material, sculpted(s, &detail));
    character.stand()
}
