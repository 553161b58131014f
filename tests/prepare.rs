//! The door: what `prepare` promises, on generated and on real meshes.

// Input and expected values, not results: any bits will do.
#![allow(clippy::disallowed_methods)]

mod common;

use common::truth::truth;
use common::{corpus_files, example_characters, hard_cases};
use proptest::prelude::*;
use puppetry::stages::io::load_mesh;
use puppetry::stages::math::Vec3;
use puppetry::stages::mesh::Mesh;
use puppetry::stages::mesh::prepare::{PrepareOptions, PreparedMesh, prepare};
use puppetry::stages::mesh::shapes::surface;
use puppetry::stages::mesh::topology::Topology;

fn prepared(mesh: &Mesh) -> PreparedMesh {
    prepare(mesh, &PrepareOptions::default(), &mut Vec::new()).expect("a surface")
}

/// Every triangle with vertices of its own.
fn soup(mesh: &Mesh) -> Mesh {
    let positions: Vec<Vec3> = mesh.triangles.iter().flatten().map(|&v| mesh.positions[v as usize]).collect();
    let triangles = (0..positions.len() as u32 / 3).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect();
    surface(positions, triangles)
}

/// Whether the promises of [`PreparedMesh`] hold.
fn check_promises(mesh: &Mesh, prepared: &PreparedMesh) {
    assert_eq!(prepared.welded.len(), mesh.positions.len());
    assert_eq!(prepared.original_triangle.len(), prepared.triangles.len());
    assert!(prepared.welded.iter().all(|&v| (v as usize) < prepared.positions.len()));
    assert!(prepared.positions.iter().all(|p| p.iter().all(|x| x.is_finite())));
    let placed = prepared.placement.output_from_input;
    assert!(placed.to_homogeneous().iter().all(|x| x.is_finite()) && placed.scaling() > 0.0);
    for (triangle, &original) in prepared.triangles.iter().zip(&prepared.original_triangle) {
        let [a, b, c] = triangle.map(|v| prepared.positions[v as usize]);
        assert!((b - a).cross(&(c - a)).norm() > 0.0, "a triangle without area");
        assert!(
            [a, b, c].iter().all(|p| p.iter().all(|x| (0.049..=0.951).contains(x))),
            "outside the unit cube"
        );
        let mut corners = *triangle;
        let mut original = mesh.triangles[original as usize].map(|v| prepared.welded[v as usize]);
        corners.sort_unstable();
        original.sort_unstable();
        assert_eq!(corners, original);
    }
    for (position, &welded) in mesh.positions.iter().zip(&prepared.welded) {
        let mapped = prepared.unit_from_input * nalgebra::Point3::from(*position);
        assert!(
            (mapped.coords - prepared.positions[welded as usize]).norm() < 2e-5,
            "the map does not lead back"
        );
    }
}

#[test]
fn characters_have_the_known_topology() {
    for character in [example_characters(), hard_cases(), corpus_files(".glb")].iter().flatten() {
        let (mesh, _) = load_mesh(character).unwrap();
        let prepared = prepared(&mesh);
        check_promises(&mesh, &prepared);
        let (truth, name) = (truth(character), character.display());
        assert_eq!(truth["vertices"], mesh.positions.len(), "{name}");
        // Some truth files count triangles without the degenerate ones.
        let counts = [mesh.triangles.len(), prepared.triangles.len()];
        assert!(counts.iter().any(|&count| truth["triangles"] == count), "{name}: {counts:?}");
        assert_eq!(truth["watertight"], prepared.topology.is_watertight(), "{name}");
        assert_eq!(truth["components"], prepared.topology.components.len(), "{name}");
        let welded = truth["welded_vertices"].as_u64().unwrap() as f64;
        assert!((prepared.positions.len() as f64 / welded - 1.0).abs() < 0.01, "{name}");
        let height = truth["height"].as_f64().unwrap();
        assert!((prepared.placement.height_in_file / height - 1.0).abs() < 1e-4, "{name}");
    }
}

/// A lumpy closed surface with the given number of rings.
fn lump(rings: usize, bumps: f64) -> Mesh {
    let segments = 2 * rings;
    let mut positions = vec![Vec3::new(0.0, 2.0, 0.0)];
    for ring in 1..rings {
        let polar = std::f64::consts::PI * ring as f64 / rings as f64;
        for segment in 0..segments {
            let turn = std::f64::consts::TAU * segment as f64 / segments as f64;
            let radius = 1.0 + 0.3 * (bumps * turn).sin() * polar.sin();
            positions.push(Vec3::new(
                radius * polar.sin() * turn.cos(),
                2.0 * polar.cos(),
                polar.sin() * turn.sin(),
            ));
        }
    }
    positions.push(Vec3::new(0.0, -2.0, 0.0));
    let at = |ring: usize, segment: usize| (1 + (ring - 1) * segments + segment % segments) as u32;
    let last = positions.len() as u32 - 1;
    let mut triangles = Vec::new();
    for segment in 0..segments {
        triangles.push([0, at(1, segment + 1), at(1, segment)]);
        triangles.push([last, at(rings - 1, segment), at(rings - 1, segment + 1)]);
        for ring in 1..rings - 1 {
            let (a, b) = (at(ring, segment), at(ring, segment + 1));
            let (c, d) = (at(ring + 1, segment), at(ring + 1, segment + 1));
            triangles.extend([[a, b, c], [b, d, c]]);
        }
    }
    surface(positions, triangles)
}

#[test]
fn stray_vertices_at_the_end_of_the_world_change_nothing() {
    let mut mesh = lump(6, 1.0);
    let reference = prepared(&mesh);
    mesh.positions.extend([Vec3::repeat(1e308), Vec3::repeat(-1e308), Vec3::new(1e30, 0.0, 0.0)]);
    mesh.parts[0].vertices.end += 3;
    let result = prepared(&mesh);
    assert!(result.positions.iter().all(|p| p.iter().all(|x| x.is_finite())));
    assert_eq!(result.positions[..reference.positions.len()], reference.positions);
    assert_eq!((result.repairs.isolated, result.triangles), (3, reference.triangles));
}

#[test]
fn another_unit_gives_the_same_bits() {
    let reference = prepared(&lump(6, 1.0));
    for factor in [0.01, 0.0254, 100.0] {
        let mut scaled = lump(6, 1.0);
        scaled.positions.iter_mut().for_each(|position| *position *= factor);
        assert_eq!(prepared(&scaled).positions, reference.positions, "{factor}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn splitting_shuffling_and_flipping_change_nothing(
        rings in 3usize..8, bumps in 0.0f64..3.0, seed in any::<u64>(),
    ) {
        let whole = lump(rings, bumps);
        let reference = prepared(&whole);
        prop_assert!(reference.topology.is_watertight());
        let mut split = soup(&whole);
        let mut state = seed | 1;
        let mut random = |n: usize| {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 33) as usize % n
        };
        for index in (1..split.triangles.len()).rev() {
            split.triangles.swap(index, random(index + 1));
            if random(3) == 0 {
                split.triangles[index].reverse();
            }
        }
        let result = prepared(&split);
        check_promises(&split, &result);
        prop_assert_eq!(result.positions.len(), reference.positions.len());
        prop_assert_eq!(result.triangles.len(), reference.triangles.len());
        prop_assert!(result.topology.is_watertight());
        let mended = Topology::of(&result.positions, &result.triangles);
        prop_assert_eq!(mended.misoriented_edges, 0);
        prop_assert_eq!(result.topology.components.len(), 1);
        prop_assert!((volume(&result) - volume(&reference)).abs() < 1e-9);
    }

    #[test]
    fn size_and_place_in_the_file_do_not_matter(
        scale in -12i32..12, x in -1e3f64..1e3, y in -1e3f64..1e3, z in -1e3f64..1e3,
    ) {
        let reference = prepared(&lump(6, 1.0));
        let mut moved = lump(6, 1.0);
        let factor = 10f64.powi(scale);
        for position in &mut moved.positions {
            *position = (*position + Vec3::new(x, y, z)) * factor;
        }
        let result = prepared(&moved);
        check_promises(&moved, &result);
        for (a, b) in result.positions.iter().zip(&reference.positions) {
            prop_assert!((a - b).norm() < 1e-7);
        }
        prop_assert!((0.5..=5.5).contains(&result.placement.height));
    }

    #[test]
    fn any_triangles_are_prepared_or_have_no_surface(
        points in prop::collection::vec(prop::array::uniform3(-2i8..3), 1..12),
        corners in prop::collection::vec(any::<[u8; 3]>(), 0..40),
    ) {
        let positions: Vec<Vec3> = points.iter().map(|p| Vec3::new(p[0].into(), p[1].into(), p[2].into())).collect();
        let triangles = corners.iter().map(|c| c.map(|v| v as u32 % positions.len() as u32)).collect();
        let mesh = surface(positions, triangles);
        if let Ok(prepared) = prepare(&mesh, &PrepareOptions::default(), &mut Vec::new()) {
            check_promises(&mesh, &prepared);
        }
    }
}

fn volume(prepared: &PreparedMesh) -> f64 {
    let corner = |v: u32| prepared.positions[v as usize];
    prepared.triangles.iter().map(|&[a, b, c]| corner(a).dot(&corner(b).cross(&corner(c))) / 6.0).sum()
}
