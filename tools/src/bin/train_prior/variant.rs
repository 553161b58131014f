//! A character in other proportions and another pose, by the artist's own weights.

use super::body::Body;
use super::character::{Character, MIDDLE_SEGMENTS, Plan, SIDED_PIVOTS, SIDED_SEGMENTS, SkinPoint};
use super::net::{SEGMENTS, normal};
use nalgebra::{Matrix3, Rotation3};
use puppetry::Vec3;
use puppetry::stages::embed::prior::channel;
use puppetry::stages::embed::prior::points::SurfacePoint;
use puppetry::stages::math::Random;

/// How a segment moves: about its pivot, by a rotation after a stretch along and across its bone.
#[derive(Clone, Copy)]
struct Move {
    rotation: Rotation3<f64>,
    along: f64,
    across: f64,
}

impl Move {
    fn still() -> Move {
        Move { rotation: Rotation3::identity(), along: 1.0, across: 1.0 }
    }
}

/// Draws of one variant; strength 0 leaves proportions as they are.
pub struct Draw<'a> {
    pub random: &'a mut Random,
    pub strength: f64,
}

impl Draw<'_> {
    /// A factor, uniform in its logarithm.
    pub fn factor(&mut self, low: f64, high: f64) -> f64 {
        (self.random.between(low.ln(), high.ln()) * self.strength).exp()
    }

    /// An angle in degrees, in radians.
    pub fn degrees(&mut self, spread: f64) -> f64 {
        (normal(self.random) * spread).to_radians()
    }

    pub fn chance(&mut self, of: f64) -> bool {
        self.random.unit() < of
    }
}

/// The parent of each segment.
fn parent(segment: usize) -> Option<usize> {
    const TORSO: usize = 1;
    match segment {
        0 => None,
        1 | 4 => Some(0),
        2 | 3 => Some(segment - 1),
        _ => match (segment - MIDDLE_SEGMENTS.len()) % SIDED_SEGMENTS.len() {
            0 => Some(TORSO),
            3 => Some(0),
            _ => Some(segment - 1),
        },
    }
}

/// The channel of the joint about which a segment rotates.
fn pivot_channel(segment: usize) -> Option<usize> {
    match segment {
        0 => channel::middle("hips"),
        1 => channel::middle("spine"),
        2..5 => channel::middle(MIDDLE_SEGMENTS[segment]),
        _ => {
            let place = segment - MIDDLE_SEGMENTS.len();
            let is_left = place < SIDED_SEGMENTS.len();
            channel::sided(SIDED_PIVOTS[place % SIDED_SEGMENTS.len()], is_left)
        }
    }
}

/// The channel of the joint at which a segment's bone ends.
fn end_channel(segment: usize) -> Option<usize> {
    match segment {
        0 => channel::middle("spine"),
        1 => channel::middle("neck"),
        2 => channel::middle("head"),
        3 | 4 => None,
        _ => {
            let place = segment - MIDDLE_SEGMENTS.len();
            let is_left = place < SIDED_SEGMENTS.len();
            channel::sided(["elbow", "wrist", "hand", "knee", "ankle", "toe"][place % 6], is_left)
        }
    }
}

fn sided(name: &str, is_left: bool) -> usize {
    let place = SIDED_SEGMENTS.iter().position(|known| *known == name).unwrap_or(0);
    MIDDLE_SEGMENTS.len() + if is_left { place } else { SIDED_SEGMENTS.len() + place }
}

/// A variant of a character at random.
pub fn variant(character: &Character, random: &mut Random) -> Body {
    let strength = match random.unit() {
        x if x < 0.08 => 0.0,
        x if x < 0.33 => 0.35,
        x if x < 0.68 => 0.7,
        _ => 1.0,
    };
    let mut draw = Draw { random, strength };
    let moves = match character.plan {
        Plan::Quadruped => moves_of_animal(&mut draw),
        _ => moves_of_person(character, &mut draw),
    };
    let points = drawn(&character.points, draw.random);
    let mut body = deform(character, &points, &moves);
    body.settle();
    body
}

/// Points of a variant: what the network looks at, and some for holes and what clothes hide.
const POINTS: usize = 1024;

/// Some of the points, at random.
fn drawn<'a>(points: &'a [SkinPoint], random: &mut Random) -> Vec<&'a SkinPoint> {
    let mut points: Vec<&SkinPoint> = points.iter().collect();
    random.draw_to_front(&mut points, POINTS);
    points.truncate(POINTS);
    points
}

fn about_x(angle: f64) -> Rotation3<f64> {
    Rotation3::from_axis_angle(&Vec3::x_axis(), angle)
}

fn about_y(angle: f64) -> Rotation3<f64> {
    Rotation3::from_axis_angle(&Vec3::y_axis(), angle)
}

fn about_z(angle: f64) -> Rotation3<f64> {
    Rotation3::from_axis_angle(&Vec3::z_axis(), angle)
}

fn moves_of_person(character: &Character, draw: &mut Draw) -> Vec<Move> {
    let mut moves = vec![Move::still(); SEGMENTS];
    let (leg, arm, trunk) = (draw.factor(0.62, 1.5), draw.factor(0.7, 1.4), draw.factor(0.75, 1.3));
    let (width, head) = (draw.factor(0.75, 1.45), draw.factor(0.65, 1.8));
    // Some become chibis.
    let head = if draw.chance(0.12) { head * draw.factor(1.3, 2.2) } else { head };
    let (hand, foot) = (draw.factor(0.7, 1.7), draw.factor(0.7, 1.6));
    let (limbs, neck) = (draw.factor(0.65, 1.6), draw.factor(0.6, 1.6));
    let bones: [f64; 4] = std::array::from_fn(|_| draw.factor(0.85, 1.2));
    moves[0] = Move { along: width, across: width, ..Move::still() };
    moves[1] = Move { rotation: about_x(draw.degrees(5.0)), along: trunk, across: width };
    moves[2] = Move { rotation: about_x(draw.degrees(6.0)), along: neck, across: limbs.sqrt() };
    let nod = about_y(draw.degrees(10.0)) * about_x(draw.degrees(8.0));
    moves[3] = Move { rotation: nod, along: head, across: head };
    // How far the arms are above the horizontal now, and where they go.
    let at = |name: &str| channel::sided(name, true).and_then(|channel| character.joints[channel]);
    let now = match (at("shoulder"), at("wrist").or(at("elbow"))) {
        (Some(shoulder), Some(wrist)) => {
            let arm: Vec3 = wrist - shoulder;
            arm.y.atan2(arm.x.abs()).to_degrees()
        }
        _ => 0.0,
    };
    let wanted = match draw.random.unit() {
        x if x < 0.4 => draw.random.between(-80.0, 20.0),
        x if x < 0.65 => draw.random.between(-60.0, -20.0),
        x if x < 0.85 => draw.random.between(-8.0, 8.0),
        _ => now,
    };
    let (forward, elbow) = (draw.degrees(10.0), draw.degrees(14.0).abs());
    let (apart, knee) = (draw.random.between(-4.0, 16.0).to_radians(), draw.degrees(6.0).abs());
    let is_uneven = draw.chance(0.3);
    for is_left in [true, false] {
        let sign = if is_left { 1.0 } else { -1.0 };
        let mut uneven = || if is_uneven { draw.degrees(12.0) } else { 0.0 };
        let lift = (wanted - now).to_radians() + uneven();
        let arm_rotation = about_y(-sign * (forward + uneven())) * about_z(sign * lift);
        let part = |along: f64, across: f64, rotation| Move { rotation, along, across };
        moves[sided("upper_arm", is_left)] = part(arm * bones[0], limbs, arm_rotation);
        moves[sided("lower_arm", is_left)] =
            part(arm * bones[1], limbs, about_y(-sign * (elbow + 0.5 * uneven())));
        moves[sided("hand", is_left)] = part(hand, hand, Rotation3::identity());
        let leg_rotation = about_z(sign * (apart + 0.3 * uneven())) * about_x(-0.5 * knee + 0.5 * uneven());
        moves[sided("upper_leg", is_left)] = part(leg * bones[2], limbs, leg_rotation);
        moves[sided("lower_leg", is_left)] = part(leg * bones[3], limbs, about_x(knee));
        // Feet stay flat on the ground.
        let flat = leg_rotation * about_x(knee);
        moves[sided("foot", is_left)] = part(foot, foot, flat.inverse());
    }
    if draw.chance(IN_MOTION) {
        catch_in_motion(&mut moves, now, draw);
    }
    moves
}

/// Part of the people who are caught in a motion instead of standing: files come with bodies that run, sit, wave and fight.
const IN_MOTION: f64 = 0.12;

/// Other rotations for the limbs and the trunk of a person whose arms are `now` degrees above the horizontal.
fn catch_in_motion(moves: &mut [Move], now: f64, draw: &mut Draw) {
    let mut between = |low: f64, high: f64| draw.random.between(low, high);
    let lean = about_y(between(-20.0, 20.0).to_radians()) * about_x(between(-12.0, 35.0).to_radians());
    moves[1].rotation = lean;
    moves[3].rotation *= lean.inverse();
    // Legs in step, or both bent alike; one of four stands.
    let kind = between(0.0, 1.0);
    let swing = between(5.0, 70.0);
    let crouch = between(20.0, 95.0);
    for is_left in [true, false] {
        let sign = if is_left { 1.0 } else { -1.0 };
        let (forward, knee) = match kind {
            x if x < 0.4 => (sign * swing - 10.0, between(0.0, 100.0) * between(0.0, 1.0)),
            x if x < 0.75 => (crouch + between(-12.0, 12.0), crouch * between(0.8, 1.8)),
            _ => (between(-5.0, 10.0), between(0.0, 15.0)),
        };
        let thigh = about_z(sign * between(-5.0, 30.0).to_radians()) * about_x(-forward.to_radians());
        let shin = about_x(knee.to_radians());
        moves[sided("upper_leg", is_left)].rotation = thigh;
        moves[sided("lower_leg", is_left)].rotation = shin;
        let flat = (thigh * shin).inverse();
        moves[sided("foot", is_left)].rotation = about_x(between(-15.0, 40.0).to_radians()) * flat;
        let lift = between(-85.0, 85.0) - now;
        let upper = about_y(-sign * between(-40.0, 85.0).to_radians()) * about_z(sign * lift.to_radians());
        let bend = (between(0.0, 125.0) * between(0.2, 1.0)).to_radians();
        // Elbows bend forwards where arms are stretched sideways, and upwards where they are turned.
        let turn = between(0.0, 90.0).to_radians();
        let axis = nalgebra::Unit::new_normalize(Vec3::new(0.0, -sign * turn.cos(), sign * turn.sin()));
        moves[sided("upper_arm", is_left)].rotation = upper;
        moves[sided("lower_arm", is_left)].rotation = Rotation3::from_axis_angle(&axis, bend);
    }
}

fn moves_of_animal(draw: &mut Draw) -> Vec<Move> {
    let mut moves = vec![Move::still(); SEGMENTS];
    let (leg, trunk, width) = (draw.factor(0.55, 1.5), draw.factor(0.7, 1.45), draw.factor(0.7, 1.35));
    let (limbs, head) = (draw.factor(0.65, 1.6), draw.factor(0.65, 1.6));
    let bones: [f64; 4] = std::array::from_fn(|_| draw.factor(0.8, 1.25));
    moves[0] = Move { along: trunk, across: width, ..Move::still() };
    moves[1] = Move { along: trunk, across: width, rotation: about_x(draw.degrees(4.0)) };
    let pitch = draw.random.between(-40.0, 35.0).to_radians() * draw.strength;
    moves[2] = Move { rotation: about_x(pitch), along: draw.factor(0.5, 2.2), across: draw.factor(0.7, 1.4) };
    let back = about_x(-pitch * draw.random.between(0.2, 1.0));
    moves[3] = Move { rotation: about_y(draw.degrees(8.0)) * back, along: head, across: head };
    let tail =
        about_y(draw.degrees(15.0)) * about_x(draw.random.between(-40.0, 50.0).to_radians() * draw.strength);
    moves[4] = Move { rotation: tail, along: draw.factor(0.6, 1.5), across: limbs };
    let spread = if draw.chance(0.4) { draw.random.between(-4.0, 22.0).to_radians() } else { 0.0 };
    let (foot, is_even) = (draw.factor(0.7, 1.5), draw.chance(0.6));
    let swings: [f64; 2] = std::array::from_fn(|_| draw.degrees(8.0));
    let bends: [f64; 2] = std::array::from_fn(|_| draw.degrees(7.0));
    for is_left in [true, false] {
        let sign = if is_left { 1.0 } else { -1.0 };
        for (pair, names) in
            [["upper_arm", "lower_arm", "hand"], ["upper_leg", "lower_leg", "foot"]].iter().enumerate()
        {
            let swing = if is_even { swings[pair] } else { draw.degrees(9.0) };
            let [upper, lower, end] = names.map(|name| sided(name, is_left));
            let rotation = about_z(sign * spread) * about_x(swing);
            moves[upper] = Move { rotation, along: leg * bones[2 * pair], across: limbs };
            let bend = about_x(bends[pair]);
            moves[lower] = Move { rotation: bend, along: leg * bones[2 * pair + 1], across: limbs };
            moves[end] = Move { rotation: (rotation * bend).inverse(), along: foot, across: foot };
        }
    }
    moves
}

/// Points and joints after all segments have moved: children inherit rotations and places, not stretches.
fn deform(character: &Character, points: &[&SkinPoint], moves: &[Move]) -> Body {
    let rest = |segment: usize| pivot_channel(segment).and_then(|channel| character.joints[channel]);
    let mut pivots: Vec<Vec3> = Vec::with_capacity(SEGMENTS);
    let mut places: Vec<Vec3> = Vec::with_capacity(SEGMENTS);
    let mut rotations: Vec<Rotation3<f64>> = Vec::with_capacity(SEGMENTS);
    let mut linear: Vec<Matrix3<f64>> = Vec::with_capacity(SEGMENTS);
    for (segment, own_move) in moves.iter().enumerate() {
        let own = rest(segment);
        let above = parent(segment);
        let from = above.map_or(Vec3::zeros(), |above| pivots[above]);
        let pivot = own.unwrap_or(from);
        let place = match above {
            Some(above) => places[above] + linear[above] * (pivot - from),
            None => pivot,
        };
        let outer = above.map_or(Rotation3::identity(), |above| rotations[above]);
        // What has no joint moves with its parent.
        let (rotation, stretch) = match (own, above) {
            (None, Some(above)) => (outer, rotations[above].inverse().matrix() * linear[above]),
            _ => {
                let Move { rotation, along, across } = *own_move;
                let end = end_channel(segment).and_then(|channel| character.joints[channel]);
                let bone = end.map(|end| end - pivot).filter(|bone| bone.norm() > 1e-3);
                let axis = bone.map_or(Vec3::y(), |bone| bone.normalize());
                let outward = Matrix3::identity() * across + axis * axis.transpose() * (along - across);
                (outer * rotation, outward)
            }
        };
        pivots.push(pivot);
        places.push(place);
        linear.push(rotation.matrix() * stretch);
        rotations.push(rotation);
    }
    let moved = |point: &Vec3, segment: usize| places[segment] + linear[segment] * (point - pivots[segment]);
    let skinless = points.iter().all(|skin| skin.weights.is_empty());
    let points = points.iter().map(|skin| {
        if skin.weights.is_empty() {
            return (skin.point, None);
        }
        let total: f64 = skin.weights.iter().map(|(_, weight)| weight).sum();
        let mut position = Vec3::zeros();
        let mut matrix = Matrix3::zeros();
        for &(segment, weight) in &skin.weights {
            position += moved(&skin.point.position, segment) * (weight / total);
            matrix += linear[segment] * (weight / total);
        }
        let through = matrix * skin.point.normal;
        let normal = matrix.try_inverse().map_or(through, |inverse| inverse.transpose() * skin.point.normal);
        let strongest = skin.weights.iter().max_by(|a, b| a.1.total_cmp(&b.1)).map(|(segment, _)| *segment);
        let point = SurfacePoint {
            position,
            normal: normal.try_normalize(1e-9).unwrap_or(skin.point.normal),
            thickness: skin.point.thickness * through.norm(),
        };
        (point, strongest)
    });
    let mut joints = character.joints.clone();
    for (channel, joint) in joints.iter_mut().enumerate() {
        let Some(position) = *joint else { continue };
        let own = (0..SEGMENTS).find(|&segment| pivot_channel(segment) == Some(channel));
        // The joint of a segment is where its parent takes it; others move with the segment that ends in them.
        let carrier = match own {
            Some(segment) => parent(segment),
            None if channel == 2 => Some(1),
            None => (0..SEGMENTS).find(|&segment| end_channel(segment) == Some(channel)),
        };
        if let Some(carrier) = carrier {
            *joint = Some(moved(&position, carrier));
        }
    }
    if skinless {
        joints = character.joints.clone();
    }
    Body { points: points.collect(), joints, is_vague: character.is_vague.clone() }
}
