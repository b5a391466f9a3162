//! The driver against a real Redis, in an open loop.

#![allow(clippy::unwrap_used)] // also outside of the test functions

use std::time::Duration;

use serde_json::{Value, json};
use weighhouse_engine_testkit::{DriverRun, Run, Server};

const DRIVER: &str = env!("CARGO_BIN_EXE_weighhouse-driver-resp");

fn order(server: &Server, load: &Value, seconds: f64) -> Value {
    let mut full = json!({"model": "open"});
    for (name, value) in load.as_object().unwrap() {
        full[name] = value.clone();
    }
    json!({
        "workload": {"name": "test", "record_count": 1000, "operations": {"read": 1.0},
                     "field_count": 1, "field_length": 100},
        "target": {"endpoints": [server.endpoint()], "options": {"layout": "string"}},
        "load": full,
        "phases": [{"kind": "load"}, {"kind": "measure", "duration_seconds": seconds}],
        "seed": 3
    })
}

/// One attempt: (response p95, p99, p99.9 in stalls, where 1 is the stall's length).
fn stall(server: &Server) -> [f64; 3] {
    let load = json!({"rate_per_second": 2000, "connections": 8, "max_in_flight": 4096});
    let mut run = DriverRun::start(DRIVER, &order(server, &load, 10.0));
    run.wait_for_phase("measure");
    std::thread::sleep(Duration::from_secs(4));
    let stalled = server.freeze(Duration::from_secs(1)).as_secs_f64();
    let run = run.finish();
    run.assert_finished();
    let measure = run.phase("measure");
    assert_eq!(measure.count("read", "ok"), 20_000, "an operation was left out");
    assert_eq!(measure.not_ok(), 0);
    let response = measure.histogram("operations/read/ok/response");
    let service = measure.histogram("operations/read/ok/service");
    assert_eq!(service.len(), 20_000);
    assert_eq!(measure.histogram("driver/lag").len(), 20_000);
    [0.95, 0.99, 0.999].map(|share| {
        Duration::from_nanos(response.value_at_quantile(share)).as_secs_f64() / stalled
    })
}

/// A stall of 1 s in 10 s at a constant rate: by arithmetic, a tenth of all operations waits, evenly
/// between 0 and 1 s. A coordinated omission would show some ms here.
///
/// The lower bounds hold on any machine. The upper ones also need a machine that runs this test when
/// it is due; so the best of three attempts counts for them.
#[test]
fn a_stall_is_seen_as_long_as_it_was() {
    let server = Server::redis(&[]);
    let truth = [0.5, 0.9, 0.99];
    let mut attempts = Vec::new();
    for _ in 0..3 {
        let found = stall(&server);
        for (found, truth) in found.iter().zip(truth) {
            assert!(*found > truth * 0.97, "{found} of the stall, where {truth} is the truth");
        }
        attempts.push(found);
        if found.iter().zip(truth).all(|(found, truth)| *found < truth * 1.03) {
            return;
        }
    }
    panic!("too long in every attempt: {attempts:?}");
}

#[test]
fn at_the_cap_operations_wait_with_their_stamps() {
    let server = Server::redis(&[]);
    let load = json!({"rate_per_second": 1000, "connections": 2, "max_in_flight": 10});
    let mut run = DriverRun::start(DRIVER, &order(&server, &load, 2.0));
    run.wait_for_phase("measure");
    std::thread::sleep(Duration::from_millis(500));
    let stalled = server.freeze(Duration::from_millis(500));
    let run = run.finish();
    run.assert_finished();
    let measure = run.phase("measure");
    assert_eq!(measure.count("read", "ok"), 2000);
    assert!(measure.intervals.iter().any(|one| one["driver"]["saturated"] == true));
    let most = measure.intervals.iter().filter_map(|one| one["driver"]["in_flight_max"].as_u64());
    assert_eq!(most.max(), Some(10));
    // All but ten of those that fell into the stall were sent after it; their responses tell.
    let half = u64::try_from(stalled.as_nanos()).unwrap() / 2;
    let longer = |path: &str| {
        let all = measure.histogram(path);
        all.len() - all.count_between(0, half)
    };
    assert!(longer("operations/read/ok/service") <= 12);
    assert!(longer("operations/read/ok/response") >= 240);
}

#[test]
fn poisson_arrivals_keep_their_rate_over_shards() {
    let server = Server::redis(&[]);
    let load = json!({"arrival": "poisson", "rate_per_second": 2000, "connections": 4});
    let mut order = order(&server, &load, 2.0);
    order["shards"] = 2.into();
    let run = Run::of(DRIVER, &order);
    run.assert_finished();
    let done = run.phase("measure").count("read", "ok");
    // Four standard deviations of a Poisson count of 4,000.
    assert!((3747..=4253).contains(&done), "{done}");
}

#[test]
fn what_could_not_be_sent_in_time_is_counted_as_failed() {
    let server = Server::redis(&[]);
    let load = json!({"rate_per_second": 200_000, "connections": 1, "max_in_flight": 1});
    let mut order = order(&server, &load, 0.5);
    order["target"]["options"]["timeout_ms"] = 100.into();
    let run = Run::of(DRIVER, &order);
    run.assert_finished();
    let measure = run.phase("measure");
    let failed = measure.count("read", "errors/timeout");
    assert!(failed > 0);
    assert_eq!(measure.count("read", "ok") + failed, 100_000);
    assert_eq!(measure.finished["client_bound"], true);
    let reasons = measure.finished["client_bound_reasons"].to_string();
    assert!(reasons.contains("unsent"), "{reasons}");
}
