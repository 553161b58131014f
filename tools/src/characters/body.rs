//! A person as numbers: [`Body`] holds proportions, pose and girth; [`Body::joints`] follows from it, and the
//! flesh follows from the joints, so that the joints in the truth files are true by construction.

use super::implicit::{Ink, Sculpture, below, egg, flat_limb, limb};
use puppetry::stages::math::{Quat, Vec3};

/// Proportions, pose and girth of a person. Lengths and radii in metres, angles in radians; widths are
/// measured from the plane of symmetry. The default is a slender adult in T-pose.
#[derive(Debug, Clone)]
pub struct Body {
    /// Height of the thigh heads above the floor.
    pub hip_height: f64,
    /// Distance of a thigh head from the middle.
    pub hip_width: f64,
    /// Angle of the legs to the vertical, outwards.
    pub leg_spread: f64,
    /// How far the knees stand in front of the straight leg.
    pub knee_bend: f64,
    /// Height of the ankle joint above the sole.
    pub ankle_height: f64,
    /// Heel to tip of the toes.
    pub foot_length: f64,
    /// Angle by which the feet point outwards.
    pub foot_splay: f64,
    /// Pelvis to the base of the neck, along the back.
    pub torso: f64,
    /// Angle by which the back bends forwards from pelvis to neck.
    pub stoop: f64,
    /// Base of the neck to the base of the skull.
    pub neck: f64,
    /// Half axes of the head.
    pub head: Vec3,
    /// Distance of an upper arm's head from the middle.
    pub shoulder_width: f64,
    /// How far it lies below the base of the neck.
    pub shoulder_drop: f64,
    /// Shoulder to elbow.
    pub upper_arm: f64,
    /// Elbow to wrist.
    pub forearm: f64,
    /// Wrist to finger tips.
    pub hand: f64,
    /// Angle of the arms below the horizontal: 0 is a T-pose.
    pub arm_drop: f64,
    /// Angle by which the forearms turn forwards.
    pub elbow_bend: f64,
    /// Fingers beside the thumb; 0 is a mitten.
    pub fingers: usize,
    /// How thick everything is.
    pub girth: Girth,
}

/// Radii of a person's flesh.
#[derive(Debug, Clone)]
pub struct Girth {
    /// Half widths of pelvis, waist and chest.
    pub torso: [f64; 3],
    /// Depth of the torso as a part of its width.
    pub torso_depth: f64,
    /// Radius of the neck.
    pub neck: f64,
    /// Radii at shoulder, elbow and wrist.
    pub arm: [f64; 3],
    /// Radii at hip, knee and ankle.
    pub leg: [f64; 3],
    /// Radius of the foot.
    pub foot: f64,
}

impl Default for Body {
    fn default() -> Self {
        Body {
            hip_height: 0.90,
            hip_width: 0.088,
            leg_spread: 0.03,
            knee_bend: 0.015,
            ankle_height: 0.085,
            foot_length: 0.25,
            foot_splay: 0.12,
            torso: 0.50,
            stoop: 0.0,
            neck: 0.09,
            head: Vec3::new(0.100, 0.132, 0.112),
            shoulder_width: 0.175,
            shoulder_drop: 0.045,
            upper_arm: 0.27,
            forearm: 0.245,
            hand: 0.17,
            arm_drop: 0.0,
            elbow_bend: 0.06,
            fingers: 3,
            girth: Girth {
                torso: [0.135, 0.108, 0.135],
                torso_depth: 0.66,
                neck: 0.046,
                arm: [0.052, 0.039, 0.029],
                leg: [0.078, 0.053, 0.036],
                foot: 0.042,
            },
        }
    }
}

/// The joints of the left half and of the middle.
#[derive(Debug, Clone)]
pub struct Joints {
    pub hips: Vec3,
    pub spine: Vec3,
    pub chest: Vec3,
    pub neck: Vec3,
    pub head: Vec3,
    pub shoulder: Vec3,
    pub elbow: Vec3,
    pub wrist: Vec3,
    pub hip: Vec3,
    pub knee: Vec3,
    pub ankle: Vec3,
    pub toe: Vec3,
}

impl Joints {
    /// Canonical names and positions.
    pub fn named(&self) -> Vec<(String, Vec3)> {
        let middle = [
            ("hips", self.hips),
            ("spine", self.spine),
            ("chest", self.chest),
            ("neck", self.neck),
            ("head", self.head),
        ];
        let sides = [
            ("shoulder", self.shoulder),
            ("elbow", self.elbow),
            ("wrist", self.wrist),
            ("hip", self.hip),
            ("knee", self.knee),
            ("ankle", self.ankle),
            ("toe", self.toe),
        ];
        let mut named: Vec<_> = middle.map(|(name, at)| (name.to_owned(), at)).into();
        for (name, at) in sides {
            named.push((format!("left_{name}"), at));
            named.push((format!("right_{name}"), mirrored(at)));
        }
        named
    }
}

impl Body {
    /// The joints that these proportions and this pose give.
    pub fn joints(&self) -> Joints {
        let hips = Vec3::new(0.0, self.hip_height + 0.1 * self.torso, 0.0);
        // The back is an arc: straight up at the pelvis, bent by `stoop` at the neck.
        let along_back = |share: f64| {
            let steps = 8;
            (0..steps).fold(hips, |at, step| {
                let lean = self.stoop * share * (step as f64 + 0.5) / steps as f64;
                at + Vec3::new(0.0, lean.cos(), lean.sin()) * (share * self.torso / steps as f64)
            })
        };
        let neck = along_back(1.0);
        let head = neck + Vec3::new(0.0, self.stoop.cos(), self.stoop.sin()) * self.neck;

        let shoulder = neck + Vec3::new(self.shoulder_width, -self.shoulder_drop, 0.0);
        let elbow = shoulder + self.upper_arm_direction() * self.upper_arm;
        let wrist = elbow + self.forearm_direction() * self.forearm;

        let hip = Vec3::new(self.hip_width, self.hip_height, 0.0);
        let leg = self.hip_height - self.ankle_height;
        let ankle = hip + Vec3::new(leg * self.leg_spread.tan(), -leg, 0.0);
        let knee = hip.lerp(&ankle, 0.5) + Vec3::new(0.0, 0.0, self.knee_bend);
        let ball = ankle + self.foot_direction() * (0.42 * self.foot_length);
        let toe = Vec3::new(ball.x, 0.5 * self.girth.foot, ball.z);
        let (spine, chest) = (along_back(0.3), along_back(0.62));
        Joints { hips, spine, chest, neck, head, shoulder, elbow, wrist, hip, knee, ankle, toe }
    }

    fn upper_arm_direction(&self) -> Vec3 {
        Vec3::new(self.arm_drop.cos(), -self.arm_drop.sin(), 0.0)
    }

    /// Along the forearm and the hand.
    pub fn forearm_direction(&self) -> Vec3 {
        let (sin, cos) = self.elbow_bend.sin_cos();
        self.upper_arm_direction() * cos + Vec3::z() * sin
    }

    /// Along the foot, level.
    pub fn foot_direction(&self) -> Vec3 {
        Vec3::new(self.foot_splay.sin(), 0.0, self.foot_splay.cos())
    }

    /// Pelvis, belly, chest, shoulders and neck.
    pub fn add_torso(&self, s: &mut Sculpture, ink: Ink) {
        let (j, girth) = (self.joints(), &self.girth);
        let [pelvis, waist, chest] = girth.torso;
        let depth = girth.torso_depth;
        let low = Vec3::new(0.0, self.hip_height, 0.0);
        let ribs = j.chest + (j.neck - j.chest) * 0.25;
        s.add(ink, 0.0, flat_limb(low, j.spine, [pelvis, waist], depth));
        s.add(ink, 0.3 * waist, flat_limb(j.spine, ribs, [waist, chest], depth));
        let collar = Vec3::new(0.3 * j.shoulder.x, j.shoulder.y, j.shoulder.z);
        s.add(ink, 0.4 * chest, limb(collar, j.shoulder, 0.9 * girth.arm[0], girth.arm[0]));
        s.add(
            ink,
            0.8 * girth.neck,
            limb(j.neck - (j.head - j.neck) * 0.5, j.head, girth.neck * 1.1, girth.neck),
        );
    }

    /// Upper arm and forearm.
    pub fn add_arms(&self, s: &mut Sculpture, ink: Ink) {
        let (j, [shoulder, elbow, wrist]) = (self.joints(), self.girth.arm);
        s.add(ink, 0.35 * shoulder, limb(j.shoulder, j.elbow, shoulder, elbow));
        s.add(ink, 0.5 * elbow, limb(j.elbow, j.wrist, elbow * 0.97, wrist));
    }

    /// Thigh and shin.
    pub fn add_legs(&self, s: &mut Sculpture, ink: Ink) {
        let (j, [hip, knee, ankle]) = (self.joints(), self.girth.leg);
        s.add(ink, 0.5 * hip, limb(j.hip, j.knee, hip, knee));
        s.add(ink, 0.5 * knee, limb(j.knee, j.ankle, knee * 0.97, ankle));
    }

    /// Palm, thumb and fingers; the palms look down when the arms are level.
    pub fn add_hands(&self, s: &mut Sculpture, ink: Ink) {
        let (wrist, along) = (self.joints().wrist, self.forearm_direction());
        let across = (Vec3::z() - along * along.z).normalize();
        let size = self.hand;
        let at = |length: f64, width: f64| wrist + (along * length + across * width) * size;
        let palm = 0.21 * size;
        let melt = 0.1 * size;
        s.add(ink, melt, limb(wrist, at(0.2, 0.0), self.girth.arm[2], palm * 0.8));
        if self.fingers == 0 {
            s.add(ink, melt, limb(at(0.3, 0.05), at(0.72, 0.0), palm * 1.2, palm * 1.05));
        } else {
            let root = |share: f64| at(0.40, 0.17 * share);
            s.add(ink, melt, limb(root(-1.0), root(1.0), palm * 0.66, palm * 0.66));
            s.add(ink, melt, limb(at(0.1, 0.0), at(0.4, 0.0), palm * 0.8, palm * 0.75));
            for finger in 0..self.fingers {
                let share = if self.fingers == 1 {
                    0.0
                } else {
                    2.0 * finger as f64 / (self.fingers - 1) as f64 - 1.0
                };
                let radius = 0.25 * size / (self.fingers as f64 + 0.3);
                let tip = at(0.92 - 0.07 * share * share, 0.34 * share);
                s.add(ink, 0.25 * radius, limb(root(share * 0.95), tip, radius * 1.05, radius * 0.85));
            }
        }
        s.add(ink, 0.06 * size, limb(at(0.16, 0.14), at(0.5, 0.42), palm * 0.5, palm * 0.42));
    }

    /// Foot or shoe with a flat sole.
    pub fn add_feet(&self, s: &mut Sculpture, ink: Ink) {
        let (j, radius, length) = (self.joints(), self.girth.foot, self.foot_length);
        let forward = self.foot_direction();
        let ground = Vec3::new(j.ankle.x, 0.0, j.ankle.z);
        let heel = ground - forward * (0.26 * length - radius) + Vec3::y() * (0.80 * radius);
        let tip = ground + forward * (0.74 * length - radius) + Vec3::y() * (0.62 * radius);
        s.add(ink, 0.3 * radius, limb(j.ankle, heel, self.girth.leg[2], 0.95 * radius));
        s.add(ink, 0.5 * radius, limb(heel, tip, 0.95 * radius, radius));
        s.add(ink, 0.8 * radius, limb(j.ankle, tip, 0.8 * self.girth.leg[2], 0.6 * radius));
        s.carve(0.25 * radius, below(0.0));
    }

    /// The skull.
    pub fn add_head(&self, s: &mut Sculpture, ink: Ink) -> Head {
        let head = Head { center: self.head_center(), radii: self.head };
        s.add(ink, 0.5 * self.girth.neck, egg(head.center, head.radii));
        head
    }

    fn head_center(&self) -> Vec3 {
        self.joints().head + Vec3::new(0.0, 0.72 * self.head.y, 0.14 * self.head.z)
    }
}

/// The white of the eye.
pub const EYE: Ink = 0xFFFFFD;
const PUPIL: Ink = 0x17110F;

/// The ellipsoid of a head, on which a face is laid out.
#[derive(Debug, Clone, Copy)]
pub struct Head {
    pub center: Vec3,
    pub radii: Vec3,
}

impl Head {
    /// A point of the face: degrees to the character's left of the nose, and above the middle.
    pub fn at(&self, left: f64, up: f64) -> Vec3 {
        self.above(left, up, 1.0)
    }

    /// The same, at a multiple of the radius.
    pub fn above(&self, left: f64, up: f64, radius: f64) -> Vec3 {
        let (left, up) = (left.to_radians(), up.to_radians());
        let direction = Vec3::new(left.sin() * up.cos(), up.sin(), left.cos() * up.cos());
        self.center + direction.component_mul(&self.radii) * radius
    }

    /// A bulging eye: white, iris, pupil and a glint.
    pub fn add_eyes(&self, s: &mut Sculpture, left: f64, up: f64, radius: f64, iris: Ink) {
        let out = self.at(left, up) - self.center;
        let facing = (out.normalize() + Vec3::z() * 1.5).normalize();
        let eye = self.above(left, up, 0.97);
        let front = eye + facing * radius * 0.62;
        s.add(EYE, 0.1 * radius, egg(eye, Vec3::new(radius, radius * 1.12, radius * 0.62)));
        s.stamp_over(EYE, iris, egg(front, Vec3::new(0.62, 0.68, 1.2) * radius));
        s.stamp_over(iris, PUPIL, egg(front, Vec3::new(0.38, 0.42, 1.2) * radius));
        let glint = front + Vec3::new(0.2, 0.26, 0.0) * radius;
        for ink in [iris, PUPIL] {
            s.stamp_over(ink, EYE, egg(glint, Vec3::new(0.21, 0.21, 0.9) * radius));
        }
    }

    /// A line drawn on the face through points given in degrees, as for [`Head::at`]. It goes deep, because
    /// chins and muzzles stand out from the ellipsoid.
    pub fn draw(&self, s: &mut Sculpture, ink: Ink, width: f64, points: &[[f64; 2]]) {
        for pair in points.windows(2) {
            let [from, to] = [pair[0], pair[1]].map(|[left, up]| self.at(left, up));
            s.stamp(ink, flat_limb(from, to, [width; 2], 4.0));
        }
    }

    /// A raised ridge along points given in degrees: brows, moustaches.
    pub fn ridge(&self, s: &mut Sculpture, ink: Ink, width: f64, points: &[[f64; 2]]) {
        for pair in points.windows(2) {
            let [from, to] = [pair[0], pair[1]].map(|[left, up]| self.at(left, up));
            s.add(ink, 0.2 * width, limb(from, to, width, width));
        }
    }
}

/// The other side's point.
pub fn mirrored(p: Vec3) -> Vec3 {
    Vec3::new(-p.x, p.y, p.z)
}

/// A turn about the x axis that lets the front go down.
pub fn nod(degrees: f64) -> Quat {
    Quat::from_axis_angle(&Vec3::x_axis(), degrees.to_radians())
}

#[cfg(test)]
mod tests {
    use super::super::implicit::Detail;
    use super::super::model::{Character, sculpted};
    use super::*;

    /// A population of 40 passes too; two keep the tests quick.
    const VARIATIONS: usize = 2;

    /// A bare person of these numbers.
    fn bare(body: &Body) -> (Character, Sculpture) {
        let mut s = Sculpture::default();
        body.add_torso(&mut s, 1);
        body.add_arms(&mut s, 1);
        body.add_legs(&mut s, 1);
        body.add_hands(&mut s, 1);
        body.add_feet(&mut s, 1);
        body.add_head(&mut s, 1);
        let mut character = Character::new("biped", "other", body.joints().named());
        let detail = Detail { cell: 0.008, finest: 0.012, ..Detail::default() };
        character.add("body", 0, sculpted(&s, &detail));
        (character, s)
    }

    #[test]
    fn other_proportions_poses_and_girths_are_bodies_too() {
        for step in 0..VARIATIONS {
            // Golden-ratio steps spread the numbers over their ranges without a random generator.
            let share = |salt: usize| ((step * 7 + salt) as f64 * 0.618_033_988_75).fract();
            let between = |salt: usize, low: f64, high: f64| low + (high - low) * share(salt);
            let mut body = Body {
                hip_height: between(1, 0.6, 1.0),
                torso: between(2, 0.4, 0.7),
                stoop: between(3, -0.1, 0.6),
                arm_drop: between(4, -0.3, 1.0),
                elbow_bend: between(5, 0.0, 0.8),
                leg_spread: between(6, 0.0, 0.3),
                fingers: step % 5,
                ..Body::default()
            };
            let thickness = between(7, 0.85, 1.5);
            body.girth.torso = body.girth.torso.map(|radius| radius * thickness);
            body.girth.arm = body.girth.arm.map(|radius| radius * thickness);
            let (character, s) = bare(&body);
            let truth = character.truth();
            assert_eq!((&truth["watertight"], &truth["components"]), (&true.into(), &1.into()), "{body:?}");
            for (name, at) in body.joints().named() {
                assert!(s.distance(at) < 0.0, "{name} is outside of {body:?}");
            }
        }
    }
}
