#![no_main]

use libfuzzer_sys::fuzz_target;
use puppetry::stages::io::mtl;

fuzz_target!(|bytes: &[u8]| {
    mtl::read(bytes);
});
