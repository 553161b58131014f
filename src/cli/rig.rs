use super::mesh_args::MeshArgs;
use super::output::Output;
use super::report::Report;
use super::rig_args::{RestArg, RigArgs, placed};
use super::save;
use super::skinned::{pose_sheet, ready, rig_file};
use anyhow::{Context, Result, bail};
use clap::Args;
use puppetry::autorig::{self, AutorigError, Joints, Skinned};
use puppetry::embed::{EmbedOptions, Stages};
use puppetry::io::rig_file::{self as rig_format, RigFile};
use puppetry::io::{self, pinocchio};
use puppetry::math::{Bounds, Vec3};
use puppetry::math::{log10, powi};
use puppetry::mesh::Mesh;
use puppetry::mesh::prepare::{PreparedMesh, prepare};
use puppetry::parts::Kind as PartsKind;
use puppetry::preview::{draw_parts, draw_stages};
use puppetry::skeleton::Skeleton;
use puppetry::{Image, Warning};
use rayon::prelude::*;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Give a character joints and a skin
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  puppetry rig hero.glb -o rigged.glb -o rigged.json --hint LeftHand=0.61,1.2,0.05"
)]
pub struct Rig {
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
    understanding: MeshArgs,
}

/// A rig below this confidence is worth a warning. Among real characters those that went wrong have 0.45 to 0.8 and
/// those that went well 0.7 to 1: much lower, wrong rigs pass in silence; higher, every robe is warned of.
const DOUBTFUL_RIG: f64 = 0.75;
/// A joint below this confidence is worth a warning; the worst joint of a doubtful rig always is.
const DOUBTFUL_JOINT: f64 = 0.4;
/// Doubtful joints that are named in warnings, the worst first; the report has them all.
const NAMED: usize = 3;
/// Parts that an error lists.
const NAMED_PARTS: usize = 12;

impl Rig {
    pub fn run(&self, output: &mut Output) -> Result<()> {
        let targets = self.outputs.iter().map(|path| Target::of(path)).collect::<Result<Vec<_>>>()?;
        self.check_paths()?;
        let skeletons = self.rig.skeletons()?;

        let given = self.rig.joints.as_deref().map(io::load_joints).transpose()?;

        output.start(5);
        let mut clock = Clock::start();
        output.stage("reading");
        let (mesh, mut warnings) = io::load_parts(&self.mesh, &self.understanding.parts())?;
        clock.lap("read");
        output.step();
        let cannot = || format!("cannot rig '{}'", self.mesh.display());
        output.stage("preparing");
        let prepared =
            prepare(&mesh, &self.understanding.prepare_options(), &mut warnings).with_context(cannot)?;
        check_solid(&mesh, &prepared).with_context(cannot)?;
        clock.lap("prepare");
        output.step();
        output.stage("finding the joints");
        let mut joints = find_joints(&self.rig, &self.mesh, given, &skeletons, &mesh, &prepared)?;
        clock.lap(if joints.found().is_some() { "embed" } else { "field" });
        let parts = joints
            .take_apart(&prepared, self.rig.parts, |joint| self.rig.is_hinted(joint))
            .with_context(cannot)?;
        let rig = rig_file(&joints, &prepared);
        clock.lap("parts");
        output.step();
        output.stage("skinning");
        let needs_skin =
            self.pose_sheet.is_some() || targets.iter().any(|target| target.kind == Kind::Skinned);
        let skinned = needs_skin.then(|| Skinned::of(&prepared, &joints, &parts, self.rig.max_influences));
        if skinned.is_some() {
            clock.lap("skin");
        }
        output.step();

        output.stage("writing");
        add_doubts(&rig, joints.found().map(|(_, stages)| stages), &mut warnings);
        let mut files = targets
            .iter()
            .map(|target| target.content(&mesh, &rig, skinned.as_ref(), &self.rig))
            .collect::<Result<Vec<(PathBuf, Vec<u8>)>>>()?;
        clock.lap("write");
        if let (Some(path), Some(skinned)) = (&self.pose_sheet, &skinned) {
            files.push((path.clone(), io::write_png(&pose_sheet(skinned))));
            clock.lap("pose sheet");
        }
        if let (Some(folder), Some((embedding, stages))) = (&self.rig.stages, joints.found()) {
            save::make_folder(folder)?;
            let mut pictures = draw_stages(&prepared, stages, embedding);
            if let (PartsKind::Rigid, Some(taken_apart)) = (parts.kind, &parts.parts) {
                pictures.extend(draw_parts(&prepared, taken_apart, &parts.joint_of_piece));
            }
            let file = |(name, picture): (&str, Image)| {
                (folder.join(format!("{name}.png")), io::write_png(&picture))
            };
            files.par_extend(pictures.into_par_iter().map(file));
            clock.lap("pictures");
        }
        let quality = self.rig.report.as_ref().and(skinned.as_ref()).map(Skinned::quality);
        if quality.is_some() {
            clock.lap("test poses");
        }
        let report = Report {
            file: &self.mesh,
            outputs: &self.outputs,
            is_auto: self.rig.is_auto(),
            rig: &rig,
            prepared: &prepared,
            joints: &joints,
            parts: &parts,
            skinned: skinned.as_ref(),
            quality: quality.as_ref(),
            warnings: &warnings,
            laps: &clock.laps,
        };
        if let Some(path) = &self.rig.report {
            files.push((path.clone(), report.json().into_bytes()));
        }
        save::save_all(&files)?;
        output.step();
        output.summary(report.text().trim_end())?;
        output.detail(report.details().trim_end())?;
        output.warnings(&self.mesh, &warnings);
        Ok(())
    }

    /// Refuses outputs that cannot be written or that would overwrite each other or the mesh.
    fn check_paths(&self) -> Result<()> {
        let paths: Vec<&PathBuf> =
            self.outputs.iter().chain(&self.pose_sheet).chain(&self.rig.report).collect();
        for (index, path) in paths.iter().enumerate() {
            save::check(path)?;
            if paths[..index].iter().any(|other| is_same_file(other, path)) {
                bail!("'{}' is given twice; give each output a name of its own", path.display());
            }
            if is_same_file(path, &self.mesh) {
                bail!("'{}' is the mesh itself; give the output another name", path.display());
            }
        }
        let is_png =
            |path: &&PathBuf| path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("png"));
        if let Some(path) = self.pose_sheet.as_ref().filter(|path| !is_png(path)) {
            bail!("cannot write '{}': a pose sheet is a PNG picture; end its name in .png", path.display());
        }
        if let Some(folder) = self.rig.stages.as_ref().filter(|folder| folder.exists() && !folder.is_dir()) {
            bail!("'{}' is not a folder; name a folder for the pictures of --stages", folder.display());
        }
        Ok(())
    }
}

/// The joints that are given, or else those that are found.
pub fn find_joints(
    args: &RigArgs,
    file: &Path,
    given: Option<Vec<(String, Vec3)>>,
    skeletons: &[Skeleton],
    mesh: &Mesh,
    prepared: &PreparedMesh,
) -> Result<Joints> {
    if let (Some(given), Some(file)) = (given, &args.joints) {
        return placed(given, mesh, prepared)
            .and_then(|given| Ok(Joints::complete(prepared, skeletons, &given)?))
            .with_context(|| format!("cannot take the joints of '{}'", file.display()));
    }
    let hints = args.hints(mesh, prepared, skeletons)?;
    Joints::find(prepared, skeletons, &hints, &EmbedOptions::default())
        .with_context(|| format!("cannot rig '{}'", file.display()))
}

/// Whether two paths name one file, which need not exist.
pub fn is_same_file(a: &Path, b: &Path) -> bool {
    let place = |path: &Path| {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        path.canonicalize().or_else(|_| Ok(folder.canonicalize()?.join(path.file_name().unwrap_or_default())))
    };
    let (a, b): (std::io::Result<PathBuf>, std::io::Result<PathBuf>) = (place(a), place(b));
    a.is_ok_and(|a| b.is_ok_and(|b| a == b))
}

/// A file to write, by its ending.
struct Target<'a> {
    path: &'a Path,
    kind: Kind,
}

/// What an output file is.
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

    /// The bytes of the file; a skinned character is there if it is asked for.
    fn content(
        &self,
        mesh: &Mesh,
        rig: &RigFile,
        skinned: Option<&Skinned>,
        args: &RigArgs,
    ) -> Result<(PathBuf, Vec<u8>)> {
        let bytes = match (self.kind, skinned) {
            (Kind::Skinned, Some(skinned)) => {
                let is_stretched = args.rest == RestArg::TPose;
                let glb =
                    ready(skinned, mesh, args.names.style(), is_stretched).and_then(|it| it.document.glb());
                glb.with_context(|| format!("cannot write '{}'", self.path.display()))?
            }
            (Kind::Skinned, None) => unreachable!("a skinned character is bound before it is written"),
            (Kind::RigFile, _) => rig_format::write(rig).into_bytes(),
            // With the tips, because a bone of that format ends at a joint.
            (Kind::JointList, _) => pinocchio::write(&rig.skeleton).into_bytes(),
        };
        Ok((self.path.to_owned(), bytes))
    }
}

/// Refuses what is not one solid character, and names what could be chosen from several.
pub fn check_solid(mesh: &Mesh, prepared: &PreparedMesh) -> Result<()> {
    let Err(error) = autorig::check_solid(prepared) else { return Ok(()) };
    let mut names: Vec<&str> =
        mesh.parts.iter().map(|part| part.name.as_str()).filter(|name| !name.is_empty()).collect();
    names.dedup();
    names.truncate(NAMED_PARTS);
    match error {
        AutorigError::Several { count } if names.len() > 1 => bail!(
            "it looks like {count} characters side by side; choose what belongs to one with --node: {}",
            names.join(", ")
        ),
        error => Err(error.into()),
    }
}

/// Joints that are worth a warning, the worst first and among equals the outer ones, whose hints settle most; of a
/// symmetric pair the left one.
pub fn doubtful_joints(rig: &RigFile) -> Vec<usize> {
    let joints = &rig.skeleton.joints;
    let is_mirror_image = |joint: usize| rig.symmetric && joints[joint].partner.is_some_and(|p| p < joint);
    let is_inner = |joint: usize| joints.iter().any(|other| other.parent == Some(joint) && !other.is_tip);
    let mut worst: Vec<usize> =
        (0..joints.len()).filter(|&joint| !joints[joint].is_tip && !is_mirror_image(joint)).collect();
    worst.sort_by(|&a, &b| {
        rig.confidences[a].total_cmp(&rig.confidences[b]).then(is_inner(a).cmp(&is_inner(b)))
    });
    let doubtful = worst.partition_point(|&joint| rig.confidences[joint] < DOUBTFUL_JOINT);
    worst.truncate(doubtful.max(usize::from(rig.confidence < DOUBTFUL_RIG)));
    worst
}

/// Where a joint is, with the digits that a person would type: about four of the skeleton's size.
pub fn rounded_place(rig: &RigFile, joint: usize) -> [f32; 3] {
    let size = Bounds::of(rig.skeleton.joints.iter().map(|joint| &joint.position)).diagonal();
    let grains = powi(10.0, 4 - log10(size.max(f64::MIN_POSITIVE)).ceil() as i32);
    let position = rig.skeleton.joints[joint].position;
    position
        .map(|x| if grains.is_normal() { ((x * grains).round() / grains + 0.0) as f32 } else { x as f32 })
        .into()
}

pub fn add_doubts(rig: &RigFile, stages: Option<&Stages>, warnings: &mut Vec<Warning>) {
    if rig.confidence < DOUBTFUL_RIG {
        let landmarks = stages.and_then(|stages| stages.landmarks.as_ref());
        let doubts = landmarks.into_iter().flat_map(|landmarks| &landmarks.doubts);
        let doubts = doubts.map(ToString::to_string).collect();
        let skeleton = rig.skeleton.name.clone();
        warnings.push(Warning::LowConfidence { skeleton, confidence: rig.confidence, doubts });
    }
    for joint in doubtful_joints(rig).into_iter().take(NAMED) {
        warnings.push(Warning::DoubtfulJoint {
            joint: rig.skeleton.joints[joint].name.clone(),
            confidence: rig.confidences[joint],
            position: rounded_place(rig, joint),
        });
    }
}

/// The time that each part of a run takes.
pub struct Clock {
    since: Instant,
    pub laps: Vec<(&'static str, f64)>,
}

impl Clock {
    pub fn start() -> Clock {
        Clock { since: Instant::now(), laps: Vec::new() }
    }

    pub fn lap(&mut self, name: &'static str) {
        self.laps.push((name, self.since.elapsed().as_secs_f64()));
        self.since = Instant::now();
    }
}
