//! Reading BVH from memory on one core, against bvh_anim; and understanding a hierarchy of 75 joints.

use divan::Bencher;
use divan::counter::BytesCount;
use puppetry::stages::io::{bvh, skeleton_file};
use puppetry::stages::motion::Motion;
use puppetry::stages::retarget::{Source, SourceOptions, map_joints};
use puppetry::stages::skeleton::Figure;
use puppetry::stages::skeleton::built_in;
use std::hint::black_box;

fn main() {
    divan::main();
}

/// The walk that comes with puppetry, over and over: five minutes, 9 MB.
fn long_walk() -> Vec<u8> {
    let walk = puppetry::stages::motion::built_in()[0].bvh;
    let (head, frames) = walk.split_at(walk.find("Frames:").expect("a motion"));
    let rows: Vec<&str> = frames.lines().skip(2).collect();
    const TIMES: usize = 100;
    let body = (rows.join("\n") + "\n").repeat(TIMES);
    format!("{head}Frames: {}\nFrame Time: 0.0166667\n{body}", rows.len() * TIMES).into_bytes()
}

#[divan::bench(sample_count = 20)]
fn read(bencher: Bencher) {
    let bytes = long_walk();
    bencher
        .counter(BytesCount::of_slice(&bytes))
        .bench_local(|| bvh::read(black_box(&bytes), &mut Vec::new()).expect("a good file"));
}

/// Its result are channels; ours are quaternions.
#[divan::bench(sample_count = 20)]
fn read_with_bvh_anim(bencher: Bencher) {
    let bytes = long_walk();
    bencher
        .counter(BytesCount::of_slice(&bytes))
        .bench_local(|| bvh_anim::from_bytes(black_box(&bytes[..])).expect("a good file"));
}

#[divan::bench(sample_count = 20)]
fn write(bencher: Bencher) {
    let motion = bvh::read(&long_walk(), &mut Vec::new()).expect("a good file");
    bencher.bench_local(|| bvh::write(black_box(&motion), bvh::RotationOrder::default()));
}

/// A walk of 75 joints: fingers of three joints on both hands, and a face. `named` or called j0, j1, ….
fn many_joints(named: bool) -> Motion {
    let mut text = puppetry::stages::motion::built_in()[0].bvh.to_owned();
    let joint = |name: String, x: f64, inner: &str| {
        format!("JOINT {name} {{ OFFSET {x} 0 1 CHANNELS 3 Zrotation Xrotation Yrotation\n{inner} }}\n")
    };
    for side in ["Left", "Right"] {
        let mut fingers = String::new();
        for finger in ["Thumb", "Index", "Middle", "Ring", "Pinky"] {
            let chain = (1..=4).rev().fold("End Site { OFFSET 2 0 0 }\n".to_owned(), |inner, bone| {
                joint(format!("{side}Hand{finger}{bone}"), if side == "Left" { 3.0 } else { -3.0 }, &inner)
            });
            fingers.push_str(&chain);
        }
        let hand = text.find(&format!("JOINT {side}Hand\n")).expect("a hand");
        let end = hand + text[hand..].find("End Site").expect("the end of the hand");
        text.insert_str(end, &fingers);
    }
    let head = text.find("JOINT Head\n").expect("a head");
    let end = head + text[head..].find("End Site").expect("the end of the head");
    let face: String = (0..14)
        .map(|i| joint(format!("Face{i}"), f64::from(i) - 6.5, "End Site { OFFSET 0 0 1 }\n"))
        .collect();
    text.insert_str(end, &face);
    // The frames have fewer numbers than the hierarchy has now: none are left, and the pose of zero channels serves.
    text.truncate(text.find("MOTION").expect("a motion"));
    let mut motion = bvh::read(text.as_bytes(), &mut Vec::new()).expect("a good file");
    if !named {
        for (index, joint) in motion.joints.iter_mut().enumerate() {
            joint.name = format!("j{index}");
        }
    }
    assert_eq!(motion.joints.iter().filter(|joint| !joint.is_end).count(), 75);
    motion
}

/// Roles, reference pose and the map to the human skeleton.
#[divan::bench(args = [true, false])]
fn map_75_joints(bencher: Bencher, named: bool) {
    let motion = many_joints(named);
    let human = Figure::of_skeleton(&skeleton_file::read(built_in()[0].text).expect("a good skeleton"));
    bencher.bench_local(|| {
        let source = Source::of(black_box(&motion), &SourceOptions::default());
        let map = map_joints(&human, &source.figure);
        assert!(map.unmatched_targets.is_empty());
        map
    });
}
