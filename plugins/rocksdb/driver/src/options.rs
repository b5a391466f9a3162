//! The driver's options. What is not given is left to RocksDB.

use rocksdb::{BlockBasedOptions, Cache, DBCompressionType, WriteOptions};
use weighhouse_driver_api::{OptionRefused, Options};

/// JSON Schema of the options.
pub(crate) const SCHEMA: &str = r#"{
  "type": "object",
  "additionalProperties": false,
  "properties": {
    "block_cache_bytes": {
      "type": "integer",
      "minimum": 0,
      "default": 33554432,
      "description": "Memory for blocks read from disk, bytes."
    },
    "compression": {
      "type": "string",
      "enum": ["none", "snappy", "lz4", "zstd"],
      "default": "lz4",
      "description": "How blocks are compressed on disk."
    },
    "wal": {
      "type": "boolean",
      "default": true,
      "description": "Log each write before it is acknowledged."
    },
    "sync_writes": {
      "type": "boolean",
      "default": false,
      "description": "Force the log to the disk before a write is acknowledged; needs the log."
    }
  }
}"#;

/// The options, read; none where RocksDB decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Settings {
    block_cache_bytes: Option<usize>,
    compression: Option<Compression>,
    wal: Option<bool>,
    sync_writes: Option<bool>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Compression {
    None,
    Snappy,
    Lz4,
    Zstd,
}

impl Settings {
    pub(crate) fn read(options: &Options) -> Result<Self, OptionRefused> {
        let mut settings = Self::default();
        for (name, value) in options {
            let refuse = |message: &str| OptionRefused::new(name, message);
            let truth = || value.as_bool().ok_or_else(|| refuse("true or false"));
            match name.as_str() {
                "block_cache_bytes" => {
                    let bytes = value.as_u64().and_then(|bytes| usize::try_from(bytes).ok());
                    settings.block_cache_bytes =
                        Some(bytes.ok_or_else(|| refuse("a number of bytes, 0 or more"))?);
                }
                "compression" => {
                    settings.compression = Some(match value.as_str() {
                        Some("none") => Compression::None,
                        Some("snappy") => Compression::Snappy,
                        Some("lz4") => Compression::Lz4,
                        Some("zstd") => Compression::Zstd,
                        _ => return Err(refuse("none, snappy, lz4 or zstd")),
                    });
                }
                "wal" => settings.wal = Some(truth()?),
                "sync_writes" => settings.sync_writes = Some(truth()?),
                _ => {
                    return Err(refuse(
                        "unknown; the options are block_cache_bytes, compression, wal and \
                         sync_writes",
                    ));
                }
            }
        }
        if settings.wal == Some(false) && settings.sync_writes == Some(true) {
            let message = "without a log (wal: false) there is nothing to force to the disk";
            return Err(OptionRefused::new("sync_writes", message));
        }
        Ok(settings)
    }

    /// Whether writes are logged.
    pub(crate) fn logs(self) -> bool {
        self.wal.unwrap_or(true)
    }

    pub(crate) fn database(self) -> rocksdb::Options {
        let mut options = rocksdb::Options::default();
        options.create_if_missing(true);
        if let Some(compression) = self.compression {
            options.set_compression_type(match compression {
                Compression::None => DBCompressionType::None,
                Compression::Snappy => DBCompressionType::Snappy,
                Compression::Lz4 => DBCompressionType::Lz4,
                Compression::Zstd => DBCompressionType::Zstd,
            });
        }
        if let Some(bytes) = self.block_cache_bytes {
            let mut table = BlockBasedOptions::default();
            table.set_block_cache(&Cache::new_lru_cache(bytes));
            options.set_block_based_table_factory(&table);
        }
        options
    }

    pub(crate) fn writes(self) -> WriteOptions {
        let mut options = WriteOptions::default();
        options.disable_wal(!self.logs());
        options.set_sync(self.sync_writes.unwrap_or(false));
        options
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
    fn what_is_given_is_taken_and_the_rest_is_left_to_rocksdb() {
        assert_eq!(read(&json!({})).unwrap(), Settings::default());
        let settings = read(&json!({"compression": "lz4", "block_cache_bytes": 1024})).unwrap();
        assert_eq!(settings.compression, Some(Compression::Lz4));
        assert_eq!(settings.block_cache_bytes, Some(1024));
        assert_eq!(settings.wal, None);
    }

    #[test]
    fn what_is_unknown_wrong_or_contradictory_is_refused_by_name() {
        for (options, name) in [
            (json!({"compression": "gzip"}), "compression"),
            (json!({"block_cache_bytes": -1}), "block_cache_bytes"),
            (json!({"wal": "yes"}), "wal"),
            (json!({"timeout_ms": 5}), "timeout_ms"),
            (json!({"wal": false, "sync_writes": true}), "sync_writes"),
        ] {
            assert_eq!(read(&options).unwrap_err().name, name);
        }
    }
}
