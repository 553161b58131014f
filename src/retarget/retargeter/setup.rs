//! Putting a retargeter together: the legs of both sides, what they carry, and how they differ in build.

use super::{Base, Frame, Peak, PelvisDrop, RetargetOptions, Retargeter, SourceLeg, mean};
use crate::math::Vec3;
use crate::retarget::body_ground::BodyGround;
use crate::retarget::collisions::Collisions;
use crate::retarget::contact_height::{ContactHeights, foot_points};
use crate::retarget::contacts::{ContactOptions, Detector, MOST_LOOK_AHEAD};
use crate::retarget::fingers::Fingers;
use crate::retarget::foot::{Foot, FootFrame};
use crate::retarget::hands;
use crate::retarget::joint_map::{JointMap, map_joints};
use crate::retarget::limb_position;
use crate::retarget::pelvis_height::PelvisHeight;
use crate::retarget::reference::Source;
use crate::retarget::rest_alignment::rest_alignment;
use crate::retarget::target::{Target, TargetLeg, bend_of_hock};
use crate::skeleton::Figure;
use crate::skeleton::naming::{Limb, Role, Segment, Side};

/// The part of the look-ahead that finds contacts; the rest prepares for them.
const DETECTION: f64 = 0.4;
/// Frames that are known ahead at most, whatever rate a file claims: memory is bounded by them.
const MOST_AHEAD: f64 = 1000.0;
/// Part of the pelvis's shift that free feet go along at most, and the leg lengths by which feet stand farther apart than the
/// source's when they go half as much. At 0.8 the free knee of a chibi that climbs steps jerks when it turns; a foot that goes along
/// wholly never returns to the source's path.
const MOST_CARRIED: f64 = 0.95;
const APART: f64 = 0.1;

impl Retargeter {
    /// For a motion that is still to come: joints are matched by their roles, and feet stand as in the reference pose.
    pub fn live(
        target: impl Into<Target>,
        source: &Source,
        frame_seconds: f64,
        options: &RetargetOptions,
    ) -> Retargeter {
        let target: Target = target.into();
        let map = map_joints(&target.figure, &source.figure);
        let contact_heights = |leg| ContactHeights::of_reference(source, leg);
        Retargeter::new(target, source, &map, contact_heights, frame_seconds, options)
    }

    /// For a rig, or what is known of it already, and the joints of a motion that move it.
    ///
    /// `contact_heights` says how a leg of the source stands; [`ContactHeights::of_reference`] where nothing better is known.
    pub fn new(
        target: impl Into<Target>,
        source: &Source,
        map: &JointMap,
        contact_heights: impl Fn((Limb, Side)) -> Option<ContactHeights>,
        frame_seconds: f64,
        options: &RetargetOptions,
    ) -> Retargeter {
        let target: Target = target.into();
        let figure = &source.figure;
        let source_leg_length = figure.leg_length();
        let scale = if source_leg_length > 0.0 { target.leg_length / source_leg_length } else { 1.0 };
        let hips = target.hips;
        let mut legs: Vec<(TargetLeg, SourceLeg)> = map
            .legs
            .iter()
            .filter_map(|pair| {
                let mut ours = target.legs.iter().find(|leg| leg.key == pair.target)?.clone();
                bend_as_drawn(&mut ours, &target, (figure, pair.source));
                Some((ours, SourceLeg::of(figure, pair.source, contact_heights(pair.source)?)?))
            })
            .collect();
        let middle = hip_middle(&target, &legs).unwrap_or(target.figure.positions[hips]);
        take_stance(&mut legs, &target, figure, &middle, scale);
        // Nothing stands: the pelvis keeps its height in parts of the size.
        let pelvis = Base::of(&target, &legs, Limb::Leg).unwrap_or_else(|| {
            let joint = figure.find(Role::Hips).unwrap_or(0);
            let target_ankle = middle.y - target.floor;
            Base { joints: vec![joint], source_ankle: figure.positions[joint].y, target_ankle, scale }
        });
        let chest = Base::of(&target, &legs, Limb::FrontLeg);
        let mut is_trunk: Vec<bool> =
            (0..target.joints).map(|joint| target.tree.is_below(joint, hips)).collect();
        for &(joint, _) in legs.iter().flat_map(|(leg, _)| &leg.parts) {
            is_trunk[joint] = false;
        }
        let ahead =
            (options.look_ahead.clamp(0.0, MOST_LOOK_AHEAD) / frame_seconds).round().min(MOST_AHEAD) as usize;
        let detection = (DETECTION * ahead as f64).round() as usize;
        let lead = ahead - detection;
        let standing: Vec<f64> = legs.iter().flat_map(|(_, leg)| leg.contact.heights).collect();
        let contact_options =
            ContactOptions { look_ahead: detection as f64 * frame_seconds, still_counts: true };
        let detector = Detector::new(standing, source_leg_length, frame_seconds, &contact_options);
        let origins: Vec<_> =
            map.matches[..target.joints].iter().map(|found| Some(found.as_ref()?.origin)).collect();
        let arms = hands::arms(&target, figure);
        let hand_stance = hands::stances(&target.figure, figure, scale);
        let at_rest = target.at_rest();
        let body = BodyGround::of(&target, &origins, &arms, ahead);
        let frame = Frame {
            rotations: target.rest.clone(),
            feet: vec![FootFrame::default(); legs.len()],
            near: vec![0.0; body.parts()],
            ..Frame::default()
        };
        let alignment = rest_alignment(&target.figure, figure, source.kind, map);
        Retargeter {
            figure_from_file: source.figure_from_file,
            reference: source.rotations.clone(),
            fingers: Fingers::of(&target, source, map, &alignment),
            alignment,
            landmarks: hands::landmarks(&target.figure, figure),
            source_leg_length,
            hips,
            pelvis,
            chest,
            is_trunk,
            pelvis_offset: target.rest[hips].inverse() * (middle - target.figure.positions[hips]),
            hip_width_ratio: hip_width_ratio(&target, &legs, &middle, scale),
            carried: carried(&legs, target.leg_length),
            scale,
            stride: scale * options.stride,
            frame_seconds,
            options: *options,
            start: None,
            detector,
            ahead,
            ring: vec![frame; ahead + 5],
            pushed: 0,
            flagged: 0,
            emitted: 0,
            feet: vec![Foot::new(target.floor, lead); legs.len()],
            ground_offset: [0.0; 2],
            shifted: [Vec3::zeros(); 2],
            height: PelvisHeight::new(lead, frame_seconds),
            twisted: [0.0; 2],
            drop: [PelvisDrop::new(lead), PelvisDrop::new(lead)],
            points: Vec::with_capacity(2 * legs.len()),
            legs,
            body,
            collisions: options.collide.then(|| Collisions::of(&target, &arms, ahead, frame_seconds)),
            lift: 0.0,
            left_in_ground: Peak::default(),
            helpers: target.helpers(map),
            imitation: at_rest.clone(),
            pose: at_rest,
            origins,
            arms,
            hand_stance,
            target,
        }
    }
}

/// Where the middle joint of an animal's leg is a hock or a wrist on both sides, the leg bends as it is drawn.
fn bend_as_drawn(leg: &mut TargetLeg, target: &Target, (source, theirs): (&Figure, (Limb, Side))) {
    if !target.figure.is_quadruped() || bend_of_hock(source, theirs).is_none() {
        return;
    }
    if let Some(bend) = bend_of_hock(&target.figure, leg.key) {
        leg.hinge = target.rest[leg.hip].inverse() * bend;
    }
}

impl SourceLeg {
    /// A leg of the source's figure; `None` if there is none, or none with any length.
    fn of(figure: &Figure, key: (Limb, Side), contact: ContactHeights) -> Option<SourceLeg> {
        let (limb, side) = key;
        let (joint, points) = (figure.limb(limb, side, Segment::Upper)?, foot_points(figure, key)?);
        let [ankle, ball] = points.map(|joint| figure.positions[joint]);
        let hip = figure.positions[joint];
        let knee = limb_position(figure, key, Segment::Lower)?;
        let hock = limb_position(figure, key, Segment::Hock).unwrap_or(ankle);
        let length = (knee - hip).norm() + (hock - knee).norm() + (ankle - hock).norm();
        let other = limb_position(figure, (limb, side.other()), Segment::Upper).unwrap_or(hip);
        (length > 0.0).then(|| SourceLeg {
            hip: joint,
            points,
            length,
            foot_length: (ball - ankle).norm(),
            half_width: 0.5 * (hip.x - other.x).abs(),
            stance: Vec3::zeros(),
            contact,
        })
    }
}

/// The legs that carry the pelvis: those of a person, the hind legs of an animal.
fn carriers(legs: &[(TargetLeg, SourceLeg)]) -> impl Iterator<Item = &(TargetLeg, SourceLeg)> + Clone {
    legs.iter().filter(|(leg, _)| leg.key.0 == Limb::Leg)
}

/// The middle between the character's hips.
fn hip_middle(target: &Target, legs: &[(TargetLeg, SourceLeg)]) -> Option<Vec3> {
    carriers(legs).next()?;
    Some(mean(carriers(legs).map(|(leg, _)| target.figure.positions[leg.hip])))
}

/// How much further apart, or ahead, the feet of the character stand by its build than the scaled source's.
fn take_stance(
    legs: &mut [(TargetLeg, SourceLeg)],
    target: &Target,
    figure: &Figure,
    middle: &Vec3,
    scale: f64,
) {
    let source_middle = mean(carriers(legs).map(|(_, leg)| figure.positions[leg.hip]));
    for (leg, theirs) in legs {
        let ours = target.figure.positions[leg.hip] - middle;
        let side = if leg.key.1 == Side::Left { theirs.half_width } else { -theirs.half_width };
        let ahead = figure.positions[theirs.hip].z - source_middle.z;
        theirs.stance = Vec3::new(ours.x - scale * side, 0.0, ours.z - scale * ahead);
    }
}

/// Width of the hips in leg lengths, the character's to the source's; 1 where one of them has none.
fn hip_width_ratio(target: &Target, legs: &[(TargetLeg, SourceLeg)], middle: &Vec3, scale: f64) -> f64 {
    let ratios = carriers(legs).filter(|(_, theirs)| theirs.half_width > 0.0).map(|(leg, theirs)| {
        (target.figure.positions[leg.hip] - middle).x.abs() / (scale * theirs.half_width)
    });
    let least = ratios.fold(f64::INFINITY, f64::min);
    if least.is_finite() { least } else { 1.0 }
}

/// How much of the pelvis's shift a free foot goes along: the more, the farther apart feet stand by the build. Around wide hips
/// that turn about one foot the other one would lag far behind; feet of slender figures would only leave the source's positions.
fn carried(legs: &[(TargetLeg, SourceLeg)], leg_length: f64) -> f64 {
    let (mut apart, mut count) = (0.0, 0.0);
    for (_, leg) in carriers(legs) {
        apart += leg.stance.x.abs();
        count += 1.0;
    }
    let apart = apart / f64::max(count * leg_length, f64::MIN_POSITIVE);
    MOST_CARRIED * apart / (apart + APART)
}

impl Base {
    /// What the legs of a kind carry; `None` without such legs.
    fn of(target: &Target, legs: &[(TargetLeg, SourceLeg)], limb: Limb) -> Option<Base> {
        let legs: Vec<&(TargetLeg, SourceLeg)> = legs.iter().filter(|(leg, _)| leg.key.0 == limb).collect();
        let count = legs.len() as f64;
        let source_length = legs.iter().map(|(_, leg)| leg.length).sum::<f64>();
        let target_length = legs.iter().map(|(leg, _)| leg.lengths.iter().sum::<f64>()).sum::<f64>();
        (count > 0.0).then(|| Base {
            joints: legs.iter().map(|(_, leg)| leg.hip).collect(),
            source_ankle: legs.iter().map(|(_, leg)| leg.contact.heights[0]).sum::<f64>() / count,
            target_ankle: legs.iter().map(|(leg, _)| target.ankle_height(leg)).sum::<f64>() / count,
            scale: target_length / source_length.max(f64::MIN_POSITIVE),
        })
    }
}
