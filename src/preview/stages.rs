//! Images of the stages of an embedding, to see why a joint is where it is.
//!
//! Each shows the character from the front and from its left at one scale. The character is drawn pale, and what a
//! stage found lies over it, so that the inside is visible.

use super::joint_sheet::joint_sheet;
use super::{
    Background, Camera, Framing, Ground, Lens, Overlay, OverlayShape, RenderOptions, Scene, Surface, linear,
    render,
};
use crate::Image;
use crate::embed::graph::MedialGraph;
use crate::embed::{Embedding, Stages};
use crate::math::{Bounds, Vec3};
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

/// Widths of lines and radii of dots, in pixels.
const SAMPLE_DOT: f64 = 1.5;
const SPHERE_LINE: f64 = 1.3;
const EDGE_LINE: f64 = 1.2;
const GAP_LINE: f64 = 2.4;
const NODE_DOT: f64 = 1.8;
const STICK_LINE: f64 = 3.0;
const STICK_DOT: f64 = 3.6;
const LANDMARK_LINE: f64 = 2.6;
const LANDMARK_DOT: f64 = 4.6;
const TIP_DOT: f64 = 2.2;
const JOINT_DOT: f64 = 4.2;
const JOINT_RIM: f64 = 1.2;
/// Lines are not scaled below this: thinner ones fall apart.
const THINNEST: f64 = 0.8;

pub(super) const PAPER: [u8; 3] = [248, 248, 246];
const BODY: [u8; 3] = [226, 228, 232];
const INK: [u8; 3] = [38, 50, 66];
const EDGE: [u8; 3] = [70, 110, 150];
const PALE_EDGE: [u8; 3] = [196, 206, 218];
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
    // The last but one, with what one needs to correct it.
    let joints = all.len() - 1;
    images[joints].1 = joint_sheet(mesh, embedding, &large);
    let cells: Vec<Image> = all.par_iter().map(|(_, layers)| small.draw(layers)).collect();
    let [r, g, b] = PAPER;
    images.push(("overview", Image::sheet(&cells, 4, 0, [r, g, b, 255])));
    images
}

/// The joints from the front, in the middle of an image of `size` pixels.
pub fn draw_joints(mesh: &PreparedMesh, embedding: &Embedding, size: usize) -> Image {
    let Embedding { skeleton, positions, confidences, .. } = embedding;
    let large = Board::new(mesh, 1.0).longest_side();
    let [front, _] =
        Board::new(mesh, size as f64 / large).draw_views(&bones(skeleton, positions, confidences));
    let [r, g, b] = PAPER;
    let mut image = Image::filled(size, size, [r, g, b, 255]);
    let beside = |length: usize| size.saturating_sub(length) / 2;
    image.lay_over(&front, beside(front.width), beside(front.height));
    image
}

/// The overlays of each stage, in layers that lie over each other.
fn layers(stages: &Stages, embedding: &Embedding) -> Vec<(&'static str, Vec<Vec<Overlay>>)> {
    let skeleton = &embedding.skeleton;
    let pale = edges(&stages.graph, PALE_EDGE, 1.0, |_| true);
    let mut discrete = vec![pale.clone()];
    discrete.extend(stages.best.into_iter().flat_map(|best| sticks(skeleton, &stages.attempts[best].joints)));
    let mut refined = vec![pale];
    refined.extend(stages.refined.iter().flat_map(|refined| sticks(skeleton, &refined.positions)));
    let (samples, spheres) = medial_layers(stages);
    vec![
        ("01-medial-samples", vec![samples]),
        ("02-spheres", vec![spheres]),
        ("03-graph", graph_layers(&stages.graph)),
        ("04-search", discrete),
        ("05-refined", refined),
        ("06-landmarks", landmark_layers(stages, skeleton).unwrap_or_default()),
        ("07-prior", prior_layers(stages, skeleton).unwrap_or_default()),
        ("08-joints", bones(skeleton, &embedding.positions, &embedding.confidences)),
    ]
}

/// Samples of the medial surface, and the spheres packed along it, coloured by their radius.
fn medial_layers(stages: &Stages) -> (Vec<Overlay>, Vec<Overlay>) {
    let thickest = stages.medial.iter().map(|sphere| sphere.radius).fold(0.0, f64::max);
    let color = |radius: f64| ramp(THIN_TO_THICK, if thickest > 0.0 { radius / thickest } else { 0.0 });
    let samples = stages.medial.iter().map(|sphere| dot(sphere.center, SAMPLE_DOT, color(sphere.radius)));
    let spheres = stages.graph.spheres.iter().map(|sphere| Overlay {
        shape: OverlayShape::Circle { center: sphere.center, radius: sphere.radius, width: SPHERE_LINE },
        color: color(sphere.radius),
    });
    (samples.collect(), spheres.collect())
}

/// Edges, nodes, and edges over gaps.
fn graph_layers(graph: &MedialGraph) -> Vec<Vec<Overlay>> {
    let nodes = graph.spheres.iter().map(|sphere| dot(sphere.center, NODE_DOT, linear(INK)));
    vec![
        edges(graph, EDGE, EDGE_LINE, |edge| !is_gap(graph, edge)),
        nodes.collect(),
        edges(graph, GAP, GAP_LINE, |edge| is_gap(graph, edge)),
    ]
}

fn edges(graph: &MedialGraph, color: [u8; 3], width: f64, shows: impl Fn(&[u32; 2]) -> bool) -> Vec<Overlay> {
    let shown = graph.edges.iter().filter(|edge| shows(edge));
    shown.map(|&[a, b]| line(graph.center(a), graph.center(b), width, linear(color))).collect()
}

fn is_gap(graph: &MedialGraph, edge: &[u32; 2]) -> bool {
    graph.gaps.iter().any(|gap| sorted(gap.spheres) == *edge)
}

/// Bones as lines, and joints as dots.
fn sticks(skeleton: &Skeleton, joints: &[Vec3]) -> [Vec<Overlay>; 2] {
    let bones = skeleton.joints.iter().enumerate().filter_map(|(joint, data)| {
        Some(line(joints[data.parent?], joints[joint], STICK_LINE, linear(EDGE)))
    });
    [bones.collect(), joints.iter().map(|joint| dot(*joint, STICK_DOT, linear(INK))).collect()]
}

/// Joints read from landmarks, in the colour of doubt where the shape shows no such limb; nothing if one of the skeleton's is
/// missing.
fn landmark_layers(stages: &Stages, skeleton: &Skeleton) -> Option<Vec<Vec<Overlay>>> {
    let landmarks = stages.landmarks.as_ref()?;
    let found = (0..skeleton.joints.len()).map(|joint| {
        let landmark = landmarks.of_joint(skeleton, joint)?;
        let trust = if landmarks.is_guess(Some(landmark.role)) { 0.0 } else { 1.0 };
        Some((landmark.position, ramp(DOUBT_TO_TRUST, trust)))
    });
    let found: Vec<(Vec3, [f32; 3])> = found.collect::<Option<_>>()?;
    let bones = skeleton.joints.iter().zip(&found).filter_map(|(joint, &(position, color))| {
        Some(line(found[joint.parent?].0, position, LANDMARK_LINE, color))
    });
    let dots = found.iter().map(|&(position, color)| dot(position, LANDMARK_DOT, color));
    Some(vec![bones.collect(), dots.collect()])
}

/// Where the prior expects joints, in circles of its uncertainty; nothing for a skeleton that it does not know.
fn prior_layers(stages: &Stages, skeleton: &Skeleton) -> Option<Vec<Vec<Overlay>>> {
    let expected = stages.expected.as_ref()?;
    let positions: Vec<Vec3> = expected.iter().map(|joint| joint.position).collect();
    let known = expected.iter().zip(&skeleton.joints).filter(|(_, joint)| !joint.is_tip);
    let circles = known.map(|(expected, _)| {
        let radius = expected.spread * stages.frame.height;
        let shape = OverlayShape::Circle { center: expected.position, radius, width: SPHERE_LINE };
        Overlay { shape, color: linear(GAP) }
    });
    let [bones, dots] = sticks(skeleton, &positions);
    Some(vec![circles.collect(), bones, dots])
}

/// Bones and joints in the colours of their confidence; tips are small.
pub(super) fn bones(skeleton: &Skeleton, positions: &[Vec3], confidences: &[f64]) -> Vec<Vec<Overlay>> {
    let mut layers = vec![Vec::new(); 3];
    for (joint, data) in skeleton.joints.iter().enumerate() {
        let (position, color) = (positions[joint], ramp(DOUBT_TO_TRUST, confidences[joint]));
        let radius = if data.is_tip { TIP_DOT } else { JOINT_DOT };
        if let Some(parent) = data.parent {
            let shape = OverlayShape::Bone { from: positions[parent], to: position };
            layers[0].push(Overlay { shape, color });
        }
        layers[1].push(dot(position, radius + JOINT_RIM, linear(PAPER)));
        layers[2].push(dot(position, radius, color));
    }
    layers
}

/// The two views of a character, on which stages are drawn.
pub(super) struct Board {
    views: [(Camera, RenderOptions, Image); 2],
    scale: f64,
}

impl Board {
    /// Draws the character itself once; `scale` is the size of the images.
    pub fn new(mesh: &PreparedMesh, scale: f64) -> Board {
        let corners = mesh.triangles.iter().flatten().map(|&v| &mesh.positions[v as usize]);
        let bounds = Bounds::of(corners);
        let extent = bounds.extent();
        // Both views at one scale, side by side.
        let across = (WIDTH - 4.0 * MARGIN) / (extent.x + extent.z);
        let pixels_per_unit = across.min((HEIGHT - 2.0 * MARGIN) / extent.y) * scale;
        let views = [(Framing::FRONT, extent.x), (Framing::SIDE, extent.z)].map(|(direction, width)| {
            let [width, height] =
                [width, extent.y].map(|length| (length * pixels_per_unit + 2.0 * MARGIN * scale).ceil());
            let framing = Framing { aspect: width / height, ..Framing::parallel_from(direction) };
            let half_height = 0.5 * height / pixels_per_unit;
            let lens = Lens::Orthographic { half_height };
            let camera = Camera { lens, ..Camera::framing(&bounds, &framing) };
            let (width, height) = (width as usize, height as usize);
            let options = RenderOptions { width, height, samples: 2, background: Background::Plain(PAPER) };
            (camera, options, pale_character(mesh, bounds.min.y, &camera, &options))
        });
        Board { views, scale }
    }

    /// Of the front view, in pixels.
    fn longest_side(&self) -> f64 {
        let [(_, front, _), _] = &self.views;
        front.width.max(front.height) as f64
    }

    /// The column and row at which a view shows a point of the unit cube.
    pub fn pixel(&self, view: usize, point: &Vec3) -> [f64; 2] {
        let (camera, options, _) = &self.views[view];
        let [column, row, _, w] = camera.view(options.width, options.height).project(point);
        [column / w, row / w]
    }

    /// Both views beside each other, with layers of overlays over them.
    pub fn draw(&self, layers: &[Vec<Overlay>]) -> Image {
        let [front, side] = self.draw_views(layers);
        let mut both = Image::filled(front.width + side.width, front.height, [255; 4]);
        both.lay_over(&front, 0, 0);
        both.lay_over(&side, front.width, 0);
        both
    }

    /// Front and side with layers of overlays over them.
    pub fn draw_views(&self, layers: &[Vec<Overlay>]) -> [Image; 2] {
        self.views.each_ref().map(|(camera, options, character)| {
            let mut image = character.clone();
            let options = RenderOptions { background: Background::Transparent, ..*options };
            for overlays in layers.iter().filter(|overlays| !overlays.is_empty()) {
                let overlays = overlays.iter().map(|overlay| scaled(overlay, self.scale)).collect();
                let scene = Scene { overlays, ..Scene::default() };
                image.lay_over(&render(&scene, camera, &options), 0, 0);
            }
            image
        })
    }
}

/// The character in one colour, with the paper shining through.
fn pale_character(mesh: &PreparedMesh, floor: f64, camera: &Camera, options: &RenderOptions) -> Image {
    let surface = Surface::plain(&mesh.positions, &mesh.triangles, linear(BODY));
    let ground = Some(Ground { height: floor, ..Ground::default() });
    let scene = Scene { surfaces: vec![surface], ground, ..Scene::default() };
    let mut image = render(&scene, camera, options);
    let [r, g, b] = PAPER;
    image.lay_over(&Image::filled(options.width, options.height, [r, g, b, PALE]), 0, 0);
    image
}

/// Pixels of a line or dot, scaled.
fn scaled_pixels(width: f64, by: f64) -> f64 {
    (width * by).max(width.min(THINNEST))
}

/// An overlay with its pixels scaled.
fn scaled(overlay: &Overlay, by: f64) -> Overlay {
    let shape = match overlay.shape {
        OverlayShape::Line { from, to, width } => {
            OverlayShape::Line { from, to, width: scaled_pixels(width, by) }
        }
        OverlayShape::Dot { center, radius } => {
            OverlayShape::Dot { center, radius: scaled_pixels(radius, by) }
        }
        OverlayShape::Circle { center, radius, width } => {
            OverlayShape::Circle { center, radius, width: scaled_pixels(width, by) }
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

/// A colour between three, for a number from 0 to 1.
pub(super) fn ramp(colors: [[u8; 3]; 3], at: f64) -> [f32; 3] {
    let [low, middle, high] = colors.map(linear);
    let at = (2.0 * at.clamp(0.0, 1.0)) as f32;
    let (from, to, t) = if at < 1.0 { (low, middle, at) } else { (middle, high, at - 1.0) };
    std::array::from_fn(|c| from[c] * (1.0 - t) + to[c] * t)
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
