//! Images against references in `tests/golden`. `BLESS=1 cargo test --test preview` rewrites the references.

mod common;

use puppetry::Image;
use puppetry::io::{decode_image, load_mesh, write_png};
use puppetry::math::{Bounds, Similarity, Vec3};
use puppetry::mesh::{EncodedImage, shapes};
use puppetry::preview::{
    Background, Camera, Framing, Ground, Overlay, OverlayShape, RenderOptions, Scene, Shading, Surface,
    Texture, render,
};
use std::path::Path;
use std::{env, fs};

/// Levels by which a component of a pixel may differ: platforms round the last bit of a power differently.
const LEVELS: u8 = 4;
/// Pixels that may differ by more, in parts of the image: a sample on an edge may change sides.
const STRAYS: f64 = 0.002;

/// Fails if the image differs visibly from its reference, and says where the two and their difference can be seen.
#[track_caller]
fn assert_looks_like(image: &Image, name: &str) {
    let file = common::root().join(format!("tests/golden/{name}.png"));
    if env::var_os("BLESS").is_some() {
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(&file, write_png(image)).unwrap();
    }
    let expected =
        read(&file).unwrap_or_else(|| panic!("no reference '{}'; BLESS=1 writes it", file.display()));
    let far = |(a, b): (&[u8; 4], &[u8; 4])| a.iter().zip(b).any(|(a, b)| a.abs_diff(*b) > LEVELS);
    let strays = image.pixels.iter().zip(&expected.pixels).filter(|&pair| far(pair)).count();
    let same_size = (image.width, image.height) == (expected.width, expected.height);
    if same_size && strays as f64 <= STRAYS * image.pixels.len() as f64 {
        return;
    }
    let sheet = Image::sheet(
        &[expected.clone(), difference(&expected, image), image.clone()],
        3,
        8,
        [128, 128, 128, 255],
    );
    let shown = env::temp_dir().join(format!("puppetry-{name}-expected-difference-actual.png"));
    fs::write(&shown, write_png(&sheet)).unwrap();
    panic!("{strays} pixels differ from '{}'; look at '{}'", file.display(), shown.display());
}

fn read(file: &Path) -> Option<Image> {
    let bytes = fs::read(file).ok()?;
    decode_image(&EncodedImage { name: String::new(), media_type: "image/png".into(), bytes: bytes.into() })
}

/// White where the images agree, redder the more they differ.
fn difference(expected: &Image, actual: &Image) -> Image {
    let mut image = expected.clone();
    for (i, pixel) in image.pixels.iter_mut().enumerate() {
        let other = actual.pixels.get(i).copied().unwrap_or_default();
        let most = pixel.iter().zip(other).map(|(a, b)| a.abs_diff(b)).max().unwrap_or(0);
        let rest = 255 - most.saturating_mul(8);
        *pixel = [255, rest, rest, 255];
    }
    image
}

/// A ball with a heat map, a box behind it, overlays, a shadow and a grid.
fn still_life(framing: &Framing) -> Image {
    let (ball, cube) = (shapes::uv_sphere(32, 48), shapes::cube());
    let heat: Vec<[f32; 3]> =
        ball.positions.iter().map(|p| [0.5 + 0.5 * p.y as f32, 0.2, 0.5 - 0.5 * p.y as f32]).collect();
    let mut painted = Surface::of(&ball, &[]);
    painted.shading = Shading::VertexColors(&heat);
    let mut boxed = Surface::plain(&cube.positions, &cube.triangles, [0.7, 0.6, 0.4]);
    boxed.normals = Default::default();
    boxed.world_from_own = Similarity::new(Vec3::new(-1.2, -0.4, -1.5), Vec3::new(0.0, 0.5, 0.0), 0.6);
    let overlay = |shape, color| Overlay { shape, color };
    let (shoulder, hand) = (Vec3::new(-0.6, 0.3, 0.0), Vec3::new(1.9, 0.6, 0.4));
    let overlays = vec![
        overlay(OverlayShape::Bone { from: shoulder, to: hand }, [1.0, 0.5, 0.0]),
        overlay(OverlayShape::Dot { center: shoulder, radius: 4.0 }, [1.0, 1.0, 0.0]),
        overlay(
            OverlayShape::Line { from: hand, to: Vec3::new(1.9, -1.0, 0.4), width: 1.5 },
            [0.0, 0.4, 0.1],
        ),
        overlay(OverlayShape::Circle { center: hand, radius: 0.3, width: 1.5 }, [0.0, 0.2, 0.8]),
    ];
    let bounds = Bounds { min: Vec3::new(-2.0, -1.0, -2.0), max: Vec3::new(2.2, 1.0, 1.0) };
    let ground = Some(Ground { height: -1.0, grid: Some(0.5), ..Ground::default() });
    let scene = Scene { surfaces: vec![painted, boxed], overlays, ground };
    let options = RenderOptions { width: 160, height: 120, ..RenderOptions::default() };
    render(&scene, &Camera::framing(&bounds, &Framing { aspect: 4.0 / 3.0, ..*framing }), &options)
}

#[test]
fn a_still_life_through_a_lens_and_with_parallel_rays() {
    assert_looks_like(&still_life(&Framing::from(Framing::THREE_QUARTER)), "still_life");
    assert_looks_like(&still_life(&Framing::parallel_from(Vec3::new(-0.3, 0.5, 1.0))), "still_life_parallel");
}

#[test]
fn every_character_fills_its_picture_and_its_images_decode() {
    let files = common::example_characters().into_iter().chain(common::corpus_characters());
    for file in files {
        let (mesh, _) = load_mesh(&file).unwrap();
        let texture = |image: &EncodedImage| {
            let decoded = decode_image(image);
            let is_known = ["image/png", "image/jpeg"].contains(&image.media_type.as_str());
            assert_eq!(decoded.is_some(), is_known, "{}: '{}'", file.display(), image.name);
            Texture::new(decoded?)
        };
        let textures: Vec<Option<Texture>> = mesh.appearance.images.iter().map(texture).collect();
        let surface = Surface::of(&mesh, &textures);
        let camera = Camera::framing(&surface.bounds(), &Framing::from(Framing::THREE_QUARTER));
        let scene = Scene { surfaces: vec![surface], ..Scene::default() };
        let options = RenderOptions {
            width: 100,
            height: 100,
            background: Background::Transparent,
            ..Default::default()
        };
        let image = render(&scene, &camera, &options);
        let covered = image.pixels.iter().filter(|pixel| pixel[3] > 0).count();
        assert!(covered > 500, "{}: {covered} of 10,000 pixels", file.display());
    }
}
