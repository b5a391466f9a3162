//! What a real Redis can do to a driver beside a restart: each loss is counted, nothing else is
//! lost with it, and the run goes on.

#![allow(clippy::unwrap_used)] // also outside of the test functions

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};

use serde_json::{Value, json};
use weighhouse_engine_testkit::{DriverRun, Phase, Proxy, Run, Server, done};

const DRIVER: &str = env!("CARGO_BIN_EXE_weighhouse-driver-resp");

fn order(endpoint: &str, load: &Value) -> Value {
    json!({
        "workload": {"name": "test", "record_count": 500,
                     "operations": {"read": 0.5, "update": 0.5}},
        "target": {"endpoints": [endpoint], "options": {}},
        "load": load,
        "phases": [{"kind": "load"}, {"kind": "measure", "duration_seconds": 2}],
        "seed": 3,
        "interval_seconds": 0.25
    })
}

fn count(phase: &Phase<'_>, outcome: &str) -> u64 {
    ["read", "update", "insert"].iter().map(|operation| phase.count(operation, outcome)).sum()
}

#[test]
fn one_connection_lost_is_one_connection_lost() {
    let server = Server::redis(&[]);
    let load = json!({"model": "closed", "clients": 4, "pipeline": 3});
    let mut order = order(&server.endpoint(), &load);
    order["phases"][1]["duration_seconds"] = 3600.into();
    let mut run = DriverRun::start(DRIVER, &order);
    run.wait_for_load();
    let clients = server.ask("CLIENT LIST\r\n");
    let line = clients.lines().find(|line| line.contains(" cmd=h")).unwrap();
    let id = line.split([' ', '=']).nth(1).unwrap();
    assert_eq!(server.ask(&format!("CLIENT KILL ID {id}\r\n")), ":1\r\n");
    run.wait_for_reconnects(1);
    run.wait_for_load();
    let run = run.end();
    let measure = run.phase("measure");
    let lost = count(&measure, "errors/connection");
    assert!((1..=3).contains(&lost), "{lost}");
    assert_eq!(measure.not_ok(), lost);
    assert_eq!(measure.driver_sum("reconnects"), 1);
}

#[test]
fn a_server_that_stays_away_ends_no_run() {
    for load in [
        json!({"model": "closed", "clients": 4, "pipeline": 2}),
        json!({"model": "open", "rate_per_second": 1000, "connections": 4}),
    ] {
        let mut server = Server::redis(&[]);
        let mut order = order(&server.endpoint(), &load);
        order["target"]["options"]["timeout_ms"] = 300.into();
        let mut run = DriverRun::start(DRIVER, &order);
        run.wait_for_load();
        server.kill();
        let run = run.finish();
        run.assert_finished();
        let measure = run.phase("measure");
        // A starved server may have been late before it went away; who timed out came back.
        assert!(measure.driver_sum("reconnects") <= count(&measure, "errors/timeout"), "{load}");
        assert!(count(&measure, "ok") > 0);
        if load["model"] == "open" {
            // What was due while nobody was there to ask has failed, and is not left out.
            assert_eq!(count(&measure, "ok") + measure.not_ok(), 2000);
            assert!(measure.not_ok() > 0);
        } else {
            assert!(count(&measure, "errors/connection") > 0);
        }
    }
}

/// What comes after the server ends each connection at its first word: it can be reached,
/// and is of no use. The pauses must grow all the same: 10, 20, 40 ms and so on, eight in 2 s.
#[test]
fn who_only_hangs_up_is_asked_ever_less_often() {
    let mut server = Server::redis(&[]);
    let load = json!({"model": "closed", "clients": 1});
    let mut run = DriverRun::start(DRIVER, &order(&server.endpoint(), &load));
    run.wait_for_phase("measure");
    server.kill();
    let listener = TcpListener::bind(server.endpoint().trim_start_matches("tcp://")).unwrap();
    let address = listener.local_addr().unwrap();
    let run = std::thread::scope(|scope| {
        scope.spawn(move || {
            // A connection that says something is the test's own, and the last one.
            while let Ok((mut stream, _)) = listener.accept() {
                let mut said = [0; 3];
                if stream.read_exact(&mut said).is_ok() && said == *b"end" {
                    return;
                }
            }
        });
        let run = run.finish();
        TcpStream::connect(address).unwrap().write_all(b"end").unwrap();
        run
    });
    run.assert_finished();
    let again = run.phase("measure").driver_sum("reconnects");
    assert!((2..=9).contains(&again), "{again}");
}

#[test]
fn a_connection_on_which_answers_get_lost_times_out_alone() {
    let server = Server::redis(&[]);
    let proxy = Proxy::to(&server);
    for load in [
        json!({"model": "closed", "clients": 4, "pipeline": 2}),
        json!({"model": "open", "rate_per_second": 2000, "connections": 4}),
    ] {
        let mut order = order(&proxy.endpoint(), &load);
        order["phases"][1]["duration_seconds"] = 3600.into();
        order["target"]["options"]["timeout_ms"] = 1500.into();
        let mut run = DriverRun::start(DRIVER, &order);
        run.wait_for_load();
        // In the second round those of the first are gone.
        let one = if load["model"] == "closed" { 1 } else { 6 };
        proxy.silence(one);
        run.wait_for_reconnects(1);
        run.wait_for_load();
        let run = run.end();
        let measure = run.phase("measure");
        let reconnects = measure.driver_sum("reconnects");
        let late = count(&measure, "errors/timeout");
        assert!(late > 0, "{load}");
        // One, unless the server was starved: each costs what was under way on it, and no more.
        assert!((1..=late).contains(&reconnects), "{load}: {reconnects} of {late}");
        if load["model"] == "closed" {
            assert!(late <= 2 * reconnects, "{load}: {reconnects} of {late}");
        }
        let lost = count(&measure, "errors/timeout") + count(&measure, "errors/connection");
        assert_eq!(measure.not_ok(), lost, "{load}");
    }
}

#[test]
fn a_listener_that_never_answers_is_told() {
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let endpoint = format!("tcp://{}", listener.local_addr().unwrap());
    let run = Run::of(DRIVER, &order(&endpoint, &json!({"model": "closed", "clients": 2})));
    assert_eq!(run.exit_code, Some(1));
    let message = run.event("failed")["message"].as_str().unwrap().to_owned();
    assert!(message.contains("no answer within 5 s"), "{message}");
}

#[test]
fn a_server_without_memory_refuses_in_its_own_words_and_is_still_read() {
    let server = Server::redis(&["--maxmemory", "4mb", "--maxmemory-policy", "noeviction"]);
    let mut order = order(&server.endpoint(), &json!({"model": "closed", "clients": 4}));
    order["workload"]["operations"] = json!({"read": 0.5, "insert": 0.5});
    order["phases"][1] = json!({"kind": "measure", "operation_count": 12_000});
    let run = Run::of(DRIVER, &order);
    run.assert_finished();
    let measure = run.phase("measure");
    let refused = measure.count("insert", "errors/full");
    assert!(refused > 0);
    assert_eq!(measure.not_ok(), refused, "{:?}", measure.finished);
    assert_eq!(count(&measure, "ok") + refused, 12_000);
    assert!(measure.intervals.iter().any(|one| {
        done(one, "errors/full") > 0 && one["operations"]["read"]["ok"]["count"].as_u64() > Some(0)
    }));
    let words = measure.words("insert", "full");
    assert!(words.starts_with("OOM command not allowed"), "{words}");
}

#[test]
fn values_beyond_the_servers_limit_are_errors() {
    let server = Server::redis(&["--proto-max-bulk-len", "1mb"]);
    let mut order = order(&server.endpoint(), &json!({"model": "closed", "clients": 2}));
    order["workload"] = json!({"name": "test", "record_count": 5, "field_count": 2,
                               "field_length": 1_000_000});
    order["target"]["options"] = json!({"layout": "string"});
    order["phases"] = json!([{"kind": "load"}]);
    let run = Run::of(DRIVER, &order);
    run.assert_finished();
    let load = run.phase("load");
    assert_eq!(load.count("insert", "ok"), 0);
    assert!(load.not_ok() >= 5);
    assert!(load.count("insert", "errors/too_large") >= 5);
    assert_eq!(load.words("insert", "too_large"), "ERR Protocol error: invalid bulk length");
}

#[test]
fn asked_to_end_while_the_server_hangs_it_ends_with_what_was_measured() {
    for load in [
        json!({"model": "closed", "clients": 4, "pipeline": 2}),
        json!({"model": "open", "rate_per_second": 1000, "connections": 4}),
    ] {
        let server = Server::redis(&[]);
        let mut order = order(&server.endpoint(), &load);
        order["target"]["options"] = json!({"timeout_ms": 60_000});
        order["phases"][1]["duration_seconds"] = 3600.into();
        let mut run = DriverRun::start(DRIVER, &order);
        run.wait_for_load();
        // It hangs until the driver has ended.
        let stopped = server.stop();
        let run = run.end();
        stopped.resume();
        let measure = run.phase("measure");
        assert_eq!(measure.finished["interrupted"], true);
        assert!(count(&measure, "ok") > 0);
    }
}
