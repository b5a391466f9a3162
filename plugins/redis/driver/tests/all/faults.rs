//! A server that goes away, comes back, or does not answer.

use serde_json::{Value, json};
use weighhouse_engine_testkit::{DriverRun, Server, done};

const DRIVER: &str = env!("CARGO_BIN_EXE_weighhouse-driver-resp");

fn order(server: &Server, load: &Value) -> Value {
    json!({
        "workload": {"name": "test", "record_count": 1000,
                     "operations": {"read": 0.4, "update": 0.4, "insert": 0.2}},
        "target": {"endpoints": [server.endpoint()], "options": {"database": 1}},
        "load": load,
        "phases": [{"kind": "load"}, {"kind": "measure", "duration_seconds": 2.5}],
        "seed": 3,
        "interval_seconds": 0.25
    })
}

#[test]
fn a_restart_is_survived_and_counted() {
    for load in [
        json!({"model": "closed", "clients": 4, "pipeline": 3}),
        json!({"model": "closed", "clients": 4, "think_time_us": 500}),
        json!({"model": "open", "rate_per_second": 3000, "connections": 4}),
    ] {
        let open = load["model"] == "open";
        let always_waiting = !open && load["think_time_us"].is_null();
        let mut server = Server::redis(&[]);
        let mut order = order(&server, &load);
        // An open loop's operations are counted against what was due, to the last one.
        order["phases"][1]["duration_seconds"] = if open { 8 } else { 3600 }.into();
        let mut run = DriverRun::start(DRIVER, &order);
        run.wait_for_load();
        server.kill();
        if always_waiting {
            run.wait_for_interval(|interval| done(interval, "errors/connection") > 0);
        }
        server.restart();
        run.wait_for_reconnects(4);
        // The new server is empty: reads miss what the old one had, and updates make it again, maybe
        // before the last connection is back.
        run.see_interval(|interval| done(interval, "not_found") > 0);
        run.wait_for_interval(|interval| done(interval, "ok") > 0);
        let run = if open { run.finish() } else { run.end() };
        run.assert_finished();
        let measure = run.phase("measure");
        assert!(measure.driver_sum("reconnects") >= 4, "{load}");
        let lost = ["read", "update", "insert"].map(|operation| {
            let known = ["ok", "not_found", "errors/connection"];
            known.map(|outcome| measure.count(operation, outcome))
        });
        let sum = |outcome: usize| lost.iter().map(|counts| counts[outcome]).sum::<u64>();
        assert_eq!(sum(1) + sum(2), measure.not_ok(), "{load}");
        if open {
            assert_eq!(sum(0) + sum(1) + sum(2), 24_000, "an operation was left out");
        }
    }
}

#[test]
fn an_operation_without_an_answer_times_out() {
    let server = Server::redis(&[]);
    let mut order = order(&server, &json!({"model": "closed", "clients": 4, "pipeline": 2}));
    order["phases"][1]["duration_seconds"] = 3600.into();
    order["target"]["options"]["timeout_ms"] = 200.into();
    let mut run = DriverRun::start(DRIVER, &order);
    run.wait_for_load();
    let stopped = server.stop();
    run.wait_for_interval(|interval| done(interval, "errors/timeout") > 0);
    run.wait_for_interval(|interval| done(interval, "ok") == 0);
    stopped.resume();
    run.wait_for_load();
    let run = run.end();
    let measure = run.phase("measure");
    let timeouts: u64 = ["read", "update", "insert"]
        .iter()
        .map(|operation| measure.count(operation, "errors/timeout"))
        .sum();
    assert!(timeouts >= 8, "{timeouts}");
    let waited = measure.histogram("operations/read/errors/timeout/response");
    assert!(waited.is_empty() || waited.min() >= 199_000_000, "{}", waited.min());
}

#[test]
fn a_load_phase_goes_on_after_a_restart_until_all_records_are_there() {
    let mut server = Server::redis(&["--appendonly", "yes", "--appendfsync", "always"]);
    let mut order = order(&server, &json!({"model": "closed", "clients": 2}));
    order["workload"]["record_count"] = 2000.into();
    order["phases"] = json!([{"kind": "load"}]);
    let mut run = DriverRun::start(DRIVER, &order);
    run.wait_for_phase("load");
    server.ask_until("SELECT 1\r\nDBSIZE\r\n", |answer| answer != "+OK\r\n:0\r\n");
    server.kill();
    server.restart();
    let run = run.finish();
    run.assert_finished();
    assert_eq!(run.phase("load").count("insert", "ok"), 2000);
    assert_eq!(server.ask("SELECT 1\r\nDBSIZE\r\n"), "+OK\r\n:2000\r\n");
}
