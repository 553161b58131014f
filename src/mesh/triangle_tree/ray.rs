//! Rays: the first triangle hit, and whether anything stands between two points.
//!
//! Boxes are tested in `f32`, eight at a time, by slabs (Kay & Kajiya 1986, "Ray Tracing Complex Scenes"), and
//! triangles in `f64` by Woop, Benthin & Wald 2013, "Watertight Ray/Triangle Intersection": no ray slips through
//! between two triangles that share an edge or a corner.

use super::TriangleTree;
use super::build::Node;
use super::lanes::{Lanes, smaller};
use super::walk::Pending;
use crate::math::Vec3;
use crate::mesh::triangle::Corners;
use std::ops::RangeInclusive;

/// Where a ray meets a triangle.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Hit {
    /// The triangle, as an index into the triangles the tree was made of. Of several at the same distance the first.
    pub triangle: usize,
    /// The hit is at `origin + t · direction`.
    pub t: f64,
    /// Weights of the triangle's corners that give the point: not negative, sum one.
    pub barycentric: [f64; 3],
}

/// Least component of a unit direction in `f32`; smaller ones, zero above all, would make infinite slopes and of
/// them NaN.
const LEAST_SLOPE: f32 = 1e-18;

/// Slack of distances along the ray in `f32`, in tree-local units; see `BOX_SLACK` for the rest.
const SLACK: f32 = 4e-6;

/// Which of the hits of a ray.
#[derive(Clone, Copy, PartialEq)]
enum Wanted {
    First,
    Any,
}

impl TriangleTree {
    /// The first hit of the ray `origin + t · direction` with `t` in `range`, from either side of a triangle.
    ///
    /// Rays hit edges and corners but not triangles seen exactly edge-on, nor those without area. `direction` need
    /// not have unit length; `None` if it is zero or anything is not finite.
    pub fn ray(&self, origin: &Vec3, direction: &Vec3, range: RangeInclusive<f64>) -> Option<Hit> {
        self.cast(origin, direction, range, Wanted::First)
    }

    /// Whether a triangle stands between two points, in the given range of the segment: `0.0..=1.0` is the whole
    /// of it with both ends, `1e-6..=1.0` leaves out the surface on which `from` lies.
    pub fn is_blocked(&self, from: &Vec3, to: &Vec3, range: RangeInclusive<f64>) -> bool {
        self.cast(from, &(to - from), range, Wanted::Any).is_some()
    }

    fn cast(
        &self,
        origin: &Vec3,
        direction: &Vec3,
        range: RangeInclusive<f64>,
        wanted: Wanted,
    ) -> Option<Hit> {
        // A unit direction, without overflow for the longest and without loss for the shortest.
        let largest = direction.amax();
        if largest == 0.0 || !direction.iter().all(|x| x.is_finite()) {
            return None;
        }
        let unit = (direction / largest).normalize();
        let local_per_t = (direction / largest).norm() * largest * self.space.scale;
        let origin = self.space.locate(origin)?;

        // The walk starts where the ray enters the box of the mesh, so that f32 suffices however far it comes from.
        let (enter, leave) = clip_to_mesh(&origin, &unit)?;
        let (start, end) = (range.start() * local_per_t, range.end() * local_per_t);
        let begin = enter.max(start);
        if begin > leave.min(end) {
            return None;
        }
        let origin = origin + unit * begin;
        let range = start - begin..=end - begin;

        let (ray, shear) = (Slopes::of(&origin, &unit), Shear::of(&unit));
        let mut farthest = smaller(*range.end(), leave - begin) as f32 + SLACK;
        let mut first: Option<(f64, u32, [f64; 3])> = None;
        let mut pending = Pending::<f32>::root();
        while let Some((near, child)) = pending.pop() {
            if near > farthest {
                continue;
            }
            let Some(leaf) = child.leaf() else {
                let node = &self.nodes[child.node()];
                pending.push(&node.entries(&ray, farthest), &node.children, f32::INFINITY);
                continue;
            };
            for index in self.leaf_run(leaf) {
                let Some((t, barycentric)) = shear.hit(&origin, &self.corners[index]) else { continue };
                let triangle = self.order[index];
                let is_first = first.is_none_or(|best| t < best.0 || (t == best.0 && triangle < best.1));
                if range.contains(&t) && is_first {
                    first = Some((t, triangle, barycentric));
                    farthest = smaller(farthest, t as f32 + SLACK);
                }
            }
            if wanted == Wanted::Any && first.is_some() {
                break;
            }
        }
        first.map(|(t, triangle, barycentric)| Hit {
            triangle: triangle as usize,
            t: (begin + t) / local_per_t,
            barycentric,
        })
    }
}

/// Where a ray enters and leaves the box of the mesh, which reaches from −1 to 1 and here a little further;
/// negative behind the origin.
fn clip_to_mesh(origin: &Vec3, unit: &Vec3) -> Option<(f64, f64)> {
    const SIDE: f64 = 1.0 + 1e-5;
    let (mut enter, mut leave) = (f64::NEG_INFINITY, f64::INFINITY);
    for axis in 0..3 {
        if unit[axis] == 0.0 {
            if origin[axis].abs() > SIDE {
                return None;
            }
            continue;
        }
        let [one, other] = [-SIDE, SIDE].map(|side| (side - origin[axis]) / unit[axis]);
        enter = enter.max(one.min(other));
        leave = leave.min(one.max(other));
    }
    (enter <= leave).then_some((enter, leave))
}

/// A ray prepared for boxes.
struct Slopes {
    origin: [f32; 3],
    inverse: [f32; 3],
}

impl Slopes {
    fn of(origin: &Vec3, unit: &Vec3) -> Slopes {
        let slope = [unit.x as f32, unit.y as f32, unit.z as f32];
        Slopes {
            origin: [origin.x as f32, origin.y as f32, origin.z as f32],
            inverse: slope.map(|x| 1.0 / if x.abs() < LEAST_SLOPE { LEAST_SLOPE } else { x }),
        }
    }
}

impl Node {
    /// Where the ray enters each child's box, not before its origin; infinite if it misses it or enters
    /// beyond `farthest`.
    #[inline(always)]
    fn entries(&self, ray: &Slopes, farthest: f32) -> Lanes {
        let mut enter = Lanes::all(0.0);
        let mut leave = Lanes::all(farthest);
        for axis in 0..3 {
            let forward = ray.inverse[axis] > 0.0;
            let (front, back) = if forward { (&self.min, &self.max) } else { (&self.max, &self.min) };
            let (origin, inverse) = (Lanes::all(ray.origin[axis]), Lanes::all(ray.inverse[axis]));
            enter = enter.max((front[axis] - origin) * inverse);
            leave = leave.min((back[axis] - origin) * inverse);
        }
        let misses = enter - (leave + Lanes::all(SLACK));
        misses.where_positive(Lanes::all(f32::INFINITY), enter)
    }
}

/// A unit direction prepared for triangles: space is sheared so that the ray runs along its steepest axis, which is then
/// dropped. What remains is whether a triangle of the plane contains the origin.
pub(super) struct Shear {
    /// The two axes of the plane, and the steepest one.
    axes: [usize; 3],
    slopes: [f64; 2],
    inverse: f64,
}

impl Shear {
    pub(super) fn of(unit: &Vec3) -> Shear {
        let steepest = unit.iamax();
        let axes = [(steepest + 1) % 3, (steepest + 2) % 3, steepest];
        let inverse = 1.0 / unit[steepest];
        Shear { axes, slopes: [unit[axes[0]] * inverse, unit[axes[1]] * inverse], inverse }
    }

    /// The position in the plane, and the distance along the ray.
    fn project(&self, from_origin: Vec3) -> [f64; 3] {
        let along = from_origin[self.axes[2]];
        let [x, y] = [0, 1].map(|axis: usize| from_origin[self.axes[axis]] - self.slopes[axis] * along);
        [x, y, along * self.inverse]
    }

    /// Distance along the ray from `origin` and barycentric coordinates of a hit.
    ///
    /// A shared corner falls on the same position for all its triangles, and the comparison of two rounded products is
    /// never the wrong way round, at worst a tie; ties hit on both sides.
    pub(super) fn hit(&self, origin: &Vec3, corners: &Corners) -> Option<(f64, [f64; 3])> {
        let [a, b, c] = corners.map(|corner| self.project(corner - origin));
        let u = c[0] * b[1] - c[1] * b[0];
        let v = a[0] * c[1] - a[1] * c[0];
        let w = b[0] * a[1] - b[1] * a[0];
        let all_left = u >= 0.0 && v >= 0.0 && w >= 0.0;
        let all_right = u <= 0.0 && v <= 0.0 && w <= 0.0;
        let whole = u + v + w;
        if !(all_left || all_right) || whole == 0.0 {
            return None;
        }
        let barycentric = [u / whole, v / whole, w / whole];
        Some((a[2] * barycentric[0] + b[2] * barycentric[1] + c[2] * barycentric[2], barycentric))
    }
}
