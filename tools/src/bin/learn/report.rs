//! What was learned, as text and as JSON.

use puppetry::stages::io::json_text;
use puppetry::stages::learn::no_regression::Step;
use puppetry::stages::learn::rounds::Round;
use puppetry::stages::learn::validation::{Fold, Outcome};
use puppetry::stages::learn::{Answer, Dataset, Label, Learned, Margin};
use puppetry::stages::skeleton::{PENALTIES, PenaltyWeights, Skeleton};
use serde_json::{Value, json};
use std::fmt::Write;

/// Everything that there is to say.
pub struct Report<'a> {
    pub skeleton: &'a Skeleton,
    pub data: &'a Dataset,
    pub old: &'a PenaltyWeights,
    pub learned: &'a Learned,
    /// The learned weights as they are written.
    pub weights: &'a PenaltyWeights,
    pub history: &'a [Round],
    /// The last one was taken; none where there are no meshes.
    pub steps: &'a [Step],
    /// The characters whose good and bad embeddings no weights tell apart.
    pub inseparable: &'a [String],
    /// The smallest first.
    pub margins: &'a [Margin],
    pub before: &'a [Outcome],
    pub after: &'a [Outcome],
    pub folds: &'a [Fold],
    pub set_aside: &'a [String],
    pub others: &'a [String],
    /// Folders, each with the names of its characters.
    pub folders: &'a [(String, Vec<String>)],
    pub seed: u64,
}

/// How many of some characters pass.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
struct Tally {
    count: usize,
    stored: usize,
    search: usize,
    combined: usize,
    search_error: f64,
    combined_error: f64,
    answered: usize,
}

impl Tally {
    fn of<'a>(outcomes: impl IntoIterator<Item = &'a Outcome>) -> Tally {
        let mut tally = Tally::default();
        for outcome in outcomes {
            tally.count += 1;
            tally.stored += usize::from(outcome.stored);
            if let Some(Answer { search, combined }) = &outcome.answered {
                tally.answered += 1;
                tally.search += usize::from(search.pass());
                tally.combined += usize::from(combined.pass());
                tally.search_error += search.mean();
                tally.combined_error += combined.mean();
            }
        }
        tally
    }

    fn text(&self) -> String {
        let percent = |part: usize| 100.0 * part as f64 / self.count.max(1) as f64;
        if self.answered == 0 {
            return format!("{:3} of {:3} ({:5.1} %)", self.stored, self.count, percent(self.stored));
        }
        let mean = |sum: f64| 100.0 * sum / self.answered as f64;
        format!(
            "search {:3} of {:3} ({:5.1} %, mean error {:4.1} %), combined {:3} ({:5.1} %, {:4.1} %)",
            self.search,
            self.count,
            percent(self.search),
            mean(self.search_error),
            self.combined,
            percent(self.combined),
            mean(self.combined_error)
        )
    }

    fn json(&self) -> Value {
        let mut value = json!({ "characters": self.count, "stored": self.stored });
        if self.answered > 0 {
            let mean = |sum: f64| rounded(sum / self.answered as f64);
            value["search"] = json!(self.search);
            value["search_error"] = mean(self.search_error);
            value["combined"] = json!(self.combined);
            value["combined_error"] = mean(self.combined_error);
        }
        value
    }
}

/// Pairs that are told.
const PAIRS: usize = 8;

impl Report<'_> {
    /// Whether fewer characters pass than before.
    pub fn is_worse(&self) -> bool {
        let (before, after) = (Tally::of(self.before), Tally::of(self.after));
        let rank = |tally: &Tally| match tally.answered {
            0 => (tally.stored, 0),
            _ => (tally.combined, tally.search),
        };
        rank(&after) < rank(&before)
    }

    pub fn text(&self) -> String {
        let mut text = String::new();
        let mut line = |head: &str, rest: String| {
            let _ = writeln!(text, "  {head:<14}{rest}");
        };
        let counts = self.data.counts();
        let count = |label: Label| counts.get(label.word()).copied().unwrap_or(0);
        line(
            "learned from",
            format!(
                "{} characters of {} families: {} good, {} bad, {} embeddings that are neither",
                self.data.characters.len(),
                self.data.families().len(),
                count(Label::Good),
                count(Label::Bad),
                count(Label::Unsure)
            ),
        );
        if !self.set_aside.is_empty() {
            line(
                "set aside",
                format!("{} without a good embedding: {}", self.set_aside.len(), list(self.set_aside)),
            );
        }
        if !self.others.is_empty() {
            line(
                "left out",
                format!("{} that get another skeleton: {}", self.others.len(), list(self.others)),
            );
        }
        let separated = self.margins.iter().filter(|margin| margin.margin > 0.0).count();
        let smallest = self.margins.first().map_or(f64::NAN, |margin| margin.margin);
        line("margin", format!("{smallest:.4}, positive for {separated} of {}", self.margins.len()));
        for (number, round) in self.history.iter().enumerate() {
            line(
                "",
                format!(
                    "round {}: margin {:.4}, positive for {}, then {} new embeddings",
                    number + 1,
                    round.learned.margin,
                    round.separated,
                    round.new_examples
                ),
            );
        }
        if !self.inseparable.is_empty() {
            let (count, names) = (self.inseparable.len(), list(self.inseparable));
            line("no weights", format!("tell good from bad for {count} characters by themselves: {names}"));
        }
        for margin in self.margins.iter().take(PAIRS) {
            line("limited by", self.pair_text(margin));
        }
        for (index, penalty) in PENALTIES.iter().enumerate() {
            let (old, new) = (self.old.0[index], self.weights.0[index]);
            let remark = if self.is_active(index) { "" } else { ", never active" };
            line("weight", format!("{:<22} {old:>9} → {new:>9}{remark}", penalty.name));
        }
        for Step { share, harmed, passed: [combined, search] } in self.steps {
            let whom = if harmed.is_empty() { String::new() } else { format!("; worse: {}", list(harmed)) };
            let way = format!("{:3.0} % of the way to the learned weights", 100.0 * share);
            line("went", format!("{way}: combined {combined}, search {search}{whom}"));
        }
        line("before", Tally::of(self.before).text());
        line("after", Tally::of(self.after).text());
        let validated: Vec<&Outcome> = self.folds.iter().flat_map(|fold| &fold.outcomes).collect();
        if self.folds.is_empty() {
            let why = "nothing, because all characters are of one family; --family says otherwise";
            line("left out each", why.to_owned());
        } else {
            line("left out each", Tally::of(validated).text());
        }
        for (folder, names) in
            self.folders.iter().filter(|_| self.folders.len() > 1 && !self.folds.is_empty())
        {
            let own = |outcome: &&Outcome| names.contains(&outcome.character);
            let all = self.folds.iter().flat_map(|fold| &fold.outcomes);
            line("", format!("in {folder}: {}", Tally::of(all.filter(own)).text()));
        }
        for fold in self.folds {
            line("", format!("{:<24} {}", fold.family, Tally::of(&fold.outcomes).text()));
        }
        let failed: Vec<String> = self
            .folds
            .iter()
            .flat_map(|fold| &fold.outcomes)
            .filter(|outcome| {
                outcome.answered.as_ref().map_or(!outcome.stored, |answer| !answer.combined.pass())
            })
            .map(|outcome| outcome.character.clone())
            .collect();
        if !failed.is_empty() {
            line("not found", list(&failed));
        }
        text
    }

    fn pair_text(&self, margin: &Margin) -> String {
        let character = &self.data.characters[margin.character];
        let (good, bad) = (&character.examples[margin.good], &character.examples[margin.bad]);
        let mut parts: Vec<(f64, &str)> = PENALTIES
            .iter()
            .enumerate()
            .map(|(index, penalty)| {
                let difference = bad.features.sums[index] - good.features.sums[index];
                (self.weights.0[index] * difference, penalty.name)
            })
            .filter(|(part, _)| part.abs() >= 0.0005)
            .collect();
        parts.sort_by(|a, b| b.0.abs().total_cmp(&a.0.abs()));
        let parts: Vec<String> =
            parts.iter().take(4).map(|(part, name)| format!("{name} {part:+.3}")).collect();
        format!(
            "{} {:.4}: good {} and bad {} (worst joint {:.0} %); {}",
            character.name,
            margin.margin,
            good.id,
            bad.id,
            100.0 * bad.worst,
            parts.join(", ")
        )
    }

    /// Whether a penalty ever is anything else than zero.
    fn is_active(&self, penalty: usize) -> bool {
        let examples = self.data.characters.iter().flat_map(|character| &character.examples);
        examples.into_iter().any(|example| example.features.sums[penalty] > 0.0)
    }

    /// What the skeleton file says about the weights.
    pub fn remarks(&self) -> Vec<String> {
        let validated: Vec<&Outcome> = self.folds.iter().flat_map(|fold| &fold.outcomes).collect();
        let separated = self.margins.iter().filter(|margin| margin.margin > 0.0).count();
        let round = |text: String| text.split_whitespace().collect::<Vec<_>>().join(" ").replace("( ", "(");
        vec![
            format!(
                "learned from {} characters of {} families, {} rounds, seed {};",
                self.data.characters.len(),
                self.data.families().len(),
                self.history.len(),
                self.seed
            ),
            format!(
                "smallest margin {:.4}, positive for {separated} of {} characters;",
                self.margins.first().map_or(f64::NAN, |margin| margin.margin),
                self.margins.len()
            ),
            format!("found before: {};", round(Tally::of(self.before).text())),
            format!("found after: {};", round(Tally::of(self.after).text())),
            format!("families left out one by one: {}", round(Tally::of(validated).text())),
        ]
    }

    pub fn json(&self) -> String {
        let weights = |weights: &PenaltyWeights| -> Value {
            PENALTIES
                .iter()
                .zip(weights.0)
                .map(|(penalty, weight)| (penalty.name.to_owned(), json!(weight)))
                .collect()
        };
        let name = |character: usize| &self.data.characters[character].name;
        let id = |character: usize, example: usize| &self.data.characters[character].examples[example].id;
        let margins: Vec<Value> = self
            .margins
            .iter()
            .map(|margin| {
                json!({
                    "character": name(margin.character),
                    "margin": rounded(margin.margin),
                    "good": id(margin.character, margin.good),
                    "bad": id(margin.character, margin.bad),
                })
            })
            .collect();
        let outcome = |outcome: &Outcome| {
            let mut value = json!({ "character": outcome.character, "stored": outcome.stored });
            if let Some(answer) = &outcome.answered {
                value["search"] = json!(answer.search.pass());
                value["search_error"] = rounded(answer.search.mean());
                value["combined"] = json!(answer.combined.pass());
                value["combined_error"] = rounded(answer.combined.mean());
            }
            value
        };
        let fold = |fold: &Fold| {
            json!({
                "family": fold.family,
                "summary": Tally::of(&fold.outcomes).json(),
                "margin": rounded(fold.learned.margin),
                "weights": weights(&fold.learned.weights),
                "characters": fold.outcomes.iter().map(outcome).collect::<Vec<_>>(),
            })
        };
        let validated: Vec<&Outcome> = self.folds.iter().flat_map(|fold| &fold.outcomes).collect();
        let by_folder = |(folder, names): &(String, Vec<String>)| {
            let own = validated.iter().copied().filter(|outcome| names.contains(&outcome.character));
            json!({ "folder": folder, "summary": Tally::of(own).json() })
        };
        let never: Vec<&str> = (0..PENALTIES.len())
            .filter(|&index| !self.is_active(index))
            .map(|index| PENALTIES[index].name)
            .collect();
        let round = |round: &Round| {
            json!({
                "margin": rounded(round.learned.margin),
                "positive": round.separated,
                "new_embeddings": round.new_examples,
            })
        };
        let step = |step: &Step| {
            let [combined, search] = step.passed;
            json!({ "share": step.share, "worse": step.harmed, "combined": combined, "search": search })
        };
        let document = json!({
            "skeleton": self.skeleton.name,
            "seed": self.seed,
            "characters": self.data.characters.len(),
            "families": self.data.families().len(),
            "embeddings": self.data.counts(),
            "set_aside": self.set_aside,
            "another_skeleton": self.others,
            "weights_before": weights(self.old),
            "weights": weights(self.weights),
            "never_active": never,
            "separates": self.learned.separates,
            "inseparable": self.inseparable,
            "steps": self.steps.iter().map(step).collect::<Vec<_>>(),
            "rounds": self.history.iter().map(round).collect::<Vec<_>>(),
            "before": Tally::of(self.before).json(),
            "after": Tally::of(self.after).json(),
            "left_out": Tally::of(validated.iter().copied()).json(),
            "left_out_by_folder": self.folders.iter().map(by_folder).collect::<Vec<_>>(),
            "margins": margins,
            "characters_before": self.before.iter().map(outcome).collect::<Vec<_>>(),
            "characters_after": self.after.iter().map(outcome).collect::<Vec<_>>(),
            "families_left_out": self.folds.iter().map(fold).collect::<Vec<_>>(),
        });
        json_text::lines(&document, 2)
    }
}

fn rounded(number: f64) -> Value {
    json!((number * 1e5).round() / 1e5)
}

/// A list that may be long.
fn list(names: &[String]) -> String {
    const SHOWN: usize = 12;
    let shown = names.iter().take(SHOWN).map(String::as_str).collect::<Vec<_>>().join(", ");
    if names.len() > SHOWN { format!("{shown} and {} more", names.len() - SHOWN) } else { shown }
}
