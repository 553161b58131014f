#![no_main]

use libfuzzer_sys::fuzz_target;
use puppetry::stages::io::{Folder, fbx};

fuzz_target!(|bytes: &[u8]| {
    if let Ok(mesh) = fbx::read(bytes, &Folder::none(), &mut Vec::new()) {
        assert_eq!(mesh.broken_invariant(), None);
    }
});
