//! Where the feet of a posed skeleton touch the ground.
//!
//! Feet are planted by their soles, not by their ankles. How far the surface reaches below and around the joints of a
//! foot is a fact about the character, so it is measured once and travels with the rig.

use super::Skeleton;
use crate::math::{Vec3, hypot};

/// The contact points of a foot, on the ground below it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sole {
    /// The joint that carries the foot: an ankle, a pastern.
    pub joint: usize,
    /// The hind end of the sole.
    pub heel: Vec3,
    /// Below the joint of the toes; the front end if there is no such joint.
    pub ball: Vec3,
    /// The front end of the sole.
    pub toe: Vec3,
}

/// How far from the line between ankle and tip the surface still belongs to the foot, in heights. Less loses the rims
/// of boots; more takes in the hem of a coat that touches the ground.
const REACH: f64 = 0.08;
/// What is at most this far above the lowest point of a foot touches the ground with it, in heights. Less takes a
/// single stud for the whole sole; more lets it reach up to the instep.
const CONTACT: f64 = 0.015;
/// A foot whose ankle is lower than this is looked for up to here, in heights.
const LOW_ANKLE: f64 = 0.03;

/// Measures the soles below the joints that are tagged as feet.
///
/// `positions` are those of the joints and `surface` are points of the character, both with +Y up and facing +Z;
/// `height` is the character's. A foot without any surface near it has no sole.
pub fn find_soles<'a>(
    skeleton: &Skeleton,
    positions: &[Vec3],
    surface: impl IntoIterator<Item = &'a Vec3>,
    height: f64,
) -> Vec<Sole> {
    let feet: Vec<Foot> = (0..skeleton.joints.len())
        .filter(|&joint| skeleton.joints[joint].is_foot)
        .filter_map(|end| Foot::ending_at(skeleton, end))
        .collect();
    let mut around: Vec<Vec<Vec3>> = vec![Vec::new(); feet.len()];
    for point in surface {
        let distance = |foot: &Foot| level_distance(point, &positions[foot.ankle], &positions[foot.end]);
        let nearest = (0..feet.len()).min_by(|&a, &b| distance(&feet[a]).total_cmp(&distance(&feet[b])));
        if let Some(foot) = nearest.filter(|&foot| distance(&feet[foot]) <= REACH * height) {
            around[foot].push(*point);
        }
    }
    feet.iter().zip(&around).filter_map(|(foot, points)| foot.sole(positions, points, height)).collect()
}

/// The joints of a foot.
struct Foot {
    ankle: usize,
    /// The joint of the toes.
    ball: Option<usize>,
    end: usize,
}

impl Foot {
    /// The foot that ends at a joint. A foot lies flat: in the rest pose its bones are rather level than steep.
    fn ending_at(skeleton: &Skeleton, end: usize) -> Option<Foot> {
        let joint = |index: usize| &skeleton.joints[index];
        let mut ankle = if joint(end).is_tip { joint(end).parent? } else { end };
        let mut ball = None;
        while let Some(parent) = joint(ankle).parent {
            let bone = joint(ankle).position - joint(parent).position;
            if bone.y.abs() > hypot(bone.x, bone.z) {
                break;
            }
            ball = Some(ankle);
            ankle = parent;
        }
        Some(Foot { ankle, ball, end })
    }

    /// The sole within the points around the foot.
    fn sole(&self, positions: &[Vec3], points: &[Vec3], height: f64) -> Option<Sole> {
        let ankle = positions[self.ankle];
        let lowest = points.iter().map(|p| p.y).fold(f64::INFINITY, f64::min);
        let top = ankle.y.max(lowest + LOW_ANKLE * height);
        let touches = |p: &&Vec3| p.y <= (lowest + CONTACT * height).min(top);
        let along = level(&(positions[self.end] - ankle));
        // A hoof stands below its joint: then the character's own front is the foot's.
        let forward = if along.norm() > CONTACT * height { along.normalize() } else { Vec3::z() };
        let side = Vec3::y().cross(&forward);
        let range = |axis: &Vec3| {
            let values = points.iter().filter(touches).map(|p| (p - ankle).dot(axis));
            values.fold((f64::INFINITY, f64::NEG_INFINITY), |(min, max), x| (min.min(x), max.max(x)))
        };
        let ((back, front), (right, left)) = (range(&forward), range(&side));
        if !(back <= front) {
            return None;
        }
        let at = |t: f64| {
            let mut point = ankle + forward * t + side * (0.5 * (right + left));
            point.y = lowest;
            point
        };
        let ball = self.ball.map_or(front, |ball| (positions[ball] - ankle).dot(&forward));
        Some(Sole { joint: self.ankle, heel: at(back), ball: at(ball.clamp(back, front)), toe: at(front) })
    }
}

fn level(vector: &Vec3) -> Vec3 {
    Vec3::new(vector.x, 0.0, vector.z)
}

/// Distance from a point to the line between two others, all seen from above.
fn level_distance(point: &Vec3, from: &Vec3, to: &Vec3) -> f64 {
    let (along, away) = (level(&(to - from)), level(&(point - from)));
    let t = if along.norm_squared() > 0.0 { away.dot(&along) / along.norm_squared() } else { 0.0 };
    (away - along * t.clamp(0.0, 1.0)).norm()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::skeleton::Joint;

    /// A leg from its uppermost joint to its tip.
    fn leg(positions: &[Vec3]) -> Skeleton {
        let joints = positions.iter().enumerate().map(|(index, &position)| {
            let is_tip = index + 1 == positions.len();
            let (name, parent) = (format!("joint{index}"), index.checked_sub(1));
            Joint { name, parent, position, is_foot: is_tip, is_tip, ..Joint::default() }
        });
        let (name, about, weights) = ("leg".into(), String::new(), Default::default());
        Skeleton { name, about, joints: joints.collect(), weights }
    }

    /// The corners of a box.
    fn corners(min: Vec3, max: Vec3) -> Vec<Vec3> {
        let side = |corner: usize, axis: usize| if corner >> axis & 1 == 1 { max[axis] } else { min[axis] };
        (0..8).map(|corner| Vec3::new(side(corner, 0), side(corner, 1), side(corner, 2))).collect()
    }

    #[test]
    fn the_sole_of_a_shoe_box_is_its_floor() {
        let v = Vec3::new;
        // Knee, ankle, toes and tip.
        let positions = [v(0.1, 0.3, 0.0), v(0.1, 0.05, 0.0), v(0.1, 0.02, 0.08), v(0.1, 0.02, 0.12)];
        let skeleton = leg(&positions);
        // The box is wider on the outside, and something else stands a step away.
        let mut surface = corners(v(0.07, 0.0, -0.04), v(0.15, 0.06, 0.13));
        surface.extend(corners(v(0.4, -0.1, 0.0), v(0.5, 0.2, 0.1)));
        let soles = find_soles(&skeleton, &positions, &surface, 1.0);
        let [sole] = soles[..] else { panic!("{soles:?}") };
        assert_eq!(sole.joint, 1);
        for (point, expected) in [
            (sole.heel, v(0.11, 0.0, -0.04)),
            (sole.ball, v(0.11, 0.0, 0.08)),
            (sole.toe, v(0.11, 0.0, 0.13)),
        ] {
            assert!((point - expected).norm() < 1e-12, "{point:?} instead of {expected:?}");
        }
    }

    #[test]
    fn a_hoof_faces_where_the_animal_does() {
        let v = Vec3::new;
        // Hock, foot and tip.
        let positions = [v(0.0, 0.3, 0.0), v(0.0, 0.06, 0.0), v(0.0, 0.0, 0.001)];
        let skeleton = leg(&positions);
        let surface = corners(v(-0.03, 0.0, -0.02), v(0.03, 0.3, 0.03));
        let sole = find_soles(&skeleton, &positions, &surface, 1.0)[0];
        assert_eq!((sole.joint, sole.heel.z, sole.toe.z), (1, -0.02, 0.03));
        assert_eq!(sole.ball, sole.toe);
        assert!(find_soles(&skeleton, &positions, [], 1.0).is_empty());
    }
}
