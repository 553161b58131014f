//! The file as it is written: attributes, and polygons whose corners refer to them.

use crate::Warning;
use crate::io::color::SomeColors;
use crate::io::left_out::{NOT_FINITE, SMALL_FACES, dropped, ignored};
use crate::io::text::{Text, shortened};
use crate::io::{Fault, Problem};
use crate::math::Vec3;
use crate::mesh::unit_or_zero;
use std::collections::HashMap;
use std::ops::Range;

/// In a corner: no texture coordinate, no normal.
pub(super) const NONE: u32 = u32::MAX;

/// The most vertices and corners together, so that the vertices of the mesh can be counted with 32 bits.
const LIMIT: usize = u32::MAX as usize - 1;

/// The file as it is written: lists of attributes, and polygons whose corners refer to them.
#[derive(Default)]
pub(super) struct Statements {
    pub positions: Vec<Vec3>,
    pub colors: SomeColors,
    pub texcoords: Vec<[f32; 2]>,
    /// Zero where the numbers are unusable.
    pub normals: Vec<[f32; 3]>,
    /// Indices of position, texture coordinate and normal, from 0.
    pub corners: Vec<[u32; 3]>,
    pub faces: Vec<Face>,
    pub runs: Vec<Run>,
    pub parts: Vec<PartKey>,
    pub libraries: Vec<String>,
    pub findings: Findings,
}

pub(super) struct Face {
    pub corners: Range<u32>,
    line: u32,
}

/// Consecutive faces of one part.
pub(super) struct Run {
    pub part: usize,
    pub faces: Range<usize>,
    /// The positions that stand between the last face of the previous run and the last face of this one.
    pub positions: Range<usize>,
}

#[derive(Clone, PartialEq, Eq, Hash, Default)]
pub(super) struct PartKey {
    pub name: String,
    pub material: Option<String>,
}

impl Statements {
    pub fn read(bytes: &[u8]) -> Result<Statements, Fault> {
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
    pub fn check_references(&mut self) -> Result<(), Fault> {
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
pub(super) fn library_names(line: &str) -> Vec<String> {
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
pub(super) struct Findings {
    bad_texcoords: usize,
    bad_normals: usize,
    pub bad_colors: usize,
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

    pub fn report(&mut self, warnings: &mut Vec<Warning>) {
        dropped(warnings, "texture coordinates", self.bad_texcoords, NOT_FINITE);
        dropped(warnings, "normals", self.bad_normals, NOT_FINITE);
        dropped(warnings, "vertex colours", self.bad_colors, NOT_FINITE);
        let what = "references to texture coordinates and normals";
        dropped(warnings, what, self.bad_references, "these do not exist");
        ignored(warnings, SMALL_FACES, self.small_faces);
        ignored(warnings, "lines", self.lines);
        ignored(warnings, "points", self.points);
        if let Some((count, first_line, keyword)) = self.skipped.take() {
            warnings.push(Warning::SkippedLines { count, first_line, keyword });
        }
    }
}
