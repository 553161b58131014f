#![no_main]

use libfuzzer_sys::fuzz_target;
use puppetry::stages::io::{Folder, obj};

fuzz_target!(|bytes: &[u8]| {
    if let Ok(mesh) = obj::read(bytes, &Folder::none(), &mut Vec::new()) {
        assert_eq!(mesh.broken_invariant(), None);
    }
});
