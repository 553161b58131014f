//! Bodies made from scratch.

pub mod animals;
pub mod blocks;
mod forms;
pub mod people;
pub mod things;
