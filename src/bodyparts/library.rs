//! Finished characters as data: what a library of body parts holds.
//!
//! All numbers are those of its file, 32-bit positions and 16-bit weights, so that a library is the same before it is written and after.

use crate::math::{Bounds, Quat, Vec3, atan2};
use crate::mesh::weld::weld;
use crate::rig::{Rig, SkinWeights};
use crate::skeleton::naming::{Limb, Role, Segment, Side};
use crate::skeleton::{Figure, Hierarchy, TreeJoint};
use nalgebra::{Isometry3, Quaternion};
use std::fmt;
use thiserror::Error;

/// Characters of one studio, by whose joints and weights another one is rigged.
#[derive(Clone, PartialEq, Default)]
pub struct BodyPartLibrary {
    /// What it is called.
    pub name: String,
    /// Its characters, by name; no name occurs twice.
    pub characters: Vec<FinishedCharacter>,
    /// How well its characters rig each other.
    pub self_test: Option<SelfTest>,
}

/// A character that an artist rigged.
#[derive(Debug, Clone, PartialEq)]
pub struct FinishedCharacter {
    /// Unique name.
    pub name: String,
    /// The licence that its user gave; may be empty.
    pub licence: String,
    /// Its height in metres.
    pub height: f32,
    /// Its joints in the bind pose.
    pub joints: Hierarchy<FinishedJoint>,
    /// The welded surface as it was bound, upright, facing +Z, in parts of its height.
    pub positions: Vec<[f32; 3]>,
    /// Counter-clockwise seen from outside.
    pub triangles: Vec<[u32; 3]>,
    /// For each vertex, by the joints.
    pub weights: SkinWeights,
}

/// A joint of such a character, relative to its parent.
#[derive(Debug, Clone, PartialEq)]
pub struct FinishedJoint {
    /// Unique name.
    pub name: String,
    /// Index of the parent, which comes before.
    pub parent: Option<usize>,
    /// What it is in a body.
    pub role: Option<Role>,
    /// In parts of the height of the character.
    pub translation: [f32; 3],
    /// A quaternion: x, y, z, w.
    pub rotation: [f32; 4],
}

/// What came of rigging every character of a library by the others, with its own joints: the mean difference from its own weights, by body
/// segment, from 0 to 2.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SelfTest {
    /// With each of these shares of the library's weights, and heat's for the rest.
    pub differences: [f64; SHARES.len()],
}

/// Shares of the library's weights that the self-test tries. Finer steps change the mean difference by less than 0.01.
pub const SHARES: [f64; 5] = [0.0, 0.25, 0.5, 0.75, 1.0];

impl SelfTest {
    /// The share with the smallest difference; of equal ones the smaller.
    pub fn best_share(&self) -> f64 {
        let best = (0..SHARES.len()).fold(0, |best, share| match self.differences[share] {
            difference if difference < self.differences[best] => share,
            _ => best,
        });
        SHARES[best]
    }
}

impl fmt::Debug for BodyPartLibrary {
    /// Its name and a checksum of what it holds: options that are compared show whether it is the same.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut hash = FNV_OFFSET;
        let mut add = |word: u32| hash = (hash ^ u64::from(word)).wrapping_mul(FNV_PRIME);
        for character in &self.characters {
            character.name.bytes().for_each(|byte| add(byte.into()));
            character.positions.iter().flatten().for_each(|x| add(x.to_bits()));
            character.joints.iter().flat_map(|joint| joint.translation).for_each(|x| add(x.to_bits()));
            let (joints, weights) = character.weights.lists();
            joints.iter().chain(weights).for_each(|&x| add(x.into()));
        }
        write!(f, "BodyPartLibrary({}, {hash:016x})", self.name)
    }
}

/// The hash of Fowler, Noll and Vo, 64 bits wide.
const FNV_OFFSET: u64 = 0xcbf2_9ce4_8422_2325;
const FNV_PRIME: u64 = 0x0100_0000_01b3;

impl TreeJoint for FinishedJoint {
    fn name(&self) -> &str {
        &self.name
    }

    fn parent(&self) -> Option<usize> {
        self.parent
    }
}

/// Why a character cannot be taken into a library. Its `Display` is a clause with the way out.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum UnusableCharacter {
    /// Joints that every character must have are missing.
    #[error("it has no {}; name its joints as a convention does, or rig it whole", missing.join(", no "))]
    Roles {
        /// The roles.
        missing: Vec<String>,
    },
    /// It is too fine.
    #[error("it has {vertices} welded vertices, and a library takes {MOST_VERTICES}; reduce it")]
    TooFine {
        /// How many it has.
        vertices: usize,
    },
    /// It has no height.
    #[error("it has no height, so that it is no character; check its bind pose")]
    Flat,
}

/// More vertices say no more about weights: characters of 5 000 and 20 000 vertices transfer alike, and files grow by 40 bytes a vertex.
const MOST_VERTICES: usize = 100_000;
/// Vertices closer than this part of the height are one, as in prepared meshes: seams of text files close, eyelids stay apart.
const WELD: f64 = 1e-5;

/// A rigged surface as a file holds it.
pub struct RiggedSurface<'a> {
    /// The joints in the bind pose.
    pub rig: &'a Rig,
    /// The same joints with their roles, upright and facing +Z.
    pub figure: &'a Figure,
    /// The vertices there.
    pub positions: &'a [Vec3],
    /// The triangles.
    pub triangles: &'a [[u32; 3]],
    /// The weights of the vertices.
    pub weights: &'a SkinWeights,
}

impl FinishedCharacter {
    /// A character of a rigged surface, turned so that it faces +Z.
    ///
    /// # Errors
    /// If it lacks joints that every body has, or is too fine.
    pub fn of(name: &str, surface: &RiggedSurface) -> Result<FinishedCharacter, UnusableCharacter> {
        check_roles(surface.figure)?;
        let turn = turn_of(surface);
        let turned: Vec<Vec3> = surface.positions.iter().map(|position| turn * position).collect();
        let bounds = Bounds::of(&turned);
        let height = bounds.extent().y;
        if height.is_nan() || height <= 0.0 {
            return Err(UnusableCharacter::Flat);
        }
        let welded = weld(&turned, WELD * height);
        if welded.positions.len() > MOST_VERTICES {
            return Err(UnusableCharacter::TooFine { vertices: welded.positions.len() });
        }
        let mut first = vec![usize::MAX; welded.positions.len()];
        for (vertex, &to) in welded.welded.iter().enumerate().rev() {
            first[to as usize] = vertex;
        }
        let triangles = surface.triangles.iter().map(|t| t.map(|vertex| welded.welded[vertex as usize]));
        let has_area = |t: &[u32; 3]| t[0] != t[1] && t[1] != t[2] && t[2] != t[0];
        Ok(FinishedCharacter {
            name: name.to_owned(),
            licence: String::new(),
            height: height as f32,
            joints: joints_of(surface, &turn, height).into(),
            positions: welded.positions.iter().map(|p| to_f32(&(p / height))).collect(),
            triangles: triangles.filter(has_area).collect(),
            weights: surface.weights.gather(first.into_iter()),
        })
    }

    /// The joints in the coordinates of the surface: parts of the height.
    pub fn rests(&self) -> Vec<Isometry3<f64>> {
        let mut rests: Vec<Isometry3<f64>> = Vec::with_capacity(self.joints.len());
        for joint in self.joints.iter() {
            let local = Isometry3::from_parts(to_f64(&joint.translation).into(), quat(&joint.rotation));
            rests.push(joint.parent.map_or(local, |parent| rests[parent] * local));
        }
        rests
    }

    /// The vertices of the surface.
    pub fn vertices(&self) -> Vec<Vec3> {
        self.positions.iter().map(to_f64).collect()
    }
}

/// A body needs what carries its parts: hips, head, and limbs that bend.
fn check_roles(figure: &Figure) -> Result<(), UnusableCharacter> {
    let front = if figure.is_quadruped() { Limb::FrontLeg } else { Limb::Arm };
    let limbs = [Limb::Leg, front].into_iter().flat_map(|limb| [Side::Left, Side::Right].map(|s| (limb, s)));
    let segments = limbs.flat_map(|(limb, side)| {
        [Segment::Upper, Segment::Lower].map(|segment| Role::Limb(limb, side, segment))
    });
    let needed = [Role::Hips, Role::Head].into_iter().chain(segments);
    let missing: Vec<String> =
        needed.filter(|role| figure.find(*role).is_none()).map(|role| role.to_string()).collect();
    if missing.is_empty() { Ok(()) } else { Err(UnusableCharacter::Roles { missing }) }
}

/// From the coordinates of the rig to those of its figure: a turn about the vertical.
fn turn_of(surface: &RiggedSurface) -> Quat {
    let places = surface.rig.joints.iter().map(|joint| joint.rest.translation.vector);
    let center = |points: &[Vec3]| points.iter().sum::<Vec3>() / points.len().max(1) as f64;
    let from: Vec<Vec3> = places.collect();
    let to = &surface.figure.positions[..from.len()];
    let (from_center, to_center) = (center(&from), center(to));
    let (mut cosine, mut sine) = (0.0, 0.0);
    for (a, b) in from.iter().zip(to) {
        let (a, b) = (a - from_center, b - to_center);
        cosine += a.z * b.z + a.x * b.x;
        sine += a.z * b.x - a.x * b.z;
    }
    Quat::from_axis_angle(&Vec3::y_axis(), atan2(sine, cosine))
}

fn joints_of(surface: &RiggedSurface, turn: &Quat, height: f64) -> Vec<FinishedJoint> {
    let world = |joint: usize| {
        let rest = &surface.rig.joints[joint].rest;
        let place = turn * rest.translation.vector / height;
        Isometry3::from_parts(place.into(), turn * rest.rotation)
    };
    let joints = surface.rig.joints.iter().enumerate();
    let joints = joints.map(|(index, joint)| {
        let local = joint.parent.map_or(world(index), |parent| world(parent).inverse() * world(index));
        let rotation = local.rotation.coords;
        FinishedJoint {
            name: joint.name.clone(),
            parent: joint.parent,
            role: surface.figure.roles.roles[index],
            translation: to_f32(&local.translation.vector),
            rotation: [rotation.x, rotation.y, rotation.z, rotation.w].map(|x| x as f32),
        }
    });
    joints.collect()
}

fn to_f32(v: &Vec3) -> [f32; 3] {
    [v.x as f32, v.y as f32, v.z as f32]
}

fn to_f64(v: &[f32; 3]) -> Vec3 {
    Vec3::from(v.map(f64::from))
}

fn quat(q: &[f32; 4]) -> Quat {
    let [x, y, z, w] = q.map(f64::from);
    Quat::try_new(Quaternion::new(w, x, y, z), f64::MIN_POSITIVE).unwrap_or_else(Quat::identity)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_smallest_difference_decides_and_of_equal_ones_the_smaller_share() {
        let best = |differences| SelfTest { differences }.best_share();
        assert_eq!(best([0.147, 0.125, 0.106, 0.090, 0.081]), 1.0);
        assert_eq!(best([0.201, 0.201, 0.208, 0.217, 0.230]), 0.0);
        assert_eq!(best([0.219, 0.212, 0.215, 0.227, 0.244]), 0.25);
    }
}
