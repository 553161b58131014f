//! From two answers to one, and how far to trust it.
//!
//! The search knows which branch of a body is which, the landmarks know where on a branch a joint sits. So landmarks
//! decide where they are sure of themselves; the search checks them, and answers where they are not or do not exist.

use super::Stages;
use super::candidates::Hint;
use super::landmarks::Doubt;
use super::search::Effort;
use crate::math::Vec3;
use crate::skeleton::Skeleton;
use std::fmt;

/// A place for every joint of a skeleton.
#[derive(Debug, Clone, PartialEq)]
pub struct Embedding {
    /// The skeleton that was chosen.
    pub skeleton: Skeleton,
    /// For each joint its place in the unit cube.
    pub positions: Vec<Vec3>,
    /// For each joint how far to trust its place, 0 to 1.
    pub confidences: Vec<f64>,
    /// How far to trust the whole, 0 to 1.
    pub confidence: f64,
    /// Which route decided.
    pub route: Route,
    /// For each joint the distance between the answers of the two routes, in heights; empty if there is one answer only.
    pub disagreements: Vec<f64>,
    /// Left and right are mirror images.
    pub symmetric: bool,
}

/// The way to an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Route {
    /// Read off the shape.
    Landmarks,
    /// Found by the search of the paper.
    Search,
}

impl fmt::Display for Route {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Route::Landmarks => "landmarks",
            Route::Search => "search",
        })
    }
}

impl Embedding {
    /// Mean distance between the answers of the two routes, in heights.
    pub fn disagreement(&self) -> Option<f64> {
        let count = self.disagreements.len();
        (count > 0).then(|| self.disagreements.iter().sum::<f64>() / count as f64)
    }
}

/// Decides between the routes, or takes the one that is asked for if it has an answer.
///
/// # Panics
/// If the stages are those of another skeleton.
pub fn combine(skeleton: &Skeleton, stages: &Stages, hints: &[Hint], asked: Option<Route>) -> Embedding {
    let height = stages.frame.height;
    let symmetric = stages.landmarks.as_ref().map_or(stages.plane.overlap >= SYMMETRIC, |l| l.symmetric);
    let read = stages.landmarks.as_ref().and_then(|landmarks| landmarks.places(skeleton));
    let searched = stages.refined.as_ref().map(|refined| {
        let mut joints = refined.positions.clone();
        if symmetric {
            make_symmetric(skeleton, &mut joints, stages.plane.x);
        }
        joints
    });
    let disagreements: Vec<f64> = match (&read, &searched) {
        (Some(read), Some(searched)) => {
            read.iter().zip(searched).map(|(a, b)| (a - b).norm() / height).collect()
        }
        _ => Vec::new(),
    };
    let hang = searched.as_ref().is_some_and(|searched| arms_hang(skeleton, searched));
    let route = match (asked, &read, &searched) {
        (Some(route), Some(_), Some(_)) => route,
        (_, None, _) => Route::Search,
        (_, _, None) => Route::Landmarks,
        _ if hang && arms_are_doubted(stages) && search_confidence(stages) >= PLAUSIBLE => Route::Search,
        (_, Some(read), _) if hints_contradict(read, hints, height) => Route::Search,
        _ => Route::Landmarks,
    };
    let mut positions = match (route, read, searched) {
        (Route::Landmarks, Some(read), Some(searched)) if asked.is_none() => {
            average(skeleton, &read, &searched, &disagreements)
        }
        (Route::Landmarks, Some(answer), _) | (_, _, Some(answer)) | (_, Some(answer), None) => answer,
        (_, None, None) => unreachable!("where there are no landmarks, a search without a place is an error"),
    };
    follow_hints(skeleton, &mut positions, hints, symmetric.then_some(stages.plane.x));

    let mean = disagreements.iter().sum::<f64>() / disagreements.len().max(1) as f64;
    let own = match route {
        Route::Landmarks => stages.landmarks.as_ref().map_or(0.0, |landmarks| landmarks.confidence),
        Route::Search => search_confidence(stages),
    };
    let confidence = own * agreement(mean);
    let confidences = (0..positions.len())
        .map(|joint| {
            if hints.iter().any(|hint| hint.full == joint) {
                return 1.0;
            }
            let own = match route {
                Route::Landmarks => landmark_confidence(skeleton, stages, joint),
                Route::Search => own,
            };
            let outside = stages.field.value(&positions[joint]) / height;
            let apart =
                disagreements.get(joint).copied().filter(|_| !is_tail(skeleton, joint)).unwrap_or(0.0);
            own * agreement(apart) * insideness(outside)
        })
        .collect();
    Embedding {
        skeleton: skeleton.clone(),
        positions,
        confidences,
        confidence,
        route,
        disagreements,
        symmetric,
    }
}

/// Share of the search in the mean of two answers that agree: by the inverse squares of the errors that the routes
/// have on the corpus by themselves, 2.8 % and 4.2 % of the height on bipeds.
const SEARCH_SHARE: f64 = 0.3;

/// Distances in heights up to which two answers count as measurements of the same joint, and from which on one of them is
/// wrong; then the landmarks are the better one.
const SAME: std::ops::Range<f64> = 0.1..0.2;

/// The same for the mean over all joints: beyond it the search speaks of another body, and what agrees agrees by chance.
const SAME_BODY: std::ops::Range<f64> = 0.06..0.12;

/// The mean of two answers where they agree, else the landmarks. Tails are the search's: they are a branch of the graph
/// wherever they point, and the landmarks only guess them.
fn average(skeleton: &Skeleton, read: &[Vec3], searched: &[Vec3], disagreements: &[f64]) -> Vec<Vec3> {
    let trust = |range: std::ops::Range<f64>, apart: f64| {
        ((range.end - apart) / (range.end - range.start)).clamp(0.0, 1.0)
    };
    let mean = disagreements.iter().sum::<f64>() / disagreements.len().max(1) as f64;
    let same_body = trust(SAME_BODY, mean);
    let mean = |joint: usize| {
        let share = match is_tail(skeleton, joint) {
            true if same_body > 0.0 => 1.0,
            _ => SEARCH_SHARE * same_body * trust(SAME, disagreements[joint]),
        };
        read[joint] + (searched[joint] - read[joint]) * share
    };
    (0..read.len()).map(mean).collect()
}

fn is_tail(skeleton: &Skeleton, joint: usize) -> bool {
    skeleton.joints[joint].name.starts_with("Tail")
}

/// The search is believed against the landmarks from this confidence on: a match that costs less than 0.055.
const PLAUSIBLE: f64 = 0.58;

/// Whether the arms point down more than sideways. Then they touch the trunk in the landmarks' voxels, where arm and
/// trunk cannot be told from each other; the graph of spheres still has a branch for each.
fn arms_hang(skeleton: &Skeleton, joints: &[Vec3]) -> bool {
    let at = |name: &str| skeleton.find(name).map(|joint| joints[joint]);
    let hangs = |side: &str| {
        let (shoulder, hand) = (at(&format!("{side}UpperArm"))?, at(&format!("{side}Hand"))?);
        let arm = hand - shoulder;
        Some(-arm.y > HANGING * arm.norm())
    };
    ["Left", "Right"].iter().all(|side| hangs(side) == Some(true))
}

/// Sine of the angle below the horizontal from which arms hang: 50 degrees.
const HANGING: f64 = 0.766;

/// Whether the landmarks are not sure of the arms.
fn arms_are_doubted(stages: &Stages) -> bool {
    let doubts = stages.landmarks.iter().flat_map(|landmarks| &landmarks.doubts);
    doubts.copied().any(|doubt| {
        matches!(
            doubt,
            Doubt::NoArms
                | Doubt::WeakHands
                | Doubt::NoArmpit
                | Doubt::ArmLength
                | Doubt::ShoulderLifted
                | Doubt::NeckAndArmsDisagree
        )
    })
}

/// Overlap with the mirror image from which a body is symmetric, where no landmarks say so.
const SYMMETRIC: f64 = 0.9;

fn landmark_confidence(skeleton: &Skeleton, stages: &Stages, joint: usize) -> f64 {
    let landmarks = stages.landmarks.as_ref().map_or(&[][..], |landmarks| &landmarks.joints);
    let named = landmarks.iter().find(|landmark| landmark.name == skeleton.joints[joint].name);
    named.map_or(0.0, |landmark| landmark.confidence)
}

/// How far to trust the search by itself. Of the corpus, matches that cost up to 0.02 are nearly always right, above
/// 0.05 one of three is wrong; those over the limit are guesses. Where the graph was mended over gaps that are wider than
/// an arm, as between the parts of a robot, its ways are not those of the body.
fn search_confidence(stages: &Stages) -> f64 {
    let Some(best) = stages.best.map(|best| &stages.attempts[best].found) else { return 0.0 };
    if best.effort != Effort::Optimal {
        return 0.2;
    }
    let by_cost = 1.0 - ((best.matches[0].cost - 0.02) / 0.1).clamp(0.0, 0.6);
    let widest = stages.graph.gaps.iter().map(|gap| gap.length).fold(0.0, f64::max) / stages.frame.height;
    let by_gaps = 1.0 - 0.4 * ((widest - 0.06) / 0.03).clamp(0.0, 1.0);
    0.9 * by_cost * by_gaps
}

/// What is left of the confidence when the routes differ by a distance in heights: all of it up to the distance by
/// which joints of right answers differ, half of it from where one of the two must be wrong.
fn agreement(distance: f64) -> f64 {
    1.0 - 0.5 * ((distance - 0.06) / 0.12).clamp(0.0, 1.0)
}

/// What is left of the confidence for a joint at a signed distance from the surface in heights: joints lie inside.
fn insideness(distance: f64) -> f64 {
    1.0 - 0.6 * ((distance - 0.01) / 0.04).clamp(0.0, 1.0)
}

/// Landmarks are read for another body than a person means if they miss a hint by more than this, in heights.
const CONTRADICTION: f64 = 0.12;

fn hints_contradict(read: &[Vec3], hints: &[Hint], height: f64) -> bool {
    hints.iter().any(|hint| (read[hint.full] - hint.point).norm() > CONTRADICTION * height)
}

/// Puts partners at mirror images of each other and the others on the plane x = `plane`.
fn make_symmetric(skeleton: &Skeleton, joints: &mut [Vec3], plane: f64) {
    for (joint, data) in skeleton.joints.iter().enumerate() {
        match data.partner {
            None => joints[joint].x = plane,
            Some(partner) if partner > joint => {
                let middle = (joints[joint] + mirrored(&joints[partner], plane)) * 0.5;
                joints[joint] = middle;
                joints[partner] = mirrored(&middle, plane);
            }
            Some(_) => {}
        }
    }
}

fn mirrored(point: &Vec3, plane: f64) -> Vec3 {
    Vec3::new(2.0 * plane - point.x, point.y, point.z)
}

/// Puts hinted joints where the hints say. The joints between a hinted one and the next fixed one (hinted, branching or
/// at an end) move along in proportion; in a symmetric body a hint for one side counts for the other too.
fn follow_hints(skeleton: &Skeleton, joints: &mut [Vec3], hints: &[Hint], plane: Option<f64>) {
    let mut moves: Vec<Option<Vec3>> = vec![None; joints.len()];
    for hint in hints {
        moves[hint.full] = Some(hint.point - joints[hint.full]);
    }
    for hint in hints {
        if let (Some(plane), Some(partner)) = (plane, skeleton.joints[hint.full].partner)
            && moves[partner].is_none()
        {
            moves[partner] = Some(mirrored(&hint.point, plane) - joints[partner]);
        }
    }
    if moves.iter().all(Option::is_none) {
        return;
    }
    for chain in chains(skeleton) {
        // A chain begins and ends at joints that stay unless they are hinted themselves.
        let knots: Vec<usize> = (0..chain.len())
            .filter(|&place| place == 0 || place + 1 == chain.len() || moves[chain[place]].is_some())
            .collect();
        for pair in knots.windows(2) {
            let [from, to] = [pair[0], pair[1]];
            let at = |place: usize| moves[chain[place]].unwrap_or_default();
            // A hand goes where its wrist goes, but feet stay on the ground when the hips move.
            let goes_along = from > 0 && moves[chain[to]].is_none() && is_leaf(skeleton, chain[to]);
            let end = if goes_along { at(from) } else { at(to) };
            for place in from + 1..=to {
                let t = (place - from) as f64 / (to - from) as f64;
                if moves[chain[place]].is_none() {
                    joints[chain[place]] += at(from) * (1.0 - t) + end * t;
                }
            }
        }
    }
    for (joint, moved) in joints.iter_mut().zip(&moves) {
        *joint += moved.unwrap_or_default();
    }
}

fn is_leaf(skeleton: &Skeleton, joint: usize) -> bool {
    !skeleton.joints.iter().any(|other| other.parent == Some(joint))
}

/// The joints from one branching or end to the next, both included.
fn chains(skeleton: &Skeleton) -> Vec<Vec<usize>> {
    let reduced = crate::skeleton::ReducedSkeleton::of(skeleton);
    let chain = |joint: &crate::skeleton::reduced::ReducedJoint| {
        let start = reduced.joints[joint.parent?].full;
        Some(std::iter::once(start).chain(joint.chain.iter().map(|link| link.full)).collect())
    };
    reduced.joints.iter().filter_map(chain).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::io::skeleton_file;
    use crate::skeleton::built_in;

    fn human() -> (Skeleton, Vec<Vec3>) {
        let skeleton = skeleton_file::read(built_in()[0].text).unwrap();
        let places = skeleton.joints.iter().map(|joint| joint.position + Vec3::x() * 0.5).collect();
        (skeleton, places)
    }

    #[test]
    fn partners_become_mirror_images_and_the_others_central() {
        let (skeleton, mut joints) = human();
        let before = joints.clone();
        let hand = skeleton.find("LeftHand").unwrap();
        let other = skeleton.joints[hand].partner.unwrap();
        joints[hand].y += 0.1;
        joints[0].x += 0.05;
        make_symmetric(&skeleton, &mut joints, 0.5);
        assert!((joints[0].x - 0.5).abs() < 1e-12);
        assert!((joints[hand].y - before[hand].y - 0.05).abs() < 1e-12);
        assert!((mirrored(&joints[other], 0.5) - joints[hand]).norm() < 1e-12);
    }

    #[test]
    fn a_hint_moves_its_chain_in_proportion_and_the_other_side_of_a_symmetric_body() {
        let (skeleton, before) = human();
        let find = |name: &str| skeleton.find(name).unwrap();
        let shift = Vec3::new(0.02, 0.06, 0.0);
        let hint = Hint { full: find("LeftLowerArm"), point: before[find("LeftLowerArm")] + shift };
        for (plane, on_the_right) in [(None, 0.0), (Some(0.5), 1.0)] {
            let mut joints = before.clone();
            follow_hints(&skeleton, &mut joints, &[hint], plane);
            let moved = |name: &str| joints[find(name)] - before[find(name)];
            assert!((moved("LeftLowerArm") - shift).norm() < 1e-12);
            // UpperChest, Shoulder, UpperArm, LowerArm: two of three steps.
            assert!((moved("LeftUpperArm") - shift * 2.0 / 3.0).norm() < 1e-12);
            assert!(
                (moved("LeftHand") - shift).norm() < 1e-12 && (moved("LeftHandTip") - shift).norm() < 1e-12
            );
            assert!(moved("UpperChest").norm() < 1e-12 && moved("Head").norm() < 1e-12);
            assert!((moved("RightHand").y - on_the_right * shift.y).abs() < 1e-12);
            assert!((moved("RightHand").x + on_the_right * shift.x).abs() < 1e-12);
        }
    }

    #[test]
    fn a_hint_for_a_branching_joint_moves_what_hangs_on_it() {
        let (skeleton, before) = human();
        let mut joints = before.clone();
        let shift = Vec3::new(0.0, 0.1, 0.0);
        follow_hints(&skeleton, &mut joints, &[Hint { full: 0, point: before[0] + shift }], None);
        let moved =
            |name: &str| (joints[skeleton.find(name).unwrap()] - before[skeleton.find(name).unwrap()]).y;
        assert!((moved("Hips") - 0.1).abs() < 1e-12);
        // Feet stand on the ground and hands stay where they are.
        assert!(moved("LeftUpperLeg") > moved("LeftLowerLeg") && moved("LeftToeTip").abs() < 1e-12);
        assert_eq!(moved("LeftHand"), 0.0);
    }

    #[test]
    fn answers_are_averaged_only_where_they_agree() {
        let dog = skeleton_file::read(built_in()[1].text).unwrap();
        let [hips, head, tail] = ["Hips", "Head", "TailTip"].map(|name| dog.find(name).unwrap());
        let read: Vec<Vec3> = dog.joints.iter().map(|joint| joint.position).collect();
        let mut searched = read.clone();
        searched[hips].x += 0.04;
        searched[head].x += 0.15;
        searched[tail].y += 0.3;
        let apart = |searched: &[Vec3]| -> Vec<f64> {
            read.iter().zip(searched).map(|(a, b)| (a - b).norm()).collect()
        };
        let mean = average(&dog, &read, &searched, &apart(&searched));
        assert!((mean[hips].x - 0.04 * SEARCH_SHARE).abs() < 1e-12, "near answers meet in between");
        assert!(
            (mean[head].x - 0.15 * 0.5 * SEARCH_SHARE).abs() < 1e-12,
            "far ones are nearly the landmarks'"
        );
        assert_eq!(mean[tail], searched[tail], "tails are the search's");
        let elsewhere: Vec<Vec3> = searched.iter().map(|place| place + Vec3::y() * 0.15).collect();
        assert_eq!(average(&dog, &read, &elsewhere, &apart(&elsewhere)), read);
    }

    #[test]
    fn trust_falls_with_distance_and_never_to_nothing() {
        for trust in [agreement, insideness] {
            assert_eq!(trust(-1.0), 1.0);
            assert!(trust(0.04) >= trust(0.08) && trust(0.08) >= trust(1.0) && trust(1.0) > 0.3);
        }
    }
}
