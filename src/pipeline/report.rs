//! What was done and how good it is, as data. JSON and text are two views of it.

use super::rig::{doubtful_joints, rounded_position};
use super::{Animated, Character, InputMotion, Jointed, Joints, OutputFile, Rigged};
use crate::Warning;
use crate::embed::landmarks::PlanReason;
use crate::embed::penalty::{TERM_COUNT, TERMS};
use crate::embed::search::Effort;
use crate::embed::{Attempt, Embedding, Stages};
use crate::io::rig_file::{RigFile, position as rig_position, rounded, transform};
use crate::parts::{PartsKind, PartsReason, Segmentation};
use crate::retarget::joint_map::Origin;
use crate::retarget::metrics::stances::Stance;
use crate::retarget::metrics::{Metrics, Slide};
use crate::retarget::{RetargetReport, Source};
use crate::rig::Rig;
use crate::skeleton::naming::{Role, Segment};
use crate::skin::quality::{PoseQuality, Quality};
use serde::Serialize;
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};
use std::path::{Path, PathBuf};

/// Where joints come from that were not searched.
const GIVEN: &str = "given in a file";

/// How a character was rigged.
#[derive(Debug, Clone, Serialize)]
pub struct RigReport {
    /// Version of this format.
    pub puppetry_report: u32,
    /// `rig`.
    pub command: &'static str,
    /// The mesh.
    pub file: String,
    /// What was written.
    pub outputs: Vec<String>,
    /// The skeleton.
    pub skeleton: SkeletonChoice,
    /// How the joints were found.
    pub route: RouteReport,
    /// From 0 to 1.
    pub confidence: f64,
    /// What speaks against the joints, each a clause.
    pub doubts: Option<Vec<String>>,
    /// Whether left and right are mirror images.
    pub symmetric: bool,
    /// Each joint with its position in the coordinates of the mesh, its confidence, and whether it only ends a limb.
    pub joints: Map<String, Value>,
    /// Joints that are worth a look, the worst first, with the hint that would settle them.
    pub doubtful_joints: Vec<DoubtfulJoint>,
    /// The best attempt of the search.
    pub search: Option<SearchReport>,
    /// How separate pieces move.
    pub parts: PartsReport,
    /// The skin, if the mesh was bound.
    pub skin: Option<SkinSummary>,
    /// Size and orientation.
    pub placement: PlacementReport,
    /// The surface.
    pub mesh: MeshReport,
    /// Findings.
    pub warnings: Vec<Finding>,
    /// The time that each part took.
    pub seconds: Map<String, Value>,
}

/// Which skeleton was taken, and why.
#[derive(Debug, Clone, Serialize)]
#[allow(missing_docs)]
pub struct SkeletonChoice {
    pub name: String,
    pub why: &'static str,
    pub margin: Option<f64>,
}

/// Which route to the joints was taken, and why.
#[derive(Debug, Clone, Serialize)]
#[allow(missing_docs)]
pub struct RouteReport {
    pub name: String,
    pub why: String,
    pub disagreement_in_heights: Option<f64>,
}

/// A joint that is worth a look.
#[derive(Debug, Clone, Serialize)]
#[allow(missing_docs)]
pub struct DoubtfulJoint {
    pub joint: String,
    pub confidence: f64,
    pub hint: String,
}

/// The best attempt of the search: its cost by term, how it was found, and how far the next best is.
#[derive(Debug, Clone, Serialize)]
#[allow(missing_docs)]
pub struct SearchReport {
    pub template: String,
    pub cost: f64,
    pub cost_by_term: Map<String, Value>,
    pub cost_of_another_answer: Option<f64>,
    pub effort: &'static str,
    pub steps: usize,
    pub templates: Map<String, Value>,
}

/// How separate pieces move, why, and what was found about them.
#[derive(Debug, Clone, Serialize)]
#[allow(missing_docs)]
pub struct PartsReport {
    pub route: String,
    pub why: String,
    pub pieces: usize,
    pub rigid_pieces: Option<usize>,
    pub closed_share: Option<f64>,
    pub torn_share: Option<f64>,
    pub contacts: Option<usize>,
    pub bridged_gaps: Option<usize>,
    pub clusters: Option<usize>,
    pub coarse_clusters: Option<usize>,
    pub limbs: Option<usize>,
    pub pieces_of_joints: Map<String, Value>,
}

/// What binding found, how it had to help itself, and how good the skin is.
#[derive(Debug, Clone, Serialize)]
#[allow(missing_docs)]
pub struct SkinSummary {
    pub max_influences: usize,
    pub mean_influences: f64,
    pub pieces: usize,
    pub hanging_pieces: usize,
    pub stiff_pieces: usize,
    pub stitches: usize,
    pub hidden_vertices: usize,
    pub bleeding: f64,
    pub sum_error: Option<f64>,
    pub roughness: Option<f64>,
    pub test_poses: Option<Map<String, Value>>,
}

/// An axis, and why it is that one.
#[derive(Debug, Clone, Serialize)]
#[allow(missing_docs)]
pub struct AxisReport {
    pub axis: String,
    pub why: String,
}

/// Size and orientation of the character.
#[derive(Debug, Clone, Serialize)]
#[allow(missing_docs)]
pub struct PlacementReport {
    pub up: AxisReport,
    pub front: AxisReport,
    pub turned: bool,
    pub yaw_degrees: f64,
    pub height_in_file: f64,
    pub height_meters: f64,
    pub size_why: String,
    pub lift_meters: f64,
    pub centered: bool,
    pub output_from_input: Value,
}

/// The surface, and the medial graph in it.
#[derive(Debug, Clone, Serialize)]
#[allow(missing_docs)]
pub struct MeshReport {
    pub welded_vertices: usize,
    pub triangles_in_use: usize,
    pub components: usize,
    pub watertight: bool,
    pub medial_samples: Option<usize>,
    pub spheres: Option<usize>,
    pub edges: Option<usize>,
    pub mended_gaps: Option<usize>,
}

/// A warning with its stable code.
#[derive(Debug, Clone, Serialize)]
#[allow(missing_docs)]
pub struct Finding {
    pub code: &'static str,
    pub text: String,
}

impl RigReport {
    /// What there is to tell about a mesh with joints, and about its skin if it was bound. `is_auto`: the skeleton was left to the
    /// program.
    pub fn of(
        jointed: &Jointed,
        rigged: Option<&Rigged>,
        quality: Option<&Quality>,
        is_auto: bool,
    ) -> RigReport {
        let rig = &jointed.rig_file;
        let (embedding, stages) = jointed.joints.found().unzip();
        let landmarks = stages.and_then(|stages| stages.landmarks.as_ref());
        let warnings = jointed.warnings.iter();
        RigReport {
            puppetry_report: 1,
            command: "rig",
            file: String::new(),
            outputs: Vec::new(),
            skeleton: SkeletonChoice {
                name: rig.skeleton.name.clone(),
                why: skeleton_reason(&jointed.joints, is_auto),
                margin: landmarks.map(|landmarks| rounded(landmarks.plan_margin)),
            },
            route: RouteReport {
                name: embedding.map_or("given".to_owned(), |embedding| embedding.route.to_string()),
                why: embedding.map_or(GIVEN.to_owned(), |embedding| embedding.reason.to_string()),
                disagreement_in_heights: embedding.and_then(Embedding::disagreement).map(|d| round(d, 1e4)),
            },
            confidence: rounded(rig.confidence),
            doubts: landmarks.map(|l| l.diagnostics.iter().map(ToString::to_string).collect()),
            symmetric: rig.symmetric,
            joints: joints(rig),
            doubtful_joints: doubtful_joints(rig).into_iter().map(|joint| doubtful(rig, joint)).collect(),
            search: stages.and_then(|stages| Some(search(stages, &stages.attempts[stages.best?]))),
            parts: parts(jointed, rigged),
            skin: rigged.map(|rigged| skin(rigged, quality)),
            placement: placement(jointed),
            mesh: MeshReport {
                welded_vertices: jointed.prepared.positions.len(),
                triangles_in_use: jointed.prepared.triangles.len(),
                components: jointed.prepared.topology.components.len(),
                watertight: jointed.prepared.topology.is_watertight(),
                medial_samples: stages.map(|stages| stages.medial.len()),
                spheres: stages.map(|stages| stages.graph.spheres.len()),
                edges: stages.map(|stages| stages.graph.edges.len()),
                mended_gaps: stages.map(|stages| stages.graph.gaps.len()),
            },
            warnings: warnings.map(|w| Finding { code: w.code(), text: w.to_string() }).collect(),
            seconds: seconds(&[], stages),
        }
    }

    /// With the files of the run, and the time that each of its parts took.
    #[must_use]
    pub fn with_run(
        self,
        file: &Path,
        outputs: &[PathBuf],
        laps: &[(&'static str, f64)],
        joints: &Joints,
    ) -> RigReport {
        RigReport {
            file: file.to_string_lossy().into_owned(),
            outputs: outputs.iter().map(|path| path.to_string_lossy().into_owned()).collect(),
            seconds: seconds(laps, joints.found().map(|(_, stages)| stages)),
            ..self
        }
    }
}

/// Why the joints belong to their skeleton.
fn skeleton_reason(joints: &Joints, is_auto: bool) -> &'static str {
    if !is_auto {
        return "as told";
    }
    let Some((_, stages)) = joints.found() else { return "by the names of the joints" };
    match stages.landmarks.as_ref().map(|landmarks| landmarks.plan_reason) {
        Some(PlanReason::TwoPairsOfLegs) => "two pairs of legs stand on the ground",
        Some(PlanReason::OnePairOfLegs) => "one pair of legs stands on the ground",
        Some(PlanReason::Given) => "the only one with the joints of the hints",
        None => "the first that comes into question",
    }
}

fn joints(rig: &RigFile) -> Map<String, Value> {
    let joints = rig.skeleton.joints.iter().zip(&rig.confidences);
    let entries = joints.map(|(joint, &confidence)| {
        let (position, confidence) = (rig_position(&joint.position), rounded(confidence));
        (joint.name.clone(), json!({ "position": position, "confidence": confidence, "tip": joint.is_tip }))
    });
    entries.collect()
}

fn doubtful(rig: &RigFile, joint: usize) -> DoubtfulJoint {
    let [x, y, z] = rounded_position(rig, joint);
    let (joint, confidence) = (rig.skeleton.joints[joint].name.clone(), rounded(rig.confidences[joint]));
    DoubtfulJoint { hint: format!("--hint {joint}={x},{y},{z}"), joint, confidence }
}

/// Parts of the run and of the embedding, with their times.
fn seconds(laps: &[(&'static str, f64)], stages: Option<&Stages>) -> Map<String, Value> {
    let inner = stages.into_iter().flat_map(|stages| &stages.times);
    let inner = inner.map(|(name, time)| (*name, time.as_secs_f64()));
    let all = laps.iter().copied().chain(inner);
    all.map(|(name, seconds)| (name.to_owned(), json!(round(seconds, 1e4)))).collect()
}

fn parts(jointed: &Jointed, rigged: Option<&Rigged>) -> PartsReport {
    let Segmentation { kind, reason, parts, joint_of_piece, .. } = &jointed.parts;
    let evidence = match reason {
        PartsReason::Evidence(evidence) => Some(evidence),
        PartsReason::Asked | PartsReason::Heap { .. } => None,
    };
    let mut counts = Map::new();
    for (joint, data) in jointed.rig_file.skeleton.joints.iter().enumerate() {
        let count = joint_of_piece.iter().filter(|&&other| other == joint).count();
        if count > 0 && *kind == PartsKind::Rigid {
            counts.insert(data.name.clone(), json!(count));
        }
    }
    let parts = parts.as_ref();
    PartsReport {
        route: kind.to_string(),
        why: reason.to_string(),
        pieces: jointed.prepared.topology.components.len(),
        rigid_pieces: rigged.map(|rigged| rigged.rigid_pieces),
        closed_share: evidence.map(|evidence| round(evidence.closed_area, 1e4)),
        torn_share: evidence.map(|evidence| round(evidence.cross_limb_area, 1e4)),
        contacts: parts.map(|parts| parts.contacts.len() - parts.gaps()),
        bridged_gaps: parts.map(|parts| parts.gaps()),
        clusters: parts.map(|parts| parts.high.nodes.len()),
        coarse_clusters: parts.map(|parts| parts.low.nodes.len()),
        limbs: parts.map(|parts| parts.low.branch_count()),
        pieces_of_joints: counts,
    }
}

fn skin(rigged: &Rigged, quality: Option<&Quality>) -> SkinSummary {
    let (report, components) = (&rigged.skin, &rigged.skin.components);
    SkinSummary {
        max_influences: rigged.weights.slots(),
        mean_influences: round(rigged.mean_influences(), 1e2),
        pieces: components.count,
        hanging_pieces: components.draped,
        stiff_pieces: components.rigid,
        stitches: components.stitches,
        hidden_vertices: report.hidden_vertices,
        bleeding: round(report.bleeding, 1e4),
        sum_error: quality.map(|quality| quality.sum_error),
        roughness: quality.map(|quality| round(quality.roughness, 1e4)),
        test_poses: quality.map(|quality| quality.poses.iter().map(pose).collect()),
    }
}

fn pose(pose: &PoseQuality) -> (String, Value) {
    let figures = json!({
        "worst_stretch": round(pose.worst_stretch, 1e3),
        "stretch_of_one_edge_in_a_thousand": round(pose.stretch_999, 1e3),
        "volume": round(pose.volume, 1e4),
    });
    (pose.name.to_owned(), figures)
}

fn placement(jointed: &Jointed) -> PlacementReport {
    let placement = &jointed.prepared.placement;
    let orientation = &placement.orientation;
    PlacementReport {
        up: AxisReport { axis: orientation.up.to_string(), why: orientation.up_reason.to_string() },
        front: AxisReport { axis: orientation.front.to_string(), why: orientation.front_reason.to_string() },
        turned: !orientation.is_upright(),
        yaw_degrees: round(orientation.yaw.to_degrees(), 1e2),
        height_in_file: placement.height_in_file,
        height_meters: placement.height,
        size_why: placement.size_reason.to_string(),
        lift_meters: placement.lift,
        centered: placement.centered,
        output_from_input: transform(&placement.output_from_input),
    }
}

fn search(stages: &Stages, best: &Attempt) -> SearchReport {
    let found = &best.found;
    let names = TERMS.iter().map(|term| term.name).chain(["guide"]);
    let terms = names.zip(0..TERM_COUNT).map(|(name, term)| {
        let sum: f64 = found.matches[0].terms.iter().map(|terms| terms[term]).sum();
        (name.to_owned(), json!(round(sum, 1e4)))
    });
    let tried = stages.attempts.iter().map(|a| (a.template.name.clone(), json!(cost(a))));
    SearchReport {
        template: best.template.name.clone(),
        cost: cost(best),
        cost_by_term: terms.collect(),
        cost_of_another_answer: stages.rival_cost().map(|cost| round(cost, 1e4)),
        effort: match found.effort {
            Effort::Optimal => "optimal",
            Effort::OverLimit => "nothing within the limits of the penalties; the best of a beam",
            Effort::OutOfBounds => "stopped at its bounds; the best of a beam",
        },
        steps: found.steps,
        templates: tried.collect(),
    }
}

fn cost(attempt: &Attempt) -> f64 {
    round(attempt.found.matches[0].cost, 1e4)
}

/// How a motion was moved onto a character, and how good the clip is. Frames count from 0; spans name their first and their last
/// frame. What compares the clip with its source is there only if `RetargetOptions::compare` asked for it.
#[derive(Debug, Clone, Serialize)]
#[allow(missing_docs)]
pub struct ClipReport {
    pub reference_pose: ReferencePose,
    pub up: String,
    pub scale: f64,
    pub leg_length_meters: f64,
    pub joint_map: Map<String, Value>,
    pub unmoved_joints: Vec<String>,
    pub unused_joints: Vec<String>,
    pub contacts: Map<String, Value>,
    pub slide: Slides,
    pub penetration_percent_of_leg: MeanAndMost,
    pub floating_percent_of_leg: MeanAndMost,
    pub reach_shortfall_percent_of_leg: f64,
    pub frames_out_of_reach: Vec<usize>,
    pub pelvis_shift_percent_of_leg: Option<f64>,
    pub limb_direction_degrees: Option<f64>,
    pub angular_jerk_ratio: Option<f64>,
    pub knee_acceleration_ratio: Option<f64>,
    pub seam: Option<SeamReport>,
    pub warnings: Vec<WarningReport>,
}

/// The pose of the motion that serves as its rest.
#[derive(Debug, Clone, Serialize)]
#[allow(missing_docs)]
pub struct ReferencePose {
    pub pose: String,
    pub score: f64,
}

/// How far planted feet slide: the character's, those of a copy of the rotations, and the source's.
#[derive(Debug, Clone, Serialize)]
#[allow(missing_docs)]
pub struct Slides {
    pub character: SlideReport,
    pub rotation_copy: Option<SlideReport>,
    pub source: Option<SlideReport>,
}

/// How far planted feet slide.
#[derive(Debug, Clone, Serialize)]
#[allow(missing_docs)]
pub struct SlideReport {
    pub percent_of_leg_per_second: f64,
    pub share_of_frames_that_slide: f64,
    pub drift_of_stance_percent_of_leg: MeanAndMost,
}

/// A mean and a largest value.
#[derive(Debug, Clone, Serialize)]
#[allow(missing_docs)]
pub struct MeanAndMost {
    pub mean: f64,
    pub most: f64,
}

/// What is seen where a loop begins again.
#[derive(Debug, Clone, Serialize)]
#[allow(missing_docs)]
pub struct SeamReport {
    pub degrees: f64,
    pub height_percent_of_leg: f64,
}

/// A warning with its code, and with the joint and the frame that it is about, as far as it is about one.
#[derive(Debug, Clone, Serialize)]
#[allow(missing_docs)]
pub struct WarningReport {
    pub code: &'static str,
    pub joint: Option<String>,
    pub frame: Option<usize>,
    pub text: String,
}

impl From<&Warning> for WarningReport {
    fn from(warning: &Warning) -> WarningReport {
        WarningReport {
            code: warning.code(),
            joint: warning.joint().map(str::to_owned),
            frame: warning.frame(),
            text: warning.to_string(),
        }
    }
}

impl ClipReport {
    /// What there is to tell about a motion on a rig.
    pub fn of(report: &RetargetReport, rig: &Rig, source: &Source) -> ClipReport {
        let (metrics, compared) = (&report.metrics, report.comparison.as_ref());
        let unmoved = report.map.unmatched_targets.iter().filter_map(|&joint| rig.joints.get(joint));
        let unused = report.map.unmatched_sources.iter().map(|&joint| source.figure.names[joint].clone());
        ClipReport {
            reference_pose: ReferencePose { pose: source.kind.to_string(), score: four_digits(source.score) },
            up: source.up.to_string(),
            scale: metrics.scale,
            leg_length_meters: four_digits(metrics.leg_length),
            joint_map: joint_map(report, rig, source),
            unmoved_joints: unmoved.map(|joint| joint.name.clone()).collect(),
            unused_joints: unused.collect(),
            contacts: contacts(metrics),
            slide: Slides {
                character: (&metrics.slide).into(),
                rotation_copy: compared.map(|compared| (&compared.slide_of_copy).into()),
                source: compared.map(|compared| (&compared.slide_of_source).into()),
            },
            penetration_percent_of_leg: metrics.penetration.into(),
            floating_percent_of_leg: metrics.floating.into(),
            reach_shortfall_percent_of_leg: percent(metrics.reach_shortfall),
            frames_out_of_reach: metrics.out_of_reach.clone(),
            pelvis_shift_percent_of_leg: compared.map(|compared| percent(compared.pelvis_shift)),
            limb_direction_degrees: compared.map(|compared| four_digits(compared.limb_direction)),
            angular_jerk_ratio: compared.and_then(|compared| compared.angular_jerk_ratio).map(four_digits),
            knee_acceleration_ratio: compared
                .and_then(|compared| compared.knee_acceleration_ratio)
                .map(four_digits),
            seam: compared.and_then(|compared| compared.seam).map(|seam| SeamReport {
                degrees: four_digits(seam.degrees),
                height_percent_of_leg: percent(seam.height),
            }),
            warnings: report.warnings.iter().map(WarningReport::from).collect(),
        }
    }
}

impl From<&Slide> for SlideReport {
    fn from(slide: &Slide) -> SlideReport {
        SlideReport {
            percent_of_leg_per_second: percent(slide.mean),
            share_of_frames_that_slide: four_digits(slide.ratio),
            drift_of_stance_percent_of_leg: slide.drift.into(),
        }
    }
}

impl From<[f64; 2]> for MeanAndMost {
    fn from([mean, most]: [f64; 2]) -> MeanAndMost {
        MeanAndMost { mean: percent(mean), most: percent(most) }
    }
}

fn contacts(metrics: &Metrics) -> Map<String, Value> {
    let feet = metrics.feet.iter().map(|foot| {
        let name = Role::Limb(foot.leg.0, foot.leg.1, Segment::End).to_string();
        (name, json!({ "heel": spans(&foot.heel), "ball": spans(&foot.ball) }))
    });
    feet.collect()
}

fn joint_map(report: &RetargetReport, rig: &Rig, source: &Source) -> Map<String, Value> {
    let name = |joint: usize| source.figure.names[joint].as_str();
    let joints = rig.joints.iter().zip(&report.map.matches);
    let entries = joints.filter_map(|(joint, found)| {
        let found = (*found)?;
        let from = match found.origin {
            Origin::Joint(from) => json!(name(from)),
            Origin::Between(a, b, share) => {
                json!({ "from": name(a), "to": name(b), "share": four_digits(share) })
            }
        };
        let why = found.reason.to_string();
        let entry = json!({ "source": from, "why": why, "confidence": four_digits(found.confidence) });
        Some((joint.name.clone(), entry))
    });
    entries.collect()
}

fn spans(stances: &[Stance]) -> Vec<[usize; 2]> {
    stances.iter().map(|stance| [stance.frames.start, stance.frames.end - 1]).collect()
}

/// A run over one character: what was written, how it was rigged, and its clips.
#[derive(Debug, Clone, Serialize)]
#[allow(missing_docs)]
pub struct RunReport {
    pub puppetry_report: u32,
    pub command: &'static str,
    pub file: String,
    pub outputs: Vec<WrittenFile>,
    pub joints: usize,
    pub soles: usize,
    pub rig: Option<RigReport>,
    pub clips: Vec<ClipEntry>,
    pub motions_left_out: Vec<LeftOutMotion>,
    pub warnings: Vec<WarningReport>,
    pub seconds: Map<String, Value>,
}

/// A file that was written.
#[derive(Debug, Clone, Serialize)]
#[allow(missing_docs)]
pub struct WrittenFile {
    pub file: String,
    pub bytes: usize,
    pub sha256: String,
}

/// A clip of a run.
#[derive(Debug, Clone, Serialize)]
#[allow(missing_docs)]
pub struct ClipEntry {
    pub name: String,
    pub file: String,
    pub frames: usize,
    pub fps: f64,
    pub seconds: f64,
    pub speed_meters_per_second: f64,
    pub bytes_of_all_keys: usize,
    pub bytes: usize,
    pub largest_key_error_meters: f64,
    pub retargeting: ClipReport,
    pub warnings: Vec<WarningReport>,
}

/// A motion that was left out, and why.
#[derive(Debug, Clone, Serialize)]
#[allow(missing_docs)]
pub struct LeftOutMotion {
    pub file: String,
    pub text: String,
}

impl RunReport {
    /// What there is to tell about a character and its clips.
    pub fn of(command: &'static str, file: &Path, character: &Character) -> RunReport {
        RunReport {
            puppetry_report: 1,
            command,
            file: file.to_string_lossy().into_owned(),
            outputs: Vec::new(),
            joints: character.rig.joints.len(),
            soles: character.rig.soles.len(),
            rig: None,
            clips: Vec::new(),
            motions_left_out: Vec::new(),
            warnings: Vec::new(),
            seconds: Map::new(),
        }
    }

    /// Adds the time that each part took.
    pub fn set_seconds(&mut self, laps: &[(&'static str, f64)]) {
        self.seconds = seconds(laps, None);
    }
}

impl WrittenFile {
    /// A file as it was written.
    pub fn of(file: &OutputFile) -> WrittenFile {
        WrittenFile {
            file: file.path.to_string_lossy().into_owned(),
            bytes: file.bytes.len(),
            sha256: digest(&file.bytes),
        }
    }
}

impl ClipEntry {
    /// A motion that became a clip.
    pub fn of(animated: &Animated, motion: &InputMotion) -> ClipEntry {
        let clip = &animated.clip;
        let (before, after) = clip.bytes();
        ClipEntry {
            name: clip.name.clone(),
            file: motion.file.to_string_lossy().into_owned(),
            frames: clip.frames,
            fps: (1e3 / clip.frame_seconds).round() / 1e3,
            seconds: round(clip.seconds(), 1e4),
            speed_meters_per_second: round(animated.speed, 1e3),
            bytes_of_all_keys: before,
            bytes: after,
            largest_key_error_meters: animated.key_error,
            retargeting: animated.report.clone(),
            warnings: motion.warnings.iter().map(WarningReport::from).collect(),
        }
    }
}

/// By which anybody can tell whether a file is the one that was written: SHA-256, in hexadecimal digits.
pub fn digest(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

fn percent(part: f64) -> f64 {
    four_digits(100.0 * part)
}

fn four_digits(number: f64) -> f64 {
    round(number, 1e4)
}

fn round(number: f64, grains: f64) -> f64 {
    (number * grains).round() / grains
}
