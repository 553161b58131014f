//! The [`shape`](super::shape) of a body as an ordinary skeleton with positions.

use super::NamedHint;
use super::census::Census;
use super::shape::names::role_of;
use super::shape::{FreeJoint, Shape, shape};
use super::voxels::VoxelVolume;
use crate::math::Vec3;
use crate::mesh::prepare::PreparedMesh;
use crate::skeleton::naming::mirrored_name;
use crate::skeleton::{Hierarchy, Joint, PenaltyWeights, Skeleton, UnknownJoint, resolve_joint};

/// A skeleton that was made for one body, in its place.
#[derive(Debug, Clone)]
pub struct FreeBody {
    /// The skeleton.
    pub skeleton: Skeleton,
    /// For each joint its position in the unit cube.
    pub positions: Vec<Vec3>,
    /// For each joint how far to trust it, 0 to 1.
    pub confidences: Vec<f64>,
    /// How far to trust the whole, 0 to 1.
    pub confidence: f64,
    /// The limbs that it has joints for.
    pub census: Census,
    /// The first joint of each limb, and where the limb leaves the trunk.
    bases: Vec<(usize, Vec3)>,
}

/// What free skeletons are called.
pub const FREE: &str = "free";

/// Overlap with the mirror image from which on joints are mirror images.
const SYMMETRIC: f64 = 0.75;

impl FreeBody {
    /// The plane between left and right in the unit cube, if the body is symmetric.
    pub fn plane(&self) -> Option<f64> {
        let is_symmetric = self.census.mirror_overlap >= SYMMETRIC;
        is_symmetric.then(|| self.census.unit_from_body(&Vec3::zeros()).x)
    }

    /// Limbs of rigid pieces turn where they begin, not inside the trunk.
    pub fn turn_at_bases(&mut self) {
        for (joint, base) in &self.bases {
            self.positions[*joint] = *base;
        }
    }

    /// Moves joints to where a person says they are.
    ///
    /// # Errors
    /// If there is no such joint.
    pub fn pin(&mut self, hints: &[NamedHint]) -> Result<(), UnknownJoint> {
        for hint in hints {
            let joint = resolve_joint(&self.skeleton, &hint.joint)?;
            (self.positions[joint], self.confidences[joint]) = (hint.point, 1.0);
        }
        Ok(())
    }

    /// Of a prepared mesh.
    pub fn of(mesh: &PreparedMesh) -> FreeBody {
        let census = Census::of(&VoxelVolume::of(mesh));
        let Shape { joints, confidence, first_joints } = shape(&census);
        let bases = first_joints.iter().zip(&census.limbs);
        let bases = bases.filter_map(|(joint, limb)| Some(((*joint)?, census.unit_from_body(&limb.base))));
        let bases = bases.collect();
        let positions: Vec<Vec3> =
            joints.iter().map(|joint| census.unit_from_body(&joint.position)).collect();
        let confidences = joints.iter().map(|joint| joint.confidence).collect();
        FreeBody { skeleton: skeleton(&joints), positions, confidences, confidence, census, bases }
    }
}

fn skeleton(joints: &[FreeJoint]) -> Skeleton {
    let partner = |joint: &FreeJoint| {
        let other = mirrored_name(&joint.name)?;
        joints.iter().position(|joint| joint.name == other)
    };
    let joints = joints.iter().map(|joint| Joint {
        name: joint.name.clone(),
        parent: joint.parent,
        position: joint.position,
        partner: partner(joint),
        role: role_of(&joint.name),
        is_foot: joint.is_foot,
        is_torso: joint.is_torso && !joint.is_tip,
        is_tip: joint.is_tip,
    });
    Skeleton {
        name: FREE.to_owned(),
        about: "made from the shape of one body".to_owned(),
        joints: joints.collect::<Hierarchy<Joint>>(),
        weights: PenaltyWeights::default(),
    }
}
