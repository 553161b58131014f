//! Iterative closest points with a scale for each axis of the part (section 5.3 of the paper, equations 2 to 6).
//!
//! The paper takes the rotation once, "separably". With unequal scales that is not the minimum: pairs that differ by 30 degrees and scales
//! (1, 1, 2) give a rotation 11.5 degrees off. Rotation and scales in turn give both exactly. Scales are along the axes of the part, not of
//! the world, where they would shear an arm that hangs.

use super::oriented_tree::OrientedTree;
use super::pose::Affine;
use crate::math::{Mat3, Vec3};

/// A point that should come to another.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pair {
    pub from: Vec3,
    pub to: Vec3,
    pub weight: f64,
}

/// A point of the part with its normal.
#[derive(Debug, Clone, Copy)]
pub(super) struct PartSample {
    pub position: Vec3,
    pub normal: Vec3,
    pub weight: f64,
}

/// What is fitted to what.
pub(super) struct IcpInput<'a> {
    pub samples: &'a [PartSample],
    /// Tags of the part and where they belong, each of weight one.
    pub tags: &'a [(Vec3, Vec3)],
    /// Weight of all tags in weights of all samples.
    pub tag_weight: f64,
    /// The target.
    pub surface: &'a OrientedTree,
    /// The axes of the part.
    pub frame: Mat3,
    /// The height of the target.
    pub height: f64,
}

/// Rounds at most. With five, arms stop half way; more cost time and change nothing.
const ROUNDS: usize = 10;
/// Rotation and scales in turn. Ten give pairs that fit exactly to 1e-7.
const ALTERNATIONS: usize = 10;
/// Samples farther than this from the target, in heights (15 cm), have no partner. With less, parts never reach fat characters; with more,
/// legs pull at each other.
pub(super) const REACH: f64 = 0.085;
/// Largest change of a scale in a round; beyond it a bad start collapses.
const STEP: f64 = 1.25;
/// Scales of all rounds together. A part that shrinks or grows more has lost its place.
const SMALLEST: f64 = 0.4;
const LARGEST: f64 = 2.2;
/// A mean distance that falls by less, in heights, has arrived.
const ARRIVED: f64 = 6e-6;

/// The map that brings a part to the target.
pub(super) fn fit(input: &IcpInput) -> Affine {
    let mut total = Affine::IDENTITY;
    let mut last = f64::INFINITY;
    for _ in 0..ROUNDS {
        let (mut pairs, mean) = pairs(input, &total);
        if pairs.len() < 4 || last - mean < ARRIVED * input.height {
            break;
        }
        last = mean;
        let weight: f64 = pairs.iter().map(|pair| pair.weight).sum();
        let each = input.tag_weight * weight / input.tags.len().max(1) as f64;
        let tags = input.tags.iter();
        pairs.extend(tags.map(|(from, to)| Pair { from: total.apply(from), to: *to, weight: each }));
        let next = align(&pairs, &input.frame).after(&total);
        if !next.linear.iter().chain(next.offset.iter()).all(|x| x.is_finite()) {
            break;
        }
        let scales = next.linear.singular_values();
        if scales.min() < SMALLEST || scales.max() > LARGEST {
            break;
        }
        total = next;
    }
    total
}

/// The samples with their nearest points, and their mean distance.
fn pairs(input: &IcpInput, map: &Affine) -> (Vec<Pair>, f64) {
    let normals = map.linear.try_inverse().map_or(Mat3::identity(), |inverse| inverse.transpose());
    let reach = REACH * input.height;
    let (mut pairs, mut sum, mut weights) = (Vec::new(), 0.0, 0.0);
    for sample in input.samples {
        let from = map.apply(&sample.position);
        let normal = (normals * sample.normal).try_normalize(0.0).unwrap_or_else(Vec3::zeros);
        let contact = input.surface.nearest(&from, &normal, reach);
        sum += sample.weight * contact.map_or(reach, |contact| contact.distance);
        weights += sample.weight;
        pairs.extend(contact.map(|contact| Pair { from, to: contact.point, weight: sample.weight }));
    }
    (pairs, sum / f64::max(weights, f64::MIN_POSITIVE))
}

/// The weighted mean distance of samples from the target, those out of reach counted as at its end (equation 7).
pub(super) fn mean_distance(input: &IcpInput, map: &Affine) -> f64 {
    pairs(input, map).1
}

/// The map with a rotation and a scale for each axis of the frame that brings pairs together.
pub(super) fn align(pairs: &[Pair], frame: &Mat3) -> Affine {
    let total: f64 = pairs.iter().map(|pair| pair.weight).sum();
    if total.is_nan() || total <= 0.0 {
        return Affine::IDENTITY;
    }
    let center = |of: fn(&Pair) -> Vec3| {
        pairs.iter().map(|pair| pair.weight * of(pair)).fold(Vec3::zeros(), |sum, x| sum + x) / total
    };
    let (from_center, to_center) = (center(|pair| pair.from), center(|pair| pair.to));
    let turned = frame.transpose();
    let local: Vec<(Vec3, Vec3, f64)> = pairs
        .iter()
        .map(|pair| (turned * (pair.from - from_center), turned * (pair.to - to_center), pair.weight))
        .collect();
    let mut scales = Vec3::repeat(1.0);
    let mut rotation = Mat3::identity();
    for _ in 0..ALTERNATIONS {
        rotation = best_rotation(&local, &scales).unwrap_or(rotation);
        scales = best_scales(&local, &rotation);
    }
    let scales = scales.map(|scale| scale.clamp(1.0 / STEP, STEP));
    let linear = frame * Mat3::from_diagonal(&scales) * rotation * turned;
    Affine::taking(&from_center, &to_center, linear)
}

/// Equations 2 and 3, without reflections.
fn best_rotation(pairs: &[(Vec3, Vec3, f64)], scales: &Vec3) -> Option<Mat3> {
    let covariance = pairs.iter().fold(Mat3::zeros(), |sum, (from, to, weight)| {
        sum + *weight * to.component_div(scales) * from.transpose()
    });
    if !covariance.iter().all(|x| x.is_finite()) {
        return None;
    }
    let svd = covariance.svd(true, true);
    let (u, v_t) = (svd.u?, svd.v_t?);
    let flip = Mat3::from_diagonal(&Vec3::new(1.0, 1.0, (u * v_t).determinant().signum()));
    Some(u * flip * v_t)
}

/// Equations 4 to 6. A flat part keeps its thickness.
fn best_scales(pairs: &[(Vec3, Vec3, f64)], rotation: &Mat3) -> Vec3 {
    let (mut upper, mut lower, mut size) = (Vec3::zeros(), Vec3::zeros(), 0.0);
    for (from, to, weight) in pairs {
        let turned = rotation * from;
        upper += *weight * to.component_mul(&turned);
        lower += *weight * turned.component_mul(&turned);
        size += weight * turned.norm_squared();
    }
    /// Share of the spread along an axis below which a part is flat: rounding decides its scale.
    const FLAT: f64 = 1e-9;
    let scale = |axis: usize| if lower[axis] > FLAT * size { upper[axis] / lower[axis] } else { 1.0 };
    let positive = |scale: f64| if scale > 0.0 { scale } else { 1.0 };
    Vec3::new(scale(0), scale(1), scale(2)).map(positive)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::{Quat, Random};

    fn cloud(size: Vec3) -> Vec<Vec3> {
        let mut random = Random::new(5);
        (0..200).map(|_| Vec3::from_fn(|axis, _| size[axis] * random.between(-0.5, 0.5))).collect()
    }

    fn pairs(points: &[Vec3], map: impl Fn(&Vec3) -> Vec3) -> Vec<Pair> {
        points.iter().map(|from| Pair { from: *from, to: map(from), weight: 1.0 }).collect()
    }

    #[test]
    fn rotation_and_scales_in_turn_are_exact() {
        let points = cloud(Vec3::new(1.0, 2.0, 3.0));
        let turn = Quat::from_axis_angle(&Vec3::y_axis(), 10f64.to_radians());
        let linear = Mat3::from_diagonal(&Vec3::new(1.2, 1.0, 1.2)) * turn.to_rotation_matrix();
        let moved = pairs(&points, |point| linear * point + Vec3::new(0.3, 0.2, 0.1));
        let found = align(&moved, &Mat3::identity());
        assert!((found.linear - linear).norm() < 1e-5, "{}", found.linear - linear);
        assert!((found.offset - Vec3::new(0.3, 0.2, 0.1)).norm() < 1e-5);
    }

    #[test]
    fn equal_scales_are_exact_in_any_frame() {
        let points = cloud(Vec3::new(1.0, 1.0, 1.0));
        let turn = Quat::from_euler_angles(0.3, -0.4, 0.2).to_rotation_matrix();
        let moved = pairs(&points, |point| turn * point * 1.1);
        let frame = Quat::from_euler_angles(1.0, 0.5, -0.7).to_rotation_matrix().into_inner();
        let found = align(&moved, &frame);
        assert!((found.linear - turn.matrix() * 1.1).norm() < 1e-9);
    }

    #[test]
    fn a_mirrored_cloud_gives_no_reflection() {
        let points = cloud(Vec3::new(1.0, 1.5, 2.0));
        let found = align(&pairs(&points, |p| Vec3::new(-p.x, p.y, p.z)), &Mat3::identity());
        assert!(found.linear.determinant() > 0.0);
    }
}
