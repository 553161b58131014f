//! Pieces that keep a character from being recognised: a balloon, an umbrella, a shield as broad as the person.
//!
//! Nothing of their form tells them from heads and hats. But with one of them no skeleton fits, and without it one does: the
//! confidence, which is a probability, decides between the two readings. A character that is recognised as it is, is not asked.

use super::figure::Figure;
use super::rig::DOUBTFUL_RIG;
use super::{Error, Joints, RigOptions};
use crate::Warning;
use crate::math::Bounds;
use crate::mesh::Mesh;
use crate::parts::pieces::Piece;

/// A piece is suspected if the box around the body is smaller without it by this part of one of its sides. The feet and hands of
/// figures in pieces make up 0.1; with less, every buckle would be tried.
const STRETCHES: f64 = 0.12;
/// Suspects that are tried, the most stretching first: each is another search for the joints.
const TRIED: usize = 3;
/// What is left has at least this part of the surface: under an umbrella it is a third.
const LEFT: f64 = 0.25;
/// And what is left still stands on the ground, up to this part of the height: without the tail on which she stands a mermaid is a person
/// of 0.65.
const STANDS: f64 = 0.05;
/// The box of a pole between a suspect and the body comes this near to that of the suspect, in parts of the unit cube; the pole goes with it.
const NEAR: f64 = 0.02;

/// The odds of a reading without a piece are at least so many times those of the whole: a balloon, an umbrella or a shield makes them 80 times
/// as high, and the head of a yak of blocks, without which it is more certain too, one and a half times.
const GAIN: f64 = 10.0;

/// A figure with its joints, and what was found while it was prepared.
pub(super) struct Reading {
    pub figure: Figure,
    pub joints: Joints,
    pub warnings: Vec<Warning>,
}

impl Reading {
    fn confidence(&self) -> f64 {
        self.joints.found().map_or(1.0, |(embedding, _)| embedding.confidence)
    }

    /// How many times as probable it is that it is right as that it is not.
    fn odds(&self) -> f64 {
        self.confidence() / (1.0 - self.confidence()).max(f64::MIN_POSITIVE)
    }
}

/// The likeliest reading of a doubtful figure among those without one of its pieces, if that is not doubtful and far more certain; else the figure as it is.
pub(super) fn without_burden(
    whole: Reading,
    mesh: &Mesh,
    options: &RigOptions,
    find: impl Fn(&Figure) -> Result<Joints, Error>,
) -> Reading {
    if whole.confidence() >= DOUBTFUL_RIG {
        return whole;
    }
    let read = |aside: Vec<usize>| -> Result<Reading, Error> {
        // What lies around the character stays left out; where it stands is looked at anew.
        let is_left_out = |warning: &&Warning| matches!(warning, Warning::LeftOut { .. });
        let mut warnings: Vec<Warning> = whole.warnings.iter().filter(is_left_out).cloned().collect();
        let figure = whole.figure.with_aside(mesh, &aside, options, &mut warnings)?;
        Ok(Reading { joints: find(&figure)?, figure, warnings })
    };
    // What cannot be read without a piece needs it.
    let readings = suspects(&whole.figure).into_iter().filter_map(|aside| read(aside).ok());
    let likeliest = readings.max_by(|a, b| a.confidence().total_cmp(&b.confidence()));
    let is_better =
        |reading: &Reading| reading.confidence() >= DOUBTFUL_RIG && reading.odds() >= GAIN * whole.odds();
    likeliest.filter(is_better).unwrap_or(whole)
}

/// Pieces that stretch a figure, each with the poles that hold it.
fn suspects(figure: &Figure) -> Vec<Vec<usize>> {
    let body = figure.is_body();
    let pieces: Vec<(usize, &Piece)> =
        figure.pieces.iter().enumerate().filter(|(piece, _)| body[*piece]).collect();
    let total: f64 = pieces.iter().map(|(_, piece)| piece.area).sum();
    let whole = around(pieces.iter().map(|(_, piece)| *piece));
    let mut stretching: Vec<(f64, usize)> = pieces
        .iter()
        .filter(|(_, piece)| total - piece.area >= LEFT * total)
        .map(|&(number, _)| {
            let rest = around(pieces.iter().filter(|(other, _)| *other != number).map(|(_, piece)| *piece));
            (rest, number)
        })
        .filter(|(rest, _)| rest.min.y - whole.min.y <= STANDS * whole.extent().y)
        .map(|(rest, number)| (1.0 - rest.extent().component_div(&whole.extent()).min(), number))
        .filter(|(stretch, _)| *stretch >= STRETCHES)
        .collect();
    stretching.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    stretching.truncate(TRIED);
    let held = |number: usize| {
        let poles = pieces.iter().filter(|(other, piece)| {
            *other != number
                && piece.is_slim()
                && piece.oriented.is_near(&figure.pieces[number].oriented, NEAR)
        });
        [number].into_iter().chain(poles.map(|(other, _)| *other)).collect()
    };
    stretching.into_iter().map(|(_, number)| held(number)).collect()
}

fn around<'p>(pieces: impl Iterator<Item = &'p Piece>) -> Bounds {
    let mut bounds = Bounds::EMPTY;
    for piece in pieces {
        bounds.grow(&piece.bounds.min);
        bounds.grow(&piece.bounds.max);
    }
    bounds
}
