//! `puppetry rig` as the real binary: what it writes, what it refuses, and what it leaves alone.

mod common;

use common::posed::write_posed;
use common::truth::truth;
use common::{example_characters, files, puppetry, root};
use puppetry::stages::io::{load_mesh, pinocchio, rig_file};
use puppetry::stages::math::Vec3;
use puppetry::stages::mesh::{Mesh, shapes};
use serde_json::Value;
use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

fn character(name: &str) -> String {
    root().join(format!("examples/characters/{name}.glb")).to_string_lossy().into_owned()
}

/// Writes meshes as one OBJ file, each moved.
fn write_obj(path: &Path, meshes: &[(&Mesh, Vec3)]) {
    let mut text = String::new();
    let mut first = 1;
    for (mesh, shift) in meshes {
        for p in mesh.positions.iter().map(|p| p + shift) {
            text += &format!("v {} {} {}\n", p.x, p.y, p.z);
        }
        for [a, b, c] in mesh.triangles.iter().map(|triangle| triangle.map(|v| v + first)) {
            text += &format!("f {a} {b} {c}\n");
        }
        first += mesh.positions.len() as u32;
    }
    fs::write(path, text).unwrap();
}

fn json(path: &Path) -> Value {
    serde_json::from_slice(&fs::read(path).unwrap()).unwrap()
}

#[test]
fn a_character_gets_joints_a_report_and_pictures_the_same_for_each_number_of_threads() {
    let dir = tempfile::tempdir().unwrap();
    let outputs = |threads: &str| {
        let args = format!(
            "-o {threads}.json -o {threads}.out --report {threads}.report.json --stages {threads} -v"
        );
        let mesh = character("slim");
        let args: Vec<&str> =
            ["rig", &mesh, "--threads", threads].into_iter().chain(args.split_whitespace()).collect();
        puppetry(dir.path(), &args)
            .exits_with(0)
            .prints("skeleton      human, 22 joints (one pair of legs stands on the ground)")
            .prints("confidence    ")
            .prints(&format!("wrote         {threads}.json"))
            .prints("time          field")
            .warns_of_nothing();
        let mut contents = vec![
            fs::read(dir.path().join(format!("{threads}.json"))).unwrap(),
            fs::read(dir.path().join(format!("{threads}.out"))).unwrap(),
        ];
        let pictures = files(&dir.path().join(threads), ".png");
        assert_eq!(pictures.len(), 10);
        contents.extend(pictures.iter().map(|picture| fs::read(picture).unwrap()));
        contents
    };
    let (one, two) = (outputs("1"), outputs("2"));
    assert!(one == two, "one thread and two give different files");

    let rig = rig_file::read(&one[0]).unwrap();
    let list = pinocchio::read(&one[1]).unwrap();
    assert_eq!(list.joints.len(), rig.skeleton.joints.len());
    assert_eq!(rig.soles.len(), 2);
    let truth = truth(Path::new(&character("slim")));
    let height = truth["height"].as_f64().unwrap();
    let ground = rig.soles.iter().flat_map(|sole| [sole.heel, sole.ball, sole.toe]);
    assert!(ground.into_iter().all(|point| point.y.abs() < 0.01 * height));
    assert!(rig.soles.iter().all(|sole| sole.heel.z < sole.ball.z && sole.ball.z <= sole.toe.z));

    let mut reports = ["1", "2"].map(|threads| json(&dir.path().join(format!("{threads}.report.json"))));
    for report in &mut reports {
        let report = report.as_object_mut().unwrap();
        assert!(report.remove("seconds").unwrap()["search"].is_number());
        report.remove("outputs");
    }
    assert_eq!(reports[0], reports[1]);
    let report = &reports[0];
    assert_eq!(report["skeleton"]["name"], "human");
    assert!(report["route"]["why"].is_string() && report["route"]["disagreement_in_heights"].is_number());
    assert!(report["search"]["cost_by_term"]["wrong bend"].is_number());
    assert_eq!(report["joints"].as_object().unwrap().len(), rig.skeleton.joints.len());
    assert_eq!(report["placement"]["turned"], false);
}

/// The only skin of a GLB, its joints by name, and the weights of all vertices that it moves.
struct SkinnedFile {
    document: gltf::Document,
    joints: Vec<String>,
    /// For each vertex its joints and weights.
    vertices: Vec<Vec<(usize, f32)>>,
}

fn read_skinned(path: &Path) -> SkinnedFile {
    let gltf::Gltf { document, blob } = gltf::Gltf::from_slice(&fs::read(path).unwrap()).unwrap();
    let binary = blob.unwrap();
    let skins: Vec<gltf::Skin> = document.skins().collect();
    assert_eq!(skins.len(), 1);
    let joints = skins[0].joints().map(|joint| joint.name().unwrap().to_owned()).collect();
    let mut vertices = Vec::new();
    for node in document.nodes().filter(|node| node.skin().is_some()) {
        for primitive in node.mesh().unwrap().primitives() {
            let reader = primitive.reader(|_| Some(&binary));
            let mut own = vec![Vec::new(); reader.read_positions().unwrap().len()];
            for set in 0.. {
                let (Some(joints), Some(weights)) = (reader.read_joints(set), reader.read_weights(set))
                else {
                    break;
                };
                for (list, (joints, weights)) in own.iter_mut().zip(joints.into_u16().zip(weights.into_f32()))
                {
                    list.extend(joints.map(usize::from).into_iter().zip(weights).filter(|(_, w)| *w > 0.0));
                }
            }
            vertices.extend(own);
        }
    }
    SkinnedFile { document, joints, vertices }
}

#[test]
fn a_skinned_character_moves_with_all_its_vertices_and_keeps_its_looks() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name);
    // Separate pieces, two materials or more, a texture.
    let mesh = character("layers");
    for threads in ["1", "2"] {
        let args = format!(
            "-o {threads}.glb -o {threads}.json --pose-sheet {threads}.png --report {threads}.report.json"
        );
        let args: Vec<&str> =
            ["rig", &mesh, "--threads", threads].into_iter().chain(args.split_whitespace()).collect();
        puppetry(dir.path(), &args)
            .exits_with(0)
            .prints("skin          4 influences, 9 pieces")
            .prints("bleeding 2.")
            .prints(&format!("wrote         {threads}.glb"))
            .warns_of_nothing();
    }
    for ending in ["glb", "json", "png"] {
        let [one, two] = ["1", "2"].map(|threads| fs::read(at(&format!("{threads}.{ending}"))).unwrap());
        assert!(one == two, "one thread and two give different files: .{ending}");
    }

    let skinned = read_skinned(&at("1.glb"));
    assert_eq!((skinned.joints.len(), skinned.joints[0].as_str()), (35, "Root"));
    let (input, _) = load_mesh(Path::new(&mesh)).unwrap();
    assert_eq!(skinned.vertices.len(), input.positions.len());
    for vertex in &skinned.vertices {
        assert!((1..=4).contains(&vertex.len()));
        assert!(vertex.iter().all(|(joint, _)| *joint < 35));
        assert!((vertex.iter().map(|(_, weight)| weight).sum::<f32>() - 1.0).abs() < 1e-4, "{vertex:?}");
    }
    let moving: HashSet<usize> = skinned.vertices.iter().flatten().map(|(joint, _)| *joint).collect();
    assert!(moving.len() >= 20 && !moving.contains(&0), "only {} joints move something", moving.len());

    let before = gltf::Gltf::open(&mesh).unwrap();
    let looks = |document: &gltf::Document| {
        let materials = document.materials().map(|material| {
            let texture = material.pbr_metallic_roughness().base_color_texture();
            (
                material.name().map(str::to_owned),
                material.double_sided(),
                texture.map(|t| t.texture().index()),
            )
        });
        (materials.collect::<Vec<_>>(), document.images().count(), document.textures().count())
    };
    assert_eq!(looks(&skinned.document), looks(&before.document));
    assert!(looks(&before.document).1 > 0, "the example has a texture");

    let report = json(&at("1.report.json"));
    let skin = &report["skin"];
    assert_eq!((&skin["max_influences"], &skin["pieces"]), (&4.into(), &9.into()));
    assert!(skin["bleeding"].as_f64().unwrap() < 0.03 && skin["sum_error"].as_f64().unwrap() < 1e-6);
    let elbows = &skin["test_poses"]["elbows"];
    assert!(elbows["worst_stretch"].as_f64().unwrap() >= 1.0 && elbows["volume"].as_f64().unwrap() > 0.8);
    assert!(report["seconds"]["skin"].is_number() && report["seconds"]["test poses"].is_number());

    // Without a GLB nothing is bound.
    let run = puppetry(dir.path(), &["rig", &mesh, "-o", "a.json", "--report", "r.json"]).exits_with(0);
    assert!(!run.stdout().contains("influences") && json(&at("r.json"))["skin"].is_null());
    puppetry(dir.path(), &["rig", &mesh, "-o", "a.json", "--pose-sheet", "a.jpg"])
        .exits_with(1)
        .complains("end its name in .png");
}

#[test]
fn given_joints_are_taken_as_they_are() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name);
    let rig = |character_name: &str, args: &[&str]| {
        puppetry(dir.path(), &[&["rig", &character(character_name)], args].concat())
    };
    for (name, skeleton) in [("slim", "human, 22 joints"), ("dog", "horse, 20 joints")] {
        rig(name, &["-o", "found.json", "-o", "found.glb"]).exits_with(0);
        rig(name, &["-o", "given.json", "-o", "given.glb", "--joints", "found.json", "--report", "r.json"])
            .exits_with(0)
            .prints(&format!("skeleton      {skeleton} (by the names of the joints)"))
            .prints("joints        given in a file")
            .warns_of_nothing();
        let [found, given] =
            ["found.json", "given.json"].map(|file| rig_file::read(&fs::read(at(file)).unwrap()).unwrap());
        for (a, b) in found.skeleton.joints.iter().zip(&given.skeleton.joints) {
            assert_eq!(a.name, b.name);
            assert!(
                (a.position - b.position).norm() < 1e-6,
                "{}: {:?}, {:?}",
                a.name,
                a.position,
                b.position
            );
        }
        assert_eq!(json(&at("r.json"))["route"]["name"], "given");
        let [found, given] = ["found.glb", "given.glb"].map(|file| read_skinned(&at(file)));
        assert_eq!(found.joints, given.joints);
        let heaviest = |skin: &SkinnedFile| -> Vec<usize> { skin.vertices.iter().map(|v| v[0].0).collect() };
        let (found, given) = (heaviest(&found), heaviest(&given));
        let differ = found.iter().zip(&given).filter(|(a, b)| a != b).count();
        assert!(differ * 1000 < found.len(), "{differ} of {} vertices follow another joint", found.len());
    }

    // The names of a description of the body, all four legs.
    let truth = root().join("examples/characters/dog.truth.json").to_string_lossy().into_owned();
    rig("dog", &["-o", "a.glb", "--joints", &truth, "--skeleton", "quadruped", "--max-influences", "8"])
        .exits_with(0)
        .prints("quadruped, 18 joints (as told)")
        .prints("8 influences");
    assert!(read_skinned(&at("a.glb")).vertices.iter().any(|vertex| vertex.len() > 4));

    for (text, part) in [
        (
            r#"{"joints": {"Hips": [0, 1, 0], "Tentacle": [0, 1, 0]}}"#,
            "the skeleton 'human' has no joint 'Tentacle'",
        ),
        (r#"{"joints": {}}"#, "no joint is given"),
        (r#"{"joints": {"Hips": [0, 1]}}"#, "at /joints/Hips: expected a position [x, y, z]"),
        (r#"{"joints": {"Hips": [0, 100, 0]}}"#, "the joint Hips is far outside of the character"),
        (r#"{"bones": {}}"#, "an object \"joints\""),
        ("Dear reader,", "'bad.json'"),
        ("", "the file is empty"),
    ] {
        fs::write(at("bad.json"), text).unwrap();
        rig("slim", &["-o", "bad.glb", "--joints", "bad.json"])
            .exits_with(1)
            .complains("bad.json")
            .complains(part);
        assert!(!at("bad.glb").exists());
    }
    rig("slim", &["-o", "a.glb", "--joints", "missing.json"]).exits_with(1).complains("missing.json");
    let both = ["-o", "a.glb", "--joints", "found.json", "--hint", "Hips=0,1,0"];
    rig("slim", &both).exits_with(2).complains("cannot be used with");
    rig("slim", &["-o", "a.glb", "--max-influences", "5"]).exits_with(2).complains("give 4 or 8");
}

#[test]
fn joints_are_in_the_coordinates_of_the_file_whichever_way_it_stands() {
    let dir = tempfile::tempdir().unwrap();
    let (mesh, _) = load_mesh(Path::new(&character("slim"))).unwrap();
    let mut lying = mesh.clone();
    // Centimetres, Z up, facing -Y, away from the origin.
    lying
        .positions
        .iter_mut()
        .for_each(|p| *p = Vec3::new(p.x, -p.z, p.y) * 100.0 + Vec3::new(0.0, 7.0, 30.0));
    write_obj(&dir.path().join("lying.obj"), &[(&lying, Vec3::zeros())]);
    puppetry(dir.path(), &["rig", &character("slim"), "-o", "standing.json"]).exits_with(0);
    puppetry(dir.path(), &["rig", "lying.obj", "-o", "lying.json"])
        .exits_with(0)
        .prints("turned        in the file +Z is up and it faces -Y");
    let [standing, lying] = ["standing.json", "lying.json"]
        .map(|name| rig_file::read(&fs::read(dir.path().join(name)).unwrap()).unwrap());
    let height = 100.0 * mesh.positions.iter().map(|p| p.y).fold(0.0, f64::max);
    for (a, b) in standing.skeleton.joints.iter().zip(&lying.skeleton.joints) {
        let expected =
            Vec3::new(a.position.x, -a.position.z, a.position.y) * 100.0 + Vec3::new(0.0, 7.0, 30.0);
        assert!(
            (b.position - expected).norm() < 0.02 * height,
            "{}: {:?}, not {expected:?}",
            a.name,
            b.position
        );
        // The transform leads back to metres, +Y up, soles on the ground; what stands near the origin stays there.
        let output = lying.output_from_input.transform_point(&b.position.into()).coords + Vec3::z() * 0.07;
        assert!((output - a.position).norm() < 0.05, "{}: {output:?}, not {:?}", a.name, a.position);
    }
}

#[test]
fn hints_name_their_joint_in_any_capitals_and_lie_near_the_character() {
    let dir = tempfile::tempdir().unwrap();
    let mesh = character("slim");
    let rig = |flags: &[&str]| puppetry(dir.path(), &[&["rig", &mesh, "-o", "a.json"], flags].concat());
    rig(&["--hint", "lefthand=0.5,1,0"]).exits_with(0).prints("human");
    rig(&["--hint", "Tentacle=0.5,1,0"])
        .exits_with(1)
        .complains("no joint 'Tentacle'")
        .complains("LeftUpperArm");
    let foreign = rig(&["--hint", "Tentacle=0.5,1,0"]).stderr();
    assert!(!foreign.contains("HindLeftHock"), "joints of another body: {foreign}");
    rig(&["--skeleton", "human", "--hint", "Tail=0,1,0"])
        .exits_with(1)
        .complains("he skeleton 'human' has no joint 'Tail'; its joints are Hips");
    rig(&["--hint", "LeftHand=0,1,0", "--hint", "Tail=0,1,0"])
        .exits_with(1)
        .complains("he skeleton 'human' has no joint 'Tail'")
        .complains("if its body is another, give --skeleton quadruped");
    rig(&["--hint", "LeftHand=50,100,0"])
        .exits_with(1)
        .complains("LeftHand=50,100,0 is far outside")
        .complains("coordinates of the mesh file");
    rig(&["--hint", "LeftHand=0.6,1.3,0", "--hint", "lefthand=0.5,1.3,0"])
        .exits_with(1)
        .complains("two hints for lefthand");
    rig(&["--hint", "LeftHand=0.61,1.45,0.05", "--hint", "RightFoot=-0.12,0.1,0"]).exits_with(0);
    let joints = json(&dir.path().join("a.json"))["joints"].clone();
    let at = |name: &str| -> Vec<f64> {
        joints[name].as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect()
    };
    for (name, expected) in [
        ("LeftHand", [0.61, 1.45, 0.05]),
        ("RightHand", [-0.61, 1.45, 0.05]),
        ("RightFoot", [-0.12, 0.1, 0.0]),
    ] {
        assert!(at(name).iter().zip(expected).all(|(a, b)| (a - b).abs() < 0.01), "{name}: {:?}", at(name));
    }
    rig(&["--report", "./a.json"]).exits_with(1).complains("given twice");
    rig(&["--hint", "LeftHand=1,2"]).exits_with(2).complains("JOINT=x,y,z");
}

#[test]
fn skeletons_are_chosen_by_name_or_come_from_a_file() {
    let dir = tempfile::tempdir().unwrap();
    let mesh = character("dog");
    let rig = |skeleton: &str| puppetry(dir.path(), &["rig", &mesh, "-o", "a.json", "--skeleton", skeleton]);
    rig("auto").exits_with(0).prints("(two pairs of legs stand on the ground)");
    rig("quadruped").exits_with(0).prints("quadruped, 18 joints (as told)");
    fs::write(
        dir.path().join("stick.skeleton"),
        "puppetry-skeleton 1\nname stick\njoint Tail - 0 0.6 -0.4\njoint Nose Tail 0 0.8 0.6\n",
    )
    .unwrap();
    rig("stick.skeleton")
        .exits_with(0)
        .prints("stick, 2 joints (as told)")
        .prints("by the search, the only one");
    // A joint of another name: roles decide, and the landmarks still serve.
    let quadruped = fs::read_to_string(root().join("skeletons/quadruped.skeleton")).unwrap();
    fs::write(dir.path().join("mine"), quadruped.replace("TailTip", "TailEnd")).unwrap();
    rig("mine").exits_with(0).prints("quadruped, 18 joints (as told)").prints("agree best");
    let walk = root().join("motions/quad_walk.bvh").to_string_lossy().into_owned();
    rig(&walk).exits_with(0).prints("(as told)").prints("by the search, the only one");
    fs::write(dir.path().join("stick.out"), "0 0 3 -2 -1\n1 0 3 0 0\n2 0 4 2 1\n").unwrap();
    rig("stick.out").exits_with(0).prints("3 joints (as told)");
    // Pinocchio's own human on a person: its hands are at the sides, though the list names no sides.
    let list = root().join("tests/golden/pinocchio_human.joints").to_string_lossy().into_owned();
    let person = character("slim");
    puppetry(dir.path(), &["rig", &person, "-o", "list.json", "--skeleton", &list]).exits_with(0);
    let joints = json(&dir.path().join("list.json"))["joints"].clone();
    let widest = joints.as_object().unwrap().values().map(|at| at[0].as_f64().unwrap()).fold(0.0, f64::max);
    assert!(widest > 0.3, "{joints}");
    fs::write(dir.path().join("broken.skeleton"), "puppetry-skeleton 1\nbone\n").unwrap();
    rig("broken.skeleton").exits_with(1).complains("'broken.skeleton', line 2");
    rig("broken").exits_with(1).complains("here is no skeleton 'broken'; give auto, free, human, quadruped");
}

#[test]
fn what_is_no_character_gets_a_sentence_or_a_warning() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name);
    write_obj(&at("sphere.obj"), &[(&shapes::uv_sphere(16, 32), Vec3::zeros())]);
    let cube = shapes::cube();
    write_obj(&at("cube.obj"), &[(&cube, Vec3::zeros())]);
    // Seat, back and four legs.
    let scaled = |x: f64, y: f64, z: f64| {
        let mut mesh = cube.clone();
        mesh.positions.iter_mut().for_each(|p| p.component_mul_assign(&Vec3::new(x, y, z)));
        mesh
    };
    let (seat, back, leg) =
        (scaled(0.25, 0.025, 0.25), scaled(0.25, 0.25, 0.025), scaled(0.025, 0.22, 0.025));
    let mut chair = vec![(&seat, Vec3::new(0.0, 0.45, 0.0)), (&back, Vec3::new(0.0, 0.7, -0.23))];
    let corners = [(-0.22, -0.22), (-0.22, 0.22), (0.22, -0.22), (0.22, 0.22)];
    chair.extend(corners.map(|(x, z)| (&leg, Vec3::new(x, 0.22, z))));
    write_obj(&at("chair.obj"), &chair);
    // Body, cabin and four wheels.
    let (body, cabin, wheel) = (scaled(0.9, 0.3, 2.1), scaled(0.75, 0.3, 1.0), scaled(0.1, 0.33, 0.33));
    let mut car = vec![(&body, Vec3::new(0.0, 0.65, 0.0)), (&cabin, Vec3::new(0.0, 1.2, -0.2))];
    let axles = [(-0.85, -1.3), (-0.85, 1.3), (0.85, -1.3), (0.85, 1.3)];
    car.extend(axles.map(|(x, z)| (&wheel, Vec3::new(x, 0.33, z))));
    write_obj(&at("car.obj"), &car);
    let (slim, _) = load_mesh(Path::new(&character("slim"))).unwrap();
    write_obj(&at("two.obj"), &[(&slim, Vec3::x() * 1.1), (&slim, Vec3::x() * -1.1)]);
    write_obj(&at("queue.obj"), &[(&slim, Vec3::z()), (&slim, Vec3::zeros()), (&slim, -Vec3::z())]);
    fs::write(at("sheet.obj"), "v 0 0 0\nv 1 0 0\nv 1 1.8 0\nv 0 1.8 0\nf 1 2 3 4\n").unwrap();
    fs::write(at("floor.obj"), "v 0 0 0\nv 1 0 0\nv 1 0 1.8\nv 0 0 1.8\nf 1 2 3 4\n").unwrap();
    fs::write(at("triangle.obj"), "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n").unwrap();
    fs::write(at("empty.obj"), "").unwrap();
    fs::write(at("letter.txt"), "Dear reader,\nthis is no mesh.\n").unwrap();

    for (name, part) in [
        ("two.obj", "it looks like 2 characters side by side; save each in a file of its own"),
        ("queue.obj", "it looks like 3 characters side by side"),
        ("sheet.obj", "it is flat"),
        ("floor.obj", "it is flat"),
        ("triangle.obj", "it is flat"),
        ("empty.obj", "the file is empty"),
        ("letter.txt", "not a format puppetry knows"),
    ] {
        let run = puppetry(dir.path(), &["rig", name, "-o", "a.json"])
            .exits_with(1)
            .complains(part)
            .complains(name);
        assert_eq!(
            run.stderr().lines().filter(|line| line.starts_with("Error")).count(),
            1,
            "{}",
            run.stderr()
        );
        assert!(run.stdout().is_empty() && !at("a.json").exists());
    }
    // Four wheels are no four legs.
    let run = puppetry(dir.path(), &["rig", "car.obj", "-o", "a.json"]).exits_with(1);
    assert!(!at("a.json").exists());
    run.complains("'car.obj' is refused: it looks like neither a person").complains("with --force");
    let neither = "neither a person nor a four-legged animal";
    for name in ["sphere.obj", "cube.obj", "chair.obj"] {
        // Nothing is written but what helps to understand why.
        let run = puppetry(
            dir.path(),
            &["rig", name, "-o", "a.json", "-o", "a.glb", "--report", "r.json", "--stages", "stages"],
        )
        .exits_with(1)
        .complains(&format!("'{name}' is refused: it looks like {neither}"))
        .complains("; if it is a character, save it standing ")
        .complains("--hint or --joints")
        .complains("with --force");
        for code in ["stance-assumed", "posed"] {
            assert!(!run.stderr().contains(code), "what was assumed of a thing: {}", run.stderr());
        }
        // `inspect` knows it, too.
        let told = puppetry(dir.path(), &["inspect", name])
            .exits_with(0)
            .prints(&format!("- refuse to rig it: it looks like {neither} (the skeleton '"));
        assert!(!told.stderr().contains("stance-assumed"), "{}", told.stderr());
        assert_eq!(
            run.stderr().lines().filter(|line| line.starts_with("Error")).count(),
            1,
            "{}",
            run.stderr()
        );
        assert!(run.stdout().is_empty() && !at("a.json").exists() && !at("a.glb").exists());
        let report = json(&at("r.json"));
        assert!(report["confidence"].as_f64().unwrap() < 0.3 && report["outputs"] == serde_json::json!([]));
        assert!(report["doubtful_joints"][0]["hint"].as_str().unwrap().starts_with("--hint "));
        assert!(files(&at("stages"), ".png").len() > 3);
        fs::remove_file(at("r.json")).unwrap();
        // With --force, or if nothing is asked of the confidence, it is written, and the exit code tells.
        for flags in [&["--force"][..], &["--min-confidence", "0"]] {
            puppetry(dir.path(), &[&["rig", name, "-o", "a.json"], flags].concat())
                .exits_with(3)
                .complains("hardly fits (confidence")
                .complains("[low-confidence]")
                .complains("[doubtful-joint]");
            let rig = rig_file::read(&fs::read(at("a.json")).unwrap()).unwrap();
            assert_eq!(rig.confidence, report["confidence"]);
            fs::remove_file(at("a.json")).unwrap();
        }
    }
    // `animate` and `preview` refuse it as well, and `animate` still says why.
    puppetry(dir.path(), &["animate", "chair.obj", "--motion", "walk", "-o", "a.glb", "--report", "r.json"])
        .exits_with(1)
        .complains("'chair.obj' is refused: it looks like neither a person");
    assert!(!at("a.glb").exists() && json(&at("r.json"))["rig"]["confidence"].as_f64().unwrap() < 0.3);
    for output in ["page", "a.png"] {
        puppetry(dir.path(), &["preview", "walk", "--character", "chair.obj", "-o", output])
            .exits_with(1)
            .complains("'chair.obj' is refused: it looks like neither a person");
        assert!(!at(output).exists());
    }
    assert!(files(dir.path(), ".part").is_empty());
}

/// A threshold of one's own refuses what is less sure; joints that somebody placed are his affair.
#[test]
fn less_confidence_than_asked_for_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let mesh = character("gingerbread");
    let rig = |out: &str, flags: &[&str]| puppetry(dir.path(), &[&["rig", &mesh, "-o", out], flags].concat());
    rig("a.json", &["--min-confidence", "0.9"]).exits_with(1).complains("less than --min-confidence 0.9");
    assert!(!dir.path().join("a.json").exists());
    rig("a.json", &["--min-confidence", "0.5"]).exits_with(0);
    // People are bound in a T- or A-pose, and animals as they stand.
    rig("b.json", &["--min-confidence", "1"])
        .exits_with(1)
        .complains("; save it standing in a T- or A-pose, name");
    puppetry(dir.path(), &["rig", &character("dog"), "-o", "b.json", "--min-confidence", "1"])
        .exits_with(1)
        .complains("; save it standing on straight legs, name another --skeleton");
    rig("b.json", &["--joints", "a.json", "--min-confidence", "1"]).exits_with(0);
    rig("c.json", &["--min-confidence", "2"]).exits_with(2).complains("from 0 to 1");
}

/// Somebody who sits or runs is told to stand; who stands is not, wherever the arms are.
#[test]
fn poses_that_are_no_t_or_a_pose_are_told() {
    let dir = tempfile::tempdir().unwrap();
    let slim = PathBuf::from(character("slim"));
    for (motion, moment) in [("sit", 0.5), ("run", 0.5), ("wave", 0.33)] {
        write_posed(&dir.path().join("posed.obj"), &slim, motion, moment);
        puppetry(dir.path(), &["rig", "posed.obj", "-o", "a.json", "--force", "--up", "y", "--front", "z"])
            .complains("this character does not stand in a T- or A-pose (")
            .complains("save it standing, with its arms away from the body [posed]");
    }
    write_posed(&dir.path().join("idle.obj"), &slim, "idle", 0.5);
    let run = puppetry(dir.path(), &["rig", "idle.obj", "-o", "a.json", "--up", "y", "--front", "z"]);
    assert!(!run.stderr().contains("[posed]"), "{}", run.stderr());
}

#[test]
fn a_failed_run_leaves_everything_as_it_was() {
    let dir = tempfile::tempdir().unwrap();
    let mesh = character("slim");
    fs::write(dir.path().join("old.json"), "old").unwrap();
    fs::write(dir.path().join("empty.obj"), "").unwrap();
    fs::create_dir(dir.path().join("folder.json")).unwrap();
    let names = || {
        let mut names: Vec<_> = fs::read_dir(dir.path()).unwrap().map(|e| e.unwrap().file_name()).collect();
        names.sort();
        names
    };
    let before = names();
    let fails = |args: &[&str], code: i32, part: &str| {
        puppetry(dir.path(), args).exits_with(code).complains(part);
        assert_eq!(fs::read_to_string(dir.path().join("old.json")).unwrap(), "old");
        assert_eq!(names(), before);
    };
    fails(&["rig", "empty.obj", "-o", "old.json"], 1, "empty");
    fails(
        &["rig", &mesh, "-o", "old.json", "-o", "gone/a.json"],
        1,
        "there is no folder 'gone'; make it first",
    );
    fails(
        &["rig", &mesh, "-o", "a.json", "--report", "folder.json"],
        1,
        "it is a folder; add the name of a file",
    );
    fails(
        &["rig", &mesh, "-o", "old.json/"],
        1,
        "cannot write into 'old.json': it is a file; name a folder".split_at(1).1,
    );
    fails(&["rig", &mesh, "-o", "gone/deeper/"], 1, "there is no folder 'gone'; make it first");
    fails(&["rig", &mesh, "-o", "a.blend"], 1, "end it in .glb for the skinned character, .json for a rig");
    fails(&["rig", &mesh, "-o", "a.json", "-o", "a.json"], 1, "is given twice");
    fails(&["rig", &mesh, "-o", "a.json", "--report", "a.json"], 1, "is given twice");
    fails(&["rig", &mesh, "-o", "a.json", "--stages", "old.json"], 1, "name a folder for the pictures");
    fails(&["rig", "old.json", "-o", "old.json"], 1, "is the character itself");
    fails(&["rig", &mesh], 2, "--output");
    fails(&["rig", &mesh, "-o", "a.json", "-q", "-v"], 2, "cannot be used with");
    puppetry(dir.path(), &["rig", &mesh, "-o", "old.json", "-q"]).exits_with(0).warns_of_nothing();
    assert!(rig_file::read(&fs::read(dir.path().join("old.json")).unwrap()).is_ok());
    assert_eq!(names(), before);
}

#[test]
fn every_example_character_is_rigged_without_a_flag() {
    let dir = tempfile::tempdir().unwrap();
    for path in example_characters() {
        puppetry(dir.path(), &["rig", &path.to_string_lossy(), "-o", "a.json"])
            .exits_with(0)
            .warns_of_nothing();
        let rig = rig_file::read(&fs::read(dir.path().join("a.json")).unwrap()).unwrap();
        let is_animal = truth(&path)["morphology"] == "quadruped";
        assert_eq!(rig.skeleton.name != "human", is_animal, "{}", path.display());
        assert_eq!(rig.soles.len(), if is_animal { 4 } else { 2 }, "{}", path.display());
    }
}

#[test]
fn the_documented_rig_file_can_be_read() {
    let page = fs::read_to_string(root().join("docs/rig-file.md")).unwrap();
    let example = page.split("```json").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
    let rig = rig_file::read(example.as_bytes()).unwrap();
    assert_eq!((rig.skeleton.joints.len(), rig.soles.len()), (3, 1));
}
