//! The light of a surface at a position in the image.
//!
//! Three lamps that move with the camera, so that every view is well lit: a **key** from above, left of the
//! viewer, a weaker **fill** from the right, and a **rim** from behind that lifts outlines off the background; and
//! the sky and the floor all around. All values are linear.

use super::camera::{Projected, View};
use super::raster::{Batch, Points, weights_at};
use super::scene::{Finish, Shading, Surface};
use super::texture::Texture;
use crate::math::{Mat3, Vec3, square};
use crate::mesh::AlphaMode;
use rayon::prelude::*;

type V = nalgebra::Vector3<f32>;

/// Towards the key light, in camera space.
const KEY: Vec3 = Vec3::new(-0.45, 0.75, 0.55);
const FILL: Vec3 = Vec3::new(0.8, 0.15, 0.45);
const RIM: Vec3 = Vec3::new(0.35, 0.45, -0.8);
/// With brighter lamps white surfaces lose their shape, with darker ones all colours are dull.
const KEY_LIGHT: [f32; 3] = [0.70, 0.67, 0.62];
const FILL_LIGHT: [f32; 3] = [0.13, 0.15, 0.18];
const RIM_LIGHT: [f32; 3] = [0.42, 0.45, 0.50];
const SKY: [f32; 3] = [0.30, 0.32, 0.36];
const FLOOR: [f32; 3] = [0.13, 0.12, 0.11];
/// How far the rim light reaches around a shape, as a cosine: without it outlines are broken lines.
const RIM_WRAP: f32 = 0.25;
/// Part of the light that plastics, skin and cloth reflect straight on.
const DIELECTRIC: f32 = 0.04;
/// Part of the diffuse light that a metal loses. A real metal loses all of it, and without an environment to mirror it
/// would be black.
const METAL_LOSS: f32 = 0.25;
/// Brightness of the wide and of the narrow part of a highlight.
const WIDE_HIGHLIGHT: f32 = 1.2;
const NARROW_HIGHLIGHT: f32 = 14.0;
/// Divisors are at least this, and shorter normals are none.
const TINY: f32 = 1e-6;

/// From so much alpha on, a blended surface is drawn as a solid one: hair and lashes hide each other, and only
/// their fringes are blended, with what is behind all of them.
const SOLID_ALPHA: f32 = 0.85;
/// Below this alpha a blended surface is not there.
const FAINT_ALPHA: f32 = 0.02;

/// Solid things, or those that are blended over them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Pass {
    Solid,
    Blended,
}

/// Towards the key light, in the world.
pub(super) fn key_direction(view: &View) -> Vec3 {
    (view.camera.camera_from_world.transpose() * KEY).normalize()
}

/// A surface seen from a camera.
pub(super) struct SeenSurface<'a> {
    surface: &'a Surface<'a>,
    pub points: Points,
    /// The finish of each part, with the end of its triangles.
    finishes: Vec<(usize, Finish<'a>)>,
    /// Lamps in the surface's own space, where its normals are.
    lamps: Lamps,
    /// The line of sight at the origin of the image and its change by column and row, in the surface's space.
    sight: [V; 3],
}

struct Lamps {
    key: V,
    fill: V,
    rim: V,
    up: V,
}

impl Lamps {
    /// Diffuse light on a surface; `facing` is the cosine between its normal and the line of sight.
    fn light(&self, normal: &V, facing: f32) -> [f32; 3] {
        let key = normal.dot(&self.key).max(0.0);
        let fill = normal.dot(&self.fill).max(0.0);
        let grazing = 1.0 - facing;
        let rim = (normal.dot(&self.rim) + RIM_WRAP).max(0.0) * grazing * grazing;
        let sky = 0.5 + 0.5 * normal.dot(&self.up);
        std::array::from_fn(|c| {
            KEY_LIGHT[c] * key
                + FILL_LIGHT[c] * fill
                + RIM_LIGHT[c] * rim
                + FLOOR[c]
                + (SKY[c] - FLOOR[c]) * sky
        })
    }

    /// Brightness of the highlight of the key light.
    fn highlight(&self, normal: &V, to_viewer: &V, gloss: f32) -> f32 {
        let half = self.key + to_viewer;
        highlight(normal.dot(&half).max(0.0) / half.norm().max(TINY), gloss)
    }
}

impl<'a> SeenSurface<'a> {
    pub fn new(surface: &'a Surface<'a>, view: &View) -> SeenSurface<'a> {
        let image_from_own = view.image_from_own(&surface.world_from_own);
        let projected =
            surface.positions.par_iter().map(|position| (image_from_own * position.push(1.0)).into());
        let rotation = surface.world_from_own.isometry.rotation.inverse().to_rotation_matrix();
        let own_from_world: &Mat3 = rotation.matrix();
        let own_from_camera = own_from_world * view.camera.camera_from_world.transpose();
        let [origin, right, below] = [(0.0, 0.0), (1.0, 0.0), (0.0, 1.0)].map(|(x, y)| view.ray(x, y).1);
        let [key, fill, rim] =
            [KEY, FILL, RIM].map(|direction| (own_from_camera * direction).normalize().cast());
        SeenSurface {
            surface,
            points: Points::new(projected.collect(), view.near()),
            finishes: surface.finishes(),
            lamps: Lamps { key, fill, rim, up: (own_from_world * Vec3::y()).cast() },
            sight: [origin, right - origin, below - origin].map(|ray| (own_from_world * ray).cast()),
        }
    }

    pub fn triangle_count(&self) -> usize {
        self.surface.triangles.len()
    }

    /// Its triangles for the rasteriser, part by part; the first has the given number.
    pub fn batches(&self, first: u32, pass: Pass) -> impl Iterator<Item = Batch<'_>> {
        let mut start = 0;
        self.finishes.iter().filter_map(move |(end, finish)| {
            let own = start..(*end).min(self.surface.triangles.len());
            start = own.end;
            (pass == Pass::Solid || finish.alpha == AlphaMode::Blend).then(|| Batch {
                points: &self.points,
                first: first + own.start as u32,
                triangles: &self.surface.triangles[own],
                one_sided: finish.one_sided,
                tested: finish.alpha != AlphaMode::Opaque,
            })
        })
    }

    fn part(&self, triangle: usize) -> usize {
        self.finishes.partition_point(|&(end, _)| end <= triangle)
    }

    /// Whether two triangles are neighbours on one smooth piece, so that they look alike within a pixel.
    pub fn is_smooth_across(&self, a: usize, b: usize) -> bool {
        let (corners, others) = (self.surface.triangles[a], self.surface.triangles[b]);
        corners.iter().any(|corner| others.contains(corner))
            && !self.surface.normals.is_empty()
            && self.part(a) == self.part(b)
    }

    pub fn has_blended(&self) -> bool {
        self.finishes.iter().any(|(_, finish)| finish.alpha == AlphaMode::Blend)
    }

    fn corners(&self, triangle: usize) -> [Projected; 3] {
        self.surface.triangles[triangle].map(|vertex| self.points.projected[vertex as usize])
    }

    /// Whether a triangle of a material with alpha is there at all.
    pub fn is_there(&self, triangle: usize, column: f64, row: f64, pass: Pass) -> bool {
        let finish = &self.finishes[self.part(triangle)].1;
        let (weights, area) = weights_at(&self.corners(triangle), column, row);
        let alpha = self.base_color(triangle, finish, weights, area)[3];
        match (finish.alpha, pass) {
            (AlphaMode::Opaque, _) => true,
            (AlphaMode::Mask(cutoff), _) => alpha >= cutoff,
            (AlphaMode::Blend, Pass::Solid) => alpha >= SOLID_ALPHA,
            (AlphaMode::Blend, Pass::Blended) => (FAINT_ALPHA..SOLID_ALPHA).contains(&alpha),
        }
    }

    /// Linear RGBA of a triangle at a position in the image, lit.
    pub fn shade(&self, triangle: usize, column: f64, row: f64) -> [f32; 4] {
        let finish = &self.finishes[self.part(triangle)].1;
        let (weights, area) = weights_at(&self.corners(triangle), column, row);
        let [r, g, b, alpha] = self.base_color(triangle, finish, weights, area);
        let base = [r, g, b];
        let sight = self.sight[0] + self.sight[1] * column as f32 + self.sight[2] * row as f32;
        let to_viewer = -sight.normalize();
        let mut normal = self.normal(triangle, weights);
        // What is visible faces the viewer. A normal that does not is mirrored at the plane of the image: that
        // turns the back of a face around and moves a smooth normal beyond the outline hardly at all.
        let away = normal.dot(&to_viewer);
        if away < 0.0 {
            normal -= to_viewer * (2.0 * away);
        }
        let facing = away.abs().min(1.0);

        let emissive = self.emissive(triangle, finish, weights, area);
        let light = self.lamps.light(&normal, facing);
        let highlight = self.lamps.highlight(&normal, &to_viewer, finish.gloss);
        let [r, g, b] = [0, 1, 2].map(|c| {
            let mirror = DIELECTRIC + (base[c] - DIELECTRIC) * finish.metallic;
            let matt = base[c] * light[c] * (1.0 - METAL_LOSS * finish.metallic);
            shoulder(matt + mirror * KEY_LIGHT[c] * highlight) + emissive[c]
        });
        [r, g, b, alpha]
    }

    fn base_color(&self, triangle: usize, finish: &Finish, weights: [f32; 3], area: f32) -> [f32; 4] {
        let corners = self.surface.triangles[triangle];
        let mut color = finish.color;
        match self.surface.shading {
            Shading::Uniform([r, g, b]) => return [r, g, b, 1.0],
            Shading::VertexColors(colors) => {
                let [r, g, b] = blend(weights, corners.map(|vertex| colors[vertex as usize]));
                return [r, g, b, 1.0];
            }
            Shading::Materials(mesh, _) => {
                let colors = &mesh.appearance.colors;
                if !colors.is_empty() {
                    let vertex = blend(weights, corners.map(|vertex| colors[vertex as usize]));
                    color = std::array::from_fn(|c| color[c] * vertex[c]);
                }
            }
        }
        if let Some(texel) = self.texel(triangle, finish.texture, weights, area) {
            color = std::array::from_fn(|c| color[c] * texel[c]);
        }
        color
    }

    fn emissive(&self, triangle: usize, finish: &Finish, weights: [f32; 3], area: f32) -> [f32; 3] {
        if finish.emissive == [0.0; 3] {
            return finish.emissive;
        }
        let texel = self.texel(triangle, finish.emissive_texture, weights, area);
        std::array::from_fn(|c| finish.emissive[c] * texel.map_or(1.0, |texel| texel[c]))
    }

    fn texel(
        &self,
        triangle: usize,
        texture: Option<&Texture>,
        weights: [f32; 3],
        area: f32,
    ) -> Option<[f32; 4]> {
        let (texture, Shading::Materials(mesh, _)) = (texture?, self.surface.shading) else { return None };
        let texcoords = &mesh.appearance.texcoords;
        if texcoords.is_empty() {
            return None;
        }
        let corners = self.surface.triangles[triangle].map(|vertex| texcoords[vertex as usize]);
        let [a, b, c] = corners;
        let part = ((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])).abs() * 0.5;
        Some(texture.sample(blend(weights, corners), part * texture.area() / area.max(TINY)))
    }

    /// The unit normal at a point of a triangle.
    fn normal(&self, triangle: usize, weights: [f32; 3]) -> V {
        let corners = self.surface.triangles[triangle];
        let normals = &self.surface.normals;
        if !normals.is_empty() {
            let normal: V = blend(weights, corners.map(|vertex| normals[vertex as usize])).into();
            let squared = normal.norm_squared();
            if squared > TINY {
                return normal / squared.sqrt();
            }
        }
        let [a, b, c] = corners.map(|vertex| self.surface.positions[vertex as usize]);
        (b - a).cross(&(c - a)).try_normalize(0.0).unwrap_or(Vec3::z()).cast()
    }
}

/// The weighted mean of values at the corners.
fn blend<const N: usize>(weights: [f32; 3], [a, b, c]: [[f32; N]; 3]) -> [f32; N] {
    std::array::from_fn(|i| weights[0] * a[i] + weights[1] * b[i] + weights[2] * c[i])
}

/// Bends what is brighter than a bright colour so that it approaches 1: white things keep their shape.
fn shoulder(light: f32) -> f32 {
    /// Below this nothing changes. At 0.9 the bend is visible as an edge; at 0.5 all bright colours turn pale.
    const BRIGHT: f32 = 0.65;
    let above = (light - BRIGHT).max(0.0);
    light.min(BRIGHT) + above / (1.0 + above / (1.0 - BRIGHT))
}

/// The brightness of a highlight by the cosine between the normal and the half-way vector (Blinn 1977), with powers
/// made of products: wide and faint on matt things, small and bright on polished ones.
fn highlight(cosine: f32, gloss: f32) -> f32 {
    let power_8 = square(square(square(cosine)));
    let power_64 = square(square(square(power_8)));
    let wide = power_8 * WIDE_HIGHLIGHT * gloss;
    let narrow = power_64 * NARROW_HIGHLIGHT * gloss * gloss;
    wide + narrow
}
