use super::{Motion, step_speed};

/// How many times the usual step the first one must be. A walk that starts from standing grows slowly; a conversion that
/// puts a T-pose in front jumps by half a body.
const JUMP: f64 = 8.0;
/// Frames after which the usual step is known.
const ENOUGH: usize = 240;

/// Whether the first frame is a rest pose that a conversion put in front of the motion.
///
/// Conversions of CMU's clips do so. The joints then move much further to the second frame than they do usually.
pub fn has_rest_frame(motion: &Motion) -> bool {
    let steps = step_speed(motion, ENOUGH);
    let Some((&first, others)) = steps.split_first() else { return false };
    let mut others = others.to_vec();
    if others.is_empty() {
        return false;
    }
    others.sort_by(f64::total_cmp);
    let median = others[others.len() / 2];
    // A still motion has no usual step; rounding must not be taken for a jump.
    first > JUMP * median && first > 1e-3 * motion.reach()
}
