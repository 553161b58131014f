//! Things that are no characters: the network must know that there are others than people and animals.

use super::forms::{Form, NONE, POINTS, Sculpture, settled};
use crate::body::Body;
use crate::variant::Draw;
use puppetry::Vec3;
use puppetry::stages::embed::prior::network::CHANNELS;
use puppetry::stages::math::Random;

/// Furniture, a vehicle, a plant, a pile of solids.
pub fn thing(random: &mut Random) -> Body {
    let mut draw = Draw { random, strength: 1.0 };
    let forms = match draw.random.index(4) {
        0 => furniture(&mut draw),
        1 => vehicle(&mut draw),
        2 => plant(&mut draw),
        _ => pile(&mut draw),
    };
    let sculpture = Sculpture { forms: forms.into_iter().map(|form| (form, NONE)).collect(), melt: 1e-3 };
    settled(sculpture.points(POINTS, draw.random), vec![None; CHANNELS])
}

/// A seat or a board on four legs, some with a back.
fn furniture(draw: &mut Draw) -> Vec<Form> {
    let half = Vec3::new(draw.factor(0.15, 0.6), draw.factor(0.02, 0.08), draw.factor(0.15, 0.6));
    let (height, thin) = (draw.factor(0.2, 0.7), draw.factor(0.015, 0.05));
    let mut forms = vec![Form::Block { center: Vec3::y() * height, half }];
    for (x, z) in [(1.0, 1.0), (1.0, -1.0), (-1.0, 1.0), (-1.0, -1.0)] {
        let top = Vec3::new(x * (half.x - thin), height, z * (half.z - thin));
        forms.push(Form::Beam { from: top, to: Vec3::new(top.x, 0.0, top.z), half: thin });
    }
    if draw.chance(0.6) {
        let back = Vec3::new(half.x, draw.factor(0.1, 0.4), thin);
        let center = Vec3::new(0.0, height + back.y, thin - half.z);
        forms.push(Form::Block { center, half: back });
    }
    forms
}

/// A hull on four wheels.
fn vehicle(draw: &mut Draw) -> Vec<Form> {
    let half = Vec3::new(draw.factor(0.2, 0.4), draw.factor(0.1, 0.25), draw.factor(0.4, 1.2));
    let wheel = draw.factor(0.08, 0.25);
    let up = wheel + 0.5 * half.y;
    let mut forms = vec![Form::Block { center: Vec3::y() * (up + 0.3 * half.y), half }];
    let cabin = Vec3::new(half.x * 0.85, half.y * draw.factor(0.6, 1.4), half.z * draw.factor(0.3, 0.8));
    let center = Vec3::new(0.0, up + 1.3 * half.y + cabin.y * 0.8, half.z * draw.random.between(-0.3, 0.3));
    forms.push(Form::Block { center, half: cabin });
    for (x, z) in [(1.0, 0.65), (1.0, -0.65), (-1.0, 0.65), (-1.0, -0.65)] {
        let center = Vec3::new(x * half.x, wheel, z * half.z);
        forms.push(Form::Egg { center, radii: Vec3::new(0.3 * wheel, wheel, wheel) });
    }
    forms
}

/// A trunk with crowns.
fn plant(draw: &mut Draw) -> Vec<Form> {
    let (height, thick) = (draw.factor(0.2, 0.7), draw.factor(0.02, 0.1));
    let top = Vec3::y() * height;
    let mut forms = vec![Form::Cone { from: Vec3::zeros(), to: top, radii: [thick, 0.7 * thick] }];
    for _ in 0..1 + draw.random.index(5) {
        let radii = Vec3::from_fn(|_, _| draw.factor(0.1, 0.4));
        let at = Vec3::from_fn(|axis, _| if axis == 1 { 0.0 } else { draw.random.between(-0.3, 0.3) });
        forms.push(Form::Egg { center: top + at + Vec3::y() * draw.random.between(-0.2, 0.4), radii });
    }
    forms
}

/// Solids here and there.
fn pile(draw: &mut Draw) -> Vec<Form> {
    let count = 1 + draw.random.index(6);
    let solids = (0..count).map(|index| {
        let reach = if index == 0 { 0.0 } else { 0.4 };
        let center = Vec3::from_fn(|_, _| draw.random.between(-reach, reach));
        let size = Vec3::from_fn(|_, _| draw.factor(0.06, 0.5));
        match draw.random.index(3) {
            0 => Form::Egg { center, radii: size },
            1 => Form::Block { center, half: size },
            _ => {
                let along = Vec3::from_fn(|_, _| draw.random.between(-1.0, 1.0));
                Form::Cone { from: center, to: center + along, radii: [size.x, size.y] }
            }
        }
    });
    solids.collect()
}
