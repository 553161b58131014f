//! Why a rig is refused: what the character looks like, what speaks against its joints, and the ways out.

use crate::Warning;
use crate::embed::confidence::Evidence;
use crate::pipeline::{Jointed, Likeness};
use crate::skeleton::Figure;

/// Of strangers that are less sure than 0.5 one in seven passes (docs/prior.md).
pub const MIN_CONFIDENCE: f64 = 0.3;

/// Why a rig is refused that is less likely to be good than `least`; `None` if it is not.
pub fn refusal(jointed: &Jointed, least: f64) -> Option<String> {
    let confidence = jointed.confidence().filter(|confidence| *confidence < least)?;
    let skeleton = &jointed.rig_file.skeleton.name;
    let looks = jointed.looks_like();
    let looks = looks.map_or_else(|| unlike(jointed), |looks| looks.to_string());
    let doubts: Vec<String> = jointed.doubts().unwrap_or_default();
    let doubts = doubts.into_iter().filter(|doubt| *doubt != looks && doubt != Evidence::UNLIKE_ANY);
    let doubts: String = doubts.map(|doubt| format!(", {doubt}")).collect();
    Some(format!(
        "{looks} (the skeleton '{skeleton}' fits with a confidence of {confidence:.2}, less than --min-confidence \
         {least}{doubts}); {}, name another --skeleton, place joints with --hint or --joints, see why with \
         'puppetry rig --stages DIR', or write it all the same with --force",
        pose_that_helps(jointed)
    ))
}

/// What a body is not, of which nobody knows what it looks like.
fn unlike(jointed: &Jointed) -> String {
    match jointed.joints.made() {
        Some(_) => "its limbs hardly make a body".to_owned(),
        None => format!("it hardly looks like a {}", jointed.rig_file.skeleton.name),
    }
}

/// The pose in which bodies like this one are bound.
fn pose_that_helps(jointed: &Jointed) -> &'static str {
    let is_nobody = jointed.looks_like().is_some_and(Likeness::is_nobody);
    let is_animal = match jointed.looks_like() {
        Some(Likeness::Animal) => true,
        Some(Likeness::Person) => false,
        Some(Likeness::Neither | Likeness::Unknown) | None => {
            Figure::of_skeleton(&jointed.rig_file.skeleton).is_quadruped()
        }
    };
    match (is_nobody, is_animal) {
        (false, false) => "save it standing in a T- or A-pose",
        (false, true) => "save it standing on straight legs",
        (true, false) => "if it is a character, save it standing in a T- or A-pose",
        (true, true) => "if it is a character, save it standing on straight legs",
    }
}

/// Whether a warning about a character that is refused says again why.
pub fn is_reason(warning: &Warning) -> bool {
    matches!(
        warning,
        Warning::LowConfidence { .. } | Warning::DoubtfulJoint { .. } | Warning::PiecesPart { .. }
    )
}

/// Leaves out what was only assumed of something that is refused, and is no character: which way it stands, and in which pose.
pub fn forget_assumptions(jointed: &mut Jointed) {
    if jointed.looks_like().is_some_and(Likeness::is_nobody) {
        let is_assumed =
            |warning: &Warning| matches!(warning, Warning::OrientationAssumed { .. } | Warning::Posed { .. });
        jointed.warnings.retain(|warning| !is_assumed(warning));
    }
}
