//! A character as the retargeter sees it: upright and facing +Z, its legs found, its soles measured.

use crate::math::{Quat, Vec3, atan2};
use crate::rig::{Rig, RigSole};
use crate::skeleton::Figure;
use crate::skeleton::naming::{Limb, Role, Segment, Side};

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

    /// How far it reaches behind and in front of the ankle at rest.
    fn extent(&self, rest: &Quat) -> [f64; 2] {
        let ahead = self.points.iter().map(|point| (rest * point.in_foot).z);
        ahead.fold([0.0, 0.0], |[back, front], z| [z.min(back), z.max(front)])
    }

    fn of(rig: &RigSole, target: &Target, leg: &TargetLeg) -> Sole {
        let inverse = target.world_from_figure.inverse();
        let (ankle, foot) = (target.figure.positions[leg.ankle], target.rest[leg.ankle].inverse());
        let (ball, toes) = match leg.toes {
            Some(joint) => (target.figure.positions[joint], target.rest[joint].inverse()),
            None => (ankle, foot),
        };
        let is_toes = |joint: usize| leg.parts.contains(&(joint, Bone::Toes));
        let point = |point: &crate::rig::SolePoint| {
            let position = inverse * point.position;
            SolePoint {
                in_foot: foot * (position - ankle),
                in_toes: toes * (position - ball),
                by_toes: point.weights.iter().filter(|(joint, _)| is_toes(*joint)).map(|(_, w)| w).sum(),
            }
        };
        Sole { points: rig.points.iter().map(point).collect(), toes: foot * (ball - ankle) }
    }

    /// Where the surface is not known: on the floor below the ankle, a heel behind it, the toes and their tip.
    fn guessed(target: &Target, leg: &TargetLeg, tip: Option<Vec3>) -> Sole {
        let ankle = target.figure.positions[leg.ankle];
        let ball = leg.toes.map(|joint| target.figure.positions[joint]);
        let front = tip.or(ball).unwrap_or(ankle);
        let heel = ankle - (front - ankle) * 0.25;
        let (foot, toes) =
            (target.rest[leg.ankle], leg.toes.map_or(target.rest[leg.ankle], |j| target.rest[j]));
        let point = |place: Vec3, by_toes: f64| {
            let floored = Vec3::new(place.x, target.floor, place.z);
            SolePoint {
                in_foot: foot.inverse() * (floored - ankle),
                in_toes: toes.inverse() * (floored - ball.unwrap_or(ankle)),
                by_toes,
            }
        };
        let front_share = if leg.toes.is_some() { 1.0 } else { 0.0 };
        let mut points = vec![point(heel, 0.0), point(ankle, 0.0), point(front, front_share)];
        points.extend(ball.map(|ball| point(ball, 0.5)));
        Sole { points, toes: foot.inverse() * (ball.unwrap_or(ankle) - ankle) }
    }
}

/// The character.
#[derive(Debug, Clone)]
pub(super) struct Target {
    /// Joints of the rig, then tips; upright, facing +Z.
    pub figure: Figure,
    /// From the figure's axes to those of the rig.
    pub world_from_figure: Quat,
    /// Number of joints of the rig.
    pub joints: usize,
    /// From the parent, in its axes.
    pub offsets: Vec<Vec3>,
    /// World rotations at rest, in the figure's axes.
    pub rest: Vec<Quat>,
    pub legs: Vec<TargetLeg>,
    pub hips: Option<usize>,
    /// Height of the ground.
    pub floor: f64,
    pub leg_length: f64,
}

/// A character may face this far off +Z, as a sine, and is still taken as it is.
const FACING: f64 = 0.1;
/// Below this sine a knee is straight at rest and bends about the axis across the body.
const STRAIGHT: f64 = 0.1;
/// Cosine of the most that the axis of a knee is off the axis across the body.
const ACROSS: f64 = 0.7;

impl Target {
    pub fn of(rig: &Rig) -> Target {
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
        let offset = |(joint, data): (usize, &crate::rig::RigJoint)| match data.parent {
            Some(parent) => rest[parent].inverse() * (figure.positions[joint] - figure.positions[parent]),
            None => figure.positions[joint],
        };
        let offsets = rig.joints.iter().enumerate().map(offset).collect();
        let soles = rig.soles.iter().flat_map(|sole| &sole.points).map(|point| point.position.y);
        let lowest = |heights: &mut dyn Iterator<Item = f64>| heights.fold(f64::INFINITY, f64::min);
        let mut floor = lowest(&mut soles.into_iter());
        if !floor.is_finite() {
            floor = lowest(&mut figure.positions.iter().map(|position| position.y)).min(0.0);
        }
        let (hips, leg_length) = (figure.find(Role::Hips), figure.leg_length());
        let joints = rig.joints.len();
        let mut target = Target {
            figure,
            world_from_figure,
            joints,
            offsets,
            rest,
            legs: vec![],
            hips,
            floor,
            leg_length,
        };
        target.legs = target.figure.legs().into_iter().filter_map(|key| target.leg(key, rig)).collect();
        target
    }

    fn leg(&self, key: (Limb, Side), rig: &Rig) -> Option<TargetLeg> {
        let joint =
            |segment: Segment| self.figure.limb(key.0, key.1, segment).filter(|&joint| joint < self.joints);
        let (hip, knee) = (joint(Segment::Upper)?, joint(Segment::Lower)?);
        let (hock, end) = (joint(Segment::Hock), joint(Segment::End));
        let (hock, ankle) = match (hock, end) {
            (hock, Some(end)) => (hock, end),
            (Some(hock), None) => (None, hock),
            (None, None) => return None,
        };
        let toes = joint(Segment::Toes).filter(|&toes| rig.joints.is_below(toes, ankle));
        if !rig.joints.is_below(knee, hip)
            || !rig.joints.is_below(ankle, knee)
            || hock.is_some_and(|h| !rig.joints.is_below(h, knee))
        {
            return None;
        }
        let bone = |joint: usize| {
            if toes.is_some_and(|toes| rig.joints.is_below(joint, toes)) {
                Bone::Toes
            } else if rig.joints.is_below(joint, ankle) {
                Bone::Foot
            } else if hock.is_some_and(|hock| rig.joints.is_below(joint, hock)) {
                Bone::Metatarsal
            } else if rig.joints.is_below(joint, knee) {
                Bone::Lower
            } else {
                Bone::Upper
            }
        };
        let parts =
            (hip..self.joints).filter(|&j| rig.joints.is_below(j, hip)).map(|j| (j, bone(j))).collect();
        let at = |joint: usize| self.figure.positions[joint];
        let lower_end = hock.unwrap_or(ankle);
        let third = hock.map_or(0.0, |hock| (at(ankle) - at(hock)).norm());
        let lengths = [(at(knee) - at(hip)).norm(), (at(lower_end) - at(knee)).norm(), third];
        if !(lengths[0] > 0.0 && lengths[1] > 0.0) {
            return None;
        }
        let bend = (at(knee) - at(hip)).cross(&(at(lower_end) - at(knee))) / (lengths[0] * lengths[1]);
        // Knees bend backwards, the elbows of animals forwards.
        let usual = if key.0 == Limb::FrontLeg { -Vec3::x() } else { Vec3::x() };
        // A leg that is drawn bent to the side is drawn badly: it does not walk sideways.
        let is_sound = bend.norm() > STRAIGHT && bend.dot(&usual) > ACROSS * bend.norm();
        let hinge = if is_sound { bend.normalize() } else { usual };
        let hinge = self.rest[hip].inverse() * hinge;
        let tip = self.figure.limb(key.0, key.1, Segment::Tip).map(at);
        let mut leg = TargetLeg {
            key,
            hip,
            knee,
            hock,
            ankle,
            toes,
            ball: Vec3::zeros(),
            parts,
            hinge,
            lengths,
            foot_length: 0.0,
            sole: Sole::default(),
        };
        leg.sole = match rig.soles.iter().find(|sole| sole.foot == ankle) {
            Some(sole) => Sole::of(sole, self, &leg),
            None => Sole::guessed(self, &leg, tip),
        };
        let in_foot = self.rest[ankle].inverse();
        // A foot in one piece rolls over its front third.
        let [back, front] = leg.sole.extent(&self.rest[ankle]);
        let down =
            leg.sole.lowest(&self.rest[ankle], &leg.toes.map_or(self.rest[ankle], |toes| self.rest[toes]));
        leg.ball = match toes {
            Some(toes) => in_foot * (at(toes) - at(ankle)),
            None => in_foot * Vec3::new(0.0, down, back + (front - back) * 2.0 / 3.0),
        };
        leg.foot_length = leg.ball.norm();
        Some(leg)
    }
}

/// The figure of a rig: its joints, then its tips, turned to face +Z.
pub fn figure_of(rig: &Rig) -> Figure {
    Target::of(rig).figure
}

/// From the right side of the body to its left, level.
fn across(figure: &Figure) -> Option<Vec3> {
    [Limb::Leg, Limb::Arm].into_iter().find_map(|limb| {
        let at = |side: Side| figure.limb(limb, side, Segment::Upper).map(|joint| figure.positions[joint]);
        let across = at(Side::Left)? - at(Side::Right)?;
        Some(Vec3::new(across.x, 0.0, across.z)).filter(|level| level.norm() > 1e-9)
    })
}
