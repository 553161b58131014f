//! The header of a PLY file.

use crate::io::text::Text;
use crate::io::{Fault, Problem};

pub(super) struct Header {
    pub(super) encoding: Encoding,
    pub(super) elements: Vec<Element>,
    pub(super) textures: Vec<String>,
    pub(super) vertex_count: u64,
}

#[derive(Clone, Copy)]
pub(super) enum Encoding {
    Ascii,
    LittleEndian,
    BigEndian,
}

pub(super) struct Element {
    pub(super) name: String,
    pub(super) count: u64,
    pub(super) properties: Vec<Property>,
}

pub(super) struct Property {
    pub(super) name: String,
    /// The type of the count, if this is a list.
    pub(super) list: Option<Scalar>,
    pub(super) scalar: Scalar,
}

#[derive(Clone, Copy)]
pub(super) enum Scalar {
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    F32,
    F64,
}

impl Header {
    /// Leaves `text` at the first byte of the content.
    pub(super) fn read(text: &mut Text) -> Result<Header, Fault> {
        let start = text.clone();
        if text.word() != b"ply" {
            return Err(start.unexpected("'ply'"));
        }
        let mut encoding = None;
        let mut elements: Vec<Element> = Vec::new();
        let mut textures = Vec::new();
        loop {
            text.skip_line();
            if text.is_done() {
                return Err(text.unexpected("'end_header'"));
            }
            let line = text.clone();
            match text.word() {
                b"format" => encoding = Some(Encoding::read(text)?),
                b"element" => {
                    let name = name(text)?;
                    text.skip_blanks();
                    let count = text.count("a count")?;
                    elements.push(Element { name, count, properties: Vec::new() });
                }
                b"property" => {
                    let Some(element) = elements.last_mut() else {
                        return Err(line.unexpected("an element"));
                    };
                    element.properties.push(Property::read(text)?);
                }
                b"comment" | b"obj_info" => {
                    let mut ahead = text.clone();
                    if ahead.word() == b"TextureFile" {
                        textures.push(ahead.rest_of_line());
                    }
                }
                b"end_header" => break,
                b"" => {}
                _ => return Err(line.unexpected("a line of a PLY header")),
            }
        }
        let encoding = encoding.ok_or_else(|| text.unexpected("a format in the header"))?;
        text.skip_line();
        let vertex_count = vertices_of(&elements)?;
        Ok(Header { encoding, elements, textures, vertex_count })
    }
}

fn vertices_of(elements: &[Element]) -> Result<u64, Fault> {
    let mut vertices = elements.iter().filter(|element| element.name == "vertex");
    let why = match (vertices.next(), vertices.next()) {
        (None, _) => "there is no element 'vertex'".to_owned(),
        (Some(_), Some(_)) => "there are two elements 'vertex'".to_owned(),
        (Some(vertex), None) => {
            let scalars = vertex.properties.iter().filter(|property| property.list.is_none());
            match ["x", "y", "z"].iter().find(|name| !scalars.clone().any(|scalar| scalar.name == **name)) {
                Some(missing) => format!("vertices have no property '{missing}'"),
                None => return Ok(vertex.count),
            }
        }
    };
    Err(Fault::whole(Problem::Invalid { what: "the header", why }))
}

impl Encoding {
    fn read(text: &mut Text) -> Result<Encoding, Fault> {
        let line = text.clone();
        match text.word() {
            b"ascii" => Ok(Encoding::Ascii),
            b"binary_little_endian" => Ok(Encoding::LittleEndian),
            b"binary_big_endian" => Ok(Encoding::BigEndian),
            _ => Err(line.unexpected("'ascii', 'binary_little_endian' or 'binary_big_endian'")),
        }
    }
}

impl Property {
    fn read(text: &mut Text) -> Result<Property, Fault> {
        let mut ahead = text.clone();
        let is_list = ahead.word() == b"list";
        if is_list {
            *text = ahead;
        }
        let list = if is_list { Some(Scalar::read(text)?) } else { None };
        Ok(Property { list, scalar: Scalar::read(text)?, name: name(text)? })
    }
}

impl Scalar {
    fn read(text: &mut Text) -> Result<Scalar, Fault> {
        let line = text.clone();
        Ok(match text.word() {
            b"char" | b"int8" => Scalar::I8,
            b"uchar" | b"uint8" => Scalar::U8,
            b"short" | b"int16" => Scalar::I16,
            b"ushort" | b"uint16" => Scalar::U16,
            b"int" | b"int32" => Scalar::I32,
            b"uint" | b"uint32" => Scalar::U32,
            b"float" | b"float32" => Scalar::F32,
            b"double" | b"float64" => Scalar::F64,
            _ => return Err(line.unexpected("a type such as 'float' or 'uchar'")),
        })
    }

    pub(super) fn size(self) -> u64 {
        match self {
            Scalar::I8 | Scalar::U8 => 1,
            Scalar::I16 | Scalar::U16 => 2,
            Scalar::I32 | Scalar::U32 | Scalar::F32 => 4,
            Scalar::F64 => 8,
        }
    }

    /// The value that means full intensity of a colour. Colours in 32 bits are bytes in a wide type.
    pub(super) fn white(self) -> f64 {
        match self {
            Scalar::I8 | Scalar::U8 | Scalar::I32 | Scalar::U32 => u8::MAX.into(),
            Scalar::I16 | Scalar::U16 => u16::MAX.into(),
            Scalar::F32 | Scalar::F64 => 1.0,
        }
    }
}

fn name(text: &mut Text) -> Result<String, Fault> {
    let line = text.clone();
    match text.word() {
        b"" => Err(line.unexpected("a name")),
        word => Ok(String::from_utf8_lossy(word).into_owned()),
    }
}
