//! The programs in `examples/` do what they say, on the example characters.

#[path = "../examples/batch.rs"]
#[allow(dead_code)]
mod batch;
#[path = "../examples/online.rs"]
#[allow(dead_code)]
mod online;
#[cfg(feature = "preview")]
#[path = "../examples/preview.rs"]
#[allow(dead_code)]
mod preview;
#[path = "../examples/retarget.rs"]
#[allow(dead_code)]
mod retarget;
#[path = "../examples/rig.rs"]
#[allow(dead_code)]
mod rig;

use std::fs;
use std::path::{Path, PathBuf};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn gingerbread() -> PathBuf {
    root().join("examples/characters/gingerbread.glb")
}

#[test]
fn a_rigged_mesh_takes_a_motion() {
    let dir = tempfile::tempdir().unwrap();
    let [rigged, running] = ["rigged.glb", "running.glb"].map(|name| dir.path().join(name));
    rig::run(&gingerbread(), &rigged).unwrap();
    retarget::run(&rigged, &root().join("motions/run.bvh"), &running).unwrap();
    let document = gltf::Gltf::open(&running).unwrap();
    assert_eq!(document.skins().count(), 1);
    assert_eq!(document.animations().map(|clip| clip.name().unwrap()).collect::<Vec<_>>(), ["run"]);
    // A mesh without a skin is no character yet.
    let refused = retarget::run(&gingerbread(), &root().join("motions/run.bvh"), &running);
    assert!(refused.unwrap_err().to_string().contains("rig it first"));
}

#[test]
fn every_frame_of_a_live_motion_comes_out() {
    let walk = root().join("motions/walk.bvh");
    let (motion, _) = puppetry::load_motion(&walk).unwrap();
    assert_eq!(online::run(&gingerbread(), &walk).unwrap(), motion.frames);
}

#[cfg(feature = "preview")]
#[test]
fn a_dance_is_drawn() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("dance.png");
    preview::run(&gingerbread(), &file).unwrap();
    assert!(fs::read(&file).unwrap().starts_with(b"\x89PNG"));
}

#[test]
fn a_bad_file_does_not_stop_the_others() {
    let dir = tempfile::tempdir().unwrap();
    let [folder, output] = ["in", "out"].map(|name| dir.path().join(name));
    fs::create_dir(&folder).unwrap();
    fs::write(folder.join("a_broken.glb"), "not a mesh").unwrap();
    fs::copy(gingerbread(), folder.join("gingerbread.glb")).unwrap();
    fs::copy(root().join("examples/characters/dog.glb"), folder.join("dog.glb")).unwrap();
    assert_eq!(batch::run(&folder, &output).unwrap(), [folder.join("a_broken.glb")]);
    let made: Vec<bool> = ["gingerbread.glb", "dog.glb"].map(|name| output.join(name).exists()).into();
    assert_eq!(made, [true, true]);
    assert!(!output.join("a_broken.glb").exists());
}
