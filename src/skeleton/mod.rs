//! A skeleton as data: joints with parents before children.

mod anatomy;
mod branches;
mod builtin;
pub mod chains;
mod figure;
mod fingers;
mod helper_names;
mod hierarchy;
pub mod human_bones;
mod limb_kind;
pub mod manual_joints;
mod mirror;
pub mod naming;
mod posture;
pub mod reduced;
pub mod roles;
mod separate_feet;
pub mod soles;
mod spelling;
mod standing;
mod truth;
mod unknown_joint;
mod weights;

pub use anatomy::{NamedJoints, anatomical_name, closest_name, closest_word, find_joint};
pub use branches::{Branches, offsets, partners};
pub use builtin::{BuiltIn, built_in};
pub use figure::{BodyKind, Figure, FigureNode};
pub use helper_names::{HelperKind, helper_kind, is_follower, is_piece_of};
pub use hierarchy::{Hierarchy, TreeJoint};
pub use limb_kind::LimbKind;
pub use mirror::{CENTRAL, find_sides, is_mirrored};
pub use posture::{Posed, posed};
pub use reduced::ReducedSkeleton;
pub use soles::{Sole, find_soles};
pub use spelling::edit_distance;
pub use standing::{Standing, standing};
pub use truth::Truth;
pub use unknown_joint::{UnknownJoint, choices, resolve_joint};
pub use weights::{PENALTIES, PLACEMENT_PENALTIES, PenaltyName, PenaltyWeights};

use crate::math::Vec3;
use naming::Role;

/// A tree of joints in a rest pose.
///
/// Invariants: parents come before their children, the first joint is the only root, names are unique and not
/// empty, partners are mutual, positions are finite.
#[derive(Debug, Clone, PartialEq)]
pub struct Skeleton {
    /// One word: `human`.
    pub name: String,
    /// What it is for, one sentence.
    pub about: String,
    /// The joints.
    pub joints: Hierarchy<Joint>,
    /// How dear the penalties are when its joints are searched in a character.
    pub weights: PenaltyWeights,
}

/// A joint of a [`Skeleton`].
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Joint {
    /// Unique name.
    pub name: String,
    /// Index of the parent; `None` for the root.
    pub parent: Option<usize>,
    /// Rest position: +Y up, facing +Z, the character's left at +X, ground at y = 0, in parts of the height.
    pub position: Vec3,
    /// The joint on the other side of the body.
    pub partner: Option<usize>,
    /// What it is in the body; `None` if neither the file nor its names and shape tell.
    pub role: Option<Role>,
    /// It stands on the ground.
    pub is_foot: bool,
    /// It lies in the torso or the head, the thick parts of the body, not in a limb.
    pub is_torso: bool,
    /// It marks the end of a limb: it steers the embedding and is not exported as a joint.
    pub is_tip: bool,
}

impl Skeleton {
    /// The index of the joint of that name.
    pub fn find(&self, name: &str) -> Option<usize> {
        self.joints.find(name)
    }

    /// The index of the joint of that name, whatever its capitals.
    pub fn find_any_case(&self, name: &str) -> Option<usize> {
        self.find(name).or_else(|| self.joints.iter().position(|joint| joint.name.eq_ignore_ascii_case(name)))
    }

    /// Where its joints are in the rest pose.
    pub fn positions(&self) -> Vec<Vec3> {
        self.joints.iter().map(|joint| joint.position).collect()
    }

    /// Whether there is a joint that people call so.
    pub fn has_joint(&self, name: &str) -> bool {
        find_joint(self, name).is_some()
    }

    /// The joints of a role, parents first: of a spine or a tail there are several.
    pub fn with_role(&self, role: Role) -> impl Iterator<Item = usize> + '_ {
        (0..self.joints.len()).filter(move |&joint| self.joints[joint].role == Some(role))
    }

    /// The first joint of a role.
    pub fn find_role(&self, role: Role) -> Option<usize> {
        self.with_role(role).next()
    }

    /// Gives every joint the role that its name and position in the body tell, unless a joint has one already: then the file
    /// has told them all.
    pub fn recognise_roles(&mut self) {
        if self.joints.iter().all(|joint| joint.role.is_none()) {
            let roles = Figure::of_skeleton(self).roles.roles;
            for (joint, role) in self.joints.iter_mut().zip(roles) {
                joint.role = role;
            }
        }
    }
}

impl TreeJoint for Joint {
    fn name(&self) -> &str {
        &self.name
    }

    fn parent(&self) -> Option<usize> {
        self.parent
    }
}
