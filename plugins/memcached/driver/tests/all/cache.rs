//! Memcached as a cache: reads that miss are filled, and the hit ratio is that of the policy.

use std::sync::Arc;

use serde_json::{Value, json};
use weighhouse_engine::order::Order;
use weighhouse_engine::workload::{Acknowledged, InsertNumbers, OperationStream, Place};
use weighhouse_engine_testkit::{Lru, Run, Server};

const DRIVER: &str = env!("CARGO_BIN_EXE_weighhouse-driver-memcached");

/// Share of the key space that the store has place for.
const HELD: f64 = 0.3;
/// Operations a second. Redis tells ages by whole seconds; a record that nobody asks for has to stay
/// for several of them before it goes.
const RATE: u64 = 500;
/// Operations before the measured ones, and those.
const OPERATIONS: [u64; 2] = [6_000, 5_000];

fn order(server: &Server, distribution: &str, records: u64) -> Value {
    json!({
        "workload": {"name": "cache", "record_count": records, "field_count": 1,
                     "field_length": 2000, "operations": {"read": 1.0}, "fill_on_miss": true,
                     "insert_count": 0, "request_distribution": distribution},
        "target": {"endpoints": [server.endpoint()]},
        "load": {"model": "open", "rate_per_second": RATE, "connections": 1},
        "phases": [{"kind": "load"},
                   {"kind": "warmup", "operation_count": OPERATIONS[0]},
                   {"kind": "measure", "operation_count": OPERATIONS[1]}],
        "seed": 5,
    })
}

fn held(server: &Server) -> usize {
    let stats = server.ask("stats\r\n");
    let held = stats.lines().find_map(|line| line.strip_prefix("STAT curr_items "));
    let Some(Ok(count)) = held.map(|said| said.trim().parse()) else { panic!("none in {stats}") };
    count
}

/// How many records it has place for.
fn places(server: &Server) -> usize {
    let mut load = order(server, "uniform", 5_000);
    load["workload"]["insert_count"] = 5_000.into();
    load["load"] = json!({"model": "closed", "clients": 1});
    load["phases"] = json!([{"kind": "load"}]);
    Run::of(DRIVER, &load).assert_finished();
    let places = held(server);
    assert!(places < 5_000, "nothing was evicted");
    server.ask("flush_all\r\n");
    places
}

/// The hit ratio of a cache that evicts exactly the least recently used, over the same keys.
fn simulated(order: &Value, places: usize) -> f64 {
    let Ok(order) = Order::parse(&order.to_string()) else { panic!("no order: {order}") };
    let mut cache = Lru::new(places);
    let mut ratio = 0.0;
    for (phase, count) in (1..).zip(OPERATIONS) {
        let all = Arc::new(Acknowledged::new(order.workload.record_count));
        let mut stream =
            OperationStream::new(&order, phase, Place::alone(), InsertNumbers::new(all));
        ratio = cache.hit_ratio((0..count).map(|_| stream.advance().number));
    }
    ratio
}

fn hits_as_often_as_a_true_lru(distribution: &str) {
    let server = Server::memcached(&["-m", "4"]);
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // some thousands
    let records = (places(&server) as f64 / HELD) as u64;
    let order = order(&server, distribution, records);
    let run = Run::of(DRIVER, &order);
    run.assert_finished();
    let measure = run.phase("measure");
    let [hits, misses] = ["ok", "not_found"].map(|outcome| measure.count("read", outcome));
    assert_eq!((hits + misses, measure.count("fill", "ok")), (OPERATIONS[1], misses));
    let ratio = 100.0 * hits as f64 / (hits + misses) as f64;
    let expected = simulated(&order, held(&server));
    assert!((ratio - expected).abs() < 1.0, "{distribution}: {ratio} %, simulated {expected} %");
}

#[test]
fn under_uniform_keys_it_hits_as_often_as_a_true_lru() {
    hits_as_often_as_a_true_lru("uniform");
}

#[test]
fn under_zipfian_keys_it_hits_as_often_as_a_true_lru() {
    hits_as_often_as_a_true_lru("zipfian");
}
