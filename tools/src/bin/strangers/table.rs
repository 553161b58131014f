//! Outcomes as tables.

use super::judge::Verdict;
use super::{Outcome, Way};
use std::collections::BTreeMap;
use std::fmt::Write;

/// All tables.
pub fn of(outcomes: &[Outcome]) -> String {
    let mut text = String::new();
    for (title, group) in groups(outcomes) {
        let _ = writeln!(text, "{title}: {}", group.len());
        let _ = writeln!(text, "  {:<12}{:>7}{:>7}{:>9}", "way", "strict", "pass", "mean");
        for way in Way::ALL {
            let verdicts: Vec<_> = group.iter().filter_map(|outcome| outcome.of(way)).collect();
            let strict = verdicts.iter().filter(|verdict| verdict.is_strict_pass()).count();
            let pass = verdicts.iter().filter(|verdict| verdict.is_pass()).count();
            let mean = mean(verdicts.iter().map(|verdict| verdict.mean()));
            let _ = writeln!(text, "  {:<12}{strict:>7}{pass:>7}{:>7.2} %", way.name(), 100.0 * mean);
        }
        let either = group.iter().filter(|outcome| {
            [Way::Landmarks, Way::Search, Way::Prior]
                .iter()
                .any(|&way| outcome.of(way).is_some_and(|verdict| verdict.is_pass()))
        });
        let _ = writeln!(text, "  {:<19}{:>7}", "any of three", either.count());
        let _ = writeln!(text, "  {}", confidence(&group));
        let _ = writeln!(text, "  worst joints: {}", worst_joints(&group));
        let _ = writeln!(text, "  failed: {}", failed(&group));
    }
    text
}

/// The outcomes of each folder by body plan, and of all folders.
fn groups(outcomes: &[Outcome]) -> Vec<(String, Vec<&Outcome>)> {
    let mut groups: BTreeMap<(String, String), Vec<&Outcome>> = BTreeMap::new();
    for outcome in outcomes {
        let plan = &outcome.truth.morphology;
        groups.entry((outcome.folder.clone(), plan.clone())).or_default().push(outcome);
        groups.entry(("together".to_owned(), plan.clone())).or_default().push(outcome);
    }
    groups.into_iter().map(|((folder, plan), group)| (format!("{folder}, {plan}s"), group)).collect()
}

fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let (sum, count) = values.fold((0.0, 0), |(sum, count), value| (sum + value, count + 1));
    sum / f64::from(count.max(1))
}

fn is_pass(outcome: &Outcome) -> bool {
    outcome.of(Way::Program).is_some_and(|verdict| verdict.is_pass())
}

/// A confidence from which on a rig should be right.
const SURE: f64 = 0.9;

/// How well the confidence tells right from wrong, and what becomes of those that are sure.
fn confidence(group: &[&Outcome]) -> String {
    let (right, wrong): (Vec<&Outcome>, Vec<&Outcome>) =
        group.iter().copied().partition(|outcome| is_pass(outcome));
    let sure: Vec<&&Outcome> = group.iter().filter(|outcome| outcome.confidence > SURE).collect();
    let kept = sure.iter().filter(|outcome| is_pass(outcome)).count();
    let confidences =
        |outcomes: &[&Outcome]| outcomes.iter().map(|outcome| outcome.confidence).collect::<Vec<f64>>();
    let area = match area_under_curve(&confidences(&right), &confidences(&wrong)) {
        Some(area) => format!("{area:.3}"),
        None => "unknown".to_owned(),
    };
    format!("confidence: AUC {area}; above {SURE} are {} of which {kept} pass", sure.len())
}

/// The probability that a right one is more certain than a wrong one; `None` if there are none of either.
pub fn area_under_curve(right: &[f64], wrong: &[f64]) -> Option<f64> {
    let pairs = right.iter().flat_map(|r| wrong.iter().map(move |w| (r, w)));
    let wins: f64 = pairs
        .map(|(r, w)| {
            if r > w {
                1.0
            } else if r == w {
                0.5
            } else {
                0.0
            }
        })
        .sum();
    let count = right.len() * wrong.len();
    (count > 0).then(|| wins / count as f64)
}

/// Joints that a table names.
const NAMED: usize = 5;

fn worst_joints(group: &[&Outcome]) -> String {
    let mut sums: BTreeMap<&str, (f64, u32)> = BTreeMap::new();
    for verdict in group.iter().filter_map(|outcome| outcome.of(Way::Program)) {
        for (name, error) in &verdict.fair().0 {
            // Left and right are one.
            let name = name.strip_prefix("left_").or(name.strip_prefix("right_")).unwrap_or(name);
            let entry = sums.entry(name).or_default();
            *entry = (entry.0 + error, entry.1 + 1);
        }
    }
    let mut means: Vec<(&str, f64)> =
        sums.into_iter().map(|(name, (sum, count))| (name, sum / f64::from(count))).collect();
    means.sort_by(|a, b| b.1.total_cmp(&a.1));
    let named = means.iter().take(NAMED).map(|(name, mean)| format!("{name} {:.1} %", 100.0 * mean));
    named.collect::<Vec<_>>().join(", ")
}

fn failed(group: &[&Outcome]) -> String {
    let names = group.iter().filter(|outcome| !is_pass(outcome)).map(|outcome| outcome.name.as_str());
    names.collect::<Vec<_>>().join(", ")
}

/// A line for each character: whether it passes, its mean error, its confidence, its family, and its worst joints by each way.
pub fn lines(outcomes: &[Outcome]) -> String {
    let mut text = String::new();
    for outcome in outcomes {
        let mean = outcome.of(Way::Program).map_or(f64::NAN, |verdict| verdict.mean());
        let word = if is_pass(outcome) { "pass" } else { "fail" };
        let (folder, name, family) = (&outcome.folder, &outcome.name, &outcome.truth.family);
        let worst = Way::ALL.map(|way| outcome.of(way).map_or("none".to_owned(), worst_of)).join("\t");
        let _ = writeln!(
            text,
            "{folder}/{name}\t{word}\t{mean:.4}\t{:.3}\t{family}\t{worst}",
            outcome.confidence
        );
    }
    text
}

/// For each character what is known about its joints, and their errors.
pub fn joints(outcomes: &[Outcome]) -> String {
    let lines = outcomes.iter().map(|outcome| {
        let verdict = outcome.of(Way::Program);
        let joints: serde_json::Map<String, serde_json::Value> = outcome
            .joints
            .iter()
            .map(|(name, [scatter, spread, landmarks, search, prior])| {
                let error =
                    verdict.and_then(|v| v.fair().0.iter().find(|(own, _)| own == name)).map(|(_, e)| e);
                let about = serde_json::json!({
                    "error": error, "scatter": scatter, "spread": spread,
                    "landmarks": landmarks, "search": search, "prior": prior,
                });
                (name.clone(), about)
            })
            .collect();
        let line = serde_json::json!({
            "name": outcome.name, "folder": outcome.folder, "family": outcome.truth.family,
            "plan": outcome.truth.morphology, "pass": is_pass(outcome),
            "evidence": outcome.evidence.map(|evidence| evidence.0), "joints": joints,
        });
        format!("{line}\n")
    });
    lines.collect()
}

/// The joints of a rig that are farthest off.
fn worst_of(verdict: &Verdict) -> String {
    let mut errors = verdict.fair().0.clone();
    errors.sort_by(|a, b| b.1.total_cmp(&a.1));
    let word = if verdict.is_pass() { "pass" } else { "fail" };
    let named = errors.iter().take(NAMED).map(|(name, error)| format!("{name} {:.3}", error));
    format!("{word} {:.3}: {}", verdict.mean(), named.collect::<Vec<_>>().join(", "))
}

/// Who is won and lost between two texts of [`lines`].
pub fn changes(before: &str, now: &str) -> String {
    let read = |text: &str| -> BTreeMap<String, bool> {
        let fields = text.lines().map(|line| line.split('\t').collect::<Vec<_>>());
        fields
            .filter(|fields| fields.len() > 1)
            .map(|fields| (fields[0].to_owned(), fields[1] == "pass"))
            .collect()
    };
    let (before, now) = (read(before), read(now));
    let changed = |from: bool| {
        let both = now.iter().filter(|(name, is_pass)| before.get(*name) == Some(&from) && **is_pass != from);
        both.map(|(name, _)| name.as_str()).collect::<Vec<_>>().join(", ")
    };
    format!("won: {}\nlost: {}", changed(false), changed(true))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_area_is_half_where_nothing_is_told_apart() {
        assert_eq!(area_under_curve(&[0.5, 0.5], &[0.5]), Some(0.5));
        assert_eq!(area_under_curve(&[0.9, 0.8], &[0.1]), Some(1.0));
        assert_eq!(area_under_curve(&[], &[0.1]), None);
    }

    #[test]
    fn changes_name_both_sides() {
        let changes = changes("a\tpass\nb\tfail\nc\tpass", "a\tfail\nb\tpass\nd\tpass");
        assert_eq!(changes, "won: b\nlost: a");
    }
}
