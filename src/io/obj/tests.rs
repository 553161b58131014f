use super::statements::library_names;
use super::*;
use crate::math::Vec3;
use std::fs;

fn load(text: &str) -> (Mesh, Vec<Warning>) {
    let mut warnings = vec![];
    let mesh =
        read(text.as_bytes(), &Folder::none(), &mut warnings).unwrap_or_else(|fault| panic!("{fault:?}"));
    assert_eq!(mesh.broken_invariant(), None);
    (mesh, warnings)
}

/// A right triangle and, for its neighbours, a fourth vertex; then `text`.
fn with_square(text: &str) -> (Mesh, Vec<Warning>) {
    load(&format!("v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n{text}"))
}

fn fault(text: &str) -> String {
    read(text.as_bytes(), &Folder::none(), &mut vec![]).unwrap_err().without_way_out()
}

#[test]
fn corners_in_all_four_spellings() {
    for face in
        ["f 1 2 3", "f 1/1 2/2 3/3", "f 1//1 2//1 3//1", "f 1/1/1 2/2/1 3/3/1", "f 1/ 2/ 3/", "f 1// 2// 3//"]
    {
        let (mesh, warnings) =
            load(&format!("v 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0.25 0.75\nvt 1 0\nvt 0 1 0\nvn 0 0 2\n{face}\n"));
        assert_eq!(mesh.triangles, [[0, 1, 2]]);
        assert_eq!(warnings, []);
        let looks = &mesh.appearance;
        if face.contains("1/1") {
            assert_eq!(looks.texcoords, [[0.25, 0.25], [1.0, 1.0], [0.0, 0.0]]);
        } else {
            assert!(looks.texcoords.is_empty());
        }
        if face.contains("/1 ") && !face.contains("f 1/1 ") {
            assert_eq!(looks.normals, [[0.0, 0.0, 1.0]; 3]);
        } else {
            assert!(looks.normals.is_empty());
        }
    }
}

#[test]
fn a_corner_without_normal_among_others_has_none() {
    let (mesh, _) = with_square("vn 0 0 1\nf 1//1 2 3//1");
    assert_eq!(mesh.appearance.normals, [[0.0, 0.0, 1.0], [0.0; 3], [0.0, 0.0, 1.0], [0.0; 3]]);
}

#[test]
fn polygons_become_triangles() {
    assert_eq!(with_square("f 1 2 3 4").0.triangles, [[0, 1, 2], [0, 2, 3]]);
    let (arrow, _) = load("v 0 0 0\nv 1 1 0\nv 0 4 0\nv -1 1 0\nv 0 2 0\nf 2 3 4 5");
    assert_eq!(arrow.triangles.len(), 2);
    assert!(arrow.triangles.iter().all(|t| t.contains(&1) && t.contains(&3)), "{:?}", arrow.triangles);
}

#[test]
fn negative_indices_count_back_and_positive_ones_may_come_first() {
    let (mesh, _) = load("v 9 9 9\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf -3 -2 -1\nv 8 8 8");
    assert_eq!(mesh.positions[..3], [Vec3::zeros(), Vec3::x(), Vec3::y()]);
    let (mesh, _) = load("f 1/1 2/1 3/1\nv 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0");
    assert_eq!(mesh.positions, [Vec3::zeros(), Vec3::x(), Vec3::y()]);
}

#[test]
fn layout_of_the_text_does_not_matter() {
    let (plain, _) = load("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    for text in [
        "\u{feff}v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3",
        "v 0 0 0\r\nv 1 0 0\r\nv 0 1 0\r\nf 1 2 3\r\n",
        "v 0 0 0\rv 1 0 0\rv 0 1 0\rf 1 2 3\r",
        "# made in C:\\models\\\n\tv\t0  0 0 # origin\n\nv 1 0 \\\n 0\nv 0 1 0\nf 1 2\\\r\n3\n",
    ] {
        let (mesh, warnings) = load(text);
        assert_eq!((&mesh.positions, &mesh.triangles), (&plain.positions, &plain.triangles), "{text:?}");
        assert_eq!(warnings, []);
    }
}

#[test]
fn colours_become_linear_and_a_weight_is_none() {
    let (mesh, _) = load("v 0 0 0 0 1 0.5\nv 1 0 0 1\nv 0 1 0 1 0 0 0.5\nf 1 2 3");
    let colors = &mesh.appearance.colors;
    assert_eq!(
        (colors[0][..2].to_vec(), colors[1], colors[2]),
        (vec![0.0, 1.0], [1.0; 4], [1.0, 0.0, 0.0, 0.5])
    );
    assert!((colors[0][2] - 0.21404).abs() < 1e-4);
}

#[test]
fn seams_split_vertices_and_nothing_else_does() {
    let (mesh, _) = with_square("vt 0 0\nvt 1 1\nf 1/1 2/1 3/1\nf 1/2 3/1 4/1\nf 1/2 3/1 4/1");
    assert_eq!(mesh.triangles, [[0, 1, 2], [3, 2, 4], [3, 2, 4]]);
    assert_eq!(mesh.positions[0], mesh.positions[3]);
}

#[test]
fn parts_follow_names_and_materials_and_come_together_again() {
    let (mesh, _) = with_square(
        "o body\nusemtl red paint\ns 1\nf 1 2 3\ng head\nf 1 3 4\no body\nf 2 3 4\nusemtl blue\nf 1 2 4\ns off",
    );
    let parts: Vec<_> = mesh
        .parts
        .iter()
        .map(|p| (p.name.as_str(), p.vertices.clone(), p.triangles.clone(), p.material))
        .collect();
    assert_eq!(
        parts,
        [("body", 0..4, 0..2, Some(0)), ("head", 4..7, 2..3, Some(0)), ("body", 7..10, 3..4, Some(1)),]
    );
    assert_eq!(
        mesh.appearance.materials.iter().map(|m| m.name.as_str()).collect::<Vec<_>>(),
        ["red paint", "blue"]
    );
}

#[test]
fn vertices_without_faces_go_to_the_part_of_the_next_face() {
    let (mesh, _) =
        load("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 5 0 0\ng a\nf 1 2 3\nv 6 0 0\ng b\nv 7 0 0\nf 1 2 3\nv 8 0 0\n");
    assert_eq!(mesh.parts.iter().map(|p| p.vertices.clone()).collect::<Vec<_>>(), [0..4, 4..10]);
    assert_eq!(mesh.positions[3].x, 5.0);
    assert_eq!(mesh.positions[7..].iter().map(|p| p.x).collect::<Vec<_>>(), [6.0, 7.0, 8.0]);
}

#[test]
fn what_is_no_surface_is_counted() {
    let (_, warnings) = with_square("f 1 2 3\nf 1 2\nl 1 2\nl 2 3\np 1\ncurv 0 1 \\\n 1 2\nfoo\nf");
    let sentences: Vec<String> = warnings.iter().map(|w| w.to_string()).collect();
    assert_eq!(
        sentences,
        [
            "faces with fewer than three corners were left out because they are not part of a surface: 2",
            "lines were left out because they are not part of a surface: 2",
            "points were left out because they are not part of a surface: 1",
            "2 lines were skipped, the first is line 10 ('curv')",
        ]
    );
}

#[test]
fn unusable_normals_and_texture_coordinates_count_as_absent() {
    let (mesh, warnings) =
        with_square("vt nan 0\nvt 1e300 0\nvn 0 -nan(ind) 1\nvn 0 0 1\nf 1/1/1 2/2/2 3/7/-5");
    assert_eq!(mesh.appearance.normals[..3], [[0.0; 3], [0.0, 0.0, 1.0], [0.0; 3]]);
    let sentences: Vec<String> = warnings.iter().map(|w| w.to_string()).collect();
    assert_eq!(
        sentences,
        [
            "texture coordinates were left out because they are not finite numbers: 2",
            "normals were left out because they are not finite numbers: 1",
            "references to texture coordinates and normals were left out because these do not exist: 2",
        ]
    );
}

#[test]
fn faults_name_the_line() {
    for (text, message) in [
        ("v 0 0 0\nv 0 nan 0", "vertex 2 is not a finite number, line 2"),
        ("v 1e999 0 0", "vertex 1 is not a finite number, line 1"),
        ("v 0 0 0\nf 1 2 1\nv 0 0 0\nf 1 2 3", "vertex 3 does not exist, there are 2, line 4"),
        ("v 0 0 0\nf 1 -2 1", "vertex -2 does not exist, there are 1, line 2"),
        ("v 0 0 0\nf 0 1 1", "vertex 0 does not exist, there are 1, line 2"),
        ("f 1 2 99999999999999999999", "vertex 9223372036854775807 does not exist, there are 0, line 1"),
        ("v 0 0\n", "expected a number, found 'the end of the line', line 1"),
        ("v 0 0 x", "expected a number, found 'x', line 1"),
        ("f a b c", "expected the number of a vertex, found 'a', line 1"),
        ("v 0 0 0\nf 1.5 1 1", "expected a blank between corners, found '.5', line 2"),
        ("v 0 0 0", "it contains no triangles"),
        ("v 0 0 0\nf 1 1", "it contains no triangles"),
        ("hello", "it contains no triangles"),
        ("\0\0\0", "it contains no triangles"),
    ] {
        assert_eq!(fault(text), message);
    }
}

#[test]
fn library_names_may_have_blanks() {
    assert_eq!(library_names("a.mtl  my lib.MTL b.mtl"), ["a.mtl", "my lib.MTL", "b.mtl"]);
    assert_eq!(library_names("materials"), ["materials"]);
    assert_eq!(library_names(" "), [""; 0]);
}

#[test]
fn materials_come_from_the_libraries() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("my lib.mtl"), "newmtl skin\nPr 0.5\nmap_Kd skin.png").unwrap();
    fs::write(dir.path().join("skin.png"), b"\x89PNG").unwrap();
    let folder = Folder::of(&dir.path().join("a.obj"));
    let text = b"mtllib my lib.mtl gone.mtl\nmtllib my lib.mtl\nv 0 0 0\nusemtl skin\nf 1 1 1\nusemtl other\nf 1 1 1";
    let mut warnings = vec![];
    let mesh = read(text, &folder, &mut warnings).unwrap();
    assert_eq!(mesh.broken_invariant(), None);
    let [skin, other] = &mesh.appearance.materials[..] else { panic!("two materials") };
    assert_eq!((skin.roughness, skin.base_color_image, other.roughness), (0.5, Some(0), 1.0));
    let [warning] = &warnings[..] else { panic!("{warnings:?}") };
    assert!(warning.to_string().starts_with("the material library 'gone.mtl' was left out (no such file)"));
}
