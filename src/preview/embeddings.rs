//! Embeddings of one character beside each other.

use super::stages::{Board, bones};
use crate::Image;
use crate::math::Vec3;
use crate::mesh::prepare::PreparedMesh;
use crate::skeleton::Skeleton;

/// The scale of a cell against an image of a stage.
const SCALE: f64 = 0.55;

/// A sheet with one embedding in each cell: its joints in the unit cube, and how good it is from 0 (red) to 1 (green).
pub fn draw_embeddings(
    mesh: &PreparedMesh,
    skeleton: &Skeleton,
    embeddings: &[(&[Vec3], f64)],
    columns: usize,
) -> Image {
    let board = Board::new(mesh, SCALE);
    let draw = |(joints, good): &(&[Vec3], f64)| {
        board.draw(&bones(skeleton, joints, &vec![*good; skeleton.joints.len()]))
    };
    let cells: Vec<Image> = embeddings.iter().map(draw).collect();
    Image::sheet(&cells, columns.max(1), 0, [248, 248, 246, 255])
}
