//! Animations of nodes, sampled at an even rate.

use super::accessor::Accessors;
use super::{GltfFile, scene};
use crate::Warning;
use crate::io::animated_nodes::{self, DEFAULT_RATE, LARGEST_RATE, Local, Node, Wanted, frame_count};
use crate::io::json_item::Item;
use crate::io::left_out::dropped;
use crate::io::{Fault, NamedMotions, Problem};
use crate::math::{Quat, Vec3, rotation_of};
use crate::mesh::SourceDocument;
use crate::motion::Motion;

/// Keys that even the smallest file may have.
const KEYS_FLOOR: u64 = 1 << 20;
/// Reduced keys are farther apart than frames; below this rate feet skip over their contacts.
const SMALLEST_RATE: f64 = 24.0;

impl GltfFile {
    /// The animation that moves most nodes.
    pub fn motion(&self, warnings: &mut Vec<Warning>) -> Result<Motion, Fault> {
        let one = read(&self.source, Wanted::Largest, warnings)?.pop();
        one.map(|(_, motion)| motion).ok_or(Fault::whole(Problem::NoAnimation))
    }

    /// All animations with their names. Those that move nothing are left out with a warning.
    pub fn motions(&self, warnings: &mut Vec<Warning>) -> Result<NamedMotions, Fault> {
        read(&self.source, Wanted::All, warnings)
    }
}

fn read(source: &SourceDocument, wanted: Wanted, warnings: &mut Vec<Warning>) -> Result<NamedMotions, Fault> {
    let root = Item::root(&source.json);
    let accessors = Accessors::new(root.clone(), &source.buffers);

    let animations = root.list("animations")?;
    let mut chosen: Vec<&Item> = animations.iter().filter(|animation| channels(animation) > 0).collect();
    let still = animations.len() - chosen.len();
    match wanted {
        Wanted::Largest if chosen.len() > 1 => {
            dropped(warnings, "animations", chosen.len() - 1, "one motion is read from a file");
            let largest = chosen.iter().copied().enumerate();
            let largest = largest.max_by_key(|(i, animation)| (channels(animation), usize::MAX - i));
            chosen = largest.map(|(_, animation)| animation).into_iter().collect();
        }
        Wanted::All => dropped(warnings, "animations", still, "they move nothing"),
        Wanted::Largest => {}
    }
    let mut budget = KeyBudget { limit: accessors.total_bytes().max(KEYS_FLOOR), used: 0 };
    let nodes = read_nodes(&root)?;
    let mut motions = Vec::new();
    for animation in &chosen {
        let name = animation.value.get("name").and_then(|name| name.as_str()).unwrap_or_default();
        let name = if name.is_empty() { format!("animation{}", motions.len() + 1) } else { name.to_owned() };
        match read_animation(animation, &nodes, &accessors, &mut budget, chosen.len()) {
            Ok(motion) => motions.push((name, motion)),
            Err(fault) if chosen.len() == 1 => return Err(fault),
            Err(Fault { problem: Problem::NoAnimation | Problem::NoJoints, .. }) => {
                dropped(warnings, "animations", 1, "they move nothing");
            }
            Err(fault) => return Err(fault),
        }
    }
    if motions.is_empty() {
        return Err(Fault::whole(Problem::NoAnimation));
    }
    Ok(motions)
}

fn channels(animation: &Item) -> usize {
    animation.value.get("channels").and_then(|channels| channels.as_array()).map_or(0, Vec::len)
}

/// Channels may share their keys, and a small file could ask for any number of copies.
struct KeyBudget {
    limit: u64,
    used: u64,
}

/// One of `count` animations.
fn read_animation(
    animation: &Item,
    (nodes, order): &(Vec<Node>, Vec<usize>),
    accessors: &Accessors,
    budget: &mut KeyBudget,
    count: usize,
) -> Result<Motion, Fault> {
    let mut nodes = nodes.clone();
    let mut tracks: Vec<[Option<KeyTrack>; 2]> = (0..nodes.len()).map(|_| [None, None]).collect();
    let samplers = animation.list("samplers")?;
    for channel in animation.list("channels")? {
        let Some((node, slot, track)) = read_channel(&channel, &samplers, accessors, order)? else {
            continue;
        };
        budget.used += track.times.len() as u64;
        if budget.used > budget.limit {
            let feature = format!("more than {} keys, many times those that it holds", budget.limit);
            let way_out = "export it with keys of their own for all channels";
            return Err(Fault::json(&channel.pointer, Problem::Unsupported { feature, way_out }));
        }
        nodes[node].is_joint = true;
        tracks[node][slot] = Some(track);
    }
    let all = tracks.iter().flatten().flatten();
    // Programs that count frames from one write their first keys there; before them is no motion.
    let begin = all.clone().filter_map(|track| track.times.first()).fold(f32::INFINITY, |a, &b| a.min(b));
    let begin = if begin.is_finite() { f64::from(begin) } else { 0.0 };
    let end =
        all.clone().filter_map(|track| track.times.last()).fold(begin, |a: f64, &b| a.max(f64::from(b)));
    let keys = all.clone().map(|track| track.times.len()).max().unwrap_or(0);
    if keys == 0 {
        return Err(Fault::whole(Problem::NoAnimation));
    }
    let bytes = accessors.total_bytes() as usize;
    let (frames, frame_seconds) = frame_count(end - begin, rate(all), nodes.len(), bytes, count);
    let rest: Vec<Local> = nodes.iter().map(|node| node.rest).collect();
    animated_nodes::motion(&nodes, frames, frame_seconds, |frame, node| {
        let time = (begin + frame as f64 * frame_seconds) as f32;
        let [translation, rotation] = &tracks[node];
        let mut local = rest[node];
        if let Some(track) = translation {
            let [x, y, z, _] = track.at(time, lerp);
            local.translation = Vec3::new(x, y, z);
        }
        if let Some(track) = rotation {
            local.rotation = unit(track.at(time, slerp)).unwrap_or(local.rotation);
        }
        local
    })
}

/// Keys of one property of a node; positions have three numbers and a zero.
struct KeyTrack {
    times: Vec<f32>,
    /// One value for each key, or tangent, value, tangent for splines.
    values: Vec<[f32; 4]>,
    interpolation: Interpolation,
}

#[derive(Clone, Copy, PartialEq)]
enum Interpolation {
    Step,
    Linear,
    Cubic,
}

/// Two values, and how far between them.
type Interpolate = fn([f64; 4], [f64; 4], f64) -> [f64; 4];

fn lerp(a: [f64; 4], b: [f64; 4], t: f64) -> [f64; 4] {
    std::array::from_fn(|i| a[i] + (b[i] - a[i]) * t)
}

fn slerp(a: [f64; 4], b: [f64; 4], t: f64) -> [f64; 4] {
    /// Below this sine two rotations are opposite, and no path between them is the shortest.
    const OPPOSITE: f64 = 1e-9;
    let (Some(from), Some(to)) = (unit(a), unit(b)) else { return a };
    let between = from.try_slerp(&to, t, OPPOSITE).unwrap_or(from);
    [between.i, between.j, between.k, between.w]
}

impl KeyTrack {
    /// The value of a key.
    fn value(&self, key: usize) -> [f64; 4] {
        let index = if self.interpolation == Interpolation::Cubic { 3 * key + 1 } else { key };
        self.values[index].map(f64::from)
    }

    /// The value at a time; `linear` is what lies between two keys.
    fn at(&self, time: f32, linear: Interpolate) -> [f64; 4] {
        let after = self.times.partition_point(|&key| key <= time);
        if after == 0 || after == self.times.len() {
            return self.value(if after == 0 { 0 } else { after - 1 });
        }
        let before = after - 1;
        let span = f64::from(self.times[after]) - f64::from(self.times[before]);
        let t = if span > 0.0 { (f64::from(time) - f64::from(self.times[before])) / span } else { 0.0 };
        let (a, b) = (self.value(before), self.value(after));
        match self.interpolation {
            Interpolation::Step => a,
            Interpolation::Linear => linear(a, b, t),
            Interpolation::Cubic => {
                // The spline of the specification, appendix C.
                let out = self.values[3 * before + 2].map(f64::from);
                let into = self.values[3 * after].map(f64::from);
                let (tt, ttt) = (t * t, t * t * t);
                std::array::from_fn(|i| {
                    (2.0 * ttt - 3.0 * tt + 1.0) * a[i]
                        + span * (ttt - 2.0 * tt + t) * out[i]
                        + (3.0 * tt - 2.0 * ttt) * b[i]
                        + span * (ttt - tt) * into[i]
                })
            }
        }
    }
}

fn unit([x, y, z, w]: [f64; 4]) -> Option<Quat> {
    /// Shorter quaternions have no direction.
    const SHORTEST: f64 = 1e-6;
    Quat::try_new(nalgebra::Quaternion::new(w, x, y, z), SHORTEST)
        .filter(|q| q.coords.iter().all(|c| c.is_finite()))
}

/// The median distance of keys, as a rate.
fn rate<'t>(tracks: impl Iterator<Item = &'t KeyTrack>) -> f64 {
    let longest = tracks.max_by_key(|track| track.times.len());
    let Some(track) = longest.filter(|track| track.times.len() > 2) else { return DEFAULT_RATE };
    let mut steps: Vec<f32> =
        track.times.windows(2).map(|pair| pair[1] - pair[0]).filter(|step| *step > 0.0).collect();
    steps.sort_by(f32::total_cmp);
    steps
        .get(steps.len() / 2)
        .map_or(DEFAULT_RATE, |&step| (1.0 / f64::from(step)).clamp(SMALLEST_RATE, LARGEST_RATE))
}

/// All nodes, parents first, and the index of each node of the document among them.
fn read_nodes(root: &Item) -> Result<(Vec<Node>, Vec<usize>), Fault> {
    let items = root.list("nodes")?;
    let parents = scene::parents_of(&items)?;
    let mut is_joint = vec![false; items.len()];
    for skin in root.list("skins")? {
        for joint in scene::node_references(&skin, "joints", items.len())? {
            is_joint[joint] = true;
        }
    }
    let mut children = vec![Vec::new(); items.len()];
    for (node, parent) in parents.iter().enumerate() {
        if let Some(parent) = parent {
            children[*parent].push(node);
        }
    }
    let mut order = vec![usize::MAX; items.len()];
    let mut nodes: Vec<Node> = Vec::with_capacity(items.len());
    let mut stack: Vec<usize> = (0..items.len()).rev().filter(|&node| parents[node].is_none()).collect();
    while let Some(index) = stack.pop() {
        order[index] = nodes.len();
        nodes.push(Node {
            name: items[index].text("name").unwrap_or_default().chars().take(200).collect(),
            parent: parents[index].map(|parent| order[parent]),
            rest: rest(&items[index])?,
            is_joint: is_joint[index],
        });
        stack.extend(children[index].iter().rev());
    }
    // Nodes that no root leads to form a cycle.
    match order.iter().position(|&index| index == usize::MAX) {
        Some(index) => Err(items[index].invalid("the node", "it is its own ancestor")),
        None => Ok((nodes, order)),
    }
}

fn rest(node: &Item) -> Result<Local, Fault> {
    let matrix = scene::local(node)?;
    let linear = matrix.fixed_view::<3, 3>(0, 0).into_owned();
    let scale = Vec3::from_fn(|i, _| linear.column(i).norm());
    let translation = Vec3::new(matrix[(0, 3)], matrix[(1, 3)], matrix[(2, 3)]);
    let is_usable = scale.iter().all(|s| s.is_normal()) && linear.iter().all(|entry| entry.is_finite());
    let rotation = if is_usable {
        let mut axes = linear;
        for (i, length) in scale.iter().enumerate() {
            axes.column_mut(i).unscale_mut(*length);
        }
        rotation_of(&axes)
    } else {
        Quat::identity()
    };
    Ok(Local { translation, rotation, scale })
}

/// The node, 0 for its translation or 1 for its rotation, and the keys of a channel that moves one.
fn read_channel<'a>(
    channel: &Item<'a>,
    samplers: &[Item<'a>],
    accessors: &Accessors<'a>,
    order: &[usize],
) -> Result<Option<(usize, usize, KeyTrack)>, Fault> {
    let target = channel.required("target")?;
    let slot = match target.text("path") {
        Some("translation") => 0,
        Some("rotation") => 1,
        // Scales and morph weights move no joint.
        _ => return Ok(None),
    };
    let Some(node) = target.whole_number("node")? else { return Ok(None) };
    let Some(&node) = order.get(node) else { return Err(target.out_of_range("node", node, order.len())) };
    let index = channel.required_number("sampler")?;
    let Some(sampler) = samplers.get(index) else {
        return Err(channel.out_of_range("sampler", index, samplers.len()));
    };
    let input = sampler.required("input")?;
    let times: Vec<f32> = accessors.open(&input)?.floats::<1>()?.into_iter().map(|[time]| time).collect();
    let output = sampler.required("output")?;
    let output = accessors.open(&output)?;
    let values: Vec<[f32; 4]> = if slot == 0 {
        output.floats::<3>()?.into_iter().map(|[x, y, z]| [x, y, z, 0.0]).collect()
    } else {
        output.floats::<4>()?
    };
    let interpolation = match sampler.text("interpolation") {
        Some("STEP") => Interpolation::Step,
        Some("CUBICSPLINE") => Interpolation::Cubic,
        _ => Interpolation::Linear,
    };
    let needed = times.len() * if interpolation == Interpolation::Cubic { 3 } else { 1 };
    let is_increasing =
        times.windows(2).all(|pair| pair[0] <= pair[1]) && times.iter().all(|time| time.is_finite());
    if times.is_empty() || values.len() != needed || !is_increasing {
        let why = format!("{} times and {} values do not make keys", times.len(), values.len());
        return Err(sampler.invalid("the sampler", why));
    }
    if let Some(index) = values.iter().position(|value| !value.iter().all(|x| x.is_finite())) {
        return Err(Fault::json(&sampler.pointer, Problem::NotFinite { what: "key", index }));
    }
    Ok(Some((node, slot, KeyTrack { times, values, interpolation })))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::io::Folder;
    use base64::Engine;
    use base64::prelude::BASE64_STANDARD;
    use serde_json::{Value, json};

    /// A hip that is turned by 90° about X at rest and a knee below it, which turns about its own Z from 0 to 90° within
    /// a second.
    fn document() -> Value {
        document_at([0.0, 1.0])
    }

    fn document_at(times: [f32; 2]) -> Value {
        let half = std::f32::consts::FRAC_1_SQRT_2;
        let turns: [f32; 8] = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, half, half];
        let bytes: Vec<u8> = times.iter().chain(&turns).flat_map(|value| value.to_le_bytes()).collect();
        json!({
            "asset": { "version": "2.0" },
            "nodes": [
                { "name": "scene", "children": [1], "scale": [0.01, 0.01, 0.01] },
                { "name": "hip", "children": [2], "translation": [0, 100, 0], "rotation": [half, 0, 0, half] },
                { "name": "knee", "translation": [50, 0, 0] },
            ],
            "skins": [{ "joints": [1, 2] }],
            "animations": [{
                "channels": [{ "sampler": 0, "target": { "node": 2, "path": "rotation" } }],
                "samplers": [{ "input": 0, "output": 1 }],
            }],
            "accessors": [
                { "bufferView": 0, "componentType": 5126, "type": "SCALAR", "count": 2 },
                { "bufferView": 1, "componentType": 5126, "type": "VEC4", "count": 2 },
            ],
            "bufferViews": [
                { "buffer": 0, "byteLength": 8 },
                { "buffer": 0, "byteOffset": 8, "byteLength": 32 },
            ],
            "buffers": [{
                "byteLength": bytes.len(),
                "uri": format!("data:application/octet-stream;base64,{}", BASE64_STANDARD.encode(&bytes)),
            }],
        })
    }

    fn read(document: &Value) -> Result<Motion, Fault> {
        let file = GltfFile::parse(document.to_string().into_bytes(), &Folder::none())?;
        let motion = file.motion(&mut Vec::new())?;
        assert_eq!(motion.broken_invariant(), None);
        Ok(motion)
    }

    /// Before its first key nothing moves, and nothing is read.
    #[test]
    fn a_motion_begins_with_its_first_key() {
        let (late, early) = (read(&document_at([2.5, 3.5])).unwrap(), read(&document()).unwrap());
        assert_eq!(late.frames, early.frames);
        for (a, b) in late.rotations.values.iter().zip(&early.rotations.values) {
            assert!(a.angle_to(b) < 1e-5, "times are rounded, no more");
        }
    }

    #[test]
    fn all_animations_are_read_with_their_names() {
        let mut document = document();
        let mut other = document["animations"][0].clone();
        other["name"] = json!("wave");
        let animations = document["animations"].as_array_mut().unwrap();
        animations.push(json!({ "name": "empty", "channels": [], "samplers": [] }));
        animations.push(other);
        let mut warnings = Vec::new();
        let bytes = document.to_string().into_bytes();
        let file = GltfFile::parse(bytes, &Folder::none()).unwrap();
        let motions = file.motions(&mut warnings).unwrap();
        let names: Vec<&str> = motions.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["animation1", "wave"]);
        assert_eq!(motions[0].1, motions[1].1);
        assert!(matches!(warnings[..], [Warning::Dropped { count: 1, .. }]));
        let mut warnings = Vec::new();
        assert_eq!(file.motion(&mut warnings).unwrap(), motions[0].1);
        assert!(matches!(warnings[..], [Warning::Dropped { count: 1, .. }]));
    }

    #[test]
    fn joints_are_where_the_scene_has_them_and_rest_is_the_zero_pose() {
        let motion = read(&document()).unwrap();
        let names: Vec<&str> = motion.joints.iter().map(|joint| joint.name.as_str()).collect();
        assert_eq!((names, motion.frames), (vec!["hip", "knee"], 31));
        let rest = motion.zero_pose();
        assert!((rest.positions[0] - Vec3::new(0.0, 1.0, 0.0)).norm() < 1e-9);
        assert!((rest.positions[1] - Vec3::new(0.5, 1.0, 0.0)).norm() < 1e-9);
        assert_eq!(motion.pose(0).positions, rest.positions);
        // The knee's own Z is the scene's −Y after the turn of the hip.
        let turned = motion.pose(30).rotations[1];
        assert!(turned.angle_to(&Quat::new(-Vec3::y() * std::f64::consts::FRAC_PI_2)) < 1e-6);
        let halfway = motion.pose(15).rotations[1];
        assert!((halfway.angle().to_degrees() - 45.0).abs() < 1e-4);
    }

    #[test]
    fn broken_animations_say_where() {
        for (pointer, value, expected) in [
            ("/animations", json!([]), "it contains no animation"),
            ("/animations/0/channels/0/sampler", json!(7), "sampler 7 does not exist, there are 1"),
            ("/animations/0/channels/0/target/node", json!(7), "node 7 does not exist, there are 3"),
            ("/accessors/1/count", json!(1), "2 times and 1 values do not make keys"),
            ("/accessors/0/type", json!("VEC2"), "byte"),
            ("/nodes/0", json!({ "children": [0] }), "its own ancestor"),
            ("/nodes/1/translation", json!([0, 1e300, 0]), "is not a finite number"),
        ] {
            let mut document = document();
            *document.pointer_mut(pointer).unwrap() = value;
            let found = read(&document).unwrap_err().without_way_out();
            assert!(found.contains(expected), "{pointer}: {found}");
        }
    }

    /// Ten thousand nodes of one name are named in time, and keys that all of them share are not copied without end.
    #[test]
    fn small_files_do_not_take_long_or_much() {
        let mut many = document();
        let nodes: Vec<usize> = (3..10_003).collect();
        for &node in &nodes {
            many["nodes"].as_array_mut().unwrap().push(json!({ "name": "x" }));
            let channel = json!({ "sampler": 0, "target": { "node": node, "path": "rotation" } });
            many["animations"][0]["channels"].as_array_mut().unwrap().push(channel);
        }
        many["nodes"][2]["children"] = json!(nodes);
        let motion = read(&many).unwrap();
        assert_eq!(motion.joints.last().unwrap().name, "x_10000");
        for (accessor, (kind, width)) in [("SCALAR", 1), ("VEC4", 4)].into_iter().enumerate() {
            let bytes: Vec<u8> = (0..200)
                .flat_map(|key| [key as f32; 4][..width].to_vec())
                .flat_map(f32::to_le_bytes)
                .collect();
            many["buffers"].as_array_mut().unwrap().push(json!({
                "byteLength": bytes.len(),
                "uri": format!("data:application/octet-stream;base64,{}", BASE64_STANDARD.encode(&bytes)),
            }));
            many["bufferViews"]
                .as_array_mut()
                .unwrap()
                .push(json!({ "buffer": 1 + accessor, "byteLength": bytes.len() }));
            many["accessors"][accessor] =
                json!({ "bufferView": 2 + accessor, "componentType": 5126, "type": kind, "count": 200 });
        }
        let fault = read(&many).unwrap_err();
        assert!(fault.problem.to_string().contains("more than 1048576 keys"), "{}", fault.problem);
    }

    #[test]
    fn splines_and_steps_are_sampled() {
        let track =
            |interpolation, values: Vec<[f32; 4]>| KeyTrack { times: vec![0.0, 1.0], values, interpolation };
        let step = track(Interpolation::Step, vec![[1.0; 4], [3.0; 4]]);
        assert_eq!((step.at(0.9, lerp)[0], step.at(1.0, lerp)[0]), (1.0, 3.0));
        let linear = track(Interpolation::Linear, vec![[1.0; 4], [3.0; 4]]);
        assert_eq!(
            (linear.at(-1.0, lerp)[0], linear.at(0.5, lerp)[0], linear.at(9.0, lerp)[0]),
            (1.0, 2.0, 3.0)
        );
        // Tangents of the straight line give the straight line.
        let cubic =
            track(Interpolation::Cubic, vec![[2.0; 4], [1.0; 4], [2.0; 4], [2.0; 4], [3.0; 4], [2.0; 4]]);
        assert!((cubic.at(0.25, lerp)[0] - 1.5).abs() < 1e-9);
    }
}
