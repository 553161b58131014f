//! Embeddings of one character beside each other.

use super::stages::{Board, PAPER, bones};
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
    let cells: Vec<Image> = embeddings
        .iter()
        .map(|(joints, good)| board.draw(&bones(skeleton, joints, &vec![*good; skeleton.joints.len()])))
        .collect();
    let [r, g, b] = PAPER;
    Image::sheet(&cells, columns, 0, [r, g, b, 255])
}
