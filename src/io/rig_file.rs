//! Rig files, version 1: joints in the coordinates of the mesh file, and what is known about them. The schema is
//! described in `docs/rig-file.md`.

use super::json_text::{self, member, text};
use super::{Fault, Problem};
use crate::math::{Mat3, Mat4, Quat, Similarity, Vec3, cbrt};
use crate::rig::{Rig, RigSole, SolePoint, bind_pose};
use crate::skeleton::{Hierarchy, Joint, Skeleton, Sole};
use indexmap::IndexMap;
use serde::Serialize;
use serde_json::Value;

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
    match document.get(VERSION_KEY) {
        Some(version) if version.as_u64() == Some(VERSION) => {}
        Some(version) => {
            let problem = json_text::unexpected("version 1 of the rig file", version);
            return Err(Fault::json(format!("/{VERSION_KEY}"), problem));
        }
        None => {
            let why = format!("it has no field \"{VERSION_KEY}\"");
            return Err(Fault::json("", Problem::Invalid { what: "the rig file", why }));
        }
    }
    let (skeleton, confidences) = read_skeleton(&document)?;
    let confidence = read_confidence(&document, "")?;
    let symmetric = match document.get("symmetric") {
        Some(value) => value
            .as_bool()
            .ok_or_else(|| Fault::json("/symmetric", json_text::unexpected("true or false", value)))?,
        None => false,
    };
    let soles = json_text::list(&document, "soles")?.iter().enumerate();
    let soles = soles
        .map(|(index, value)| {
            read_sole(&skeleton, value)
                .map_err(|(key, problem)| Fault::json(format!("/soles/{index}{key}"), problem))
        })
        .collect::<Result<_, Fault>>()?;
    let output_from_input = match document.get("output_from_input") {
        Some(value) => {
            read_transform(value).map_err(|problem| Fault::json("/output_from_input/matrix", problem))?
        }
        None => Similarity::identity(),
    };
    Ok(RigFile { skeleton, confidences, confidence, symmetric, soles, output_from_input })
}

fn read_skeleton(document: &Value) -> Result<(Skeleton, Vec<f64>), Fault> {
    let name = member(document, "skeleton").and_then(|value| text(value, "the name of the skeleton"));
    let name = name.map_err(|problem| Fault::json("/skeleton", problem))?.to_owned();
    let mut skeleton =
        Skeleton { name, about: String::new(), joints: Hierarchy::default(), weights: Default::default() };
    let mut confidences = Vec::new();
    let mut partners: Vec<Option<String>> = Vec::new();
    for (index, value) in json_text::list(document, "hierarchy")?.iter().enumerate() {
        let (joint, partner) = read_joint(&skeleton, document, value)
            .map_err(|(key, problem)| Fault::json(format!("/hierarchy/{index}{key}"), problem))?;
        partners.push(partner);
        skeleton.joints.push(joint);
        confidences.push(read_confidence(value, &format!("/hierarchy/{index}"))?);
    }
    if skeleton.joints.is_empty() {
        let why = "it has no joints".into();
        return Err(Fault::json("/hierarchy", Problem::Invalid { what: "the skeleton", why }));
    }
    for (index, partner) in partners.iter().enumerate() {
        let Some(name) = partner else { continue };
        let found = skeleton.find(name).filter(|&other| {
            other != index && partners[other].as_ref() == Some(&skeleton.joints[index].name)
        });
        let expected = "a joint whose own partner is this one";
        let problem = Problem::syntax(expected, name);
        let pointer = format!("/hierarchy/{index}/partner");
        skeleton.joints[index].partner = Some(found.ok_or_else(|| Fault::json(pointer, problem))?);
    }
    skeleton.recognise_roles();
    Ok((skeleton, confidences))
}

/// A joint of the hierarchy, without its partner, and its partner's name; or the key below it that is wrong.
fn read_joint(
    skeleton: &Skeleton,
    document: &Value,
    value: &Value,
) -> Result<(Joint, Option<String>), (&'static str, Problem)> {
    let name = member(value, "name").and_then(|name| text(name, "a joint's name"));
    let name = name.map_err(|problem| ("/name", problem))?;
    if name.is_empty() || skeleton.find(name).is_some() {
        return Err(("/name", Problem::syntax("a name that is not taken", name)));
    }
    let parent = optional_name(value, "parent", "the parent's name, or null");
    let parent = parent.map_err(|problem| ("/parent", problem))?.map(|parent| {
        let expected = "a joint that stands above as the parent";
        skeleton.find(parent).ok_or_else(|| ("/parent", Problem::syntax(expected, parent)))
    });
    let parent = parent.transpose()?;
    if parent.is_none() != skeleton.joints.is_empty() {
        let why = "the first joint, and no other, has the parent null".into();
        return Err(("/parent", Problem::Invalid { what: "the root", why }));
    }
    let partner = optional_name(value, "partner", "the partner's name, or null");
    let partner = partner.map_err(|problem| ("/partner", problem))?.map(str::to_owned);
    let mut joint = Joint { name: name.to_owned(), parent, ..Joint::default() };
    let tags = json_text::list(value, "tags").map_err(|fault| ("/tags", fault.problem))?;
    for tag in tags {
        match tag.as_str() {
            Some("foot") => joint.is_foot = true,
            // `fat` is the word of version 0.1.
            Some("torso" | "fat") => joint.is_torso = true,
            Some("tip") => joint.is_tip = true,
            _ => return Err(("/tags", json_text::unexpected("one of the tags foot, torso, tip", tag))),
        }
    }
    let positions = document.get(if joint.is_tip { "tips" } else { "joints" });
    let Some(position) = positions.and_then(|positions| positions.get(name)) else {
        let why = format!("{name} has no position there");
        let what = if joint.is_tip { "the object \"tips\"" } else { "the object \"joints\"" };
        return Err(("/name", Problem::Invalid { what, why }));
    };
    joint.position = point(position).map_err(|problem| ("/name", problem))?;
    Ok((joint, partner))
}

fn read_sole(skeleton: &Skeleton, value: &Value) -> Result<Sole, (&'static str, Problem)> {
    let name = member(value, "joint").and_then(|name| text(name, "a joint's name"));
    let name = name.map_err(|problem| ("/joint", problem))?;
    let joint = skeleton.find(name);
    Ok(Sole {
        joint: joint.ok_or_else(|| ("/joint", Problem::syntax("a joint of the hierarchy", name)))?,
        heel: member(value, "heel").and_then(point).map_err(|problem| ("/heel", problem))?,
        ball: member(value, "ball").and_then(point).map_err(|problem| ("/ball", problem))?,
        toe: member(value, "toe").and_then(point).map_err(|problem| ("/toe", problem))?,
    })
}

/// The name of a joint, if the member is there and not null.
fn optional_name<'a>(
    value: &'a Value,
    key: &str,
    expected: &'static str,
) -> Result<Option<&'a str>, Problem> {
    value.get(key).filter(|value| !value.is_null()).map(|name| text(name, expected)).transpose()
}

/// A similarity from its matrix; the parts beside it are for people.
fn read_transform(value: &Value) -> Result<Similarity, Problem> {
    let matrix = Mat4::from_column_slice(&numbers::<16>(member(value, "matrix")?, "16 numbers")?);
    let axes: Mat3 = matrix.fixed_view::<3, 3>(0, 0).into();
    let scale = cbrt(axes.determinant());
    let rotation = axes / scale;
    let is_similar = scale.is_normal()
        && scale > 0.0
        && matrix.row(3) == nalgebra::RowVector4::new(0.0, 0.0, 0.0, 1.0)
        && (rotation * rotation.transpose() - Mat3::identity()).abs().max() < ROUNDING;
    if !is_similar {
        let why = "it is not made of a shift, a turn and one positive scale".into();
        return Err(Problem::Invalid { what: "the transform", why });
    }
    let rotation = Quat::from_rotation_matrix(&nalgebra::Rotation3::from_matrix_unchecked(rotation));
    let translation = Vec3::new(matrix[(0, 3)], matrix[(1, 3)], matrix[(2, 3)]);
    Ok(Similarity::from_parts(translation.into(), rotation, scale))
}

fn point(value: &Value) -> Result<Vec3, Problem> {
    Ok(Vec3::from(numbers::<3>(value, "a position [x, y, z]")?))
}

/// The confidence of the value at a pointer; 1 if none is given.
fn read_confidence(value: &Value, pointer: &str) -> Result<f64, Fault> {
    let Some(value) = value.get("confidence") else { return Ok(1.0) };
    let number = value.as_f64().filter(|number| (0.0..=1.0).contains(number));
    number.ok_or_else(|| {
        Fault::json(format!("{pointer}/confidence"), json_text::unexpected("a number from 0 to 1", value))
    })
}

fn numbers<const N: usize>(value: &Value, expected: &'static str) -> Result<[f64; N], Problem> {
    let list: Option<Vec<f64>> = value.as_array().and_then(|list| list.iter().map(Value::as_f64).collect());
    let list = list.filter(|list| list.iter().all(|x| x.is_finite()));
    list.and_then(|list| list.try_into().ok()).ok_or_else(|| json_text::unexpected(expected, value))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::io::{Location, skeleton_file};
    use crate::skeleton::{PenaltyWeights, built_in};
    use proptest::prelude::*;
    use serde_json::{Map, json};

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

    #[test]
    fn mistakes_are_named_with_their_place() {
        let good = r#"{"puppetry_rig": 1, "skeleton": "rope", "joints": {"a": [0, 1, 2], "b": [1, 0, 0]}, "tips": {},
"hierarchy": [{"name": "a", "parent": null, "partner": null}, {"name": "b", "parent": "a", "tags": []}], "soles": []}"#;
        read(good.as_bytes()).unwrap();
        for (old, new, place, part) in [
            ("[1, 0, 0]", "[1, 0, 0", ", line 1", "JSON is broken"),
            ("\"soles\": []", "", ", line 2", "JSON is broken"),
            ("\"puppetry_rig\": 1, ", "", ", at the top level", "no field \"puppetry_rig\""),
            ("_rig\": 1", "_rig\": 2", ", at /puppetry_rig", "expected version 1 of the rig file, found '2'"),
            ("\"rope\"", "7", ", at /skeleton", "the name of the skeleton, found '7'"),
            ("[1, 0, 0]", "[1, 0]", ", at /hierarchy/1/name", "a position [x, y, z], found '[1,0]'"),
            ("\"b\": [1, 0, 0]", "\"c\": [1, 0, 0]", ", at /hierarchy/1/name", "b has no position"),
            ("{\"name\": \"b\"", "{\"name\": \"a\"", ", at /hierarchy/1/name", "not taken, found 'a'"),
            ("\"parent\": \"a\"", "\"parent\": \"b\"", ", at /hierarchy/1/parent", "stands above"),
            (
                "\"parent\": \"a\"",
                "\"parent\": null",
                ", at /hierarchy/1/parent",
                "the first joint, and no other",
            ),
            (
                "\"partner\": null",
                "\"partner\": \"b\"",
                ", at /hierarchy/0/partner",
                "whose own partner is this one",
            ),
            ("\"tags\": []", "\"tags\": [\"big\"]", ", at /hierarchy/1/tags", "found 'big'"),
            ("\"tags\": []", "\"tags\": 1", ", at /hierarchy/1/tags", "a list"),
            ("\"tags\": []", "\"confidence\": 2", ", at /hierarchy/1/confidence", "from 0 to 1"),
            ("\"soles\": []", "\"soles\": {}", ", at /soles", "a list, found '{}'"),
            (
                "\"soles\": []",
                "\"soles\": [{\"joint\": \"x\"}]",
                ", at /soles/0/joint",
                "a joint of the hierarchy",
            ),
            ("\"soles\": []", "\"soles\": [{\"joint\": \"a\"}]", ", at /soles/0/heel", "no \"heel\""),
            ("\"soles\": []", "\"symmetric\": 1", ", at /symmetric", "true or false"),
            (
                "\"soles\": []",
                "\"output_from_input\": {\"matrix\": [1,0,0,0, 0,-1,0,0, 0,0,1,0, 0,0,0,1]}",
                ", at /output_from_input/matrix",
                "one positive scale",
            ),
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
            prop_oneof![Just("a"), Just("b"), Just("tip"), Just("")].prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 48, 4, |inner| {
            let key = prop_oneof![
                Just("name"),
                Just("parent"),
                Just("partner"),
                Just("tags"),
                Just("a"),
                Just("b"),
                Just("joint"),
                Just("matrix"),
                Just("heel")
            ];
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                prop::collection::btree_map(key, inner, 0..4).prop_map(|members| members
                    .into_iter()
                    .map(|(key, value)| (key.to_owned(), value))
                    .collect::<Map<_, _>>()
                    .into()),
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
