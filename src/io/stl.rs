//! STL, binary and ascii.
//!
//! Every triangle keeps its own three vertices, as the file has them; welding is not the reader's business.
//! An own reader rather than the crate stl_io, which welds, reads one solid of an ascii file, and does not say
//! where a file is broken.

use super::text::Text;
use super::{Fault, Problem};
use crate::Warning;
use crate::math::Vec3;
use crate::mesh::{Format, Mesh, Origin, Part, unit_or_zero};

/// Bytes before the first triangle of a binary file: a comment of 80, and the count.
const HEADER: usize = 84;
/// Bytes of a triangle: normal and three corners as 32-bit floats, and two more that mean nothing.
const RECORD: usize = 50;
/// The most triangles.
const LIMIT: usize = u32::MAX as usize / 3;

/// Reads an STL file of either kind.
///
/// # Errors
/// A `Fault` with the line of an ascii file or the byte offset of a binary one: for what is not STL, for
/// vertices that are not finite, and if there are no triangles.
pub fn read(bytes: &[u8], warnings: &mut Vec<Warning>) -> Result<Mesh, Fault> {
    // A triangle takes at least 50 bytes, 85 in ascii, and has three vertices to count with 32 bits.
    if bytes.len() / RECORD > LIMIT {
        return Err(Fault::whole(Problem::TooMany { what: "triangles", limit: LIMIT as u64 }));
    }
    let mesh = if is_ascii(bytes) { read_ascii(bytes)? } else { read_binary(bytes, warnings)? };
    if mesh.triangles.is_empty() {
        return Err(Fault::whole(Problem::NoTriangles));
    }
    Ok(mesh)
}

/// True if the size is what the count of a binary file says.
pub(super) fn is_exactly_binary(bytes: &[u8]) -> bool {
    declared(bytes).is_some_and(|count| count > 0 && HEADER + count * RECORD == bytes.len())
}

/// Both kinds may begin with `solid`, so the size decides, and if it fits neither, whether there is a NUL.
fn is_ascii(bytes: &[u8]) -> bool {
    let mut text = Text::new(bytes);
    text.skip_to_word();
    text.word().eq_ignore_ascii_case(b"solid")
        && !is_exactly_binary(bytes)
        && !bytes[..bytes.len().min(512)].contains(&0)
}

fn declared(bytes: &[u8]) -> Option<usize> {
    let count = bytes.get(80..)?.first_chunk::<4>()?;
    Some(u32::from_le_bytes(*count) as usize)
}

fn read_binary(bytes: &[u8], warnings: &mut Vec<Warning>) -> Result<Mesh, Fault> {
    let Some(declared) = declared(bytes) else {
        let (needed, available) = (HEADER as u64, bytes.len() as u64);
        return Err(Fault::whole(Problem::Truncated { what: "the header and the count", needed, available }));
    };
    let records = bytes[HEADER..].chunks_exact(RECORD);
    let found = records.len();
    // Some writers leave the count at 0, and downloads break off: then what is there counts. What stands
    // behind the declared triangles is something else, such as a signature or materials.
    let count = if (1..found).contains(&declared) { declared } else { found };
    if count != declared {
        warnings.push(Warning::Shorter { what: "triangles", declared, found });
    }
    let mut solid = Solids::default();
    solid.reserve(count);
    for (index, record) in records.take(count).enumerate() {
        let mut floats = record.as_chunks::<4>().0.iter().map(|&bytes| f64::from(f32::from_le_bytes(bytes)));
        let [normal, corners @ ..] =
            [[(); 3]; 4].map(|vector| vector.map(|()| floats.next().unwrap_or(f64::NAN)));
        if !solid.push(normal, corners) {
            return Err(Fault::offset(HEADER + index * RECORD, solid.not_finite(corners)));
        }
    }
    Ok(solid.finish())
}

fn read_ascii(bytes: &[u8]) -> Result<Mesh, Fault> {
    let mut text = Text::new(bytes);
    let mut solids = Solids::default();
    loop {
        text.skip_to_word();
        if text.is_done() {
            return Ok(solids.finish());
        }
        let start = text.clone();
        match &text.word().to_ascii_lowercase()[..] {
            b"solid" => solids.start(text.rest_of_line()),
            b"endsolid" => text.skip_line(),
            b"facet" => read_facet(&mut text, start.line(), &mut solids)?,
            _ => return Err(start.unexpected("'facet', 'solid' or 'endsolid'")),
        }
    }
}

/// What follows `facet`.
fn read_facet(text: &mut Text, line: usize, solids: &mut Solids) -> Result<(), Fault> {
    expect(text, b"normal", "'normal'")?;
    let normal = vector(text)?;
    expect(text, b"outer", "'outer loop'")?;
    expect(text, b"loop", "'outer loop'")?;
    let mut corners = [[0.0; 3]; 3];
    for corner in &mut corners {
        expect(text, b"vertex", "'vertex'")?;
        *corner = vector(text)?;
    }
    expect(text, b"endloop", "'endloop'")?;
    expect(text, b"endfacet", "'endfacet'")?;
    if !solids.push(normal, corners) {
        return Err(Fault::line(line, solids.not_finite(corners)));
    }
    Ok(())
}

fn expect(text: &mut Text, word: &[u8], name: &'static str) -> Result<(), Fault> {
    text.skip_to_word();
    let start = text.clone();
    if text.word().eq_ignore_ascii_case(word) { Ok(()) } else { Err(start.unexpected(name)) }
}

fn vector(text: &mut Text) -> Result<[f64; 3], Fault> {
    Ok([text.number()?, text.number()?, text.number()?])
}

/// Collects triangles, each with its own vertices, and the parts they belong to.
#[derive(Default)]
struct Solids {
    mesh: Mesh,
    name: String,
}

impl Solids {
    fn reserve(&mut self, triangles: usize) {
        self.mesh.positions.reserve_exact(3 * triangles);
        self.mesh.triangles.reserve_exact(triangles);
        self.mesh.appearance.normals.reserve_exact(3 * triangles);
    }

    /// Ends the solid before, which is a part if it has triangles.
    fn start(&mut self, name: String) {
        let name = std::mem::replace(&mut self.name, name);
        let (vertices, triangles) = (self.mesh.positions.len(), self.mesh.triangles.len());
        let last = self.mesh.parts.last();
        let (first_vertex, first_triangle) =
            last.map_or((0, 0), |part| (part.vertices.end, part.triangles.end));
        if first_triangle < triangles {
            self.mesh.parts.push(Part {
                name,
                vertices: first_vertex..vertices,
                triangles: first_triangle..triangles,
                ..Part::default()
            });
        }
    }

    /// False, and nothing is kept, if a corner is not finite.
    fn push(&mut self, normal: [f64; 3], corners: [[f64; 3]; 3]) -> bool {
        if !corners.iter().flatten().all(|c| c.is_finite()) {
            return false;
        }
        let first = self.mesh.positions.len() as u32;
        self.mesh.positions.extend(corners.map(Vec3::from));
        self.mesh.triangles.push([first, first + 1, first + 2]);
        self.mesh.appearance.normals.extend([unit_or_zero(normal); 3]);
        true
    }

    fn not_finite(&self, corners: [[f64; 3]; 3]) -> Problem {
        let corner = corners.iter().position(|corner| !corner.iter().all(|c| c.is_finite())).unwrap_or(0);
        Problem::NotFinite { what: "vertex", index: self.mesh.positions.len() + corner }
    }

    fn finish(mut self) -> Mesh {
        self.start(String::new());
        let normals = &mut self.mesh.appearance.normals;
        if normals.iter().all(|normal| *normal == [0.0; 3]) {
            *normals = Vec::new();
        }
        self.mesh.origin = Origin { format: Format::Stl, ..Origin::default() };
        self.mesh
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ASCII: &str = "solid left foot\n facet normal 0 0 2\n  outer loop\n   vertex 0 0 0\n   vertex 1 0 0\n   \
        vertex 0 1 0\n  endloop\n endfacet\nendsolid left foot\n";

    fn binary(header: &[u8], count: u32, records: &[[f32; 12]]) -> Vec<u8> {
        let mut bytes = header.to_vec();
        bytes.resize(80, b' ');
        bytes.extend(count.to_le_bytes());
        for record in records {
            bytes.extend(record.iter().flat_map(|f| f.to_le_bytes()));
            bytes.extend([0, 0]);
        }
        bytes
    }

    const RECORD_1: [f32; 12] = [0., 0., 2., 0., 0., 0., 1., 0., 0., 0., 1., 0.];

    fn load(bytes: &[u8]) -> (Mesh, Vec<Warning>) {
        let mut warnings = vec![];
        let mesh = read(bytes, &mut warnings).unwrap_or_else(|fault| panic!("{fault:?}"));
        assert_eq!(mesh.broken_invariant(), None);
        (mesh, warnings)
    }

    fn fault(bytes: &[u8]) -> String {
        read(bytes, &mut vec![]).unwrap_err().without_way_out()
    }

    #[test]
    fn both_kinds_keep_the_vertices_of_each_triangle() {
        let (ascii, _) = load(ASCII.as_bytes());
        assert_eq!(ascii.parts[0].name, "left foot");
        for header in [&b"made by us"[..], b"solid but binary"] {
            let (mesh, warnings) = load(&binary(header, 2, &[RECORD_1; 2]));
            assert_eq!(warnings, []);
            assert_eq!(mesh.triangles, [[0, 1, 2], [3, 4, 5]]);
            assert_eq!(mesh.positions[..3], ascii.positions);
            assert_eq!(mesh.appearance.normals[..3], [[0.0, 0.0, 1.0]; 3]);
            assert_eq!(mesh.appearance.normals[..3], ascii.appearance.normals);
        }
    }

    #[test]
    fn several_solids_are_several_parts() {
        let upper = ASCII.replace("left foot", "").to_uppercase().replace('\n', "\r\n");
        let (mesh, _) = load(format!("{ASCII}solid empty\nendsolid empty\n{upper}{ASCII}").as_bytes());
        let parts: Vec<_> = mesh.parts.iter().map(|p| (p.name.as_str(), p.triangles.clone())).collect();
        assert_eq!(parts, [("left foot", 0..1), ("", 1..2), ("left foot", 2..3)]);
    }

    #[test]
    fn unusable_normals_count_as_absent() {
        let mut record = RECORD_1;
        record[2] = 0.0;
        let (mesh, _) = load(&binary(b"", 1, &[record]));
        assert!(mesh.appearance.normals.is_empty());
        record[2] = f32::NAN;
        let (mesh, _) = load(&binary(b"", 2, &[record, RECORD_1]));
        assert_eq!(mesh.appearance.normals[2..4], [[0.0; 3], [0.0, 0.0, 1.0]]);
    }

    #[test]
    fn a_wrong_count_is_a_warning() {
        for (declared, bytes) in [
            (0, binary(b"", 0, &[RECORD_1; 2])),
            (u32::MAX as usize, binary(b"solid\0", u32::MAX, &[RECORD_1; 2])),
            (3, binary(b"", 3, &[RECORD_1; 3])[..HEADER + 149].to_vec()),
        ] {
            let (mesh, warnings) = load(&bytes);
            assert_eq!(mesh.triangles.len(), 2);
            assert_eq!(
                warnings[0].to_string(),
                format!("the number of triangles is 2 but declared as {declared}; those present are used")
            );
        }
    }

    #[test]
    fn bytes_behind_the_declared_triangles_are_not_triangles() {
        let mut file = binary(b"", 2, &[RECORD_1; 2]);
        file.extend([0x7f; 3 * RECORD + 7]);
        let (mesh, warnings) = load(&file);
        assert_eq!((mesh.triangles.len(), warnings), (2, vec![]));
    }

    #[test]
    fn faults_name_the_place() {
        let mut bad = RECORD_1;
        bad[8] = f32::INFINITY;
        assert_eq!(fault(&binary(b"", 2, &[RECORD_1, bad])), "vertex 4 is not a finite number, byte 134");
        assert_eq!(fault(&[0; 83]), "the header and the count need 84 bytes but only 83 are left");
        for (good, bad, message) in [
            ("1 0 0", "1 nan 0", "vertex 1 is not a finite number, line 2"),
            ("facet normal", "facet", "expected 'normal', found '0', line 2"),
            (" facet", " face", "expected 'facet', 'solid' or 'endsolid', found 'face', line 2"),
            ("outer loop", "outer", "expected 'outer loop', found 'vertex', line 4"),
            ("outer", "inner", "expected 'outer loop', found 'inner', line 3"),
            ("endloop", "vertex 1 1 1", "expected 'endloop', found 'vertex', line 7"),
            ("endfacet", "", "expected 'endfacet', found 'endsolid', line 9"),
            ("   vertex 0 0 0\n", "", "expected 'vertex', found 'endloop', line 6"),
            ("0 1 0", "0 1", "expected a number, found 'the end of the line', line 6"),
        ] {
            assert_eq!(fault(ASCII.replacen(good, bad, 1).as_bytes()), message);
        }
        let cut = ASCII.split_once("endfacet").unwrap().0;
        assert_eq!(fault(cut.as_bytes()), "expected 'endfacet', found 'the end of the file', line 8");
        for nothing in [&b"solid\nendsolid"[..], &[0; 84]] {
            assert_eq!(fault(nothing), "it contains no triangles");
        }
    }
}
