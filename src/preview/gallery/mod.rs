//! The page of a motion library: a grid of clips that play, and a view of each.
//!
//! A page opened from disk may not fetch, so that all data comes as script files which call back into the page. The
//! page itself is one file without anything from elsewhere; its viewer is WebGL 2 by hand.

use super::facts::PreviewFacts;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

/// What the page knows about a clip.
#[derive(Debug, Clone, PartialEq)]
pub struct GalleryClip {
    /// A name for its files, of letters and digits.
    pub id: String,
    /// What people call it: the file without folder and ending.
    pub name: String,
    /// The folder of the motion file below the library, with slashes; empty at the top.
    pub folder: String,
    /// The naming convention of the joints, if it is a known one.
    pub convention: Option<String>,
    /// Frames a second of the file.
    pub frames_per_second: f64,
    /// Whether its end meets its beginning.
    pub loops: bool,
    /// Ending of the loop's file: `webp`, `png` or `gif`.
    pub film: &'static str,
    /// The command that bakes it.
    pub command: String,
    /// Which of the page's characters performs it.
    pub character: usize,
    /// The joint of that character that carries its trunk.
    pub hips: String,
    /// What it is like.
    pub facts: PreviewFacts,
    /// What a person should know: what was mended in the file, where the character falls short.
    pub notes: Vec<String>,
}

/// A motion that could not be shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GalleryFailure {
    /// The motion file below the library.
    pub file: String,
    /// One sentence.
    pub reason: String,
}

const PAGE: &str = include_str!("page.html");
const STYLE: &str = include_str!("style.css");
const SCRIPTS: [&str; 3] = [include_str!("glb.js"), include_str!("viewer.js"), include_str!("page.js")];

/// The page.
pub fn page(title: &str) -> String {
    let title = title.replace('&', "&amp;").replace('<', "&lt;").replace('"', "&quot;");
    PAGE.replace("/*style*/", STYLE).replace("/*scripts*/", &SCRIPTS.join("\n")).replace("{title}", &title)
}

/// A clip as JSON, as the list has it.
pub fn clip_json(clip: &GalleryClip) -> Value {
    let facts = &clip.facts;
    let millimetres = |x: f64| round(x * 1e3, 10.0);
    json!({
        "id": clip.id,
        "name": clip.name,
        "folder": clip.folder,
        "convention": clip.convention,
        "fps": round(clip.frames_per_second, 100.0),
        "loops": clip.loops,
        "film": clip.film,
        "command": clip.command,
        "character": clip.character,
        "hips": clip.hips,
        "seconds": round(facts.seconds, 100.0),
        "travel": round(facts.travel, 100.0),
        "travels": facts.travels,
        "speed": round(facts.speed, 100.0),
        "top_speed": round(facts.top_speed, 100.0),
        "turn": facts.turn.round(),
        "airborne": round(facts.airborne, 100.0),
        "slide": millimetres(facts.slide),
        "worst_slide": millimetres(facts.worst_slide),
        "stances": facts.stances,
        "path": facts.path.iter().map(|p| p.map(|x| round(x, 1e3))).collect::<Vec<_>>(),
        "speeds": facts.speeds.iter().map(|&x| round(x, 100.0)).collect::<Vec<_>>(),
        "contacts": facts.contacts.iter()
            .map(|spans| spans.iter().map(|span| span.map(|x| round(x, 100.0))).collect::<Vec<_>>())
            .collect::<Vec<_>>(),
        "notes": clip.notes,
        "tags": facts.tags.iter().map(|tag| tag.name()).collect::<Vec<_>>(),
    })
}

/// The script with the list of all clips, in the order given, of what failed, and how many are still to come.
pub fn list_script(clips: &[Value], failures: &[GalleryFailure], left: usize) -> String {
    let failures: Vec<Value> =
        failures.iter().map(|failure| json!({"file": failure.file, "reason": failure.reason})).collect();
    format!("gallery.list({}, {}, {left});\n", script_safe(&json!(clips)), script_safe(&json!(failures)))
}

/// The script with a GLB file: of a character by its number, or of a clip by its name.
pub fn model_script(key: &str, glb: &[u8]) -> String {
    format!("gallery.model({}, \"{}\");\n", script_safe(&json!(key)), STANDARD.encode(glb))
}

/// JSON that may stand in a script: two line ends of Unicode, and the end of a script, mean something else there.
fn script_safe(value: &Value) -> String {
    value.to_string().replace('\u{2028}', "\\u2028").replace('\u{2029}', "\\u2029").replace("</", "<\\/")
}

fn round(value: f64, grains: f64) -> f64 {
    (value * grains).round() / grains
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_needs_nothing_from_elsewhere() {
        let page = page("a <b> & \"c\"");
        assert!(page.contains("<title>a &lt;b> &amp; &quot;c&quot;</title>"));
        for outside in ["http://", "https://", "@import", "fetch(", "XMLHttpRequest"] {
            assert!(!page.contains(outside), "{outside}");
        }
        assert!(!page.contains("/*style*/") && !page.contains("/*scripts*/"));
        assert_eq!(page.matches("</script>").count(), 2, "no script ends early");
    }

    #[test]
    fn names_cannot_break_out_of_their_script() {
        let failures = [GalleryFailure { file: "</script>\u{2028}".into(), reason: "\"'\n".into() }];
        let script = list_script(&[], &failures, 3);
        assert_eq!(
            script,
            "gallery.list([], [{\"file\":\"<\\/script>\\u2028\",\"reason\":\"\\\"'\\n\"}], 3);\n"
        );
        assert_eq!(model_script("a", b"glTF"), "gallery.model(\"a\", \"Z2xURg==\");\n");
    }
}
