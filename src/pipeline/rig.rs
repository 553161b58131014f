//! From a mesh to a character: prepare, find the joints, segment, bind.

use super::bodyparts::{ExtraJoints, add_joints, doubts as part_doubts, givers, own_weights};
use super::burden::{Reading, without_burden};
use super::character::SkinnedMesh;
use super::examples::{ExampleOptions, LearnedSkin, Learning, findings};
use super::figure::{Attachment, Figure, piece_name};
use super::likeness::Likeness;
use super::progress::begin;
use super::{Character, Error, Joints, Laps, Progress};
use crate::Warning;
use crate::bodyparts::{Assembly, AssemblyOptions, BodyPartLibrary};
use crate::clip::SkinExtent;
use crate::embed::confidence::Evidence;
use crate::embed::landmarks::BodyPlan;
use crate::embed::{EmbedError, EmbedOptions, Embedding, NamedHint, Stages};
use crate::io::rig_file::RigFile;
use crate::io::{SkinBinding, pinocchio, rigged_character};
use crate::math::{Bounds, Similarity, Vec3, typed};
use crate::mesh::Mesh;
use crate::mesh::normals::{NormalOptions, Normals};
use crate::mesh::prepare::{PrepareOptions, PreparedMesh};
use crate::parts::parting::Parting;
use crate::parts::{PartsChoice, PartsKind, Segmentation};
use crate::retarget::{human_bones, with_soles};
use crate::rig::{
    BindPose, BoundVertex, HelperOptions, MaxInfluences, NameStyle, Rig, SkinWeights, bind_pose,
};
use crate::skeleton::manual_joints::ManualJointsError;
use crate::skeleton::{
    Joint, Posed, Skeleton, Sole, UnknownJoint, find_joint, find_soles, is_mirrored, posed, resolve_joint,
};
use crate::skin::helpers::{BoundLimbs, HelperPlan, LimbBone, limb_bones};
use crate::skin::poses::{TestPose, test_poses};
use crate::skin::quality::{Quality, measure};
use crate::skin::{Binder, ComponentKind, Skin, SkinOptions, SkinReport};
use std::sync::Arc;

/// Choices of [`rig`].
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct RigOptions {
    /// The candidate skeletons; the shape of the body decides between them.
    pub skeletons: Vec<Skeleton>,
    /// Whether one of them is embedded, or a skeleton made for the body.
    pub source: SkeletonSource,
    /// Joints whose position is roughly known, in the coordinates of the mesh.
    pub hints: Vec<NamedHint>,
    /// Joints with their positions, in the coordinates of the mesh: nothing is searched then.
    pub joints: Option<Vec<(String, Vec3)>>,
    /// Whether separate pieces are rigid or bend.
    pub parts: PartsChoice,
    /// The mesh is one character, even if it looks like several.
    pub one_character: bool,
    /// A floor under the character and a case around it are parts of it.
    pub keep_floor: bool,
    /// Parts that move with a joint, such as a sword with a hand.
    pub attachments: Vec<Attachment>,
    /// The most joints that move a vertex.
    pub max_influences: MaxInfluences,
    /// Joints that follow others and keep the volume of limbs.
    pub helpers: HelperOptions,
    /// The surface in other poses, from which weights are learned.
    pub examples: ExampleOptions,
    /// Finished characters by whose parts it is rigged, where they fit.
    pub body_parts: Option<Arc<BodyPartLibrary>>,
    /// Who of those gives which part: pairs of a part (`head`, `left-arm`, `legs`) and a name, `heat` or `auto`.
    pub part_givers: Vec<(String, String)>,
    /// Whether joints that only those have come along.
    pub extra_joints: ExtraJoints,
    /// Naming convention of the joints.
    pub names: NameStyle,
    /// Pose of the joints in the document.
    pub rest: RestPose,
    /// Normals of the surface in the document.
    pub normals: NormalOptions,
    /// Size and orientation.
    pub prepare: PrepareOptions,
    /// How joints are found.
    pub embed: EmbedOptions,
}

impl Default for RigOptions {
    fn default() -> RigOptions {
        RigOptions {
            skeletons: vec![Skeleton::human(), Skeleton::quadruped(), Skeleton::horse()],
            source: SkeletonSource::default(),
            hints: Vec::new(),
            joints: None,
            parts: PartsChoice::default(),
            one_character: false,
            keep_floor: false,
            attachments: Vec::new(),
            max_influences: MaxInfluences::default(),
            helpers: HelperOptions::default(),
            examples: ExampleOptions::default(),
            body_parts: None,
            part_givers: Vec::new(),
            extra_joints: ExtraJoints::default(),
            names: NameStyle::default(),
            rest: RestPose::default(),
            normals: NormalOptions::default(),
            prepare: PrepareOptions::default(),
            embed: EmbedOptions::default(),
        }
    }
}

/// Where the skeleton of a character comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SkeletonSource {
    /// The candidate that fits is embedded.
    #[default]
    Template,
    /// It is made of the limbs that the shape shows, however many there are.
    Shape,
}

/// Pose of the joints in a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum RestPose {
    /// As the mesh was made.
    #[default]
    Bind,
    /// With level arms and straight legs, as VRM and some engines want it; the skin stays bound as it is.
    TPose,
}

/// A mesh with joints in it, before it is bound.
pub struct Jointed {
    /// The mesh as it is bound, if that is another: without what stands around the character, with solids apart.
    pub mesh: Option<Box<Mesh>>,
    /// The mesh as a clean surface in the unit cube.
    pub prepared: PreparedMesh,
    /// Its joints there.
    pub joints: Joints,
    /// How its pieces move.
    pub parts: Segmentation,
    /// Joints with the welded vertices that were attached to them.
    attached: Vec<(usize, Vec<u32>)>,
    /// The height of the body in the unit cube, without what it holds.
    height: f64,
    /// The joints in the coordinates of the mesh, with confidences and soles.
    pub rig_file: RigFile,
    /// What a person should know.
    pub warnings: Vec<Warning>,
    /// The time that each part took.
    pub laps: Laps,
}

/// A mesh that became a character.
pub struct Rigged {
    /// The character.
    pub character: Character,
    /// How its joints were found.
    pub jointed: Jointed,
    /// For each welded vertex, by the joints of the bind pose.
    pub weights: SkinWeights,
    /// The same by the joints of the character, of which some follow others.
    pub shared_weights: SkinWeights,
    /// What binding found.
    pub skin: SkinReport,
    /// For each piece the joint that moves all of it, if it is rigid; empty where pieces were not looked at.
    pub movers: Vec<Option<usize>>,
    /// Pieces that touch at rest and come apart in the test poses.
    pub partings: Vec<Parting>,
    /// What examples did to the skin, if there were any.
    pub learned: Option<LearnedSkin>,
    /// The rig as the weights are of it, whatever roots the character gets later.
    bound: Rig,
    /// What a library of body parts made of it, if one was given and fits.
    pub assembly: Option<Assembly>,
}

/// Finds the joints of a mesh and binds it to them.
///
/// # Errors
/// If the mesh is no single solid body, no skeleton fits it, or what the options name does not exist.
pub fn rig(mesh: &Mesh, options: &RigOptions, progress: &dyn Progress) -> Result<Rigged, Error> {
    place_joints(mesh, options, progress)?.bind(mesh, options, progress)
}

/// Finds the joints of a mesh, or takes those that the options give.
///
/// # Errors
/// As [`rig`].
pub fn place_joints(mesh: &Mesh, options: &RigOptions, progress: &dyn Progress) -> Result<Jointed, Error> {
    let (mut warnings, mut laps) = (Vec::new(), Laps::start());
    begin(progress, "preparing", 0.2)?;
    let figure = Figure::of(mesh, options, &mut warnings)?;
    laps.lap("prepare");
    begin(progress, "finding the joints", 0.4)?;
    let find = |figure: &Figure| joints_of(figure, mesh, options);
    let whole = Reading { joints: find(&figure)?, figure, warnings };
    let Reading { figure, mut joints, mut warnings } = without_burden(whole, mesh, options, find);
    laps.lap(if joints.found().is_some() { "embed" } else { "field" });
    let attached = attached_joints(joints.skeleton(), &options.attachments)?;
    let body = figure.body();
    let attached = attached.into_iter().zip(figure.attached).collect();
    let Figure { mesh: changed, prepared, pieces, .. } = figure;
    let surface = body.as_ref().unwrap_or(&prepared).used_positions();
    let height = Bounds::of(&surface).extent().y;
    let parts = joints.segment(&prepared, pieces, options.parts, height)?;
    let rig_file = rig_file(&joints, &prepared, &surface);
    warnings.extend(large_accessories(changed.as_deref().unwrap_or(mesh), &prepared, &parts));
    laps.lap("parts");
    add_doubts(&rig_file, &joints, &mut warnings);
    if let Some((embedding, stages)) = joints.found() {
        // The limbs of a spider are in no pose, and where a hint bends an arm is what somebody meant.
        let is_told = options.hints.is_empty() && Likeness::of(stages, &embedding.skeleton).is_none();
        let pose =
            || posed(joints.skeleton(), joints.positions()).or_else(|| posed_by_a_route(embedding, stages));
        let found = is_told.then(pose).flatten();
        warnings.extend(found.map(|Posed { what, degrees }| Warning::Posed { what, degrees }));
        let far = stages.far_hints(&embedding.skeleton).into_iter();
        warnings.extend(far.map(|(joint, distance)| Warning::FarHint {
            joint: embedding.skeleton.joints[joint].name.clone(),
            percent: 100.0 * distance,
        }));
    }
    Ok(Jointed { mesh: changed, prepared, joints, parts, attached, height, rig_file, warnings, laps })
}

/// The joints of a figure: found in its solids, or those that the options give.
fn joints_of(figure: &Figure, mesh: &Mesh, options: &RigOptions) -> Result<Joints, Error> {
    let (shown, prepared) = (figure.mesh.as_deref().unwrap_or(mesh), &figure.prepared);
    let hints = placed_hints(&options.hints, shown, prepared, &options.skeletons)?;
    let solid = figure.solid();
    let solid = solid.as_ref().unwrap_or(prepared);
    let joints = match &options.joints {
        Some(joints) => {
            let joints = in_unit_cube(joints, shown, prepared)?;
            Joints::complete(prepared, solid, &options.skeletons, &joints)
        }
        None if options.source == SkeletonSource::Shape => Joints::free(prepared, solid, &hints),
        None => Joints::find(solid, &options.skeletons, &hints, &options.embed),
    };
    joints.map_err(|error| with_other_skeletons(error, &options.skeletons))
}

/// The pose in which one of the routes sees a body that is no mirror image of itself: their consensus is straighter than each.
/// Of 221 characters that stand in a T- or an A-pose four are none, and so is who lacks a limb.
fn posed_by_a_route(embedding: &Embedding, stages: &Stages) -> Option<Posed> {
    let skeleton = &embedding.skeleton;
    let is_asked = !embedding.symmetric && embedding.lacks.is_empty();
    let readings = if is_asked { stages.readings(skeleton) } else { Vec::new() };
    let is_used = |route| embedding.routes.iter().any(|used| used.route == route);
    let mut used = readings.iter().filter(|reading| is_used(reading.route)).map(|reading| &reading.positions);
    used.find_map(|positions| posed(skeleton, positions))
}

impl Jointed {
    /// Binds the mesh to its joints.
    ///
    /// # Errors
    /// If its document cannot take a skin.
    pub fn bind(self, given: &Mesh, options: &RigOptions, progress: &dyn Progress) -> Result<Rigged, Error> {
        begin(progress, "skinning", 0.6)?;
        let mut jointed = self;
        let (mut skin, movers) = jointed.bound(options);
        let rigid_pieces = jointed.rigid_pieces(&movers);
        if !movers.is_empty() {
            skin.forgive_solids(&movers);
        }
        let heat = skin.weights.remapped(&jointed.bind_pose().exported);
        let assembly = jointed.with_parts((&heat, &rigid_pieces), options)?;
        let bind_pose = jointed.bind_pose();
        let base = bind_pose.joints.len();
        let weights = assembly.as_ref().map_or(heat, |assembly| own_weights(assembly, base));
        let bones = limb_bones(jointed.joints.skeleton(), &bind_pose.exported);
        let (mut rig, mut surface) = jointed.rig(bind_pose, &weights);
        let plain: Vec<String> = rig.joints.iter().map(|joint| joint.name.clone()).collect();
        let style = rig.rename(options.names);
        let mut whole_weights = weights.clone();
        if let Some(assembly) = &assembly {
            whole_weights = add_joints(&mut rig, assembly, base);
            surface = jointed.surface(&whole_weights);
        }
        let body_extent = SkinExtent::of(&rig, &surface);
        let is_rigid = !movers.is_empty() && movers.iter().all(Option::is_some);
        let shared = (!is_rigid)
            .then(|| jointed.add_helpers(&mut rig, (&plain, style), &bones, &whole_weights, &options.helpers))
            .flatten();
        let has_examples = !options.examples.meshes.is_empty();
        if is_rigid && has_examples {
            return Err(Error::Examples { reason: RIGID_EXAMPLES.to_owned() });
        }
        let start = shared.as_ref().unwrap_or(&whole_weights);
        let learned = has_examples.then(|| jointed.learned(given, (&rig, start), options, progress));
        let learned = learned.transpose()?;
        let used = learned.as_ref().filter(|learned| learned.is_used).map(|learned| &learned.fit);
        let has_helpers = shared.is_some();
        let shared = used.map(|fit| fit.weights.clone()).or(shared);
        let weights = match used {
            Some(fit) if assembly.is_none() => fit.weights.folded(&rig.movers()),
            _ => weights,
        };
        let displacements =
            used.and_then(|fit| fit.positions.as_deref()).map(|fitted| jointed.displace(fitted));
        let displacements = displacements.unwrap_or_default();
        let (shared_weights, surface, extent) = match shared {
            Some(shared) => {
                let surface = jointed.surface(&shared);
                let extent = SkinExtent::of(&rig, &surface);
                let extent = if has_helpers { extent.with_distances_of(&body_extent) } else { extent };
                (shared, surface, extent)
            }
            None => (whole_weights, surface, body_extent),
        };
        let Jointed { prepared, joints, parts, .. } = &jointed;
        let mesh = jointed.mesh.as_deref().unwrap_or(given);
        let PreparedMesh { placement, welded, .. } = prepared;
        let rigging = SkinBinding {
            placement,
            joints: &rig.joints,
            weights: &shared_weights,
            welded,
            displacements: &displacements,
        };
        let mut document = rigged_character(mesh, &rigging)?;
        document.add_normals(&normals_of(options, &displacements))?;
        let is_t_pose = options.rest == RestPose::TPose;
        if let (true, Ok(bones)) = (is_t_pose, human_bones(&rig)) {
            document.set_pose(&rig, &rig.t_pose(&bones));
        }
        let skinned = Some(SkinnedMesh {
            mesh: displaced(mesh, &displacements, &placement.output_from_input),
            rig_from_mesh: placement.output_from_input,
            weights: shared_weights.gather(welded.iter().map(|&vertex| vertex as usize)),
        });
        let bound = rig.clone();
        let character = Character { rig, surface, document, is_t_pose, skinned, extent };
        let poses = test_poses(joints.skeleton(), joints.positions());
        let partings = parts
            .parts
            .as_ref()
            .map(|parts| parts.partings(&prepared.positions, &weights, &poses, jointed.height));
        let partings = partings.unwrap_or_default();
        let held = parts.held_together(&partings);
        let parted = (held < HELD).then(|| pieces_part(mesh, prepared, &partings));
        let is_placed = joints.found().is_none() && joints.made().is_none();
        if let Some(warning) = parted.filter(|_| !is_placed) {
            jointed.rig_file.confidence *= held;
            jointed.warnings.push(warning);
            // The joints are less certain than they were.
            jointed.warnings.retain(|warning| !matches!(warning, Warning::LowConfidence { .. }));
            let doubt = low_confidence(&jointed.rig_file, &jointed.joints);
            jointed.warnings.extend(doubt);
        }
        let bleeding = skin.report.bleeding;
        jointed
            .warnings
            .extend((bleeding > BLEEDING_SKIN).then_some(Warning::SkinBleeds { share: bleeding }));
        jointed.warnings.extend(options.examples.warnings.iter().cloned());
        jointed.warnings.extend(learned.iter().flat_map(findings));
        jointed.laps.lap("skin");
        Ok(Rigged {
            character,
            jointed,
            weights,
            shared_weights,
            skin: skin.report,
            movers,
            partings,
            learned,
            bound,
            assembly,
        })
    }

    /// What the examples of the options make of a skin.
    fn learned(
        &self,
        given: &Mesh,
        (rig, weights): (&Rig, &SkinWeights),
        options: &RigOptions,
        progress: &dyn Progress,
    ) -> Result<LearnedSkin, Error> {
        begin(progress, "learning from examples", LEARNING)?;
        let exported = &self.bind_pose().exported;
        let learning = Learning { given, rig, exported, weights, positions: &self.positions() };
        self.learn(&learning, &options.examples.meshes, options.examples.rest)
    }

    /// Heat weights by the joints of the skeleton, with what is attached held by its joint; and for each piece the joint that moves all of it.
    fn bound(&self, options: &RigOptions) -> (Skin, Vec<Option<usize>>) {
        let Jointed { prepared, joints, parts, attached, .. } = self;
        let skin_options = SkinOptions { max_influences: options.max_influences, ..SkinOptions::default() };
        let binder = Binder::new(prepared, joints.field());
        let (mut skin, mut movers) = parts.weights(prepared, |kinds| {
            binder.bind(joints.skeleton(), joints.positions(), kinds, &skin_options)
        });
        for (joint, vertices) in attached {
            vertices.iter().for_each(|&vertex| skin.weights.set_rigid(vertex as usize, *joint as u16));
            let pieces = parts.parts.iter().flat_map(|parts| &parts.pieces).zip(&mut movers);
            let attached =
                pieces.filter(|(piece, _)| piece.vertices.iter().all(|v| vertices.binary_search(v).is_ok()));
            attached.for_each(|(_, mover)| *mover = Some(*joint));
        }
        (skin, movers)
    }

    /// Heat weights by the exported joints, and for each vertex the piece that one joint moves, if it is of one.
    pub(super) fn heat(&self, options: &RigOptions) -> (SkinWeights, Vec<Option<u32>>) {
        let (skin, movers) = self.bound(options);
        (skin.weights.remapped(&self.bind_pose().exported), self.rigid_pieces(&movers))
    }

    fn rigid_pieces(&self, movers: &[Option<usize>]) -> Vec<Option<u32>> {
        let mut of_vertices = vec![None; self.prepared.positions.len()];
        let pieces = self.prepared.triangles.iter().zip(&self.prepared.topology.component_of_triangle);
        for (triangle, &piece) in pieces {
            if movers.get(piece as usize).is_some_and(Option::is_some) {
                triangle.iter().for_each(|&vertex| of_vertices[vertex as usize] = Some(piece));
            }
        }
        of_vertices
    }

    /// For each vertex whether somebody attached it to a joint.
    pub(super) fn attached_vertices(&self) -> Vec<bool> {
        let mut is_attached = vec![false; self.prepared.positions.len()];
        let attached = self.attached.iter().flat_map(|(_, vertices)| vertices);
        attached.for_each(|&vertex| is_attached[vertex as usize] = true);
        is_attached
    }

    /// What the library of the options makes of the character. Joints that were found move to where its parts have them.
    fn with_parts(
        &mut self,
        heat: (&SkinWeights, &[Option<u32>]),
        options: &RigOptions,
    ) -> Result<Option<Assembly>, Error> {
        let Some(library) = &options.body_parts else { return Ok(None) };
        let unfit = match self.parts.kind {
            PartsKind::Rigid => Some(RIGID_PARTS),
            _ => self.joints.made().map(|_| FREE_PARTS),
        };
        if let Some(reason) = unfit {
            return Err(Error::BodyParts { reason: reason.to_owned() });
        }
        let choice = AssemblyOptions {
            givers: givers(library, &options.part_givers)?,
            extra_joints: options.extra_joints == ExtraJoints::All,
            share: None,
            max_influences: options.max_influences,
        };
        let bind_pose = self.bind_pose();
        let assembly = self.assemble(library, &bind_pose, heat, &choice);
        self.warnings.extend(part_doubts(library, assembly.as_ref(), &choice.givers));
        let unit_from_output = self.output_from_unit().inverse();
        let joints = self.joints.skeleton().joints.iter().enumerate().filter(|(_, joint)| !joint.is_tip);
        let places = joints.filter_map(|(joint, _)| {
            let exported = usize::from(bind_pose.exported[joint]);
            let (_, place) = assembly.as_ref()?.moved.iter().find(|(moved, _)| *moved == exported)?;
            Some((joint, moved(&unit_from_output, place)))
        });
        let places: Vec<(usize, Vec3)> = places.collect();
        if !places.is_empty() {
            self.joints.correct(&places);
            self.rig_file = rig_file(&self.joints, &self.prepared, &self.prepared.used_positions());
        }
        Ok(assembly)
    }

    /// The joints, ends of bones and soles in the coordinates of the output; also the surface there, with its weights.
    fn rig(&self, bind_pose: BindPose, weights: &SkinWeights) -> (Rig, Vec<BoundVertex>) {
        let surface = self.surface(weights);
        let vertices = surface.iter().map(|(position, weights)| (*position, weights.iter().copied()));
        (with_soles(bind_pose.into_rig(), vertices), surface)
    }

    /// The surface in the coordinates of the output, with its weights.
    fn surface(&self, weights: &SkinWeights) -> Vec<BoundVertex> {
        let output_from_unit = self.output_from_unit();
        // Vertices that no triangle uses, such as those of a floor that was left out, have no say.
        let is_used = self.prepared.is_used();
        let positions = self.prepared.positions.iter().enumerate().filter(|(vertex, _)| is_used[*vertex]);
        positions
            .map(|(vertex, position)| (moved(&output_from_unit, position), weights.of(vertex).collect()))
            .collect()
    }

    /// Adds joints that follow others behind all joints of a rig, and returns the weights that they share; `None` if there are none.
    fn add_helpers(
        &self,
        rig: &mut Rig,
        (names, style): (&[String], NameStyle),
        bones: &[LimbBone],
        weights: &SkinWeights,
        options: &HelperOptions,
    ) -> Option<SkinWeights> {
        if *options == HelperOptions::NONE {
            return None;
        }
        let positions = self.positions();
        let limbs = BoundLimbs {
            joints: &rig.joints,
            names: (names, style),
            bones,
            positions: &positions,
            triangles: &self.prepared.triangles,
            pieces: &self.prepared.topology.component_of_triangle,
            weights,
        };
        let plan = HelperPlan::of(&limbs, options);
        let shared = (!plan.is_empty()).then(|| plan.split(&limbs));
        plan.joints.into_iter().for_each(|joint| {
            rig.joints.push(joint);
        });
        rig.helpers = plan.helpers;
        shared
    }

    /// All vertices in the coordinates of the output.
    pub(super) fn positions(&self) -> Vec<Vec3> {
        let output_from_unit = self.output_from_unit();
        self.prepared.positions.iter().map(|position| moved(&output_from_unit, position)).collect()
    }

    /// The vertices that were attached to joints.
    pub(super) fn attached(&self) -> impl Iterator<Item = &Vec<u32>> {
        self.attached.iter().map(|(_, vertices)| vertices)
    }

    /// Moves the vertices to other places in the coordinates of the output, and returns how far each vertex of the mesh moves.
    fn displace(&mut self, places: &[Vec3]) -> Vec<Vec3> {
        let before = self.positions();
        let unit_from_output = self.output_from_unit().inverse();
        self.prepared.positions = places.iter().map(|place| moved(&unit_from_output, place)).collect();
        let step = |&vertex: &u32| places[vertex as usize] - before[vertex as usize];
        self.prepared.welded.iter().map(step).collect()
    }

    /// From the unit cube to the coordinates of the output.
    fn output_from_unit(&self) -> Similarity {
        self.prepared.placement.output_from_input * self.prepared.unit_from_input.inverse()
    }

    /// The exported joints in the coordinates of the output.
    pub(super) fn bind_pose(&self) -> BindPose {
        let output_from_unit = self.output_from_unit();
        let positions: Vec<Vec3> =
            self.joints.positions().iter().map(|position| moved(&output_from_unit, position)).collect();
        bind_pose(self.joints.skeleton(), &positions)
    }
}

impl Rigged {
    /// How many pieces each move with one joint.
    pub fn rigid_pieces(&self) -> usize {
        self.movers.iter().flatten().count()
    }

    /// How many joints move a vertex on average.
    pub fn mean_influences(&self) -> f64 {
        let vertices = self.weights.vertices();
        let total: usize = (0..vertices).map(|vertex| self.shared_weights.of(vertex).count()).sum();
        total as f64 / vertices.max(1) as f64
    }

    /// What the test poses do to the surface.
    pub fn quality(&self) -> Quality {
        let prepared = &self.jointed.prepared;
        measure(&prepared.positions, &prepared.triangles, &self.shared_weights, &self.test_poses())
    }

    /// Poses that try every joint, in the unit cube.
    pub fn test_poses(&self) -> Vec<TestPose> {
        let (joints, rig) = (&self.jointed.joints, &self.bound);
        let unit_from_output = self.jointed.output_from_unit().inverse();
        let poses = test_poses(joints.skeleton(), joints.positions()).into_iter();
        poses.map(|pose| pose.on_rig(rig, &unit_from_output)).collect()
    }

    /// The skeleton and the weights as Pinocchio writes them.
    pub fn pinocchio(&self) -> [String; 2] {
        [pinocchio::write(&self.jointed.rig_file.skeleton), self.attachment()]
    }

    /// The weights as Pinocchio writes them: a line for each vertex of the file with a number for each bone, from the second
    /// joint of the joint list on. A bone has the weight of the joint at its upper end; where several start, the first has it.
    fn attachment(&self) -> String {
        let skeleton = self.jointed.joints.skeleton();
        let exported = self.jointed.bind_pose().exported;
        let bones: Vec<Option<usize>> = (1..skeleton.joints.len())
            .map(|joint| {
                let parent = skeleton.joints[joint].parent?;
                let is_first = skeleton.joints.first_child(parent) == Some(joint);
                is_first.then_some(usize::from(exported[parent]))
            })
            .collect();
        pinocchio::write_attachment(&self.jointed.prepared.welded, &self.weights, &bones)
    }
}

/// A skin that bleeds over more of the surface is plainly wrong, whatever the joints are. Of 211 characters of the corpora with good joints
/// and a confidence from 0.5 on, half have at most 0.02, nine of ten 0.07, and all but one, whose arms grow out of a ball, at most 0.18; that
/// one has 0.39, the pieces of a triangle soup 0.5 to 0.7 and a person in a plate 0.67.
const BLEEDING_SKIN: f64 = 0.25;
/// If less of the surface holds together in the test poses, it is said, and the joints are less certain.
const HELD: f64 = 0.95;
/// Pairs of pieces that a warning names.
const NAMED_PAIRS: usize = 3;

/// What part of all work is done when examples are looked at.
const LEARNING: f64 = 0.7;
/// Why examples do not suit a machine.
const RIGID_EXAMPLES: &str = "its pieces are rigid, and each moves with one joint, so that there are no weights to be learned from examples";

/// Why body parts do not suit a machine, nor a skeleton that was made for one body.
const RIGID_PARTS: &str = "its pieces are rigid, and each moves with one joint, so that no weights can be taken from a library of body parts";
const FREE_PARTS: &str = "a skeleton that is made for this body has no parts in common with a library of body parts; name a skeleton";

/// The normals of the document: of a surface that moved they are computed anew.
fn normals_of(options: &RigOptions, displacements: &[Vec3]) -> NormalOptions {
    let mut normals = options.normals;
    if !displacements.is_empty() && normals.normals == Normals::Missing {
        normals.normals = Normals::Smooth;
    }
    normals
}

/// A mesh whose vertices moved in the coordinates of the output.
fn displaced(mesh: &Mesh, displacements: &[Vec3], output_from_input: &Similarity) -> Mesh {
    let mut mesh = mesh.clone();
    let input_from_output = output_from_input.inverse();
    for (position, displacement) in mesh.positions.iter_mut().zip(displacements) {
        *position += input_from_output.transform_vector(displacement);
    }
    mesh
}

/// Names the pieces that come apart the farthest.
fn pieces_part(mesh: &Mesh, prepared: &PreparedMesh, partings: &[Parting]) -> Warning {
    let mut sorted: Vec<&Parting> = partings.iter().collect();
    sorted.sort_by(|a, b| b.gap.total_cmp(&a.gap));
    let name = |piece: usize| piece_name(mesh, prepared, piece);
    let pairs = sorted.iter().take(NAMED_PAIRS);
    let pairs = pairs.map(|parting| parting.pieces.map(name).join(" from "));
    Warning::PiecesPart { pairs: pairs.collect(), gap: sorted.first().map_or(0.0, |parting| parting.gap) }
}

/// Accessories with more of the surface than this may be somebody: a rider has 0.3, the largest hats and bags of the corpora have 0.12.
const LARGE_ACCESSORY: f64 = 0.15;

/// Says so if something large is carried that no joint is in.
fn large_accessories<'a>(
    mesh: &'a Mesh,
    prepared: &'a PreparedMesh,
    parts: &'a Segmentation,
) -> impl Iterator<Item = Warning> + 'a {
    let pieces = parts.classes.iter().flat_map(|classes| classes.list.iter().enumerate());
    let large =
        pieces.filter(|(_, piece)| piece.kind == ComponentKind::Accessory && piece.area >= LARGE_ACCESSORY);
    large.map(|(piece, class)| Warning::LargeAccessory {
        name: piece_name(mesh, prepared, piece),
        area: class.area,
    })
}

/// The joint of each attachment. What has no joint of its own moves with the one above it.
fn attached_joints(skeleton: &Skeleton, attachments: &[Attachment]) -> Result<Vec<usize>, Error> {
    let joints = attachments.iter().map(|Attachment { part, joint }| {
        let named = resolve_joint(skeleton, joint).map_err(|unknown| Error::Attachment {
            reason: format!("'{part}' cannot be attached to '{joint}': {unknown}"),
        })?;
        let of_tip = skeleton.joints[named].parent.filter(|_| skeleton.joints[named].is_tip);
        Ok(of_tip.unwrap_or(named))
    });
    joints.collect()
}

/// A name that is none on the skeleton that fits may be one on the skeleton of another body.
fn with_other_skeletons(error: Error, skeletons: &[Skeleton]) -> Error {
    let unknown = match error {
        Error::Embed(EmbedError::UnknownJoint(unknown))
        | Error::ManualJoints(ManualJointsError::UnknownJoint(unknown)) => unknown,
        other => return other,
    };
    let (UnknownJoint::Unclear { name, .. } | UnknownJoint::Missing { name, .. }) = &unknown;
    match skeletons.iter().find(|skeleton| skeleton.has_joint(name)) {
        Some(other) => Error::UnclearJoint { skeleton: other.name.clone(), unknown },
        None => Error::UnknownJoint(unknown),
    }
}

/// Hints and joints farther outside of the character's box than this are in other coordinates, in parts of its longest side.
const FAR: f64 = 0.25;

/// The hints in the unit cube.
fn placed_hints(
    hints: &[NamedHint],
    mesh: &Mesh,
    prepared: &PreparedMesh,
    skeletons: &[Skeleton],
) -> Result<Vec<NamedHint>, Error> {
    let bounds = bounds_of(mesh);
    let mut placed: Vec<NamedHint> = Vec::new();
    for hint in hints {
        if placed.iter().any(|other| are_one_joint(skeletons, &other.joint, &hint.joint)) {
            let reason =
                format!("there are two hints for {}; a joint is in one place, so give one", hint.joint);
            return Err(Error::Hint { reason });
        }
        check_near(&bounds, &hint.point, &format!("the hint {}={}", hint.joint, point_text(&hint.point)))?;
        let point = moved(&prepared.unit_from_input, &hint.point);
        placed.push(NamedHint { joint: hint.joint.clone(), point });
    }
    Ok(placed)
}

/// Whether two names are those of one joint in a skeleton that knows them.
fn are_one_joint(skeletons: &[Skeleton], a: &str, b: &str) -> bool {
    skeletons.iter().any(|skeleton| {
        let joint = find_joint(skeleton, a);
        joint.is_some() && joint == find_joint(skeleton, b)
    })
}

/// Joints in the coordinates of the mesh, in the unit cube.
fn in_unit_cube(
    joints: &[(String, Vec3)],
    mesh: &Mesh,
    prepared: &PreparedMesh,
) -> Result<Vec<(String, Vec3)>, Error> {
    let bounds = bounds_of(mesh);
    let placed = joints.iter().map(|(name, position)| {
        check_near(&bounds, position, &format!("the joint {name}"))?;
        Ok((name.clone(), moved(&prepared.unit_from_input, position)))
    });
    placed.collect()
}

fn bounds_of(mesh: &Mesh) -> Bounds {
    Bounds::of(mesh.triangles.iter().flatten().map(|&v| &mesh.positions[v as usize]))
}

/// Refuses a point that must be in other coordinates than the mesh.
fn check_near(bounds: &Bounds, point: &Vec3, what: &str) -> Result<(), Error> {
    let outside = point - point.sup(&bounds.min).inf(&bounds.max);
    if outside.norm() <= FAR * bounds.extent().max() {
        return Ok(());
    }
    let (min, max) = (point_text(&bounds.min), point_text(&bounds.max));
    let reason = format!(
        "{what} is far outside of the character, which reaches from {min} to {max}; give it in the coordinates of the mesh \
         file"
    );
    Err(Error::Hint { reason })
}

/// A point as a person types it.
fn point_text(point: &Vec3) -> String {
    format!("{},{},{}", point.x as f32, point.y as f32, point.z as f32)
}

/// The joints in the coordinates of the mesh, with the soles below them in the surface of the body.
fn rig_file(joints: &Joints, prepared: &PreparedMesh, surface: &[Vec3]) -> RigFile {
    let input_from_unit = prepared.unit_from_input.inverse();
    let height = Bounds::of(surface).extent().y;
    let soles = find_soles(joints.skeleton(), joints.positions(), surface, height);
    let soles = soles.into_iter().map(|sole| Sole {
        heel: moved(&input_from_unit, &sole.heel),
        ball: moved(&input_from_unit, &sole.ball),
        toe: moved(&input_from_unit, &sole.toe),
        ..sole
    });
    let embedding: Option<&Embedding> = joints.found().map(|(embedding, _)| embedding);
    let count = joints.positions().len();
    let made = joints.made();
    let symmetric = embedding
        .map_or_else(|| is_mirrored(joints.skeleton(), joints.positions()), |embedding| embedding.symmetric);
    let placed = joints.skeleton().joints.iter().zip(joints.positions());
    let placed = placed
        .map(|(joint, position)| Joint { position: moved(&input_from_unit, position), ..joint.clone() });
    RigFile {
        // What somebody placed is trusted, and as symmetric as it is.
        confidences: joints.confidences().map_or_else(|| vec![1.0; count], <[f64]>::to_vec),
        confidence: embedding
            .map_or(made.map_or(1.0, |made| made.confidence), |embedding| embedding.confidence),
        symmetric,
        skeleton: Skeleton {
            name: joints.skeleton().name.clone(),
            about: String::new(),
            joints: placed.collect(),
            weights: joints.skeleton().weights,
        },
        soles: soles.collect(),
        output_from_input: prepared.placement.output_from_input,
    }
}

/// A point in another space.
pub(super) fn moved(transform: &Similarity, point: &Vec3) -> Vec3 {
    transform.transform_point(&(*point).into()).coords
}

/// A rig below this confidence is worth a warning: of 261 characters whose families were left out 8 of 60 below it are good,
/// and 184 of 201 above it. At 0.75 every fifth good rig would be warned of.
pub(super) const DOUBTFUL_RIG: f64 = 0.5;
/// A joint below this confidence is worth a warning; the worst joint of a doubtful rig always is.
const DOUBTFUL_JOINT: f64 = 0.4;
/// Doubtful joints that are named in warnings, the worst first; the report has them all. What is said about the worst changes the
/// others.
const NAMED: usize = 1;

/// Joints that are worth a warning, the worst first and among equals the outer ones, whose hints settle most; of a
/// symmetric pair the left one.
pub(super) fn doubtful_joints(rig: &RigFile) -> Vec<usize> {
    let joints = &rig.skeleton.joints;
    let is_mirror_image = |joint: usize| rig.symmetric && joints[joint].partner.is_some_and(|p| p < joint);
    let is_inner = |joint: usize| joints.iter().any(|other| other.parent == Some(joint) && !other.is_tip);
    let mut worst: Vec<usize> =
        (0..joints.len()).filter(|&joint| !joints[joint].is_tip && !is_mirror_image(joint)).collect();
    worst.sort_by(|&a, &b| {
        rig.confidences[a].total_cmp(&rig.confidences[b]).then(is_inner(a).cmp(&is_inner(b)))
    });
    let doubtful = worst.partition_point(|&joint| rig.confidences[joint] < DOUBTFUL_JOINT);
    worst.truncate(doubtful.max(usize::from(rig.confidence < DOUBTFUL_RIG)));
    worst
}

/// Where a joint is, with the digits that a person would type: about four of the skeleton's size.
pub(super) fn rounded_position(rig: &RigFile, joint: usize) -> [f32; 3] {
    let size = Bounds::of(rig.skeleton.joints.iter().map(|joint| &joint.position)).diagonal();
    typed(&rig.skeleton.joints[joint].position, size)
}

/// Says so if the whole is doubtful, and what speaks against it.
fn low_confidence(rig: &RigFile, joints: &Joints) -> Option<Warning> {
    // What the body lacks has a warning of its own.
    let lacks = joints.found().map_or(0, |(embedding, _)| embedding.lacks.len());
    let doubts = doubts(joints).unwrap_or_default().into_iter().skip(lacks).collect();
    (rig.confidence < DOUBTFUL_RIG).then(|| Warning::LowConfidence {
        skeleton: rig.skeleton.name.clone(),
        confidence: rig.confidence,
        doubts,
    })
}

impl Jointed {
    /// The probability that the rig is good. `None` for joints that somebody placed, and for a skeleton that is neither a person's nor
    /// an animal's: nothing is known about those.
    pub fn confidence(&self) -> Option<f64> {
        if self.joints.made().is_some() {
            return Some(self.rig_file.confidence);
        }
        let (embedding, _) = self.joints.found()?;
        BodyPlan::of_skeleton(&embedding.skeleton).map(|_| self.rig_file.confidence)
    }

    /// Whether its joints should be looked at before anything is made of them.
    pub fn is_doubtful(&self) -> bool {
        let is_doubt =
            |warning: &Warning| matches!(warning, Warning::Posed { .. } | Warning::SkinBleeds { .. });
        self.warnings.iter().any(is_doubt)
            || self.confidence().is_some_and(|confidence| confidence < DOUBTFUL_RIG)
    }

    /// What the body looks like, if that is not what its skeleton is of.
    pub fn looks_like(&self) -> Option<Likeness> {
        let (embedding, stages) = self.joints.found()?;
        let is_unlike_any = embedding.doubts.contains(&Evidence::UNLIKE_ANY);
        let unknown = is_unlike_any.then_some(Likeness::Unknown);
        Likeness::of(stages, &embedding.skeleton).or(unknown)
    }

    /// What speaks against its joints, each a clause; `None` if somebody placed them.
    pub fn doubts(&self) -> Option<Vec<String>> {
        doubts(&self.joints)
    }
}

/// What speaks against joints that were found, each a clause: what it lacks, what it looks like, what lowers the confidence, what the
/// landmarks missed.
fn doubts(joints: &Joints) -> Option<Vec<String>> {
    let (embedding, stages) = joints.found()?;
    let looks = Likeness::of(stages, &embedding.skeleton).map(|looks| looks.to_string());
    let lacks = embedding.lacks.iter().map(ToString::to_string);
    let doubts = embedding.doubts.iter().copied().map(str::to_owned);
    let landmarks = stages.landmarks.iter().flat_map(|landmarks| &landmarks.diagnostics);
    Some(lacks.chain(looks).chain(doubts).chain(landmarks.map(ToString::to_string)).collect())
}

fn add_doubts(rig: &RigFile, joints: &Joints, warnings: &mut Vec<Warning>) {
    if let Some((embedding, _)) = joints.found().filter(|(embedding, _)| !embedding.lacks.is_empty()) {
        warnings
            .push(Warning::MissingLimbs { lacks: embedding.lacks.iter().map(ToString::to_string).collect() });
    }
    warnings.extend(low_confidence(rig, joints));
    for joint in doubtful_joints(rig).into_iter().take(NAMED) {
        warnings.push(Warning::DoubtfulJoint {
            joint: rig.skeleton.joints[joint].name.clone(),
            confidence: rig.confidences[joint],
            position: rounded_position(rig, joint),
        });
    }
}
