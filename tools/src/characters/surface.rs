//! A triangle mesh that can be edited: split, collapse and flip edges, walk around vertices.
//!
//! It holds the left half of a body. Its border is the seam: vertices with x = 0, where the mirrored half is
//! sewn on. Every edit keeps the seam a simple curve, so that the whole is a manifold too.

use puppetry::stages::math::Vec3;
use std::collections::{BTreeSet, HashMap};

/// Points, and for each directed edge the third corner of the triangle on its left.
#[derive(Debug, Clone, Default)]
pub struct Surface {
    points: Vec<Vec3>,
    apex: HashMap<(u32, u32), u32>,
}

impl Surface {
    /// Adds a point and gives its number.
    pub fn add_point(&mut self, point: Vec3) -> u32 {
        self.points.push(point);
        self.points.len() as u32 - 1
    }

    /// Adds a triangle, counter-clockwise seen from outside.
    ///
    /// # Panics
    /// If one of its directed edges is taken: the surface would not be a manifold.
    pub fn add_triangle(&mut self, [a, b, c]: [u32; 3]) {
        for (from, to, apex) in [(a, b, c), (b, c, a), (c, a, b)] {
            let taken = self.apex.insert((from, to), apex).is_some();
            assert!(!taken, "not a manifold near {:?}", self.point(from).as_slice());
        }
    }

    fn remove_triangle(&mut self, [a, b, c]: [u32; 3]) {
        for edge in [(a, b), (b, c), (c, a)] {
            self.apex.remove(&edge);
        }
    }

    /// Where a vertex is.
    pub fn point(&self, vertex: u32) -> Vec3 {
        self.points[vertex as usize]
    }

    /// Moves a vertex.
    pub fn place(&mut self, vertex: u32, point: Vec3) {
        self.points[vertex as usize] = point;
    }

    /// How many points were ever added; some may have no triangle any more.
    pub fn point_count(&self) -> usize {
        self.points.len()
    }

    /// True for vertices on the plane of symmetry.
    pub fn on_seam(&self, vertex: u32) -> bool {
        self.point(vertex).x == 0.0
    }

    /// The triangle on the left of a directed edge.
    pub fn apex(&self, from: u32, to: u32) -> Option<u32> {
        self.apex.get(&(from, to)).copied()
    }

    /// All triangles in a fixed order.
    pub fn triangles(&self) -> Vec<[u32; 3]> {
        let smallest_first = self.apex.iter().filter(|((a, b), c)| a < b && a < c);
        let mut triangles: Vec<_> = smallest_first.map(|(&(a, b), &c)| [a, b, c]).collect();
        triangles.sort_unstable();
        triangles
    }

    /// All edges in a fixed order, smaller vertex first.
    pub fn edges(&self) -> Vec<[u32; 2]> {
        let mut edges: Vec<_> = self.apex.keys().map(|&(a, b)| [a.min(b), a.max(b)]).collect();
        edges.sort_unstable();
        edges.dedup();
        edges
    }

    /// True if the edge (still) exists.
    pub fn has_edge(&self, [a, b]: [u32; 2]) -> bool {
        self.apex.contains_key(&(a, b)) || self.apex.contains_key(&(b, a))
    }

    fn is_border(&self, [a, b]: [u32; 2]) -> bool {
        self.has_edge([a, b]) && (self.apex(a, b).is_none() || self.apex(b, a).is_none())
    }

    /// Vertices around `vertex`, given one of them.
    pub fn ring(&self, vertex: u32, neighbour: u32) -> Vec<u32> {
        let mut ring = vec![neighbour];
        let mut at = neighbour;
        while let Some(next) = self.apex(vertex, at) {
            if next == neighbour {
                return ring;
            }
            ring.push(next);
            at = next;
        }
        at = neighbour;
        while let Some(previous) = self.apex(at, vertex) {
            ring.push(previous);
            at = previous;
        }
        ring
    }

    /// Cuts an edge in two at a new point and gives its vertex.
    pub fn split(&mut self, [a, b]: [u32; 2], mut at: Vec3) -> u32 {
        at.x = if self.is_border([a, b]) { 0.0 } else { at.x };
        let middle = self.add_point(at);
        for (from, to) in [(a, b), (b, a)] {
            if let Some(apex) = self.apex(from, to) {
                self.remove_triangle([from, to, apex]);
                self.add_triangle([from, middle, apex]);
                self.add_triangle([middle, to, apex]);
            }
        }
        middle
    }

    /// Replaces an edge by the other diagonal of its two triangles, if the result is sound.
    pub fn flip(&mut self, [a, b]: [u32; 2]) -> bool {
        let (Some(c), Some(d)) = (self.apex(a, b), self.apex(b, a)) else { return false };
        if self.has_edge([c, d]) || (self.on_seam(c) && self.on_seam(d)) {
            return false;
        }
        let normal = |x: u32, y: u32, z: u32| self.normal_with([x, y, z], u32::MAX, Vec3::zeros());
        let before = normal(a, b, c) + normal(b, a, d);
        if normal(a, d, c).dot(&before) <= 0.0 || normal(d, b, c).dot(&before) <= 0.0 {
            return false;
        }
        self.remove_triangle([a, b, c]);
        self.remove_triangle([b, a, d]);
        self.add_triangle([a, d, c]);
        self.add_triangle([d, b, c]);
        true
    }

    /// Merges `gone` into `kept`, placed at `target`, if the result is sound and has no edge longer than
    /// `longest`.
    pub fn collapse(&mut self, gone: u32, kept: u32, target: Vec3, longest: f64) -> bool {
        let border = self.is_border([gone, kept]);
        if self.on_seam(gone) && !border {
            return false;
        }
        let (around_gone, around_kept) = (self.ring(gone, kept), self.ring(kept, gone));
        let apexes = [self.apex(gone, kept), self.apex(kept, gone)];
        let shared: BTreeSet<u32> = around_gone.iter().copied().filter(|v| around_kept.contains(v)).collect();
        if shared != apexes.iter().flatten().copied().collect() {
            return false;
        }
        // An apex with three neighbours would be left with two.
        if shared.iter().any(|&apex| !self.on_seam(apex) && self.ring(apex, gone).len() <= 3) {
            return false;
        }
        let new_chord = |&v: &u32| v != kept && !shared.contains(&v) && self.on_seam(v);
        if self.on_seam(kept) && !border && around_gone.iter().any(new_chord) {
            return false;
        }
        if around_gone
            .iter()
            .chain(&around_kept)
            .any(|&v| (self.point(v) - target).norm() > longest && v != gone && v != kept)
        {
            return false;
        }
        let fans = [self.fan(gone, kept), self.fan(kept, gone)];
        for (fan, center, other) in [(&fans[0], gone, kept), (&fans[1], kept, gone)] {
            for triangle in fan.iter().filter(|triangle| !triangle.contains(&other)) {
                let before = self.normal_with(*triangle, u32::MAX, target);
                let after = self.normal_with(*triangle, center, target);
                if before.dot(&after) < 0.5 * before.norm() * after.norm() || after.norm() == 0.0 {
                    return false;
                }
            }
        }
        for &triangle in &fans[0] {
            self.remove_triangle(triangle);
        }
        for triangle in fans[0].iter().filter(|triangle| !triangle.contains(&kept)) {
            self.add_triangle(triangle.map(|v| if v == gone { kept } else { v }));
        }
        self.place(kept, target);
        true
    }

    /// Triangles around `vertex`, given one of its neighbours.
    fn fan(&self, vertex: u32, neighbour: u32) -> Vec<[u32; 3]> {
        let ring = self.ring(vertex, neighbour);
        ring.iter().filter_map(|&v| self.apex(vertex, v).map(|apex| [vertex, v, apex])).collect()
    }

    /// Area normal of a triangle in which one vertex is thought elsewhere.
    fn normal_with(&self, triangle: [u32; 3], moved: u32, to: Vec3) -> Vec3 {
        let [a, b, c] = triangle.map(|v| if v == moved { to } else { self.point(v) });
        (b - a).cross(&(c - a))
    }
}
