//! What rigging did, for people; [`RigReport`] has it as data.

use super::bodyparts::part_lines;
use super::output::Lines;
use super::save::STDOUT;
use crate::embed::Embedding;
use crate::io::rig_file::{RigFile, rounded};
use crate::parts::{PartsKind, Segmentation};
use crate::pipeline::{Jointed, LearnedSkin, RigReport, Rigged};
use crate::rig::{Follows, Rig};

/// A few lines about a mesh with joints, and about its skin if it was bound.
pub fn summary(report: &RigReport, jointed: &Jointed, rigged: Option<&Rigged>) -> Lines {
    let mut lines = Lines::about(&report.file);
    let (skeleton, rig) = (&report.skeleton, &jointed.rig_file);
    let count = rig.skeleton.joints.iter().filter(|joint| !joint.is_tip).count();
    lines.add("skeleton", format_args!("{}, {count} joints ({})", skeleton.name, skeleton.why));
    match jointed.joints.found() {
        Some((embedding, _)) => {
            lines.add("joints", joints_text(embedding));
            lines.add("confidence", format_args!("{:.2}{}", rig.confidence, least_sure(rig)));
        }
        None => lines.add("joints", &report.route.why),
    }
    if jointed.joints.made().is_some() {
        lines.add("confidence", format_args!("{:.2}{}", rig.confidence, least_sure(rig)));
    }
    if jointed.prepared.topology.components.len() > 1 {
        lines.add("parts", format_args!("{} ({})", parts_text(&jointed.parts), jointed.parts.reason));
    }
    if let Some(rigged) = rigged {
        lines.add("skin", skin_text(rigged));
        if let Some(assembly) = &rigged.assembly {
            let parts = part_lines(assembly).into_iter().enumerate();
            parts.for_each(|(index, line)| lines.add(if index == 0 { "body parts" } else { "" }, line));
        }
        if let Some(text) = helpers_text(&rigged.character.rig) {
            lines.add("follow", text);
        }
        if let Some(learned) = &rigged.learned {
            lines.add("examples", examples_text(learned));
        }
    }
    let orientation = &jointed.prepared.placement.orientation;
    if !orientation.is_upright() {
        let (up, facing, why) = (orientation.up, orientation.facing(), orientation.front_reason);
        lines.add("turned", format_args!("in the file {up} is up and it faces {facing} ({why})"));
    }
    let files = report.outputs.iter().filter(|path| path.as_str() != STDOUT);
    files.for_each(|path| lines.add("wrote", path));
    lines
}

/// A line for each attempt of the search.
pub fn attempts(jointed: &Jointed) -> Vec<String> {
    let stages = jointed.joints.found().map(|(_, stages)| stages);
    let attempts = stages.into_iter().flat_map(|stages| {
        stages.attempts.iter().enumerate().map(|(index, attempt)| {
            let mark = if Some(index) == stages.best { "best" } else { "tried" };
            let cost = attempt.found.matches[0].cost;
            format!("  {mark:<14}{}: cost {cost:.3}", attempt.template.name)
        })
    });
    attempts.collect()
}

/// The joint with the least confidence, if that is less than the confidence in the whole.
fn least_sure(rig: &RigFile) -> String {
    let (joints, confidences) = (&rig.skeleton.joints, &rig.confidences);
    let exported = (0..joints.len()).filter(|&joint| !joints[joint].is_tip);
    let worst = exported.min_by(|&a, &b| confidences[a].total_cmp(&confidences[b]));
    match worst.filter(|&joint| rounded(confidences[joint]) < rounded(rig.confidence)) {
        Some(joint) => format!("; least sure is {} at {:.2}", joints[joint].name, confidences[joint]),
        None => String::new(),
    }
}

/// Which routes were used, and how far they are from the answer.
fn joints_text(embedding: &Embedding) -> String {
    let routes = listed(embedding.routes.iter().map(|used| used.route.to_string()));
    if embedding.routes.len() < 2 {
        return format!("by the {routes}, {}", embedding.reason);
    }
    let distances = listed(embedding.routes.iter().map(|used| format!("{:.1}", 100.0 * used.distance)));
    format!("where {routes} agree best; they are {distances} % of the height away on average")
}

/// A, B and C.
fn listed(words: impl Iterator<Item = String>) -> String {
    let mut words: Vec<String> = words.collect();
    let last = words.pop().unwrap_or_default();
    if words.is_empty() { last } else { format!("{} and {last}", words.join(", ")) }
}

fn parts_text(parts: &Segmentation) -> String {
    match (parts.kind, &parts.parts) {
        (PartsKind::Rigid, Some(parts)) => {
            let (contacts, gaps) = (parts.contacts.len() - parts.gaps(), parts.gaps());
            let floating = if gaps > 0 { format!(" and {gaps} gaps") } else { String::new() };
            format!("rigid, {contacts} contacts{floating}")
        }
        (kind, _) => kind.to_string(),
    }
}

/// How many joints follow others, by what they follow.
fn helpers_text(rig: &Rig) -> Option<String> {
    let count =
        |is_one: fn(&Follows) -> bool| rig.helpers.iter().filter(|helper| is_one(&helper.follows)).count();
    let kinds = [
        (count(|follows| matches!(follows, Follows::Twist { .. })), "twist joints"),
        (count(|follows| matches!(follows, Follows::Half { .. })), "half joints"),
        (count(|follows| matches!(follows, Follows::Bulge { .. })), "muscles"),
    ];
    let kinds = kinds.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} {what}"));
    Some(listed(kinds)).filter(|text| !text.is_empty())
}

/// How far the skin is from its examples, with the honest number at the end.
fn examples_text(learned: &LearnedSkin) -> String {
    let fit = &learned.fit;
    let left_out = fit.left_out.map(|error| format!(" ({:.2} left out)", error.rms)).unwrap_or_default();
    let (count, before, after) = (fit.errors.len(), fit.before.rms, fit.after.rms);
    let unused = if learned.is_used { "" } else { ", not used" };
    format!("{count}, {before:.2} → {after:.2} % of the height{left_out}{unused}")
}

fn skin_text(rigged: &Rigged) -> String {
    let components = &rigged.skin.components;
    if rigged.rigid_pieces() > 0 && rigged.rigid_pieces() == components.count {
        return format!("{} pieces, each on one joint", components.count);
    }
    let kinds = match rigged.rigid_pieces() {
        0 => [(components.rigid, "rigid"), (components.draped, "hanging on others")],
        rigid => [(rigid, "rigid"), (components.count.saturating_sub(rigid), "bending")],
    };
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
