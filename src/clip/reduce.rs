//! Fewer keys, with a bound on what that moves.
//!
//! An error of a rotation moves everything that hangs on the joint, by the angle times the distance. Every joint may
//! therefore err by an angle such that the errors of all joints above a point together move it by no more than what is
//! allowed: its share of the way from the root, divided by the distance of the farthest vertex that hangs on it.

use super::sample::between;
use super::{Clip, Track};
use crate::math::{Quat, Vec3, cos};
use crate::motion::Pose;
use crate::rig::{BoundVertex, Rig, SolePoint};

/// A key of its own list of times costs this many bytes more than one of the common list, and a list itself that many: what
/// is not saved by leaving out keys is better kept whole.
const TIME_BYTES: usize = 4;
const LIST_BYTES: usize = 200;
const ROTATION_BYTES: usize = 16;
const TRANSLATION_BYTES: usize = 12;

/// How far the skin extends from each joint of a rig, which bounds how far an error of a joint moves it.
#[derive(Debug, Clone, PartialEq)]
pub struct SkinExtent {
    /// For each joint the distance of the farthest point that it moves.
    distance: Vec<f64>,
    /// For each joint the joints on the longest way through it from the root to a leaf.
    links: Vec<usize>,
    /// The farthest vertices of each joint along the axes, and the soles.
    points: Vec<SolePoint>,
}

impl SkinExtent {
    /// Of a rig with the vertices that hang on it, at rest, with their weights.
    pub fn of(rig: &Rig, surface: &[BoundVertex]) -> SkinExtent {
        let count = rig.joints.len();
        let place = |joint: usize| rig.joints[joint].rest.translation.vector;
        let mut distance = vec![0.0f64; count];
        // For each joint the farthest vertex in each of six directions, among those that it moves most.
        let mut extremes: Vec<[Option<(f64, usize)>; 6]> = vec![[None; 6]; count];
        let mut reach_from = |joint: usize, point: &Vec3| {
            let mut at = Some(joint);
            while let Some(above) = at {
                distance[above] = distance[above].max((point - place(above)).norm());
                at = rig.joints[above].parent;
            }
        };
        for (vertex, (point, weights)) in surface.iter().enumerate() {
            weights.iter().for_each(|&(joint, _)| reach_from(joint, point));
            let Some(&(joint, _)) = weights.iter().max_by(|a, b| a.1.total_cmp(&b.1)) else { continue };
            for (direction, extreme) in extremes[joint].iter_mut().enumerate() {
                let sign = if direction < 3 { 1.0 } else { -1.0 };
                let far = sign * (point - place(joint))[direction % 3];
                if extreme.is_none_or(|(farthest, _)| far > farthest) {
                    *extreme = Some((far, vertex));
                }
            }
        }
        (0..count).for_each(|joint| reach_from(joint, &place(joint)));
        rig.tips.iter().for_each(|tip| reach_from(tip.joint, &tip.position));

        let mut depth = vec![1usize; count];
        let mut links = vec![0usize; count];
        for joint in 0..count {
            depth[joint] = rig.joints[joint].parent.map_or(1, |parent| depth[parent] + 1);
        }
        for (leaf, &depth) in depth.iter().enumerate() {
            let mut at = Some(leaf);
            while let Some(joint) = at {
                links[joint] = links[joint].max(depth);
                at = rig.joints[joint].parent;
            }
        }
        let mut vertices: Vec<usize> =
            extremes.iter().flatten().flatten().map(|(_, vertex)| *vertex).collect();
        vertices.sort_unstable();
        vertices.dedup();
        let point =
            |vertex: usize| SolePoint { position: surface[vertex].0, weights: surface[vertex].1.clone() };
        let soles = rig.soles.iter().flat_map(|sole| sole.points.iter().cloned());
        let tips =
            rig.tips.iter().map(|tip| SolePoint { position: tip.position, weights: vec![(tip.joint, 1.0)] });
        let points = vertices.into_iter().map(point).chain(soles).chain(tips).collect();
        SkinExtent { distance, links, points }
    }

    /// The same with all vertices to measure errors on.
    #[must_use]
    pub fn on_surface(self, surface: &[BoundVertex]) -> SkinExtent {
        let point =
            |(position, weights): &BoundVertex| SolePoint { position: *position, weights: weights.clone() };
        SkinExtent { points: surface.iter().map(point).collect(), ..self }
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
        let rest: Vec<Vec3> =
            (0..rig.joints.len()).map(|joint| super::bake::rest_offset(rig, joint)).collect();
        // Vertices in the axes of each joint that moves them.
        let bound: Vec<Vec<(usize, f64, Vec3)>> = self
            .points
            .iter()
            .map(|point| {
                let of = |&(joint, weight): &(usize, f64)| {
                    let own = rig.joints[joint].rest.inverse() * nalgebra::Point3::from(point.position);
                    (joint, weight, own.coords)
                };
                point.weights.iter().map(of).collect()
            })
            .collect();
        let mut own = Pose { positions: Vec::new(), rotations: Vec::new() };
        let mut worst = 0.0f64;
        for (frame, pose) in poses.iter().enumerate() {
            clip.pose_into(rig, &rest, frame as u32, &mut own);
            for point in &bound {
                let mut apart = Vec3::zeros();
                for (joint, weight, place) in point {
                    let theirs = pose.positions[*joint] + pose.rotations[*joint] * place;
                    let ours = own.positions[*joint] + own.rotations[*joint] * place;
                    apart += (ours - theirs) * *weight;
                }
                worst = worst.max(apart.norm_squared());
            }
        }
        worst.sqrt()
    }
}

impl Clip {
    /// Leaves out keys as long as no point moves by more than `error` metres at any frame. Tracks that do not change have one
    /// key.
    pub fn reduce(&mut self, extent: &SkinExtent, error: f64) {
        for (joint, track) in self.rotations.iter_mut().enumerate() {
            let share = error / extent.links[joint].max(1) as f64;
            let angle = share / extent.distance[joint].max(f64::MIN_POSITIVE);
            // Half angles are compared by their cosines; below that they are all rounding.
            let cosine = cos(0.5 * angle.clamp(1e-7, 3.0));
            let is_near = |a: &Quat, b: &Quat| a.coords.dot(&b.coords).abs() >= cosine;
            // Players turn by the shorter way, so that keys must not be half a turn apart.
            thin(track, ROTATION_BYTES, is_near, between, |a, b| a.coords.dot(&b.coords) > 0.5);
        }
        for (joint, track) in &mut self.translations {
            let share = error / extent.links[*joint].max(1) as f64;
            thin(
                track,
                TRANSLATION_BYTES,
                |a: &Vec3, b: &Vec3| (a - b).norm() <= share,
                |a, b, t| a.lerp(b, t),
                |_, _| true,
            );
        }
        self.keep_length();
    }

    /// Players take the length of a clip from its last key, so that one in which nothing moves needs another.
    fn keep_length(&mut self) {
        let last = self.frames as u32 - 1;
        let turns = self.rotations.iter().map(|track| track.keys.len());
        let places = self.translations.iter().map(|(_, track)| track.keys.len());
        if last > 0 && turns.chain(places).all(|keys| keys == 1) {
            let track = &mut self.rotations[0];
            track.keys.push(last);
            track.values.push(track.values[0]);
        }
    }
}

/// Keeps the keys between which interpolation is near enough, if that makes the track smaller.
fn thin<T: Copy>(
    track: &mut Track<T>,
    bytes: usize,
    is_near: impl Fn(&T, &T) -> bool,
    interpolate: impl Fn(&T, &T, f64) -> T,
    may_span: impl Fn(&T, &T) -> bool,
) {
    let values = &track.values;
    let frames = values.len();
    if values.iter().all(|value| is_near(value, &values[0])) {
        track.keys.truncate(1);
        track.values.truncate(1);
        return;
    }
    let fits = |from: usize, to: usize| {
        may_span(&values[from], &values[to])
            && (from + 1..to).all(|frame| {
                let share = (frame - from) as f64 / (to - from) as f64;
                is_near(&values[frame], &interpolate(&values[from], &values[to], share))
            })
    };
    let mut kept = vec![0];
    let mut from = 0;
    while from + 1 < frames {
        // As far as it goes: in doubling steps first, then by bisection.
        let (mut good, mut step) = (from + 1, 2);
        while from + step < frames && fits(from, from + step) {
            good = from + step;
            step *= 2;
        }
        let mut bad = (from + step).min(frames);
        while bad - good > 1 {
            let middle = good.midpoint(bad);
            if fits(from, middle) { good = middle } else { bad = middle }
        }
        kept.push(good);
        from = good;
    }
    if kept.len() * (bytes + TIME_BYTES) + LIST_BYTES < frames * bytes {
        track.values = kept.iter().map(|&frame| track.values[frame]).collect();
        track.keys = kept.into_iter().map(|frame| frame as u32).collect();
    }
}

#[cfg(test)]
mod tests {
    use super::super::bake;
    use super::super::bake::tests::{arm, waving};
    use super::*;

    fn surface() -> Vec<BoundVertex> {
        vec![
            (Vec3::new(0.0, 1.2, 0.1), vec![(1, 1.0)]),
            (Vec3::new(0.35, 1.5, 0.0), vec![(2, 0.6), (1, 0.4)]),
            (Vec3::new(0.9, 1.4, 0.1), vec![(3, 1.0)]),
        ]
    }

    #[test]
    fn nothing_moves_by_more_than_was_allowed() {
        let rig = arm();
        let poses = waving(&rig);
        let extent = SkinExtent::of(&rig, &surface());
        let mut before = usize::MAX;
        for error in [1e-4, 1e-3, 1e-2] {
            let mut clip = bake(&rig, "wave", 1.0 / 60.0, &poses);
            clip.reduce(&extent, error);
            let measured = extent.error(&rig, &poses, &clip);
            assert!(measured <= error, "{measured} {error}");
            let (all, bytes) = clip.bytes();
            assert!(bytes <= before && bytes < all, "{bytes} {all}");
            before = bytes;
            // What does not move has one key, and every track begins and ends with the clip.
            assert_eq!(clip.rotations[0].keys, [0]);
            for track in clip.rotations.iter().skip(1) {
                assert_eq!((track.keys[0], *track.keys.last().unwrap()), (0, 60));
                assert!(track.keys.windows(2).all(|pair| pair[0] < pair[1]));
            }
        }
    }

    #[test]
    fn a_clip_in_which_nothing_moves_keeps_its_length() {
        let rig = arm();
        let poses = vec![waving(&rig)[7].clone(); 61];
        let mut clip = bake(&rig, "stand", 1.0 / 60.0, &poses);
        clip.reduce(&SkinExtent::of(&rig, &surface()), 1e-4);
        assert_eq!(clip.rotations.iter().map(|track| track.keys.len()).collect::<Vec<_>>(), [2, 1, 1, 1]);
        assert_eq!(clip.rotations[0].keys, [0, 60]);
    }

    #[test]
    fn without_an_allowance_every_key_stays_where_something_moves() {
        let rig = arm();
        let poses = waving(&rig);
        let mut clip = bake(&rig, "wave", 1.0 / 60.0, &poses);
        clip.reduce(&SkinExtent::of(&rig, &surface()), 0.0);
        assert_eq!(clip.rotations[3].keys.len(), 61);
        assert_eq!(clip.rotations[0].keys.len(), 1);
    }
}
