//! The palm of a hand, found from where its fingers begin, and how the bones of fingers stand to it. Local axes of rigs say nothing
//! of that: makers roll bones as they like.

use crate::math::{Quat, Vec3, rotation_of};
use crate::retarget::NO_DIRECTION;
use crate::retarget::rest_alignment::{bone_frame, least_rotation};
use crate::skeleton::Figure;
use crate::skeleton::naming::{Finger, Limb, Role, Segment, Side};

/// The axes of a palm: along X to the knuckles, along Y across it to the side of the thumb.
#[derive(Debug, Clone, Copy)]
pub(super) struct Palm {
    pub axes: Quat,
    side: Side,
}

/// The fingers that a hand has.
pub(super) fn fingers_of(figure: &Figure, side: Side) -> Vec<Finger> {
    let all = Finger::OF_HAND.into_iter().chain([Finger::All]);
    all.filter(|&finger| figure.find(Role::Finger(side, finger, 1)).is_some()).collect()
}

impl Palm {
    /// That of a hand by some of its fingers. `None` if they do not say where the thumb is, or contradict each other.
    pub fn of(figure: &Figure, side: Side, fingers: &[Finger]) -> Option<Palm> {
        let hand = figure.limb(Limb::Arm, side, Segment::End)?;
        let wrist = figure.positions[hand];
        let knuckle =
            |finger: Finger| Some(figure.positions[figure.find(Role::Finger(side, finger, 1))?] - wrist);
        let row: Vec<Vec3> =
            Finger::OF_PALM.into_iter().filter(|f| fingers.contains(f)).filter_map(knuckle).collect();
        let middle = match row.len() {
            0 => knuckle(Finger::All)?,
            count => row.iter().sum::<Vec3>() / count as f64,
        };
        let thumb = fingers.contains(&Finger::Thumb).then(|| thumb_from(figure, side, &wrist)).flatten();
        let across = match (row.as_slice(), thumb) {
            ([first, .., last], thumb) => {
                let across = first - last;
                // A thumb on the side of the little finger: the names are not those of a hand.
                if thumb.is_some_and(|thumb| (thumb - middle).dot(&across) < 0.0) {
                    return None;
                }
                across
            }
            (_, thumb) => thumb?,
        };
        let ahead = middle.try_normalize(NO_DIRECTION)?;
        let axes = bone_frame(&ahead, &across.try_normalize(NO_DIRECTION)?)?;
        Some(Palm { axes: rotation_of(&axes), side })
    }

    /// Any axes along a direction, for a hand with one finger.
    pub fn along(ahead: &Vec3, side: Side) -> Option<Palm> {
        let axes = least_rotation(&Vec3::x(), &ahead.try_normalize(NO_DIRECTION)?);
        Some(Palm { axes, side })
    }

    /// The same palm elsewhere.
    pub fn turned(&self, by: &Quat) -> Palm {
        Palm { axes: by * self.axes, ..*self }
    }

    /// The same palm with its length along a finger, wherever that is spread to.
    pub fn along_finger(&self, direction: &Vec3) -> Palm {
        let normal = self.axes * Vec3::z();
        let level = direction - normal * normal.dot(direction);
        let turn = level.try_normalize(NO_DIRECTION).map(|ahead| least_rotation(&self.ahead(), &ahead));
        turn.map_or(*self, |turn| self.turned(&turn))
    }

    /// Whose it is.
    pub fn side(&self) -> Side {
        self.side
    }

    /// The axis about which fingers bend towards the palm.
    pub fn flexion(&self) -> Vec3 {
        self.axes * if self.side == Side::Left { -Vec3::y() } else { Vec3::y() }
    }

    /// To the knuckles.
    pub fn ahead(&self) -> Vec3 {
        self.axes * Vec3::x()
    }

    /// The axes of a bone, along X, that a straight finger would share with the palm. A thumb, which may lie across it, is turned
    /// there on the shortest way.
    pub fn bone(&self, direction: &Vec3, finger: Finger) -> Quat {
        let across = self.axes * Vec3::y();
        let frame = bone_frame(direction, &across).filter(|_| finger != Finger::Thumb);
        frame
            .map_or_else(|| least_rotation(&self.ahead(), direction) * self.axes, |frame| rotation_of(&frame))
    }
}

/// From the wrist to the middle of the thumb's first bone.
fn thumb_from(figure: &Figure, side: Side, wrist: &Vec3) -> Option<Vec3> {
    let joints = figure.phalanges(side, Finger::Thumb);
    let ends = [joints.first()?, joints.get(1).unwrap_or(&joints[0])];
    Some(ends.into_iter().map(|&joint| figure.positions[joint]).sum::<Vec3>() / 2.0 - wrist)
}

/// The direction of each bone of a finger: to its next joint, or its end; one without either, or without length, goes on as the one
/// before it.
pub(super) fn directions(figure: &Figure, joints: &[usize], ahead: &Vec3) -> Vec<Vec3> {
    let mut last = *ahead;
    let direction = |(place, &joint): (usize, &usize)| {
        let next = joints.get(place + 1).copied().or(figure.branches.heir[joint]);
        let bone = next.map_or(Vec3::zeros(), |next| figure.positions[next] - figure.positions[joint]);
        last = bone.try_normalize(NO_DIRECTION).unwrap_or(last);
        last
    };
    joints.iter().enumerate().map(direction).collect()
}
