use thiserror::Error;

/// Something in a motion file that is not as its format demands, and was repaired.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum Repair {
    /// The file does not begin with `HIERARCHY`.
    #[error("the file does not begin with HIERARCHY; read as if it did")]
    NoHierarchyKeyword,
    /// There is no section `MOTION`: the file is a skeleton without frames.
    #[error("there is no MOTION; only the hierarchy is used")]
    NoMotion,
    /// The section `MOTION` has no frames.
    #[error("there are no frames; only the hierarchy is used")]
    NoFrames,
    /// There is no line `Frames:`.
    #[error("the number of frames is not declared; they were counted")]
    NoFrameCount,
    /// Another number of frames is there than declared.
    #[error("{found} frames are there but {declared} declared; those present are used")]
    FrameCount {
        /// As the file says.
        declared: u64,
        /// As there are.
        found: usize,
    },
    /// The last frame is incomplete and was left out.
    #[error("the last frame has {values} of {width} numbers and was left out")]
    PartialFrame {
        /// Numbers that it has.
        values: usize,
        /// Numbers that a frame has.
        width: usize,
    },
    /// The time of a frame is absent, zero, negative or not a number.
    #[error("the time of a frame is missing or not above zero; 30 frames a second are assumed")]
    FrameTime,
    /// The number of channels is not the number of names that follow it.
    #[error("'{joint}' declares {declared} channels and lists {listed}; the list is used")]
    ChannelCount {
        /// The joint.
        joint: String,
        /// As the file says.
        declared: u64,
        /// As there are.
        listed: usize,
    },
    /// A channel that is neither a position nor a rotation; its numbers are skipped.
    #[error("the channel '{channel}' of '{joint}' is neither position nor rotation; its numbers are skipped")]
    UnknownChannel {
        /// The joint.
        joint: String,
        /// The channel.
        channel: String,
    },
    /// A joint has no `OFFSET`; it is at its parent.
    #[error("'{joint}' has no OFFSET; it is put at its parent")]
    NoOffset {
        /// The joint.
        joint: String,
    },
    /// A joint has no name and got one.
    #[error("a joint has no name; it is called '{given}'")]
    NoName {
        /// The new name.
        given: String,
    },
    /// A name occurs twice; the later joint got another one.
    #[error("the name '{name}' is taken; this joint is called '{given}'")]
    NameTaken {
        /// The name.
        name: String,
        /// The new name.
        given: String,
    },
    /// Braces that were opened are not closed.
    #[error("{}", braces(*count))]
    OpenBraces {
        /// How many.
        count: usize,
    },
    /// A brace is closed that was not opened.
    #[error("a brace is closed that was not opened; skipped")]
    ExtraBrace,
    /// There is more than one `ROOT`; the first is read.
    #[error("there is a second ROOT '{name}'; only the first is used, save the other to its own file")]
    SecondRoot {
        /// The name of the other root.
        name: String,
    },
    /// Something stands in the hierarchy that is no keyword of the format; its line was skipped.
    #[error("'{word}' is not known here; its line was skipped")]
    UnknownWord {
        /// The word.
        word: String,
    },
    /// Numbers that are not finite were replaced by the value before them.
    #[error(
        "values that are not finite numbers were replaced by the frame before: {count}, the first of '{joint}' in frame {frame}"
    )]
    Held {
        /// The joint of the first one.
        joint: String,
        /// Its frame, from 0.
        frame: usize,
        /// How many.
        count: usize,
    },
    /// Rotations or positions that leap away for a moment and come back were replaced.
    #[error(
        "values that leap away for a moment were replaced: {count}, the first of '{joint}' in frame {frame}"
    )]
    Spikes {
        /// The joint of the first one.
        joint: String,
        /// Its frame, from 0.
        frame: usize,
        /// How many.
        count: usize,
    },
    /// The twist of a straight limb jumps between two frames although no bone changes its direction; it was taken out.
    #[error(
        "the twist of '{joint}' jumps by up to {degrees:.0}° while no bone changes its direction, and was made steady: {}",
        listed(frames)
    )]
    TwistJumps {
        /// The joint.
        joint: String,
        /// The frames with which it is twisted otherwise, as numbers in the file.
        frames: Vec<usize>,
        /// The most, in degrees.
        degrees: f64,
    },
    /// The position channels of a joint are added to its offset, because they stay near zero.
    #[error("the positions of '{joint}' stay near zero; they are added to its OFFSET")]
    AddedPositions {
        /// The joint.
        joint: String,
    },
    /// Bones change their length during the motion.
    #[error("bones change their length: {count}, most the one that ends in '{joint}', by {percent:.0} %")]
    Stretches {
        /// The joint at the lower end of the one that changes most.
        joint: String,
        /// Difference between its longest and its shortest, in percent.
        percent: f64,
        /// How many bones do so.
        count: usize,
    },
    /// More was repaired than is worth listing.
    #[error("and {count} more repairs of the hierarchy")]
    More {
        /// How many times.
        count: usize,
    },
    /// Rows that have more or fewer numbers than a frame were replaced by the row before them.
    #[error(
        "rows that do not have the {width} numbers of a frame were replaced by those before them: {count}, the first, frame {frame}, has {values}"
    )]
    BrokenRows {
        /// The frame of the first one, from 0.
        frame: usize,
        /// Numbers of the first one.
        values: usize,
        /// Numbers that a frame has.
        width: usize,
        /// How many rows.
        count: usize,
    },
}

impl Repair {
    /// A stable identifier for reports and scripts.
    pub fn code(&self) -> &'static str {
        match self {
            Repair::NoHierarchyKeyword => "no-hierarchy-keyword",
            Repair::NoMotion => "no-motion",
            Repair::NoFrames => "no-frames",
            Repair::NoFrameCount => "no-frame-count",
            Repair::FrameCount { .. } => "frame-count",
            Repair::PartialFrame { .. } => "partial-frame",
            Repair::FrameTime => "frame-time",
            Repair::ChannelCount { .. } => "channel-count",
            Repair::UnknownChannel { .. } => "unknown-channel",
            Repair::NoOffset { .. } => "no-offset",
            Repair::NoName { .. } => "no-name",
            Repair::NameTaken { .. } => "name-taken",
            Repair::OpenBraces { .. } => "open-braces",
            Repair::ExtraBrace => "extra-brace",
            Repair::SecondRoot { .. } => "second-root",
            Repair::UnknownWord { .. } => "unknown-word",
            Repair::Held { .. } => "held-values",
            Repair::Spikes { .. } => "spikes",
            Repair::TwistJumps { .. } => "twist-jumps",
            Repair::AddedPositions { .. } => "added-positions",
            Repair::Stretches { .. } => "stretches",
            Repair::More { .. } => "more-repairs",
            Repair::BrokenRows { .. } => "broken-rows",
        }
    }

    /// The joint that it is about, or the first of several.
    pub fn joint(&self) -> Option<&str> {
        match self {
            Repair::ChannelCount { joint, .. }
            | Repair::UnknownChannel { joint, .. }
            | Repair::NoOffset { joint }
            | Repair::Held { joint, .. }
            | Repair::Spikes { joint, .. }
            | Repair::AddedPositions { joint }
            | Repair::TwistJumps { joint, .. }
            | Repair::Stretches { joint, .. } => Some(joint),
            Repair::NoName { given } | Repair::NameTaken { given, .. } => Some(given),
            _ => None,
        }
    }

    /// The first frame that it is about, from 0.
    pub fn frame(&self) -> Option<usize> {
        match self {
            Repair::Held { frame, .. } | Repair::Spikes { frame, .. } | Repair::BrokenRows { frame, .. } => {
                Some(*frame)
            }
            Repair::TwistJumps { frames, .. } => frames.first().copied(),
            _ => None,
        }
    }
}

/// So many frames fit a sentence.
const FRAMES: usize = 5;

/// Frames in words.
fn listed(frames: &[usize]) -> String {
    let shown: Vec<String> = frames.iter().take(FRAMES).map(usize::to_string).collect();
    let word = if frames.len() == 1 { "frame" } else { "frames" };
    match frames.len().saturating_sub(FRAMES) {
        0 => format!("{word} {}", shown.join(", ")),
        more => format!("{word} {} and {more} more", shown.join(", ")),
    }
}

fn braces(count: usize) -> String {
    match count {
        1 => "a brace is not closed; closed here".into(),
        _ => format!("{count} braces are not closed; closed here"),
    }
}
