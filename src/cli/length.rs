//! Lengths as people type them.

/// How high a character is to be.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Height {
    /// As a person is, if the file's own unit makes it much lower or higher.
    Auto,
    /// In metres.
    Meters(f64),
}

/// Units with their lengths in metres; the longer names of what one begins with come first.
const UNITS: [(&str, f64); 15] = [
    ("metres", 1.0),
    ("meters", 1.0),
    ("metre", 1.0),
    ("meter", 1.0),
    ("mm", 0.001),
    ("cm", 0.01),
    ("m", 1.0),
    ("feet", FOOT),
    ("foot", FOOT),
    ("ft", FOOT),
    ("'", FOOT),
    ("inches", INCH),
    ("inch", INCH),
    ("in", INCH),
    ("\"", INCH),
];
const FOOT: f64 = 0.3048;
const INCH: f64 = 0.0254;

/// A height: `1.8`, `1.8m`, `180 cm`, `5ft11`, or `auto`.
pub fn height(text: &str) -> Result<Height, String> {
    if text.eq_ignore_ascii_case("auto") {
        return Ok(Height::Auto);
    }
    let meters = meters(text)
        .ok_or("it must be a length above zero, such as 1.8 (metres), 180cm or 5ft11, or auto")?;
    Ok(Height::Meters(meters))
}

/// A unit: its length in metres, or its name.
pub fn unit(text: &str) -> Result<f64, String> {
    let named = UNITS.iter().find(|(name, _)| name.eq_ignore_ascii_case(text)).map(|(_, meters)| *meters);
    named
        .or_else(|| meters(text))
        .ok_or("it must be a length above zero, such as 0.01 (metres), cm or in".to_owned())
}

/// Inches in a foot.
const A_FOOT: f64 = 12.0;

/// A length above zero in metres; a number alone is one. Feet may have inches behind them.
fn meters(text: &str) -> Option<f64> {
    let lower = text.trim().to_ascii_lowercase();
    let (number, unit, rest) = take_length(&lower)?;
    let inches = match take_length(rest) {
        _ if rest.is_empty() => 0.0,
        Some((inches, inch, "")) if unit == Some(FOOT) && inch.unwrap_or(INCH) == INCH && inches < A_FOOT => {
            inches * INCH
        }
        _ => return None,
    };
    let total = number * unit.unwrap_or(1.0) + inches;
    (total > 0.0 && total.is_finite()).then_some(total)
}

/// The number and the unit with which a text begins, and what is behind them.
fn take_length(text: &str) -> Option<(f64, Option<f64>, &str)> {
    // No unit begins with the letter of an exponent.
    let end = text.find(|c: char| !c.is_ascii_digit() && !"+-.e".contains(c));
    let (number, rest) = text.split_at(end.unwrap_or(text.len()));
    let rest = rest.trim_start();
    let unit = UNITS.iter().find_map(|(name, meters)| Some((*meters, rest.strip_prefix(name)?)));
    let (unit, rest) = unit.map_or((None, rest), |(meters, rest)| (Some(meters), rest.trim_start()));
    Some((number.trim().parse().ok().filter(|number: &f64| *number >= 0.0)?, unit, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heights_are_understood_as_people_write_them() {
        for (text, meters) in [
            ("1.8", 1.8),
            ("1.8m", 1.8),
            ("1.8 metres", 1.8),
            ("180cm", 1.8),
            ("1800 mm", 1.8),
            ("5ft11", 1.8034),
            ("5ft 11in", 1.8034),
            ("5'11\"", 1.8034),
            ("6 feet", 1.8288),
            ("71in", 1.8034),
            ("71 inch", 1.8034),
            ("1e-3", 0.001),
            ("2E1", 20.0),
        ] {
            let Ok(Height::Meters(found)) = height(text) else { panic!("{text}") };
            assert!((found - meters).abs() < 1e-9, "{text}: {found}");
        }
        assert_eq!(height("Auto"), Ok(Height::Auto));
        for wrong in
            ["", "m", "0", "-1", "inf", "nan", "1.8km", "5ft11m", "11in5ft", "180cm5", "1.8.1", "5ft12"]
        {
            assert!(height(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_unit_is_a_name_or_a_length() {
        assert_eq!([unit("cm"), unit("0.01"), unit("1cm")].map(Result::unwrap), [0.01; 3]);
        for inch in ["in", "inch", "inches", "\"", "1in", "1inch", "0.0254 m"] {
            assert_eq!(unit(inch), Ok(INCH), "{inch}");
        }
        assert!(unit("furlong").is_err() && unit("0").is_err());
    }
}
