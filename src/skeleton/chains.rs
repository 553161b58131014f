//! Roles from geometry alone: chains of joints matched against known bodies by dynamic programming.
//!
//! After Bharaj, Thormählen, Seidel & Theobalt 2012, Automatically Rigging Multi-component Characters, section 3.4: limbs
//! are matched by cost, and joints within limbs in consecutive order by dynamic programming. Here limbs are chains of the
//! tree (maximal paths without branches), and the tree is matched bottom-up, so that an arm can only be an arm of the
//! chest that it hangs on:
//!
//! `M(u, v) = c(u, v) + min over injective π: Σ M(a, π(a)) + Σ skipped`
//!
//! where a chain may also match two that follow one another, because a helper branches off between them.

use super::figure::Figure;
use super::roles::{Reason, Roles, common_ancestor, limb_starts};
use crate::math::{Bounds, Vec3, ln};
use crate::skeleton::naming::{Limb, Role, Segment, Side};

/// Weights of the cost of matching two chains: their directions, lengths, heights and sideways positions of their ends,
/// numbers of joints, and sides. A wrong side must cost more than everything else together usually does.
const DIRECTION: f64 = 1.0;
const LENGTH: f64 = 0.7;
const HEIGHT: f64 = 0.5;
const LATERAL: f64 = 0.5;
const JOINTS: f64 = 0.3;
const SIDE: f64 = 2.0;
/// Chains shorter than this part of the total count as so long in the logarithm of lengths.
const SHORTEST_SHARE: f64 = 0.02;
/// Off the middle by more than this part of the height, the end of a chain has a side.
const OFF_MIDDLE: f64 = 0.03;
/// Paths between branches shorter than this part of the height are no chains of their own: hips beside a root, shoulders
/// that leave a spine one after the other.
const SHORT_TRUNK: f64 = 0.06;
/// Leaving a joint out costs as much as finding it displaced by this part of its chain.
const GAP: f64 = 0.07;
/// More children or chains than these are no body; a hostile file is cut there.
const MOST_CHILDREN: usize = 8;
const MOST_CHAINS: usize = 64;
const MOST_JOINTS: usize = 2_000;
const MOST_IN_LIMB: usize = 24;
/// Above this mean cost of a chain a match is no match.
const WORST: f64 = 1.2;

/// A joint of a known body: its role, the row of its parent, its position in parts of the height.
type Row = (Role, usize, [f64; 3]);

const fn arm(segment: Segment) -> Role {
    Role::Limb(Limb::Arm, Side::Left, segment)
}
const fn fore(segment: Segment) -> Role {
    Role::Limb(Limb::FrontLeg, Side::Left, segment)
}
const fn leg(segment: Segment) -> Role {
    Role::Limb(Limb::Leg, Side::Left, segment)
}

use Segment::{End, Girdle, Lower, Tip, Toes, Upper};

/// The middle and the left side of an adult with level arms; proportions after Drillis & Contini 1966 (Winter, Biomechanics,
/// table 4.1).
const HUMAN: [Row; 17] = [
    (Role::Hips, 0, [0.0, 0.53, 0.0]),
    (Role::Spine, 0, [0.0, 0.60, 0.0]),
    (Role::Spine, 1, [0.0, 0.68, 0.0]),
    (Role::Spine, 2, [0.0, 0.75, 0.0]),
    (Role::Neck, 3, [0.0, 0.85, 0.0]),
    (Role::Head, 4, [0.0, 0.90, 0.0]),
    (Role::HeadTip, 5, [0.0, 1.0, 0.0]),
    (arm(Girdle), 3, [0.02, 0.81, 0.0]),
    (arm(Upper), 7, [0.11, 0.82, 0.0]),
    (arm(Lower), 8, [0.28, 0.82, 0.0]),
    (arm(End), 9, [0.43, 0.82, 0.0]),
    (arm(Tip), 10, [0.51, 0.82, 0.0]),
    (leg(Upper), 0, [0.055, 0.51, 0.0]),
    (leg(Lower), 12, [0.055, 0.28, 0.0]),
    (leg(End), 13, [0.055, 0.04, 0.0]),
    (leg(Toes), 14, [0.055, 0.01, 0.08]),
    (leg(Tip), 15, [0.055, 0.0, 0.12]),
];

/// The middle and the left side of a dog on its toes.
const ANIMAL: [Row; 20] = [
    (Role::Hips, 0, [0.0, 0.70, -0.40]),
    (Role::Spine, 0, [0.0, 0.72, -0.10]),
    (Role::Spine, 1, [0.0, 0.70, 0.20]),
    (Role::Neck, 2, [0.0, 0.80, 0.38]),
    (Role::Head, 3, [0.0, 0.95, 0.55]),
    (Role::HeadTip, 4, [0.0, 0.90, 0.78]),
    (fore(Girdle), 2, [0.05, 0.72, 0.26]),
    (fore(Upper), 6, [0.11, 0.58, 0.34]),
    (fore(Lower), 7, [0.11, 0.36, 0.24]),
    (fore(End), 8, [0.11, 0.12, 0.27]),
    (fore(Toes), 9, [0.11, 0.04, 0.29]),
    (fore(Tip), 10, [0.11, 0.0, 0.34]),
    (leg(Upper), 0, [0.10, 0.64, -0.42]),
    (leg(Lower), 12, [0.10, 0.40, -0.34]),
    (leg(End), 13, [0.10, 0.20, -0.52]),
    (leg(Toes), 14, [0.10, 0.04, -0.46]),
    (leg(Tip), 15, [0.10, 0.0, -0.40]),
    (Role::Tail, 0, [0.0, 0.72, -0.50]),
    (Role::Tail, 17, [0.0, 0.66, -0.62]),
    (Role::Tail, 18, [0.0, 0.55, -0.75]),
];

/// A body with both sides: behind each left limb its mirror image.
fn both_sides(rows: &[Row]) -> Vec<Row> {
    let limb = |row: &Row| row.0.limb().map(|(limb, ..)| limb);
    let mut body: Vec<Row> = Vec::new();
    // For each row its index in the body.
    let mut indices: Vec<usize> = Vec::new();
    for rows in rows.chunk_by(|a, b| limb(a) == limb(b)) {
        let (first, left) = (indices.len(), body.len());
        for is_right in [false, true].into_iter().take(if limb(&rows[0]).is_some() { 2 } else { 1 }) {
            let start = body.len();
            body.extend(rows.iter().map(|&(role, parent, [x, y, z])| {
                let parent = if parent < first { indices[parent] } else { start + parent - first };
                if is_right { (role.mirrored(), parent, [-x, y, z]) } else { (role, parent, [x, y, z]) }
            }));
        }
        indices.extend(left..left + rows.len());
    }
    body
}

/// The roles of a figure by its shape, from the known body that it is most like. `None` if it is like none.
pub fn by_geometry(figure: &Figure) -> Option<Roles> {
    if figure.names.len() > MOST_JOINTS {
        return None;
    }
    let tree = Tree::of_figure(figure)?;
    let mut best: Option<Match> = None;
    for (rows, is_person) in [(&HUMAN[..], true), (&ANIMAL[..], false)] {
        let body = both_sides(rows);
        let (cost, pairs) = Matching::new(&tree, &Tree::of_body(&body)).best();
        if best.as_ref().is_none_or(|best| cost < best.cost) {
            best = Some(Match { cost, pairs, body, is_person });
        }
    }
    let best = best?;
    let mean = best.cost / best.pairs.len().max(1) as f64;
    if mean > WORST {
        return None;
    }
    let mut roles = Roles::none(figure.names.len());
    let confidence = (1.0 - 0.5 * mean).clamp(0.1, 0.9);
    for pair in &best.pairs {
        best.assign(figure, pair, confidence, &mut roles);
    }
    let thighs = limb_starts(&roles, &[Limb::Leg]);
    if thighs.len() < 2 {
        return None;
    }
    let hips = common_ancestor(figure, &thighs)?;
    roles.set(hips, Role::Hips, Reason::Geometry, confidence);
    Some(roles)
}

/// Chains of the figure with rows of a body.
struct Match {
    cost: f64,
    pairs: Vec<Pair>,
    body: Vec<Row>,
    is_person: bool,
}

impl Match {
    /// Gives the joints of a chain the roles of the chain that it matches.
    fn assign(&self, figure: &Figure, (joints, rows): &Pair, confidence: f64, roles: &mut Roles) {
        let mut set = |joint: usize, role: Role| {
            let is_tip = matches!(role, Role::HeadTip | Role::Limb(_, _, Segment::Tip));
            if is_tip || !figure.is_end[joint] {
                roles.set(joint, role, Reason::Geometry, confidence);
            }
        };
        match rows.last().map(|&row| self.body[row].0) {
            Some(role @ (Role::Spine | Role::Tail)) => joints.iter().for_each(|&joint| set(joint, role)),
            Some(end @ (Role::HeadTip | Role::Head)) => {
                // The last joint, or the first that a face branches off, is the head; what is before it is the neck. Two
                // joints are neck and head rather than a head and its top.
                let has_face = |&joint: &usize| figure.branches.has_bush(joint);
                let is_end = joints.last().is_some_and(|&joint| figure.is_end[joint]);
                let is_top = end == Role::HeadTip && !joints.last().is_some_and(has_face);
                let is_tip = joints.len() > 1 && is_end || joints.len() > 2 && is_top;
                let last = joints.len() - 1 - usize::from(is_tip);
                let head = joints.iter().position(has_face).unwrap_or(last).min(last);
                joints[..head].iter().for_each(|&joint| set(joint, Role::Neck));
                for (&joint, role) in joints[head..].iter().zip([Role::Head, Role::HeadTip]) {
                    set(joint, role);
                }
            }
            Some(Role::Limb(..)) => {
                let limb = LimbPoints::new(figure, joints);
                let pairs = if self.is_person && limb.positions.len() <= MOST_IN_LIMB {
                    limb.by_bones(&self.body, rows)
                } else {
                    limb.by_arc(&self.body, rows)
                };
                pairs.into_iter().for_each(|(joint, row)| set(joints[joint], self.body[rows[row]].0));
            }
            _ => {}
        }
    }
}

/// The row of a segment among the rows of a limb.
fn row_of(body: &[Row], rows: &[usize], segment: Segment) -> Option<usize> {
    rows.iter().position(|&row| matches!(body[row].0, Role::Limb(_, _, s) if s == segment))
}

/// A limb of a figure without the joints that are in the position of another.
struct LimbPoints {
    /// Indices in the list of joints that it was made from.
    indices: Vec<usize>,
    /// In parts of the height.
    positions: Vec<Vec3>,
    /// The position of the branch that it hangs on.
    start: Vec3,
    has_end: bool,
}

/// How much nearer than this part of the limb joints are one.
const SAME_POSITION: f64 = 0.01;
/// How much an upper joint that is displaced by the height costs, against a bone that is e times too long or too short.
const DISPLACED: f64 = 4.0;
/// Thigh and shank, and upper arm and forearm, keep their proportion better than their lengths.
const PROPORTION: f64 = 0.5;

impl LimbPoints {
    fn new(figure: &Figure, joints: &[usize]) -> LimbPoints {
        let bounds = Bounds::of(&figure.positions);
        let height = bounds.extent().y.max(f64::MIN_POSITIVE);
        let ground = Vec3::new(figure.positions[0].x, bounds.min.y, figure.positions[0].z);
        let scaled = |joint: usize| (figure.positions[joint] - ground) / height;
        let start = scaled(figure.parents[joints[0]].unwrap_or(joints[0]));
        // Fingers fold; behind a wrist with several of them one end is enough.
        let is_bush = |joint: usize| figure.branches.has_bush(joint);
        let last = joints
            .iter()
            .position(|&joint| is_bush(joint))
            .map_or(joints.len(), |bush| (bush + 2).min(joints.len()));
        let joints = &joints[..last];
        let chord = (scaled(joints[joints.len() - 1]) - start).norm();
        let mut limb = LimbPoints { indices: Vec::new(), positions: Vec::new(), start, has_end: false };
        for (index, &joint) in joints.iter().enumerate() {
            let position = scaled(joint);
            if limb.positions.last().is_some_and(|before| (position - before).norm() < SAME_POSITION * chord)
            {
                continue;
            }
            limb.indices.push(index);
            limb.positions.push(position);
        }
        let last = limb.indices[limb.indices.len() - 1];
        limb.has_end = figure.is_end[joints[last]] || (last > 0 && is_bush(joints[last - 1]));
        limb
    }

    /// Arms and legs of people: the three joints whose bones are most like those of the body. What is before them is a
    /// collar bone, what is behind them toes and a tip.
    fn by_bones(&self, body: &[Row], rows: &[usize]) -> Vec<(usize, usize)> {
        let row_of = |segment: Segment| row_of(body, rows, segment);
        let [Some(upper), Some(lower), Some(end)] = [Upper, Lower, End].map(row_of) else {
            return Vec::new();
        };
        let model = |row: usize| Vec3::from(body[rows[row]].2);
        let (long, short) = ((model(lower) - model(upper)).norm(), (model(end) - model(lower)).norm());
        let at = |point: usize| self.positions[point];
        // Along the limb, because that does not depend on how it is bent.
        let mut along = vec![0.0];
        along.extend(lengths(&self.positions));
        // The end site of a limb is no joint.
        let count = self.positions.len() - usize::from(self.has_end && self.positions.len() > 3);
        let mut best: Option<(f64, [usize; 3])> = None;
        for i in 0..count {
            for j in i + 1..count {
                for k in j + 1..count {
                    let (a, b) = (along[j] - along[i], along[k] - along[j]);
                    let cost = ln(a / long).abs()
                        + ln(b / short).abs()
                        + PROPORTION * ln(a / b / (long / short)).abs()
                        + DISPLACED * (at(i) - model(upper)).norm();
                    if best.is_none_or(|(least, _)| cost < least) {
                        best = Some((cost, [i, j, k]));
                    }
                }
            }
        }
        let Some((_, [i, j, k])) = best else { return Vec::new() };
        let mut pairs = vec![(i, Some(upper)), (j, Some(lower)), (k, Some(end))];
        if i > 0 {
            pairs.push((i - 1, row_of(Girdle)));
        }
        let last = self.positions.len() - 1;
        if last > k && self.has_end {
            pairs.push((last, row_of(Tip)));
        }
        if k + 1 < last || (k + 1 == last && !self.has_end) {
            pairs.push((k + 1, row_of(Toes)));
        }
        pairs.into_iter().filter_map(|(point, row)| Some((self.indices[point], row?))).collect()
    }

    /// Legs of animals: by arc length.
    fn by_arc(&self, body: &[Row], rows: &[usize]) -> Vec<(usize, usize)> {
        let ours = arc(&start(self.start, self.positions.iter().copied()));
        // A limb without an end site ends with its last joint: a paw or toes.
        let (shortest, longest) =
            if self.has_end { (rows.len(), rows.len()) } else { (rows.len() - 2, rows.len() - 1) };
        let mut best: Option<(f64, Vec<(usize, usize)>)> = None;
        for length in (shortest.max(1)..=longest).rev() {
            let rows = &rows[..length];
            let position = |row: usize| Vec3::from(body[row].2);
            let theirs = arc(&start(position(body[rows[0]].1), rows.iter().map(|&row| position(row))));
            let (cost, pairs) = align(&ours, &theirs, [GAP, GAP]);
            let matched: Vec<usize> = pairs.iter().map(|&(_, row)| rows[row]).collect();
            let has_all =
                [Upper, Lower, End].iter().all(|&segment| row_of(body, &matched, segment).is_some());
            let cost = cost + if has_all { 0.0 } else { 1.0 };
            if best.as_ref().is_none_or(|(least, _)| cost < *least) {
                best = Some((cost, pairs));
            }
        }
        let mut pairs = best.map_or(Vec::new(), |(_, pairs)| pairs);
        // A leg with one joint below its knee ends with a foot, not with toes.
        if let (Some(end), Some(toes)) = (row_of(body, rows, End), row_of(body, rows, Toes))
            && !pairs.iter().any(|&(_, row)| row == end)
            && let Some(pair) = pairs.iter_mut().find(|(_, row)| *row == toes)
        {
            pair.1 = end;
        }
        pairs.into_iter().map(|(point, row)| (self.indices[point], row)).collect()
    }
}

fn start(first: Vec3, others: impl Iterator<Item = Vec3>) -> Vec<Vec3> {
    std::iter::once(first).chain(others).collect()
}

/// Length of the path from the first point to each of the others.
fn lengths(points: &[Vec3]) -> impl Iterator<Item = f64> + '_ {
    points.windows(2).scan(0.0, |length, pair| {
        *length += (pair[1] - pair[0]).norm();
        Some(*length)
    })
}

/// How far along the path each point but the first lies, from 0 to 1.
pub(crate) fn arc(points: &[Vec3]) -> Vec<f64> {
    let total = lengths(points).last().unwrap_or(0.0).max(f64::MIN_POSITIVE);
    lengths(points).map(|length| length / total).collect()
}

/// The cheapest pairing of two increasing sequences in order: a pair costs its difference, a value of `a` or of `b`
/// that is left out its gap, and the last of both belong together. Returns the cost and the pairs.
pub(crate) fn align(a: &[f64], b: &[f64], [gap_a, gap_b]: [f64; 2]) -> (f64, Vec<(usize, usize)>) {
    let (n, m) = (a.len(), b.len());
    if n == 0 || m == 0 {
        return (0.0, Vec::new());
    }
    // cost[i][j]: of the first i and j values.
    let mut cost = vec![vec![0.0; m]; n];
    for i in 0..n {
        for j in 0..m {
            cost[i][j] = if i == 0 || j == 0 {
                i as f64 * gap_a + j as f64 * gap_b
            } else {
                let pair = cost[i - 1][j - 1] + (a[i - 1] - b[j - 1]).abs();
                pair.min(cost[i - 1][j] + gap_a).min(cost[i][j - 1] + gap_b)
            };
        }
    }
    let mut pairs = vec![(n - 1, m - 1)];
    let (mut i, mut j) = (n - 1, m - 1);
    while i > 0 && j > 0 {
        if cost[i][j] == cost[i - 1][j - 1] + (a[i - 1] - b[j - 1]).abs() {
            (i, j) = (i - 1, j - 1);
            pairs.push((i, j));
        } else if cost[i][j] == cost[i - 1][j] + gap_a {
            i -= 1;
        } else {
            j -= 1;
        }
    }
    pairs.reverse();
    (cost[n - 1][m - 1] + (a[n - 1] - b[m - 1]).abs(), pairs)
}

/// A path without branches, from behind the branch above it to its own end.
#[derive(Debug, Clone)]
struct Chain {
    joints: Vec<usize>,
    children: Vec<usize>,
    /// Where it begins: the branch above it.
    start: Vec3,
    end: Vec3,
    length: f64,
    /// Length of it and everything below.
    total: f64,
    /// The same without the top of the head, or without what hangs on it, where it ends so.
    without_tip: Option<Box<Chain>>,
}

impl Chain {
    /// A chain that ends with an earlier joint; `None` if that is the last one.
    fn cut_behind(&self, last: usize, positions: &[Vec3]) -> Option<Box<Chain>> {
        if last + 1 >= self.joints.len() {
            return None;
        }
        let kept = &self.joints[..=last];
        let length = |pair: &[usize]| (positions[pair[1]] - positions[pair[0]]).norm();
        let shorter: f64 = self.joints[last..].windows(2).map(length).sum();
        Some(Box::new(Chain {
            joints: kept.to_vec(),
            children: Vec::new(),
            start: self.start,
            end: positions[kept[last]],
            length: self.length - shorter,
            total: self.total - shorter,
            without_tip: None,
        }))
    }
}

/// The chains of a figure or of a known body; the first holds the root. Lengths are in parts of the height, heights
/// above the ground.
#[derive(Debug, Clone)]
struct Tree {
    chains: Vec<Chain>,
}

impl Tree {
    fn of_figure(figure: &Figure) -> Option<Tree> {
        let body = |joint: usize| figure.branches.body_children(joint).collect::<Vec<_>>();
        let bounds = Bounds::of(
            figure.positions.iter().enumerate().filter(|(j, _)| figure.branches.is_body[*j]).map(|(_, p)| p),
        );
        let height = bounds.extent().y;
        if !(height > 0.0) {
            return None;
        }
        let ground = Vec3::new(figure.positions[0].x, bounds.min.y, 0.5 * (bounds.min.z + bounds.max.z));
        let positions: Vec<Vec3> =
            figure.positions.iter().map(|position| (position - ground) / height).collect();
        // A root on the floor below the body is no part of it.
        let first = std::iter::successors(Some(0), |&joint| match body(joint)[..] {
            [only] => Some(only),
            _ => None,
        });
        let branch = first.last().filter(|&branch| figure.positions[branch].y > figure.positions[0].y);
        let mut tree = Tree::build(branch.unwrap_or(0), &positions, &body)?;
        // Behind a skull, hair may be longer than the neck before it, and hang anywhere.
        for chain in tree.chains.iter_mut().filter(|chain| chain.children.is_empty()) {
            if let Some(bush) = chain.joints.iter().position(|&joint| figure.branches.has_bush(joint)) {
                chain.without_tip = chain.cut_behind(bush, &positions);
            }
        }
        Some(tree)
    }

    fn of_body(body: &[Row]) -> Tree {
        let positions: Vec<Vec3> = body.iter().map(|row| Vec3::from(row.2)).collect();
        let children = |row: usize| (1..body.len()).filter(|&child| body[child].1 == row).collect();
        let mut tree = Tree::build(0, &positions, &children).expect("a known body has few chains");
        for chain in &mut tree.chains {
            if chain.joints.last().is_some_and(|&last| body[last].0 == Role::HeadTip) {
                chain.without_tip = chain.cut_behind(chain.joints.len() - 2, &positions);
            }
        }
        tree
    }

    fn build(root: usize, positions: &[Vec3], children: &dyn Fn(usize) -> Vec<usize>) -> Option<Tree> {
        let mut chains: Vec<Chain> = Vec::new();
        // First joints of chains to come, with the chain above and the position of the branch.
        let mut stack: Vec<(usize, Option<usize>, Vec3)> = vec![(root, None, positions[root])];
        while let Some((first, parent, start)) = stack.pop() {
            let mut joints = vec![first];
            let mut at = start;
            let mut length = 0.0;
            let next = loop {
                let joint = *joints.last().expect("a chain has a joint");
                length += (positions[joint] - at).norm();
                at = positions[joint];
                let next = children(joint);
                match next[..] {
                    [only] => joints.push(only),
                    _ => break next,
                }
            };
            // A short trunk between two branches is part of the branch above it.
            if let Some(parent) = parent
                && !next.is_empty()
                && length < SHORT_TRUNK
            {
                stack.extend(next.iter().rev().map(|&child| (child, Some(parent), at)));
                continue;
            }
            let index = chains.len();
            if index >= MOST_CHAINS {
                return None;
            }
            if let Some(parent) = parent {
                chains[parent].children.push(index);
            }
            chains.push(Chain {
                joints,
                children: Vec::new(),
                start,
                end: at,
                length,
                total: length,
                without_tip: None,
            });
            stack.extend(next.iter().rev().map(|&child| (child, Some(index), at)));
        }
        for index in (0..chains.len()).rev() {
            let below: f64 = chains[index].children.iter().map(|&child| chains[child].total).sum();
            chains[index].total += below;
            let mut children = std::mem::take(&mut chains[index].children);
            children.sort_by(|&a, &b| chains[b].total.total_cmp(&chains[a].total).then(a.cmp(&b)));
            children.truncate(MOST_CHILDREN);
            chains[index].children = children;
        }
        Some(Tree { chains })
    }

    fn total(&self) -> f64 {
        self.chains[0].total.max(f64::MIN_POSITIVE)
    }

    /// A chain and one of its children as one chain.
    fn joined(&self, chain: usize, child: usize) -> Chain {
        let (upper, lower) = (&self.chains[chain], &self.chains[child]);
        Chain {
            joints: upper.joints.iter().chain(&lower.joints).copied().collect(),
            children: lower.children.clone(),
            start: upper.start,
            end: lower.end,
            length: upper.length + lower.length,
            total: upper.total,
            without_tip: None,
        }
    }
}

/// Joints of the figure and rows of the body whose chains are matched.
type Pair = (Vec<usize>, Vec<usize>);

/// How the chains below a pair of chains are matched.
#[derive(Debug, Clone)]
struct Cell {
    cost: f64,
    /// The joints and rows of this pair.
    pair: Pair,
    /// The pairs below it.
    below: Vec<(usize, usize)>,
}

struct Matching<'t> {
    ours: &'t Tree,
    theirs: &'t Tree,
    cells: Vec<Vec<Cell>>,
}

impl<'t> Matching<'t> {
    /// Fills the table from the leaves up: children have larger numbers than their parents.
    fn new(ours: &'t Tree, theirs: &'t Tree) -> Matching<'t> {
        let blank = Cell { cost: 0.0, pair: (Vec::new(), Vec::new()), below: Vec::new() };
        let cells = vec![vec![blank; theirs.chains.len()]; ours.chains.len()];
        let mut matching = Matching { ours, theirs, cells };
        for u in (0..ours.chains.len()).rev() {
            for v in (0..theirs.chains.len()).rev() {
                matching.cells[u][v] = matching.cell(u, v);
            }
        }
        matching
    }

    fn cell(&self, u: usize, v: usize) -> Cell {
        let (own, their) = (&self.ours.chains[u], &self.theirs.chains[v]);
        let mut best = self.candidate(own, their, 0.0);
        for &child in &own.children {
            let skipped = self.skipped(self.ours, &own.children, child);
            best = better(best, self.candidate(&self.ours.joined(u, child), their, skipped));
        }
        for &child in &their.children {
            let skipped = self.skipped(self.theirs, &their.children, child);
            best = better(best, self.candidate(own, &self.theirs.joined(v, child), skipped));
        }
        // Many skeletons end with their last joint, at the base of the skull, not with its top.
        if let Some(shorter) = &their.without_tip {
            best = better(best, self.candidate(own, shorter, 0.0));
            if let Some(own) = &own.without_tip {
                best = better(best, self.candidate(own, shorter, 0.0));
                best = better(best, self.candidate(own, their, 0.0));
            }
        }
        best
    }

    /// What it costs to leave out all children but one.
    fn skipped(&self, tree: &Tree, children: &[usize], kept: usize) -> f64 {
        children.iter().filter(|&&child| child != kept).map(|&child| skip(tree, child)).sum()
    }

    fn candidate(&self, own: &Chain, their: &Chain, skipped: f64) -> Cell {
        let (below_cost, below) = self.assign(&own.children, &their.children);
        Cell {
            cost: self.cost(own, their) + below_cost + skipped,
            pair: (own.joints.clone(), their.joints.clone()),
            below,
        }
    }

    fn cost(&self, own: &Chain, their: &Chain) -> f64 {
        let direction = |chain: &Chain| (chain.end - chain.start).try_normalize(1e-6);
        let rotated = match (direction(own), direction(their)) {
            (Some(a), Some(b)) => (1.0 - a.dot(&b)) / 2.0,
            _ => 0.0,
        };
        let share = |tree: &Tree, chain: &Chain| (chain.length / tree.total()).max(SHORTEST_SHARE);
        let longer = ln(share(self.ours, own) / share(self.theirs, their)).abs();
        let side = |chain: &Chain| match chain.end.x {
            x if x > OFF_MIDDLE => 1,
            x if x < -OFF_MIDDLE => -1,
            _ => 0,
        };
        let joints = ln((1.0 + own.joints.len() as f64) / (1.0 + their.joints.len() as f64)).abs();
        DIRECTION * rotated
            + LENGTH * longer
            + HEIGHT * (own.end.y - their.end.y).abs()
            + LATERAL * (own.end.x - their.end.x).abs()
            + JOINTS * joints
            + SIDE * f64::from(u8::from(side(own) != side(their)))
    }

    /// The cheapest pairing of children, any of which may be left out: exact, over sets of theirs.
    fn assign(&self, ours: &[usize], theirs: &[usize]) -> (f64, Vec<(usize, usize)>) {
        let sets = 1usize << theirs.len();
        let skip_ours: Vec<f64> = ours.iter().map(|&chain| skip(self.ours, chain)).collect();
        // cost[k][set]: the first k of ours paired with exactly the set of theirs; and the last choice.
        let mut cost = vec![vec![f64::INFINITY; sets]; ours.len() + 1];
        let mut choice = vec![vec![usize::MAX; sets]; ours.len() + 1];
        cost[0][0] = 0.0;
        for (k, &u) in ours.iter().enumerate() {
            for set in 0..sets {
                let so_far = cost[k][set];
                if !so_far.is_finite() {
                    continue;
                }
                let mut improve = |set: usize, new: f64, chosen: usize| {
                    if new < cost[k + 1][set] {
                        cost[k + 1][set] = new;
                        choice[k + 1][set] = chosen;
                    }
                };
                improve(set, so_far + skip_ours[k], usize::MAX);
                for (index, &v) in theirs.iter().enumerate().filter(|(index, _)| set & (1 << index) == 0) {
                    improve(set | 1 << index, so_far + self.cells[u][v].cost, index);
                }
            }
        }
        let left_out = |set: usize| -> f64 {
            theirs
                .iter()
                .enumerate()
                .filter(|(index, _)| set & (1 << index) == 0)
                .map(|(_, &v)| skip(self.theirs, v))
                .sum()
        };
        let total = |set: usize| cost[ours.len()][set] + left_out(set);
        let mut set =
            (0..sets).min_by(|&a, &b| total(a).total_cmp(&total(b))).expect("there is the empty set");
        let least = total(set);
        let mut pairs = Vec::new();
        for k in (1..=ours.len()).rev() {
            let index = choice[k][set];
            if index != usize::MAX {
                pairs.push((ours[k - 1], theirs[index]));
                set &= !(1 << index);
            }
        }
        pairs.reverse();
        (least, pairs)
    }

    /// The cost of matching the roots, and all pairs of chains.
    fn best(&self) -> (f64, Vec<Pair>) {
        let mut pairs = Vec::new();
        let mut stack = vec![(0, 0)];
        while let Some((u, v)) = stack.pop() {
            let cell = &self.cells[u][v];
            pairs.push(cell.pair.clone());
            stack.extend(cell.below.iter().rev());
        }
        (self.cells[0][0].cost, pairs)
    }
}

/// What it costs to leave a chain and everything below it out: as much as it is of the body, so that no large part is left
/// out to save a rotation.
fn skip(tree: &Tree, chain: usize) -> f64 {
    SKIP * tree.chains[chain].total / tree.total()
}

/// A limb of a fifth of the body costs as much as a chain in the wrong direction.
const SKIP: f64 = 6.0;

fn better(a: Cell, b: Cell) -> Cell {
    if b.cost < a.cost { b } else { a }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sequence_is_aligned_with_itself_and_with_less_of_it() {
        let a = [0.1, 0.4, 0.6, 1.0];
        assert_eq!(align(&a, &a, [GAP, GAP]), (0.0, vec![(0, 0), (1, 1), (2, 2), (3, 3)]));
        let (cost, pairs) = align(&a, &[0.4, 1.0], [GAP, GAP]);
        assert_eq!(pairs, [(1, 0), (3, 1)]);
        assert!((cost - 2.0 * GAP).abs() < 1e-12);
        assert_eq!(align(&[0.38, 1.0], &a, [GAP, GAP]).1, [(0, 1), (1, 3)]);
        assert_eq!(align(&[1.0], &[1.0], [GAP, GAP]).1, [(0, 0)]);
    }

    #[test]
    fn known_bodies_match_themselves_and_not_each_other() {
        let [human, animal] = [&HUMAN[..], &ANIMAL[..]].map(|rows| Tree::of_body(&both_sides(rows)));
        for tree in [&human, &animal] {
            let (cost, pairs) = Matching::new(tree, tree).best();
            assert!(cost < 1e-9, "{cost}");
            assert!(pairs.iter().all(|(ours, theirs)| ours == theirs));
        }
        assert!(Matching::new(&human, &animal).best().0 > 2.0);
    }
}
