//! The driver's options.

use aerospike::policy::{CommitLevel, ReadModeAp, ReadModeSc, RecordExistsAction, Replica};
use weighhouse_driver_api::{OptionRefused, Options};

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

impl Default for Settings {
    fn default() -> Self {
        Self {
            namespace: "ycsb".to_owned(),
            set: "usertable".to_owned(),
            insert: RecordExistsAction::Replace,
            replica: Replica::Sequence,
            rack: 0,
            read_mode_ap: ReadModeAp::One,
            read_mode_sc: ReadModeSc::Session,
            commit_level: CommitLevel::CommitAll,
            durable_delete: false,
            send_key: false,
            total_timeout_ms: 10_000,
            socket_timeout_ms: 0,
            max_retries: 0,
            connections: 0,
            tend_interval_ms: 1000,
            only_endpoints: false,
            username: String::new(),
            password_file: String::new(),
        }
    }
}

/// A value with the option that it stands for.
struct Given<'a> {
    name: &'a str,
    value: &'a serde_json::Value,
    declared: &'a serde_json::Value,
}

impl Given<'_> {
    fn refused<T>(&self, message: impl Into<String>) -> Result<T, OptionRefused> {
        Err(OptionRefused::new(self.name, message))
    }

    fn text(&self) -> Result<&str, OptionRefused> {
        self.value.as_str().map_or_else(|| self.refused("a text"), Ok)
    }

    /// A name of the server's, within its limit of bytes.
    fn name(&self, most: usize) -> Result<String, OptionRefused> {
        let text = self.text()?;
        let plain = |one: char| one.is_ascii_alphanumeric() || one == '_' || one == '-';
        if text.is_empty() || text.len() > most || !text.chars().all(plain) {
            return self.refused(format!("1 to {most} letters, digits, _ and -"));
        }
        Ok(text.to_owned())
    }

    fn flag(&self) -> Result<bool, OptionRefused> {
        self.value.as_bool().map_or_else(|| self.refused("true or false"), Ok)
    }

    /// A number within the bounds of the schema.
    fn number(&self) -> Result<u32, OptionRefused> {
        let bound = |name: &str| self.declared[name].as_u64().unwrap_or_default();
        let (least, most) = (bound("minimum"), bound("maximum"));
        let number = self.value.as_u64().filter(|number| (least..=most).contains(number));
        match number.and_then(|number| u32::try_from(number).ok()) {
            Some(number) => Ok(number),
            None => self.refused(format!("a number within {least} and {most}")),
        }
    }

    fn count(&self) -> Result<usize, OptionRefused> {
        self.number().map(|number| usize::try_from(number).unwrap_or(usize::MAX))
    }

    /// One of the choices of the schema, by what each means.
    fn choice<T: Copy>(&self, meanings: &[(&str, T)]) -> Result<T, OptionRefused> {
        let found = meanings.iter().find(|(name, _)| self.value == name);
        let names: Vec<_> = meanings.iter().map(|(name, _)| *name).collect();
        found.map_or_else(
            || self.refused(format!("one of {}", names.join(", "))),
            |(_, meaning)| Ok(*meaning),
        )
    }
}

impl Settings {
    pub(crate) fn read(options: &Options) -> Result<Self, OptionRefused> {
        let schema: serde_json::Value = serde_json::from_str(SCHEMA).unwrap_or_default();
        let mut settings = Self::default();
        for (name, value) in options {
            settings.take(&schema, name, value)?;
        }
        if settings.username.is_empty() != settings.password_file.is_empty() {
            let message = "username and password_file go together";
            return Err(OptionRefused::new("password_file", message));
        }
        Ok(settings)
    }

    fn take(
        &mut self,
        schema: &serde_json::Value,
        name: &str,
        value: &serde_json::Value,
    ) -> Result<(), OptionRefused> {
        let given = Given { name, value, declared: &schema["properties"][name] };
        match name {
            "namespace" => self.namespace = given.name(31)?,
            "set" => self.set = given.name(63)?,
            "insert_mode" => {
                self.insert = given.choice(&[
                    ("replace", RecordExistsAction::Replace),
                    ("create_only", RecordExistsAction::CreateOnly),
                ])?;
            }
            "replica" => {
                self.replica = given.choice(&[
                    ("master", Replica::Master),
                    ("any", Replica::MasterProles),
                    ("sequence", Replica::Sequence),
                    ("prefer_rack", Replica::PreferRack),
                ])?;
            }
            "rack" => self.rack = given.count()?,
            "read_mode_ap" => {
                self.read_mode_ap =
                    given.choice(&[("one", ReadModeAp::One), ("all", ReadModeAp::All)])?;
            }
            "read_mode_sc" => {
                self.read_mode_sc = given.choice(&[
                    ("session", ReadModeSc::Session),
                    ("linearize", ReadModeSc::Linearize),
                    ("allow_replica", ReadModeSc::AllowReplica),
                    ("allow_unavailable", ReadModeSc::AllowUnavailable),
                ])?;
            }
            "commit_level" => {
                self.commit_level = given.choice(&[
                    ("all", CommitLevel::CommitAll),
                    ("master", CommitLevel::CommitMaster),
                ])?;
            }
            "durable_delete" => self.durable_delete = given.flag()?,
            "send_key" => self.send_key = given.flag()?,
            "total_timeout_ms" => self.total_timeout_ms = given.number()?,
            "socket_timeout_ms" => self.socket_timeout_ms = given.number()?,
            "max_retries" => self.max_retries = given.count()?,
            "connections_per_node" => self.connections = given.count()?,
            "tend_interval_ms" => self.tend_interval_ms = given.number()?,
            "only_endpoints" => self.only_endpoints = given.flag()?,
            "username" => given.text()?.clone_into(&mut self.username),
            "password_file" => given.text()?.clone_into(&mut self.password_file),
            _ => {
                let names = schema["properties"].as_object().into_iter().flatten();
                let names: Vec<_> = names.map(|(name, _)| name.as_str()).collect();
                return given.refused(format!(
                    "unknown; the options are {} and timeout_ms",
                    names.join(", ")
                ));
            }
        }
        Ok(())
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
        assert_eq!(defaults["max_retries"], 0);
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
