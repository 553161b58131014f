//! The surface of a scene: axes, nodes, polygons.

use super::materials;
use crate::Warning;
use crate::io::assembly::{append, normal_matrix, pad};
use crate::io::left_out::{dropped, ignored};
use crate::io::{Fault, Folder, Problem};
use crate::math::{Axis, Mat3, Vec3};
use crate::mesh::{Conventions, Format, Mesh, Origin, Part, unit_or_zero};
use std::collections::HashMap;
use ufbx::CoordinateAxis;

/// Corners of polygons, counted for each node that shows them, that even the smallest file may have.
const CORNERS_FLOOR: usize = 8 << 20;
const CORNERS_PER_BYTE: usize = 16;
/// Polygons with more corners are cut as a fan. The time of a good triangulation grows with the square: a
/// star of 10,000 corners takes a quarter of a second, and a file could hold hundreds. No character has a
/// concave face of even a hundred corners.
const LARGEST_POLYGON: u32 = 1_000;

/// The node and the point of its mesh that each vertex comes from.
pub(super) type Origins = Vec<(u32, u32)>;

/// The surface of a scene that a file of that size holds, and where its vertices come from.
pub(super) fn read(
    scene: &ufbx::Scene,
    file_size: usize,
    folder: &Folder,
    warnings: &mut Vec<Warning>,
) -> Result<(Mesh, Origins), Fault> {
    let axes = Axes::of(scene);
    let mut mesh = Mesh::default();
    let mut origins = Origins::new();
    materials::read(scene, folder, &mut mesh.appearance, warnings);
    read_nodes(scene, &axes, file_size, &mut mesh, &mut origins, warnings)?;
    if mesh.triangles.is_empty() {
        return Err(Fault::whole(Problem::NoTriangles));
    }
    if let Some(axis) = axes.mirrored {
        warnings.push(Warning::Mirrored { axis });
    }
    let unit = scene.settings.unit_meters;
    let meters_per_unit = (unit.is_finite() && unit > 0.0).then_some(unit);
    let conventions = Conventions { meters_per_unit, up: axes.up, front: axes.front };
    mesh.origin = Origin { format: Format::Fbx, conventions, document: None };
    Ok((mesh, origins))
}

/// The linear map that makes the coordinates of a scene right-handed.
pub(super) fn mirror(scene: &ufbx::Scene) -> Mat3 {
    Axes::of(scene).mirror()
}

/// The axes that the file declares.
#[derive(Default)]
struct Axes {
    up: Option<Axis>,
    /// Where a character faces: towards the viewer.
    front: Option<Axis>,
    /// The axis along which a left-handed file is mirrored.
    mirrored: Option<Axis>,
}

impl Axes {
    fn of(scene: &ufbx::Scene) -> Axes {
        let axes = &scene.settings.axes;
        let [Some(right), Some(up), Some(front)] = [axes.right, axes.up, axes.front].map(axis) else {
            return Axes::default();
        };
        let handedness = right.vector().cross(&up.vector()).dot(&front.vector());
        match handedness {
            1.0 => Axes { up: Some(up), front: Some(front), mirrored: None },
            -1.0 => Axes { up: Some(up), front: Some(front), mirrored: Some(right) },
            _ => Axes::default(),
        }
    }

    fn mirror(&self) -> Mat3 {
        let direction = self.mirrored.map_or(Vec3::zeros(), Axis::vector);
        Mat3::identity() - direction * direction.transpose() * 2.0
    }
}

fn axis(axis: CoordinateAxis) -> Option<Axis> {
    Some(match axis {
        CoordinateAxis::PositiveX => Axis::PosX,
        CoordinateAxis::NegativeX => Axis::NegX,
        CoordinateAxis::PositiveY => Axis::PosY,
        CoordinateAxis::NegativeY => Axis::NegY,
        CoordinateAxis::PositiveZ => Axis::PosZ,
        CoordinateAxis::NegativeZ => Axis::NegZ,
        CoordinateAxis::Unknown => return None,
    })
}

fn read_nodes(
    scene: &ufbx::Scene,
    axes: &Axes,
    file_size: usize,
    mesh: &mut Mesh,
    origins: &mut Origins,
    warnings: &mut Vec<Warning>,
) -> Result<(), Fault> {
    let limit = file_size.saturating_mul(CORNERS_PER_BYTE).clamp(CORNERS_FLOOR, u32::MAX as usize);
    let mirror = axes.mirror();
    let (mut corners, mut hidden, mut points, mut lines) = (0, 0, 0, 0);
    for node in &scene.nodes {
        let Some(source) = node.mesh.as_deref() else { continue };
        if !node.visible {
            hidden += 1;
            continue;
        }
        corners += source.num_indices.max(1);
        if corners > limit {
            let what = "corners, each use of a mesh counted";
            return Err(Fault::whole(Problem::TooMany { what, limit: limit as u64 }));
        }
        points += source.num_point_faces;
        lines += source.num_line_faces;
        let transform = NodeTransform::of(&node.geometry_to_world, &mirror);
        for part in &source.material_parts {
            let material =
                node.materials.get(part.index as usize).or(source.materials.get(part.index as usize));
            let material = material.map(|material| material.element.typed_id as usize);
            let material = material.filter(|&material| material < mesh.appearance.materials.len());
            let mut reader = PartReader::new(mesh, source, &transform);
            reader.read(part, &node.element.name, material)?;
            origins.extend(reader.points.iter().map(|&point| (node.element.typed_id, point)));
        }
    }
    ignored(warnings, "points", points);
    ignored(warnings, "lines", lines);
    dropped(warnings, "meshes", hidden, "their nodes are invisible");
    pad(&mut mesh.appearance, mesh.positions.len());
    Ok(())
}

/// From the coordinates of a geometry to those of the scene.
struct NodeTransform {
    linear: Mat3,
    translation: Vec3,
    normals: Mat3,
    turned_inside_out: bool,
}

impl NodeTransform {
    fn of(m: &ufbx::Matrix, mirror: &Mat3) -> NodeTransform {
        let columns = [
            Vec3::new(m.m00, m.m10, m.m20),
            Vec3::new(m.m01, m.m11, m.m21),
            Vec3::new(m.m02, m.m12, m.m22),
            Vec3::new(m.m03, m.m13, m.m23),
        ];
        let [x, y, z, translation] = columns.map(|column| mirror * column);
        let linear = Mat3::from_columns(&[x, y, z]);
        let turned_inside_out = linear.determinant() < 0.0;
        NodeTransform { linear, translation, normals: normal_matrix(&linear), turned_inside_out }
    }
}

/// What makes two corners of polygons the same vertex: the point and the bits of normal, texture coordinates,
/// colour.
type Corner = (u32, [u32; 3], [u32; 2], [u32; 4]);

/// Appends one material of one mesh of one node.
struct PartReader<'r> {
    mesh: &'r mut Mesh,
    source: &'r ufbx::Mesh,
    transform: &'r NodeTransform,
    vertices: HashMap<Corner, u32>,
    /// The point of each vertex.
    points: Vec<u32>,
}

impl<'r> PartReader<'r> {
    fn new(mesh: &'r mut Mesh, source: &'r ufbx::Mesh, transform: &'r NodeTransform) -> Self {
        PartReader { mesh, source, transform, vertices: HashMap::new(), points: Vec::new() }
    }

    fn read(&mut self, part: &ufbx::MeshPart, name: &str, material: Option<usize>) -> Result<(), Fault> {
        let first_vertex = self.mesh.positions.len();
        let first_triangle = self.mesh.triangles.len();
        let mut corners = Vec::new();
        for &face in &part.face_indices {
            let Some(&face) = self.source.faces.get(face as usize) else { continue };
            triangulate(self.source, face, &mut corners);
            for &[a, b, c] in corners.as_chunks::<3>().0 {
                let (b, c) = if self.transform.turned_inside_out { (c, b) } else { (b, c) };
                let triangle = [self.vertex(a)?, self.vertex(b)?, self.vertex(c)?];
                self.mesh.triangles.push(triangle);
            }
        }
        if self.mesh.triangles.len() > first_triangle {
            self.mesh.parts.push(Part {
                name: name.to_owned(),
                vertices: first_vertex..self.mesh.positions.len(),
                triangles: first_triangle..self.mesh.triangles.len(),
                material,
                place: None,
            });
        }
        Ok(())
    }

    /// The vertex of a corner, made if no earlier corner of this part is equal.
    fn vertex(&mut self, corner: u32) -> Result<u32, Fault> {
        let corner = corner as usize;
        let source = self.source;
        let count = source.vertices.len();
        let point = source.vertex_position.indices.get(corner).copied().unwrap_or(u32::MAX);
        let Some(position) = source.vertex_position.values.get(point as usize) else {
            let problem = Problem::IndexOutOfRange { what: "vertex", index: point.into(), count };
            return Err(Fault::whole(problem));
        };
        let normal = value(&source.vertex_normal.values, &source.vertex_normal.indices, corner);
        let texcoord = value(&source.vertex_uv.values, &source.vertex_uv.indices, corner);
        let color = value(&source.vertex_color.values, &source.vertex_color.indices, corner);
        let normal = normal.map(|n| self.transform.normals * Vec3::new(n.x, n.y, n.z));
        let normal = normal.map_or([0.0; 3], |normal| unit_or_zero(normal.into()));
        let texcoord =
            texcoord.map(|t| [t.x as f32, 1.0 - t.y as f32]).filter(all_finite).unwrap_or_default();
        let color = color.map(|c| [c.x, c.y, c.z, c.w].map(|c| c as f32)).filter(all_finite);
        let color = color.unwrap_or([1.0; 4]);

        let key = (point, normal.map(f32::to_bits), texcoord.map(f32::to_bits), color.map(f32::to_bits));
        if let Some(&vertex) = self.vertices.get(&key) {
            return Ok(vertex);
        }
        let vertex = self.mesh.positions.len();
        let position = Vec3::new(position.x, position.y, position.z);
        let position = self.transform.linear * position + self.transform.translation;
        if !position.iter().all(|coordinate| coordinate.is_finite()) {
            return Err(Fault::whole(Problem::NotFinite { what: "vertex", index: point as usize }));
        }
        self.mesh.positions.push(position);
        self.points.push(point);
        let appearance = &mut self.mesh.appearance;
        if source.vertex_normal.exists {
            append(&mut appearance.normals, vertex, [0.0; 3], [normal]);
        }
        if source.vertex_uv.exists {
            append(&mut appearance.texcoords, vertex, [0.0; 2], [texcoord]);
        }
        if source.vertex_color.exists {
            append(&mut appearance.colors, vertex, [1.0; 4], [color]);
        }
        self.vertices.insert(key, vertex as u32);
        Ok(vertex as u32)
    }
}

/// An attribute of a corner, if the mesh has it there.
fn value<T: Copy>(values: &[T], indices: &[u32], corner: usize) -> Option<T> {
    values.get(*indices.get(corner)? as usize).copied()
}

pub(super) fn all_finite<const N: usize>(values: &[f32; N]) -> bool {
    values.iter().all(|value| value.is_finite())
}

/// The triangles of a polygon as corners of the mesh, three by three.
fn triangulate(source: &ufbx::Mesh, face: ufbx::Face, corners: &mut Vec<u32>) {
    corners.clear();
    if face.num_indices < 3 {
        return;
    }
    if face.num_indices > LARGEST_POLYGON {
        let first = face.index_begin;
        corners.extend((1..face.num_indices - 1).flat_map(|i| [first, first + i, first + i + 1]));
        return;
    }
    corners.resize((face.num_indices as usize - 2) * 3, 0);
    let triangles = ufbx::triangulate_face(corners, source, face);
    corners.truncate(triangles as usize * 3);
}
