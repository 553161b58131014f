//! Joints on real characters, on changed ones, and on what is no character at all: by landmarks, by the search, and by
//! both together.

// Input and expected values, not results: any bits will do.
#![allow(clippy::disallowed_methods)]

#[path = "../common/mod.rs"]
mod common;
mod variants;

use common::{corpus_files, example_characters};
use puppetry::stages::embed::landmarks::{BodyPlan, Landmarks, find_landmarks};
use puppetry::stages::embed::voxels::VoxelVolume;
use puppetry::stages::embed::{EmbedOptions, Embedding, Route, embed, fuse};
use puppetry::stages::io::{load_mesh, skeleton_file, truth_file};
use puppetry::stages::learn::Errors;
use puppetry::stages::math::{Axis, Similarity, Vec3};
use puppetry::stages::mesh::orientation::OrientationOptions;
use puppetry::stages::mesh::prepare::{PrepareOptions, PreparedMesh, prepare};
use puppetry::stages::mesh::{Mesh, TriangleTree, shapes};
use puppetry::stages::skeleton::{Skeleton, Truth, built_in};
use rayon::prelude::*;
use std::path::PathBuf;

fn prepared(mesh: &Mesh) -> PreparedMesh {
    // All files of the corpus stand upright and face +Z; finding that out is tested elsewhere.
    let orientation = OrientationOptions { up: Some(Axis::PosY), front: Some(Axis::PosZ) };
    let options = PrepareOptions { orientation, ..PrepareOptions::default() };
    prepare(mesh, &options, &mut Vec::new()).unwrap()
}

fn read(mesh: &Mesh) -> (Landmarks, Similarity) {
    let prepared = prepared(mesh);
    (find_landmarks(&VoxelVolume::of(&prepared), None), prepared.unit_from_input)
}

fn skeletons() -> Vec<Skeleton> {
    built_in().iter().map(|file| skeleton_file::read(file.text).unwrap()).collect()
}

/// The routes in the order of the columns of all tables.
const ROUTES: [(&str, Option<Route>); 3] =
    [("landmarks", Some(Route::Landmarks)), ("search", Some(Route::Search)), ("combined", None)];

/// The answers of the three routes and their errors; those of animals by limb.
fn answers(mesh: &Mesh, truth: &Truth) -> [(Embedding, Errors); 3] {
    let mesh = prepared(mesh);
    let tree = TriangleTree::new(&mesh.positions, &mesh.triangles);
    let (found, stages) = embed(&mesh, &tree, &skeletons(), &[], &EmbedOptions::default()).unwrap();
    ROUTES.map(|(_, route)| {
        let embedding = fuse(&found.skeleton, &stages, route);
        let input_from_unit = mesh.unit_from_input.inverse();
        let place = |position: &Vec3| input_from_unit.transform_point(&(*position).into()).coords;
        let places: Vec<Vec3> = embedding.positions.iter().map(place).collect();
        let errors = match is_quadruped(truth) {
            true => Errors::by_limb(&found.skeleton, &places, truth),
            false => Errors::of(&found.skeleton, &places, truth),
        };
        (embedding, errors)
    })
}

/// What became of a set of characters on one route.
#[derive(Debug, Clone, Copy, Default)]
struct Score {
    passed: usize,
    count: usize,
    error: f64,
}

impl Score {
    fn mean(&self) -> f64 {
        self.error / self.count.max(1) as f64
    }
}

fn characters(files: Vec<PathBuf>) -> Vec<(String, Mesh, Truth)> {
    let load = |file: PathBuf| {
        let name = file.file_stem().unwrap().to_string_lossy().into_owned();
        let mesh = load_mesh(&file).unwrap().0;
        (name, mesh, truth_file::load(&file.with_extension("truth.json")).unwrap())
    };
    // A ball on two legs that bend backwards is neither.
    files.into_iter().map(load).filter(|(name, ..)| name != "walker_parts").collect()
}

fn examples() -> Vec<(String, Mesh, Truth)> {
    characters(example_characters())
}

/// Embeds characters and prints a table: the scores of the routes.
fn measure(characters: &[(String, Mesh, Truth)]) -> [Score; 3] {
    let answers: Vec<_> = characters.par_iter().map(|(_, mesh, truth)| answers(mesh, truth)).collect();
    let mut scores = [Score::default(); 3];
    for ((name, ..), answers) in characters.iter().zip(&answers) {
        let mut line = format!("{name:34}");
        for (score, (_, errors)) in scores.iter_mut().zip(answers) {
            let (worst, error) = errors.worst();
            let verdict = if errors.pass() { "ok" } else { "FAIL" };
            line += &format!(
                " | {verdict:4} {:4.1} % worst {:4.1} % {worst:20}",
                100.0 * errors.mean(),
                100.0 * error
            );
            score.passed += usize::from(errors.pass());
            score.count += 1;
            score.error += errors.mean();
        }
        let (embedding, _) = &answers[2];
        println!("{line} | confidence {:.2}", embedding.confidence);
    }
    for ((route, _), score) in ROUTES.iter().zip(&scores) {
        println!("{route}: {} of {} pass, mean {:.2} %", score.passed, score.count, 100.0 * score.mean());
    }
    scores
}

fn is_quadruped(truth: &Truth) -> bool {
    truth.morphology == "quadruped"
}

/// None where there is no corpus.
fn corpus_of(quadrupeds: bool) -> Option<Vec<(String, Mesh, Truth)>> {
    let mut all = characters(corpus_files(".glb"));
    all.retain(|(.., truth)| is_quadruped(truth) == quadrupeds);
    Some(all).filter(|all| !all.is_empty())
}

/// Characters of loose parts. Their graph is mended over gaps, and the search only guesses.
const LOOSE: [&str; 3] = ["box_robot_parts", "cyberpunk", "robot_parts"];

#[test]
fn bipeds_of_the_corpus_pass() {
    let Some(bipeds) = corpus_of(false) else { return };
    let (loose, whole): (Vec<_>, Vec<_>) =
        bipeds.into_iter().partition(|(name, ..)| LOOSE.contains(&name.as_str()));
    let [landmarks, search, combined] = measure(&whole);
    assert_eq!((landmarks.passed, search.passed, combined.passed), (10, 10, 10));
    assert!(search.mean() < 0.035, "{search:?}");
    assert!(landmarks.mean() < 0.03 && combined.mean() < 0.03, "{landmarks:?} {combined:?}");
    let [landmarks, _, combined] = measure(&loose);
    assert_eq!((landmarks.passed, combined.passed), (3, 3));
    assert!(combined.mean() < 0.03, "{combined:?}");
}

#[test]
fn quadrupeds_of_the_corpus_pass() {
    let Some(quadrupeds) = corpus_of(true) else { return };
    let [landmarks, search, combined] = measure(&quadrupeds);
    assert_eq!((landmarks.passed, combined.passed), (13, 13));
    assert!(search.passed >= 8 && search.mean() < 0.06, "{search:?}");
    assert!(combined.mean() < 0.045, "{combined:?}");
}

#[test]
fn all_examples_pass() {
    let all = examples();
    let [_, _, combined] = measure(&all);
    assert_eq!(combined.passed, all.len());
    assert!(combined.mean() < 0.03, "{combined:?}");
}

/// The scores of the variants of the examples. Of the bipeds, slim and layers pass whatever is done to them but for one
/// variant of 40, and are left out to save time.
fn stress(variants: impl Fn(&Mesh, &Truth) -> Vec<variants::Variant>, quadrupeds: bool) -> [Score; 3] {
    let mut all = examples();
    all.retain(|(name, _, truth)| {
        is_quadruped(truth) == quadrupeds && !["slim", "layers"].contains(&name.as_str())
    });
    let name = |name: &str, (variant, mesh, truth)| (format!("{name}, {variant}"), mesh, truth);
    let changed = all.iter().flat_map(|(own, mesh, truth)| {
        variants(mesh, truth).into_iter().map(move |variant| name(own, variant))
    });
    measure(&changed.collect::<Vec<_>>())
}

#[test]
fn changed_bipeds_pass_more_often_by_both_routes_than_by_either() {
    let [landmarks, search, combined] = stress(variants::of_biped, false);
    assert!(combined.passed > landmarks.passed && combined.passed > search.passed);
    assert!(combined.passed * 100 >= combined.count * 96, "{combined:?}");
    assert!(combined.mean() < landmarks.mean() && combined.mean() < search.mean());
}

#[test]
fn changed_quadrupeds_mostly_pass() {
    // The horse fails when it grazes and under a saddle that floats above its back.
    let [_, _, combined] = stress(variants::of_quadruped, true);
    assert!(combined.passed + 2 >= combined.count, "{combined:?}");
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
        println!("{name}: {:?} {:?}", landmarks.plan, landmarks.diagnostics);
        assert!(!landmarks.diagnostics.is_empty(), "{name}");
        assert!(landmarks.joints.iter().all(|joint| joint.position.iter().all(|x| x.is_finite())), "{name}");
    }
}

#[test]
fn any_body_plan_can_be_asked_of_any_shape() {
    for mesh in [shapes::uv_sphere(8, 16), shapes::cube(), shapes::torus(0.3, 24, 12)] {
        let prepared = prepare(&mesh, &PrepareOptions::default(), &mut Vec::new()).unwrap();
        for plan in [BodyPlan::Biped, BodyPlan::Quadruped, BodyPlan::Horse] {
            let landmarks = find_landmarks(&VoxelVolume::of(&prepared), Some(plan));
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
    assert!(!landmarks.diagnostics.is_empty());
}

#[test]
fn the_number_of_threads_does_not_matter() {
    let (_, mesh, _) = examples().swap_remove(0);
    let alone = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    let many = rayon::ThreadPoolBuilder::new().num_threads(4).build().unwrap();
    assert_eq!(alone.install(|| read(&mesh)), many.install(|| read(&mesh)));
}

/// The text of a skeleton file with other names, which say nothing, and the roles of its joints.
fn renamed(text: &str) -> String {
    let skeleton = skeleton_file::read(text).unwrap();
    let name = |old: &str| skeleton.find(old).map_or(old.to_owned(), |joint| format!("j{joint}"));
    let lines = text.lines().map(|line| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let names = match words.first() {
            Some(&"joint") => 2,
            Some(&"pair") => 3,
            Some(&"name") => return "name renamed".to_owned(),
            _ => return line.to_owned(),
        };
        let joint = skeleton.find(words[1]).unwrap();
        let new = words[1..=names].iter().map(|word| name(word)).collect::<Vec<_>>().join(" ");
        let rest = words[names + 1..].join(" ");
        format!("{} {new} {rest} role={}", words[0], skeleton.joints[joint].role.unwrap())
    });
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn names_of_joints_do_not_matter() {
    for (file, character) in
        [("human", "gingerbread"), ("human", "slim"), ("horse", "horse"), ("quadruped", "dog")]
    {
        let text = built_in().iter().find(|skeleton| skeleton.name == file).unwrap().text;
        let skeletons = [text.to_owned(), renamed(text)].map(|text| skeleton_file::read(&text).unwrap());
        assert!(skeletons[1].joints.iter().enumerate().all(|(k, joint)| joint.name == format!("j{k}")));
        let characters = examples();
        let (_, mesh, _) = characters.iter().find(|(name, ..)| name == character).unwrap();
        let prepared = prepared(mesh);
        let tree = TriangleTree::new(&prepared.positions, &prepared.triangles);
        let [named, renamed] = skeletons
            .map(|skeleton| embed(&prepared, &tree, &[skeleton], &[], &EmbedOptions::default()).unwrap().0);
        assert_eq!(named.positions, renamed.positions, "{character}");
        assert_eq!(named.confidences, renamed.confidences, "{character}");
        assert_eq!((named.confidence, named.reason), (renamed.confidence, renamed.reason), "{character}");
    }
}
