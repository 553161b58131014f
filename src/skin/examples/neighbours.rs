//! The vertices beside each vertex of a surface.

/// For each vertex those that share an edge with it, in increasing order.
pub(super) fn neighbours(vertices: usize, triangles: &[[u32; 3]]) -> Vec<Vec<u32>> {
    let mut beside: Vec<Vec<u32>> = vec![Vec::new(); vertices];
    for &[a, b, c] in triangles {
        for (from, to) in [(a, b), (b, c), (c, a)] {
            beside[from as usize].push(to);
            beside[to as usize].push(from);
        }
    }
    for own in &mut beside {
        own.sort_unstable();
        own.dedup();
    }
    beside
}
