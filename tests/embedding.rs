//! The discrete embedding against Pinocchio's own results, and against a plain evaluation of its formulas.

mod common;

use common::pinocchio::{self, SCALE};
use puppetry::embed::candidates::{CandidateOptions, candidates};
use puppetry::embed::graph::MedialGraph;
use puppetry::embed::search::{Effort, SearchOptions, search};
use puppetry::embed::split::split;
use puppetry::skeleton::ReducedSkeleton;

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
        for (index, (joint, &(own, parent, length, fractions))) in reduced.joints.iter().zip(rows).enumerate() {
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
fn fed_with_pinocchios_graph_it_gives_pinocchios_embedding() {
    for (name, skeleton, golden) in pinocchio::golden() {
        let skeleton = ReducedSkeleton::of(&pinocchio::skeleton(skeleton)).scaled(SCALE);
        let graph = MedialGraph::new(golden.spheres, golden.edges);
        let places = candidates(&skeleton, &graph, &[], &CandidateOptions::default());
        assert_eq!(places, golden.candidates, "{name}");
        let found = search(&skeleton, &graph, &places, &SearchOptions::default()).expect(name);
        let joints = split(&skeleton, &graph, &golden.matched);
        let error = joints.iter().zip(&golden.split).map(|(a, b)| (a - b).norm()).fold(0.0, f64::max);
        println!(
            "{name}: {:?} cost {:.7}, {} expansions, queue {}, nodes {:?}, split {error:.1e}",
            found.effort,
            found.matches[0].cost,
            found.expansions,
            found.longest_queue,
            found.matches[0].nodes,
        );
        assert_eq!((&found.matches[0].nodes, found.effort), (&golden.matched, Effort::Optimal), "{name}");
        assert_eq!(joints.len(), golden.split.len());
        assert!(error < 1e-9, "{name}: {error}");
    }
}
