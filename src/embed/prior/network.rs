//! The network: dense layers, the largest of neighbours, and a vote.
//!
//! Neighbourhoods and their maxima in two sizes are those of Qi et al. 2017, "PointNet++". Here points also know the middle of
//! the body behind them, from which votes are cast, as in Hough voting (Qi et al. 2019, "Deep Hough Voting").
//!
//! Sums run in the order of the inputs, part by part, in `f32`, without fused operations: the same bits on every processor.

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

/// Some of the inputs of a layer: rows of `width` numbers, and for each output row which of them it takes; `None`: its own.
struct Part<'a> {
    rows: &'a [f32],
    width: usize,
    chosen: Option<&'a [u32]>,
}

impl<'a> Part<'a> {
    fn all(rows: &'a [f32], width: usize) -> Part<'a> {
        Part { rows, width, chosen: None }
    }

    fn chosen(rows: &'a [f32], width: usize, chosen: &'a [u32]) -> Part<'a> {
        Part { rows, width, chosen: Some(chosen) }
    }
}

impl Dense {
    /// The outputs for inputs beside each other. What several output rows share is multiplied once.
    fn apply(&self, parts: &[Part]) -> Vec<f32> {
        let count =
            parts.first().map_or(0, |part| part.chosen.map_or(part.rows.len() / part.width, <[u32]>::len));
        let mut outputs = self.biases.repeat(count);
        let mut from = 0;
        for part in parts {
            let weights = &self.weights[from * self.outputs..][..part.width * self.outputs];
            let products = self.multiply(part.rows, part.width, weights);
            for (row, sums) in outputs.chunks_exact_mut(self.outputs).enumerate() {
                let row = part.chosen.map_or(row, |chosen| chosen[row] as usize);
                let product = &products[row * self.outputs..][..self.outputs];
                sums.iter_mut().zip(product).for_each(|(sum, product)| *sum += product);
            }
            from += part.width;
        }
        outputs
    }

    fn multiply(&self, rows: &[f32], width: usize, weights: &[f32]) -> Vec<f32> {
        let mut products = vec![0.0; rows.len() / width * self.outputs];
        for (row, sums) in rows.chunks_exact(width).zip(products.chunks_exact_mut(self.outputs)) {
            for (input, weights) in row.iter().zip(weights.chunks_exact(self.outputs)) {
                if *input != 0.0 {
                    sums.iter_mut().zip(weights).for_each(|(sum, weight)| *sum += input * weight);
                }
            }
        }
        products
    }

    /// The same, with nothing below zero.
    fn rectified(&self, parts: &[Part]) -> Vec<f32> {
        let mut outputs = self.apply(parts);
        outputs.iter_mut().for_each(|output| *output = output.max(0.0));
        outputs
    }

    /// Of the outputs of another layer.
    fn after(&self, rows: &[f32]) -> Vec<f32> {
        self.rectified(&[Part::all(rows, self.inputs)])
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
const VERSION: u32 = 2;
/// Bytes of a number: the upper half of an `f32` (bfloat16). Joints move by less than 0.1 % of the height by that.
const WIDTH: usize = 2;

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

    /// Of numbers, layer by layer its weights and its biases; `None` if they are too few or too many, or not finite.
    pub fn from_numbers(numbers: impl IntoIterator<Item = f32>) -> Option<Network> {
        let mut numbers = numbers.into_iter().take_while(|number| number.is_finite());
        let layers: Option<Vec<Dense>> = LAYERS
            .iter()
            .map(|&(inputs, outputs)| {
                let weights: Vec<f32> = numbers.by_ref().take(inputs * outputs).collect();
                let biases: Vec<f32> = numbers.by_ref().take(outputs).collect();
                (biases.len() == outputs).then_some(Dense { inputs, outputs, weights, biases })
            })
            .collect();
        numbers.next().is_none().then_some(Network { layers: layers? })
    }

    /// Reads the bytes of a file; `None` if they are not those of a network of these layers.
    pub fn from_bytes(bytes: &[u8]) -> Option<Network> {
        let bytes = bytes.strip_prefix(MAGIC)?.strip_prefix(&VERSION.to_le_bytes())?;
        let halves = bytes.chunks_exact(WIDTH);
        let is_whole = halves.remainder().is_empty();
        let numbers = halves.map(|b| f32::from_bits(u32::from(u16::from_le_bytes([b[0], b[1]])) << 16));
        Network::from_numbers(numbers).filter(|_| is_whole)
    }

    /// The bytes of a file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        bytes.extend(VERSION.to_le_bytes());
        let numbers = self.layers.iter().flat_map(|layer| layer.weights.iter().chain(&layer.biases));
        bytes.extend(numbers.flat_map(|number| upper_half(*number).to_le_bytes()));
        bytes
    }

    /// One pass.
    pub fn answer(&self, tokens: &Tokens) -> Prediction {
        let [near, near_2, point, region, region_2, whole, voter, voter_2, joints, plan, plan_2] =
            std::array::from_fn(|layer| &self.layers[layer]);
        let neighbours = near_2.after(&near.after(&tokens.neighbours));
        let neighbours = largest(&neighbours, near_2.outputs, NEIGHBOURS);
        let voters = || Part::all(&tokens.voters, ABOUT_VOTER);
        let points = point.rectified(&[Part::all(&neighbours, near_2.outputs), voters()]);
        let members = region.rectified(&[
            Part::chosen(&points, point.outputs, &tokens.members),
            Part::all(&tokens.member_offsets, 3),
        ]);
        let regions = largest(&region_2.after(&members), region_2.outputs, NEIGHBOURS);
        let mut pooled = largest(&regions, region_2.outputs, REGIONS);
        pooled.extend(mean(&regions, region_2.outputs));
        let body = whole.after(&pooled);
        let context = voter.rectified(&[
            Part::all(&points, point.outputs),
            Part::chosen(&regions, region_2.outputs, &tokens.region),
            Part::chosen(&body, whole.outputs, &[0; VOTERS]),
            voters(),
        ]);
        let votes = joints.apply(&[Part::all(&voter_2.after(&context), voter_2.outputs)]);
        let plans = softmax(plan_2.apply(&[Part::all(&plan.after(&body), plan.outputs)]).iter().copied());
        Prediction {
            joints: (0..CHANNELS).map(|joint| count_votes(&votes, joint, &tokens.medial)).collect(),
            plans: std::array::from_fn(|plan| plans[plan]),
        }
    }
}

/// The nearest number that the upper 16 bits can hold, of one that is finite.
fn upper_half(number: f32) -> u16 {
    let half = 0x8000;
    (number.to_bits().saturating_add(half) >> 16) as u16
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
        assert_eq!(layer.apply(&[Part::all(&[1.0, 1.0], 2)]), [4.5, -3.0]);
        assert_eq!(layer.after(&[1.0, 1.0, 0.0, 2.0]), [4.5, 0.0, 6.5, 0.0]);
        let parts = [Part::all(&[1.0, 0.0], 1), Part::chosen(&[1.0, 7.0], 1, &[0, 0])];
        assert_eq!(layer.apply(&parts), [4.5, -3.0, 3.5, -5.0]);
    }

    #[test]
    fn pools_take_rows_in_groups() {
        assert_eq!(largest(&[1.0, 2.0, 3.0, 0.0, 5.0, 5.0, 4.0, 6.0], 2, 2), [3.0, 2.0, 5.0, 6.0]);
        assert_eq!(mean(&[1.0, 2.0, 3.0, 0.0], 2), [2.0, 1.0]);
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
        let count: usize = LAYERS.iter().map(|(inputs, outputs)| (inputs + 1) * outputs).sum();
        let numbers = |count: usize| (0..count).map(|i| (i % 251) as f32);
        let network = Network::from_numbers(numbers(count)).unwrap();
        let bytes = network.to_bytes();
        assert_eq!(Network::from_bytes(&bytes), Some(network));
        assert_eq!(Network::from_bytes(&bytes[..bytes.len() - 1]), None);
        assert_eq!(Network::from_bytes(b"something else"), None);
        assert_eq!(Network::from_numbers(numbers(count + 1)), None);
        assert_eq!(Network::from_numbers(numbers(count - 1).chain([f32::NAN])), None);
        assert!(Network::from_bytes(BUILT_IN).is_some());
    }

    #[test]
    fn numbers_are_rounded_to_the_nearest() {
        for number in [0.1f32, -3.7, 1e-6, 0.0, 255.9] {
            let read = f32::from_bits(u32::from(upper_half(number)) << 16);
            assert!((read - number).abs() <= number.abs() / 256.0, "{number} {read}");
        }
    }
}
