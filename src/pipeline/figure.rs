//! The part of a mesh that is the character, before its joints are known.

use super::{Error, RigOptions};
use crate::Warning;
use crate::io::{leave_out, parts_named};
use crate::math::Bounds;
use crate::mesh::Mesh;
use crate::mesh::characters::count_characters;
use crate::mesh::prepare::{PreparedMesh, prepare};
use crate::mesh::surroundings::{Surrounding, surroundings};
use crate::parts::MAX_PIECES;
use crate::parts::pieces::{Piece, pieces};
use std::collections::BTreeSet;

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
        let whole = Shown::of(mesh, options)?;
        let alone = if options.keep_floor { None } else { whole.alone(mesh, options)? };
        // What is left must be a character; if it is none, something of it was taken for a floor.
        let is_character = |shown: &Shown| check_solid(shown.mesh(mesh), &shown.prepared, options).is_ok();
        let mut shown = alone.filter(is_character).unwrap_or(whole);
        warnings.append(&mut shown.warnings);
        check_solid(shown.mesh(mesh), &shown.prepared, options)?;
        let attached = attached(shown.mesh(mesh), &shown.prepared.welded, &options.attachments)?;
        let Shown { changed, prepared, .. } = shown;
        Ok(Figure { pieces: pieces(&prepared), mesh: changed, prepared, attached })
    }

    /// The surface without capes, cards of hair and what is attached, if it has such: joints lie in solids.
    pub fn solid(&self) -> Option<PreparedMesh> {
        let is_attached = marked(&self.attached, self.prepared.positions.len());
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

/// A mesh as it is looked at.
struct Shown {
    /// The mesh, if it is another than the one that was given.
    changed: Option<Box<Mesh>>,
    prepared: PreparedMesh,
    warnings: Vec<Warning>,
}

/// Layers of floors and pedestals that are taken away one after the other.
const LAYERS: usize = 4;

impl Shown {
    /// All of a mesh, with solids apart.
    fn of(mesh: &Mesh, options: &RigOptions) -> Result<Shown, Error> {
        let mut warnings = Vec::new();
        let prepared = prepare(mesh, &options.prepare, &mut warnings)?;
        let whole = Shown { changed: None, prepared, warnings };
        let Some(apart) = with_solids_apart(mesh, &whole.prepared) else { return Ok(whole) };
        let mut warnings = Vec::new();
        let prepared = prepare(&apart, &options.prepare, &mut warnings)?;
        // A heap of solids is better one surface.
        let is_heap = prepared.topology.components.len() > MAX_PIECES;
        Ok(if is_heap { whole } else { Shown { changed: Some(Box::new(apart)), prepared, warnings } })
    }

    fn mesh<'m>(&'m self, given: &'m Mesh) -> &'m Mesh {
        self.changed.as_deref().unwrap_or(given)
    }

    /// The character without what stands around it, if something does.
    fn alone(&self, given: &Mesh, options: &RigOptions) -> Result<Option<Shown>, Error> {
        let mut alone: Option<Shown> = None;
        let mut named = Vec::new();
        for _ in 0..LAYERS {
            let shown = alone.as_ref().unwrap_or(self);
            let attached = attached(shown.mesh(given), &shown.prepared.welded, &options.attachments)?;
            let found = without_surroundings(shown.mesh(given), &shown.prepared, &attached)?;
            let Some((left, names)) = found else { break };
            named.extend(names);
            let mut warnings = Vec::new();
            let mut prepared = prepare(&left, &options.prepare, &mut warnings)?;
            // The floor has shown which way is up.
            let up = self.prepared.placement.orientation.up;
            if prepared.placement.orientation.up != up {
                let mut options = options.prepare;
                options.orientation.up = Some(up);
                warnings.clear();
                prepared = prepare(&left, &options, &mut warnings)?;
            }
            alone = Some(Shown { changed: Some(Box::new(left)), prepared, warnings });
        }
        if let Some(alone) = &mut alone {
            alone.warnings.append(&mut named);
        }
        Ok(alone)
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
fn without_surroundings(
    mesh: &Mesh,
    prepared: &PreparedMesh,
    attached: &[Vec<u32>],
) -> Result<Option<(Mesh, Vec<Warning>)>, Error> {
    let mut found = surroundings(prepared);
    let is_attached = marked(attached, prepared.positions.len());
    let triangles = prepared.triangles.iter().zip(&prepared.topology.component_of_triangle);
    let carried = triangles.filter(|(triangle, _)| is_attached[triangle[0] as usize]);
    let carried: BTreeSet<usize> = carried.map(|(_, &component)| component as usize).collect();
    found.retain(|(component, _)| !carried.contains(component));
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
        let mut names: Vec<String> = parts
            .map(|part| match (part.name.as_str(), part.triangles.clone().all(is_one)) {
                ("", _) => "a piece".to_owned(),
                (name, true) => format!("'{name}'"),
                (name, false) => format!("a piece of '{name}'"),
            })
            .collect();
        names.dedup();
        let triangles = (0..marks.len()).filter(|&triangle| is_one(triangle)).count();
        if triangles > 0 {
            let name = listed(names);
            warnings.push(Warning::LeftOut { name, triangles, why: surrounding.to_string() });
        }
    }
    let is_left_out: Vec<bool> = marks.iter().map(Option::is_some).collect();
    Ok(Some((leave_out(mesh.clone(), &is_left_out)?, warnings)))
}

/// The first names of a list, and how many more there are.
pub(super) fn listed(mut names: Vec<String>) -> String {
    let more = names.len().saturating_sub(NAMED_PARTS);
    names.truncate(NAMED_PARTS);
    let names = names.join(", ");
    if more > 0 { format!("{names} and {more} more") } else { names }
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

/// For each of so many vertices whether one of the lists has it.
fn marked(lists: &[Vec<u32>], vertices: usize) -> Vec<bool> {
    let mut is_marked = vec![false; vertices];
    lists.iter().flatten().for_each(|&vertex| is_marked[vertex as usize] = true);
    is_marked
}

/// The welded vertices of each attachment.
fn attached(mesh: &Mesh, welded: &[u32], attachments: &[Attachment]) -> Result<Vec<Vec<u32>>, Error> {
    let vertices = attachments.iter().map(|attachment| {
        let parts = parts_named(mesh, &attachment.part)?;
        let triangles =
            parts.into_iter().flat_map(|part| &mesh.triangles[mesh.parts[part].triangles.clone()]);
        let mut vertices: Vec<u32> = triangles.flatten().map(|&vertex| welded[vertex as usize]).collect();
        vertices.sort_unstable();
        vertices.dedup();
        Ok(vertices)
    });
    vertices.collect()
}
