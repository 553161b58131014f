//! Example poses for weights: files of a folder, what they say of their poses, and whether they show the same surface.

use super::rig::moved;
use super::{Error, Jointed};
use crate::Warning;
use crate::io::{PartChoice, load_joints, load_motion, load_parts};
use crate::math::{Bounds, Quat, Similarity, Vec3};
use crate::mesh::Mesh;
use crate::mesh::prepare::PreparedMesh;
use crate::motion::{Motion, Pose};
use crate::retarget::{Source, SourceOptions};
use crate::rig::{Rig, SkinWeights};
use crate::skeleton::{Skeleton, find_joint};
use crate::skin::examples::{Example, ExampleFit, ExamplePose, ExampleSurface, ExamplesRest, fit};
use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

/// The surface of a character in another pose.
#[derive(Clone)]
pub struct ExampleMesh {
    /// What it is called: the file.
    pub name: String,
    /// What is known of its pose.
    pub pose: PoseFile,
    positions: Vec<Vec3>,
    triangles: Vec<[u32; 3]>,
    parts: usize,
}

/// What a file beside an example says of its pose.
#[derive(Clone, Default)]
pub enum PoseFile {
    /// Nothing: the pose is looked for.
    #[default]
    None,
    /// How its joints are turned: a motion, of which the first frame counts, against its rest pose, which is that of the mesh.
    Motion(Box<Motion>),
    /// Where some joints are, by their names, in the coordinates of the mesh.
    Joints(Vec<(String, Vec3)>),
}

/// Examples, and how they are used.
#[derive(Debug, Clone, Default)]
pub struct ExampleOptions {
    /// The surface in other poses.
    pub meshes: Vec<ExampleMesh>,
    /// What of the surface at rest may change.
    pub rest: ExamplesRest,
    /// What was found when they were read.
    pub warnings: Vec<Warning>,
}

/// What examples did to a skin.
#[derive(Debug, Clone)]
pub struct LearnedSkin {
    /// How far it is from them, before and after.
    pub fit: ExampleFit,
    /// Whether their weights were taken, because they are better on examples that were left out.
    pub is_used: bool,
}

/// Endings of files that may hold an example.
const ENDINGS: [&str; 8] = ["glb", "gltf", "vrm", "fbx", "obj", "ply", "stl", "off"];
/// Endings of files that say its pose.
const POSE_ENDINGS: [&str; 2] = ["bvh", "json"];
/// Fewer examples than this leave weights open that other poses show: two leave 0.10 % of the height where eight leave 0.024.
const FEW: usize = 3;

/// Reads the examples of a folder in the order of their names. Files that are none are left out with a warning.
///
/// # Errors
/// If the folder cannot be read, or has no example, or a file beside one cannot be read.
pub fn load_examples(folder: &Path, parts: &PartChoice) -> Result<(Vec<ExampleMesh>, Vec<Warning>), Error> {
    let files = files_of(folder)?;
    let (mut examples, mut warnings) = (Vec::new(), Vec::new());
    for file in files.iter().filter(|file| has_ending(file, &ENDINGS)) {
        match load_parts(file, parts) {
            Ok((mesh, _)) => examples.push(ExampleMesh::of(shown(file), &mesh, pose_file(file, &files)?)),
            Err(error) => {
                warnings.push(Warning::ExampleSkipped {
                    file: shown(file),
                    why: error.fault.problem.to_string(),
                });
            }
        }
    }
    for file in files.iter().filter(|file| has_ending(file, &POSE_ENDINGS)) {
        let is_beside = |mesh: &PathBuf| has_ending(mesh, &ENDINGS) && mesh.file_stem() == file.file_stem();
        if !files.iter().any(is_beside) {
            let why = "there is no mesh of that name beside it".to_owned();
            warnings.push(Warning::ExampleSkipped { file: shown(file), why });
        }
    }
    if examples.is_empty() {
        let folder = folder.display();
        return Err(refused(format!(
            "there is no example in '{folder}'; it needs the mesh of the character in other poses, one file for each"
        )));
    }
    Ok((examples, warnings))
}

fn files_of(folder: &Path) -> Result<Vec<PathBuf>, Error> {
    let unreadable = |error: std::io::Error| {
        refused(format!("cannot look into the folder '{}': {error}", folder.display()))
    };
    let entries = fs::read_dir(folder).map_err(unreadable)?;
    let mut files = Vec::new();
    for entry in entries {
        files.push(entry.map_err(unreadable)?.path());
    }
    files.sort();
    Ok(files)
}

fn has_ending(file: &Path, endings: &[&str]) -> bool {
    file.extension().is_some_and(|own| endings.iter().any(|known| own.eq_ignore_ascii_case(known)))
}

/// The name of a file without its folder.
fn shown(file: &Path) -> String {
    file.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// What a file beside an example says of its pose.
fn pose_file(example: &Path, files: &[PathBuf]) -> Result<PoseFile, Error> {
    let beside = |ending: &str| {
        let is_one = |file: &&PathBuf| has_ending(file, &[ending]) && file.file_stem() == example.file_stem();
        files.iter().find(is_one)
    };
    if let Some(file) = beside("bvh") {
        return Ok(PoseFile::Motion(Box::new(load_motion(file)?.0)));
    }
    match beside("json") {
        Some(file) => Ok(PoseFile::Joints(load_joints(file)?)),
        None => Ok(PoseFile::None),
    }
}

fn refused(reason: String) -> Error {
    Error::Examples { reason }
}

impl ExampleMesh {
    /// A mesh as an example.
    pub fn of(name: String, mesh: &Mesh, pose: PoseFile) -> ExampleMesh {
        let (positions, triangles) = (mesh.positions.clone(), mesh.triangles.clone());
        ExampleMesh { name, pose, positions, triangles, parts: mesh.parts.len() }
    }

    /// Refuses an example that is not of the same mesh.
    fn check(&self, mesh: &Mesh) -> Result<(), Error> {
        let name = &self.name;
        let counts = [
            ("parts", self.parts, mesh.parts.len()),
            ("vertices", self.positions.len(), mesh.positions.len()),
            ("triangles", self.triangles.len(), mesh.triangles.len()),
        ];
        if let Some((what, own, expected)) = counts.into_iter().find(|(_, own, expected)| own != expected) {
            return Err(refused(format!(
                "the example '{name}' has {own} {what}, and the character {expected}; export both with the same settings"
            )));
        }
        if self.triangles != mesh.triangles {
            return Err(other_order(name));
        }
        Ok(())
    }
}

fn other_order(name: &str) -> Error {
    refused(format!(
        "the vertices of the example '{name}' are in another order than those of the character; export both with the same settings"
    ))
}

impl fmt::Debug for ExampleMesh {
    /// With a digest of the vertices, because this text decides whether an earlier output is up to date.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut joints: Vec<Vec3> = Vec::new();
        match &self.pose {
            PoseFile::None => {}
            PoseFile::Motion(motion) => joints.extend((0..motion.frames.min(1)).flat_map(|frame| {
                let pose = motion.pose(frame);
                pose.positions.into_iter().chain(pose.rotations.into_iter().map(|turn| turn.imag()))
            })),
            PoseFile::Joints(known) => joints.extend(known.iter().map(|(_, position)| *position)),
        }
        let digest = |points: &[Vec3]| {
            points
                .iter()
                .flat_map(|p| p.iter())
                .fold(FNV_START, |hash, number| (hash ^ number.to_bits()).wrapping_mul(FNV_PRIME))
        };
        write!(f, "{} {:x} {:x}", self.name, digest(&self.positions), digest(&joints))
    }
}

/// The hash of Fowler, Noll and Vo.
const FNV_START: u64 = 0xcbf2_9ce4_8422_2325;
const FNV_PRIME: u64 = 0x0100_0000_01b3;

/// What examples are compared with.
pub(super) struct Learning<'a> {
    /// The mesh as it was given.
    pub given: &'a Mesh,
    /// The rig, and the joint of it that each joint of the skeleton is.
    pub rig: &'a Rig,
    pub exported: &'a [u16],
    /// The weights to start with.
    pub weights: &'a SkinWeights,
    /// The surface in the coordinates of the rig.
    pub positions: &'a [Vec3],
}

impl Jointed {
    /// The weights that examples show.
    pub(super) fn learn(
        &self,
        learning: &Learning,
        examples: &[ExampleMesh],
        rest: ExamplesRest,
    ) -> Result<LearnedSkin, Error> {
        let height = Bounds::of(learning.positions).extent().y;
        let known = examples.iter().map(|example| self.example(learning, example));
        let known = known.collect::<Result<Vec<Example>, Error>>()?;
        let is_rest = |example: &Example| largest_move(learning.positions, &example.targets) < STILL * height;
        if known.iter().all(is_rest) {
            let reason = "all examples show the pose of the mesh itself; give it in other poses".to_owned();
            return Err(Error::Examples { reason });
        }
        let mut kept: Vec<u32> = self.attached().flatten().copied().collect();
        kept.sort_unstable();
        let surface = ExampleSurface {
            rig: learning.rig,
            root: usize::from(learning.exported[0]),
            positions: learning.positions,
            triangles: &self.prepared.triangles,
            weights: learning.weights,
            kept: &kept,
            height,
        };
        let fit = fit(&surface, &known, rest);
        Ok(LearnedSkin { is_used: fit.is_better(), fit })
    }

    /// An example in the coordinates of the rig.
    fn example(&self, learning: &Learning, example: &ExampleMesh) -> Result<Example, Error> {
        example.check(learning.given)?;
        let output_from_input = self.prepared.placement.output_from_input;
        let shown = match &self.mesh {
            None => example.positions.clone(),
            Some(shown) => carried_over(learning.given, shown, &example.positions),
        };
        let targets = welded_means(&self.prepared, &shown);
        let targets: Vec<Vec3> = targets.iter().map(|point| moved(&output_from_input, point)).collect();
        check_edges(&example.name, &self.prepared.triangles, [learning.positions, &targets])?;
        let pose = self.example_pose(learning, example, &output_from_input)?;
        Ok(Example { name: example.name.clone(), targets, pose })
    }

    fn example_pose(
        &self,
        learning: &Learning,
        example: &ExampleMesh,
        output_from_input: &Similarity,
    ) -> Result<ExamplePose, Error> {
        let skeleton = self.joints.skeleton();
        match &example.pose {
            PoseFile::None => Ok(ExamplePose::Unknown),
            PoseFile::Motion(motion) => {
                let turns = turns_of(motion, skeleton, learning).ok_or_else(|| no_joints(&example.name))?;
                let axes = output_from_input.isometry.rotation;
                let turned = turns.iter().map(|turn| turn.map(|turn| axes * turn * axes.inverse()));
                let turned = turned.collect();
                // A motion has axes of its own: those of the output, upright and to the front, or those of the mesh file.
                Ok(ExamplePose::Turns(vec![turns, turned]))
            }
            PoseFile::Joints(joints) => {
                let known = joints.iter().filter_map(|(name, position)| {
                    let joint = find_joint(skeleton, name).filter(|&joint| !skeleton.joints[joint].is_tip)?;
                    Some((usize::from(learning.exported[joint]), moved(output_from_input, position)))
                });
                let known: Vec<(usize, Vec3)> = known.collect();
                if known.is_empty() { Err(no_joints(&example.name)) } else { Ok(ExamplePose::Places(known)) }
            }
        }
    }
}

fn no_joints(name: &str) -> Error {
    refused(format!(
        "the pose file beside the example '{name}' has no joint of this skeleton, or no frame; leave it out, and the pose is looked for"
    ))
}

/// How far the joints of the rig are turned in the first frame of a motion; `None` if it has none of them.
fn turns_of(motion: &Motion, skeleton: &Skeleton, learning: &Learning) -> Option<Vec<Option<Quat>>> {
    if motion.frames == 0 {
        return None;
    }
    let figure = Source::of(motion, &SourceOptions::default()).figure;
    let rest: Pose = motion.rest.clone().unwrap_or_else(|| motion.zero_pose());
    let pose = motion.pose(0);
    let mut turns = vec![None; learning.rig.joints.len()];
    for (joint, &exported) in skeleton.joints.iter().zip(learning.exported).filter(|(joint, _)| !joint.is_tip)
    {
        let exported = usize::from(exported);
        let named =
            [&joint.name, &learning.rig.joints[exported].name].into_iter().find_map(|name| motion.find(name));
        let found = named.or_else(|| figure.find(joint.role?));
        turns[exported] = found.map(|found| pose.rotations[found] * rest.rotations[found].inverse());
    }
    turns.iter().any(Option::is_some).then_some(turns)
}

/// The places of vertices of a mesh of which something was left out or taken apart: those of the vertices that stood where they do.
fn carried_over(given: &Mesh, shown: &Mesh, places: &[Vec3]) -> Vec<Vec3> {
    let key = |p: &Vec3| [p.x, p.y, p.z].map(f64::to_bits);
    let mut here: BTreeMap<[u64; 3], (Vec3, f64)> = BTreeMap::new();
    for (position, place) in given.positions.iter().zip(places) {
        let (sum, count) = here.entry(key(position)).or_insert((Vec3::zeros(), 0.0));
        (*sum, *count) = (*sum + place, *count + 1.0);
    }
    let place = |position: &Vec3| here.get(&key(position)).map_or(*position, |(sum, count)| sum / *count);
    shown.positions.iter().map(place).collect()
}

/// The mean of the vertices that are one, for each welded vertex.
fn welded_means(prepared: &PreparedMesh, positions: &[Vec3]) -> Vec<Vec3> {
    let mut sums = vec![(Vec3::zeros(), 0.0); prepared.positions.len()];
    for (position, &welded) in positions.iter().zip(&prepared.welded) {
        let (sum, count) = &mut sums[welded as usize];
        (*sum, *count) = (*sum + position, *count + 1.0);
    }
    sums.into_iter().map(|(sum, count)| sum / f64::max(count, 1.0)).collect()
}

/// An example in which no vertex moves by more than this part of the height against the others is the mesh itself.
const STILL: f64 = 1e-5;

/// How far vertices move against each other at most.
fn largest_move(rest: &[Vec3], targets: &[Vec3]) -> f64 {
    let moves = rest.iter().zip(targets).map(|(a, b)| b - a);
    let mean = moves.clone().sum::<Vec3>() / rest.len().max(1) as f64;
    moves.map(|step| (step - mean).norm()).fold(0.0, f64::max)
}

/// Edges keep their lengths in most poses: a median of their ratios outside of this and its inverse is another order of the vertices.
/// Simulated cloth stretches by a tenth.
const TWICE: f64 = 2.0;
/// If the middle half of the edges differs by less than this part of the median, all are longer by the same.
const ALIKE: f64 = 0.05;
/// Where a quarter, a half and three quarters of the edges end.
const QUARTILES: [f64; 3] = [0.25, 0.5, 0.75];
/// A difference of size by less than this part is none: muscles that bulge change as much.
const SAME_SIZE: f64 = 0.02;

/// Refuses an example of another size or with another order of vertices, by the lengths of its edges.
fn check_edges(name: &str, triangles: &[[u32; 3]], [rest, targets]: [&[Vec3]; 2]) -> Result<(), Error> {
    let length = |points: &[Vec3], [a, b]: [u32; 2]| (points[a as usize] - points[b as usize]).norm();
    let edges = triangles.iter().flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]]);
    let mut ratios: Vec<f64> = edges.map(|edge| length(targets, edge) / length(rest, edge)).collect();
    ratios.retain(|ratio| ratio.is_finite());
    ratios.sort_unstable_by(f64::total_cmp);
    let at = |part: f64| ratios.get((part * ratios.len() as f64) as usize).copied().unwrap_or(1.0);
    let [low, median, high] = QUARTILES.map(at);
    let is_alike = high - low < ALIKE * median;
    if is_alike && (median - 1.0).abs() > SAME_SIZE {
        return Err(refused(format!(
            "the example '{name}' is {median:.3} times as large as the character; export both in the same unit"
        )));
    }
    if !(1.0 / TWICE..=TWICE).contains(&median) {
        return Err(other_order(name));
    }
    Ok(())
}

/// What a person should know about what was learned.
pub(super) fn findings(learned: &LearnedSkin) -> impl Iterator<Item = Warning> {
    let count = learned.fit.errors.len();
    let few = (count < FEW).then_some(Warning::FewExamples { count });
    let error = learned.fit.left_out.unwrap_or(learned.fit.after).rms;
    let unused = (!learned.is_used)
        .then_some(Warning::ExamplesNotUsed { before: learned.fit.before.rms, after: error });
    few.into_iter().chain(unused)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::shapes;

    fn check(change: impl Fn(usize, &Vec3) -> Vec3) -> Result<(), Error> {
        let ball = shapes::uv_sphere(16, 24);
        let changed: Vec<Vec3> =
            ball.positions.iter().enumerate().map(|(index, p)| change(index, p)).collect();
        check_edges("pose", &ball.triangles, [&ball.positions, &changed])
    }

    #[test]
    fn other_units_and_other_orders_are_told_apart() {
        assert!(check(|_, p| *p).is_ok());
        // Half of it bulges.
        assert!(check(|_, p| if p.y > 0.0 { p * 1.1 } else { *p }).is_ok());
        let unit = check(|_, p| p * 10.0).unwrap_err().to_string();
        assert!(unit.contains("10.000 times as large"), "{unit}");
        let ball = shapes::uv_sphere(16, 24).positions;
        let order = check(|index, _| ball[(index * 7919) % ball.len()]).unwrap_err().to_string();
        assert!(order.contains("another order"), "{order}");
    }

    #[test]
    fn a_mesh_that_only_moved_is_at_rest() {
        let ball = shapes::uv_sphere(8, 12).positions;
        let moved: Vec<Vec3> = ball.iter().map(|p| p + Vec3::new(3.0, 0.0, -1.0)).collect();
        assert!(largest_move(&ball, &moved) < 1e-12);
        let bent: Vec<Vec3> = ball.iter().map(|p| p + Vec3::new(0.1 * p.y, 0.0, 0.0)).collect();
        assert!(largest_move(&ball, &bent) > 0.05);
    }
}
