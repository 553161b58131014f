//! A frame of a walk pushed through the retargeter onto characters of 60 joints, on one core: the median and the slowest
//! one in a hundred of a live stream, then the same as a benchmark, with and without planted feet, and with and without a body that is
//! in the way.

use divan::{AllocProfiler, Bencher};
use nalgebra::Isometry3;
use puppetry::stages::io::{bvh, skeleton_file};
use puppetry::stages::math::Vec3;
use puppetry::stages::motion::{Motion, Pose, resample};
use puppetry::stages::retarget::contact_height::ContactHeights;
use puppetry::stages::retarget::{RetargetOptions, Retargeter, Source, SourceOptions, map_joints};
use puppetry::stages::rig::{HelperOptions, Rig, RigJoint, bind_pose};
use std::hint::black_box;
use std::time::Instant;

/// Allocations are printed with the times: a push makes none.
#[global_allocator]
static ALLOCATOR: AllocProfiler = AllocProfiler::system();

fn main() {
    tell_latency();
    divan::main();
}

/// The human skeleton with fingers of three joints and a face.
fn character() -> Rig {
    let human = skeleton_file::read(puppetry::stages::skeleton::built_in()[0].text).expect("a good file");
    let positions: Vec<Vec3> = human.joints.iter().map(|joint| 1.7 * joint.position).collect();
    let rig = Rig {
        joints: bind_pose(&human, &positions).joints.into(),
        tips: vec![],
        soles: vec![],
        roles: vec![],
        helpers: vec![],
        outline: vec![],
        girths: vec![],
    };
    with_fingers_and_face(rig)
}

/// The same joints in the body of a stout character, whose hands meet its belly in every frame.
fn stout_character() -> Rig {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/characters/gingerbread.glb");
    let (mesh, _) = puppetry::load_mesh(path.as_ref()).expect("a good file");
    // Without joints that follow, so that both bodies have as many.
    let mut options = puppetry::RigOptions::default();
    options.helpers = HelperOptions::NONE;
    let rigged = puppetry::rig(&mesh, &options, &puppetry::Silent).expect("a person");
    with_fingers_and_face(rigged.character.rig)
}

fn with_fingers_and_face(mut rig: Rig) -> Rig {
    let grow = |rig: &mut Rig, name: String, parent: usize, offset: Vec3| {
        let rest = Isometry3::translation(offset.x, offset.y, offset.z) * rig.joints[parent].rest;
        rig.joints.push(RigJoint { name, parent: Some(parent), rest });
        rig.joints.len() - 1
    };
    for side in ["Left", "Right"] {
        for finger in ["Thumb", "Index", "Middle", "Ring", "Little"] {
            let mut parent = rig.find(&format!("{side}Hand")).expect("a hand");
            for bone in ["Proximal", "Intermediate", "Distal"] {
                parent = grow(&mut rig, format!("{side}{finger}{bone}"), parent, Vec3::new(0.0, -0.03, 0.0));
            }
        }
    }
    let head = rig.find("Head").expect("a head");
    for part in 0..7 {
        grow(&mut rig, format!("Face{part}"), head, Vec3::new(0.0, 0.05, 0.1));
    }
    assert!((60..=61).contains(&rig.joints.len()));
    rig
}

/// A motion at 120 frames a second, as poses: where they come from is not what is measured.
struct Stream {
    motion: Motion,
    source: Source,
    poses: Vec<Pose>,
}

impl Stream {
    fn walking() -> Stream {
        Stream::of(puppetry::stages::motion::built_in()[0].bvh)
    }

    /// On hands and knees: the ground is near the whole body.
    fn crawling() -> Stream {
        Stream::of(include_str!("../tests/data/crawl.bvh"))
    }

    fn of(text: &str) -> Stream {
        let motion = bvh::read(text.as_bytes(), &mut Vec::new()).expect("a good file");
        let motion = resample(&motion, 120.0);
        let source = Source::of(&motion, &SourceOptions::default());
        let poses = (0..motion.frames).map(|frame| motion.pose(frame)).collect();
        Stream { motion, source, poses }
    }

    fn retargeter(&self, rig: &Rig, options: &RetargetOptions) -> Retargeter {
        let map = map_joints(&rig.figure(&puppetry::stages::math::Quat::identity()), &self.source.figure);
        assert_eq!(map.legs.len(), 2);
        let heights = |leg| ContactHeights::of_motion(&self.motion, &self.source, leg);
        Retargeter::new(rig, &self.source, &map, heights, self.motion.frame_seconds, options)
    }
}

/// Times every push of a minute of motion by itself.
fn tell_latency() {
    tell_latency_of("a walk onto a slender", &character(), &Stream::walking());
    tell_latency_of("a walk onto a stout", &stout_character(), &Stream::walking());
    tell_latency_of("a crawl onto a stout", &stout_character(), &Stream::crawling());
}

fn tell_latency_of(what: &str, rig: &Rig, stream: &Stream) {
    let mut retargeter = stream.retargeter(rig, &RetargetOptions::default());
    let mut microseconds: Vec<f64> = stream
        .poses
        .iter()
        .cycle()
        .take(60 * 120)
        .map(|pose| {
            let begin = Instant::now();
            black_box(retargeter.push(black_box(pose)));
            1e6 * begin.elapsed().as_secs_f64()
        })
        .collect();
    microseconds.sort_by(f64::total_cmp);
    let at = |part: f64| microseconds[(part * (microseconds.len() - 1) as f64) as usize];
    let parts = [0.5, 0.9, 0.99, 0.999].map(|part| format!("{:.1} µs at {} %", at(part), 100.0 * part));
    println!("{what} body of {} joints: {}", rig.joints.len(), parts.join(", "));
}

/// One push.
#[divan::bench(args = [true, false])]
fn push(bencher: Bencher, foot_lock: bool) {
    let (rig, stream) = (character(), Stream::walking());
    let options = RetargetOptions { foot_lock, ..RetargetOptions::default() };
    let mut retargeter = stream.retargeter(&rig, &options);
    let mut poses = stream.poses.iter().cycle();
    bencher.bench_local(|| {
        black_box(retargeter.push(poses.next().expect("poses without end")));
    });
}

/// One push onto a body that is in the way of its arms.
#[divan::bench(args = [true, false])]
fn push_stout(bencher: Bencher, collide: bool) {
    let (rig, stream) = (stout_character(), Stream::walking());
    let options = RetargetOptions { collide, ..RetargetOptions::default() };
    let mut retargeter = stream.retargeter(&rig, &options);
    let mut poses = stream.poses.iter().cycle();
    bencher.bench_local(|| {
        black_box(retargeter.push(poses.next().expect("poses without end")));
    });
}
