//! Libraries of body parts: made of finished characters, tried on these, and used on a character that heat has bound.

use super::progress::begin;
use super::rig::{Jointed, RigOptions, place_joints};
use super::{Error, Progress};
use crate::Warning;
use crate::bodyparts::{
    Assembly, AssemblyOptions, BodyPartLibrary, FinishedCharacter, HeatBound, JointOrigin, PartGiver,
    PartReport, RiggedSurface, SHARES, SelfTest, Slot, assemble,
};
use crate::io::SourceFile;
use crate::math::{Axis, Vec3};
use crate::mesh::Mesh;
use crate::retarget::figure_of;
use crate::rig::{BindPose, MaxInfluences, Rig, SkinWeights};
use crate::skeleton::naming::{Limb, Role, Segment, Side};
use crate::skin::vertex_areas;
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::mem;
use std::path::{Path, PathBuf};

/// What becomes of joints that a library has and the skeleton has not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ExtraJoints {
    /// Joints that only the library has, as fingers and skirts, come along.
    #[default]
    All,
    /// The character keeps its own; the weights of others are added to those.
    Roles,
}

/// Makes a library of characters that somebody rigged, and tries it on them.
///
/// # Errors
/// If a file cannot be read, is no character with a skin, lacks joints that a body has, or two have one name.
pub fn build_body_parts(
    name: &str,
    files: &[PathBuf],
    progress: &dyn Progress,
) -> Result<BodyPartLibrary, Error> {
    let read = files.par_iter().map(|file| finished_character(file));
    let mut characters = read.collect::<Result<Vec<FinishedCharacter>, Error>>()?;
    characters.sort_by(|a, b| a.name.cmp(&b.name));
    if let Some(pair) = characters.windows(2).find(|pair| pair[0].name == pair[1].name) {
        let reason = format!("there are two characters '{}'; rename one of the files", pair[0].name);
        return Err(Error::BodyParts { reason });
    }
    let mut library = BodyPartLibrary { name: name.to_owned(), characters, self_test: None };
    library.self_test = self_test(&library, progress)?;
    Ok(library)
}

/// A character of a file with joints and a skin. It has the name of the file up to the first dot.
///
/// # Errors
/// If it cannot be read or is none.
pub fn finished_character(file: &Path) -> Result<FinishedCharacter, Error> {
    let unusable = |reason: String| Error::BodyParts {
        reason: format!("'{}' cannot be taken into a library: {reason}", file.display()),
    };
    let (rigged, _) = SourceFile::open(file)?.rigged(None)?;
    let bound = rigged.character.bound_mesh().map_err(|fault| unusable(fault.problem.to_string()))?;
    let figure = figure_of(&bound.rig);
    let surface = RiggedSurface {
        rig: &bound.rig,
        figure: &figure,
        positions: &bound.mesh.positions,
        triangles: &bound.mesh.triangles,
        weights: &bound.weights,
    };
    let stem = file.file_stem().unwrap_or_default().to_string_lossy();
    let name = stem.split('.').next().unwrap_or_default();
    FinishedCharacter::of(name, &surface).map_err(|error| unusable(error.to_string()))
}

/// Rigs every character of a library by the others, with its own joints. `None` for fewer than two, and where joints do not fit.
fn self_test(library: &BodyPartLibrary, progress: &dyn Progress) -> Result<Option<SelfTest>, Error> {
    if library.characters.len() < 2 {
        return Ok(None);
    }
    let (mut differences, mut tried) = ([0.0; SHARES.len()], 0.0);
    for own in 0..library.characters.len() {
        begin(progress, "self-test", own as f64 / library.characters.len() as f64)?;
        let Some(of_own) = self_difference(library, own, progress)? else { continue };
        differences.iter_mut().zip(of_own).for_each(|(sum, difference)| *sum += difference);
        tried += 1.0;
    }
    Ok((tried > 0.0).then(|| SelfTest { differences: differences.map(|sum| sum / tried) }))
}

/// How far a character that the others rig is from its own weights, with each share.
fn self_difference(
    library: &BodyPartLibrary,
    own: usize,
    progress: &dyn Progress,
) -> Result<Option<[f64; SHARES.len()]>, Error> {
    let character = &library.characters[own];
    let others = library.characters.iter().filter(|other| other.name != character.name).cloned();
    let others = BodyPartLibrary { name: String::new(), characters: others.collect(), self_test: None };
    let mesh = Mesh::of_arrays(character.vertices(), character.triangles.clone());
    let Ok(mesh) = mesh else { return Ok(None) };
    let mut options = RigOptions { one_character: true, ..RigOptions::default() };
    options.prepare.orientation.up = Some(Axis::PosY);
    options.prepare.orientation.front = Some(Axis::PosZ);
    options.joints = Some(named_joints(character, &options));
    let jointed = match place_joints(&mesh, &options, progress) {
        Err(Error::Cancelled) => return Err(Error::Cancelled),
        Err(_) => return Ok(None),
        Ok(jointed) => jointed,
    };
    let (heat, rigid_pieces) = jointed.heat(&options);
    let bind_pose = jointed.bind_pose();
    let differences = SHARES.map(|share| {
        let choice = AssemblyOptions {
            givers: BTreeMap::new(),
            extra_joints: false,
            share: Some(share),
            max_influences: options.max_influences,
        };
        let assembly = jointed.assemble(&others, &bind_pose, (&heat, &rigid_pieces), &choice);
        let weights = assembly.as_ref().map_or(&heat, |assembly| &assembly.weights);
        jointed.difference(character, &bind_pose, weights)
    });
    Ok(Some(differences))
}

/// Joints of a skeleton of ours, where the character has those with their roles.
fn named_joints(character: &FinishedCharacter, options: &RigOptions) -> Vec<(String, Vec3)> {
    let rests = character.rests();
    let place = |role: Role| {
        let joint = character.joints.iter().position(|joint| joint.role == Some(role))?;
        Some(rests[joint].translation.vector)
    };
    let is_animal = place(Role::Limb(Limb::FrontLeg, Side::Left, Segment::Upper)).is_some();
    let skeleton = options.skeletons.iter().find(|s| (s.name != "human") == is_animal);
    let joints = skeleton.into_iter().flat_map(|skeleton| skeleton.joints.iter());
    let mut named = Vec::new();
    for joint in joints.filter(|joint| !joint.is_tip) {
        let Some(role) = joint.role.filter(|role| !matches!(role, Role::Spine | Role::Neck | Role::Tail))
        else {
            continue;
        };
        named.extend(place(role).map(|place| (joint.name.clone(), place)));
    }
    named
}

/// Who gives which part, as a person says it: pairs of a part and the name of a character, `heat` or `auto`.
///
/// # Errors
/// If there is no such part or character.
pub(super) fn givers(
    library: &BodyPartLibrary,
    chosen: &[(String, String)],
) -> Result<BTreeMap<Slot, PartGiver>, Error> {
    let mut givers = BTreeMap::new();
    for (part, name) in chosen {
        let slots = Slot::named(part);
        if slots.is_empty() {
            let reason = format!(
                "there is no part '{part}'; parts are trunk, head, tail, left-arm, arms, left-leg, legs, left-front-leg, and so on"
            );
            return Err(Error::BodyParts { reason });
        }
        let found = library.characters.iter().position(|character| character.name == *name);
        let giver = match (name.as_str(), found) {
            (_, Some(character)) => PartGiver::Character(character),
            ("heat", None) => PartGiver::Heat,
            ("auto", None) => continue,
            (_, None) => {
                let names: Vec<&str> = library.characters.iter().map(|c| c.name.as_str()).collect();
                let reason = format!(
                    "the library '{}' has no character '{name}'; it has {}, and there are heat and auto",
                    library.name,
                    names.join(", ")
                );
                return Err(Error::BodyParts { reason });
            }
        };
        givers.extend(slots.into_iter().map(|slot| (slot, giver)));
    }
    Ok(givers)
}

impl Jointed {
    /// What a library makes of the character that heat has bound. `None` where nothing fits.
    pub(super) fn assemble(
        &self,
        library: &BodyPartLibrary,
        bind_pose: &BindPose,
        (heat, rigid_pieces): (&SkinWeights, &[Option<u32>]),
        options: &AssemblyOptions,
    ) -> Option<Assembly> {
        let positions = self.positions();
        let roles = self.exported_roles(bind_pose);
        let origin = if self.joints.found().is_some() { JointOrigin::Found } else { JointOrigin::Given };
        let is_held = self.attached_vertices();
        let target = HeatBound {
            joints: &bind_pose.joints,
            roles: &roles,
            origin,
            positions: &positions,
            triangles: &self.prepared.triangles,
            weights: heat,
            is_held: &is_held,
            rigid_pieces,
        };
        assemble(&target, library, options)
    }

    /// What each exported joint is.
    fn exported_roles(&self, bind_pose: &BindPose) -> Vec<Option<Role>> {
        let mut roles = vec![None; bind_pose.joints.len()];
        let joints = self.joints.skeleton().joints.iter().zip(&bind_pose.exported);
        for (joint, &exported) in joints.filter(|(joint, _)| !joint.is_tip) {
            roles[usize::from(exported)] = joint.role;
        }
        roles
    }

    /// Mean difference of weights from those of a finished character with the same surface, by the joints with single roles, over the surface.
    fn difference(&self, character: &FinishedCharacter, bind_pose: &BindPose, weights: &SkinWeights) -> f64 {
        let segments = |parents: &[Option<usize>], roles: &[Option<Role>]| {
            let mut segments: Vec<Option<Role>> = Vec::with_capacity(roles.len());
            for (joint, role) in roles.iter().enumerate() {
                let above = parents[joint].and_then(|parent| segments[parent]);
                segments.push(role.and_then(compared).or(above));
            }
            segments
        };
        let own_roles: Vec<Option<Role>> = character.joints.iter().map(|joint| joint.role).collect();
        let theirs = segments(&character.joints.parents(), &own_roles);
        let parents: Vec<Option<usize>> = bind_pose.joints.iter().map(|joint| joint.parent).collect();
        let ours = segments(&parents, &self.exported_roles(bind_pose));
        let areas = vertex_areas(&self.prepared.positions, &self.prepared.triangles);
        let mut is_seen = vec![false; areas.len()];
        let (mut sum, mut total) = (0.0, 0.0);
        for (vertex, &welded) in self.prepared.welded.iter().enumerate() {
            let welded = welded as usize;
            if vertex >= character.weights.vertices() || mem::replace(&mut is_seen[welded], true) {
                continue;
            }
            let mut by_segment: BTreeMap<Option<Role>, f64> = BTreeMap::new();
            let own = character.weights.of(vertex);
            own.for_each(|(joint, weight)| *by_segment.entry(theirs[joint]).or_default() += weight);
            let given = weights.of(welded);
            given.for_each(|(joint, weight)| *by_segment.entry(ours[joint]).or_default() -= weight);
            let difference = by_segment.values().fold(0.0, |sum, difference| sum + difference.abs());
            (sum, total) = (sum + areas[welded] * difference, total + areas[welded]);
        }
        sum / f64::max(total, f64::MIN_POSITIVE)
    }
}

/// The segment of a role: hips, back and collar bones are one trunk, on which rigs divide their weight at will.
fn compared(role: Role) -> Option<Role> {
    Some(match role {
        Role::Spine | Role::Limb(_, _, Segment::Girdle) => Role::Hips,
        Role::HeadTip => Role::Head,
        Role::Limb(limb, side, Segment::Toes | Segment::Tip) => Role::Limb(limb, side, Segment::End),
        Role::Finger(side, ..) => Role::Limb(Limb::Arm, side, Segment::End),
        role => role,
    })
}

/// Adds the joints of an assembly behind those of a rig; returns its weights by them.
pub(super) fn add_joints(rig: &mut Rig, assembly: &Assembly, base: usize) -> SkinWeights {
    let behind = rig.joints.len() - base;
    let shifted = |joint: usize| if joint < base { joint } else { joint + behind };
    for extra in &assembly.extra {
        let mut joint = extra.joint.clone();
        joint.parent = joint.parent.map(shifted);
        while rig.joints.find(&joint.name).is_some() {
            joint.name.push('_');
        }
        rig.joints.push(joint);
    }
    let indices: Vec<u16> = (0..base + assembly.extra.len()).map(|joint| shifted(joint) as u16).collect();
    assembly.weights.remapped(&indices)
}

/// The weights of an assembly by the joints of the character alone.
pub(super) fn own_weights(assembly: &Assembly, base: usize) -> SkinWeights {
    let merged = |vertex: usize| {
        let mut list: BTreeMap<u16, f64> = BTreeMap::new();
        for (joint, weight) in assembly.weights.of(vertex) {
            let own = if joint < base { joint } else { assembly.extra[joint - base].base };
            *list.entry(own as u16).or_default() += weight;
        }
        list.into_iter().collect()
    };
    let is_four = assembly.weights.slots() == MaxInfluences::Four.count();
    let max = if is_four { MaxInfluences::Four } else { MaxInfluences::Eight };
    SkinWeights::of_lists(max, (0..assembly.weights.vertices()).map(merged))
}

/// What a person should know about the parts that were used.
pub(super) fn doubts(
    library: &BodyPartLibrary,
    assembly: Option<&Assembly>,
    givers: &BTreeMap<Slot, PartGiver>,
) -> Vec<Warning> {
    let Some(assembly) = assembly else { return vec![Warning::NoPartFits { library: library.name.clone() }] };
    let share = library.self_test.map_or(1.0, |test| test.best_share());
    let disagree = (share < 1.0)
        .then(|| Warning::PartsDisagree { library: library.name.clone(), percent: PERCENT * share });
    // What a person chose needs no warning.
    let is_doubtful = |part: &&PartReport| {
        part.confidence < DOUBTFUL_PART && share > 0.0 && !givers.contains_key(&part.slot)
    };
    let doubtful = assembly.parts.iter().filter(is_doubtful);
    let doubtful = doubtful.map(|part| Warning::DoubtfulPart {
        part: part.slot.to_string(),
        source: part.source.clone(),
        confidence: part.confidence,
    });
    disagree.into_iter().chain(doubtful).collect()
}

/// Shares are told in percent.
const PERCENT: f64 = 100.0;
/// A part that is less sure should be looked at: half of its surface is heat's.
const DOUBTFUL_PART: f64 = 0.5;
