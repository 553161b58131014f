//! A skinned character and its motion, ready to be rendered.

use super::texture::Texture;
use super::{Shading, Surface};
use crate::math::{Bounds, Mat4, Quat, Similarity, Vec3};
use crate::mesh::Mesh;
use crate::rig::{Rig, RigJoint, RigSole, SkinWeights};
use crate::skeleton::Sole;
use crate::skin::lbs;
use nalgebra::{Isometry3, Point3};

/// A skinned character at rest: upright on +Y, facing +Z, in metres.
pub struct RenderCharacter {
    /// Its surface and how it looks, in its place.
    pub mesh: Mesh,
    /// The textures of its images.
    pub textures: Vec<Option<Texture>>,
    /// For each vertex of the mesh, by `joints`.
    pub weights: SkinWeights,
    /// Parents before children.
    pub joints: Vec<RigJoint>,
    /// The joint that carries the trunk.
    pub hips: usize,
    /// Its arms, as far as they are known.
    pub arms: Vec<LimbJoints>,
    /// Its legs, those on which a person stands and the hind legs of an animal.
    pub legs: Vec<LimbJoints>,
    /// The soles of its feet, by `joints`.
    pub soles: Vec<Sole>,
    /// The rest as skinning reads it.
    positions: Vec<[f32; 3]>,
    normals: Vec<[f32; 3]>,
}

/// The joints of a rig that say what a body does.
#[derive(Debug, Clone, Default)]
pub struct BodyJoints {
    /// The joint that carries the trunk.
    pub hips: usize,
    /// Its arms, as far as they are known.
    pub arms: Vec<LimbJoints>,
    /// Its legs, those on which a person stands and the hind legs of an animal.
    pub legs: Vec<LimbJoints>,
}

/// Where a limb begins and ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LimbJoints {
    /// Shoulder or hip.
    pub upper: usize,
    /// Wrist or ankle.
    pub end: usize,
}

impl RenderCharacter {
    /// A character from a mesh as its file holds it, placed by `output_from_input`; `body` are joints of the rig.
    ///
    /// # Panics
    /// If the weights are not those of the mesh's vertices, or the hips are no joint.
    pub fn new(
        mut mesh: Mesh,
        output_from_input: &Similarity,
        textures: Vec<Option<Texture>>,
        weights: SkinWeights,
        rig: &Rig,
        body: BodyJoints,
    ) -> RenderCharacter {
        let BodyJoints { hips, arms, legs } = body;
        assert!(hips < rig.joints.len(), "the hips are a joint");
        assert_eq!(mesh.positions.len(), weights.vertices(), "every vertex has weights");
        for position in &mut mesh.positions {
            *position = (output_from_input * Point3::from(*position)).coords;
        }
        for normal in &mut mesh.appearance.normals {
            let rotated = output_from_input.isometry.rotation * Vec3::from(normal.map(f64::from));
            *normal = rotated.cast::<f32>().into();
        }
        let normals = Surface::of(&mesh, &[]).normals.into_owned();
        let positions = mesh.positions.iter().map(|p| p.cast::<f32>().into()).collect();
        let soles = rig.soles.iter().map(outline).collect();
        RenderCharacter {
            mesh,
            textures,
            weights,
            joints: rig.joints.to_vec(),
            hips,
            arms,
            legs,
            soles,
            positions,
            normals,
        }
    }

    /// From its soles to the top of its head.
    pub fn height(&self) -> f64 {
        Bounds::of(&self.mesh.positions).extent().y
    }

    /// The vertices and normals of a pose, in which each joint moves by `posed_from_bound`.
    pub fn posed(&self, posed_from_bound: &[Isometry3<f64>]) -> PosedSurface {
        let matrices = matrices(posed_from_bound);
        let mut moved = vec![[0.0; 3]; self.positions.len()];
        lbs::deform(&self.weights, &matrices, &self.positions, &mut moved);
        let mut normals = vec![[0.0; 3]; self.normals.len()];
        lbs::deform_normals(&self.weights, &matrices, &self.normals, &mut normals);
        PosedSurface { positions: moved.iter().map(|p| Vec3::from(p.map(f64::from))).collect(), normals }
    }

    /// The character at rest.
    pub fn at_rest(&self) -> PosedSurface {
        PosedSurface { positions: self.mesh.positions.clone(), normals: self.normals.clone() }
    }

    /// A pose in the character's own colours.
    pub fn surface<'a>(&'a self, posed: &'a PosedSurface) -> Surface<'a> {
        Surface {
            positions: &posed.positions,
            triangles: &self.mesh.triangles,
            normals: posed.normals.as_slice().into(),
            shading: Shading::Materials(&self.mesh, &self.textures),
            world_from_own: Similarity::identity(),
        }
    }
}

/// Heel, ball and toe of a sole at rest, where it points to +Z.
fn outline(sole: &RigSole) -> Sole {
    let points: Vec<Vec3> = sole.points.iter().map(|point| point.position).collect();
    let bounds = Bounds::of(&points);
    let [heel, toe] = [bounds.min.z, bounds.max.z].map(|z| end_of_sole(&points, &bounds, z));
    Sole { joint: sole.foot, heel, ball: heel + BALL * (toe - heel), toe }
}

/// The middle of the hindmost or foremost quarter of a sole: feet may point outwards.
fn end_of_sole(points: &[Vec3], bounds: &Bounds, z: f64) -> Vec3 {
    let near = points.iter().filter(|point| (point.z - z).abs() <= SOLE_END * bounds.extent().z);
    let (sum, count) = near.fold((0.0, 0), |(sum, count), point| (sum + point.x, count + 1));
    Vec3::new(sum / f64::from(count.max(1)), bounds.min.y, z)
}

/// Part of a sole, from its end, over which the end is averaged.
const SOLE_END: f64 = 0.25;
/// Where the ball of a foot is, from heel to toe.
const BALL: f64 = 0.7;

/// Vertices and normals of a [`RenderCharacter`] at one moment.
pub struct PosedSurface {
    /// In the world.
    pub positions: Vec<Vec3>,
    /// Of unit length.
    pub normals: Vec<[f32; 3]>,
}

/// A character in motion.
pub struct AnimatedCharacter<'a> {
    /// Who moves.
    pub character: &'a RenderCharacter,
    /// Above zero.
    pub frames_per_second: f64,
    /// For each frame and joint the motion from where the surface was bound; there is at least one frame.
    pub poses: Vec<Vec<Isometry3<f64>>>,
    /// For each frame, for each sole of the character, whether it is planted.
    pub planted: Vec<Vec<bool>>,
    /// How far a planted foot moves from the middle of its stance, in metres: on average over the stances, and at most.
    pub slide: [f64; 2],
    /// Metres a second of the ground under a motion that stays in place as on a treadmill; zero for others.
    pub in_place_speed: f64,
    /// Length of a leg in metres; zero without legs.
    pub leg: f64,
    /// For each frame where the hips are.
    pub root: Vec<Vec3>,
    /// Whether the first frame follows after the last.
    pub loops: bool,
}

/// Vertices that are looked at for what a motion sweeps: limbs have their share of them.
const BOUND_VERTICES: usize = 2000;
/// A front whose part along the floor is shorter has no direction there: the character looks straight up or down.
const UPRIGHT: f64 = 1e-6;
/// Seconds over which the height of what a character stands on is smoothed. With less the shadow jumps from step to step, with
/// more it is late.
const STEP_SECONDS: f64 = 0.4;
/// Soles up to this height, in heights of the character, stand on the floor: captures are not exact. The lowest steps of stairs
/// are 0.08.
const FLOOR: f64 = 0.03;
/// Distances that differ by a smaller part are equal: the choice must not depend on rounding in the last digit.
const EQUAL_DISTANCE: f64 = 1e-9;

impl AnimatedCharacter<'_> {
    /// How many frames there are.
    pub fn frames(&self) -> usize {
        self.poses.len()
    }

    /// From the first frame until after the last.
    pub fn seconds(&self) -> f64 {
        self.frames() as f64 / self.frames_per_second
    }

    /// Where a joint is.
    pub fn joint(&self, frame: usize, joint: usize) -> Vec3 {
        let rest = Point3::from(self.character.joints[joint].rest.translation.vector);
        (self.poses[frame][joint] * rest).coords
    }

    /// Heel and toe of a sole.
    pub fn sole(&self, frame: usize, sole: usize) -> [Vec3; 2] {
        let Sole { joint, heel, toe, .. } = self.character.soles[sole];
        [heel, toe].map(|point| (self.poses[frame][joint] * Point3::from(point)).coords)
    }

    /// Whether no foot is planted; never for a character without soles.
    pub fn is_airborne(&self, frame: usize) -> bool {
        let planted = &self.planted[frame];
        !planted.is_empty() && !planted.contains(&true)
    }

    /// For each frame the height of what the character stands on: the floor, or a step of the motion. In the air it is between
    /// where the character took off and where it lands.
    pub fn support_heights(&self) -> Vec<f64> {
        let stood: Vec<(usize, f64)> =
            (0..self.frames()).filter_map(|frame| Some((frame, self.stands_at(frame)?))).collect();
        let heights: Vec<f64> = (0..self.frames()).map(|frame| between(&stood, frame)).collect();
        let half = (0.5 * STEP_SECONDS * self.frames_per_second) as usize;
        (0..heights.len())
            .map(|frame| {
                let near = &heights[frame.saturating_sub(half)..(frame + half + 1).min(heights.len())];
                near.iter().sum::<f64>() / near.len() as f64
            })
            .collect()
    }

    /// The mean height of the planted soles; the floor, if they are hardly above or below it.
    fn stands_at(&self, frame: usize) -> Option<f64> {
        let planted: Vec<usize> =
            (0..self.planted[frame].len()).filter(|&s| self.planted[frame][s]).collect();
        let heights = planted.iter().map(|&sole| {
            let [heel, toe] = self.sole(frame, sole);
            heel.y.min(toe.y)
        });
        let mean = heights.sum::<f64>() / planted.len() as f64;
        let floor = FLOOR * self.character.height();
        (!planted.is_empty()).then_some(if mean.abs() < floor { 0.0 } else { mean })
    }

    /// The direction that the character faces: a unit vector on the floor. At rest it is +Z.
    pub fn facing(&self, frame: usize) -> Vec3 {
        let forwards = self.poses[frame][self.character.hips].rotation * Vec3::z();
        on_floor(&forwards).try_normalize(UPRIGHT).unwrap_or(Vec3::z())
    }

    /// Points of the character in some frames, each relative to `origin(frame)`: enough to know what it sweeps.
    pub fn swept_points(
        &self,
        frames: impl Iterator<Item = usize>,
        origin: impl Fn(usize) -> Vec3,
    ) -> Vec<Vec3> {
        let RenderCharacter { positions, weights, .. } = self.character;
        let step = positions.len().div_ceil(BOUND_VERTICES).max(1);
        let few = weights.gather((0..positions.len()).step_by(step));
        let rest: Vec<[f32; 3]> = positions.iter().step_by(step).copied().collect();
        let mut posed = rest.clone();
        let mut points = Vec::new();
        for frame in frames {
            lbs::deform(&few, &matrices(&self.poses[frame]), &rest, &mut posed);
            let from = origin(frame);
            points.extend(posed.iter().map(|p| Vec3::from(p.map(f64::from)) - from));
        }
        points
    }

    /// The frame whose pose says most about the motion, such as a stride, a kick or the top of a jump: the one farthest
    /// from the mean pose. Of equals it is the first.
    pub fn representative_frame(&self) -> usize {
        let poses: Vec<Vec<Vec3>> = (0..self.frames()).map(|frame| self.aligned_joints(frame)).collect();
        let mut mean = vec![Vec3::zeros(); poses[0].len()];
        for pose in &poses {
            mean.iter_mut().zip(pose).for_each(|(mean, p)| *mean += p / self.frames() as f64);
        }
        let distances: Vec<f64> = poses
            .iter()
            .map(|pose| pose.iter().zip(&mean).map(|(p, mean)| (p - mean).norm_squared()).sum())
            .collect();
        (0..distances.len()).rfold(0, |best, frame| {
            if distances[frame] >= distances[best] * (1.0 - EQUAL_DISTANCE) { frame } else { best }
        })
    }

    /// Positions of the joints from the hips on (a root on the floor stays behind when the hips carry the motion), facing
    /// +Z, relative to the floor below the hips: height counts, so that a jump shows its top.
    fn aligned_joints(&self, frame: usize) -> Vec<Vec3> {
        let rotation = Quat::face_towards(&self.facing(frame), &Vec3::y()).inverse();
        let origin = on_floor(&self.root[frame]);
        let joints = self.character.hips..self.character.joints.len();
        joints.map(|joint| rotation * (self.joint(frame, joint) - origin)).collect()
    }
}

/// The height at a frame, between the nearest frames of which it is known; the floor if there are none.
fn between(known: &[(usize, f64)], frame: usize) -> f64 {
    let after = known.partition_point(|(at, _)| *at < frame);
    match (after.checked_sub(1).map(|before| known[before]), known.get(after)) {
        (Some((from, low)), Some(&(to, high))) => {
            low + (high - low) * (frame - from) as f64 / (to - from) as f64
        }
        (Some((_, height)), None) | (None, Some(&(_, height))) => height,
        (None, None) => 0.0,
    }
}

/// The point of the floor at y = 0 below a point.
pub(super) fn on_floor(point: &Vec3) -> Vec3 {
    Vec3::new(point.x, 0.0, point.z)
}

fn matrices(posed_from_bound: &[Isometry3<f64>]) -> Vec<Mat4> {
    posed_from_bound.iter().map(|pose| pose.to_homogeneous()).collect()
}

#[cfg(test)]
mod tests {
    use super::super::test_character::{ball, moved};
    use super::*;

    #[test]
    fn the_telling_frame_is_the_one_unlike_the_others_wherever_it_happens() {
        let character = ball();
        let mut places: Vec<Vec3> = (0..9).map(|frame| Vec3::new(0.0, 0.0, f64::from(frame))).collect();
        places[6].y = 0.5;
        assert_eq!(moved(&character, &places).representative_frame(), 6);
        places[6].y = 0.0;
        assert_eq!(moved(&character, &places).representative_frame(), 0, "of equals the first");
    }

    #[test]
    fn one_who_climbs_stands_on_steps_and_one_who_jumps_on_the_floor() {
        let character = ball();
        let at = |heights: &[f64]| heights.iter().map(|&y| Vec3::new(0.0, y, 0.0)).collect::<Vec<_>>();
        let climbing = moved(&character, &at(&[0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0, 1.0]));
        let supports = climbing.support_heights();
        assert!(supports[0] == 0.0 && (supports[9] - 1.0).abs() < 1e-9, "{supports:?}");
        assert!(supports.windows(2).all(|pair| pair[1] >= pair[0]), "{supports:?}");
        let mut jumping = moved(&character, &at(&[0.0, 0.0, 0.5, 0.9, 0.5, 0.01, 0.0]));
        (2..5).for_each(|frame| jumping.planted[frame] = vec![false]);
        assert_eq!(jumping.support_heights(), [0.0; 7]);
    }

    #[test]
    fn what_is_swept_holds_all_frames() {
        let character = ball();
        let animated = moved(&character, &[Vec3::zeros(), Vec3::new(3.0, 0.0, 0.0)]);
        let bounds = Bounds::of(&animated.swept_points(0..2, |_| Vec3::zeros()));
        assert!((bounds.max.x - 4.0).abs() < 0.02 && (bounds.min.x + 1.0).abs() < 0.02);
        assert!((bounds.max.y - 2.0).abs() < 0.02 && bounds.min.y.abs() < 0.02);
        let followed = Bounds::of(&animated.swept_points(0..2, |frame| animated.root[frame]));
        assert!(followed.extent().x < 2.01);
    }

    #[test]
    fn a_pose_moves_vertices_and_keeps_normals() {
        let character = ball();
        let posed = character.posed(&[Isometry3::identity(), Isometry3::translation(0.0, 2.0, 0.0)]);
        let rest = character.at_rest();
        for (posed, rest) in posed.positions.iter().zip(&rest.positions) {
            assert!((posed - rest - Vec3::new(0.0, 2.0, 0.0)).norm() < 1e-5);
        }
        assert!(
            posed
                .normals
                .iter()
                .flatten()
                .zip(rest.normals.iter().flatten())
                .all(|(a, b)| (a - b).abs() < 1e-5)
        );
    }
}
