//! Eight values side by side, and the walk that they steer.
//!
//! Everything here is plain loops over arrays of eight in a form that the compiler turns into vector
//! instructions on every target; with SSE2, the least that x86-64 has, eight lanes are two registers.

use super::build::{Child, MAX_PENDING, Node};
use std::ops::{Add, Mul, Sub};

/// Children of a node and triangles of a leaf. Four lanes (one SSE2 register) walk twice as many nodes; sixteen
/// waste most of a leaf.
pub(super) const WIDTH: usize = 8;

/// One number for each child of a node or triangle of a leaf.
pub(super) type Lanes = [f32; WIDTH];

/// `f32` for speed near the mesh, `f64` where the query is too far away for it.
pub(super) trait Real:
    Copy + PartialOrd + From<f32> + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self>
{
}

impl Real for f32 {}
impl Real for f64 {}

/// The smaller of two numbers, as the one instruction that `f32::min` with its care for NaN is not. If either is
/// NaN, the second.
#[inline(always)]
pub(super) fn smaller<T: PartialOrd>(a: T, b: T) -> T {
    if a < b { a } else { b }
}

/// The larger of two numbers. If either is NaN, the second.
#[inline(always)]
pub(super) fn larger<T: PartialOrd>(a: T, b: T) -> T {
    if a > b { a } else { b }
}

impl Node {
    /// Squared distance from a point to each child's box; infinite for absent children.
    #[inline(always)]
    pub(super) fn squared_distances<T: Real>(&self, point: [T; 3]) -> [T; WIDTH] {
        let zero = T::from(0.0);
        let mut squared = [zero; WIDTH];
        for axis in 0..3 {
            for lane in 0..WIDTH {
                let below = T::from(self.min[axis][lane]) - point[axis];
                let above = point[axis] - T::from(self.max[axis][lane]);
                let gap = larger(larger(below, above), zero);
                squared[lane] = squared[lane] + gap * gap;
            }
        }
        squared
    }
}

/// What a walk still has to visit, nearest on top. It lives on the stack: the depth of the tree is bounded.
pub(super) struct Pending<T> {
    entries: [(T, Child); MAX_PENDING],
    len: usize,
}

impl<T: Real> Pending<T> {
    /// The root, at distance zero.
    pub(super) fn root() -> Pending<T> {
        Pending { entries: [(T::from(0.0), Child::ROOT); MAX_PENDING], len: 1 }
    }

    /// The nearest of what was pushed last.
    #[inline(always)]
    pub(super) fn pop(&mut self) -> Option<(T, Child)> {
        self.len = self.len.checked_sub(1)?;
        Some(self.entries[self.len])
    }

    /// Adds the children with a key below `limit`, so that the one with the smallest key comes out first.
    #[inline(always)]
    pub(super) fn push(&mut self, keys: &[T; WIDTH], children: &[Child; WIDTH], limit: T) {
        let base = self.len;
        for lane in 0..WIDTH {
            let key = keys[lane];
            if key < limit {
                let mut at = self.len;
                while at > base && self.entries[at - 1].0 < key {
                    self.entries[at] = self.entries[at - 1];
                    at -= 1;
                }
                self.entries[at] = (key, children[lane]);
                self.len += 1;
            }
        }
    }
}
