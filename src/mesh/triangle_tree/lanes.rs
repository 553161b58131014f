//! Eight numbers side by side.
//!
//! Every operation is a plain loop over an array, which the compiler turns into vector instructions on every target;
//! with SSE2, the least that x86-64 has, eight `f32` are two registers. Formulas written with these operators stay
//! vector code from end to end, where one loop around a long formula is compiled for one lane at a time, which made the
//! whole nearest-point search 1.6 times slower.

use std::array::from_fn;
use std::ops::{Add, Div, Index, IndexMut, Mul, Sub};

/// Children of a node and triangles of a leaf: two SSE2 registers, one of AVX. Other widths were not tried.
pub(super) const WIDTH: usize = 8;

/// One number for each child of a node or triangle of a leaf.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(align(32))]
pub(super) struct Lanes<T = f32>([T; WIDTH]);

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

impl<T: Real> Lanes<T> {
    #[inline(always)]
    pub(super) const fn all(value: T) -> Lanes<T> {
        Lanes([value; WIDTH])
    }

    /// If either is NaN, that of the argument.
    #[inline(always)]
    pub(super) fn min(self, other: Lanes<T>) -> Lanes<T> {
        Lanes(from_fn(|lane| smaller(self.0[lane], other.0[lane])))
    }

    /// If either is NaN, that of the argument.
    #[inline(always)]
    pub(super) fn max(self, other: Lanes<T>) -> Lanes<T> {
        Lanes(from_fn(|lane| larger(self.0[lane], other.0[lane])))
    }
}

impl Lanes {
    #[inline(always)]
    pub(super) fn widened<T: Real>(self) -> Lanes<T> {
        Lanes(self.0.map(T::from))
    }

    #[inline(always)]
    pub(super) fn sqrt(self) -> Lanes {
        Lanes(from_fn(|lane| self.0[lane].sqrt()))
    }

    #[inline(always)]
    pub(super) fn abs(self) -> Lanes {
        Lanes(from_fn(|lane| self.0[lane].abs()))
    }

    /// `then` where these are above zero, `otherwise` elsewhere.
    #[inline(always)]
    pub(super) fn where_positive(self, then: Lanes, otherwise: Lanes) -> Lanes {
        Lanes(from_fn(|lane| if self.0[lane] > 0.0 { then.0[lane] } else { otherwise.0[lane] }))
    }

    /// The smallest of the eight, none of which may be NaN.
    #[inline(always)]
    pub(super) fn smallest(self) -> f32 {
        let four: [f32; 4] = from_fn(|lane| smaller(self.0[lane], self.0[lane + 4]));
        smaller(smaller(four[0], four[1]), smaller(four[2], four[3]))
    }

    pub(super) fn sum(self) -> f64 {
        self.0.iter().map(|&value| f64::from(value)).sum()
    }
}

impl<T: Real> Add for Lanes<T> {
    type Output = Lanes<T>;
    #[inline(always)]
    fn add(self, other: Lanes<T>) -> Lanes<T> {
        Lanes(from_fn(|lane| self.0[lane] + other.0[lane]))
    }
}

impl<T: Real> Sub for Lanes<T> {
    type Output = Lanes<T>;
    #[inline(always)]
    fn sub(self, other: Lanes<T>) -> Lanes<T> {
        Lanes(from_fn(|lane| self.0[lane] - other.0[lane]))
    }
}

impl<T: Real> Mul for Lanes<T> {
    type Output = Lanes<T>;
    #[inline(always)]
    fn mul(self, other: Lanes<T>) -> Lanes<T> {
        Lanes(from_fn(|lane| self.0[lane] * other.0[lane]))
    }
}

impl Div for Lanes {
    type Output = Lanes;
    #[inline(always)]
    fn div(self, other: Lanes) -> Lanes {
        Lanes(from_fn(|lane| self.0[lane] / other.0[lane]))
    }
}

impl<T> Index<usize> for Lanes<T> {
    type Output = T;
    #[inline(always)]
    fn index(&self, lane: usize) -> &T {
        &self.0[lane]
    }
}

impl<T> IndexMut<usize> for Lanes<T> {
    #[inline(always)]
    fn index_mut(&mut self, lane: usize) -> &mut T {
        &mut self.0[lane]
    }
}

/// Scalar product of eight pairs of vectors.
#[inline(always)]
pub(super) fn dot(a: &[Lanes; 3], b: &[Lanes; 3]) -> Lanes {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}
