//! An animal on four legs as numbers: the trunk lies along z, the head looks to +z. As with people, joints follow
//! from the numbers and the flesh from the joints.

use super::body::{Head, mirrored};
use super::implicit::{Ink, Sculpture, below, egg, flat_limb, limb};
use puppetry::stages::math::Vec3;

/// Proportions and girth of an animal, in metres. Points are `[height, forward]`.
#[derive(Debug, Clone)]
pub struct Beast {
    /// Pelvis, middle and chest of the trunk.
    pub trunk: [[f64; 2]; 3],
    /// Half widths of the trunk there.
    pub trunk_width: [f64; 3],
    /// Base of the neck and base of the skull.
    pub neck: [[f64; 2]; 2],
    /// Radii of the neck there.
    pub neck_radius: [f64; 2],
    /// Half axes of the skull.
    pub skull: Vec3,
    /// Tip of the nose.
    pub muzzle: [f64; 2],
    /// Radii of the muzzle at the skull and at the tip.
    pub muzzle_radius: [f64; 2],
    /// Base, middle and tip of the tail.
    pub tail: [[f64; 2]; 3],
    /// Radii of the tail there.
    pub tail_radius: [f64; 3],
    /// A front leg: shoulder, elbow, wrist.
    pub front: Leg<3>,
    /// A hind leg: hip, knee, ankle, ball of the foot.
    pub hind: Leg<4>,
}

/// A leg from its top joint down to a paw or hoof.
#[derive(Debug, Clone)]
pub struct Leg<const N: usize> {
    /// Distance from the middle.
    pub width: f64,
    /// The joints from top to bottom.
    pub joints: [[f64; 2]; N],
    /// Radii at the joints.
    pub radii: [f64; N],
    /// Middle of the paw or hoof.
    pub foot: [f64; 2],
    /// Half axes of the paw or hoof.
    pub foot_size: Vec3,
}

impl<const N: usize> Leg<N> {
    fn points(&self) -> [Vec3; N] {
        self.joints.map(|[height, forward]| Vec3::new(self.width, height, forward))
    }

    /// The paw or hoof.
    pub fn foot(&self) -> Vec3 {
        Vec3::new(self.width, self.foot[0], self.foot[1])
    }

    fn add(&self, s: &mut Sculpture, ink: Ink) {
        let points = self.points();
        for lower in 1..N {
            let [a, b] = [self.radii[lower - 1], self.radii[lower]];
            let blend = if lower == 1 { 0.7 * a } else { 0.4 * a };
            s.add(ink, blend, limb(points[lower - 1], points[lower], a, b));
        }
        s.add(
            ink,
            0.5 * self.radii[N - 1],
            limb(points[N - 1], self.foot(), self.radii[N - 1], 0.9 * self.radii[N - 1]),
        );
        s.add(ink, 0.4 * self.radii[N - 1], egg(self.foot(), self.foot_size));
    }
}

impl Beast {
    /// Canonical names and positions of the joints.
    pub fn joints(&self) -> Vec<(String, Vec3)> {
        let mut named: Vec<(String, Vec3)> = [
            ("hips", self.trunk[0]),
            ("spine", self.trunk[1]),
            ("chest", self.trunk[2]),
            ("neck", self.neck[0]),
            ("head", self.neck[1]),
            ("tail", self.tail[0]),
        ]
        .map(|(name, at)| (name.to_owned(), middle(at)))
        .into();
        let front = ["shoulder", "elbow", "wrist"].map(|name| format!("front_SIDE_{name}"));
        let hind = ["hip", "knee", "ankle", "toe"].map(|name| format!("back_SIDE_{name}"));
        let legs = front.into_iter().zip(self.front.points()).chain(hind.into_iter().zip(self.hind.points()));
        for (name, at) in legs {
            named.push((name.replace("SIDE", "left"), at));
            named.push((name.replace("SIDE", "right"), mirrored(at)));
        }
        named
    }

    /// Trunk, neck, head, legs and tail in one ink; gives the head for the face.
    pub fn add_flesh(&self, s: &mut Sculpture, ink: Ink) -> Head {
        let [pelvis, waist, chest] = self.trunk.map(middle);
        let width = self.trunk_width;
        s.add(ink, 0.0, limb(pelvis, waist, width[0], width[1]));
        s.add(ink, 0.6 * width[1], limb(waist, chest, width[1], width[2]));
        let [base, skull] = self.neck.map(middle);
        s.add(ink, 0.9 * self.neck_radius[0], flat_limb(base, skull, self.neck_radius, 1.15));
        self.front.add(s, ink);
        self.hind.add(s, ink);
        s.carve(0.01, below(0.0));
        let tail = self.tail.map(middle);
        for part in 0..2 {
            let radii = [self.tail_radius[part], self.tail_radius[part + 1]];
            s.add(ink, 0.5 * radii[0], limb(tail[part], tail[part + 1], radii[0], radii[1]));
        }
        let head = Head {
            center: skull + Vec3::new(0.0, 0.15 * self.skull.y, 0.35 * self.skull.z),
            radii: self.skull,
        };
        s.add(ink, 0.4 * self.neck_radius[1], egg(head.center, head.radii));
        let nose = middle(self.muzzle);
        s.add(ink, 0.4 * self.skull.x, limb(head.center, nose, self.muzzle_radius[0], self.muzzle_radius[1]));
        head
    }
}

/// A point of the plane of symmetry.
pub fn middle([height, forward]: [f64; 2]) -> Vec3 {
    Vec3::new(0.0, height, forward)
}
