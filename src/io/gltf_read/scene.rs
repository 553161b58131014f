//! The node hierarchy of the scene: where every node stands, and which meshes it shows.

use crate::io::json_item::Item;
use crate::io::{Fault, Problem};
use crate::math::{Mat4, Quat, Vec3};

/// A mesh shown by a node.
pub(super) struct Instance<'a> {
    pub node: Item<'a>,
    pub node_index: usize,
    pub mesh: Item<'a>,
    pub mesh_index: usize,
}

/// The nodes of a document.
pub(super) struct NodeTree<'a> {
    /// From the coordinates of each node to those of the scene.
    pub worlds: Vec<Mat4>,
    /// Meshes of the default scene in the order of its tree, children after their parent.
    pub instances: Vec<Instance<'a>>,
    /// Meshes left out because `KHR_node_visibility` hides their node.
    pub hidden: usize,
}

/// Walks the tree without recursion: a chain of nodes may be as long as the file.
pub(super) fn read<'a>(root: &Item<'a>) -> Result<NodeTree<'a>, Fault> {
    let nodes = root.list("nodes")?;
    let children = children(&nodes)?;
    let parents = parents(&nodes, &children)?;
    let worlds = worlds(&nodes, &children, &parents)?;

    let mut scene = NodeTree { worlds, instances: Vec::new(), hidden: 0 };
    let mut shown = vec![false; nodes.len()];
    let mut stack = roots(root, &nodes, &parents)?;
    stack.reverse();
    let mut stack: Vec<(usize, bool)> = stack.into_iter().map(|node| (node, true)).collect();
    while let Some((index, parent_visible)) = stack.pop() {
        let node = &nodes[index];
        if std::mem::replace(&mut shown[index], true) {
            return Err(node.invalid("the node", "the scene contains it twice"));
        }
        let visible = parent_visible && is_visible(node);
        if let Some(reference) = node.get("mesh") {
            let mesh = reference.target(root, "meshes", "mesh")?;
            let mesh_index = reference.as_whole_number()?;
            match visible {
                true => {
                    scene.instances.push(Instance { node: node.clone(), node_index: index, mesh, mesh_index })
                }
                false => scene.hidden += 1,
            }
        }
        stack.extend(children[index].iter().rev().map(|&child| (child, visible)));
    }
    Ok(scene)
}

/// Nodes to start from: those of the default scene, else of the first one, else all without a parent.
fn roots(root: &Item, nodes: &[Item], parents: &[Option<usize>]) -> Result<Vec<usize>, Fault> {
    let scene = match root.get("scene") {
        Some(reference) => Some(reference.target(root, "scenes", "scene")?),
        None => root.list("scenes")?.into_iter().next(),
    };
    match scene {
        Some(scene) => node_references(&scene, "nodes", nodes.len()),
        None => Ok((0..nodes.len()).filter(|&node| parents[node].is_none()).collect()),
    }
}

fn children(nodes: &[Item]) -> Result<Vec<Vec<usize>>, Fault> {
    nodes.iter().map(|node| node_references(node, "children", nodes.len())).collect()
}

/// A list of node indices that all exist.
pub(super) fn node_references(item: &Item, key: &str, count: usize) -> Result<Vec<usize>, Fault> {
    let mut nodes = Vec::new();
    for reference in item.list(key)? {
        let index = reference.as_whole_number()?;
        if index >= count {
            return Err(reference.out_of_range("node", index, count));
        }
        nodes.push(index);
    }
    Ok(nodes)
}

/// The parent of each node.
pub(super) fn parents_of(nodes: &[Item]) -> Result<Vec<Option<usize>>, Fault> {
    parents(nodes, &children(nodes)?)
}

fn parents(nodes: &[Item], children: &[Vec<usize>]) -> Result<Vec<Option<usize>>, Fault> {
    let mut parents = vec![None; nodes.len()];
    for (parent, children) in children.iter().enumerate() {
        for &child in children {
            if let Some(other) = parents[child].replace(parent) {
                let why = format!("it is a child of node {other} and of node {parent}");
                return Err(nodes[child].invalid("the node", why));
            }
        }
    }
    Ok(parents)
}

/// World transforms of all nodes, parents first. Nodes that no root leads to form a cycle.
fn worlds(nodes: &[Item], children: &[Vec<usize>], parents: &[Option<usize>]) -> Result<Vec<Mat4>, Fault> {
    let mut worlds: Vec<Option<Mat4>> = vec![None; nodes.len()];
    let mut stack: Vec<usize> = (0..nodes.len()).rev().filter(|&node| parents[node].is_none()).collect();
    while let Some(index) = stack.pop() {
        let parent = parents[index].and_then(|parent| worlds[parent]).unwrap_or_else(Mat4::identity);
        let world = parent * local(&nodes[index])?;
        if !world.iter().all(|entry| entry.is_finite()) {
            let problem = Problem::NotFinite { what: "the transform of node", index };
            return Err(Fault::json(&nodes[index].pointer, problem));
        }
        worlds[index] = Some(world);
        stack.extend(&children[index]);
    }
    let worlds = nodes.iter().zip(worlds);
    worlds
        .map(|(node, world)| world.ok_or_else(|| node.invalid("the node", "it is its own ancestor")))
        .collect()
}

/// From the coordinates of a node to those of its parent.
pub(super) fn local(node: &Item) -> Result<Mat4, Fault> {
    if let Some(entries) = node.numbers::<16>("matrix")? {
        let mut matrix = Mat4::from_column_slice(&entries);
        // glTF demands an affine transform; rounding in this row must not become a perspective.
        matrix.set_row(3, &nalgebra::RowVector4::new(0.0, 0.0, 0.0, 1.0));
        return Ok(matrix);
    }
    let translation = node.numbers::<3>("translation")?.unwrap_or_default();
    let [x, y, z, w] = node.numbers::<4>("rotation")?.unwrap_or([0.0, 0.0, 0.0, 1.0]);
    let scale = node.numbers::<3>("scale")?.unwrap_or([1.0; 3]);
    Ok(compose(translation.into(), [x, y, z, w], scale.into()))
}

/// Scale, then rotation (x, y, z, w; not necessarily of unit length), then translation.
fn compose(translation: Vec3, [x, y, z, w]: [f64; 4], scale: Vec3) -> Mat4 {
    let quaternion = nalgebra::Quaternion::new(w, x, y, z);
    let rotation = Quat::try_new(quaternion, 0.0).unwrap_or_else(Quat::identity);
    Mat4::new_translation(&translation) * rotation.to_homogeneous() * Mat4::new_nonuniform_scaling(&scale)
}

fn is_visible(node: &Item) -> bool {
    let flag = node.extension("KHR_node_visibility").and_then(|extension| extension.value.get("visible"));
    flag.and_then(|flag| flag.as_bool()).unwrap_or(true)
}
