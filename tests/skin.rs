//! Skin weights on whole characters, and on what people do to them: unwelded, scaled, with holes, inside out, with crumbs.

mod common;

use common::{corpus_files, example_characters};
use puppetry::stages::embed::field::{DistanceField, FieldOptions};
use puppetry::stages::io::{joint_file, load_mesh, skeleton_file};
use puppetry::stages::math::Vec3;
use puppetry::stages::mesh::prepare::{PrepareOptions, PreparedMesh, prepare};
use puppetry::stages::mesh::{Mesh, Part, TriangleTree};
use puppetry::stages::rig::SkinWeights;
use puppetry::stages::skeleton::{Skeleton, built_in, manual_joints};
use puppetry::stages::skin::{Skin, SkinOptions, bind};
use std::path::{Path, PathBuf};

/// A character with the joints of its truth file.
struct Character {
    name: String,
    mesh: Mesh,
    skeleton: Skeleton,
    joints: Vec<Vec3>,
}

impl Character {
    fn load(path: &Path) -> Character {
        let (mesh, _) = load_mesh(path).unwrap();
        let given = joint_file::read(&std::fs::read(path.with_extension("truth.json")).unwrap()).unwrap();
        let is_animal = given.iter().any(|(name, _)| name.starts_with("front"));
        let skeleton = skeleton_file::read(built_in()[usize::from(is_animal)].text).unwrap();
        let joints = manual_joints::complete(&skeleton, &given, &mesh.positions).unwrap();
        Character { name: path.display().to_string(), mesh, skeleton, joints }
    }

    /// Binds a changed mesh; the joints stand where they stood, but for `scale`.
    fn bind(&self, mesh: &Mesh, scale: f64) -> (PreparedMesh, Skin) {
        let prepared = prepare(mesh, &PrepareOptions::default(), &mut Vec::new()).unwrap();
        let place = |joint: &Vec3| prepared.unit_from_input.transform_point(&(joint * scale).into()).coords;
        let joints: Vec<Vec3> = self.joints.iter().map(place).collect();
        let tree = TriangleTree::new(&prepared.positions, &prepared.triangles);
        let field = DistanceField::of_mesh(&prepared, &tree, &FieldOptions::default());
        let skin = bind(&prepared, &self.skeleton, &joints, &field, &SkinOptions::default());
        (prepared, skin)
    }
}

/// Every vertex has weights that add up, heaviest first, on joints that are exported.
#[track_caller]
fn assert_sound(name: &str, skeleton: &Skeleton, mesh: &PreparedMesh, weights: &SkinWeights) {
    assert_eq!(weights.vertices(), mesh.positions.len());
    let (joints, parts) = weights.lists();
    for (joints, parts) in joints.chunks(weights.slots()).zip(parts.chunks(weights.slots())) {
        assert_eq!(
            parts.iter().map(|&part| u32::from(part)).sum::<u32>(),
            u32::from(SkinWeights::ONE),
            "{name}"
        );
        assert!(parts.is_sorted_by(|a, b| a >= b), "{name}: {parts:?}");
        for (slot, (&joint, &part)) in joints.iter().zip(parts).enumerate() {
            assert!(part > 0 || joint == 0, "{name}: an unused slot names joint {joint}");
            assert!(part == 0 || !skeleton.joints[usize::from(joint)].is_tip, "{name}: a tip has weight");
            let earlier = joints[..slot].iter().zip(parts).any(|(&other, &part)| other == joint && part > 0);
            assert!(part == 0 || !earlier, "{name}: joint {joint} occurs twice");
        }
    }
}

/// Largest difference of a weight between vertices of the file.
fn difference(one: &(PreparedMesh, Skin), other: &(PreparedMesh, Skin)) -> f64 {
    let weight = |skin: &Skin, vertex: u32, joint: usize| {
        skin.weights.of(vertex as usize).find(|(other, _)| *other == joint).map_or(0.0, |(_, weight)| weight)
    };
    let mut worst: f64 = 0.0;
    for (&a, &b) in one.0.welded.iter().zip(&other.0.welded) {
        let joints =
            one.1.weights.of(a as usize).chain(other.1.weights.of(b as usize)).map(|(joint, _)| joint);
        for joint in joints {
            worst = worst.max((weight(&one.1, a, joint) - weight(&other.1, b, joint)).abs());
        }
    }
    worst
}

/// Every triangle with its own vertices.
fn soup(mesh: &Mesh) -> Mesh {
    of_triangles(mesh.triangles.iter().flatten().map(|&v| mesh.positions[v as usize]).collect())
}

fn of_triangles(positions: Vec<Vec3>) -> Mesh {
    let triangles: Vec<[u32; 3]> =
        (0..positions.len() as u32 / 3).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect();
    let part = Part { vertices: 0..positions.len(), triangles: 0..triangles.len(), ..Part::default() };
    Mesh { positions, triangles, parts: vec![part], ..Mesh::default() }
}

fn scaled(mesh: &Mesh, scale: f64) -> Mesh {
    let mut scaled = mesh.clone();
    scaled.positions.iter_mut().for_each(|position| *position *= scale);
    scaled
}

/// One triangle in a hundred is missing.
fn with_holes(mesh: &Mesh) -> Mesh {
    let kept = mesh.triangles.iter().enumerate().filter(|(index, _)| index * 37 % 100 != 0);
    let corners = kept.flat_map(|(_, triangle)| triangle.map(|v| mesh.positions[v as usize]));
    of_triangles(corners.collect())
}

fn inside_out(mesh: &Mesh) -> Mesh {
    let mut turned = mesh.clone();
    turned.triangles.iter_mut().for_each(|triangle| triangle.reverse());
    turned
}

/// Fifty small tetrahedra, in and around the character.
fn with_crumbs(mesh: &Mesh) -> Mesh {
    let bounds = puppetry::stages::math::Bounds::of(&mesh.positions);
    let mut corners: Vec<Vec3> =
        mesh.triangles.iter().flatten().map(|&v| mesh.positions[v as usize]).collect();
    for crumb in 0..50 {
        let place = Vec3::new(0.7548, 0.5698, 0.4302).map(|step| (step * (crumb as f64 + 0.5)).fract());
        let center = bounds.min + bounds.extent().component_mul(&place);
        let size = 0.004 * (1 + crumb % 5) as f64 * bounds.diagonal();
        let tip = [Vec3::zeros(), Vec3::x(), Vec3::y(), Vec3::z()].map(|axis| center + axis * size);
        corners.extend(
            [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]].concat().into_iter().map(|index| tip[index]),
        );
    }
    of_triangles(corners)
}

/// Neither a person nor an animal, and a person with five joints.
const UNUSUAL: [&str; 2] = ["walker_parts.glb", "box_robot_parts.glb"];

/// A name and what was done to the mesh.
type State = (&'static str, fn(&Mesh) -> Mesh);

const STATES: [State; 5] = [
    ("as it is", Mesh::clone),
    ("soup", soup),
    ("holes", with_holes),
    ("inside out", inside_out),
    ("crumbs", with_crumbs),
];

#[track_caller]
fn assert_sound_when(character: &Character, (state, change): State) {
    let (prepared, skin) = character.bind(&change(&character.mesh), 1.0);
    let name = format!("{} ({state})", character.name);
    assert_sound(&name, &character.skeleton, &prepared, &skin.weights);
    assert!(skin.report.bleeding < 0.15, "{name}: {:?}", skin.report);
}

#[test]
fn every_character_has_sound_weights_in_whatever_state() {
    // They are many: each in one state, in turn.
    let all = example_characters().into_iter().chain(corpus_files(".glb"));
    let usual = all.filter(|path| !UNUSUAL.iter().any(|name| path.ends_with(name)));
    for (path, state) in usual.zip(STATES.into_iter().cycle()) {
        assert_sound_when(&Character::load(&path), state);
    }
}

#[test]
fn what_stands_on_the_ground_belongs_to_the_feet() {
    let is_shod =
        |path: &PathBuf| ["slim.glb", "troll.glb", "dog.glb"].iter().any(|name| path.ends_with(name));
    for path in example_characters().into_iter().filter(is_shod) {
        let character = Character::load(&path);
        let (prepared, skin) = character.bind(&character.mesh, 1.0);
        let bounds = puppetry::stages::math::Bounds::of(&prepared.positions);
        let is_foot = |joint: usize| {
            let name = &character.skeleton.joints[joint].name;
            name.ends_with("Foot") || name.ends_with("Toes")
        };
        for (vertex, place) in prepared.positions.iter().enumerate() {
            if place.y < bounds.min.y + 0.005 * bounds.extent().y {
                let others: f64 = skin
                    .weights
                    .of(vertex)
                    .filter(|(joint, _)| !is_foot(*joint))
                    .map(|(_, weight)| weight)
                    .sum();
                assert!(others < 0.02, "{}: a leg has {others} of the sole at {place:?}", character.name);
            }
        }
    }
}

#[test]
fn weights_do_not_depend_on_the_unit() {
    let of_one_piece_and_of_many =
        |path: &PathBuf| path.ends_with("child.glb") || path.ends_with("layers.glb");
    for path in example_characters().into_iter().filter(of_one_piece_and_of_many) {
        let character = Character::load(&path);
        let as_it_is = character.bind(&character.mesh, 1.0);
        for scale in [0.01, 100.0] {
            let other = character.bind(&scaled(&character.mesh, scale), scale);
            let difference = difference(&as_it_is, &other);
            assert!(difference < 1e-3, "{} times {scale}: {difference}", character.name);
        }
    }
}

#[test]
fn weights_do_not_depend_on_the_number_of_threads() {
    let character = Character::load(&example_characters()[0]);
    let bind = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| character.bind(&character.mesh, 1.0).1.weights)
    };
    assert_eq!(bind(1), bind(3));
}
