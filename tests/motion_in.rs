//! Motions of every convention, from their bytes to roles, maps and contacts.

mod common;

use common::{corpus_files, files, puppetry, root};
use proptest::prelude::*;
use puppetry::stages::io;
use puppetry::stages::math::{Quat, Vec3};
use puppetry::stages::motion::{Motion, Pose, find_cycle};
use puppetry::stages::retarget::contacts::{ContactOptions, detect, states};
use puppetry::stages::retarget::joint_map::RotationSource;
use puppetry::stages::retarget::{Source, SourceOptions, in_place_velocity, map_joints};
use puppetry::stages::skeleton::Figure;
use puppetry::stages::skeleton::naming::{Role, Segment};
use puppetry::stages::skeleton::{Skeleton, built_in};
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// The motions that come with puppetry and, those of the corpus, where there is one.
fn motions() -> Vec<PathBuf> {
    let mut motions = files(&root().join("motions"), ".bvh");
    motions.extend(corpus_files(".bvh"));
    motions
}

fn load(path: &Path) -> Motion {
    let (motion, _) = io::load_motion(path).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(motion.broken_invariant(), None, "{}", path.display());
    motion
}

fn name(path: &Path) -> String {
    path.file_name().unwrap().to_string_lossy().into_owned()
}

fn source(motion: &Motion) -> Source {
    Source::of(motion, &SourceOptions::default())
}

fn skeleton(name: &str) -> Skeleton {
    let file = built_in().iter().find(|file| file.name == name).unwrap();
    io::skeleton_file::read(file.text).unwrap()
}

/// The same motion with names that say nothing.
fn nameless(motion: &Motion) -> Motion {
    let mut nameless = motion.clone();
    for (index, joint) in nameless.joints.iter_mut().enumerate() {
        joint.name = format!("j{index}");
    }
    nameless
}

/// The roles that a person gave the joints of a file: `file<TAB>joint<TAB>role`, end sites left out.
fn expected_roles(file: &str) -> Vec<(String, String)> {
    let table = include_str!("golden/roles.txt");
    let mut rows = Vec::new();
    for line in table.lines() {
        let cells: Vec<&str> = line.split('\t').collect();
        if cells[0] == file {
            rows.push((cells[1].to_owned(), cells[2].to_owned()));
        }
    }
    rows
}

/// `BLESS=1` writes the table anew; every line of it was checked against a picture.
#[test]
fn every_joint_has_the_role_that_a_person_gives_it() {
    let mut table = String::new();
    for path in motions() {
        let motion = load(&path);
        let source = source(&motion);
        let file = name(&path);
        let mut found = Vec::new();
        for (joint, data) in motion.joints.iter().enumerate().filter(|(_, joint)| !joint.is_end) {
            let role = source.figure.roles.roles[joint].map_or("-".to_owned(), |role| role.to_string());
            writeln!(table, "{file}\t{}\t{role}", data.name).unwrap();
            found.push((data.name.clone(), role));
        }
        if std::env::var_os("BLESS").is_none() {
            assert_eq!(found, expected_roles(&file), "{file}");
        }
    }
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(root().join("tests/golden/roles.txt"), table).unwrap();
    }
}

/// Every limb joint of the human or the quadruped is moved, by the joint of the same side and segment.
#[test]
fn every_motion_moves_all_limbs_of_a_character() {
    for path in motions() {
        let source = source(&load(&path));
        let target =
            Figure::of_skeleton(&skeleton(if source.figure.is_quadruped() { "quadruped" } else { "human" }));
        let map = map_joints(&target, &source.figure);
        assert_eq!(map.legs.len(), if source.figure.is_quadruped() { 4 } else { 2 }, "{}", name(&path));
        for joint in (0..target.names.len()).filter(|&joint| !target.is_end[joint]) {
            let Some((_, side, segment)) = target.roles.roles[joint].and_then(Role::limb) else { continue };
            let Some(found) = map.matches[joint] else {
                // Some motions have no collar bones or toes.
                let is_optional = matches!(segment, Segment::Girdle | Segment::Toes);
                assert!(is_optional, "{}: {} is not moved", name(&path), target.names[joint]);
                continue;
            };
            let RotationSource::Joint(from) = found.origin else { panic!("limbs are not blended") };
            let (_, from_side, _) = source.figure.roles.roles[from].and_then(Role::limb).unwrap();
            assert_eq!(side, from_side, "{}: {}", name(&path), target.names[joint]);
            assert!(found.confidence >= 0.8, "{}: {}", name(&path), target.names[joint]);
        }
    }
}

/// Without names geometry finds the same limbs. Animators' rigs with feet outside of their legs are the exception.
#[test]
fn limbs_are_found_without_names() {
    for path in motions().into_iter().filter(|path| name(path) != "quad_pug_walk.bvh") {
        let motion = load(&path);
        let named = source(&motion);
        let found = source(&nameless(&motion));
        assert_eq!(found.up, named.up, "{}", name(&path));
        for (joint, role) in named.figure.roles.roles.iter().enumerate() {
            let Some(role) = *role else { continue };
            let by_shape = found.figure.roles.roles[joint];
            let counts = match role {
                Role::Hips | Role::Head => true,
                // Hocks and feet of animals are counted differently by different makers.
                Role::Limb(_, _, Segment::Hock | Segment::End | Segment::Toes)
                    if named.figure.is_quadruped() =>
                {
                    false
                }
                Role::Limb(_, _, Segment::Upper | Segment::Lower | Segment::End) => true,
                _ => false,
            };
            if counts {
                let joint = &motion.joints[joint].name;
                assert_eq!(by_shape, Some(role), "{}: {joint}", name(&path));
            }
        }
    }
}

#[test]
fn up_axis_rest_frame_and_unit_are_seen() {
    for (file, up, has_rest, unit) in [
        ("walk.bvh", "+Y", true, "cm"),
        ("dance.bvh", "+Z", false, "cm"),
        ("idle.bvh", "+Y", false, "m"),
        ("sneak.bvh", "+Y", false, "inch"),
        ("sit.bvh", "+Y", false, "cm"),
        ("quad_trot.bvh", "+Y", false, "m"),
        ("walk_cmu.bvh", "+Y", true, "inch / 0.45"),
        ("run_mixamo_names.bvh", "+Y", true, "inch / 0.45"),
        ("jump_biovision_names.bvh", "+Y", true, "inch / 0.45"),
        ("dab_fair.bvh", "+Z", false, "inch"),
        ("walk_makehuman_names.bvh", "+Z", false, "dm"),
        ("quad_fox_run.bvh", "+Y", false, "cm"),
    ] {
        let Some(path) = motions().into_iter().find(|path| name(path) == file) else { continue };
        let motion = load(&path);
        let source = source(&motion);
        let found = (source.up.to_string(), motion.rest.is_some(), source.unit().0);
        assert_eq!(found, (up.to_owned(), has_rest, unit), "{file}");
        assert!(!source.is_mirrored, "{file}");
        assert!(source.score > 0.9, "{file}: {} scores {}", source.kind, source.score);
    }
}

/// A file whose sides are named the wrong way round is reported, not mended.
#[test]
fn swapped_sides_are_reported() {
    let mut motion = load(&root().join("motions/run.bvh"));
    for joint in &mut motion.joints {
        joint.name = joint.name.replace("Left", "#").replace("Right", "Left").replace('#', "Right");
    }
    assert!(source(&motion).is_mirrored);
}

/// Turning, scaling and moving a file changes nothing but that.
#[test]
fn roles_and_contacts_do_not_depend_on_unit_and_axes() {
    let motion = load(&root().join("motions/walk.bvh"));
    let turn = Quat::from_axis_angle(&Vec3::x_axis(), std::f64::consts::FRAC_PI_2);
    let mut other = motion.clone();
    for joint in &mut other.joints {
        joint.offset = turn * joint.offset * 0.3;
    }
    other.rotations.values.iter_mut().for_each(|rotation| *rotation = turn * *rotation * turn.inverse());
    other
        .translations
        .values
        .iter_mut()
        .for_each(|place| *place = turn * *place * 0.3 + Vec3::new(5.0, 6.0, 7.0));
    let (a, b) = (source(&motion), source(&other));
    assert_eq!(b.up.to_string(), "+Z");
    assert_eq!(a.figure.roles, b.figure.roles);
    assert!((a.figure.leg_length() * 0.3 - b.figure.leg_length()).abs() < 1e-9 * a.figure.leg_length());
    let options = ContactOptions::default();
    assert_eq!(detect(&motion, &a, &options), detect(&other, &b, &options));
}

/// Positions as another reader sees them: bvh_anim's numbers, posed here.
fn oracle_pose(other: &bvh_anim::Bvh, motion: &Motion, frame: usize) -> Vec<Vec3> {
    use bvh_anim::ChannelType::*;
    let values = other.frames().nth(frame).unwrap();
    let mut positions: Vec<Vec3> = Vec::new();
    let mut rotations: Vec<Quat> = Vec::new();
    let bodies = motion.joints.iter().filter(|joint| !joint.is_end);
    let numbers: Vec<usize> = (0..motion.joints.len()).filter(|&j| !motion.joints[j].is_end).collect();
    for (joint, body) in other.joints().zip(bodies) {
        let data = joint.data();
        let offset = data.offset();
        let mut place = Vec3::new(f64::from(offset.x), f64::from(offset.y), f64::from(offset.z));
        let mut turn = Quat::identity();
        for channel in data.channels() {
            let value = f64::from(values[channel]);
            match channel.channel_type() {
                RotationX => turn *= Quat::new(Vec3::x() * value.to_radians()),
                RotationY => turn *= Quat::new(Vec3::y() * value.to_radians()),
                RotationZ => turn *= Quat::new(Vec3::z() * value.to_radians()),
                PositionX => place.x = value,
                PositionY => place.y = value,
                PositionZ => place.z = value,
            }
        }
        let parent = body.parent.map(|parent| numbers.binary_search(&parent).unwrap());
        let (at, facing) = parent.map_or((Vec3::zeros(), Quat::identity()), |p| (positions[p], rotations[p]));
        positions.push(at + facing * place);
        rotations.push(facing * turn);
    }
    positions
}

#[test]
fn another_reader_sees_the_same_poses() {
    for path in motions() {
        // bvh_anim loses names, so joints are compared in order, and knows no rest poses.
        let motion = load(&path).with_rest_in_front();
        let other = bvh_anim::from_bytes(&std::fs::read(&path).unwrap()[..]).unwrap();
        assert_eq!(other.frames().count(), motion.frames, "{}", name(&path));
        for frame in [0, motion.frames / 2, motion.frames - 1] {
            let pose = motion.pose(frame);
            let ours = motion.joints.iter().zip(&pose.positions).filter(|(joint, _)| !joint.is_end);
            // Its numbers are single precision.
            let worst = ours
                .zip(oracle_pose(&other, &motion, frame))
                .map(|((_, a), b)| (a - b).norm())
                .fold(0.0, f64::max);
            assert!(
                worst < 2e-5 * motion.reach() + 2e-6 * pose.positions[0].norm(),
                "{}: {worst}",
                name(&path)
            );
        }
    }
}

#[test]
fn rotation_orders_do_not_matter() {
    for path in motions().into_iter().take(4) {
        let motion = load(&path);
        let poses = |order| -> Vec<Pose> {
            let again = io::bvh::read(io::bvh::write(&motion, order).as_bytes(), &mut Vec::new()).unwrap();
            (0..again.frames).step_by(17).map(|frame| again.pose(frame)).collect()
        };
        let first = poses(io::bvh::RotationOrder::ALL[0]);
        for order in io::bvh::RotationOrder::ALL {
            for (a, b) in first.iter().zip(poses(order)) {
                let worst =
                    a.positions.iter().zip(&b.positions).map(|(a, b)| (a - b).norm()).fold(0.0, f64::max);
                assert!(worst < 1e-6 * motion.reach(), "{} {order:?}: {worst}", name(&path));
            }
        }
    }
}

/// Frames take at most three times what their numbers take.
#[test]
fn memory_is_what_the_frames_need() {
    for path in motions() {
        let text = std::fs::read_to_string(&path).unwrap();
        let channels: usize = text
            .split("CHANNELS ")
            .skip(1)
            .map(|rest| rest.split_whitespace().next().unwrap().parse::<usize>().unwrap())
            .sum();
        let motion = load(&path);
        let numbers = motion.number(motion.frames) * channels * size_of::<f64>();
        let held = motion.rotations.values.capacity() * size_of::<Quat>()
            + motion.translations.values.capacity() * size_of::<Vec3>();
        assert!(held <= 3 * numbers, "{}: {held} bytes for {numbers}", name(&path));
    }
}

/// Planted feet of the motions that come with puppetry are still to a tenth of a millimetre: that is the truth.
#[test]
fn contacts_are_those_of_feet_that_are_still() {
    for (file, least) in [
        ("walk", 0.93),
        ("run", 0.85),
        ("sneak", 0.93),
        ("turn", 0.93),
        ("dance", 0.93),
        ("jump", 0.95),
        ("quad_walk", 0.90),
        ("quad_trot", 0.85),
    ] {
        let motion = load(&root().join(format!("motions/{file}.bvh")));
        let source = source(&motion);
        let (mut hits, mut false_hits, mut misses) = (0, 0, 0);
        for foot in detect(&motion, &source, &ContactOptions::default()) {
            let (limb, side) = foot.leg;
            let ball = source.figure.limb(limb, side, Segment::Toes).or(source.figure.limb(
                limb,
                side,
                Segment::End,
            ));
            let tip = source.figure.limb(limb, side, Segment::Tip).unwrap();
            let heel = source.figure.limb(limb, side, Segment::End).unwrap();
            let at = |frame: usize, joint: usize| motion.pose(frame).positions[joint];
            let still = |frame: usize, joint: usize| {
                (at(frame + 1, joint) - at(frame, joint)).norm() < 4e-4 * source.figure.leg_length()
            };
            for frame in 0..motion.frames - 1 {
                let truth = [ball.unwrap(), tip, heel].into_iter().any(|joint| still(frame, joint));
                match (truth, foot.is_planted(frame)) {
                    (true, true) => hits += 1,
                    (false, true) => false_hits += 1,
                    (true, false) => misses += 1,
                    (false, false) => {}
                }
            }
        }
        let f1 = 2.0 * f64::from(hits) / f64::from(2 * hits + false_hits + misses);
        assert!(f1 > least, "{file}: F1 {f1:.3} ({hits} right, {false_hits} wrong, {misses} missed)");
    }
}

/// Captured gaits repeat themselves after two steps, clips of games from end to end, and dances not at all.
#[test]
fn cycles_are_found_in_gaits() {
    for (file, seconds) in [
        ("walk_cmu.bvh", Some(0.9..1.4)),
        ("run_mixamo_names.bvh", Some(0.6..0.9)),
        ("quad_pug_walk.bvh", Some(4.0..4.1)),
        ("walk_makehuman_names.bvh", Some(0.5..0.6)),
        ("dab_fair.bvh", None),
        ("pirouette_poser_names.bvh", None),
    ] {
        let Some(path) = motions().into_iter().find(|path| name(path) == file) else { continue };
        let motion = load(&path);
        let source = source(&motion);
        let contacts = detect(&motion, &source, &ContactOptions::default());
        let cycle = find_cycle(&motion, &source.up.vector(), &states(&contacts));
        let found = cycle.ok().map(|cycle| (cycle.last - cycle.first) as f64 * motion.frame_seconds);
        match (found, seconds) {
            (Some(found), Some(seconds)) => assert!(seconds.contains(&found), "{file}: {found} s"),
            (found, seconds) => assert!(found.is_none() && seconds.is_none(), "{file}: {found:?} s"),
        }
    }
}

/// Everything that looks at a motion without being asked for more than a file.
fn look_at(bytes: &[u8]) {
    let Ok(motion) = io::bvh::read(bytes, &mut Vec::new()) else { return };
    assert_eq!(motion.broken_invariant(), None);
    if let Some(skeleton) = puppetry::stages::motion::skeleton_of(&motion) {
        assert!(skeleton.joints.iter().all(|joint| joint.position.iter().all(|x| x.is_finite())));
        map_joints(&Figure::of_skeleton(&skeleton), &source(&motion).figure);
    }
    let source = source(&motion);
    assert!(source.score.is_finite());
    for foot in detect(&motion, &source, &ContactOptions::default()) {
        assert_eq!((foot.heel.len(), foot.ball.len()), (motion.frames, motion.frames));
    }
    let (up, states) = (source.up.vector(), vec![0; motion.frames]);
    puppetry::stages::motion::loops(&motion, &up);
    if let Ok(cycle) = puppetry::stages::motion::find_cycle(&motion, &up, &states) {
        assert_eq!(puppetry::stages::motion::close_loop(&motion, &cycle, &up).broken_invariant(), None);
    }
    let image = puppetry::stages::motion::mirror(&motion, &source.figure.partners, &source.left());
    assert_eq!(image.broken_invariant(), None);
    if let Some(velocity) = in_place_velocity(&motion, &source) {
        assert!(velocity.iter().all(|x| x.is_finite()));
    }
}

#[test]
fn hierarchies_made_to_hurt_are_understood_in_time() {
    let joint = |name: &str| format!("JOINT {name} {{ OFFSET 0 -1 0.1 CHANNELS 1 Xrotation\n");
    let frames = "MOTION\nFrames: 2\nFrame Time: 0.1\n";
    for name in ["LeftLeg", "Neck", "x", "LeftFoot", "Tail", "Spine"] {
        let deep =
            format!("ROOT Hips {{ OFFSET 0 0 0\n{}{frames}{}", joint(name).repeat(2_000), "0 ".repeat(4_000));
        look_at(deep.as_bytes());
        let wide = format!("ROOT Hips {{ OFFSET 0 0 0\n{}{frames}", (joint(name) + "}").repeat(4_000));
        look_at(wide.as_bytes());
        let comb =
            format!("ROOT Hips {{ OFFSET 0 0 0\n{}{frames}", (joint(name) + &joint("y") + "}").repeat(1_000));
        look_at(comb.as_bytes());
    }
    for bytes in [
        "ROOT a { OFFSET 0 0 0 }",
        "ROOT a { OFFSET 0 0 0 CHANNELS 1 Xrotation }\nMOTION\nFrames: 1\nFrame Time: 1\n5",
        "ROOT a { OFFSET 1e11 1e11 1e11 JOINT b { OFFSET 1e11 0 0 } JOINT c { OFFSET -1e11 0 0 } }",
    ] {
        look_at(bytes.as_bytes());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// A good file with some bytes changed, some lines lost and its end cut off.
    #[test]
    fn damaged_motions_are_understood_or_refused(
        which in 0..13usize,
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..4),
        lost in prop::collection::vec(any::<prop::sample::Index>(), 0..3),
        cut in 0.2..1.0f64,
    ) {
        let text = puppetry::stages::motion::built_in()[which].bvh;
        let mut lines: Vec<&str> = text.lines().take(220).collect();
        for line in lost {
            lines.remove(line.index(lines.len()));
        }
        let mut bytes = lines.join("\n").into_bytes();
        // Most bytes are numbers; the hierarchy is where damage is worth looking at.
        let hierarchy = text.find("MOTION").unwrap().min(bytes.len() - 1);
        for (place, byte) in changes {
            bytes[place.index(hierarchy)] = byte;
        }
        bytes.truncate((bytes.len() as f64 * cut) as usize);
        look_at(&bytes);
    }
}

#[test]
fn inspect_tells_what_a_motion_is() {
    puppetry(root(), &["inspect", "motions/walk.bvh"])
        .exits_with(0)
        .prints("181 at 60 a second = 3.017 s, the first is a rest pose and no motion")
        .prints("21 and 5 end sites, 26 with a role")
        .prints("MotionBuilder, Mixamo (roles by name)")
        .prints("cm, it seems: 175 high = 1.75 m")
        .prints("pose of zero channels, 100 % like a character that stands")
        .prints("1.3 m/s")
        .prints("loops         yes")
        .prints("human: 22 of 22 joints")
        .prints("left foot     ..####")
        .prints("LeftUpLeg                              LeftUpperLeg         0.95 by name")
        .warns_of_nothing();
    let run = puppetry(root(), &["inspect", "--json", "motions/quad_trot.bvh"]).exits_with(0);
    let object: serde_json::Value = serde_json::from_str(&run.stdout()).unwrap();
    assert_eq!(
        (&object["kind"], &object["frames"], &object["fps"]),
        (&"motion".into(), &130.into(), &60.0.into())
    );
    assert_eq!(object["map"]["skeleton"], "quadruped");
    assert_eq!(object["contacts"].as_array().unwrap().len(), 4);
}

/// One correction serves a whole folder.
#[test]
fn a_map_is_saved_corrected_and_used() {
    let dir = tempfile::tempdir().unwrap();
    let walk = root().join("motions/walk.bvh").to_string_lossy().into_owned();
    puppetry(dir.path(), &["inspect", &walk, "--save-map", "map.txt"]).exits_with(0);
    let map = std::fs::read_to_string(dir.path().join("map.txt")).unwrap();
    assert!(map.contains("LeftUpperArm = LeftArm\n"), "{map}");
    let corrected = map.replace("LeftHand = LeftHand", "LeftHand =").replace("LeftArm", "RightArm");
    std::fs::write(dir.path().join("map.txt"), corrected).unwrap();
    puppetry(dir.path(), &["inspect", &walk, "--map", "map.txt"])
        .exits_with(0)
        .prints("human: 21 of 22 joints")
        .prints("not moved: LeftHand");
    std::fs::write(dir.path().join("map.txt"), "puppetry-map 1\nLeftWheel = LeftArm\n").unwrap();
    puppetry(dir.path(), &["inspect", &walk, "--map", "map.txt"])
        .exits_with(1)
        .complains("the character has no joint 'LeftWheel'")
        .complains("map.txt");
}

/// What a person calls a joint is understood in a map, and what is misspelled is answered with what was meant.
#[test]
fn maps_take_friendly_names_of_the_character() {
    let dir = tempfile::tempdir().unwrap();
    let walk = root().join("motions/walk.bvh").to_string_lossy().into_owned();
    let inspect = |line: &str| {
        std::fs::write(dir.path().join("map.txt"), format!("puppetry-map 1\n{line}\n")).unwrap();
        puppetry(dir.path(), &["inspect", &walk, "--map", "map.txt", "--json"])
    };
    for name in ["left elbow", "left_elbow", "LeftForeArm", "LeftLowerArm"] {
        let run = inspect(&format!("{name} = RightForeArm")).exits_with(0);
        let object: serde_json::Value = serde_json::from_str(&run.stdout()).unwrap();
        let joints = object["map"]["joints"].as_array().unwrap();
        let elbow = joints.iter().find(|joint| joint["joint"] == "LeftLowerArm").unwrap();
        assert_eq!(elbow["from"], "RightForeArm", "{name}: {elbow}");
    }
    for (line, sentence) in [
        ("LeftElbwo = LeftForeArm", "character has no joint 'LeftElbwo' (did you mean 'left_elbow'?)"),
        ("elbow = LeftForeArm", "(did you mean 'left_elbow' or 'right_elbow'?)"),
        ("left_elbow = LeftForArm", "motion has no joint 'LeftForArm' (did you mean 'LeftForeArm'?)"),
    ] {
        inspect(line).exits_with(1).complains(sentence);
    }
}

/// A map never replaces what it is made of.
#[test]
fn a_map_is_saved_to_a_file_of_its_own() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name);
    for name in ["a.bvh", "b.bvh"] {
        std::fs::copy(root().join("motions/walk.bvh"), at(name)).unwrap();
    }
    std::fs::copy(root().join("examples/characters/slim.glb"), at("slim.glb")).unwrap();
    for (args, sentence) in [
        (&["a.bvh", "--save-map", "a.bvh"][..], "'a.bvh' is an input of this run; give the map another name"),
        (&["a.bvh", "--save-map", "./a.bvh"], "is an input of this run"),
        (&["a.bvh", "--map", "old.map", "--save-map", "old.map"], "'old.map' is an input of this run"),
        (&["a.bvh", "--save-map", "-"], "standard output carries what is said; name a file"),
        (&["a.bvh", "b.bvh", "--save-map", "x.map"], "--save-map writes the map of one motion"),
        (&["a.bvh", "--save-map", "gone/x.map"], "there is no folder 'gone'"),
        (&["slim.glb", "--save-map", "x.map"], "'slim.glb' is no motion"),
    ] {
        let run = puppetry(dir.path(), &[&["inspect"], args].concat()).exits_with(1).complains(sentence);
        let errors = run.stderr().lines().filter(|line| line.starts_with("Error")).count();
        assert_eq!(errors, 1, "{}", run.stderr());
    }
    let walk = std::fs::read(root().join("motions/walk.bvh")).unwrap();
    assert!(std::fs::read(at("a.bvh")).unwrap() == walk);
    assert!(!at("-").exists() && !at("x.map").exists());
}

#[test]
fn repairs_are_printed_with_their_lines() {
    let dir = tempfile::tempdir().unwrap();
    let text = std::fs::read_to_string(root().join("motions/walk.bvh"))
        .unwrap()
        .replace("Frames: 181", "Frames: 200");
    std::fs::write(dir.path().join("walk.bvh"), text).unwrap();
    puppetry(dir.path(), &["inspect", "walk.bvh"])
        .exits_with(0)
        .complains("181 frames are there but 200 declared")
        .complains("line ");
    std::fs::write(dir.path().join("noise.bvh"), "hello").unwrap();
    puppetry(dir.path(), &["inspect", "noise.bvh"])
        .exits_with(1)
        .complains("'noise.bvh'")
        .complains("no joints");
    puppetry(dir.path(), &["inspect", "walk.bvh", "--skeleton", "cat"])
        .exits_with(1)
        .complains("human, quadruped");
}
