//! The network of the prior while it learns: the same layers as `puppetry::stages::embed::prior::network`, for many
//! samples at once, with their gradients.
//!
//! Matrices have a column for each row of the network's input.

use nalgebra::{DMatrix, DVector};
use puppetry::stages::embed::prior::network::{Dense, LAYERS, Network};
use puppetry::stages::embed::prior::tokens::{
    ABOUT_NEIGHBOUR, ABOUT_VOTER, NEIGHBOURS, REGIONS, Tokens, VOTERS,
};
use puppetry::stages::math::Random;

pub type Matrix = DMatrix<f32>;

/// Parts of bodies that voters tell from each other while learning: an exercise that nothing asks for later.
pub const SEGMENTS: usize = 17;
/// The layers of the file, and the one for the exercise.
const COUNT: usize = LAYERS.len() + 1;

/// Weights and biases, or their gradients, of all layers.
#[derive(Clone)]
pub struct Layers(pub Vec<(Matrix, DVector<f32>)>);

impl Layers {
    /// After He et al. 2015: outputs as large as inputs.
    pub fn random(random: &mut Random) -> Layers {
        let sizes = LAYERS.iter().copied().chain([(LAYERS[8].0, SEGMENTS)]);
        let layers = sizes.enumerate().map(|(index, (inputs, outputs))| {
            // What is said in the end begins near zero.
            let is_last = matches!(index, 8 | 10 | 11);
            let spread = (2.0 / inputs as f64).sqrt() * if is_last { 0.1 } else { 1.0 };
            let weights = Matrix::from_fn(outputs, inputs, |_, _| (spread * normal(random)) as f32);
            (weights, DVector::zeros(outputs))
        });
        Layers(layers.collect())
    }

    pub fn zeros(&self) -> Layers {
        Layers(self.0.iter().map(|(w, b)| (w * 0.0, b * 0.0)).collect())
    }

    pub fn add(&mut self, other: &Layers) {
        for ((w, b), (ow, ob)) in self.0.iter_mut().zip(&other.0) {
            *w += ow;
            *b += ob;
        }
    }

    /// All numbers, layer by layer.
    pub fn numbers(&self) -> impl Iterator<Item = &f32> {
        self.0.iter().flat_map(|(w, b)| w.iter().chain(b.iter()))
    }

    pub fn numbers_mut(&mut self) -> impl Iterator<Item = &mut f32> {
        self.0.iter_mut().flat_map(|(w, b)| w.iter_mut().chain(b.iter_mut()))
    }

    pub fn network(&self) -> Network {
        let layers = self.0[..LAYERS.len()].iter().map(|(w, b)| Dense {
            inputs: w.ncols(),
            outputs: w.nrows(),
            // Column by column: one for each input, as the file has them.
            weights: w.as_slice().to_vec(),
            biases: b.as_slice().to_vec(),
        });
        Network { layers: layers.collect() }
    }
}

pub fn normal(random: &mut Random) -> f64 {
    // Box and Muller.
    (-2.0 * (1.0 - random.unit()).ln()).sqrt() * (std::f64::consts::TAU * random.unit()).cos()
}

/// A pass with everything that its gradient needs.
pub struct Pass {
    inputs: Vec<Matrix>,
    outputs: Vec<Matrix>,
    near_choice: Vec<u32>,
    region_choice: Vec<u32>,
    body_choice: Vec<u32>,
    members: Vec<u32>,
    regions: Vec<u32>,
    samples: usize,
}

const RECTIFIED: [bool; COUNT] = [true, true, true, true, true, true, true, true, false, true, false, false];

impl Pass {
    pub fn of(layers: &Layers, tokens: &[&Tokens]) -> Pass {
        let samples = tokens.len();
        let mut pass = Pass {
            inputs: vec![Matrix::zeros(0, 0); COUNT],
            outputs: vec![Matrix::zeros(0, 0); COUNT],
            near_choice: Vec::new(),
            region_choice: Vec::new(),
            body_choice: Vec::new(),
            members: Vec::new(),
            regions: Vec::new(),
            samples,
        };
        for (sample, tokens) in tokens.iter().enumerate() {
            pass.members.extend(tokens.members.iter().map(|member| member + (sample * VOTERS) as u32));
            pass.regions.extend(tokens.region.iter().map(|region| region + (sample * REGIONS) as u32));
        }
        let joined = |rows: usize, part: fn(&Tokens) -> &[f32]| {
            let numbers: Vec<f32> = tokens.iter().flat_map(|tokens| part(tokens)).copied().collect();
            Matrix::from_vec(rows, numbers.len() / rows, numbers)
        };
        let neighbours = joined(ABOUT_NEIGHBOUR, |tokens| &tokens.neighbours);
        let voters = joined(ABOUT_VOTER, |tokens| &tokens.voters);
        let offsets = joined(3, |tokens| &tokens.member_offsets);
        pass.layer(layers, 0, neighbours);
        pass.layer(layers, 1, pass.outputs[0].clone());
        let (near, choice) = largest(&pass.outputs[1], NEIGHBOURS);
        pass.near_choice = choice;
        pass.layer(layers, 2, stacked(&[&near, &voters]));
        let members = gathered(&pass.outputs[2], &pass.members);
        pass.layer(layers, 3, stacked(&[&members, &offsets]));
        pass.layer(layers, 4, pass.outputs[3].clone());
        let (regions, choice) = largest(&pass.outputs[4], NEIGHBOURS);
        pass.region_choice = choice;
        let (most, choice) = largest(&regions, REGIONS);
        pass.body_choice = choice;
        pass.layer(layers, 5, stacked(&[&most, &means(&regions, REGIONS)]));
        let around = gathered(&regions, &pass.regions);
        let whose: Vec<u32> = (0..samples * VOTERS).map(|voter| (voter / VOTERS) as u32).collect();
        let body = gathered(&pass.outputs[5], &whose);
        pass.layer(layers, 6, stacked(&[&pass.outputs[2], &around, &body, &voters]));
        pass.layer(layers, 7, pass.outputs[6].clone());
        pass.layer(layers, 8, pass.outputs[7].clone());
        pass.layer(layers, 9, pass.outputs[5].clone());
        pass.layer(layers, 10, pass.outputs[9].clone());
        pass.layer(layers, 11, pass.outputs[7].clone());
        pass
    }

    fn layer(&mut self, layers: &Layers, index: usize, input: Matrix) {
        let (weights, biases) = &layers.0[index];
        let mut output = Matrix::zeros(weights.nrows(), input.ncols());
        output.gemm(1.0, weights, &input, 0.0);
        for mut column in output.column_iter_mut() {
            column += biases;
            if RECTIFIED[index] {
                column.iter_mut().for_each(|value| *value = value.max(0.0));
            }
        }
        self.inputs[index] = input;
        self.outputs[index] = output;
    }

    /// [`ABOUT_JOINT`] numbers for each joint by each voter.
    pub fn votes(&self) -> &Matrix {
        &self.outputs[8]
    }

    pub fn plans(&self) -> &Matrix {
        &self.outputs[10]
    }

    pub fn segments(&self) -> &Matrix {
        &self.outputs[11]
    }

    /// The gradients of the weights, from those of votes, plans and segments.
    pub fn gradients(&self, layers: &Layers, votes: Matrix, plans: Matrix, segments: Matrix) -> Layers {
        let mut sums = layers.zeros();
        let mut back = |index: usize, mut outer: Matrix| -> Matrix {
            if RECTIFIED[index] {
                outer.iter_mut().zip(self.outputs[index].iter()).for_each(|(gradient, output)| {
                    if *output <= 0.0 {
                        *gradient = 0.0;
                    }
                });
            }
            let (weights, _) = &layers.0[index];
            let (sum, bias) = &mut sums.0[index];
            sum.gemm(1.0, &outer, &self.inputs[index].transpose(), 1.0);
            for column in outer.column_iter() {
                *bias += column;
            }
            let mut inner = Matrix::zeros(weights.ncols(), outer.ncols());
            if index > 0 {
                inner.gemm(1.0, &weights.transpose(), &outer, 0.0);
            }
            inner
        };
        let inner = back(8, votes) + back(11, segments);
        let inner = back(7, inner);
        let context = back(6, inner);
        let plan = back(10, plans);
        let plan = back(9, plan);
        let (point, region) = (self.outputs[2].nrows(), self.outputs[4].nrows());
        let whole = self.outputs[5].nrows();
        let mut points = context.rows(0, point).clone_owned();
        let mut regions = Matrix::zeros(region, self.samples * REGIONS);
        scatter(&mut regions, &context.rows(point, region).clone_owned(), &self.regions);
        let mut body = plan;
        for voter in 0..self.samples * VOTERS {
            let mut column = body.column_mut(voter / VOTERS);
            column += context.column(voter).rows(point + region, whole);
        }
        let pooled = back(5, body);
        for sample in 0..self.samples {
            for row in 0..region {
                let chosen = self.body_choice[sample * region + row] as usize;
                regions[(row, chosen)] += pooled[(row, sample)];
                let share = pooled[(region + row, sample)] / REGIONS as f32;
                for member in 0..REGIONS {
                    regions[(row, sample * REGIONS + member)] += share;
                }
            }
        }
        let inner = back(4, spread(&regions, &self.region_choice, NEIGHBOURS));
        let members = back(3, inner);
        scatter(&mut points, &members.rows(0, point).clone_owned(), &self.members);
        let token = back(2, points);
        let near = token.rows(0, self.outputs[1].nrows()).clone_owned();
        let inner = back(1, spread(&near, &self.near_choice, NEIGHBOURS));
        back(0, inner);
        sums
    }
}

/// The largest over every `count` columns, and in which column it was.
fn largest(columns: &Matrix, count: usize) -> (Matrix, Vec<u32>) {
    let (rows, groups) = (columns.nrows(), columns.ncols() / count);
    let mut pooled = Matrix::from_element(rows, groups, f32::NEG_INFINITY);
    let mut choice = vec![0; rows * groups];
    for group in 0..groups {
        let (most, chosen) =
            (&mut pooled.as_mut_slice()[group * rows..][..rows], &mut choice[group * rows..][..rows]);
        for column in group * count..(group + 1) * count {
            let values = &columns.as_slice()[column * rows..][..rows];
            for row in 0..rows {
                if values[row] > most[row] {
                    most[row] = values[row];
                    chosen[row] = column as u32;
                }
            }
        }
    }
    (pooled, choice)
}

/// The gradient of [`largest`].
fn spread(pooled: &Matrix, choice: &[u32], count: usize) -> Matrix {
    let rows = pooled.nrows();
    let mut columns = Matrix::zeros(rows, pooled.ncols() * count);
    for (place, gradient) in pooled.iter().enumerate() {
        columns[(place % rows, choice[place] as usize)] = *gradient;
    }
    columns
}

fn means(columns: &Matrix, count: usize) -> Matrix {
    let mut sums = Matrix::zeros(columns.nrows(), columns.ncols() / count);
    for (index, column) in columns.column_iter().enumerate() {
        let mut sum = sums.column_mut(index / count);
        sum += column;
    }
    sums / count as f32
}

fn gathered(columns: &Matrix, chosen: &[u32]) -> Matrix {
    let rows = columns.nrows();
    let mut numbers = Vec::with_capacity(rows * chosen.len());
    for &column in chosen {
        numbers.extend_from_slice(&columns.as_slice()[column as usize * rows..][..rows]);
    }
    Matrix::from_vec(rows, chosen.len(), numbers)
}

/// The gradient of [`gathered`].
fn scatter(columns: &mut Matrix, gathered: &Matrix, chosen: &[u32]) {
    for (column, &to) in gathered.column_iter().zip(chosen) {
        let mut sum = columns.column_mut(to as usize);
        sum += column;
    }
}

fn stacked(blocks: &[&Matrix]) -> Matrix {
    let (rows, columns) = (blocks.iter().map(|block| block.nrows()).sum(), blocks[0].ncols());
    let mut numbers = Vec::with_capacity(rows * columns);
    for column in 0..columns {
        for block in blocks {
            let height = block.nrows();
            numbers.extend_from_slice(&block.as_slice()[column * height..][..height]);
        }
    }
    Matrix::from_vec(rows, columns, numbers)
}

#[cfg(test)]
mod tests {
    use super::*;
    use puppetry::Vec3;
    use puppetry::stages::embed::prior::network::{ABOUT_JOINT, CHANNELS, PLANS};
    use puppetry::stages::embed::prior::points::SurfacePoint;
    use puppetry::stages::embed::prior::tokens::POINTS;

    fn tokens(seed: u64) -> Tokens {
        let mut random = Random::new(seed);
        let points: Vec<SurfacePoint> = (0..POINTS)
            .map(|_| {
                let at = Vec3::new(random.unit(), 2.0 * random.unit(), random.unit());
                SurfacePoint { position: at, normal: Vec3::x(), thickness: 0.2 * random.unit() }
            })
            .collect();
        Tokens::of(&points)
    }

    #[test]
    fn a_pass_says_what_the_library_says() {
        let layers = Layers::random(&mut Random::new(5));
        let tokens = [tokens(1), tokens(2)];
        let pass = Pass::of(&layers, &tokens.iter().collect::<Vec<_>>());
        let answer = layers.network().answer(&tokens[1]);
        let plans = pass.plans().column(1).map(|value| f64::from(value).exp());
        for plan in 0..PLANS {
            assert!((plans[plan] / plans.sum() - answer.plans[plan]).abs() < 1e-4);
        }
    }

    #[test]
    fn gradients_are_those_of_finite_differences() {
        let layers = Layers::random(&mut Random::new(5));
        let tokens = [tokens(1), tokens(2)];
        let tokens: Vec<&Tokens> = tokens.iter().collect();
        // A loss that is a fixed sum of all that is said.
        let mut random = Random::new(9);
        let mut factors =
            |rows, columns| Matrix::from_fn(rows, columns, |_, _| random.between(-1.0, 1.0) as f32);
        let votes = factors(CHANNELS * ABOUT_JOINT, 2 * VOTERS);
        let plans = factors(PLANS, 2);
        let segments = factors(SEGMENTS, 2 * VOTERS);
        let loss = |layers: &Layers| -> f64 {
            let pass = Pass::of(layers, &tokens);
            [(pass.votes(), &votes), (pass.plans(), &plans), (pass.segments(), &segments)]
                .iter()
                .map(|(said, factors)| {
                    said.iter().zip(factors.iter()).map(|(a, b)| f64::from(a * b)).sum::<f64>()
                })
                .sum()
        };
        let gradients =
            Pass::of(&layers, &tokens).gradients(&layers, votes.clone(), plans.clone(), segments.clone());
        for layer in 0..COUNT {
            // The largest gradient of a layer: the others drown in rounding.
            let own = &gradients.0[layer].0;
            let (place, _) = own.iter().enumerate().max_by(|a, b| a.1.abs().total_cmp(&b.1.abs())).unwrap();
            let step = 1e-3;
            let [less, more] = [-step, step].map(|step| {
                let mut moved = layers.clone();
                moved.0[layer].0[place] += step;
                loss(&moved)
            });
            let expected = (more - less) / f64::from(2.0 * step);
            let found = f64::from(own[place]);
            assert!(
                (found - expected).abs() < 0.03 * expected.abs(),
                "layer {layer}: {found} and {expected}"
            );
        }
    }
}
