//! Files of a page that nothing on it shows any more: of motions that are gone, of animations in another format, of runs that
//! were cut off.

use super::page::FOLDERS;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// Removes them. Whatever does not look like a file of ours stays, and what cannot be removed harms nobody.
pub fn remove<'a>(page: &Path, kept: impl Iterator<Item = &'a str>, format: &str) {
    let kept: BTreeSet<&str> = kept.collect();
    for folder in FOLDERS {
        for file in fs::read_dir(page.join(folder)).into_iter().flatten().flatten() {
            let name = file.file_name().to_string_lossy().into_owned();
            let is_leftover = match id_of(&name) {
                Some((id, rest)) => {
                    !kept.contains(id) || rest.starts_with("-film.") && rest != format!("-film.{format}")
                }
                None => name.starts_with('.') && name.ends_with(".part"),
            };
            if is_leftover {
                let _ = fs::remove_file(file.path());
            }
        }
    }
}

/// The id of a file of a clip and what follows it.
fn id_of(name: &str) -> Option<(&str, &str)> {
    let endings = [".json", "-film.webp", "-film.png", "-film.gif", "-sheet.png", ".png", ".js"];
    let (id, rest) = endings.iter().find_map(|ending| Some((name.strip_suffix(ending)?, *ending)))?;
    let (_, number) = id.rsplit_once('-')?;
    let is_number =
        number.len() == 8 && number.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b));
    is_number.then_some((id, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_a_page_made_and_does_not_show_is_removed() {
        let dir = tempfile::tempdir().unwrap();
        let kept = ["walk-0123abcd", "run-00000000"];
        let stay = ["media/walk-0123abcd.png", "media/walk-0123abcd-film.webp", "models/character0.js"];
        let own = ["data/clips.js", "media/my photo.png", "data/notes-2024.json", "models/run-00000000.js"];
        let gone = [
            "media/walk-0123abcd-film.gif",
            "media/old-ffffffff-sheet.png",
            "data/old-ffffffff.json",
            "models/old-ffffffff.js",
            "media/.walk-0123abcd.png.77.part",
            "media/.walk-0123abcd.png.00112233445566778899aabbccddeeff.part",
        ];
        FOLDERS.iter().for_each(|folder| fs::create_dir(dir.path().join(folder)).unwrap());
        stay.iter().chain(&own).chain(&gone).for_each(|file| fs::write(dir.path().join(file), "").unwrap());
        remove(dir.path(), kept.into_iter(), "webp");
        assert!(stay.iter().chain(&own).all(|file| dir.path().join(file).exists()));
        assert!(gone.iter().all(|file| !dir.path().join(file).exists()));
    }
}
