use super::mesh_args::MeshArgs;
use super::output::Output;
use super::report::Report;
use super::rig_args::RigArgs;
use super::save;
use anyhow::{Context, Result, bail};
use clap::Args;
use puppetry::embed::{EmbedOptions, Embedding, Stages, embed};
use puppetry::io::rig_file::{self, RigFile};
use puppetry::io::{self, pinocchio};
use puppetry::math::{Bounds, Vec3};
use puppetry::mesh::TriangleTree;
use puppetry::mesh::bodies::count_bodies;
use puppetry::mesh::prepare::{PreparedMesh, prepare};
use puppetry::preview::draw_stages;
use puppetry::skeleton::{Skeleton, Sole, find_soles};
use puppetry::{Picture, Warning, skeleton};
use rayon::prelude::*;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Find the joints of a character
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  puppetry rig hero.glb -o hero.json --stages pictures --hint LeftHand=0.61,1.2,0.05"
)]
pub struct Rig {
    /// Mesh file: GLB, glTF, OBJ, PLY, STL, OFF or FBX
    #[arg(value_name = "MESH")]
    mesh: PathBuf,
    /// Output: .json (a rig file) or .out (Pinocchio's joint list); repeatable
    #[arg(short, long = "output", value_name = "OUT", required = true)]
    outputs: Vec<PathBuf>,
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
/// What is thinner than this part of its longest side has no inside for joints.
const FLAT: f64 = 0.005;
/// Doubtful joints that are named in warnings, the worst first; the report has them all.
const NAMED: usize = 3;

impl Rig {
    pub fn run(&self, output: &mut Output) -> Result<()> {
        let targets = self.outputs.iter().map(|path| Target::of(path)).collect::<Result<Vec<_>>>()?;
        self.check_paths()?;
        let skeletons = self.rig.skeletons()?;

        output.start(4);
        let mut clock = Clock::start();
        output.stage("reading");
        let (mesh, mut warnings) = io::load_mesh(&self.mesh)?;
        clock.lap("read");
        output.step();
        let cannot = || format!("cannot rig '{}'", self.mesh.display());
        output.stage("preparing");
        let prepared =
            prepare(&mesh, &self.understanding.prepare_options(), &mut warnings).with_context(cannot)?;
        check_solid(&prepared).with_context(cannot)?;
        let tree = TriangleTree::new(&prepared.positions, &prepared.triangles);
        let hints = self.rig.hints(&mesh, &prepared, &skeletons)?;
        clock.lap("prepare");
        output.step();
        output.stage("finding the joints");
        let (embedding, stages) =
            embed(&prepared, &tree, &skeletons, &hints, &EmbedOptions::default()).with_context(cannot)?;
        let rig = rig_of(&prepared, &embedding, &stages);
        clock.lap("embed");
        output.step();

        output.stage("writing");
        add_doubts(&rig, &stages, &mut warnings);
        let mut files: Vec<(PathBuf, Vec<u8>)> = targets.iter().map(|target| target.content(&rig)).collect();
        if let Some(folder) = &self.rig.stages {
            save::make_folder(folder)?;
            let pictures = draw_stages(&prepared, &stages, &embedding);
            let file = |(name, picture): (&str, Picture)| {
                (folder.join(format!("{name}.png")), io::write_png(&picture))
            };
            files.par_extend(pictures.into_par_iter().map(file));
            clock.lap("pictures");
        }
        let report = Report {
            file: &self.mesh,
            outputs: &self.outputs,
            is_auto: self.rig.is_auto(),
            rig: &rig,
            prepared: &prepared,
            embedding: &embedding,
            stages: &stages,
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
        let paths: Vec<&PathBuf> = self.outputs.iter().chain(&self.rig.report).collect();
        for (index, path) in paths.iter().enumerate() {
            save::check(path)?;
            if paths[..index].iter().any(|other| is_same_file(other, path)) {
                bail!("'{}' is given twice; give each output a name of its own", path.display());
            }
            if is_same_file(path, &self.mesh) {
                bail!("'{}' is the mesh itself; give the output another name", path.display());
            }
        }
        if let Some(folder) = self.rig.stages.as_ref().filter(|folder| folder.exists() && !folder.is_dir()) {
            bail!("'{}' is not a folder; name a folder for the pictures of --stages", folder.display());
        }
        Ok(())
    }
}

/// Whether two paths name one file, which need not exist.
fn is_same_file(a: &Path, b: &Path) -> bool {
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
#[derive(Clone, Copy)]
enum Kind {
    /// `.json`
    RigFile,
    /// `.out`
    JointList,
}

impl Target<'_> {
    fn of(path: &Path) -> Result<Target<'_>> {
        let ending = path.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
        let kind = match ending.as_str() {
            "json" => Kind::RigFile,
            "out" => Kind::JointList,
            _ => bail!(
                "cannot write '{}': its ending says nothing; end it in .json for a rig file or .out for \
                 Pinocchio's joint list",
                path.display()
            ),
        };
        Ok(Target { path, kind })
    }

    fn content(&self, rig: &RigFile) -> (PathBuf, Vec<u8>) {
        let text = match self.kind {
            Kind::RigFile => rig_file::write(rig),
            // With the tips, because a bone of that format ends at a joint.
            Kind::JointList => pinocchio::write(&rig.skeleton),
        };
        (self.path.to_owned(), text.into_bytes())
    }
}

/// Refuses what is not one solid character.
fn check_solid(prepared: &PreparedMesh) -> Result<()> {
    let corners = prepared.triangles.iter().flatten().map(|&v| &prepared.positions[v as usize]);
    let extent = Bounds::of(corners).extent();
    if extent.min() < FLAT * extent.max() {
        bail!("it is flat, so joints have no place in it; give it a thickness");
    }
    match count_bodies(prepared) {
        1 => Ok(()),
        count => bail!("it looks like {count} characters side by side; save each in a file of its own"),
    }
}

/// The joints in the coordinates of the mesh file, with the soles below them.
fn rig_of(prepared: &PreparedMesh, embedding: &Embedding, stages: &Stages) -> RigFile {
    let input_from_unit = prepared.unit_from_input.inverse();
    let input = |point: &Vec3| input_from_unit.transform_point(&(*point).into()).coords;
    let mut is_used = vec![false; prepared.positions.len()];
    prepared.triangles.iter().flatten().for_each(|&vertex| is_used[vertex as usize] = true);
    let surface = prepared.positions.iter().zip(&is_used).filter(|(_, is_used)| **is_used).map(|(p, _)| p);
    let soles = find_soles(&embedding.skeleton, &embedding.positions, surface, stages.frame.height);
    let sole =
        |sole: Sole| Sole { heel: input(&sole.heel), ball: input(&sole.ball), toe: input(&sole.toe), ..sole };
    let joints = embedding.skeleton.joints.iter().zip(&embedding.positions);
    let joints =
        joints.map(|(joint, position)| skeleton::Joint { position: input(position), ..joint.clone() });
    RigFile {
        skeleton: Skeleton {
            name: embedding.skeleton.name.clone(),
            about: String::new(),
            joints: joints.collect(),
        },
        confidences: embedding.confidences.clone(),
        confidence: embedding.confidence,
        symmetric: embedding.symmetric,
        soles: soles.into_iter().map(sole).collect(),
        output_from_input: prepared.placement.output_from_input,
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
    let grains = 10f64.powi(4 - size.max(f64::MIN_POSITIVE).log10().ceil() as i32);
    let position = rig.skeleton.joints[joint].position;
    position
        .map(|x| if grains.is_normal() { ((x * grains).round() / grains + 0.0) as f32 } else { x as f32 })
        .into()
}

fn add_doubts(rig: &RigFile, stages: &Stages, warnings: &mut Vec<Warning>) {
    if rig.confidence < DOUBTFUL_RIG {
        let doubts = stages.landmarks.iter().flat_map(|landmarks| &landmarks.doubts);
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
struct Clock {
    since: Instant,
    laps: Vec<(&'static str, f64)>,
}

impl Clock {
    fn start() -> Clock {
        Clock { since: Instant::now(), laps: Vec::new() }
    }

    fn lap(&mut self, name: &'static str) {
        self.laps.push((name, self.since.elapsed().as_secs_f64()));
        self.since = Instant::now();
    }
}
