//! What is known about a motion file.

use super::super::output::{Lines, counted};
use super::super::rig_args::load_skeleton;
use super::mesh::digits;
use super::skeleton::{add_tree, joint_inspection};
use crate::Warning;
use crate::io::map_file;
use crate::math::Axis;
use crate::motion::{Motion, loops, with_path};
use crate::pipeline::Finding;
use crate::pipeline::report::{
    FootInspection, JointMapInspection, MappedJoint, MappedSource, MotionInspection, MotionJointInspection,
    ReferenceInspection, UnitInspection,
};
use crate::retarget::contacts::{ContactOptions, FootContacts, detect};
use crate::retarget::joint_map::RotationSource;
use crate::retarget::{JointMap, Source, SourceOptions, in_place_velocity, map_joints};
use crate::skeleton::naming::Role;
use crate::skeleton::roles::Reason;
use crate::skeleton::{Figure, Skeleton};
use anyhow::{Context, Result};
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
        let default = if source.figure.is_quadruped() { "quadruped" } else { "human" };
        let skeleton = load_skeleton(options.skeleton.unwrap_or(default), &[])?;
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

    pub fn lines(&self) -> Lines {
        let source = &self.source;
        let roles = &source.figure.roles;
        let mut lines = Lines::about(self.file.display());
        lines.add("frames", self.frames());
        let (joints, confidence) = (self.joint_count(), roles.mean_confidence());
        lines.add(
            "joints",
            format_args!("{joints}, {} with a role, confidence {confidence:.2}", roles.count()),
        );
        lines.add("names", self.names());
        lines.add("up", source.up);
        let (unit, meters) = source.unit();
        let (height, in_meters) = (digits(source.height()), digits(source.height() * meters));
        lines.add("unit", format_args!("{unit}, it seems: {height} high = {in_meters} m"));
        let (pose, percent) = (source.kind, 100.0 * source.score);
        lines.add("at rest", format_args!("{pose}, {percent:.0} % like a character that stands"));
        lines.add("speed", self.speed_text());
        lines.add("loops", if self.loops() { "yes" } else { "no" });
        lines.add("maps to", self.map_text());
        if source.is_mirrored {
            lines.add("mirrored", "left and right are named against the direction of the feet");
        }
        for foot in &self.contacts {
            lines.add(&foot_name(foot, &source.figure), strip(foot));
        }
        add_tree(&source.figure, &mut lines);
        lines
    }

    /// The convention of the joint names, and what most roles come from.
    fn names(&self) -> String {
        let roles = &self.source.figure.roles;
        let by_name = |(role, reason): &(&Option<Role>, &Reason)| role.is_some() && **reason == Reason::Name;
        let by_name = roles.roles.iter().zip(&roles.reasons).filter(by_name).count();
        let basis = if 2 * by_name > roles.count() { "roles by name" } else { "roles by shape" };
        match roles.convention {
            _ if roles.count() == 0 => "neither they nor the shape say what the joints are".into(),
            None => format!("no convention that is known ({basis})"),
            Some(convention) => format!("{convention} ({basis})"),
        }
    }

    pub fn inspection(&self) -> MotionInspection {
        let (motion, source) = (&self.motion, &self.source);
        let figure = &source.figure;
        let (unit, meters) = source.unit();
        let joint = |joint: usize| MotionJointInspection {
            joint: joint_inspection(figure, joint),
            reason: figure.roles.roles[joint].map(|_| figure.roles.reasons[joint].to_string()),
        };
        let contact = |foot: &FootContacts| FootInspection {
            foot: foot_name(foot, figure),
            heel: digit_for_each(&foot.heel),
            ball: digit_for_each(&foot.ball),
        };
        MotionInspection {
            file: self.file.to_string_lossy().into_owned(),
            kind: "motion",
            frames: motion.number(motion.frames),
            fps: 1.0 / motion.frame_seconds,
            seconds: motion.seconds(),
            convention: figure.roles.convention,
            joints: (0..figure.names.len()).map(joint).collect(),
            confidence: figure.roles.mean_confidence(),
            up: source.up.to_string(),
            unit: UnitInspection { name: unit, meters },
            height_in_file: source.height(),
            reference: ReferenceInspection { pose: source.kind.to_string(), score: source.score },
            rest_frame: motion.rest.is_some(),
            mirrored: source.is_mirrored,
            meters_per_second: self.speed(),
            treadmill_meters_per_second: self.ground_speed,
            loops: self.loops(),
            contacts: self.contacts.iter().map(contact).collect(),
            map: self.map_inspection(),
            warnings: self.warnings.iter().map(Finding::from).collect(),
        }
    }

    fn map_inspection(&self) -> JointMapInspection {
        let (source, target) = (&self.source.figure, &self.target);
        let entry = |joint: usize| {
            let found = self.map.matches[joint];
            let from = found.map(|found| match found.origin {
                RotationSource::Joint(from) => MappedSource::Joint(source.names[from].clone()),
                RotationSource::Between(a, b, share) => {
                    MappedSource::Between(source.names[a].clone(), source.names[b].clone(), share)
                }
            });
            MappedJoint {
                joint: target.names[joint].clone(),
                from,
                confidence: found.map(|found| found.confidence),
                reason: found.map(|found| found.reason.to_string()),
            }
        };
        JointMapInspection {
            skeleton: self.skeleton.name.clone(),
            confidence: self.map.confidence(),
            joints: (0..target.names.len()).filter(|&joint| !target.is_end[joint]).map(entry).collect(),
            unmatched_joints: names(target, &self.map.unmatched_targets),
            unused_joints: names(source, &self.map.unmatched_sources),
        }
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
        let path = at(self.motion.frames - 1) - at(0);
        path.xz().norm() * self.source.unit().1 / (steps as f64 * self.motion.frame_seconds)
    }

    fn speed_text(&self) -> String {
        let rounded = |speed: f64| digits((speed * 100.0).round() / 100.0);
        let leg = self.source.figure.leg_length() * self.source.unit().1;
        let both = |speed: f64| {
            let legs = if leg > 0.0 { speed / leg } else { 0.0 };
            format!("{} m/s ({legs:.1} legs/s)", rounded(speed))
        };
        match self.ground_speed {
            Some(speed) => format!("in place, as on a treadmill that runs at {}", both(speed)),
            None => format!("{} from the first to the last frame", both(self.speed())),
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
            let names = names(&self.target, &self.map.unmatched_targets);
            let _ = write!(text, "; not moved: {}", names.join(", "));
        }
        if self.map.legs.is_empty() {
            text.push_str("; no leg is found, feet cannot be planted");
        }
        text
    }
}

fn foot_name(foot: &FootContacts, figure: &Figure) -> String {
    use crate::skeleton::naming::{Limb, Side};
    let side = if foot.leg.1 == Side::Left { "left" } else { "right" };
    match (foot.leg.0, figure.is_quadruped()) {
        (Limb::FrontLeg, _) => format!("front {side}"),
        (_, true) => format!("hind {side}"),
        _ => format!("{side} foot"),
    }
}

fn names(figure: &Figure, joints: &[usize]) -> Vec<String> {
    joints.iter().map(|&joint| figure.names[joint].clone()).collect()
}

/// A digit for each frame, 1 where it is planted.
fn digit_for_each(planted: &[bool]) -> String {
    planted.iter().map(|&planted| if planted { '1' } else { '0' }).collect()
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
