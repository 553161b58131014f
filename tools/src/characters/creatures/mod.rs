//! Creatures of any kind: a trunk and limbs as numbers. Joints follow from the numbers, flesh or machine parts from the joints, so
//! that the truth is exact.

mod flying;
mod long;
mod machines;
mod running;
mod spider;

pub use flying::{bird, dragon};
pub use long::{fish, snake};
pub use machines::{fourarms, hexapod};
pub use running::{centaur, raptor};
pub use spider::spider;

use super::body::mirrored;
use super::implicit::{Detail, Form, Ink, Sculpture, below, flat_limb, limb};
use super::model::{Character, sculpted};
use super::solids::{Solid, chamfered_box, rod, sphere};
use puppetry::stages::math::Vec3;
use puppetry::stages::mesh::Material;
use serde_json::{Value, json};

/// A creature.
#[derive(Debug, Clone)]
pub struct Creature {
    /// The joints of the trunk, from the hips to the head.
    pub trunk: Vec<Knot>,
    /// Its limbs, the left ones of pairs.
    pub limbs: Vec<LimbSpec>,
    /// What else there is of it.
    pub lumps: Vec<(Ink, Form)>,
    /// The colour of the trunk.
    pub ink: Ink,
}

/// A joint of the trunk, and how thick it is there.
#[derive(Debug, Clone)]
pub struct Knot {
    pub name: &'static str,
    /// Height and how far forward it is.
    pub at: [f64; 2],
    pub radius: f64,
}

/// A limb: at the left side, with its mirror image at the right, or in the middle.
#[derive(Debug, Clone)]
pub struct LimbSpec {
    pub kind: &'static str,
    /// From the front, from 1.
    pub rank: usize,
    /// Its joints from the trunk outwards, and its tip.
    pub points: Vec<[f64; 3]>,
    /// How thick it is there.
    pub radii: Vec<f64>,
    /// Its depth along z in its thickness: wings are deep.
    pub depth: f64,
    pub ink: Ink,
}

pub fn knot(name: &'static str, at: [f64; 2], radius: f64) -> Knot {
    Knot { name, at, radius }
}

/// A round limb.
pub fn round((kind, rank, ink): (&'static str, usize, Ink), points: &[[f64; 3]], radii: &[f64]) -> LimbSpec {
    LimbSpec { kind, rank, points: points.to_vec(), radii: radii.to_vec(), depth: 1.0, ink }
}

impl LimbSpec {
    fn points(&self) -> Vec<Vec3> {
        self.points.iter().map(|&at| at.into()).collect()
    }

    fn is_paired(&self) -> bool {
        self.points.iter().any(|at| at[0] != 0.0)
    }

    /// Its sides, each with its points.
    fn sides(&self) -> Vec<(Option<&'static str>, Vec<Vec3>)> {
        let points = self.points();
        if !self.is_paired() {
            return vec![(None, points)];
        }
        let image = points.iter().map(|&at| mirrored(at)).collect();
        vec![(Some("left"), points), (Some("right"), image)]
    }

    /// `left_leg1_`.
    fn stem(&self, side: Option<&str>) -> String {
        let side = side.map_or(String::new(), |side| format!("{side}_"));
        format!("{side}{}{}_", self.kind, self.rank)
    }
}

impl Creature {
    /// The joints of the trunk and of all limbs: `left_leg1_2` is the second joint of the foremost left leg.
    fn joints(&self) -> Vec<(String, Vec3)> {
        let trunk = self.trunk.iter().map(|knot| (knot.name.to_owned(), middle(knot.at)));
        let mut joints: Vec<(String, Vec3)> = trunk.collect();
        for limb in &self.limbs {
            for (side, points) in limb.sides() {
                let stem = limb.stem(side);
                let inner = points[..points.len() - 1].iter().enumerate();
                joints.extend(inner.map(|(k, at)| (format!("{stem}{}", k + 1), *at)));
            }
        }
        joints
    }

    /// What a truth file says of the limbs besides their joints.
    fn limb_truth(&self, moved: &dyn Fn(Vec3) -> Vec3) -> Value {
        let of_limb = |limb: &LimbSpec| {
            let sides = limb.sides().into_iter();
            let rounded = |value: f64| (value * 1e6).round() / 1e6;
            let of_side = |(side, points): (Option<&str>, Vec<Vec3>)| {
                let stem = limb.stem(side);
                let names: Vec<String> = (1..points.len()).map(|k| format!("{stem}{k}")).collect();
                let tip = moved(points[points.len() - 1]);
                json!({
                    "kind": limb.kind,
                    "side": side,
                    "rank": limb.rank,
                    "joints": names,
                    "tip": [rounded(tip.x), rounded(tip.y), rounded(tip.z)],
                })
            };
            sides.map(of_side).collect::<Vec<Value>>()
        };
        self.limbs.iter().flat_map(of_limb).collect()
    }

    /// The trunk, the limbs and the lumps, melted into one.
    fn flesh(&self) -> Sculpture {
        let mut s = Sculpture::default();
        for pair in self.trunk.windows(2) {
            let [a, b] = [&pair[0], &pair[1]];
            s.add(
                self.ink,
                MELT * a.radius.min(b.radius),
                limb(middle(a.at), middle(b.at), a.radius, b.radius),
            );
        }
        for (ink, form) in &self.lumps {
            s.add(*ink, LUMP_MELT, form.clone());
        }
        for spec in &self.limbs {
            let (points, depth) = (spec.points(), spec.depth);
            for k in 1..points.len() {
                let radii = [spec.radii[k - 1], spec.radii[k]];
                s.add(spec.ink, MELT * radii[0], flat_limb(points[k - 1], points[k], radii, depth));
            }
        }
        s
    }

    /// A creature of one shell, on the ground.
    pub fn sculpted(&self, note: &'static str, detail: &Detail) -> Character {
        self.bent(note, detail, &|at| at)
    }

    /// The same, with every point moved.
    pub fn bent(&self, note: &'static str, detail: &Detail, bend: &dyn Fn(Vec3) -> Vec3) -> Character {
        let mut character = self.character(note, bend);
        let material = character.material(Material { roughness: 0.85, ..Material::default() });
        let mut flesh = self.flesh();
        if self.limbs.iter().any(|limb| limb.kind == "leg") {
            flesh.carve(0.0, below(0.0));
        }
        let (mut vertices, triangles) = sculpted(&flesh, detail);
        vertices.iter_mut().for_each(|vertex| vertex.position = bend(vertex.position));
        character.add("creature", material, (vertices, triangles));
        character.stand()
    }

    /// A creature of closed parts that touch: balls at the joints, rods between them.
    pub fn of_parts(&self, note: &'static str, trunk: &[(&'static str, Ink, Solid)]) -> Character {
        let mut character = self.character(note, &|at| at);
        let material = character.material(Material { roughness: 0.5, ..Material::default() });
        for (name, ink, solid) in trunk {
            character.add(name, material, solid.shaded(*ink));
        }
        for spec in &self.limbs {
            for (name, ink, solid) in spec.parts() {
                let names = if spec.is_paired() { vec!["left", "right"] } else { vec!["middle"] };
                for side in names {
                    let own = if side == "right" { solid.clone().mirrored() } else { solid.clone() };
                    character.add(&format!("{side}_{name}"), material, own.shaded(ink));
                }
            }
        }
        character.stand()
    }

    fn character(&self, note: &'static str, moved: &dyn Fn(Vec3) -> Vec3) -> Character {
        let joints = self.joints().into_iter().map(|(name, at)| (name, moved(at))).collect();
        let mut character = Character::new("other", "other", joints);
        (character.note, character.limbs) = (note, Some(self.limb_truth(moved)));
        character
    }
}

impl LimbSpec {
    /// Balls at the joints, rods between them, and a foot, a hand or nothing at the end.
    fn parts(&self) -> Vec<(String, Ink, Solid)> {
        let points = self.points();
        let last = points.len() - 1;
        let mut parts = Vec::new();
        for k in 0..last {
            let stem = format!("{}{}_{}", self.kind, self.rank, k + 1);
            let radius = self.radii[k];
            let along = (points[k + 1] - points[k]).normalize();
            parts.push((format!("{stem}_joint"), STEEL, sphere(points[k], JOINT * radius)));
            let end = if k + 1 == last { points[last] } else { points[k + 1] - along * self.radii[k + 1] };
            parts.push((
                format!("{stem}_bone"),
                self.ink,
                rod(points[k] + along * radius, end, radius, self.radii[k + 1]),
            ));
        }
        if self.kind == "leg" {
            let radius = self.radii[last];
            let half = Vec3::new(1.6 * radius, 0.7 * radius, 2.2 * radius);
            let foot =
                Vec3::new(points[last].x, points[last].y - 0.3 * radius, points[last].z + 0.8 * radius);
            parts.push((
                format!("{}{}_foot", self.kind, self.rank),
                STEEL,
                chamfered_box(foot, half, 0.3 * radius),
            ));
        }
        parts
    }
}

/// How far forms melt, in their radii.
const MELT: f64 = 0.5;
/// And lumps, in metres.
const LUMP_MELT: f64 = 0.02;
/// Radius of a ball joint over that of the rod on it.
const JOINT: f64 = 1.15;
const STEEL: Ink = 0x6E7B86;

/// A point of the plane of symmetry.
fn middle([height, forward]: [f64; 2]) -> Vec3 {
    Vec3::new(0.0, height, forward)
}
