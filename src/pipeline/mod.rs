//! The product, as functions: [`load`], [`rig`], [`animate`], [`export`]. Commands, the gallery and bindings call these and nothing
//! else, so that all of them give the same bytes.
//!
//! Nothing here prints, reads a flag or writes a file. Long work is told to a [`Progress`], which may stop it.

mod animate;
mod bodyparts;
mod burden;
mod character;
#[cfg(feature = "preview")]
mod draw;
mod error;
mod examples;
mod export;
mod figure;
mod joints;
mod likeness;
mod load;
mod motions;
#[cfg(feature = "preview")]
mod portrait;
mod progress;
pub mod report;
mod rig;
mod stance;

pub use animate::{Animated, ClipOptions, Compact, animate, animate_all};
pub use bodyparts::{ExtraJoints, build_body_parts, finished_character};
pub use character::{Character, SkinnedMesh};
#[cfg(feature = "preview")]
pub use draw::{draw, drawn, in_motion};
pub use error::Error;
pub use examples::{ExampleMesh, ExampleOptions, LearnedSkin, PoseFile, load_examples};
pub use export::{ExportOptions, OutputFile, OutputKind, export};
pub use figure::{Attachment, foretell, looked_at};
pub use joints::{FreeJoints, Joints, ManualJoints};
pub use likeness::Likeness;
pub use load::{LoadOptions, Loaded, load, load_character};
pub use motions::{InputMotion, LeftOut, MotionSource, files_below, find_motions, name_clips};
pub use progress::{Laps, Progress, Silent};
pub use report::{
    ClipEntry, ClipReport, Entries, FileFailure, Finding, Inspection, LeftOutMotion, RigReport, RunReport,
    WarningReport, WrittenFile,
};
pub use rig::{Jointed, RestPose, RigOptions, Rigged, SkeletonSource, place_joints, rig};
