//! Flags that mean the same in each command that moves a character.

use crate::clip::RootMotion;
use crate::io::map_file;
use crate::pipeline::ClipOptions;
use crate::retarget::{Hands, Heading, RetargetOptions};
use anyhow::Result;
use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// Which motions.
#[derive(Debug, Args)]
#[command(next_help_heading = "What it does")]
pub struct MotionArgs {
    /// A built-in motion (see 'puppetry motions'), a file (BVH, GLB, glTF, FBX), or a folder of them; repeatable
    #[arg(short, long = "motion", value_name = "NAME|FILE|DIR", required = true)]
    pub motions: Vec<String>,
    /// Name of the clip, in the order of the motions; repeatable [default: the name of the file]
    #[arg(long = "name", value_name = "NAME")]
    pub clip_names: Vec<String>,
}

/// What the character does.
#[derive(Debug, Args)]
#[command(next_help_heading = "What it does")]
pub struct ClipArgs {
    /// Joints that are mapped as this file says (see 'puppetry inspect --save-map')
    #[arg(long, value_name = "FILE")]
    map: Option<PathBuf>,
    /// Keys a second [default: the rate of the motion]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = rate)]
    fps: Option<f64>,
    /// Leave out what comes before, in seconds
    #[arg(long, value_name = "S", allow_negative_numbers = true, value_parser = not_negative)]
    start: Option<f64>,
    /// Leave out what comes after, in seconds
    #[arg(long, value_name = "S", allow_negative_numbers = true, value_parser = positive)]
    end: Option<f64>,
    /// Exchange left and right
    #[arg(long)]
    mirror: bool,
    /// Find the cycle of the motion and close it
    #[arg(long = "loop")]
    looping: bool,
    /// Which joint carries the way over the floor: keep (the hips), extract (the root), in-place (none)
    #[arg(long, value_name = "HOW", default_value = "keep", hide_possible_values = true)]
    root_motion: RootMotionArg,
    /// Where the clip starts to: forward (along +Z), source (as it was recorded)
    #[arg(long, value_name = "HOW", default_value = "forward", hide_possible_values = true)]
    heading: HeadingArg,
    /// Copy rotations only: feet slide
    #[arg(long)]
    no_foot_lock: bool,
    /// Lengthen or shorten the steps
    #[arg(long, value_name = "FACTOR", default_value = "1", hide_default_value = true)]
    #[arg(allow_negative_numbers = true, value_parser = factor)]
    stride: f64,
    /// What hands keep: orientation, relative (their distance to each other and to the body), world (their place)
    #[arg(long, value_name = "WHAT", default_value = "orientation", hide_possible_values = true)]
    hands: HandsArg,
    /// Seconds that the retargeter may look into the future
    #[arg(long, value_name = "S", default_value = "0.1", allow_negative_numbers = true, value_parser = quarter_second)]
    lookahead: f64,
}

impl ClipArgs {
    /// How motions are moved onto the character.
    pub fn options(&self) -> Result<ClipOptions> {
        let mut options = ClipOptions::default();
        (options.start, options.end, options.fps) = (self.start, self.end, self.fps);
        (options.mirror, options.looping) = (self.mirror, self.looping);
        options.root_motion = match self.root_motion {
            RootMotionArg::Keep => RootMotion::Keep,
            RootMotionArg::Extract => RootMotion::Extract,
            RootMotionArg::InPlace => RootMotion::InPlace,
        };
        options.retarget = self.retarget_options();
        options.overrides = self.map.as_deref().map(map_file::load).transpose()?.unwrap_or_default();
        Ok(options)
    }

    /// The flags that were given, as one types them.
    pub fn as_typed(&self) -> Vec<String> {
        let number = |flag: &str, value: Option<f64>| value.map(|value| format!("{flag} {value}"));
        let flags = [
            self.map.as_ref().map(|file| format!("--map {}", file.display())),
            number("--fps", self.fps),
            number("--start", self.start),
            number("--end", self.end),
            self.mirror.then(|| "--mirror".to_owned()),
            self.looping.then(|| "--loop".to_owned()),
            chosen("--root-motion", self.root_motion, RootMotionArg::Keep),
            chosen("--heading", self.heading, HeadingArg::Forward),
            self.no_foot_lock.then(|| "--no-foot-lock".to_owned()),
            number("--stride", (self.stride != 1.0).then_some(self.stride)),
            chosen("--hands", self.hands, HandsArg::Orientation),
            number("--lookahead", (self.lookahead != LOOK_AHEAD).then_some(self.lookahead)),
        ];
        flags.into_iter().flatten().collect()
    }

    fn retarget_options(&self) -> RetargetOptions {
        RetargetOptions {
            look_ahead: self.lookahead,
            foot_lock: !self.no_foot_lock,
            stride: self.stride,
            hands: match self.hands {
                HandsArg::Orientation => Hands::Orientation,
                HandsArg::Relative => Hands::Relative,
                HandsArg::World => Hands::World,
            },
            heading: match self.heading {
                HeadingArg::Forward => Heading::Forward,
                HeadingArg::Source => Heading::Source,
            },
            looping: false,
            compare: false,
        }
    }
}

/// Seconds that the retargeter looks ahead, where nobody says otherwise.
const LOOK_AHEAD: f64 = 0.1;

/// A flag that differs from its default, as one types it.
fn chosen<T: ValueEnum + PartialEq>(flag: &str, value: T, default: T) -> Option<String> {
    let name = value.to_possible_value()?.get_name().to_owned();
    (value != default).then(|| format!("{flag} {name}"))
}

#[derive(Debug, Clone, Copy, PartialEq, ValueEnum)]
enum RootMotionArg {
    Keep,
    Extract,
    InPlace,
}

#[derive(Debug, Clone, Copy, PartialEq, ValueEnum)]
enum HeadingArg {
    Forward,
    Source,
}

#[derive(Debug, Clone, Copy, PartialEq, ValueEnum)]
enum HandsArg {
    Orientation,
    Relative,
    World,
}

fn rate(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(number) if (1.0..=1000.0).contains(&number) => Ok(number),
        _ => Err("it must be a number from 1 to 1000".into()),
    }
}

fn factor(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(number) if (0.01..=100.0).contains(&number) => Ok(number),
        _ => Err("it must be a number from 0.01 to 100".into()),
    }
}

fn quarter_second(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(number) if (0.0..=0.25).contains(&number) => Ok(number),
        _ => Err("it must be a number from 0 to 0.25".into()),
    }
}

fn positive(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(number) if number > 0.0 && number.is_finite() => Ok(number),
        _ => Err("it must be a number above zero".into()),
    }
}

fn not_negative(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(number) if number >= 0.0 && number.is_finite() => Ok(number),
        _ => Err("it must be a number, zero or above".into()),
    }
}
