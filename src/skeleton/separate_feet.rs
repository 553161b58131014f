//! Feet that are bones of their own.
//!
//! Animators move a foot by itself and let the leg follow. In such a rig the foot hangs on the root, beside the body, and the leg
//! ends in a leaf at the ankle that moves nothing, or with its shin.

use super::Figure;
use super::naming::{Limb, Role, Segment, Side};
use super::roles::{Reason, Roles, is_above};

/// Leg lengths within which a bone beside the body is the foot of the leg that ends there: programs write both from one point. Goals
/// of knees are half a leg away.
const AT_THE_END: f64 = 0.1;
/// Of a leg without a leaf the foot is below the last joint by more than this part of the bone above it: goals of knees are level
/// with it. It is no farther than this many times that bone: shins are up to 1.4 times as long as thighs.
const BELOW: f64 = 0.3;
const FARTHEST: f64 = 1.8;
/// A foot has toes and their ends; what has more joints is a body.
const MOST_JOINTS: usize = 6;
/// Confidence that such a bone is the foot.
const CONFIDENCE: f64 = 0.8;

/// Gives bones beside the body that stand where a leg ends the role of its foot. A foot that has a name, or toes, is one already.
pub(super) fn find_separate_feet(figure: &Figure, roles: &mut Roles) {
    let Some(hips) = roles.roles.iter().position(|role| *role == Some(Role::Hips)) else { return };
    for limb in [Limb::Leg, Limb::FrontLeg] {
        for side in [Side::Left, Side::Right] {
            let Some(leg) = Leg::of(figure, roles, (limb, side)) else { continue };
            let beside = (0..figure.names.len())
                .filter(|&joint| roles.roles[joint].is_none() && hangs_beside(figure, joint, hips));
            let near = beside.filter_map(|joint| Some((leg.distance(figure, joint)?, joint)));
            let Some((_, foot)) = near.min_by(|a, b| a.0.total_cmp(&b.0)) else { continue };
            if let Some(end) = leg.end {
                roles.roles[end] = None;
                roles.confidence[end] = 0.0;
            }
            name_foot(figure, roles, foot, (limb, side));
        }
    }
}

/// A leg that may have its foot elsewhere.
struct Leg {
    upper: usize,
    /// Its last joint but for the end, and the one above that.
    last: usize,
    above: usize,
    /// The leaf at the ankle.
    end: Option<usize>,
}

impl Leg {
    fn of(figure: &Figure, roles: &Roles, (limb, side): (Limb, Side)) -> Option<Leg> {
        let joint = |segment: Segment| {
            roles.roles.iter().position(|role| *role == Some(Role::Limb(limb, side, segment)))
        };
        let (upper, lower) = (joint(Segment::Upper)?, joint(Segment::Lower)?);
        let hock = joint(Segment::Hock);
        let (last, above) = (hock.unwrap_or(lower), if hock.is_some() { lower } else { upper });
        let end = joint(Segment::End);
        let is_foot = |end: usize| {
            !matches!(roles.reasons[end], Reason::Tree | Reason::Geometry) || !figure.is_leaf(end)
        };
        (!end.is_some_and(is_foot)).then_some(Leg { upper, last, above, end })
    }

    /// How far a bone is from where the leg ends; `None` if it is not there.
    fn distance(&self, figure: &Figure, joint: usize) -> Option<f64> {
        let [upper, last, above, foot] =
            [self.upper, self.last, self.above, joint].map(|joint| figure.positions[joint]);
        if is_above(figure, joint, self.upper) {
            return None;
        }
        if let Some(end) = self.end {
            let end = figure.positions[end];
            let length = (above - upper).norm() + (last - above).norm() + (end - last).norm();
            return Some((foot - end).norm()).filter(|distance| *distance < AT_THE_END * length);
        }
        let (bone, shin) = ((last - above).norm(), foot - last);
        let is_below = -shin.y > BELOW * bone && shin.xz().norm() < -shin.y;
        Some(shin.norm()).filter(|length| is_below && *length < FARTHEST * bone)
    }
}

/// Whether a joint is a small bone that hangs on the hips or on what they hang on.
fn hangs_beside(figure: &Figure, joint: usize, hips: usize) -> bool {
    let Some(parent) = figure.parents[joint].filter(|_| !figure.is_end[joint]) else { return false };
    (parent == hips || is_above(figure, parent, hips))
        && joint != hips
        && !is_above(figure, joint, hips)
        && (joint..figure.names.len()).filter(|&below| is_above(figure, joint, below)).count() < MOST_JOINTS
}

/// The roles of a foot and of what hangs on it.
fn name_foot(figure: &Figure, roles: &mut Roles, foot: usize, (limb, side): (Limb, Side)) {
    let mut set =
        |joint, segment| roles.set(joint, Role::Limb(limb, side, segment), Reason::Tree, CONFIDENCE);
    set(foot, Segment::End);
    let only_child = |joint: usize| match figure.branches.children[joint][..] {
        [child] => Some(child),
        _ => None,
    };
    match (only_child(foot), only_child(foot).and_then(only_child)) {
        (Some(toes), Some(tip)) => {
            set(toes, Segment::Toes);
            set(tip, Segment::Tip);
        }
        (Some(tip), None) => set(tip, Segment::Tip),
        (None, _) => {}
    }
}

impl Figure {
    /// Whether nothing but the end of its bone hangs on a joint.
    pub(crate) fn is_leaf(&self, joint: usize) -> bool {
        self.branches.children[joint].iter().all(|&child| self.is_end[child])
    }

    /// Feet that do not hang on their legs, each with the last joint of its leg.
    pub fn separate_feet(&self) -> Vec<(usize, usize)> {
        let feet = self.legs().into_iter().filter_map(|(limb, side)| {
            let foot = self.limb(limb, side, Segment::End)?;
            let last =
                self.limb(limb, side, Segment::Hock).or_else(|| self.limb(limb, side, Segment::Lower))?;
            (!is_above(self, last, foot) && !is_above(self, foot, last)).then_some((foot, last))
        });
        feet.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Vec3;
    use crate::skeleton::{FigureNode, Skeleton};

    /// The quadruped with its feet on the root, at the place of an unnamed leaf of the leg or without one; `raised` is how much
    /// higher than the leaf they stand.
    fn with_feet_beside(has_leaf: bool, raised: f64) -> Figure {
        let skeleton = Skeleton::built_in("quadruped").unwrap();
        let ours = Figure::of_skeleton(&skeleton);
        let mut joints: Vec<(String, Option<usize>, Vec3)> = vec![("root".into(), None, Vec3::zeros())];
        let mut places = vec![usize::MAX; ours.names.len()];
        let mut feet = Vec::new();
        for joint in (0..ours.names.len()).filter(|&joint| !ours.is_end[joint]) {
            let parent = ours.parents[joint].map_or(0, |parent| places[parent]);
            let name = ours.names[joint].clone();
            if matches!(ours.segment(joint), Some(Segment::End | Segment::Toes)) {
                if ours.segment(joint) == Some(Segment::End) {
                    let number = feet.len();
                    feet.push((
                        format!("mover{number}"),
                        Some(0),
                        ours.positions[joint] + Vec3::y() * raised,
                    ));
                    if has_leaf {
                        joints.push((format!("leaf{number}"), Some(parent), ours.positions[joint]));
                    }
                }
                continue;
            }
            places[joint] = joints.len();
            joints.push((name, Some(parent), ours.positions[joint]));
        }
        joints.extend(feet);
        let nodes = joints.iter().map(|(name, parent, position)| FigureNode {
            name,
            parent: *parent,
            position: *position,
            is_end: false,
        });
        Figure::bare(nodes).with_roles()
    }

    #[test]
    fn bones_beside_the_body_where_legs_end_are_their_feet() {
        for has_leaf in [true, false] {
            let figure = with_feet_beside(has_leaf, 0.0);
            let feet = figure.separate_feet();
            assert_eq!(feet.len(), 4, "leaves: {has_leaf}");
            for (foot, last) in feet {
                assert!(figure.names[foot].starts_with("mover"), "{}", figure.names[foot]);
                assert_eq!(figure.segment(foot), Some(Segment::End));
                assert!(figure.names[last].contains("Lower"), "{}", figure.names[last]);
            }
        }
    }

    #[test]
    fn bones_beside_the_body_that_are_elsewhere_are_none() {
        let figure = with_feet_beside(true, 0.3);
        assert_eq!(figure.separate_feet(), []);
        let skeletons =
            ["human", "quadruped", "horse", "centaur"].map(|name| Skeleton::built_in(name).unwrap());
        assert!(skeletons.iter().all(|own| Figure::of_skeleton(own).separate_feet().is_empty()));
    }
}
