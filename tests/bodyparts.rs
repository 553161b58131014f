//! Characters rigged by the parts of others: libraries, their file, and what they are worth on a studio's pack.

mod common;

use common::{corpus_file, files, puppetry, root};
use puppetry::stages::bodyparts::BodyPartLibrary;
use puppetry::stages::io::{bodyparts_file, load_joints};
use puppetry::stages::math::Bounds;
use puppetry::stages::pipeline::{build_body_parts, finished_character};
use puppetry::stages::retarget::figure_of;
use puppetry::stages::skeleton::naming::{Limb, Role, Segment, Side};
use puppetry::{RigOptions, Rigged, Silent, Vec3, load_mesh, rig};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A character and its rig, as a studio would have them: gingerbread, rigged by this program.
fn finished(dir: &Path, name: &str) -> PathBuf {
    let out = dir.join(format!("{name}.rigged.glb"));
    let mesh = root().join(format!("examples/characters/{name}.glb"));
    let run = ["rig", mesh.to_str().unwrap(), "--twist", "none", "-o", out.to_str().unwrap()];
    puppetry(dir, &run).exits_with(0);
    out
}

#[test]
fn a_library_of_one_character_rigs_that_character() {
    let dir = tempfile::tempdir().unwrap();
    let rigged = finished(dir.path(), "gingerbread");
    let library = dir.path().join("studio.parts");
    let library = library.to_str().unwrap();
    puppetry(dir.path(), &["bodyparts", "build", rigged.to_str().unwrap(), "-o", library])
        .exits_with(0)
        .prints("gingerbread")
        .prints("takes two characters");
    puppetry(dir.path(), &["inspect", library]).exits_with(0).prints("1 character").prints("gingerbread");
    let mesh = root().join("examples/characters/gingerbread.glb");
    let mesh = mesh.to_str().unwrap();
    puppetry(dir.path(), &["rig", mesh, "--bodyparts", library, "-o", "again.glb"])
        .exits_with(0)
        .prints("body parts");
    let (own, again) = (weights_of(&rigged), weights_of(&dir.path().join("again.glb")));
    let difference = mean_difference(&own, &again);
    assert!(difference < 0.02, "{difference} from its own weights");
    let rig_with = |more: &[&str]| {
        puppetry(dir.path(), &[&["rig", mesh, "--bodyparts", library, "-o", "chosen.glb"], more].concat())
    };
    let all_heat =
        ["trunk=heat", "head=heat", "arms=heat", "legs=heat"].map(|part| ["--part", part]).concat();
    rig_with(&all_heat).exits_with(0).complains("no-part-fits");
    rig_with(&["--part", "arms=gingerbread"]).exits_with(0).prints("left-arm    gingerbread");
    rig_with(&["--part", "wing=heat"]).exits_with(1).complains("there is no part 'wing'");
    rig_with(&["--part", "head=hero"]).exits_with(1).complains("has no character 'hero'; it has gingerbread");
    puppetry(dir.path(), &["rig", mesh, "--bodyparts", library, "--parts", "rigid", "-o", "no.glb"])
        .exits_with(1)
        .complains("--parts rigid");
    puppetry(dir.path(), &["rig", mesh, "--bodyparts", mesh, "-o", "no.glb"])
        .exits_with(1)
        .complains("bodyparts build");
}

/// For each vertex its weights by the names of joints.
fn weights_of(file: &Path) -> Vec<BTreeMap<String, f64>> {
    let source = puppetry::stages::io::SourceFile::open(file).unwrap();
    let bound = source.rigged(None).unwrap().0.character.bound_mesh().unwrap();
    let name = |joint: usize| {
        let name = &bound.rig.joints[joint].name;
        // Joints that follow others share the weight of their parents.
        let parent = bound.rig.joints[joint].parent.map(|parent| bound.rig.joints[parent].name.clone());
        if name.contains("Twist") { parent.unwrap() } else { name.clone() }
    };
    let row = |vertex| {
        let mut row = BTreeMap::new();
        bound.weights.of(vertex).for_each(|(joint, weight)| *row.entry(name(joint)).or_default() += weight);
        row
    };
    (0..bound.weights.vertices()).map(row).collect()
}

fn mean_difference(a: &[BTreeMap<String, f64>], b: &[BTreeMap<String, f64>]) -> f64 {
    assert_eq!(a.len(), b.len());
    let rows = a.iter().zip(b).map(|(a, b)| {
        let names: std::collections::BTreeSet<&String> = a.keys().chain(b.keys()).collect();
        let of = |row: &BTreeMap<String, f64>, name: &String| row.get(name).copied().unwrap_or(0.0);
        names.into_iter().map(|name| (of(a, name) - of(b, name)).abs()).sum::<f64>()
    });
    rows.sum::<f64>() / a.len() as f64
}

#[test]
fn a_library_is_the_same_after_it_was_written_whatever_the_order_of_its_files() {
    let dir = tempfile::tempdir().unwrap();
    let (a, b) = (finished(dir.path(), "gingerbread"), finished(dir.path(), "troll"));
    let library = build_body_parts("studio", &[a.clone(), b.clone()], &Silent).unwrap();
    let bytes = bodyparts_file::write(&library).unwrap();
    let read = bodyparts_file::read(&bytes).unwrap();
    assert_eq!(read, library);
    assert_eq!(bodyparts_file::write(&read).unwrap(), bytes);
    let other = build_body_parts("studio", &[b, a.clone()], &Silent).unwrap();
    assert_eq!(bodyparts_file::write(&other).unwrap(), bytes);
    let twice = build_body_parts("studio", &[a.clone(), a], &Silent).unwrap_err();
    assert!(twice.to_string().contains("two characters 'gingerbread'"), "{twice}");
    broken_files_are_refused(&bytes);
}

fn broken_files_are_refused(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes).into_owned();
    assert!(text.contains(r#""version":1"#));
    let at = bytes.windows(11).position(|window| window == br#""version":1"#).unwrap();
    let mut later = bytes.to_vec();
    later[at + 10] = b'2';
    assert!(bodyparts_file::read(&later).unwrap_err().problem.to_string().contains("update puppetry"));
    for length in (0..bytes.len()).step_by(bytes.len() / 97) {
        // Whatever is missing, nothing panics; what is there is not enough.
        assert!(bodyparts_file::read(&bytes[..length]).is_err(), "{length}");
    }
}

/// The character of the library, moved and 2.5 times as large, gets the same weights.
#[test]
fn place_and_size_do_not_matter() {
    let dir = tempfile::tempdir().unwrap();
    let library = build_body_parts("one", &[finished(dir.path(), "troll")], &Silent).unwrap();
    let library = Arc::new(library);
    let (mesh, _) = load_mesh(&root().join("examples/characters/troll.glb")).unwrap();
    let weights = |scale: f64, offset: Vec3| {
        let positions = mesh.positions.iter().map(|position| scale * position + offset).collect();
        let moved = puppetry::Mesh::of_arrays(positions, mesh.triangles.clone()).unwrap();
        let mut options = RigOptions::default();
        options.body_parts = Some(library.clone());
        rig(&moved, &options, &Silent).unwrap().assembly.unwrap().weights
    };
    let (own, moved) = (weights(1.0, Vec3::zeros()), weights(2.5, Vec3::new(3.0, 1.0, -2.0)));
    let difference = |vertex: usize| {
        let mut row: BTreeMap<usize, f64> = own.of(vertex).collect();
        moved.of(vertex).for_each(|(joint, weight)| *row.entry(joint).or_default() -= weight);
        row.values().map(|x| x.abs()).sum::<f64>()
    };
    let mean = (0..own.vertices()).map(difference).sum::<f64>() / own.vertices() as f64;
    assert!(mean < 1e-3, "{mean}");
}

#[test]
fn a_library_of_animals_leaves_a_person_as_it_is() {
    let dir = tempfile::tempdir().unwrap();
    let animal = finished(dir.path(), "dog");
    let build = ["bodyparts", "build", animal.to_str().unwrap(), "-o", "zoo.parts"];
    puppetry(dir.path(), &build).exits_with(0);
    let mesh = root().join("examples/characters/gingerbread.glb");
    let mesh = mesh.to_str().unwrap();
    puppetry(dir.path(), &["rig", mesh, "-o", "plain.glb"]).exits_with(0);
    let with = ["rig", mesh, "--bodyparts", "zoo.parts", "-o", "same.glb"];
    puppetry(dir.path(), &with).exits_with(0).complains("no part of the library 'zoo' fits");
    let bytes = |name: &str| std::fs::read(dir.path().join(name)).unwrap();
    assert!(bytes("plain.glb") == bytes("same.glb"));
}

#[test]
fn a_mesh_without_a_skin_is_no_finished_character() {
    let error = finished_character(&root().join("examples/characters/gingerbread.glb")).unwrap_err();
    assert!(!error.to_string().is_empty());
}

// ---- a studio's pack ----

/// How far a rig is from the artist's.
struct Distance {
    weights: f64,
    joints: f64,
}

fn distance(rigged: &Rigged, mesh: &puppetry::Mesh, base: &Path) -> Distance {
    let truth: BTreeMap<String, Vec3> =
        load_joints(&base.with_extension("truth.json")).unwrap().into_iter().collect();
    let height = Bounds::of(&mesh.positions).extent().y;
    let skin: Value =
        serde_json::from_slice(&std::fs::read(base.with_extension("skin.json")).unwrap()).unwrap();
    let names: Vec<&str> =
        skin["segments"].as_array().unwrap().iter().map(|name| merged(name.as_str().unwrap())).collect();
    let figure = figure_of(&rigged.character.rig);
    let mut segments: Vec<String> = Vec::new();
    for joint in 0..rigged.character.rig.body_joints() {
        let above = rigged.character.rig.joints[joint].parent.map(|parent| segments[parent].clone());
        let own = figure.roles.roles[joint].and_then(segment);
        segments.push(own.or(above).unwrap_or("trunk".to_owned()));
    }
    let areas = vertex_areas(mesh);
    let rows = skin["rows"].as_array().unwrap();
    assert_eq!(rows.len(), mesh.positions.len());
    let (mut sum, mut total) = (0.0, 0.0);
    for (vertex, row) in rows.iter().enumerate() {
        let mut by_segment: BTreeMap<&str, f64> = BTreeMap::new();
        for pair in row.as_array().unwrap().chunks(2) {
            *by_segment.entry(names[pair[0].as_u64().unwrap() as usize]).or_default() +=
                pair[1].as_f64().unwrap();
        }
        let welded = rigged.jointed.prepared.welded[vertex] as usize;
        for (joint, weight) in rigged.weights.of(welded) {
            *by_segment.entry(&segments[joint]).or_default() -= weight;
        }
        sum += areas[vertex] * by_segment.values().map(|x| x.abs()).sum::<f64>();
        total += areas[vertex];
    }
    let errors =
        rigged.jointed.rig_file.skeleton.joints.iter().filter(|joint| !joint.is_tip).filter_map(|joint| {
            let name = truth_name(joint.role?)?;
            Some((joint.position - truth.get(&name)?).norm() / height)
        });
    let errors: Vec<f64> = errors.collect();
    Distance { weights: sum / total, joints: errors.iter().sum::<f64>() / errors.len() as f64 }
}

fn vertex_areas(mesh: &puppetry::Mesh) -> Vec<f64> {
    let mut areas = vec![0.0; mesh.positions.len()];
    for triangle in &mesh.triangles {
        let [a, b, c] = triangle.map(|vertex| mesh.positions[vertex as usize]);
        let area = 0.5 * (b - a).cross(&(c - a)).norm();
        triangle.iter().for_each(|&vertex| areas[vertex as usize] += area / 3.0);
    }
    areas
}

fn merged(name: &str) -> &str {
    if matches!(name, "hips" | "torso" | "left_shoulder" | "right_shoulder") { "trunk" } else { name }
}

/// The names of segments in files of artists' weights.
fn segment(role: Role) -> Option<String> {
    let side = |side: Side| if side == Side::Left { "left" } else { "right" };
    let word = match role {
        Role::Hips | Role::Spine | Role::Limb(_, _, Segment::Girdle) => return Some("trunk".to_owned()),
        Role::Neck => return Some("neck".to_owned()),
        Role::Head => return Some("head".to_owned()),
        Role::Limb(Limb::Arm, s, Segment::Upper) => (s, "upper_arm"),
        Role::Limb(Limb::Arm, s, Segment::Lower) => (s, "lower_arm"),
        Role::Limb(Limb::Arm, s, Segment::End) => (s, "hand"),
        Role::Limb(Limb::Leg, s, Segment::Upper) => (s, "upper_leg"),
        Role::Limb(Limb::Leg, s, Segment::Lower) => (s, "lower_leg"),
        Role::Limb(Limb::Leg, s, Segment::End) => (s, "foot"),
        _ => return None,
    };
    Some(format!("{}_{}", side(word.0), word.1))
}

fn truth_name(role: Role) -> Option<String> {
    let side = |side: Side| if side == Side::Left { "left" } else { "right" };
    let word = match role {
        Role::Hips => return Some("hips".to_owned()),
        Role::Head => return Some("head".to_owned()),
        Role::Limb(Limb::Arm, s, Segment::Upper) => (s, "shoulder"),
        Role::Limb(Limb::Arm, s, Segment::Lower) => (s, "elbow"),
        Role::Limb(Limb::Arm, s, Segment::End) => (s, "wrist"),
        Role::Limb(Limb::Leg, s, Segment::Upper) => (s, "hip"),
        Role::Limb(Limb::Leg, s, Segment::Lower) => (s, "knee"),
        Role::Limb(Limb::Leg, s, Segment::End) => (s, "ankle"),
        _ => return None,
    };
    Some(format!("{}_{}", side(word.0), word.1))
}

/// Each of eight men of one pack by the parts of the seven others, with the artist's joints and with found ones, beside heat.
#[test]
fn a_studio_rigs_its_next_character_as_its_others() {
    let Some(pack) = corpus_file("../packs/modular_men") else { return };
    let rigged = files(&pack, ".rigged.glb");
    let characters: Vec<_> = rigged.iter().map(|file| finished_character(file).unwrap()).collect();
    let mut sums = [0.0; 6];
    let (mut fingers, mut worse) = (Vec::new(), Vec::new());
    eprintln!("{:<12} {:>24} {:>24} {:>17}", "", "given: heat library", "found: heat library", "joints %h");
    for (own, character) in characters.iter().enumerate() {
        let base = pack.join(&character.name);
        let others: Vec<_> =
            characters.iter().filter(|other| other.name != character.name).cloned().collect();
        let library = BodyPartLibrary { name: "men".into(), characters: others, self_test: None };
        let (mesh, _) = load_mesh(&base.with_extension("obj")).unwrap();
        let joints = load_joints(&base.with_extension("truth.json")).unwrap();
        let library = Arc::new(library);
        let rig_with = |joints: Option<&Vec<(String, Vec3)>>, library: Option<&Arc<BodyPartLibrary>>| {
            let mut options = RigOptions::default();
            options.joints = joints.cloned();
            options.body_parts = library.cloned();
            rig(&mesh, &options, &Silent).unwrap()
        };
        let given = rig_with(Some(&joints), Some(&library));
        fingers.extend(finger_errors(&given, &rigged[own], &mesh));
        let runs =
            [rig_with(Some(&joints), None), given, rig_with(None, None), rig_with(None, Some(&library))];
        let of: Vec<Distance> = runs.iter().map(|run| distance(run, &mesh, &base)).collect();
        let row = [of[0].weights, of[1].weights, of[2].weights, of[3].weights, of[2].joints, of[3].joints];
        eprintln!(
            "{:<12} {:>16.3} {:>7.3} {:>16.3} {:>7.3} {:>9.2} {:>7.2}",
            character.name,
            row[0],
            row[1],
            row[2],
            row[3],
            100.0 * row[4],
            100.0 * row[5]
        );
        if row[1] > row[0] || row[3] > row[2] {
            worse.push(character.name.clone());
        }
        sums.iter_mut().zip(row).for_each(|(sum, value)| *sum += value / characters.len() as f64);
    }
    let [heat_given, given, heat_found, found, joints_found, joints] = sums;
    let finger = fingers.iter().sum::<f64>() / fingers.len().max(1) as f64;
    let worst = fingers.iter().copied().fold(0.0, f64::max);
    eprintln!(
        "mean         {heat_given:>16.3} {given:>7.3} {heat_found:>16.3} {found:>7.3} {:>9.2} {:>7.2}; {} finger joints {:.2} %h, worst {:.2} %h",
        100.0 * joints_found,
        100.0 * joints,
        fingers.len(),
        100.0 * finger,
        100.0 * worst
    );
    assert!(given <= GIVEN * heat_given && found <= FOUND * heat_found, "{sums:?}");
    assert!(joints <= JOINTS * joints_found, "{sums:?}");
    assert!(worse.is_empty(), "worse than heat: {worse:?}");
    assert!(finger < 0.01 && !fingers.is_empty(), "{finger}");
}

/// Of heat's distance to the artist's weights, and of the mean error of joints that were found.
const GIVEN: f64 = 0.6;
const FOUND: f64 = 0.7;
const JOINTS: f64 = 0.6;

/// Distances of fingers from the artist's, in heights.
fn finger_errors(rigged: &Rigged, file: &Path, mesh: &puppetry::Mesh) -> Vec<f64> {
    let own = finished_character(file).unwrap();
    let bounds = Bounds::of(&mesh.positions);
    let theirs = Bounds::of(&own.vertices());
    let height = bounds.extent().y;
    let rests = own.rests();
    let output = rigged.jointed.rig_file.output_from_input;
    let Some(assembly) = &rigged.assembly else { return Vec::new() };
    let errors = assembly.extra.iter().filter_map(|extra| {
        let joint = own.joints.find(&extra.joint.name)?;
        let place = bounds.center() + (rests[joint].translation.vector - theirs.center()) * height;
        let place = output.transform_point(&place.into()).coords;
        Some((extra.joint.rest.translation.vector - place).norm() / (height * output.scaling()))
    });
    errors.collect()
}
