//! The driver against a real Redis, in a closed loop.

#![allow(clippy::unwrap_used)] // also outside of the test functions

use serde_json::{Value, json};
use weighhouse_engine_testkit::{Run, Server};

const DRIVER: &str = env!("CARGO_BIN_EXE_weighhouse-driver-resp");

fn order(server: &Server, workload: &Value, phases: &Value) -> Value {
    let mut full = json!({"name": "test", "record_count": 500});
    for (name, value) in workload.as_object().unwrap() {
        full[name] = value.clone();
    }
    json!({
        "protocol": 1,
        "workload": full,
        "target": {"endpoints": [server.endpoint()]},
        "load": {"model": "closed", "clients": 4},
        "phases": phases,
        "seed": 42,
        "interval_seconds": 0.2
    })
}

#[test]
fn records_lie_in_the_server_as_ycsb_lays_them() {
    let server = Server::redis(&[]);
    let workload = json!({"record_count": 3, "field_length": 7});
    let run = Run::of(DRIVER, &order(&server, &workload, &json!([{"kind": "load"}])));
    run.assert_finished();
    assert_eq!(run.event("ready")["layout"], "hash");
    assert_eq!(run.phase("load").count("insert", "ok"), 3);
    assert_eq!(server.ask("DBSIZE\r\n"), ":3\r\n");
    let fields = server.ask("HKEYS user6284781860667377211\r\n");
    assert!(fields.starts_with("*10\r\n") && fields.contains("field9"), "{fields}");
    assert_eq!(server.ask("HSTRLEN user6284781860667377211 field0\r\n"), ":7\r\n");
}

#[test]
fn every_read_finds_what_was_written() {
    let server = Server::redis(&[]);
    for (layout, read_all) in [("hash", true), ("hash", false), ("string", true)] {
        server.ask("FLUSHALL\r\n");
        let workload = json!({
            "operations": {"read": 0.5, "update": 0.4, "insert": 0.1},
            "request_distribution": "zipfian",
            "read_all_fields": read_all,
            "verify_fraction": 1.0
        });
        let phases = json!([{"kind": "load"}, {"kind": "measure", "operation_count": 20_001}]);
        let mut order = order(&server, &workload, &phases);
        order["target"]["options"] = json!({"layout": layout});
        order["load"]["pipeline"] = 5.into();
        order["shards"] = 2.into();
        let run = Run::of(DRIVER, &order);
        run.assert_finished();
        let measure = run.phase("measure");
        let ok = |operation| measure.count(operation, "ok");
        assert_eq!(measure.not_ok(), 0, "{:?}", measure.finished);
        assert_eq!(ok("read") + ok("update") + ok("insert"), 20_001);
        assert_eq!(server.ask("DBSIZE\r\n"), format!(":{}\r\n", 500 + ok("insert")));
        let latencies = measure.histogram("operations/read/ok/response");
        assert_eq!(latencies.len(), ok("read"));
        assert!(latencies.min() > 0);
    }
}

#[test]
fn new_records_are_read_only_once_they_are_there() {
    let server = Server::redis(&[]);
    let workload = json!({
        "record_count": 50,
        "operations": {"read": 0.5, "insert": 0.5},
        "request_distribution": "latest",
    });
    let phases = json!([{"kind": "load"}, {"kind": "warmup", "operation_count": 5000},
                        {"kind": "measure", "operation_count": 20_000}]);
    let mut order = order(&server, &workload, &phases);
    order["load"]["pipeline"] = 8.into();
    order["shards"] = 3.into();
    let run = Run::of(DRIVER, &order);
    run.assert_finished();
    assert_eq!(run.phase("warmup").not_ok() + run.phase("measure").not_ok(), 0);
}

#[test]
fn a_value_that_nobody_wrote_is_noticed_and_a_missing_record_is_not_found() {
    let server = Server::redis(&[]);
    let workload = json!({
        "record_count": 2, "operations": {"read": 1.0}, "insert_order": "ordered",
        "request_distribution": "sequential", "verify_fraction": 1.0
    });
    Run::of(DRIVER, &order(&server, &workload, &json!([{"kind": "load"}]))).assert_finished();
    server.ask("HSET user0 field3 changed\r\nDEL user1\r\n");
    let phases = json!([{"kind": "measure", "operation_count": 100}]);
    let run = Run::of(DRIVER, &order(&server, &workload, &phases));
    run.assert_finished();
    let measure = run.phase("measure");
    assert_eq!(measure.count("read", "verify_failed"), 50);
    assert_eq!(measure.count("read", "not_found"), 50);
    assert_eq!(measure.count("read", "ok"), 0);
}

#[test]
fn error_replies_are_counted_by_kind_and_are_no_successes() {
    let server = Server::redis(&["--maxmemory", "1mb"]);
    let workload = json!({"record_count": 5000});
    let run = Run::of(DRIVER, &order(&server, &workload, &json!([{"kind": "load"}])));
    run.assert_finished();
    let load = run.phase("load");
    assert!(load.count("insert", "errors/full") > 0);
    assert!(load.count("insert", "ok") < 5000);

    let server = Server::redis(&[]);
    let workload = json!({"record_count": 1, "operations": {"read": 1.0}});
    server.ask("SET user6284781860667377211 text\r\n");
    let phases = json!([{"kind": "measure", "operation_count": 10}]);
    let run = Run::of(DRIVER, &order(&server, &workload, &phases));
    assert_eq!(run.phase("measure").count("read", "errors/other"), 10);
}

#[test]
fn the_same_seed_writes_the_same_bytes() {
    let server = Server::redis(&["--enable-debug-command", "yes"]);
    let workload = json!({
        "operations": {"read": 0.4, "update": 0.4, "insert": 0.2},
        "request_distribution": "zipfian"
    });
    let phases = json!([{"kind": "load"}, {"kind": "measure", "operation_count": 3000}]);
    let digest = |seed: u64| {
        server.ask("FLUSHALL\r\n");
        let mut order = order(&server, &workload, &phases);
        order["load"]["clients"] = 1.into();
        order["seed"] = seed.into();
        let run = Run::of(DRIVER, &order);
        run.assert_finished();
        (run.event("ready")["stream_hash"].clone(), server.ask("DEBUG DIGEST\r\n"))
    };
    let first = digest(7);
    assert_eq!(first, digest(7));
    let other = digest(8);
    assert_ne!(first.0, other.0);
    assert_ne!(first.1, other.1);
}

#[test]
fn clients_pause_between_an_answer_and_the_next_request() {
    let server = Server::redis(&[]);
    let phases = json!([{"kind": "load"}, {"kind": "measure", "duration_seconds": 1}]);
    let mut order = order(&server, &json!({}), &phases);
    order["load"]["think_time_us"] = 20_000.into();
    let run = Run::of(DRIVER, &order);
    run.assert_finished();
    let measure = run.phase("measure");
    let done = measure.count("read", "ok") + measure.count("update", "ok");
    // Four clients, each once at the start, and then at most once every 20 ms.
    assert!((4..=4 * 51).contains(&done), "{done}");
}

#[test]
fn a_unix_socket_and_a_database_of_ones_own_are_used() {
    let directory = std::env::temp_dir().join(format!("weighhouse-{}", std::process::id()));
    std::fs::create_dir_all(&directory).unwrap();
    let socket = directory.join("redis.sock");
    let socket = socket.to_str().unwrap();
    let server = Server::redis(&["--unixsocket", socket]);
    let mut order = order(&server, &json!({}), &json!([{"kind": "load"}]));
    order["target"] = json!({
        "endpoints": [format!("unix://{socket}")], "options": {"database": 3}
    });
    Run::of(DRIVER, &order).assert_finished();
    assert_eq!(server.ask("DBSIZE\r\nSELECT 3\r\nDBSIZE\r\n"), ":0\r\n+OK\r\n:500\r\n");
    std::fs::remove_dir_all(directory).unwrap();
}

/// A counter of the server's own, which it tells with `INFO stats`.
fn counter(server: &Server, name: &str) -> u64 {
    let told = server.ask("INFO stats\r\n");
    let line = told.lines().find_map(|line| line.strip_prefix(&format!("{name}:")));
    line.and_then(|number| number.trim().parse().ok()).unwrap_or_else(|| panic!("{name}: {told}"))
}

#[test]
fn the_bytes_on_the_wire_are_those_that_the_server_counts() {
    let server = Server::redis(&[]);
    for pipeline in [1, 10] {
        server.ask("FLUSHALL\r\n");
        let workload = json!({"operations": {"read": 0.5, "update": 0.5}, "field_length": 300});
        let phases = json!([{"kind": "load"}, {"kind": "measure", "operation_count": 5000}]);
        let mut order = order(&server, &workload, &phases);
        order["load"]["pipeline"] = pipeline.into();
        order["shards"] = 2.into();
        let counters = ["total_net_input_bytes", "total_net_output_bytes"];
        let before = counters.map(|name| counter(&server, name));
        let run = Run::of(DRIVER, &order);
        run.assert_finished();
        // Greetings and these questions are in the server's counters alone.
        let aside = [1_000, 20_000];
        for ((way, name), (before, aside)) in
            ["sent", "received"].iter().zip(counters).zip(before.into_iter().zip(aside))
        {
            let of = |kind| run.phase(kind).finished["wire"][way].as_u64().unwrap();
            let (told, counted) = (of("load") + of("measure"), counter(&server, name) - before);
            assert!(of("measure") > 5000, "{way}");
            assert!(told <= counted && counted - told < aside, "{way}: {told} of {counted}");
        }
    }
}
