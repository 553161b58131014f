//! Files of good and bad embeddings, version 1. The format is described in `docs/learning.md`.

use puppetry::stages::io::{Fault, LoadError, Problem};
use puppetry::stages::learn::{Dataset, Example, Features, Label, LabelledCharacter};
use puppetry::stages::skeleton::{PENALTIES, PenaltyWeights};
use std::fmt::Write;
use std::path::Path;

const FIRST_LINE: &str = "puppetry-examples 1";

/// Writes a data set; numbers are exact.
pub fn write(data: &Dataset) -> String {
    let mut text = format!("{FIRST_LINE}\nskeleton {}\n", data.skeleton);
    let names: Vec<String> = PENALTIES.iter().map(|penalty| penalty.name.replace(' ', "-")).collect();
    let _ = writeln!(text, "penalties {}", names.join(" "));
    for character in &data.characters {
        let _ = writeln!(text, "\ncharacter {}\nfamily {}", character.name, character.family);
        for example in &character.examples {
            let Example { id, origin, label, worst, mean, features, .. } = example;
            let _ = write!(text, "{} {id} {origin} {worst:.4} {mean:.4} {}", label.word(), features.refused);
            for sum in features.sums {
                let _ = write!(text, " {sum}");
            }
            text.push('\n');
        }
    }
    text
}

/// Reads a data set.
///
/// # Errors
/// With the line of what is wrong.
pub fn read(text: &str) -> Result<Dataset, Fault> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut lines = text
        .lines()
        .enumerate()
        .map(|(index, line)| (index + 1, line.split('#').next().unwrap_or("").trim()))
        .filter(|(_, line)| !line.is_empty());
    match lines.next() {
        Some((_, FIRST_LINE)) => {}
        Some((line, found)) => {
            return Err(Fault::line(line, syntax("the first line 'puppetry-examples 1'", found)));
        }
        None => return Err(Fault::whole(Problem::Empty)),
    }
    let mut data = Dataset { skeleton: String::new(), characters: Vec::new() };
    // For each number of a line the penalty that it belongs to.
    let mut columns: Vec<usize> = (0..PENALTIES.len()).collect();
    for (number, line) in lines {
        let fault = |problem| Fault::line(number, problem);
        let (keyword, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let rest = rest.trim();
        match keyword {
            "skeleton" => data.skeleton = rest.to_owned(),
            "penalties" => columns = read_columns(rest).map_err(fault)?,
            "character" => {
                if rest.is_empty() || data.characters.iter().any(|character| character.name == rest) {
                    return Err(fault(syntax("the name of a character that is not there yet", rest)));
                }
                let family = "unknown".to_owned();
                data.characters.push(LabelledCharacter {
                    name: rest.to_owned(),
                    family,
                    examples: Vec::new(),
                });
            }
            _ => {
                let Some(character) = data.characters.last_mut() else {
                    return Err(fault(syntax("a line 'character' before its embeddings", keyword)));
                };
                match Label::of_word(keyword) {
                    Some(label) => {
                        character.examples.push(read_example(label, rest, &columns).map_err(fault)?)
                    }
                    None if keyword == "family" => character.family = rest.to_owned(),
                    None => {
                        let expected =
                            "'skeleton', 'penalties', 'character', 'family', 'good', 'bad' or 'unsure'";
                        return Err(fault(syntax(expected, keyword)));
                    }
                }
            }
        }
    }
    if data.skeleton.is_empty() {
        let why = "it has no line 'skeleton'".into();
        return Err(Fault::whole(Problem::Invalid { what: "the file of examples", why }));
    }
    Ok(data)
}

fn read_columns(rest: &str) -> Result<Vec<usize>, Problem> {
    let columns = rest.split_whitespace().map(|name| {
        let expected = "the name of a penalty, such as bone-too-short";
        PenaltyWeights::find(name).ok_or_else(|| syntax(expected, name))
    });
    columns.collect()
}

fn read_example(label: Label, rest: &str, columns: &[usize]) -> Result<Example, Problem> {
    let mut words = rest.split_whitespace();
    let mut word = |expected: &'static str| words.next().ok_or(syntax(expected, "the end of the line"));
    let id = word("an id")?.to_owned();
    let origin = word("a word on how it was found")?.to_owned();
    let mut number = || {
        let text = word("one number for each penalty")?;
        text.parse().map_err(|_| syntax("a number", text))
    };
    let (worst, mean) = (number()?, number()?);
    let mut features = Features { refused: not_negative(number()?)?, sums: [0.0; PENALTIES.len()] };
    for &column in columns {
        features.sums[column] = not_negative(number()?)?;
    }
    if let Some(more) = words.next() {
        return Err(syntax("the end of the line", more));
    }
    Ok(Example { id, origin, label, worst, mean, features, joints: Vec::new() })
}

fn not_negative(number: f64) -> Result<f64, Problem> {
    let is_fine = number.is_finite() && number >= 0.0;
    if is_fine { Ok(number) } else { Err(syntax("a number that is not negative", &number.to_string())) }
}

fn syntax(expected: &'static str, found: &str) -> Problem {
    Problem::Syntax { expected, found: found.chars().take(40).collect() }
}

/// Reads a data set from the disk.
///
/// # Errors
/// A [`LoadError`] with the file's name, the place in it and the reason.
pub fn load(path: &Path) -> Result<Dataset, LoadError> {
    let fault = |fault| LoadError { file: path.to_owned(), fault };
    let bytes = std::fs::read(path).map_err(|error| fault(Fault::whole(error.into())))?;
    read(&String::from_utf8_lossy(&bytes)).map_err(fault)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_again() {
        let example = |label, first: f64| Example {
            id: format!("{first}"),
            origin: "best".into(),
            label,
            worst: 0.1234,
            mean: 0.05,
            features: Features { refused: 1.0, sums: std::array::from_fn(|k| first / (k + 1) as f64) },
            joints: Vec::new(),
        };
        let character = |name: &str| LabelledCharacter {
            name: name.into(),
            family: "two words".into(),
            examples: vec![
                example(Label::Good, 0.1),
                example(Label::Bad, 1.0 / 3.0),
                example(Label::Unsure, 7e-9),
            ],
        };
        let data = Dataset { skeleton: "human".into(), characters: vec![character("a"), character("b c")] };
        assert_eq!(read(&write(&data)).unwrap(), data);
    }

    #[test]
    fn mistakes_are_named_with_their_line() {
        let head = "puppetry-examples 1\nskeleton s\npenalties asymmetry\n";
        for (text, part) in [
            ("", "empty"),
            ("puppetry-examples 2", "puppetry-examples 1"),
            ("puppetry-examples 1\ncharacter a", "skeleton"),
            ("puppetry-examples 1\npenalties beauty", "a penalty"),
            (&format!("{head}good 1 best 0 0 0 1"), "before its embeddings"),
            (&format!("{head}character a\nfine 1 best 0 0 0 1"), "'good'"),
            (&format!("{head}character a\ngood 1 best 0 0 0"), "one number"),
            (&format!("{head}character a\ngood 1 best 0 0 0 1 2"), "the end of the line"),
            (&format!("{head}character a\ngood 1 best 0 0 0 -2"), "not negative"),
            (&format!("{head}character a\ncharacter a"), "not there yet"),
        ] {
            let fault = read(text).expect_err(text);
            assert!(fault.problem.to_string().contains(part), "{text}: {}", fault.problem);
        }
    }
}
