//! The path of a clip that is over before its steps repeat themselves.
//!
//! An average over less than a cycle keeps part of what swings with the legs. But who goes somewhere turns as his path does: the
//! path of a few steps is nearly a parabola, too stiff to follow those swings, and a straight line unless path and hips turn alike.

use super::root_motion::Place;
use crate::math::{Parabola, atan2};
use nalgebra::Vector2;

/// How far one must come for his path to say where he goes, in hip heights: half a step. With less, one who shifts his weight
/// goes; at 0.5 one who sneaks for a second does not.
const TRAVELS: f64 = 0.2;
/// The least speed along the way at both ends, in parts of that on average. With less, one who stops has a course that is noise
/// there; with more, nobody may speed up.
const EVEN: f64 = 0.4;
/// The most that hips swing about the course, in radians: sprinters' by 12 degrees. With less, those swings turn the root; with
/// more, one who spins around while he goes on keeps it.
const SWINGS: f64 = 15.0 * std::f64::consts::PI / 180.0;
/// The most that hips sway about the path, in hip heights: walkers' by 4 cm, those of one who sneaks by 7. With less, those sways
/// shake the root; with more, corners are cut.
const SWAYS: f64 = 0.08;

/// What the turn of the path says of that of the course; the rest is what the line through the headings of the hips says. Straight
/// steps have paths that turn by up to 10 degrees, because hips sway, and hips that turn by up to 21, because they swing.
const BY_PATH: f64 = 2.0 / 3.0;
/// The least turn of a bend, in radians, of path and hips together, to the same side. With less, a hip that sways to one side and
/// swings with the leg bends a straight way; with more, bends become straight ways.
const BENDS: f64 = 15.0 * std::f64::consts::PI / 180.0;

/// Places on the smooth path of one who goes along `places`; `None` for one who stands, stops or goes around a corner.
pub(super) fn short_path(places: &[Place], hip_height: f64) -> Option<Vec<Place>> {
    let path = Parabola::through(&places.iter().map(|place| place.at).collect::<Vec<_>>());
    let last = places.len() - 1;
    let way = path.at(last) - path.at(0);
    let mean = way / last.max(1) as f64;
    let is_even = [0, last].iter().all(|&end| path.slope(end).dot(&mean) >= EVEN * mean.norm_squared());
    if way.norm() < TRAVELS * hip_height || !is_even {
        return None;
    }
    let yaws = Parabola::through(&places.iter().map(|place| place.yaw).collect::<Vec<_>>());
    // Of the line, because hips that swing end anywhere.
    let of_hips = 0.5 * (yaws.slope(0) + yaws.slope(last)) * last as f64;
    let course = |by_path: f64| {
        let turn = |frame: usize| {
            let line = of_hips * (frame as f64 / last as f64 - 0.5);
            by_path * turn(&mean, &path.slope(frame)) + (1.0 - by_path) * line
        };
        let aside = yaws.mean() - (0..=last).map(turn).sum::<f64>() / places.len() as f64;
        (0..=last).map(|frame| Place { yaw: aside + turn(frame), at: path.at(frame) }).collect::<Vec<_>>()
    };
    let is_bend = is_bend(&path, of_hips, last);
    // Around a corner the path alone says that it is one.
    let smooth = if is_bend {
        course(1.0)
    } else {
        let ahead = way.normalize();
        let at = |frame: usize| path.mean() + ahead * ahead.dot(&(path.at(frame) - path.mean()));
        (0..=last).map(|frame| Place { yaw: yaws.mean(), at: at(frame) }).collect()
    };
    let is_near = |(place, smooth): (&Place, &Place)| {
        (place.yaw - smooth.yaw).abs() <= SWINGS && (place.at - smooth.at).norm() <= SWAYS * hip_height
    };
    let is_path = places.iter().zip(&smooth).all(is_near);
    is_path.then(|| if is_bend { course(BY_PATH) } else { smooth })
}

/// Whether a path and the one on it turn, and to the same side.
fn is_bend(path: &Parabola<Vector2<f64>>, of_hips: f64, last: usize) -> bool {
    let of_path = turn(&path.slope(0), &path.slope(last));
    of_path * of_hips > 0.0 && (BY_PATH * of_path + (1.0 - BY_PATH) * of_hips).abs() >= BENDS
}

/// The angle from one direction on the floor to another, as headings count.
fn turn(from: &Vector2<f64>, to: &Vector2<f64>) -> f64 {
    // Headings go from +Z, the second coordinate, to +X, the first one.
    atan2(to.x * from.y - to.y * from.x, to.dot(from))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::{cos, sin};
    use std::f64::consts::TAU;

    /// Twenty frames at 3 metres a second, turning by `turn` radians in all while the hips swing by `swing` radians.
    fn run(turn: f64, swing: f64) -> Vec<Place> {
        let mut at = Vector2::zeros();
        let places = (0..20).map(|frame| {
            let time = f64::from(frame) / 19.0;
            let course = turn * time;
            at += Vector2::new(sin(course), cos(course)) * 0.1;
            Place { yaw: course + swing * sin(0.8 * TAU * time), at }
        });
        places.collect()
    }

    #[test]
    fn hips_that_swing_and_sway_on_a_straight_way_do_not_turn_its_path() {
        let mut places = run(0.0, 0.2);
        for (frame, place) in places.iter_mut().enumerate() {
            place.at.x += 0.03 * sin(0.2 * frame as f64);
        }
        let smooth = short_path(&places, 1.0).unwrap();
        assert!(smooth.iter().all(|place| (place.yaw - smooth[0].yaw).abs() < 1e-9));
    }

    #[test]
    fn a_bend_turns_the_path_and_a_corner_is_left_alone() {
        let places = run(0.6, 0.0);
        let smooth = short_path(&places, 1.0).unwrap();
        for (place, smooth) in places.iter().zip(&smooth) {
            assert!((place.yaw - smooth.yaw).abs() < 0.05, "{} {}", place.yaw, smooth.yaw);
        }
        assert!(short_path(&run(2.5, 0.0), 1.0).is_none());
    }

    #[test]
    fn who_stands_or_spins_has_no_course() {
        let standing: Vec<Place> =
            run(0.0, 0.2).iter().map(|place| Place { at: place.at * 0.1, ..*place }).collect();
        assert!(short_path(&standing, 1.0).is_none());
        let mut spinning = run(0.0, 0.0);
        spinning.iter_mut().enumerate().for_each(|(frame, place)| place.yaw += 0.2 * frame as f64);
        assert!(short_path(&spinning, 1.0).is_none());
    }
}
