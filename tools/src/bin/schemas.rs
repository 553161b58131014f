//! Writes the JSON Schemas of reports and rig files to `docs/schemas`.

use puppetry_tools::schemas;
use std::path::Path;

fn main() -> std::io::Result<()> {
    let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/schemas"));
    std::fs::create_dir_all(folder)?;
    schemas::files().into_iter().try_for_each(|(name, text)| std::fs::write(folder.join(name), text))
}
