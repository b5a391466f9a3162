//! The driver's options.

use weighhouse_driver_api::{Checked, OptionRefused, Options, Secret};

/// JSON Schema of the options.
pub(crate) const SCHEMA: &str = r#"{
  "type": "object",
  "additionalProperties": false,
  "properties": {
    "layout": {
      "type": "string",
      "enum": ["hash", "string"],
      "default": "hash",
      "description": "How a record is stored. hash: HSET, and HGETALL or HMGET, as YCSB's redis binding; string: SET and GET of the whole record as one value, as redis-benchmark."
    },
    "scan_index": {
      "type": "string",
      "enum": ["auto", "none", "ycsb", "lex"],
      "default": "auto",
      "description": "The index that scans go by, a sorted set _indices (behind key_prefix, where the workload has one) that every insert adds its key to. ycsb: scored by the key's Java hash code, as YCSB's redis binding; scans follow that order. lex: scored alike and so in order of the keys themselves. none: scans are refused. auto: ycsb when the workload scans, else none."
    },
    "database": {
      "type": "integer",
      "minimum": 0,
      "maximum": 65535,
      "default": 0,
      "description": "Number of the logical database (SELECT)."
    },
    "cluster": {
      "type": "boolean",
      "default": false,
      "description": "The endpoints are servers of a Redis Cluster, one or more; the others are found by CLUSTER SLOTS. Every client connects to every master and sends each operation to the one that has the key's slot, follows MOVED and ASK, and asks for the slots anew when servers change. No scans, one key to a read, database 0. Load goes only to hosts that an endpoint names."
    },
    "read_from": {
      "type": "string",
      "enum": ["primary", "replicas"],
      "default": "primary",
      "description": "Where reads and scans go. replicas: to servers with a copy alone, in turn, in a cluster after READONLY; without a cluster they are found by ROLE. What was written a moment ago may not be there yet. All else goes to primaries, read-modify-writes as a whole."
    },
    "username": {
      "type": "string",
      "description": "The ACL user to log in as; without it the user default. Needs password_file."
    },
    "password_file": {
      "type": "string",
      "description": "Path of a file on the driver's machine with the password, which every connection logs in with. A line break at its end is not part of it. The password itself appears in no order, event or message."
    },
    "resp3": {
      "type": "boolean",
      "default": false,
      "description": "Speak RESP3: every connection begins with HELLO 3, which Redis has from version 6 on."
    }
  }
}"#;

/// How a record is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Layout {
    #[default]
    Hash,
    String,
}

/// What scans go by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ScanIndex {
    None,
    Ycsb,
    Lex,
}

/// The options, read.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Settings {
    pub(crate) layout: Layout,
    /// None: by what the workload does.
    pub(crate) scan_index: Option<ScanIndex>,
    pub(crate) database: u16,
    pub(crate) cluster: bool,
    /// Whether reads go to servers with a copy.
    pub(crate) from_replicas: bool,
    pub(crate) username: Option<String>,
    pub(crate) password: Option<Secret>,
    pub(crate) resp3: bool,
}

impl Settings {
    pub(crate) fn read(options: &Options) -> Result<Self, OptionRefused> {
        let given = Checked::new(SCHEMA, options)?;
        let settings = Self {
            layout: given.choice("layout", &[("hash", Layout::Hash), ("string", Layout::String)]),
            scan_index: given.choice(
                "scan_index",
                &[
                    ("auto", None),
                    ("none", Some(ScanIndex::None)),
                    ("ycsb", Some(ScanIndex::Ycsb)),
                    ("lex", Some(ScanIndex::Lex)),
                ],
            ),
            database: given.get("database"),
            cluster: given.get("cluster"),
            from_replicas: given.choice("read_from", &[("primary", false), ("replicas", true)]),
            username: given.given("username"),
            password: given
                .given::<String>("password_file")
                .map(|path| Secret::of_file(&path))
                .transpose()?,
            resp3: given.get("resp3"),
        };
        if settings.username.as_deref() == Some("") {
            return Err(OptionRefused::new("username", "a user's name"));
        }
        if settings.username.is_some() && settings.password.is_none() {
            return Err(OptionRefused::new("username", "needs password_file beside it"));
        }
        if settings.cluster && settings.database != 0 {
            return Err(OptionRefused::new("database", "a cluster has database 0 alone"));
        }
        if settings.cluster && settings.scan_index.is_some_and(|index| index != ScanIndex::None) {
            let message = "a cluster has no index for scans: it would be one key, on one server";
            return Err(OptionRefused::new("scan_index", message));
        }
        Ok(settings)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[allow(clippy::needless_pass_by_value)] // json!(…) as it comes
    fn read(options: serde_json::Value) -> Result<Settings, OptionRefused> {
        Settings::read(options.as_object().unwrap())
    }

    #[test]
    fn defaults_and_values_are_those_of_the_schema() {
        let schema: serde_json::Value = serde_json::from_str(SCHEMA).unwrap();
        assert_eq!(schema["properties"]["layout"]["default"], "hash");
        assert_eq!(Layout::default(), Layout::Hash);
        assert_eq!(read(json!({})).unwrap(), Settings::default());
        let settings = read(json!({"layout": "string", "database": 3})).unwrap();
        assert_eq!((settings.layout, settings.database), (Layout::String, 3));
    }

    #[test]
    fn what_is_unknown_or_out_of_range_is_refused_by_name() {
        for (options, name) in [
            (json!({"layout": "json"}), "layout"),
            (json!({"database": -1}), "database"),
            (json!({"databse": 1}), "databse"),
            (json!({"resp3": 1}), "resp3"),
            (json!({"cluster": "yes"}), "cluster"),
            (json!({"read_from": "nearest"}), "read_from"),
            (json!({"cluster": true, "database": 1}), "database"),
            (json!({"cluster": true, "scan_index": "lex"}), "scan_index"),
            (json!({"username": "loader"}), "username"),
            (json!({"password_file": "/no/such/file"}), "password_file"),
        ] {
            assert_eq!(read(options).unwrap_err().name, name);
        }
    }
    #[test]
    fn a_password_is_read_and_never_shown() {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), "s3 cret\n").unwrap();
        let options = json!({"password_file": file.path(), "username": "loader"});
        let settings = read(options.clone()).unwrap();
        assert_eq!(settings.password.as_ref().map(Secret::shown), Some("s3 cret"));
        assert!(!format!("{settings:?}").contains("s3"), "{settings:?}");
        std::fs::write(file.path(), "\n").unwrap();
        assert!(read(options).unwrap_err().message.contains("is empty"));
    }
}
