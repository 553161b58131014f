//! Animations of FBX files, sampled at the rate of the file.

use super::animated_nodes::{self, Local, Node, frame_count};
use super::{Fault, Problem, fbx};
use crate::Warning;
use crate::math::{Quat, Vec3};
use crate::motion::Motion;
use std::collections::HashMap;

/// Reads the animation of an FBX file that lasts longest. Axes and unit stay those of the file.
pub fn read(bytes: &[u8], warnings: &mut Vec<Warning>) -> Result<Motion, Fault> {
    let scene = fbx::load(bytes, false)?;
    let stacks = scene.anim_stacks.as_ref();
    let seconds = |stack: &ufbx::AnimStack| {
        let seconds = stack.time_end - stack.time_begin;
        if seconds.is_finite() { seconds.max(0.0) } else { 0.0 }
    };
    let longest = stacks.iter().max_by(|a, b| seconds(a).total_cmp(&seconds(b)));
    let Some(stack) = longest.filter(|stack| seconds(stack) > 0.0) else {
        return Err(Fault::whole(Problem::NoAnimation));
    };
    if stacks.len() > 1 {
        let reason = "one motion is read from a file";
        warnings.push(Warning::Dropped { what: "animations", count: stacks.len() - 1, reason });
    }
    // Parents first: ufbx sorts nodes by depth.
    let sources: Vec<&ufbx::Node> = scene.nodes.as_ref().iter().map(|node| &**node).collect();
    let place: HashMap<u32, usize> =
        sources.iter().enumerate().map(|(index, node)| (node.element.typed_id, index)).collect();
    let nodes: Vec<Node> = sources
        .iter()
        .enumerate()
        .map(|(index, node)| Node {
            name: node.element.name.chars().take(200).collect(),
            parent: node
                .parent
                .as_deref()
                .and_then(|parent| place.get(&parent.element.typed_id).copied())
                .filter(|&parent| parent < index),
            rest: local(&node.local_transform),
            is_joint: node.bone.is_some(),
        })
        .collect();
    // Motions without bones move plain nodes.
    let mut nodes = nodes;
    if !nodes.iter().any(|node| node.is_joint) {
        for (node, source) in nodes.iter_mut().zip(&sources) {
            node.is_joint =
                !source.is_root && source.mesh.is_none() && source.camera.is_none() && source.light.is_none();
        }
    }
    let rate = scene.settings.frames_per_second;
    let (frames, frame_seconds) = frame_count(seconds(stack), rate, nodes.len(), bytes.len());
    animated_nodes::motion(&nodes, frames, frame_seconds, |frame, node| {
        let time = stack.time_begin + frame as f64 * frame_seconds;
        local(&ufbx::evaluate_transform(&stack.anim, sources[node], time))
    })
}

fn local(transform: &ufbx::Transform) -> Local {
    let ufbx::Transform { translation: t, rotation: r, scale: s } = transform;
    let rotation = Quat::try_new(nalgebra::Quaternion::new(r.w, r.x, r.y, r.z), 1e-9);
    let rotation = rotation.filter(|q| q.coords.iter().all(|c| c.is_finite()));
    Local {
        translation: Vec3::new(t.x, t.y, t.z),
        rotation: rotation.unwrap_or_else(Quat::identity),
        scale: Vec3::new(s.x, s.y, s.z),
    }
}
