//! What a person says about embeddings and characters.

use puppetry::stages::learn::Label;
use std::str::FromStr;

/// `NAME/ID=LABEL`.
#[derive(Debug, Clone)]
pub struct LabelArg {
    pub name: String,
    pub id: String,
    pub label: Label,
}

impl FromStr for LabelArg {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<LabelArg, &'static str> {
        const FORM: &str = "write it as NAME/ID=good, NAME/ID=bad or NAME/ID=unsure";
        let (embedding, label) = text.rsplit_once('=').ok_or(FORM)?;
        let (name, id) = embedding.rsplit_once('/').ok_or(FORM)?;
        let label = Label::of_word(label.trim()).ok_or(FORM)?;
        if name.is_empty() || id.is_empty() {
            return Err(FORM);
        }
        Ok(LabelArg { name: name.to_owned(), id: id.to_owned(), label })
    }
}

/// `NAME=FAMILY`.
#[derive(Debug, Clone)]
pub struct FamilyArg {
    pub name: String,
    pub family: String,
}

impl FromStr for FamilyArg {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<FamilyArg, &'static str> {
        match text.split_once('=') {
            Some((name, family)) if !name.is_empty() && !family.trim().is_empty() => {
                Ok(FamilyArg { name: name.to_owned(), family: family.trim().to_owned() })
            }
            _ => Err("write it as NAME=FAMILY"),
        }
    }
}
