//! What was done to move a motion onto a character, and how good the clip is, as JSON.

use puppetry::Warning;
use puppetry::retarget::joint_map::Origin;
use puppetry::retarget::metrics::Slide;
use puppetry::retarget::metrics::stances::Stance;
use puppetry::retarget::{RetargetReport, Source};
use puppetry::rig::Rig;
use puppetry::skeleton::naming::{Role, Segment};
use serde_json::{Map, Value, json};

/// The part of the report that concerns one clip: its joint map and its figures. Frames count from 0; spans name their first
/// and their last frame.
pub fn clip_json(report: &RetargetReport, rig: &Rig, source: &Source) -> Value {
    let metrics = &report.metrics;
    let feet = metrics.feet.iter().map(|foot| {
        let name = Role::Limb(foot.leg.0, foot.leg.1, Segment::End).to_string();
        (name, json!({ "heel": spans(&foot.heel), "ball": spans(&foot.ball) }))
    });
    let slides = [
        ("character", &metrics.slide),
        ("rotation_copy", &metrics.slide_of_copy),
        ("source", &metrics.slide_of_source),
    ];
    let slides = slides.map(|(name, figures)| (name.to_owned(), slide(figures)));
    json!({
        "reference_pose": { "pose": source.kind.to_string(), "score": round(source.score) },
        "up": source.up.to_string(),
        "scale": metrics.scale,
        "leg_length_meters": round(metrics.leg_length),
        "joint_map": joint_map(report, rig, source),
        "unmoved_joints": report.map.unmatched_targets.iter().filter_map(|&joint| Some(&rig.joints.get(joint)?.name)).collect::<Vec<_>>(),
        "unused_joints": report.map.unmatched_sources.iter().map(|&joint| &source.figure.names[joint]).collect::<Vec<_>>(),
        "contacts": feet.collect::<Map<_, _>>(),
        "slide": slides.into_iter().collect::<Map<_, _>>(),
        "penetration_percent_of_leg": mean_and_most(metrics.penetration),
        "floating_percent_of_leg": mean_and_most(metrics.floating),
        "reach_shortfall_percent_of_leg": percent(metrics.reach_shortfall),
        "frames_out_of_reach": metrics.out_of_reach,
        "pelvis_shift_percent_of_leg": percent(metrics.pelvis_shift),
        "limb_direction_degrees": round(metrics.limb_direction),
        "angular_jerk_ratio": metrics.angular_jerk_ratio.map(round),
        "knee_acceleration_ratio": metrics.knee_acceleration_ratio.map(round),
        "seam": metrics.seam.map(|seam| json!({
            "degrees": round(seam.degrees),
            "height_percent_of_leg": percent(seam.height),
        })),
        "warnings": report.warnings.iter().map(warning).collect::<Vec<_>>(),
    })
}

fn joint_map(report: &RetargetReport, rig: &Rig, source: &Source) -> Map<String, Value> {
    let name = |joint: usize| source.figure.names[joint].as_str();
    let joints = rig.joints.iter().zip(&report.map.matches);
    let entry = joints.filter_map(|(joint, found)| {
        let found = (*found)?;
        let from = match found.origin {
            Origin::Joint(from) => json!(name(from)),
            Origin::Between(a, b, share) => json!({ "from": name(a), "to": name(b), "share": round(share) }),
        };
        let why = found.reason.to_string();
        Some((
            joint.name.clone(),
            json!({ "source": from, "why": why, "confidence": round(found.confidence) }),
        ))
    });
    entry.collect()
}

fn slide(slide: &Slide) -> Value {
    json!({
        "percent_of_leg_per_second": percent(slide.mean),
        "share_of_frames_that_slide": round(slide.ratio),
        "drift_of_stance_percent_of_leg": mean_and_most(slide.drift),
    })
}

fn spans(stances: &[Stance]) -> Vec<[usize; 2]> {
    stances.iter().map(|stance| [stance.frames.start, stance.frames.end - 1]).collect()
}

/// A warning with its code, and with the joint and the frame that it is about, as far as it is about one.
pub fn warning(warning: &Warning) -> Value {
    let (joint, frame) = (warning.joint(), warning.frame());
    json!({ "code": warning.code(), "joint": joint, "frame": frame, "text": warning.to_string() })
}

fn mean_and_most([mean, most]: [f64; 2]) -> Value {
    json!({ "mean": percent(mean), "most": percent(most) })
}

fn percent(part: f64) -> f64 {
    round(100.0 * part)
}

fn round(number: f64) -> f64 {
    (number * 1e4).round() / 1e4
}

#[cfg(test)]
mod tests {
    use super::*;
    use puppetry::io::{bvh, skeleton_file};
    use puppetry::math::Vec3;
    use puppetry::retarget::{RetargetOptions, SourceOptions, retarget};
    use puppetry::rig::bind_pose;

    #[test]
    fn a_walk_has_contacts_figures_and_a_joint_map() {
        let human = skeleton_file::read(puppetry::skeleton::built_in()[0].text).unwrap();
        let positions: Vec<Vec3> = human.joints.iter().map(|joint| 1.7 * joint.position).collect();
        let rig = Rig { joints: bind_pose(&human, &positions).joints.into(), tips: vec![], soles: vec![] };
        let walk = bvh::read(puppetry::motion::built_in()[0].bvh.as_bytes(), &mut Vec::new()).unwrap();
        let source = Source::of(&walk, &SourceOptions::default());
        let report = retarget(&rig, &walk, &source, &[], &RetargetOptions::default()).unwrap().report;
        let json = clip_json(&report, &rig, &source);
        assert_eq!(json["joint_map"]["LeftUpperArm"]["source"], "LeftArm");
        // Three cycles from the rest pose in frame 0 on; the last step may be cut.
        for foot in ["LeftFoot", "RightFoot"] {
            let heel = json["contacts"][foot]["heel"].as_array().unwrap();
            assert!((3..=4).contains(&heel.len()), "{heel:?}");
            assert!(heel.iter().all(|span| span[0].as_u64() < span[1].as_u64()));
        }
        let slide = |of: &str| json["slide"][of]["percent_of_leg_per_second"].as_f64().unwrap();
        assert!(slide("character") < 0.5 * slide("rotation_copy"), "{json:#}");
        assert!(json["seam"]["degrees"].is_number());
    }
}
