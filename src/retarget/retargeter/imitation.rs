//! What a frame of the source asks of the character: rotations to imitate, and where pelvis and feet would be.

use super::{Base, Frame, Hands, Heading, Retargeter, Start, mean};
use crate::math::{Quat, Vec3, asin, atan2, tanh};
use crate::motion::Pose;
use crate::retarget::foot::{heading, slerp};
use crate::retarget::hands;
use crate::retarget::joint_map::Origin;
use crate::retarget::target::Target;
use crate::skeleton::naming::{Limb, Side};

/// Leg lengths by which a heel is above the ball of a foot that stands on its ball.
const HEEL_UP: f64 = 0.05;

impl Retargeter {
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
                Quat::from_axis_angle(&Vec3::y_axis(), atan2(across.z, across.x))
            }
            _ => Quat::identity(),
        };
        let middle = mean(self.pelvis.joints.iter().map(|&joint| place(&frames[0], joint)));
        Start { turn, origin: Vec3::new(middle.x, 0.0, middle.z) }
    }

    /// The contacts of the frames whose future did not come.
    pub(super) fn flag_rest(&mut self) {
        while let Some(states) = self.detector.drain() {
            note(&mut self.ring, self.flagged, states, HEEL_UP * self.target.leg_length);
            self.flagged += 1;
        }
    }

    /// The frame in the axes and the size of the character, and its contacts as soon as they are known.
    pub(super) fn understand(&mut self, frame: &Pose) {
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
}

impl Base {
    /// Where it is carried to, on the character's scale.
    pub(super) fn carried(&self, place: impl Fn(usize) -> Vec3, floor: f64, stride: f64) -> Vec3 {
        let middle = mean(self.joints.iter().map(|&joint| place(joint)));
        let height = floor + self.target_ankle + (middle.y - self.source_ankle) * self.scale;
        Vec3::new(middle.x * stride, height, middle.z * stride)
    }
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

/// Hips that are wider for their legs than the source's roll less, so that they lift each leg as much as the source's do. Large
/// angles, of somebody who lies on the side, stay.
fn level_hips(hips: Quat, left: &Vec3, width_ratio: f64) -> Quat {
    const SMALL: f64 = 0.26;
    if width_ratio <= 1.0 {
        return hips;
    }
    let left = hips * left;
    let Some(axis) = nalgebra::Unit::try_new(left.cross(&Vec3::y()), 1e-6) else { return hips };
    let roll = asin(left.y.clamp(-1.0, 1.0));
    let excess = (1.0 - 1.0 / width_ratio) * SMALL * tanh(roll / SMALL);
    Quat::from_axis_angle(&axis, -excess) * hips
}
