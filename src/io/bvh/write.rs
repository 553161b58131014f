use crate::math::{Mat3, Quat, Vec3, atan2, hypot};
use crate::motion::Motion;
use std::fmt::Write;

/// The order in which a joint's rotations are listed and applied.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[allow(missing_docs)]
pub enum RotationOrder {
    Xyz,
    Xzy,
    Yxz,
    Yzx,
    /// What most programs write.
    #[default]
    Zxy,
    Zyx,
}

impl RotationOrder {
    /// All six.
    pub const ALL: [RotationOrder; 6] = [
        RotationOrder::Xyz,
        RotationOrder::Xzy,
        RotationOrder::Yxz,
        RotationOrder::Yzx,
        RotationOrder::Zxy,
        RotationOrder::Zyx,
    ];

    /// 0, 1, 2 for X, Y, Z, in the listed order.
    pub fn axes(self) -> [usize; 3] {
        [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]][self as usize]
    }

    /// The angles in degrees, in the listed order, of a rotation.
    pub fn degrees(self, rotation: &Quat) -> [f64; 3] {
        let [i, j, k] = self.axes();
        let sign = if (i + 1) % 3 == j { 1.0 } else { -1.0 };
        let m: Mat3 = rotation.to_rotation_matrix().into_inner();
        let cosine = hypot(m[(i, i)], m[(i, j)]);
        let middle = atan2(sign * m[(i, k)], cosine);
        let [first, last] = if cosine > GIMBAL_LOCK {
            [atan2(-sign * m[(j, k)], m[(k, k)]), atan2(-sign * m[(i, j)], m[(i, i)])]
        } else {
            [atan2(sign * m[(k, j)], m[(j, j)]), 0.0]
        };
        [first, middle, last].map(f64::to_degrees)
    }
}

/// Where the middle angle is a right one, the others turn about one axis, and one of them suffices. Nearer to it their difference
/// is all rounding; farther away it is good to 1e-8.
const GIMBAL_LOCK: f64 = 1e-8;
/// Angles are written with six digits after the point.
const SIX_DIGITS: f64 = 1e6;

/// Writes a BVH file with `\n` as line ends. Rotations are exact to a millionth of a degree, lengths to nine digits.
///
/// A rest pose is the first frame. Joints stand in the order of the tree. A joint that ends a limb without an end site
/// gets one of length zero, because
/// other programs lose such joints.
pub fn write(motion: &Motion, order: RotationOrder) -> String {
    let with_rest = motion.rest.is_some().then(|| motion.clone().with_rest_in_front());
    let motion = with_rest.as_ref().unwrap_or(motion);
    let children = motion.joints.children();
    let mut text = String::from("HIERARCHY\n");
    let mut in_order = Vec::new();
    let mut stack = vec![(0, false)];
    let mut depth = 0;
    while let Some((joint, is_closing)) = stack.pop() {
        if is_closing {
            depth -= 1;
            let _ = writeln!(text, "{}}}", indent(depth));
            continue;
        }
        in_order.push(joint);
        open(&mut text, motion, joint, depth, order);
        if children[joint].is_empty() && !motion.joints[joint].is_end {
            let inner = indent(depth + 1);
            let _ = writeln!(text, "{inner}End Site\n{inner}{{\n{inner}\tOFFSET 0 0 0\n{inner}}}");
        }
        depth += 1;
        stack.push((joint, true));
        stack.extend(children[joint].iter().rev().map(|&child| (child, false)));
    }
    let _ = write!(
        text,
        "MOTION\nFrames: {}\nFrame Time: {}\n",
        motion.frames,
        nine_digits(motion.frame_seconds)
    );
    for frame in 0..motion.frames {
        write_frame(&mut text, motion, &in_order, frame, order);
    }
    text
}

/// Deep hierarchies are not indented for ever: a chain of 10,000 joints would take 100 MB of tabs.
fn indent(depth: usize) -> &'static str {
    const TABS: &str = "\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t";
    &TABS[..depth.min(TABS.len())]
}

/// The lines of a joint up to its children.
fn open(text: &mut String, motion: &Motion, index: usize, depth: usize, order: RotationOrder) {
    let joint = &motion.joints[index];
    let (outer, inner) = (indent(depth), indent(depth + 1));
    let _ = match (joint.is_end, joint.parent) {
        (true, _) => writeln!(text, "{outer}End Site"),
        (false, None) => writeln!(text, "{outer}ROOT {}", joint.name),
        (false, Some(_)) => writeln!(text, "{outer}JOINT {}", joint.name),
    };
    let _ = writeln!(text, "{outer}{{\n{inner}OFFSET {}", lengths(&joint.offset));
    if joint.is_end {
        return;
    }
    let mut channels = Vec::new();
    if motion.translations.track_of(index).is_some() {
        channels.extend(["Xposition", "Yposition", "Zposition"]);
    }
    if motion.rotations.track_of(index).is_some() {
        channels.extend(order.axes().map(|axis| ["Xrotation", "Yrotation", "Zrotation"][axis]));
    }
    let _ = writeln!(text, "{inner}CHANNELS {} {}", channels.len(), channels.join(" "));
}

fn write_frame(text: &mut String, motion: &Motion, in_order: &[usize], frame: usize, order: RotationOrder) {
    let start = text.len();
    for &joint in in_order {
        if let Some(track) = motion.translations.track_of(joint) {
            let _ = write!(text, "{} ", lengths(&motion.translations.at(frame)[track]));
        }
        if let Some(track) = motion.rotations.track_of(joint) {
            for degrees in order.degrees(&motion.rotations.at(frame)[track]) {
                // Adding zero turns -0 into 0.
                let _ = write!(text, "{} ", (degrees * SIX_DIGITS).round() / SIX_DIGITS + 0.0);
            }
        }
    }
    if text.len() > start {
        text.pop();
    }
    text.push('\n');
}

fn lengths(v: &Vec3) -> String {
    format!("{} {} {}", nine_digits(v.x), nine_digits(v.y), nine_digits(v.z))
}

/// A number to nine significant digits, without trailing zeros.
fn nine_digits(number: f64) -> f64 {
    format!("{number:.8e}").parse::<f64>().unwrap_or(number) + 0.0
}
