//! The first product: a character that can be moved.
//!
//! A [`Rig`] is what motion needs to know of a character: its joints at rest, where its last bones end, and the soles on
//! which it stands. Where the joints came from (embedding, parts, a file that was rigged already) does not matter here.

mod bind_pose;
mod girth;
mod helper_options;
mod helpers;
mod names;
mod outline;
mod soles;
mod t_pose;
mod twist;
mod weights;

pub use bind_pose::{BindPose, bind_pose};
pub use girth::{Depth, Girth};
pub use helper_options::{HelperOptions, TwistJoints, VolumeJoints};
pub use helpers::{Follows, Helper, HelperDriver, TwistFrom};
pub use names::NameStyle;
pub use outline::{OutlinePart, vertices_of_joints, without_cloth};
pub use soles::{BoundPoint, RigSole, SOLE_THICKNESS, SolePoint, find_sole, lowest};
pub use weights::{MaxInfluences, SkinWeights};

use crate::math::{Quat, Vec3};
use crate::skeleton::naming::Role;
use crate::skeleton::{Figure, FigureNode, Hierarchy, TreeJoint};
use nalgebra::Isometry3;

/// A joint of a finished rig.
#[derive(Debug, Clone, PartialEq)]
pub struct RigJoint {
    /// Unique name.
    pub name: String,
    /// Index of the parent, which comes before; `None` for the root.
    pub parent: Option<usize>,
    /// From the joint's own axes to the coordinates of the output, in the bind pose.
    pub rest: Isometry3<f64>,
}

/// A vertex at rest, with the joints that move it and how much.
pub type BoundVertex = (Vec3, Vec<(usize, f64)>);

/// The end of a bone that has no joint: the top of the head, the tip of a toe.
#[derive(Debug, Clone, PartialEq)]
pub struct Tip {
    /// Name in the skeleton it comes from.
    pub name: String,
    /// The joint that moves it.
    pub joint: usize,
    /// Where it is at rest.
    pub position: Vec3,
}

/// The joints of a character at rest, in the coordinates of its file: metres, +Y up.
#[derive(Debug, Clone, PartialEq)]
pub struct Rig {
    /// Parents before children; the first one is the only root.
    pub joints: Hierarchy<RigJoint>,
    /// Ends of bones.
    pub tips: Vec<Tip>,
    /// The soles of the feet, as far as they are known.
    pub soles: Vec<RigSole>,
    /// What of its trunk, head, arms and legs can touch the ground, as far as the surface is known.
    pub outline: Vec<OutlinePart>,
    /// How thick trunk, head, thighs and arms are, as far as the surface is known.
    pub girths: Vec<Girth>,
    /// What some joints are, if the file says so, as VRM does. Else names and shape tell it.
    pub roles: Vec<(usize, Role)>,
    /// Joints that follow others, each behind those that it follows.
    pub helpers: Vec<Helper>,
}

impl Rig {
    /// Joints and ends of bones, of whose surface and roles nothing is known.
    pub fn of_joints(joints: Vec<RigJoint>, tips: Vec<Tip>) -> Rig {
        Rig {
            joints: joints.into(),
            tips,
            soles: Vec::new(),
            outline: Vec::new(),
            girths: Vec::new(),
            roles: Vec::new(),
            helpers: Vec::new(),
        }
    }

    /// The joint of that name.
    pub fn find(&self, name: &str) -> Option<usize> {
        self.joints.find(name)
    }

    /// Its joints at rest, then its tips: the index space of its figure.
    pub fn nodes(&self) -> impl Iterator<Item = FigureNode<'_>> {
        let joints = self.joints.iter().map(|joint| FigureNode {
            name: &joint.name,
            parent: joint.parent,
            position: joint.rest.translation.vector,
            is_end: false,
        });
        joints.chain(self.tips.iter().map(|tip| FigureNode {
            name: &tip.name,
            parent: Some(tip.joint),
            position: tip.position,
            is_end: true,
        }))
    }

    /// The rig at rest, turned by `figure_from_rig` so that it faces +Z.
    pub fn figure(&self, figure_from_rig: &Quat) -> Figure {
        let nodes = self.nodes().map(|node| FigureNode { position: figure_from_rig * node.position, ..node });
        Figure::bare(nodes).with_known_roles(&self.roles)
    }
}

impl TreeJoint for RigJoint {
    fn name(&self) -> &str {
        &self.name
    }

    fn parent(&self) -> Option<usize> {
        self.parent
    }
}
