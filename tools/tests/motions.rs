//! The motions that come with puppetry, judged from the files alone: read by a small reader of its own, posed by its own
//! forward kinematics, in the units that `motions/README.md` states.

// Input and expected values, not results: any bits will do.
#![allow(clippy::disallowed_methods)]

use puppetry::stages::math::{Quat, Vec3};
use puppetry_tools::motions::catalogue::{self, Clip};
use puppetry_tools::{motions, repository};
use std::path::PathBuf;

fn folder() -> PathBuf {
    repository().join("motions")
}

fn read(name: &str) -> String {
    let path = folder().join(name);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// A row of the table in the README.
struct Row {
    frames: usize,
    seconds: f64,
    speed: f64,
    loops: bool,
    unit: f64,
    z_up: bool,
    rest_first: bool,
}

fn row(name: &str) -> Row {
    let page = read("README.md");
    let start = format!("| {name} |");
    let line =
        page.lines().find(|line| line.starts_with(&start)).unwrap_or_else(|| panic!("no row for {name}"));
    let cells: Vec<&str> = line.split('|').map(str::trim).collect();
    let number = |cell: usize| cells[cell].parse::<f64>().unwrap();
    Row {
        frames: number(3) as usize,
        seconds: number(4),
        speed: number(5),
        loops: cells[6] == "yes",
        unit: match cells[9] {
            "m" => 1.0,
            "cm" => 0.01,
            "inch" => 0.0254,
            unit => panic!("{name}: unit {unit}"),
        },
        z_up: cells[10] == "Z",
        rest_first: cells[11].contains("frame 0"),
    }
}

struct Joint {
    parent: Option<usize>,
    offset: Vec3,
    end: Option<Vec3>,
    /// Axes of the rotation channels in order.
    axes: Vec<usize>,
}

struct File {
    joints: Vec<Joint>,
    frame_seconds: f64,
    values: Vec<Vec<f64>>,
}

fn numbers(line: &str) -> Vec<f64> {
    line.split_whitespace()
        .map(|word| word.parse().unwrap_or_else(|_| panic!("not a number: {word}")))
        .collect()
}

fn parse(text: &str) -> File {
    let (mut joints, mut open, mut in_end) = (Vec::<Joint>::new(), Vec::<usize>::new(), false);
    let mut lines = text.lines().map(str::trim);
    for line in lines.by_ref() {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        match word {
            "ROOT" | "JOINT" => {
                let parent = open.last().copied();
                open.push(joints.len());
                joints.push(Joint { parent, offset: Vec3::zeros(), end: None, axes: Vec::new() });
            }
            "End" => in_end = true,
            "OFFSET" => {
                let (joint, offset) = (&mut joints[*open.last().unwrap()], Vec3::from_vec(numbers(rest)));
                if in_end { joint.end = Some(offset) } else { joint.offset = offset }
            }
            "CHANNELS" => {
                let rotations = rest.split(' ').filter(|channel| channel.ends_with("rotation"));
                let axes = rotations.map(|channel| usize::from(channel.as_bytes()[0] - b'X')).collect();
                joints[*open.last().unwrap()].axes = axes;
            }
            "}" if in_end => in_end = false,
            "}" => _ = open.pop(),
            "MOTION" => break,
            _ => {}
        }
    }
    let frames: usize = lines.next().unwrap().strip_prefix("Frames: ").unwrap().parse().unwrap();
    let frame_seconds = lines.next().unwrap().strip_prefix("Frame Time: ").unwrap().parse().unwrap();
    let values: Vec<Vec<f64>> = lines.map(numbers).collect();
    assert_eq!(values.len(), frames);
    File { joints, frame_seconds, values }
}

/// One frame in metres, Y up: for each joint its position, its end's position, its local and its world rotation.
struct Pose {
    position: Vec<Vec3>,
    end: Vec<Option<Vec3>>,
    local: Vec<Quat>,
    world: Vec<Quat>,
}

fn pose(file: &File, values: &[f64], row: &Row) -> Pose {
    let up =
        if row.z_up { Quat::from_axis_angle(&Vec3::x_axis(), -90f64.to_radians()) } else { Quat::identity() };
    let axis = [Vec3::x_axis(), Vec3::y_axis(), Vec3::z_axis()];
    let mut pose = Pose { position: Vec::new(), end: Vec::new(), local: Vec::new(), world: Vec::new() };
    let mut angles = values[3..].iter();
    for joint in &file.joints {
        let local = joint.axes.iter().fold(Quat::identity(), |turn, &i| {
            turn * Quat::from_axis_angle(&axis[i], angles.next().unwrap().to_radians())
        });
        let (position, world) = match joint.parent {
            None => (up * Vec3::new(values[0], values[1], values[2]) * row.unit, up * local),
            Some(p) => (pose.position[p] + pose.world[p] * joint.offset * row.unit, pose.world[p] * local),
        };
        pose.position.push(position);
        pose.end.push(joint.end.map(|end| position + world * end * row.unit));
        pose.local.push(local);
        pose.world.push(world);
    }
    pose
}

/// A clip as its file has it, without the rest pose that may come first.
struct Motion {
    clip: Clip,
    row: Row,
    file: File,
    poses: Vec<Pose>,
}

fn motions() -> Vec<Motion> {
    let load = |clip: Clip| {
        let (row, file) = (row(clip.name), parse(&read(&format!("{}.bvh", clip.name))));
        let values = &file.values[usize::from(row.rest_first)..];
        let poses = values.iter().map(|values| pose(&file, values, &row)).collect();
        Motion { clip, row, file, poses }
    };
    catalogue::clips().into_iter().map(load).collect()
}

/// The largest of some figures.
fn largest(figures: impl Iterator<Item = f64>) -> f64 {
    figures.fold(0.0, f64::max)
}

#[test]
fn motions_of_tests_are_what_the_generator_writes() {
    for clip in catalogue::floor_clips() {
        let path = repository().join("tests/data").join(format!("{}.bvh", clip.name));
        let file = std::fs::read_to_string(&path).unwrap();
        assert!(file == clip.bvh(), "{} is not up to date", path.display());
    }
}

#[test]
fn committed_files_are_what_the_generator_writes() {
    let clips = catalogue::clips();
    let mut expected: Vec<(String, String)> =
        clips.iter().map(|clip| (format!("{}.bvh", clip.name), clip.bvh())).collect();
    expected.push(("README.md".into(), catalogue::readme(&clips)));
    let mut total = 0;
    for (name, text) in &expected {
        assert!(
            read(name) == *text,
            "{name} is not up to date: cargo run --release -p puppetry-tools --bin make_motions"
        );
        assert!(text.len() < 400_000, "{name} is {} bytes", text.len());
        total += text.len();
    }
    assert!(total < 3_000_000, "{total} bytes are built into the binary");
    assert_eq!(std::fs::read_dir(folder()).unwrap().count(), expected.len(), "a file that nobody writes");
}

#[test]
fn another_reader_sees_the_same_numbers() {
    for Motion { clip, row, file, .. } in motions() {
        // bvh_anim cuts names at blanks and colons, so names are not compared.
        let other = bvh_anim::from_str(&clip.bvh()).unwrap_or_else(|error| panic!("{}: {error}", clip.name));
        assert_eq!(other.joints().count(), file.joints.len(), "{}", clip.name);
        assert_eq!((file.values.len(), other.frames().count()), (row.frames, row.frames), "{}", clip.name);
        assert!((file.frame_seconds - 1.0 / 60.0).abs() < 1e-6, "{}", clip.name);
        assert!((other.frame_time().as_secs_f64() - file.frame_seconds).abs() < 1e-6, "{}", clip.name);
        for (ours, theirs) in file.values.iter().zip(other.frames()) {
            assert_eq!(ours.len(), theirs.len(), "{}", clip.name);
            assert!(ours.iter().zip(theirs.as_slice()).all(|(a, &b)| (a - f64::from(b)).abs() < 1e-3));
        }
    }
}

#[test]
fn every_dialect_tells_the_same_motion() {
    for motion in motions() {
        let Motion { clip, poses, .. } = &motion;
        for (frame, pose) in clip.frames.iter().zip(poses) {
            for joint in 0..clip.body.joints.len() {
                let authored = motions::pose::position(&clip.body, frame, joint);
                let off = (pose.position[joint] - authored).norm();
                assert!(off < 5e-5, "{}: joint {joint} is {off} m off", clip.name);
            }
        }
        assert_eq!(clip.frames.len(), poses.len());
    }
}

/// Points of a foot by name, with the height they have when they stand on the floor.
fn sole(motion: &Motion, leg: usize, pose: &Pose) -> Vec<(&'static str, Vec3, f64)> {
    let (body, leg) = (&motion.clip.body, &motion.clip.body.legs[leg]);
    let ball = body.rest(leg.toes);
    let mut points =
        vec![("ball", pose.position[leg.toes], ball.y), ("tip", pose.end[leg.toes].unwrap(), 0.0)];
    // The heel is no joint: it is where it is in the rest pose, which `sit` does not have; its feet never move. Dogs
    // stand on their toes.
    if motion.clip.name != "sit" && body.legs.len() == 2 {
        let ankle = pose.position[leg.foot];
        let axes = if motion.row.z_up {
            Quat::from_axis_angle(&Vec3::x_axis(), 90f64.to_radians())
        } else {
            Quat::identity()
        };
        points.push(("heel", ankle + pose.world[leg.foot] * (axes * (leg.heel - body.rest(leg.foot))), 0.0));
    }
    points
}

#[test]
fn planted_feet_are_still_and_soles_stay_above_the_floor() {
    for motion in motions() {
        let name = motion.clip.name;
        for leg in 0..motion.clip.body.legs.len() {
            let soles: Vec<_> = motion.poses.iter().map(|pose| sole(&motion, leg, pose)).collect();
            let mut planted_frames = 0;
            let mut slide: f64 = 0.0;
            for point in 0..soles[0].len() {
                let mut anchor: Option<Vec3> = None;
                for sole in &soles {
                    let (which, at, standing) = sole[point];
                    assert!(
                        at.y - standing > -2e-4,
                        "{name}: {which} of foot {leg} at {} m",
                        at.y - standing
                    );
                    // A foot that has just left is a fraction of a millimetre high and already moves.
                    if at.y - standing > 1.5e-4 {
                        anchor = None;
                        continue;
                    }
                    planted_frames += usize::from(which == "ball");
                    let anchor = anchor.get_or_insert(at);
                    slide = slide.max((at - *anchor).xz().norm());
                }
            }
            assert!(slide < 1e-4, "{name}: foot {leg} slides {slide} m");
            let part = planted_frames as f64 / motion.poses.len() as f64;
            assert!(part > 0.12, "{name}: foot {leg} stands only {part} of the time");
        }
    }
}

#[test]
fn knees_bend_one_way_and_never_lock() {
    for motion in motions() {
        let body = &motion.clip.body;
        for pose in &motion.poses {
            for (i, leg) in body.legs.iter().enumerate() {
                let left = pose.position[body.legs[i & !1].upper] - pose.position[body.legs[i | 1].upper];
                let upper = pose.position[leg.lower] - pose.position[leg.upper];
                let lower = pose.position[leg.foot] - pose.position[leg.lower];
                let bend = upper.angle(&lower).to_degrees();
                assert!(bend > 5.0, "{}: knee {i} at {bend}°", motion.clip.name);
                assert!(
                    upper.cross(&lower).dot(&left) * leg.bends > 0.0,
                    "{}: knee {i} flips",
                    motion.clip.name
                );
            }
        }
    }
}

/// Turn from one frame to the next of each joint, `frame` counted around the loop.
fn step(motion: &Motion, frame: usize, joint: usize) -> Quat {
    let n = motion.poses.len();
    motion.poses[frame % n].local[joint].inverse() * motion.poses[(frame + 1) % n].local[joint]
}

#[test]
fn nothing_pops() {
    for motion in motions() {
        // A galloping dog folds its forelegs within three frames.
        let (fastest, sharpest) = if motion.clip.name == "quad_gallop" { (36.0, 36.0) } else { (25.0, 18.0) };
        let frames = motion.poses.len();
        for joint in 0..motion.file.joints.len() {
            let turned = largest((0..frames - 1).map(|t| step(&motion, t, joint).angle().to_degrees()));
            assert!(turned < fastest, "{}: joint {joint} turns {turned}° in a frame", motion.clip.name);
            let change = |t| step(&motion, t, joint).angle_to(&step(&motion, t + 1, joint)).to_degrees();
            let jerked = largest((0..frames - 2).map(change));
            assert!(jerked < sharpest, "{}: joint {joint} changes by {jerked}° a frame", motion.clip.name);
        }
    }
}

#[test]
fn loops_close_in_pose_and_speed() {
    for motion in motions().iter().filter(|motion| motion.row.loops) {
        let (name, n) = (motion.clip.name, motion.poses.len());
        for joint in 0..motion.file.joints.len() {
            let turned = |t: usize| step(motion, t, joint).angle();
            let within = largest((0..n - 1).map(turned));
            assert!(turned(n - 1) < 1.1 * within + 1e-4, "{name}: joint {joint} jumps at the seam");
            let change = |t: usize| step(motion, t, joint).angle_to(&step(motion, t + 1, joint));
            let within = largest((0..n - 2).map(change));
            let seam = change(n - 2).max(change(n - 1));
            assert!(seam < 1.2 * within + 1e-4, "{name}: joint {joint} kinks at the seam: {seam} > {within}");
        }
        let travel = Vec3::new(0.0, 0.0, motion.row.speed * n as f64 / 60.0);
        let root = |t: usize| motion.poses[t % n].position[0] + travel * (t / n) as f64;
        let change = |t: usize| (root(t + 2) - 2.0 * root(t + 1) + root(t)).norm();
        let within = largest((0..n - 2).map(change));
        let seam = change(n - 2).max(change(n - 1));
        assert!(seam < 1.2 * within + 1e-5, "{name}: the root kinks at the seam: {seam} > {within}");
    }
}

#[test]
fn clips_travel_as_the_readme_says() {
    for motion in motions() {
        let n = motion.poses.len();
        assert!((motion.row.seconds - n as f64 / 60.0).abs() < 0.006, "{}", motion.clip.name);
        let way = motion.poses[n - 1].position[0] - motion.poses[0].position[0];
        let speed = way.z / ((n - 1) as f64 / 60.0);
        assert!((speed - motion.row.speed).abs() < 0.02, "{}: {speed} m/s", motion.clip.name);
        assert!(way.x.abs() < 0.02, "{}: drifts sideways by {}", motion.clip.name, way.x);
    }
}

/// Largest knee flexion over a cycle: Winter 1991 gives about 65° for walking, Novacheck 1998 90° for running and 105° for
/// sprinting.
#[test]
fn walkers_and_runners_move_as_people_do() {
    for (name, knee) in [("walk", 60.0..72.0), ("run", 90.0..108.0)] {
        let motion = motions().into_iter().find(|motion| motion.clip.name == name).unwrap();
        let (body, poses) = (&motion.clip.body, &motion.poses);
        let joint = |name: &str| body.joints.iter().position(|joint| joint.name == name).unwrap();
        let leg = &body.legs[0];
        let flexion = largest(poses.iter().map(|pose| {
            let upper = pose.position[leg.lower] - pose.position[leg.upper];
            upper.angle(&(pose.position[leg.foot] - pose.position[leg.lower])).to_degrees()
        }));
        assert!(knee.contains(&flexion), "{name}: knee bends to {flexion}°");
        let ahead = |pose: &Pose, name: &str| pose.position[joint(name)].z - pose.position[0].z;
        let together: f64 = poses.iter().map(|pose| ahead(pose, "LeftHand") * ahead(pose, "LeftFoot")).sum();
        let against: f64 = poses.iter().map(|pose| ahead(pose, "LeftHand") * ahead(pose, "RightFoot")).sum();
        assert!(against > together, "{name}: the arm swings with the leg of its own side");
        let gaze = |pose: &Pose| (pose.world[joint("Head")] * Vec3::z()).x.abs().asin().to_degrees();
        let turned = largest(poses.iter().map(gaze));
        assert!(turned < 2.0, "{name}: the head turns {turned}°");
    }
}

#[test]
fn the_jump_flies_freely() {
    let motion = motions().into_iter().find(|motion| motion.clip.name == "jump").unwrap();
    let tips = |pose: &Pose| {
        motion.clip.body.legs.iter().map(|leg| pose.end[leg.toes].unwrap().y).fold(9.0, f64::min)
    };
    let flying: Vec<f64> =
        motion.poses.iter().filter(|pose| tips(pose) > 0.05).map(|pose| pose.position[0].y).collect();
    assert!(flying.len() > 15);
    for y in flying.windows(3) {
        let acceleration = (y[0] - 2.0 * y[1] + y[2]) * 3600.0;
        assert!((acceleration + 9.81).abs() < 0.6, "{acceleration} m/s²");
    }
}

/// Frames at which the ball of a foot comes down, as parts of the cycle, of the first cycle that is whole.
fn footfalls(motion: &Motion, cycles: f64) -> Vec<f64> {
    let period = motion.poses.len() as f64 / cycles;
    let falls = |leg: usize| {
        let on = |pose: &Pose| {
            let toes = motion.clip.body.legs[leg].toes;
            pose.position[toes].y < motion.clip.body.rest(toes).y + 1e-3
        };
        let landing = motion.poses.windows(2).position(|pair| !on(&pair[0]) && on(&pair[1])).unwrap();
        (landing as f64 / period).fract()
    };
    (0..motion.clip.body.legs.len()).map(falls).collect()
}

#[test]
fn dogs_put_down_their_feet_in_the_order_of_the_gait() {
    let after = |phase: f64, first: f64| (phase - first).rem_euclid(1.0);
    for motion in motions() {
        match motion.clip.name {
            "quad_walk" => {
                let [hl, hr, fl, fr] = footfalls(&motion, 3.0)[..] else { unreachable!() };
                let order = [fl, hr, fr].map(|phase| after(phase, hl));
                assert!(order.is_sorted(), "hind left, front left, hind right, front right: {order:?}");
            }
            "quad_trot" => {
                let [hl, hr, fl, fr] = footfalls(&motion, 5.0)[..] else { unreachable!() };
                let apart = |a: f64, b: f64| (after(a, b) + 0.5).fract() - 0.5;
                assert!(apart(hl, fr).abs() < 0.1 && apart(hr, fl).abs() < 0.1, "diagonal pairs");
                assert!((after(hr, hl) - 0.5).abs() < 0.05);
            }
            "quad_gallop" => {
                let [hl, hr, fl, fr] = footfalls(&motion, 5.0)[..] else { unreachable!() };
                let order = [hl, fl, fr].map(|phase| after(phase, hr));
                assert!(order.is_sorted(), "hind right, hind left, front left, front right: {order:?}");
            }
            _ => {}
        }
    }
}
