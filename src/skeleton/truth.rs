//! The joints that a character really has, as truth files tell them.

use crate::math::Vec3;
use std::collections::BTreeMap;

/// What is known about a character.
#[derive(Debug, Clone, PartialEq)]
pub struct Truth {
    /// Its height in the unit of its file.
    pub height: f64,
    /// `biped`, `quadruped` or something else.
    pub morphology: String,
    /// Where it is from: characters of one family are like each other.
    pub family: String,
    /// Joints under their canonical names (`left_elbow`, `back_right_knee`), in the coordinates of its file.
    pub joints: BTreeMap<String, Vec3>,
}
