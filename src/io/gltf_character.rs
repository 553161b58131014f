use super::gltf_edit::Editor;
use super::gltf_write::GltfWriteError;
use crate::clip::Clip;
use crate::math::Similarity;

/// A glTF document with a character whose joints can be moved. Clips are added to it, and it is written as a file.
#[derive(Debug, Clone)]
pub struct GltfCharacter {
    pub(super) editor: Editor,
    /// For each joint of the rig.
    pub(super) joints: Vec<JointNode>,
}

/// The node of a joint.
#[derive(Debug, Clone)]
pub(super) struct JointNode {
    /// `None` for a root that was added to a rig whose joints have several.
    pub node: Option<usize>,
    /// From the coordinates of the node above it to those of the parent joint, or of the rig if it has none. Nodes that are
    /// no joints may stand between, and may have a scale.
    pub joint_from_node_above: Similarity,
}

impl GltfCharacter {
    /// A character whose joints are these nodes, each a child of its parent's node, without scale.
    pub(super) fn of_nodes(editor: Editor, nodes: Vec<usize>) -> GltfCharacter {
        let joint = |node| JointNode { node: Some(node), joint_from_node_above: Similarity::identity() };
        GltfCharacter { editor, joints: nodes.into_iter().map(joint).collect() }
    }

    /// Appends an animation for each clip, in this order. What is there already stays.
    ///
    /// # Panics
    /// If a clip is not of this character's rig.
    pub fn add_clips(&mut self, clips: &[Clip]) {
        self.editor.add_clips(&self.joints, clips);
    }

    /// The whole as one GLB file.
    ///
    /// # Errors
    /// If it is too large for one.
    pub fn glb(self) -> Result<Vec<u8>, GltfWriteError> {
        self.editor.into_glb()
    }
}
