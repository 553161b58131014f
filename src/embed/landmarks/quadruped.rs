//! Joints of a body on four legs.
//!
//! Legs are followed from the ground up to where they grow together; belly and back between them give the trunk,
//! and all joints of legs and trunk are fractions of these. Artists differ by a tenth of the height in where they
//! put hips, necks and knees of animals, so each fraction is one that serves several families of rigs.

use super::body_plan::BodyPlan;
use super::level_sets::LevelSets;
use super::limb_ends::neighbour_steps;
use super::{Doubt, Reading, Volumes, median, on_side};
use crate::embed::solid::Solid;
use crate::math::{DisjointSets, Vec3};

/// Legs are told from each other in the section at this height. Lower, and heels and toes are pieces of their
/// own; higher, and a body with short legs already rests on its belly.
const SHIN: f64 = 0.1;

/// Distance of fore and hind feet along the body at least.
pub const APART: f64 = 0.2;

/// Mean distance of a leg's voxels from the mirror plane at least. Legs of horses have 0.07, the tail of a rat 0.025.
const OFF_PLANE: f64 = 0.035;

/// Part of a piece's voxels at the mirror plane from which on it is a tail and not a leg.
const CENTRAL: f64 = 0.05;

/// The centre line of one leg, from the ground up to where it reaches the mirror plane as part of the trunk.
#[derive(Debug, Clone)]
struct LegLine {
    low: f64,
    step: f64,
    points: Vec<Vec3>,
    /// Smallest and largest z of each section.
    edges: Vec<[f64; 2]>,
}

impl LegLine {
    fn row(&self, y: f64) -> usize {
        (((y - self.low) / self.step).round().max(0.0) as usize).min(self.points.len() - 1)
    }

    /// The line at a height; above its end, its last point.
    fn at(&self, y: f64) -> Vec3 {
        self.points[self.row(y)]
    }

    /// Smallest and largest z at a height.
    fn edges(&self, y: f64) -> [f64; 2] {
        self.edges[self.row(y)]
    }

    /// Height of its last point.
    fn top(&self) -> f64 {
        self.low + self.step * (self.points.len() - 1) as f64
    }

    /// Where no leg was found: a vertical line.
    fn vertical(x: f64, z: f64) -> LegLine {
        LegLine { low: 0.0, step: 0.4, points: vec![Vec3::new(x, 0.2, z)], edges: vec![[z - 0.05, z + 0.05]] }
    }
}

/// A fore and a hind leg of one side.
#[derive(Debug, Clone)]
struct Legs {
    /// The leg in front.
    fore: LegLine,
    /// The leg behind.
    hind: LegLine,
    /// Height at which the two grow together.
    merge: f64,
}

impl Legs {
    /// Distance of the feet along the body.
    fn span(&self) -> f64 {
        self.fore.at(SHIN).z - self.hind.at(SHIN).z
    }
}

/// Fore and hind leg of one side: the two pieces of that half of the body that stand on the ground, followed up
/// to the height at which they become one.
fn find_legs(solid: &Solid, side: f64) -> Option<Legs> {
    let grid = &solid.grid;
    let cells: Vec<u32> = (0..grid.cells())
        .filter(|&cell| solid.filled[cell] && grid.center(cell).x * side > 0.0)
        .map(|cell| cell as u32)
        .collect();
    let row_of = |member: usize| grid.place(cells[member] as usize)[1];
    let neighbours = neighbour_steps(grid.size);
    let mut place = vec![u32::MAX; grid.cells()];
    let mut sets = DisjointSets::new(cells.len());
    let shin_row = grid.row_at(SHIN);
    let mut member = 0;
    let mut feet: Vec<Foot> = Vec::new();
    for row in 0..grid.size[1] {
        while member < cells.len() && row_of(member) == row {
            let cell = cells[member] as usize;
            place[cell] = member as u32;
            for step in neighbours {
                let other = place[cell.wrapping_add_signed(step)];
                if other != u32::MAX {
                    sets.union(member as u32, other);
                }
            }
            member += 1;
        }
        if row == shin_row {
            feet = find_feet(solid, &cells[..member], &mut sets);
        }
        if row < shin_row {
            continue;
        }
        let fore = feet.iter().max_by(|a, b| a.z.total_cmp(&b.z))?;
        let hind = feet.iter().min_by(|a, b| a.z.total_cmp(&b.z))?;
        if fore.z - hind.z < APART {
            return None;
        }
        if sets.find(fore.member).0 == sets.find(hind.member).0 {
            // One row too high: label what lies below.
            let below: Vec<bool> =
                (0..grid.cells()).map(|cell| place[cell] != u32::MAX && grid.place(cell)[1] < row).collect();
            let (piece_of, _) = grid.pieces(&below);
            let line =
                |foot: &Foot| leg_line(solid, &piece_of, piece_of[cells[foot.member as usize] as usize]);
            return Some(Legs { fore: line(fore), hind: line(hind), merge: grid.height_of(row) });
        }
    }
    None
}

/// A piece of one half of the body that stands on the ground: one of its voxels, and its middle along z.
struct Foot {
    member: u32,
    z: f64,
}

fn find_feet(solid: &Solid, cells: &[u32], sets: &mut DisjointSets) -> Vec<Foot> {
    #[derive(Default, Clone, Copy)]
    struct Piece {
        member: u32,
        count: f64,
        x: f64,
        z: f64,
        central: f64,
        reaches_shin: bool,
    }
    let grid = &solid.grid;
    let shin_row = grid.row_at(SHIN);
    let mut pieces = vec![Piece::default(); cells.len()];
    for (member, &cell) in cells.iter().enumerate() {
        let center = grid.center(cell as usize);
        let piece = &mut pieces[sets.find(member as u32).0 as usize];
        piece.count += 1.0;
        piece.x += center.x.abs();
        piece.z += center.z;
        piece.central += f64::from(u8::from(center.x.abs() < grid.voxel));
        if grid.place(cell as usize)[1] == shin_row {
            piece.reaches_shin = true;
            piece.member = member as u32;
        }
    }
    pieces
        .iter()
        .filter(|piece| piece.reaches_shin)
        .filter(|piece| piece.central < CENTRAL * piece.count && piece.x > OFF_PLANE * piece.count)
        .map(|piece| Foot { member: piece.member, z: piece.z / piece.count })
        .collect()
}

/// Shift of a section's middle along the body over two voxels at which the belly has joined the leg. The shanks of
/// dogs shift by up to 0.025; at 0.05 the fore legs of a pug reach into its belly.
const JUMP: f64 = 0.035;

fn leg_line(solid: &Solid, piece_of: &[u32], piece: u32) -> LegLine {
    let grid = &solid.grid;
    let mut line = LegLine { low: 0.0, step: grid.voxel, points: Vec::new(), edges: Vec::new() };
    for row in 0..grid.size[1] {
        let (mut sum, mut count) = (Vec3::zeros(), 0.0);
        let mut edges = [f64::MAX, f64::MIN];
        let mut in_trunk = false;
        for cell in grid.slice(row).filter(|&cell| piece_of[cell] == piece) {
            let center = grid.center(cell);
            in_trunk |= center.x.abs() < grid.voxel;
            sum += center;
            count += 1.0;
            edges = [edges[0].min(center.z), edges[1].max(center.z)];
        }
        if count == 0.0 {
            if line.points.is_empty() { continue } else { break }
        }
        let center = sum / count;
        let jumped = line.points.len() > 2 && (center.z - line.points[line.points.len() - 2].z).abs() > JUMP;
        if (in_trunk || jumped) && grid.height_of(row) > 2.0 * SHIN {
            break;
        }
        if line.points.is_empty() {
            line.low = grid.height_of(row);
        }
        line.points.push(center);
        line.edges.push(edges);
    }
    line
}

/// Belly and back: the lowest and highest height near the mirror plane between fore and hind legs. Of the heights of
/// the back a low one counts, because saddles, packs and humps only add.
fn trunk(solid: &Solid, legs: &Legs) -> (f64, f64) {
    let grid = &solid.grid;
    let range = |z: f64| {
        let place = ((z - grid.origin.z) / grid.voxel).max(0.0) as usize;
        let column = |y: &usize| {
            (0..grid.size[0]).any(|x| {
                let cell = grid.index([x, *y, place.min(grid.size[2] - 1)]);
                solid.filled[cell] && grid.center(cell).x.abs() < 0.03
            })
        };
        let low = (0..grid.size[1]).find(column)?;
        let high = (0..grid.size[1]).rev().find(column)?;
        Some((grid.height_of(low), grid.height_of(high)))
    };
    let (fore, hind) = (legs.fore.at(legs.merge).z, legs.hind.at(legs.merge).z);
    let (mut low, mut high): (Vec<f64>, Vec<f64>) =
        (1..=9).filter_map(|k| range(hind + (fore - hind) * f64::from(k) / 10.0)).unzip();
    if low.is_empty() {
        return (0.4, 0.7);
    }
    // Legs that were guessed may lie under anything; fractions need some height.
    let belly = median(&mut low).clamp(0.05, 0.9);
    high.sort_unstable_by(f64::total_cmp);
    (belly, high[high.len() / 4].max(belly + 0.05))
}

/// The joint between neck and head, and the end of the head.
struct Head {
    joint: Vec3,
    tip: Vec3,
}

/// The head joint lies this part of the way from the nose to the chest, or nearby where the centre line of head
/// and neck is highest: a bend of the line is where skull and neck meet. A head that is carried level has little
/// neck behind it.
const HEAD_LEVEL: f64 = 0.6;
const HEAD_RAISED: f64 = 0.48;
/// Rise that makes up for being off by the whole way. Smaller, and ears pull the joint; larger, and the
/// small heads on long necks get it in the middle of the neck.
const HEAD_RISE: f64 = 0.35;
/// The joint lies above the centre line, which muzzle and throat pull down.
const HEAD_ABOVE_LINE: f64 = 0.035;

fn find_head(solid: &Solid, chest: &Vec3, belly: f64) -> Option<Head> {
    let grid = &solid.grid;
    let source = (0..grid.cells()).filter(|&cell| solid.filled[cell]).min_by(|&a, &b| {
        let distance = |cell: usize| (grid.center(cell) - chest).norm_squared();
        distance(a).total_cmp(&distance(b))
    })?;
    // Only the fore part matters, and it is a third of the work.
    let fore_part = Solid {
        filled: (0..grid.cells())
            .map(|cell| solid.filled[cell] && grid.center(cell).z > chest.z - 0.1)
            .collect(),
        grid: grid.clone(),
        ..*solid
    };
    let from_chest = LevelSets::around(&fore_part, source);
    let value = |cell: usize| f64::from(from_chest.distance[cell]) + 0.5 * grid.center(cell).z;
    // Near the plane: ears and horns are longer than some muzzles.
    let nose = (0..grid.cells())
        .filter(|&cell| from_chest.distance[cell].is_finite())
        .filter(|&cell| {
            let center = grid.center(cell);
            center.x.abs() < 0.05 && center.z > chest.z && center.y > belly
        })
        .max_by(|&a, &b| value(a).total_cmp(&value(b)))?;
    let way = f64::from(from_chest.distance[nose]);
    if way < 0.15 {
        return None;
    }
    let from_nose = LevelSets::around(&fore_part, nose);
    let rising = from_nose.center_at(0.4 * way) - chest;
    let steep = (rising.y / rising.z.max(1e-6)).clamp(0.0, 1.0);
    let usual = HEAD_LEVEL + steep * (HEAD_RAISED - HEAD_LEVEL);
    let steps = 15;
    let bend = (0..=steps)
        .map(|k| 0.3 + 0.35 * f64::from(k) / f64::from(steps))
        .map(|t| (t, from_nose.center_at(t * way)))
        .max_by(|a, b| {
            let value = |(t, point): &(f64, Vec3)| point.y - HEAD_RISE * (t - usual).abs();
            value(a).total_cmp(&value(b))
        })?
        .0;
    let joint = from_nose.center_at(bend * way);
    let joint = Vec3::new(0.0, joint.y + HEAD_ABOVE_LINE, joint.z);
    let tip = grid.center(nose);
    Some(Head { joint, tip: Vec3::new(0.0, tip.y, tip.z) })
}

/// Height of the belly over that of the back from which on legs are long enough to show a shank: pigs and rats
/// have 0.3, dogs and horses 0.5 to 0.6.
const LONG_LEGS: f64 = 0.45;

/// Forward lean of the shank, length over height. Horses and dogs have 0.6 and more; a zebra modelled with
/// straight legs has 0.3.
const SHANK_LEAN: f64 = 0.42;

/// Height of the hindmost point of a hind leg, and how far the leg leans forward from there to the belly.
fn hock(hind: &LegLine, belly: f64) -> (f64, f64) {
    let steps = 40;
    let heights = (0..=steps).map(|k| belly * (0.12 + 0.63 * f64::from(k) / f64::from(steps)));
    let low = heights.min_by(|&a, &b| hind.at(a).z.total_cmp(&hind.at(b).z)).unwrap_or(0.0);
    let high = (0.92 * belly).min(hind.top());
    let rise = (high - low).max(0.05 * belly);
    (low, (hind.at(high).z - hind.at(low).z) / rise)
}

/// Fractions that differ between rigs with three and with four bones in the hind leg. Heights of shoulder and hip are
/// above the belly in parts of the trunk; offsets along the body in parts of the distance of the feet.
struct Fractions {
    shoulder: f64,
    hip: f64,
    hips: f64,
    /// Over the height of the belly.
    elbow: f64,
    wrist: f64,
    hip_ahead: f64,
    hips_ahead: f64,
}

const THREE_BONES: Fractions = Fractions {
    shoulder: 0.25,
    hip: 0.27,
    hips: 0.58,
    elbow: 0.72,
    wrist: 0.02,
    hip_ahead: 0.03,
    hips_ahead: 0.09,
};
const FOUR_BONES: Fractions = Fractions {
    shoulder: 0.32,
    hip: 0.43,
    hips: 0.54,
    elbow: 0.83,
    wrist: 0.08,
    hip_ahead: 0.0,
    hips_ahead: 0.0,
};

/// Hind knee of a leg of three bones over the belly.
const KNEE: f64 = 0.8;
/// The stifle of a leg of four bones over the belly.
const STIFLE: f64 = 0.97;
/// The neck's joint between chest and head: height, and way along the body for a neck that rises as much as it
/// reaches forward. Level necks begin at the shoulders.
const NECK_HEIGHT: f64 = 0.33;
const NECK_WAY: f64 = 0.37;

struct LegJoints {
    fore: [Vec3; 4],
    /// Hip, knee, hock, foot, tip.
    hind: [Vec3; 5],
}

fn leg_joints(legs: &Legs, belly: f64, back: f64, fractions: &Fractions, four: bool) -> LegJoints {
    let trunk = back - belly;
    let span = legs.span();
    let at = |line: &LegLine, y: f64, ahead: f64| {
        let point = line.at(y);
        Vec3::new(point.x, y, point.z + ahead)
    };
    let shin = |line: &LegLine, y: f64| {
        let point = (line.at(0.1) + line.at(0.12) + line.at(0.14)) / 3.0;
        Vec3::new(point.x, y, point.z)
    };
    let tip = |line: &LegLine| Vec3::new(line.at(0.0).x, 0.0, line.edges(0.02)[1]);
    let shoulder_y = belly + fractions.shoulder * trunk;
    let hip_y = belly + fractions.hip * trunk;
    let fore_top = legs.fore.at(0.8 * legs.fore.top()).z;
    let fore = [
        Vec3::new(legs.fore.at(0.8 * legs.fore.top()).x, shoulder_y, fore_top),
        at(&legs.fore, fractions.elbow * belly, 0.0),
        shin(&legs.fore, fractions.wrist),
        tip(&legs.fore),
    ];
    let hip = at(&legs.hind, hip_y, fractions.hip_ahead * span);
    let hind = if four {
        let stifle_y = STIFLE * belly;
        let line = legs.hind.at(stifle_y);
        let front = legs.hind.edges(stifle_y)[1];
        let hock_y = 0.5 * (hock(&legs.hind, belly).0 + 0.5 * belly);
        let bend = legs.hind.at(hock_y);
        [
            hip,
            Vec3::new(line.x, stifle_y, line.z + 0.6 * (front - line.z)),
            Vec3::new(bend.x, hock_y, 0.5 * (bend.z + legs.hind.edges(hock_y)[0])),
            shin(&legs.hind, 0.06),
            tip(&legs.hind),
        ]
    } else {
        let knee = at(&legs.hind, KNEE * belly, -0.02);
        let foot = shin(&legs.hind, fractions.wrist);
        [hip, knee, foot, foot, tip(&legs.hind)]
    };
    LegJoints { fore, hind }
}

/// The volume in which legs were looked for, and what was found.
pub struct Stand<'a> {
    solid: &'a Solid,
    /// Both sides are mirror images; only the left one was looked at.
    symmetric: bool,
    /// The legs of the left side and, if that is not the mirror image, of the right one.
    legs: Vec<Option<Legs>>,
}

/// Overlap with the mirror image from which on an animal is read as symmetric. A walking dog has 0.6.
const SYMMETRIC: f64 = 0.75;

impl Stand<'_> {
    pub fn of(volumes: &Volumes) -> Stand<'_> {
        let part = volumes.symmetric.as_ref().filter(|_| volumes.raw.mirror_overlap >= SYMMETRIC);
        let solid = part.unwrap_or(&volumes.raw);
        let sides: &[f64] = if part.is_some() { &[1.0] } else { &[1.0, -1.0] };
        let legs = sides.iter().map(|&side| find_legs(solid, side)).collect();
        Stand { solid, symmetric: part.is_some(), legs }
    }

    /// Distance of fore and hind feet along the body, where both sides have them.
    pub fn span(&self) -> Option<f64> {
        let spans: Option<Vec<f64>> = self.legs.iter().map(|legs| legs.as_ref().map(Legs::span)).collect();
        spans.map(|spans| spans.iter().copied().fold(f64::MAX, f64::min))
    }

    /// What the hind legs show of their bones.
    pub fn hind_bones(&self) -> HindBones {
        let shown = self.legs.iter().flatten().map(|legs| HindBones::of(legs, trunk(self.solid, legs)));
        shown.reduce(|a, b| if a == b { a } else { HindBones::Unclear }).unwrap_or(HindBones::Unclear)
    }
}

/// How many bones a hind leg shows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum HindBones {
    /// A straight leg, a short one, or one with a bend halfway up: hip, knee, foot.
    Three,
    /// A hock low in the leg, and a shank that leans forward above it.
    Four,
    /// Between the two: artists make three bones of some such legs and four of others.
    Unclear,
}

impl HindBones {
    fn of(legs: &Legs, (belly, back): (f64, f64)) -> HindBones {
        let (hock, lean) = hock(&legs.hind, belly);
        let place = hock / belly;
        if belly < LONG_LEGS * back || !(0.2..=0.7).contains(&place) || lean < 0.6 * SHANK_LEAN {
            HindBones::Three
        } else if (0.3..=0.6).contains(&place) && lean >= SHANK_LEAN {
            HindBones::Four
        } else {
            HindBones::Unclear
        }
    }
}

pub fn read<'a>(volumes: &Volumes, stand: &Stand<'a>, plan: BodyPlan) -> Reading<'a> {
    let (solid, symmetric) = (stand.solid, stand.symmetric);
    let mut doubts = Vec::new();
    let mut missing = false;
    let legs: Vec<Legs> = stand
        .legs
        .iter()
        .zip([1.0, -1.0])
        .map(|(legs, side)| {
            legs.clone().unwrap_or_else(|| {
                missing = true;
                guessed_legs(solid, side)
            })
        })
        .collect();
    if missing {
        doubts.push(Doubt::MissingLegs);
    }
    let (belly, back) = trunk(solid, &legs[0]);
    if stand.hind_bones() == HindBones::Unclear {
        doubts.push(Doubt::HindBones);
    }
    if belly < 0.33 * back || back - belly < 0.1 {
        doubts.push(Doubt::TrunkShape);
    }
    let four = plan == BodyPlan::Horse;
    let fractions = if four { &FOUR_BONES } else { &THREE_BONES };
    let joints_of_legs: Vec<LegJoints> =
        legs.iter().map(|legs| leg_joints(legs, belly, back, fractions, four)).collect();

    let mean = |of: &dyn Fn(&LegJoints) -> f64| {
        joints_of_legs.iter().map(of).sum::<f64>() / joints_of_legs.len() as f64
    };
    let middle = 0.5 * (belly + back);
    let trunk_height = back - belly;
    let chest = Vec3::new(0.0, middle, mean(&|legs| legs.fore[0].z));
    let hind_z = mean(&|legs| legs.hind[0].z) + (fractions.hips_ahead - fractions.hip_ahead) * legs[0].span();
    let hips = Vec3::new(0.0, belly + fractions.hips * trunk_height, hind_z);
    let head = find_head(solid, &chest, belly).unwrap_or_else(|| {
        doubts.push(Doubt::NoHead);
        let ahead = |t: f64| Vec3::new(0.0, back, chest.z + t);
        Head { joint: ahead(0.25), tip: ahead(0.4) }
    });
    let reach = (head.joint.z - chest.z).max(0.0);
    let steep = ((head.joint.y - middle) / reach.max(1e-6)).clamp(0.0, 1.0);
    let neck =
        Vec3::new(0.0, middle + NECK_HEIGHT * (head.joint.y - middle), chest.z + NECK_WAY * steep * reach);
    let (tail, tail_tip) = find_tail(solid, &hips, belly, back, legs[0].hind.at(SHIN).z);

    let mut joints = vec![
        ("Hips", hips, 0.8),
        ("Spine", hips + (chest - hips) * 0.45, 0.8),
        ("Chest", chest, 0.8),
        ("Neck", neck, 0.6),
        ("Head", head.joint, 0.7),
        ("HeadTip", head.tip, 0.9),
    ];
    const FORE: [[&str; 4]; 2] = [
        ["FrontLeftUpperLeg", "FrontLeftLowerLeg", "FrontLeftFoot", "FrontLeftFootTip"],
        ["FrontRightUpperLeg", "FrontRightLowerLeg", "FrontRightFoot", "FrontRightFootTip"],
    ];
    const HIND: [[&str; 5]; 2] = [
        ["HindLeftUpperLeg", "HindLeftLowerLeg", "HindLeftHock", "HindLeftFoot", "HindLeftFootTip"],
        ["HindRightUpperLeg", "HindRightLowerLeg", "HindRightHock", "HindRightFoot", "HindRightFootTip"],
    ];
    let own = if missing { 0.3 } else { 1.0 };
    let of_side =
        |k: usize| if symmetric && k == 1 { (&joints_of_legs[0], -1.0) } else { (&joints_of_legs[k], 1.0) };
    for (k, names) in FORE.iter().enumerate() {
        let (legs, sign) = of_side(k);
        for ((name, place), trust) in names.iter().zip(&legs.fore).zip([0.8, 0.7, 0.9, 1.0]) {
            joints.push((name, on_side(place, sign), trust * own));
        }
    }
    for (k, names) in HIND.iter().enumerate() {
        let (legs, sign) = of_side(k);
        for ((name, place), trust) in names.iter().zip(&legs.hind).zip([0.7, 0.6, 0.7, 0.9, 1.0]) {
            if four || !name.ends_with("Hock") {
                joints.push((name, on_side(place, sign), trust * own));
            }
        }
    }
    joints.push(("Tail", tail, 0.6));
    joints.push(("TailTip", tail_tip, 0.6));
    if volumes.raw.mirror_overlap < 0.8 {
        doubts.push(Doubt::Asymmetric);
    }
    Reading { solid, symmetric, joints, doubts }
}

/// Legs under a body that shows none: at a fifth of the length from either end.
fn guessed_legs(solid: &Solid, side: f64) -> Legs {
    let depths =
        (0..solid.filled.len()).filter(|&cell| solid.filled[cell]).map(|cell| solid.grid.center(cell).z);
    let (low, high) = depths.fold((f64::MAX, f64::MIN), |(low, high), z| (low.min(z), high.max(z)));
    let line = |t: f64| LegLine::vertical(0.1 * side, low + t * (high - low));
    Legs { fore: line(0.7), hind: line(0.25), merge: 0.4 }
}

/// Base and tip of the tail: the hindmost of the trunk, and the farthest behind it on the plane.
fn find_tail(solid: &Solid, hips: &Vec3, belly: f64, back: f64, foot_z: f64) -> (Vec3, Vec3) {
    let base = Vec3::new(0.0, belly + 0.7 * (back - belly), 0.4 * hips.z + 0.6 * foot_z.min(hips.z));
    let tip = (0..solid.filled.len())
        .filter(|&cell| solid.filled[cell])
        .map(|cell| solid.grid.center(cell))
        .filter(|center| center.x.abs() < 0.05 && center.z < base.z && center.y > 0.5 * belly)
        .max_by(|a, b| (a - base).norm_squared().total_cmp(&(b - base).norm_squared()))
        .unwrap_or(base);
    (base, Vec3::new(0.0, tip.y, tip.z))
}
