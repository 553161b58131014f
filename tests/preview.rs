//! Real characters before the camera.

mod common;

use puppetry::stages::io::{decode_image, load_mesh};
use puppetry::stages::mesh::EncodedImage;
use puppetry::stages::preview::{
    Background, Camera, Framing, RenderOptions, Scene, Surface, Texture, render,
};

#[test]
fn every_character_fills_its_image_and_its_images_decode() {
    let files = common::example_characters().into_iter().chain(common::corpus_files(".glb"));
    for file in files {
        let (mesh, _) = load_mesh(&file).unwrap();
        let texture = |image: &EncodedImage| {
            let decoded = decode_image(image);
            let is_known = ["image/png", "image/jpeg"].contains(&image.media_type.as_str());
            assert_eq!(decoded.is_some(), is_known, "{}: '{}'", file.display(), image.name);
            Texture::new(decoded?)
        };
        let textures: Vec<Option<Texture>> = mesh.appearance.images.iter().map(texture).collect();
        let surface = Surface::of(&mesh, &textures);
        let camera = Camera::framing(&surface.bounds(), &Framing::from(Framing::THREE_QUARTER));
        let scene = Scene { surfaces: vec![surface], ..Scene::default() };
        let options = RenderOptions {
            width: 100,
            height: 100,
            background: Background::Transparent,
            ..Default::default()
        };
        let image = render(&scene, &camera, &options);
        let covered = image.pixels.iter().filter(|pixel| pixel[3] > 0).count();
        assert!(covered > 500, "{}: {covered} of 10,000 pixels", file.display());
    }
}
