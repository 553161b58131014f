//! Dialects of BVH. The format fixes neither names nor axes nor unit nor rest pose, so every program has its own; all
//! motions are authored once and translated here, at the very end. The dialects themselves are in `conventions`.

use puppetry::stages::math::{Quat, Vec3};

use super::pose::Frame;
use super::skeleton::Body;

/// Which pose all-zero channels show.
#[derive(Clone, Copy, PartialEq)]
pub enum Rest {
    /// As the body is authored: the T-pose of the human, the standing dog.
    Authored,
    /// Arms lowered by so many degrees.
    APose(f64),
    /// No pose at all: every bone lies along +X, as the engines write it that store bones in their own axes.
    AlongX,
}

/// `(canonical name without its side, name in the file)`; `*` stands for the side.
pub type Names = &'static [(&'static str, &'static str)];

/// How a file spells a motion.
#[derive(Clone, Copy)]
pub struct Dialect {
    /// What the convention is called.
    pub convention: &'static str,
    pub names: Names,
    /// How left and right are spelled.
    pub sides: [&'static str; 2],
    /// Rotation channels in the order in which they are written.
    pub order: &'static str,
    pub unit: &'static str,
    pub units_per_metre: f64,
    pub z_up: bool,
    pub rest: Rest,
    /// The rest pose is written as frame 0, before the motion.
    pub rest_first: bool,
}

/// A joint as the file has it.
pub struct Spelled {
    pub name: String,
    pub parent: Option<usize>,
    pub offset: Vec3,
    pub end: Option<Vec3>,
}

impl Dialect {
    /// The hierarchy in this dialect.
    pub fn hierarchy(&self, body: &Body) -> Vec<Spelled> {
        let rebind = self.rebinding(body);
        let spell = |(j, joint): (usize, &super::skeleton::Joint)| Spelled {
            name: self.name(joint.name),
            parent: joint.parent,
            // The root's own place is in its channels; its offset says where it stands in the rest pose.
            offset: match joint.parent {
                None => self.up() * joint.rest * self.units_per_metre,
                Some(p) => self.up() * (rebind[p] * (joint.rest - body.rest(p))) * self.units_per_metre,
            },
            end: joint.end.map(|end| self.up() * (rebind[j] * (end - joint.rest)) * self.units_per_metre),
        };
        body.joints.iter().enumerate().map(spell).collect()
    }

    /// Root position and local rotations of a frame in this dialect.
    pub fn frame(&self, body: &Body, frame: &Frame) -> (Vec3, Vec<Quat>) {
        let (rebind, up) = (self.rebinding(body), self.up());
        let world: Vec<Quat> = frame
            .turns
            .iter()
            .zip(&rebind)
            .map(|(turn, rebind)| up * turn * rebind.inverse() * up.inverse())
            .collect();
        let local = body.joints.iter().enumerate().map(|(j, joint)| match joint.parent {
            None => world[j],
            Some(parent) => world[parent].inverse() * world[j],
        });
        (up * frame.root * self.units_per_metre, local.collect())
    }

    /// From Y up to this dialect's up axis; a Z-up character faces -Y.
    fn up(&self) -> Quat {
        if self.z_up { Quat::from_axis_angle(&Vec3::x_axis(), 90f64.to_radians()) } else { Quat::identity() }
    }

    /// For each joint the rotation from its authored axes to the axes of the file's rest pose.
    fn rebinding(&self, body: &Body) -> Vec<Quat> {
        (0..body.joints.len())
            .map(|joint| match self.rest {
                Rest::Authored => Quat::identity(),
                Rest::APose(degrees) => {
                    let name = body.joints[joint].name;
                    let arm = ["UpperArm", "LowerArm", "Hand"].iter().any(|part| name.ends_with(part));
                    let side = if name.starts_with("Left") { -1.0 } else { 1.0 };
                    let angle = if arm { side * degrees } else { 0.0 };
                    Quat::from_axis_angle(&Vec3::z_axis(), angle.to_radians())
                }
                Rest::AlongX => {
                    let bone = bone(body, joint).normalize();
                    // Legs and trunk keep the lateral axis as Z, arms keep the vertical.
                    let second = if bone.x.abs() < 0.7 { Vec3::x() } else { Vec3::y() };
                    let third = (second - bone * second.dot(&bone)).normalize();
                    Quat::from_basis_unchecked(&[bone, third.cross(&bone), third]).inverse()
                }
            })
            .collect()
    }

    fn name(&self, canonical: &str) -> String {
        let side = ["Left", "Right"].iter().position(|side| canonical.contains(side));
        let key = canonical.replace("Left", "").replace("Right", "");
        let spelled =
            self.names.iter().find(|(name, _)| *name == key).map_or(canonical, |(_, spelled)| spelled);
        spelled.replace('*', side.map_or("", |side| self.sides[side]))
    }
}

/// The bone that a joint moves: to the next joint of the trunk, else to its only child, else to its end.
fn bone(body: &Body, joint: usize) -> Vec3 {
    let children = || body.joints.iter().filter(|child| child.parent == Some(joint));
    let trunk = |name: &str| !name.contains("Left") && !name.contains("Right");
    let next = children().find(|child| trunk(child.name)).or_else(|| children().next());
    let end = next.map_or(body.joints[joint].end, |child| Some(child.rest));
    end.map_or(Vec3::y(), |end| end - body.rest(joint))
}
