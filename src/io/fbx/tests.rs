use super::*;
use crate::math::Axis;
use crate::mesh::AlphaMode;
use std::collections::BTreeSet;

/// A cube from −1 to 1, quads with their own texture coordinates, in Z-up centimetres, standing at (0, 0,
/// 5).
const CUBE: &str = include_str!("cube.fbx");

fn load(text: &str) -> Result<(Mesh, Vec<Warning>), Fault> {
    let mut warnings = Vec::new();
    Ok((read(text.as_bytes(), &Folder::none(), &mut warnings)?, warnings))
}

/// Six times the enclosed volume; positive if the triangles face outwards.
fn volume(mesh: &Mesh) -> f64 {
    let corner = |v: u32| mesh.positions[v as usize];
    mesh.triangles.iter().map(|&[a, b, c]| corner(a).cross(&corner(b)).dot(&corner(c))).sum()
}

#[test]
fn a_cube_comes_with_its_place_unit_axes_and_material() {
    let (mesh, warnings) = load(CUBE).unwrap();
    assert_eq!(warnings, []);
    assert_eq!(mesh.triangles.len(), 12);
    assert_eq!(mesh.parts.len(), 1);
    assert_eq!(mesh.parts[0].name, "Body");
    assert_eq!(mesh.origin.conventions.meters_per_unit, Some(0.01));
    assert_eq!(mesh.origin.conventions.up, Some(Axis::PosZ));
    assert_eq!(mesh.origin.conventions.front, Some(Axis::NegY));
    let heights = mesh.positions.iter().map(|p| p.z);
    assert_eq!(heights.clone().fold(f64::MAX, f64::min), 4.0);
    assert_eq!(heights.fold(f64::MIN, f64::max), 6.0);
    assert!((volume(&mesh) - 48.0).abs() < 1e-12);
    let material = &mesh.appearance.materials[mesh.parts[0].material.unwrap()];
    assert_eq!(material.name, "Skin");
    assert_eq!(material.base_color, [0.5, 0.25, 0.125, 0.75]);
    assert_eq!(material.emissive, [0.1, 0.2, 0.3]);
    assert_eq!((material.alpha, material.metallic), (AlphaMode::Blend, 0.0));
    assert!(material.roughness > 0.0 && material.roughness < 1.0);
}

#[test]
fn vertices_are_split_only_where_texture_coordinates_differ() {
    let (mesh, _) = load(CUBE).unwrap();
    // Each of the 8 points has 3 corners; the pairs of point and texture coordinates are counted by hand.
    let pairs = mesh.positions.iter().zip(&mesh.appearance.texcoords);
    let distinct: BTreeSet<String> = pairs.map(|pair| format!("{pair:?}")).collect();
    assert_eq!(distinct.len(), mesh.positions.len(), "equal corners must share a vertex");
    assert!((8..24).contains(&distinct.len()), "{distinct:?}");
    assert!(mesh.appearance.texcoords.contains(&[0.0, 0.25]), "v is flipped");
}

#[test]
fn mirrored_nodes_still_face_outwards() {
    let text = CUBE.replace("\"A\",1,1,1\n", "\"A\",-2,1,1\n");
    let (mesh, _) = load(&text).unwrap();
    assert!((volume(&mesh) - 96.0).abs() < 1e-12);
}

#[test]
fn left_handed_files_are_mirrored_and_say_so() {
    let text = CUBE.replace(
        "\"CoordAxisSign\", \"int\", \"Integer\", \"\",1",
        "\"CoordAxisSign\", \"int\", \"Integer\", \"\",-1",
    );
    let (mesh, warnings) = load(&text).unwrap();
    assert_eq!(warnings, [Warning::Mirrored { axis: Axis::NegX }]);
    assert!(volume(&mesh) > 0.0);
    assert_eq!(mesh.origin.conventions.up, Some(Axis::PosZ));
}

#[test]
fn textures_come_from_the_folder_or_are_reported_missing() {
    let text =
        CUBE.replace("    C: \"OO\",30,20\n", "    C: \"OO\",30,20\n    C: \"OP\",40,30, \"DiffuseColor\"\n");
    let (mesh, warnings) = load(&text).unwrap();
    assert!(
        matches!(&warnings[..], [Warning::FileMissing { what: "image", name, .. }] if name == "face.png")
    );
    assert_eq!(mesh.appearance.materials[0].base_color_image, None);

    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("face.png"), b"\x89PNG").unwrap();
    let mut warnings = Vec::new();
    let mesh = read(text.as_bytes(), &Folder::of(&folder.path().join("a.fbx")), &mut warnings).unwrap();
    assert_eq!(warnings, []);
    let image = &mesh.appearance.images[mesh.appearance.materials[0].base_color_image.unwrap()];
    assert_eq!((image.name.as_str(), image.media_type.as_str()), ("face.png", "image/png"));
    assert_eq!(mesh.appearance.materials[0].base_color[..3], [1.0; 3]);
}

#[test]
fn a_mesh_shown_twice_gives_two_parts() {
    let model = "    Model: 21, \"Model::Twin\", \"Mesh\" {\n        Version: 232\n    }\n";
    let text = CUBE.replace("    Material: 30", &format!("{model}    Material: 30"));
    let text = text
        .replace("    C: \"OO\",30,20\n", "    C: \"OO\",30,20\n    C: \"OO\",21,0\n    C: \"OO\",10,21\n");
    let (mesh, _) = load(&text).unwrap();
    assert_eq!(mesh.parts.iter().map(|part| part.name.as_str()).collect::<Vec<_>>(), ["Body", "Twin"]);
    assert_eq!(mesh.triangles.len(), 24);
    assert_eq!(mesh.parts[1].material, Some(0), "a node without materials takes those of the mesh");
}

#[test]
fn broken_files_are_refused() {
    let huge = CUBE.replace("-1,-1,-1,1,-1,-1", "1e308,-1,-1,1,-1,-1");
    for (text, code) in [
        ("", "empty-file"),
        ("not an FBX file", "fbx"),
        (&CUBE.replace("C: \"OO\",10,20", ""), "no-triangles"),
        (&CUBE.replace("0,3,2,-2", "0,99,2,-2"), "fbx"),
        (&huge.replace("\"A\",1,1,1\n", "\"A\",99,1,1\n"), "not-finite"),
    ] {
        assert_eq!(load(text).unwrap_err().problem.code(), code);
    }
}
