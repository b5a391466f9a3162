//! The driver's options.

use aerospike::policy::{CommitLevel, ReadModeAp, ReadModeSc, RecordExistsAction, Replica};
use weighhouse_driver_api::{Checked, OptionRefused, Options};

/// JSON Schema of the options.
pub(crate) const SCHEMA: &str = r#"{
  "type": "object",
  "additionalProperties": false,
  "properties": {
    "namespace": {
      "type": "string",
      "pattern": "^[A-Za-z0-9_-]{1,31}$",
      "default": "ycsb",
      "description": "Namespace of the records. The server's configuration makes it; one that is not there is told before the run."
    },
    "set": {
      "type": "string",
      "pattern": "^[A-Za-z0-9_-]{1,63}$",
      "default": "usertable",
      "description": "Set of the records; the server makes it with the first one."
    },
    "insert_mode": {
      "type": "string",
      "enum": ["replace", "create_only"],
      "default": "replace",
      "description": "What an insert does where there is a record of that key: put its own in its place, or fail. Updates are of records that are there; others are not found."
    },
    "replica": {
      "type": "string",
      "enum": ["master", "any", "sequence", "prefer_rack"],
      "default": "sequence",
      "description": "Which copy a read asks: that of the master; each in turn; the master's, and the next one when it is tried again; one in the driver's own rack. Writes go to the master."
    },
    "rack": {
      "type": "integer",
      "minimum": 0,
      "maximum": 1000000,
      "default": 0,
      "description": "The driver's own rack, for replica: prefer_rack."
    },
    "read_mode_ap": {
      "type": "string",
      "enum": ["one", "all"],
      "default": "one",
      "description": "How many copies a read asks in a namespace that stays available, as long as records move between nodes."
    },
    "read_mode_sc": {
      "type": "string",
      "enum": ["session", "linearize", "allow_replica", "allow_unavailable"],
      "default": "session",
      "description": "What a read promises in a namespace of strong consistency."
    },
    "commit_level": {
      "type": "string",
      "enum": ["all", "master"],
      "default": "all",
      "description": "Whether a write is acknowledged when all copies have it, or when the master has."
    },
    "durable_delete": {
      "type": "boolean",
      "default": false,
      "description": "Deletes leave a tombstone, so that no record comes back after a node failed. Enterprise edition only: others refuse such a delete."
    },
    "send_key": {
      "type": "boolean",
      "default": false,
      "description": "Keys are stored beside their digests, which then take that much more memory."
    },
    "total_timeout_ms": {
      "type": "integer",
      "minimum": 1,
      "maximum": 60000,
      "default": 10000,
      "description": "How long the library waits for an operation, milliseconds, tries and all. The server is told, and gives up what is older. The engine's timeout_ms holds beside it."
    },
    "socket_timeout_ms": {
      "type": "integer",
      "minimum": 0,
      "maximum": 60000,
      "default": 0,
      "description": "How long a connection may stay silent within an operation, milliseconds; 0: as long as the operation may take."
    },
    "max_retries": {
      "type": "integer",
      "minimum": 0,
      "maximum": 100,
      "default": 0,
      "description": "How often the library tries an operation again before it counts as failed. Its latency then holds all tries."
    },
    "connections_per_node": {
      "type": "integer",
      "minimum": 0,
      "maximum": 10000,
      "default": 0,
      "description": "Most connections of a shard to each node. A connection carries one operation at a time: an operation that finds none free waits, in steps of a millisecond. 0: one for each client, and up to 256 where an open loop has more under way."
    },
    "tend_interval_ms": {
      "type": "integer",
      "minimum": 250,
      "maximum": 60000,
      "default": 1000,
      "description": "How often the library asks the nodes who is there and which has which partitions, milliseconds: so long it may go on asking one that is gone."
    },
    "only_endpoints": {
      "type": "boolean",
      "default": false,
      "description": "Only the endpoints of the order are spoken to, by these addresses; the nodes are not asked for others."
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
#[allow(clippy::struct_excessive_bools)] // each is an option
pub(crate) struct Settings {
    pub(crate) namespace: String,
    pub(crate) set: String,
    pub(crate) insert: RecordExistsAction,
    pub(crate) replica: Replica,
    pub(crate) rack: usize,
    pub(crate) read_mode_ap: ReadModeAp,
    pub(crate) read_mode_sc: ReadModeSc,
    pub(crate) commit_level: CommitLevel,
    pub(crate) durable_delete: bool,
    pub(crate) send_key: bool,
    pub(crate) total_timeout_ms: u32,
    pub(crate) socket_timeout_ms: u32,
    pub(crate) max_retries: usize,
    /// 0: by the number of clients.
    pub(crate) connections: usize,
    pub(crate) tend_interval_ms: u32,
    pub(crate) only_endpoints: bool,
    pub(crate) username: String,
    pub(crate) password_file: String,
}

/// A name of the server's, within its limit of bytes.
fn is_name(text: &str, most: usize) -> bool {
    let plain = |one: char| one.is_ascii_alphanumeric() || one == '_' || one == '-';
    !text.is_empty() && text.len() <= most && text.chars().all(plain)
}

impl Settings {
    pub(crate) fn read(options: &Options) -> Result<Self, OptionRefused> {
        let given = Checked::new(SCHEMA, options)?;
        let identifier = |name, most| {
            let right = format!("1 to {most} letters, digits, _ and -");
            given.text(name, |text| is_name(text, most), right)
        };
        let (username, password_file) = given.account()?;
        Ok(Self {
            namespace: identifier("namespace", 31)?,
            set: identifier("set", 63)?,
            insert: given.choice(
                "insert_mode",
                &[
                    ("replace", RecordExistsAction::Replace),
                    ("create_only", RecordExistsAction::CreateOnly),
                ],
            ),
            replica: given.choice(
                "replica",
                &[
                    ("master", Replica::Master),
                    ("any", Replica::MasterProles),
                    ("sequence", Replica::Sequence),
                    ("prefer_rack", Replica::PreferRack),
                ],
            ),
            rack: given.get("rack"),
            read_mode_ap: given
                .choice("read_mode_ap", &[("one", ReadModeAp::One), ("all", ReadModeAp::All)]),
            read_mode_sc: given.choice(
                "read_mode_sc",
                &[
                    ("session", ReadModeSc::Session),
                    ("linearize", ReadModeSc::Linearize),
                    ("allow_replica", ReadModeSc::AllowReplica),
                    ("allow_unavailable", ReadModeSc::AllowUnavailable),
                ],
            ),
            commit_level: given.choice(
                "commit_level",
                &[("all", CommitLevel::CommitAll), ("master", CommitLevel::CommitMaster)],
            ),
            durable_delete: given.get("durable_delete"),
            send_key: given.get("send_key"),
            total_timeout_ms: given.get("total_timeout_ms"),
            socket_timeout_ms: given.get("socket_timeout_ms"),
            max_retries: given.get("max_retries"),
            connections: given.get("connections_per_node"),
            tend_interval_ms: given.get("tend_interval_ms"),
            only_endpoints: given.get("only_endpoints"),
            username,
            password_file,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    impl Default for Settings {
        fn default() -> Self {
            Self::read(&Options::new()).unwrap()
        }
    }

    fn read(options: &serde_json::Value) -> Result<Settings, OptionRefused> {
        Settings::read(options.as_object().unwrap())
    }

    #[test]
    fn every_choice_is_read_and_no_other() {
        let schema: serde_json::Value = serde_json::from_str(SCHEMA).unwrap();
        for (name, declared) in schema["properties"].as_object().unwrap() {
            let Some(choices) = declared["enum"].as_array() else { continue };
            let mut seen = Vec::new();
            for choice in choices {
                let settings = read(&json!({name: choice})).unwrap();
                assert!(!seen.contains(&settings), "{name} {choice}");
                seen.push(settings);
            }
            assert_eq!(read(&json!({name: "other"})).unwrap_err().name, *name);
        }
    }

    #[test]
    fn what_is_unknown_or_out_of_range_is_refused_by_name() {
        for (options, name) in [
            (json!({"namespace": "two words"}), "namespace"),
            (json!({"namespace": "n".repeat(32)}), "namespace"),
            (json!({"set": ""}), "set"),
            (json!({"max_retries": 101}), "max_retries"),
            (json!({"total_timeout_ms": 0}), "total_timeout_ms"),
            (json!({"socket_timeout_ms": -1}), "socket_timeout_ms"),
            (json!({"tend_interval_ms": 249}), "tend_interval_ms"),
            (json!({"send_key": "yes"}), "send_key"),
            (json!({"rack": "one"}), "rack"),
            (json!({"username": "me"}), "password_file"),
            (json!({"consistency": "one"}), "consistency"),
        ] {
            assert_eq!(read(&options).unwrap_err().name, name, "{options}");
        }
    }
}
