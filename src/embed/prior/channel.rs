//! The joints that the prior knows. The forelegs of an animal have the channels of arms and hind legs those of legs: what
//! is the same in anatomy is the same here, so that a network learns from people and animals alike.

use super::network::CHANNELS;

/// Joints on the plane between left and right.
pub const MIDDLE: [&str; 6] = ["hips", "spine", "chest", "neck", "head", "tail"];
/// Joints of the left side, then of the right: a foreleg's wrist is its carpus and its hand its foot; a hind leg's ankle is
/// its hock and its toe its foot.
pub const SIDED: [&str; 8] = ["shoulder", "elbow", "wrist", "hand", "hip", "knee", "ankle", "toe"];

/// The channel of a joint in the middle.
pub fn middle(name: &str) -> Option<usize> {
    MIDDLE.iter().position(|known| *known == name)
}

/// The channel of a joint of one side.
pub fn sided(name: &str, is_left: bool) -> Option<usize> {
    let place = SIDED.iter().position(|known| *known == name)?;
    Some(MIDDLE.len() + if is_left { place } else { SIDED.len() + place })
}

/// The channel of the same joint of the other side.
pub fn mirrored(channel: usize) -> usize {
    match channel.checked_sub(MIDDLE.len()) {
        None => channel,
        Some(place) => MIDDLE.len() + (place + SIDED.len()) % (2 * SIDED.len()),
    }
}

const _: () = assert!(MIDDLE.len() + 2 * SIDED.len() == CHANNELS);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mirrored_twice_is_the_same() {
        assert_eq!(middle("head").map(mirrored), middle("head"));
        assert_eq!(sided("wrist", true).map(mirrored), sided("wrist", false));
        assert!((0..CHANNELS).all(|channel| mirrored(mirrored(channel)) == channel));
    }
}
