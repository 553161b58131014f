//! What the arguments of several commands are made of.

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::parser::ValueSource;
use clap::{ArgMatches, Args, Command, Error, FromArgMatches};
use std::ops::Deref;
use std::path::Path;

/// Arguments that know which of their flags were given.
#[derive(Debug)]
pub struct Given<T> {
    arguments: T,
    /// Flags with their values, in the order of the help.
    given: Vec<(String, Option<String>)>,
}

impl<T> Given<T> {
    /// The flags that were given.
    pub fn flags(&self) -> Vec<String> {
        let mut flags: Vec<String> = self.given.iter().map(|(flag, _)| flag.clone()).collect();
        flags.dedup();
        flags
    }

    /// The flags that were given, each with its value as one types it.
    pub fn as_typed(&self) -> Vec<String> {
        let typed = self.given.iter().map(|(flag, value)| match value {
            Some(value) => format!("{flag} {}", quoted(value)),
            None => flag.clone(),
        });
        typed.collect()
    }
}

impl<T> Deref for Given<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.arguments
    }
}

impl<T: Args> Args for Given<T> {
    fn augment_args(command: Command) -> Command {
        T::augment_args(command)
    }

    fn augment_args_for_update(command: Command) -> Command {
        T::augment_args_for_update(command)
    }
}

impl<T: Args> FromArgMatches for Given<T> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Given<T>, Error> {
        Ok(Given { given: given::<T>(matches), arguments: T::from_arg_matches(matches)? })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        *self = Given::from_arg_matches(matches)?;
        Ok(())
    }
}

/// The flags of some arguments that were given, with their values.
fn given<T: Args>(matches: &ArgMatches) -> Vec<(String, Option<String>)> {
    let mut given = Vec::new();
    for argument in T::augment_args(Command::new("")).get_arguments() {
        let id = argument.get_id().as_str();
        if matches.value_source(id) != Some(ValueSource::CommandLine) {
            continue;
        }
        let flag = format!("--{}", argument.get_long().unwrap_or(id));
        if argument.get_action().takes_values() {
            let values = matches.get_raw(id).into_iter().flatten();
            given.extend(values.map(|value| (flag.clone(), Some(value.to_string_lossy().into_owned()))));
        } else {
            given.push((flag, None));
        }
    }
    given
}

/// A text that no shell takes apart.
fn quoted(text: &str) -> String {
    let is_plain = text.chars().all(|c| c.is_ascii_alphanumeric() || "/._-+=,:".contains(c));
    if is_plain && !text.is_empty() { text.to_owned() } else { format!("'{}'", text.replace('\'', r"'\''")) }
}

/// A path that no shell takes apart, and that is not taken for a flag.
pub fn quoted_path(path: &Path) -> String {
    let text = path.to_string_lossy();
    quoted(&if text.starts_with('-') { format!("./{text}") } else { text.into_owned() })
}

/// One of several values, by its name.
pub fn one_of<T: Copy + Send + Sync + 'static>(
    values: &'static [(&'static str, T)],
) -> impl TypedValueParser<Value = T> {
    PossibleValuesParser::new(values.iter().map(|(name, _)| *name)).try_map(move |typed| {
        let value = values.iter().find(|(name, _)| name.eq_ignore_ascii_case(&typed));
        value.map(|(_, value)| *value).ok_or("it is none of the values")
    })
}

/// A finite number for which a condition holds; `must` is what it must be otherwise.
pub fn number(
    must: &'static str,
    holds: fn(f64) -> bool,
) -> impl Fn(&str) -> Result<f64, String> + Clone + Send + Sync {
    move |text| match text.parse::<f64>() {
        Ok(number) if number.is_finite() && holds(number) => Ok(number),
        _ => Err(format!("it must be {must}")),
    }
}

/// A number above zero.
pub fn positive(text: &str) -> Result<f64, String> {
    number("a number above zero", |number| number > 0.0)(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, Args)]
    struct Example {
        #[arg(long, default_value_t = 1.0, value_parser = positive)]
        size: f64,
        #[arg(long)]
        hint: Vec<String>,
        #[arg(long)]
        mirror: bool,
    }

    #[test]
    fn flags_that_were_given_are_known() {
        let command = <Given<Example> as Args>::augment_args(Command::new("x"));
        let typed = "x --mirror --hint a=1,2 --hint it's";
        let matches = command.clone().try_get_matches_from(typed.split(' ')).unwrap();
        let example = Given::<Example>::from_arg_matches(&matches).unwrap();
        assert_eq!(example.flags(), ["--hint", "--mirror"]);
        assert_eq!(example.as_typed(), ["--hint a=1,2", r"--hint 'it'\''s'", "--mirror"]);
        assert!(example.mirror && example.size == 1.0);
        assert!(command.try_get_matches_from(["x", "--size", "-1"]).is_err());
    }

    #[test]
    fn names_reach_the_program_as_they_are() {
        for (name, typed) in [
            ("a/walk.bvh", "a/walk.bvh"),
            ("it's 100%.bvh", r"'it'\''s 100%.bvh'"),
            ("-x.bvh", "./-x.bvh"),
            ("$(rm).bvh", "'$(rm).bvh'"),
        ] {
            assert_eq!(quoted_path(Path::new(name)), typed);
        }
    }
}
