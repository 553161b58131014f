use super::*;
use crate::mesh::shapes::{cube, joined};
use crate::mesh::{Conventions, Mesh};

/// Boxes by middle and half size.
fn boxes(boxes: &[([f64; 3], [f64; 3])]) -> Mesh {
    let placed = boxes.iter().map(|(middle, half)| {
        let mut cube = cube();
        let [middle, half] = [*middle, *half].map(Vec3::from);
        cube.positions.iter_mut().for_each(|p| *p = middle + p.component_mul(&half));
        cube
    });
    joined(&placed.collect::<Vec<Mesh>>())
}

/// Trunk, chest, head with a nose, and limbs on both sides, those on the right as they are given.
fn person(right_arm: ([f64; 3], [f64; 3]), right_leg: ([f64; 3], [f64; 3])) -> Mesh {
    boxes(&[
        ([0.0, 0.65, 0.0], [0.14, 0.2, 0.08]),
        ([0.0, 0.72, 0.1], [0.1, 0.1, 0.04]),
        ([0.0, 0.92, 0.04], [0.07, 0.08, 0.08]),
        ([0.0, 0.92, 0.13], [0.01, 0.02, 0.01]),
        ([0.3, 0.8, 0.0], [0.17, 0.03, 0.03]),
        ([0.08, 0.25, 0.0], [0.05, 0.22, 0.05]),
        ([0.08, 0.02, 0.05], [0.05, 0.02, 0.1]),
        right_arm,
        right_leg,
        ([right_leg.0[0], right_leg.0[1] - 0.23, right_leg.0[2] + 0.05], [0.05, 0.02, 0.1]),
    ])
}

const ARM: ([f64; 3], [f64; 3]) = ([-0.3, 0.8, 0.0], [0.17, 0.03, 0.03]);
const LEG: ([f64; 3], [f64; 3]) = ([-0.08, 0.25, 0.0], [0.05, 0.22, 0.05]);

fn dog() -> Mesh {
    let leg = |x: f64, z: f64| [([x, 0.3, z], [0.05, 0.3, 0.05]), ([x, 0.03, z + 0.03], [0.05, 0.03, 0.08])];
    let trunk = [
        ([0.0, 0.65, 0.0], [0.15, 0.13, 0.5]),
        ([0.0, 0.9, 0.55], [0.08, 0.15, 0.12]),
        ([0.0, 0.9, 0.7], [0.05, 0.06, 0.1]),
        ([0.0, 0.75, -0.6], [0.02, 0.02, 0.15]),
    ];
    let legs = [leg(0.1, 0.4), leg(-0.1, 0.4), leg(0.1, -0.4), leg(-0.1, -0.4)].concat();
    boxes(&[&trunk[..], &legs].concat())
}

/// Turned about +Y, counter-clockwise seen from above.
fn yawed(degrees: f64) -> impl Fn(&Vec3) -> Vec3 {
    let turn = nalgebra::Rotation3::from_axis_angle(&Vec3::y_axis(), degrees.to_radians());
    move |p| turn * p
}

/// From Y up and facing +Z to Z up and facing −Y.
fn z_up(p: &Vec3) -> Vec3 {
    Vec3::new(p.x, -p.z, p.y)
}

const DECLARED: Conventions =
    Conventions { meters_per_unit: Some(1.0), up: Some(Axis::PosY), front: Some(Axis::PosZ) };

fn orientation(
    shape: &Mesh,
    turn: impl Fn(&Vec3) -> Vec3,
    conventions: Conventions,
    options: OrientationOptions,
) -> Orientation {
    let positions: Vec<Vec3> = shape.positions.iter().map(turn).collect();
    let origin = Origin { conventions, ..Origin::default() };
    find_orientation(&positions, &shape.triangles, &origin, &options)
}

fn seen(shape: &Mesh, turn: impl Fn(&Vec3) -> Vec3) -> Orientation {
    orientation(shape, turn, Conventions::default(), OrientationOptions::default())
}

fn degrees_off(orientation: &Orientation, gaze: &Vec3) -> f64 {
    orientation.gaze().dot(gaze).min(1.0).acos().to_degrees()
}

#[test]
fn a_character_may_face_anywhere() {
    for shape in [person(ARM, LEG), dog()] {
        for degrees in (0..23).map(|step| 15.7 * f64::from(step)) {
            let turn = yawed(degrees);
            let upright = seen(&shape, &turn);
            assert_eq!(
                (upright.up, upright.front_reason),
                (Axis::PosY, OrientationReason::Shape),
                "{degrees}"
            );
            assert!(degrees_off(&upright, &turn(&Vec3::z())) < 0.3, "{degrees}: {upright:?}");
            let lying = seen(&shape, |p| z_up(&turn(p)));
            assert_eq!(lying.up, Axis::PosZ, "{degrees}");
            assert!(degrees_off(&lying, &z_up(&turn(&Vec3::z()))) < 0.3, "{degrees}: {lying:?}");
        }
    }
}

#[test]
fn what_a_file_declares_stays_exactly_while_it_is_nearly_right() {
    for degrees in [-2.0, -0.5, 0.0, 0.1, 1.0, 2.0] {
        let orientation =
            orientation(&person(ARM, LEG), yawed(degrees), DECLARED, OrientationOptions::default());
        assert!(orientation.is_upright(), "{degrees}: {orientation:?}");
        assert_eq!(
            (orientation.up_reason, orientation.front_reason),
            (OrientationReason::Declared, OrientationReason::Declared)
        );
    }
    for degrees in [10.0, 37.0, 90.0, 180.0, 300.0] {
        let turn = yawed(degrees);
        let orientation = orientation(&person(ARM, LEG), &turn, DECLARED, OrientationOptions::default());
        assert_eq!(
            orientation.front_reason,
            OrientationReason::ShapeContradicts { declared: Axis::PosZ },
            "{degrees}"
        );
        assert!(degrees_off(&orientation, &turn(&Vec3::z())) < 0.3, "{degrees}: {orientation:?}");
    }
}

#[test]
fn a_sword_in_one_hand_does_not_turn_the_plane() {
    let armed = joined(&[person(ARM, LEG), boxes(&[([-0.46, 0.8, 0.18], [0.01, 0.02, 0.15])])]);
    for degrees in [0.0, 37.0, 127.0] {
        let turn = yawed(degrees);
        let orientation = seen(&armed, &turn);
        assert!(degrees_off(&orientation, &turn(&Vec3::z())) < 1.0, "{degrees}: {orientation:?}");
    }
}

#[test]
fn a_pose_without_symmetry_is_left_as_the_file_says() {
    // One arm up, the other aside; one leg far ahead.
    let stride = person(([-0.2, 1.0, 0.05], [0.03, 0.2, 0.03]), ([-0.08, 0.3, 0.25], [0.05, 0.22, 0.05]));
    let orientation = orientation(&stride, |p| *p, DECLARED, OrientationOptions::default());
    assert!(orientation.is_upright(), "{orientation:?}");
}

#[test]
fn a_character_that_leans_to_one_side_is_left_leaning() {
    let lean = nalgebra::Rotation3::from_axis_angle(&Vec3::z_axis(), 0.3);
    let orientation = orientation(&person(ARM, LEG), |p| lean * p, DECLARED, OrientationOptions::default());
    assert!(orientation.is_upright(), "{orientation:?}");
}

#[test]
fn on_the_back_and_on_the_head_the_shape_overrules_the_file() {
    let contradicted = OrientationReason::ShapeContradicts { declared: Axis::PosY };
    for shape in [person(ARM, LEG), dog()] {
        let on_the_back = orientation(&shape, z_up, DECLARED, OrientationOptions::default());
        assert_eq!((on_the_back.up, on_the_back.up_reason), (Axis::PosZ, contradicted));
        assert_eq!((on_the_back.front, on_the_back.yaw), (Axis::NegY, 0.0));
        let on_the_head = |p: &Vec3| Vec3::new(p.x, -p.y, -p.z);
        let upside_down = orientation(&shape, on_the_head, DECLARED, OrientationOptions::default());
        assert_eq!((upside_down.up, upside_down.up_reason), (Axis::NegY, contradicted));
        assert_eq!((upside_down.front, upside_down.yaw), (Axis::NegZ, 0.0));
    }
}

#[test]
fn the_user_knows_better() {
    let front = |front| OrientationOptions { up: None, front: Some(front) };
    // The nearest axis tells front from back, and the angle is still seen.
    for (given, facing) in [(Axis::PosZ, Vec3::z()), (Axis::NegZ, -Vec3::z())] {
        let orientation = orientation(&person(ARM, LEG), yawed(37.0), DECLARED, front(given));
        assert_eq!((orientation.front, orientation.front_reason), (given, OrientationReason::Given));
        assert!(degrees_off(&orientation, &yawed(37.0)(&facing)) < 0.3, "{orientation:?}");
    }
    // Both axes leave nothing to see, and a front across the plane does not either.
    let both = OrientationOptions { up: Some(Axis::PosY), front: Some(Axis::PosZ) };
    assert!(orientation(&person(ARM, LEG), yawed(37.0), DECLARED, both).is_upright());
    let across = orientation(&person(ARM, LEG), |p| *p, DECLARED, front(Axis::PosX));
    assert_eq!((across.front, across.yaw), (Axis::PosX, 0.0));
    let up = OrientationOptions { up: Some(Axis::PosX), front: None };
    assert_eq!(orientation(&person(ARM, LEG), |p| *p, DECLARED, up).up, Axis::PosX);
}

#[test]
fn bodies_with_several_mirror_planes_are_not_turned() {
    let pillar = boxes(&[([0.0, 1.0, 0.0], [0.3, 1.0, 0.3])]);
    for degrees in [0.0, 20.0, 45.0] {
        let orientation = orientation(&pillar, yawed(degrees), DECLARED, OrientationOptions::default());
        assert!(orientation.is_upright(), "{degrees}: {orientation:?}");
        assert_eq!(orientation.front_reason, OrientationReason::Declared);
    }
}

#[test]
fn every_orientation_becomes_upright_without_mirroring() {
    for up in Axis::ALL {
        for front in Axis::ALL.into_iter().filter(|front| front.index() != up.index()) {
            let orientation = Orientation::given(up, front);
            let turn = orientation.upright_from_input();
            assert_eq!((turn * up.vector(), turn * front.vector()), (Vec3::y(), Vec3::z()));
            assert_eq!(turn.determinant(), 1.0);
            let orientation = Orientation { yaw: 0.5, ..orientation };
            let turn = orientation.upright_from_input();
            assert!((turn * orientation.gaze() - Vec3::z()).norm() < 1e-12);
            assert!((turn.determinant() - 1.0).abs() < 1e-12);
            // Counter-clockwise seen from above: towards the character's left.
            assert!((turn * front.vector()).x < 0.0);
        }
    }
    let orientation = Orientation { yaw: -0.25, ..Orientation::given(Axis::PosY, Axis::PosZ) };
    assert_eq!(orientation.facing(), "+Z turned by 14.3 degrees towards -X");
}

/// Which of two exact planes is left and right is chance, and a figure of six boxes faced -X by it.
#[test]
fn a_body_with_two_exact_mirror_planes_faces_as_the_file_says() {
    for gap in [0.0, 0.05, 0.1] {
        let arm = |side: f64| ([side * (0.35 + gap), 1.05, 0.0], [0.1, 0.35, 0.1]);
        let leg = |side: f64| ([side * (0.13 + 0.5 * gap), 0.35, 0.0], [0.11, 0.35, 0.11]);
        let trunk = ([0.0, 1.05, 0.0], [0.25, 0.35, 0.125]);
        let head = ([0.0, 1.6, 0.0], [0.2, 0.2, 0.2]);
        let figure = boxes(&[trunk, head, arm(1.0), arm(-1.0), leg(1.0), leg(-1.0)]);
        for conventions in [DECLARED, Conventions::default()] {
            let found = orientation(&figure, |p| *p, conventions, OrientationOptions::default());
            assert!(found.is_upright(), "{gap}: {found:?}");
        }
    }
}
