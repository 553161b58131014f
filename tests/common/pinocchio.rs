//! Skeletons and results of Pinocchio's first release.

use super::{original_result, root};
use puppetry::stages::embed::Sphere;
use puppetry::stages::io::{load_mesh, pinocchio};
use puppetry::stages::math::{Bounds, Vec3};
use puppetry::stages::mesh::TriangleTree;
use puppetry::stages::skeleton::Skeleton;
use std::str::FromStr;

/// The factor that Pinocchio applies to the positions of its own skeletons.
pub const SCALE: f64 = 0.35;

/// One of its skeletons, with the symmetry, feet and thick parts that its joint lists do not say.
pub fn skeleton(name: &str) -> Skeleton {
    let path = root().join(format!("tests/golden/pinocchio_{name}.joints"));
    let mut skeleton = pinocchio::read(&std::fs::read(path).unwrap()).expect("a good joint list");
    let positions: Vec<Vec3> = skeleton.joints.iter().map(|joint| joint.position).collect();
    for joint in &mut skeleton.joints {
        let mirrored = Vec3::new(-joint.position.x, joint.position.y, joint.position.z);
        joint.partner = positions.iter().position(|p| *p == mirrored && mirrored.x != 0.0);
        joint.is_foot = joint.name.ends_with("foot");
        joint.is_torso = ["hips", "shoulders", "hshoulders", "head"].contains(&joint.name.as_str());
    }
    skeleton
}

/// What it computed for a character, stage by stage, in the unit cube.
pub struct Stages {
    pub spheres: Vec<Sphere>,
    pub edges: Vec<[u32; 2]>,
    pub candidates: Vec<Vec<u32>>,
    pub matched: Vec<u32>,
    pub split: Vec<Vec3>,
}

/// The characters for which there are results beside the repository, with the name of their skeleton; none, with a line
/// that says so, where they are not there.
pub fn golden() -> Vec<(&'static str, &'static str, Stages)> {
    let characters = [
        ("cesium_man", "human"),
        ("knight_lowpoly", "human"),
        ("rigged_figure", "human"),
        ("quad_pug", "quad"),
        ("quad_fox", "horse"),
    ];
    let with_stages = |(name, skeleton)| {
        let path = original_result(&format!("{name}.stages.txt"))?;
        Some((name, skeleton, Stages::read(&std::fs::read_to_string(path).unwrap())))
    };
    characters.into_iter().map_while(with_stages).collect()
}

/// The surface of a character in Pinocchio's unit cube.
pub fn exact_field(name: &str) -> TriangleTree {
    let (mesh, _) = load_mesh(&original_result(&format!("{name}.obj")).unwrap()).unwrap();
    let bounds = Bounds::of(&mesh.positions);
    let scale = 0.9 / bounds.extent().max();
    let place = |p: &Vec3| (p - bounds.center()) * scale + Vec3::repeat(0.5);
    TriangleTree::new(&mesh.positions.iter().map(place).collect::<Vec<_>>(), &mesh.triangles)
}

impl Stages {
    fn read(text: &str) -> Stages {
        Stages {
            spheres: rows::<f64>(text, "spheres")
                .map(|row| Sphere { center: Vec3::new(row[0], row[1], row[2]), radius: row[3] })
                .collect(),
            edges: rows(text, "edges").map(|row| [row[0], row[1]]).collect(),
            candidates: rows(text, "possibilities").collect(),
            matched: rows(text, "match").map(|row| row[0]).collect(),
            split: rows(text, "split").map(|row| Vec3::from_column_slice(&row)).collect(),
        }
    }
}

/// The lines of a section: its first line is its name and how many follow.
fn rows<'a, T: FromStr>(text: &'a str, section: &'a str) -> impl Iterator<Item = Vec<T>> + 'a {
    let mut lines = text.lines().skip_while(move |line| !line.starts_with(section));
    let count = lines.next().and_then(|line| line.split(' ').nth(1)?.parse().ok()).expect(section);
    lines.take(count).map(|line| line.split_whitespace().map(|word| word.parse().ok().unwrap()).collect())
}
