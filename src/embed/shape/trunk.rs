//! The joints of the trunk: hips where the rearmost legs hang, a chest where the foremost do, a neck and a head beyond, a tail behind.

use super::FreeJoint;
use super::names::{CHEST, HEAD, HEAD_TIP, HIPS, NECK, SPINE, TAIL, TAIL_TIP, TIP, from_second};
use crate::embed::census::{Census, CensusLimb, EndRole, Spine};
use crate::math::{Vec3, median};
use crate::skeleton::LimbKind;

/// Pairs of limbs that leave the trunk within this distance, in S, hang on one joint.
const TOGETHER: f64 = 0.12;
/// A bone of the spine is at most this many of its radii long.
const BONE: f64 = 2.5;
/// Joints between hips and chest at most.
const MOST_BETWEEN: usize = 3;
/// The neck is thinner than this part of the chest.
const THIN_NECK: f64 = 0.6;
/// A bone of a neck is so many radii long, and there are at most so many.
const NECK_BONE: f64 = 4.0;
const MOST_NECKS: usize = 5;
/// The head begins where it is this much thicker than the neck, else at this part of the way.
const GROWS: f64 = 1.25;
const USUAL_HEAD: f64 = 0.62;
/// What reaches less than this beyond the chest, in S, has no neck; less than the second, no head.
const SHORT_NECK: f64 = 0.2;
const SHORT_HEAD: f64 = 0.05;
/// A rear end that reaches farther beyond the hips than this, in S, has a joint: the abdomen of a spider.
const REAR: f64 = 0.15;
/// Joints of a body without limbs: one for each so many radii.
const BARE_BONE: f64 = 3.0;
const BARE_BONES: [f64; 2] = [6.0, 16.0];
/// The neck is not looked for in this part of the way from the end of the head to where the neck begins.
const SKULL: f64 = 0.3;
/// The waist of an abdomen is in this part of the rear end.
const WAIST: f64 = 0.6;
/// Trust in the joints of the trunk.
const TRUST: f64 = 0.7;

/// The joints of a trunk.
#[derive(Debug, Clone)]
pub struct Trunk {
    /// Parents first; the first is the hips.
    pub joints: Vec<FreeJoint>,
    /// Where on the line of the spine each is.
    places: Vec<f64>,
    /// The joint on which the head's limbs hang.
    head: usize,
    /// The joint on which a tail hangs.
    hips: usize,
    /// It has no limbs at its sides, so that its joints go on to its ends.
    pub is_bare: bool,
}

impl Trunk {
    /// Of a body.
    pub fn of(census: &Census) -> Trunk {
        let line = Line::of(&census.spine);
        let attached = attached(census, &line);
        match (attached.is_empty(), line.length > 0.0) {
            (_, false) => Trunk::of_ball(census),
            (true, true) => Trunk::bare(census, &line),
            (false, true) => Trunk::with_limbs(census, &line, &attached),
        }
    }

    /// The joint on which a limb hangs: the nearest one of the trunk, the head's for what the head carries.
    pub fn carrier(&self, census: &Census, limb: &CensusLimb) -> usize {
        match limb.role {
            EndRole::Limb(LimbKind::Tail) if census.spine.lies || limb.share < 0.5 => self.hips,
            _ if limb.host.is_some() && limb.host == census.spine.head => self.head,
            _ => {
                let place = Line::of(&census.spine).place(&limb.base);
                let distance = |joint: usize| (self.places[joint] - place).abs();
                (0..self.joints.len())
                    .filter(|&joint| !self.joints[joint].is_tip)
                    .min_by(|&a, &b| distance(a).total_cmp(&distance(b)))
                    .unwrap_or(0)
            }
        }
    }

    /// A point of the spine.
    pub fn line(&self, census: &Census, at: usize) -> Vec3 {
        census.spine.line.get(at).copied().unwrap_or_default()
    }

    /// A body of no length.
    fn of_ball(census: &Census) -> Trunk {
        let middle = census.spine.line.first().copied().unwrap_or_default();
        let mut trunk = Trunk::empty();
        trunk.push(HIPS, None, 0.0, middle);
        trunk
    }

    fn empty() -> Trunk {
        Trunk { joints: Vec::new(), places: Vec::new(), head: 0, hips: 0, is_bare: false }
    }

    fn push(&mut self, name: &str, parent: Option<usize>, place: f64, position: Vec3) -> usize {
        self.joints.push(FreeJoint {
            name: name.to_owned(),
            parent,
            position,
            confidence: TRUST,
            is_tip: name.ends_with(TIP),
            is_foot: false,
            is_torso: true,
        });
        self.places.push(place);
        self.joints.len() - 1
    }

    /// A body without limbs at its sides: hips in the middle, spine, neck and head before it, a tail behind.
    fn bare(census: &Census, line: &Line) -> Trunk {
        let mut trunk = Trunk::empty();
        let plane = plane(census);
        let radius = median(&mut line.radii.clone()).unwrap_or(line.length);
        trunk.is_bare = true;
        let bones =
            (line.length / (BARE_BONE * radius.max(f64::MIN_POSITIVE))).clamp(BARE_BONES[0], BARE_BONES[1]);
        let bones = bones.round() as usize;
        let place = |k: usize| line.length * k as f64 / bones as f64;
        let middle = bones / 2;
        let at = |k: usize| plane(line.at(place(k)));
        let mut parent = trunk.push(HIPS, None, place(middle), at(middle));
        for k in (0..middle).rev() {
            let name = match k {
                0 => HEAD_TIP.to_owned(),
                1 => HEAD.to_owned(),
                2 => NECK.to_owned(),
                _ => from_second(SPINE, middle - k),
            };
            parent = trunk.push(&name, Some(parent), place(k), at(k));
            trunk.head = if k == 1 { parent } else { trunk.head };
        }
        parent = trunk.hips;
        for k in middle + 1..=bones {
            let name = if k == bones { TAIL_TIP.to_owned() } else { format!("{TAIL}{}", k - middle) };
            parent = trunk.push(&name, Some(parent), place(k), at(k));
        }
        trunk
    }

    fn with_limbs(census: &Census, line: &Line, attached: &[f64]) -> Trunk {
        let mut trunk = Trunk::empty();
        let plane = plane(census);
        let size = census.size;
        let [foremost, rearmost] = [attached[0], attached[attached.len() - 1]];
        let is_one = attached.windows(2).all(|pair| pair[1] - pair[0] <= TOGETHER * size);
        let hips = if is_one { 0.5 * (foremost + rearmost) } else { rearmost };
        let mut parent = trunk.push(HIPS, None, hips, plane(line.at(hips)));
        let mut front = hips;
        if !is_one {
            let (names, places) = between(line, foremost, rearmost);
            for (name, place) in names.iter().zip(places) {
                parent = trunk.push(name, Some(parent), place, plane(line.at(place)));
            }
            front = foremost;
        }
        trunk.head = parent;
        let reach = if is_one { foremost } else { front };
        if is_one && census.spine.head.is_none() && !census.spine.lies {
            trunk.add_round_head(line, census.spine.core, &plane);
        } else {
            trunk.add_head(line, reach, size, &plane);
        }
        trunk.add_rear(census, line, rearmost, &plane);
        trunk
    }

    /// Neck and head beyond the chest, which is `chest` along the line from its end.
    fn add_head(&mut self, line: &Line, chest: f64, size: f64, plane: &dyn Fn(Vec3) -> Vec3) {
        if chest < SHORT_HEAD * size {
            return;
        }
        let mut parent = self.head;
        let neck = line.neck(chest).filter(|_| chest >= SHORT_NECK * size);
        let head = match neck {
            Some([neck, head]) => {
                let radius = line.radius_at(0.5 * (neck + head)).max(f64::MIN_POSITIVE);
                let bones = (((neck - head) / (NECK_BONE * radius)).round() as usize).clamp(1, MOST_NECKS);
                for k in 0..bones {
                    let place = neck + (head - neck) * k as f64 / bones as f64;
                    parent = self.push(&from_second(NECK, k + 1), Some(parent), place, plane(line.at(place)));
                }
                head
            }
            None => chest * (1.0 - USUAL_HEAD),
        };
        self.head = self.push(HEAD, Some(parent), head, plane(line.at(head)));
        self.push(HEAD_TIP, Some(self.head), 0.0, plane(line.at(0.0)));
    }

    /// A trunk on legs that is nothing but a head turns about its middle.
    fn add_round_head(&mut self, line: &Line, core: Vec3, plane: &dyn Fn(Vec3) -> Vec3) {
        self.head = self.push(HEAD, Some(self.head), line.place(&core), plane(core));
        self.push(HEAD_TIP, Some(self.head), 0.0, plane(line.at(0.0)));
    }

    /// An abdomen, or another rear end without a tail.
    fn add_rear(&mut self, census: &Census, line: &Line, hips: f64, plane: &dyn Fn(Vec3) -> Vec3) {
        let has_tail = census.limbs.iter().any(|limb| limb.role == EndRole::Limb(LimbKind::Tail));
        let beyond = line.length - hips;
        if has_tail || beyond < REAR * census.size || !census.spine.lies {
            return;
        }
        let waist = line.waist(hips).unwrap_or(hips + beyond / REAR_PARTS);
        let tail = self.push(&format!("{TAIL}1"), Some(self.hips), waist, plane(line.at(waist)));
        self.push(TAIL_TIP, Some(tail), line.length, plane(line.at(line.length)));
    }
}

/// Where a rear end begins without a waist, in parts of it.
const REAR_PARTS: f64 = 4.0;
/// Joints between the hips and the chest, and the chest.
fn between(line: &Line, chest: f64, hips: f64) -> (Vec<String>, Vec<f64>) {
    let radius = line.radius_at(0.5 * (chest + hips)).max(f64::MIN_POSITIVE);
    let count = (((hips - chest) / (BONE * radius)).ceil() as usize).saturating_sub(1).min(MOST_BETWEEN);
    let place = |k: usize| hips + (chest - hips) * k as f64 / (count + 1) as f64;
    let mut names: Vec<String> = (1..=count).map(|k| from_second(SPINE, k)).collect();
    names.push(CHEST.to_owned());
    (names, (1..=count + 1).map(place).collect())
}

/// Puts points on the mirror plane of a body that has one.
fn plane(census: &Census) -> impl Fn(Vec3) -> Vec3 + use<> {
    let is_symmetric = census.mirror_overlap >= super::SYMMETRIC;
    move |point| if is_symmetric { Vec3::new(0.0, point.y, point.z) } else { point }
}

/// Where pairs of legs and arms and wings leave the spine, from the head on.
fn attached(census: &Census, line: &Line) -> Vec<f64> {
    let hangs = |limb: &&CensusLimb| {
        let carries = [LimbKind::Leg, LimbKind::Arm, LimbKind::Wing].map(EndRole::Limb).contains(&limb.role);
        carries && limb.host.is_none()
    };
    let mut places: Vec<f64> = census.limbs.iter().filter(hangs).map(|limb| line.place(&limb.base)).collect();
    places.sort_by(f64::total_cmp);
    places
}

/// The line of the spine by its length from the head.
struct Line {
    points: Vec<Vec3>,
    radii: Vec<f64>,
    before: Vec<f64>,
    length: f64,
}

impl Line {
    fn of(spine: &Spine) -> Line {
        let mut before = vec![0.0];
        for pair in spine.line.windows(2) {
            before.push(before[before.len() - 1] + (pair[1] - pair[0]).norm());
        }
        let length = before[before.len() - 1];
        Line { points: spine.line.clone(), radii: spine.radii.clone(), before, length }
    }

    fn index(&self, place: f64) -> usize {
        self.before.partition_point(|&before| before < place).min(self.points.len().saturating_sub(1))
    }

    fn at(&self, place: f64) -> Vec3 {
        self.points.get(self.index(place)).copied().unwrap_or_default()
    }

    fn radius_at(&self, place: f64) -> f64 {
        self.radii.get(self.index(place)).copied().unwrap_or(0.0)
    }

    /// Where the point nearest to another is.
    fn place(&self, point: &Vec3) -> f64 {
        let distance = |at: usize| (self.points[at] - point).norm_squared();
        let nearest = (0..self.points.len()).min_by(|&a, &b| distance(a).total_cmp(&distance(b)));
        nearest.map_or(0.0, |at| self.before[at])
    }

    /// Where the neck begins and where the head does, before the chest.
    fn neck(&self, chest: f64) -> Option<[f64; 2]> {
        let from = self.index(chest);
        let thick = self.radii.get(from).copied()?;
        let neck = (0..from).rev().find(|&at| self.radii[at] < THIN_NECK * thick)?;
        let narrowest = (0..=neck).min_by(|&a, &b| {
            let inner = |at: usize| {
                if self.before[at] > SKULL * self.before[neck] { self.radii[at] } else { f64::INFINITY }
            };
            inner(a).total_cmp(&inner(b))
        })?;
        let head = (0..narrowest).rev().find(|&at| self.radii[at] > GROWS * self.radii[narrowest]);
        let usual = (1.0 - USUAL_HEAD) * self.before[neck];
        Some([self.before[neck], head.map_or(usual, |at| self.before[at]).min(usual.max(0.0) + 0.5 * usual)])
    }

    /// The narrowest place behind the hips, if the body grows again beyond.
    fn waist(&self, hips: f64) -> Option<f64> {
        let from = self.index(hips);
        let to = self.points.len();
        let narrowest = (from..to.saturating_sub(3)).min_by(|&a, &b| {
            let inner = |at: usize| {
                if self.before[at] < hips + WAIST * (self.length - hips) {
                    self.radii[at]
                } else {
                    f64::INFINITY
                }
            };
            inner(a).total_cmp(&inner(b))
        })?;
        let grows = self.radii[narrowest..].iter().any(|&radius| radius > GROWS * self.radii[narrowest]);
        grows.then(|| self.before[narrowest])
    }
}
