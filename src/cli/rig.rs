use super::mesh_args::MeshArgs;
use super::output::Output;
use super::rig_args::{ReportArgs, RigArgs};
use super::rig_summary;
use super::save::{self, is_same_file};
use crate::Image;
use crate::io::rig_file as rig_format;
use crate::io::{self, pinocchio};
use crate::parts::PartsKind;
use crate::pipeline::{Jointed, Laps, Progress, RigReport, Rigged, place_joints};
use crate::preview::{draw_parts, draw_stages, pose_sheet};
use anyhow::{Context, Result, bail};
use clap::Args;
use rayon::prelude::*;
use std::path::{Path, PathBuf};

/// Give a character joints and a skin
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  puppetry rig hero.glb -o rigged.glb -o rigged.json --hint LeftHand=0.61,1.2,0.05"
)]
pub struct RigCommand {
    /// Mesh file: GLB, glTF, OBJ, PLY, STL, OFF or FBX
    #[arg(value_name = "MESH")]
    mesh: PathBuf,
    /// .glb (skinned), .json (rig file) or .out (joint list); repeatable
    #[arg(short, long = "output", value_name = "OUT", required = true)]
    outputs: Vec<PathBuf>,
    /// Draw the skinned character in test poses
    #[arg(long, value_name = "OUT.png")]
    pose_sheet: Option<PathBuf>,
    #[command(flatten)]
    rig: RigArgs,
    #[command(flatten)]
    reports: ReportArgs,
    #[command(flatten)]
    mesh_args: MeshArgs,
}

impl RigCommand {
    pub fn run(&self, output: &mut Output) -> Result<()> {
        let targets = self.outputs.iter().map(|path| Target::of(path)).collect::<Result<Vec<_>>>()?;
        self.check_paths()?;
        let options = self.rig.options(&self.mesh_args)?;
        output.start(1);
        output.begin("reading", 0.0);
        let mut laps = Laps::start();
        let (mesh, warnings) = io::load_parts(&self.mesh, &self.mesh_args.parts())?;
        laps.lap("read");
        let explain = |error| self.rig.explain(error, &self.mesh);
        let mut jointed = place_joints(&mesh, &options, &*output).map_err(explain)?;
        jointed.warnings.splice(0..0, warnings);
        let needs_skin =
            self.pose_sheet.is_some() || targets.iter().any(|target| target.kind == Kind::Skinned);
        let made = match needs_skin {
            true => Made::Rigged(Box::new(jointed.bind(&mesh, &options, &*output).map_err(explain)?)),
            false => Made::Jointed(Box::new(jointed)),
        };
        self.rig.check_confidence(made.jointed(), &self.mesh)?;
        output.begin("writing", 0.8);
        laps.seconds.extend(&made.jointed().laps.seconds);
        laps.restart();
        let mut files = Vec::new();
        for target in &targets {
            files.push(target.content(&made)?);
        }
        laps.lap("write");
        if let (Some(path), Some(rigged)) = (&self.pose_sheet, made.rigged()) {
            let sheet = pose_sheet(&rigged.jointed.prepared, &rigged.weights, &rigged.test_poses());
            files.push((path.clone(), io::write_png(&sheet)));
            laps.lap("pose sheet");
        }
        if let Some(folder) = &self.reports.stages {
            save::make_folder(folder)?;
            files.par_extend(stage_images(folder, made.jointed()).into_par_iter());
            laps.lap("images");
        }
        let quality = self.reports.report.as_ref().and(made.rigged()).map(Rigged::quality);
        if quality.is_some() {
            laps.lap("test poses");
        }
        let jointed = made.jointed();
        let report = RigReport::of(jointed, made.rigged(), quality.as_ref());
        let report = self.rig.phrased(report.with_run(&self.mesh, &self.outputs, &laps.seconds));
        if let Some(path) = &self.reports.report {
            let json = serde_json::to_value(&report).context("cannot write the report")?;
            files.push((path.clone(), io::json_text::lines(&json, 2).into_bytes()));
        }
        save::save_all(&files)?;
        output.summary(rig_summary::summary(&report, jointed, made.rigged()))?;
        rig_summary::attempts(jointed).iter().try_for_each(|line| output.detail(line))?;
        report.seconds.iter().try_for_each(|(part, seconds)| output.lap(part, *seconds))?;
        output.warnings(&self.mesh, &jointed.warnings);
        Ok(())
    }

    /// Refuses outputs that cannot be written or that would overwrite each other or the mesh.
    fn check_paths(&self) -> Result<()> {
        let paths: Vec<&PathBuf> =
            self.outputs.iter().chain(&self.pose_sheet).chain(&self.reports.report).collect();
        for (index, path) in paths.iter().enumerate() {
            save::check(path)?;
            if paths[..index].iter().any(|other| is_same_file(other, path)) {
                bail!("'{}' is given twice; give each output a name of its own", path.display());
            }
            if is_same_file(path, &self.mesh) {
                bail!("'{}' is the mesh itself; give the output another name", path.display());
            }
        }
        let ending = self.pose_sheet.as_deref().map(|path| (path, path.extension().unwrap_or_default()));
        if let Some((path, _)) = ending.filter(|(_, ending)| !ending.eq_ignore_ascii_case("png")) {
            bail!("cannot write '{}': a pose sheet is a PNG picture; end its name in .png", path.display());
        }
        if let Some(folder) =
            self.reports.stages.as_ref().filter(|folder| folder.exists() && !folder.is_dir())
        {
            bail!("'{}' is not a folder; name a folder for the pictures of --stages", folder.display());
        }
        Ok(())
    }
}

/// A file to write, by its ending.
struct Target<'a> {
    path: &'a Path,
    kind: Kind,
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

impl Target<'_> {
    fn of(path: &Path) -> Result<Target<'_>> {
        let ending = path.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
        let kind = match ending.as_str() {
            "glb" => Kind::Skinned,
            "json" => Kind::RigFile,
            "out" => Kind::JointList,
            _ => bail!(
                "cannot write '{}': its ending says nothing; end it in .glb for the skinned character, .json for a rig \
                 file or .out for Pinocchio's joint list",
                path.display()
            ),
        };
        Ok(Target { path, kind })
    }

    /// The bytes of the file; a skinned character is bound if it is asked for.
    fn content(&self, made: &Made) -> Result<(PathBuf, Vec<u8>)> {
        let rig_file = &made.jointed().rig_file;
        let bytes = match (self.kind, made.rigged()) {
            (Kind::Skinned, Some(rigged)) => {
                let glb = rigged.character.document.clone().glb();
                glb.with_context(|| format!("cannot write '{}'", self.path.display()))?
            }
            (Kind::Skinned, None) => bail!("'{}' needs a skin", self.path.display()),
            (Kind::RigFile, _) => rig_format::write(rig_file).into_bytes(),
            // With the tips, because a bone of that format ends at a joint.
            (Kind::JointList, _) => pinocchio::write(&rig_file.skeleton).into_bytes(),
        };
        Ok((self.path.to_owned(), bytes))
    }
}

/// A mesh with joints, bound where a file asks for a skin.
enum Made {
    Jointed(Box<Jointed>),
    Rigged(Box<Rigged>),
}

impl Made {
    fn jointed(&self) -> &Jointed {
        match self {
            Made::Jointed(jointed) => jointed,
            Made::Rigged(rigged) => &rigged.jointed,
        }
    }

    fn rigged(&self) -> Option<&Rigged> {
        match self {
            Made::Jointed(_) => None,
            Made::Rigged(rigged) => Some(rigged),
        }
    }
}

/// An image of each stage of the embedding, and of the contact graph of rigid parts.
fn stage_images(folder: &Path, jointed: &Jointed) -> Vec<(PathBuf, Vec<u8>)> {
    let Some((embedding, stages)) = jointed.joints.found() else { return Vec::new() };
    let mut images: Vec<(&str, Image)> = draw_stages(&jointed.prepared, stages, embedding);
    if let (PartsKind::Rigid, Some(parts)) = (jointed.parts.kind, &jointed.parts.parts) {
        images.extend(draw_parts(&jointed.prepared, parts, &jointed.parts.joint_of_piece));
    }
    let files = images.into_par_iter();
    files.map(|(name, image)| (folder.join(format!("{name}.png")), io::write_png(&image))).collect()
}
