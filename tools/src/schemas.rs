//! JSON Schemas of what the program writes, made from the types that it writes.

use puppetry::stages::io::rig_file::RigRecord;
use puppetry::stages::pipeline::Inspection;
use puppetry::stages::preview::PreviewFacts;
use puppetry::{ClipReport, RigReport, RunReport};
use schemars::{JsonSchema, Schema, generate::SchemaSettings};

/// The files of `docs/schemas` with their texts.
pub fn files() -> Vec<(&'static str, String)> {
    vec![
        ("rig-report.json", text::<RigReport>()),
        ("clip-report.json", text::<ClipReport>()),
        ("run-report.json", text::<RunReport>()),
        ("inspection.json", text::<Inspection>()),
        ("preview-facts.json", text::<PreviewFacts>()),
        ("rig-file.json", text::<RigRecord>()),
    ]
}

/// The schema of a type as it is written: a field that may be null is there.
pub fn schema<T: JsonSchema>() -> Schema {
    SchemaSettings::draft2020_12().for_serialize().into_generator().into_root_schema_for::<T>()
}

fn text<T: JsonSchema>() -> String {
    format!("{:#}\n", schema::<T>().as_value())
}
