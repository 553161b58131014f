//! The clips, each with the dialect it is written in, and the page that lists them.

use std::fmt::Write;

use super::dialect::{self, Dialect, Rest};
use super::pose::{FPS, Frame};
use super::skeleton::{Body, Dog, Human};
use super::{bvh, gait, gestures, quadruped};

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
}

/// All clips.
pub fn clips() -> Vec<Clip> {
    use dialect::*;
    use gestures::{dance, greet, idle, jump, sit, turn_around};
    let person = |name, what, spine: usize, motion: fn(&Human) -> Vec<Frame>, dialect, speed, loops| {
        let human = Human::new(spine);
        let frames = motion(&human);
        Clip { name, what, body: human.body, frames, dialect, speed, loops }
    };
    let dog = |name, what, motion: fn(&Dog) -> Vec<Frame>, dialect, speed| {
        let dog = Dog::new();
        let frames = motion(&dog);
        Clip { name, what, body: dog.body, frames, dialect, speed, loops: true }
    };
    vec![
        person("walk", "walks, 120 steps a minute, three cycles", 2, gait::walk, CMU, gait::WALK.speed, true),
        person("run", "runs, 171 steps a minute, four cycles", 3, gait::run, MIXAMO, gait::RUN.speed, true),
        person(
            "sneak",
            "sneaks, bent, knees high, toes first, two cycles",
            1,
            gait::sneak,
            BIOVISION,
            gait::SNEAK.speed,
            true,
        ),
        person("jump", "crouches, jumps 0.3 m high on the spot, lands, settles", 3, jump, UNREAL, 0.0, false),
        person("idle", "stands, shifts its weight, looks around, breathes", 3, idle, VRM, 0.0, true),
        person("wave", "waves with the right arm", 2, greet, POSER, 0.0, true),
        person(
            "dance",
            "step-touch and V-step, 112.5 beats a minute, two bars",
            2,
            dance,
            MAX_BIPED,
            0.0,
            true,
        ),
        person("turn", "turns left by 180° in four steps", 3, turn_around, XSENS, 0.0, false),
        person("sit", "sits down on a seat 0.45 m high, waits, stands up", 3, sit, LAFAN1, 0.0, false),
        dog(
            "quad_walk",
            "walks, lateral sequence, three cycles",
            quadruped::walk,
            ANIMATOR,
            quadruped::WALK.speed,
        ),
        dog(
            "quad_trot",
            "trots, diagonal pairs, five cycles",
            quadruped::trot,
            PUPPETRY,
            quadruped::TROT.speed,
        ),
        dog(
            "quad_gallop",
            "gallops, rotary, five cycles",
            quadruped::gallop,
            DOG_CAPTURE,
            quadruped::GALLOP.speed,
        ),
        dog("quad_idle", "stands, looks around, wags its tail", quadruped::idle, MAX_QUADRUPED, 0.0),
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

Written by `cargo run --release --example make_motions`, this page included; nothing here is captured. A person of 1.75 m
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
* **Planted feet** are still to the last written digit: the heel point until the foot is flat, then the ball and the tip
  until shortly before the foot leaves. The ball is the joint of the toes.
* Every file has its own names, rotation order, unit, up axis and rest pose on purpose: together they are what readers
  of BVH meet. Rotations apply in the listed order about the turning axes.
";
