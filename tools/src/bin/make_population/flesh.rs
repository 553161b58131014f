//! A surface and the joints in it, changed together.

use puppetry::stages::math::{Bounds, Quat, Vec3};
use puppetry::stages::mesh::{Mesh, shapes};
use puppetry::stages::skeleton::Truth;

/// A character without colours.
pub struct Flesh {
    pub positions: Vec<Vec3>,
    pub triangles: Vec<[u32; 3]>,
    pub truth: Truth,
}

/// What a point of the surface belongs to.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Limb {
    Trunk,
    Arm(Side),
    Leg(Side),
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Side {
    Left,
    Right,
}

impl Side {
    fn name(self) -> &'static str {
        match self {
            Side::Left => "left",
            Side::Right => "right",
        }
    }

    fn sign(self) -> f64 {
        match self {
            Side::Left => 1.0,
            Side::Right => -1.0,
        }
    }
}

/// A limb of the right length turns over this part of the height, like a joint with flesh around it.
const SOFT: f64 = 0.06;

impl Flesh {
    pub fn mesh(&self) -> Mesh {
        let mut mesh = shapes::cube();
        mesh.parts.truncate(1);
        mesh.parts[0].vertices = 0..self.positions.len();
        mesh.parts[0].triangles = 0..self.triangles.len();
        mesh.positions = self.positions.clone();
        mesh.triangles = self.triangles.clone();
        mesh
    }

    pub fn bounds(&self) -> Bounds {
        Bounds::of(&self.positions)
    }

    pub fn height(&self) -> f64 {
        self.truth.height
    }

    /// A joint; every example character has all of them.
    pub fn joint(&self, name: &str) -> Vec3 {
        self.truth.joints.get(name).copied().unwrap_or_else(|| self.bounds().center())
    }

    /// Adds closed or open pieces of clothing.
    pub fn add(&mut self, corners: &[Vec3], triangles: &[[u32; 3]]) {
        let first = self.positions.len() as u32;
        self.positions.extend(corners);
        self.triangles.extend(triangles.iter().map(|triangle| triangle.map(|v| v + first)));
    }

    /// The same warp for surface and joints.
    fn warp(&mut self, warp: impl Fn(&Vec3) -> Vec3) {
        let before = self.bounds().extent().y;
        self.positions.iter_mut().for_each(|p| *p = warp(p));
        self.truth.joints.values_mut().for_each(|p| *p = warp(p));
        self.truth.height *= self.bounds().extent().y / before;
    }

    pub fn scale(&mut self, factors: [f64; 3]) {
        self.warp(|p| p.component_mul(&Vec3::from(factors)));
    }

    /// Moves the surface away from the bones or towards them; feet stay on the ground.
    pub fn thicken(&mut self, factor: f64) {
        let bones = self.bones();
        let floor = self.bounds().min.y;
        let moved = |p: &Vec3| {
            let (axis, _) = nearest(&bones, p);
            let out = p - axis;
            let grown = axis + out * factor;
            // Soles would sink into the ground.
            Vec3::new(
                grown.x,
                if out.y < 0.0 && axis.y < floor + 0.1 * self.height() { p.y } else { grown.y },
                grown.z,
            )
        };
        self.positions = self.positions.iter().map(moved).collect();
        self.truth.height = self.bounds().extent().y;
    }

    /// Stretches everything below the hips, or below the belly of an animal.
    pub fn stretch_legs(&mut self, factor: f64) {
        let floor = self.bounds().min.y;
        let below = match self.truth.morphology.as_str() {
            "quadruped" => {
                let top = self.joint("front_left_shoulder").y.min(self.joint("back_left_hip").y);
                0.8 * top + 0.2 * floor
            }
            _ => self.joint("left_hip").y,
        };
        self.warp(|p| Vec3::new(p.x, p.y - (factor - 1.0) * (below - p.y).max(0.0), p.z));
    }

    pub fn grow_head(&mut self, factor: f64) {
        let (neck, soft) = (self.joint("neck"), 0.05 * self.height());
        let bones = self.bones();
        self.warp(|p| {
            if p.y <= neck.y || nearest(&bones, p).1 != Limb::Trunk {
                return *p;
            }
            neck + (p - neck) * (1.0 + ((p.y - neck.y) / soft).clamp(0.0, 1.0) * (factor - 1.0))
        });
    }

    /// Turns both arms up, in degrees; at the most 75 degrees below and 45 above the horizontal.
    pub fn lift_arms(&mut self, left: f64, right: f64) {
        for (side, degrees) in [(Side::Left, left), (Side::Right, right)] {
            let now = self.elevation(side);
            self.turn_arm(side, (now + degrees).clamp(-75.0, 45.0) - now);
        }
    }

    /// Holds both arms at an angle above the horizontal, in degrees.
    pub fn set_arms(&mut self, degrees: f64) {
        for side in [Side::Left, Side::Right] {
            self.turn_arm(side, degrees - self.elevation(side));
        }
    }

    /// How far an arm is above the horizontal, in degrees.
    fn elevation(&self, side: Side) -> f64 {
        let [shoulder, wrist] = ["shoulder", "wrist"].map(|name| format!("{}_{name}", side.name()));
        let arm = self.joint(&wrist) - self.joint(&shoulder);
        arm.y.atan2(arm.x.abs()).to_degrees()
    }

    fn turn_arm(&mut self, side: Side, degrees: f64) {
        let [shoulder, elbow, wrist] =
            ["shoulder", "elbow", "wrist"].map(|name| format!("{}_{name}", side.name()));
        self.turn(Limb::Arm(side), [&shoulder, &elbow, &wrist], Vec3::z() * side.sign(), degrees);
    }

    pub fn spread_legs(&mut self, degrees: f64) {
        for side in [Side::Left, Side::Right] {
            let [hip, knee, ankle] = ["hip", "knee", "ankle"].map(|name| format!("{}_{name}", side.name()));
            self.turn(Limb::Leg(side), [&hip, &knee, &ankle], Vec3::z() * side.sign(), degrees);
        }
    }

    /// Turns a limb about its first joint, blended over the first part of it.
    fn turn(&mut self, limb: Limb, [first, second, third]: [&str; 3], axis: Vec3, degrees: f64) {
        let pivot = self.joint(first);
        let along = (self.joint(second) - pivot).normalize();
        let soft = SOFT * self.height();
        let turned = |p: &Vec3| {
            let blend = ((p - pivot).dot(&along) / soft).clamp(0.0, 1.0);
            pivot + Quat::from_scaled_axis(axis * blend * degrees.to_radians()) * (p - pivot)
        };
        let bones = self.bones();
        for p in &mut self.positions {
            if nearest(&bones, p).1 == limb {
                *p = turned(p);
            }
        }
        // Of a leg, the toes go along.
        let toe = second.replace("knee", "toe");
        for (name, p) in &mut self.truth.joints {
            if name == second || name == third || *name == toe {
                *p = turned(p);
            }
        }
        self.truth.height = self.bounds().extent().y;
    }

    /// Neck and head of an animal, up about the neck's joint.
    pub fn turn_head(&mut self, degrees: f64) {
        let (neck, head, shoulder) =
            (self.joint("neck"), self.joint("head"), self.joint("front_left_shoulder"));
        let (along, floor) = ((head - neck).normalize(), self.bounds().min.y);
        let soft = 0.1 * self.height();
        self.warp(|p| {
            // What lies ahead of the fore legs and above their top.
            if p.z <= shoulder.z || p.y <= 0.8 * shoulder.y + 0.2 * floor {
                return *p;
            }
            let blend = ((p - neck).dot(&along) / soft).clamp(0.0, 1.0);
            neck + Quat::from_axis_angle(&Vec3::x_axis(), -blend * degrees.to_radians()) * (p - neck)
        });
    }

    /// The legs of an animal as in a stride: fore legs by an angle forwards, hind legs backwards; the lower the more, so that
    /// the trunk stays.
    pub fn swing_legs(&mut self, degrees: f64) {
        let floor = self.bounds().min.y;
        let (front, back) = (self.joint("front_left_shoulder"), self.joint("back_left_hip"));
        let middle = 0.5 * (front.z + back.z);
        let slope = degrees.to_radians().tan();
        self.warp(|p| {
            let top = if p.z > middle { front.y } else { back.y };
            let low = (0.75 * top + 0.25 * floor - p.y).max(0.0);
            Vec3::new(p.x, p.y, p.z + low * if p.z > middle { slope } else { -slope })
        });
    }

    /// Bones with the limb that they are in, beyond the ends of limbs too.
    fn bones(&self) -> Vec<(Limb, Vec3, Vec3)> {
        let j = |name: &str| self.joint(name);
        let beyond = |a: Vec3, b: Vec3| b + (b - a) * 0.8;
        let mut bones = vec![(Limb::Trunk, j("hips"), j("neck"))];
        if self.truth.morphology == "quadruped" {
            bones.push((Limb::Trunk, j("neck"), beyond(j("neck"), j("head"))));
            for side in ["left", "right"] {
                for (end, joints) in
                    [("front", ["shoulder", "elbow", "wrist"]), ("back", ["hip", "knee", "ankle"])]
                {
                    let [a, b, c] = joints.map(|joint| j(&format!("{end}_{side}_{joint}")));
                    bones.extend([(Limb::Trunk, a, b), (Limb::Trunk, b, c)]);
                }
            }
            return bones;
        }
        let top = Vec3::new(j("head").x, self.bounds().max.y, j("head").z);
        bones.push((Limb::Trunk, j("neck"), top));
        for side in [Side::Left, Side::Right] {
            let name = |joint: &str| j(&format!("{}_{joint}", side.name()));
            let (shoulder, elbow, wrist) = (name("shoulder"), name("elbow"), name("wrist"));
            let arm = Limb::Arm(side);
            bones.extend([(arm, shoulder, elbow), (arm, elbow, wrist), (arm, wrist, beyond(elbow, wrist))]);
            let leg = Limb::Leg(side);
            bones.extend([(leg, name("hip"), name("knee")), (leg, name("knee"), name("ankle"))]);
        }
        bones
    }
}

/// The nearest point on bones, and the limb of that bone.
fn nearest(bones: &[(Limb, Vec3, Vec3)], point: &Vec3) -> (Vec3, Limb) {
    let on = |&(limb, from, to): &(Limb, Vec3, Vec3)| {
        let bone = to - from;
        let t = ((point - from).dot(&bone) / bone.norm_squared().max(1e-12)).clamp(0.0, 1.0);
        (from + bone * t, limb)
    };
    let all = bones.iter().map(on);
    let distance = |place: &(Vec3, Limb)| (place.0 - point).norm_squared();
    all.min_by(|a, b| distance(a).total_cmp(&distance(b))).unwrap_or((*point, Limb::Trunk))
}
