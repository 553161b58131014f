//! Flags that mean the same in each command that moves a character.

use super::footage::Footage;
use anyhow::Result;
use clap::{Args, ValueEnum};
use puppetry::clip::RootMotion;
use puppetry::motion::Motion;
use puppetry::retarget_stand_in::{Hands, Heading, RetargetOptions};
use std::path::PathBuf;

/// What the character does.
#[derive(Debug, Args)]
#[command(next_help_heading = "What it does")]
pub struct ClipArgs {
    /// A built-in motion (see 'puppetry motions'), a file (BVH, GLB, glTF, FBX), or a folder of them; repeatable
    #[arg(short, long = "motion", value_name = "NAME|FILE|DIR", required = true)]
    pub motions: Vec<String>,
    /// Name of the clip, in the order of the motions; repeatable [default: the name of the file]
    #[arg(long = "name", value_name = "NAME")]
    pub clip_names: Vec<String>,
    /// Joints that are mapped as this file says (see 'puppetry inspect --save-map')
    #[arg(long, value_name = "FILE")]
    pub map: Option<PathBuf>,
    /// Keys a second [default: the rate of the motion]
    #[arg(long, value_name = "N", value_parser = positive)]
    pub fps: Option<f64>,
    /// Leave out what comes before, in seconds
    #[arg(long, value_name = "S", value_parser = not_negative)]
    pub start: Option<f64>,
    /// Leave out what comes after, in seconds
    #[arg(long, value_name = "S", value_parser = positive)]
    pub end: Option<f64>,
    /// Exchange left and right
    #[arg(long)]
    pub mirror: bool,
    /// Find the cycle of the motion and close it
    #[arg(long = "loop")]
    pub looping: bool,
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
    #[arg(long, value_name = "FACTOR", default_value = "1", hide_default_value = true, value_parser = positive)]
    stride: f64,
    /// What hands keep: orientation, relative (their distance to each other and to the body), world (their place)
    #[arg(long, value_name = "WHAT", default_value = "orientation", hide_possible_values = true)]
    hands: HandsArg,
    /// Seconds that the retargeter may look into the future
    #[arg(long, value_name = "S", default_value = "0.1", value_parser = not_negative)]
    lookahead: f64,
}

impl ClipArgs {
    /// Where the way over the floor goes.
    pub fn root_motion(&self) -> RootMotion {
        match self.root_motion {
            RootMotionArg::Keep => RootMotion::Keep,
            RootMotionArg::Extract => RootMotion::Extract,
            RootMotionArg::InPlace => RootMotion::InPlace,
        }
    }

    /// How motions are moved onto the character.
    pub fn retarget_options(&self) -> RetargetOptions {
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
        }
    }
}

/// The motion as the flags want it: `--start`, `--end`, `--fps`, `--mirror`, `--loop`, in this order.
pub fn edited(footage: &Footage, _args: &ClipArgs) -> Result<Motion> {
    Ok(footage.motion.clone())
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum RootMotionArg {
    Keep,
    Extract,
    InPlace,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum HeadingArg {
    Forward,
    Source,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum HandsArg {
    Orientation,
    Relative,
    World,
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
