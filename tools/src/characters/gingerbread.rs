//! A gingerbread person: a flat biscuit with icing, sugar buttons and a smile.

use super::body::{Body, Girth};
use super::implicit::{Detail, Sculpture, ball, below, egg, flat_limb, limb};
use super::model::{Character, sculpted};
use puppetry::stages::math::Vec3;
use puppetry::stages::mesh::Material;

const BISCUIT: u32 = 0xB9722D;
const ICING: u32 = 0xFFF4E2;
const CHERRY: u32 = 0xD3243B;
const CURRANT: u32 = 0x2A1710;

pub fn make() -> Character {
    let body = Body {
        hip_height: 0.50,
        hip_width: 0.15,
        leg_spread: 0.16,
        knee_bend: 0.0,
        ankle_height: 0.12,
        foot_length: 0.22,
        foot_splay: 0.0,
        torso: 0.46,
        neck: 0.07,
        head: Vec3::new(0.25, 0.24, 0.10),
        shoulder_width: 0.20,
        shoulder_drop: 0.07,
        upper_arm: 0.22,
        forearm: 0.20,
        hand: 0.12,
        arm_drop: 0.42,
        elbow_bend: 0.0,
        girth: Girth {
            torso: [0.22, 0.20, 0.19],
            torso_depth: 0.48,
            neck: 0.10,
            arm: [0.115, 0.105, 0.105],
            leg: [0.145, 0.13, 0.125],
            foot: 0.10,
        },
        ..Body::default()
    };
    let j = body.joints();
    let girth = &body.girth;
    let s = &mut Sculpture::default();
    let depth = 0.72;
    body.add_torso(s, BISCUIT);
    let head = body.add_head(s, BISCUIT);
    let hand = j.wrist + body.forearm_direction() * 0.05;
    s.add(BISCUIT, 0.06, flat_limb(j.shoulder, hand, [girth.arm[0], 1.12 * girth.arm[2]], depth));
    let foot = j.ankle + Vec3::new(0.01, 0.0, 0.02);
    s.add(BISCUIT, 0.06, flat_limb(j.hip, foot, [girth.leg[0], 1.1 * girth.leg[2]], depth));
    s.add(BISCUIT, 0.05, egg(foot + Vec3::new(0.0, -0.06, 0.03), Vec3::new(0.13, 0.085, 0.12)));
    s.carve(0.03, below(0.0));

    // Icing: waves around wrists and ankles, drawn as stamps that go through the biscuit.
    let arm = (j.wrist - j.elbow).normalize();
    waves(s, j.wrist - arm * 0.045, arm, Vec3::z().cross(&arm), girth.arm[2] * 1.15);
    let leg = (j.ankle - j.knee).normalize();
    waves(s, j.ankle - leg * 0.03, leg, Vec3::z().cross(&leg), girth.leg[2] * 1.2);

    // Face.
    let eye = head.at(22.0, 12.0);
    s.add(ICING, 0.0, egg(eye, Vec3::new(0.043, 0.05, 0.024)));
    s.stamp(CURRANT, egg(eye + Vec3::new(-0.004, -0.002, 0.0), Vec3::new(0.029, 0.035, 0.1)));
    s.stamp(ICING, egg(eye + Vec3::new(0.006, 0.014, 0.0), Vec3::new(0.009, 0.009, 0.1)));
    head.ridge(s, ICING, 0.014, &[[0.0, -32.0], [12.0, -30.0], [22.0, -23.0], [28.0, -13.0]]);
    head.ridge(s, ICING, 0.011, &[[14.0, 31.0], [23.0, 35.0], [31.0, 31.0]]);
    s.stamp(0xE0704F, egg(head.at(38.0, -9.0), Vec3::new(0.034, 0.028, 0.05)));

    // A bow tie and two buttons.
    let front = |y: f64, out: f64| Vec3::new(0.0, y, out);
    let bow = front(j.neck.y, 0.10);
    s.add(0x2F9E62, 0.005, ball(bow + Vec3::z() * 0.012, 0.026));
    s.add(0x2F9E62, 0.005, limb(bow, bow + Vec3::new(0.085, 0.0, 0.0), 0.014, 0.045));
    for y in [j.chest.y, j.spine.y + 0.02] {
        s.add(CHERRY, 0.004, egg(front(y, 0.095), Vec3::new(0.034, 0.034, 0.024)));
    }

    let mut character = Character::new("biped", "A", j.named());
    let material =
        character.material(Material { name: "biscuit".into(), roughness: 0.8, ..Material::default() });
    let detail = Detail { cell: 0.012, coarsest: 0.045, finest: 0.011, ..Detail::default() };
    character.add("gingerbread", material, sculpted(s, &detail));
    character.stand()
}

/// A wavy band of icing across a limb.
fn waves(s: &mut Sculpture, center: Vec3, along: Vec3, across: Vec3, half_width: f64) {
    let turns = 5;
    let at = |step: i32| {
        let share = f64::from(step) / f64::from(turns);
        let swing = if step % 2 == 0 { 0.016 } else { -0.016 };
        center + across * (share * half_width) + along * swing
    };
    for step in -turns..turns {
        s.stamp(ICING, flat_limb(at(step), at(step + 1), [0.013; 2], 14.0));
    }
}
