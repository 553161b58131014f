//! What readers leave out, counted, as warnings. A count of zero is none.

use crate::Warning;

/// The reason for numbers that are infinite or none.
pub(super) const NOT_FINITE: &str = "they are not finite numbers";
/// Faces that are no surface.
pub(super) const SMALL_FACES: &str = "faces with fewer than three corners";

/// Things that are unusable.
pub(super) fn dropped(warnings: &mut Vec<Warning>, what: &'static str, count: usize, reason: &'static str) {
    if count > 0 {
        warnings.push(Warning::Dropped { what, count, reason });
    }
}

/// Things that have no meaning here.
pub(super) fn ignored(warnings: &mut Vec<Warning>, what: &'static str, count: usize) {
    if count > 0 {
        warnings.push(Warning::Ignored { what, count });
    }
}
