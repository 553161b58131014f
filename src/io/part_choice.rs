//! Which parts of a file are the character: nodes, objects and groups that are wanted, and props that are not.

use super::Problem;
use super::gltf_write::editor::parents_of;
use super::gltf_write::{GltfWriteError, new_document};
use crate::mesh::{Mesh, Part, SourceDocument};
use serde_json::Value;

/// Names of nodes, objects or groups. A glTF node includes everything below it, and its number is a name too.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PartChoice {
    /// The character is made of these alone; of everything if there are none.
    pub only: Vec<String>,
    /// These are no part of it.
    pub without: Vec<String>,
}

/// Names that an error lists.
const LISTED: usize = 12;

impl PartChoice {
    /// The chosen parts of a mesh. All others stay in its source document, so that they are in the output too.
    ///
    /// # Errors
    /// If a name is not there, or nothing is left.
    pub fn of(&self, mut mesh: Mesh) -> Result<Mesh, Problem> {
        if self.only.is_empty() && self.without.is_empty() {
            return Ok(mesh);
        }
        let mut is_chosen = vec![self.only.is_empty(); mesh.parts.len()];
        for (wanted, is_in) in
            self.only.iter().map(|name| (name, true)).chain(self.without.iter().map(|name| (name, false)))
        {
            parts_named(&mesh, wanted)?.into_iter().for_each(|part| is_chosen[part] = is_in);
        }
        let triangles = mesh.parts.iter().zip(&is_chosen).filter(|(_, chosen)| **chosen);
        if triangles.map(|(part, _)| part.triangles.len()).sum::<usize>() == 0 {
            return Err(Problem::NothingChosen);
        }
        if mesh.origin.document.is_none() && is_chosen.contains(&false) {
            carry(&mut mesh).map_err(|error| Problem::Unsupported {
                feature: format!("a part that is left alone ({error})"),
                way_out: "save the character in a file of its own",
            })?;
        }
        Ok(mesh.keep_parts(&is_chosen))
    }
}

/// The parts of a mesh that have a name, or whose nodes have it.
///
/// # Errors
/// If there is none.
pub fn parts_named(mesh: &Mesh, wanted: &str) -> Result<Vec<usize>, Problem> {
    let json = mesh.origin.document.as_ref().map_or(&Value::Null, |source| &source.json);
    let parents = parents_of(json);
    let is_named = |part: &usize| has(&names_of(&mesh.parts[*part], json, &parents), wanted);
    let found: Vec<usize> = (0..mesh.parts.len()).filter(is_named).collect();
    if found.is_empty() {
        let names = mesh.parts.iter().map(|part| part.name.clone()).filter(|name| !name.is_empty());
        let mut names: Vec<String> = names.collect();
        names.dedup();
        names.truncate(LISTED);
        return Err(Problem::NoSuchPart { wanted: wanted.to_owned(), names });
    }
    Ok(found)
}

/// The names of a part: its own, and the names and numbers of its node and those above.
fn names_of(part: &Part, json: &Value, parents: &[Option<usize>]) -> Vec<String> {
    let mut names = vec![part.name.clone()];
    if let Some(place) = part.place {
        names.extend(name_of(json, "meshes", place.mesh));
        let mut at = Some(place.node);
        while let Some(node) = at {
            names.push(node.to_string());
            names.extend(name_of(json, "nodes", node));
            at = parents.get(node).copied().flatten();
        }
    }
    names
}

fn name_of(json: &Value, list: &str, index: usize) -> Option<String> {
    Some(json.get(list)?.get(index)?.get("name")?.as_str()?.to_owned())
}

fn has(names: &[String], wanted: &str) -> bool {
    names.iter().any(|name| name.eq_ignore_ascii_case(wanted))
}

/// Gives a mesh without a source document one, which keeps the parts that are not chosen.
pub(super) fn carry(mesh: &mut Mesh) -> Result<(), GltfWriteError> {
    let (json, buffer, places) = new_document(mesh)?;
    let parts = mesh.parts.iter_mut().filter(|part| !part.triangles.is_empty());
    parts.zip(places).for_each(|(part, place)| part.place = Some(place));
    mesh.origin.document = Some(SourceDocument { json, buffers: vec![buffer], image_files: Vec::new() });
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::shapes;

    /// A cube and a ball, as an OBJ file has them.
    fn scene() -> Mesh {
        let mut both = shapes::joined(&[shapes::cube(), shapes::uv_sphere(4, 6)]);
        both.parts[0].name = "Body".into();
        both.parts[1].name = "crate".into();
        both
    }

    fn choose(only: &[&str], without: &[&str]) -> Result<Mesh, Problem> {
        let owned = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect();
        PartChoice { only: owned(only), without: owned(without) }.of(scene())
    }

    #[test]
    fn props_stay_in_the_document() {
        for mesh in [choose(&["body"], &[]).unwrap(), choose(&[], &["Crate"]).unwrap()] {
            assert_eq!(mesh.broken_invariant(), None);
            assert_eq!((mesh.parts.len(), mesh.parts[0].name.as_str()), (1, "Body"));
            let document = &mesh.origin.document.as_ref().unwrap().json;
            assert_eq!(document["nodes"][1]["name"], "crate");
            assert_eq!(mesh.parts[0].place.unwrap().node, 0);
        }
        assert!(choose(&[], &[]).unwrap().origin.document.is_none());
    }

    #[test]
    fn names_that_are_not_there_are_told() {
        let error = choose(&[], &["lamp"]).unwrap_err().to_string();
        assert_eq!(error, "it has no node, object or group 'lamp'; give one of Body, crate");
        assert!(matches!(choose(&["Body"], &["Body"]), Err(Problem::NothingChosen)));
    }
}
