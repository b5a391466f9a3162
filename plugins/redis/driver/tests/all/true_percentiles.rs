//! The driver against a server whose delays are known: what it records is what there was.

#![allow(clippy::unwrap_used)] // also outside of the test functions

use std::time::Duration;

use hdrhistogram::Histogram;
use serde_json::{Value, json};
use weighhouse_engine_testkit::{EchoServer, Held, Phase, Run};

const DRIVER: &str = env!("CARGO_BIN_EXE_weighhouse-driver-resp");
/// Times that each delay is given.
const ROUNDS: usize = 20;
const SHARES: [f64; 4] = [0.5, 0.95, 0.99, 0.999];

/// 0.1 ms to 9.8 ms, evenly, and two in a hundred of 40 ms.
fn delays() -> Vec<Duration> {
    (1..=98)
        .map(|step| Duration::from_micros(step * 100))
        .chain([Duration::from_millis(40); 2])
        .collect()
}

fn order(server: &EchoServer, load: &Value, shards: u64) -> Value {
    json!({
        "workload": {"name": "echo", "record_count": 1000, "operations": {"read": 1.0}},
        "target": {"endpoints": [server.endpoint()], "options": {"layout": "string"}},
        "load": load,
        "phases": [{"kind": "measure", "operation_count": ROUNDS * delays().len()}],
        "seed": 5,
        "interval_seconds": 0.25,
        "shards": shards
    })
}

/// Runs a load; what the server held, and the driver's events.
fn held(load: &Value, shards: u64) -> (Held, Run) {
    let server = EchoServer::start(&delays());
    let run = Run::of(DRIVER, &order(&server, load, shards));
    run.assert_finished();
    (server.finish(), run)
}

/// The delays as often as they were given, ns, sorted: the least that each rank can be.
fn given() -> Vec<u64> {
    let mut all: Vec<u64> = delays()
        .iter()
        .flat_map(|delay| std::iter::repeat_n(u64::try_from(delay.as_nanos()).unwrap(), ROUNDS))
        .collect();
    all.sort_unstable();
    all
}

/// Every operation took at least what the server held it. So too each rank: the k-th smallest
/// recorded is no less than the k-th smallest held, up to the width of the histogram's bucket.
fn assert_at_least(recorded: &Histogram<u64>, least: &[u64]) {
    assert_eq!(recorded.len(), least.len() as u64);
    let mut rank = 0;
    for bucket in recorded.iter_recorded() {
        rank += usize::try_from(bucket.count_since_last_iteration()).unwrap();
        let highest = recorded.highest_equivalent(bucket.value_iterated_to());
        assert!(highest >= least[rank - 1], "rank {rank}: {highest} ns, held {}", least[rank - 1]);
    }
}

/// Nor is any rank more than the most that it can be.
fn assert_at_most(recorded: &Histogram<u64>, most: &[u64]) {
    assert_eq!(recorded.len(), most.len() as u64);
    let mut rank = 0;
    for bucket in recorded.iter_recorded() {
        let lowest = recorded.lowest_equivalent(bucket.value_iterated_to());
        assert!(lowest <= most[rank], "rank {}: {lowest} ns, at most {}", rank + 1, most[rank]);
        rank += usize::try_from(bucket.count_since_last_iteration()).unwrap();
    }
}

/// The percentiles that people read lie between the same percentiles of both bounds.
fn assert_percentiles(recorded: &Histogram<u64>, least: &[u64], most: &[u64]) {
    for share in SHARES {
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // a small index
        let rank = (share * least.len() as f64).ceil() as usize - 1;
        let found = recorded.value_at_quantile(share);
        let (low, high) = (least[rank], recorded.highest_equivalent(most[rank]));
        assert!((low..=high).contains(&found), "{share}: {found} not within {low} and {high}");
    }
}

fn response(measure: &Phase<'_>) -> Histogram<u64> {
    assert_eq!(measure.not_ok(), 0);
    measure.histogram("operations/read/ok/response")
}

fn closed_loop_is_true(clients: usize, depth: usize, shards: u64) {
    let load = json!({"model": "closed", "clients": clients, "pipeline": depth});
    let (held, run) = held(&load, shards);
    let recorded = response(&run.phase("measure"));
    let (times, bounds) = (held.times(), held.bounds(depth));
    assert_at_least(&recorded, &times);
    assert_at_most(&recorded, &bounds);
    assert_percentiles(&recorded, &times, &bounds);
    assert_at_least(&recorded, &given());
}

#[test]
fn a_closed_loop_records_the_true_percentiles() {
    closed_loop_is_true(4, 1, 1);
}

#[test]
fn so_it_does_over_two_shards() {
    closed_loop_is_true(6, 1, 2);
}

/// Each operation of a pipeline has a latency of its own, not that of the first reply.
#[test]
fn so_it_does_with_several_in_flight() {
    closed_loop_is_true(2, 4, 1);
}

#[test]
fn an_open_loop_records_no_less_than_there_was() {
    let load = json!({"model": "open", "rate_per_second": 1000, "connections": 8});
    let (held, run) = held(&load, 1);
    let measure = run.phase("measure");
    let (response, service) = (response(&measure), measure.histogram("operations/read/ok/service"));
    assert_at_least(&service, &held.times());
    assert_at_least(&response, &held.times());
    assert_at_least(&service, &given());
    for share in SHARES {
        assert!(response.value_at_quantile(share) >= service.value_at_quantile(share), "{share}");
    }
}
