//! The decoder of `EXT_meshopt_compression` and `KHR_meshopt_compression`.
//!
//! Written after the Khronos specification of the latter (appendix A, bitstream, and B, filters), which
//! contains the former. The output grows with the input that is consumed, never by what a header promises.

use crate::math::powi;

/// How a buffer view is packed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Mode {
    /// Mode 0: deltas between elements, byte by byte.
    Attributes,
    /// Mode 1: triangle lists, by edges and vertices seen recently.
    Triangles,
    /// Mode 2: deltas between indices.
    Indices,
}

/// What was done to elements before packing.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Filter {
    None,
    /// Unit vectors as points on an octahedron.
    Octahedral,
    /// Unit quaternions without their largest component.
    Quaternion,
    /// Floats as a mantissa of 24 and an exponent of 8 bits.
    Exponential,
    /// RGBA as luma and chrominance.
    Color,
}

/// Unpacks `count` elements of `stride` bytes; `None` if the stream is broken.
pub(super) fn decode(
    bytes: &[u8],
    count: usize,
    stride: usize,
    mode: Mode,
    filter: Filter,
) -> Option<Vec<u8>> {
    let mut data = match mode {
        Mode::Attributes if stride.is_multiple_of(4) && (4..=256).contains(&stride) => {
            attributes(bytes, count, stride)?
        }
        Mode::Triangles if count.is_multiple_of(3) => index_bytes(triangles(bytes, count)?, stride)?,
        Mode::Indices => index_bytes(indices(bytes, count)?, stride)?,
        _ => return None,
    };
    match (filter, stride) {
        (Filter::None, _) => {}
        (Filter::Octahedral, 4) => {
            each(&mut data, |v: [u8; 4]| octahedral8(v.map(|c| c as i8)).map(|c| c as u8))
        }
        (Filter::Octahedral, 8) => {
            each_short(&mut data, |v| octahedral16(v.map(|c| c as i16)).map(|c| c as u16))
        }
        (Filter::Quaternion, 8) => {
            each_short(&mut data, |v| quaternion(v.map(|c| c as i16)).map(|c| c as u16))
        }
        (Filter::Exponential, _) => each(&mut data, |v| exponential(i32::from_le_bytes(v)).to_le_bytes()),
        (Filter::Color, 4) => each(&mut data, |[y, co, cg, a]: [u8; 4]| {
            color([y.into(), (co as i8).into(), (cg as i8).into(), a.into()], u8::MAX.into()).map(|c| c as u8)
        }),
        (Filter::Color, 8) => each_short(&mut data, |[y, co, cg, a]| {
            color([y.into(), (co as i16).into(), (cg as i16).into(), a.into()], u16::MAX.into())
                .map(|c| c as u16)
        }),
        _ => return None,
    }
    Some(data)
}

// ===== Mode 0: attributes =====

/// Elements are stored in blocks, a block byte plane by byte plane, a plane in groups of this many deltas.
const GROUP: usize = 16;

fn attributes(bytes: &[u8], count: usize, stride: usize) -> Option<Vec<u8>> {
    let (channels_size, tail_size_min) = match *bytes.first()? {
        0xa0 => (0, 32),
        0xa1 => (stride / 4, 24),
        _ => return None,
    };
    let tail_size = stride + channels_size;
    let body_end = bytes.len().checked_sub(tail_size.max(tail_size_min))?;
    let mut body = Reader { bytes: bytes.get(1..body_end)? };
    let (baseline, channels) = bytes[bytes.len() - tail_size..].split_at(stride);
    let block_max = ((8192 / stride) & !(GROUP - 1)).min(256);

    let mut element = baseline.to_vec();
    let mut planes = vec![0; stride * block_max];
    let mut decoded = Vec::new();
    let mut remaining = count;
    while remaining > 0 {
        let elements = remaining.min(block_max);
        let controls = body.take(channels_size)?;
        for (byte, plane) in planes.chunks_exact_mut(block_max).enumerate() {
            let widths = match controls.get(byte / 4).map(|control| control >> (2 * (byte % 4)) & 3) {
                None => [0, 2, 4, 8],
                Some(0) => [0, 1, 2, 4],
                Some(1) => [1, 2, 4, 8],
                Some(2) => {
                    plane.fill(0);
                    continue;
                }
                Some(_) => {
                    plane[..elements].copy_from_slice(body.take(elements)?);
                    continue;
                }
            };
            plane_of_groups(&mut body, widths, &mut plane[..elements.next_multiple_of(GROUP)])?;
        }
        for index in 0..elements {
            for (channel, value) in element.as_chunks_mut::<4>().0.iter_mut().enumerate() {
                let delta = [0, 1, 2, 3].map(|byte| planes[(4 * channel + byte) * block_max + index]);
                *value = undelta(*value, delta, channels.get(channel).copied().unwrap_or(0))?;
            }
            decoded.extend_from_slice(&element);
        }
        remaining -= elements;
    }
    body.bytes.is_empty().then_some(decoded)
}

/// Deltas of one byte position; `widths` are the bits of a delta for the four headers of a group.
fn plane_of_groups(body: &mut Reader, widths: [usize; 4], plane: &mut [u8]) -> Option<()> {
    let headers = body.take((plane.len() / GROUP).div_ceil(4))?;
    for (group, deltas) in plane.chunks_exact_mut(GROUP).enumerate() {
        let header = headers[group / 4] >> (2 * (group % 4)) & 3;
        let width = widths[usize::from(header)];
        match width {
            0 => deltas.fill(0),
            8 => deltas.copy_from_slice(body.take(GROUP)?),
            _ => {
                let packed = body.take(GROUP * width / 8)?;
                let in_byte = 8 / width;
                // All bits set means that the delta did not fit and follows as a byte.
                let sentinel = (1 << width) - 1;
                for (index, delta) in deltas.iter_mut().enumerate() {
                    let place = index % in_byte;
                    let shift = if width == 1 { place } else { 8 - width * (place + 1) };
                    let bits = packed[index / in_byte] >> shift & sentinel;
                    *delta = if bits == sentinel { body.byte()? } else { bits };
                }
            }
        }
    }
    Some(())
}

/// The four bytes of a channel from those of the previous element.
fn undelta(previous: [u8; 4], delta: [u8; 4], channel: u8) -> Option<[u8; 4]> {
    match (channel & 15, channel >> 4) {
        (0, 0) => {
            Some([0, 1, 2, 3].map(|byte| previous[byte].wrapping_add(unzigzag(delta[byte].into()) as u8)))
        }
        (1, 0) => {
            let [[a, b], [c, d]] = [0, 2].map(|low| {
                let delta = unzigzag(u16::from_le_bytes([delta[low], delta[low + 1]]).into()) as u16;
                u16::from_le_bytes([previous[low], previous[low + 1]]).wrapping_add(delta).to_le_bytes()
            });
            Some([a, b, c, d])
        }
        (2, rotation) => {
            let delta = u32::from_le_bytes(delta).rotate_right(rotation.into());
            Some((u32::from_le_bytes(previous) ^ delta).to_le_bytes())
        }
        _ => None,
    }
}

/// Signed numbers are stored as 0, -1, 1, -2, 2, …
fn unzigzag(v: u32) -> u32 {
    if v & 1 != 0 { !(v >> 1) } else { v >> 1 }
}

// ===== Modes 1 and 2: indices =====

fn triangles(bytes: &[u8], count: usize) -> Option<Vec<u32>> {
    if *bytes.first()? != 0xe1 {
        return None;
    }
    let body_end = bytes.len().checked_sub(16)?;
    let table = &bytes[body_end..];
    let mut data = Reader { bytes: bytes.get(1..body_end)? };
    let codes = data.take(count / 3)?;
    let mut edges = Fifo::<(u32, u32)>::default();
    let mut vertices = Fifo::<u32>::default();
    let mut next = Next(0);
    let mut last = 0;
    let mut decoded = Vec::with_capacity(count);
    for &code in codes {
        let (high, low) = (code >> 4, code & 15);
        let triangle = if high < 15 {
            let (a, b) = edges.get(high);
            let c = match low {
                0 => next.take(),
                13 => step(&mut last, u32::MAX),
                14 => step(&mut last, 1),
                15 => data.index(&mut last)?,
                _ => vertices.get(low),
            };
            if low == 0 || low >= 13 {
                vertices.push(c);
            }
            [a, b, c]
        } else {
            let explicit = low >= 14;
            let pair = if explicit { data.byte()? } else { table[usize::from(low)] };
            if explicit && pair == 0 {
                next = Next(0);
            }
            let a = if low == 15 { data.index(&mut last)? } else { next.take() };
            let mut other = |nibble: u8| match nibble {
                0 => Some(next.take()),
                15 if explicit => data.index(&mut last),
                _ => Some(vertices.get(nibble - 1)),
            };
            let (b, c) = (other(pair >> 4)?, other(pair & 15)?);
            edges.push((b, a));
            vertices.push(a);
            for (nibble, vertex) in [(pair >> 4, b), (pair & 15, c)] {
                if nibble == 0 || nibble == 15 {
                    vertices.push(vertex);
                }
            }
            [a, b, c]
        };
        let [a, b, c] = triangle;
        edges.push((c, b));
        edges.push((a, c));
        decoded.extend(triangle);
    }
    data.bytes.is_empty().then_some(decoded)
}

fn indices(bytes: &[u8], count: usize) -> Option<Vec<u32>> {
    if *bytes.first()? != 0xd1 {
        return None;
    }
    let mut data = Reader { bytes: bytes.get(1..bytes.len().checked_sub(4)?)? };
    let mut last = [0u32; 2];
    let mut decoded = Vec::new();
    for _ in 0..count {
        let v = data.varint()?;
        decoded.push(step(&mut last[v as usize & 1], unzigzag(v >> 1)));
    }
    data.bytes.is_empty().then_some(decoded)
}

fn index_bytes(indices: Vec<u32>, stride: usize) -> Option<Vec<u8>> {
    match stride {
        2 => Some(indices.into_iter().flat_map(|index| (index as u16).to_le_bytes()).collect()),
        4 => Some(indices.into_iter().flat_map(u32::to_le_bytes).collect()),
        _ => None,
    }
}

/// The lowest vertex that no triangle has used yet.
struct Next(u32);

impl Next {
    fn take(&mut self) -> u32 {
        let vertex = self.0;
        self.0 = vertex.wrapping_add(1);
        vertex
    }
}

fn step(last: &mut u32, delta: u32) -> u32 {
    *last = last.wrapping_add(delta);
    *last
}

/// The sixteen latest values; 0 is the newest. What was never written reads as zero.
#[derive(Default)]
struct Fifo<T> {
    values: [T; 16],
    pushed: usize,
}

impl<T: Copy> Fifo<T> {
    fn push(&mut self, value: T) {
        self.values[self.pushed % 16] = value;
        self.pushed += 1;
    }

    fn get(&self, age: u8) -> T {
        self.values[self.pushed.wrapping_sub(1 + usize::from(age)) % 16]
    }
}

struct Reader<'a> {
    bytes: &'a [u8],
}

impl<'a> Reader<'a> {
    fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.bytes.split_at_checked(count)?;
        self.bytes = rest;
        Some(taken)
    }

    fn byte(&mut self) -> Option<u8> {
        Some(self.take(1)?[0])
    }

    /// Seven bits in a byte, the lowest first; the top bit says that more follow, at most four times.
    fn varint(&mut self) -> Option<u32> {
        let mut value = 0;
        for shift in [0, 7, 14, 21, 28] {
            let byte = self.byte()?;
            value |= u32::from(byte & 127) << shift;
            if byte & 128 == 0 {
                return Some(value);
            }
        }
        None
    }

    /// An index as a signed distance from the last one stored this way.
    fn index(&mut self, last: &mut u32) -> Option<u32> {
        let v = self.varint()?;
        Some(step(last, unzigzag(v)))
    }
}

// ===== Filters =====

fn each(data: &mut [u8], filter: impl Fn([u8; 4]) -> [u8; 4]) {
    for value in data.as_chunks_mut().0 {
        *value = filter(*value);
    }
}

fn each_short(data: &mut [u8], filter: impl Fn([u16; 4]) -> [u16; 4]) {
    for value in data.as_chunks_mut::<8>().0 {
        let shorts = [0, 2, 4, 6].map(|at| u16::from_le_bytes([value[at], value[at + 1]]));
        for (bytes, short) in value.as_chunks_mut::<2>().0.iter_mut().zip(filter(shorts)) {
            *bytes = short.to_le_bytes();
        }
    }
}

fn octahedral8([x, y, one, w]: [i8; 4]) -> [i8; 4] {
    let [x, y, z] =
        unit_vector(x.into(), y.into(), one.into()).map(|c| (c * f32::from(i8::MAX)).round() as i8);
    [x, y, z, w]
}

fn octahedral16([x, y, one, w]: [i16; 4]) -> [i16; 4] {
    let [x, y, z] =
        unit_vector(x.into(), y.into(), one.into()).map(|c| (c * f32::from(i16::MAX)).round() as i16);
    [x, y, z, w]
}

fn unit_vector(x: f32, y: f32, one: f32) -> [f32; 3] {
    let (x, y) = (x / one, y / one);
    let z = 1.0 - x.abs() - y.abs();
    // The lower half of the octahedron is folded outwards.
    let fold = z.min(0.0);
    let (x, y) = (x - fold.copysign(x), y - fold.copysign(y));
    let length = (x * x + y * y + z * z).sqrt();
    [x / length, y / length, z / length]
}

fn quaternion(input: [i16; 4]) -> [i16; 4] {
    let one = f32::from(input[3] | 3);
    let [x, y, z] = [0, 1, 2].map(|c| f32::from(input[c]) / one * std::f32::consts::FRAC_1_SQRT_2);
    let largest = (1.0 - x * x - y * y - z * z).max(0.0).sqrt();
    let place = (input[3] & 3) as usize;
    let mut output = [0; 4];
    for (offset, component) in [largest, x, y, z].into_iter().enumerate() {
        output[(place + offset) % 4] = (component * f32::from(i16::MAX)).round() as i16;
    }
    output
}

fn exponential(input: i32) -> f32 {
    let (exponent, mantissa) = (input >> 24, (input << 8) >> 8);
    (powi(2.0, exponent) * f64::from(mantissa)) as f32
}

fn color([y, co, cg, alpha]: [i32; 4], largest: f32) -> [f32; 4] {
    // The highest bit of alpha marks the number of bits.
    let scale = (1 << (32 - alpha.leading_zeros())) - 1;
    let alpha = alpha & (scale >> 1);
    let expanded = alpha << 1 | alpha & 1;
    [y + co - cg, y + cg, y - co - cg, expanded].map(|c| (c as f32 * (largest / scale as f32)).round())
}

#[cfg(test)]
mod tests {
    use super::*;

    // Streams made with meshoptimizer's own encoder.
    const BYTES_V0: &str = "\
        a02a06666666666666666666666666666666666666660000000001000080001f0002060a0e12161a1e22262a2e\
        32363a3e42464a4e52565a5e62666a6e72767affff00007e82868a8e92969a1480020080808000001a02232232\
        232232232232232232232232baeb000003030300151555555555555555555500001f004a4a4a4a4a4a4a4a4a4a\
        4a4a4a4a4a4a4a4a4a4a4a4a4a4a4a4a4a4a4a4a4affff00004a4a4a4a4a4a4a4a000000000000000000000000\
        000000000000000000000000e803000000070000";
    const BYTES_V1: &str = "\
        a1b9d92a0666666666666666666666666666666666666666000000000002060a0e12161a1e22262a2e32363a3e\
        42464a4e52565a5e62666a6e72767a7e82868a8e92969a1a02232232232232232232232232232232baeb000003\
        030315155555555555555555550000004a4a4a4a4a4a4a4a4a4a4a4a4a4a4a4a4a4a4a4a4a4a4a4a4a4a4a4a4a\
        4a4a4a4a4a4a4a4a4a4a0000000000000000000000000000e8030000000700000100";
    const FLOATS_V1: &str = "\
        a1680100011f1a04c4f4c4f262e2621cfcf262e262f13171311e3edddd00000f03070300000000000000000000\
        0000000000000000000000803f62";
    const TRIANGLES: &str = "\
        e1fe1e100e100e100ece1e160e150e140ece1e140e140e140effff0f0a1f25d804fdc90400007687566778a986\
        6589689801690000";
    const INDICES: &str = "\
        d1000410000e14120410000e14120410000e14120410000e140e0410000e14120410000e14120410000e141204\
        10000e140e0410000e14120410000e14120410000e14120410000e144a4cb1092e000800000000";

    fn bytes(hex: &str) -> Vec<u8> {
        hex.as_bytes()
            .chunks(2)
            .map(|pair| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap())
            .collect()
    }

    fn elements() -> Vec<u8> {
        let element = |i: u16| {
            let ([a, b], [c, d]) = ((1000 + 3 * i).to_le_bytes(), (i * i).to_le_bytes());
            [a, b, c, d, (i % 3) as u8, 7, 0u8.wrapping_sub(i as u8), (i * 37) as u8]
        };
        (0..40).flat_map(element).collect()
    }

    /// Three rows of four quads, then a triangle with a far vertex and a degenerate one.
    fn corners() -> Vec<u32> {
        let quad = |q: u32| [q, q + 1, q + 5, q + 5, q + 1, q + 6];
        let rows = (0..3).flat_map(|y| (0..4).map(move |x| 5 * y + x));
        rows.flat_map(quad).chain([0, 19, 300, 7, 7, 9]).collect()
    }

    #[test]
    fn attributes_of_both_versions() {
        let decoded = |hex, stride| decode(&bytes(hex), 40, stride, Mode::Attributes, Filter::None).unwrap();
        assert_eq!(decoded(BYTES_V0, 8), elements());
        assert_eq!(decoded(BYTES_V1, 8), elements());
        let floats: Vec<u8> = (0..40).flat_map(|i| (1.0 + i as f32 * 0.125).to_le_bytes()).collect();
        assert_eq!(decoded(FLOATS_V1, 4), floats);
    }

    #[test]
    fn the_group_that_the_specification_works_out() {
        let packed = [0x17, 0x5f, 0xf0, 0xbc, 0x77, 0xa9, 0x21, 0x00, 0x34, 0xb5];
        let mut plane = [0; GROUP];
        let stream = [&[2][..], &packed].concat();
        plane_of_groups(&mut Reader { bytes: &stream }, [0, 2, 4, 8], &mut plane).unwrap();
        let zigzag = |v: u8| if v & 1 != 0 { !(v >> 1) as i8 } else { (v >> 1) as i8 };
        assert_eq!(plane.map(zigzag), [-1, -4, -3, 26, -91, 0, -6, 6, -4, -4, 5, -5, 1, -1, 0, 0]);
    }

    #[test]
    fn triangles_keep_their_order_but_may_start_at_another_corner() {
        let corners = corners();
        let decoded = decode(&bytes(TRIANGLES), corners.len(), 4, Mode::Triangles, Filter::None).unwrap();
        let decoded: Vec<u32> =
            decoded.as_chunks().0.iter().map(|&bytes| u32::from_le_bytes(bytes)).collect();
        for (ours, [a, b, c]) in decoded.as_chunks::<3>().0.iter().zip(corners.as_chunks::<3>().0) {
            assert!([[a, b, c], [b, c, a], [c, a, b]].contains(&ours.each_ref()));
        }
        assert_eq!(decoded.len(), corners.len());
    }

    #[test]
    fn indices_in_both_sizes() {
        let corners = corners();
        let wide: Vec<u8> = corners.iter().flat_map(|corner| corner.to_le_bytes()).collect();
        let narrow: Vec<u8> = corners.iter().flat_map(|&corner| (corner as u16).to_le_bytes()).collect();
        let decoded = |stride| decode(&bytes(INDICES), corners.len(), stride, Mode::Indices, Filter::None);
        assert_eq!(decoded(4), Some(wide));
        assert_eq!(decoded(2), Some(narrow));
        assert_eq!(decoded(8), None);
    }

    #[test]
    fn filters() {
        assert_eq!(octahedral8([0, 0, 127, 5]), [0, 0, 127, 5]);
        assert_eq!(octahedral8([127, 0, 127, 0]), [127, 0, 0, 0]);
        assert_eq!(octahedral16([0, -511, 511, 0]), [0, -32767, 0, 0]);
        // Corners of the folded square are the pole below.
        assert_eq!(octahedral16([511, 511, 511, 0]), [0, 0, -32767, 0]);
        assert_eq!(quaternion([0, 0, 0, 2047]), [0, 0, 0, 32767]);
        assert_eq!(quaternion([0, 0, 0, 2044]), [32767, 0, 0, 0]);
        assert_eq!(quaternion([2047, 0, 0, 2044]), [23170, 23170, 0, 0]);
        assert_eq!(exponential(3 | -2 << 24), 0.75);
        assert_eq!(exponential((-3i32 & 0xff_ffff) | 1 << 24), -6.0);
        assert_eq!(color([255, 0, 0, 255], 255.0), [255.0; 4]);
        assert_eq!(color([15, 0, 0, 8], 255.0), [255.0, 255.0, 255.0, 0.0]);
    }

    #[test]
    fn broken_streams_are_refused() {
        for (hex, count, stride, mode) in [
            (BYTES_V0, 40, 8, Mode::Attributes),
            (BYTES_V1, 40, 8, Mode::Attributes),
            (TRIANGLES, 78, 4, Mode::Triangles),
            (INDICES, 78, 4, Mode::Indices),
        ] {
            let stream = bytes(hex);
            let refused = |bytes: &[u8], count| decode(bytes, count, stride, mode, Filter::None).is_none();
            assert!(refused(&[], count));
            assert!((1..stream.len()).all(|end| refused(&stream[..end], count)), "{mode:?} cut off");
            assert!(refused(&stream, count + 300), "{mode:?} too short for its count");
            assert!(refused(&stream, usize::MAX / 3 * 3), "{mode:?} promising without end");
            assert!(refused(&[&[0x55], &stream[1..]].concat(), count), "{mode:?} with a foreign header");
        }
    }
}
