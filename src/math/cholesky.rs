//! Sparse symmetric systems: assembled once, factorised once, solved for many right-hand sides.
//!
//! Matrices have the format of `sprs`; `faer` factorises them (supernodal Cholesky after an approximate minimum degree
//! ordering), because `sprs`'s own factorisation is several times slower and under another licence.
//!
//! `faer` chooses its kernels by processor: with and without fused multiply-add the last bits of solutions differ. Skin
//! weights are rounded to 16 bits afterwards, which hides that but for ties.

use super::Buckets;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt::factor::LltRegularization;
use faer::sparse::linalg::SupernodalThreshold;
use faer::sparse::linalg::cholesky::{
    CholeskySymbolicParams, LltRef, SymbolicCholesky, SymmetricOrdering, factorize_symbolic_cholesky,
};
use faer::sparse::{SparseColMatRef, SymbolicSparseColMatRef};
use faer::{Conj, MatMut, Par, Side};
use rayon::prelude::*;
use sprs::CsMatI;
use std::sync::{Arc, Mutex, PoisonError};

/// A symmetric matrix, of which the lower triangle is stored, column by column.
pub type LowerTriangle = CsMatI<f64, u32>;

/// The matrix of a graph: each `(a, b, conductance)` of `edges` adds to the two diagonal entries and subtracts from the two
/// others what flows along it; `grounding` adds to the diagonal. Edges may repeat, their conductances add up; sums
/// that are not positive count as no edge, so that all entries off the diagonal are negative and, by the maximum
/// principle, solutions stay between the values on the right-hand side.
///
/// # Panics
/// If an edge joins a node with itself or names one that `grounding` does not have.
pub fn graph_matrix(grounding: &[f64], edges: &[(u32, u32, f64)]) -> LowerTriangle {
    assemble(grounding, edges, |conductance| conductance.max(0.0))
}

/// As [`graph_matrix`], with negative conductances kept.
pub fn signed_graph_matrix(grounding: &[f64], edges: &[(u32, u32, f64)]) -> LowerTriangle {
    assemble(grounding, edges, |conductance| conductance)
}

fn assemble(grounding: &[f64], edges: &[(u32, u32, f64)], admit: impl Fn(f64) -> f64) -> LowerTriangle {
    let nodes = grounding.len();
    // Sorted by counting: a general sort takes longer than the factorisation.
    let by_lower_node = Buckets::new(nodes, edges.iter().map(|&(a, b, _)| a.min(b)));
    let mut diagonal = grounding.to_vec();
    let mut starts = Vec::with_capacity(nodes + 1);
    // Most edges of a surface are listed twice, once for each of their triangles.
    let entries = nodes + edges.len() / 2;
    let (mut rows, mut values) = (Vec::with_capacity(entries), Vec::with_capacity(entries));
    let mut column: Vec<(u32, f64)> = Vec::new();
    for (node, members) in by_lower_node.iter().enumerate() {
        column.clear();
        column.extend(members.iter().map(|&edge| {
            let (a, b, conductance) = edges[edge as usize];
            (a.max(b), conductance)
        }));
        // Stable: sums are formed in the order of the edges.
        column.sort_by_key(|&(row, _)| row);
        starts.push(rows.len() as u32);
        rows.push(node as u32);
        values.push(0.0);
        for same in column.chunk_by(|one, other| one.0 == other.0) {
            let row = same[0].0;
            assert!(row as usize != node, "an edge joins two nodes");
            let conductance = admit(same.iter().map(|(_, conductance)| conductance).sum());
            rows.push(row);
            values.push(-conductance);
            diagonal[node] += conductance;
            diagonal[row as usize] += conductance;
        }
    }
    for (&start, &value) in starts.iter().zip(&diagonal) {
        values[start as usize] = value;
    }
    starts.push(rows.len() as u32);
    LowerTriangle::new_csc((nodes, nodes), starts, rows, values)
}

/// The factorisation of a symmetric positive definite matrix.
pub struct Cholesky {
    symbolic: Arc<SymbolicFactor>,
    values: Vec<f64>,
}

/// The elimination order of a pattern of entries, and the pattern of the factor.
struct SymbolicFactor {
    starts: Vec<u32>,
    rows: Vec<u32>,
    factor: SymbolicCholesky<u32>,
}

/// Factors one matrix after the other and remembers the symbolic factorisation of the last: matrices with the same pattern of
/// entries share it, and the result is the same.
#[derive(Default)]
pub struct SymbolicCache(Mutex<Option<Arc<SymbolicFactor>>>);

/// Below this size the sparse kernels beat the dense ones on blocks.
const SUPERNODAL_FROM: usize = 10_000;
/// Right-hand sides that are solved together: enough to reuse the factor from the cache, few enough to share among
/// threads.
const BATCH: usize = 4;

impl SymbolicCache {
    /// Factorises; `None` if the matrix is not positive definite in floating point.
    pub fn factor(&self, matrix: &LowerTriangle) -> Option<Cholesky> {
        let mut last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let symbolic = match last.take().filter(|symbolic| symbolic.fits(matrix)) {
            Some(symbolic) => symbolic,
            None => Arc::new(SymbolicFactor::of(matrix)?),
        };
        *last = Some(Arc::clone(&symbolic));
        drop(last);
        let values = symbolic.factor_values(matrix)?;
        Some(Cholesky { symbolic, values })
    }
}

impl SymbolicFactor {
    fn of(matrix: &LowerTriangle) -> Option<SymbolicFactor> {
        let threshold = match matrix.cols() >= SUPERNODAL_FROM {
            true => SupernodalThreshold::FORCE_SUPERNODAL,
            false => SupernodalThreshold::AUTO,
        };
        let parameters =
            CholeskySymbolicParams { supernodal_flop_ratio_threshold: threshold, ..Default::default() };
        let (starts, rows) = (matrix.indptr().raw_storage().to_vec(), matrix.indices().to_vec());
        let order = SymmetricOrdering::Amd;
        let pattern = pattern(&starts, &rows);
        let factor = factorize_symbolic_cholesky(pattern, Side::Lower, order, parameters).ok()?;
        Some(SymbolicFactor { starts, rows, factor })
    }

    /// Whether a matrix has the same pattern of entries.
    fn fits(&self, matrix: &LowerTriangle) -> bool {
        self.starts == matrix.indptr().raw_storage() && self.rows == matrix.indices()
    }

    /// The entries of the factor of a matrix that fits.
    fn factor_values(&self, matrix: &LowerTriangle) -> Option<Vec<f64>> {
        let mut values = vec![0.0; self.factor.len_val()];
        // One thread, so that the order of sums does not depend on how many there are.
        let scratch = self.factor.factorize_numeric_llt_scratch::<f64>(Par::Seq, Default::default());
        let mut memory = MemBuffer::try_new(scratch).ok()?;
        let factored = self.factor.factorize_numeric_llt(
            &mut values,
            SparseColMatRef::new(pattern(&self.starts, &self.rows), matrix.data()),
            Side::Lower,
            LltRegularization::default(),
            Par::Seq,
            MemStack::new(&mut memory),
            Default::default(),
        );
        factored.ok()?;
        Some(values)
    }
}

fn pattern<'a>(starts: &'a [u32], rows: &'a [u32]) -> SymbolicSparseColMatRef<'a, u32> {
    let nodes = starts.len() - 1;
    SymbolicSparseColMatRef::new_checked(nodes, nodes, starts, None, rows)
}

impl Cholesky {
    /// Factorises; `None` if the matrix is not positive definite in floating point.
    pub fn new(matrix: &LowerTriangle) -> Option<Cholesky> {
        SymbolicCache::default().factor(matrix)
    }

    /// Replaces right-hand sides, one after the other in `columns`, by the solutions.
    ///
    /// # Panics
    /// If `columns` is not a whole number of columns.
    pub fn solve(&self, columns: &mut [f64]) {
        let factor = &self.symbolic.factor;
        let nodes = factor.nrows();
        if nodes == 0 {
            return;
        }
        assert_eq!(columns.len() % nodes, 0, "right-hand sides are whole columns");
        columns.par_chunks_mut(BATCH * nodes).for_each(|batch| {
            let count = batch.len() / nodes;
            let scratch = factor.solve_in_place_scratch::<f64>(count, Par::Seq);
            let mut memory = MemBuffer::new(scratch);
            LltRef::new(factor, &self.values).solve_in_place_with_conj(
                Conj::No,
                MatMut::from_column_major_slice_mut(batch, nodes, count),
                Par::Seq,
                MemStack::new(&mut memory),
            );
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A chain of resistors, grounded at one end with a current into the other.
    #[test]
    fn the_voltage_along_a_chain_of_resistors_is_a_straight_line() {
        for nodes in [2, 100, SUPERNODAL_FROM] {
            let mut grounding = vec![0.0; nodes];
            grounding[0] = 1.0;
            // Every edge twice, once in each direction: conductances add up to 2.
            let edges: Vec<_> =
                (1..nodes as u32).flat_map(|node| [(node - 1, node, 0.5), (node, node - 1, 1.5)]).collect();
            let matrix = graph_matrix(&grounding, &edges);
            assert_eq!(matrix.nnz(), 2 * nodes - 1);
            let mut columns = vec![0.0; 2 * nodes];
            columns[nodes - 1] = 1.0;
            columns[nodes] = 3.0;
            Cholesky::new(&matrix).expect("positive definite").solve(&mut columns);
            for node in 0..nodes {
                let voltage = 1.0 + 0.5 * node as f64;
                assert!((columns[node] / voltage - 1.0).abs() < 1e-6, "{node} of {nodes}: {}", columns[node]);
                assert!((columns[nodes + node] - 3.0).abs() < 1e-6);
            }
        }
    }

    #[test]
    fn negative_conductances_are_no_edges_unless_they_are_wanted() {
        let edges = [(0, 1, 1.0), (1, 0, -3.0)];
        assert_eq!(graph_matrix(&[1.0, 1.0], &edges).data(), [1.0, -0.0, 1.0]);
        let signed = signed_graph_matrix(&[1.0, 1.0], &edges);
        assert_eq!(signed.data(), [-1.0, 2.0, -1.0]);
        assert!(Cholesky::new(&signed).is_none(), "not positive definite");
    }
}
