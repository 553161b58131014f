//! Pictures of embeddings that a person may want to judge.

use crate::report::Report;
use anyhow::{Context, Result};
use puppetry::stages::io;
use puppetry::stages::learn::{Dataset, Label, TrainingCharacter};
use puppetry::stages::preview::draw_embeddings;
use std::path::{Path, PathBuf};

/// How many limiting pairs, and how many embeddings of uncertain quality, are drawn.
const PAIRS: usize = 12;
const UNSURE: usize = 24;

/// The pairs that limit the margin, good ones on the left; and the embeddings that a person might label.
pub fn draw(
    folder: &Path,
    data: &Dataset,
    training: &[TrainingCharacter],
    report: &Report,
) -> Result<Vec<(PathBuf, Vec<u8>)>> {
    std::fs::create_dir_all(folder)
        .with_context(|| format!("cannot make the folder '{}'", folder.display()))?;
    let mut files = Vec::new();
    for (rank, margin) in report.margins.iter().take(PAIRS).enumerate() {
        let labelled = &data.characters[margin.character];
        let Some(character) = training.iter().find(|character| character.name == labelled.name) else {
            continue;
        };
        let (good, bad) = (&labelled.examples[margin.good], &labelled.examples[margin.bad]);
        if good.joints.is_empty() || bad.joints.is_empty() {
            continue;
        }
        let pair = [(good.joints.as_slice(), 1.0), (bad.joints.as_slice(), 0.0)];
        let picture = draw_embeddings(&character.mesh, &character.skeleton, &pair, 2);
        let name = format!("pair-{:02}-{}-good-{}-bad-{}.png", rank + 1, character.name, good.id, bad.id);
        files.push((folder.join(name), io::write_png(&picture)));
    }
    let unsure = data.characters.iter().flat_map(|labelled| {
        let best = labelled.of(Label::Unsure).filter(|example| example.origin == "best");
        best.map(move |example| (labelled, example))
    });
    for (labelled, example) in unsure.take(UNSURE) {
        let Some(character) = training.iter().find(|character| character.name == labelled.name) else {
            continue;
        };
        if example.joints.is_empty() {
            continue;
        }
        let picture = draw_embeddings(&character.mesh, &character.skeleton, &[(&example.joints, 0.5)], 1);
        let name = format!("unsure-{}-{}.png", character.name, example.id);
        files.push((folder.join(name), io::write_png(&picture)));
    }
    Ok(files)
}
