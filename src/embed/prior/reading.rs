//! The prior's joints as those of a skeleton.

use super::points::depth;
use super::{Expected, Prior, channel};
use crate::embed::landmarks::BodyPlan;
use crate::embed::readings::is_animal;
use crate::embed::voxels::VoxelVolume;
use crate::skeleton::Skeleton;
use crate::skeleton::naming::{Limb, Role, Segment, Side};

/// Lengths below this have no direction, in heights.
const NO_LENGTH: f64 = 1e-6;

impl Prior {
    /// For each joint of a skeleton where it is expected, in the unit cube; `None` if the skeleton has joints that the prior
    /// knows nothing about.
    pub fn joints_of(&self, skeleton: &Skeleton, voxels: &VoxelVolume) -> Option<Vec<Expected>> {
        BodyPlan::of_skeleton(skeleton)?;
        let mut found: Vec<Option<Expected>> = Vec::with_capacity(skeleton.joints.len());
        for joint in 0..skeleton.joints.len() {
            let expected = match (self.joint(skeleton, joint), skeleton.joints[joint].role) {
                (None, _) if skeleton.joints[joint].is_tip => tip(skeleton, joint, &found, voxels),
                (None, Some(Role::Tail)) => as_in_skeleton(skeleton, joint, &found),
                (known, _) => known,
            };
            found.push(Some(expected?));
        }
        let in_unit_cube =
            |joint: Expected| Expected { position: voxels.unit_from_body(&joint.position), ..joint };
        found.into_iter().map(|joint| joint.map(in_unit_cube)).collect()
    }

    fn joint(&self, skeleton: &Skeleton, joint: usize) -> Option<Expected> {
        if skeleton.joints[joint].is_tip {
            return None;
        }
        let middle = |name: &str| Some(self.joints[channel::middle(name)?]);
        match skeleton.joints[joint].role? {
            Role::Hips => middle("hips"),
            Role::Neck => self.neck(skeleton, joint),
            Role::Head => middle("head"),
            // The first one of an animal; nobody has seen others.
            Role::Tail if is_animal(skeleton) && skeleton.find_role(Role::Tail) == Some(joint) => {
                middle("tail")
            }
            Role::Tail => None,
            Role::Spine => self.spine(skeleton, joint),
            Role::HeadTip | Role::Finger(..) => None,
            Role::Limb(limb, side, segment) => self.limb(skeleton, (limb, side, segment)),
        }
    }

    /// Several joints of a neck divide it.
    fn neck(&self, skeleton: &Skeleton, joint: usize) -> Option<Expected> {
        let count = skeleton.with_role(Role::Neck).count();
        let rank = skeleton.with_role(Role::Neck).position(|other| other == joint)?;
        let [neck, head] = ["neck", "head"].map(|name| channel::middle(name).map(|c| self.joints[c]));
        Some(along_chain(&[neck?, head?], rank as f64 / count as f64))
    }

    /// Between hips and neck, through the chest, as far along as in the skeleton.
    fn spine(&self, skeleton: &Skeleton, joint: usize) -> Option<Expected> {
        let [hips, neck] = [Role::Hips, Role::Neck].map(|role| skeleton.find_role(role));
        let at = |joint: usize| skeleton.joints[joint].position;
        let (hips, neck) = (at(hips?), at(neck?));
        let along = neck - hips;
        let share = (at(joint) - hips).dot(&along) / along.norm_squared().max(NO_LENGTH);
        let line = ["hips", "chest", "neck"].map(channel::middle);
        let [Some(hips), Some(chest), Some(neck)] = line.map(|channel| channel.map(|c| self.joints[c]))
        else {
            return None;
        };
        Some(along_chain(&[hips, chest, neck], share))
    }

    fn limb(&self, skeleton: &Skeleton, (limb, side, segment): (Limb, Side, Segment)) -> Option<Expected> {
        let sided = |name: &str| Some(self.joints[channel::sided(name, side == Side::Left)?]);
        let has_forelegs = is_animal(skeleton);
        let has_hocks = skeleton.find_role(Role::Limb(Limb::Leg, side, Segment::Hock)).is_some();
        let half_way = |names: [&str; 4]| {
            let chain: Option<Vec<Expected>> = names.into_iter().map(sided).collect();
            Some(along_chain(&chain?, 0.5))
        };
        match (limb, segment) {
            (Limb::Arm | Limb::FrontLeg, Segment::Upper) => sided("shoulder"),
            (Limb::Arm, Segment::Girdle) => {
                let neck = self.joints[channel::middle("neck")?];
                Some(along_chain(&[neck, sided("shoulder")?], GIRDLE))
            }
            (Limb::Arm, Segment::Lower) => sided("elbow"),
            (Limb::Arm, Segment::End) => sided("wrist"),
            (Limb::FrontLeg, Segment::Lower) => half_way(["shoulder", "elbow", "wrist", "hand"]),
            (Limb::FrontLeg, Segment::End) => sided("hand"),
            (Limb::Leg, Segment::Upper) => sided("hip"),
            (Limb::Leg, Segment::Lower) if has_forelegs && !has_hocks => {
                half_way(["hip", "knee", "ankle", "toe"])
            }
            (Limb::Leg, Segment::Lower) => sided("knee"),
            (Limb::Leg, Segment::Hock) => sided("ankle"),
            (Limb::Leg, Segment::End) if has_forelegs => sided("toe"),
            (Limb::Leg, Segment::End) => sided("ankle"),
            (Limb::Leg, Segment::Toes) => sided("toe"),
            _ => None,
        }
    }
}

/// A clavicle begins at this part of the way from the neck to the shoulder.
const GIRDLE: f64 = 0.3;

/// The point so far along a chain of joints, with the larger spread of the joints around it.
fn along_chain(chain: &[Expected], share: f64) -> Expected {
    let lengths: Vec<f64> = chain.windows(2).map(|b| (b[1].position - b[0].position).norm()).collect();
    let mut left = share * lengths.iter().sum::<f64>();
    for (bone, &length) in chain.windows(2).zip(&lengths) {
        if left <= length {
            let t = left / length.max(NO_LENGTH);
            return Expected {
                position: bone[0].position.lerp(&bone[1].position, t),
                spread: bone[0].spread.max(bone[1].spread),
            };
        }
        left -= length;
    }
    chain[chain.len() - 1]
}

/// As far from its parent, and in the direction, as in the skeleton, whose height is one as well.
fn as_in_skeleton(skeleton: &Skeleton, joint: usize, found: &[Option<Expected>]) -> Option<Expected> {
    let above = skeleton.joints[joint].parent?;
    let (from, offset) = (found[above]?, skeleton.joints[joint].position - skeleton.joints[above].position);
    Some(Expected { position: from.position + offset, ..from })
}

/// Where the body ends beyond the last joint of a limb: in the direction of an arm, of others in that of the skeleton.
fn tip(
    skeleton: &Skeleton,
    joint: usize,
    found: &[Option<Expected>],
    voxels: &VoxelVolume,
) -> Option<Expected> {
    let above = skeleton.joints[joint].parent?;
    let from = found[above]?;
    let in_skeleton = skeleton.joints[joint].position - skeleton.joints[above].position;
    let is_arm = matches!(skeleton.joints[joint].role, Some(Role::Limb(Limb::Arm, ..)));
    let direction = match skeleton.joints[above].parent.and_then(|before| found[before]) {
        Some(before) if is_arm => from.position - before.position,
        _ => in_skeleton,
    };
    let direction = direction.try_normalize(NO_LENGTH).or(in_skeleton.try_normalize(NO_LENGTH))?;
    let length = depth(voxels, &from.position, &direction).max(SHORTEST * in_skeleton.norm());
    Some(Expected { position: from.position + direction * length, ..from })
}

/// A tip is at least so far from its joint, in parts of that bone of the skeleton.
const SHORTEST: f64 = 0.3;

#[cfg(test)]
mod tests {
    use super::super::network::CHANNELS;
    use super::*;
    use crate::math::Vec3;
    use crate::mesh::prepare::{PrepareOptions, prepare};
    use crate::mesh::shapes;
    use crate::skeleton::built_in;

    /// Every joint at its own height.
    fn prior() -> Prior {
        let joints = (0..CHANNELS)
            .map(|channel| Expected { position: Vec3::y() * (0.1 + 0.03 * channel as f64), spread: 0.02 });
        Prior { joints: joints.collect(), plans: [1.0, 0.0, 0.0] }
    }

    fn voxels() -> VoxelVolume {
        VoxelVolume::of(
            &prepare(&shapes::uv_sphere(8, 12), &PrepareOptions::default(), &mut Vec::new()).unwrap(),
        )
    }

    #[test]
    fn joints_are_those_of_the_channels_in_the_unit_cube() {
        let (skeleton, voxels, prior) = (Skeleton::human(), voxels(), prior());
        let found = prior.joints_of(&skeleton, &voxels).unwrap();
        let elbow = skeleton.find("LeftLowerArm").unwrap();
        let expected = prior.joints[channel::sided("elbow", true).unwrap()].position;
        assert_eq!(found[elbow].position, voxels.unit_from_body(&expected));
        assert!(found.iter().all(|joint| joint.position.iter().all(|x| x.is_finite())));
    }

    #[test]
    fn it_knows_people_and_animals_and_no_centaurs() {
        for file in built_in() {
            let skeleton = Skeleton::built_in(file.name).unwrap();
            let found = prior().joints_of(&skeleton, &voxels());
            assert_eq!(found.is_none(), file.name == "centaur", "{}", file.name);
        }
    }
}
