//! Draws the outlines of the inks into the mesh, so that colours end at sharp, smooth lines although each
//! triangle has one ink only.
//!
//! Where an edge runs from one ink to another it is cut at the outline. A vertex that is close to the outline
//! moves onto it instead, which avoids thin triangles (the idea of the warp of Labelle & Shewchuk 2007,
//! "Isosurface stuffing").

use super::implicit::{Ink, Sculpture};
use super::surface::Surface;
use puppetry::stages::math::Vec3;
use std::collections::BTreeMap;

/// Fraction of an edge within which a vertex moves to the outline: with less, slivers remain; with a third or
/// more, neighbours begin to pull the same triangle flat.
const SNAP: f64 = 0.3;

/// Cuts the outlines into the surface and gives every triangle with its ink.
pub fn paint(surface: &mut Surface, sculpture: &Sculpture) -> Vec<([u32; 3], Ink)> {
    let mut inks: Vec<Option<Ink>> =
        (0..surface.point_count() as u32).map(|vertex| Some(sculpture.ink(surface.point(vertex)))).collect();
    snap_to_outlines(surface, sculpture, &mut inks);
    for edge in surface.edges() {
        if let [Some(a), Some(b)] = edge.map(|vertex| inks[vertex as usize])
            && a != b
        {
            let at = crossing(surface, sculpture, edge).1;
            surface.split(edge, at);
            inks.push(None);
        }
    }
    let ink_of = |triangle: [u32; 3]| {
        // Corners on an outline belong to both sides; the others agree.
        let corner = triangle.iter().find_map(|&vertex| inks[vertex as usize]);
        let middle = triangle.iter().map(|&vertex| surface.point(vertex)).sum::<Vec3>() / 3.0;
        corner.unwrap_or_else(|| sculpture.ink(middle))
    };
    surface.triangles().into_iter().map(|triangle| (triangle, ink_of(triangle))).collect()
}

/// Moves vertices near an outline onto it and forgets their ink.
fn snap_to_outlines(surface: &mut Surface, sculpture: &Sculpture, inks: &mut [Option<Ink>]) {
    let mut nearest: BTreeMap<u32, (f64, Vec3)> = BTreeMap::new();
    for [a, b] in surface.edges() {
        if inks[a as usize] == inks[b as usize] {
            continue;
        }
        let (share, at) = crossing(surface, sculpture, [a, b]);
        let (vertex, other, share) = if share < 0.5 { (a, b, share) } else { (b, a, 1.0 - share) };
        let leaves_seam = surface.on_seam(vertex) && !surface.on_seam(other);
        if share < SNAP && !leaves_seam {
            let best = nearest.entry(vertex).or_insert((share, at));
            if share < best.0 {
                *best = (share, at);
            }
        }
    }
    for (vertex, (_, at)) in nearest {
        surface.place(vertex, at);
        inks[vertex as usize] = None;
    }
}

/// Where the ink changes along an edge: as a share of the edge, and as a point of the surface.
fn crossing(surface: &Surface, sculpture: &Sculpture, [a, b]: [u32; 2]) -> (f64, Vec3) {
    let (from, to) = (surface.point(a), surface.point(b));
    let start = sculpture.ink(from);
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..20 {
        let middle = 0.5 * (low + high);
        if sculpture.ink(from.lerp(&to, middle)) == start { low = middle } else { high = middle }
    }
    let mut at = sculpture.project(from.lerp(&to, high), 0.25 * (to - from).norm());
    if from.x == 0.0 && to.x == 0.0 {
        at.x = 0.0;
    }
    (high, at)
}
