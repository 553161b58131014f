//! The lines of a skeleton file that hold weights.

use puppetry::stages::skeleton::{PENALTIES, PenaltyWeights};

/// How a line begins that tells where the weights are from.
const ABOUT_WEIGHTS: &str = "# weights: ";

/// The text of a skeleton file with other weights, and with remarks on them; everything else stays as it is.
pub fn with_weights(text: &str, weights: &PenaltyWeights, remarks: &[String]) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let kept: Vec<&str> = lines.iter().copied().filter(|line| !is_of_weights(line)).collect();
    // Where they stood; else above the first joint and the comments that belong to it.
    let before = match lines.iter().position(|line| is_of_weights(line)) {
        Some(first) => first,
        None => {
            let joints = kept.iter().map(|line| line.split_whitespace().next());
            let joint = joints.clone().position(|word| matches!(word, Some("joint" | "pair")));
            let joint = joint.unwrap_or(kept.len());
            let comments = kept[..joint].iter().rev().take_while(|line| line.trim_start().starts_with('#'));
            joint - comments.count()
        }
    };
    let mut new: Vec<String> = kept[..before].iter().map(|line| (*line).to_owned()).collect();
    new.extend(remarks.iter().map(|remark| format!("{ABOUT_WEIGHTS}{remark}")));
    new.extend(PENALTIES.iter().zip(weights.0).map(|(penalty, weight)| {
        format!("weight  {:<24}{}", penalty.name.replace(' ', "-"), significant(weight))
    }));
    new.extend(kept[before..].iter().map(|line| (*line).to_owned()));
    new.join("\n") + "\n"
}

/// Whether a line has a weight, or tells where the weights are from.
fn is_of_weights(line: &str) -> bool {
    line.split_whitespace().next() == Some("weight")
        || line.trim_start().starts_with(ABOUT_WEIGHTS.trim_end())
}

/// A weight as it is written: four digits, more than its accuracy.
pub fn significant(weight: f64) -> f64 {
    format!("{weight:.3e}").parse().unwrap_or(weight)
}

#[cfg(test)]
mod tests {
    use super::*;
    use puppetry::Skeleton;
    use puppetry::stages::io::skeleton_file::read;
    use puppetry::stages::skeleton::built_in;

    #[test]
    fn weights_are_replaced_and_nothing_else() {
        let text = built_in()[0].text;
        let learned = PenaltyWeights(std::array::from_fn(|penalty| 0.01 * (penalty + 1) as f64));
        let once = with_weights(text, &learned, &["from a test".to_owned()]);
        assert_eq!(read(&once).unwrap(), Skeleton { weights: learned, ..read(text).unwrap() });
        // A second time, in the same place.
        assert_eq!(with_weights(&once, &learned, &["from a test".to_owned()]), once);
        let is_own = |line: &&str| !line.starts_with("weight") && !line.starts_with(ABOUT_WEIGHTS);
        let others = |text: &str| text.lines().filter(is_own).map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(others(&once), others(text));
        assert_eq!(significant(0.0123456), 0.01235);
    }
}
