//! Flags that mean the same in each command that moves a character.

use super::footage::Footage;
use anyhow::{Result, bail};
use clap::{Args, ValueEnum};
use puppetry::Warning;
use puppetry::clip::RootMotion;
use puppetry::motion::{Motion, close_loop, exchange_sides, find_cycle, mirror, resample, trim};
use puppetry::retarget::contacts::{ContactOptions, detect, states};
use puppetry::retarget::{Hands, Heading, RetargetOptions, Source, SourceOptions};
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
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = rate)]
    pub fps: Option<f64>,
    /// Leave out what comes before, in seconds
    #[arg(long, value_name = "S", allow_negative_numbers = true, value_parser = not_negative)]
    pub start: Option<f64>,
    /// Leave out what comes after, in seconds
    #[arg(long, value_name = "S", allow_negative_numbers = true, value_parser = positive)]
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
            looping: false,
        }
    }
}

/// A motion as the flags want it.
pub struct Edited {
    pub motion: Motion,
    /// Why it is not closed although it should be.
    pub no_cycle: Option<Warning>,
}

/// The motion as the flags want it: `--start`, `--end`, `--fps`, `--mirror`, `--loop`, in this order.
pub fn edited(footage: &Footage, args: &ClipArgs) -> Result<Edited> {
    let mut motion = footage.motion.clone();
    if args.start.is_some() || args.end.is_some() {
        let (start, end) = (args.start.unwrap_or(0.0), args.end.unwrap_or(f64::INFINITY));
        if start >= end {
            bail!("--start {start} is not before --end {end}; exchange them");
        }
        if start > motion.seconds() {
            let (file, seconds) = (footage.file.display(), motion.seconds());
            bail!(
                "'{file}' lasts {seconds:.2} s, so that nothing is left from --start {start} on; give an earlier one"
            );
        }
        motion = trim(&motion, start, end);
    }
    if let Some(fps) = args.fps {
        motion = resample(&motion, fps);
    }
    if args.mirror {
        let source = Source::of(&motion, &SourceOptions::default());
        let (partners, left) = (&source.figure.partners, source.left());
        // What is named the wrong way round is put right; its mirror image would be as wrong.
        motion = match source.is_mirrored {
            true => exchange_sides(&motion, partners),
            false => mirror(&motion, partners, &left),
        };
    }
    let mut no_cycle = None;
    if args.looping {
        let source = Source::of(&motion, &SourceOptions::default());
        let contacts = detect(&motion, &source, &ContactOptions::default());
        let up = source.up.vector();
        match find_cycle(&motion, &up, &states(&contacts)) {
            Ok(cycle) => motion = close_loop(&motion, &cycle, &up),
            Err(reason) => no_cycle = Some(Warning::NoCycle { reason }),
        }
    }
    Ok(Edited { motion, no_cycle })
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
