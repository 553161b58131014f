//! Writes a motion as BVH text, with fixed decimals so that the same motion is the same bytes.

use std::fmt::Write;

use puppetry::stages::math::{Quat, Vec3};

use super::dialect::{Dialect, Spelled};
use super::pose::{FPS, Frame};
use super::skeleton::Body;

/// The whole file.
pub fn write(body: &Body, frames: &[Frame], dialect: &Dialect) -> String {
    let joints = dialect.hierarchy(body);
    let mut text = String::from("HIERARCHY\n");
    write_joint(&mut text, &joints, 0, 0, dialect);
    let rest = Frame { root: body.rest(0), turns: vec![Quat::identity(); joints.len()], reach: 0.0 };
    let rows: Vec<&Frame> = dialect.rest_first.then_some(&rest).into_iter().chain(frames).collect();
    // Writing to a string cannot fail.
    let _ = write!(text, "MOTION\nFrames: {}\nFrame Time: {:.7}\n", rows.len(), 1.0 / FPS);
    let axes = axes(dialect.order);
    let mut angles = vec![[0.0; 3]; joints.len()];
    for row in rows {
        let (root, local) = dialect.frame(body, row);
        let mut values: Vec<String> = root.iter().map(|&v| decimal(v, position_decimals(dialect))).collect();
        for (angles, local) in angles.iter_mut().zip(&local) {
            *angles = euler(local, axes, *angles);
            values.extend(angles.iter().map(|&angle| decimal(angle, 4)));
        }
        text.push_str(&values.join(" "));
        text.push('\n');
    }
    text
}

fn write_joint(text: &mut String, joints: &[Spelled], joint: usize, depth: usize, dialect: &Dialect) {
    let (tabs, spelled) = ("\t".repeat(depth), &joints[joint]);
    let offset =
        |v: Vec3| v.iter().map(|&x| decimal(x, position_decimals(dialect))).collect::<Vec<_>>().join(" ");
    let rotations: Vec<String> = dialect.order.chars().map(|axis| format!("{axis}rotation")).collect();
    let (keyword, channels) = match spelled.parent {
        None => ("ROOT", "6 Xposition Yposition Zposition"),
        Some(_) => ("JOINT", "3"),
    };
    let _ = writeln!(text, "{tabs}{keyword} {}\n{tabs}{{", spelled.name);
    let _ = writeln!(text, "{tabs}\tOFFSET {}", offset(spelled.offset));
    let _ = writeln!(text, "{tabs}\tCHANNELS {channels} {}", rotations.join(" "));
    for child in (0..joints.len()).filter(|&child| joints[child].parent == Some(joint)) {
        write_joint(text, joints, child, depth + 1, dialect);
    }
    if let Some(end) = spelled.end {
        let _ = writeln!(text, "{tabs}\tEnd Site\n{tabs}\t{{\n{tabs}\t\tOFFSET {}\n{tabs}\t}}", offset(end));
    }
    let _ = writeln!(text, "{tabs}}}");
}

/// A hundredth of a millimetre or finer, whatever the unit.
fn position_decimals(dialect: &Dialect) -> usize {
    if dialect.units_per_metre > 1.0 { 4 } else { 6 }
}

/// Fixed decimals without a negative zero.
fn decimal(value: f64, decimals: usize) -> String {
    let text = format!("{value:.decimals$}");
    match text.strip_prefix('-') {
        Some(positive) if positive.chars().all(|c| c == '0' || c == '.') => positive.into(),
        _ => text,
    }
}

fn axes(order: &str) -> [usize; 3] {
    let mut axes = [0; 3];
    for (axis, letter) in axes.iter_mut().zip(order.bytes()) {
        *axis = usize::from(letter - b'X');
    }
    axes
}

/// Angles in degrees of the rotations about the three axes, applied in listed order about the turning axes. Of all
/// equivalent triples the one nearest to `previous`, so that the channels are continuous.
fn euler(turn: &Quat, [i, j, k]: [usize; 3], previous: [f64; 3]) -> [f64; 3] {
    let m = turn.to_rotation_matrix();
    let even = if (i + 1) % 3 == j { 1.0 } else { -1.0 };
    let first = (-even * m[(j, k)]).atan2(m[(k, k)]).to_degrees();
    let second = (even * m[(i, k)]).clamp(-1.0, 1.0).asin().to_degrees();
    let third = (-even * m[(i, j)]).atan2(m[(i, i)]).to_degrees();
    let near = |angles: [f64; 3]| {
        let mut near = angles;
        for (angle, previous) in near.iter_mut().zip(previous) {
            *angle -= 360.0 * ((*angle - previous) / 360.0).round();
        }
        let distance: f64 = near.iter().zip(previous).map(|(a, b)| (a - b).powi(2)).sum();
        (distance, near)
    };
    let (one, other) = (near([first, second, third]), near([first + 180.0, 180.0 - second, third + 180.0]));
    if one.0 <= other.0 { one.1 } else { other.1 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn angles_compose_to_the_rotation_in_every_order() {
        let turn = Quat::from_euler_angles(0.4, -1.1, 2.0);
        let unit = [Vec3::x_axis(), Vec3::y_axis(), Vec3::z_axis()];
        for order in ["XYZ", "XZY", "YXZ", "YZX", "ZXY", "ZYX"] {
            for previous in [[0.0; 3], [400.0, 170.0, -300.0]] {
                let (axes, angles) = (axes(order), euler(&turn, axes(order), previous));
                let product = (0..3).fold(Quat::identity(), |product, n| {
                    product * Quat::from_axis_angle(&unit[axes[n]], angles[n].to_radians())
                });
                assert!(product.angle_to(&turn) < 1e-9, "{order} {angles:?}");
            }
        }
    }

    #[test]
    fn zero_has_no_sign() {
        assert_eq!(
            [decimal(-0.00001, 4), decimal(-0.0001, 4), decimal(2.0, 1)],
            ["0.0000", "-0.0001", "2.0"]
        );
    }
}
