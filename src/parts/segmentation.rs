//! From the pieces of a character to how they move.

use super::classify::PieceClasses;
use super::fitted::is_limb;
use super::limbs::Limbs;
use super::parting::{PARTED, Parting};
use super::pieces::Piece;
use super::{FittedSkeleton, MAX_PIECES, Parts, PartsError};
use crate::math::Vec3;
use crate::mesh::prepare::PreparedMesh;
use crate::rig::{SkinWeights, bind_pose};
use crate::skeleton::Skeleton;
use crate::skeleton::naming::{Role, Segment};
use crate::skin::poses::test_poses;
use crate::skin::{ComponentKind, ComponentReport, Skin, SkinReport, vertex_areas};
use std::fmt;

/// What the caller wants.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PartsChoice {
    /// What the mesh is decides.
    #[default]
    Auto,
    /// Every piece moves with one joint.
    Rigid,
    /// Everything bends.
    Soft,
}

/// How the pieces of a character move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PartsKind {
    /// Each piece moves with one joint: it is a machine, or was said to be.
    Rigid,
    /// Each piece moves as what it is: bodies and cloth bend, parts and most accessories do not.
    Mixed,
    /// All of it bends.
    Soft,
}

impl fmt::Display for PartsKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            PartsKind::Rigid => "rigid",
            PartsKind::Mixed => "mixed",
            PartsKind::Soft => "soft",
        })
    }
}

/// How the pieces of a character move, and why.
pub struct Segmentation {
    /// How they move.
    pub kind: PartsKind,
    /// Why.
    pub reason: PartsReason,
    /// The pieces, where they were looked at.
    pub parts: Option<Parts>,
    /// For each of them the joint that moves it if it is rigid.
    pub joint_of_piece: Vec<usize>,
    /// Joints of rigid parts that rotate elsewhere than where they were embedded, and where.
    pub moved_joints: Vec<(usize, Vec3)>,
    /// What each of them is.
    pub classes: Option<PieceClasses>,
}

/// Why pieces move as they do.
#[derive(Debug, Clone, PartialEq)]
pub enum PartsReason {
    /// The caller asked for it.
    Asked,
    /// There is one piece.
    OnePiece,
    /// What the pieces are, in words.
    Pieces(String),
    /// No piece lies around a bone.
    Crumbs {
        /// How many there are.
        pieces: usize,
    },
    /// There are so many pieces that they are a heap.
    Heap {
        /// How many.
        pieces: usize,
    },
}

impl fmt::Display for PartsReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PartsReason::Asked => f.write_str("as told"),
            PartsReason::OnePiece => f.write_str("it is one piece"),
            PartsReason::Pieces(classes) => f.write_str(classes),
            PartsReason::Crumbs { pieces } => {
                write!(
                    f,
                    "hardly any of its {pieces} pieces lies around a bone, so that they are one surface"
                )
            }
            PartsReason::Heap { pieces } => write!(f, "its {pieces} pieces are too many to be parts"),
        }
    }
}

impl Segmentation {
    /// Decides how the pieces of a character move; `confidences` tells how certain each joint is.
    ///
    /// # Errors
    /// If rigid parts are asked for, and there is one piece or too many.
    pub fn of(
        mesh: &PreparedMesh,
        pieces: Vec<Piece>,
        choice: PartsChoice,
        fitted: &FittedSkeleton,
        confidences: &[f64],
    ) -> Result<Segmentation, PartsError> {
        if let Some(reason) = reason_to_bend(mesh, choice) {
            return Ok(Segmentation::without_parts(PartsKind::Soft, reason));
        }
        let count = mesh.topology.components.len();
        if count > MAX_PIECES {
            return Err(PartsError::TooMany { pieces: count });
        }
        let parts = Parts::of(pieces)?;
        let classes = PieceClasses::of(&parts.pieces, mesh, fitted, confidences);
        if choice == PartsChoice::Auto && classes.are_crumbs() {
            return Ok(Segmentation::without_parts(PartsKind::Soft, PartsReason::Crumbs { pieces: count }));
        }
        let kind = match choice {
            PartsChoice::Auto if !classes.is_machine() => PartsKind::Mixed,
            _ => PartsKind::Rigid,
        };
        let reason = match choice {
            PartsChoice::Auto => PartsReason::Pieces(format!("{} pieces: {classes}", parts.pieces.len())),
            _ => PartsReason::Asked,
        };
        let mut segmentation = Segmentation::without_parts(kind, reason);
        if kind == PartsKind::Rigid {
            segmentation.articulate(&parts, &classes, mesh, fitted, confidences);
        }
        (segmentation.parts, segmentation.classes) = (Some(parts), Some(classes));
        Ok(segmentation)
    }

    fn without_parts(kind: PartsKind, reason: PartsReason) -> Segmentation {
        let (joint_of_piece, moved_joints) = (Vec::new(), Vec::new());
        Segmentation { kind, reason, parts: None, joint_of_piece, moved_joints, classes: None }
    }

    /// Finds the joint of each rigid piece, and moves joints to where pieces touch.
    fn articulate(
        &mut self,
        parts: &Parts,
        classes: &PieceClasses,
        mesh: &PreparedMesh,
        fitted: &FittedSkeleton,
        confidences: &[f64],
    ) {
        let limbs = Limbs::of(parts, fitted, confidences);
        let followed = FittedSkeleton { joints: &limbs.joints, ..*fitted };
        self.joint_of_piece = parts.assign(&followed, &limbs.exists);
        raise_whole_limbs(&mut self.joint_of_piece, classes, fitted.skeleton);
        let contacts = parts.contact_positions(&self.joint_of_piece, &followed);
        let positions = contacts.into_iter().enumerate().map(|(joint, contact)| {
            let embedded = limbs.joints[joint];
            contact.filter(|contact| is_within_reach(contact, joint, &followed)).unwrap_or(embedded)
        });
        let positions: Vec<Vec3> = positions.collect();
        let placed = FittedSkeleton { joints: &positions, ..*fitted };
        join_torn_pieces(&mut self.joint_of_piece, parts, classes, mesh, &placed);
        let moved = positions.into_iter().enumerate();
        self.moved_joints = moved.filter(|(joint, position)| *position != fitted.joints[*joint]).collect();
    }

    /// The share of the surface that holds together in the test poses: of two pieces that come apart the smaller one does not.
    pub fn held_together(&self, partings: &[Parting]) -> f64 {
        let Some(parts) = &self.parts else { return 1.0 };
        let mut parted = vec![0.0_f64; parts.pieces.len()];
        for &Parting { pieces: [a, b], gap, .. } in partings {
            let smaller = if parts.pieces[a].area < parts.pieces[b].area { a } else { b };
            let apart = ((gap - PARTED) / (TORN - PARTED)).clamp(0.0, 1.0);
            parted[smaller] = parted[smaller].max(apart);
        }
        let total: f64 = parts.pieces.iter().map(|piece| piece.area).sum();
        let loose: f64 = parts.pieces.iter().zip(&parted).map(|(piece, apart)| piece.area * apart).sum();
        1.0 - loose / total
    }

    /// The weights of a character whose pieces move like this; `bind` binds a surface whose components are of these kinds. Also for
    /// each piece the joint that moves all of it, if it is rigid.
    pub fn weights(
        &self,
        mesh: &PreparedMesh,
        bind: impl FnOnce(&[ComponentKind]) -> Skin,
    ) -> (Skin, Vec<Option<usize>>) {
        let (Some(parts), Some(classes)) = (&self.parts, &self.classes) else {
            return (bind(&[]), Vec::new());
        };
        if self.kind == PartsKind::Rigid {
            let weights = rigid_weights(mesh.positions.len(), parts, &self.joint_of_piece);
            let components = ComponentReport { count: parts.pieces.len(), ..ComponentReport::default() };
            let report = SkinReport { components, ..SkinReport::default() };
            let bleeding = vec![0.0; parts.pieces.len()];
            return (
                Skin { weights, report, bleeding },
                self.joint_of_piece.iter().copied().map(Some).collect(),
            );
        }
        let mut skin = bind(&classes.kinds());
        let areas = vertex_areas(&mesh.positions, &mesh.triangles);
        let mut movers = Vec::with_capacity(parts.pieces.len());
        for (piece, class) in parts.pieces.iter().zip(&classes.list) {
            let joint = match class.kind {
                ComponentKind::Rigid { joint } => Some(joint),
                ComponentKind::Accessory => holder(piece, &skin.weights, &areas, &classes.limb_of_joint),
                ComponentKind::Body | ComponentKind::Cloth => None,
            };
            if let Some(joint) = joint {
                bind_rigidly(&mut skin.weights, piece, joint);
            }
            movers.push(joint);
        }
        skin.forgive_solids(&movers);
        (skin, movers)
    }
}

/// Lets a limb of one piece move with its first joint: the leg of a block figure hangs on the hip, although more of it lies along the shin.
/// Where the bone above has no piece of its own, its joint has nothing else to move.
fn raise_whole_limbs(joint_of_piece: &mut [usize], classes: &PieceClasses, skeleton: &Skeleton) {
    for joint in (0..skeleton.joints.len()).rev() {
        let Some(above) = skeleton.joints[joint].parent.filter(|&above| is_limb(&skeleton.joints[above]))
        else {
            continue;
        };
        let mut own = joint_of_piece.iter().enumerate().filter(|(_, own)| **own == joint);
        let is_whole = own.any(|(piece, _)| classes.reaches(piece, above));
        if is_whole && !joint_of_piece.contains(&above) {
            joint_of_piece.iter_mut().filter(|own| **own == joint).for_each(|own| *own = above);
        }
    }
}

/// Pieces that come apart by more than this part of the height because what holds them lies on both sides of a knee have no knee there: the
/// paw of a toy whose leg is one block. Hinges of machines give way by up to 0.04, those of toy animals by 0.07 to 0.26.
const TORN: f64 = 0.05;

/// Lets pieces that would be torn off below the first joint of a limb move with the piece that holds them.
fn join_torn_pieces(
    joint_of_piece: &mut [usize],
    parts: &Parts,
    classes: &PieceClasses,
    mesh: &PreparedMesh,
    placed: &FittedSkeleton,
) {
    let positions = &mesh.positions;
    let joints = &placed.skeleton.joints;
    let exported = bind_pose(placed.skeleton, placed.joints).exported;
    let poses = test_poses(placed.skeleton, placed.joints);
    let is_inner = |joint: usize| {
        let segment = joints[joint].role.and_then(Role::limb).map(|(_, _, segment)| segment);
        segment > Some(Segment::Upper)
    };
    // Every round takes the pieces of a joint to one above it.
    for _ in 0..joints.len() {
        let weights = rigid_weights(positions.len(), parts, joint_of_piece).remapped(&exported);
        let torn =
            parts.partings(positions, &weights, &poses, placed.height).into_iter().find_map(|parting| {
                let mut pieces = parting.pieces.map(|piece| (joint_of_piece[piece], piece));
                pieces.sort_unstable();
                let [(above, holder), (below, _)] = pieces;
                // The joints between the two, in one of which the holder cannot bend.
                let mut between = joints.ancestors(below).take_while(|&joint| joint != above);
                let is_torn = parting.gap > TORN
                    && joints.is_below(below, above)
                    && between.any(|joint| is_inner(joint) && classes.reaches(holder, joint));
                is_torn.then_some((above, below))
            });
        let Some((above, below)) = torn else { return };
        joint_of_piece.iter_mut().filter(|joint| **joint == below).for_each(|joint| *joint = above);
    }
}

/// Weights of pieces that each move with one joint.
fn rigid_weights(vertices: usize, parts: &Parts, joint_of_piece: &[usize]) -> SkinWeights {
    let mut weights = SkinWeights::rigid(vertices, 0);
    for (piece, &joint) in parts.pieces.iter().zip(joint_of_piece) {
        bind_rigidly(&mut weights, piece, joint);
    }
    weights
}

/// Binds the vertices of a piece to a joint.
fn bind_rigidly(weights: &mut SkinWeights, piece: &Piece, joint: usize) {
    piece.vertices.iter().for_each(|&vertex| weights.set_rigid(vertex as usize, joint as u16));
}

/// An accessory moves with one joint if this part of its weight is in one limb. With less, a thick skirt between the legs would go with
/// one of them.
const HELD_BY_LIMB: f64 = 0.5;

/// The joint that moves most of an accessory, in the limb that moves most of it; `None` if no limb has it for itself.
fn holder(piece: &Piece, weights: &SkinWeights, areas: &[f64], limb_of_joint: &[usize]) -> Option<usize> {
    let mut joints = vec![0.0; limb_of_joint.len()];
    let mut limbs = vec![0.0; limb_of_joint.len()];
    for &vertex in &piece.vertices {
        for (joint, weight) in weights.of(vertex as usize) {
            let weight = weight * areas[vertex as usize];
            joints[joint] += weight;
            limbs[limb_of_joint[joint]] += weight;
        }
    }
    let limb = heaviest(&limbs, 0..limbs.len());
    let whole: f64 = limbs.iter().sum();
    let in_limb = (0..joints.len()).filter(|&joint| limb_of_joint[joint] == limb);
    (limbs[limb] >= HELD_BY_LIMB * whole).then(|| heaviest(&joints, in_limb))
}

/// The first of the indices with the largest weight.
fn heaviest(weights: &[f64], indices: impl Iterator<Item = usize>) -> usize {
    indices.max_by(|&a, &b| weights[a].total_cmp(&weights[b]).then(b.cmp(&a))).unwrap_or(0)
}

/// A contact moves a joint by at most this part of the bones on either side, so that the order along a limb is kept. Farther ones are
/// contacts of something else.
const CONTACT_REACH: f64 = 1.0 / 3.0;

/// Whether a contact is near enough to a joint to be where it rotates.
fn is_within_reach(contact: &Vec3, joint: usize, fitted: &FittedSkeleton) -> bool {
    let joints = &fitted.skeleton.joints;
    let neighbours = joints[joint].parent.into_iter().chain(joints.first_child(joint));
    let lengths = neighbours.map(|other| (fitted.joints[other] - fitted.joints[joint]).norm());
    let longest = lengths.fold(0.0, f64::max);
    (contact - fitted.joints[joint]).norm() <= CONTACT_REACH * longest
}

/// Why a character bends whatever its pieces are like, if it does.
fn reason_to_bend(mesh: &PreparedMesh, choice: PartsChoice) -> Option<PartsReason> {
    let pieces = mesh.topology.components.len();
    match choice {
        PartsChoice::Soft => Some(PartsReason::Asked),
        PartsChoice::Auto if pieces > MAX_PIECES => Some(PartsReason::Heap { pieces }),
        PartsChoice::Auto if pieces < 2 => Some(PartsReason::OnePiece),
        PartsChoice::Auto | PartsChoice::Rigid => None,
    }
}
