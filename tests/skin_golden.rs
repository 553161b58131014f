//! The skin weights of Pinocchio's first release, from its own joints, on the closed characters of which results
//! are at hand.

mod common;

use common::pinocchio::golden;
use common::root;
use puppetry::io::{load_mesh, pinocchio};
use puppetry::math::{Bounds, Vec3};
use puppetry::mesh::TriangleTree;
use puppetry::skin::bones::Bone;
use puppetry::skin::compat;

#[test]
fn compat_weights_are_those_of_the_original() {
    for (name, _, _) in golden() {
        let file = |ending: &str| root().join(format!("../shared/golden/{name}.{ending}"));
        let (mesh, _) = load_mesh(&file("obj")).unwrap();
        let bounds = Bounds::of(&mesh.positions);
        let place = |p: &Vec3| (p - bounds.center()) * (0.9 / bounds.extent().max()) + Vec3::repeat(0.5);
        let positions: Vec<Vec3> = mesh.positions.iter().map(place).collect();
        let skeleton = pinocchio::read(&std::fs::read(file("skeleton.out")).unwrap()).unwrap();
        let at = |joint: usize| place(&skeleton.joints[joint].position);
        let parents = skeleton.joints.iter().enumerate().filter_map(|(j, joint)| Some((j, joint.parent?)));
        let bones: Vec<Bone> =
            parents.map(|(joint, owner)| Bone { owner, from: at(owner), to: at(joint) }).collect();
        let tree = TriangleTree::new(&positions, &mesh.triangles);
        let field = |point: &Vec3| tree.signed_distance(point).unwrap_or(f64::INFINITY);

        let ours = compat::weights(&positions, &mesh.triangles, &bones, field).expect("a solvable system");
        let text = std::fs::read_to_string(file("attachment.out")).unwrap();
        let mut differences: Vec<f64> = text
            .lines()
            .zip(&ours)
            .map(|(line, ours)| {
                let theirs = line.split_whitespace().map(|word| word.parse::<f64>().unwrap());
                theirs.zip(ours).map(|(theirs, ours)| (theirs - ours).abs()).fold(0.0, f64::max)
            })
            .collect();
        assert_eq!(differences.len(), positions.len());
        differences.sort_by(f64::total_cmp);
        let share = |part: f64| differences[((differences.len() - 1) as f64 * part) as usize];
        println!("{name}: median {:.5}, 90 % {:.5}, worst {:.4}", share(0.5), share(0.9), share(1.0));
    }
}
