/// The media type of an encoded image by its first bytes, else by the end of its file name.
pub(super) fn media_type(bytes: &[u8], name: &str) -> &'static str {
    const SIGNATURES: [(&[u8], &str); 6] = [
        (b"\x89PNG", "image/png"),
        (b"\xff\xd8\xff", "image/jpeg"),
        (b"GIF8", "image/gif"),
        (b"BM", "image/bmp"),
        (b"\xabKTX 20", "image/ktx2"),
        (b"DDS ", "image/vnd-ms.dds"),
    ];
    const ENDINGS: [(&str, &str); 3] =
        [("tga", "image/x-tga"), ("tif", "image/tiff"), ("tiff", "image/tiff")];
    if bytes.starts_with(b"RIFF") && bytes.get(8..12) == Some(b"WEBP") {
        return "image/webp";
    }
    if let Some((_, found)) = SIGNATURES.iter().find(|(signature, _)| bytes.starts_with(signature)) {
        return found;
    }
    let ending = name.rsplit('.').next().unwrap_or_default();
    let by_ending = ENDINGS.iter().find(|(known, _)| ending.eq_ignore_ascii_case(known));
    by_ending.map_or("application/octet-stream", |(_, found)| found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn content_decides_before_the_name() {
        assert_eq!(media_type(b"\x89PNG\r\n\x1a\n", "wrong.tga"), "image/png");
        assert_eq!(media_type(b"RIFF\0\0\0\0WEBPVP8 ", ""), "image/webp");
        assert_eq!(media_type(b"\0\0\x02", "skin.TGA"), "image/x-tga");
        assert_eq!(media_type(b"", ""), "application/octet-stream");
    }
}
