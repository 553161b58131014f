//! Characters that lack a limb: what is missing is told, and who has all limbs is not told of any.

mod common;

use common::truth::truth;
use common::{example_characters, puppetry, root};
use puppetry::Vec3;
use puppetry::stages::math::{cos, sin};
use puppetry::stages::mesh::Mesh;
use std::fs;
use std::path::{Path, PathBuf};

const MISSING: &str = "[missing-limbs]";

fn example(name: &str) -> PathBuf {
    root().join(format!("examples/characters/{name}.glb"))
}

fn joint(character: &Path, name: &str) -> Vec3 {
    let truth = truth(character);
    Vec3::from_iterator((0..3).map(|axis| truth["joints"][name][axis].as_f64().unwrap()))
}

/// The surface of a character as an OBJ, without the triangles with a corner for which `is_cut` holds.
fn write_cut(out: &Path, character: &Path, is_cut: impl Fn(&Vec3) -> bool, more: &[[Vec3; 3]]) {
    let (mesh, _): (Mesh, _) = puppetry::load_mesh(character).unwrap();
    let kept = mesh.triangles.iter().map(|triangle| triangle.map(|v| mesh.positions[v as usize]));
    let kept = kept.filter(|corners| !corners.iter().any(&is_cut));
    let mut text = String::new();
    for (number, corners) in kept.chain(more.iter().copied()).enumerate() {
        for p in corners {
            text += &format!("v {} {} {}\n", p.x, p.y, p.z);
        }
        text += &format!("f {} {} {}\n", 3 * number + 1, 3 * number + 2, 3 * number + 3);
    }
    fs::write(out, text).unwrap();
}

/// What rigging says about a file, and its exit code.
fn rig(dir: &Path, file: &str, code: i32) -> String {
    let flags = ["rig", file, "-o", "a.json", "--force", "--up", "y", "--front", "z"];
    puppetry(dir, &flags).exits_with(code).stderr()
}

#[test]
fn a_limb_that_is_cut_off_is_said_to_be_missing() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("cut.obj");
    for name in ["slim", "child"] {
        let character = example(name);
        let at = |name: &str| joint(&character, name);
        let (elbow, shoulder) = (at("left_elbow"), at("left_shoulder"));
        let (knee, hip) = (at("left_knee"), at("left_hip"));
        type Cut<'a> = Box<dyn Fn(&Vec3) -> bool + 'a>;
        let is_beyond = |from: Vec3, to: Vec3, margin: f64| -> Cut {
            let along = (to - from).normalize();
            let length = (to - from).norm() + margin;
            Box::new(move |p: &Vec3| p.x > 0.0 && (p - from).dot(&along) > length)
        };
        let leg = 0.5 * (knee + hip);
        let cuts: [(&str, Cut); 3] = [
            ("the left forearm is missing", is_beyond(shoulder, elbow, 0.0)),
            ("the left lower leg is missing", is_beyond(hip, knee, 0.0)),
            ("the left leg is missing", Box::new(move |p: &Vec3| p.x > 0.0 && p.y < leg.y)),
        ];
        for (what, cut) in cuts {
            write_cut(&out, &character, cut, &[]);
            let said = rig(dir.path(), "cut.obj", 3);
            assert!(said.contains(what) && said.contains(MISSING), "{name}: {what}: {said}");
        }
    }
}

#[test]
fn a_tail_is_not_two_legs() {
    let dir = tempfile::tempdir().unwrap();
    let character = example("slim");
    let (hip, ankle) = (joint(&character, "left_hip"), joint(&character, "left_ankle"));
    // A cone from the hips to the ground.
    const SIDES: usize = 16;
    const WIDE: f64 = 0.17;
    const NARROW: f64 = 0.06;
    let ring = |radius: f64, y: f64, side: usize| {
        let angle = std::f64::consts::TAU * side as f64 / SIDES as f64;
        Vec3::new(radius * cos(angle), y, radius * sin(angle))
    };
    let mut cone = Vec::new();
    for side in 0..SIDES {
        let [a, b] = [side, side + 1].map(|side| ring(WIDE, hip.y, side));
        let [c, d] = [side, side + 1].map(|side| ring(NARROW, 0.0, side));
        let (top, bottom) = (Vec3::y() * hip.y, Vec3::zeros());
        cone.extend([[a, b, c], [b, d, c], [top, b, a], [bottom, c, d]]);
    }
    assert!(ankle.y < hip.y);
    write_cut(&dir.path().join("tail.obj"), &character, |p| p.y < hip.y && p.x.abs() < 3.0 * WIDE, &cone);
    let said = rig(dir.path(), "tail.obj", 3);
    assert!(
        said.contains("a tail or a skirt is where two legs should be") && said.contains(MISSING),
        "{said}"
    );
}

#[test]
fn whoever_is_whole_lacks_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let data = fs::read_dir(root().join("tests/data")).unwrap().flatten().map(|entry| entry.path());
    let data = data.filter(|path| path.extension().is_some_and(|extension| extension == "glb"));
    for character in example_characters().into_iter().chain(data) {
        let name = character.to_string_lossy().into_owned();
        let run = puppetry(dir.path(), &["rig", &name, "-o", "a.json", "--force"]);
        assert!(!run.stderr().contains(MISSING), "{name}: {}", run.stderr());
    }
}
