#![no_main]

use libfuzzer_sys::fuzz_target;
use puppetry::stages::io::off;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(mesh) = off::read(bytes, &mut Vec::new()) {
        assert_eq!(mesh.broken_invariant(), None);
    }
});
