//! Landmarks on real characters, on changed ones, and on what is no character at all.

mod truth;
mod variants;

use puppetry::embed::landmarks::{BodyPlan, Landmarks, find_landmarks};
use puppetry::io::load_mesh;
use puppetry::math::{Similarity, Vec3};
use puppetry::mesh::prepare::{PrepareOptions, prepare};
use puppetry::mesh::stance::StanceOptions;
use puppetry::mesh::{Axis, Mesh, shapes};
use std::path::{Path, PathBuf};
use truth::{Errors, Truth, corpus};

fn read(mesh: &Mesh) -> (Landmarks, Similarity) {
    // All files of the corpus stand upright and face +Z; finding that out is tested elsewhere.
    let stance = StanceOptions { up: Some(Axis::PosY), front: Some(Axis::PosZ) };
    let options = PrepareOptions { stance, ..PrepareOptions::default() };
    let prepared = prepare(mesh, &options, &mut Vec::new()).unwrap();
    (find_landmarks(&prepared, None), prepared.unit_from_input)
}

fn characters(folder: &Path) -> Vec<(String, Mesh, Truth)> {
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "glb"));
    files.sort();
    let load = |file: PathBuf| {
        let name = file.file_stem().unwrap().to_string_lossy().into_owned();
        let mesh = load_mesh(&file).unwrap().0;
        (name, mesh, Truth::load(&file.with_extension("truth.json")))
    };
    // A ball on two legs that bend backwards is neither.
    files.into_iter().map(load).filter(|(name, ..)| name != "walker_parts").collect()
}

fn examples() -> Vec<(String, Mesh, Truth)> {
    characters(&Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/characters"))
}

/// Reads characters, prints a table, and returns how many pass and their mean error.
fn measure<'a>(characters: impl Iterator<Item = &'a (String, Mesh, Truth)>) -> (usize, f64) {
    let (mut passed, mut sum, mut count) = (0, 0.0, 0.0);
    for (name, mesh, truth) in characters {
        let (landmarks, unit_from_input) = read(mesh);
        let errors = Errors::of(&landmarks, truth, &unit_from_input);
        let (worst, error) = errors.worst();
        println!(
            "{name:18} {} mean {:4.1} % worst {:4.1} % ({worst}), confidence {:.2} {:?}",
            if errors.pass() { "pass" } else { "FAIL" },
            100.0 * errors.mean(),
            100.0 * error,
            landmarks.confidence,
            landmarks.doubts
        );
        passed += usize::from(errors.pass());
        sum += errors.mean();
        count += 1.0;
    }
    (passed, sum / f64::max(count, 1.0))
}

#[test]
fn bipeds_of_the_corpus_pass() {
    let Some(folder) = corpus() else { return };
    let all = characters(&folder);
    let (passed, mean) = measure(all.iter().filter(|(.., truth)| !truth.is_quadruped));
    assert_eq!(passed, 13);
    assert!(mean < 0.03, "{mean}");
}

#[test]
fn quadrupeds_of_the_corpus_pass() {
    let Some(folder) = corpus() else { return };
    let all = characters(&folder);
    let (passed, mean) = measure(all.iter().filter(|(.., truth)| truth.is_quadruped));
    assert_eq!(passed, 13);
    assert!(mean < 0.045, "{mean}");
}

#[test]
fn all_examples_pass() {
    let all = examples();
    let (passed, mean) = measure(all.iter());
    assert_eq!(passed, all.len());
    assert!(mean < 0.033, "{mean}");
}

/// How many variants of the examples pass, and of how many; those that are sure of themselves must.
fn stress(variants: impl Fn(&Mesh, &Truth) -> Vec<variants::Variant>, quadrupeds: bool) -> (usize, usize) {
    let (mut passed, mut count) = (0, 0);
    let of_interest = |(.., truth): &&(String, Mesh, Truth)| truth.is_quadruped == quadrupeds;
    for (name, mesh, truth) in examples().iter().filter(of_interest) {
        for (variant, mesh, truth) in variants(mesh, truth) {
            let (landmarks, unit_from_input) = read(&mesh);
            let errors = Errors::of(&landmarks, &truth, &unit_from_input);
            if !errors.pass() {
                println!("{name}, {variant}: {:?}, confidence {:.2}", errors.worst(), landmarks.confidence);
                assert!(quadrupeds || landmarks.confidence < 0.95, "{name}, {variant}");
            }
            passed += usize::from(errors.pass());
            count += 1;
        }
    }
    (passed, count)
}

#[test]
fn changed_bipeds_mostly_pass_and_doubt_where_not() {
    let (passed, count) = stress(variants::of_biped, false);
    assert!(passed * 100 >= count * 92, "{passed} of {count}");
}

#[test]
fn changed_quadrupeds_mostly_pass() {
    // The horse fails when it grazes and under a saddle that floats above its back.
    let (passed, count) = stress(variants::of_quadruped, true);
    assert!(passed + 2 >= count, "{passed} of {count}");
}

fn boxes(places: &[([f64; 3], [f64; 3])]) -> Mesh {
    let cube = shapes::cube();
    let mut mesh = Mesh { positions: Vec::new(), triangles: Vec::new(), ..cube.clone() };
    for (center, half) in places {
        let first = mesh.positions.len() as u32;
        let corner = |p: &Vec3| Vec3::from(*center) + p.component_mul(&Vec3::from(*half));
        mesh.positions.extend(cube.positions.iter().map(corner));
        mesh.triangles.extend(cube.triangles.iter().map(|triangle| triangle.map(|v| v + first)));
    }
    mesh.parts[0].vertices = 0..mesh.positions.len();
    mesh.parts[0].triangles = 0..mesh.triangles.len();
    mesh
}

fn triangles(positions: &[[f64; 3]], triangles: &[[u32; 3]]) -> Mesh {
    let mut mesh = shapes::cube();
    mesh.positions = positions.iter().map(|&p| p.into()).collect();
    mesh.triangles = triangles.to_vec();
    mesh.parts[0].vertices = 0..positions.len();
    mesh.parts[0].triangles = 0..triangles.len();
    mesh
}

#[test]
fn what_is_no_character_is_doubted() {
    let leg = |x: f64, z: f64| ([x, 0.25, z], [0.03, 0.25, 0.03]);
    let chair = boxes(&[
        leg(0.2, 0.2),
        leg(-0.2, 0.2),
        leg(0.2, -0.2),
        leg(-0.2, -0.2),
        ([0.0, 0.52, 0.0], [0.25, 0.03, 0.25]),
        ([0.0, 0.8, -0.22], [0.25, 0.3, 0.03]),
    ]);
    let standing = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]];
    let lying = standing.map(|[x, y, z]| [x, z, y]);
    for (name, mesh) in [
        ("sphere", shapes::uv_sphere(16, 32)),
        ("cube", shapes::cube()),
        ("sheet that stands", triangles(&standing, &[[0, 1, 2], [0, 2, 3]])),
        ("sheet that lies", triangles(&lying, &[[0, 1, 2], [0, 2, 3]])),
        ("triangle", triangles(&standing, &[[0, 1, 2]])),
        ("needle", triangles(&[[0.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1e-6, 0.5, 0.0]], &[[0, 1, 2]])),
        ("chair", chair),
    ] {
        let (landmarks, _) = read(&mesh);
        println!("{name}: {:?} {:.2} {:?}", landmarks.plan, landmarks.confidence, landmarks.doubts);
        assert!(landmarks.confidence < 0.6 && !landmarks.doubts.is_empty(), "{name}");
        assert!(landmarks.joints.iter().all(|joint| joint.position.iter().all(|x| x.is_finite())), "{name}");
    }
}

#[test]
fn any_body_plan_can_be_asked_of_any_shape() {
    for mesh in [shapes::uv_sphere(8, 16), shapes::cube(), shapes::torus(0.3, 24, 12)] {
        let prepared = prepare(&mesh, &PrepareOptions::default(), &mut Vec::new()).unwrap();
        for plan in [BodyPlan::Biped, BodyPlan::Quadruped, BodyPlan::Horse] {
            let landmarks = find_landmarks(&prepared, Some(plan));
            assert_eq!(landmarks.plan, plan);
            assert!(landmarks.joints.iter().all(|joint| joint.position.iter().all(|x| x.is_finite())));
        }
    }
}

#[test]
fn two_characters_in_one_file_are_doubted() {
    let (_, mesh, truth) = examples().into_iter().find(|(name, ..)| name == "slim").unwrap();
    let mut both = mesh.clone();
    let first = both.positions.len() as u32;
    both.positions.extend(mesh.positions.iter().map(|p| p + Vec3::x() * 1.5 * truth.height));
    both.triangles.extend(mesh.triangles.iter().map(|triangle| triangle.map(|v| v + first)));
    both.parts.truncate(1);
    both.parts[0].vertices = 0..both.positions.len();
    both.parts[0].triangles = 0..both.triangles.len();
    let (landmarks, _) = read(&both);
    assert!(landmarks.confidence < 0.6, "{:?}", landmarks.doubts);
}

#[test]
fn the_number_of_threads_does_not_matter() {
    let (_, mesh, _) = examples().swap_remove(0);
    let alone = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    let many = rayon::ThreadPoolBuilder::new().num_threads(4).build().unwrap();
    assert_eq!(alone.install(|| read(&mesh)), many.install(|| read(&mesh)));
}
