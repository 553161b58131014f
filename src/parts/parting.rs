//! Pieces that touch at rest and part when joints rotate: a rigid piece that is moved by the wrong joint, or about the wrong place.

use super::Parts;
use super::pieces::Piece;
use crate::math::{Mat4, Vec3};
use crate::rig::SkinWeights;
use crate::skin::poses::TestPose;
use rayon::prelude::*;

/// Pieces that touch at rest, and how far they come apart.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Parting {
    /// The pieces, the smaller number first.
    pub pieces: [usize; 2],
    /// In parts of the height, in the worst of the test poses.
    pub gap: f64,
    /// The pose.
    pub pose: &'static str,
}

/// Pieces that come apart by more than this part of the height are seen to do so.
pub(super) const PARTED: f64 = 0.01;
/// Vertices of each piece around a contact that are followed. With fewer a ball leaves its socket although others of its points stay.
const FOLLOWED: usize = 24;

impl Parts {
    /// The contacts that come apart in one of the poses; `weights` are by the joints of the poses.
    pub fn partings(
        &self,
        positions: &[Vec3],
        weights: &SkinWeights,
        poses: &[TestPose],
        height: f64,
    ) -> Vec<Parting> {
        let touching = self.contacts.par_iter().filter(|contact| contact.gap == 0.0);
        let gaps = touching.filter_map(|contact| {
            let near = contact.pieces.map(|piece| nearest(&self.pieces[piece], positions, &contact.position));
            let rest = least_distance(&near.each_ref().map(|near| at_rest(near, positions)));
            let (pose, gap) = poses
                .iter()
                .map(|pose| {
                    let moved =
                        near.each_ref().map(|near| posed(near, positions, weights, &pose.posed_from_bound));
                    (pose.name, (least_distance(&moved) - rest) / height)
                })
                .max_by(|a, b| a.1.total_cmp(&b.1))?;
            (gap > PARTED).then_some(Parting { pieces: contact.pieces, gap, pose })
        });
        gaps.collect()
    }
}

/// The vertices of a piece that are nearest to a point.
fn nearest(piece: &Piece, positions: &[Vec3], point: &Vec3) -> Vec<u32> {
    let distance = |vertex: u32| (positions[vertex as usize] - point).norm_squared();
    let mut vertices: Vec<(f64, u32)> =
        piece.vertices.iter().map(|&vertex| (distance(vertex), vertex)).collect();
    let count = FOLLOWED.min(vertices.len());
    if count < vertices.len() {
        vertices.select_nth_unstable_by(count, |a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    }
    vertices[..count].iter().map(|&(_, vertex)| vertex).collect()
}

fn at_rest(vertices: &[u32], positions: &[Vec3]) -> Vec<Vec3> {
    vertices.iter().map(|&vertex| positions[vertex as usize]).collect()
}

fn posed(vertices: &[u32], positions: &[Vec3], weights: &SkinWeights, pose: &[Mat4]) -> Vec<Vec3> {
    let moved = vertices.iter().map(|&vertex| {
        let position = positions[vertex as usize].push(1.0);
        let sum = weights.of(vertex as usize).map(|(joint, weight)| (pose[joint] * position).xyz() * weight);
        sum.sum()
    });
    moved.collect()
}

fn least_distance([a, b]: &[Vec<Vec3>; 2]) -> f64 {
    let distances = a.iter().flat_map(|p| b.iter().map(move |q| (p - q).norm_squared()));
    distances.fold(f64::INFINITY, f64::min).sqrt()
}
