//! The driver on a real Cassandra node, which all tests of this file share in turn.

#![allow(clippy::unwrap_used)] // also outside of the test functions

use serde_json::{Value, json};
use weighhouse_engine_testkit::{Cassandra, DriverRun, Interjection, Run, Suite};

const DRIVER: &str = env!("CARGO_BIN_EXE_weighhouse-driver-cql");

fn order(endpoint: &str, table: &str, phases: &Value) -> Value {
    json!({
        "workload": {"name": "w", "record_count": 200, "field_count": 3, "field_length": 40,
                     "operations": {"read": 0.5, "update": 0.5}, "verify_fraction": 1.0},
        "target": {"endpoints": [endpoint], "options": {"table": table, "timeout_ms": 60_000}},
        "load": {"model": "closed", "clients": 4},
        "phases": phases,
        "seed": 5,
        "interval_seconds": 0.2,
    })
}

#[test]
fn a_node() {
    let mut node = Cassandra::start();
    Suite {
        driver: DRIVER,
        endpoint: node.endpoint(),
        options: json!({"read_consistency": "one", "write_consistency": "local_one"}),
        tells_missing: false,
        refuses: &[],
        clients: 4,
    }
    .check();
    another_table_is_refused(&node);
    shards_load_their_shares(&node);
    a_node_alone_says_that_others_are_missing(&node);
    what_a_node_says_of_writes_is_told(&node);
    a_killed_node_is_counted_and_found_again(&mut node);
}

fn another_table_is_refused(node: &Cassandra) {
    let phases = json!([{"kind": "load"}]);
    let run = Run::of(DRIVER, &order(&node.endpoint(), "three", &phases));
    run.assert_finished();
    let mut wider = order(&node.endpoint(), "three", &phases);
    wider["workload"]["field_count"] = 4.into();
    let run = Run::of(DRIVER, &wider);
    assert_eq!(run.exit_code, Some(1));
    let message = run.event("failed")["message"].as_str().unwrap().to_owned();
    assert!(message.contains("field3"), "{message}");
}

fn shards_load_their_shares(node: &Cassandra) {
    let phases = json!([{"kind": "load"}, {"kind": "measure", "operation_count": 1001}]);
    let mut two = order(&node.endpoint(), "shards", &phases);
    two["shards"] = 2.into();
    let run = Run::of(DRIVER, &two);
    run.assert_finished();
    assert_eq!(run.phase("load").count("insert", "ok"), 200);
    let measure = run.phase("measure");
    assert_eq!(measure.count("read", "ok") + measure.count("update", "ok"), 1001);
}

fn a_node_alone_says_that_others_are_missing(node: &Cassandra) {
    let phases = json!([{"kind": "load"}, {"kind": "measure", "operation_count": 50}]);
    let mut two = order(&node.endpoint(), "alone", &phases);
    two["target"]["options"]["write_consistency"] = "two".into();
    let run = Run::of(DRIVER, &two);
    let load = run.phase("load");
    assert_eq!(load.count("insert", "ok"), 0);
    assert!(load.count("insert", "errors/unavailable") > 0);
    let words = load.words("insert", "unavailable");
    assert!(words.contains("Cannot achieve consistency level TWO"), "{words}");
    let measure = run.phase("measure");
    assert!(measure.words("update", "unavailable").contains("Cannot achieve"));
}

/// By a proxy: a node alone cannot be brought to say it.
fn what_a_node_says_of_writes_is_told(node: &Cassandra) {
    let phases = json!([{"kind": "measure", "operation_count": 50}]);
    // Of a write that timed out: at ONE, none of one replica answered, and what it was.
    let timed_out = b"\x00\x01\x00\x00\x00\x00\x00\x00\x00\x01\x00\x06SIMPLE";
    for (code, kind, words, more) in [
        (0x1001, "server_busy", "Request timed out in the queue", &[][..]),
        (0x1100, "timeout", "Operation timed out - received only 0 responses.", timed_out),
        (0x1002, "unavailable", "Cannot read from a bootstrapping node", &[][..]),
        (0x2100, "refused", "User reader has no MODIFY permission on <table ycsb.t>", &[][..]),
    ] {
        let proxy = Interjection::cql(&node.endpoint(), code, words, more);
        let mut updates = order(&proxy.endpoint(), "told", &phases);
        updates["workload"]["operations"] = json!({"update": 1.0});
        updates["target"]["options"]["keyspace"] = format!("told_{code:x}").into();
        let run = Run::of(DRIVER, &updates);
        run.assert_finished();
        let measure = run.phase("measure");
        assert_eq!(measure.count("update", &format!("errors/{kind}")), 50, "{code:x}");
        let said = measure.words("update", kind);
        assert!(said.contains(words), "{said}");
    }
}

fn a_killed_node_is_counted_and_found_again(node: &mut Cassandra) {
    let phases = json!([{"kind": "load"}, {"kind": "measure", "duration_seconds": 3600}]);
    let mut long = order(&node.endpoint(), "killed", &phases);
    long["target"]["options"]["timeout_ms"] = 3000.into();
    long["load"] = json!({"model": "open", "rate_per_second": 100, "connections": 4,
                          "max_in_flight": 64});
    let mut run = DriverRun::start(DRIVER, &long);
    run.wait_for_phase("measure");
    run.wait_for(|event| event["event"] == "interval" && reads(event) > 0);
    node.kill();
    run.wait_for(|event| event["event"] == "interval" && event.to_string().contains("\"errors\""));
    node.restart();
    run.wait_for(|event| event["event"] == "interval" && reads(event) > 0);
    run.terminate();
    let run = run.finish();
    assert_eq!(run.exit_code, Some(0));
    assert_eq!(run.phase("measure").finished["interrupted"], true);
    assert!(run.phase("measure").not_ok() > 0);
}

/// Reads that succeeded in an interval of the measured phase.
fn reads(event: &Value) -> u64 {
    let count = event.pointer("/operations/read/ok/count").and_then(Value::as_u64);
    count.filter(|_| event["phase"] == "measure").unwrap_or(0)
}

#[test]
fn a_server_that_is_not_there_is_told() {
    let phases = json!([{"kind": "load"}]);
    let run = Run::of(DRIVER, &order("tcp://127.0.0.1:1", "none", &phases));
    assert_eq!(run.exit_code, Some(1));
    let failed = run.event("failed");
    assert_eq!(failed["kind"], "connection");
    assert!(failed["message"].as_str().unwrap().contains("tcp://127.0.0.1:1 cannot be reached"));
    let run = Run::of(DRIVER, &order("unix:///tmp/none", "none", &phases));
    assert!(run.event("failed")["message"].as_str().unwrap().contains("not tcp://HOST:PORT"));
}
