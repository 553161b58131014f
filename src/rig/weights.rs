//! Skin weights as data: the few joints that move each vertex. Weights are 16-bit parts of one that add up exactly.

use rayon::prelude::*;

/// Vertices of one task.
const CHUNK: usize = 1024;

/// For each vertex a short list of joints and their weights.
///
/// Invariants: in a list, weights fall, add up to [`SkinWeights::ONE`] and belong to different joints; slots that are not
/// used have joint 0 and weight 0.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SkinWeights {
    slots: usize,
    joints: Vec<u16>,
    weights: Vec<u16>,
}

/// How many joints may move a vertex.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum MaxInfluences {
    /// What every engine takes.
    #[default]
    Four,
    /// Two sets of four.
    Eight,
}

impl MaxInfluences {
    /// As a number.
    pub fn count(self) -> usize {
        match self {
            MaxInfluences::Four => 4,
            MaxInfluences::Eight => 8,
        }
    }
}

impl SkinWeights {
    /// The weight that stands for all.
    pub const ONE: u16 = u16::MAX;

    /// Lists of no vertex yet.
    pub(crate) fn new(max: MaxInfluences) -> SkinWeights {
        SkinWeights { slots: max.count(), joints: Vec::new(), weights: Vec::new() }
    }

    /// The same list for every vertex: all of them move with `joint`.
    pub fn rigid(vertices: usize, joint: u16) -> SkinWeights {
        let mut skin = SkinWeights::new(MaxInfluences::Four);
        for _ in 0..vertices {
            skin.push(&[(joint, 1.0)]);
        }
        skin
    }

    /// Lists as files hold them, in any order and with any sum: the heaviest joints that fit are kept and normalised. A vertex
    /// without weights moves with joint 0.
    pub fn of_lists(max: MaxInfluences, lists: impl Iterator<Item = Vec<(u16, f64)>>) -> SkinWeights {
        let mut skin = SkinWeights::new(max);
        lists.for_each(|list| skin.push_any(list));
        skin
    }

    /// Appends a list as [`SkinWeights::of_lists`] does.
    fn push_any(&mut self, mut list: Vec<(u16, f64)>) {
        list.retain(|(_, weight)| *weight > 0.0 && weight.is_finite());
        list.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        list.dedup_by_key(|(joint, _)| *joint);
        list.truncate(self.slots);
        let total: f64 = list.iter().map(|(_, weight)| weight).sum();
        list.iter_mut().for_each(|(_, weight)| *weight /= total);
        self.push(if list.is_empty() { &[(0, 1.0)] } else { &list });
    }

    /// The same weights with other lists for some vertices, as [`SkinWeights::of_lists`] takes them; `None` keeps the list of a vertex.
    pub(crate) fn replaced(&self, list: impl Fn(usize) -> Option<Vec<(u16, f64)>> + Sync) -> SkinWeights {
        let starts = (0..self.vertices()).into_par_iter().step_by(CHUNK);
        let chunks = starts.map(|start| {
            let mut chunk = SkinWeights { slots: self.slots, joints: Vec::new(), weights: Vec::new() };
            for vertex in start..self.vertices().min(start + CHUNK) {
                match list(vertex) {
                    Some(list) => chunk.push_any(list),
                    None => chunk.copy(self, vertex),
                }
            }
            chunk
        });
        let chunks: Vec<SkinWeights> = chunks.collect();
        let mut all = SkinWeights { slots: self.slots, joints: Vec::new(), weights: Vec::new() };
        chunks.into_iter().for_each(|chunk| all.append(chunk));
        all
    }

    /// Appends the list of a vertex of other weights with as many slots.
    fn copy(&mut self, other: &SkinWeights, vertex: usize) {
        let range = vertex * self.slots..(vertex + 1) * self.slots;
        self.joints.extend_from_slice(&other.joints[range.clone()]);
        self.weights.extend_from_slice(&other.weights[range]);
    }

    /// Whether two vertices have the same list.
    pub(crate) fn are_equal(&self, a: usize, b: usize) -> bool {
        let range = |vertex: usize| vertex * self.slots..(vertex + 1) * self.slots;
        self.joints[range(a)] == self.joints[range(b)] && self.weights[range(a)] == self.weights[range(b)]
    }

    /// Binds a vertex to one joint alone.
    pub fn set_rigid(&mut self, vertex: usize, joint: u16) {
        let range = vertex * self.slots..(vertex + 1) * self.slots;
        self.joints[range.clone()].fill(0);
        self.weights[range.clone()].fill(0);
        (self.joints[range.start], self.weights[range.start]) = (joint, SkinWeights::ONE);
    }

    /// Length of every list, with the slots that are not used: 4 or 8.
    pub fn slots(&self) -> usize {
        self.slots
    }

    /// How many vertices there are.
    pub fn vertices(&self) -> usize {
        self.joints.len() / self.slots
    }

    /// Joints and weights of all vertices, list after list.
    pub fn lists(&self) -> (&[u16], &[u16]) {
        (&self.joints, &self.weights)
    }

    /// The joints that move a vertex, with weights from 0 to 1, the heaviest first.
    pub fn of(&self, vertex: usize) -> impl Iterator<Item = (usize, f64)> + '_ {
        let range = vertex * self.slots..(vertex + 1) * self.slots;
        let pairs = self.joints[range.clone()].iter().zip(&self.weights[range]);
        pairs
            .take_while(|(_, weight)| **weight > 0)
            .map(|(&joint, &weight)| (usize::from(joint), f64::from(weight) / f64::from(SkinWeights::ONE)))
    }

    /// Appends the list of a vertex: at most as many pairs as there are slots, heaviest first, positive, sum one.
    pub(crate) fn push(&mut self, influences: &[(u16, f64)]) {
        let start = self.joints.len();
        self.joints.resize(start + self.slots, 0);
        self.weights.resize(start + self.slots, 0);
        // Largest remainders: everybody gets what fits, the parts left over go to the largest fractions.
        let one = f64::from(SkinWeights::ONE);
        let mut left = u32::from(SkinWeights::ONE);
        for (slot, &(joint, weight)) in influences.iter().enumerate() {
            let floor = ((weight * one) as u32).min(left) as u16;
            (self.joints[start + slot], self.weights[start + slot]) = (joint, floor);
            left -= u32::from(floor);
        }
        let fraction = |slot: usize| (influences[slot].1 * one).fract();
        let mut order: Vec<usize> = (0..influences.len()).collect();
        order.sort_by(|&a, &b| fraction(b).total_cmp(&fraction(a)).then(a.cmp(&b)));
        for &slot in order.iter().cycle().take(left as usize) {
            self.weights[start + slot] += 1;
        }
        // Rounding may have emptied or reordered the tail.
        let mut list: Vec<(u16, u16)> = (start..start + influences.len())
            .map(|slot| (self.weights[slot], self.joints[slot]))
            .filter(|(weight, _)| *weight > 0)
            .collect();
        list.sort_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(&b.1)));
        self.joints[start..].fill(0);
        self.weights[start..].fill(0);
        for (slot, (weight, joint)) in list.into_iter().enumerate() {
            (self.joints[start + slot], self.weights[start + slot]) = (joint, weight);
        }
    }

    /// Appends the lists of other vertices, which have as many slots.
    pub(crate) fn append(&mut self, mut other: SkinWeights) {
        self.joints.append(&mut other.joints);
        self.weights.append(&mut other.weights);
    }

    /// The same weights with other joint indices: joint `j` becomes `indices[j]`. Different joints stay different.
    #[must_use]
    pub fn remapped(&self, indices: &[u16]) -> SkinWeights {
        let mut remapped = self.clone();
        for (joint, &weight) in remapped.joints.iter_mut().zip(&self.weights) {
            *joint = if weight > 0 { indices[usize::from(*joint)] } else { 0 };
        }
        remapped
    }

    /// The same weights with some joints counted to others: what joint `j` has goes to `movers[j]`.
    #[must_use]
    pub(crate) fn folded(&self, movers: &[usize]) -> SkinWeights {
        let max =
            if self.slots > MaxInfluences::Four.count() { MaxInfluences::Eight } else { MaxInfluences::Four };
        let lists = (0..self.vertices()).map(|vertex| {
            let mut list: Vec<(u16, f64)> = Vec::with_capacity(self.slots);
            for (joint, weight) in self.of(vertex) {
                let mover = movers[joint] as u16;
                match list.iter_mut().find(|(other, _)| *other == mover) {
                    Some((_, sum)) => *sum += weight,
                    None => list.push((mover, weight)),
                }
            }
            list
        });
        SkinWeights::of_lists(max, lists)
    }

    /// The lists of `vertices`, one after the other.
    #[must_use]
    pub fn gather(&self, vertices: impl Iterator<Item = usize>) -> SkinWeights {
        let mut gathered = SkinWeights { slots: self.slots, joints: Vec::new(), weights: Vec::new() };
        for vertex in vertices {
            gathered.copy(self, vertex);
        }
        gathered
    }
}
