//! The two bodies: an adult of 1.75 m in a T-pose and a dog of 0.55 m at the withers, standing. Metres, Y up, facing
//! +Z, left at +X, soles on y = 0. The rest pose has no rotations, so every rest frame is the world's.

use puppetry::stages::math::Vec3;

/// A joint; parents come before children.
pub struct Joint {
    /// Canonical name; a dialect replaces it in the file.
    pub name: &'static str,
    pub parent: Option<usize>,
    /// Position in the rest pose, in the world.
    pub rest: Vec3,
    /// Where the bone ends if no joint follows, in the world.
    pub end: Option<Vec3>,
}

/// A leg of either body: two bones with one hinge, a foot that rolls over heel, ball and toe tip.
pub struct Leg {
    pub upper: usize,
    pub lower: usize,
    pub foot: usize,
    pub toes: usize,
    /// The point of the sole under the heel, in the rest pose.
    pub heel: Vec3,
    /// +1 if the hinge bends forward (a knee), -1 if backward (a foreleg's elbow).
    pub bends: f64,
}

/// Joints and legs.
pub struct Body {
    pub joints: Vec<Joint>,
    pub legs: Vec<Leg>,
}

impl Body {
    fn add(&mut self, name: &'static str, parent: Option<usize>, rest: [f64; 3]) -> usize {
        self.joints.push(Joint { name, parent, rest: rest.into(), end: None });
        self.joints.len() - 1
    }

    fn end(&mut self, joint: usize, position: [f64; 3]) {
        self.joints[joint].end = Some(position.into());
    }

    /// Adds upper, lower, foot and toes below `parent`.
    fn leg(
        &mut self,
        names: [&'static str; 4],
        parent: usize,
        at: [[f64; 3]; 5],
        heel: [f64; 3],
        bends: f64,
    ) {
        let upper = self.add(names[0], Some(parent), at[0]);
        let lower = self.add(names[1], Some(upper), at[1]);
        let foot = self.add(names[2], Some(lower), at[2]);
        let toes = self.add(names[3], Some(foot), at[3]);
        self.end(toes, at[4]);
        self.legs.push(Leg { upper, lower, foot, toes, heel: heel.into(), bends });
    }

    /// Rest position of a joint.
    pub fn rest(&self, joint: usize) -> Vec3 {
        self.joints[joint].rest
    }

    /// The middle between the upper joints of the first two legs: what a pelvis path moves.
    pub fn mid_hip(&self) -> Vec3 {
        (self.rest(self.legs[0].upper) + self.rest(self.legs[1].upper)) / 2.0
    }
}

/// The adult. Left before right everywhere.
pub struct Human {
    pub body: Body,
    pub spine: Vec<usize>,
    pub neck: usize,
    pub head: usize,
    /// Clavicle, upper arm, forearm, hand.
    pub arms: [[usize; 4]; 2],
}

const SIDES: [f64; 2] = [1.0, -1.0];

impl Human {
    /// Segment lengths as parts of the height H: Drillis & Contini 1966, as tabulated in Winter, Biomechanics and
    /// Motor Control of Human Movement, table 4.1: ankle 0.039, shank 0.246, thigh 0.245, upper arm 0.186, forearm
    /// 0.146, hand 0.108, shoulder height 0.818, foot length 0.152.
    pub fn new(spine_joints: usize) -> Self {
        const H: f64 = 1.75;
        let (ankle, knee, hip) = (0.039 * H, 0.285 * H, 0.530 * H);
        let mut body = Body { joints: Vec::new(), legs: Vec::new() };
        let hips = body.add("Hips", None, [0.0, hip + 0.035, 0.0]);
        let leg_names = [
            ["LeftUpperLeg", "LeftLowerLeg", "LeftFoot", "LeftToes"],
            ["RightUpperLeg", "RightLowerLeg", "RightFoot", "RightToes"],
        ];
        for (names, side) in leg_names.into_iter().zip(SIDES) {
            let x = side * 0.05 * H;
            let at =
                [[x, hip, 0.0], [x, knee, 0.0], [x, ankle, 0.0], [x, 0.02, 0.135], [x, 0.0, 0.135 + 0.076]];
            body.leg(names, hips, at, [x, 0.0, -0.055], 1.0);
        }
        let mut spine = Vec::new();
        for (i, name) in ["Spine", "Chest", "UpperChest"].into_iter().take(spine_joints).enumerate() {
            // One joint alone bends at the waist; more spread from the waist to the shoulder blades.
            let part = if spine_joints == 1 { 0.3 } else { i as f64 / (spine_joints - 1) as f64 };
            spine.push(body.add(
                name,
                Some(*spine.last().unwrap_or(&hips)),
                [0.0, 1.04 + 0.27 * part, -0.01],
            ));
        }
        let chest = spine[spine.len() - 1];
        let neck = body.add("Neck", Some(chest), [0.0, 0.845 * H, -0.02]);
        let head = body.add("Head", Some(neck), [0.0, 0.895 * H, 0.005]);
        body.end(head, [0.0, H, 0.005]);
        let arm_names = [
            ["LeftShoulder", "LeftUpperArm", "LeftLowerArm", "LeftHand"],
            ["RightShoulder", "RightUpperArm", "RightLowerArm", "RightHand"],
        ];
        let arms = [0, 1].map(|i| {
            let (names, side, y) = (arm_names[i], SIDES[i], 0.818 * H);
            let (shoulder, elbow, wrist, tip) = (0.17, 0.17 + 0.186 * H, 0.17 + 0.332 * H, 0.17 + 0.44 * H);
            let clavicle = body.add(names[0], Some(chest), [side * 0.03, y + 0.02, 0.0]);
            let upper = body.add(names[1], Some(clavicle), [side * shoulder, y, -0.02]);
            let lower = body.add(names[2], Some(upper), [side * elbow, y, -0.02]);
            let hand = body.add(names[3], Some(lower), [side * wrist, y, -0.02]);
            body.end(hand, [side * tip, y, -0.02]);
            [clavicle, upper, lower, hand]
        });
        Self { body, spine, neck, head, arms }
    }
}

/// The dog; hind legs are legs 0 and 1, forelegs 2 and 3, left before right.
pub struct Dog {
    pub body: Body,
    pub spine: usize,
    pub chest: usize,
    pub neck: usize,
    pub head: usize,
    pub tail: [usize; 3],
    /// Shoulder blades.
    pub blades: [usize; 2],
}

impl Dog {
    /// Proportions of a medium dog: elbow at half the height of the withers, body as long as high, standing on its
    /// toes with hock and wrist off the ground.
    pub fn new() -> Self {
        let mut body = Body { joints: Vec::new(), legs: Vec::new() };
        let hips = body.add("Hips", None, [0.0, 0.50, -0.26]);
        let leg_names = [
            ["HindLeftUpperLeg", "HindLeftLowerLeg", "HindLeftFoot", "HindLeftToes"],
            ["HindRightUpperLeg", "HindRightLowerLeg", "HindRightFoot", "HindRightToes"],
            ["FrontLeftUpperLeg", "FrontLeftLowerLeg", "FrontLeftFoot", "FrontLeftToes"],
            ["FrontRightUpperLeg", "FrontRightLowerLeg", "FrontRightFoot", "FrontRightToes"],
        ];
        for (names, side) in leg_names.into_iter().zip(SIDES) {
            let at = [[0.46, -0.27], [0.305, -0.19], [0.145, -0.335], [0.02, -0.295], [0.0, -0.24]];
            let x = side * 0.065;
            body.leg(names, hips, at.map(|[y, z]| [x, y, z]), [x, 0.0, -0.31], 1.0);
        }
        let spine = body.add("Spine", Some(hips), [0.0, 0.515, -0.13]);
        let chest = body.add("Chest", Some(spine), [0.0, 0.515, 0.03]);
        let blades = [("LeftBlade", 1.0, 2), ("RightBlade", -1.0, 3)].map(|(name, side, leg)| {
            let blade = body.add(name, Some(chest), [side * 0.05, 0.53, 0.15]);
            let at = [[0.38, 0.265], [0.285, 0.145], [0.105, 0.175], [0.02, 0.205], [0.0, 0.255]];
            let x = side * 0.075;
            body.leg(leg_names[leg], blade, at.map(|[y, z]| [x, y, z]), [x, 0.0, 0.19], -1.0);
            blade
        });
        let neck = body.add("Neck", Some(chest), [0.0, 0.52, 0.23]);
        let head = body.add("Head", Some(neck), [0.0, 0.665, 0.37]);
        body.end(head, [0.0, 0.63, 0.56]);
        let root = body.add("Tail", Some(hips), [0.0, 0.49, -0.33]);
        let middle = body.add("Tail1", Some(root), [0.0, 0.45, -0.43]);
        let last = body.add("Tail2", Some(middle), [0.0, 0.42, -0.53]);
        body.end(last, [0.0, 0.41, -0.63]);
        Self { body, spine, chest, neck, head, tail: [root, middle, last], blades }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bodies_are_as_tall_as_they_say_and_stand_on_the_floor() {
        for spine_joints in 1..=3 {
            let human = Human::new(spine_joints);
            assert_eq!(human.body.joints[human.head].end.unwrap().y, 1.75);
            let thigh = human.body.rest(human.body.legs[0].upper) - human.body.rest(human.body.legs[0].lower);
            assert!((thigh.norm() - 0.245 * 1.75).abs() < 1e-12);
        }
        for body in [Human::new(2).body, Dog::new().body] {
            for (i, joint) in body.joints.iter().enumerate() {
                assert!(joint.parent.is_none_or(|parent| parent < i));
            }
            for leg in &body.legs {
                assert_eq!((body.joints[leg.toes].end.unwrap().y, leg.heel.y), (0.0, 0.0));
            }
        }
    }
}
