use super::normals::smooth_normals;
use super::texture::Texture;
use crate::math::{Bounds, Similarity, Vec3};
use crate::mesh::{AlphaMode, Format, Material, Mesh};
use std::borrow::Cow;

/// What to draw.
#[derive(Default)]
pub struct Scene<'a> {
    /// Lit surfaces.
    pub surfaces: Vec<Surface<'a>>,
    /// Lines, dots and bones; where a surface hides them they shine through faintly.
    pub overlays: Vec<Overlay>,
    /// The floor, or none.
    pub ground: Option<Ground>,
}

/// Triangles with colours.
pub struct Surface<'a> {
    /// Vertices in the surface's own space.
    pub positions: &'a [Vec3],
    /// Three vertices each, counter-clockwise seen from outside.
    pub triangles: &'a [[u32; 3]],
    /// A unit normal for each vertex, in the surface's own space. If there are none, or where one is zero, the
    /// triangles look flat.
    pub normals: Cow<'a, [[f32; 3]]>,
    /// Where its colours come from.
    pub shading: Shading<'a>,
    /// Where it stands.
    pub world_from_own: Similarity,
}

/// The colours of a surface.
#[derive(Clone, Copy)]
pub enum Shading<'a> {
    /// One linear colour.
    Uniform([f32; 3]),
    /// A linear colour for each vertex, for instance a heat map.
    VertexColors(&'a [[f32; 3]]),
    /// The materials of a mesh, which has the same triangles, with a texture for each of its images that could be
    /// decoded. What could not shows the flat colour of its material.
    Materials(&'a Mesh, &'a [Option<Texture>]),
}

impl<'a> Surface<'a> {
    /// A mesh as its file wants it to look. Normals that the file does not have are smooth ones.
    pub fn of(mesh: &'a Mesh, textures: &'a [Option<Texture>]) -> Surface<'a> {
        let given = &mesh.appearance.normals;
        let normals = if given.is_empty() {
            Cow::Owned(smooth_normals(&mesh.positions, &mesh.triangles))
        } else if given.contains(&[0.0; 3]) {
            let mut normals = smooth_normals(&mesh.positions, &mesh.triangles);
            for (normal, given) in normals.iter_mut().zip(given) {
                if *given != [0.0; 3] {
                    *normal = *given;
                }
            }
            Cow::Owned(normals)
        } else {
            Cow::Borrowed(given.as_slice())
        };
        Surface {
            positions: &mesh.positions,
            triangles: &mesh.triangles,
            normals,
            shading: Shading::Materials(mesh, textures),
            world_from_own: Similarity::identity(),
        }
    }

    /// Any triangles in one linear colour, with smooth normals.
    pub fn plain(positions: &'a [Vec3], triangles: &'a [[u32; 3]], color: [f32; 3]) -> Surface<'a> {
        Surface {
            positions,
            triangles,
            normals: Cow::Owned(smooth_normals(positions, triangles)),
            shading: Shading::Uniform(color),
            world_from_own: Similarity::identity(),
        }
    }

    /// The box around its vertices in the world.
    pub fn bounds(&self) -> Bounds {
        let mut bounds = Bounds::EMPTY;
        for &position in self.positions {
            bounds.grow(&(self.world_from_own * nalgebra::Point3::from(position)).coords);
        }
        bounds
    }

    /// The finish of each part of the surface, with the end of its triangles.
    pub(super) fn finishes(&self) -> Vec<(usize, Finish<'a>)> {
        let Shading::Materials(mesh, textures) = self.shading else {
            return vec![(usize::MAX, Finish::MATT)];
        };
        // Only glTF means what it says about sides; elsewhere a face turned inside out is an accident.
        let sides_matter = matches!(mesh.origin.format, Format::Gltf | Format::Glb);
        mesh.parts
            .iter()
            .map(|part| {
                let material = part.material.and_then(|material| mesh.appearance.materials.get(material));
                let matt = Finish { one_sided: sides_matter, ..Finish::MATT };
                let finish = material.map_or(matt, |material| Finish {
                    one_sided: sides_matter && !material.double_sided,
                    ..Finish::of(material, textures)
                });
                (part.triangles.end, finish)
            })
            .collect()
    }
}

fn texture(textures: &[Option<Texture>], image: Option<usize>) -> Option<&Texture> {
    textures.get(image?)?.as_ref()
}

/// A material, resolved.
#[derive(Clone, Copy)]
pub(super) struct Finish<'a> {
    pub color: [f32; 4],
    pub texture: Option<&'a Texture>,
    pub emissive: [f32; 3],
    pub emissive_texture: Option<&'a Texture>,
    pub gloss: f32,
    pub metallic: f32,
    pub alpha: AlphaMode,
    pub one_sided: bool,
}

impl<'a> Finish<'a> {
    /// Of a material, seen from both sides.
    fn of(material: &Material, textures: &'a [Option<Texture>]) -> Finish<'a> {
        Finish {
            color: material.base_color,
            texture: texture(textures, material.base_color_image),
            emissive: material.emissive,
            emissive_texture: texture(textures, material.emissive_image),
            gloss: (1.0 - material.roughness).clamp(0.0, 1.0),
            metallic: material.metallic.clamp(0.0, 1.0),
            alpha: material.alpha,
            one_sided: false,
        }
    }

    /// White, matt and seen from both sides.
    const MATT: Finish<'static> = Finish {
        color: [1.0; 4],
        texture: None,
        emissive: [0.0; 3],
        emissive_texture: None,
        gloss: 0.15,
        metallic: 0.0,
        alpha: AlphaMode::Opaque,
        one_sided: false,
    };
}

/// A line, dot, bone or footprint drawn over the surfaces.
#[derive(Debug, Clone, PartialEq)]
pub struct Overlay {
    /// Its shape, in the world.
    pub shape: OverlayShape,
    /// Linear colour.
    pub color: [f32; 3],
}

/// The shape of an [`Overlay`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum OverlayShape {
    /// A straight line.
    Line {
        /// One end.
        from: Vec3,
        /// The other end.
        to: Vec3,
        /// Width in pixels.
        width: f64,
    },
    /// An octahedron drawn out from a joint, thickest near it, to the next joint.
    Bone {
        /// The upper joint.
        from: Vec3,
        /// The lower joint.
        to: Vec3,
    },
    /// A disc that faces the viewer.
    Dot {
        /// Its middle.
        center: Vec3,
        /// Radius in pixels.
        radius: f64,
    },
    /// The print of a foot on a level floor.
    Print {
        /// Its hind end.
        heel: Vec3,
        /// Its front end.
        toe: Vec3,
    },
    /// The outline of a ball.
    Circle {
        /// Its middle.
        center: Vec3,
        /// Radius in the world.
        radius: f64,
        /// Width of the outline in pixels.
        width: f64,
    },
}

impl OverlayShape {
    /// Two points that it reaches between.
    pub(super) fn ends(&self) -> [Vec3; 2] {
        match *self {
            OverlayShape::Line { from, to, .. } | OverlayShape::Bone { from, to } => [from, to],
            OverlayShape::Print { heel, toe } => [heel, toe],
            OverlayShape::Dot { center, .. } | OverlayShape::Circle { center, .. } => [center; 2],
        }
    }
}

/// A level floor without an edge: what is seen of it is the shadow on it and its grid.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ground {
    /// Its height in the world.
    pub height: f64,
    /// How much light the deepest shadow takes away, from 0 to 1.
    pub shadow: f32,
    /// How far above the floor the shadow falls: onto a step that carries the character, which is not drawn itself.
    pub step: f64,
    /// Distance between the lines of a grid through the origin, in the world, or no grid.
    pub grid: Option<f64>,
}

impl Default for Ground {
    /// At y = 0 with a soft shadow and no grid.
    fn default() -> Ground {
        Ground { height: 0.0, shadow: 0.6, step: 0.0, grid: None }
    }
}
