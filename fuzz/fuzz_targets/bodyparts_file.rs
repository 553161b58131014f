#![no_main]

use libfuzzer_sys::fuzz_target;
use puppetry::stages::io::bodyparts_file;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(library) = bodyparts_file::read(bytes) {
        assert!(bodyparts_file::write(&library).is_ok());
    }
});
