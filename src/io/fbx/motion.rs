//! Animations of FBX files, sampled at the rate of the file.

use super::{FbxFile, Parsed, load, rig};
use crate::Warning;
use crate::io::animated_nodes::{self, Local, Node, Wanted, frame_count};
use crate::io::left_out::dropped;
use crate::io::{Fault, NamedMotions, Problem};
use crate::math::{Quat, Vec3};
use crate::motion::Motion;
use std::collections::HashMap;

impl FbxFile {
    /// Reads the animation that lasts longest. Axes and unit stay those of the file.
    pub fn motion(&self, warnings: &mut Vec<Warning>) -> Result<Motion, Fault> {
        let mut motions = read_stacks(&self.bytes, Wanted::Largest, warnings)?;
        motions.pop().map(|(_, motion)| motion).ok_or(Fault::whole(Problem::NoAnimation))
    }

    /// Reads all animations with their names. Those that last no time are left out with a warning.
    pub fn motions(&self, warnings: &mut Vec<Warning>) -> Result<NamedMotions, Fault> {
        read_stacks(&self.bytes, Wanted::All, warnings)
    }
}

fn read_stacks(bytes: &[u8], wanted: Wanted, warnings: &mut Vec<Warning>) -> Result<NamedMotions, Fault> {
    let scene = load(bytes, Parsed::Animation)?;
    let mut stacks: Vec<&ufbx::AnimStack> = scene.anim_stacks.iter().map(|stack| &**stack).collect();
    let count = stacks.len();
    if wanted == Wanted::All && stacks.iter().any(|stack| length(stack) > 0.0) {
        stacks.retain(|stack| length(stack) > 0.0);
    } else {
        let longest = stacks.iter().copied().max_by(|a, b| length(a).total_cmp(&length(b)));
        stacks = longest.into_iter().collect();
    }
    if stacks.is_empty() {
        return Err(Fault::whole(Problem::NoAnimation));
    }
    let reason = match wanted {
        Wanted::All => "they last no time",
        Wanted::Largest => "one motion is read from a file",
    };
    dropped(warnings, "animations", count - stacks.len(), reason);
    let mut motions = Vec::new();
    for stack in &stacks {
        let name = stack.element.name.rsplit('|').next().unwrap_or_default().chars().take(200).collect();
        motions.push((name, read_stack(&scene, stack, bytes.len(), stacks.len())?));
    }
    Ok(motions)
}

fn length(stack: &ufbx::AnimStack) -> f64 {
    finite(stack.time_end - stack.time_begin)
}

/// One of `count` animations.
fn read_stack(
    scene: &ufbx::Scene,
    stack: &ufbx::AnimStack,
    bytes: usize,
    count: usize,
) -> Result<Motion, Fault> {
    // Some writers leave the range of the stack empty; the keys have one too.
    let curves = scene.anim_curves.as_ref().iter();
    let (begin, seconds) = if length(stack) > 0.0 {
        (finite(stack.time_begin), length(stack))
    } else {
        let begin = curves.clone().map(|curve| curve.min_time).fold(f64::INFINITY, f64::min);
        let end = curves.map(|curve| curve.max_time).fold(f64::NEG_INFINITY, f64::max);
        (finite(begin), finite(end - begin))
    };
    if !(seconds > 0.0) {
        return Err(Fault::whole(Problem::NoAnimation));
    }
    // Parents first: ufbx sorts nodes by depth, and a node's number is its place among them.
    let sources: Vec<&ufbx::Node> = scene.nodes.as_ref().iter().map(|node| &**node).collect();
    let bound = bind_pose(scene);
    // World matrices of the nodes as they are bound, or as they stand where they are not.
    let mut worlds: Vec<ufbx::Matrix> = Vec::with_capacity(sources.len());
    let mut nodes: Vec<Node> = Vec::with_capacity(sources.len());
    for (index, node) in sources.iter().enumerate() {
        let parent = node.parent.as_deref().map(|parent| parent.element.typed_id as usize);
        let parent = parent.filter(|&parent| parent < index);
        let above = parent.map(|parent| worlds[parent]);
        let bind = bound.get(&node.element.typed_id).copied();
        worlds.push(bind.unwrap_or_else(|| match above {
            Some(above) => ufbx::matrix_mul(&above, &node.node_to_parent),
            None => node.node_to_parent,
        }));
        let at_bind = match (bind, above) {
            (Some(bind), Some(above)) => {
                let inverse = ufbx::matrix_invert(&above);
                local(&ufbx::matrix_to_transform(&ufbx::matrix_mul(&inverse, &bind)))
            }
            _ => local(&node.local_transform),
        };
        let is_sound = at_bind.translation.iter().chain(&at_bind.scale).all(|x| x.is_finite());
        nodes.push(Node {
            name: node.element.name.chars().take(200).collect(),
            parent,
            rest: if is_sound { at_bind } else { local(&node.local_transform) },
            is_joint: node.bone.is_some(),
        });
    }
    // Motions without bones move plain nodes.
    if !nodes.iter().any(|node| node.is_joint) {
        for (node, source) in nodes.iter_mut().zip(&sources) {
            node.is_joint =
                !source.is_root && source.mesh.is_none() && source.camera.is_none() && source.light.is_none();
        }
    }
    let rate = scene.settings.frames_per_second;
    let (frames, frame_seconds) = frame_count(seconds, rate, nodes.len(), bytes, count);
    animated_nodes::motion(&nodes, frames, frame_seconds, |frame, node| {
        let time = begin + frame as f64 * frame_seconds;
        local(&ufbx::evaluate_transform(&stack.anim, sources[node], time))
    })
}

/// The transforms of nodes when they were bound to a skin, or when the file says that they were. Their own transforms are those
/// of whatever frame the writer was at.
fn bind_pose(scene: &ufbx::Scene) -> HashMap<u32, ufbx::Matrix> {
    let mut bound = HashMap::new();
    for pose in scene.poses.iter().filter(|pose| pose.is_bind_pose) {
        for bone in &pose.bone_poses {
            bound.insert(bone.bone_node.element.typed_id, bone.bone_to_world);
        }
    }
    bound.extend(rig::bound_nodes(scene));
    bound
}

/// A time, if it is one.
fn finite(seconds: f64) -> f64 {
    if seconds.is_finite() { seconds } else { 0.0 }
}

fn local(transform: &ufbx::Transform) -> Local {
    let ufbx::Transform { translation: t, rotation: r, scale: s } = transform;
    /// Shorter quaternions have no direction.
    const SHORTEST: f64 = 1e-9;
    let rotation = Quat::try_new(nalgebra::Quaternion::new(r.w, r.x, r.y, r.z), SHORTEST);
    let rotation = rotation.filter(|q| q.coords.iter().all(|c| c.is_finite()));
    Local {
        translation: Vec3::new(t.x, t.y, t.z),
        rotation: rotation.unwrap_or_else(Quat::identity),
        scale: Vec3::new(s.x, s.y, s.z),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Motion, Fault> {
        FbxFile::new(text.into()).motion(&mut Vec::new())
    }

    /// Two bones; the lower one turns about X by 90° within a second.
    const FILE: &str = include_str!("bones.fbx");

    #[test]
    fn bones_turn_as_their_curves_say() {
        let motion = read(FILE).unwrap();
        assert_eq!(motion.broken_invariant(), None);
        let names: Vec<&str> = motion.joints.iter().map(|joint| joint.name.as_str()).collect();
        assert_eq!((names, motion.frames, motion.frame_seconds), (vec!["Hip", "Knee"], 31, 1.0 / 30.0));
        assert!((motion.zero_pose().positions[1] - Vec3::new(0.0, 50.0, 0.0)).norm() < 1e-9);
        for (frame, degrees) in [(0, 0.0), (15, 45.0), (30, 90.0)] {
            let expected = Quat::new(Vec3::x() * f64::to_radians(degrees));
            assert!(motion.pose(frame).rotations[1].angle_to(&expected) < 1e-6, "{frame}");
        }
    }

    /// Writers leave the nodes at any frame; a bind pose says how they rest.
    #[test]
    fn bones_rest_as_they_were_bound() {
        let knee = r#""A",0,-50,0"#;
        let posed = FILE.replace(
            knee,
            &format!("{knee}\n\t\t\tP: \"Lcl Rotation\", \"Lcl Rotation\", \"\", \"A\",60,0,0"),
        );
        let at = |node: usize, height: f64| {
            format!(
                "\t\tPoseNode:  {{\n\t\t\tNode: {node}\n\t\t\tMatrix: *16 {{\n\t\t\t\ta: 1,0,0,0,0,1,0,0,0,0,1,0,0,{height},0,1\n\t\t\t}}\n\t\t}}\n"
            )
        };
        let pose = format!(
            "\tPose: 20, \"Pose::Bind\", \"BindPose\" {{\n\t\tType: \"BindPose\"\n\t\tNbPoseNodes: 2\n{}{}\t}}\n\tAnimationStack:",
            at(1, 100.0),
            at(2, 50.0)
        );
        let bound = posed.replace("\tAnimationStack:", &pose);
        let turned = |file: &str| {
            let motion = read(file).unwrap();
            motion.pose(30).rotations[1].angle().to_degrees()
        };
        assert!((turned(&posed) - 30.0).abs() < 1e-4, "{}", turned(&posed));
        assert!((turned(&bound) - 90.0).abs() < 1e-4, "{}", turned(&bound));
    }

    #[test]
    fn files_without_animation_are_refused() {
        let still = &FILE[..FILE.find("\tAnimationStack").unwrap()];
        let fault = read(&format!("{still}}}\n")).unwrap_err();
        assert!(matches!(fault.problem, Problem::NoAnimation), "{}", fault.problem);
        assert!(read("").is_err());
    }
}
