//! The command `preview`: motions on a character, as a page, a film or a sheet.

mod bake_command;
mod characters;
mod leftovers;
mod library;
mod perform;

use super::clip_args::ClipArgs;
use super::mesh_args::MeshArgs;
use super::output::Output;
use super::rig_args::RigArgs;
use super::save;
use crate::io::{self, AnimationFormat, Problem};
use crate::preview::gallery::{self, GalleryClip, GalleryFailure};
use crate::preview::{
    AnimatedCharacter, AnimationOptions, AnimationRenderer, PreviewFacts, Tracking, contact_sheet, turntable,
};
use crate::retarget::{Source, SourceOptions};
use anyhow::{Context, Result, bail};
use bake_command::bake_command;
use characters::{Characters, DrawnCharacter};
use clap::{Args, ValueEnum};
use library::{Entry, Library, Place};
use perform::{Performed, perform};
use serde::{Deserialize, Serialize};
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// See motions on a character: a page for a folder of them, or a film of one
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  puppetry preview motions -o gallery --character hero.glb\n  puppetry preview walk.bvh -o walk.webp\n  puppetry preview walk -o walk.png\n  puppetry preview --character hero.glb -o turntable.webp"
)]
pub struct Preview {
    /// Motion files, folders of BVH, FBX, GLB and glTF files, or names of built-in motions [default: all of those]
    #[arg(value_name = "MOTION|DIR")]
    motions: Vec<PathBuf>,
    /// A folder for the page; or a .webp, .apng or .gif film, or a .png sheet, of one motion
    #[arg(short, long, value_name = "OUT", required = true)]
    output: PathBuf,
    /// Who performs: a mesh, or a character with a skin, which it keeps [default: a built-in person, or dog]
    #[arg(long, value_name = "MESH")]
    character: Option<PathBuf>,
    #[command(flatten)]
    look: Look,
    #[command(flatten)]
    clips: ClipArgs,
    #[command(flatten)]
    rig: RigArgs,
    #[command(flatten)]
    understanding: MeshArgs,
}

/// What the pictures show.
#[derive(Debug, Args)]
#[command(next_help_heading = "What the pictures show")]
struct Look {
    /// Pixels along a side of a film
    #[arg(long, value_name = "PIXELS", default_value_t = 320, value_parser = clap::value_parser!(u16).range(64..=1024))]
    size: u16,
    /// Format of the films of a page
    #[arg(long, value_name = "FORMAT", default_value = "webp")]
    film: FilmKind,
    /// Whether the camera goes along
    #[arg(long, value_name = "WAY", default_value = "auto")]
    camera: CameraWay,
    /// Draw the bones
    #[arg(long)]
    bones: bool,
    /// Paint the influence of every joint
    #[arg(long)]
    weights: bool,
}

#[derive(Debug, Clone, Copy, ValueEnum, PartialEq)]
enum FilmKind {
    /// Small, good colours
    Webp,
    /// Nothing lost, several times larger
    Apng,
    /// 256 colours
    Gif,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum CameraWay {
    /// Goes along if the character goes far
    Auto,
    /// Stands and sees all of the way
    Fixed,
    /// Goes along
    Follow,
}

/// The longest film; of a longer motion it shows the part around the most telling pose. Frames are kept in memory, 0.4 MB
/// each.
const MOST_SECONDS: f64 = 6.0;
/// Bytes of a film for each second, and for the shortest.
const BYTES_PER_SECOND: f64 = 90_000.0;
const LEAST_BYTES: f64 = 120_000.0;
/// Frames a second of the models of a page, at most.
const MODEL_RATE: f64 = 30.0;
/// Raised when clips of the same motions look otherwise or know more than before.
const EDITION: u32 = 3;
/// Folders of a page.
const FOLDERS: [&str; 3] = ["media", "data", "models"];
/// Frames of a turntable, and how many a second.
const TURN_FRAMES: usize = 72;
const TURN_RATE: f64 = 24.0;
/// How often the list of a page that is being made is written: whoever opens it sees what there is.
const LIST_EVERY: Duration = Duration::from_secs(10);

impl Preview {
    pub fn run(&self, output: &mut Output) -> Result<()> {
        match Product::of(&self.output)? {
            Product::Page => self.page(output),
            product => self.picture(product, output),
        }
    }

    /// A film or sheet of one motion, or of the character alone.
    fn picture(&self, product: Product, output: &mut Output) -> Result<()> {
        if let Product::Film(kind) = product {
            kind.format().check()?;
        }
        save::check(&self.output)?;
        let motion = match self.motions.as_slice() {
            [] if self.character.is_some() => None,
            [name] if library::known(name).is_some() || name.is_file() => {
                let place = library::known(name).map_or(Place::File(name.clone()), Place::BuiltIn);
                Some(place.motion()?)
            }
            [name] if !name.exists() => bail!("{}", library::no_such_motion(name)),
            _ => bail!(
                "'{}' is a picture of one motion; give one motion file, or name a folder for a page of many",
                self.output.display()
            ),
        };
        let cast = self.characters(output)?;
        let options = self.look.options();
        let mut warnings = Vec::new();
        let bytes = match (motion, product) {
            (None, Product::Film(kind)) => {
                let frames = turntable(&cast.for_motion(false)?.drawn, TURN_FRAMES, &options);
                film_bytes(kind, &frames, TURN_RATE)?
            }
            (None, _) => bail!("a sheet shows a motion; give a motion file"),
            (Some((motion, mended)), product) => {
                let source = Source::of(&motion, &SourceOptions::default());
                let character = cast.for_motion(source.figure.is_quadruped())?;
                let Performed { shown: performance, warnings: findings } =
                    perform(character, &motion, &self.clips.options()?)
                        .with_context(|| format!("cannot show '{}'", self.motions[0].display()))?;
                warnings = mended.into_iter().chain(findings).collect();
                match product {
                    Product::Film(kind) => {
                        let (frames, rate) =
                            AnimationRenderer::new(&performance, &options).animation(MOST_SECONDS);
                        film_bytes(kind, &frames, rate)?
                    }
                    _ => io::write_png(&contact_sheet(&performance)),
                }
            }
        };
        save::save_all(&[(self.output.clone(), bytes)])?;
        if let Some(path) = self.motions.first() {
            output.warnings(path, &warnings);
        }
        Ok(())
    }

    /// The page of a library.
    fn page(&self, output: &mut Output) -> Result<()> {
        self.look.film.format().check()?;
        let Library { entries, closed } = library::find(&self.motions, &self.output)?;
        let folders = FOLDERS.map(|name| self.output.join(name));
        folders.iter().try_for_each(|folder| save::make_folder(folder))?;
        // Before any slow work it is known whether anything can be written.
        let title = self.title();
        save::save_all(&[(self.output.join("index.html"), gallery::page(&title).into_bytes())])?;
        let mut making = Making::new(self, entries.len());
        if !making.list.exists() {
            making.save_list(entries.len())?;
        }
        closed.into_iter().for_each(|(folder, error)| making.fail(folder, error));

        let cast = self.characters(output)?;
        output.start_long(entries.len());
        for (number, entry) in entries.iter().enumerate() {
            output.stage(&entry.shown);
            match self.clips(entry, &cast) {
                Ok(drawn) => making.add(drawn, &cast)?,
                Err(error) => making.fail(entry.shown.clone(), error),
            }
            output.step();
            if making.listed.elapsed() > LIST_EVERY {
                making.save_list(entries.len() - 1 - number)?;
            }
        }
        making.save_list(0)?;
        let kept = making.clips.iter().map(|clip| clip.id.as_str());
        leftovers::remove(&self.output, kept, self.look.film.ending());
        making.errors.iter().for_each(|error| output.failure(error));
        making.finish(output)
    }

    /// Who may be moved.
    fn characters(&self, output: &mut Output) -> Result<Characters> {
        let clips = self.clips.options()?;
        Characters::new(self.character.as_deref(), &self.rig, &self.understanding, clips, output)
    }

    /// The flags of `animate` that were given, as one types them.
    fn as_typed(&self) -> Vec<String> {
        [self.clips.as_typed(), self.rig.as_typed(), self.understanding.as_typed()].concat()
    }

    /// The clips of a file as the page lists them; none for a file in a folder that holds no motion, as characters do.
    fn clips(&self, entry: &Entry, cast: &Characters) -> Result<Drawn> {
        let hash = self.hash(&entry.content()?, cast);
        let record = self.output.join(format!("data/{}.json", entry.id));
        let command = bake_command(self.character.as_deref(), &self.as_typed(), entry);
        if let Some(mut clips) = self.drawn_before(&record, &hash) {
            let is_pack = clips.len() > 1;
            for clip in &mut clips {
                // The character's model is written when it is rigged.
                cast.by_number(clip.character)?;
                // What it is may stay while where it is has changed.
                if !is_pack {
                    clip.name = entry.name.clone();
                }
                clip.folder = entry.folder_of_clips(is_pack);
                clip.command = command.clone();
            }
            return Ok(Drawn { clips, is_new: false, failed: Vec::new() });
        }
        let mut drawn = Drawn { clips: Vec::new(), is_new: true, failed: Vec::new() };
        let (motions, mended) = match entry.place.motions() {
            Ok(motions) => motions,
            Err(error) if entry.is_found && matches!(error.fault.problem, Problem::NoAnimation) => {
                return Ok(drawn);
            }
            Err(error) => return Err(error.into()),
        };
        let is_pack = motions.len() > 1;
        let options = self.clips.options()?;
        // What was found in the file is said once.
        let mut mended = mended.iter().map(ToString::to_string).collect::<Vec<_>>();
        for (number, (name, motion)) in motions.iter().enumerate() {
            let (id, folder) = (entry.id_of_clip(number), entry.folder_of_clips(is_pack));
            let shown = if is_pack { format!("{}: {name}", entry.shown) } else { entry.shown.clone() };
            let source = Source::of(motion, &SourceOptions::default());
            let is_quadruped = source.figure.is_quadruped();
            let character = cast.for_motion(is_quadruped)?;
            let Performed { shown: performance, warnings: findings } =
                match perform(character, motion, &options) {
                    Ok(performed) => performed,
                    Err(error) => {
                        let error = error.context(format!("cannot show '{shown}'"));
                        drawn.failed.push((shown, error));
                        continue;
                    }
                };
            let mut notes = std::mem::take(&mut mended);
            notes.extend(findings.iter().map(ToString::to_string));
            let files = self.media(&id, &performance).with_context(|| format!("cannot show '{shown}'"))?;
            save::save_all(&files)?;
            drawn.clips.push(GalleryClip {
                id,
                name: if is_pack { name.clone() } else { entry.name.clone() },
                folder,
                convention: source.figure.roles.convention.map(str::to_owned),
                frames_per_second: 1.0 / motion.frame_seconds,
                loops: performance.loops,
                animation: self.look.film.ending().to_owned(),
                command: command.clone(),
                character: cast.number(is_quadruped),
                hips: character.character.rig.joints[character.drawn.hips].name.clone(),
                facts: PreviewFacts::of(&performance, notes),
            });
        }
        // The record comes last: with it all other files are there.
        if drawn.failed.is_empty() {
            let clips = drawn.clips.clone();
            save::save_all(&[(record, serde_json::to_vec(&Record { hash, clips })?)])?;
        }
        Ok(drawn)
    }

    /// Thumbnail, film, sheet and model of a clip.
    fn media(&self, id: &str, performance: &AnimatedCharacter) -> Result<Vec<(PathBuf, Vec<u8>)>> {
        let options = self.look.options();
        let show = AnimationRenderer::new(performance, &options);
        let (frames, rate) = show.animation(MOST_SECONDS);
        let film = film_bytes(self.look.film, &frames, rate)?;
        drop(frames);
        // Players interpolate: more keys than the film has frames make the page heavier, not smoother.
        let step = (performance.frames_per_second / MODEL_RATE).ceil().max(1.0) as usize;
        let poses: Vec<_> = performance.poses.iter().step_by(step).cloned().collect();
        let joints = &performance.character.joints;
        let glb = io::write_motion_glb(joints, &poses, performance.frames_per_second / step as f64)?;
        let file = |path: String, bytes: Vec<u8>| (self.output.join(path), bytes);
        Ok(vec![
            file(format!("media/{id}.png"), io::write_png(&show.thumbnail())),
            file(format!("media/{id}-film.{}", self.look.film.ending()), film),
            file(format!("media/{id}-sheet.png"), io::write_png(&contact_sheet(performance))),
            file(format!("models/{id}.js"), gallery::model_script(id, &glb).into_bytes()),
        ])
    }

    /// What decides how a clip looks: a change of any of it draws it again.
    fn hash(&self, motion: &[u8], cast: &Characters) -> String {
        let mut hasher = DefaultHasher::new();
        (env!("CARGO_PKG_VERSION"), EDITION).hash(&mut hasher);
        motion.hash(&mut hasher);
        cast.content.hash(&mut hasher);
        format!("{:?} {:?} {:?}", self.character, self.look, self.as_typed()).hash(&mut hasher);
        format!("{:016x}", hasher.finish())
    }

    /// The clips of an earlier run, if nothing has changed and their files are there.
    fn drawn_before(&self, record: &Path, hash: &str) -> Option<Vec<GalleryClip>> {
        let record: Record = serde_json::from_slice(&fs::read(record).ok()?).ok()?;
        let is_complete = record.clips.iter().all(|clip| self.has_files(clip));
        (record.hash == hash && is_complete).then_some(record.clips)
    }

    fn has_files(&self, GalleryClip { id, .. }: &GalleryClip) -> bool {
        let film = self.look.film.ending();
        let media = [format!("{id}.png"), format!("{id}-film.{film}"), format!("{id}-sheet.png")];
        media.iter().all(|file| self.output.join("media").join(file).is_file())
            && self.output.join(format!("models/{id}.js")).is_file()
    }

    fn title(&self) -> String {
        let name = |path: &PathBuf| path.file_name().map(|name| name.to_string_lossy().into_owned());
        self.motions.first().and_then(name).unwrap_or_else(|| "motions".into())
    }
}

/// The clips that a run made of a file, and the hash of what decided how they look.
#[derive(Serialize, Deserialize)]
struct Record {
    hash: String,
    clips: Vec<GalleryClip>,
}

/// What became of a file.
struct Drawn {
    clips: Vec<GalleryClip>,
    is_new: bool,
    /// Motions in it that could not be shown, and why.
    failed: Vec<(String, anyhow::Error)>,
}

/// A page while it is made.
struct Making<'a> {
    preview: &'a Preview,
    list: PathBuf,
    clips: Vec<GalleryClip>,
    failures: Vec<GalleryFailure>,
    errors: Vec<anyhow::Error>,
    /// Clips that were drawn now, and files without a motion.
    drawn: usize,
    still: usize,
    /// How many of the characters have their model on the page.
    models: usize,
    listed: Instant,
    motions: usize,
}

impl<'a> Making<'a> {
    fn new(preview: &'a Preview, motions: usize) -> Making<'a> {
        Making {
            preview,
            list: preview.output.join("data/clips.js"),
            clips: Vec::new(),
            failures: Vec::new(),
            errors: Vec::new(),
            drawn: 0,
            still: 0,
            models: 0,
            listed: Instant::now(),
            motions,
        }
    }

    fn add(&mut self, file: Drawn, cast: &Characters) -> Result<()> {
        self.still += usize::from(file.clips.is_empty() && file.failed.is_empty());
        self.drawn += if file.is_new { file.clips.len() } else { 0 };
        self.clips.extend(file.clips);
        file.failed.into_iter().for_each(|(shown, error)| self.fail(shown, error));
        if cast.rigged().count() > self.models {
            self.models = cast.rigged().count();
            let model = |(number, character): (usize, &DrawnCharacter)| {
                let script = gallery::model_script(&format!("character{number}"), &character.glb);
                let path = self.preview.output.join(format!("models/character{number}.js"));
                (path, script.into_bytes())
            };
            save::save_all(&cast.rigged().map(model).collect::<Vec<_>>())?;
        }
        Ok(())
    }

    fn fail(&mut self, file: String, error: anyhow::Error) {
        let reason = error.chain().map(ToString::to_string).collect::<Vec<_>>().join(": ");
        self.failures.push(GalleryFailure { file, reason });
        self.errors.push(error);
    }

    /// Writes the list of what there is, of which so much is still to come.
    fn save_list(&mut self, left: usize) -> Result<()> {
        self.listed = Instant::now();
        let script = gallery::list_script(&self.clips, &self.failures, left);
        save::save_all(&[(self.list.clone(), script.into_bytes())])
    }

    fn finish(self, output: &mut Output) -> Result<()> {
        if self.clips.is_empty() {
            bail!("none of the {} motions could be shown", self.motions);
        }
        let page = self.preview.output.join("index.html");
        let mut summary = format!(
            "{}: {}, {} of them drawn now",
            page.display(),
            many(self.clips.len(), "clip"),
            self.drawn
        );
        if self.still > 0 {
            summary += &format!(", {} without a motion left out", many(self.still, "file"));
        }
        output.summary(format_args!("{summary}, {} could not be shown", self.failures.len()))
    }
}

/// So many of something.
fn many(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

impl Look {
    fn options(&self) -> AnimationOptions {
        AnimationOptions {
            size: self.size.into(),
            tracking: match self.camera {
                CameraWay::Auto => Tracking::Auto,
                CameraWay::Fixed => Tracking::Fixed,
                CameraWay::Follow => Tracking::Follow,
            },
            skeleton: self.bones,
            weights: self.weights,
            ..AnimationOptions::default()
        }
    }
}

impl FilmKind {
    fn format(self) -> AnimationFormat {
        match self {
            FilmKind::Webp => AnimationFormat::Webp,
            FilmKind::Apng => AnimationFormat::Apng,
            FilmKind::Gif => AnimationFormat::Gif,
        }
    }

    fn ending(self) -> &'static str {
        self.format().extension()
    }
}

fn film_bytes(kind: FilmKind, frames: &[crate::Image], rate: f64) -> Result<Vec<u8>> {
    let most = (frames.len() as f64 / rate * BYTES_PER_SECOND).max(LEAST_BYTES);
    Ok(kind.format().encode(frames, rate, most as usize)?)
}

/// What the output is, by its name.
#[derive(Clone, Copy)]
enum Product {
    Page,
    Film(FilmKind),
    Sheet,
}

impl Product {
    fn of(path: &Path) -> Result<Product> {
        let ending = path.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
        match ending.as_str() {
            _ if path.is_dir() || path.to_string_lossy().ends_with(['/', '\\']) => Ok(Product::Page),
            "" => Ok(Product::Page),
            "webp" => Ok(Product::Film(FilmKind::Webp)),
            "apng" => Ok(Product::Film(FilmKind::Apng)),
            "gif" => Ok(Product::Film(FilmKind::Gif)),
            "png" => Ok(Product::Sheet),
            _ => bail!(
                "cannot write '{}': name a folder for a page, or end it in .webp, .apng or .gif for a film, .png for a \
                 sheet",
                path.display()
            ),
        }
    }
}
