//! Census of the limbs of a body, however many it has: a body of any kind is a trunk and what stands out from it.
//!
//! `limb_ends` finds where limbs end and where they meet. `joiners` says which ends are limbs and where each
//! begins, `branch` follows it through its voxels, `pairs` finds its mirror image, `spine` the line from the head to the end of
//! the tail, and `classify` what it is for. Nothing here knows how many limbs a body should have.
//!
//! The unit of length is S, the diagonal of the box over √3: the height of a spider says nothing about its legs.

mod branch;
mod classify;
mod joiners;
mod pairs;
mod spine;

pub use classify::EndRole;
pub use spine::Spine;

use super::grid::{Grid, STEPS_PER_CELL};
use super::limb_ends::merge_tree;
use super::voxels::VoxelVolume;
use crate::math::{Bounds, Vec3};
use crate::skeleton::LimbKind;
use crate::skeleton::naming::Side;
use branch::Branch;
use joiners::Joiners;
use std::fmt::Write;

/// The limbs of a body.
#[derive(Debug, Clone)]
pub struct Census {
    /// S, in heights.
    pub size: f64,
    /// What stands out from the trunk: limbs of a kind together, from the front, the left one first.
    pub limbs: Vec<CensusLimb>,
    /// The line from head to tail.
    pub spine: Spine,
    /// Limbs beyond the most that are counted.
    pub left_out: usize,
    /// How well the body fits its mirror image, 0 to 1.
    pub mirror_overlap: f64,
    /// The centre of mass, in body space.
    middle: Vec3,
    grid: Grid,
    /// The point of the unit cube at the origin of body space, and the body's height there.
    origin_unit: Vec3,
    height_unit: f64,
    /// The limb of each voxel; [`TRUNK`] for all others.
    owner: Vec<u8>,
}

/// The owner of voxels that belong to no limb.
const TRUNK: u8 = u8::MAX;

/// One limb, or another end of the body.
#[derive(Debug, Clone, PartialEq)]
pub struct CensusLimb {
    /// What it is.
    pub role: EndRole,
    /// Its side; `None` in the middle.
    pub side: Option<Side>,
    /// Its number among those of its kind and side, from the front, from 0.
    pub rank: usize,
    /// Where it leaves the trunk, in body space.
    pub base: Vec3,
    /// Its outermost point.
    pub tip: Vec3,
    /// Length of the path from base to tip, in heights.
    pub length: f64,
    /// Its centre line from the base to the tip.
    pub line: Vec<Vec3>,
    /// The radius of a disc as large as the section at each point of the line but the last.
    pub radii: Vec<f64>,
    /// Median of the radii.
    pub radius: f64,
    /// Radius where it begins.
    pub base_radius: f64,
    /// Width over thickness of its sections, their median.
    pub flatness: f64,
    /// It stands on the ground.
    pub grounded: bool,
    /// Its mirror image.
    pub partner: Option<usize>,
    /// The limb on which it sits as horns sit on a head; `None` for what begins at the trunk.
    pub host: Option<usize>,
    /// Where on the spine it is attached: 0 at the end of the tail, 1 at the head.
    pub share: f64,
    /// Fingers, toes and feathers at its end.
    pub twigs: usize,
}

/// Ends shorter than this, in S, are noise. With 0.02 every corner of a box is an end; at 0.06 hands of theropods are lost.
const SHORTEST: f64 = 0.04;

impl Census {
    /// Counts the limbs of a body.
    pub fn of(voxels: &VoxelVolume) -> Census {
        let bounds = bounds_of(voxels);
        let size = size_of(&bounds, voxels.grid.voxel);
        let distance = voxels.grid.geodesic(&voxels.filled, &voxels.middle());
        let ends = merge_tree(&voxels.grid, &distance, SHORTEST * size);
        let joiners = Joiners::new(&ends);
        let field = Field { grid: &voxels.grid, distance: &distance };
        let found = joiners.limbs(&field);
        let mut owner = vec![TRUNK; distance.len()];
        for (limb, branch) in found.branches.iter().enumerate() {
            branch.cells.iter().for_each(|&cell| owner[cell as usize] = limb as u8);
        }
        let mut census = Census {
            size,
            limbs: found.branches.iter().zip(&found.hosts).map(CensusLimb::new).collect(),
            spine: Spine::default(),
            left_out: found.left_out,
            mirror_overlap: voxels.mirror_overlap,
            middle: voxels.center_of_mass(),
            grid: voxels.grid.clone(),
            origin_unit: voxels.origin_unit,
            height_unit: voxels.height_unit,
            owner,
        };
        census.describe(voxels, &bounds);
        census
    }

    /// Everything about the limbs that needs the others.
    fn describe(&mut self, voxels: &VoxelVolume, bounds: &Bounds) {
        let ground = voxels.vertical_range().0;
        self.limbs.iter_mut().for_each(|limb| limb.grounded = limb.stands_on(ground, self.size));
        pairs::find(self);
        spine::find(self, voxels, &bounds.extent());
        classify::classify(self);
    }

    /// The limb of a point in body space; `None` in the trunk and outside of the body.
    pub fn limb_at(&self, point: &Vec3) -> Option<usize> {
        let cell = (point - self.grid.origin) / self.grid.voxel;
        let size = self.grid.size;
        let is_inside = (0..3).all(|axis| cell[axis] >= 0.0 && cell[axis] < size[axis] as f64);
        let owner = is_inside.then(|| self.owner[self.grid.index([0, 1, 2].map(|axis| cell[axis] as usize))]);
        owner.filter(|&owner| owner != TRUNK).map(usize::from)
    }

    /// The limb of a point of the surface, which may lie a voxel beside it.
    pub fn limb_near(&self, point: &Vec3) -> Option<usize> {
        let beside = |axis: usize, by: f64| {
            let mut beside = *point;
            beside[axis] += by * self.grid.voxel;
            self.limb_at(&beside)
        };
        let around = (0..3).flat_map(|axis| [-1.0, 1.0].map(|by| (axis, by)));
        self.limb_at(point).or_else(|| around.into_iter().find_map(|(axis, by)| beside(axis, by)))
    }

    /// A point of body space in the unit cube of the prepared mesh.
    pub fn unit_from_body(&self, point: &Vec3) -> Vec3 {
        self.origin_unit + point * self.height_unit
    }

    /// A point of the unit cube in body space.
    pub fn body_from_unit(&self, point: &Vec3) -> Vec3 {
        (point - self.origin_unit) / self.height_unit
    }

    /// How many pairs of limbs have a role.
    pub fn pairs_of(&self, role: EndRole) -> usize {
        self.limbs.iter().filter(|limb| limb.role == role && limb.side == Some(Side::Left)).count()
    }

    /// Pairs of limbs that come down to the ground, if its middle is between them; none if they all are on one side of it.
    pub fn standing_pairs(&self) -> usize {
        let stands = |limb: &&CensusLimb| limb.grounded && limb.length >= STANDING * self.size;
        let standing: Vec<&CensusLimb> =
            self.limbs.iter().filter(stands).filter(|limb| limb.partner.is_some()).collect();
        let ahead = standing.iter().any(|limb| limb.tip.z > self.middle.z);
        let behind = standing.iter().any(|limb| limb.tip.z < self.middle.z);
        if ahead && behind { standing.len() / 2 } else { 0 }
    }

    /// Whether it is a body without legs and arms that lies: a snake, a fish.
    pub fn is_limbless(&self) -> bool {
        let is_end = |limb: &CensusLimb| match limb.role {
            EndRole::Head | EndRole::Lobe | EndRole::Limb(LimbKind::Tail | LimbKind::Wing) => true,
            EndRole::Limb(_) | EndRole::Prop => false,
        };
        let ends = self.limbs.iter().filter(|limb| limb.side.is_none() && limb.role != EndRole::Lobe).count();
        self.spine.lies && ends <= MOST_ENDS && self.limbs.iter().all(is_end)
    }

    /// The limbs in words: `4 pairs of legs, 1 pair of feelers, head`.
    pub fn summary(&self) -> String {
        classify::summary(self)
    }
}

impl CensusLimb {
    fn new((branch, host): (&Branch, &Option<usize>)) -> CensusLimb {
        CensusLimb {
            role: EndRole::Lobe,
            side: None,
            rank: 0,
            base: branch.line[0],
            tip: branch.tip,
            length: branch.length,
            line: branch.line.clone(),
            radii: branch.radii.clone(),
            radius: branch.radius,
            base_radius: branch.base_radius(),
            flatness: branch.flatness,
            grounded: false,
            partner: None,
            host: *host,
            share: 0.0,
            twigs: branch.twigs,
        }
    }

    /// Its name in a report: `left leg 2`.
    pub fn name(&self) -> String {
        let mut name = String::new();
        match self.side {
            Some(Side::Left) => name.push_str("left "),
            Some(Side::Right) => name.push_str("right "),
            None => {}
        }
        let _ = write!(name, "{}", self.role);
        if self.rank > 0 {
            let _ = write!(name, " {}", self.rank + 1);
        }
        name
    }

    /// A point of the line, by the part of the limb's length before it.
    pub fn at(&self, part: f64) -> Vec3 {
        let last = self.line.len() - 1;
        let place = part.clamp(0.0, 1.0) * last as f64;
        let low = (place as usize).min(last.saturating_sub(1));
        self.line[low].lerp(&self.line[(low + 1).min(last)], place - low as f64)
    }

    /// Whether its tip is on the ground, and its line comes down to it.
    fn stands_on(&self, ground: f64, size: f64) -> bool {
        let is_low = self.tip.y - ground <= ON_GROUND * size;
        let highest = (0..=STEPS).map(|step| self.at(OUTER + (1.0 - OUTER) * step as f64 / STEPS as f64).y);
        is_low && highest.fold(f64::NEG_INFINITY, f64::max) - self.tip.y >= DESCENT * self.length
    }

    /// The direction from base to tip.
    pub fn direction(&self) -> Vec3 {
        (self.tip - self.base).try_normalize(0.0).unwrap_or_else(Vec3::y)
    }
}

/// A body without limbs has a head and a tail at most.
const MOST_ENDS: usize = 2;
/// Limbs that hold a body up are at least this long, in S.
const STANDING: f64 = 0.1;
/// Tips up to this height over the lowest point, in S, stand on the ground. At 0.01 a paw that is put down on its ball does not; at
/// 0.05 hands of those who kneel do.
const ON_GROUND: f64 = 0.025;
/// The part of a limb that comes down to the ground begins here: of a leg of a frog the outer half lies on it.
const OUTER: f64 = 0.25;
/// How far it comes down there, in its length. At 0.05 a tail that drags does; sprawled legs come down by a quarter.
const DESCENT: f64 = 0.1;
/// Points of the line that are looked at.
const STEPS: usize = 8;

/// Path lengths from the middle of a body.
#[derive(Clone, Copy)]
struct Field<'a> {
    grid: &'a Grid,
    distance: &'a [u32],
}

impl Field<'_> {
    /// A path length in heights.
    fn heights(&self, steps: u32) -> f64 {
        f64::from(steps) * self.grid.voxel / STEPS_PER_CELL
    }

    /// Heights as a path length.
    fn steps(&self, heights: f64) -> u32 {
        (heights / self.grid.voxel * STEPS_PER_CELL) as u32
    }
}

/// S of a body in its own heights.
fn size_of(bounds: &Bounds, voxel: f64) -> f64 {
    let size = bounds.diagonal() / 3f64.sqrt();
    if size.is_finite() { size.max(voxel) } else { voxel }
}

/// The box of the middles of the filled voxels.
fn bounds_of(voxels: &VoxelVolume) -> Bounds {
    let mut bounds = Bounds::EMPTY;
    voxels.cells().for_each(|cell| bounds.grow(&voxels.grid.center(cell)));
    bounds
}

#[cfg(test)]
mod tests;
