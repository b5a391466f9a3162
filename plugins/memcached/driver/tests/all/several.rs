//! The driver over several real memcacheds that know nothing of each other.

#![allow(clippy::unwrap_used)] // also outside of the test functions

use serde_json::{Value, json};
use weighhouse_engine_testkit::{DriverRun, Phase, Run, Server, done};

const DRIVER: &str = env!("CARGO_BIN_EXE_weighhouse-driver-memcached");
const OPERATIONS: [&str; 3] = ["read", "update", "insert"];

fn servers(count: usize) -> Vec<Server> {
    (0..count).map(|_| Server::memcached(&[])).collect()
}

fn order(servers: &[Server], options: &Value, load: &Value) -> Value {
    let endpoints: Vec<_> = servers.iter().map(Server::endpoint).collect();
    json!({
        "workload": {"name": "test", "record_count": 3000, "field_count": 2, "field_length": 40,
                     "operations": {"read": 0.5, "update": 0.4, "insert": 0.1},
                     "verify_fraction": 1.0},
        "target": {"endpoints": endpoints, "options": options},
        "load": load,
        "phases": [{"kind": "load"}, {"kind": "measure", "operation_count": 20_000}],
        "seed": 42,
        "interval_seconds": 0.2,
        "shards": 2
    })
}

fn closed() -> Value {
    json!({"model": "closed", "clients": 4, "pipeline": 4})
}

fn stat(server: &Server, name: &str) -> u64 {
    let stats = server.ask("stats\r\n");
    let line = stats.lines().find_map(|line| line.strip_prefix(&format!("STAT {name} ")));
    line.unwrap().trim().parse().unwrap()
}

fn count(phase: &Phase<'_>, outcome: &str) -> u64 {
    OPERATIONS.iter().map(|operation| phase.count(operation, outcome)).sum()
}

#[test]
fn every_read_finds_what_was_written_wherever_it_is() {
    for hashing in ["ketama", "modulo"] {
        for commands in ["text", "meta"] {
            let servers = servers(3);
            let options = json!({"hashing": hashing, "commands": commands});
            let run = Run::of(DRIVER, &order(&servers, &options, &closed()));
            run.assert_finished();
            assert_eq!(run.event("ready")["connections"], 12, "each client to each server");
            let measure = run.phase("measure");
            assert_eq!(measure.not_ok(), 0, "{options}: {:?}", measure.finished);
            assert_eq!(count(&measure, "ok"), 20_000);
            let held: Vec<_> = servers.iter().map(|server| stat(server, "curr_items")).collect();
            assert_eq!(held.iter().sum::<u64>(), 3000 + measure.count("insert", "ok"));
            assert!(held.iter().all(|&held| held > 1200), "{options}: {held:?}");
            let misses: u64 = servers.iter().map(|server| stat(server, "get_misses")).sum();
            assert_eq!(misses, 0, "nobody was asked for another's key");
        }
    }
}

/// Of three servers the second has it by libmemcached's algorithm, the first by python-memcached's.
#[test]
fn a_key_is_where_the_named_client_would_look() {
    for (hashing, expected) in [("ketama", 1), ("modulo", 0)] {
        let servers = servers(3);
        let order = order(&servers, &json!({"hashing": hashing}), &closed());
        Run::of(DRIVER, &order).assert_finished();
        for (position, server) in servers.iter().enumerate() {
            let answer = server.ask("mg user6284781860667377211 s\r\n");
            assert_eq!(answer.starts_with("HD"), position == expected, "{hashing}: {answer}");
        }
    }
}

#[test]
fn a_server_that_is_gone_takes_its_own_keys_alone() {
    for load in [closed(), json!({"model": "open", "rate_per_second": 2000, "connections": 4})] {
        let mut servers = servers(3);
        let mut order = order(&servers, &json!({"hashing": "ketama"}), &load);
        // An open loop's operations are counted against what was due, to the last one.
        let open = load["model"] == "open";
        let seconds = if open { 6 } else { 3600 };
        order["phases"] =
            json!([{"kind": "load"}, {"kind": "measure", "duration_seconds": seconds}]);
        let mut run = DriverRun::start(DRIVER, &order);
        run.wait_for_load();
        servers[1].kill();
        run.wait_for_interval(|interval| done(interval, "errors/connection") > 0);
        servers[1].restart();
        run.wait_for_interval(|interval| done(interval, "not_found") > 0);
        servers[1].ask_until("stats\r\n", |said| !said.contains("STAT cmd_set 0\r\n"));
        let run = if open { run.finish() } else { run.end() };
        run.assert_finished();
        let measure = run.phase("measure");
        let lost = count(&measure, "errors/connection");
        assert!(lost > 0, "{load}");
        // It came back empty: what it had is not found, what is written to it now is.
        assert!(measure.count("read", "not_found") > 0, "{load}");
        assert_eq!(measure.not_ok(), lost + measure.count("read", "not_found"), "{load}");
        assert!(stat(&servers[1], "cmd_set") > 0, "{load}");
        if open {
            assert_eq!(count(&measure, "ok") + measure.not_ok(), 12_000);
        }
    }
}

#[test]
fn what_several_servers_cannot_do_is_refused_by_name() {
    let servers = servers(2);
    let refused = |order: &Value| {
        let run = Run::of(DRIVER, order);
        assert_eq!(run.exit_code, Some(2), "{:?}", run.events);
        run.event("failed")["message"].as_str().unwrap().to_owned()
    };
    let without = refused(&order(&servers, &json!({}), &closed()));
    assert!(without.contains("target.endpoints"), "{without}");
    let unknown = refused(&order(&servers, &json!({"hashing": "jump"}), &closed()));
    assert!(unknown.contains("target.options.hashing: ketama or modulo"), "{unknown}");
    let mut several = order(&servers, &json!({"hashing": "ketama"}), &closed());
    several["workload"]["verify_fraction"] = 0.into();
    several["workload"]["keys_per_read"] = 3.into();
    let several = refused(&several);
    assert!(
        several.contains("target.options.hashing: ") && several.contains("one key"),
        "{several}"
    );
    // Over one server there is nothing to spread, and nothing to refuse.
    let mut one = order(&servers[..1], &json!({"hashing": "ketama"}), &closed());
    one["workload"]["verify_fraction"] = 0.into();
    one["workload"]["keys_per_read"] = 3.into();
    let run = Run::of(DRIVER, &one);
    run.assert_finished();
    assert_eq!(run.event("ready")["connections"], 4);
}
