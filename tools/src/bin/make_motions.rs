//! Writes the motions that come with puppetry: `cargo run --release -p puppetry-tools --bin make_motions [-- FOLDER]`.

use anyhow::Context;
use puppetry_tools::motions::catalogue;
use puppetry_tools::repository;
use std::path::PathBuf;
use std::{env, fs};

fn main() -> anyhow::Result<()> {
    let folder = env::args_os().nth(1).map_or_else(|| repository().join("motions"), PathBuf::from);
    fs::create_dir_all(&folder).with_context(|| format!("cannot make '{}'", folder.display()))?;
    let clips = catalogue::clips();
    let files = clips.iter().map(|clip| (format!("{}.bvh", clip.name), clip.bvh()));
    for (name, text) in files.chain([("README.md".into(), catalogue::readme(&clips))]) {
        let path = folder.join(name);
        fs::write(&path, text).with_context(|| format!("cannot write '{}'", path.display()))?;
    }
    Ok(())
}
