//! Small images of a few colours as PNG (ISO/IEC 15948): a palette, one byte for each pixel, and the bytes in
//! deflate's stored blocks. Written by hand because the example should not change its bytes with a library.

use super::implicit::Ink;

/// An image of palette entries, row by row from the top.
pub struct Pattern {
    pub width: usize,
    pub palette: Vec<Ink>,
    pub pixels: Vec<u8>,
}

/// The pattern as a PNG file.
pub fn png(pattern: &Pattern) -> Vec<u8> {
    let height = pattern.pixels.len() / pattern.width;
    let mut header = [pattern.width as u32, height as u32].map(u32::to_be_bytes).concat();
    header.extend([8, 3, 0, 0, 0]); // 8 bits, palette, deflate, filters, not interlaced
    let palette: Vec<u8> =
        pattern.palette.iter().flat_map(|ink| ink.to_be_bytes().into_iter().skip(1)).collect();
    let rows: Vec<u8> =
        pattern.pixels.chunks(pattern.width).flat_map(|row| [&[0][..], row].concat()).collect();

    let mut file = b"\x89PNG\r\n\x1a\n".to_vec();
    for (kind, content) in [(b"IHDR", header), (b"PLTE", palette), (b"IDAT", zlib(&rows)), (b"IEND", vec![])]
    {
        let body = [&kind[..], &content].concat();
        file.extend((content.len() as u32).to_be_bytes());
        file.extend(&body);
        file.extend(crc32(&body).to_be_bytes());
    }
    file
}

/// zlib (RFC 1950) around stored blocks (RFC 1951, 3.2.4).
fn zlib(bytes: &[u8]) -> Vec<u8> {
    let mut stream = vec![0x78, 0x01];
    let mut blocks = bytes.chunks(usize::from(u16::MAX)).peekable();
    while let Some(block) = blocks.next() {
        let length = block.len() as u16;
        stream.push(u8::from(blocks.peek().is_none()));
        stream.extend(length.to_le_bytes());
        stream.extend((!length).to_le_bytes());
        stream.extend(block);
    }
    let (low, high) = bytes.iter().fold((1u32, 0u32), |(low, high), &byte| {
        let low = (low + u32::from(byte)) % 65521;
        (low, (high + low) % 65521)
    });
    stream.extend((high << 16 | low).to_be_bytes());
    stream
}

fn crc32(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0, |crc, &byte| {
        (0..8).fold(crc ^ u32::from(byte), |crc, _| crc >> 1 ^ (0xEDB8_8320 & (crc & 1).wrapping_neg()))
    })
}
