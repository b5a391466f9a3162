//! The driver with RocksDB inside, run as a process.

use serde_json::{Value, json};
use weighhouse_engine_testkit::{DriverRun, Run};

const DRIVER: &str = env!("CARGO_BIN_EXE_weighhouse-driver-rocksdb");

fn order(directory: &tempfile::TempDir) -> Value {
    json!({
        "workload": {"name": "test", "record_count": 500,
                     "operations": {"read": 0.5, "update": 0.4, "insert": 0.1},
                     "request_distribution": "latest", "verify_fraction": 1.0},
        "target": {"endpoints": [format!("file://{}", directory.path().display())]},
        "load": {"model": "closed", "clients": 3},
        "phases": [{"kind": "load"}, {"kind": "measure", "operation_count": 20_001}],
        "seed": 42,
        "interval_seconds": 0.2
    })
}

fn done(run: &Run) -> u64 {
    let measure = run.phase("measure");
    assert_eq!(measure.not_ok(), 0, "{:?}", measure.finished);
    ["read", "update", "insert"].iter().map(|operation| measure.count(operation, "ok")).sum()
}

#[test]
fn every_read_finds_what_was_written() {
    let directory = tempfile::tempdir().unwrap();
    let mut order = order(&directory);
    order["target"]["options"] =
        json!({"block_cache_bytes": 1 << 20, "compression": "lz4", "wal": true});
    let run = Run::of(DRIVER, &order);
    run.assert_finished();
    assert_eq!(done(&run), 20_001);
    assert_eq!(run.event("ready")["layout"], "blob");
    assert_eq!(run.event("ready")["connections"], 3);
}

#[test]
fn what_one_process_loads_another_reads_also_without_a_log() {
    let directory = tempfile::tempdir().unwrap();
    let mut order = order(&directory);
    order["target"]["options"] = json!({"wal": false});
    order["phases"] = json!([{"kind": "load", "clients": 1}]);
    Run::of(DRIVER, &order).assert_finished();
    order["phases"] = json!([{"kind": "measure", "operation_count": 1000}]);
    order["workload"]["operations"] = json!({"read": 1.0});
    let run = Run::of(DRIVER, &order);
    run.assert_finished();
    assert_eq!(done(&run), 1000);
}

#[test]
fn an_open_loop_leaves_nothing_out() {
    let directory = tempfile::tempdir().unwrap();
    let mut order = order(&directory);
    order["load"] = json!({"model": "open", "rate_per_second": 2000, "connections": 3});
    order["phases"] = json!([{"kind": "load"}, {"kind": "measure", "duration_seconds": 1}]);
    let run = Run::of(DRIVER, &order);
    run.assert_finished();
    assert_eq!(done(&run), 2000);
    let measure = run.phase("measure");
    assert_eq!(measure.histogram("driver/lag").len(), 2000);
}

#[test]
fn asked_to_end_it_ends_with_what_was_measured() {
    let directory = tempfile::tempdir().unwrap();
    let mut order = order(&directory);
    order["phases"][1] = json!({"kind": "measure", "duration_seconds": 3600});
    let mut run = DriverRun::start(DRIVER, &order);
    run.wait_for_phase("measure");
    run.terminate();
    let run = run.finish();
    run.assert_finished();
    assert_eq!(run.phase("measure").finished["interrupted"], true);
}

#[test]
fn what_cannot_be_done_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    let refusal = |change: fn(&mut Value)| {
        let mut order = order(&directory);
        change(&mut order);
        let run = Run::of(DRIVER, &order);
        assert_eq!(run.exit_code, Some(2));
        run.event("failed")["message"].as_str().unwrap().to_owned()
    };
    assert!(refusal(|order| order["load"]["pipeline"] = 2.into()).starts_with("load.pipeline"));
    assert!(
        refusal(|order| order["target"]["options"] = json!({"compression": "rar"}))
            .starts_with("target.options.compression")
    );
    assert!(
        refusal(|order| order["target"]["endpoints"] = json!(["tcp://127.0.0.1:1"]))
            .starts_with("target.endpoints[0]")
    );
}

#[test]
fn a_directory_in_use_is_told() {
    let directory = tempfile::tempdir().unwrap();
    let mut order = order(&directory);
    order["phases"][1] = json!({"kind": "measure", "duration_seconds": 3600});
    let mut first = DriverRun::start(DRIVER, &order);
    first.wait_for_phase("measure");
    let second = Run::of(DRIVER, &order);
    assert_eq!(second.exit_code, Some(1));
    assert_eq!(second.event("failed")["kind"], "target");
    first.terminate();
    first.finish().assert_finished();
}
