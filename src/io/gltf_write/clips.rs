//! Clips as animations of a glTF document.
//!
//! Every animation has one buffer view. Tracks with the same keys share one accessor of times, within a clip and across
//! clips.

use super::JointNode;
use super::editor::{Editor, FLOAT, SHORT, push};
use crate::clip::{Clip, Track, quantized};
use serde_json::{Value, json};
use std::collections::HashMap;

/// The accessors of times that are there already, by the length of a frame and the keys.
type Times = HashMap<(u64, Vec<u32>), usize>;

impl Editor {
    /// An animation for each clip.
    pub fn add_clips(&mut self, joints: &[JointNode], clips: &[(&Clip, Value)]) {
        let mut times = Times::new();
        for (clip, extras) in clips {
            assert_eq!(clip.rotations.len(), joints.len(), "the clip is of this rig");
            let mut animation = self.animation(joints, clip, &mut times);
            if !extras.is_null() {
                animation["extras"] = extras.clone();
            }
            push(&mut self.json, "animations", animation);
        }
    }

    fn animation(&mut self, joints: &[JointNode], clip: &Clip, times: &mut Times) -> Value {
        let mut writer = Writer { samplers: Vec::new(), channels: Vec::new(), values: Vec::new() };
        let mut starts = Vec::new();
        for (joint, track) in clip.rotations.iter().enumerate() {
            let Some(node) = joints[joint].node else { continue };
            let above = joints[joint].joint_from_node_above.isometry.rotation.inverse();
            let component = if clip.in_16_bits[joint] { SHORT } else { FLOAT };
            starts.push((writer.values.len(), track.values.len(), "VEC4", component));
            for value in &track.values {
                let rotation = above * value;
                match component {
                    SHORT => writer.values.extend(quantized(&rotation).iter().flat_map(|x| x.to_le_bytes())),
                    _ => writer.numbers(rotation.coords.as_slice()),
                }
            }
            let input = self.times(clip, track, times);
            writer.channel(node, "rotation", input);
        }
        for (joint, track) in &clip.translations {
            let Some(node) = joints[*joint].node else { continue };
            let above = joints[*joint].joint_from_node_above.inverse();
            starts.push((writer.values.len(), track.values.len(), "VEC3", FLOAT));
            for value in &track.values {
                writer.numbers(above.transform_point(&(*value).into()).coords.as_slice());
            }
            let input = self.times(clip, track, times);
            writer.channel(node, "translation", input);
        }
        let view = self.add_view(&writer.values, None);
        for (sampler, (start, count, shape, component)) in writer.samplers.iter_mut().zip(starts) {
            let accessor = match component {
                SHORT => self.add_normalized(view, count, component, shape),
                _ => self.add_accessor(view, count, component, shape),
            };
            if start > 0 {
                self.json["accessors"][accessor]["byteOffset"] = json!(start);
            }
            sampler["output"] = json!(accessor);
        }
        json!({ "name": clip.name, "channels": writer.channels, "samplers": writer.samplers })
    }

    /// The accessor of the times of a track's keys.
    fn times<T>(&mut self, clip: &Clip, track: &Track<T>, times: &mut Times) -> usize {
        let key = (clip.frame_seconds.to_bits(), track.keys.clone());
        if let Some(&accessor) = times.get(&key) {
            return accessor;
        }
        let seconds: Vec<f32> =
            track.keys.iter().map(|&frame| (f64::from(frame) * clip.frame_seconds) as f32).collect();
        let bytes: Vec<u8> = seconds.iter().flat_map(|time| time.to_le_bytes()).collect();
        let view = self.add_view(&bytes, None);
        let accessor = self.add_accessor(view, seconds.len(), FLOAT, "SCALAR");
        // glTF demands the bounds of times, so that players know the length.
        self.json["accessors"][accessor]["min"] = json!([seconds.first()]);
        self.json["accessors"][accessor]["max"] = json!([seconds.last()]);
        times.insert(key, accessor);
        accessor
    }
}

/// The parts of an animation while they are collected.
struct Writer {
    samplers: Vec<Value>,
    channels: Vec<Value>,
    values: Vec<u8>,
}

impl Writer {
    fn numbers(&mut self, numbers: &[f64]) {
        // Adding zero makes -0 a plain 0.
        self.values.extend(numbers.iter().flat_map(|&number| (number as f32 + 0.0).to_le_bytes()));
    }

    fn channel(&mut self, node: usize, path: &str, input: usize) {
        let sampler = self.samplers.len();
        // Interpolation is linear if nothing else is said.
        self.samplers.push(json!({ "input": input }));
        self.channels.push(json!({ "sampler": sampler, "target": { "node": node, "path": path } }));
    }
}
