//! Up and front, seen from the shape of real characters.

mod common;

use common::truth::truth;
use common::{corpus_files, example_characters, puppetry};
use puppetry::Role;
use puppetry::Warning;
use puppetry::stages::embed::landmarks::find_landmarks;
use puppetry::stages::embed::voxels::VoxelVolume;
use puppetry::stages::io::load_mesh;
use puppetry::stages::math::{Axis, Mat3, Vec3};
use puppetry::stages::mesh::orientation::OrientationReason;
use puppetry::stages::mesh::prepare::{PrepareOptions, PreparedMesh, prepare};
use puppetry::stages::mesh::shapes::{surface, uv_sphere};
use puppetry::stages::mesh::{Conventions, Format, Mesh};
use rayon::prelude::*;
use std::fmt::Write;
use std::path::Path;

const GLTF: Conventions =
    Conventions { meters_per_unit: Some(1.0), up: Some(Axis::PosY), front: Some(Axis::PosZ) };

fn prepared(mesh: &Mesh) -> PreparedMesh {
    prepare(mesh, &PrepareOptions::default(), &mut Vec::new()).expect("a surface")
}

#[test]
fn real_and_example_characters_are_not_turned() {
    let characters = [example_characters(), corpus_files(".glb")].concat();
    let mut unconfirmed = Vec::new();
    for character in &characters {
        let (mesh, _) = load_mesh(character).unwrap();
        let orientation = prepared(&mesh).placement.orientation;
        assert!(orientation.is_upright(), "{}: {orientation:?}", name(character));
        assert_eq!(orientation.up_reason, OrientationReason::Declared, "{}", name(character));
        if orientation.front_reason != OrientationReason::Declared {
            assert_eq!(orientation.front_reason, OrientationReason::Unconfirmed, "{}", name(character));
            unconfirmed.push(name(character));
        }
    }
    assert!(unconfirmed.len() <= characters.len() / 10, "nobody sees where they face: {unconfirmed:?}");
}

/// A character as it comes back from a file in a format, after it was turned.
fn exported(mesh: &Mesh, turn: &Mat3, format: Format) -> Mesh {
    let round = |x: f64| match format {
        Format::Glb => f64::from(x as f32),
        _ => format!("{x:.6e}").parse().unwrap(),
    };
    let mut turned =
        surface(mesh.positions.iter().map(|p| (turn * p).map(round)).collect(), mesh.triangles.clone());
    turned.origin.format = format;
    if format == Format::Glb {
        turned.origin.conventions = GLTF;
    }
    turned
}

/// The joints, each by its role and its number among those of the role, in the coordinates of the file.
fn joints(prepared: &PreparedMesh) -> Vec<((Role, usize), Vec3)> {
    let input_from_unit = prepared.unit_from_input.inverse();
    let place = |p: &Vec3| (input_from_unit * nalgebra::Point3::from(*p)).coords;
    let joints = find_landmarks(&VoxelVolume::of(prepared), None).joints;
    joints.iter().map(|joint| ((joint.role, joint.rank), place(&joint.position))).collect()
}

/// Z up, and turned about the vertical.
fn turns() -> [(&'static str, Mat3); 4] {
    let about_y =
        |degrees: f64| *nalgebra::Rotation3::from_axis_angle(&Vec3::y_axis(), degrees.to_radians()).matrix();
    let z_up = Mat3::from_columns(&[Vec3::x(), Vec3::z(), -Vec3::y()]);
    [("Z up", z_up), ("90", about_y(90.0)), ("180", about_y(180.0)), ("37", about_y(37.0))]
}

/// Largest difference between the joints of a turned character and those of the one that was not, in parts of the
/// height; each turn first as OBJ, then as GLB. Where it is too large there must be a warning.
fn differences(mesh: &Mesh) -> Vec<(f64, Vec<Warning>)> {
    let upright = prepared(mesh);
    let (expected, height) = (joints(&upright), upright.placement.height_in_file);
    let mut differences = Vec::new();
    for (_, turn) in turns() {
        let mut last = None;
        for format in [Format::Obj, Format::Glb] {
            let mut warnings = Vec::new();
            let prepared =
                prepare(&exported(mesh, &turn, format), &PrepareOptions::default(), &mut warnings).unwrap();
            let orientation = prepared.placement.orientation;
            let key = (orientation.up, orientation.front, orientation.yaw.to_degrees().round());
            // The same orientation gives the same joints.
            let worst = match last {
                Some((known, worst)) if known == key => worst,
                _ => {
                    let found = joints(&prepared);
                    let same = found.iter().map(|j| j.0).eq(expected.iter().map(|j| j.0));
                    let difference =
                        found.iter().zip(&expected).map(|(a, b)| (a.1 - turn * b.1).norm() / height);
                    if same { difference.fold(0.0, f64::max) } else { f64::INFINITY }
                }
            };
            last = Some((key, worst));
            differences.push((worst, warnings));
        }
    }
    differences
}

#[test]
fn turned_characters_have_the_same_joints_or_a_warning() {
    let characters: Vec<_> = corpus_files(".glb")
        .into_iter()
        .filter(|character| truth(character)["morphology"] != "other")
        .collect();
    let tables: Vec<_> =
        characters.par_iter().map(|character| differences(&load_mesh(character).unwrap().0)).collect();
    let (mut same, mut silent) = (0, Vec::new());
    for (character, table) in characters.iter().zip(&tables) {
        let mut row = String::new();
        for (k, (worst, warnings)) in table.iter().enumerate() {
            let (turn, format) = (turns()[k / 2].0, ["OBJ", "GLB"][k % 2]);
            let is_assumed = warnings.iter().any(|w| matches!(w, Warning::OrientationAssumed { .. }));
            if *worst >= 0.02 && !is_assumed {
                silent.push(format!("{} {turn} {format}: {worst:.3}, and no warning", name(character)));
            }
            let _ =
                write!(row, " {turn} {format} {:.2} %{}", 100.0 * worst, if is_assumed { "?" } else { "" });
        }
        println!("{}:{row}", name(character));
        same += usize::from(table.iter().all(|(worst, _)| *worst < 0.02));
    }
    // A file that says the wrong front of boxes whose shape says nothing against it is believed.
    assert!(silent.len() <= 2 && silent.iter().all(|who| who.contains("180 GLB")), "{silent:?}");
    assert!(same + 3 >= characters.len(), "the same joints on {same} of {}", characters.len());
}

#[test]
fn inspect_says_by_how_much_a_character_is_turned() {
    let folder = tempfile::tempdir().unwrap();
    let (mesh, _) = load_mesh(&common::root().join("examples/characters/slim.glb")).unwrap();
    let turned = exported(&mesh, &turns()[3].1, Format::Obj);
    let mut text = String::new();
    for p in &turned.positions {
        writeln!(text, "v {} {} {}", p.x, p.y, p.z).unwrap();
    }
    for triangle in &turned.triangles {
        let [a, b, c] = triangle.map(|v| v + 1);
        writeln!(text, "f {a} {b} {c}").unwrap();
    }
    std::fs::write(folder.path().join("turned.obj"), text).unwrap();
    puppetry(folder.path(), &["inspect", "turned.obj"])
        .exits_with(0)
        .prints("+Z turned by 37.0 degrees towards +X (seen from the shape)")
        .warns_of_nothing();
}

/// The same character in a format without conventions, turned so that `up` and `front` are its axes.
fn turned(mesh: &Mesh, up: Axis, front: Axis) -> Mesh {
    let (up, front) = (up.vector(), front.vector());
    let left = up.cross(&front);
    let mut turned = surface(
        mesh.positions.iter().map(|p| left * p.x + up * p.y + front * p.z).collect(),
        mesh.triangles.clone(),
    );
    turned.origin.format = Format::Obj;
    turned
}

#[test]
fn up_and_front_are_seen_from_the_shape_alone() {
    let characters = [example_characters(), corpus_files(".glb")].concat();
    let (mut up_right, mut front_right, mut claimed_wrong) = (0, 0, Vec::new());
    for character in &characters {
        let (mesh, _) = load_mesh(character).unwrap();
        // The evidence does not depend on the axes, so one unusual orientation shows it; −X up is nobody's custom.
        let orientation = prepared(&turned(&mesh, Axis::NegX, Axis::NegY)).placement.orientation;
        up_right += usize::from(orientation.up == Axis::NegX);
        front_right += usize::from(orientation.front == Axis::NegY);
        if orientation.up != Axis::NegX
            || (orientation.front != Axis::NegY && orientation.front_reason == OrientationReason::Shape)
        {
            claimed_wrong.push(name(character));
        }
    }
    println!("up right on {up_right}, front on {front_right} of {} characters", characters.len());
    assert!(claimed_wrong.is_empty(), "seen wrongly: {claimed_wrong:?}");
    assert!(up_right >= characters.len() * 9 / 10 && front_right >= characters.len() * 8 / 10);
}

#[test]
fn a_declared_axis_is_overruled_when_the_character_lies_on_its_back() {
    let characters = [example_characters(), corpus_files(".glb")].concat();
    let mut put_upright = 0;
    for character in &characters {
        let (mesh, _) = load_mesh(character).unwrap();
        let mut lying = turned(&mesh, Axis::PosZ, Axis::NegY);
        lying.origin.conventions = GLTF;
        let orientation = prepared(&lying).placement.orientation;
        match orientation.up_reason {
            OrientationReason::ShapeContradicts { declared: Axis::PosY } => {
                assert_eq!(orientation.up, Axis::PosZ, "{}: turned, but wrongly", name(character));
                put_upright += 1;
            }
            // What the file says stays where the shape is not sure.
            reason => {
                assert_eq!(orientation.up, Axis::PosY, "{}", name(character));
                let stays = [OrientationReason::Declared, OrientationReason::Unconfirmed];
                assert!(stays.contains(&reason), "{}: {reason:?}", name(character));
            }
        }
    }
    println!("{put_upright} of {} characters on their backs are put upright", characters.len());
    assert!(put_upright >= characters.len() * 8 / 10);
}

fn name(path: &Path) -> String {
    path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

#[test]
fn a_body_that_looks_the_same_from_both_sides_says_that_it_guesses() {
    let mut egg = uv_sphere(16, 32);
    for position in &mut egg.positions {
        position.component_mul_assign(&Vec3::new(0.6, 1.0, 0.4));
    }
    let mut warnings = Vec::new();
    let orientation = prepare(&egg, &PrepareOptions::default(), &mut warnings).unwrap().placement.orientation;
    assert!(
        matches!(orientation.front_reason, OrientationReason::Custom | OrientationReason::Guess),
        "{orientation:?}"
    );
    assert!(warnings.iter().any(|warning| warning.code() == "stance-assumed"));
    // Nothing is guessed where the file says it and the shape does not contradict.
    egg.origin.conventions.up = Some(Axis::PosY);
    egg.origin.conventions.front = Some(Axis::PosZ);
    let mut warnings = Vec::new();
    let orientation = prepare(&egg, &PrepareOptions::default(), &mut warnings).unwrap().placement.orientation;
    assert_eq!(orientation.front, Axis::PosZ);
    assert!(warnings.iter().all(|warning| warning.code() != "stance-assumed"), "{warnings:?}");
}
