//! Points as the network takes them: every point with its neighbours, and regions of points.

use super::points::SurfacePoint;
use crate::math::Vec3;

/// Points that are looked at in one pass.
pub const POINTS: usize = 512;
/// Points that vote: the first ones.
pub const VOTERS: usize = 128;
/// Middles of regions: the first ones of those.
pub const REGIONS: usize = 32;
/// Neighbours of a point, and members of a region.
pub const NEIGHBOURS: usize = 12;
/// Numbers about a neighbour: position, medial point, normal and thickness.
pub const ABOUT_NEIGHBOUR: usize = 10;
/// Numbers about a point: the same, and its height above the lowest.
pub const ABOUT_VOTER: usize = 11;

/// The points of one pass, centred on their mean, in units of their spread about it.
pub struct Tokens {
    /// Mean of the points.
    pub center: Vec3,
    /// Root mean square distance from it.
    pub scale: f64,
    /// [`ABOUT_NEIGHBOUR`] numbers for each of the [`NEIGHBOURS`] of each voter.
    pub neighbours: Vec<f32>,
    /// [`ABOUT_VOTER`] numbers for each voter.
    pub voters: Vec<f32>,
    /// Medial points of the voters.
    pub medial: Vec<[f32; 3]>,
    /// The voters in each region.
    pub members: Vec<u32>,
    /// Where each of them is, relative to the middle of the region.
    pub member_offsets: Vec<f32>,
    /// The nearest region of each voter.
    pub region: Vec<u32>,
}

/// Spreads below this are those of a single point.
const NO_SPREAD: f64 = 1e-9;

impl Tokens {
    /// Of [`POINTS`] points in random order.
    ///
    /// # Panics
    /// If there are fewer than [`VOTERS`].
    pub fn of(points: &[SurfacePoint]) -> Tokens {
        assert!(points.len() >= VOTERS, "too few points to look at");
        let count = points.len() as f64;
        let center = points.iter().map(|point| point.position).sum::<Vec3>() / count;
        let spread = points.iter().map(|point| (point.position - center).norm_squared()).sum::<f64>() / count;
        let scale = spread.sqrt().max(NO_SPREAD);
        let local = |point: &Vec3| ((point - center) / scale).cast::<f32>().into();
        let positions: Vec<[f32; 3]> = points.iter().map(|point| local(&point.position)).collect();
        let medial: Vec<[f32; 3]> = points.iter().map(|point| local(&point.medial())).collect();
        let normals: Vec<[f32; 3]> = points.iter().map(|point| point.normal.cast::<f32>().into()).collect();
        let thickness: Vec<f32> = points.iter().map(|point| (point.thickness / scale) as f32).collect();
        let lowest = positions.iter().map(|p| p[1]).fold(f32::INFINITY, f32::min);

        let mut neighbours = Vec::with_capacity(VOTERS * NEIGHBOURS * ABOUT_NEIGHBOUR);
        let mut voters = Vec::with_capacity(VOTERS * ABOUT_VOTER);
        for voter in 0..VOTERS {
            let own = positions[voter];
            for other in nearest::<NEIGHBOURS>(&positions, &own) {
                let other = other as usize;
                neighbours.extend(minus(&positions[other], &own));
                neighbours.extend(minus(&medial[other], &own));
                neighbours.extend(normals[other]);
                neighbours.push(thickness[other]);
            }
            voters.extend(own);
            voters.extend(medial[voter]);
            voters.extend(normals[voter]);
            voters.extend([thickness[voter], own[1] - lowest]);
        }
        let medial = medial[..VOTERS].to_vec();
        let mut members = Vec::with_capacity(REGIONS * NEIGHBOURS);
        let mut member_offsets = Vec::with_capacity(REGIONS * NEIGHBOURS * 3);
        for middle in &medial[..REGIONS] {
            for member in nearest::<NEIGHBOURS>(&medial, middle) {
                members.push(member);
                member_offsets.extend(minus(&medial[member as usize], middle));
            }
        }
        let region = medial.iter().map(|voter| nearest::<1>(&medial[..REGIONS], voter)[0]).collect();
        Tokens { center, scale, neighbours, voters, medial, members, member_offsets, region }
    }
}

fn minus(a: &[f32; 3], b: &[f32; 3]) -> [f32; 3] {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

/// The nearest points, the nearest one first; of equally near ones the first.
fn nearest<const K: usize>(points: &[[f32; 3]], to: &[f32; 3]) -> [u32; K] {
    let mut best = [(f32::INFINITY, 0u32); K];
    for (index, point) in points.iter().enumerate() {
        let [x, y, z] = minus(point, to);
        let distance = x * x + y * y + z * z;
        if distance < best[K - 1].0 {
            let place = best.partition_point(|other| other.0 <= distance);
            best[place..].rotate_right(1);
            best[place] = (distance, index as u32);
        }
    }
    best.map(|(_, index)| index)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_are_sorted_and_ties_go_to_the_first() {
        let points = [[3.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0; 3]];
        assert_eq!(nearest::<3>(&points, &[0.0; 3]), [3, 1, 2]);
    }

    #[test]
    fn tokens_do_not_depend_on_where_the_body_is_and_how_large() {
        let points = |scale: f64, shift: Vec3| -> Vec<SurfacePoint> {
            let mut random = crate::math::Random::new(3);
            (0..POINTS)
                .map(|_| {
                    let at = Vec3::new(random.unit(), random.unit(), random.unit());
                    SurfacePoint { position: at * scale + shift, normal: Vec3::y(), thickness: 0.1 * scale }
                })
                .collect()
        };
        let (one, other) =
            (Tokens::of(&points(1.0, Vec3::zeros())), Tokens::of(&points(7.0, Vec3::repeat(2.0))));
        let near = |a: &[f32], b: &[f32]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-4);
        assert!(near(&one.neighbours, &other.neighbours) && near(&one.voters, &other.voters));
        assert_eq!(one.members, other.members);
    }
}
