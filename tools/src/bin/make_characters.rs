//! Makes the characters of `examples/characters`, its creatures, and `tests/data`:
//! `cargo run --release -p puppetry-tools --bin make_characters`.

use anyhow::Context;
use puppetry_tools::characters::{CAST, CREATURES, HARD_CASES, Make, files};
use puppetry_tools::repository;
use std::fs;
use std::path::Path;

fn main() -> anyhow::Result<()> {
    write(&repository().join("examples/characters"), &CAST)?;
    write(&repository().join("examples/characters/creatures"), &CREATURES)?;
    write(&repository().join("tests/data"), &HARD_CASES)
}

fn write(folder: &Path, characters: &[(&str, Make)]) -> anyhow::Result<()> {
    fs::create_dir_all(folder).with_context(|| format!("cannot make the folder '{}'", folder.display()))?;
    for (name, make) in characters {
        for (ending, bytes) in files(&make()).with_context(|| format!("cannot make '{name}'"))? {
            let file = folder.join(format!("{name}.{ending}"));
            fs::write(&file, &bytes).with_context(|| format!("cannot write '{}'", file.display()))?;
            println!("{}: {} bytes", file.display(), bytes.len());
        }
    }
    Ok(())
}
