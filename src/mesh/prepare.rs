//! Preparation: from whatever a file holds to the surface that the methods work on.
//!
//! It never refuses a mesh that a person would call a character. Holes, several shells, inner shells, pinched
//! vertices, non-manifold edges, flipped faces and isolated vertices are normal input.

use super::Mesh;
use super::orient_faces::orient_faces;
use super::orientation::{Orientation, OrientationOptions, OrientationReason, find_orientation};
use super::placement::{Placement, Size};
use super::separate::separate;
use super::topology::Topology;
use super::triangle::{corners, doubled_area_normal};
use super::weld::{Weld, weld};
use crate::math::{Axis, Bounds, Buckets, Similarity, Vec3, rotation_of};
use crate::{Remedy, Warning};
use rayon::prelude::*;
use thiserror::Error;

/// Choices of [`prepare`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PrepareOptions {
    /// Vertices closer than this part of the box diagonal are one. Smaller values leave open the seams of text
    /// files with six digits; from about 1e-4 on, eyelids and fingers of detailed scans merge.
    pub weld_tolerance: f64,
    /// The size in the output.
    pub size: Size,
    /// The up axis and the front, where the user knows them.
    pub orientation: OrientationOptions,
}

impl Default for PrepareOptions {
    fn default() -> Self {
        PrepareOptions { weld_tolerance: 1e-5, size: Size::Auto, orientation: OrientationOptions::default() }
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
    /// Components, holes and edges; misoriented edges are those of the file, before any triangle was flipped.
    pub topology: Topology,
    /// What was repaired.
    pub repairs: Repairs,
}

impl PreparedMesh {
    /// The vertices that triangles use.
    pub fn used_positions(&self) -> Vec<Vec3> {
        selected(&self.positions, &self.is_used()).copied().collect()
    }

    /// For each vertex whether a triangle uses it.
    pub fn is_used(&self) -> Vec<bool> {
        used_vertices(self.positions.len(), &self.triangles)
    }

    /// The box of each component.
    pub fn component_boxes(&self) -> Vec<Bounds> {
        let mut boxes = vec![Bounds::EMPTY; self.topology.components.len()];
        for (triangle, &component) in self.triangles.iter().zip(&self.topology.component_of_triangle) {
            triangle.iter().for_each(|&v| boxes[component as usize].grow(&self.positions[v as usize]));
        }
        boxes
    }

    /// The same without some of its components, in the same coordinates.
    pub fn of_components(&self, is_kept: &[bool]) -> PreparedMesh {
        let components = &self.topology.component_of_triangle;
        let kept = (0..self.triangles.len()).filter(|&triangle| is_kept[components[triangle] as usize]);
        let (triangles, original_triangle): (Vec<_>, Vec<_>) =
            kept.map(|triangle| (self.triangles[triangle], self.original_triangle[triangle])).unzip();
        let topology = Topology::of(&self.positions, &triangles);
        PreparedMesh { triangles, original_triangle, topology, ..self.clone() }
    }
}

/// How much of a mesh had to be repaired. The data of the file stay as they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Repairs {
    /// Triangles without area that were left out.
    pub degenerate: usize,
    /// Triangles with the same three vertices as an earlier one that were left out.
    pub duplicate: usize,
    /// Triangles that were flipped to show their outside.
    pub flipped: usize,
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
    #[error("it cannot face {front} while {up} is up; {}", Remedy::BothAxes)]
    FrontIsVertical {
        /// The front that was given.
        front: Axis,
        /// The up axis that was given or found.
        up: Axis,
    },
}

impl PrepareError {
    /// What would help, if anything that the caller can choose would.
    pub fn remedy(&self) -> Option<Remedy> {
        matches!(self, PrepareError::FrontIsVertical { .. }).then_some(Remedy::BothAxes)
    }
}

/// Prepares a mesh: welds it, leaves out degenerate and duplicate triangles, orients faces outwards and the character
/// upright, and fits it to the unit cube.
pub fn prepare(
    mesh: &Mesh,
    options: &PrepareOptions,
    warnings: &mut Vec<Warning>,
) -> Result<PreparedMesh, PrepareError> {
    prepare_with_props(mesh, &vec![false; mesh.triangles.len()], options, warnings)
}

/// Prepares a character that carries something: triangles of props have no say in its orientation, its size and its place, and may
/// reach out of the unit cube.
///
/// # Panics
/// If there is not one `is_prop` for each triangle.
pub fn prepare_with_props(
    mesh: &Mesh,
    is_prop: &[bool],
    options: &PrepareOptions,
    warnings: &mut Vec<Warning>,
) -> Result<PreparedMesh, PrepareError> {
    assert_eq!(is_prop.len(), mesh.triangles.len(), "each triangle is of the body or of a prop");
    // Stray vertices have no say in the size of the character.
    let of_body = mesh.triangles.iter().zip(is_prop).filter(|(_, is_prop)| !**is_prop);
    let is_body = used_vertices(mesh.positions.len(), of_body.map(|(triangle, _)| triangle));
    let bounds = Bounds::of(selected(&mesh.positions, &is_body));
    let scale = scale_to_unit(&bounds, mesh.triangles.len())?;
    let half = Vec3::repeat(0.5);
    let fitted: Vec<Vec3> = mesh
        .positions
        .par_iter()
        .map(|p| (half + (p - bounds.center()) * scale).map(|x| on_grid(x.clamp(-FAR, FAR))))
        .collect();

    let diagonal = (bounds.extent() * scale).norm();
    let mut welded = weld(&fitted, options.weld_tolerance * diagonal);
    let mut repairs = Repairs::default();
    let (mut triangles, mut original_triangle) = clean(&mesh.triangles, &welded, &mut repairs);
    if triangles.is_empty() {
        return Err(PrepareError::NoSurface { triangles: mesh.triangles.len() });
    }
    let is_used = used_vertices(mesh.positions.len(), &mesh.triangles);
    repairs.isolated = is_used.iter().filter(|is_used| !**is_used).count();

    let mut topology = Topology::of(&welded.positions, &triangles);
    let may_touch = topology.nonmanifold_edges + topology.pinched_vertices + repairs.duplicate > 0;
    if may_touch && separate(&mut welded, &mesh.triangles) {
        (triangles, original_triangle) = clean(&mesh.triangles, &welded, &mut repairs);
        topology = Topology::of(&welded.positions, &triangles);
    }
    repairs.flipped = orient_faces(&welded.positions, &mut triangles);

    let of_body =
        triangles.iter().zip(&original_triangle).filter(|(_, original)| !is_prop[**original as usize]);
    let body: Vec<[u32; 3]> = of_body.map(|(triangle, _)| *triangle).collect();
    if body.is_empty() {
        return Err(PrepareError::NoSurface { triangles: mesh.triangles.len() });
    }
    let orientation = find_orientation(&welded.positions, &body, &mesh.origin, &options.orientation);
    if let Some(front) = options.orientation.front.filter(|front| front.index() == orientation.up.index()) {
        return Err(PrepareError::FrontIsVertical { front, up: orientation.up });
    }
    warn_of(&orientation, warnings);

    let rotation = orientation.upright_from_input();
    let mut upright = Bounds::EMPTY;
    selected(&mesh.positions, &is_body).for_each(|position| upright.grow(&(rotation * position)));
    let placement = Placement::new(&upright, orientation, &mesh.origin.conventions, options.size, warnings)
        .ok_or(PrepareError::ExtremeSize { extent: bounds.extent().max() })?;
    // The box of a character that was rotated by some angle is another one, and so is its fit to the unit cube. For
    // axes `grow` is exactly one and `shift` exactly zero.
    let scale_upright = LONGEST_SIDE / upright.extent().max();
    let grow = on_grid(scale_upright / scale);
    let shift = (half + (rotation * bounds.center() - upright.center()) * scale_upright).map(on_grid);
    let positions = welded.positions.par_iter().map(|p| shift + rotation * (p - half) * grow).collect();
    let origin = half - upright.center() * scale_upright;
    Ok(PreparedMesh {
        positions,
        triangles,
        welded: welded.welded,
        original_triangle,
        unit_from_input: Similarity::from_parts(origin.into(), rotation_of(&rotation), scale_upright),
        placement,
        topology,
        repairs,
    })
}

/// The longest side of a character in the unit cube: the rest is air around it, which distance fields need.
const LONGEST_SIDE: f64 = 0.9;

/// The scale that fits a box to the unit cube.
fn scale_to_unit(bounds: &Bounds, triangles: usize) -> Result<f64, PrepareError> {
    let extent = bounds.extent().max();
    if extent == 0.0 {
        return Err(PrepareError::NoSurface { triangles });
    }
    let scale = LONGEST_SIDE / extent;
    match scale.is_normal() && extent.is_finite() {
        true => Ok(scale),
        false => Err(PrepareError::ExtremeSize { extent }),
    }
}

/// Stray vertices may lie anywhere; beyond this many sizes of the character they are clamped, so that all numbers
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
/// Thin triangles above that are kept; code that divides by their area must cope with them.
const FLAT: f64 = 1e-12;

/// Triangles on welded vertices without degenerate and duplicate ones, and the originals they come from.
fn clean(triangles: &[[u32; 3]], weld: &Weld, repairs: &mut Repairs) -> (Vec<[u32; 3]>, Vec<u32>) {
    let mut kept: Vec<([u32; 3], u32)> = triangles
        .par_iter()
        .enumerate()
        .map(|(original, triangle)| (triangle.map(|v| weld.welded[v as usize]), original as u32))
        .filter(|(triangle, _)| !is_degenerate(&corners(&weld.positions, triangle)))
        .collect();
    repairs.degenerate = triangles.len() - kept.len();
    let is_duplicate =
        duplicates(weld.positions.len(), kept.iter().map(|(triangle, _)| sorted(triangle)).collect());
    let mut is_duplicate = is_duplicate.into_iter();
    let before = kept.len();
    kept.retain(|_| is_duplicate.next() == Some(false));
    repairs.duplicate = before - kept.len();
    kept.into_iter().unzip()
}

fn is_degenerate(corners: &[Vec3; 3]) -> bool {
    let [a, b, c] = corners;
    let longest = (b - a).norm_squared().max((c - b).norm_squared()).max((a - c).norm_squared());
    !(doubled_area_normal(corners).norm() > FLAT * longest)
}

/// Marks triangles, given by their ascending vertices, that an earlier one equals. They may run the other way round:
/// two-sided cloth made of two coinciding layers is one layer.
fn duplicates(vertices: usize, triangles: Vec<[u32; 3]>) -> Vec<bool> {
    let by_smallest_vertex = Buckets::new(vertices, triangles.iter().map(|triangle| triangle[0]));
    let mut is_duplicate = vec![false; triangles.len()];
    let mut same: Vec<([u32; 3], u32)> = Vec::new();
    for bucket in by_smallest_vertex.iter() {
        same.clear();
        same.extend(bucket.iter().map(|&index| (triangles[index as usize], index)));
        same.sort_unstable();
        for pair in same.windows(2) {
            is_duplicate[pair[1].1 as usize] = pair[0].0 == pair[1].0;
        }
    }
    is_duplicate
}

fn sorted(triangle: &[u32; 3]) -> [u32; 3] {
    let mut sorted = *triangle;
    sorted.sort_unstable();
    sorted
}

/// Whether a triangle uses each vertex.
fn used_vertices<'a>(vertices: usize, triangles: impl IntoIterator<Item = &'a [u32; 3]>) -> Vec<bool> {
    let mut is_used = vec![false; vertices];
    triangles.into_iter().flatten().for_each(|&vertex| is_used[vertex as usize] = true);
    is_used
}

fn selected<'a>(positions: &'a [Vec3], is_selected: &'a [bool]) -> impl Iterator<Item = &'a Vec3> {
    positions.iter().zip(is_selected).filter(|(_, is_selected)| **is_selected).map(|(position, _)| position)
}

/// Warns of what was assumed about the orientation, and of what the file says otherwise.
fn warn_of(orientation: &Orientation, warnings: &mut Vec<Warning>) {
    let up = ("up axis", orientation.up, 0.0, orientation.up_reason);
    let front = ("front", orientation.front, orientation.yaw, orientation.front_reason);
    for (what, axis, yaw, reason) in [up, front] {
        match reason {
            OrientationReason::Custom | OrientationReason::Guess | OrientationReason::Unconfirmed => {
                warnings.push(Warning::OrientationAssumed { what, axis });
            }
            OrientationReason::ShapeContradicts { declared } => {
                let degrees = yaw.abs().to_degrees();
                warnings.push(Warning::OrientationOverruled { what, axis, degrees, declared });
            }
            OrientationReason::Given | OrientationReason::Declared | OrientationReason::Shape => {}
        }
    }
}
