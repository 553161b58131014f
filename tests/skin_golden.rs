//! The skin weights of Pinocchio's first release, from its own joints, on the closed characters of which results
//! are at hand.

mod common;

use common::original_result;
use common::pinocchio::golden;
use puppetry::stages::embed::field::{DistanceField, FieldOptions};
use puppetry::stages::io::pinocchio;
use puppetry::stages::math::{Bounds, Vec3};
use puppetry::stages::mesh::TriangleTree;
use puppetry::stages::skin::bones::Bone;
use puppetry::stages::skin::compat;

#[test]
fn compat_weights_are_those_of_the_original() {
    for (name, _, _) in golden() {
        let file = |ending: &str| original_result(&format!("{name}.{ending}")).unwrap();
        let (input, triangles) = obj(&std::fs::read_to_string(file("obj")).unwrap());
        let bounds = Bounds::of(&input);
        let place = |p: &Vec3| (p - bounds.center()) * (0.9 / bounds.extent().max()) + Vec3::repeat(0.5);
        let positions: Vec<Vec3> = input.iter().map(place).collect();
        let skeleton = pinocchio::read(&std::fs::read(file("skeleton.out")).unwrap()).unwrap();
        let at = |joint: usize| place(&skeleton.joints[joint].position);
        let parents = skeleton.joints.iter().enumerate().filter_map(|(j, joint)| Some((j, joint.parent?)));
        let bones: Vec<Bone> =
            parents.map(|(joint, owner)| Bone { owner, from: at(owner), to: at(joint) }).collect();
        let tree = TriangleTree::new(&positions, &triangles);
        // Interpolation errors of the field decide here and there whether the original sees a bone.
        let field = DistanceField::new(&tree, &FieldOptions::default());
        let ours = compat::weights(&positions, &triangles, &bones, |point| field.value(point));
        let ours = ours.expect("a solvable system");
        let text = std::fs::read_to_string(file("attachment.out")).unwrap();
        assert_eq!(text.lines().count(), positions.len());
        for (vertex, (line, ours)) in text.lines().zip(&ours).enumerate() {
            let theirs = line.split_whitespace().map(|word| word.parse::<f64>().unwrap());
            let difference = theirs.zip(ours).map(|(theirs, ours)| (theirs - ours).abs()).fold(0.0, f64::max);
            // The file is rounded to four digits.
            assert!(difference < 2e-4, "{name}, vertex {vertex}: {difference}");
        }
    }
}

/// Vertices in the order of the file, which the weights follow; our reader has them in the order of the faces.
fn obj(text: &str) -> (Vec<Vec3>, Vec<[u32; 3]>) {
    let lines = |kind: &'static str| {
        text.lines().filter_map(move |line| line.strip_prefix(kind)).map(|rest| rest.split_whitespace())
    };
    let number = |word: &str| word.parse::<f64>().unwrap();
    let index = |word: &str| word.split('/').next().unwrap().parse::<u32>().unwrap() - 1;
    let positions = lines("v ").map(|words| Vec3::from_iterator(words.take(3).map(number))).collect();
    let triangle = |words: Vec<u32>| <[u32; 3]>::try_from(words).expect("triangles only");
    let triangles = lines("f ").map(|words| triangle(words.map(index).collect())).collect();
    (positions, triangles)
}
