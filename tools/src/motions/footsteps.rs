//! Footsteps: where a foot stands, and how it gets from one place to the next.
//!
//! A standing foot is an exact constant. It rolls as an animator's foot rig does: about the heel while the toes come
//! down, flat, about the ball while the heel rises and the toes stay flat, and about the tip in the last moments.
//!
//! ```text
//!        ankle                 roll < 0: heel fixed        roll > 0: ball fixed, toes flat
//!       /     \
//!   heel ----- ball -- tip     ______________________________ floor
//! ```
//!
//! A swing is the same foot carried by a smooth step of its place and a bump of height, so that it leaves and lands
//! with neither a jump in speed nor in acceleration.

use puppetry::stages::math::{Quat, Vec3};

use super::curves::{ease, glide};
use super::skeleton::{Body, Leg};

/// Rotation about the vertical, degrees; positive turns left.
pub fn yaw(degrees: f64) -> Quat {
    Quat::from_axis_angle(&Vec3::y_axis(), degrees.to_radians())
}

/// Rotation about the left axis, degrees; positive leans forward and lifts the heel.
pub fn pitch(degrees: f64) -> Quat {
    Quat::from_axis_angle(&Vec3::x_axis(), degrees.to_radians())
}

/// A place on the floor: the spot under the ball of the foot, and where the foot points.
#[derive(Clone, Copy)]
pub struct Plant {
    pub x: f64,
    pub z: f64,
    /// Degrees, positive to the left.
    pub yaw: f64,
}

/// How a foot steps.
#[derive(Clone, Copy)]
pub struct Stride {
    /// Seconds before lift-off at which the heel starts to rise.
    pub peel: f64,
    /// Seconds before lift-off at which the ball leaves the floor too and only the tip still touches.
    pub tip: f64,
    /// Largest pitch of the foot, degrees, and the part of the swing at which it is reached.
    pub push: f64,
    pub fold: f64,
    /// Pitch at touchdown, degrees: negative lands on the heel, positive on the ball.
    pub land: f64,
    /// Seconds from touchdown to the flat foot.
    pub settle: f64,
    /// Height of the swing in metres, and the parts of the swing at which it is reached and left.
    pub height: f64,
    pub carry: (f64, f64),
    /// The part of the swing in which the foot travels; before and after it only rises and sinks.
    pub reach: (f64, f64),
    /// The parts of that travel in which the foot gets up to speed and slows down to land.
    pub ramps: (f64, f64),
}

/// One swing.
pub struct Step {
    pub lift: f64,
    pub land: f64,
    pub to: Plant,
    pub stride: Stride,
}

/// The whole way of one foot: steps in order of time, the stance between two of them long enough to be flat.
pub struct Footsteps {
    pub start: Plant,
    pub steps: Vec<Step>,
}

/// Where a foot is.
#[derive(Clone, Copy)]
pub struct FootPose {
    pub ankle: Vec3,
    pub foot: Quat,
    pub toes: Quat,
    /// Where the foot points, degrees.
    pub yaw: f64,
}

impl FootPose {
    /// The same foot, higher.
    pub fn raised(mut self, height: f64) -> Self {
        self.ankle.y += height;
        self
    }
}

/// How a foot is rolled: pitch of the foot and of the toes in degrees, and whether the heel (1) or the toes (0) carry.
struct Roll {
    foot: f64,
    toes: f64,
    on_heel: f64,
}

impl Footsteps {
    /// A foot that never leaves its place.
    pub fn standing(start: Plant) -> Self {
        Self { start, steps: Vec::new() }
    }

    /// The foot on its first place with the heel raised by `heel` degrees; `free` (0 to 1) is how far the toes are off
    /// the floor and straight.
    pub fn rolled(&self, body: &Body, leg: &Leg, heel: f64, free: f64) -> FootPose {
        place(body, leg, self.start, &Roll { foot: heel, toes: free * heel, on_heel: 0.0 }, 0.0)
    }

    /// The foot at time `t`.
    pub fn at(&self, body: &Body, leg: &Leg, t: f64) -> FootPose {
        let mut from = self.start;
        for step in &self.steps {
            if t < step.land + step.stride.settle {
                return step.at(from, body, leg, t);
            }
            from = step.to;
        }
        place(body, leg, from, &Roll { foot: 0.0, toes: 0.0, on_heel: 0.0 }, 0.0)
    }
}

impl Step {
    fn at(&self, from: Plant, body: &Body, leg: &Leg, t: f64) -> FootPose {
        let Stride { peel, tip, push, fold, land, settle, height, carry, reach, ramps } = self.stride;
        let swing = self.land - self.lift;
        let part = |u: f64| self.lift + u * swing;
        let u = (t - self.lift) / swing;

        let foot = push * ease(t, self.lift - peel, part(fold))
            + (land - push) * ease(t, part(fold), part(0.90))
            - land * ease(t, self.land, self.land + settle);
        // The toes stay flat until the tip takes over, then straighten; for a landing on the ball they are flat again.
        let toes_follow = ease(t, self.lift - tip, part(0.4))
            * if land > 0.0 { 1.0 - ease(t, part(0.5), self.land) } else { 1.0 };
        let on_heel = if land < 0.0 { ease(t, part(0.45), part(0.95)) } else { 0.0 };

        let s = glide((u - reach.0) / (reach.1 - reach.0), ramps);
        let mix = |a: f64, b: f64| a + (b - a) * s;
        let plant =
            Plant { x: mix(from.x, self.to.x), z: mix(from.z, self.to.z), yaw: mix(from.yaw, self.to.yaw) };
        place(
            body,
            leg,
            plant,
            &Roll { foot, toes: toes_follow * foot, on_heel },
            height * ease(u, 0.0, carry.0) * (1.0 - ease(u, carry.1, 1.0)),
        )
    }
}

fn place(body: &Body, leg: &Leg, plant: Plant, roll: &Roll, height: f64) -> FootPose {
    let ball = body.rest(leg.toes);
    let spot = Vec3::new(ball.x, 0.0, ball.z);
    let [ankle, ball, tip, heel] =
        [body.rest(leg.foot), ball, body.joints[leg.toes].end.unwrap_or(ball), leg.heel].map(|p| p - spot);
    let (foot, toes) = (pitch(roll.foot), pitch(roll.toes));
    let over_toes = tip + toes * (ball - tip) + foot * (ankle - ball);
    let over_heel = heel + foot * (ankle - heel);
    let facing = yaw(plant.yaw);
    FootPose {
        ankle: Vec3::new(plant.x, height, plant.z) + facing * over_toes.lerp(&over_heel, roll.on_heel),
        foot: facing * foot,
        toes: facing * toes,
        yaw: plant.yaw,
    }
}

#[cfg(test)]
mod tests {
    use super::super::skeleton::Human;
    use super::*;

    #[test]
    fn each_pivot_stays_exactly_where_it_is() {
        let human = Human::new(2);
        let (body, leg) = (&human.body, &human.body.legs[0]);
        let stride = Stride {
            peel: 0.3,
            tip: 0.05,
            push: 60.0,
            fold: 0.1,
            land: -20.0,
            settle: 0.1,
            height: 0.05,
            carry: (0.5, 0.5),
            reach: (0.0, 1.0),
            ramps: (0.3, 0.2),
        };
        let plant = |z| Plant { x: 0.1, z, yaw: 10.0 };
        let way = Footsteps {
            start: plant(0.0),
            steps: vec![Step { lift: 1.0, land: 1.4, to: plant(1.3), stride }],
        };
        let point = |t: f64, rest: Vec3| {
            let pose = way.at(body, leg, t);
            pose.ankle + pose.foot * (rest - body.rest(leg.foot))
        };
        let (ball, heel) = (body.rest(leg.toes), leg.heel);
        for i in 0..=18 {
            let t = 0.65 + f64::from(i) / 60.0;
            assert!((point(t, ball) - Vec3::new(0.1, 0.02, 0.0)).norm() < 1e-12, "ball at {t}");
        }
        let landed = point(2.0, heel);
        for i in 0..=12 {
            let t = 1.4 + f64::from(i) / 60.0;
            assert!((point(t, heel) - landed).norm() < 1e-12, "heel at {t}");
        }
    }
}
