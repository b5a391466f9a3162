//! The driver's options.

use std::time::Duration;

use mongodb::options::{
    Acknowledgment, ReadConcern, ReadPreference, SelectionCriteria, WriteConcern,
};
use weighhouse_driver_api::{Checked, OptionRefused, Options};

/// JSON Schema of the options.
pub(crate) const SCHEMA: &str = r#"{
  "type": "object",
  "additionalProperties": false,
  "properties": {
    "database": {
      "type": "string",
      "pattern": "^[A-Za-z][A-Za-z0-9_-]{0,62}$",
      "default": "ycsb",
      "description": "Database of the collection; made by the server with the first record."
    },
    "collection": {
      "type": "string",
      "pattern": "^[A-Za-z][A-Za-z0-9_-]{0,119}$",
      "default": "usertable",
      "description": "Collection of the records; made by the server with the first one: _id is the key, a binary value for each field, as YCSB's MongoDB binding has it."
    },
    "insert": {
      "type": "string",
      "enum": ["replace", "insert"],
      "default": "replace",
      "description": "What an insert sends. replace: a replacement that makes the record when it is not there and overwrites it when it is, so that a load can be done again; insert: a plain insert, as YCSB's binding by default, to which a record that is there is an error (other)."
    },
    "write_concern": {
      "type": "string",
      "pattern": "^(default|majority|[1-9]|[1-4][0-9]|50)$",
      "default": "default",
      "description": "How many members of the replica set have a write before it is acknowledged: majority, or a number from 1 to 50; default: the server's own. Writes that nobody acknowledges (0) are not measured."
    },
    "journal": {
      "type": "string",
      "enum": ["default", "true", "false"],
      "default": "default",
      "description": "Whether a write is in the journal on disk before it is acknowledged; default: the server's own."
    },
    "write_timeout_ms": {
      "type": "integer",
      "minimum": 0,
      "maximum": 60000,
      "default": 0,
      "description": "How long the server waits for the write concern before it reports an error (timeout), ms; 0: without limit."
    },
    "read_concern": {
      "type": "string",
      "enum": ["default", "local", "available", "majority", "linearizable"],
      "default": "default",
      "description": "How settled the data must be that reads and scans find; linearizable goes with the read preference primary alone; default: the server's own."
    },
    "read_preference": {
      "type": "string",
      "enum": ["primary", "primary_preferred", "secondary", "secondary_preferred", "nearest"],
      "default": "primary",
      "description": "Which members of the replica set reads and scans ask."
    },
    "connections_per_shard": {
      "type": "integer",
      "minimum": 0,
      "maximum": 1000,
      "default": 0,
      "description": "Connections of a shard's clients to each server, all made before the first operation. One carries one request at a time; a request that finds none free waits for it, and its time runs. 0: as many as the shard has clients."
    },
    "server_selection_timeout_ms": {
      "type": "integer",
      "minimum": 1,
      "maximum": 60000,
      "default": 5000,
      "description": "How long an operation waits for a server that can take it, as during an election, before it fails (connection), ms."
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
    },
    "replica_set": {
      "type": "string",
      "maxLength": 120,
      "default": "",
      "description": "Name of the replica set that the servers are to be of; empty: whichever they are."
    },
    "auth_source": {
      "type": "string",
      "pattern": "^[A-Za-z][A-Za-z0-9_-]{0,62}$",
      "default": "admin",
      "description": "Database that knows the account."
    }
  }
}"#;

/// What an insert sends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Inserts {
    /// A replacement with upsert.
    Replace,
    /// A plain insert.
    Insert,
}

/// The options, read.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Settings {
    pub(crate) database: String,
    pub(crate) collection: String,
    pub(crate) inserts: Inserts,
    /// None: the server's own.
    pub(crate) acknowledgment: Option<Acknowledgment>,
    pub(crate) journal: Option<bool>,
    pub(crate) write_timeout: Option<Duration>,
    pub(crate) read_concern: Option<ReadConcern>,
    pub(crate) read_preference: ReadPreference,
    /// None: as many as there are clients.
    pub(crate) connections: Option<u32>,
    pub(crate) server_selection_timeout: Duration,
    pub(crate) username: String,
    pub(crate) password_file: String,
    pub(crate) auth_source: String,
    /// None: whichever the servers are of.
    pub(crate) replica_set: Option<String>,
}

/// None is the server's own.
fn acknowledgment(text: &str) -> Result<Option<Acknowledgment>, &'static str> {
    match text {
        "default" => Ok(None),
        "majority" => Ok(Some(Acknowledgment::Majority)),
        "0" => Err("not 0: a write that nobody acknowledges cannot be measured"),
        // Digits alone: a number that Rust would read may have a sign before it.
        _ if text.bytes().all(|one| one.is_ascii_digit()) && !text.starts_with('0') => {
            let members = text.parse().ok().filter(|members| (1..=50).contains(members));
            members.map(|members| Some(Acknowledgment::Nodes(members))).ok_or(ACKNOWLEDGMENTS)
        }
        _ => Err(ACKNOWLEDGMENTS),
    }
}

const ACKNOWLEDGMENTS: &str = "default, majority, or a number within 1 and 50, as a text";

/// A name that is allowed for databases and collections, and needs no quotes in the shell.
fn is_name(text: &str, longest: usize) -> bool {
    let inside = |one: char| one.is_ascii_alphanumeric() || one == '_' || one == '-';
    text.len() <= longest
        && text.starts_with(|first: char| first.is_ascii_alphabetic())
        && text.chars().all(inside)
}

impl Settings {
    pub(crate) fn read(options: &Options) -> Result<Self, OptionRefused> {
        let given = Checked::new(SCHEMA, options)?;
        let identifier = |name, longest| {
            let right = format!("up to {longest} letters, digits, _ and -, a letter first");
            given.text(name, |text| is_name(text, longest), right)
        };
        let milliseconds = |name| Duration::from_millis(given.get(name));
        let (username, password_file) = given.account()?;
        Self {
            database: identifier("database", 63)?,
            collection: identifier("collection", 120)?,
            inserts: given
                .choice("insert", &[("replace", Inserts::Replace), ("insert", Inserts::Insert)]),
            acknowledgment: acknowledgment(&given.get::<String>("write_concern"))
                .map_err(|message| OptionRefused::new("write_concern", message))?,
            journal: given.get::<String>("journal").parse().ok(),
            write_timeout: Some(milliseconds("write_timeout_ms")).filter(|limit| !limit.is_zero()),
            read_concern: given.choice(
                "read_concern",
                &[
                    ("default", None),
                    ("local", Some(ReadConcern::local())),
                    ("available", Some(ReadConcern::available())),
                    ("majority", Some(ReadConcern::majority())),
                    ("linearizable", Some(ReadConcern::linearizable())),
                ],
            ),
            read_preference: given.choice(
                "read_preference",
                &[
                    ("primary", ReadPreference::Primary),
                    ("primary_preferred", ReadPreference::PrimaryPreferred { options: None }),
                    ("secondary", ReadPreference::Secondary { options: None }),
                    ("secondary_preferred", ReadPreference::SecondaryPreferred { options: None }),
                    ("nearest", ReadPreference::Nearest { options: None }),
                ],
            ),
            connections: Some(given.get("connections_per_shard")).filter(|&number| number > 0),
            server_selection_timeout: milliseconds("server_selection_timeout_ms"),
            username,
            password_file,
            auth_source: identifier("auth_source", 63)?,
            replica_set: Some(given.get::<String>("replica_set")).filter(|name| !name.is_empty()),
        }
        .fit_together()
    }

    /// Refuses options that contradict each other.
    fn fit_together(self) -> Result<Self, OptionRefused> {
        if self.read_concern == Some(ReadConcern::linearizable())
            && self.read_preference != ReadPreference::Primary
        {
            let message = "linearizable goes with the read preference primary alone";
            return Err(OptionRefused::new("read_concern", message));
        }
        if self.write_timeout.is_some() && self.acknowledgment.is_none() {
            let message = "a limit goes with a write_concern, which is the server's own here";
            return Err(OptionRefused::new("write_timeout_ms", message));
        }
        Ok(self)
    }

    /// What goes with every write; none: the server's own.
    pub(crate) fn write_concern(&self) -> Option<WriteConcern> {
        if self.acknowledgment.is_none() && self.journal.is_none() {
            return None;
        }
        let mut concern = WriteConcern::default();
        concern.w.clone_from(&self.acknowledgment);
        concern.w_timeout = self.write_timeout;
        concern.journal = self.journal;
        Some(concern)
    }

    /// Who reads are sent to.
    pub(crate) fn readers(&self) -> SelectionCriteria {
        SelectionCriteria::ReadPreference(self.read_preference.clone())
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
    fn every_choice_is_read_and_each_means_something_else() {
        let schema: serde_json::Value = serde_json::from_str(SCHEMA).unwrap();
        for (name, declared) in schema["properties"].as_object().unwrap() {
            let choices = declared["enum"].as_array().into_iter().flatten();
            let settings: Vec<_> =
                choices.map(|choice| read(&json!({name: choice})).unwrap()).collect();
            for (index, one) in settings.iter().enumerate() {
                assert!(!settings[..index].contains(one), "{name}: {one:?}");
            }
        }
    }

    #[test]
    fn writes_are_acknowledged_as_told() {
        let none = read(&json!({})).unwrap();
        assert_eq!(none.write_concern(), None);
        let all = json!({"write_concern": "3", "journal": "true", "write_timeout_ms": 250});
        let concern = read(&all).unwrap().write_concern().unwrap();
        assert_eq!(concern.w, Some(Acknowledgment::Nodes(3)));
        assert_eq!(concern.journal, Some(true));
        assert_eq!(concern.w_timeout, Some(Duration::from_millis(250)));
        let majority = read(&json!({"write_concern": "majority"})).unwrap();
        let concern = majority.write_concern().unwrap();
        assert_eq!((concern.w, concern.journal), (Some(Acknowledgment::Majority), None));
        let journal = read(&json!({"journal": "false"})).unwrap().write_concern().unwrap();
        assert_eq!((journal.w, journal.journal), (None, Some(false)));
    }

    #[test]
    fn what_is_unknown_or_out_of_range_is_refused_by_name() {
        for (options, name) in [
            (json!({"database": "ycsb.usertable"}), "database"),
            (json!({"collection": "$cmd"}), "collection"),
            (json!({"collection": "system.users"}), "collection"),
            (json!({"insert": "upsert"}), "insert"),
            (json!({"write_concern": "0"}), "write_concern"),
            (json!({"write_concern": "+1"}), "write_concern"),
            (json!({"write_concern": "51"}), "write_concern"),
            (json!({"write_concern": 1}), "write_concern"),
            (json!({"write_concern": ""}), "write_concern"),
            (json!({"journal": true}), "journal"),
            (json!({"write_timeout_ms": 100}), "write_timeout_ms"),
            (json!({"write_concern": "1", "write_timeout_ms": 60_001}), "write_timeout_ms"),
            (json!({"read_concern": "snapshot"}), "read_concern"),
            (json!({"read_concern": "linearizable", "read_preference": "nearest"}), "read_concern"),
            (json!({"read_preference": "primaryPreferred"}), "read_preference"),
            (json!({"connections_per_shard": 1001}), "connections_per_shard"),
            (json!({"server_selection_timeout_ms": 0}), "server_selection_timeout_ms"),
            (json!({"username": "me"}), "password_file"),
            (json!({"auth_source": ""}), "auth_source"),
            (json!({"w": "1"}), "w"),
        ] {
            assert_eq!(read(&options).unwrap_err().name, name, "{options}");
        }
    }
}
