//! Moves a character as a motion moves its own figure, frame by frame, with feet that stay where they are planted.
//!
//! After Choi & Ko 2000, "Online motion retargetting": every joint imitates the orientation of its source, and the feet
//! follow the paths of the source's feet, scaled to the character. What is new here is the ground: see [`super::foot`].
//!
//! ```text
//! push ──► imitation ──► contacts ──────► foot goals ──► pelvis ──► legs ──► pose
//!          frame t       t - detection    t - look-ahead
//! ```

use super::contacts::{ContactOptions, Detector};
use super::envelope::Envelope;
use super::foot::{Foot, FootFrame, FootPose, Ground, Rest, Window, heading, slerp, soft_lift};
use super::footing::{Footing, foot_points};
use super::hands::{self, Arm, HandFrame, Landmark};
use super::joint_map::{JointMap, Origin};
use super::rate_control::{self, Link};
use super::reference::{Source, rest_alignment};
use super::target::{Bone, Target, TargetLeg};
use super::two_bone;
use crate::math::{Quat, Vec3};
use crate::motion::Pose;
use crate::rig::Rig;
use crate::skeleton::naming::{Limb, Role, Segment, Side};

/// Which way a clip faces.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Heading {
    /// It starts at the origin and along the front of the character.
    #[default]
    Forward,
    /// As the source does, in the axes of its file.
    Source,
}

/// Choices of the [`Retargeter`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RetargetOptions {
    /// Seconds of motion that are known ahead, from 0 to 0.25: poses come out so much later. Without any, feet land late by a
    /// fraction of a step.
    pub look_ahead: f64,
    /// Whether feet are planted. Without it legs imitate the source as arms do.
    pub foot_lock: bool,
    /// Factor on the way over ground: 1 keeps the source's strides in leg lengths.
    pub stride: f64,
    /// What hands do.
    pub hands: Hands,
    /// Which way it faces.
    pub heading: Heading,
    /// The motion is a cycle whose last frame is its first one again, further along: so is what comes out. For whole motions
    /// only; frames that are pushed one by one are what they are.
    pub looping: bool,
}

/// What the hands of a character do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Hands {
    /// They imitate the orientation of the source's, as every joint does.
    #[default]
    Orientation,
    /// They keep their place relative to what they touch or nearly touch: the other hand, the head, the hips.
    Relative,
    /// They follow the paths of the source's hands, as feet do.
    World,
}

impl Default for RetargetOptions {
    fn default() -> RetargetOptions {
        RetargetOptions {
            look_ahead: 0.1,
            foot_lock: true,
            stride: 1.0,
            hands: Hands::default(),
            heading: Heading::Forward,
            looping: false,
        }
    }
}

/// The part of the look-ahead that finds contacts; the rest prepares for them.
const DETECTION: f64 = 0.4;
/// Seconds at both ends of a contact in which a foot settles or comes loose, except for runners, whose contacts are short.
/// Nobody sees a foot slide in them, and the leg has more time to change its pace: without them knees accelerate twice as
/// hard; from 0.04 on walkers slide.
const SETTLING: f64 = 0.025;
/// Leg lengths a second from which on the pelvis runs.
const RUNNING: f64 = 2.5;
/// Seconds in which the pelvis follows the swell of the source's floor.
const SWELL_SECONDS: f64 = 0.15;
/// Seconds in which it comes up again after it had to sink.
const RISING_SECONDS: f64 = 0.1;
/// A leg is at most so straight before it reaches softly: as straight as the source's own, within these bounds.
const LEAST_STRAIGHT: f64 = 0.97;
const MOST_STRAIGHT: f64 = 0.996;
/// Leg lengths by which a leg leans more than the source's before the pelvis gives way, and by which it leans at most.
const LEANING: [f64; 2] = [0.05, 0.15];
/// Seconds in which it does.
const SHIFT_SECONDS: f64 = 0.1;
/// Frames within the look-ahead at which it is asked how far the pelvis must sink.
const LOOKS: usize = 4;
/// The pelvis sinks by at most so many leg lengths to let planted feet reach the ground.
const MOST_SINKING: f64 = 0.15;
/// Leg lengths by which a heel is above the ball of a foot that stands on its ball.
const HEEL_UP: f64 = 0.05;
/// Frames that are known ahead at most, whatever rate a file claims: memory is bounded by them.
const MOST_AHEAD: f64 = 1000.0;
/// Feet of a character, at most.
const MOST_LEGS: usize = 4;
/// The trunk of an animal is pitched by at most so many radians.
const MOST_PITCH: f64 = 0.35;
/// Sines of the bend of a knee between which its own axis fades in.
const BENT: [f64; 2] = [0.05, 0.20];

/// A leg of the source.
#[derive(Debug, Clone, Copy)]
struct SourceLeg {
    hip: usize,
    /// Ankle and ball.
    points: [usize; 2],
    length: f64,
    /// From ankle to ball.
    foot_length: f64,
    /// Distance of the hip from the middle of the body in the reference pose.
    half_width: f64,
    /// From where the scaled source puts this foot to where the character's build does, in the axes of the body.
    stance: Vec3,
    footing: Footing,
}

/// What a pair of legs carries: the pelvis, or the chest of an animal.
#[derive(Debug, Clone)]
struct Base {
    /// Joints of the source whose middle is transported.
    joints: Vec<usize>,
    /// Level at which the source's ankles stand and height of the character's.
    source_ankle: f64,
    target_ankle: f64,
    /// Length of these legs, the character's to the source's.
    scale: f64,
}

/// One frame as far as it is understood.
#[derive(Debug, Clone)]
struct Frame {
    /// World rotations of the character's joints if they only imitated.
    rotations: Vec<Quat>,
    /// The middle between the hips, and between the shoulders of an animal.
    pelvis: Vec3,
    chest: Vec3,
    feet: Vec<FootFrame>,
    hands: [HandFrame; 2],
}

/// Moves a character online. Poses come out as many frames after their source as it looks ahead.
pub struct Retargeter {
    target: Target,
    figure_from_file: Quat,
    reference: Vec<Quat>,
    origins: Vec<Option<Origin>>,
    alignment: Vec<Quat>,
    legs: Vec<(TargetLeg, SourceLeg)>,
    arms: Vec<Arm>,
    landmarks: [Option<Landmark>; 2],
    source_leg_length: f64,
    hips: usize,
    pelvis: Base,
    chest: Option<Base>,
    /// The joints that pitch with the trunk of an animal: all below the hips that are no part of a leg.
    is_trunk: Vec<bool>,
    /// The middle between the character's hips, in the axes of its hips joint.
    pelvis_offset: Vec3,
    /// Width of the hips in leg lengths, the character's to the source's.
    hip_width_ratio: f64,
    scale: f64,
    stride: f64,
    frame_seconds: f64,
    options: RetargetOptions,
    start: Option<Start>,
    detector: Detector,
    ahead: usize,
    ring: Vec<Frame>,
    /// Frames that were pushed, whose contacts are known, and that came out.
    pushed: usize,
    flagged: usize,
    emitted: usize,
    feet: Vec<Foot>,
    /// Value and velocity.
    swell: [f64; 2],
    /// How far the pelvis gives way to planted feet along the ground, and how fast.
    shifted: [Vec3; 2],
    sinking: [Sinking; 2],
    points: Vec<Vec3>,
    pose: Pose,
}

/// Where the clip starts and which way it is turned.
#[derive(Debug, Clone, Copy)]
struct Start {
    turn: Quat,
    origin: Vec3,
}

impl Base {
    /// What these legs carry; `None` without legs.
    fn of<'a>(
        target: &Target,
        legs: impl Iterator<Item = &'a (TargetLeg, SourceLeg)> + Clone,
    ) -> Option<Base> {
        let count = legs.clone().count() as f64;
        let height = |leg: &TargetLeg| {
            let toes = leg.toes.map_or(target.rest[leg.ankle], |toes| target.rest[toes]);
            -leg.sole.lowest(&target.rest[leg.ankle], &toes)
        };
        let total = |of: &dyn Fn(&(TargetLeg, SourceLeg)) -> f64| legs.clone().map(of).sum::<f64>();
        (count > 0.0).then(|| Base {
            joints: legs.clone().map(|(_, leg)| leg.hip).collect(),
            source_ankle: total(&|(_, leg)| leg.footing.levels[0]) / count,
            target_ankle: total(&|(leg, _)| height(leg)) / count,
            scale: total(&|(leg, _)| leg.lengths.iter().sum())
                / total(&|(_, leg)| leg.length).max(f64::MIN_POSITIVE),
        })
    }

    /// Where it is carried to, on the character's scale.
    fn carried(&self, place: impl Fn(usize) -> Vec3, floor: f64, stride: f64) -> Vec3 {
        let middle = mean(self.joints.iter().map(|&joint| place(joint)));
        let height = floor + self.target_ankle + (middle.y - self.source_ankle) * self.scale;
        Vec3::new(middle.x * stride, height, middle.z * stride)
    }
}

impl Retargeter {
    /// For a rig and the joints of a motion that move it.
    ///
    /// `footing` says how a leg of the source stands; [`Footing::of_reference`] where nothing better is known.
    pub fn new(
        rig: &Rig,
        source: &Source,
        map: &JointMap,
        footing: impl Fn((Limb, Side)) -> Option<Footing>,
        frame_seconds: f64,
        options: &RetargetOptions,
    ) -> Retargeter {
        let target = Target::of(rig);
        let alignment = rest_alignment(&target.figure, &source.figure, map);
        let figure = &source.figure;
        let source_leg = |key: (Limb, Side)| -> Option<SourceLeg> {
            let joint = |segment: Segment| figure.limb(key.0, key.1, segment);
            let (hip, knee) = (joint(Segment::Upper)?, joint(Segment::Lower)?);
            let points = foot_points(figure, key)?;
            let at = |joint: usize| figure.positions[joint];
            let middle = joint(Segment::Hock).map_or(at(points[0]), at);
            let length =
                (at(knee) - at(hip)).norm() + (middle - at(knee)).norm() + (at(points[0]) - middle).norm();
            if !(length > 0.0) {
                return None;
            }
            let other = figure.limb(key.0, key.1.other(), Segment::Upper).unwrap_or(hip);
            let foot_length = (at(points[1]) - at(points[0])).norm();
            let half_width = 0.5 * (at(hip).x - at(other).x).abs();
            Some(SourceLeg {
                hip,
                points,
                length,
                foot_length,
                half_width,
                stance: Vec3::zeros(),
                footing: footing(key)?,
            })
        };
        let mut legs: Vec<(TargetLeg, SourceLeg)> = map
            .legs
            .iter()
            .filter_map(|pair| {
                let ours = target.legs.iter().find(|leg| leg.key == pair.target)?.clone();
                Some((ours, source_leg(pair.source)?))
            })
            .collect();
        let (ours, theirs) = (target.leg_length, figure.leg_length());
        let scale = if theirs > 0.0 { ours / theirs } else { 1.0 };
        let hips = target.hips.filter(|&hips| hips < target.joints).unwrap_or(0);
        // Hind legs carry the pelvis of an animal.
        let carriers: Vec<&(TargetLeg, SourceLeg)> =
            legs.iter().filter(|(leg, _)| leg.key.0 == Limb::Leg).collect();
        let middle: Vec3 = if carriers.is_empty() {
            target.figure.positions[hips]
        } else {
            mean(carriers.iter().map(|(leg, _)| target.figure.positions[leg.hip]))
        };
        let source_middle = mean(carriers.iter().map(|(_, leg)| figure.positions[leg.hip]));
        let hip_width_ratio = carriers
            .iter()
            .filter(|(_, theirs)| theirs.half_width > 0.0)
            .map(|(leg, theirs)| {
                (target.figure.positions[leg.hip] - middle).x.abs() / (scale * theirs.half_width)
            })
            .fold(f64::INFINITY, f64::min);
        let hip_width_ratio = if hip_width_ratio.is_finite() { hip_width_ratio } else { 1.0 };
        for (leg, theirs) in &mut legs {
            let ours = target.figure.positions[leg.hip] - middle;
            let side = if leg.key.1 == Side::Left { theirs.half_width } else { -theirs.half_width };
            let ahead = figure.positions[theirs.hip].z - source_middle.z;
            theirs.stance = Vec3::new(ours.x - scale * side, 0.0, ours.z - scale * ahead);
        }
        let pelvis_offset = target.rest[hips].inverse() * (middle - target.figure.positions[hips]);
        let base = |limb: Limb| Base::of(&target, legs.iter().filter(|(leg, _)| leg.key.0 == limb));
        // Nothing stands: the pelvis keeps its height in parts of the size.
        let pelvis = base(Limb::Leg).unwrap_or_else(|| {
            let joint = figure.find(Role::Hips).unwrap_or(0);
            let target_ankle = middle.y - target.floor;
            Base { joints: vec![joint], source_ankle: figure.positions[joint].y, target_ankle, scale }
        });
        let chest = base(Limb::FrontLeg);
        let is_trunk = (0..target.joints)
            .map(|joint| {
                let in_leg = legs.iter().any(|(leg, _)| leg.parts.iter().any(|part| part.0 == joint));
                rig.is_below(joint, hips) && !in_leg
            })
            .collect();
        let ahead = (options.look_ahead.clamp(0.0, 0.25) / frame_seconds).round().min(MOST_AHEAD) as usize;
        let detection = (DETECTION * ahead as f64).round() as usize;
        let heights: Vec<f64> = legs.iter().flat_map(|(_, leg)| leg.footing.levels).collect();
        let contact_options =
            ContactOptions { look_ahead: detection as f64 * frame_seconds, still_counts: true };
        let detector = Detector::new(heights, theirs, frame_seconds, &contact_options);
        let frame = Frame {
            rotations: target.rest.clone(),
            pelvis: Vec3::zeros(),
            chest: Vec3::zeros(),
            feet: vec![FootFrame::resting(); legs.len()],
            hands: [HandFrame::default(); 2],
        };
        let pose = Pose {
            positions: target.figure.positions[..target.joints].to_vec(),
            rotations: target.rest.clone(),
        };
        Retargeter {
            figure_from_file: source.figure_from_file,
            reference: source.rotations.clone(),
            origins: map.matches[..target.joints]
                .iter()
                .map(|found| found.map(|found| found.origin))
                .collect(),
            alignment,
            arms: hands::arms(&target.figure, figure, &target.rest, rig),
            landmarks: hands::landmarks(&target.figure, figure, target.joints),
            source_leg_length: theirs,
            hips,
            pelvis,
            chest,
            is_trunk,
            pelvis_offset,
            hip_width_ratio,
            scale,
            stride: scale * options.stride,
            frame_seconds,
            options: *options,
            start: None,
            detector,
            ahead,
            ring: vec![frame; ahead + 5],
            pushed: 0,
            flagged: 0,
            emitted: 0,
            feet: vec![Foot::new(target.floor, ahead - detection); legs.len()],
            swell: [0.0; 2],
            shifted: [Vec3::zeros(); 2],
            sinking: [Sinking::new(ahead - detection), Sinking::new(ahead - detection)],
            points: Vec::with_capacity(2 * legs.len()),
            legs,
            pose,
            target,
        }
    }

    /// Says how the source begins, before the first frame is pushed: which way it faces is the mean over these frames, because the
    /// hips of a walker turn with every step. Without it the first frame alone decides.
    pub fn begin(&mut self, frames: &[Pose]) {
        self.start = (!frames.is_empty()).then(|| self.start_of(frames));
    }

    fn start_of(&self, frames: &[Pose]) -> Start {
        if self.options.heading == Heading::Source {
            return Start { turn: heading(&self.figure_from_file).inverse(), origin: Vec3::zeros() };
        }
        let place = |frame: &Pose, joint: usize| self.figure_from_file * frame.positions[joint];
        let hip = |side: Side| {
            let leg = self.legs.iter().find(|(leg, _)| leg.key == (Limb::Leg, side));
            leg.map(|(_, leg)| leg.hip)
        };
        let turn = match (hip(Side::Left), hip(Side::Right)) {
            (Some(left), Some(right)) => {
                let across: Vec3 = frames.iter().map(|frame| place(frame, left) - place(frame, right)).sum();
                Quat::from_axis_angle(&Vec3::y_axis(), across.z.atan2(across.x))
            }
            _ => Quat::identity(),
        };
        let middle = mean(self.pelvis.joints.iter().map(|&joint| place(&frames[0], joint)));
        Start { turn, origin: Vec3::new(middle.x, 0.0, middle.z) }
    }

    /// Takes the next frame of the source, in the axes of its file, and returns the pose of the character as many frames ago
    /// as it looks ahead.
    pub fn push(&mut self, frame: &Pose) -> Option<&Pose> {
        self.understand(frame);
        (self.pushed > self.ahead).then(|| self.emit())
    }

    /// A way or a velocity along the ground, in the axes of the source's file, as the character's: turned and sized. Known once
    /// the first frame was pushed.
    pub fn way(&self, way: &Vec3) -> Vec3 {
        let turn = self.start.map_or(Quat::identity(), |start| start.turn);
        self.target.world_from_figure * (turn * self.figure_from_file * way * self.stride)
    }

    /// A motion along the ground, `place ↦ turn · place + way` in the axes of the source's file, as the character's.
    pub(super) fn advance(&self, turn: &Quat, way: &Vec3) -> (Quat, Vec3) {
        let start = self.start.unwrap_or(Start { turn: Quat::identity(), origin: Vec3::zeros() });
        let world_from_file = self.target.world_from_figure * start.turn * self.figure_from_file;
        let turn = world_from_file * turn * world_from_file.inverse();
        let origin = self.target.world_from_figure * (start.turn * start.origin);
        let way = (world_from_file * way - origin + turn * origin) * self.stride;
        (turn, Vec3::new(way.x, 0.0, way.z))
    }

    /// The joint that carries the body.
    pub(super) fn hips(&self) -> usize {
        self.hips
    }

    /// The poses that are left after the last push, one by one.
    pub fn finish(&mut self) -> Option<&Pose> {
        if self.emitted == self.pushed {
            return None;
        }
        while let Some(states) = self.detector.drain() {
            note(&mut self.ring, self.flagged, states, HEEL_UP * self.target.leg_length);
            self.flagged += 1;
        }
        Some(self.emit())
    }

    /// The frame in the axes and the size of the character, and its contacts as soon as they are known.
    fn understand(&mut self, frame: &Pose) {
        let start = self.start.unwrap_or_else(|| self.start_of(std::slice::from_ref(frame)));
        self.start = Some(start);
        let world_from_file = start.turn * self.figure_from_file;
        let place = |joint: usize| world_from_file * frame.positions[joint] - start.turn * start.origin;
        let Target { rest, floor, figure, .. } = &self.target;
        let sized = |place: Vec3, level: f64, height: f64| {
            Vec3::new(
                place.x * self.stride,
                floor + height + (place.y - level) * self.scale,
                place.z * self.stride,
            )
        };
        let slots = self.ring.len();
        let now = &mut self.ring[self.pushed % slots];

        for joint in 0..self.target.joints {
            let parent = figure.parents[joint];
            let delta =
                |from: usize| world_from_file * frame.rotations[from] * self.reference[from].inverse();
            now.rotations[joint] = match (self.origins[joint], parent) {
                (Some(Origin::Joint(from)), _) => delta(from) * self.alignment[joint] * rest[joint],
                (Some(Origin::Between(a, b, share)), _) => {
                    slerp(&delta(a), &delta(b), share) * self.alignment[joint] * rest[joint]
                }
                (None, Some(parent)) => now.rotations[parent] * (rest[parent].inverse() * rest[joint]),
                (None, None) => rest[joint],
            };
        }
        now.rotations[self.hips] = level_hips(
            now.rotations[self.hips],
            &(rest[self.hips].inverse() * Vec3::x()),
            self.hip_width_ratio,
        );
        let middle = mean(self.pelvis.joints.iter().map(|&joint| place(joint)));
        now.pelvis = self.pelvis.carried(place, *floor, self.stride);
        now.chest = self.chest.as_ref().map_or(now.pelvis, |chest| chest.carried(place, *floor, self.stride));
        // The character's hips may be wider or narrower than the scaled source's, its trunk longer or shorter: its feet stand as
        // much further apart.
        let left = now.rotations[self.hips] * (rest[self.hips].inverse() * Vec3::x());
        let left = Vec3::new(left.x, 0.0, left.z);
        let ahead = left.cross(&Vec3::y());
        for ((leg, theirs), foot) in self.legs.iter().zip(&mut now.feet) {
            let [ankle, ball] = theirs.points.map(place);
            let toes = leg.toes.unwrap_or(leg.ankle);
            let toes_at_rest = rest[toes];
            let tilt = theirs.footing.tilt;
            let stands = -leg.sole.lowest(&rest[leg.ankle], &toes_at_rest);
            foot.ankle = sized(ankle, theirs.footing.levels[0], stands);
            foot.points = [ankle, ball].map(|place| sized(place, 0.0, 0.0));
            foot.ankle += left * theirs.stance.x + ahead * theirs.stance.z;
            foot.rotation = match self.origins[leg.ankle] {
                Some(Origin::Joint(from)) => {
                    let delta = world_from_file * frame.rotations[from] * self.reference[from].inverse();
                    delta * tilt * self.alignment[leg.ankle] * rest[leg.ankle]
                }
                _ => now.rotations[leg.ankle],
            };
            // A foot that is longer, for its leg, than the source's lifts its heel as high by a smaller angle.
            if theirs.foot_length > 0.0 {
                let share = (self.scale * theirs.foot_length / leg.foot_length).min(1.0);
                let turn = foot.rotation * rest[leg.ankle].inverse();
                let level = heading(&turn);
                foot.rotation = slerp(&level, &turn, share) * rest[leg.ankle];
            }
            foot.toes = if leg.toes.is_some() && self.origins[toes].is_some() {
                now.rotations[toes]
            } else {
                foot.rotation * (rest[leg.ankle].inverse() * toes_at_rest)
            };
            foot.depth = floor - (foot.ankle.y + leg.sole.lowest(&foot.rotation, &foot.toes));
            foot.heights = [
                (ankle.y - theirs.footing.levels[0]) * self.scale,
                (ball.y - theirs.footing.levels[1]) * self.scale,
            ];
            foot.on = [false; 2];
            foot.extension = (place(theirs.hip) - ankle).norm() / theirs.length.max(f64::MIN_POSITIVE);
        }
        if self.options.hands != Hands::Orientation {
            let sized = |wrist: Vec3| sized(wrist, self.pelvis.source_ankle, self.pelvis.target_ankle);
            hands::note(&self.arms, &self.landmarks, place, sized, &mut now.hands);
        }
        self.points.clear();
        for (_, leg) in &self.legs {
            self.points.extend(leg.points.map(place));
        }
        self.pushed += 1;
        if self.options.foot_lock && !self.legs.is_empty() {
            if let Some(states) = self.detector.push(&self.points, middle) {
                note(&mut self.ring, self.flagged, states, HEEL_UP * self.target.leg_length);
                self.flagged += 1;
            }
        } else {
            self.flagged = self.pushed;
        }
    }

    fn emit(&mut self) -> &Pose {
        let current = self.emitted;
        self.emitted += 1;
        let slots = self.ring.len();
        self.pose.rotations.copy_from_slice(&self.ring[current % slots].rotations);

        let mut goals = [None; MOST_LEGS];
        if self.options.foot_lock {
            // Out of the way as long as feet and all the rest are needed at the same time.
            let mut feet = std::mem::take(&mut self.feet);
            let ground = self.ground();
            for (index, foot) in feet.iter_mut().enumerate() {
                let (leg, _) = &self.legs[index];
                let rest = Rest {
                    foot: self.target.rest[leg.ankle],
                    toes: self.target.rest[leg.toes.unwrap_or(leg.ankle)],
                };
                let frame = self.frames_around(current, index);
                goals[index] = Some(foot.step(leg, &rest, &self.window(current, &frame), &ground));
            }
            self.feet = feet;
            self.follow_swell();
        }

        // Pelvis.
        let wanted = self.shift(current, &goals);
        for axis in 0..3 {
            let [value, velocity] = self.shifted.map(|shifted| shifted[axis]);
            let after = follow([value, velocity], wanted[axis], SHIFT_SECONDS, self.frame_seconds);
            [self.shifted[0][axis], self.shifted[1][axis]] = after;
        }
        let shift = self.shifted[0] - Vec3::y() * self.swell[0];
        let pelvis = |frame: usize| self.ring[frame % slots].pelvis + shift;
        let hip = |leg: &TargetLeg, frame: usize| {
            self.hip(leg, &pelvis(frame), &self.ring[frame % slots].rotations[self.hips])
        };
        let needed = self.missing(Limb::Leg, current, &goals, hip);
        let mut pelvis = pelvis(current);
        pelvis.y -= self.sinking[0].step(needed, self.frame_seconds);
        self.place(&pelvis);
        if self.chest.is_some() && self.options.foot_lock {
            self.pitch_trunk(&pelvis, current, &goals);
        }

        // Legs.
        for (index, goal) in goals.iter_mut().enumerate().take(self.legs.len()) {
            if let Some(goal) = goal {
                let reach = self.reach(index, current);
                self.drag(index, goal);
                self.bend_leg(index, goal, reach);
            }
        }
        self.bend_arms(current);
        for (position, rotation) in self.pose.positions.iter_mut().zip(&mut self.pose.rotations) {
            *position = self.target.world_from_figure * *position;
            *rotation = self.target.world_from_figure * *rotation;
        }
        &self.pose
    }

    fn ground(&self) -> Ground {
        Ground { floor: self.target.floor, leg_length: self.target.leg_length, swell: self.swell[0] }
    }

    /// The frames of a foot by their distance from the current one.
    fn frames_around(&self, current: usize, leg: usize) -> impl Fn(isize) -> FootFrame {
        move |offset: isize| {
            let frame = (current as isize + offset).max(0) as usize;
            self.ring[frame % self.ring.len()].feet[leg]
        }
    }

    /// What is known around the current frame.
    fn window<'a>(&self, current: usize, frame: &'a dyn Fn(isize) -> FootFrame) -> Window<'a> {
        Window {
            frame,
            lead: self.flagged - 1 - current,
            ahead: self.pushed - 1 - current,
            past: current.min(3),
            frame_seconds: self.frame_seconds,
            settling: if self.speed(current) > RUNNING { 0.0 } else { SETTLING },
        }
    }

    /// A planted foot that is out of reach is dragged along the ground, not lifted off it. Hips that are wide for their legs
    /// leave a foot behind when they turn.
    fn drag(&mut self, index: usize, goal: &mut FootPose) {
        let (leg, _) = &self.legs[index];
        let planted = self.feet[index].planted.value();
        if planted <= 0.0 {
            return;
        }
        let away = goal.ankle - self.pose.positions[leg.hip];
        let most = MOST_STRAIGHT * leg.lengths.iter().sum::<f64>();
        let (level, most) = (away.x.hypot(away.z), (most * most - away.y * away.y).max(0.0).sqrt());
        if level > most {
            let way = Vec3::new(away.x, 0.0, away.z) * (planted * (most / level - 1.0));
            goal.ankle += way;
            self.feet[index].drag(&way);
        }
    }

    /// Leg lengths a second of the pelvis around a frame.
    fn speed(&self, frame: usize) -> f64 {
        let at = |frame: usize| self.ring[frame % self.ring.len()].pelvis;
        let (from, to) = (frame.saturating_sub(2), (frame + 2).min(self.pushed - 1));
        let seconds = (to - from).max(1) as f64 * self.frame_seconds;
        (at(to) - at(from)).norm() / seconds / self.target.leg_length.max(f64::MIN_POSITIVE)
    }

    /// Brings the hands to what they touch, or onto the source's paths.
    fn bend_arms(&mut self, current: usize) {
        let frames = self.ring[current % self.ring.len()].hands;
        let goals = match self.options.hands {
            Hands::Orientation => return,
            Hands::Relative => {
                hands::touching(&self.arms, &self.landmarks, &frames, &self.pose, self.source_leg_length)
            }
            Hands::World => frames.map(|frame| Some((frame.path - Vec3::y() * self.swell[0], 1.0))),
        };
        let Target { figure, offsets, .. } = &self.target;
        let hung = |pose: &Pose, joint: usize| match figure.parents[joint] {
            Some(parent) => pose.positions[parent] + pose.rotations[parent] * offsets[joint],
            None => offsets[joint],
        };
        for (arm, goal) in self.arms.iter().zip(goals) {
            if let Some((goal, weight)) = goal {
                hands::bend(arm, &goal, weight, &mut self.pose, hung);
            }
        }
    }

    /// Where the hip of a leg is if the middle of the hips is at `pelvis` and the hips are turned so.
    fn hip(&self, leg: &TargetLeg, pelvis: &Vec3, turn: &Quat) -> Vec3 {
        let Target { figure, rest, .. } = &self.target;
        let offset = figure.positions[leg.hip] - figure.positions[self.hips];
        pelvis + turn * (rest[self.hips].inverse() * offset - self.pelvis_offset)
    }

    /// How far the pelvis goes along with planted feet that are not where the scaled source's are. Hips that are wide for their
    /// legs swing far from the foot on which somebody turns.
    fn shift(&self, current: usize, goals: &[Option<FootPose>]) -> Vec3 {
        let frame = &self.ring[current % self.ring.len()];
        let (mut sum, mut weights) = (Vec3::zeros(), 0.0);
        for (index, goal) in goals.iter().enumerate().take(self.legs.len()) {
            let Some(goal) = goal.filter(|_| self.legs[index].0.key.0 == Limb::Leg) else { continue };
            let planted = self.feet[index].planted.value();
            sum += (goal.ankle - frame.feet[index].ankle) * planted;
            weights += planted;
        }
        let away = Vec3::new(sum.x, 0.0, sum.z) / weights.max(1.0);
        let distance = away.norm();
        let [some, most] = LEANING.map(|lengths| lengths * self.target.leg_length);
        if distance <= some {
            return Vec3::zeros();
        }
        away * (1.0 - soft_reach(distance, some, most) / distance)
    }

    /// Length to which a leg stretches before it reaches softly.
    fn reach(&self, leg: usize, frame: usize) -> f64 {
        let extension = self.ring[frame % self.ring.len()].feet[leg].extension;
        let stretched: f64 = self.legs[leg].0.lengths.iter().sum();
        stretched * (extension + 0.003).clamp(LEAST_STRAIGHT, MOST_STRAIGHT)
    }

    /// The pelvis follows the swell of the ground under the planted feet, critically damped.
    fn follow_swell(&mut self) {
        let (mut sum, mut weights) = (0.0, 0.0);
        for foot in &self.feet {
            sum += foot.planted.value() * foot.swell;
            weights += foot.planted.value();
        }
        let goal = if weights > 1e-6 { sum / weights } else { self.swell[0] };
        self.swell = follow(self.swell, goal, SWELL_SECONDS, self.frame_seconds);
    }

    /// How far the base of some legs must come down now and within the look-ahead to let planted feet stay. `hip` says where the
    /// hip of a leg is in a frame.
    fn missing(
        &self,
        limb: Limb,
        current: usize,
        goals: &[Option<FootPose>],
        hip: impl Fn(&TargetLeg, usize) -> Vec3,
    ) -> [f64; 2] {
        let known = self.flagged - 1 - current;
        let ground = self.ground();
        let (mut now, mut soon) = (0.0_f64, 0.0_f64);
        for (index, goal) in goals.iter().enumerate().take(self.legs.len()) {
            let (leg, _) = &self.legs[index];
            let Some(goal) = goal.filter(|_| leg.key.0 == limb) else { continue };
            let foot = &self.feet[index];
            let frame = self.frames_around(current, index);
            let window = self.window(current, &frame);
            let missing = |ahead: usize, ankle: &Vec3, planted: f64| {
                let away = hip(leg, current + ahead) - ankle;
                let (reach, level) = (self.reach(index, current + ahead), away.x.hypot(away.z));
                planted * (away.y - (reach * reach - level * level).max(0.0).sqrt())
            };
            now = now.max(missing(0, &goal.ankle, foot.planted.value()));
            for ahead in (1..=known).rev().step_by(known.div_ceil(LOOKS).max(1)) {
                let (ankle, planted) = foot.expected(ahead, leg, &window, &ground);
                soon = soon.max(missing(ahead, &ankle, planted));
            }
        }
        let leg_length = self.target.leg_length;
        [now, soon].map(|needed| soft_lift(needed, 0.005 * leg_length).min(MOST_SINKING * leg_length))
    }

    /// Pitches the trunk of an animal about its pelvis until its shoulders are as high as its forelegs want them.
    fn pitch_trunk(&mut self, pelvis: &Vec3, current: usize, goals: &[Option<FootPose>]) {
        let is_fore = |leg: &TargetLeg| leg.key.0 == Limb::FrontLeg;
        let shoulders = self.legs.iter().filter(|(leg, _)| is_fore(leg));
        let chest = mean(shoulders.map(|(leg, _)| self.pose.positions[leg.hip]));
        let wanted = self.ring[current % self.ring.len()].chest.y - self.swell[0];
        let carried = |frame: usize| self.ring[frame % self.ring.len()].chest;
        let shoulder = |leg: &TargetLeg, frame: usize| {
            self.pose.positions[leg.hip] + Vec3::y() * (wanted - chest.y) + carried(frame) - carried(current)
        };
        let missing = self.missing(Limb::FrontLeg, current, goals, shoulder);
        let wanted = wanted - self.sinking[1].step(missing, self.frame_seconds);
        let left = self.pose.rotations[self.hips] * (self.target.rest[self.hips].inverse() * Vec3::x());
        let Some(axis) = nalgebra::Unit::try_new(Vec3::new(left.x, 0.0, left.z), 1e-6) else { return };
        let trunk = chest - pelvis;
        let ahead = trunk.dot(&axis.cross(&Vec3::y()));
        let length = ahead.hypot(trunk.y);
        let pitch = ((wanted - pelvis.y) / length.max(1e-9)).clamp(-0.9, 0.9).asin() - trunk.y.atan2(ahead);
        // An animal that rears or rolls is not held down.
        let pitch = MOST_PITCH * (pitch / MOST_PITCH).tanh();
        let turn = Quat::from_axis_angle(&axis, -pitch);
        for (rotation, is_trunk) in self.pose.rotations.iter_mut().zip(&self.is_trunk) {
            if *is_trunk {
                *rotation = turn * *rotation;
            }
        }
        self.place(pelvis);
    }

    /// Puts the joints where their rotations take them, with the middle of the hips at `pelvis`.
    fn place(&mut self, pelvis: &Vec3) {
        for joint in 0..self.target.joints {
            self.pose.positions[joint] = if joint == self.hips {
                pelvis - self.pose.rotations[joint] * self.pelvis_offset
            } else {
                self.hung(joint)
            };
        }
    }

    /// Where a joint is that hangs on its parent.
    fn hung(&self, joint: usize) -> Vec3 {
        match self.target.figure.parents[joint] {
            Some(parent) => {
                self.pose.positions[parent] + self.pose.rotations[parent] * self.target.offsets[joint]
            }
            None => self.target.offsets[joint],
        }
    }

    /// Bends a leg so that its foot is where it must be.
    fn bend_leg(&mut self, index: usize, goal: &FootPose, reach: f64) {
        let (leg, _) = &self.legs[index];
        let at = |joint: usize| self.pose.positions[joint];
        let (hip, knee, ankle) = (at(leg.hip), at(leg.knee), at(leg.ankle));
        let away = goal.ankle - hip;
        let distance = away.norm();
        let soft = soft_reach(distance, reach, leg.lengths.iter().sum());
        let reached = if distance > 0.0 { hip + away * (soft / distance) } else { goal.ankle };
        let hinge = self.hinge(leg, &hip, &knee, &at(leg.hock.unwrap_or(leg.ankle)));
        let turns = match leg.hock {
            None => {
                let turns = two_bone::solve(&hip, &knee, &ankle, &reached, &hinge);
                [turns.upper, turns.lower, turns.lower]
            }
            Some(hock) => {
                let link = |position, stiffness, hinge| Link { position, stiffness, hinge };
                let links =
                    [link(hip, 1.0, None), link(knee, 1.0, Some(hinge)), link(at(hock), 2.0, Some(-hinge))];
                let turns = rate_control::reach(&links, &ankle, &reached);
                [turns[0], turns[1], turns[2]]
            }
        };
        let foot = self.pose.rotations[leg.ankle];
        let toes = leg.toes.map(|toes| self.pose.rotations[toes]);
        for part in 0..self.legs[index].0.parts.len() {
            let (joint, bone) = self.legs[index].0.parts[part];
            let turn = match bone {
                Bone::Upper => turns[0],
                Bone::Lower => turns[1],
                Bone::Metatarsal => turns[2],
                Bone::Foot => goal.rotation * foot.inverse(),
                Bone::Toes => toes.map_or(Quat::identity(), |toes| goal.toes * toes.inverse()),
            };
            self.pose.rotations[joint] = turn * self.pose.rotations[joint];
            if joint != self.legs[index].0.hip {
                self.pose.positions[joint] = self.hung(joint);
            }
        }
    }

    /// The axis of a knee: its own where it is bent, else that of the rest pose carried along. Taken from a leg that is nearly
    /// straight it would flip.
    fn hinge(&self, leg: &TargetLeg, hip: &Vec3, knee: &Vec3, ankle: &Vec3) -> Vec3 {
        let carried = self.pose.rotations[leg.hip] * leg.hinge;
        let (thigh, shank) = ((knee - hip).normalize(), (ankle - knee).normalize());
        let own = thigh.cross(&shank);
        let sine = own.norm();
        let x = ((sine - BENT[0]) / (BENT[1] - BENT[0])).clamp(0.0, 1.0);
        let share = x * x * (3.0 - 2.0 * x);
        let own = if own.dot(&carried) < 0.0 { -own } else { own };
        let blended = carried * (1.0 - share) + own * (share / sine.max(1e-9));
        blended.try_normalize(1e-9).unwrap_or(carried)
    }
}

/// A value and its velocity one frame later, on the way to a goal, critically damped.
fn follow([value, velocity]: [f64; 2], goal: f64, seconds: f64, step: f64) -> [f64; 2] {
    let rate = 2.0 / seconds;
    let decay = (-rate * step).exp();
    let slope = velocity + rate * (value - goal);
    [goal + (value - goal + slope * step) * decay, (velocity - rate * slope * step) * decay]
}

/// How far a base has come down to let planted feet stay: smoothly and in time as far as the look-ahead goes, up again slowly.
/// Pulled up at once it would jerk both knees.
#[derive(Debug, Clone)]
struct Sinking {
    envelope: Envelope,
    /// Value and velocity.
    peak: Option<[f64; 2]>,
}

impl Sinking {
    fn new(ahead: usize) -> Sinking {
        Sinking { envelope: Envelope::new(ahead), peak: None }
    }

    /// What it is in the next frame, if so much is needed in it and so much within the look-ahead.
    fn step(&mut self, [now, soon]: [f64; 2], seconds: f64) -> f64 {
        let needed = now.max(soon);
        let mut peak = self.peak.map_or([needed, 0.0], |peak| follow(peak, needed, RISING_SECONDS, seconds));
        if peak[0] < needed {
            peak = [needed, 0.0];
        }
        self.peak = Some(peak);
        self.envelope.step(peak[0]).max(now)
    }
}

/// Distances up to `from` are kept; beyond they approach `most` and never reach it.
fn soft_reach(distance: f64, from: f64, most: f64) -> f64 {
    let room = most - from;
    if distance <= from || room <= 0.0 {
        return distance.min(most);
    }
    from + room * (1.0 - (-(distance - from) / room).exp())
}

/// Writes down which points are planted. A still heel that is clearly higher than the ball is carried by the ball, however the
/// ball trembles: the whole foot stands. Turned about the ball it would pass the trembling on to the knee.
fn note(ring: &mut [Frame], frame: usize, states: &[bool], heel_up: f64) {
    let slots = ring.len();
    for (foot, on) in ring[frame % slots].feet.iter_mut().zip(states.chunks_exact(2)) {
        let is_up = foot.heights[0] > foot.heights[1] + heel_up;
        foot.on = if on[0] && !on[1] && is_up { [true, true] } else { [on[0], on[1]] };
    }
}

fn mean(places: impl Iterator<Item = Vec3>) -> Vec3 {
    let (mut sum, mut count) = (Vec3::zeros(), 0.0);
    for place in places {
        sum += place;
        count += 1.0;
    }
    if count > 0.0 { sum / count } else { sum }
}

/// Hips that are wider for their legs than the source's roll less, so that they lift each leg as much as the source's do. Large
/// angles, of somebody who lies on the side, stay.
fn level_hips(hips: Quat, left: &Vec3, width_ratio: f64) -> Quat {
    const SMALL: f64 = 0.26;
    if width_ratio <= 1.0 {
        return hips;
    }
    let left = hips * left;
    let Some(axis) = nalgebra::Unit::try_new(left.cross(&Vec3::y()), 1e-6) else { return hips };
    let roll = left.y.clamp(-1.0, 1.0).asin();
    let excess = (1.0 - 1.0 / width_ratio) * SMALL * (roll / SMALL).tanh();
    Quat::from_axis_angle(&axis, -excess) * hips
}
