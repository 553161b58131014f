//! A skeleton from the shape alone, for bodies of which there is no template: the trunk between its ends, and a chain of joints for
//! each limb of the [`census`](super::census).
//!
//! [`trunk`] places the joints of the spine, [`polyline`] finds where a limb bends, [`limbs`] makes joints of that, [`names`] calls
//! them what people, engines and our own reader understand.

pub mod limbs;
pub mod names;
pub mod polyline;
pub mod trunk;

use super::census::{Census, CensusLimb, EndRole};
use crate::math::Vec3;
use crate::skeleton::LimbKind;
use limbs::LimbJoints;
use trunk::Trunk;

/// A joint of a free skeleton.
#[derive(Debug, Clone, PartialEq)]
pub struct FreeJoint {
    /// Unique name.
    pub name: String,
    /// Its parent, which comes before it.
    pub parent: Option<usize>,
    /// In body space.
    pub position: Vec3,
    /// How far to trust it, 0 to 1.
    pub confidence: f64,
    /// It marks the end of a limb.
    pub is_tip: bool,
    /// It stands on the ground.
    pub is_foot: bool,
    /// It lies in the trunk.
    pub is_torso: bool,
}

/// A skeleton made for one body.
#[derive(Debug, Clone, PartialEq)]
pub struct Shape {
    /// The joints, parents first.
    pub joints: Vec<FreeJoint>,
    /// How far to trust the whole, 0 to 1.
    pub confidence: f64,
    /// For each limb of the census its first joint; `None` for what has no joints.
    pub first_joints: Vec<Option<usize>>,
}

/// Overlap with the mirror image from which on pairs are averaged.
const SYMMETRIC: f64 = 0.75;
/// Feelers shorter than this, in S, have no joints.
const SHORTEST_FEELER: f64 = 0.08;
/// What a mean deviation of the polylines of a whole length takes from the confidence.
const PER_DEVIATION: f64 = 4.0;

/// The skeleton of a body.
pub fn shape(census: &Census) -> Shape {
    let trunk = Trunk::of(census);
    let mut shape = Shape { joints: trunk.joints.clone(), confidence: 0.0, first_joints: Vec::new() };
    let names = names::Namer::of(census);
    let mut found: Vec<Option<LimbJoints>> = Vec::new();
    for index in 0..census.limbs.len() {
        let limb = &census.limbs[index];
        let joints = has_joints(census, limb, &trunk).then(|| of_limb(census, index, &found, &trunk));
        shape.first_joints.push(joints.as_ref().map(|_| shape.joints.len()));
        if let Some(joints) = &joints {
            shape.hang(joints, &names.of_limb(index, joints), trunk.carrier(census, limb));
        }
        found.push(joints);
    }
    shape.confidence = confidence(census, &found, &trunk);
    shape
}

/// Whether a limb moves by itself.
fn has_joints(census: &Census, limb: &CensusLimb, trunk: &Trunk) -> bool {
    match limb.role {
        // The joints of the trunk go on there.
        EndRole::Limb(LimbKind::Tail) if trunk.is_bare => false,
        EndRole::Limb(LimbKind::Feeler) => limb.length >= SHORTEST_FEELER * census.size,
        EndRole::Limb(_) => true,
        EndRole::Head | EndRole::Lobe | EndRole::Prop => false,
    }
}

/// The joints of a limb: the mirror image of its partner's where the body is symmetric.
fn of_limb(census: &Census, index: usize, found: &[Option<LimbJoints>], trunk: &Trunk) -> LimbJoints {
    let limb = &census.limbs[index];
    let partner = limb.partner.filter(|_| census.mirror_overlap >= SYMMETRIC);
    match partner {
        Some(partner) if partner < index => match &found[partner] {
            Some(joints) => joints.mirrored(),
            None => limbs::place(census, limb, None, trunk),
        },
        Some(partner) => limbs::place(census, limb, Some(&census.limbs[partner]), trunk),
        None => limbs::place(census, limb, None, trunk),
    }
}

impl Shape {
    /// Appends the joints of a limb.
    fn hang(&mut self, limb: &LimbJoints, names: &[String], carrier: usize) {
        let mut parent = carrier;
        let last = limb.positions.len() - 1;
        for (k, (position, name)) in limb.positions.iter().zip(names).enumerate() {
            let joint = FreeJoint {
                name: name.clone(),
                parent: Some(parent),
                position: *position,
                confidence: limb.confidences[k],
                is_tip: k == last,
                is_foot: limb.stands && k + 1 >= last,
                is_torso: false,
            };
            parent = self.joints.len();
            self.joints.push(joint);
        }
    }
}

/// How much of what stands out got joints, how symmetric it is, and how well polylines follow the limbs.
fn confidence(census: &Census, found: &[Option<LimbJoints>], trunk: &Trunk) -> f64 {
    // The joints of the trunk go to the head, and in a bare body to its other end.
    let is_end = |limb: &CensusLimb| limb.role == EndRole::Head || trunk.is_bare && limb.side.is_none();
    let is_known = |limb: usize| found[limb].is_some() || is_end(&census.limbs[limb]);
    let length = |known: bool| -> f64 {
        let limbs = (0..census.limbs.len()).filter(|&limb| !known || is_known(limb));
        limbs.map(|limb| census.limbs[limb].length).sum()
    };
    let explained = if length(false) > 0.0 { length(true) / length(false) } else { 0.0 };
    let sides: Vec<&CensusLimb> = census.limbs.iter().filter(|limb| limb.side.is_some()).collect();
    let paired = sides.iter().filter(|limb| limb.partner.is_some()).count();
    let symmetry = if sides.is_empty() { 1.0 } else { paired as f64 / sides.len() as f64 };
    let deviations: Vec<f64> = found.iter().flatten().map(|limb| limb.deviation).collect();
    let mean = deviations.iter().sum::<f64>() / deviations.len().max(1) as f64;
    explained * symmetry * (1.0 - PER_DEVIATION * mean).clamp(0.0, 1.0)
}
