//! Small pictures of everything that is drawn, against references in `tests/golden/pictures`.
//! `BLESS=1 cargo test --test preview_pictures` rewrites the references.

mod common;

use common::{puppetry, root};
use puppetry::Image;
use puppetry::stages::io::{decode_image, load_mesh, write_png};
use puppetry::stages::math::{Bounds, Similarity, Vec3};
use puppetry::stages::mesh::{EncodedImage, Material, Mesh, shapes};
use puppetry::stages::preview::{
    Background, Camera, Framing, Ground, Overlay, OverlayShape, RenderOptions, Scene, Shading, Surface,
    Texture, render,
};
use std::path::{Path, PathBuf};
use std::{env, fs};

/// All pictures; the folder holds these and no others.
const PICTURES: [&str; 26] = [
    "still-life",
    "still-life-parallel",
    "materials",
    "textures",
    "transparent",
    "stage-1-medial-samples",
    "stage-2-spheres",
    "stage-3-graph",
    "stage-4-search",
    "stage-5-refined",
    "stage-6-landmarks",
    "stage-7-prior",
    "stage-8-joints",
    "stages-overview",
    "parts-9-contact-graph",
    "parts-10-high-tree",
    "parts-11-low-tree",
    "pose-sheet-person",
    "pose-sheet-dog",
    "contact-sheet-walk",
    "card-jump",
    "card-trot-fixed",
    "card-walk-follow-bones",
    "card-wave-weights",
    "card-robot",
    "turntable",
];

/// The longest side of a picture in pixels, and the bytes of all of them.
const LONGEST_SIDE: usize = 160;
const MOST_BYTES: u64 = 400_000;
/// Levels by which a component of a pixel may differ: processors round the last bit of a power differently.
const LEVELS: u8 = 4;
/// Pixels that may differ by more, in parts of the picture: a sample on an edge may change sides.
const STRAYS: f64 = 0.002;

/// Fails if the picture differs visibly from its reference, and names the file that shows both and their difference.
#[track_caller]
fn assert_looks_like(image: &Image, name: &str) {
    assert!(PICTURES.contains(&name), "'{name}' is not in the list");
    assert!(image.width.max(image.height) <= LONGEST_SIDE, "'{name}' is {} x {}", image.width, image.height);
    let file = folder().join(format!("{name}.png"));
    if env::var_os("BLESS").is_some() {
        fs::create_dir_all(folder()).unwrap();
        fs::write(&file, write_png(image)).unwrap();
    }
    let expected =
        read(&file).unwrap_or_else(|| panic!("no reference '{}'; BLESS=1 writes it", file.display()));
    let strays =
        image.pixels.iter().zip(&expected.pixels).filter(|(a, b)| levels_apart(a, b) > LEVELS).count();
    let same_size = (image.width, image.height) == (expected.width, expected.height);
    if same_size && strays as f64 <= STRAYS * image.pixels.len() as f64 {
        return;
    }
    let sheet = [expected.clone(), difference(&expected, image), image.clone()];
    let shown = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}-expected-difference-actual.png"));
    fs::write(&shown, write_png(&Image::sheet(&sheet, 3, 8, [128, 128, 128, 255]))).unwrap();
    panic!("{strays} pixels differ from '{}'; look at '{}'", file.display(), shown.display());
}

fn folder() -> PathBuf {
    root().join("tests/golden/pictures")
}

fn read(file: &Path) -> Option<Image> {
    let bytes = fs::read(file).ok()?;
    decode_image(&EncodedImage { name: String::new(), media_type: "image/png".into(), bytes: bytes.into() })
}

fn levels_apart(a: &[u8; 4], b: &[u8; 4]) -> u8 {
    a.iter().zip(b).map(|(a, b)| a.abs_diff(*b)).max().unwrap_or(0)
}

/// White where the pictures agree, redder the more they differ.
fn difference(expected: &Image, actual: &Image) -> Image {
    let mut image = expected.clone();
    for (i, pixel) in image.pixels.iter_mut().enumerate() {
        let other = actual.pixels.get(i).copied().unwrap_or_default();
        let rest = 255 - levels_apart(pixel, &other).saturating_mul(8);
        *pixel = [255, rest, rest, 255];
    }
    image
}

/// The means of blocks of pixels, as few as make the picture small enough.
fn shrunk(image: &Image) -> Image {
    let block = image.width.max(image.height).div_ceil(LONGEST_SIDE);
    let (width, height) = (image.width / block, image.height / block);
    let mut small = Image::filled(width, height, [0; 4]);
    for (i, pixel) in small.pixels.iter_mut().enumerate() {
        let (left, top) = (i % width * block, i / width * block);
        let cells = (0..block * block).map(|cell| image.pixel(left + cell % block, top + cell / block));
        let mut sums = [0usize; 4];
        cells.for_each(|cell| (0..4).for_each(|c| sums[c] += usize::from(cell[c])));
        *pixel = sums.map(|sum| (sum / (block * block)) as u8);
    }
    small
}

/// The left part of a sheet whose cells would be too small otherwise.
fn left_part(image: &Image, width: usize) -> Image {
    let rows = image.pixels.chunks_exact(image.width);
    let pixels = rows.flat_map(|row| &row[..width]).copied().collect();
    Image { width, height: image.height, pixels }
}

#[track_caller]
fn drawn(file: &Path) -> Image {
    read(file).unwrap_or_else(|| panic!("no picture '{}'", file.display()))
}

fn character(name: &str) -> String {
    root().join(format!("examples/characters/{name}.glb")).to_str().unwrap().to_owned()
}

#[test]
fn the_folder_holds_these_pictures_and_they_are_small() {
    let files = common::files(&folder(), ".png");
    let mut names: Vec<String> =
        files.iter().map(|file| file.file_stem().unwrap().to_string_lossy().into_owned()).collect();
    names.sort_unstable();
    let mut expected = PICTURES.to_vec();
    expected.sort_unstable();
    assert_eq!(names, expected);
    let bytes: u64 = files.iter().map(|file| fs::metadata(file).unwrap().len()).sum();
    assert!(bytes <= MOST_BYTES, "{bytes} bytes");
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
    assert_looks_like(&still_life(&Framing::from(Framing::THREE_QUARTER)), "still-life");
    assert_looks_like(&still_life(&Framing::parallel_from(Vec3::new(-0.3, 0.5, 1.0))), "still-life-parallel");
}

/// Balls in a row, each of one material.
#[test]
fn materials_from_matt_to_polished_metal() {
    let materials =
        [(1.0, 0.0, [0.0; 3]), (0.3, 0.0, [0.0; 3]), (0.3, 1.0, [0.0; 3]), (1.0, 0.0, [0.1, 0.3, 0.05])];
    let balls = materials.map(|(roughness, metallic, emissive)| {
        let mut ball = shapes::uv_sphere(24, 36);
        let base_color = [0.6, 0.25, 0.1, 1.0];
        ball.appearance.materials =
            vec![Material { base_color, roughness, metallic, emissive, ..Material::default() }];
        ball.parts[0].material = Some(0);
        ball
    });
    let surface = |(index, ball): (usize, &'static Mesh)| Surface {
        world_from_own: Similarity::new(Vec3::x() * (2.2 * index as f64), Vec3::zeros(), 1.0),
        ..Surface::of(ball, &[])
    };
    let surfaces =
        balls.map(|ball| &*Box::leak(Box::new(ball))).into_iter().enumerate().map(surface).collect();
    let bounds = Bounds { min: Vec3::repeat(-1.0), max: Vec3::new(7.6, 1.0, 1.0) };
    let framing = Framing { aspect: 3.0, ..Framing::from(Vec3::new(0.0, 0.3, 1.0)) };
    let ground = Some(Ground { height: -1.0, ..Ground::default() });
    let background = Background::Gradient([90, 110, 140], [230, 230, 220]);
    let options = RenderOptions { width: 159, height: 53, background, ..RenderOptions::default() };
    let scene = Scene { surfaces, ground, ..Scene::default() };
    assert_looks_like(&render(&scene, &Camera::framing(&bounds, &framing), &options), "materials");
}

/// A character as its file wants it to look.
fn portrait(name: &str, towards_viewer: Vec3, background: Background) -> Image {
    let (mesh, _) = load_mesh(character(name).as_ref()).unwrap();
    let textures: Vec<Option<Texture>> =
        mesh.appearance.images.iter().map(|image| Texture::new(decode_image(image)?)).collect();
    let surface = Surface::of(&mesh, &textures);
    let camera = Camera::framing_points(surface.positions, &Framing::from(towards_viewer));
    let ground = Some(Ground { height: surface.bounds().min.y, ..Ground::default() });
    let options = RenderOptions { width: 128, height: 128, background, ..RenderOptions::default() };
    render(&Scene { surfaces: vec![surface], ground, ..Scene::default() }, &camera, &options)
}

#[test]
fn textures_and_a_transparent_background() {
    let plain = RenderOptions::default().background;
    assert_looks_like(&portrait("layers", Framing::THREE_QUARTER, plain), "textures");
    assert_looks_like(&portrait("dog", Framing::SIDE, Background::Transparent), "transparent");
}

#[test]
fn stages_and_the_pose_sheet_of_a_person() {
    let dir = tempfile::tempdir().unwrap();
    let slim = character("slim");
    puppetry(dir.path(), &["rig", &slim, "-o", "out.glb", "--stages", "stages", "--pose-sheet", "poses.png"])
        .exits_with(0);
    for (file, name) in [
        ("01-medial-samples", "stage-1-medial-samples"),
        ("02-spheres", "stage-2-spheres"),
        ("03-graph", "stage-3-graph"),
        ("04-search", "stage-4-search"),
        ("05-refined", "stage-5-refined"),
        ("06-landmarks", "stage-6-landmarks"),
        ("07-prior", "stage-7-prior"),
        ("08-joints", "stage-8-joints"),
        ("overview", "stages-overview"),
    ] {
        assert_looks_like(&shrunk(&drawn(&dir.path().join(format!("stages/{file}.png")))), name);
    }
    assert_looks_like(&shrunk(&left_part(&drawn(&dir.path().join("poses.png")), 1456)), "pose-sheet-person");
}

#[test]
fn parts_of_a_robot_and_the_pose_sheet_of_a_dog() {
    let dir = tempfile::tempdir().unwrap();
    puppetry(dir.path(), &["rig", &character("robot"), "-o", "out.glb", "--stages", "stages"]).exits_with(0);
    for (file, name) in [
        ("09-contact-graph", "parts-9-contact-graph"),
        ("10-high-resolution-tree", "parts-10-high-tree"),
        ("11-low-resolution-tree", "parts-11-low-tree"),
    ] {
        assert_looks_like(&shrunk(&drawn(&dir.path().join(format!("stages/{file}.png")))), name);
    }
    puppetry(dir.path(), &["rig", &character("dog"), "-o", "out.glb", "--pose-sheet", "poses.png"])
        .exits_with(0);
    assert_looks_like(&shrunk(&left_part(&drawn(&dir.path().join("poses.png")), 1456)), "pose-sheet-dog");
}

/// The thumbnail on the page of one motion.
fn card(arguments: &[&str]) -> Image {
    let dir = tempfile::tempdir().unwrap();
    let common = ["preview", "-o", "page", "--size", "112", "--film", "gif"];
    puppetry(dir.path(), &[&common[..], arguments].concat()).exits_with(0);
    let media = common::files(&dir.path().join("page/media"), ".png");
    let thumbnail = media.iter().find(|file| !file.to_string_lossy().ends_with("-sheet.png")).unwrap();
    read(thumbnail).unwrap()
}

#[test]
fn cards_of_the_gallery() {
    let robot = character("robot");
    assert_looks_like(&card(&["jump"]), "card-jump");
    assert_looks_like(&card(&["quad_trot", "--camera", "fixed"]), "card-trot-fixed");
    assert_looks_like(&card(&["walk", "--camera", "follow", "--bones"]), "card-walk-follow-bones");
    assert_looks_like(&card(&["wave", "--weights"]), "card-wave-weights");
    assert_looks_like(&card(&["run", "--character", &robot]), "card-robot");
}

#[test]
fn a_contact_sheet_and_a_turntable() {
    let dir = tempfile::tempdir().unwrap();
    puppetry(dir.path(), &["preview", "walk", "-o", "sheet.png"]).exits_with(0);
    assert_looks_like(&shrunk(&left_part(&drawn(&dir.path().join("sheet.png")), 640)), "contact-sheet-walk");
    let troll = character("troll");
    puppetry(dir.path(), &["preview", "--character", &troll, "-o", "turn.apng", "--size", "112"])
        .exits_with(0);
    assert_looks_like(&shrunk(&drawn(&dir.path().join("turn.apng"))), "turntable");
}
