//! What there is to tell about how a character was rigged.

use super::super::rig::{doubtful_joints, rounded_position};
use super::super::{Jointed, Joints, LearnedSkin, Rigged};
use super::{Entries, Finding, round, seconds};
use crate::bodyparts::PartReport;
use crate::embed::landmarks::PlanReason;
use crate::embed::penalty::{TERM_COUNT, TERMS};
use crate::embed::search::Effort;
use crate::embed::{Attempt, Embedding, Stages};
use crate::io::rig_file::{RigFile, TransformRecord, position_record, rounded};
use crate::parts::parting::Parting;
use crate::parts::{PartsKind, PieceClass, PieceClasses, Segmentation};
use crate::rig::{Follows, Rig};
use crate::skeleton::Skeleton;
use crate::skin::ComponentKind;
use crate::skin::examples::SurfaceError;
use crate::skin::quality::{PoseQuality, Quality};
use std::path::{Path, PathBuf};

/// Route of joints that were not searched.
const GIVEN: &str = "given in a file";

report_types! {
    /// How a character was rigged.
    pub struct RigReport {
        /// Version of this format.
        pub puppetry_report: u32,
        /// `rig`.
        pub command: &'static str,
        /// The mesh.
        pub file: String,
        /// What was written.
        pub outputs: Vec<String>,
        /// Why nothing was, if it was refused.
        pub refused: Option<String>,
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
        pub joints: Entries<JointReport>,
        /// Joints that are worth a look, the worst first, with the hint that would settle each, as `JOINT=X,Y,Z`.
        pub doubtful_joints: Vec<DoubtfulJoint>,
        /// The best attempt of the search.
        pub search: Option<SearchReport>,
        /// How separate pieces move.
        pub parts: PartsReport,
        /// The skin, if the mesh was bound.
        pub skin: Option<SkinSummary>,
        /// Joints that follow others, if the mesh was bound.
        pub helpers: Option<Entries<HelperReport>>,
        /// What examples did to the skin, if there were any.
        pub examples: Option<ExamplesReport>,
        /// What a library of body parts made of it, if one was given and fits.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub body_parts: Option<BodyPartsReport>,
        /// Size and orientation.
        pub placement: PlacementReport,
        /// The surface.
        pub mesh: MeshReport,
        /// Findings.
        pub warnings: Vec<Finding>,
        /// The time that each part took.
        pub seconds: Entries<f64>,
    }

    /// Where a joint is in the coordinates of the mesh, how sure that is, and whether it only ends a limb.
    pub struct JointReport {
        pub position: [f64; 3],
        pub confidence: f64,
        pub tip: bool,
    }

    /// Who gave which part of the body, and what came along. Confidences are from 0 to 1, distances in heights.
    pub struct BodyPartsReport {
        pub confidence: f64,
        pub parts: Vec<BodyPartReport>,
        pub joints: Vec<String>,
        pub corrected_joints: usize,
    }

    /// A part of the body: the character that gave it, how far it is from the surface, and the next best ones.
    pub struct BodyPartReport {
        pub part: String,
        pub source: String,
        pub is_heat: bool,
        pub distance_in_heights: f64,
        pub covered: f64,
        pub confidence: f64,
        pub next: Entries<f64>,
    }

    /// What a test pose does to the surface.
    pub struct PoseReport {
        pub worst_stretch: f64,
        pub stretch_of_one_edge_in_a_thousand: f64,
        pub volume: f64,
    }

    /// Which skeleton was taken, and why.
    pub struct SkeletonChoice {
        pub name: String,
        pub why: &'static str,
        pub margin: Option<f64>,
    }

    /// Which routes to the joints were used, why, and how far they are from the answer on average.
    pub struct RouteReport {
        pub name: String,
        pub why: String,
        pub disagreement_in_heights: Option<f64>,
    }

    /// A joint that is worth a look.
    pub struct DoubtfulJoint {
        pub joint: String,
        pub confidence: f64,
        pub hint: String,
    }

    /// The best attempt of the search: its cost by term, how it was found, and how far the next best is.
    pub struct SearchReport {
        pub template: String,
        pub cost: f64,
        pub cost_by_term: Entries<f64>,
        pub cost_of_another_answer: Option<f64>,
        pub effort: &'static str,
        pub steps: usize,
        pub templates: Entries<f64>,
    }

    /// How separate pieces move, why, and what was found about them.
    pub struct PartsReport {
        pub route: String,
        pub why: String,
        pub pieces: usize,
        pub rigid_pieces: Option<usize>,
        pub bending_share: Option<f64>,
        pub limb_coverage: Option<f64>,
        pub contacts: Option<usize>,
        pub bridged_gaps: Option<usize>,
        pub clusters: Option<usize>,
        pub coarse_clusters: Option<usize>,
        pub limbs: Option<usize>,
        pub pieces_of_joints: Entries<usize>,
        pub kinds: Vec<PieceReport>,
        pub partings: Vec<PartingReport>,
    }

    /// Two pieces that touch at rest and come apart in a test pose, and how far in parts of the height.
    pub struct PartingReport {
        pub pieces: [usize; 2],
        pub gap: f64,
        pub pose: &'static str,
    }

    /// What a piece with at least a thousandth of the surface is, and why, as a clause about it; the joint that moves all of it, which
    /// for an accessory is that of what holds it.
    pub struct PieceReport {
        pub piece: usize,
        pub kind: &'static str,
        pub why: String,
        pub joint: Option<String>,
        pub bends_at: Option<String>,
        pub area: f64,
        pub open_edges: f64,
        pub walled: f64,
        pub enclosed: f64,
    }

    /// What binding found, how it had to help itself, and how good the skin is.
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
        pub test_poses: Option<Entries<PoseReport>>,
    }

    /// What a joint follows: a share of the twist of a bone, half of a rotation, or a muscle; and the joints that it depends on.
    pub struct HelperReport {
        pub kind: &'static str,
        pub parent: Option<String>,
        pub follows: Vec<String>,
        pub share: Option<f64>,
    }

    /// How far the skin is from examples in percent of the height: with the weights to start with, with those that were learned, and
    /// on each example with weights for which it was not used.
    pub struct ExamplesReport {
        pub used: bool,
        pub before: SurfaceErrorReport,
        pub after: SurfaceErrorReport,
        pub left_out: Option<SurfaceErrorReport>,
        pub examples: Entries<ExampleReport>,
    }

    /// The same for one example.
    pub struct ExampleReport {
        pub before: SurfaceErrorReport,
        pub after: SurfaceErrorReport,
        pub left_out: Option<SurfaceErrorReport>,
    }

    /// A distance in percent of the height.
    pub struct SurfaceErrorReport {
        pub rms: f64,
        pub of_one_vertex_in_a_thousand: f64,
    }

    /// An axis, and why it is that one.
    pub struct AxisReport {
        pub axis: String,
        pub why: String,
        pub probability: f64,
    }

    /// Size and orientation of the character.
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
        pub output_from_input: TransformRecord,
    }

    /// The surface, and the medial graph in it.
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
}

impl RigReport {
    /// What there is to tell about a mesh with joints, and about its skin if it was bound.
    pub fn of(jointed: &Jointed, rigged: Option<&Rigged>, quality: Option<&Quality>) -> RigReport {
        let rig = &jointed.rig_file;
        let (embedding, stages) = jointed.joints.found().unzip();
        let landmarks = stages.and_then(|stages| stages.landmarks.as_ref());
        let times = stages.into_iter().flat_map(|stages| &stages.times);
        let times: Vec<_> = times.map(|(name, time)| (*name, time.as_secs_f64())).collect();
        RigReport {
            puppetry_report: 1,
            command: "rig",
            file: String::new(),
            outputs: Vec::new(),
            refused: None,
            skeleton: SkeletonChoice {
                name: rig.skeleton.name.clone(),
                why: skeleton_reason(&jointed.joints),
                margin: landmarks.map(|landmarks| rounded(landmarks.plan_margin)),
            },
            route: RouteReport {
                name: embedding.map_or(unembedded(&jointed.joints).to_owned(), routes),
                why: embedding.map_or_else(|| why_unembedded(&jointed.joints), |e| e.reason.to_string()),
                disagreement_in_heights: embedding.and_then(Embedding::disagreement).map(|d| round(d, 4)),
            },
            confidence: rounded(rig.confidence),
            doubts: jointed.doubts(),
            symmetric: rig.symmetric,
            joints: joints(rig),
            doubtful_joints: doubtful_joints(rig).into_iter().map(|joint| doubtful(rig, joint)).collect(),
            search: stages.and_then(|stages| Some(search(stages, &stages.attempts[stages.best?]))),
            parts: parts(jointed, rigged),
            skin: rigged.map(|rigged| skin(rigged, quality)),
            helpers: rigged.map(|rigged| helpers(&rigged.character.rig)),
            examples: rigged.and_then(|rigged| rigged.learned.as_ref()).map(examples),
            body_parts: rigged.and_then(body_parts),
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
            warnings: jointed.warnings.iter().map(Finding::from).collect(),
            seconds: seconds(&times),
        }
    }

    /// With the files of the run, and the time that each of its parts took.
    #[must_use]
    pub fn with_run(self, file: &Path, outputs: &[PathBuf], laps: &[(&'static str, f64)]) -> RigReport {
        RigReport {
            file: file.to_string_lossy().into_owned(),
            outputs: outputs.iter().map(|path| path.to_string_lossy().into_owned()).collect(),
            seconds: seconds(laps).into_iter().chain(self.seconds).collect(),
            ..self
        }
    }
}

/// The routes that were used.
fn routes(embedding: &Embedding) -> String {
    let names: Vec<String> = embedding.routes.iter().map(|used| used.route.to_string()).collect();
    names.join(", ")
}

/// The way to joints that were not embedded.
fn unembedded(joints: &Joints) -> &'static str {
    if joints.made().is_some() { "shape" } else { "given" }
}

fn why_unembedded(joints: &Joints) -> String {
    let made = joints.made().map(|made| format!("of what its shape shows: {}", made.census.summary()));
    made.unwrap_or_else(|| GIVEN.to_owned())
}

/// Why a skeleton was made.
const MADE: &str = "made for this body";

/// Why the joints belong to their skeleton.
fn skeleton_reason(joints: &Joints) -> &'static str {
    if joints.made().is_some() {
        return MADE;
    }
    let Some((_, stages)) = joints.found() else {
        return if joints.is_named() { "by the names of the joints" } else { "by the shape of the body" };
    };
    match stages.landmarks.as_ref().map(|landmarks| landmarks.plan_reason) {
        Some(PlanReason::TwoPairsOfLegs) => "two pairs of legs stand on the ground",
        Some(PlanReason::OnePairOfLegs) => "one pair of legs stands on the ground",
        Some(PlanReason::Prior) => "it looks like one",
        Some(PlanReason::Given) => "the only one with the joints of the hints",
        None => "the first that comes into question",
    }
}

fn body_parts(rigged: &Rigged) -> Option<BodyPartsReport> {
    let assembly = rigged.assembly.as_ref()?;
    let parts = assembly.parts.iter().map(|part| BodyPartReport {
        part: part.slot.to_string(),
        source: part.source.clone(),
        is_heat: part.confidence < PartReport::HEAT,
        distance_in_heights: round(part.distance, 4),
        covered: rounded(part.covered),
        confidence: rounded(part.confidence),
        next: part.next.iter().map(|(name, distance)| (name.clone(), round(*distance, 4))).collect(),
    });
    Some(BodyPartsReport {
        confidence: rounded(assembly.confidence),
        parts: parts.collect(),
        joints: assembly.extra.iter().map(|extra| extra.joint.name.clone()).collect(),
        corrected_joints: assembly.moved.len(),
    })
}

fn joints(rig: &RigFile) -> Entries<JointReport> {
    let joints = rig.skeleton.joints.iter().zip(&rig.confidences);
    let entries = joints.map(|(joint, &confidence)| {
        let (position, confidence) = (position_record(&joint.position), rounded(confidence));
        (joint.name.clone(), JointReport { position, confidence, tip: joint.is_tip })
    });
    entries.collect()
}

fn doubtful(rig: &RigFile, joint: usize) -> DoubtfulJoint {
    let [x, y, z] = rounded_position(rig, joint);
    let (joint, confidence) = (rig.skeleton.joints[joint].name.clone(), rounded(rig.confidences[joint]));
    DoubtfulJoint { hint: format!("{joint}={x},{y},{z}"), joint, confidence }
}

fn parts(jointed: &Jointed, rigged: Option<&Rigged>) -> PartsReport {
    let Segmentation { kind, reason, parts, joint_of_piece, classes, .. } = &jointed.parts;
    let skeleton = &jointed.rig_file.skeleton;
    let mut counts = Entries::new();
    for (joint, data) in skeleton.joints.iter().enumerate() {
        let count = joint_of_piece.iter().filter(|&&other| other == joint).count();
        if count > 0 && *kind == PartsKind::Rigid {
            counts.insert(data.name.clone(), count);
        }
    }
    let parts = parts.as_ref();
    let movers = rigged.map_or(&[][..], |rigged| &rigged.movers);
    PartsReport {
        route: kind.to_string(),
        why: reason.to_string(),
        pieces: jointed.prepared.topology.components.len(),
        rigid_pieces: rigged.map(Rigged::rigid_pieces),
        bending_share: classes.as_ref().map(|classes| round(classes.bending_area, 4)),
        limb_coverage: classes.as_ref().map(|classes| round(classes.limb_coverage, 4)),
        contacts: parts.map(|parts| parts.contacts.len() - parts.gaps()),
        bridged_gaps: parts.map(|parts| parts.gaps()),
        clusters: parts.map(|parts| parts.high.nodes.len()),
        coarse_clusters: parts.map(|parts| parts.low.nodes.len()),
        limbs: parts.map(|parts| parts.low.branch_count()),
        pieces_of_joints: counts,
        kinds: classes.as_ref().map(|classes| piece_kinds(classes, movers, skeleton)).unwrap_or_default(),
        partings: rigged.map(|rigged| rigged.partings.iter().map(parting).collect()).unwrap_or_default(),
    }
}

fn parting(parting: &Parting) -> PartingReport {
    PartingReport { pieces: parting.pieces, gap: round(parting.gap, 4), pose: parting.pose }
}

/// Smaller pieces are not listed, in parts of the surface.
const LISTED_AREA: f64 = 0.001;

fn piece_kinds(classes: &PieceClasses, movers: &[Option<usize>], skeleton: &Skeleton) -> Vec<PieceReport> {
    let numbered = classes.list.iter().enumerate().filter(|(_, piece)| piece.area >= LISTED_AREA);
    let mover = |number: usize| movers.get(number).copied().flatten();
    numbered.map(|(number, piece)| piece_report(number, piece, mover(number), skeleton)).collect()
}

fn piece_report(number: usize, piece: &PieceClass, mover: Option<usize>, skeleton: &Skeleton) -> PieceReport {
    let name = |joint: usize| skeleton.joints[joint].name.clone();
    let (kind, joint) = match piece.kind {
        ComponentKind::Body => ("body", None),
        ComponentKind::Rigid { joint } => ("rigid", Some(joint)),
        ComponentKind::Accessory => ("accessory", None),
        ComponentKind::Cloth => ("cloth", None),
    };
    PieceReport {
        piece: number,
        kind,
        why: piece.reason.to_string(),
        joint: mover.or(joint).map(name),
        bends_at: piece.bends_at.map(name),
        area: round(piece.area, 4),
        open_edges: round(piece.open_edges, 4),
        walled: round(piece.walled, 4),
        enclosed: round(piece.enclosure.shares.iter().copied().fold(0.0, f64::max), 2),
    }
}

fn skin(rigged: &Rigged, quality: Option<&Quality>) -> SkinSummary {
    let (report, components) = (&rigged.skin, &rigged.skin.components);
    SkinSummary {
        max_influences: rigged.weights.slots(),
        mean_influences: round(rigged.mean_influences(), 2),
        pieces: components.count,
        hanging_pieces: components.draped,
        stiff_pieces: components.rigid,
        stitches: components.stitches,
        hidden_vertices: report.hidden_vertices,
        bleeding: round(report.bleeding, 4),
        sum_error: quality.map(|quality| quality.sum_error),
        roughness: quality.map(|quality| round(quality.roughness, 4)),
        test_poses: quality.map(|quality| quality.poses.iter().map(pose).collect()),
    }
}

fn helpers(rig: &Rig) -> Entries<HelperReport> {
    let name = |joint: usize| rig.joints[joint].name.clone();
    let entries = rig.helpers.iter().map(|helper| {
        let (kind, follows, share) = match helper.follows {
            Follows::Twist { bone, next, share, .. } => ("twist", vec![bone, next], Some(round(share, 4))),
            Follows::Half { above, below } => ("half", vec![above, below], None),
            Follows::Bulge { bone, next, .. } => ("muscle", vec![bone, next], None),
        };
        let parent = rig.joints[helper.joint].parent.map(name);
        let follows = follows.into_iter().map(name).collect();
        (name(helper.joint), HelperReport { kind, parent, follows, share })
    });
    entries.collect()
}

fn examples(learned: &LearnedSkin) -> ExamplesReport {
    let fit = &learned.fit;
    let examples = fit.errors.iter().map(|error| {
        let report = ExampleReport {
            before: surface_error(&error.before),
            after: surface_error(&error.after),
            left_out: error.left_out.as_ref().map(surface_error),
        };
        (error.name.clone(), report)
    });
    ExamplesReport {
        used: learned.is_used,
        before: surface_error(&fit.before),
        after: surface_error(&fit.after),
        left_out: fit.left_out.as_ref().map(surface_error),
        examples: examples.collect(),
    }
}

fn surface_error(error: &SurfaceError) -> SurfaceErrorReport {
    SurfaceErrorReport {
        rms: round(error.rms, 4),
        of_one_vertex_in_a_thousand: round(error.of_one_in_a_thousand, 4),
    }
}

fn pose(pose: &PoseQuality) -> (String, PoseReport) {
    let report = PoseReport {
        worst_stretch: round(pose.worst_stretch, 3),
        stretch_of_one_edge_in_a_thousand: round(pose.stretch_999, 3),
        volume: round(pose.volume, 4),
    };
    (pose.name.to_owned(), report)
}

fn placement(jointed: &Jointed) -> PlacementReport {
    let placement = &jointed.prepared.placement;
    let orientation = &placement.orientation;
    PlacementReport {
        up: AxisReport {
            axis: orientation.up.to_string(),
            why: orientation.up_reason.to_string(),
            probability: round(orientation.up_probability, 4),
        },
        front: AxisReport {
            axis: orientation.front.to_string(),
            why: orientation.front_reason.to_string(),
            probability: round(orientation.front_probability, 4),
        },
        turned: !orientation.is_upright(),
        yaw_degrees: round(orientation.yaw.to_degrees(), 2),
        height_in_file: placement.height_in_file,
        height_meters: placement.height,
        size_why: placement.size_reason.to_string(),
        lift_meters: placement.lift,
        centered: placement.centered,
        output_from_input: TransformRecord::from(&placement.output_from_input),
    }
}

fn search(stages: &Stages, best: &Attempt) -> SearchReport {
    let found = &best.found;
    let names = TERMS.iter().map(|term| term.name).chain(["guide"]);
    let terms = names.zip(0..TERM_COUNT).map(|(name, term)| {
        let sum: f64 = found.matches[0].terms.iter().map(|terms| terms[term]).sum();
        (name.to_owned(), round(sum, 4))
    });
    let tried = stages.attempts.iter().map(|a| (a.template.name.clone(), cost(a)));
    SearchReport {
        template: best.template.name.clone(),
        cost: cost(best),
        cost_by_term: terms.collect(),
        cost_of_another_answer: stages.rival_cost().map(|cost| round(cost, 4)),
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
    round(attempt.found.matches[0].cost, 4)
}
