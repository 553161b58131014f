//! Rigs a character mesh by itself, moves mocap onto it with planted feet, and writes animated glTF.
//!
//! From a mesh and a motion to a file for a game engine:
//!
//! ```
//! use puppetry::{Motion, Silent, animate, export, load_mesh, rig};
//!
//! let (mesh, _) = load_mesh("examples/characters/gingerbread.glb".as_ref())?;
//! let character = rig(&mesh, &Default::default(), &Silent)?.character;
//! let walk = Motion::built_in("walk").expect("a built-in motion");
//! let clip = animate(&character, "walk", &walk, &Default::default())?;
//! let files = export(&character, &[clip], "gingerbread.glb".as_ref(), &Default::default())?;
//! # let dir = std::env::temp_dir();
//! # let path = dir.join("puppetry_doc_example.glb");
//! std::fs::write(&path, &files[0].bytes)?;
//! # std::fs::remove_file(&path)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The data in the order of its path. A **mesh** is what a file holds, with everything that must survive until the export. It is
//! **prepared**: welded, placed, fitted to the unit cube. [`rig()`] finds the **joints** of a character in it and whether it bends or is
//! made of rigid pieces, as a robot is, and binds it to **weights**: the result is a [`Character`], with the document of its file.
//!
//! A **motion** is a hierarchy of joints with rotations over time, from BVH, glTF or FBX. Each joint has a **role**, one pose is the
//! **reference**, and a **joint map** says which joint of the motion moves which of the character. [`animate()`] moves the character by
//! inverse kinematics with planted feet, so that there is no foot skating, and bakes a **clip**; [`export()`] writes files. [`Retargeter`]
//! does the same online, frame by frame.
//!
//! [`stages`] has every step with its intermediate values. Long work is told to a [`Progress`], which may stop it. An [`Error`] is one
//! sentence with a way out and a stable code; a [`Warning`] carries its [`Remedy`] as data.
//!
//! Features, on by default: `cli` (the program), `preview` (images), `fbx` and `webp` (each needs a C compiler); off by default: `schemas`
//! (JSON Schemas of the reports).
//!
//! # Conventions
//!
//! Right-handed, +Y up, facing +Z, the character's left at +X, metres, column vectors, unit quaternions, radians;
//! `f64` everywhere, `f32` only where files are read and written and inside the tree. A name says its space
//! where that is not obvious: `_unit` is the unit cube of the prepared mesh. A map is named by its ends, target
//! first: `output_from_input`.
//!
//! Triangles run counter-clockwise seen from outside. The same input gives the same result on each run, for
//! each number of threads and on each kind of processor (FBX files and WebP frames excepted: their libraries are in C).

// Unit tests may use any sine; the library without them is linted too.
#![cfg_attr(test, allow(clippy::disallowed_methods))]

#[cfg(feature = "cli")]
pub mod cli;
#[cfg(feature = "preview")]
mod image;
pub mod stages;
mod warning;

// Inside the crate a module is known by its own name.
#[cfg(feature = "preview")]
use stages::preview;
use stages::{
    bodyparts, clip, embed, io, math, mesh, motion, parts, pipeline, retarget, rig, skeleton, skin,
};

// The four functions, and what they take and give.
pub use pipeline::{
    Animated, Attachment, Character, ClipOptions, Compact, Error, ExportOptions, InputMotion, LoadOptions,
    Loaded, OutputFile, OutputKind, Progress, RestPose, RigOptions, Rigged, Silent, SkeletonSource, animate,
    export, find_motions, load, rig,
};
// What was done and how good it is.
pub use pipeline::{ClipReport, RigReport, RunReport};
// Files.
pub use io::{LoadError, load_mesh, load_motion};
// Data.
pub use clip::{Clip, RootMotion};
pub use math::{Axis, Quat, Similarity, Vec3};
pub use mesh::Mesh;
pub use motion::{Motion, Pose};
pub use rig::{HelperOptions, MaxInfluences, NameStyle, Rig, SkinWeights, TwistJoints, VolumeJoints};
pub use skeleton::naming::Role;
pub use skeleton::{Hierarchy, Joint, Skeleton};
pub use warning::{Remedy, Repair, Warning};
// Options of the options.
pub use embed::{EmbedOptions, NamedHint};
pub use mesh::placement::Size;
pub use mesh::prepare::PrepareOptions;
pub use parts::PartsChoice;
// Pictures.
#[cfg(feature = "preview")]
pub use {image::Image, io::write_png, pipeline::draw, preview::AnimationOptions};
// Motion as it comes: a pose in, a pose out.
pub use retarget::{Hands, Heading, RetargetOptions, Retargeter, Source, SourceOptions};
