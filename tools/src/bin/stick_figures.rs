//! Draws motions as stick figures at rest and in the middle of the motion, coloured by the role of each joint: legs blue
//! and green, arms red and orange, left the lighter; trunk grey, tail violet, joints without a role black. Draws the motions of this
//! repository, or the files it is given, to `target/stick_figures.png`.
//!
//! ```text
//! cargo run --release -p puppetry-tools --bin stick_figures -- my_walk.bvh
//! ```

use puppetry::Image;
use puppetry::stages::math::{Bounds, Vec3};
use puppetry::stages::preview::{
    Camera, Framing, Ground, Overlay, OverlayShape, RenderOptions, Scene, render,
};
use puppetry::stages::retarget::{Source, SourceOptions};
use puppetry::stages::skeleton::naming::{Limb, Role, Side};
use std::error::Error;
use std::path::PathBuf;

fn main() -> Result<(), Box<dyn Error>> {
    let root = puppetry_tools::repository();
    let mut files: Vec<PathBuf> = std::env::args().skip(1).map(PathBuf::from).collect();
    if files.is_empty() {
        files = puppetry::stages::motion::built_in()
            .iter()
            .map(|motion| root.join("motions").join(motion.name).with_extension("bvh"))
            .collect();
    }
    let mut images = Vec::new();
    for file in &files {
        let (motion, _) = puppetry::stages::io::load_motion(file)?;
        let source = Source::of(&motion, &SourceOptions::default());
        images.push(draw(&source, &source.figure.positions));
        let middle = motion.pose(motion.frames / 2).turned(&source.figure_from_file);
        images.push(draw(&source, &middle.positions));
    }
    let sheet = Image::sheet(&images, 8, 4, [255, 255, 255, 255]);
    let path = root.join("target/stick_figures.png");
    std::fs::write(&path, puppetry::stages::io::write_png(&sheet))?;
    println!("{} motions in {}", files.len(), path.display());
    Ok(())
}

/// One pose, from ahead and to its left, so that left limbs are nearer.
fn draw(source: &Source, positions: &[Vec3]) -> Image {
    let figure = &source.figure;
    let mut overlays = Vec::new();
    for (joint, parent) in figure.parents.iter().enumerate() {
        let Some(parent) = *parent else { continue };
        // A bone has the colour of the joint that turns it.
        let color = color(figure.roles.roles[parent]);
        overlays.push(Overlay {
            shape: OverlayShape::Line { from: positions[parent], to: positions[joint], width: 3.0 },
            color,
        });
    }
    for (joint, &center) in positions.iter().enumerate().filter(|(joint, _)| !figure.is_end[*joint]) {
        let color = color(figure.roles.roles[joint]);
        overlays.push(Overlay { shape: OverlayShape::Dot { center, radius: 3.0 }, color });
    }
    let bounds = Bounds::of(positions);
    let camera = Camera::framing(&bounds, &Framing::from(Framing::THREE_QUARTER));
    let ground =
        Some(Ground { height: bounds.min.y, grid: Some(0.25 * bounds.extent().y), ..Ground::default() });
    let scene = Scene { overlays, ground, ..Scene::default() };
    render(&scene, &camera, &RenderOptions { width: 200, height: 240, ..RenderOptions::default() })
}

fn color(role: Option<Role>) -> [f32; 3] {
    match role {
        None => [0.02, 0.02, 0.02],
        Some(Role::Hips | Role::Spine) => [0.3, 0.3, 0.3],
        Some(Role::Neck | Role::Head | Role::HeadTip) => [0.6, 0.5, 0.05],
        Some(Role::Tail) => [0.4, 0.05, 0.6],
        Some(Role::Limb(Limb::Leg, Side::Left, _)) => [0.1, 0.7, 0.2],
        Some(Role::Limb(Limb::Leg, Side::Right, _)) => [0.05, 0.15, 0.8],
        Some(Role::Limb(_, Side::Left, _) | Role::Finger(Side::Left, ..)) => [0.95, 0.45, 0.05],
        Some(Role::Limb(_, Side::Right, _) | Role::Finger(Side::Right, ..)) => [0.7, 0.02, 0.05],
    }
}
