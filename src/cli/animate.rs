use super::clip_args::ClipArgs;
use super::clips::{name_clips, takes};
use super::footage;
use super::mesh_args::MeshArgs;
use super::output::Output;
use super::rig::{Clock, add_doubts, check_solid, find_joints};
use super::rig_args::RigArgs;
use super::save;
use super::skinned::Skinned;
use anyhow::{Context, Result};
use clap::Args;
use puppetry::clip::Clip;
use puppetry::io::{self, map_file};
use puppetry::mesh::prepare::prepare;
use std::path::PathBuf;

/// Rig a character, move motions onto it, and write it with one animation for each
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  puppetry animate hero.glb --motion walk --motion mocap/ -o hero_animated.glb"
)]
pub struct Animate {
    /// Mesh file: GLB, glTF, OBJ, PLY, STL, OFF or FBX
    #[arg(value_name = "MESH")]
    mesh: PathBuf,
    /// .glb
    #[arg(short, long = "output", value_name = "OUT", required = true)]
    output: PathBuf,
    #[command(flatten)]
    clips: ClipArgs,
    #[command(flatten)]
    rig: RigArgs,
    #[command(flatten)]
    understanding: MeshArgs,
}

impl Animate {
    pub fn run(&self, output: &mut Output) -> Result<()> {
        save::check(&self.output)?;
        let skeletons = self.rig.skeletons()?;
        let given = self.rig.joints.as_deref().map(io::load_joints).transpose()?;
        let overrides = self.clips.map.as_deref().map(map_file::load).transpose()?.unwrap_or_default();

        output.start(6);
        let mut clock = Clock::start();
        output.stage("reading");
        let (mut footage, left_out) = footage::load(&self.clips.motions, &self.clips.names)?;
        name_clips(&mut footage);
        let (mesh, mut warnings) = io::load_mesh(&self.mesh)?;
        clock.lap("read");
        output.step();
        let cannot = || format!("cannot rig '{}'", self.mesh.display());
        output.stage("preparing");
        let prepared =
            prepare(&mesh, &self.understanding.prepare_options(), &mut warnings).with_context(cannot)?;
        check_solid(&prepared).with_context(cannot)?;
        clock.lap("prepare");
        output.step();
        output.stage("finding the joints");
        let joints = find_joints(&self.rig, &self.mesh, given, &skeletons, &mesh, &prepared)?;
        let rig_file = joints.rig(&prepared);
        add_doubts(&rig_file, joints.found().map(|(_, stages)| stages), &mut warnings);
        clock.lap("joints");
        output.step();
        output.stage("skinning");
        let skinned = Skinned::of(&prepared, &joints, self.rig.max_influences);
        let rig = skinned.rig();
        clock.lap("skin");
        output.step();
        output.stage("moving");
        let takes = takes(&rig, &footage, &overrides, &self.clips)?;
        clock.lap("retarget");
        output.step();
        output.stage("writing");
        let mut character = skinned
            .character(&mesh, &rig.joints)
            .with_context(|| format!("cannot write '{}'", self.output.display()))?;
        let clips: Vec<Clip> = takes.into_iter().map(|take| take.clip).collect();
        character.add_clips(&clips);
        let bytes = character.glb().with_context(|| format!("cannot write '{}'", self.output.display()))?;
        save::save_all(&[(self.output.clone(), bytes)])?;
        clock.lap("write");
        output.step();
        for (name, seconds) in &clock.laps {
            output.detail(format_args!("  {:<14}{name} {:.0} ms", "time", 1000.0 * seconds))?;
        }
        output.warnings(&self.mesh, &warnings);
        for footage in &footage {
            output.warnings(&footage.file, &footage.warnings);
        }
        for (file, warning) in left_out {
            output.warnings(&file, &[warning]);
        }
        Ok(())
    }
}
