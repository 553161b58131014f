//! Weights of the target from fitted parts (section 6 of the paper): rows copied from the nearest points, mixed where parts meet, and heat
//! where nothing fits.

use super::fit::PartFit;
use super::joint_targets::Targets;
use super::slots::{Body, Slot};
use crate::math::{exp, square};
use crate::rig::{MaxInfluences, SkinWeights};
use std::collections::BTreeMap;

/// How fast confidence falls with the distance, in heights (3 cm). From 0.0085 to 0.035 the difference from the artist is flat (0.078 to
/// 0.080); below, clothes fall back to heat; above, wrong layers are copied.
const DISTANCE: f64 = 0.017;
/// Parts that are farther from the target than the first, in heights (1.5 cm), give way to heat, and from the second on (3 cm) heat has it
/// all. With less, helmets and coats are not taken; with more, a stranger's parts are (worst character 0.077 worse than heat instead of 0.003).
const WHOLE: f64 = 0.0086;
const NOTHING: f64 = 0.017;

/// How much a part is trusted, by its distance.
pub(super) fn trust(fit: &PartFit, height: f64) -> f64 {
    ((NOTHING * height - fit.distance()) / ((NOTHING - WHOLE) * height)).clamp(0.0, 1.0)
}

/// A part with the character that it comes from.
pub(super) struct ChosenPart<'a> {
    pub slot: Slot,
    pub fit: &'a PartFit,
    pub body: &'a Body<'a>,
    pub targets: &'a [Targets],
    /// From 0 to 1.
    pub trust: f64,
}

/// What the parts say about a vertex, before it is normalised.
#[derive(Debug, Clone, Default)]
pub(super) struct Mixed {
    row: BTreeMap<usize, f64>,
    sum: f64,
    trusted: f64,
}

impl Mixed {
    /// Adds the row of a part: of sum S in the part, trusted so much.
    pub fn add(&mut self, row: &[(usize, f64)], trust: f64) {
        let sum = row.iter().map(|(_, weight)| weight).fold(0.0, |sum, weight| sum + weight);
        row.iter().for_each(|(joint, weight)| *self.row.entry(*joint).or_default() += weight);
        self.sum += sum;
        self.trusted += sum * trust;
    }

    /// How much of the vertex is the parts'. One that only the fading edge of a part reaches would be normalised up from nothing.
    pub fn confidence(&self) -> f64 {
        if self.sum > 0.0 { self.trusted / self.sum * (2.0 * self.sum).min(1.0) } else { 0.0 }
    }

    /// Weights that add up to one: rows of all parts, divided by their whole sum. (Equation 10 with 13, read literally, halves what two parts
    /// of one character give to a seam.)
    pub fn normalised(&self) -> impl Iterator<Item = (usize, f64)> + '_ {
        self.row.iter().map(|(joint, weight)| (*joint, weight / self.sum))
    }
}

/// What all parts say about each vertex of the target.
pub(super) fn mix(parts: &[ChosenPart], vertices: usize, height: f64) -> Vec<Mixed> {
    let mut mixed = vec![Mixed::default(); vertices];
    for part in parts {
        for (vertex, contact) in &part.fit.contacts {
            let Some(contact) = contact else { continue };
            let corners = part.fit.triangles[contact.triangle];
            let row = row(part, &corners, &contact.barycentric);
            let near = exp(-square(contact.distance / (DISTANCE * height)));
            mixed[*vertex as usize].add(&row, near * part.trust);
        }
    }
    mixed
}

/// The weights of a point of a part, by the joints of the target; partial where the part fades.
fn row(part: &ChosenPart, corners: &[u32; 3], barycentric: &[f64; 3]) -> Vec<(usize, f64)> {
    let mut row: BTreeMap<usize, f64> = BTreeMap::new();
    for (&corner, share) in corners.iter().zip(barycentric) {
        let own =
            part.body.weights.of(corner as usize).filter(|(joint, _)| part.body.slots[*joint] == part.slot);
        for (joint, weight) in own {
            for (target, part) in &part.targets[joint] {
                *row.entry(*target).or_default() += share * weight * part;
            }
        }
    }
    row.into_iter().collect()
}

/// Rows of the parts where they are sure, heat elsewhere. `share` of the parts' weights is used; vertices that are held keep their own.
pub(super) fn fill(
    mixed: &[Mixed],
    heat: &SkinWeights,
    is_held: &[bool],
    share: f64,
    max: MaxInfluences,
) -> SkinWeights {
    let lists = mixed.iter().enumerate().map(|(vertex, mixed)| {
        let confidence = if is_held[vertex] { 0.0 } else { share * mixed.confidence() };
        let mut list: BTreeMap<usize, f64> = BTreeMap::new();
        let own = heat.of(vertex).map(|(joint, weight)| (joint, (1.0 - confidence) * weight));
        own.for_each(|(joint, weight)| *list.entry(joint).or_default() += weight);
        if confidence > 0.0 {
            let given = mixed.normalised().map(|(joint, weight)| (joint, confidence * weight));
            given.for_each(|(joint, weight)| *list.entry(joint).or_default() += weight);
        }
        list.into_iter().map(|(joint, weight)| (joint as u16, weight)).collect()
    });
    SkinWeights::of_lists(max, lists)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_halves_of_a_seam_are_whole() {
        let mut mixed = Mixed::default();
        mixed.add(&[(1, 0.5)], 1.0);
        mixed.add(&[(2, 0.5)], 1.0);
        assert_eq!(mixed.normalised().collect::<Vec<_>>(), [(1, 0.5), (2, 0.5)]);
        assert_eq!(mixed.confidence(), 1.0);
    }

    #[test]
    fn a_fading_edge_alone_is_not_believed() {
        let mut mixed = Mixed::default();
        mixed.add(&[(1, 0.02)], 1.0);
        assert!(mixed.confidence() <= 0.04);
        assert_eq!(Mixed::default().confidence(), 0.0);
    }

    #[test]
    fn heat_fills_what_parts_do_not_say() {
        let mut sure = Mixed::default();
        sure.add(&[(2, 1.0)], 1.0);
        let mut half = Mixed::default();
        half.add(&[(2, 1.0)], 0.5);
        let heat = SkinWeights::rigid(4, 1);
        let mixed = [sure.clone(), half, Mixed::default(), sure];
        let held = [false, false, false, true];
        let weights = fill(&mixed, &heat, &held, 1.0, MaxInfluences::Four);
        let of = |vertex| weights.of(vertex).collect::<Vec<_>>();
        assert_eq!(of(0), [(2, 1.0)]);
        assert_eq!(of(1).len(), 2);
        assert_eq!((of(2), of(3)), (vec![(1, 1.0)], vec![(1, 1.0)]));
    }
}
