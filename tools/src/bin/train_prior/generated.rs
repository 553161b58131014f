//! Bodies made from scratch: unions of round cones, eggs and boxes, with joints by construction. People from toddlers to
//! giants, and animals by tables of their proportions.

use super::variant::{Body, Draw};
use puppetry::Vec3;
use puppetry::stages::embed::prior::channel;
use puppetry::stages::embed::prior::network::CHANNELS;
use puppetry::stages::embed::prior::points::SurfacePoint;
use puppetry::stages::math::Random;
use std::f64::consts::TAU;

/// A solid.
enum Form {
    /// Two balls and the cone around them.
    Cone { from: Vec3, to: Vec3, radii: [f64; 2] },
    /// A ball scaled along the axes.
    Egg { center: Vec3, radii: Vec3 },
    /// A box along the axes.
    Block { center: Vec3, half: Vec3 },
    /// A box from one point to another, so thick.
    Beam { from: Vec3, to: Vec3, half: f64 },
}

impl Form {
    /// Signed distance, a fair estimate.
    fn distance(&self, p: &Vec3) -> f64 {
        match self {
            Form::Cone { from, to, radii } => {
                let axis = to - from;
                let t = ((p - from).dot(&axis) / axis.norm_squared().max(1e-12)).clamp(0.0, 1.0);
                (p - from - axis * t).norm() - (radii[0] + (radii[1] - radii[0]) * t)
            }
            Form::Egg { center, radii } => {
                let local = (p - center).component_div(radii);
                let (reach, slope) = (local.norm(), local.component_div(radii).norm());
                if slope < 1e-9 { -radii.min() } else { reach * (reach - 1.0) / slope }
            }
            Form::Block { center, half } => {
                let out = (p - center).abs() - half;
                out.sup(&Vec3::zeros()).norm() + out.max().min(0.0)
            }
            Form::Beam { from, to, half } => {
                let axis = (to - from).try_normalize(1e-9).unwrap_or(Vec3::y());
                let along = (p - (from + to) * 0.5).dot(&axis);
                let side = axis.cross(&Vec3::z()).try_normalize(1e-3).unwrap_or(Vec3::x());
                let other = axis.cross(&side);
                let local = Vec3::new(along, (p - from).dot(&side), (p - from).dot(&other));
                let out = local.abs() - Vec3::new((to - from).norm() * 0.5 + 0.3 * half, *half, *half);
                out.sup(&Vec3::zeros()).norm() + out.max().min(0.0)
            }
        }
    }

    /// A point near its surface, and about how large that is.
    fn seed(&self, random: &mut Random) -> Vec3 {
        let direction = direction(random);
        match self {
            Form::Cone { from, to, radii } => {
                let t = random.between(-0.1, 1.1).clamp(0.0, 1.0);
                from + (to - from) * t + direction * (radii[0] + (radii[1] - radii[0]) * t)
            }
            Form::Egg { center, radii } => center + direction.component_mul(radii),
            Form::Block { center, half } => {
                center + (direction * 2.0).map(|x| x.clamp(-1.0, 1.0)).component_mul(half)
            }
            Form::Beam { from, to, half } => from + (to - from) * random.unit() + direction * *half,
        }
    }

    fn area(&self) -> f64 {
        match self {
            Form::Cone { from, to, radii } => {
                (radii[0] + radii[1]) * ((to - from).norm() + radii[0] + radii[1]) * 3.0
            }
            Form::Egg { radii, .. } => 4.2 * (radii.x * radii.y + radii.y * radii.z + radii.z * radii.x),
            Form::Block { half, .. } => 8.0 * (half.x * half.y + half.y * half.z + half.z * half.x),
            Form::Beam { from, to, half } => 8.0 * half * (to - from).norm(),
        }
    }
}

fn direction(random: &mut Random) -> Vec3 {
    let z = random.between(-1.0, 1.0);
    let (sin, cos) = (TAU * random.unit()).sin_cos();
    let r = (1.0 - z * z).sqrt();
    Vec3::new(r * cos, z, r * sin)
}

/// Forms with the segment that each belongs to, melted together over a width.
struct Sculpture {
    forms: Vec<(Form, usize)>,
    melt: f64,
}

impl Sculpture {
    /// Distance, and the form nearest to a point.
    fn distance(&self, p: &Vec3) -> (f64, usize) {
        let mut best = (f64::INFINITY, 0);
        let mut sum = f64::INFINITY;
        for (index, (form, _)) in self.forms.iter().enumerate() {
            let d = form.distance(p);
            if d < best.0 {
                best = (d, index);
            }
            // The polynomial smooth minimum of Inigo Quilez.
            let h = (self.melt - (sum - d).abs()).max(0.0) / self.melt.max(1e-9);
            sum = sum.min(d) - if h.is_finite() { h * h * self.melt * 0.25 } else { 0.0 };
        }
        (sum, best.1)
    }

    fn gradient(&self, p: &Vec3) -> Vec3 {
        let step = 1e-4;
        Vec3::from_fn(|axis, _| {
            let mut e = Vec3::zeros();
            e[axis] = step;
            self.distance(&(p + e)).0 - self.distance(&(p - e)).0
        }) / (2.0 * step)
    }

    fn points(&self, count: usize, random: &mut Random) -> Vec<(SurfacePoint, Option<usize>)> {
        let areas: Vec<f64> = self.forms.iter().map(|(form, _)| form.area()).collect();
        let total: f64 = areas.iter().sum();
        let mut points = Vec::with_capacity(count);
        let mut tries = 0;
        while points.len() < count && tries < 6 * count {
            tries += 1;
            let mut share = random.unit() * total;
            let form = areas.iter().position(|area| {
                share -= area;
                share < 0.0
            });
            let mut p = self.forms[form.unwrap_or(0)].0.seed(random);
            for _ in 0..3 {
                let (d, _) = self.distance(&p);
                let g = self.gradient(&p);
                p -= g * (d / g.norm_squared().max(0.2));
            }
            let (d, nearest) = self.distance(&p);
            // What lies deep inside of others does not come back to the surface.
            let Some(normal) = self.gradient(&p).try_normalize(1e-6) else { continue };
            if d.abs() > 0.004 {
                continue;
            }
            let thickness = self.thickness(&p, &normal);
            let point = SurfacePoint { position: p, normal, thickness };
            points.push((point, Some(self.forms[nearest].1).filter(|&segment| segment != NONE)));
        }
        points
    }

    fn thickness(&self, p: &Vec3, normal: &Vec3) -> f64 {
        let mut way = 0.01;
        for _ in 0..40 {
            let (d, _) = self.distance(&(p - normal * way));
            if d > 0.0 {
                break;
            }
            way += (-d).max(0.01);
        }
        way
    }
}

/// The segment of what belongs to none.
const NONE: usize = usize::MAX;
/// Points of a body.
const POINTS: usize = 640;

fn sided(place: usize, is_left: bool) -> usize {
    5 + if is_left { place } else { 6 + place }
}

fn put(joints: &mut [Option<Vec3>], name: &str, is_left: Option<bool>, position: Vec3) {
    let channel = match is_left {
        None => channel::middle(name),
        Some(is_left) => channel::sided(name, is_left),
    };
    if let Some(channel) = channel {
        joints[channel] = Some(position);
    }
}

/// Scales to a height of one, soles on the ground.
fn settle(mut points: Vec<(SurfacePoint, Option<usize>)>, mut joints: Vec<Option<Vec3>>) -> Body {
    let ys = points.iter().map(|(point, _)| point.position.y);
    let (low, high) = ys.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), y| (low.min(y), high.max(y)));
    let scale = 1.0 / (high - low).max(1e-6);
    let settled = |p: &Vec3| (p - Vec3::y() * low) * scale;
    for (point, _) in &mut points {
        point.position = settled(&point.position);
        point.thickness *= scale;
    }
    joints.iter_mut().flatten().for_each(|joint| *joint = settled(joint));
    Body { points, joints }
}

/// A limb of cones, or of beams for machines.
fn limb(forms: &mut Vec<(Form, usize)>, joints: &[Vec3], radii: &[f64], segments: &[usize], is_boxy: bool) {
    for (index, pair) in joints.windows(2).enumerate() {
        let (from, to) = (pair[0], pair[1]);
        let form = if is_boxy {
            Form::Beam { from, to, half: 0.5 * (radii[index] + radii[index + 1]) * 0.9 }
        } else {
            Form::Cone { from, to, radii: [radii[index], radii[index + 1]] }
        };
        forms.push((form, segments[index]));
    }
}

/// A person.
pub fn person(random: &mut Random) -> Body {
    let mut draw = Draw { random, strength: 1.0 };
    let is_robot = draw.chance(0.2);
    let (leg, trunk, head) = (draw.factor(0.18, 0.58), draw.factor(0.22, 0.5), draw.factor(0.07, 0.32));
    // One in six is a chibi.
    let head = if draw.chance(0.16) { head * draw.factor(1.4, 2.6) } else { head };
    let neck = draw.factor(0.02, 0.09) * if draw.chance(0.25) { 0.2 } else { 1.0 };
    let width = draw.factor(0.06, 0.2);
    let depth = width * draw.factor(0.5, 1.1);
    let shoulders = width * draw.factor(0.8, 1.7);
    let (hip_x, belly) = (width * draw.factor(0.4, 0.75), draw.factor(0.8, 1.5));
    let lean = draw.degrees(5.0) + if draw.chance(0.12) { draw.random.between(0.2, 0.6) } else { 0.0 };
    let leg_radius = (width * draw.factor(0.3, 0.65)).min(hip_x * 1.1);
    let arm_radius = width * draw.factor(0.18, 0.45);
    let up = |y: f64| Vec3::new(0.0, leg + y * lean.cos(), y * lean.sin());
    let (hips, chest, neck_base) = (up(0.04 * trunk), up(0.62 * trunk), up(trunk));
    let head_base = neck_base + Vec3::new(0.0, neck, 0.3 * neck * lean.sin());
    let mut joints = vec![None; CHANNELS];
    put(&mut joints, "hips", None, hips + Vec3::y() * 0.06 * trunk);
    put(&mut joints, "spine", None, up(0.25 * trunk));
    put(&mut joints, "chest", None, chest);
    put(&mut joints, "neck", None, neck_base);
    put(&mut joints, "head", None, head_base);
    let mut forms: Vec<(Form, usize)> = Vec::new();
    let is_box_trunk = is_robot && draw.chance(0.6);
    if is_box_trunk {
        forms.push((
            Form::Block { center: up(0.55 * trunk), half: Vec3::new(shoulders * 0.85, 0.45 * trunk, depth) },
            1,
        ));
        forms.push((
            Form::Block {
                center: up(0.05 * trunk),
                half: Vec3::new(hip_x + leg_radius, 0.1 * trunk, depth * 0.9),
            },
            0,
        ));
    } else {
        let chest_radii = Vec3::new(shoulders * 0.85, 0.36 * trunk, depth);
        forms.push((Form::Egg { center: up(0.7 * trunk), radii: chest_radii }, 1));
        forms.push((
            Form::Egg {
                center: up(0.4 * trunk),
                radii: Vec3::new(width * 0.9 * belly, 0.36 * trunk, depth * belly),
            },
            1,
        ));
        forms.push((
            Form::Egg { center: up(0.1 * trunk), radii: Vec3::new(hip_x + leg_radius, 0.22 * trunk, depth) },
            0,
        ));
    }
    let neck_radius = (0.45 * width).min(0.35 * head + 0.02);
    forms.push((Form::Cone { from: neck_base, to: head_base, radii: [neck_radius * 1.2, neck_radius] }, 2));
    let wide = head * draw.factor(0.35, 0.6);
    let head_center = head_base + Vec3::new(0.0, head * 0.5, 0.1 * head);
    let head_radii = Vec3::new(wide, head * 0.52, wide * draw.factor(0.85, 1.2));
    forms.push((
        if is_robot && draw.chance(0.5) {
            Form::Block { center: head_center, half: head_radii * 0.9 }
        } else {
            Form::Egg { center: head_center, radii: head_radii }
        },
        3,
    ));
    if draw.chance(0.3) {
        // Ears, horns, antennae.
        let (long, apart) = (head * draw.factor(0.3, 1.6), draw.random.between(0.1, 1.3));
        for sign in [1.0, -1.0] {
            let from = head_center + Vec3::new(sign * wide * 0.7, head * 0.35, 0.0);
            let to = from + Vec3::new(sign * apart.sin(), apart.cos(), draw.random.between(-0.2, 0.1)) * long;
            let radius = head * draw.random.between(0.04, 0.16);
            forms.push((Form::Cone { from, to, radii: [radius, radius * 0.6] }, 3));
        }
    }
    let (arm, foot_long) = ((trunk + leg) * draw.factor(0.42, 0.85), draw.factor(0.07, 0.2));
    let upper = draw.random.between(0.44, 0.54);
    let elevation = match draw.random.unit() {
        x if x < 0.4 => draw.random.between(-85.0, 20.0),
        x if x < 0.65 => draw.random.between(-60.0, -20.0),
        _ => draw.random.between(-8.0, 8.0),
    };
    let elevation = elevation.to_radians();
    let (forward, bend, apart) =
        (draw.degrees(10.0), draw.degrees(14.0).abs(), draw.random.between(-2.0, 16.0).to_radians());
    let (hand, knee_bend) = (arm * draw.factor(0.14, 0.3), draw.degrees(5.0).abs());
    let taper = draw.factor(0.6, 1.25);
    let (sleeve, trouser) = (draw.factor(0.8, 2.0), draw.factor(0.7, 1.9));
    for is_left in [true, false] {
        let sign = if is_left { 1.0 } else { -1.0 };
        let uneven = if draw.chance(0.25) { draw.degrees(12.0) } else { 0.0 };
        let shoulder = up(trunk * 0.86) + Vec3::x() * sign * shoulders;
        let aim = |down: f64, ahead: f64| {
            Vec3::new(
                sign * down.cos() * ahead.cos(),
                down.sin(),
                down.cos() * ahead.sin() + if down < -1.0 { ahead.sin() * 0.3 } else { 0.0 },
            )
        };
        let first = aim(elevation + uneven, forward);
        let second = aim(elevation + uneven, forward + bend);
        let elbow = shoulder + first * (arm * upper);
        let wrist = elbow + second * (arm * (1.0 - upper));
        let tip = wrist + second * hand;
        let radii =
            [arm_radius, arm_radius * taper.sqrt(), arm_radius * taper * sleeve.sqrt(), arm_radius * taper];
        limb(
            &mut forms,
            &[shoulder, elbow, wrist, tip],
            &radii,
            &[0, 1, 2].map(|place| sided(place, is_left)),
            is_robot,
        );
        // Deltoid or pauldron.
        if draw.random.unit() < 0.3 && is_left {
            let radius = arm_radius * draw.factor(1.1, 2.0);
            for s in [1.0, -1.0] {
                let at = up(trunk * 0.88) + Vec3::x() * s * shoulders;
                forms.push((Form::Egg { center: at, radii: Vec3::repeat(radius) }, NONE));
            }
        }
        let hip = Vec3::new(sign * hip_x, leg, 0.0);
        let thigh = Vec3::new(sign * apart.sin(), -apart.cos(), 0.5 * knee_bend);
        let knee = hip + thigh * (leg * 0.48);
        let ankle_height = 0.04 * (leg + 0.3);
        let below = Vec3::new(sign * apart.sin(), -apart.cos(), -0.5 * knee_bend);
        let ankle = knee + below * (leg * 0.52 - ankle_height);
        let radii = [leg_radius, leg_radius * taper.sqrt(), leg_radius * taper * trouser.sqrt() * 0.7];
        limb(&mut forms, &[hip, knee, ankle], &radii, &[3, 4].map(|place| sided(place, is_left)), is_robot);
        let toe = ankle + Vec3::new(sign * 0.15 * foot_long, -ankle_height * 0.7, foot_long * 0.7);
        let heel = ankle + Vec3::new(0.0, -ankle_height * 0.6, -foot_long * 0.2);
        let flat = (ankle_height * 0.55).max(leg_radius * 0.35);
        let foot = sided(5, is_left);
        forms.push(if is_robot {
            (
                Form::Block {
                    center: (toe + heel) * 0.5,
                    half: Vec3::new(flat * 1.3, flat, foot_long * 0.6),
                },
                foot,
            )
        } else {
            (Form::Cone { from: heel, to: toe, radii: [flat, flat] }, foot)
        });
        for (name, at) in [
            ("shoulder", shoulder),
            ("elbow", elbow),
            ("wrist", wrist),
            ("hip", hip),
            ("knee", knee),
            ("ankle", ankle),
            ("toe", toe),
        ] {
            put(&mut joints, name, Some(is_left), at);
        }
    }
    let melt = if is_robot { 1e-3 } else { draw.factor(0.004, 0.035) };
    let sculpture = Sculpture { forms, melt };
    settle(sculpture.points(POINTS, draw.random), joints)
}

/// Proportions of a kind of animal, in heights at the withers: length of the trunk, its radius, length of the neck and how
/// steep it is in degrees, head, legs' share below the belly, thickness of legs, tail, how far the legs sprawl in degrees.
struct Species {
    trunk: [f64; 2],
    girth: [f64; 2],
    neck: [f64; 2],
    pitch: [f64; 2],
    head: [f64; 2],
    legs: [f64; 2],
    bone: [f64; 2],
    tail: [f64; 2],
    sprawl: [f64; 2],
    /// How far elbow, carpus, stifle and hock are bent: from columns to springs.
    spring: [f64; 2],
}

/// Ranges after photographs and tables of livestock and zoo animals; drawn wider than life, because artists exaggerate.
const SPECIES: [Species; 12] = [
    // dog, wolf, fox
    Species {
        trunk: [0.8, 1.2],
        girth: [0.16, 0.26],
        neck: [0.15, 0.4],
        pitch: [20.0, 70.0],
        head: [0.25, 0.45],
        legs: [0.45, 0.62],
        bone: [0.03, 0.06],
        tail: [0.3, 0.9],
        sprawl: [0.0, 4.0],
        spring: [0.5, 1.2],
    },
    // cat, lion
    Species {
        trunk: [0.9, 1.4],
        girth: [0.15, 0.25],
        neck: [0.1, 0.25],
        pitch: [10.0, 60.0],
        head: [0.2, 0.4],
        legs: [0.4, 0.58],
        bone: [0.035, 0.065],
        tail: [0.6, 1.2],
        sprawl: [0.0, 4.0],
        spring: [0.6, 1.3],
    },
    // bear, panda, badger
    Species {
        trunk: [0.9, 1.4],
        girth: [0.25, 0.4],
        neck: [0.08, 0.25],
        pitch: [-10.0, 40.0],
        head: [0.3, 0.5],
        legs: [0.3, 0.5],
        bone: [0.06, 0.12],
        tail: [0.03, 0.15],
        sprawl: [0.0, 8.0],
        spring: [0.2, 0.7],
    },
    // horse, deer, antelope
    Species {
        trunk: [0.75, 1.1],
        girth: [0.16, 0.25],
        neck: [0.35, 0.7],
        pitch: [25.0, 75.0],
        head: [0.28, 0.45],
        legs: [0.52, 0.68],
        bone: [0.025, 0.05],
        tail: [0.1, 0.6],
        sprawl: [0.0, 3.0],
        spring: [0.4, 1.0],
    },
    // cow, bison, pig, sheep
    Species {
        trunk: [0.9, 1.5],
        girth: [0.22, 0.4],
        neck: [0.1, 0.35],
        pitch: [-20.0, 45.0],
        head: [0.28, 0.5],
        legs: [0.3, 0.55],
        bone: [0.035, 0.08],
        tail: [0.1, 0.7],
        sprawl: [0.0, 4.0],
        spring: [0.2, 0.8],
    },
    // camel, llama, giraffe
    Species {
        trunk: [0.7, 1.0],
        girth: [0.17, 0.28],
        neck: [0.5, 1.3],
        pitch: [35.0, 88.0],
        head: [0.2, 0.35],
        legs: [0.55, 0.7],
        bone: [0.025, 0.05],
        tail: [0.1, 0.5],
        sprawl: [0.0, 3.0],
        spring: [0.3, 0.8],
    },
    // elephant, rhinoceros, hippopotamus
    Species {
        trunk: [0.9, 1.5],
        girth: [0.28, 0.42],
        neck: [0.05, 0.2],
        pitch: [-15.0, 30.0],
        head: [0.3, 0.55],
        legs: [0.25, 0.5],
        bone: [0.08, 0.15],
        tail: [0.1, 0.5],
        sprawl: [0.0, 4.0],
        spring: [0.0, 0.3],
    },
    // rat, squirrel, rabbit
    Species {
        trunk: [1.1, 1.9],
        girth: [0.3, 0.5],
        neck: [0.05, 0.2],
        pitch: [-10.0, 40.0],
        head: [0.35, 0.65],
        legs: [0.2, 0.4],
        bone: [0.04, 0.08],
        tail: [0.05, 1.8],
        sprawl: [0.0, 15.0],
        spring: [0.6, 1.6],
    },
    // lizard, crocodile
    Species {
        trunk: [1.8, 3.2],
        girth: [0.3, 0.5],
        neck: [0.15, 0.5],
        pitch: [-15.0, 25.0],
        head: [0.5, 1.0],
        legs: [0.3, 0.5],
        bone: [0.06, 0.13],
        tail: [1.2, 3.0],
        sprawl: [25.0, 65.0],
        spring: [0.2, 0.8],
    },
    // tortoise
    Species {
        trunk: [1.0, 1.5],
        girth: [0.45, 0.65],
        neck: [0.15, 0.5],
        pitch: [-10.0, 40.0],
        head: [0.2, 0.4],
        legs: [0.2, 0.4],
        bone: [0.08, 0.14],
        tail: [0.05, 0.3],
        sprawl: [10.0, 45.0],
        spring: [0.0, 0.5],
    },
    // sauropod, stegosaur, triceratops
    Species {
        trunk: [0.9, 1.5],
        girth: [0.25, 0.42],
        neck: [0.1, 1.6],
        pitch: [-25.0, 70.0],
        head: [0.2, 0.6],
        legs: [0.3, 0.55],
        bone: [0.06, 0.13],
        tail: [0.7, 2.0],
        sprawl: [0.0, 8.0],
        spring: [0.0, 0.6],
    },
    // frog, toad
    Species {
        trunk: [1.0, 1.6],
        girth: [0.35, 0.55],
        neck: [0.02, 0.1],
        pitch: [0.0, 35.0],
        head: [0.35, 0.6],
        legs: [0.3, 0.5],
        bone: [0.06, 0.11],
        tail: [0.0, 0.01],
        sprawl: [20.0, 60.0],
        spring: [1.0, 2.2],
    },
];

/// An animal.
pub fn animal(random: &mut Random) -> Body {
    let species = &SPECIES[random.index(SPECIES.len())];
    let is_boxy = random.unit() < 0.22;
    let mut pick = |range: &[f64; 2]| {
        let margin = 0.25 * (range[1] - range[0]);
        random.between((range[0] - margin).max(range[0] * 0.6), range[1] + margin)
    };
    let (trunk, girth, neck) = (pick(&species.trunk), pick(&species.girth), pick(&species.neck));
    let (head, legs, bone) = (pick(&species.head), pick(&species.legs), pick(&species.bone));
    let (tail, pitch) =
        (pick(&species.tail), random.between(species.pitch[0], species.pitch[1]).to_radians());
    let sprawl = random.between(species.sprawl[0], species.sprawl[1]).to_radians();
    let spring = random.between(species.spring[0], species.spring[1]);
    let mut draw = Draw { random, strength: 1.0 };
    let slope = draw.degrees(5.0).tan();
    let (wide, deep) = (girth * draw.factor(0.6, 1.05), girth);
    let belly = legs;
    let mut joints = vec![None; CHANNELS];
    let mut forms: Vec<(Form, usize)> = Vec::new();
    // The trunk's middle line from the hips (z = 0) forwards.
    let line = |z: f64| Vec3::new(0.0, belly + deep + slope * z, z);
    let (back, front) = (0.0, trunk * 0.72);
    let half = 0.5 * deep;
    put(&mut joints, "hips", None, line(back) + Vec3::y() * half * 0.6);
    put(&mut joints, "spine", None, line(trunk * 0.2) + Vec3::y() * half * 0.6);
    put(&mut joints, "chest", None, line(front * 0.85) + Vec3::y() * half * 0.5);
    let neck_base = line(front) + Vec3::new(0.0, half * 0.6 * pitch.sin().max(0.0) + 0.1 * half, half * 0.5);
    let aim = Vec3::new(0.0, pitch.sin(), pitch.cos());
    let head_base = neck_base + aim * (neck + 0.4 * deep);
    put(&mut joints, "neck", None, neck_base + aim * 0.1 * neck);
    put(&mut joints, "head", None, head_base);
    let (rump, chest_size) = (draw.factor(0.75, 1.15), draw.factor(0.85, 1.25));
    if is_boxy {
        forms.push((
            Form::Block { center: line(trunk * 0.36), half: Vec3::new(wide, deep, trunk * 0.5 + 0.2 * deep) },
            1,
        ));
    } else {
        forms.push((
            Form::Egg {
                center: line(back - 0.02 * trunk),
                radii: Vec3::new(wide * rump, deep * rump, trunk * 0.3),
            },
            0,
        ));
        forms.push((
            Form::Egg {
                center: line(front * 0.95),
                radii: Vec3::new(wide * chest_size, deep * chest_size, trunk * 0.33),
            },
            1,
        ));
        let sag = draw.factor(0.8, 1.15);
        forms.push((
            Form::Cone { from: line(back), to: line(front), radii: [wide * 0.9 * sag, wide * sag] },
            1,
        ));
        if draw.chance(0.12) {
            // A hump or a hunched back.
            let hump = girth * draw.factor(0.4, 0.9);
            forms.push((
                Form::Egg {
                    center: line(trunk * draw.random.between(0.15, 0.6)) + Vec3::y() * deep,
                    radii: Vec3::new(hump * 0.7, hump, hump),
                },
                1,
            ));
        }
    }
    let neck_radius = [girth * draw.factor(0.45, 0.95), girth * draw.factor(0.3, 0.6)];
    limb(&mut forms, &[neck_base, head_base], &neck_radius, &[2], is_boxy);
    let down = pitch * draw.random.between(-0.3, 0.4) - draw.random.between(0.0, 0.7);
    let nose = head_base + Vec3::new(0.0, down.sin(), down.cos()) * head * 0.8;
    let skull = head * draw.factor(0.22, 0.45);
    if is_boxy {
        forms.push((
            Form::Block { center: (head_base + nose) * 0.5, half: Vec3::new(skull, skull, head * 0.5) },
            3,
        ));
    } else {
        forms.push((
            Form::Egg { center: head_base + (nose - head_base) * 0.15, radii: Vec3::repeat(skull) },
            3,
        ));
        forms.push((
            Form::Cone { from: head_base, to: nose, radii: [skull * 0.85, skull * draw.factor(0.35, 0.8)] },
            3,
        ));
    }
    if draw.chance(0.6) {
        // Ears, horns, antlers.
        let (long, thin) = (head * draw.factor(0.15, 1.2), skull * draw.factor(0.08, 0.35));
        let apart = draw.random.between(0.0, 1.3);
        for sign in [1.0, -1.0] {
            let from = head_base + Vec3::new(sign * skull * 0.6, skull * 0.6, 0.0);
            let to = from + Vec3::new(sign * apart.sin(), apart.cos(), draw.random.between(-0.4, 0.4)) * long;
            forms.push((Form::Cone { from, to, radii: [thin, thin * 0.6] }, 3));
        }
    }
    if tail > 0.04 {
        let rise = draw.random.between(-1.3, 0.6);
        let base = line(-0.25 * trunk * rump) + Vec3::y() * 0.5 * deep * rump;
        let thick = girth * if tail > 1.0 { draw.factor(0.35, 0.8) } else { draw.factor(0.1, 0.4) };
        let middle = base + Vec3::new(0.0, rise.sin(), -rise.cos()) * tail * 0.5;
        let later = (rise + draw.degrees(20.0)).clamp(-1.5, 0.9);
        let end = middle + Vec3::new(0.0, later.sin(), -later.cos()) * tail * 0.5;
        limb(&mut forms, &[base, middle, end], &[thick, thick * 0.7, thick * 0.35], &[4, 4], false);
        put(&mut joints, "tail", None, base);
    }
    let foot = bone * draw.factor(0.8, 1.8);
    for (pair, z) in [(0, front), (1, back)] {
        let (swing, is_walking) = (draw.degrees(7.0), draw.chance(0.25));
        for is_left in [true, false] {
            let sign = if is_left { 1.0 } else { -1.0 };
            let swing = if is_walking { draw.degrees(14.0) } else { swing };
            let top = line(z) + Vec3::new(sign * wide * 0.72, -deep * draw.random.between(0.0, 0.02), 0.0);
            let long = top.y - bone * 0.5;
            // Out to the side by the sprawl, down the rest; z bends by the spring.
            let at = |share: f64, ahead: f64| {
                let out = sprawl.sin() * long * share.min(0.62) * 1.3;
                top + Vec3::new(sign * out, -long * share, ahead * long + swing.tan() * long * share)
            };
            let joints_of_leg = match pair {
                0 => [
                    at(0.0, 0.03 * spring),
                    at(0.32, -0.11 * spring),
                    at(0.66, -0.05 * spring),
                    at(0.93, -0.04 * spring),
                ],
                _ => [
                    at(0.0, 0.0),
                    at(0.34, 0.13 * spring),
                    at(0.62, -0.14 * spring),
                    at(0.93, -0.07 * spring),
                ],
            };
            let tip = joints_of_leg[3] + Vec3::new(0.0, -long * 0.05, foot * 1.2);
            let thigh = bone * draw.factor(1.3, 2.6) * if pair == 1 { 1.2 } else { 1.0 };
            let radii = [thigh, bone * 1.4, bone, bone * 0.95, foot];
            let places: [usize; 4] = if pair == 0 { [0, 1, 2, 2] } else { [3, 4, 5, 5] };
            let points = [joints_of_leg[0], joints_of_leg[1], joints_of_leg[2], joints_of_leg[3], tip];
            limb(&mut forms, &points, &radii, &places.map(|place| sided(place, is_left)), is_boxy);
            let names = if pair == 0 {
                ["shoulder", "elbow", "wrist", "hand"]
            } else {
                ["hip", "knee", "ankle", "toe"]
            };
            for (name, position) in names.iter().zip(joints_of_leg) {
                put(&mut joints, name, Some(is_left), position);
            }
        }
    }
    let melt = if is_boxy { 1e-3 } else { draw.factor(0.01, 0.08) };
    let sculpture = Sculpture { forms, melt };
    settle(sculpture.points(POINTS, draw.random), joints)
}
