//! Rigid skinning: Bharaj et al. 2012, sections 3.3 and 3.4. A piece moves with one joint, wholly.

use super::pieces::Piece;
use crate::mesh::prepare::PreparedMesh;
use crate::skin::SkinWeights;

/// Accessories have at most this part of the surface. More makes a head without a neck one of them, which then comes off.
const ACCESSORY_AREA: f64 = 0.1;
/// And at most this part of their edges open: more are patches of cloth, or triangles that share no vertices.
const SOLID: f64 = 0.1;
/// And this much of their weight on one joint. At 0.9 armour plates bend: the weights of Quaternius' king then differ from the
/// artist's by 0.286 on average instead of 0.269, and by 0.296 if everything bends. Much less makes shoes stiff.
const ACCESSORY_WEIGHT: f64 = 0.75;

/// Lets the vertices of each piece move with its joint.
pub fn hold_pieces<'a>(weights: &mut SkinWeights, pieces: impl Iterator<Item = (&'a Piece, usize)>) {
    for (piece, joint) in pieces {
        piece.vertices.iter().for_each(|&vertex| weights.hold(vertex as usize, joint as u16));
    }
}

/// Small solid pieces on a body that bends (eyes, buttons, armour, weapons), each with the joint that moves most of it.
pub fn accessories(pieces: &[Piece], weights: &SkinWeights, mesh: &PreparedMesh) -> Vec<(usize, usize)> {
    let total: f64 = pieces.iter().map(|piece| piece.area).sum();
    let areas = vertex_areas(mesh);
    let rides = |(number, piece): (usize, &Piece)| {
        if piece.open_edges > SOLID || piece.area > ACCESSORY_AREA * total {
            return None;
        }
        let mut shares: Vec<(usize, f64)> = Vec::new();
        for &vertex in &piece.vertices {
            for (joint, weight) in weights.of(vertex as usize) {
                let weight = weight * areas[vertex as usize];
                match shares.iter_mut().find(|(other, _)| *other == joint) {
                    Some((_, share)) => *share += weight,
                    None => shares.push((joint, weight)),
                }
            }
        }
        let whole: f64 = shares.iter().map(|(_, share)| share).sum();
        let (joint, most) = shares.into_iter().max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0)))?;
        (most >= ACCESSORY_WEIGHT * whole).then_some((number, joint))
    };
    pieces.iter().enumerate().filter_map(rides).collect()
}

/// A third of the triangles around each vertex.
fn vertex_areas(mesh: &PreparedMesh) -> Vec<f64> {
    let mut areas = vec![0.0; mesh.positions.len()];
    for triangle in &mesh.triangles {
        let [a, b, c] = triangle.map(|v| mesh.positions[v as usize]);
        let third = (b - a).cross(&(c - a)).norm() / 6.0;
        triangle.iter().for_each(|&vertex| areas[vertex as usize] += third);
    }
    areas
}
