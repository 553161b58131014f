//! Predicted against observed: how often a rig is good that is said to be good with some probability, as a picture.

use std::fmt::Write;

/// Characters of a dot: with fewer the standard errors are as large as what they are to show. The last dot may have fewer.
const PER_DOT: usize = 24;
/// Width of the square and of its rim, in pixels.
const SIZE: f64 = 400.0;
const RIM: f64 = 60.0;

/// Dots of equal numbers of characters, from the least to the most probable, with the standard error of each.
pub fn svg(logits: &[f64], is_right: &[bool]) -> String {
    let mut sorted: Vec<(f64, bool)> =
        logits.iter().map(|logit| 1.0 / (1.0 + (-logit).exp())).zip(is_right.iter().copied()).collect();
    sorted.sort_by(|a, b| a.0.total_cmp(&b.0));
    let x = |p: f64| RIM + SIZE * p;
    let y = |p: f64| RIM + SIZE * (1.0 - p);
    let full = SIZE + 2.0 * RIM;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{full}\" height=\"{full}\" viewBox=\"0 0 {full} {full}\" \
         font-family=\"sans-serif\" font-size=\"13\">\n<rect width=\"{full}\" height=\"{full}\" fill=\"#ffffff\"/>\n"
    );
    for fifth in 0..=5 {
        let p = f64::from(fifth) / 5.0;
        let _ = writeln!(
            svg,
            "<path d=\"M{} {}H{}M{} {}V{}\" stroke=\"#dddddd\"/>",
            x(0.0),
            y(p),
            x(1.0),
            x(p),
            y(0.0),
            y(1.0)
        );
        let _ = writeln!(
            svg,
            "<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">{p:.1}</text>",
            x(p),
            y(0.0) + 20.0
        );
        let _ = writeln!(
            svg,
            "<text x=\"{}\" y=\"{}\" text-anchor=\"end\">{p:.1}</text>",
            x(0.0) - 8.0,
            y(p) + 4.0
        );
    }
    let _ = writeln!(
        svg,
        "<path d=\"M{} {}L{} {}\" stroke=\"#888888\" stroke-dasharray=\"5 4\"/>",
        x(0.0),
        y(0.0),
        x(1.0),
        y(1.0)
    );
    for dot in sorted.chunks(PER_DOT) {
        let count = dot.len() as f64;
        let said = dot.iter().map(|(p, _)| p).sum::<f64>() / count;
        let seen = dot.iter().filter(|(_, right)| *right).count() as f64 / count;
        let error = (seen * (1.0 - seen) / count).sqrt();
        let (low, high) = ((seen - error).max(0.0), (seen + error).min(1.0));
        let _ = writeln!(svg, "<path d=\"M{} {}V{}\" stroke=\"#2266aa\"/>", x(said), y(low), y(high));
        let _ =
            writeln!(svg, "<circle cx=\"{:.1}\" cy=\"{:.1}\" r=\"5\" fill=\"#2266aa\"/>", x(said), y(seen));
    }
    let middle = 0.5 * full;
    let _ = writeln!(
        svg,
        "<text x=\"{middle}\" y=\"{}\" text-anchor=\"middle\">confidence, families left out</text>",
        full - 18.0
    );
    let _ = writeln!(
        svg,
        "<text transform=\"translate(18 {middle}) rotate(-90)\" text-anchor=\"middle\">part of the rigs that pass</text>"
    );
    svg + "</svg>\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_a_dot_for_so_many_characters() {
        let logits: Vec<f64> = (0..50).map(|i| f64::from(i) / 10.0 - 2.5).collect();
        let is_right: Vec<bool> = (0..50).map(|i| i > 25).collect();
        assert_eq!(svg(&logits, &is_right).matches("<circle").count(), 3);
    }
}
