//! What motions show, from a file of its own: libraries whose files are called 02_01 come with an index.

use super::library::Entry;
use anyhow::{Context, Result, bail};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// Descriptions by the names of motions, in small letters.
#[derive(Default)]
pub struct Descriptions(BTreeMap<String, String>);

/// Endings of motion files, which an index may leave out.
const ENDINGS: [&str; 4] = [".bvh", ".fbx", ".glb", ".gltf"];

impl Descriptions {
    /// Reads them: a line for each motion, with its name and what it shows.
    pub fn read(path: &Path) -> Result<Descriptions> {
        let bytes = fs::read(path).with_context(|| format!("cannot read '{}'", path.display()))?;
        let text = String::from_utf8_lossy(&bytes);
        let is_csv = path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("csv"));
        Ok(Descriptions::parse(text.trim_start_matches('\u{feff}'), is_csv))
    }

    fn parse(text: &str, is_csv: bool) -> Descriptions {
        let lines = text.lines().filter(|line| !line.trim_start().starts_with('#'));
        let pairs = lines.filter_map(|line| if is_csv { csv_pair(line) } else { index_pair(line) });
        Descriptions(pairs.map(|(name, text)| (key(&name), text)).collect())
    }

    /// What a clip shows: by its own name, or by that of its file with or without folders.
    pub fn of(&self, entry: &Entry, clip: &str) -> Option<&str> {
        [clip, &entry.name, &entry.shown]
            .into_iter()
            .find_map(|name| self.0.get(&key(name)))
            .map(String::as_str)
    }

    /// How many lines describe nothing that is there: no file, and no clip in one.
    pub fn unused<'n>(&self, entries: &'n [Entry], clips: impl Iterator<Item = &'n str>) -> usize {
        let files = entries.iter().flat_map(|entry| [entry.name.as_str(), entry.shown.as_str()]);
        let there: BTreeSet<String> = files.chain(clips).map(key).collect();
        self.0.keys().filter(|name| !there.contains(*name)).count()
    }

    /// Refuses an index that knows none of some motions. Clips within a file have names that are not known yet.
    pub fn check(&self, entries: &[Entry], path: &Path) -> Result<()> {
        let is_pack = |entry: &Entry| !entry.shown.to_lowercase().ends_with(".bvh");
        if entries.iter().any(|entry| self.of(entry, &entry.name).is_some() || is_pack(entry)) {
            return Ok(());
        }
        let example = entries.first().map_or("02_01", |entry| &entry.name);
        bail!(
            "'{}' describes none of the motions; begin its lines with the name of a file, as in '{example} walks and turns'",
            path.display()
        )
    }
}

/// A name as lines and files are compared: in small letters, without the ending of a motion file.
fn key(name: &str) -> String {
    let name = name.trim().to_lowercase().replace('\\', "/");
    let ending = ENDINGS.iter().find(|ending| name.ends_with(*ending));
    name[..name.len() - ending.map_or(0, |ending| ending.len())].to_owned()
}

/// A name and, behind a tab or the first space, a text.
fn index_pair(line: &str) -> Option<(String, String)> {
    let line = line.trim();
    let separator = if line.contains('\t') { '\t' } else { ' ' };
    let (name, text) = line.split_once(separator)?;
    Some((name.to_owned(), text.trim().to_owned()))
}

/// The first two fields of a line of a CSV file; fields in quotes may hold commas, and two quotes for one.
fn csv_pair(line: &str) -> Option<(String, String)> {
    let mut fields = vec![String::new()];
    let mut is_quoted = false;
    for letter in line.chars() {
        match letter {
            '"' => {
                let field = fields.last_mut()?;
                // The second of two quotes stands for one.
                if !is_quoted && !field.is_empty() {
                    field.push('"');
                }
                is_quoted = !is_quoted;
            }
            ',' | ';' if !is_quoted => fields.push(String::new()),
            _ => fields.last_mut()?.push(letter),
        }
    }
    let mut fields = fields.into_iter().map(|field| field.trim().to_owned());
    Some((fields.next()?, fields.next().filter(|text| !text.is_empty())?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_index_and_a_table_describe_motions() {
        let index = "# subjects and trials\nSubject #2 (various expressions)\n02_01\twalk\n02_02.bvh  run, jog\n\n02_03\n";
        let Descriptions(known) = Descriptions::parse(index, false);
        assert_eq!(known.get("02_01").map(String::as_str), Some("walk"));
        assert_eq!(known.get("02_02").map(String::as_str), Some("run, jog"));
        assert!(!known.contains_key("02_03"), "a line without a text describes nothing");
        let table = "file;what\n\"A b/C.BVH\",\"says \"\"hello\"\", and waves\",7\nx,\n";
        let Descriptions(known) = Descriptions::parse(table, true);
        assert_eq!(known.get("a b/c").map(String::as_str), Some("says \"hello\", and waves"));
        assert!(!known.contains_key("x"));
    }
}
