//! JSON documents of our own: laid out for people; faults have JSON pointers.

use super::{Fault, Problem};
use serde_json::Value;
use std::fmt::Write;

/// A document with one member a line down to a depth, and everything below that in one line.
pub fn lines(value: &Value, depth: usize) -> String {
    let mut text = String::new();
    lay_out(value, depth, 0, &mut text);
    text.push('\n');
    text
}

fn lay_out(value: &Value, depth: usize, indent: usize, text: &mut String) {
    let mut members: Vec<(String, &Value)> = Vec::new();
    let (open, close) = match value {
        Value::Object(object) if depth > 0 && !object.is_empty() => {
            members.extend(
                object.iter().map(|(key, value)| (format!("{}: ", Value::from(key.as_str())), value)),
            );
            ('{', '}')
        }
        // A list of numbers is one thing: a position, a matrix.
        Value::Array(list) if depth > 0 && list.iter().any(|value| !value.is_number()) => {
            members.extend(list.iter().map(|value| (String::new(), value)));
            ('[', ']')
        }
        _ => {
            let _ = write!(text, "{}", Spaced(value));
            return;
        }
    };
    text.push(open);
    for (index, (key, value)) in members.iter().enumerate() {
        let comma = if index > 0 { "," } else { "" };
        let _ = write!(text, "{comma}\n{:1$}{key}", "", indent + 2);
        lay_out(value, depth - 1, indent + 2, text);
    }
    let _ = write!(text, "\n{:indent$}{close}", "");
}

/// Whole numbers below have all their digits in an `f64`.
const EXACT: f64 = 1e15;

/// A value in one line, with a blank behind each comma and colon.
struct Spaced<'a>(&'a Value);

impl std::fmt::Display for Spaced<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.0 {
            Value::Array(list) => {
                f.write_str("[")?;
                for (index, value) in list.iter().enumerate() {
                    write!(f, "{}{}", if index > 0 { ", " } else { "" }, Spaced(value))?;
                }
                f.write_str("]")
            }
            Value::Object(object) => {
                f.write_str("{")?;
                for (index, (key, value)) in object.iter().enumerate() {
                    let gap = if index > 0 { ", " } else { " " };
                    write!(f, "{gap}{}: {}", Value::from(key.as_str()), Spaced(value))?;
                }
                f.write_str(if object.is_empty() { "}" } else { " }" })
            }
            // A whole number keeps its point away: 1 and not 1.0.
            Value::Number(number) => match number.as_f64() {
                Some(x) if x == x.trunc() && x.abs() < EXACT => write!(f, "{x:.0}"),
                _ => write!(f, "{number}"),
            },
            value => write!(f, "{value}"),
        }
    }
}

/// Parses a document, with or without a byte order mark.
pub(super) fn parse(bytes: &[u8]) -> Result<Value, Fault> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    if bytes.is_empty() {
        return Err(Fault::whole(Problem::Empty));
    }
    serde_json::from_slice(bytes).map_err(|error| Fault::line(error.line(), Problem::Json(error)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn members_have_a_line_each_down_to_the_depth() {
        let value =
            json!({ "a": 1.0, "b": { "c": [1.5, -2.0], "d": { "e": null } }, "f": [], "g": [{ "h": "i" }] });
        assert_eq!(
            lines(&value, 2),
            "{\n  \"a\": 1,\n  \"b\": {\n    \"c\": [1.5, -2],\n    \"d\": { \"e\": null }\n  },\n  \"f\": [],\n  \
             \"g\": [\n    { \"h\": \"i\" }\n  ]\n}\n"
        );
        assert_eq!(serde_json::from_str::<Value>(&lines(&value, 1)).unwrap()["g"], value["g"]);
    }
}
