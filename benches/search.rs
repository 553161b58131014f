//! From packed spheres to placed joints, stage by stage, on a figure of 150 spheres.

#[path = "../tests/common/stick_figure.rs"]
mod stick_figure;

use divan::{Bencher, black_box};
use puppetry::stages::embed::Sphere;
use puppetry::stages::embed::candidates::{CandidateOptions, candidates};
use puppetry::stages::embed::graph::{ConnectOptions, MedialGraph, connect};
use puppetry::stages::embed::search::{SearchOptions, search};
use puppetry::stages::embed::split::split;
use puppetry::stages::io::skeleton_file;
use puppetry::stages::skeleton::{ReducedSkeleton, Skeleton, built_in};
use std::sync::LazyLock;
use stick_figure::{SCALE, StickFigure};

fn main() {
    let graph = &*GRAPH;
    println!("{} spheres, {} edges", graph.spheres.len(), graph.edges.len());
    divan::main();
}

static HUMAN: LazyLock<Skeleton> =
    LazyLock::new(|| skeleton_file::read(built_in()[0].text).expect("a good file"));
static REDUCED: LazyLock<ReducedSkeleton> =
    LazyLock::new(|| ReducedSkeleton::of(&HUMAN).scaled(0.65 * SCALE));
static FIGURE: LazyLock<StickFigure> = LazyLock::new(|| StickFigure::new(&HUMAN));
static SPHERES: LazyLock<Vec<Sphere>> = LazyLock::new(|| FIGURE.spheres(SPACING));
static GRAPH: LazyLock<MedialGraph> = LazyLock::new(connected);

/// It packs 150 spheres into the figure.
const SPACING: f64 = 0.0225;

fn connected() -> MedialGraph {
    connect(SPHERES.clone(), |point| FIGURE.signed_distance(point), &ConnectOptions::default())
}

fn places() -> Vec<Vec<u32>> {
    candidates(&REDUCED, &GRAPH, &[], &CandidateOptions::default())
}

#[divan::bench]
fn connecting() -> MedialGraph {
    connected()
}

#[divan::bench]
fn shortest_paths(bencher: Bencher) {
    bencher.bench(|| MedialGraph::new(black_box(GRAPH.spheres.clone()), GRAPH.edges.clone()));
}

#[divan::bench]
fn choosing_candidates() -> Vec<Vec<u32>> {
    places()
}

#[divan::bench]
fn searching(bencher: Bencher) {
    let places = places();
    bencher.bench(|| search(&REDUCED, &GRAPH, black_box(&places), &SearchOptions::default()));
}

/// The beam behind a search whose limit nothing meets.
#[divan::bench]
fn searching_in_vain(bencher: Bencher) {
    let places = places();
    let options = SearchOptions { limit: 1e-4, ..SearchOptions::default() };
    bencher.bench(|| search(&REDUCED, &GRAPH, black_box(&places), &options));
}

#[divan::bench]
fn splitting(bencher: Bencher) {
    let found = search(&REDUCED, &GRAPH, &places(), &SearchOptions::default()).expect("an embedding");
    bencher.bench(|| split(&REDUCED, &GRAPH, black_box(&found.matches[0].nodes)));
}
