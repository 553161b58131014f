//! Wavefront material libraries.
//!
//! MTL describes Phong materials; they become metallic-roughness ones here.
//!
//! Colours: the format does not say whether `Kd` is the displayed (sRGB) or the linear colour. Programs
//! without colour management, which wrote most files, write what they display, and three.js reads it so
//! (its pull request 23296). Blender writes its linear value unchanged (measured in its issue 23283), and
//! signs the file in the first comment. So: linear if a comment names Blender, displayed otherwise.

use super::Folder;
use super::color::srgb_to_linear;
use super::images::{Images, missing};
use super::text::Text;
use crate::Warning;
use crate::mesh::{AlphaMode, Appearance, Material};
use std::collections::{HashMap, HashSet};

/// A material as the library describes it, its images not loaded yet.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Description {
    /// What follows `newmtl`.
    pub name: String,
    /// `Kd`, linear.
    pub diffuse: Option<[f32; 3]>,
    /// `Ke`, linear.
    pub emissive: Option<[f32; 3]>,
    /// `d`, or one minus `Tr` where there is no `d`.
    pub opacity: Option<f32>,
    /// `Ns`, the Phong exponent.
    pub shininess: Option<f32>,
    /// `Pr`.
    pub roughness: Option<f32>,
    /// `Pm`.
    pub metallic: Option<f32>,
    /// `map_Kd`.
    pub diffuse_map: Option<String>,
    /// `map_Ke`.
    pub emissive_map: Option<String>,
    /// `norm`, or `map_Bump` and `bump` where there is none: exporters write normal maps under all three.
    pub normal_map: Option<String>,
    /// `map_d`.
    pub opacity_map: Option<String>,
}

/// The materials of a library. Lines that are not understood are skipped: a material is optional, and half
/// of the statements in the wild (ambient and specular colours, refraction, illumination models) have no
/// meaning in the metallic-roughness model.
pub fn read(bytes: &[u8]) -> Vec<Description> {
    let mut materials: Vec<Description> = Vec::new();
    let mut from_file: fn(f32) -> f32 = srgb_to_linear;
    let mut has_d = false;
    let mut has_norm = false;
    let mut text = Text::new(bytes);
    while !text.is_done() {
        text.skip_blanks();
        if text.peek() == b'#' && materials.is_empty() && text.rest_of_line().contains("Blender") {
            from_file = |linear| linear;
        }
        let keyword = text.word().to_ascii_lowercase();
        if keyword == b"newmtl" {
            materials.push(Description { name: text.rest_of_line(), ..Description::default() });
            (has_d, has_norm) = (false, false);
        } else if let Some(material) = materials.last_mut() {
            match &keyword[..] {
                b"kd" => material.diffuse = color(&mut text, from_file).or(material.diffuse),
                b"ke" => material.emissive = color(&mut text, from_file).or(material.emissive),
                b"d" => {
                    // `d -halo 0.5` is opacity that depends on the view; its number is close enough.
                    let mut halo = text.clone();
                    if halo.word() == b"-halo" {
                        text = halo;
                    }
                    material.opacity = unit(&mut text).or(material.opacity);
                    has_d = true;
                }
                // Some exporters write `Tr` with the meaning of `d` beside a correct `d`.
                b"tr" if !has_d => material.opacity = unit(&mut text).map(|t| 1.0 - t),
                b"ns" => material.shininess = finite(&mut text),
                b"pr" => material.roughness = unit(&mut text),
                b"pm" => material.metallic = unit(&mut text),
                b"map_kd" => material.diffuse_map = file_name(&mut text),
                b"map_ke" => material.emissive_map = file_name(&mut text),
                b"map_d" => material.opacity_map = file_name(&mut text),
                b"norm" | b"map_norm" => {
                    material.normal_map = file_name(&mut text);
                    has_norm = true;
                }
                b"map_bump" | b"bump" if !has_norm => material.normal_map = file_name(&mut text),
                _ => {}
            }
        }
        text.skip_line();
    }
    materials
}

fn finite(text: &mut Text) -> Option<f32> {
    text.number().ok().map(|n| n as f32).filter(|n| n.is_finite())
}

fn unit(text: &mut Text) -> Option<f32> {
    finite(text).map(|n| n.clamp(0.0, 1.0))
}

/// A colour, made linear by `from_file`. One number is a grey. `spectral` and `xyz` colours are not read.
fn color(text: &mut Text, from_file: fn(f32) -> f32) -> Option<[f32; 3]> {
    let red = unit(text)?;
    let (green, blue) = if text.at_line_end() { (red, red) } else { (unit(text)?, unit(text)?) };
    Some([red, green, blue].map(from_file))
}

/// The file name behind the options of a texture statement. It may contain blanks, so it is what remains of
/// the line once the options with their numbers are gone.
fn file_name(text: &mut Text) -> Option<String> {
    loop {
        let mut ahead = text.clone();
        let (at_least, at_most) = match ahead.word() {
            b"-o" | b"-s" | b"-t" => (1, 3),
            b"-mm" => (2, 2),
            b"-bm" | b"-boost" | b"-texres" => (1, 1),
            b"-blendu" | b"-blendv" | b"-cc" | b"-clamp" | b"-imfchan" | b"-type" => {
                ahead.word();
                (0, 0)
            }
            _ => break,
        };
        for count in 0..at_most {
            // A file name that begins with a digit is not a number: `number` reads whole words only.
            let mut number = ahead.clone();
            if number.number().is_ok() {
                ahead = number;
            } else if count < at_least {
                ahead.word();
            } else {
                break;
            }
        }
        *text = ahead;
    }
    Some(text.rest_of_line()).filter(|name| !name.is_empty())
}

/// The libraries of a mesh file and the images that its materials use, each loaded once.
pub(super) struct MaterialLibrary<'a> {
    descriptions: HashMap<String, Description>,
    images: Images<'a>,
}

impl<'a> MaterialLibrary<'a> {
    /// Reads the libraries of the given names, each once; those that are missing are a warning. Of materials with the
    /// same name the first counts.
    pub fn load(names: &[String], folder: &'a Folder, warnings: &mut Vec<Warning>) -> MaterialLibrary<'a> {
        let mut descriptions = HashMap::new();
        let mut seen = HashSet::new();
        for name in names.iter().filter(|&name| seen.insert(name)) {
            match folder.read(name) {
                Ok(bytes) => {
                    for material in read(&bytes) {
                        descriptions.entry(material.name.clone()).or_insert(material);
                    }
                }
                Err(problem) => warnings.push(missing("material library", name, problem)),
            }
        }
        MaterialLibrary { descriptions, images: Images::new(folder) }
    }

    /// Adds the material called `name`, with its images, to the appearance and returns its index. One that
    /// no library describes keeps its name and is white.
    pub fn material(
        &mut self,
        name: &str,
        appearance: &mut Appearance,
        warnings: &mut Vec<Warning>,
    ) -> usize {
        let unknown = || Description { name: name.to_owned(), ..Description::default() };
        let from = self.descriptions.remove(name).unwrap_or_else(unknown);
        let [base_color_image, normal_image, emissive_image] =
            [&from.diffuse_map, &from.normal_map, &from.emissive_map]
                .map(|name| self.images.load(name.as_ref()?, &mut appearance.images, warnings));
        let opacity_is_diffuse_alpha = from.opacity_map.is_some() && from.opacity_map == from.diffuse_map;
        if from.opacity_map.is_some() && !opacity_is_diffuse_alpha {
            let reason = "they are not the alpha channel of the colour map";
            warnings.push(Warning::Dropped { what: "opacity maps", count: 1, reason });
        }
        // Black times a texture is black; exporters write it where the texture replaces the colour.
        let diffuse = from.diffuse.filter(|d| base_color_image.is_none() || *d != [0.0; 3]);
        let emissive = from.emissive.filter(|e| emissive_image.is_none() || *e != [0.0; 3]);
        let default_emission = if emissive_image.is_some() { [1.0; 3] } else { [0.0; 3] };
        let [r, g, b] = diffuse.unwrap_or([1.0; 3]);
        let opacity = from.opacity.unwrap_or(1.0);
        appearance.materials.push(Material {
            name: from.name,
            base_color: [r, g, b, opacity],
            base_color_image,
            normal_image,
            metallic: from.metallic.unwrap_or(0.0),
            roughness: from.roughness.unwrap_or_else(|| roughness_of(from.shininess)),
            emissive: emissive.unwrap_or(default_emission),
            emissive_image,
            alpha: if opacity < 1.0 {
                AlphaMode::Blend
            } else if opacity_is_diffuse_alpha && base_color_image.is_some() {
                // Hair and eyelash cards: a cutout needs no sorting and looks the same in every engine.
                AlphaMode::Mask(0.5)
            } else {
                AlphaMode::Opaque
            },
            double_sided: false,
        });
        appearance.materials.len() - 1
    }
}

/// The roughness of a Phong exponent n, by the usual match of the two lobes: n = 2 / roughness² − 2 (Walter et
/// al. 2007, "Microfacet Models for Refraction through Rough Surfaces", section 5.2).
fn roughness_of(shininess: Option<f32>) -> f32 {
    shininess.map_or(1.0, |n| (2.0 / (n.max(0.0) + 2.0)).sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::EncodedImage;
    use std::fs;

    fn one(text: &str) -> Description {
        let mut materials = read(text.as_bytes());
        assert_eq!(materials.len(), 1, "{text}");
        materials.remove(0)
    }

    /// The material `m` of a library that stands beside the images `skin.png` and `my skin.png`.
    fn converted(text: &str) -> (Material, Vec<EncodedImage>, Vec<Warning>) {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("skin.png"), b"\x89PNG skin").unwrap();
        fs::write(dir.path().join("my skin.png"), b"\x89PNG my skin").unwrap();
        fs::write(dir.path().join("m.mtl"), text).unwrap();
        let folder = Folder::of(&dir.path().join("mesh.obj"));
        let (mut appearance, mut warnings) = (Appearance::default(), vec![]);
        let mut library = MaterialLibrary::load(&["m.mtl".into()], &folder, &mut warnings);
        library.material("m", &mut appearance, &mut warnings);
        (appearance.materials.remove(0), appearance.images, warnings)
    }

    #[test]
    fn colours_are_displayed_ones_unless_blender_wrote_them() {
        let displayed = one("newmtl m\nKd 0.5 0 1\nKe 0.5").diffuse.unwrap();
        assert!((displayed[0] - 0.21404).abs() < 1e-4 && displayed[1..] == [0.0, 1.0]);
        assert!((one("newmtl m\nKe 0.5").emissive.unwrap()[2] - 0.21404).abs() < 1e-4);
        let blender = one("# Blender 3.5 MTL File: 'None'\nnewmtl m\nKd 0.5 0 1\n");
        assert_eq!(blender.diffuse, Some([0.5, 0.0, 1.0]));
        assert_eq!(one("newmtl m\nKd spectral file.rfl\nKd nan 0 0").diffuse, None);
    }

    #[test]
    fn opacity_comes_from_d_before_tr() {
        assert_eq!(one("newmtl m\nd 0.25\nTr 0.25").opacity, Some(0.25));
        assert_eq!(one("newmtl m\nTr 0.25\nd 0.25").opacity, Some(0.25));
        assert_eq!(one("newmtl m\nTr 0.25").opacity, Some(0.75));
        assert_eq!(one("newmtl m\nd -halo 0.5").opacity, Some(0.5));
        assert_eq!(converted("newmtl m\nd 0.5").0.alpha, AlphaMode::Blend);
        assert_eq!(converted("newmtl m\nd 1").0.alpha, AlphaMode::Opaque);
    }

    #[test]
    fn shininess_becomes_roughness_unless_the_file_has_one() {
        let (material, ..) = converted("newmtl m\nNs 198\nPm 0.5");
        assert!((material.roughness - 0.1).abs() < 1e-6);
        assert_eq!(material.metallic, 0.5);
        assert_eq!(converted("newmtl m\nNs 198\nPr 0.7").0.roughness, 0.7);
        assert_eq!(converted("newmtl m\n").0.roughness, 1.0);
    }

    #[test]
    fn file_names_stand_behind_options_and_may_have_blanks() {
        for (line, name) in [
            ("skin.png", "skin.png"),
            ("  my skin.png  ", "my skin.png"),
            ("-s 1 1 1 -o 0 0 skin.png", "skin.png"),
            ("-s 2 2skins.png", "2skins.png"),
            ("-bm 0.5 -clamp on my skin.png", "my skin.png"),
            ("-mm 0 1 -imfchan r -blendu off C:\\art\\skin.png", "C:\\art\\skin.png"),
        ] {
            assert_eq!(
                one(&format!("newmtl m\nmap_Kd {line}\n")).diffuse_map.as_deref(),
                Some(name),
                "{line}"
            );
        }
        assert_eq!(one("newmtl m\nmap_Kd -s 1").diffuse_map, None);
    }

    #[test]
    fn a_normal_map_has_many_names() {
        for text in
            ["norm n.png", "bump n.png", "map_Bump -bm 1 n.png", "map_bump x.png\nnorm n.png\nbump x.png"]
        {
            assert_eq!(one(&format!("newmtl m\n{text}")).normal_map.as_deref(), Some("n.png"), "{text}");
        }
    }

    #[test]
    fn images_are_shared_and_missing_ones_are_warnings() {
        let (material, images, warnings) =
            converted("newmtl m\nKd 0 0 0\nmap_Kd skin.png\nmap_Ke skin.png\nbump my skin.png\n");
        assert_eq!((images.len(), warnings.len()), (2, 0));
        assert_eq!(
            (material.base_color_image, material.normal_image, material.emissive_image),
            (Some(0), Some(1), Some(0))
        );
        assert_eq!(material.base_color, [1.0; 4], "black would hide the texture");
        assert_eq!(material.emissive, [1.0; 3]);
        let (material, images, warnings) = converted("newmtl m\nmap_Kd gone.png");
        assert_eq!((material.base_color_image, images.len()), (None, 0));
        assert!(warnings[0].to_string().starts_with("the image 'gone.png' was left out"));
    }

    #[test]
    fn an_opacity_map_counts_only_as_the_alpha_of_the_colour_map() {
        let (material, _, warnings) = converted("newmtl m\nmap_Kd skin.png\nmap_d skin.png");
        assert_eq!((material.alpha, warnings.len()), (AlphaMode::Mask(0.5), 0));
        let (material, _, warnings) = converted("newmtl m\nmap_Kd skin.png\nmap_d my skin.png");
        assert_eq!(material.alpha, AlphaMode::Opaque);
        assert_eq!(
            warnings[0].to_string(),
            "opacity maps were left out because they are not the alpha channel of the colour map: 1"
        );
    }

    #[test]
    fn a_material_that_nobody_describes_keeps_its_name() {
        let (material, ..) = converted("newmtl other\nKd 0 0 0");
        assert_eq!(material, Material { name: "m".into(), ..Material::default() });
    }

    #[test]
    fn a_missing_library_is_a_warning() {
        let (folder, mut warnings) = (Folder::none(), vec![]);
        MaterialLibrary::load(&["a.mtl".into()], &folder, &mut warnings);
        assert_eq!(
            warnings[0].to_string(),
            "the material library 'a.mtl' was left out (there is no folder to look in); put it next to the mesh \
             file to use it"
        );
    }
}
