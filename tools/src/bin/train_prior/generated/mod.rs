//! Bodies made from scratch.

pub mod animals;
mod forms;
pub mod people;
pub mod things;
