//! Wavefront OBJ.
//!
//! Where vertices go: a vertex of the mesh is a distinct combination of `v`, `vt` and `vn` within a part, and
//! they are numbered in the order of first use. A part is everything under one object or group name and one
//! material, also if the file comes back to it. A `v` that no face uses is kept: it goes to the part of the
//! first face that follows it (the last part if none does), behind the vertices of that part's faces.
//!
//! Six numbers in a `v` are a position and a displayed (sRGB) colour, seven add alpha; a fourth number alone
//! is the weight of rational curves and means nothing for polygons.

use super::color::SomeColors;
use super::corners::CornerNumbers;
use super::mtl::Library;
use super::text::{Text, shortened};
use super::{Fault, Folder, Problem};
use crate::Warning;
use crate::math::Vec3;
use crate::mesh::{Format, Mesh, Origin, Part, Triangulator, unit_or_zero};
use std::collections::HashMap;
use std::ops::Range;

/// Reads an OBJ file; its material libraries and images come from `folder`.
///
/// # Errors
/// A `Fault` with its line for what is not OBJ, for vertices that do not exist or are not finite, and if
/// there are no triangles. Normals and texture coordinates that are unusable count as absent.
pub fn read(bytes: &[u8], folder: &Folder, warnings: &mut Vec<Warning>) -> Result<Mesh, Fault> {
    let mut statements = Statements::read(bytes)?;
    statements.check_references()?;
    Ok(statements.assemble(folder, warnings))
}

/// In a corner: no texture coordinate, no normal.
const NONE: u32 = u32::MAX;

/// The most vertices and corners together, so that the vertices of the mesh can be counted with 32 bits.
const LIMIT: usize = u32::MAX as usize - 1;

/// The file as it is written: lists of attributes, and polygons whose corners refer to them.
#[derive(Default)]
struct Statements {
    positions: Vec<Vec3>,
    colors: SomeColors,
    texcoords: Vec<[f32; 2]>,
    /// Zero where the file has nonsense.
    normals: Vec<[f32; 3]>,
    /// Indices of position, texture coordinate and normal, from 0.
    corners: Vec<[u32; 3]>,
    faces: Vec<Face>,
    runs: Vec<Run>,
    parts: Vec<PartKey>,
    libraries: Vec<String>,
    findings: Findings,
}

struct Face {
    corners: Range<u32>,
    line: u32,
}

/// Consecutive faces of one part.
struct Run {
    part: usize,
    faces: Range<usize>,
    /// The positions that stand between the last face of the previous run and the last face of this one.
    positions: Range<usize>,
}

#[derive(Clone, PartialEq, Eq, Hash, Default)]
struct PartKey {
    name: String,
    material: Option<String>,
}

impl Statements {
    fn read(bytes: &[u8]) -> Result<Statements, Fault> {
        let mut all = Statements::default();
        let mut part_numbers: HashMap<PartKey, usize> = HashMap::new();
        let mut key = PartKey::default();
        let mut part_changed = true;
        let mut text = Text::new(bytes);
        while !text.is_done() {
            if text.at_line_end() {
                text.skip_line();
                continue;
            }
            let line = text.line();
            match text.word() {
                b"v" => all.read_vertex(&mut text, line)?,
                b"vt" => all.read_texcoord(&mut text)?,
                b"vn" => all.read_normal(&mut text)?,
                b"f" | b"fo" => {
                    if !all.read_face(&mut text, line)? {
                        all.findings.small_faces += 1;
                    } else if part_changed {
                        let part = *part_numbers.entry(key.clone()).or_insert_with(|| {
                            all.parts.push(key.clone());
                            all.parts.len() - 1
                        });
                        all.start_run(part);
                        part_changed = false;
                    } else if let Some(run) = all.runs.last_mut() {
                        run.faces.end = all.faces.len();
                        run.positions.end = all.positions.len();
                    }
                }
                b"o" | b"g" => {
                    key.name = text.rest_of_line();
                    part_changed = true;
                }
                b"usemtl" => {
                    key.material = Some(text.rest_of_line()).filter(|name| !name.is_empty());
                    part_changed = true;
                }
                b"mtllib" => all.libraries.extend(library_names(&text.rest_of_line())),
                // Smoothing groups only say how to make normals where the file has none.
                b"s" => {}
                b"l" => all.findings.lines += 1,
                b"p" => all.findings.points += 1,
                keyword => all.findings.skip(keyword, line),
            }
            // What is left is not needed: a third texture coordinate, a comment, a statement not known.
            if text.at_line_end() { text.skip_line() } else { text.skip_statement() }
        }
        if let Some(run) = all.runs.last_mut() {
            run.positions.end = all.positions.len();
        }
        Ok(all)
    }

    fn start_run(&mut self, part: usize) {
        let positions_start = self.runs.last().map_or(0, |run| run.positions.end);
        let faces = self.faces.len() - 1..self.faces.len();
        self.runs.push(Run { part, faces, positions: positions_start..self.positions.len() });
    }

    #[inline]
    fn read_vertex(&mut self, text: &mut Text, line: usize) -> Result<(), Fault> {
        let position = Vec3::new(text.number()?, text.number()?, text.number()?);
        if !position.iter().all(|c| c.is_finite()) {
            let problem = Problem::NotFinite { what: "vertex", index: self.positions.len() + 1 };
            return Err(Fault::line(line, problem));
        }
        if !text.at_line_end() {
            self.read_vertex_color(text)?;
        }
        self.positions.push(position);
        Ok(())
    }

    /// What follows the position in a `v`.
    fn read_vertex_color(&mut self, text: &mut Text) -> Result<(), Fault> {
        let mut values = [0.0; 4];
        let mut count = 0;
        while count < 4 && !text.at_line_end() {
            values[count] = text.number()?;
            count += 1;
        }
        self.colors.push(self.positions.len(), &values[..count]);
        Ok(())
    }

    fn read_texcoord(&mut self, text: &mut Text) -> Result<(), Fault> {
        let u = text.number()? as f32;
        let v = if text.at_line_end() { 0.0 } else { text.number()? as f32 };
        let is_usable = u.is_finite() && v.is_finite();
        self.findings.bad_texcoords += usize::from(!is_usable);
        // glTF counts v from the image's upper edge.
        self.texcoords.push(if is_usable { [u, 1.0 - v] } else { [0.0; 2] });
        Ok(())
    }

    fn read_normal(&mut self, text: &mut Text) -> Result<(), Fault> {
        let normal = [text.number()?, text.number()?, text.number()?];
        self.findings.bad_normals += usize::from(!normal.iter().all(|c| c.is_finite()));
        self.normals.push(unit_or_zero(normal));
        Ok(())
    }

    /// Reads the corners of a face; false, and nothing is kept, if there are fewer than three.
    #[inline]
    fn read_face(&mut self, text: &mut Text, line: usize) -> Result<bool, Fault> {
        let start = self.corners.len();
        while !text.at_line_end() {
            let Some(index) = text.integer() else { return Err(text.unexpected("the number of a vertex")) };
            let Some(position) = resolved(index, self.positions.len()) else {
                return Err(self.no_such_vertex(index, line));
            };
            let mut corner = [position, NONE, NONE];
            if text.peek() == b'/' {
                text.bump();
                if let Some(index) = text.integer() {
                    corner[1] = self.optional(index, self.texcoords.len());
                }
                if text.peek() == b'/' {
                    text.bump();
                    if let Some(index) = text.integer() {
                        corner[2] = self.optional(index, self.normals.len());
                    }
                }
            }
            if !text.at_word_end() {
                return Err(text.unexpected("a blank between corners"));
            }
            self.corners.push(corner);
        }
        if self.corners.len() - start < 3 {
            self.corners.truncate(start);
            return Ok(false);
        }
        if self.corners.len() + self.positions.len() > LIMIT {
            let problem = Problem::TooMany { what: "vertices and polygon corners", limit: LIMIT as u64 };
            return Err(Fault::line(line, problem));
        }
        let corners = start as u32..self.corners.len() as u32;
        self.faces.push(Face { corners, line: u32::try_from(line).unwrap_or(u32::MAX) });
        Ok(true)
    }

    fn optional(&mut self, index: i64, count: usize) -> u32 {
        resolved(index, count).unwrap_or_else(|| {
            self.findings.bad_references += 1;
            NONE
        })
    }

    #[cold]
    fn no_such_vertex(&self, index: i64, line: usize) -> Fault {
        Fault::line(line, Problem::IndexOutOfRange { what: "vertex", index, count: self.positions.len() })
    }

    /// Faces may stand before their vertices, so that indices can be judged only at the end.
    fn check_references(&mut self) -> Result<(), Fault> {
        if self.faces.is_empty() {
            return Err(Fault::whole(Problem::NoTriangles));
        }
        let (positions, texcoords, normals) =
            (self.positions.len(), self.texcoords.len(), self.normals.len());
        if let Some(bad) = self.corners.iter().position(|corner| corner[0] as usize >= positions) {
            let face = self.faces.partition_point(|face| face.corners.end as usize <= bad);
            let line = self.faces[face].line as usize;
            return Err(self.no_such_vertex(i64::from(self.corners[bad][0]) + 1, line));
        }
        for corner in &mut self.corners {
            for (index, count) in [(1, texcoords), (2, normals)] {
                if corner[index] != NONE && corner[index] as usize >= count {
                    corner[index] = NONE;
                    self.findings.bad_references += 1;
                }
            }
        }
        Ok(())
    }

    /// Turns corners into vertices and polygons into triangles, part by part.
    fn assemble(mut self, folder: &Folder, warnings: &mut Vec<Warning>) -> Mesh {
        let (colors, bad_colors) = std::mem::take(&mut self.colors).into_linear(self.positions.len());
        self.findings.bad_colors = bad_colors;
        self.findings.report(warnings);
        let mut is_used = vec![false; self.positions.len()];
        for corner in &self.corners {
            is_used[corner[0] as usize] = true;
        }
        let has_texcoords = self.corners.iter().any(|corner| corner[1] != NONE);
        let has_normals = self.corners.iter().any(|corner| corner[2] != NONE);

        let mut mesh =
            Mesh { origin: Origin { format: Format::Obj, ..Origin::default() }, ..Mesh::default() };
        mesh.positions.reserve(self.positions.len());
        mesh.triangles.reserve(self.corners.len() - 2 * self.faces.len());
        let mut numbers = CornerNumbers::new(self.positions.len());
        let mut vertex = |mesh: &mut Mesh, corner: [u32; 3]| {
            let number = numbers.vertex(corner, mesh.parts.len());
            if number as usize == mesh.positions.len() {
                let [position, texcoord, normal] = corner.map(|index| index as usize);
                mesh.positions.push(self.positions[position]);
                if has_texcoords {
                    mesh.appearance.texcoords.push(self.texcoords.get(texcoord).copied().unwrap_or_default());
                }
                if has_normals {
                    mesh.appearance.normals.push(self.normals.get(normal).copied().unwrap_or_default());
                }
                if let Some(&color) = colors.get(position) {
                    mesh.appearance.colors.push(color);
                }
            }
            number
        };

        self.runs.sort_by_key(|run| run.part);
        let mut polygon = Vec::new();
        let mut triangulator = Triangulator::default();
        for runs in self.runs.chunk_by(|a, b| a.part == b.part) {
            let (first_vertex, first_triangle) = (mesh.positions.len(), mesh.triangles.len());
            for face in runs.iter().flat_map(|run| &self.faces[run.faces.clone()]) {
                polygon.clear();
                for &corner in &self.corners[face.corners.start as usize..face.corners.end as usize] {
                    polygon.push(vertex(&mut mesh, corner));
                }
                triangulator.triangulate(&polygon, &mesh.positions, &mut mesh.triangles);
            }
            for position in runs.iter().flat_map(|run| run.positions.clone()) {
                if !is_used[position] {
                    vertex(&mut mesh, [position as u32, NONE, NONE]);
                }
            }
            mesh.parts.push(Part {
                name: self.parts[runs[0].part].name.clone(),
                vertices: first_vertex..mesh.positions.len(),
                triangles: first_triangle..mesh.triangles.len(),
                ..Part::default()
            });
        }
        self.add_materials(&mut mesh, folder, warnings);
        mesh
    }

    fn add_materials(&self, mesh: &mut Mesh, folder: &Folder, warnings: &mut Vec<Warning>) {
        let mut library = Library::load(&self.libraries, folder, warnings);
        let mut known: HashMap<&str, usize> = HashMap::new();
        for (part, key) in mesh.parts.iter_mut().zip(&self.parts) {
            part.material = key.material.as_ref().map(|name| {
                *known.entry(name).or_insert_with(|| library.material(name, &mut mesh.appearance, warnings))
            });
        }
    }
}

/// An index of the file, which counts from 1, or back from the latest with negative numbers, as an index from
/// 0; `None` if it can never exist. It may not exist yet.
#[inline]
fn resolved(index: i64, count: usize) -> Option<u32> {
    let from_zero = if index > 0 { index - 1 } else { index + count as i64 };
    (index != 0 && (0..LIMIT as i64).contains(&from_zero)).then_some(from_zero as u32)
}

/// The files of a `mtllib` line. Names may contain blanks and are separated by blanks, so a name ends where
/// `.mtl` does.
fn library_names(line: &str) -> Vec<String> {
    let mut names = Vec::new();
    let mut name = String::new();
    for piece in line.split_inclusive([' ', '\t']) {
        name.push_str(piece);
        if piece.trim_end().to_ascii_lowercase().ends_with(".mtl") {
            names.push(std::mem::take(&mut name));
        }
    }
    names.push(name);
    names.iter().map(|name| name.trim().to_owned()).filter(|name| !name.is_empty()).collect()
}

/// What is worth a warning, counted.
#[derive(Default)]
struct Findings {
    bad_texcoords: usize,
    bad_normals: usize,
    bad_colors: usize,
    bad_references: usize,
    small_faces: usize,
    lines: usize,
    points: usize,
    skipped: Option<(usize, usize, String)>,
}

impl Findings {
    fn skip(&mut self, keyword: &[u8], line: usize) {
        let skipped = self.skipped.get_or_insert_with(|| (0, line, shortened(keyword)));
        skipped.0 += 1;
    }

    fn report(&mut self, warnings: &mut Vec<Warning>) {
        let not_finite = "they are not finite numbers";
        for (what, count, reason) in [
            ("texture coordinates", self.bad_texcoords, not_finite),
            ("normals", self.bad_normals, not_finite),
            ("vertex colours", self.bad_colors, not_finite),
            ("references to texture coordinates and normals", self.bad_references, "these do not exist"),
        ] {
            if count > 0 {
                warnings.push(Warning::Dropped { what, count, reason });
            }
        }
        for (what, count) in [
            ("faces with fewer than three corners", self.small_faces),
            ("lines", self.lines),
            ("points", self.points),
        ] {
            if count > 0 {
                warnings.push(Warning::Ignored { what, count });
            }
        }
        if let Some((count, first_line, keyword)) = self.skipped.take() {
            warnings.push(Warning::SkippedLines { count, first_line, keyword });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn load(text: &str) -> (Mesh, Vec<Warning>) {
        let mut warnings = vec![];
        let mesh =
            read(text.as_bytes(), &Folder::none(), &mut warnings).unwrap_or_else(|fault| panic!("{fault:?}"));
        assert_eq!(mesh.broken_invariant(), None);
        (mesh, warnings)
    }

    /// A right triangle and, for its neighbours, a fourth vertex; then `text`.
    fn with_square(text: &str) -> (Mesh, Vec<Warning>) {
        load(&format!("v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n{text}"))
    }

    fn fault(text: &str) -> String {
        let fault = read(text.as_bytes(), &Folder::none(), &mut vec![]).unwrap_err();
        format!("{}{}", fault.problem.without_general_way_out(), fault.at)
    }

    #[test]
    fn corners_in_all_four_spellings() {
        for face in [
            "f 1 2 3",
            "f 1/1 2/2 3/3",
            "f 1//1 2//1 3//1",
            "f 1/1/1 2/2/1 3/3/1",
            "f 1/ 2/ 3/",
            "f 1// 2// 3//",
        ] {
            let (mesh, warnings) = load(&format!(
                "v 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0.25 0.75\nvt 1 0\nvt 0 1 0\nvn 0 0 2\n{face}\n"
            ));
            assert_eq!(mesh.triangles, [[0, 1, 2]]);
            assert_eq!(warnings, []);
            let looks = &mesh.appearance;
            if face.contains("1/1") {
                assert_eq!(looks.texcoords, [[0.25, 0.25], [1.0, 1.0], [0.0, 0.0]]);
            } else {
                assert!(looks.texcoords.is_empty());
            }
            if face.contains("/1 ") && !face.contains("f 1/1 ") {
                assert_eq!(looks.normals, [[0.0, 0.0, 1.0]; 3]);
            } else {
                assert!(looks.normals.is_empty());
            }
        }
    }

    #[test]
    fn a_corner_without_normal_among_others_has_none() {
        let (mesh, _) = with_square("vn 0 0 1\nf 1//1 2 3//1");
        assert_eq!(mesh.appearance.normals, [[0.0, 0.0, 1.0], [0.0; 3], [0.0, 0.0, 1.0], [0.0; 3]]);
    }

    #[test]
    fn polygons_become_triangles() {
        assert_eq!(with_square("f 1 2 3 4").0.triangles, [[0, 1, 2], [0, 2, 3]]);
        let (arrow, _) = load("v 0 0 0\nv 1 1 0\nv 0 4 0\nv -1 1 0\nv 0 2 0\nf 2 3 4 5");
        assert_eq!(arrow.triangles.len(), 2);
        assert!(arrow.triangles.iter().all(|t| t.contains(&1) && t.contains(&3)), "{:?}", arrow.triangles);
    }

    #[test]
    fn negative_indices_count_back_and_positive_ones_may_come_first() {
        let (mesh, _) = load("v 9 9 9\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf -3 -2 -1\nv 8 8 8");
        assert_eq!(mesh.positions[..3], [Vec3::zeros(), Vec3::x(), Vec3::y()]);
        let (mesh, _) = load("f 1/1 2/1 3/1\nv 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0");
        assert_eq!(mesh.positions, [Vec3::zeros(), Vec3::x(), Vec3::y()]);
    }

    #[test]
    fn layout_of_the_text_does_not_matter() {
        let (plain, _) = load("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
        for text in [
            "\u{feff}v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3",
            "v 0 0 0\r\nv 1 0 0\r\nv 0 1 0\r\nf 1 2 3\r\n",
            "v 0 0 0\rv 1 0 0\rv 0 1 0\rf 1 2 3\r",
            "# made in C:\\models\\\n\tv\t0  0 0 # origin\n\nv 1 0 \\\n 0\nv 0 1 0\nf 1 2\\\r\n3\n",
        ] {
            let (mesh, warnings) = load(text);
            assert_eq!((&mesh.positions, &mesh.triangles), (&plain.positions, &plain.triangles), "{text:?}");
            assert_eq!(warnings, []);
        }
    }

    #[test]
    fn colours_become_linear_and_a_weight_is_none() {
        let (mesh, _) = load("v 0 0 0 0 1 0.5\nv 1 0 0 1\nv 0 1 0 1 0 0 0.5\nf 1 2 3");
        let colors = &mesh.appearance.colors;
        assert_eq!(
            (colors[0][..2].to_vec(), colors[1], colors[2]),
            (vec![0.0, 1.0], [1.0; 4], [1.0, 0.0, 0.0, 0.5])
        );
        assert!((colors[0][2] - 0.21404).abs() < 1e-4);
    }

    #[test]
    fn seams_split_vertices_and_nothing_else_does() {
        let (mesh, _) = with_square("vt 0 0\nvt 1 1\nf 1/1 2/1 3/1\nf 1/2 3/1 4/1\nf 1/2 3/1 4/1");
        assert_eq!(mesh.triangles, [[0, 1, 2], [3, 2, 4], [3, 2, 4]]);
        assert_eq!(mesh.positions[0], mesh.positions[3]);
    }

    #[test]
    fn parts_follow_names_and_materials_and_come_together_again() {
        let (mesh, _) = with_square(
            "o body\nusemtl red paint\ns 1\nf 1 2 3\ng head\nf 1 3 4\no body\nf 2 3 4\nusemtl blue\nf 1 2 4\ns off",
        );
        let parts: Vec<_> = mesh
            .parts
            .iter()
            .map(|p| (p.name.as_str(), p.vertices.clone(), p.triangles.clone(), p.material))
            .collect();
        assert_eq!(
            parts,
            [("body", 0..4, 0..2, Some(0)), ("head", 4..7, 2..3, Some(0)), ("body", 7..10, 3..4, Some(1)),]
        );
        assert_eq!(
            mesh.appearance.materials.iter().map(|m| m.name.as_str()).collect::<Vec<_>>(),
            ["red paint", "blue"]
        );
    }

    #[test]
    fn vertices_without_faces_go_to_the_part_of_the_next_face() {
        let (mesh, _) = load(
            "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 5 0 0\ng a\nf 1 2 3\nv 6 0 0\ng b\nv 7 0 0\nf 1 2 3\nv 8 0 0\n",
        );
        assert_eq!(mesh.parts.iter().map(|p| p.vertices.clone()).collect::<Vec<_>>(), [0..4, 4..10]);
        assert_eq!(mesh.positions[3].x, 5.0);
        assert_eq!(mesh.positions[7..].iter().map(|p| p.x).collect::<Vec<_>>(), [6.0, 7.0, 8.0]);
    }

    #[test]
    fn what_is_no_surface_is_counted() {
        let (_, warnings) = with_square("f 1 2 3\nf 1 2\nl 1 2\nl 2 3\np 1\ncurv 0 1 \\\n 1 2\nfoo\nf");
        let sentences: Vec<String> = warnings.iter().map(|w| w.to_string()).collect();
        assert_eq!(
            sentences,
            [
                "faces with fewer than three corners were left out because they are not part of a surface: 2",
                "lines were left out because they are not part of a surface: 2",
                "points were left out because they are not part of a surface: 1",
                "2 lines were skipped, the first is line 10 ('curv')",
            ]
        );
    }

    #[test]
    fn unusable_normals_and_texture_coordinates_count_as_absent() {
        let (mesh, warnings) =
            with_square("vt nan 0\nvt 1e300 0\nvn 0 -nan(ind) 1\nvn 0 0 1\nf 1/1/1 2/2/2 3/7/-5");
        assert_eq!(mesh.appearance.normals[..3], [[0.0; 3], [0.0, 0.0, 1.0], [0.0; 3]]);
        let sentences: Vec<String> = warnings.iter().map(|w| w.to_string()).collect();
        assert_eq!(
            sentences,
            [
                "texture coordinates were left out because they are not finite numbers: 2",
                "normals were left out because they are not finite numbers: 1",
                "references to texture coordinates and normals were left out because these do not exist: 2",
            ]
        );
    }

    #[test]
    fn faults_name_the_line() {
        assert_eq!(
            fault("v 0 0 0\nv 0 nan 0"),
            "vertex 2 is not a finite number; delete or mend it in the program that made the file, line 2"
        );
        assert!(fault("v 1e999 0 0").starts_with("vertex 1 is not a finite number"));
        assert_eq!(
            fault("v 0 0 0\nf 1 2 1\nv 0 0 0\nf 1 2 3"),
            "vertex 3 does not exist, there are 2, line 4"
        );
        assert_eq!(fault("v 0 0 0\nf 1 -2 1"), "vertex -2 does not exist, there are 1, line 2");
        assert_eq!(fault("v 0 0 0\nf 0 1 1"), "vertex 0 does not exist, there are 1, line 2");
        assert_eq!(
            fault("f 1 2 99999999999999999999"),
            "vertex 9223372036854775807 does not exist, there are 0, line 1"
        );
        assert_eq!(fault("v 0 0\n"), "expected a number, found 'the end of the line', line 1");
        assert_eq!(fault("v 0 0 x"), "expected a number, found 'x', line 1");
        assert_eq!(fault("f a b c"), "expected the number of a vertex, found 'a', line 1");
        assert_eq!(fault("v 0 0 0\nf 1.5 1 1"), "expected a blank between corners, found '.5', line 2");
        for nothing in ["v 0 0 0", "v 0 0 0\nf 1 1", "hello", "\0\0\0"] {
            assert_eq!(fault(nothing), "it contains no triangles; puppetry needs the surface of a character");
        }
    }

    #[test]
    fn library_names_may_have_blanks() {
        assert_eq!(library_names("a.mtl  my lib.MTL b.mtl"), ["a.mtl", "my lib.MTL", "b.mtl"]);
        assert_eq!(library_names("materials"), ["materials"]);
        assert_eq!(library_names(" "), [""; 0]);
    }

    #[test]
    fn materials_come_from_the_libraries() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("my lib.mtl"), "newmtl skin\nPr 0.5\nmap_Kd skin.png").unwrap();
        fs::write(dir.path().join("skin.png"), b"\x89PNG").unwrap();
        let folder = Folder::of(&dir.path().join("a.obj"));
        let text = b"mtllib my lib.mtl gone.mtl\nmtllib my lib.mtl\nv 0 0 0\nusemtl skin\nf 1 1 1\nusemtl other\nf 1 1 1";
        let mut warnings = vec![];
        let mesh = read(text, &folder, &mut warnings).unwrap();
        assert_eq!(mesh.broken_invariant(), None);
        let [skin, other] = &mesh.appearance.materials[..] else { panic!("two materials") };
        assert_eq!((skin.roughness, skin.base_color_image, other.roughness), (0.5, Some(0), 1.0));
        assert_eq!(warnings.len(), 1);
        assert!(
            warnings[0]
                .to_string()
                .starts_with("the material library 'gone.mtl' was left out (no such file)")
        );
    }
}
