//! What characters wear.

use super::flesh::Flesh;
use puppetry::stages::math::Vec3;
use puppetry::stages::mesh::shapes;
use std::f64::consts::TAU;

/// How many outfits there are, plain ones among them.
pub const CHOICES: usize = 7;

/// Dresses a character; gives what it wears.
pub fn dress(flesh: &mut Flesh, choice: usize) -> &'static str {
    let is_animal = flesh.truth.morphology == "quadruped";
    match (choice, is_animal) {
        (0, _) => {
            let brim = if is_animal { 0.08 } else { 0.15 };
            let top = crown(flesh);
            cone(flesh, top - Vec3::y() * 0.02 * flesh.height(), [brim, 0.85 * brim], [0.0, 0.02]);
            cone(flesh, top - Vec3::y() * 0.02 * flesh.height(), [0.6 * brim, 0.4 * brim], [0.0, 0.14]);
            "a hat"
        }
        (1, false) => {
            let behind = middle_of_back(flesh, 0.0);
            block(flesh, behind, [0.02, 0.02, 0.18], [0.0, 0.0, -0.15]);
            "a tail"
        }
        (2, false) => {
            skirt(flesh, 0.5);
            "a skirt"
        }
        (3, false) => {
            let behind = middle_of_back(flesh, 0.5);
            block(flesh, behind, [0.11, 0.25, 0.006], [0.0, 0.0, -0.01]);
            "a cape"
        }
        (1, true) => {
            let middle = (flesh.joint("hips") + flesh.joint("neck")) * 0.5;
            let top = flesh.positions.iter().filter(|p| (p.z - middle.z).abs() < 0.05 * flesh.height());
            let top = top.map(|p| p.y).fold(middle.y, f64::max);
            block(flesh, Vec3::new(middle.x, top, middle.z), [0.08, 0.03, 0.1], [0.0, 0.015, 0.0]);
            "a saddle"
        }
        (2, true) => {
            let (neck, head) = (flesh.joint("neck"), flesh.joint("head"));
            block(flesh, neck.lerp(&head, 0.3), [0.09, 0.02, 0.09], [0.0; 3]);
            "a collar"
        }
        _ => "nothing more",
    }
}

/// Where a hat sits: the top of the head around its middle, below antennae and tufts.
pub fn crown(flesh: &Flesh) -> Vec3 {
    let head = flesh.joint("head");
    let near = |p: &&Vec3| {
        let aside = (p.x - head.x).abs() / flesh.height();
        (0.03..0.07).contains(&aside) && (p.z - head.z).abs() < 0.15 * flesh.height()
    };
    let top = flesh.positions.iter().filter(near).max_by(|a, b| a.y.total_cmp(&b.y));
    top.map_or(head, |top| Vec3::new(head.x, top.y, top.z))
}

/// The hindmost of the trunk at a height between hips (0) and neck (1).
pub fn middle_of_back(flesh: &Flesh, t: f64) -> Vec3 {
    let (hips, neck, height) = (flesh.joint("hips"), flesh.joint("neck"), flesh.height());
    let y = hips.y + t * (neck.y - hips.y);
    let near = |p: &&Vec3| (p.x - hips.x).abs() < 0.06 * height && (p.y - y).abs() < 0.1 * height;
    Vec3::new(hips.x, y, flesh.positions.iter().filter(near).map(|p| p.z).fold(hips.z, f64::min))
}

/// A box of half sizes at an offset, in heights.
pub fn block(flesh: &mut Flesh, place: Vec3, half: [f64; 3], offset: [f64; 3]) {
    let cube = shapes::cube();
    let center = place + Vec3::from(offset) * flesh.height();
    let half = Vec3::from(half) * flesh.height();
    let corners: Vec<Vec3> = cube.positions.iter().map(|p| center + p.component_mul(&half)).collect();
    flesh.add(&corners, &cube.triangles);
}

const SECTORS: u32 = 24;

/// A closed cone with radii and heights above a place, in heights of the character.
pub fn cone(flesh: &mut Flesh, place: Vec3, radii: [f64; 2], heights: [f64; 2]) {
    let mut corners: Vec<Vec3> = ring(flesh, place, radii[0], heights[0]);
    corners.extend(ring(flesh, place, radii[1], heights[1]));
    corners.extend(heights.map(|height| place + Vec3::y() * height * flesh.height()));
    let (low, high) = (2 * SECTORS, 2 * SECTORS + 1);
    let mut triangles = wall();
    for k in 0..SECTORS {
        let next = (k + 1) % SECTORS;
        triangles.extend([[low, k, next], [high, SECTORS + next, SECTORS + k]]);
    }
    flesh.add(&corners, &triangles);
}

/// An open cone from the waist down to a height in parts of the hips'.
pub fn skirt(flesh: &mut Flesh, down_to: f64) {
    let (hips, floor) = (flesh.joint("hips"), flesh.bounds().min.y);
    let (top, low) = (0.06, (down_to - 1.0) * (hips.y - floor) / flesh.height());
    let mut corners = ring(flesh, hips, 0.1 + 0.25 * (top - low), low);
    corners.extend(ring(flesh, hips, 0.1, top));
    flesh.add(&corners, &wall());
}

fn ring(flesh: &Flesh, place: Vec3, radius: f64, height: f64) -> Vec<Vec3> {
    let corner = |k: u32| {
        let (sin, cos) = (TAU * f64::from(k) / f64::from(SECTORS)).sin_cos();
        place + Vec3::new(radius * cos, height, -radius * sin) * flesh.height()
    };
    (0..SECTORS).map(corner).collect()
}

/// The wall between two rings, the lower one first, seen from outside.
fn wall() -> Vec<[u32; 3]> {
    let quad = |k: u32| {
        let next = (k + 1) % SECTORS;
        [[k, next, SECTORS + next], [k, SECTORS + next, SECTORS + k]]
    };
    (0..SECTORS).flat_map(quad).collect()
}
