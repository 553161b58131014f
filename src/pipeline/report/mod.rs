//! What was done and how good it is, as data. JSON and text are two views of it; `docs/schemas` has the schemas of the JSON.

/// Types that are written as JSON: all of them derive the same, and their names say what their fields are.
macro_rules! report_types {
    ($($item:item)*) => {
        $(
            #[derive(Debug, Clone, serde::Serialize)]
            #[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
            #[allow(missing_docs)]
            $item
        )*
    };
}

mod clip;
mod inspection;
mod rig;
mod run;

pub use clip::ClipReport;
pub use inspection::{
    AxisInspection, BodyPartsInspection, CharacterInspection, ComponentInspection, FileFailure,
    FootInspection, Inspection, JointInspection, JointMapInspection, LimbInspection, MappedJoint,
    MappedSource, MeshInspection, MotionInspection, MotionJointInspection, ReferenceInspection,
    RigInspection, SelfTestInspection, SkeletonInspection, UnitInspection,
};
pub use rig::RigReport;
pub use run::{ClipEntry, LeftOutMotion, RunReport, WrittenFile};

use crate::Warning;
use crate::math::powi;
use indexmap::IndexMap;

/// Values by their names, in the order in which they were found.
pub type Entries<T> = IndexMap<String, T>;

report_types! {
    /// A warning with its stable code.
    pub struct Finding {
        pub code: &'static str,
        pub text: String,
    }
}

impl From<&Warning> for Finding {
    fn from(warning: &Warning) -> Finding {
        Finding { code: warning.code(), text: warning.to_string() }
    }
}

report_types! {
    /// A warning with its code, and with the joint and the frame that it is about, as far as it is about one.
    pub struct WarningReport {
        pub code: &'static str,
        pub joint: Option<String>,
        pub frame: Option<usize>,
        pub text: String,
    }
}

impl From<&Warning> for WarningReport {
    fn from(warning: &Warning) -> WarningReport {
        WarningReport {
            code: warning.code(),
            joint: warning.joint().map(str::to_owned),
            frame: warning.frame(),
            text: warning.to_string(),
        }
    }
}

/// The seconds that each part of a run took.
fn seconds(laps: &[(&'static str, f64)]) -> Entries<f64> {
    laps.iter().map(|&(name, seconds)| (name.to_owned(), round(seconds, 4))).collect()
}

/// Percent, to a ten-thousandth.
fn percent(part: f64) -> f64 {
    round(100.0 * part, 4)
}

/// A number with so many digits after the point.
pub(super) fn round(number: f64, digits: i32) -> f64 {
    let grains = powi(10.0, digits);
    (number * grains).round() / grains
}
