//! What a run did and how good the result is: for people, and as JSON.

use super::rig::{doubtful_joints, rounded_place};
use puppetry::Warning;
use puppetry::autorig::{Joints, Skinned};
use puppetry::embed::landmarks::PlanReason;
use puppetry::embed::penalty::{TERM_COUNT, TERMS};
use puppetry::embed::search::Effort;
use puppetry::embed::{Attempt, Embedding, Route, Stages};
use puppetry::io::json_text;
use puppetry::io::rig_file::{RigFile, place, rounded, transform};
use puppetry::mesh::prepare::PreparedMesh;
use puppetry::parts::{Kind, PartsRoute, Reason};
use puppetry::skin::quality::{PoseQuality, Quality};
use serde_json::{Map, Value, json};
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// Everything that there is to tell about a run.
pub struct Report<'a> {
    pub file: &'a Path,
    pub outputs: &'a [PathBuf],
    /// The skeleton was left to the program.
    pub is_auto: bool,
    pub rig: &'a RigFile,
    pub prepared: &'a PreparedMesh,
    pub joints: &'a Joints,
    /// How separate pieces move.
    pub parts: &'a PartsRoute,
    /// The bound character, if it was asked for.
    pub skinned: Option<&'a Skinned<'a>>,
    /// What test poses do to it, if the report was asked for.
    pub quality: Option<&'a Quality>,
    pub warnings: &'a [Warning],
    /// Seconds that each part of the run took.
    pub laps: &'a [(&'static str, f64)],
}

impl Report<'_> {
    /// A few lines.
    pub fn text(&self) -> String {
        let mut text = format!("{}\n", self.file.display());
        let mut line = |heading: &str, content: String| {
            let _ = writeln!(text, "  {heading:<14}{content}");
        };
        let count = self.rig.skeleton.joints.iter().filter(|joint| !joint.is_tip).count();
        line("skeleton", format!("{}, {count} joints ({})", self.rig.skeleton.name, self.skeleton_reason()));
        match self.joints.found() {
            Some((embedding, _)) => {
                line("joints", format!("{}{}", embedding.reason, agreement(embedding)));
                line("confidence", format!("{:.2}{}", self.rig.confidence, self.least_sure()));
            }
            None => line("joints", GIVEN.to_owned()),
        }
        if self.prepared.topology.components.len() > 1 {
            line("parts", format!("{} ({})", parts_text(self.parts), self.parts.reason));
        }
        if let Some(skinned) = self.skinned {
            line("skin", skin_line(skinned));
        }
        let stance = &self.prepared.placement.stance;
        if !stance.is_upright() {
            let (up, facing, why) = (stance.up, stance.facing(), stance.front_reason);
            line("turned", format!("in the file {up} is up and it faces {facing} ({why})"));
        }
        for path in self.outputs {
            line("wrote", path.display().to_string());
        }
        text
    }

    /// What was tried, and the time that each part took.
    pub fn details(&self) -> String {
        let mut text = String::new();
        if let Some((_, stages)) = self.joints.found() {
            for (index, attempt) in stages.attempts.iter().enumerate() {
                let mark = if Some(index) == stages.best { "best" } else { "tried" };
                let cost = attempt.found.matches[0].cost;
                let _ = writeln!(text, "  {mark:<14}{}: cost {cost:.3}", attempt.template.name);
            }
        }
        for (name, seconds) in self.seconds() {
            let _ = writeln!(text, "  {:<14}{name} {:.0} ms", "time", 1000.0 * seconds);
        }
        text
    }

    pub fn json(&self) -> String {
        json_text::lines(&self.value(), 2)
    }

    /// Everything, as JSON.
    pub fn value(&self) -> Value {
        let rig = self.rig;
        let (embedding, stages) = self.joints.found().unzip();
        let landmarks = stages.and_then(|stages| stages.landmarks.as_ref());
        let joints = rig.skeleton.joints.iter().zip(&rig.confidences);
        let joints = joints.map(|(joint, &confidence)| {
            let content =
                json!({ "position": place(&joint.position), "confidence": rounded(confidence), "tip": joint.is_tip });
            (joint.name.clone(), content)
        });
        let doubtful = doubtful_joints(rig).into_iter().map(|joint| {
            let [x, y, z] = rounded_place(rig, joint);
            let (joint, confidence) = (&rig.skeleton.joints[joint], rig.confidences[joint]);
            let hint = format!("--hint {}={x},{y},{z}", joint.name);
            json!({ "joint": joint.name, "confidence": rounded(confidence), "hint": hint })
        });
        let seconds = self.seconds().map(|(name, seconds)| (name.to_owned(), json!(round(seconds, 1e4))));
        let warnings = self.warnings.iter().map(|w| json!({ "code": w.code(), "text": w.to_string() }));
        json!({
            "puppetry_report": 1,
            "command": "rig",
            "file": self.file.to_string_lossy(),
            "outputs": self.outputs.iter().map(|path| path.to_string_lossy()).collect::<Vec<_>>(),
            "skeleton": {
                "name": rig.skeleton.name,
                "why": self.skeleton_reason(),
                "margin": landmarks.map(|landmarks| rounded(landmarks.plan_margin)),
            },
            "route": {
                "name": embedding.map_or("given".to_owned(), |embedding| embedding.route.to_string()),
                "why": embedding.map_or(GIVEN.to_owned(), |embedding| embedding.reason.to_string()),
                "disagreement_in_heights": embedding.and_then(Embedding::disagreement).map(|d| round(d, 1e4)),
            },
            "confidence": rounded(rig.confidence),
            "doubts": landmarks.map(|l| l.doubts.iter().map(ToString::to_string).collect::<Vec<_>>()),
            "symmetric": rig.symmetric,
            "joints": joints.collect::<Map<_, _>>(),
            "doubtful_joints": doubtful.collect::<Vec<_>>(),
            "search": stages.and_then(|stages| Some(search(stages, &stages.attempts[stages.best?]))),
            "parts": self.parts(),
            "skin": self.skinned.map(|skinned| self.skin(skinned)),
            "placement": self.placement(),
            "mesh": {
                "welded_vertices": self.prepared.positions.len(),
                "triangles_in_use": self.prepared.triangles.len(),
                "components": self.prepared.topology.components.len(),
                "watertight": self.prepared.topology.is_watertight(),
                "medial_samples": stages.map(|stages| stages.medial.len()),
                "spheres": stages.map(|stages| stages.graph.spheres.len()),
                "edges": stages.map(|stages| stages.graph.edges.len()),
                "mended_gaps": stages.map(|stages| stages.graph.gaps.len()),
            },
            "warnings": warnings.collect::<Vec<_>>(),
            "seconds": seconds.collect::<Map<_, _>>(),
        })
    }

    /// How separate pieces move, why, and what was found about them.
    fn parts(&self) -> Value {
        let PartsRoute { kind, reason, parts, joint_of_piece, .. } = self.parts;
        let evidence = match reason {
            Reason::Evidence(evidence) => Some(evidence),
            Reason::Asked | Reason::Heap { .. } => None,
        };
        let joints = self.rig.skeleton.joints.iter().enumerate();
        let counts = joints.map(|(joint, data)| {
            (data.name.clone(), joint_of_piece.iter().filter(|&&other| other == joint).count())
        });
        let counts = counts.filter(|(_, count)| *count > 0 && *kind == Kind::Rigid);
        let counts: Map<String, Value> = counts.map(|(name, count)| (name, json!(count))).collect();
        json!({
            "route": kind.to_string(),
            "why": reason.to_string(),
            "pieces": self.prepared.topology.components.len(),
            "rigid_pieces": self.skinned.map(|skinned| skinned.rigid_pieces),
            "closed_share": evidence.map(|evidence| round(evidence.closed, 1e4)),
            "torn_share": evidence.map(|evidence| round(evidence.torn, 1e4)),
            "contacts": parts.as_ref().map(|parts| parts.contacts.len() - parts.gaps()),
            "bridged_gaps": parts.as_ref().map(|parts| parts.gaps()),
            "clusters": parts.as_ref().map(|parts| parts.high.nodes.len()),
            "coarse_clusters": parts.as_ref().map(|parts| parts.low.nodes.len()),
            "limbs": parts.as_ref().map(|parts| parts.low.branches().len()),
            "pieces_of_joints": counts,
        })
    }

    /// What binding found, how it had to help itself, and how good the skin is.
    fn skin(&self, skinned: &Skinned) -> Value {
        let (report, components) = (&skinned.report, &skinned.report.components);
        let pose = |pose: &PoseQuality| {
            let figures = json!({
                "worst_stretch": round(pose.worst_stretch, 1e3),
                "stretch_of_one_edge_in_a_thousand": round(pose.stretch_999, 1e3),
                "volume": round(pose.volume, 1e4),
            });
            (pose.name.to_owned(), figures)
        };
        json!({
            "max_influences": skinned.weights.slots(),
            "mean_influences": round(skinned.mean_influences(), 1e2),
            "pieces": components.count,
            "hanging_pieces": components.draped,
            "stiff_pieces": components.rigid,
            "stitches": components.stitches,
            "hidden_vertices": report.hidden_vertices,
            "bleeding": round(report.bleeding, 1e4),
            "sum_error": self.quality.map(|quality| quality.sum_error),
            "roughness": self.quality.map(|quality| round(quality.roughness, 1e4)),
            "test_poses": self.quality.map(|quality| quality.poses.iter().map(pose).collect::<Map<_, _>>()),
        })
    }

    fn placement(&self) -> Value {
        let placement = &self.prepared.placement;
        let stance = &placement.stance;
        json!({
            "up": { "axis": stance.up.to_string(), "why": stance.up_reason.to_string() },
            "front": { "axis": stance.front.to_string(), "why": stance.front_reason.to_string() },
            "turned": !stance.is_upright(),
            "yaw_degrees": round(stance.yaw.to_degrees(), 1e2),
            "height_in_file": placement.height_in_file,
            "height_meters": placement.height,
            "size_why": placement.size_reason.to_string(),
            "lift_meters": placement.lift,
            "centered": placement.centered,
            "output_from_input": transform(&placement.output_from_input),
        })
    }

    fn skeleton_reason(&self) -> &'static str {
        if !self.is_auto {
            return "as told";
        }
        let Some((_, stages)) = self.joints.found() else { return "by the names of the joints" };
        match stages.landmarks.as_ref().map(|landmarks| landmarks.plan_reason) {
            Some(PlanReason::TwoPairsOfLegs) => "two pairs of legs stand on the ground",
            Some(PlanReason::OnePairOfLegs) => "one pair of legs stands on the ground",
            Some(PlanReason::Given) => "the only one with the joints of the hints",
            None => "the first that comes into question",
        }
    }

    fn least_sure(&self) -> String {
        let (joints, confidences) = (&self.rig.skeleton.joints, &self.rig.confidences);
        let exported = (0..joints.len()).filter(|&joint| !joints[joint].is_tip);
        let worst = exported.min_by(|&a, &b| confidences[a].total_cmp(&confidences[b]));
        let differs = worst.filter(|&joint| rounded(confidences[joint]) < rounded(self.rig.confidence));
        let tell =
            |joint: usize| format!("; least sure is {} at {:.2}", joints[joint].name, confidences[joint]);
        differs.map(tell).unwrap_or_default()
    }

    /// Parts of the run and of the embedding, with their times.
    fn seconds(&self) -> impl Iterator<Item = (&'static str, f64)> {
        let inner = self.joints.found().into_iter().flat_map(|(_, stages)| &stages.times);
        let inner = inner.map(|(name, time)| (*name, time.as_secs_f64()));
        self.laps.iter().copied().chain(inner)
    }
}

/// The best attempt: its cost split by term, how it was found, and how far the next best is.
fn search(stages: &Stages, best: &Attempt) -> Value {
    let found = &best.found;
    let names = TERMS.iter().map(|term| term.name).chain(["guide"]);
    let sum = |term: usize| found.matches[0].terms.iter().map(|terms| terms[term]).sum::<f64>();
    let terms = names.zip(0..TERM_COUNT).map(|(name, term)| (name.to_owned(), json!(round(sum(term), 1e4))));
    let cost = |attempt: &Attempt| round(attempt.found.matches[0].cost, 1e4);
    let tried = stages.attempts.iter().map(|a| (a.template.name.clone(), json!(cost(a))));
    json!({
        "template": best.template.name,
        "cost": cost(best),
        "cost_by_term": terms.collect::<Map<_, _>>(),
        "cost_of_another_answer": stages.rival_cost().map(|cost| round(cost, 1e4)),
        "effort": match found.effort {
            Effort::Optimal => "optimal",
            Effort::OverLimit => "nothing within the limits of the penalties; the best of a beam",
            Effort::OutOfBounds => "stopped at its bounds; the best of a beam",
        },
        "steps": found.steps,
        "templates": tried.collect::<Map<_, _>>(),
    })
}

/// Where joints come from that were not searched.
const GIVEN: &str = "given in a file";

/// How far the two routes are apart.
fn agreement(embedding: &Embedding) -> String {
    let other = if embedding.route == Route::Search { "the landmarks are" } else { "the search is" };
    let apart = |d: f64| format!("; {other} {:.1} % of the height away on average", 100.0 * d);
    embedding.disagreement().map(apart).unwrap_or_default()
}

fn parts_text(route: &PartsRoute) -> String {
    match (route.kind, &route.parts) {
        (Kind::Rigid, Some(parts)) => {
            let (contacts, gaps) = (parts.contacts.len() - parts.gaps(), parts.gaps());
            let floating = if gaps > 0 { format!(" and {gaps} gaps") } else { String::new() };
            format!("rigid, {contacts} contacts{floating}")
        }
        (kind, _) => kind.to_string(),
    }
}

fn skin_line(skinned: &Skinned) -> String {
    let components = &skinned.report.components;
    if skinned.rigid_pieces > 0 && skinned.rigid_pieces == components.count {
        return format!("{} pieces, each on one joint", components.count);
    }
    let kinds = [
        (skinned.rigid_pieces, "rigid"),
        (components.rigid, "stiff"),
        (components.draped, "hanging on others"),
    ];
    let kinds = kinds.iter().filter(|(count, _)| *count > 0).map(|(count, kind)| format!("{count} {kind}"));
    let kinds: Vec<String> = kinds.collect();
    let pieces = match (components.count, kinds.is_empty()) {
        (0 | 1, _) => String::new(),
        (count, true) => format!("{count} pieces, "),
        (count, false) => format!("{count} pieces ({}), ", kinds.join(", ")),
    };
    let bleeding = 100.0 * skinned.report.bleeding;
    format!("{} influences, {pieces}bleeding {bleeding:.1} %", skinned.weights.slots())
}

fn round(number: f64, digits: f64) -> f64 {
    (number * digits).round() / digits
}
