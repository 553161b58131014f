//! What makes joints hard to find, one thing at a time.

use super::flesh::Flesh;
use super::wardrobe::{block, cone, crown, dress, middle_of_back, skirt};
use puppetry::stages::math::{Random, Vec3};

/// One thing that makes a character harder than it was.
#[derive(Debug, Clone, Copy)]
pub struct Trouble {
    pub name: &'static str,
    /// Whether it happens to people, and to animals.
    people: bool,
    animals: bool,
    apply: fn(&mut Flesh, &mut Random),
}

impl Trouble {
    pub const ALL: [Trouble; 14] = [
        Trouble::of_people("cape", |flesh, _| {
            dress(flesh, 3);
        }),
        Trouble::of_people("wings", |flesh, _| wings(flesh)),
        Trouble::of_people("tail", |flesh, _| {
            dress(flesh, 1);
        }),
        Trouble::of_people("sword", |flesh, _| sword(flesh)),
        Trouble::of_people("robe", |flesh, _| skirt(flesh, 0.1)),
        Trouble::of_people("arms lowered", |flesh, _| flesh.set_arms(-60.0)),
        Trouble::of_people("arms raised", |flesh, _| flesh.set_arms(40.0)),
        Trouble::of_people("big head", |flesh, _| flesh.grow_head(1.5)),
        Trouble::of_both("ears", |flesh, _| ears(flesh)),
        Trouble::of_both("hat", |flesh, _| {
            dress(flesh, 0);
        }),
        Trouble::of_both("holes", holes),
        Trouble::of_both("long legs", |flesh, _| flesh.stretch_legs(1.35)),
        Trouble::of_animals("saddle", |flesh, _| {
            dress(flesh, 1);
        }),
        Trouble::of_animals("stride", |flesh, _| flesh.swing_legs(12.0)),
    ];

    const fn of_people(name: &'static str, apply: fn(&mut Flesh, &mut Random)) -> Trouble {
        Trouble { name, people: true, animals: false, apply }
    }

    const fn of_animals(name: &'static str, apply: fn(&mut Flesh, &mut Random)) -> Trouble {
        Trouble { name, people: false, animals: true, apply }
    }

    const fn of_both(name: &'static str, apply: fn(&mut Flesh, &mut Random)) -> Trouble {
        Trouble { name, people: true, animals: true, apply }
    }

    /// Whether it can happen to a character: each joint that the change needs is known.
    pub fn is_for(&self, flesh: &Flesh) -> bool {
        let (kind, joints) = match flesh.truth.morphology.as_str() {
            "biped" => (self.people, &OF_PEOPLE[..]),
            "quadruped" => (self.animals, &OF_ANIMALS[..]),
            _ => (false, &[][..]),
        };
        kind && joints.iter().all(|joint| flesh.truth.joints.contains_key(*joint))
    }

    pub fn apply(&self, flesh: &mut Flesh, random: &mut Random) {
        (self.apply)(flesh, random);
        flesh.truth.height = flesh.bounds().extent().y;
    }
}

/// The joints by which characters are changed.
const OF_PEOPLE: [&str; 15] = [
    "hips",
    "neck",
    "head",
    "left_shoulder",
    "left_elbow",
    "left_wrist",
    "left_hip",
    "left_knee",
    "left_ankle",
    "right_shoulder",
    "right_elbow",
    "right_wrist",
    "right_hip",
    "right_knee",
    "right_ankle",
];
const OF_ANIMALS: [&str; 7] = [
    "hips",
    "neck",
    "head",
    "front_left_shoulder",
    "back_left_hip",
    "front_right_shoulder",
    "back_right_hip",
];

/// Two boards behind the shoulders, as wide as the arms.
fn wings(flesh: &mut Flesh) {
    let behind = middle_of_back(flesh, 0.8);
    for side in [-1.0, 1.0] {
        block(flesh, behind, [0.2, 0.14, 0.006], [0.22 * side, 0.06, -0.03]);
    }
}

/// A blade as long as an arm, held ahead in the right hand.
fn sword(flesh: &mut Flesh) {
    let (elbow, wrist) = (flesh.joint("right_elbow"), flesh.joint("right_wrist"));
    let hand = wrist + (wrist - elbow) * 0.3;
    block(flesh, hand, [0.012, 0.012, 0.22], [0.0, 0.0, 0.16]);
}

/// A hare's ears on the head.
fn ears(flesh: &mut Flesh) {
    let top = crown(flesh) - Vec3::y() * (0.02 * flesh.height());
    for side in [-1.0, 1.0] {
        let foot = top + Vec3::x() * (0.05 * side * flesh.height());
        cone(flesh, foot, [0.025, 0.008], [0.0, 0.16]);
    }
}

/// Holes of a scan: what it takes away, and how large one is, in heights.
const HOLES: usize = 6;
const HOLE: f64 = 0.03;

fn holes(flesh: &mut Flesh, random: &mut Random) {
    let centers: Vec<Vec3> =
        (0..HOLES).map(|_| flesh.positions[random.index(flesh.positions.len())]).collect();
    let radius = HOLE * flesh.height();
    let positions = &flesh.positions;
    flesh.triangles.retain(|triangle| {
        let middle = triangle.iter().map(|&v| positions[v as usize]).sum::<Vec3>() / 3.0;
        centers.iter().all(|center| (center - middle).norm() > radius)
    });
}
