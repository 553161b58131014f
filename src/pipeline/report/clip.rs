//! What there is to tell about a clip.

use super::{Entries, WarningReport, percent, round};
use crate::retarget::joint_map::RotationSource;
use crate::retarget::metrics::stances::Stance;
use crate::retarget::metrics::{FootStances, Metrics, Slide};
use crate::retarget::{FingerCount, RetargetReport, Source};
use crate::rig::Rig;
use crate::skeleton::naming::{Role, Segment};

report_types! {
    /// How a motion was moved onto a character, and how good the clip is. Frames count from 0; spans name their first and their last
    /// frame. What compares the clip with its source is there only if `RetargetOptions::compare` asked for it.
    pub struct ClipReport {
        pub reference_pose: ReferencePose,
        pub up: String,
        pub scale: f64,
        pub leg_length_meters: f64,
        pub joint_map: Entries<JointSource>,
        pub unmoved_joints: Vec<String>,
        pub unused_joints: Vec<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        pub fingers: Option<FingerReport>,
        pub contacts: Entries<FootContactReport>,
        pub slide: Slides,
        pub penetration_percent_of_leg: MeanAndMost,
        pub floating_percent_of_leg: MeanAndMost,
        pub reach_shortfall_percent_of_leg: f64,
        pub frames_out_of_reach: Vec<usize>,
        pub arms_in_body_percent_of_leg: f64,
        pub frames_with_arms_in_body_percent: f64,
        pub pelvis_shift_percent_of_leg: Option<f64>,
        pub limb_direction_degrees: Option<f64>,
        pub angular_jerk_ratio: Option<f64>,
        pub knee_acceleration_ratio: Option<f64>,
        pub seam: Option<SeamReport>,
        pub warnings: Vec<WarningReport>,
    }

    /// What moves a joint of the character, and why.
    pub struct JointSource {
        pub source: SourceJoint,
        pub why: String,
        pub confidence: f64,
    }

    /// A joint of the motion, or a point between two.
    #[serde(untagged)]
    pub enum SourceJoint {
        Joint(String),
        Between { from: String, to: String, share: f64 },
    }

    /// What the joints of fingers do; only for characters that have some. Those that do not move as the motion's hang relaxed where
    /// hands are not drawn so, and are still else.
    pub struct FingerReport {
        pub imitating: usize,
        pub relaxed: usize,
        pub still: usize,
    }

    /// The frames in which the heel and the ball of a foot are planted, each the first and the last one.
    pub struct FootContactReport {
        pub heel: Vec<[usize; 2]>,
        pub ball: Vec<[usize; 2]>,
    }

    /// The pose of the motion that serves as its rest.
    pub struct ReferencePose {
        pub pose: String,
        pub score: f64,
    }

    /// How far planted feet slide: the character's, those of a copy of the rotations, and the source's.
    pub struct Slides {
        pub character: SlideReport,
        pub rotation_copy: Option<SlideReport>,
        pub source: Option<SlideReport>,
    }

    /// How far planted feet slide.
    pub struct SlideReport {
        pub percent_of_leg_per_second: f64,
        pub share_of_frames_that_slide: f64,
        pub drift_of_stance_percent_of_leg: MeanAndMost,
    }

    /// A mean and a largest value.
    pub struct MeanAndMost {
        pub mean: f64,
        pub most: f64,
    }

    /// What is seen where a loop begins again.
    pub struct SeamReport {
        pub degrees: f64,
        pub height_percent_of_leg: f64,
    }
}

impl ClipReport {
    /// What there is to tell about a motion on a rig.
    pub fn of(report: &RetargetReport, rig: &Rig, source: &Source) -> ClipReport {
        let (metrics, compared) = (&report.metrics, report.comparison.as_ref());
        let unmoved = report.map.unmatched_targets.iter().filter_map(|&joint| rig.joints.get(joint));
        let unused = report.map.unmatched_sources.iter().map(|&joint| source.figure.names[joint].clone());
        ClipReport {
            reference_pose: ReferencePose { pose: source.kind.to_string(), score: round(source.score, 4) },
            up: source.up.to_string(),
            scale: metrics.scale,
            leg_length_meters: round(metrics.leg_length, 4),
            joint_map: joint_map(report, rig, source),
            unmoved_joints: unmoved.map(|joint| joint.name.clone()).collect(),
            unused_joints: unused.collect(),
            fingers: report.fingers.map(|FingerCount { imitating, relaxed, still }| FingerReport {
                imitating,
                relaxed,
                still,
            }),
            contacts: contacts(metrics),
            slide: Slides {
                character: (&metrics.slide).into(),
                rotation_copy: compared.map(|compared| (&compared.slide_of_copy).into()),
                source: compared.map(|compared| (&compared.slide_of_source).into()),
            },
            penetration_percent_of_leg: metrics.penetration.into(),
            floating_percent_of_leg: metrics.floating.into(),
            reach_shortfall_percent_of_leg: percent(metrics.reach_shortfall),
            frames_out_of_reach: metrics.out_of_reach.clone(),
            arms_in_body_percent_of_leg: percent(metrics.body_overlap.map_or(0.0, |overlap| overlap.depth)),
            frames_with_arms_in_body_percent: percent(
                metrics.body_overlap.map_or(0.0, |overlap| overlap.share),
            ),
            pelvis_shift_percent_of_leg: compared.map(|compared| percent(compared.pelvis_shift)),
            limb_direction_degrees: compared.map(|compared| round(compared.limb_direction, 4)),
            angular_jerk_ratio: compared
                .and_then(|compared| compared.angular_jerk_ratio)
                .map(|ratio| round(ratio, 4)),
            knee_acceleration_ratio: compared
                .and_then(|compared| compared.knee_acceleration_ratio)
                .map(|ratio| round(ratio, 4)),
            seam: compared.and_then(|compared| compared.seam).map(|seam| SeamReport {
                degrees: round(seam.degrees, 4),
                height_percent_of_leg: percent(seam.height),
            }),
            warnings: report.warnings.iter().map(WarningReport::from).collect(),
        }
    }
}

impl From<&Slide> for SlideReport {
    fn from(slide: &Slide) -> SlideReport {
        SlideReport {
            percent_of_leg_per_second: percent(slide.mean),
            share_of_frames_that_slide: round(slide.ratio, 4),
            drift_of_stance_percent_of_leg: slide.drift.into(),
        }
    }
}

impl From<[f64; 2]> for MeanAndMost {
    fn from([mean, most]: [f64; 2]) -> MeanAndMost {
        MeanAndMost { mean: percent(mean), most: percent(most) }
    }
}

fn contacts(metrics: &Metrics) -> Entries<FootContactReport> {
    let contact = |foot: &FootStances| FootContactReport { heel: spans(&foot.heel), ball: spans(&foot.ball) };
    let feet = metrics.feet.iter();
    feet.map(|foot| (Role::Limb(foot.leg.0, foot.leg.1, Segment::End).to_string(), contact(foot))).collect()
}

fn joint_map(report: &RetargetReport, rig: &Rig, source: &Source) -> Entries<JointSource> {
    let name = |joint: usize| source.figure.names[joint].clone();
    let joints = rig.joints.iter().zip(&report.map.matches);
    let entries = joints.filter_map(|(joint, found)| {
        let found = (*found)?;
        let origin = match found.origin {
            RotationSource::Joint(from) => SourceJoint::Joint(name(from)),
            RotationSource::Between(a, b, share) => {
                SourceJoint::Between { from: name(a), to: name(b), share: round(share, 4) }
            }
        };
        let (why, confidence) = (found.reason.to_string(), round(found.confidence, 4));
        Some((joint.name.clone(), JointSource { source: origin, why, confidence }))
    });
    entries.collect()
}

fn spans(stances: &[Stance]) -> Vec<[usize; 2]> {
    stances.iter().map(|stance| [stance.frames.start, stance.frames.end - 1]).collect()
}
