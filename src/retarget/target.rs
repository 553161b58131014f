//! A character as the retargeter sees it: upright and facing +Z, its legs found, its soles measured.

use super::found_helpers::is_own_piece;
use super::joint_map::JointMap;
use super::moved_tree::MovedTree;
use super::{NO_DIRECTION, limb_across, limb_position};
use crate::math::{Quat, Vec3, atan2};
use crate::motion::Pose;
use crate::rig::{HelperDriver, Rig, RigSole, SOLE_THICKNESS};
use crate::skeleton::naming::{Limb, Role, Segment, Side};
use crate::skeleton::{BodyKind, Figure};

/// A leg of the character.
#[derive(Debug, Clone)]
pub(super) struct TargetLeg {
    pub key: (Limb, Side),
    pub hip: usize,
    pub knee: usize,
    /// The heel of an animal, where a third bone begins.
    pub hock: Option<usize>,
    pub ankle: usize,
    pub toes: Option<usize>,
    /// Where the toes begin, in the axes of the foot; two thirds along the sole of a foot without toes.
    pub ball: Vec3,
    /// The foot is a bone of its own, which may leave the end of the leg.
    pub is_foot_separate: bool,
    /// Everything that hangs on the hip, in order, with the bone it moves with.
    pub parts: Vec<(usize, Bone)>,
    /// The axis about which the knee bends, in the axes of the upper bone.
    pub hinge: Vec3,
    /// From ankle to ball.
    pub foot_length: f64,
    /// Upper and lower bone, and the third one of an animal or 0.
    pub lengths: [f64; 3],
    pub sole: Sole,
}

impl TargetLeg {
    /// From hip to ankle, if it is as straight as a leg with such a part of its own length. Beyond its length it does not reach.
    pub fn stretched(&self, extension: f64) -> f64 {
        extension.min(1.0) * self.lengths.iter().sum::<f64>()
    }
}

/// The bones of a leg.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Bone {
    Upper,
    Lower,
    /// From the hock to the paw.
    Metatarsal,
    Foot,
    Toes,
}

/// The vertices of a sole, relative to the ankle.
#[derive(Debug, Clone, Default)]
pub(super) struct Sole {
    points: Vec<SolePoint>,
    /// Where the toes begin, in the axes of the foot.
    toes: Vec3,
}

#[derive(Debug, Clone, Copy)]
struct SolePoint {
    in_foot: Vec3,
    in_toes: Vec3,
    /// How much of it the toes move.
    by_toes: f64,
}

impl Sole {
    /// How far below the ankle the lowest vertex is, as a negative number.
    pub fn lowest(&self, foot: &Quat, toes: &Quat) -> f64 {
        let (down_foot, down_toes) = (foot.inverse() * Vec3::y(), toes.inverse() * Vec3::y());
        let toes = down_foot.dot(&self.toes);
        self.points
            .iter()
            .map(|point| {
                let by_foot = down_foot.dot(&point.in_foot);
                by_foot + point.by_toes * (toes + down_toes.dot(&point.in_toes) - by_foot)
            })
            .fold(f64::INFINITY, f64::min)
    }

    /// How far it reaches behind and in front of the ankle at rest, within so much of the ground.
    fn extent(&self, rest: &Quat, thickness: f64) -> [f64; 2] {
        let at_rest = self.points.iter().map(|point| rest * point.in_foot);
        let lowest = at_rest.clone().map(|point| point.y).fold(f64::INFINITY, f64::min);
        let low = at_rest.filter(|point| point.y <= lowest + thickness);
        low.map(|point| point.z).fold([0.0, 0.0], |[back, front], z| [z.min(back), z.max(front)])
    }

    fn of(rig: &RigSole, target: &Target, leg: &TargetLeg) -> Sole {
        let inverse = target.world_from_figure.inverse();
        let axes = SoleAxes::of(target, leg);
        let points = rig.points.iter().map(|point| {
            let by_toes = point.weights.iter().filter(|(joint, _)| leg.parts.contains(&(*joint, Bone::Toes)));
            axes.point(inverse * point.position, by_toes.map(|(_, weight)| weight).sum())
        });
        Sole { points: points.collect(), toes: axes.foot * (axes.ball - axes.ankle) }
    }

    /// Where the surface is not known: on the floor below the ankle, a heel behind it, the toes and their tip.
    fn guessed(target: &Target, leg: &TargetLeg, tip: Option<Vec3>) -> Sole {
        let axes = SoleAxes::of(target, leg);
        let ball = leg.toes.map(|joint| target.figure.positions[joint]);
        let front = tip.or(ball).unwrap_or(axes.ankle);
        let heel = axes.ankle - (front - axes.ankle) * GUESSED_HEEL;
        let by_toes = if leg.toes.is_some() { 1.0 } else { 0.0 };
        let points = [(heel, 0.0), (axes.ankle, 0.0), (front, by_toes)].into_iter();
        let points = points.chain(ball.map(|ball| (ball, 0.5)));
        let points = points
            .map(|(position, by_toes)| axes.point(Vec3::new(position.x, target.floor, position.z), by_toes));
        Sole { points: points.collect(), toes: axes.foot * (axes.ball - axes.ankle) }
    }
}

/// Foot and toes at rest: where they begin, and the rotations into their axes.
struct SoleAxes {
    ankle: Vec3,
    ball: Vec3,
    foot: Quat,
    toes: Quat,
}

impl SoleAxes {
    fn of(target: &Target, leg: &TargetLeg) -> SoleAxes {
        let toes = leg.toes.unwrap_or(leg.ankle);
        let [ankle, ball] = [leg.ankle, toes].map(|joint| target.figure.positions[joint]);
        let [foot, toes] = [leg.ankle, toes].map(|joint| target.rest[joint].inverse());
        SoleAxes { ankle, ball, foot, toes }
    }

    /// A point of the sole, of which the toes move a share.
    fn point(&self, position: Vec3, by_toes: f64) -> SolePoint {
        SolePoint {
            in_foot: self.foot * (position - self.ankle),
            in_toes: self.toes * (position - self.ball),
            by_toes,
        }
    }
}

/// A character as motions are moved onto it. It is the same for all clips of a rig.
#[derive(Debug, Clone)]
pub struct Target {
    pub(super) rig: Rig,
    /// Joints of the rig, then tips; upright, facing +Z. Tips have the roles of tips only.
    pub(super) figure: Figure,
    /// From the figure's axes to those of the rig.
    pub(super) world_from_figure: Quat,
    /// Number of joints of the rig.
    pub(super) joints: usize,
    /// What follows these joints, also behind them.
    helpers: HelperDriver,
    /// What its joints move with.
    pub(super) tree: MovedTree,
    /// From the joint that each moves with, in the axes of that.
    pub(super) offsets: Vec<Vec3>,
    /// World rotations at rest, in the figure's axes.
    pub(super) rest: Vec<Quat>,
    pub(super) legs: Vec<TargetLeg>,
    /// The joint that carries the body; the first one where none is the pelvis.
    pub(super) hips: usize,
    /// Height of the ground.
    pub(super) floor: f64,
    pub(super) leg_length: f64,
}

/// A character may face this far off +Z, as a sine, and is still taken as it is.
const FACING: f64 = 0.1;
/// Below this sine a knee is straight at rest and bends about the axis across the body.
const STRAIGHT: f64 = 0.1;
/// Cosine of the most that the axis of a knee is off the axis across the body.
const ACROSS: f64 = 0.7;
/// How far the heel of a foot without a surface is behind the ankle, in parts of its front.
const GUESSED_HEEL: f64 = 0.25;

impl Target {
    /// A rig with the roles of its joints, its legs and its soles.
    pub fn of(rig: &Rig) -> Target {
        let (helpers, rig) = (HelperDriver::of(rig), rig.without_helpers());
        let mut world_from_figure = Quat::identity();
        let mut figure = rig.figure(&world_from_figure);
        if let Some(left) = across(&figure)
            && (left.x < 0.0 || left.z.abs() > FACING * left.norm())
        {
            let yaw = atan2(-left.z, left.x);
            world_from_figure = Quat::from_axis_angle(&Vec3::y_axis(), yaw);
            figure = rig.figure(&world_from_figure.inverse());
        }
        let inverse = world_from_figure.inverse();
        let rest: Vec<Quat> = rig.joints.iter().map(|joint| inverse * joint.rest.rotation).collect();
        let tree = MovedTree::of(&figure, rig.joints.len());
        let floor = floor(&rig, &figure);
        let offsets = (0..rig.joints.len()).map(|joint| match tree.parent(joint) {
            Some(parent) => rest[parent].inverse() * (figure.positions[joint] - figure.positions[parent]),
            None => figure.positions[joint],
        });
        let offsets = offsets.collect();
        let mut target = Target {
            joints: rig.joints.len(),
            rig,
            helpers,
            world_from_figure,
            tree,
            offsets,
            rest,
            legs: vec![],
            hips: figure.find(Role::Hips).unwrap_or(0),
            floor,
            leg_length: figure.leg_length(),
            figure,
        };
        target.legs = target.figure.legs().into_iter().filter_map(|key| target.leg(key)).collect();
        target
    }

    /// What kind of body it is, if that is plain.
    pub fn body(&self) -> Option<BodyKind> {
        self.figure.body()
    }

    /// The joint that carries the body; the first one where none is the pelvis.
    pub fn hips(&self) -> usize {
        self.hips
    }

    /// Joints of limbs that are pieces of their own bones: a few.
    pub(super) fn own_pieces(&self) -> Vec<usize> {
        self.rig.helpers.iter().filter(|helper| is_own_piece(helper)).map(|helper| helper.joint).collect()
    }

    /// What turns the joints that follow others, but for those that the motion itself moves.
    pub(super) fn helpers(&self, map: &JointMap) -> HelperDriver {
        let own = self.own_pieces();
        let is_moved =
            |joint: usize| joint < self.joints && map.matches[joint].is_some() && !own.contains(&joint);
        self.helpers.clone().except(is_moved)
    }

    /// Height of the highest joint or end of a bone above the ground, at rest.
    pub(super) fn height(&self) -> f64 {
        self.figure.positions.iter().map(|position| position.y - self.floor).fold(0.0, f64::max)
    }

    /// The pose at rest, in the axes of the figure.
    pub(super) fn at_rest(&self) -> Pose {
        Pose { positions: self.figure.positions[..self.joints].to_vec(), rotations: self.rest.clone() }
    }

    /// Where a joint is in a pose by the one that it moves with.
    pub(super) fn attached(&self, pose: &Pose, joint: usize) -> Vec3 {
        match self.tree.parent(joint) {
            Some(parent) => pose.positions[parent] + pose.rotations[parent] * self.offsets[joint],
            None => self.offsets[joint],
        }
    }

    /// World rotations of foot and toes at rest.
    pub(super) fn foot_at_rest(&self, leg: &TargetLeg) -> [Quat; 2] {
        [leg.ankle, leg.toes.unwrap_or(leg.ankle)].map(|joint| self.rest[joint])
    }

    /// Height of the ankle above the ground when the foot stands as at rest.
    pub(super) fn ankle_height(&self, leg: &TargetLeg) -> f64 {
        let [foot, toes] = self.foot_at_rest(leg);
        -leg.sole.lowest(&foot, &toes)
    }

    fn leg(&self, key: (Limb, Side)) -> Option<TargetLeg> {
        let (rig, tree) = (&self.rig, &self.tree);
        let joints = LegJoints::of(&self.figure, key, tree)?;
        let LegJoints { hip, knee, hock, ankle, toes } = joints;
        let parts = tree.subtree(hip).map(|joint| (joint, joints.bone(joint, tree))).collect();
        let positions = &self.figure.positions;
        let lower_end = hock.unwrap_or(ankle);
        let third = hock.map_or(0.0, |hock| (positions[ankle] - positions[hock]).norm());
        let (upper, lower) = (positions[knee] - positions[hip], positions[lower_end] - positions[knee]);
        let lengths = [upper.norm(), lower.norm(), third];
        if !(lengths[0] > 0.0 && lengths[1] > 0.0) {
            return None;
        }
        let mut leg = TargetLeg {
            key,
            hip,
            knee,
            hock,
            ankle,
            toes,
            ball: Vec3::zeros(),
            is_foot_separate: !rig.joints.is_below(ankle, knee),
            parts,
            hinge: self.rest[hip].inverse()
                * hinge(key.0, &(upper.cross(&lower) / (lengths[0] * lengths[1]))),
            lengths,
            foot_length: 0.0,
            sole: Sole::default(),
        };
        let tip = limb_position(&self.figure, key, Segment::Tip);
        leg.sole = match rig.soles.iter().find(|sole| sole.foot == ankle) {
            Some(sole) => Sole::of(sole, self, &leg),
            None => Sole::guessed(self, &leg, tip),
        };
        leg.ball = self.rest[ankle].inverse() * self.ankle_to_ball(&leg);
        leg.foot_length = leg.ball.norm();
        Some(leg)
    }

    /// To the toes; a foot in one piece rolls over its front third.
    fn ankle_to_ball(&self, leg: &TargetLeg) -> Vec3 {
        if let Some(toes) = leg.toes {
            return self.figure.positions[toes] - self.figure.positions[leg.ankle];
        }
        let [back, front] = leg.sole.extent(&self.rest[leg.ankle], SOLE_THICKNESS * self.leg_length);
        Vec3::new(0.0, -self.ankle_height(leg), back + (front - back) * 2.0 / 3.0)
    }
}

/// The joints of a leg, each below the one before.
#[derive(Clone, Copy)]
struct LegJoints {
    hip: usize,
    knee: usize,
    hock: Option<usize>,
    ankle: usize,
    toes: Option<usize>,
}

impl LegJoints {
    fn of(figure: &Figure, (limb, side): (Limb, Side), tree: &MovedTree) -> Option<LegJoints> {
        let [hip, knee, hock, end, toes] =
            [Segment::Upper, Segment::Lower, Segment::Hock, Segment::End, Segment::Toes]
                .map(|segment| figure.limb(limb, side, segment));
        let (hip, knee) = (hip?, knee?);
        let (hock, ankle) = match (hock, end) {
            (hock, Some(end)) => (hock, end),
            (Some(hock), None) => (None, hock),
            (None, None) => return None,
        };
        let toes = toes.filter(|&toes| tree.is_below(toes, ankle));
        let is_chain = tree.is_below(knee, hip)
            && tree.is_below(ankle, knee)
            && hock.is_none_or(|hock| tree.is_below(hock, knee));
        is_chain.then_some(LegJoints { hip, knee, hock, ankle, toes })
    }

    /// The bone with which a joint below the hip moves.
    fn bone(&self, joint: usize, tree: &MovedTree) -> Bone {
        if self.toes.is_some_and(|toes| tree.is_below(joint, toes)) {
            Bone::Toes
        } else if tree.is_below(joint, self.ankle) {
            Bone::Foot
        } else if self.hock.is_some_and(|hock| tree.is_below(joint, hock)) {
            Bone::Metatarsal
        } else if tree.is_below(joint, self.knee) {
            Bone::Lower
        } else {
            Bone::Upper
        }
    }
}

/// The axis about which a leg is drawn bent against the way of all knees, or elbows: its middle joint is a hock or a wrist. `None`
/// for all other legs.
pub(super) fn bend_of_hock(figure: &Figure, key: (Limb, Side)) -> Option<Vec3> {
    let [hip, knee, end] =
        [Segment::Upper, Segment::Lower, Segment::End].map(|segment| limb_position(figure, key, segment));
    let has_hock = figure.limb(key.0, key.1, Segment::Hock).is_some();
    let (hip, knee, end) = (hip?, knee?, end.filter(|_| !has_hock)?);
    let bend = (knee - hip).cross(&(end - knee));
    let sine = bend.norm() / ((knee - hip).norm() * (end - knee).norm());
    (sine > STRAIGHT && bend.dot(&usual_bend(key.0)) < -ACROSS * bend.norm()).then(|| bend.normalize())
}

/// The axis about which knees, and the elbows of animals, bend.
fn usual_bend(limb: Limb) -> Vec3 {
    if limb == Limb::FrontLeg { -Vec3::x() } else { Vec3::x() }
}

/// The axis about which a knee bends, from its bend at rest. Knees bend backwards, the elbows of animals forwards; a leg that is
/// drawn bent to the side is drawn badly, it does not walk sideways.
fn hinge(limb: Limb, bend: &Vec3) -> Vec3 {
    let usual = usual_bend(limb);
    let is_sound = bend.norm() > STRAIGHT && bend.dot(&usual) > ACROSS * bend.norm();
    if is_sound { bend.normalize() } else { usual }
}

/// Height of the ground: that of the lowest sole, or of the lowest joint, at most zero, where no sole is known.
fn floor(rig: &Rig, figure: &Figure) -> f64 {
    let soles = rig.soles.iter().flat_map(|sole| &sole.points).map(|point| point.position.y);
    let floor = soles.fold(f64::INFINITY, f64::min);
    if floor.is_finite() {
        return floor;
    }
    figure.positions.iter().map(|position| position.y).fold(f64::INFINITY, f64::min).min(0.0)
}

impl From<&Rig> for Target {
    fn from(rig: &Rig) -> Target {
        Target::of(rig)
    }
}

/// The figure of a rig: its joints, then its tips, turned to face +Z.
pub fn figure_of(rig: &Rig) -> Figure {
    Target::of(rig).figure
}

/// From the right side of the body to its left, level.
fn across(figure: &Figure) -> Option<Vec3> {
    let limbs = [Limb::Leg, Limb::Arm].into_iter();
    let mut levels = limbs.filter_map(|limb| limb_across(figure, limb)).map(|v| Vec3::new(v.x, 0.0, v.z));
    levels.find(|level| level.norm() > NO_DIRECTION)
}
