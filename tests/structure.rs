//! The shape of the code: who may know whom, joint names outside of the naming tables, bare numbers.

mod common;

use common::root;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

type Graph = BTreeMap<String, BTreeSet<String>>;

/// Bare floats by folder, outside of constants and tests. A count may only fall; `0.0`, `0.5`, `1.0`, `2.0` and the like are free.
const BARE_FLOATS: [(&str, usize); 21] = [
    ("bodyparts", 0),
    ("cli", 17),
    ("clip", 1),
    ("embed", 2),
    ("image", 0),
    ("io", 1),
    ("learn", 4),
    ("lib", 0),
    ("main", 0),
    ("math", 12),
    ("mesh", 46),
    ("motion", 1),
    ("parts", 3),
    ("pipeline", 15),
    ("preview", 4),
    ("retarget", 2),
    ("rig", 4),
    ("skeleton", 18),
    ("skin", 3),
    ("stages", 0),
    ("warning", 0),
];
const PLAIN: [&str; 6] = ["0.0", "0.5", "1.0", "2.0", "3.0", "4.0"];

/// All source files of the library that are not tests.
fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        let name = entry.file_name().to_string_lossy().into_owned();
        if path.is_dir() {
            sources(&path, found);
        } else if name.ends_with(".rs") && name != "tests.rs" && !name.starts_with("test_") {
            found.push(path);
        }
    }
    found.sort();
}

/// The code of each file without comments, strings and unit tests, with the top-level module it belongs to.
fn code() -> Vec<(String, PathBuf, String)> {
    let src = root().join("src");
    let mut files = Vec::new();
    sources(&src, &mut files);
    let module = |path: &Path| {
        let first = path.strip_prefix(&src).unwrap().components().next().unwrap();
        first.as_os_str().to_string_lossy().trim_end_matches(".rs").to_owned()
    };
    files.into_iter().map(|path| (module(&path), path.clone(), stripped(&path))).collect()
}

fn stripped(path: &Path) -> String {
    let text = fs::read_to_string(path).unwrap();
    let mut kept = String::new();
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        // Unit tests stand at the end of a file.
        let next = lines.peek().map_or("", |next| next.trim_start());
        if line.trim() == "#[cfg(test)]" && next.contains("mod ") && next.ends_with('{') {
            break;
        }
        kept.push_str(line.split("//").next().unwrap_or(""));
        kept.push('\n');
    }
    kept
}

/// Who uses whom, by the paths in the code.
fn graph() -> Graph {
    let all = code();
    let modules: BTreeSet<String> = all.iter().map(|(module, ..)| module.clone()).collect();
    let mut graph = Graph::new();
    for (module, _, text) in &all {
        if matches!(module.as_str(), "lib" | "main" | "stages") {
            continue;
        }
        let used = graph.entry(module.clone()).or_default();
        for (at, _) in text.match_indices("crate::") {
            let rest = text[at + "crate::".len()..].trim_start_matches("stages::");
            let names: Vec<&str> = match rest.strip_prefix('{') {
                Some(list) => list.split('}').next().unwrap_or("").split(',').map(str::trim).collect(),
                None => vec![rest],
            };
            for name in names {
                let word: String = name.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
                let word = match word.as_str() {
                    "Warning" | "Remedy" => "warning",
                    "Image" => "image",
                    word => word,
                };
                if modules.contains(word) && word != module {
                    used.insert(word.to_owned());
                }
            }
        }
    }
    graph
}

/// The table of ARCHITECTURE.md.
fn table() -> Graph {
    let text = fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap();
    let section = text.split("## Who may know whom").nth(1).expect("the section");
    let section = section.split("\n## ").next().unwrap();
    let rows = section.lines().filter(|line| line.starts_with("| ") && !line.starts_with("| module"));
    rows.map(|row| {
        let cells: Vec<&str> = row.trim_matches('|').split('|').map(str::trim).collect();
        let used = cells[1].split(',').map(str::trim).filter(|name| !name.is_empty()).map(str::to_owned);
        (cells[0].to_owned(), used.collect())
    })
    .collect()
}

#[test]
fn modules_know_whom_the_architecture_says_and_there_is_no_cycle() {
    let (graph, table) = (graph(), table());
    for (module, used) in &graph {
        let allowed = table.get(module).unwrap_or_else(|| panic!("ARCHITECTURE.md does not list {module}"));
        assert_eq!(used, allowed, "what {module} uses, and what ARCHITECTURE.md says");
    }
    // Take away who knows nobody that is left, until nobody is left.
    let mut left = graph;
    while !left.is_empty() {
        let names: BTreeSet<String> = left.keys().cloned().collect();
        let before = left.len();
        left.retain(|_, used| used.iter().any(|name| names.contains(name)));
        assert!(left.len() < before, "a cycle among {names:?}");
    }
}

#[test]
fn joint_names_stand_in_naming_tables_only() {
    // What joints are called by people and files; the last two have the names of VRM's bones.
    let tables = [
        "embed/shape/names.rs",
        "skeleton/naming.rs",
        "skeleton/roles.rs",
        "rig/names.rs",
        "skeleton/human_bones.rs",
        "rig/t_pose.rs",
    ];
    let parts = ["UpperArm", "LowerArm", "UpperLeg", "LowerLeg", "Hips\"", "Toes\"", "Hock", "UpperChest"];
    for (_, path, text) in code() {
        let name = path.to_string_lossy().replace('\\', "/");
        if tables.iter().any(|table| name.ends_with(table)) {
            continue;
        }
        for (number, line) in text.lines().enumerate() {
            let strings: String = line.split('"').skip(1).step_by(2).map(|s| format!("{s}\"")).collect();
            let found = parts.iter().find(|part| strings.contains(**part));
            assert!(found.is_none(), "{name}:{}: {}", number + 1, line.trim());
        }
    }
}

#[test]
fn bare_numbers_become_fewer() {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for (module, _, text) in code() {
        *counts.entry(module).or_default() += bare_floats(&text);
    }
    for (module, count) in &counts {
        let most = BARE_FLOATS.iter().find(|(name, _)| name == module).map_or(0, |(_, most)| *most);
        assert!(*count <= most, "{module} has {count} bare floats, at most {most} are allowed; name them");
    }
    println!("bare floats: {}", counts.values().sum::<usize>());
}

/// Float literals outside of constants and default values.
fn bare_floats(text: &str) -> usize {
    let mut count = 0;
    let (mut in_constant, mut in_default) = (false, false);
    for line in text.lines() {
        in_constant |= ["const ", "static "].iter().any(|word| {
            line.trim_start()
                .trim_start_matches("pub ")
                .trim_start_matches("pub(crate) ")
                .trim_start_matches("pub(super) ")
                .starts_with(word)
        }) && !line.contains(" fn ");
        in_default |= line.starts_with("impl Default for");
        if !in_constant && !in_default {
            count += floats(line);
        }
        in_constant &= !line.trim_end().ends_with(';');
        in_default &= line != "}";
    }
    count
}

fn floats(line: &str) -> usize {
    let mut outside = String::new();
    line.split('"').step_by(2).for_each(|part| outside.push_str(part));
    let is_part = |c: char| c.is_alphanumeric() || c == '.' || c == '_';
    let words =
        outside.split(|c: char| !is_part(c)).filter(|word| word.starts_with(|c: char| c.is_ascii_digit()));
    let is_float = |word: &&str| {
        let digits = word.trim_end_matches("f64").trim_end_matches("f32").trim_end_matches('_');
        !digits.contains("..")
            && !digits.starts_with("0x")
            && digits.parse::<u128>().is_err()
            && digits.parse::<f64>().is_ok()
            && !PLAIN.contains(&digits)
    };
    words.filter(is_float).count()
}

#[test]
fn flags_stand_in_the_command_line_only() {
    for (module, path, text) in code() {
        if module == "cli" {
            continue;
        }
        for (number, line) in text.lines().enumerate() {
            let is_flag = |rest: &str| rest.starts_with(|c: char| c.is_ascii_lowercase());
            let has_flag = line.split("--").skip(1).any(is_flag);
            assert!(!has_flag, "{}:{}: {}", path.display(), number + 1, line.trim());
        }
    }
}
