//! Pinocchio's joint list: one joint in a line, `name x y z parent`, with `-1` for the parent of the root.
//!
//! It is what Pinocchio's programs read as a skeleton and write as `skeleton.out`. The list says nothing about
//! symmetry, feet or thick parts. Where Pinocchio guesses (a parent that is not there becomes the first joint, short lines are
//! skipped), this reader says what is wrong.

use super::text::{Text, shortened};
use super::{Fault, Problem};
use crate::math::Vec3;
use crate::rig::SkinWeights;
use crate::skeleton::{Hierarchy, Joint, Skeleton};
use std::collections::HashMap;

/// Reads a joint list. Coordinates are kept as they are.
///
/// # Errors
/// A `Fault` with its line for what is not a joint, numbers that are not finite, names that are taken, parents
/// that do not stand above, and if there is not exactly one root, in the first line.
pub fn read(bytes: &[u8]) -> Result<Skeleton, Fault> {
    let mut skeleton = Skeleton {
        name: "joints".into(),
        about: "a joint list".into(),
        joints: Hierarchy::default(),
        weights: Default::default(),
    };
    let mut index_of: HashMap<&[u8], usize> = HashMap::new();
    let mut text = Text::new(bytes);
    text.skip_to_word();
    while !text.is_done() {
        let line = text.line();
        let name = text.word();
        let mut position = Vec3::zeros();
        for axis in 0..3 {
            let before = text.clone();
            position[axis] = text.number()?;
            if !position[axis].is_finite() {
                return Err(before.unexpected("a finite number"));
            }
        }
        if text.at_line_end() {
            return Err(text.unexpected("the name of the parent, or -1 for the root"));
        }
        let parent_name = text.word();
        if !text.at_line_end() {
            return Err(text.unexpected("the end of the line after the parent"));
        }
        let parent = index_of.get(parent_name).copied();
        if parent.is_none() && parent_name != b"-1" {
            let expected = "a joint that stands above as the parent, or -1";
            return Err(Fault::line(line, Problem::Syntax { expected, found: shortened(parent_name) }));
        }
        if parent.is_none() != skeleton.joints.is_empty() {
            let why = "the first joint, and no other, has the parent -1".into();
            return Err(Fault::line(line, Problem::Invalid { what: "the root", why }));
        }
        if index_of.insert(name, skeleton.joints.len()).is_some() {
            let expected = "a name that is not taken";
            return Err(Fault::line(line, Problem::Syntax { expected, found: shortened(name) }));
        }
        skeleton.joints.push(Joint {
            name: String::from_utf8_lossy(name).into_owned(),
            parent,
            position,
            ..Joint::default()
        });
        text.skip_to_word();
    }
    if skeleton.joints.is_empty() {
        return Err(Fault::whole(Problem::Empty));
    }
    Ok(skeleton)
}

/// Writes a joint list as Pinocchio does: indices for names, six significant digits.
pub fn write(skeleton: &Skeleton) -> String {
    let mut text = String::new();
    for (index, joint) in skeleton.joints.iter().enumerate() {
        let [x, y, z] = [joint.position.x, joint.position.y, joint.position.z].map(six_digits);
        let parent = joint.parent.map_or("-1".to_owned(), |parent| parent.to_string());
        text.push_str(&format!("{index} {x} {y} {z} {parent}\n"));
    }
    text
}

/// Pinocchio rounds weights to four digits after the point.
const FOUR_DIGITS: f64 = 1e4;

/// Writes weights as Pinocchio does: a line for each vertex of the file with the weight of each bone, four digits after the
/// point. `welded` is the vertex of `weights` for each vertex of the file, `bones` the joint whose weight a bone has.
pub fn write_attachment(welded: &[u32], weights: &SkinWeights, bones: &[Option<usize>]) -> String {
    let mut text = String::new();
    for &vertex in welded {
        let mut of_joint: HashMap<usize, f64> = HashMap::new();
        weights.of(vertex as usize).for_each(|(joint, weight)| *of_joint.entry(joint).or_default() += weight);
        for bone in bones {
            let weight = bone.and_then(|joint| of_joint.get(&joint)).copied().unwrap_or(0.0);
            text.push_str(&six_digits((weight * FOUR_DIGITS).round() / FOUR_DIGITS));
            text.push(' ');
        }
        text.push('\n');
    }
    text
}

/// A finite number as a C++ stream prints it by default.
fn six_digits(number: f64) -> String {
    let scientific = format!("{number:.5e}");
    let (digits, exponent) = scientific.split_once('e').expect("a finite number has an exponent");
    let exponent: i32 = exponent.parse().expect("the exponent is a whole number");
    if (-4..6).contains(&exponent) {
        trimmed(&format!("{number:.*}", (5 - exponent) as usize)).to_owned()
    } else {
        let sign = if exponent < 0 { '-' } else { '+' };
        format!("{}e{sign}{:02}", trimmed(digits), exponent.abs())
    }
}

/// A number without the zeros behind its point.
fn trimmed(text: &str) -> &str {
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_list_is_read_and_written_back() {
        let list =
            "0 -1.3927 42.9006 19.404 -1\n1 -0.316879 49.3415 -7.07069 0\n2 0 0.0415761 1e-05 1\n3 5 6 7 1\n";
        let skeleton = read(list.as_bytes()).unwrap();
        assert_eq!(write(&skeleton), list);
        let parents: Vec<_> = skeleton.joints.iter().map(|joint| joint.parent).collect();
        assert_eq!(parents, [None, Some(0), Some(1), Some(1)]);
        let named =
            read(b"\xef\xbb\xbf# mine\r\n\r\nhips 0 1 0 -1\r\n  knee\t1 2 3 hips # left\r\n").unwrap();
        assert_eq!(named.find("knee"), Some(1));
        assert_eq!(named.joints[1].position, Vec3::new(1.0, 2.0, 3.0));
    }

    #[test]
    fn numbers_look_as_a_stream_prints_them() {
        for (number, text) in [
            (0.0, "0"),
            (1.0, "1"),
            (-0.0001, "-0.0001"),
            (0.00001234567, "1.23457e-05"),
            (123456.0, "123456"),
            (1234567.0, "1.23457e+06"),
            (999999.9, "1e+06"),
            (0.1 + 0.2, "0.3"),
            (-2.5e-120, "-2.5e-120"),
        ] {
            assert_eq!(six_digits(number), text);
        }
    }

    #[test]
    fn mistakes_are_named_with_their_line() {
        for (list, line, part) in [
            ("", "", "empty"),
            ("\n # only a comment", "", "empty"),
            ("a 0 0 0 -1\nb 0 0", ", line 2", "expected a number, found 'the end of the file'"),
            ("a 0 0 0 -1\nb 0 0 x a", ", line 2", "found 'x'"),
            ("a 0 nan 0 -1", ", line 1", "a finite number"),
            ("a 0 0 0 -1\nb 0 0 0", ", line 2", "the name of the parent"),
            ("a 0 0 0 -1\nb 0 0 0 c", ", line 2", "stands above"),
            ("a 0 0 0 -1\nb 0 0 0 a a", ", line 2", "the end of the line"),
            ("a 0 0 0 -1\nb 0 0 0 -1", ", line 2", "the first joint, and no other"),
            ("a 0 0 0 -1\na 0 0 0 a", ", line 2", "not taken"),
        ] {
            let fault = read(list.as_bytes()).unwrap_err();
            assert_eq!(fault.at.to_string(), line, "{list}");
            assert!(fault.problem.to_string().contains(part), "{list}: {}", fault.problem);
        }
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_or_refused(bytes in "[ab0-9. #\n-]{0,80}") {
            if let Ok(skeleton) = read(bytes.as_bytes()) {
                prop_assert_eq!(read(write(&skeleton).as_bytes()).unwrap().joints.len(), skeleton.joints.len());
            }
        }
    }
}
