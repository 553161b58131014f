//! The polyline with the fewest bones that follows a centre line: least squares over its break points by dynamic programming
//! (Bellman 1961, "On the approximation of curves by line segments using dynamic programming").

use crate::math::Vec3;

/// Points of a line that are looked at.
const POINTS: usize = 49;
/// A polyline may be off its line by this part of the length. At 0.02 the noise of voxels adds bones, at 0.08 knees of 30° are lost.
const DEVIATION: f64 = 0.04;

/// A line, and where it bends.
#[derive(Debug, Clone, PartialEq)]
pub struct Polyline {
    /// Points at equal steps along the line.
    pub points: Vec<Vec3>,
    /// The numbers of the points at which it bends.
    pub breaks: Vec<usize>,
    /// The largest distance of a point from it, over its length.
    pub deviation: f64,
}

/// Fits a polyline of at most `most` bones to a line.
pub fn fit(line: &[Vec3], most: usize) -> Polyline {
    let points = resampled(line, POINTS);
    let length = length_of(&points).max(f64::MIN_POSITIVE);
    let costs = Costs::of(&points);
    let mut best = None;
    for bones in 1..=most {
        let breaks = costs.breaks(bones);
        let deviation = deviation(&points, &breaks) / length;
        let is_enough = deviation < DEVIATION;
        best = Some(Polyline { points: points.clone(), breaks, deviation });
        if is_enough {
            break;
        }
    }
    best.unwrap_or(Polyline { points, breaks: Vec::new(), deviation: 0.0 })
}

impl Polyline {
    /// The angle in radians by which it turns at a point between two others.
    pub fn turn(&self, before: usize, at: usize, behind: usize) -> f64 {
        let [a, b, c] = [before, at, behind].map(|point| self.points[point]);
        let angle = (b - a).angle(&(c - b));
        if angle.is_finite() { angle } else { 0.0 }
    }

    /// The part of the length before a point.
    pub fn part(&self, point: usize) -> f64 {
        point as f64 / (self.points.len() - 1).max(1) as f64
    }

    /// The point after a part of the length.
    pub fn at(&self, part: f64) -> Vec3 {
        let place = part.clamp(0.0, 1.0) * (self.points.len() - 1) as f64;
        let low = (place as usize).min(self.points.len().saturating_sub(2));
        let high = (low + 1).min(self.points.len() - 1);
        self.points[low].lerp(&self.points[high], place - low as f64)
    }
}

/// The same line in so many points at equal steps.
pub fn resampled(line: &[Vec3], count: usize) -> Vec<Vec3> {
    let mut before = vec![0.0];
    for pair in line.windows(2) {
        before.push(before[before.len() - 1] + (pair[1] - pair[0]).norm());
    }
    let whole = before[before.len() - 1];
    let at = |k: usize| {
        let wanted = whole * k as f64 / (count - 1) as f64;
        let next = before.partition_point(|&length| length < wanted).clamp(1, line.len().max(2) - 1);
        if line.len() < 2 {
            return line.first().copied().unwrap_or_default();
        }
        let step = before[next] - before[next - 1];
        let t = if step > 0.0 { (wanted - before[next - 1]) / step } else { 0.0 };
        line[next - 1].lerp(&line[next], t)
    };
    (0..count).map(at).collect()
}

/// The length of a line.
pub fn length_of(line: &[Vec3]) -> f64 {
    line.windows(2).map(|pair| (pair[1] - pair[0]).norm()).sum()
}

/// The squared distances of the points between two from the straight line there.
struct Costs {
    count: usize,
    of: Vec<f64>,
}

impl Costs {
    fn of(points: &[Vec3]) -> Costs {
        let count = points.len();
        let mut of = vec![0.0; count * count];
        for from in 0..count {
            for to in from + 1..count {
                let between = points[from..to].iter();
                of[from * count + to] =
                    between.map(|p| off(p, &points[from], &points[to])).map(|d| d * d).sum();
            }
        }
        Costs { count, of }
    }

    /// The cheapest breaks between so many bones.
    fn breaks(&self, bones: usize) -> Vec<usize> {
        let last = self.count - 1;
        // The least cost up to each point with some number of bones, and the break before it.
        let mut least: Vec<f64> = (0..self.count).map(|to| self.of[to]).collect();
        let mut chosen: Vec<Vec<usize>> = Vec::new();
        for _ in 1..bones {
            let best = (0..self.count).map(|to| {
                let through = (0..to).map(|at| (least[at] + self.of[at * self.count + to], at));
                through.min_by(|a, b| a.0.total_cmp(&b.0)).unwrap_or((0.0, 0))
            });
            let best: Vec<(f64, usize)> = best.collect();
            least = best.iter().map(|(cost, _)| *cost).collect();
            chosen.push(best.into_iter().map(|(_, at)| at).collect());
        }
        let mut at = last;
        let mut breaks: Vec<usize> = Vec::new();
        for row in chosen.iter().rev() {
            at = row[at];
            breaks.push(at);
        }
        breaks.retain(|&at| at > 0 && at < last);
        breaks.reverse();
        breaks.dedup();
        breaks
    }
}

/// The distance of a point from a segment.
fn off(point: &Vec3, from: &Vec3, to: &Vec3) -> f64 {
    let along = to - from;
    let t = ((point - from).dot(&along) / along.norm_squared().max(f64::MIN_POSITIVE)).clamp(0.0, 1.0);
    (point - from - along * t).norm()
}

fn deviation(points: &[Vec3], breaks: &[usize]) -> f64 {
    let ends: Vec<usize> = [0].into_iter().chain(breaks.iter().copied()).chain([points.len() - 1]).collect();
    let of_bone = |bone: &[usize]| {
        let between = points[bone[0]..=bone[1]].iter();
        between.map(|p| off(p, &points[bone[0]], &points[bone[1]])).fold(0.0, f64::max)
    };
    ends.windows(2).map(of_bone).fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::{Random, cos, sin};

    /// A chain of bones in a plane, each turned against the one before, in points a hundredth apart.
    fn chain(turns: &[f64], noise: f64) -> Vec<Vec3> {
        let mut random = Random::new(3);
        let (mut angle, mut at) = (0.3, Vec3::zeros());
        let mut line = vec![at];
        for bone in 0..=turns.len() {
            angle += if bone > 0 { turns[bone - 1].to_radians() } else { 0.0 };
            for _ in 0..30 {
                at += Vec3::new(cos(angle), sin(angle), 0.0) * 0.01;
                let off = [0, 1, 2].map(|_| random.between(-noise, noise));
                line.push(at + Vec3::from(off));
            }
        }
        line
    }

    #[test]
    fn bones_are_counted_and_breaks_found() {
        for turns in [vec![], vec![30.0], vec![60.0], vec![120.0], vec![40.0, -60.0], vec![90.0, -90.0, 60.0]]
        {
            for noise in [0.0, 0.004] {
                let found = fit(&chain(&turns, noise), 4);
                assert_eq!(found.breaks.len(), turns.len(), "{turns:?}: {:?}", found.breaks);
                for (k, &at) in found.breaks.iter().enumerate() {
                    let expected = (k + 1) as f64 / (turns.len() + 1) as f64;
                    assert!((found.part(at) - expected).abs() < 0.04, "{turns:?}: {:?}", found.breaks);
                }
            }
        }
    }

    #[test]
    fn lines_of_one_point_and_none_are_fitted() {
        assert!(fit(&[Vec3::x()], 4).breaks.is_empty());
        assert!(fit(&[], 4).breaks.is_empty());
    }
}
