//! Fits a part of a character of the library to the target, and says how well (sections 5.2 to 5.4 of the paper).

use super::icp::{self, IcpInput, PartSample, REACH};
use super::oriented_tree::{Contact, OrientedTree};
use super::pose::{Affine, JointOrigin, frame, posed, segment_maps};
use super::slots::{Body, Slot};
use crate::math::{Mat3, Vec3};
use crate::mesh::samples::sample_surface;
use crate::skeleton::naming::{Limb, Role, Segment, Side};

/// Vertices that move less with a part are not of it. With more, seams lose their fade; with less, chunks drag half the trunk along.
const OF_PART: f64 = 0.01;
/// A target vertex looks for a part only if heat gives it so much of the weight there: an arm that hangs beside a hip never looks at the leg.
/// Without it the difference from the artist is 0.206 instead of 0.081.
pub(super) const GATE: f64 = 0.01;
/// Samples of a part that decide which characters are fitted. With fewer the best is missed.
const FEW: usize = 300;
/// Samples that are fitted. With fewer, fingers decide by luck; 2 500 gain 0.002.
const MANY: usize = 600;
/// Chunks with fewer triangles are no part.
const FEWEST_TRIANGLES: usize = 8;
/// Weight of all tags in weights of all samples. Given joints that weigh less wander; found ones that weigh more cannot be mended (0.164
/// instead of 0.149).
const GIVEN_TAGS: f64 = 0.5;
const FOUND_TAGS: f64 = 0.02;
/// Height of the person to whom the metres of the paper belong.
const PERSON: f64 = 1.75;
/// Penalty for square metres between tags and their places (section 5.4).
const TAG_PENALTY: f64 = 0.01;

/// The target and what all fits ask of it.
pub(super) struct FitTarget<'a> {
    pub body: &'a Body<'a>,
    pub origin: JointOrigin,
    pub height: f64,
    pub surface: &'a OrientedTree,
    pub normals: &'a [Vec3],
    pub areas: &'a [f64],
}

/// A character of the library as the target stands.
pub(super) struct PosedSource<'a> {
    pub body: &'a Body<'a>,
    pub maps: Vec<Affine>,
    positions: Vec<Vec3>,
}

/// A part, fitted.
pub(super) struct PartFit {
    /// Which character.
    pub source: usize,
    /// After the pose, from iterative closest points.
    pub map: Affine,
    /// Mean distances: from the part to the target, and back.
    pub distances: [f64; 2],
    /// Smaller is better; metres of a person.
    pub score: f64,
    /// For each target vertex that looks for the part, the point that it found.
    pub contacts: Vec<(u32, Option<Contact>)>,
    /// Triangles of the chunk, by vertices of the character.
    pub triangles: Vec<[u32; 3]>,
}

impl PartFit {
    /// The mean of both distances.
    pub fn distance(&self) -> f64 {
        0.5 * (self.distances[0] + self.distances[1])
    }
}

impl<'a> PosedSource<'a> {
    pub fn new(body: &'a Body<'a>, target: &FitTarget) -> PosedSource<'a> {
        let maps = segment_maps(body, target.body, target.origin);
        let positions = posed(body, &maps);
        PosedSource { body, maps, positions }
    }
}

/// A part of a posed character.
pub(super) struct Chunk<'a> {
    posed: &'a PosedSource<'a>,
    slot: Slot,
    shares: Vec<f64>,
    triangles: Vec<[u32; 3]>,
}

impl<'a> Chunk<'a> {
    /// `None` if the character has no such part, or less of it than the target.
    pub fn of(posed: &'a PosedSource, slot: Slot, target: &Body) -> Option<Chunk<'a>> {
        if !is_usable(posed.body, slot, target) {
            return None;
        }
        let shares = posed.body.shares(slot);
        let is_own = |triangle: &&[u32; 3]| triangle.iter().any(|&v| shares[v as usize] > OF_PART);
        let triangles: Vec<[u32; 3]> = posed.body.triangles.iter().filter(is_own).copied().collect();
        (triangles.len() >= FEWEST_TRIANGLES).then_some(Chunk { posed, slot, shares, triangles })
    }

    fn samples(&self, count: usize) -> Vec<PartSample> {
        let samples = sample_surface(&self.posed.positions, &self.triangles, count).into_iter();
        let weighted = samples.map(|sample| {
            let shares = self.triangles[sample.triangle].map(|v| self.shares[v as usize]);
            PartSample {
                position: sample.position,
                normal: sample.normal,
                weight: shares.iter().sum::<f64>() / 3.0,
            }
        });
        // Of triangles without area there is no normal.
        weighted.filter(|sample| sample.normal.iter().all(|x| x.is_finite())).collect()
    }

    /// Tags of the part, posed, and where the target has them.
    fn tags(&self, target: &Body) -> Vec<(Vec3, Vec3)> {
        let own = self.posed.body.tags.iter().filter(|(role, _)| Slot::of_role(**role) == self.slot);
        let pairs = own.filter_map(|(role, place)| {
            // Ends of limbs are read off the surface, which is fitted anyway.
            let joint = self.posed.body.find(*role)?;
            Some((self.posed.maps[joint].apply(place), *target.tags.get(role)?))
        });
        pairs.collect()
    }

    fn input<'b>(
        &self,
        target: &'b FitTarget,
        samples: &'b [PartSample],
        tags: &'b [(Vec3, Vec3)],
    ) -> IcpInput<'b> {
        let tag_weight = match target.origin {
            JointOrigin::Given => GIVEN_TAGS,
            JointOrigin::Found => FOUND_TAGS,
        };
        let frame = part_frame(target.body, self.slot).unwrap_or_else(Mat3::identity);
        IcpInput { samples, tags, tag_weight, surface: target.surface, frame, height: target.height }
    }

    /// How far the posed part is from the target, before it is fitted.
    pub fn posed_distance(&self, target: &FitTarget) -> f64 {
        let samples = self.samples(FEW);
        icp::mean_distance(&self.input(target, &samples, &[]), &Affine::IDENTITY)
    }

    /// The part, fitted.
    pub fn fit(self, source: usize, target: &FitTarget) -> PartFit {
        let (samples, tags) = (self.samples(MANY), self.tags(target.body));
        let input = self.input(target, &samples, &tags);
        let map = icp::fit(&input);
        let to_target = icp::mean_distance(&input, &map);
        let contacts = self.contacts(target, &map);
        let from_target = self.mean_contact(target, &contacts);
        let metres = PERSON / target.height;
        let apart = tags.iter().map(|(from, to)| (map.apply(from) - to).norm_squared());
        let tag_error = apart.fold(0.0, |sum, square| sum + square) * metres * metres;
        let score = (to_target + from_target) * metres + TAG_PENALTY * tag_error;
        let distances = [to_target, from_target];
        PartFit { source, map, distances, score, contacts, triangles: self.triangles }
    }

    /// For each target vertex that moves with the part by heat, its nearest point there.
    fn contacts(&self, target: &FitTarget, map: &Affine) -> Vec<(u32, Option<Contact>)> {
        let positions: Vec<Vec3> = self.posed.positions.iter().map(|position| map.apply(position)).collect();
        let tree = OrientedTree::new(&positions, &self.triangles);
        let shares = target.body.shares(self.slot);
        let looking = (0..shares.len()).filter(|&vertex| shares[vertex] > GATE);
        let reach = REACH * target.height;
        let contacts = looking.map(|vertex| {
            let contact = tree.nearest(&target.body.positions[vertex], &target.normals[vertex], reach);
            (vertex as u32, contact)
        });
        contacts.collect()
    }

    /// Equation 7 the other way round: small parts do not hide in large ones.
    fn mean_contact(&self, target: &FitTarget, contacts: &[(u32, Option<Contact>)]) -> f64 {
        let shares = target.body.shares(self.slot);
        let (mut sum, mut weights) = (0.0, 0.0);
        for (vertex, contact) in contacts {
            let weight = target.areas[*vertex as usize] * shares[*vertex as usize];
            let distance = contact.map_or(REACH * target.height, |contact| contact.distance);
            (sum, weights) = (sum + weight * distance, weights + weight);
        }
        sum / f64::max(weights, f64::MIN_POSITIVE)
    }
}

/// A rig without hands gives no arms to a character with hands, and an animal nothing to a person.
fn is_usable(source: &Body, slot: Slot, target: &Body) -> bool {
    let stands_on_four =
        |body: &Body| body.tags.contains_key(&Role::Limb(Limb::FrontLeg, Side::Left, Segment::Upper));
    if stands_on_four(source) != stands_on_four(target) {
        return false;
    }
    let needed: Vec<Role> = match slot {
        Slot::Trunk => vec![Role::Hips],
        Slot::Head => vec![Role::Head],
        Slot::Tail => vec![Role::Tail],
        Slot::Limb(limb, side) => {
            [Segment::Upper, Segment::Lower, Segment::End].map(|s| Role::Limb(limb, side, s)).into()
        }
    };
    let has = |body: &Body, role: &Role| body.tags.contains_key(role);
    needed.iter().all(|role| has(source, role) || !has(target, role))
}

/// The axes of a part on the target: limbs along themselves, the trunk up the back, all else those of the world.
fn part_frame(target: &Body, slot: Slot) -> Option<Mat3> {
    let tag = |role: Role| target.tags.get(&role).copied();
    let upper = |limb, side| tag(Role::Limb(limb, side, Segment::Upper));
    match slot {
        Slot::Limb(limb, side) => {
            let last = [Segment::End, Segment::Lower].into_iter();
            let last = last.filter_map(|segment| tag(Role::Limb(limb, side, segment))).next()?;
            let along = last - upper(limb, side)?;
            // Any axis across will do, as long as it is the same on both sides.
            frame(&Vec3::z(), &along).or_else(|| frame(&Vec3::x(), &along))
        }
        Slot::Trunk => {
            let across = upper(Limb::Leg, Side::Left)? - upper(Limb::Leg, Side::Right)?;
            frame(&across, &(tag(Role::Head)? - tag(Role::Hips)?))
        }
        Slot::Head | Slot::Tail => None,
    }
}
