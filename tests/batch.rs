//! Runs over several characters, and what scripts read: folders, left-out motions, summaries, exit codes, standard output.

mod common;

use common::posed::write_posed;
use common::{puppetry, root};
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

/// A folder with two example characters and something that is none.
fn characters() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir_all(dir.path().join("in/more")).unwrap();
    for (name, place) in [("slim", "in/slim.glb"), ("dog", "in/more/dog.glb")] {
        fs::copy(root().join(format!("examples/characters/{name}.glb")), dir.path().join(place)).unwrap();
    }
    fs::write(dir.path().join("in/broken.obj"), "v 0 0 0\n").unwrap();
    dir
}

fn lines(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn a_folder_of_meshes_is_rigged_into_a_folder_that_is_made_and_summed_up() {
    let dir = characters();
    let run = |flags: &[&str]| puppetry(dir.path(), &[&["rig", "in", "-o", "in/out"], flags].concat());
    run(&["--report", "r.json"])
        .exits_with(1)
        .complains("broken.obj")
        .prints("3 characters\n  written       2\n  failed        1: in/broken.obj\n  least sure    in/more/dog.glb 0.88, in/slim.glb 0.99");
    assert!(dir.path().join("in/out/slim.glb").exists() && dir.path().join("in/out/dog.glb").exists());
    let report: Value = serde_json::from_slice(&fs::read(dir.path().join("r.json")).unwrap()).unwrap();
    let characters = report["characters"].as_array().unwrap();
    assert!(characters[0]["error"].as_str().unwrap().contains("broken.obj"), "{report}");
    assert_eq!(characters[1]["skeleton"]["name"], "horse");
    // What the first run wrote is no input of the second, and lines of JSON are alone on standard output.
    let second = run(&["--format", "json", "--json"]).exits_with(1).complains("3 characters");
    let lines = lines(&second.stdout());
    assert_eq!(lines.len(), 3);
    assert!(lines[0]["error"].is_string() && lines[2]["outputs"][0].as_str().unwrap().ends_with("slim.json"));
    puppetry(dir.path(), &["rig", "in", "-o", "gone/out/"])
        .exits_with(1)
        .complains("there is no folder 'gone'");
    puppetry(dir.path(), &["rig", "in", "-o", "a.glb"]).exits_with(1).complains("give a folder, as in -o a/");
    let sheet = ["rig", "in/slim.glb", "in/more", "-o", "out2/", "--pose-sheet", "a.png"];
    puppetry(dir.path(), &sheet).exits_with(1).complains("shows one character");
    assert!(!dir.path().join("out2").exists());
}

/// Motions that are of no use are told once if nobody can use them, and everything else is written.
#[test]
fn what_can_be_written_is_written_and_the_rest_is_told_once() {
    let dir = characters();
    fs::remove_file(dir.path().join("in/broken.obj")).unwrap();
    let walk = puppetry::stages::motion::built_in()[0].bvh;
    let swapped = walk.replace("Left", "#").replace("Right", "Left").replace('#', "Right");
    fs::write(dir.path().join("swapped.bvh"), swapped).unwrap();
    let args = [
        "animate",
        "in",
        "--motion",
        "swapped.bvh",
        "--motion",
        "waltz",
        "-o",
        "out",
        "--any-body",
        "--report",
        "r.json",
    ];
    let run = puppetry(dir.path(), &args).exits_with(1).complains("here is no motion 'waltz'");
    for told in ["'waltz'", "[sides-swapped]"] {
        assert_eq!(run.stderr().matches(told).count(), 1, "{told} is told once: {}", run.stderr());
    }
    assert!(dir.path().join("out/slim.glb").exists() && dir.path().join("out/dog.glb").exists());
    let report: Value = serde_json::from_slice(&fs::read(dir.path().join("r.json")).unwrap()).unwrap();
    for character in report["characters"].as_array().unwrap() {
        assert_eq!(character["motions_left_out"][0]["file"], "waltz");
        assert_eq!(character["clips"][0]["name"], "swapped");
    }
}

#[test]
fn a_doubtful_character_in_a_batch_makes_the_exit_code_three_and_a_failed_one_one() {
    let dir = characters();
    // Half of the way from a person to nobody: found by its confidence, so that the test says when that changes.
    write_posed(&dir.path().join("posed.obj"), &dir.path().join("in/slim.glb"), "sit", 0.5);
    let run = |flags: &[&str]| {
        let args = ["rig", "in/slim.glb", "posed.obj", "-o", "out/", "--format", "json"];
        puppetry(dir.path(), &[&args[..], flags].concat())
    };
    let confidence = |out: &Path| -> f64 {
        let rig: Value = serde_json::from_slice(&fs::read(out).unwrap()).unwrap();
        rig["confidence"].as_f64().unwrap()
    };
    run(&["--min-confidence", "0"]).exits_with(3).prints("doubtful      1 of them: posed.obj");
    assert!(confidence(&dir.path().join("out/posed.json")) < 0.5);
    run(&["--min-confidence", "0.5"]).exits_with(1).prints("failed        1: posed.obj");
}

#[test]
fn standard_output_carries_one_file_or_one_report() {
    let dir = characters();
    let run = |args: &[&str]| {
        Command::new(env!("CARGO_BIN_EXE_puppetry")).args(args).current_dir(dir.path()).output().unwrap()
    };
    puppetry(dir.path(), &["rig", "in/slim.glb", "-o", "slim_rigged.glb"]).exits_with(0);
    let file = run(&["rig", "in/slim.glb", "-o", "-", "--format", "glb"]);
    assert_eq!(file.status.code(), Some(0));
    let told = String::from_utf8_lossy(&file.stderr).into_owned();
    assert!(file.stdout.starts_with(b"glTF") && told.contains("confidence"));
    assert!(!told.contains("wrote"), "nobody reads a name of standard output: {told}");
    let default = run(&["rig", "in/slim.glb", "-o", "-", "-q"]);
    assert!(default.stdout == file.stdout, "the format is glb unless another is named");
    for command in ["animate", "retarget"] {
        let stream = run(&[command, "slim_rigged.glb", "--motion", "walk", "-o", "-"]);
        assert!(stream.stdout.starts_with(b"glTF"), "{command}");
        assert!(!String::from_utf8_lossy(&stream.stderr).contains("wrote"), "{command}");
    }
    let film = run(&["preview", "walk", "-o", "-", "--format", "gif", "--size", "64"]);
    assert!(film.stdout.starts_with(b"GIF8"), "{}", String::from_utf8_lossy(&film.stderr));
    puppetry(dir.path(), &["preview", "walk", "-o", "-", "--format", "page"])
        .exits_with(1)
        .complains("end it in .webp, .apng or .gif");
    puppetry(dir.path(), &["preview", "walk", "-o", "a.gif", "--format", "gif"])
        .exits_with(1)
        .complains("--format gif is for '-'");
    for output in ["-", "out/"] {
        let run = puppetry(dir.path(), &["rig", "in/slim.glb", "-o", output, "--format", "gltf"]);
        run.exits_with(1).complains("annot write .gltf").complains("glb");
    }
    assert!(
        file.stdout == fs::read(dir.path().join("slim_rigged.glb")).unwrap(),
        "the same bytes as in a file"
    );
    let bvh = run(&["animate", "slim_rigged.glb", "--motion", "walk", "-o", "-", "--format", "bvh", "-q"]);
    assert!(bvh.stdout.starts_with(b"HIERARCHY") && bvh.stderr.is_empty());
    let report = run(&["animate", "slim_rigged.glb", "--motion", "walk", "-o", "a.glb", "--report", "-"]);
    let report: Value = serde_json::from_slice(&report.stdout).unwrap();
    assert_eq!(report["clips"][0]["name"], "walk");
    let json = run(&["retarget", "slim_rigged.glb", "--motion", "walk", "-o", "a.glb", "--json"]);
    assert_eq!(lines(&String::from_utf8(json.stdout).unwrap())[0]["outputs"][0]["file"], "a.glb");

    for (args, sentence) in [
        (&["-o", "-", "--format", "blend"][..], "annot write .blend; --format takes .glb"),
        (&["-o", "-", "-o", "b.glb", "--format", "glb"], "either '-' or files"),
        (&["-o", "b.glb", "--format", "glb"], "is for '-' and for folders"),
        (&["-o", "-", "--format", "glb", "--json"], "tandard output cannot carry both"),
        (&["-o", "b.glb", "--report", "-", "--json"], "tandard output cannot carry both"),
        (&["-o", "-", "--format", "gltf"], "one stream holds one file; give --format glb"),
        (&["-o", "-", "--format", "bvh", "--motion", "run"], "annot write 2 files to standard output"),
    ] {
        let args = [&["animate", "slim_rigged.glb", "--motion", "walk"][..], args].concat();
        let run = puppetry(dir.path(), &args).exits_with(1).complains(sentence);
        assert!(run.stdout().is_empty());
    }
}

/// What is up to date is left alone, and made again when its file, an option or an output changes.
#[test]
fn every_command_writes_one_json_object_a_line() {
    let dir = characters();
    puppetry(dir.path(), &["rig", "in/slim.glb", "-o", "rigged.glb"]).exits_with(0);
    let commands: [(&[&str], usize); 7] = [
        (&["rig", "in/slim.glb", "in/more/dog.glb", "-o", "rigs/"], 2),
        (&["animate", "in/slim.glb", "--motion", "walk", "-o", "animated/"], 1),
        (&["retarget", "rigged.glb", "--motion", "walk", "-o", "retargeted/"], 1),
        (&["preview", "walk", "idle", "-o", "page/", "--size", "64"], 2),
        (&["inspect", "in/slim.glb", "in/more/dog.glb"], 2),
        (&["motions"], 13),
        (&["skeletons"], 4),
    ];
    for (command, expected) in commands {
        let run = puppetry(dir.path(), &[command, &["--json"]].concat()).exits_with(0);
        let objects = lines(&run.stdout());
        assert_eq!(objects.len(), expected, "{command:?}: {}", run.stdout());
        assert!(objects.iter().all(Value::is_object), "{command:?}: {}", run.stdout());
    }
    // Each has made the folder that it writes into.
    for folder in ["rigs", "animated", "retargeted", "page"] {
        assert!(fs::read_dir(dir.path().join(folder)).unwrap().count() > 0, "{folder}");
    }
}

/// A giant walks ten times as fast as a child of a tenth of its height, and makes as many legs a second.
#[test]
fn a_speed_in_legs_says_how_it_looks_whatever_the_size() {
    let dir = characters();
    let speeds = ["1m", "10m"].map(|height| {
        let args =
            ["animate", "in/slim.glb", "--motion", "walk", "-o", "a.glb", "--height", height, "--json"];
        let report = lines(&puppetry(dir.path(), &args).exits_with(0).stdout()).remove(0);
        let clip = &report["clips"][0];
        ["speed_meters_per_second", "speed_legs_per_second"].map(|speed| clip[speed].as_f64().expect(speed))
    });
    let [small, large] = speeds;
    assert!((large[0] / small[0] - 10.0).abs() < 0.1, "{speeds:?}");
    assert!((large[1] / small[1] - 1.0).abs() < 0.01 && (0.8..2.5).contains(&small[1]), "{speeds:?}");
}

#[test]
fn a_run_goes_on_where_an_earlier_one_ended() {
    let dir = characters();
    fs::remove_file(dir.path().join("in/broken.obj")).unwrap();
    let [slim, dog] = ["slim", "dog"].map(|name| dir.path().join(format!("out/{name}.glb")));
    let run = |flags: &[&str]| {
        let args = ["animate", "in", "--motion", "walk", "-o", "out/", "--resume", "--report", "r.json"];
        puppetry(dir.path(), &[&args[..], flags].concat()).exits_with(0)
    };
    run(&[]).prints("written       2\n");
    let report = || fs::read(dir.path().join("r.json")).unwrap();
    let (first, bytes) = (report(), fs::read(&slim).unwrap());
    run(&[]).prints("written       0, 2 up to date").prints("least sure    in/more/dog.glb 0.88");
    assert!(report() == first, "the report tells of all");
    // An output that is gone, or that somebody else has written.
    fs::remove_file(&dog).unwrap();
    run(&[]).prints("written       1, 1 up to date");
    fs::write(&slim, "another").unwrap();
    run(&[]).prints("written       1, 1 up to date");
    assert!(fs::read(&slim).unwrap() == bytes);
    // An option, and a character.
    run(&["--fps", "30"]).prints("written       2\n");
    fs::copy(root().join("examples/characters/child.glb"), dir.path().join("in/slim.glb")).unwrap();
    run(&["--fps", "30"]).prints("written       1, 1 up to date");
    assert!(fs::read(&slim).unwrap() != bytes);
}

#[test]
fn a_buffer_of_a_gltf_file_is_a_part_of_it() {
    let dir = characters();
    let mesh = dir.path().join("in/slim.glb").display().to_string();
    puppetry(dir.path(), &["animate", &mesh, "--motion", "idle", "-o", "slim.gltf"]).exits_with(0);
    let run = || {
        let args = ["retarget", "slim.gltf", "--motion", "walk", "-o", "a.glb", "--resume"];
        puppetry(dir.path(), &args).exits_with(0)
    };
    run();
    run().prints("written       0, 1 up to date");
    let buffer = dir.path().join("slim.bin");
    let mut bytes = fs::read(&buffer).unwrap();
    bytes[0] ^= 1;
    fs::write(&buffer, bytes).unwrap();
    assert!(!run().stdout().contains("up to date"));
}

#[test]
fn a_sheet_shows_every_character() {
    let dir = characters();
    fs::remove_file(dir.path().join("in/broken.obj")).unwrap();
    let run = |sheet: &str| {
        let args = ["rig", "in", "-o", "out/", "--format", "glb", "--sheet", sheet, "--resume"];
        puppetry(dir.path(), &args)
    };
    run("all.jpg").exits_with(1).complains("end its name in .png");
    run("first.png").exits_with(0);
    run("second.png").exits_with(0).prints("2 up to date");
    let image = |name: &str| fs::read(dir.path().join(name)).unwrap();
    let size = |png: &[u8]| u32::from_be_bytes(png[16..20].try_into().unwrap());
    assert_eq!(size(&image("first.png")), 2 * 246 + 6);
    assert_eq!(size(&image("second.png")), 2 * 246 + 6, "what is up to date is on it, too");
}

#[test]
fn who_cannot_be_read_has_a_cell_on_the_sheet() {
    let dir = characters();
    let args = ["rig", "in", "-o", "out/", "--sheet", "all.png"];
    puppetry(dir.path(), &args).exits_with(1).complains("broken.obj");
    let sheet = fs::read(dir.path().join("all.png")).unwrap();
    assert_eq!(u32::from_be_bytes(sheet[16..20].try_into().unwrap()), 3 * 246 + 6);
}

/// Whoever is refused is on the sheet and has one line, which says why.
#[test]
fn who_is_refused_is_shown_and_told_once() {
    let dir = characters();
    write_posed(&dir.path().join("sits.obj"), &dir.path().join("in/slim.glb"), "sit", 0.5);
    for command in [&["rig"][..], &["animate", "--motion", "walk"]] {
        let args = [
            "in/slim.glb",
            "sits.obj",
            "-o",
            "out/",
            "--min-confidence",
            "0.9",
            "--sheet",
            "all.png",
            "--json",
        ];
        let run = puppetry(dir.path(), &[command, &args].concat()).exits_with(1);
        let lines = lines(&run.stdout());
        assert_eq!(lines.len(), 2);
        assert!(
            lines[0]["refused"].is_null()
                && lines[0]["outputs"][0].is_string() | lines[0]["outputs"][0].is_object()
        );
        assert!(lines[1]["refused"].as_str().unwrap().contains("'sits.obj' is refused"), "{}", lines[1]);
        let sheet = fs::read(dir.path().join("all.png")).unwrap();
        assert_eq!(u32::from_be_bytes(sheet[16..20].try_into().unwrap()), 2 * 246 + 6);
        assert!(!dir.path().join("out/sits.glb").exists());
    }
}

/// Who is doubtful is named as such, also when a motion was left out.
#[test]
fn a_character_can_be_doubtful_and_incomplete() {
    let dir = characters();
    write_posed(&dir.path().join("posed.obj"), &dir.path().join("in/slim.glb"), "sit", 0.5);
    let args =
        ["animate", "posed.obj", "in/slim.glb", "--motion", "walk", "--motion", "quad_walk", "-o", "out/"];
    puppetry(dir.path(), &[&args[..], &["--force", "--skeleton", "human"]].concat())
        .exits_with(1)
        .prints("doubtful      1 of them: posed.obj")
        .prints("incomplete    2 of them");
}

/// Folders are what people say they are: one that holds the output, one that is the output, one that is to be made.
#[test]
fn outputs_may_lie_around_and_beside_inputs_but_not_on_them() {
    let dir = characters();
    fs::remove_file(dir.path().join("in/broken.obj")).unwrap();
    let run = |args: &[&str]| puppetry(dir.path(), args);
    run(&["rig", "in", "-o", ".", "--format", "json"]).exits_with(0).prints("written       2");
    run(&["rig", "in/more", "-o", "in", "--format", "json"]).exits_with(0);
    run(&["rig", "in", "-o", "in", "--format", "json"]).exits_with(0).prints("written       2");
    run(&["rig", "in/slim.glb", "in", "-o", "new", "--report", "new/r.json"])
        .exits_with(0)
        .prints("2 characters");
    assert!(dir.path().join("new/r.json").exists());
    fs::copy(dir.path().join("in/slim.glb"), dir.path().join("in/more/slim.glb")).unwrap();
    run(&["rig", "in", "-o", "out"])
        .exits_with(1)
        .complains("'in/more/slim.glb' and 'in/slim.glb' would both be written to 'out/slim.glb'");
    for (args, sentence) in [
        (&["--report", "out/slim.json"][..], "'out/slim.json' is given twice"),
        (&["--sheet", "x.png", "--pose-sheet", "x.png"], "'x.png' is given twice"),
        (&["--report", "in/slim.glb"], "'in/slim.glb' is the character itself"),
        (&["--stages", "-"], "name a folder"),
    ] {
        let all = [&["rig", "in/slim.glb", "-o", "out/", "--format", "json"][..], args].concat();
        run(&all).exits_with(1).complains(sentence);
    }
    run(&["preview", "in", "-o", "-"]).exits_with(1).complains("'-' is a picture of one motion");
    run(&["preview", "walk", "-o", "a.fbx"]).exits_with(1).complains("FBX is not written yet");
    let stages = ["animate", "in/slim.glb", "--motion", "walk", "-o", "a.glb", "--stages", "why"];
    run(&stages).exits_with(0);
    assert!(dir.path().join("why/overview.png").exists());
    fs::write(dir.path().join("in/._slim.glb"), "notes").unwrap();
    fs::remove_file(dir.path().join("in/more/slim.glb")).unwrap();
    run(&["rig", "in", "-o", "last", "--format", "json"]).exits_with(0).prints("2 characters");
}

/// What was not drawn before is drawn, though all else is up to date.
#[test]
fn pictures_that_were_not_asked_for_before_are_made() {
    let dir = characters();
    let run = |flags: &[&str]| {
        let args = ["rig", "in/slim.glb", "-o", "out/", "--format", "json", "--resume"];
        puppetry(dir.path(), &[&args[..], flags].concat()).exits_with(0)
    };
    run(&[]);
    run(&[]).prints("up to date");
    run(&["--stages", "why"]);
    assert!(dir.path().join("why/overview.png").exists());
    run(&[]);
    // There is no surface in a rig file.
    assert!(!run(&["--sheet", "all.png"]).stdout().contains("up to date"));
    let sheet = fs::read(dir.path().join("all.png")).unwrap();
    assert_eq!(u32::from_be_bytes(sheet[16..20].try_into().unwrap()), 246 + 6);
}

#[test]
fn every_motion_that_cannot_be_read_is_told() {
    let dir = characters();
    fs::write(dir.path().join("broken.bvh"), "HIERARCHY\n").unwrap();
    puppetry(
        dir.path(),
        &["animate", "in/slim.glb", "--motion", "wlak", "--motion", "broken.bvh", "-o", "a.glb"],
    )
    .exits_with(1)
    .complains("did you mean walk?")
    .complains("broken.bvh");
}

/// A reader that has seen enough ends nothing: what goes to files is written.
#[test]
fn files_are_written_though_nobody_reads_the_summary() {
    let dir = characters();
    for (args, file) in [
        (["rig", "in/slim.glb", "-o", "a.json", "--report", "r.json"], "r.json"),
        (["rig", "in/slim.glb", "-o", "b.json", "--report", "-"], "b.json"),
    ] {
        let mut child = Command::new(env!("CARGO_BIN_EXE_puppetry"))
            .args(args)
            .current_dir(dir.path())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        assert!(dir.path().join(file).exists());
    }
}
