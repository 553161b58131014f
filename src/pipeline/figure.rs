//! The part of a mesh that is the character, before its joints are known.

use super::{Error, RigOptions};
use crate::Warning;
use crate::io::{leave_out, parts_named};
use crate::math::Bounds;
use crate::mesh::Mesh;
use crate::mesh::characters::count_characters;
use crate::mesh::prepare::{PreparedMesh, prepare};
use crate::mesh::surroundings::{Surrounding, surroundings};
use crate::parts::pieces::{Piece, pieces};

/// A part of a mesh that moves with a joint, as the caller says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attachment {
    /// The name of a node, object or group.
    pub part: String,
    /// The name of the joint.
    pub joint: String,
}

/// A character in the unit cube, without what stands around it.
pub(super) struct Figure {
    /// The mesh without its surroundings and with solids apart, if something of that was done.
    pub mesh: Option<Box<Mesh>>,
    /// Its surface.
    pub prepared: PreparedMesh,
    /// The pieces of the surface.
    pub pieces: Vec<Piece>,
    /// For each attachment its welded vertices.
    pub attached: Vec<Vec<u32>>,
}

impl Figure {
    /// Prepares a mesh, and leaves out what stands around the character.
    pub fn of(mesh: &Mesh, options: &RigOptions, warnings: &mut Vec<Warning>) -> Result<Figure, Error> {
        let mut found = Vec::new();
        let mut prepared = prepare(mesh, &options.prepare, &mut found)?;
        let mut changed = None;
        if let Some(apart) = with_solids_apart(mesh, &prepared) {
            found.clear();
            prepared = prepare(&apart, &options.prepare, &mut found)?;
            changed = Some(Box::new(apart));
        }
        let shown = changed.as_deref().unwrap_or(mesh);
        if !options.keep_floor
            && let Some((left, named)) = without_surroundings(shown, &prepared)?
        {
            found.clear();
            prepared = prepare(&left, &options.prepare, &mut found)?;
            found.extend(named);
            changed = Some(Box::new(left));
        }
        warnings.append(&mut found);
        let shown = changed.as_deref().unwrap_or(mesh);
        check_solid(shown, &prepared, options)?;
        let attached = attached(shown, &prepared, &options.attachments)?;
        Ok(Figure { pieces: pieces(&prepared), mesh: changed, prepared, attached })
    }

    /// The surface without capes, cards of hair and what is attached, if it has such: joints lie in solids.
    pub fn solid(&self) -> Option<PreparedMesh> {
        let mut is_attached = vec![false; self.prepared.positions.len()];
        self.attached.iter().flatten().for_each(|&vertex| is_attached[vertex as usize] = true);
        let is_prop = |piece: &Piece| piece.vertices.iter().all(|&vertex| is_attached[vertex as usize]);
        let is_body: Vec<bool> = self.pieces.iter().map(|piece| !is_prop(piece)).collect();
        let total: f64 = self.pieces.iter().map(|piece| piece.area).sum();
        let is_solid: Vec<bool> =
            self.pieces.iter().zip(&is_body).map(|(piece, body)| *body && !piece.is_sheet(total)).collect();
        let body = self.only(&is_body);
        let whole = body.as_ref().unwrap_or(&self.prepared);
        let solid = self.only(&is_solid)?;
        let [whole, left] = [whole, &solid].map(|mesh| Bounds::of(&mesh.used_positions()).extent());
        if left.y >= WHOLE * whole.y && left.x >= WHOLE * whole.x { Some(solid) } else { body }
    }

    /// Some of the pieces; `None` if that is all of them, or nothing.
    fn only(&self, is_kept: &[bool]) -> Option<PreparedMesh> {
        let is_part = is_kept.contains(&true) && is_kept.contains(&false);
        is_part.then(|| self.prepared.of_components(is_kept))
    }
}

/// Sheets are no body if what is left without them reaches this part of the height and of the width. Where limbs are made of open
/// shells, they are all that there is.
const WHOLE: f64 = 0.85;

/// What [`rig`](super::rig) would say of a mesh before it looks for joints: its warnings, or why it refuses.
///
/// # Errors
/// As [`rig`](super::rig).
pub fn foretell(mesh: &Mesh, options: &RigOptions) -> Result<Vec<Warning>, Error> {
    let mut warnings = Vec::new();
    Figure::of(mesh, options, &mut warnings)?;
    Ok(warnings)
}

/// The mesh with vertices for each of its solids, if it has such that share them. A glTF document keeps its vertices as they are.
fn with_solids_apart(mesh: &Mesh, prepared: &PreparedMesh) -> Option<Mesh> {
    let touches = prepared.topology.nonmanifold_edges + prepared.topology.pinched_vertices > 0;
    let is_free = mesh.origin.document.is_none();
    (touches && is_free).then(|| mesh.with_solids_apart(&prepared.welded, &prepared.positions))?
}

/// The mesh without floor and case, and a warning for each, if it has such.
fn without_surroundings(mesh: &Mesh, prepared: &PreparedMesh) -> Result<Option<(Mesh, Vec<Warning>)>, Error> {
    let found = surroundings(prepared);
    if found.is_empty() {
        return Ok(None);
    }
    let mut surrounding_of_vertex: Vec<Option<Surrounding>> = vec![None; prepared.positions.len()];
    let components = &prepared.topology.component_of_triangle;
    for (triangle, &component) in prepared.triangles.iter().zip(components) {
        if let Some((_, surrounding)) = found.iter().find(|(other, _)| *other == component as usize) {
            triangle.iter().for_each(|&v| surrounding_of_vertex[v as usize] = Some(*surrounding));
        }
    }
    let surrounding_of =
        |triangle: &[u32; 3]| surrounding_of_vertex[prepared.welded[triangle[0] as usize] as usize];
    let marks: Vec<Option<Surrounding>> = mesh.triangles.iter().map(surrounding_of).collect();
    let mut warnings = Vec::new();
    for surrounding in [Surrounding::Floor, Surrounding::Case] {
        let is_one = |triangle: usize| marks[triangle] == Some(surrounding);
        let parts = mesh.parts.iter().filter(|part| part.triangles.clone().any(is_one));
        let mut names: Vec<&str> = parts.map(|part| part.name.as_str()).collect();
        names.retain(|name| !name.is_empty());
        names.dedup();
        let triangles = (0..marks.len()).filter(|&triangle| is_one(triangle)).count();
        if triangles > 0 {
            let name = names.join(", ");
            warnings.push(Warning::LeftOut { name, triangles, why: surrounding.to_string() });
        }
    }
    let is_left_out: Vec<bool> = marks.iter().map(Option::is_some).collect();
    Ok(Some((leave_out(mesh.clone(), &is_left_out)?, warnings)))
}

/// What is thinner than this part of its longest side has no inside for joints.
const FLAT: f64 = 0.005;
/// Parts that an error lists.
const NAMED_PARTS: usize = 12;

/// Refuses what is not one solid character, and names what could be chosen from several.
fn check_solid(mesh: &Mesh, prepared: &PreparedMesh, options: &RigOptions) -> Result<(), Error> {
    let extent = Bounds::of(&prepared.used_positions()).extent();
    if extent.min() < FLAT * extent.max() {
        return Err(Error::Flat);
    }
    let count = if options.one_character { 1 } else { count_characters(prepared) };
    if count == 1 {
        return Ok(());
    }
    let mut parts: Vec<String> =
        mesh.parts.iter().map(|part| part.name.clone()).filter(|name| !name.is_empty()).collect();
    parts.dedup();
    parts.truncate(if parts.len() > 1 { NAMED_PARTS } else { 0 });
    Err(Error::SeveralCharacters { count, parts })
}

/// The welded vertices of each attachment.
fn attached(
    mesh: &Mesh,
    prepared: &PreparedMesh,
    attachments: &[Attachment],
) -> Result<Vec<Vec<u32>>, Error> {
    let vertices = attachments.iter().map(|attachment| {
        let parts = parts_named(mesh, &attachment.part)?;
        let triangles =
            parts.into_iter().flat_map(|part| &mesh.triangles[mesh.parts[part].triangles.clone()]);
        let mut vertices: Vec<u32> =
            triangles.flatten().map(|&vertex| prepared.welded[vertex as usize]).collect();
        vertices.sort_unstable();
        vertices.dedup();
        Ok(vertices)
    });
    vertices.collect()
}
