//! What is known about a character that has joints already.

use super::counted;
use crate::io::RiggedFile;
use crate::retarget::{figure_of, human_bones, with_soles};
use crate::rig::Rig;
use crate::skeleton::Figure;
use serde_json::{Value, json};
use std::fmt::Write;

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

    /// Lines with a heading each.
    pub fn lines(&self) -> Vec<(&'static str, String)> {
        let roles = &self.figure.roles;
        let names = roles.convention.unwrap_or("no convention that is known");
        let mut lines = vec![
            (
                "skeleton",
                format!(
                    "{}, {}, {}",
                    counted(self.rig.joints.len(), "joint"),
                    self.kind(),
                    counted(self.rig.soles.len(), "sole")
                ),
            ),
            ("names", format!("{names}, confidence {:.2}", roles.mean_confidence())),
        ];
        if self.vertices > 0 {
            lines.push(("skin", format!("{} vertices hang on it", self.vertices)));
        }
        if !self.animations.is_empty() {
            lines.push(("animations", self.animations.join(", ")));
        }
        lines
    }

    pub fn text(&self) -> String {
        let lines = self.lines().into_iter().map(|(heading, content)| format!("  {heading:<14}{content}\n"));
        lines.chain([self.tree()]).collect()
    }

    /// The joints as a tree, with what they are.
    pub fn tree(&self) -> String {
        let mut text = String::from("  joints and their roles\n");
        write_tree(&self.figure, &mut text);
        text
    }

    pub fn json(&self) -> Value {
        let figure = &self.figure;
        let joint = |index: usize| {
            json!({
                "name": figure.names[index],
                "parent": figure.parents[index].map(|parent| &figure.names[parent]),
                "role": figure.roles.roles[index].map(|role| role.to_string()),
                "confidence": figure.roles.confidence[index],
            })
        };
        json!({
            "joints": (0..self.rig.joints.len()).map(joint).collect::<Vec<_>>(),
            "kind": self.kind(),
            "convention": figure.roles.convention,
            "confidence": figure.roles.mean_confidence(),
            "soles": self.rig.soles.len(),
            "animations": self.animations,
        })
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

/// The joints of a figure as a tree, with what they are and why.
pub fn write_tree(figure: &Figure, text: &mut String) {
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
        let _ = match figure.roles.roles[joint] {
            None => writeln!(text, "{name}"),
            Some(role) => writeln!(
                text,
                "{name:<44} {:<20} {:.2} by {}",
                role.to_string(),
                figure.roles.confidence[joint],
                figure.roles.reasons[joint]
            ),
        };
    }
}
