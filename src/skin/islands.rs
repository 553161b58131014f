//! Surfaces of several pieces: what hangs on what.
//!
//! A piece with bones of its own needs nothing: the arm of a robot, a body, a coat without a body inside. A piece that no bone
//! reaches but through another one hangs on that: a shirt on the body below it, an ear on the head, a hem that sees no bone at all
//! on what is nearest. It is stitched there (after Frankenrigs, section 6.3), so that heat flows from there, and follows; cloth then
//! keeps to the skin below it. A piece that is small compared with its distance from the bones (an eye, a tooth, a button) is
//! stitched too, and moves as one: the weights around it would shear it, which nothing so small and stiff ever is.
//!
//! Stitching all pieces that touch, as Frankenrigs does, was tried: the parts of robots and dolls, which slide on each other,
//! then drag each other along (mean difference from the artist's weights 0.10 without, 0.17 with stitches on the mannequin
//! of the Godot demos, and 0.09 against 0.16 on three.js's robot).

use super::bones::Bone;
use super::laplacian::Conductor;
use super::sources::Source;
use crate::math::{Bounds, Vec3};
use crate::mesh::TriangleTree;
use crate::mesh::prepare::PreparedMesh;
use rayon::prelude::*;

/// Heat flows no better than over this distance, in parts of the box diagonal: half a centimetre for a person.
const TOUCH: f64 = 0.0025;
/// What hangs on others conducts this much worse than they do, in itself as at its stitches, so that it follows and has no say: a
/// shirt would join the parts of the body below it otherwise.
pub(super) const FOLLOWING: f64 = 1e-4;
/// A piece is stiff if its box is smaller than this many times its distance from the bones.
const STIFF: f64 = 1.0;
/// The grip of a stiff piece ends this part of its size farther away than where it is nearest.
const FIXED: f64 = 0.25;
/// A piece has bones of its own if they reach this part of its area. At one half the hands of some people hang on their cuffs; at
/// a fiftieth the ears of a rabbit are moved by its arms.
const OWN: f64 = 0.25;
/// Vertices of a piece that are asked for their bone; a few hundred tell its share well enough.
const SAMPLES: usize = 256;
/// Others hang on a piece if it has this part of the whole area at least, is among the largest, and sees bones with half of its
/// own area.
const CARRIER_AREA: f64 = 0.01;
const MAX_CARRIERS: usize = 32;

/// What became of the pieces of a surface.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct IslandReport {
    /// Connected pieces.
    pub pieces: usize,
    /// Pieces without bones of their own, which follow the nearest surface.
    pub hanging: usize,
    /// Small pieces that move as one.
    pub stiff: usize,
    /// Vertices that were stitched to another piece.
    pub stitched_vertices: usize,
}

/// Pieces and the stitches between them.
pub(super) struct Islands {
    /// The vertices of each stiff piece.
    pub stiff: Vec<Vec<u32>>,
    /// Edges between pieces, with their conductance.
    pub stitches: Vec<(u32, u32, f64)>,
    /// For each vertex whether bones heat it.
    pub is_heated: Vec<bool>,
    pub report: IslandReport,
}

/// A connected piece.
struct Piece {
    vertices: Vec<u32>,
    triangles: Vec<[u32; 3]>,
    bounds: Bounds,
    area: f64,
    /// Area that sees a bone.
    seen: f64,
    /// Smallest distance from a bone.
    distance: f64,
}

impl Islands {
    pub fn of(
        mesh: &PreparedMesh,
        conductor: &Conductor,
        sources: &[Source],
        bones: &[Bone],
        conductivity: f64,
    ) -> Islands {
        let count = mesh.topology.components.len();
        let report = IslandReport { pieces: count, ..IslandReport::default() };
        let is_heated = vec![true; mesh.positions.len()];
        let mut islands = Islands { stiff: Vec::new(), stitches: Vec::new(), is_heated, report };
        if count < 2 {
            return islands;
        }
        let pieces = pieces(mesh, conductor, sources);
        let total: f64 = pieces.iter().map(|piece| piece.area).sum();
        let mut order: Vec<usize> = (0..count).collect();
        order.sort_by(|&a, &b| pieces[b].area.total_cmp(&pieces[a].area).then(a.cmp(&b)));
        let mut rank = vec![0; count];
        order.iter().enumerate().for_each(|(place, &piece)| rank[piece] = place);
        let is_carrier = |piece: usize| {
            rank[piece] == 0
                || rank[piece] < MAX_CARRIERS
                    && pieces[piece].area >= CARRIER_AREA * total
                    && pieces[piece].seen >= 0.5 * pieces[piece].area
        };
        let carriers: Vec<(usize, TriangleTree)> = order
            .iter()
            .copied()
            .filter(|&piece| is_carrier(piece))
            .map(|piece| (piece, TriangleTree::new(&mesh.positions, &pieces[piece].triangles)))
            .collect();
        let touch = TOUCH * Bounds::of(&mesh.positions).diagonal();

        for (index, piece) in pieces.iter().enumerate() {
            if rank[index] == 0 {
                continue;
            }
            let larger: Vec<&(usize, TriangleTree)> =
                carriers.iter().filter(|(carrier, _)| rank[*carrier] < rank[index]).collect();
            let hangs = !has_own_bones(piece, mesh, conductor, sources, bones, &pieces, &larger);
            let is_stiff = piece.bounds.diagonal() < STIFF * piece.distance;
            if !hangs && !is_stiff {
                continue;
            }
            piece.vertices.iter().for_each(|&vertex| islands.is_heated[vertex as usize] = false);
            islands.report.hanging += usize::from(hangs && !is_stiff);
            islands.report.stiff += usize::from(is_stiff);
            let contacts: Vec<Option<Contact>> = piece
                .vertices
                .par_iter()
                .with_min_len(64)
                .map(|&vertex| nearest_contact(vertex, mesh, &pieces, &larger))
                .collect();
            // A stiff piece is fixed where it is nearest; the far side of a button does not matter.
            let closest =
                contacts.iter().flatten().map(|contact| contact.distance).fold(f64::INFINITY, f64::min);
            let margin = FIXED * piece.bounds.diagonal();
            for (&vertex, contact) in piece.vertices.iter().zip(&contacts) {
                let Some(contact) = contact else { continue };
                let grip = if is_stiff { 1.0 - (contact.distance - closest) / margin } else { 1.0 };
                if grip <= 0.0 {
                    continue;
                }
                islands.report.stitched_vertices += 1;
                let flow = FOLLOWING * grip * conductor.areas[vertex as usize] * conductivity
                    / contact.distance.max(touch).powi(2);
                let corners = contact.corners.iter().zip(contact.shares).filter(|(_, share)| *share > 0.0);
                islands.stitches.extend(corners.map(|(&corner, share)| (vertex, corner, flow * share)));
            }
            if is_stiff {
                islands.stiff.push(piece.vertices.clone());
            }
        }
        islands
    }
}

impl Islands {
    /// Stitches the pieces together.
    pub fn stitch(&self, conductor: &mut Conductor) {
        let follows = |vertex: u32| !self.is_heated[vertex as usize];
        conductor.edges.par_iter_mut().filter(|edge| follows(edge.0)).for_each(|edge| edge.2 *= FOLLOWING);
        conductor.edges.extend(&self.stitches);
    }
}

fn pieces(mesh: &PreparedMesh, conductor: &Conductor, sources: &[Source]) -> Vec<Piece> {
    let empty = || Piece {
        vertices: Vec::new(),
        triangles: Vec::new(),
        bounds: Bounds::EMPTY,
        area: 0.0,
        seen: 0.0,
        distance: f64::INFINITY,
    };
    let mut pieces: Vec<Piece> = mesh.topology.components.iter().map(|_| empty()).collect();
    let mut is_listed = vec![false; mesh.positions.len()];
    for (triangle, &component) in mesh.triangles.iter().zip(&mesh.topology.component_of_triangle) {
        let piece = &mut pieces[component as usize];
        piece.triangles.push(*triangle);
        for &vertex in triangle {
            let index = vertex as usize;
            if !std::mem::replace(&mut is_listed[index], true) {
                piece.vertices.push(vertex);
                piece.bounds.grow(&mesh.positions[index]);
                piece.area += conductor.areas[index];
                piece.seen += if sources[index].is_visible { conductor.areas[index] } else { 0.0 };
                piece.distance = piece.distance.min(sources[index].distance);
            }
        }
    }
    pieces
}

/// Whether bones reach most of a piece without leaving the body and without another piece in between.
fn has_own_bones(
    piece: &Piece,
    mesh: &PreparedMesh,
    conductor: &Conductor,
    sources: &[Source],
    bones: &[Bone],
    pieces: &[Piece],
    larger: &[&(usize, TriangleTree)],
) -> bool {
    let is_covered = |vertex: usize| {
        let position = mesh.positions[vertex];
        let from = bones[sources[vertex].brightest()].nearest(&position);
        larger.iter().any(|(carrier, tree)| {
            meets(&pieces[*carrier].bounds, &from, &position) && tree.is_blocked(&from, &position, 0.0..=1.0)
        })
    };
    let sampled = piece.vertices.par_iter().step_by(piece.vertices.len().div_ceil(SAMPLES).max(1));
    let areas: Vec<(f64, bool)> = sampled
        .map(|&vertex| vertex as usize)
        .map(|vertex| (conductor.areas[vertex], sources[vertex].is_visible && !is_covered(vertex)))
        .collect();
    let total: f64 = areas.iter().map(|(area, _)| area).sum();
    let own: f64 = areas.iter().filter(|(_, is_own)| *is_own).map(|(area, _)| area).sum();
    own >= OWN * total
}

/// Whether the box around a straight way meets another box.
fn meets(bounds: &Bounds, from: &Vec3, to: &Vec3) -> bool {
    let (low, high) = (from.inf(to), from.sup(to));
    (0..3).all(|axis| low[axis] <= bounds.max[axis] && high[axis] >= bounds.min[axis])
}

/// The nearest point of another piece.
struct Contact {
    distance: f64,
    corners: [u32; 3],
    /// Barycentric coordinates.
    shares: [f64; 3],
}

fn nearest_contact(
    vertex: u32,
    mesh: &PreparedMesh,
    pieces: &[Piece],
    carriers: &[&(usize, TriangleTree)],
) -> Option<Contact> {
    let position = mesh.positions[vertex as usize];
    let mut best: Option<Contact> = None;
    for (piece, tree) in carriers {
        let limit = best.as_ref().map_or(f64::INFINITY, |best| best.distance);
        let bounds = &pieces[*piece].bounds;
        let to_box = (position - position.sup(&bounds.min).inf(&bounds.max)).norm();
        if to_box > limit {
            continue;
        }
        let Some(nearest) = tree.nearest_within(&position, limit) else { continue };
        let corners = pieces[*piece].triangles[nearest.triangle];
        best = Some(Contact { distance: nearest.distance, corners, shares: nearest.barycentric });
    }
    best
}
