//! The driver on a real Redis Cluster: its behaviour, and what happens when slots and masters
//! change under load.

#![allow(clippy::unwrap_used)] // also outside of the test functions

use serde_json::{Value, json};
use weighhouse_engine_testkit::{DriverRun, Phase, RedisCluster, Run, Server, Suite, done, failed};

const DRIVER: &str = env!("CARGO_BIN_EXE_weighhouse-driver-resp");

fn order(endpoint: &str, load: &Value, seconds: u64) -> Value {
    json!({
        "workload": {"name": "test", "record_count": 2000, "field_count": 3, "field_length": 40,
                     "operations": {"read": 0.5, "update": 0.3, "read_modify_write": 0.2},
                     "verify_fraction": 1.0},
        "target": {"endpoints": [endpoint], "options": {"cluster": true}},
        "load": load,
        "phases": [{"kind": "load"}, {"kind": "measure", "duration_seconds": seconds}],
        "seed": 3,
        "interval_seconds": 0.25
    })
}

const OPERATIONS: [&str; 3] = ["read", "update", "read_modify_write"];

fn count(phase: &Phase<'_>, outcome: &str) -> u64 {
    OPERATIONS.iter().map(|operation| phase.count(operation, outcome)).sum()
}

fn keys(server: &Server) -> u64 {
    server.ask("DBSIZE\r\n").trim_start_matches(':').trim().parse().unwrap()
}

#[test]
fn a_cluster_is_one_system() {
    let cluster = RedisCluster::start(3, false);
    for options in [json!({"cluster": true}), json!({"cluster": true, "layout": "string"})] {
        Suite {
            driver: DRIVER,
            endpoint: cluster.endpoint(),
            options,
            tells_missing: true,
            refuses: &["scan", "multi_get"],
            clients: 4,
        }
        .check();
        for server in &cluster.servers {
            server.ask("FLUSHALL\r\n");
        }
    }
    let run =
        Run::of(DRIVER, &order(&cluster.endpoint(), &json!({"model": "closed", "clients": 4}), 1));
    run.assert_finished();
    assert_eq!(run.event("ready")["connections"], 12);
    let held: Vec<u64> = cluster.servers.iter().map(keys).collect();
    assert_eq!(held.iter().sum::<u64>(), 2000);
    assert!(held.iter().all(|&held| held > 500), "{held:?}");
}

#[test]
fn slots_that_move_under_a_closed_loop_lose_nothing() {
    move_slots(&json!({"model": "closed", "clients": 4, "pipeline": 3}));
}

#[test]
fn slots_that_move_under_an_open_loop_lose_nothing() {
    move_slots(&json!({"model": "open", "rate_per_second": 2000, "connections": 4}));
}

fn move_slots(load: &Value) {
    let cluster = RedisCluster::start(3, false);
    let before = keys(&cluster.servers[2]);
    // An open loop's operations are counted against what was due, to the last one.
    let open = load["model"] == "open";
    let seconds = if open { 6 } else { 3600 };
    let mut run = DriverRun::start(DRIVER, &order(&cluster.endpoint(), load, seconds));
    run.wait_for_load();
    cluster.reshard(0, 2, 1500);
    let run = if open { run.finish() } else { run.end() };
    run.assert_finished();
    let measure = run.phase("measure");
    assert_eq!(measure.not_ok(), 0, "{load}: {:?}", measure.finished);
    if open {
        assert_eq!(count(&measure, "ok"), 12_000);
    }
    assert!(keys(&cluster.servers[2]) > before + 700, "{load}");
    let answers = cluster.servers[0].ask("INFO errorstats\r\n");
    assert!(answers.contains("errorstat_MOVED"), "{load}: {answers}");
}

#[test]
fn a_closed_loop_goes_on_when_a_master_is_replaced() {
    lose_a_master(&json!({"model": "closed", "clients": 4, "pipeline": 2}));
}

#[test]
fn an_open_loop_goes_on_when_a_master_is_replaced() {
    lose_a_master(&json!({"model": "open", "rate_per_second": 1000, "connections": 4}));
}

fn lose_a_master(load: &Value) {
    let mut cluster = RedisCluster::start(3, true);
    // An open loop's operations are counted against what was due, to the last one.
    let open = load["model"] == "open";
    let mut order = order(&cluster.endpoint(), load, if open { 15 } else { 3600 });
    order["target"]["options"]["timeout_ms"] = 500.into();
    let mut run = DriverRun::start(DRIVER, &order);
    run.wait_for_load();
    cluster.servers[1].kill();
    run.wait_for_interval(|interval| failed(interval) > 0);
    // After the first failures there comes an interval in which all goes well again: of an open loop
    // with as many operations as are due, so those on the replaced master's keys are among them.
    let least = if open { 225 } else { 1 };
    run.wait_for_interval(|interval| failed(interval) == 0 && done(interval, "ok") >= least);
    let run = if open { run.finish() } else { run.end() };
    run.assert_finished();
    let measure = run.phase("measure");
    let gone = ["connection", "timeout", "server_busy", "unavailable"];
    let gone: u64 = gone.iter().map(|kind| count(&measure, &format!("errors/{kind}"))).sum();
    assert!(gone > 0, "{load}");
    assert_eq!(measure.not_ok(), gone, "{load}: {:?}", measure.finished);
    if open {
        assert_eq!(count(&measure, "ok") + measure.not_ok(), 15_000, "{load}");
    }
    assert!(keys(&cluster.servers[4]) > 500);
}

#[test]
fn what_is_no_cluster_is_told() {
    let server = Server::redis(&[]);
    let load = json!({"model": "closed", "clients": 1});
    let run = Run::of(DRIVER, &order(&server.endpoint(), &load, 1));
    assert_eq!(run.exit_code, Some(1));
    let message = run.event("failed")["message"].as_str().unwrap().to_owned();
    assert!(message.contains("cluster support disabled"), "{message}");
}

#[test]
fn a_server_on_a_host_that_was_not_named_gets_no_load() {
    let cluster = RedisCluster::start(1, false);
    cluster.servers[0].ask("CONFIG SET cluster-announce-ip 127.0.0.9\r\n");
    let load = json!({"model": "closed", "clients": 1});
    let run = Run::of(DRIVER, &order(&cluster.endpoint(), &load, 1));
    assert_eq!(run.exit_code, Some(1));
    let message = run.event("failed")["message"].as_str().unwrap().to_owned();
    assert!(message.contains("tcp://127.0.0.9:"), "{message}");
    let mut both = order(&cluster.endpoint(), &load, 1);
    let port = cluster.endpoint().rsplit(':').next().unwrap().to_owned();
    both["target"]["endpoints"] = json!([cluster.endpoint(), format!("tcp://127.0.0.9:{port}")]);
    // Named, it is asked, and it does not listen there.
    let run = Run::of(DRIVER, &both);
    let message = run.event("failed")["message"].as_str().unwrap().to_owned();
    assert!(message.contains("127.0.0.9") && message.contains("cannot be reached"), "{message}");
}
