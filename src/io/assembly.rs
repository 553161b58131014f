//! What the readers of scenes share when they put the meshes of nodes together.

use crate::math::Mat3;

/// The inverse transpose up to a positive factor, which takes normals along. Made of cofactors, it also holds
/// for a flattened mesh.
pub(super) fn normal_matrix(linear: &Mat3) -> Mat3 {
    let [x, y, z] = [0, 1, 2].map(|column| linear.column(column).into_owned());
    let cofactors = Mat3::from_columns(&[y.cross(&z), z.cross(&x), x.cross(&y)]);
    if linear.determinant() < 0.0 { -cofactors } else { cofactors }
}

/// Fills a per-vertex list up to the end, unless no vertex has a value.
pub(super) fn pad<T: Copy>(list: &mut Vec<T>, vertices: usize, filler: T) {
    if !list.is_empty() {
        list.resize(vertices, filler);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Vec3;

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
    fn lists_are_padded_only_where_there_are_values() {
        let (mut none, mut some) = (Vec::<u8>::new(), vec![1]);
        pad(&mut none, 3, 7);
        pad(&mut some, 3, 7);
        assert_eq!((none, some), (vec![], vec![1, 7, 7]));
    }
}
