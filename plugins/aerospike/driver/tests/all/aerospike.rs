//! The driver on a real Aerospike node, which all tests of this file share in turn.

#![allow(clippy::unwrap_used)] // also outside of the test functions

use aerospike::{Bins, Client, ClientPolicy, Host, ReadPolicy, as_key};
use serde_json::{Value, json};
use weighhouse_engine_testkit::{Aerospike, DriverRun, Run, Suite};

const DRIVER: &str = env!("CARGO_BIN_EXE_weighhouse-driver-aerospike");

fn order(endpoint: &str, options: &Value, phases: &Value) -> Value {
    json!({
        "workload": {"name": "w", "record_count": 200, "field_count": 3, "field_length": 40,
                     "operations": {"read": 0.5, "update": 0.5}, "verify_fraction": 1.0},
        "target": {"endpoints": [endpoint], "options": options},
        "load": {"model": "closed", "clients": 4},
        "phases": phases,
        "seed": 5,
        "interval_seconds": 0.2,
    })
}

fn message_of(run: &Run) -> String {
    run.event("failed")["message"].as_str().unwrap().to_owned()
}

#[test]
fn a_node() {
    let Some(mut node) = Aerospike::start() else { return };
    Suite {
        driver: DRIVER,
        endpoint: node.endpoint(),
        options: json!({}),
        tells_missing: true,
        refuses: &[],
        clients: 4,
    }
    .check();
    records_are_kept_as_ycsb_keeps_them(&node);
    inserts_of_records_that_are_there_fail_if_told(&node);
    a_namespace_that_is_not_there_or_not_fit_is_told(&node);
    every_way_to_read_and_write_is_taken(&node);
    what_the_edition_has_not_is_counted(&node);
    shards_load_their_shares(&node);
    few_connections_serve_many(&node);
    for load in [
        json!({"model": "open", "rate_per_second": 100, "connections": 4, "max_in_flight": 64}),
        json!({"model": "closed", "clients": 4}),
    ] {
        a_killed_node_is_counted_and_found_again(&mut node, &load);
    }
}

fn records_are_kept_as_ycsb_keeps_them(node: &Aerospike) {
    let phases = json!([{"kind": "load"}]);
    Run::of(DRIVER, &order(&node.endpoint(), &json!({"set": "layout"}), &phases)).assert_finished();
    let sets = node.info("sets/ycsb/layout");
    assert!(sets.contains("objects=200:"), "{sets}");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let record = runtime.block_on(async {
        let host = Host::new("127.0.0.1", node.port());
        let client = Client::new(&ClientPolicy::default(), &vec![host]).await.unwrap();
        let key = as_key!("ycsb", "layout", "user6284781860667377211");
        client.get(&ReadPolicy::default(), &key, Bins::All).await.unwrap()
    });
    let mut names: Vec<_> = record.bins.keys().map(String::as_str).collect();
    names.sort_unstable();
    assert_eq!(names, ["field0", "field1", "field2"]);
    for value in record.bins.values() {
        assert!(matches!(value, aerospike::Value::Blob(bytes) if bytes.len() == 40), "{value:?}");
    }
    assert_eq!(record.time_to_live(), None);
}

fn inserts_of_records_that_are_there_fail_if_told(node: &Aerospike) {
    let phases = json!([{"kind": "load"}]);
    let once = json!({"set": "once", "insert_mode": "create_only"});
    let run = Run::of(DRIVER, &order(&node.endpoint(), &once, &phases));
    run.assert_finished();
    assert_eq!(run.phase("load").count("insert", "ok"), 200);
    let run = Run::of(DRIVER, &order(&node.endpoint(), &once, &phases));
    assert_eq!(run.phase("load").count("insert", "ok"), 0);
    assert!(run.phase("load").not_ok() >= 200);
}

fn a_namespace_that_is_not_there_or_not_fit_is_told(node: &Aerospike) {
    let phases = json!([{"kind": "load"}]);
    let run = Run::of(DRIVER, &order(&node.endpoint(), &json!({"namespace": "none"}), &phases));
    assert_eq!(run.exit_code, Some(1));
    let message = message_of(&run);
    assert!(
        message.contains("there is no namespace none") && message.contains("ycsb"),
        "{message}"
    );
    let mut expiring = order(&node.endpoint(), &json!({"namespace": "lasting"}), &phases);
    Run::of(DRIVER, &expiring).assert_finished();
    expiring["workload"]["ttl_seconds"] = 60.into();
    let run = Run::of(DRIVER, &expiring);
    assert_eq!(run.exit_code, Some(1));
    assert!(message_of(&run).contains("refuses records that expire"));
}

fn every_way_to_read_and_write_is_taken(node: &Aerospike) {
    let phases = json!([{"kind": "load"}, {"kind": "measure", "operation_count": 300}]);
    for mut options in [
        json!({"replica": "master", "read_mode_ap": "all", "commit_level": "master"}),
        json!({"replica": "any", "read_mode_sc": "linearize", "send_key": true}),
        json!({"replica": "prefer_rack", "rack": 3, "only_endpoints": true}),
        json!({"replica": "sequence", "max_retries": 2, "socket_timeout_ms": 500}),
    ] {
        options["set"] = "ways".into();
        let run = Run::of(DRIVER, &order(&node.endpoint(), &options, &phases));
        run.assert_finished();
        let measure = run.phase("measure");
        assert_eq!(measure.count("read", "ok") + measure.count("update", "ok"), 300, "{options}");
        assert_eq!(measure.not_ok(), 0);
    }
}

/// Deletes that outlast a failed node are not in the community edition.
fn what_the_edition_has_not_is_counted(node: &Aerospike) {
    let phases = json!([{"kind": "load"}, {"kind": "measure", "operation_count": 50}]);
    let options = json!({"set": "durable", "durable_delete": true});
    let mut durable = order(&node.endpoint(), &options, &phases);
    durable["workload"]["operations"] = json!({"delete": 1.0});
    let run = Run::of(DRIVER, &durable);
    assert_eq!(run.phase("measure").count("delete", "ok"), 0);
    assert_eq!(run.phase("measure").not_ok(), 50);
}

fn shards_load_their_shares(node: &Aerospike) {
    let phases = json!([{"kind": "load"}, {"kind": "measure", "operation_count": 1001}]);
    let mut two = order(&node.endpoint(), &json!({"set": "shards"}), &phases);
    two["shards"] = 2.into();
    let run = Run::of(DRIVER, &two);
    run.assert_finished();
    assert_eq!(run.phase("load").count("insert", "ok"), 200);
    let measure = run.phase("measure");
    assert_eq!(measure.count("read", "ok") + measure.count("update", "ok"), 1001);
}

fn few_connections_serve_many(node: &Aerospike) {
    let phases = json!([{"kind": "load"}, {"kind": "measure", "operation_count": 300}]);
    let mut many = order(&node.endpoint(), &json!({"connections_per_node": 2}), &phases);
    many["load"]["clients"] = 16.into();
    let run = Run::of(DRIVER, &many);
    run.assert_finished();
    assert_eq!(run.phase("measure").not_ok(), 0);
}

fn a_killed_node_is_counted_and_found_again(node: &mut Aerospike, load: &Value) {
    let phases = json!([{"kind": "load"}, {"kind": "measure", "duration_seconds": 3600}]);
    let mut long = order(&node.endpoint(), &json!({"timeout_ms": 3000}), &phases);
    long["workload"]["operations"] = json!({"read": 0.5, "insert": 0.5});
    long["workload"]["request_distribution"] = "latest".into();
    long["load"] = load.clone();
    let mut run = DriverRun::start(DRIVER, &long);
    run.wait_for_phase("measure");
    run.wait_for(|event| event["event"] == "interval" && reads(event) > 0);
    node.kill();
    run.wait_for(|event| event["event"] == "interval" && event.to_string().contains("\"errors\""));
    node.restart();
    // The records were in memory; those that are inserted from now on are found.
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
    let run = Run::of(DRIVER, &order("tcp://127.0.0.1:1", &json!({}), &phases));
    assert_eq!(run.exit_code, Some(1));
    assert_eq!(run.event("failed")["kind"], "connection");
    assert!(message_of(&run).contains("tcp://127.0.0.1:1 cannot be reached"));
    for endpoint in ["unix:///tmp/none", "tcp://127.0.0.1"] {
        let run = Run::of(DRIVER, &order(endpoint, &json!({}), &phases));
        assert!(message_of(&run).starts_with("target.endpoints[0]: "), "{endpoint}");
    }
}

#[test]
fn a_name_that_is_too_long_for_a_bin_is_refused() {
    let mut long = order("tcp://127.0.0.1:1", &json!({}), &json!([{"kind": "load"}]));
    long["workload"]["field_name_prefix"] = "fifteen_letters".into();
    let run = Run::of(DRIVER, &long);
    assert_eq!(run.exit_code, Some(2));
    assert!(message_of(&run).contains("fifteen_letters0"), "{}", message_of(&run));
}
