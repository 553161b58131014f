//! Whether a rig is good, by the two readings of the independent evaluators.

use puppetry::Vec3;
use puppetry::stages::learn::Errors;
use puppetry::stages::skeleton::{Skeleton, Truth};

/// How far the key joints of a rig are from where an artist put them.
#[derive(Debug, Clone)]
pub struct Verdict {
    /// In heights.
    pub errors: Errors,
    /// By limb, in sizes of the body; `None` for people.
    pub by_limb: Option<Errors>,
}

impl Verdict {
    /// Of joints in the coordinates of the character's file.
    pub fn of(skeleton: &Skeleton, positions: &[Vec3], truth: &Truth) -> Verdict {
        let by_limb = (truth.morphology == "quadruped").then(|| Errors::by_limb(skeleton, positions, truth));
        Verdict { errors: Errors::of(skeleton, positions, truth), by_limb }
    }

    /// Whether it passes, joint by joint.
    pub fn is_strict_pass(&self) -> bool {
        self.errors.pass()
    }

    /// The fair reading: by limb for animals.
    pub fn fair(&self) -> &Errors {
        self.by_limb.as_ref().unwrap_or(&self.errors)
    }

    /// Whether it passes by the fair reading.
    pub fn is_pass(&self) -> bool {
        self.fair().pass()
    }

    /// The mean error of the fair reading.
    pub fn mean(&self) -> f64 {
        self.fair().mean()
    }
}
