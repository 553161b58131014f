//! The page of a motion library. What an earlier run drew is kept if nothing has changed.

use super::super::args::quoted_path;
use super::super::output::{Output, counted};
use super::super::record::{self, Fingerprint};
use super::super::remedies::error_text;
use super::super::save;
use super::characters::{Characters, DrawnCharacter};
use super::descriptions::Descriptions;
use super::library::{self, Entry, Library};
use super::{MAX_SECONDS, Preview, animation_bytes, stale_files};
use crate::io::{self, Problem};
use crate::pipeline::{Error, MotionSource};
use crate::preview::gallery::{self, Bake, GalleryClip, GalleryFailure};
use crate::preview::{
    AnimatedCharacter, AnimationOptions, AnimationRenderer, Background, PreviewFacts, contact_sheet,
};
use crate::retarget::{Source, SourceOptions};
use anyhow::{Context, Result, bail};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Frames a second of the models of a page, at most.
const MODEL_RATE: f64 = 30.0;
/// A stage between light and dark, for pages of either: a lighter one glares on a dark page, on a darker one blue trousers and
/// the shadow are lost. Without a stage of its own, for the page to give it one, an animation takes six times the bytes: its
/// shadow is half transparent, which WebP keeps without loss.
const STAGE: Background = Background::Gradient([160, 168, 178], [192, 198, 206]);
/// Raised when clips of the same motions look otherwise or know more than before.
const EDITION: u32 = 8;
/// Folders of a page.
pub const FOLDERS: [&str; 3] = ["media", "data", "models"];
/// How often the list of a page that is being made is written: whoever opens it sees what there is.
const LIST_EVERY: Duration = Duration::from_secs(10);

impl Preview {
    /// Makes the page of a library.
    pub fn page(&self, output: &mut Output) -> Result<()> {
        self.look.film.check()?;
        let Library { entries, closed } = library::find(&self.motions, &self.output)?;
        let characters = self.characters(output)?;
        if self.character.is_some() {
            // One that is refused leaves no page.
            characters.by_number(0)?;
        }
        let descriptions = self.descriptions(&entries)?;
        let folders = FOLDERS.map(|name| self.output.join(name));
        folders.iter().try_for_each(|folder| save::make_folder(folder))?;
        // Before any slow work it is known whether anything can be written.
        let title = self.title();
        save::save_all(&[(self.output.join("index.html"), gallery::page(&title))])?;
        let mut page = Page::new(&self.output, self.bake());
        if !page.list.exists() {
            page.save_list(entries.len())?;
        }
        closed.into_iter().for_each(|(folder, error)| page.fail(folder, error));

        output.start_long(entries.len());
        for (number, entry) in entries.iter().enumerate() {
            output.stage(&entry.shown);
            match self.clips(entry, &characters) {
                Ok(mut drawn) => {
                    self.describe(&mut drawn.clips, entry, &descriptions);
                    page.add(drawn, &characters)?;
                }
                Err(error) => page.fail(entry.shown.clone(), error),
            }
            output.step();
            if page.listed.elapsed() > LIST_EVERY {
                page.save_list(entries.len() - 1 - number)?;
            }
        }
        page.save_list(0)?;
        let kept = page.clips.iter().map(|clip| clip.id.as_str());
        stale_files::remove(&self.output, kept, self.look.film.extension());
        characters.tell(output);
        self.tell_unused(&descriptions, &entries, &page.clips, output);
        page.clips.iter().try_for_each(|clip| output.record(clip))?;
        for (failure, error) in page.failures.iter().zip(&page.errors) {
            output.record(failure)?;
            output.failure(error);
        }
        if page.clips.is_empty() {
            let why = match page.misfits {
                0 => "",
                _ => ": they are of another kind of body than the character; give another one, or --any-body",
            };
            bail!("none of the {} motions could be shown{why}", entries.len());
        }
        output.summary(page.summary())
    }

    /// The clips of a file as the page lists them; none for a file in a folder that holds no motion, as characters do.
    fn clips(&self, entry: &Entry, characters: &Characters) -> Result<DrawnFile> {
        let hash = self.hash(&entry.content()?, characters);
        let record = self.output.join(format!("data/{}.json", entry.id));
        if let Some(DrawnClips { clips, misfits }) = self.drawn_before(&record, &hash) {
            // The character's model is written when it is rigged.
            clips.iter().try_for_each(|clip| characters.by_number(clip.character).map(|_| ()))?;
            return Ok(DrawnFile { clips, misfits, is_new: false, failed: Vec::new() });
        }
        let mut drawn = DrawnFile { clips: Vec::new(), misfits: 0, is_new: true, failed: Vec::new() };
        let (motions, repairs) = match characters.suited(&entry.source)?.motions() {
            Err(error) if entry.may_be_still() && matches!(error.fault.problem, Problem::NoAnimation) => {
                return Ok(drawn);
            }
            motions => motions?,
        };
        let is_pack = motions.len() > 1;
        let options = self.clips.options()?;
        // What was repaired in the file is said once.
        let mut repairs = repairs.iter().map(ToString::to_string).collect::<Vec<_>>();
        for (number, (name, motion)) in motions.iter().enumerate() {
            let shown = if is_pack { format!("{}: {name}", entry.shown) } else { entry.shown.clone() };
            let source = Source::of(motion, &SourceOptions::default());
            let character = characters.for_motion(source.figure.is_quadruped())?;
            let (animated, warnings) = match character.animated(motion, &options) {
                Ok(animated) => animated,
                Err(Error::OtherBody { .. }) => {
                    drawn.misfits += 1;
                    continue;
                }
                Err(error) => {
                    let error = anyhow::Error::from(error).context(format!("cannot show '{shown}'"));
                    drawn.failed.push((shown, error));
                    continue;
                }
            };
            let mut notes = std::mem::take(&mut repairs);
            notes.extend(warnings.iter().map(ToString::to_string));
            let id = entry.id_of_clip(number);
            let files = self.media(&id, &animated).with_context(|| format!("cannot show '{shown}'"))?;
            save::save_all(&files)?;
            drawn.clips.push(GalleryClip {
                id,
                name: name.clone(),
                folder: String::new(),
                description: String::new(),
                motion: String::new(),
                output: String::new(),
                convention: source.figure.roles.convention.map(str::to_owned),
                frames_per_second: 1.0 / motion.frame_seconds,
                loops: animated.loops,
                animation: self.look.film.extension().to_owned(),
                character: characters.number(source.figure.is_quadruped()),
                hips: character.character.rig.joints[character.drawn.hips].name.clone(),
                facts: PreviewFacts::of(&animated, notes),
            });
        }
        // The record comes last: with it all other files are there.
        if drawn.failed.is_empty() {
            let (clips, misfits) = (drawn.clips.clone(), drawn.misfits);
            save::save_all(&[(record, record::bytes(&hash, DrawnClips { clips, misfits })?)])?;
        }
        Ok(drawn)
    }

    /// Says of clips what their file and the index say: a record knows only what was seen, and a file may have moved.
    fn describe(&self, clips: &mut [GalleryClip], entry: &Entry, descriptions: &Descriptions) {
        let count = clips.len();
        for clip in clips {
            if count == 1 {
                clip.name.clone_from(&entry.name);
            }
            clip.folder = entry.folder_of_clips(count);
            clip.description = descriptions.of(entry, &clip.name).unwrap_or_default().to_owned();
            clip.motion = match &entry.source {
                MotionSource::BuiltIn(known) => known.name.to_owned(),
                MotionSource::File(path) => quoted_path(path),
            };
            clip.output = quoted_path(Path::new(&format!("{}.glb", entry.name)));
            clip.tag_by_words();
        }
    }

    /// What motions are said to show, which concerns some of them.
    fn descriptions(&self, entries: &[Entry]) -> Result<Descriptions> {
        let Some(path) = &self.names_file else { return Ok(Descriptions::default()) };
        let descriptions = Descriptions::read(path)?;
        descriptions.check(entries, path)?;
        Ok(descriptions)
    }

    /// Counts what an index describes that is not on the page: a few such lines are misspelled, many are of another library.
    fn tell_unused(
        &self,
        descriptions: &Descriptions,
        entries: &[Entry],
        clips: &[GalleryClip],
        output: &mut Output,
    ) {
        let unused = descriptions.unused(entries, clips.iter().map(|clip| clip.name.as_str()));
        if let (Some(path), 1..) = (&self.names_file, unused) {
            let path = path.display();
            output.remark(
                format_args!("'{path}': lines that describe no motion of this page: {unused}"),
                "unused-names",
            );
        }
    }

    /// The command that bakes motions onto the character, as one types it.
    fn bake(&self) -> Bake {
        let character = self.character.as_deref();
        let name =
            character.and_then(Path::file_stem).map_or("character".into(), |name| name.to_string_lossy());
        Bake {
            command: format!("puppetry animate {}", character.map_or("CHARACTER.glb".into(), quoted_path)),
            output: quoted_path(Path::new(&format!("{name}_animated.glb"))),
            flags: self.as_typed().iter().map(|flag| format!(" {flag}")).collect(),
        }
    }

    /// Thumbnail, animation, contact sheet and model of a clip.
    fn media(&self, id: &str, animated: &AnimatedCharacter) -> Result<Vec<(PathBuf, Vec<u8>)>> {
        let options = AnimationOptions { background: STAGE, ..self.look.options() };
        let renderer = AnimationRenderer::new(animated, &options);
        let (frames, rate) = renderer.animation(MAX_SECONDS);
        let animation = animation_bytes(self.look.film, &frames, rate)?;
        drop(frames);
        // Players interpolate: more keys than the animation has frames make the page heavier, not smoother.
        let step = (animated.frames_per_second / MODEL_RATE).ceil().max(1.0) as usize;
        let poses: Vec<_> = animated.poses.iter().step_by(step).cloned().collect();
        let joints = &animated.character.joints;
        let glb = io::write_motion_glb(joints, &poses, animated.frames_per_second / step as f64)?;
        let [thumbnail, film, sheet] = self.media_paths(id);
        Ok(vec![
            (thumbnail, io::write_png(&renderer.thumbnail())),
            (film, animation),
            (sheet, io::write_png(&contact_sheet(animated, Background::Transparent))),
            (self.model_path(id), gallery::model_script(id, &glb).into_bytes()),
        ])
    }

    fn media_paths(&self, id: &str) -> [PathBuf; 3] {
        let film = self.look.film.extension();
        [format!("{id}.png"), format!("{id}-film.{film}"), format!("{id}-sheet.png")]
            .map(|name| self.output.join("media").join(name))
    }

    fn model_path(&self, id: &str) -> PathBuf {
        self.output.join(format!("models/{id}.js"))
    }

    /// What decides how a clip looks: a change of any of it draws it again.
    fn hash(&self, motion: &[u8], characters: &Characters) -> String {
        let mut fingerprint = Fingerprint::new(EDITION);
        fingerprint.add(motion);
        fingerprint.add(&characters.content);
        fingerprint.add(&format!("{:?} {:?} {:?}", self.character, self.look, self.as_typed()));
        fingerprint.text()
    }

    /// The clips of an earlier run, if nothing has changed and their files are there.
    fn drawn_before(&self, record: &Path, hash: &str) -> Option<DrawnClips> {
        let drawn: DrawnClips = record::read(record, hash)?;
        let has_files = |GalleryClip { id, .. }: &GalleryClip| {
            self.media_paths(id).iter().all(|path| path.is_file()) && self.model_path(id).is_file()
        };
        drawn.clips.iter().all(has_files).then_some(drawn)
    }

    fn title(&self) -> String {
        let first = self.motions.first().and_then(|path| path.file_name());
        first.map_or("motions".into(), |name| name.to_string_lossy().into_owned())
    }
}

/// The clips that a run made of a file.
#[derive(Serialize, Deserialize)]
struct DrawnClips {
    clips: Vec<GalleryClip>,
    misfits: usize,
}

/// The clips of a file.
struct DrawnFile {
    clips: Vec<GalleryClip>,
    /// How many of its motions are of another kind of body than the character.
    misfits: usize,
    is_new: bool,
    /// Motions in it that could not be shown, and why.
    failed: Vec<(String, anyhow::Error)>,
}

/// A page while it is made.
struct Page<'a> {
    folder: &'a Path,
    list: PathBuf,
    bake: Bake,
    clips: Vec<GalleryClip>,
    failures: Vec<GalleryFailure>,
    errors: Vec<anyhow::Error>,
    /// Clips that were drawn now.
    drawn: usize,
    /// Files without a motion.
    still: usize,
    /// Motions of another kind of body than the character.
    misfits: usize,
    /// How many of the characters have their model on the page.
    models: usize,
    listed: Instant,
}

impl<'a> Page<'a> {
    fn new(folder: &'a Path, bake: Bake) -> Page<'a> {
        Page {
            folder,
            list: folder.join("data/clips.js"),
            bake,
            clips: Vec::new(),
            failures: Vec::new(),
            errors: Vec::new(),
            drawn: 0,
            still: 0,
            misfits: 0,
            models: 0,
            listed: Instant::now(),
        }
    }

    fn add(&mut self, file: DrawnFile, characters: &Characters) -> Result<()> {
        self.still += usize::from(file.clips.is_empty() && file.failed.is_empty() && file.misfits == 0);
        self.misfits += file.misfits;
        self.drawn += if file.is_new { file.clips.len() } else { 0 };
        self.clips.extend(file.clips);
        file.failed.into_iter().for_each(|(shown, error)| self.fail(shown, error));
        if characters.rigged().count() > self.models {
            self.models = characters.rigged().count();
            let model = |(number, character): (usize, &DrawnCharacter)| {
                let script = gallery::model_script(&format!("character{number}"), &character.glb);
                (self.folder.join(format!("models/character{number}.js")), script.into_bytes())
            };
            save::save_all(&characters.rigged().map(model).collect::<Vec<_>>())?;
        }
        Ok(())
    }

    fn fail(&mut self, file: String, error: anyhow::Error) {
        let reason = error.chain().map(error_text).collect::<Vec<_>>().join(": ");
        self.failures.push(GalleryFailure { file, reason });
        self.errors.push(error);
    }

    /// Writes the list of what there is, of which so much is still to come.
    fn save_list(&mut self, left: usize) -> Result<()> {
        self.listed = Instant::now();
        let script = gallery::list_script(&self.clips, &self.failures, left, &self.bake);
        save::save_all(&[(&self.list, script)])
    }

    fn summary(&self) -> String {
        let page = self.folder.join("index.html");
        let clips = counted(self.clips.len(), "clip");
        let still = match self.still {
            0 => String::new(),
            count => format!(", {} without a motion left out", counted(count, "file")),
        };
        let misfits = match self.misfits {
            0 => String::new(),
            count => format!(", {} of another kind of body left out", counted(count, "motion")),
        };
        let (drawn, failed) = (self.drawn, self.failures.len());
        format!(
            "{}: {clips}, {drawn} of them drawn now{still}{misfits}, {failed} could not be shown",
            page.display()
        )
    }
}
