//! What is known about a mesh file.

use super::counted;
use super::skeleton::SkeletonFinding;
use crate::Warning;
use crate::math::{Axis, log10};
use crate::mesh::Mesh;
use crate::mesh::orientation::OrientationReason;
use crate::mesh::prepare::{PrepareOptions, PreparedMesh, prepare};
use anyhow::{Context, Result};
use serde_json::{Value, json};
use std::fmt::Write;
use std::path::Path;

/// A component with more than this share of the surface is the body of the character.
const MAIN_BODY: f64 = 0.3;
/// Components with less than this share of the surface are buttons, eyes and buckles.
const RIDER: f64 = 0.05;

/// What is known about a mesh file.
pub struct MeshFinding<'a> {
    file: &'a Path,
    mesh: Mesh,
    prepared: PreparedMesh,
    /// Of a character that has joints already.
    skeleton: Option<SkeletonFinding>,
    pub warnings: Vec<Warning>,
}

impl<'a> MeshFinding<'a> {
    pub fn new(
        file: &'a Path,
        mesh: Mesh,
        mut warnings: Vec<Warning>,
        options: &PrepareOptions,
        skeleton: Option<SkeletonFinding>,
    ) -> Result<MeshFinding<'a>> {
        let prepared = prepare(&mesh, options, &mut warnings)
            .with_context(|| format!("cannot use '{}'", file.display()))?;
        Ok(MeshFinding { file, mesh, prepared, skeleton, warnings })
    }

    pub fn text(&self) -> String {
        let (mesh, prepared) = (&self.mesh, &self.prepared);
        let (placement, topology) = (&prepared.placement, &prepared.topology);
        let mut text = String::new();
        let mut line = |heading: &str, content: String| {
            let _ = writeln!(text, "  {heading:<14}{content}");
        };
        line("format", format!("{}, {}", mesh.origin.format, self.contents()));
        line(
            "size",
            format!(
                "{} units high = {} m ({})",
                digits(placement.height_in_file),
                digits(placement.height),
                placement.size_reason
            ),
        );
        let extent = self.extent_in_output().map(digits);
        line("box", format!("{} wide, {} high, {} deep, in metres", extent[0], extent[1], extent[2]));
        line("up", format!("{} ({})", placement.orientation.up, placement.orientation.up_reason));
        line("faces", format!("{} ({})", placement.orientation.facing(), placement.orientation.front_reason));
        line("vertices", format!("{}, {} after welding", mesh.positions.len(), prepared.positions.len()));
        line("triangles", format!("{}, {} in use", mesh.triangles.len(), prepared.triangles.len()));
        line("components", self.components());
        line("holes", format!("{} ({} open edges)", topology.holes, topology.boundary_edges));
        line(
            "non-manifold",
            format!("{} edges, {} pinched vertices", topology.nonmanifold_edges, topology.pinched_vertices),
        );
        line("watertight", if topology.is_watertight() { "yes" } else { "no" }.into());
        for (heading, content) in self.skeleton.iter().flat_map(SkeletonFinding::lines) {
            line(heading, content);
        }
        let _ = writeln!(text, "  puppetry will");
        for action in self.actions() {
            let _ = writeln!(text, "    - {action}");
        }
        text.extend(self.skeleton.as_ref().map(SkeletonFinding::tree));
        format!("{}\n{text}", self.file.display())
    }

    pub fn json(&self) -> Value {
        let (mesh, prepared) = (&self.mesh, &self.prepared);
        let (placement, topology, repairs) = (&prepared.placement, &prepared.topology, &prepared.repairs);
        let axis = |axis: Axis, reason: OrientationReason| json!({ "axis": axis.to_string(), "reason": reason.to_string() });
        let components: Vec<Value> = topology
            .components
            .iter()
            .map(|c| json!({ "triangles": c.triangles, "area_share": c.area / self.area(), "closed": c.closed }))
            .collect();
        let matrix = placement.output_from_input.to_homogeneous();
        json!({
            "file": self.file.to_string_lossy(),
            "kind": "mesh",
            "format": mesh.origin.format.to_string(),
            "parts": mesh.parts.iter().map(|part| &part.name).collect::<Vec<_>>(),
            "materials": mesh.appearance.materials.len(),
            "images": mesh.appearance.images.len(),
            "vertex_colors": !mesh.appearance.colors.is_empty(),
            "texture_coordinates": !mesh.appearance.texcoords.is_empty(),
            "height_in_file": placement.height_in_file,
            "height_meters": placement.height,
            "size_reason": placement.size_reason.to_string(),
            "up": axis(placement.orientation.up, placement.orientation.up_reason),
            "front": axis(placement.orientation.front, placement.orientation.front_reason),
            "yaw_degrees": placement.orientation.yaw.to_degrees(),
            "output_from_input_columns": matrix.as_slice(),
            "vertices": mesh.positions.len(),
            "welded_vertices": prepared.positions.len(),
            "isolated_vertices": repairs.isolated,
            "triangles": mesh.triangles.len(),
            "triangles_in_use": prepared.triangles.len(),
            "degenerate_triangles": repairs.degenerate,
            "duplicate_triangles": repairs.duplicate,
            "turned_triangles": repairs.flipped,
            "misoriented_edges": topology.misoriented_edges,
            "components": components,
            "holes": topology.holes,
            "boundary_edges": topology.boundary_edges,
            "nonmanifold_edges": topology.nonmanifold_edges,
            "pinched_vertices": topology.pinched_vertices,
            "watertight": topology.is_watertight(),
            "skeleton": self.skeleton.as_ref().map(SkeletonFinding::json),
            "actions": self.actions(),
            "warnings": self.warnings.iter().map(|w| json!({ "code": w.code(), "text": w.to_string() })).collect::<Vec<_>>(),
        })
    }

    fn contents(&self) -> String {
        let appearance = &self.mesh.appearance;
        let mut contents = vec![counted(self.mesh.parts.len(), "part")];
        for (count, what) in [(appearance.materials.len(), "material"), (appearance.images.len(), "image")] {
            if count > 0 {
                contents.push(counted(count, what));
            }
        }
        for (values, what) in [
            (appearance.normals.len(), "normals"),
            (appearance.texcoords.len(), "texture coordinates"),
            (appearance.colors.len(), "vertex colours"),
        ] {
            if values > 0 {
                contents.push(what.into());
            }
        }
        contents.join(", ")
    }

    fn extent_in_output(&self) -> [f64; 3] {
        let meters_per_unit =
            self.prepared.placement.output_from_input.scaling() / self.prepared.unit_from_input.scaling();
        let corners = self.prepared.triangles.iter().flatten().map(|&v| &self.prepared.positions[v as usize]);
        (crate::math::Bounds::of(corners).extent() * meters_per_unit).into()
    }

    fn area(&self) -> f64 {
        self.prepared.topology.components.iter().map(|component| component.area).sum()
    }

    fn components(&self) -> String {
        let components = &self.prepared.topology.components;
        let largest = components.iter().map(|component| component.area).fold(0.0, f64::max);
        let closed = components.iter().filter(|component| component.closed).count();
        match components.len() {
            1 => "1".into(),
            count => format!(
                "{count}, the largest with {:.0} % of the surface; {closed} closed",
                100.0 * largest / self.area()
            ),
        }
    }

    /// What will be done about everything that is not as it should be, one sentence each.
    fn actions(&self) -> Vec<String> {
        let (mesh, prepared) = (&self.mesh, &self.prepared);
        let (placement, topology, repairs) = (&prepared.placement, &prepared.topology, &prepared.repairs);
        let mut actions = Vec::new();
        let mut act = |condition: bool, action: String| {
            if condition {
                actions.push(action);
            }
        };
        act(
            self.skeleton.is_some(),
            "move it as it is with animate and retarget; the rest is what rig would do".into(),
        );
        let scale = placement.output_from_input.scaling();
        act(scale != 1.0, format!("scale it by {} to metres", digits(scale)));
        act(!placement.orientation.is_upright(), "turn it to stand on +Y and face +Z".into());
        act(
            placement.lift != 0.0,
            format!("move it by {} m so that the soles are at y = 0", digits(placement.lift)),
        );
        act(placement.centered, "move it over the origin".into());
        act(placement.is_identity(), "leave it where it is: size, place and facing are right".into());
        let merged = mesh.positions.len() - prepared.positions.len();
        act(
            merged > 0,
            format!("work with {merged} vertices less, merged where they coincide; the file keeps them all"),
        );
        let left_out = repairs.degenerate + repairs.duplicate;
        act(
            left_out > 0,
            format!(
                "work without {} degenerate and {} duplicate triangles",
                repairs.degenerate, repairs.duplicate
            ),
        );
        act(
            repairs.flipped > 0,
            format!("turn over {}, so that outside is outside", counted(repairs.flipped, "triangle")),
        );
        act(
            !topology.is_watertight(),
            "tell inside from outside by the winding number, because the surface is not closed".into(),
        );
        let share = |area: f64| area / self.area();
        let largest = topology.components.iter().map(|component| component.area).fold(0.0, f64::max);
        let has_body = share(largest) > MAIN_BODY;
        let small = topology.components.iter().filter(|component| share(component.area) < RIDER).count();
        act(has_body && small > 0, format!("let {} ride on the body", counted(small, "small component")));
        act(
            !has_body,
            format!("take its {} components for the parts of one character", topology.components.len()),
        );
        act(
            repairs.isolated > 0,
            format!("carry along vertices that no triangle uses: {}", repairs.isolated),
        );
        actions
    }
}

/// A number with at most four significant digits.
pub fn digits(number: f64) -> String {
    let places = if number == 0.0 { 0 } else { 3 - log10(number.abs()).floor() as i32 };
    match places {
        ..-3 | 10.. => format!("{number:.3e}"),
        ..=0 => format!("{number:.0}"),
        _ => format!("{number:.*}", places as usize).trim_end_matches('0').trim_end_matches('.').to_owned(),
    }
}
