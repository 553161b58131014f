//! Numbers in the three encodings.

use super::header::{Property, Scalar};
use crate::io::text::Text;
use crate::io::{Fault, Location, Problem};

/// A stream of numbers in one of the encodings.
pub(super) trait Source {
    /// The next value.
    fn next(&mut self, scalar: Scalar) -> Result<f64, Fault>;
    /// The least number of bytes that a value takes.
    fn least_size(scalar: Scalar) -> u64;
    /// The blank behind the last number of a text may be missing.
    const LAST_IS_SHORTER_BY: u64;
    fn available(&self) -> u64;
    fn location(&self) -> Location;

    fn fault(&self, problem: Problem) -> Fault {
        Fault { at: self.location(), problem }
    }

    /// A fault unless `count` times `size` bytes can be there.
    fn require(&self, what: &'static str, count: u64, size: u64) -> Result<(), Fault> {
        let needed = count.saturating_mul(size).saturating_sub(Self::LAST_IS_SHORTER_BY);
        let available = self.available();
        if needed > available {
            return Err(self.fault(Problem::Truncated { what, needed, available }));
        }
        Ok(())
    }

    /// The number of values of a property: 1, or the length of its list. So many can be there.
    fn list_length(&mut self, property: &Property) -> Result<u64, Fault> {
        let Some(count) = property.list else { return Ok(1) };
        let length = self.next(count)?;
        if !(length >= 0.0 && length.fract() == 0.0) {
            let problem = Problem::Invalid { what: "the length of a list", why: format!("it is {length}") };
            return Err(self.fault(problem));
        }
        self.require("the values of a list", length as u64, Self::least_size(property.scalar))?;
        Ok(length as u64)
    }

    fn skip(&mut self, property: &Property) -> Result<(), Fault> {
        for _ in 0..self.list_length(property)? {
            self.next(property.scalar)?;
        }
        Ok(())
    }
}

impl Source for Text<'_> {
    fn next(&mut self, scalar: Scalar) -> Result<f64, Fault> {
        self.skip_to_word();
        if !matches!(scalar, Scalar::F32 | Scalar::F64) {
            // Twice as fast as decimals; a decimal of an integer type is read again.
            let mut ahead = self.clone();
            if let Some(value) = ahead.integer().filter(|_| ahead.at_word_end()) {
                *self = ahead;
                return Ok(value as f64);
            }
        }
        self.number()
    }

    /// A digit and a blank.
    fn least_size(_: Scalar) -> u64 {
        2
    }

    const LAST_IS_SHORTER_BY: u64 = 1;

    fn available(&self) -> u64 {
        self.remaining().len() as u64
    }

    fn location(&self) -> Location {
        Location::Line(self.line())
    }
}

pub(super) struct Binary<'a, const LITTLE: bool> {
    pub(super) bytes: &'a [u8],
    pub(super) at: usize,
}

impl<const LITTLE: bool> Binary<'_, LITTLE> {
    fn take<const SIZE: usize>(&mut self) -> Result<[u8; SIZE], Fault> {
        let Some(&bytes) = self.bytes.get(self.at..).and_then(|rest| rest.first_chunk::<SIZE>()) else {
            let (needed, available) = (SIZE as u64, self.available());
            return Err(self.fault(Problem::Truncated { what: "values", needed, available }));
        };
        self.at += SIZE;
        Ok(bytes)
    }
}

impl<const LITTLE: bool> Source for Binary<'_, LITTLE> {
    #[inline]
    fn next(&mut self, scalar: Scalar) -> Result<f64, Fault> {
        macro_rules! take {
            ($type:ty) => {{
                let bytes = self.take()?;
                f64::from(if LITTLE { <$type>::from_le_bytes(bytes) } else { <$type>::from_be_bytes(bytes) })
            }};
        }
        Ok(match scalar {
            Scalar::I8 => take!(i8),
            Scalar::U8 => take!(u8),
            Scalar::I16 => take!(i16),
            Scalar::U16 => take!(u16),
            Scalar::I32 => take!(i32),
            Scalar::U32 => take!(u32),
            Scalar::F32 => take!(f32),
            Scalar::F64 => take!(f64),
        })
    }

    fn least_size(scalar: Scalar) -> u64 {
        scalar.size()
    }

    const LAST_IS_SHORTER_BY: u64 = 0;

    fn available(&self) -> u64 {
        (self.bytes.len() - self.at) as u64
    }

    fn location(&self) -> Location {
        Location::Offset(self.at)
    }
}
