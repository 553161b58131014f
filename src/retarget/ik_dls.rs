//! Inverse kinematics of a chain of any number of bones: damped least squares.
//!
//! After Choi & Ko 2000, "Online motion retargetting", section 3 (inverse rate control): increments of the joint angles follow
//! the goal through the pseudo-inverse of the Jacobian, and in its null space the joints go back to the pose that they imitate.
//! One step a frame lags behind the goal and feet skate, so the step is repeated within the frame until the goal is reached.

use crate::math::{Mat3, Quat, Vec3, atan2, square};

/// A joint of a chain.
#[derive(Debug, Clone, Copy)]
pub struct Link {
    /// Where it is.
    pub position: Vec3,
    /// How little it likes to turn, compared with others.
    pub stiffness: f64,
    /// The unit axis about which it bends, if it is a hinge like a knee; a positive angle bends it further.
    pub hinge: Option<Vec3>,
}

/// Joints of a chain at most.
pub const MOST_LINKS: usize = 6;
/// Steps in a frame. Away from a stretched chain each squares the error.
const ROUNDS: usize = 12;
/// Steps in whose null space joints go back to the pose that they imitate. The last ones only reach: each squares the error.
const IMITATING: usize = 4;
/// The goal is reached within this part of the chain's length.
const REACHED: f64 = 1e-5;
/// A step goes at most so far, in lengths of the chain: further ones leave the range in which it is linear.
const STEP: f64 = 0.25;
/// Singular values of the Jacobian, in lengths of the chain, below which steps are damped, and by how much at most. Without
/// it a chain that is nearly straight whips around.
const SINGULAR: f64 = 0.06;
const DAMPING: f64 = 0.04;
/// Bends of a hinge, in degrees.
const LIMITS: [f64; 2] = [2.0, 155.0];

/// Rotations of the bones, in the axes of the points, that bring the end of the chain to `goal` or as near as it reaches:
/// the bone below link `k` rotates by the `k`-th of them.
///
/// # Panics
/// If there are no links or more than [`MOST_LINKS`].
pub fn solve(links: &[Link], end: &Vec3, goal: &Vec3) -> [Quat; MOST_LINKS] {
    assert!((1..=MOST_LINKS).contains(&links.len()), "a chain has 1 to {MOST_LINKS} links");
    let mut chain = Chain::of(links, end);
    for round in 0..ROUNDS {
        let error = goal - chain.end;
        if error.norm() < REACHED * chain.length {
            break;
        }
        chain.step(&error, if round < IMITATING { NullSpace::Imitates } else { NullSpace::Unused });
    }
    chain.rotations
}

/// What the null space of the Jacobian is used for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum NullSpace {
    /// Joints go back to the pose that they imitate.
    Imitates,
    /// Nothing: joints only reach for the goal.
    Unused,
}

struct Chain {
    count: usize,
    positions: [Vec3; MOST_LINKS],
    end: Vec3,
    stiffness: [f64; MOST_LINKS],
    hinges: [Option<Vec3>; MOST_LINKS],
    /// How far each bone rotated, with everything above it.
    rotations: [Quat; MOST_LINKS],
    /// How far each joint rotated by itself: what the null space takes back.
    own: [Vec3; MOST_LINKS],
    length: f64,
}

impl Chain {
    fn of(links: &[Link], end: &Vec3) -> Chain {
        let mut chain = Chain {
            count: links.len(),
            positions: [Vec3::zeros(); MOST_LINKS],
            end: *end,
            stiffness: [1.0; MOST_LINKS],
            hinges: [None; MOST_LINKS],
            rotations: [Quat::identity(); MOST_LINKS],
            own: [Vec3::zeros(); MOST_LINKS],
            length: 0.0,
        };
        for (index, link) in links.iter().enumerate() {
            chain.positions[index] = link.position;
            chain.stiffness[index] = link.stiffness;
            chain.hinges[index] = link.hinge;
            let next = links.get(index + 1).map_or(*end, |next| next.position);
            chain.length += (next - link.position).norm();
        }
        chain
    }

    /// One step towards the goal.
    fn step(&mut self, error: &Vec3, null_space: NullSpace) {
        let most = STEP * self.length;
        let mut velocity = if error.norm() > most { error * (most / error.norm()) } else { *error };
        let mut is_free = [true; MOST_LINKS];
        let mut increments = [Vec3::zeros(); MOST_LINKS];
        // A hinge that comes to its stop stays there, and the others do the rest.
        for _ in 0..self.count {
            self.increments(&velocity, &is_free, null_space, &mut increments);
            let stopped = (0..self.count).find_map(|joint| {
                let axis = self.hinges[joint].filter(|_| is_free[joint])?;
                let bend = self.bend(joint, &axis)?;
                let wanted = bend + increments[joint].dot(&axis);
                // One that is beyond its stop already, as the source's is, may stay there but not go further.
                let [least, most] = LIMITS.map(f64::to_radians);
                let allowed = wanted.clamp(least.min(bend), most.max(bend));
                (allowed != wanted).then_some((joint, axis * (allowed - bend)))
            });
            let Some((joint, increment)) = stopped else { break };
            is_free[joint] = false;
            increments[joint] = increment;
            velocity -= increment.cross(&(self.end - self.positions[joint]));
        }
        self.apply(&increments);
    }

    /// Increments of the joints that are free: towards the goal, and in the null space back to the imitated pose.
    fn increments(
        &self,
        velocity: &Vec3,
        is_free: &[bool],
        null_space: NullSpace,
        increments: &mut [Vec3; MOST_LINKS],
    ) {
        // J W⁻¹ Jᵀ with J_j = -[end - p_j]×, or its product with the axis of a hinge.
        let mut squared = Mat3::zeros();
        for joint in (0..self.count).filter(|&joint| is_free[joint]) {
            let arm = self.end - self.positions[joint];
            squared += match self.hinges[joint] {
                Some(axis) => {
                    let column = axis.cross(&arm);
                    column * column.transpose()
                }
                None => Mat3::identity() * arm.norm_squared() - arm * arm.transpose(),
            } / self.stiffness[joint];
        }
        let smallest = squared.symmetric_eigenvalues().min().max(0.0).sqrt();
        let singular = SINGULAR * self.length;
        let is_regular = smallest >= singular;
        let imitates = null_space == NullSpace::Imitates && is_regular;
        let damping = if is_regular {
            0.0
        } else {
            let share = smallest / singular;
            square(DAMPING * self.length) * (1.0 - share * share)
        };
        let Some(inverse) = (squared + Mat3::identity() * damping).try_inverse() else { return };
        // What the null space would move the end by is taken out of it: (I - J⁺J) z = z - J⁺(J z).
        let mut drift = Vec3::zeros();
        if imitates {
            for joint in (0..self.count).filter(|&joint| is_free[joint]) {
                drift -= self.own[joint].cross(&(self.end - self.positions[joint]));
            }
        }
        let force = inverse * (velocity - drift);
        for joint in (0..self.count).filter(|&joint| is_free[joint]) {
            let arm = self.end - self.positions[joint];
            let increment = arm.cross(&force) / self.stiffness[joint];
            let increment = self.hinges[joint].map_or(increment, |axis| axis * axis.dot(&increment));
            increments[joint] = increment - if imitates { self.own[joint] } else { Vec3::zeros() };
        }
    }

    /// How far a hinge is bent.
    fn bend(&self, joint: usize, axis: &Vec3) -> Option<f64> {
        let above = self.positions[joint] - self.positions[joint.checked_sub(1)?];
        let below =
            if joint + 1 < self.count { self.positions[joint + 1] } else { self.end } - self.positions[joint];
        Some(atan2(axis.dot(&above.cross(&below)), above.dot(&below)))
    }

    fn apply(&mut self, increments: &[Vec3; MOST_LINKS]) {
        for (joint, increment) in increments.iter().enumerate().take(self.count) {
            let rotation = Quat::from_scaled_axis(*increment);
            let pivot = self.positions[joint];
            self.own[joint] += increment;
            self.rotations[joint] = rotation * self.rotations[joint];
            for below in joint + 1..self.count {
                self.positions[below] = pivot + rotation * (self.positions[below] - pivot);
                self.rotations[below] = rotation * self.rotations[below];
                self.own[below] = rotation * self.own[below];
                self.hinges[below] = self.hinges[below].map(|axis| rotation * axis);
            }
            self.end = pivot + rotation * (self.end - pivot);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::ik_two_bone;
    use super::*;
    use crate::math::Random;

    fn ends(links: &[Link], end: &Vec3, turns: &[Quat]) -> (Vec<Vec3>, Vec3) {
        let mut places = vec![links[0].position];
        for index in 1..=links.len() {
            let next = links.get(index).map_or(*end, |link| link.position);
            places.push(places[index - 1] + turns[index - 1] * (next - links[index - 1].position));
        }
        let end = places.pop().expect("there is an end");
        (places, end)
    }

    fn link((position, hinge): (Vec3, Option<Vec3>)) -> Link {
        Link { position, stiffness: 1.0, hinge }
    }

    #[test]
    fn on_two_bones_it_agrees_with_the_closed_form() {
        let mut numbers = Random::new(7);
        let mut random = || numbers.between(-1.0, 1.0);
        let mut worst = 0.0_f64;
        for _ in 0..10_000 {
            let hip = Vec3::new(random(), random(), random()) * 0.1;
            let knee = hip + Vec3::new(0.1 * random(), -0.5, 0.1 + 0.1 * random());
            let ankle = knee + Vec3::new(0.1 * random(), -0.5, -0.15 + 0.1 * random());
            let hinge = (knee - hip).cross(&(ankle - knee)).normalize();
            let goal = ankle + Vec3::new(random(), random() + 0.6, random()) * 0.2;
            let stretched = (knee - hip).norm() + (ankle - knee).norm();
            if (goal - hip).norm() > 0.99 * stretched {
                continue; // The limit of the knee holds the one, nothing the other.
            }
            let links = [(hip, None), (knee, Some(hinge))].map(link);
            let turns = solve(&links, &ankle, &goal);
            let closed = ik_two_bone::solve(&hip, &knee, &ankle, &goal, &hinge);
            let (_, end) = ends(&links, &ankle, &turns);
            let (_, closed_end) = ends(&links, &ankle, &[closed.upper, closed.lower]);
            worst = worst.max((end - closed_end).norm());
        }
        assert!(worst < 1e-4, "{worst}");
    }

    #[test]
    fn three_bones_reach_and_a_knee_does_not_break() {
        let links = [
            (Vec3::new(0.0, 1.0, 0.0), None),
            (Vec3::new(0.0, 0.65, 0.1), Some(Vec3::x())),
            (Vec3::new(0.0, 0.35, -0.1), Some(-Vec3::x())),
        ]
        .map(link);
        let end = Vec3::new(0.0, 0.05, 0.0);
        for goal in [Vec3::new(0.1, 0.2, 0.2), Vec3::new(-0.1, 0.05, -0.3), Vec3::new(0.0, 0.5, 0.0)] {
            let turns = solve(&links, &end, &goal);
            let (places, reached) = ends(&links, &end, &turns);
            assert!((reached - goal).norm() < 1e-4, "{goal} {reached}");
            let knee = (places[1] - places[0]).cross(&(places[2] - places[1]));
            assert!((turns[0] * Vec3::x()).dot(&knee) > 0.0, "the knee bends the right way for {goal}");
        }
        // Out of reach it is stretched, and nothing is lost.
        let far = solve(&links, &end, &Vec3::new(0.0, -9.0, 0.0));
        let (_, reached) = ends(&links, &end, &far);
        assert!(reached.y < 0.02 && reached.x.abs() < 1e-9, "{reached}");
        assert!(far.iter().all(|rotation| rotation.angle().is_finite()));
    }
}
