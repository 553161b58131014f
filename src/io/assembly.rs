//! What the readers of scenes share when they put the meshes of nodes together.

use crate::math::{Mat3, Mat4, Quat, Vec3, rotation_of};
use crate::mesh::Appearance;
use std::collections::HashMap;

/// Axes shorter than this have no direction.
const SHORTEST_AXIS: f64 = 1e-12;

/// A transform without its translation.
pub(super) fn linear(matrix: &Mat4) -> Mat3 {
    matrix.fixed_view::<3, 3>(0, 0).into_owned()
}

/// The translation of a transform.
pub(super) fn translation(matrix: &Mat4) -> Vec3 {
    matrix.fixed_view::<3, 1>(0, 3).into_owned()
}

/// The rotation whose first axis is `x`, and whose second one lies in the plane of `x` and `y`. The identity if they have no
/// plane.
pub(super) fn rotation_of_axes(x: &Vec3, y: &Vec3) -> Quat {
    let Some(x) = x.try_normalize(SHORTEST_AXIS) else { return Quat::identity() };
    let Some(y) = (y - x * x.dot(y)).try_normalize(SHORTEST_AXIS) else { return Quat::identity() };
    rotation_of(&Mat3::from_columns(&[x, y, x.cross(&y)]))
}

/// Names that are taken, each with the next number to try behind it, so that ten thousand nodes of one name are named in as
/// many steps.
#[derive(Default)]
pub(super) struct UniqueNames(HashMap<String, usize>);

impl UniqueNames {
    /// The name, with a number behind it if it is taken.
    pub fn take(&mut self, base: &str) -> String {
        let mut name = base.to_owned();
        let mut number = self.0.get(base).copied().unwrap_or(2);
        while self.0.contains_key(&name) {
            name = format!("{base}_{number}");
            number += 1;
        }
        self.0.insert(name.clone(), 2);
        self.0.insert(base.to_owned(), number);
        name
    }
}

/// The inverse transpose up to a positive factor, which takes normals along. Made of cofactors, it also holds
/// for a flattened mesh.
pub(super) fn normal_matrix(linear: &Mat3) -> Mat3 {
    let [x, y, z] = [0, 1, 2].map(|column| linear.column(column).into_owned());
    let cofactors = Mat3::from_columns(&[y.cross(&z), z.cross(&x), x.cross(&y)]);
    if linear.determinant() < 0.0 { -cofactors } else { cofactors }
}

/// Appends per-vertex values that start at `first_vertex`; earlier vertices without one get the filler.
pub(super) fn append<T: Copy>(
    list: &mut Vec<T>,
    first_vertex: usize,
    filler: T,
    values: impl IntoIterator<Item = T>,
) {
    list.resize(first_vertex, filler);
    list.extend(values);
}

/// Fills the per-vertex lists up to the end, unless no vertex has a value.
pub(super) fn pad(appearance: &mut Appearance, vertices: usize) {
    let Appearance { normals, texcoords, colors, .. } = appearance;
    if !normals.is_empty() {
        normals.resize(vertices, [0.0; 3]);
    }
    if !texcoords.is_empty() {
        texcoords.resize(vertices, [0.0; 2]);
    }
    if !colors.is_empty() {
        colors.resize(vertices, [1.0; 4]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn normals_stay_upright_when_the_surface_is_stretched_mirrored_or_flattened() {
        let upright = Vec3::new(0.0, 0.0, 1.0);
        for scale in [[2.0, 1.0, 5.0], [-1.0, 1.0, 1.0], [1.0, 1.0, -1.0], [1.0, 1.0, 0.0]] {
            let turned = normal_matrix(&Mat3::from_diagonal(&scale.into())) * upright;
            let sign = if scale[2] < 0.0 { -1.0 } else { 1.0 };
            assert_eq!(turned.normalize(), upright * sign, "{scale:?}");
        }
        let shear = Mat3::new(1.0, 0.0, 3.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0);
        // It takes the z axis, which lies in the plane x = 0, to (3, 0, 1).
        assert_eq!(normal_matrix(&shear) * Vec3::x(), Vec3::new(1.0, 0.0, -3.0));
    }

    #[test]
    fn names_get_numbers_that_are_free() {
        let mut names = UniqueNames::default();
        let taken = ["a", "a_2", "a", "a", "a_2", "b"].map(|name| names.take(name));
        assert_eq!(taken, ["a", "a_2", "a_3", "a_4", "a_2_2", "b"]);
    }

    #[test]
    fn lists_are_padded_only_where_there_are_values() {
        let mut looks = Appearance::default();
        append(&mut looks.colors, 1, [1.0; 4], [[0.5; 4]]);
        pad(&mut looks, 3);
        assert_eq!((looks.normals, looks.colors), (vec![], vec![[1.0; 4], [0.5; 4], [1.0; 4]]));
    }
}
