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
//! [`pipeline::rig`] finds the **joints** of a character in it ([`embed`]) and whether it bends or is made of rigid pieces, as a robot
//! is ([`parts`]), and binds it to **weights** ([`skin`]): the result is a [`Character`](pipeline::Character).
//!
//! A **motion** is a hierarchy of joints with rotations over time, from BVH, glTF or FBX. [`retarget`] finds out who moves: each joint
//! gets a **role**, one pose becomes the **reference**, and a **joint map** says which joint of the motion moves which of a character.
//! [`pipeline::animate`] moves the character with planted feet and bakes a **clip**; [`pipeline::export`] writes files.
//!
//! ```
//! use puppetry::pipeline::{self, Silent};
//!
//! let (mesh, _) = puppetry::io::load_mesh("examples/characters/gingerbread.glb".as_ref())?;
//! let character = pipeline::rig(&mesh, &Default::default(), &Silent)?.character;
//! let walk = puppetry::motion::Motion::built_in("walk").unwrap();
//! let clip = pipeline::animate(&character, "walk", &walk, &Default::default())?;
//! let files = pipeline::export(&character, &[clip], "walking.glb".as_ref(), &Default::default())?;
//! assert!(files[0].bytes.starts_with(b"glTF"));
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
pub mod pipeline;
#[cfg(feature = "preview")]
pub mod preview;
pub mod retarget;
pub mod rig;
pub mod skeleton;
pub mod skin;
mod warning;

#[cfg(feature = "preview")]
pub use image::Image;
pub use warning::{Remedy, Warning};
