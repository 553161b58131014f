//! What a character holds that is no limb of it: swords, staffs, spears, poles.
//!
//! A rod as long as the person stretches the box around both, lies across every mirror plane, and looks like a leg or a neck to those who
//! count ends of limbs. It is told by its form alone, before anybody knows which way is up.

use super::prepare::PreparedMesh;
use super::triangle::{area, corners};
use crate::math::{Bounds, Mat3, Vec3};

/// A rod is at most so wide, in parts of its length. Swords and staffs have 0.03 to 0.1; the limbs of the characters in pieces of the
/// corpora are at least 0.3 wide, a thin tail 0.17.
pub const SLIM: f64 = 0.15;
/// And at least so long, in parts of the diagonal of the box around all that is no rod. Less are the limbs of stick figures, which have
/// 0.4; a sword as long as the person has 0.7, and a short one misleads nobody.
const LONG: f64 = 0.5;
/// Rods have at most this part of the surface together: with more, they are what the character is made of.
const MINOR: f64 = 0.4;

/// For each component whether it is a rod that somebody holds.
pub fn rods(mesh: &PreparedMesh) -> Vec<bool> {
    if mesh.topology.components.len() < 2 {
        return vec![false; mesh.topology.components.len()];
    }
    let forms = Form::all_of(mesh);
    let mut is_rod: Vec<bool> = forms.iter().map(|form| form.width <= SLIM * form.length).collect();
    let mut rest = Bounds::EMPTY;
    for (bounds, _) in mesh.component_boxes().iter().zip(&is_rod).filter(|(_, is_rod)| !**is_rod) {
        rest.grow(&bounds.min);
        rest.grow(&bounds.max);
    }
    let diagonal = if rest.is_empty() { f64::INFINITY } else { rest.diagonal() };
    is_rod.iter_mut().zip(&forms).for_each(|(is_rod, form)| *is_rod &= form.length >= LONG * diagonal);
    let total: f64 = forms.iter().map(|form| form.area).sum();
    let of_rods: f64 =
        forms.iter().zip(&is_rod).filter(|(_, is_rod)| **is_rod).map(|(form, _)| form.area).sum();
    if of_rods > MINOR * total {
        is_rod.fill(false);
    }
    is_rod
}

/// How long and how wide a component is along its principal axes, and its surface.
#[derive(Debug, Clone, Copy)]
struct Form {
    length: f64,
    width: f64,
    area: f64,
}

impl Form {
    fn all_of(mesh: &PreparedMesh) -> Vec<Form> {
        let mut triangles: Vec<Vec<[Vec3; 3]>> = vec![Vec::new(); mesh.topology.components.len()];
        for (triangle, &component) in mesh.triangles.iter().zip(&mesh.topology.component_of_triangle) {
            triangles[component as usize].push(corners(&mesh.positions, triangle));
        }
        triangles.iter().map(|triangles| Form::of(triangles)).collect()
    }

    fn of(triangles: &[[Vec3; 3]]) -> Form {
        let total: f64 = triangles.iter().map(area).sum();
        let mean = triangles.iter().map(|triangle| middle(triangle) * area(triangle)).sum::<Vec3>() / total;
        let spread = |triangle: &[Vec3; 3]| {
            let spread: Mat3 =
                triangle.iter().map(|corner| (corner - mean) * (corner - mean).transpose()).sum();
            spread * area(triangle)
        };
        let axes = triangles.iter().map(spread).sum::<Mat3>().symmetric_eigen().eigenvectors;
        let along =
            Bounds::of(&triangles.iter().flatten().map(|corner| axes.tr_mul(corner)).collect::<Vec<_>>());
        let mut sides: [f64; 3] = along.extent().into();
        sides.sort_by(f64::total_cmp);
        Form { length: sides[2], width: sides[1], area: total }
    }
}

/// The middle of a triangle.
fn middle(triangle: &[Vec3; 3]) -> Vec3 {
    triangle.iter().sum::<Vec3>() / triangle.len() as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::prepare::{PrepareOptions, prepare};
    use crate::mesh::{Mesh, shapes};

    /// A box with its middle and extent.
    fn block(middle: [f64; 3], extent: [f64; 3]) -> Mesh {
        let mut cube = shapes::cube();
        let bounds = Bounds::of(&cube.positions);
        for position in &mut cube.positions {
            let unit = (*position - bounds.center()).component_div(&bounds.extent());
            *position = Vec3::from(middle) + unit.component_mul(&Vec3::from(extent));
        }
        cube
    }

    fn rods_among(blocks: &[Mesh]) -> Vec<bool> {
        rods(&prepare(&shapes::joined(blocks), &PrepareOptions::default(), &mut Vec::new()).unwrap())
    }

    #[test]
    fn a_sword_is_a_rod_and_an_arm_is_none() {
        let body = block([0.0, 0.9, 0.0], [0.5, 1.8, 0.3]);
        let arm = block([0.5, 1.4, 0.0], [0.6, 0.12, 0.12]);
        let mut sword = block([1.6, 1.4, 0.0], [1.6, 0.05, 0.03]);
        assert_eq!(rods_among(&[body.clone(), arm.clone(), sword.clone()]), [false, false, true]);
        // However it is held.
        sword
            .positions
            .iter_mut()
            .for_each(|p| *p = Vec3::new(0.6 * p.x - 0.8 * p.y, 0.8 * p.x + 0.6 * p.y, p.z));
        assert_eq!(rods_among(&[body, arm, sword]), [false, false, true]);
    }

    #[test]
    fn a_figure_of_sticks_has_no_rods() {
        let trunk = block([0.0, 1.2, 0.0], [0.05, 0.7, 0.05]);
        let legs = [-0.2, 0.2].map(|x| block([x, 0.4, 0.0], [0.05, 0.8, 0.05]));
        assert_eq!(rods_among(&[trunk, legs[0].clone(), legs[1].clone()]), [false; 3]);
    }
}
