use super::batch::{Batch, BatchArgs, Finished, Verdict};
use super::destination::{Destination, Outputs, make_folders};
use super::mesh_args::MeshArgs;
use super::meshes::find_meshes;
use super::output::{Output, sentence};
use super::rig_args::{ReportArgs, RigArgs};
use super::rig_summary;
use super::rigging::{Made, Rigging, Wanted, save_stages};
use super::save::is_stdout;
use crate::io::rig_file as rig_format;
use crate::io::{self, pinocchio};
use crate::pipeline::{Laps, Progress, RigOptions, RigReport, Rigged, WrittenFile};
use crate::preview::pose_sheet;
use anyhow::{Context, Result, bail};
use clap::Args;
use std::path::{Path, PathBuf};

/// Give characters joints and a skin
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  puppetry rig hero.glb -o rigged.glb -o rigged.json --hint LeftHand=0.61,1.2,0.05\n  puppetry rig characters/ -o rigged/"
)]
pub struct RigCommand {
    /// Meshes (GLB, glTF, OBJ, PLY, STL, OFF or FBX), or folders of them
    #[arg(value_name = "MESH|DIR", required = true)]
    meshes: Vec<PathBuf>,
    /// .glb, .json (rig file), .out (joint list), a folder (out/) or -; repeatable
    #[arg(short, long = "output", value_name = "OUT", required = true, help_heading = "What is written")]
    outputs: Vec<PathBuf>,
    /// What goes into folders and to standard output (-) [default: glb]
    #[arg(long, value_name = "ENDING", hide_short_help = true, help_heading = "What is written")]
    format: Option<String>,
    /// Draw the skinned character in test poses
    #[arg(long, value_name = "OUT.png", help_heading = "What is written")]
    pose_sheet: Option<PathBuf>,
    #[command(flatten)]
    rig: RigArgs,
    #[command(flatten)]
    reports: ReportArgs,
    #[command(flatten)]
    batch: BatchArgs,
    #[command(flatten)]
    mesh_args: MeshArgs,
}

impl RigCommand {
    pub fn run(&self, output: &mut Output) -> Result<()> {
        let meshes = find_meshes(&self.meshes, &self.outputs)?;
        let outputs = Outputs {
            outputs: &self.outputs,
            format: self.format.as_deref(),
            is_known: |path| Kind::of(path).is_some(),
            endings: ".glb for the skinned character, .json for a rig file or .out for Pinocchio's joint list",
        };
        let destinations = outputs.of_all(&meshes)?;
        self.check_pictures(meshes.len())?;
        self.rig.check_examples(meshes.len())?;
        let batch = Batch { files: &meshes, args: &self.batch, report: self.reports.report.as_deref() };
        batch.check(&destinations, self.pose_sheet.as_deref(), output)?;
        if self.outputs.iter().any(|output| is_stdout(output)) {
            output.carry("a file")?;
        }
        let options = self.rig.options(&self.mesh_args)?;
        let drawn = (&self.pose_sheet, &self.reports.stages);
        let how = format!("{:?} {options:?} {:?} {drawn:?}", self.rig, self.mesh_args);
        batch.each(output, &destinations, &batch.fingerprint(&how), |number, output| {
            self.one(&batch, number, &destinations[number], &options, output)
        })
    }

    /// Rigs a mesh and writes what was asked for; of one that is refused only what shows why.
    fn one(
        &self,
        batch: &Batch,
        number: usize,
        destinations: &[Destination],
        options: &RigOptions,
        output: &mut Output,
    ) -> Result<Finished> {
        let mesh_file = &batch.files[number];
        output.begin("reading", 0.0);
        let mut laps = Laps::start();
        let (mesh, warnings) = io::load_parts(mesh_file, &self.mesh_args.parts())?;
        laps.lap("read");
        let Rigging { mut made, refusal } =
            self.rig.rig((mesh_file, &mesh), options, self.wanted(destinations), output)?;
        made.jointed_mut().warnings.splice(0..0, warnings);
        output.begin("writing", 0.8);
        laps.seconds.extend(&made.jointed().laps.seconds);
        laps.restart();
        let mut files = Vec::new();
        if refusal.is_none() {
            for destination in destinations {
                files.push((destination.shown(), content(&destination.path, &made)?));
            }
            laps.lap("write");
        }
        if let (Some(path), Some(rigged), None) = (&self.pose_sheet, made.rigged(), &refusal) {
            let sheet = pose_sheet(&rigged.jointed.prepared, &rigged.shared_weights, &rigged.test_poses());
            files.push((path.clone(), io::write_png(&sheet)));
            laps.lap("pose sheet");
        }
        if let Some(folder) = &self.reports.stages {
            save_stages(folder, made.jointed())?;
            laps.lap("images");
        }
        let wants_report = batch.wants_report();
        let quality = made.rigged().filter(|_| wants_report).map(Rigged::quality);
        if quality.is_some() {
            laps.lap("test poses");
        }
        let jointed = made.jointed();
        let written: Vec<PathBuf> = match refusal {
            None => destinations.iter().map(Destination::shown).collect(),
            Some(_) => Vec::new(),
        };
        let report = RigReport::of(jointed, made.rigged(), quality.as_ref());
        let report = self.rig.phrased(report.with_run(mesh_file, &written, &laps.seconds));
        let report = RigReport { refused: refusal.as_ref().map(sentence), ..report };
        if refusal.is_none() {
            make_folders(destinations)?;
        }
        output.save(&files)?;
        if let Some(why) = refusal {
            output.warnings_of_refused(mesh_file, &jointed.warnings);
            let picture = self.batch.picture_of_refused(jointed);
            let finished = Finished::of(&report, Verdict::Refused(why), jointed.confidence())?;
            return Ok(Finished { picture, ..finished });
        }
        output.summary(rig_summary::summary(&report, jointed, made.rigged()))?;
        rig_summary::attempts(jointed).iter().try_for_each(|line| output.detail(line))?;
        report.seconds.iter().try_for_each(|(part, seconds)| output.lap(part, *seconds))?;
        output.warnings(mesh_file, &jointed.warnings);
        let verdict = if jointed.is_doubtful() { Verdict::Doubtful } else { Verdict::Written };
        let written = files.iter().map(|(path, bytes)| WrittenFile::new(path, bytes)).collect();
        let picture = made.rigged().and_then(|rigged| batch.picture(&rigged.character));
        Ok(Finished { written, picture, ..Finished::of(&report, verdict, jointed.confidence())? })
    }

    /// A skin is needed by a GLB and by images of it.
    fn wanted(&self, destinations: &[Destination]) -> Wanted {
        let has_skin = |destination: &Destination| Kind::of(&destination.path) == Some(Kind::Skinned);
        let is_drawn = self.pose_sheet.is_some() || self.batch.sheet.is_some();
        match is_drawn || destinations.iter().any(has_skin) {
            true => Wanted::Skin,
            false => Wanted::Joints,
        }
    }

    /// Refuses pictures that cannot be drawn.
    fn check_pictures(&self, meshes: usize) -> Result<()> {
        let ending = self.pose_sheet.as_deref().map(|path| (path, path.extension().unwrap_or_default()));
        if let Some((path, _)) = ending.filter(|(_, ending)| !ending.eq_ignore_ascii_case("png")) {
            bail!("cannot write '{}': a pose sheet is a PNG picture; end its name in .png", path.display());
        }
        if meshes > 1 && self.pose_sheet.is_some() {
            bail!("--pose-sheet shows one character; give one mesh");
        }
        self.reports.check(meshes)
    }
}

/// The kind of an output file.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    /// `.glb`
    Skinned,
    /// `.json`
    RigFile,
    /// `.out`
    JointList,
}

impl Kind {
    /// By the ending of its name.
    fn of(path: &Path) -> Option<Kind> {
        let ending = path.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
        match ending.as_str() {
            "glb" => Some(Kind::Skinned),
            "json" => Some(Kind::RigFile),
            "out" => Some(Kind::JointList),
            _ => None,
        }
    }
}

/// The bytes of an output.
fn content(path: &Path, made: &Made) -> Result<Vec<u8>> {
    let rig_file = &made.jointed().rig_file;
    match (Kind::of(path), made.rigged()) {
        (Some(Kind::RigFile), _) => Ok(rig_format::write(rig_file).into_bytes()),
        // With the tips, because a bone of that format ends at a joint.
        (Some(Kind::JointList), _) => Ok(pinocchio::write(&rig_file.skeleton).into_bytes()),
        (_, Some(rigged)) => {
            let glb = rigged.character.document.clone().glb();
            glb.with_context(|| format!("cannot write '{}'", path.display()))
        }
        (_, None) => bail!("'{}' needs a skin", path.display()),
    }
}
