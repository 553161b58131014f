//! A person in layers, as dressed characters of games are: the whole body, and over it eyes, hair, a shirt and
//! a skirt with open hems, a belt and shoes, each a piece of its own.

use super::body::Body;
use super::implicit::{Detail, Ink, Sculpture, ball, below, beyond, egg, flat_limb, limb};
use super::model::{CUT, Character, sculpted};
use super::texture::{Pattern, png};
use puppetry::stages::math::Vec3;
use puppetry::stages::mesh::{EncodedImage, Material};

const SKIN: Ink = 0x8D5A3B;
const HAIR: Ink = 0x1F1512;
const SHIRT: Ink = 0xFFFFFF;
/// As white as the shirt, but another ink: its checks run along the arm.
const SLEEVE: Ink = 0xFFFFFE;
const SKIRT: Ink = 0xE3A72F;
const BELT: Ink = 0x5A2E1C;
const BUCKLE: Ink = 0xE8D48A;
const SHOE: Ink = 0x2E8C84;
const SOLE: Ink = 0xF3EEE4;

pub fn make() -> Character {
    let mut body = Body { arm_drop: 0.62, elbow_bend: 0.12, hip_height: 0.86, ..Body::default() };
    body.girth.torso = [0.142, 0.108, 0.130];
    let j = body.joints();
    let mut character = Character::new("biped", "A", j.named());
    character.note = "the body is whole under the clothes; shirt and skirt are single open surfaces";
    character.mesh.appearance.images.push(EncodedImage {
        name: "checks".into(),
        media_type: "image/png".into(),
        bytes: png(&checks()).into(),
    });
    let plain = character.material(Material { name: "plain".into(), roughness: 0.8, ..Material::default() });
    let cloth = Material { name: "cloth".into(), double_sided: true, roughness: 0.9, ..Material::default() };
    let checked = Material { name: "checks".into(), base_color_image: Some(0), ..cloth.clone() };
    let (cloth, checked) = (character.material(cloth), character.material(checked));
    let fine = Detail { cell: 0.0075, finest: 0.0045, coarsest: 0.045, ..Detail::default() };
    let coarse = Detail { cell: 0.01, finest: 0.014, coarsest: 0.035, ..Detail::default() };

    // The body, with a face but without eyes.
    let s = &mut Sculpture::default();
    body.add_torso(s, SKIN);
    body.add_arms(s, SKIN);
    body.add_legs(s, SKIN);
    body.add_feet(s, SKIN);
    body.add_hands(s, SKIN);
    let head = body.add_head(s, SKIN);
    let (center, r) = (head.center, head.radii);
    s.add(SKIN, 0.01, egg(head.at(88.0, -6.0), Vec3::new(0.016, 0.03, 0.02)));
    s.add(SKIN, 0.02, egg(center + Vec3::new(0.0, -0.66 * r.y, 0.42 * r.z), Vec3::new(0.045, 0.04, 0.045)));
    s.add(SKIN, 0.012, limb(head.at(0.0, -2.0), head.above(0.0, -16.0, 1.07), 0.009, 0.018));
    head.ridge(s, HAIR, 0.0066, &[[11.0, 17.0], [24.0, 21.0], [36.0, 16.0]]);
    head.draw(s, 0xB5443F, 0.0095, &[[0.0, -39.0], [9.0, -38.0], [18.0, -32.0]]);
    s.stamp_over(SKIN, 0xA8563B, egg(head.at(37.0, -22.0), Vec3::new(0.021, 0.016, 0.03)));
    character.add("body", plain, sculpted(s, &fine));

    // Two eyes in one sculpture: mirrored, they are two pieces.
    let eyes = &mut Sculpture::default();
    head.add_eyes(eyes, 23.0, -2.0, 0.028, 0x5B3A1C);
    character.add("eyes", plain, sculpted(eyes, &fine));

    // Hair: a round crop of curls.
    let hair = &mut Sculpture::default();
    let crown = center + Vec3::new(0.0, 0.045, -0.035);
    hair.add(HAIR, 0.0, egg(crown, r.component_mul(&Vec3::new(1.18, 1.05, 1.06))));
    for (left, up) in curls() {
        let (left, up): (f64, f64) = (f64::to_radians(left), f64::to_radians(up));
        let out = Vec3::new(left.sin() * up.cos(), up.sin(), left.cos() * up.cos());
        hair.add(HAIR, 0.012, ball(crown + out.component_mul(&r) * 1.12, 0.042));
    }
    character.add("hair", plain, sculpted(hair, &coarse));

    // Shirt: the skin of the torso and the upper arms moved outwards, cut at neck, hem and sleeves.
    let shirt = &mut Sculpture::default();
    body.add_torso(shirt, SHIRT);
    body.add_arms(shirt, SLEEVE);
    shirt.inflate(0.011);
    let sleeve = (j.elbow - j.shoulder).normalize();
    shirt.stamp(CUT, beyond(j.shoulder.lerp(&j.elbow, 0.72), sleeve));
    shirt.stamp(CUT, limb(j.neck + Vec3::new(0.0, 0.04, 0.02), head.center, 0.085, 0.14));
    shirt.stamp(CUT, below(j.hips.y - 0.02));
    let shirt = sculpted(shirt, &coarse);

    // Skirt: a bell from the waist to the knees.
    let skirt = &mut Sculpture::default();
    let waist = j.hips + Vec3::y() * 0.05;
    let hem = Vec3::new(0.0, j.knee.y + 0.07, 0.0);
    skirt.add(SKIRT, 0.0, flat_limb(waist, hem - Vec3::y() * 0.2, [0.152, 0.30], 0.80));
    skirt.stamp_over(SKIRT, 0xC9861C, below(hem.y + 0.035));
    skirt.stamp(CUT, below(hem.y));
    skirt.stamp(CUT, beyond(waist + Vec3::y() * 0.03, Vec3::y()));
    let skirt = sculpted(skirt, &coarse);

    // Belt: a closed ring over the upper edge of the skirt.
    let belt = &mut Sculpture::default();
    belt.add(BELT, 0.0, flat_limb(waist + Vec3::y() * 0.012, waist + Vec3::y() * 0.03, [0.163; 2], 0.80));
    belt.carve(0.004, flat_limb(waist - Vec3::y() * 0.3, waist + Vec3::y() * 0.3, [0.142; 2], 0.80));
    belt.carve(0.004, below(waist.y));
    belt.carve(0.004, beyond(waist + Vec3::y() * 0.042, Vec3::y()));
    belt.add(BUCKLE, 0.002, egg(waist + Vec3::new(0.0, 0.021, 0.128), Vec3::new(0.032, 0.026, 0.012)));
    let belt = sculpted(belt, &Detail { cell: 0.006, coarsest: 0.012, ..fine });

    // Shoes.
    let shoes = &mut Sculpture::default();
    body.add_feet(shoes, SHOE);
    shoes.inflate(0.008);
    shoes.carve(0.008, beyond(Vec3::y() * (j.ankle.y - 0.005), Vec3::y()));
    shoes.stamp_over(SHOE, SOLE, below(0.018));
    let shoes = sculpted(shoes, &coarse);

    // Texture coordinates run around the body and upwards; both halves share the texture.
    let vertices_before = character.mesh.positions.len();
    character.mesh.appearance.texcoords = vec![[0.0; 2]; vertices_before];
    character.mesh.appearance.texcoords.extend(shirt.0.iter().map(|vertex| {
        let p = Vec3::new(vertex.position.x.abs(), vertex.position.y, vertex.position.z);
        let (around, along) = if vertex.ink == SLEEVE {
            let along = (p - j.shoulder).dot(&sleeve);
            let out = p - j.shoulder - sleeve * along;
            (0.5 * out.angle(&Vec3::z()), along)
        } else {
            (1.6 * p.x.atan2(p.z), p.y)
        };
        [around as f32, (along * 9.0) as f32]
    }));
    let rest = [&skirt, &belt, &shoes].map(|piece| piece.0.len()).iter().sum::<usize>();
    character.add("shirt", checked, shirt);
    character.add("skirt", cloth, skirt);
    character.add("belt", plain, belt);
    character.add("shoes", plain, shoes);
    character.mesh.appearance.texcoords.extend(vec![[0.0; 2]; rest]);
    character.stand()
}

/// Directions of the curls, in degrees to the left and up from the middle of the hair.
fn curls() -> Vec<(f64, f64)> {
    let mut directions = vec![(0.0, 90.0), (180.0, 20.0), (180.0, -18.0)];
    for (up, lefts) in [(62.0, [20.0, 85.0, 150.0]), (34.0, [38.0, 92.0, 140.0]), (2.0, [82.0, 118.0, 150.0])]
    {
        directions.extend(lefts.map(|left| (left, up)));
    }
    directions.extend([(100.0, -28.0), (140.0, -32.0), (0.0, 50.0)]);
    directions
}

/// A checked cloth.
fn checks() -> Pattern {
    let size = 64;
    let pixel = |column: usize, row: usize| {
        let band = |at: usize| u8::from(at % size < size / 2);
        let thread = |at: usize| at % size == size / 4 || at % size == size * 3 / 4;
        if thread(column) || thread(row) { 3 } else { band(column) + band(row) }
    };
    let pixels = (0..size * size).map(|at| pixel(at % size, at / size)).collect();
    Pattern { width: size, palette: vec![0xF6E7DC, 0xD9736B, 0xB23A48, 0xFFF8F0], pixels }
}
