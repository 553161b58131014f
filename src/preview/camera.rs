use crate::math::{Bounds, Mat3, Mat4, Similarity, Vec3, tan};

/// Where the image is taken from, and through which lens.
///
/// Camera space has x to the right, y up and z towards the viewer, as the world of a front view.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Camera {
    /// Position in the world. For a parallel lens only its offset across the line of sight matters.
    pub eye: Vec3,
    /// Rotates world directions into camera directions; its rows are the camera's axes in the world.
    pub camera_from_world: Mat3,
    /// How directions or positions become positions in the image.
    pub lens: Lens,
}

/// A projection. The image's height is the measure; its width follows from its shape.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Lens {
    /// Parallel rays; half of the height that the image shows, in world units.
    Orthographic {
        /// Half of the visible height.
        half_height: f64,
    },
    /// Rays through the eye.
    Perspective {
        /// Tangent of half the vertical field of view.
        half_height: f64,
        /// Distance in front of the eye from which on things are visible.
        near: f64,
    },
}

/// How a [`Camera`] looks at a box.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Framing {
    /// From the box towards the viewer, in the world; of any length.
    pub towards_viewer: Vec3,
    /// Vertical field of view in radians, or `None` for parallel rays. A portrait lens has 0.4; above 1 the near
    /// parts of a figure look swollen.
    pub field_of_view: Option<f64>,
    /// Width of the image divided by its height.
    pub aspect: f64,
    /// Empty border on each side, in parts of the image.
    pub margin: f64,
}

impl Framing {
    /// The direction of a front view.
    pub const FRONT: Vec3 = Vec3::new(0.0, 0.0, 1.0);
    /// From the character's left.
    pub const SIDE: Vec3 = Vec3::new(1.0, 0.0, 0.0);
    /// From the front, half from the side, and a little from above: shows most of a shape at once.
    pub const THREE_QUARTER: Vec3 = Vec3::new(0.55, 0.22, 0.8);

    /// Vertical field of view of a portrait lens, in radians.
    const PORTRAIT: f64 = 0.4;
    /// Border of a portrait.
    const MARGIN: f64 = 0.05;

    /// A square image through a portrait lens.
    pub fn from(towards_viewer: Vec3) -> Framing {
        let field_of_view = Some(Framing::PORTRAIT);
        Framing { towards_viewer, field_of_view, aspect: 1.0, margin: Framing::MARGIN }
    }

    /// A square image with parallel rays.
    pub fn parallel_from(towards_viewer: Vec3) -> Framing {
        Framing { field_of_view: None, ..Framing::from(towards_viewer) }
    }
}

/// The near plane in parts of the distance between the eye and the box. What walks out of the box towards the
/// viewer stays visible up to there; closer, depth would lose digits.
const NEAR: f64 = 0.02;
/// The widest margin; beyond, the box would vanish.
const MOST_MARGIN: f64 = 0.45;
/// Sine of the angle to the vertical below which a camera looks straight down or up.
const VERTICAL: f64 = 1e-9;

impl Camera {
    /// The camera that sees the box as large as its image allows. An empty box counts as a unit cube.
    pub fn framing(bounds: &Bounds, framing: &Framing) -> Camera {
        let unit = Bounds { min: Vec3::repeat(-0.5), max: Vec3::repeat(0.5) };
        let bounds = if bounds.diagonal() > 0.0 { bounds } else { &unit };
        let corners = (0..8).map(|corner| {
            let sides = [&bounds.min, &bounds.max];
            Vec3::from_fn(|axis, _| sides[corner >> axis & 1][axis])
        });
        Camera::framing_points(&corners.collect::<Vec<Vec3>>(), framing)
    }

    /// The camera that sees all points as large as its image allows: closer than the one for their box, whose corners are
    /// mostly empty when they are seen from an angle. Coinciding points count as a unit cube around them.
    pub fn framing_points(points: &[Vec3], framing: &Framing) -> Camera {
        let bounds = Bounds::of(points);
        if !(bounds.diagonal() > 0.0) {
            let middle = if points.is_empty() { Vec3::zeros() } else { bounds.center() };
            let unit = Bounds { min: middle.add_scalar(-0.5), max: middle.add_scalar(0.5) };
            return Camera::framing(&unit, framing);
        }
        let camera_from_world = look_along(&framing.towards_viewer);
        let center = bounds.center();
        let corners: Vec<Vec3> = points.iter().map(|point| camera_from_world * (point - center)).collect();
        let inner = 1.0 - 2.0 * framing.margin.clamp(0.0, MOST_MARGIN);
        let (eye_in_camera, lens) = match framing.field_of_view {
            None => {
                let ((x, half_width), (y, half_height)) = (fit(&corners, 0, 0.0), fit(&corners, 1, 0.0));
                let half_height = half_height.max(half_width / framing.aspect) / inner;
                (Vec3::new(x, y, bounds.diagonal()), Lens::Orthographic { half_height })
            }
            Some(angle) => {
                let half_height = tan(angle * 0.5);
                let slope = half_height * inner;
                let (x, half_width) = fit(&corners, 0, slope * framing.aspect);
                let (y, half_box) = fit(&corners, 1, slope);
                let distance = (half_width / (slope * framing.aspect)).max(half_box / slope);
                let near = distance * NEAR;
                (Vec3::new(x, y, distance), Lens::Perspective { half_height, near })
            }
        };
        Camera { eye: center + camera_from_world.transpose() * eye_in_camera, camera_from_world, lens }
    }

    /// The view of an image with so many samples.
    pub(super) fn view(&self, width: usize, height: usize) -> View {
        let middle = [width as f64 * 0.5, height as f64 * 0.5];
        let (Lens::Orthographic { half_height } | Lens::Perspective { half_height, .. }) = self.lens;
        let world_from_camera = self.camera_from_world.transpose();
        let sample = half_height / middle[1];
        let right = world_from_camera * Vec3::new(sample, 0.0, 0.0);
        let down = world_from_camera * Vec3::new(0.0, -sample, 0.0);
        let corner = right * -middle[0] + down * -middle[1];
        View { camera: *self, middle, corner, right, down, forwards: -world_from_camera.column(2) }
    }
}

/// The offset of the eye along an axis of the image, and half the width of the image at the origin, if points touch both sides
/// of an image whose border rays have a slope.
///
/// A point p lies right of the image if p.x > slope · (distance − p.z), seen from an eye at x = 0. The tightest eye touches
/// the right and the left side: the two farthest planes of that slope decide, and half of their difference is how far the
/// eye moves sideways. Parallel rays are the slope 0.
fn fit(points: &[Vec3], axis: usize, slope: f64) -> (f64, f64) {
    let [plus, minus] = [1.0, -1.0]
        .map(|sign| points.iter().map(|p| sign * p[axis] + slope * p.z).fold(f64::NEG_INFINITY, f64::max));
    ((plus - minus) * 0.5, (plus + minus) * 0.5)
}

/// The rotation whose z axis is the given direction, with y as near to the world's up as possible.
fn look_along(towards_viewer: &Vec3) -> Mat3 {
    let z = towards_viewer.try_normalize(0.0).unwrap_or(Vec3::z());
    // Seen from straight above, the front is at the lower edge of the image.
    let x = Vec3::y().cross(&z).try_normalize(VERTICAL).unwrap_or(Vec3::x());
    Mat3::from_rows(&[x.transpose(), z.cross(&x).transpose(), z.transpose()])
}

/// A camera with a grid of samples: column from the left, row from the top; sample centres at halves.
#[derive(Debug, Clone, Copy)]
pub(super) struct View {
    pub camera: Camera,
    /// Half of the number of columns and rows.
    middle: [f64; 2],
    /// In the world: from the middle to the upper left corner of the image (of parallel rays, or at distance 1 from
    /// the eye), the steps from sample to sample, and the viewing direction.
    corner: Vec3,
    right: Vec3,
    down: Vec3,
    forwards: Vec3,
}

/// A projected point: column · w, row · w, nearness · w, w. Nearness grows towards the viewer
/// and, like column and row, is affine over a triangle in the image.
pub(super) type Projected = [f64; 4];

impl View {
    /// Projects a point of the world.
    pub fn project(&self, point: &Vec3) -> Projected {
        let camera = &self.camera;
        let p = camera.camera_from_world * (point - camera.eye);
        let [middle_x, middle_y] = self.middle;
        match camera.lens {
            Lens::Orthographic { half_height } => {
                let scale = middle_y / half_height;
                [middle_x + p.x * scale, middle_y - p.y * scale, p.z, 1.0]
            }
            Lens::Perspective { half_height, near } => {
                let (scale, w) = (middle_y / half_height, -p.z);
                [middle_x * w + p.x * scale, middle_y * w - p.y * scale, near, w]
            }
        }
    }

    /// The matrix that projects points of another space, all at once.
    pub fn image_from_own(&self, world_from_own: &Similarity) -> Mat4 {
        let world_from_own = world_from_own.to_homogeneous();
        let shifted = Mat4::new_translation(&-self.camera.eye) * world_from_own;
        let in_camera = self.camera.camera_from_world.to_homogeneous() * shifted;
        let [middle_x, middle_y] = self.middle;
        let lens = match self.camera.lens {
            Lens::Orthographic { half_height } => {
                let scale = middle_y / half_height;
                Mat4::new(
                    scale, 0.0, 0.0, middle_x, // column
                    0.0, -scale, 0.0, middle_y, // row
                    0.0, 0.0, 1.0, 0.0, // nearness
                    0.0, 0.0, 0.0, 1.0,
                )
            }
            Lens::Perspective { half_height, near } => {
                let scale = middle_y / half_height;
                Mat4::new(
                    scale, 0.0, -middle_x, 0.0, // column · w
                    0.0, -scale, -middle_y, 0.0, // row · w
                    0.0, 0.0, 0.0, near, // nearness · w
                    0.0, 0.0, -1.0, 0.0,
                )
            }
        };
        lens * in_camera
    }

    /// The smallest `w` that is visible.
    pub fn near(&self) -> f64 {
        match self.camera.lens {
            Lens::Orthographic { .. } => 0.0,
            Lens::Perspective { near, .. } => near,
        }
    }

    /// Samples for one world unit at a point with this `w`.
    pub fn samples_per_unit(&self, w: f64) -> f64 {
        let (Lens::Orthographic { half_height } | Lens::Perspective { half_height, .. }) = self.camera.lens;
        self.middle[1] / (half_height * w)
    }

    /// The ray of the world through a position in the image: a point on it and its direction away from the viewer,
    /// the latter not of unit length but affine in the position.
    pub fn ray(&self, column: f64, row: f64) -> (Vec3, Vec3) {
        let across = self.corner + self.right * column + self.down * row;
        match self.camera.lens {
            Lens::Orthographic { .. } => (self.camera.eye + across, self.forwards),
            Lens::Perspective { .. } => (self.camera.eye, self.forwards + across),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DIRECTIONS: [Vec3; 4] =
        [Framing::FRONT, Framing::SIDE, Framing::THREE_QUARTER, Vec3::new(0.0, 2.0, 0.0)];

    fn both_lenses(towards_viewer: Vec3) -> [Framing; 2] {
        [Framing::from(towards_viewer), Framing::parallel_from(towards_viewer)]
    }

    fn corners(bounds: &Bounds) -> Vec<Vec3> {
        let sides = [bounds.min, bounds.max];
        (0..8).map(|corner: usize| Vec3::from_fn(|axis, _| sides[corner >> axis & 1][axis])).collect()
    }

    #[test]
    fn a_framed_box_touches_the_margins_and_never_crosses_them() {
        let bounds = Bounds { min: Vec3::new(-0.5, 0.0, -0.2), max: Vec3::new(1.5, 1.8, 0.4) };
        for direction in DIRECTIONS {
            for framing in both_lenses(direction).map(|f| Framing { aspect: 1.5, margin: 0.1, ..f }) {
                let view = Camera::framing(&bounds, &framing).view(300, 200);
                let seen: Vec<[f64; 2]> = corners(&bounds)
                    .iter()
                    .map(|corner| view.project(corner))
                    .map(|[x, y, _, w]| [x / w / 300.0, y / w / 200.0])
                    .collect();
                let range = |axis: usize| {
                    let values = seen.iter().map(|p| p[axis]);
                    (values.clone().fold(1.0, f64::min), values.fold(0.0, f64::max))
                };
                let ((left, right), (top, bottom)) = (range(0), range(1));
                assert!(left.min(top) > 0.1 - 1e-9 && right.max(bottom) < 0.9 + 1e-9);
                let (wide, high) = (right - left, bottom - top);
                assert!((wide.max(high) - 0.8).abs() < 1e-9, "{direction:?} fills {wide} by {high}");
            }
        }
    }

    #[test]
    fn left_of_the_character_is_right_in_a_front_view() {
        let bounds = Bounds { min: Vec3::repeat(-1.0), max: Vec3::repeat(1.0) };
        for framing in both_lenses(Framing::FRONT) {
            let view = Camera::framing(&bounds, &framing).view(100, 100);
            let [x, y, near, w] = view.project(&Vec3::new(0.5, 0.5, 0.5));
            let [_, _, far, far_w] = view.project(&Vec3::zeros());
            assert!(x / w > 50.0 && y / w < 50.0 && near / w > far / far_w);
        }
    }

    #[test]
    fn rays_go_through_what_they_see() {
        let bounds = Bounds { min: Vec3::repeat(-1.0), max: Vec3::repeat(1.0) };
        let point = Vec3::new(0.3, -0.4, 0.5);
        for direction in DIRECTIONS {
            for framing in both_lenses(direction) {
                let view = Camera::framing(&bounds, &framing).view(160, 90);
                let [x, y, _, w] = view.project(&point);
                let (start, along) = view.ray(x / w, y / w);
                assert!((point - start).cross(&along).norm() < 1e-9 && along.dot(&(point - start)) > 0.0);
            }
        }
    }

    #[test]
    fn the_matrix_of_a_view_projects_as_the_view_does() {
        let bounds = Bounds { min: Vec3::repeat(-1.0), max: Vec3::repeat(1.0) };
        let world_from_own = Similarity::new(Vec3::new(0.2, 0.1, -0.3), Vec3::new(0.5, 1.0, 0.2), 0.7);
        let own = Vec3::new(0.3, -0.4, 0.5);
        for framing in DIRECTIONS.into_iter().flat_map(both_lenses) {
            let view = Camera::framing(&bounds, &framing).view(160, 90);
            let expected = view.project(&(world_from_own * nalgebra::Point3::from(own)).coords);
            let found = view.image_from_own(&world_from_own) * own.push(1.0);
            assert!((found - nalgebra::Vector4::from(expected)).norm() < 1e-9);
        }
    }

    #[test]
    fn empty_boxes_and_no_direction_give_a_camera() {
        let camera = Camera::framing(&Bounds::EMPTY, &Framing::from(Vec3::zeros()));
        assert!(camera.eye.iter().all(|c| c.is_finite()) && camera.eye.z > 1.0);
    }
}
