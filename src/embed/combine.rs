//! From two answers to one, and how far to trust it.
//!
//! The search knows which branch of a body is which, the landmarks know where on a branch a joint sits. Where both give a
//! joint nearly the same place, the answer is their mean; where not, it is the landmarks', which are right more often,
//! except for tails, for arms that hang along the body, and for limbs about which a hint contradicts them. Landmarks that
//! doubt themselves give way to a search that fits nearly without a cost. How far the two are apart tells how far to trust
//! the answer.

use super::Stages;
use super::candidates::Hint;
use super::confidence::{Trust, search_confidence};
use super::hints::{follow_hints, leave_contradicted_chains};
use super::landmarks::{Doubt, Landmarks};
use crate::math::Vec3;
use crate::skeleton::{CENTRAL, Skeleton};
use std::fmt;
use std::ops::Range;

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
    /// Why it did.
    pub reason: Reason,
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

/// Why a route decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reason {
    /// Both answered: landmarks, averaged with the search where the two agree.
    Both,
    /// The search found no place for the skeleton.
    NoEmbedding,
    /// The skeleton is not one that landmarks are known for.
    NoLandmarks,
    /// The arms hang along the body, where the landmarks cannot tell them from it.
    ArmsHang,
    /// The landmarks doubt themselves and are far from a search that fits nearly without a cost.
    LandmarksDoubted,
    /// The caller asked for this route.
    Asked,
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Reason::Both => "read off the shape, averaged with the search where the two agree",
            Reason::NoEmbedding => "read off the shape, because the search found no place for the skeleton",
            Reason::NoLandmarks => {
                "found by the search, because landmarks are known for built-in skeletons only"
            }
            Reason::ArmsHang => "found by the search, because the arms hang along the body",
            Reason::LandmarksDoubted => {
                "found by the search, which fits well, because the shape is doubtful and says something else"
            }
            Reason::Asked => "as told",
        })
    }
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
        (!self.disagreements.is_empty()).then(|| mean(&self.disagreements))
    }
}

/// Decides between the routes, or takes the one that is asked for if it has an answer.
///
/// # Panics
/// If the stages are those of another skeleton.
pub fn combine(skeleton: &Skeleton, stages: &Stages, hints: &[Hint], asked: Option<Route>) -> Embedding {
    let height = stages.frame.height;
    let symmetric = is_body_symmetric(stages);
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
    let (route, reason) = decide(skeleton, stages, &read, &searched, &disagreements, asked);
    let mut positions = match (route, &read, &searched) {
        (Route::Landmarks, Some(read), Some(searched)) if asked.is_none() => {
            let believed = is_search_believed(stages);
            let mut positions = average(skeleton, read, searched, &disagreements, believed);
            leave_contradicted_chains(skeleton, &mut positions, searched, hints, height);
            positions
        }
        (Route::Landmarks, Some(answer), _) | (_, _, Some(answer)) | (_, Some(answer), None) => {
            answer.clone()
        }
        (_, None, None) => unreachable!("where there are no landmarks, a search without a place is an error"),
    };
    let plane = symmetric.then_some(stages.plane.x);
    follow_hints(skeleton, &mut positions, hints, plane);
    let trust = Trust { skeleton, stages, route, disagreements: &disagreements };
    Embedding {
        skeleton: skeleton.clone(),
        confidences: trust.in_joints(&positions, hints, plane),
        confidence: trust.in_all(&positions),
        route,
        reason,
        symmetric: plane.is_some_and(|plane| is_symmetric(skeleton, &positions, plane)),
        positions,
        disagreements,
    }
}

/// Whether left and right of the body are mirror images.
pub(crate) fn is_body_symmetric(stages: &Stages) -> bool {
    stages.landmarks.as_ref().map_or(stages.plane.overlap >= SYMMETRIC, |landmarks| landmarks.symmetric)
}

/// Which route decides, and why.
fn decide(
    skeleton: &Skeleton,
    stages: &Stages,
    read: &Option<Vec<Vec3>>,
    searched: &Option<Vec<Vec3>>,
    disagreements: &[f64],
    asked: Option<Route>,
) -> (Route, Reason) {
    let (Some(_), Some(searched)) = (read, searched) else {
        return match read {
            Some(_) => (Route::Landmarks, Reason::NoEmbedding),
            None => (Route::Search, Reason::NoLandmarks),
        };
    };
    if let Some(route) = asked {
        return (route, Reason::Asked);
    }
    let is_plausible = search_confidence(stages) >= PLAUSIBLE;
    if is_plausible && arms_are_doubted(stages) && arms_hang(skeleton, searched) {
        return (Route::Search, Reason::ArmsHang);
    }
    if is_search_believed(stages) && mean(disagreements) >= SAME_BODY.end {
        return (Route::Search, Reason::LandmarksDoubted);
    }
    (Route::Landmarks, Reason::Both)
}

/// Share of the search in the mean of two answers that agree: by the inverse squares of the errors that the routes
/// have on the corpus by themselves, 2.8 % and 4.2 % of the height on bipeds.
const SEARCH_SHARE: f64 = 0.3;

/// The same where the landmarks doubt themselves and the search costs next to nothing: errors of 4.4 % and 3.4 % on the
/// generated population say 0.6; at more than that the low hips of figures in skirts, which the search gets wrong, fail.
const DOUBTED_SHARE: f64 = 0.5;

/// A match that costs less than this fits so well that it is believed against doubtful landmarks. At 0.006 the low hips of
/// trolls stay low, at 0.012 a gingerbread man of the generated population fails, at 0.02 sheep and cows get worse.
const CHEAP: f64 = 0.009;

/// Whether the search counts as much as the landmarks, and more where the two differ.
fn is_search_believed(stages: &Stages) -> bool {
    let is_doubted =
        stages.landmarks.as_ref().is_some_and(|landmarks| landmarks.confidence < Landmarks::SURE);
    let cost = stages.best.map(|best| stages.attempts[best].found.matches[0].cost);
    is_doubted && cost.is_some_and(|cost| cost < CHEAP) && search_confidence(stages) >= PLAUSIBLE
}

/// Distances in heights up to which two answers count as measurements of the same joint, and from which on one of them is
/// wrong; then the landmarks are the better one. At 0.06 and 0.16 the low hips of the example troll stay low, and three
/// of its twenty variants fail; wider, the answer follows the search, whose matches of robots flip at the slightest change
/// of the mesh: here it jumps by up to 3 % of the height with them.
const SAME: Range<f64> = 0.1..0.2;

/// The same for the mean over all joints: beyond it the search speaks of another body, and what agrees agrees by chance.
const SAME_BODY: Range<f64> = 0.06..0.12;

/// The mean of two answers where they agree, else the landmarks; or, where the search is believed and speaks of another body,
/// the search. Tails are the search's: they are a branch of the graph wherever they point, and the landmarks only guess them.
fn average(
    skeleton: &Skeleton,
    read: &[Vec3],
    searched: &[Vec3],
    disagreements: &[f64],
    believed: bool,
) -> Vec<Vec3> {
    let trust =
        |range: Range<f64>, apart: f64| ((range.end - apart) / (range.end - range.start)).clamp(0.0, 1.0);
    let same_body = trust(SAME_BODY, mean(disagreements));
    let (equal, otherwise) = if believed { (DOUBTED_SHARE, 1.0 - same_body) } else { (SEARCH_SHARE, 0.0) };
    let answer = |joint: usize| {
        let share = match is_tail(skeleton, joint) {
            true if same_body > 0.0 => 1.0,
            _ => equal * same_body * trust(SAME, disagreements[joint]) + otherwise,
        };
        read[joint] + (searched[joint] - read[joint]) * share
    };
    (0..read.len()).map(answer).collect()
}

/// The mean of the distances between two answers; zero if there is one only.
pub(super) fn mean(disagreements: &[f64]) -> f64 {
    disagreements.iter().sum::<f64>() / disagreements.len().max(1) as f64
}

pub(super) fn is_tail(skeleton: &Skeleton, joint: usize) -> bool {
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

/// Puts partners at mirror images of each other and the others on the plane x = `plane`.
pub(crate) fn make_symmetric(skeleton: &Skeleton, joints: &mut [Vec3], plane: f64) {
    for (joint, data) in skeleton.joints.iter().enumerate() {
        match data.partner {
            None if data.position.x.abs() < CENTRAL => joints[joint].x = plane,
            None => {}
            Some(partner) if partner > joint => {
                let middle = (joints[joint] + mirrored(&joints[partner], plane)) * 0.5;
                joints[joint] = middle;
                joints[partner] = mirrored(&middle, plane);
            }
            Some(_) => {}
        }
    }
}

/// Whether partners are mirror images of each other.
fn is_symmetric(skeleton: &Skeleton, joints: &[Vec3], plane: f64) -> bool {
    let is_image =
        |joint: usize, partner: usize| (mirrored(&joints[partner], plane) - joints[joint]).norm() < 1e-6;
    let pairs = skeleton.joints.iter().enumerate().filter_map(|(joint, data)| Some((joint, data.partner?)));
    pairs.into_iter().all(|(joint, partner)| is_image(joint, partner))
}

pub(super) fn mirrored(point: &Vec3, plane: f64) -> Vec3 {
    Vec3::new(2.0 * plane - point.x, point.y, point.z)
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
        let mean = average(&dog, &read, &searched, &apart(&searched), false);
        assert!((mean[hips].x - 0.04 * SEARCH_SHARE).abs() < 1e-12, "near answers meet in between");
        let faded = SEARCH_SHARE * (SAME.end - 0.15) / (SAME.end - SAME.start);
        assert!((mean[head].x - 0.15 * faded).abs() < 1e-12, "far ones are nearly the landmarks'");
        assert_eq!(mean[tail], searched[tail], "tails are the search's");
        let elsewhere: Vec<Vec3> = searched.iter().map(|place| place + Vec3::y() * 0.15).collect();
        assert_eq!(average(&dog, &read, &elsewhere, &apart(&elsewhere), false), read);
        // A search that is believed counts as much, and decides where it speaks of another body.
        let equal = average(&dog, &read, &searched, &apart(&searched), true);
        assert!((equal[hips].x - 0.04 * DOUBTED_SHARE).abs() < 1e-12);
        let decided = average(&dog, &read, &elsewhere, &apart(&elsewhere), true);
        assert!(decided.iter().zip(&elsewhere).all(|(a, b)| (a - b).norm() < 1e-12));
    }
}
