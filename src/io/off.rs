//! Object File Format of Geomview, as it is written today.
//!
//! The keyword says what a vertex has: `[ST][C][N]OFF`; the numbers of a vertex are its position, its normal,
//! its colour, its texture coordinates. Colours come as three or four numbers, in 0..255 or 0..1, and with or
//! without a `C` in the keyword, so that the numbers left in a vertex's line decide. They are displayed
//! (sRGB) colours.

use super::color::SomeColors;
use super::left_out::{NOT_FINITE, SMALL_FACES, dropped, ignored};
use super::text::Text;
use super::{Fault, Problem};
use crate::Warning;
use crate::math::Vec3;
use crate::mesh::{Format, Mesh, Origin, Part, Triangulator, unit_or_zero};

/// Reads an OFF file.
///
/// # Errors
/// A `Fault` with its line for what is not OFF, missing data, vertices that do not exist or are not finite,
/// binary files, dimensions other than three, and if there are no triangles.
pub fn read(bytes: &[u8], warnings: &mut Vec<Warning>) -> Result<Mesh, Fault> {
    let mut text = Text::new(bytes);
    text.skip_to_word();
    let keyword = Keyword::read(&mut text)?;
    let vertex_count = count(&mut text, "the number of vertices")?;
    let face_count = count(&mut text, "the number of faces")?;
    // The number of edges is often wrong or missing, and is not used.
    text.skip_line();

    let mut mesh = Mesh { origin: Origin { format: Format::Off, ..Origin::default() }, ..Mesh::default() };
    let mut vertices = Vertices { keyword, mesh: &mut mesh, colors: SomeColors::default(), bad_values: 0 };
    let vertex_count = require(&text, "vertices", vertex_count, "0 0 0\n".len())?;
    vertices.mesh.positions.reserve_exact(vertex_count);
    for _ in 0..vertex_count {
        vertices.read(&mut text)?;
    }
    let bad_values = vertices.bad_values;
    let (colors, bad_colors) = vertices.colors.into_linear(vertex_count);
    mesh.appearance.colors = colors;

    let (mut small_faces, mut face_colors) = (0, 0);
    let mut triangulator = Triangulator::default();
    let mut polygon = Vec::new();
    for _ in 0..require(&text, "faces", face_count, "0\n".len())? {
        read_polygon(&mut text, vertex_count, &mut polygon)?;
        small_faces += usize::from(polygon.len() < 3);
        face_colors += usize::from(!text.at_line_end());
        text.skip_line();
        triangulator.triangulate(&polygon, &mesh.positions, &mut mesh.triangles);
    }
    if mesh.triangles.is_empty() {
        return Err(Fault::whole(Problem::NoTriangles));
    }
    mesh.parts.push(Part {
        vertices: 0..vertex_count,
        triangles: 0..mesh.triangles.len(),
        ..Part::default()
    });

    dropped(warnings, "normals or texture coordinates", bad_values, NOT_FINITE);
    dropped(warnings, "vertex colours", bad_colors, NOT_FINITE);
    dropped(warnings, "face colours", face_colors, "only colours of vertices are read");
    ignored(warnings, SMALL_FACES, small_faces);
    Ok(mesh)
}

/// The attributes that the keyword declares.
struct Keyword {
    has_normals: bool,
    has_texcoords: bool,
}

/// True if the file begins with `OFF` in one of its forms.
pub(super) fn is_off(bytes: &[u8]) -> bool {
    let mut text = Text::new(bytes);
    text.skip_to_word();
    prefix(text.remaining()).is_some_and(|length| {
        !text.remaining().get(length).is_some_and(|next| next.is_ascii_alphabetic() || *next == b'_')
    })
}

/// The length of the keyword, `OFF` included.
fn prefix(bytes: &[u8]) -> Option<usize> {
    let mut length = 0;
    for letters in ["ST", "C", "N", "4", "n"] {
        length += if bytes[length..].starts_with(letters.as_bytes()) { letters.len() } else { 0 };
    }
    bytes[length..].starts_with(b"OFF").then_some(length + 3)
}

impl Keyword {
    /// Data sets in circulation have the counts glued to the keyword: `OFF8 6 12`.
    fn read(text: &mut Text) -> Result<Keyword, Fault> {
        let Some(length) = prefix(text.remaining()) else { return Err(text.unexpected("'OFF'")) };
        let word = &text.remaining()[..length];
        let line = text.line();
        if word.contains(&b'4') || word.contains(&b'n') {
            let feature = "a dimension other than three".to_owned();
            let way_out = "save it with three coordinates for each vertex";
            return Err(Fault::line(line, Problem::Unsupported { feature, way_out }));
        }
        let keyword = Keyword { has_normals: word.contains(&b'N'), has_texcoords: word.starts_with(b"ST") };
        (0..length).for_each(|_| text.bump());
        let mut ahead = text.clone();
        if ahead.word() == b"BINARY" {
            let feature = "the binary form of OFF".to_owned();
            let way_out = "save it as ascii OFF or as PLY";
            return Err(Fault::line(line, Problem::Unsupported { feature, way_out }));
        }
        Ok(keyword)
    }
}

fn count(text: &mut Text, expected: &'static str) -> Result<u64, Fault> {
    text.skip_to_word();
    text.count(expected)
}

/// The count as an index type, if so many can be there. The last line end may be missing.
fn require(text: &Text, what: &'static str, count: u64, least_size: usize) -> Result<usize, Fault> {
    let needed = count.saturating_mul(least_size as u64).saturating_sub(1);
    let available = text.remaining().len() as u64;
    if needed > available {
        return Err(Fault::line(text.line(), Problem::Truncated { what, needed, available }));
    }
    if count > LIMIT {
        return Err(Fault::line(text.line(), Problem::TooMany { what, limit: LIMIT }));
    }
    Ok(count as usize)
}

/// Vertices and triangles are counted with 32 bits. A triangle takes no fewer bytes than a corner, two.
const LIMIT: u64 = u32::MAX as u64;

struct Vertices<'a> {
    keyword: Keyword,
    mesh: &'a mut Mesh,
    colors: SomeColors,
    bad_values: usize,
}

impl Vertices<'_> {
    fn read(&mut self, text: &mut Text) -> Result<(), Fault> {
        let position = Vec3::from(vector(text)?);
        let index = self.mesh.positions.len();
        if !position.iter().all(|c| c.is_finite()) {
            return Err(Fault::line(text.line(), Problem::NotFinite { what: "vertex", index }));
        }
        self.mesh.positions.push(position);
        if self.keyword.has_normals {
            let normal = vector(text)?;
            self.bad_values += usize::from(!normal.iter().all(|c| c.is_finite()));
            self.mesh.appearance.normals.push(unit_or_zero(normal));
        }
        // A colour and texture coordinates are six numbers at most.
        let mut rest = [0.0; 6];
        let mut length = 0;
        while length < rest.len() && !text.at_line_end() {
            rest[length] = text.number()?;
            length += 1;
        }
        if self.keyword.has_texcoords {
            length = length.checked_sub(2).ok_or_else(|| text.unexpected("texture coordinates"))?;
            // OFF has the image's lower edge at 0, glTF the upper one.
            let texcoord = [rest[length] as f32, (1.0 - rest[length + 1]) as f32];
            let is_usable = texcoord.iter().all(|c| c.is_finite());
            self.bad_values += usize::from(!is_usable);
            self.mesh.appearance.texcoords.push(if is_usable { texcoord } else { [0.0; 2] });
        }
        self.colors.push(index, &rest[..length]);
        text.skip_line();
        Ok(())
    }
}

fn vector(text: &mut Text) -> Result<[f64; 3], Fault> {
    let mut vector = [0.0; 3];
    for component in &mut vector {
        text.skip_to_word();
        *component = text.number()?;
    }
    Ok(vector)
}

fn read_polygon(text: &mut Text, vertex_count: usize, polygon: &mut Vec<u32>) -> Result<(), Fault> {
    polygon.clear();
    let corners = count(text, "the number of corners of a face")?;
    for _ in 0..require(text, "corners", corners, " 0".len())? {
        text.skip_to_word();
        let Some(index) = text.integer() else { return Err(text.unexpected("the number of a vertex")) };
        match u32::try_from(index) {
            Ok(vertex) if (vertex as usize) < vertex_count => polygon.push(vertex),
            _ => {
                let problem = Problem::IndexOutOfRange { what: "vertex", index, count: vertex_count };
                return Err(Fault::line(text.line(), problem));
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn load(text: &str) -> (Mesh, Vec<Warning>) {
        let mut warnings = vec![];
        let mesh = read(text.as_bytes(), &mut warnings).unwrap_or_else(|fault| panic!("{text}: {fault:?}"));
        assert_eq!(mesh.broken_invariant(), None);
        (mesh, warnings)
    }

    fn fault(text: &str) -> String {
        read(text.as_bytes(), &mut vec![]).unwrap_err().without_way_out()
    }

    #[test]
    fn counts_stand_behind_the_keyword_or_below() {
        for start in
            ["OFF\n3 1 3\n", "OFF 3 1 3\n", "OFF3 1 3\n", "# c\n\nOFF # c\n# c\n3 1\n", "OFF\r\n3\r\n1 0\r\n"]
        {
            let (mesh, warnings) = load(&format!("{start}0 0 0 # c\n1 0 0\n\n0 1 0\n3 0 1 2"));
            assert_eq!(mesh.positions, [Vec3::zeros(), Vec3::x(), Vec3::y()]);
            assert_eq!((mesh.triangles, warnings), (vec![[0, 1, 2]], vec![]));
        }
    }

    #[test]
    fn polygons_become_triangles() {
        let (mesh, warnings) = load("OFF\n4 2 0\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n4 0 1 2 3\n2 0 1\n");
        assert_eq!(mesh.triangles, [[0, 1, 2], [0, 2, 3]]);
        assert_eq!(
            warnings[0].to_string(),
            "faces with fewer than three corners were left out because they are not part of a surface: 1"
        );
    }

    #[test]
    fn colours_have_either_scale_and_need_no_keyword() {
        for keyword in ["OFF", "COFF"] {
            for (red, blue) in [("255 0 0", "0 0 255 51"), ("1.0 0 0", "0 0 1.0 0.2")] {
                let (mesh, _) = load(&format!("{keyword}\n3 1 0\n0 0 0 {red}\n0 0 0 {blue}\n0 0 0\n3 0 1 2"));
                assert_eq!(mesh.appearance.colors, [[1.0, 0.0, 0.0, 1.0], [0.0, 0.0, 1.0, 0.2], [1.0; 4]]);
            }
        }
    }

    #[test]
    fn all_attributes_come_in_their_order() {
        let (mesh, warnings) =
            load(&format!("STCNOFF\n3 1 0\n{}3 0 1 2\n", "0 0 0 0 0 2 1 0 0 1 0.25 0.25\n".repeat(3)));
        let looks = &mesh.appearance;
        assert_eq!(
            (looks.normals[2], looks.texcoords[2], looks.colors[2]),
            ([0.0, 0.0, 1.0], [0.25, 0.75], [1.0, 0.0, 0.0, 1.0])
        );
        assert_eq!(warnings, []);
        let (mesh, warnings) = load("NOFF\n1 1 0\n0 0 0 nan 0 1\n3 0 0 0 0.5 0.5 0.5\n");
        assert_eq!(mesh.appearance.normals, [[0.0; 3]]);
        let sentences: Vec<String> = warnings.iter().map(|w| w.to_string()).collect();
        assert_eq!(
            sentences,
            [
                "normals or texture coordinates were left out because they are not finite numbers: 1",
                "face colours were left out because only colours of vertices are read: 1"
            ]
        );
    }

    #[test]
    fn faults_name_the_line() {
        let four = "it uses a dimension other than three, which puppetry does not read, line 1";
        let binary = "it uses the binary form of OFF, which puppetry does not read, line 1";
        for (text, message) in [
            ("FOO\n", "expected 'OFF', found 'FOO', line 1"),
            ("4OFF\n", four),
            ("nOFF\n3\n", four),
            ("OFF BINARY\n", binary),
            ("OFF\nx", "expected the number of vertices, found 'x', line 2"),
            ("OFF\n3", "expected the number of faces, found 'the end of the file', line 2"),
            ("OFF\n-3 1 0", "expected the number of vertices, found '-3', line 2"),
            ("OFF\n4000000000 1 0\n0 0 0\n", "vertices need 23999999999 bytes but only 6 are left, line 3"),
            ("OFF\n1 9 0\n0 0 0\n3 0 0 0\n", "faces need 17 bytes but only 8 are left, line 4"),
            ("OFF\n1 1 0\n0 0 0\n30 0 0 0\n", "corners need 59 bytes but only 7 are left, line 4"),
            ("OFF\n1 1 0\n0 inf 0\n3 0 0 0\n", "vertex 0 is not a finite number, line 3"),
            ("OFF\n1 1 0\n0 0 0\n3 0 0 1\n", "vertex 1 does not exist, there are 1, line 4"),
            ("OFF\n1 1 0\n0 0 0\n3 0 0 -1\n", "vertex -1 does not exist, there are 1, line 4"),
            ("OFF\n1 1 0\n0 0 0\n3 0 0 x\n", "expected the number of a vertex, found 'x', line 4"),
            ("OFF\n1 1 0\n0 0 0\nx\n", "expected the number of corners of a face, found 'x', line 4"),
            ("OFF\n1 1 0\n0 x 0\n3 0 0 0\n", "expected a number, found 'x', line 3"),
            (
                "STOFF\n1 1 0\n0 0 0 1\n3 0 0 0\n",
                "expected texture coordinates, found 'the end of the line', line 3",
            ),
            ("OFF\n1 1 0\n0 0 0\n2 0 0\n", "it contains no triangles"),
        ] {
            assert_eq!(fault(text), message, "{text}");
        }
    }

    #[test]
    fn the_keyword_is_recognised() {
        for yes in ["OFF", "OFF\n", "\u{feff}OFF 8", "# c\nCOFF\n", "STCN4nOFF\n", "NOFF BINARY", "OFF8 6"] {
            assert!(is_off(yes.as_bytes()), "{yes}");
        }
        for no in ["", "off", "OFFSET", "OFF_x", "# OFF\n", "C OFF"] {
            assert!(!is_off(no.as_bytes()), "{no}");
        }
    }
}
