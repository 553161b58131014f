//! The hierarchy: joints, offsets and what the numbers of a frame mean.

use super::{FARTHEST, repaired};
use crate::Warning;
use crate::io::assembly::UniqueNames;
use crate::io::text::{Text, shortened};
use crate::io::{Fault, Problem};
use crate::math::Vec3;
use crate::motion::MotionJoint;
use crate::warning::Repair;

/// What one number of a frame means.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Channel {
    pub joint: usize,
    pub meaning: Meaning,
}

/// What a channel does to its joint; axes are 0, 1, 2.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Meaning {
    Position(usize),
    Rotation(usize),
    /// A number without a use: an unknown channel, or one of a joint that is left out.
    Skipped,
}

/// Joints and the channels of a frame, in the order of the file.
pub(super) struct BvhHierarchy {
    pub joints: Vec<MotionJoint>,
    /// The line of each joint.
    pub lines: Vec<usize>,
    pub channels: Vec<Channel>,
    /// Whether the word `MOTION` ended the hierarchy, not the end of the file.
    pub has_motion: bool,
}

/// Longer names are cut, because an end site repeats the name of its joint.
const LONGEST_NAME: usize = 200;
/// Repairs that are listed one by one. A file can hold one in each byte.
const LISTED_REPAIRS: usize = 50;

/// A joint whose brace is open.
#[derive(Default)]
struct Open {
    /// `None` inside a root that is left out.
    joint: Option<usize>,
    has_offset: bool,
    has_channels: bool,
}

/// Reads up to and including the word `MOTION`, or to the end of the file. There is no recursion: a hierarchy may be as
/// deep as the file is long.
pub(super) fn read(text: &mut Text, warnings: &mut Vec<Warning>) -> Result<BvhHierarchy, Fault> {
    let mut reader = Reader {
        joints: Vec::new(),
        lines: Vec::new(),
        channels: Vec::new(),
        open: Vec::new(),
        names: UniqueNames::default(),
        warnings,
        repairs: 0,
    };
    text.skip_to_word();
    if text.clone().word().eq_ignore_ascii_case(b"HIERARCHY") {
        text.word();
    } else {
        reader.warn(text.line(), Repair::NoHierarchyKeyword);
    }
    let has_motion = reader.read_body(text)?;
    if reader.joints.is_empty() {
        return Err(Fault::whole(Problem::NoJoints));
    }
    if reader.repairs > LISTED_REPAIRS {
        let count = reader.repairs - LISTED_REPAIRS;
        reader.warnings.push(repaired(text.line(), Repair::More { count }));
    }
    Ok(BvhHierarchy { joints: reader.joints, lines: reader.lines, channels: reader.channels, has_motion })
}

struct Reader<'w> {
    joints: Vec<MotionJoint>,
    lines: Vec<usize>,
    channels: Vec<Channel>,
    open: Vec<Open>,
    names: UniqueNames,
    warnings: &'w mut Vec<Warning>,
    repairs: usize,
}

impl Reader<'_> {
    fn warn(&mut self, line: usize, repair: Repair) {
        self.repairs += 1;
        if self.repairs <= LISTED_REPAIRS {
            self.warnings.push(repaired(line, repair));
        }
    }

    /// Returns whether there is a `MOTION`.
    fn read_body(&mut self, text: &mut Text) -> Result<bool, Fault> {
        loop {
            text.skip_to_word();
            let line = text.line();
            match text.peek() {
                b'}' => {
                    text.bump();
                    self.close(line);
                    continue;
                }
                b'{' => return Err(text.unexpected("a keyword before the brace")),
                _ => {}
            }
            let before = text.clone();
            let keyword = keyword(text);
            match keyword.to_ascii_uppercase().as_slice() {
                b"" | b"MOTION" => {
                    if keyword.is_empty() {
                        self.warn(line, Repair::NoMotion);
                    }
                    if !self.open.is_empty() {
                        let count = self.open.len();
                        self.warn(line, Repair::OpenBraces { count });
                    }
                    return Ok(!keyword.is_empty());
                }
                b"ROOT" | b"JOINT" => self.open_joint(text, line)?,
                b"END" => self.open_end(text, line)?,
                b"OFFSET" => self.read_offset(text, &before)?,
                b"CHANNELS" => self.read_channels(text, &before)?,
                _ => {
                    self.warn(line, Repair::UnknownWord { word: shortened(keyword) });
                    text.rest_of_line();
                }
            }
        }
    }

    fn close(&mut self, line: usize) {
        match self.open.pop() {
            None => self.warn(line, Repair::ExtraBrace),
            Some(Open { joint: Some(joint), has_offset: false, .. }) => {
                let joint = self.joints[joint].name.clone();
                self.warn(line, Repair::NoOffset { joint });
            }
            Some(_) => {}
        }
    }

    fn open_joint(&mut self, text: &mut Text, line: usize) -> Result<(), Fault> {
        let name = name_before_brace(text)?;
        match self.open.last().map(|open| open.joint) {
            // A second root: its channels take part in the frames, but it moves nothing here.
            None if !self.joints.is_empty() => {
                self.warn(line, Repair::SecondRoot { name: shortened(name.as_bytes()) });
                self.open.push(Open::default());
            }
            Some(None) => self.open.push(Open::default()),
            parent => {
                let name = self.unique(name, line);
                self.push(name, parent.flatten(), line);
            }
        }
        Ok(())
    }

    fn open_end(&mut self, text: &mut Text, line: usize) -> Result<(), Fault> {
        let before = text.clone();
        // The word is followed by "Site", by nothing, or by a name, which is not used.
        name_before_brace(text)?;
        match self.open.last().map(|open| open.joint) {
            None => return Err(before.unexpected("a joint around the End Site")),
            Some(None) => self.open.push(Open::default()),
            Some(Some(parent)) => {
                let name = self.names.take(&format!("{}.end", self.joints[parent].name));
                self.push(name, Some(parent), line).is_end = true;
            }
        }
        Ok(())
    }

    fn push(&mut self, name: String, parent: Option<usize>, line: usize) -> &mut MotionJoint {
        self.lines.push(line);
        let joint = self.joints.len();
        self.open.push(Open { joint: Some(joint), ..Open::default() });
        self.joints.push(MotionJoint { name, parent, offset: Vec3::zeros(), is_end: false });
        &mut self.joints[joint]
    }

    fn unique(&mut self, name: String, line: usize) -> String {
        if name.is_empty() {
            let given = self.names.take(&format!("joint{}", self.joints.len()));
            self.warn(line, Repair::NoName { given: given.clone() });
            return given;
        }
        let given = self.names.take(&name);
        if given != name {
            let name = shortened(name.as_bytes());
            self.warn(line, Repair::NameTaken { name, given: given.clone() });
        }
        given
    }

    fn read_offset(&mut self, text: &mut Text, before: &Text) -> Result<(), Fault> {
        let mut offset = Vec3::zeros();
        for axis in 0..3 {
            text.skip_to_word();
            let number = text.clone();
            offset[axis] = text.number()?;
            if !(offset[axis].abs() < FARTHEST) {
                return Err(number.unexpected("a finite number below 1e12"));
            }
        }
        let Some(open) = self.open.last_mut() else {
            return Err(before.unexpected("a joint around the OFFSET"));
        };
        open.has_offset = true;
        if let Some(joint) = open.joint {
            self.joints[joint].offset = offset;
        }
        Ok(())
    }

    fn read_channels(&mut self, text: &mut Text, before: &Text) -> Result<(), Fault> {
        let line = text.line();
        text.skip_to_word();
        let declared = text.count("the number of channels")?;
        let Some(open) = self.open.last_mut() else {
            return Err(before.unexpected("a joint around the CHANNELS"));
        };
        if std::mem::replace(&mut open.has_channels, true) {
            return Err(before.unexpected("one line of CHANNELS in a joint"));
        }
        let joint = open.joint;
        let name = joint.map_or(String::new(), |joint| self.joints[joint].name.clone());
        let mut listed = 0;
        loop {
            text.skip_to_word();
            let mut ahead = text.clone();
            let word = ahead.word();
            let meaning = meaning(word);
            let is_more = match meaning {
                Some(_) => true,
                None => (listed as u64) < declared && !word.is_empty() && !is_structure(word),
            };
            if !is_more {
                break;
            }
            *text = ahead;
            listed += 1;
            if meaning.is_none() {
                let channel = shortened(word);
                self.warn(line, Repair::UnknownChannel { joint: name.clone(), channel });
            }
            let is_end = joint.is_some_and(|joint| self.joints[joint].is_end);
            let channel = match (joint, meaning) {
                (Some(joint), Some(meaning)) if !is_end => Channel { joint, meaning },
                _ => Channel { joint: 0, meaning: Meaning::Skipped },
            };
            self.channels.push(channel);
        }
        if listed as u64 != declared {
            self.warn(line, Repair::ChannelCount { joint: name, declared, listed });
        }
        Ok(())
    }
}

/// A keyword ends at a blank, or at the brace that some writers put right behind it.
fn keyword<'a>(text: &mut Text<'a>) -> &'a [u8] {
    let rest = text.remaining();
    let length = rest.iter().position(|&b| b.is_ascii_whitespace() || b == b'{' || b == b'}');
    let word = &rest[..length.unwrap_or(rest.len())];
    word.iter().for_each(|_| text.bump());
    word
}

/// Names may contain anything but line ends and braces. Steps over the brace.
fn name_before_brace(text: &mut Text) -> Result<String, Fault> {
    let rest = text.remaining();
    let end = rest.iter().position(|byte| matches!(byte, b'\n' | b'\r' | b'{' | b'}'));
    let length = end.unwrap_or(rest.len());
    let bytes = rest[..length].trim_ascii();
    // Names in an old encoding become unreadable, but stay apart from each other: every byte is a letter.
    let name = match std::str::from_utf8(bytes) {
        Ok(name) => name.chars().take(LONGEST_NAME).collect(),
        Err(_) => bytes.iter().map(|&byte| char::from(byte)).take(LONGEST_NAME).collect(),
    };
    rest[..length].iter().for_each(|_| text.bump());
    text.skip_to_word();
    if text.peek() != b'{' {
        return Err(text.unexpected("'{' behind the name of a joint"));
    }
    text.bump();
    Ok(name)
}

/// `Xposition`, `yRotation`, and the short forms of some programs.
fn meaning(word: &[u8]) -> Option<Meaning> {
    let lower = word.to_ascii_lowercase();
    let (axis, rest) = lower.split_first()?;
    let axis = usize::from(axis.checked_sub(b'x').filter(|&axis| axis < 3)?);
    match rest {
        b"position" | b"pos" | b"translation" => Some(Meaning::Position(axis)),
        b"rotation" | b"rot" => Some(Meaning::Rotation(axis)),
        _ => None,
    }
}

/// What cannot be the name of a channel.
fn is_structure(word: &[u8]) -> bool {
    let keywords: [&[u8]; 6] = [b"JOINT", b"END", b"OFFSET", b"CHANNELS", b"MOTION", b"ROOT"];
    word.contains(&b'{')
        || word.contains(&b'}')
        || keywords.iter().any(|keyword| word.eq_ignore_ascii_case(keyword))
}
