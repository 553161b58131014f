//! A tin robot of separate rigid parts: boxes, rods and balls that touch but are not joined.

use super::body::Body;
use super::implicit::Ink;
use super::model::Character;
use super::solids::{Solid, chamfered_box, lathe, rod, sphere};
use puppetry::stages::math::Vec3;
use puppetry::stages::mesh::Material;

const SHELL: Ink = 0xE8E4D8;
const ACCENT: Ink = 0xE2703A;
const STEEL: Ink = 0x6E7B86;
const DARK: Ink = 0x2B3138;
const GLOW: Ink = 0x7FE3FF;
const LAMP: Ink = 0xFF5A4A;

pub fn make() -> Character {
    let body = Body {
        hip_height: 0.60,
        hip_width: 0.125,
        leg_spread: 0.0,
        knee_bend: 0.0,
        ankle_height: 0.10,
        foot_length: 0.26,
        foot_splay: 0.0,
        torso: 0.42,
        neck: 0.10,
        shoulder_width: 0.28,
        shoulder_drop: 0.06,
        upper_arm: 0.24,
        forearm: 0.23,
        arm_drop: 0.5,
        elbow_bend: 0.0,
        ..Body::default()
    };
    let j = body.joints();
    let mut robot = Robot { character: Character::new("biped", "A", j.named()), materials: [0; 2] };
    let metal =
        Material { name: "painted metal".into(), metallic: 0.1, roughness: 0.45, ..Material::default() };
    let light = Material { name: "light".into(), emissive: [0.15, 0.3, 0.35], ..Material::default() };
    robot.materials = [metal, light].map(|material| robot.character.material(material));

    // Trunk.
    let chest = Vec3::new(0.0, j.chest.y + 0.04, 0.0);
    robot.middle("torso", SHELL, chamfered_box(chest, Vec3::new(0.205, 0.165, 0.135), 0.03));
    robot.middle(
        "chest_panel",
        DARK,
        chamfered_box(chest + Vec3::new(0.0, 0.035, 0.14), Vec3::new(0.12, 0.075, 0.012), 0.006),
    );
    robot.sides(
        "dial",
        GLOW,
        rod(chest + Vec3::new(0.055, 0.05, 0.15), chest + Vec3::new(0.055, 0.05, 0.168), 0.03, 0.03),
    );
    robot.middle(
        "gauge",
        LAMP,
        chamfered_box(chest + Vec3::new(0.0, -0.005, 0.155), Vec3::new(0.085, 0.012, 0.008), 0.003),
    );
    robot.middle(
        "waist",
        STEEL,
        rod(Vec3::new(0.0, j.hips.y + 0.055, 0.0), chest - Vec3::y() * 0.162, 0.10, 0.12),
    );
    robot.middle(
        "pelvis",
        ACCENT,
        chamfered_box(Vec3::new(0.0, j.hips.y, 0.0), Vec3::new(0.165, 0.06, 0.105), 0.025),
    );
    robot.middle(
        "backpack",
        STEEL,
        chamfered_box(chest + Vec3::new(0.0, 0.0, -0.175), Vec3::new(0.12, 0.11, 0.042), 0.02),
    );

    // Neck and head.
    let top = chest.y + 0.165;
    for (ring, name) in ["neck_ring_low", "neck_ring_middle", "neck_ring_high"].into_iter().enumerate() {
        let low = Vec3::y() * (top + 0.022 * ring as f64);
        let ink = if ring == 1 { DARK } else { STEEL };
        robot.middle(name, ink, rod(low, low + Vec3::y() * 0.021, 0.06, 0.06));
    }
    let face = Vec3::new(0.0, top + 0.066 + 0.125, 0.0);
    robot.middle("head", SHELL, chamfered_box(face, Vec3::new(0.17, 0.125, 0.135), 0.035));
    let dome = [[0.0, 0.0], [0.13, 0.0], [0.122, 0.03], [0.095, 0.055], [0.05, 0.072], [0.0, 0.077]];
    robot.middle("dome", ACCENT, lathe(14, &dome).moved(face + Vec3::y() * 0.125));
    robot.sides(
        "eye_socket",
        DARK,
        rod(face + Vec3::new(0.07, 0.02, 0.132), face + Vec3::new(0.07, 0.02, 0.15), 0.056, 0.056),
    );
    robot.sides("eye", GLOW, sphere(Vec3::zeros(), 0.042).moved(face + Vec3::new(0.07, 0.02, 0.142)));
    robot.sides("pupil", DARK, sphere(Vec3::zeros(), 0.017).moved(face + Vec3::new(0.064, 0.022, 0.175)));
    robot.middle(
        "mouth",
        DARK,
        chamfered_box(face + Vec3::new(0.0, -0.072, 0.134), Vec3::new(0.072, 0.017, 0.008), 0.004),
    );
    for (tooth, x) in [-0.045, 0.0, 0.045].into_iter().enumerate() {
        let name = ["tooth_right", "tooth_middle", "tooth_left"][tooth];
        robot.middle(
            name,
            SHELL,
            chamfered_box(face + Vec3::new(x, -0.072, 0.142), Vec3::new(0.017, 0.010, 0.006), 0.002),
        );
    }
    robot.sides("ear", ACCENT, rod(face + Vec3::x() * 0.168, face + Vec3::x() * 0.205, 0.055, 0.042));
    let tip = face + Vec3::y() * 0.30;
    robot.middle("antenna", STEEL, rod(face + Vec3::y() * 0.20, tip, 0.010, 0.007));
    robot.middle("antenna_ball", LAMP, sphere(tip + Vec3::y() * 0.02, 0.026));

    // Arms.
    let (upper, fore) = ((j.elbow - j.shoulder).normalize(), (j.wrist - j.elbow).normalize());
    robot.sides("shoulder", STEEL, sphere(j.shoulder, 0.072));
    robot.sides("upper_arm", SHELL, rod(j.shoulder + upper * 0.065, j.elbow - upper * 0.048, 0.046, 0.042));
    robot.sides("elbow", STEEL, sphere(j.elbow, 0.052));
    robot.sides("forearm", SHELL, rod(j.elbow + fore * 0.046, j.wrist - fore * 0.028, 0.044, 0.060));
    robot.sides("cuff", ACCENT, rod(j.wrist - fore * 0.062, j.wrist - fore * 0.040, 0.067, 0.067));
    robot.sides("wrist", STEEL, sphere(j.wrist, 0.036));
    robot.sides("palm", DARK, rod(j.wrist + fore * 0.030, j.wrist + fore * 0.062, 0.040, 0.052));
    let across = Vec3::z();
    let other = fore.cross(&across);
    for (name, angle) in [("finger_front", 90f64), ("finger_back", 210.0), ("thumb", 330.0)] {
        let out = across * angle.to_radians().sin() + other * angle.to_radians().cos();
        let root = j.wrist + fore * 0.062 + out * 0.034;
        robot.sides(name, STEEL, rod(root, root + fore * 0.052 + out * 0.022, 0.015, 0.013));
        let knuckle = root + fore * 0.054 + out * 0.023;
        robot.sides(
            &format!("{name}_tip"),
            ACCENT,
            rod(knuckle, knuckle + fore * 0.045 - out * 0.018, 0.014, 0.009),
        );
    }

    // Legs.
    let down = -Vec3::y();
    robot.sides("hip", STEEL, sphere(j.hip - Vec3::y() * 0.012, 0.066));
    robot.sides("thigh", SHELL, rod(j.hip + down * 0.070, j.knee - down * 0.050, 0.056, 0.050));
    robot.sides("knee", STEEL, sphere(j.knee, 0.056));
    robot.sides(
        "knee_cap",
        ACCENT,
        rod(j.knee + Vec3::z() * 0.048, j.knee + Vec3::z() * 0.068, 0.036, 0.026),
    );
    robot.sides("shin", SHELL, rod(j.knee + down * 0.050, j.ankle - down * 0.036, 0.052, 0.070));
    robot.sides("ankle", STEEL, sphere(j.ankle, 0.042));
    let foot = Vec3::new(j.ankle.x, 0.036, 0.015);
    robot.sides("foot", ACCENT, chamfered_box(foot, Vec3::new(0.085, 0.036, 0.095), 0.018));
    let toe = chamfered_box(Vec3::zeros(), Vec3::new(0.082, 0.030, 0.042), 0.016);
    robot.sides("toe", DARK, toe.moved(Vec3::new(j.ankle.x, 0.030, 0.153)));

    robot.character.note = "every part is closed and separate; none shares a vertex with another";
    robot.character.stand()
}

struct Robot {
    character: Character,
    materials: [usize; 2],
}

impl Robot {
    /// A part on the plane of symmetry.
    fn middle(&mut self, name: &str, ink: Ink, solid: Solid) {
        let material = self.materials[usize::from(ink == GLOW)];
        self.character.add(name, material, solid.shaded(ink));
    }

    /// A part on the left, and its mirror image on the right.
    fn sides(&mut self, name: &str, ink: Ink, solid: Solid) {
        self.middle(&format!("left_{name}"), ink, solid.clone());
        self.middle(&format!("right_{name}"), ink, solid.mirrored());
    }
}
