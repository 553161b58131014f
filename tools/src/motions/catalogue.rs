//! The clips, each with the dialect it is written in, and the page that lists them.

use std::fmt::Write;

use super::conventions::*;
use super::dialect::{Dialect, Rest};
use super::pose::{FPS, Frame};
use super::skeleton::{Body, Dog, Human};
use super::{bvh, floor, gait, gestures, jump, quadruped, steps};

/// One file.
pub struct Clip {
    pub name: &'static str,
    pub what: &'static str,
    pub body: Body,
    pub frames: Vec<Frame>,
    pub dialect: Dialect,
    /// Metres per second along +Z.
    pub speed: f64,
    /// The frame after the last is the first again, displaced by the distance travelled.
    pub loops: bool,
}

impl Clip {
    /// The text of the file.
    pub fn bvh(&self) -> String {
        bvh::write(&self.body, &self.frames, &self.dialect)
    }

    fn at(self, speed: f64) -> Self {
        Self { speed, ..self }
    }

    fn once(self) -> Self {
        Self { loops: false, ..self }
    }
}

fn person(
    name: &'static str,
    spine_joints: usize,
    motion: fn(&Human) -> Vec<Frame>,
    dialect: Dialect,
    what: &'static str,
) -> Clip {
    let human = Human::new(spine_joints);
    let frames = motion(&human);
    Clip { name, what, body: human.body, frames, dialect, speed: 0.0, loops: true }
}

fn dog(name: &'static str, motion: fn(&Dog) -> Vec<Frame>, dialect: Dialect, what: &'static str) -> Clip {
    let dog = Dog::new();
    let frames = motion(&dog);
    Clip { name, what, body: dog.body, frames, dialect, speed: 0.0, loops: true }
}

/// All clips.
pub fn clips() -> Vec<Clip> {
    use gait::{RUN, SNEAK, WALK};
    use quadruped::{GALLOP, TROT, WALK as DOG_WALK};
    vec![
        person("walk", 2, gait::walk, CMU, "walks, 120 steps a minute, three cycles").at(WALK.speed),
        person("run", 3, gait::run, MIXAMO, "runs, 171 steps a minute, four cycles").at(RUN.speed),
        person("sneak", 1, gait::sneak, BIOVISION, "sneaks, bent, knees high, toes first").at(SNEAK.speed),
        person("jump", 3, jump::jump, UNREAL, "crouches, jumps 0.3 m high on the spot, lands, settles")
            .once(),
        person("idle", 3, gestures::idle, VRM, "stands, shifts its weight, looks around, breathes"),
        person("wave", 2, gestures::greet, POSER, "waves with the right arm"),
        person("dance", 2, steps::dance, MAX_BIPED, "step-touch and V-step, 112.5 beats a minute, two bars"),
        person("turn", 3, steps::turn_around, XSENS, "turns left by 180° in four steps").once(),
        person("sit", 3, gestures::sit, LAFAN1, "sits down on a seat 0.45 m high, waits, stands up").once(),
        dog("quad_walk", quadruped::walk, ANIMATOR, "walks, lateral sequence, three cycles")
            .at(DOG_WALK.speed),
        dog("quad_trot", quadruped::trot, PUPPETRY, "trots, diagonal pairs, five cycles").at(TROT.speed),
        dog("quad_gallop", quadruped::gallop, DOG_CAPTURE, "gallops, rotary, five cycles").at(GALLOP.speed),
        dog("quad_idle", quadruped::idle, MAX_QUADRUPED, "stands, looks around, wags its tail"),
    ]
}

/// Clips of somebody who touches the ground with more than feet, for tests.
pub fn floor_clips() -> Vec<Clip> {
    vec![
        person("crawl", 2, floor::crawl, CMU, "crawls on hands and knees, three cycles"),
        person("push_up", 3, floor::push_up, UNREAL, "three push-ups"),
        person("lie_down", 3, floor::lie_down, UNREAL, "sits down on the floor, lies back, rolls over")
            .once(),
        person("cartwheel", 3, floor::cartwheel, MIXAMO, "turns a cartwheel to the left").once(),
    ]
}

/// The page beside the files.
pub fn readme(clips: &[Clip]) -> String {
    let mut page = String::from(ABOVE);
    for clip in clips {
        let Dialect { convention, order, unit, z_up, rest, rest_first, .. } = clip.dialect;
        let motion = clip.frames.len();
        let rest = match (rest, rest_first) {
            (Rest::APose(degrees), _) => format!("A-pose, arms {degrees:.0}° down"),
            (Rest::AlongX, _) => "none: all bones along +X".into(),
            (Rest::Authored, true) => "T-pose, also as frame 0".into(),
            (Rest::Authored, false) if clip.name.starts_with("quad") => "standing".into(),
            (Rest::Authored, false) => "T-pose".into(),
        };
        // Writing to a string cannot fail.
        let _ = writeln!(
            page,
            "| {} | {} | {} | {:.2} | {:.1} | {} | {convention} | {order} | {unit} | {} | {rest} |",
            clip.name,
            clip.what,
            motion + usize::from(rest_first),
            motion as f64 / FPS,
            clip.speed,
            if clip.loops { "yes" } else { "no" },
            if z_up { "Z" } else { "Y" },
        );
    }
    page + BELOW
}

const ABOVE: &str = "\
# Motions

Written by `cargo run --release -p puppetry-tools --bin make_motions`, this page included; nothing here is captured. A person of 1.75 m
and a dog of 0.55 m at the withers, 60 frames a second.

| file | what | frames | seconds | m/s | loops | names | rotation order | unit | up | pose of zero channels |
|---|---|---|---|---|---|---|---|---|---|---|
";

const BELOW: &str = "
* **Loops**: the frame after the last is the first again, displaced by speed × seconds along the way; it is not written.
  `walk` begins with its T-pose as frame 0, as conversions of CMU's clips do: its loop is the frames from 1 on.
* **Travel** is real and along the character's forward: +Z, and -Y where Z is up. Clips that travel are centred on the
  origin.
* **Floor** at 0. Soles touch it and never go below; the toe tip is an end site at the level of the sole.
* **Planted feet** are still to 0.1 mm: the heel point until the foot is flat, then the ball and the tip
  until shortly before the foot leaves. The ball is the joint of the toes.
* Every file has its own names, rotation order, unit, up axis and rest pose on purpose: together they are what readers
  of BVH meet. Rotations apply in the listed order about the turning axes.
";
