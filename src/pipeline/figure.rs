//! The part of a mesh that is the character, before its joints are known.

use super::stance::held;
use super::{Error, RigOptions};
use crate::Warning;
use crate::io::{leave_out, parts_named, take_solids_apart};
use crate::math::Bounds;
use crate::mesh::Mesh;
use crate::mesh::characters::{count_characters, riders};
use crate::mesh::prepare::{PrepareOptions, PreparedMesh, prepare_with_props};
use crate::mesh::props::rods;
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
    /// For each triangle of the mesh whether it is of a prop: of what is attached, of a rod, of what was put aside.
    is_prop: Vec<bool>,
    /// How it was prepared.
    prepare: PrepareOptions,
}

impl Figure {
    /// Prepares a mesh, and leaves out what stands around the character.
    pub fn of(mesh: &Mesh, options: &RigOptions, warnings: &mut Vec<Warning>) -> Result<Figure, Error> {
        let whole = Shown::of(mesh, options)?;
        let alone = if options.keep_floor { None } else { whole.alone(mesh, options)? };
        // What is left must be a character; if it is none, something of it was taken for a floor.
        let is_character = |shown: &Shown| shown.check(mesh, options).is_ok();
        let mut shown = alone.filter(is_character).unwrap_or(whole);
        warnings.append(&mut shown.warnings);
        shown.check(mesh, options)?;
        let attached = attached(shown.mesh(mesh), &shown.prepared.welded, &options.attachments)?;
        let Shown { changed, prepared, is_prop, prepare, .. } = shown;
        Ok(Figure { pieces: pieces(&prepared), mesh: changed, prepared, attached, is_prop, prepare })
    }

    /// The same figure, in which some more pieces have no say in where it stands and where its joints are.
    pub fn with_aside(
        &self,
        given: &Mesh,
        aside: &[usize],
        options: &RigOptions,
        warnings: &mut Vec<Warning>,
    ) -> Result<Figure, Error> {
        let mesh = self.mesh.as_deref().unwrap_or(given);
        let mut is_aside = vec![false; self.pieces.len()];
        aside.iter().for_each(|&piece| is_aside[piece] = true);
        let mut is_prop = self.is_prop.clone();
        mark_components(&mut is_prop, mesh, &self.prepared, &is_aside);
        let prepared = prepare_with_props(mesh, &is_prop, &self.prepare, warnings)?;
        let attached = attached(mesh, &prepared.welded, &options.attachments)?;
        let (mesh, prepare) = (self.mesh.clone(), self.prepare);
        Ok(Figure { pieces: pieces(&prepared), mesh, prepared, attached, is_prop, prepare })
    }

    /// For each component whether it is of the body and no prop.
    pub fn is_body(&self) -> Vec<bool> {
        is_body(&self.prepared, &self.is_prop)
    }

    /// The surface without props, if it has such.
    pub fn body(&self) -> Option<PreparedMesh> {
        only(&self.prepared, &self.is_body())
    }

    /// The surface without capes, cards of hair and props, if it has such: joints lie in solids.
    pub fn solid(&self) -> Option<PreparedMesh> {
        if self.pieces.is_empty() {
            return self.body();
        }
        let is_body = self.is_body();
        let of_body = self.pieces.iter().zip(&is_body).filter(|(_, is_body)| **is_body);
        let total: f64 = of_body.map(|(piece, _)| piece.area).sum();
        let is_solid: Vec<bool> =
            self.pieces.iter().zip(&is_body).map(|(piece, body)| *body && !piece.is_sheet(total)).collect();
        let body = self.body();
        let whole = body.as_ref().unwrap_or(&self.prepared);
        let solid = only(&self.prepared, &is_solid)?;
        let [whole, left] = [whole, &solid].map(|mesh| Bounds::of(&mesh.used_positions()).extent());
        if left.y >= WHOLE * whole.y && left.x >= WHOLE * whole.x { Some(solid) } else { body }
    }
}

/// Some of the components; `None` if that is all of them, or nothing.
fn only(prepared: &PreparedMesh, is_kept: &[bool]) -> Option<PreparedMesh> {
    let is_part = is_kept.contains(&true) && is_kept.contains(&false);
    is_part.then(|| prepared.of_components(is_kept))
}

/// For each component whether some of it is of no prop, by the marks of the triangles of the mesh.
fn is_body(prepared: &PreparedMesh, is_prop: &[bool]) -> Vec<bool> {
    let mut is_body = vec![false; prepared.topology.components.len()];
    for (&original, &component) in
        prepared.original_triangle.iter().zip(&prepared.topology.component_of_triangle)
    {
        is_body[component as usize] |= !is_prop[original as usize];
    }
    is_body
}

/// Marks the triangles of a mesh that lie in some of its components, with those that were doubled or have no area.
fn mark_components(marks: &mut [bool], mesh: &Mesh, prepared: &PreparedMesh, is_marked: &[bool]) {
    let mut vertices = vec![false; prepared.positions.len()];
    for (triangle, &component) in prepared.triangles.iter().zip(&prepared.topology.component_of_triangle) {
        if is_marked[component as usize] {
            triangle.iter().for_each(|&vertex| vertices[vertex as usize] = true);
        }
    }
    for (mark, triangle) in marks.iter_mut().zip(&mesh.triangles) {
        *mark |= triangle.iter().any(|&vertex| vertices[prepared.welded[vertex as usize] as usize]);
    }
}

/// A mesh as it is looked at.
struct Shown {
    /// The mesh, if it is another than the one that was given.
    changed: Option<Box<Mesh>>,
    prepared: PreparedMesh,
    /// For each of its triangles whether it is of a prop.
    is_prop: Vec<bool>,
    prepare: PrepareOptions,
    warnings: Vec<Warning>,
}

/// Layers of floors and pedestals that are taken away one after the other.
const LAYERS: usize = 4;

impl Shown {
    /// All of a mesh, with solids apart.
    fn of(mesh: &Mesh, options: &RigOptions) -> Result<Shown, Error> {
        let whole = Shown::with_props(mesh, &options.prepare, &options.attachments)?;
        // Where a document has attributes that cannot be copied its solids stay one surface.
        let Ok(Some(apart)) = with_solids_apart(mesh, &whole.prepared) else { return Ok(whole) };
        let solids = Shown::with_props(&apart, &options.prepare, &options.attachments)?;
        // A heap of solids is better one surface.
        let is_heap = solids.prepared.topology.components.len() > MAX_PIECES;
        Ok(if is_heap { whole } else { Shown { changed: Some(Box::new(apart)), ..solids } })
    }

    /// A mesh in which props have no say: what is attached, and rods.
    fn with_props(mesh: &Mesh, options: &PrepareOptions, attachments: &[Attachment]) -> Result<Shown, Error> {
        let mut is_prop = vec![false; mesh.triangles.len()];
        for attachment in attachments {
            let triangles =
                attached_parts(mesh, attachment)?.into_iter().map(|part| mesh.parts[part].triangles.clone());
            triangles.for_each(|triangles| is_prop[triangles].fill(true));
        }
        if !is_prop.is_empty() && !is_prop.contains(&false) {
            return Err(Error::NothingLeft);
        }
        let mut warnings = Vec::new();
        let mut prepared = prepare_with_props(mesh, &is_prop, options, &mut warnings)?;
        let rods = rods(&prepared);
        if rods.contains(&true) {
            mark_components(&mut is_prop, mesh, &prepared, &rods);
            warnings.clear();
            prepared = prepare_with_props(mesh, &is_prop, options, &mut warnings)?;
        }
        let mut prepare = *options;
        if let Some(held) = held(mesh, &is_prop, options, &prepared) {
            (prepare.orientation, prepared, warnings) = (held.orientation, held.prepared, held.warnings);
        }
        Ok(Shown { changed: None, prepared, is_prop, prepare, warnings })
    }

    /// Refuses what is not one solid character; props are none.
    fn check(&self, given: &Mesh, options: &RigOptions) -> Result<(), Error> {
        let body = only(&self.prepared, &is_body(&self.prepared, &self.is_prop));
        check_solid(self.mesh(given), body.as_ref().unwrap_or(&self.prepared), options)
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
            let mut shown = Shown::with_props(&left, &options.prepare, &options.attachments)?;
            // The floor has shown which way is up.
            let up = self.prepared.placement.orientation.up;
            if shown.prepared.placement.orientation.up != up {
                let mut prepare = options.prepare;
                prepare.orientation.up = Some(up);
                shown = Shown::with_props(&left, &prepare, &options.attachments)?;
            }
            alone = Some(Shown { changed: Some(Box::new(left)), ..shown });
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

/// All of a mesh as [`rig`](super::rig) looks at it first: what is held has no say in where it stands.
///
/// # Errors
/// If it has no surface, or what is attached is not there.
pub fn looked_at(
    mesh: &Mesh,
    options: &RigOptions,
    warnings: &mut Vec<Warning>,
) -> Result<PreparedMesh, Error> {
    let mut shown = Shown::with_props(mesh, &options.prepare, &options.attachments)?;
    warnings.append(&mut shown.warnings);
    Ok(shown.prepared)
}

/// What [`rig`](super::rig) would say of a mesh before it looks for joints: its warnings, or why it refuses.
///
/// # Errors
/// As [`rig`](super::rig).
pub fn foretell(mesh: &Mesh, options: &RigOptions) -> Result<Vec<Warning>, Error> {
    let mut warnings = Vec::new();
    Figure::of(mesh, options, &mut warnings)?;
    Ok(warnings)
}

/// The mesh with vertices for each of its solids, if it has such that share them.
fn with_solids_apart(mesh: &Mesh, prepared: &PreparedMesh) -> Result<Option<Mesh>, Error> {
    let touches = prepared.topology.nonmanifold_edges + prepared.topology.pinched_vertices > 0;
    if !touches {
        return Ok(None);
    }
    Ok(take_solids_apart(mesh, &prepared.welded, &prepared.positions)?)
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

/// Refuses what is not one solid character, and names what could be chosen from several. Without the props it is `prepared`.
fn check_solid(mesh: &Mesh, prepared: &PreparedMesh, options: &RigOptions) -> Result<(), Error> {
    let extent = Bounds::of(&prepared.used_positions()).extent();
    if extent.min() < FLAT * extent.max() {
        return Err(Error::Flat);
    }
    if options.one_character {
        return Ok(());
    }
    let count = count_characters(prepared);
    let riders = if count == 1 { riders(prepared) } else { Vec::new() };
    if count == 1 && riders.is_empty() {
        return Ok(());
    }
    let mut parts: Vec<String> =
        mesh.parts.iter().map(|part| part.name.clone()).filter(|name| !name.is_empty()).collect();
    parts.dedup();
    parts.truncate(if parts.len() > 1 { NAMED_PARTS } else { 0 });
    match riders.first() {
        Some(&rider) => Err(Error::Rider { name: piece_name(mesh, prepared, rider), parts }),
        None => Err(Error::SeveralCharacters { count, parts }),
    }
}

/// The number of a piece, and the part of the file that it belongs to.
pub(super) fn piece_name(mesh: &Mesh, prepared: &PreparedMesh, piece: usize) -> String {
    let components = &prepared.topology.component_of_triangle;
    let triangle = components.iter().position(|&component| component as usize == piece);
    let original = triangle.map(|triangle| prepared.original_triangle[triangle] as usize);
    let part = mesh.parts.iter().find(|part| original.is_some_and(|t| part.triangles.contains(&t)));
    let name = part.map(|part| part.name.as_str()).filter(|name| !name.is_empty());
    name.map_or(format!("piece {piece}"), |name| format!("piece {piece} of '{name}'"))
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
        let parts = attached_parts(mesh, attachment)?;
        let triangles =
            parts.into_iter().flat_map(|part| &mesh.triangles[mesh.parts[part].triangles.clone()]);
        let mut vertices: Vec<u32> = triangles.flatten().map(|&vertex| welded[vertex as usize]).collect();
        vertices.sort_unstable();
        vertices.dedup();
        Ok(vertices)
    });
    vertices.collect()
}

/// The parts of a mesh that are attached.
fn attached_parts(mesh: &Mesh, attachment: &Attachment) -> Result<Vec<usize>, Error> {
    let Attachment { part, joint } = attachment;
    let reason = |problem| format!("'{part}' cannot be attached to '{joint}': {problem}");
    parts_named(mesh, part).map_err(|problem| Error::Attachment { reason: reason(problem) })
}
