//! People and animals of a few boxes, as in games whose world is made of cubes: limbs flush with the trunk, one box to a limb.

use super::forms::{Form, NONE, POINTS, Sculpture, put, settled, sided};
use crate::body::Body;
use crate::variant::Draw;
use puppetry::Vec3;
use puppetry::stages::embed::prior::network::CHANNELS;
use puppetry::stages::math::Random;

/// Segments of the middle of the body, by their order in the network's exercise.
const HIPS: usize = 0;
const TORSO: usize = 1;
const HEAD: usize = 3;
const TAIL: usize = 4;

/// Forms and joints of a body that is being made.
struct Builder {
    forms: Vec<(Form, usize)>,
    joints: Vec<Option<Vec3>>,
}

impl Builder {
    fn new() -> Builder {
        Builder { forms: Vec::new(), joints: vec![None; CHANNELS] }
    }

    fn block(&mut self, center: Vec3, half: Vec3, segment: usize) {
        self.forms.push((Form::Block { center, half }, segment));
    }

    /// A limb of one thickness along its joints; `over` is how far it reaches above the first.
    fn limb(&mut self, joints: &[Vec3], half: [f64; 2], over: f64, segments: &[usize]) {
        let count = joints.len() - 1;
        for (index, pair) in joints.windows(2).enumerate() {
            let along = (pair[1] - pair[0]).normalize();
            let from = if index == 0 { pair[0] - along * over } else { pair[0] };
            // What runs along an axis has faces of its own breadth; other limbs are as thick as broad.
            let form = match along.abs().max() {
                x if x > 0.999 => {
                    let side = Vec3::from_fn(|axis, _| match along[axis].abs() > 0.5 {
                        true => 0.5 * (pair[1] - from).norm(),
                        false if axis == 2 => half[1],
                        false => half[0],
                    });
                    Form::Block { center: (from + pair[1]) * 0.5, half: side }
                }
                _ => Form::Beam { from, to: pair[1], half: 0.5 * (half[0] + half[1]) },
            };
            self.forms.push((form, segments[index.min(count - 1)]));
        }
    }

    fn body(self, draw: &mut Draw) -> Body {
        let sculpture = Sculpture { forms: self.forms, melt: 1e-3 };
        settled(sculpture.points(POINTS, draw.random), self.joints)
    }
}

/// How the arms of a person of boxes are held.
enum Arms {
    Hanging,
    Spread,
    Slanted(f64),
    Forward,
}

/// A person.
pub fn person(random: &mut Random) -> Body {
    let mut draw = Draw { random, strength: 1.0 };
    let mut builder = Builder::new();
    let (leg, trunk, head) = (draw.factor(0.14, 0.5), draw.factor(0.26, 0.5), draw.factor(0.14, 0.45));
    let wide = trunk * draw.factor(0.22, 0.5);
    let deep = wide * draw.factor(0.35, 1.0);
    // Most touch what they hang on.
    let gap = if draw.chance(0.5) { 0.0 } else { draw.factor(0.005, 0.08) };
    let neck = if draw.chance(0.7) { 0.0 } else { draw.factor(0.01, 0.07) };
    let top = leg + trunk;
    builder.block(Vec3::y() * (leg + 0.6 * trunk), Vec3::new(wide, 0.4 * trunk, deep), TORSO);
    builder.block(Vec3::y() * (leg + 0.1 * trunk), Vec3::new(wide, 0.1 * trunk, deep), HIPS);
    let skull = Vec3::new(0.5 * head * draw.factor(0.7, 1.3), 0.5 * head, 0.5 * head * draw.factor(0.7, 1.2));
    let middle = Vec3::y() * (top + neck + 0.5 * head) + Vec3::z() * skull.z * draw.random.between(-0.1, 0.3);
    builder.block(middle, skull, HEAD);
    if neck > 0.0 {
        builder.block(
            Vec3::y() * (top + 0.5 * neck),
            Vec3::new(0.4, 1.0, 0.4) * neck.max(0.3 * skull.x),
            NONE,
        );
    }
    crown(&mut builder, &mut draw, middle, skull);
    put(&mut builder.joints, "hips", None, Vec3::y() * (leg + 0.08 * trunk));
    put(&mut builder.joints, "spine", None, Vec3::y() * (leg + 0.27 * trunk));
    put(&mut builder.joints, "chest", None, Vec3::y() * (leg + 0.62 * trunk));
    put(&mut builder.joints, "neck", None, Vec3::y() * (top - 0.02 * trunk));
    put(&mut builder.joints, "head", None, Vec3::y() * (top + neck + 0.05 * head));

    let arm = trunk * draw.factor(0.7, 1.25);
    let arm_half = [wide * draw.factor(0.25, 0.6), deep * draw.factor(0.5, 1.0)];
    let arms = match draw.random.unit() {
        x if x < 0.45 => Arms::Hanging,
        x if x < 0.8 => Arms::Spread,
        x if x < 0.93 => Arms::Slanted(draw.random.between(-1.4, -0.2)),
        _ => Arms::Forward,
    };
    let (upper, lower) = (draw.random.between(0.45, 0.53), draw.random.between(0.8, 0.93));
    let inset = draw.random.between(0.0, 0.7);
    let drop = arm_half[0] * draw.random.between(0.6, 1.2);
    let leg_half = [(wide * draw.factor(0.35, 0.55)).min(wide), deep * draw.factor(0.7, 1.0)];
    let hip_x = (wide - leg_half[0]).max(leg_half[0]) + 0.5 * gap;
    let has_feet = draw.chance(0.35);
    let foot = leg_half[1] * draw.factor(1.2, 2.0);
    let sole = leg * draw.random.between(0.06, 0.15);
    for is_left in [true, false] {
        let sign = if is_left { 1.0 } else { -1.0 };
        let aim = match arms {
            Arms::Hanging => -Vec3::y(),
            Arms::Spread => Vec3::x() * sign,
            Arms::Slanted(angle) => Vec3::new(sign * angle.cos(), angle.sin(), 0.0),
            Arms::Forward => Vec3::z(),
        };
        let out = match arms {
            Arms::Spread | Arms::Slanted(_) => wide + gap - inset * arm_half[0],
            Arms::Hanging | Arms::Forward => wide + gap + arm_half[0] * (1.0 - inset),
        };
        let shoulder = Vec3::new(sign * out, top - drop, 0.0);
        let [elbow, wrist, tip] = [upper, lower, 1.0].map(|share| shoulder + aim * (arm * share));
        // The box lies flush outside of the trunk, wherever in it the joint is.
        let over = match arms {
            Arms::Spread | Arms::Slanted(_) => -inset * arm_half[0],
            Arms::Hanging => drop,
            Arms::Forward => arm_half[1],
        };
        let shift = match arms {
            Arms::Hanging | Arms::Forward => Vec3::x() * sign * inset * arm_half[0],
            Arms::Spread | Arms::Slanted(_) => Vec3::zeros(),
        };
        let segments = [0, 1, 2].map(|place| sided(place, is_left));
        builder.limb(&[shoulder, elbow, wrist, tip].map(|joint| joint + shift), arm_half, over, &segments);
        let hip = Vec3::new(sign * hip_x, leg, 0.0);
        let [knee, ankle, ground] = [0.5, 1.0 - sole / leg, 1.0].map(|share| hip - Vec3::y() * (leg * share));
        let segments = [3, 4, 5].map(|place| sided(place, is_left));
        builder.limb(&[hip, knee, ankle, ground], leg_half, 0.0, &segments);
        let reach = if has_feet { foot } else { leg_half[1] };
        if has_feet {
            let half = Vec3::new(leg_half[0], 0.5 * sole, 0.5 * (foot + leg_half[1]));
            builder.block(ground + Vec3::new(0.0, half.y, 0.5 * (foot - leg_half[1])), half, segments[2]);
        }
        let toe = ground + Vec3::new(0.0, 0.3 * sole, 0.6 * reach);
        for (name, at) in [
            ("shoulder", shoulder),
            ("elbow", elbow),
            ("wrist", wrist),
            ("hip", hip),
            ("knee", knee),
            ("ankle", ankle),
            ("toe", toe),
        ] {
            put(&mut builder.joints, name, Some(is_left), at);
        }
    }
    builder.body(&mut draw)
}

/// Hair, a hat, ears: boxes upon a head.
fn crown(builder: &mut Builder, draw: &mut Draw, middle: Vec3, skull: Vec3) {
    if draw.chance(0.3) {
        let half = Vec3::new(skull.x, skull.y * draw.factor(0.08, 0.5), skull.z) * draw.factor(0.7, 1.3);
        builder.block(middle + Vec3::y() * (skull.y + half.y), half, HEAD);
    }
    if draw.chance(0.25) {
        let half = Vec3::new(0.25, draw.factor(0.2, 0.6), 0.15).component_mul(&skull);
        for sign in [1.0, -1.0] {
            builder.block(middle + Vec3::new(sign * 0.7 * skull.x, skull.y + half.y, 0.0), half, HEAD);
        }
    }
}

/// An animal.
pub fn animal(random: &mut Random) -> Body {
    let mut draw = Draw { random, strength: 1.0 };
    let mut builder = Builder::new();
    let (leg, trunk) = (draw.factor(0.25, 0.65), draw.factor(0.7, 1.6));
    let (wide, high) = (trunk * draw.factor(0.13, 0.32), trunk * draw.factor(0.13, 0.32));
    let line = |z: f64| Vec3::new(0.0, leg + high, z);
    builder.block(line(0.25 * trunk), Vec3::new(wide, high, 0.25 * trunk), HIPS);
    builder.block(line(0.75 * trunk), Vec3::new(wide, high, 0.25 * trunk), TORSO);
    let skull = Vec3::new(
        wide * draw.factor(0.55, 1.1),
        high * draw.factor(0.5, 1.1),
        trunk * draw.factor(0.1, 0.25),
    );
    let neck = if draw.chance(0.5) { 0.0 } else { trunk * draw.factor(0.08, 0.7) };
    let pitch = draw.random.between(0.0, 1.5);
    let base = line(trunk) + Vec3::y() * high * draw.random.between(0.0, 0.9);
    let nape = base + Vec3::new(0.0, pitch.sin(), pitch.cos()) * neck;
    if neck > 0.0 {
        let half = 0.6 * skull.x;
        builder.forms.push((Form::Beam { from: base - Vec3::z() * half, to: nape, half }, 2));
    }
    let middle = nape + Vec3::z() * skull.z * draw.random.between(0.5, 1.0);
    builder.block(middle, skull, HEAD);
    crown(&mut builder, &mut draw, middle, skull);
    if draw.chance(0.5) {
        let half = Vec3::new(0.5, 0.4, 0.5).component_mul(&skull);
        builder.block(middle + Vec3::new(0.0, -0.4 * skull.y, skull.z + half.z), half, HEAD);
    }
    put(&mut builder.joints, "hips", None, line(0.12 * trunk) + Vec3::y() * 0.4 * high);
    put(&mut builder.joints, "spine", None, line(0.35 * trunk) + Vec3::y() * 0.4 * high);
    put(&mut builder.joints, "chest", None, line(0.75 * trunk) + Vec3::y() * 0.4 * high);
    put(&mut builder.joints, "neck", None, base - Vec3::z() * 0.05 * trunk);
    put(&mut builder.joints, "head", None, nape);
    if draw.chance(0.7) {
        let (long, thin) = (trunk * draw.factor(0.1, 0.6), wide * draw.factor(0.12, 0.35));
        let fall = draw.random.between(-1.5, 0.8);
        let root = line(0.0) + Vec3::y() * high * draw.random.between(0.2, 0.9);
        let end = root + Vec3::new(0.0, fall.sin(), -fall.cos()) * long;
        builder.forms.push((Form::Beam { from: root, to: end, half: thin }, TAIL));
        put(&mut builder.joints, "tail", None, root);
    }
    let bone = [(wide * draw.factor(0.25, 0.5)).min(wide), wide * draw.factor(0.25, 0.55)];
    let (front, back) = (trunk * draw.random.between(0.78, 0.97), trunk * draw.random.between(0.03, 0.2));
    let rise = high * draw.random.between(0.0, 0.7);
    for (z, names, places) in [
        (front, ["shoulder", "elbow", "wrist", "hand"], [0, 1, 2]),
        (back, ["hip", "knee", "ankle", "toe"], [3, 4, 5]),
    ] {
        for is_left in [true, false] {
            let sign = if is_left { 1.0 } else { -1.0 };
            let ground = Vec3::new(sign * (wide - bone[0]), 0.0, z);
            let top = ground + Vec3::y() * (leg + rise);
            let at = |share: f64| top + (ground - top) * share;
            let joints = [top, at(0.36), at(0.67), at(0.93)];
            builder.limb(
                &[joints[0], joints[1], joints[2], ground],
                bone,
                0.0,
                &places.map(|place| sided(place, is_left)),
            );
            for (name, joint) in names.iter().zip(joints) {
                put(&mut builder.joints, name, Some(is_left), joint);
            }
        }
    }
    builder.body(&mut draw)
}
