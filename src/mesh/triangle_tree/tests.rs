//! The tree against closed forms, against brute force in `f64`, and against parry3d.

use super::nearest::nearest_on_triangle;
use super::*;
use crate::math::Similarity;
use crate::mesh::{Mesh, shapes};
use proptest::prelude::*;
use std::f64::consts::PI;

fn tree_of(mesh: &Mesh) -> TriangleTree {
    TriangleTree::new(&mesh.positions, &mesh.triangles)
}

/// Points that look random, with coordinates from −1 to 1 times `size`.
fn scattered(count: usize, size: f64) -> Vec<Vec3> {
    // Fractional parts of multiples of irrational numbers.
    let coordinate = |at: usize, step: f64| ((at as f64 + 0.5) * step).fract() * 2.0 - 1.0;
    let point =
        |at| Vec3::new(coordinate(at, 0.819_173), coordinate(at, 0.671_044), coordinate(at, 0.549_700));
    (0..count).map(|at| point(at) * size).collect()
}

fn corners(mesh: &Mesh, triangle: usize) -> Corners {
    mesh.triangles[triangle].map(|index| mesh.positions[index as usize])
}

fn brute_distance(mesh: &Mesh, point: &Vec3) -> f64 {
    let distance = |triangle| {
        let corners = corners(mesh, triangle);
        let [u, v, w] = nearest_on_triangle(point, &corners);
        (corners[0] * u + corners[1] * v + corners[2] * w - point).norm()
    };
    (0..mesh.triangles.len()).map(distance).fold(f64::INFINITY, f64::min)
}

/// Sum of the solid angles by van Oosterom & Strackee, in `f64`.
fn brute_winding(mesh: &Mesh, point: &Vec3) -> f64 {
    let half_angle = |triangle| {
        let [a, b, c] = corners(mesh, triangle).map(|corner| corner - point);
        let [x, y, z] = [a, b, c].map(|v| v.norm());
        a.dot(&b.cross(&c)).atan2(x * y * z + a.dot(&b) * z + b.dot(&c) * x + c.dot(&a) * y)
    };
    (0..mesh.triangles.len()).map(half_angle).sum::<f64>() / (2.0 * PI)
}

/// Everything a nearest point promises about itself.
fn assert_consistent(mesh: &Mesh, query: &Vec3, nearest: &Nearest) {
    let size = Bounds::of(&mesh.positions).diagonal().max(nearest.distance);
    let [a, b, c] = corners(mesh, nearest.triangle);
    let [u, v, w] = nearest.barycentric;
    assert!(u >= 0.0 && v >= 0.0 && w >= 0.0 && (u + v + w - 1.0).abs() < 1e-12);
    assert!((a * u + b * v + c * w - nearest.point).norm() <= 1e-14 * size);
    assert!(((nearest.point - query).norm() - nearest.distance).abs() <= 1e-14 * size);
}

#[test]
fn cube_answers_at_faces_edges_corners_and_inside() {
    let tree = tree_of(&shapes::cube());
    for (point, on_surface, signed) in [
        (Vec3::new(3.0, 0.25, 0.5), Vec3::new(1.0, 0.25, 0.5), 2.0),
        (Vec3::new(-4.0, 5.0, 0.5), Vec3::new(-1.0, 1.0, 0.5), 5.0),
        (Vec3::new(2.0, -3.0, 3.0), Vec3::new(1.0, -1.0, 1.0), 3.0),
        (Vec3::new(0.0, 0.75, 0.25), Vec3::new(0.0, 1.0, 0.25), -0.25),
        (Vec3::new(1.0, 0.5, 0.25), Vec3::new(1.0, 0.5, 0.25), 0.0),
        (Vec3::new(1.0, 1.0, 1.0), Vec3::new(1.0, 1.0, 1.0), 0.0),
    ] {
        let nearest = tree.nearest(&point).unwrap();
        assert!((nearest.point - on_surface).norm() < 1e-15, "{point:?}");
        assert!((tree.signed_distance(&point).unwrap() - signed).abs() < 1e-15, "{point:?}");
    }
    assert!((tree.winding_number(&Vec3::new(1.0, 0.5, 0.25)) - 0.5).abs() < 1e-5, "half on a face");
    assert!((tree.winding_number(&Vec3::new(1.0, 1.0, 0.25)) - 0.25).abs() < 1e-5, "a quarter on an edge");
    assert!((tree.winding_number(&Vec3::new(1.0, 1.0, 1.0)) - 0.125).abs() < 1e-5, "an eighth on a corner");
}

#[test]
fn sphere_and_torus_have_their_distance() {
    // A chord over an arc of π/200 departs from the circle by at most 1 - cos(π/400).
    let sagitta = 1.0 - (PI / 400.0).cos();
    let sphere = tree_of(&shapes::uv_sphere(200, 400));
    let torus = tree_of(&shapes::torus(0.3, 800, 200));
    for point in scattered(2000, 1.6) {
        let distance = sphere.signed_distance(&point).unwrap();
        assert!((distance - (point.norm() - 1.0)).abs() < 2.1 * sagitta, "sphere at {point:?}");
        let to_circle = (point.x.hypot(point.z) - 1.0).hypot(point.y);
        let distance = torus.signed_distance(&point).unwrap();
        assert!((distance - (to_circle - 0.3)).abs() < 2.1 * sagitta, "torus at {point:?}");
    }
}

#[test]
fn nearest_within_is_nearest_up_to_the_limit() {
    let tree = tree_of(&shapes::cube());
    let point = Vec3::new(3.0, 0.0, 0.0);
    assert_eq!(tree.nearest_within(&point, 2.0), tree.nearest(&point));
    assert_eq!(tree.nearest_within(&point, 1.999), None);
    let on = Vec3::new(1.0, 0.5, 0.25);
    assert_eq!(tree.nearest_within(&on, 0.0), tree.nearest(&on));
    for limit in [-1.0, f64::NAN] {
        assert_eq!(tree.nearest_within(&on, limit), None);
    }
}

#[test]
fn winding_error_is_bounded_near_and_far_closed_and_open() {
    let mut open = shapes::torus(0.4, 60, 40);
    open.triangles.retain(|triangle| triangle[0] % 7 != 0);
    let sphere = shapes::uv_sphere(50, 80);
    for (name, mesh) in [("torus", shapes::torus(0.4, 60, 40)), ("open torus", open), ("sphere", sphere)] {
        let tree = tree_of(&mesh);
        let (mut worst, mut mean) = (0.0f64, 0.0);
        for (at, point) in scattered(3000, 1.5).iter().enumerate() {
            // Every other point moves next to the surface.
            let nearest = tree.nearest(point).unwrap().point;
            let point = if at % 2 == 0 { *point } else { nearest + (point - nearest) * 0.02 };
            let error = (tree.winding_number(&point) - brute_winding(&mesh, &point)).abs();
            worst = worst.max(error);
            mean += error;
        }
        mean /= 3000.0;
        assert!(worst < 0.006 && mean < 0.001, "{name}: at worst {worst}, on average {mean}");
    }
}

#[test]
fn open_sphere_winds_by_the_solid_angle_that_it_covers() {
    // The sphere without the cap above y = cos(60°) covers 3/4 of the view from its centre.
    let mut mesh = shapes::uv_sphere(60, 60);
    let edge = (PI / 3.0).cos() - 1e-9;
    let positions = mesh.positions.clone();
    mesh.triangles.retain(|t| t.iter().any(|&index| positions[index as usize].y < edge));
    let tree = tree_of(&mesh);
    assert!((tree.winding_number(&Vec3::zeros()) - 0.75).abs() < 2e-3);
    assert!(tree.contains(&Vec3::zeros()) && !tree.contains(&Vec3::new(0.0, 1.0, 0.0)));
}

#[test]
fn shells_add_up_and_flipped_triangles_count_negative() {
    let sphere = shapes::uv_sphere(20, 20);
    let count = sphere.positions.len() as u32;
    let mut nested = sphere.clone();
    nested.positions.extend(sphere.positions.iter().map(|p| p * 0.5));
    let mut hollow = nested.clone();
    nested.triangles.extend(sphere.triangles.iter().map(|t| t.map(|index| index + count)));
    hollow.triangles.extend(sphere.triangles.iter().map(|&[a, b, c]| [c + count, b + count, a + count]));
    let mut doubled = sphere.clone();
    doubled.triangles.extend(&sphere.triangles);
    let mut flipped = sphere.clone();
    flipped.triangles.iter_mut().for_each(|triangle| triangle.reverse());

    let (center, between) = (Vec3::new(0.01, 0.02, 0.03), Vec3::new(0.0, 0.75, 0.1));
    for (name, mesh, at_center, at_between) in [
        ("nested", &nested, 2.0, 1.0),
        ("hollow", &hollow, 0.0, 1.0),
        ("doubled", &doubled, 2.0, 2.0),
        ("flipped", &flipped, -1.0, -1.0),
    ] {
        let tree = tree_of(mesh);
        assert!((tree.winding_number(&center) - at_center).abs() < 0.01, "{name}");
        assert!((tree.winding_number(&between) - at_between).abs() < 0.01, "{name}");
    }
    // Of two triangles in the same place the first answers.
    let tree = tree_of(&doubled);
    for point in scattered(200, 2.0) {
        assert!(tree.nearest(&point).unwrap().triangle < sphere.triangles.len());
    }
}

#[test]
fn nothing_one_triangle_and_a_thousand_points_in_one_place() {
    let none = TriangleTree::new(&[], &[]);
    let point = Vec3::new(1.0, 2.0, 3.0);
    assert_eq!(none.nearest(&point), None);
    assert_eq!(none.ray(&point, &-point, 0.0..=10.0), None);
    assert_eq!((none.winding_number(&point), none.signed_distance(&point)), (0.0, None));

    let one = TriangleTree::new(&[Vec3::zeros(), Vec3::x(), Vec3::y()], &[[0, 1, 2]]);
    let nearest = one.nearest(&Vec3::new(0.25, 0.25, 2.0)).unwrap();
    assert_eq!((nearest.point, nearest.triangle), (Vec3::new(0.25, 0.25, 0.0), 0));
    assert_eq!(nearest.barycentric, [0.5, 0.25, 0.25]);
    assert_eq!(one.nearest(&Vec3::new(2.0, -1.0, 0.0)).unwrap().point, Vec3::x());

    let heap = TriangleTree::new(&[point], &[[0, 0, 0]; 1000]);
    let nearest = heap.nearest(&Vec3::new(1.0, 2.0, 5.0)).unwrap();
    assert_eq!((nearest.point, nearest.distance, nearest.triangle), (point, 2.0, 0));
    assert_eq!(heap.nearest(&point).unwrap().distance, 0.0);
    assert_eq!(heap.winding_number(&point), 0.0);
    assert_eq!(heap.ray(&Vec3::zeros(), &point, 0.0..=2.0), None);
}

#[test]
fn queries_and_corners_that_are_not_finite_are_harmless() {
    let mut mesh = shapes::cube();
    mesh.positions.push(Vec3::new(f64::NAN, 0.0, 0.0));
    mesh.triangles.insert(0, [0, 1, 8]);
    let tree = tree_of(&mesh);
    for bad in
        [Vec3::new(f64::NAN, 0.0, 0.0), Vec3::new(0.5, 0.5, f64::NAN), Vec3::new(0.0, f64::INFINITY, 0.0)]
    {
        assert_eq!(tree.nearest(&bad), None);
        assert_eq!(tree.signed_distance(&bad), None);
        assert_eq!(tree.winding_number(&bad), 0.0);
        assert_eq!(tree.ray(&bad, &Vec3::x(), 0.0..=1.0), None);
        assert_eq!(tree.ray(&Vec3::zeros(), &bad, 0.0..=1.0), None);
        assert!(!tree.contains(&bad) && !tree.is_blocked(&bad, &Vec3::zeros(), 0.0..=1.0));
    }
    assert_eq!(tree.ray(&Vec3::zeros(), &Vec3::zeros(), 0.0..=1.0), None);
    assert_eq!(tree.signed_distance(&Vec3::new(0.0, 0.0, 0.5)), Some(-0.5));
}

#[test]
fn far_points_find_the_nearest_corner_at_any_scale() {
    let cube = shapes::cube();
    for size in [1e-200, 1e-9, 1.0, 1e9, 1e150] {
        let mut mesh = cube.clone();
        mesh.positions.iter_mut().for_each(|position| *position *= size);
        let tree = tree_of(&mesh);
        for away in [3.0, 5.0, 1e3, 1e6, 1e9, 1e13, 1e120] {
            let point = Vec3::new(1.0, 0.9, -0.8) * (away * size);
            let nearest = tree.nearest(&point).unwrap();
            assert_eq!(nearest.point, Vec3::new(1.0, 1.0, -1.0) * size, "{size} {away}");
            assert!(tree.winding_number(&point).abs() < 1e-3);
            if away > 1e15 {
                continue; // the direction from there is no longer exact enough to hit the cube
            }
            let hit = tree.ray(&point, &-point, 0.0..=1.0).unwrap();
            assert!((hit.t - (1.0 - 1.0 / away)).abs() < 1e-12, "{size} {away}");
        }
    }
}

#[test]
fn rays_hit_first_in_range_and_never_slip_through() {
    let sphere = shapes::uv_sphere(30, 40);
    let tree = tree_of(&sphere);
    // Through every vertex and the middle of every edge from the centre and back from outside.
    for triangle in &sphere.triangles {
        let [a, b, _] = triangle.map(|index| sphere.positions[index as usize]);
        for target in [a, (a + b) * 0.5] {
            let hit = tree.ray(&Vec3::zeros(), &target, 0.0..=f64::INFINITY).unwrap();
            assert!((hit.t - 1.0).abs() < 1e-12);
            let back = tree.ray(&(target * 3.0), &-target, 0.0..=10.0).unwrap();
            assert!((back.t - 2.0).abs() < 1e-12);
            assert!(tree.is_blocked(&Vec3::zeros(), &(target * 2.0), 0.0..=1.0));
            assert!(!tree.is_blocked(&Vec3::zeros(), &(target * 2.0), 0.0..=0.49));
            assert!(!tree.is_blocked(&target, &(target * 2.0), 1e-6..=1.0));
        }
    }
    let hit = tree.ray(&Vec3::new(0.0, -5.0, 0.1), &Vec3::new(0.0, 2.0, 0.0), 2.4..=9.0).unwrap();
    assert!((hit.t - 3.0).abs() < 5e-3, "the far side, since the near one is out of range: {}", hit.t);
    assert_eq!(tree.ray(&Vec3::new(0.0, -5.0, 0.1), &Vec3::y(), 0.0..=3.0), None);
}

#[test]
fn parry_agrees_on_points_and_rays() {
    use parry3d::math::Vector;
    use parry3d::query::{PointQuery, Ray, RayCast};
    let mesh = shapes::torus(0.35, 80, 50);
    let tree = tree_of(&mesh);
    let to_parry = |p: &Vec3| Vector::new(p.x as f32, p.y as f32, p.z as f32);
    let points = mesh.positions.iter().map(to_parry).collect();
    let oracle = parry3d::shape::TriMesh::new(points, mesh.triangles.clone()).unwrap();
    for point in scattered(2000, 2.0) {
        let distance = f64::from(oracle.distance_to_local_point(to_parry(&point), false));
        assert!((tree.nearest(&point).unwrap().distance - distance).abs() < 1e-5);
        let direction = Vec3::new(0.1, -0.05, 0.02) - point;
        let theirs = oracle.cast_local_ray(&Ray::new(to_parry(&point), to_parry(&direction)), 10.0, false);
        let ours = tree.ray(&point, &direction, 0.0..=10.0);
        match (theirs, ours) {
            (Some(theirs), Some(ours)) => assert!((f64::from(theirs) - ours.t).abs() < 1e-3),
            (theirs, ours) => assert_eq!(theirs.is_some(), ours.is_some(), "{point:?}"),
        }
    }
}

#[test]
fn one_thread_and_two_give_the_same_bits() {
    let mesh = shapes::torus(0.35, 150, 100);
    let points = scattered(3000, 1.5);
    let answers = |threads| {
        rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(|| {
            let tree = tree_of(&mesh);
            let nearest = tree.answer_all(&points, TriangleTree::nearest);
            let winding = tree.answer_all(&points, TriangleTree::winding_number);
            (tree.order, nearest, winding)
        })
    };
    assert!(answers(1) == answers(2));
}

/// A soup with every kind of degeneracy: corners are drawn from a pool, moved slightly, and repeated.
fn soups() -> impl Strategy<Value = Mesh> {
    let coordinate = prop_oneof![-1.0..1.0, Just(0.0), Just(0.5), (-1.0..1.0).prop_map(|x: f64| x * 1e-6)];
    let point = prop::array::uniform3(coordinate).prop_map(|[x, y, z]| Vec3::new(x, y, z));
    prop::collection::vec(point, 3..60).prop_flat_map(|positions| {
        let count = positions.len() as u32;
        let triangles = prop::collection::vec(prop::array::uniform3(0..count), 1..120);
        triangles.prop_map(move |triangles| Mesh {
            positions: positions.clone(),
            triangles,
            ..Mesh::default()
        })
    })
}

fn queries() -> impl Strategy<Value = Vec3> {
    let size = prop_oneof![Just(1.0), Just(3.0), Just(100.0), Just(1e-3)];
    (prop::array::uniform3(-1.5..1.5), size).prop_map(|([x, y, z], size)| Vec3::new(x, y, z) * size)
}

/// Whether the area of a triangle, seen along a direction, is positive but below a millionth of its longest side squared.
fn is_nearly_edge_on(&[a, b, c]: &[Vec3; 3], direction: &Vec3) -> bool {
    let longest = (b - a).norm_squared().max((c - b).norm_squared()).max((a - c).norm_squared());
    let seen = (b - a).cross(&(c - a)).dot(&direction.normalize()).abs();
    seen > 0.0 && seen < 1e-6 * longest
}

proptest! {
    #[test]
    fn soups_answer_as_brute_force_does(mesh in soups(), points in prop::collection::vec(queries(), 20)) {
        let tree = tree_of(&mesh);
        let size = Bounds::of(&mesh.positions).diagonal();
        for point in points.iter().chain(&mesh.positions) {
            let nearest = tree.nearest(point).unwrap();
            assert_consistent(&mesh, point, &nearest);
            let exact = brute_distance(&mesh, point);
            prop_assert!((nearest.distance - exact).abs() <= 1e-8 * size + 1e-14 * exact, "{} {exact}", nearest.distance);
        }
        for pair in points.windows(2) {
            let direction = pair[1] - pair[0];
            // Where a needle is hit nearly edge-on is anybody's guess: the tree and this test round differently.
            if (0..mesh.triangles.len()).any(|triangle| is_nearly_edge_on(&corners(&mesh, triangle), &direction)) {
                continue;
            }
            let shear = ray::Shear::of(&direction.normalize());
            let hits = (0..mesh.triangles.len())
                .filter_map(|triangle| shear.hit(&pair[0], &corners(&mesh, triangle)))
                .map(|(t, _)| t / direction.norm());
            let first = hits.filter(|t| (0.0..=1.0).contains(t)).fold(f64::INFINITY, f64::min);
            let found = tree.ray(&pair[0], &direction, 0.0..=1.0).map_or(f64::INFINITY, |hit| hit.t);
            prop_assert!(first == found || (first - found).abs() < 1e-9, "{first} {found}");
            prop_assert_eq!(tree.is_blocked(&pair[0], &pair[1], 0.0..=1.0), found.is_finite());
        }
    }

    #[test]
    fn similarities_carry_the_answers_along(
        angles in prop::array::uniform3(-3.0..3.0f64),
        shift in prop::array::uniform3(-100.0..100.0f64),
        scale in 0.01..100.0f64,
    ) {
        let mesh = shapes::torus(0.35, 20, 12);
        let motion = Similarity::new(Vec3::from(shift), Vec3::from(angles), scale);
        let moved: Vec<Vec3> = mesh.positions.iter().map(|p| motion.transform_point(&(*p).into()).coords).collect();
        let (tree, moved) = (tree_of(&mesh), TriangleTree::new(&moved, &mesh.triangles));
        for point in scattered(50, 1.5) {
            let there = motion.transform_point(&point.into()).coords;
            let (here, there) = (tree.signed_distance(&point).unwrap(), moved.signed_distance(&there).unwrap());
            prop_assert!((here * scale - there).abs() < 1e-12 * (scale + 200.0), "{here} {there}");
        }
    }
}
