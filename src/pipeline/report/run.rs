//! What there is to tell about a run over one character.

use super::super::{Animated, Character, InputMotion};
use super::{ClipReport, Entries, RigReport, WarningReport, round, seconds};
use sha2::{Digest, Sha256};
use std::path::Path;

report_types! {
    /// A run over one character: what was written, how it was rigged, and its clips.
    pub struct RunReport {
        pub puppetry_report: u32,
        pub command: &'static str,
        pub file: String,
        pub outputs: Vec<WrittenFile>,
        pub refused: Option<String>,
        pub joints: usize,
        pub soles: usize,
        pub rig: Option<RigReport>,
        pub clips: Vec<ClipEntry>,
        pub motions_left_out: Vec<LeftOutMotion>,
        pub warnings: Vec<WarningReport>,
        pub seconds: Entries<f64>,
    }

    /// A file that was written.
    pub struct WrittenFile {
        pub file: String,
        pub bytes: usize,
        pub sha256: String,
    }

    /// A clip of a run.
    pub struct ClipEntry {
        pub name: String,
        pub file: String,
        pub frames: usize,
        pub fps: f64,
        pub seconds: f64,
        pub speed_meters_per_second: f64,
        pub speed_legs_per_second: f64,
        pub bytes_of_all_keys: usize,
        pub bytes: usize,
        pub largest_key_error_meters: f64,
        pub retargeting: ClipReport,
        pub warnings: Vec<WarningReport>,
    }

    /// A motion that was left out, and why.
    pub struct LeftOutMotion {
        pub file: String,
        pub text: String,
    }
}

impl RunReport {
    /// What there is to tell about a character and its clips; about the joints alone, if no character was made.
    pub fn of(command: &'static str, file: &Path, character: Option<&Character>) -> RunReport {
        let rig = character.map(|character| &character.rig);
        RunReport {
            puppetry_report: 1,
            command,
            file: file.to_string_lossy().into_owned(),
            outputs: Vec::new(),
            refused: None,
            joints: rig.map_or(0, |rig| rig.joints.len()),
            soles: rig.map_or(0, |rig| rig.soles.len()),
            rig: None,
            clips: Vec::new(),
            motions_left_out: Vec::new(),
            warnings: Vec::new(),
            seconds: Entries::new(),
        }
    }

    /// Adds the time that each part took.
    pub fn set_seconds(&mut self, laps: &[(&'static str, f64)]) {
        self.seconds = seconds(laps);
    }
}

impl WrittenFile {
    /// A file as it was written.
    pub fn new(path: &Path, bytes: &[u8]) -> WrittenFile {
        WrittenFile {
            file: path.to_string_lossy().into_owned(),
            bytes: bytes.len(),
            sha256: Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect(),
        }
    }
}

impl ClipEntry {
    /// A motion that became a clip.
    pub fn of(animated: &Animated, motion: &InputMotion) -> ClipEntry {
        let clip = &animated.clip;
        let (before, after) = clip.bytes();
        ClipEntry {
            name: clip.name.clone(),
            file: motion.file.to_string_lossy().into_owned(),
            frames: clip.frames,
            fps: round(1.0 / clip.frame_seconds, 3),
            seconds: round(clip.seconds(), 4),
            speed_meters_per_second: round(animated.speed, 3),
            speed_legs_per_second: round(animated.legs_a_second(), 3),
            bytes_of_all_keys: before,
            bytes: after,
            largest_key_error_meters: animated.key_error,
            retargeting: animated.report.clone(),
            warnings: motion.warnings.iter().map(WarningReport::from).collect(),
        }
    }
}
