//! Images of a character taken apart: its contact graph, and the two trees made of it.

use super::stages::{Board, dot, line, linear};
use super::{Image, Overlay};
use crate::mesh::prepare::PreparedMesh;
use crate::parts::Parts;
use crate::parts::tree::PartsTree;
use rayon::prelude::*;

const INK: [u8; 3] = [38, 50, 66];
const CONTACT: [u8; 3] = [70, 110, 150];
const GAP: [u8; 3] = [214, 50, 60];
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
    let center = |piece: usize| parts.pieces[piece].center;
    let edges = parts.contacts.iter().flat_map(|contact| {
        let [a, b] = contact.pieces;
        let (width, color) = if contact.gap > 0.0 { (2.4, GAP) } else { (1.4, CONTACT) };
        [a, b].map(|piece| line(center(piece), contact.position, width, linear(color)))
    });
    let places = parts.contacts.iter().map(|contact| dot(contact.position, 2.0, linear(INK)));
    let nodes = joint_of_piece
        .iter()
        .enumerate()
        .map(|(piece, &joint)| dot(center(piece), 4.6, linear(COLORS[joint % COLORS.len()])));
    let all: [(&'static str, Vec<Vec<Overlay>>); 3] = [
        ("08-contact-graph", vec![edges.collect(), places.collect(), nodes.collect()]),
        ("09-high-resolution-tree", tree(&parts.high)),
        ("10-low-resolution-tree", tree(&parts.low)),
    ];
    let board = Board::new(mesh, 1.0);
    all.into_par_iter().map(|(name, layers)| (name, board.draw(&layers))).collect()
}

/// A tree with its root marked.
fn tree(tree: &PartsTree) -> Vec<Vec<Overlay>> {
    let center = |node: usize| tree.nodes[node].center;
    let ways = tree
        .nodes
        .iter()
        .enumerate()
        .filter_map(|(node, data)| Some(line(center(data.parent?), center(node), 2.6, linear(CONTACT))));
    let radius = |node: usize| if node == 0 { 7.0 } else { 4.2 };
    let color = |node: usize| if node == 0 { GAP } else { INK };
    let dots = (0..tree.nodes.len()).map(|node| dot(center(node), radius(node), linear(color(node))));
    vec![ways.collect(), dots.collect::<Vec<Overlay>>()]
}
