//! A character that moves, as everything that draws it needs it.

use super::texture::Texture;
use super::{Shading, Surface};
use crate::math::{Bounds, Similarity, Vec3};
use crate::mesh::Mesh;
use crate::rig::{RigJoint, SkinWeights};
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
    /// The soles of its feet, by `joints`.
    pub soles: Vec<Sole>,
    /// The rest as skinning reads it.
    positions: Vec<[f32; 3]>,
    normals: Vec<[f32; 3]>,
}

impl RenderCharacter {
    /// A character from a mesh as its file holds it.
    ///
    /// # Panics
    /// If the weights are not those of the mesh's vertices.
    pub fn new(
        mut mesh: Mesh,
        output_from_input: &Similarity,
        textures: Vec<Option<Texture>>,
        weights: SkinWeights,
        joints: Vec<RigJoint>,
        hips: usize,
        soles: Vec<Sole>,
    ) -> RenderCharacter {
        assert!(hips < joints.len(), "the hips are a joint");
        assert_eq!(mesh.positions.len(), weights.vertices(), "every vertex has weights");
        for position in &mut mesh.positions {
            *position = (output_from_input * Point3::from(*position)).coords;
        }
        for normal in &mut mesh.appearance.normals {
            let turned = output_from_input.isometry.rotation * Vec3::from(normal.map(f64::from));
            *normal = turned.cast::<f32>().into();
        }
        let normals = Surface::of(&mesh, &[]).normals.into_owned();
        let positions = mesh.positions.iter().map(|p| p.cast::<f32>().into()).collect();
        RenderCharacter { mesh, textures, weights, joints, hips, soles, positions, normals }
    }

    /// From its soles to the top of its head.
    pub fn height(&self) -> f64 {
        Bounds::of(&self.mesh.positions).extent().y
    }

    /// The vertices and normals of a pose, in which each joint moves by `posed_from_bound`.
    pub fn posed(&self, posed_from_bound: &[Isometry3<f64>]) -> PosedSurface {
        let matrices: Vec<_> = posed_from_bound.iter().map(|pose| pose.to_homogeneous()).collect();
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
    /// For each frame where the hips are.
    pub root: Vec<Vec3>,
    /// Whether the first frame follows after the last.
    pub loops: bool,
}

/// Vertices that are looked at for what a motion sweeps: limbs have their share of them.
const BOUND_VERTICES: usize = 2000;

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

    /// Where the character faces: a unit vector on the floor. Rests face +Z.
    pub fn facing(&self, frame: usize) -> Vec3 {
        let forwards = self.poses[frame][self.character.hips].rotation * Vec3::z();
        Vec3::new(forwards.x, 0.0, forwards.z).try_normalize(1e-6).unwrap_or(Vec3::z())
    }

    /// Points of the character in some frames, each seen from `origin(frame)`: enough of them to know what it sweeps.
    pub fn swept_points(
        &self,
        frames: impl Iterator<Item = usize>,
        origin: impl Fn(usize) -> Vec3,
    ) -> Vec<Vec3> {
        let character = self.character;
        let step = character.positions.len().div_ceil(BOUND_VERTICES).max(1);
        let sampled = || (0..character.positions.len()).step_by(step);
        let few = character.weights.gather(sampled());
        let rest: Vec<[f32; 3]> = sampled().map(|vertex| character.positions[vertex]).collect();
        let mut posed = rest.clone();
        let mut points = Vec::new();
        for frame in frames {
            let matrices: Vec<_> = self.poses[frame].iter().map(|pose| pose.to_homogeneous()).collect();
            lbs::deform(&few, &matrices, &rest, &mut posed);
            let from = origin(frame);
            points.extend(posed.iter().map(|p| Vec3::from(p.map(f64::from)) - from));
        }
        points
    }

    /// The frame whose pose says most about the motion: the one farthest from the mean pose, measured over the joints
    /// from the hips. The mean is what all frames have in common; the farthest is a stride, a kick, the top of a jump.
    pub fn representative_frame(&self) -> usize {
        // A root on the floor stays behind when the hips carry the motion.
        let joints = self.character.hips..self.character.joints.len();
        let pose = |frame: usize| {
            let turn = nalgebra::UnitQuaternion::face_towards(&self.facing(frame), &Vec3::y()).inverse();
            // Height counts, so that a jump shows its top; the way over the floor does not.
            let hips = Vec3::new(self.root[frame].x, 0.0, self.root[frame].z);
            joints.clone().map(move |joint| turn * (self.joint(frame, joint) - hips)).collect::<Vec<Vec3>>()
        };
        let mut mean = vec![Vec3::zeros(); joints.len()];
        for frame in 0..self.frames() {
            mean.iter_mut().zip(pose(frame)).for_each(|(mean, p)| *mean += p / self.frames() as f64);
        }
        let distance = |frame: usize| -> f64 {
            pose(frame).iter().zip(&mean).map(|(p, mean)| (p - mean).norm_squared()).sum()
        };
        let distances: Vec<f64> = (0..self.frames()).map(distance).collect();
        // Of equals the first: the comparison must not depend on rounding in the last digit.
        (0..distances.len()).rfold(0, |best, frame| {
            if distances[frame] >= distances[best] * (1.0 - 1e-9) { frame } else { best }
        })
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::mesh::shapes;

    /// A ball of radius 1 on the floor, on one joint in its middle below a root on the floor, with one sole below it.
    pub fn ball() -> RenderCharacter {
        let mesh = shapes::uv_sphere(16, 24);
        let weights = SkinWeights::rigid(mesh.positions.len(), 1);
        let joint = |name: &str, parent, y| RigJoint {
            name: name.into(),
            parent,
            rest: Isometry3::translation(0.0, y, 0.0),
        };
        let [heel, ball, toe] = [-0.2, 0.1, 0.2].map(|z| Vec3::new(0.0, 0.0, z));
        let up = Similarity::new(Vec3::y(), Vec3::zeros(), 1.0);
        let joints = vec![joint("Root", None, 0.0), joint("Hips", Some(0), 1.0)];
        RenderCharacter::new(
            mesh,
            &up,
            Vec::new(),
            weights,
            joints,
            1,
            vec![Sole { joint: 1, heel, ball, toe }],
        )
    }

    /// The ball at some places, one a frame, ten frames a second.
    pub fn moved<'a>(
        character: &'a RenderCharacter,
        places: &[Vec3],
        planted: bool,
    ) -> AnimatedCharacter<'a> {
        AnimatedCharacter {
            character,
            frames_per_second: 10.0,
            poses: places
                .iter()
                .map(|p| vec![Isometry3::identity(), Isometry3::translation(p.x, p.y, p.z)])
                .collect(),
            planted: vec![vec![planted]; places.len()],
            slide: [0.0; 2],
            in_place_speed: 0.0,
            root: places.iter().map(|place| place + Vec3::y()).collect(),
            loops: false,
        }
    }

    #[test]
    fn the_telling_frame_is_the_one_unlike_the_others_wherever_it_happens() {
        let character = ball();
        let mut places: Vec<Vec3> = (0..9).map(|frame| Vec3::new(0.0, 0.0, f64::from(frame))).collect();
        places[6].y = 0.5;
        assert_eq!(moved(&character, &places, true).representative_frame(), 6);
        places[6].y = 0.0;
        assert_eq!(moved(&character, &places, true).representative_frame(), 0, "of equals the first");
    }

    #[test]
    fn what_is_swept_holds_all_frames() {
        let character = ball();
        let animated = moved(&character, &[Vec3::zeros(), Vec3::new(3.0, 0.0, 0.0)], true);
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
