//! A bay horse: long legs with white socks, black mane and tail, a blaze on the face.

use super::beast::{Beast, Leg, middle};
use super::implicit::{Detail, Ink, Sculpture, below, egg, limb};
use super::model::{Character, sculpted};
use puppetry::stages::math::Vec3;
use puppetry::stages::mesh::Material;

const COAT: Ink = 0x8A4A24;
const MANE: Ink = 0x241814;
const SOCK: Ink = 0xF2EADD;
const HOOF: Ink = 0x3A322E;
const MUZZLE: Ink = 0x4B2D22;

pub fn make() -> Character {
    let horse = Beast {
        trunk: [[1.27, -0.55], [1.20, 0.0], [1.20, 0.42]],
        trunk_width: [0.265, 0.275, 0.275],
        neck: [[1.36, 0.58], [1.93, 0.95]],
        neck_radius: [0.20, 0.115],
        skull: Vec3::new(0.120, 0.150, 0.155),
        muzzle: [1.66, 1.38],
        muzzle_radius: [0.105, 0.082],
        tail: [[1.42, -0.78], [1.15, -0.97], [0.62, -0.98]],
        tail_radius: [0.055, 0.095, 0.045],
        front: Leg {
            width: 0.165,
            joints: [[1.12, 0.50], [0.90, 0.42], [0.50, 0.44]],
            radii: [0.155, 0.098, 0.066],
            foot: [0.055, 0.475],
            foot_size: Vec3::new(0.082, 0.085, 0.100),
        },
        hind: Leg {
            width: 0.165,
            joints: [[1.18, -0.55], [0.90, -0.43], [0.55, -0.70], [0.16, -0.645]],
            radii: [0.215, 0.140, 0.072, 0.056],
            foot: [0.055, -0.60],
            foot_size: Vec3::new(0.080, 0.085, 0.100),
        },
    };
    let s = &mut Sculpture::default();
    let head = horse.add_flesh(s, COAT);
    let nose = middle(horse.muzzle);

    // Fetlocks, and the slope from them to the hoof.
    let front_fetlock = Vec3::new(0.165, 0.17, 0.435);
    s.add(COAT, 0.03, limb(Vec3::new(0.165, 0.5, 0.44), front_fetlock, 0.060, 0.056));
    s.stamp_over(COAT, SOCK, below(0.33));
    s.stamp_over(SOCK, HOOF, below(0.075));

    // Head: jaw, ears, nostrils, blaze.
    s.add(COAT, 0.06, egg(head.center + Vec3::new(0.0, -0.075, 0.07), Vec3::new(0.105, 0.115, 0.14)));
    let ear = head.above(48.0, 68.0, 0.95);
    s.add(COAT, 0.02, limb(ear, ear + Vec3::new(0.03, 0.15, 0.0), 0.042, 0.012));
    head.add_eyes(s, 58.0, 20.0, 0.038, 0x3B2415);
    s.stamp_over(
        COAT,
        SOCK,
        limb(head.at(0.0, 42.0), nose.lerp(&head.center, 0.3) + Vec3::new(0.0, 0.09, 0.06), 0.038, 0.03),
    );
    s.stamp_over(COAT, MUZZLE, egg(nose + Vec3::new(0.0, -0.01, 0.02), Vec3::new(0.14, 0.12, 0.105)));
    s.stamp_over(MUZZLE, HOOF, egg(nose + Vec3::new(0.045, 0.04, 0.078), Vec3::new(0.018, 0.024, 0.03)));
    for (from, to) in
        [([0.0, -0.045, 0.072], [0.05, -0.045, 0.052]), ([0.05, -0.045, 0.052], [0.08, -0.03, -0.03])]
    {
        s.stamp_over(MUZZLE, MANE, limb(nose + Vec3::from(from), nose + Vec3::from(to), 0.012, 0.010));
    }

    // Mane: locks along the crest, a forelock between the ears; the tail is hair from its base on.
    let [low, high] = horse.neck.map(middle);
    let along = (high - low).normalize();
    let back = Vec3::new(0.0, along.z, -along.y);
    for lock in 0..7 {
        let share = f64::from(lock) / 6.0;
        let root = low.lerp(&high, 0.12 + 0.95 * share) + back * (0.17 - 0.07 * share);
        let hang = root + back * 0.075 + Vec3::new(0.0, -0.075, 0.0);
        s.add(MANE, 0.025, limb(root, hang, 0.062, 0.030));
    }
    s.add(MANE, 0.02, limb(head.above(0.0, 88.0, 1.0), head.above(0.0, 42.0, 1.06), 0.048, 0.018));
    let tail = horse.tail.map(middle);
    s.stamp_over(COAT, MANE, limb(tail[0] + Vec3::new(0.0, 0.02, -0.09), tail[1], 0.10, 0.14));
    s.stamp_over(COAT, MANE, limb(tail[1], tail[2], 0.15, 0.12));

    // Rigs of animals have three bones in the front leg and end the second at the fetlock, not at the carpus.
    let mut joints = horse.joints();
    for (_, wrist) in joints.iter_mut().filter(|(name, _)| name.ends_with("wrist")) {
        *wrist = Vec3::new(front_fetlock.x * wrist.x.signum(), front_fetlock.y, front_fetlock.z);
    }
    let mut character = Character::new("quadruped", "other", joints);
    character.note = "wrist is the front fetlock, ankle the hock, toe the hind fetlock";
    let material =
        character.material(Material { name: "coat".into(), roughness: 0.7, ..Material::default() });
    let detail = Detail { cell: 0.017, finest: 0.011, coarsest: 0.075, ..Detail::default() };
    character.add("horse", material, sculpted(s, &detail));
    character.stand()
}
