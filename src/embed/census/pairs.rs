//! Which limbs are mirror images of each other.

use super::{Census, CensusLimb};
use crate::math::Vec3;
use crate::skeleton::naming::Side;

/// Bases and tips of partners are mirror images within this, in S.
const APART: f64 = 0.05;
/// Bases or tips, in S: of limbs that are posed, such as the legs of a body that walks.
const POSED_APART: f64 = 0.08;
/// Lengths of partners differ by less than this part.
const LENGTHS: f64 = 0.15;
/// Of posed ones.
const POSED_LENGTHS: f64 = 0.3;
/// A body that shares less with its mirror image, such as a snake, has no plane, and its ends have no sides. A person who walks shares
/// a half.
const LEAST_OVERLAP: f64 = 0.3;
/// A limb without a partner that begins within this distance of the plane, in S, is in the middle.
const CENTRAL: f64 = 0.03;

/// Finds partners and sides.
pub fn find(census: &mut Census) {
    for (apart, lengths, both) in [(APART, LENGTHS, true), (POSED_APART, POSED_LENGTHS, false)] {
        pair_up(census, &|a, b| mismatch(a, b, both, lengths), apart);
    }
    let (size, has_plane) = (census.size, census.mirror_overlap >= LEAST_OVERLAP);
    for limb in &mut census.limbs {
        limb.side = side_of(limb, size).filter(|_| has_plane || limb.partner.is_some());
    }
}

/// Pairs the best match first.
fn pair_up(census: &mut Census, mismatch: &dyn Fn(&CensusLimb, &CensusLimb) -> Option<f64>, apart: f64) {
    let limbs = &census.limbs;
    let mut matches: Vec<(f64, usize, usize)> = Vec::new();
    for a in (0..limbs.len()).filter(|&a| limbs[a].partner.is_none()) {
        for b in (a + 1..limbs.len()).filter(|&b| limbs[b].partner.is_none()) {
            let found = mismatch(&limbs[a], &limbs[b]).filter(|mismatch| *mismatch <= apart * census.size);
            matches.extend(found.map(|mismatch| (mismatch, a, b)));
        }
    }
    matches.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)).then(a.2.cmp(&b.2)));
    for (_, a, b) in matches {
        if census.limbs[a].partner.is_none() && census.limbs[b].partner.is_none() {
            census.limbs[a].partner = Some(b);
            census.limbs[b].partner = Some(a);
        }
    }
}

/// How far two limbs are from being mirror images; `None` if they are on one side or of different lengths.
fn mismatch(a: &CensusLimb, b: &CensusLimb, both: bool, lengths: f64) -> Option<f64> {
    let image = |point: &Vec3| Vec3::new(-point.x, point.y, point.z);
    let differs = (a.length - b.length).abs() > lengths * a.length.max(b.length);
    let is_opposite = middle(a).x * middle(b).x < 0.0;
    let bases = (a.base - image(&b.base)).norm();
    let tips = (a.tip - image(&b.tip)).norm();
    (is_opposite && !differs).then_some(if both { bases.max(tips) } else { bases.min(tips) })
}

fn middle(limb: &CensusLimb) -> Vec3 {
    limb.line.iter().sum::<Vec3>() / limb.line.len() as f64
}

fn side_of(limb: &CensusLimb, size: f64) -> Option<Side> {
    if limb.partner.is_none() && limb.base.x.abs() <= CENTRAL * size {
        return None;
    }
    Some(if middle(limb).x > 0.0 { Side::Left } else { Side::Right })
}
