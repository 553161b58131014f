//! The network: dense layers, the largest of neighbours, and a vote.
//!
//! Neighbourhoods and their maxima in two sizes are those of Qi et al. 2017, "PointNet++". Here points also know the middle of
//! the body behind them, from which votes are cast, as in Hough voting (Qi et al. 2019, "Deep Hough Voting").
//!
//! Sums run in the order of the inputs, in `f32`, without fused operations: the same bits on every processor.

use super::tokens::{ABOUT_NEIGHBOUR, ABOUT_VOTER, NEIGHBOURS, REGIONS, Tokens, VOTERS};
use crate::math::{exp, ln};

/// Joints that the network places.
pub const CHANNELS: usize = 22;
/// Numbers about a joint that a voter says: an offset, its vote, the logarithm of its uncertainty.
pub const ABOUT_JOINT: usize = 5;
/// Body plans: two legs, four legs, something else.
pub const PLANS: usize = 3;

/// Inputs and outputs of the layers, in the order of the file.
pub const LAYERS: [(usize, usize); 11] = {
    const NEAR: usize = 48;
    const POINT: usize = 96;
    const REGION: usize = 128;
    const WHOLE: usize = 192;
    [
        (ABOUT_NEIGHBOUR, 32),
        (32, NEAR),
        (NEAR + ABOUT_VOTER, POINT),
        (POINT + 3, REGION),
        (REGION, REGION),
        (2 * REGION, WHOLE),
        (POINT + REGION + WHOLE + ABOUT_VOTER, WHOLE),
        (WHOLE, WHOLE),
        (WHOLE, CHANNELS * ABOUT_JOINT),
        (WHOLE, 48),
        (48, PLANS),
    ]
};

/// A layer: outputs are biases plus weights times inputs.
#[derive(Debug, Clone, PartialEq)]
pub struct Dense {
    /// How many inputs it has.
    pub inputs: usize,
    /// How many outputs.
    pub outputs: usize,
    /// By rows, one for each input.
    pub weights: Vec<f32>,
    /// One for each output.
    pub biases: Vec<f32>,
}

impl Dense {
    /// The outputs for rows of inputs.
    fn apply(&self, rows: &[f32]) -> Vec<f32> {
        let mut outputs = Vec::with_capacity(rows.len() / self.inputs * self.outputs);
        for row in rows.chunks_exact(self.inputs) {
            let from = outputs.len();
            outputs.extend(&self.biases);
            let sums = &mut outputs[from..];
            for (input, weights) in row.iter().zip(self.weights.chunks_exact(self.outputs)) {
                if *input != 0.0 {
                    sums.iter_mut().zip(weights).for_each(|(sum, weight)| *sum += input * weight);
                }
            }
        }
        outputs
    }

    /// The same, with nothing below zero.
    fn rectified(&self, rows: &[f32]) -> Vec<f32> {
        let mut outputs = self.apply(rows);
        outputs.iter_mut().for_each(|output| *output = output.max(0.0));
        outputs
    }
}

/// The layers, in the order of [`LAYERS`].
#[derive(Debug, Clone, PartialEq)]
pub struct Network {
    /// As in the file.
    pub layers: Vec<Dense>,
}

/// What one pass says, in the coordinates of its tokens.
pub struct Prediction {
    /// For each joint its position and the logarithm of its uncertainty.
    pub joints: Vec<([f32; 3], f32)>,
    /// Probability of each body plan.
    pub plans: [f64; PLANS],
}

/// First bytes of a file.
const MAGIC: &[u8; 8] = b"pupprior";
/// Of the layout of a file.
const VERSION: u32 = 1;

/// The network that `tools/train_prior` made; docs/prior.md lists what it was trained on.
const BUILT_IN: &[u8] = include_bytes!("prior.bin");

impl Network {
    /// The one that comes with the program.
    ///
    /// # Panics
    /// Never: a test reads it.
    pub fn built_in() -> Network {
        Network::from_bytes(BUILT_IN).expect("the built-in network has the layers of this program")
    }

    /// Reads the bytes of a file; `None` if they are not those of a network of these layers.
    pub fn from_bytes(bytes: &[u8]) -> Option<Network> {
        let bytes = bytes.strip_prefix(MAGIC)?.strip_prefix(&VERSION.to_le_bytes())?;
        let count: usize = LAYERS.iter().map(|(inputs, outputs)| (inputs + 1) * outputs).sum();
        if bytes.len() != count * size_of::<f32>() {
            return None;
        }
        let mut numbers =
            bytes.chunks_exact(size_of::<f32>()).map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]]));
        let layers = LAYERS.iter().map(|&(inputs, outputs)| Dense {
            inputs,
            outputs,
            weights: numbers.by_ref().take(inputs * outputs).collect(),
            biases: numbers.by_ref().take(outputs).collect(),
        });
        Some(Network { layers: layers.collect() })
    }

    /// The bytes of a file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        bytes.extend(VERSION.to_le_bytes());
        for layer in &self.layers {
            bytes.extend(layer.weights.iter().chain(&layer.biases).flat_map(|number| number.to_le_bytes()));
        }
        bytes
    }

    /// One pass.
    pub fn answer(&self, tokens: &Tokens) -> Prediction {
        let [near, near_2, point, region, region_2, whole, voter, voter_2, joints, plan, plan_2] =
            std::array::from_fn(|layer| &self.layers[layer]);
        let neighbours = near_2.rectified(&near.rectified(&tokens.neighbours));
        let neighbours = largest(&neighbours, near_2.outputs, NEIGHBOURS);
        let points =
            point.rectified(&beside(&[(&neighbours, near_2.outputs), (&tokens.voters, ABOUT_VOTER)], VOTERS));
        let members = gather(&points, point.outputs, &tokens.members);
        let members = beside(&[(&members, point.outputs), (&tokens.member_offsets, 3)], REGIONS * NEIGHBOURS);
        let regions = largest(&region_2.rectified(&region.rectified(&members)), region_2.outputs, NEIGHBOURS);
        let mut pooled = largest(&regions, region_2.outputs, REGIONS);
        pooled.extend(mean(&regions, region_2.outputs));
        let body = whole.rectified(&pooled);
        let around = gather(&regions, region_2.outputs, &tokens.region);
        let everywhere = gather(&body, whole.outputs, &[0; VOTERS]);
        let context = beside(
            &[
                (&points, point.outputs),
                (&around, region_2.outputs),
                (&everywhere, whole.outputs),
                (&tokens.voters, ABOUT_VOTER),
            ],
            VOTERS,
        );
        let votes = joints.apply(&voter_2.rectified(&voter.rectified(&context)));
        let plans = softmax(plan_2.apply(&plan.rectified(&body)).iter().copied());
        Prediction {
            joints: (0..CHANNELS).map(|joint| count_votes(&votes, joint, &tokens.medial)).collect(),
            plans: std::array::from_fn(|plan| plans[plan]),
        }
    }
}

/// The mean of where the voters see a joint, by the strength of their votes, and of the logarithms of their uncertainty.
fn count_votes(votes: &[f32], joint: usize, medial: &[[f32; 3]]) -> ([f32; 3], f32) {
    let said =
        votes.chunks_exact(CHANNELS * ABOUT_JOINT).map(|row| &row[joint * ABOUT_JOINT..][..ABOUT_JOINT]);
    let shares = softmax(said.clone().map(|said| said[3]));
    let mut sums = [0.0f64; 4];
    for ((said, share), from) in said.zip(shares).zip(medial) {
        for axis in 0..3 {
            sums[axis] += share * f64::from(from[axis] + said[axis]);
        }
        sums[3] += share * f64::from(said[4]);
    }
    ([sums[0] as f32, sums[1] as f32, sums[2] as f32], sums[3] as f32)
}

fn softmax(values: impl Iterator<Item = f32> + Clone) -> Vec<f64> {
    let largest = values.clone().fold(f32::NEG_INFINITY, f32::max);
    let mut shares: Vec<f64> = values.map(|value| exp(f64::from(value - largest))).collect();
    let sum: f64 = shares.iter().sum();
    shares.iter_mut().for_each(|share| *share /= sum);
    shares
}

/// The largest of each output over every `count` rows.
fn largest(rows: &[f32], width: usize, count: usize) -> Vec<f32> {
    let mut pooled: Vec<f32> = Vec::with_capacity(rows.len() / count);
    for group in rows.chunks_exact(width * count) {
        let from = pooled.len();
        pooled.extend(&group[..width]);
        for row in group.chunks_exact(width).skip(1) {
            pooled[from..].iter_mut().zip(row).for_each(|(most, value)| *most = most.max(*value));
        }
    }
    pooled
}

/// The mean of all rows.
fn mean(rows: &[f32], width: usize) -> Vec<f32> {
    let mut sums = vec![0.0; width];
    for row in rows.chunks_exact(width) {
        sums.iter_mut().zip(row).for_each(|(sum, value)| *sum += value);
    }
    let count = (rows.len() / width) as f32;
    sums.iter_mut().for_each(|sum| *sum /= count);
    sums
}

/// Some of the rows.
fn gather(rows: &[f32], width: usize, chosen: &[u32]) -> Vec<f32> {
    chosen.iter().flat_map(|&row| &rows[row as usize * width..][..width]).copied().collect()
}

/// Rows beside each other.
fn beside(columns: &[(&[f32], usize)], rows: usize) -> Vec<f32> {
    let mut joined = Vec::with_capacity(rows * columns.iter().map(|(_, width)| width).sum::<usize>());
    for row in 0..rows {
        for (values, width) in columns {
            joined.extend(&values[row * width..][..*width]);
        }
    }
    joined
}

/// The logarithm of a number that may be zero.
pub(super) fn log_of(value: f64) -> f64 {
    ln(value.max(f64::MIN_POSITIVE))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_layer_is_a_matrix_and_biases() {
        let layer =
            Dense { inputs: 2, outputs: 2, weights: vec![1.0, 2.0, 3.0, 4.0], biases: vec![0.5, -9.0] };
        assert_eq!(layer.apply(&[1.0, 1.0]), [4.5, -3.0]);
        assert_eq!(layer.rectified(&[1.0, 1.0, 0.0, 2.0]), [4.5, 0.0, 6.5, 0.0]);
    }

    #[test]
    fn pools_take_rows_in_groups() {
        assert_eq!(largest(&[1.0, 2.0, 3.0, 0.0, 5.0, 5.0, 4.0, 6.0], 2, 2), [3.0, 2.0, 5.0, 6.0]);
        assert_eq!(mean(&[1.0, 2.0, 3.0, 0.0], 2), [2.0, 1.0]);
        assert_eq!(
            beside(&[(&[1.0, 2.0], 1), (&[3.0, 4.0, 5.0, 6.0], 2)], 2),
            [1.0, 3.0, 4.0, 2.0, 5.0, 6.0]
        );
    }

    #[test]
    fn the_strongest_vote_decides() {
        let mut votes = vec![0.0; 2 * CHANNELS * ABOUT_JOINT];
        votes[..ABOUT_JOINT].copy_from_slice(&[1.0, 0.0, 0.0, 50.0, -2.0]);
        let (position, spread) = count_votes(&votes, 0, &[[1.0, 0.0, 0.0], [9.0, 9.0, 9.0]]);
        assert!((position[0] - 2.0).abs() < 1e-5 && (spread + 2.0).abs() < 1e-5);
    }

    #[test]
    fn bytes_are_read_as_they_were_written() {
        let layers = LAYERS.map(|(inputs, outputs)| Dense {
            inputs,
            outputs,
            weights: (0..inputs * outputs).map(|i| i as f32).collect(),
            biases: vec![0.25; outputs],
        });
        let network = Network { layers: layers.to_vec() };
        let bytes = network.to_bytes();
        assert_eq!(Network::from_bytes(&bytes), Some(network));
        assert_eq!(Network::from_bytes(&bytes[..bytes.len() - 1]), None);
        assert_eq!(Network::from_bytes(b"something else"), None);
        assert!(Network::from_bytes(BUILT_IN).is_some());
    }
}
