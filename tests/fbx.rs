#![cfg(feature = "fbx")]
//! FBX in both encodings from one tree, and hostile bytes.

// Input and expected values, not results: any bits will do.
#![allow(clippy::disallowed_methods)]

use proptest::prelude::*;
use puppetry::stages::io::{Folder, fbx};
use puppetry::stages::mesh::Mesh;

/// A record of an FBX file.
#[derive(Clone)]
struct Record {
    name: &'static str,
    values: Vec<Value>,
    children: Vec<Record>,
}

#[derive(Clone)]
enum Value {
    Int(i32),
    Long(i64),
    Double(f64),
    Text(String),
    Doubles(Vec<f64>),
    Ints(Vec<i32>),
}

fn record(name: &'static str, values: Vec<Value>, children: Vec<Record>) -> Record {
    Record { name, values, children }
}

fn text(value: &str) -> Value {
    Value::Text(value.to_owned())
}

fn property(name: &str, kind: &str, values: Vec<Value>) -> Record {
    record("P", [vec![text(name), text(kind), text(""), text("")], values].concat(), vec![])
}

/// A tetrahedron with normals, texture coordinates, colours and a material, shown by a turned node.
fn tetrahedron() -> Vec<Record> {
    let layer = |name: &'static str, values: &'static str, data: Vec<f64>| {
        record(
            name,
            vec![Value::Int(0)],
            vec![
                record("Version", vec![Value::Int(101)], vec![]),
                record("Name", vec![text("layer")], vec![]),
                record("MappingInformationType", vec![text("ByPolygonVertex")], vec![]),
                record("ReferenceInformationType", vec![text("Direct")], vec![]),
                record(values, vec![Value::Doubles(data)], vec![]),
            ],
        )
    };
    let element = |kind: &str| {
        let kind = record("Type", vec![text(kind)], vec![]);
        record("LayerElement", vec![], vec![kind, record("TypedIndex", vec![Value::Int(0)], vec![])])
    };
    let points = vec![0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];
    let polygons = vec![0, 2, -2, 0, 1, -4, 0, 3, -3, 1, 2, -4];
    let geometry = record(
        "Geometry",
        vec![Value::Long(10), text("Tetra\0\x01Geometry"), text("Mesh")],
        vec![
            record("Vertices", vec![Value::Doubles(points)], vec![]),
            record("PolygonVertexIndex", vec![Value::Ints(polygons)], vec![]),
            record("GeometryVersion", vec![Value::Int(124)], vec![]),
            layer("LayerElementNormal", "Normals", [0.0, 0.6, 0.8].repeat(12)),
            layer("LayerElementUV", "UV", (0..24).map(|i| f64::from(i) / 24.0).collect()),
            layer("LayerElementColor", "Colors", [0.1, 0.2, 0.3, 1.0].repeat(12)),
            record(
                "Layer",
                vec![Value::Int(0)],
                vec![element("LayerElementNormal"), element("LayerElementUV"), element("LayerElementColor")],
            ),
        ],
    );
    let turn = vec![Value::Double(0.0), Value::Double(90.0), Value::Double(0.0)];
    let model = record(
        "Model",
        vec![Value::Long(20), text("Body\0\x01Model"), text("Mesh")],
        vec![record("Properties70", vec![], vec![property("Lcl Rotation", "Lcl Rotation", turn)])],
    );
    let gray = vec![Value::Double(0.5), Value::Double(0.5), Value::Double(0.5)];
    let material = record(
        "Material",
        vec![Value::Long(30), text("Skin\0\x01Material"), text("")],
        vec![
            record("ShadingModel", vec![text("lambert")], vec![]),
            record("Properties70", vec![], vec![property("DiffuseColor", "Color", gray)]),
        ],
    );
    let link = |child, parent| record("C", vec![text("OO"), Value::Long(child), Value::Long(parent)], vec![]);
    vec![
        record("FBXHeaderExtension", vec![], vec![record("FBXVersion", vec![Value::Int(7400)], vec![])]),
        record("Objects", vec![], vec![geometry, model, material]),
        record("Connections", vec![], vec![link(20, 0), link(10, 20), link(30, 20)]),
    ]
}

/// Binary FBX 7.4: each record gives the offset of its end, and a list of children ends with an empty record.
fn binary(records: &[Record]) -> Vec<u8> {
    let mut bytes = b"Kaydara FBX Binary  \0\x1a\0".to_vec();
    bytes.extend(7400u32.to_le_bytes());
    records.iter().for_each(|record| write_binary(record, &mut bytes));
    bytes.extend([0; 13]);
    bytes
}

fn write_binary(record: &Record, bytes: &mut Vec<u8>) {
    let start = bytes.len();
    bytes.extend([0; 12]);
    bytes.push(record.name.len() as u8);
    bytes.extend(record.name.as_bytes());
    let values_start = bytes.len();
    for value in &record.values {
        let (code, data): (u8, Vec<u8>) = match value {
            Value::Int(value) => (b'I', value.to_le_bytes().to_vec()),
            Value::Long(value) => (b'L', value.to_le_bytes().to_vec()),
            Value::Double(value) => (b'D', value.to_le_bytes().to_vec()),
            Value::Text(value) => (b'S', [&(value.len() as u32).to_le_bytes(), value.as_bytes()].concat()),
            Value::Doubles(values) => {
                (b'd', array(values.len(), values.iter().flat_map(|v| v.to_le_bytes()).collect()))
            }
            Value::Ints(values) => {
                (b'i', array(values.len(), values.iter().flat_map(|v| v.to_le_bytes()).collect()))
            }
        };
        bytes.push(code);
        bytes.extend(data);
    }
    let values_size = bytes.len() - values_start;
    if !record.children.is_empty() {
        record.children.iter().for_each(|child| write_binary(child, bytes));
        bytes.extend([0; 13]);
    }
    let head = [bytes.len() as u32, record.values.len() as u32, values_size as u32];
    for (field, value) in head.into_iter().enumerate() {
        bytes[start + 4 * field..start + 4 * field + 4].copy_from_slice(&value.to_le_bytes());
    }
}

/// An array that is not deflated.
fn array(count: usize, data: Vec<u8>) -> Vec<u8> {
    [&(count as u32).to_le_bytes()[..], &[0; 4], &(data.len() as u32).to_le_bytes(), &data].concat()
}

fn ascii(records: &[Record]) -> String {
    let mut out = "; FBX 7.4.0 project file\n".to_owned();
    records.iter().for_each(|record| write_ascii(record, &mut out));
    out
}

fn write_ascii(record: &Record, out: &mut String) {
    fn list<T: ToString>(values: &[T]) -> String {
        let values: Vec<String> = values.iter().map(T::to_string).collect();
        format!("*{} {{\na: {}\n}}", values.len(), values.join(","))
    }
    let values = record.values.iter().map(|value| match value {
        Value::Int(value) => value.to_string(),
        Value::Long(value) => value.to_string(),
        Value::Double(value) => value.to_string(),
        Value::Text(value) => match value.split_once("\0\x01") {
            Some((name, class)) => format!("\"{class}::{name}\""),
            None => format!("\"{value}\""),
        },
        Value::Doubles(values) => list(values),
        Value::Ints(values) => list(values),
    });
    let values: Vec<String> = values.collect();
    out.push_str(&format!("{}: {}", record.name, values.join(", ")));
    if !record.children.is_empty() {
        out.push_str(" {\n");
        record.children.iter().for_each(|child| write_ascii(child, out));
        out.push('}');
    }
    out.push('\n');
}

fn read(bytes: &[u8]) -> Option<Mesh> {
    let mesh = fbx::read(bytes, &Folder::none(), &mut Vec::new()).ok()?;
    assert_eq!(mesh.broken_invariant(), None);
    Some(mesh)
}

#[test]
fn both_encodings_give_the_same_mesh() {
    let from_binary = read(&binary(&tetrahedron())).expect("binary");
    let from_ascii = read(ascii(&tetrahedron()).as_bytes()).expect("ascii");
    assert_eq!(from_binary.positions, from_ascii.positions);
    assert_eq!(from_binary.triangles, from_ascii.triangles);
    assert_eq!(from_binary.parts, from_ascii.parts);
    assert_eq!(from_binary.appearance.texcoords, from_ascii.appearance.texcoords);
    assert_eq!(from_binary.appearance.materials, from_ascii.appearance.materials);

    let mesh = from_binary;
    assert_eq!(
        (mesh.positions.len(), mesh.triangles.len()),
        (12, 4),
        "texture coordinates differ everywhere"
    );
    // A quarter turn about Y takes +X to −Z and +Z to +X.
    assert!(mesh.positions.iter().any(|p| (p - nalgebra::Vector3::new(0.0, 0.0, -1.0)).norm() < 1e-12));
    let [x, y, z] = mesh.appearance.normals[0];
    assert!((x - 0.8).abs() < 1e-6 && (y - 0.6).abs() < 1e-6 && z.abs() < 1e-6);
    assert_eq!(mesh.appearance.colors[0], [0.1, 0.2, 0.3, 1.0]);
    assert_eq!(mesh.appearance.materials[0].base_color, [0.5, 0.5, 0.5, 1.0]);
}

#[test]
fn normals_have_unit_length_at_any_scale() {
    for scale in [1.7e-81, 1.0, 1e70] {
        let mut tree = tetrahedron();
        let scaling = property("Lcl Scaling", "Lcl Scaling", vec![Value::Double(scale); 3]);
        tree[1].children[1].children[0].children.push(scaling);
        let mesh = read(&binary(&tree)).unwrap();
        let [x, y, z] = mesh.appearance.normals[0];
        assert!((x - 0.8).abs() < 1e-6 && (y - 0.6).abs() < 1e-6 && z.abs() < 1e-6, "{scale}: {x} {y} {z}");
    }
}

/// A star, so that triangulation has work to do.
#[test]
fn polygons_of_many_corners_are_cut_into_triangles() {
    for corners in [1_000, 30_000] {
        let point = |i: i32| {
            let (sin, cos) = (f64::from(i) * std::f64::consts::TAU / f64::from(corners)).sin_cos();
            let radius = f64::from(1 + i % 2);
            [radius * cos, radius * sin, 0.0]
        };
        let mut tree = tetrahedron();
        let geometry = &mut tree[1].children[0].children;
        geometry.truncate(3);
        geometry[0].values = vec![Value::Doubles((0..corners).flat_map(point).collect())];
        geometry[1].values = vec![Value::Ints((0..corners - 1).chain([-corners]).collect())];
        let mesh = read(&binary(&tree)).unwrap();
        assert_eq!((mesh.positions.len(), mesh.triangles.len()), (corners as usize, corners as usize - 2));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2500, failure_persistence: None, ..Default::default() })]

    #[test]
    fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        read(&bytes);
        read(&[b"Kaydara FBX Binary  \0\x1a\0\xe8\x1c\0\0", &bytes[..]].concat());
        read(&[b"; FBX 7.4.0 project file\nObjects: {\n", &bytes[..]].concat());
    }

    #[test]
    fn damaged_files_are_read_or_refused(
        flips in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..8),
        cut in prop::option::weighted(0.2, any::<prop::sample::Index>()),
        as_text in any::<bool>(),
    ) {
        let mut bytes = if as_text { ascii(&tetrahedron()).into_bytes() } else { binary(&tetrahedron()) };
        for (place, value) in flips {
            let place = place.index(bytes.len());
            bytes[place] = value;
        }
        if let Some(end) = cut {
            bytes.truncate(end.index(bytes.len()));
        }
        read(&bytes);
    }

    #[test]
    fn trees_with_foreign_values_are_read_or_refused(
        place in any::<prop::sample::Index>(),
        numbers in prop::collection::vec(prop_oneof![any::<i32>(), -5..5i32], 0..20),
        number in any::<f64>(),
        as_text in any::<bool>(),
    ) {
        fn all<'r>(records: &'r mut [Record], found: &mut Vec<&'r mut Value>) {
            for record in records {
                found.extend(&mut record.values);
                all(&mut record.children, found);
            }
        }
        let mut tree = tetrahedron();
        let mut values = Vec::new();
        all(&mut tree, &mut values);
        let place = place.index(values.len());
        match &mut *values[place] {
            Value::Ints(values) => *values = numbers,
            Value::Doubles(values) => values.iter_mut().step_by(5).for_each(|value| *value = number),
            Value::Double(value) => *value = number,
            Value::Int(value) => *value = numbers.first().copied().unwrap_or(-1),
            Value::Long(value) => *value = numbers.first().copied().unwrap_or(0).into(),
            Value::Text(value) => value.insert_str(0, "Layer"),
        }
        read(&if as_text { ascii(&tree).into_bytes() } else { binary(&tree) });
    }
}
