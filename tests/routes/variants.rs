//! Characters in other poses and proportions, with clothes and props: made from those whose joints are known.

use puppetry::stages::math::{Bounds, Quat, Vec3};
use puppetry::stages::mesh::Mesh;
use puppetry::stages::skeleton::Truth;

/// A character and its joints after a change.
pub type Variant = (&'static str, Mesh, Truth);

/// All variants of a biped.
pub fn of_biped(mesh: &Mesh, truth: &Truth) -> Vec<Variant> {
    let body = Body::of(mesh, truth);
    let arms = |left: f64, right: f64| body.with_arms(left, right);
    let mut variants = vec![
        ("unchanged", (mesh.clone(), truth.clone())),
        ("arms 30 down", arms(-30.0, -30.0)),
        ("arms 50 down", arms(-50.0, -50.0)),
        ("arms 65 down", arms(-65.0, -65.0)),
        ("arms 40 up", arms(40.0, 40.0)),
        ("one arm up, one down", arms(40.0, -50.0)),
        ("legs apart", body.with_legs_apart(15.0)),
        ("a seventh of the triangles missing", body.with_holes()),
        ("legs × 1.4", body.with_legs(1.4)),
        ("legs × 0.6", body.with_legs(0.6)),
        ("head × 1.7", body.with_head(1.7)),
        ("sword forward", body.with_boxes(&[(body.hand(), [0.015, 0.015, 0.5], [0.0, 0.0, 0.4])])),
        ("sword up", body.with_boxes(&[(body.hand(), [0.015, 0.4, 0.015], [0.0, 0.35, 0.0])])),
        ("shield", body.with_boxes(&[(body.joint("right_elbow"), [0.17, 0.2, 0.015], [0.0, 0.0, 0.06])])),
        ("hat with a brim", body.with_boxes(&[(body.top(), [0.16, 0.01, 0.16], [0.0, -0.03, 0.0])])),
        ("cape", body.with_boxes(&[(body.back(0.5), [0.13, 0.28, 0.006], [0.0, 0.0, -0.01])])),
        ("tail", body.with_boxes(&[(body.back(0.0), [0.02, 0.02, 0.2], [0.0, 0.0, -0.15])])),
    ];
    let wing = |side: f64| (body.back(0.9), [0.2, 0.12, 0.006], [0.22 * side, 0.1, -0.03]);
    variants.push(("wings", body.with_boxes(&[wing(1.0), wing(-1.0)])));
    variants.push(("skirt", body.with_skirt(0.5)));
    variants.push(("robe", body.with_skirt(0.03)));
    variants.into_iter().map(|(name, (mesh, truth))| (name, mesh, truth)).collect()
}

/// All variants of a quadruped.
pub fn of_quadruped(mesh: &Mesh, truth: &Truth) -> Vec<Variant> {
    let body = Body::of(mesh, truth);
    let legs = |factor: f64| {
        let belly =
            0.8 * body.joint("front_left_shoulder").y.min(body.joint("back_left_hip").y) + 0.2 * body.floor();
        body.stretched(belly, factor)
    };
    let saddle = (body.joint("hips") + body.joint("neck")) * 0.5 + Vec3::y() * 0.25 * truth.height;
    let variants = [
        ("unchanged", (mesh.clone(), truth.clone())),
        ("a seventh of the triangles missing", body.with_holes()),
        ("legs × 1.3", legs(1.3)),
        ("legs × 0.8", legs(0.8)),
        ("longer body", body.mapped(|p| Vec3::new(p.x, p.y, 1.2 * p.z))),
        ("wider", body.mapped(|p| Vec3::new(1.3 * p.x, p.y, p.z))),
        ("saddle", body.with_boxes(&[(saddle, [0.08, 0.06, 0.1], [0.0; 3])])),
        ("head raised", body.with_head_turned(20.0)),
        ("head lowered", body.with_head_turned(-30.0)),
        ("grazing", body.with_head_turned(-60.0)),
    ];
    variants.into_iter().map(|(name, (mesh, truth))| (name, mesh, truth)).collect()
}

struct Body<'a> {
    mesh: &'a Mesh,
    truth: &'a Truth,
    bounds: Bounds,
}

type Changed = (Mesh, Truth);

impl Body<'_> {
    fn of<'a>(mesh: &'a Mesh, truth: &'a Truth) -> Body<'a> {
        Body { mesh, truth, bounds: Bounds::of(&mesh.positions) }
    }

    fn floor(&self) -> f64 {
        self.bounds.min.y
    }

    /// A joint, or a sensible place where the rig has none.
    fn joint(&self, name: &str) -> Vec3 {
        let joints = &self.truth.joints;
        joints.get(name).or(joints.get("head")).copied().unwrap_or(self.bounds.center())
    }

    fn hand(&self) -> Vec3 {
        self.joint("right_wrist") + (self.joint("right_wrist") - self.joint("right_elbow")) * 0.3
    }

    fn top(&self) -> Vec3 {
        Vec3::new(self.joint("head").x, self.bounds.max.y, self.joint("head").z)
    }

    /// The hindmost of the trunk at a height between hips (0) and neck (1).
    fn back(&self, t: f64) -> Vec3 {
        let (hips, neck) = (self.joint("hips"), self.joint("neck"));
        let y = hips.y + t * (neck.y - hips.y);
        let near = |p: &&Vec3| {
            (p.x - hips.x).abs() < 0.06 * self.truth.height && (p.y - y).abs() < 0.1 * self.truth.height
        };
        let z = self.mesh.positions.iter().filter(near).map(|p| p.z).fold(hips.z, f64::min);
        Vec3::new(hips.x, y, z)
    }

    /// The same warp for vertices and joints.
    fn mapped(&self, warp: impl Fn(&Vec3) -> Vec3) -> Changed {
        let mut mesh = self.mesh.clone();
        mesh.positions.iter_mut().for_each(|p| *p = warp(p));
        let mut truth = self.truth.clone();
        truth.joints.values_mut().for_each(|p| *p = warp(p));
        let height = |mesh: &Mesh| Bounds::of(&mesh.positions).extent().y;
        truth.height *= height(&mesh) / height(self.mesh);
        (mesh, truth)
    }

    /// Everything below a height stretched.
    fn stretched(&self, below: f64, factor: f64) -> Changed {
        self.mapped(|p| {
            let low = (below - p.y).max(0.0);
            Vec3::new(p.x, p.y - (factor - 1.0) * low, p.z)
        })
    }

    fn with_legs(&self, factor: f64) -> Changed {
        self.stretched(self.joint("left_hip").y, factor)
    }

    /// Distance to a bone.
    fn to_bone(point: &Vec3, from: &Vec3, to: &Vec3) -> f64 {
        let bone = to - from;
        let t = ((point - from).dot(&bone) / bone.norm_squared().max(1e-12)).clamp(0.0, 1.0);
        (point - from - bone * t).norm()
    }

    /// The limb whose bones are nearest: 0 trunk, 1 and 2 left and right arm, 3 and 4 left and right leg.
    fn limb_of(&self, point: &Vec3) -> usize {
        let j = |name: &str| self.joint(name);
        let beyond = |a: Vec3, b: Vec3| b + (b - a) * 0.8;
        let mut bones = vec![(0, j("hips"), j("neck")), (0, j("neck"), self.top())];
        for (side, arm, leg) in [("left", 1, 3), ("right", 2, 4)] {
            let name = |joint: &str| j(&format!("{side}_{joint}"));
            let (shoulder, elbow, wrist) = (name("shoulder"), name("elbow"), name("wrist"));
            bones.extend([(arm, shoulder, elbow), (arm, elbow, wrist), (arm, wrist, beyond(elbow, wrist))]);
            bones.extend([(leg, name("hip"), name("knee")), (leg, name("knee"), name("ankle"))]);
        }
        let distance = |bone: &(usize, Vec3, Vec3)| Self::to_bone(point, &bone.1, &bone.2);
        bones.iter().min_by(|a, b| distance(a).total_cmp(&distance(b))).unwrap().0
    }

    /// Turns limbs about their first joint, blended over the first part of the limb.
    fn turned(&self, limbs: &[(usize, &str, [&str; 3], f64)]) -> Changed {
        let mut mesh = self.mesh.clone();
        let mut truth = self.truth.clone();
        for &(limb, side, [root, middle, end], degrees) in limbs {
            let pivot = self.joint(&format!("{side}_{root}"));
            let along = (self.joint(&format!("{side}_{middle}")) - pivot).normalize();
            let turn = |p: &Vec3| {
                let blend = ((p - pivot).dot(&along) / (0.06 * self.truth.height)).clamp(0.0, 1.0);
                pivot + Quat::from_axis_angle(&Vec3::z_axis(), blend * degrees.to_radians()) * (p - pivot)
            };
            for (moved, p) in mesh.positions.iter_mut().zip(&self.mesh.positions) {
                if self.limb_of(p) == limb {
                    *moved = turn(p);
                }
            }
            for name in [middle, end] {
                if let Some(p) = truth.joints.get_mut(&format!("{side}_{name}")) {
                    *p = turn(p);
                }
            }
        }
        (mesh, truth)
    }

    /// Arms at angles above the horizontal.
    fn with_arms(&self, left: f64, right: f64) -> Changed {
        const ARM: [&str; 3] = ["shoulder", "elbow", "wrist"];
        let now = |side: &str| {
            let arm = self.joint(&format!("{side}_wrist")) - self.joint(&format!("{side}_shoulder"));
            arm.y.atan2(arm.x.abs()).to_degrees()
        };
        self.turned(&[(1, "left", ARM, left - now("left")), (2, "right", ARM, now("right") - right)])
    }

    fn with_legs_apart(&self, degrees: f64) -> Changed {
        const LEG: [&str; 3] = ["hip", "knee", "ankle"];
        self.turned(&[(3, "left", LEG, degrees), (4, "right", LEG, -degrees)])
    }

    fn with_head(&self, factor: f64) -> Changed {
        let neck = self.joint("neck");
        let grown = |p: &Vec3| {
            let blend = ((p.y - neck.y) / (0.05 * self.truth.height)).clamp(0.0, 1.0);
            neck + (p - neck) * (1.0 + blend * (factor - 1.0))
        };
        let is_head = |p: &Vec3| p.y > neck.y && self.limb_of(p) == 0;
        self.mapped(|p| if is_head(p) { grown(p) } else { *p })
    }

    /// Neck and head of an animal turned up about the neck's joint, blended over the first part of the neck.
    fn with_head_turned(&self, degrees: f64) -> Changed {
        let (neck, head) = (self.joint("neck"), self.joint("head"));
        let along = (head - neck).normalize();
        let turn = |p: &Vec3| {
            let blend = ((p - neck).dot(&along) / (0.1 * self.truth.height)).clamp(0.0, 1.0);
            neck + Quat::from_axis_angle(&Vec3::x_axis(), -blend * degrees.to_radians()) * (p - neck)
        };
        let shoulder = self.joint("front_left_shoulder");
        // What lies ahead of the fore legs and above their top.
        let is_ahead = |p: &Vec3| p.z > shoulder.z && p.y > 0.8 * shoulder.y + 0.2 * self.floor();
        self.mapped(|p| if is_ahead(p) { turn(p) } else { *p })
    }

    fn with_holes(&self) -> Changed {
        let mut mesh = self.mesh.clone();
        // Knuth's multiplicative hash of the triangle's number.
        let mut number = 0u32;
        let mut keep = || {
            number += 1;
            !(number.wrapping_mul(2_654_435_761) >> 16).is_multiple_of(7)
        };
        for part in &mut mesh.parts {
            part.triangles = 0..0;
        }
        mesh.triangles.retain(|_| keep());
        let (triangles, vertices) = (mesh.triangles.len(), mesh.positions.len());
        mesh.parts.truncate(1);
        mesh.parts[0].triangles = 0..triangles;
        mesh.parts[0].vertices = 0..vertices;
        (mesh, self.truth.clone())
    }

    /// Boxes at places, with half sizes and offsets in heights.
    fn with_boxes(&self, boxes: &[(Vec3, [f64; 3], [f64; 3])]) -> Changed {
        let mut mesh = self.mesh.clone();
        let cube = puppetry::stages::mesh::shapes::cube();
        for (place, half, offset) in boxes {
            let center = place + Vec3::from(*offset) * self.truth.height;
            let half = Vec3::from(*half) * self.truth.height;
            let corners: Vec<Vec3> = cube.positions.iter().map(|p| center + p.component_mul(&half)).collect();
            add(&mut mesh, &corners, &cube.triangles);
        }
        (mesh, self.truth.clone())
    }

    /// An open cone from the waist down to a height in parts of the hips'.
    fn with_skirt(&self, down_to: f64) -> Changed {
        let mut mesh = self.mesh.clone();
        let hips = self.joint("hips");
        let (top, low) =
            (hips.y + 0.06 * self.truth.height, self.floor() + down_to * (hips.y - self.floor()));
        let count = 24;
        let mut ring = Vec::new();
        for (y, radius) in [(top, 0.1), (low, 0.1 + 0.25 * (top - low) / self.truth.height)] {
            for k in 0..count {
                let turn = std::f64::consts::TAU * f64::from(k) / f64::from(count);
                let radius = radius * self.truth.height;
                ring.push(Vec3::new(hips.x + radius * turn.cos(), y, hips.z + radius * turn.sin()));
            }
        }
        let triangles: Vec<[u32; 3]> = (0..count)
            .flat_map(|k| {
                let next = (k + 1) % count;
                let [a, b, c, d] = [k, next, k + count, next + count].map(|v| v as u32);
                [[a, b, d], [a, d, c]]
            })
            .collect();
        add(&mut mesh, &ring, &triangles);
        (mesh, self.truth.clone())
    }
}

fn add(mesh: &mut Mesh, corners: &[Vec3], triangles: &[[u32; 3]]) {
    let first = mesh.positions.len() as u32;
    mesh.positions.extend(corners);
    mesh.triangles.extend(triangles.iter().map(|triangle| triangle.map(|v| v + first)));
    mesh.parts.truncate(1);
    mesh.parts[0].vertices = 0..mesh.positions.len();
    mesh.parts[0].triangles = 0..mesh.triangles.len();
}
