/// A motion that is part of the program.
#[derive(Debug, Clone, Copy)]
pub struct BuiltInMotion {
    /// Its name.
    pub name: &'static str,
    /// What one sees, in a few words.
    pub about: &'static str,
    /// Whether the frame after the last one is the first one again, a step further on.
    pub loops: bool,
    /// The name of the motion that does the same on four legs, of one on two.
    pub on_four_legs: Option<&'static str>,
    /// The BVH file.
    pub bvh: &'static str,
}

macro_rules! motion {
    ($name:literal, $loops:literal, $about:literal) => {
        motion!($name, $loops, $about, None)
    };
    ($name:literal, $loops:literal, $about:literal, $on_four_legs:expr) => {
        BuiltInMotion {
            name: $name,
            about: $about,
            loops: $loops,
            on_four_legs: $on_four_legs,
            bvh: include_str!(concat!("../../motions/", $name, ".bvh")),
        }
    };
}

const BUILT_IN: [BuiltInMotion; 13] = [
    motion!("walk", true, "walks, 1.3 m/s", Some("quad_walk")),
    motion!("run", true, "runs, 3.2 m/s", Some("quad_gallop")),
    motion!("sneak", true, "sneaks, bent, knees high, toes first"),
    motion!("jump", false, "crouches, jumps on the spot, lands, settles"),
    motion!("idle", true, "stands, breathes, shifts its weight, looks around", Some("quad_idle")),
    motion!("wave", true, "waves with the right arm"),
    motion!("dance", true, "dances step-touch and V-step, 112.5 beats a minute"),
    motion!("turn", false, "turns left by half a circle in four steps"),
    motion!("sit", false, "sits down on a seat, waits, stands up"),
    motion!("quad_walk", true, "four legs: walks, 1.0 m/s"),
    motion!("quad_trot", true, "four legs: trots, 2.2 m/s"),
    motion!("quad_gallop", true, "four legs: gallops, 4.5 m/s"),
    motion!("quad_idle", true, "four legs: stands, looks around, wags its tail"),
];

/// All motions that are part of the program.
pub fn built_in() -> &'static [BuiltInMotion] {
    &BUILT_IN
}

impl BuiltInMotion {
    /// Whether this is its name, in whatever case.
    pub fn is_called(&self, name: &str) -> bool {
        self.name.eq_ignore_ascii_case(name)
    }

    /// The motion that does the same on four legs, of one on two.
    pub fn four_legged(&self) -> Option<&'static BuiltInMotion> {
        let name = self.on_four_legs?;
        built_in().iter().find(|known| known.name == name)
    }

    /// How many frames the file declares.
    pub fn frames(&self) -> usize {
        self.header("Frames:").map_or(0, |frames| frames as usize)
    }

    /// The rate that the file declares, rounded to a thousandth.
    pub fn frames_per_second(&self) -> f64 {
        const THOUSANDTHS: f64 = 1e3;
        self.header("Frame Time:").map_or(0.0, |seconds| (THOUSANDTHS / seconds).round() / THOUSANDTHS)
    }

    fn header(&self, key: &str) -> Option<f64> {
        self.bvh.lines().find_map(|line| line.trim().strip_prefix(key))?.trim().parse().ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_motion_says_how_long_it_is() {
        for motion in built_in() {
            assert!(motion.frames() > 30, "{}", motion.name);
            assert_eq!(motion.frames_per_second(), 60.0, "{}", motion.name);
            assert_eq!(motion.four_legged().is_some(), motion.on_four_legs.is_some(), "{}", motion.name);
        }
    }
}
