//! Elementary functions that give the same bits on every processor and system.
//!
//! `f64::sin` and its kin call the C library, which chooses among variants by processor (glibc, with and without fused
//! multiply-add) and differs between systems; the last bit of a result then decides which of two joints a vertex gets.
//! `libm` is one implementation in Rust. `clippy.toml` forbids the others; nalgebra is told by its feature `libm-force`.
//! Addition, multiplication, division and square root are exact everywhere and need no replacement.

use std::ops::Mul;

pub use libm::{
    acos, asin, atan2, cbrt, cos, exp, exp2, hypot, log as ln, log2, log10, pow, sin, sincos as sin_cos, tan,
    tanh,
};

/// `x²`.
#[inline]
pub fn square<T: Copy + Mul<Output = T>>(x: T) -> T {
    x * x
}

/// `x³`.
#[inline]
pub fn cube<T: Copy + Mul<Output = T>>(x: T) -> T {
    x * x * x
}

/// `x` to a whole power by repeated squaring. `f64::powi` is that on some systems and `pow` on others.
pub fn powi(x: f64, exponent: i32) -> f64 {
    let (mut power, mut left, mut result) = (x, exponent.unsigned_abs(), 1.0);
    while left > 0 {
        if left & 1 == 1 {
            result *= power;
        }
        power *= power;
        left >>= 1;
    }
    if exponent < 0 { 1.0 / result } else { result }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// C libraries differ in the last bits of these results.
    #[test]
    fn results_have_the_same_bits_everywhere() {
        let of_one: [fn(f64) -> f64; 10] = [sin, cos, tan, tanh, exp, exp2, ln, log2, log10, cbrt];
        let of_two: [fn(f64, f64) -> f64; 3] = [pow, hypot, atan2];
        let mut hash = 0u64;
        for x in (1..2000).map(|step| 0.013 * f64::from(step)) {
            let results = of_one.iter().map(|function| function(x));
            let results = results.chain(of_two.iter().map(|function| function(x, 1.3)));
            let results =
                results.chain([sin_cos(x).0, sin_cos(x).1, acos(1.0 / (1.0 + x)), asin(1.0 / (1.0 + x))]);
            hash = results.fold(hash, |hash, result| hash.rotate_left(5) ^ result.to_bits());
        }
        assert_eq!(hash, 0x79b0_2d84_6fe3_f19a);
    }

    #[test]
    fn whole_powers_are_products() {
        assert_eq!(
            [powi(0.5, 40), powi(10.0, 22), powi(10.0, -3), powi(7.0, 0)],
            [2f64.recip().powi(40), 1e22, 1e-3, 1.0]
        );
        assert_eq!((square(3.0), cube(-2.0), powi(1.1, 3)), (9.0, -8.0, cube(1.1)));
        assert_eq!(powi(2.0, i32::MIN), 0.0);
    }
}
