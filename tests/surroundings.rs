//! What is in a file with a character: capes, floors, props and riders, each with the character that it would have alone.

mod common;

use common::root;
use puppetry::stages::mesh::{Mesh, shapes};
use puppetry::stages::parts::PartsKind;
use puppetry::{
    Attachment, ClipOptions, Error, ExportOptions, Motion, RigOptions, Rigged, Silent, Vec3, Warning,
};

/// An example character as an OBJ file would have it: without a document, one part with a name.
fn character() -> Mesh {
    let (mesh, _) = puppetry::load_mesh(&root().join("examples/characters/gingerbread.glb")).unwrap();
    let mut mesh = shapes::surface(mesh.positions, mesh.triangles);
    mesh.parts[0].name = "body".into();
    mesh
}

/// The height, the width and the lowest point of the character.
fn size(mesh: &Mesh) -> (f64, f64, f64) {
    let along = |axis: usize| {
        let values = mesh.positions.iter().map(|position| position[axis]);
        values
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| (low.min(value), high.max(value)))
    };
    let ((left, right), (low, high)) = (along(0), along(1));
    (high - low, right - left, low)
}

/// A box with its middle and extent.
fn block(name: &str, middle: [f64; 3], extent: [f64; 3]) -> Mesh {
    let mut cube = shapes::cube();
    let side = cube.positions[0].x.abs() * 2.0;
    for position in &mut cube.positions {
        *position = Vec3::from(middle) + position.component_mul(&Vec3::from(extent)) / side;
    }
    cube.parts[0].name = name.into();
    cube
}

/// A sheet of cloth behind the back.
fn cape(height: f64, width: f64, low: f64) -> Mesh {
    const CELLS: u32 = 12;
    let (mut positions, mut triangles) = (Vec::new(), Vec::new());
    for row in 0..=CELLS {
        for column in 0..=CELLS {
            let [u, v] = [column, row].map(|k| f64::from(k) / f64::from(CELLS));
            let y = low + height * (0.8 - 0.7 * v);
            positions.push(Vec3::new(width * (u - 0.5), y, -height * (0.15 + 0.05 * v)));
        }
    }
    for row in 0..CELLS {
        for column in 0..CELLS {
            let first = row * (CELLS + 1) + column;
            let below = first + CELLS + 1;
            triangles.extend([[first, first + 1, below], [first + 1, below + 1, below]]);
        }
    }
    let mut cape = shapes::surface(positions, triangles);
    cape.parts[0].name = "cape".into();
    cape
}

/// Several meshes in one file, under their names.
fn joined(meshes: &[Mesh]) -> Mesh {
    let mut all = shapes::joined(meshes);
    all.parts.iter_mut().zip(meshes).for_each(|(part, mesh)| part.name = mesh.parts[0].name.clone());
    all
}

fn rig(meshes: &[Mesh], options: &RigOptions) -> Result<Rigged, Error> {
    puppetry::rig(&joined(meshes), options, &Silent)
}

/// How far the joints are from those of the character alone, in its heights.
fn moved(alone: &Rigged, rigged: &Rigged) -> f64 {
    let joints = |rigged: &Rigged| -> Vec<Vec3> {
        rigged.jointed.rig_file.skeleton.joints.iter().map(|joint| joint.position).collect()
    };
    let height = size(&character()).0;
    let distances = joints(alone).into_iter().zip(joints(rigged)).map(|(a, b)| (a - b).norm() / height);
    distances.fold(0.0, f64::max)
}

fn codes(warnings: &[Warning]) -> Vec<&'static str> {
    warnings.iter().map(Warning::code).collect()
}

#[test]
fn capes_floors_and_cases_leave_the_joints_where_they_are() {
    let (body, options) = (character(), RigOptions::default());
    let (height, width, low) = size(&body);
    let alone = rig(std::slice::from_ref(&body), &options).unwrap();
    let floor = block("floor", [0.0, low - 0.01 * height, 0.0], [3.0 * height, 0.02 * height, 3.0 * height]);
    let pedestal = block("pedestal", [0.0, low - 0.2 * height, 0.0], [width, 0.4 * height, width]);
    let glass = block("glass", [0.0, low + 0.6 * height, 0.0], [2.0 * width, 1.3 * height, height]);
    for (name, extra, is_left_out) in [
        ("a cape", cape(height, width, low), false),
        ("a floor", floor, true),
        ("a pedestal", pedestal, true),
        ("a glass box", glass, true),
    ] {
        let rigged = rig(&[body.clone(), extra], &options).unwrap();
        assert!(moved(&alone, &rigged) < 0.03, "{name}: {}", moved(&alone, &rigged));
        assert_eq!(codes(&rigged.jointed.warnings).contains(&"left-out"), is_left_out, "{name}");
    }
    let both = [body.clone(), cape(height, width, low), cape(height, width, low)];
    assert!(rig(&both, &options).is_ok(), "two capes");
}

/// A ball with its middle and radius.
fn ball(name: &str, middle: [f64; 3], radius: f64) -> Mesh {
    let mut ball = shapes::uv_sphere(12, 24);
    ball.positions.iter_mut().for_each(|position| *position = Vec3::from(middle) + *position * radius);
    ball.parts[0].name = name.into();
    ball
}

#[test]
fn what_is_held_leaves_the_joints_where_they_are() {
    let (body, options) = (character(), RigOptions::default());
    let (height, width, low) = size(&body);
    let alone = rig(std::slice::from_ref(&body), &options).unwrap();
    let hand = [0.45 * width, low + 0.6 * height, 0.0];
    let thin = 0.03 * height;
    let from_hand =
        |x: f64, y: f64, z: f64| [hand[0] + x * height, hand[1] + y * height, hand[2] + z * height];
    let sword = |middle: [f64; 3], extent: [f64; 3]| vec![block("sword", middle, extent)];
    for (name, props) in [
        ("a sword held up", sword(from_hand(0.1, 0.5, 0.0), [thin, height, thin])),
        ("a sword to the side", sword(from_hand(0.6, 0.0, 0.0), [height, thin, thin])),
        ("a sword ahead", sword(from_hand(0.1, 0.0, 0.5), [thin, thin, height])),
        ("a staff that floats", sword([width, low + 0.5 * height, 0.0], [thin, height, thin])),
        (
            "a balloon on a string",
            vec![
                block("string", from_hand(0.1, 0.3, 0.0), [0.01 * height, 0.6 * height, 0.01 * height]),
                ball("balloon", from_hand(0.1, 0.8, 0.0), 0.2 * height),
            ],
        ),
    ] {
        let rigged = rig(&[vec![body.clone()], props].concat(), &options).unwrap();
        assert_eq!(rigged.jointed.joints.skeleton().name, "human", "{name}");
        assert!(moved(&alone, &rigged) < 0.03, "{name}: {}", moved(&alone, &rigged));
        let [own, its] = [&alone, &rigged].map(|rigged| &rigged.jointed.prepared.placement);
        assert_eq!((own.orientation.up, own.height), (its.orientation.up, its.height), "{name}");
    }
}

/// A mesh whose triangles share no vertices, each a little smaller than it was.
fn soup(mesh: &Mesh) -> Mesh {
    let corners = mesh.triangles.iter().flat_map(|triangle| {
        let corners = triangle.map(|vertex| mesh.positions[vertex as usize]);
        let middle = corners.iter().sum::<Vec3>() / 3.0;
        corners.map(|corner| middle + (corner - middle) * 0.95)
    });
    let positions: Vec<Vec3> = corners.collect();
    let triangles =
        (0..positions.len() as u32 / 3).map(|triangle| [0, 1, 2].map(|corner| 3 * triangle + corner));
    let mut soup = shapes::surface(positions, triangles.collect());
    soup.parts[0].name = "soup".into();
    soup
}

#[test]
fn a_body_of_loose_triangles_bends_as_one_surface() {
    let rigged = rig(&[soup(&character())], &RigOptions::default()).unwrap();
    assert_eq!(rigged.jointed.parts.kind, PartsKind::Soft, "{}", rigged.jointed.parts.reason);
    assert!(rigged.skin.bleeding < 0.05, "{}", rigged.skin.bleeding);
}

#[test]
fn a_plate_through_the_ankles_is_left_out_and_one_that_is_kept_spoils_the_skin() {
    let body = character();
    let (height, width, low) = size(&body);
    let plate = block("plate", [0.0, low + 0.025 * height, 0.0], [1.5 * width, 0.025 * height, height]);
    let both = [body, plate];
    let left_out = rig(&both, &RigOptions::default()).unwrap();
    assert!(codes(&left_out.jointed.warnings).contains(&"left-out"));
    assert!(left_out.skin.bleeding < 0.1 && !codes(&left_out.jointed.warnings).contains(&"skin-bleeds"));
    let mut keep = RigOptions::default();
    keep.keep_floor = true;
    let kept = rig(&both, &keep).unwrap();
    assert!(codes(&kept.jointed.warnings).contains(&"skin-bleeds"), "{}", kept.skin.bleeding);
    assert!(kept.jointed.is_doubtful());
}

#[test]
fn who_sits_on_somebody_is_named() {
    let body = character();
    let height = size(&body).0;
    let mut rider = body.clone();
    rider.positions.iter_mut().for_each(|position| *position += Vec3::new(0.0, 0.8 * height, -0.02 * height));
    rider.parts[0].name = "rider".into();
    let error = rig(&[body.clone(), rider.clone()], &RigOptions::default()).err().unwrap();
    assert_eq!(error.code(), "several-characters");
    let text = error.to_string();
    assert!(text.contains("has a head, arms and legs of its own") && text.contains("body, rider"), "{text}");
    let mut one = RigOptions::default();
    one.one_character = true;
    assert!(rig(&[body, rider], &one).is_ok());
}

/// The walls of a flat blade are as near to each other as those of a cape, and it is a solid all the same.
#[test]
fn a_long_flat_blade_moves_as_one() {
    let body = character();
    let height = size(&body).0;
    let hand = *body.positions.iter().max_by(|a, b| a.x.total_cmp(&b.x)).unwrap();
    let blade = block(
        "blade",
        [hand.x, hand.y, hand.z + 0.4 * height],
        [0.035, 0.008, 0.8].map(|side| side * height),
    );
    let rigged = rig(&[body, blade], &RigOptions::default()).unwrap();
    let joints = &rigged.jointed.joints.skeleton().joints;
    assert!(rigged.movers[0].is_none(), "the body bends");
    assert_eq!(joints[rigged.movers[1].unwrap()].name, "LeftHand");
}

#[test]
fn a_leg_of_one_box_hangs_on_the_hip() {
    let boxes = [
        block("head", [0.0, 1.75, 0.0], [0.5, 0.5, 0.5]),
        block("trunk", [0.0, 1.125, 0.0], [0.5, 0.75, 0.25]),
        block("left_arm", [0.375, 1.125, 0.0], [0.25, 0.75, 0.25]),
        block("right_arm", [-0.375, 1.125, 0.0], [0.25, 0.75, 0.25]),
        block("left_leg", [0.125, 0.375, 0.0], [0.25, 0.75, 0.25]),
        block("right_leg", [-0.125, 0.375, 0.0], [0.25, 0.75, 0.25]),
    ];
    let rigged = rig(&boxes, &RigOptions::default()).unwrap();
    let joints = &rigged.jointed.joints.skeleton().joints;
    let names: Vec<&str> = rigged.movers.iter().map(|mover| joints[mover.unwrap()].name.as_str()).collect();
    assert_eq!(names[2..], ["LeftUpperArm", "RightUpperArm", "LeftUpperLeg", "RightUpperLeg"]);
}

/// The JSON of a binary glTF file.
fn json_of(glb: &[u8]) -> serde_json::Value {
    let length = u32::from_le_bytes(glb[12..16].try_into().unwrap()) as usize;
    serde_json::from_slice(&glb[20..20 + length]).unwrap()
}

#[test]
fn a_floor_stays_in_the_file_without_a_skin() {
    let body = character();
    let (height, _, low) = size(&body);
    let floor = block("floor", [0.0, low - 0.01 * height, 0.0], [3.0 * height, 0.02 * height, 3.0 * height]);
    let rigged = rig(&[body.clone(), floor.clone()], &RigOptions::default()).unwrap();
    let walk = Motion::built_in("walk").unwrap();
    let clip = puppetry::animate(&rigged.character, "walk", &walk, &ClipOptions::default()).unwrap();
    assert!(codes(&clip.retargeted.warnings).contains(&"leaves-props"));
    let files =
        puppetry::export(&rigged.character, &[clip], "x.glb".as_ref(), &ExportOptions::default()).unwrap();
    let json = json_of(&files[0].bytes);
    let nodes = json["nodes"].as_array().unwrap();
    let floors: Vec<_> = nodes.iter().filter(|node| node["name"] == "floor").collect();
    assert_eq!(floors.len(), 1);
    assert!(floors[0].get("mesh").is_some() && floors[0].get("skin").is_none());

    let mut keep = RigOptions::default();
    keep.keep_floor = true;
    let kept = rig(&[body, floor], &keep).unwrap();
    assert!(!codes(&kept.jointed.warnings).contains(&"left-out"));
}

#[test]
fn a_sword_moves_with_the_joint_to_which_it_is_attached() {
    let body = character();
    let (height, width, low) = size(&body);
    let middle = [0.45 * width, low + 0.6 * height, 0.4 * height];
    let sword = block("sword", middle, [0.03 * height, 0.03 * height, height]);
    let mut options = RigOptions::default();
    options.attachments = vec![Attachment { part: "Sword".into(), joint: "lefthand".into() }];
    let rigged = rig(&[body.clone(), sword.clone()], &options).unwrap();
    let hand = rigged.character.rig.joints.iter().position(|joint| joint.name == "LeftHand").unwrap();
    let first = body.positions.len();
    for vertex in first..first + sword.positions.len() {
        let welded = rigged.jointed.prepared.welded[vertex] as usize;
        assert_eq!(rigged.weights.of(welded).collect::<Vec<_>>(), [(hand, 1.0)]);
    }
    for (part, joint, reason) in [
        (
            "spear",
            "LeftHand",
            "'spear' cannot be attached to 'LeftHand': it has no node, object or group 'spear'; give one of body, sword",
        ),
        (
            "sword",
            "Wing",
            "'sword' cannot be attached to 'Wing': the skeleton 'human' has no joint 'Wing'; its joints are Hips",
        ),
    ] {
        options.attachments = vec![Attachment { part: part.into(), joint: joint.into() }];
        let error = rig(&[body.clone(), sword.clone()], &options).err().unwrap().to_string();
        assert!(error.starts_with(reason), "{error}");
    }
}

#[test]
fn what_would_be_refused_is_foretold() {
    let body = character();
    let width = size(&body).1;
    let mut other = body.clone();
    other.positions.iter_mut().for_each(|position| position.x += 1.5 * width);
    let two = joined(&[body.clone(), other]);
    let options = RigOptions::default();
    let foretold = puppetry::stages::pipeline::foretell(&two, &options).err().unwrap().to_string();
    assert_eq!(foretold, puppetry::rig(&two, &options, &Silent).err().unwrap().to_string());
    assert!(foretold.contains("2 characters"), "{foretold}");
    assert!(puppetry::stages::pipeline::foretell(&body, &options).is_ok());
}
