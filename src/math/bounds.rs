use super::Vec3;

/// An axis-aligned box. Empty boxes have `min > max`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bounds {
    /// Smallest coordinate along each axis.
    pub min: Vec3,
    /// Largest coordinate along each axis.
    pub max: Vec3,
}

impl Bounds {
    /// The box that contains nothing; growing it by a point gives that point.
    pub const EMPTY: Bounds = Bounds {
        min: Vec3::new(f64::INFINITY, f64::INFINITY, f64::INFINITY),
        max: Vec3::new(f64::NEG_INFINITY, f64::NEG_INFINITY, f64::NEG_INFINITY),
    };

    /// The smallest box around `points`.
    pub fn of<'a>(points: impl IntoIterator<Item = &'a Vec3>) -> Bounds {
        let mut bounds = Bounds::EMPTY;
        for point in points {
            bounds.grow(point);
        }
        bounds
    }

    /// Extends the box to contain `point`.
    pub fn grow(&mut self, point: &Vec3) {
        self.min = self.min.inf(point);
        self.max = self.max.sup(point);
    }

    /// True if no point was ever added.
    pub fn is_empty(&self) -> bool {
        self.min.x > self.max.x
    }

    /// Length of the box along each axis; zero for an empty box.
    pub fn extent(&self) -> Vec3 {
        if self.is_empty() { Vec3::zeros() } else { self.max - self.min }
    }

    /// Middle of the box; the origin for an empty box.
    pub fn center(&self) -> Vec3 {
        if self.is_empty() { Vec3::zeros() } else { (self.min + self.max) * 0.5 }
    }

    /// Length of the diagonal.
    pub fn diagonal(&self) -> f64 {
        self.extent().norm()
    }
}
