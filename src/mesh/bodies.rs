//! How many characters stand in a file.

use super::prepare::PreparedMesh;
use crate::math::{Bounds, DisjointSets, Vec3};

/// A group of parts is a character of its own if it is at least so high, in parts of the whole. Less takes the loose
/// legs of a robot for people; more misses a child beside its mother.
const TALL: f64 = 0.6;
/// And has at least this part of the surface of the largest. Less takes a spear for a person.
const LARGE: f64 = 0.25;
/// Parts whose boxes are closer than this belong together, in parts of the unit cube.
const CLOSE: f64 = 0.01;
/// With more components than this a file is one character of many pieces; comparing every two boxes ends here.
const MANY: usize = 2000;

/// Counts characters that stand beside each other without touching: groups of components whose boxes overlap.
pub fn count_bodies(mesh: &PreparedMesh) -> usize {
    let components = &mesh.topology.components;
    if !(2..=MANY).contains(&components.len()) {
        return 1;
    }
    let mut boxes = vec![Bounds::EMPTY; components.len()];
    for (triangle, &component) in mesh.triangles.iter().zip(&mesh.topology.component_of_triangle) {
        triangle.iter().for_each(|&v| boxes[component as usize].grow(&mesh.positions[v as usize]));
    }
    let mut groups = DisjointSets::new(boxes.len());
    for (a, first) in boxes.iter().enumerate() {
        for (b, second) in boxes.iter().enumerate().skip(a + 1) {
            if touch(first, second) {
                groups.union(a as u32, b as u32);
            }
        }
    }
    let mut bodies = vec![(Bounds::EMPTY, 0.0); boxes.len()];
    for (component, bounds) in boxes.iter().enumerate() {
        let body = &mut bodies[groups.find(component as u32).0 as usize];
        body.0.grow(&bounds.min);
        body.0.grow(&bounds.max);
        body.1 += components[component].area;
    }
    let height = |bounds: &Bounds| bounds.extent().y;
    let tallest = bodies.iter().map(|(bounds, _)| height(bounds)).fold(0.0, f64::max);
    let largest = bodies.iter().map(|(_, area)| *area).fold(0.0, f64::max);
    // A head that floats above a body is not beside it.
    let upright =
        bodies.iter().max_by(|a, b| a.1.total_cmp(&b.1)).map_or(Bounds::EMPTY, |(bounds, _)| *bounds);
    let beside = |bounds: &Bounds| {
        bounds.max.y.min(upright.max.y) - bounds.min.y.max(upright.min.y) >= 0.5 * height(bounds)
    };
    let is_body = |(bounds, area): &&(Bounds, f64)| {
        height(bounds) >= TALL * tallest && *area >= LARGE * largest && beside(bounds)
    };
    bodies.iter().filter(is_body).count().max(1)
}

fn touch(a: &Bounds, b: &Bounds) -> bool {
    let gap: Vec3 = (a.min - b.max).sup(&(b.min - a.max));
    gap.max() <= CLOSE
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Axis;
    use crate::mesh::prepare::{PrepareOptions, prepare};
    use crate::mesh::stance::StanceOptions;
    use crate::mesh::{Mesh, shapes};

    /// Balls of a radius at places, each stretched upwards by a factor.
    fn balls(places: &[(Vec3, f64, f64)]) -> usize {
        let ball = shapes::uv_sphere(8, 12);
        let mut mesh: Mesh = ball.clone();
        mesh.positions.clear();
        mesh.triangles.clear();
        for (center, radius, stretch) in places {
            let first = mesh.positions.len() as u32;
            let own = ball.positions.iter().map(|p| center + Vec3::new(p.x, p.y * stretch, p.z) * *radius);
            mesh.positions.extend(own);
            mesh.triangles.extend(ball.triangles.iter().map(|triangle| triangle.map(|v| v + first)));
        }
        mesh.parts[0].vertices = 0..mesh.positions.len();
        mesh.parts[0].triangles = 0..mesh.triangles.len();
        let stance = StanceOptions { up: Some(Axis::PosY), front: Some(Axis::PosZ) };
        let options = PrepareOptions { stance, ..PrepareOptions::default() };
        count_bodies(&prepare(&mesh, &options, &mut Vec::new()).unwrap())
    }

    #[test]
    fn people_beside_each_other_are_counted_and_parts_of_one_are_not() {
        let at = |x: f64, y: f64| Vec3::new(x, y, 0.0);
        assert_eq!(balls(&[(at(0.0, 0.0), 1.0, 1.0)]), 1);
        assert_eq!(balls(&[(at(-1.5, 0.0), 1.0, 2.0), (at(1.5, 0.0), 1.0, 2.0)]), 2);
        // A head above a body, an ear inside it, two low feet apart, and a thin spear.
        assert_eq!(balls(&[(at(0.0, 0.0), 1.0, 1.0), (at(0.0, 2.0), 1.0, 1.0)]), 1);
        assert_eq!(balls(&[(at(0.0, 0.0), 1.0, 1.0), (at(0.9, 0.0), 0.1, 1.0)]), 1);
        assert_eq!(
            balls(&[(at(0.0, 2.0), 1.0, 1.0), (at(-1.5, 0.2), 0.2, 1.0), (at(1.5, 0.2), 0.2, 1.0)]),
            1
        );
        assert_eq!(balls(&[(at(0.0, 0.0), 1.0, 2.0), (at(1.5, 0.0), 0.05, 40.0)]), 1);
        assert_eq!(balls(&[(at(0.0, 0.0), 1.0, 1.0), (at(0.0, 2.5), 1.0, 1.0)]), 1, "a head that floats");
    }
}
