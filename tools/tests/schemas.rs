//! The committed schemas are those of the types, and what the program writes is valid by them.

use puppetry_tools::schemas;
use serde_json::Value;
use std::ffi::OsString;
use std::fs;
use std::path::Path;

fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
}

fn committed(name: &str) -> String {
    fs::read_to_string(root().join("docs/schemas").join(name)).unwrap()
}

fn json(path: &Path) -> Value {
    serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

#[track_caller]
fn is_valid(document: &Value, schema: &str) {
    let schema: Value = serde_json::from_str(&committed(schema)).unwrap();
    if let Err(why) = validate(document, &schema, &schema) {
        panic!("{why}");
    }
}

/// Checks a value by the keywords that our schemas use. The whole of JSON Schema would need 45 packages more.
fn validate(value: &Value, schema: &Value, whole: &Value) -> Result<(), String> {
    const KEYWORDS: [&str; 21] = [
        "$schema",
        "$defs",
        "$ref",
        "title",
        "description",
        "format",
        "type",
        "properties",
        "required",
        "additionalProperties",
        "items",
        "prefixItems",
        "minItems",
        "maxItems",
        "minimum",
        "maximum",
        "anyOf",
        "oneOf",
        "enum",
        "const",
        "default",
    ];
    let Some(schema) = schema.as_object() else { return Ok(()) };
    for (keyword, rule) in schema {
        assert!(KEYWORDS.contains(&keyword.as_str()), "the test does not know the keyword {keyword}");
        let shown = || format!("{value} is against {keyword} {rule}");
        let holds = |condition: bool| if condition { Ok(()) } else { Err(shown()) };
        let fits = |schema: &Value| validate(value, schema, whole);
        let items = value.as_array();
        match keyword.as_str() {
            "$ref" => {
                let pointer = rule.as_str().unwrap().trim_start_matches('#');
                fits(whole.pointer(pointer).unwrap())?;
            }
            "type" => holds(match rule {
                Value::Array(kinds) => kinds.iter().any(|kind| is_of(value, kind)),
                kind => is_of(value, kind),
            })?,
            "required" => {
                let mut keys = rule.as_array().unwrap().iter().map(|key| key.as_str().unwrap());
                holds(!value.is_object() || keys.all(|key| value.get(key).is_some()))?;
            }
            "properties" => {
                for (key, schema) in rule.as_object().unwrap() {
                    value.get(key).map_or(Ok(()), |own| validate(own, schema, whole))?;
                }
                // Serialised types have no other keys, unless it says so.
                let is_closed = !schema.contains_key("additionalProperties");
                let mut keys = value.as_object().into_iter().flat_map(|object| object.keys());
                holds(!is_closed || keys.all(|key| rule.get(key).is_some()))?;
            }
            "additionalProperties" => {
                let mut others = value.as_object().into_iter().flatten();
                others.try_for_each(|(_, own)| validate(own, rule, whole))?;
            }
            "items" => items.into_iter().flatten().try_for_each(|item| validate(item, rule, whole))?,
            "prefixItems" => {
                let mut pairs = items.into_iter().flatten().zip(rule.as_array().unwrap());
                pairs.try_for_each(|(item, schema)| validate(item, schema, whole))?;
            }
            "minItems" => holds(items.is_none_or(|items| items.len() as u64 >= rule.as_u64().unwrap()))?,
            "maxItems" => holds(items.is_none_or(|items| items.len() as u64 <= rule.as_u64().unwrap()))?,
            "minimum" => holds(value.as_f64().is_none_or(|number| number >= rule.as_f64().unwrap()))?,
            "maximum" => holds(value.as_f64().is_none_or(|number| number <= rule.as_f64().unwrap()))?,
            "anyOf" | "oneOf" => {
                let failures: Vec<String> =
                    rule.as_array().unwrap().iter().filter_map(|schema| fits(schema).err()).collect();
                if failures.len() == rule.as_array().unwrap().len() {
                    return Err(failures.join("; or "));
                }
            }
            "enum" => holds(rule.as_array().unwrap().contains(value))?,
            "const" => holds(rule == value)?,
            _ => {}
        }
    }
    Ok(())
}

fn is_of(value: &Value, kind: &Value) -> bool {
    match kind.as_str().unwrap() {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_u64() || value.is_i64(),
        "number" => value.is_number(),
        "string" => value.is_string(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        other => panic!("the test does not know the type {other}"),
    }
}

#[test]
fn what_is_not_as_the_schema_says_is_refused() {
    let (_, text) = schemas::files().into_iter().find(|(name, _)| *name == "rig-file.json").unwrap();
    let schema: Value = serde_json::from_str(&text).unwrap();
    let valid = serde_json::json!({
        "puppetry_rig": 1, "skeleton": "rope", "confidence": 1.0, "symmetric": false, "joints": {"a": [0.0, 1, 2]},
        "tips": {}, "soles": [],
        "hierarchy": [{"name": "a", "parent": null, "partner": null, "tags": ["foot"], "confidence": 0.5}],
        "output_from_input": {
            "matrix": [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1], "scale": 1, "rotation": [0, 0, 0, 1],
            "translation": [0, 0, 0]
        }
    });
    validate(&valid, &schema, &schema).unwrap();
    for (pointer, wrong) in [
        ("/skeleton", Value::Null),
        ("/joints/a", serde_json::json!([0, 1])),
        ("/hierarchy/0/parent", 1.into()),
        ("/hierarchy/0", serde_json::json!({"name": "a"})),
        ("/output_from_input", serde_json::json!({"matrix": []})),
    ] {
        let mut document = valid.clone();
        *document.pointer_mut(pointer).unwrap() = wrong;
        assert!(validate(&document, &schema, &schema).is_err(), "{pointer}");
    }
}

#[test]
fn committed_schemas_are_those_of_the_types() {
    for (name, text) in schemas::files() {
        assert!(committed(name) == text, "{name}: cargo run -p puppetry-tools --bin schemas");
    }
}

#[test]
fn what_is_written_is_valid() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name);
    let puppetry = |arguments: &[&str]| {
        let paths = arguments.iter().map(|argument| match argument.strip_prefix('@') {
            Some(output) => at(output).into_os_string(),
            None => OsString::from(argument),
        });
        let code = puppetry::cli::run([OsString::from("puppetry")].into_iter().chain(paths));
        assert_eq!(code, 0, "{arguments:?}");
    };
    let mesh = root().join("examples/characters/gingerbread.glb");
    let mesh = mesh.to_str().unwrap();
    puppetry(&["rig", mesh, "-o", "@rig.json", "-o", "@rigged.glb", "--report", "@rig-report.json", "-q"]);
    is_valid(&json(&at("rig.json")), "rig-file.json");
    is_valid(&json(&at("rig-report.json")), "rig-report.json");

    puppetry(&["animate", mesh, "--motion", "walk", "-o", "@a.glb", "--report", "@run-report.json", "-q"]);
    let report = json(&at("run-report.json"));
    is_valid(&report, "run-report.json");
    is_valid(&report["clips"][0]["retargeting"], "clip-report.json");
    is_valid(&report["rig"], "rig-report.json");

    puppetry(&["preview", "walk", "-o", "@page/", "--size", "64", "-q"]);
    let record = fs::read_dir(at("page/data")).unwrap().flatten().map(|file| file.path());
    let record = record.into_iter().find(|path| path.extension().is_some_and(|e| e == "json")).unwrap();
    // They stand among the other fields of the clip.
    let schema: Value = serde_json::from_str(&committed("preview-facts.json")).unwrap();
    let mut facts = json(&record)["clips"][0].take();
    facts.as_object_mut().unwrap().retain(|key, _| schema["properties"].get(key).is_some());
    is_valid(&facts, "preview-facts.json");
}

#[test]
fn what_inspect_prints_is_valid() {
    // The program itself, because the lines are read from its standard output.
    let folder = Path::new(env!("CARGO_BIN_EXE_schemas")).parent().unwrap();
    let program = folder.join("puppetry").with_extension(std::env::consts::EXE_EXTENSION);
    if !program.exists() {
        return println!("skipped: there is no {}; build the workspace", program.display());
    }
    let files = ["examples/characters/gingerbread.glb", "motions/walk.bvh", "no such file"];
    let run = std::process::Command::new(program)
        .args(["inspect", "--json"])
        .args(files)
        .current_dir(root())
        .output();
    let lines = String::from_utf8(run.unwrap().stdout).unwrap();
    assert_eq!(lines.lines().count(), files.len());
    for line in lines.lines() {
        is_valid(&serde_json::from_str(line).unwrap(), "inspection.json");
    }
}
