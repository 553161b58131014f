#![no_main]

use libfuzzer_sys::fuzz_target;
use puppetry::stages::io::{Folder, gltf_read};

fuzz_target!(|bytes: &[u8]| {
    if let Ok(mesh) = gltf_read::read(bytes.to_vec(), &Folder::none(), &mut Vec::new()) {
        assert_eq!(mesh.broken_invariant(), None);
    }
});
