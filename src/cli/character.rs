//! The character that is moved: rigged just now, or before.

use super::mesh_args::MeshArgs;
use super::output::Output;
use super::report::Report;
use super::rig::{Clock, add_doubts, check_solid, find_joints};
use super::rig_args::{RestArg, RigArgs};
use super::skinned::{Ready, attachment, ready, rig_file};
use anyhow::{Context, Result};
use puppetry::Warning;
use puppetry::autorig::Skinned;
use puppetry::clip::SkinExtent;
use puppetry::io::{GltfCharacter, RiggedFile, SourceFile, pinocchio};
use puppetry::mesh::prepare::prepare;
use puppetry::retarget::with_soles;
use puppetry::rig::{BoundVertex, Rig};
use puppetry::skeleton::Skeleton;
use serde_json::Value;
use std::path::Path;

/// A character, its rig, and the document that its clips go into.
pub struct Character {
    pub rig: Rig,
    pub document: GltfCharacter,
    pub reach: SkinExtent,
    /// Whether its nodes stand with stretched arms.
    is_stretched: bool,
    /// The skeleton and the weights as Pinocchio writes them, if it was rigged just now.
    pub pinocchio: Option<[String; 2]>,
    /// How it was rigged.
    pub rigging: Value,
    pub warnings: Vec<Warning>,
}

/// How a mesh is rigged.
pub struct Rigging<'a> {
    pub args: &'a RigArgs,
    pub understanding: &'a MeshArgs,
    pub skeletons: &'a [Skeleton],
    pub given: Option<&'a [(String, puppetry::math::Vec3)]>,
    /// Errors of clips are measured on the whole surface.
    pub verify: bool,
}

impl Character {
    /// Rigs a mesh.
    pub fn of_mesh(
        file: &Path,
        source: SourceFile,
        how: &Rigging,
        clock: &mut Clock,
        output: &Output,
    ) -> Result<Character> {
        output.stage("reading");
        let (mesh, mut warnings) = source.into_mesh(&how.understanding.parts())?;
        clock.lap("read");
        output.step();
        let cannot = || format!("cannot rig '{}'", file.display());
        output.stage("preparing");
        let prepared =
            prepare(&mesh, &how.understanding.prepare_options(), &mut warnings).with_context(cannot)?;
        check_solid(&mesh, &prepared).with_context(cannot)?;
        clock.lap("prepare");
        output.step();
        output.stage("finding the joints");
        let given = how.given.map(<[_]>::to_vec);
        let mut joints = find_joints(how.args, file, given, how.skeletons, &mesh, &prepared)?;
        let parts = joints
            .take_apart(&prepared, how.args.parts, |joint| how.args.is_hinted(joint))
            .with_context(cannot)?;
        let rig_file = rig_file(&joints, &prepared);
        add_doubts(&rig_file, joints.found().map(|(_, stages)| stages), &mut warnings);
        clock.lap("joints");
        output.step();
        output.stage("skinning");
        let skinned = Skinned::of(&prepared, &joints, &parts, how.args.max_influences);
        let is_stretched = how.args.rest == RestArg::TPose;
        let Ready { rig, surface, document } =
            ready(&skinned, &mesh, how.args.names.style(), is_stretched)
                .with_context(|| format!("cannot write '{}' as glTF", file.display()))?;
        let reach = reach(&rig, &surface, how.verify);
        clock.lap("skin");
        output.step();
        let rigging = Report {
            file,
            outputs: &[],
            is_auto: how.args.is_auto(),
            rig: &rig_file,
            prepared: &prepared,
            joints: &joints,
            parts: &parts,
            skinned: Some(&skinned),
            quality: None,
            warnings: &warnings,
            laps: &[],
        }
        .value();
        let pinocchio = Some([pinocchio::write(&rig_file.skeleton), attachment(&skinned)]);
        Ok(Character { rig, document, reach, is_stretched, pinocchio, rigging, warnings })
    }

    /// Takes a character that has a skin.
    pub fn of_rigged(file: RiggedFile, verify: bool, warnings: Vec<Warning>) -> Character {
        let RiggedFile { rig, surface, character: document, .. } = file;
        let vertices = surface.iter().map(|(place, weights)| (*place, weights.iter().copied()));
        let rig = if surface.is_empty() { rig } else { with_soles(rig, vertices) };
        let reach = reach(&rig, &surface, verify);
        // A VRM file stands so already.
        let is_stretched = document.is_vrm();
        let rigging = Value::Null;
        Character { rig, document, reach, is_stretched, pinocchio: None, rigging, warnings }
    }

    /// Its document with nodes that stand with stretched arms, as VRM demands.
    pub fn stretched(&self, bones: &[(&str, usize)]) -> GltfCharacter {
        let mut document = self.document.clone();
        if !self.is_stretched {
            document.stand(&self.rig, &self.rig.t_pose(bones));
        }
        document
    }
}

/// How far errors of the joints reach, measured on the whole surface if that is wanted.
fn reach(rig: &Rig, surface: &[BoundVertex], verify: bool) -> SkinExtent {
    let reach = SkinExtent::of(rig, surface);
    if verify { reach.on_surface(surface) } else { reach }
}
