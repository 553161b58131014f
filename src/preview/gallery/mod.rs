//! The page of a motion library: a grid of clips that play, and a view of each.
//!
//! A page opened from disk may not fetch, so that all data comes as script files which call back into the page. The
//! page itself is one file without anything from elsewhere; its viewer is WebGL 2 by hand.

use super::facts::{PreviewFacts, rounded};
use super::tag_words::tags_by_words;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize, Serializer};

/// What the page knows about a clip.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GalleryClip {
    /// A name for its files, of letters and digits.
    pub id: String,
    /// What people call it: the file without folder and ending.
    pub name: String,
    /// The folder of the motion file below the library, with slashes; empty at the top.
    pub folder: String,
    /// What it shows, if an index says so.
    pub description: String,
    /// The naming convention of the joints, if it is a known one.
    pub convention: Option<String>,
    /// Frames a second of the file.
    #[serde(rename = "fps", serialize_with = "hundredths")]
    pub frames_per_second: f64,
    /// Whether its end meets its beginning.
    pub loops: bool,
    /// Ending of the animation's file: `webp`, `png` or `gif`.
    #[serde(rename = "film")]
    pub animation: String,
    /// The motion as one names it to the command that bakes it.
    pub motion: String,
    /// A file for the result.
    pub output: String,
    /// Which of the page's characters performs it.
    pub character: usize,
    /// The joint of that character that carries its trunk.
    pub hips: String,
    /// What it is like.
    #[serde(flatten)]
    pub facts: PreviewFacts,
}

impl GalleryClip {
    /// Puts the kinds that its name, its description or its folder says before those that were seen.
    pub fn tag_by_words(&mut self) {
        let name = format!("{} {}", self.name, self.description);
        self.facts.tags = tags_by_words(&self.facts.tags, &name, &self.folder);
    }
}

/// The command that bakes clips of a page: `COMMAND --motion MOTION... -o OUTPUT FLAGS`, each part as a shell takes it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Bake {
    /// The program, its command and the character.
    pub command: String,
    /// A file for several clips.
    pub output: String,
    /// The flags that were given, with a space before each.
    pub flags: String,
}

/// A motion that could not be shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
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

/// The script with the list of all clips, in the order given, of what failed, how many are still to come, and how they are
/// baked.
pub fn list_script(clips: &[GalleryClip], failures: &[GalleryFailure], left: usize, bake: &Bake) -> String {
    let [clips, failures, bake] = [script_safe(clips), script_safe(failures), script_safe(bake)];
    format!("gallery.list({clips}, {failures}, {left}, {bake});\n")
}

/// The script with a GLB file: of a character by its number, or of a clip by its name.
pub fn model_script(key: &str, glb: &[u8]) -> String {
    format!("gallery.model({}, \"{}\");\n", script_safe(key), STANDARD.encode(glb))
}

/// JSON that may stand in a script: two line ends of Unicode, and the end of a script, mean something else there.
fn script_safe(value: &(impl Serialize + ?Sized)) -> String {
    let json = serde_json::to_string(value).expect("names and numbers are JSON");
    json.replace('\u{2028}', "\\u2028").replace('\u{2029}', "\\u2029").replace("</", "<\\/")
}

fn hundredths<S: Serializer>(value: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_f64(rounded(*value, 100.0))
}

#[cfg(test)]
mod tests {
    use super::super::test_character::{ball, moved};
    use super::*;
    use crate::math::Vec3;

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
    fn a_clip_survives_its_record() {
        let character = ball();
        let facts =
            PreviewFacts::of(&moved(&character, &[Vec3::zeros(), Vec3::z() / 3.0]), vec!["a note".into()]);
        let clip = GalleryClip {
            id: "walk-01234567".into(),
            name: "walk".into(),
            folder: String::new(),
            description: String::new(),
            convention: None,
            frames_per_second: 120.0,
            loops: false,
            animation: "webp".into(),
            motion: "walk".into(),
            output: "walk.glb".into(),
            character: 0,
            hips: "pelvis".into(),
            facts,
        };
        let text = serde_json::to_string(&clip).unwrap();
        assert!(text.contains(r#""convention":null,"fps":120.0,"loops":false,"film":"webp""#), "{text}");
        assert!(text.ends_with(r#""notes":["a note"],"tags":["idle"]}"#), "{text}");
        assert_eq!(serde_json::from_str::<GalleryClip>(&text).unwrap(), clip);
    }

    #[test]
    fn names_cannot_break_out_of_their_script() {
        let failures = [GalleryFailure { file: "</script>\u{2028}".into(), reason: "\"'\n".into() }];
        let bake = Bake { command: "</script>".into(), output: "a.glb".into(), flags: String::new() };
        let script = list_script(&[], &failures, 3, &bake);
        assert_eq!(
            script,
            "gallery.list([], [{\"file\":\"<\\/script>\\u2028\",\"reason\":\"\\\"'\\n\"}], 3, \
             {\"command\":\"<\\/script>\",\"output\":\"a.glb\",\"flags\":\"\"});\n"
        );
        assert_eq!(model_script("a", b"glTF"), "gallery.model(\"a\", \"Z2xURg==\");\n");
    }
}
