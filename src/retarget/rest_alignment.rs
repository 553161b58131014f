//! Rest alignment: how bones of a character at rest are rotated against those of a motion in its reference pose.

use super::joint_map::{JointMap, Match, RotationSource};
use super::reference::PoseKind;
use super::{NO_DIRECTION, limb_across, limb_position};
use crate::math::{Mat3, Quat, Vec3, atan2, rotation_of};
use crate::skeleton::Figure;
use crate::skeleton::naming::{Limb, Role, Segment, Side};

/// Below this sine of its bend a knee or an elbow is straight and has no axis of its own.
const STRAIGHT: f64 = 0.1;
/// Cosine of the most that the axes of two knees or elbows differ if they mean the same. A leg that is drawn bent to the side
/// would be twisted by a right angle.
const SAME_HINGE: f64 = 0.7;
/// Arms that point forward by more than this cosine have no use for the forward axis.
const POINTS_FORWARD: f64 = 0.8;
/// Joints nearer than this part of a leg have no direction from one to the other: helpers in one place, which files and
/// programs round apart, and stubs whose slope is how a rig was drawn. Vertebrae of a spine of ten are 0.05 apart.
const STUB: f64 = 0.03;
/// Sine of the angle below which two directions span no frame.
const PARALLEL: f64 = 1e-3;
/// A direction whose level part is shorter has no heading.
const VERTICAL: f64 = 1e-6;
/// An axis whose cosine with a direction is above this is too near to it for a cross product.
const NEAR_AXIS: f64 = 0.9;

/// For each joint of the character the rotation, in the axes of the figures, that brings its bone from its rest to the
/// reference pose of the motion: `A_j` with `A_j d_target = d_source`, twist included.
///
/// A joint that nothing moves, and one without a bone, has that of its parent. Feet and heads are turned about the
/// vertical only, because the slope of a foot is how its rig was drawn; hands follow the forearm. Trunk, neck and collar bones
/// of a person keep the character's own posture: how they slope is how a rig was drawn, and who imitates a collar bone that leads
/// upwards shrugs for the whole clip.
pub fn rest_alignment(target: &Figure, source: &Figure, kind: PoseKind, map: &JointMap) -> Vec<Quat> {
    let posture = posture(target, source, kind);
    let mut aligned: Vec<Quat> = vec![Quat::identity(); target.names.len()];
    for joint in 0..target.names.len() {
        let parent = target.parents[joint].map_or(Quat::identity(), |parent| aligned[parent]);
        let around = Around { parent, posture };
        aligned[joint] = align_joint(target, source, map, joint, &around).unwrap_or(parent);
    }
    aligned
}

/// Alignments that a joint may take over.
struct Around {
    /// That of its parent.
    parent: Quat,
    /// That of the trunk as a whole; `None` for animals, whose trunks lie between their legs.
    posture: Option<Quat>,
}

/// How the trunk of a person at rest is rotated against the source's. A pose that is meant as a rest pose stands as the character
/// does; a frame of the motion may lean.
fn posture(target: &Figure, source: &Figure, kind: PoseKind) -> Option<Quat> {
    if target.is_quadruped() || source.is_quadruped() {
        return None;
    }
    let stands = yaw(&forward(target), &forward(source)).unwrap_or_else(Quat::identity);
    match (kind, upright_trunk(target), upright_trunk(source)) {
        (PoseKind::Frame(_), Some(ours), Some(theirs)) => {
            Some(least_rotation(&(stands * ours), &theirs) * stands)
        }
        _ => Some(stands),
    }
}

/// The trunk of a person, from the hips to the neck.
fn upright_trunk(figure: &Figure) -> Option<Vec3> {
    let [hips, neck] = [Role::Hips, Role::Neck].map(|role| Some(figure.positions[figure.find(role)?]));
    (neck? - hips?).try_normalize(NO_DIRECTION)
}

fn align_joint(
    target: &Figure,
    source: &Figure,
    map: &JointMap,
    joint: usize,
    around: &Around,
) -> Option<Quat> {
    let found = map.matches[joint]?;
    let role = target.roles.roles[joint]?;
    let Around { parent, posture } = around;
    let bones = bones(target, source, joint, role, &found);
    match role {
        Role::Hips | Role::Spine | Role::Neck if posture.is_some() => return *posture,
        Role::Limb(_, _, Segment::Girdle) => return Some(*parent),
        // Gaze stays level and soles stay flat, whether or not there is a tip that says where they point.
        Role::Head => return Some(yaw(&forward(target), &forward(source)).unwrap_or_else(Quat::identity)),
        Role::Limb(Limb::Leg | Limb::FrontLeg, _, Segment::End) => {
            return Some(bones.and_then(|[ours, theirs]| yaw(&ours, &theirs)).unwrap_or_else(Quat::identity));
        }
        _ => {}
    }
    let [ours, theirs] = bones?;
    match role {
        Role::Limb(_, _, Segment::Toes) => Some(*parent),
        // A hand without fingers has no direction of its own to trust.
        Role::Limb(Limb::Arm, side, Segment::End) => {
            let is_known =
                [target, source].iter().all(|figure| figure.limb(Limb::Arm, side, Segment::Toes).is_some());
            Some(if is_known { least_rotation(&(parent * ours), &theirs) * parent } else { *parent })
        }
        _ => {
            let [n, m] = secondary([target, source], role, [&ours, &theirs])?;
            match (bone_frame(&ours, &n), bone_frame(&theirs, &m)) {
                (Some(ours), Some(theirs)) => Some(rotation_of(&(theirs * ours.transpose()))),
                // Without a second direction the twist of the parent is kept.
                _ => Some(least_rotation(&(parent * ours), &theirs) * parent),
            }
        }
    }
}

/// Directions of the bone of a joint on the character and on the source; of an animal's hips and spine those of the trunks.
fn bones(target: &Figure, source: &Figure, joint: usize, role: Role, found: &Match) -> Option<[Vec3; 2]> {
    if matches!(role, Role::Hips | Role::Spine)
        && let (Some(ours), Some(theirs)) = (trunk(target), trunk(source))
    {
        return Some([ours, theirs]);
    }
    let theirs = match found.origin {
        RotationSource::Joint(from) => bone(source, from)?,
        RotationSource::Between(a, b, share) => bone(source, a)?.lerp(&bone(source, b)?, share),
    };
    Some([bone(target, joint)?.try_normalize(NO_DIRECTION)?, theirs.try_normalize(NO_DIRECTION)?])
}

/// From a joint to the joint that its bone leads to: the next one that is not in the same place.
fn bone(figure: &Figure, joint: usize) -> Option<Vec3> {
    let role = figure.roles.roles[joint]?;
    let far = Far { figure, joint, distance: STUB * figure.leg_length() };
    let next = match role {
        Role::Limb(limb, side, segment) => {
            let chain = figure.limb_chain(limb, side).into_iter();
            let mut next = chain.filter(|&next| figure.segment(next) > Some(segment));
            next.find(|&next| far.includes(next)).or_else(|| {
                let fingers = [Segment::Toes, Segment::Tip].map(|segment| figure.limb(limb, side, segment));
                fingers.into_iter().flatten().find(|&next| far.includes(next))
            })
        }
        // Hips in which the spine begins stand as they are: where the spine leads to is its own posture.
        Role::Hips => {
            let next = [Role::Spine, Role::Neck, Role::Head].into_iter().find_map(|role| figure.find(role));
            next.filter(|&next| far.includes(next))
        }
        Role::Head => far.first(Role::HeadTip),
        Role::Spine | Role::Neck | Role::Tail => {
            // The next of its kind further on, or what follows the last one.
            let further = (0..figure.names.len())
                .filter(|&other| other != joint && figure.roles.roles[other] == Some(role))
                .filter(|&other| crate::skeleton::roles::is_above(figure, joint, other));
            further.into_iter().find(|&other| far.includes(other)).or_else(|| match role {
                Role::Spine => far.first(Role::Neck).or_else(|| far.first(Role::Head)),
                Role::Neck => far.first(Role::Head),
                _ => figure.branches.heir[joint].filter(|&heir| far.includes(heir)),
            })
        }
        Role::HeadTip | Role::Finger(..) => None,
    };
    next.map(|next| figure.positions[next] - figure.positions[joint])
}

/// Joints that are far enough from a joint for a direction.
struct Far<'a> {
    figure: &'a Figure,
    joint: usize,
    distance: f64,
}

impl Far<'_> {
    fn includes(&self, other: usize) -> bool {
        (self.figure.positions[other] - self.figure.positions[self.joint]).norm() > self.distance
    }

    /// The first one with a role.
    fn first(&self, role: Role) -> Option<usize> {
        let mut others = (0..self.figure.names.len()).filter(|&other| other != self.joint);
        others.find(|&other| self.figure.roles.roles[other] == Some(role) && self.includes(other))
    }
}

/// The trunk of an animal, from the hips of its hind legs to the shoulders of its forelegs. Where its vertebrae are is how its
/// rig was drawn: some hang all legs and the neck on one joint in the belly, and a body aligned with that would rear.
fn trunk(figure: &Figure) -> Option<Vec3> {
    let [front, hind] = [Limb::FrontLeg, Limb::Leg].map(|limb| {
        let [left, right] =
            [Side::Left, Side::Right].map(|side| limb_position(figure, (limb, side), Segment::Upper));
        Some((left? + right?) * 0.5)
    });
    (front? - hind?).try_normalize(NO_DIRECTION)
}

/// The second direction of a bone's frame, on both figures by the same rule.
fn secondary(figures: [&Figure; 2], role: Role, bones: [&Vec3; 2]) -> Option<[Vec3; 2]> {
    match role {
        Role::Limb(limb, side, _) => match figures.map(|figure| hinge(figure, (limb, side))) {
            [Some(a), Some(b)] if a.dot(&b) > SAME_HINGE => Some([a, b]),
            _ if limb == Limb::Arm => {
                // Level or hanging, an arm without a bend keeps its palm where it is: forward stays forward.
                let points_forward = bones.iter().any(|bone| bone.z.abs() > POINTS_FORWARD);
                Some(if points_forward { [Vec3::y(); 2] } else { [Vec3::z(); 2] })
            }
            _ => both(figures.map(|figure| across(figure, Limb::Leg))),
        },
        Role::Hips => both(figures.map(|figure| across(figure, Limb::Leg))),
        Role::Tail => Some([Vec3::x(); 2]),
        _ => both(figures.map(|figure| across(figure, Limb::Arm).or_else(|| across(figure, Limb::FrontLeg)))),
    }
}

fn both([a, b]: [Option<Vec3>; 2]) -> Option<[Vec3; 2]> {
    Some([a?, b?])
}

/// The axis of a knee or an elbow, if it is bent.
fn hinge(figure: &Figure, limb: (Limb, Side)) -> Option<Vec3> {
    let [upper, lower, end, hock] = [Segment::Upper, Segment::Lower, Segment::End, Segment::Hock]
        .map(|segment| limb_position(figure, limb, segment));
    let (upper, lower, end) = (upper?, lower?, end.or(hock)?);
    let above = (lower - upper).try_normalize(NO_DIRECTION)?;
    let axis = above.cross(&(end - lower).try_normalize(NO_DIRECTION)?);
    (axis.norm() > STRAIGHT).then(|| axis.normalize())
}

fn across(figure: &Figure, limb: Limb) -> Option<Vec3> {
    limb_across(figure, limb)?.try_normalize(NO_DIRECTION)
}

/// Where a figure faces: level, from its hips.
fn forward(figure: &Figure) -> Vec3 {
    across(figure, Limb::Leg).map_or(Vec3::z(), |left| left.cross(&Vec3::y()))
}

/// `[d, n, d × n]`, with `n` made orthogonal. `None` if the two are parallel.
pub(super) fn bone_frame(d: &Vec3, n: &Vec3) -> Option<Mat3> {
    let n = (n - d * d.dot(n)).try_normalize(PARALLEL)?;
    Some(Mat3::from_columns(&[*d, n, d.cross(&n)]))
}

/// The smallest rotation from one direction to another.
pub(super) fn least_rotation(from: &Vec3, to: &Vec3) -> Quat {
    Quat::rotation_between(from, to).unwrap_or_else(|| {
        let other = if from.x.abs() < NEAR_AXIS { Vec3::x() } else { Vec3::y() };
        Quat::from_axis_angle(&nalgebra::Unit::new_normalize(from.cross(&other)), std::f64::consts::PI)
    })
}

/// The rotation about the vertical from one direction to another.
fn yaw(from: &Vec3, to: &Vec3) -> Option<Quat> {
    let (a, b) = (from.xz(), to.xz());
    if a.norm() < VERTICAL || b.norm() < VERTICAL {
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
    use crate::skeleton::Skeleton;

    fn human() -> Figure {
        Figure::of_skeleton(&Skeleton::human())
    }

    fn aligned(target: &Figure, source: &Figure) -> Vec<Quat> {
        rest_alignment(target, source, PoseKind::Zero, &map_joints(target, source))
    }

    fn about_y(angle: f64) -> Quat {
        Quat::from_axis_angle(&Vec3::y_axis(), angle)
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
        assert!(aligned(&human, &human).iter().all(|rotation| rotation.angle() < 1e-9));
    }

    /// T-pose against A-pose, both ways: the arm turns in the plane of the body and does not twist.
    #[test]
    fn raised_arms_do_not_twist() {
        let hanging = human();
        for degrees in [40.0f64, 25.0, -45.0] {
            let raised =
                with_arms(|sign| Quat::from_axis_angle(&Vec3::z_axis(), sign * degrees.to_radians()));
            for (target, source) in [(&hanging, &raised), (&raised, &hanging)] {
                let aligned = aligned(target, source);
                for side in [Side::Left, Side::Right] {
                    for segment in [Segment::Upper, Segment::Lower, Segment::End] {
                        let joint = target.limb(Limb::Arm, side, segment).unwrap();
                        let (axis, angle) = aligned[joint].axis_angle().unwrap();
                        assert!((angle.to_degrees() - degrees.abs()).abs() < 1e-6, "{}", angle.to_degrees());
                        assert!(axis.z.abs() > 1.0 - 1e-9, "{degrees}: rotates about {axis:?}");
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
                let splay = if side == Side::Left { 0.3 } else { -0.3 };
                let sloped = other.positions[joint] - heel - Vec3::y() * 0.08;
                other.positions[joint] = heel + about_y(splay) * sloped;
            }
        }
        let aligned = aligned(&human, &other);
        for (side, splay) in [(Side::Left, 0.3), (Side::Right, -0.3)] {
            for segment in [Segment::End, Segment::Toes] {
                let rotation = aligned[human.limb(Limb::Leg, side, segment).unwrap()];
                assert!(rotation.angle_to(&about_y(splay)) < 1e-9);
            }
        }
    }

    /// The human with a neck that leans, collar bones that lead upwards and a head without a tip.
    fn leaning() -> Figure {
        let mut leaning = human();
        let (head, tip) = (leaning.find(Role::Head).unwrap(), leaning.find(Role::HeadTip).unwrap());
        leaning.positions[head].z += 0.05;
        leaning.roles.roles[tip] = None;
        for side in [Side::Left, Side::Right] {
            for segment in [Segment::Upper, Segment::Lower, Segment::End, Segment::Tip] {
                let joint = leaning.limb(Limb::Arm, side, segment).unwrap();
                leaning.positions[joint].y += 0.06;
            }
        }
        leaning
    }

    /// Another rig's neck, collar bones and head do not become the character's posture.
    #[test]
    fn trunk_neck_and_collar_bones_keep_their_own_posture() {
        let human = human();
        let aligned = aligned(&human, &leaning());
        for role in [Role::Hips, Role::Spine, Role::Neck, Role::Head] {
            assert!(aligned[human.find(role).unwrap()].angle() < 1e-9, "{role}");
        }
        for side in [Side::Left, Side::Right] {
            assert!(aligned[human.limb(Limb::Arm, side, Segment::Girdle).unwrap()].angle() < 1e-9);
        }
    }

    /// Where the reference pose is a frame of the motion, the trunk leans as the motion does then; collar bones go along.
    #[test]
    fn a_frame_that_leans_is_no_posture() {
        let human = human();
        let lean = Quat::from_axis_angle(&Vec3::x_axis(), 0.3);
        let mut bent = human.clone();
        let hips = bent.positions[bent.find(Role::Hips).unwrap()];
        for joint in 0..bent.names.len() {
            if !matches!(bent.roles.roles[joint], Some(Role::Limb(Limb::Leg, ..))) {
                bent.positions[joint] = hips + lean * (bent.positions[joint] - hips);
            }
        }
        let map = map_joints(&human, &bent);
        let aligned = rest_alignment(&human, &bent, PoseKind::Frame(3), &map);
        for role in [Role::Hips, Role::Spine, Role::Neck] {
            assert!(aligned[human.find(role).unwrap()].angle_to(&lean) < 1e-6, "{role}");
        }
        let collar = human.limb(Limb::Arm, Side::Left, Segment::Girdle).unwrap();
        assert!(aligned[collar].angle_to(&lean) < 1e-6);
    }

    /// Joints in one place are rounded apart by programs: what lies between them is no direction.
    #[test]
    fn helpers_in_one_place_have_no_direction() {
        let human = human();
        let mut other = human.clone();
        let (hips, spine) = (other.find(Role::Hips).unwrap(), other.find(Role::Spine).unwrap());
        other.positions[spine] = other.positions[hips] + Vec3::new(3e-6, -1e-6, 2e-6);
        let aligned = aligned(&human, &other);
        assert!(aligned[hips].angle() < 0.1, "{}", aligned[hips].angle());
    }

    /// Animals drawn with vertebrae elsewhere stand on their legs as they are, and do not rear.
    #[test]
    fn trunks_of_animals_are_between_their_legs() {
        let animal = Figure::of_skeleton(&Skeleton::quadruped());
        let mut other = animal.clone();
        let hips = other.find(Role::Hips).unwrap();
        other.positions[hips] += Vec3::new(0.0, -0.2, 0.3);
        let aligned = aligned(&animal, &other);
        for joint in (0..aligned.len()).filter(|&joint| animal.roles.roles[joint] == Some(Role::Spine)) {
            assert!(aligned[joint].angle() < 1e-9, "{}", animal.names[joint]);
        }
        assert!(aligned[hips].angle() < 1e-9);
    }

    /// A knee that bends the other way round the leg brings its axis along.
    #[test]
    fn bent_knees_bring_their_hinge() {
        let bent = |angle: f64| {
            let mut figure = human();
            for side in [Side::Left, Side::Right] {
                let hip = figure.positions[figure.limb(Limb::Leg, side, Segment::Upper).unwrap()];
                let knee = figure.limb(Limb::Leg, side, Segment::Lower).unwrap();
                let forward = about_y(angle) * Vec3::new(0.0, 0.0, 0.08);
                figure.positions[knee] = Vec3::new(hip.x, figure.positions[knee].y, hip.z) + forward;
            }
            figure
        };
        let (target, source) = (bent(0.0), bent(0.4));
        let aligned = aligned(&target, &source);
        for side in [Side::Left, Side::Right] {
            let rotation = aligned[target.limb(Limb::Leg, side, Segment::Lower).unwrap()];
            assert!(rotation.angle_to(&about_y(0.4)) < 1e-6, "{:?}", rotation.euler_angles());
        }
    }
}
