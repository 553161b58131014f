//! Meshes from arrays in memory.

use super::{Mesh, shapes};
use crate::math::Vec3;
use thiserror::Error;

/// Arrays that are no mesh.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum ArrayError {
    /// A coordinate is NaN or infinite.
    #[error("vertex {vertex} has a coordinate that is not finite; give numbers for all coordinates")]
    NotFinite {
        /// The first such vertex.
        vertex: usize,
    },
    /// A triangle uses a vertex that does not exist.
    #[error("triangle {triangle} uses vertex {vertex}, but there are {vertices} vertices; count them from 0")]
    NoSuchVertex {
        /// The first such triangle.
        triangle: usize,
        /// The vertex that it uses.
        vertex: u32,
        /// How many there are.
        vertices: usize,
    },
    /// There are more vertices or triangles than 32 bits can count.
    #[error("{count} vertices or triangles cannot be counted with 32 bits; split the mesh")]
    TooMany {
        /// The larger of the two numbers.
        count: usize,
    },
}

impl Mesh {
    /// A mesh of positions and triangles, three vertices each, counter-clockwise seen from outside.
    ///
    /// ```
    /// use puppetry::{Mesh, Vec3};
    ///
    /// let mesh = Mesh::of_arrays(vec![Vec3::zeros(), Vec3::x(), Vec3::y()], vec![[0, 1, 2]])?;
    /// assert_eq!(mesh.broken_invariant(), None);
    /// # Ok::<(), puppetry::stages::mesh::ArrayError>(())
    /// ```
    ///
    /// # Errors
    /// If a position is not finite, an index is out of range, or there are too many of either.
    pub fn of_arrays(positions: Vec<Vec3>, triangles: Vec<[u32; 3]>) -> Result<Mesh, ArrayError> {
        let count = positions.len().max(triangles.len());
        if count > u32::MAX as usize {
            return Err(ArrayError::TooMany { count });
        }
        if let Some(vertex) = positions.iter().position(|position| !position.iter().all(|x| x.is_finite())) {
            return Err(ArrayError::NotFinite { vertex });
        }
        let vertices = positions.len();
        for (triangle, corners) in triangles.iter().enumerate() {
            if let Some(&vertex) = corners.iter().find(|&&vertex| vertex as usize >= vertices) {
                return Err(ArrayError::NoSuchVertex { triangle, vertex, vertices });
            }
        }
        Ok(shapes::surface(positions, triangles))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn corners() -> Vec<Vec3> {
        vec![Vec3::zeros(), Vec3::x(), Vec3::y(), Vec3::z()]
    }

    #[test]
    fn arrays_become_one_part_that_keeps_every_promise() {
        let cube = shapes::cube();
        let mesh = Mesh::of_arrays(cube.positions.clone(), cube.triangles.clone()).unwrap();
        assert_eq!((&mesh.positions, &mesh.triangles), (&cube.positions, &cube.triangles));
        assert_eq!((mesh.parts.len(), mesh.broken_invariant()), (1, None));
        // Vertices without triangles, and nothing at all, are meshes too: `prepare` says what is missing.
        assert_eq!(Mesh::of_arrays(corners(), vec![]).unwrap().broken_invariant(), None);
        assert_eq!(Mesh::of_arrays(vec![], vec![]).unwrap().broken_invariant(), None);
    }

    #[test]
    fn the_first_fault_is_named() {
        for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            let mut positions = corners();
            positions[2].y = bad;
            let error = Mesh::of_arrays(positions, vec![[0, 1, 2]]).unwrap_err();
            assert_eq!(error, ArrayError::NotFinite { vertex: 2 });
        }
        let error = Mesh::of_arrays(corners(), vec![[0, 1, 2], [1, 4, u32::MAX]]).unwrap_err();
        assert_eq!(error, ArrayError::NoSuchVertex { triangle: 1, vertex: 4, vertices: 4 });
        assert_eq!(
            error.to_string(),
            "triangle 1 uses vertex 4, but there are 4 vertices; count them from 0"
        );
        let error = Mesh::of_arrays(vec![], vec![[0, 0, 0]]).unwrap_err();
        assert_eq!(error, ArrayError::NoSuchVertex { triangle: 0, vertex: 0, vertices: 0 });
    }
}
