//! Any bytes into every reader: a mesh that keeps its promises, or a fault; never a panic.

mod common;

use proptest::prelude::*;
use puppetry::Warning;
use puppetry::stages::io::{Fault, Folder, mtl, obj, off, ply, recognise, stl};
use puppetry::stages::mesh::{Mesh, shapes};
use std::fmt::Write;
use std::path::Path;

type Read = fn(&[u8], &mut Vec<Warning>) -> Result<Mesh, Fault>;

fn read_obj(bytes: &[u8], warnings: &mut Vec<Warning>) -> Result<Mesh, Fault> {
    obj::read(bytes, &Folder::none(), warnings)
}

fn read_ply(bytes: &[u8], warnings: &mut Vec<Warning>) -> Result<Mesh, Fault> {
    ply::read(bytes, &Folder::none(), warnings)
}

/// The mesh, if the bytes make one, keeps the promises of its type; everything found can be said.
fn check(read: Read, bytes: &[u8]) -> Result<(), TestCaseError> {
    let mut warnings = vec![];
    match read(bytes, &mut warnings) {
        Ok(mesh) => {
            prop_assert_eq!(mesh.broken_invariant(), None);
            prop_assert!(!mesh.triangles.is_empty());
            // Nothing out of proportion: the tightest formats take two bytes for a corner.
            prop_assert!(mesh.positions.len() + mesh.triangles.len() <= 2 * bytes.len());
        }
        Err(fault) => prop_assert!(!fault.problem.to_string().is_empty()),
    }
    for warning in warnings {
        prop_assert!(!warning.to_string().is_empty() && !warning.code().is_empty());
    }
    Ok(())
}

// === Small valid files that use every feature ======================================================

fn obj_file() -> Vec<u8> {
    let mut text = String::from("# c\nmtllib my lib.mtl\no cube\nvt 0 0\nvt 1 0.5\nvn 0 0 1\n");
    let cube = shapes::cube();
    for (i, p) in cube.positions.iter().enumerate() {
        let color = if i % 2 == 0 { " 0.5 0.25 1" } else { "" };
        writeln!(text, "v {} {} {}{color}", p.x, p.y, p.z).unwrap();
    }
    text.push_str("usemtl skin\ns 1\nf 1/1/1 2/2/1 4/1/1 3/2/1\nf -1 -2 -3\nf 1//1 2//1 6//1 \\\n 5//1\n");
    text.push_str("g head\nv 9 9 9\nf 1/1 3/2 7/1 5/2 2/1\nl 1 2\np 1\ncurv 1\nusemtl skin\nf 5 6 8 7\n");
    text.into_bytes()
}

fn mtl_file() -> Vec<u8> {
    b"# c\nnewmtl skin\nKd 0.5 0.25 1\nKe 0.1\nd 0.5\nTr 0.5\nNs 100\nPr 0.5\nPm 0\nmap_Kd -s 1 1 my skin.png\n\
      map_d my skin.png\nmap_Bump -bm 0.5 n.png\nnorm n.png\nnewmtl cloth\nKd 1 1 1\n"
        .to_vec()
}

fn ply_header(format: &str) -> String {
    format!(
        "ply\nformat {format} 1.0\ncomment TextureFile a.png\nelement vertex 8\nproperty float x\nproperty float y\n\
         property float z\nproperty uchar red\nproperty uchar green\nproperty uchar blue\nproperty double s\n\
         property double t\nelement face 6\nproperty list uchar int vertex_indices\nproperty list uchar float texcoord\n\
         element tristrips 1\nproperty list int short vertex_indices\nend_header\n"
    )
}

const QUADS: [[i32; 4]; 6] =
    [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];

fn ply_ascii_file() -> Vec<u8> {
    let mut text = ply_header("ascii");
    for p in &shapes::cube().positions {
        writeln!(text, "{} {} {} 255 128 0 0.5 0.25", p.x, p.y, p.z).unwrap();
    }
    for [a, b, c, d] in QUADS {
        writeln!(text, "4 {a} {b} {c} {d} 8 0 0 1 0 1 1 0 1").unwrap();
    }
    text.push_str("6 0 1 2 -1 3 4\n");
    text.into_bytes()
}

fn ply_binary_file(little: bool) -> Vec<u8> {
    let mut bytes =
        ply_header(if little { "binary_little_endian" } else { "binary_big_endian" }).into_bytes();
    let mut put = |value: &[u8]| {
        if little { bytes.extend(value) } else { bytes.extend(value.iter().rev()) }
    };
    for p in &shapes::cube().positions {
        p.iter().for_each(|&c| put(&(c as f32).to_le_bytes()));
        [255u8, 128, 0].iter().for_each(|&c| put(&[c]));
        [0.5f64, 0.25].iter().for_each(|c| put(&c.to_le_bytes()));
    }
    for quad in QUADS {
        put(&[4]);
        quad.iter().for_each(|i| put(&i.to_le_bytes()));
        put(&[8]);
        (0..8).for_each(|i| put(&(i as f32).to_le_bytes()));
    }
    put(&6i32.to_le_bytes());
    [0i16, 1, 2, -1, 3, 4].iter().for_each(|i| put(&i.to_le_bytes()));
    bytes
}

fn stl_ascii_file() -> Vec<u8> {
    let mut text = String::new();
    for name in ["left foot", ""] {
        writeln!(text, "solid {name}").unwrap();
        for _ in 0..2 {
            text.push_str(
                " facet normal 0 0 1\n  outer loop\n   vertex 0 0 0\n   vertex 1 0 0\n   vertex 0 1.5e0 0\n",
            );
            text.push_str("  endloop\n endfacet\n");
        }
        writeln!(text, "endsolid {name}").unwrap();
    }
    text.into_bytes()
}

fn stl_binary_file() -> Vec<u8> {
    let cube = shapes::cube();
    let mut bytes = b"solid but binary".to_vec();
    bytes.resize(80, b' ');
    bytes.extend((cube.triangles.len() as u32).to_le_bytes());
    for t in &cube.triangles {
        for p in [t[0], t[0], t[1], t[2]].map(|i| cube.positions[i as usize]) {
            bytes.extend(p.iter().flat_map(|&c| (c as f32).to_le_bytes()));
        }
        bytes.extend([0, 0]);
    }
    bytes
}

fn off_file() -> Vec<u8> {
    let mut text = String::from("# c\nSTCNOFF\n8 6 12\n");
    for p in &shapes::cube().positions {
        writeln!(text, "{} {} {} 0 0 1 255 128 0 255 0.5 0.25", p.x, p.y, p.z).unwrap();
    }
    for [a, b, c, d] in QUADS {
        writeln!(text, "4 {a} {b} {c} {d} 1 0 0").unwrap();
    }
    text.into_bytes()
}

fn files() -> Vec<(Read, Vec<u8>)> {
    vec![
        (read_obj, obj_file()),
        (read_ply, ply_ascii_file()),
        (read_ply, ply_binary_file(true)),
        (read_ply, ply_binary_file(false)),
        (stl::read, stl_ascii_file()),
        (stl::read, stl_binary_file()),
        (off::read, off_file()),
    ]
}

#[test]
fn the_files_that_are_mutated_below_are_valid() {
    for (read, bytes) in files() {
        let mesh = read(&bytes, &mut vec![]).unwrap_or_else(|fault| panic!("{fault:?}"));
        assert_eq!(mesh.broken_invariant(), None);
    }
    assert_eq!(mtl::read(&mtl_file()).len(), 2);
}

// === Mutations =====================================================================================

#[derive(Debug, Clone)]
enum Mutation {
    /// Replaces a byte.
    Set(usize, u8),
    /// Flips a bit.
    Flip(usize, u8),
    /// Cuts the file off.
    Truncate(usize),
    /// Takes a piece out.
    Remove(usize, usize),
    /// Writes a piece a second time, somewhere else.
    Repeat(usize, usize, usize),
    /// Replaces the number in the text that is nearest to a place, or inserts one.
    Number(usize, &'static str),
    /// Overwrites four bytes.
    Word(usize, u32),
}

const NUMBERS: [&str; 16] = [
    "0",
    "-1",
    "1",
    "255",
    "256",
    "65536",
    "4294967295",
    "4294967296",
    "99999999999999999999",
    "-99999999999999999999",
    "1e38",
    "1e308",
    "1e999",
    "nan",
    "-inf",
    "0.00000000000000000000000000000000000000000000000000001",
];

fn mutation() -> impl Strategy<Value = Mutation> {
    let place = 0..4096usize;
    prop_oneof![
        (place.clone(), any::<u8>()).prop_map(|(at, byte)| Mutation::Set(at, byte)),
        (place.clone(), 0..8u8).prop_map(|(at, bit)| Mutation::Flip(at, bit)),
        place.clone().prop_map(Mutation::Truncate),
        (place.clone(), 1..100usize).prop_map(|(at, length)| Mutation::Remove(at, length)),
        (place.clone(), 1..100usize, place.clone())
            .prop_map(|(at, length, to)| Mutation::Repeat(at, length, to)),
        (place.clone(), proptest::sample::select(&NUMBERS[..])).prop_map(|(at, n)| Mutation::Number(at, n)),
        (place, prop_oneof![any::<u32>(), Just(u32::MAX), Just(0x7f80_0000), Just(0x7fff_ffff)])
            .prop_map(|(at, word)| Mutation::Word(at, word)),
    ]
}

fn mutated(mut bytes: Vec<u8>, mutations: &[Mutation]) -> Vec<u8> {
    for mutation in mutations {
        if bytes.is_empty() {
            break;
        }
        let count = bytes.len();
        let piece = |at: usize, length: usize| at % count..(at % count + length).min(count);
        match *mutation {
            Mutation::Set(at, byte) => bytes[at % count] = byte,
            Mutation::Flip(at, bit) => bytes[at % count] ^= 1 << bit,
            Mutation::Truncate(at) => bytes.truncate(at % count),
            Mutation::Remove(at, length) => drop(bytes.drain(piece(at, length))),
            Mutation::Repeat(at, length, to) => {
                let copy = bytes[piece(at, length)].to_vec();
                let to = to % count;
                bytes.splice(to..to, copy);
            }
            Mutation::Number(at, number) => {
                let is_digit = |b: &u8| b.is_ascii_digit() || *b == b'.' || *b == b'-';
                let start = at % count;
                let start = start + bytes[start..].iter().position(is_digit).unwrap_or(0);
                let end = start + bytes[start..].iter().position(|b| !is_digit(b)).unwrap_or(0);
                bytes.splice(start..end, number.bytes());
            }
            Mutation::Word(at, word) => {
                for (byte, new) in bytes[piece(at, 4)].iter_mut().zip(word.to_le_bytes()) {
                    *byte = new;
                }
            }
        }
    }
    bytes
}

fn mutations() -> impl Strategy<Value = Vec<Mutation>> {
    proptest::collection::vec(mutation(), 1..6)
}

/// Words of all formats in any order come further than any bytes.
fn words() -> impl Strategy<Value = Vec<u8>> {
    const WORDS: [&str; 44] = [
        "v",
        "vt",
        "vn",
        "f",
        "o",
        "g",
        "usemtl",
        "mtllib",
        "a.mtl",
        "#",
        "\\",
        "1/1/1",
        "1//1",
        "-1",
        "2/",
        "newmtl",
        "map_Kd",
        "-s",
        "Kd",
        "ply",
        "format",
        "ascii",
        "binary_little_endian",
        "1.0",
        "element",
        "vertex",
        "face",
        "property",
        "list",
        "uchar",
        "float",
        "x",
        "y",
        "z",
        "vertex_indices",
        "end_header",
        "OFF",
        "solid",
        "facet",
        "normal",
        "outer loop",
        "endloop",
        "endfacet",
        "3 0 1 2",
    ];
    let word = prop_oneof![
        4 => proptest::sample::select(&WORDS[..]),
        2 => proptest::sample::select(&NUMBERS[..]),
        1 => proptest::sample::select(&["\n", "\r\n", " \\\n"][..]),
    ];
    let separator = proptest::sample::select(&[" ", " ", "\n", "\t", "\r\n"][..]);
    proptest::collection::vec((word, separator), 0..60)
        .prop_map(|words| words.iter().flat_map(|(word, blank)| word.bytes().chain(blank.bytes())).collect())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 5000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes_give_a_mesh_or_a_fault(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        for read in [read_obj, read_ply, stl::read, off::read] {
            check(read, &bytes)?;
        }
        mtl::read(&bytes);
        recognise(&bytes, Path::new("a.obj")).ok();
    }

    #[test]
    fn any_words_give_a_mesh_or_a_fault(bytes in words()) {
        for read in [read_obj, read_ply, stl::read, off::read] {
            check(read, &bytes)?;
        }
        mtl::read(&bytes);
        recognise(&bytes, Path::new("a")).ok();
    }

    #[test]
    fn mutated_obj(mutations in mutations()) {
        check(read_obj, &mutated(obj_file(), &mutations))?;
    }

    #[test]
    fn mutated_mtl(mutations in mutations()) {
        let materials = mtl::read(&mutated(mtl_file(), &mutations));
        for material in materials {
            let numbers = [material.opacity, material.roughness, material.metallic, material.shininess];
            prop_assert!(numbers.into_iter().flatten().all(f32::is_finite));
            let colors = [material.diffuse, material.emissive];
            prop_assert!(colors.into_iter().flatten().flatten().all(|c| (0.0..=1.0).contains(&c)));
        }
    }

    #[test]
    fn mutated_ply_ascii(mutations in mutations()) {
        check(read_ply, &mutated(ply_ascii_file(), &mutations))?;
    }

    #[test]
    fn mutated_ply_binary(mutations in mutations(), little in any::<bool>()) {
        check(read_ply, &mutated(ply_binary_file(little), &mutations))?;
    }

    #[test]
    fn mutated_stl_ascii(mutations in mutations()) {
        check(stl::read, &mutated(stl_ascii_file(), &mutations))?;
    }

    #[test]
    fn mutated_stl_binary(mutations in mutations()) {
        check(stl::read, &mutated(stl_binary_file(), &mutations))?;
    }

    #[test]
    fn mutated_off(mutations in mutations()) {
        check(off::read, &mutated(off_file(), &mutations))?;
    }
}

#[test]
fn the_characters_of_the_original_load() {
    for name in ["cesium_man", "knight_lowpoly", "quad_fox", "quad_pug", "rigged_figure"] {
        let Some(path) = common::original_result(&format!("{name}.obj")) else { return };
        let (mesh, warnings) = puppetry::stages::io::load_mesh(&path).unwrap();
        assert_eq!(mesh.broken_invariant(), None, "{}", path.display());
        assert_eq!(warnings, [], "{}", path.display());
    }
}
