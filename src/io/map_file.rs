//! Joint maps that users correct: one joint of a character in a line, ` = `, and the joint of the motion that moves it.
//!
//! ```text
//! puppetry-map 1
//! LeftUpperArm = mixamorig:LeftArm
//! LeftToes =
//! ```
//!
//! A joint with nothing behind the sign is not moved; a joint without a line is mapped as found.

use super::{Fault, LoadError, Problem, load_with};
use crate::motion::JointMapOverride;
use std::path::Path;

const HEADER: &str = "puppetry-map 1";

/// Reads a map.
pub fn load(path: &Path) -> Result<Vec<JointMapOverride>, LoadError> {
    load_with(path, |bytes| read(&String::from_utf8_lossy(bytes)))
}

/// Reads the text of a map.
pub fn read(text: &str) -> Result<Vec<JointMapOverride>, Fault> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut lines =
        text.lines().enumerate().map(|(index, line)| (index + 1, line.trim())).filter(|(_, line)| {
            // A name may contain the sign of a comment, but not begin with it.
            !line.is_empty() && !line.starts_with('#')
        });
    match lines.next() {
        Some((_, HEADER)) => {}
        Some((line, found)) => {
            return Err(Fault::line(line, Problem::syntax("the first line 'puppetry-map 1'", found)));
        }
        None => return Err(Fault::whole(Problem::Empty)),
    }
    let mut overrides: Vec<JointMapOverride> = Vec::new();
    for (line, content) in lines {
        let split =
            content.split_once(" = ").or_else(|| content.strip_suffix(" =").map(|target| (target, "")));
        let Some((target, source)) = split else {
            return Err(Fault::line(line, Problem::syntax("'JOINT = JOINT OF THE MOTION'", content)));
        };
        let (target, source) = (target.trim().to_owned(), source.trim());
        overrides.push(JointMapOverride { target, source: (!source.is_empty()).then(|| source.to_owned()) });
    }
    Ok(overrides)
}

/// Writes a map.
pub fn write(overrides: &[JointMapOverride]) -> String {
    let mut text = format!(
        "{HEADER}\n# joint of the character = joint of the motion; nothing behind the sign: not moved\n"
    );
    for JointMapOverride { target, source } in overrides {
        text.push_str(format!("{target} = {}", source.as_deref().unwrap_or("")).trim_end());
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_back() {
        let overrides: Vec<JointMapOverride> =
            [("Hips", Some("Bip01 Pelvis")), ("Left Arm", Some("a=b#c")), ("Toes", None)]
                .map(|(target, source)| JointMapOverride {
                    target: target.into(),
                    source: source.map(str::to_owned),
                })
                .into();
        assert_eq!(read(&write(&overrides)).unwrap(), overrides);
    }

    #[test]
    fn mistakes_are_named_with_their_line() {
        for (text, line, part) in [
            ("", "", "empty"),
            ("Hips = Hips", ", line 1", "puppetry-map 1"),
            ("puppetry-map 1\n\nHips Hips", ", line 3", "'JOINT = JOINT OF THE MOTION'"),
        ] {
            let fault = read(text).unwrap_err();
            assert_eq!(fault.at.to_string(), line);
            assert!(fault.problem.to_string().contains(part));
        }
    }
}
