//! Texts that must stay as they are: compared with a file of `tests/golden`, which `BLESS=1` writes anew.

use std::fs;

/// Compares a text with `tests/golden/NAME`, line by line. A missing file is a failure, not a silent beginning.
#[track_caller]
pub fn assert_golden(name: &str, text: &str) {
    let path = super::root().join("tests/golden").join(name);
    if std::env::var_os("BLESS").is_some() {
        return fs::write(path, text).expect("golden files can be written");
    }
    let expected = fs::read_to_string(&path).unwrap_or_default();
    let differences = differences(&expected, text);
    assert!(
        differences.is_empty(),
        "tests/golden/{name} has changed (BLESS=1 accepts it):\n{}",
        differences.join("\n")
    );
}

/// Lines that only one of two texts has, each once, in their order.
fn differences(expected: &str, text: &str) -> Vec<String> {
    let (before, after): (Vec<&str>, Vec<&str>) = (expected.lines().collect(), text.lines().collect());
    let gone = before.iter().filter(|line| !after.contains(line)).map(|line| format!("- {line}"));
    let new = after.iter().filter(|line| !before.contains(line)).map(|line| format!("+ {line}"));
    gone.chain(new).collect()
}
