//! Rigs a character mesh by itself, moves mocap onto it with planted feet, and writes animated glTF.
//!
//! This page follows the data. A **mesh** is what a file holds: [`io::load_mesh`] reads OBJ, PLY, STL, OFF,
//! glTF, GLB and FBX into a [`mesh::Mesh`], with everything that must survive until the export. It is
//! then **prepared**: [`mesh::prepare`] welds it, finds out which way it stands and faces, places
//! it, and fits it to the unit cube. The **prepared mesh** is a surface that nobody has to check again, and a
//! [`TriangleTree`](mesh::TriangleTree) over it answers where the nearest point is, what a ray hits, and how often
//! the surface **winds** around a point, which tells inside from outside even where the surface has holes.
//!
//! ```
//! use puppetry::mesh::prepare::{PrepareOptions, prepare};
//! use puppetry::mesh::{TriangleTree, shapes};
//!
//! let mesh = shapes::uv_sphere(16, 32); // or io::load_mesh(path)?
//! let mut warnings = Vec::new();
//! let prepared = prepare(&mesh, &PrepareOptions::default(), &mut warnings)?;
//! assert!(prepared.topology.is_watertight());
//!
//! let tree = TriangleTree::new(&prepared.positions, &prepared.triangles);
//! let center = puppetry::math::Vec3::repeat(0.5);
//! assert!(tree.winding_number(&center) > 0.99);
//! # Ok::<(), puppetry::mesh::prepare::PrepareError>(())
//! ```
//!
//! [`autorig`] finds the **joints** of a character in it ([`embed`]) and whether it bends or is made of rigid pieces, as a robot is
//! ([`parts`]); bound to **weights** by [`skin`], it is a [`Rig`](rig::Rig).
//!
//! A **motion** is a hierarchy of joints with rotations over time: [`io::load_motion`] reads BVH, glTF and FBX into a
//! [`motion::Motion`]. [`retarget`] finds out who moves: each joint gets a **role**, one pose becomes the **reference**,
//! and a **joint map** says which joint of the motion moves which of a character.
//!
//! [`retarget`](retarget::retarget()) moves the character with planted feet, [`clip::bake`] makes a **clip** of its poses, and
//! [`io::GltfCharacter`] takes clips into the document of the mesh, which otherwise stays as it was:
//!
//! ```
//! use puppetry::autorig::{Skinned, autorig};
//! use puppetry::io::{self, Rigging, bvh, skeleton_file};
//! use puppetry::retarget::{Source, retarget};
//! use puppetry::{clip, mesh, motion, rig::MaxInfluences, skeleton};
//!
//! let (mesh, mut warnings) = io::load_mesh("examples/characters/gingerbread.glb".as_ref())?;
//! let prepared = mesh::prepare::prepare(&mesh, &Default::default(), &mut warnings)?;
//! let human = skeleton_file::read(skeleton::built_in()[0].text).expect("a good file");
//! let (joints, parts) = autorig(&prepared, &[human], &[], &Default::default(), Default::default())?;
//! let skinned = Skinned::of(&prepared, &joints, &parts, MaxInfluences::Four);
//! let (rig, _surface) = skinned.rig();
//!
//! let walk = bvh::read(motion::built_in()[0].bvh.as_bytes(), &mut warnings).expect("a good file"); // or io::load_motion
//! let source = Source::of(&walk, &Default::default());
//! let performance = retarget(&rig, &walk, &source, &[], &Default::default())?;
//! let clip = clip::bake(&rig, "walk", performance.frame_seconds, &performance.poses);
//!
//! let rigging = Rigging {
//!     placement: &prepared.placement,
//!     joints: &rig.joints,
//!     weights: &skinned.weights,
//!     welded: &prepared.welded,
//! };
//! let mut character = io::rigged_character(&mesh, &rigging)?;
//! character.add_clips(&[(&clip, Default::default())]);
//! let glb: Vec<u8> = character.glb()?;
//! assert!(glb.starts_with(b"glTF"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`preview`] makes images of all this: a **scene** seen by a **camera** becomes an [`Image`].
//!
//! # Conventions
//!
//! Right-handed, +Y up, facing +Z, the character's left at +X, metres, column vectors, unit quaternions, radians;
//! `f64` everywhere, `f32` only where files are read and written and inside the tree. A name says its space
//! where that is not obvious: `_unit` is the unit cube of the prepared mesh. A map is named by its ends, target
//! first: `output_from_input`.
//!
//! Triangles run counter-clockwise seen from outside. The same input gives the same result on each run, for
//! each number of threads and on each processor.

// Unit tests may use any sine; the library without them is linted too.
#![cfg_attr(test, allow(clippy::disallowed_methods))]

pub mod autorig;
pub mod clip;
pub mod embed;
#[cfg(feature = "preview")]
mod image;
pub mod io;
pub mod learn;
pub mod math;
pub mod mesh;
pub mod motion;
pub mod parts;
#[cfg(feature = "preview")]
pub mod preview;
pub mod retarget;
pub mod rig;
pub mod skeleton;
pub mod skin;
mod warning;

#[cfg(feature = "preview")]
pub use image::Image;
pub use warning::Warning;
