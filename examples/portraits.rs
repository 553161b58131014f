//! The example characters in one picture, `docs/characters.png`: `cargo run --release --example portraits [-- FILE]`.
//!
//! Read each file and decode its textures → stand the characters in a row → frame the row → render → PNG.

use anyhow::Context;
use puppetry::io::{decode_image, load_mesh, write_png};
use puppetry::math::{Bounds, Quat, Similarity, Vec3};
use puppetry::mesh::Mesh;
use puppetry::preview::{
    Background, Camera, Framing, Ground, RenderOptions, Scene, Surface, Texture, render,
};
use std::path::{Path, PathBuf};
use std::{env, fs};

/// From left to right, each with its size against the file's: giants shrink and small ones grow, so that all can be
/// seen and a child is still smaller than a troll.
const ROW: [(&str, f64); 8] = [
    ("horse", 0.78),
    ("slim", 1.0),
    ("dog", 1.35),
    ("troll", 0.95),
    ("gingerbread", 0.95),
    ("child", 1.15),
    ("robot", 1.0),
    ("layers", 1.0),
];
/// Each turns this far, in radians, towards the viewer's left.
const TURN: f64 = -0.5;
/// Distance between the boxes of neighbours, in metres.
const GAP: f64 = 0.16;
const SIZE: (usize, usize) = (1600, 470);

fn main() -> anyhow::Result<()> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let file = env::args_os().nth(1).map_or_else(|| root.join("docs/characters.png"), PathBuf::from);
    let characters = ROW
        .iter()
        .map(|(name, _)| load(&root.join(format!("examples/characters/{name}.glb"))))
        .collect::<anyhow::Result<Vec<_>>>()?;

    let mut surfaces: Vec<Surface> = Vec::new();
    let mut all = Bounds::EMPTY;
    for ((mesh, textures), (_, scale)) in characters.iter().zip(ROW) {
        let mut surface = Surface::of(mesh, textures);
        let turn = Quat::from_axis_angle(&Vec3::y_axis(), TURN);
        surface.world_from_own = Similarity::from_parts(Vec3::zeros().into(), turn, scale);
        let own = surface.bounds();
        let left = if all.is_empty() { 0.0 } else { all.max.x + GAP };
        let shift = Vec3::new(left - own.min.x, -own.min.y, -own.center().z);
        surface.world_from_own.append_translation_mut(&shift.into());
        let placed = surface.bounds();
        all.grow(&placed.min);
        all.grow(&placed.max);
        surfaces.push(surface);
    }

    let (width, height) = SIZE;
    let framing = Framing {
        aspect: width as f64 / height as f64,
        margin: 0.02,
        field_of_view: Some(0.12),
        ..Framing::from(Vec3::new(0.0, 0.2, 1.0))
    };
    let camera = Camera::framing(&all, &framing);
    let scene = Scene { surfaces, ground: Some(Ground::default()), ..Scene::default() };
    let background = Background::Gradient([232, 236, 242], [250, 249, 246]);
    let picture = render(&scene, &camera, &RenderOptions { width, height, samples: 4, background });

    let png = write_png(&picture);
    fs::create_dir_all(file.parent().context("a file has a folder")?)?;
    fs::write(&file, &png).with_context(|| format!("cannot write '{}'", file.display()))?;
    println!("{}: {width} x {height} pixels, {} bytes", file.display(), png.len());
    Ok(())
}

/// A mesh and the textures of its images.
fn load(file: &Path) -> anyhow::Result<(Mesh, Vec<Option<Texture>>)> {
    let (mesh, _) = load_mesh(file)?;
    let textures = mesh.appearance.images.iter().map(|image| Texture::new(decode_image(image)?)).collect();
    Ok((mesh, textures))
}
