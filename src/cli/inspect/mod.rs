mod mesh;
mod motion;
mod skeleton;

use super::bodyparts;
use super::mesh_args::MeshArgs;
use super::output::{Lines, Output};
use super::remedies::error_text;
use super::save::{self, is_same_file, is_stdout};
use crate::Warning;
use crate::bodyparts::BodyPartLibrary;
use crate::io::{self, Problem, SourceFile, bodyparts_file};
use crate::pipeline::RigOptions;
use crate::pipeline::report::{BodyPartsInspection, FileFailure, Inspection, RigInspection};
use anyhow::{Context, Result, bail};
use clap::Args;
use mesh::MeshFinding;
use motion::MotionFinding;
use skeleton::SkeletonFinding;
use std::path::{Path, PathBuf};

/// Say what a mesh or motion is, and what puppetry will do about it
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  puppetry inspect examples/characters/troll.glb\n  puppetry inspect motions/walk.bvh"
)]
pub struct Inspect {
    /// Meshes, rig files and motions (BVH; GLB, glTF and FBX with --motion)
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// One JSON object a line
    #[arg(long, help_heading = "What is said")]
    json: bool,
    /// Look at the animation of a GLB, glTF or FBX file, not at its mesh
    #[arg(long, help_heading = "What is said")]
    motion: bool,
    /// For motions: the skeleton that they are mapped to [default: as the motion is]
    #[arg(long, value_name = "NAME|FILE", help_heading = "What is said")]
    skeleton: Option<String>,
    /// For motions: map joints as this file says, not as found
    #[arg(long, value_name = "FILE", help_heading = "What is said")]
    map: Option<PathBuf>,
    /// For motions: write the joint map to a file, to be corrected for --map
    #[arg(long, value_name = "FILE", conflicts_with = "json", help_heading = "What is said")]
    save_map: Option<PathBuf>,
    #[command(flatten)]
    mesh: MeshArgs,
}

/// What is known about a file.
enum FileFinding<'a> {
    Mesh(Box<MeshFinding<'a>>),
    Motion(Box<MotionFinding<'a>>),
    /// A library of body parts.
    BodyParts(&'a Path, Box<BodyPartLibrary>),
    /// Joints without a mesh: a rig file, clips.
    Skeleton(&'a Path, Box<SkeletonFinding>),
}

impl FileFinding<'_> {
    fn lines(&self) -> Lines {
        match self {
            FileFinding::Mesh(finding) => finding.lines(),
            FileFinding::Motion(finding) => finding.lines(),
            FileFinding::BodyParts(file, library) => bodyparts::lines(file, library),
            FileFinding::Skeleton(file, finding) => {
                let mut lines = Lines::about(file.display());
                finding.add_lines(&mut lines);
                finding.add_tree(&mut lines);
                lines
            }
        }
    }

    fn inspection(&self) -> Inspection {
        match self {
            FileFinding::Mesh(finding) => Inspection::Mesh(Box::new(finding.inspection())),
            FileFinding::Motion(finding) => Inspection::Motion(Box::new(finding.inspection())),
            FileFinding::BodyParts(file, library) => {
                Inspection::BodyParts(Box::new(BodyPartsInspection::of(file, library)))
            }
            FileFinding::Skeleton(file, finding) => Inspection::Rig(Box::new(RigInspection {
                file: file.to_string_lossy().into_owned(),
                kind: "skeleton",
                skeleton: finding.inspection(),
            })),
        }
    }

    fn warnings(&self) -> &[Warning] {
        match self {
            FileFinding::Mesh(finding) => &finding.warnings,
            FileFinding::Motion(finding) => &finding.warnings,
            FileFinding::Skeleton(..) | FileFinding::BodyParts(..) => &[],
        }
    }
}

impl Inspect {
    pub fn run(&self, output: &mut Output) -> Result<()> {
        self.check_map()?;
        output.start(self.files.len());
        for (index, file) in self.files.iter().enumerate() {
            output.stage(file.display());
            match self.inspect(file) {
                Ok(finding) if self.json => output.result(json_line(&finding.inspection())?)?,
                Ok(finding) => {
                    let gap = if index > 0 { "\n" } else { "" };
                    output.result(format_args!("{gap}{}", finding.lines()))?;
                    output.warnings(file, finding.warnings());
                    if let Err(error) = self.write_map(&finding, output) {
                        output.failure(&error);
                    }
                }
                Err(error) => {
                    if self.json {
                        let (file, error) = (file.to_string_lossy().into(), error_text(error.as_ref()));
                        output.result(json_line(&Inspection::Error(FileFailure { file, error }))?)?;
                    }
                    output.failure(&error);
                }
            }
            output.step();
        }
        Ok(())
    }

    /// Before any slow work: whether the map can be written, without overwriting an input.
    fn check_map(&self) -> Result<()> {
        let Some(path) = &self.save_map else { return Ok(()) };
        if is_stdout(path) {
            bail!("--save-map writes a file, and standard output carries what is said; name a file");
        }
        if self.files.len() > 1 {
            bail!("--save-map writes the map of one motion; give one motion");
        }
        if self.files.iter().chain(&self.map).any(|input| is_same_file(input, path)) {
            bail!("'{}' is an input of this run; give the map another name", path.display());
        }
        save::check(path)
    }

    /// Writes the map of a motion, if that is asked for.
    fn write_map(&self, finding: &FileFinding, output: &mut Output) -> Result<()> {
        match (&self.save_map, finding) {
            (None, _) => Ok(()),
            (Some(path), FileFinding::Motion(motion)) => output.save(&[(path, motion.map_file())]),
            (Some(_), FileFinding::Mesh(_) | FileFinding::Skeleton(..) | FileFinding::BodyParts(..)) => {
                bail!(
                    "'{}' is no motion, so it has no map to save; if its animation is meant, add --motion",
                    self.files[0].display()
                )
            }
        }
    }

    fn inspect<'a>(&self, file: &'a Path) -> Result<FileFinding<'a>> {
        if self.motion {
            return self.inspect_motion(file);
        }
        if file.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("parts")) {
            let library = bodyparts_file::load(file)?;
            return Ok(FileFinding::BodyParts(file, Box::new(library)));
        }
        let source = SourceFile::open(file)?;
        // A mesh without joints, or with several characters of which none was chosen, is a mesh.
        let rigged = source.is_rigged().then(|| source.rigged(None).ok()).flatten();
        let skeleton = rigged.map(|(rigged, _)| SkeletonFinding::new(rigged));
        match (source.into_mesh(&self.mesh.parts()), skeleton) {
            (Ok((mesh, warnings)), skeleton) => {
                let options = RigOptions { prepare: self.mesh.prepare_options(), ..RigOptions::default() };
                let finding = MeshFinding::new(file, mesh, warnings, &options, skeleton)?;
                Ok(FileFinding::Mesh(Box::new(finding)))
            }
            (Err(_), Some(skeleton)) => Ok(FileFinding::Skeleton(file, Box::new(skeleton))),
            (Err(error), None) if matches!(error.fault.problem, Problem::NotAMesh(_)) => {
                self.inspect_motion(file)
            }
            (Err(error), None) => Err(error.into()),
        }
    }

    fn inspect_motion<'a>(&self, file: &'a Path) -> Result<FileFinding<'a>> {
        let (motion, warnings) = io::load_motion(file)?;
        let options = motion::MotionOptions {
            up: self.mesh.prepare_options().orientation.up,
            skeleton: self.skeleton.as_deref(),
            map: self.map.as_deref(),
        };
        let finding = MotionFinding::new(file, motion, warnings, &options)?;
        Ok(FileFinding::Motion(Box::new(finding)))
    }
}

fn json_line(inspection: &Inspection) -> Result<String> {
    serde_json::to_string(inspection).context("cannot write JSON")
}
