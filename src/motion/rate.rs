/// Frame rates that cameras and programs use.
const USUAL: [f64; 13] = [24.0, 25.0, 29.97, 30.0, 48.0, 50.0, 59.94, 60.0, 72.0, 90.0, 100.0, 120.0, 240.0];
/// Files round the time of a frame (`.0083333` for 120 frames a second). Wider, 29.97 and 30 would be one; narrower,
/// four digits of 1/240 s would not be recognised.
const ROUNDING: f64 = 1e-3;

/// The time of a frame, taken to the usual rate that it was rounded from.
pub fn snapped(frame_seconds: f64) -> f64 {
    let rate = 1.0 / frame_seconds;
    let usual = USUAL.into_iter().map(|usual| ((rate / usual - 1.0).abs(), usual));
    let nearest = usual.min_by(|a, b| a.0.total_cmp(&b.0));
    nearest.filter(|(off, _)| *off < ROUNDING).map_or(frame_seconds, |(_, usual)| 1.0 / usual)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounded_times_become_the_rate_that_was_meant() {
        for (seconds, rate) in [
            (0.0083333, 120.0),
            (0.033333, 30.0),
            (0.0333667, 29.97),
            (0.016667, 60.0),
            (0.0416667, 24.0),
            (0.004167, 240.0),
        ] {
            assert_eq!(snapped(seconds), 1.0 / rate);
        }
        for seconds in [0.02005, 1.0, 1e-9, 1e9] {
            assert_eq!(snapped(seconds), seconds);
        }
    }
}
