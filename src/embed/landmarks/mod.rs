//! Joints from events of the shape: where limbs end, where they merge with the trunk, where sections are narrow.
//!
//! Nearly every character shows these events whatever its style, and artists place joints at similar fractions
//! between them. There is no search and no template pose, so there is always an answer; how far to trust it is
//! part of the answer.

mod biped;
mod body_plan;
mod level_sets;

mod quadruped;
mod sections;

pub use body_plan::{BodyPlan, PlanReason};

use super::candidates::Hint;
use super::hints::corrected;
use super::voxels::VoxelVolume;
use crate::math::Vec3;
use crate::skeleton::Skeleton;
use crate::skeleton::naming::{Limb, Role, Segment, Side};
use std::fmt;

/// Joints estimated from the shape of a body.
#[derive(Debug, Clone, PartialEq)]
pub struct Landmarks {
    /// What kind of body it is taken for.
    pub plan: BodyPlan,
    /// What decided between two legs and four.
    pub plan_reason: PlanReason,
    /// How far the decision was from the other one, 0 to 1.
    pub plan_margin: f64,
    /// One for each joint of the plan's skeleton, tips included.
    pub joints: Vec<Landmark>,
    /// Why joints may be wrong.
    pub diagnostics: Vec<Diagnostic>,
    /// Both sides are mirror images; otherwise each was read by itself.
    pub symmetric: bool,
    /// The plane between left and right.
    pub plane: SymmetryPlane,
}

impl Landmarks {
    /// The positions in the order of the skeleton's joints; `None` if it has joints without a landmark.
    pub fn positions(&self, skeleton: &Skeleton) -> Option<Vec<Vec3>> {
        let joints = 0..skeleton.joints.len();
        joints.map(|joint| self.of_joint(skeleton, joint).map(|landmark| landmark.position)).collect()
    }

    /// The same without the errors that hints show.
    pub(super) fn following(&self, skeleton: &Skeleton, hints: &[Hint]) -> Landmarks {
        let Some(positions) = self.positions(skeleton) else { return self.clone() };
        let mut followed = self.clone();
        let corrected = corrected(skeleton, positions, hints);
        for landmark in &mut followed.joints {
            let joint = skeleton.with_role(landmark.role).nth(landmark.rank);
            landmark.position = joint.map_or(landmark.position, |joint| corrected[joint]);
        }
        followed
    }

    /// Whether the shape shows no limb with such a joint: then it was put where such limbs usually are.
    pub fn is_guess(&self, role: Option<Role>) -> bool {
        let has =
            |wanted: &[Diagnostic]| self.diagnostics.iter().any(|diagnostic| wanted.contains(diagnostic));
        match role {
            Some(Role::Limb(Limb::Arm, ..)) => has(&[Diagnostic::NoArms, Diagnostic::NoArmpit]),
            Some(Role::Limb(Limb::Leg | Limb::FrontLeg, ..)) => has(&[Diagnostic::MissingLegs]),
            _ => false,
        }
    }

    /// The landmark of a skeleton's joint, by its role.
    pub fn of_joint(&self, skeleton: &Skeleton, joint: usize) -> Option<&Landmark> {
        let role = skeleton.joints[joint].role?;
        let rank = skeleton.with_role(role).position(|other| other == joint)?;
        self.joints.iter().find(|landmark| landmark.role == role && landmark.rank == rank)
    }
}

/// The position of one joint.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Landmark {
    /// What the joint is in the body.
    pub role: Role,
    /// Its number among the joints of that role, from 0: spines and tails have several, from the hips outwards.
    pub rank: usize,
    /// In the unit cube of the prepared mesh.
    pub position: Vec3,
}

/// The plane x = const that maps a body to its mirror image best.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SymmetryPlane {
    /// In the unit cube.
    pub x: f64,
    /// Volume shared with the mirror image over the volume of the union, 0 to 1.
    pub overlap: f64,
}

/// Why joints may be wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Diagnostic {
    /// No pair of hands stands out from the body.
    NoArms,
    /// The arms are too short or too long for the height of the shoulders.
    ArmLength,
    /// Left and right differ.
    SidesDiffer,
    /// The body is far from its mirror image.
    Asymmetric,
    /// The hands hardly stand out.
    WeakHands,
    /// The arm hangs down along the trunk; the shoulder was taken from the neck.
    ShoulderLifted,
    /// The arm has no merging place that can be a shoulder.
    NoArmpit,
    /// The legs do not part.
    NoCrotch,
    /// The neck and the arms give different heights of the shoulders.
    NeckAndArmsDisagree,
    /// The legs part far below where hips are usual, as under a coat.
    LowCrotch,
    /// There is no narrow section between trunk and head.
    NoNeck,
    /// Fewer than two pairs of legs stand on the ground.
    MissingLegs,
    /// No head stands out in front of the fore legs.
    NoHead,
    /// The hind legs may have three bones or four.
    HindBones,
    /// Trunk and legs do not have the proportions of an animal.
    TrunkShape,
    /// The shape speaks for two legs about as much as for four.
    UnclearPlan,
    /// Much of the volume does not hang together with the rest and was left out.
    LooseParts,
    /// The head of an animal is lowered: ears or horns may pass for its nose.
    HeadLowered,
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Diagnostic::NoArms => "no pair of hands stands out from the body",
            Diagnostic::ArmLength => "the arms are too short or too long for the shoulders",
            Diagnostic::SidesDiffer => "left and right differ",
            Diagnostic::Asymmetric => "the body is far from its mirror image",
            Diagnostic::WeakHands => "the hands hardly stand out",
            Diagnostic::ShoulderLifted => {
                "the arms hang along the trunk; the shoulders were taken from the neck"
            }
            Diagnostic::NoArmpit => "the arms have no merging place that can be a shoulder",
            Diagnostic::NoCrotch => "the legs do not part",
            Diagnostic::NeckAndArmsDisagree => "neck and arms give different heights of the shoulders",
            Diagnostic::LowCrotch => "the legs part far below where hips are usual",
            Diagnostic::NoNeck => "there is no narrow section between trunk and head",
            Diagnostic::MissingLegs => "fewer than two pairs of legs stand on the ground",
            Diagnostic::NoHead => "no head stands out in front of the fore legs",
            Diagnostic::HindBones => "the hind legs may have three bones or four",
            Diagnostic::TrunkShape => "trunk and legs do not have the proportions of an animal",
            Diagnostic::LooseParts => "much of it does not hang together with the rest and was left out",
            Diagnostic::HeadLowered => "the head is carried low",
            Diagnostic::UnclearPlan => "the shape speaks for two legs about as much as for four",
        })
    }
}

/// What is found in a volume.
struct Estimate<'a> {
    voxels: &'a VoxelVolume,
    symmetry: Symmetry,
    /// In body space.
    joints: Vec<Landmark>,
    diagnostics: Vec<Diagnostic>,
}

/// Which sides of a body are looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Symmetry {
    /// The left one: the right one is its mirror image.
    Mirrored,
    /// Each by itself.
    PerSide,
}

impl Symmetry {
    /// The signs of x on the sides that are looked at, the left one first.
    fn sides(self) -> &'static [f64] {
        match self {
            Symmetry::Mirrored => &[1.0],
            Symmetry::PerSide => &[1.0, -1.0],
        }
    }

    /// What was found for a side, and the sign that turns it to that side.
    fn of_side<T>(self, found: &[T], side: Side) -> (Option<&T>, f64) {
        match (self, side) {
            (_, Side::Left) => (found.first(), 1.0),
            (Symmetry::Mirrored, Side::Right) => (found.first(), -1.0),
            (Symmetry::PerSide, Side::Right) => (found.get(1), 1.0),
        }
    }
}

/// The joints of a limb, from the trunk outwards; `sign` turns their positions to its side.
fn limb_joints<const N: usize>(
    (limb, side, segments): (Limb, Side, [Segment; N]),
    positions: [Vec3; N],
    sign: f64,
) -> impl Iterator<Item = Landmark> {
    segments.into_iter().zip(positions).map(move |(segment, position)| Landmark {
        role: Role::Limb(limb, side, segment),
        rank: 0,
        position: Vec3::new(sign * position.x, position.y, position.z),
    })
}

/// A body as it is, and the part that it shares with its mirror image.
struct Volumes<'a> {
    raw: &'a VoxelVolume,
    /// In units of its own height; `None` if that part does not stand on the same ground or is little of the body.
    symmetric: Option<VoxelVolume>,
}

/// Part of the volume that the symmetric part must keep. Less is left of poses that are not symmetric at all.
const KEPT: f64 = 0.45;

/// Height above the ground up to which the symmetric part must reach down: feet that stand side by side.
const FLOOR: f64 = 0.05;

impl Volumes<'_> {
    fn of(raw: &VoxelVolume) -> Volumes<'_> {
        let part = raw.symmetric_part();
        let stands = part.vertical_range().0 <= FLOOR && part.volume() >= KEPT * raw.volume();
        Volumes { symmetric: stands.then(|| part.rescaled()), raw }
    }
}

/// Part of the volume that hangs together below which loose parts are diagnosed.
const IN_ONE_PIECE: f64 = 0.9;

/// Overlap with the mirror image below which a body is diagnosed as asymmetric.
const ASYMMETRIC: f64 = 0.8;

/// Estimates the joints of a body; `plan` is what the caller knows about it.
pub fn find_landmarks(voxels: &VoxelVolume, plan: Option<BodyPlan>) -> Landmarks {
    let volumes = Volumes::of(voxels);
    let stand = quadruped::Stand::of(&volumes);
    let choice = body_plan::choose(&stand, plan);
    let mut estimate = match choice.plan {
        BodyPlan::Biped => biped::estimate(&volumes),
        BodyPlan::Quadruped | BodyPlan::Horse => quadruped::estimate(&volumes, &stand, choice.plan),
    };
    if choice.margin < body_plan::UNCLEAR {
        estimate.diagnostics.push(Diagnostic::UnclearPlan);
    }
    if volumes.raw.kept < IN_ONE_PIECE {
        estimate.diagnostics.push(Diagnostic::LooseParts);
    }
    let voxels = estimate.voxels;
    let landmarks = estimate
        .joints
        .iter()
        .map(|joint| Landmark { position: voxels.unit_from_body(&joint.position), ..*joint });
    Landmarks {
        plan: choice.plan,
        plan_reason: choice.reason,
        plan_margin: choice.margin,
        joints: landmarks.collect(),
        symmetric: estimate.symmetry == Symmetry::Mirrored,
        plane: SymmetryPlane { x: voxels.origin_unit.x, overlap: volumes.raw.mirror_overlap },
        diagnostics: estimate.diagnostics,
    }
}

/// The mirror image of a vector.
fn mirrored(point: &Vec3) -> Vec3 {
    Vec3::new(-point.x, point.y, point.z)
}

/// The middle value; the mean of the two middle ones of an even number. Zero for none.
fn median(values: &mut [f64]) -> f64 {
    values.sort_unstable_by(f64::total_cmp);
    match values.len() {
        0 => 0.0,
        n => 0.5 * (values[(n - 1) / 2] + values[n / 2]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::io::skeleton_file;
    use crate::math::Axis;
    use crate::mesh::orientation::OrientationOptions;
    use crate::mesh::prepare::{PrepareOptions, prepare};
    use crate::mesh::{Mesh, shapes};
    use crate::skeleton::built_in;

    /// A figure of capsules along its bones, the head a ball: every joint is known.
    fn stick_figure(deform: impl Fn(Vec3) -> Vec3) -> Mesh {
        let v = Vec3::new;
        let mut bones = vec![
            (v(0.0, 0.5, 0.0), v(0.0, 0.78, 0.0), 0.09),
            (v(0.0, 0.78, 0.0), v(0.0, 0.86, 0.0), 0.04),
            (v(0.0, 0.92, 0.0), v(0.0, 0.93, 0.0), 0.07),
        ];
        for side in [1.0, -1.0] {
            bones.push((v(0.1 * side, 0.78, 0.0), v(0.55 * side, 0.78, 0.0), 0.035));
            bones.push((v(0.08 * side, 0.5, 0.0), v(0.08 * side, 0.04, 0.0), 0.05));
            bones.push((v(0.08 * side, 0.02, 0.0), v(0.08 * side, 0.02, 0.1), 0.03));
        }
        let mut mesh = shapes::uv_sphere(12, 16);
        let ball = mesh.clone();
        mesh.positions.clear();
        mesh.triangles.clear();
        for (from, to, radius) in bones {
            let axis = (to - from).normalize();
            let first = mesh.positions.len() as u32;
            mesh.positions.extend(ball.positions.iter().map(|p| {
                // The equator goes to the near end on both sides, whatever the rounding.
                let end = if p.dot(&axis) > 1e-9 { to } else { from };
                deform(end + p * radius)
            }));
            mesh.triangles.extend(ball.triangles.iter().map(|triangle| triangle.map(|v| v + first)));
        }
        mesh.parts[0].vertices = 0..mesh.positions.len();
        mesh.parts[0].triangles = 0..mesh.triangles.len();
        mesh
    }

    fn upright() -> PrepareOptions {
        let orientation = OrientationOptions { up: Some(Axis::PosY), front: Some(Axis::PosZ) };
        PrepareOptions { orientation, ..PrepareOptions::default() }
    }

    /// Landmarks in the coordinates of the mesh.
    #[allow(clippy::type_complexity)]
    fn read(mesh: &Mesh) -> (Landmarks, Vec<((Role, usize), Vec3)>) {
        let prepared = prepare(mesh, &upright(), &mut Vec::new()).unwrap();
        let landmarks = find_landmarks(&VoxelVolume::of(&prepared), None);
        let inverse = prepared.unit_from_input.inverse();
        let positions = landmarks
            .joints
            .iter()
            .map(|joint| ((joint.role, joint.rank), inverse.transform_point(&joint.position.into()).coords))
            .collect();
        (landmarks, positions)
    }

    #[test]
    fn joints_of_a_figure_of_capsules_are_found() {
        let (landmarks, positions) = read(&stick_figure(|p| p));
        assert_eq!(landmarks.plan, BodyPlan::Biped);
        assert!(landmarks.symmetric && landmarks.diagnostics.is_empty(), "{:?}", landmarks.diagnostics);
        for (name, expected) in [
            ("LeftUpperArm", Vec3::new(0.09, 0.78, 0.0)),
            ("LeftHandTip", Vec3::new(0.58, 0.78, 0.0)),
            ("RightHandTip", Vec3::new(-0.58, 0.78, 0.0)),
            ("LeftLowerLeg", Vec3::new(0.08, 0.29, 0.0)),
            ("RightFoot", Vec3::new(-0.08, 0.03, 0.0)),
            ("LeftUpperLeg", Vec3::new(0.08, 0.5, 0.0)),
            ("Hips", Vec3::new(0.0, 0.5, 0.0)),
        ] {
            let position = positions.iter().find(|((role, _), _)| role.to_string() == name).unwrap().1;
            assert!((position - expected).norm() < 0.04, "{name} is at {position:?}");
        }
    }

    #[test]
    fn translation_and_scale_carry_through() {
        let (_, plain) = read(&stick_figure(|p| p));
        let (_, moved) = read(&stick_figure(|p| p * 37.0 + Vec3::new(5.0, -80.0, 11.0)));
        for (a, b) in plain.iter().zip(&moved) {
            let expected = a.1 * 37.0 + Vec3::new(5.0, -80.0, 11.0);
            assert!((b.1 - expected).norm() < 37.0 * 0.015, "{:?}: {:?} for {:?}", a.0, b.1, expected);
        }
    }

    #[test]
    fn a_mirrored_figure_has_mirrored_joints() {
        // A shift of one arm makes the figure its own mirror image no longer.
        let bend = |side: f64| {
            move |p: Vec3| {
                let mirrored = Vec3::new(p.x * side, p.y, p.z);
                let lift = if mirrored.x > 0.2 { 0.5 * (mirrored.x - 0.2) } else { 0.0 };
                p + Vec3::y() * lift
            }
        };
        let (_, left) = read(&stick_figure(bend(1.0)));
        let (_, right) = read(&stick_figure(bend(-1.0)));
        for ((role, rank), position) in &left {
            let image = right.iter().find(|(key, _)| *key == (role.mirrored(), *rank)).unwrap().1;
            // Voxels of mirrored surfaces differ here and there, and a capsule has no wrist: where one is seen by
            // chance, hand and elbow move by a tenth of the arm.
            assert!((mirrored(position) - image).norm() < 0.05, "{role}: {position:?} and {image:?}");
        }
    }

    #[test]
    fn every_joint_of_the_skeleton_has_a_landmark() {
        let prepared = prepare(&stick_figure(|p| p), &upright(), &mut Vec::new()).unwrap();
        for file in built_in() {
            let skeleton = skeleton_file::read(file.text).unwrap();
            let plan = BodyPlan::of_skeleton(&skeleton);
            assert_eq!(plan.is_none(), file.name == "centaur", "{}", file.name);
            let Some(plan) = plan else { continue };
            let landmarks = find_landmarks(&VoxelVolume::of(&prepared), Some(plan));
            assert_eq!(landmarks.joints.len(), skeleton.joints.len(), "{}", file.name);
            assert!(landmarks.positions(&skeleton).is_some(), "{}", file.name);
        }
    }
}
