use super::Vec3;
use std::fmt;

/// A signed coordinate axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Axis {
    /// +X
    PosX,
    /// −X
    NegX,
    /// +Y
    PosY,
    /// −Y
    NegY,
    /// +Z
    PosZ,
    /// −Z
    NegZ,
}

impl Axis {
    /// All six, in the order of their declaration.
    pub const ALL: [Axis; 6] = [Axis::PosX, Axis::NegX, Axis::PosY, Axis::NegY, Axis::PosZ, Axis::NegZ];

    /// 0, 1 or 2 for X, Y or Z.
    pub fn index(self) -> usize {
        self as usize / 2
    }

    /// Whether it points along −X, −Y or −Z.
    pub fn is_negative(self) -> bool {
        self as usize % 2 == 1
    }

    /// The same axis in the other direction.
    pub fn opposite(self) -> Axis {
        Axis::ALL[self as usize ^ 1]
    }

    /// The unit vector along this axis.
    pub fn vector(self) -> Vec3 {
        let positive = Vec3::ith(self.index(), 1.0);
        if self.is_negative() { -positive } else { positive }
    }
}

impl fmt::Display for Axis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(["+X", "-X", "+Y", "-Y", "+Z", "-Z"][*self as usize])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_signs_and_names_agree() {
        for (axis, number) in Axis::ALL.into_iter().zip(0..) {
            assert_eq!(axis as usize, number);
            assert_eq!(axis.vector()[axis.index()], if axis.is_negative() { -1.0 } else { 1.0 });
            assert_eq!(axis.opposite().vector(), -axis.vector());
        }
        assert_eq!([Axis::NegY, Axis::PosZ].map(|axis| axis.to_string()), ["-Y", "+Z"]);
    }
}
