//! The driver's options.

use scylla::statement::Consistency;
use weighhouse_driver_api::{OptionRefused, Options};

/// JSON Schema of the options.
pub(crate) const SCHEMA: &str = r#"{
  "type": "object",
  "additionalProperties": false,
  "properties": {
    "keyspace": {
      "type": "string",
      "pattern": "^[a-z][a-z0-9_]{0,47}$",
      "default": "ycsb",
      "description": "Keyspace of the table; made when it is not there."
    },
    "table": {
      "type": "string",
      "pattern": "^[a-z][a-z0-9_]{0,47}$",
      "default": "usertable",
      "description": "Table of the records; made when it is not there: y_id varchar primary key, and a varchar for each field, as YCSB's Cassandra binding has it."
    },
    "replication_factor": {
      "type": "integer",
      "minimum": 1,
      "maximum": 100,
      "default": 1,
      "description": "Copies of each record, when the keyspace is made."
    },
    "read_consistency": {
      "type": "string",
      "enum": ["one", "two", "three", "quorum", "all", "local_one", "local_quorum", "each_quorum"],
      "default": "quorum",
      "description": "How many copies a read asks."
    },
    "write_consistency": {
      "type": "string",
      "enum": ["any", "one", "two", "three", "quorum", "all", "local_one", "local_quorum", "each_quorum"],
      "default": "quorum",
      "description": "How many copies have a write before it is acknowledged; updates, inserts and deletes."
    },
    "scan_consistency": {
      "type": "string",
      "enum": ["one", "two", "three", "quorum", "all", "local_one", "local_quorum", "each_quorum"],
      "default": "quorum",
      "description": "How many copies a scan asks."
    },
    "compaction": {
      "type": "string",
      "enum": ["default", "SizeTieredCompactionStrategy", "LeveledCompactionStrategy", "UnifiedCompactionStrategy", "TimeWindowCompactionStrategy"],
      "default": "default",
      "description": "Compaction of the table, when it is made; default: the server's own."
    },
    "compression": {
      "type": "string",
      "enum": ["default", "none", "LZ4Compressor", "SnappyCompressor", "ZstdCompressor", "DeflateCompressor"],
      "default": "default",
      "description": "Compression of the table, when it is made; default: the server's own."
    },
    "connections_per_node": {
      "type": "integer",
      "minimum": 1,
      "maximum": 1000,
      "default": 1,
      "description": "Connections to each node that a shard's clients share: the protocol carries many requests at once over one."
    },
    "username": {
      "type": "string",
      "default": "",
      "description": "Account; empty: none."
    },
    "password_file": {
      "type": "string",
      "default": "",
      "description": "File on the driver's machine that holds the account's password."
    }
  }
}"#;

/// The options, read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Settings {
    pub(crate) keyspace: String,
    pub(crate) table: String,
    pub(crate) replication_factor: u64,
    pub(crate) reads: Consistency,
    pub(crate) writes: Consistency,
    pub(crate) scans: Consistency,
    /// None: the server's own.
    pub(crate) compaction: Option<String>,
    pub(crate) compression: Option<String>,
    pub(crate) connections: usize,
    pub(crate) username: String,
    pub(crate) password_file: String,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            keyspace: "ycsb".to_owned(),
            table: "usertable".to_owned(),
            replication_factor: 1,
            reads: Consistency::Quorum,
            writes: Consistency::Quorum,
            scans: Consistency::Quorum,
            compaction: None,
            compression: None,
            connections: 1,
            username: String::new(),
            password_file: String::new(),
        }
    }
}

fn consistency(name: &str) -> Option<Consistency> {
    Some(match name {
        "any" => Consistency::Any,
        "one" => Consistency::One,
        "two" => Consistency::Two,
        "three" => Consistency::Three,
        "quorum" => Consistency::Quorum,
        "all" => Consistency::All,
        "local_one" => Consistency::LocalOne,
        "local_quorum" => Consistency::LocalQuorum,
        "each_quorum" => Consistency::EachQuorum,
        _ => return None,
    })
}

/// A name that needs no quotes in CQL.
fn is_name(text: &str) -> bool {
    text.len() <= 48
        && text.starts_with(|first: char| first.is_ascii_lowercase())
        && text.chars().all(|one| one.is_ascii_lowercase() || one.is_ascii_digit() || one == '_')
}

impl Settings {
    pub(crate) fn read(options: &Options) -> Result<Self, OptionRefused> {
        let schema: serde_json::Value = serde_json::from_str(SCHEMA).unwrap_or_default();
        let mut settings = Self::default();
        for (name, value) in options {
            let declared = &schema["properties"][name];
            let known = || -> Vec<&str> {
                let names = schema["properties"].as_object().into_iter().flatten();
                names.map(|(name, _)| name.as_str()).collect()
            };
            if declared.is_null() {
                let message =
                    format!("unknown; the options are {} and timeout_ms", known().join(", "));
                return Err(OptionRefused::new(name, message));
            }
            if let Some(choices) = declared["enum"].as_array()
                && !choices.contains(value)
            {
                let choices: Vec<_> = choices.iter().filter_map(|one| one.as_str()).collect();
                return Err(OptionRefused::new(name, format!("one of {}", choices.join(", "))));
            }
            let text = || {
                value.as_str().map(str::to_owned).ok_or_else(|| OptionRefused::new(name, "a text"))
            };
            let number = |most: u64| {
                let number = value.as_u64().filter(|number| (1..=most).contains(number));
                let message = format!("a number within 1 and {most}");
                number.ok_or_else(|| OptionRefused::new(name, message))
            };
            let identifier = || {
                text().ok().filter(|text| is_name(text)).ok_or_else(|| {
                    OptionRefused::new(name, "lower case letters, digits and _, a letter first")
                })
            };
            let level = || {
                consistency(value.as_str().unwrap_or_default())
                    .ok_or_else(|| OptionRefused::new(name, "a consistency level"))
            };
            let chosen = || text().map(|text| (text != "default").then_some(text));
            match name.as_str() {
                "keyspace" => settings.keyspace = identifier()?,
                "table" => settings.table = identifier()?,
                "replication_factor" => settings.replication_factor = number(100)?,
                "read_consistency" => settings.reads = level()?,
                "write_consistency" => settings.writes = level()?,
                "scan_consistency" => settings.scans = level()?,
                "compaction" => settings.compaction = chosen()?,
                "compression" => settings.compression = chosen()?,
                "connections_per_node" => {
                    settings.connections = usize::try_from(number(1000)?).unwrap_or(1);
                }
                "username" => settings.username = text()?,
                _ => settings.password_file = text()?,
            }
        }
        if settings.username.is_empty() != settings.password_file.is_empty() {
            let message = "username and password_file go together";
            return Err(OptionRefused::new("password_file", message));
        }
        Ok(settings)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn read(options: &serde_json::Value) -> Result<Settings, OptionRefused> {
        Settings::read(options.as_object().unwrap())
    }

    #[test]
    fn defaults_are_those_of_the_schema() {
        let schema: serde_json::Value = serde_json::from_str(SCHEMA).unwrap();
        let defaults: Options = schema["properties"]
            .as_object()
            .unwrap()
            .iter()
            .map(|(name, declared)| (name.clone(), declared["default"].clone()))
            .collect();
        assert_eq!(Settings::read(&defaults).unwrap(), Settings::default());
    }

    #[test]
    fn every_choice_is_read() {
        let schema: serde_json::Value = serde_json::from_str(SCHEMA).unwrap();
        for (name, declared) in schema["properties"].as_object().unwrap() {
            for choice in declared["enum"].as_array().into_iter().flatten() {
                assert!(read(&json!({name: choice})).is_ok(), "{name} {choice}");
            }
        }
    }

    #[test]
    fn what_is_unknown_or_out_of_range_is_refused_by_name() {
        for (options, name) in [
            (json!({"keyspace": "Weird Name"}), "keyspace"),
            (json!({"replication_factor": 0}), "replication_factor"),
            (json!({"read_consistency": "any"}), "read_consistency"),
            (json!({"username": "me"}), "password_file"),
            (json!({"consistency": "one"}), "consistency"),
        ] {
            assert_eq!(read(&options).unwrap_err().name, name);
        }
    }
}
