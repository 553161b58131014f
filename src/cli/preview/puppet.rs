//! Characters that perform: rigged when they are needed.

use super::super::mesh_args::MeshArgs;
use super::super::output::Output;
use super::super::rig_args::load_skeleton;
use super::super::skinned::{Ready, ready};
use anyhow::{Context, Result};
use puppetry::autorig::{Skinned, autorig};
use puppetry::embed::EmbedOptions;
use puppetry::io::{self, BoundMesh, Folder, Problem, Rigging, SourceFile, decode_image, rigged_character};
use puppetry::math::{Bounds, Similarity};
use puppetry::mesh::placement::{Placement, SizeReason};
use puppetry::mesh::prepare::{PrepareOptions, prepare};
use puppetry::mesh::stance::{Stance, StanceReason};
use puppetry::mesh::{Axis, Mesh};
use puppetry::parts::PartsChoice;
use puppetry::preview::{RenderCharacter, Texture, smooth_normals};
use puppetry::retarget::{figure_of, with_soles};
use puppetry::rig::{MaxInfluences, NameStyle, Rig, SkinWeights};
use puppetry::skeleton::naming::Role;
use std::path::Path;
use std::sync::OnceLock;

/// A character with what moves it.
pub struct Puppet {
    pub character: RenderCharacter,
    pub rig: Rig,
    /// It at rest, as a file.
    pub glb: Vec<u8>,
}

/// Who may perform: the character that was named, or a person and an animal.
pub struct Cast {
    bodies: Vec<Body>,
    puppets: [OnceLock<Puppet>; 2],
    prepare: PrepareOptions,
    /// The bytes of the character's file; empty for the built-in ones.
    pub content: Vec<u8>,
}

/// A character before it can move.
enum Body {
    /// It is rigged here.
    Mesh(Mesh),
    /// It has joints and a skin, which it keeps.
    Bound(BoundMesh),
}

const PERSON: &[u8] = include_bytes!("../../../examples/characters/slim.glb");
const ANIMAL: &[u8] = include_bytes!("../../../examples/characters/dog.glb");
/// The skeletons that are tried.
const SKELETONS: [&str; 3] = ["human", "quadruped", "horse"];

impl Cast {
    pub fn new(file: Option<&Path>, how: &MeshArgs, output: &mut Output) -> Result<Cast> {
        let (bodies, content) = match file {
            Some(path) => {
                let body = Body::load(path, how, output)?;
                // It was read a moment ago.
                (vec![body], std::fs::read(path).unwrap_or_default())
            }
            None => {
                let read = |bytes: &[u8]| {
                    io::gltf_read::read(bytes.to_vec(), &Folder::none(), &mut Vec::new())
                        .map(Body::Mesh)
                        .map_err(|fault| fault.problem)
                        .context("a built-in character is broken")
                };
                (vec![read(PERSON)?, read(ANIMAL)?], Vec::new())
            }
        };
        let prepare = how.prepare_options();
        Ok(Cast { bodies, puppets: [OnceLock::new(), OnceLock::new()], prepare, content })
    }

    /// The number of the character for a motion on two or on four legs.
    pub fn number(&self, is_quadruped: bool) -> usize {
        usize::from(is_quadruped).min(self.bodies.len() - 1)
    }

    /// The character for a motion on two or on four legs.
    pub fn puppet(&self, is_quadruped: bool) -> Result<&Puppet> {
        self.puppet_number(self.number(is_quadruped))
    }

    /// A character by its number.
    pub fn puppet_number(&self, number: usize) -> Result<&Puppet> {
        let number = number.min(self.bodies.len() - 1);
        if let Some(puppet) = self.puppets[number].get() {
            return Ok(puppet);
        }
        let puppet = match &self.bodies[number] {
            Body::Mesh(mesh) => Puppet::rig(mesh, &self.prepare).context("cannot rig the character")?,
            Body::Bound(bound) => Puppet::of_bound(bound).context("cannot take the character apart")?,
        };
        Ok(self.puppets[number].get_or_init(|| puppet))
    }

    /// The characters that were needed, with their numbers.
    pub fn rigged(&self) -> impl Iterator<Item = (usize, &Puppet)> {
        self.puppets.iter().enumerate().filter_map(|(number, puppet)| Some((number, puppet.get()?)))
    }
}

impl Body {
    /// Takes the skin of a file that has one.
    fn load(path: &Path, how: &MeshArgs, output: &mut Output) -> Result<Body> {
        let source = SourceFile::open(path)?;
        match source.is_rigged().then(|| source.bound_mesh()) {
            Some(Ok((bound, warnings))) => {
                output.warnings(path, &warnings);
                return Ok(Body::Bound(bound));
            }
            Some(Err(error)) if matches!(error.fault.problem, Problem::SeveralCharacters { .. }) => {
                return Err(error).context("a preview shows one character; save it in a file of its own");
            }
            // Whatever is wrong, the reader of meshes says it better.
            None | Some(Err(_)) => {}
        }
        let (mesh, warnings) = source.into_mesh(&how.parts())?;
        output.warnings(path, &warnings);
        Ok(Body::Mesh(mesh))
    }
}

impl Puppet {
    fn rig(mesh: &Mesh, options: &PrepareOptions) -> Result<Puppet> {
        let prepared = prepare(mesh, options, &mut Vec::new())?;
        let skeletons = SKELETONS.iter().map(|name| load_skeleton(name)).collect::<Result<Vec<_>>>()?;
        let (joints, parts) =
            autorig(&prepared, &skeletons, &[], &EmbedOptions::default(), PartsChoice::Auto)?;
        let skinned = Skinned::of(&prepared, &joints, &parts, MaxInfluences::Four);
        let Ready { rig, document, .. } = ready(&skinned, mesh, NameStyle::Godot, false)?;
        let weights = skinned.weights.gather(prepared.welded.iter().map(|&vertex| vertex as usize));
        let output_from_input = &prepared.placement.output_from_input;
        Ok(Puppet::new(mesh.clone(), output_from_input, weights, rig, document.glb()?))
    }

    fn of_bound(bound: &BoundMesh) -> Result<Puppet> {
        let BoundMesh { rig, mesh, weights } = bound;
        let mut mesh = mesh.clone();
        mesh.appearance.normals = smooth_normals(&mesh.positions, &mesh.triangles);
        let vertices = mesh.positions.iter().enumerate();
        let rig = with_soles(rig.clone(), vertices.map(|(vertex, place)| (*place, weights.of(vertex))));
        let welded: Vec<u32> = (0..mesh.positions.len() as u32).collect();
        let rigging = Rigging { placement: &as_it_is(&mesh), joints: &rig.joints, weights, welded: &welded };
        let glb = rigged_character(&mesh, &rigging)?.glb()?;
        Ok(Puppet::new(mesh, &Similarity::identity(), weights.clone(), rig, glb))
    }

    fn new(mesh: Mesh, placed: &Similarity, weights: SkinWeights, rig: Rig, glb: Vec<u8>) -> Puppet {
        let hips = figure_of(&rig).find(Role::Hips).filter(|&hips| hips < rig.joints.len()).unwrap_or(0);
        let textures =
            mesh.appearance.images.iter().map(|image| Texture::new(decode_image(image)?)).collect();
        let character = RenderCharacter::new(mesh, placed, textures, weights, &rig, hips);
        Puppet { character, rig, glb }
    }
}

/// The placement of a mesh that stays where it is.
fn as_it_is(mesh: &Mesh) -> Placement {
    let height = Bounds::of(&mesh.positions).extent().y;
    let (up_reason, front_reason) = (StanceReason::Given, StanceReason::Given);
    Placement {
        output_from_input: Similarity::identity(),
        stance: Stance { up: Axis::PosY, up_reason, front: Axis::PosZ, yaw: 0.0, front_reason },
        size_reason: SizeReason::Declared,
        height_in_file: height,
        height,
        lift: 0.0,
        centered: false,
    }
}
