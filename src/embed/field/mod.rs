//! The adaptive distance field.
//!
//! Baran & Popović 2007, section 3.1, after Frisken et al. 2000, "Adaptively Sampled Distance Fields": an octree
//! over the unit cube whose leaves interpolate the signed distance at their corners trilinearly, split until the
//! interpolation is right to a tolerance.
//!
//! We differ in the sign, which comes from the winding number and not from a ray, so that open and many-shelled
//! characters have an inside; in sharing the distances of common corners by exact lattice keys; and in working
//! level by level, so that all queries of a level are one parallel batch.

mod builder;
mod lattice;

use super::outer_shell::outer_triangles;
use crate::math::Vec3;
use crate::mesh::TriangleTree;
use crate::mesh::prepare::PreparedMesh;
use builder::Builder;
use lattice::half_diagonal;

/// Choices of [`DistanceField::new`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FieldOptions {
    /// Largest error of the interpolation at the points half-way between the corners of a leaf, in parts of the
    /// unit cube. The paper's τ = 0.003: limbs thinner than it may be missed; at half of it there are four to five
    /// times as many leaves.
    pub tolerance: f64,
    /// Leaves are at least 2^-`max_depth` wide; at most [`DistanceField::MAX_DEPTH`].
    pub max_depth: u32,
    /// No level is split that would make more leaves than this. Characters have 10,000 to 60,000; the limit is for
    /// surfaces that fill the cube like a sponge, whose finest level is then left out.
    pub max_leaves: usize,
}

impl Default for FieldOptions {
    fn default() -> Self {
        FieldOptions { tolerance: 0.003, max_depth: DistanceField::MAX_DEPTH, max_leaves: 150_000 }
    }
}

/// Signed distance to a surface anywhere near the unit cube: negative inside, zero on it, positive outside.
///
/// Inside of large holes of the surface the field is the distance times a factor that falls from 1 to −1, so that it
/// is continuous where the surface is not: it is zero where the surface winds half around a point. Where there is no
/// surface at all everything is outside.
///
/// ```
/// use puppetry::stages::embed::field::{DistanceField, FieldOptions};
/// use puppetry::stages::math::Vec3;
/// use puppetry::stages::mesh::{TriangleTree, shapes};
///
/// let mut ball = shapes::uv_sphere(40, 80);
/// ball.positions.iter_mut().for_each(|p| *p = Vec3::repeat(0.5) + *p * 0.4);
/// let tree = TriangleTree::new(&ball.positions, &ball.triangles);
/// let field = DistanceField::new(&tree, &FieldOptions::default());
///
/// assert!((field.value(&Vec3::new(0.5, 0.8, 0.5)) + 0.1).abs() < 0.003);
/// assert!((field.gradient(&Vec3::new(0.5, 0.8, 0.5)) - Vec3::y()).norm() < 0.1);
/// ```
pub struct DistanceField {
    /// For each node in breadth-first order: its first child, or its leaf with [`LEAF`] set. The root is node 0.
    nodes: Vec<u32>,
    /// In breadth-first order.
    leaves: Vec<Leaf>,
    /// The node that holds each cell of the grid at depth [`TABLE_DEPTH`], to skip the first steps down.
    table: Vec<u32>,
    /// How many distances were computed to build the field.
    queries: usize,
}

/// Cells along an edge of the unit cube: a little less than 1024, so that 1.0 falls into the last one. Points on a face belong
/// to the lower leaf.
const CELLS: f64 = 1023.999;

const LEAF: u32 = 1 << 31;
const TABLE_DEPTH: u32 = 5;

/// A cube with the field at its corners; bit 0, 1, 2 of a corner's number is its x, y, z side.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Leaf {
    pub(super) low: Vec3,
    pub(super) side: f64,
    values: [f64; 8],
}

impl Leaf {
    pub(super) fn center(&self) -> Vec3 {
        self.low + Vec3::repeat(0.5 * self.side)
    }

    pub(super) fn half_diagonal(&self) -> f64 {
        half_diagonal(self.side)
    }

    /// Depth of its deepest point; negative if all of it is outside.
    pub(super) fn greatest_depth(&self) -> f64 {
        -self.values.iter().copied().fold(f64::INFINITY, f64::min)
    }

    fn value(&self, point: &Vec3) -> f64 {
        let t = (point - self.low) / self.side;
        trilinear(&self.values, &t)
    }

    fn gradient(&self, point: &Vec3) -> Vec3 {
        let t = (point - self.low) / self.side;
        let v = &self.values;
        let x = mix(mix(v[1] - v[0], v[3] - v[2], t.y), mix(v[5] - v[4], v[7] - v[6], t.y), t.z);
        let y = mix(mix(v[2] - v[0], v[3] - v[1], t.x), mix(v[6] - v[4], v[7] - v[5], t.x), t.z);
        let z = mix(mix(v[4] - v[0], v[5] - v[1], t.x), mix(v[6] - v[2], v[7] - v[3], t.x), t.y);
        Vec3::new(x, y, z) / self.side
    }
}

fn mix(a: f64, b: f64, t: f64) -> f64 {
    a + (b - a) * t
}

fn trilinear(v: &[f64; 8], t: &Vec3) -> f64 {
    mix(
        mix(mix(v[0], v[1], t.x), mix(v[2], v[3], t.x), t.y),
        mix(mix(v[4], v[5], t.x), mix(v[6], v[7], t.x), t.y),
        t.z,
    )
}

impl DistanceField {
    /// Greatest depth of a leaf: 1/1024 of the cube.
    pub const MAX_DEPTH: u32 = 10;

    /// Samples the distance to the surface of `tree`.
    pub fn new(tree: &TriangleTree, options: &FieldOptions) -> DistanceField {
        DistanceField::of_solid(tree, tree, options)
    }

    /// Samples the distance to the outermost surface of a character, whose triangles are those of `tree`.
    pub fn of_mesh(mesh: &PreparedMesh, tree: &TriangleTree, options: &FieldOptions) -> DistanceField {
        if mesh.topology.components.len() == 1 {
            return DistanceField::new(tree, options);
        }
        let shells = &mesh.topology.component_of_triangle;
        let outer = outer_triangles(&mesh.positions, &mesh.triangles, shells, tree);
        let boundary = TriangleTree::new(&mesh.positions, &outer);
        let closed = closed_shells(mesh).map(|triangles| TriangleTree::new(&mesh.positions, &triangles));
        let solids: Vec<&TriangleTree> = [tree].into_iter().chain(&closed).collect();
        DistanceField::build(&boundary, &solids, options)
    }

    /// Samples the distance to `boundary`, negative where `solid` winds around a point. The two differ where shells
    /// overlap: the parts of a shell inside another are no boundary of the whole.
    pub fn of_solid(boundary: &TriangleTree, solid: &TriangleTree, options: &FieldOptions) -> DistanceField {
        DistanceField::build(boundary, &[solid], options)
    }

    /// As [`of_solid`](Self::of_solid), negative where one of the `solids` winds around a point.
    fn build(boundary: &TriangleTree, solids: &[&TriangleTree], options: &FieldOptions) -> DistanceField {
        Builder::new(boundary, solids, options).run()
    }

    /// The signed distance at `point`. Outside of the unit cube it is that of the nearest point of the cube plus the
    /// distance to it.
    pub fn value(&self, point: &Vec3) -> f64 {
        let inside = clamp_to_cube(point);
        self.leaf_at(&inside).value(&inside) + (point - inside).norm()
    }

    /// The derivative of [`value`](Self::value) within the leaf that holds `point`; it jumps between leaves.
    pub fn gradient(&self, point: &Vec3) -> Vec3 {
        let inside = clamp_to_cube(point);
        let gradient = self.leaf_at(&inside).gradient(&inside);
        if inside == *point {
            return gradient;
        }
        // Across a face of the cube the nearest point of the cube stays where it is.
        let away = (point - inside).normalize();
        away.zip_map(&gradient, |away, inner| if away == 0.0 { inner } else { away })
    }

    /// How many leaves there are: a measure of how intricate the shape is.
    pub fn leaf_count(&self) -> usize {
        self.leaves.len()
    }

    /// How many distances were computed to build the field.
    pub fn query_count(&self) -> usize {
        self.queries
    }

    pub(super) fn leaves(&self) -> &[Leaf] {
        &self.leaves
    }

    /// The leaf that holds a point of the unit cube.
    fn leaf_at(&self, point: &Vec3) -> &Leaf {
        let [x, y, z] = [point.x, point.y, point.z].map(|x| (x * CELLS) as u32);
        let shift = Self::MAX_DEPTH - TABLE_DEPTH;
        let cell = (x >> shift) | (y >> shift) << TABLE_DEPTH | (z >> shift) << (2 * TABLE_DEPTH);
        let mut node = self.nodes[self.table[cell as usize] as usize];
        let mut bit = shift;
        while node & LEAF == 0 {
            bit -= 1;
            let child = (x >> bit & 1) | (y >> bit & 1) << 1 | (z >> bit & 1) << 2;
            node = self.nodes[(node + child) as usize];
        }
        &self.leaves[(node & !LEAF) as usize]
    }
}

fn clamp_to_cube(point: &Vec3) -> Vec3 {
    point.map(|x| x.clamp(0.0, 1.0))
}

/// The triangles of shells without holes, if there are others too. What is inside of those is inside, whatever the others say: a
/// curtain of hair that shows its back would wind around a head the other way, and the head would be air.
fn closed_shells(mesh: &PreparedMesh) -> Option<Vec<[u32; 3]>> {
    let topology = &mesh.topology;
    let shells = mesh.triangles.iter().zip(&topology.component_of_triangle);
    let closed = shells.filter(|(_, shell)| topology.components[**shell as usize].closed);
    let closed: Vec<[u32; 3]> = closed.map(|(triangle, _)| *triangle).collect();
    (!closed.is_empty() && closed.len() < mesh.triangles.len()).then_some(closed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::prepare::{PrepareOptions, prepare};
    use crate::mesh::{Mesh, Part, shapes};

    const HALF: Vec3 = Vec3::new(0.5, 0.5, 0.5);

    fn field_of(mesh: &Mesh) -> DistanceField {
        let tree = TriangleTree::new(&mesh.positions, &mesh.triangles);
        DistanceField::new(&tree, &FieldOptions::default())
    }

    /// A shape scaled about the origin and moved to the middle of the cube.
    fn centered(mut mesh: Mesh, scale: f64) -> Mesh {
        mesh.positions.iter_mut().for_each(|p| *p = HALF + *p * scale);
        mesh
    }

    /// The points of a grid through the cube that falls on no corner of a leaf.
    fn grid() -> impl Iterator<Item = Vec3> {
        let at = |i: usize| 0.013 + 0.0611 * i as f64;
        (0..16 * 16 * 16).map(move |i| Vec3::new(at(i % 16), at(i / 16 % 16), at(i / 256)))
    }

    #[test]
    fn distances_to_a_sphere_are_right_to_the_tolerance() {
        let field = field_of(&centered(shapes::uv_sphere(80, 160), 0.35));
        for point in grid() {
            let (exact, value) = ((point - HALF).norm() - 0.35, field.value(&point));
            // Leaves wholly outside are not refined, and the sphere is inscribed.
            let allowed = if exact > 0.0 { 0.15 * exact + 0.004 } else { 0.004 };
            assert!((value - exact).abs() < allowed, "{point} {value} {exact}");
            if (point - HALF).norm() > 0.1 && exact < 0.0 {
                let direction = (point - HALF).normalize();
                assert!(field.gradient(&point).normalize().dot(&direction) > 0.95);
            }
        }
    }

    #[test]
    fn distances_inside_a_box_are_right_to_the_tolerance() {
        let field = field_of(&centered(shapes::cube(), 0.3));
        for point in grid().filter(|point| (point - HALF).amax() < 0.3) {
            let exact = (point - HALF).amax() - 0.3;
            // The tolerance holds half-way between corners; along a crease elsewhere it may be missed by half.
            assert!((field.value(&point) - exact).abs() < 0.0045);
        }
        assert!((field.value(&Vec3::new(0.5, 0.75, 0.5)) + 0.05).abs() < 1e-12);
    }

    #[test]
    fn beyond_the_cube_the_distance_to_it_is_added() {
        let field = field_of(&centered(shapes::uv_sphere(20, 40), 0.4));
        let face = Vec3::new(0.5, 1.0, 0.5);
        assert_eq!(field.value(&(face + Vec3::y())), field.value(&face) + 1.0);
        assert_eq!(field.gradient(&(face + Vec3::y())).y, 1.0);
        let corner = field.gradient(&Vec3::new(-1.0, -1.0, -1.0));
        assert!((corner - Vec3::repeat(-(1.0f64 / 3.0).sqrt())).norm() < 1e-12);
        assert!(field.value(&Vec3::repeat(f64::NAN)).is_nan());
        assert!(field.value(&Vec3::repeat(f64::INFINITY)) > 0.0);
    }

    #[test]
    fn a_sphere_with_a_hole_has_an_inside_that_ends_at_the_hole() {
        let mut mesh = centered(shapes::uv_sphere(40, 80), 0.4);
        // All within 30 degrees of the upper pole.
        let is_low = |index: &u32| mesh.positions[*index as usize].y < 0.5 + 0.4 * 30f64.to_radians().cos();
        mesh.triangles.retain(|triangle| triangle.iter().all(is_low));
        let field = field_of(&mesh);
        assert!((field.value(&HALF) + 0.4).abs() < 0.005);
        let along_axis: Vec<f64> =
            (0..=100).map(|i| field.value(&Vec3::new(0.5, 0.5 + 0.005 * f64::from(i), 0.5))).collect();
        let mouth = along_axis.iter().position(|&value| value > 0.0).unwrap();
        // The rim is at 0.846 and the pole was at 0.9.
        assert!((60..=85).contains(&mouth), "{mouth}");
        assert!(along_axis[mouth..].iter().all(|&value| value > 0.0));
        assert!(along_axis.windows(2).all(|pair| (pair[1] - pair[0]).abs() < 0.05), "no jump in the hole");
        assert!(field.leaf_count() < 60_000, "{}", field.leaf_count());
    }

    #[test]
    fn hair_that_shows_its_back_does_not_make_air_of_a_head() {
        let mut mesh = shapes::uv_sphere(20, 40);
        // A hundred cards around the ball, each a piece of its own; those of the first mesh run the other way round.
        for card in 0..100u32 {
            let (sin, cos) = (f64::from(card) * std::f64::consts::TAU / 100.0).sin_cos();
            let place = |along: f64, y: f64| Vec3::new(cos - sin * along, y, sin + cos * along) * 1.05;
            let base = mesh.positions.len() as u32;
            mesh.positions.extend([place(-0.03, -1.5), place(0.03, -1.5), place(0.0, 1.5)]);
            mesh.triangles.push([base, base + 1, base + 2]);
        }
        let vertices = 0..mesh.positions.len();
        mesh.parts = vec![Part { vertices, triangles: 0..mesh.triangles.len(), ..Part::default() }];
        for _ in 0..2 {
            let prepared = prepare(&mesh, &PrepareOptions::default(), &mut Vec::new()).unwrap();
            let tree = TriangleTree::new(&prepared.positions, &prepared.triangles);
            let field = DistanceField::of_mesh(&prepared, &tree, &FieldOptions::default());
            let middle = prepared.unit_from_input.transform_point(&Vec3::zeros().into()).coords;
            let radius = prepared.unit_from_input.scaling();
            assert!(field.value(&middle) < -0.9 * radius, "{}", field.value(&middle));
            mesh.triangles.iter_mut().rev().take(100).for_each(|card| card.swap(0, 1));
        }
    }

    #[test]
    fn a_shell_inside_another_is_not_seen_by_the_field_of_the_whole() {
        let mut mesh = centered(shapes::uv_sphere(40, 80), 0.4);
        let inner = centered(shapes::uv_sphere(10, 20), 0.2);
        let (base, outer_count) = (mesh.positions.len() as u32, mesh.triangles.len());
        mesh.positions.extend(inner.positions);
        mesh.triangles.extend(inner.triangles.iter().map(|triangle| triangle.map(|index| index + base)));
        let tree = TriangleTree::new(&mesh.positions, &mesh.triangles);
        let shells: Vec<u32> = (0..mesh.triangles.len()).map(|i| u32::from(i >= outer_count)).collect();
        let outer = outer_triangles(&mesh.positions, &mesh.triangles, &shells, &tree);
        let outer = TriangleTree::new(&mesh.positions, &outer);
        let whole = DistanceField::of_solid(&outer, &tree, &FieldOptions::default());
        assert!((whole.value(&Vec3::new(0.7, 0.5, 0.5)) + 0.2).abs() < 0.004);
        let shells = DistanceField::new(&tree, &FieldOptions::default());
        assert!(shells.value(&Vec3::new(0.7, 0.5, 0.5)).abs() < 0.004);
    }

    #[test]
    fn without_a_surface_everything_is_outside() {
        let field = field_of(&Mesh::default());
        assert!(grid().all(|point| field.value(&point) > 1.0));
        assert_eq!(field.leaf_count(), 8);
    }

    #[test]
    fn the_number_of_leaves_is_bounded() {
        let mesh = centered(shapes::torus(0.4, 30, 30), 0.3);
        let tree = TriangleTree::new(&mesh.positions, &mesh.triangles);
        let options = FieldOptions { max_leaves: 1000, ..FieldOptions::default() };
        assert!(DistanceField::new(&tree, &options).leaf_count() <= 1000);
        let flat = FieldOptions { max_depth: 1, ..FieldOptions::default() };
        assert_eq!(DistanceField::new(&tree, &flat).leaf_count(), 8);
    }

    #[test]
    fn the_number_of_threads_does_not_matter() {
        let mesh = centered(shapes::torus(0.3, 40, 40), 0.3);
        let with_threads = |count: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(count).build().unwrap();
            pool.install(|| field_of(&mesh))
        };
        let (one, two) = (with_threads(1), with_threads(2));
        assert_eq!(one.nodes, two.nodes);
        assert_eq!(one.leaves, two.leaves);
    }
}
