//! What rigging did, for people; [`RigReport`] has it as data.

use crate::embed::{Embedding, Route};
use crate::io::rig_file::rounded;
use crate::parts::{PartsKind, Segmentation};
use crate::pipeline::{Jointed, RigReport, Rigged};
use std::fmt::Write;

/// Everything that there is to tell about a run.
pub struct Report<'a> {
    pub report: &'a RigReport,
    pub jointed: &'a Jointed,
    /// The bound character, if it was asked for.
    pub rigged: Option<&'a Rigged>,
}

impl Report<'_> {
    /// A few lines.
    pub fn text(&self) -> String {
        let (report, jointed) = (self.report, self.jointed);
        let mut text = format!("{}\n", report.file);
        let mut line = |heading: &str, content: String| {
            let _ = writeln!(text, "  {heading:<14}{content}");
        };
        let count = jointed.rig_file.skeleton.joints.iter().filter(|joint| !joint.is_tip).count();
        line("skeleton", format!("{}, {count} joints ({})", report.skeleton.name, report.skeleton.why));
        match jointed.joints.found() {
            Some((embedding, _)) => {
                line("joints", format!("{}{}", embedding.reason, agreement(embedding)));
                line("confidence", format!("{:.2}{}", jointed.rig_file.confidence, self.least_sure()));
            }
            None => line("joints", report.route.why.clone()),
        }
        if jointed.prepared.topology.components.len() > 1 {
            line("parts", format!("{} ({})", parts_text(&jointed.parts), jointed.parts.reason));
        }
        if let Some(rigged) = self.rigged {
            line("skin", skin_line(rigged));
        }
        let orientation = &jointed.prepared.placement.orientation;
        if !orientation.is_upright() {
            let (up, facing, why) = (orientation.up, orientation.facing(), orientation.front_reason);
            line("turned", format!("in the file {up} is up and it faces {facing} ({why})"));
        }
        for path in &report.outputs {
            line("wrote", path.clone());
        }
        text
    }

    /// What was tried, and the time that each part took.
    pub fn details(&self) -> String {
        let mut text = String::new();
        if let Some((_, stages)) = self.jointed.joints.found() {
            for (index, attempt) in stages.attempts.iter().enumerate() {
                let mark = if Some(index) == stages.best { "best" } else { "tried" };
                let cost = attempt.found.matches[0].cost;
                let _ = writeln!(text, "  {mark:<14}{}: cost {cost:.3}", attempt.template.name);
            }
        }
        for (name, seconds) in &self.report.seconds {
            let milliseconds = 1000.0 * seconds.as_f64().unwrap_or(0.0);
            let _ = writeln!(text, "  {:<14}{name} {milliseconds:.0} ms", "time");
        }
        text
    }

    fn least_sure(&self) -> String {
        let rig = &self.jointed.rig_file;
        let (joints, confidences) = (&rig.skeleton.joints, &rig.confidences);
        let exported = (0..joints.len()).filter(|&joint| !joints[joint].is_tip);
        let worst = exported.min_by(|&a, &b| confidences[a].total_cmp(&confidences[b]));
        let differs = worst.filter(|&joint| rounded(confidences[joint]) < rounded(rig.confidence));
        let tell =
            |joint: usize| format!("; least sure is {} at {:.2}", joints[joint].name, confidences[joint]);
        differs.map(tell).unwrap_or_default()
    }
}

/// How far the two routes are apart.
fn agreement(embedding: &Embedding) -> String {
    let other = if embedding.route == Route::Search { "the landmarks are" } else { "the search is" };
    let apart = |d: f64| format!("; {other} {:.1} % of the height away on average", 100.0 * d);
    embedding.disagreement().map(apart).unwrap_or_default()
}

fn parts_text(route: &Segmentation) -> String {
    match (route.kind, &route.parts) {
        (PartsKind::Rigid, Some(parts)) => {
            let (contacts, gaps) = (parts.contacts.len() - parts.gaps(), parts.gaps());
            let floating = if gaps > 0 { format!(" and {gaps} gaps") } else { String::new() };
            format!("rigid, {contacts} contacts{floating}")
        }
        (kind, _) => kind.to_string(),
    }
}

fn skin_line(rigged: &Rigged) -> String {
    let components = &rigged.skin.components;
    if rigged.rigid_pieces > 0 && rigged.rigid_pieces == components.count {
        return format!("{} pieces, each on one joint", components.count);
    }
    let kinds = [
        (rigged.rigid_pieces, "rigid"),
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
    let bleeding = 100.0 * rigged.skin.bleeding;
    format!("{} influences, {pieces}bleeding {bleeding:.1} %", rigged.weights.slots())
}
