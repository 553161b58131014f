//! Which bones a piece lies around.
//!
//! A piece that lies around a bone is moved by it: a forearm, a sleeve, a boot. Distances do not tell as much: the cheek of a broad head
//! is nearer to the shoulder than to any other bone.

use super::pieces::Piece;
use super::segments::{BodySegment, Segments};
use crate::math::{Vec3, sin_cos};
use crate::skin::bones::Bone;
use std::f64::consts::TAU;

/// Directions across a bone in which a piece around it is looked for.
const DIRECTIONS: usize = 8;
/// Points of a bone from which it is looked for: a third of it is three of them.
const POINTS: usize = 9;

/// How a piece lies around the segments of a skeleton.
#[derive(Debug, Clone, PartialEq)]
pub struct Enclosure {
    /// For each segment the largest share of the length of one of its bones around which the piece lies, 0 to 1.
    pub shares: Vec<f64>,
    /// The segment with the greatest length inside the piece, and the joint of its bone that is longest there; `None` if the piece lies
    /// around no bone.
    pub main: Option<(usize, usize)>,
}

impl Enclosure {
    /// Looks for a piece around the bones of all segments.
    pub fn of(piece: &Piece, segments: &Segments) -> Enclosure {
        let mut enclosure = Enclosure { shares: Vec::with_capacity(segments.list.len()), main: None };
        let mut greatest = 0.0;
        for (index, segment) in segments.list.iter().enumerate() {
            let inside = InsideLength::of(piece, segment);
            enclosure.shares.push(inside.share);
            if inside.length > greatest {
                greatest = inside.length;
                enclosure.main = Some((index, inside.joint));
            }
        }
        enclosure
    }
}

/// How much of a segment is inside a piece.
struct InsideLength {
    /// The largest share of a bone.
    share: f64,
    /// The length of all bones together.
    length: f64,
    /// The joint of the bone that is longest inside.
    joint: usize,
}

impl InsideLength {
    fn of(piece: &Piece, segment: &BodySegment) -> InsideLength {
        let mut inside = InsideLength { share: 0.0, length: 0.0, joint: segment.joint };
        let mut longest = 0.0;
        for bone in &segment.bones {
            let share = enclosed_share(piece, bone);
            let length = share * (bone.to - bone.from).norm();
            inside.share = inside.share.max(share);
            inside.length += length;
            if length > longest {
                (longest, inside.joint) = (length, bone.owner);
            }
        }
        inside
    }
}

/// The share of a bone's length around which a piece lies.
fn enclosed_share(piece: &Piece, bone: &Bone) -> f64 {
    let Some(along) = (bone.to - bone.from).try_normalize(0.0) else { return 0.0 };
    let u = along.cross(&Vec3::ith(along.iamin(), 1.0)).normalize();
    let v = along.cross(&u);
    let points = (0..POINTS).map(|point| bone.from.lerp(&bone.to, (point as f64 + 0.5) / POINTS as f64));
    points.filter(|point| surrounds(piece, point, &u, &v)).count() as f64 / POINTS as f64
}

/// Whether a piece lies in most directions of the plane of `u` and `v` around a point.
fn surrounds(piece: &Piece, point: &Vec3, u: &Vec3, v: &Vec3) -> bool {
    let (min, max) = (&piece.bounds.min, &piece.bounds.max);
    if (0..3).any(|axis| point[axis] < min[axis] || point[axis] > max[axis]) {
        return false;
    }
    let hits = (0..DIRECTIONS).filter(|&direction| {
        let (sin, cos) = sin_cos(TAU * direction as f64 / DIRECTIONS as f64);
        piece.tree.ray(point, &(u * cos + v * sin), 0.0..=f64::INFINITY).is_some()
    });
    2 * hits.count() > DIRECTIONS
}

#[cfg(test)]
mod tests {
    use super::super::pieces::pieces;
    use super::*;
    use crate::mesh::prepare::{PrepareOptions, prepare};
    use crate::mesh::shapes;

    #[test]
    fn a_ball_lies_around_the_part_of_a_bone_that_is_inside() {
        let mesh = prepare(&shapes::uv_sphere(8, 12), &PrepareOptions::default(), &mut Vec::new()).unwrap();
        let ball = &pieces(&mesh)[0];
        let share = |x: f64, low: f64, high: f64| {
            let bone = Bone { owner: 0, from: Vec3::new(x, low, 0.5), to: Vec3::new(x, high, 0.5) };
            enclosed_share(ball, &bone)
        };
        assert_eq!([share(0.5, 0.2, 0.8), share(0.6, 0.2, 0.8)], [1.0, 1.0]);
        assert_eq!(share(1.2, 0.2, 0.8), 0.0, "beside it");
        assert!((0.4..0.6).contains(&share(0.5, 0.6, 1.4)), "half of it sticks out");
    }
}
