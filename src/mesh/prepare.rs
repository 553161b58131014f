//! The door: from whatever a file holds to the surface that the methods work on.
//!
//! It never refuses a mesh that a person would call a character. Holes, several shells, inner shells, pinched
//! vertices, non-manifold edges, flipped faces and isolated vertices are normal input.

use super::Mesh;
use super::orient::orient;
use super::placement::{Placement, Size};
use super::separate::separate;
use super::stance::{Stance, StanceOptions, StanceReason, find_stance};
use super::topology::Topology;
use super::weld::weld;
use crate::Warning;
use crate::math::{Axis, Bounds, Groups, Quat, Similarity, Vec3};
use rayon::prelude::*;
use thiserror::Error;

/// Choices of [`prepare`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PrepareOptions {
    /// Vertices closer than this part of the box diagonal are one. Smaller values leave open the seams of text
    /// files with six digits; from about 1e-4 on, eyelids and fingers of detailed scans grow together.
    pub weld_tolerance: f64,
    /// The size in the output.
    pub size: Size,
    /// Which way is up and which way the character faces, where the user knows.
    pub stance: StanceOptions,
}

impl Default for PrepareOptions {
    fn default() -> Self {
        PrepareOptions { weld_tolerance: 1e-5, size: Size::Auto, stance: StanceOptions::default() }
    }
}

/// The surface that the methods work on: welded, upright, facing +Z, inside the unit cube.
///
/// All indices are valid, all values finite, no triangle has zero area or occurs twice: nobody checks again.
#[derive(Debug, Clone)]
pub struct PreparedMesh {
    /// Welded vertices in the unit cube: the longest side of the character spans 0.05 to 0.95, the others are
    /// centred at 0.5.
    pub positions: Vec<Vec3>,
    /// Counter-clockwise seen from outside.
    pub triangles: Vec<[u32; 3]>,
    /// The welded vertex of every vertex of the [`Mesh`].
    pub welded: Vec<u32>,
    /// The triangle of the [`Mesh`] that each triangle comes from.
    pub original_triangle: Vec<u32>,
    /// From the coordinates of the file to the unit cube.
    pub unit_from_input: Similarity,
    /// From the coordinates of the file to those of the output.
    pub placement: Placement,
    /// How the triangles hang together; its misoriented edges are those of the file, before any was turned.
    pub topology: Topology,
    /// What was mended.
    pub repairs: Repairs,
}

impl PreparedMesh {
    /// The vertices that triangles use.
    pub fn used_positions(&self) -> Vec<Vec3> {
        let mut is_used = vec![false; self.positions.len()];
        self.triangles.iter().flatten().for_each(|&vertex| is_used[vertex as usize] = true);
        self.positions.iter().zip(&is_used).filter(|(_, is_used)| **is_used).map(|(p, _)| *p).collect()
    }
}

/// How much of a mesh had to be mended before it could be worked on. The file's own data stays as it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Repairs {
    /// Triangles without area that were left out.
    pub degenerate: usize,
    /// Triangles with the same three vertices as an earlier one that were left out.
    pub duplicate: usize,
    /// Triangles that were turned to show their outside.
    pub turned: usize,
    /// Vertices that no triangle uses.
    pub isolated: usize,
}

/// A mesh has nothing to work on.
#[derive(Debug, Clone, Copy, PartialEq, Error)]
pub enum PrepareError {
    /// No triangle has an area.
    #[error(
        "it has no surface: none of its {triangles} triangles has an area; export the faces of the character"
    )]
    NoSurface {
        /// How many triangles there are.
        triangles: usize,
    },
    /// The coordinates cannot be computed with.
    #[error("its size of {extent:e} units is beyond reckoning; scale it to the size of a person")]
    ExtremeSize {
        /// Longest side of the box.
        extent: f64,
    },
    /// The front that the user gave runs along the up axis.
    #[error("it cannot face {front} while {up} is up; give both --up and --front")]
    FrontIsVertical {
        /// The front that was given.
        front: Axis,
        /// The up axis that was given or found.
        up: Axis,
    },
}

/// Prepares a mesh: welds it, leaves out degenerate and duplicate triangles, turns it outside out and upright,
/// and fits it to the unit cube.
pub fn prepare(
    mesh: &Mesh,
    options: &PrepareOptions,
    warnings: &mut Vec<Warning>,
) -> Result<PreparedMesh, PrepareError> {
    // Stray vertices have no say in the size of the character.
    let is_used = used_vertices(mesh);
    let used =
        || mesh.positions.iter().zip(&is_used).filter(|(_, is_used)| **is_used).map(|(position, _)| position);
    let bounds = Bounds::of(used());
    let extent = bounds.extent().max();
    if extent == 0.0 {
        return Err(PrepareError::NoSurface { triangles: mesh.triangles.len() });
    }
    let scale = 0.9 / extent;
    if !(scale.is_normal() && extent.is_finite()) {
        return Err(PrepareError::ExtremeSize { extent });
    }
    let half = Vec3::repeat(0.5);
    let fit = |p: &Vec3| (half + (p - bounds.center()) * scale).map(|x| on_grid(x.clamp(-FAR, FAR)));
    let fitted: Vec<Vec3> = mesh.positions.par_iter().map(fit).collect();

    let diagonal = (bounds.extent() * scale).norm();
    let mut welded = weld(&fitted, options.weld_tolerance * diagonal);
    let mut repairs = Repairs::default();
    let (mut triangles, mut original_triangle) =
        clean(&mesh.triangles, &welded.positions, &welded.welded, &mut repairs);
    if triangles.is_empty() {
        return Err(PrepareError::NoSurface { triangles: mesh.triangles.len() });
    }
    repairs.isolated = is_used.iter().filter(|is_used| !**is_used).count();

    let mut topology = Topology::of(&welded.positions, &triangles);
    let may_touch = topology.nonmanifold_edges + topology.pinched_vertices + repairs.duplicate > 0;
    if may_touch && separate(&mut welded, &mesh.triangles) {
        (triangles, original_triangle) =
            clean(&mesh.triangles, &welded.positions, &welded.welded, &mut repairs);
        topology = Topology::of(&welded.positions, &triangles);
    }
    repairs.turned = orient(&welded.positions, &mut triangles);

    let stance = find_stance(&welded.positions, &triangles, &mesh.origin, &options.stance);
    if let Some(front) = options.stance.front.filter(|front| front.index() == stance.up.index()) {
        return Err(PrepareError::FrontIsVertical { front, up: stance.up });
    }
    warn_of(&stance, warnings);

    let turn = stance.upright_from_input();
    let mut upright = Bounds::EMPTY;
    used().for_each(|position| upright.grow(&(turn * position)));
    let placement = Placement::new(&upright, stance, &mesh.origin.conventions, options.size, warnings)
        .ok_or(PrepareError::ExtremeSize { extent })?;
    // The box of a character that was turned by some angle is another one, and so is its fit to the unit cube. For
    // axes `grow` is exactly one and `shift` exactly zero.
    let scale_upright = 0.9 / upright.extent().max();
    let grow = on_grid(scale_upright / scale);
    let shift = (half + (turn * bounds.center() - upright.center()) * scale_upright).map(on_grid);
    let positions = welded.positions.par_iter().map(|p| shift + turn * (p - half) * grow).collect();
    let rotation = Quat::from_rotation_matrix(&nalgebra::Rotation3::from_matrix_unchecked(turn));
    let origin = half - upright.center() * scale_upright;
    Ok(PreparedMesh {
        positions,
        triangles,
        welded: welded.welded,
        original_triangle,
        unit_from_input: Similarity::from_parts(origin.into(), rotation, scale_upright),
        placement,
        topology,
        repairs,
    })
}

/// Stray vertices may lie anywhere; beyond this many sizes of the character they stay here, so that all numbers
/// are finite.
const FAR: f64 = 1e9;

/// Rounds a coordinate of the unit cube to a grid that is finer than what `f32` tells apart there. A character in another unit is
/// the same character but for the last bit, and a last bit is enough to change which samples of a surface are taken and with them
/// every joint by a hundredth of the height.
fn on_grid(x: f64) -> f64 {
    const CELLS: f64 = (1 << 26) as f64;
    (x * CELLS).round() / CELLS
}

/// A triangle is degenerate if its height is below this part of its longest side: it has no normal in `f64`.
/// Thin triangles above that are kept and are the business of whoever divides by their area.
const FLAT: f64 = 1e-12;

/// Triangles on welded vertices without degenerate and duplicate ones, and the originals they come from.
fn clean(
    triangles: &[[u32; 3]],
    positions: &[Vec3],
    welded: &[u32],
    repairs: &mut Repairs,
) -> (Vec<[u32; 3]>, Vec<u32>) {
    let mut kept: Vec<([u32; 3], u32)> = triangles
        .par_iter()
        .enumerate()
        .map(|(original, triangle)| (triangle.map(|v| welded[v as usize]), original as u32))
        .filter(|(triangle, _)| {
            let [a, b, c] = triangle.map(|v| positions[v as usize]);
            let longest = (b - a).norm_squared().max((c - b).norm_squared()).max((a - c).norm_squared());
            (b - a).cross(&(c - a)).norm() > FLAT * longest
        })
        .collect();
    repairs.degenerate = triangles.len() - kept.len();

    // Of the triangles with the same vertices the first survives, whichever way round they run: two-sided
    // cloth made of two coinciding layers is one layer.
    let key = |index: u32| {
        let mut key = kept[index as usize].0;
        key.sort_unstable();
        key
    };
    let by_smallest_vertex = Groups::new(positions.len(), (0..kept.len() as u32).map(|index| key(index)[0]));
    let mut is_duplicate = vec![false; kept.len()];
    let mut same: Vec<([u32; 3], u32)> = Vec::new();
    for group in by_smallest_vertex.iter() {
        same.clear();
        same.extend(group.iter().map(|&index| (key(index), index)));
        same.sort_unstable();
        for pair in same.windows(2) {
            is_duplicate[pair[1].1 as usize] = pair[0].0 == pair[1].0;
        }
    }
    let mut index = 0;
    kept.retain(|_| {
        index += 1;
        !is_duplicate[index - 1]
    });
    repairs.duplicate = is_duplicate.len() - kept.len();
    kept.into_iter().unzip()
}

/// Whether a triangle uses each vertex.
fn used_vertices(mesh: &Mesh) -> Vec<bool> {
    let mut used = vec![false; mesh.positions.len()];
    for &vertex in mesh.triangles.iter().flatten() {
        used[vertex as usize] = true;
    }
    used
}

/// Warns of what was assumed about the stance, and of what the file says otherwise.
fn warn_of(stance: &Stance, warnings: &mut Vec<Warning>) {
    for (what, axis, yaw, reason) in [
        ("up axis", stance.up, 0.0, stance.up_reason),
        ("front", stance.front, stance.yaw, stance.front_reason),
    ] {
        match reason {
            StanceReason::Custom | StanceReason::Guess | StanceReason::Unconfirmed => {
                warnings.push(Warning::StanceAssumed { what, axis });
            }
            StanceReason::ShapeContradicts { declared } => {
                let degrees = yaw.abs().to_degrees();
                warnings.push(Warning::StanceOverruled { what, axis, degrees, declared });
            }
            StanceReason::Given | StanceReason::Declared | StanceReason::Shape => {}
        }
    }
}
