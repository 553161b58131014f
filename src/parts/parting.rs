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
/// Samples of a rigid piece around a contact that are followed too: a box has no vertex where it turns upon another.
const SAMPLED: usize = 96;

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
            let skin = Skin { positions, weights };
            let near = contact.pieces.map(|piece| skin.around(&self.pieces[piece], &contact.position));
            let rest = least_distance(&near.each_ref().map(Followed::at_rest));
            let (pose, gap) = poses
                .iter()
                .map(|pose| {
                    let moved = near.each_ref().map(|near| near.posed(&pose.posed_from_bound));
                    (pose.name, (least_distance(&moved) - rest) / height)
                })
                .max_by(|a, b| a.1.total_cmp(&b.1))?;
            (gap > PARTED).then_some(Parting { pieces: contact.pieces, gap, pose })
        });
        gaps.collect()
    }
}

/// A surface with what moves it.
#[derive(Clone, Copy)]
struct Skin<'a> {
    positions: &'a [Vec3],
    weights: &'a SkinWeights,
}

/// Points of a piece around a contact: each with a vertex that moves as it does.
struct Followed<'a> {
    skin: Skin<'a>,
    points: Vec<(Vec3, u32)>,
}

impl<'a> Skin<'a> {
    fn around(self, piece: &Piece, contact: &Vec3) -> Followed<'a> {
        let vertices = piece.vertices.iter().map(|&vertex| (self.positions[vertex as usize], vertex));
        let mut points = nearest(vertices.collect(), contact, FOLLOWED);
        if self.is_rigid(piece) {
            let samples = piece.samples.iter().map(|&sample| (sample, piece.vertices[0]));
            points.extend(nearest(samples.collect(), contact, SAMPLED));
        }
        Followed { skin: self, points }
    }

    /// Whether one joint moves all of a piece.
    fn is_rigid(&self, piece: &Piece) -> bool {
        let mut all = piece.vertices.iter().flat_map(|&vertex| self.weights.of(vertex as usize));
        let first = all.next();
        first.is_some_and(|(first, _)| all.all(|(joint, _)| joint == first))
    }
}

impl Followed<'_> {
    fn at_rest(&self) -> Vec<Vec3> {
        self.points.iter().map(|(point, _)| *point).collect()
    }

    fn posed(&self, pose: &[Mat4]) -> Vec<Vec3> {
        let moved = self.points.iter().map(|(point, vertex)| {
            let weights = self.skin.weights.of(*vertex as usize);
            weights.map(|(joint, weight)| (pose[joint] * point.push(1.0)).xyz() * weight).sum()
        });
        moved.collect()
    }
}

/// Some points that are nearest to a place; of those that are as near as each other the first.
fn nearest(points: Vec<(Vec3, u32)>, place: &Vec3, count: usize) -> Vec<(Vec3, u32)> {
    let distance = |index: usize| (points[index].0 - place).norm_squared();
    let mut order: Vec<(f64, usize)> = (0..points.len()).map(|index| (distance(index), index)).collect();
    if count < order.len() {
        order.select_nth_unstable_by(count, |a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        order.truncate(count);
    }
    order.into_iter().map(|(_, index)| points[index]).collect()
}

fn least_distance([a, b]: &[Vec<Vec3>; 2]) -> f64 {
    let distances = a.iter().flat_map(|p| b.iter().map(move |q| (p - q).norm_squared()));
    distances.fold(f64::INFINITY, f64::min).sqrt()
}
