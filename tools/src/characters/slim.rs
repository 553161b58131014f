//! A slim person in T-pose: striped jumper (a texture), rolled-up jeans, trainers, hair in a bun.

use super::body::Body;
use super::implicit::{Detail, Ink, Sculpture, ball, below, beyond, egg, limb};
use super::model::{Character, sculpted};
use super::texture::{Pattern, png};
use puppetry::stages::math::Vec3;
use puppetry::stages::mesh::{EncodedImage, Material};

const SKIN: Ink = 0xD99A6C;
const HAIR: Ink = 0x3B2219;
const JUMPER: Ink = 0xFFFFFF;
/// As white as the jumper, but another ink: its stripes run around the arm.
const SLEEVE: Ink = 0xFFFFFE;
const JEANS: Ink = 0x35507A;
const TURN_UP: Ink = 0x8FA9CC;
const SHOE: Ink = 0xC8372D;
const SOLE: Ink = 0xF3EEE4;

pub fn make() -> Character {
    let body = Body::default();
    let j = body.joints();
    let s = &mut Sculpture::default();
    body.add_torso(s, JUMPER);
    body.add_arms(s, SLEEVE);
    body.add_legs(s, JEANS);
    body.add_feet(s, SHOE);
    body.add_hands(s, SKIN);
    let head = body.add_head(s, SKIN);

    // Clothes: where the jumper ends at the neck, the hips and the wrists; turn-ups and soles.
    let hem = j.hips.y - 0.015;
    s.stamp_over(JUMPER, JEANS, below(hem));
    s.stamp_over(JEANS, JUMPER, beyond(Vec3::y() * hem, Vec3::y()));
    s.stamp_over(JUMPER, SKIN, limb(j.neck + Vec3::y() * 0.035, head.center, 0.07, 0.13));
    let arm = body.forearm_direction();
    s.stamp_over(SLEEVE, SKIN, beyond(j.wrist - arm * 0.05, arm));
    s.add(TURN_UP, 0.002, limb(j.ankle + Vec3::y() * 0.07, j.ankle + Vec3::y() * 0.105, 0.050, 0.051));
    s.stamp_over(JEANS, SKIN, below(j.ankle.y + 0.05));
    s.stamp_over(SHOE, SKIN, beyond(Vec3::y() * (j.ankle.y + 0.012), Vec3::y()));
    s.stamp_over(SKIN, SHOE, below(j.ankle.y + 0.012));
    s.stamp_over(SHOE, SOLE, below(0.022));

    // Head: ears, nose, hair with a bun, face.
    let (center, r) = (head.center, head.radii);
    s.add(SKIN, 0.01, egg(head.at(88.0, -6.0), Vec3::new(0.016, 0.03, 0.02)));
    s.add(SKIN, 0.02, egg(center + Vec3::new(0.0, -0.68 * r.y, 0.42 * r.z), Vec3::new(0.045, 0.04, 0.045)));
    s.add(SKIN, 0.012, limb(head.at(0.0, 0.0), head.above(0.0, -14.0, 1.08), 0.008, 0.015));
    s.add(
        HAIR,
        0.008,
        egg(center + Vec3::new(0.0, 0.024, -0.030), r.component_mul(&Vec3::new(1.13, 1.06, 1.04))),
    );
    s.add(HAIR, 0.01, ball(center + Vec3::new(0.0, 1.22 * r.y, -0.075), 0.058));
    s.add(HAIR, 0.014, limb(head.above(2.0, 60.0, 1.03), head.above(42.0, 42.0, 1.04), 0.028, 0.024));
    s.add(HAIR, 0.014, limb(head.above(42.0, 42.0, 1.04), head.above(72.0, -2.0, 1.04), 0.024, 0.012));
    head.add_eyes(s, 23.0, -1.0, 0.027, 0x4C7A4A);
    head.ridge(s, HAIR, 0.0066, &[[11.0, 18.0], [23.0, 22.0], [35.0, 18.0]]);
    head.draw(s, 0xA63D3A, 0.0075, &[[0.0, -40.0], [9.0, -39.0], [18.0, -34.0]]);
    s.stamp_over(SKIN, 0xE08468, egg(head.at(36.0, -24.0), Vec3::new(0.02, 0.015, 0.03)));

    let mut character = Character::new("biped", "T", j.named());
    character.mesh.appearance.images.push(EncodedImage {
        name: "stripes".into(),
        media_type: "image/png".into(),
        bytes: png(&jumper_stripes()).into(),
    });
    let material = character.material(Material {
        name: "cloth".into(),
        base_color_image: Some(0),
        roughness: 0.85,
        ..Material::default()
    });
    let detail = Detail { cell: 0.0075, finest: 0.0042, coarsest: 0.04, ..Detail::default() };
    let (vertices, triangles) = sculpted(s, &detail);
    // A stripe and a gap are one turn of the texture; what is not knitted takes a white texel.
    let turns = 1.0 / 0.07;
    character.mesh.appearance.texcoords.extend(vertices.iter().map(|vertex| {
        let p = vertex.position;
        let across = match vertex.ink {
            JUMPER => p.y,
            SLEEVE => p.x.abs(),
            _ => return [0.5, 0.75],
        };
        [(p.z * turns) as f32, (across * turns) as f32]
    }));
    character.add("slim", material, (vertices, triangles));
    character.stand()
}

/// Navy stripes on cream, with the ribs of the knitting; white is kept for everything else.
fn jumper_stripes() -> Pattern {
    let size = 64;
    let pixel = |column: usize, row: usize| {
        let rib = (column / 4 + row / 4).is_multiple_of(2);
        match (row < size * 2 / 5, row >= size * 7 / 10 && row < size * 8 / 10, rib) {
            (true, _, true) => 0,
            (true, _, false) => 1,
            (_, true, _) => 4,
            (_, _, true) => 2,
            (_, _, false) => 3,
        }
    };
    let pixels = (0..size * size).map(|at| pixel(at % size, at / size)).collect();
    Pattern { width: size, palette: vec![0x1F3457, 0x253C63, 0xF7F1E1, 0xF2EBD9, 0xFFFFFF], pixels }
}
