//! Images with closed forms, through the public door.

use super::*;
use crate::math::{Bounds, Vec3};
use crate::mesh::{AlphaMode, Format, Material, Mesh, shapes};

const BLACK: Background = Background::Plain([0; 3]);

/// A camera that looks along -Z.
fn looking(eye: Vec3, lens: Lens) -> Camera {
    Camera { eye, camera_from_world: crate::math::Mat3::identity(), lens }
}

/// Parallel rays on the square from 0 to `side` in x and y, one pixel for each unit, from the front.
fn unit_pixels(side: usize) -> (Camera, RenderOptions) {
    let half = side as f64 * 0.5;
    let camera = looking(Vec3::new(half, half, 10.0), Lens::Orthographic { half_height: half });
    (camera, RenderOptions { width: side, height: side, samples: 1, background: Background::Transparent })
}

/// Flat triangles that glow in the given linear colour, whatever the lamps do.
fn glowing(positions: &[[f64; 3]], triangles: &[[u32; 3]], color: [f32; 3]) -> Mesh {
    let mut mesh = shapes::surface(positions.iter().map(|&p| Vec3::from(p)).collect(), triangles.to_vec());
    mesh.appearance.materials.push(Material {
        base_color: [0.0, 0.0, 0.0, 1.0],
        emissive: color,
        roughness: 1.0,
        ..Material::default()
    });
    mesh.parts[0].material = Some(0);
    mesh
}

fn draw(meshes: &[Mesh], camera: &Camera, options: &RenderOptions) -> Image {
    let surfaces = meshes.iter().map(|mesh| Surface::of(mesh, &[])).collect();
    render(&Scene { surfaces, ..Scene::default() }, camera, options)
}

fn covered(image: &Image) -> usize {
    image.pixels.iter().filter(|pixel| pixel[3] > 0).count()
}

#[test]
fn half_of_a_square_covers_exactly_half_of_its_pixels_whichever_half() {
    let (camera, options) = unit_pixels(8);
    let corners = [[0.0, 0.0, 0.0], [8.0, 0.0, 0.0], [8.0, 8.0, 0.0], [0.0, 8.0, 0.0]];
    // The diagonal runs through the centres of 8 pixels: they belong to one half and not to the other.
    let half =
        |triangle: [u32; 3]| covered(&draw(&[glowing(&corners, &[triangle], [1.0; 3])], &camera, &options));
    let (lower, upper) = (half([0, 1, 2]), half([0, 2, 3]));
    assert_eq!(lower + upper, 64);
    assert_eq!(lower.min(upper), 28);
    let (lower, upper) = (half([0, 1, 3]), half([1, 2, 3]));
    assert_eq!((lower + upper, lower.min(upper)), (64, 28));
}

#[test]
fn a_fan_of_slivers_has_no_cracks_and_draws_no_sample_twice() {
    let (camera, options) = unit_pixels(32);
    let mut positions = vec![[15.37, 16.21, 0.0]];
    let rim = |i: usize| {
        let angle = std::f64::consts::TAU * (i % 200) as f64 / 200.0;
        // A square around the image.
        let scale = 40.0 / angle.cos().abs().max(angle.sin().abs());
        [16.0 + angle.cos() * scale, 16.0 + angle.sin() * scale, 0.0]
    };
    positions.extend((0..200).map(rim));
    let triangle = |i: u32| [0, 1 + i, 1 + (i + 1) % 200];
    let all: Vec<[u32; 3]> = (0..200).map(triangle).collect();
    assert_eq!(covered(&draw(&[glowing(&positions, &all, [1.0; 3])], &camera, &options)), 32 * 32);
    let alone = |i| covered(&draw(&[glowing(&positions, &[triangle(i)], [1.0; 3])], &camera, &options));
    assert_eq!((0..200).map(alone).sum::<usize>(), 32 * 32);
}

#[test]
fn an_edge_through_pixels_takes_its_share_of_light() {
    let (camera, options) = unit_pixels(4);
    let options = RenderOptions { samples: 2, background: BLACK, ..options };
    let corners = [[0.0, 0.0, 0.0], [1.5, 0.0, 0.0], [1.5, 4.0, 0.0], [0.0, 4.0, 0.0]];
    let image = draw(&[glowing(&corners, &[[0, 1, 2], [0, 2, 3]], [1.0; 3])], &camera, &options);
    let row: Vec<u8> = (0..4).map(|x| image.pixel(x, 2)[0]).collect();
    // Half of the light is the level 188, not 128.
    assert_eq!(row, [255, 188, 0, 0]);
}

#[test]
fn the_nearest_surface_wins_in_any_order() {
    let (camera, options) = unit_pixels(4);
    let square = |z: f64, color: [f32; 3]| {
        let corners = [[0.0, 0.0, z], [4.0, 0.0, z], [4.0, 4.0, z], [0.0, 4.0, z]];
        glowing(&corners, &[[0, 1, 2], [0, 2, 3]], color)
    };
    let (near, far) = (square(1.0, [1.0, 0.0, 0.0]), square(0.999, [0.0, 0.0, 1.0]));
    for meshes in [[near.clone(), far.clone()], [far, near]] {
        let image = draw(&meshes, &camera, &options);
        assert!(image.pixels.iter().all(|&pixel| pixel == [255, 0, 0, 255]));
    }
}

#[test]
fn colours_are_interpolated_in_space_and_not_in_the_picture() {
    // A strip that runs from z = 0 into the distance, black in front and grey at the far end.
    let positions = [[-1.0, -1.0, 0.0], [1.0, -1.0, 0.0], [1.0, -1.0, -9.0], [-1.0, -1.0, -9.0]];
    let positions: Vec<Vec3> = positions.iter().map(|&p| Vec3::from(p)).collect();
    let colors = [[0.0; 3], [0.0; 3], [0.5; 3], [0.5; 3]];
    let camera = looking(Vec3::z(), Lens::Perspective { half_height: 1.0, near: 0.01 });
    let surface =
        |shading| Surface { shading, ..Surface::plain(&positions, &[[0, 1, 2], [0, 2, 3]], [1.0; 3]) };
    let options = RenderOptions { width: 64, height: 64, samples: 1, background: BLACK };
    let table = SrgbTable::get();
    let light = |shading, y| {
        let scene = Scene { surfaces: vec![surface(shading)], ..Scene::default() };
        table.decode(render(&scene, &camera, &options).pixel(32, y)[1])
    };
    for y in [36, 40, 45, 50, 60] {
        // The ray through this row falls by this much for each unit of distance, and hits the strip at depth 1 / fall.
        let fall = (y as f64 + 0.5 - 32.0) / 32.0;
        let expected = ((1.0 / fall - 1.0) / 9.0) as f32;
        // Highlights are the same on all colours.
        let [black, grey] = [0.0, 0.5].map(|level| light(Shading::Uniform([level; 3]), y));
        let found = (light(Shading::VertexColors(&colors), y) - black) / (grey - black);
        assert!((found - expected).abs() < 0.02, "row {y}: {found} instead of {expected}");
    }
}

#[test]
fn what_reaches_behind_the_viewer_is_cut_off_at_the_near_plane() {
    let camera = looking(Vec3::zeros(), Lens::Perspective { half_height: 1.0, near: 0.1 });
    let options = RenderOptions { width: 64, height: 64, samples: 1, background: Background::Transparent };
    // A floor one below the eye, from far behind it to far in front: it fills the image below the horizon, and
    // nothing above, where its part behind the eye would appear upside down. The near plane sees it from 45° on.
    let floor = |y: f64| [[-1e4, y, 1e4], [1e4, y, 1e4], [1e4, y, -1e4], [-1e4, y, -1e4]];
    let rows = |y: f64| {
        let image = draw(&[glowing(&floor(y), &[[0, 1, 2], [0, 2, 3]], [1.0; 3])], &camera, &options);
        (0..64).filter(|&row| (0..64).all(|x| image.pixel(x, row)[3] == 255)).collect::<Vec<_>>()
    };
    assert_eq!(rows(-1.0), (32..64).collect::<Vec<_>>());
    assert_eq!(rows(1.0), (0..32).collect::<Vec<_>>());
    // 0.05 below the eye the near plane cuts it off at half of the lower half.
    assert_eq!(rows(-0.05), (32..48).collect::<Vec<_>>());
    assert!(rows(0.0).is_empty());
}

#[test]
fn degenerate_and_enormous_triangles_do_no_harm() {
    let (camera, options) = unit_pixels(8);
    let huge = 1e300;
    let positions = [[1.0, 1.0, 0.0], [5.0, 5.0, 0.0], [3.0, 3.0, 0.0], [huge, 0.0, 0.0], [0.0, -huge, huge]];
    let triangles = [[0, 0, 0], [0, 1, 1], [0, 1, 2], [0, 3, 4], [3, 3, 4], [1, 4, 3]];
    draw(&[glowing(&positions, &triangles, [1.0; 3])], &camera, &options);
    let lens = Lens::Perspective { half_height: 1.0, near: 0.1 };
    draw(&[glowing(&positions, &triangles, [1.0; 3])], &Camera { lens, ..camera }, &options);
    assert_eq!(covered(&draw(&[glowing(&positions, &triangles[..3], [1.0; 3])], &camera, &options)), 0);
    let nothing = render(&Scene::default(), &camera, &options);
    assert_eq!(nothing, Image::filled(8, 8, [0; 4]));
}

/// The square of `unit_pixels` with texture coordinates that put the upper left corner of the image to its upper left.
fn textured(side: f64, texture: Image, material: Material) -> (Mesh, Vec<Option<Texture>>) {
    let corners = [[0.0, 0.0, 0.0], [side, 0.0, 0.0], [side, side, 0.0], [0.0, side, 0.0]];
    let mut mesh = glowing(&corners, &[[0, 1, 2], [0, 2, 3]], [1.0; 3]);
    mesh.appearance.texcoords = vec![[0.0, 1.0], [1.0, 1.0], [1.0, 0.0], [0.0, 0.0]];
    mesh.appearance.materials[0] = material;
    (mesh, vec![Texture::new(texture)])
}

/// Red, green / blue, white in quarters of 2 × 2 pixels each.
fn quarters() -> Image {
    let colors = [[255, 0, 0, 255], [0, 255, 0, 255], [0, 0, 255, 255], [255; 4]];
    let pixels = (0..16).map(|i| colors[(i / 8) * 2 + i % 4 / 2]).collect();
    Image { width: 4, height: 4, pixels }
}

#[test]
fn the_upper_left_corner_of_a_texture_is_at_texture_coordinate_zero() {
    let glow = Material {
        base_color: [0.0, 0.0, 0.0, 1.0],
        emissive: [1.0; 3],
        emissive_image: Some(0),
        ..Material::default()
    };
    let (mesh, textures) = textured(8.0, quarters(), glow);
    let (camera, options) = unit_pixels(8);
    let scene = Scene { surfaces: vec![Surface::of(&mesh, &textures)], ..Scene::default() };
    let image = render(&scene, &camera, &options);
    let corners = [(1, 1), (6, 1), (1, 6), (6, 6)].map(|(x, y)| image.pixel(x, y));
    assert_eq!(corners, [[255, 0, 0, 255], [0, 255, 0, 255], [0, 0, 255, 255], [255; 4]]);
    // Without its image a material shows its flat colour.
    let scene = Scene { surfaces: vec![Surface::of(&mesh, &[None])], ..Scene::default() };
    assert!(render(&scene, &camera, &options).pixels.iter().all(|&pixel| pixel == [255; 4]));
}

#[test]
fn masked_texels_leave_holes_and_blended_ones_mix() {
    let holes = |alpha: u8| {
        let pixels =
            quarters().pixels.into_iter().map(|[r, g, b, _]| [r, g, b, if r == 255 { 255 } else { alpha }]);
        Image { width: 4, height: 4, pixels: pixels.collect() }
    };
    let (camera, options) = unit_pixels(8);
    let alphas = |alpha, mode| {
        let material = Material { base_color_image: Some(0), alpha: mode, ..Material::default() };
        let (mesh, textures) = textured(8.0, holes(alpha), material);
        let scene = Scene { surfaces: vec![Surface::of(&mesh, &textures)], ..Scene::default() };
        let image = render(&scene, &camera, &options);
        [(1, 1), (6, 1), (1, 6), (6, 6)].map(|(x, y)| image.pixel(x, y)[3])
    };
    assert_eq!(alphas(100, AlphaMode::Opaque), [255; 4]);
    assert_eq!(alphas(100, AlphaMode::Mask(0.5)), [255, 0, 0, 255]);
    assert_eq!(alphas(100, AlphaMode::Mask(0.3)), [255; 4]);
    assert_eq!(alphas(100, AlphaMode::Blend), [255, 100, 100, 255]);
}

#[test]
fn only_gltf_hides_the_backs_of_faces() {
    let (camera, options) = unit_pixels(4);
    let corners = [[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [4.0, 4.0, 0.0], [0.0, 4.0, 0.0]];
    let seen = |triangles: [[u32; 3]; 2], format: Format, double_sided: bool| {
        let mut mesh = glowing(&corners, &triangles, [1.0; 3]);
        mesh.origin.format = format;
        mesh.appearance.materials[0].double_sided = double_sided;
        covered(&draw(&[mesh], &camera, &options))
    };
    let (front, back) = ([[0, 1, 2], [0, 2, 3]], [[0, 2, 1], [0, 3, 2]]);
    assert_eq!((seen(front, Format::Glb, false), seen(back, Format::Glb, false)), (16, 0));
    assert_eq!((seen(back, Format::Glb, true), seen(back, Format::Obj, false)), (16, 16));
}

#[test]
fn marks_are_bright_in_front_and_faint_behind_a_surface() {
    let (camera, options) = unit_pixels(16);
    let options = RenderOptions { background: BLACK, ..options };
    let wall = glowing(&[[0.0, 0.0, 0.0], [16.0, 0.0, 0.0], [16.0, 16.0, 0.0]], &[[0, 1, 2]], [0.0; 3]);
    let dot = |z: f64| {
        let shape = OverlayShape::Dot { center: Vec3::new(12.0, 4.0, z), radius: 2.0 };
        let overlays = vec![Overlay { shape, color: [1.0, 0.0, 0.0] }];
        let scene = Scene { surfaces: vec![Surface::of(&wall, &[])], overlays, ground: None };
        let image = render(&scene, &camera, &options);
        let lit = image.pixels.iter().filter(|pixel| pixel[0] > 0).count();
        (SrgbTable::get().decode(image.pixel(12, 11)[0]), lit)
    };
    assert_eq!(dot(1.0), (1.0, 12));
    let (through, lit) = dot(-1.0);
    assert!((through - 0.35).abs() < 0.01 && lit == 12);
}

#[test]
fn lines_and_circles_have_their_width_and_bones_their_ends() {
    let (camera, options) = unit_pixels(32);
    let count = |shape: OverlayShape| {
        let overlays = vec![Overlay { shape, color: [1.0; 3] }];
        covered(&render(&Scene { overlays, ..Scene::default() }, &camera, &options))
    };
    let (from, to) = (Vec3::new(4.0, 16.0, 0.0), Vec3::new(28.0, 16.0, 0.0));
    assert_eq!(count(OverlayShape::Line { from, to, width: 4.0 }), 24 * 4);
    assert_eq!(count(OverlayShape::Line { from, to: from, width: 4.0 }), 0);
    let center = Vec3::new(16.0, 16.0, 0.0);
    let ring = count(OverlayShape::Circle { center, radius: 10.0, width: 2.0 }) as f64;
    assert!((ring / (std::f64::consts::TAU * 20.0) - 1.0).abs() < 0.1);
    // Seen from the side a bone is a kite: half of its length times its thickness.
    let bone = count(OverlayShape::Bone { from, to }) as f64;
    assert!((bone / (0.5 * 24.0 * (2.0 * 0.09 * 24.0)) - 1.0).abs() < 0.15, "{bone}");
    assert_eq!(count(OverlayShape::Bone { from, to: from }), 0);
}

/// A scene with everything in it.
fn all_at_once() -> (Mesh, Vec<Overlay>, Option<Ground>) {
    let mut mesh = shapes::torus(0.4, 40, 80);
    mesh.appearance.materials.push(Material {
        alpha: AlphaMode::Blend,
        base_color: [1.0, 0.5, 0.2, 0.5],
        ..Material::default()
    });
    mesh.parts[0].material = Some(0);
    let bone = OverlayShape::Bone { from: -Vec3::x(), to: Vec3::new(0.3, 0.5, 1.0) };
    let overlays = vec![Overlay { shape: bone, color: [0.1, 0.3, 1.0] }];
    (mesh, overlays, Some(Ground { height: -0.5, grid: Some(0.25), ..Ground::default() }))
}

#[test]
fn the_number_of_threads_does_not_matter() {
    let (mesh, overlays, ground) = all_at_once();
    let image = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let solid = shapes::uv_sphere(60, 90);
            let surfaces = vec![Surface::of(&solid, &[]), Surface::of(&mesh, &[])];
            let camera = Camera::framing(&surfaces[1].bounds(), &Framing::from(Framing::THREE_QUARTER));
            let scene = Scene { surfaces, overlays: overlays.clone(), ground };
            render(&scene, &camera, &RenderOptions { width: 150, height: 130, ..RenderOptions::default() })
        })
    };
    let one = image(1);
    assert!(one == image(2) && one == image(3));
}

#[test]
fn a_shadow_falls_under_a_ball_and_nowhere_else() {
    let mesh = shapes::uv_sphere(20, 30);
    let bounds = Bounds { min: Vec3::new(-4.0, -1.0, -4.0), max: Vec3::new(4.0, 1.0, 4.0) };
    let camera = Camera::framing(&bounds, &Framing::from(Vec3::new(0.0, 1.0, 1.0)));
    let image = |surfaces| {
        let ground = Some(Ground { height: -1.0, ..Ground::default() });
        let options = RenderOptions {
            width: 80,
            height: 80,
            background: Background::Transparent,
            ..RenderOptions::default()
        };
        render(&Scene { surfaces, ground, ..Scene::default() }, &camera, &options)
    };
    let with_ball = image(vec![Surface::of(&mesh, &[])]);
    let shaded = with_ball.pixels.iter().filter(|pixel| pixel[..3] == [0; 3] && pixel[3] > 20).count();
    assert!(shaded > 50, "{shaded} pixels in the shadow");
    assert_eq!([(0, 0), (79, 0), (0, 79), (79, 79)].map(|(x, y)| with_ball.pixel(x, y)[3]), [0; 4]);
    assert_eq!(covered(&image(vec![])), 0);
}
