//! How many characters are in a file, beside each other or one upon the other.

use super::limb_tips::{LimbTip, limb_tips};
use super::prepare::PreparedMesh;
use super::topology::sorted_half_edges;
use super::triangle::{area, corners, signed_volume};
use crate::math::{Bounds, DisjointSets, Vec3};

/// A group of components is a character of its own if it is at least so high, in parts of the highest. Less takes the
/// loose legs of a robot for people; more misses a child beside its mother.
const TALL: f64 = 0.6;
/// And has at least this part of the surface of the largest. Less takes a spear for a person.
const LARGE: f64 = 0.25;
/// And shares at least this part of its height with the largest. Less takes a head that floats above its body for a
/// character; more misses one on a step.
const BESIDE: f64 = 0.5;
/// And stands on the ground: its lowest point is at most this part of the tallest's height above the lowest of all.
const STANDING: f64 = 0.1;
/// And is a body: its boundary is at most this many times the root of its area, and it encloses at least this part of its area to the
/// power 1.5. A cape has a boundary of 4 and, with two sides, a volume of 0.003; scans with holes have up to 1, and people 0.03.
const MAX_BOUNDARY: f64 = 2.0;
const MIN_VOLUME: f64 = 0.01;
/// Components whose boxes are closer than this belong together, in parts of the unit cube.
const CLOSE: f64 = 0.01;
/// With more components than this a file is one character of many pieces: comparing every two boxes would be slow.
const MANY: usize = 2000;

/// Counts characters that stand beside each other without touching: groups of components whose boxes overlap. Capes, wings, weapons and
/// floors are none.
pub fn count_characters(mesh: &PreparedMesh) -> usize {
    if !(2..=MANY).contains(&mesh.topology.components.len()) {
        return 1;
    }
    let groups = Group::all_of(mesh);
    let tallest = groups.iter().map(Group::height).fold(0.0, f64::max);
    let Some(largest) = groups.iter().max_by(|a, b| a.area.total_cmp(&b.area)) else { return 1 };
    let ground = groups.iter().map(|group| group.bounds.min.y).fold(f64::INFINITY, f64::min);
    let is_character = |group: &&Group| {
        group.height() >= TALL * tallest
            && group.area >= LARGE * largest.area
            && group.is_beside(largest)
            && group.bounds.min.y - ground <= STANDING * tallest
            && group.is_body()
    };
    groups.iter().filter(is_character).count().max(1)
}

/// A piece that is a body by itself has at least this part of the surface. Less are hands, shoes and spiky hair.
const OWN_BODY: f64 = 0.15;
/// And so many limbs, each at least so long in parts of the diagonal of its box: a head, two arms and two legs. Fingers have 0.04, a head 0.1.
const LIMBS: usize = 5;
const LIMB: f64 = 0.07;
/// All of them but the head are at least so long: arms and legs of people and horses have 0.2 to 0.5, those of a gingerbread man 0.13.
/// Spikes of hair are shorter.
const LONG_LIMB: f64 = 0.12;
/// And it is at least so high, in parts of the main body: a child is half as high as its mother, hair at most a third.
const OWN_HEIGHT: f64 = 0.4;
/// And so many of them end away from all limbs of the main body, by this part of the height: those of a suit end where those of its wearer do.
const OWN_LIMBS: usize = 4;
const AWAY: f64 = 0.08;

/// Pieces that have a head, arms and legs of their own and are not the largest such piece: the rider of a horse, a child on somebody's
/// shoulders. Their boxes overlap, so that [`count_characters`] takes them for one.
pub fn riders(mesh: &PreparedMesh) -> Vec<usize> {
    let components = &mesh.topology.components;
    let total: f64 = components.iter().map(|component| component.area).sum();
    let mut large: Vec<usize> =
        (0..components.len()).filter(|&piece| components[piece].area >= OWN_BODY * total).collect();
    if large.len() < 2 {
        return Vec::new();
    }
    large.sort_by(|&a, &b| components[b].area.total_cmp(&components[a].area));
    let bodies: Vec<(usize, Vec<LimbTip>)> = large
        .into_iter()
        .map(|piece| (piece, limbs_of(mesh, piece)))
        .filter(|(_, limbs)| limbs.len() >= LIMBS)
        .collect();
    let Some(((first, main), others)) = bodies.split_first() else { return Vec::new() };
    let away = AWAY * Bounds::of(&mesh.used_positions()).extent().y;
    let is_away = |tip: &&LimbTip| main.iter().all(|other| (other.position - tip.position).norm() > away);
    let is_other = |limbs: &[LimbTip]| limbs.iter().filter(is_away).count() >= OWN_LIMBS;
    let boxes = mesh.component_boxes();
    let height = |piece: usize| boxes[piece].extent().y;
    let others = others.iter().filter(|(piece, _)| height(*piece) >= OWN_HEIGHT * height(*first));
    others.filter(|(_, limbs)| is_other(limbs)).map(|(piece, _)| *piece).collect()
}

/// The limbs of a piece, if it has those of a body: what encloses nothing has none.
fn limbs_of(mesh: &PreparedMesh, piece: usize) -> Vec<LimbTip> {
    let components = &mesh.topology.component_of_triangle;
    let own = mesh.triangles.iter().zip(components).filter(|(_, component)| **component as usize == piece);
    let own: Vec<[u32; 3]> = own.map(|(triangle, _)| *triangle).collect();
    let bounds = Bounds::of(own.iter().flatten().map(|&v| &mesh.positions[v as usize]));
    let (mut surface, mut volume) = (0.0, 0.0);
    for triangle in &own {
        let corners = corners(&mesh.positions, triangle);
        surface += area(&corners);
        volume += signed_volume(&corners.map(|corner| corner - bounds.center()));
    }
    if volume.abs() < MIN_VOLUME * surface * surface.sqrt() {
        return Vec::new();
    }
    let mut limbs = limb_tips(&mesh.positions, &own);
    limbs.retain(|limb| limb.length >= LIMB * bounds.diagonal());
    let long = limbs.iter().filter(|limb| limb.length >= LONG_LIMB * bounds.diagonal());
    if long.count() < OWN_LIMBS { Vec::new() } else { limbs }
}

/// Components whose boxes overlap.
#[derive(Clone)]
struct Group {
    bounds: Bounds,
    area: f64,
    /// Of what it encloses; holes are closed towards the middle of its box.
    volume: f64,
    /// Length of the edges with one triangle.
    boundary: f64,
}

impl Group {
    /// One for each component; those that are part of an earlier one are empty.
    fn all_of(mesh: &PreparedMesh) -> Vec<Group> {
        let boxes = mesh.component_boxes();
        let mut sets = DisjointSets::new(boxes.len());
        for (a, first) in boxes.iter().enumerate() {
            for (b, second) in boxes.iter().enumerate().skip(a + 1) {
                if touch(first, second) {
                    sets.union(a as u32, b as u32);
                }
            }
        }
        let mut groups =
            vec![Group { bounds: Bounds::EMPTY, area: 0.0, volume: 0.0, boundary: 0.0 }; boxes.len()];
        for (component, bounds) in boxes.iter().enumerate() {
            let group = &mut groups[sets.find(component as u32).0 as usize];
            group.bounds.grow(&bounds.min);
            group.bounds.grow(&bounds.max);
        }
        let group_of: Vec<usize> =
            (0..boxes.len()).map(|component| sets.find(component as u32).0 as usize).collect();
        for (triangle, &component) in mesh.triangles.iter().zip(&mesh.topology.component_of_triangle) {
            let group = &mut groups[group_of[component as usize]];
            let corners = corners(&mesh.positions, triangle);
            let middle = (group.bounds.min + group.bounds.max) * 0.5;
            group.area += area(&corners);
            group.volume += signed_volume(&corners.map(|corner| corner - middle));
        }
        let edges = sorted_half_edges(mesh.positions.len(), &mesh.triangles);
        for edge in edges.chunk_by(|a, b| a.edge == b.edge).filter(|edge| edge.len() == 1) {
            let triangle = edge[0].triangle() as usize;
            let (low, high) = ((edge[0].edge >> 32) as usize, (edge[0].edge & u64::from(u32::MAX)) as usize);
            let length = (mesh.positions[high] - mesh.positions[low]).norm();
            groups[group_of[mesh.topology.component_of_triangle[triangle] as usize]].boundary += length;
        }
        groups
    }

    /// Whether it encloses something, as a body does and a sheet does not.
    fn is_body(&self) -> bool {
        self.boundary <= MAX_BOUNDARY * self.area.sqrt()
            && self.volume.abs() >= MIN_VOLUME * self.area * self.area.sqrt()
    }

    fn height(&self) -> f64 {
        self.bounds.extent().y
    }

    fn is_beside(&self, other: &Group) -> bool {
        let (own, its) = (&self.bounds, &other.bounds);
        own.max.y.min(its.max.y) - own.min.y.max(its.min.y) >= BESIDE * self.height()
    }
}

fn touch(a: &Bounds, b: &Bounds) -> bool {
    let gap: Vec3 = (a.min - b.max).sup(&(b.min - a.max));
    gap.max() <= CLOSE
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Axis;
    use crate::mesh::orientation::OrientationOptions;
    use crate::mesh::prepare::{PrepareOptions, prepare};
    use crate::mesh::{Mesh, shapes};

    /// Characters among balls with centres and radii, each stretched upwards by a factor.
    fn balls(balls: &[(Vec3, f64, f64)]) -> usize {
        let ball = shapes::uv_sphere(8, 12);
        let mut mesh: Mesh = ball.clone();
        mesh.positions.clear();
        mesh.triangles.clear();
        for (center, radius, stretch) in balls {
            let first = mesh.positions.len() as u32;
            let own = ball.positions.iter().map(|p| center + Vec3::new(p.x, p.y * stretch, p.z) * *radius);
            mesh.positions.extend(own);
            mesh.triangles.extend(ball.triangles.iter().map(|triangle| triangle.map(|v| v + first)));
        }
        mesh.parts[0].vertices = 0..mesh.positions.len();
        mesh.parts[0].triangles = 0..mesh.triangles.len();
        let orientation = OrientationOptions { up: Some(Axis::PosY), front: Some(Axis::PosZ) };
        let options = PrepareOptions { orientation, ..PrepareOptions::default() };
        count_characters(&prepare(&mesh, &options, &mut Vec::new()).unwrap())
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
