//! Weights from example poses on real characters: whose weights come back, how far from examples that were not seen, and what bad
//! examples are told.

mod common;

use common::{corpus_file, puppetry, root};
use puppetry::stages::math::{Mat4, Quat, Vec3};
use puppetry::stages::rig::{HelperOptions, Rig, SkinWeights};
use puppetry::stages::skin::examples::{Example, ExampleFit, ExamplePose, ExampleSurface, ExamplesRest, fit};
use puppetry::{
    ClipOptions, MaxInfluences, Mesh, Motion, Pose, RigOptions, Rigged, Silent, animate, load_mesh,
    load_motion, rig,
};
use serde_json::Value;

/// A character of the corpus on our joints, with the weights of its artist.
struct Known {
    rigged: Rigged,
    positions: Vec<Vec3>,
    truth: SkinWeights,
    /// The weights that it gets here, on the joints of the artist's rig: one for the trunk above the hips, one for each foot.
    start: SkinWeights,
}

/// The joint that a segment of the artist's rig moves with here.
fn joint_of(segment: &str) -> String {
    let (side, rest) = match (segment.strip_prefix("left_"), segment.strip_prefix("right_")) {
        (Some(rest), _) => ("Left", rest),
        (_, Some(rest)) => ("Right", rest),
        _ => ("", segment),
    };
    let name = match rest {
        "hips" => "Hips",
        "torso" => "Chest",
        "neck" => "Neck",
        "head" => "Head",
        "shoulder" => "Shoulder",
        "upper_arm" => "UpperArm",
        "lower_arm" => "LowerArm",
        "hand" => "Hand",
        "upper_leg" => "UpperLeg",
        "lower_leg" => "LowerLeg",
        _ => "Foot",
    };
    format!("{side}{name}")
}

impl Known {
    fn of(name: &str) -> Option<Known> {
        let mesh = load_mesh(&corpus_file(&format!("{name}.glb"))?).unwrap().0;
        let text = std::fs::read_to_string(corpus_file(&format!("{name}.skin.json"))?).unwrap();
        let skin: Value = serde_json::from_str(&text).unwrap();
        let mut options = RigOptions::default();
        options.helpers = HelperOptions::NONE;
        let rigged = rig(&mesh, &options, &Silent).unwrap();
        let prepared = &rigged.jointed.prepared;
        let output_from_unit = prepared.placement.output_from_input * prepared.unit_from_input.inverse();
        let place = |p: &Vec3| output_from_unit.transform_point(&(*p).into()).coords;
        let positions: Vec<Vec3> = prepared.positions.iter().map(place).collect();
        let character = &rigged.character.rig;
        let segments: Vec<usize> = skin["segments"]
            .as_array()
            .unwrap()
            .iter()
            .map(|segment| character.find(&joint_of(segment.as_str().unwrap())).unwrap())
            .collect();
        let rows: Vec<Vec<(u16, f64)>> = skin["rows"]
            .as_array()
            .unwrap()
            .iter()
            .map(|row| {
                let row = row.as_array().unwrap();
                row.chunks(2)
                    .map(|pair| {
                        (segments[pair[0].as_u64().unwrap() as usize] as u16, pair[1].as_f64().unwrap())
                    })
                    .collect()
            })
            .collect();
        let mut lists: Vec<Vec<(u16, f64)>> = vec![Vec::new(); positions.len()];
        for (vertex, row) in skin["vertex"].as_array().unwrap().iter().enumerate() {
            lists[prepared.welded[vertex] as usize] = rows[row.as_u64().unwrap() as usize].clone();
        }
        let truth = SkinWeights::of_lists(MaxInfluences::Four, lists.into_iter());
        let mover = |joint: usize| {
            let name = character.joints[joint].name.as_str();
            let of_artist = match name {
                "Spine" | "UpperChest" => "Chest",
                "LeftToes" => "LeftFoot",
                "RightToes" => "RightFoot",
                own => own,
            };
            character.find(of_artist).unwrap() as u16
        };
        let folded = (0..positions.len()).map(|vertex| {
            let mut sums: std::collections::BTreeMap<u16, f64> = Default::default();
            rigged.weights.of(vertex).for_each(|(joint, w)| *sums.entry(mover(joint)).or_default() += w);
            sums.into_iter().collect()
        });
        let start = SkinWeights::of_lists(MaxInfluences::Four, folded);
        Some(Known { rigged, positions, truth, start })
    }

    fn rig(&self) -> &Rig {
        &self.rigged.character.rig
    }

    /// The poses of a motion of the corpus.
    fn poses(&self, name: &str) -> Vec<Pose> {
        let file = corpus_file(&format!("{name}.bvh")).expect("it lies beside the characters");
        let motion = load_motion(&file).unwrap().0;
        animate(&self.rigged.character, name, &motion, &ClipOptions::default()).unwrap().poses
    }

    fn posed(&self, weights: &SkinWeights, pose: &Pose) -> Vec<Vec3> {
        posed(self.rig(), weights, &self.positions, pose)
    }

    fn example(&self, pose: &Pose, is_known: bool) -> Example {
        let turns = turns(self.rig(), pose);
        let pose_of_example = match is_known {
            true => ExamplePose::Turns(vec![turns.into_iter().map(Some).collect()]),
            false => ExamplePose::Unknown,
        };
        Example { name: String::new(), targets: self.posed(&self.truth, pose), pose: pose_of_example }
    }

    fn fit(&self, examples: &[Example]) -> ExampleFit {
        let surface = ExampleSurface {
            rig: self.rig(),
            root: self.rig().find("Hips").unwrap(),
            positions: &self.positions,
            triangles: &self.rigged.jointed.prepared.triangles,
            weights: &self.start,
            kept: &[],
            height: self.rigged.character.height(),
        };
        fit(&surface, examples, ExamplesRest::Keep)
    }

    /// Distance from the artist's surface in poses, in percent of the height, and of the weights.
    fn error(&self, weights: &SkinWeights, poses: &[Pose]) -> [f64; 2] {
        let (mut sum, mut count) = (0.0, 0);
        for pose in poses {
            let surfaces = self.posed(weights, pose).into_iter().zip(self.posed(&self.truth, pose));
            sum += surfaces.map(|(a, b)| (a - b).norm_squared()).sum::<f64>();
            count += self.positions.len();
        }
        let dense = |weights: &SkinWeights, vertex: usize| {
            let mut dense = vec![0.0; self.rig().joints.len()];
            weights.of(vertex).for_each(|(joint, weight)| dense[joint] = weight);
            dense
        };
        let difference = |vertex: usize| -> f64 {
            dense(weights, vertex).iter().zip(dense(&self.truth, vertex)).map(|(a, b)| (a - b).abs()).sum()
        };
        let apart: f64 = (0..self.positions.len()).map(difference).sum();
        let height = self.rigged.character.height();
        [100.0 * (sum / f64::from(count as u32)).sqrt() / height, apart / self.positions.len() as f64]
    }
}

/// How far each joint has turned from rest.
fn turns(rig: &Rig, pose: &Pose) -> Vec<Quat> {
    rig.joints.iter().zip(&pose.rotations).map(|(joint, turn)| turn * joint.rest.rotation.inverse()).collect()
}

fn posed(rig: &Rig, weights: &SkinWeights, positions: &[Vec3], pose: &Pose) -> Vec<Vec3> {
    let joints = rig.joints.iter().zip(pose.rotations.iter().zip(&pose.positions));
    let transforms: Vec<Mat4> = joints
        .map(|(joint, (turn, place))| {
            (nalgebra::Isometry3::from_parts((*place).into(), *turn) * joint.rest.inverse()).to_homogeneous()
        })
        .collect();
    let blend = |(vertex, point): (usize, &Vec3)| -> Vec3 {
        weights
            .of(vertex)
            .map(|(joint, w)| transforms[joint].transform_point(&(*point).into()).coords * w)
            .sum()
    };
    positions.iter().enumerate().map(blend).collect()
}

/// Captured motions: in built-in ones the joints of the back bend by fixed shares, which tell them apart in no pose.
const SEEN: [&str; 4] = ["dance_cmu", "climb_steps_cmu", "pirouette_poser_names", "dab_fair"];
const OTHERS: [&str; 4] = ["dance_cmu", "jump_biovision_names", "climb_steps_cmu", "pirouette_poser_names"];

/// Eight poses of four motions, and forty others.
fn eight_and_forty(known: &Known) -> (Vec<Pose>, Vec<Pose>) {
    let some = |names: &[&str], each: usize, from: usize| -> Vec<Pose> {
        let of_motion = |name: &&str| {
            let poses = known.poses(name);
            let step = poses.len() / each;
            poses.into_iter().skip(step / from).step_by(step).take(each).collect::<Vec<_>>()
        };
        names.iter().flat_map(of_motion).collect()
    };
    (some(&SEEN, 2, 2), some(&OTHERS, 10, 3))
}

#[test]
fn the_weights_of_artists_come_back_from_eight_poses() {
    come_back("male_smooth", 0.06);
    come_back("cesium_man", 0.1);
}

/// `unknown` is the error that is allowed where poses are to be found.
fn come_back(name: &str, unknown: f64) {
    let Some(known) = Known::of(name) else { return };
    let (seen, others) = eight_and_forty(&known);
    let before = known.error(&known.start, &others);
    let examples: Vec<Example> = seen.iter().map(|pose| known.example(pose, true)).collect();
    let start = std::time::Instant::now();
    let fitted = known.fit(&examples);
    let after = known.error(&fitted.weights, &others);
    println!(
        "{name}, known poses: {before:.3?} -> {after:.3?}, left out {:.3?}, {:.1?}",
        fitted.left_out.unwrap().rms,
        start.elapsed()
    );
    assert!(fitted.is_better());
    assert!(after[0] <= 0.03 && after[1] <= 0.02, "{after:?}");
    let posed: Vec<Example> = seen.iter().map(|pose| known.example(pose, false)).collect();
    let start = std::time::Instant::now();
    let fitted = known.fit(&posed);
    let after = known.error(&fitted.weights, &others);
    println!(
        "{name}, unknown poses: {after:.3?}, left out {:.3?}, {:.1?}",
        fitted.left_out.unwrap().rms,
        start.elapsed()
    );
    assert!(fitted.is_better());
    assert!(after[0] <= unknown, "{after:?}");
}

/// A character and its surface in other poses, with smoother weights than it would get.
struct Studio {
    dir: tempfile::TempDir,
    mesh: Mesh,
    rigged: Rigged,
    places: Vec<Vec<Vec3>>,
    poses: Vec<Pose>,
}

impl Studio {
    fn open() -> Studio {
        let read = load_mesh(&root().join("examples/characters/slim.glb")).unwrap().0;
        let dir = tempfile::tempdir().unwrap();
        write_obj(&dir.path().join("slim.obj"), &read.positions, &read.triangles);
        std::fs::create_dir(dir.path().join("poses")).unwrap();
        let mesh = load_mesh(&dir.path().join("slim.obj")).unwrap().0;
        let mut options = RigOptions::default();
        options.helpers = HelperOptions::NONE;
        let rigged = rig(&mesh, &options, &Silent).unwrap();
        let poses = ["dance", "sit", "jump"].iter().flat_map(|name| {
            let motion = Motion::built_in(name).unwrap();
            let poses = animate(&rigged.character, name, &motion, &ClipOptions::default()).unwrap().poses;
            let step = poses.len() / 2;
            poses.into_iter().skip(step / 2).step_by(step).take(2).collect::<Vec<_>>()
        });
        let poses: Vec<Pose> = poses.collect();
        let prepared = &rigged.jointed.prepared;
        let truth = smoothed(&rigged.weights, &prepared.triangles, prepared.positions.len());
        let output_from_unit = prepared.placement.output_from_input * prepared.unit_from_input.inverse();
        let place = |p: &Vec3| output_from_unit.transform_point(&(*p).into()).coords;
        let positions: Vec<Vec3> = prepared.positions.iter().map(place).collect();
        let input_from_output = prepared.placement.output_from_input.inverse();
        let places = poses.iter().map(|pose| {
            let posed = posed(&rigged.character.rig, &truth, &positions, pose);
            let of_file =
                |&welded: &u32| input_from_output.transform_point(&posed[welded as usize].into()).coords;
            prepared.welded.iter().map(of_file).collect()
        });
        let places = places.collect();
        Studio { dir, mesh, rigged, places, poses }
    }

    /// Writes one of the examples.
    fn write(&self, number: usize, change: impl Fn(usize, &Vec3) -> Vec3) {
        let places: Vec<Vec3> = self.places[number].iter().enumerate().map(|(v, p)| change(v, p)).collect();
        write_obj(&self.file(number, "obj"), &places, &self.mesh.triangles);
    }

    fn file(&self, number: usize, ending: &str) -> std::path::PathBuf {
        self.dir.path().join(format!("poses/pose{number}.{ending}"))
    }

    fn rig(&self, more: &[&str]) -> common::Run {
        let fixed = ["rig", "slim.obj", "-o", "out.glb", "--examples", "poses", "--report", "report.json"];
        puppetry(self.dir.path(), &[&fixed[..], more].concat())
    }

    fn report(&self) -> Value {
        serde_json::from_slice(&std::fs::read(self.dir.path().join("report.json")).unwrap()).unwrap()
    }
}

fn write_obj(file: &std::path::Path, positions: &[Vec3], triangles: &[[u32; 3]]) {
    let mut text = String::new();
    positions.iter().for_each(|p| text += &format!("v {} {} {}\n", p.x, p.y, p.z));
    triangles.iter().for_each(|[a, b, c]| text += &format!("f {} {} {}\n", a + 1, b + 1, c + 1));
    std::fs::write(file, text).unwrap();
}

/// Weights that went over from vertex to vertex for some steps.
fn smoothed(weights: &SkinWeights, triangles: &[[u32; 3]], vertices: usize) -> SkinWeights {
    let mut lists: Vec<Vec<(u16, f64)>> =
        (0..vertices).map(|v| weights.of(v).map(|(joint, w)| (joint as u16, w)).collect()).collect();
    for _ in 0..6 {
        let mut sums: Vec<std::collections::BTreeMap<u16, f64>> = vec![Default::default(); vertices];
        for triangle in triangles {
            for (to, from) in [(0, 1), (1, 2), (2, 0)] {
                for (joint, weight) in &lists[triangle[from] as usize] {
                    *sums[triangle[to] as usize].entry(*joint).or_default() += weight;
                }
            }
        }
        let means = sums.into_iter().zip(lists).map(|(sum, list)| {
            let total: f64 = sum.values().sum();
            if total > 0.0 { sum.into_iter().map(|(joint, w)| (joint, w / total)).collect() } else { list }
        });
        lists = means.collect();
    }
    SkinWeights::of_lists(MaxInfluences::Four, lists.into_iter())
}

#[test]
fn a_folder_of_examples_teaches_weights() {
    let studio = Studio::open();
    (0..6).for_each(|number| studio.write(number, |_, p| *p));
    std::fs::write(studio.dir.path().join("poses/broken.glb"), "nothing").unwrap();
    std::fs::write(studio.dir.path().join("poses/notes.txt"), "nothing").unwrap();
    let run = studio.rig(&["--twist", "none"]).exits_with(0).prints("left out").complains("'broken.glb'");
    assert!(!run.stderr().contains("notes.txt"));
    let report = studio.report();
    let examples = &report["examples"];
    let rms = |of: &Value| of["rms"].as_f64().unwrap();
    println!("{}", examples);
    assert_eq!(examples["used"], true);
    assert!(rms(&examples["left_out"]) < 0.5 * rms(&examples["before"]), "{examples}");
    assert!(examples["examples"].as_object().unwrap().len() == 6);
    let codes: Vec<&str> =
        report["warnings"].as_array().unwrap().iter().map(|w| w["code"].as_str().unwrap()).collect();
    assert!(codes.contains(&"example-skipped"), "{codes:?}");

    // The poses of the joints lie beside them.
    let rig = &studio.rigged.character.rig;
    for (number, pose) in studio.poses.iter().enumerate() {
        let clip = puppetry::stages::clip::bake(rig, "pose", 0.1, std::slice::from_ref(pose));
        let text = puppetry::stages::io::bvh::write(&clip.as_motion(rig), Default::default());
        std::fs::write(studio.file(number, "bvh"), text).unwrap();
    }
    std::fs::remove_file(studio.dir.path().join("poses/broken.glb")).unwrap();
    studio.rig(&["--twist", "none"]).exits_with(0);
    let known = studio.report();
    println!("{}", known["examples"]);
    assert!(rms(&known["examples"]["after"]) < 0.05, "{known}");
    assert!(rms(&known["examples"]["after"]) <= rms(&examples["after"]) + 0.01);

    // Where joints are says as much.
    let input_from_output = studio.rigged.jointed.prepared.placement.output_from_input.inverse();
    for (number, pose) in studio.poses.iter().enumerate() {
        std::fs::remove_file(studio.file(number, "bvh")).unwrap();
        let joints = rig.joints.iter().zip(&pose.positions).map(|(joint, place)| {
            let p = input_from_output.transform_point(&(*place).into());
            (joint.name.clone(), serde_json::json!([p.x, p.y, p.z]))
        });
        let joints: serde_json::Map<String, Value> = joints.filter(|(name, _)| name != "Root").collect();
        std::fs::write(studio.file(number, "json"), serde_json::json!({ "joints": joints }).to_string())
            .unwrap();
    }
    studio.rig(&["--examples-rest", "fit"]).exits_with(0);
    let placed = studio.report();
    println!("{}", placed["examples"]);
    assert!(rms(&placed["examples"]["left_out"]) < 0.5 * rms(&examples["before"]));
}

#[test]
fn bad_examples_are_told_apart() {
    let studio = Studio::open();
    studio.rig(&[]).exits_with(1).complains("here is no example in 'poses'");
    studio.write(0, |_, p| p * 100.0);
    studio.rig(&[]).exits_with(1).complains("times as large as the character");
    let count = studio.mesh.positions.len();
    studio.write(0, |vertex, _| studio.places[0][(vertex * 7919) % count]);
    studio.rig(&[]).exits_with(1).complains("another order");
    write_obj(&studio.file(0, "obj"), &studio.mesh.positions, &studio.mesh.triangles);
    studio.rig(&[]).exits_with(1).complains("the pose of the mesh itself");
    let fewer = &studio.mesh.triangles[3..];
    write_obj(&studio.file(0, "obj"), &studio.places[0], fewer);
    studio.rig(&[]).exits_with(1).complains("triangles, and the character");
    studio.write(0, |_, p| *p);
    studio.rig(&["--parts", "rigid"]).exits_with(1).complains("leave out --parts rigid");
    studio.rig(&[]).exits_with(0).complains("there is one example");
    std::fs::write(studio.file(0, "bvh"), "HIERARCHY nothing").unwrap();
    studio.rig(&[]).exits_with(1).complains("pose0.bvh");
}
