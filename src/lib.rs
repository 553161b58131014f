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
//! Once a skeleton's joints are placed inside, [`skin::bind`] finds the **weights** by which each of them moves each vertex, and
//! [`io::write_rigged_glb`] writes mesh, skeleton and skin. What is made of many rigid pieces, such as a robot, is taken apart by
//! [`parts`], and every piece moves with one joint.
//!
//! A **motion** is a hierarchy of joints with rotations over time: [`io::load_motion`] reads BVH, glTF and FBX into a
//! [`motion::Motion`]. [`retarget`] finds out who moves: each joint gets a **role**, one pose becomes the **reference**,
//! and a **joint map** says which joint of the motion moves which of a character.
//!
//! ```
//! use puppetry::io::{bvh, skeleton_file};
//! use puppetry::retarget::{Figure, Source, SourceOptions, map_joints};
//!
//! let walk = &puppetry::motion::built_in()[0]; // or io::load_motion(path)?
//! let motion = bvh::read(walk.bvh.as_bytes(), &mut Vec::new()).expect("a good file");
//! let source = Source::of(&motion, &SourceOptions::default());
//! let human = skeleton_file::read(puppetry::skeleton::built_in()[0].text).expect("a good file");
//! let map = map_joints(&Figure::of_skeleton(&human), &source.figure);
//! assert!(map.unmatched_targets.is_empty());
//! ```
//!
//! [`preview`] makes pictures of all this: a **scene** seen by a **camera** becomes a [`Picture`].
//!
//! # Conventions
//!
//! Right-handed, +Y up, facing +Z, the character's left at +X, metres, column vectors, unit quaternions, radians;
//! `f64` everywhere, `f32` only where files are read and written and inside the tree. A name says its space
//! where that is not obvious: `_unit` is the unit cube of the prepared mesh. A map is named by its ends, target
//! first: `output_from_input`.
//!
//! Triangles run counter-clockwise seen from outside. The same input gives the same result on each run and
//! for each number of threads.

pub mod clip;
pub mod embed;
pub mod io;
pub mod learn;
pub mod math;
pub mod mesh;
pub mod motion;
pub mod parts;
mod picture;
pub mod preview;
pub mod retarget;
pub mod rig;
pub mod skeleton;
pub mod skin;
mod warning;

pub use picture::Picture;
pub use warning::Warning;
