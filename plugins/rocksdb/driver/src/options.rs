//! The driver's options. What is not given is left to RocksDB.

use rocksdb::statistics::StatsLevel;
use rocksdb::{
    BlockBasedOptions, Cache, CompactionPri, DBCompactionStyle, DBCompressionType, WriteOptions,
};
use weighhouse_driver_api::{Checked, OptionRefused, Options};

/// How often the rate limiter hands out, and what share goes to high priority: RocksDB's own
/// defaults (`include/rocksdb/rate_limiter.h`).
const REFILL_US: i64 = 100_000;
const FAIRNESS: i32 = 10;

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
    },
    "block_bytes": {
      "type": "integer",
      "minimum": 512,
      "maximum": 16777216,
      "default": 4096,
      "description": "Size of a block of a table before compression, bytes."
    },
    "write_buffer_bytes": {
      "type": "integer",
      "minimum": 65536,
      "maximum": 17179869184,
      "default": 67108864,
      "description": "Memory of one write buffer, bytes; a full one is flushed."
    },
    "max_write_buffers": {
      "type": "integer",
      "minimum": 2,
      "maximum": 64,
      "default": 2,
      "description": "Write buffers, the one that is written included."
    },
    "max_background_jobs": {
      "type": "integer",
      "minimum": 1,
      "maximum": 256,
      "default": 2,
      "description": "Flushes and compactions at once."
    },
    "max_subcompactions": {
      "type": "integer",
      "minimum": 1,
      "maximum": 64,
      "default": 1,
      "description": "Threads that one compaction is split over."
    },
    "level0_compaction_trigger": {
      "type": "integer",
      "minimum": 1,
      "maximum": 10000,
      "default": 4,
      "description": "Files on level 0 that begin a compaction."
    },
    "level0_slowdown_trigger": {
      "type": "integer",
      "minimum": 1,
      "maximum": 10000,
      "default": 20,
      "description": "Files on level 0 from which writes are slowed down."
    },
    "level0_stop_trigger": {
      "type": "integer",
      "minimum": 1,
      "maximum": 10000,
      "default": 36,
      "description": "Files on level 0 from which writes wait."
    },
    "target_file_bytes": {
      "type": "integer",
      "minimum": 65536,
      "maximum": 17179869184,
      "default": 67108864,
      "description": "Size of a table of level 1, bytes."
    },
    "level_base_bytes": {
      "type": "integer",
      "minimum": 1048576,
      "maximum": 1099511627776,
      "default": 268435456,
      "description": "Size of level 1, bytes."
    },
    "rate_limit_bytes_per_second": {
      "type": "integer",
      "minimum": 0,
      "maximum": 1099511627776,
      "default": 0,
      "description": "Bytes a second that flushes and compactions may write; 0: no limit."
    },
    "stats_dump_period_seconds": {
      "type": "integer",
      "minimum": 0,
      "maximum": 86400,
      "default": 600,
      "description": "Seconds between two reports of RocksDB's in its LOG; 0: none."
    },
    "statistics": {
      "type": "boolean",
      "default": false,
      "description": "Count what is read, and what of it was there; writes are counted anyway."
    },
    "bloom_bits_per_key": {
      "type": "integer",
      "minimum": 0,
      "maximum": 64,
      "default": 0,
      "description": "Bits of a Bloom filter for each key; 0: no filter."
    },
    "cache_index_and_filter_blocks": {
      "type": "boolean",
      "default": false,
      "description": "Keep indexes and filters in the block cache, not beside it."
    },
    "direct_reads": {
      "type": "boolean",
      "default": false,
      "description": "Read tables past the page cache."
    },
    "direct_flush_and_compaction": {
      "type": "boolean",
      "default": false,
      "description": "Flush and compact past the page cache."
    },
    "compaction_style": {
      "type": "string",
      "enum": ["level", "universal"],
      "default": "level",
      "description": "How tables are merged."
    },
    "compaction_priority": {
      "type": "string",
      "enum": ["by_compensated_size", "oldest_largest_seq_first", "oldest_smallest_seq_first", "min_overlapping_ratio", "round_robin"],
      "default": "min_overlapping_ratio",
      "description": "Which table of a level is merged first."
    }
  }
}"#;

/// The options, read; RocksDB decides where none is given.
#[derive(Debug, Clone)]
pub(crate) struct Settings(Checked);

impl Settings {
    pub(crate) fn read(options: &Options) -> Result<Self, OptionRefused> {
        let given = Checked::new(SCHEMA, options)?;
        if given.given("wal") == Some(false) && given.given("sync_writes") == Some(true) {
            let message = "without a log (wal: false) there is nothing to force to the disk";
            return Err(OptionRefused::new("sync_writes", message));
        }
        Ok(Self(given))
    }

    /// Whether writes are logged.
    pub(crate) fn logs(&self) -> bool {
        self.0.get("wal")
    }

    /// Whether RocksDB keeps its tickers.
    pub(crate) fn counts_reads(&self) -> bool {
        self.0.get("statistics")
    }

    pub(crate) fn database(&self) -> rocksdb::Options {
        let mut options = rocksdb::Options::default();
        options.create_if_missing(true);
        if let Some(compression) = self.0.given::<String>("compression") {
            options.set_compression_type(match compression.as_str() {
                "none" => DBCompressionType::None,
                "snappy" => DBCompressionType::Snappy,
                "lz4" => DBCompressionType::Lz4,
                _ => DBCompressionType::Zstd,
            });
        }
        if self.counts_reads() {
            options.enable_statistics();
            options.set_statistics_level(StatsLevel::ExceptHistogramOrTimers);
        }
        self.write_paths(&mut options);
        options.set_block_based_table_factory(&self.tables());
        options
    }

    /// Write buffers, flushes and compactions.
    fn write_paths(&self, options: &mut rocksdb::Options) {
        if let Some(value) = self.0.given("write_buffer_bytes") {
            options.set_write_buffer_size(value);
        }
        if let Some(value) = self.0.given("max_write_buffers") {
            options.set_max_write_buffer_number(value);
        }
        if let Some(value) = self.0.given("max_background_jobs") {
            options.set_max_background_jobs(value);
        }
        if let Some(value) = self.0.given("max_subcompactions") {
            options.set_max_subcompactions(value);
        }
        if let Some(value) = self.0.given("level0_compaction_trigger") {
            options.set_level_zero_file_num_compaction_trigger(value);
        }
        if let Some(value) = self.0.given("level0_slowdown_trigger") {
            options.set_level_zero_slowdown_writes_trigger(value);
        }
        if let Some(value) = self.0.given("level0_stop_trigger") {
            options.set_level_zero_stop_writes_trigger(value);
        }
        if let Some(value) = self.0.given("target_file_bytes") {
            options.set_target_file_size_base(value);
        }
        if let Some(value) = self.0.given("level_base_bytes") {
            options.set_max_bytes_for_level_base(value);
        }
        if let Some(value) = self.0.given("stats_dump_period_seconds") {
            options.set_stats_dump_period_sec(value);
        }
        if let Some(value) = self.0.given("direct_reads") {
            options.set_use_direct_reads(value);
        }
        if let Some(value) = self.0.given("direct_flush_and_compaction") {
            options.set_use_direct_io_for_flush_and_compaction(value);
        }
        if let Some(style) = self.0.given::<String>("compaction_style") {
            options.set_compaction_style(match style.as_str() {
                "level" => DBCompactionStyle::Level,
                _ => DBCompactionStyle::Universal,
            });
        }
        if let Some(priority) = self.0.given::<String>("compaction_priority") {
            options.set_compaction_pri(match priority.as_str() {
                "by_compensated_size" => CompactionPri::ByCompensatedSize,
                "oldest_largest_seq_first" => CompactionPri::OldestLargestSeqFirst,
                "oldest_smallest_seq_first" => CompactionPri::OldestSmallestSeqFirst,
                "min_overlapping_ratio" => CompactionPri::MinOverlappingRatio,
                _ => CompactionPri::RoundRobin,
            });
        }
        if let Some(rate) = self.0.given("rate_limit_bytes_per_second").filter(|&rate| rate > 0) {
            options.set_ratelimiter(rate, REFILL_US, FAIRNESS);
        }
    }

    /// Tables on disk and the cache of their blocks.
    fn tables(&self) -> BlockBasedOptions {
        let mut table = BlockBasedOptions::default();
        if let Some(bytes) = self.0.given("block_cache_bytes") {
            table.set_block_cache(&Cache::new_lru_cache(bytes));
        }
        if let Some(bytes) = self.0.given("block_bytes") {
            table.set_block_size(bytes);
        }
        if let Some(bits) = self.0.given("bloom_bits_per_key").filter(|&bits: &u32| bits > 0) {
            table.set_bloom_filter(f64::from(bits), false);
        }
        if let Some(inside) = self.0.given("cache_index_and_filter_blocks") {
            table.set_cache_index_and_filter_blocks(inside);
        }
        table
    }

    pub(crate) fn writes(&self) -> WriteOptions {
        let mut options = WriteOptions::default();
        options.disable_wal(!self.logs());
        options.set_sync(self.0.get("sync_writes"));
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
        let Settings(given) =
            read(&json!({"compression": "lz4", "block_cache_bytes": 1024})).unwrap();
        assert_eq!(given.given::<String>("compression"), Some("lz4".to_owned()));
        assert_eq!(given.given("block_cache_bytes"), Some(1024));
        assert_eq!(given.given::<bool>("wal"), None);
        // Everything that the schema declares can be asked for.
        read(&json!({})).unwrap().database();
    }

    #[test]
    fn what_is_unknown_wrong_or_contradictory_is_refused_by_name() {
        for (options, name) in [
            (json!({"compression": "gzip"}), "compression"),
            (json!({"block_cache_bytes": -1}), "block_cache_bytes"),
            (json!({"wal": "yes"}), "wal"),
            (json!({"timeout_ms": 5}), "timeout_ms"),
            (json!({"max_write_buffers": 1}), "max_write_buffers"),
            (json!({"bloom_bits_per_key": 9.5}), "bloom_bits_per_key"),
            (json!({"compaction_style": "fifo"}), "compaction_style"),
            (json!({"compaction_priority": "any"}), "compaction_priority"),
            (json!({"direct_reads": 1}), "direct_reads"),
            (json!({"wal": false, "sync_writes": true}), "sync_writes"),
        ] {
            assert_eq!(read(&options).unwrap_err().name, name);
        }
    }
}
