//! Directions of limbs against those of the source.

use crate::math::{Quat, Vec3, atan2};
use crate::motion::Pose;

/// Shorter bones have no direction.
const SHORTEST: f64 = 1e-12;

/// A bone of both: its ends on the character, its ends on the source.
pub(super) type Bone = [[usize; 2]; 2];

/// Degrees between bones of the character and of the source, on average, after the turn about the vertical by which those of
/// the copy fit best.
pub(super) fn direction(bones: &[Bone], theirs: &[Pose], poses: &[Pose], copy: &[Pose]) -> f64 {
    let yaw = yaw(bones, theirs, copy);
    let (mut sum, mut count) = (0.0, 0_usize);
    for [theirs, ours] in pairs(bones, theirs, poses) {
        sum += (yaw * theirs).angle(&ours).to_degrees();
        count += 1;
    }
    if count > 0 { sum / count as f64 } else { 0.0 }
}

fn yaw(bones: &[Bone], theirs: &[Pose], copy: &[Pose]) -> Quat {
    let (mut sine, mut cosine) = (0.0, 0.0);
    for [a, b] in pairs(bones, theirs, copy) {
        sine += a.z * b.x - a.x * b.z;
        cosine += a.x * b.x + a.z * b.z;
    }
    Quat::from_axis_angle(&Vec3::y_axis(), atan2(sine, cosine))
}

/// Directions of the bones of the source and of the character, frame by frame.
fn pairs(bones: &[Bone], theirs: &[Pose], ours: &[Pose]) -> impl Iterator<Item = [Vec3; 2]> {
    let frames = theirs.iter().zip(ours);
    frames.flat_map(move |(theirs, ours)| {
        bones.iter().filter_map(move |[at, from]| Some([along(theirs, *from)?, along(ours, *at)?]))
    })
}

fn along(pose: &Pose, [from, to]: [usize; 2]) -> Option<Vec3> {
    (pose.positions[to] - pose.positions[from]).try_normalize(SHORTEST)
}
