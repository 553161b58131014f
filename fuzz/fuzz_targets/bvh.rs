#![no_main]

use libfuzzer_sys::fuzz_target;
use puppetry::stages::io::bvh;
use puppetry::stages::motion::skeleton_of;
use puppetry::stages::retarget::contacts::{ContactOptions, detect};
use puppetry::stages::retarget::{Source, SourceOptions};

// The reader, and whatever looks at a motion without being asked for more than a file.
fuzz_target!(|bytes: &[u8]| {
    let Ok(motion) = bvh::read(bytes, &mut Vec::new()) else { return };
    assert_eq!(motion.broken_invariant(), None);
    let again = bvh::read(bvh::write(&motion, bvh::RotationOrder::default()).as_bytes(), &mut Vec::new());
    let again = again.expect("what we write is read");
    assert_eq!(again.number(again.frames), motion.number(motion.frames));
    skeleton_of(&motion);
    let source = Source::of(&motion, &SourceOptions::default());
    detect(&motion, &source, &ContactOptions::default());
});
