//! The example characters in one image, `docs/characters.png`: `cargo run --release -p puppetry-tools --bin portraits [-- FILE]`.
//!
//! Read each file and decode its textures → stand the characters in a row → frame the row → render → PNG.

use anyhow::Context;
use puppetry::stages::io::{decode_image, load_mesh, write_png};
use puppetry::stages::math::{Bounds, Quat, Similarity, Vec3};
use puppetry::stages::mesh::Mesh;
use puppetry::stages::preview::{
    Background, Camera, Framing, Ground, RenderOptions, Scene, Surface, Texture, render,
};
use std::path::{Path, PathBuf};
use std::{env, fs};

/// A character's place in the row.
struct Place {
    name: &'static str,
    /// Size against the file's: giants shrink and small ones grow, so that all can be seen and a child is still smaller
    /// than a troll.
    scale: f64,
    /// To the right and towards the viewer, in metres. Outstretched arms reach behind and before the neighbours.
    at: [f64; 2],
    /// Radians by which it turns to the viewer's left.
    turn: f64,
}

const fn place(name: &'static str, scale: f64, at: [f64; 2], turn: f64) -> Place {
    Place { name, scale, at, turn }
}

/// From left to right.
const ROW: [Place; 8] = [
    place("horse", 0.85, [-4.25, -0.2], 0.75),
    place("slim", 1.0, [-2.85, -0.35], 0.5),
    place("dog", 1.3, [-2.05, 0.5], 0.65),
    place("troll", 1.0, [-0.65, -0.15], 0.45),
    place("gingerbread", 1.0, [0.95, 0.25], 0.45),
    place("child", 1.15, [1.8, 0.45], 0.5),
    place("robot", 1.1, [2.97, 0.0], 0.5),
    place("layers", 1.0, [4.18, -0.1], 0.5),
];
const SIZE: (usize, usize) = (1600, 440);

fn main() -> anyhow::Result<()> {
    let root = puppetry_tools::repository();
    let file = env::args_os().nth(1).map_or_else(|| root.join("docs/characters.png"), PathBuf::from);
    let characters = ROW
        .iter()
        .map(|place| load(&root.join(format!("examples/characters/{}.glb", place.name))))
        .collect::<anyhow::Result<Vec<_>>>()?;

    let mut surfaces: Vec<Surface> = Vec::new();
    let mut all = Bounds::EMPTY;
    for ((mesh, textures), place) in characters.iter().zip(&ROW) {
        let mut surface = Surface::of(mesh, textures);
        let turn = Quat::from_axis_angle(&Vec3::y_axis(), -place.turn);
        surface.world_from_own = Similarity::from_parts(Vec3::zeros().into(), turn, place.scale);
        let own = surface.bounds();
        let middle = Vec3::new(own.center().x, own.min.y, own.center().z);
        let shift = Vec3::new(place.at[0], 0.0, place.at[1]) - middle;
        surface.world_from_own.append_translation_mut(&shift.into());
        let placed = surface.bounds();
        all.grow(&placed.min);
        all.grow(&placed.max);
        surfaces.push(surface);
    }

    let (width, height) = SIZE;
    let framing = Framing {
        aspect: width as f64 / height as f64,
        margin: 0.015,
        field_of_view: Some(0.12),
        ..Framing::from(Vec3::new(0.0, 0.22, 1.0))
    };
    let camera = Camera::framing(&all, &framing);
    let scene = Scene { surfaces, ground: Some(Ground::default()), ..Scene::default() };
    let background = Background::Gradient([232, 236, 242], [250, 249, 246]);
    let image = render(&scene, &camera, &RenderOptions { width, height, samples: 4, background });

    let png = write_png(&image);
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
