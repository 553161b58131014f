//! What stands in a file with a character and is no part of it: the floor or pedestal under its soles, a glass box around it.
//!
//! Only what a person would take away before rigging is named here. Capes and props that are held are parts of the character.

use super::TriangleTree;
use super::prepare::PreparedMesh;
use super::triangle::{corners, signed_volume};
use crate::math::{Bounds, Vec3};
use std::fmt;

/// Why a component is no part of the character.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Surrounding {
    /// It stands on it.
    Floor,
    /// It stands in it.
    Case,
}

impl fmt::Display for Surrounding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Surrounding::Floor => "lies under its soles like a floor or a pedestal",
            Surrounding::Case => "is a case around it",
        })
    }
}

/// With more components than this a file is a heap, in which nothing is told apart.
const MANY: usize = 2000;

/// The components around a character, none of them the character's own.
pub fn surroundings(mesh: &PreparedMesh) -> Vec<(usize, Surrounding)> {
    let components = Components::of(mesh);
    if !(2..=MANY).contains(&components.boxes.len()) {
        return Vec::new();
    }
    let case = components.case();
    let found = case.into_iter().map(|component| (component, Surrounding::Case));
    let mut found: Vec<(usize, Surrounding)> = found.collect();
    found.extend(components.floor(case).into_iter().map(|component| (component, Surrounding::Floor)));
    found
}

/// A case is at least so full, in parts of its box, and what stands in it at most so. A ball is 0.52, a person in a T-pose 0.1.
const FULL_CASE: f64 = 0.5;
const FULL_FIGURE: f64 = 0.35;
/// What stands in a case reaches at least this part of its height. Less are eyes and teeth in a round body.
const STANDS_IN: f64 = 0.4;

/// Soles may sink into a floor by this part of the character's height.
const SUNK: f64 = 0.02;
/// Feet stand in a plate up to this part of the height: ankles are at 0.05.
const ANKLE: f64 = 0.06;
/// Such a plate is level and so many times as wide as it is high, and at least so wide in parts of the figure's height. Shoes are 0.15 wide.
const WIDE_PLATE: f64 = 4.0;
const BROAD_PLATE: f64 = 0.3;
/// What is at most so high above the lowest point is a sole, in parts of the height.
const SOLE: f64 = 0.05;
/// A floor lies below this part of what is beside the soles, in their box grown by this part of the height on all sides. Shoes and sandals
/// lie below soles alone; a floor of which every third tile is missing covers 0.6.
const COVERED: f64 = 0.4;
const GROWN: f64 = 0.04;
/// Heights that are tried, from the highest: what lies around a character like pebbles would be tried one by one.
const TRIED: usize = 8;
/// Points along each side of that area at which it is asked.
const GRID: usize = 7;
/// A floor is at most so thick, in parts of the character's height; a thicker one is a pedestal, and only if feet stand on it apart from
/// each other: the base of a chess piece or of a robot on one wheel is a part of it.
const PLATE: f64 = 0.03;
const PEDESTAL: f64 = 0.6;
/// And if all of it lies below both feet, as steps of a stack, and each solid fills this part of its box: a cylinder fills 0.79. The legs
/// of a figure of boxes lie beside each other.
const FULL_PEDESTAL: f64 = 0.6;
/// Feet are apart if there is air between them for this part of the height.
const APART: f64 = 0.02;

struct Components<'m> {
    mesh: &'m PreparedMesh,
    boxes: Vec<Bounds>,
}

impl<'m> Components<'m> {
    fn of(mesh: &'m PreparedMesh) -> Components<'m> {
        Components { mesh, boxes: mesh.component_boxes() }
    }

    /// The box of some of them.
    fn bounds(&self, is_in: impl Fn(usize) -> bool) -> Bounds {
        let mut bounds = Bounds::EMPTY;
        for (_, own) in self.boxes.iter().enumerate().filter(|(component, _)| is_in(*component)) {
            bounds.grow(&own.min);
            bounds.grow(&own.max);
        }
        bounds
    }

    /// The volume of some of them, in parts of their box.
    fn fullness(&self, is_in: impl Fn(usize) -> bool) -> f64 {
        let bounds = self.bounds(&is_in);
        let triangles = self.triangles(is_in);
        let own = |triangle: &[u32; 3]| {
            signed_volume(&corners(&self.mesh.positions, triangle).map(|corner| corner - bounds.center()))
        };
        let volume: f64 = triangles.iter().map(own).sum();
        volume.abs() / bounds.extent().product().max(f64::MIN_POSITIVE)
    }

    fn triangles(&self, is_in: impl Fn(usize) -> bool) -> Vec<[u32; 3]> {
        let all = self.mesh.triangles.iter().zip(&self.mesh.topology.component_of_triangle);
        all.filter(|(_, component)| is_in(**component as usize)).map(|(triangle, _)| *triangle).collect()
    }

    /// The component in which all others stand, if there is one.
    fn case(&self) -> Option<usize> {
        let volume = |&component: &usize| self.boxes[component].extent().product();
        let largest = (0..self.boxes.len()).max_by(|a, b| volume(a).total_cmp(&volume(b)).then(b.cmp(a)))?;
        let (case, rest) = (&self.boxes[largest], self.bounds(|component| component != largest));
        // It stands on the ground of its case, or on the floor under it.
        let is_inside = (0..3).all(|axis| {
            // In a tight one a heel or the hair may stick out.
            let sunk = SUNK * rest.extent().y;
            rest.max[axis] < case.max[axis] + sunk && rest.min[axis] > case.min[axis] - sunk
        });
        let stands_in = rest.extent().y >= STANDS_IN * case.extent().y;
        let is_case = is_inside
            && stands_in
            && self.fullness(|component| component == largest) >= FULL_CASE
            && self.fullness(|component| component != largest) <= FULL_FIGURE;
        is_case.then_some(largest)
    }

    /// The components under the soles of all others, if they are a floor; `case` is no part of either.
    fn floor(&self, case: Option<usize>) -> Vec<usize> {
        let mut tops: Vec<f64> = (0..self.boxes.len())
            .filter(|&component| Some(component) != case)
            .map(|component| self.boxes[component].max.y)
            .collect();
        tops.sort_by(f64::total_cmp);
        tops.dedup();
        // The highest is the character's own.
        tops.pop();
        let is_under =
            |top: f64| move |component: usize| Some(component) != case && self.boxes[component].max.y <= top;
        let candidates = tops.into_iter().rev().filter(|&top| self.can_be_floor(is_under(top), case));
        let floor = candidates.take(TRIED).find(|&top| self.is_floor(is_under(top), case));
        match floor {
            Some(top) => (0..self.boxes.len()).filter(|&component| is_under(top)(component)).collect(),
            None => self.ankle_plate(case).into_iter().collect(),
        }
    }

    /// The plate in which the feet of all others stand up to their ankles, if there is one: the floor of a scan.
    fn ankle_plate(&self, case: Option<usize>) -> Option<usize> {
        let is_plate = |plate: &usize| {
            let figure = self.bounds(|component| Some(component) != case && component != *plate);
            let (own, height) = (&self.boxes[*plate], figure.extent().y);
            let is_wide = [0, 2].into_iter().all(|axis| {
                own.extent()[axis] >= WIDE_PLATE * own.extent().y
                    && own.extent()[axis] >= BROAD_PLATE * height
            });
            is_wide
                && own.max.y <= figure.min.y + ANKLE * height
                && own.extent().y <= ANKLE * height
                && self.is_floor(|component| component == *plate, case)
        };
        (0..self.boxes.len()).filter(|component| Some(*component) != case).find(is_plate)
    }

    /// Whether components lie below all others, by their boxes.
    fn can_be_floor(&self, is_under: impl Fn(usize) -> bool, case: Option<usize>) -> bool {
        let is_figure = |component: usize| Some(component) != case && !is_under(component);
        let (floor, figure) = (self.bounds(&is_under), self.bounds(is_figure));
        let height = figure.extent().y;
        floor.max.y <= figure.min.y + SUNK * height && floor.extent().y <= PEDESTAL * height
    }

    fn is_floor(&self, is_under: impl Fn(usize) -> bool, case: Option<usize>) -> bool {
        let is_figure = |component: usize| Some(component) != case && !is_under(component);
        let (floor, figure) = (self.bounds(&is_under), self.bounds(is_figure));
        let height = figure.extent().y;
        let low = figure.min.y + SOLE * height;
        let is_sole =
            |triangle: &[u32; 3]| triangle.iter().any(|&v| self.mesh.positions[v as usize].y <= low);
        let mut soles = self.triangles(is_figure);
        soles.retain(is_sole);
        let under = self.triangles(&is_under);
        let positions = &self.mesh.positions;
        if are_apart(positions, &under, APART * height) {
            // The plates of two feet.
            return false;
        }
        let at_soles = soles.iter().flatten().map(|&v| &positions[v as usize]);
        let mut support = Bounds::of(at_soles.filter(|position| position.y <= low));
        let is_pedestal = are_apart(positions, &soles, APART * height)
            && (0..self.boxes.len()).filter(|&component| is_under(component)).all(|component| {
                let own = &self.boxes[component];
                let carries = [0, 2]
                    .into_iter()
                    .all(|axis| own.min[axis] <= support.min[axis] && own.max[axis] >= support.max[axis]);
                carries && self.fullness(|other| other == component) >= FULL_PEDESTAL
            });
        let is_thick = floor.extent().y > PLATE * height;
        if is_thick && !is_pedestal {
            return false;
        }
        support.min -= Vec3::repeat(GROWN * height);
        support.max += Vec3::repeat(GROWN * height);
        let [floor_tree, sole_tree] = [under, soles].map(|list| TriangleTree::new(positions, &list));
        let at = |step: usize| (step as f64 + 0.5) / GRID as f64;
        let (mut beside, mut covered) = (0, 0);
        for cell in 0..GRID * GRID {
            let (u, v) = (at(cell % GRID), at(cell / GRID));
            let extent = support.extent();
            let above = Vec3::new(support.min.x + u * extent.x, figure.max.y, support.min.z + v * extent.z);
            let is_below = |tree: &TriangleTree| tree.ray(&above, &-Vec3::y(), 0.0..=f64::INFINITY).is_some();
            if !is_below(&sole_tree) {
                beside += 1;
                covered += usize::from(is_below(&floor_tree));
            }
        }
        beside > 0 && covered as f64 >= COVERED * f64::from(beside)
    }
}

/// Whether there is a gap along one of the axes of the ground between triangles.
fn are_apart(positions: &[Vec3], triangles: &[[u32; 3]], gap: f64) -> bool {
    [0, 2].into_iter().any(|axis| {
        let span = |triangle: &[u32; 3]| {
            let mut along = triangle.map(|v| positions[v as usize][axis]);
            along.sort_by(f64::total_cmp);
            (along[0], along[2])
        };
        let mut spans: Vec<(f64, f64)> = triangles.iter().map(span).collect();
        spans.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut reached = spans.first().map_or(0.0, |&(from, _)| from);
        spans.iter().any(|&(from, to)| {
            let is_gap = from - reached >= gap;
            reached = reached.max(to);
            is_gap
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Axis;
    use crate::mesh::orientation::OrientationOptions;
    use crate::mesh::prepare::{PrepareOptions, prepare};
    use crate::mesh::shapes;

    /// What is found around boxes, each with its middle and its extent.
    fn around(boxes: &[([f64; 3], [f64; 3])]) -> Vec<(usize, Surrounding)> {
        let boxes: Vec<_> = boxes
            .iter()
            .map(|(middle, extent)| {
                let mut cube = shapes::cube();
                let bounds = Bounds::of(&cube.positions);
                for position in &mut cube.positions {
                    let unit = (*position - bounds.center()).component_div(&bounds.extent());
                    *position = Vec3::from(*middle) + unit.component_mul(&Vec3::from(*extent));
                }
                cube
            })
            .collect();
        let orientation = OrientationOptions { up: Some(Axis::PosY), front: Some(Axis::PosZ) };
        let options = PrepareOptions { orientation, ..PrepareOptions::default() };
        surroundings(&prepare(&shapes::joined(&boxes), &options, &mut Vec::new()).unwrap())
    }

    const LEFT: ([f64; 3], [f64; 3]) = ([-0.2, 0.5, 0.0], [0.2, 1.0, 0.3]);
    const RIGHT: ([f64; 3], [f64; 3]) = ([0.2, 0.5, 0.0], [0.2, 1.0, 0.3]);
    const TRUNK: ([f64; 3], [f64; 3]) = ([0.0, 1.4, 0.0], [0.6, 0.78, 0.3]);

    #[test]
    fn plates_and_pedestals_are_floors_and_shoes_are_not() {
        let plate = ([0.0, -0.02, 0.0], [3.0, 0.03, 3.0]);
        assert_eq!(around(&[LEFT, RIGHT, TRUNK, plate]), [(3, Surrounding::Floor)]);
        let tiles = [([-0.5, -0.02, 0.0], [0.99, 0.03, 3.0]), ([0.5, -0.02, 0.0], [0.99, 0.03, 3.0])];
        let both = [(3, Surrounding::Floor), (4, Surrounding::Floor)];
        assert_eq!(around(&[LEFT, RIGHT, TRUNK, tiles[0], tiles[1]]), both);
        let pedestal = ([0.0, -0.31, 0.0], [1.0, 0.6, 1.0]);
        assert_eq!(around(&[pedestal, LEFT, RIGHT, TRUNK]), [(0, Surrounding::Floor)]);
        assert_eq!(around(&[LEFT, RIGHT, TRUNK]), []);
        let shoes = [([-0.2, -0.06, 0.1], [0.2, 0.1, 0.5]), ([0.2, -0.06, 0.1], [0.2, 0.1, 0.5])];
        assert_eq!(around(&[LEFT, RIGHT, TRUNK, shoes[0], shoes[1]]), []);
        let base = ([0.0, -0.16, 0.0], [1.0, 0.3, 1.0]);
        assert_eq!(around(&[base, ([0.0, 0.5, 0.0], [0.5, 0.98, 0.5])]), [], "a chess piece");
        assert_eq!(around(&[base, LEFT, RIGHT, TRUNK]), [(0, Surrounding::Floor)]);
        let sandals = [([-0.2, -0.02, 0.0], [0.22, 0.03, 0.32]), ([0.2, -0.02, 0.0], [0.22, 0.03, 0.32])];
        assert_eq!(around(&[LEFT, RIGHT, TRUNK, sandals[0], sandals[1]]), []);
    }

    #[test]
    fn a_glass_box_is_a_case() {
        let case = ([0.0, 1.0, 0.0], [4.0, 4.0, 4.0]);
        let arms = ([0.0, 1.6, 0.0], [2.4, 0.2, 0.2]);
        let egg = ([0.0, 1.6, 0.0], [2.0, 2.0, 1.5]);
        assert_eq!(around(&[LEFT, RIGHT, egg]), [], "legs that stand out of a body");
        assert_eq!(around(&[LEFT, RIGHT, TRUNK, arms, case]), [(4, Surrounding::Case)]);
        assert_eq!(around(&[LEFT, RIGHT, TRUNK, arms]), []);
    }
}
