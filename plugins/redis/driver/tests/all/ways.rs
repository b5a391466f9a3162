//! By epoll and by `io_uring` the same is done, and it is said which it was.

#![allow(clippy::unwrap_used)] // also outside of the test functions

use std::collections::BTreeMap;
use std::thread;

use seccompiler::{BpfProgram, SeccompAction, SeccompFilter, apply_filter};
use serde_json::{Value, json};
use weighhouse_engine_testkit::{Run, Server};

const DRIVER: &str = env!("CARGO_BIN_EXE_weighhouse-driver-resp");
/// `io_uring_setup`, by the same number on every architecture.
const SETUP: i64 = 425;

fn order(server: &Server, options: &Value) -> Value {
    json!({
        "workload": {"name": "test", "record_count": 50, "field_length": 200,
                     "operations": {"read": 0.5, "update": 0.3, "insert": 0.2}},
        "target": {"endpoints": [server.endpoint()], "options": options},
        "load": {"model": "closed", "clients": 1, "pipeline": 4},
        "phases": [{"kind": "load"}, {"kind": "measure", "operation_count": 400}],
        "seed": 8
    })
}

/// Runs a driver that its machine refuses `io_uring`, as containers do.
fn without_io_uring(order: Value) -> Run {
    // The filter holds for the thread and for what it starts.
    let run = thread::spawn(move || {
        let filter = SeccompFilter::new(
            BTreeMap::from([(SETUP, Vec::new())]),
            SeccompAction::Allow,
            SeccompAction::Errno(1),
            std::env::consts::ARCH.try_into().unwrap(),
        );
        let program: BpfProgram = filter.unwrap().try_into().unwrap();
        apply_filter(&program).unwrap();
        Run::of(DRIVER, &order)
    });
    run.join().unwrap()
}

#[test]
fn both_ways_do_the_same_and_are_told() {
    let done = |way: &str| {
        let server = Server::redis(&["--enable-debug-command", "yes"]);
        let run = Run::of(DRIVER, &order(&server, &json!({"io": way})));
        run.assert_finished();
        let told = &run.event("ready")["io"];
        assert_eq!((&told["way"], &told["reason"]), (&json!(way), &json!("by the option `io`")));
        let measure = run.phase("measure");
        let counts = ["read", "update", "insert"].map(|one| measure.count(one, "ok"));
        assert_eq!(counts.iter().sum::<u64>(), 400);
        let wire = measure.finished["wire"].clone();
        (server.ask("DEBUG DIGEST\r\n"), counts, wire)
    };
    assert_eq!(done("epoll"), done("io_uring"));
}

#[test]
fn a_trial_chooses_and_its_figures_are_told() {
    let server = Server::redis(&[]);
    let run = Run::of(DRIVER, &order(&server, &json!({"io": "auto"})));
    run.assert_finished();
    let told = &run.event("ready")["io"];
    let (epoll, ring) = (told["epoll_ns"].as_u64().unwrap(), told["io_uring_ns"].as_u64().unwrap());
    assert!(epoll > 0 && ring > 0, "{told}");
    let cheaper = if ring * 20 < epoll * 21 { "io_uring" } else { "epoll" };
    assert_eq!(told["way"], cheaper, "{told}");
}

#[test]
fn where_it_is_refused_epoll_is_taken_and_the_reason_said() {
    let server = Server::redis(&[]);
    let run = without_io_uring(order(&server, &json!({"io": "auto"})));
    run.assert_finished();
    let told = &run.event("ready")["io"];
    assert_eq!(told["way"], "epoll");
    let reason = told["reason"].as_str().unwrap();
    assert!(reason.starts_with("this machine refuses io_uring: Operation not permitted"), "{told}");
    assert!(told.get("epoll_ns").is_none(), "{told}");
}

#[test]
fn what_is_asked_for_and_refused_is_not_done_otherwise() {
    let server = Server::redis(&[]);
    let run = without_io_uring(order(&server, &json!({"io": "io_uring"})));
    assert_eq!(run.exit_code, Some(2));
    let said = run.event("failed")["message"].to_string();
    assert!(said.contains("target.options.io: this machine refuses io_uring"), "{said}");
    let wrong = Run::of(DRIVER, &order(&server, &json!({"io": "select"})));
    assert_eq!(wrong.exit_code, Some(2));
}
