//! The energy that is minimised.

use super::{Descent, RestSkeleton};
use crate::embed::field::DistanceField;
use crate::embed::point_tree::PointTree;
use crate::math::{Vec3, acos, cube, square};

/// Weights of the terms of the energy.
const CENTERED: f64 = 15000.0;
const LENGTH: f64 = 0.25;
const ANGLE: f64 = 2.0;

/// Bones are looked at in this many points.
const POINTS: usize = 10;

/// A point as deep as this is free of charge, whether or not it is in the middle.
const DEEP: f64 = 0.05;

/// Medial samples are looked for this much farther away than it takes to be deep.
const REACH: f64 = 0.001;

/// So is one as near as this to a medial sample: the distance between the samples of the original.
const NEAR: f64 = 0.003;

/// L: added to both squared lengths; the ratio up to which a bone is long enough; and the least length times rest length that
/// the original counts.
const SHORT_SLACK: f64 = 1e-4;
const LONG_ENOUGH: f64 = 0.5;
const COMPAT_LEAST: f64 = -10.0;

/// A: the cube of a base and a slope times the angle; the cosine from which on bones are parallel, and what they cost then,
/// the cube of the base.
const ANGLE_BASE: f64 = 0.3;
const ANGLE_SLOPE: f64 = 0.5;
const PARALLEL: f64 = 1.0 - 1e-8;
const PARALLEL_COST: f64 = 0.027;

/// Bones that point backwards cost this many times as much; smoothly, over so many degrees around a right angle.
const BACKWARDS: f64 = 10.0;
const BACKWARDS_DEGREES: f64 = 20.0;

/// Y: added to squared lengths that others are divided by, and the ratio up to which partners are equally long.
const PARTNER_SLACK: f64 = 0.001;
const EQUAL: f64 = 1.05;

/// Lengths, squared lengths and sines of no direction.
const NO_LENGTH: f64 = 1e-12;
const NO_DIRECTION: f64 = 1e-16;
const LEAST_SINE: f64 = 1e-6;

pub(super) struct Energy<'a> {
    pub rest: &'a RestSkeleton<'a>,
    pub field: &'a DistanceField,
    pub samples: PointTree,
    pub descent: Descent,
}

/// Vectors of a bone in the character and in the rest pose.
struct Bone {
    vector: Vec3,
    rest: Vec3,
}

impl Energy<'_> {
    pub fn bones(&self) -> impl Iterator<Item = (usize, usize)> {
        self.rest.parents.iter().enumerate().filter_map(|(joint, &parent)| Some((joint, parent?)))
    }

    /// The energy of a placement of the joints; its derivatives are added to `gradient`.
    pub fn at(&self, joints: &[Vec3], mut gradient: Option<&mut Vec<Vec3>>) -> f64 {
        let shares = self.bones().map(|(joint, parent)| {
            self.of_bone(joint, parent, joints, &mut |moved, derivative| {
                if let Some(gradient) = gradient.as_deref_mut() {
                    gradient[moved] += derivative;
                }
            })
        });
        shares.sum()
    }

    /// The direction in which the energy falls most.
    pub fn steepest(&self, joints: &[Vec3]) -> Vec<Vec3> {
        let mut gradient = vec![Vec3::zeros(); joints.len()];
        self.at(joints, Some(&mut gradient));
        gradient.iter_mut().for_each(|component| *component = -*component);
        self.rest.fixed.iter().for_each(|&joint| gradient[joint] = Vec3::zeros());
        gradient
    }

    /// The share of `bones`, and its derivative by the position of a joint.
    pub fn around(&self, joint: usize, bones: &[(usize, usize)], joints: &[Vec3]) -> (f64, Vec3) {
        let mut gradient = Vec3::zeros();
        let shares = bones.iter().map(|&(end, parent)| {
            self.of_bone(end, parent, joints, &mut |moved, derivative| {
                if moved == joint {
                    gradient += derivative;
                }
            })
        });
        (shares.sum::<f64>(), gradient)
    }

    /// The share of the bone from `parent` to `joint`; its derivatives are handed to `push`.
    fn of_bone(
        &self,
        joint: usize,
        parent: usize,
        joints: &[Vec3],
        push: &mut impl FnMut(usize, Vec3),
    ) -> f64 {
        let mut total = 0.0;
        for step in 0..POINTS {
            let f = step as f64 / POINTS as f64;
            let point = joints[joint] * (1.0 - f) + joints[parent] * f;
            if let Some((penalty, derivative)) = self.off_center(&point) {
                total += CENTERED / POINTS as f64 * penalty;
                let derivative = derivative * (CENTERED / POINTS as f64);
                push(joint, derivative * (1.0 - f));
                push(parent, derivative * f);
            }
        }

        let rest = self.rest.positions[joint] - self.rest.positions[parent];
        let bone = Bone { vector: joints[joint] - joints[parent], rest };
        let (short, short_derivative) = self.shortness(&bone);
        let (angle, angle_derivative) = self.angle(&bone);
        total += LENGTH * short + ANGLE * angle;
        let derivative = short_derivative * LENGTH + angle_derivative * ANGLE;
        push(joint, derivative);
        push(parent, -derivative);

        if let Some((partner, partner_parent)) = self.partner_bone(joint) {
            let partner_vector = joints[partner] - joints[partner_parent];
            let (asymmetry, derivative, partner_derivative) = self.asymmetry(&bone, &partner_vector);
            total += asymmetry;
            push(joint, derivative);
            push(parent, -derivative);
            push(partner, partner_derivative);
            push(partner_parent, -partner_derivative);
        }
        total
    }

    /// The bone with which that of `joint` is compared: once for each pair, by its second joint.
    fn partner_bone(&self, joint: usize) -> Option<(usize, usize)> {
        let partner = self.rest.partners[joint].filter(|&partner| partner < joint)?;
        Some((partner, self.rest.parents[partner]?))
    }

    /// For each joint, the bones whose share depends on where it is.
    pub fn bones_by_joint(&self) -> Vec<Vec<(usize, usize)>> {
        let mut bones = vec![Vec::new(); self.rest.parents.len()];
        for (joint, parent) in self.bones() {
            let mut ends = vec![joint, parent];
            ends.extend(self.partner_bone(joint).into_iter().flat_map(|(joint, parent)| [joint, parent]));
            ends.sort_unstable();
            ends.dedup();
            ends.iter().for_each(|&end| bones[end].push((joint, parent)));
        }
        bones
    }

    /// S: how far a point is from the medial samples, or from being deep inside if that is less. `None` if it is free.
    fn off_center(&self, point: &Vec3) -> Option<(f64, Vec3)> {
        let shallow = (DEEP + self.field.value(point)).max(0.0);
        let reach = REACH + shallow;
        if reach <= NEAR {
            return None;
        }
        let (distance, derivative) = match self.samples.nearest(point, reach * reach) {
            Some((sample, squared)) => (squared.sqrt(), (point - sample) / squared.sqrt().max(NO_LENGTH)),
            None => (reach, self.field_gradient(point)),
        };
        if distance <= NEAR {
            return None;
        }
        let excess = match self.descent {
            Descent::LineSearches => distance,
            // Without the jump from nothing to the square of the limit.
            Descent::Smooth => distance - NEAR,
        };
        Some((excess * excess, derivative * (2.0 * excess)))
    }

    fn field_gradient(&self, point: &Vec3) -> Vec3 {
        match self.descent {
            Descent::LineSearches => self.field.gradient(point),
            // Across the leaves: on a crease between two of them, the gradient of either misleads.
            Descent::Smooth => Vec3::from_fn(|axis, _| {
                let step = Vec3::ith(axis, NEAR);
                (self.field.value(&(point + step)) - self.field.value(&(point - step))) / (2.0 * NEAR)
            }),
        }
    }

    /// L: the squared length in the rest pose over that along the direction of the rest pose; longer bones are free.
    fn shortness(&self, bone: &Bone) -> (f64, Vec3) {
        let (squared, derivative) = self.length_along_rest(bone);
        let ratio = (SHORT_SLACK + bone.rest.norm_squared()) / (SHORT_SLACK + squared);
        // NaN, the length along a rest bone without length, is free.
        if ratio > LONG_ENOUGH {
            (ratio, derivative * (-ratio / (SHORT_SLACK + squared)))
        } else {
            (LONG_ENOUGH, Vec3::zeros())
        }
    }

    /// The squared length along the direction of the rest pose.
    fn length_along_rest(&self, bone: &Bone) -> (f64, Vec3) {
        let least = if self.descent == Descent::Smooth { 0.0 } else { COMPAT_LEAST };
        let along = bone.vector.dot(&bone.rest).max(least);
        let squared = bone.rest.norm_squared();
        (along * along / squared, bone.rest * (2.0 * along / squared))
    }

    /// A: the angle between the bone and its rest pose; bones that point backwards cost ten times as much.
    fn angle(&self, bone: &Bone) -> (f64, Vec3) {
        let (length, rest_length) = (bone.vector.norm(), bone.rest.norm());
        let (direction, rest) = (bone.vector / length, bone.rest / rest_length);
        let cosine = direction.dot(&rest).clamp(-1.0, 1.0);
        // NaN, without a direction, is free.
        if !(square(cosine * length) > NO_DIRECTION) {
            return (0.0, Vec3::zeros());
        }
        if !(cosine < PARALLEL) {
            return (PARALLEL_COST, Vec3::zeros());
        }
        let angle = acos(cosine);
        let (backwards, backwards_derivative) = self.backwards(angle);
        let base = ANGLE_BASE + ANGLE_SLOPE * angle;
        let value = cube(base) * backwards;
        let by_angle = 3.0 * ANGLE_SLOPE * square(base) * backwards + cube(base) * backwards_derivative;
        let by_cosine = -by_angle / (1.0 - cosine * cosine).sqrt().max(LEAST_SINE);
        (value, (rest - direction * cosine) * (by_cosine / length))
    }

    /// The factor for bones that point backwards and its derivative by the angle. The original jumps from 1 to 10 at a
    /// right angle; smoothly it rises over the range around it.
    fn backwards(&self, angle: f64) -> (f64, f64) {
        let right = std::f64::consts::FRAC_PI_2;
        match self.descent {
            Descent::LineSearches => (if angle > right { BACKWARDS } else { 1.0 }, 0.0),
            Descent::Smooth => {
                let width = BACKWARDS_DEGREES.to_radians();
                let (t, rise) = (((angle - right) / width + 0.5).clamp(0.0, 1.0), BACKWARDS - 1.0);
                (1.0 + rise * t * t * (3.0 - 2.0 * t), 6.0 * rise * t * (1.0 - t) / width)
            }
        }
    }

    /// Y: the squared lengths of two partners over each other, from 5 % on; the derivatives by either.
    fn asymmetry(&self, bone: &Bone, partner: &Vec3) -> (f64, Vec3, Vec3) {
        let (squared, derivative) = match self.descent {
            Descent::Smooth => (bone.vector.norm_squared(), bone.vector * 2.0),
            // The original compares a length along the rest pose with a full one.
            Descent::LineSearches => self.length_along_rest(bone),
        };
        let (partner_squared, partner_derivative) = (partner.norm_squared(), partner * 2.0);
        let longer = squared / (PARTNER_SLACK + partner_squared);
        let shorter = partner_squared / (PARTNER_SLACK + squared);
        if longer > EQUAL && longer >= shorter {
            let slope = 1.0 / (PARTNER_SLACK + partner_squared);
            (longer, derivative * slope, partner_derivative * (-longer * slope))
        } else if shorter > EQUAL {
            let slope = 1.0 / (PARTNER_SLACK + squared);
            (shorter, derivative * (-shorter * slope), partner_derivative * slope)
        } else {
            (EQUAL, Vec3::zeros(), Vec3::zeros())
        }
    }
}
