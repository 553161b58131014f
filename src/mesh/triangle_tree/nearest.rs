//! The nearest point of the surface.
//!
//! A walk from near to far boxes, eight at a time. In a leaf the squared distances of eight triangles come from
//! `f32` arithmetic in each triangle's own plane; they only decide which triangles are worth the exact `f64`
//! answer. Pruning keeps a margin above the error of `f32`, so the answer is that of `f64` throughout.

use super::TriangleTree;
use super::lanes::{Lanes, WIDTH, dot};
use super::walk::Pending;
use crate::math::{Vec3, square};
use crate::mesh::triangle::Corners;

/// The point of the surface nearest to a query.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Nearest {
    /// Its position.
    pub point: Vec3,
    /// The triangle that it lies on, as an index into the triangles the tree was made of. Of several at the same
    /// distance the first.
    pub triangle: usize,
    /// Its distance from the query, not negative.
    pub distance: f64,
    /// Weights of the triangle's corners that give the point: not negative, sum one.
    pub barycentric: [f64; 3],
}

/// Largest tree-local coordinate of queries that are answered by `f32`. The mesh spans −1 to 1. Further away the
/// margin grows with the rounding of the query until it would let the whole mesh through.
const NEAR: f64 = 4.0;

/// Error of distances in `f32`, in tree-local units for a query at the origin and for each unit away from it:
/// eight roundings of 2⁻²⁴. The largest seen over random triangles is a third of that.
const MARGIN: f64 = 1.0 / (1 << 21) as f64;

/// Largest tree-local coordinate that is searched from. From there on the nearest triangle depends on the direction
/// alone, and nothing squared overflows.
const FARTHEST: f64 = 1e12;

/// Reach beyond the largest distance that is asked for, and of the bound of a search in `f32`: the rounding of its own product.
const REACH_SLACK: f64 = 1.0 + 1e-12;
const BOUND_SLACK: f64 = 1.0 + 1e-6;

impl TriangleTree {
    /// The point of the surface nearest to `point`; `None` if there are no triangles or `point` is not finite.
    ///
    /// The distance is that of the nearest triangle up to the rounding of `f64`: 10⁻¹⁴ of the larger of the mesh's
    /// diagonal and the distance itself, for slivers 10⁻⁸ of their longest edge.
    pub fn nearest(&self, point: &Vec3) -> Option<Nearest> {
        self.nearest_within(point, f64::INFINITY)
    }

    /// As [`nearest`](Self::nearest), but `None` if the surface is further away than `max_distance`. The smaller
    /// that is, the less is searched.
    pub fn nearest_within(&self, point: &Vec3, max_distance: f64) -> Option<Nearest> {
        let local = self.space.locate(point)?;
        let size = local.amax();
        let (query, reach) = if size > FARTHEST {
            (local * (FARTHEST / size), f64::INFINITY)
        } else {
            (local, max_distance * self.space.scale * REACH_SLACK)
        };
        let mut best = Best { squared: reach * reach, index: None, barycentric: [0.0; 3] };
        if size <= NEAR {
            self.search_near(&query, MARGIN * (1.0 + size), &mut best);
        } else {
            self.search_far(&query, &mut best);
        }
        let index = best.index?;
        let on_surface = combine(&self.corners[index], &best.barycentric);
        let distance = (local - on_surface).norm() / self.space.scale;
        (distance <= max_distance).then(|| Nearest {
            point: self.space.to_world(&on_surface),
            triangle: self.order[index] as usize,
            distance,
            barycentric: best.barycentric,
        })
    }

    /// The search for queries about the mesh: everything in `f32` but the last word.
    fn search_near(&self, query: &Vec3, margin: f64, best: &mut Best) {
        let point = [query.x as f32, query.y as f32, query.z as f32];
        let mut bound = best.bound(margin);
        let mut pending = Pending::<f32>::root();
        while let Some((squared, child)) = pending.pop() {
            if squared >= bound {
                continue;
            }
            let Some(leaf) = child.leaf() else {
                let node = &self.nodes[child.node()];
                pending.push(&node.squared_distances(point), &node.children, bound);
                continue;
            };
            let mut estimates = self.planes[leaf].squared_distances(point);
            // The most promising triangle first: it mostly rules out the others.
            let mut smallest = estimates.smallest();
            while smallest < bound {
                let lane = (0..WIDTH).find(|&lane| estimates[lane] == smallest).unwrap_or(0);
                estimates[lane] = f32::INFINITY;
                self.improve(best, query, self.first[leaf] as usize + lane);
                bound = best.bound(margin);
                smallest = estimates.smallest();
            }
        }
    }

    /// The search from far away: the boxes in `f64`, whose slack covers the rounding of the boxes themselves, and
    /// every triangle of the leaves that remain.
    fn search_far(&self, query: &Vec3, best: &mut Best) {
        let point = [query.x, query.y, query.z];
        let mut pending = Pending::<f64>::root();
        while let Some((squared, child)) = pending.pop() {
            if squared > best.squared {
                continue;
            }
            match child.leaf() {
                None => {
                    let node = &self.nodes[child.node()];
                    pending.push(&node.squared_distances(point), &node.children, best.squared);
                }
                Some(leaf) => self.leaf_run(leaf).for_each(|index| self.improve(best, query, index)),
            }
        }
    }

    /// Takes the triangle at `index` if it is nearer than the best so far, or as near and earlier.
    fn improve(&self, best: &mut Best, query: &Vec3, index: usize) {
        let barycentric = nearest_on_triangle(query, &self.corners[index]);
        let squared = (query - combine(&self.corners[index], &barycentric)).norm_squared();
        if squared < best.squared
            || (squared == best.squared && best.index.is_none_or(|best| self.order[index] < self.order[best]))
        {
            *best = Best { squared, index: Some(index), barycentric };
        }
    }
}

/// The best triangle so far, in tree-local units.
struct Best {
    squared: f64,
    index: Option<usize>,
    barycentric: [f64; 3],
}

impl Best {
    /// Squared distance in `f32` above which a triangle cannot be nearer.
    fn bound(&self, margin: f64) -> f32 {
        square((self.squared.sqrt() + margin) * BOUND_SLACK) as f32
    }
}

fn combine(corners: &Corners, weights: &[f64; 3]) -> Vec3 {
    corners[0] * weights[0] + corners[1] * weights[1] + corners[2] * weights[2]
}

/// Barycentric coordinates of the point of a triangle nearest to `point`; the triangle may be a segment or a point.
///
/// The projection if it lies inside, else the best of the three edges. Whether it lies inside is asked of the
/// normal and not of products of edge lengths, whose cancellation goes with the square of a sliver's thinness.
pub(super) fn nearest_on_triangle(point: &Vec3, [a, b, c]: &Corners) -> [f64; 3] {
    let (ab, ac, ap) = (b - a, c - a, point - a);
    let normal = ab.cross(&ac);
    let whole = normal.norm_squared();
    let v = normal.dot(&ap.cross(&ac));
    let w = normal.dot(&ab.cross(&ap));
    let u = whole - v - w;
    if u > 0.0 && v > 0.0 && w > 0.0 {
        return [u / whole, v / whole, w / whole];
    }
    let (t_ab, d_ab) = nearest_on_edge(&ab, &ap);
    let (t_ac, d_ac) = nearest_on_edge(&ac, &ap);
    let (t_bc, d_bc) = nearest_on_edge(&(c - b), &(point - b));
    if d_ab <= d_ac && d_ab <= d_bc {
        [1.0 - t_ab, t_ab, 0.0]
    } else if d_ac <= d_bc {
        [1.0 - t_ac, 0.0, t_ac]
    } else {
        [0.0, 1.0 - t_bc, t_bc]
    }
}

/// The fraction of an edge at which it is nearest to a point, and the squared distance there; all from its beginning.
fn nearest_on_edge(edge: &Vec3, point: &Vec3) -> (f64, f64) {
    let squared = edge.norm_squared();
    let t = if squared > 0.0 { (edge.dot(point) / squared).clamp(0.0, 1.0) } else { 0.0 };
    (t, (point - edge * t).norm_squared())
}

/// Eight triangles, each in a frame of its own: the longest edge is the x axis, the apex lies at positive y.
///
/// ```text
///   y      apex
///   |     .   .
///   |  .        .
///   0 ────────── base   x        z is the normal
/// ```
///
/// In the plane, distances to the three edges take little more than half the operations that they take in space.
/// Absent triangles are NaN, and their distance infinite.
pub(super) struct Planes {
    origin: [Lanes; 3],
    x_axis: [Lanes; 3],
    y_axis: [Lanes; 3],
    base: Lanes,
    apex: [Lanes; 2],
}

impl Planes {
    /// The frames of at most eight triangles.
    pub(super) fn of(triangles: &[Corners]) -> Planes {
        let absent = Lanes::all(f32::NAN);
        let mut planes = Planes {
            origin: [absent; 3],
            x_axis: [absent; 3],
            y_axis: [absent; 3],
            base: absent,
            apex: [absent; 2],
        };
        for (lane, &[a, b, c]) in triangles.iter().enumerate() {
            let squared_edges = [(b - a).norm_squared(), (c - b).norm_squared(), (a - c).norm_squared()];
            let longest = if squared_edges[0] >= squared_edges[1] && squared_edges[0] >= squared_edges[2] {
                [a, b, c]
            } else if squared_edges[1] >= squared_edges[2] {
                [b, c, a]
            } else {
                [c, a, b]
            };
            planes.set(lane, &longest);
        }
        planes
    }

    fn set(&mut self, lane: usize, [from, to, apex]: &Corners) {
        let x_axis = (to - from).try_normalize(0.0).unwrap_or(Vec3::x());
        let normal = (to - from).cross(&(apex - from));
        // A triangle without area takes any normal: its apex is on the x axis.
        let z_axis = normal.try_normalize(0.0).unwrap_or_else(|| {
            let aside = if x_axis.x.abs() < 0.5 { Vec3::x() } else { Vec3::y() };
            x_axis.cross(&aside).normalize()
        });
        let y_axis = z_axis.cross(&x_axis);
        for axis in 0..3 {
            self.origin[axis][lane] = from[axis] as f32;
            self.x_axis[axis][lane] = x_axis[axis] as f32;
            self.y_axis[axis][lane] = y_axis[axis] as f32;
        }
        self.base[lane] = (to - from).norm() as f32;
        self.apex[0][lane] = x_axis.dot(&(apex - from)) as f32;
        self.apex[1][lane] = y_axis.dot(&(apex - from)) as f32;
    }

    /// Squared distance from a point to each triangle, right to within the margin of the search.
    #[inline(always)]
    fn squared_distances(&self, point: [f32; 3]) -> Lanes {
        let offset = [0, 1, 2].map(|axis: usize| Lanes::all(point[axis]) - self.origin[axis]);
        let (u, v) = (&self.x_axis, &self.y_axis);
        let normal = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
        let (x, y, z) = (dot(&offset, u), dot(&offset, v), dot(&offset, &normal));
        let [apex_x, apex_y] = self.apex;
        let zero = Lanes::all(0.0);

        let beyond = x - x.max(zero).min(self.base);
        let to_base = beyond * beyond + y * y;
        let left = fraction(x * apex_x + y * apex_y, apex_x * apex_x + apex_y * apex_y);
        let (left_x, left_y) = (x - left * apex_x, y - left * apex_y);
        let to_left = left_x * left_x + left_y * left_y;
        let (from_base, edge_x) = (x - self.base, apex_x - self.base);
        let right = fraction(from_base * edge_x + y * apex_y, edge_x * edge_x + apex_y * apex_y);
        let (right_x, right_y) = (from_base - right * edge_x, y - right * apex_y);
        let to_right = right_x * right_x + right_y * right_y;

        let depth = y.min(apex_y * x - apex_x * y).min(edge_x * y - apex_y * from_base);
        let in_plane = depth.where_positive(zero, to_base.min(to_left).min(to_right));
        (z * z + in_plane).min(Lanes::all(f32::INFINITY))
    }
}

/// A point of an edge as a fraction of it; edges without length count as points.
#[inline(always)]
fn fraction(along: Lanes, squared: Lanes) -> Lanes {
    (along / squared.max(Lanes::all(f32::MIN_POSITIVE))).max(Lanes::all(0.0)).min(Lanes::all(1.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn points(size: f64) -> impl Strategy<Value = Vec3> {
        let coordinate = prop_oneof![-1.0..1.0, Just(0.0), (-1.0..1.0).prop_map(|x: f64| x * 1e-5)];
        prop::array::uniform3(coordinate).prop_map(move |[x, y, z]| Vec3::new(x, y, z) * size)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        /// Were an estimate above the truth by more than the margin, the nearest triangle could be passed over.
        #[test]
        fn estimates_stay_below_the_distance_plus_the_margin(
            corners in prop::array::uniform3(points(1.0)),
            shrink in prop_oneof![Just(1.0), Just(1e-2), Just(1e-4)],
            queries in prop::collection::vec(prop_oneof![points(1.0), points(NEAR)], 10),
        ) {
            // Small triangles all over the mesh, not only about its centre.
            let corners = corners.map(|corner| corners[0] + (corner - corners[0]) * shrink);
            let planes = Planes::of(&[corners]);
            for query in queries.into_iter().chain(corners) {
                let estimates = planes.squared_distances([query.x as f32, query.y as f32, query.z as f32]);
                let estimate = f64::from(estimates[0]).sqrt();
                let exact = (combine(&corners, &nearest_on_triangle(&query, &corners)) - query).norm();
                let margin = MARGIN * (1.0 + query.amax());
                prop_assert!(estimate <= exact + margin, "{estimate} {exact} {}", (estimate - exact) / margin);
                prop_assert_eq!(estimates[1], f32::INFINITY);
            }
        }
    }
}
