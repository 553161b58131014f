use super::Motion;
use crate::math::{Quat, Vec3};

/// The mirror image of a motion: what the left did the right does, and a turn to the left is one to the right.
///
/// The mirror stands where the root is at first, across the direction `left`, which has unit length. Everything is
/// reflected, the hierarchy too, and joints exchange their names with their `partners`: that is the image of any
/// hierarchy, symmetric or not, and whatever its joints' axes are. What was found out about the motion before (its roles,
/// its reference pose) must be found out anew. The image of the image is the motion.
#[must_use]
pub fn mirror(motion: &Motion, partners: &[Option<usize>], left: &Vec3) -> Motion {
    let mut mirrored = exchange_sides(motion, partners);
    mirrored.joints.iter_mut().for_each(|joint| joint.offset = reflected(&joint.offset, left));
    reflect(&mut mirrored.translations.values, &mut mirrored.rotations.values, left);
    if let Some(rest) = &mut mirrored.rest {
        reflect(&mut rest.positions, &mut rest.rotations, left);
    }
    if mirrored.translations.joints.first() == Some(&0) && motion.frames > 0 {
        let shift = left * (2.0 * left.dot(&motion.translations.at(0)[0]));
        let tracks = mirrored.translations.joints.len();
        mirrored.translations.values.iter_mut().step_by(tracks).for_each(|position| *position += shift);
        let rest = mirrored.rest.iter_mut().flat_map(|rest| &mut rest.positions);
        rest.for_each(|position| *position += shift);
    }
    mirrored
}

fn reflect(positions: &mut [Vec3], rotations: &mut [Quat], left: &Vec3) {
    positions.iter_mut().for_each(|position| *position = reflected(position, left));
    for rotation in rotations {
        // The axis of a rotation is reflected and its angle negated: what is across the mirror stays.
        let axis = -reflected(&rotation.imag(), left);
        *rotation = Quat::new_unchecked(nalgebra::Quaternion::from_parts(rotation.w, axis));
    }
}

fn reflected(v: &Vec3, left: &Vec3) -> Vec3 {
    v - left * (2.0 * left.dot(v))
}

/// The motion with the names of left and right exchanged, for files that have them the wrong way round.
#[must_use]
pub fn exchange_sides(motion: &Motion, partners: &[Option<usize>]) -> Motion {
    let mut exchanged = motion.clone();
    for (joint, data) in exchanged.joints.iter_mut().enumerate() {
        if let Some(partner) = partners[joint].filter(|&partner| partners[partner] == Some(joint)) {
            data.name.clone_from(&motion.joints[partner].name);
        }
    }
    exchanged
}

#[cfg(test)]
mod tests {
    use super::super::built_in;
    use super::*;
    use crate::retarget::{Source, SourceOptions};

    /// Every joint of every built-in motion is where the reflection of its partner is, and has a role again.
    #[test]
    fn the_image_is_the_reflection() {
        for file in built_in() {
            let motion = Motion::built_in(file.name).unwrap();
            let source = Source::of(&motion, &SourceOptions::default());
            let (partners, left) = (&source.figure.partners, source.left());
            let image = mirror(&motion, partners, &left);
            assert_eq!(image.broken_invariant(), None);
            let start = motion.pose(0).positions[0];
            for frame in [0, motion.frames / 3, motion.frames - 1] {
                let (pose, other) = (motion.pose(frame), image.pose(frame));
                for (joint, data) in motion.joints.iter().enumerate() {
                    let partner = partners[joint].unwrap_or(joint);
                    let at = image.find(&motion.joints[partner].name).unwrap();
                    let p = pose.positions[joint] - start;
                    let expected = start + p - left * (2.0 * left.dot(&p));
                    let off = (other.positions[at] - expected).norm();
                    assert!(off < 1e-9 * motion.reach(), "{}: {} {off}", file.name, data.name);
                }
            }
            let again = Source::of(&image, &SourceOptions::default());
            assert!(!again.is_mirrored, "{}", file.name);
            let role = |source: &Source, motion: &Motion, name: &str| {
                motion.find(name).and_then(|joint| source.figure.roles.roles[joint])
            };
            for joint in motion.joints.iter().filter(|joint| !joint.is_end) {
                let roles =
                    [(&source, &motion), (&again, &image)].map(|(of, motion)| role(of, motion, &joint.name));
                assert_eq!(roles[0], roles[1], "{}: {}", file.name, joint.name);
            }
        }
    }

    /// A motion whose sides are named the wrong way round is seen to be, and is itself again when they are exchanged.
    #[test]
    fn sides_that_are_exchanged_are_seen_and_put_right() {
        for file in built_in() {
            let motion = Motion::built_in(file.name).unwrap();
            let partners = Source::of(&motion, &SourceOptions::default()).figure.partners;
            let swapped = exchange_sides(&motion, &partners);
            let source = Source::of(&swapped, &SourceOptions::default());
            assert!(source.is_mirrored || source.figure.is_quadruped(), "{}", file.name);
            assert_eq!(exchange_sides(&swapped, &source.figure.partners), motion, "{}", file.name);
        }
    }

    #[test]
    fn the_image_of_the_image_is_the_motion() {
        for file in built_in() {
            let motion = Motion::built_in(file.name).unwrap();
            let source = Source::of(&motion, &SourceOptions::default());
            let image = mirror(&motion, &source.figure.partners, &source.left());
            let again = mirror(&image, &source.figure.partners, &source.left());
            for (a, b) in motion.joints.iter().zip(&again.joints) {
                assert_eq!(a.name, b.name);
                assert!((a.offset - b.offset).norm() < 1e-9);
            }
            let turns = motion.rotations.values.iter().zip(&again.rotations.values);
            assert!(turns.into_iter().all(|(a, b)| (a.coords - b.coords).norm() < 1e-9));
            let positions = motion.translations.values.iter().zip(&again.translations.values);
            assert!(positions.into_iter().all(|(a, b)| (a - b).norm() < 1e-9 * motion.reach()));
        }
    }
}
