//! The driver's options.

use scylla::statement::Consistency;
use weighhouse_driver_api::{Checked, OptionRefused, Options};

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

/// What each consistency level is called here.
const LEVELS: [(&str, Consistency); 9] = [
    ("any", Consistency::Any),
    ("one", Consistency::One),
    ("two", Consistency::Two),
    ("three", Consistency::Three),
    ("quorum", Consistency::Quorum),
    ("all", Consistency::All),
    ("local_one", Consistency::LocalOne),
    ("local_quorum", Consistency::LocalQuorum),
    ("each_quorum", Consistency::EachQuorum),
];

/// A name that needs no quotes in CQL.
fn is_name(text: &str) -> bool {
    text.len() <= 48
        && text.starts_with(|first: char| first.is_ascii_lowercase())
        && text.chars().all(|one| one.is_ascii_lowercase() || one.is_ascii_digit() || one == '_')
}

impl Settings {
    pub(crate) fn read(options: &Options) -> Result<Self, OptionRefused> {
        let given = Checked::new(SCHEMA, options)?;
        let right = "lower case letters, digits and _, a letter first";
        let chosen = |name| Some(given.get::<String>(name)).filter(|text| text != "default");
        let (username, password_file) = given.account()?;
        Ok(Self {
            keyspace: given.text("keyspace", is_name, right)?,
            table: given.text("table", is_name, right)?,
            replication_factor: given.get("replication_factor"),
            reads: given.choice("read_consistency", &LEVELS),
            writes: given.choice("write_consistency", &LEVELS),
            scans: given.choice("scan_consistency", &LEVELS),
            compaction: chosen("compaction"),
            compression: chosen("compression"),
            connections: given.get("connections_per_node"),
            username,
            password_file,
        })
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
