use super::text::Text;
use super::{Problem, bvh, off, stl};
use crate::mesh::Format;
use std::path::Path;

/// Recognises the format of a mesh file: by its content where that is possible, by the extension of `path`
/// otherwise. Content wins, because files are renamed more often than converted.
///
/// # Errors
/// Why the content cannot be a mesh that is read here.
pub fn recognise(bytes: &[u8], path: &Path) -> Result<Format, Problem> {
    if let Some(format) = by_signature(bytes) {
        return Ok(format);
    }
    if bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff") {
        return Err(Problem::Unsupported { feature: "UTF-16 text".into(), way_out: "save it as UTF-8" });
    }
    if bvh::is_bvh(bytes) || has_extension(path, "bvh") {
        return Err(Problem::NotAMesh("a BVH motion"));
    }
    if looks_like_obj(bytes) {
        return Ok(Format::Obj);
    }
    by_extension(path).filter(|format| *format != Format::Obj || is_text(bytes)).ok_or(Problem::UnknownFormat)
}

fn has_extension(path: &Path, extension: &str) -> bool {
    path.extension().is_some_and(|found| found.eq_ignore_ascii_case(extension))
}

/// Text has no NUL; a file of another kind has one soon.
fn is_text(bytes: &[u8]) -> bool {
    !bytes[..bytes.len().min(1024)].contains(&0)
}

fn by_signature(bytes: &[u8]) -> Option<Format> {
    let mut text = Text::new(bytes);
    text.skip_to_word();
    let start = text.remaining();
    let word = text.word();
    if bytes.starts_with(b"glTF") {
        Some(Format::Glb)
    } else if word == b"ply" {
        Some(Format::Ply)
    } else if bytes.starts_with(b"Kaydara FBX Binary") || start.starts_with(b"; FBX") {
        Some(Format::Fbx)
    } else if off::is_off(bytes) {
        Some(Format::Off)
    } else if word.eq_ignore_ascii_case(b"solid") || stl::is_exactly_binary(bytes) {
        Some(Format::Stl)
    } else if start.starts_with(b"{") {
        Some(Format::Gltf)
    } else {
        None
    }
}

/// OBJ has no signature; its first statements decide: all are known keywords and one describes a surface.
fn looks_like_obj(bytes: &[u8]) -> bool {
    // Enough to see past a group of unusual statements; the comments before them do not count.
    const STATEMENTS: usize = 20;
    let mut text = Text::new(bytes);
    let mut is_surface = false;
    for _ in 0..STATEMENTS {
        text.skip_to_word();
        match text.word() {
            b"" => break,
            b"v" | b"f" => is_surface |= text.number().is_ok(),
            b"mtllib" | b"usemtl" => is_surface = true,
            b"vt" | b"vn" | b"vp" | b"o" | b"g" | b"s" | b"l" | b"p" => {}
            _ => return false,
        }
        text.skip_statement();
    }
    is_surface
}

/// The other formats are always recognised by their content.
fn by_extension(path: &Path) -> Option<Format> {
    match &*path.extension()?.to_str()?.to_ascii_lowercase() {
        "obj" => Some(Format::Obj),
        "ply" => Some(Format::Ply),
        "stl" => Some(Format::Stl),
        "off" => Some(Format::Off),
        "fbx" => Some(Format::Fbx),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn recognised(bytes: &[u8], name: &str) -> Option<Format> {
        recognise(bytes, Path::new(name)).ok()
    }

    #[test]
    fn content_wins_over_the_extension() {
        let mut binary_stl = vec![b' '; 134];
        binary_stl[80..84].copy_from_slice(&1u32.to_le_bytes());
        for (bytes, format) in [
            (&b"glTF\x02\0\0\0"[..], Format::Glb),
            (b"ply\nformat ascii 1.0\n", Format::Ply),
            (b"Kaydara FBX Binary  \0\x1a\0", Format::Fbx),
            (b"; FBX 7.4.0 project file\n", Format::Fbx),
            (b"# c\nCOFF\n8 6 12\n", Format::Off),
            (b"solid foot\n facet normal 0 0 1\n", Format::Stl),
            (&binary_stl, Format::Stl),
            (b"\xef\xbb\xbf {\"asset\":{}}", Format::Gltf),
            (b"# Blender\nmtllib a.mtl\no Cube\nv 1 1 1\n", Format::Obj),
            (b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3", Format::Obj),
            (b"f 1/1/1 2/2/2 3/3/3\nv 0 0 0", Format::Obj),
        ] {
            for name in ["a.obj", "a.stl", "a.GLB", "a", "a.txt"] {
                assert_eq!(recognised(bytes, name), Some(format), "{name}");
            }
        }
    }

    #[test]
    fn the_extension_decides_where_the_content_does_not() {
        for (name, format) in [
            ("a.obj", Some(Format::Obj)),
            ("a.PLY", Some(Format::Ply)),
            ("a.stl", Some(Format::Stl)),
            ("a.Off", Some(Format::Off)),
            ("a.fbx", Some(Format::Fbx)),
            ("a.gltf", None),
            ("a.glb", None),
            ("a.vrm", None),
            ("a.blend", None),
            ("obj", None),
        ] {
            for bytes in [&b"hello"[..], b"", b"version 1\nnodes\n", b"v for vendetta\n"] {
                assert_eq!(recognised(bytes, name), format, "{name}");
            }
        }
    }

    #[test]
    fn files_of_another_kind_are_named() {
        let sentence = |bytes: &[u8], name: &str| recognise(bytes, Path::new(name)).unwrap_err().to_string();
        for (bytes, name) in [
            (&b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"[..], "picture.glb"),
            (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "picture.gltf"),
            (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "picture.obj"),
        ] {
            assert!(sentence(bytes, name).starts_with("this is not a format puppetry knows"), "{name}");
        }
        for utf_16 in [&b"\xff\xfev\0 \0"[..], b"\xfe\xff\0v\0 "] {
            assert_eq!(
                sentence(utf_16, "a.obj"),
                "it uses UTF-16 text, which puppetry does not read; save it as UTF-8"
            );
        }
        for name in ["a.bvh", "a.obj"] {
            assert_eq!(
                sentence(b"\xef\xbb\xbf\nHIERARCHY\nROOT Hips\n{\n", name),
                "this is a BVH motion, not a mesh; give the file of a character here"
            );
        }
    }
}
