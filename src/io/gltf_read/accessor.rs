//! Accessors: from bytes in buffers to arrays of numbers, every range checked once, before the loops.

use crate::io::json_item::Item;
use crate::io::{Fault, Problem};

/// The accessors of a document and the buffers that they look into.
pub(super) struct Accessors<'a> {
    root: Item<'a>,
    buffers: &'a [Vec<u8>],
}

impl<'a> Accessors<'a> {
    pub fn new(root: Item<'a>, buffers: &'a [Vec<u8>]) -> Accessors<'a> {
        Accessors { root, buffers }
    }

    /// Bytes in all buffers.
    pub fn total_bytes(&self) -> u64 {
        self.buffers.iter().map(|buffer| buffer.len() as u64).sum()
    }

    /// The accessor that `reference`, an index, names.
    pub fn open(&self, reference: &Item<'a>) -> Result<Accessor<'a>, Fault> {
        let item = reference.target(&self.root, "accessors", "accessor")?;
        let component = ComponentType::of(&item)?;
        let width = match item.text("type") {
            Some("SCALAR") => 1,
            Some("VEC2") => 2,
            Some("VEC3") => 3,
            Some("VEC4" | "MAT2") => 4,
            Some("MAT3") => 9,
            Some("MAT4") => 16,
            _ => return Err(item.invalid("the accessor", "its type is none that glTF knows")),
        };
        let count = item.required_number("count")?;
        let normalized = item.value.get("normalized").and_then(|flag| flag.as_bool()).unwrap_or(false);
        let size = width * component.size();
        let view = item.get("bufferView").map(|view| self.view(&view)).transpose()?;
        let stride = view.as_ref().map_or(size, |view| view.stride.unwrap_or(size));
        if stride < size {
            return Err(item.invalid("the accessor", format!("its elements of {size} bytes overlap")));
        }
        let data = view.map(|view| view.elements(&item, count, stride, size)).transpose()?;
        // Nothing is stored for an accessor that is all zeros; one that promises more elements than there are
        // bytes in the file is a trap.
        if data.is_none() && count as u64 > self.total_bytes() {
            return Err(item.truncated("accessors without a buffer view", count as u64, self.total_bytes()));
        }
        let sparse = item.get("sparse").map(|sparse| self.sparse(&sparse, count, size)).transpose()?;
        Ok(Accessor { pointer: item.pointer, count, component, width, normalized, stride, data, sparse })
    }

    /// The bytes of the buffer view that `reference`, an index, names.
    pub fn view_bytes(&self, reference: &Item<'a>) -> Result<&'a [u8], Fault> {
        self.view(reference).map(|view| view.bytes)
    }

    fn view(&self, reference: &Item<'a>) -> Result<View<'a>, Fault> {
        let item = reference.target(&self.root, "bufferViews", "buffer view")?;
        let buffer = item.required("buffer")?;
        let entry = buffer.target(&self.root, "buffers", "buffer")?;
        let index = buffer.as_whole_number()?;
        let buffer: &[u8] = self.buffers.get(index).ok_or_else(|| entry.missing("content"))?;
        let offset = item.whole_number("byteOffset")?.unwrap_or(0);
        let length = item.required_number("byteLength")?;
        let bytes = range(buffer, offset, length)
            .ok_or_else(|| item.truncated("buffer views", sum(offset, length), buffer.len() as u64))?;
        // Zero is not allowed, but written by some exporters for "packed".
        let stride = item.whole_number("byteStride")?.filter(|&stride| stride > 0);
        Ok(View { bytes, stride })
    }

    fn sparse(&self, item: &Item<'a>, count: usize, size: usize) -> Result<Sparse<'a>, Fault> {
        let replaced = item.required_number("count")?;
        let indices_item = item.required("indices")?;
        let component = ComponentType::of(&indices_item)?;
        let bytes = self.packed(&indices_item, replaced, component.size())?;
        let indices = unsigned(component, bytes, component.size())
            .ok_or_else(|| indices_item.invalid("the sparse accessor", "its indices are not unsigned"))?;
        if let Some(&index) = indices.iter().find(|&&index| index as usize >= count) {
            return Err(indices_item.out_of_range("element", index as usize, count));
        }
        let values = item.required("values")?;
        Ok(Sparse { indices, values: self.packed(&values, replaced, size)? })
    }

    /// Elements without gaps in the buffer view of `item`.
    fn packed(&self, item: &Item<'a>, count: usize, size: usize) -> Result<&'a [u8], Fault> {
        let view = item.required("bufferView")?;
        self.view(&view)?.elements(item, count, size, size)
    }
}

/// An accessor whose ranges are known to lie inside its buffers.
pub(super) struct Accessor<'a> {
    pub pointer: String,
    pub count: usize,
    component: ComponentType,
    width: usize,
    normalized: bool,
    /// Bytes from one element to the next.
    stride: usize,
    /// From the first element to the end of the last one; `None` for zeros.
    data: Option<&'a [u8]>,
    sparse: Option<Sparse<'a>>,
}

/// Elements that replace those of the buffer view.
struct Sparse<'a> {
    indices: Vec<u32>,
    values: &'a [u8],
}

impl Accessor<'_> {
    /// Components of an element.
    pub fn width(&self) -> usize {
        self.width
    }

    /// The fault that this attribute does not fit the positions, if so.
    pub fn check_count(&self, vertices: usize) -> Result<(), Fault> {
        if self.count == vertices {
            return Ok(());
        }
        let why = format!("it has {} elements for {vertices} vertices", self.count);
        Err(self.invalid("the accessor", why))
    }

    fn invalid(&self, what: &'static str, why: impl Into<String>) -> Fault {
        Fault::json(&self.pointer, Problem::Invalid { what, why: why.into() })
    }

    /// The elements as floating point numbers; normalised integers become −1 to 1 or 0 to 1.
    pub fn floats<const N: usize>(&self) -> Result<Vec<[f32; N]>, Fault> {
        if self.width != N {
            let why = format!("it has {} components where {N} are needed", self.width);
            return Err(self.invalid("the accessor", why));
        }
        Ok(match self.component {
            ComponentType::F32 => self.gather(f32::from_le_bytes),
            ComponentType::U8 => self.gather(|[byte]: [u8; 1]| self.scaled(byte.into(), u8::MAX.into())),
            ComponentType::I8 => self.gather(|b| self.scaled(i8::from_le_bytes(b).into(), i8::MAX.into())),
            ComponentType::U16 => self.gather(|b| self.scaled(u16::from_le_bytes(b).into(), u16::MAX.into())),
            ComponentType::I16 => self.gather(|b| self.scaled(i16::from_le_bytes(b).into(), i16::MAX.into())),
            ComponentType::U32 => self.gather(|b| match (self.normalized, u32::from_le_bytes(b)) {
                (true, number) => (f64::from(number) / f64::from(u32::MAX)) as f32,
                (false, number) => number as f32,
            }),
        })
    }

    /// An integer as it is, or in parts of the largest of its type.
    fn scaled(&self, number: f32, largest: f32) -> f32 {
        if self.normalized { (number / largest).max(-1.0) } else { number }
    }

    /// The elements as vertex indices.
    ///
    /// The largest number of a component type would restart a strip on a graphics card; glTF forbids it.
    pub fn indices(&self, vertices: usize) -> Result<Vec<u32>, Fault> {
        const WHAT: &str = "the index accessor";
        if self.width != 1 {
            return Err(self.invalid(WHAT, "it holds vectors"));
        }
        let indices = match self.data {
            Some(data) => unsigned(self.component, data, self.stride),
            None => Some(vec![0; self.count]),
        };
        let mut indices =
            indices.ok_or_else(|| self.invalid(WHAT, "it holds signed or floating point numbers"))?;
        if let Some(sparse) = &self.sparse {
            let values = unsigned(self.component, sparse.values, self.component.size()).unwrap_or_default();
            for (&at, value) in sparse.indices.iter().zip(values) {
                indices[at as usize] = value;
            }
        }
        let largest = indices.iter().copied().fold(0, u32::max) as usize;
        if largest >= vertices && !indices.is_empty() {
            let index = largest as i64;
            let problem = Problem::IndexOutOfRange { what: "vertex", index, count: vertices };
            return Err(Fault::json(&self.pointer, problem));
        }
        if largest as u64 == self.component.largest() {
            let why = format!("it contains {largest}, the restart value, which glTF forbids");
            return Err(self.invalid(WHAT, why));
        }
        Ok(indices)
    }

    /// The bytes of these elements, each at a multiple of four as attributes of vertices must be.
    pub fn rows(&self, elements: &[u32]) -> Vec<u8> {
        let (size, row) = (self.size(), self.size().next_multiple_of(4));
        let mut dense = vec![0; self.count * size];
        let data = self.data.unwrap_or_default().chunks(self.stride);
        for (row, bytes) in dense.chunks_exact_mut(size).zip(data) {
            row.copy_from_slice(&bytes[..size]);
        }
        if let Some(sparse) = &self.sparse {
            for (&at, bytes) in sparse.indices.iter().zip(sparse.values.chunks_exact(size)) {
                dense[at as usize * size..][..size].copy_from_slice(bytes);
            }
        }
        let mut rows = vec![0; elements.len() * row];
        for (row, &element) in rows.chunks_exact_mut(row).zip(elements) {
            row[..size].copy_from_slice(&dense[element as usize * size..][..size]);
        }
        rows
    }

    /// Bytes of an element.
    pub fn size(&self) -> usize {
        self.width * self.component.size()
    }

    /// The elements as joint numbers.
    pub fn joints(&self) -> Result<Vec<[f32; 4]>, Fault> {
        match self.component {
            ComponentType::U8 | ComponentType::U16 if !self.normalized => self.floats(),
            _ => Err(self.invalid("the accessor", "joints must be unsigned bytes or shorts")),
        }
    }

    fn gather<T: Copy + Default, const N: usize, const S: usize>(
        &self,
        convert: impl Fn([u8; S]) -> T,
    ) -> Vec<[T; N]> {
        let mut elements: Vec<[T; N]> = match self.data {
            None => vec![[T::default(); N]; self.count],
            Some(data) if self.stride == N * S => {
                data.chunks_exact(N * S).map(|bytes| element(bytes, &convert)).collect()
            }
            Some(data) => data.chunks(self.stride).map(|bytes| element(bytes, &convert)).collect(),
        };
        if let Some(sparse) = &self.sparse {
            for (&at, bytes) in sparse.indices.iter().zip(sparse.values.chunks_exact(N * S)) {
                elements[at as usize] = element(bytes, &convert);
            }
        }
        elements
    }
}

#[inline]
fn element<T: Copy + Default, const N: usize, const S: usize>(
    bytes: &[u8],
    convert: &impl Fn([u8; S]) -> T,
) -> [T; N] {
    let mut element = [T::default(); N];
    for (component, bytes) in element.iter_mut().zip(bytes.as_chunks::<S>().0) {
        *component = convert(*bytes);
    }
    element
}

/// Scalars as unsigned integers; `None` for signed and floating point components.
fn unsigned(component: ComponentType, data: &[u8], stride: usize) -> Option<Vec<u32>> {
    fn gather<const S: usize>(
        data: &[u8],
        stride: usize,
        convert: impl Fn([u8; S]) -> u32,
    ) -> Option<Vec<u32>> {
        Some(if stride == S {
            data.as_chunks().0.iter().map(|&bytes| convert(bytes)).collect()
        } else {
            data.chunks(stride).filter_map(|bytes| bytes.first_chunk()).map(|&bytes| convert(bytes)).collect()
        })
    }
    match component {
        ComponentType::U8 => gather(data, stride, |[byte]: [u8; 1]| byte.into()),
        ComponentType::U16 => gather(data, stride, |bytes| u16::from_le_bytes(bytes).into()),
        ComponentType::U32 => gather(data, stride, u32::from_le_bytes),
        ComponentType::I8 | ComponentType::I16 | ComponentType::F32 => None,
    }
}

/// A buffer view, known to lie inside its buffer.
struct View<'a> {
    bytes: &'a [u8],
    stride: Option<usize>,
}

impl<'a> View<'a> {
    /// From the first element of `item` to the end of the last one.
    fn elements(&self, item: &Item<'_>, count: usize, stride: usize, size: usize) -> Result<&'a [u8], Fault> {
        let offset = item.whole_number("byteOffset")?.unwrap_or(0);
        let length = match count {
            0 => Some(0),
            _ => (count - 1).checked_mul(stride).and_then(|length| length.checked_add(size)),
        };
        length.and_then(|length| range(self.bytes, offset, length)).ok_or_else(|| {
            let needed = sum(offset, length.unwrap_or(usize::MAX));
            item.truncated("accessors", needed, self.bytes.len() as u64)
        })
    }
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum ComponentType {
    I8,
    U8,
    I16,
    U16,
    U32,
    F32,
}

impl ComponentType {
    fn of(item: &Item) -> Result<ComponentType, Fault> {
        Ok(match item.whole_number("componentType")? {
            Some(5120) => ComponentType::I8,
            Some(5121) => ComponentType::U8,
            Some(5122) => ComponentType::I16,
            Some(5123) => ComponentType::U16,
            Some(5125) => ComponentType::U32,
            Some(5126) => ComponentType::F32,
            _ => return Err(item.invalid("the accessor", "its component type is none that glTF knows")),
        })
    }

    fn size(self) -> usize {
        match self {
            ComponentType::I8 | ComponentType::U8 => 1,
            ComponentType::I16 | ComponentType::U16 => 2,
            ComponentType::U32 | ComponentType::F32 => 4,
        }
    }

    fn largest(self) -> u64 {
        (1 << (8 * self.size())) - 1
    }
}

fn range(bytes: &[u8], offset: usize, length: usize) -> Option<&[u8]> {
    bytes.get(offset..offset.checked_add(length)?)
}

fn sum(offset: usize, length: usize) -> u64 {
    (offset as u64).saturating_add(length as u64)
}
