//! Flags that mean the same in each command that moves a character.

use super::args::{number, one_of, positive};
use crate::clip::RootMotion;
use crate::io::map_file;
use crate::pipeline::ClipOptions;
use crate::retarget::{Hands, Heading, RetargetOptions};
use anyhow::Result;
use clap::Args;
use std::path::PathBuf;

/// Which motions.
#[derive(Debug, Args)]
#[command(next_help_heading = "What it does")]
pub struct MotionArgs {
    /// A built-in one ('puppetry motions'), a file or a folder; repeatable
    ///
    /// Files are BVH, GLB, glTF and FBX; of a folder all of them.
    #[arg(short, long = "motion", value_name = "NAME|FILE|DIR", required = true)]
    pub motions: Vec<String>,
    /// Name of the clip, in the order of the motions; repeatable [default: the name of the file]
    #[arg(long = "name", value_name = "NAME", hide_short_help = true)]
    pub clip_names: Vec<String>,
}

/// What the character does.
#[derive(Debug, Args)]
#[command(next_help_heading = "What it does")]
pub struct ClipArgs {
    /// Map joints as this file says (see 'puppetry inspect --save-map')
    #[arg(long, value_name = "FILE", hide_short_help = true)]
    map: Option<PathBuf>,
    /// Also motions of people on animals and of animals on people
    #[arg(long, hide_short_help = true)]
    any_body: bool,
    /// Keys a second [default: the rate of the motion]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    #[arg(value_parser = number("a number from 1 to 1000", |n| (1.0..=1000.0).contains(&n)))]
    #[arg(hide_short_help = true)]
    fps: Option<f64>,
    /// Cut off what comes before, in seconds
    #[arg(long, value_name = "S", allow_negative_numbers = true)]
    #[arg(value_parser = number("a number, zero or above", |n| n >= 0.0))]
    start: Option<f64>,
    /// Cut off what comes after, in seconds
    #[arg(long, value_name = "S", allow_negative_numbers = true, value_parser = positive)]
    end: Option<f64>,
    /// Exchange left and right
    #[arg(long)]
    mirror: bool,
    /// Find the cycle of the motion and close it
    #[arg(long = "loop")]
    looping: bool,
    /// Who carries the path: keep (hips, default), extract (root), in-place
    ///
    /// Which joint carries the path over the floor. With in-place, path and speed go to the extras of the animation.
    #[arg(
        long,
        value_name = "HOW",
        default_value = "keep",
        hide_possible_values = true,
        hide_default_value = true
    )]
    #[arg(value_parser = one_of(&ROOT_MOTIONS))]
    root_motion: RootMotion,
    /// Direction in which the clip starts: forward (along +Z), source (as it was recorded)
    #[arg(long, value_name = "HOW", default_value = "forward", hide_possible_values = true)]
    #[arg(hide_short_help = true)]
    #[arg(value_parser = one_of(&HEADINGS))]
    heading: Heading,
    /// Copy rotations only: feet slide
    #[arg(long, hide_short_help = true)]
    no_foot_lock: bool,
    /// Lengthen or shorten the steps
    #[arg(long, value_name = "FACTOR", default_value = "1", hide_default_value = true)]
    #[arg(allow_negative_numbers = true, hide_short_help = true)]
    #[arg(value_parser = number("a number from 0.01 to 100", |n| (0.01..=100.0).contains(&n)))]
    stride: f64,
    /// What hands keep: orientation, relative (their distance to each other and to the body), world (their position)
    #[arg(long, value_name = "WHAT", default_value = "orientation", hide_possible_values = true)]
    #[arg(hide_short_help = true)]
    #[arg(value_parser = one_of(&HANDS))]
    hands: Hands,
    /// Whether hands and forearms are kept out of the body: on, off
    #[arg(long, value_name = "WHETHER", default_value = "on", hide_possible_values = true)]
    #[arg(hide_short_help = true)]
    #[arg(action = clap::ArgAction::Set, value_parser = one_of(&COLLIDE))]
    collide: bool,
    /// Seconds that the retargeter may look ahead
    #[arg(long, value_name = "S", default_value = "0.1", allow_negative_numbers = true)]
    #[arg(hide_short_help = true)]
    #[arg(value_parser = number("a number from 0 to 0.25", |n| (0.0..=0.25).contains(&n)))]
    lookahead: f64,
}

const ROOT_MOTIONS: [(&str, RootMotion); 3] =
    [("keep", RootMotion::Keep), ("extract", RootMotion::Extract), ("in-place", RootMotion::InPlace)];
const HEADINGS: [(&str, Heading); 2] = [("forward", Heading::Forward), ("source", Heading::Source)];
const HANDS: [(&str, Hands); 3] =
    [("orientation", Hands::Orientation), ("relative", Hands::Relative), ("world", Hands::World)];
const COLLIDE: [(&str, bool); 2] = [("on", true), ("off", false)];

impl ClipArgs {
    /// How motions are moved onto the character.
    pub fn options(&self) -> Result<ClipOptions> {
        let mut options = ClipOptions::default();
        (options.start, options.end, options.fps) = (self.start, self.end, self.fps);
        (options.mirror, options.looping) = (self.mirror, self.looping);
        (options.root_motion, options.any_body) = (self.root_motion, self.any_body);
        options.retarget = RetargetOptions {
            look_ahead: self.lookahead,
            foot_lock: !self.no_foot_lock,
            stride: self.stride,
            hands: self.hands,
            collide: self.collide,
            heading: self.heading,
            looping: false,
            compare: false,
        };
        options.overrides = self.map.as_deref().map(map_file::load).transpose()?.unwrap_or_default();
        Ok(options)
    }
}
