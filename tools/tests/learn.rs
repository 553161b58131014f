//! The program `learn`: characters with known joints to weights in a skeleton file.

use puppetry::stages::learn::no_regression::towards;
use puppetry::stages::skeleton::{PENALTIES, PenaltyWeights};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn learn(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_learn")).args(arguments).output().unwrap()
}

/// The root of the repository.
fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The example characters of these names in a folder of their own.
fn folder_of(names: &[&str]) -> tempfile::TempDir {
    let examples = root().join("examples/characters");
    let folder = tempfile::tempdir().unwrap();
    for name in names {
        for ending in ["glb", "truth.json"] {
            let file = format!("{name}.{ending}");
            fs::copy(examples.join(&file), folder.path().join(&file)).unwrap();
        }
    }
    folder
}

fn shown(path: &Path) -> &str {
    path.to_str().unwrap()
}

#[test]
fn weights_are_learned_stored_and_learned_again_without_meshes() {
    let folder = folder_of(&["slim", "child", "gingerbread", "dog"]);
    let path = |name: &str| -> PathBuf { folder.path().join(name) };
    let human = fs::read_to_string(root().join("skeletons/human.skeleton")).unwrap();

    // The weights that come with it were learned; here everything begins with the defaults.
    let is_own = |line: &&str| !line.starts_with("weight") && !line.starts_with("# weights:");
    let own: Vec<&str> = human.lines().filter(is_own).collect();
    let with_comment = own.join("\n").replacen("about", "# my own remark\nabout", 1);
    let with_comment = format!("{with_comment}\nweight below-the-crown 0\n");
    fs::write(path("own.skeleton"), &with_comment).unwrap();
    let families = ["--family", "slim=one", "--family", "child=two", "--family", "gingerbread=three"];
    let own = path("own.skeleton");
    let run = |inputs: &str, skeleton: &str, more: &[&str]| {
        let mut arguments = vec![inputs, "--skeleton", shown(&own), "--rounds", "2", "-o", skeleton];
        arguments.extend(more);
        learn(&arguments)
    };
    let mut more = families.to_vec();
    let (examples, report) = (path("human.examples.txt"), path("report.json"));
    more.extend([
        "--examples",
        shown(&examples),
        "--report",
        shown(&report),
        "--guard",
        shown(folder.path()),
    ]);
    let first = run(shown(folder.path()), shown(&own), &more);
    assert!(first.status.success(), "{}", text(&first.stderr));
    let printed = text(&first.stdout);
    for part in ["3 characters of 3 families", "margin", "left out each", "limited by", "went"] {
        assert!(printed.contains(part), "{part}: {printed}");
    }

    // Everything but the weights is as it was.
    let learned = fs::read_to_string(&own).unwrap();
    let others = |text: &str| text.lines().filter(is_own).map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(others(&learned), others(&with_comment));
    let skeleton = puppetry::stages::io::skeleton_file::read(&learned).unwrap();
    assert_ne!(skeleton.weights, Default::default());
    let crown = PenaltyWeights::find("below-the-crown").unwrap();
    assert_eq!(skeleton.weights.0[crown], 0.0, "what is left out stays out");

    let report: serde_json::Value = serde_json::from_slice(&fs::read(report).unwrap()).unwrap();
    assert_eq!(report["characters"], 3);
    assert_eq!(report["families_left_out"].as_array().unwrap().len(), 3);
    let steps = report["steps"].as_array().unwrap();
    assert!(steps.last().unwrap()["worse"].as_array().unwrap().is_empty(), "{steps:?}");
    assert!(report["after"]["combined"].as_u64() >= report["before"]["combined"].as_u64());

    // The stored embeddings give the same weights, and need no meshes; on one thread as on many. Without meshes nobody can
    // be guarded: they are those at the end of the way, of which the first run went a part.
    for name in ["slim", "child", "gingerbread"] {
        fs::remove_file(path(&format!("{name}.glb"))).unwrap();
    }
    let weights = |file: &Path| {
        puppetry::stages::io::skeleton_file::read(&fs::read_to_string(file).unwrap()).unwrap().weights
    };
    let again = path("again.skeleton");
    let second = run(shown(&examples), shown(&again), &["--threads", "1"]);
    assert!(second.status.success(), "{}", text(&second.stderr));
    let share = steps.last().unwrap()["share"].as_f64().unwrap();
    assert!(share > 0.0);
    let part = towards(&PenaltyWeights::default(), &weights(&again), share);
    for (a, b) in part.0.iter().zip(weights(&own).0) {
        assert!((a - b).abs() <= 1e-3 * b, "{part:?}");
    }
}

#[test]
fn what_teaches_nothing_is_refused_and_writes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let row = |label: &str, id: &str, first: f64| {
        let rest = ["0"; PENALTIES.len() - 1].join(" ");
        format!("{label} {id} best 0.01 0.01 0 {first} {rest}\n")
    };
    let head = "puppetry-examples 1\nskeleton human\n";
    let fine = |name: &str| format!("character {name}\n{}{}", row("good", "1", 0.1), row("bad", "2", 0.5));
    let cases = [
        (format!("{head}{}", fine("a")), "one character"),
        (head.to_owned(), "no character"),
        (format!("{head}{}character b\n{}", fine("a"), row("bad", "1", 0.1)), "No embedding is good for b"),
        (
            format!("{head}{}character b\n{}{}", fine("a"), row("bad", "1", 0.1), row("good", "2", 0.1)),
            "contradict each other",
        ),
        ("puppetry-examples 1\nskeleton horse\n".to_owned(), "not of human"),
        ("something else".to_owned(), "line 1"),
    ];
    let (examples, learned) = (path("examples.txt"), path("out.skeleton"));
    let base = [shown(&examples), "--skeleton", "human", "-o", shown(&learned)];
    for (content, part) in &cases {
        fs::write(&examples, content).unwrap();
        let result = learn(&base);
        assert_eq!(result.status.code(), Some(1), "{part}");
        assert!(text(&result.stderr).contains(part), "{part}: {}", text(&result.stderr));
        assert!(!path("out.skeleton").exists(), "{part}");
    }
    // One that has no good embedding can be left out.
    fs::write(
        path("examples.txt"),
        format!("{head}{}{}character c\n{}", fine("a"), fine("b"), row("bad", "1", 0.1)),
    )
    .unwrap();
    let run = |more: &[&str]| learn(&[&base[..], more].concat());
    assert!(!run(&[]).status.success());
    assert!(text(&run(&["--label", "c/9=good"]).stderr).contains("no such embedding"));
    assert!(text(&run(&["--label", "c/1=good", "--label", "c/1=bad"]).stderr).contains("two things"));
    assert!(text(&run(&["--without", "beauty"]).stderr).contains("no penalty"));
    assert!(text(&run(&["--guard", shown(&examples)]).stderr).contains("no folder that is learned from"));
    assert!(!path("out.skeleton").exists());
    assert!(run(&["--set-aside"]).status.success());
    fs::remove_file(path("out.skeleton")).unwrap();
    assert!(run(&["--label", "c/1=good", "--quiet"]).status.success());
    assert!(path("out.skeleton").exists());
}
