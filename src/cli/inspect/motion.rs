//! What is known about a motion file.

use super::counted;
use super::mesh::digits;
use super::skeleton::write_tree;
use crate::Warning;
use crate::io::{self, map_file, skeleton_file};
use crate::math::Axis;
use crate::motion::{Motion, loops, with_path};
use crate::retarget::contacts::{ContactOptions, FootContacts, detect};
use crate::retarget::joint_map::Origin;
use crate::retarget::{JointMap, Source, SourceOptions, in_place_velocity, map_joints};
use crate::skeleton::naming::Role;
use crate::skeleton::{Figure, Skeleton, built_in};
use anyhow::{Context, Result, bail};
use serde_json::{Value, json};
use std::fmt::Write;
use std::path::Path;

/// How a motion is looked at.
pub struct MotionOptions<'o> {
    pub up: Option<Axis>,
    pub skeleton: Option<&'o str>,
    pub map: Option<&'o Path>,
}

/// Columns of the strip that shows when feet are planted.
const STRIP: usize = 72;

/// What is known about a motion file.
pub struct MotionFinding<'a> {
    file: &'a Path,
    motion: Motion,
    source: Source,
    skeleton: Skeleton,
    target: Figure,
    map: JointMap,
    contacts: Vec<FootContacts>,
    /// Metres a second at which the ground goes by under a figure that walks in place.
    ground_speed: Option<f64>,
    pub warnings: Vec<Warning>,
}

impl<'a> MotionFinding<'a> {
    pub fn new(
        file: &'a Path,
        motion: Motion,
        warnings: Vec<Warning>,
        options: &MotionOptions,
    ) -> Result<MotionFinding<'a>> {
        let source = Source::of(&motion, &SourceOptions { up: options.up });
        let skeleton = target_skeleton(options.skeleton, source.figure.is_quadruped())?;
        let target = Figure::of_skeleton(&skeleton);
        let mut map = map_joints(&target, &source.figure);
        if let Some(path) = options.map {
            let overrides = map_file::load(path)?;
            map.apply(&overrides, &target, &source.figure).with_context(|| {
                format!("cannot use the map '{}' for '{}'", path.display(), file.display())
            })?;
        }
        let velocity = in_place_velocity(&motion, &source);
        let moving = velocity.map(|velocity| with_path(&motion, &velocity));
        let mut contacts = detect(moving.as_ref().unwrap_or(&motion), &source, &ContactOptions::default());
        if motion.rest.is_some() {
            // A rest pose has a place in the strip; its feet do what they do in the first frame.
            for states in contacts.iter_mut().flat_map(|foot| [&mut foot.heel, &mut foot.ball]) {
                states.insert(0, states[0]);
            }
        }
        let ground_speed = velocity.map(|velocity| velocity.norm() * source.unit().1);
        Ok(MotionFinding { file, motion, source, skeleton, target, map, contacts, ground_speed, warnings })
    }

    pub fn map_file(&self) -> String {
        map_file::write(&self.map.overrides(&self.target, &self.source.figure))
    }

    pub fn text(&self) -> String {
        let source = &self.source;
        let roles = &source.figure.roles;
        let mut text = String::new();
        let mut line = |heading: &str, content: String| {
            let _ = writeln!(text, "  {heading:<14}{content}");
        };
        line("frames", self.frames());
        line(
            "joints",
            format!(
                "{}, {} with a role, confidence {:.2}",
                self.joint_count(),
                roles.count(),
                roles.mean_confidence()
            ),
        );
        line(
            "names",
            match roles.convention {
                _ if roles.count() == 0 => "neither they nor the shape say what the joints are".into(),
                None => format!("no convention that is known ({})", self.basis()),
                Some(convention) => format!("{convention} ({})", self.basis()),
            },
        );
        line("up", format!("{}", source.up));
        let (unit, meters) = source.unit();
        line(
            "unit",
            format!(
                "{unit}, it seems: {} high = {} m",
                digits(source.height()),
                digits(source.height() * meters)
            ),
        );
        line(
            "at rest",
            format!("{}, {:.0} % like a character that stands", source.kind, 100.0 * source.score),
        );
        line("speed", self.speed_text());
        line("loops", if self.loops() { "yes" } else { "no" }.into());
        line("maps to", self.map_text());
        if source.is_mirrored {
            line("mirrored", "left and right are named against the direction of the feet".into());
        }
        for foot in &self.contacts {
            line(&foot_name(foot, source.figure.is_quadruped()), strip(foot));
        }
        let _ = writeln!(text, "  joints and their roles");
        write_tree(&source.figure, &mut text);
        format!("{}\n{text}", self.file.display())
    }

    pub fn json(&self) -> Value {
        let (motion, source) = (&self.motion, &self.source);
        let figure = &source.figure;
        let (unit, meters) = source.unit();
        let joint = |index: usize| {
            let role = figure.roles.roles[index];
            json!({
                "name": figure.names[index],
                "parent": figure.parents[index].map(|parent| &figure.names[parent]),
                "role": role.map(|role| role.to_string()),
                "confidence": figure.roles.confidence[index],
                "reason": role.map(|_| figure.roles.reasons[index].to_string()),
            })
        };
        let entry = |index: usize| {
            let found = self.map.matches[index];
            let from = match found.map(|found| found.origin) {
                None => Value::Null,
                Some(Origin::Joint(from)) => json!(figure.names[from]),
                Some(Origin::Between(a, b, share)) => json!([figure.names[a], figure.names[b], share]),
            };
            json!({
                "joint": self.target.names[index],
                "from": from,
                "confidence": found.map(|found| found.confidence),
                "reason": found.map(|found| found.reason.to_string()),
            })
        };
        let names = |figure: &Figure, joints: &[usize]| -> Vec<String> {
            joints.iter().map(|&joint| figure.names[joint].clone()).collect()
        };
        let contact = |foot: &FootContacts| {
            let bits =
                |states: &[bool]| -> String { states.iter().map(|&on| if on { '1' } else { '0' }).collect() };
            json!({ "foot": foot_name(foot, figure.is_quadruped()), "heel": bits(&foot.heel), "ball": bits(&foot.ball) })
        };
        json!({
            "file": self.file.to_string_lossy(),
            "kind": "motion",
            "frames": motion.number(motion.frames),
            "fps": 1.0 / motion.frame_seconds,
            "seconds": motion.seconds(),
            "convention": figure.roles.convention,
            "joints": (0..figure.names.len()).map(joint).collect::<Vec<_>>(),
            "confidence": figure.roles.mean_confidence(),
            "up": source.up.to_string(),
            "unit": { "name": unit, "meters": meters },
            "height_in_file": source.height(),
            "reference": { "pose": source.kind.to_string(), "score": source.score },
            "rest_frame": motion.rest.is_some(),
            "mirrored": source.is_mirrored,
            "meters_per_second": self.speed(),
            "treadmill_meters_per_second": self.ground_speed,
            "loops": self.loops(),
            "contacts": self.contacts.iter().map(contact).collect::<Vec<_>>(),
            "map": {
                "skeleton": self.skeleton.name,
                "confidence": self.map.confidence(),
                "joints": (0..self.target.names.len()).filter(|&joint| !self.target.is_end[joint]).map(entry).collect::<Vec<_>>(),
                "unmatched_joints": names(&self.target, &self.map.unmatched_targets),
                "unused_joints": names(figure, &self.map.unmatched_sources),
            },
            "warnings": self.warnings.iter().map(|w| json!({ "code": w.code(), "text": w.to_string() })).collect::<Vec<_>>(),
        })
    }

    fn frames(&self) -> String {
        let motion = &self.motion;
        let rate = digits(1.0 / motion.frame_seconds);
        let rest = if motion.rest.is_some() { ", the first is a rest pose and no motion" } else { "" };
        format!("{} at {rate} a second = {} s{rest}", motion.number(motion.frames), digits(motion.seconds()))
    }

    fn joint_count(&self) -> String {
        let ends = self.motion.joints.iter().filter(|joint| joint.is_end).count();
        format!("{} and {}", self.motion.joints.len() - ends, counted(ends, "end site"))
    }

    /// What most roles come from.
    fn basis(&self) -> String {
        let roles = &self.source.figure.roles;
        let reasons = roles
            .reasons
            .iter()
            .zip(&roles.roles)
            .filter(|(_, role)| role.is_some())
            .map(|(reason, _)| *reason);
        let is_by_name =
            reasons.clone().filter(|&reason| reason == crate::skeleton::roles::Reason::Name).count() * 2
                > reasons.count();
        if is_by_name { "roles by name".into() } else { "roles by shape".into() }
    }

    fn loops(&self) -> bool {
        loops(&self.motion, &self.source.up.vector())
    }

    /// Metres a second along the floor.
    fn speed(&self) -> f64 {
        let steps = self.motion.frames.saturating_sub(1);
        if steps == 0 {
            return 0.0;
        }
        // Many skeletons have a root that stays behind.
        let hips = self.source.figure.find(Role::Hips).unwrap_or(0);
        let at = |frame: usize| self.source.figure_from_file * self.motion.pose(frame).positions[hips];
        let way = at(self.motion.frames - 1) - at(0);
        way.xz().norm() * self.source.unit().1 / (steps as f64 * self.motion.frame_seconds)
    }

    fn speed_text(&self) -> String {
        let rounded = |speed: f64| digits((speed * 100.0).round() / 100.0);
        match self.ground_speed {
            Some(speed) => format!("in place, as on a treadmill that runs at {} m/s", rounded(speed)),
            None => format!("{} m/s from the first to the last frame", rounded(self.speed())),
        }
    }

    fn map_text(&self) -> String {
        let all = self.target.is_end.iter().filter(|is_end| !**is_end).count();
        let moved = all - self.map.unmatched_targets.len();
        if moved == 0 {
            return format!(
                "{}: no joint; say which with --map, --save-map writes a file to begin with",
                self.skeleton.name
            );
        }
        let mut text = format!(
            "{}: {moved} of {all} joints, confidence {:.2}",
            self.skeleton.name,
            self.map.confidence()
        );
        if !self.map.unmatched_targets.is_empty() {
            let names: Vec<&str> =
                self.map.unmatched_targets.iter().map(|&joint| self.target.names[joint].as_str()).collect();
            let _ = write!(text, "; not moved: {}", names.join(", "));
        }
        if self.map.legs.is_empty() {
            text.push_str("; no leg is found, feet cannot be planted");
        }
        text
    }
}

fn target_skeleton(wanted: Option<&str>, is_quadruped: bool) -> Result<Skeleton> {
    let name = wanted.unwrap_or(if is_quadruped { "quadruped" } else { "human" });
    if let Some(file) = built_in().iter().find(|file| file.name == name) {
        return skeleton_file::read(file.text)
            .map_err(|fault| fault.problem)
            .with_context(|| format!("the built-in skeleton {name} is broken"));
    }
    if !Path::new(name).exists() {
        let names: Vec<&str> = built_in().iter().map(|file| file.name).collect();
        bail!("there is no skeleton '{name}', neither built in ({}) nor as a file", names.join(", "));
    }
    Ok(io::load_skeleton(Path::new(name))?.0)
}

fn foot_name(foot: &FootContacts, is_quadruped: bool) -> String {
    use crate::skeleton::naming::{Limb, Side};
    let side = if foot.leg.1 == Side::Left { "left" } else { "right" };
    match (foot.leg.0, is_quadruped) {
        (Limb::FrontLeg, _) => format!("front {side}"),
        (_, true) => format!("hind {side}"),
        _ => format!("{side} foot"),
    }
}

/// Planted frames as `#`, others as `.`; long motions are drawn together.
fn strip(foot: &FootContacts) -> String {
    let frames = foot.heel.len();
    let columns = frames.min(STRIP);
    (0..columns)
        .map(|column| {
            let range = column * frames / columns
                ..((column + 1) * frames / columns).max(column * frames / columns + 1);
            let planted = range.clone().filter(|&frame| foot.is_planted(frame)).count();
            if 2 * planted > range.len() { '#' } else { '.' }
        })
        .collect()
}
