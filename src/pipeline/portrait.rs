//! A character in a test pose, to see at a glance whether it can be moved.

use super::{Character, ClipOptions, Error, animate, draw};
use crate::Image;
use crate::motion::Motion;
use crate::preview::AnimationOptions;
use crate::retarget::figure_of;

/// In mid-step legs are apart, knees and elbows bend, and feet stand: what is wrong with joints or weights shows.
const WALKS: [&str; 2] = ["walk", "quad_walk"];
/// Pictures of a walk of three seconds that are drawn to get the one in mid-step: the second.
const MOMENTS: usize = 4;

impl Character {
    /// A picture of it in the middle of a step, `size` pixels wide and high.
    ///
    /// # Errors
    /// If its document shows no surface, or it has no joint that walks.
    pub fn portrait(&self, size: usize) -> Result<Image, Error> {
        let name = WALKS[usize::from(figure_of(&self.rig).is_quadruped())];
        let reason = || format!("there is no motion '{name}'");
        let walk = Motion::built_in(name).ok_or_else(|| Error::NoMotion { reason: reason() })?;
        let clip = animate(self, name, &walk, &ClipOptions::default())?;
        let options = AnimationOptions { size, ..AnimationOptions::default() };
        let mut images = draw(self, &clip, MOMENTS, &options)?;
        Ok(images.swap_remove(1))
    }
}
