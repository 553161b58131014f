//! Joints whose positions are given, and where the others then are.

use super::Skeleton;
use super::anatomy::{are_one_body, find_joint, is_anatomical};
use super::naming::{Role, Segment};
use super::unknown_joint::{UnknownJoint, resolve_joint};
use crate::math::{Quat, Vec3};
use thiserror::Error;

/// Names that do not fit a skeleton.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ManualJointsError {
    /// A name that the skeleton does not have.
    #[error(transparent)]
    UnknownJoint(#[from] UnknownJoint),
    /// Two names mean one joint.
    #[error("'{first}' and '{second}' are one joint, '{joint}'; leave one of them out")]
    SameJoint {
        /// The name that comes first.
        first: String,
        /// The other.
        second: String,
        /// The joint of the skeleton.
        joint: String,
    },
    /// No joint is given at all.
    #[error("no joint is given; give at least one position")]
    NoJoints,
}

/// The skeleton that knows most of the names; among equals the first.
pub fn best_fit<'a>(
    skeletons: impl IntoIterator<Item = &'a Skeleton, IntoIter: DoubleEndedIterator>,
    names: &[&str],
) -> Option<&'a Skeleton> {
    let known = |skeleton: &Skeleton| names.iter().filter(|name| skeleton.has_joint(name)).count();
    // The last of the greatest is the first of them from behind.
    skeletons.into_iter().rev().max_by_key(|skeleton| known(skeleton))
}

/// The skeleton that knows most of the names, of those of one kind of body with the one that fits: names do not choose the body.
pub fn best_fit_of_body<'a>(
    skeletons: &'a [Skeleton],
    fitting: &'a Skeleton,
    names: &[&str],
) -> &'a Skeleton {
    let of_body = skeletons.iter().filter(|other| are_one_body(other, fitting));
    let candidates: Vec<&Skeleton> = std::iter::once(fitting).chain(of_body).collect();
    best_fit(candidates, names).unwrap_or(fitting)
}

/// Whether names are those of a whole body: each limb of the skeleton has all its joints.
pub fn name_all_limbs(skeleton: &Skeleton, names: &[&str]) -> bool {
    let named: Vec<usize> = names.iter().filter_map(|name| find_joint(skeleton, name)).collect();
    let is_inner =
        |role: Role| matches!(role, Role::Limb(_, _, Segment::Upper | Segment::Lower | Segment::End));
    let joints = skeleton.joints.iter().enumerate();
    let mut limbs = joints.filter(|(_, joint)| joint.role.is_some_and(is_inner)).peekable();
    limbs.peek().is_some() && limbs.all(|(joint, _)| named.contains(&joint))
}

/// Positions for all joints of a skeleton, from those that are `given` and points of the surface.
///
/// Names may be those of the skeleton or anatomical ones (`left_elbow`, `front_right_wrist`). The end of a limb that is
/// not given is found on the surface, straight ahead of the limb's last known joint; what is missing between two known joints
/// divides the distance between them as in the rest pose. A branch of which nothing is known at a joint that goes on elsewhere, such as the tail of an animal without one, collapses into that joint.
///
/// # Errors
/// If a name is unknown, or there is none.
pub fn complete(
    skeleton: &Skeleton,
    given: &[(String, Vec3)],
    surface: &[Vec3],
) -> Result<Vec<Vec3>, ManualJointsError> {
    let mut known: Vec<Option<Vec3>> = vec![None; skeleton.joints.len()];
    let mut names: Vec<Option<&str>> = vec![None; skeleton.joints.len()];
    for (name, position) in given {
        match resolve_joint(skeleton, name) {
            Ok(joint) => {
                if let Some(first) = names[joint].replace(name) {
                    let (first, second) = (first.to_owned(), name.clone());
                    let joint = skeleton.joints[joint].name.clone();
                    return Err(ManualJointsError::SameJoint { first, second, joint });
                }
                known[joint] = Some(*position);
            }
            Err(UnknownJoint::Missing { .. }) if is_anatomical(name) => {}
            Err(unknown) => return Err(unknown.into()),
        }
    }
    if known.iter().all(Option::is_none) {
        return Err(ManualJointsError::NoJoints);
    }
    let children = skeleton.joints.children();
    find_tips(skeleton, &children, &mut known, surface);
    interpolate(skeleton, &children, &mut known);
    Ok(known.into_iter().map(|position| position.unwrap_or_else(Vec3::zeros)).collect())
}

/// Ends of limbs, from the surface: of all points that are nearer to the limb's last known joint than to any other, and
/// ahead of it as in the rest pose, the middle of those that lie farthest ahead.
fn find_tips(skeleton: &Skeleton, children: &[Vec<usize>], known: &mut [Option<Vec3>], surface: &[Vec3]) {
    let joints: Vec<(usize, Vec3)> =
        known.iter().enumerate().filter_map(|(joint, position)| Some((joint, (*position)?))).collect();
    let nearest = |point: &Vec3| {
        let distances = joints.iter().map(|(joint, position)| ((point - position).norm_squared(), *joint));
        distances.min_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, joint)| joint)
    };
    let nearest: Vec<Option<usize>> = surface.iter().map(nearest).collect();
    let before = known.to_vec();
    let ends = (0..known.len()).filter(|&joint| children[joint].is_empty() && before[joint].is_none());
    for end in ends.collect::<Vec<_>>() {
        let above = skeleton.joints.ancestors(end).find_map(|joint| Some((joint, before[joint]?)));
        let Some((last, position)) = above else { continue };
        known[end] = Some(position);
        if nearest_known(children, &before, last).next().is_some() {
            continue;
        }
        let ahead = expected_direction(skeleton, &before, last, end);
        let of_limb = surface.iter().zip(&nearest).filter(|(_, nearest)| **nearest == Some(last));
        // A tail is carried in any direction.
        let sideways = if skeleton.joints[last].role == Some(Role::Tail) { -1.0 } else { SIDEWAYS };
        let offsets: Vec<Vec3> = of_limb
            .map(|(point, _)| point - position)
            .filter(|offset| offset.dot(&ahead) > sideways * offset.norm())
            .collect();
        let farthest = offsets.iter().map(Vec3::norm).fold(0.0, f64::max);
        let at_end: Vec<&Vec3> = offsets.iter().filter(|offset| offset.norm() >= AT_END * farthest).collect();
        if !at_end.is_empty() {
            known[end] = Some(position + at_end.iter().copied().sum::<Vec3>() / at_end.len() as f64);
        }
    }
}

/// Cosine of the angle from the expected direction within which a limb may end.
const SIDEWAYS: f64 = 0.6;
/// Part of the greatest distance from which on points belong to the end of a limb.
const AT_END: f64 = 0.9;

/// Where a limb goes on from its last known joint: as in the rest pose, rotated with the bone above it.
fn expected_direction(skeleton: &Skeleton, known: &[Option<Vec3>], last: usize, end: usize) -> Vec3 {
    let rest = |joint: usize| skeleton.joints[joint].position;
    let ahead = rest(end) - rest(last);
    let above = skeleton.joints.ancestors(last).skip(1).find_map(|joint| Some((joint, known[joint]?)));
    let rotation = above
        .zip(known[last])
        .and_then(|((joint, from), to)| Quat::rotation_between(&(rest(last) - rest(joint)), &(to - from)));
    rotation.unwrap_or_else(Quat::identity) * ahead.normalize()
}

/// The first known joints below a joint, on each branch.
fn nearest_known<'a>(
    children: &'a [Vec<usize>],
    known: &'a [Option<Vec3>],
    joint: usize,
) -> impl Iterator<Item = usize> + 'a {
    let mut stack: Vec<usize> = children[joint].iter().rev().copied().collect();
    std::iter::from_fn(move || {
        while let Some(below) = stack.pop() {
            if known[below].is_some() {
                return Some(below);
            }
            stack.extend(children[below].iter().rev());
        }
        None
    })
}

/// What is between known joints, parents first.
fn interpolate(skeleton: &Skeleton, children: &[Vec<usize>], known: &mut [Option<Vec3>]) {
    let rest = |joint: usize| skeleton.joints[joint].position;
    for joint in 0..known.len() {
        if known[joint].is_some() {
            continue;
        }
        let parent = skeleton.joints[joint].parent;
        let above = parent.and_then(|parent| Some((parent, known[parent]?)));
        let guesses: Vec<Vec3> = nearest_known(children, known, joint)
            .filter_map(|below| {
                let end = known[below]?;
                let Some((parent, start)) = above else { return Some(end) };
                let before = (rest(joint) - rest(parent)).norm();
                let path: Vec<usize> =
                    skeleton.joints.ancestors(below).take_while(|&at| at >= joint).collect();
                let after: f64 = path.windows(2).map(|pair| (rest(pair[0]) - rest(pair[1])).norm()).sum();
                Some(start + (end - start) * (before / (before + after).max(f64::MIN_POSITIVE)))
            })
            .collect();
        known[joint] = match guesses.len() {
            0 => above.map(|(_, start)| start),
            count => Some(guesses.iter().sum::<Vec3>() / count as f64),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::io::skeleton_file;
    use crate::skeleton::built_in;

    fn given(joints: &[(&str, [f64; 3])]) -> Vec<(String, Vec3)> {
        joints.iter().map(|(name, position)| (name.to_string(), Vec3::from(*position))).collect()
    }

    #[test]
    fn what_is_no_joint_is_refused() {
        let human = Skeleton::human();
        let error = complete(&human, &given(&[("Wheel", [0.0; 3])]), &[]).unwrap_err().to_string();
        assert!(error.starts_with("the skeleton 'human' has no joint 'Wheel'; its joints are Hips, Spine"));
        let error = complete(&human, &given(&[("LeftElbo", [0.0; 3])]), &[]).unwrap_err().to_string();
        assert_eq!(error, "the skeleton 'human' has no joint 'LeftElbo'; did you mean left_elbow?");
        assert_eq!(complete(&human, &[], &[]), Err(ManualJointsError::NoJoints));
    }

    #[test]
    fn names_tell_the_skeleton() {
        let skeletons: Vec<Skeleton> =
            built_in().iter().map(|file| skeleton_file::read(file.text).unwrap()).collect();
        let fit = |names: &[&str]| best_fit(&skeletons, names).unwrap().name.as_str();
        assert_eq!(fit(&["hips", "left_elbow"]), "human");
        assert_eq!(fit(&["Hips"]), "human");
        assert_eq!(fit(&["hips", "front_left_elbow"]), "quadruped");
        assert_eq!(fit(&["Hips", "FrontLeftFoot", "HindLeftHock"]), "horse");
        let of_body = |fitting: &str, names: &[&str]| {
            let fitting = skeletons.iter().find(|skeleton| skeleton.name == fitting).unwrap();
            best_fit_of_body(&skeletons, fitting, names).name.as_str()
        };
        assert_eq!(of_body("quadruped", &["left_elbow"]), "quadruped");
        assert_eq!(of_body("quadruped", &["left hock"]), "horse");
        assert_eq!(of_body("horse", &["front_left_elbow"]), "horse");
    }

    #[test]
    fn names_of_a_whole_body_are_those_of_all_limbs() {
        let human = Skeleton::human();
        let mut names: Vec<&str> = human.joints.names();
        assert!(name_all_limbs(&human, &names));
        assert!(!name_all_limbs(&Skeleton::quadruped(), &names));
        names.retain(|name| *name != "LeftFoot");
        assert!(!name_all_limbs(&human, &names));
    }

    #[test]
    fn what_is_missing_comes_from_neighbours_and_the_surface() {
        let human = Skeleton::human();
        let all: Vec<(String, Vec3)> = human
            .joints
            .iter()
            .filter(|joint| !joint.is_tip && !joint.name.ends_with("Chest") && !joint.name.ends_with("Toes"))
            .map(|joint| (joint.name.clone(), joint.position))
            .collect();
        let tips: Vec<Vec3> =
            human.joints.iter().filter(|joint| joint.is_tip).map(|joint| joint.position).collect();
        let joints = complete(&human, &all, &tips).unwrap();
        for (joint, position) in human.joints.iter().zip(&joints) {
            let error = (joint.position - position).norm();
            assert!(error < 0.02, "{} is off by {error}", joint.name);
        }
    }

    #[test]
    fn an_animal_without_a_tail_has_none() {
        let animal = Skeleton::quadruped();
        let joints = given(&[("hips", [0.0, 1.0, 0.0]), ("chest", [0.0, 1.0, 1.0])]);
        let placed = complete(&animal, &joints, &[Vec3::new(0.0, 0.0, -3.0)]).unwrap();
        for name in ["Tail", "TailTip"] {
            assert_eq!(placed[animal.find(name).unwrap()], Vec3::y());
        }
    }
}
