#![no_main]

use libfuzzer_sys::fuzz_target;
use puppetry::stages::io::rig_file;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(rig) = rig_file::read(bytes) {
        assert!(rig_file::read(rig_file::write(&rig).as_bytes()).is_ok());
    }
});
