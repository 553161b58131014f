//! A few spheres that stand for all the medial samples.
//!
//! Baran & Popović 2007, section 3.1: from the largest to the smallest, a sample becomes a sphere unless its centre
//! lies within one that was taken before.
//!
//! The original stops at 1000 spheres, which loses the thinnest parts, hands and feet, first; and one sphere fills a
//! whole head or a box-shaped torso, so that hips and shoulders share it. We bound the distance that a large sphere
//! keeps free, keep small ones apart by a least distance, and raise that if there are too many.

use super::sphere::Sphere;
use crate::math::square;

/// Choices of [`pack`]. Lengths are in parts of the unit cube.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PackingOptions {
    /// A sphere keeps other centres away by its radius, but at most by this; 0.07 of the character's height is good.
    /// Without a bound, root and hips of stocky characters share one sphere.
    pub max_distance: f64,
    /// A sphere keeps other centres away by at least this. Below the spacing of the samples it has no effect; far above
    /// it, thin limbs that lie side by side share their spheres.
    pub min_distance: f64,
    /// At most this many spheres, at least one.
    pub max_spheres: usize,
    /// What happens when there would be more.
    pub excess: Excess,
}

/// What happens when too many spheres would be packed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Excess {
    /// They are spread wider: the least distance is raised by 15 % until they are few enough.
    Spread,
    /// The smallest are left out, as the original does.
    Cut,
}

impl Default for PackingOptions {
    fn default() -> Self {
        PackingOptions { max_distance: 0.063, min_distance: 0.014, max_spheres: 230, excess: Excess::Spread }
    }
}

impl PackingOptions {
    /// The choices of the original.
    pub fn compat() -> PackingOptions {
        PackingOptions {
            max_distance: f64::INFINITY,
            min_distance: 0.0,
            max_spheres: 1001,
            excess: Excess::Cut,
        }
    }
}

/// Factor by which spheres are spread at a time: with larger ones fewer spheres remain than are allowed.
const SPREAD: f64 = 1.15;

/// Least distance that is spread.
const LEAST_SPREAD: f64 = 1e-3;

/// Chooses spheres among `samples`, which are sorted from large to small; so is the result.
pub fn pack(samples: &[Sphere], options: &PackingOptions) -> Vec<Sphere> {
    let max_spheres = options.max_spheres.max(1);
    let mut min_distance = options.min_distance;
    loop {
        let limit = if options.excess == Excess::Cut { max_spheres } else { max_spheres + 1 };
        let spheres = pack_at(samples, min_distance, options.max_distance, limit);
        if spheres.len() <= max_spheres {
            return spheres;
        }
        min_distance = SPREAD * min_distance.max(LEAST_SPREAD);
    }
}

/// At most `limit` spheres.
fn pack_at(samples: &[Sphere], min_distance: f64, max_distance: f64, limit: usize) -> Vec<Sphere> {
    let mut spheres: Vec<Sphere> = Vec::new();
    let mut squared: Vec<f64> = Vec::new();
    for sample in samples {
        let mut taken = spheres.iter().zip(&squared);
        if taken.any(|(sphere, &squared)| (sample.center - sphere.center).norm_squared() < squared) {
            continue;
        }
        spheres.push(*sample);
        squared.push(square(sample.radius.min(max_distance).max(min_distance)));
        if spheres.len() >= limit {
            break;
        }
    }
    spheres
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Vec3;

    /// The axis of a limb that gets thinner, sampled finely.
    fn limb() -> Vec<Sphere> {
        (0..=900)
            .map(|i| {
                let x = 0.05 + 0.001 * f64::from(i);
                Sphere { center: Vec3::new(x, 0.5, 0.5), radius: 0.1 - 0.1 * x }
            })
            .collect()
    }

    /// Distance from each sample to the nearest sphere.
    fn gaps(samples: &[Sphere], spheres: &[Sphere]) -> f64 {
        let to_nearest = |sample: &Sphere| {
            let distances = spheres.iter().map(|sphere| (sphere.center - sample.center).norm());
            distances.fold(f64::INFINITY, f64::min)
        };
        samples.iter().map(to_nearest).fold(0.0, f64::max)
    }

    #[test]
    fn spheres_cover_all_samples_and_keep_their_distance() {
        let samples = limb();
        for (options, reach) in [(PackingOptions::compat(), 0.1), (PackingOptions::default(), 0.063)] {
            let spheres = pack(&samples, &options);
            assert!(spheres.is_sorted_by(|a, b| a.radius >= b.radius));
            assert!(gaps(&samples, &spheres) < reach);
            for (i, a) in spheres.iter().enumerate() {
                for b in &spheres[..i] {
                    let kept = b.radius.min(options.max_distance).max(options.min_distance);
                    assert!((a.center - b.center).norm() >= kept);
                }
            }
        }
    }

    #[test]
    fn too_many_spheres_are_spread_or_cut() {
        let samples = limb();
        let options = PackingOptions { max_spheres: 5, ..PackingOptions::default() };
        let spread = pack(&samples, &options);
        assert!((3..=5).contains(&spread.len()));
        assert!(gaps(&samples, &spread) < 0.3, "the thin end is still covered");
        let cut = pack(&samples, &PackingOptions { excess: Excess::Cut, ..options });
        assert_eq!(cut.len(), 5);
        assert!(gaps(&samples, &cut) > 0.5, "the thin end is lost");
        let none = PackingOptions { max_spheres: 0, min_distance: 0.0, ..options };
        assert_eq!(pack(&samples, &none).len(), 1);
        assert_eq!(pack(&[], &options), []);
    }
}
