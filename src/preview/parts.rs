//! Images of a character taken apart: its contact graph, and the two trees made of it.

use super::stages::{Board, dot, line};
use super::{Image, Overlay, linear};
use crate::mesh::prepare::PreparedMesh;
use crate::parts::Parts;
use crate::parts::tree::PartsTree;
use rayon::prelude::*;

const INK: [u8; 3] = [38, 50, 66];
const CONTACT: [u8; 3] = [70, 110, 150];
const GAP: [u8; 3] = [214, 50, 60];
/// Widths of lines and radii of dots, in pixels.
const GAP_LINE: f64 = 2.4;
const CONTACT_LINE: f64 = 1.4;
const CONTACT_DOT: f64 = 2.0;
const PIECE_DOT: f64 = 4.6;
const TREE_LINE: f64 = 2.6;
const TREE_DOT: f64 = 4.2;
const ROOT_DOT: f64 = 7.0;
/// Pieces of one joint have one of these colours.
const COLORS: [[u8; 3]; 8] = [
    [31, 119, 180],
    [255, 127, 14],
    [44, 160, 44],
    [214, 39, 40],
    [148, 103, 189],
    [140, 86, 75],
    [227, 119, 194],
    [23, 160, 170],
];

/// An image of the contact graph, whose nodes have the colours of the joints that move them, one of the high-resolution tree
/// and one of the low-resolution tree, under file names that come after those of the embedding.
pub fn draw_parts(
    mesh: &PreparedMesh,
    parts: &Parts,
    joint_of_piece: &[usize],
) -> Vec<(&'static str, Image)> {
    let edges = parts.contacts.iter().flat_map(|contact| {
        let (width, color) = if contact.gap > 0.0 { (GAP_LINE, GAP) } else { (CONTACT_LINE, CONTACT) };
        contact.pieces.map(|piece| line(parts.pieces[piece].center, contact.position, width, linear(color)))
    });
    let positions = parts.contacts.iter().map(|contact| dot(contact.position, CONTACT_DOT, linear(INK)));
    let nodes = parts
        .pieces
        .iter()
        .zip(joint_of_piece)
        .map(|(piece, &joint)| dot(piece.center, PIECE_DOT, linear(COLORS[joint % COLORS.len()])));
    let all: [(&'static str, Vec<Vec<Overlay>>); 3] = [
        ("09-contact-graph", vec![edges.collect(), positions.collect(), nodes.collect()]),
        ("10-high-resolution-tree", tree(&parts.high)),
        ("11-low-resolution-tree", tree(&parts.low)),
    ];
    let board = Board::new(mesh, 1.0);
    all.into_par_iter().map(|(name, layers)| (name, board.draw(&layers))).collect()
}

/// A tree, with its root larger and in another colour.
fn tree(tree: &PartsTree) -> Vec<Vec<Overlay>> {
    let edges = tree.nodes.iter().filter_map(|node| {
        Some(line(tree.nodes[node.parent?].center, node.center, TREE_LINE, linear(CONTACT)))
    });
    let nodes = tree.nodes.iter().enumerate().map(|(index, node)| {
        let (radius, color) = if index == 0 { (ROOT_DOT, GAP) } else { (TREE_DOT, INK) };
        dot(node.center, radius, linear(color))
    });
    vec![edges.collect(), nodes.collect()]
}
