use super::*;
use crate::math::{Quat, Vec3};
use crate::motion::built_in;
use proptest::prelude::*;

/// The smallest file with everything: a root that travels, a joint that turns, an end.
const SMALL: &str = "HIERARCHY\nROOT Hips\n{\n\tOFFSET 0 0 0\n\tCHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation\n\
    \tJOINT Leg\n\t{\n\t\tOFFSET 0 -2 0\n\t\tCHANNELS 3 Zrotation Xrotation Yrotation\n\t\tEnd Site\n\t\t{\n\t\t\tOFFSET 0 -1 0\n\t\t}\n\t}\n}\n\
    MOTION\nFrames: 2\nFrame Time: 0.0333333\n1 2 3 0 0 0 90 0 0\n1 2 4 0 90 0 0 0 0\n";

/// The small file up to its number of frames.
fn head() -> &'static str {
    &SMALL[..SMALL.find("Frames").unwrap()]
}

/// Codes and lines of what was mended.
type Repairs = Vec<(&'static str, usize)>;

/// The motion, with what was mended.
fn read_all(bytes: &[u8]) -> Result<(Motion, Repairs), Fault> {
    let mut warnings = Vec::new();
    let motion = read(bytes, &mut warnings)?;
    assert_eq!(motion.broken_invariant(), None);
    let line = |warning: &Warning| match warning {
        Warning::Repaired { line, .. } => *line,
        _ => 0,
    };
    Ok((motion, warnings.iter().map(|warning| (warning.code(), line(warning))).collect()))
}

#[test]
fn a_small_file_is_read_as_it_stands() {
    let (motion, repairs) = read_all(SMALL.as_bytes()).unwrap();
    assert_eq!(repairs, []);
    let names: Vec<&str> = motion.joints.iter().map(|joint| joint.name.as_str()).collect();
    assert_eq!(names, ["Hips", "Leg", "Leg.end"]);
    assert_eq!((motion.frames, motion.frame_seconds), (2, 1.0 / 30.0));
    let close = |a: Vec3, b: [f64; 3]| assert!((a - Vec3::from(b)).norm() < 1e-12, "{a} {b:?}");
    let pose = motion.pose(0);
    close(pose.positions[1], [1.0, 0.0, 3.0]);
    close(pose.positions[2], [2.0, 0.0, 3.0]);
    let pose = motion.pose(1);
    close(pose.positions[1], [1.0, 2.0, 2.0]);
    close(pose.positions[2], [1.0, 2.0, 1.0]);
}

/// Files that are as good as any other: nothing of it is worth a warning, and the motion is the same.
#[test]
fn every_way_to_write_the_same_file_is_understood() {
    let expected = read_all(SMALL.as_bytes()).unwrap().0;
    let one_line =
        SMALL.replace('\n', " ").replace("ROOT Hips ", "ROOT Hips\n").replace("JOINT Leg ", "JOINT Leg\n");
    for (what, text) in [
        ("line ends of Windows", SMALL.replace('\n', "\r\n")),
        ("line ends of old Macintoshes", SMALL.replace('\n', "\r")),
        ("a byte order mark", format!("\u{feff}{SMALL}")),
        ("blanks for tabs", SMALL.replace('\t', "   ")),
        ("no final newline", SMALL.trim_end().to_owned()),
        ("blank lines", SMALL.replace('\n', "\n\n")),
        (
            "lower-case keywords",
            SMALL
                .replace("HIERARCHY", "hierarchy")
                .replace("OFFSET", "offset")
                .replace("CHANNELS", "Channels")
                .replace("ROOT", "Root")
                .replace("JOINT", "joint")
                .replace("End Site", "end site")
                .replace("MOTION", "motion")
                .replace("Frame Time", "frame time")
                .replace("Frames", "FRAMES")
                .replace("Xposition", "XPOSITION"),
        ),
        ("braces behind names", SMALL.replace("\n{", " {").replace("\n\t{", "{")),
        ("all in few lines", one_line),
        ("rows broken over lines", SMALL.replace("1 2 3 0 0 0 90", "1 2\n3 0 0\n\n0 90")),
        ("all frames in one line", SMALL.replace("0 0\n1 2 4", "0 0 1 2 4")),
        ("exponents", SMALL.replace("90 0 0\n", "9e1 0.0E+0 -0e-5\n").replace("-2 0", "-2.0E0 +0")),
        ("a bare End", SMALL.replace("End Site", "End")),
        ("an end with a name", SMALL.replace("End Site", "End Site foot")),
        ("blanks in front of colons", SMALL.replace("Frames:", "Frames :").replace("Time:", "Time :")),
        ("no blanks behind colons", SMALL.replace("Frames: ", "Frames:").replace("Time: ", "Time:")),
        (
            "the time first",
            SMALL.replace("Frames: 2\nFrame Time: 0.0333333", "Frame Time: 0.0333333\nFrames: 2"),
        ),
        ("trailing blanks", SMALL.replace('\n', " \t\n")),
    ] {
        let (motion, repairs) = read_all(text.as_bytes()).unwrap_or_else(|fault| panic!("{what}: {fault:?}"));
        assert_eq!(repairs, [], "{what}");
        assert_eq!(motion, expected, "{what}");
    }
}

#[test]
fn names_are_kept_whatever_they_contain() {
    for name in [
        "mixamorig:LeftLeg",
        "Left Leg",
        "FrontUpLeg.L",
        "Bip01 L Calf",
        "左足",
        "Нога",
        "a#b",
        "leg|x",
        "\\leg",
        "JOINT",
        "1",
    ] {
        let text = SMALL.replace("JOINT Leg", &format!("JOINT {name}"));
        let (motion, repairs) = read_all(text.as_bytes()).unwrap();
        assert_eq!((motion.joints[1].name.as_str(), repairs), (name, vec![]));
    }
    let (motion, _) = read_all(&SMALL.replace("JOINT Leg", "JOINT Le\x01g").into_bytes()).unwrap();
    assert_eq!(motion.joints[1].name, "Le\x01g");
    let mut bytes = SMALL.replace("JOINT Leg", "JOINT Be?n").into_bytes();
    let latin1 = bytes.iter().position(|&byte| byte == b'?').unwrap();
    bytes[latin1] = 0xe4;
    assert_eq!(read_all(&bytes).unwrap().0.joints[1].name, "Beän");
}

/// Damages that are mended, each with the code of its warning and its line.
#[test]
fn damaged_files_are_mended_and_say_so() {
    for (what, text, repairs) in [
        ("no HIERARCHY", SMALL.replace("HIERARCHY\n", ""), vec![("no-hierarchy-keyword", 1)]),
        ("no MOTION", SMALL[..SMALL.find("MOTION").unwrap()].to_owned(), vec![("no-motion", 16)]),
        ("no frames", SMALL.replace("Frames: 2", "Frames: 0")[..SMALL.find("1 2 3").unwrap()].to_owned(), vec![("no-frames", 17)]),
        ("fewer frames than declared", SMALL.replace("Frames: 2", "Frames: 10000000000"), vec![("frame-count", 17)]),
        ("more frames than declared", SMALL.replace("Frames: 2", "Frames: 1"), vec![("frame-count", 17)]),
        ("no line of frames", SMALL.replace("Frames: 2\n", ""), vec![("no-frame-count", 16)]),
        ("a negative number of frames", SMALL.replace("Frames: 2", "Frames: -2"), vec![("no-frame-count", 17)]),
        ("frames that are no number", SMALL.replace("Frames: 2", "Frames: many"), vec![("no-frame-count", 17)]),
        ("no time", SMALL.replace("Frame Time: 0.0333333\n", ""), vec![("frame-time", 18)]),
        ("time zero", SMALL.replace("0.0333333", "0"), vec![("frame-time", 18)]),
        ("negative time", SMALL.replace("0.0333333", "-0.03"), vec![("frame-time", 18)]),
        ("a time that is none", SMALL.replace("0.0333333", "nan"), vec![("frame-time", 18)]),
        ("a time that is a word", SMALL.replace("0.0333333", "fast"), vec![("frame-time", 18)]),
        ("cut within a frame", SMALL[..SMALL.len() - 9].to_owned(), vec![("partial-frame", 20), ("frame-count", 17)]),
        ("too many channels declared", SMALL.replace("CHANNELS 3", "CHANNELS 99999999999"), vec![("channel-count", 9)]),
        ("too few channels declared", SMALL.replace("CHANNELS 3", "CHANNELS 1"), vec![("channel-count", 9)]),
        ("an unknown channel", SMALL.replace("CHANNELS 3 Z", "CHANNELS 4 Xscale Z").replace("0 0 0 90", "0 0 0 1 90").replace("0 90 0 0", "0 90 0 1 0"), vec![("unknown-channel", 9)]),
        ("no offset", SMALL.replace("\t\tOFFSET 0 -2 0\n", ""), vec![("no-offset", 13)]),
        ("no name", SMALL.replace("JOINT Leg", "JOINT"), vec![("no-name", 6)]),
        ("the same name twice", SMALL.replace("JOINT Leg", "JOINT Hips"), vec![("name-taken", 6)]),
        ("a brace not closed", SMALL.replace("}\nMOTION", "MOTION"), vec![("open-braces", 15)]),
        ("a brace too many", SMALL.replace("}\nMOTION", "}\n}\nMOTION"), vec![("extra-brace", 16)]),
        ("a second root", SMALL.replace("MOTION", "ROOT Other\n{\nOFFSET 1 0 0\nCHANNELS 1 Xrotation\nEnd Site\n{\nOFFSET 0 0 0\n}\n}\nMOTION").replace("90 0 0\n", "90 0 0 7\n").replace("0 0 0 0\n", "0 0 0 0 7\n"), vec![("second-root", 16)]),
        ("an unknown word", SMALL.replace("ROOT", "UNITS cm\nROOT"), vec![("unknown-word", 2)]),
        ("a number that is none", SMALL.replace("1 2 4", "1 2 nan"), vec![("held-values", 20)]),
        ("an infinite number", SMALL.replace("1 2 4", "1 2 -1.#INF"), vec![("held-values", 20)]),
        ("a number beyond reason", SMALL.replace("1 2 4", "1 2 4e99"), vec![("held-values", 20)]),
        ("words behind the frames", format!("{SMALL}\nend of file\n"), vec![("unknown-word", 22)]),
    ] {
        let (motion, found) = read_all(text.as_bytes()).unwrap_or_else(|fault| panic!("{what}: {fault:?}"));
        assert_eq!(found, repairs, "{what}");
        assert!(motion.joints.len() >= 3, "{what}");
        assert!(motion.frames > 0 || what.contains("no MOTION") || what == "no frames", "{what}");
    }
}

/// Damages that cannot be mended, each with its line and sentence.
#[test]
fn hopeless_files_are_refused_with_their_line() {
    let refusal = |text: &str| read(text.as_bytes(), &mut Vec::new()).expect_err(text).without_way_out();
    for text in ["", "hello world", "HIERARCHY\nMOTION\nFrames: 1\n", "\u{feff}"] {
        assert_eq!(refusal(text), "it contains no joints");
    }
    for (text, refused) in [
        ("HIERARCHY\n{", "expected a keyword before the brace, found '{', line 2"),
        ("HIERARCHY\nOFFSET 0 0 0\n", "expected a joint around the OFFSET, found 'OFFSET', line 2"),
        ("HIERARCHY\nCHANNELS 0\n", "expected a joint around the CHANNELS, found 'CHANNELS', line 2"),
        ("HIERARCHY\nEnd Site\n{\n", "expected a joint around the End Site, found 'Site', line 2"),
    ] {
        assert_eq!(refusal(text), refused);
    }
    for (good, bad, refused) in [
        ("ROOT Hips\n{", "ROOT Hips\n", "expected '{' behind the name of a joint, found 'OFFSET', line 4"),
        ("OFFSET 0 -2 0", "OFFSET 0 -2", "expected a number, found 'CHANNELS', line 9"),
        ("OFFSET 0 -2 0", "OFFSET 0 inf 0", "expected a finite number below 1e12, found 'inf', line 8"),
        (
            "\t\tEnd",
            "CHANNELS 1 Xrotation\nEnd",
            "expected one line of CHANNELS in a joint, found 'CHANNELS', line 10",
        ),
        ("CHANNELS 3 ", "CHANNELS ", "expected the number of channels, found 'Zrotation', line 9"),
        ("90 0 0\n", "90,5 0 0\n", "expected a number, found '90,5', line 19"),
        ("90 0 0\n", "x 0 0\n", "expected a number, found 'x', line 19"),
    ] {
        assert_eq!(refusal(&SMALL.replace(good, bad)), refused);
    }
    let hole = format!("{SMALL}{}", "1 2 4 0 nan 0 0 0 0\n".repeat(9));
    assert_eq!(refusal(&hole), "the motion of frame 5 is not a finite number, line 24");
    let utf_16: Vec<u8> = SMALL.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let fault = read(&[b"\xff\xfe", utf_16.as_slice()].concat(), &mut Vec::new()).unwrap_err();
    assert!(fault.problem.to_string().contains("UTF-16"));
}

#[test]
fn files_made_to_hurt_cost_no_more_than_their_size() {
    let deep = format!("HIERARCHY\nROOT a\n{{\n{}", "JOINT b\n{\n".repeat(50_000));
    let (motion, repairs) = read_all(deep.as_bytes()).unwrap();
    assert_eq!((motion.joints.len(), motion.joints[50_000].parent), (50_001, Some(49_999)));
    assert!(repairs.len() < 60 && repairs.iter().any(|(code, _)| *code == "more-repairs"));
    // Frames are worth what their numbers are: joints that never move take no part in them.
    let idle = "JOINT b\n{\nOFFSET 0 0 0\n}\n".repeat(20_000);
    let many = format!(
        "ROOT a\n{{\nOFFSET 0 0 0\nCHANNELS 1 Xrotation\n{idle}}}\nMOTION\nFrames: 99999999\nFrame Time: 0.1\n{}",
        "0 ".repeat(100_000)
    );
    let (motion, _) = read_all(many.as_bytes()).unwrap();
    assert_eq!((motion.frames, motion.rotations.values.len()), (100_000, 100_000));
    let braces = format!("ROOT a {{ OFFSET 0 0 0 {}", "} ".repeat(1_000_000));
    assert!(read_all(braces.as_bytes()).unwrap().1.len() < 60);
}

/// Large files are read by several threads, small ones by one.
#[test]
fn the_size_of_a_file_does_not_matter() {
    let rows: Vec<String> = (0..60_000)
        .map(|i| format!("{i} {}.5 -{}.125 0.{i:07} 1e-3 {} 12.345678 .5 -0", i % 7, i % 11, 180 - i % 361))
        .collect();
    let head = head();
    let file = |rows: &[String], end: &str| {
        format!("{head}Frames: {}\nFrame Time: 0.0333333\n{}{end}", rows.len(), rows.join("\n"))
    };
    let large = file(&rows, "\n");
    assert!(large.len() > 2 << 20);
    let (motion, repairs) = read_all(large.as_bytes()).unwrap();
    assert_eq!((motion.frames, repairs), (60_000, vec![]));
    for start in (0..60_000).step_by(10_000) {
        let (part, _) = read_all(file(&rows[start..start + 10_000], "\n").as_bytes()).unwrap();
        for frame in [0, 1, 5_000, 9_999] {
            assert_eq!(part.translations.at(frame), motion.translations.at(start + frame));
            for (a, b) in part.rotations.at(frame).iter().zip(motion.rotations.at(start + frame)) {
                assert!(a.coords == b.coords || a.coords == -b.coords);
            }
        }
    }
    let (motion, repairs) = read_all(file(&rows, "\n1 2 3").as_bytes()).unwrap();
    assert_eq!((motion.frames, repairs), (60_000, vec![("partial-frame", 60_019)]));
    let (motion, repairs) = read_all(file(&rows, "\n1 2 nan 4 5 6 7 8 9").as_bytes()).unwrap();
    assert_eq!((motion.frames, repairs), (60_001, vec![("frame-count", 17), ("held-values", 60_019)]));
    let fault = read(
        file(&rows[..59_000], "\n1 2 x\n").replace("Frames: 59000", "Frames: 60000").as_bytes(),
        &mut Vec::new(),
    );
    assert_eq!(fault.unwrap_err().at.to_string(), ", line 59019");
}

#[test]
fn channels_are_few_or_many_in_any_order_on_any_joint() {
    let text = "HIERARCHY\nROOT a\n{\nOFFSET 1 2 3\nCHANNELS 2 Yrotation Zposition\nJOINT b\n{\nOFFSET 0 5 0\n\
        CHANNELS 6 Xrotation Xposition Yrotation Yposition Zrotation Zposition\nJOINT c\n{\nOFFSET 0 1 0\nCHANNELS 0\n\
        JOINT d\n{\nOFFSET 0 1 0\nCHANNELS 1 Xrotation\n}\n}\n}\n}\nMOTION\nFrames: 1\nFrame Time: 0.1\n\
        90 9 10 0 20 6 30 0 90\n";
    let (motion, repairs) = read_all(text.as_bytes()).unwrap();
    assert_eq!(repairs, []);
    assert_eq!(motion.rotations.joints, [0, 1, 3]);
    assert_eq!(motion.translations.values, [Vec3::new(1.0, 2.0, 9.0), Vec3::new(0.0, 6.0, 0.0)]);
    let turn = |axis: Vec3, degrees: f64| Quat::new(axis * degrees.to_radians());
    let expected = turn(Vec3::x(), 10.0) * turn(Vec3::y(), 20.0) * turn(Vec3::z(), 30.0);
    assert!(motion.rotations.values[1].angle_to(&expected) < 1e-12);
}

#[test]
fn positions_near_zero_are_added_to_the_offset() {
    let file = |offset: &str, values: &str| {
        format!(
            "HIERARCHY\nROOT a\n{{\nOFFSET 0 0 0\nCHANNELS 3 Xposition Yposition Zposition\nJOINT b\n{{\nOFFSET {offset}\n\
            CHANNELS 3 Xposition Yposition Zposition\n}}\n}}\nMOTION\nFrames: 1\nFrame Time: 0.1\n0 0 0 {values}\n"
        )
    };
    let (motion, repairs) = read_all(file("0 10 0", "0.1 0 0").as_bytes()).unwrap();
    assert_eq!(repairs, [("added-positions", 6)]);
    assert_eq!(motion.translations.values[1], Vec3::new(0.1, 10.0, 0.0));
    let (motion, repairs) = read_all(file("0 10 0", "0 9 0").as_bytes()).unwrap();
    assert_eq!((motion.translations.values[1], repairs), (Vec3::new(0.0, 9.0, 0.0), vec![]));
}

#[test]
fn bones_that_stretch_are_reported() {
    let text = SMALL
        .replace("CHANNELS 3", "CHANNELS 4 Yposition")
        .replace("90 0 0\n", "-2 90 0 0\n")
        .replace("90 0 0 0 0\n", "90 0 -2.5 0 0 0\n");
    assert_eq!(read_all(text.as_bytes()).unwrap().1, [("stretches", 6)]);
}

#[test]
fn a_rotation_that_leaps_for_a_moment_is_replaced() {
    let read = |angles: &[f64], seconds: f64| {
        let rows: String = angles.iter().map(|angle| format!("0 0 0 0 0 0 {angle} 0 0\n")).collect();
        let text = format!("{}Frames: {}\nFrame Time: {seconds}\n{rows}", head(), angles.len());
        read_all(text.as_bytes()).unwrap()
    };
    let angle = |motion: &Motion, frame: usize| motion.rotations.at(frame)[1].angle().to_degrees();
    // Of any rate: nobody turns by half and back within two frames, and stands still before and after.
    for seconds in [0.0083333, 0.0166667, 0.0333333] {
        let (motion, repairs) = read(&[0.0, 1.0, 170.0, 3.0, 4.0], seconds);
        assert_eq!(repairs, [("spikes", 21)]);
        assert!((angle(&motion, 2) - 2.0).abs() < 1e-9);
    }
    // For up to a tenth of a second.
    let away = |count: usize| [vec![0.0, 0.0], vec![150.0; count], vec![6.0, 6.0]].concat();
    let (motion, repairs) = read(&away(5), 0.0083333);
    assert_eq!(repairs, [("spikes", 21)]);
    assert!((1..=7).all(|frame| (angle(&motion, frame) - (frame as f64 - 1.0)).abs() < 0.01));
    assert_eq!(read(&away(3), 0.0333333).1, [("spikes", 21)]);
    assert_eq!(read(&away(13), 0.0083333).1, []);
    assert_eq!(read(&away(4), 0.0333333).1, []);
    // A root that is elsewhere for a frame; one that goes there and stays is a cut.
    let places = |places: [f64; 5]| {
        let rows: String = places.iter().map(|x| format!("{x} 0 0 0 0 0 0 0 0\n")).collect();
        read_all(format!("{}Frames: 5\nFrame Time: 0.0333333\n{rows}", head()).as_bytes()).unwrap()
    };
    let (motion, repairs) = places([0.0, 0.1, 500.0, 0.3, 0.4]);
    assert_eq!(repairs, [("spikes", 21)]);
    assert!((motion.translations.at(2)[0].x - 0.2).abs() < 1e-9);
    assert_eq!(places([0.0, 0.1, 500.0, 500.1, 500.2]).1, []);
    // A quarter of a turn is fast but no leap, and what spins all the time is a propeller.
    assert_eq!(read(&[0.0, 1.0, 90.0, 3.0, 4.0], 0.0333333).1, []);
    let spin: Vec<f64> = (0..12).map(|frame| 170.0 * f64::from(frame)).collect();
    assert_eq!(read(&spin, 0.0333333).1, []);
}

#[test]
fn what_is_written_is_read_back_in_every_order() {
    for built_in in built_in() {
        let (motion, repairs) = read_all(built_in.bvh.as_bytes()).unwrap();
        assert_eq!(repairs, [], "{}", built_in.name);
        for order in RotationOrder::ALL {
            let (again, repairs) = read_all(write(&motion, order).as_bytes()).unwrap();
            assert_eq!(repairs, [], "{}", built_in.name);
            assert_eq!(again.joints, motion.joints);
            assert_eq!((again.frames, again.frame_seconds), (motion.frames, motion.frame_seconds));
            let worst = motion.rotations.values.iter().zip(&again.rotations.values);
            let worst = worst.map(|(a, b)| a.angle_to(b).to_degrees()).fold(0.0, f64::max);
            assert!(worst < 1e-5, "{} {order:?}: {worst}°", built_in.name);
            let worst = motion.translations.values.iter().zip(&again.translations.values);
            assert!(worst.map(|(a, b)| (a - b).norm()).fold(0.0, f64::max) < 1e-8 * motion.reach());
        }
    }
}

proptest! {
    #[test]
    fn any_rotation_survives_every_order(x in -1.0..1.0, y in -1.0..1.0, z in -1.0..1.0, w in -1.0..1.0) {
        prop_assume!(x * x + y * y + z * z + w * w > 1e-3);
        let rotation = Quat::from_quaternion(nalgebra::Quaternion::new(w, x, y, z));
        check_orders(&rotation)?;
    }

    /// Where the middle angle is nearly a right one.
    #[test]
    fn rotations_near_the_gimbal_lock_survive(a in -180.0..180.0f64, c in -180.0..180.0f64, exponent in -18.0..-1.0f64, sign: bool) {
        for order in RotationOrder::ALL {
            let right = if sign { 90.0 } else { -90.0 };
            let axes = order.axes();
            let turn = |axis: usize, degrees: f64| Quat::new(Vec3::ith(axis, degrees.to_radians()));
            check_orders(&(turn(axes[0], a) * turn(axes[1], right + 10f64.powf(exponent)) * turn(axes[2], c)))?;
        }
    }

    #[test]
    fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let _ = read_all(&bytes);
    }

    /// Pieces of real files in any order get further than noise does.
    #[test]
    fn any_words_are_read_or_refused(words in prop::collection::vec(prop::sample::select(vec![
        "HIERARCHY", "ROOT a", "JOINT b", "JOINT", "{", "}", "OFFSET 1 2 3", "OFFSET 0 0", "CHANNELS 3 Xrotation Yrotation Zrotation",
        "CHANNELS 6 Xposition", "CHANNELS 0", "End Site", "MOTION", "Frames: 3", "Frame Time: 0.01", "1 2 3", "1e999", "nan", "\u{feff}", "0",
    ]), 0..60)) {
        let _ = read_all(words.join("\n").as_bytes());
        let sensible = format!("HIERARCHY\nROOT a\n{{\n{}", words.join("\n"));
        if let Ok((motion, _)) = read_all(sensible.as_bytes()) {
            let again = read_all(write(&motion, RotationOrder::default()).as_bytes()).unwrap().0;
            prop_assert_eq!(again.frames, motion.frames);
        }
    }

    #[test]
    fn damaged_files_are_read_or_refused(position in 0..SMALL.len(), byte: u8, cut in 0..SMALL.len()) {
        let mut bytes = SMALL.as_bytes().to_vec();
        bytes[position] = byte;
        let _ = read_all(&bytes);
        let _ = read_all(&bytes[..cut]);
    }
}

fn check_orders(rotation: &Quat) -> Result<(), TestCaseError> {
    for order in RotationOrder::ALL {
        let turn = |axis: usize, degrees: f64| Quat::new(Vec3::ith(axis, degrees.to_radians()));
        let [a, b, c] = order.degrees(rotation).map(|degrees| (degrees * 1e6).round() / 1e6);
        let axes = order.axes();
        let again = turn(axes[0], a) * turn(axes[1], b) * turn(axes[2], c);
        let off = rotation.angle_to(&again).to_degrees();
        prop_assert!(off < 1e-5, "{:?}: {} off", order, off);
    }
    Ok(())
}

/// One number too few or too many spoils one frame and not all behind it.
#[test]
fn a_broken_row_spoils_one_frame_only() {
    let text = built_in()[0].bvh;
    let whole = read_all(text.as_bytes()).unwrap().0.with_rest_in_front();
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let row = lines.iter().position(|line| line.starts_with("Frame Time")).unwrap() + 1;
    for (what, broken) in [
        ("too few", lines[row + 50].rsplit_once(' ').unwrap().0.to_owned()),
        ("too many", format!("{} 7.5", lines[row + 50])),
    ] {
        let good = std::mem::replace(&mut lines[row + 50], broken);
        for end in ["\n", "\r\n"] {
            let (motion, repairs) = read_all(lines.join(end).as_bytes()).unwrap();
            let motion = motion.with_rest_in_front();
            assert_eq!(repairs, [("broken-rows", row + 51)], "{what}");
            assert_eq!(motion.frames, whole.frames);
            let hips = |motion: &Motion, frame: usize| motion.translations.at(frame)[0];
            assert_eq!(hips(&motion, 50), hips(&whole, 49));
            assert_eq!(hips(&motion, 51), hips(&whole, 51));
        }
        lines[row + 50] = good;
    }
    // Cut off in the middle of a row: the last frame is lost, as ever.
    let cut = lines.join("\n");
    let (motion, repairs) = read_all(&cut.as_bytes()[..cut.len() - 40]).unwrap();
    assert_eq!(motion.with_rest_in_front().frames, whole.frames - 1);
    assert_eq!(repairs.iter().map(|(code, _)| *code).collect::<Vec<_>>(), ["partial-frame", "frame-count"]);
}
