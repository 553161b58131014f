//! Images of an animated character: stills and animations.

use super::character::{AnimatedCharacter, PosedSurface, on_floor};
use super::pose_sheet::joint_color;
use super::{
    Background, Camera, Framing, Ground, Image, Overlay, OverlayShape, RenderCharacter, RenderOptions, Scene,
    Shading, render,
};
use crate::math::{Bounds, Quat, Vec3};
use rayon::prelude::*;

/// How an animated character is rendered.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AnimationOptions {
    /// Pixels along each side.
    pub size: usize,
    /// Samples along the side of a pixel.
    pub samples: usize,
    /// What is behind the character.
    pub background: Background,
    /// Whether the camera travels along.
    pub tracking: Tracking,
    /// From the character towards the viewer, for one that faces +Z.
    pub towards_viewer: Vec3,
    /// Draws the bones over the character.
    pub skeleton: bool,
    /// Paints every joint's influence in a colour of its own.
    pub weights: bool,
    /// Draws an overlay under each planted foot.
    pub contacts: bool,
}

/// Whether the camera travels along.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tracking {
    /// It stands and sees the whole path.
    Fixed,
    /// It goes with the character.
    Follow,
    /// It goes with a character that would become small otherwise.
    Auto,
}

impl Default for AnimationOptions {
    /// 320 pixels, four samples, on a light stage, with contacts.
    fn default() -> AnimationOptions {
        AnimationOptions {
            size: 320,
            samples: 2,
            background: STAGE,
            tracking: Tracking::Auto,
            towards_viewer: Vec3::new(0.62, 0.3, 0.72),
            skeleton: false,
            weights: false,
            contacts: true,
        }
    }
}

/// A light studio that suits pages of any colour.
pub(super) const STAGE: Background = Background::Gradient([206, 212, 220], [234, 236, 239]);
/// A character that goes farther than this, in its heights, is followed.
const FAR: f64 = 0.8;
/// A character that loops is followed if a loop takes it farther than this, in its heights: a fixed camera would see it
/// jump back.
const DRIFTS: f64 = 0.02;
/// Seconds over which the path of a following camera is smoothed: with less it nods at every step, with more a sudden start
/// leaves the image.
const SMOOTHING: f64 = 0.6;
/// Border around everything that the character sweeps: with less hands touch the border between two of the sampled frames,
/// with more the character is small.
const MARGIN: f64 = 0.06;
/// Frames that are sampled for what a motion sweeps; limbs do not leave it in between.
const SWEPT_FRAMES: usize = 60;
/// The least mean of the fronts of all frames that has a direction: below, the character faces all sides.
const MEAN_FRONT: f64 = 1e-3;
/// Grid cells for the height of a character: one every half metre for a person.
pub(super) const GRID_PER_HEIGHT: f64 = 3.5;
/// The most frames a second of an animation.
const MOST_RATE: f64 = 30.0;

/// Linear colours of the planted feet: left, right.
pub(super) const FOOT_COLORS: [[f32; 3]; 2] = [[0.02, 0.32, 0.85], [0.9, 0.22, 0.02]];
const BONE_COLOR: [f32; 3] = [1.0, 0.45, 0.02];
/// Dots on the joints: radius in pixels, and brightness against the bones.
const DOT_RADIUS: f64 = 1.6;
const DOT_BRIGHTNESS: f32 = 0.4;

/// An animated character with its camera path.
pub struct AnimationRenderer<'a> {
    animated: &'a AnimatedCharacter<'a>,
    options: AnimationOptions,
    /// For each frame where the camera's target is.
    camera_path: Vec<Vec3>,
    /// For each frame the height on which the character stands.
    supports: Vec<f64>,
    camera: Camera,
    grid: f64,
}

impl<'a> AnimationRenderer<'a> {
    /// Frames the whole motion.
    pub fn new(animated: &'a AnimatedCharacter<'a>, options: &AnimationOptions) -> AnimationRenderer<'a> {
        let frames = animated.frames();
        let height = animated.character.height().max(f64::MIN_POSITIVE);
        let camera_path = match options.tracking {
            Tracking::Follow => follow_path(animated),
            Tracking::Auto if goes_far(animated, height) => follow_path(animated),
            Tracking::Auto | Tracking::Fixed => vec![Vec3::zeros(); frames],
        };
        let step = frames.div_ceil(SWEPT_FRAMES).max(1);
        let swept = animated.swept_points((0..frames).step_by(step), |frame| camera_path[frame]);
        let facing: Vec3 = (0..frames).step_by(step).map(|frame| animated.facing(frame)).sum();
        let front = facing.try_normalize(MEAN_FRONT).unwrap_or(Vec3::z());
        let towards_viewer = Quat::face_towards(&front, &Vec3::y()) * options.towards_viewer;
        let framing = Framing { margin: MARGIN, ..Framing::from(towards_viewer) };
        AnimationRenderer {
            animated,
            options: *options,
            supports: animated.support_heights(),
            camera: Camera::framing_points(&swept, &framing),
            grid: grid_spacing(animated, &camera_path, height / GRID_PER_HEIGHT),
            camera_path,
        }
    }

    /// One frame.
    pub fn frame(&self, frame: usize) -> Image {
        let animated = self.animated;
        let posed = animated.character.posed(&animated.poses[frame]);
        let mut overlays = Vec::new();
        if self.options.contacts {
            overlays.extend(self.contact_overlays(frame));
        }
        if self.options.skeleton {
            overlays.extend(bone_overlays(animated, frame));
        }
        let camera = Camera { eye: self.camera.eye + self.camera_path[frame], ..self.camera };
        let ground = Ground { grid: Some(self.grid), step: self.supports[frame], ..Ground::default() };
        draw(animated.character, &posed, overlays, ground, &camera, &self.options)
    }

    /// The frame that says most about the motion.
    pub fn thumbnail(&self) -> Image {
        self.frame(self.animated.representative_frame())
    }

    /// Every frame of a motion with up to 30 frames a second, every second, third, … of a faster one, and the resulting
    /// rate. Of a motion longer than `most_seconds` it is the part around its representative frame.
    pub fn animation(&self, most_seconds: f64) -> (Vec<Image>, f64) {
        let animated = self.animated;
        let rate = animated.frames_per_second;
        let step = (rate / MOST_RATE).ceil().max(1.0);
        let most = ((most_seconds * rate) as usize).max(1);
        let frames = animated.frames();
        let first = if frames <= most {
            0
        } else {
            animated.representative_frame().saturating_sub(most / 2).min(frames - most)
        };
        let shown: Vec<usize> = (first..first + frames.min(most)).step_by(step as usize).collect();
        (shown.par_iter().map(|&frame| self.frame(frame)).collect(), rate / step)
    }

    /// Ovals under the soles that are planted.
    fn contact_overlays(&self, frame: usize) -> impl Iterator<Item = Overlay> {
        let soles = self.animated.character.soles.len();
        let planted = (0..soles).filter(move |&sole| self.animated.planted[frame][sole]);
        planted.map(move |sole| footprint(self.animated, frame, sole))
    }
}

/// The print of a sole on what it stands on.
pub(super) fn footprint(animated: &AnimatedCharacter, frame: usize, sole: usize) -> Overlay {
    let [heel, toe] = animated.sole(frame, sole);
    let height = heel.y.min(toe.y).max(0.0);
    let [heel, toe] = [heel, toe].map(|point| Vec3::new(point.x, height, point.z));
    let is_left = animated.character.soles[sole].heel.x >= 0.0;
    Overlay { shape: OverlayShape::Print { heel, toe }, color: FOOT_COLORS[usize::from(!is_left)] }
}

fn bone_overlays(animated: &AnimatedCharacter, frame: usize) -> Vec<Overlay> {
    let joints = &animated.character.joints;
    let hips = animated.character.hips;
    let bones = joints.iter().enumerate().filter_map(|(joint, data)| {
        let parent = data.parent.filter(|&parent| parent >= hips)?;
        let (from, to) = (animated.joint(frame, parent), animated.joint(frame, joint));
        Some(Overlay { shape: OverlayShape::Bone { from, to }, color: BONE_COLOR })
    });
    let dots = (hips..joints.len()).map(|joint| Overlay {
        shape: OverlayShape::Dot { center: animated.joint(frame, joint), radius: DOT_RADIUS },
        color: BONE_COLOR.map(|c| c * DOT_BRIGHTNESS),
    });
    bones.chain(dots).collect()
}

/// Draws a posed character with overlays.
pub(super) fn draw(
    character: &RenderCharacter,
    posed: &PosedSurface,
    overlays: Vec<Overlay>,
    ground: Ground,
    camera: &Camera,
    options: &AnimationOptions,
) -> Image {
    let mut surface = character.surface(posed);
    let colors: Vec<[f32; 3]>;
    if options.weights {
        colors = (0..character.weights.vertices()).map(|v| joint_color(&character.weights, v)).collect();
        surface.shading = Shading::VertexColors(&colors);
    }
    let scene = Scene { surfaces: vec![surface], overlays, ground: Some(ground) };
    let AnimationOptions { size, samples, background, .. } = *options;
    render(&scene, camera, &RenderOptions { width: size, height: size, samples, background })
}

/// Whether a fixed camera would show the character small, or jump back at the end of a loop.
fn goes_far(animated: &AnimatedCharacter, height: f64) -> bool {
    let ends = animated.root[animated.frames() - 1] - animated.root[0];
    let drifts = animated.loops && ends.xz().norm() > DRIFTS * height;
    drifts || Bounds::of(&animated.root).extent().xz().norm() > FAR * height
}

/// The path of a camera that follows: over the floor and smooth. Of a loop it is straight and as long as that of the
/// character, so that the animation goes on without a jump.
fn follow_path(animated: &AnimatedCharacter) -> Vec<Vec3> {
    let floor: Vec<Vec3> = animated.root.iter().map(on_floor).collect();
    let frames = floor.len();
    if animated.loops && frames > 1 {
        let step = (floor[frames - 1] - floor[0]) / (frames - 1) as f64;
        let mean: Vec3 =
            (0..frames).map(|frame| floor[frame] - step * frame as f64).sum::<Vec3>() / frames as f64;
        return (0..frames).map(|frame| mean + step * frame as f64).collect();
    }
    let half = (SMOOTHING * 0.5 * animated.frames_per_second) as usize;
    (0..frames)
        .map(|frame| {
            let window = &floor[frame.saturating_sub(half)..(frame + half + 1).min(frames)];
            window.iter().sum::<Vec3>() / window.len() as f64
        })
        .collect()
}

/// The distance between the lines of the floor near `usual`; under a following camera a whole number of them to a
/// loop, so that the floor goes on without a jump too.
fn grid_spacing(animated: &AnimatedCharacter, camera_path: &[Vec3], usual: f64) -> f64 {
    let frames = camera_path.len();
    if !animated.loops || frames < 2 {
        return usual;
    }
    let step = (camera_path[frames - 1] - camera_path[0]) / (frames - 1) as f64;
    let travel = (step * frames as f64).amax();
    let lines = (travel / usual).round();
    if lines >= 1.0 { travel / lines } else { usual }
}

#[cfg(test)]
mod tests {
    use super::super::test_character::{ball, flying, moved};
    use super::*;

    fn small() -> AnimationOptions {
        AnimationOptions { size: 48, background: Background::Transparent, ..AnimationOptions::default() }
    }

    fn straight(count: usize, step: f64) -> Vec<Vec3> {
        (0..count).map(|frame| Vec3::new(0.0, 0.0, step * frame as f64)).collect()
    }

    #[test]
    fn a_loop_goes_on_where_it_ends() {
        let character = ball();
        // Twice as long as needed: frame 10 is what comes after frame 9 of the loop.
        let long = flying(&character, &straight(20, 0.13));
        let mut looped = flying(&character, &straight(10, 0.13));
        looped.loops = true;
        let renderer =
            AnimationRenderer::new(&looped, &AnimationOptions { tracking: Tracking::Follow, ..small() });
        let spacing = renderer.grid;
        assert!((1.3 / spacing - (1.3 / spacing).round()).abs() < 1e-9, "a whole number of lines to a loop");
        let step = renderer.camera_path[9] - renderer.camera_path[8];
        let next = AnimationRenderer {
            animated: &long,
            camera_path: (0..20).map(|frame| renderer.camera_path[0] + step * frame as f64).collect(),
            supports: vec![0.0; 20],
            ..renderer
        };
        // Positions further along are rounded otherwise, which may show in the last bit.
        let (first, after) = (next.frame(0), next.frame(10));
        let apart =
            first.pixels.iter().flatten().zip(after.pixels.iter().flatten()).map(|(a, b)| a.abs_diff(*b));
        assert!(apart.clone().all(|apart| apart <= 1), "{:?}", apart.max());
    }

    #[test]
    fn films_have_24_to_30_frames_a_second_and_an_end() {
        let character = ball();
        let mut animated = moved(&character, &straight(60, 0.0));
        for (rate, expected, count) in
            [(120.0, 30.0, 15), (60.0, 30.0, 30), (25.0, 25.0, 60), (50.0, 25.0, 30)]
        {
            animated.frames_per_second = rate;
            let (frames, rate) = AnimationRenderer::new(&animated, &small()).animation(10.0);
            assert_eq!((rate, frames.len()), (expected, count));
        }
        animated.frames_per_second = 30.0;
        assert_eq!(AnimationRenderer::new(&animated, &small()).animation(0.5).0.len(), 15);
    }

    #[test]
    fn the_number_of_threads_changes_nothing() {
        let character = ball();
        let animated = moved(&character, &straight(6, 0.8));
        let animation = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| AnimationRenderer::new(&animated, &small()).animation(5.0).0)
        };
        assert!(animation(1) == animation(3));
    }

    #[test]
    fn overlays_show_bones_and_planted_feet() {
        let character = ball();
        let standing = moved(&character, &straight(2, 0.0));
        let plain =
            AnimationRenderer::new(&standing, &AnimationOptions { contacts: false, ..small() }).frame(0);
        let colors =
            |options: AnimationOptions| AnimationRenderer::new(&standing, &options).frame(0) != plain;
        assert!(!colors(AnimationOptions { contacts: false, ..small() }));
        assert!(colors(AnimationOptions { contacts: false, weights: true, ..small() }));
        assert!(colors(AnimationOptions { contacts: false, skeleton: true, ..small() }));
        let print = footprint(&standing, 0, 0);
        assert!(matches!(print.shape, OverlayShape::Print { heel, toe } if toe.z > heel.z && heel.y == 0.0));
    }
}
