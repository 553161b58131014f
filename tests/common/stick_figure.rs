//! A figure of capsules around the bones of a skeleton, and spheres packed into it: a graph whose right answer is
//! known.

use puppetry::stages::embed::Sphere;
use puppetry::stages::math::Vec3;
use puppetry::stages::skeleton::Skeleton;

/// How large the figure is in the unit cube.
pub const SCALE: f64 = 0.9;

/// A solid around a skeleton.
pub struct StickFigure {
    /// Ends and radius of each bone.
    capsules: Vec<(Vec3, Vec3, f64)>,
}

impl StickFigure {
    /// Thick around the joints of the trunk, thin elsewhere.
    pub fn new(skeleton: &Skeleton) -> StickFigure {
        let place = |joint: usize| StickFigure::place(skeleton, joint);
        let is_central = |joint: usize| skeleton.joints[joint].position.x == 0.0;
        let capsules = (0..skeleton.joints.len())
            .filter_map(|joint| {
                let parent = skeleton.joints[joint].parent?;
                let radius = if is_central(joint) && is_central(parent) { 0.07 } else { 0.03 };
                Some((place(parent), place(joint), radius))
            })
            .collect();
        StickFigure { capsules }
    }

    /// Where a joint of the skeleton is.
    pub fn place(skeleton: &Skeleton, joint: usize) -> Vec3 {
        skeleton.joints[joint].position * SCALE + Vec3::new(0.5, 0.05, 0.5)
    }

    /// Negative inside.
    pub fn signed_distance(&self, point: &Vec3) -> f64 {
        let distance = |&(a, b, radius): &(Vec3, Vec3, f64)| {
            let t = ((point - a).dot(&(b - a)) / (b - a).norm_squared()).clamp(0.0, 1.0);
            (point - a - (b - a) * t).norm() - radius
        };
        self.capsules.iter().map(distance).fold(f64::INFINITY, f64::min)
    }

    /// Spheres on and around the bones, the largest first, whose centres are `spacing` apart.
    pub fn spheres(&self, spacing: f64) -> Vec<Sphere> {
        let mut all = Vec::new();
        for &(a, b, radius) in &self.capsules {
            let steps = ((b - a).norm() / (0.5 * spacing)).ceil() as usize;
            for step in 0..=steps {
                for aside in [Vec3::zeros(), Vec3::x(), -Vec3::x(), Vec3::z(), -Vec3::z()] {
                    let center = a + (b - a) * (step as f64 / steps as f64) + aside * (radius - 0.02);
                    all.push(Sphere { center, radius: -self.signed_distance(&center) });
                }
            }
        }
        all.sort_by(|a, b| b.radius.total_cmp(&a.radius));
        let mut packed: Vec<Sphere> = Vec::new();
        for sphere in all {
            if packed.iter().all(|other| (other.center - sphere.center).norm() >= spacing) {
                packed.push(sphere);
            }
        }
        packed
    }
}
