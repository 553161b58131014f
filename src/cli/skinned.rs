//! A character bound to its joints.

use super::human::human_bones;
use super::joints::{Joints, moved};
use super::soles::with_soles;
use puppetry::Picture;
use puppetry::io::pinocchio;
use puppetry::io::{GltfCharacter, GltfWriteError, Rigging, rigged_character};
use puppetry::math::{Similarity, Vec3};
use puppetry::mesh::Mesh;
use puppetry::mesh::prepare::PreparedMesh;
use puppetry::parts::PartsRoute;
use puppetry::preview::pose_sheet;
use puppetry::rig::{BoundVertex, NameStyle, Rig, RigJoint, Tip};
use puppetry::skin::poses::{TestPose, test_poses};
use puppetry::skin::quality::{Quality, measure};
use puppetry::skin::rest::{RestJoints, rest_joints};
use puppetry::skin::{MaxInfluences, SkinOptions, SkinReport, SkinWeights, bind};

/// A character that can be posed.
pub struct Skinned<'a> {
    joints: &'a Joints,
    prepared: &'a PreparedMesh,
    /// For each welded vertex, by exported joints.
    pub weights: SkinWeights,
    pub report: SkinReport,
    /// Pieces that each move with one joint.
    pub rigid_pieces: usize,
}

/// A character that takes clips.
pub struct Ready {
    pub rig: Rig,
    pub surface: Vec<BoundVertex>,
    pub document: GltfCharacter,
}

impl<'a> Skinned<'a> {
    pub fn of(
        prepared: &'a PreparedMesh,
        joints: &'a Joints,
        parts: &PartsRoute,
        max_influences: MaxInfluences,
    ) -> Skinned<'a> {
        let options = SkinOptions { max_influences, ..SkinOptions::default() };
        let bind = || bind(prepared, joints.skeleton(), joints.positions(), joints.field(), &options);
        let (skin, rigid_pieces) = parts.weights(prepared, bind);
        let exported = rest_joints(joints.skeleton(), joints.positions()).exported;
        let weights = skin.weights.renamed(&exported);
        Skinned { joints, prepared, weights, report: skin.report, rigid_pieces }
    }

    /// The mesh of the file with joints and weights, at rest.
    pub fn glb(&self, mesh: &Mesh, names: NameStyle, is_stretched: bool) -> Result<Vec<u8>, GltfWriteError> {
        self.ready(mesh, names, is_stretched)?.document.glb()
    }

    /// Everything that it takes to move it: its rig with names of a convention, and a document that takes clips, whose
    /// joints stand with stretched arms if that is wanted.
    pub fn ready(&self, mesh: &Mesh, names: NameStyle, is_stretched: bool) -> Result<Ready, GltfWriteError> {
        let (mut rig, surface) = self.rig();
        rig.rename(names);
        let mut document = self.character(mesh, &rig.joints)?;
        if let (true, Ok(bones)) = (is_stretched, human_bones(&rig)) {
            document.stand(&rig, &rig.t_pose(&bones));
        }
        Ok(Ready { rig, surface, document })
    }

    fn character(&self, mesh: &Mesh, joints: &[RigJoint]) -> Result<GltfCharacter, GltfWriteError> {
        let placement = &self.prepared.placement;
        let (weights, welded) = (&self.weights, &self.prepared.welded);
        rigged_character(mesh, &Rigging { placement, joints, weights, welded })
    }

    /// What motion needs to know of it: joints, ends of bones and soles in the coordinates of the output. Also the surface
    /// there, with its weights.
    pub fn rig(&self) -> (Rig, Vec<BoundVertex>) {
        let (skeleton, rest) = (self.joints.skeleton(), self.rest());
        let output_from_unit = self.output_from_unit();
        let tip = |joint: usize| Tip {
            name: skeleton.joints[joint].name.clone(),
            joint: usize::from(rest.exported[joint]),
            position: moved(&output_from_unit, &self.joints.positions()[joint]),
        };
        let tips =
            (0..skeleton.joints.len()).filter(|&joint| skeleton.joints[joint].is_tip).map(tip).collect();
        let places = self.prepared.positions.iter().map(|place| moved(&output_from_unit, place));
        let surface: Vec<BoundVertex> =
            places.enumerate().map(|(vertex, place)| (place, self.weights.of(vertex).collect())).collect();
        let rig = Rig { joints: rest.joints, tips, soles: Vec::new() };
        (with_soles(rig, surface.iter().map(|(place, weights)| (*place, weights.iter().copied()))), surface)
    }

    /// The weights as Pinocchio writes them: a line for each vertex of the file with a number for each bone, from the second
    /// joint of the joint list on. A bone has the weight of the joint at its upper end; where several start, the first has
    /// it.
    pub fn attachment(&self) -> String {
        let skeleton = self.joints.skeleton();
        let exported = self.rest().exported;
        let bones: Vec<Option<usize>> = (1..skeleton.joints.len())
            .map(|joint| {
                let parent = skeleton.joints[joint].parent?;
                let first = skeleton.joints.iter().position(|other| other.parent == Some(parent));
                (first == Some(joint)).then_some(usize::from(exported[parent]))
            })
            .collect();
        pinocchio::write_attachment(&self.prepared.welded, &self.weights, &bones)
    }

    fn output_from_unit(&self) -> Similarity {
        self.prepared.placement.output_from_input * self.prepared.unit_from_input.inverse()
    }

    /// The exported joints in the coordinates of the output.
    fn rest(&self) -> RestJoints {
        let output_from_unit = self.output_from_unit();
        let positions: Vec<Vec3> =
            self.joints.positions().iter().map(|joint| moved(&output_from_unit, joint)).collect();
        rest_joints(self.joints.skeleton(), &positions)
    }

    /// How many joints move a vertex on average.
    pub fn mean_influences(&self) -> f64 {
        let vertices = self.weights.vertices();
        let total: usize = (0..vertices).map(|vertex| self.weights.of(vertex).count()).sum();
        total as f64 / vertices.max(1) as f64
    }

    /// What the test poses do to the surface.
    pub fn quality(&self) -> Quality {
        measure(&self.prepared.positions, &self.prepared.triangles, &self.weights, &self.poses())
    }

    /// A picture of the test poses.
    pub fn pose_sheet(&self) -> Picture {
        pose_sheet(self.prepared, &self.weights, &self.poses())
    }

    fn poses(&self) -> Vec<TestPose> {
        test_poses(&rest_joints(self.joints.skeleton(), self.joints.positions()).joints)
    }
}
