//! From a hip and an ankle to the rotations of the two bones between them, in closed form.

use nalgebra::Rotation3;
use puppetry::stages::math::{Mat3, Quat, Vec3};

/// The leg is never pulled straighter than this part of its length; a plan that asks for more would move the foot,
/// so plans are lowered until they ask for less.
const STRAIGHTEST: f64 = 0.9995;

/// World rotations of both bones, and how far the goal is as part of the leg's length.
pub struct Bend {
    pub upper: Quat,
    pub lower: Quat,
    pub reach: f64,
}

/// Bends `rest` (hip, knee, ankle of the rest pose, hinge along X) so that it spans from `hip` to `ankle`. `side` is
/// the left of the plane in which the leg bends, `bends` which way the knee points (+1 forward).
pub fn two_bone(rest: [Vec3; 3], hip: Vec3, ankle: Vec3, side: Vec3, bends: f64) -> Bend {
    two_bone_about(Vec3::x(), rest, hip, ankle, side, bends)
}

/// The same for a limb whose hinge at rest is along `axis`.
pub fn two_bone_about(axis: Vec3, rest: [Vec3; 3], hip: Vec3, ankle: Vec3, side: Vec3, bends: f64) -> Bend {
    let (upper_rest, lower_rest) = (rest[1] - rest[0], rest[2] - rest[1]);
    let (a, b) = (upper_rest.norm(), lower_rest.norm());
    let line = ankle - hip;
    let reach = line.norm() / (a + b);
    let d = line.norm().min(STRAIGHTEST * (a + b));
    let down = line.normalize();
    let hinge = (side - down * side.dot(&down)).normalize();
    let at_hip = ((a * a + d * d - b * b) / (2.0 * a * d)).clamp(-1.0, 1.0).acos();
    let knee = hip + a * (at_hip.cos() * down + bends * at_hip.sin() * down.cross(&hinge));
    let goal = hip + d * down;
    let carry = |bone: Vec3, to: Vec3| carry(bone, axis, to, hinge);
    Bend { upper: carry(upper_rest, knee - hip), lower: carry(lower_rest, goal - knee), reach }
}

/// The rotation that takes the bone `from` to `to` and `axis` to `hinge`.
fn carry(from: Vec3, axis: Vec3, to: Vec3, hinge: Vec3) -> Quat {
    let frame = |bone: Vec3, hinge: Vec3| {
        let bone = bone.normalize();
        let hinge = (hinge - bone * hinge.dot(&bone)).normalize();
        Mat3::from_columns(&[bone, hinge, bone.cross(&hinge)])
    };
    Quat::from_rotation_matrix(&Rotation3::from_matrix_unchecked(
        frame(to, hinge) * frame(from, axis).transpose(),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ankle_arrives_and_the_knee_points_the_right_way() {
        let rest = [Vec3::new(0.1, 0.9, 0.0), Vec3::new(0.1, 0.5, 0.0), Vec3::new(0.1, 0.1, 0.0)];
        for bends in [1.0, -1.0] {
            for (x, y, z) in [(0.0, 0.3, 0.2), (0.2, 0.2, -0.3), (0.1, 0.11, 0.0), (0.1, 0.7, 0.4)] {
                let (hip, ankle) = (rest[0], Vec3::new(x, y, z));
                let bend = two_bone(rest, hip, ankle, Vec3::x(), bends);
                let knee = hip + bend.upper * (rest[1] - rest[0]);
                assert!((knee + bend.lower * (rest[2] - rest[1]) - ankle).norm() < 1e-12);
                let forward = (ankle - hip).cross(&(bend.upper * Vec3::x()));
                assert!((knee - hip).dot(&forward) * bends > 0.0);
            }
        }
    }
}
