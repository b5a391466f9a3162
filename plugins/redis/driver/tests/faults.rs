//! A server that goes away, comes back, or does not answer.

use std::time::Duration;

use serde_json::{Value, json};
use weighhouse_engine_testkit::{DriverRun, Server};

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
        let mut run = DriverRun::start(DRIVER, &order(&server, &load));
        run.wait_for_phase("measure");
        std::thread::sleep(Duration::from_millis(800));
        server.kill();
        std::thread::sleep(Duration::from_millis(300));
        server.restart();
        let run = run.finish();
        run.assert_finished();
        let measure = run.phase("measure");
        assert!(measure.driver_sum("reconnects") >= 4, "{load}");
        let lost = ["read", "update", "insert"].map(|operation| {
            let known = ["ok", "not_found", "errors/connection"];
            known.map(|outcome| measure.count(operation, outcome))
        });
        let sum = |outcome: usize| lost.iter().map(|counts| counts[outcome]).sum::<u64>();
        assert!(!always_waiting || sum(2) > 0, "{load}: nothing was lost with the server");
        // The new server is empty: reads miss what the old one had.
        assert!(sum(1) > 0, "{load}");
        assert_eq!(sum(1) + sum(2), measure.not_ok(), "{load}");
        if open {
            assert_eq!(sum(0) + sum(1) + sum(2), 7500, "an operation was left out");
        }
        let final_interval = measure.intervals.last().unwrap();
        assert!(final_interval["operations"]["update"]["ok"]["count"].as_u64() > Some(0), "{load}");
    }
}

#[test]
fn an_operation_without_an_answer_times_out() {
    let server = Server::redis(&[]);
    let mut order = order(&server, &json!({"model": "closed", "clients": 4, "pipeline": 2}));
    order["target"]["options"]["timeout_ms"] = 200.into();
    let mut run = DriverRun::start(DRIVER, &order);
    run.wait_for_phase("measure");
    std::thread::sleep(Duration::from_millis(300));
    server.freeze(Duration::from_secs(1));
    let run = run.finish();
    run.assert_finished();
    let measure = run.phase("measure");
    let timeouts: u64 = ["read", "update", "insert"]
        .iter()
        .map(|operation| measure.count(operation, "errors/timeout"))
        .sum();
    assert!(timeouts >= 8, "{timeouts}");
    let waited = measure.histogram("operations/read/errors/timeout/response");
    assert!(waited.is_empty() || waited.min() >= 199_000_000, "{}", waited.min());
    let final_interval = measure.intervals.last().unwrap();
    assert!(final_interval["operations"]["read"]["ok"]["count"].as_u64() > Some(0));
}

#[test]
fn a_load_phase_goes_on_after_a_restart_until_all_records_are_there() {
    let mut server = Server::redis(&["--appendonly", "yes", "--appendfsync", "always"]);
    let mut order = order(&server, &json!({"model": "closed", "clients": 2}));
    order["workload"]["record_count"] = 20_000.into();
    order["phases"] = json!([{"kind": "load"}]);
    let mut run = DriverRun::start(DRIVER, &order);
    run.wait_for_phase("load");
    std::thread::sleep(Duration::from_millis(150));
    server.kill();
    server.restart();
    let run = run.finish();
    run.assert_finished();
    assert_eq!(run.phase("load").count("insert", "ok"), 20_000);
    assert_eq!(server.ask("SELECT 1\r\nDBSIZE\r\n"), "+OK\r\n:20000\r\n");
}
