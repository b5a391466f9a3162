//! The driver's protocol, seen from outside: what is refused, what fails, how it ends.

#![allow(clippy::unwrap_used)] // also outside of the test functions

use serde_json::{Value, json};
use weighhouse_driver_api::Operation;
use weighhouse_engine_testkit::{DriverRun, Run, Server};

const DRIVER: &str = env!("CARGO_BIN_EXE_weighhouse-driver-resp");

fn order(endpoint: &str) -> Value {
    json!({
        "workload": {"name": "test", "record_count": 100},
        "target": {"endpoints": [endpoint]},
        "load": {"model": "closed", "clients": 2},
        "phases": [{"kind": "load"}, {"kind": "measure", "duration_seconds": 3600}],
        "seed": 1
    })
}

fn refusal(order: &Value) -> String {
    let run = Run::of(DRIVER, order);
    assert_eq!(run.exit_code, Some(2));
    assert_eq!(run.events.len(), 1, "{:?}", run.events);
    let failed = run.event("failed");
    assert_eq!(failed["kind"], "invalid");
    failed["message"].as_str().unwrap().to_owned()
}

#[test]
fn what_cannot_be_done_is_refused_before_anything_is_touched() {
    assert!(refusal(&json!({"protocol": 1})).contains("missing field"));
    let mut wrong = order("tcp://127.0.0.1:1");
    wrong["target"]["options"] = json!({"layuot": "hash"});
    assert!(refusal(&wrong).starts_with("target.options.layuot"));
    let mut wrong = order("tcp://127.0.0.1:1");
    wrong["target"]["options"] = json!({"timeout_ms": 0});
    assert!(refusal(&wrong).starts_with("target.options.timeout_ms"));
    assert!(refusal(&order("file:///tmp")).starts_with("target.endpoints[0]"));
    let mut wrong = order("tcp://127.0.0.1:1");
    wrong["target"]["options"] = json!({"tls_verify": false});
    assert!(refusal(&wrong).starts_with("target.options.tls_verify: only for an endpoint tls://"));
    let mut wrong = order("tls://127.0.0.1:1");
    wrong["target"]["options"] = json!({"tls_ca_file": "/no/such/file"});
    assert!(refusal(&wrong).starts_with("target.options.tls_ca_file: /no/such/file"));
    let mut wrong = order("tcp://127.0.0.1:1");
    wrong["target"]["endpoints"] = json!(["tcp://127.0.0.1:1", "tcp://127.0.0.1:2"]);
    assert!(refusal(&wrong).starts_with("target.endpoints"));
    let mut wrong = order("tcp://127.0.0.1:1");
    wrong["protocol"] = 2.into();
    assert!(refusal(&wrong).starts_with("protocol"));
}

fn failure(endpoint: &str) -> Value {
    let run = Run::of(DRIVER, &order(endpoint));
    assert_eq!(run.exit_code, Some(1));
    let failed = run.event("failed").clone();
    assert_eq!(failed["kind"], "connection");
    failed
}

#[test]
fn a_server_that_is_not_there_or_is_another_one_is_told() {
    assert!(failure("tcp://127.0.0.1:1")["message"].as_str().unwrap().contains("refused"));
    let memcached = Server::memcached(&[]);
    let failed = failure(&memcached.endpoint());
    assert!(failed["message"].as_str().unwrap().contains("does not speak the protocol"));
    assert!(failed["hint"].as_str().unwrap().contains("resp"));
}

#[test]
fn asked_to_end_it_ends_with_what_was_measured() {
    let server = Server::redis(&[]);
    for load in [
        json!({"model": "closed", "clients": 2}),
        json!({"model": "closed", "clients": 2, "think_time_us": 30_000_000}),
        json!({"model": "open", "rate_per_second": 500}),
    ] {
        let mut order = order(&server.endpoint());
        order["load"] = load;
        let mut run = DriverRun::start(DRIVER, &order);
        run.wait_for_phase("measure");
        run.terminate();
        let run = run.finish();
        run.assert_finished();
        assert_eq!(run.phase("measure").finished["interrupted"], true);
        assert_eq!(run.phase("load").finished["interrupted"], false);
    }
}

#[test]
fn it_ends_when_nobody_reads_any_more() {
    let server = Server::redis(&[]);
    let mut run = DriverRun::start(DRIVER, &order(&server.endpoint()));
    run.wait_for_phase("measure");
    assert_eq!(run.abandon(), Some(1));
}

#[test]
fn it_describes_itself() {
    let output = std::process::Command::new(DRIVER).arg("--describe").output().unwrap();
    let description: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(description["driver"], "resp");
    assert_eq!(description["protocol"], 1);
    assert_eq!(description["operations"], json!(Operation::ALL.map(Operation::name)));
    assert_eq!(description["endpoint_kinds"], json!(["tcp", "tls", "unix"]));
    let options = description["options"]["properties"].as_object().unwrap();
    assert_eq!(
        options.keys().collect::<Vec<_>>(),
        [
            "cluster",
            "database",
            "hashing",
            "io",
            "layout",
            "password_file",
            "read_from",
            "resp3",
            "scan_index",
            "timeout_ms",
            "tls_ca_file",
            "tls_certificate_file",
            "tls_key_file",
            "tls_server_name",
            "tls_verify",
            "username"
        ]
    );
}

#[test]
fn events_come_in_order_and_intervals_cover_the_phase() {
    let server = Server::redis(&[]);
    let mut order = order(&server.endpoint());
    order["phases"][1] = json!({"kind": "measure", "duration_seconds": 0.7});
    order["interval_seconds"] = 0.2.into();
    let run = Run::of(DRIVER, &order);
    run.assert_finished();
    let kinds: Vec<_> = run.events.iter().map(|event| event["event"].as_str().unwrap()).collect();
    assert_eq!(kinds[..2], ["ready", "phase_started"]);
    let measure = run.phase("measure");
    let number = |event: &Value, name: &str| event[name].as_u64().unwrap();
    let sequences: Vec<_> =
        measure.intervals.iter().map(|event| number(event, "sequence")).collect();
    // What returns late on a busy machine has an interval of its own.
    assert!(sequences.len() >= 4 && sequences.iter().zip(0..).all(|(&one, number)| one == number));
    let covered: u64 = measure.intervals.iter().map(|event| number(event, "duration_us")).sum();
    assert_eq!(covered, number(measure.finished, "duration_us"));
    assert!(
        run.events
            .windows(2)
            .all(|pair| { number(&pair[0], "elapsed_us") <= number(&pair[1], "elapsed_us") })
    );
}
