//! The weights of the penalties, learned from good and bad embeddings.
//!
//! Baran & Popović 2007, section 3.3. An embedding is a vector of penalties, and the search takes the one whose weighted
//! sum is least. The **margin** of a character is how much more its best bad embedding costs than its best good one;
//! the weights shall make the smallest margin of all characters as large as possible. In the order of the work:
//!
//! * [`errors`] compares joints with the true ones, and says which embeddings are good;
//! * [`training_character`] proposes embeddings of a character: what the search finds and nearly finds, and what it must not find;
//! * [`features`] turns them into vectors, and [`dataset`] keeps them, so that learning needs no meshes;
//! * [`margin`] is what is maximised, [`mod@maximise`] does it, and [`rounds`] repeats it with the embeddings that the new
//!   weights find;
//! * [`no_regression`] takes the largest step from the old weights to the new ones that makes no guarded character worse;
//! * [`validation`] asks what the weights are worth for characters of families that they were not learned from.

pub mod dataset;
pub mod errors;
pub mod features;
pub mod margin;
pub mod maximise;
pub mod no_regression;
pub mod rounds;
pub mod training_character;
pub mod validation;

pub use dataset::{Dataset, DatasetError, Example, Label, LabelledCharacter};
pub use errors::Errors;
pub use features::Features;
pub use margin::{Margin, Margins};
pub use maximise::{Learned, MaximiseOptions, inseparable, maximise};
pub use training_character::{Answer, TrainingCharacter};
