//! The discrete embedding against Pinocchio's own results, and against a plain evaluation of its formulas.

// Input and expected values, not results: any bits will do.
#![allow(clippy::disallowed_methods)]

mod common;

use common::pinocchio;
use common::stick_figure::{self, StickFigure};
use proptest::prelude::*;
use puppetry::stages::embed::Sphere;
use puppetry::stages::embed::candidates::{CandidateOptions, Hint, candidates};
use puppetry::stages::embed::graph::{ConnectOptions, MedialGraph, connect};
use puppetry::stages::embed::penalty::{JointPlacement, NodeSet, Penalty, PenaltyOptions, TERMS};
use puppetry::stages::embed::search::{Effort, Found, SearchError, SearchOptions, search};
use puppetry::stages::embed::split::split;
use puppetry::stages::io::skeleton_file;
use puppetry::stages::math::Vec3;
use puppetry::stages::skeleton::{ReducedSkeleton, Skeleton, built_in};

#[test]
fn the_reduced_skeletons_of_pinocchio_have_its_lengths_and_fractions() {
    // Joint, parent, length, fractions along the chain.
    type Row = (&'static str, &'static str, f64, &'static [f64]);
    let quad: [Row; 8] = [
        ("shoulders", "", 0.0, &[]),
        ("hips", "shoulders", 1.0, &[0.5, 0.5]),
        ("head", "shoulders", 0.5085, &[0.4691, 0.5309]),
        ("lhfoot", "hips", 0.9531, &[0.1574, 0.4229, 0.4197]),
        ("rhfoot", "hips", 0.9531, &[0.1574, 0.4229, 0.4197]),
        ("lffoot", "shoulders", 1.0, &[0.2, 0.4, 0.4]),
        ("rffoot", "shoulders", 1.0, &[0.2, 0.4, 0.4]),
        ("tail", "hips", 0.2, &[1.0]),
    ];
    let mut horse = quad;
    for leg in &mut horse[3..5] {
        *leg = (leg.0, leg.1, 0.9683, &[0.1549, 0.2191, 0.2129, 0.4131]);
    }
    let arm: &[f64] = &[0.2332, 0.3834, 0.3834];
    let leg: &[f64] = &[0.0996, 0.3523, 0.4484, 0.0996];
    let hind: &[f64] = &[0.1564, 0.4234, 0.4202];
    let human: [Row; 7] = [
        ("shoulders", "", 0.0, &[]),
        ("hips", "shoulders", 0.5, &[0.7, 0.3]),
        ("head", "shoulders", 0.2, &[1.0]),
        ("lfoot", "hips", 1.0036, leg),
        ("rfoot", "hips", 1.0036, leg),
        ("lhand", "shoulders", 0.8576, arm),
        ("rhand", "shoulders", 0.8576, arm),
    ];
    let centaur: [Row; 11] = [
        ("shoulders", "", 0.0, &[]),
        ("hips", "shoulders", 1.0, &[0.5, 0.5]),
        ("hshoulders", "shoulders", 0.5, &[0.5, 0.5]),
        ("head", "hshoulders", 0.2, &[1.0]),
        ("lhfoot", "hips", 0.9593, hind),
        ("rhfoot", "hips", 0.9593, hind),
        ("lffoot", "shoulders", 1.0, &[0.2, 0.4, 0.4]),
        ("rffoot", "shoulders", 1.0, &[0.2, 0.4, 0.4]),
        ("lhand", "hshoulders", 0.8576, arm),
        ("rhand", "hshoulders", 0.8576, arm),
        ("tail", "hips", 0.2, &[1.0]),
    ];
    let expected: [(&str, &[Row]); 4] =
        [("human", &human), ("quad", &quad), ("horse", &horse), ("centaur", &centaur)];
    for (name, rows) in expected {
        let skeleton = pinocchio::skeleton(name);
        let reduced = ReducedSkeleton::of(&skeleton);
        assert_eq!(reduced.joints.len(), rows.len(), "{name}");
        let name_of = |joint: usize| skeleton.joints[reduced.joints[joint].full].name.as_str();
        for (index, (joint, &(own, parent, length, fractions))) in reduced.joints.iter().zip(rows).enumerate()
        {
            assert_eq!((name_of(index), joint.parent.map_or("", name_of)), (own, parent));
            assert!((joint.length - length).abs() < 5e-5, "{name} {own}: {}", joint.length);
            assert_eq!(joint.chain.len(), fractions.len());
            for (link, fraction) in joint.chain.iter().zip(fractions) {
                assert!((link.fraction - fraction).abs() < 5.1e-5, "{name} {own}: {}", link.fraction);
            }
            let partner = joint.partner.map(name_of);
            let is_pair = own.ends_with("foot") || own.ends_with("hand");
            assert_eq!(partner.is_some(), is_pair, "{name} {own}");
            assert!(partner.is_none_or(|partner| partner != own && partner[1..] == own[1..]));
        }
    }
}

#[test]
fn pinocchios_edges_lie_between_those_of_an_empty_and_of_a_solid_world() {
    for (name, _, golden) in pinocchio::golden() {
        let edges = |depth: f64| {
            let options = ConnectOptions { repair: false, ..ConnectOptions::default() };
            connect(golden.spheres.clone(), |_| -depth, &options).edges
        };
        let (overlaps, gabriel) = (edges(-1.0), edges(1.0));
        println!(
            "{name}: {} overlaps, {} edges, {} at most",
            overlaps.len(),
            golden.edges.len(),
            gabriel.len()
        );
        assert!(overlaps.iter().all(|edge| golden.edges.contains(edge)), "{name}");
        assert!(golden.edges.iter().all(|edge| gabriel.contains(edge)), "{name}");
    }
}

#[test]
fn with_exact_distances_nearly_all_edges_are_pinocchios() {
    for (name, _, golden) in pinocchio::golden() {
        let field = pinocchio::exact_field(name);
        let options = ConnectOptions { repair: false, ..ConnectOptions::default() };
        let edges = connect(golden.spheres, |p| field.signed_distance(p).unwrap(), &options).edges;
        let differ = edges.iter().filter(|edge| !golden.edges.contains(edge)).count()
            + golden.edges.iter().filter(|edge| !edges.contains(edge)).count();
        println!("{name}: {differ} of {} edges differ", golden.edges.len());
        // Pinocchio interpolates its field with an error of 0.003.
        assert!(differ <= golden.edges.len() / 50, "{name}: {differ}");
    }
}

#[test]
fn fed_with_pinocchios_graph_it_gives_pinocchios_embedding() {
    for (name, skeleton, golden) in pinocchio::golden() {
        let skeleton = ReducedSkeleton::of(&pinocchio::skeleton(skeleton)).scaled(pinocchio::SCALE);
        let graph = MedialGraph::new(golden.spheres, golden.edges);
        let places = candidates(&skeleton, &graph, &[], &CandidateOptions::default());
        assert_eq!(places, golden.candidates, "{name}");
        let found = search(&skeleton, &graph, &places, &SearchOptions::default()).expect(name);
        let joints = split(&skeleton, &graph, &golden.matched);
        let error = joints.iter().zip(&golden.split).map(|(a, b)| (a - b).norm()).fold(0.0, f64::max);
        println!(
            "{name}: {:?} cost {:.7}, {} steps, queue {}, nodes {:?}, split {error:.1e}",
            found.effort, found.matches[0].cost, found.steps, found.longest_queue, found.matches[0].nodes,
        );
        assert_eq!((&found.matches[0].nodes, found.effort), (&golden.matched, Effort::Optimal), "{name}");
        assert_eq!(joints.len(), golden.split.len());
        assert!(error < 1e-9, "{name}: {error}");
    }
}

/// Pinocchio's penalties as the formulas say them: nothing tabulated, nothing shared with the library but the data.
struct Plain<'a> {
    skeleton: &'a ReducedSkeleton,
    graph: &'a MedialGraph,
    distances: Vec<Vec<f64>>,
}

impl Plain<'_> {
    fn new<'a>(skeleton: &'a ReducedSkeleton, graph: &'a MedialGraph) -> Plain<'a> {
        let count = graph.spheres.len();
        let mut distances = vec![vec![f64::INFINITY; count]; count];
        for (node, row) in distances.iter_mut().enumerate() {
            row[node] = 0.0;
        }
        for &[a, b] in &graph.edges {
            let (a, b) = (a as usize, b as usize);
            distances[a][b] = (graph.spheres[a].center - graph.spheres[b].center).norm();
            distances[b][a] = distances[a][b];
        }
        for via in 0..count {
            for a in 0..count {
                for b in 0..count {
                    distances[a][b] = distances[a][b].min(distances[a][via] + distances[via][b]);
                }
            }
        }
        Plain { skeleton, graph, distances }
    }

    fn distance(&self, a: u32, b: u32) -> f64 {
        self.distances[a as usize][b as usize]
    }

    fn radius(&self, node: u32) -> f64 {
        self.graph.spheres[node as usize].radius
    }

    fn direction(&self, from: u32, to: u32) -> Vec3 {
        (self.graph.center(to) - self.graph.center(from)).normalize()
    }

    fn is_limb(&self, c: usize) -> bool {
        let children = self.skeleton.joints.iter().filter(|joint| joint.parent == Some(c)).count();
        children + usize::from(self.skeleton.joints[c].parent.is_some()) == 1
    }

    /// The nine weighted terms of placing joint `c` in `q` after `nu`.
    fn terms(&self, nu: &[u32], c: usize, q: u32) -> [f64; 9] {
        const INFINITE: f64 = 1e10;
        let joints = &self.skeleton.joints;
        let Some(p) = joints[c].parent else { return [0.0; 9] };
        let parent = nu[p];
        let length: f64 = joints[c].chain.iter().map(|link| link.bone.norm()).sum();
        let d = self.distance(q, parent);
        let d_plus = d + 0.7 * (self.radius(q) + self.radius(parent));

        let rho = (length / d_plus).clamp(0.5, 2.0);
        let dist = if d_plus < length / 2.0 { INFINITE } else { (2.0 * (rho - 0.5)).powi(3) };

        let mut gdir = 0.0;
        for (i, &node) in nu.iter().enumerate() {
            if (i != p && joints[i].parent != Some(p)) || node == q {
                continue;
            }
            let rest = (joints[c].position - joints[i].position).normalize();
            let kappa = self.direction(node, q).dot(&rest);
            gdir += match (i == p, kappa) {
                (true, k) if k < 0.0 => INFINITE,
                (true, k) => f64::max(0.0, 16.0 * (1.0 - k) * (1.0 - k) - 0.1) / 2.0,
                (false, k) if k < -0.5 => INFINITE,
                (false, k) => f64::max(0.0, 4.0 * (1.0 - k) * (1.0 - k) - 0.5) / 2.0,
            };
        }

        let mut sym = 0.0;
        if let Some(s) = joints[c].partner.filter(|&s| s < nu.len()) {
            let other = nu[joints[s].parent.unwrap()];
            let e = self.distance(nu[s], other);
            let e_plus = e + 0.7 * (self.radius(nu[s]) + self.radius(other));
            let rho_1 = f64::min(2.0, f64::max(d / (e + 1e-8), e / (d + 1e-8)));
            let rho_2 = f64::max(e / d_plus, d / e_plus);
            sym = f64::max(0.0, (0.2 * rho_1 + 0.8 * rho_2).powi(3) - 1.2);
        }

        let mut taken = Vec::new();
        for (i, &node) in nu.iter().enumerate() {
            if let Some(above) = joints[i].parent {
                taken.extend(self.graph.path(node, nu[above]));
            }
        }
        let path: Vec<u32> = self.graph.path(q, parent).collect();
        let mut double = 0.0;
        for (i, node) in path[..path.len() - 1].iter().enumerate() {
            if taken.contains(node) {
                double += if self.radius(*node) < 0.02 { INFINITE } else { 0.5 / ((i + 1) as f64).powi(2) };
            }
        }
        if double > 0.0 {
            double += 0.5;
        }

        let lowest = self.graph.spheres.iter().map(|sphere| sphere.center.y).fold(1.0, f64::min);
        let foot = if joints[c].is_foot { self.graph.center(q).y - lowest } else { 0.0 };
        let dup = f64::from(u8::from(q == parent));

        let psi = |k: f64| {
            (1.0 - k)
                * match k {
                    k if k < -0.5 => 6.0,
                    k if k > 0.0 => 1.0,
                    k => 1.0 - 10.0 * k,
                }
        };
        let mut dir = 0.0;
        if q != parent {
            let mut points = vec![self.graph.center(parent)];
            if joints[c].chain.len() == 1 {
                points.push(self.graph.center(q));
            } else {
                let mut arc = 0.0;
                for link in &joints[c].chain {
                    arc += d * link.fraction;
                    points.push(self.at_arc(&self.graph.path(parent, q).collect::<Vec<_>>(), arc));
                }
            }
            for (link, ends) in joints[c].chain.iter().zip(points.windows(2)) {
                let k = (ends[1] - ends[0]).normalize().dot(&link.bone.normalize());
                dir += 50.0 * link.bone.norm_squared() * psi(k) * psi(k);
            }
        }

        let mut ext = 0.0;
        if self.is_limb(c) && q != parent {
            let g = self.direction(parent, q);
            for &o in self.graph.neighbors(q) {
                if self.radius(q) <= 2.0 * self.radius(o)
                    && self.direction(parent, o).dot(&g) > 0.95
                    && self.direction(q, o).dot(&g) > 0.8
                {
                    ext = 1.0;
                }
            }
        }

        let mut disj = 0.0;
        for (i, &node) in nu.iter().enumerate().filter(|&(i, _)| i != p) {
            let above = |mut joint: usize| {
                let mut list = vec![joint];
                while let Some(parent) = joints[joint].parent {
                    joint = parent;
                    list.push(joint);
                }
                list
            };
            let a = nu[*above(c).iter().find(|joint| above(i).contains(joint)).unwrap()];
            let radii = self.radius(q) + self.radius(node);
            let via = self.distance(q, a) + self.distance(a, node);
            if (via + radii) / (self.distance(q, node) + radii) > 2.0 {
                disj += 1.0;
            }
        }

        let weights = [0.027, 0.023, 0.007, 0.046, 0.014, 0.012, 0.072, 0.005, 0.033];
        let basis = [dist, gdir, sym, double, foot, dup, dir, ext, disj];
        std::array::from_fn(|term| weights[term] * basis[term])
    }

    /// The point of a path at an arc length.
    fn at_arc(&self, path: &[u32], arc: f64) -> Vec3 {
        let mut before = 0.0;
        for ends in path.windows(2) {
            let [a, b] = [self.graph.center(ends[0]), self.graph.center(ends[1])];
            let length = (b - a).norm();
            if arc < before + length + 1e-6 {
                return a + (b - a) * ((arc - before) / length);
            }
            before += length;
        }
        self.graph.center(path[0])
    }

    /// The costs of all complete embeddings below 1, ascending.
    fn all_costs(&self) -> Vec<(f64, Vec<u32>)> {
        let mut partial = vec![(0.0, Vec::new())];
        for joint in 0..self.skeleton.joints.len() {
            let mut longer = Vec::new();
            for (cost, nu) in &partial {
                for q in 0..self.graph.spheres.len() as u32 {
                    let terms = self.terms(nu, joint, q);
                    let total = cost + terms.iter().sum::<f64>();
                    if terms.iter().all(|&term| term <= 1.0) && total < 1.0 {
                        longer.push((total, [nu.as_slice(), &[q]].concat()));
                    }
                }
            }
            partial = longer;
        }
        partial.sort_by(|a, b| a.0.total_cmp(&b.0));
        partial
    }
}

/// A small animal: a trunk, a head, two legs with knees, an arm on one side.
fn small_skeleton() -> Skeleton {
    let text = "puppetry-skeleton 1
        name small
        joint hips - 0 0.5 0 torso
        joint back hips 0 0.7 0
        joint chest back 0 0.9 0 torso
        pair lknee rknee hips 0.15 0.25 0
        pair lfoot rfoot lknee 0.2 0 0 foot
        joint head chest 0 1.2 0.1
        joint arm chest 0.4 0.8 0";
    skeleton_file::read(text).unwrap()
}

/// A graph that looks like the skeleton, more or less, with some more spheres and edges.
fn any_scene() -> impl Strategy<Value = (ReducedSkeleton, MedialGraph)> {
    let jitter = || prop::collection::vec(prop::array::uniform3(-0.06..0.06f64), 9);
    let more = prop::collection::vec((prop::array::uniform3(0.0..1.0f64), 0..9u32, 0..9u32), 0..2);
    let shortcuts = prop::collection::vec((0..9u32, 0..9u32), 0..3);
    (jitter(), prop::collection::vec(0.01..0.1f64, 11), more, shortcuts, 0.5..1.0f64).prop_map(
        |(jitter, radii, more, shortcuts, scale)| {
            let skeleton = small_skeleton();
            let mut centers: Vec<Vec3> = skeleton
                .joints
                .iter()
                .zip(&jitter)
                .map(|(joint, j)| joint.position * 0.8 + Vec3::from(*j))
                .collect();
            let mut edges: Vec<[u32; 2]> = skeleton
                .joints
                .iter()
                .enumerate()
                .filter_map(|(index, joint)| Some([joint.parent? as u32, index as u32]))
                .collect();
            for (place, a, b) in more {
                let new = centers.len() as u32;
                centers.push(Vec3::from(place));
                edges.extend([[a, new], [b, new]]);
            }
            edges.extend(shortcuts.into_iter().filter(|(a, b)| a != b).map(|(a, b)| [a.min(b), a.max(b)]));
            edges.sort_unstable();
            edges.dedup();
            let spheres =
                centers.into_iter().zip(radii).map(|(center, radius)| Sphere { center, radius }).collect();
            (ReducedSkeleton::of(&skeleton).scaled(scale), MedialGraph::new(spheres, edges))
        },
    )
}

fn everywhere(skeleton: &ReducedSkeleton, graph: &MedialGraph) -> Vec<Vec<u32>> {
    vec![(0..graph.spheres.len() as u32).collect(); skeleton.joints.len()]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_search_finds_what_trying_everything_finds((skeleton, graph) in any_scene()) {
        let plain = Plain::new(&skeleton, &graph);
        let expected = plain.all_costs();
        let options = SearchOptions { alternatives: 5, best_effort: false, ..SearchOptions::default() };
        let found = search(&skeleton, &graph, &everywhere(&skeleton, &graph), &options);
        match found {
            Err(_) => prop_assert_eq!(expected.len(), 0),
            Ok(found) => {
                prop_assert_eq!(found.matches.len(), expected.len().min(5));
                for (found, (cost, _)) in found.matches.iter().zip(&expected) {
                    prop_assert!((found.cost - cost).abs() < 1e-9, "{} {}", found.cost, cost);
                    for (joint, &node) in found.nodes.iter().enumerate() {
                        let terms = plain.terms(&found.nodes[..joint], joint, node);
                        for (a, b) in terms.iter().zip(&found.terms[joint]) {
                            prop_assert!((a - b).abs() < 1e-9);
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn every_term_is_that_of_the_formula((skeleton, graph) in any_scene(), picks in prop::collection::vec(0..9u32, 7)) {
        let plain = Plain::new(&skeleton, &graph);
        let penalty = Penalty::new(&skeleton, &graph, &PenaltyOptions::default());
        let mut taken = NodeSet::new(graph.spheres.len());
        for (joint, &node) in picks.iter().enumerate().take(skeleton.joints.len()) {
            let parent_node = skeleton.joints[joint].parent.map_or(node, |parent| picks[parent]);
            let placement = JointPlacement { joint, node, parent_node, matched: &picks[..joint], taken: &taken };
            let terms = penalty.terms(&placement);
            for (term, (a, b)) in plain.terms(&picks[..joint], joint, node).iter().zip(&terms).enumerate() {
                // Two placements that are forbidden need not be so by the same number.
                let equal = (a - b).abs() < 1e-9 || (*a > 1e6 && *b > 1e6);
                prop_assert!(equal, "{}: {a} {b}", TERMS[term].name);
            }
            if joint > 0 {
                graph.path(node, parent_node).for_each(|node| { taken.insert(node); });
            }
        }
    }

    #[test]
    fn there_is_always_an_answer_and_its_cost_explains_itself((skeleton, graph) in any_scene(), limit in 0.0..0.2f64) {
        let options = SearchOptions { limit, alternatives: 3, ..SearchOptions::default() };
        let found = search(&skeleton, &graph, &everywhere(&skeleton, &graph), &options).unwrap();
        for found in &found.matches {
            prop_assert_eq!(found.nodes.len(), skeleton.joints.len());
            prop_assert!((found.cost - found.terms.iter().flatten().sum::<f64>()).abs() < 1e-12);
        }
        let costs: Vec<f64> = found.matches.iter().map(|found| found.cost).collect();
        prop_assert!(costs.windows(2).all(|pair| pair[0] <= pair[1] + 1e-12));
        if found.effort == Effort::OverLimit {
            // The beam finds what the limit forbade, if there is something.
            if let Some((best, _)) = Plain::new(&skeleton, &graph).all_costs().first() {
                prop_assert!((costs[0] - best).abs() < 1e-9, "{} {}", costs[0], best);
            }
        } else {
            prop_assert!(costs[0] < limit);
        }
    }
}

/// A figure around one of our skeletons, with its graph.
struct Scene {
    skeleton: Skeleton,
    reduced: ReducedSkeleton,
    graph: MedialGraph,
}

impl Scene {
    fn new(index: usize) -> Scene {
        let skeleton = skeleton_file::read(built_in()[index].text).unwrap();
        let figure = StickFigure::new(&skeleton);
        let graph = connect(figure.spheres(0.026), |p| figure.signed_distance(p), &ConnectOptions::default());
        let reduced = ReducedSkeleton::of(&skeleton).scaled(0.65 * stick_figure::SCALE);
        Scene { skeleton, reduced, graph }
    }

    fn search(&self, hints: &[Hint], options: SearchOptions) -> Result<Found, SearchError> {
        let places = candidates(&self.reduced, &self.graph, hints, &CandidateOptions::default());
        let penalty = PenaltyOptions { hints: hints.to_vec(), ..options.penalty };
        search(&self.reduced, &self.graph, &places, &SearchOptions { penalty, ..options })
    }

    /// Where the joints of an embedding are.
    fn joints(&self, found: &Found) -> Vec<Vec3> {
        split(&self.reduced, &self.graph, &found.matches[0].nodes)
    }

    fn truth(&self, name: &str) -> Vec3 {
        StickFigure::place(&self.skeleton, self.skeleton.find(name).unwrap())
    }
}

#[test]
fn our_skeletons_are_found_in_figures_of_their_own_shape() {
    for index in 0..4 {
        let scene = Scene::new(index);
        assert!(scene.graph.gaps.is_empty());
        let found = scene.search(&[], SearchOptions::default()).unwrap();
        let joints = scene.joints(&found);
        println!(
            "{}: {} spheres, {:?}, cost {:.4}, {} steps, queue {}",
            scene.skeleton.name,
            scene.graph.spheres.len(),
            found.effort,
            found.matches[0].cost,
            found.steps,
            found.longest_queue
        );
        assert_eq!(found.effort, Effort::Optimal);
        for (index, joint) in scene.skeleton.joints.iter().enumerate() {
            let error = (joints[index] - StickFigure::place(&scene.skeleton, index)).norm();
            assert!(error < 0.12, "{} {}: {error:.3}", scene.skeleton.name, joint.name);
        }
    }
}

#[test]
fn hints_are_followed_for_kept_and_for_merged_joints() {
    let scene = Scene::new(0);
    let joint = |name: &str| scene.skeleton.find(name).unwrap();
    let plain = scene.joints(&scene.search(&[], SearchOptions::default()).unwrap());

    // A hint for the hand at the elbow: the hand must be in a sphere there.
    let elbow = scene.truth("LeftLowerArm");
    let hint = Hint { full: joint("LeftHandTip"), point: elbow };
    let found = scene.search(&[hint], SearchOptions::default()).unwrap();
    let hand = scene.joints(&found)[hint.full];
    assert!((hand - elbow).norm() < 0.03, "{hand}");
    assert!((plain[hint.full] - elbow).norm() > 0.1);

    // A hint for the elbow, which the search does not know: the chain must pass nearer than without it.
    let hint = Hint { full: joint("LeftLowerArm"), point: scene.truth("LeftHand") };
    let found = scene.search(&[hint], SearchOptions::default()).unwrap();
    let moved = scene.joints(&found)[hint.full];
    assert!((moved - hint.point).norm() < (plain[hint.full] - hint.point).norm() - 0.01);
}

#[test]
fn a_search_without_steps_or_memory_gives_its_best_effort() {
    let scene = Scene::new(0);
    let best = scene.search(&[], SearchOptions::default()).unwrap();
    for options in [
        SearchOptions { steps: 2, ..SearchOptions::default() },
        SearchOptions { queue: 10, ..SearchOptions::default() },
    ] {
        let found = scene.search(&[], options.clone()).unwrap();
        assert_eq!(found.effort, Effort::OutOfBounds);
        // It is not promised, but on a clean figure the beam comes close.
        assert!(found.matches[0].cost < best.matches[0].cost + 0.05);
        let refused = scene.search(&[], SearchOptions { best_effort: false, ..options });
        assert!(matches!(refused, Err(SearchError::NoMatch { out_of_bounds: true, .. })), "{refused:?}");
    }
}

#[test]
fn a_single_sphere_has_an_answer_and_no_sphere_an_error() {
    let human = ReducedSkeleton::of(&skeleton_file::read(built_in()[0].text).unwrap()).scaled(0.6);
    let graph = |spheres| MedialGraph::new(spheres, Vec::new());
    let places = |graph: &MedialGraph| candidates(&human, graph, &[], &CandidateOptions::default());

    let one = graph(vec![Sphere { center: Vec3::repeat(0.5), radius: 0.05 }]);
    let found = search(&human, &one, &places(&one), &SearchOptions::default()).unwrap();
    assert_eq!((found.effort, &found.matches[0].nodes), (Effort::OverLimit, &vec![0; 7]));
    assert!(found.matches[0].cost > 1.0 && found.matches[0].cost.is_finite());

    let none = graph(Vec::new());
    let error = search(&human, &none, &places(&none), &SearchOptions::default()).unwrap_err();
    assert_eq!(error, SearchError::NoCandidates { joint: 0, spheres: 0 });
}

#[test]
fn alternatives_are_apart() {
    let scene = Scene::new(0);
    let options = SearchOptions { alternatives: 4, separation: 0.1, ..SearchOptions::default() };
    let found = scene.search(&[], options).unwrap();
    assert_eq!(found.matches.len(), 4);
    for (index, one) in found.matches.iter().enumerate() {
        for other in &found.matches[..index] {
            assert!(other.cost <= one.cost + 1e-12);
            let moved = one.nodes.iter().zip(&other.nodes);
            assert!(
                moved.map(|(&a, &b)| (scene.graph.center(a) - scene.graph.center(b)).norm()).any(|d| d > 0.1)
            );
        }
    }
}

#[test]
fn one_thread_and_two_give_the_same() {
    let run = |threads: usize| {
        rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(|| {
            let scene = Scene::new(1);
            let strict = scene.search(&[], SearchOptions { alternatives: 3, ..SearchOptions::default() });
            let beam = scene.search(&[], SearchOptions { steps: 1, ..SearchOptions::default() });
            (scene.graph.edges, strict, beam)
        })
    };
    assert_eq!(run(1), run(2));
}
