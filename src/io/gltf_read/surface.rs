//! From primitives to the vertices and triangles of the mesh, in the coordinates of the scene.

use super::accessor::{Accessor, Accessors};
use super::materials::Texcoords;
use super::scene::{Instance, NodeTree};
use super::skin::{Influences, SkinMatrices};
use crate::Warning;
use crate::io::assembly::{append, linear, normal_matrix, pad};
use crate::io::json_item::Item;
use crate::io::left_out::{NOT_FINITE, dropped, ignored};
use crate::io::{Fault, Problem};
use crate::math::{Mat3, Mat4, Vec3};
use crate::mesh::{Mesh, Part, PrimitivePlace, unit_or_zero};
use std::collections::HashMap;
use std::rc::Rc;

/// Vertices, triangles and parts that even the smallest file may have. Nodes can show one mesh many times, so
/// that the surface is not bounded by the file; about half a gigabyte is the most that this costs.
const ELEMENTS_FLOOR: u64 = 8 << 20;
/// What a part counts as, by the memory it takes compared with a vertex.
const ELEMENTS_OF_A_PART: u64 = 8;

/// Adds a part to `mesh` for every triangle primitive that the scene shows.
pub(super) fn read<'a>(
    root: &Item<'a>,
    accessors: &Accessors<'a>,
    scene: &NodeTree<'a>,
    texcoords: &[Texcoords],
    mesh: &mut Mesh,
    warnings: &mut Vec<Warning>,
) -> Result<(), Fault> {
    let elements_limit = (2 * accessors.total_bytes()).max(ELEMENTS_FLOOR).min(u32::MAX.into());
    let skins = HashMap::new();
    let left_out = LeftOut::default();
    let mut surface = SurfaceReader {
        root,
        accessors,
        scene,
        texcoords,
        mesh,
        skins,
        elements_limit,
        elements: 0,
        left_out,
    };
    for instance in &scene.instances {
        surface.add_instance(instance)?;
    }
    surface.left_out.report(warnings);
    pad(&mut mesh.appearance, mesh.positions.len());
    Ok(())
}

/// What of the file is not in the mesh, counted for the warnings.
#[derive(Default)]
struct LeftOut {
    points: usize,
    lines: usize,
    without_positions: usize,
    odd_indices: usize,
    normals: usize,
    texcoords: usize,
    colors: usize,
}

impl LeftOut {
    fn report(&self, warnings: &mut Vec<Warning>) {
        ignored(warnings, "points", self.points);
        ignored(warnings, "lines", self.lines);
        ignored(warnings, "primitives without positions", self.without_positions);
        ignored(warnings, "indices after the last whole triangle", self.odd_indices);
        dropped(warnings, "normals", self.normals, NOT_FINITE);
        dropped(warnings, "texture coordinates", self.texcoords, NOT_FINITE);
        dropped(warnings, "colours", self.colors, NOT_FINITE);
    }
}

/// How corners follow each other to triangles.
#[derive(Clone, Copy)]
enum TriangleMode {
    List,
    Strip,
    Fan,
}

impl TriangleMode {
    /// The mode of a primitive with this number, if it has triangles.
    fn of(number: usize) -> Option<TriangleMode> {
        [(4, TriangleMode::List), (5, TriangleMode::Strip), (6, TriangleMode::Fan)]
            .into_iter()
            .find_map(|(mode, triangles)| (mode == number).then_some(triangles))
    }
}

/// Whether a transform mirrors triangles, so that two of their corners must be swapped.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Winding {
    Kept,
    Reversed,
}

impl Winding {
    fn wound(self, [a, b, c]: [u32; 3]) -> [u32; 3] {
        match self {
            Winding::Kept => [a, b, c],
            Winding::Reversed => [a, c, b],
        }
    }
}

/// How the corners of a primitive become triangles of the mesh.
#[derive(Clone, Copy)]
struct Corners {
    mode: TriangleMode,
    winding: Winding,
    /// The first vertex of the primitive.
    base: u32,
}

impl Corners {
    /// Appends the triangles of a primitive; returns the number of corners that were left over.
    fn add_triangles(self, indices: Option<&[u32]>, vertices: usize, triangles: &mut Vec<[u32; 3]>) -> usize {
        let base = self.base;
        match (indices, self.mode, self.winding) {
            // The usual case without a look-up for each corner.
            (Some(indices), TriangleMode::List, Winding::Kept) => {
                let (whole, rest) = indices.as_chunks::<3>();
                triangles.extend(whole.iter().map(|corners| corners.map(|c| base + c)));
                rest.len()
            }
            (Some(indices), ..) => self.add(indices.len(), |corner| base + indices[corner], triangles),
            (None, ..) => self.add(vertices, |corner| base + corner as u32, triangles),
        }
    }

    fn add(self, count: usize, vertex: impl Fn(usize) -> u32, triangles: &mut Vec<[u32; 3]>) -> usize {
        let Corners { mode, winding, .. } = self;
        let in_a_row = 0..count.saturating_sub(2);
        match mode {
            TriangleMode::List => {
                let firsts = (0..count / 3).map(|index| 3 * index);
                triangles.extend(firsts.map(|first| winding.wound([0, 1, 2].map(|i| vertex(first + i)))));
                return count % 3;
            }
            TriangleMode::Strip => {
                // Every second triangle has the opposite winding. Repeated corners only join strips to each
                // other.
                let all = in_a_row.map(|i| [i, i + 1 + i % 2, i + 2 - i % 2].map(&vertex));
                let solid = all.filter(|[a, b, c]| a != b && b != c && c != a);
                triangles.extend(solid.map(|triangle| winding.wound(triangle)));
            }
            TriangleMode::Fan => {
                triangles.extend(in_a_row.map(|i| winding.wound([i + 1, i + 2, 0].map(&vertex))));
            }
        }
        0
    }
}

struct SurfaceReader<'s, 'a> {
    root: &'s Item<'a>,
    accessors: &'s Accessors<'a>,
    scene: &'s NodeTree<'a>,
    texcoords: &'s [Texcoords],
    mesh: &'s mut Mesh,
    skins: HashMap<usize, Rc<SkinMatrices>>,
    elements_limit: u64,
    elements: u64,
    left_out: LeftOut,
}

impl<'a> SurfaceReader<'_, 'a> {
    fn add_instance(&mut self, instance: &Instance<'a>) -> Result<(), Fault> {
        let skin = instance.node.get("skin").map(|reference| self.skin(&reference)).transpose()?;
        let weights = morph_weights(instance)?;
        for (index, primitive) in instance.mesh.list("primitives")?.iter().enumerate() {
            self.add_primitive(instance, primitive, index, skin.as_deref(), &weights)?;
        }
        Ok(())
    }

    fn add_primitive(
        &mut self,
        instance: &Instance<'a>,
        primitive: &Item<'a>,
        primitive_index: usize,
        skin: Option<&SkinMatrices>,
        morph_weights: &[f32],
    ) -> Result<(), Fault> {
        self.charge(primitive, ELEMENTS_OF_A_PART)?;
        let attributes = primitive.required("attributes")?;
        let Some(reference) = attributes.get("POSITION") else {
            self.left_out.without_positions += 1;
            return Ok(());
        };
        let positions = self.accessors.open(&reference)?;
        let indices = primitive.get("indices").map(|item| self.accessors.open(&item)).transpose()?;
        let vertices = positions.count;
        let corners = indices.as_ref().map_or(vertices, |indices| indices.count);
        let number = primitive.whole_number("mode")?.unwrap_or(4);
        let Some(mode) = TriangleMode::of(number) else {
            match number {
                0 => self.left_out.points += corners,
                1 => self.left_out.lines += corners / 2,
                2 => self.left_out.lines += corners,
                3 => self.left_out.lines += corners.saturating_sub(1),
                _ => return Err(primitive.invalid("the primitive", format!("its mode is {number}"))),
            }
            return Ok(());
        };
        self.charge(primitive, vertices as u64 + corners as u64)?;

        let mut local = positions.floats::<3>()?;
        let mut normals =
            self.attribute(&attributes, "NORMAL", vertices, |accessor| accessor.floats::<3>())?;
        self.morph(primitive, "POSITION", morph_weights, &mut local)?;
        if let Some(normals) = &mut normals {
            self.morph(primitive, "NORMAL", morph_weights, normals)?;
        }

        let influences = skin.map(|skin| Influences::read(&attributes, self.accessors, vertices, skin));
        let influences = skin.zip(influences.transpose()?.flatten());
        let first_vertex = self.mesh.positions.len();
        let first_triangle = self.mesh.triangles.len();
        let winding = match &influences {
            None => {
                let world = &self.scene.worlds[instance.node_index];
                self.add_positions(&local, |_| world);
                let normal_matrix = normal_matrix(&linear(world));
                self.add_normals(first_vertex, normals.as_deref(), |_| normal_matrix);
                if linear(world).determinant() < 0.0 { Winding::Reversed } else { Winding::Kept }
            }
            Some((skin, influences)) => {
                let matrices: Vec<Mat4> =
                    (0..vertices).map(|vertex| influences.matrix(vertex, skin)).collect();
                self.add_positions(&local, |vertex| &matrices[vertex]);
                self.add_normals(first_vertex, normals.as_deref(), |vertex| {
                    normal_matrix(&linear(&matrices[vertex]))
                });
                skin.winding
            }
        };
        let placed = &self.mesh.positions[first_vertex..];
        if !placed.iter().fold(true, |finite, p| finite & is_finite(p)) {
            let index = placed.iter().position(|position| !is_finite(position)).unwrap_or(0);
            return Err(Fault::json(positions.pointer, Problem::NotFinite { what: "vertex", index }));
        }

        let indices = indices.map(|accessor| accessor.indices(vertices)).transpose()?;
        let corners = Corners { mode, winding, base: first_vertex as u32 };
        self.left_out.odd_indices +=
            corners.add_triangles(indices.as_deref(), vertices, &mut self.mesh.triangles);
        let material = primitive.whole_number("material")?;
        if let Some(reference) = primitive.get("material") {
            reference.target(self.root, "materials", "material")?;
        }
        self.add_texcoords(&attributes, material, first_vertex, vertices)?;
        self.add_colors(&attributes, first_vertex, vertices)?;
        let name = instance.node.text("name").or(instance.mesh.text("name")).unwrap_or_default();
        self.mesh.parts.push(Part {
            name: name.to_owned(),
            vertices: first_vertex..self.mesh.positions.len(),
            triangles: first_triangle..self.mesh.triangles.len(),
            material,
            place: Some(PrimitivePlace {
                node: instance.node_index,
                mesh: instance.mesh_index,
                primitive: primitive_index,
            }),
        });
        Ok(())
    }

    /// Counts elements before memory is taken for them.
    fn charge(&mut self, item: &Item, elements: u64) -> Result<(), Fault> {
        self.elements = self.elements.saturating_add(elements);
        if self.elements <= self.elements_limit {
            return Ok(());
        }
        let what = "vertices and corners, each use of a mesh counted";
        Err(Fault::json(&item.pointer, Problem::TooMany { what, limit: self.elements_limit }))
    }

    fn skin(&mut self, reference: &Item<'a>) -> Result<Rc<SkinMatrices>, Fault> {
        let index = reference.as_whole_number()?;
        if let Some(skin) = self.skins.get(&index) {
            return Ok(skin.clone());
        }
        let item = reference.target(self.root, "skins", "skin")?;
        let skin = Rc::new(SkinMatrices::read(&item, self.accessors, &self.scene.worlds)?);
        self.skins.insert(index, skin.clone());
        Ok(skin)
    }

    /// An optional attribute, which must have an element for each vertex.
    fn attribute<T>(
        &self,
        attributes: &Item<'a>,
        name: &str,
        vertices: usize,
        read: impl Fn(&Accessor) -> Result<T, Fault>,
    ) -> Result<Option<T>, Fault> {
        let Some(reference) = attributes.get(name) else { return Ok(None) };
        let accessor = self.accessors.open(&reference)?;
        accessor.check_count(vertices)?;
        read(&accessor).map(Some)
    }

    /// Adds the displacements of the morph targets that are active by default.
    fn morph(
        &mut self,
        primitive: &Item<'a>,
        name: &str,
        weights: &[f32],
        values: &mut [[f32; 3]],
    ) -> Result<(), Fault> {
        if weights.iter().all(|&weight| weight == 0.0) {
            return Ok(());
        }
        let targets = primitive.list("targets")?;
        for (target, &weight) in targets.iter().zip(weights).filter(|&(_, &weight)| weight != 0.0) {
            let displacements =
                self.attribute(target, name, values.len(), |accessor| accessor.floats::<3>())?;
            for (value, displacement) in values.iter_mut().zip(displacements.unwrap_or_default()) {
                for axis in 0..3 {
                    value[axis] += weight * displacement[axis];
                }
            }
        }
        Ok(())
    }

    /// Appends positions in scene coordinates; `matrix` transforms them, by vertex.
    fn add_positions<'m>(&mut self, local: &[[f32; 3]], matrix: impl Fn(usize) -> &'m Mat4) {
        self.mesh.positions.extend(local.iter().enumerate().map(|(vertex, point)| {
            let [x, y, z] = point.map(f64::from);
            let m = matrix(vertex);
            let row = [0, 1, 2].map(|r| m[(r, 0)] * x + m[(r, 1)] * y + m[(r, 2)] * z + m[(r, 3)]);
            Vec3::from(row)
        }));
    }

    /// Appends normals in scene coordinates; `matrix` transforms them, by vertex.
    fn add_normals(
        &mut self,
        first_vertex: usize,
        normals: Option<&[[f32; 3]]>,
        matrix: impl Fn(usize) -> Mat3,
    ) {
        let Some(normals) = normals else { return };
        let unusable = &mut self.left_out.normals;
        let turned = normals.iter().enumerate().map(|(vertex, &normal)| {
            let turned = matrix(vertex) * Vec3::from(normal.map(f64::from));
            *unusable += usize::from(!is_finite(&turned));
            unit_or_zero(turned.into())
        });
        append(&mut self.mesh.appearance.normals, first_vertex, [0.0; 3], turned);
    }

    fn add_texcoords(
        &mut self,
        attributes: &Item<'a>,
        material: Option<usize>,
        first_vertex: usize,
        vertices: usize,
    ) -> Result<(), Fault> {
        let choice = material.and_then(|material| self.texcoords.get(material)).copied().unwrap_or_default();
        let name = format!("TEXCOORD_{}", choice.set);
        let Some(mut read) = self.attribute(attributes, &name, vertices, |a| a.floats::<2>())? else {
            return Ok(());
        };
        for texcoord in &mut read {
            *texcoord = choice.map(*texcoord);
            if !texcoord.iter().all(|number| number.is_finite()) {
                self.left_out.texcoords += 1;
                *texcoord = [0.0; 2];
            }
        }
        append(&mut self.mesh.appearance.texcoords, first_vertex, [0.0; 2], read);
        Ok(())
    }

    fn add_colors(
        &mut self,
        attributes: &Item<'a>,
        first_vertex: usize,
        vertices: usize,
    ) -> Result<(), Fault> {
        let colors = self.attribute(attributes, "COLOR_0", vertices, |accessor| match accessor.width() {
            3 => Ok(accessor.floats::<3>()?.into_iter().map(|[r, g, b]| [r, g, b, 1.0]).collect()),
            _ => accessor.floats::<4>(),
        })?;
        let Some(mut colors): Option<Vec<[f32; 4]>> = colors else { return Ok(()) };
        for color in &mut colors {
            if !color.iter().all(|number| number.is_finite()) {
                self.left_out.colors += 1;
                *color = [1.0; 4];
            }
        }
        append(&mut self.mesh.appearance.colors, first_vertex, [1.0; 4], colors);
        Ok(())
    }
}

/// Positions and triangles.
pub(crate) type Triangles = (Vec<Vec3>, Vec<[u32; 3]>);

/// The vertices and triangles of a primitive in its own coordinates; `None` if it has no triangles.
pub(super) fn primitive_triangles(
    primitive: &Item,
    accessors: &Accessors,
) -> Result<Option<Triangles>, Fault> {
    let Some(mode) = TriangleMode::of(primitive.whole_number("mode")?.unwrap_or(4)) else { return Ok(None) };
    let attributes = primitive.required("attributes")?;
    let Some(reference) = attributes.get("POSITION") else { return Ok(None) };
    let accessor = accessors.open(&reference)?;
    let positions: Vec<Vec3> =
        accessor.floats::<3>()?.into_iter().map(|position| Vec3::from(position.map(f64::from))).collect();
    if let Some(index) = positions.iter().position(|position| !is_finite(position)) {
        return Err(Fault::json(accessor.pointer, Problem::NotFinite { what: "vertex", index }));
    }
    let indices = primitive.get("indices").map(|item| accessors.open(&item)?.indices(positions.len()));
    let corners = Corners { mode, winding: Winding::Kept, base: 0 };
    let mut triangles = Vec::new();
    corners.add_triangles(indices.transpose()?.as_deref(), positions.len(), &mut triangles);
    Ok(Some((positions, triangles)))
}

/// Weights of the morph targets before any animation: the node's own, else those of its mesh.
fn morph_weights(instance: &Instance) -> Result<Vec<f32>, Fault> {
    let own = instance.node.list("weights")?;
    let weights = if own.is_empty() { instance.mesh.list("weights")? } else { own };
    weights
        .iter()
        .map(|item| Ok(item.value.as_f64().ok_or_else(|| item.expected("a number"))? as f32))
        .collect()
}

fn is_finite(position: &Vec3) -> bool {
    position.x.is_finite() & position.y.is_finite() & position.z.is_finite()
}
