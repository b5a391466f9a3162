//! The behaviour suite of all drivers.

use serde_json::json;
use weighhouse_engine_testkit::Suite;

#[test]
fn a_directory() {
    let directory = tempfile::tempdir().unwrap();
    Suite {
        driver: env!("CARGO_BIN_EXE_weighhouse-driver-rocksdb"),
        endpoint: format!("file://{}", directory.path().display()),
        options: json!({}),
        tells_missing: false,
        refuses: &[],
        clients: 4,
    }
    .check();
}
