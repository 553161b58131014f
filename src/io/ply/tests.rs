use super::*;
use crate::math::Vec3;
use std::fs;

const TRIANGLE: &str = "0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n";

fn header(format: &str, vertex: &str, rest: &str) -> String {
    format!("ply\nformat {format} 1.0\ncomment test\nelement vertex 3\n{vertex}{rest}end_header\n")
}

const XYZ: &str = "property float x\nproperty float y\nproperty float z\n";
const FACE: &str = "element face 1\nproperty list uchar int vertex_indices\n";

fn load_bytes(bytes: &[u8]) -> (Mesh, Vec<Warning>) {
    let mut warnings = vec![];
    let mesh = read(bytes, &Folder::none(), &mut warnings).unwrap_or_else(|fault| panic!("{fault:?}"));
    assert_eq!(mesh.broken_invariant(), None);
    (mesh, warnings)
}

fn load(text: &str) -> Mesh {
    load_bytes(text.as_bytes()).0
}

fn fault(bytes: impl AsRef<[u8]>) -> String {
    read(bytes.as_ref(), &Folder::none(), &mut vec![]).unwrap_err().without_way_out()
}

#[test]
fn the_three_encodings_agree() {
    let ascii = load(&(header("ascii", XYZ, FACE) + "0 0.5 0\n1 0 0 0 1 0\n\n3 0 1 2\n"));
    assert_eq!(ascii.positions[0], Vec3::new(0.0, 0.5, 0.0));
    for little in [true, false] {
        let name = if little { "binary_little_endian" } else { "binary_big_endian" };
        let mut bytes = header(name, XYZ, FACE).into_bytes();
        for value in [0f32, 0.5, 0., 1., 0., 0., 0., 1., 0.] {
            bytes.extend(if little { value.to_le_bytes() } else { value.to_be_bytes() });
        }
        bytes.push(3);
        for value in [0i32, 1, 2] {
            bytes.extend(if little { value.to_le_bytes() } else { value.to_be_bytes() });
        }
        let (mesh, warnings) = load_bytes(&bytes);
        assert_eq!((&mesh.positions, &mesh.triangles), (&ascii.positions, &ascii.triangles));
        assert_eq!(warnings, []);
    }
}

#[test]
fn every_scalar_type_is_read_in_both_orders() {
    for (name, value) in [
        ("char", vec![2u8]),
        ("uint8", vec![2]),
        ("int16", vec![0, 2]),
        ("ushort", vec![0, 2]),
        ("int", vec![0, 0, 0, 2]),
        ("uint32", vec![0, 0, 0, 2]),
        ("float32", 2f32.to_be_bytes().to_vec()),
        ("double", 2f64.to_be_bytes().to_vec()),
    ] {
        let vertex = format!("property {name} x\nproperty {name} y\nproperty {name} z\n");
        let face = format!("element face 1\nproperty list {name} {name} vertex_index\n");
        for little in [true, false] {
            let format = if little { "binary_little_endian" } else { "binary_big_endian" };
            let mut value = value.clone();
            if little {
                value.reverse();
            }
            let zero = vec![0; value.len()];
            let mut bytes = header(format, &vertex, &face).into_bytes();
            bytes.extend(value.repeat(9));
            // A face with two corners is counted, not kept, so that nothing but 0 and 2 is needed.
            bytes.extend([value.clone(), zero, value].concat());
            assert!(fault(&bytes).starts_with("it contains no triangles"), "{name}");
        }
    }
}

#[test]
fn vertices_have_normals_texture_coordinates_and_colours() {
    let vertex = "property uchar red\nproperty uchar green\nproperty uchar blue\nproperty list uchar int junk\n\
        property float x\nproperty float y\nproperty float z\nproperty float nx\nproperty float ny\n\
        property float nz\nproperty float s\nproperty float t\nproperty double quality\n";
    let line = "255 0 188 2 7 7 0 0 0 0 0 2 0.25 0.25 9\n";
    let mesh = load(&(header("ascii", vertex, FACE) + &line.repeat(3) + "3 0 1 2"));
    let looks = &mesh.appearance;
    assert_eq!((looks.normals[0], looks.texcoords[0]), ([0.0, 0.0, 1.0], [0.25, 0.75]));
    assert_eq!((looks.colors[0][0], looks.colors[0][1], looks.colors[0][3]), (1.0, 0.0, 1.0));
    assert!((looks.colors[0][2] - 0.5029).abs() < 1e-3, "sRGB 188 is half the light");
    let floats = XYZ.to_owned() + "property float r\nproperty float g\nproperty float b\nproperty float a\n";
    let mesh = load(&(header("ascii", &floats, FACE) + &"0 0 0 1 0 0 0.5\n".repeat(3) + "3 0 1 2"));
    assert_eq!(mesh.appearance.colors[0], [1.0, 0.0, 0.0, 0.5]);
}

#[test]
fn unusable_attributes_are_counted() {
    let vertex = XYZ.to_owned()
        + "property float nx\nproperty float ny\nproperty float nz\nproperty float u\nproperty float v\n";
    let text =
        header("ascii", &vertex, FACE) + "0 0 0 nan 0 0 0 0\n0 0 0 0 0 1 inf 0\n0 0 0 0 0 0 0 0\n3 0 1 2";
    let (mesh, warnings) = load_bytes(text.as_bytes());
    assert_eq!(mesh.appearance.normals, [[0.0; 3], [0.0, 0.0, 1.0], [0.0; 3]]);
    let sentences: Vec<String> = warnings.iter().map(|w| w.to_string()).collect();
    assert_eq!(
        sentences,
        [
            "normals were left out because they are not finite numbers: 1",
            "texture coordinates were left out because they are not finite numbers: 1"
        ]
    );
}

#[test]
fn other_elements_are_stepped_over_and_faces_may_come_first() {
    let text = "ply\r\nformat ascii 1.0\r\nelement camera 1\r\nproperty float f\r\nproperty list uchar int l\r\n\
        element face 2\r\nproperty uchar flags\r\nproperty list uchar int vertex_index\r\nelement vertex 4\r\n\
        property float z\r\nproperty float y\r\nproperty float x\r\nelement edge 0\r\nproperty int a\r\n\
        element nothing 4000000000\r\nend_header\r\n\
        1 2 3 4\r\n0 4 0 1 2 3\r\n0 2 0 1\r\n0 0 0\r\n0 0 1\r\n0 1 1\r\n0 1 0\r\n";
    let (mesh, warnings) = load_bytes(text.as_bytes());
    assert_eq!(mesh.triangles, [[0, 1, 2], [0, 2, 3]]);
    assert_eq!(mesh.positions[1], Vec3::x());
    assert_eq!(
        warnings[0].to_string(),
        "faces with fewer than three corners were left out because they are not part of a surface: 1"
    );
}

#[test]
fn strips_alternate_and_start_anew() {
    let strips = "element tristrips 1\nproperty list int int vertex_indices\n";
    let mesh = load(&(header("ascii", XYZ, strips) + "0 0 0\n1 0 0\n0 1 0\n9 0 1 2 0 -1 2 1 0 1"));
    assert_eq!(mesh.triangles, [[0, 1, 2], [2, 1, 0], [2, 1, 0], [0, 1, 1]]);
}

#[test]
fn textures_come_from_comments_and_coordinates_from_corners() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("my skin.png"), b"\x89PNG").unwrap();
    let folder = Folder::of(&dir.path().join("a.ply"));
    let text = "ply\nformat ascii 1.0\ncomment TextureFile my skin.png\ncomment TextureFile gone.png\nelement vertex 5\n\
        property float x\nproperty float y\nproperty float z\nelement face 3\n\
        property list uchar int vertex_indices\nproperty list uchar float texcoord\nproperty int texnumber\nend_header\n\
        0 0 0\n1 0 0\n1 1 0\n0 1 0\n7 7 7\n\
        3 0 1 2 6 0 0 1 0 1 1 1\n3 0 1 2 6 0 0 1 0 1 1 0\n3 0 2 3 6 0.5 0 1 1 0 1 0\n";
    let mut warnings = vec![];
    let mesh = read(text.as_bytes(), &folder, &mut warnings).unwrap();
    assert_eq!(mesh.broken_invariant(), None);
    assert_eq!(mesh.triangles, [[0, 1, 2], [3, 2, 4], [5, 6, 7]]);
    assert_eq!(
        mesh.parts.iter().map(|p| (p.vertices.clone(), p.material)).collect::<Vec<_>>(),
        [(0..5, Some(0)), (5..9, Some(1))]
    );
    assert_eq!(mesh.appearance.texcoords[3], [0.5, 1.0]);
    assert_eq!(mesh.positions[8], Vec3::repeat(7.0));
    assert_eq!(mesh.appearance.materials[0].base_color_image, Some(0));
    assert_eq!(mesh.appearance.materials[1].base_color_image, None);
    assert!(warnings[0].to_string().starts_with("the image 'gone.png' was left out"));
    let plain = text.replace("comment TextureFile gone.png\n", "").replace(" texcoord", " junk");
    assert_eq!(load(&plain).parts[0].material, Some(0));
}

#[test]
fn counts_that_the_file_cannot_hold_are_refused_after_the_header() {
    let text = header("ascii", XYZ, FACE).replace("vertex 3", "vertex 4000000000") + TRIANGLE;
    assert_eq!(fault(&text), "vertices need 23999999999 bytes but only 26 are left, line 11");
    let text = header("binary_little_endian", XYZ, FACE).replace("face 1", "face 4000000000");
    let mut bytes = text.clone().into_bytes();
    bytes.resize(bytes.len() + 36, 0);
    let place = text.len() + 36;
    assert_eq!(fault(&bytes), format!("faces need 4000000000 bytes but only 0 are left, byte {place}"));
    let lists = FACE.replace("uchar int", "uint int");
    let mut bytes = header("binary_big_endian", XYZ, &lists).into_bytes();
    bytes.resize(bytes.len() + 36, 0);
    bytes.extend([255; 8]);
    assert!(fault(&bytes).starts_with("the values of a list need 17179869180 bytes but only 4 are left"));
}

const ENCODING_EXPECTED: &str =
    "expected 'ascii', 'binary_little_endian' or 'binary_big_endian', found 'binary', line 2";

#[test]
fn faults_name_the_place() {
    let start = header("ascii", XYZ, FACE);
    for (text, message) in [
        ("plyx", "expected 'ply', found 'plyx', line 1"),
        ("ply\nformat ascii 1.0\n", "expected 'end_header', found 'the end of the file', line 3"),
        ("ply\nformat binary 1.0\n", ENCODING_EXPECTED),
        ("ply\nend_header\n", "expected a format in the header, found 'the end of the line', line 2"),
        ("ply\nproperty int x\n", "expected an element, found 'property', line 2"),
        ("ply\nelement vertex -1\n", "expected a count, found '-1', line 2"),
        ("ply\nelement\n", "expected a name, found 'the end of the line', line 2"),
        ("ply\nhello\n", "expected a line of a PLY header, found 'hello', line 2"),
        (
            "ply\nelement vertex 1\nproperty half x",
            "expected a type such as 'float' or 'uchar', found 'half', line 3",
        ),
        ("ply\nformat ascii 1.0\nend_header\n", "the header is invalid: there is no element 'vertex'"),
        (&start.replace("property float z\n", ""), "the header is invalid: vertices have no property 'z'"),
        (&start.replace("face 1", "vertex 1"), "the header is invalid: there are two elements 'vertex'"),
        (&format!("{start}0 0 0 0 nan 0 0 0 0 3 0 1 2"), "vertex 1 is not a finite number, line 11"),
        (&(header("ascii", XYZ, "") + "0 0 0 0 0 0 0 0 0"), "it contains no triangles"),
    ] {
        assert_eq!(fault(text), message);
    }
    for (face, message) in [
        ("3 0 1 3", "vertex 3 does not exist, there are 3, line 14"),
        ("3 0 1 -1", "vertex -1 does not exist, there are 3, line 14"),
        ("-3 0 1 2", "the length of a list is invalid: it is -3, line 14"),
        ("3 0 1", "the values of a list need 5 bytes but only 4 are left, line 14"),
    ] {
        assert_eq!(fault(format!("{start}0 0 0\n1 0 0\n0 1 0\n{face}")), message);
    }
}
