//! The driver against a real memcached.

use serde_json::{Value, json};
use weighhouse_engine_testkit::{DriverRun, Proxy, Run, Server, done};

const DRIVER: &str = env!("CARGO_BIN_EXE_weighhouse-driver-memcached");

fn order(server: &Server) -> Value {
    json!({
        "workload": {"name": "test", "record_count": 500,
                     "operations": {"read": 0.5, "update": 0.4, "insert": 0.1},
                     "request_distribution": "zipfian", "verify_fraction": 1.0},
        "target": {"endpoints": [server.endpoint()]},
        "load": {"model": "closed", "clients": 4, "pipeline": 4},
        "phases": [{"kind": "load"}, {"kind": "measure", "operation_count": 20_000}],
        "seed": 42,
        "interval_seconds": 0.2,
        "shards": 2
    })
}

#[test]
fn every_read_finds_what_was_written_by_both_kinds_of_commands() {
    let server = Server::memcached(&[]);
    for commands in ["text", "meta"] {
        server.ask("flush_all\r\n");
        let mut order = order(&server);
        order["target"]["options"] = json!({"commands": commands});
        let run = Run::of(DRIVER, &order);
        run.assert_finished();
        let measure = run.phase("measure");
        assert_eq!(measure.not_ok(), 0, "{:?}", measure.finished);
        let done = ["read", "update", "insert"].map(|operation| measure.count(operation, "ok"));
        assert_eq!(done.iter().sum::<u64>(), 20_000);
        let items = format!("STAT curr_items {}\r\n", 500 + done[2]);
        assert!(server.ask("stats\r\n").contains(&items));
        assert!(server.ask("mg user6284781860667377211 s\r\n").starts_with("HD s1000"));
    }
}

#[test]
fn what_was_evicted_is_not_found() {
    let server = Server::memcached(&["-m", "2"]);
    let mut order = order(&server);
    order["workload"]["record_count"] = 20_000.into();
    let run = Run::of(DRIVER, &order);
    run.assert_finished();
    let measure = run.phase("measure");
    let missed = measure.count("read", "not_found");
    assert!(missed > 0);
    assert_eq!(measure.not_ok(), missed);
}

#[test]
fn an_item_beyond_the_servers_limit_is_too_large_and_not_busy() {
    let server = Server::memcached(&[]);
    let mut order = order(&server);
    order["workload"]["record_count"] = 20.into();
    order["workload"]["field_length"] = 200_000.into();
    order["phases"] = json!([{"kind": "load"}]);
    for commands in ["text", "meta"] {
        order["target"]["options"] = json!({"commands": commands});
        let run = Run::of(DRIVER, &order);
        run.assert_finished();
        let load = run.phase("load");
        let too_large = load.count("insert", "errors/too_large");
        assert!(too_large >= 20, "{commands}: {:?}", load.finished);
        assert_eq!(load.count("insert", "ok") + load.not_ok(), too_large, "{commands}");
        let words = load.words("insert", "too_large");
        assert_eq!(words, "SERVER_ERROR object too large for cache", "{commands}");
    }
}

#[test]
fn an_open_loop_survives_a_restart_and_leaves_nothing_out() {
    let mut server = Server::memcached(&[]);
    let mut order = order(&server);
    order["load"] = json!({"model": "open", "rate_per_second": 2000, "connections": 4});
    order["phases"] = json!([{"kind": "load"}, {"kind": "measure", "duration_seconds": 5}]);
    let mut run = DriverRun::start(DRIVER, &order);
    run.wait_for_load();
    server.kill();
    server.restart();
    let run = run.finish();
    run.assert_finished();
    let measure = run.phase("measure");
    let done = ["read", "update", "insert"].map(|operation| measure.count(operation, "ok"));
    assert_eq!(done.iter().sum::<u64>() + measure.not_ok(), 10_000);
    assert!(measure.driver_sum("reconnects") >= 4);
}

#[test]
fn a_server_without_memory_refuses_in_its_own_words_and_is_still_read() {
    let server = Server::memcached(&["-m", "2", "-M"]);
    let mut order = order(&server);
    order["workload"]["operations"] = json!({"read": 0.5, "insert": 0.5});
    for commands in ["text", "meta"] {
        server.ask("flush_all\r\n");
        order["target"]["options"] = json!({"commands": commands});
        let run = Run::of(DRIVER, &order);
        run.assert_finished();
        let measure = run.phase("measure");
        let refused = measure.count("insert", "errors/full");
        assert!(refused > 0, "{commands}");
        assert_eq!(measure.not_ok(), refused, "{commands}: {:?}", measure.finished);
        assert_eq!(measure.count("read", "ok") + measure.count("insert", "ok") + refused, 20_000);
        let words = measure.words("insert", "full");
        assert_eq!(words, "SERVER_ERROR out of memory storing object", "{commands}");
    }
}

#[test]
fn a_server_that_hangs_and_a_connection_without_answers_are_time_outs() {
    let server = Server::memcached(&[]);
    let proxy = Proxy::to(&server);
    let mut order = order(&server);
    order["target"] = json!({"endpoints": [proxy.endpoint()], "options": {"timeout_ms": 200}});
    order["phases"] = json!([{"kind": "load"}, {"kind": "measure", "duration_seconds": 3600}]);
    let mut run = DriverRun::start(DRIVER, &order);
    run.wait_for_load();
    proxy.silence(1);
    run.wait_for_interval(|interval| done(interval, "errors/timeout") > 0);
    let stopped = server.stop();
    run.wait_for_interval(|interval| done(interval, "errors/timeout") > 0);
    run.wait_for_interval(|interval| done(interval, "ok") == 0);
    stopped.resume();
    run.wait_for_reconnects(5);
    run.wait_for_load();
    let run = run.end();
    let measure = run.phase("measure");
    let count = |outcome: &str| {
        let of = |operation: &&str| measure.count(operation, outcome);
        ["read", "update", "insert"].iter().map(of).sum::<u64>()
    };
    // Four clients: one by itself, then all.
    assert!(count("errors/timeout") >= 5, "{:?}", measure.finished);
    assert!(measure.driver_sum("reconnects") >= 5);
    // An insert whose answer got lost may have been done, so it is not read: nothing is missed.
    assert_eq!(measure.not_ok(), count("errors/timeout") + count("errors/connection"));
}
