//! Topology of a surface: components, holes, and where it is not a manifold.

use super::triangle::{area, corners};
use crate::math::{Buckets, DisjointSets, Vec3};

/// What [`Topology::of`] finds about welded triangles.
#[derive(Debug, Clone, PartialEq)]
pub struct Topology {
    /// The component of every triangle. Triangles that share a vertex are in one component.
    pub component_of_triangle: Vec<u32>,
    /// Facts about each component, in the order of their first triangles.
    pub components: Vec<Component>,
    /// Edges with exactly one triangle.
    pub boundary_edges: usize,
    /// Closed loops (or, at pinched vertices, webs) of boundary edges: the holes.
    pub holes: usize,
    /// Edges with three or more triangles.
    pub nonmanifold_edges: usize,
    /// Vertices where several fans of triangles meet only in the point.
    pub pinched_vertices: usize,
    /// Edges whose two triangles disagree about which side is outside.
    pub misoriented_edges: usize,
}

/// One connected piece of a surface.
#[derive(Debug, Clone, PartialEq)]
pub struct Component {
    /// How many triangles it has.
    pub triangles: usize,
    /// The sum of their areas.
    pub area: f64,
    /// Whether each of its edges has exactly two triangles.
    pub closed: bool,
}

impl Topology {
    /// Every edge has exactly two triangles.
    pub fn is_watertight(&self) -> bool {
        self.boundary_edges == 0 && self.nonmanifold_edges == 0
    }

    /// Examines triangles whose vertices are welded: equal positions have equal indices, and no triangle uses a
    /// vertex twice.
    pub fn of(positions: &[Vec3], triangles: &[[u32; 3]]) -> Topology {
        let mut by_vertex = DisjointSets::new(positions.len());
        for &[a, b, c] in triangles {
            by_vertex.union(a, b);
            by_vertex.union(b, c);
        }
        let mut component_of_root = vec![u32::MAX; positions.len()];
        let mut components: Vec<Component> = Vec::new();
        let mut component_of_triangle = Vec::with_capacity(triangles.len());
        for triangle in triangles {
            let component = &mut component_of_root[by_vertex.find(triangle[0]).0 as usize];
            if *component == u32::MAX {
                *component = components.len() as u32;
                components.push(Component { triangles: 0, area: 0.0, closed: true });
            }
            component_of_triangle.push(*component);
            let facts = &mut components[*component as usize];
            facts.triangles += 1;
            facts.area += area(&corners(positions, triangle));
        }

        let half_edges = sorted_half_edges(positions.len(), triangles);
        let mut topology = Topology {
            component_of_triangle,
            components,
            boundary_edges: 0,
            holes: 0,
            nonmanifold_edges: 0,
            pinched_vertices: 0,
            misoriented_edges: 0,
        };
        let mut rims = DisjointSets::new(positions.len());
        let mut on_rim = vec![false; positions.len()];
        // Corner 3t + k belongs to vertex k of triangle t; corners joined across edges form fans.
        let mut fans = DisjointSets::new(3 * triangles.len());
        for edge in half_edges.chunk_by(|a, b| a.edge == b.edge) {
            if edge.len() != 2 {
                let component = topology.component_of_triangle[edge[0].triangle() as usize];
                topology.components[component as usize].closed = false;
            }
            match edge {
                [_] => {
                    let (a, b) = edge[0].vertices();
                    rims.union(a, b);
                    on_rim[a as usize] = true;
                    on_rim[b as usize] = true;
                    topology.boundary_edges += 1;
                }
                [one, other] => {
                    topology.misoriented_edges += usize::from(one.ascending() == other.ascending())
                }
                _ => topology.nonmanifold_edges += 1,
            }
            for pair in edge.windows(2) {
                for (one, other) in pair[0].corners(triangles).into_iter().zip(pair[1].corners(triangles)) {
                    fans.union(one, other);
                }
            }
        }
        topology.holes =
            (0..positions.len()).filter(|&v| on_rim[v] && rims.find(v as u32).0 == v as u32).count();
        topology.pinched_vertices = count_pinched(positions.len(), triangles, &mut fans);
        topology
    }
}

fn count_pinched(vertices: usize, triangles: &[[u32; 3]], fans: &mut DisjointSets) -> usize {
    let mut fan_of_vertex = vec![u32::MAX; vertices];
    let mut pinched = vec![false; vertices];
    for (corner, &vertex) in triangles.iter().flatten().enumerate() {
        let fan = fans.find(corner as u32).0;
        let first = &mut fan_of_vertex[vertex as usize];
        if *first == u32::MAX {
            *first = fan;
        }
        pinched[vertex as usize] |= *first != fan;
    }
    pinched.into_iter().filter(|&p| p).count()
}

/// One side of a triangle.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct HalfEdge {
    /// The smaller vertex in the upper half, the larger one in the lower half: equal for all triangles at an edge.
    pub edge: u64,
    /// 3 × triangle + side, where side `k` runs from vertex `k` to the next.
    side: u32,
    /// Whether it runs from the smaller to the larger vertex.
    ascending: bool,
}

impl HalfEdge {
    pub fn triangle(&self) -> u32 {
        self.side / 3
    }

    /// 3 × triangle + side, where side `k` runs from vertex `k` to the next.
    pub fn side(&self) -> u32 {
        self.side
    }

    pub fn ascending(&self) -> bool {
        self.ascending
    }

    pub fn vertices(&self) -> (u32, u32) {
        ((self.edge >> 32) as u32, self.edge as u32)
    }

    /// The corners of the triangle at the smaller and at the larger vertex.
    fn corners(&self, triangles: &[[u32; 3]]) -> [u32; 2] {
        let triangle = self.triangle();
        let (a, b) = self.vertices();
        [a, b].map(|vertex| {
            let k = triangles[triangle as usize].iter().position(|&v| v == vertex).unwrap_or(0);
            3 * triangle + k as u32
        })
    }
}

/// All sides of all triangles; those of one edge are neighbours, in the order of their triangles.
pub(crate) fn sorted_half_edges(vertices: usize, triangles: &[[u32; 3]]) -> Vec<HalfEdge> {
    let sides = triangles.iter().flat_map(|&[a, b, c]| [(a, b), (b, c), (c, a)]);
    let by_smaller_vertex = Buckets::new(vertices, sides.map(|(a, b)| a.min(b)));
    let mut half_edges = Vec::with_capacity(3 * triangles.len());
    for sides in by_smaller_vertex.iter() {
        let start = half_edges.len();
        half_edges.extend(sides.iter().map(|&side| {
            let triangle = triangles[side as usize / 3];
            let (a, b) = (triangle[side as usize % 3], triangle[(side as usize + 1) % 3]);
            HalfEdge { edge: (a.min(b) as u64) << 32 | a.max(b) as u64, side, ascending: a < b }
        }));
        half_edges[start..].sort_unstable();
    }
    half_edges
}

#[cfg(test)]
mod tests {
    use super::*;

    fn topology(triangles: &[[u32; 3]]) -> Topology {
        let count = triangles.iter().flatten().max().map_or(0, |&v| v as usize + 1);
        let positions: Vec<Vec3> = (0..count).map(|v| Vec3::new(v as f64, (v * v) as f64, 1.0)).collect();
        Topology::of(&positions, triangles)
    }

    const TETRAHEDRON: [[u32; 3]; 4] = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]];

    #[test]
    fn a_tetrahedron_is_watertight_and_losing_a_face_leaves_one_hole() {
        let whole = topology(&TETRAHEDRON);
        assert!(whole.is_watertight() && whole.components[0].closed);
        assert_eq!((whole.components.len(), whole.holes, whole.misoriented_edges), (1, 0, 0));
        let open = topology(&TETRAHEDRON[..3]);
        assert_eq!((open.boundary_edges, open.holes, open.is_watertight()), (3, 1, false));
        assert!(!open.components[0].closed);
    }

    #[test]
    fn a_flipped_face_disagrees_with_its_three_neighbours() {
        let mut triangles = TETRAHEDRON;
        triangles[2].reverse();
        assert_eq!(topology(&triangles).misoriented_edges, 3);
    }

    #[test]
    fn tetrahedra_that_touch_in_a_vertex_are_one_component_with_a_pinched_vertex() {
        let second = TETRAHEDRON.map(|t| t.map(|v| v + 3));
        let both = topology(&[TETRAHEDRON, second].concat());
        assert_eq!((both.components.len(), both.pinched_vertices, both.nonmanifold_edges), (1, 1, 0));
    }

    #[test]
    fn a_third_triangle_at_an_edge_is_not_manifold() {
        let fins = topology(&[[0, 1, 2], [1, 0, 3], [0, 1, 4]]);
        assert_eq!((fins.nonmanifold_edges, fins.boundary_edges, fins.holes), (1, 6, 1));
        assert_eq!(fins.pinched_vertices, 0);
    }

    #[test]
    fn a_ring_has_two_holes_and_two_islands_are_two_components() {
        // A strip of quads around a cylinder of n sides: vertices 2i below, 2i + 1 above.
        let n = 7;
        let ring: Vec<[u32; 3]> = (0..n)
            .flat_map(|i| {
                let (a, b) = (2 * i, 2 * ((i + 1) % n));
                [[a, b, a + 1], [b, b + 1, a + 1]]
            })
            .collect();
        assert_eq!(topology(&ring).holes, 2);
        let islands = topology(&[[0, 1, 2], [3, 4, 5]]);
        assert_eq!((islands.components.len(), islands.component_of_triangle), (2, vec![0, 1]));
    }
}
