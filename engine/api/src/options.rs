//! Options of a driver, held against the JSON Schema that it describes them by.

use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::{OptionRefused, Options};

/// Options that fit their schema: each is known, of its type, one of its choices, within its bounds.
/// Patterns, and what goes together, are the driver's own to check.
#[derive(Debug, Clone, PartialEq)]
pub struct Checked {
    given: Options,
    declared: Map<String, Value>,
}

/// What a value has to be to fit what is declared of it; none: it is.
fn wanted(declared: &Value, value: &Value) -> Option<String> {
    if let Some(choices) = declared["enum"].as_array() {
        let names: Vec<_> = choices.iter().filter_map(Value::as_str).collect();
        return (!choices.contains(value)).then(|| format!("one of {}", names.join(", ")));
    }
    match declared["type"].as_str() {
        Some("boolean") => (!value.is_boolean()).then(|| "true or false".to_owned()),
        Some("string") => (!value.is_string()).then(|| "a text".to_owned()),
        _ => {
            let least = declared["minimum"].as_u64().unwrap_or(0);
            let most = declared["maximum"].as_u64();
            let fits = |number| (least..=most.unwrap_or(u64::MAX)).contains(&number);
            let bounds = most.map_or_else(String::new, |most| format!(" to {most}"));
            (!value.as_u64().is_some_and(fits))
                .then(|| format!("a whole number from {least}{bounds}"))
        }
    }
}

impl Checked {
    /// Holds options against their schema.
    ///
    /// # Errors
    /// When one is unknown or has a value that the schema does not allow.
    pub fn new(schema: &str, options: &Options) -> Result<Self, OptionRefused> {
        let schema: Value = serde_json::from_str(schema).unwrap_or_default();
        let declared = schema["properties"].as_object().cloned().unwrap_or_default();
        let names: Vec<_> = declared.keys().map(String::as_str).collect();
        let unknown =
            || format!("unknown; the options are {}, and those of the engine", names.join(", "));
        for (name, value) in options {
            let wrong = declared
                .get(name)
                .map_or_else(|| Some(unknown()), |declared| wanted(declared, value));
            if let Some(message) = wrong {
                return Err(OptionRefused::new(name, message));
            }
        }
        Ok(Self { given: options.clone(), declared })
    }

    /// An option as it was given; none: it was not.
    ///
    /// # Panics
    /// When the schema has no such option, or values that are not of this type.
    #[must_use]
    pub fn given<T: DeserializeOwned>(&self, name: &str) -> Option<T> {
        assert!(self.declared.contains_key(name), "no option {name}");
        self.given.get(name).map(|value| read(name, value))
    }

    /// An option as it was given, else its default: the type's where the schema has none.
    ///
    /// # Panics
    /// As [`Checked::given`].
    #[must_use]
    pub fn get<T: DeserializeOwned + Default>(&self, name: &str) -> T {
        let default = || self.declared[name].get("default").map(|value| read(name, value));
        self.given(name).or_else(default).unwrap_or_default()
    }

    /// What the choice of an option means.
    ///
    /// # Panics
    /// When the meanings are not of all choices.
    pub fn choice<T: Clone>(&self, name: &str, meanings: &[(&str, T)]) -> T {
        let chosen: String = self.get(name);
        let meaning = meanings.iter().find(|(choice, _)| *choice == chosen);
        meaning.unwrap_or_else(|| unreachable!("{name}: {chosen}")).1.clone()
    }

    /// A text that passes a check of its own, else `right` is what it should be.
    ///
    /// # Errors
    /// When it does not pass.
    pub fn text(
        &self,
        name: &str,
        passes: impl Fn(&str) -> bool,
        right: impl Into<String>,
    ) -> Result<String, OptionRefused> {
        let text: String = self.get(name);
        if passes(&text) { Ok(text) } else { Err(OptionRefused::new(name, right)) }
    }

    /// `username` and `password_file` of an account; both empty: none.
    ///
    /// # Errors
    /// When only one of them is given.
    pub fn account(&self) -> Result<(String, String), OptionRefused> {
        let (username, password_file): (String, String) =
            (self.get("username"), self.get("password_file"));
        if username.is_empty() != password_file.is_empty() {
            let message = "username and password_file go together";
            return Err(OptionRefused::new("password_file", message));
        }
        Ok((username, password_file))
    }
}

fn read<T: DeserializeOwned>(name: &str, value: &Value) -> T {
    T::deserialize(value).unwrap_or_else(|_| unreachable!("{name}: {value}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const SCHEMA: &str = r#"{"properties": {
        "depth": {"type": "integer", "minimum": 1, "maximum": 9, "default": 3},
        "mode": {"type": "string", "enum": ["slow", "fast"], "default": "fast"},
        "quiet": {"type": "boolean"}
    }}"#;

    #[test]
    fn what_is_not_given_has_the_default_of_the_schema() {
        let given = Checked::new(SCHEMA, json!({"quiet": true}).as_object().unwrap()).unwrap();
        assert_eq!((given.get("depth"), given.given::<u8>("depth")), (3_u8, None));
        assert_eq!(given.choice("mode", &[("slow", 1), ("fast", 2)]), 2);
        assert_eq!(given.given("quiet"), Some(true));
    }

    #[test]
    fn what_does_not_fit_is_refused_with_what_would() {
        for (options, said) in [
            (json!({"depth": 0}), "depth: a whole number from 1 to 9"),
            (json!({"depth": 1.5}), "depth: a whole number from 1 to 9"),
            (json!({"mode": "any"}), "mode: one of slow, fast"),
            (json!({"quiet": "yes"}), "quiet: true or false"),
            (
                json!({"deep": 1}),
                "deep: unknown; the options are depth, mode, quiet, and those of the engine",
            ),
        ] {
            let refused = Checked::new(SCHEMA, options.as_object().unwrap()).unwrap_err();
            assert_eq!(refused.to_string(), format!("target.options.{said}"));
        }
    }
}
