//! The stages of the embedding on the distance field against the results of the original program for five closed
//! characters, where those are there.

mod common;

use common::original_result;
use puppetry::stages::embed::Sphere;
use puppetry::stages::embed::field::{DistanceField, FieldOptions};
use puppetry::stages::embed::medial::{MedialOptions, sample};
use puppetry::stages::embed::packing::{PackingOptions, pack};
use puppetry::stages::embed::refine::{RefineOptions, RestSkeleton, refine};
use puppetry::stages::io::load_mesh;
use puppetry::stages::math::{Bounds, Vec3};
use puppetry::stages::mesh::TriangleTree;

const CHARACTERS: [&str; 5] = ["cesium_man", "knight_lowpoly", "quad_fox", "quad_pug", "rigged_figure"];

/// What the original computed for a character.
struct Golden {
    tree: TriangleTree,
    leaves: usize,
    samples: usize,
    spheres: Vec<Sphere>,
    split: Vec<Vec3>,
    refined: Vec<Vec3>,
}

impl Golden {
    /// `None` if the original's results are not there.
    fn load(name: &str) -> Option<Golden> {
        let [stages, mesh] = ["stages.txt", "obj"].map(|ending| original_result(&format!("{name}.{ending}")));
        let stages = std::fs::read_to_string(stages?).unwrap();
        let mesh = load_mesh(&mesh?).unwrap().0;
        let bounds = Bounds::of(&mesh.positions);
        let scale = 0.9 / bounds.extent().max();
        let to_unit = |p: &Vec3| Vec3::repeat(0.5) + (p - bounds.center()) * scale;
        let positions: Vec<Vec3> = mesh.positions.iter().map(to_unit).collect();
        let lines: Vec<Vec<&str>> = stages.lines().map(|line| line.split_whitespace().collect()).collect();
        let count =
            |key: &str| lines.iter().find(|line| line.get(1) == Some(&key)).unwrap()[2].parse().unwrap();
        let rows = |key: &str| -> Vec<Vec<f64>> {
            let start = lines.iter().position(|line| line[0] == key).unwrap();
            let count: usize = lines[start][1].parse().unwrap();
            let numbers = |line: &Vec<&str>| line.iter().map(|word| word.parse().unwrap()).collect();
            lines[start + 1..][..count].iter().map(numbers).collect()
        };
        let point = |row: &Vec<f64>| Vec3::new(row[0], row[1], row[2]);
        Some(Golden {
            tree: TriangleTree::new(&positions, &mesh.triangles),
            leaves: count("leaves"),
            samples: count("medial"),
            spheres: rows("spheres")
                .iter()
                .map(|row| Sphere { center: point(row), radius: row[3] })
                .collect(),
            split: rows("split").iter().map(point).collect(),
            refined: rows("refined").iter().map(point).collect(),
        })
    }
}

#[test]
fn spheres_lie_where_the_original_has_them() {
    for name in CHARACTERS {
        let Some(golden) = Golden::load(name) else { return };
        let field = DistanceField::new(&golden.tree, &FieldOptions::default());
        let samples = sample(&field, &MedialOptions::compat());
        let spheres = pack(&samples, &PackingOptions::compat());
        assert_eq!(field.leaf_count(), golden.leaves, "{name}");
        assert_eq!(samples.len(), golden.samples, "{name}");

        // Of samples with the same radius on both sides of a symmetric character either may come first, and those
        // next to it then follow: some spheres of the two differ.
        let is_near = |a: &Sphere, b: &Sphere| (a.center - b.center).norm() < 0.01;
        let met = golden.spheres.iter().filter(|a| spheres.iter().any(|b| is_near(a, b))).count();
        let (count, expected) = (spheres.len(), golden.spheres.len());
        println!("{name}: {count} spheres for {expected}, {met} of them in the same place");
        assert!(
            count.abs_diff(expected) <= expected / 50 && met >= expected * 9 / 10,
            "{name}: {count} {met}"
        );
    }
}

/// A joint of one of the original's skeletons: position and parent. Partners are those with opposite x.
type Joint = ([f64; 3], usize);

const HUMAN: [Joint; 18] = [
    ([0.0, 0.5, 0.0], 0),
    ([0.0, 0.15, 0.0], 0),
    ([0.0, 0.0, 0.0], 1),
    ([0.0, 0.7, 0.0], 0),
    ([-0.1, 0.0, 0.0], 2),
    ([-0.15, -0.35, 0.0], 4),
    ([-0.15, -0.8, 0.0], 5),
    ([-0.15, -0.8, 0.1], 6),
    ([0.1, 0.0, 0.0], 2),
    ([0.15, -0.35, 0.0], 8),
    ([0.15, -0.8, 0.0], 9),
    ([0.15, -0.8, 0.1], 10),
    ([-0.2, 0.5, 0.0], 0),
    ([-0.4, 0.25, 0.075], 12),
    ([-0.6, 0.0, 0.15], 13),
    ([0.2, 0.5, 0.0], 0),
    ([0.4, 0.25, 0.075], 15),
    ([0.6, 0.0, 0.15], 16),
];

const QUAD: [Joint; 18] = [
    ([0.0, 0.0, 0.5], 0),
    ([0.0, 0.0, 0.0], 0),
    ([0.0, 0.0, -0.5], 1),
    ([0.0, 0.2, 0.63], 0),
    ([0.0, 0.2, 0.9], 3),
    ([-0.15, 0.0, -0.5], 2),
    ([-0.2, -0.4, -0.5], 5),
    ([-0.2, -0.8, -0.5], 6),
    ([0.15, 0.0, -0.5], 2),
    ([0.2, -0.4, -0.5], 8),
    ([0.2, -0.8, -0.5], 9),
    ([-0.2, 0.0, 0.5], 0),
    ([-0.2, -0.4, 0.5], 11),
    ([-0.2, -0.8, 0.5], 12),
    ([0.2, 0.0, 0.5], 0),
    ([0.2, -0.4, 0.5], 14),
    ([0.2, -0.8, 0.5], 15),
    ([0.0, 0.0, -0.7], 2),
];

const HORSE: [Joint; 20] = [
    ([0.0, 0.0, 0.5], 0),
    ([0.0, 0.0, 0.0], 0),
    ([0.0, 0.0, -0.5], 1),
    ([0.0, 0.2, 0.63], 0),
    ([0.0, 0.2, 0.9], 3),
    ([-0.15, 0.0, -0.5], 2),
    ([-0.2, -0.2, -0.45], 5),
    ([-0.2, -0.4, -0.5], 6),
    ([-0.2, -0.8, -0.5], 7),
    ([0.15, 0.0, -0.5], 2),
    ([0.2, -0.2, -0.45], 9),
    ([0.2, -0.4, -0.5], 10),
    ([0.2, -0.8, -0.5], 11),
    ([-0.2, 0.0, 0.5], 0),
    ([-0.2, -0.4, 0.5], 13),
    ([-0.2, -0.8, 0.5], 14),
    ([0.2, 0.0, 0.5], 0),
    ([0.2, -0.4, 0.5], 16),
    ([0.2, -0.8, 0.5], 17),
    ([0.0, 0.0, -0.7], 2),
];

/// The original's default: half for the table, 0.7 for the character.
const SKELETON_SCALE: f64 = 0.35;

#[test]
fn refined_joints_lie_where_the_original_has_them() {
    for name in CHARACTERS {
        let Some(golden) = Golden::load(name) else { return };
        let joints: &[Joint] = match name {
            "quad_pug" => &QUAD,
            "quad_fox" => &HORSE,
            _ => &HUMAN,
        };
        let positions: Vec<Vec3> = joints.iter().map(|(p, _)| Vec3::from(*p) * SKELETON_SCALE).collect();
        let parents: Vec<Option<usize>> =
            joints.iter().enumerate().map(|(joint, &(_, parent))| (joint > 0).then_some(parent)).collect();
        let mirrored = |p: &[f64; 3]| [-p[0], p[1], p[2]];
        let partner = |p: &[f64; 3]| joints.iter().position(|(q, _)| p[0] != 0.0 && *q == mirrored(p));
        let partners: Vec<Option<usize>> = joints.iter().map(|(p, _)| partner(p)).collect();
        let rest = RestSkeleton { parents: &parents, positions: &positions, partners: &partners, fixed: &[] };

        let field = DistanceField::new(&golden.tree, &FieldOptions::default());
        let samples = sample(&field, &MedialOptions::compat());
        let refined = refine(&golden.split, &rest, &field, &samples, &RefineOptions::compat());
        let distances = refined.positions.iter().zip(&golden.refined).map(|(a, b)| (a - b).norm());
        let farthest = distances.fold(0.0, f64::max);
        println!("{name}: refined joints within {farthest:.1e}");
        // On the figure, bones in the plane of symmetry are as near to a sample on either side of it.
        let allowed = if name == "rigged_figure" { 0.006 } else { 1e-6 };
        assert!(farthest < allowed, "{name}: {farthest}");

        // Our own way must end lower than the original's result, by the energy that it lowers.
        let smooth = |start: &[Vec3], max_steps: usize| {
            let options = RefineOptions { max_steps, ..RefineOptions::default() };
            *refine(start, &rest, &field, &samples, &options).energies.last().unwrap()
        };
        let (ours, theirs) =
            (smooth(&golden.split, RefineOptions::default().max_steps), smooth(&golden.refined, 0));
        println!("{name}: energy {ours:.3}, of the original's result {theirs:.3}");
        assert!(ours < theirs, "{name}: {ours} {theirs}");
    }
}
