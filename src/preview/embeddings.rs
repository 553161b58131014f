//! Embeddings of one character beside each other.

use super::stages::{Board, bones};
use crate::Picture;
use crate::math::Vec3;
use crate::mesh::prepare::PreparedMesh;
use crate::skeleton::Skeleton;

/// The scale of a cell against a picture of a stage.
const SCALE: f64 = 0.55;

/// A sheet with one embedding in each cell: its joints in the unit cube, and how good it is from 0 (red) to 1 (green).
pub fn draw_embeddings(
    mesh: &PreparedMesh,
    skeleton: &Skeleton,
    embeddings: &[(&[Vec3], f64)],
    columns: usize,
) -> Picture {
    let board = Board::new(mesh, SCALE);
    let draw = |(joints, good): &(&[Vec3], f64)| {
        board.draw(&bones(skeleton, joints, &vec![*good; skeleton.joints.len()]))
    };
    let cells: Vec<Picture> = embeddings.iter().map(draw).collect();
    Picture::sheet(&cells, columns.max(1), 0, [248, 248, 246, 255])
}
