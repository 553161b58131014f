//! A motion of joints as glTF without a surface: nodes and one animation.

use super::gltf_write::{GltfWriteError, glb};
use crate::rig::RigJoint;
use nalgebra::Isometry3;
use serde_json::{Value, json};

/// A translation that changes by less than this part of the skeleton's size is written once, at rest.
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
    let mut bytes = Vec::new();
    let (mut views, mut accessors) = (Vec::new(), Vec::new());
    let mut add =
        |values: &mut dyn Iterator<Item = f32>, width: usize, kind: &str, bounds: Option<[f64; 2]>| {
            let start = bytes.len();
            values.for_each(|value| bytes.extend_from_slice(&value.to_le_bytes()));
            views.push(json!({"buffer": 0, "byteOffset": start, "byteLength": bytes.len() - start}));
            let count = (bytes.len() - start) / 4 / width;
            let mut accessor =
                json!({"bufferView": views.len() - 1, "componentType": 5126, "count": count, "type": kind});
            if let Some([min, max]) = bounds {
                accessor["min"] = json!([min as f32]);
                accessor["max"] = json!([max as f32]);
            }
            accessors.push(accessor);
            accessors.len() - 1
        };
    let time = |frame: usize| frame as f64 / frames_per_second;
    let last = time(poses.len().saturating_sub(1));
    let times = add(&mut (0..poses.len()).map(|frame| time(frame) as f32), 1, "SCALAR", Some([0.0, last]));

    let size = joints.iter().map(|joint| joint.rest.translation.vector.amax()).fold(0.0, f64::max);
    let identity = Isometry3::identity();
    let mut nodes: Vec<Value> = Vec::new();
    let (mut channels, mut samplers) = (Vec::new(), Vec::new());
    for (index, joint) in joints.iter().enumerate() {
        let above = |pose: &[Isometry3<f64>]| {
            joint.parent.map_or(identity, |parent| pose[parent] * joints[parent].rest)
        };
        let rest = joint.parent.map_or(identity, |parent| joints[parent].rest).inverse() * joint.rest;
        let locals: Vec<Isometry3<f64>> =
            poses.iter().map(|pose| above(pose).inverse() * pose[index] * joint.rest).collect();
        let children: Vec<usize> =
            (0..joints.len()).filter(|&child| joints[child].parent == Some(index)).collect();
        let mut node = json!({
            "name": joint.name,
            "translation": narrow(&rest.translation.vector.into()),
            "rotation": narrow(&rest.rotation.coords.into()),
        });
        if !children.is_empty() {
            node["children"] = json!(children);
        }
        nodes.push(node);
        let mut track = |path: &str, output: usize| {
            samplers.push(json!({"input": times, "output": output}));
            channels.push(json!({"sampler": samplers.len() - 1, "target": {"node": index, "path": path}}));
        };
        // Neighbouring keys on one side of the sphere, so that players may interpolate without a thought.
        let mut before = rest.rotation.coords;
        let rotations = locals.iter().map(|local| {
            let q = local.rotation.coords;
            before = if q.dot(&before) < 0.0 { -q } else { q };
            before
        });
        let rotations: Vec<f32> = rotations.flat_map(|q| narrow::<4>(&q.into())).collect();
        track("rotation", add(&mut rotations.into_iter(), 4, "VEC4", None));
        let moved = |local: &Isometry3<f64>| (local.translation.vector - rest.translation.vector).amax();
        if locals.iter().map(moved).fold(0.0, f64::max) > STILL * size {
            let places: Vec<f32> =
                locals.iter().flat_map(|local| narrow::<3>(&local.translation.vector.into())).collect();
            track("translation", add(&mut places.into_iter(), 3, "VEC3", None));
        }
    }
    let roots: Vec<usize> = (0..joints.len()).filter(|&joint| joints[joint].parent.is_none()).collect();
    let document = json!({
        "asset": {"version": "2.0", "generator": concat!("puppetry ", env!("CARGO_PKG_VERSION"))},
        "scene": 0,
        "scenes": [{"nodes": roots}],
        "nodes": nodes,
        "animations": [{"channels": channels, "samplers": samplers}],
        "accessors": accessors,
        "bufferViews": views,
        "buffers": [{"byteLength": bytes.len()}],
    });
    glb(document.to_string().as_bytes(), &bytes)
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
