//! Derived joints for a skin: which bones get twist joints, which joints half joints, and their part of the weights.
//!
//! Every weight is in closed form. A twist joint takes over what its bone has around it, so that undriven twist joints give exactly
//! plain blending. A half joint takes as much from the joint as from those above it: what blended the two of them blends now each of
//! them with what stands between.

use super::muscles::Muscle;
use super::stations::StiffPieces;
use crate::math::Vec3;
use crate::rig::{
    Follows, Helper, HelperOptions, NameStyle, RigJoint, SkinWeights, TwistFrom, TwistJoints, VolumeJoints,
};
use crate::skeleton::Skeleton;
use crate::skeleton::naming::{Limb, Role, Segment, Side};
use nalgebra::Isometry3;

/// A bone of a limb, by the joints of a rig.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LimbBone {
    /// The joint of the bone.
    pub joint: usize,
    /// The next joint, if there is one.
    pub next: Option<usize>,
    /// The limb.
    pub limb: Limb,
    /// Whether it is the upper or the lower one.
    pub segment: Segment,
}

/// A bound surface and its joints, all in the coordinates of the output.
#[derive(Debug, Clone, Copy)]
pub struct BoundLimbs<'a> {
    /// The joints at rest.
    pub joints: &'a [RigJoint],
    /// What the skeleton calls them, and the convention of the rig.
    pub names: (&'a [String], NameStyle),
    /// The bones of its limbs.
    pub bones: &'a [LimbBone],
    /// The vertices at rest.
    pub positions: &'a [Vec3],
    /// The triangles.
    pub triangles: &'a [[u32; 3]],
    /// The piece of each triangle.
    pub pieces: &'a [u32],
    /// The weights of the vertices.
    pub weights: &'a SkinWeights,
}

/// The helpers of a character.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct HelperPlan {
    /// Joints that come behind all others.
    pub joints: Vec<RigJoint>,
    /// What they follow.
    pub helpers: Vec<Helper>,
    twists: Vec<BoneNodes>,
    halves: Vec<HalfJoint>,
    muscles: Vec<Muscle>,
}

/// A bone whose weight is divided along it.
#[derive(Debug, Clone, PartialEq)]
struct BoneNodes {
    bone: usize,
    /// Where each vertex is along it.
    along: Vec<f64>,
    /// Where its nodes stand, in increasing order, and their joints: the bone's own, and twist joints.
    nodes: Vec<(f64, usize)>,
}

/// A joint with a half joint at its place.
#[derive(Debug, Clone, PartialEq)]
struct HalfJoint {
    joint: usize,
    half: usize,
    /// The joints from which it takes, the nearest first: those above, up to the next with a half joint.
    above: Vec<usize>,
}

/// Twist joints of `auto`: an upper arm twists by 92 degrees in one frame of twenty, a thigh by 27. The smallest radius is
/// cos(θ / (2 (n + 1))): with one a forearm twisted by 150 degrees keeps 0.78, with two 0.88, with three 0.90.
const ON_ARMS: usize = 2;
const ON_LEGS: usize = 1;
/// Twist joints of a bone at most. With four a forearm twisted by 150 degrees keeps 0.92; eight are the reference of the tests, and more
/// move nothing that is seen.
const MOST_TWISTS: usize = 8;
/// A vertex with more of its weight on a bone is one of those that twist.
const OF_BONE: f64 = 0.3;
/// Bones shorter than this, in the units of the output, have no direction.
const SHORTEST: f64 = 1e-9;

/// The bones of arms and legs, and of forelegs, by the exported joints.
pub fn limb_bones(skeleton: &Skeleton, exported: &[u16]) -> Vec<LimbBone> {
    let mut bones = Vec::new();
    for limb in [Limb::Arm, Limb::FrontLeg, Limb::Leg] {
        for side in [Side::Left, Side::Right] {
            let joint = |segment| {
                let joint = skeleton.find_role(Role::Limb(limb, side, segment))?;
                (!skeleton.joints[joint].is_tip).then(|| usize::from(exported[joint]))
            };
            for (segment, next) in [(Segment::Upper, Segment::Lower), (Segment::Lower, Segment::End)] {
                let own = joint(segment);
                bones.extend(own.map(|own| LimbBone { joint: own, next: joint(next), limb, segment }));
            }
        }
    }
    bones
}

impl HelperPlan {
    /// What a character gets. Twist joints are for people only: paws swing so far that twist means nothing.
    pub fn of(limbs: &BoundLimbs, options: &HelperOptions) -> HelperPlan {
        let mut plan = HelperPlan::default();
        let is_animal = limbs.bones.iter().any(|bone| bone.limb == Limb::FrontLeg);
        let has_twists = !is_animal && options.twist != TwistJoints::None;
        let has_muscles = !is_animal && options.volume == VolumeJoints::Bulge;
        let stiff = if has_twists || has_muscles { StiffPieces::of(limbs) } else { StiffPieces::default() };
        if has_twists {
            limbs.bones.iter().for_each(|bone| plan.add_twists(limbs, &stiff, bone, options.twist));
        }
        if options.volume != VolumeJoints::None {
            limbs.bones.iter().for_each(|bone| plan.add_half(limbs, bone));
            plan.find_joints_above(limbs.joints);
        }
        if has_muscles {
            limbs.bones.iter().for_each(|bone| plan.add_muscle(limbs, &stiff, bone));
        }
        plan
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.joints.is_empty()
    }

    fn add_twists(&mut self, limbs: &BoundLimbs, stiff: &StiffPieces, bone: &LimbBone, choice: TwistJoints) {
        let Some(next) = bone.next.filter(|&next| is_chain(limbs.joints, bone.joint, next)) else { return };
        let ends = [bone.joint, next];
        if !((place(limbs.joints, next) - place(limbs.joints, bone.joint)).norm() > SHORTEST) {
            return;
        }
        let along = stiff.stations(limbs, ends);
        let Some(gap) = largest_gap(limbs, bone.joint, &along) else { return };
        let most = if bone.limb == Limb::Arm { ON_ARMS } else { ON_LEGS };
        let count = match choice {
            TwistJoints::Auto => fine_enough(gap).clamp(1, most),
            TwistJoints::Count(count) => count.min(MOST_TWISTS),
            TwistJoints::None => 0,
        };
        let from = if bone.segment == Segment::Upper { TwistFrom::Above } else { TwistFrom::Below };
        let nodes = self.stand_along(limbs, ends, from, count);
        self.twists.push(BoneNodes { bone: bone.joint, along, nodes });
    }

    /// Twist joints at equal distances along a bone.
    fn stand_along(
        &mut self,
        limbs: &BoundLimbs,
        [bone, next]: [usize; 2],
        from: TwistFrom,
        count: usize,
    ) -> Vec<(f64, usize)> {
        let mut nodes: Vec<(f64, usize)> = Vec::with_capacity(count + 1);
        let (start, end) = (place(limbs.joints, bone), place(limbs.joints, next));
        let (names, style) = limbs.names;
        for number in 1..=count {
            let share = number as f64 / (count + 1) as f64;
            let rotation = limbs.joints[bone].rest.rotation;
            let rest = Isometry3::from_parts((start + (end - start) * share).into(), rotation);
            let name = style.twist_name(&names[bone], [number, count], from);
            let joint = self.push(limbs, name, Some(bone), rest);
            self.helpers.push(Helper { joint, follows: Follows::Twist { bone, next, share, from } });
            nodes.push((share, joint));
        }
        match from {
            TwistFrom::Above => nodes.push((1.0, bone)),
            TwistFrom::Below => nodes.insert(0, (0.0, bone)),
        }
        nodes
    }

    fn add_half(&mut self, limbs: &BoundLimbs, bone: &LimbBone) {
        let Some(above) = limbs.joints[bone.joint].parent else { return };
        let (names, style) = limbs.names;
        let name = style.half_name(&names[bone.joint]);
        let half = self.push(limbs, name, Some(above), limbs.joints[bone.joint].rest);
        // Where the twist comes from above, the first twist joint is what the surface beside the joint moves with.
        let nodes = self.twists.iter().find(|twist| twist.bone == bone.joint);
        let below = nodes.map_or(bone.joint, |twist| twist.nodes[0].1);
        self.helpers.push(Helper { joint: half, follows: Follows::Half { above, below } });
        self.halves.push(HalfJoint { joint: bone.joint, half, above: Vec::new() });
    }

    /// A muscle on the upper arm, which the elbow bends.
    fn add_muscle(&mut self, limbs: &BoundLimbs, stiff: &StiffPieces, bone: &LimbBone) {
        if (bone.limb, bone.segment) != (Limb::Arm, Segment::Upper) {
            return;
        }
        let lower = limbs.bones.iter().find(|other| Some(other.joint) == bone.next);
        let Some([next, end]) = lower.and_then(|lower| Some([lower.joint, lower.next?])) else { return };
        let joint = limbs.joints.len() + self.joints.len();
        let along = stiff.stations(limbs, [bone.joint, next]);
        let Some((muscle, side)) = Muscle::of(limbs, [bone.joint, next], joint, &along) else { return };
        let middle = place(limbs.joints, bone.joint).lerp(&place(limbs.joints, next), 0.5);
        let rest = Isometry3::from_parts(middle.into(), limbs.joints[bone.joint].rest.rotation);
        let (names, style) = limbs.names;
        let joint = self.push(limbs, style.muscle_name(&names[bone.joint]), Some(bone.joint), rest);
        self.helpers.push(Helper { joint, follows: Follows::Bulge { bone: bone.joint, next, end, side } });
        self.muscles.push(muscle);
    }

    fn find_joints_above(&mut self, joints: &[RigJoint]) {
        let bent: Vec<usize> = self.halves.iter().map(|half| half.joint).collect();
        for half in &mut self.halves {
            let mut above = joints[half.joint].parent;
            while let Some(joint) = above {
                half.above.push(joint);
                above = joints[joint].parent.filter(|_| !bent.contains(&joint));
            }
        }
    }

    fn push(
        &mut self,
        limbs: &BoundLimbs,
        mut name: String,
        parent: Option<usize>,
        rest: Isometry3<f64>,
    ) -> usize {
        let is_taken = |name: &str| limbs.joints.iter().chain(&self.joints).any(|other| other.name == name);
        while is_taken(&name) {
            name.push('_');
        }
        self.joints.push(RigJoint { name, parent, rest });
        limbs.joints.len() + self.joints.len() - 1
    }

    /// The weights with those of the helpers: half joints first, then twist joints. Lists that grow too long lose their lightest
    /// joints.
    pub fn split(&self, limbs: &BoundLimbs) -> SkinWeights {
        let mut shares = vec![false; limbs.joints.len()];
        self.twists.iter().for_each(|twist| shares[twist.bone] = true);
        self.halves.iter().for_each(|half| shares[half.joint] = true);
        self.muscles.iter().for_each(|muscle| shares[muscle.bone] = true);
        limbs.weights.replaced(|vertex| {
            let is_shared = limbs.weights.of(vertex).any(|(joint, _)| shares[joint]);
            is_shared.then(|| self.shared(limbs.weights.of(vertex).collect(), vertex))
        })
    }

    /// The list of a vertex with its helpers.
    fn shared(&self, mut list: Vec<(usize, f64)>, vertex: usize) -> Vec<(u16, f64)> {
        self.take_halves(&mut list);
        for muscle in &self.muscles {
            muscle.take(&mut list, vertex);
        }
        for twist in &self.twists {
            twist.divide(&mut list, twist.along[vertex]);
        }
        list.into_iter().map(|(joint, weight)| (joint as u16, weight)).collect()
    }

    /// Gives half joints what they take from the joints of a vertex.
    fn take_halves(&self, list: &mut Vec<(usize, f64)>) {
        let halves: Vec<&HalfJoint> =
            self.halves.iter().filter(|half| weight_of(list, half.joint) > 0.0).collect();
        if halves.is_empty() {
            return;
        }
        let mut taken: Vec<Taken> = halves.iter().map(|half| Taken::of(half, &halves, list)).collect();
        let scales: Vec<f64> = taken.iter().map(|own| own.scale(&taken, list)).collect();
        for (own, scale) in taken.iter_mut().zip(scales) {
            own.amount *= scale;
        }
        for own in taken.iter().filter(|own| own.amount > 0.0) {
            take(list, own.half.joint, own.amount);
            for &(joint, share) in &own.from {
                take(list, joint, share * own.amount);
            }
            list.push((own.half.half, 2.0 * own.amount));
        }
    }
}

/// What a half joint takes at a vertex, from its joint and as much from those above.
struct Taken<'a> {
    half: &'a HalfJoint,
    amount: f64,
    /// The joints above, and what part of the amount each gives.
    from: Vec<(usize, f64)>,
}

impl Taken<'_> {
    /// c_pB = w_p w_B / Σ w_B' over all B' below p; a_B is their sum, and m_B = min(a_B, w_B).
    fn of<'a>(half: &'a HalfJoint, all: &[&HalfJoint], list: &[(usize, f64)]) -> Taken<'a> {
        let own = weight_of(list, half.joint);
        let claims = |joint: usize| {
            let others = all.iter().filter(|other| other.above.contains(&joint));
            weight_of(list, joint) * own / others.map(|other| weight_of(list, other.joint)).sum::<f64>()
        };
        let above = half.above.iter().filter(|&&joint| weight_of(list, joint) > 0.0);
        let mut from: Vec<(usize, f64)> = above.map(|&joint| (joint, claims(joint))).collect();
        let total: f64 = from.iter().map(|(_, claim)| claim).sum();
        from.iter_mut().for_each(|(_, claim)| *claim /= total);
        Taken { half, amount: total.min(own), from }
    }

    /// What of the amount is left where several half joints take from one joint more than it has.
    fn scale(&self, all: &[Taken], list: &[(usize, f64)]) -> f64 {
        let joints = std::iter::once(self.half.joint).chain(self.from.iter().map(|(joint, _)| *joint));
        let left = joints.map(|joint| {
            let demand: f64 = all.iter().map(|other| other.demand(joint)).sum();
            let weight = weight_of(list, joint);
            if demand > weight { weight / demand } else { 1.0 }
        });
        left.fold(1.0, f64::min)
    }

    fn demand(&self, joint: usize) -> f64 {
        let own = if self.half.joint == joint { 1.0 } else { 0.0 };
        self.amount * (own + weight_of(&self.from, joint))
    }
}

fn weight_of(list: &[(usize, f64)], joint: usize) -> f64 {
    list.iter().find(|(other, _)| *other == joint).map_or(0.0, |(_, weight)| *weight)
}

fn take(list: &mut [(usize, f64)], joint: usize, amount: f64) {
    if let Some((_, weight)) = list.iter_mut().find(|(other, _)| *other == joint) {
        *weight = (*weight - amount).max(0.0);
    }
}

impl BoneNodes {
    /// Divides the weight of the bone between the two nodes around a station, linearly.
    fn divide(&self, list: &mut Vec<(usize, f64)>, station: f64) {
        let Some(own) = list.iter().position(|(joint, _)| *joint == self.bone) else { return };
        let (_, weight) = list.remove(own);
        let above = self.nodes.partition_point(|(share, _)| *share <= station);
        let [low, high] = [above.saturating_sub(1), above.min(self.nodes.len() - 1)];
        let ((from, lower), (to, upper)) = (self.nodes[low], self.nodes[high]);
        let part = if to > from { ((station - from) / (to - from)).clamp(0.0, 1.0) } else { 0.0 };
        list.extend(
            [(lower, weight * (1.0 - part)), (upper, weight * part)].iter().filter(|(_, w)| *w > 0.0),
        );
    }
}

pub(super) fn place(joints: &[RigJoint], joint: usize) -> Vec3 {
    joints[joint].rest.translation.vector
}

/// Whether a joint hangs on another one.
fn is_chain(joints: &[RigJoint], above: usize, below: usize) -> bool {
    above != below && std::iter::successors(Some(below), |&joint| joints[joint].parent).any(|j| j == above)
}

/// The largest part of a bone without vertices that move with it; `None` if it moves none.
fn largest_gap(limbs: &BoundLimbs, bone: usize, along: &[f64]) -> Option<f64> {
    let weight = |vertex: usize| limbs.weights.of(vertex).find(|(joint, _)| *joint == bone);
    (0..along.len()).find_map(weight)?;
    let own = (0..along.len()).filter(|&vertex| weight(vertex).is_some_and(|(_, weight)| weight > OF_BONE));
    let mut stations: Vec<f64> = own.map(|vertex| along[vertex]).chain([0.0, 1.0]).collect();
    stations.sort_by(f64::total_cmp);
    Some(stations.windows(2).map(|pair| pair[1] - pair[0]).fold(0.0, f64::max))
}

/// Between two rings of vertices the surface is straight, whatever the weights: twist joints that are nearer to each other than
/// those only add stretch. Gaps of 0.03 to 0.26 were seen where two joints are better than one, 0.56 and 0.71 where they are worse.
fn fine_enough(gap: f64) -> usize {
    (1.0 / gap).floor() as usize - 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::{Mat4, Quat, cos};
    use crate::rig::{HelperDriver, MaxInfluences, Rig, bind_pose};
    use crate::skin::lbs;
    use proptest::prelude::*;
    use std::f64::consts::TAU;

    const RINGS: usize = 241;
    const SECTORS: usize = 48;

    /// A closed cylinder along Y, radius 1, from 0 to 12, with joints at 0, 6 and 12 whose weights blend over ± 1 around the middle.
    struct Cylinder {
        positions: Vec<Vec3>,
        triangles: Vec<[u32; 3]>,
        joints: Vec<RigJoint>,
        weights: SkinWeights,
    }

    fn cylinder() -> Cylinder {
        let mut positions = Vec::new();
        for ring in 0..RINGS {
            let height = 12.0 * ring as f64 / (RINGS - 1) as f64;
            for sector in 0..SECTORS {
                let angle = TAU * sector as f64 / SECTORS as f64;
                positions.push(Vec3::new(crate::math::sin(angle), height, cos(angle)));
            }
        }
        positions.extend([Vec3::zeros(), Vec3::new(0.0, 12.0, 0.0)]);
        let at = |ring: usize, sector: usize| (ring * SECTORS + sector % SECTORS) as u32;
        let mut triangles = Vec::new();
        for sector in 0..SECTORS {
            for ring in 0..RINGS - 1 {
                let [a, b] = [at(ring, sector), at(ring, sector + 1)];
                let [c, d] = [at(ring + 1, sector), at(ring + 1, sector + 1)];
                triangles.extend([[a, b, c], [b, d, c]]);
            }
            let [low, high] = [(RINGS * SECTORS) as u32, (RINGS * SECTORS + 1) as u32];
            triangles.push([low, at(0, sector + 1), at(0, sector)]);
            triangles.push([high, at(RINGS - 1, sector), at(RINGS - 1, sector + 1)]);
        }
        let joint = |name: &str, parent, y| RigJoint {
            name: name.into(),
            parent,
            rest: Isometry3::translation(0.0, y, 0.0),
        };
        let joints = vec![joint("A", None, 0.0), joint("B", Some(0), 6.0), joint("End", Some(1), 12.0)];
        let of_upper = |y: f64| ((y - 5.0) / 2.0).clamp(0.0, 1.0);
        let lists = positions.iter().map(|p: &Vec3| vec![(0, 1.0 - of_upper(p.y)), (1, of_upper(p.y))]);
        let weights = SkinWeights::of_lists(MaxInfluences::Four, lists);
        Cylinder { positions, triangles, joints, weights }
    }

    impl Cylinder {
        /// The surface with helpers, with the upper joint turned by `turn`.
        fn posed(&self, bones: &[LimbBone], options: &HelperOptions, turn: &Quat) -> Vec<Vec3> {
            let names: Vec<String> = self.joints.iter().map(|joint| joint.name.clone()).collect();
            let limbs = BoundLimbs {
                joints: &self.joints,
                names: (&names, NameStyle::Godot),
                bones,
                positions: &self.positions,
                triangles: &self.triangles,
                pieces: &vec![0; self.triangles.len()],
                weights: &self.weights,
            };
            let plan = HelperPlan::of(&limbs, options);
            let weights = plan.split(&limbs);
            let mut rig = Rig::of_joints([self.joints.clone(), plan.joints].concat(), Vec::new());
            rig.helpers = plan.helpers;
            let middle = Vec3::new(0.0, 6.0, 0.0);
            let mut turns = vec![Quat::identity(); rig.joints.len()];
            (turns[1], turns[2]) = (*turn, *turn);
            HelperDriver::of(&rig).turn(&mut turns);
            let about = |place: Vec3, turn: &Quat| {
                Mat4::new_translation(&place) * turn.to_homogeneous() * Mat4::new_translation(&-place)
            };
            let turned = rig.joints.iter().zip(&turns).enumerate().map(|(joint, (data, turn))| {
                about(if joint == 2 { middle } else { data.rest.translation.vector }, turn)
            });
            let matrices: Vec<Mat4> = turned.collect();
            let bound: Vec<[f32; 3]> = self.positions.iter().map(|p| p.cast::<f32>().into()).collect();
            let mut posed = bound.clone();
            lbs::deform(&weights, &matrices, &bound, &mut posed);
            posed.into_iter().map(|p| Vec3::from(p.map(f64::from))).collect()
        }

        fn volume(&self, posed: &[Vec3]) -> f64 {
            let corners = self.triangles.iter().map(|triangle| triangle.map(|v| posed[v as usize]));
            corners.map(|[a, b, c]| a.dot(&b.cross(&c)) / 6.0).sum()
        }
    }

    fn bone(joint: usize, next: Option<usize>, segment: Segment) -> LimbBone {
        LimbBone { joint, next, limb: Limb::Arm, segment }
    }

    #[test]
    fn the_smallest_radius_of_a_twisted_limb_is_that_of_its_steps() {
        let cylinder = cylinder();
        for degrees in [90.0f64, 150.0, 180.0] {
            let angle = degrees.to_radians();
            let turn = Quat::from_axis_angle(&Vec3::y_axis(), angle);
            for count in 0..=4 {
                let twist = if count == 0 { TwistJoints::None } else { TwistJoints::Count(count) };
                let options = HelperOptions { twist, volume: VolumeJoints::None };
                let posed = cylinder.posed(&[bone(0, Some(1), Segment::Lower)], &options, &turn);
                let radii = posed[..RINGS * SECTORS].iter().map(|p| (p.x * p.x + p.z * p.z).sqrt());
                let smallest = radii.fold(f64::INFINITY, f64::min);
                let expected = cos(angle / (2.0 * (count + 1) as f64));
                assert!((smallest - expected).abs() < 0.005, "{degrees} {count}: {smallest} {expected}");
            }
        }
    }

    #[test]
    fn a_half_joint_leaves_as_much_of_the_lost_volume_as_two_steps_do() {
        let cylinder = cylinder();
        let at_rest = cylinder.volume(&cylinder.positions);
        for degrees in [60.0f64, 90.0, 120.0, 150.0] {
            let angle = degrees.to_radians();
            let turn = Quat::from_axis_angle(&Vec3::x_axis(), angle);
            let lost = |volume: VolumeJoints| {
                let options = HelperOptions { twist: TwistJoints::None, volume };
                at_rest - cylinder.volume(&cylinder.posed(&[bone(1, None, Segment::Lower)], &options, &turn))
            };
            let left = lost(VolumeJoints::Half) / lost(VolumeJoints::None);
            let expected = (1.0 - cos(0.5 * angle)) / (1.0 - cos(angle));
            assert!((left - expected).abs() < 0.02, "{degrees}: {left} {expected}");
        }
    }

    #[test]
    fn a_piece_that_does_not_bend_is_not_wrung() {
        let mut cylinder = cylinder();
        // The lower quarter becomes a bracelet of its own, with one list of weights.
        let of_bracelet = |p: &Vec3| p.y < 3.0;
        let lists = cylinder
            .positions
            .iter()
            .map(|p| if of_bracelet(p) { vec![(0, 0.7), (1, 0.3)] } else { vec![(0, 1.0)] });
        cylinder.weights = SkinWeights::of_lists(MaxInfluences::Four, lists);
        cylinder.triangles.retain(|triangle| {
            let inside = triangle.map(|v| of_bracelet(&cylinder.positions[v as usize]));
            inside.iter().all(|is| *is) || inside.iter().all(|is| !is)
        });
        let pieces: Vec<u32> = cylinder
            .triangles
            .iter()
            .map(|triangle| u32::from(!of_bracelet(&cylinder.positions[triangle[0] as usize])))
            .collect();
        let names: Vec<String> = cylinder.joints.iter().map(|joint| joint.name.clone()).collect();
        let bones = [bone(0, Some(1), Segment::Lower)];
        let limbs = BoundLimbs {
            joints: &cylinder.joints,
            names: (&names, NameStyle::Godot),
            bones: &bones,
            positions: &cylinder.positions,
            triangles: &cylinder.triangles,
            pieces: &pieces,
            weights: &cylinder.weights,
        };
        let along = StiffPieces::of(&limbs).stations(&limbs, [0, 1]);
        let first = along[0];
        assert!(first > 0.15 && first < 0.35);
        let rigid = (0..cylinder.positions.len() - 2).filter(|&v| of_bracelet(&cylinder.positions[v]));
        assert!(rigid.into_iter().all(|vertex| along[vertex] == first));
    }

    /// A person with random weights on its joints.
    fn person(lists: Vec<Vec<(u16, f64)>>, options: HelperOptions) -> (Rig, SkinWeights, SkinWeights) {
        let human = Skeleton::human();
        let bind = bind_pose(&human, &human.positions());
        let positions: Vec<Vec3> = (0..lists.len())
            .map(|vertex| {
                let (a, b) = (vertex * 7 % bind.joints.len(), vertex * 3 % bind.joints.len());
                0.5 * (place(&bind.joints, a) + place(&bind.joints, b))
            })
            .collect();
        let weights = SkinWeights::of_lists(MaxInfluences::Four, lists.into_iter());
        let names: Vec<String> = bind.joints.iter().map(|joint| joint.name.clone()).collect();
        let bones = limb_bones(&human, &bind.exported);
        let limbs = BoundLimbs {
            joints: &bind.joints,
            names: (&names, NameStyle::Godot),
            bones: &bones,
            positions: &positions,
            triangles: &[],
            pieces: &[],
            weights: &weights,
        };
        let plan = HelperPlan::of(&limbs, &options);
        let split = plan.split(&limbs);
        let mut rig = bind.into_rig();
        plan.joints.into_iter().for_each(|joint| {
            rig.joints.push(joint);
        });
        rig.helpers = plan.helpers;
        (rig, weights, split)
    }

    fn lists() -> impl Strategy<Value = Vec<Vec<(u16, f64)>>> {
        let list = prop::collection::btree_map(0u16..23, 0.01f64..1.0, 1..5);
        prop::collection::vec(list.prop_map(|list| list.into_iter().collect()), 1..40)
    }

    proptest! {
        #[test]
        fn weights_stay_whole_and_fold_back(lists in lists(), count in 1usize..5) {
            let twist = HelperOptions { twist: TwistJoints::Count(count), volume: VolumeJoints::None };
            let (rig, plain, split) = person(lists.clone(), twist);
            let movers = rig.movers();
            for vertex in 0..plain.vertices() {
                let (_, weights) = split.lists();
                let sum: u32 = weights[4 * vertex..4 * vertex + 4].iter().map(|&w| u32::from(w)).sum();
                prop_assert_eq!(sum, u32::from(SkinWeights::ONE));
                // Undriven twist joints are their bones, unless a list was cut.
                if split.of(vertex).count() < 4 {
                    for (joint, weight) in plain.of(vertex) {
                        let folded: f64 =
                            split.of(vertex).filter(|(j, _)| movers[*j] == joint).map(|(_, w)| w).sum();
                        prop_assert!((folded - weight).abs() < 4.0 / 65535.0);
                    }
                }
            }
            let both = HelperOptions { volume: VolumeJoints::Half, ..twist };
            let (_, plain, split) = person(lists, both);
            for vertex in 0..plain.vertices() {
                let sum: f64 = split.of(vertex).map(|(_, weight)| weight).sum();
                prop_assert!((sum - 1.0).abs() < 1e-9);
            }
        }

        #[test]
        fn half_joints_take_as_much_from_either_side(lists in lists()) {
            let options = HelperOptions { twist: TwistJoints::None, volume: VolumeJoints::Half };
            let (rig, plain, split) = person(lists, options);
            for vertex in 0..plain.vertices() {
                if split.of(vertex).count() == 4 { continue }
                for helper in &rig.helpers {
                    let Follows::Half { below, .. } = helper.follows else { continue };
                    let weight = |skin: &SkinWeights, joint: usize| {
                        skin.of(vertex).find(|(other, _)| *other == joint).map_or(0.0, |(_, weight)| weight)
                    };
                    let given = weight(&plain, below) - weight(&split, below);
                    // What the joint gives to the joints below it comes on top.
                    prop_assert!(given >= 0.5 * weight(&split, helper.joint) - 4.0 / 65535.0);
                }
            }
        }
    }
}
