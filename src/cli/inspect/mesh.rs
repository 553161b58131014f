//! What is known about a mesh file.

use super::super::output::{Lines, counted};
use super::super::refusal::{MIN_CONFIDENCE, forget_assumptions, is_reason, refusal};
use super::super::remedies::error_text;
use super::skeleton::SkeletonFinding;
use crate::Warning;
use crate::embed::census::{Census, CensusLimb};
use crate::embed::voxels::VoxelVolume;
use crate::math::{Axis, Vec3, log10};
use crate::mesh::Mesh;
use crate::mesh::orientation::OrientationReason;
use crate::mesh::prepare::PreparedMesh;
use crate::pipeline::report::{AxisInspection, ComponentInspection, LimbInspection, MeshInspection};
use crate::pipeline::{Error, Finding, RigOptions, Silent, foretell, looked_at, place_joints};
use anyhow::{Context, Result};
use std::path::Path;

/// What is known about a mesh file.
pub struct MeshFinding<'a> {
    file: &'a Path,
    mesh: Mesh,
    prepared: PreparedMesh,
    /// The limbs that its shape shows.
    census: Census,
    /// Of a character that has joints already.
    skeleton: Option<SkeletonFinding>,
    /// Why `rig` would refuse it.
    refused: Option<String>,
    pub warnings: Vec<Warning>,
}

/// What `rig` would say of a mesh.
struct Outlook {
    warnings: Vec<Warning>,
    /// Why it would refuse it.
    refused: Option<String>,
}

/// Of a character that has joints they are not looked for.
fn outlook(mesh: &Mesh, options: &RigOptions, has_joints: bool) -> Result<Outlook, Error> {
    if has_joints {
        return Ok(Outlook { warnings: foretell(mesh, options)?, refused: None });
    }
    let mut jointed = place_joints(mesh, options, &Silent)?;
    let refused = refusal(&jointed, MIN_CONFIDENCE);
    if refused.is_some() {
        forget_assumptions(&mut jointed);
        jointed.warnings.retain(|warning| !is_reason(warning));
    }
    Ok(Outlook { warnings: jointed.warnings, refused })
}

impl<'a> MeshFinding<'a> {
    pub fn new(
        file: &'a Path,
        mesh: Mesh,
        mut warnings: Vec<Warning>,
        options: &RigOptions,
        skeleton: Option<SkeletonFinding>,
    ) -> Result<MeshFinding<'a>> {
        let mut own = Vec::new();
        let prepared = looked_at(&mesh, options, &mut own)
            .with_context(|| format!("cannot use '{}'", file.display()))?;
        let refused = match outlook(&mesh, options, skeleton.is_some()) {
            Ok(Outlook { warnings: found, refused }) => {
                warnings.extend(found);
                refused
            }
            Err(error) => {
                warnings.append(&mut own);
                Some(error_text(&error))
            }
        };
        let census = Census::of(&VoxelVolume::of(&prepared));
        Ok(MeshFinding { file, mesh, prepared, census, skeleton, refused, warnings })
    }

    pub fn lines(&self) -> Lines {
        let (mesh, prepared) = (&self.mesh, &self.prepared);
        let (placement, topology) = (&prepared.placement, &prepared.topology);
        let (height, meters) = (digits(placement.height_in_file), digits(placement.height));
        let [width, tall, depth] = self.extent_in_output().map(digits);
        let orientation = &placement.orientation;
        let mut lines = Lines::about(self.file.display());
        lines.add("format", format_args!("{}, {}", mesh.origin.format, self.contents()));
        lines.add("size", format_args!("{height} units high = {meters} m ({})", placement.size_reason));
        lines.add("box", format_args!("{width} wide, {tall} high, {depth} deep, in metres"));
        lines.add("up", format_args!("{} ({})", orientation.up, orientation.up_reason));
        lines.add("faces", format_args!("{} ({})", orientation.facing(), orientation.front_reason));
        let (vertices, welded) = (mesh.positions.len(), prepared.positions.len());
        lines.add("vertices", format_args!("{vertices}, {welded} after welding"));
        let (triangles, used) = (mesh.triangles.len(), prepared.triangles.len());
        lines.add("triangles", format_args!("{triangles}, {used} in use"));
        lines.add("components", self.components());
        lines.add("holes", format_args!("{} ({} open edges)", topology.holes, topology.boundary_edges));
        let (edges, pinched) = (topology.nonmanifold_edges, topology.pinched_vertices);
        lines.add("non-manifold", format_args!("{edges} edges, {pinched} pinched vertices"));
        lines.add("watertight", if topology.is_watertight() { "yes" } else { "no" });
        lines.add("limbs", self.census.summary());
        if let Some(skeleton) = &self.skeleton {
            skeleton.add_lines(&mut lines);
        }
        lines.add_text("  puppetry will\n");
        self.actions().iter().for_each(|action| lines.add_text(&format!("    - {action}\n")));
        if let Some(skeleton) = &self.skeleton {
            skeleton.add_tree(&mut lines);
        }
        lines
    }

    pub fn inspection(&self) -> MeshInspection {
        let (mesh, prepared) = (&self.mesh, &self.prepared);
        let (placement, topology, repairs) = (&prepared.placement, &prepared.topology, &prepared.repairs);
        let (orientation, area) = (&placement.orientation, self.area());
        let components = topology.components.iter().map(|component| ComponentInspection {
            triangles: component.triangles,
            area_share: component.area / area,
            closed: component.closed,
        });
        let mut output_from_input_columns = [0.0; 16];
        output_from_input_columns.copy_from_slice(placement.output_from_input.to_homogeneous().as_slice());
        MeshInspection {
            file: self.file.to_string_lossy().into_owned(),
            kind: "mesh",
            format: mesh.origin.format.to_string(),
            parts: mesh.parts.iter().map(|part| part.name.clone()).collect(),
            materials: mesh.appearance.materials.len(),
            images: mesh.appearance.images.len(),
            vertex_colors: !mesh.appearance.colors.is_empty(),
            texture_coordinates: !mesh.appearance.texcoords.is_empty(),
            height_in_file: placement.height_in_file,
            height_meters: placement.height,
            size_reason: placement.size_reason.to_string(),
            up: axis(orientation.up, orientation.up_reason, orientation.up_probability),
            front: axis(orientation.front, orientation.front_reason, orientation.front_probability),
            yaw_degrees: orientation.yaw.to_degrees(),
            output_from_input_columns,
            vertices: mesh.positions.len(),
            welded_vertices: prepared.positions.len(),
            isolated_vertices: repairs.isolated,
            triangles: mesh.triangles.len(),
            triangles_in_use: prepared.triangles.len(),
            degenerate_triangles: repairs.degenerate,
            duplicate_triangles: repairs.duplicate,
            turned_triangles: repairs.flipped,
            misoriented_edges: topology.misoriented_edges,
            components: components.collect(),
            holes: topology.holes,
            boundary_edges: topology.boundary_edges,
            nonmanifold_edges: topology.nonmanifold_edges,
            pinched_vertices: topology.pinched_vertices,
            watertight: topology.is_watertight(),
            limbs: self.limbs(),
            skeleton: self.skeleton.as_ref().map(SkeletonFinding::inspection),
            refused: self.refused.clone(),
            actions: self.actions(),
            warnings: self.warnings.iter().map(Finding::from).collect(),
        }
    }

    /// The limbs that the shape shows, in the coordinates of the file.
    fn limbs(&self) -> Vec<LimbInspection> {
        let input_from_unit = self.prepared.unit_from_input.inverse();
        let placed = |point: &Vec3| {
            let unit = self.census.unit_from_body(point);
            input_from_unit.transform_point(&unit.into()).coords.into()
        };
        let inspection = |limb: &CensusLimb| LimbInspection {
            name: limb.name(),
            kind: limb.role.to_string(),
            rank: limb.rank + 1,
            partner: limb.partner.map(|partner| self.census.limbs[partner].name()),
            base: placed(&limb.base),
            tip: placed(&limb.tip),
            length_over_size: limb.length / self.census.size,
            grounded: limb.grounded,
            twigs: limb.twigs,
        };
        self.census.limbs.iter().map(inspection).collect()
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
        let refused = self.refused.as_ref().map(|why| format!("refuse to rig it: {why}"));
        act(refused.is_some(), refused.unwrap_or_default());
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
        let is_unusual = self.warnings.iter().any(|warning| matches!(warning, Warning::UnusualSize { .. }));
        let right = if is_unusual { "place and facing" } else { "size, place and facing" };
        act(placement.is_identity(), format!("leave it where it is: {right} are right"));
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
        let pieces = topology.components.len();
        act(
            pieces > 1,
            format!(
                "decide for each of its {pieces} components, when the joints are found, whether it bends"
            ),
        );
        act(
            repairs.isolated > 0,
            format!("carry along vertices that no triangle uses: {}", repairs.isolated),
        );
        actions
    }
}

fn axis(axis: Axis, reason: OrientationReason, probability: f64) -> AxisInspection {
    AxisInspection { axis: axis.to_string(), reason: reason.to_string(), probability }
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
