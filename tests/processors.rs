//! The same bytes on every kind of processor.
//!
//! glibc chooses variants of `sin`, `exp` and their kin by processor; its tunables make a new processor look like an old
//! one to it. Results must not depend on that: `math::elementary` has functions of our own.

mod common;

use common::{example_characters, puppetry_with, say_skipped};
use rayon::prelude::*;
use sha2::{Digest, Sha256};
use std::path::Path;

/// A processor without fused multiply-add.
const OLD: (&str, &str) = ("GLIBC_TUNABLES", "glibc.cpu.hwcaps=-FMA,-FMA4,-AVX2,-AVX");

#[test]
fn an_old_processor_writes_the_same_bytes() {
    if !cfg!(all(target_os = "linux", target_env = "gnu", target_arch = "x86_64")) {
        return say_skipped("only glibc on x86-64 can be told to take the processor for an old one");
    }
    example_characters().par_iter().for_each(|character| {
        let motion = match character.file_stem().unwrap().to_str().unwrap() {
            "dog" | "horse" => "quad_walk",
            _ => "walk",
        };
        let digests = [vec![], vec![OLD]].map(|variables| animated(character, motion, &variables));
        assert_eq!(digests[0], digests[1], "{}", character.display());
    });
}

fn animated(character: &Path, motion: &str, variables: &[(&str, &str)]) -> String {
    let dir = tempfile::tempdir().unwrap();
    let args = ["animate", character.to_str().unwrap(), "--motion", motion, "-o", "out.glb"];
    puppetry_with(dir.path(), &args, variables).exits_with(0);
    format!("{:x?}", Sha256::digest(std::fs::read(dir.path().join("out.glb")).unwrap()).as_slice())
}
