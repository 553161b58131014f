//! From sculptures and solids to a [`Mesh`], and what a truth file says about it.

use super::body::mirrored;
use super::grid::polygonise;
use super::implicit::{Detail, Ink, Sculpture};
use super::paint::paint;
use super::remesh::remesh;
use puppetry::stages::math::Vec3;
use puppetry::stages::mesh::{Material, Mesh, Part};
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, HashMap};

/// Surface that is left out: below hems and beyond sleeves.
pub const CUT: Ink = 0xFF00_0000;

/// A character: its mesh and its joints.
pub struct Character {
    pub morphology: &'static str,
    pub pose: &'static str,
    pub note: &'static str,
    pub mesh: Mesh,
    pub joints: Vec<(String, Vec3)>,
    /// Of a creature: kind, side and rank of each limb, with its joints and tip.
    pub limbs: Option<Value>,
}

/// One vertex as it is stored.
#[derive(Clone, Copy)]
pub struct Vertex {
    pub position: Vec3,
    pub normal: Vec3,
    pub ink: Ink,
}

/// Meshes the sculpture: both halves, with the inks' outlines cut in and vertices split along them.
pub fn sculpted(sculpture: &Sculpture, detail: &Detail) -> (Vec<Vertex>, Vec<[u32; 3]>) {
    let mut surface = polygonise(sculpture, &sculpture.bounds(), detail.cell);
    remesh(&mut surface, sculpture, detail);
    let painted = paint(&mut surface, sculpture);

    let mut numbers: HashMap<(u32, Ink, bool), u32> = HashMap::new();
    let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
    for (triangle, ink) in painted.into_iter().filter(|(_, ink)| *ink != CUT) {
        for right in [false, true] {
            let mut corners = triangle.map(|v| {
                let flip = right && !surface.on_seam(v);
                *numbers.entry((v, ink, flip)).or_insert_with(|| {
                    let (position, normal) =
                        (surface.point(v), sculpture.gradient(surface.point(v)).normalize());
                    let [position, normal] = [position, normal].map(|v| if flip { mirrored(v) } else { v });
                    vertices.push(Vertex { position, normal, ink });
                    vertices.len() as u32 - 1
                })
            });
            if right {
                corners.swap(1, 2);
            }
            triangles.push(corners);
        }
    }
    (vertices, triangles)
}

impl Character {
    /// A character without surface yet.
    pub fn new(morphology: &'static str, pose: &'static str, joints: Vec<(String, Vec3)>) -> Character {
        Character { morphology, pose, note: "", mesh: Mesh::default(), joints, limbs: None }
    }

    /// Appends a part with vertex colours.
    pub fn add(&mut self, name: &str, material: usize, (vertices, triangles): (Vec<Vertex>, Vec<[u32; 3]>)) {
        let mesh = &mut self.mesh;
        let (first_vertex, first_triangle) = (mesh.positions.len(), mesh.triangles.len());
        for vertex in &vertices {
            mesh.positions.push(vertex.position);
            mesh.appearance.normals.push(vertex.normal.cast::<f32>().into());
            mesh.appearance.colors.push(linear(vertex.ink));
        }
        let shift = first_vertex as u32;
        mesh.triangles.extend(triangles.iter().map(|triangle| triangle.map(|v| v + shift)));
        mesh.parts.push(Part {
            name: name.to_owned(),
            vertices: first_vertex..mesh.positions.len(),
            triangles: first_triangle..mesh.triangles.len(),
            material: Some(material),
            place: None,
        });
    }

    /// Adds a material and gives its number.
    pub fn material(&mut self, material: Material) -> usize {
        self.mesh.appearance.materials.push(material);
        self.mesh.appearance.materials.len() - 1
    }

    /// Its surface alone: equal positions of a part are one vertex, without normals and colours.
    pub fn bare(mut self) -> Character {
        let mut positions = Vec::new();
        for part in &mut self.mesh.parts {
            let first = positions.len();
            let mut numbers: HashMap<[u32; 3], u32> = HashMap::new();
            for triangle in &mut self.mesh.triangles[part.triangles.clone()] {
                for corner in triangle {
                    let point = self.mesh.positions[*corner as usize];
                    *corner = *numbers.entry(bits(&point)).or_insert_with(|| {
                        positions.push(point);
                        positions.len() as u32 - 1
                    });
                }
            }
            part.vertices = first..positions.len();
        }
        self.mesh.positions = positions;
        self.mesh.appearance.normals.clear();
        self.mesh.appearance.colors.clear();
        self
    }

    /// Sets the soles on y = 0, rounding positions to the 32-bit numbers of the file.
    pub fn stand(mut self) -> Character {
        let floor = self.mesh.positions.iter().map(|p| p.y).fold(f64::INFINITY, f64::min);
        for point in self.mesh.positions.iter_mut().chain(self.joints.iter_mut().map(|(_, at)| at)) {
            point.y -= floor;
            *point = point.cast::<f32>().cast();
        }
        self
    }

    /// The truth file: joints and statistics of the mesh.
    pub fn truth(&self) -> Value {
        let statistics = Statistics::of(&self.mesh);
        let rounded = |value: f64| (value * 1e6).round() / 1e6;
        let joints: Map<String, Value> = self
            .joints
            .iter()
            .map(|(name, at)| (name.clone(), json!([rounded(at.x), rounded(at.y), rounded(at.z)])))
            .collect();
        let mut truth = json!({
            "source": "generated by make_characters of puppetry-tools",
            "licence": "MIT OR Apache-2.0",
            "morphology": self.morphology,
            "pose": self.pose,
            "watertight": statistics.boundary_edges == 0 && statistics.nonmanifold_edges == 0,
            "components": statistics.components,
            "vertices": self.mesh.positions.len(),
            "welded_vertices": statistics.welded_vertices,
            "triangles": self.mesh.triangles.len(),
            "boundary_edges": statistics.boundary_edges,
            "nonmanifold_edges": statistics.nonmanifold_edges,
            "height": rounded(statistics.height),
            "joints": joints,
        });
        if let Some(limbs) = &self.limbs {
            truth["limbs"] = limbs.clone();
        }
        if !self.note.is_empty() {
            truth["note"] = self.note.into();
        }
        truth
    }
}

/// What is measured on the welded mesh.
struct Statistics {
    welded_vertices: usize,
    components: usize,
    boundary_edges: usize,
    nonmanifold_edges: usize,
    height: f64,
}

impl Statistics {
    fn of(mesh: &Mesh) -> Statistics {
        let mut numbers = HashMap::new();
        let welded: Vec<usize> = mesh
            .positions
            .iter()
            .map(|p| {
                let next = numbers.len();
                *numbers.entry(bits(p)).or_insert(next)
            })
            .collect();
        let mut uses: BTreeMap<[usize; 2], usize> = BTreeMap::new();
        let mut leader: Vec<usize> = (0..numbers.len()).collect();
        for triangle in &mesh.triangles {
            let corners = triangle.map(|v| welded[v as usize]);
            for (a, b) in [(0, 1), (1, 2), (2, 0)].map(|(i, j)| (corners[i], corners[j])) {
                *uses.entry([a.min(b), a.max(b)]).or_default() += 1;
                let (a, b) = (find(&mut leader, a), find(&mut leader, b));
                leader[a.max(b)] = a.min(b);
            }
        }
        let heights = mesh.positions.iter().map(|p| p.y);
        Statistics {
            welded_vertices: numbers.len(),
            components: (0..leader.len()).filter(|&v| leader[v] == v).count(),
            boundary_edges: uses.values().filter(|&&count| count == 1).count(),
            nonmanifold_edges: uses.values().filter(|&&count| count > 2).count(),
            height: heights.clone().fold(f64::NEG_INFINITY, f64::max) - heights.fold(f64::INFINITY, f64::min),
        }
    }
}

/// Equal for positions that are equal in the file; adding zero turns -0 into 0.
fn bits(p: &Vec3) -> [u32; 3] {
    [p.x, p.y, p.z].map(|v| (v as f32 + 0.0).to_bits())
}

fn find(leader: &mut [usize], mut vertex: usize) -> usize {
    while leader[vertex] != vertex {
        leader[vertex] = leader[leader[vertex]];
        vertex = leader[vertex];
    }
    vertex
}

/// sRGB ink to linear RGBA, as glTF wants vertex colours.
pub fn linear(ink: Ink) -> [f32; 4] {
    let channel = |shift: u32| {
        let value = f64::from(ink >> shift & 0xFF) / 255.0;
        let linear = if value <= 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) };
        linear as f32
    };
    [channel(16), channel(8), channel(0), 1.0]
}

#[cfg(test)]
mod tests {
    use super::super::implicit::{ball, below};
    use super::*;

    #[test]
    fn a_ball_in_two_inks_is_closed_and_has_the_area_of_a_ball() {
        let mut sculpture = Sculpture::default();
        sculpture.add(1, 0.0, ball(Vec3::new(0.0, 0.5, 0.0), 0.5)).stamp(2, below(0.4));
        let detail = Detail { cell: 0.04, finest: 0.05, coarsest: 0.05, ..Detail::default() };
        let mut character = Character::new("other", "other", vec![]);
        let (vertices, triangles) = sculpted(&sculpture, &detail);
        let areas = [1, 2].map(|ink| {
            let of_ink = triangles.iter().filter(|t| vertices[t[0] as usize].ink == ink);
            let corners = of_ink.map(|t| t.map(|v| vertices[v as usize].position));
            corners.map(|[a, b, c]| (b - a).cross(&(c - a)).norm() / 2.0).sum::<f64>()
        });
        // A cap of height h has the area 2πrh: 0.6 of it are ink 1, 0.4 ink 2, less what the facets cut off.
        for (area, height) in areas.into_iter().zip([0.6, 0.4]) {
            let exact = std::f64::consts::PI * height;
            assert!(area < exact && area > 0.99 * exact, "{area} instead of {exact}");
        }
        character.add("ball", 0, (vertices, triangles));
        let statistics = Statistics::of(&character.mesh);
        assert_eq!(
            (statistics.boundary_edges, statistics.nonmanifold_edges, statistics.components),
            (0, 0, 1)
        );
        assert_eq!(statistics.welded_vertices, character.mesh.triangles.len() / 2 + 2, "Euler");
    }
}
