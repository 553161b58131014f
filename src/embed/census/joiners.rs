//! Which ends of a body are limbs, and where each begins: at the highest place at which anything that is left joins it, not where its
//! own peak dies. Of two neighbouring legs the longer one otherwise swallows the thorax, and the highest peak of all never dies.

use super::Field;
use super::branch::Branch;
use crate::embed::grid::STEPS_PER_CELL;
use crate::embed::limb_ends::LimbEnd;
use crate::math::median;
use std::collections::BTreeMap;

/// A twig joins a longer limb within this outer part of it: fingers at the wrist, feathers. With 0.5 the legs of a spider are twigs of
/// its palps; with 0.2 toes of long feet become limbs.
const OUTER: f64 = 0.35;
/// And it is shorter than this part of it.
const TWIG: f64 = 0.35;
/// What is shorter than this many of its radii is a bump of the trunk.
const BUMP: f64 = 1.5;
/// What is shorter than this many radii of its base is a bump, too: the sections of a corner shrink to nothing.
const BLUNT: f64 = 1.0;
/// A limb goes on beyond what joins it if it is at most this many times as thick there: from the legs of animals to their trunks it
/// is twice, from the arms of a theropod to its chest 1.5 times.
const GOES_ON: f64 = 1.3;
/// How far beyond the junction that is looked at, in voxels.
const BEYOND: f64 = 3.0;
/// What cuts a limb down to a bump gives way if it is shorter than this part of it: crowns, horns on short heads.
const SHORTER: f64 = 0.5;
/// A section with this many times the usual radius of those outside of it is one of the trunk.
const TRUNK_RADIUS: f64 = 2.0;
/// And this many times that of the section after the next: tails become thick, but not at once.
const JUMP: f64 = 1.4;
/// The trunk is looked for within this part of the way from the middle to the tip: hands are thicker than fingers, too.
const INNER: f64 = 0.6;
/// Sections from which there is a usual radius: tips are pointed.
const FEW: usize = 4;
/// The most limbs of a body.
const MOST: usize = 24;

/// The ends of a body and who joins whom.
pub struct Joiners<'a> {
    ends: &'a [LimbEnd],
    /// For each end the one that it joins.
    into: Vec<Option<usize>>,
    states: Vec<State>,
}

/// What an end is to the limb that it joins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// The limb begins there.
    Limb,
    /// It sits on the limb, which goes on: horns, ears, heels.
    Spur,
    /// A finger or a toe of it.
    Twig,
}

/// The limbs of a body.
pub struct Found {
    pub branches: Vec<Branch>,
    /// For each the limb on which it sits, if that goes on beyond it.
    pub hosts: Vec<Option<usize>>,
    /// How many more there were.
    pub left_out: usize,
}

impl<'a> Joiners<'a> {
    pub fn new(ends: &'a [LimbEnd]) -> Joiners<'a> {
        let number: BTreeMap<usize, usize> =
            ends.iter().enumerate().map(|(end, limb)| (limb.cell, end)).collect();
        let into: Vec<Option<usize>> =
            ends.iter().map(|end| end.into.and_then(|peak| number.get(&peak).copied())).collect();
        Joiners { ends, into, states: vec![State::Limb; ends.len()] }
    }

    /// Twigs, and all that hangs on them. Longer ends come first, so that whom they join is known.
    fn mark_twigs(&mut self, field: &Field) {
        for end in 0..self.ends.len() {
            let Some(limb) = self.into[end] else { continue };
            if self.states[limb] == State::Twig || self.is_twig_of(end, limb, field) {
                self.states[end] = State::Twig;
            }
        }
    }

    /// Lengths are those of the merge tree.
    fn is_twig_of(&self, end: usize, limb: usize, field: &Field) -> bool {
        let [own, whole] = [end, limb].map(|end| self.ends[end].length);
        let Some(saddle) = self.ends[end].saddle else { return false };
        let outer = field.heights(field.distance[self.ends[limb].cell] - field.distance[saddle]);
        own < TWIG * whole && outer < OUTER * whole
    }

    /// The limbs: bumps are taken away one by one, the bluntest first, because what they joined goes on further then.
    pub fn limbs(mut self, field: &Field) -> Found {
        self.mark_twigs(field);
        self.mark_spurs(field);
        let mut is_left: Vec<bool> = self.states.iter().map(|state| *state != State::Twig).collect();
        let mut branches = Branches::new();
        loop {
            self.follow(field, &is_left, &mut branches);
            let Some(end) = bluntest(&branches) else { break };
            match self.cutting_spur(end, &is_left, field.distance) {
                Some(spur) => self.states[spur] = State::Spur,
                None => {
                    is_left[end] = false;
                    branches.remove(&end);
                }
            }
        }
        self.longest(branches.into_iter().map(|(end, (_, branch))| (end, branch)).collect())
    }

    /// Follows the ends that are left again where they begin elsewhere than before.
    fn follow(&self, field: &Field, is_left: &[bool], branches: &mut Branches) {
        for end in (0..self.ends.len()).filter(|&end| is_left[end]) {
            let level = self.begin(end, is_left, field.distance);
            if branches.get(&end).is_none_or(|(known, _)| *known != level) {
                branches.insert(end, (level, limb(field, self.ends[end].cell, level)));
            }
        }
    }

    /// The longest limbs, with what sits on them.
    fn longest(&self, mut branches: Vec<(usize, Branch)>) -> Found {
        branches.sort_by(|a, b| b.1.length.total_cmp(&a.1.length).then(a.0.cmp(&b.0)));
        let left_out = branches.len().saturating_sub(MOST);
        branches.truncate(MOST);
        let hosts = branches.iter().map(|(end, _)| self.host(*end, &branches)).collect();
        let branches = branches.into_iter().map(|(end, branch)| Branch { twigs: self.twigs(end), ..branch });
        Found { branches: branches.collect(), hosts, left_out }
    }

    /// Spurs: what joins a limb that goes on beyond it as thick as before. Longer ends come first.
    fn mark_spurs(&mut self, field: &Field) {
        for end in 0..self.ends.len() {
            let Some(limb) = self.into[end].filter(|_| self.states[end] == State::Limb) else { continue };
            let Some(saddle) = self.ends[end].saddle else { continue };
            let is_short = self.ends[end].length < TWIG * self.ends[limb].length;
            if is_short && goes_on(field, self.ends[limb].cell, field.distance[saddle]) {
                self.states[end] = State::Spur;
            }
        }
    }

    /// What cuts an end down to a bump although it is shorter by itself.
    fn cutting_spur(&self, end: usize, is_left: &[bool], distance: &[u32]) -> Option<usize> {
        let level = self.begin(end, is_left, distance);
        let cuts = |other: usize| {
            self.into[other] == Some(end)
                && self.states[other] == State::Limb
                && self.has_left(other, is_left)
                && self.ends[other].saddle.is_some_and(|saddle| distance[saddle] == level)
                && self.ends[other].length < SHORTER * self.ends[end].length
        };
        (0..self.ends.len()).find(|&other| cuts(other))
    }

    /// The path length at which an end begins.
    fn begin(&self, end: usize, is_left: &[bool], distance: &[u32]) -> u32 {
        let level = |end: usize| self.ends[end].saddle.map_or(0, |saddle| distance[saddle]);
        let joining = (0..self.ends.len()).filter(|&other| self.into[other] == Some(end));
        let joining = joining.filter(|&other| self.has_left(other, is_left));
        joining.map(level).fold(level(end), u32::max)
    }

    /// Whether an end that cuts what it joins, or any that joined it before, is left.
    fn has_left(&self, end: usize, is_left: &[bool]) -> bool {
        self.states[end] == State::Limb
            && (is_left[end]
                || (0..self.ends.len())
                    .any(|other| self.into[other] == Some(end) && self.has_left(other, is_left)))
    }

    /// The limb on which a spur sits, by its number among the branches.
    fn host(&self, end: usize, branches: &[(usize, Branch)]) -> Option<usize> {
        let limb = self.into[end].filter(|_| self.states[end] == State::Spur)?;
        branches.iter().position(|(other, _)| *other == limb)
    }

    fn twigs(&self, end: usize) -> usize {
        (0..self.ends.len())
            .filter(|&other| self.into[other] == Some(end) && self.states[other] == State::Twig)
            .count()
    }
}

/// The limb above a level: less where its sections become those of the trunk at once, as those of a limb on a ball do.
fn limb(field: &Field, peak: usize, level: u32) -> Branch {
    let whole = Branch::new(field, peak, level);
    let step = whole.length / whole.radii.len() as f64;
    let inner = (INNER * field.heights(field.distance[peak]) - field.heights(level)) / step;
    let inner = (inner.max(0.0) as usize).min(whole.radii.len().saturating_sub(FEW));
    let is_trunk = |section: &usize| {
        let outer = &whole.radii[section + 1..];
        let usual = median(&mut outer.to_vec()).unwrap_or_default();
        whole.radii[*section] > TRUNK_RADIUS * usual && whole.radii[*section] > JUMP * outer[1]
    };
    match (0..inner).rev().find(is_trunk) {
        Some(section) => Branch::new(field, peak, level + field.steps(step * (section + 1) as f64)),
        None => whole,
    }
}

/// Whether a limb is about as thick just beyond a junction as before.
fn goes_on(field: &Field, peak: usize, junction: u32) -> bool {
    let below = junction.saturating_sub((BEYOND * STEPS_PER_CELL) as u32);
    if below == 0 {
        return false;
    }
    let (outer, whole) = (Branch::new(field, peak, junction), Branch::new(field, peak, below));
    whole.base_radius() <= GOES_ON * outer.radius
}

/// Ends with the path length at which they begin, and what they are from there on.
type Branches = BTreeMap<usize, (u32, Branch)>;

/// The bluntest bump.
fn bluntest(branches: &Branches) -> Option<usize> {
    let bluntness = branches.iter().map(|(end, (_, branch))| (*end, bluntness(branch)));
    let bluntest = bluntness.max_by(|a, b| a.1.total_cmp(&b.1));
    bluntest.filter(|(_, bluntness)| *bluntness > 1.0).map(|(end, _)| end)
}

/// More than one for a bump. What begins in the very middle is the body itself: a disc, a ring, a drop.
fn bluntness(branch: &Branch) -> f64 {
    if branch.level == 0 {
        return f64::INFINITY;
    }
    (BUMP * branch.radius).max(BLUNT * branch.base_radius()) / branch.length.max(f64::MIN_POSITIVE)
}
