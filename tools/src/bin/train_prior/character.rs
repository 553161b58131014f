//! Characters whose joints are known, as points with the artist's weights.

use anyhow::{Context, Result};
use nalgebra::Point3;
use puppetry::Vec3;
use puppetry::stages::embed::prior::channel;
use puppetry::stages::embed::prior::network::CHANNELS;
use puppetry::stages::embed::prior::points::{SurfacePoint, surface_points};
use puppetry::stages::embed::voxels::VoxelVolume;
use puppetry::stages::io::load_mesh;
use puppetry::stages::math::Axis;
use puppetry::stages::mesh::orientation::OrientationOptions;
use puppetry::stages::mesh::prepare::{PrepareOptions, prepare};
use puppetry_tools::families::family_of;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;

/// What kind of body a character has, in the order of the network's plans.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Plan {
    Biped,
    Quadruped,
    Other,
}

/// Parts of a body that move as one, in the order of the network's exercise.
pub const MIDDLE_SEGMENTS: [&str; 5] = ["hips", "torso", "neck", "head", "tail"];
pub const SIDED_SEGMENTS: [&str; 6] = ["upper_arm", "lower_arm", "hand", "upper_leg", "lower_leg", "foot"];
/// The names of the same parts on animals.
const OF_ANIMALS: [(&str, &str); 6] = [
    ("front_upper", "upper_arm"),
    ("front_lower", "lower_arm"),
    ("front_foot", "hand"),
    ("back_upper", "upper_leg"),
    ("back_lower", "lower_leg"),
    ("back_foot", "foot"),
];

/// The joints about which the segments of [`SIDED_SEGMENTS`] rotate.
pub const SIDED_PIVOTS: [&str; 6] = ["shoulder", "elbow", "wrist", "hip", "knee", "ankle"];

/// A point of the surface and the segments that move it.
#[derive(Debug, Clone)]
pub struct SkinPoint {
    pub point: SurfacePoint,
    pub weights: Vec<(usize, f64)>,
}

/// A character in body space: lengths in heights, y = 0 at the soles.
#[derive(Debug, Clone)]
pub struct Character {
    pub family: String,
    pub plan: Plan,
    pub points: Vec<SkinPoint>,
    /// For each channel of the prior what is known.
    pub joints: Vec<Option<Vec3>>,
    /// Channels whose joint is an artist's middle joint of a leg, not a certain one.
    pub is_vague: Vec<bool>,
}

/// Samples of a character's surface.
const SAMPLES: usize = 4096;
/// Joints of an animal's legs below this height are those of its feet, in heights.
const FOOT: f64 = 0.12;

impl Character {
    /// Of the files NAME.glb, NAME.truth.json and, if it is there, NAME.skin.json; `None` if its joints are not known.
    pub fn load(path: &Path) -> Result<Option<Character>> {
        let name = path.file_name().unwrap_or_default().to_string_lossy().replace(".truth.json", "");
        let truth = read_json(path)?;
        let Some(listed) = truth["joints"].as_object().filter(|joints| !joints.is_empty()) else {
            return Ok(None);
        };
        let plan = match truth["morphology"].as_str() {
            Some("biped") => Plan::Biped,
            Some("quadruped") => Plan::Quadruped,
            _ => Plan::Other,
        };
        let folder = path.parent().unwrap_or(Path::new("."));
        let (mesh, _) = load_mesh(&folder.join(format!("{name}.glb")))?;
        let orientation = OrientationOptions { up: Some(Axis::PosY), front: Some(Axis::PosZ) };
        let options = PrepareOptions { orientation, ..PrepareOptions::default() };
        let prepared = prepare(&mesh, &options, &mut Vec::new())?;
        let voxels = VoxelVolume::of(&prepared);
        let body =
            |point: Vec3| voxels.body_from_unit(&(prepared.unit_from_input * Point3::from(point)).coords);
        let truth_joints: BTreeMap<String, Vec3> = listed
            .iter()
            .filter_map(|(name, position)| Some((name.clone(), body(vector(position)?))))
            .collect();
        let alternative: BTreeMap<String, Vec3> = truth["alternative"]
            .as_object()
            .into_iter()
            .flatten()
            .filter_map(|(name, position)| Some((name.clone(), body(vector(position)?))))
            .collect();
        let (joints, is_vague) = match plan {
            Plan::Quadruped => joints_of_animal(&truth_joints, &alternative),
            _ => (joints_of_person(&truth_joints), vec![false; CHANNELS]),
        };
        let skin_name = if name.starts_with("mh_") { "makehuman" } else { name.as_str() };
        let skin = read_json(&folder.join(format!("{skin_name}.skin.json"))).ok();
        let of_vertex = skin.as_ref().map(weights_of_vertices).unwrap_or_default();
        let points = surface_points(&prepared, &voxels, SAMPLES).into_iter().map(|(point, triangle)| {
            let corners = mesh.triangles[prepared.original_triangle[triangle] as usize];
            let mut weights: BTreeMap<usize, f64> = BTreeMap::new();
            for corner in corners {
                for &(segment, weight) in of_vertex.get(corner as usize).into_iter().flatten() {
                    *weights.entry(segment).or_default() += weight / corners.len() as f64;
                }
            }
            SkinPoint { point, weights: weights.into_iter().collect() }
        });
        let points = points.collect();
        let family = family_of(&truth);
        Ok(Some(Character { family, plan, points, joints, is_vague }))
    }
}

fn read_json(path: &Path) -> Result<Value> {
    let text = std::fs::read(path).with_context(|| format!("cannot read '{}'", path.display()))?;
    serde_json::from_slice(&text).with_context(|| format!("'{}' is no JSON", path.display()))
}

fn vector(value: &Value) -> Option<Vec3> {
    let numbers: Vec<f64> = value.as_array()?.iter().filter_map(Value::as_f64).collect();
    <[f64; 3]>::try_from(numbers).ok().map(Vec3::from)
}

fn joints_of_person(truth: &BTreeMap<String, Vec3>) -> Vec<Option<Vec3>> {
    let mut joints = vec![None; CHANNELS];
    for (name, &position) in truth {
        let channel = match name.split_once('_') {
            Some((side @ ("left" | "right"), joint)) => channel::sided(joint, side == "left"),
            _ => channel::middle(name),
        };
        if let Some(channel) = channel {
            joints[channel] = Some(position);
        }
    }
    joints
}

/// The joints of an animal in the anatomical channels, and which of them are vague.
fn joints_of_animal(
    truth: &BTreeMap<String, Vec3>,
    alternative: &BTreeMap<String, Vec3>,
) -> (Vec<Option<Vec3>>, Vec<bool>) {
    let mut joints = vec![None; CHANNELS];
    let mut is_vague = vec![false; CHANNELS];
    for (place, name) in channel::MIDDLE.iter().enumerate() {
        joints[place] = truth.get(*name).copied();
    }
    for side in ["left", "right"] {
        let is_left = side == "left";
        let at = |pair: &str, joint: &str| truth.get(&format!("{pair}_{side}_{joint}")).copied();
        let legs =
            [("front", ["shoulder", "elbow", "wrist", "hand"]), ("back", ["hip", "knee", "ankle", "toe"])];
        for (pair, names) in legs {
            let [top, upper, lower, foot] = names;
            let channels = names.map(|name| channel::sided(name, is_left).unwrap_or(0));
            let below = match pair {
                "front" => alternative.get(&format!("front_{side}_wrist")).copied(),
                _ => at(pair, foot),
            };
            joints[channels[0]] = at(pair, top);
            joints[channels[1]] = at(pair, upper);
            match (at(pair, lower), below) {
                (Some(lower), Some(below)) => {
                    joints[channels[2]] = Some(lower);
                    joints[channels[3]] = Some(below);
                }
                // Three joints, the lowest at the foot: the middle one is somewhere between elbow and carpus, stifle and hock.
                (Some(lower), None) if lower.y < FOOT => {
                    joints[channels[3]] = Some(lower);
                    is_vague[channels[1]] = true;
                    is_vague[channels[2]] = true;
                }
                (Some(lower), None) => joints[channels[2]] = Some(lower),
                (None, _) if joints[channels[1]].is_some() => {
                    is_vague[channels[1]] = true;
                }
                (None, _) => {}
            }
        }
    }
    (joints, is_vague)
}

/// The segment of the exercise that a name of a skin file means; clavicles move with the trunk.
fn segment_of(name: &str) -> Option<usize> {
    if let Some(place) = MIDDLE_SEGMENTS.iter().position(|known| *known == name) {
        return Some(place);
    }
    let is_left = name.contains("left");
    let bare = name.replace("left_", "").replace("right_", "");
    let bare = OF_ANIMALS.iter().find(|(animal, _)| *animal == bare).map_or(bare.as_str(), |(_, own)| own);
    if bare == "shoulder" {
        return segment_of("torso");
    }
    let place = SIDED_SEGMENTS.iter().position(|known| *known == bare)?;
    Some(MIDDLE_SEGMENTS.len() + if is_left { place } else { SIDED_SEGMENTS.len() + place })
}

/// For each vertex of a mesh its segments and their weights.
fn weights_of_vertices(skin: &Value) -> Vec<Vec<(usize, f64)>> {
    let segments: Vec<Option<usize>> =
        skin["segments"].as_array().into_iter().flatten().map(|name| segment_of(name.as_str()?)).collect();
    let rows: Vec<Vec<(usize, f64)>> = skin["rows"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|row| {
            let numbers: Vec<f64> = row.as_array().into_iter().flatten().filter_map(Value::as_f64).collect();
            let pairs = numbers.chunks_exact(2);
            pairs.filter_map(|pair| Some((segments.get(pair[0] as usize).copied()??, pair[1]))).collect()
        })
        .collect();
    let of_vertex = skin["vertex"].as_array().into_iter().flatten();
    of_vertex
        .map(|row| row.as_u64().and_then(|row| rows.get(row as usize)).cloned().unwrap_or_default())
        .collect()
}
