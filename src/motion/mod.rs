//! Motions as data.

mod builtin;

pub use builtin::{BuiltIn, built_in};
