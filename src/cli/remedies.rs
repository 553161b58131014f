//! What would help, as a flag: a sentence of the library ends with its [`Remedy`], which is replaced by one that can be typed.

use crate::io::LoadError;
use crate::math::Axis;
use crate::mesh::prepare::PrepareError;
use crate::pipeline::Error;
use crate::{Remedy, Warning};

/// The sentence of a warning.
pub fn warning_text(warning: &Warning) -> String {
    with_flags(warning.to_string(), warning.remedy())
}

/// The sentence of an error, or of one of the causes of it.
pub fn error_text(cause: &(dyn std::error::Error + 'static)) -> String {
    let remedy = None
        .or_else(|| cause.downcast_ref().and_then(Error::remedy))
        .or_else(|| cause.downcast_ref().and_then(LoadError::remedy))
        .or_else(|| cause.downcast_ref().and_then(PrepareError::remedy));
    with_flags(cause.to_string(), remedy)
}

fn with_flags(sentence: String, remedy: Option<Remedy>) -> String {
    let Some(remedy) = remedy else { return sentence };
    match sentence.rsplit_once(&remedy.to_string()) {
        Some((before, after)) => format!("{before}{}{after}", flags(&remedy)),
        None => sentence,
    }
}

/// Numbers that are to be typed have three decimals.
const GRAINS: f64 = 1e3;

fn flags(remedy: &Remedy) -> String {
    match remedy {
        Remedy::Height(height) => format!("{remedy}, for example --height {height}m or --height auto"),
        Remedy::UpAxis(axis) => format!("{remedy}, for example --up {}", axis_name(*axis)),
        Remedy::FrontAxis(axis) => format!("{remedy}, for example --front {}", axis_name(*axis)),
        Remedy::BothAxes => format!("{remedy}: --up and --front"),
        Remedy::CheckJoints => format!("{remedy}: --stages DIR, --skeleton NAME, --hint JOINT=X,Y,Z"),
        Remedy::Skeleton(name) => format!("give --skeleton {name}"),
        Remedy::Hint { joint, position: [x, y, z] } => format!("{remedy}: --hint {joint}={x},{y},{z}"),
        Remedy::ShorterStride(stride) => format!("{remedy}: --stride {}", (stride * GRAINS).round() / GRAINS),
        Remedy::JointMap => format!("{remedy} with --map"),
        Remedy::Mirror => format!("{remedy} with --mirror"),
        Remedy::ClipName => format!("{remedy} with --name"),
        Remedy::FewerClipNames => "give at most one --name for each".to_owned(),
        Remedy::Skin(names) => format!("choose one with --skin {}", names.join(" or --skin ")),
        Remedy::OneCharacter => "save each in a file of its own, or give --one if it is one".to_owned(),
        Remedy::Parts(names) => {
            format!(
                "give --one if it is one, or choose what belongs to one with --node: {}",
                names.join(", ")
            )
        }
        Remedy::StandingPose => remedy.to_string(),
        Remedy::MeshCoordinates => format!("{remedy} (rig --stages DIR draws a ruler)"),
        Remedy::KeepFloor => "give --keep-floor if it is a part of the character".to_owned(),
        Remedy::LeaveOut => "give --exclude NODE if it is a character of its own".to_owned(),
        Remedy::Attach => "give --attach NODE=JOINT to what it carries, or --root-motion in-place".to_owned(),
        Remedy::OtherParts => "choose a --node, or fewer to --exclude".to_owned(),
        Remedy::SoftParts => "give --parts soft".to_owned(),
        Remedy::CheckSkin => format!("{remedy}: --pose-sheet OUT.png, --parts soft, --exclude NODE"),
        Remedy::AnyBody => "choose one of its kind, or give --any-body".to_owned(),
        Remedy::ExchangeRange => "exchange --start and --end".to_owned(),
        Remedy::EarlierStart => "give an earlier --start".to_owned(),
        Remedy::Rig => "rig it with 'puppetry animate' or 'puppetry rig'".to_owned(),
        Remedy::RigAnew => "'puppetry rig' makes a new one".to_owned(),
    }
}

/// An axis as `--up` and `--front` take it.
fn axis_name(axis: Axis) -> String {
    axis.to_string().to_lowercase().trim_start_matches('+').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::io::{Fault, Problem};
    use crate::parts::PartsError;
    use crate::retarget::RetargetError;
    use crate::skeleton::BodyKind;

    #[test]
    fn remedies_of_errors_are_flags() {
        let names = vec!["a".to_owned(), "b".to_owned()];
        let several = || Problem::SeveralCharacters { names: names.clone() };
        let front = PrepareError::FrontIsVertical { front: Axis::PosY, up: Axis::PosY };
        let cases: [(Error, &str); 11] = [
            (front.into(), "; give both axes: --up and --front"),
            (PartsError::One.into(), "; give --parts soft, or separate its parts"),
            (PartsError::TooMany { pieces: 1000 }.into(), "; join them, or give --parts soft"),
            (RetargetError::NothingMapped.into(), "; say which joint moves which with --map"),
            (Problem::NoSkin.into(), "; rig it with 'puppetry animate' or 'puppetry rig'"),
            (
                LoadError::new("x.glb", Fault::whole(several())).into(),
                "it contains 2 characters; choose one with --skin a or --skin b",
            ),
            (
                Error::SeveralCharacters { count: 2, parts: names.clone() },
                "; give --one if it is one, or choose what belongs to one with --node: a, b",
            ),
            (
                Error::SeveralCharacters { count: 2, parts: vec![] },
                "; save each in a file of its own, or give --one if it is one",
            ),
            (
                Error::OtherBody { motion: BodyKind::TwoLegged, character: BodyKind::FourLegged },
                "stands on four legs; choose one of its kind, or give --any-body",
            ),
            (Error::Range { start: 2.0, end: 1.0 }, "; exchange --start and --end"),
            (Error::TooManyNames { names: 2, motions: 1 }, "; give at most one --name for each"),
        ];
        for (error, end) in cases {
            let text = error_text(&error);
            assert!(text.ends_with(end), "{text}");
        }
    }

    #[test]
    fn remedies_of_warnings_are_flags() {
        let doubtful =
            Warning::DoubtfulJoint { joint: "Head".into(), confidence: 0.25, position: [0.0, 1.5, -0.1] };
        let assumed = Warning::OrientationAssumed { what: "up axis", axis: Axis::NegZ };
        for (warning, end) in [
            (doubtful, "if it is not at 0,1.5,-0.1, correct it: --hint Head=0,1.5,-0.1"),
            (assumed, "if it is another, give it, for example --up z"),
            (
                Warning::FeetSlide { frame: 3, percent: 9.0, stride: Some(0.9) },
                "farthest from frame 3 on; a smaller stride helps: --stride 0.9",
            ),
            (Warning::FeetSlide { frame: 3, percent: 9.0, stride: None }, "farthest from frame 3 on"),
            (Warning::SidesSwapped, "if they are, mirror it with --mirror"),
            (Warning::NoRoot, "the hips keep it"),
        ] {
            let text = warning_text(&warning);
            assert!(text.ends_with(end), "{text}");
        }
    }
}
