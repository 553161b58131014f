//! What the network is shown in one step.

use super::body::{Body, Target};
use super::character::{Character, Plan};
use super::chimera::graft;
use super::generated::{animals, blocks, people, things};
use super::net::normal;
use super::props;
use super::variant::variant;
use super::warp::warp;
use nalgebra::Rotation3;
use puppetry::Vec3;
use puppetry::stages::embed::prior::network::CHANNELS;
use puppetry::stages::embed::prior::points::SurfacePoint;
use puppetry::stages::embed::prior::tokens::{POINTS, Tokens, VOTERS};
use puppetry::stages::embed::prior::{channel, mirrored_point};
use puppetry::stages::math::Random;

/// Tokens, and what is right for them in their coordinates.
pub struct Sample {
    pub tokens: Tokens,
    pub targets: Vec<Target>,
    /// For each voter its segment, where it is known.
    pub segments: Vec<Option<usize>>,
    pub plan: Plan,
    /// A height in units of the tokens.
    pub height: f64,
}

/// Characters by plan and family, so that no pack outweighs the others.
pub struct Collection<'a> {
    /// For each plan its characters with the sum of the weights up to each.
    plans: [Vec<(f64, &'a Character)>; 3],
}

impl<'a> Collection<'a> {
    pub fn of(characters: &[&'a Character]) -> Collection<'a> {
        let plans = [Plan::Biped, Plan::Quadruped, Plan::Other].map(|plan| {
            let own: Vec<&Character> = characters.iter().copied().filter(|one| one.plan == plan).collect();
            let mut sum = 0.0;
            own.iter()
                .map(|character| {
                    let count = own.iter().filter(|other| other.family == character.family).count() as f64;
                    // A family counts by the root of its size.
                    sum += 1.0 / count.sqrt();
                    (sum, *character)
                })
                .collect()
        });
        Collection { plans }
    }

    fn pick(&self, plan: Plan, random: &mut Random) -> Option<&'a Character> {
        let own = &self.plans[plan as usize];
        let at = random.unit() * own.last()?.0;
        own.iter().find(|(sum, _)| *sum > at).map(|(_, character)| *character)
    }
}

/// Part of the samples that are neither person nor animal, of those that are no creatures at all, generated, of the generated those of
/// boxes, with parts of others, deformed, with props, with holes.
const OTHERS: f64 = 0.08;
const THINGS: f64 = 0.4;
const GENERATED: f64 = 0.25;
const OF_BOXES: f64 = 0.2;
const CHIMERAS: f64 = 0.3;
const WARPED: f64 = 0.7;
const WITH_PROPS: f64 = 0.3;
const WITH_HOLES: f64 = 0.3;

impl Sample {
    pub fn draw(collection: &Collection, random: &mut Random) -> Sample {
        loop {
            let plan = match random.unit() {
                x if x < OTHERS => Plan::Other,
                x if x < 0.5 * (1.0 + OTHERS) => Plan::Biped,
                _ => Plan::Quadruped,
            };
            let is_generated = random.unit() < if plan == Plan::Other { THINGS } else { GENERATED };
            let mut body = match (is_generated, plan, collection.pick(plan, random)) {
                (true, Plan::Biped, _) if random.unit() < OF_BOXES => blocks::person(random),
                (true, Plan::Biped, _) => people::person(random),
                (true, Plan::Quadruped, _) if random.unit() < OF_BOXES => blocks::animal(random),
                (true, Plan::Quadruped, _) => animals::animal(random),
                (true, Plan::Other, _) => things::thing(random),
                (false, _, Some(character)) => variant(character, random),
                (false, _, None) => continue,
            };
            if plan != Plan::Other
                && random.unit() < CHIMERAS
                && let Some(other) = collection.pick(plan, random)
            {
                graft(&mut body, &variant(other, random), random);
            }
            if random.unit() < WARPED && !body.points.is_empty() {
                warp(&mut body, random);
            }
            if body.points.len() >= VOTERS * 3 {
                // What is neither has no joints that could be compared.
                if plan == Plan::Other {
                    body.joints = vec![None; CHANNELS];
                    body.is_vague = vec![false; CHANNELS];
                }
                return Sample::of(body, plan, random);
            }
        }
    }

    fn of(mut body: Body, plan: Plan, random: &mut Random) -> Sample {
        let (low, high) = body.extent();
        let mut targets = body.targets();
        if random.unit() < WITH_PROPS {
            props::add(&mut body, random);
        }
        if random.unit() < WITH_HOLES {
            punch_holes(&mut body, random);
        }
        if random.unit() < 0.5 {
            body.points.iter_mut().for_each(|(point, _)| *point = mirrored_point(point));
            let other = |segment: usize| if segment < 5 { segment } else { 5 + (segment - 5 + 6) % 12 };
            body.points.iter_mut().for_each(|(_, segment)| *segment = segment.map(other));
            let mirror = |p: &Vec3| Vec3::new(-p.x, p.y, p.z);
            targets = (0..CHANNELS).map(|c| targets[channel::mirrored(c)].mapped(mirror)).collect();
        }
        let factors = Vec3::from_fn(|_, _| (0.08 * normal(random)).exp());
        let yaw = if random.unit() < 0.6 { 8.0 * normal(random) } else { 0.0 };
        let [tilt_x, tilt_z] = [0, 1].map(|_| (3.0 * normal(random)).to_radians());
        let turn = Rotation3::from_euler_angles(tilt_x, yaw.to_radians(), tilt_z);
        let noise = random.between(-7.0, -4.5).exp();
        let wrong = 0.08 * random.unit();
        // Points at random, and their segments.
        let mut order: Vec<usize> = (0..body.points.len()).collect();
        random.draw_to_front(&mut order, POINTS);
        let (mut points, mut segments) = (Vec::with_capacity(POINTS), Vec::with_capacity(VOTERS));
        for place in 0..POINTS {
            let (point, segment) = body.points[order[place % order.len()]];
            let mut rough = || Vec3::from_fn(|_, _| normal(random));
            let position = turn * point.position.component_mul(&factors) + rough() * noise;
            let normal_vector = turn * point.normal.component_div(&factors) + rough() * 0.1;
            let mut thickness = point.thickness * (0.08 * normal(random)).exp();
            if random.unit() < wrong {
                thickness *= random.between(0.0, 2.0);
            }
            points.push(SurfacePoint {
                position,
                normal: normal_vector.try_normalize(1e-9).unwrap_or(point.normal),
                thickness,
            });
            segments.push(segment);
        }
        segments.truncate(VOTERS);
        let tokens = Tokens::of(&points);
        let own = |p: &Vec3| (turn * p.component_mul(&factors) - tokens.center) / tokens.scale;
        let targets = targets.iter().map(|target| target.mapped(own)).collect();
        let height = (high - low) * factors.y / tokens.scale;
        Sample { targets, segments, plan, height, tokens }
    }
}

fn punch_holes(body: &mut Body, random: &mut Random) {
    for _ in 0..1 + random.index(3) {
        let center = body.points[random.index(body.points.len())].0.position;
        let radius = random.between(0.02, 0.09);
        body.points.retain(|(point, _)| (point.position - center).norm() > radius);
    }
}
