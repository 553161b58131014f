//! A body of points whose joints are known, before the network looks at it.

use puppetry::Vec3;
use puppetry::stages::embed::prior::channel;
use puppetry::stages::embed::prior::network::CHANNELS;
use puppetry::stages::embed::prior::points::SurfacePoint;

/// Lengths in heights, y = 0 at the soles.
#[derive(Clone)]
pub struct Body {
    /// With the segment of each, where it is known.
    pub points: Vec<(SurfacePoint, Option<usize>)>,
    /// For each channel of the prior.
    pub joints: Vec<Option<Vec3>>,
    /// Channels whose joint is an artist's middle joint of a leg, not a certain one.
    pub is_vague: Vec<bool>,
}

/// What is known about a joint.
#[derive(Debug, Clone, PartialEq)]
pub enum Target {
    Unknown,
    At(Vec3),
    /// Somewhere on the artist's chain: rigs with fewer joints than the body has put them where they like.
    Along(Vec<Vec3>),
}

impl Target {
    /// The same elsewhere.
    pub fn mapped(&self, map: impl Fn(&Vec3) -> Vec3) -> Target {
        match self {
            Target::Unknown => Target::Unknown,
            Target::At(point) => Target::At(map(point)),
            Target::Along(chain) => Target::Along(chain.iter().map(map).collect()),
        }
    }
}

impl Body {
    /// What is known about each joint.
    pub fn targets(&self) -> Vec<Target> {
        (0..CHANNELS)
            .map(|channel| match self.joints[channel] {
                _ if self.is_vague[channel] => Target::Along(self.chain(channel)),
                Some(joint) => Target::At(joint),
                None => Target::Unknown,
            })
            .collect()
    }

    /// The joints of the limb that a channel belongs to.
    fn chain(&self, channel: usize) -> Vec<Vec3> {
        let place = channel - channel::MIDDLE.len();
        let count = channel::SIDED.len() / 2;
        let first = channel - place % count;
        (first..first + count).filter_map(|channel| self.joints[channel]).collect()
    }

    /// The lowest and the highest point.
    pub fn extent(&self) -> (f64, f64) {
        let heights = self.points.iter().map(|(point, _)| point.position.y);
        heights.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), y| (low.min(y), high.max(y)))
    }

    /// Scales to a height of one, soles on the ground.
    pub fn settle(&mut self) {
        let (low, high) = self.extent();
        let scale = 1.0 / (high - low).max(1e-6);
        let settled = |p: &Vec3| (p - Vec3::y() * low) * scale;
        for (point, _) in &mut self.points {
            point.position = settled(&point.position);
            point.thickness *= scale;
        }
        self.joints.iter_mut().flatten().for_each(|joint| *joint = settled(joint));
    }
}
