//! Whether a person stands as characters are made to be bound: upright, on straight legs, with arms that hang, stretch sideways or
//! anything between.

use super::Skeleton;
use super::naming::{Limb, Role, Segment, Side};
use crate::math::{Vec3, acos, asin};

/// What keeps a body from standing in a T- or an A-pose.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Posed {
    /// The clause, up to the angle: `a thigh is off the vertical by`.
    pub what: &'static str,
    /// How far, in degrees.
    pub degrees: f64,
}

/// A thigh of 177 people as artists made them is at most 15 degrees off the vertical, that of a mech with the legs of a bird 68.
/// Below 30 joints that were found badly count as posed; above 45 a long step of a runner does not.
const THIGH: f64 = 38.0;
/// From hip to ankle they are at most 11 degrees off, mechs 21.
const LEG: f64 = 30.0;
/// Between the two legs, seen from the side. Nobody who stands has 12; walkers in mid-step have 45.
const STEP: f64 = 35.0;
/// Elbows in an A-pose bend by up to 49 degrees, a yeti's by 64; those of runners by 90.
const ELBOW: f64 = 75.0;
/// Upper arms point forward by at most 16 degrees; those of somebody who holds or pushes something by more than 50.
const FORWARD: f64 = 45.0;
/// Upper arms of a T-pose are 101 degrees from hanging at most; raised ones 150.
const RAISED: f64 = 130.0;
/// Between one arm and the mirror image of the other, from shoulder to wrist. Of 221 characters that stand in a T- or an A-pose 217
/// are mirror images of themselves; who waves has 60 and more.
const ARMS: f64 = 40.0;
/// From the hips to the neck; hips that artists place oddly make it 29 degrees in somebody who stands.
const TRUNK: f64 = 40.0;

/// What is farthest from a T- and an A-pose, compared with what is usual; `None` for who stands, and for bodies that are no
/// person's. Positions are upright and face +Z.
pub fn posed(skeleton: &Skeleton, positions: &[Vec3]) -> Option<Posed> {
    let body = Body { skeleton, positions };
    body.joint(Limb::Leg, Side::Left, Segment::Upper)?;
    if body.joint(Limb::FrontLeg, Side::Left, Segment::Upper).is_some() {
        return None;
    }
    let sides = [Side::Left, Side::Right];
    let legs = sides.into_iter().flat_map(|side| body.leg(side));
    let arms = sides.into_iter().flat_map(|side| body.arm(side));
    let all = legs.chain(arms).chain(body.arms()).chain(body.step()).chain(body.trunk());
    let beyond = all.filter(|(posed, usual)| posed.degrees > *usual);
    let worst = beyond.max_by(|(a, x), (b, y)| (a.degrees / x).total_cmp(&(b.degrees / y)));
    worst.map(|(posed, _)| posed)
}

/// An angle and what it may be at most.
type Angle = (Posed, f64);

struct Body<'a> {
    skeleton: &'a Skeleton,
    positions: &'a [Vec3],
}

impl Body<'_> {
    fn joint(&self, limb: Limb, side: Side, segment: Segment) -> Option<Vec3> {
        Some(self.positions[self.skeleton.find_role(Role::Limb(limb, side, segment))?])
    }

    /// The joints of the upper, the lower and the last bone of a limb.
    fn limb(&self, limb: Limb, side: Side) -> Option<[Vec3; 3]> {
        let joint = |segment| self.joint(limb, side, segment);
        Some([joint(Segment::Upper)?, joint(Segment::Lower)?, joint(Segment::End)?])
    }

    fn leg(&self, side: Side) -> Vec<Angle> {
        let Some([hip, knee, ankle]) = self.limb(Limb::Leg, side) else { return Vec::new() };
        vec![
            angle("a thigh is off the vertical by", from_down(knee - hip), THIGH),
            angle("a leg is off the vertical by", from_down(ankle - hip), LEG),
        ]
    }

    fn arm(&self, side: Side) -> Vec<Angle> {
        let Some([shoulder, elbow, wrist]) = self.limb(Limb::Arm, side) else { return Vec::new() };
        let upper = elbow - shoulder;
        let forward = asin((upper.z / upper.norm().max(f64::MIN_POSITIVE)).clamp(-1.0, 1.0)).to_degrees();
        vec![
            angle("an elbow is bent by", between(upper, wrist - elbow), ELBOW),
            angle("an arm points forward or backward by", forward.abs(), FORWARD),
            angle("an arm is raised by", from_down(upper), RAISED),
        ]
    }

    /// How far one arm is from the mirror image of the other.
    fn arms(&self) -> Option<Angle> {
        let [left, right] = [Side::Left, Side::Right].map(|side| {
            let [shoulder, _, wrist] = self.limb(Limb::Arm, side)?;
            Some(wrist - shoulder)
        });
        let right = right?;
        let mirrored = Vec3::new(-right.x, right.y, right.z);
        Some(angle("one arm is off the mirror image of the other by", between(left?, mirrored), ARMS))
    }

    /// How far one leg is in front of the other.
    fn step(&self) -> Option<Angle> {
        let [left, right] = [Side::Left, Side::Right].map(|side| {
            let [hip, _, ankle] = self.limb(Limb::Leg, side)?;
            Some(Vec3::new(0.0, ankle.y - hip.y, ankle.z - hip.z))
        });
        Some(angle("one leg is in front of the other by", between(left?, right?), STEP))
    }

    fn trunk(&self) -> Option<Angle> {
        let place = |role| Some(self.positions[self.skeleton.find_role(role)?]);
        let trunk = place(Role::Neck).or(place(Role::Head))? - place(Role::Hips)?;
        Some(angle("the trunk leans by", between(trunk, Vec3::y()), TRUNK))
    }
}

fn angle(what: &'static str, degrees: f64, usual: f64) -> Angle {
    (Posed { what, degrees }, usual)
}

fn from_down(direction: Vec3) -> f64 {
    between(direction, -Vec3::y())
}

/// Degrees between two directions; none where one has no length.
fn between(a: Vec3, b: Vec3) -> f64 {
    let lengths = a.norm() * b.norm();
    if lengths > 0.0 { acos((a.dot(&b) / lengths).clamp(-1.0, 1.0)).to_degrees() } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Quat;

    /// The human skeleton with everything below some joints rotated about the left-right axis, in degrees.
    fn human(rotations: &[(&str, f64)]) -> Option<Posed> {
        let skeleton = Skeleton::human();
        let mut positions = skeleton.positions();
        for (name, degrees) in rotations {
            let joint = skeleton.find(name).unwrap();
            let rotation = Quat::from_axis_angle(&Vec3::x_axis(), degrees.to_radians());
            let pivot = positions[joint];
            let below = (0..positions.len()).filter(|&other| skeleton.joints.is_below(other, joint));
            for other in below.collect::<Vec<_>>() {
                positions[other] = pivot + rotation * (positions[other] - pivot);
            }
        }
        posed(&skeleton, &positions)
    }

    #[test]
    fn who_stands_is_not_posed_and_who_sits_or_runs_is() {
        assert_eq!(human(&[]), None);
        let thighs = [("LeftUpperLeg", -90.0), ("RightUpperLeg", -90.0)];
        let sitting = [&thighs[..], &[("LeftLowerLeg", 90.0), ("RightLowerLeg", 90.0)]].concat();
        let sitting = human(&sitting).unwrap();
        assert!(sitting.what.starts_with("a thigh") && (sitting.degrees - 90.0).abs() < 10.0, "{sitting:?}");
        let waving = human(&[("LeftUpperArm", -80.0)]).unwrap();
        assert!(waving.what.starts_with("one arm is off"), "{waving:?}");
        let step = human(&[("LeftUpperLeg", -22.0), ("RightUpperLeg", 22.0)]).unwrap();
        assert!(step.what.starts_with("one leg") && (step.degrees - 44.0).abs() < 10.0, "{step:?}");
    }

    #[test]
    fn animals_are_never_said_to_be_posed() {
        for skeleton in [Skeleton::quadruped(), Skeleton::horse()] {
            let folded: Vec<Vec3> = skeleton.positions().iter().map(|p| Vec3::new(p.x, p.z, p.y)).collect();
            assert_eq!(posed(&skeleton, &folded), None);
        }
    }
}
