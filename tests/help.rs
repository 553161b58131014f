//! What people read before they type, and what they type: help, completions, manual pages, lengths, endings.

mod common;

use common::{puppetry, root};

const COMMANDS: [&str; 10] = [
    "animate",
    "rig",
    "retarget",
    "preview",
    "inspect",
    "bodyparts",
    "motions",
    "skeletons",
    "completions",
    "man",
];
/// Lines of a screen.
const SCREEN: usize = 50;

#[test]
fn help_fits_a_screen_in_one_layout_and_has_examples() {
    puppetry(root(), &[]).exits_with(2).complains("Usage:");
    puppetry(root(), &["--help"]).prints("3 written but doubtful");
    let all = puppetry(root(), &["--help"]).exits_with(0).stdout();
    for command in COMMANDS {
        assert!(all.lines().any(|line| line.trim_start().starts_with(command)), "no {command} in:\n{all}");
    }
    for command in COMMANDS.iter().map(|command| vec![*command, "--help"]).chain([vec!["--help"]]) {
        let help = puppetry(root(), &command).exits_with(0).prints("Examples:").stdout();
        let lines = help.lines().count();
        assert!(lines <= SCREEN, "{command:?}: {lines} lines\n{help}");
        let headings: Vec<&str> =
            help.lines().filter(|line| line.ends_with(':') && !line.starts_with(' ')).collect();
        let known = [
            "Commands:",
            "Arguments:",
            "What is written:",
            "What is said:",
            "What the images show:",
            "What it does:",
            "How the joints are found:",
            "How the mesh is to be understood:",
            "Anywhere:",
            "Examples:",
        ];
        let places: Vec<usize> = headings
            .iter()
            .map(|heading| known.iter().position(|known| known == heading).expect(heading))
            .collect();
        assert!(places.is_sorted(), "{command:?}: {headings:?}");
        // What is written begins with where.
        let written = help.lines().skip_while(|line| *line != "What is written:").nth(1);
        assert!(written.is_none_or(|line| line.trim_start().starts_with("-o, ")), "{command:?}: {written:?}");
        let short = command.iter().map(|word| word.replace("--help", "-h")).collect::<Vec<_>>();
        let short: Vec<&str> = short.iter().map(String::as_str).collect();
        assert_eq!(puppetry(root(), &short).exits_with(0).stdout(), help);
    }
}

#[test]
fn flags_that_the_help_leaves_out_are_in_the_long_one_and_in_the_manual() {
    let short = puppetry(root(), &["animate", "--help"]).prints("More flags: puppetry help animate").stdout();
    let long = puppetry(root(), &["help", "animate"]).exits_with(0).stdout();
    let page = puppetry(root(), &["man", "animate"]).exits_with(0).prints(".TH").stdout();
    let page = page.replace("\\-", "-");
    for flag in ["--lookahead", "--keep-size", "--attach", "--key-error"] {
        assert!(!short.contains(flag), "{flag} in:\n{short}");
        assert!(long.contains(flag) && page.contains(flag), "{flag}");
    }
    puppetry(root(), &["man"]).exits_with(0).prints("animate");
    puppetry(root(), &["man", "paint"]).exits_with(1).complains("There is no command 'paint'");
}

#[test]
fn every_shell_has_completions() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = puppetry(root(), &["completions", shell]).exits_with(0).warns_of_nothing().stdout();
        assert!(script.contains("retarget") && script.contains("lookahead"), "{shell}: {script}");
    }
    puppetry(root(), &["completions", "tcsh"]).exits_with(2).complains("possible values: bash");
}

#[test]
fn heights_and_units_are_typed_as_people_write_them() {
    let height = |arguments: &[&str]| {
        let all = [&["inspect", "examples/characters/gingerbread.glb"], arguments].concat();
        let text = puppetry(root(), &all).exits_with(0).stdout();
        let line = text.lines().find(|line| line.trim_start().starts_with("size"));
        line.and_then(|line| line.split(" = ").nth(1)).unwrap_or_else(|| panic!("{text}")).to_owned()
    };
    for (typed, shown) in [("1.8", "1.8 m"), ("1.8m", "1.8 m"), ("180cm", "1.8 m"), ("5ft11", "1.803 m")] {
        assert!(height(&["--height", typed]).starts_with(shown), "{typed}: {}", height(&["--height", typed]));
    }
    assert_eq!(height(&["--unit", "cm"]), height(&["--unit", "0.01"]));
    assert_eq!(height(&["--unit", "inch"]), height(&["--unit", "in"]));
    puppetry(root(), &["inspect", "x.glb", "--height", "tall"])
        .exits_with(2)
        .complains("it must be a length above zero, such as 1.8 (metres), 180cm or 5ft11, or auto");
}

#[test]
fn an_fbx_file_cannot_be_written_but_there_is_a_way() {
    let mesh = "examples/characters/gingerbread.glb";
    for command in [&["rig", mesh][..], &["animate", mesh, "--motion", "walk"]] {
        puppetry(root(), &[command, &["-o", "x.fbx"]].concat())
            .exits_with(1)
            .complains("annot write 'x.fbx': FBX is not written yet; write 'x.glb', which engines read");
    }
}
