//! Evens out triangles: edges of the length asked for around each point, about six triangles around each
//! vertex, vertices on the surface of the sculpture. After Botsch & Kobbelt 2004, "A remeshing approach to
//! multiresolution modeling", section 4, with the length varying over the surface.

use super::implicit::{Detail, Sculpture};
use super::surface::Surface;
use puppetry::stages::math::Vec3;

/// Rounds of splitting, collapsing, flipping and relaxing; more change nothing that can be seen.
const ROUNDS: usize = 7;

/// Remeshes the half surface in place.
pub fn remesh(surface: &mut Surface, sculpture: &Sculpture, detail: &Detail) {
    for _ in 0..ROUNDS {
        split_long_edges(surface, sculpture, detail);
        collapse_short_edges(surface, sculpture, detail);
        equalise_valences(surface);
        relax(surface, sculpture, detail);
    }
}

/// Length of an edge in units of the length asked for at its middle, its middle, and the length asked for.
fn measure(surface: &Surface, sculpture: &Sculpture, detail: &Detail, [a, b]: [u32; 2]) -> (f64, Vec3, f64) {
    let (from, to) = (surface.point(a), surface.point(b));
    let middle = (from + to) / 2.0;
    let wanted = sculpture.edge_length(middle, detail);
    ((to - from).norm() / wanted, middle, wanted)
}

fn split_long_edges(surface: &mut Surface, sculpture: &Sculpture, detail: &Detail) {
    for edge in surface.edges() {
        let (length, middle, wanted) = measure(surface, sculpture, detail, edge);
        if length > 4.0 / 3.0 {
            surface.split(edge, sculpture.project(middle, wanted));
        }
    }
}

fn collapse_short_edges(surface: &mut Surface, sculpture: &Sculpture, detail: &Detail) {
    for edge in surface.edges() {
        if !surface.has_edge(edge) {
            continue;
        }
        let (length, middle, wanted) = measure(surface, sculpture, detail, edge);
        if length >= 4.0 / 5.0 {
            continue;
        }
        let [a, b] = edge;
        let (gone, kept, target) = match (surface.on_seam(a), surface.on_seam(b)) {
            (true, false) => (b, a, surface.point(a)),
            (false, true) => (a, b, surface.point(b)),
            _ => (a, b, sculpture.project(middle, wanted)),
        };
        surface.collapse(gone, kept, target, 4.0 / 3.0 * wanted);
    }
}

/// Flips edges where that brings the number of neighbours closer to six (four on the seam).
fn equalise_valences(surface: &mut Surface) {
    let mut valence = vec![0i32; surface.point_count()];
    for edge in surface.edges() {
        for vertex in edge {
            valence[vertex as usize] += 1;
        }
    }
    let excess =
        |surface: &Surface, v: u32, valence: i32| (valence - if surface.on_seam(v) { 4 } else { 6 }).pow(2);
    for [a, b] in surface.edges() {
        let (Some(c), Some(d)) = (surface.apex(a, b), surface.apex(b, a)) else { continue };
        let changes = [(a, -1), (b, -1), (c, 1), (d, 1)];
        let cost = |by: i32| -> i32 {
            changes.iter().map(|&(v, change)| excess(surface, v, valence[v as usize] + by * change)).sum()
        };
        if cost(1) < cost(0) && surface.flip([a, b]) {
            for (vertex, change) in changes {
                valence[vertex as usize] += change;
            }
        }
    }
}

/// Moves each vertex towards the middle of its neighbours and back onto the surface.
fn relax(surface: &mut Surface, sculpture: &Sculpture, detail: &Detail) {
    let mut sums = vec![(Vec3::zeros(), 0.0); surface.point_count()];
    for [a, b] in surface.edges() {
        // Along the seam only neighbours on the seam pull.
        for (vertex, other) in [(a, b), (b, a)] {
            if surface.on_seam(vertex) <= surface.on_seam(other) {
                sums[vertex as usize].0 += surface.point(other);
                sums[vertex as usize].1 += 1.0;
            }
        }
    }
    for (vertex, (sum, count)) in (0..).zip(sums) {
        if count > 0.0 {
            let seam = surface.on_seam(vertex);
            let point = surface.point(vertex);
            let mut moved = sculpture.project(point.lerp(&(sum / count), 0.6), detail.cell);
            moved.x = if seam { 0.0 } else { moved.x.max(0.1 * detail.finest) };
            surface.place(vertex, moved);
        }
    }
}
