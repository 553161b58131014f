//! Bodies with the head, the arms or the legs of another character: what one artist's heads look like must not tell where that
//! artist puts hips.

use super::body::Body;
use super::character::{MIDDLE_SEGMENTS, SIDED_SEGMENTS};
use puppetry::Vec3;
use puppetry::stages::embed::prior::channel;
use puppetry::stages::embed::prior::points::SurfacePoint;
use puppetry::stages::math::Random;

/// What is exchanged.
#[derive(Clone, Copy)]
enum Graft {
    Head,
    Tail,
    /// From this place on in the lists of sided segments and channels: arms or legs.
    Limbs {
        segments: usize,
        channels: usize,
    },
}

const GRAFTS: [Graft; 4] = [
    Graft::Head,
    Graft::Limbs { segments: 0, channels: 0 },
    Graft::Limbs { segments: 3, channels: 4 },
    Graft::Tail,
];

/// Part of the chimeras that have each graft, and how large it is compared with what it takes the place of.
const GRAFTED: f64 = 0.4;
const SIZES: [f64; 2] = [0.75, 1.35];

/// Gives a body some parts of another one of the same plan.
pub fn graft(body: &mut Body, other: &Body, random: &mut Random) {
    for graft in GRAFTS {
        if random.unit() < GRAFTED {
            let factor = random.between(SIZES[0].ln(), SIZES[1].ln()).exp();
            match graft {
                Graft::Head => middle(body, other, "head", factor, random),
                Graft::Tail => middle(body, other, "tail", factor, random),
                Graft::Limbs { segments, channels } => {
                    limbs(body, other, (segments, channels), factor, random);
                }
            }
        }
    }
    body.settle();
}

/// A part that hangs on one joint of the middle.
fn middle(body: &mut Body, other: &Body, name: &str, factor: f64, random: &mut Random) {
    let segment = MIDDLE_SEGMENTS.iter().position(|known| *known == name).unwrap_or(0);
    let Some(joint) = channel::middle(name) else { return };
    let (Some(to), Some(from)) = (body.joints[joint], other.joints[joint]) else { return };
    let [own, theirs] = [(&*body, to), (other, from)].map(|(body, joint)| size(body, segment, &joint));
    if own > 0.0 && theirs > 0.0 {
        let similarity = Similarity { from, to, scale: own / theirs * factor };
        replace(body, other, segment, &similarity, random);
    }
}

/// Both arms or both legs. Legs reach the ground, arms are as long as the own ones, about.
fn limbs(
    body: &mut Body,
    other: &Body,
    (segments, channels): (usize, usize),
    factor: f64,
    random: &mut Random,
) {
    let count = channel::SIDED.len() / 2;
    let joint = |body: &Body, place: usize, is_left: bool| {
        body.joints[channel::sided(channel::SIDED[channels + place], is_left)?]
    };
    let places = segments..segments + SIDED_SEGMENTS.len() / 2;
    let has_skin = |body: &Body, side: usize| {
        places.clone().all(|place| body.points.iter().any(|(_, own)| *own == Some(side + place)))
    };
    let moves = [true, false].map(|is_left| {
        let (to, from) = (joint(body, 0, is_left)?, joint(other, 0, is_left)?);
        let end = |body: &Body| (1..count).rev().find_map(|place| joint(body, place, is_left));
        let (own, theirs) = (end(body)?, end(other)?);
        // The forelegs of an animal have the channels of arms.
        let stands = [own.y / to.y, theirs.y / from.y].iter().all(|height| *height < STANDING);
        let scale = if stands { to.y / from.y } else { (own - to).norm() / (theirs - from).norm() * factor };
        let is_skinned = [&*body, other].iter().all(|body| has_skin(body, side_of(is_left)));
        (is_skinned && SCALES.contains(&scale)).then_some(Similarity { from, to, scale })
    });
    let [Some(left), Some(right)] = moves else { return };
    for (is_left, similarity) in [(true, left), (false, right)] {
        for place in places.clone() {
            replace(body, other, side_of(is_left) + place, &similarity, random);
        }
        for place in 0..count {
            if let Some(channel) = channel::sided(channel::SIDED[channels + place], is_left) {
                body.joints[channel] = other.joints[channel].map(|joint| similarity.apply(&joint));
                body.is_vague[channel] = other.is_vague[channel];
            }
        }
    }
}

/// A limb whose last joint is below this part of the height of its first stands on the ground: arms that hang end above it.
const STANDING: f64 = 0.4;
/// Limbs are scaled by no more than this: beyond it they are those of another kind of body.
const SCALES: std::ops::Range<f64> = 0.3..3.0;

/// The first segment of a side.
fn side_of(is_left: bool) -> usize {
    MIDDLE_SEGMENTS.len() + if is_left { 0 } else { SIDED_SEGMENTS.len() }
}

struct Similarity {
    from: Vec3,
    to: Vec3,
    scale: f64,
}

impl Similarity {
    fn apply(&self, point: &Vec3) -> Vec3 {
        self.to + (point - self.from) * self.scale
    }
}

/// Root mean square distance of a segment's points from its joint; 0 without any.
fn size(body: &Body, segment: usize, joint: &Vec3) -> f64 {
    let own = body.points.iter().filter(|(_, own)| *own == Some(segment));
    let (sum, count) = own.fold((0.0, 0), |(sum, count), (point, _)| {
        (sum + (point.position - joint).norm_squared(), count + 1)
    });
    (sum / f64::from(count.max(1))).sqrt()
}

/// Takes the points of a segment away and those of another body instead, as densely.
fn replace(body: &mut Body, other: &Body, segment: usize, similarity: &Similarity, random: &mut Random) {
    let theirs: Vec<SurfacePoint> =
        other.points.iter().filter(|(_, own)| *own == Some(segment)).map(|(point, _)| *point).collect();
    let density = body.points.len() as f64 / other.points.len().max(1) as f64;
    let count = (theirs.len() as f64 * density * similarity.scale * similarity.scale) as usize;
    body.points.retain(|(_, own)| *own != Some(segment));
    for _ in 0..if theirs.is_empty() { 0 } else { count.min(2 * theirs.len()) } {
        let point = theirs[random.index(theirs.len())];
        let point = SurfacePoint {
            position: similarity.apply(&point.position),
            thickness: point.thickness * similarity.scale,
            ..point
        };
        body.points.push((point, Some(segment)));
    }
}
