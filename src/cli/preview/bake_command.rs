//! The command that bakes a clip, as a person would type it.

use super::library::{Entry, Place};
use std::path::Path;

/// The command that bakes a motion onto a character.
pub fn bake_command(character: Option<&Path>, flags: &[String], entry: &Entry) -> String {
    let character = character.map_or("CHARACTER.glb".into(), quoted_path);
    let motion = match &entry.place {
        Place::BuiltIn(known) => known.name.to_owned(),
        Place::File(path) => quoted_path(path),
    };
    let output = quoted_path(Path::new(&format!("{}.glb", entry.name)));
    let flags: String = flags.iter().map(|flag| format!(" {flag}")).collect();
    format!("puppetry animate {character} --motion {motion} -o {output}{flags}")
}

/// A path that no shell takes apart, and that is not taken for a flag.
fn quoted_path(path: &Path) -> String {
    let mut text = path.to_string_lossy().into_owned();
    if text.starts_with('-') {
        text.insert_str(0, "./");
    }
    let is_plain = text.chars().all(|c| c.is_ascii_alphanumeric() || "/._-+".contains(c));
    if is_plain { text } else { format!("'{}'", text.replace('\'', r"'\''")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_reach_the_program_as_they_are() {
        for (name, typed) in [
            ("a/walk.bvh", "a/walk.bvh"),
            ("it's 100%.bvh", r"'it'\''s 100%.bvh'"),
            ("-x.bvh", "./-x.bvh"),
            ("$(rm).bvh", "'$(rm).bvh'"),
        ] {
            assert_eq!(quoted_path(Path::new(name)), typed);
        }
    }
}
