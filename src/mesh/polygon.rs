//! Polygons to triangles.
//!
//! A strictly convex polygon becomes a fan. All others are cut by ear clipping (Meisters 1975, "Polygons have
//! ears"; the bookkeeping of O'Rourke 1998, "Computational Geometry in C", section 1.6: only the two
//! neighbours of a clipped corner change, so the whole takes quadratic time). The plane is that of Newell's
//! normal, which is defined for corners that are not quite planar too.

use crate::math::Vec3;

/// Larger polygons that are not convex become a fan, because ear clipping takes quadratic time: at this size
/// a corner costs up to 3 microseconds. Lower, and concave outlines with hundreds of corners (plates,
/// lettering) would be filled wrongly; ten times higher, and a hostile file of a few megabytes, which takes
/// seconds now, would take minutes.
const MOST_CLIPPED_CORNERS: usize = 512;

/// Cuts polygons into triangles; keeps its working memory from one to the next.
#[derive(Debug, Default)]
pub struct Triangulator {
    flat: Vec<[f64; 2]>,
    next: Vec<usize>,
    previous: Vec<usize>,
    convex: Vec<bool>,
    ear: Vec<bool>,
    blockers: Vec<usize>,
}

impl Triangulator {
    /// Appends to `triangles` the `corners.len() - 2` triangles of a polygon, turning the same way as it.
    /// Fewer than three corners give none. Repeated, collinear and crossing corners are allowed: they give
    /// as many triangles, of which some have no area or overlap.
    ///
    /// # Panics
    /// If a corner is not an index into `positions`.
    pub fn triangulate(&mut self, corners: &[u32], positions: &[Vec3], triangles: &mut Vec<[u32; 3]>) {
        match corners.len() {
            0..3 => {}
            3 => triangles.push([corners[0], corners[1], corners[2]]),
            count => {
                self.flatten(corners, positions);
                if count > MOST_CLIPPED_CORNERS || self.is_strictly_convex() {
                    triangles.extend((1..count - 1).map(|i| [corners[0], corners[i], corners[i + 1]]));
                } else {
                    self.clip_ears(|tip| triangles.push(tip.map(|corner| corners[corner])));
                }
            }
        }
    }

    /// Projects the corners along the axis that is nearest to Newell's normal, so that the polygon turns
    /// left. Which corners are convex or inside of what does not depend on the scale of either axis.
    fn flatten(&mut self, corners: &[u32], positions: &[Vec3]) {
        let origin = positions[corners[0] as usize];
        let points = corners.iter().map(|&corner| positions[corner as usize] - origin);
        let mut normal = Vec3::zeros();
        for (point, next) in points.clone().zip(points.clone().skip(1)).skip(1) {
            normal += point.cross(&next);
        }
        let axis = normal.iamax();
        let (mut right, mut up) = ((axis + 1) % 3, (axis + 2) % 3);
        if normal[axis] < 0.0 {
            std::mem::swap(&mut right, &mut up);
        }
        self.flat.clear();
        self.flat.extend(points.map(|point| [point[right], point[up]]));
    }

    /// True if every corner turns left and the outline goes round once.
    fn is_strictly_convex(&self) -> bool {
        let count = self.flat.len();
        let mut sign_changes = 0;
        for i in 0..count {
            let [a, b, c] = [i, (i + 1) % count, (i + 2) % count].map(|i| self.flat[i]);
            let turns_left = orient2d(a, b, c) > 0.0;
            if !turns_left {
                return false;
            }
            sign_changes += usize::from((b[0] - a[0] < 0.0) != (c[0] - b[0] < 0.0));
        }
        // A pentagram turns left at every corner too, but goes back and forth twice.
        sign_changes <= 2
    }

    fn clip_ears(&mut self, mut emit: impl FnMut([usize; 3])) {
        let count = self.flat.len();
        self.next.clear();
        self.next.extend((1..count).chain([0]));
        self.previous.clear();
        self.previous.extend([count - 1].into_iter().chain(0..count - 1));
        self.convex.clear();
        self.convex.extend((0..count).map(|i| {
            orient2d(self.flat[(i + count - 1) % count], self.flat[i], self.flat[(i + 1) % count]) > 0.0
        }));
        // Only corners that are not convex can lie in an ear; they become convex but never the reverse.
        self.blockers.clear();
        self.blockers.extend((0..count).filter(|&i| !self.convex[i]));
        self.ear.clear();
        self.ear.resize(count, false);
        for corner in 0..count {
            self.ear[corner] = self.is_ear(corner);
        }

        let mut left = count;
        let mut corner = 0;
        let mut tried = 0;
        while left > 3 && tried < left {
            if !self.ear[corner] {
                corner = self.next[corner];
                tried += 1;
                continue;
            }
            let (before, after) = (self.previous[corner], self.next[corner]);
            emit([before, corner, after]);
            self.next[before] = after;
            self.previous[after] = before;
            left -= 1;
            tried = 0;
            for neighbour in [before, after] {
                self.convex[neighbour] = self.convex[neighbour] || self.turns_left(neighbour);
            }
            self.blockers.retain(|&i| !self.convex[i]);
            for neighbour in [before, after] {
                self.ear[neighbour] = self.is_ear(neighbour);
            }
            corner = after;
        }
        // What crosses itself or has no area runs out of ears; the rest is as good as any fan.
        let mut at = self.next[corner];
        for _ in 2..left {
            emit([corner, at, self.next[at]]);
            at = self.next[at];
        }
    }

    fn turns_left(&self, corner: usize) -> bool {
        orient2d(self.flat[self.previous[corner]], self.flat[corner], self.flat[self.next[corner]]) > 0.0
    }

    /// True if the corner is convex and no other corner lies in its triangle or on its border: a corner on
    /// the border would leave a triangle without area. Corners at the same position as one of the triangle's do
    /// not count, because outlines with holes touch themselves.
    fn is_ear(&self, corner: usize) -> bool {
        if !self.convex[corner] {
            return false;
        }
        let [a, b, c] = [self.previous[corner], corner, self.next[corner]].map(|i| self.flat[i]);
        !self.blockers.iter().map(|&i| self.flat[i]).any(|p| {
            p != a
                && p != b
                && p != c
                && orient2d(a, b, p) >= 0.0
                && orient2d(b, c, p) >= 0.0
                && orient2d(c, a, p) >= 0.0
        })
    }
}

/// Twice the signed area of a triangle: positive if it turns left.
fn orient2d(a: [f64; 2], b: [f64; 2], c: [f64; 2]) -> f64 {
    (b[0] - a[0]) * (c[1] - b[1]) - (b[1] - a[1]) * (c[0] - b[0])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Random;
    use std::f64::consts::TAU;

    /// Triangles of a polygon in the plane z = x, so that no axis is the plane's normal.
    fn cut(outline: &[[f64; 2]]) -> (Vec<[u32; 3]>, Vec<f64>) {
        let positions: Vec<Vec3> = outline.iter().map(|p| Vec3::new(p[0], p[1], p[0])).collect();
        let corners: Vec<u32> = (0..outline.len() as u32).collect();
        let mut triangles = vec![];
        Triangulator::default().triangulate(&corners, &positions, &mut triangles);
        let areas = triangles
            .iter()
            .map(|t| {
                let [a, b, c] = t.map(|i| outline[i as usize]);
                0.5 * orient2d(a, b, c)
            })
            .collect();
        (triangles, areas)
    }

    /// Every triangle has the sign of the outline and together they have its area: nothing overlaps.
    fn assert_exact(outline: &[[f64; 2]], area: f64) {
        for outline in [outline.to_vec(), outline.iter().rev().copied().collect()] {
            for start in 0..outline.len() {
                let mut rotated = outline.clone();
                rotated.rotate_left(start);
                let (triangles, areas) = cut(&rotated);
                assert_eq!(triangles.len(), outline.len() - 2);
                assert!(
                    areas.iter().all(|a| a.abs() > 1e-12 && a.signum() == areas[0].signum()),
                    "{areas:?}"
                );
                assert!((areas.iter().sum::<f64>().abs() - area).abs() < 1e-9 * area, "{areas:?}");
            }
        }
    }

    /// An outline from x and y of one corner after the other.
    fn outline(numbers: &[u8]) -> Vec<[f64; 2]> {
        numbers.as_chunks::<2>().0.iter().map(|corner| corner.map(f64::from)).collect()
    }

    /// `count` corners around the unit circle, `step` of them apart.
    fn circle(count: usize, step: usize) -> Vec<[f64; 2]> {
        let angle = |corner: usize| TAU * (step * corner) as f64 / count as f64;
        (0..count).map(|corner| [angle(corner).cos(), angle(corner).sin()]).collect()
    }

    #[test]
    fn a_convex_polygon_is_a_fan() {
        let (triangles, _) = cut(&[[0., 0.], [1., 0.], [1., 1.], [0., 1.]]);
        assert_eq!(triangles, [[0, 1, 2], [0, 2, 3]]);
        assert_eq!(cut(&circle(6, 1)).0, [[0, 1, 2], [0, 2, 3], [0, 3, 4], [0, 4, 5]]);
    }

    #[test]
    fn concave_polygons_are_filled_exactly() {
        assert_exact(&[[0., 0.], [4., 0.], [1., 1.], [0., 4.]], 4.0);
        let comb = outline(&[0, 0, 5, 0, 5, 3, 4, 3, 4, 1, 3, 1, 3, 3, 2, 3, 2, 1, 1, 1, 1, 3, 0, 3]);
        assert_exact(&comb, 5.0 + 3.0 * 2.0);
        let mut star = circle(10, 1);
        star.iter_mut().skip(1).step_by(2).for_each(|corner| *corner = corner.map(|x| 0.3 * x));
        assert_exact(&star, 5.0 * 0.3 * (TAU / 10.).sin());
    }

    #[test]
    fn corners_on_a_straight_edge_give_no_empty_triangle() {
        assert_exact(&[[0., 0.], [1., 0.], [2., 0.], [2., 2.], [0., 2.]], 4.0);
        assert_exact(&[[0., 0.], [1., 0.], [2., 0.], [1., 1.], [0., 2.], [0., 1.]], 2.0);
        assert_exact(&[[0., 0.], [1., 0.], [2., 0.], [3., 0.], [0., 1.]], 1.5);
    }

    #[test]
    fn a_hole_joined_by_a_doubled_edge_stays_open() {
        let ring = outline(&[0, 0, 4, 0, 4, 4, 0, 4, 0, 0, 1, 1, 1, 3, 3, 3, 3, 1, 1, 1]);
        let (triangles, areas) = cut(&ring);
        assert_eq!(triangles.len(), 8);
        assert!((areas.iter().map(|a| a.abs()).sum::<f64>() - 12.0).abs() < 1e-9, "{areas:?}");
    }

    #[test]
    fn every_polygon_gives_its_number_of_triangles() {
        let line: Vec<[f64; 2]> = (0..7).map(|i| [i as f64, 0.]).collect();
        let huge = vec![[1e300, 0.], [-1e300, 1e300], [0., -1e300], [1., 1.]];
        for outline in [circle(5, 2), line, vec![[0., 0.]; 6], outline(&[0, 0, 1, 1, 1, 0, 0, 1]), huge] {
            assert_eq!(cut(&outline).0.len(), outline.len() - 2, "{outline:?}");
        }
        assert!(cut(&[[0., 0.], [1., 0.]]).0.is_empty());
    }

    #[test]
    fn a_polygon_with_a_million_corners_takes_linear_time() {
        let zigzag: Vec<[f64; 2]> = (0..1_000_000).map(|i| [f64::from(i), f64::from(i % 2)]).collect();
        assert_eq!(cut(&zigzag).0.len(), 999_998);
    }

    /// A random outline that does not cross itself: the outline between edges that cross is reversed until none do.
    fn random_outline(count: usize, random: &mut Random) -> Vec<[f64; 2]> {
        let mut outline: Vec<[f64; 2]> = (0..count).map(|_| [random.unit(), random.unit()]).collect();
        let crosses = |a, b, c, d| {
            orient2d(a, b, c) * orient2d(a, b, d) < 0.0 && orient2d(c, d, a) * orient2d(c, d, b) < 0.0
        };
        loop {
            let crossing = (0..count)
                .flat_map(|i| (i + 2..count).map(move |j| (i, j)))
                .find(|&(i, j)| crosses(outline[i], outline[i + 1], outline[j], outline[(j + 1) % count]));
            match crossing {
                Some((i, j)) => outline[i + 1..=j].reverse(),
                None => return outline,
            }
        }
    }

    #[test]
    fn random_outlines_are_filled_exactly() {
        let mut random = Random::new(1);
        for round in 0..300 {
            let outline = random_outline(4 + round % 60, &mut random);
            let area: f64 = (0..outline.len())
                .map(|i| (outline[i], outline[(i + 1) % outline.len()]))
                .map(|(a, b)| 0.5 * (a[0] * b[1] - a[1] * b[0]))
                .sum();
            let (triangles, areas) = cut(&outline);
            assert_eq!(triangles.len(), outline.len() - 2);
            assert!(areas.iter().all(|a| a * area > 0.0), "round {round}: {areas:?}");
            assert!((areas.iter().sum::<f64>() - area).abs() < 1e-12, "round {round}");
        }
    }
}
