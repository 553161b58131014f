//! Values of JSON documents that know where they stand.

use super::text::shortened;
use super::{Fault, Problem};
use serde_json::Value;
use std::fmt::Display;

/// A value of a document together with its JSON pointer, so that every fault names its place.
#[derive(Debug, Clone)]
pub(super) struct Item<'a> {
    pub value: &'a Value,
    pub pointer: String,
}

impl<'a> Item<'a> {
    /// The whole document.
    pub fn root(value: &'a Value) -> Item<'a> {
        Item { value, pointer: String::new() }
    }

    /// A member of an object. JSON's `null` counts as absent.
    pub fn get(&self, key: &str) -> Option<Item<'a>> {
        let value = self.value.get(key).filter(|value| !value.is_null())?;
        Some(Item { value, pointer: format!("{}/{}", self.pointer, escaped(key)) })
    }

    /// A member that must be there, be it null.
    pub fn member(&self, key: &str) -> Result<Item<'a>, Fault> {
        let pointer = format!("{}/{}", self.pointer, escaped(key));
        match self.value.get(key) {
            Some(value) => Ok(Item { value, pointer }),
            None => {
                let why = format!("it has no \"{key}\"");
                Err(Fault::json(pointer, Problem::Invalid { what: "the object", why }))
            }
        }
    }

    /// A member that glTF demands.
    pub fn required(&self, key: &'static str) -> Result<Item<'a>, Fault> {
        self.get(key).ok_or_else(|| self.missing(key))
    }

    /// The same for a count, an offset or an index.
    pub fn required_number(&self, key: &'static str) -> Result<usize, Fault> {
        self.required(key)?.as_whole_number()
    }

    /// An extension of an object.
    pub fn extension(&self, name: &str) -> Option<Item<'a>> {
        self.get("extensions")?.get(name)
    }

    /// The elements of an array member; none if the member is absent.
    pub fn list(&self, key: &str) -> Result<Vec<Item<'a>>, Fault> {
        let Some(list) = self.get(key) else { return Ok(Vec::new()) };
        let Some(values) = list.value.as_array() else { return Err(list.expected("a list")) };
        let items = values.iter().enumerate();
        Ok(items.map(|(index, value)| Item { value, pointer: format!("{}/{index}", list.pointer) }).collect())
    }

    /// The entry of a list of the document that this value, an index, refers to. `what` is its name in the
    /// singular.
    pub fn target(&self, root: &Item<'a>, list: &str, what: &'static str) -> Result<Item<'a>, Fault> {
        let index = self.as_whole_number()?;
        let values = root.value.get(list).and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        let target = values.get(index).map(|value| Item { value, pointer: format!("/{list}/{index}") });
        target.ok_or_else(|| self.out_of_range(what, index, values.len()))
    }

    /// A member that is a count, an offset or an index.
    pub fn whole_number(&self, key: &str) -> Result<Option<usize>, Fault> {
        self.get(key).map(|item| item.as_whole_number()).transpose()
    }

    /// This value as a count, an offset or an index.
    pub fn as_whole_number(&self) -> Result<usize, Fault> {
        // 3.0 is an integer in JSON Schema; above 2⁵³ a double is not exact and nothing has that size.
        const EXACT: f64 = 9.0e15;
        let float = self.value.as_f64().filter(|x| x.fract() == 0.0 && (0.0..=EXACT).contains(x));
        let number = self.value.as_u64().or(float.map(|number| number as u64));
        number
            .and_then(|number| usize::try_from(number).ok())
            .ok_or_else(|| self.expected("a whole number that is not negative"))
    }

    /// This value as a list of exactly `N` numbers.
    pub fn as_numbers<const N: usize>(&self, expected: &'static str) -> Result<[f64; N], Fault> {
        let list = self.value.as_array().map_or(&[][..], Vec::as_slice);
        let numbers: Option<Vec<f64>> = list.iter().map(Value::as_f64).collect();
        numbers.and_then(|numbers| numbers.try_into().ok()).ok_or_else(|| self.expected(expected))
    }

    /// This value as a string.
    pub fn as_text(&self, expected: &'static str) -> Result<&'a str, Fault> {
        self.value.as_str().ok_or_else(|| self.expected(expected))
    }

    /// A member that is a string.
    pub fn text(&self, key: &str) -> Option<&'a str> {
        self.value.get(key).and_then(Value::as_str)
    }

    /// A member that is a list of exactly `N` numbers.
    pub fn numbers<const N: usize>(&self, key: &str) -> Result<Option<[f64; N]>, Fault> {
        let demand = "numbers in the length that glTF demands here";
        self.get(key).map(|item| item.as_numbers(demand)).transpose()
    }

    /// The fault that something else stands here.
    pub fn expected(&self, expected: &'static str) -> Fault {
        let text = self.value.as_str().map_or_else(|| self.value.to_string(), str::to_owned);
        Fault::json(&self.pointer, Problem::Syntax { expected, found: shortened(text.as_bytes()) })
    }

    /// The fault that this refers to something that does not exist.
    pub fn out_of_range(&self, what: &'static str, index: usize, count: usize) -> Fault {
        let index = i64::try_from(index).unwrap_or(i64::MAX);
        Fault::json(&self.pointer, Problem::IndexOutOfRange { what, index, count })
    }

    /// The fault that a member is absent.
    pub fn missing(&self, key: &'static str) -> Fault {
        self.invalid("this", format!("'{key}' is missing"))
    }

    /// The fault that there are fewer bytes than this needs. `what` is in the plural.
    pub fn truncated(&self, what: &'static str, needed: u64, available: u64) -> Fault {
        Fault::json(&self.pointer, Problem::Truncated { what, needed, available })
    }

    /// The fault that this contradicts the format.
    pub fn invalid(&self, what: &'static str, why: impl Display) -> Fault {
        Fault::json(&self.pointer, Problem::Invalid { what, why: why.to_string() })
    }
}

/// A key as it stands in a JSON pointer (RFC 6901).
fn escaped(key: &str) -> String {
    key.replace('~', "~0").replace('/', "~1")
}
