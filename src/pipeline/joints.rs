//! The joints of a character: found in it, or placed by the user.

use super::Error;
use crate::embed::confidence::assess;
use crate::embed::field::{DistanceField, FieldOptions};
use crate::embed::{EmbedOptions, Embedding, NamedHint, Stages, embed, fitting_skeleton};
use crate::math::Vec3;
use crate::mesh::TriangleTree;
use crate::mesh::prepare::PreparedMesh;
use crate::parts::pieces::Piece;
use crate::parts::{FittedSkeleton, PartsChoice, PartsError, Segmentation};
use crate::skeleton::{Skeleton, manual_joints};

/// Joints in the unit cube of a prepared mesh, and how they came there.
pub enum Joints {
    /// Found by embedding a skeleton.
    Found(Box<(Embedding, Stages)>),
    /// Placed by the user.
    Manual(Box<ManualJoints>),
}

/// Joints that the user placed.
pub struct ManualJoints {
    /// The skeleton that fits their names, or the shape where these are not of a whole body.
    skeleton: Skeleton,
    /// Whether the names were enough to tell the skeleton.
    is_named: bool,
    /// Where all its joints are.
    positions: Vec<Vec3>,
    /// The distance to the surface.
    field: DistanceField,
}

impl Joints {
    /// Finds them, for the candidate skeleton that fits the shape of the body.
    ///
    /// # Errors
    /// If no skeleton fits into the body, or a hint names no joint.
    pub fn find(
        prepared: &PreparedMesh,
        skeletons: &[Skeleton],
        hints: &[NamedHint],
        options: &EmbedOptions,
    ) -> Result<Joints, Error> {
        let tree = TriangleTree::new(&prepared.positions, &prepared.triangles);
        Ok(Joints::Found(Box::new(embed(prepared, &tree, skeletons, hints, options)?)))
    }

    /// Completes those that are given, in the unit cube. Names of all limbs tell the skeleton; if there are fewer, the shape of the
    /// body does, as it is in `solid`.
    ///
    /// # Errors
    /// If a name is unknown, or nothing is given.
    pub fn complete(
        prepared: &PreparedMesh,
        solid: &PreparedMesh,
        skeletons: &[Skeleton],
        given: &[(String, Vec3)],
    ) -> Result<Joints, Error> {
        let names: Vec<&str> = given.iter().map(|(name, _)| name.as_str()).collect();
        let named = manual_joints::best_fit(skeletons, &names).ok_or(Error::NoSkeleton)?;
        let is_named = manual_joints::name_all_limbs(named, &names);
        let fitting = if is_named { None } else { fitting_skeleton(solid, skeletons) };
        let skeleton = match fitting {
            Some(fitting) => manual_joints::best_fit_of_body(skeletons, fitting, &names),
            None => named,
        };
        let skeleton = skeleton.clone();
        let positions = manual_joints::complete(&skeleton, given, &limbs(prepared))?;
        let tree = TriangleTree::new(&prepared.positions, &prepared.triangles);
        let field = DistanceField::of_mesh(prepared, &tree, &FieldOptions::default());
        Ok(Joints::Manual(Box::new(ManualJoints { skeleton, is_named, positions, field })))
    }

    /// The skeleton to which they belong.
    pub fn skeleton(&self) -> &Skeleton {
        match self {
            Joints::Found(found) => &found.0.skeleton,
            Joints::Manual(given) => &given.skeleton,
        }
    }

    /// Where they are in the unit cube.
    pub fn positions(&self) -> &[Vec3] {
        match self {
            Joints::Found(found) => &found.0.positions,
            Joints::Manual(given) => &given.positions,
        }
    }

    /// The distance to the surface around them.
    pub fn field(&self) -> &DistanceField {
        match self {
            Joints::Found(found) => &found.1.field,
            Joints::Manual(given) => &given.field,
        }
    }

    /// Decides how the pieces of the character move. Joints of rigid pieces that were found, and not pinned by a hint, move to
    /// where the pieces touch. `height` is that of the body.
    ///
    /// # Errors
    /// If rigid parts are asked for, and there is one piece or too many.
    pub fn segment(
        &mut self,
        prepared: &PreparedMesh,
        pieces: Vec<Piece>,
        choice: PartsChoice,
        height: f64,
    ) -> Result<Segmentation, PartsError> {
        let found = self.found();
        let fitted = FittedSkeleton {
            skeleton: self.skeleton(),
            joints: self.positions(),
            height,
            plane: found.filter(|(embedding, _)| embedding.symmetric).map(|(_, stages)| stages.plane.x),
        };
        let trusted = vec![1.0; fitted.joints.len()];
        let confidences = found.map_or(&trusted, |(embedding, _)| &embedding.confidences);
        let route = Segmentation::of(prepared, pieces, choice, &fitted, confidences)?;
        if let Joints::Found(found) = self {
            let (embedding, stages) = &mut **found;
            let certain: Vec<usize> = stages.hints.iter().map(|hint| hint.full).collect();
            let moved: Vec<_> =
                route.moved_joints.iter().filter(|(joint, _)| !certain.contains(joint)).collect();
            if !moved.is_empty() {
                moved.iter().for_each(|(joint, position)| embedding.positions[*joint] = *position);
                let trust = assess(&embedding.skeleton, stages, &embedding.positions, &certain);
                (embedding.confidence, embedding.confidences) = (trust.whole, trust.joints);
                (embedding.doubts, embedding.lacks) = (trust.evidence.doubts(), trust.lacks);
            }
        }
        Ok(route)
    }

    /// Moves joints that were found, except those that a hint pins.
    pub(super) fn correct(&mut self, moved: &[(usize, Vec3)]) {
        let Joints::Found(found) = self else { return };
        let (embedding, stages) = &mut **found;
        let is_pinned = |joint: usize| stages.hints.iter().any(|hint| hint.full == joint);
        for (joint, position) in moved.iter().filter(|(joint, _)| !is_pinned(*joint)) {
            embedding.positions[*joint] = *position;
        }
    }

    /// Whether names that the user gave were enough to tell the skeleton.
    pub fn is_named(&self) -> bool {
        matches!(self, Joints::Manual(given) if given.is_named)
    }

    /// How they were found; `None` if the user placed them.
    pub fn found(&self) -> Option<(&Embedding, &Stages)> {
        match self {
            Joints::Found(found) => Some((&found.0, &found.1)),
            Joints::Manual(_) => None,
        }
    }
}

/// Pieces with less than this part of the surface end no limb: eyes, crumbs in the air beside a hand.
const CRUMB: f64 = 0.01;

/// The vertices of the pieces that are large enough to be limbs.
fn limbs(prepared: &PreparedMesh) -> Vec<Vec3> {
    let topology = &prepared.topology;
    let total: f64 = topology.components.iter().map(|component| component.area).sum();
    let is_limb = |piece: u32| topology.components[piece as usize].area >= CRUMB * total;
    let mut is_used = vec![false; prepared.positions.len()];
    let triangles = prepared.triangles.iter().zip(&topology.component_of_triangle);
    let vertices = triangles.filter(|(_, piece)| is_limb(**piece)).flat_map(|(triangle, _)| *triangle);
    vertices.for_each(|vertex| is_used[vertex as usize] = true);
    let used = prepared.positions.iter().zip(&is_used).filter(|(_, is_used)| **is_used);
    let vertices: Vec<Vec3> = used.map(|(position, _)| *position).collect();
    // A heap of crumbs has nothing else.
    if vertices.is_empty() { prepared.used_positions() } else { vertices }
}
