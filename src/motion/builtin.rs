/// A motion that is part of the program.
#[derive(Debug, Clone, Copy)]
pub struct BuiltIn {
    /// What `--motion` calls it.
    pub name: &'static str,
    /// What one sees, in a few words.
    pub about: &'static str,
    /// Whether the frame after the last one is the first one again, a step further on.
    pub loops: bool,
    /// The BVH file.
    pub bvh: &'static str,
}

macro_rules! motion {
    ($name:literal, $loops:literal, $about:literal) => {
        BuiltIn {
            name: $name,
            about: $about,
            loops: $loops,
            bvh: include_str!(concat!("../../motions/", $name, ".bvh")),
        }
    };
}

const BUILT_IN: [BuiltIn; 13] = [
    motion!("walk", true, "a relaxed walk"),
    motion!("run", true, "a jog"),
    motion!("sneak", true, "on tiptoe, knees high, trunk bent"),
    motion!("jump", false, "crouch, leap, land and settle"),
    motion!("idle", true, "stands, breathes, shifts the weight"),
    motion!("wave", true, "greets with the right hand"),
    motion!("dance", true, "a two-step to the beat"),
    motion!("turn", false, "turns on the spot in small steps"),
    motion!("sit", false, "sits down, waits, stands up"),
    motion!("quad_walk", true, "four legs: walk"),
    motion!("quad_trot", true, "four legs: trot"),
    motion!("quad_gallop", true, "four legs: gallop"),
    motion!("quad_idle", true, "four legs: stands, looks around, wags the tail"),
];

/// All motions that are part of the program.
pub fn built_in() -> &'static [BuiltIn] {
    &BUILT_IN
}

impl BuiltIn {
    /// How many frames the file declares.
    pub fn frames(&self) -> usize {
        self.header("Frames:").map_or(0, |frames| frames as usize)
    }

    /// The rate that the file declares, rounded to a thousandth.
    pub fn frames_per_second(&self) -> f64 {
        self.header("Frame Time:").map_or(0.0, |seconds| (1e3 / seconds).round() / 1e3)
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
        }
    }
}
