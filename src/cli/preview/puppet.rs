//! Characters that perform: rigged when they are needed.

use super::super::mesh_args::MeshArgs;
use super::super::output::Output;
use super::super::rig_args::load_skeleton;
use super::super::skinned::{moved, ready, rig_file};
use anyhow::{Context, Result};
use puppetry::autorig::{Skinned, autorig};
use puppetry::embed::EmbedOptions;
use puppetry::io::{self, Folder, decode_image};
use puppetry::mesh::Mesh;
use puppetry::mesh::prepare::{PrepareOptions, prepare};
use puppetry::parts::PartsChoice;
use puppetry::preview::{Character, Texture};
use puppetry::retarget::Figure;
use puppetry::rig::{NameStyle, Rig};
use puppetry::skeleton::{self, Skeleton, Sole};
use puppetry::skin::MaxInfluences;
use puppetry::skin::rest::rest_joints;
use std::path::Path;
use std::sync::OnceLock;

/// A character with what moves it.
pub struct Puppet {
    pub character: Character,
    pub rig: Rig,
    /// Its skeleton at rest, in metres.
    pub figure: Figure,
    /// For each joint of the figure the joint of the character that moves its place.
    pub exported: Vec<u16>,
    /// It at rest, as a file.
    pub glb: Vec<u8>,
}

/// Who may perform: the character that was named, or a person and an animal.
pub struct Cast {
    meshes: Vec<Mesh>,
    puppets: [OnceLock<Puppet>; 2],
    prepare: PrepareOptions,
    /// The bytes of the character's file; empty for the built-in ones.
    pub content: Vec<u8>,
}

const PERSON: &[u8] = include_bytes!("../../../examples/characters/slim.glb");
const ANIMAL: &[u8] = include_bytes!("../../../examples/characters/dog.glb");
/// The skeletons that are tried.
const SKELETONS: [&str; 3] = ["human", "quadruped", "horse"];

impl Cast {
    pub fn new(file: Option<&Path>, how: &MeshArgs, output: &mut Output) -> Result<Cast> {
        let (meshes, content) = match file {
            Some(path) => {
                let (mesh, warnings) = io::load_parts(path, &how.parts())?;
                output.warnings(path, &warnings);
                // It was read a moment ago.
                (vec![mesh], std::fs::read(path).unwrap_or_default())
            }
            None => {
                let read = |bytes: &[u8]| {
                    io::gltf_read::read(bytes.to_vec(), &Folder::none(), &mut Vec::new())
                        .map_err(|fault| fault.problem)
                        .context("a built-in character is broken")
                };
                (vec![read(PERSON)?, read(ANIMAL)?], Vec::new())
            }
        };
        Ok(Cast {
            meshes,
            puppets: [OnceLock::new(), OnceLock::new()],
            prepare: how.prepare_options(),
            content,
        })
    }

    /// The number of the character for a motion on two or on four legs.
    pub fn number(&self, is_quadruped: bool) -> usize {
        usize::from(is_quadruped).min(self.meshes.len() - 1)
    }

    /// The character for a motion on two or on four legs.
    pub fn puppet(&self, is_quadruped: bool) -> Result<&Puppet> {
        self.puppet_number(self.number(is_quadruped))
    }

    /// A character by its number.
    pub fn puppet_number(&self, number: usize) -> Result<&Puppet> {
        let number = number.min(self.meshes.len() - 1);
        if let Some(puppet) = self.puppets[number].get() {
            return Ok(puppet);
        }
        let puppet = Puppet::rig(&self.meshes[number], &self.prepare).context("cannot rig the character")?;
        Ok(self.puppets[number].get_or_init(|| puppet))
    }

    /// The characters that were needed, with their numbers.
    pub fn rigged(&self) -> impl Iterator<Item = (usize, &Puppet)> {
        self.puppets.iter().enumerate().filter_map(|(number, puppet)| Some((number, puppet.get()?)))
    }
}

impl Puppet {
    fn rig(mesh: &Mesh, options: &PrepareOptions) -> Result<Puppet> {
        let prepared = prepare(mesh, options, &mut Vec::new())?;
        let skeletons = SKELETONS.iter().map(|name| load_skeleton(name)).collect::<Result<Vec<_>>>()?;
        let (joints, parts) =
            autorig(&prepared, &skeletons, &[], &EmbedOptions::default(), PartsChoice::Auto)?;
        let skinned = Skinned::of(&prepared, &joints, &parts, MaxInfluences::Four);
        let ready = ready(&skinned, mesh, NameStyle::Godot, false)?;

        let output_from_input = prepared.placement.output_from_input;
        let rig = rig_file(&joints, &prepared);
        let placed = |joint: &skeleton::Joint| skeleton::Joint {
            position: moved(&output_from_input, &joint.position),
            ..joint.clone()
        };
        let skeleton = Skeleton {
            name: rig.skeleton.name.clone(),
            about: String::new(),
            joints: rig.skeleton.joints.iter().map(placed).collect(),
            weights: rig.skeleton.weights,
        };
        let positions: Vec<_> = skeleton.joints.iter().map(|joint| joint.position).collect();
        let rest = rest_joints(&skeleton, &positions);
        let sole = |sole: &Sole| {
            let [heel, ball, toe] = [sole.heel, sole.ball, sole.toe].map(|p| moved(&output_from_input, &p));
            Sole { joint: usize::from(rest.exported[sole.joint]), heel, ball, toe }
        };
        let welded = prepared.welded.iter().map(|&vertex| vertex as usize);
        let textures =
            mesh.appearance.images.iter().map(|image| Texture::new(decode_image(image)?)).collect();
        let character = Character::new(
            mesh.clone(),
            &output_from_input,
            textures,
            skinned.weights.gather(welded),
            rest.joints,
            rig.soles.iter().map(sole).collect(),
        );
        Ok(Puppet {
            character,
            rig: ready.rig,
            figure: Figure::of_skeleton(&skeleton),
            exported: rest.exported,
            glb: ready.document.glb()?,
        })
    }
}
