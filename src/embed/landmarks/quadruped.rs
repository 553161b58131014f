//! Joints of a body on four legs.

use super::body_plan::{BodyPlan, Choice, PlanReason};
use super::level_sets::LevelSets;
use super::limb_ends::middle_of;
use super::{Doubt, Reading, median, on_side};
use crate::embed::solid::Solid;
use crate::math::{DisjointSets, Vec3};

/// The centre line of one leg, from the ground up.
#[derive(Debug, Clone)]
pub struct LegLine {
    /// Height of the first point, and of every following one a voxel higher.
    pub low: f64,
    pub voxel: f64,
    pub points: Vec<Vec3>,
    /// Largest z of each section, and smallest.
    pub front: Vec<f64>,
    pub back: Vec<f64>,
}

impl LegLine {
    /// The line at a height; its lowest or highest point beyond the ends.
    pub fn at(&self, y: f64) -> Vec3 {
        let row = ((y - self.low) / self.voxel).round().max(0.0) as usize;
        self.points[row.min(self.points.len() - 1)]
    }
    pub fn top(&self) -> f64 {
        self.low + self.voxel * (self.points.len() - 1) as f64
    }
}

/// A fore and a hind leg of one side.
#[derive(Debug, Clone)]
pub struct Legs {
    pub fore: LegLine,
    pub hind: LegLine,
    /// Height at which the two grow together.
    pub merge: f64,
}

/// Fore and hind leg of one side: the two pieces of that half of the body below the greatest height at which
/// there still are two that stand on the ground.
pub fn find_legs(solid: &Solid, side: f64) -> Option<Legs> {
    let grid = &solid.grid;
    let cells: Vec<u32> = (0..grid.cells())
        .filter(|&cell| solid.filled[cell] && grid.center(cell).x * side > 0.0)
        .map(|cell| cell as u32)
        .collect();
    let mut place = vec![u32::MAX; grid.cells()];
    let mut sets = DisjointSets::new(cells.len());
    #[derive(Clone, Copy)]
    struct Piece {
        low: f64,
        count: f64,
        x: f64,
        z: f64,
    }
    let mut pieces: Vec<Piece> = Vec::with_capacity(cells.len());
    let steps = grid.face_steps();
    let mut best: Option<(f64, usize)> = None;
    let mut k = 0;
    let first_row = cells.first().map_or(0, |&cell| grid.place(cell as usize)[1]);
    for row in first_row..grid.size[1] {
        let y = grid.height_of(row);
        let start = k;
        while k < cells.len() && grid.slice(row).contains(&(cells[k] as usize)) {
            let cell = cells[k] as usize;
            let center = grid.center(cell);
            place[cell] = k as u32;
            pieces.push(Piece { low: y, count: 1.0, x: center.x.abs(), z: center.z });
            for step in steps {
                let other = place[cell.wrapping_add_signed(step)];
                if other == u32::MAX {
                    continue;
                }
                let (a, b) = (sets.find(k as u32).0 as usize, sets.find(other).0 as usize);
                if a != b {
                    let (pa, pb) = (pieces[a], pieces[b]);
                    sets.union(a as u32, b as u32);
                    let root = sets.find(a as u32).0 as usize;
                    pieces[root] = Piece {
                        low: pa.low.min(pb.low),
                        count: pa.count + pb.count,
                        x: pa.x + pb.x,
                        z: pa.z + pb.z,
                    };
                }
            }
            k += 1;
        }
        // Pieces that reach this row and stand on the ground.
        let mut roots: Vec<u32> = (start..k).map(|member| sets.find(member as u32).0).collect();
        roots.sort_unstable();
        roots.dedup();
        let standing: Vec<Piece> = roots
            .iter()
            .map(|&root| pieces[root as usize])
            .filter(|piece| piece.low < GROUND && piece.x / piece.count > 0.015)
            .collect();
        let span = |piece: &Piece| piece.z / piece.count;
        let front = standing.iter().map(span).fold(f64::MIN, f64::max);
        let back = standing.iter().map(span).fold(f64::MAX, f64::min);
        if y > 0.08 && standing.len() >= 2 && front - back > APART {
            best = Some((y, row));
        }
    }
    let (merge, top_row) = best?;
    let end = grid.slice(top_row).end;
    let half: Vec<bool> =
        (0..grid.cells()).map(|cell| cell < end && solid.filled[cell] && grid.center(cell).x * side > 0.0).collect();
    let (piece_of, sizes) = grid.pieces(&half);
    let mut z = vec![0.0; sizes.len()];
    let mut x = vec![0.0; sizes.len()];
    let mut low = vec![f64::MAX; sizes.len()];
    let mut high = vec![f64::MIN; sizes.len()];
    for cell in (0..end).filter(|&cell| half[cell]) {
        let (piece, center) = (piece_of[cell] as usize, grid.center(cell));
        z[piece] += center.z / sizes[piece] as f64;
        x[piece] += center.x.abs() / sizes[piece] as f64;
        low[piece] = low[piece].min(center.y);
        high[piece] = high[piece].max(center.y);
    }
    let legs = (0..sizes.len())
        .filter(|&p| low[p] < GROUND && x[p] > 0.015 && high[p] > merge - 1.5 * grid.voxel)
        .collect::<Vec<_>>();
    let fore = *legs.iter().max_by(|&&a, &&b| z[a].total_cmp(&z[b]))?;
    let hind = *legs.iter().min_by(|&&a, &&b| z[a].total_cmp(&z[b]))?;
    if fore == hind {
        return None;
    }
    Some(Legs {
        fore: leg_line(solid, &piece_of, fore as u32),
        hind: leg_line(solid, &piece_of, hind as u32),
        merge,
    })
}

/// Legs begin below this height.
const GROUND: f64 = 0.2;
/// Distance of fore and hind legs along the body at least.
const APART: f64 = 0.2;

fn leg_line(solid: &Solid, piece_of: &[u32], piece: u32) -> LegLine {
    let grid = &solid.grid;
    let mut line = LegLine { low: 0.0, voxel: grid.voxel, points: vec![], front: vec![], back: vec![] };
    for row in 0..grid.size[1] {
        let (mut sum, mut count) = (Vec3::zeros(), 0.0);
        let (mut front, mut back) = (f64::MIN, f64::MAX);
        for cell in grid.slice(row).filter(|&cell| piece_of[cell] == piece) {
            let center = grid.center(cell);
            sum += center;
            count += 1.0;
            front = front.max(center.z);
            back = back.min(center.z);
        }
        if count > 0.0 {
            if line.points.is_empty() {
                line.low = grid.height_of(row);
            }
            line.points.push(sum / count);
            line.front.push(front);
            line.back.push(back);
        }
    }
    line
}

/// Lowest and highest filled height near the plane at a depth.
pub fn trunk_at(solid: &Solid, z: f64) -> Option<(f64, f64)> {
    let grid = &solid.grid;
    let column = |y: usize| {
        let zi = (((z - grid.origin.z) / grid.voxel) as usize).min(grid.size[2] - 1);
        (0..grid.size[0]).any(|x| {
            let cell = grid.index([x, y, zi]);
            solid.filled[cell] && grid.center(cell).x.abs() < 0.03
        })
    };
    let low = (0..grid.size[1]).find(|&y| column(y))?;
    let high = (0..grid.size[1]).rev().find(|&y| column(y))?;
    Some((grid.height_of(low), grid.height_of(high)))
}

pub struct Features {
    pub legs: Legs,
    pub belly: f64,
    pub back: f64,
    pub nose: Vec3,
    pub sets: LevelSets,
    pub chest_distance: f64,
}

pub fn features(solid: &Solid, side: f64) -> Option<Features> {
    let legs = find_legs(solid, side)?;
    let (front, hind) = (legs.fore.at(legs.merge).z, legs.hind.at(legs.merge).z);
    let (mut lows, mut highs): (Vec<f64>, Vec<f64>) =
        (1..=5).filter_map(|k| trunk_at(solid, hind + (front - hind) * f64::from(k) / 6.0)).unzip();
    let (belly, back) = (median(&mut lows), median(&mut highs));
    // Head end.
    let grid = &solid.grid;
    let chest = Vec3::new(0.0, belly + 0.5 * (back - belly), front);
    let near = |target: Vec3| {
        (0..grid.cells())
            .filter(|&cell| solid.filled[cell])
            .min_by(|&a, &b| {
                (grid.center(a) - target).norm_squared().total_cmp(&(grid.center(b) - target).norm_squared())
            })
    };
    let source = near(chest)?;
    let from_chest = LevelSets::around(solid, source);
    let nose = (0..grid.cells())
        .filter(|&cell| solid.filled[cell] && from_chest.distance[cell].is_finite())
        .filter(|&cell| {
            let c = grid.center(cell);
            c.x.abs() < 0.05 && c.z > front && c.y > belly
        })
        .max_by(|&a, &b| {
            let value = |cell: usize| f64::from(from_chest.distance[cell]) + 0.5 * grid.center(cell).z;
            value(a).total_cmp(&value(b))
        })?;
    let chest_distance = f64::from(from_chest.distance[nose]);
    let sets = LevelSets::around(solid, nose);
    Some(Features { legs, belly, back, nose: grid.center(nose), sets, chest_distance })
}

pub fn looks_like(raw: &Solid) -> Choice {
    let solid = raw.symmetric_part().rescaled();
    match find_legs(&solid, 1.0) {
        Some(legs) => {
            let apart = legs.fore.at(0.0).z - legs.hind.at(0.0).z;
            Choice { plan: BodyPlan::Quadruped, reason: PlanReason::TwoPairsOfLegs, margin: ((apart - APART) / 0.2).clamp(0.0, 1.0) }
        }
        None => Choice { plan: BodyPlan::Biped, reason: PlanReason::OnePairOfLegs, margin: 1.0 },
    }
}

pub fn read(raw: &Solid, _plan: BodyPlan) -> Reading {
    let _ = (middle_of(raw), Doubt::MissingLegs, on_side(&Vec3::zeros(), 1.0));
    Reading { solid: raw.clone(), symmetric: true, joints: vec![], doubts: vec![] }
}
