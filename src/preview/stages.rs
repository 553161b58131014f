//! Images of the stages of an embedding, to see why a joint is where it is.
//!
//! Each shows the character from the front and from its left at one scale. The character is drawn pale, and what a
//! stage found lies over it, so that the inside is visible.

use super::{
    Background, Camera, Framing, Ground, Lens, Overlay, OverlayShape, RenderOptions, Scene, Surface, render,
};
use crate::Image;
use crate::embed::{Embedding, Stages};
use crate::math::{Bounds, SrgbTable, Vec3};
use crate::mesh::prepare::PreparedMesh;
use crate::skeleton::Skeleton;
use rayon::prelude::*;

/// Room for both views of a stage, in pixels.
const WIDTH: f64 = 1160.0;
const HEIGHT: f64 = 720.0;
/// Empty border around each view, in pixels.
const MARGIN: f64 = 36.0;
/// The scale of the images in the overview, which has rows of four.
const SMALL: f64 = 0.42;

const PAPER: [u8; 3] = [248, 248, 246];
const BODY: [u8; 3] = [226, 228, 232];
const INK: [u8; 3] = [38, 50, 66];
const EDGE: [u8; 3] = [70, 110, 150];
const GAP: [u8; 3] = [214, 50, 60];
/// How much of the paper shines through the character, of 255.
const PALE: u8 = 110;
/// From thin to thick, and from doubtful to certain.
const THIN_TO_THICK: [[u8; 3]; 3] = [[120, 190, 200], [40, 110, 160], [60, 30, 110]];
const DOUBT_TO_TRUST: [[u8; 3]; 3] = [[200, 36, 52], [240, 180, 40], [20, 140, 80]];

/// An image of each stage under a file name that sorts in the order of the work; the last is an overview.
pub fn draw_stages(
    mesh: &PreparedMesh,
    stages: &Stages,
    embedding: &Embedding,
) -> Vec<(&'static str, Image)> {
    let all = layers(stages, embedding);
    let (large, small) = (Board::new(mesh, 1.0), Board::new(mesh, SMALL));
    let mut images: Vec<(&'static str, Image)> =
        all.par_iter().map(|(name, layers)| (*name, large.draw(layers))).collect();
    let cells: Vec<Image> = all.par_iter().map(|(_, layers)| small.draw(layers)).collect();
    let [r, g, b] = PAPER;
    images.push(("overview", Image::sheet(&cells, 4, 0, [r, g, b, 255])));
    images
}

/// The overlays of each stage, in layers that lie over each other.
fn layers(stages: &Stages, embedding: &Embedding) -> Vec<(&'static str, Vec<Vec<Overlay>>)> {
    let graph = &stages.graph;
    let thickest = stages.medial.iter().map(|sphere| sphere.radius).fold(0.0, f64::max);
    let thickness = |radius: f64| ramp(THIN_TO_THICK, if thickest > 0.0 { radius / thickest } else { 0.0 });
    let samples = stages.medial.iter().map(|sphere| dot(sphere.center, 1.5, thickness(sphere.radius)));
    let spheres = graph.spheres.iter().map(|sphere| {
        let shape = OverlayShape::Circle { center: sphere.center, radius: sphere.radius, width: 1.3 };
        Overlay { shape, color: thickness(sphere.radius) }
    });
    let edge = |&[a, b]: &[u32; 2], width: f64, color: [u8; 3]| {
        line(graph.center(a), graph.center(b), width, linear(color))
    };
    let is_gap = |edge: &&[u32; 2]| graph.gaps.iter().any(|gap| sorted(gap.spheres) == **edge);
    let edges: Vec<Overlay> =
        graph.edges.iter().filter(|edge| !is_gap(edge)).map(|e| edge(e, 1.2, EDGE)).collect();
    let gaps = graph.edges.iter().filter(is_gap).map(|e| edge(e, 2.4, GAP));
    let nodes = graph.spheres.iter().map(|sphere| dot(sphere.center, 1.8, linear(INK)));

    let pale: Vec<Overlay> = graph.edges.iter().map(|e| edge(e, 1.0, [196, 206, 218])).collect();
    let sticks = |joints: &[Vec3]| {
        let ways =
            embedding.skeleton.joints.iter().enumerate().filter_map(|(joint, data)| {
                Some(line(joints[data.parent?], joints[joint], 3.0, linear(EDGE)))
            });
        [ways.collect(), joints.iter().map(|joint| dot(*joint, 3.6, linear(INK))).collect()]
    };
    let mut discrete = vec![pale.clone()];
    discrete.extend(stages.best.map(|best| sticks(&stages.attempts[best].joints)).into_iter().flatten());
    let mut refined = vec![pale];
    refined.extend(stages.refined.as_ref().map(|refined| sticks(&refined.positions)).into_iter().flatten());

    let read = stages.landmarks.as_ref().map(|landmarks| {
        let places = embedding.skeleton.joints.iter().map(|joint| {
            let landmark = landmarks.joints.iter().find(|landmark| landmark.name == joint.name);
            landmark.map(|landmark| (landmark.position, landmark.confidence))
        });
        places.collect::<Option<Vec<_>>>()
    });
    let read = read.flatten().map(|places| {
        let (positions, confidences): (Vec<Vec3>, Vec<f64>) = places.into_iter().unzip();
        let ways = embedding.skeleton.joints.iter().enumerate().filter_map(|(joint, data)| {
            let color = ramp(DOUBT_TO_TRUST, confidences[joint]);
            Some(line(positions[data.parent?], positions[joint], 2.6, color))
        });
        let dots = positions.iter().zip(&confidences).map(|(p, &c)| dot(*p, 4.6, ramp(DOUBT_TO_TRUST, c)));
        vec![ways.collect(), dots.collect()]
    });
    vec![
        ("01-medial-samples", vec![samples.collect()]),
        ("02-spheres", vec![spheres.collect()]),
        ("03-graph", vec![edges, nodes.collect(), gaps.collect()]),
        ("04-search", discrete),
        ("05-refined", refined),
        ("06-landmarks", read.unwrap_or_default()),
        ("07-joints", bones(&embedding.skeleton, &embedding.positions, &embedding.confidences)),
    ]
}

/// Bones and joints in the colours of their confidence; tips are small.
pub(super) fn bones(skeleton: &Skeleton, positions: &[Vec3], confidences: &[f64]) -> Vec<Vec<Overlay>> {
    let color = |joint: usize| ramp(DOUBT_TO_TRUST, confidences[joint]);
    let joints = || skeleton.joints.iter().enumerate();
    let bones = joints().filter_map(|(joint, data)| {
        let shape = OverlayShape::Bone { from: positions[data.parent?], to: positions[joint] };
        Some(Overlay { shape, color: color(joint) })
    });
    let radius = |is_tip: bool| if is_tip { 2.2 } else { 4.2 };
    let rims = joints().map(|(joint, data)| dot(positions[joint], radius(data.is_tip) + 1.2, linear(PAPER)));
    let dots = joints().map(|(joint, data)| dot(positions[joint], radius(data.is_tip), color(joint)));
    vec![bones.collect(), rims.collect(), dots.collect()]
}

/// The two views of a character, on which stages are drawn.
pub(super) struct Board {
    views: [(Camera, RenderOptions, Image); 2],
    scale: f64,
}

impl Board {
    /// Draws the character itself once; `scale` is the size of the images.
    pub fn new(mesh: &PreparedMesh, scale: f64) -> Board {
        let surface = || Surface::plain(&mesh.positions, &mesh.triangles, linear(BODY));
        let corners = mesh.triangles.iter().flatten().map(|&v| &mesh.positions[v as usize]);
        let bounds = Bounds::of(corners);
        let extent = bounds.extent();
        // Both views at one scale, side by side.
        let across = (WIDTH - 4.0 * MARGIN) / (extent.x + extent.z);
        let pixels_per_unit = across.min((HEIGHT - 2.0 * MARGIN) / extent.y) * scale;
        let pixels = |length: f64| (length * pixels_per_unit + 2.0 * MARGIN * scale).ceil();
        let view = |direction: Vec3, width: f64| {
            let (width, height) = (pixels(width), pixels(extent.y));
            let framing = Framing { aspect: width / height, ..Framing::parallel_from(direction) };
            let half_height = 0.5 * height / pixels_per_unit;
            let camera =
                Camera { lens: Lens::Orthographic { half_height }, ..Camera::framing(&bounds, &framing) };
            let (width, height) = (width as usize, height as usize);
            let options = RenderOptions { width, height, samples: 2, background: Background::Plain(PAPER) };
            let ground = Some(Ground { height: bounds.min.y, ..Ground::default() });
            let scene = Scene { surfaces: vec![surface()], ground, ..Scene::default() };
            let mut image = render(&scene, &camera, &options);
            let [r, g, b] = PAPER;
            image.lay_over(&Image::filled(width, height, [r, g, b, PALE]), 0, 0);
            (camera, options, image)
        };
        Board { views: [view(Framing::FRONT, extent.x), view(Framing::SIDE, extent.z)], scale }
    }

    /// Both views with layers of overlays over them.
    pub fn draw(&self, layers: &[Vec<Overlay>]) -> Image {
        let [front, side] = self.views.each_ref().map(|(camera, options, character)| {
            let mut image = character.clone();
            let options = RenderOptions { background: Background::Transparent, ..*options };
            for overlays in layers.iter().filter(|overlays| !overlays.is_empty()) {
                let overlays = overlays.iter().map(|overlay| scaled(overlay, self.scale)).collect();
                let scene = Scene { overlays, ..Scene::default() };
                image.lay_over(&render(&scene, camera, &options), 0, 0);
            }
            image
        });
        let mut both = Image::filled(front.width + side.width, front.height, [255; 4]);
        both.lay_over(&front, 0, 0);
        both.lay_over(&side, front.width, 0);
        both
    }
}

/// An overlay with its pixels scaled, but not to nothing.
fn scaled(overlay: &Overlay, by: f64) -> Overlay {
    let pixels = |width: f64| (width * by).max(width.min(0.8));
    let shape = match overlay.shape {
        OverlayShape::Line { from, to, width } => OverlayShape::Line { from, to, width: pixels(width) },
        OverlayShape::Dot { center, radius } => OverlayShape::Dot { center, radius: pixels(radius) },
        OverlayShape::Circle { center, radius, width } => {
            OverlayShape::Circle { center, radius, width: pixels(width) }
        }
        bone => bone,
    };
    Overlay { shape, color: overlay.color }
}

pub(super) fn dot(center: Vec3, radius: f64, color: [f32; 3]) -> Overlay {
    Overlay { shape: OverlayShape::Dot { center, radius }, color }
}

pub(super) fn line(from: Vec3, to: Vec3, width: f64, color: [f32; 3]) -> Overlay {
    Overlay { shape: OverlayShape::Line { from, to, width }, color }
}

fn sorted([a, b]: [u32; 2]) -> [u32; 2] {
    [a.min(b), a.max(b)]
}

pub(super) fn linear(color: [u8; 3]) -> [f32; 3] {
    color.map(|level| SrgbTable::get().decode(level))
}

/// A colour between three, for a number from 0 to 1.
pub(super) fn ramp(colors: [[u8; 3]; 3], at: f64) -> [f32; 3] {
    let [low, middle, high] = colors.map(linear);
    let at = (2.0 * at.clamp(0.0, 1.0)) as f32;
    let mix = |a: [f32; 3], b: [f32; 3], t: f32| std::array::from_fn(|c| a[c] * (1.0 - t) + b[c] * t);
    if at < 1.0 { mix(low, middle, at) } else { mix(middle, high, at - 1.0) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ramp_goes_through_its_colours() {
        for (at, color) in [(-1.0, DOUBT_TO_TRUST[0]), (0.5, DOUBT_TO_TRUST[1]), (1.0, DOUBT_TO_TRUST[2])] {
            assert_eq!(ramp(DOUBT_TO_TRUST, at), linear(color));
        }
    }
}
