//! How well a motion was moved onto a character, measured on the poses alone.
//!
//! What a foot should do is taken from the source: the **stances** of its points, found with the whole motion known
//! ([`stances`]), and of each the **core**, which leaves out landing and lifting off. What it did is measured on the
//! character: how far planted points slide (foot skating), how deep its sole goes into the ground and how high above it
//! stays. Lengths are in leg lengths of the one who is measured, so that a child and a giant can be compared.

mod ground;
mod limbs;
mod overlap;
mod seam;
mod slide;
mod smoothness;
pub mod stances;

pub use seam::Seam;
pub(super) use slide::SLIDES;
pub use slide::Slide;

use super::contact_height::foot_points;
use super::joint_map::{JointMap, LegPair, RotationSource};
use super::reference::Source;
use super::target::{Target, TargetLeg};
use crate::math::Vec3;
use crate::motion::{Motion, Pose};
use crate::skeleton::naming::{Limb, Segment, Side};
pub use ground::BodyDepth;
use ground::Ground;
pub use overlap::BodyOverlap;
use slide::Tally;
use stances::{Stance, find_stances, quantile};

/// How well planted feet stay where they are. Lengths are in leg lengths, speeds in leg lengths a second.
#[derive(Debug, Clone, PartialEq)]
pub struct Metrics {
    /// Metres of a leg of the character.
    pub leg_length: f64,
    /// Units of the character for one of the motion.
    pub scale: f64,
    /// When the feet of the source are planted.
    pub feet: Vec<FootStances>,
    /// Foot skating of the character.
    pub slide: Slide,
    /// How deep the lowest point of a sole is in the ground, over all frames and feet: mean and most.
    pub penetration: [f64; 2],
    /// How high it is above the ground in cores of stances: mean and most.
    pub floating: [f64; 2],
    /// Where the rest of the body is deepest in the ground, if it is.
    pub body_depth: Option<BodyDepth>,
    /// How hands and forearms go through the rest of the body, if they do.
    pub body_overlap: Option<BodyOverlap>,
    /// How high above the ground a stretched leg leaves its planted foot, at most.
    pub reach_shortfall: f64,
    /// Numbers in the file of the frames in which that is more than a hundredth of a leg.
    pub out_of_reach: Vec<usize>,
}

/// How a retargeted motion differs from its source, and from a **copy**: the source's rotations without planted feet.
#[derive(Debug, Clone, PartialEq)]
pub struct Comparison {
    /// Foot skating of the copy.
    pub slide_of_copy: Slide,
    /// Foot skating of the source.
    pub slide_of_source: Slide,
    /// How far the pelvis is from that of the copy, at most, in leg lengths.
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

    /// Gives frames the numbers that they have in the file, of which the first is `first`.
    fn numbered_from(mut self, first: usize) -> Metrics {
        self.out_of_reach.iter_mut().for_each(|frame| *frame += first);
        self.slide.worst += first;
        self.body_depth.iter_mut().for_each(|body| body.frame += first);
        self.body_overlap.iter_mut().for_each(|overlap| overlap.frame += first);
        for foot in &mut self.feet {
            for stance in foot.heel.iter_mut().chain(&mut foot.ball) {
                stance.frames = stance.frames.start + first..stance.frames.end + first;
            }
        }
        self
    }
}

/// The two bodies that are compared, as indices of pairs.
const CHARACTER: usize = 0;
const SOURCE: usize = 1;

/// A motion on a rig, ready to be measured.
pub(super) struct Measurement<'a> {
    pub target: &'a Target,
    pub motion: &'a Motion,
    pub source: &'a Source,
    pub map: &'a JointMap,
}

/// What the source does.
struct Truth<'a> {
    poses: Vec<Pose>,
    legs: Vec<Leg<'a>>,
    feet: Vec<FootStances>,
    /// Leg lengths of both.
    leg_lengths: [f64; 2],
}

impl<'a> Measurement<'a> {
    /// Measures poses of the rig, one for each frame of the motion, and compares them with those of a copy, if there are any.
    ///
    /// # Panics
    /// If there are not as many poses as frames.
    pub fn take(&self, poses: &[Pose], copy: Option<&[Pose]>) -> (Metrics, Option<Comparison>) {
        assert!(poses.len() == self.motion.frames, "every frame has a pose");
        let truth = self.truth();
        let comparison = copy.map(|copy| self.compare(&truth, poses, copy));
        (self.measure(truth, poses).numbered_from(self.motion.number(0)), comparison)
    }

    fn truth(&self) -> Truth<'a> {
        let from_file = &self.source.figure_from_file;
        let poses: Vec<Pose> =
            (0..self.motion.frames).map(|frame| self.motion.pose(frame).turned(from_file)).collect();
        let leg_lengths = [self.target.leg_length, self.source.figure.leg_length()]
            .map(|length| length.max(f64::MIN_POSITIVE));
        let legs: Vec<Leg> = self.map.legs.iter().filter_map(|pair| self.leg(pair)).collect();
        let joints = legs.iter().flat_map(Leg::points).filter_map(|joints| joints[SOURCE]);
        let paths: Vec<Vec<Vec3>> = joints.map(|joint| path(&poses, joint)).collect();
        let mut stances = find_stances(&paths, leg_lengths[SOURCE], self.motion.frame_seconds).into_iter();
        let feet = legs.iter().map(|leg| FootStances {
            leg: leg.ours.key,
            heel: stances.next().unwrap_or_default(),
            ball: leg.source_ball.and_then(|_| stances.next()).unwrap_or_default(),
        });
        let feet = feet.collect();
        Truth { poses, legs, feet, leg_lengths }
    }

    fn leg(&self, pair: &LegPair) -> Option<Leg<'a>> {
        let (source, (limb, side)) = (&self.source.figure, pair.source);
        let [ankle, _] = foot_points(source, pair.source)?;
        let knee = source.limb(limb, side, Segment::Upper).zip(source.limb(limb, side, Segment::Lower));
        let end = source.limb(limb, side, Segment::Hock).unwrap_or(ankle);
        Some(Leg {
            ours: self.target.legs.iter().find(|leg| leg.key == pair.target)?,
            source_ankle: ankle,
            source_ball: source.limb(limb, side, Segment::Toes),
            source_knee: knee.map(|(hip, knee)| [hip, knee, end]),
        })
    }

    fn measure(&self, truth: Truth, poses: &[Pose]) -> Metrics {
        let leg_length = truth.leg_lengths[CHARACTER];
        let scale = leg_length / truth.leg_lengths[SOURCE];
        let mut ground = Ground::new(self, scale);
        for (leg, foot) in truth.legs.iter().zip(&truth.feet) {
            ground.add(leg.ours, foot, poses, &own_rises(leg, foot, &truth.poses, scale));
        }
        Metrics {
            leg_length: self.target.leg_length,
            scale,
            slide: self.slide(&truth, poses, CHARACTER),
            penetration: ground.penetration(leg_length),
            floating: ground.floating(leg_length),
            body_depth: BodyDepth::of(self.target, poses),
            body_overlap: BodyOverlap::of(self, poses),
            reach_shortfall: ground.shortfall / leg_length,
            out_of_reach: ground.out_of_reach,
            feet: truth.feet,
        }
    }

    fn compare(&self, truth: &Truth, poses: &[Pose], copy: &[Pose]) -> Comparison {
        let leg_length = truth.leg_lengths[CHARACTER];
        let hips = self.target.hips;
        let shifts =
            poses.iter().zip(copy).map(|(pose, copy)| (pose.positions[hips] - copy.positions[hips]).norm());
        let joints: Vec<[usize; 2]> = (0..self.target.joints).filter_map(|joint| self.pair(joint)).collect();
        let knees: Vec<[[usize; 3]; 2]> = truth.legs.iter().filter_map(Leg::knees).collect();
        Comparison {
            slide_of_copy: self.slide(truth, copy, CHARACTER),
            slide_of_source: self.slide(truth, &truth.poses, SOURCE),
            pelvis_shift: shifts.fold(0.0, f64::max) / leg_length,
            limb_direction: limbs::direction(&self.limb_bones(), &truth.poses, poses, copy),
            angular_jerk_ratio: smoothness::angular_jerk_ratio(&joints, &truth.poses, poses),
            knee_acceleration_ratio: smoothness::knee_acceleration_ratio(&knees, &truth.poses, poses),
            seam: Seam::of(self, poses, leg_length),
        }
    }

    fn slide(&self, truth: &Truth, poses: &[Pose], whose: usize) -> Slide {
        let mut tally = Tally::default();
        for (leg, foot) in truth.legs.iter().zip(&truth.feet) {
            for (joints, stances) in leg.points().zip([&foot.heel, &foot.ball]) {
                if let Some(joint) = joints[whose] {
                    let path = path(poses, joint);
                    tally.add(&path, stances, truth.leg_lengths[whose], self.motion.frame_seconds);
                }
            }
        }
        tally.slide()
    }

    /// A joint of the character with the joint of the source that moves it, if it is one.
    fn pair(&self, joint: usize) -> Option<[usize; 2]> {
        match self.map.matches[joint]?.origin {
            RotationSource::Joint(from) => Some([joint, from]),
            RotationSource::Between(..) => None,
        }
    }

    /// The bones of arms and legs that both have, each as its two ends.
    fn limb_bones(&self) -> Vec<limbs::Bone> {
        let segments = [Segment::Upper, Segment::Lower, Segment::Hock, Segment::End];
        let mut bones = Vec::new();
        for limb in [Limb::Arm, Limb::FrontLeg, Limb::Leg] {
            for side in [Side::Left, Side::Right] {
                let joints =
                    segments.iter().filter_map(|&segment| self.target.figure.limb(limb, side, segment));
                let pairs: Vec<[usize; 2]> = joints.filter_map(|joint| self.pair(joint)).collect();
                bones.extend(
                    pairs.windows(2).map(|ends| [[ends[0][0], ends[1][0]], [ends[0][1], ends[1][1]]]),
                );
            }
        }
        bones
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

/// How far a foot of the source is in each frame above where it stands in that stance, on the scale of the character.
fn own_rises(leg: &Leg, foot: &FootStances, poses: &[Pose], scale: f64) -> Vec<f64> {
    let mut rises = vec![f64::INFINITY; poses.len()];
    for (joint, stances) in [(Some(leg.source_ankle), &foot.heel), (leg.source_ball, &foot.ball)] {
        let Some(joint) = joint else { continue };
        for Stance { frames, .. } in stances {
            let mut heights: Vec<f64> =
                poses[frames.clone()].iter().map(|pose| pose.positions[joint].y).collect();
            let stands = quantile(&mut heights, 0.5);
            for frame in frames.clone() {
                let rise = scale * (poses[frame].positions[joint].y - stands);
                rises[frame] = rises[frame].min(rise.max(0.0));
            }
        }
    }
    rises.into_iter().map(|rise| if rise.is_finite() { rise } else { 0.0 }).collect()
}

fn path(poses: &[Pose], joint: usize) -> Vec<Vec3> {
    poses.iter().map(|pose| pose.positions[joint]).collect()
}
