//! Rig files, version 1: joints in the coordinates of the mesh file, and what is known about them. The schema is
//! described in `docs/rig-file.md`.

use super::assembly::{linear, translation};
use super::json_item::Item;
use super::json_text;
use super::{Fault, Problem};
use crate::math::{Mat3, Mat4, Similarity, Vec3, cbrt, rotation_of};
use crate::rig::{Rig, RigSole, SolePoint, bind_pose};
use crate::skeleton::{Hierarchy, Joint, Skeleton, Sole};
use indexmap::IndexMap;
use serde::Serialize;

/// What a rig file holds.
#[derive(Debug, Clone, PartialEq)]
pub struct RigFile {
    /// The skeleton with its positions in the coordinates of the mesh file. It has no `about`.
    pub skeleton: Skeleton,
    /// For each joint the confidence in its position, 0 to 1.
    pub confidences: Vec<f64>,
    /// The confidence in the whole, 0 to 1.
    pub confidence: f64,
    /// Left and right are mirror images.
    pub symmetric: bool,
    /// The soles of the feet, in the coordinates of the mesh file.
    pub soles: Vec<Sole>,
    /// From the coordinates of the mesh file to those of the output: metres, +Y up, facing +Z.
    pub output_from_input: Similarity,
}

impl RigFile {
    /// The rig in the coordinates of the output, with the soles as their three points.
    pub fn rig(&self) -> Rig {
        let joints = &self.skeleton.joints;
        let positions: Vec<Vec3> = joints.iter().map(|joint| self.output(&joint.position)).collect();
        let rest = bind_pose(&self.skeleton, &positions);
        let soles = self.soles.iter().map(|sole| self.rig_sole(sole, &rest.exported)).collect();
        Rig { soles, ..rest.into_rig() }
    }

    /// A point of the mesh file in the coordinates of the output.
    fn output(&self, point: &Vec3) -> Vec3 {
        self.output_from_input.transform_point(&(*point).into()).coords
    }

    /// The toe point moves with the child of the foot, if there is one.
    fn rig_sole(&self, sole: &Sole, exported: &[u16]) -> RigSole {
        let toes = self.skeleton.joints.iter().position(|joint| joint.parent == Some(sole.joint));
        let [foot, toes] = [sole.joint, toes.unwrap_or(sole.joint)].map(|joint| usize::from(exported[joint]));
        let points = [(&sole.heel, foot), (&sole.ball, foot), (&sole.toe, toes)]
            .map(|(point, joint)| SolePoint { position: self.output(point), weights: vec![(joint, 1.0)] });
        RigSole { foot, points: points.into() }
    }
}

/// Whether these are the bytes of a rig file.
pub fn is_rig_file(bytes: &[u8]) -> bool {
    // The key stands among the first of the file, as it is written here.
    let start = &bytes[..bytes.len().min(1024)];
    start.windows(VERSION_KEY.len()).any(|window| window == VERSION_KEY.as_bytes())
        && start.iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b'{')
}

/// The key that tells a rig file from other JSON, and its version.
const VERSION_KEY: &str = "puppetry_rig";
const VERSION: u64 = 1;
/// A transform whose axes differ by more than this from orthogonal ones of one length is no similarity.
const ROUNDING: f64 = 1e-6;

/// A rig file as it is written.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
#[allow(missing_docs)]
pub struct RigRecord {
    pub puppetry_rig: u64,
    pub skeleton: String,
    pub confidence: f64,
    pub symmetric: bool,
    pub joints: IndexMap<String, [f64; 3]>,
    pub tips: IndexMap<String, [f64; 3]>,
    pub hierarchy: Vec<JointRecord>,
    pub soles: Vec<SoleRecord>,
    pub output_from_input: TransformRecord,
}

/// A joint of a rig file: parents stand before children.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
#[allow(missing_docs)]
pub struct JointRecord {
    pub name: String,
    pub parent: Option<String>,
    pub partner: Option<String>,
    pub tags: Vec<&'static str>,
    pub confidence: f64,
}

/// The contact points of a foot.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
#[allow(missing_docs)]
pub struct SoleRecord {
    pub joint: String,
    pub heel: [f64; 3],
    pub ball: [f64; 3],
    pub toe: [f64; 3],
}

/// A similarity as its matrix, column by column, and its parts; the rotation is a quaternion x, y, z, w.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
#[allow(missing_docs)]
pub struct TransformRecord {
    pub matrix: [f64; 16],
    pub scale: f64,
    pub rotation: [f64; 4],
    pub translation: [f64; 3],
}

/// Writes a rig file. The same rig gives the same bytes.
pub fn write(rig: &RigFile) -> String {
    // Nothing in a record can fail to become JSON: keys are texts, and numbers that are not finite become null.
    json_text::lines(&serde_json::to_value(RigRecord::from(rig)).unwrap_or_default(), 2)
}

impl From<&RigFile> for RigRecord {
    fn from(rig: &RigFile) -> RigRecord {
        let joints = &rig.skeleton.joints;
        let hierarchy = joints.iter().zip(&rig.confidences).map(|(joint, &confidence)| {
            let [parent, partner] =
                [joint.parent, joint.partner].map(|joint| Some(joints[joint?].name.clone()));
            let tags = [(joint.is_foot, "foot"), (joint.is_torso, "torso"), (joint.is_tip, "tip")];
            let tags = tags.iter().filter(|(is_set, _)| *is_set).map(|(_, tag)| *tag).collect();
            JointRecord { name: joint.name.clone(), parent, partner, tags, confidence: rounded(confidence) }
        });
        let soles = rig.soles.iter().map(|sole| SoleRecord {
            joint: joints[sole.joint].name.clone(),
            heel: position_record(&sole.heel),
            ball: position_record(&sole.ball),
            toe: position_record(&sole.toe),
        });
        let (tips, inner): (Vec<&Joint>, Vec<&Joint>) = joints.iter().partition(|joint| joint.is_tip);
        RigRecord {
            puppetry_rig: VERSION,
            skeleton: rig.skeleton.name.clone(),
            confidence: rounded(rig.confidence),
            symmetric: rig.symmetric,
            joints: positions(&inner),
            tips: positions(&tips),
            hierarchy: hierarchy.collect(),
            soles: soles.collect(),
            output_from_input: TransformRecord::from(&rig.output_from_input),
        }
    }
}

fn positions(joints: &[&Joint]) -> IndexMap<String, [f64; 3]> {
    joints.iter().map(|joint| (joint.name.clone(), position_record(&joint.position))).collect()
}

impl From<&Similarity> for TransformRecord {
    fn from(similarity: &Similarity) -> TransformRecord {
        let mut matrix = [0.0; 16];
        matrix.copy_from_slice(similarity.to_homogeneous().as_slice());
        TransformRecord {
            matrix,
            scale: similarity.scaling(),
            rotation: similarity.isometry.rotation.coords.into(),
            translation: similarity.isometry.translation.vector.into(),
        }
    }
}

/// A position with the digits of an `f32`, as mesh files have them.
pub fn position_record(position: &Vec3) -> [f64; 3] {
    [position.x, position.y, position.z].map(single_precision)
}

/// A number with the digits of an `f32`.
fn single_precision(number: f64) -> f64 {
    // Adding zero makes -0 a plain 0; what is too large for an `f32` stays as it is.
    match number as f32 + 0.0 {
        short if short.is_finite() => short.to_string().parse().unwrap_or(number),
        _ => number,
    }
}

/// A confidence with three digits after the point, all that it is worth.
pub fn rounded(confidence: f64) -> f64 {
    const THREE_DIGITS: f64 = 1e3;
    (confidence * THREE_DIGITS).round() / THREE_DIGITS
}

/// Reads a rig file.
///
/// # Errors
/// A `Fault` with the line of broken JSON, or the field that is missing or is not what it must be.
pub fn read(bytes: &[u8]) -> Result<RigFile, Fault> {
    let document = json_text::parse(bytes)?;
    let root = Item::root(&document);
    match root.get(VERSION_KEY) {
        Some(version) if version.value.as_u64() == Some(VERSION) => {}
        Some(version) => return Err(version.expected("version 1 of the rig file")),
        None => return Err(root.invalid("the rig file", format!("it has no field \"{VERSION_KEY}\""))),
    }
    let (skeleton, confidences) = read_skeleton(&root)?;
    let symmetric = root.get("symmetric").map(|flag| {
        let is_symmetric = flag.value.as_bool();
        is_symmetric.ok_or_else(|| flag.expected("true or false"))
    });
    let soles = root.list("soles")?;
    let soles = soles.iter().map(|sole| read_sole(&skeleton, sole)).collect::<Result<_, Fault>>()?;
    let output_from_input = root.get("output_from_input").map(|transform| read_transform(&transform));
    Ok(RigFile {
        skeleton,
        confidences,
        confidence: read_confidence(&root)?,
        symmetric: symmetric.transpose()?.unwrap_or(false),
        soles,
        output_from_input: output_from_input.transpose()?.unwrap_or_else(Similarity::identity),
    })
}

fn read_skeleton(root: &Item) -> Result<(Skeleton, Vec<f64>), Fault> {
    let name = root.member("skeleton")?.as_text("the name of the skeleton")?.to_owned();
    let mut skeleton =
        Skeleton { name, about: String::new(), joints: Hierarchy::default(), weights: Default::default() };
    let (mut confidences, mut partners) = (Vec::new(), Vec::new());
    for item in root.list("hierarchy")? {
        let joint = read_joint(&skeleton, root, &item)?;
        let partner = item.get("partner");
        let partner_name = partner.as_ref().map(|partner| partner.as_text("the partner's name, or null"));
        partners.push(partner.zip(partner_name.transpose()?));
        skeleton.joints.push(joint);
        confidences.push(read_confidence(&item)?);
    }
    if skeleton.joints.is_empty() {
        let why = "it has no joints".into();
        return Err(Fault::json("/hierarchy", Problem::Invalid { what: "the skeleton", why }));
    }
    for (index, partner) in partners.iter().enumerate() {
        let Some((item, name)) = partner else { continue };
        let found = skeleton.find(name).filter(|&other| {
            let back = partners[other].as_ref().map(|(_, back)| *back);
            other != index && back == Some(&skeleton.joints[index].name)
        });
        let found = found.ok_or_else(|| item.expected("a joint whose own partner is this one"))?;
        skeleton.joints[index].partner = Some(found);
    }
    skeleton.recognise_roles();
    Ok((skeleton, confidences))
}

/// A joint of the hierarchy, without its partner.
fn read_joint(skeleton: &Skeleton, root: &Item, item: &Item) -> Result<Joint, Fault> {
    let name_item = item.member("name")?;
    let name = name_item.as_text("a joint's name")?;
    if name.is_empty() || skeleton.find(name).is_some() {
        return Err(name_item.expected("a name that is not taken"));
    }
    let parent = item.get("parent").map(|parent| {
        let above = skeleton.find(parent.as_text("the parent's name, or null")?);
        above.ok_or_else(|| parent.expected("a joint that stands above as the parent"))
    });
    let parent = parent.transpose()?;
    if parent.is_none() != skeleton.joints.is_empty() {
        let why = "the first joint, and no other, has the parent null".into();
        let pointer = format!("{}/parent", item.pointer);
        return Err(Fault::json(pointer, Problem::Invalid { what: "the root", why }));
    }
    let mut joint = Joint { name: name.to_owned(), parent, ..Joint::default() };
    for tag in item.list("tags")? {
        match tag.value.as_str() {
            Some("foot") => joint.is_foot = true,
            // `fat` is the word of version 0.1.
            Some("torso" | "fat") => joint.is_torso = true,
            Some("tip") => joint.is_tip = true,
            _ => return Err(tag.expected("one of the tags foot, torso, tip")),
        }
    }
    let (list, what) = match joint.is_tip {
        true => ("tips", "the object \"tips\""),
        false => ("joints", "the object \"joints\""),
    };
    let position = root.get(list).and_then(|positions| positions.get(name));
    let position =
        position.ok_or_else(|| name_item.invalid(what, format!("{name} has no position there")))?;
    joint.position = point(&position)?;
    Ok(joint)
}

fn read_sole(skeleton: &Skeleton, item: &Item) -> Result<Sole, Fault> {
    let joint = item.member("joint")?;
    let found = skeleton.find(joint.as_text("a joint's name")?);
    Ok(Sole {
        joint: found.ok_or_else(|| joint.expected("a joint of the hierarchy"))?,
        heel: point(&item.member("heel")?)?,
        ball: point(&item.member("ball")?)?,
        toe: point(&item.member("toe")?)?,
    })
}

/// A similarity from its matrix; the parts beside it are for people.
fn read_transform(item: &Item) -> Result<Similarity, Fault> {
    let item = item.member("matrix")?;
    let matrix = Mat4::from_column_slice(&item.as_numbers::<16>("16 numbers")?);
    let scale = cbrt(linear(&matrix).determinant());
    let rotation = linear(&matrix) / scale;
    let is_similar = scale.is_normal()
        && scale > 0.0
        && matrix.row(3) == nalgebra::RowVector4::new(0.0, 0.0, 0.0, 1.0)
        && (rotation * rotation.transpose() - Mat3::identity()).abs().max() < ROUNDING;
    if !is_similar {
        return Err(item.invalid("the transform", "it is not made of a shift, a turn and one positive scale"));
    }
    Ok(Similarity::from_parts(translation(&matrix).into(), rotation_of(&rotation), scale))
}

/// The position of a joint or of a point of a sole.
pub(super) fn point(item: &Item) -> Result<Vec3, Fault> {
    item.as_numbers("a position [x, y, z]").map(<[f64; 3]>::into)
}

/// The confidence of a joint or of the whole; 1 if none is given.
fn read_confidence(item: &Item) -> Result<f64, Fault> {
    let Some(confidence) = item.get("confidence") else { return Ok(1.0) };
    let number = confidence.value.as_f64().filter(|number| (0.0..=1.0).contains(number));
    number.ok_or_else(|| confidence.expected("a number from 0 to 1"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::io::{Location, skeleton_file};
    use crate::math::Quat;
    use crate::skeleton::{PenaltyWeights, built_in};
    use proptest::prelude::*;
    use serde_json::{Map, Value, json};

    fn example() -> RigFile {
        let mut skeleton = skeleton_file::read(built_in()[0].text).unwrap();
        // A rig has joints; what was needed to find them is not kept.
        skeleton.about.clear();
        skeleton.weights = PenaltyWeights::default();
        let turn = Quat::from_axis_angle(&Vec3::x_axis(), -std::f64::consts::FRAC_PI_2);
        let joints = skeleton.joints.len();
        let sole = Sole { joint: 3, heel: Vec3::x(), ball: Vec3::new(0.0, 0.25, -7.5), toe: Vec3::zeros() };
        RigFile {
            skeleton,
            confidences: (0..joints).map(|joint| joint as f64 / 100.0).collect(),
            confidence: 0.75,
            symmetric: true,
            soles: vec![sole],
            output_from_input: Similarity::from_parts(Vec3::new(1.0, -2.0, 3.5).into(), turn, 0.01),
        }
    }

    #[test]
    fn a_rig_is_written_and_read_back() {
        let rig = example();
        let text = write(&rig);
        let back = read(text.as_bytes()).unwrap();
        let difference = back.output_from_input.to_homogeneous() - rig.output_from_input.to_homogeneous();
        assert!(difference.abs().max() < 1e-12);
        assert_eq!(RigFile { output_from_input: rig.output_from_input, ..back }, rig);
    }

    #[test]
    fn joints_are_a_plain_object_and_tips_another() {
        let document: Value = serde_json::from_str(&write(&example())).unwrap();
        assert_eq!(document["joints"].as_object().unwrap().len(), 22);
        assert_eq!(document["joints"]["LeftHand"], json!([0.359, 0.587, 0]));
        assert_eq!(position_record(&Vec3::new(-0.0, 1e300, 0.1)), [0.0, 1e300, 0.1]);
        assert_eq!(document["tips"].as_object().unwrap().len(), 5);
        assert_eq!(
            document["hierarchy"][1],
            json!({
                "name": "Spine", "parent": "Hips", "partner": null, "tags": [], "confidence": 0.01
            })
        );
    }

    #[test]
    fn what_is_optional_has_a_default() {
        let text = r#"{"puppetry_rig": 1, "skeleton": "rope", "joints": {"a": [0, 1, 2], "b": [1e-3, 0, 0]},
            "hierarchy": [{"name": "a"}, {"name": "b", "parent": "a"}]}"#;
        let rig = read(text.as_bytes()).unwrap();
        assert_eq!((rig.confidence, rig.symmetric, rig.soles.len()), (1.0, false, 0));
        assert_eq!(rig.output_from_input, Similarity::identity());
        assert_eq!(rig.skeleton.joints[1].position, Vec3::new(0.001, 0.0, 0.0));
    }

    const MIRRORED: &str = r#""output_from_input": {"matrix": [1,0,0,0, 0,-1,0,0, 0,0,1,0, 0,0,0,1]}"#;

    #[test]
    fn mistakes_are_named_with_their_place() {
        let good = r#"{"puppetry_rig": 1, "skeleton": "rope", "joints": {"a": [0, 1, 2], "b": [1, 0, 0]}, "tips": {},
"hierarchy": [{"name": "a", "parent": null, "partner": null}, {"name": "b", "parent": "a", "tags": []}], "soles": []}"#;
        read(good.as_bytes()).unwrap();
        for (old, new, place, part) in [
            ("[1, 0, 0]", "[1, 0, 0", ", line 1", "JSON is broken"),
            (r#""soles": []"#, "", ", line 2", "JSON is broken"),
            (r#""puppetry_rig": 1, "#, "", ", at the top level", r#"no field "puppetry_rig""#),
            (
                r#"_rig": 1"#,
                r#"_rig": 2"#,
                ", at /puppetry_rig",
                "expected version 1 of the rig file, found '2'",
            ),
            (r#""rope""#, "7", ", at /skeleton", "the name of the skeleton, found '7'"),
            ("[1, 0, 0]", "[1, 0]", ", at /joints/b", "a position [x, y, z], found '[1,0]'"),
            (r#""b": [1"#, r#""c": [1"#, ", at /hierarchy/1/name", "b has no position"),
            (r#"{"name": "b""#, r#"{"name": "a""#, ", at /hierarchy/1/name", "not taken, found 'a'"),
            (r#"nt": "a""#, r#"nt": "b""#, ", at /hierarchy/1/parent", "stands above"),
            (r#"nt": "a""#, r#"nt": null"#, ", at /hierarchy/1/parent", "the first joint, and no other"),
            (r#"er": null"#, r#"er": "b""#, ", at /hierarchy/0/partner", "whose own partner is this one"),
            (r#"gs": []"#, r#"gs": ["big"]"#, ", at /hierarchy/1/tags/0", "found 'big'"),
            (r#"gs": []"#, r#"gs": 1"#, ", at /hierarchy/1/tags", "a list"),
            (r#""tags": []"#, r#""confidence": 2"#, ", at /hierarchy/1/confidence", "from 0 to 1"),
            (r#"les": []"#, r#"les": {}"#, ", at /soles", "a list, found '{}'"),
            (r#"les": []"#, r#"les": [{"joint": "x"}]"#, ", at /soles/0/joint", "a joint of the hierarchy"),
            (r#"les": []"#, r#"les": [{"joint": "a"}]"#, ", at /soles/0/heel", r#"no "heel""#),
            (r#""soles": []"#, r#""symmetric": 1"#, ", at /symmetric", "true or false"),
            (r#""soles": []"#, MIRRORED, ", at /output_from_input/matrix", "one positive scale"),
        ] {
            assert!(good.contains(old), "{old}");
            let fault = read(good.replacen(old, new, 1).as_bytes()).expect_err(new);
            assert_eq!(fault.at.to_string(), place, "{new}");
            assert!(fault.problem.to_string().contains(part), "{new}: {}", fault.problem);
        }
        assert_eq!(read(b"").unwrap_err().at, Location::Whole);
    }

    /// Any small JSON under the keys of a rig file.
    fn any_value() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<f64>().prop_map(Value::from),
            prop::sample::select(&["a", "b", "tip", ""][..]).prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 48, 4, |inner| {
            let keys = vec!["name", "parent", "partner", "tags", "a", "b", "joint", "matrix", "heel"];
            let key = prop::sample::select(keys).prop_map(str::to_owned);
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                prop::collection::btree_map(key, inner, 0..4)
                    .prop_map(|members| members.into_iter().collect::<Map<_, _>>().into()),
            ]
        })
    }

    proptest! {
        #[test]
        fn any_json_is_read_or_refused(
            joints in any_value(), hierarchy in any_value(), soles in any_value(), transform in any_value()
        ) {
            let document = json!({
                VERSION_KEY: 1, "skeleton": "x", "joints": joints, "tips": joints, "hierarchy": hierarchy,
                "soles": soles, "output_from_input": transform
            });
            let _ = read(document.to_string().as_bytes());
        }

        #[test]
        fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..64), at in 0usize..2000) {
            let _ = read(&bytes);
            // The same bytes in the middle of a good file.
            let mut text = write(&example()).into_bytes();
            let at = at.min(text.len());
            text.splice(at..(at + bytes.len()).min(text.len()), bytes);
            let _ = read(&text);
        }
    }
}
