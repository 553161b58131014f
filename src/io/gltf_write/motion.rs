//! A motion of joints as glTF without a surface: nodes and one animation.

use super::editor::{Editor, FLOAT};
use super::{GltfWriteError, glb};
use crate::rig::RigJoint;
use nalgebra::Isometry3;
use serde_json::{Value, json};

/// A translation that changes by less than this share of the skeleton's size is written once, at rest.
const STILL: f64 = 1e-4;

/// Joints and how they move, as one GLB file. For each frame and joint `poses` has the motion from where the joint rests, in
/// the coordinates of the joints.
///
/// # Errors
/// If the file would be too large for its format.
///
/// # Panics
/// If a frame has not one pose for each joint.
pub fn write_motion_glb(
    joints: &[RigJoint],
    poses: &[Vec<Isometry3<f64>>],
    frames_per_second: f64,
) -> Result<Vec<u8>, GltfWriteError> {
    let mut writer = MotionWriter::new(poses.len(), frames_per_second);
    let size = joints.iter().map(|joint| joint.rest.translation.vector.amax()).fold(0.0, f64::max);
    let nodes: Vec<Value> = (0..joints.len()).map(|joint| node(joints, joint)).collect();
    for (index, joint) in joints.iter().enumerate() {
        let locals: Vec<Isometry3<f64>> = poses
            .iter()
            .map(|pose| {
                let above = joint.parent.map(|parent| pose[parent] * joints[parent].rest);
                above.unwrap_or_else(Isometry3::identity).inverse() * pose[index] * joint.rest
            })
            .collect();
        writer.add_joint(index, &local_rest(joints, index), &locals, STILL * size);
    }
    let MotionWriter { mut editor, channels, samplers, .. } = writer;
    let roots: Vec<usize> = (0..joints.len()).filter(|&joint| joints[joint].parent.is_none()).collect();
    let document = json!({
        "asset": {"version": "2.0", "generator": concat!("puppetry ", env!("CARGO_PKG_VERSION"))},
        "scene": 0,
        "scenes": [{"nodes": roots}],
        "nodes": nodes,
        "animations": [{"channels": channels, "samplers": samplers}],
        "accessors": editor.json["accessors"].take(),
        "bufferViews": editor.json["bufferViews"].take(),
        "buffers": [{"byteLength": editor.bytes.len()}],
    });
    glb(document.to_string().as_bytes(), &editor.bytes)
}

/// A joint relative to its parent, at rest.
fn local_rest(joints: &[RigJoint], joint: usize) -> Isometry3<f64> {
    let parent = joints[joint].parent.map_or_else(Isometry3::identity, |parent| joints[parent].rest);
    parent.inverse() * joints[joint].rest
}

fn node(joints: &[RigJoint], index: usize) -> Value {
    let rest = local_rest(joints, index);
    let children: Vec<usize> =
        (0..joints.len()).filter(|&child| joints[child].parent == Some(index)).collect();
    let mut node = json!({
        "name": joints[index].name,
        "translation": narrow::<3>(&rest.translation.vector.into()),
        "rotation": narrow::<4>(&rest.rotation.coords.into()),
    });
    if !children.is_empty() {
        node["children"] = json!(children);
    }
    node
}

/// The animation while its tracks are added.
struct MotionWriter {
    editor: Editor,
    /// The accessor of the times that all tracks have.
    times: usize,
    channels: Vec<Value>,
    samplers: Vec<Value>,
}

impl MotionWriter {
    fn new(frames: usize, frames_per_second: f64) -> MotionWriter {
        let editor = Editor { json: json!({}), bytes: Vec::new() };
        let mut writer = MotionWriter { editor, times: 0, channels: Vec::new(), samplers: Vec::new() };
        let times: Vec<[f32; 1]> =
            (0..frames).map(|frame| [(frame as f64 / frames_per_second) as f32]).collect();
        writer.times = writer.accessor(&times, "SCALAR");
        let accessor = &mut writer.editor.json["accessors"][writer.times];
        accessor["min"] = json!([0.0f32]);
        accessor["max"] = json!(times.last().unwrap_or(&[0.0]));
        writer
    }

    /// The tracks of a joint: rotations always, translations if one differs from `rest` by more than `still`.
    fn add_joint(&mut self, joint: usize, rest: &Isometry3<f64>, locals: &[Isometry3<f64>], still: f64) {
        // Neighbouring keys are on one side of the sphere, so that players may interpolate linearly.
        let mut before = rest.rotation.coords;
        let rotations = locals.iter().map(|local| {
            let q = local.rotation.coords;
            before = if q.dot(&before) < 0.0 { -q } else { q };
            narrow::<4>(&before.into())
        });
        let rotations: Vec<[f32; 4]> = rotations.collect();
        let accessor = self.accessor(&rotations, "VEC4");
        self.add_track(joint, "rotation", accessor);
        let translations = locals.iter().map(|local| local.translation.vector);
        let moved = translations.clone().map(|position| (position - rest.translation.vector).amax());
        if moved.fold(0.0, f64::max) > still {
            let translations: Vec<[f32; 3]> =
                translations.map(|position| narrow::<3>(&position.into())).collect();
            let accessor = self.accessor(&translations, "VEC3");
            self.add_track(joint, "translation", accessor);
        }
    }

    fn accessor<const N: usize>(&mut self, values: &[[f32; N]], shape: &str) -> usize {
        let bytes: Vec<u8> = values.iter().flatten().flat_map(|value| value.to_le_bytes()).collect();
        let view = self.editor.add_view(&bytes, None);
        self.editor.add_accessor(view, values.len(), FLOAT, shape)
    }

    fn add_track(&mut self, node: usize, path: &str, output: usize) {
        self.samplers.push(json!({"input": self.times, "output": output}));
        let sampler = self.samplers.len() - 1;
        self.channels.push(json!({"sampler": sampler, "target": {"node": node, "path": path}}));
    }
}

fn narrow<const N: usize>(values: &[f64; N]) -> [f32; N] {
    values.map(|value| value as f32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::io::Folder;
    use crate::io::gltf_read::GltfFile;
    use crate::math::{Quat, Vec3};

    #[test]
    fn a_turned_arm_comes_back_as_it_went() {
        let at = |x: f64| Isometry3::translation(x, 1.0, 0.0);
        let joint = |name: &str, parent, x| RigJoint { name: name.into(), parent, rest: at(x) };
        let joints = [joint("shoulder", None, 0.0), joint("elbow", Some(0), 1.0)];
        let turn = |angle: f64| {
            let turn = Isometry3::rotation(Vec3::z() * angle);
            // About the shoulder, which rises by a metre.
            Isometry3::translation(0.0, 1.0, 0.0) * at(0.0) * turn * at(0.0).inverse()
        };
        let poses = [vec![Isometry3::identity(); 2], vec![turn(0.5); 2]];
        let file = write_motion_glb(&joints, &poses, 10.0).unwrap();
        let mut warnings = Vec::new();
        let motion = GltfFile::parse(file, &Folder::none()).unwrap().motion(&mut warnings).unwrap();
        // The reader has a rate of its own; the last frame is the last key.
        assert_eq!(motion.joints.len(), 2);
        let pose = motion.pose(motion.frames - 1);
        let expected = (poses[1][1] * nalgebra::Point3::new(1.0, 1.0, 0.0)).coords;
        assert!((pose.positions[1] - expected).norm() < 1e-6, "{:?}", pose.positions);
        assert!(pose.rotations[1].angle_to(&Quat::from_axis_angle(&Vec3::z_axis(), 0.5)) < 1e-6);
    }
}
