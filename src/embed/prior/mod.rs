//! What was learned from others: where the joints of a body like this one are, and how sure that is.
//!
//! A small network ([`network`]) looks at [`points`] of the outer surface as [`tokens`]; each point votes where each joint
//! is. It was trained on characters of many artists by `tools/train_prior` (docs/prior.md has the list).

pub mod channel;
pub mod network;
pub mod points;
pub mod reading;
pub mod tokens;

use super::voxels::VoxelVolume;
use crate::math::{Random, Vec3, exp};
use crate::mesh::prepare::PreparedMesh;
use network::{CHANNELS, Network, PLANS, Prediction, log_of};
use points::{SurfacePoint, surface_points};
use tokens::{POINTS, Tokens};

/// Where joints are expected.
#[derive(Debug, Clone, PartialEq)]
pub struct Prior {
    /// For each [`channel`] where its joint is, in body space.
    pub joints: Vec<Expected>,
    /// Probabilities of two legs, four legs, something else.
    pub plans: [f64; PLANS],
}

/// Where a joint is expected.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Expected {
    /// The mean over all passes.
    pub position: Vec3,
    /// How far off it probably is, in heights: what the network says and how far its passes are apart.
    pub spread: f64,
}

/// Logarithms of spreads, in heights, are between these, as in training: what is no body at all has no end otherwise.
pub const LOG_SPREADS: [f64; 2] = [-8.0, 4.0];
/// Samples of the surface from which points are drawn.
const SAMPLES: usize = 4096;
/// Draws of points; each is looked at as it is and mirrored. Four times as many passes change joints by 0.2 % of the height.
const DRAWS: u64 = 4;

impl Prior {
    /// What a network expects of a body.
    pub fn of(network: &Network, mesh: &PreparedMesh, voxels: &VoxelVolume) -> Prior {
        let points: Vec<SurfacePoint> =
            surface_points(mesh, voxels, SAMPLES).into_iter().map(|(point, _)| point).collect();
        let passes: Vec<Prior> = (0..DRAWS)
            .flat_map(|seed| {
                let points = draw(&points, &mut Random::new(seed));
                let image: Vec<SurfacePoint> = points.iter().map(mirrored_point).collect();
                [one_pass(network, &points), mirrored(&one_pass(network, &image))]
            })
            .collect();
        mean(&passes)
    }
}

/// Points at random, each at most once more than another.
pub fn draw(points: &[SurfacePoint], random: &mut Random) -> Vec<SurfacePoint> {
    let mut order: Vec<u32> = (0..points.len() as u32).collect();
    random.draw_to_front(&mut order, POINTS);
    (0..POINTS).map(|place| points[order[place % order.len()] as usize]).collect()
}

fn one_pass(network: &Network, points: &[SurfacePoint]) -> Prior {
    let tokens = Tokens::of(points);
    let Prediction { joints, plans } = network.answer(&tokens);
    let joints = joints.iter().map(|(position, spread)| Expected {
        position: tokens.center + Vec3::from(position.map(f64::from)) * tokens.scale,
        spread: exp(f64::from(*spread).clamp(LOG_SPREADS[0], LOG_SPREADS[1])),
    });
    Prior { joints: joints.collect(), plans }
}

fn mirror(point: &Vec3) -> Vec3 {
    Vec3::new(-point.x, point.y, point.z)
}

/// The mirror image of a point.
pub fn mirrored_point(point: &SurfacePoint) -> SurfacePoint {
    SurfacePoint { position: mirror(&point.position), normal: mirror(&point.normal), ..*point }
}

fn mirrored(prior: &Prior) -> Prior {
    let joints = (0..CHANNELS).map(|channel| {
        let other = prior.joints[channel::mirrored(channel)];
        Expected { position: mirror(&other.position), ..other }
    });
    Prior { joints: joints.collect(), plans: prior.plans }
}

fn mean(passes: &[Prior]) -> Prior {
    let count = passes.len() as f64;
    let joints = (0..CHANNELS).map(|channel| {
        let said = passes.iter().map(|pass| pass.joints[channel]);
        let position = said.clone().map(|joint| joint.position).sum::<Vec3>() / count;
        let apart = said.clone().map(|joint| (joint.position - position).norm_squared()).sum::<f64>() / count;
        let own = exp(said.map(|joint| log_of(joint.spread)).sum::<f64>() / count);
        Expected { position, spread: (own * own + apart).sqrt() }
    });
    let plans = std::array::from_fn(|plan| passes.iter().map(|pass| pass.plans[plan]).sum::<f64>() / count);
    Prior { joints: joints.collect(), plans }
}
