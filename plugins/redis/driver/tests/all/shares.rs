//! Several drivers make one load on a real Redis together.

#![allow(clippy::unwrap_used)] // also outside of the test functions

use std::collections::BTreeSet;
use std::time::Duration;

use serde_json::{Value, json};
use weighhouse_engine_testkit::{DriverRun, Run, Server, unix_us};

const DRIVER: &str = env!("CARGO_BIN_EXE_weighhouse-driver-resp");
const RECORDS: u64 = 1001;

fn order(server: &Server, share: (u64, u64), operations: &Value) -> Value {
    json!({
        // Keys that tell their records' numbers.
        "workload": {"name": "test", "record_count": RECORDS, "insert_order": "ordered",
                     "operations": operations, "field_count": 3, "field_length": 40,
                     "request_distribution": "latest", "verify_fraction": 1.0},
        "target": {"endpoints": [server.endpoint()], "options": {}},
        "load": {"model": "closed", "clients": 4},
        "phases": [{"kind": "load", "clients": 3}, {"kind": "measure", "operation_count": 2000}],
        "seed": 11,
        "interval_seconds": 0.2,
        "shards": 1 + share.0,
        "share": {"index": share.0, "of": share.1},
        "hold": true
    })
}

/// The numbers of all records that a server holds.
fn records(server: &Server) -> BTreeSet<u64> {
    loop {
        let keys = server.ask("KEYS user*\r\n");
        let count = keys.lines().next().and_then(|line| line.strip_prefix('*')?.parse().ok());
        let found: BTreeSet<u64> =
            keys.lines().filter_map(|line| line.strip_prefix("user")?.parse().ok()).collect();
        // An answer that was cut short on a busy machine is asked for again.
        if count == Some(found.len()) {
            return found;
        }
    }
}

/// All drivers of a load, phase by phase: none begins a phase before all have ended the one before.
fn together(server: &Server, drivers: u64, operations: &Value) -> Vec<Run> {
    let mut runs: Vec<_> = (0..drivers)
        .map(|index| DriverRun::start(DRIVER, &order(server, (index, drivers), operations)))
        .collect();
    for (phase, kind) in ["load", "measure"].into_iter().enumerate() {
        let at = unix_us(Duration::from_millis(100));
        for run in &mut runs {
            run.go(phase, at);
        }
        for run in &mut runs {
            run.wait_for(|event| event["event"] == "phase_finished" && event["phase"] == kind);
        }
        if kind == "load" {
            assert_eq!(records(server), (0..RECORDS).collect());
        }
    }
    let runs: Vec<_> = runs.into_iter().map(DriverRun::finish).collect();
    for run in &runs {
        run.assert_finished();
    }
    runs
}

#[test]
fn drivers_load_and_run_one_key_space() {
    let server = Server::redis(&[]);
    let runs = together(&server, 3, &json!({"read": 0.5, "update": 0.2, "insert": 0.3}));
    let mut expected: BTreeSet<u64> = (0..RECORDS).collect();
    let mut loaded = 0;
    for (index, run) in (0..).zip(&runs) {
        loaded += run.phase("load").count("insert", "ok");
        let measure = run.phase("measure");
        // Whatever another driver wrote is what it should be.
        assert_eq!(measure.not_ok(), 0, "driver {index}: {:?}", measure.finished);
        assert_eq!(run.event("ready")["shards"], 1 + index);
        let inserted = measure.count("insert", "ok");
        assert!(inserted > 400, "{inserted}");
        // Threads take numbers in blocks, so which of its own a driver took last is not told.
        let own: BTreeSet<u64> = records(&server)
            .into_iter()
            .filter(|&number| number >= RECORDS && (number - RECORDS) % 3 == index)
            .collect();
        assert_eq!(own.len() as u64, inserted, "driver {index}: each number once");
        expected.extend(own);
    }
    assert_eq!(loaded, RECORDS, "no record is loaded twice");
    assert_eq!(records(&server), expected);
    let hashes: BTreeSet<_> =
        runs.iter().map(|run| run.event("ready")["stream_hash"].to_string()).collect();
    assert_eq!(hashes.len(), 3, "drivers draw for themselves");
}

#[test]
fn what_drivers_wrote_together_one_alone_verifies() {
    let server = Server::redis(&[]);
    together(&server, 2, &json!({"update": 1.0}));
    let mut alone = order(&server, (0, 1), &json!({"read": 1.0}));
    alone["hold"] = false.into();
    alone["workload"]["request_distribution"] = "sequential".into();
    alone["phases"] = json!([{"kind": "measure", "operation_count": RECORDS}]);
    let run = Run::of(DRIVER, &alone);
    run.assert_finished();
    assert_eq!(run.phase("measure").count("read", "ok"), RECORDS);
    assert_eq!(run.phase("measure").not_ok(), 0);
}
