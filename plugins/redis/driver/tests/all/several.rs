//! The driver over several real Redis processes that know nothing of each other.

#![allow(clippy::unwrap_used)] // also outside of the test functions

use serde_json::{Value, json};
use weighhouse_engine_testkit::{Run, Server};

const DRIVER: &str = env!("CARGO_BIN_EXE_weighhouse-driver-resp");

fn order(servers: &[Server], options: &Value) -> Value {
    let endpoints: Vec<_> = servers.iter().map(Server::endpoint).collect();
    json!({
        "workload": {"name": "test", "record_count": 2000, "field_count": 3, "field_length": 40,
                     "operations": {"read": 0.5, "update": 0.3, "read_modify_write": 0.2},
                     "verify_fraction": 1.0},
        "target": {"endpoints": endpoints, "options": options},
        "load": {"model": "closed", "clients": 4, "pipeline": 3},
        "phases": [{"kind": "load"}, {"kind": "measure", "operation_count": 10_000}],
        "seed": 3,
        "interval_seconds": 0.25
    })
}

fn keys(server: &Server) -> u64 {
    server.ask("DBSIZE\r\n").trim_start_matches(':').trim().parse().unwrap()
}

#[test]
fn every_process_has_its_keys_and_finds_them() {
    for hashing in ["ketama", "modulo"] {
        for layout in ["hash", "string"] {
            let servers = [Server::redis(&[]), Server::redis(&[])];
            let options = json!({"hashing": hashing, "layout": layout});
            let run = Run::of(DRIVER, &order(&servers, &options));
            run.assert_finished();
            assert_eq!(run.event("ready")["connections"], 8);
            assert_eq!(run.phase("measure").not_ok(), 0, "{options}");
            let held: Vec<_> = servers.iter().map(keys).collect();
            assert_eq!(held.iter().sum::<u64>(), 2000, "{options}");
            assert!(held.iter().all(|&held| held > 900), "{options}: {held:?}");
        }
    }
}

#[test]
fn what_does_not_go_together_is_refused_by_name() {
    let servers = [Server::redis(&[]), Server::redis(&[])];
    let refused = |order: &Value| {
        let run = Run::of(DRIVER, order);
        assert_eq!(run.exit_code, Some(2), "{:?}", run.events);
        run.event("failed")["message"].as_str().unwrap().to_owned()
    };
    let both = refused(&order(&servers, &json!({"hashing": "ketama", "cluster": true})));
    assert!(both.starts_with("target.options.hashing: not beside"), "{both}");
    let mut scans = order(&servers, &json!({"hashing": "ketama"}));
    scans["workload"]["operations"] = json!({"scan": 1.0});
    let scans = refused(&scans);
    assert!(scans.starts_with("target.options.hashing: ") && scans.contains("scans"), "{scans}");
    let neither = refused(&order(&servers, &json!({})));
    assert!(neither.starts_with("target.endpoints: "), "{neither}");
}
