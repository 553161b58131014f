//! Writes the motions that come with puppetry, and those that only its tests use: `cargo run --release -p puppetry-tools --bin
//! make_motions [-- FOLDER [FOLDER_OF_TESTS]]`.

use anyhow::Context;
use puppetry_tools::motions::catalogue;
use puppetry_tools::repository;
use std::path::{Path, PathBuf};
use std::{env, fs};

fn main() -> anyhow::Result<()> {
    let folder = |index: usize, usual: &str| {
        env::args_os().nth(index).map_or_else(|| repository().join(usual), PathBuf::from)
    };
    let clips = catalogue::clips();
    let files = clips.iter().map(|clip| (format!("{}.bvh", clip.name), clip.bvh()));
    write(&folder(1, "motions"), files.chain([("README.md".into(), catalogue::readme(&clips))]))?;
    let clips = catalogue::floor_clips();
    write(&folder(2, "tests/data"), clips.iter().map(|clip| (format!("{}.bvh", clip.name), clip.bvh())))
}

fn write(folder: &Path, files: impl Iterator<Item = (String, String)>) -> anyhow::Result<()> {
    fs::create_dir_all(folder).with_context(|| format!("cannot make '{}'", folder.display()))?;
    for (name, text) in files {
        let path = folder.join(name);
        fs::write(&path, text).with_context(|| format!("cannot write '{}'", path.display()))?;
    }
    Ok(())
}
