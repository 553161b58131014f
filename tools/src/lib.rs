//! Generators of the data in this repository, as a library, so that tests can compare the committed files with them.

// The committed files were made with these functions.
#![allow(clippy::disallowed_methods)]

pub mod characters;
pub mod families;
pub mod logistic;
pub mod motions;
pub mod schemas;

use std::path::Path;

/// The root of the repository.
pub fn repository() -> &'static Path {
    let tools = Path::new(env!("CARGO_MANIFEST_DIR"));
    tools.parent().unwrap_or(tools)
}
