//! How good a skin is, without knowing a better one.

use super::lbs;
use super::poses::TestPose;
use crate::math::{Bounds, Vec3};
use crate::rig::SkinWeights;
use crate::skeleton::Skeleton;
use rayon::prelude::*;

/// Figures of a skin.
#[derive(Debug, Clone, PartialEq)]
pub struct Quality {
    /// Largest difference of a vertex's sum of weights from one.
    pub sum_error: f64,
    /// How much weight changes hands along an edge, per percent of the character's size: small is smooth.
    pub roughness: f64,
    /// What each test pose does to the surface.
    pub poses: Vec<PoseQuality>,
}

/// What a pose does to a surface.
#[derive(Debug, Clone, PartialEq)]
pub struct PoseQuality {
    /// Its name.
    pub name: &'static str,
    /// Largest ratio between the length of an edge in the pose and at rest.
    pub worst_stretch: f64,
    /// The ratio that one edge in a thousand exceeds.
    pub stretch_999: f64,
    /// Volume in the pose divided by that at rest.
    pub volume: f64,
}

impl Quality {
    /// The pose that tears worst at the surface.
    pub fn worst_pose(&self) -> Option<&PoseQuality> {
        self.poses.iter().max_by(|a, b| a.worst_stretch.total_cmp(&b.worst_stretch))
    }
}

/// Edges shorter than this part of the box diagonal do not count: rounding stretches them by any ratio.
const TOO_SHORT: f64 = 1e-4;
/// Roughness is given for this part of the box diagonal.
const ROUGHNESS_LENGTH: f64 = 0.01;
/// One edge in so many exceeds the stretch that is reported beside the worst.
const RARE: usize = 1000;

/// Measures a skin on a surface inside the unit cube; the weights, the poses and the positions are of the same joints and in the
/// same space.
pub fn measure(
    positions: &[Vec3],
    triangles: &[[u32; 3]],
    weights: &SkinWeights,
    poses: &[TestPose],
) -> Quality {
    let diagonal = Bounds::of(positions).diagonal();
    let mut edges = edges(triangles);
    edges.retain(|edge| length(positions, edge) > TOO_SHORT * diagonal);
    let change: f64 = edges.iter().map(|&(a, b)| difference(weights, a as usize, b as usize)).sum();
    let total: f64 = edges.iter().map(|edge| length(positions, edge)).sum();
    let roughness = change / total.max(f64::MIN_POSITIVE) * diagonal * ROUGHNESS_LENGTH;
    let poses =
        poses.iter().map(|pose| PoseQuality::of(pose, positions, triangles, &edges, weights)).collect();
    Quality { sum_error: sum_error(weights), roughness, poses }
}

impl PoseQuality {
    fn of(
        pose: &TestPose,
        positions: &[Vec3],
        triangles: &[[u32; 3]],
        edges: &[(u32, u32)],
        weights: &SkinWeights,
    ) -> PoseQuality {
        let posed = posed(pose, positions, weights);
        let ratios = edges.par_iter().map(|edge| length(&posed, edge) / length(positions, edge));
        let mut stretches: Vec<f64> = ratios.collect();
        stretches.par_sort_unstable_by(f64::total_cmp);
        PoseQuality {
            name: pose.name,
            worst_stretch: stretches.last().copied().unwrap_or(1.0),
            stretch_999: stretches.iter().nth_back(stretches.len() / RARE).copied().unwrap_or(1.0),
            volume: volume(&posed, triangles) / volume(positions, triangles),
        }
    }
}

/// The surface in a pose.
fn posed(pose: &TestPose, positions: &[Vec3], weights: &SkinWeights) -> Vec<Vec3> {
    let bound: Vec<[f32; 3]> = positions.iter().map(|p| p.cast::<f32>().into()).collect();
    let mut posed = vec![[0.0; 3]; bound.len()];
    lbs::deform(weights, &pose.posed_from_bound, &bound, &mut posed);
    posed.iter().map(|p| Vec3::from(p.map(f64::from))).collect()
}

/// Every edge once.
fn edges(triangles: &[[u32; 3]]) -> Vec<(u32, u32)> {
    let sides = triangles.iter().flat_map(|&[a, b, c]| [(a, b), (b, c), (c, a)]);
    let mut edges: Vec<(u32, u32)> = sides.map(|(a, b)| (a.min(b), a.max(b))).collect();
    edges.par_sort_unstable();
    edges.dedup();
    edges
}

fn length(positions: &[Vec3], &(a, b): &(u32, u32)) -> f64 {
    (positions[a as usize] - positions[b as usize]).norm()
}

fn sum_error(weights: &SkinWeights) -> f64 {
    let sums =
        (0..weights.vertices()).map(|vertex| weights.of(vertex).map(|(_, weight)| weight).sum::<f64>());
    sums.map(|sum| (sum - 1.0).abs()).fold(0.0, f64::max)
}

/// How much of the weight of two vertices is on different joints, from 0 to 1.
fn difference(weights: &SkinWeights, a: usize, b: usize) -> f64 {
    let shared: f64 = weights
        .of(a)
        .filter_map(|(joint, weight)| Some(weight.min(weights.of(b).find(|(other, _)| *other == joint)?.1)))
        .sum();
    1.0 - shared
}

fn volume(positions: &[Vec3], triangles: &[[u32; 3]]) -> f64 {
    let corners = triangles.iter().map(|triangle| triangle.map(|v| positions[v as usize]));
    corners.map(|[a, b, c]| a.dot(&b.cross(&c)) / 6.0).sum()
}

/// The area around each vertex of which limbs that do not meet the limb of the nearest joint have more than a tenth of the weight; none
/// around the others.
pub(super) fn bleeding(
    skeleton: &Skeleton,
    weights: &SkinWeights,
    areas: &[f64],
    nearest: &[usize],
) -> Vec<f64> {
    let limbs = limbs(skeleton);
    let bleeding = areas.iter().enumerate().map(|(vertex, area)| {
        let own = limbs[nearest[vertex]];
        let influences = weights.of(vertex);
        let foreign = influences.filter(|(joint, _)| !limbs_meet(skeleton, &limbs, limbs[*joint], own));
        let is_bleeding = foreign.map(|(_, weight)| weight).sum::<f64>() > BLEEDING;
        if is_bleeding { *area } else { 0.0 }
    });
    bleeding.collect()
}

/// Weight of limbs from elsewhere that is seen when they move.
const BLEEDING: f64 = 0.1;

/// The limb of every joint: the first joint below the last branching of the skeleton above it. Limbs that
/// meet at a branching are neighbours.
pub fn limbs(skeleton: &Skeleton) -> Vec<usize> {
    let mut children = vec![0; skeleton.joints.len()];
    for parent in skeleton.joints.iter().filter_map(|joint| joint.parent) {
        children[parent] += 1;
    }
    let mut limbs = Vec::with_capacity(skeleton.joints.len());
    for (index, joint) in skeleton.joints.iter().enumerate() {
        limbs.push(match joint.parent {
            Some(parent) if children[parent] == 1 => limbs[parent],
            _ => index,
        });
    }
    limbs
}

/// Whether two limbs are the same or meet.
pub fn limbs_meet(skeleton: &Skeleton, limbs: &[usize], a: usize, b: usize) -> bool {
    let [above_a, above_b] = [a, b].map(|limb| skeleton.joints[limb].parent.map(|parent| limbs[parent]));
    a == b || above_a == Some(b) || above_b == Some(a)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::io::skeleton_file;
    use crate::math::Mat4;
    use crate::mesh::shapes;
    use crate::skeleton::built_in;

    #[test]
    fn a_rigid_skin_is_perfectly_smooth_and_a_stretch_is_seen() {
        let ball = shapes::uv_sphere(16, 32);
        let weights = SkinWeights::rigid(ball.positions.len(), 0);
        let pose = |name, matrix| TestPose { name, posed_from_bound: vec![matrix] };
        let poses = [
            pose("turned", Mat4::new_rotation(Vec3::new(0.3, 0.2, 0.1))),
            pose("stretched", Mat4::new_nonuniform_scaling(&Vec3::new(1.0, 3.0, 1.0))),
        ];
        let quality = measure(&ball.positions, &ball.triangles, &weights, &poses);
        assert_eq!((quality.sum_error, quality.roughness), (0.0, 0.0));
        let [turned, stretched] = &quality.poses[..] else { panic!() };
        assert!((turned.worst_stretch - 1.0).abs() < 1e-4 && (turned.volume - 1.0).abs() < 1e-5);
        assert!((stretched.worst_stretch - 3.0).abs() < 0.05 && (stretched.volume - 3.0).abs() < 1e-4);
        assert_eq!(quality.worst_pose().unwrap().name, "stretched");
    }

    #[test]
    fn limbs_of_a_person_meet_at_the_hips_and_at_the_chest() {
        let human = skeleton_file::read(built_in()[0].text).unwrap();
        let limbs = limbs(&human);
        let limb = |name: &str| limbs[human.find(name).unwrap()];
        assert_eq!(limb("LeftHand"), limb("LeftShoulder"));
        assert_ne!(limb("LeftHand"), limb("RightHand"));
        let meet = |a: &str, b: &str| limbs_meet(&human, &limbs, limb(a), limb(b));
        assert!(meet("LeftHand", "Chest") && meet("LeftFoot", "Hips"));
        assert!(!meet("LeftFoot", "RightFoot") && !meet("LeftHand", "Hips") && !meet("Head", "LeftHand"));
    }
}
