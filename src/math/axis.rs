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
    /// All six, in a fixed order.
    pub const ALL: [Axis; 6] = [Axis::PosX, Axis::NegX, Axis::PosY, Axis::NegY, Axis::PosZ, Axis::NegZ];

    /// 0, 1 or 2 for X, Y or Z.
    pub fn index(self) -> usize {
        match self {
            Axis::PosX | Axis::NegX => 0,
            Axis::PosY | Axis::NegY => 1,
            Axis::PosZ | Axis::NegZ => 2,
        }
    }

    /// Whether it points along −X, −Y or −Z.
    pub fn is_negative(self) -> bool {
        matches!(self, Axis::NegX | Axis::NegY | Axis::NegZ)
    }

    /// The same axis the other way.
    pub fn opposite(self) -> Axis {
        match self {
            Axis::PosX => Axis::NegX,
            Axis::NegX => Axis::PosX,
            Axis::PosY => Axis::NegY,
            Axis::NegY => Axis::PosY,
            Axis::PosZ => Axis::NegZ,
            Axis::NegZ => Axis::PosZ,
        }
    }

    /// The unit vector along this axis.
    pub fn vector(self) -> Vec3 {
        match self {
            Axis::PosX => Vec3::x(),
            Axis::NegX => -Vec3::x(),
            Axis::PosY => Vec3::y(),
            Axis::NegY => -Vec3::y(),
            Axis::PosZ => Vec3::z(),
            Axis::NegZ => -Vec3::z(),
        }
    }
}

impl fmt::Display for Axis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Axis::PosX => "+X",
            Axis::NegX => "-X",
            Axis::PosY => "+Y",
            Axis::NegY => "-Y",
            Axis::PosZ => "+Z",
            Axis::NegZ => "-Z",
        })
    }
}
