//! The joints of a character: found in it, or placed by the user.

use super::Error;
use crate::embed::confidence::assess;
use crate::embed::field::{DistanceField, FieldOptions};
use crate::embed::{
    EmbedError, EmbedOptions, Embedding, FreeBody, NamedHint, Stages, embed, fitting_skeleton,
};
use crate::math::Vec3;
use crate::mesh::TriangleTree;
use crate::mesh::prepare::PreparedMesh;
use crate::parts::pieces::{Piece, pieces};
use crate::parts::{FittedSkeleton, PartsChoice, PartsError, PartsKind, Segmentation};
use crate::skeleton::{Skeleton, manual_joints, resolve_joint};

/// Joints in the unit cube of a prepared mesh, and how they came there.
pub enum Joints {
    /// Found by embedding a skeleton.
    Found(Box<(Embedding, Stages)>),
    /// Made for this body, of the limbs that its shape shows.
    Free(Box<FreeJoints>),
    /// Placed by the user.
    Manual(Box<ManualJoints>),
}

/// Joints of a skeleton that was made for one body.
pub struct FreeJoints {
    body: FreeBody,
    /// The distance to the surface.
    field: DistanceField,
    /// Joints that a person placed.
    certain: Vec<usize>,
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

impl FreeJoints {
    fn fitted(&self, height: f64) -> FittedSkeleton<'_> {
        let FreeBody { skeleton, positions, .. } = &self.body;
        FittedSkeleton { skeleton, joints: positions, height, plane: self.body.plane() }
    }

    /// Limbs turn where they leave the trunk, but for joints that a person placed.
    fn turn_at_bases(&mut self) {
        let placed: Vec<Vec3> = self.certain.iter().map(|&joint| self.body.positions[joint]).collect();
        self.body.turn_at_bases();
        self.certain.iter().zip(placed).for_each(|(&joint, position)| self.body.positions[joint] = position);
    }
}

/// Whether the pieces of a character are rigid.
fn is_machine(
    prepared: &PreparedMesh,
    choice: PartsChoice,
    fitted: &FittedSkeleton,
) -> Result<bool, PartsError> {
    let trusted = vec![1.0; fitted.joints.len()];
    let route = Segmentation::of(prepared, pieces(prepared), choice, fitted, &trusted)?;
    Ok(route.kind == PartsKind::Rigid)
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

    /// Makes a skeleton for the limbs of the body, as they are in `solid`; joints that are hinted at are where the hints say.
    ///
    /// # Errors
    /// If a hint names no joint of it.
    pub fn free(prepared: &PreparedMesh, solid: &PreparedMesh, hints: &[NamedHint]) -> Result<Joints, Error> {
        let mut body = FreeBody::of(solid);
        body.pin(hints).map_err(EmbedError::UnknownJoint)?;
        let known = |hint: &NamedHint| resolve_joint(&body.skeleton, &hint.joint).ok();
        let certain = hints.iter().filter_map(known).collect();
        let tree = TriangleTree::new(&prepared.positions, &prepared.triangles);
        let field = DistanceField::of_mesh(prepared, &tree, &FieldOptions::default());
        Ok(Joints::Free(Box::new(FreeJoints { body, field, certain })))
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
            Joints::Free(free) => &free.body.skeleton,
            Joints::Manual(given) => &given.skeleton,
        }
    }

    /// Where they are in the unit cube.
    pub fn positions(&self) -> &[Vec3] {
        match self {
            Joints::Found(found) => &found.0.positions,
            Joints::Free(free) => &free.body.positions,
            Joints::Manual(given) => &given.positions,
        }
    }

    /// The distance to the surface around them.
    pub fn field(&self) -> &DistanceField {
        match self {
            Joints::Found(found) => &found.1.field,
            Joints::Free(free) => &free.field,
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
        if let Joints::Free(free) = self
            && is_machine(prepared, choice, &free.fitted(height))?
        {
            free.turn_at_bases();
        }
        let plane = match self {
            Joints::Found(found) => found.0.symmetric.then_some(found.1.plane.x),
            Joints::Free(free) => free.body.plane(),
            Joints::Manual(_) => None,
        };
        let fitted = FittedSkeleton { skeleton: self.skeleton(), joints: self.positions(), height, plane };
        let trusted = vec![1.0; fitted.joints.len()];
        let confidences = self.confidences().unwrap_or(&trusted);
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
        if let Joints::Free(free) = self {
            let moved = route.moved_joints.iter().filter(|(joint, _)| !free.certain.contains(joint));
            moved.for_each(|(joint, position)| free.body.positions[*joint] = *position);
        }
        Ok(route)
    }

    /// How far to trust each; `None` if the user placed them.
    pub fn confidences(&self) -> Option<&[f64]> {
        match self {
            Joints::Found(found) => Some(&found.0.confidences),
            Joints::Free(free) => Some(&free.body.confidences),
            Joints::Manual(_) => None,
        }
    }

    /// The skeleton that was made for the body, if one was.
    pub fn made(&self) -> Option<&FreeBody> {
        match self {
            Joints::Free(free) => Some(&free.body),
            Joints::Found(_) | Joints::Manual(_) => None,
        }
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

    /// How they were found; `None` if no skeleton was embedded.
    pub fn found(&self) -> Option<(&Embedding, &Stages)> {
        match self {
            Joints::Found(found) => Some((&found.0, &found.1)),
            Joints::Free(_) | Joints::Manual(_) => None,
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
