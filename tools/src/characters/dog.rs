//! A cheerful dog: brown patches on white, floppy ears, a collar with a tag, tail up.

use super::beast::{Beast, Leg, middle};
use super::implicit::{Detail, Ink, Sculpture, ball, beyond, egg, limb};
use super::model::{Character, sculpted};
use puppetry::stages::math::Vec3;
use puppetry::stages::mesh::Material;

const COAT: Ink = 0xF4EBDC;
const PATCH: Ink = 0x9A5B2B;
const NOSE: Ink = 0x231A18;
const COLLAR: Ink = 0xC62F3B;

pub fn make() -> Character {
    let dog = Beast {
        trunk: [[0.405, -0.20], [0.395, 0.0], [0.385, 0.17]],
        trunk_width: [0.092, 0.094, 0.115],
        neck: [[0.435, 0.24], [0.56, 0.315]],
        neck_radius: [0.078, 0.066],
        skull: Vec3::new(0.092, 0.088, 0.090),
        muzzle: [0.535, 0.47],
        muzzle_radius: [0.060, 0.040],
        tail: [[0.45, -0.265], [0.54, -0.35], [0.67, -0.345]],
        tail_radius: [0.028, 0.024, 0.012],
        front: Leg {
            width: 0.078,
            joints: [[0.36, 0.18], [0.245, 0.135], [0.075, 0.155]],
            radii: [0.066, 0.043, 0.033],
            foot: [0.024, 0.180],
            foot_size: Vec3::new(0.041, 0.036, 0.056),
        },
        hind: Leg {
            width: 0.080,
            joints: [[0.375, -0.20], [0.245, -0.135], [0.13, -0.245], [0.035, -0.215]],
            radii: [0.082, 0.056, 0.034, 0.030],
            foot: [0.024, -0.185],
            foot_size: Vec3::new(0.040, 0.036, 0.054),
        },
    };
    let s = &mut Sculpture::default();
    let head = dog.add_flesh(s, COAT);

    // Coat: a saddle, a patch around each eye, a brown tail with a white tip, socks left white.
    s.stamp_over(COAT, PATCH, egg(Vec3::new(0.0, 0.51, -0.03), Vec3::new(0.2, 0.115, 0.155)));
    s.stamp_over(COAT, PATCH, ball(Vec3::new(0.14, 0.40, -0.26), 0.10));
    s.stamp_over(COAT, PATCH, limb(middle(dog.tail[0]), middle(dog.tail[2]) - Vec3::y() * 0.05, 0.045, 0.06));
    s.stamp_over(COAT, PATCH, egg(head.at(38.0, 22.0), Vec3::new(0.047, 0.055, 0.06)));

    // Ears hang from the sides of the head.
    let ear = head.above(82.0, 38.0, 0.96);
    s.add(PATCH, 0.02, limb(ear, ear + Vec3::new(0.034, -0.01, -0.005), 0.026, 0.024));
    s.add(
        PATCH,
        0.012,
        limb(ear + Vec3::new(0.034, -0.01, -0.005), ear + Vec3::new(0.046, -0.105, 0.012), 0.023, 0.032),
    );

    // Face: eyes, brows, nose, smile, tongue.
    head.add_eyes(s, 28.0, 20.0, 0.023, 0x5A3A1E);
    head.ridge(s, 0x5A3418, 0.0075, &[[19.0, 44.0], [30.0, 46.0]]);
    let nose = middle(dog.muzzle);
    s.add(NOSE, 0.004, egg(nose + Vec3::new(0.0, 0.022, 0.032), Vec3::new(0.026, 0.019, 0.018)));
    for (from, to) in [
        ([0.0, -0.004, 0.05], [0.0, -0.018, 0.036]),
        ([0.0, -0.018, 0.036], [0.022, -0.024, 0.022]),
        ([0.022, -0.024, 0.022], [0.043, -0.012, -0.02]),
    ] {
        s.stamp_over(COAT, NOSE, limb(nose + Vec3::from(from), nose + Vec3::from(to), 0.0062, 0.0062));
    }
    s.add(
        0xE8788A,
        0.003,
        limb(nose + Vec3::new(0.0, -0.034, 0.016), nose + Vec3::new(0.0, -0.066, 0.03), 0.015, 0.018),
    );

    // Collar and tag.
    let [low, high] = dog.neck.map(middle);
    let along = (high - low).normalize();
    let at = low.lerp(&high, 0.52);
    s.stamp_over(COAT, COLLAR, beyond(at - along * 0.016, along));
    s.stamp_over(COLLAR, COAT, beyond(at + along * 0.016, along));
    s.add(0xF0C23B, 0.003, ball(at + Vec3::new(0.0, -0.052, 0.072), 0.021));

    let mut character = Character::new("quadruped", "other", dog.joints());
    let material =
        character.material(Material { name: "coat".into(), roughness: 0.9, ..Material::default() });
    let detail = Detail { cell: 0.006, finest: 0.0045, coarsest: 0.024, ..Detail::default() };
    character.add("dog", material, sculpted(s, &detail));
    character.stand()
}
