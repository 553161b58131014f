use super::Motion;

/// The seam may turn the joints by so many times as much as the liveliest tenth of the steps.
const SEAM: f64 = 1.5;
/// And by no more than this on average, in degrees: a standing figure whose steps are small closes within it.
const CLOSED: f64 = 2.0;
/// More than this is no seam, however lively the motion is.
const OPEN: f64 = 15.0;

/// Whether the frame after the last one may be `first` again. Where the root is and where it faces does not count: a walk
/// goes on from where it has come to.
pub fn loops(motion: &Motion, first: usize) -> bool {
    if motion.frames < first + 8 {
        return false;
    }
    let tracks: Vec<usize> =
        (0..motion.rotations.joints.len()).filter(|&track| motion.rotations.joints[track] != 0).collect();
    if tracks.is_empty() {
        return false;
    }
    let step = |a: usize, b: usize| -> f64 {
        let (from, to) = (motion.rotations.at(a), motion.rotations.at(b));
        tracks.iter().map(|&track| from[track].angle_to(&to[track]).to_degrees()).sum::<f64>()
            / tracks.len() as f64
    };
    let mut steps: Vec<f64> = (first + 1..motion.frames).map(|frame| step(frame - 1, frame)).collect();
    steps.sort_by(f64::total_cmp);
    let lively = steps[steps.len() * 9 / 10];
    let seam = step(motion.frames - 1, first);
    seam < (SEAM * lively).clamp(CLOSED, OPEN)
}
