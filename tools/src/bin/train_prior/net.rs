//! The network of the prior while it learns: the same layers as `puppetry::stages::embed::prior::network`, for many
//! samples at once, with their gradients.
//!
//! Matrices have a column for each row of the network's input.

use faer::linalg::matmul::matmul;
use faer::{Accum, MatMut, MatRef, Par};
use nalgebra::{DMatrix, DVector};
use puppetry::stages::embed::prior::network::{LAYERS, Network};
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

    /// Without the layer of the exercise; `None` if a number is not finite. Matrices are stored column by column, one for each
    /// input, as the network has them.
    pub fn network(&self) -> Option<Network> {
        let kept = self.0[..LAYERS.len()].iter();
        Network::from_numbers(kept.flat_map(|(w, b)| w.iter().chain(b.iter())).copied())
    }
}

pub fn normal(random: &mut Random) -> f64 {
    // Box and Muller.
    (-2.0 * (1.0 - random.unit()).ln()).sqrt() * (std::f64::consts::TAU * random.unit()).cos()
}

/// Some of the inputs of a layer, and for each column of its output which column of theirs it takes; `None`: its own.
struct Part {
    columns: Matrix,
    chosen: Option<Vec<u32>>,
}

impl Part {
    fn all(columns: &Matrix) -> Part {
        Part { columns: columns.clone(), chosen: None }
    }

    fn chosen(columns: &Matrix, chosen: &[u32]) -> Part {
        Part { columns: columns.clone(), chosen: Some(chosen.to_vec()) }
    }
}

/// A pass with everything that its gradient needs.
pub struct Pass {
    inputs: Vec<Vec<Part>>,
    outputs: Vec<Matrix>,
    near_choice: Vec<u32>,
    region_choice: Vec<u32>,
    body_choice: Vec<u32>,
    samples: usize,
}

const RECTIFIED: [bool; COUNT] = [true, true, true, true, true, true, true, true, false, true, false, false];

impl Pass {
    pub fn of(layers: &Layers, tokens: &[&Tokens]) -> Pass {
        let samples = tokens.len();
        let mut pass = Pass {
            inputs: (0..COUNT).map(|_| Vec::new()).collect(),
            outputs: vec![Matrix::zeros(0, 0); COUNT],
            near_choice: Vec::new(),
            region_choice: Vec::new(),
            body_choice: Vec::new(),
            samples,
        };
        let joined = |rows: usize, part: fn(&Tokens) -> &[f32]| {
            let numbers: Vec<f32> = tokens.iter().flat_map(|tokens| part(tokens)).copied().collect();
            Matrix::from_vec(rows, numbers.len() / rows, numbers)
        };
        let of_samples = |count: usize, part: fn(&Tokens) -> &[u32]| -> Vec<u32> {
            let numbered = tokens.iter().enumerate();
            numbered
                .flat_map(|(sample, own)| part(own).iter().map(move |i| i + (sample * count) as u32))
                .collect()
        };
        let members = of_samples(VOTERS, |tokens| &tokens.members);
        let regions_of_voters = of_samples(REGIONS, |tokens| &tokens.region);
        let bodies: Vec<u32> = (0..samples * VOTERS).map(|voter| (voter / VOTERS) as u32).collect();
        let voters = joined(ABOUT_VOTER, |tokens| &tokens.voters);
        pass.layer(layers, 0, vec![Part::all(&joined(ABOUT_NEIGHBOUR, |tokens| &tokens.neighbours))]);
        pass.layer(layers, 1, vec![Part::all(&pass.outputs[0])]);
        let (near, choice) = largest(&pass.outputs[1], NEIGHBOURS);
        pass.near_choice = choice;
        pass.layer(layers, 2, vec![Part::all(&near), Part::all(&voters)]);
        let offsets = joined(3, |tokens| &tokens.member_offsets);
        pass.layer(layers, 3, vec![Part::chosen(&pass.outputs[2], &members), Part::all(&offsets)]);
        pass.layer(layers, 4, vec![Part::all(&pass.outputs[3])]);
        let (regions, choice) = largest(&pass.outputs[4], NEIGHBOURS);
        pass.region_choice = choice;
        let (most, choice) = largest(&regions, REGIONS);
        pass.body_choice = choice;
        pass.layer(layers, 5, vec![Part::all(&most), Part::all(&means(&regions, REGIONS))]);
        let context = vec![
            Part::all(&pass.outputs[2]),
            Part::chosen(&regions, &regions_of_voters),
            Part::chosen(&pass.outputs[5], &bodies),
            Part::all(&voters),
        ];
        pass.layer(layers, 6, context);
        for (layer, from) in [(7, 6), (8, 7), (9, 5), (10, 9), (11, 7)] {
            pass.layer(layers, layer, vec![Part::all(&pass.outputs[from])]);
        }
        pass
    }

    fn layer(&mut self, layers: &Layers, index: usize, parts: Vec<Part>) {
        let (weights, biases) = &layers.0[index];
        let count = parts[0].chosen.as_ref().map_or(parts[0].columns.ncols(), Vec::len);
        let rows = weights.nrows();
        let mut output = Matrix::from_fn(rows, count, |row, _| biases[row]);
        let mut from = 0;
        for part in &parts {
            let own = view(weights, from, part.columns.nrows());
            from += part.columns.nrows();
            match &part.chosen {
                None => add_product(&mut output, 0, own, whole(&part.columns)),
                Some(chosen) => {
                    let mut product = Matrix::zeros(rows, part.columns.ncols());
                    add_product(&mut product, 0, own, whole(&part.columns));
                    for (sums, &column) in output.as_mut_slice().chunks_exact_mut(rows).zip(chosen) {
                        let added = &product.as_slice()[column as usize * rows..][..rows];
                        sums.iter_mut().zip(added).for_each(|(sum, added)| *sum += added);
                    }
                }
            }
        }
        if RECTIFIED[index] {
            output.iter_mut().for_each(|value| *value = value.max(0.0));
        }
        self.inputs[index] = parts;
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
        let mut back = |index: usize, outer: Matrix| self.back(layers, &mut sums, index, outer);
        let inner = back(8, votes).swap_remove(0) + back(11, segments).swap_remove(0);
        let inner = back(7, inner).swap_remove(0);
        let [mut points, mut regions, mut body, _] = parts(back(6, inner));
        let plan = back(10, plans).swap_remove(0);
        body += back(9, plan).swap_remove(0);
        let [most, mean] = parts(back(5, body));
        for sample in 0..self.samples {
            for row in 0..regions.nrows() {
                let chosen = self.body_choice[sample * regions.nrows() + row] as usize;
                regions[(row, chosen)] += most[(row, sample)];
                let share = mean[(row, sample)] / REGIONS as f32;
                for member in 0..REGIONS {
                    regions[(row, sample * REGIONS + member)] += share;
                }
            }
        }
        let inner = back(4, spread(&regions, &self.region_choice, NEIGHBOURS)).swap_remove(0);
        let [members, _] = parts(back(3, inner));
        points += members;
        let [near, _] = parts(back(2, points));
        let inner = back(1, spread(&near, &self.near_choice, NEIGHBOURS)).swap_remove(0);
        back(0, inner);
        sums
    }

    /// Adds the gradient of a layer's weights to `sums`; gives those of its inputs, part by part.
    fn back(&self, layers: &Layers, sums: &mut Layers, index: usize, mut outer: Matrix) -> Vec<Matrix> {
        if RECTIFIED[index] {
            outer.iter_mut().zip(self.outputs[index].iter()).for_each(|(gradient, output)| {
                if *output <= 0.0 {
                    *gradient = 0.0;
                }
            });
        }
        let (weights, _) = &layers.0[index];
        let (sum, bias) = &mut sums.0[index];
        for column in outer.column_iter() {
            *bias += column;
        }
        let mut from = 0;
        let inner = self.inputs[index].iter().map(|part| {
            let rows = part.columns.nrows();
            let shared = part.chosen.as_ref().map(|chosen| scattered(&outer, chosen, part.columns.ncols()));
            let outer = shared.as_ref().unwrap_or(&outer);
            add_product(sum, from, whole(outer), whole(&part.columns).transpose());
            let own = view(weights, from, rows);
            from += rows;
            let mut inner = Matrix::zeros(rows, outer.ncols());
            // What goes into the first layer is data.
            if index > 0 {
                add_product(&mut inner, 0, own.transpose(), whole(outer));
            }
            inner
        });
        inner.collect()
    }
}

/// Some of the columns of a matrix.
fn view(matrix: &Matrix, from: usize, count: usize) -> MatRef<'_, f32> {
    let rows = matrix.nrows();
    MatRef::from_column_major_slice(&matrix.as_slice()[from * rows..][..count * rows], rows, count)
}

fn whole(matrix: &Matrix) -> MatRef<'_, f32> {
    view(matrix, 0, matrix.ncols())
}

/// Adds a product to the columns of `to` from the given one on.
fn add_product(to: &mut Matrix, from: usize, a: MatRef<f32>, b: MatRef<f32>) {
    let rows = to.nrows();
    let columns = &mut to.as_mut_slice()[from * rows..][..b.ncols() * rows];
    let columns = MatMut::from_column_major_slice_mut(columns, rows, b.ncols());
    matmul(columns, Accum::Add, a, b, 1.0, Par::Seq);
}

fn parts<const N: usize>(parts: Vec<Matrix>) -> [Matrix; N] {
    parts.try_into().unwrap_or_else(|_| unreachable!("a layer has as many gradients as inputs"))
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

/// The sums of the columns that each of `count` was chosen for.
fn scattered(columns: &Matrix, chosen: &[u32], count: usize) -> Matrix {
    let rows = columns.nrows();
    let mut sums = Matrix::zeros(rows, count);
    for (column, &to) in columns.as_slice().chunks_exact(rows).zip(chosen) {
        let own = &mut sums.as_mut_slice()[to as usize * rows..][..rows];
        own.iter_mut().zip(column).for_each(|(sum, value)| *sum += value);
    }
    sums
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
        let answer = layers.network().unwrap().answer(&tokens[1]);
        let plans = pass.plans().column(1).map(|value| f64::from(value).exp());
        for plan in 0..PLANS {
            assert!((plans[plan] / plans.sum() - answer.plans[plan]).abs() < 1e-4);
        }
        for (joint, (position, _)) in answer.joints.iter().enumerate() {
            let said = |voter: usize, part: usize| {
                f64::from(pass.votes()[(joint * ABOUT_JOINT + part, VOTERS + voter)])
            };
            let shares: Vec<f64> = (0..VOTERS).map(|voter| said(voter, 3).exp()).collect();
            for (axis, expected) in position.iter().enumerate() {
                let seen = |voter: usize| f64::from(tokens[1].medial[voter][axis]) + said(voter, axis);
                let sum: f64 = (0..VOTERS).map(|voter| shares[voter] * seen(voter)).sum();
                assert!((sum / shares.iter().sum::<f64>() - f64::from(*expected)).abs() < 1e-4);
            }
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
        let parts = Pass::of(&layers, &tokens).inputs;
        for (layer, parts) in parts.iter().enumerate() {
            let own = &gradients.0[layer].0;
            let mut from = 0;
            for part in parts {
                // The largest gradient of a part: the others drown in rounding.
                let columns = own.columns(from, part.columns.nrows());
                let (place, _) =
                    columns.iter().enumerate().max_by(|a, b| a.1.abs().total_cmp(&b.1.abs())).unwrap();
                let place = from * own.nrows() + place;
                from += part.columns.nrows();
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
}
