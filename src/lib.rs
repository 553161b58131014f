//! Rigs a character mesh by itself, moves mocap onto it with planted feet, and writes animated glTF.

pub mod io;
pub mod math;
pub mod mesh;
pub mod motion;
pub mod skeleton;
mod warning;

pub use warning::Warning;
