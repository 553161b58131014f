//! Several networks that were trained alike from other beginnings, and their file. Where they agree they are right more often
//! than one of them, and where they do not, nobody knows (Lakshminarayanan et al. 2017, "Simple and scalable predictive
//! uncertainty estimation using deep ensembles").

use super::network::Network;

/// Networks of the same layers, at least one.
#[derive(Debug, Clone, PartialEq)]
pub struct Ensemble(Vec<Network>);

/// First bytes of a file.
const MAGIC: &[u8; 8] = b"pupprior";
/// Of the layout of a file.
const VERSION: u32 = 2;
/// Bytes of a number: the upper half of an `f32` (bfloat16), which moves joints by 0.01 % of the height.
const WIDTH: usize = 2;

/// What `tools/train_prior` made; docs/prior.md lists what it was trained on.
const BUILT_IN: &[u8] = include_bytes!("prior.bin");

impl Ensemble {
    /// Of so many networks that each has as many passes; `None` if one is not made of numbers.
    pub fn of(members: Vec<Network>) -> Option<Ensemble> {
        let is_whole = matches!(members.len(), 1 | 2 | 4);
        (is_whole && members.iter().flat_map(Network::numbers).all(f32::is_finite))
            .then_some(Ensemble(members))
    }

    /// The networks.
    pub fn members(&self) -> &[Network] {
        &self.0
    }

    /// The one that comes with the program.
    ///
    /// # Panics
    /// Never: a test reads it.
    pub fn built_in() -> Ensemble {
        Ensemble::from_bytes(BUILT_IN).expect("the built-in networks have the layers of this program")
    }

    /// Reads the bytes of a file; `None` if they are not those of networks of these layers.
    pub fn from_bytes(bytes: &[u8]) -> Option<Ensemble> {
        let bytes = bytes.strip_prefix(MAGIC)?.strip_prefix(&VERSION.to_le_bytes())?;
        let own = bytes.chunks_exact(Network::NUMBERS * WIDTH);
        if bytes.is_empty() || !own.remainder().is_empty() {
            return None;
        }
        let members = own.map(|bytes| {
            let halves = bytes.chunks_exact(WIDTH).map(|b| u16::from_le_bytes([b[0], b[1]]));
            Network::from_numbers(halves.map(|half| f32::from_bits(u32::from(half) << 16)))
        });
        Ensemble::of(members.collect())
    }

    /// The bytes of a file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        bytes.extend(VERSION.to_le_bytes());
        let numbers = self.0.iter().flat_map(Network::numbers);
        bytes.extend(numbers.flat_map(|number| upper_half(number).to_le_bytes()));
        bytes
    }
}

/// The nearest number that the upper 16 bits can hold, of one that is finite.
fn upper_half(number: f32) -> u16 {
    let half = 0x8000;
    (number.to_bits().saturating_add(half) >> 16) as u16
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_read_as_they_were_written() {
        let member = |first: u32| Network::from_numbers((0..).map(|i| ((first + i) % 251) as f32));
        let both = Ensemble::of(vec![member(0), member(7)]).unwrap();
        let bytes = both.to_bytes();
        assert_eq!(Ensemble::from_bytes(&bytes), Some(both));
        assert_eq!(Ensemble::from_bytes(&bytes[..bytes.len() - 1]), None);
        assert_eq!(Ensemble::from_bytes(b"something else"), None);
        assert_eq!(Ensemble::of(Vec::new()), None);
        assert_eq!(Ensemble::of(vec![Network::from_numbers(std::iter::repeat(f32::NAN))]), None);
        assert!(Ensemble::from_bytes(BUILT_IN).is_some());
    }

    #[test]
    fn numbers_are_rounded_to_the_nearest() {
        for number in [0.1f32, -3.7, 1e-6, 0.0, 255.9] {
            let read = f32::from_bits(u32::from(upper_half(number)) << 16);
            assert!((read - number).abs() <= number.abs() / 256.0, "{number} {read}");
        }
    }
}
