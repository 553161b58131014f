//! The reference pose: the pose in which a motion stands like a character at rest.
//!
//! Candidates are the pose of zero channels, a rest pose that was put in front of the motion, and the frame of the first
//! second that stands most like one. Each is scored: legs down, arms not forward, spine up, symmetric.

use super::NO_DIRECTION;
use super::collars::settle_collars;
use super::fingers::drop_idle_fingers;
use super::separate_feet::drop_idle_feet;
use crate::math::{Axis, Bounds, Mat3, Quat, Vec3, cos, ln, rotation_of};
use crate::motion::{Motion, Pose, outside_feet};
use crate::skeleton::naming::{Limb, Role, Segment, Side};
use crate::skeleton::roles::Reason;
use crate::skeleton::{Branches, Figure, FigureNode, Standing, partners, standing};

/// Where the reference pose of a motion comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PoseKind {
    /// All channels zero.
    Zero,
    /// The rest pose in front of the motion.
    RestFrame,
    /// A frame of the motion, by its number in the file.
    Frame(usize),
}

impl std::fmt::Display for PoseKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            PoseKind::Zero => f.write_str("pose of zero channels"),
            PoseKind::RestFrame => f.write_str("rest pose in frame 0"),
            PoseKind::Frame(frame) => write!(f, "frame {frame}"),
        }
    }
}

/// What is known of a motion beforehand.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct SourceOptions {
    /// The up axis of the file; `None` to find it.
    pub up: Option<Axis>,
}

/// What a motion is about: who moves, how it stands at rest, and which way is up.
#[derive(Debug, Clone)]
pub struct Source {
    /// It in its reference pose, upright and facing +Z, in the file's unit.
    pub figure: Figure,
    /// From the file's axes to those of the figure.
    pub figure_from_file: Quat,
    /// World rotations of the joints in the reference pose, in the figure's axes; those of collar bones where the arms hang.
    pub rotations: Vec<Quat>,
    /// Which pose it is.
    pub kind: PoseKind,
    /// How much it stands like a character at rest, 1 for a perfect T-pose.
    pub score: f64,
    /// The file's up axis.
    pub up: Axis,
    /// Whether left and right are named against the direction of the feet.
    pub is_mirrored: bool,
}

/// What files are measured in, in metres. CMU's skeletons are in inches divided by 0.45.
const UNITS: [(f64, &str); 6] =
    [(1.0, "m"), (0.01, "cm"), (0.0254, "inch"), (0.0254 / 0.45, "inch / 0.45"), (0.1, "dm"), (0.001, "mm")];
/// Metres of a person and of an animal.
const PERSON: f64 = 1.7;
const ANIMAL: f64 = 0.7;
/// Frames of the first second that are looked at.
const SAMPLES: usize = 30;
/// A pose of zero channels or a rest frame is meant as a rest pose; a frame of the motion must stand clearly better.
const MEANT: f64 = 0.05;
/// Degrees that a leg may be off the vertical before the pose is no standing one.
const LEG_OFF: f64 = 35.0;
/// Frames of the first second between those in which a body is looked for, and how sure it must be to end the search. The
/// pose of zero channels is no body in many files.
const TRIED_STEP: usize = 8;
const SURE: f64 = 0.75;
/// Confidence that a foot outside of its leg is the leg's end.
const OUTSIDE_FOOT: f64 = 0.8;
/// Feet shorter than this part of a leg point nowhere.
const SHORTEST_FOOT: f64 = 0.02;
/// Cosine of the angle to the back within which a foot points backwards: toes turned out or in by a quarter turn do not.
const BACKWARDS: f64 = 0.5;
/// Part of the feet over the frames of a motion that must, if its sides are swapped.
const PLAINLY: f64 = 0.8;
/// Leg lengths of the hips above the floor of somebody who stands: crouching sneaks have 0.75, the hips joint may be above the legs.
const CROUCHED: f64 = 0.6;
const TALLEST: f64 = 1.5;
/// What symmetry is worth, if a leg that stands is worth 1, and how much of that a mean distance from the mirror image of as
/// much as the size would cost.
const SYMMETRY: f64 = 0.5;
const SYMMETRY_FALL: f64 = 4.0;
/// What a spine that is upside down and legs that are crossed cost.
const UPSIDE_DOWN: f64 = 2.0;
const CROSSED: f64 = 1.0;

impl Source {
    /// Finds out what a motion is about.
    pub fn of(motion: &Motion, options: &SourceOptions) -> Source {
        let zero = motion.zero_pose();
        let frames = first_second(motion);
        let poses: Vec<Pose> = frames.iter().map(|&frame| motion.pose(frame)).collect();

        // Who is it? Roles need a figure that stands; names alone would do, but not every file has them.
        let rough = Rough::of(motion, &zero, &poses, options.up);
        let mut figure = rough.figure;
        attach_outside_feet(motion, &mut figure);
        drop_idle_feet(motion, &mut figure);
        let upright_zero = rough.zero_is_upright.then_some(&zero);
        let voted = up_axis(&figure, upright_zero.into_iter().chain(&poses)).unwrap_or(rough.up);
        // Who crawls or lies is level for the whole clip; the pose of zero channels stands all the same.
        let zero_up = up_axis(&figure, upright_zero.into_iter());
        let up = options.up.or(zero_up.filter(|_| !stands_along(&figure, &poses, voted))).unwrap_or(voted);

        // Which pose is the best rest?
        let mut candidates = vec![(PoseKind::Zero, zero, MEANT)];
        candidates.extend(motion.rest.clone().map(|rest| (PoseKind::RestFrame, rest, MEANT)));
        let numbers = frames.iter().map(|&frame| PoseKind::Frame(motion.number(frame)));
        candidates.extend(numbers.zip(poses).map(|(kind, pose)| (kind, pose, 0.0)));
        let mut best: Option<(f64, f64, PoseKind, Pose)> = None;
        for (kind, pose, bonus) in candidates {
            let score = score(&figure, &pose, &up.vector());
            if best.as_ref().is_none_or(|(worth, ..)| score + bonus > *worth) {
                best = Some((score + bonus, score, kind, pose));
            }
        }
        let (_, score, kind, pose) = best.expect("the pose of zero channels is always there");
        let frame = BodyFrame::of(&figure, &pose.positions, &up.vector());
        let front = frame.as_ref().map_or(rough.front, |frame| frame.front);
        let figure_from_file = upright(&up.vector(), &front);
        let pose = pose.turned(&figure_from_file);
        figure.positions = pose.positions;
        let is_mirrored = frame.is_some() && sides_are_swapped(motion, &figure, &up.vector());
        let rotations = pose.rotations;
        let mut source = Source { figure, figure_from_file, rotations, kind, score, up, is_mirrored };
        settle_collars(motion, &mut source);
        drop_idle_fingers(motion, &mut source);
        source
    }

    /// The figure's left in the file's axes.
    pub fn left(&self) -> Vec3 {
        self.figure_from_file.inverse() * Vec3::x()
    }

    /// The height of the figure in the file's unit.
    pub fn height(&self) -> f64 {
        Bounds::of(&self.figure.positions).extent().y
    }

    /// The unit in which the figure is about as large as what it is: its name and its size in metres.
    pub fn unit(&self) -> (&'static str, f64) {
        let usual = if self.figure.is_quadruped() { ANIMAL } else { PERSON };
        let height = self.height();
        let units = UNITS.into_iter().map(|(unit, name)| (ln(height * unit / usual).abs(), unit, name));
        let (_, unit, name) = units.min_by(|a, b| a.0.total_cmp(&b.0)).expect("there are units");
        (name, unit)
    }
}

fn first_second(motion: &Motion) -> Vec<usize> {
    let count = ((1.0 / motion.frame_seconds).ceil() as usize).clamp(1, motion.frames.max(1));
    (0..motion.frames.min(count)).step_by(count.div_ceil(SAMPLES)).collect()
}

/// A first look at a motion, before anything has a role.
struct Rough {
    figure: Figure,
    up: Axis,
    front: Vec3,
    zero_is_upright: bool,
}

impl Rough {
    fn of(motion: &Motion, zero: &Pose, poses: &[Pose], up: Option<Axis>) -> Rough {
        let tree = Tree::of(motion, zero);
        let zero_is_upright = tree.standing(zero, up).is_some();
        let mut best: Option<Rough> = None;
        let candidates = std::iter::once(zero).chain(&motion.rest).chain(poses.iter().step_by(TRIED_STEP));
        for (standing, pose) in candidates.filter_map(|pose| Some((tree.standing(pose, up)?, pose))) {
            let (up, front) = (standing.up, standing.front);
            let figure = figure_of(motion, &tree.partners, pose, &up, &front);
            let rough = Rough { figure, up, front, zero_is_upright };
            if best.as_ref().is_none_or(|best| rough.sureness() > best.sureness()) {
                best = Some(rough);
            }
            // Names do not depend on the pose; a shape that is known needs no other look.
            if best.as_ref().is_some_and(|best| best.sureness() > SURE) {
                break;
            }
        }
        best.unwrap_or_else(|| {
            let up = up.unwrap_or(Axis::PosY);
            let front = if up.index() == 2 { -Vec3::y() } else { Vec3::z() };
            let figure = figure_of(motion, &tree.partners, zero, &up, &front);
            Rough { figure, up, front, zero_is_upright }
        })
    }

    /// How sure the roles of its joints are.
    fn sureness(&self) -> f64 {
        self.figure.find(Role::Hips).map_or(0.0, |hips| self.figure.roles.confidence[hips])
    }
}

/// The joints of a motion without roles.
struct Tree<'a> {
    names: Vec<&'a str>,
    parents: Vec<Option<usize>>,
    partners: Vec<Option<usize>>,
}

impl<'a> Tree<'a> {
    /// Which branches are of one make does not depend on the pose.
    fn of(motion: &'a Motion, zero: &Pose) -> Tree<'a> {
        let (names, mut parents) = (motion.joints.names(), motion.joints.parents());
        // A body without its feet does not stand.
        for (foot, leaf) in outside_feet(motion) {
            let last = if motion.joints[leaf].is_end { motion.joints[leaf].parent } else { Some(leaf) };
            if last.is_some_and(|last| last < foot) {
                parents[foot] = last;
            }
        }
        let branches = Branches::of(&parents, &zero.positions);
        let partners = partners(&names, &parents, &motion.offsets(), &branches);
        Tree { names, parents, partners }
    }

    /// How it stands in a pose, if it stands upright.
    fn standing(&self, pose: &Pose, up: Option<Axis>) -> Option<Standing> {
        let branches = Branches::of(&self.parents, &pose.positions);
        let standing = standing(&self.names, &branches, &self.partners, &pose.positions, up);
        standing.filter(|standing| standing.is_upright)
    }
}

/// A motion in one pose, upright, with the roles of its joints.
fn figure_of(motion: &Motion, partners: &[Option<usize>], pose: &Pose, up: &Axis, front: &Vec3) -> Figure {
    let turned = pose.turned(&upright(&up.vector(), front));
    let nodes = motion.joints.iter().zip(&turned.positions).map(|(joint, &position)| FigureNode {
        name: &joint.name,
        parent: joint.parent,
        position,
        is_end: joint.is_end,
    });
    let mut figure = Figure::bare(nodes);
    figure.partners = partners.to_vec();
    figure.with_roles()
}

/// A foot that is no part of its leg has the role of the leg's end, whatever its name.
fn attach_outside_feet(motion: &Motion, figure: &mut Figure) {
    for (foot, leaf) in outside_feet(motion) {
        let last = if figure.is_end[leaf] { figure.parents[leaf] } else { Some(leaf) };
        let Some((limb, side, _)) = last.and_then(|last| figure.roles.roles[last]).and_then(Role::limb)
        else {
            continue;
        };
        if figure.limb(limb, side, Segment::End).is_none() {
            figure.roles.set(foot, Role::Limb(limb, side, Segment::End), Reason::Tree, OUTSIDE_FOOT);
        }
    }
}

/// Whether the hips of some poses are as high along an axis as legs are long, with the floor at zero; so be it without legs.
fn stands_along(figure: &Figure, poses: &[Pose], up: Axis) -> bool {
    let has_legs = figure.legs().iter().any(|(limb, _)| *limb == Limb::Leg);
    let Some(hips) = figure.find(Role::Hips).filter(|_| has_legs) else { return true };
    let height = |pose: &Pose| pose.positions[hips].dot(&up.vector()) / figure.leg_length();
    let mean = poses.iter().map(height).sum::<f64>() / poses.len().max(1) as f64;
    (CROUCHED..=TALLEST).contains(&mean)
}

/// The axis along which the head is above the feet, or above the hips of a body without legs, or the shoulders and hips of an
/// animal above its feet, on average.
fn up_axis<'a>(figure: &Figure, poses: impl Iterator<Item = &'a Pose>) -> Option<Axis> {
    let legs = figure.legs();
    let mut ends: Vec<usize> = legs.iter().filter_map(|&leg| end_of(figure, leg)).collect();
    if ends.is_empty() {
        ends.extend(figure.find(Role::Hips));
    }
    let tops: Vec<usize> = if figure.is_quadruped() {
        legs.iter().filter_map(|&(limb, side)| figure.limb(limb, side, Segment::Upper)).collect()
    } else {
        figure.find(Role::Head).into_iter().collect()
    };
    if ends.is_empty() || tops.is_empty() {
        return None;
    }
    let sum: Vec3 = poses.map(|pose| mean(pose, &tops) - mean(pose, &ends)).sum();
    Axis::ALL.into_iter().max_by(|a, b| a.vector().dot(&sum).total_cmp(&b.vector().dot(&sum)))
}

fn mean(pose: &Pose, joints: &[usize]) -> Vec3 {
    joints.iter().map(|&joint| pose.positions[joint]).sum::<Vec3>() / joints.len() as f64
}

/// The last joint of a limb that every limb has: hand or foot, or the joint above.
fn end_of(figure: &Figure, (limb, side): (Limb, Side)) -> Option<usize> {
    figure.limb(limb, side, Segment::End).or(figure.limb(limb, side, Segment::Lower))
}

/// From a file's axes to +Y up and +Z ahead.
fn upright(up: &Vec3, front: &Vec3) -> Quat {
    let level = (front - up * up.dot(front)).try_normalize(NO_DIRECTION).unwrap_or_else(|| {
        let other = if up.z.abs() < 0.5 { Vec3::z() } else { Vec3::x() };
        (other - up * up.dot(&other)).normalize()
    });
    rotation_of(&Mat3::from_columns(&[up.cross(&level), *up, level]).transpose())
}

/// Left and front of a pose, level.
struct BodyFrame {
    left: Vec3,
    front: Vec3,
}

impl BodyFrame {
    /// From the hips, or from the shoulders.
    fn of(figure: &Figure, positions: &[Vec3], up: &Vec3) -> Option<BodyFrame> {
        let across = [Limb::Leg, Limb::Arm].into_iter().find_map(|limb| {
            let [left, right] = [Side::Left, Side::Right].map(|side| figure.limb(limb, side, Segment::Upper));
            Some(positions[left?] - positions[right?])
        })?;
        let left = (across - up * up.dot(&across)).try_normalize(NO_DIRECTION)?;
        Some(BodyFrame { left, front: left.cross(up) })
    }
}

/// Whether left and right of a motion are plainly named against the direction of its feet: all of them point backwards in the
/// reference pose, in which the figure is, and nearly all in the frames. A rig may be drawn with odd feet, and dancers turn them.
fn sides_are_swapped(motion: &Motion, figure: &Figure, up: &Vec3) -> bool {
    let at_rest = Backwards::of(figure, &figure.positions, &Vec3::y());
    let samples = SAMPLES.min(motion.frames);
    let mut moving = Backwards::default();
    for sample in 0..samples {
        let pose = motion.pose(sample * motion.frames / samples);
        let Backwards { feet, backwards } = Backwards::of(figure, &pose.positions, up);
        (moving.feet, moving.backwards) = (moving.feet + feet, moving.backwards + backwards);
    }
    at_rest.feet > 0
        && at_rest.backwards == at_rest.feet
        && moving.backwards as f64 >= PLAINLY * moving.feet as f64
}

/// How many feet there are whose direction can be seen, and how many point backwards.
#[derive(Default)]
struct Backwards {
    feet: usize,
    backwards: usize,
}

impl Backwards {
    fn of(figure: &Figure, positions: &[Vec3], up: &Vec3) -> Backwards {
        let mut count = Backwards::default();
        let Some(frame) = BodyFrame::of(figure, positions, up) else { return count };
        for (limb, side) in figure.legs() {
            let [heel, toes, tip] =
                [Segment::End, Segment::Toes, Segment::Tip].map(|segment| figure.limb(limb, side, segment));
            let Some((heel, tip)) = heel.zip(tip.or(toes)) else { continue };
            let foot = positions[tip] - positions[heel];
            let level = foot - up * up.dot(&foot);
            if level.norm() > SHORTEST_FOOT * figure.leg_length() {
                count.feet += 1;
                count.backwards += usize::from(level.dot(&frame.front) < -BACKWARDS * level.norm());
            }
        }
        count
    }
}

/// How much a pose stands like a character at rest: 1 is the best.
fn score(figure: &Figure, pose: &Pose, up: &Vec3) -> f64 {
    let Some(frame) = BodyFrame::of(figure, &pose.positions, up) else { return 0.0 };
    let is_animal = figure.is_quadruped();
    let (mut sum, mut most) = (0.0, 0.0);
    for limb in [Limb::Leg, Limb::FrontLeg, Limb::Arm] {
        for side in [Side::Left, Side::Right] {
            let Some(direction) = chord(figure, pose, (limb, side)) else { continue };
            most += 1.0;
            sum += match limb {
                Limb::Arm => 1.0 - direction.dot(&frame.front).abs(),
                _ => {
                    let down = -direction.dot(up);
                    down.max(0.0) - if down < cos(LEG_OFF.to_radians()) { 1.0 } else { 0.0 }
                }
            };
        }
    }
    let [hips, head] = [Role::Hips, Role::Head].map(|role| Some(pose.positions[figure.find(role)?]));
    if let (Some(hips), Some(head)) = (hips, head)
        && let Some(spine) = (head - hips).try_normalize(NO_DIRECTION)
    {
        most += 1.0;
        sum += if is_animal { spine.dot(&frame.front).max(0.0) } else { spine.dot(up) };
        if !is_animal && spine.dot(up) < 0.0 {
            sum -= UPSIDE_DOWN;
        }
    }
    if let Some(off) = asymmetry(figure, pose, &hips.unwrap_or(pose.positions[0]), &frame.left) {
        most += SYMMETRY;
        sum += SYMMETRY * (1.0 - SYMMETRY_FALL * off).max(0.0);
    }
    let [left, right] = [Side::Left, Side::Right]
        .map(|side| Some(pose.positions[figure.limb(Limb::Leg, side, Segment::End)?]));
    if let (Some(left), Some(right)) = (left, right)
        && (left - right).dot(&frame.left) < 0.0
    {
        sum -= CROSSED;
    }
    if most > 0.0 { sum / most } else { 0.0 }
}

/// The direction from the beginning to the end of a limb.
fn chord(figure: &Figure, pose: &Pose, limb: (Limb, Side)) -> Option<Vec3> {
    let (end, begin) = (end_of(figure, limb)?, figure.limb(limb.0, limb.1, Segment::Upper)?);
    (pose.positions[end] - pose.positions[begin]).try_normalize(NO_DIRECTION)
}

/// Mean distance of joints from the mirror image of their partners, in parts of the size. `None` without partners.
fn asymmetry(figure: &Figure, pose: &Pose, middle: &Vec3, left: &Vec3) -> Option<f64> {
    let size = figure.branches.below[0].max(f64::MIN_POSITIVE);
    let (mut off, mut pairs) = (0.0, 0);
    for (joint, partner) in figure.partners.iter().enumerate().filter_map(|(j, p)| Some((j, (*p)?))) {
        if figure.branches.is_body[joint] && figure.branches.is_body[partner] {
            let (a, b) = (pose.positions[joint] - middle, pose.positions[partner] - middle);
            let mirrored = b - left * (2.0 * left.dot(&b));
            off += (a - mirrored).norm() / size;
            pairs += 1;
        }
    }
    (pairs > 0).then(|| off / f64::from(pairs))
}
