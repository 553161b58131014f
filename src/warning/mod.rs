//! Every non-fatal finding as a value with its code and its sentence. Library and command line share it.

mod remedy;
mod repair;

pub use remedy::Remedy;
pub use repair::Repair;

use crate::math::Axis;
use std::fmt;

/// Something that a person should know but that did not stop the work.
///
/// Its `Display` is one sentence that says what was found and what was done about it; it ends with its [`Warning::remedy`], if there
/// is one.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Warning {
    /// A file that the mesh refers to could not be read; the mesh was loaded without it.
    FileMissing {
        /// What it is: `material library`, `image`, …
        what: &'static str,
        /// The reference as the mesh file spells it.
        name: String,
        /// Why it could not be read.
        reason: String,
    },
    /// Elements of the file that are not part of a surface were left out: points, lines, empty polygons.
    Ignored {
        /// What they are, in the plural.
        what: &'static str,
        /// How many.
        count: usize,
    },
    /// Values that are optional were unusable and count as absent: normals or texture coordinates that are
    /// not numbers.
    Dropped {
        /// What they are, in the plural.
        what: &'static str,
        /// How many.
        count: usize,
        /// Why.
        reason: &'static str,
    },
    /// A line that is not understood was skipped; counted, with the first one shown.
    SkippedLines {
        /// How many.
        count: usize,
        /// Number of the first one, from 1.
        first_line: usize,
        /// Its first word.
        keyword: String,
    },
    /// The file ends before the data that it declares, but what is there is usable.
    Shorter {
        /// What was declared, in the plural.
        what: &'static str,
        /// How many the file declares.
        declared: usize,
        /// How many it has.
        found: usize,
    },
    /// The character is so small or so large that its unit is probably not the one it claims.
    UnusualSize {
        /// Height in metres.
        height: f64,
    },
    /// Neither the file nor the shape tells the orientation of the character.
    OrientationAssumed {
        /// `up axis` or `front`.
        what: &'static str,
        /// What was assumed.
        axis: Axis,
    },
    /// The file uses an extension of its format that is not read here.
    ExtensionIgnored {
        /// Its name.
        name: String,
        /// What that changes.
        effect: &'static str,
    },
    /// The coordinates of the file are left-handed and were mirrored.
    Mirrored {
        /// The axis whose sign was changed.
        axis: Axis,
    },
    /// The file declares an orientation that contradicts the shape of the character.
    OrientationOverruled {
        /// `up axis` or `front`.
        what: &'static str,
        /// The axis that the shape shows, or the nearest one.
        axis: Axis,
        /// How far the shape is turned from that axis about the vertical, in degrees.
        degrees: f64,
        /// What the file says.
        declared: Axis,
    },
    /// The joints were placed, with low confidence in the whole.
    LowConfidence {
        /// The skeleton.
        skeleton: String,
        /// From 0 to 1.
        confidence: f64,
        /// What speaks against them, each a clause.
        doubts: Vec<String>,
    },
    /// It does not stand in a T- or an A-pose, in which characters are bound.
    Posed {
        /// What is farthest from that, up to the angle.
        what: &'static str,
        /// How far.
        degrees: f64,
    },
    /// The skeleton has limbs that the body has not.
    MissingLimbs {
        /// What it lacks, each a clause.
        lacks: Vec<String>,
    },
    /// A hint is far from where its joint would be found.
    FarHint {
        /// The joint.
        joint: String,
        /// How far, in percent of the height.
        percent: f64,
    },
    /// A part of the file is no part of the character.
    LeftOut {
        /// What it is called.
        name: String,
        /// How many triangles it has.
        triangles: usize,
        /// What it is, as a clause.
        why: String,
    },
    /// No part of a library fits a character, whose weights are heat's.
    NoPartFits {
        /// The library.
        library: String,
    },
    /// The characters of a library do not agree about weights.
    PartsDisagree {
        /// The library.
        library: String,
        /// How much of the library's weights was used.
        percent: f64,
    },
    /// A part of a library covers little of the character; heat has the rest.
    DoubtfulPart {
        /// The part.
        part: String,
        /// The character that it comes from.
        source: String,
        /// From 0 to 1.
        confidence: f64,
    },
    /// A large piece is carried that no joint is in.
    LargeAccessory {
        /// Which.
        name: String,
        /// Its share of the surface.
        area: f64,
    },
    /// Pieces that touch come apart when the character moves.
    PiecesPart {
        /// The worst pairs.
        pairs: Vec<String>,
        /// How far they come apart, in parts of the height.
        gap: f64,
    },
    /// The skin of one limb takes hold of others.
    SkinBleeds {
        /// The share of the surface that does.
        share: f64,
    },
    /// The character moves away from props of its file, which stay where they are.
    LeavesProps {
        /// Their names.
        names: String,
        /// How far it goes, in metres.
        meters: f64,
    },
    /// A joint was placed with low confidence.
    DoubtfulJoint {
        /// Its name.
        joint: String,
        /// From 0 to 1.
        confidence: f64,
        /// Where it was placed, in the coordinates of the mesh file.
        position: [f32; 3],
    },
    /// Something in a motion file was repaired.
    Repaired {
        /// The line, from 1; 0 for what concerns the file as a whole.
        line: usize,
        /// What it was.
        repair: Repair,
    },
    /// Planted feet of a clip are above the ground because legs are too short to reach it.
    OutOfReach {
        /// The first frame.
        frame: usize,
        /// How many frames.
        count: usize,
        /// The highest, in percent of a leg.
        percent: f64,
        /// The shorter stride that helps, if one does.
        stride: Option<f64>,
    },
    /// Planted feet of a clip slide: their legs cannot keep up with the steps.
    FeetSlide {
        /// First frame of the stance that slides farthest.
        frame: usize,
        /// Percent of a leg a second, on average over all stances.
        percent: f64,
        /// The shorter stride that helps, if one does.
        stride: Option<f64>,
    },
    /// Feet of the source slide over the ground while they stand; those of the character follow them.
    SourceSlides {
        /// The first frame of the stance that slides farthest.
        frame: usize,
        /// How many stances.
        count: usize,
        /// The farthest, in percent of a leg.
        percent: f64,
    },
    /// Feet of the source stand higher than its floor.
    StepInGround {
        /// The first frame on the highest.
        frame: usize,
        /// The highest, in percent of a leg.
        percent: f64,
    },
    /// Feet of the motion rest in the air, too high to stand beside the others and lower than any step: they are not planted.
    FeetInAir {
        /// The first frame of the time in which one is highest.
        frame: usize,
        /// How many frames.
        count: usize,
        /// The highest, in percent of a leg.
        percent: f64,
    },
    /// Feet of the motion are bones of their own, and leave the ends of their legs.
    SeparateFeet {
        /// Where one is farthest from the end of its leg.
        frame: usize,
        /// How many frames.
        count: usize,
        /// The farthest, in percent of a leg.
        percent: f64,
    },
    /// Something of the character besides its feet is under the ground.
    BodyInGround {
        /// The joint that moves it.
        joint: String,
        /// Where it is deepest.
        frame: usize,
        /// How deep, in percent of a leg.
        percent: f64,
    },
    /// A hand or a forearm goes through the rest of the body.
    BodyInBody {
        /// The joint that moves it.
        arm: String,
        /// The joint of the part through which it goes.
        body: String,
        /// Where it is deepest.
        frame: usize,
        /// How deep, in percent of a leg.
        depth: f64,
        /// In how many frames it is seen, in percent.
        share: f64,
    },
    /// The motion and the character have no leg in common: feet are not planted.
    NoLegs,
    /// The feet of the motion point backwards if left and right are what the names of its joints say.
    SidesSwapped,
    /// A clip got another name than its file has.
    ClipRenamed {
        /// The name that it would have.
        from: String,
        /// The name that it has.
        to: String,
        /// Why.
        reason: &'static str,
    },
    /// A motion that should be closed has no cycle; it is unchanged.
    NoCycle {
        /// How far it is from one.
        reason: String,
    },
    /// The hips carry the path over the floor, because the character has several roots.
    NoRoot,
    /// A file cannot carry the joints that keep the volume of limbs.
    HelpersLeftOut {
        /// The ending of the file.
        ending: String,
    },
    /// There are few examples, so that weights stay open which other poses show.
    FewExamples {
        /// How many.
        count: usize,
    },
    /// The weights from examples are worse on examples that were left out than those without, which are kept.
    ExamplesNotUsed {
        /// The error before, in percent of the height.
        before: f64,
        /// And after.
        after: f64,
    },
    /// A file in a folder of examples is none.
    ExampleSkipped {
        /// Its name.
        file: String,
        /// Why.
        why: String,
    },
    /// Options of rigging are of no use, because the character has a skin.
    SkinKept {
        /// As the caller calls them.
        options: Vec<String>,
    },
}

impl Warning {
    /// A stable identifier for reports and scripts.
    pub fn code(&self) -> &'static str {
        match self {
            Warning::FileMissing { .. } => "file-missing",
            Warning::Ignored { .. } => "ignored-elements",
            Warning::Dropped { .. } => "dropped-values",
            Warning::SkippedLines { .. } => "skipped-lines",
            Warning::Shorter { .. } => "shorter-than-declared",
            Warning::UnusualSize { .. } => "unusual-size",
            Warning::OrientationAssumed { .. } => "stance-assumed",
            Warning::ExtensionIgnored { .. } => "extension-ignored",
            Warning::Mirrored { .. } => "mirrored",
            Warning::OrientationOverruled { .. } => "stance-overruled",
            Warning::LowConfidence { .. } => "low-confidence",
            Warning::Posed { .. } => "posed",
            Warning::LeftOut { .. } => "left-out",
            Warning::NoPartFits { .. } => "no-part-fits",
            Warning::PartsDisagree { .. } => "parts-disagree",
            Warning::DoubtfulPart { .. } => "doubtful-part",
            Warning::LargeAccessory { .. } => "large-accessory",
            Warning::MissingLimbs { .. } => "missing-limbs",
            Warning::FarHint { .. } => "far-hint",
            Warning::PiecesPart { .. } => "pieces-part",
            Warning::SkinBleeds { .. } => "skin-bleeds",
            Warning::LeavesProps { .. } => "leaves-props",
            Warning::DoubtfulJoint { .. } => "doubtful-joint",
            Warning::Repaired { repair, .. } => repair.code(),
            Warning::OutOfReach { .. } => "out-of-reach",
            Warning::FeetSlide { .. } => "feet-slide",
            Warning::SourceSlides { .. } => "source-slides",
            Warning::StepInGround { .. } => "step-in-ground",
            Warning::FeetInAir { .. } => "feet-in-air",
            Warning::SeparateFeet { .. } => "separate-feet",
            Warning::BodyInGround { .. } => "body-in-ground",
            Warning::BodyInBody { .. } => "body-in-body",
            Warning::NoLegs => "no-legs",
            Warning::SidesSwapped => "sides-swapped",
            Warning::ClipRenamed { .. } => "clip-renamed",
            Warning::NoCycle { .. } => "no-cycle",
            Warning::NoRoot => "no-root",
            Warning::HelpersLeftOut { .. } => "helpers-left-out",
            Warning::FewExamples { .. } => "few-examples",
            Warning::ExamplesNotUsed { .. } => "examples-not-used",
            Warning::ExampleSkipped { .. } => "example-skipped",
            Warning::SkinKept { .. } => "skin-kept",
        }
    }

    /// Whether it is about a motion as it was recorded, whichever character it moves.
    pub fn is_about_source(&self) -> bool {
        use Warning::{FeetInAir, NoCycle, Repaired, SeparateFeet, SidesSwapped, SourceSlides, StepInGround};
        matches!(
            self,
            Repaired { .. }
                | SourceSlides { .. }
                | StepInGround { .. }
                | FeetInAir { .. }
                | SeparateFeet { .. }
                | SidesSwapped
                | NoCycle { .. }
        )
    }

    /// The frame of a motion where to look, from 0.
    pub fn frame(&self) -> Option<usize> {
        match self {
            Warning::OutOfReach { frame, .. }
            | Warning::FeetSlide { frame, .. }
            | Warning::SourceSlides { frame, .. }
            | Warning::StepInGround { frame, .. }
            | Warning::FeetInAir { frame, .. }
            | Warning::SeparateFeet { frame, .. }
            | Warning::BodyInGround { frame, .. }
            | Warning::BodyInBody { frame, .. } => Some(*frame),
            Warning::Repaired { repair, .. } => repair.frame(),
            _ => None,
        }
    }

    /// The joint that it is about.
    pub fn joint(&self) -> Option<&str> {
        match self {
            Warning::DoubtfulJoint { joint, .. }
            | Warning::BodyInGround { joint, .. }
            | Warning::BodyInBody { arm: joint, .. } => Some(joint),
            Warning::Repaired { repair, .. } => repair.joint(),
            _ => None,
        }
    }
}

/// Shares as people read them.
const PERCENT: f64 = 100.0;

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let remedy = self.remedy().map_or(String::new(), |remedy| remedy.to_string());
        match self {
            Warning::FileMissing { what, name, reason } => {
                write!(
                    f,
                    "the {what} '{name}' was left out ({reason}); put it next to the mesh file to use it"
                )
            }
            Warning::Ignored { what, count } => {
                write!(f, "{what} were left out because they are not part of a surface: {count}")
            }
            Warning::Dropped { what, count, reason } => {
                write!(f, "{what} were left out because {reason}: {count}")
            }
            Warning::SkippedLines { count: 1, first_line, keyword } => {
                write!(f, "line {first_line} ('{keyword}') was skipped")
            }
            Warning::SkippedLines { count, first_line, keyword } => {
                write!(f, "{count} lines were skipped, the first is line {first_line} ('{keyword}')")
            }
            Warning::Shorter { what, declared, found } => {
                write!(
                    f,
                    "the number of {what} is {found} but declared as {declared}; those present are used"
                )
            }
            Warning::UnusualSize { height } => {
                write!(f, "the character is {height:.3} m high; if that is not meant, {remedy}")
            }
            Warning::OrientationAssumed { what, axis } => {
                write!(f, "the {what} {axis} is assumed; if it is another, {remedy}")
            }
            Warning::ExtensionIgnored { name, effect } => {
                write!(f, "the extension {name} is not read: {effect}")
            }
            Warning::Mirrored { axis } => {
                write!(f, "the file has left-handed axes; the mesh was mirrored along {axis}")
            }
            Warning::OrientationOverruled { what, axis, degrees, declared } => {
                write!(f, "the file says that the {what} is {declared}, but the shape shows {axis}")?;
                if *degrees != 0.0 {
                    write!(f, " turned by {degrees:.1} degrees")?;
                }
                write!(f, "; if the file is right, {remedy}")
            }
            Warning::LowConfidence { skeleton, confidence, doubts } => {
                let doubts =
                    if doubts.is_empty() { String::new() } else { format!(": {}", doubts.join(", ")) };
                write!(
                    f,
                    "the skeleton '{skeleton}' hardly fits (confidence {confidence:.2}){doubts}; {remedy}"
                )
            }
            Warning::Posed { what, degrees } => write!(
                f,
                "this character does not stand in a T- or A-pose ({what} {degrees:.0} degrees), so that its joints are less \
                 certain; {remedy}"
            ),
            Warning::LeftOut { name, triangles, why } => {
write!(f, "{name} ({triangles} triangles) {why}, so it stays where it is; {remedy}")
            }
            Warning::MissingLimbs { lacks } => {
                let lacks = lacks.join(", ");
                write!(f, "{lacks}, as far as the shape shows, so that the joints there are guesses; {remedy}")
            }
            Warning::FarHint { joint, percent } => write!(
                f,
                "the hint for {joint} is {percent:.0} % of the height away from where shape and known characters have it; if it is not \
                 meant, {remedy}"
            ),
            Warning::NoPartFits { library } => {
                write!(f, "no part of the library '{library}' fits; the weights are those without it")
            }
            Warning::PartsDisagree { library, percent } => {
                write!(
                    f,
                    "the characters of the library '{library}' do not agree about weights; {percent:.0} % of theirs was used"
                )
            }
            Warning::DoubtfulPart { part, source, confidence } => {
                write!(
                    f,
                    "the {part} of '{source}' fits badly (confidence {confidence:.2}); where it does not, its weights are those without a library"
                )
            }
            Warning::LargeAccessory { name, area } => {
                let percent = PERCENT * area;
                write!(f, "{name}, {percent:.0} % of the surface, lies around no bone and is carried along; {remedy}")
            }
            Warning::PiecesPart { pairs, gap } => {
                let (pairs, percent) = (pairs.join(", "), PERCENT * gap);
                write!(f, "pieces that touch come apart by up to {percent:.0} % of the height when it moves: {pairs}; {remedy}")
            }
            Warning::SkinBleeds { share } => {
                let percent = PERCENT * share;
                write!(f, "{percent:.0} % of its surface moves with bones of other limbs, so its skin is doubtful; {remedy}")
            }
            Warning::LeavesProps { names, meters } => {
write!(f, "it goes {meters:.1} m away from what stays where it is ({names}); {remedy}")
            }
            Warning::DoubtfulJoint { joint, confidence, position: [x, y, z] } => {
                write!(
                    f,
                    "{joint} is doubtful (confidence {confidence:.2}); if it is not at {x},{y},{z}, {remedy}"
                )
            }
            Warning::Repaired { line: 0, repair } => write!(f, "{repair}"),
            Warning::Repaired { line, repair } => write!(f, "line {line}: {repair}"),
            Warning::OutOfReach { frame, count, percent, .. } => write!(
                f,
                "legs are too short to reach the ground, the first time in frame {frame}: planted feet are up to \
                 {percent:.1} % of a leg above it (frames: {count}){}",
                if remedy.is_empty() { remedy } else { format!("; {remedy}") }
            ),
            Warning::FeetSlide { frame, percent, .. } => write!(
                f,
                "planted feet slide by {percent:.0} % of a leg a second, farthest from frame {frame} on{}",
                if remedy.is_empty() { remedy } else { format!("; {remedy}") }
            ),
            Warning::SourceSlides { frame, count, percent } => write!(
                f,
                "feet of the motion slide while they stand, and the character's follow: farthest from frame {frame} on, \
                 by {percent:.0} % of a leg (stances: {count})"
            ),
            Warning::StepInGround { frame, percent } => write!(
                f,
                "the ground of the motion has steps, and the character stands on them: the highest is {percent:.0} % of a \
                 leg, from frame {frame} on"
            ),
            Warning::FeetInAir { frame, count, percent } => write!(
                f,
                "a foot of the motion rests in the air, up to {percent:.0} % of a leg above the ground and from frame {frame} on: \
                 nothing is below it, and it is not planted (frames: {count})"
            ),
            Warning::SeparateFeet { frame, count, percent } => write!(
                f,
                "feet of the motion are bones of their own, and legs are bent to reach them: a leg ends {percent:.0} % of its \
                 length off in frame {frame} (frames: {count})"
            ),
            Warning::BodyInGround { joint, frame, percent } => write!(
                f,
                "what {joint} moves goes under the ground, by up to {percent:.0} % of a leg in frame {frame}"
            ),
            Warning::BodyInBody { arm, body, frame, depth, share } => write!(
                f,
                "what {arm} moves goes through what {body} moves, by up to {depth:.0} % of a leg in frame {frame} \
                 (seen in {share:.0} % of the frames)"
            ),
            Warning::NoLegs => write!(
                f,
                "the motion and the character have no leg in common, so that feet are not planted; if they have, {remedy}"
            ),
            Warning::SidesSwapped => write!(
                f,
                "the feet of the motion point backwards: left and right of its joints may be swapped; if they are, {remedy}"
            ),
            Warning::ClipRenamed { from, to, reason } => {
                write!(f, "the clip '{from}' is called '{to}' because {reason}; {remedy}")
            }
            Warning::NoCycle { reason } => write!(f, "it is not closed: {reason}"),
            Warning::NoRoot => f.write_str(
                "its joints have several roots, so that none can carry the path over the floor; the hips keep it",
            ),
            Warning::HelpersLeftOut { ending } => write!(
                f,
                "{ending} files cannot carry the joints that keep the volume of limbs; played on this character, limbs bend worse \
                 than without them"
            ),
            Warning::FewExamples { count: 1 } => {
                f.write_str("there is one example; weights that its pose does not show stay as they were, so give four or more")
            }
            Warning::FewExamples { count } => write!(
                f,
                "there are {count} examples; weights that their poses do not show stay as they were, so give four or more"
            ),
            Warning::ExamplesNotUsed { before, after } => write!(
                f,
                "the weights from examples are not used: on examples that were left out they miss the surface by {after:.2} % of the \
                 height, and those without by {before:.2} %; give more examples, or their poses"
            ),
            Warning::ExampleSkipped { file, why } => {
                write!(f, "'{file}' in the folder of examples is left out: {why}")
            }
            Warning::SkinKept { options } => write!(
                f,
                "it has a skin, which is kept, so that {} changes nothing; {remedy}",
                options.join(", ")
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_are_right_for_one_and_for_many() {
        let reason = "they are not finite numbers";
        for (warning, sentence) in [
            (
                Warning::Ignored { what: "points", count: 1 },
                "points were left out because they are not part of a surface: 1",
            ),
            (
                Warning::Dropped { what: "normals", count: 1, reason },
                "normals were left out because they are not finite numbers: 1",
            ),
            (
                Warning::SkippedLines { count: 1, first_line: 9, keyword: "curv".into() },
                "line 9 ('curv') was skipped",
            ),
            (
                Warning::SkippedLines { count: 2, first_line: 9, keyword: "curv".into() },
                "2 lines were skipped, the first is line 9 ('curv')",
            ),
            (
                Warning::Shorter { what: "triangles", declared: 2, found: 1 },
                "the number of triangles is 1 but declared as 2; those present are used",
            ),
            (
                Warning::DoubtfulJoint { joint: "Head".into(), confidence: 0.25, position: [0.0, 1.5, -0.1] },
                "Head is doubtful (confidence 0.25); if it is not at 0,1.5,-0.1, correct it",
            ),
        ] {
            assert_eq!(warning.to_string(), sentence);
        }
    }
}
