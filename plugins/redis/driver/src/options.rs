//! The driver's options.

use weighhouse_driver_api::{OptionRefused, Options};

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
      "description": "The index that scans go by, a sorted set _indices that every insert adds its key to. ycsb: scored by the key's Java hash code, as YCSB's redis binding; scans follow that order. lex: scored alike and so in order of the keys themselves. none: scans are refused. auto: ycsb when the workload scans, else none."
    },
    "database": {
      "type": "integer",
      "minimum": 0,
      "maximum": 65535,
      "default": 0,
      "description": "Number of the logical database (SELECT)."
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
}

impl Settings {
    pub(crate) fn read(options: &Options) -> Result<Self, OptionRefused> {
        let mut settings = Self::default();
        for (name, value) in options {
            match name.as_str() {
                "layout" => {
                    settings.layout = match value.as_str() {
                        Some("hash") => Layout::Hash,
                        Some("string") => Layout::String,
                        _ => return Err(OptionRefused::new(name, "hash or string")),
                    }
                }
                "scan_index" => {
                    settings.scan_index = match value.as_str() {
                        Some("auto") => None,
                        Some("none") => Some(ScanIndex::None),
                        Some("ycsb") => Some(ScanIndex::Ycsb),
                        Some("lex") => Some(ScanIndex::Lex),
                        _ => return Err(OptionRefused::new(name, "auto, none, ycsb or lex")),
                    }
                }
                "database" => {
                    settings.database = value
                        .as_u64()
                        .and_then(|number| u16::try_from(number).ok())
                        .ok_or_else(|| OptionRefused::new(name, "a number within 0 and 65535"))?;
                }
                _ => {
                    let message =
                        "unknown; the options are layout, scan_index, database and timeout_ms";
                    return Err(OptionRefused::new(name, message));
                }
            }
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
        ] {
            assert_eq!(read(options).unwrap_err().name, name);
        }
    }
}
