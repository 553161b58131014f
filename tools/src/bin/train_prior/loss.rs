//! How wrong a pass is, and in which direction it is less so.

use super::body::Target;
use super::character::Plan;
use super::net::{Matrix, Pass, SEGMENTS};
use super::sample::Sample;
use puppetry::Vec3;
use puppetry::stages::embed::prior::LOG_SPREADS;
use puppetry::stages::embed::prior::channel::MIDDLE;
use puppetry::stages::embed::prior::network::{ABOUT_JOINT, CHANNELS, PLANS};
use puppetry::stages::embed::prior::tokens::VOTERS;

/// Weights of the parts: joints, each voter's own opinion, uncertainty, body plan, segments.
const JOINTS: f64 = 10.0;
const OPINIONS: f64 = 3.0;
const UNCERTAINTY: f64 = 0.15;
const PLAN: f64 = 0.1;
const SEGMENT: f64 = 0.3;
/// Square of the distance, in units of the tokens, from which on a voter's own opinion does not count.
const NEAR: f64 = 0.18;

/// What a pass is worth, summed over its samples.
#[derive(Debug, Clone, Copy, Default)]
pub struct Score {
    /// Of distances in heights, of people and animals, and how many joints they are of.
    pub error: [f64; 2],
    pub count: [f64; 2],
    pub plan_hits: f64,
    pub segment_hits: f64,
    pub segments: f64,
    pub samples: f64,
}

impl Score {
    pub fn add(&mut self, other: &Score) {
        for plan in 0..2 {
            self.error[plan] += other.error[plan];
            self.count[plan] += other.count[plan];
        }
        self.plan_hits += other.plan_hits;
        self.segment_hits += other.segment_hits;
        self.segments += other.segments;
        self.samples += other.samples;
    }
}

/// Gradients of votes, plans and segments, and the score.
pub struct Loss {
    pub votes: Matrix,
    pub plans: Matrix,
    pub segments: Matrix,
    pub score: Score,
}

/// How much a joint counts: those whose place is a matter of taste count less.
fn weight(channel: usize) -> f64 {
    match MIDDLE.get(channel) {
        Some(&"spine") => 0.4,
        Some(&"chest" | &"tail") => 0.5,
        _ => 1.0,
    }
}

impl Loss {
    pub fn of(pass: &Pass, samples: &[Sample]) -> Loss {
        let mut loss = Loss {
            votes: Matrix::zeros(CHANNELS * ABOUT_JOINT, samples.len() * VOTERS),
            plans: Matrix::zeros(PLANS, samples.len()),
            segments: Matrix::zeros(SEGMENTS, samples.len() * VOTERS),
            score: Score { samples: samples.len() as f64, ..Score::default() },
        };
        for (index, sample) in samples.iter().enumerate() {
            loss.joints(pass, sample, index);
            let hit = cross_entropy(pass.plans(), &mut loss.plans, index, sample.plan as usize, PLAN);
            loss.score.plan_hits += f64::from(u8::from(hit));
            let known = sample.segments.iter().filter(|segment| segment.is_some()).count().max(1) as f64;
            for (voter, segment) in sample.segments.iter().enumerate() {
                if let Some(segment) = segment {
                    let column = index * VOTERS + voter;
                    let hit =
                        cross_entropy(pass.segments(), &mut loss.segments, column, *segment, SEGMENT / known);
                    loss.score.segment_hits += f64::from(u8::from(hit));
                    loss.score.segments += 1.0;
                }
            }
        }
        loss
    }

    fn joints(&mut self, pass: &Pass, sample: &Sample, index: usize) {
        let known: f64 = (0..CHANNELS).filter(|&c| sample.targets[c] != Target::Unknown).map(weight).sum();
        for channel in 0..CHANNELS {
            let share = weight(channel) / known.max(1.0);
            self.joint(pass, sample, index, channel, share);
        }
    }

    fn joint(&mut self, pass: &Pass, sample: &Sample, index: usize, channel: usize, share: f64) {
        if sample.targets[channel] == Target::Unknown {
            return;
        }
        let row = channel * ABOUT_JOINT;
        let said = |voter: usize, part: usize| f64::from(pass.votes()[(row + part, index * VOTERS + voter)]);
        let strongest = (0..VOTERS).map(|voter| said(voter, 3)).fold(f64::NEG_INFINITY, f64::max);
        let mut shares: Vec<f64> = (0..VOTERS).map(|voter| (said(voter, 3) - strongest).exp()).collect();
        let sum: f64 = shares.iter().sum();
        shares.iter_mut().for_each(|share| *share /= sum);
        let seen: Vec<Vec3> = (0..VOTERS)
            .map(|voter| {
                let from = sample.tokens.medial[voter];
                Vec3::from_fn(|axis, _| f64::from(from[axis]) + said(voter, axis))
            })
            .collect();
        let position: Vec3 = seen.iter().zip(&shares).map(|(seen, share)| seen * *share).sum();
        let logarithm: f64 = (0..VOTERS).map(|voter| shares[voter] * said(voter, 4)).sum();
        let target = nearest(&sample.targets[channel], &position);
        let off = position - target;
        let error = off.norm() / sample.height;
        if let Some(plan) = [Plan::Biped, Plan::Quadruped].iter().position(|plan| *plan == sample.plan) {
            self.score.error[plan] += error * share;
            self.score.count[plan] += share;
        }
        // The place of the joint.
        let pull = off / (off.norm().max(1e-6) * sample.height) * (JOINTS * share);
        // Its uncertainty: error / sigma + log sigma, with the error as it is.
        let uncertain =
            UNCERTAINTY * share * (1.0 - error / logarithm.clamp(LOG_SPREADS[0], LOG_SPREADS[1]).exp());
        // Each voter's own opinion, the nearer the more.
        let nearness: Vec<f64> = sample
            .tokens
            .medial
            .iter()
            .map(|from| {
                let from = Vec3::from(from.map(f64::from));
                (-(from - target).norm_squared() / NEAR).exp()
            })
            .collect();
        let total: f64 = nearness.iter().sum::<f64>().max(1e-3);
        for voter in 0..VOTERS {
            let own = seen[voter] - target;
            let opinion =
                own / (own.norm().max(1e-6) * sample.height) * (OPINIONS * share * nearness[voter] / total);
            let column = index * VOTERS + voter;
            for axis in 0..3 {
                self.votes[(row + axis, column)] = (pull[axis] * shares[voter] + opinion[axis]) as f32;
            }
            let vote = (seen[voter] - position).dot(&pull) + (said(voter, 4) - logarithm) * uncertain;
            self.votes[(row + 3, column)] = (shares[voter] * vote) as f32;
            self.votes[(row + 4, column)] = (shares[voter] * uncertain) as f32;
        }
    }
}

/// Where a joint should be: at its place, or at the nearest place of its chain.
fn nearest(target: &Target, position: &Vec3) -> Vec3 {
    match target {
        Target::Unknown => *position,
        Target::At(point) => *point,
        Target::Along(chain) => {
            let on = chain.windows(2).map(|bone| {
                let along = bone[1] - bone[0];
                let t = ((position - bone[0]).dot(&along) / along.norm_squared().max(1e-12)).clamp(0.0, 1.0);
                bone[0] + along * t
            });
            let distance = |point: &Vec3| (point - position).norm_squared();
            on.min_by(|a, b| distance(a).total_cmp(&distance(b)))
                .unwrap_or(chain.first().copied().unwrap_or(*position))
        }
    }
}

/// The gradient of the cross entropy of a column; whether the right class was the likeliest.
fn cross_entropy(said: &Matrix, gradient: &mut Matrix, column: usize, right: usize, weight: f64) -> bool {
    let said = said.column(column);
    let largest = said.max();
    let sum: f64 = said.iter().map(|value| f64::from(value - largest).exp()).sum();
    for (class, value) in said.iter().enumerate() {
        let probability = f64::from(value - largest).exp() / sum;
        let wanted = if class == right { 1.0 } else { 0.0 };
        gradient[(class, column)] = (weight * (probability - wanted)) as f32;
    }
    said.imax() == right
}
