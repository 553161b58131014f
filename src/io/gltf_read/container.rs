//! From bytes to the document and its buffers: the GLB container, data URIs, and files beside the document.

use crate::Warning;
use crate::io::folder::percent_decoded;
use crate::io::images::missing;
use crate::io::json_item::Item;
use crate::io::{Fault, Folder, Problem};
use crate::mesh::{Format, SourceDocument};
use base64::Engine;
use base64::alphabet::{STANDARD, URL_SAFE};
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use serde_json::Value;
use std::collections::HashSet;
use std::path::PathBuf;

const HEADER: usize = 12;
const CHUNK_HEADER: usize = 8;

/// A file that several entries name is held once for each of them. Beyond this sum it is refused: a document
/// of a few kilobytes could otherwise fill the memory with copies of one file.
const REPEATED_FILES_LIMIT: u64 = 256 << 20;

/// The JSON of the document and, in a GLB, its binary chunk.
pub(super) struct Container {
    pub format: Format,
    pub json: Value,
    pub binary: Option<Vec<u8>>,
}

/// Splits a GLB, or takes the bytes as JSON. The binary chunk keeps the allocation of the file.
pub(super) fn open(mut bytes: Vec<u8>) -> Result<Container, Fault> {
    if bytes.is_empty() {
        return Err(Fault::whole(Problem::Empty));
    }
    if !bytes.starts_with(b"glTF") {
        let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&bytes);
        return Ok(Container { format: Format::Gltf, json: parse(text)?, binary: None });
    }
    if bytes.len() < HEADER {
        return Err(truncated("the GLB headers", 0, HEADER, bytes.len()));
    }
    match word(&bytes, 4) {
        Some(2) => {}
        Some(version) => return Err(Fault::offset(4, old_version(&version.to_string()))),
        None => return Err(truncated("the GLB headers", 0, HEADER, bytes.len())),
    }
    // The total length in the header is not looked at: it cannot make the data longer, and the lengths of the
    // chunks tell more exactly what is missing.
    let json_range = chunk(&bytes, HEADER)?;
    if word(&bytes, HEADER + 4) != Some(u32::from_le_bytes(*b"JSON")) {
        let found = String::from_utf8_lossy(&bytes[HEADER + 4..HEADER + 8]).into_owned();
        return Err(Fault::offset(HEADER + 4, Problem::Syntax { expected: "the chunk type JSON", found }));
    }
    // Chunks are padded with spaces; some writers pad with zeros.
    let json_end = bytes[json_range.clone()].iter().rposition(|&byte| byte != 0).map_or(0, |last| last + 1);
    let json = parse(&bytes[json_range.start..json_range.start + json_end])?;

    let mut at = json_range.end;
    let mut binary_range = None;
    while binary_range.is_none() && bytes.len().saturating_sub(at) >= CHUNK_HEADER {
        let range = chunk(&bytes, at)?;
        if word(&bytes, at + 4) == Some(u32::from_le_bytes(*b"BIN\0")) {
            binary_range = Some(range.clone());
        }
        at = range.end;
    }
    let binary = binary_range.map(|range| {
        bytes.truncate(range.end);
        bytes.drain(..range.start);
        bytes
    });
    Ok(Container { format: Format::Glb, json, binary })
}

/// Fetches the content of every buffer, and of the images that are files.
pub(super) fn load(
    container: Container,
    folder: &Folder,
    warnings: &mut Vec<Warning>,
) -> Result<SourceDocument, Fault> {
    let Container { json, mut binary, .. } = container;
    let mut files = Files { folder, seen: HashSet::new(), repeated: 0 };
    let root = Item::root(&json);
    let mut buffers = Vec::new();
    for (index, item) in root.list("buffers")?.into_iter().enumerate() {
        let bytes = match item.text("uri") {
            Some(uri) if is_data_uri(uri) => {
                decode_data_uri(uri).ok_or_else(|| item.invalid("the data URI", "it cannot be decoded"))?.1
            }
            Some(uri) => files.read(uri).map_err(|problem| Fault::json(&item.pointer, problem))?,
            None if index == 0 => without_padding(binary.take().unwrap_or_default(), &item)?,
            // A placeholder of EXT_meshopt_compression. Whoever reads from it finds it empty.
            None => Vec::new(),
        };
        buffers.push(bytes);
    }
    let mut image_files = Vec::new();
    for item in root.list("images")? {
        let uri = item.text("uri").filter(|uri| !is_data_uri(uri));
        image_files.push(uri.and_then(|uri| match files.read(uri) {
            Ok(bytes) => Some(bytes),
            Err(problem) => {
                warnings.push(missing("image", uri, problem));
                None
            }
        }));
    }
    Ok(SourceDocument { json, buffers, image_files })
}

/// The media type and the content of a data URI (RFC 2397).
pub(super) fn decode_data_uri(uri: &str) -> Option<(&str, Vec<u8>)> {
    let (head, data) = uri.get(5..)?.split_once(',')?;
    let media_type = head.split(';').next().unwrap_or_default();
    let unescaped = percent_decoded(data);
    if !head.to_ascii_lowercase().ends_with(";base64") {
        return Some((media_type, unescaped));
    }
    // Both alphabets occur, with and without padding, and line breaks too.
    let letters: Vec<u8> = unescaped.into_iter().filter(|byte| !byte.is_ascii_whitespace()).collect();
    let config = GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent);
    let url_safe = letters.iter().any(|letter| matches!(letter, b'-' | b'_'));
    let engine = GeneralPurpose::new(if url_safe { &URL_SAFE } else { &STANDARD }, config);
    Some((media_type, engine.decode(&letters).ok()?))
}

pub(super) fn is_data_uri(uri: &str) -> bool {
    uri.get(..5).is_some_and(|scheme| scheme.eq_ignore_ascii_case("data:"))
}

/// What is wrong with a document of another version than 2.
pub(super) fn old_version(version: &str) -> Problem {
    Problem::Unsupported {
        feature: format!("version {version} of glTF"),
        way_out: "convert it to version 2.0, for example with `npx gltf-pipeline -i in.gltf -o out.glb`",
    }
}

/// The files beside the document.
struct Files<'a> {
    folder: &'a Folder,
    seen: HashSet<PathBuf>,
    repeated: u64,
}

impl Files<'_> {
    fn read(&mut self, name: &str) -> Result<Vec<u8>, Problem> {
        if self.repeated > REPEATED_FILES_LIMIT {
            let what = "bytes of files that are named twice";
            return Err(Problem::TooMany { what, limit: REPEATED_FILES_LIMIT });
        }
        let path = self.folder.find(name)?;
        let bytes = self.folder.read(name)?;
        if !self.seen.insert(path) {
            self.repeated += bytes.len() as u64;
        }
        Ok(bytes)
    }
}

fn parse(text: &[u8]) -> Result<Value, Fault> {
    serde_json::from_slice(text).map_err(|error| Fault::whole(Problem::Json(error)))
}

/// The content of the chunk whose header stands at `at`.
fn chunk(bytes: &[u8], at: usize) -> Result<std::ops::Range<usize>, Fault> {
    let start = at + CHUNK_HEADER;
    let Some(length) = word(bytes, at).filter(|_| start <= bytes.len()) else {
        return Err(truncated("the chunk headers", at, CHUNK_HEADER, bytes.len() - at));
    };
    let available = bytes.len() - start;
    if length as usize > available {
        return Err(truncated("the GLB chunks", at, length as usize, available));
    }
    Ok(start..start + length as usize)
}

fn truncated(what: &'static str, at: usize, needed: usize, available: usize) -> Fault {
    Fault::offset(at, Problem::Truncated { what, needed: needed as u64, available: available as u64 })
}

fn word(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
}

/// The binary chunk is padded to four bytes; the padding is not content.
fn without_padding(mut bytes: Vec<u8>, item: &Item) -> Result<Vec<u8>, Fault> {
    if let Some(length) = item.whole_number("byteLength")?
        && bytes.len().checked_sub(length).is_some_and(|excess| excess <= 3)
    {
        bytes.truncate(length);
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_repeated_however_it_is_spelled() {
        let dir = tempfile::tempdir().unwrap();
        // A sparse file: nothing of its size is written.
        let file = std::fs::File::create(dir.path().join("big.bin")).unwrap();
        file.set_len(REPEATED_FILES_LIMIT / 4 + 1).unwrap();
        let folder = Folder::of(&dir.path().join("a.gltf"));
        let mut files = Files { folder: &folder, seen: HashSet::new(), repeated: 0 };
        let is_read = |spelling: usize| files.read(&format!("{}big.bin", "./".repeat(spelling))).is_ok();
        let read: Vec<bool> = (0..6).map(is_read).collect();
        // The first is no repetition, and the fourth of the others passes the limit.
        assert_eq!(read, [true, true, true, true, true, false]);
    }
}
