//! The girth of a body: how far the skin of a joint is from the middle of its part, around it and along its bone.
//!
//! Trunks, thighs and heads are round about their bones, and hardly ever about a circle: a belly is all in front. A profile of radii, by
//! station along the bone and by sector around it, is read off the skin once and then answers in a few dozen operations how deep a point is
//! under it and where it is out. Capsules, of which one radius serves all sides, push hands off flanks that are not there.

use crate::math::{Quat, Vec3, atan2, cos, hypot, median, sin, square};
use nalgebra::{Isometry3, Point3, Translation3};
use std::f64::consts::{PI, TAU};

/// Radii along the bone and around it. Half as many of either miss bellies by 2 % of the height; more find folds between vertices.
const STATIONS: usize = 8;
const SECTORS: usize = 16;
/// Vertices farther from the middle than so many times the median are cloth, hair and ears. A belly is up to 1.8 times as far.
const FAR: f64 = 2.2;
/// The vertices of a station surround the bone if no two neighbours around it are farther apart, in radians. Those on two sides only
/// would make a body of no width.
const SURROUNDED: f64 = 2.6;
/// Beyond its ends a profile fades out over this part of its largest radius: the next part of the body goes on there. Beyond those of a
/// head nothing does: the chin of a chibi would be where its shoulders are.
const FADE: f64 = 0.2;
const FADE_OF_CAPPED: f64 = 0.03;
/// A point nearer to the middle than this part of the largest radius has no direction of its own.
const MIDDLE: f64 = 1e-6;

/// How far the skin of a joint is from the middle of its part.
#[derive(Debug, Clone, PartialEq)]
pub struct Girth {
    /// The joint.
    pub joint: usize,
    /// From the axes of the profile to the coordinates of the rig, at rest. The bone points along Y; the profile begins at the origin.
    pub at_rest: Isometry3<f64>,
    /// Vertices of the skin, spread evenly, in the coordinates of the rig.
    pub samples: Vec<Vec3>,
    length: f64,
    is_capped: bool,
    radii: [[f64; SECTORS]; STATIONS],
    /// The largest radius of each station, and of all.
    widest: [f64; STATIONS],
    largest: f64,
}

/// A point under the skin.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Depth {
    /// How deep it is.
    pub depth: f64,
    /// The direction in which it is out, in the axes of the profile.
    pub outward: Vec3,
}

impl Girth {
    /// The profile of the vertices of a joint, along the direction of its bone. A part that is capped ends there, as a head does; others
    /// go on in the next part. `None` if there are none around the bone.
    pub fn of(joint: usize, along: &Vec3, is_capped: bool, skin: &[Vec3]) -> Option<Girth> {
        let middle = skin.iter().sum::<Vec3>() / skin.len().max(1) as f64;
        let turn = Quat::rotation_between(&Vec3::y(), along)
            .unwrap_or_else(|| Quat::from_axis_angle(&Vec3::x_axis(), PI));
        let around = Isometry3::from_parts(Translation3::from(middle), turn);
        let mut own: Vec<Vec3> =
            skin.iter().map(|vertex| (around.inverse() * Point3::from(*vertex)).coords).collect();
        let mut distances: Vec<f64> = own.iter().map(|vertex| hypot(vertex.x, vertex.z)).collect();
        let median = median(&mut distances)?;
        own.retain(|vertex| hypot(vertex.x, vertex.z) <= FAR * median);
        let (low, high) = own
            .iter()
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| (low.min(v.y), high.max(v.y)));
        let length = high - low;
        if !(length > 0.0) {
            return None;
        }
        own.iter_mut().for_each(|vertex| vertex.y -= low);
        let radii = radii(&own, length)?;
        let at_rest = around * Isometry3::translation(0.0, low, 0.0);
        let widest = radii.map(|row| row.into_iter().fold(0.0, f64::max));
        let largest = widest.into_iter().fold(0.0, f64::max);
        Some(Girth { joint, at_rest, samples: Vec::new(), length, is_capped, radii, widest, largest })
    }

    /// The same with so many vertices of the skin, each as far as possible from those before.
    pub fn with_samples(mut self, skin: &[Vec3], count: usize) -> Girth {
        self.samples = spread(skin, count);
        self
    }

    /// The middle of the profile, in its axes, and how far it reaches from there.
    pub fn sphere(&self) -> (Vec3, f64) {
        (Vec3::y() * (0.5 * self.length), hypot(self.largest, 0.5 * self.length + self.fade()))
    }

    fn fade(&self) -> f64 {
        self.largest * if self.is_capped { FADE_OF_CAPPED } else { FADE }
    }

    /// Whether a point is as near to the bone as the skin is on any side, in the axes of the profile.
    pub fn may_contain(&self, point: &Vec3) -> bool {
        let (low, ..) = self.station(point.y);
        let widest = self.widest[low].max(self.widest[low + 1]);
        self.beyond(point) < 1.0 && square(point.x) + square(point.z) < square(widest)
    }

    /// How far a point is beyond the ends, in parts of what fades out there.
    fn beyond(&self, point: &Vec3) -> f64 {
        (-point.y).max(point.y - self.length).max(0.0) / self.fade()
    }

    /// How deep a point is under the skin, in the axes of the profile; `None` outside.
    pub fn depth(&self, point: &Vec3) -> Option<Depth> {
        if !self.may_contain(point) {
            return None;
        }
        let distance = (square(point.x) + square(point.z)).sqrt();
        let outward = match distance > MIDDLE * self.largest {
            true => Vec3::new(point.x, 0.0, point.z) / distance,
            false => Vec3::z(),
        };
        let Surface { radius, along, around } = self.surface(point.y, atan2(outward.x, outward.z));
        if distance >= radius {
            return None;
        }
        let sideways = Vec3::new(outward.z, 0.0, -outward.x);
        let normal = outward - Vec3::y() * along - sideways * (around / radius);
        let steep = normal.norm();
        let depth = (radius - distance) / steep * (1.0 - self.beyond(point));
        let to_cap = self.length - point.y;
        if self.is_capped && to_cap < depth {
            return (to_cap > 0.0).then(|| Depth { depth: to_cap, outward: Vec3::y() });
        }
        Some(Depth { depth, outward: normal / steep })
    }

    /// The station below a place along the bone, how far it is from there to the next, and whether it is between the ends.
    fn station(&self, height: f64) -> (usize, f64, bool) {
        let station = height / self.length * (STATIONS - 1) as f64;
        let inside = station.clamp(0.0, (STATIONS - 1) as f64);
        let low = (inside as usize).min(STATIONS - 2);
        (low, inside - low as f64, station == inside)
    }

    /// The skin at a place along the bone and a direction around it.
    fn surface(&self, height: f64, angle: f64) -> Surface {
        let (low, up, is_within) = self.station(height);
        let sector = (angle / TAU + 1.0) * SECTORS as f64;
        let left = sector as usize;
        let turn = sector - left as f64;
        let [left, right] = [left % SECTORS, (left + 1) % SECTORS];
        let [[a, b], [c, d]] = [low, low + 1].map(|row| [self.radii[row][left], self.radii[row][right]]);
        let (below, above) = (a + (b - a) * turn, c + (d - c) * turn);
        Surface {
            radius: below + (above - below) * up,
            along: if is_within { (above - below) * (STATIONS - 1) as f64 / self.length } else { 0.0 },
            around: ((b - a) + ((d - c) - (b - a)) * up) * SECTORS as f64 / TAU,
        }
    }
}

/// The skin in one direction from the bone.
struct Surface {
    radius: f64,
    /// How it changes along the bone, and by radians around it.
    along: f64,
    around: f64,
}

/// Radii of vertices whose Y is between 0 and `length`. Stations that the vertices do not surround are between their neighbours.
fn radii(own: &[Vec3], length: f64) -> Option<[[f64; SECTORS]; STATIONS]> {
    let station = |vertex: &Vec3| (vertex.y / length * (STATIONS - 1) as f64).round() as usize;
    let mut rows: [Option<[f64; SECTORS]>; STATIONS] = [None; STATIONS];
    for (index, row) in rows.iter_mut().enumerate() {
        let ring: Vec<Vec3> = own.iter().filter(|vertex| station(vertex) == index).copied().collect();
        *row = surrounds(&ring).then(|| polygon(&ring));
    }
    if rows.iter().all(Option::is_none) {
        // Few vertices: all of them, as a prism.
        return surrounds(own).then(|| [polygon(own); STATIONS]);
    }
    let mut radii = [[0.0; SECTORS]; STATIONS];
    for (index, row) in radii.iter_mut().enumerate() {
        let before = (0..=index).rev().find_map(|near| Some((near, rows[near]?)));
        let after = (index..STATIONS).find_map(|near| Some((near, rows[near]?)));
        *row = match (before, after) {
            (Some((from, a)), Some((to, b))) => {
                let share = (index - from) as f64 / (to - from).max(1) as f64;
                std::array::from_fn(|sector| a[sector] + (b[sector] - a[sector]) * share)
            }
            (Some((_, row)), None) | (None, Some((_, row))) => row,
            (None, None) => return None,
        };
    }
    Some(radii)
}

/// Whether vertices are on all sides of the Y axis.
fn surrounds(ring: &[Vec3]) -> bool {
    let mut angles: Vec<f64> = ring.iter().map(|vertex| atan2(vertex.x, vertex.z)).collect();
    angles.sort_by(f64::total_cmp);
    let Some((first, last)) = angles.first().zip(angles.last()) else { return false };
    let seam = first + TAU - last;
    angles.windows(2).map(|pair| pair[1] - pair[0]).fold(seam, f64::max) < SURROUNDED
}

/// The radii of the convex hull of vertices around the Y axis: between two corners of a box there is a flat side.
fn polygon(ring: &[Vec3]) -> [f64; SECTORS] {
    const SIDES: usize = 4 * SECTORS;
    let angle = |part: usize, of: usize| TAU * part as f64 / of as f64;
    let supports: Vec<(f64, f64)> = (0..SIDES)
        .map(|side| {
            let angle = angle(side, SIDES);
            let (x, z) = (sin(angle), cos(angle));
            (angle, ring.iter().map(|vertex| x * vertex.x + z * vertex.z).fold(0.0, f64::max))
        })
        .collect();
    std::array::from_fn(|sector| {
        let ahead = supports.iter().map(|(side, support)| (cos(side - angle(sector, SECTORS)), support));
        ahead
            .filter(|(cosine, _)| *cosine > 0.1)
            .map(|(cosine, support)| support / cosine)
            .fold(f64::INFINITY, f64::min)
    })
}

/// So many of some points, each as far as possible from those before; the first is the one farthest from the middle.
fn spread(points: &[Vec3], count: usize) -> Vec<Vec3> {
    let middle = points.iter().sum::<Vec3>() / points.len().max(1) as f64;
    let mut nearest: Vec<f64> = points.iter().map(|point| (point - middle).norm_squared()).collect();
    let mut chosen = Vec::with_capacity(count);
    while chosen.len() < count.min(points.len()) {
        let farthest = (0..points.len()).max_by(|a, b| nearest[*a].total_cmp(&nearest[*b]).then(b.cmp(a)));
        let Some(next) = farthest.map(|index| points[index]) else { break };
        if chosen.is_empty() {
            nearest.fill(f64::INFINITY);
        }
        for (nearest, point) in nearest.iter_mut().zip(points) {
            *nearest = nearest.min((point - next).norm_squared());
        }
        chosen.push(next);
    }
    chosen
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A tube about the X axis that is thicker in front (+Z) and at its far end.
    fn tube() -> Vec<Vec3> {
        let mut vertices = Vec::new();
        for step in 0..33 {
            for side in 0..32 {
                let (along, angle) = (f64::from(step) / 32.0, TAU * f64::from(side) / 32.0);
                let radius = (0.2 + 0.05 * along) * if cos(angle) > 0.0 { 1.5 } else { 1.0 };
                vertices.push(Vec3::new(along, radius * sin(angle), radius * cos(angle)));
            }
        }
        vertices
    }

    #[test]
    fn depth_is_that_under_the_skin_and_out_is_the_nearest_side() {
        let girth = Girth::of(3, &Vec3::x(), false, &tube()).unwrap();
        let ask = |point: Vec3| {
            let found = girth.depth(&(girth.at_rest.inverse() * Point3::from(point)).coords)?;
            Some((found.depth, girth.at_rest.rotation * found.outward))
        };
        for (z, expected) in [(0.3, 0.0375), (-0.2, 0.025)] {
            let (depth, outward) = ask(Vec3::new(0.5, 0.0, z)).unwrap();
            assert!((depth - expected).abs() < 0.006, "{z}: {depth}");
            assert!(outward.z * z.signum() > 0.95, "{outward}");
        }
        assert!(ask(Vec3::new(0.5, 0.0, 0.36)).is_none() && ask(Vec3::new(0.5, 0.0, -0.24)).is_none());
        assert!(ask(Vec3::new(1.2, 0.0, 0.0)).is_none(), "beyond its end");
    }

    #[test]
    fn a_box_has_flat_sides_and_a_cap() {
        let corners: Vec<Vec3> = (0..8)
            .map(|c| Vec3::new(f64::from(c & 1) - 0.5, f64::from(c >> 1 & 1), f64::from(c >> 2) - 0.5))
            .collect();
        let girth = Girth::of(0, &Vec3::y(), true, &corners).unwrap();
        let side = girth.depth(&Vec3::new(0.45, 0.3, 0.0)).unwrap();
        assert!((side.depth - 0.05).abs() < 0.01 && side.outward.x > 0.9, "{side:?}");
        let top = girth.depth(&Vec3::new(0.0, 0.98, 0.0)).unwrap();
        assert!((top.depth - 0.02).abs() < 1e-9 && top.outward == Vec3::y(), "{top:?}");
        assert!(Girth::of(0, &Vec3::y(), true, &corners[..2]).is_none());
    }

    #[test]
    fn samples_are_spread_over_the_skin() {
        let samples = Girth::of(3, &Vec3::x(), false, &tube()).unwrap().with_samples(&tube(), 20).samples;
        assert_eq!(samples.len(), 20);
        for (index, sample) in samples.iter().enumerate() {
            assert!(samples[..index].iter().all(|other| (other - sample).norm() > 0.15));
        }
    }
}
