//! Bodies of balls and capsules, of which every limb is known.

use super::*;
use crate::math::{Random, cos, sin};

const VOXEL: f64 = 0.01;

/// A capsule: two ends and a radius.
type Capsule = (Vec3, Vec3, f64);

/// The voxels inside a solid in a box of two units around the origin.
fn solid(is_inside: impl Fn(&Vec3) -> bool) -> VoxelVolume {
    let side = 206;
    let grid = Grid { size: [side; 3], origin: Vec3::repeat(-(side as f64) * 0.5 * VOXEL), voxel: VOXEL };
    let near = |at: &Vec3| at.amax() < 1.0 && is_inside(at);
    let filled = (0..grid.cells()).map(|cell| near(&grid.center(cell))).collect();
    VoxelVolume { grid, filled, origin_unit: Vec3::zeros(), height_unit: 1.0, kept: 1.0, mirror_overlap: 1.0 }
}

fn is_in(at: &Vec3, (from, to, radius): &Capsule) -> bool {
    let t = ((at - from).dot(&(to - from)) / (to - from).norm_squared().max(1e-12)).clamp(0.0, 1.0);
    (at - from - (to - from) * t).norm() < *radius
}

fn capsules(capsules: &[Capsule]) -> VoxelVolume {
    solid(|at| capsules.iter().any(|capsule| is_in(at, capsule)))
}

/// Directions spread evenly over a ball.
fn directions(count: usize) -> Vec<Vec3> {
    let golden = std::f64::consts::PI * (3.0 - 5f64.sqrt());
    let direction = |k: usize| {
        let y = 1.0 - 2.0 * (k as f64 + 0.5) / count as f64;
        let (across, angle) = ((1.0 - y * y).sqrt(), golden * k as f64 + 0.3);
        Vec3::new(across * cos(angle), y, across * sin(angle))
    };
    (0..count).map(direction).collect()
}

#[test]
fn every_capsule_on_a_ball_is_a_limb_that_begins_at_the_ball() {
    const BALL: f64 = 0.3;
    for count in [1, 2, 3, 4, 6, 8, 11, 16, 24] {
        let mut forms: Vec<Capsule> = vec![(Vec3::zeros(), Vec3::zeros(), BALL)];
        forms.extend(directions(count).into_iter().map(|out| (Vec3::zeros(), out * 0.8, 0.05)));
        let census = Census::of(&capsules(&forms));
        assert_eq!(census.limbs.len(), count, "{}", census.summary());
        for limb in &census.limbs {
            let off = (limb.base.norm() - BALL) / VOXEL;
            // The middle of a section lies below its rim, and necks of level sets are as wide as the capsule.
            assert!((-2.5..=3.5).contains(&off), "{count} limbs: a base is {off} voxels from the ball");
            assert!((limb.tip.norm() - 0.85).abs() < 0.02, "{:?}", limb.tip);
        }
    }
}

#[test]
fn a_ring_a_disc_and_a_cube_have_no_limbs() {
    let ring = solid(|at| ((at.x * at.x + at.z * at.z).sqrt() - 0.6).hypot(at.y) < 0.15);
    let disc = solid(|at| (at.x * at.x + at.z * at.z).sqrt() < 0.8 && at.y.abs() < 0.08);
    let cube = solid(|at| at.amax() < 0.5);
    let ball = solid(|at| at.norm() < 0.5);
    for (name, body) in [("ring", ring), ("disc", disc), ("cube", cube), ("ball", ball)] {
        let census = Census::of(&body);
        let limbs = census.limbs.iter().filter(|limb| matches!(limb.role, EndRole::Limb(_))).count();
        assert_eq!(limbs, 0, "a {name} has {}", census.summary());
    }
}

#[test]
fn nothing_and_one_voxel_are_counted_without_panic() {
    for radius in [0.0, 0.006, 0.012] {
        let census = Census::of(&solid(|at| at.norm() < radius));
        assert!(census.limbs.is_empty(), "{}", census.summary());
    }
}

#[test]
fn no_limb_of_a_star_swallows_its_neighbour() {
    // Cones of rising length around a small core: each longer one meets the next shorter one first.
    let lengths = [0.45, 0.52, 0.6, 0.68, 0.77, 0.86, 0.95];
    let cones: Vec<(Vec3, f64)> = lengths
        .iter()
        .enumerate()
        .map(|(k, &length)| {
            let angle = std::f64::consts::TAU * k as f64 / lengths.len() as f64;
            (Vec3::new(cos(angle), 0.0, sin(angle)), length)
        })
        .collect();
    let body = solid(|at| {
        let in_cone = |(axis, length): &(Vec3, f64)| {
            let along = at.dot(axis);
            let thick = 0.09 * (1.0 - 0.7 * along / length);
            (0.0..*length).contains(&along) && (at - axis * along).norm() < thick
        };
        at.norm() < 0.16 || cones.iter().any(in_cone)
    });
    let census = Census::of(&body);
    assert_eq!(census.limbs.len(), lengths.len(), "{}", census.summary());
    for limb in &census.limbs {
        assert!((0.1..0.27).contains(&limb.base.norm()), "{:?}", limb.base);
    }
}

#[test]
fn toes_are_counted_and_are_no_limbs() {
    let mut forms: Vec<Capsule> = vec![(Vec3::zeros(), Vec3::zeros(), 0.25)];
    for side in [1.0, -1.0] {
        let ankle = Vec3::new(0.3 * side, -0.85, 0.0);
        forms.push((Vec3::new(0.1 * side, -0.1, 0.0), ankle, 0.06));
        for toe in [-0.1, 0.0, 0.1] {
            forms.push((ankle, ankle + Vec3::new(toe * 1.3, -0.04, 0.18), 0.025));
        }
    }
    let census = Census::of(&capsules(&forms));
    let legs: Vec<&CensusLimb> =
        census.limbs.iter().filter(|limb| limb.role == EndRole::Limb(LimbKind::Leg)).collect();
    assert_eq!(legs.len(), 2, "{}", census.summary());
    // One of three toes is the end of the leg itself.
    assert!(legs.iter().all(|leg| leg.twigs == 2), "{legs:?}");
    assert_eq!(census.limbs.len(), 2, "{}", census.summary());
}

/// A trunk along z with pairs of limbs `(base, knee, tip, radius)` on the left, mirrored.
fn creature(trunk: &[Capsule], left: &[(Vec3, Vec3, Vec3, f64)]) -> Census {
    let mut forms = trunk.to_vec();
    let image = |p: &Vec3| Vec3::new(-p.x, p.y, p.z);
    for (base, knee, tip, radius) in left {
        forms.extend([(*base, *knee, *radius), (*knee, *tip, *radius)]);
        forms.extend([(image(base), image(knee), *radius), (image(knee), image(tip), *radius)]);
    }
    Census::of(&capsules(&forms))
}

#[test]
fn a_spider_has_four_pairs_of_legs_and_palps_in_front() {
    let leg = |z: f64| {
        let out = Vec3::new(0.85, 0.0, 2.0 * z).normalize();
        let base = Vec3::new(0.08, 0.0, z);
        (base, base + out * 0.4 + Vec3::y() * 0.2, base + out * 0.75 - Vec3::y() * 0.25, 0.022)
    };
    let palp = (Vec3::new(0.06, 0.0, 0.2), Vec3::new(0.08, 0.0, 0.35), Vec3::new(0.08, -0.08, 0.45), 0.02);
    let trunk = [
        (Vec3::new(0.0, 0.0, -0.15), Vec3::new(0.0, 0.0, 0.17), 0.1),
        (Vec3::new(0.0, 0.05, -0.45), Vec3::new(0.0, 0.05, -0.4), 0.2),
    ];
    let census = creature(&trunk, &[leg(0.16), leg(0.06), leg(-0.04), leg(-0.14), palp]);
    assert_eq!(census.summary().split(", ").next(), Some("4 pairs of legs"));
    assert_eq!(
        census.pairs_of(EndRole::Limb(LimbKind::Feeler)),
        1,
        "{:?}",
        census.limbs.iter().map(|l| (l.name(), l.length, l.share, l.radius)).collect::<Vec<_>>()
    );
    assert!(census.spine.lies);
    let bases: Vec<f64> = census.limbs.iter().take(8).step_by(2).map(|leg| leg.base.z).collect();
    assert!(bases.windows(2).all(|pair| pair[0] > pair[1]), "from the front: {bases:?}");
    assert!(census.limbs.iter().all(|limb| limb.partner.is_some() || limb.side.is_none()));
}

#[test]
fn spikes_in_any_direction_end_in_bounded_time_with_24_limbs_at_most() {
    let mut random = Random::new(7);
    let mut number = || random.between(-1.0, 1.0);
    let mut forms: Vec<Capsule> = vec![(Vec3::zeros(), Vec3::zeros(), 0.2)];
    for _ in 0..60 {
        let out = Vec3::new(number(), number(), number()).normalize();
        forms.push((Vec3::zeros(), out * (0.6 + 0.3 * number()), 0.015));
    }
    let census = Census::of(&capsules(&forms));
    assert_eq!(census.limbs.len(), 24);
    assert!(census.left_out > 0);
    assert!(census.limbs.iter().all(|limb| limb.length.is_finite() && limb.share.is_finite()));
}
