//! What moves the joints of a hand: bones of the source's fingers, or nothing.

use super::palm::{Palm, directions, fingers_of};
use super::relaxed::relaxed;
use super::{Drive, Hand, Imitation, SourceBone, is_of_thumb};
use crate::math::Quat;
use crate::retarget::NO_DIRECTION;
use crate::retarget::foot::slerp;
use crate::retarget::joint_map::{JointMap, RotationSource};
use crate::retarget::reference::{PoseKind, Source};
use crate::retarget::target::Target;
use crate::skeleton::Figure;
use crate::skeleton::naming::{Finger, Role, Side};

/// Degrees by which a thumb at rest takes over another rest pose: where its first joint is, and how it leads from there, is how a
/// rig was drawn. Beyond, thumbs go through palms.
const OTHER_THUMB: f64 = 30.0;

/// Everything that decides how a hand of the character moves.
pub(super) struct Plan<'a> {
    pub target: &'a Target,
    pub source: &'a Source,
    pub map: &'a JointMap,
    pub side: Side,
    pub hand: usize,
    /// From the hand at rest to the source's in its reference pose.
    pub alignment: Quat,
}

/// The palms of both.
#[derive(Clone, Copy)]
struct Palms {
    ours: Palm,
    theirs: Palm,
    /// Whether fingers may be compared by where they are spread to: both have several of one name.
    is_exact: bool,
}

/// A joint of the character and the hand of the source that is to move it.
struct Pair {
    joint: usize,
    their_hand: usize,
    palms: Palms,
}

impl Plan<'_> {
    /// The hand with what moves its joints.
    pub fn hand(&self) -> Hand {
        let figure = &self.target.figure;
        let moved = |joint: usize| figure.is_of_finger(joint) && self.map.matches[joint].is_some();
        let behind: Vec<usize> =
            self.target.tree.subtree(self.hand).filter(|&joint| joint != self.hand).collect();
        let their_hand = self.source.figure.palm(self.side);
        let palms = their_hand.and_then(|_| self.palms());
        let (Some(their_hand), Some(palms), true) =
            (their_hand, palms, behind.iter().any(|&joint| moved(joint)))
        else {
            let is_free = !behind.iter().any(|&joint| moved(joint));
            let turns = if is_free { relaxed(figure, self.side) } else { Vec::new() };
            return Hand { joint: self.hand, source: None, joints: self.resting(&behind, &turns) };
        };
        let joints =
            behind.iter().filter_map(|&joint| Some((joint, self.drive(&Pair { joint, their_hand, palms })?)));
        Hand { joint: self.hand, source: Some(their_hand), joints: joints.collect() }
    }

    /// The palms of both by the fingers that both have; where those say nothing, the source's is where the hands are aligned.
    fn palms(&self) -> Option<Palms> {
        let (ours, theirs) = (&self.target.figure, &self.source.figure);
        let known = fingers_of(theirs, self.side);
        let both: Vec<Finger> =
            fingers_of(ours, self.side).into_iter().filter(|finger| known.contains(finger)).collect();
        let palm = |figure| Palm::of(figure, self.side, &both);
        match (palm(ours), palm(theirs)) {
            (Some(ours), Some(theirs)) => {
                let row = both.iter().filter(|finger| Finger::OF_PALM.contains(finger)).count();
                Some(Palms { ours, theirs, is_exact: row > 1 })
            }
            _ => {
                let ours =
                    Palm::of(ours, self.side, &fingers_of(ours, self.side)).or_else(|| self.any_palm())?;
                Some(Palms { theirs: ours.turned(&self.alignment), ours, is_exact: false })
            }
        }
    }

    /// A hand with one finger has no palm; any axes along the finger do.
    fn any_palm(&self) -> Option<Palm> {
        let figure = &self.target.figure;
        let finger = fingers_of(figure, self.side).into_iter().next()?;
        let knuckle = figure.find(Role::Finger(self.side, finger, 1))?;
        Palm::along(&(figure.positions[knuckle] - figure.positions[self.hand]), self.side)
    }

    /// What rotates joints that nothing of the motion does; those that the user maps are as the map says.
    fn resting(&self, behind: &[usize], turns: &[(usize, Quat)]) -> Vec<(usize, Drive)> {
        let free = behind.iter().copied().filter(|&joint| self.map.matches[joint].is_none());
        let drive = |joint: usize| match turns.iter().find(|(turned, _)| *turned == joint) {
            Some((_, turn)) => Drive::Turned(*turn),
            None => Drive::Follow(self.above(joint)),
        };
        free.map(|joint| (joint, drive(joint))).collect()
    }

    /// The joint that a joint behind the hand hangs on.
    fn above(&self, joint: usize) -> usize {
        self.target.tree.parent(joint).unwrap_or(self.hand)
    }

    /// What rotates a joint; `None` for one that the user maps to something that is no finger.
    fn drive(&self, pair: &Pair) -> Option<Drive> {
        let &Pair { joint, their_hand, .. } = pair;
        let Some(found) = self.map.matches[joint] else { return Some(Drive::Follow(self.above(joint))) };
        let origin = match found.origin {
            RotationSource::Joint(from) => (from, from, 0.0),
            RotationSource::Between(a, b, share) => (a, b, share),
        };
        let palms = self.palms_of_finger(pair, origin.1)?;
        let rotations = &self.source.rotations;
        let bone = |from: usize| {
            if from == their_hand {
                return Some(SourceBone::Palm);
            }
            let axes = bone_axes(&self.source.figure, &palms.theirs, from)?;
            Some(SourceBone::Bone(from, rotations[from].inverse() * axes))
        };
        let from = [bone(origin.0)?, bone(origin.1)?];
        let ours = bone_axes(&self.target.figure, &palms.ours, joint)?;
        let joint_from_bone =
            self.limited(joint, &palms, &from[0]) * ours.inverse() * self.target.rest[joint];
        let palm_from_hand = palms.theirs.axes.inverse() * rotations[their_hand];
        let palm = palms.ours.axes;
        Some(Drive::Imitate(Imitation { from, share: origin.2, palm_from_hand, palm, joint_from_bone }))
    }

    /// The palms by which a finger is compared. Where another finger moves it, or palms are known by one knuckle, each has its own
    /// length as its finger is spread: it keeps that, and bends as the other does.
    fn palms_of_finger(&self, pair: &Pair, from: usize) -> Option<Palms> {
        let finger = |figure: &Figure, joint: usize| figure.roles.roles[joint].and_then(Role::finger);
        let (ours, theirs) = (finger(&self.target.figure, pair.joint)?, finger(&self.source.figure, from)?);
        if ours.1 == Finger::Thumb || (pair.palms.is_exact && ours.1 == theirs.1) {
            return Some(pair.palms);
        }
        let along = |figure: &Figure, palm: &Palm, (side, finger, _)| {
            let joints = figure.phalanges(side, finger);
            directions(figure, &joints, &palm.ahead()).first().map(|first| palm.along_finger(first))
        };
        let Palms { ours: our_palm, theirs: their_palm, .. } = pair.palms;
        Some(Palms {
            ours: along(&self.target.figure, &our_palm, ours)?,
            theirs: along(&self.source.figure, &their_palm, theirs)?,
            is_exact: false,
        })
    }

    /// What brings a thumb back that would leave its own rest by more than thumbs differ. A frame of the motion is no rest.
    fn limited(&self, joint: usize, palms: &Palms, from: &SourceBone) -> Quat {
        let is_thumb = is_of_thumb(&self.target.figure, joint);
        let is_rest = !matches!(self.source.kind, PoseKind::Frame(_));
        let (SourceBone::Bone(from, _), true) = (from, is_thumb && is_rest) else { return Quat::identity() };
        let axes = |figure, palm: &Palm, joint| Some(palm.axes.inverse() * bone_axes(figure, palm, joint)?);
        let both =
            (axes(&self.target.figure, &palms.ours, joint), axes(&self.source.figure, &palms.theirs, *from));
        let (Some(ours), Some(theirs)) = both else { return Quat::identity() };
        let share = OTHER_THUMB.to_radians() / ours.angle_to(&theirs).max(f64::MIN_POSITIVE);
        if share >= 1.0 { Quat::identity() } else { theirs.inverse() * slerp(&ours, &theirs, share) }
    }
}

/// The axes of the bone of a finger's joint at rest.
fn bone_axes(figure: &Figure, palm: &Palm, joint: usize) -> Option<Quat> {
    let (side, finger, phalanx) = figure.roles.roles[joint].and_then(Role::finger)?;
    if phalanx == 0 {
        let ahead = figure.positions[figure.find(Role::Finger(side, finger, 1))?] - figure.positions[joint];
        return Some(palm.bone(&ahead.try_normalize(NO_DIRECTION)?, finger));
    }
    let joints = figure.phalanges(side, finger);
    let place = joints.iter().position(|&other| other == joint)?;
    Some(palm.bone(&directions(figure, &joints, &palm.ahead())[place], finger))
}
