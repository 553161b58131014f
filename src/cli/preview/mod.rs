//! The command `preview`: motions on a character, as a page, an animation or a contact sheet.

mod characters;
mod descriptions;
mod library;
mod page;
mod stale_files;

use super::args::{Given, one_of};
use super::clip_args::ClipArgs;
use super::mesh_args::MeshArgs;
use super::output::{JSON, Output};
use super::rig_args::RigArgs;
use super::save;
use crate::Image;
use crate::io::{self, AnimationFormat};
use crate::pipeline::{MotionSource, WrittenFile};
use crate::preview::{AnimationOptions, AnimationRenderer, Tracking, contact_sheet, turntable};
use crate::retarget::{Source, SourceOptions};
use anyhow::{Context, Result, bail};
use characters::Characters;
use clap::Args;
use std::path::{Path, PathBuf};

/// See motions on a character: a page for a folder of them, or an animation of one
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  puppetry preview motions -o gallery --character hero.glb\n  puppetry preview walk.bvh -o walk.webp\n  puppetry preview walk -o walk.png\n  puppetry preview --character hero.glb -o turntable.webp"
)]
pub struct Preview {
    /// Files, folders or names of built-in motions [default: all of those]
    #[arg(value_name = "MOTION|DIR")]
    motions: Vec<PathBuf>,
    /// A folder for a page; or .webp, .apng, .gif or .png of one motion; or -
    ///
    /// A .png is a contact sheet, the others are animations. A picture of one motion can go to standard output (-).
    #[arg(short, long, value_name = "OUT", required = true, help_heading = "What is written")]
    output: PathBuf,
    /// What goes to standard output (-): webp, apng, gif or png [default: webp]
    #[arg(long, value_name = "ENDING", hide_short_help = true, help_heading = "What is written")]
    format: Option<String>,
    /// Who moves: a mesh, with or without a skin [default: a person, or dog]
    ///
    /// A character that has a skin keeps it.
    #[arg(long, value_name = "MESH", help_heading = "What is written")]
    character: Option<PathBuf>,
    /// What the motions of a page show, a line each: '02_01 walk' in a text file, '02_01,walk' in a .csv
    #[arg(long, value_name = "FILE", hide_short_help = true, help_heading = "What is written")]
    names_file: Option<PathBuf>,
    /// What was made, one JSON object a line on standard output: the clips of a page, or the file of one motion
    #[arg(long, hide_short_help = true, help_heading = "What is written")]
    json: bool,
    #[command(flatten)]
    look: Look,
    #[command(flatten)]
    clips: Given<ClipArgs>,
    #[command(flatten)]
    rig: Given<RigArgs>,
    #[command(flatten)]
    mesh_args: Given<MeshArgs>,
}

/// What the images show. Its `Debug` text is part of the hash that tells whether a clip must be drawn again.
#[derive(Debug, Args)]
#[command(next_help_heading = "What the images show")]
struct Look {
    /// Pixels along a side of an animation
    #[arg(long, value_name = "PIXELS", default_value_t = 320, value_parser = clap::value_parser!(u16).range(64..=1024))]
    size: u16,
    /// Animations of a page: webp, apng (lossless, large) or gif
    #[arg(long, value_name = "FORMAT", default_value = "webp", value_parser = one_of(&FORMATS))]
    #[arg(hide_possible_values = true)]
    film: AnimationFormat,
    /// The camera: fixed (sees the whole path), follow, or auto
    ///
    /// auto follows if the character goes far.
    #[arg(long, value_name = "HOW", default_value = "auto", value_parser = one_of(&TRACKINGS))]
    #[arg(hide_possible_values = true)]
    camera: Tracking,
    /// Draw the bones
    #[arg(long)]
    bones: bool,
    /// Colour the surface by the joint that moves it
    #[arg(long)]
    weights: bool,
}

const FORMATS: [(&str, AnimationFormat); 3] =
    [("webp", AnimationFormat::Webp), ("apng", AnimationFormat::Apng), ("gif", AnimationFormat::Gif)];
const TRACKINGS: [(&str, Tracking); 3] =
    [("auto", Tracking::Auto), ("fixed", Tracking::Fixed), ("follow", Tracking::Follow)];

/// What goes to standard output.
const STREAMED: &str = "webp";

/// The longest animation; of a longer motion it shows the part around the most telling pose. Frames are kept in memory, 0.4 MB
/// each.
const MAX_SECONDS: f64 = 6.0;
/// Bytes of an animation for each second, and for the shortest.
const BYTES_PER_SECOND: f64 = 90_000.0;
const MIN_BYTES: f64 = 120_000.0;
/// Frames of a turntable, and how many a second.
const TURN_FRAMES: usize = 72;
const TURN_RATE: f64 = 24.0;

impl Preview {
    pub fn run(&self, output: &mut Output) -> Result<()> {
        if self.json {
            output.carry(JSON)?;
        }
        if save::is_stdout(&self.output) {
            output.carry("a picture")?;
        }
        match self.product()? {
            Product::Page => self.page(output),
            Product::Animation(format) => {
                format.check()?;
                self.image(Some(format), output)
            }
            Product::ContactSheet => self.image(None, output),
        }
    }

    /// What is made, by the name of the output, or for standard output by the format.
    fn product(&self) -> Result<Product> {
        let named = match (save::is_stdout(&self.output), &self.format) {
            (true, format) => PathBuf::from(format!("-.{}", format.as_deref().unwrap_or(STREAMED))),
            (false, None) => self.output.clone(),
            (false, Some(format)) => {
                bail!(
                    "--format {format} is for '-'; a file says by its ending what it is, and --film is for pages"
                )
            }
        };
        Product::of(&named)
    }

    /// An animation of one motion or of the character alone, or without a format a contact sheet.
    fn image(&self, format: Option<AnimationFormat>, output: &mut Output) -> Result<()> {
        if self.names_file.is_some() {
            bail!("--names-file describes the motions of a page; name a folder as -o");
        }
        save::check(&self.output)?;
        let name = match self.motions.as_slice() {
            [] if self.character.is_some() => None,
            [name] if name.is_file() => Some(name),
            [name] if matches!(MotionSource::of(name), MotionSource::BuiltIn(_)) => Some(name),
            [name] if !name.exists() => bail!("{}", library::no_such_motion(name)),
            _ => bail!(
                "'{}' is a picture of one motion; give one motion file, or name a folder for a page of many",
                self.output.display()
            ),
        };
        let characters = self.characters(output)?;
        let options = self.look.options();
        let Some(name) = name else {
            let Some(format) = format else { bail!("a contact sheet shows a motion; give a motion file") };
            let frames = turntable(&characters.for_motion(false)?.drawn, TURN_FRAMES, &options);
            characters.tell(output);
            return self.save(animation_bytes(format, &frames, TURN_RATE)?, output);
        };
        // Of several motions in a file the largest.
        let (motion, repairs) = match characters.suited(&MotionSource::of(name))? {
            MotionSource::File(path) => io::load_motion(&path)?,
            source => {
                let (mut motions, repairs) = source.motions()?;
                (motions.swap_remove(0).1, repairs)
            }
        };
        let source = Source::of(&motion, &SourceOptions::default());
        let character = characters.for_motion(source.figure.is_quadruped())?;
        let (animated, warnings) = character
            .animated(&motion, &self.clips.options()?)
            .with_context(|| format!("cannot show '{}'", name.display()))?;
        let bytes = match format {
            Some(format) => {
                let (frames, rate) = AnimationRenderer::new(&animated, &options).animation(MAX_SECONDS);
                animation_bytes(format, &frames, rate)?
            }
            None => io::write_png(&contact_sheet(&animated, options.background)),
        };
        self.save(bytes, output)?;
        characters.tell(output);
        output.warnings(name, &repairs);
        output.warnings(name, &warnings);
        Ok(())
    }

    /// Writes the one output.
    fn save(&self, bytes: Vec<u8>, output: &mut Output) -> Result<()> {
        output.save(&[(&self.output, &bytes)])?;
        output.record(&WrittenFile::new(&self.output, &bytes))
    }

    /// Who may be moved.
    fn characters(&self, output: &mut Output) -> Result<Characters<'_>> {
        let clips = self.clips.options()?;
        Characters::new(self.character.as_deref(), &self.rig, &self.mesh_args, clips, output)
    }

    /// The flags of `animate` that were given, as one types them.
    fn as_typed(&self) -> Vec<String> {
        [self.clips.as_typed(), self.rig.as_typed(), self.mesh_args.as_typed()].concat()
    }
}

impl Look {
    fn options(&self) -> AnimationOptions {
        AnimationOptions {
            size: self.size.into(),
            tracking: self.camera,
            skeleton: self.bones,
            weights: self.weights,
            ..AnimationOptions::default()
        }
    }
}

fn animation_bytes(format: AnimationFormat, frames: &[Image], rate: f64) -> Result<Vec<u8>> {
    let most = (frames.len() as f64 / rate * BYTES_PER_SECOND).max(MIN_BYTES);
    Ok(format.encode(frames, rate, most as usize)?)
}

/// What the output is, by its name.
#[derive(Clone, Copy)]
enum Product {
    Page,
    Animation(AnimationFormat),
    ContactSheet,
}

impl Product {
    fn of(path: &Path) -> Result<Product> {
        let ending = path.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
        save::refuse_fbx(path)?;
        match ending.as_str() {
            _ if path.is_dir() || path.to_string_lossy().ends_with(['/', '\\']) => Ok(Product::Page),
            "" => Ok(Product::Page),
            "png" => Ok(Product::ContactSheet),
            ending => match FORMATS.iter().find(|(name, _)| *name == ending) {
                Some((_, format)) => Ok(Product::Animation(*format)),
                None => bail!(
                    "cannot write '{}': name a folder for a page, or end it in .webp, .apng or .gif for an animation, \
                     .png for a contact sheet",
                    path.display()
                ),
            },
        }
    }
}
