//! People made from scratch, from toddlers to giants, chibis and robots.

use super::forms::{Form, NONE, POINTS, Sculpture, limb, put, settled, sided};
use crate::body::Body;
use crate::variant::Draw;
use puppetry::Vec3;
use puppetry::stages::embed::prior::network::CHANNELS;
use puppetry::stages::math::Random;

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
    settled(sculpture.points(POINTS, draw.random), joints)
}
