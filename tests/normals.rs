//! Normals of what `rig`, `animate` and `retarget` write, as the real binary.

mod common;

use common::{puppetry, root};
use puppetry::stages::io::load_mesh;
use puppetry::stages::math::Vec3;
use std::fmt::Write;
use std::path::Path;

/// An example character as an OBJ file: its surface alone, with vertices as they are or three for each triangle.
fn write_obj(path: &Path, name: &str, is_soup: bool) {
    let (mesh, _) = load_mesh(&root().join(format!("examples/characters/{name}.glb"))).unwrap();
    let mut text = String::new();
    let vertices: Vec<u32> = match is_soup {
        true => mesh.triangles.concat(),
        false => (0..mesh.positions.len() as u32).collect(),
    };
    for p in vertices.iter().map(|&vertex| mesh.positions[vertex as usize]) {
        writeln!(text, "v {} {} {}", p.x, p.y, p.z).unwrap();
    }
    for (index, triangle) in mesh.triangles.iter().enumerate() {
        let first = 3 * index as u32;
        let [a, b, c] = if is_soup { [first, first + 1, first + 2] } else { *triangle };
        writeln!(text, "f {} {} {}", a + 1, b + 1, c + 1).unwrap();
    }
    std::fs::write(path, text).unwrap();
}

/// Corners of the triangles of a GLB: where they are, and the normals there if it has any.
struct Corners {
    triangles: Vec<[Vec3; 3]>,
    normals: Option<Vec<[Vec3; 3]>>,
}

fn corners(path: &Path) -> Corners {
    let (document, buffers, _) = gltf::import(path).unwrap();
    let mut all = Corners { triangles: Vec::new(), normals: Some(Vec::new()) };
    for primitive in document.meshes().flat_map(|mesh| mesh.primitives()) {
        let reader = primitive.reader(|buffer| Some(&buffers[buffer.index()]));
        let indices: Vec<u32> = reader.read_indices().unwrap().into_u32().collect();
        let vectors = |list: Vec<[f32; 3]>| -> Vec<[Vec3; 3]> {
            let triangles = indices.as_chunks::<3>().0.iter();
            triangles.map(|t| t.map(|vertex| Vec3::from(list[vertex as usize].map(f64::from)))).collect()
        };
        all.triangles.extend(vectors(reader.read_positions().unwrap().collect()));
        match (reader.read_normals(), &mut all.normals) {
            (Some(normals), Some(all)) => all.extend(vectors(normals.collect())),
            _ => all.normals = None,
        }
    }
    all
}

fn face([a, b, c]: &[Vec3; 3]) -> Vec3 {
    (b - a).cross(&(c - a)).normalize()
}

/// The largest angle between a normal and its triangle, in degrees.
fn farthest_from_flat(corners: &Corners) -> f64 {
    let pairs = corners.triangles.iter().zip(corners.normals.as_ref().expect("normals"));
    let angles = pairs.flat_map(|(triangle, normals)| normals.map(|normal| face(triangle).angle(&normal)));
    angles.fold(0.0, f64::max).to_degrees()
}

#[test]
fn a_mesh_without_normals_gets_smooth_ones_that_are_equal_wherever_it_is_smooth() {
    let dir = tempfile::tempdir().unwrap();
    for is_soup in [false, true] {
        write_obj(&dir.path().join("bare.obj"), "gingerbread", is_soup);
        puppetry(dir.path(), &["rig", "bare.obj", "-o", "out.glb"]).exits_with(0);
        let corners = corners(&dir.path().join("out.glb"));
        let normals = corners.normals.as_ref().expect("normals");
        let mut seen: Vec<(Vec3, Vec3)> = Vec::new();
        for (place, normal) in corners.triangles.concat().into_iter().zip(normals.concat()) {
            assert!((normal.norm() - 1.0).abs() < 1e-5);
            seen.push((place, normal));
        }
        seen.sort_by(|a, b| a.0.as_slice().partial_cmp(b.0.as_slice()).unwrap());
        // Corners at one place share a normal, or are on both sides of a crease.
        for pair in seen.windows(2).filter(|pair| pair[0].0 == pair[1].0) {
            let angle = pair[0].1.angle(&pair[1].1).to_degrees();
            assert!(!(0.01..=20.0).contains(&angle), "{is_soup}: {angle}");
        }
        assert!(farthest_from_flat(&corners) > 5.0, "a gingerbread person is round");
    }
}

#[test]
fn the_flags_say_smooth_flat_or_as_it_was() {
    let dir = tempfile::tempdir().unwrap();
    write_obj(&dir.path().join("bare.obj"), "gingerbread", false);
    let rigged = |mesh: &str, flags: &[&str]| {
        puppetry(dir.path(), &[&["rig", mesh, "-o", "out.glb"], flags].concat()).exits_with(0);
        corners(&dir.path().join("out.glb"))
    };
    assert!(rigged("bare.obj", &["--normals", "keep"]).normals.is_none());
    assert!(farthest_from_flat(&rigged("bare.obj", &["--normals", "flat"])) < 0.5);
    assert!(farthest_from_flat(&rigged("bare.obj", &["--crease", "0"])) < 0.5);
    // A file with normals keeps them, unless others are asked for.
    let mesh = root().join("examples/characters/gingerbread.glb").to_string_lossy().into_owned();
    let own = corners(Path::new(&mesh));
    let largest_change = |corners: &Corners| {
        let pairs =
            corners.normals.as_ref().unwrap().iter().flatten().zip(own.normals.iter().flatten().flatten());
        pairs.map(|(a, b)| a.angle(b).to_degrees()).fold(0.0, f64::max)
    };
    assert!(largest_change(&rigged(&mesh, &[])) < 0.1);
    assert!(largest_change(&rigged(&mesh, &["--normals", "flat"])) > 5.0);
    puppetry(dir.path(), &["rig", "bare.obj", "-o", "out.glb", "--crease", "200"])
        .exits_with(2)
        .complains("an angle from 0 to 180 degrees");
}

#[test]
fn characters_that_have_a_skin_get_normals_too() {
    let dir = tempfile::tempdir().unwrap();
    write_obj(&dir.path().join("bare.obj"), "gingerbread", false);
    puppetry(dir.path(), &["rig", "bare.obj", "-o", "bare.glb", "--normals", "keep"]).exits_with(0);
    assert!(corners(&dir.path().join("bare.glb")).normals.is_none());
    for command in ["retarget", "animate"] {
        puppetry(dir.path(), &[command, "bare.glb", "--motion", "wave", "-o", "out.glb"]).exits_with(0);
        assert!(corners(&dir.path().join("out.glb")).normals.is_some(), "{command}");
    }
    puppetry(dir.path(), &["animate", "bare.glb", "--motion", "wave", "-o", "out.glb", "--normals", "keep"])
        .exits_with(0)
        .warns_of_nothing();
    assert!(corners(&dir.path().join("out.glb")).normals.is_none());
}
