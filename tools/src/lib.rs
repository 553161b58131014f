//! What several programs for developers, or a program and its tests, share.

pub mod schemas;
