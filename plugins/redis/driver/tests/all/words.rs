//! What a real Redis says of what it does not take: the kind that it is counted under, and its own
//! words, by operation.

#![allow(clippy::unwrap_used)] // also outside of the test functions

use std::io::{Read, Write};
use std::net::TcpStream;
use std::thread;

use serde_json::{Value, json};
use weighhouse_engine_testkit::{DriverRun, Run, Server, done};

const DRIVER: &str = env!("CARGO_BIN_EXE_weighhouse-driver-resp");

/// Loads ten records, and asks what it is asked for half a second.
fn order(server: &Server, operations: &Value) -> Value {
    json!({
        "workload": {"name": "test", "record_count": 10, "operations": operations},
        "target": {"endpoints": [server.endpoint()], "options": {}},
        "load": {"model": "closed", "clients": 2},
        "phases": [{"kind": "load"}, {"kind": "measure", "operation_count": 200}],
        "seed": 3,
        "shards": 2
    })
}

fn both() -> Value {
    json!({"read": 0.5, "update": 0.5})
}

#[test]
fn a_replica_says_that_it_is_read_only() {
    let primary = Server::redis(&[]);
    let port = primary.endpoint().rsplit(':').next().unwrap().to_owned();
    let replica = Server::redis(&["--replicaof", "127.0.0.1", &port]);
    replica.ask_until("INFO replication\r\n", |told| told.contains("master_link_status:up"));
    let run = Run::of(DRIVER, &order(&replica, &both()));
    let words = "READONLY You can't write against a read only replica.";
    for (phase, operation) in [("load", "insert"), ("measure", "update")] {
        let phase = run.phase(phase);
        assert_eq!(phase.count(operation, "ok"), 0);
        assert!(phase.count(operation, "errors/refused") > 0);
        assert_eq!(phase.words(operation, "refused"), words);
    }
    let reads = &run.phase("measure").finished["operations"]["read"];
    assert_eq!(reads["said"], Value::Null, "nobody refused a read");
}

#[test]
fn an_account_without_the_right_is_told_for_each_operation_by_itself() {
    let server = Server::redis(&[]);
    server.ask("ACL SETUSER default -hgetall -hmget -hset\r\n");
    let operations = json!({"read": 0.4, "update": 0.4, "read_modify_write": 0.2});
    let run = Run::of(DRIVER, &order(&server, &operations));
    let measure = run.phase("measure");
    let words = |operation| measure.words(operation, "refused");
    assert!(words("read").starts_with("NOPERM"), "{}", words("read"));
    assert!(words("read").contains("'hgetall'"), "{}", words("read"));
    assert!(words("update").contains("'hset'"), "{}", words("update"));
    assert!(words("read_modify_write").contains("'hgetall'"), "what it failed of");
}

#[test]
fn a_server_that_cannot_save_says_so_in_the_run_and_before_it() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().to_str().unwrap().to_owned();
    let server = Server::redis(&["--dir", &path, "--save", "3600 1"]);
    let mut order = order(&server, &both());
    order["phases"][1] = json!({"kind": "measure", "duration_seconds": 3600});
    let mut run = DriverRun::start(DRIVER, &order);
    run.wait_for_load();
    directory.close().unwrap();
    server.ask("BGSAVE\r\n");
    run.wait_for_interval(|interval| done(interval, "errors/refused") > 0);
    let words = run.end().phase("measure").words("update", "refused");
    assert!(words.starts_with("MISCONF Redis is configured to save RDB snapshots"), "{words}");
    assert!(words.ends_with("for details about the RDB error."), "all of it: {words}");

    let failed = Run::of(DRIVER, &order).event("failed").clone();
    let message = failed["message"].as_str().unwrap();
    assert!(message.contains("refused the greeting: \"-MISCONF"), "{message}");
    assert!(failed["hint"].as_str().unwrap().contains("until it can save"), "{failed}");
}

#[test]
fn a_server_that_loads_is_not_there_yet() {
    let server = Server::redis(&["--enable-debug-command", "local"]);
    let mut order = order(&server, &both());
    order["workload"]["record_count"] = 500.into();
    order["phases"][1] = json!({"kind": "measure", "duration_seconds": 3600});
    let mut run = DriverRun::start(DRIVER, &order);
    run.wait_for_load();
    server.ask("CONFIG SET loading-process-events-interval-bytes 1024 key-load-delay 2000\r\n");
    let endpoint = server.endpoint().trim_start_matches("tcp://").to_owned();
    let reload = thread::spawn(move || {
        let mut connection = TcpStream::connect(endpoint).unwrap();
        connection.write_all(b"DEBUG RELOAD\r\n").unwrap();
        connection.read(&mut [0; 64]).unwrap()
    });
    run.wait_for_interval(|interval| done(interval, "errors/unavailable") > 0);
    reload.join().unwrap();
    let run = run.end();
    let words = run.phase("measure").words("read", "unavailable");
    assert_eq!(words, "LOADING Redis is loading the dataset in memory");
}

#[test]
fn a_cluster_without_its_slots_is_not_busy() {
    let server = Server::redis(&["--cluster-enabled", "yes"]);
    let run = Run::of(DRIVER, &order(&server, &both()));
    let words = run.phase("load").words("insert", "unavailable");
    assert_eq!(words, "CLUSTERDOWN Hash slot not served");
}
