//! The pose in which a motion stands like a character at rest, and how bones of the two are turned against each other.
//!
//! Candidates are the pose of zero channels, a rest pose that was put in front of the motion, and the frame of the first
//! second that stands most like one. Each is scored: legs down, arms not forward, spine up, symmetric.

use super::joint_map::{JointMap, Origin};
use crate::math::{Bounds, Mat3, Quat, Vec3, atan2, cos, ln, rotation_of};
use crate::mesh::Axis;
use crate::motion::{Motion, Pose, outside_feet};
use crate::skeleton::Figure;
use crate::skeleton::naming::{Limb, Role, Segment, Side};
use crate::skeleton::roles::Reason;
use crate::skeleton::{Branches, partners, standing};

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

/// How a motion is to be understood.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct SourceOptions {
    /// The up axis of the file; `None` to find it.
    pub up: Option<Axis>,
}

/// A motion, understood: who moves, how it stands at rest, and which way is up.
#[derive(Debug, Clone)]
pub struct Source {
    /// It in its reference pose, upright and facing +Z, in the file's unit.
    pub figure: Figure,
    /// From the file's axes to those of the figure.
    pub figure_from_file: Quat,
    /// World rotations of the joints in the reference pose, in the figure's axes.
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
/// Frames of the first second that are looked at.
const SAMPLES: usize = 30;
/// A pose of zero channels or a rest frame is meant as a rest pose; a frame of the motion must stand clearly better.
const MEANT: f64 = 0.05;
/// Degrees that a leg may be off the vertical before the pose is no standing one.
const LEG_OFF: f64 = 35.0;

impl Source {
    /// Understands a motion.
    pub fn of(motion: &Motion, options: &SourceOptions) -> Source {
        let zero = motion.zero_pose();
        let frames = first_second(motion);
        let poses: Vec<Pose> = frames.iter().map(|&frame| motion.pose(frame)).collect();

        // Who is it? Roles need a figure that stands; names alone would do, but not every file has them.
        let rough = Rough::of(motion, &zero, &poses, options.up);
        let mut figure = rough.figure;
        attach_outside_feet(motion, &mut figure);
        let up = options
            .up
            .unwrap_or_else(|| up_axis(&figure, &zero, rough.zero_is_upright, &poses).unwrap_or(rough.up));

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
        let is_mirrored = frame.is_some() && toes(&figure).is_some_and(|toes| toes.z < 0.0);
        Source { figure, figure_from_file, rotations: pose.rotations, kind, score, up, is_mirrored }
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
        // A person of 1.7 m; an animal of 0.7 m. Nobody measures in the other units.
        let usual: f64 = if self.figure.is_quadruped() { 0.7 } else { 1.7 };
        let off = |unit: f64| ln(self.height() * unit / usual).abs();
        let (unit, name) =
            UNITS.into_iter().min_by(|a, b| off(a.0).total_cmp(&off(b.0))).expect("there are units");
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
        let names: Vec<&str> = motion.joints.iter().map(|joint| joint.name.as_str()).collect();
        let parents: Vec<Option<usize>> = motion.joints.iter().map(|joint| joint.parent).collect();
        let offsets: Vec<Vec3> = motion.joints.iter().map(|joint| joint.offset).collect();
        // Which branches are of one make does not depend on the pose.
        let partners = partners(&names, &parents, &offsets, &Branches::of(&parents, &zero.positions));
        let stand = |pose: &Pose| {
            let branches = Branches::of(&parents, &pose.positions);
            standing(&names, &branches, &partners, &pose.positions, up).filter(|standing| standing.is_upright)
        };
        let zero_is_upright = stand(zero).is_some();
        let mut best: Option<Rough> = None;
        let candidates = std::iter::once(zero).chain(&motion.rest).chain(poses.iter().step_by(TRIED_STEP));
        for (standing, pose) in candidates.filter_map(|pose| Some((stand(pose)?, pose))) {
            let (up, front) = (standing.up, standing.front);
            let figure = figure_of(motion, &partners, pose, &up, &front);
            let rough = Rough { figure, up, front, zero_is_upright };
            let is_better = best.as_ref().is_none_or(|best| rough.sureness() > best.sureness());
            if is_better {
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
            let figure = figure_of(motion, &partners, zero, &up, &front);
            Rough { figure, up, front, zero_is_upright }
        })
    }

    /// How sure the roles of its joints are.
    fn sureness(&self) -> f64 {
        self.figure.find(Role::Hips).map_or(0.0, |hips| self.figure.roles.confidence[hips])
    }
}

/// Frames of the first second between those in which a body is looked for, and how sure it must be to end the search. The
/// pose of zero channels is no body in many files.
const TRIED_STEP: usize = 8;
const SURE: f64 = 0.75;

/// A motion in one pose, upright, with the roles of its joints.
fn figure_of(motion: &Motion, partners: &[Option<usize>], pose: &Pose, up: &Axis, front: &Vec3) -> Figure {
    let turned = pose.turned(&upright(&up.vector(), front));
    let names = motion.joints.iter().map(|joint| joint.name.clone()).collect();
    let parents = motion.joints.iter().map(|joint| joint.parent).collect();
    let is_end = motion.joints.iter().map(|joint| joint.is_end).collect();
    let mut figure = Figure::bare(names, parents, turned.positions, is_end);
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
            figure.roles.set(foot, Role::Limb(limb, side, Segment::End), Reason::Tree, 0.8);
        }
    }
}

/// The axis along which the head is above the feet, or above the hips of a body without legs, or the shoulders and hips of an animal above its feet, on average.
fn up_axis(figure: &Figure, zero: &Pose, use_zero: bool, poses: &[Pose]) -> Option<Axis> {
    let mut ends: Vec<usize> = figure
        .legs()
        .iter()
        .filter_map(|&(limb, side)| {
            figure.limb(limb, side, Segment::End).or(figure.limb(limb, side, Segment::Lower))
        })
        .collect();
    if ends.is_empty() {
        ends.extend(figure.find(Role::Hips));
    }
    let tops: Vec<usize> = if figure.is_quadruped() {
        figure.legs().iter().filter_map(|&(limb, side)| figure.limb(limb, side, Segment::Upper)).collect()
    } else {
        figure.find(Role::Head).into_iter().collect()
    };
    if ends.is_empty() || tops.is_empty() {
        return None;
    }
    let mean = |pose: &Pose, joints: &[usize]| -> Vec3 {
        joints.iter().map(|&joint| pose.positions[joint]).sum::<Vec3>() / joints.len() as f64
    };
    let zero = use_zero.then_some(zero);
    let sum: Vec3 = zero.into_iter().chain(poses).map(|pose| mean(pose, &tops) - mean(pose, &ends)).sum();
    Axis::ALL.into_iter().max_by(|a, b| a.vector().dot(&sum).total_cmp(&b.vector().dot(&sum)))
}

/// From a file's axes to +Y up and +Z ahead.
fn upright(up: &Vec3, front: &Vec3) -> Quat {
    let level = (front - up * up.dot(front)).try_normalize(1e-9).unwrap_or_else(|| {
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
    /// From the hips, or from all limbs that have two sides.
    fn of(figure: &Figure, positions: &[Vec3], up: &Vec3) -> Option<BodyFrame> {
        let across = |limb: Limb| -> Option<Vec3> {
            let joint = |side: Side| figure.limb(limb, side, Segment::Upper).map(|joint| positions[joint]);
            Some(joint(Side::Left)? - joint(Side::Right)?)
        };
        let across = across(Limb::Leg).or_else(|| across(Limb::Arm))?;
        let left = (across - up * up.dot(&across)).try_normalize(1e-9)?;
        Some(BodyFrame { left, front: left.cross(up) })
    }
}

/// Where the feet of an upright figure point, level and not of unit length.
fn toes(figure: &Figure) -> Option<Vec3> {
    let mut sum = Vec3::zeros();
    for (limb, side) in figure.legs() {
        let joint = |segment: Segment| figure.limb(limb, side, segment);
        let (Some(heel), Some(tip)) = (joint(Segment::End), joint(Segment::Tip).or(joint(Segment::Toes)))
        else {
            continue;
        };
        sum += figure.positions[tip] - figure.positions[heel];
    }
    sum.y = 0.0;
    (sum.norm() > 0.02 * figure.leg_length()).then_some(sum)
}

/// How much a pose stands like a character at rest: 1 is the best.
fn score(figure: &Figure, pose: &Pose, up: &Vec3) -> f64 {
    let at = |joint: usize| pose.positions[joint];
    let Some(frame) = BodyFrame::of(figure, &pose.positions, up) else { return 0.0 };
    let chord = |limb: Limb, side: Side| -> Option<Vec3> {
        let end = figure.limb(limb, side, Segment::End).or(figure.limb(limb, side, Segment::Lower))?;
        (at(end) - at(figure.limb(limb, side, Segment::Upper)?)).try_normalize(1e-9)
    };
    let is_animal = figure.is_quadruped();
    let (mut sum, mut most) = (0.0, 0.0);
    for limb in [Limb::Leg, Limb::FrontLeg, Limb::Arm] {
        for side in [Side::Left, Side::Right] {
            let Some(direction) = chord(limb, side) else { continue };
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
    let hips = figure.find(Role::Hips).map(at);
    let head = figure.find(Role::Head).map(at);
    if let (Some(hips), Some(head)) = (hips, head)
        && let Some(spine) = (head - hips).try_normalize(1e-9)
    {
        most += 1.0;
        sum += if is_animal { spine.dot(&frame.front).max(0.0) } else { spine.dot(up) };
        if !is_animal && spine.dot(up) < 0.0 {
            sum -= 2.0;
        }
    }
    // Symmetry: every joint against the mirror image of its partner.
    let size = figure.branches.below[0].max(f64::MIN_POSITIVE);
    let middle = hips.unwrap_or(pose.positions[0]);
    let (mut off, mut pairs) = (0.0, 0);
    for (joint, partner) in figure.partners.iter().enumerate().filter_map(|(j, p)| Some((j, (*p)?))) {
        if !figure.branches.is_body[joint] || !figure.branches.is_body[partner] {
            continue;
        }
        let (a, b) = (at(joint) - middle, at(partner) - middle);
        let mirrored = b - frame.left * (2.0 * frame.left.dot(&b));
        off += (a - mirrored).norm() / size;
        pairs += 1;
    }
    if pairs > 0 {
        most += 0.5;
        sum += 0.5 * (1.0 - 4.0 * off / f64::from(pairs)).max(0.0);
    }
    // Feet beyond each other: the sides are crossed.
    let foot = |side: Side| figure.limb(Limb::Leg, side, Segment::End).map(at);
    if let (Some(left), Some(right)) = (foot(Side::Left), foot(Side::Right))
        && (left - right).dot(&frame.left) < 0.0
    {
        sum -= 1.0;
    }
    if most > 0.0 { sum / most } else { 0.0 }
}

// ---- rest alignment ----

/// Below this sine of its bend a knee or an elbow is straight and has no axis of its own.
const STRAIGHT: f64 = 0.1;
/// Cosine of the most that the axes of two knees or elbows differ if they mean the same. A leg that is drawn bent to the side
/// would be twisted by a right angle.
const SAME_HINGE: f64 = 0.7;
/// The most that a collar bone is turned: its direction is rig geometry as often as pose.
const COLLAR_DEGREES: f64 = 20.0;
/// Arms that point forward by more than this cosine have no use for the forward axis.
const POINTS_FORWARD: f64 = 0.8;

/// For each joint of the character the rotation, in the axes of the figures, that brings its bone from its rest to the
/// reference pose of the motion: `A_j` with `A_j d_target = d_source`, twist included.
///
/// A joint that nothing moves, and one without a bone, has that of its parent. Feet and heads are turned about the
/// vertical only, because the slope of a foot is how its rig was drawn; hands follow the forearm.
pub fn rest_alignment(target: &Figure, source: &Figure, map: &JointMap) -> Vec<Quat> {
    let mut aligned: Vec<Quat> = vec![Quat::identity(); target.names.len()];
    for joint in 0..target.names.len() {
        let parent = target.parents[joint].map_or(Quat::identity(), |parent| aligned[parent]);
        aligned[joint] = align_joint(target, source, map, joint, &parent).unwrap_or(parent);
    }
    aligned
}

fn align_joint(
    target: &Figure,
    source: &Figure,
    map: &JointMap,
    joint: usize,
    parent: &Quat,
) -> Option<Quat> {
    let found = map.matches[joint]?;
    let role = target.roles.roles[joint]?;
    let trunks = || matches!(role, Role::Hips | Role::Spine).then(|| trunk(target).zip(trunk(source)))?;
    let bones = || {
        if let Some(trunks) = trunks() {
            return Some(trunks);
        }
        let theirs = match found.origin {
            Origin::Joint(from) => bone(source, from)?,
            Origin::Between(a, b, share) => bone(source, a)?.lerp(&bone(source, b)?, share),
        };
        Some((bone(target, joint)?.try_normalize(1e-9)?, theirs.try_normalize(1e-9)?))
    };
    match role {
        // Gaze stays level and soles stay flat, whether or not there is a tip that says where they point.
        Role::Head => return Some(yaw(&forward(target), &forward(source)).unwrap_or_else(Quat::identity)),
        Role::Limb(Limb::Leg | Limb::FrontLeg, _, Segment::End) => {
            return Some(
                bones().and_then(|(ours, theirs)| yaw(&ours, &theirs)).unwrap_or_else(Quat::identity),
            );
        }
        _ => {}
    }
    let (ours, theirs) = bones()?;
    match role {
        Role::Limb(_, _, Segment::Toes) => Some(*parent),
        // A hand without fingers has no direction of its own to trust.
        Role::Limb(Limb::Arm, side, Segment::End) => {
            let has_fingers = |figure: &Figure| figure.limb(Limb::Arm, side, Segment::Toes).is_some();
            let is_known = has_fingers(target) && has_fingers(source);
            Some(if is_known { least_turn(&(parent * ours), &theirs) * parent } else { *parent })
        }
        Role::Limb(_, _, Segment::Girdle) => {
            let turn = least_turn(&ours, &theirs);
            let most = COLLAR_DEGREES.to_radians();
            Some(if turn.angle() > most { turn.powf(most / turn.angle()) } else { turn })
        }
        _ => {
            let (n, m) = secondary(target, source, role, &ours, &theirs)?;
            match (bone_frame(&ours, &n), bone_frame(&theirs, &m)) {
                (Some(ours), Some(theirs)) => Some(rotation_of(&(theirs * ours.transpose()))),
                // Without a second direction the twist of the parent is kept.
                _ => Some(least_turn(&(parent * ours), &theirs) * parent),
            }
        }
    }
}

/// Joints nearer than this part of a leg have no direction from one to the other: helpers in one place, which files and
/// programs round apart, and stubs whose slope is how a rig was drawn. Vertebrae of a spine of ten are 0.05 apart.
const STUB: f64 = 0.03;

/// From a joint to the joint that its bone leads to: the next one that is not in the same place.
fn bone(figure: &Figure, joint: usize) -> Option<Vec3> {
    let role = figure.roles.roles[joint]?;
    let to = |other: usize| figure.positions[other] - figure.positions[joint];
    let shortest = STUB * figure.leg_length();
    let is_far = |other: &usize| to(*other).norm() > shortest;
    let all = |role: Role| {
        let joints = (0..figure.names.len()).filter(move |&other| figure.roles.roles[other] == Some(role));
        joints.filter(move |&other| other != joint)
    };
    let next = match role {
        Role::Limb(limb, side, segment) => {
            let chain = figure.limb_chain(limb, side).into_iter();
            chain.filter(|&next| figure.segment(next) > Some(segment)).find(is_far)
        }
        // Hips in which the spine begins stand as they are: where the spine leads to is its own posture.
        Role::Hips => all(Role::Spine).chain(all(Role::Neck)).chain(all(Role::Head)).next().filter(is_far),
        Role::Head => all(Role::HeadTip).find(is_far),
        Role::Spine | Role::Neck | Role::Tail => {
            // The next of its kind further on, or what follows the last one.
            let below = |other: &usize| crate::skeleton::roles::is_above(figure, joint, *other);
            let after = match role {
                Role::Spine => all(Role::Neck).chain(all(Role::Head)).find(is_far),
                Role::Neck => all(Role::Head).find(is_far),
                _ => figure.branches.heir[joint].filter(is_far),
            };
            all(role).filter(below).find(is_far).or(after)
        }
        Role::HeadTip => None,
    };
    next.map(to)
}

/// The trunk of an animal, from the hips of its hind legs to the shoulders of its forelegs. Where its vertebrae are is how its
/// rig was drawn: some hang all legs and the neck on one joint in the belly, and a body aligned with that would rear.
fn trunk(figure: &Figure) -> Option<Vec3> {
    let middle = |limb: Limb| -> Option<Vec3> {
        let at = |side: Side| figure.limb(limb, side, Segment::Upper).map(|joint| figure.positions[joint]);
        Some((at(Side::Left)? + at(Side::Right)?) * 0.5)
    };
    (middle(Limb::FrontLeg)? - middle(Limb::Leg)?).try_normalize(1e-9)
}

/// The second direction of a bone's frame, on both figures by the same rule.
fn secondary(
    target: &Figure,
    source: &Figure,
    role: Role,
    ours: &Vec3,
    theirs: &Vec3,
) -> Option<(Vec3, Vec3)> {
    Some(match role {
        Role::Limb(limb, side, _) => {
            let hinge = |figure: &Figure| -> Option<Vec3> {
                let at =
                    |segment: Segment| figure.limb(limb, side, segment).map(|joint| figure.positions[joint]);
                let (upper, lower) = (at(Segment::Upper)?, at(Segment::Lower)?);
                let end = at(Segment::End).or(at(Segment::Hock))?;
                let axis = (lower - upper).try_normalize(1e-9)?.cross(&(end - lower).try_normalize(1e-9)?);
                (axis.norm() > STRAIGHT).then(|| axis.normalize())
            };
            match (hinge(target), hinge(source)) {
                (Some(a), Some(b)) if a.dot(&b) > SAME_HINGE => (a, b),
                _ if limb == Limb::Arm => {
                    // Level or hanging, an arm without a bend keeps its palm where it is: forward stays forward.
                    let points_forward = [ours, theirs].iter().any(|d| d.z.abs() > POINTS_FORWARD);
                    if points_forward { (Vec3::y(), Vec3::y()) } else { (Vec3::z(), Vec3::z()) }
                }
                _ => (across(target, Limb::Leg)?, across(source, Limb::Leg)?),
            }
        }
        Role::Hips => (across(target, Limb::Leg)?, across(source, Limb::Leg)?),
        Role::Tail => (Vec3::x(), Vec3::x()),
        _ => {
            let shoulders =
                |figure: &Figure| across(figure, Limb::Arm).or_else(|| across(figure, Limb::FrontLeg));
            (shoulders(target)?, shoulders(source)?)
        }
    })
}

fn across(figure: &Figure, limb: Limb) -> Option<Vec3> {
    let at = |side: Side| figure.limb(limb, side, Segment::Upper).map(|joint| figure.positions[joint]);
    (at(Side::Left)? - at(Side::Right)?).try_normalize(1e-9)
}

/// Where a figure faces: level, from its hips.
fn forward(figure: &Figure) -> Vec3 {
    across(figure, Limb::Leg).map_or(Vec3::z(), |left| left.cross(&Vec3::y()))
}

/// `[d, n, d × n]`, with `n` made orthogonal. `None` if the two are parallel.
fn bone_frame(d: &Vec3, n: &Vec3) -> Option<Mat3> {
    let n = (n - d * d.dot(n)).try_normalize(1e-3)?;
    Some(Mat3::from_columns(&[*d, n, d.cross(&n)]))
}

/// The smallest rotation from one direction to another.
fn least_turn(from: &Vec3, to: &Vec3) -> Quat {
    Quat::rotation_between(from, to).unwrap_or_else(|| {
        let other = if from.x.abs() < 0.9 { Vec3::x() } else { Vec3::y() };
        Quat::from_axis_angle(&nalgebra::Unit::new_normalize(from.cross(&other)), std::f64::consts::PI)
    })
}

/// The turn about the vertical from one direction to another.
fn yaw(from: &Vec3, to: &Vec3) -> Option<Quat> {
    let (a, b) = (from.xz(), to.xz());
    if a.norm() < 1e-6 || b.norm() < 1e-6 {
        return None;
    }
    // About +Y, +Z turns to +X.
    let angle = atan2(b.x, b.y) - atan2(a.x, a.y);
    Some(Quat::from_axis_angle(&Vec3::y_axis(), angle))
}

#[cfg(test)]
mod tests {
    use super::super::joint_map::map_joints;
    use super::*;
    use crate::io::skeleton_file;
    use crate::skeleton::built_in;

    fn human() -> Figure {
        Figure::of_skeleton(&skeleton_file::read(built_in()[0].text).unwrap())
    }

    /// The human with each arm turned about the shoulder.
    fn with_arms(turn: impl Fn(f64) -> Quat) -> Figure {
        let mut figure = human();
        for (side, sign) in [(Side::Left, 1.0), (Side::Right, -1.0)] {
            let shoulder = figure.positions[figure.limb(Limb::Arm, side, Segment::Upper).unwrap()];
            for segment in [Segment::Lower, Segment::End, Segment::Tip] {
                let joint = figure.limb(Limb::Arm, side, segment).unwrap();
                figure.positions[joint] = shoulder + turn(sign) * (figure.positions[joint] - shoulder);
            }
        }
        figure
    }

    #[test]
    fn a_figure_is_aligned_with_itself_already() {
        let human = human();
        for turn in rest_alignment(&human, &human, &map_joints(&human, &human)) {
            assert!(turn.angle() < 1e-9);
        }
    }

    /// T-pose against A-pose, both ways: the arm turns in the plane of the body and does not twist.
    #[test]
    fn raised_arms_do_not_twist() {
        let hanging = human();
        for degrees in [40.0f64, 25.0, -45.0] {
            let raised =
                with_arms(|sign| Quat::from_axis_angle(&Vec3::z_axis(), sign * degrees.to_radians()));
            for (target, source) in [(&hanging, &raised), (&raised, &hanging)] {
                let aligned = rest_alignment(target, source, &map_joints(target, source));
                for side in [Side::Left, Side::Right] {
                    for segment in [Segment::Upper, Segment::Lower, Segment::End] {
                        let joint = target.limb(Limb::Arm, side, segment).unwrap();
                        let turn = aligned[joint];
                        assert!(
                            (turn.angle().to_degrees() - degrees.abs()).abs() < 1e-6,
                            "{}",
                            turn.angle().to_degrees()
                        );
                        let axis = turn.axis().unwrap();
                        assert!(axis.z.abs() > 1.0 - 1e-9, "{degrees}: turns about {axis:?}");
                    }
                }
            }
        }
    }

    /// The slope of a foot is how its rig was drawn; only where it points counts.
    #[test]
    fn feet_turn_about_the_vertical_only() {
        let human = human();
        let mut other = human.clone();
        for side in [Side::Left, Side::Right] {
            let heel = other.positions[other.limb(Limb::Leg, side, Segment::End).unwrap()];
            for segment in [Segment::Toes, Segment::Tip] {
                let joint = other.limb(Limb::Leg, side, segment).unwrap();
                let way = other.positions[joint] - heel;
                let splay = if side == Side::Left { 0.3 } else { -0.3 };
                let sloped = Vec3::new(way.x, way.y - 0.08, way.z);
                other.positions[joint] = heel + Quat::from_axis_angle(&Vec3::y_axis(), splay) * sloped;
            }
        }
        let aligned = rest_alignment(&human, &other, &map_joints(&human, &other));
        for (side, splay) in [(Side::Left, 0.3), (Side::Right, -0.3)] {
            for segment in [Segment::End, Segment::Toes] {
                let turn = aligned[human.limb(Limb::Leg, side, segment).unwrap()];
                let expected = Quat::from_axis_angle(&Vec3::y_axis(), splay);
                assert!(turn.angle_to(&expected) < 1e-9);
            }
        }
    }

    /// A head without a tip looks where the body does, however its neck leans.
    #[test]
    fn heads_stay_level_without_a_tip() {
        let human = human();
        let mut leaning = human.clone();
        let (head, tip) = (leaning.find(Role::Head).unwrap(), leaning.find(Role::HeadTip).unwrap());
        leaning.positions[head].z += 0.05;
        leaning.roles.roles[tip] = None;
        let aligned = rest_alignment(&human, &leaning, &map_joints(&human, &leaning));
        let neck = human.find(Role::Neck).unwrap();
        assert!(aligned[neck].angle() > 0.3 && aligned[head].angle() < 1e-9);
    }

    /// Joints in one place are rounded apart by programs: what lies between them is no direction.
    #[test]
    fn helpers_in_one_place_have_no_direction() {
        let human = human();
        let mut other = human.clone();
        let (hips, spine) = (other.find(Role::Hips).unwrap(), other.find(Role::Spine).unwrap());
        other.positions[spine] = other.positions[hips] + Vec3::new(3e-6, -1e-6, 2e-6);
        let aligned = rest_alignment(&human, &other, &map_joints(&human, &other));
        assert!(aligned[hips].angle() < 0.1, "{}", aligned[hips].angle());
    }

    /// Animals drawn with vertebrae elsewhere stand on their legs as they are, and do not rear.
    #[test]
    fn trunks_of_animals_are_between_their_legs() {
        let skeletons = built_in().iter().map(|file| skeleton_file::read(file.text).unwrap());
        let animal = skeletons.into_iter().find(|skeleton| skeleton.name == "quadruped").unwrap();
        let animal = Figure::of_skeleton(&animal);
        let mut other = animal.clone();
        let hips = other.find(Role::Hips).unwrap();
        other.positions[hips] += Vec3::new(0.0, -0.2, 0.3);
        let aligned = rest_alignment(&animal, &other, &map_joints(&animal, &other));
        for joint in (0..aligned.len()).filter(|&joint| animal.roles.roles[joint] == Some(Role::Spine)) {
            assert!(aligned[joint].angle() < 1e-9, "{}", animal.names[joint]);
        }
        assert!(aligned[hips].angle() < 1e-9);
    }

    /// A knee that bends the other way round the leg brings its axis along.
    #[test]
    fn bent_knees_bring_their_hinge() {
        let bent = |yaw: f64| {
            let mut figure = human();
            for side in [Side::Left, Side::Right] {
                let hip = figure.positions[figure.limb(Limb::Leg, side, Segment::Upper).unwrap()];
                let knee = figure.limb(Limb::Leg, side, Segment::Lower).unwrap();
                let forward = Quat::from_axis_angle(&Vec3::y_axis(), yaw) * Vec3::new(0.0, 0.0, 0.08);
                figure.positions[knee] = Vec3::new(hip.x, figure.positions[knee].y, hip.z) + forward;
            }
            figure
        };
        let (target, source) = (bent(0.0), bent(0.4));
        let aligned = rest_alignment(&target, &source, &map_joints(&target, &source));
        for side in [Side::Left, Side::Right] {
            let turn = aligned[target.limb(Limb::Leg, side, Segment::Lower).unwrap()];
            assert!(
                turn.angle_to(&Quat::from_axis_angle(&Vec3::y_axis(), 0.4)) < 1e-6,
                "{:?}",
                turn.euler_angles()
            );
        }
    }
}
