//! Characters of many rigid pieces: which piece moves with which joint, and that it stays rigid.

mod common;

use common::{corpus_files, files, puppetry, root};
use puppetry::stages::embed::{EmbedOptions, Embedding, embed};
use puppetry::stages::io::{load_mesh, skeleton_file, truth_file};
use puppetry::stages::learn::Errors;
use puppetry::stages::math::Vec3;
use puppetry::stages::mesh::prepare::{PrepareOptions, PreparedMesh, prepare};
use puppetry::stages::mesh::{Mesh, TriangleTree, shapes};
use puppetry::stages::parts::pieces::pieces;
use puppetry::stages::parts::{FittedSkeleton, Parts, PartsChoice, PartsError, PartsKind, Segmentation};
use puppetry::stages::rig::bind_pose;
use puppetry::stages::skeleton::{Skeleton, Truth, built_in};
use puppetry::stages::skin::poses::test_poses;
use std::fs;
use std::path::Path;

/// A character whose joints were found and moved to where its pieces touch, if they are rigid.
struct Rigged {
    mesh: Mesh,
    prepared: PreparedMesh,
    embedding: Embedding,
    route: Segmentation,
    plane: f64,
}

fn skeletons() -> Vec<Skeleton> {
    built_in().iter().take(3).map(|file| skeleton_file::read(file.text).unwrap()).collect()
}

fn rig(path: &Path, choice: PartsChoice) -> Rigged {
    let (mesh, _) = load_mesh(path).unwrap();
    let prepared = prepare(&mesh, &PrepareOptions::default(), &mut Vec::new()).unwrap();
    let tree = TriangleTree::new(&prepared.positions, &prepared.triangles);
    let (mut embedding, stages) =
        embed(&prepared, &tree, &skeletons(), &[], &EmbedOptions::default()).unwrap();
    let fitted = FittedSkeleton {
        skeleton: &embedding.skeleton,
        joints: &embedding.positions,
        height: stages.frame.height,
        plane: embedding.symmetric.then_some(stages.plane.x),
    };
    let route =
        Segmentation::of(&prepared, pieces(&prepared), choice, &fitted, &embedding.confidences).unwrap();
    for &(joint, place) in &route.moved_joints {
        embedding.positions[joint] = place;
    }
    Rigged { mesh, prepared, embedding, route, plane: stages.plane.x }
}

/// Every edge keeps its length in every test pose.
#[track_caller]
fn assert_rigid(name: &str, rigged: &Rigged) {
    let Rigged { prepared, embedding, route, .. } = rigged;
    let (skin, rigid) = route.weights(prepared, |_| panic!("{name}: rigid pieces are not bound softly"));
    assert_eq!(rigid.iter().flatten().count(), prepared.topology.components.len(), "{name}");
    let rest = bind_pose(&embedding.skeleton, &embedding.positions);
    let weights = skin.weights.remapped(&rest.exported);
    for pose in test_poses(&embedding.skeleton, &embedding.positions) {
        let posed = |vertex: u32| {
            let position = prepared.positions[vertex as usize];
            let moved = weights.of(vertex as usize).map(|(joint, weight)| {
                pose.posed_from_bound[joint].transform_point(&position.into()).coords * weight
            });
            moved.sum::<Vec3>()
        };
        for &[a, b, c] in &prepared.triangles {
            for (from, to) in [(a, b), (b, c), (c, a)] {
                let rest = (prepared.positions[from as usize] - prepared.positions[to as usize]).norm();
                let stretch = (posed(from) - posed(to)).norm() / rest;
                assert!((stretch - 1.0).abs() < 1e-5, "{name}, {}: {stretch}", pose.name);
            }
        }
    }
}

/// The joint of each named piece of the example robot; `left_` pieces have a mirror image on the right.
const ROBOT: [(&str, &[&str]); 16] = [
    ("Hips", &["pelvis"]),
    ("Spine", &["waist"]),
    ("UpperChest", &["torso", "chest_panel", "gauge", "backpack"]),
    ("LeftUpperChest", &["left_dial"]),
    ("Neck", &["neck_ring_high"]),
    (
        "Head",
        &["head", "dome", "mouth", "tooth_left", "tooth_middle", "tooth_right", "antenna", "antenna_ball"],
    ),
    ("LeftHead", &["left_eye_socket", "left_eye", "left_pupil", "left_ear"]),
    ("LeftUpperArm", &["left_shoulder", "left_upper_arm"]),
    ("LeftLowerArm", &["left_elbow", "left_forearm", "left_cuff"]),
    ("LeftHand", &["left_wrist", "left_palm"]),
    ("LeftHand", &["left_finger_front", "left_finger_back", "left_thumb"]),
    ("LeftHand", &["left_finger_front_tip", "left_finger_back_tip", "left_thumb_tip"]),
    ("LeftUpperLeg", &["left_hip", "left_thigh"]),
    ("LeftLowerLeg", &["left_knee", "left_knee_cap", "left_shin", "left_ankle"]),
    ("LeftFoot", &["left_foot"]),
    ("LeftToes", &["left_toe"]),
];

#[test]
fn every_piece_of_the_example_robot_moves_with_the_limb_that_it_belongs_to() {
    let robot = rig(&root().join("examples/characters/robot.glb"), PartsChoice::Auto);
    assert_eq!(robot.route.kind, PartsKind::Rigid, "{}", robot.route.reason);
    let skeleton = &robot.embedding.skeleton;
    let mut joint_of_part = vec![None; robot.mesh.parts.len()];
    for (triangle, &piece) in robot.prepared.topology.component_of_triangle.iter().enumerate() {
        let original = robot.prepared.original_triangle[triangle] as usize;
        let part = robot.mesh.parts.iter().position(|part| part.triangles.contains(&original)).unwrap();
        joint_of_part[part] = Some(robot.route.joint_of_piece[piece as usize]);
    }
    let joint_of = |name: &str| {
        let part = robot.mesh.parts.iter().position(|part| part.name == name).expect(name);
        skeleton.joints[joint_of_part[part].expect(name)].name.as_str()
    };
    // The rings at the joint of the neck turn with either side of it: the true one lies at the lower edge of the lowest.
    for ring in ["neck_ring_low", "neck_ring_middle"] {
        assert!(["UpperChest", "Neck"].contains(&joint_of(ring)), "{ring}");
    }
    let mut known = 2;
    for (joint, names) in ROBOT {
        for name in names {
            // Pieces on the side of a part of the middle.
            let middle = ["LeftHead", "LeftUpperChest"].contains(&joint);
            let joint = if middle { &joint["Left".len()..] } else { joint };
            assert_eq!(joint_of(name), joint, "{name}");
            known += 1;
            if let Some(rest) = name.strip_prefix("left_") {
                let right = format!("right_{rest}");
                assert_eq!(joint_of(&right), joint.replace("Left", "Right"), "{right}");
                known += 1;
            }
        }
    }
    assert_eq!(known, robot.mesh.parts.len(), "the table names every piece");
    assert_rigid("robot", &robot);

    let mirrored = |p: &Vec3| Vec3::new(2.0 * robot.plane - p.x, p.y, p.z);
    for (joint, data) in skeleton.joints.iter().enumerate() {
        let positions = &robot.embedding.positions;
        let other = data.partner.unwrap_or(joint);
        assert!((positions[joint] - mirrored(&positions[other])).norm() < 1e-9, "{}", data.name);
    }
    let truth = truth_file::load(&root().join("examples/characters/robot.truth.json")).unwrap();
    let errors = errors(&robot, &truth);
    assert!(errors.pass() && errors.mean() < 0.03, "{:?}", errors.0);
}

fn errors(rigged: &Rigged, truth: &Truth) -> Errors {
    let Embedding { skeleton, positions, .. } = &rigged.embedding;
    let input_from_unit = rigged.prepared.unit_from_input.inverse();
    let place = |position: &Vec3| input_from_unit.transform_point(&(*position).into()).coords;
    Errors::of(skeleton, &positions.iter().map(place).collect::<Vec<_>>(), truth)
}

/// Real characters, whether they are of rigid parts, and the largest mean error of their joints in heights, where the skeleton
/// fits at all.
const REAL: [(&str, bool, Option<f64>); 8] = [
    ("robot_parts", true, Some(0.035)),
    ("box_robot_parts", true, Some(0.035)),
    ("walker_parts", true, None),
    ("cyberpunk", true, Some(0.035)),
    ("mannequin", true, Some(0.015)),
    ("man_casual", false, None),
    ("man_king", false, None),
    ("bunny_chibi", false, None),
];

#[test]
fn robots_are_of_rigid_parts_and_dressed_people_are_not() {
    for path in corpus_files(".glb") {
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        let Some((_, is_rigid, limit)) = REAL.iter().find(|(real, ..)| *real == name) else { continue };
        let rigged = rig(&path, PartsChoice::Auto);
        assert_eq!(rigged.route.kind == PartsKind::Rigid, *is_rigid, "{name}: {}", rigged.route.reason);
        if *is_rigid {
            assert_rigid(&name, &rigged);
        }
        let truth = truth_file::load(&path.with_extension("truth.json")).unwrap();
        if name == "walker_parts" {
            assert_walks(&rigged, &truth);
        }
        if let Some(limit) = limit {
            let errors = errors(&rigged, &truth);
            assert!(errors.pass() && errors.mean() < *limit, "{name}: {} {:?}", errors.mean(), errors.0);
        }
    }
}

/// The legs of a ball on two legs without arms begin at the ball, and every piece of them belongs to them; nothing belongs to
/// arms. (The artist's knees and ankles are the two upper bends of legs that have three.)
fn assert_walks(walker: &Rigged, truth: &Truth) {
    let errors = errors(walker, truth);
    for (joint, error) in errors.0.iter().filter(|(joint, _)| joint.ends_with("_hip") || joint == "hips") {
        assert!(*error < 0.08, "{joint}: {error}");
    }
    let name = |joint: &usize| walker.embedding.skeleton.joints[*joint].name.as_str();
    let count =
        |part: &str| walker.route.joint_of_piece.iter().filter(|joint| name(joint).ends_with(part)).count();
    assert_eq!(["Shoulder", "Arm", "Hand"].map(count), [0; 3]);
    assert!(count("UpperLeg") >= 4 && count("LowerLeg") >= 2 && count("Foot") == 2);
}

/// Meshes, each scaled and moved, as one.
fn joined(meshes: &[(&Mesh, f64, Vec3)]) -> Mesh {
    let (mut positions, mut triangles) = (Vec::new(), Vec::new());
    for (mesh, scale, shift) in meshes {
        let first = positions.len() as u32;
        positions.extend(mesh.positions.iter().map(|p| p * *scale + shift));
        triangles.extend(mesh.triangles.iter().map(|triangle| triangle.map(|v| v + first)));
    }
    shapes::surface(positions, triangles)
}

fn taken_apart(mesh: &Mesh) -> Result<Parts, PartsError> {
    Parts::of(pieces(&prepare(mesh, &PrepareOptions::default(), &mut Vec::new()).unwrap()))
}

#[test]
fn odd_heaps_of_pieces_are_held_together_or_refused() {
    let ball = shapes::uv_sphere(8, 12);
    assert_eq!(taken_apart(&ball).err(), Some(PartsError::One));
    let far: Vec<_> = (0..9).map(|i| (&ball, 1.0, Vec3::new(f64::from(i) * 40.0, 0.0, 0.0))).collect();
    let far = taken_apart(&joined(&far)).unwrap();
    assert_eq!((far.contacts.len(), far.gaps(), far.high.nodes.len()), (8, 8, 9));
    let nested: Vec<_> = [1.0, 0.7, 0.4].into_iter().map(|scale| (&ball, scale, Vec3::zeros())).collect();
    let nested = taken_apart(&joined(&nested)).unwrap();
    assert_eq!((nested.contacts.len(), nested.gaps()), (2, 2));
    // Every triangle by itself, a little smaller.
    let mut soup = shapes::surface(Vec::new(), Vec::new());
    for triangle in &ball.triangles {
        let corners = triangle.map(|v| ball.positions[v as usize]);
        let center = corners.iter().sum::<Vec3>() / 3.0;
        let first = soup.positions.len() as u32;
        soup.positions.extend(corners.map(|corner| center + (corner - center) * 0.9));
        soup.triangles.push([first, first + 1, first + 2]);
    }
    let soup = shapes::surface(soup.positions, soup.triangles);
    let soup = taken_apart(&soup).unwrap();
    assert_eq!(soup.pieces.len(), ball.triangles.len());
    assert!(soup.pieces.iter().all(|piece| !piece.is_closed));
}

#[test]
fn rig_says_how_pieces_move_and_draws_them() {
    let dir = tempfile::tempdir().unwrap();
    let robot = root().join("examples/characters/robot.glb").to_string_lossy().into_owned();
    let child = root().join("examples/characters/child.glb").to_string_lossy().into_owned();
    let args = ["rig", &robot, "-o", "r.glb", "--report", "r.json", "--stages", "stages"];
    puppetry(dir.path(), &args)
        .exits_with(0)
        .prints("parts         rigid, 75 contacts (69 pieces: ")
        .prints("skin          69 pieces, each on one joint");
    assert_eq!(files(&dir.path().join("stages"), ".png").len(), 13);
    let report: serde_json::Value =
        serde_json::from_slice(&fs::read(dir.path().join("r.json")).unwrap()).unwrap();
    let parts = &report["parts"];
    assert_eq!((parts["route"].as_str(), parts["rigid_pieces"].as_u64()), (Some("rigid"), Some(69)));
    assert_eq!(parts["pieces_of_joints"]["LeftHand"], 8);

    puppetry(dir.path(), &["rig", &robot, "-o", "s.glb", "--parts", "soft"])
        .exits_with(0)
        .prints("parts         soft (as told)")
        .prints("skin          4 influences, 69 pieces");
    puppetry(dir.path(), &["rig", &child, "-o", "c.glb", "--parts", "rigid"])
        .exits_with(1)
        .complains("it is one piece, which would not move at all as a rigid part; give --parts soft");
    assert!(!dir.path().join("c.glb").exists());
    puppetry(dir.path(), &["rig", &robot, "-o", "x.glb", "--parts", "tin"])
        .exits_with(2)
        .complains("pieces are rigid or soft, or auto decides");
}
