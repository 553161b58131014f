use super::Clip;
use super::bake::{rest_offset, rest_position};
use crate::math::Vec3;
use crate::motion::Pose;
use crate::rig::{BoundPoint, BoundVertex, Rig, SolePoint};

/// How far the skin extends from each joint of a rig, which bounds how far an error of a joint moves it.
#[derive(Debug, Clone, PartialEq)]
pub struct SkinExtent {
    /// For each joint the distance of the farthest point that it moves.
    pub(super) distance: Vec<f64>,
    /// For each joint the number of joints on the longest path through it from the root to a leaf.
    pub(super) links: Vec<usize>,
    /// The farthest vertices of each joint along the axes, the soles and the tips.
    points: Vec<SolePoint>,
}

impl SkinExtent {
    /// Of a rig with the vertices that hang on it, at rest, with their weights.
    pub fn of(rig: &Rig, surface: &[BoundVertex]) -> SkinExtent {
        let mut distance = vec![0.0f64; rig.joints.len()];
        for (point, weights) in surface {
            weights.iter().for_each(|&(joint, _)| extend(&mut distance, rig, joint, point));
        }
        for node in rig.nodes() {
            node.parent.iter().for_each(|&joint| extend(&mut distance, rig, joint, &node.position));
        }
        let vertices = extreme_vertices(rig, surface).into_iter().map(|vertex| skin_point(&surface[vertex]));
        let soles = rig.soles.iter().flat_map(|sole| sole.points.iter().cloned());
        let tips =
            rig.tips.iter().map(|tip| SolePoint { position: tip.position, weights: vec![(tip.joint, 1.0)] });
        SkinExtent { distance, links: links(rig), points: vertices.chain(soles).chain(tips).collect() }
    }

    /// The same with the distances that the first joints have there. Joints that follow others take over some of the surface, and
    /// may not change which keys of those are left out.
    #[must_use]
    pub fn with_distances_of(mut self, body: &SkinExtent) -> SkinExtent {
        self.distance[..body.distance.len()].copy_from_slice(&body.distance);
        self.links[..body.links.len()].copy_from_slice(&body.links);
        self
    }

    /// The same with all vertices to measure errors on.
    #[must_use]
    pub fn on_surface(self, surface: &[BoundVertex]) -> SkinExtent {
        SkinExtent { points: surface.iter().map(skin_point).collect(), ..self }
    }

    /// The same after a joint was put above all others.
    pub fn add_root(&mut self) {
        let farthest = self.distance[0] + self.points.iter().map(|p| p.position.norm()).fold(0.0, f64::max);
        self.distance.insert(0, farthest);
        self.links.iter_mut().for_each(|links| *links += 1);
        self.links.insert(0, self.links[0]);
        self.points.iter_mut().flat_map(|point| &mut point.weights).for_each(|(joint, _)| *joint += 1);
    }

    /// The farthest that any of its points is moved from where `poses` have it, in metres.
    pub fn error(&self, rig: &Rig, poses: &[Pose], clip: &Clip) -> f64 {
        let rest: Vec<Vec3> = (0..rig.joints.len()).map(|joint| rest_offset(rig, joint)).collect();
        let bound: Vec<Vec<BoundPoint>> = self.points.iter().map(|point| point.bound(rig)).collect();
        let mut own = Pose::default();
        let mut worst = 0.0f64;
        for (frame, pose) in poses.iter().enumerate() {
            clip.pose_into(rig, &rest, frame as u32, &mut own);
            for point in &bound {
                let mut apart = Vec3::zeros();
                for BoundPoint { joint, weight, position } in point {
                    let theirs = pose.positions[*joint] + pose.rotations[*joint] * position;
                    let ours = own.positions[*joint] + own.rotations[*joint] * position;
                    apart += (ours - theirs) * *weight;
                }
                worst = worst.max(apart.norm_squared());
            }
        }
        worst.sqrt()
    }
}

fn skin_point((position, weights): &BoundVertex) -> SolePoint {
    SolePoint { position: *position, weights: weights.clone() }
}

/// Extends a joint and all joints above it to a point.
fn extend(distance: &mut [f64], rig: &Rig, joint: usize, point: &Vec3) {
    for above in rig.joints.ancestors(joint) {
        distance[above] = distance[above].max((point - rest_position(rig, above)).norm());
    }
}

/// For each joint the farthest vertex in each of six directions, among those that it moves most; each once, ascending.
fn extreme_vertices(rig: &Rig, surface: &[BoundVertex]) -> Vec<usize> {
    let mut extremes: Vec<[Option<(f64, usize)>; 6]> = vec![[None; 6]; rig.joints.len()];
    for (vertex, (point, weights)) in surface.iter().enumerate() {
        let Some(&(joint, _)) = weights.iter().max_by(|a, b| a.1.total_cmp(&b.1)) else { continue };
        for (direction, extreme) in extremes[joint].iter_mut().enumerate() {
            let sign = if direction < 3 { 1.0 } else { -1.0 };
            let far = sign * (point - rest_position(rig, joint))[direction % 3];
            if extreme.is_none_or(|(farthest, _)| far > farthest) {
                *extreme = Some((far, vertex));
            }
        }
    }
    let mut vertices: Vec<usize> = extremes.iter().flatten().flatten().map(|(_, vertex)| *vertex).collect();
    vertices.sort_unstable();
    vertices.dedup();
    vertices
}

/// For each joint the number of joints on the longest path through it from the root to a leaf.
fn links(rig: &Rig) -> Vec<usize> {
    // Their depths at first.
    let mut links: Vec<usize> =
        (0..rig.joints.len()).map(|joint| rig.joints.ancestors(joint).count()).collect();
    for joint in (0..rig.joints.len()).rev() {
        if let Some(parent) = rig.joints[joint].parent {
            links[parent] = links[parent].max(links[joint]);
        }
    }
    links
}
