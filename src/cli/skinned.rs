//! A character bound to its joints.

use super::joints::{Joints, moved};
use puppetry::Picture;
use puppetry::io::{GltfWriteError, Rigging, write_rigged_glb};
use puppetry::math::Vec3;
use puppetry::mesh::Mesh;
use puppetry::mesh::prepare::PreparedMesh;
use puppetry::parts::PartsRoute;
use puppetry::preview::pose_sheet;
use puppetry::skin::poses::{TestPose, test_poses};
use puppetry::skin::quality::{Quality, measure};
use puppetry::skin::rest::rest_joints;
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
    pub fn glb(&self, mesh: &Mesh) -> Result<Vec<u8>, GltfWriteError> {
        let placement = &self.prepared.placement;
        let output_from_unit = placement.output_from_input * self.prepared.unit_from_input.inverse();
        let positions: Vec<Vec3> =
            self.joints.positions().iter().map(|joint| moved(&output_from_unit, joint)).collect();
        let rest = rest_joints(self.joints.skeleton(), &positions);
        let (weights, welded) = (&self.weights, &self.prepared.welded);
        write_rigged_glb(mesh, &Rigging { placement, joints: &rest.joints, weights, welded })
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
