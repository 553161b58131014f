//! Characters for the tests. Each has one feature that the example characters lack, few triangles and nothing but its
//! surface.

use super::beast::{Beast, Leg};
use super::body::{Body, Joints};
use super::implicit::{Detail, Ink, Sculpture, below, beyond, flat_limb, limb};
use super::model::{CUT, Character, Vertex, sculpted};
use super::solids::{Solid, lathe, rod};
use puppetry::stages::math::Vec3;
use puppetry::stages::mesh::Material;
use std::f64::consts::PI;

/// Surfaces have one colour, which is not written.
const PLAIN: Ink = 0xB0A090;
/// About 1,500 vertices for a person.
const COARSE: Detail = Detail {
    cell: 0.014,
    finest: 0.026,
    coarsest: 0.065,
    per_radius: 0.6,
    per_outline: 0.6,
    gradation: 0.35,
};

/// A monk: head, hands and feet in an open robe with nothing under it. Legs leave no trace between hips and ankles.
pub fn robe() -> Character {
    let body = Body { arm_drop: 0.6, fingers: 0, ..Body::default() };
    let j = body.joints();
    let mut character = person("A", &j);
    character.note = "the robe is one open surface; there is no body under it";
    let robe = &mut Sculpture::default();
    body.add_torso(robe, PLAIN);
    body.add_arms(robe, PLAIN);
    let (waist, hem) = (j.hips + Vec3::y() * 0.06, Vec3::y() * 0.11);
    robe.add(PLAIN, 0.08, flat_limb(waist, hem - Vec3::y() * 0.1, [0.13, 0.23], 0.8));
    robe.inflate(0.015);
    robe.stamp(CUT, below(hem.y));
    let hand = j.wrist + body.forearm_direction() * 0.08;
    robe.stamp(CUT, limb(hand, hand + body.forearm_direction() * 0.1, 0.1, 0.1));
    robe.stamp(CUT, beyond(j.neck + Vec3::y() * 0.06, Vec3::y()));
    add(&mut character, "robe", robe);
    let head = &mut Sculpture::default();
    head.add(PLAIN, 0.0, limb(j.neck, j.head, body.girth.neck, body.girth.neck));
    body.add_head(head, PLAIN);
    add(&mut character, "head", head);
    let hands = &mut Sculpture::default();
    body.add_hands(hands, PLAIN);
    add(&mut character, "hands", hands);
    let feet = &mut Sculpture::default();
    body.add_feet(feet, PLAIN);
    add(&mut character, "feet", feet);
    character.bare().stand()
}

/// A person of pebbles: closed stones that overlap, all in one part.
pub fn pebbles() -> Character {
    let body = Body { arm_drop: 0.7, ..Body::default() };
    let j = body.joints();
    let mut character = person("A", &j);
    character.note = "closed stones that overlap, in one part";
    let toe = Vec3::new(j.toe.x, 0.05, j.toe.z + 0.03);
    let hand = j.wrist + body.forearm_direction() * 0.09;
    let crown = j.head + Vec3::y() * 0.10;
    let middle =
        [chain(&[(j.hips, 0.135), (j.neck, 0.13)]), chain(&[(j.head, 0.07), (crown, 0.125)])].concat();
    let arm = [(j.shoulder, 0.062), (j.elbow, 0.050), (j.wrist, 0.042), (hand, 0.052)];
    let leg = [(j.hip, 0.090), (j.knee, 0.064), (j.ankle, 0.055), (toe, 0.045)];
    let left = [chain(&arm), chain(&leg)].concat();
    let right = left.iter().cloned().map(Solid::mirrored);
    let mut all = (Vec::new(), Vec::new());
    for stone in middle.iter().chain(&left).cloned().chain(right) {
        append(&mut all, &stone);
    }
    character.add("pebbles", 0, all);
    character.bare().stand()
}

/// A person with a staff in the left hand: a closed piece that follows one hand and is as long as the body.
pub fn staff() -> Character {
    let body = Body { arm_drop: 0.75, elbow_bend: 0.5, fingers: 0, ..Body::default() };
    let j = body.joints();
    let mut character = person("A", &j);
    character.note = "the staff is a piece of its own in the left hand";
    add(&mut character, "body", &whole(&body));
    let grip = j.wrist + body.forearm_direction() * (0.45 * body.hand);
    let at = |height: f64| Vec3::new(grip.x, height, grip.z);
    let mut staff = (Vec::new(), Vec::new());
    append(&mut staff, &rod(at(0.03), at(1.70), 0.019, 0.019));
    character.add("staff", 0, staff);
    character.bare().stand()
}

/// A person whose arms hang at the sides, hands beside the thighs.
pub fn lowered_arms() -> Character {
    let body =
        Body { arm_drop: 1.42, elbow_bend: 0.15, shoulder_width: 0.205, fingers: 0, ..Body::default() };
    let mut character = person("other", &body.joints());
    add(&mut character, "body", &whole(&body));
    character.bare().stand()
}

/// A stout person whose thighs are one surface down to the knees.
pub fn fused_thighs() -> Character {
    let mut body = Body {
        arm_drop: 0.6,
        hip_width: 0.075,
        leg_spread: 0.02,
        knee_bend: 0.0,
        fingers: 0,
        ..Body::default()
    };
    body.girth.torso = [0.165, 0.16, 0.16];
    body.girth.leg = [0.112, 0.096, 0.042];
    let mut character = person("A", &body.joints());
    character.note = "there is no air between the thighs";
    add(&mut character, "body", &whole(&body));
    character.bare().stand()
}

/// An animal whose neck is as long as its legs.
pub fn long_neck() -> Character {
    let animal = Beast {
        trunk: [[1.02, -0.42], [1.0, 0.0], [1.06, 0.36]],
        trunk_width: [0.19, 0.20, 0.21],
        neck: [[1.16, 0.50], [1.98, 0.80]],
        neck_radius: [0.13, 0.085],
        skull: Vec3::new(0.10, 0.11, 0.13),
        muzzle: [1.92, 1.08],
        muzzle_radius: [0.075, 0.05],
        tail: [[1.06, -0.60], [0.90, -0.68], [0.70, -0.70]],
        tail_radius: [0.04, 0.034, 0.026],
        front: Leg {
            width: 0.14,
            joints: [[0.92, 0.36], [0.56, 0.32], [0.26, 0.36]],
            radii: [0.11, 0.065, 0.048],
            foot: [0.035, 0.38],
            foot_size: Vec3::new(0.06, 0.05, 0.08),
        },
        hind: Leg {
            width: 0.14,
            joints: [[0.95, -0.40], [0.60, -0.30], [0.34, -0.46], [0.08, -0.42]],
            radii: [0.13, 0.08, 0.05, 0.045],
            foot: [0.035, -0.39],
            foot_size: Vec3::new(0.06, 0.05, 0.075),
        },
    };
    let mut character = Character::new("quadruped", "other", animal.joints());
    character.material(plain());
    let s = &mut Sculpture::default();
    animal.add_flesh(s, PLAIN);
    let detail = Detail { cell: 0.02, finest: 0.045, coarsest: 0.09, ..COARSE };
    character.add("animal", 0, sculpted(s, &detail));
    character.bare().stand()
}

fn plain() -> Material {
    Material { name: "plain".into(), ..Material::default() }
}

fn person(pose: &'static str, joints: &Joints) -> Character {
    let mut character = Character::new("biped", pose, joints.named());
    character.material(plain());
    character
}

fn add(character: &mut Character, name: &str, sculpture: &Sculpture) {
    character.add(name, 0, sculpted(sculpture, &COARSE));
}

/// A bare person as one closed surface.
fn whole(body: &Body) -> Sculpture {
    let mut s = Sculpture::default();
    body.add_torso(&mut s, PLAIN);
    body.add_arms(&mut s, PLAIN);
    body.add_legs(&mut s, PLAIN);
    body.add_hands(&mut s, PLAIN);
    body.add_feet(&mut s, PLAIN);
    body.add_head(&mut s, PLAIN);
    s
}

/// Stones along a line through points with radii, each overlapping the next.
fn chain(points: &[(Vec3, f64)]) -> Vec<Solid> {
    let mut stones = Vec::new();
    for pair in points.windows(2) {
        let [(from, a), (to, b)] = [pair[0], pair[1]];
        let count = ((to - from).norm() / (1.45 * a.min(b))).ceil();
        let share = |number: u32| f64::from(number) / count;
        stones.extend((0..count as u32).map(|k| pebble(from.lerp(&to, share(k)), a + share(k) * (b - a))));
    }
    stones.extend(points.last().map(|&(point, radius)| pebble(point, radius)));
    stones
}

/// A ball of 80 triangles.
fn pebble(center: Vec3, radius: f64) -> Solid {
    let ring = |step: u32| {
        let angle = PI * f64::from(step) / 5.0;
        [if step.is_multiple_of(5) { 0.0 } else { radius * angle.sin() }, -radius * angle.cos()]
    };
    lathe(10, &(0..=5).map(ring).collect::<Vec<_>>()).moved(center)
}

fn append(all: &mut (Vec<Vertex>, Vec<[u32; 3]>), solid: &Solid) {
    let (vertices, triangles) = solid.shaded(PLAIN);
    let first = all.0.len() as u32;
    all.0.extend(vertices);
    all.1.extend(triangles.iter().map(|triangle| triangle.map(|corner| corner + first)));
}
