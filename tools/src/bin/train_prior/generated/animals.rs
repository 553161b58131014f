//! Animals made from scratch, by tables of their proportions.

use super::forms::{Form, POINTS, Sculpture, limb, put, settled, sided};
use crate::body::Body;
use crate::variant::Draw;
use puppetry::Vec3;
use puppetry::stages::embed::prior::network::CHANNELS;
use puppetry::stages::math::Random;

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
    settled(sculpture.points(POINTS, draw.random), joints)
}
