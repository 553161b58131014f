//! The joints of a character: found in it, or given by the user.

use anyhow::{Context, Result};
use puppetry::embed::field::{DistanceField, FieldOptions};
use puppetry::embed::{EmbedOptions, Embedding, NamedHint, Stages, embed};
use puppetry::io::rig_file::RigFile;
use puppetry::math::{Bounds, Similarity, Vec3};
use puppetry::mesh::TriangleTree;
use puppetry::mesh::prepare::PreparedMesh;
use puppetry::parts::{Figure, PartsChoice, PartsError, PartsRoute};
use puppetry::skeleton::{self, Skeleton, Sole, find_soles, given, is_mirrored};

/// Joints in the unit cube of a prepared mesh, and how they came there.
pub enum Joints {
    /// Found by embedding a skeleton.
    Found(Box<(Embedding, Stages)>),
    /// Given in a file.
    Given { skeleton: Skeleton, positions: Vec<Vec3>, field: DistanceField },
}

impl Joints {
    /// Finds them.
    pub fn find(
        prepared: &PreparedMesh,
        tree: &TriangleTree,
        skeletons: &[Skeleton],
        hints: &[NamedHint],
    ) -> Result<Joints> {
        let found = embed(prepared, tree, skeletons, hints, &EmbedOptions::default())?;
        Ok(Joints::Found(Box::new(found)))
    }

    /// Completes those that are given, in the unit cube, to the skeleton that knows most of their names.
    pub fn complete(
        prepared: &PreparedMesh,
        tree: &TriangleTree,
        skeletons: &[Skeleton],
        given: &[(String, Vec3)],
    ) -> Result<Joints> {
        let skeleton = given::best_fit(skeletons, given).context("there is no skeleton")?.clone();
        let positions = given::complete(&skeleton, given, &surface(prepared))?;
        let field = DistanceField::of_mesh(prepared, tree, &FieldOptions::default());
        Ok(Joints::Given { skeleton, positions, field })
    }

    pub fn skeleton(&self) -> &Skeleton {
        match self {
            Joints::Found(found) => &found.0.skeleton,
            Joints::Given { skeleton, .. } => skeleton,
        }
    }

    /// Where they are in the unit cube.
    pub fn positions(&self) -> &[Vec3] {
        match self {
            Joints::Found(found) => &found.0.positions,
            Joints::Given { positions, .. } => positions,
        }
    }

    /// The distance to the surface around them.
    pub fn field(&self) -> &DistanceField {
        match self {
            Joints::Found(found) => &found.1.field,
            Joints::Given { field, .. } => field,
        }
    }

    /// Decides how the pieces of the character move. Joints of rigid pieces that were found, and not pinned, move to where the
    /// pieces touch.
    pub fn take_apart(
        &mut self,
        prepared: &PreparedMesh,
        choice: PartsChoice,
        is_pinned: impl Fn(&str) -> bool,
    ) -> Result<PartsRoute, PartsError> {
        let surface = surface(prepared);
        let found = self.found();
        let figure = Figure {
            skeleton: self.skeleton(),
            joints: self.positions(),
            height: Bounds::of(&surface).extent().y,
            plane: found.filter(|(embedding, _)| embedding.symmetric).map(|(_, stages)| stages.plane.x),
        };
        let trusted = vec![1.0; figure.joints.len()];
        let confidences = found.map_or(&trusted, |(embedding, _)| &embedding.confidences);
        let route = PartsRoute::of(prepared, choice, &figure, confidences)?;
        let places = route.contact_places(&figure);
        if let Joints::Found(found) = self {
            for (joint, place) in places {
                if !is_pinned(&found.0.skeleton.joints[joint].name) {
                    found.0.positions[joint] = place;
                }
            }
        }
        Ok(route)
    }

    /// How they were found; `None` if they were given.
    pub fn found(&self) -> Option<(&Embedding, &Stages)> {
        match self {
            Joints::Found(found) => Some((&found.0, &found.1)),
            Joints::Given { .. } => None,
        }
    }

    /// The joints in the coordinates of the mesh file, with the soles below them.
    pub fn rig(&self, prepared: &PreparedMesh) -> RigFile {
        let input_from_unit = prepared.unit_from_input.inverse();
        let input = |point: &Vec3| moved(&input_from_unit, point);
        let surface = surface(prepared);
        let height = Bounds::of(&surface).extent().y;
        let soles = find_soles(self.skeleton(), self.positions(), &surface, height);
        let sole = |sole: Sole| Sole {
            heel: input(&sole.heel),
            ball: input(&sole.ball),
            toe: input(&sole.toe),
            ..sole
        };
        let joints = self.skeleton().joints.iter().zip(self.positions());
        let joints =
            joints.map(|(joint, position)| skeleton::Joint { position: input(position), ..joint.clone() });
        let joints: Vec<skeleton::Joint> = joints.collect();
        let embedding = self.found().map(|(embedding, _)| embedding);
        RigFile {
            // What somebody gave is trusted, and as symmetric as it is.
            confidences: embedding.map_or_else(|| vec![1.0; joints.len()], |e| e.confidences.clone()),
            confidence: embedding.map_or(1.0, |embedding| embedding.confidence),
            symmetric: embedding.map_or_else(
                || is_mirrored(self.skeleton(), self.positions()),
                |embedding| embedding.symmetric,
            ),
            skeleton: Skeleton { name: self.skeleton().name.clone(), about: String::new(), joints, weights: Default::default() },
            soles: soles.into_iter().map(sole).collect(),
            output_from_input: prepared.placement.output_from_input,
        }
    }
}

/// The vertices of a mesh that triangles use.
fn surface(prepared: &PreparedMesh) -> Vec<Vec3> {
    let mut is_used = vec![false; prepared.positions.len()];
    prepared.triangles.iter().flatten().for_each(|&vertex| is_used[vertex as usize] = true);
    prepared.positions.iter().zip(&is_used).filter(|(_, is_used)| **is_used).map(|(p, _)| *p).collect()
}

/// A point in another space.
pub fn moved(transform: &Similarity, point: &Vec3) -> Vec3 {
    transform.transform_point(&(*point).into()).coords
}
