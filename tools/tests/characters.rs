//! The characters in `examples/characters`, the creatures in its folder, and those in `tests/data` are what their truth files say, and what their generator makes.

// Input and expected values, not results: any bits will do.
#![allow(clippy::disallowed_methods)]

use puppetry::stages::math::{Bounds, Vec3};
use puppetry_tools::characters::{CAST, CREATURES, HARD_CASES, files};
use puppetry_tools::repository;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;

/// A GLB as the gltf crate reads it, with equal positions welded.
struct Loaded {
    stored_vertices: usize,
    points: Vec<[f32; 3]>,
    triangles: Vec<[usize; 3]>,
}

fn path(name: &str, ending: &str) -> PathBuf {
    let folder = match name {
        name if is_example(name) => "examples/characters",
        name if is_creature(name) => "examples/characters/creatures",
        _ => "tests/data",
    };
    repository().join(folder).join(format!("{name}.{ending}"))
}

fn is_example(name: &str) -> bool {
    CAST.iter().any(|(example, _)| *example == name)
}

fn is_creature(name: &str) -> bool {
    CREATURES.iter().any(|(creature, _)| *creature == name)
}

fn all() -> impl Iterator<Item = &'static str> {
    CAST.iter().chain(&CREATURES).chain(&HARD_CASES).map(|(name, _)| *name)
}

fn load(name: &str) -> Loaded {
    let (document, buffers, _) = gltf::import(path(name, "glb")).unwrap();
    let mut numbers: BTreeMap<[u32; 3], usize> = BTreeMap::new();
    let mut loaded = Loaded { stored_vertices: 0, points: vec![], triangles: vec![] };
    for primitive in document.meshes().flat_map(|mesh| mesh.primitives().collect::<Vec<_>>()) {
        let reader = primitive.reader(|buffer| Some(&buffers[buffer.index()]));
        let welded: Vec<usize> = reader
            .read_positions()
            .unwrap()
            .map(|point| {
                // Adding zero turns -0 into 0.
                *numbers.entry(point.map(|value| (value + 0.0).to_bits())).or_insert_with(|| {
                    loaded.points.push(point);
                    loaded.points.len() - 1
                })
            })
            .collect();
        let indices: Vec<u32> = reader.read_indices().unwrap().into_u32().collect();

        loaded.stored_vertices += welded.len();
        loaded.triangles.extend(indices.chunks(3).map(|t| [t[0], t[1], t[2]].map(|v| welded[v as usize])));
    }
    loaded
}

fn truth(name: &str) -> Value {
    serde_json::from_slice(&fs::read(path(name, "truth.json")).unwrap()).unwrap()
}

impl Loaded {
    fn bounds(&self) -> Bounds {
        let points: Vec<Vec3> = self.points.iter().map(|p| Vec3::from(p.map(f64::from))).collect();
        Bounds::of(&points)
    }

    /// How many triangles use each edge.
    fn edge_uses(&self) -> BTreeMap<[usize; 2], usize> {
        let mut uses = BTreeMap::new();
        for [a, b, c] in &self.triangles {
            for (a, b) in [(a, b), (b, c), (c, a)] {
                *uses.entry([*a.min(b), *a.max(b)]).or_default() += 1;
            }
        }
        uses
    }

    fn components(&self) -> usize {
        let mut neighbours = vec![vec![]; self.points.len()];
        for [a, b] in self.edge_uses().into_keys() {
            neighbours[a].push(b);
            neighbours[b].push(a);
        }
        let mut seen = vec![false; self.points.len()];
        let mut components = 0;
        for start in 0..self.points.len() {
            let mut open = vec![start];
            components += usize::from(!seen[start]);
            while let Some(vertex) = open.pop() {
                if !std::mem::replace(&mut seen[vertex], true) {
                    open.extend(&neighbours[vertex]);
                }
            }
        }
        components
    }

    /// How often the surface surrounds a point (solid angles after Van Oosterom & Strackee 1983).
    fn winding_number(&self, at: Vec3) -> f64 {
        let solid_angle = |triangle: &[usize; 3]| {
            let [a, b, c] = triangle.map(|vertex| Vec3::from(self.points[vertex].map(f64::from)) - at);
            let lengths = a.norm() * b.norm() * c.norm();
            let rest = a.dot(&b) * c.norm() + b.dot(&c) * a.norm() + c.dot(&a) * b.norm();
            2.0 * a.dot(&b.cross(&c)).atan2(lengths + rest)
        };
        self.triangles.iter().map(solid_angle).sum::<f64>() / (4.0 * std::f64::consts::PI)
    }

    fn smallest_area(&self) -> f64 {
        let point = |vertex: usize| Vec3::from(self.points[vertex].map(f64::from));
        let area =
            |t: &[usize; 3]| (point(t[1]) - point(t[0])).cross(&(point(t[2]) - point(t[0]))).norm() / 2.0;
        self.triangles.iter().map(area).fold(f64::INFINITY, f64::min)
    }
}

#[test]
fn the_folders_hold_exactly_these_characters() {
    let in_folder = |folder: &str| -> BTreeSet<String> {
        let entries = fs::read_dir(repository().join(folder)).unwrap();
        let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        names.filter_map(|file| file.strip_suffix(".glb").map(str::to_owned)).collect()
    };
    assert_eq!(in_folder("examples/characters"), CAST.iter().map(|(name, _)| name.to_string()).collect());
    let creatures = CREATURES.iter().map(|(name, _)| name.to_string()).collect();
    assert_eq!(in_folder("examples/characters/creatures"), creatures);
    assert_eq!(in_folder("tests/data"), HARD_CASES.iter().map(|(name, _)| name.to_string()).collect());
}

#[test]
fn meshes_are_what_their_truth_files_say() {
    for name in all() {
        let (loaded, truth) = (load(name), truth(name));
        let uses = loaded.edge_uses();
        let count = |wanted: fn(usize) -> bool| uses.values().filter(|&&uses| wanted(uses)).count();
        let (boundary, nonmanifold) = (count(|uses| uses == 1), count(|uses| uses > 2));
        let found = [
            ("vertices", loaded.stored_vertices),
            ("welded_vertices", loaded.points.len()),
            ("triangles", loaded.triangles.len()),
            ("components", loaded.components()),
            ("boundary_edges", boundary),
            ("nonmanifold_edges", nonmanifold),
        ];
        for (key, value) in found {
            assert_eq!(truth[key], value, "{name}: {key}");
        }
        assert_eq!(truth["watertight"], boundary + nonmanifold == 0, "{name}");
        assert!((truth["height"].as_f64().unwrap() - loaded.bounds().extent().y).abs() < 1e-5, "{name}");
    }
}

#[test]
fn characters_stand_on_the_floor_and_are_symmetric_small_and_without_degenerate_triangles() {
    for name in all() {
        let loaded = load(name);

        assert_eq!(loaded.bounds().min.y, 0.0, "{name} does not stand on y = 0");
        let bits = |[x, y, z]: [f32; 3]| [x + 0.0, y, z].map(f32::to_bits);
        let points: BTreeSet<_> = loaded.points.iter().map(|&point| bits(point)).collect();
        // Who holds something in one hand is not symmetric, nor who is bent into an S.
        let one_sided = loaded.points.iter().filter(|&&[x, y, z]| !points.contains(&bits([-x, y, z])));
        let is_one_sided = ["staff", "snake"].contains(&name);
        assert_eq!(one_sided.count() > 0, is_one_sided, "{name}: points without a mirror image");
        let square = loaded.bounds().extent().y.powi(2);
        assert!(loaded.smallest_area() > 1e-7 * square, "{name}: {}", loaded.smallest_area());
        let limit = if is_example(name) || is_creature(name) { 1_000_000 } else { 60_000 };
        assert!(fs::metadata(path(name, "glb")).unwrap().len() < limit, "{name} is too large");
    }
}

#[test]
fn joints_lie_inside_the_body_and_left_is_left() {
    // There is no inside under an open robe.
    for name in all().filter(|name| *name != "robe") {
        let (loaded, truth) = (load(name), truth(name));
        let joints = truth["joints"].as_object().unwrap();
        let least = if is_creature(name) { 9 } else { 19 };
        assert!(joints.len() >= least, "{name} has {} joints", joints.len());
        for (joint, at) in joints {
            let at = Vec3::from_fn(|axis, _| at[axis].as_f64().unwrap());
            assert!(loaded.winding_number(at) > 0.5, "{name}: {joint} lies outside the mesh");
            let on_its_side = match joint {
                joint if joint.contains("left_") => at.x > 0.0,
                joint if joint.contains("right_") => at.x < 0.0,
                _ => at.x == 0.0 || name == "snake",
            };
            assert!(on_its_side, "{name}: {joint} is on the wrong side");
        }
    }
}

#[test]
fn the_robot_has_many_named_parts_and_the_dressed_person_open_hems() {
    let (document, ..) = gltf::import(path("robot", "glb")).unwrap();
    let names: BTreeSet<_> = document.nodes().map(|node| node.name().unwrap().to_owned()).collect();
    assert!(names.len() >= 30 && names.len() == load("robot").components(), "{names:?}");
    let boundary = load("layers").edge_uses().values().filter(|&&uses| uses == 1).count();
    assert!(boundary > 100, "only {boundary} boundary edges");
}

#[test]
fn hard_cases_have_the_feature_that_they_are_for() {
    let boundary = |name: &str| load(name).edge_uses().values().filter(|&&uses| uses == 1).count();
    assert!(boundary("robe") > 50);
    assert!(load("pebbles").components() > 40);
    assert_eq!(load("staff").components(), 2);
    let inside = |name: &str, x: f64, joint: &str| {
        let height = truth(name)["joints"][joint][1].as_f64().unwrap();
        load(name).winding_number(Vec3::new(x, height, 0.0)) > 0.5
    };
    assert!(inside("fused_thighs", 0.0, "left_knee") && !inside("lowered_arms", 0.0, "left_knee"));
    let joints = &truth("lowered_arms")["joints"];
    let reach = |axis: usize| {
        let [from, to] = ["left_shoulder", "left_wrist"].map(|joint| joints[joint][axis].as_f64().unwrap());
        (to - from).abs()
    };
    assert!(reach(1) > 5.0 * reach(0), "the arms hang");
    let joints = &truth("long_neck")["joints"];
    let [neck, head] = ["neck", "head"].map(|joint| joints[joint][1].as_f64().unwrap());
    assert!(head - neck > 0.7 * neck, "the neck is long");
}

#[test]
fn creatures_have_the_limbs_that_their_truth_files_name() {
    let told = |name: &str, kind: &str| {
        let truth = truth(name);
        let limbs = truth["limbs"].as_array().unwrap().clone();
        for limb in &limbs {
            let joints = limb["joints"].as_array().unwrap();
            assert!(joints.len() >= 2, "{name}");
            assert!(joints.iter().all(|joint| truth["joints"][joint.as_str().unwrap()].is_array()), "{name}");
        }
        limbs.iter().filter(|limb| limb["kind"] == kind).count()
    };
    for (name, kind, count) in [
        ("spider", "leg", 8),
        ("spider", "feeler", 2),
        ("hexapod", "leg", 6),
        ("fourarms", "arm", 4),
        ("centaur", "leg", 4),
        ("centaur", "arm", 2),
        ("bird", "wing", 2),
        ("dragon", "leg", 4),
        ("dragon", "tail", 1),
        ("raptor", "arm", 2),
        ("fish", "wing", 2),
        ("snake", "leg", 0),
    ] {
        assert_eq!(told(name, kind), count, "{name}: {kind}");
    }
}

fn assert_reproducible(names: &[&str]) {
    for (name, make) in
        CAST.iter().chain(&CREATURES).chain(&HARD_CASES).filter(|(name, _)| names.contains(name))
    {
        for (ending, bytes) in files(&make()).unwrap() {
            assert!(
                fs::read(path(name, ending)).unwrap() == bytes,
                "{name}.{ending} is not what is made now: cargo run --release -p puppetry-tools --bin make_characters"
            );
        }
    }
}

#[test]
fn making_the_robot_and_the_hard_cases_again_gives_the_same_bytes() {
    assert_reproducible(&["robot"]);
    assert_reproducible(&HARD_CASES.map(|(name, _)| name));
}

#[test]
#[ignore = "half a minute"]
fn making_everybody_again_gives_the_same_bytes() {
    assert_reproducible(&CAST.map(|(name, _)| name));
    assert_reproducible(&CREATURES.map(|(name, _)| name));
}
