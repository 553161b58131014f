//! Pose transfer: what a frame of the source asks of the character. Joints imitate the source's rotations; pelvis and feet
//! are where the scaled source has them.

use super::{Base, Frame, Heading, Retargeter, SourceLeg, Start, mean};
use crate::math::{Quat, Vec3, asin, atan2, tanh};
use crate::motion::Pose;
use crate::retarget::NO_DIRECTION;
use crate::retarget::collisions::ArmOffset;
use crate::retarget::foot::{FootFrame, heading, slerp};
use crate::retarget::hands;
use crate::retarget::joint_map::RotationSource;
use crate::retarget::target::TargetLeg;
use crate::skeleton::naming::{Limb, Side};

/// Leg lengths by which a heel is above the ball of a foot that stands on its ball.
const HEEL_UP: f64 = 0.05;
/// Radians up to which the roll of hips is scaled; beyond it is kept.
const SMALL_ROLL: f64 = 0.26;
/// Sine of the angle between the hips' axis and the vertical below which they have no roll.
const NO_ROLL: f64 = 1e-6;

/// A frame of the source in the axes of the clip.
struct SourceFrame<'a> {
    pose: &'a Pose,
    clip_from_file: Quat,
    origin: Vec3,
}

impl SourceFrame<'_> {
    fn position(&self, joint: usize) -> Vec3 {
        self.clip_from_file * self.pose.positions[joint] - self.origin
    }
}

impl Retargeter {
    /// Says how the source begins, before the first frame is pushed: which way it faces is the mean over these frames, because the
    /// hips of a walker turn with every step. Without it the first frame alone decides.
    pub fn begin(&mut self, frames: &[Pose]) {
        self.start = (!frames.is_empty()).then(|| self.start_of(frames));
    }

    fn start_of(&self, frames: &[Pose]) -> Start {
        if self.options.heading == Heading::Source {
            return Start { rotation: heading(&self.figure_from_file).inverse(), origin: Vec3::zeros() };
        }
        let [left, right] = [Side::Left, Side::Right].map(|side| {
            let leg = self.legs.iter().find(|(leg, _)| leg.key == (Limb::Leg, side));
            leg.map(|(_, leg)| leg.hip)
        });
        let rotation = match (left, right) {
            (Some(left), Some(right)) => {
                let position = |frame: &Pose, hip: usize| self.figure_from_file * frame.positions[hip];
                let across: Vec3 =
                    frames.iter().map(|frame| position(frame, left) - position(frame, right)).sum();
                Quat::from_axis_angle(&Vec3::y_axis(), atan2(across.z, across.x))
            }
            _ => Quat::identity(),
        };
        let hips = self.pelvis.joints.iter();
        let middle = mean(hips.map(|&joint| self.figure_from_file * frames[0].positions[joint]));
        Start { rotation, origin: Vec3::new(middle.x, 0.0, middle.z) }
    }

    /// The contacts of the frames whose future did not come.
    pub(super) fn flag_rest(&mut self) {
        while let Some(states) = self.detector.drain() {
            plant(&mut self.ring, self.flagged, states, HEEL_UP * self.target.leg_length);
            self.flagged += 1;
        }
    }

    /// The frame in the axes and the size of the character, and its contacts as soon as they are known.
    pub(super) fn transfer(&mut self, pose: &Pose) {
        let start = self.start.unwrap_or_else(|| self.start_of(std::slice::from_ref(pose)));
        self.start = Some(start);
        let source = SourceFrame {
            pose,
            clip_from_file: start.rotation * self.figure_from_file,
            origin: start.rotation * start.origin,
        };
        let slot = self.pushed % self.ring.len();
        let mut now = std::mem::take(&mut self.ring[slot]);
        self.transfer_rotations(&source, &mut now.rotations);
        now.pelvis = self.base_position(&self.pelvis, &source);
        now.chest = self.chest.as_ref().map_or(now.pelvis, |chest| self.base_position(chest, &source));
        self.transfer_feet(&source, &now.rotations, &now.pelvis, &mut now.feet);
        let sized = |wrist| self.sized(wrist, self.pelvis.source_ankle, self.pelvis.target_ankle);
        hands::note(&self.arms, &self.landmarks, |joint| source.position(joint), sized, &mut now.hands);
        let mut imitation = std::mem::take(&mut self.imitation);
        imitation.rotations.copy_from_slice(&now.rotations);
        self.place(&mut imitation, &(now.pelvis - Vec3::y() * self.ground_offset[0]));
        self.note_ground(&source, &imitation, &mut now);
        now.aside = self.ways_out(&now, &mut imitation);
        self.imitation = imitation;
        self.ring[slot] = now;
        self.pushed += 1;
        self.flag(&source);
    }

    /// Says which parts of the source are near the ground, and how deep in it the character's would be.
    fn note_ground(&self, source: &SourceFrame, imitation: &Pose, now: &mut Frame) {
        if !self.stands() {
            return;
        }
        let height = |joint: usize| {
            let Base { source_ankle, target_ankle, .. } = self.pelvis;
            let position = self.sized(source.position(joint), source_ankle, target_ankle);
            (position.y - self.target.floor) / self.target.leg_length
        };
        self.body.note(height, &mut now.near);
        now.depth = self.body.depth(imitation, &self.levels(), &now.near);
    }

    /// How the arms of a body that imitates get out of it.
    fn ways_out(&mut self, now: &Frame, imitation: &mut Pose) -> [ArmOffset; 2] {
        let mut ways = [ArmOffset::default(); 2];
        let Some(mut collisions) = self.collisions.take() else { return ways };
        self.bring_hands(&now.hands, imitation);
        self.bring_to_ground(now, imitation);
        collisions.place(imitation);
        for (index, (arm, way)) in self.arms.iter().zip(&mut ways).enumerate() {
            *way = collisions.way_out(index, arm, &self.target, imitation);
        }
        self.collisions = Some(collisions);
        ways
    }

    /// Brings hands onto their paths near the ground.
    fn bring_to_ground(&self, now: &Frame, imitation: &mut Pose) {
        if !self.stands() {
            return;
        }
        for (index, arm) in self.arms.iter().enumerate().filter(|(index, _)| self.body.knows(*index)) {
            let path = self.hand_path(now, index);
            let near = self.hand_nearness(&path);
            if near > 0.0 {
                hands::bend(arm, &path, near, &self.target, imitation);
            }
        }
    }

    /// Rotations of the character's joints that imitate the source's.
    fn transfer_rotations(&self, source: &SourceFrame, rotations: &mut [Quat]) {
        let rest = &self.target.rest;
        let tree = &self.target.tree;
        for &joint in tree.order() {
            rotations[joint] = match (self.origins[joint], tree.parent(joint)) {
                (Some(RotationSource::Joint(from)), _) => {
                    self.rotation_from_reference(source, from) * self.alignment[joint] * rest[joint]
                }
                (Some(RotationSource::Between(a, b, share)), _) => {
                    let [a, b] = [a, b].map(|from| self.rotation_from_reference(source, from));
                    slerp(&a, &b, share) * self.alignment[joint] * rest[joint]
                }
                (None, Some(parent)) => rotations[parent] * (rest[parent].inverse() * rest[joint]),
                (None, None) => rest[joint],
            };
            // At once, for what hangs on the hips and has no origin.
            if joint == self.hips {
                let left = rest[joint].inverse() * Vec3::x();
                rotations[joint] = level_hips(rotations[joint], &left, self.hip_width_ratio);
            }
        }
        self.fingers.rotate(source.pose, rest, rotations);
    }

    /// How far a joint of the source is rotated from its reference pose.
    fn rotation_from_reference(&self, source: &SourceFrame, joint: usize) -> Quat {
        source.clip_from_file * source.pose.rotations[joint] * self.reference[joint].inverse()
    }

    /// Where pelvis or chest are carried to, on the character's scale.
    fn base_position(&self, base: &Base, source: &SourceFrame) -> Vec3 {
        let middle = mean(base.joints.iter().map(|&joint| source.position(joint)));
        let height = self.target.floor + base.target_ankle + (middle.y - base.source_ankle) * base.scale;
        Vec3::new(middle.x * self.stride, height, middle.z * self.stride)
    }

    /// A position of the source in the size of the character; what is at `level` comes to be `height` above the floor.
    fn sized(&self, position: Vec3, level: f64, height: f64) -> Vec3 {
        Vec3::new(
            position.x * self.stride,
            self.target.floor + height + (position.y - level) * self.scale,
            position.z * self.stride,
        )
    }

    fn transfer_feet(&self, source: &SourceFrame, rotations: &[Quat], pelvis: &Vec3, feet: &mut [FootFrame]) {
        // The character's hips may be wider or narrower than the scaled source's, its trunk longer or shorter: its feet stand as
        // much further apart.
        let left = self.left(rotations);
        let ahead = left.cross(&Vec3::y());
        for ((leg, theirs), foot) in self.legs.iter().zip(feet) {
            let [ankle, ball] = theirs.points.map(|joint| source.position(joint));
            let [ankle_height, ball_height] = theirs.contact.heights;
            let [foot_at_rest, toes_at_rest] = self.target.foot_at_rest(leg);
            foot.ankle = self.sized(ankle, ankle_height, self.target.ankle_height(leg));
            foot.points = [ankle, ball].map(|point| self.sized(point, 0.0, 0.0));
            foot.ankle += left * theirs.stance.x + ahead * theirs.stance.z;
            foot.extension =
                (source.position(theirs.hip) - ankle).norm() / theirs.length.max(f64::MIN_POSITIVE);
            if self.bends_as_source(leg) && self.stands() {
                let hip = self.hip(leg, pelvis, &rotations[self.hips]);
                foot.ankle = as_straight(&hip, &foot.ankle, leg.stretched(foot.extension));
            }
            foot.rotation = self.foot_rotation(source, rotations, leg, theirs);
            foot.toes = match leg.toes.filter(|&toes| self.origins[toes].is_some()) {
                Some(toes) => rotations[toes],
                None => foot.rotation * (foot_at_rest.inverse() * toes_at_rest),
            };
            foot.depth = self.target.floor - (foot.ankle.y + leg.sole.lowest(&foot.rotation, &foot.toes));
            foot.heights = [(ankle.y - ankle_height) * self.scale, (ball.y - ball_height) * self.scale];
            foot.on = [false; 2];
        }
    }

    fn foot_rotation(
        &self,
        source: &SourceFrame,
        rotations: &[Quat],
        leg: &TargetLeg,
        theirs: &SourceLeg,
    ) -> Quat {
        let rest = self.target.rest[leg.ankle];
        let rotation = match self.origins[leg.ankle] {
            Some(RotationSource::Joint(from)) => {
                self.rotation_from_reference(source, from)
                    * theirs.contact.tilt
                    * self.alignment[leg.ankle]
                    * rest
            }
            _ => rotations[leg.ankle],
        };
        if !(theirs.foot_length > 0.0) {
            return rotation;
        }
        // A foot that is longer, for its leg, than the source's lifts its heel as high by a smaller angle.
        let share = (self.scale * theirs.foot_length / leg.foot_length).min(1.0);
        let from_rest = rotation * rest.inverse();
        slerp(&heading(&from_rest), &from_rest, share) * rest
    }

    /// Finds the contacts of the frame that was pushed last, or of one before it.
    fn flag(&mut self, source: &SourceFrame) {
        if !self.stands() {
            self.flagged = self.pushed;
            return;
        }
        self.points.clear();
        for (_, leg) in &self.legs {
            self.points.extend(leg.points.map(|joint| source.position(joint)));
        }
        let middle = mean(self.pelvis.joints.iter().map(|&joint| source.position(joint)));
        if let Some(states) = self.detector.push(&self.points, middle) {
            plant(&mut self.ring, self.flagged, states, HEEL_UP * self.target.leg_length);
            self.flagged += 1;
        }
    }
}

/// Where an ankle is in the same direction from its hip and so far away. Hips that are wider than the source's or roll otherwise come
/// nearer to the foot, and a knee that is nearly straight turns by 8 degrees for 1 % of the leg.
fn as_straight(hip: &Vec3, ankle: &Vec3, distance: f64) -> Vec3 {
    let away = ankle - hip;
    away.try_normalize(NO_DIRECTION).map_or(*ankle, |direction| hip + direction * distance)
}

/// Writes down which points are planted. A still heel that is clearly higher than the ball is carried by the ball, however the
/// ball jitters: the whole foot stands. Turned about the ball it would pass the jitter on to the knee.
fn plant(ring: &mut [Frame], frame: usize, states: &[bool], heel_up: f64) {
    let slots = ring.len();
    for (foot, on) in ring[frame % slots].feet.iter_mut().zip(states.chunks_exact(2)) {
        let is_up = foot.heights[0] > foot.heights[1] + heel_up;
        foot.on = if on[0] && !on[1] && is_up { [true, true] } else { [on[0], on[1]] };
    }
}

/// Hips that are wider for their legs than the source's roll less, so that they lift each leg as much as the source's do. Large
/// angles, of somebody who lies on the side, stay.
fn level_hips(hips: Quat, left: &Vec3, width_ratio: f64) -> Quat {
    if width_ratio <= 1.0 {
        return hips;
    }
    let left = hips * left;
    let Some(axis) = nalgebra::Unit::try_new(left.cross(&Vec3::y()), NO_ROLL) else { return hips };
    let roll = asin(left.y.clamp(-1.0, 1.0));
    let excess = (1.0 - 1.0 / width_ratio) * SMALL_ROLL * tanh(roll / SMALL_ROLL);
    Quat::from_axis_angle(&axis, -excess) * hips
}
