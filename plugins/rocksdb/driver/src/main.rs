//! The driver for RocksDB.

use std::process::ExitCode;

use weighhouse_driver_rocksdb::RocksDb;

fn main() -> ExitCode {
    weighhouse_engine::run_embedded::<RocksDb>()
}
