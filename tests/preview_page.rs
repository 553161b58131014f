//! The command `preview` as people run it.

mod common;

use puppetry::Motion;
use puppetry::stages::io::bvh::{self, RotationOrder};
use puppetry::stages::math::{Quat, Vec3};
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

fn preview(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_puppetry"));
    command.arg("preview").args(arguments).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The first frames of a built-in motion.
fn short_motion(name: &str, frames: usize) -> String {
    let file = fs::read_to_string(common::root().join(format!("motions/{name}.bvh"))).unwrap();
    let mut lines: Vec<&str> = file.lines().collect();
    let header = lines.iter().position(|line| line.trim().starts_with("Frame Time:")).unwrap();
    lines.truncate(header + 1 + frames);
    let count = format!("Frames: {frames}");
    let declared = lines.iter().position(|line| line.trim().starts_with("Frames:")).unwrap();
    lines[declared] = &count;
    lines.join("\n") + "\n"
}

fn film(folder: &Path) -> usize {
    let media = fs::read_dir(folder.join("media")).unwrap();
    media.filter(|file| file.as_ref().unwrap().file_name().to_string_lossy().ends_with("-film.webp")).count()
}

#[test]
fn a_page_is_drawn_once_says_what_failed_and_takes_up_what_changed() {
    let dir = tempfile::tempdir().unwrap();
    let (library, page) = (dir.path().join("library"), dir.path().join("page"));
    fs::create_dir_all(library.join("more")).unwrap();
    fs::write(library.join("walk.bvh"), short_motion("walk", 20)).unwrap();
    fs::write(library.join("more/wave it.bvh"), short_motion("wave", 20)).unwrap();
    // A character beside the motions, and notes of a file system.
    fs::copy(common::root().join("examples/characters/slim.glb"), library.join("slim.glb")).unwrap();
    fs::write(library.join("._walk.bvh"), "no motion").unwrap();
    fs::write(library.join("broken.bvh"), "HIERARCHY\nROOT Hips\n{\n  OFFSET 0 zero 0\n").unwrap();
    let run = || preview(&[library.to_str().unwrap(), "-o", page.to_str().unwrap(), "--size", "64"]);

    let first = run();
    assert_eq!(first.status.code(), Some(1), "one file is broken");
    assert!(text(&first.stderr).contains("broken.bvh") && text(&first.stderr).contains("zero"), "{first:?}");
    let summary = "2 clips, 2 of them drawn now, 1 file without a motion left out, 1 could not be shown";
    assert!(text(&first.stdout).contains(summary), "{first:?}");
    assert_eq!(film(&page), 2);
    let list = fs::read_to_string(page.join("data/clips.js")).unwrap();
    assert!(list.contains("\"name\":\"wave it\"") && list.contains("\"folder\":\"more\""));
    assert!(
        list.contains("'library/more/wave it.bvh'") || list.contains("wave it.bvh'"),
        "the command is quoted"
    );
    assert!(list.contains("\"file\":\"broken.bvh\""));
    assert!(page.join("models/character0.js").is_file());

    assert!(text(&run().stdout).contains("0 of them drawn now"));
    fs::write(library.join("walk.bvh"), short_motion("walk", 21)).unwrap();
    assert!(text(&run().stdout).contains("1 of them drawn now"));
    // Interrupted before a film was written.
    let lost = fs::read_dir(page.join("media")).unwrap().map(|file| file.unwrap().path());
    let lost = lost.into_iter().find(|path| path.to_string_lossy().ends_with("-film.webp")).unwrap();
    fs::remove_file(&lost).unwrap();
    assert!(text(&run().stdout).contains("1 of them drawn now") && lost.is_file());
    fs::remove_file(library.join("more/wave it.bvh")).unwrap();
    assert!(text(&run().stdout).contains("1 clip, 0 of them drawn now"));
    assert_eq!(film(&page), 1, "what is gone leaves no files");
}

#[test]
fn odd_names_arrive_on_the_page_and_in_its_commands() {
    let dir = tempfile::tempdir().unwrap();
    let library = dir.path().join("a<");
    fs::create_dir(&library).unwrap();
    let name = "script> it's \"100%\" #1 für 走る";
    fs::write(library.join(format!("{name}.bvh")), short_motion("wave", 3)).unwrap();
    let page = dir.path().join("page");
    let (folder, out) = (dir.path().to_str().unwrap(), page.to_str().unwrap());
    let output = preview(&[folder, "-o", out, "--size", "64", "--height", "1.5", "--up", "y"]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let script = fs::read_to_string(page.join("data/clips.js")).unwrap();
    assert!(!script.contains("</script"), "{script}");
    let list = script.trim().strip_prefix("gallery.list(").unwrap().replace("<\\/", "</");
    let arguments: serde_json::Value =
        serde_json::from_str(&format!("[{}]", list.strip_suffix(");").unwrap())).unwrap();
    let (clip, bake) = (&arguments[0][0], &arguments[3]);
    assert_eq!((clip["name"].as_str(), clip["folder"].as_str()), (Some(name), Some("a<")));
    let motion = clip["motion"].as_str().unwrap();
    assert!(motion.starts_with('\'') && motion.contains(r"it'\''s"), "{motion}");
    assert!(clip["output"].as_str().unwrap().contains(r"it'\''s"));
    assert_eq!(bake["command"], "puppetry animate CHARACTER.glb");
    assert_eq!(
        (bake["output"].as_str(), bake["flags"].as_str()),
        (Some("character_animated.glb"), Some(" --height 1.5 --up y"))
    );
}

#[test]
fn a_character_with_a_skin_keeps_it_and_built_in_motions_have_names() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name).to_str().unwrap().to_owned();
    let slim = common::root().join("examples/characters/slim.glb");
    let rig = ["rig", slim.to_str().unwrap(), "-o", &path("hero.glb"), "--names", "mixamo"];
    assert!(Command::new(env!("CARGO_BIN_EXE_puppetry")).args(rig).output().unwrap().status.success());
    let output = preview(&["wave", "-o", &path("page"), "--size", "64", "--character", &path("hero.glb")]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let list = fs::read_to_string(path("page/data/clips.js")).unwrap();
    assert!(list.contains(r#""hips":"mixamorig:Hips""#), "{list}");
    assert!(list.contains(r#""motion":"wave","output":"wave.glb""#), "{list}");
    assert!(list.contains(r#"hero.glb","output":"hero_animated.glb","flags":"""#), "{list}");

    // A file with several animations is a folder of clips.
    let hero = path("hero.glb");
    let pack = ["animate", &hero, "--motion", "wave", "--motion", "turn", "-o", &path("pack.glb")];
    assert!(Command::new(env!("CARGO_BIN_EXE_puppetry")).args(pack).output().unwrap().status.success());
    let run = || preview(&[&path("pack.glb"), "-o", &path("packed"), "--size", "64"]);
    assert!(text(&run().stdout).contains("2 clips, 2 of them drawn now"));
    assert!(text(&run().stdout).contains("2 clips, 0 of them drawn now"));
    let list = fs::read_to_string(path("packed/data/clips.js")).unwrap();
    assert!(list.contains(r#""name":"turn","folder":"pack.glb""#), "{list}");
}

/// The clips of a page by their names.
fn clips(page: &Path) -> std::collections::BTreeMap<String, serde_json::Value> {
    let script = fs::read_to_string(page.join("data/clips.js")).unwrap();
    let list = script.trim().strip_prefix("gallery.list(").unwrap().strip_suffix(");").unwrap();
    let arguments: serde_json::Value = serde_json::from_str(&format!("[{list}]")).unwrap();
    let clips = arguments[0].as_array().unwrap().iter();
    clips.map(|clip| (clip["name"].as_str().unwrap().to_owned(), clip.clone())).collect()
}

#[test]
fn an_index_describes_motions_and_words_come_before_movement() {
    let dir = tempfile::tempdir().unwrap();
    let (library, page) = (dir.path().join("library"), dir.path().join("page"));
    fs::create_dir_all(library.join("salsa")).unwrap();
    for name in ["02_01.bvh", "02_02.bvh", "kick_left.bvh", "salsa/07.bvh"] {
        fs::write(library.join(name), short_motion("wave", 30)).unwrap();
    }
    fs::write(library.join("tpose.bvh"), short_motion("walk", 1)).unwrap();
    let index = dir.path().join("index.txt");
    fs::write(&index, "Subject #2\n02_01\tdirects traffic, waving\n").unwrap();
    let [library, page, index] = [&library, &page, &index].map(|path| path.to_str().unwrap());
    let run = |more: &[&str]| preview(&[&[library, "-o", page, "--size", "64"], more].concat());
    assert_eq!(run(&[]).status.code(), Some(0));
    let before = clips(Path::new(page));
    assert_eq!(
        (&before["02_01"]["tags"], &before["02_01"]["description"]),
        (&before["02_02"]["tags"], &"".into())
    );
    assert_eq!(before["kick_left"]["tags"], serde_json::json!(["kick"]));
    assert_eq!(before["07"]["tags"], serde_json::json!(["dance"]), "by its folder");
    assert_eq!(before["tpose"]["tags"], serde_json::json!(["pose"]), "one frame is no motion");

    // A description is on the page without drawing anything anew.
    let output = run(&["--names-file", index]);
    assert!(text(&output.stdout).contains("0 of them drawn now"), "{output:?}");
    let after = clips(Path::new(page));
    assert_eq!(after["02_01"]["description"], "directs traffic, waving");
    assert_eq!(after["02_01"]["tags"], serde_json::json!(["wave"]));
    assert_eq!(after["02_02"], before["02_02"]);
    // What the index has more is counted, the heading among it.
    let unused = "lines that describe no motion of this page: 1 [unused-names]";
    assert!(text(&output.stderr).contains(unused), "{output:?}");
    let leg = after["02_01"]["leg"].as_f64().unwrap();
    assert!((0.5..1.2).contains(&leg), "a leg of {leg} m");

    fs::write(index, "walk_17 walks\n").unwrap();
    let output = run(&["--names-file", index]);
    assert_eq!(output.status.code(), Some(1));
    assert!(
        text(&output.stderr).contains("describes none of the motions; begin its lines with"),
        "{output:?}"
    );
}

/// Somebody who stands and stretches the left arm, bent before his chin, straight ahead within so many frames, and takes it back.
fn stretches_an_arm(frames_out: usize) -> String {
    const FRAMES: usize = 120;
    const BEFORE: usize = 20;
    // Degrees of trunk, upper arm and elbow about the vertical, on guard and stretched.
    let joints =
        [("upperChest", 5.0, -20.0), ("leftUpperArm", -25.0, -60.0), ("leftLowerArm", -120.0, -18.0)];
    let mut motion = Motion::built_in("idle").unwrap();
    let width = motion.rotations.joints.len();
    motion.frames = FRAMES;
    motion.rotations.values.truncate(FRAMES * width);
    motion.translations.values.truncate(FRAMES * motion.translations.joints.len());
    for (name, guard, stretched) in joints {
        let joint = motion.joints.iter().position(|joint| joint.name == name).unwrap();
        let track = motion.rotations.track_of(joint).unwrap();
        for frame in 0..FRAMES {
            let at = |begin: usize| (frame.saturating_sub(begin) as f64 / frames_out as f64).min(1.0);
            let eased = |time: f64| time * time * time * (10.0 - 15.0 * time + 6.0 * time * time);
            let part = eased(at(BEFORE)) - eased(at(BEFORE + frames_out + 4));
            let turn: f64 = guard + (stretched - guard) * part;
            motion.rotations.values[frame * width + track] =
                Quat::from_axis_angle(&Vec3::y_axis(), turn.to_radians());
        }
    }
    bvh::write(&motion, RotationOrder::Zxy)
}

#[test]
fn a_jab_is_a_punch_without_a_word_and_pointing_is_a_gesture() {
    let dir = tempfile::tempdir().unwrap();
    let (library, page) = (dir.path().join("takes"), dir.path().join("page"));
    fs::create_dir(&library).unwrap();
    for (name, frames_out) in [("14_01.bvh", 13), ("14_02.bvh", 36)] {
        fs::write(library.join(name), stretches_an_arm(frames_out)).unwrap();
    }
    let output = preview(&[library.to_str().unwrap(), "-o", page.to_str().unwrap(), "--size", "64"]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let clips = clips(&page);
    assert_eq!(clips["14_01"]["tags"], serde_json::json!(["punch"]));
    assert_eq!(clips["14_02"]["tags"], serde_json::json!(["gesture"]));
}

#[test]
fn known_mistakes_have_their_sentence() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name).to_str().unwrap().to_owned();
    fs::create_dir(path("empty")).unwrap();
    fs::write(path("file"), "").unwrap();
    for (arguments, sentence) in [
        (vec![path("empty"), "-o".into(), path("page")], "There are no motions in"),
        (vec![path("gone"), "-o".into(), path("page")], "a folder of them, or one of walk, run"),
        (vec![path("gone"), "-o".into(), path("a.webp")], "There is no"),
        (vec!["motions".into(), "-o".into(), path("a.jpg")], "end it in .webp, .apng or .gif"),
        (vec![path("empty"), "-o".into(), path("a.webp")], "is a picture of one motion"),
        (
            vec!["walk".into(), "-o".into(), path("a.webp"), "--names-file".into(), path("file")],
            "describes the motions of a page",
        ),
        (vec!["walk".into(), "-o".into(), path("page"), "--names-file".into(), path("gone")], "Cannot read"),
        (vec!["motions/walk.bvh".into(), "-o".into(), path("file/page")], "Cannot make the folder"),
    ] {
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let output = preview(&arguments);
        assert_eq!(output.status.code(), Some(1));
        assert!(text(&output.stderr).contains(sentence), "{arguments:?}: {}", text(&output.stderr));
    }
    assert!(!Path::new(&path("page")).exists(), "nothing is written");
}
