#![no_main]

use libfuzzer_sys::fuzz_target;
use puppetry::io::mtl;

fuzz_target!(|bytes: &[u8]| {
    mtl::read(bytes);
});
