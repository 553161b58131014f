//! A character bound to its joints.

use super::Joints;
use crate::math::{Similarity, Vec3};
use crate::mesh::prepare::PreparedMesh;
use crate::parts::PartsRoute;
use crate::retarget::with_soles;
use crate::rig::{BindPose, BoundVertex, MaxInfluences, Rig, SkinWeights, Tip, bind_pose};
use crate::skin::poses::{TestPose, test_poses};
use crate::skin::quality::{Quality, measure};
use crate::skin::{SkinOptions, SkinReport, bind};

/// A character that can be posed.
pub struct Skinned<'a> {
    /// Its joints.
    pub joints: &'a Joints,
    /// Its surface.
    pub prepared: &'a PreparedMesh,
    /// For each welded vertex, by exported joints.
    pub weights: SkinWeights,
    /// What was done to the surface.
    pub report: SkinReport,
    /// Pieces that each move with one joint.
    pub rigid_pieces: usize,
}

impl<'a> Skinned<'a> {
    /// Binds every vertex, as its pieces move.
    pub fn of(
        prepared: &'a PreparedMesh,
        joints: &'a Joints,
        parts: &PartsRoute,
        max_influences: MaxInfluences,
    ) -> Skinned<'a> {
        let options = SkinOptions { max_influences, ..SkinOptions::default() };
        let bind = || bind(prepared, joints.skeleton(), joints.positions(), joints.field(), &options);
        let (skin, rigid_pieces) = parts.weights(prepared, bind);
        let exported = bind_pose(joints.skeleton(), joints.positions()).exported;
        let weights = skin.weights.remapped(&exported);
        Skinned { joints, prepared, weights, report: skin.report, rigid_pieces }
    }

    /// What motion needs to know of it: joints, ends of bones and soles in the coordinates of the output. Also the surface
    /// there, with its weights.
    pub fn rig(&self) -> (Rig, Vec<BoundVertex>) {
        let (skeleton, rest) = (self.joints.skeleton(), self.rest());
        let output_from_unit = self.output_from_unit();
        let output = |place: &Vec3| output_from_unit.transform_point(&(*place).into()).coords;
        let tip = |joint: usize| Tip {
            name: skeleton.joints[joint].name.clone(),
            joint: usize::from(rest.exported[joint]),
            position: output(&self.joints.positions()[joint]),
        };
        let tips =
            (0..skeleton.joints.len()).filter(|&joint| skeleton.joints[joint].is_tip).map(tip).collect();
        let places = self.prepared.positions.iter().map(output);
        let surface: Vec<BoundVertex> =
            places.enumerate().map(|(vertex, place)| (place, self.weights.of(vertex).collect())).collect();
        let rig = Rig { joints: rest.joints.into(), tips, soles: Vec::new() };
        (with_soles(rig, surface.iter().map(|(place, weights)| (*place, weights.iter().copied()))), surface)
    }

    /// From the unit cube to the coordinates of the output.
    fn output_from_unit(&self) -> Similarity {
        self.prepared.placement.output_from_input * self.prepared.unit_from_input.inverse()
    }

    /// The exported joints in the coordinates of the output.
    pub fn rest(&self) -> BindPose {
        let output_from_unit = self.output_from_unit();
        let places = self.joints.positions().iter();
        let positions: Vec<Vec3> =
            places.map(|place| output_from_unit.transform_point(&(*place).into()).coords).collect();
        bind_pose(self.joints.skeleton(), &positions)
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

    /// Poses that try every joint, in the unit cube.
    pub fn poses(&self) -> Vec<TestPose> {
        test_poses(&bind_pose(self.joints.skeleton(), self.joints.positions()).joints)
    }
}
