//! Hands and forearms stay out of the rest of the body, measured on the skin of whole clips.

mod common;

use common::root;
use nalgebra::{Isometry3, Point3, Translation3};
use puppetry::stages::mesh::TriangleTree;
use puppetry::stages::motion::Pose;
use puppetry::stages::retarget::RetargetOptions;
use puppetry::{Character, ClipOptions, Motion, RigOptions, Silent, Vec3};

fn character(name: &str) -> Character {
    let path = root().join(format!("examples/characters/{name}.glb"));
    let (mesh, _) = puppetry::load_mesh(&path).unwrap();
    puppetry::rig(&mesh, &RigOptions::default(), &Silent).unwrap().character
}

fn poses(character: &Character, motion: &str, retarget: &RetargetOptions) -> Vec<Pose> {
    let mut options = ClipOptions::default();
    options.retarget = *retarget;
    let motion = Motion::built_in(motion).unwrap();
    puppetry::animate(character, "collisions", &motion, &options).unwrap().poses
}

fn off() -> RetargetOptions {
    RetargetOptions { collide: false, ..RetargetOptions::default() }
}

/// What of a character meets what: the vertices of hands and forearms, and the triangles of trunk and thighs.
struct Skin {
    vertices: Vec<(Vec3, Vec<(usize, f64)>)>,
    arms: Vec<usize>,
    body: Vec<[u32; 3]>,
    height: f64,
}

impl Skin {
    fn of(character: &Character) -> Skin {
        let skinned = character.skinned_mesh().unwrap();
        let bound = skinned.mesh.positions.iter().enumerate().map(|(vertex, position)| {
            let position = (skinned.rig_from_mesh * Point3::from(*position)).coords;
            (position, skinned.weights.of(vertex).collect::<Vec<_>>())
        });
        let vertices: Vec<(Vec3, Vec<(usize, f64)>)> = bound.collect();
        let most = |vertex: usize| {
            let most = vertices[vertex].1.iter().max_by(|a, b| a.1.total_cmp(&b.1)).unwrap().0;
            character.rig.joints[most].name.as_str()
        };
        let is_arm = |name: &str| ["LowerArm", "Hand"].iter().any(|part| name.ends_with(part));
        let is_body = |name: &str| {
            ["Hips", "Spine", "Chest", "Neck", "Shoulder", "UpperLeg"].iter().any(|part| name.ends_with(part))
        };
        let heights = vertices.iter().map(|(position, _)| position.y);
        let (low, high) = heights.fold((f64::INFINITY, 0.0_f64), |(low, high), y| (low.min(y), high.max(y)));
        let triangles = skinned.mesh.triangles.iter().copied();
        Skin {
            arms: (0..vertices.len()).filter(|&vertex| is_arm(most(vertex))).collect(),
            body: triangles.filter(|corners| corners.iter().all(|&c| is_body(most(c as usize)))).collect(),
            height: high - low,
            vertices,
        }
    }

    fn posed(&self, character: &Character, pose: &Pose) -> Vec<Vec3> {
        let placed = pose.positions.iter().zip(&pose.rotations).zip(character.rig.joints.iter());
        let moves: Vec<Isometry3<f64>> = placed
            .map(|((position, rotation), joint)| {
                Isometry3::from_parts(Translation3::from(*position), *rotation) * joint.rest.inverse()
            })
            .collect();
        let place = |(position, weights): &(Vec3, Vec<(usize, f64)>)| {
            weights
                .iter()
                .map(|(joint, weight)| (moves[*joint] * Point3::from(*position)).coords * *weight)
                .sum()
        };
        self.vertices.iter().map(place).collect()
    }

    /// How deep the deepest vertex of the arms is in trunk or thighs, in percent of the height.
    fn depth(&self, character: &Character, pose: &Pose) -> f64 {
        let positions = self.posed(character, pose);
        let body = TriangleTree::new(&positions, &self.body);
        let depths = self.arms.iter().filter_map(|&vertex| body.signed_distance(&positions[vertex]));
        100.0 * -depths.fold(0.0, f64::min) / self.height
    }

    /// The share of frames, of every fifth, with a vertex deeper than a hundredth of the height.
    fn share(&self, character: &Character, poses: &[Pose]) -> f64 {
        let looked: Vec<f64> = poses.iter().step_by(5).map(|pose| self.depth(character, pose)).collect();
        looked.iter().filter(|depth| **depth > 1.0).count() as f64 / looked.len() as f64
    }
}

/// The largest change of the velocity of a bone from one frame to the next, in degrees a frame.
fn jerkiest(poses: &[Pose], bones: &[[usize; 2]]) -> f64 {
    let along = |pose: &Pose, [from, to]: [usize; 2]| (pose.positions[to] - pose.positions[from]).normalize();
    let changes = poses.windows(3).flat_map(|frames| {
        bones.iter().map(|&bone| {
            let [a, b, c] = [0, 1, 2].map(|frame| along(&frames[frame], bone));
            (c - b * 2.0 + a).norm().to_degrees()
        })
    });
    changes.fold(0.0, f64::max)
}

fn joint(character: &Character, name: &str) -> usize {
    character.rig.find(name).unwrap()
}

#[test]
fn hands_of_stout_characters_stay_out_of_their_bodies() {
    let gingerbread = character("gingerbread");
    let skin = Skin::of(&gingerbread);
    for motion in ["wave", "walk"] {
        let before = skin.share(&gingerbread, &poses(&gingerbread, motion, &off()));
        let after = skin.share(&gingerbread, &poses(&gingerbread, motion, &RetargetOptions::default()));
        assert!(before > 0.5, "{motion}: {before}");
        assert!(after < 0.02, "{motion}: {after} of {before}");
    }
}

#[test]
fn arms_that_give_way_do_not_pop() {
    let gingerbread = character("gingerbread");
    let bones: Vec<[usize; 2]> = ["Left", "Right"]
        .iter()
        .flat_map(|side| {
            let [upper, lower, hand] =
                ["UpperArm", "LowerArm", "Hand"].map(|part| joint(&gingerbread, &format!("{side}{part}")));
            [[upper, lower], [lower, hand]]
        })
        .collect();
    // Without look-ahead an arm gives way when it meets something, not before.
    for (look_ahead, limit) in [(0.1, 1.5), (0.0, 3.0)] {
        let options = RetargetOptions { look_ahead, ..RetargetOptions::default() };
        let [before, after] = [RetargetOptions { collide: false, ..options }, options]
            .map(|options| jerkiest(&poses(&gingerbread, "wave", &options), &bones));
        assert!(after < limit * before, "{look_ahead} s: {after} degrees a frame, {before} without");
    }
}

#[test]
fn only_arms_give_way_and_the_same_way_every_time() {
    let gingerbread = character("gingerbread");
    let (with, without) =
        (poses(&gingerbread, "wave", &RetargetOptions::default()), poses(&gingerbread, "wave", &off()));
    let arms = ["LeftUpperArm", "RightUpperArm"].map(|name| joint(&gingerbread, name));
    let is_arm = |joint: usize| arms.iter().any(|&arm| gingerbread.rig.joints.is_below(joint, arm));
    for (with, without) in with.iter().zip(&without) {
        for joint in (0..gingerbread.rig.joints.len()).filter(|&joint| !is_arm(joint)) {
            assert_eq!(with.rotations[joint], without.rotations[joint]);
            assert_eq!(with.positions[joint], without.positions[joint]);
        }
    }
    let again = poses(&gingerbread, "wave", &RetargetOptions::default());
    assert!(with.iter().zip(&again).all(|(a, b)| a.rotations == b.rotations && a.positions == b.positions));
}

#[test]
fn a_slender_character_that_dances_is_left_alone() {
    let slim = character("slim");
    let [with, without] = [RetargetOptions::default(), off()].map(|options| poses(&slim, "dance", &options));
    for (with, without) in with.iter().zip(&without) {
        for joint in 0..slim.rig.joints.len() {
            assert!(with.rotations[joint].angle_to(&without.rotations[joint]) < 1e-9);
        }
    }
}
