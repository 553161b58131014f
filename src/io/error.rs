use super::text::shortened;
use crate::Remedy;
use std::fmt;
use std::io;
use std::path::PathBuf;
use thiserror::Error;

/// A file could not be read: which file, where in it, and why, as one sentence with the way out.
#[derive(Debug, Error)]
#[error("cannot read '{}'{}: {}", file.display(), fault.at, fault.problem)]
pub struct LoadError {
    /// The file.
    pub file: PathBuf,
    /// Where in it and why.
    pub fault: Fault,
}

impl LoadError {
    /// What is wrong with a file.
    pub fn new(file: impl Into<PathBuf>, fault: Fault) -> LoadError {
        LoadError { file: file.into(), fault }
    }

    /// A stable name of the problem, by [`Problem::code`].
    pub fn code(&self) -> &'static str {
        self.fault.problem.code()
    }

    /// What would help, if anything that the caller can choose would.
    pub fn remedy(&self) -> Option<Remedy> {
        self.fault.problem.remedy()
    }
}

/// What a reader found wrong, and where.
#[derive(Debug)]
pub struct Fault {
    /// Where in the file.
    pub at: Location,
    /// What is wrong there.
    pub problem: Problem,
}

impl Fault {
    /// A problem of the file as a whole.
    pub fn whole(problem: Problem) -> Fault {
        Fault { at: Location::Whole, problem }
    }

    /// A problem in a line, counted from 1.
    pub fn line(line: usize, problem: Problem) -> Fault {
        Fault { at: Location::Line(line), problem }
    }

    /// A problem at a byte offset.
    pub fn offset(offset: usize, problem: Problem) -> Fault {
        Fault { at: Location::Offset(offset), problem }
    }

    /// A problem of a value of a JSON document, by its pointer: `/accessors/3`.
    pub fn json(pointer: impl Into<String>, problem: Problem) -> Fault {
        Fault { at: Location::Json(pointer.into()), problem }
    }
}

/// Where in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Location {
    /// The file as a whole.
    Whole,
    /// A line, counted from 1.
    Line(usize),
    /// A byte, counted from 0.
    Offset(usize),
    /// A value of a JSON document, by its pointer.
    Json(String),
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Location::Whole => Ok(()),
            Location::Line(line) => write!(f, ", line {line}"),
            Location::Offset(offset) => write!(f, ", byte {offset}"),
            Location::Json(pointer) if pointer.is_empty() => f.write_str(", at the top level"),
            Location::Json(pointer) => write!(f, ", at {pointer}"),
        }
    }
}

/// The way out where the content is wrong and nothing more exact is known.
const MEND: &str = "mend it or export the file again";

/// What is wrong with a file. Every sentence ends with the way out where there is one.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum Problem {
    /// The operating system refused.
    #[error("{0}; check its name and that you may read it")]
    Io(#[from] io::Error),
    /// The file has no content.
    #[error("the file is empty; export it again")]
    Empty,
    /// The content is none of the formats known here.
    #[error("this is not a format puppetry knows; save it as GLB, glTF, OBJ, PLY, STL, OFF or FBX")]
    UnknownFormat,
    /// Something else stands where a certain thing must stand.
    #[error("expected {expected}, found '{found}'; {}", MEND)]
    Syntax {
        /// What the format demands here.
        expected: &'static str,
        /// What is there, shortened.
        found: String,
    },
    /// The file ends before what it declares.
    #[error(
        "{what} need {needed} bytes but only {available} are left; the file is cut off, export or copy it again"
    )]
    Truncated {
        /// What is incomplete, in the plural.
        what: &'static str,
        /// Bytes that the declaration demands.
        needed: u64,
        /// Bytes that are there.
        available: u64,
    },
    /// An index points past the end of what it refers to.
    #[error("{what} {index} does not exist, there are {count}; {}", MEND)]
    IndexOutOfRange {
        /// What is referred to, in the singular.
        what: &'static str,
        /// The index as the file spells it.
        index: i64,
        /// How many there are.
        count: usize,
    },
    /// A coordinate is NaN or infinite.
    #[error("{what} {index} is not a finite number; delete or mend it in the program that made the file")]
    NotFinite {
        /// What it is, in the singular: `vertex`, `matrix of node`, …
        what: &'static str,
        /// Its index, from 0 (from 1 where the format counts so).
        index: usize,
    },
    /// There is no surface in the file.
    #[error("it contains no triangles; puppetry needs the surface of a character")]
    NoTriangles,
    /// More elements than can be counted with 32 bits.
    #[error("it has more than {limit} {what}; reduce the mesh")]
    TooMany {
        /// What they are, in the plural.
        what: &'static str,
        /// The most that is allowed.
        limit: u64,
    },
    /// The file uses a feature that is not read here.
    #[error("it uses {feature}, which puppetry does not read; {way_out}")]
    Unsupported {
        /// The feature.
        feature: String,
        /// What to do about it.
        way_out: &'static str,
    },
    /// A file that this one cannot do without is not there.
    #[error("it refers to '{name}', which cannot be read ({reason}); put it next to this file")]
    ReferencedFile {
        /// The reference as the file spells it.
        name: String,
        /// Why it cannot be read.
        reason: String,
    },
    /// The JSON of a glTF document is broken.
    #[error("its JSON is broken: {0}; {way_out}", way_out = MEND)]
    Json(#[from] serde_json::Error),
    /// A value contradicts the format: negative strides, unknown component types, cycles of nodes.
    #[error("{what} is invalid: {why}; {}", MEND)]
    Invalid {
        /// The thing.
        what: &'static str,
        /// What contradicts what.
        why: String,
    },
    /// The FBX library refused the file.
    #[error("its FBX content is broken: {0}; export it again as FBX 7.4 or as GLB")]
    Fbx(String),
    /// FBX in a build without its reader.
    #[error("this build reads no FBX; save the file as GLB, or build puppetry with the feature 'fbx'")]
    FbxDisabled,
    /// A folder stands where a file must stand.
    #[error("it is a folder; name a file in it")]
    IsFolder,
    /// A pipe or a device, which may never end.
    #[error("it is not a regular file; save it to disk first")]
    NotRegular,
    /// A file of another kind than a mesh.
    #[error("this is {0}, not a mesh; give the file of a character here")]
    NotAMesh(&'static str),
    /// There is no skeleton in the file.
    #[error("it contains no joints; puppetry needs a hierarchy of joints here")]
    NoJoints,
    /// There is a hierarchy, but nothing moves.
    #[error("it contains no animation; give a file that moves here")]
    NoAnimation,
    /// There is a mesh, but nothing that moves it.
    #[error("no mesh of it has a skin; {}", Remedy::Rig)]
    NoSkin,
    /// More characters than one can be moved at a time.
    #[error("it contains {} characters; {}", names.len(), Remedy::Skin(names.clone()))]
    SeveralCharacters {
        /// A skin of each.
        names: Vec<String>,
    },
    /// A skin was asked for that is not there.
    #[error("it has no skin '{wanted}'; give one of {}", names.join(", "))]
    NoSuchSkin {
        /// What was asked for.
        wanted: String,
        /// The skins that are there.
        names: Vec<String>,
    },
    /// A part was chosen that is not there.
    #[error("it has no node, object or group '{wanted}'; {}", one_of(names))]
    NoSuchPart {
        /// What was asked for.
        wanted: String,
        /// Some that are there.
        names: Vec<String>,
    },
    /// The chosen parts have no surface.
    #[error("nothing of it is left; {}", Remedy::OtherParts)]
    NothingChosen,
}

impl Problem {
    /// Something else than what must stand there.
    pub(super) fn syntax(expected: &'static str, found: &str) -> Problem {
        Problem::Syntax { expected, found: shortened(found.as_bytes()) }
    }

    /// What would help, if anything that the caller can choose would.
    pub fn remedy(&self) -> Option<Remedy> {
        match self {
            Problem::NoSkin => Some(Remedy::Rig),
            Problem::SeveralCharacters { names } => Some(Remedy::Skin(names.clone())),
            Problem::NothingChosen => Some(Remedy::OtherParts),
            _ => None,
        }
    }

    /// A stable name for programs: kebab-case, one for each variant.
    pub fn code(&self) -> &'static str {
        match self {
            Problem::Io(_) => "io",
            Problem::Empty => "empty-file",
            Problem::UnknownFormat => "unknown-format",
            Problem::Syntax { .. } => "syntax",
            Problem::Truncated { .. } => "truncated",
            Problem::IndexOutOfRange { .. } => "index-out-of-range",
            Problem::NotFinite { .. } => "not-finite",
            Problem::NoTriangles => "no-triangles",
            Problem::TooMany { .. } => "too-many",
            Problem::Unsupported { .. } => "unsupported",
            Problem::ReferencedFile { .. } => "referenced-file",
            Problem::Json(_) => "json",
            Problem::Invalid { .. } => "invalid-value",
            Problem::Fbx(_) => "fbx",
            Problem::FbxDisabled => "fbx-disabled",
            Problem::IsFolder => "is-folder",
            Problem::NotRegular => "not-regular-file",
            Problem::NotAMesh(_) => "not-a-mesh",
            Problem::NoJoints => "no-joints",
            Problem::NoAnimation => "no-animation",
            Problem::NoSkin => "no-skin",
            Problem::SeveralCharacters { .. } => "several-characters",
            Problem::NoSuchSkin { .. } => "no-such-skin",
            Problem::NoSuchPart { .. } => "no-such-part",
            Problem::NothingChosen => "nothing-chosen",
        }
    }
}

fn one_of(names: &[String]) -> String {
    match names {
        [] => "none has a name, so give the number of a node".to_owned(),
        names => format!("give one of {}", names.join(", ")),
    }
}

#[cfg(test)]
impl Fault {
    /// The sentence without its way out, and the location, for the tests of the readers.
    pub fn without_way_out(&self) -> String {
        let sentence = self.problem.to_string();
        format!("{}{}", sentence.rsplit_once("; ").map_or(&*sentence, |(fact, _)| fact), self.at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One of each variant.
    fn problems() -> Vec<Problem> {
        vec![
            Problem::Io(io::Error::from(io::ErrorKind::NotFound)),
            Problem::Empty,
            Problem::UnknownFormat,
            Problem::Syntax { expected: "a number", found: "x".into() },
            Problem::Truncated { what: "the chunks", needed: 2, available: 1 },
            Problem::IndexOutOfRange { what: "vertex", index: 3, count: 3 },
            Problem::NotFinite { what: "vertex", index: 3 },
            Problem::NoTriangles,
            Problem::TooMany { what: "vertices", limit: 3 },
            Problem::Unsupported { feature: "curves".into(), way_out: "save it as a mesh" },
            Problem::ReferencedFile { name: "a.bin".into(), reason: "no such file".into() },
            Problem::Json(serde_json::from_str::<u8>("{").unwrap_err()),
            Problem::Invalid { what: "the node", why: "it is its own ancestor".into() },
            Problem::Fbx("bad header".into()),
            Problem::FbxDisabled,
            Problem::IsFolder,
            Problem::NotRegular,
            Problem::NotAMesh("a motion"),
            Problem::NoJoints,
            Problem::NoAnimation,
            Problem::NoSkin,
            Problem::SeveralCharacters { names: vec!["a".into(), "b".into()] },
            Problem::NoSuchSkin { wanted: "c".into(), names: vec!["a".into()] },
            Problem::NoSuchPart { wanted: "c".into(), names: vec!["a".into()] },
            Problem::NothingChosen,
        ]
    }

    #[test]
    fn every_sentence_has_a_way_out() {
        let nameless = Problem::NoSuchPart { wanted: "c".into(), names: vec![] };
        for problem in problems().iter().chain([&nameless]).map(|problem| problem.to_string()) {
            assert!(problem.split_once("; ").is_some_and(|(_, way_out)| !way_out.is_empty()), "{problem}");
        }
        for (code, way_out) in [
            ("syntax", MEND),
            ("index-out-of-range", MEND),
            ("truncated", "the file is cut off, export or copy it again"),
            ("not-finite", "delete or mend it in the program that made the file"),
            ("no-triangles", "puppetry needs the surface of a character"),
        ] {
            let problem = problems().into_iter().find(|problem| problem.code() == code).unwrap();
            assert!(problem.to_string().ends_with(&format!("; {way_out}")), "{problem}");
        }
    }

    #[test]
    fn every_problem_has_a_code_of_its_own() {
        let problems = problems();
        let mut codes: Vec<&str> = problems.iter().map(Problem::code).collect();
        assert!(
            codes.iter().all(|code| code.bytes().all(|b| b.is_ascii_lowercase() || b == b'-')),
            "{codes:?}"
        );
        codes.sort_unstable();
        codes.dedup();
        assert_eq!(codes.len(), problems.len());
    }

    #[test]
    fn the_whole_of_a_document_is_a_place_with_a_name() {
        assert_eq!(Location::Json(String::new()).to_string(), ", at the top level");
        assert_eq!(Location::Json("/nodes/3".into()).to_string(), ", at /nodes/3");
    }
}
