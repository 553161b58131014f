use super::Sphere;
use crate::math::Vec3;

/// The medial samples arranged for finding the one nearest to a point: a balanced k-d tree without pointers. The
/// middle of a run of samples splits it along the widest axis of the run; the halves before and after it follow suit.
pub(super) struct PointTree {
    points: Vec<Vec3>,
    /// The axis along which the point of the same index splits its run.
    axes: Vec<u8>,
}

/// Runs of up to this many points are searched one by one.
const SMALL: usize = 8;

impl PointTree {
    pub(super) fn new(samples: &[Sphere]) -> PointTree {
        let mut points: Vec<Vec3> = samples.iter().map(|sample| sample.center).collect();
        let mut axes = vec![0; points.len()];
        arrange(&mut points, &mut axes);
        PointTree { points, axes }
    }

    /// The point nearest to `query` and its squared distance, if that is below `squared_reach`.
    pub(super) fn nearest(&self, query: &Vec3, squared_reach: f64) -> Option<(Vec3, f64)> {
        let mut best = (None, squared_reach);
        self.search(0, self.points.len(), query, &mut best);
        best.0.map(|index: usize| (self.points[index], best.1))
    }

    fn search(&self, start: usize, end: usize, query: &Vec3, best: &mut (Option<usize>, f64)) {
        if end - start <= SMALL {
            (start..end).for_each(|index| self.take(index, query, best));
            return;
        }
        let middle = (start + end) / 2;
        let axis = self.axes[middle] as usize;
        let beyond = query[axis] - self.points[middle][axis];
        let halves = [(start, middle), (middle + 1, end)];
        let (near, far) = if beyond < 0.0 { (halves[0], halves[1]) } else { (halves[1], halves[0]) };
        self.search(near.0, near.1, query, best);
        if beyond * beyond < best.1 {
            self.take(middle, query, best);
            self.search(far.0, far.1, query, best);
        }
    }

    /// Keeps a point if it is nearer than the best one.
    fn take(&self, index: usize, query: &Vec3, best: &mut (Option<usize>, f64)) {
        let squared = (self.points[index] - query).norm_squared();
        if squared < best.1 {
            *best = (Some(index), squared);
        }
    }
}

fn arrange(points: &mut [Vec3], axes: &mut [u8]) {
    if points.len() <= SMALL {
        return;
    }
    let axis = crate::math::Bounds::of(&*points).extent().imax();
    let middle = points.len() / 2;
    points.select_nth_unstable_by(middle, |a, b| a[axis].total_cmp(&b[axis]));
    axes[middle] = axis as u8;
    let (low_points, high_points) = points.split_at_mut(middle);
    let (low_axes, high_axes) = axes.split_at_mut(middle);
    arrange(low_points, low_axes);
    arrange(&mut high_points[1..], &mut high_axes[1..]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_what_a_look_at_all_points_finds() {
        let mut state = 1u64;
        let mut random = || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 40) as f64 / (1u64 << 24) as f64
        };
        let mut point = || Vec3::new(random(), random(), random() * 0.1);
        let samples: Vec<Sphere> = (0..500).map(|_| Sphere { center: point(), radius: 0.1 }).collect();
        let tree = PointTree::new(&samples);
        for query in (0..300).map(|_| point() * 1.5 - Vec3::repeat(0.2)) {
            let distances = samples.iter().map(|sample| (sample.center - query).norm_squared());
            let nearest = distances.fold(f64::INFINITY, f64::min);
            assert_eq!(tree.nearest(&query, f64::INFINITY).unwrap().1, nearest);
            assert_eq!(tree.nearest(&query, nearest), None);
        }
        assert_eq!(PointTree::new(&[]).nearest(&Vec3::zeros(), 1.0), None);
    }
}
