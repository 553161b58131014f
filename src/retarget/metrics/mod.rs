//! How well a motion was moved onto a character, measured on the poses alone.
//!
//! What a foot should do is taken from the source: the **stances** of its points, found with the whole motion known
//! ([`stances`]), and of each the **core**, which leaves out landing and lifting off. What it did is measured on the
//! character: how far planted points slide, how deep its sole goes into the ground and how high above it stays. Lengths
//! are in leg lengths of the one who is measured, so that a child and a giant can be compared.

mod ground;
mod seam;
mod smoothness;
pub mod stances;

pub use seam::Seam;

use super::footing::foot_points;
use super::joint_map::{JointMap, Origin};
use super::reference::Source;
use super::target::{Target, TargetLeg};
use crate::math::{Quat, Vec3, atan2};
use crate::motion::{Motion, Pose};
use crate::rig::Rig;
use crate::skeleton::Figure;
use crate::skeleton::naming::{Limb, Segment, Side};
use ground::Ground;
use stances::{Stance, drift, find_stances};

/// How well a motion was moved onto a character. Lengths are in leg lengths, speeds in leg lengths a second.
#[derive(Debug, Clone, PartialEq)]
pub struct Metrics {
    /// Metres of a leg of the character.
    pub leg_length: f64,
    /// Units of the character for one of the motion.
    pub scale: f64,
    /// When the feet of the source are planted.
    pub feet: Vec<FootStances>,
    /// How the planted points of the character slide.
    pub slide: Slide,
    /// How they would if its joints only imitated the source's.
    pub slide_of_copy: Slide,
    /// How those of the source do.
    pub slide_of_source: Slide,
    /// How deep the lowest point of a sole is in the ground, over all frames and feet: mean and most.
    pub penetration: [f64; 2],
    /// How high it is above the ground in cores of stances: mean and most.
    pub floating: [f64; 2],
    /// How high above the ground a leg that is stretched leaves its planted foot, at most.
    pub reach_shortfall: f64,
    /// Numbers in the file of the frames in which that is more than a hundredth of a leg.
    pub out_of_reach: Vec<usize>,
    /// How far the pelvis was moved from the scaled path of the source's, at most.
    pub pelvis_shift: f64,
    /// Degrees between the bones of arms and legs and those of the source, on average.
    pub limb_direction: f64,
    /// Angular jerk of all joints against the source's. `None` if the source does not move.
    pub angular_jerk_ratio: Option<f64>,
    /// Angular acceleration of the knees against the source's, where only one frame in a hundred has more. `None` if the
    /// source's knees do not move.
    pub knee_acceleration_ratio: Option<f64>,
    /// What a viewer sees when the clip starts over, for motions that may.
    pub seam: Option<Seam>,
}

/// When a foot is planted.
#[derive(Debug, Clone, PartialEq)]
pub struct FootStances {
    /// The leg of the character.
    pub leg: (Limb, Side),
    /// Stances of the heel, by the numbers that frames have in the file.
    pub heel: Vec<Stance>,
    /// Stances of the ball; none where the source has no joint for it.
    pub ball: Vec<Stance>,
}

/// How planted points slide over the ground.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Slide {
    /// Speed, on average.
    pub mean: f64,
    /// Share of the steps from frame to frame that are faster than a tenth of a leg length a second.
    pub ratio: f64,
    /// Farthest from the middle of a stance, mean over the stances and most.
    pub drift: [f64; 2],
    /// Number in the file of the first frame of the stance that drifts farthest.
    pub worst: usize,
    /// Steps that were looked at.
    pub steps: usize,
}

/// A planted point that is faster slides.
pub(super) const SLIDES: f64 = 0.10;
/// A leg that is straighter than this part of its length is stretched.
const STRETCHED: f64 = 0.97;
/// A foot that floats by more than this part of a leg is seen to float.
const SEEN: f64 = 0.01;

/// Measures `poses` of a rig, made from a motion by a joint map, against the motion and against `copy`, the poses of joints
/// that only imitate. There is a pose for each frame of the motion.
///
/// # Panics
/// If there are not as many poses as frames.
pub fn measure(
    rig: &Rig,
    motion: &Motion,
    source: &Source,
    map: &JointMap,
    poses: &[Pose],
    copy: &[Pose],
) -> Metrics {
    assert!(poses.len() == motion.frames && copy.len() == motion.frames, "every frame has a pose");
    let target = Target::of(rig);
    let theirs: Vec<Pose> =
        (0..motion.frames).map(|frame| motion.pose(frame).turned(&source.figure_from_file)).collect();
    let lengths = [target.leg_length, source.figure.leg_length()].map(|length| length.max(f64::MIN_POSITIVE));
    let scale = lengths[0] / lengths[1];
    let seconds = motion.frame_seconds;

    let legs = legs(&target, &source.figure, map);
    let paths: Vec<Vec<Vec3>> =
        legs.iter().flat_map(Leg::points).filter_map(|[_, joint]| Some(path(&theirs, joint?))).collect();
    let mut stances = find_stances(&paths, lengths[1], seconds).into_iter();
    let feet: Vec<FootStances> = legs
        .iter()
        .map(|leg| FootStances {
            leg: leg.ours.key,
            heel: stances.next().unwrap_or_default(),
            ball: leg.source_ball.and_then(|_| stances.next()).unwrap_or_default(),
        })
        .collect();
    let slide = |poses: &[Pose], side: usize| {
        let mut tally = Tally::default();
        for (leg, foot) in legs.iter().zip(&feet) {
            for (joints, stances) in leg.points().zip([&foot.heel, &foot.ball]) {
                if let Some(joint) = joints[side] {
                    tally.add(&path(poses, joint), stances, lengths[side], seconds);
                }
            }
        }
        tally.slide()
    };

    let mut ground = Ground::default();
    for (leg, foot) in legs.iter().zip(&feet) {
        ground.add(rig, &target, leg.ours, foot, poses, scale, seconds);
    }
    let hips = target.hips.filter(|&hips| hips < rig.joints.len()).unwrap_or(0);
    let shift = |(pose, copy): (&Pose, &Pose)| (pose.positions[hips] - copy.positions[hips]).norm();
    let bones = limb_bones(&target, map);
    let turn = turn(&bones, &theirs, copy);
    let knees: Vec<[[usize; 3]; 2]> = legs.iter().filter_map(Leg::knees).collect();
    let turning: Vec<[usize; 2]> = (0..rig.joints.len())
        .filter_map(|joint| match map.matches[joint]?.origin {
            Origin::Joint(from) => Some([joint, from]),
            Origin::Between(..) => None,
        })
        .collect();
    let mut metrics = Metrics {
        leg_length: target.leg_length,
        scale,
        slide: slide(poses, 0),
        slide_of_copy: slide(copy, 0),
        slide_of_source: slide(&theirs, 1),
        penetration: ground.penetration(lengths[0]),
        floating: ground.floating(lengths[0]),
        reach_shortfall: ground.shortfall / lengths[0],
        out_of_reach: ground.out_of_reach,
        pelvis_shift: poses.iter().zip(copy).map(shift).fold(0.0, f64::max) / lengths[0],
        limb_direction: limb_direction(&bones, &theirs, poses, &turn),
        angular_jerk_ratio: smoothness::angular_jerk_ratio(&turning, &theirs, poses),
        knee_acceleration_ratio: smoothness::knee_acceleration_ratio(&knees, &theirs, poses),
        seam: Seam::of(rig, motion, &source.up.vector(), hips, poses, lengths[0]),
        feet,
    };
    metrics.number_from(motion.number(0));
    metrics
}

impl Metrics {
    /// The height of the highest step on which a foot stands, in leg lengths, with its first frame.
    pub fn highest_step(&self) -> Option<(usize, f64)> {
        let steps = self.stances().filter(|stance| stance.step > 0.0);
        let highest = steps.max_by(|a, b| a.step.total_cmp(&b.step))?;
        Some((highest.frames.start, highest.step * self.scale / self.leg_length))
    }

    /// All stances of all points.
    pub fn stances(&self) -> impl Iterator<Item = &Stance> {
        self.feet.iter().flat_map(|foot| foot.heel.iter().chain(&foot.ball))
    }

    /// Gives frames the numbers that they have in the file.
    fn number_from(&mut self, first: usize) {
        self.out_of_reach.iter_mut().for_each(|frame| *frame += first);
        for slide in [&mut self.slide, &mut self.slide_of_copy, &mut self.slide_of_source] {
            slide.worst += first;
        }
        for foot in &mut self.feet {
            for stance in foot.heel.iter_mut().chain(&mut foot.ball) {
                stance.frames = stance.frames.start + first..stance.frames.end + first;
            }
        }
    }
}

/// A leg of the character and the joints of the one that moves it.
struct Leg<'a> {
    ours: &'a TargetLeg,
    source_ankle: usize,
    source_ball: Option<usize>,
    /// Hip, knee and what follows.
    source_knee: Option<[usize; 3]>,
}

impl Leg<'_> {
    /// Heel and, if the source has one, ball: joint of the character, if it has one, and joint of the source.
    fn points(&self) -> impl Iterator<Item = [Option<usize>; 2]> + use<> {
        let ball = self.source_ball.map(|ball| [self.ours.toes, Some(ball)]);
        std::iter::once([Some(self.ours.ankle), Some(self.source_ankle)]).chain(ball)
    }

    fn knees(&self) -> Option<[[usize; 3]; 2]> {
        let ours = [self.ours.hip, self.ours.knee, self.ours.hock.unwrap_or(self.ours.ankle)];
        Some([ours, self.source_knee?])
    }
}

fn legs<'a>(target: &'a Target, source: &Figure, map: &JointMap) -> Vec<Leg<'a>> {
    let leg = |pair: &super::joint_map::Leg| {
        let ours = target.legs.iter().find(|leg| leg.key == pair.target)?;
        let joint = |segment: Segment| source.limb(pair.source.0, pair.source.1, segment);
        let [ankle, _] = foot_points(source, pair.source)?;
        let knee = joint(Segment::Upper).zip(joint(Segment::Lower));
        let end = joint(Segment::Hock).unwrap_or(ankle);
        Some(Leg {
            ours,
            source_ankle: ankle,
            source_ball: joint(Segment::Toes),
            source_knee: knee.map(|(hip, knee)| [hip, knee, end]),
        })
    };
    map.legs.iter().filter_map(leg).collect()
}

fn path(poses: &[Pose], joint: usize) -> Vec<Vec3> {
    poses.iter().map(|pose| pose.positions[joint]).collect()
}

/// What planted points did.
#[derive(Default)]
struct Tally {
    way: f64,
    fast: usize,
    steps: usize,
    drift: f64,
    most: f64,
    worst: usize,
    stances: usize,
}

impl Tally {
    fn add(&mut self, path: &[Vec3], stances: &[Stance], leg_length: f64, frame_seconds: f64) {
        for stance in stances {
            let core = &path[stance.core(frame_seconds)];
            for pair in core.windows(2) {
                let speed = (pair[1] - pair[0]).xz().norm() / leg_length / frame_seconds;
                self.way += speed;
                self.fast += usize::from(speed > SLIDES);
                self.steps += 1;
            }
            if core.len() > 2 {
                let drift = drift(core) / leg_length;
                self.drift += drift;
                if drift > self.most {
                    (self.most, self.worst) = (drift, stance.frames.start);
                }
                self.stances += 1;
            }
        }
    }

    fn slide(&self) -> Slide {
        let part = |sum: f64, count: usize| if count > 0 { sum / count as f64 } else { 0.0 };
        Slide {
            mean: part(self.way, self.steps),
            ratio: part(self.fast as f64, self.steps),
            drift: [part(self.drift, self.stances), self.most],
            worst: self.worst,
            steps: self.steps,
        }
    }
}

/// A bone of both: its ends on the character, its ends on the source.
type Bone = [[usize; 2]; 2];

/// The bones of arms and legs that both have.
fn limb_bones(target: &Target, map: &JointMap) -> Vec<Bone> {
    let mut bones = Vec::new();
    for limb in [Limb::Arm, Limb::FrontLeg, Limb::Leg] {
        for side in [Side::Left, Side::Right] {
            let joints: Vec<[usize; 2]> = [Segment::Upper, Segment::Lower, Segment::Hock, Segment::End]
                .iter()
                .filter_map(|&segment| {
                    let joint =
                        target.figure.limb(limb, side, segment).filter(|&joint| joint < target.joints)?;
                    match map.matches[joint]?.origin {
                        Origin::Joint(from) => Some([joint, from]),
                        Origin::Between(..) => None,
                    }
                })
                .collect();
            bones.extend(joints.windows(2).map(|ends| [[ends[0][0], ends[1][0]], [ends[0][1], ends[1][1]]]));
        }
    }
    bones
}

fn along(pose: &Pose, [from, to]: [usize; 2]) -> Option<Vec3> {
    (pose.positions[to] - pose.positions[from]).try_normalize(1e-12)
}

/// The turn about the vertical from the source to the character: the one by which bones that only imitate fit best.
fn turn(bones: &[Bone], theirs: &[Pose], copy: &[Pose]) -> Quat {
    let (mut sine, mut cosine) = (0.0, 0.0);
    for (theirs, ours) in theirs.iter().zip(copy) {
        for [at, from] in bones {
            if let (Some(a), Some(b)) = (along(theirs, *from), along(ours, *at)) {
                sine += a.z * b.x - a.x * b.z;
                cosine += a.x * b.x + a.z * b.z;
            }
        }
    }
    Quat::from_axis_angle(&Vec3::y_axis(), atan2(sine, cosine))
}

/// Degrees between bones, on average.
fn limb_direction(bones: &[Bone], theirs: &[Pose], poses: &[Pose], turn: &Quat) -> f64 {
    let (mut sum, mut count) = (0.0, 0_usize);
    for (theirs, ours) in theirs.iter().zip(poses) {
        for [at, from] in bones {
            if let (Some(a), Some(b)) = (along(theirs, *from), along(ours, *at)) {
                sum += (turn * a).angle(&b).to_degrees();
                count += 1;
            }
        }
    }
    if count > 0 { sum / count as f64 } else { 0.0 }
}
