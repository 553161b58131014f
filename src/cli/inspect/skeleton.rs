//! What is known about a character that has joints already.

use super::super::output::{Lines, counted};
use crate::io::RiggedFile;
use crate::pipeline::report::{JointInspection, SkeletonInspection};
use crate::retarget::{figure_of, human_bones, with_soles};
use crate::rig::Rig;
use crate::skeleton::Figure;

/// What is known about the joints of a file.
pub struct SkeletonFinding {
    rig: Rig,
    figure: Figure,
    /// Vertices that hang on the joints.
    vertices: usize,
    animations: Vec<String>,
}

impl SkeletonFinding {
    pub fn new(file: RiggedFile) -> SkeletonFinding {
        let RiggedFile { rig, surface, character, .. } = file;
        let vertices = surface.iter().map(|(place, weights)| (*place, weights.iter().copied()));
        let rig = if surface.is_empty() { rig } else { with_soles(rig, vertices) };
        let animations = character.animation_names();
        SkeletonFinding { figure: figure_of(&rig), rig, vertices: surface.len(), animations }
    }

    pub fn add_lines(&self, lines: &mut Lines) {
        let roles = &self.figure.roles;
        let (joints, soles) = (self.rig.joints.len(), self.rig.soles.len());
        let (joints, soles) = (counted(joints, "joint"), counted(soles, "sole"));
        lines.add("skeleton", format_args!("{joints}, {}, {soles}", self.kind()));
        let names = roles.convention.unwrap_or("no convention that is known");
        lines.add("names", format_args!("{names}, confidence {:.2}", roles.mean_confidence()));
        if self.vertices > 0 {
            lines.add("skin", format_args!("{} vertices hang on it", self.vertices));
        }
        if !self.animations.is_empty() {
            lines.add("animations", self.animations.join(", "));
        }
    }

    /// Adds the joints as a tree, with what they are.
    pub fn add_tree(&self, lines: &mut Lines) {
        add_tree(&self.figure, lines);
    }

    pub fn inspection(&self) -> SkeletonInspection {
        let joints = 0..self.rig.joints.len();
        SkeletonInspection {
            joints: joints.map(|joint| joint_inspection(&self.figure, joint)).collect(),
            kind: self.kind(),
            convention: self.figure.roles.convention,
            confidence: self.figure.roles.mean_confidence(),
            soles: self.rig.soles.len(),
            animations: self.animations.clone(),
        }
    }

    fn kind(&self) -> String {
        if self.figure.is_quadruped() {
            return "an animal on four legs".into();
        }
        match human_bones(&self.rig) {
            Ok(_) => "a person".into(),
            Err(lack) => format!("no whole person (without {})", lack.missing.join(", ")),
        }
    }
}

/// A joint of a figure, and what it is.
pub fn joint_inspection(figure: &Figure, joint: usize) -> JointInspection {
    JointInspection {
        name: figure.names[joint].clone(),
        parent: figure.parents[joint].map(|parent| figure.names[parent].clone()),
        role: figure.roles.roles[joint].map(|role| role.to_string()),
        confidence: figure.roles.confidence[joint],
    }
}

/// Adds the joints of a figure as a tree, with what they are and why.
pub fn add_tree(figure: &Figure, lines: &mut Lines) {
    lines.add_text("  joints and their roles\n");
    let mut depth = vec![0usize; figure.names.len()];
    for joint in 0..figure.names.len() {
        depth[joint] = figure.parents[joint].map_or(0, |parent| depth[parent] + 1);
        // End sites say nothing that their joint does not.
        if figure.is_end[joint] {
            continue;
        }
        // Trees as deep as a file is long are not indented for ever.
        let indent = "  ".repeat(depth[joint].min(24));
        let name = format!("    {indent}{}", figure.names[joint]);
        let (confidence, reason) = (figure.roles.confidence[joint], figure.roles.reasons[joint]);
        lines.add_text(&match figure.roles.roles[joint] {
            None => format!("{name}\n"),
            Some(role) => format!("{name:<44} {:<20} {confidence:.2} by {reason}\n", role.to_string()),
        });
    }
}
