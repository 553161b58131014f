use super::figure_of;
use crate::math::Vec3;
use crate::rig::{Rig, find_sole};
use crate::skeleton::naming::Segment;

/// The rig with the soles of its feet, found on the skinned surface: vertices at rest and their weights.
pub fn with_soles<W: IntoIterator<Item = (usize, f64)>>(
    mut rig: Rig,
    vertices: impl Iterator<Item = (Vec3, W)> + Clone,
) -> Rig {
    let figure = figure_of(&rig);
    let leg_length = figure.leg_length();
    let feet = figure.legs().into_iter().filter_map(|(limb, side)| {
        // A leg without a foot stands on what hangs on its shin.
        figure.limb(limb, side, Segment::End).or(figure.limb(limb, side, Segment::Lower))
    });
    rig.soles = feet
        .filter_map(|foot| {
            find_sole(foot, |joint| rig.joints.is_below(joint, foot), leg_length, vertices.clone())
        })
        .collect();
    rig
}
