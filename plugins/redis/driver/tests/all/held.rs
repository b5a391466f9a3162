//! A driver that is held: each phase begins when it is told, at the moment it is told.

#![allow(clippy::unwrap_used)] // also outside of the test functions

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use weighhouse_engine_testkit::{DriverRun, EchoServer, Phase, Run, Server, unix_us, until};

const DRIVER: &str = env!("CARGO_BIN_EXE_weighhouse-driver-resp");

/// Of an interval, µs.
const INTERVAL: u64 = 200_000;
/// So far ahead a moment is given: a busy machine tells of it in time, too.
const AHEAD: Duration = Duration::from_secs(1);

fn order(endpoint: &str, load: &Value) -> Value {
    json!({
        "workload": {"name": "test", "record_count": 300, "operations": {"read": 1.0},
                     "field_count": 1, "field_length": 100, "verify_fraction": 1.0},
        "target": {"endpoints": [endpoint], "options": {"layout": "string"}},
        "load": load,
        "phases": [{"kind": "load", "clients": 2}, {"kind": "measure", "duration_seconds": 1.0}],
        "seed": 3,
        "interval_seconds": 0.2,
        "hold": true
    })
}

fn closed() -> Value {
    json!({"model": "closed", "clients": 2})
}

fn number(event: &Value, name: &str) -> u64 {
    event[name].as_u64().unwrap_or_else(|| panic!("{name}: {event}"))
}

/// Whether the intervals follow each other on the bounds that a phase's begin gives, but for the end
/// of the last one; (sequence, begin, length) of the first.
fn on_bounds(phase: &Phase<'_>, at_us: u64) -> (u64, u64, u64) {
    let (last, whole) = phase.intervals.split_last().unwrap();
    for (interval, next) in whole.iter().zip(&phase.intervals[1..]) {
        let (sequence, begin) = (number(interval, "sequence"), number(interval, "start_us"));
        assert_eq!(begin + number(interval, "duration_us"), at_us + (sequence + 1) * INTERVAL);
        assert_eq!(number(next, "sequence"), sequence + 1);
        assert_eq!(number(next, "start_us"), at_us + (sequence + 1) * INTERVAL);
    }
    let first = whole.first().unwrap_or(last);
    (number(first, "sequence"), number(first, "start_us"), number(first, "duration_us"))
}

fn ready(run: &mut DriverRun) {
    run.wait_for(|event| event["event"] == "ready");
}

fn finished(run: &mut DriverRun, kind: &str) {
    run.wait_for(|event| event["event"] == "phase_finished" && event["phase"] == kind);
}

/// Whether both phases began at the very moments they were given, and not after them. They do, unless
/// the machine has other things to do when the driver is to wake; never before, and on their bounds.
fn begins_at_the_moments(server: &Server) -> bool {
    let mut run = DriverRun::start(DRIVER, &order(&server.endpoint(), &closed()));
    ready(&mut run);
    let load_at = unix_us(AHEAD);
    run.go(0, load_at);
    finished(&mut run, "load");
    assert!(unix_us(Duration::ZERO) >= load_at);
    let at = unix_us(AHEAD);
    run.go(1, at);
    let run = run.finish();
    run.assert_finished();
    let load_began = number(run.phase("load").intervals[0], "start_us");
    assert!(load_began >= load_at, "{load_began} before {load_at}");
    let measure = run.phase("measure");
    let (sequence, began, _) = on_bounds(&measure, at);
    assert!(began >= at && sequence == (began - at) / INTERVAL, "{sequence}: {began} for {at}");
    assert_eq!(measure.finished["interrupted"], false);
    assert!(measure.count("read", "ok") > 0);
    let started: Vec<_> =
        run.events.iter().filter(|event| event["event"] == "phase_started").collect();
    // Told a moment before, so that all threads begin together.
    for (started, at) in started.iter().zip([load_at, at]) {
        assert!(number(started, "at_us") + 50_000 > at, "{started}");
    }
    (load_began, began) == (load_at, at)
}

#[test]
fn phases_begin_at_the_moments_they_are_given() {
    let server = Server::redis(&[]);
    until("both phases begin when told", || begins_at_the_moments(&server).then_some(()));
}

#[test]
fn nothing_is_sent_before() {
    for load in [closed(), json!({"model": "open", "rate_per_second": 100, "connections": 2})] {
        let server = EchoServer::start(&[Duration::from_millis(1)]);
        let mut told = order(&server.endpoint(), &load);
        told["phases"] = json!([{"kind": "measure", "operation_count": 50}]);
        told["workload"]["verify_fraction"] = 0.into();
        let mut run = DriverRun::start(DRIVER, &told);
        ready(&mut run);
        let now = Instant::now();
        let at = unix_us(AHEAD);
        run.go(0, at);
        let run = run.finish();
        run.assert_finished();
        assert_eq!(run.phase("measure").count("read", "ok"), 50);
        assert!(number(run.phase("measure").intervals[0], "start_us") >= at);
        assert!(server.finish().first().unwrap() >= now + AHEAD, "{load}");
    }
}

#[test]
fn who_is_told_too_late_takes_part_in_the_rest() {
    /// Of the phase, µs.
    const LENGTH: u64 = 2_000_000;
    let server = Server::redis(&[]);
    for load in [closed(), json!({"model": "open", "rate_per_second": 500, "connections": 2})] {
        let mut order = order(&server.endpoint(), &load);
        order["phases"][1]["duration_seconds"] = (LENGTH / 1_000_000).into();
        let mut run = DriverRun::start(DRIVER, &order);
        ready(&mut run);
        run.go(0, unix_us(Duration::ZERO));
        finished(&mut run, "load");
        // Half an interval of the phase are gone, and two whole ones.
        let at = unix_us(Duration::ZERO) - 5 * INTERVAL / 2;
        let told = unix_us(Duration::ZERO);
        run.go(1, at);
        let run = run.finish();
        run.assert_finished();
        let measure = run.phase("measure");
        let (sequence, begin, length) = on_bounds(&measure, at);
        assert!(begin >= told && sequence == (begin - at) / INTERVAL, "{sequence}, {begin}");
        assert!(sequence >= 2 && length < INTERVAL, "{sequence}, {length} us");
        let ended = begin + number(measure.finished, "duration_us");
        assert!(ended >= at + LENGTH, "{ended}");
        if load["model"] == "open" {
            // What was due before is another's or nobody's, and makes no burst.
            let sent = measure.count("read", "ok");
            let due = (at + LENGTH - begin) as f64 * 500.0 / 1e6;
            assert!((sent as f64 - due).abs() <= 1.0, "{sent} for {due}");
        }
    }
}

#[test]
fn a_moment_that_has_long_passed_ends_the_phase_at_once() {
    let server = Server::redis(&[]);
    let mut run = DriverRun::start(DRIVER, &order(&server.endpoint(), &closed()));
    ready(&mut run);
    // Before the driver's own start too: a load has no end but its own.
    run.go(0, 1_000_000);
    run.go(1, 1_000_000);
    let run = run.finish();
    run.assert_finished();
    assert_eq!(run.phase("load").count("insert", "ok"), 300);
    assert_eq!(run.phase("measure").finished["interrupted"], false);
    assert_eq!(run.phase("measure").count("read", "ok"), 0);
}

/// Ended in good order, before a phase had begun.
fn assert_interrupted(run: &Run, phase: &str) {
    run.assert_finished();
    assert_eq!(run.phase(phase).finished["interrupted"], true);
    assert!(run.phase(phase).intervals.is_empty());
    let begun = |event: &Value| event["event"] == "phase_started" && event["phase"] == phase;
    assert!(!run.events.iter().any(begun));
}

#[test]
fn the_end_of_the_input_ends_the_wait() {
    let server = Server::redis(&[]);
    let mut run = DriverRun::start(DRIVER, &order(&server.endpoint(), &closed()));
    ready(&mut run);
    run.hang_up();
    assert_interrupted(&run.finish(), "load");

    let mut run = DriverRun::start(DRIVER, &order(&server.endpoint(), &closed()));
    run.go(0, unix_us(Duration::ZERO));
    run.hang_up();
    let run = run.finish();
    assert_eq!(run.phase("load").count("insert", "ok"), 300);
    assert_eq!(run.phase("load").finished["interrupted"], false);
    assert_interrupted(&run, "measure");
}

#[test]
fn a_signal_ends_the_wait() {
    let server = Server::redis(&[]);
    // For a word, and for a moment that is far off.
    for at in [None, Some(unix_us(Duration::from_hours(1)))] {
        let mut run = DriverRun::start(DRIVER, &order(&server.endpoint(), &closed()));
        ready(&mut run);
        if let Some(at) = at {
            run.go(0, at);
        }
        run.terminate();
        assert_interrupted(&run.finish(), "load");
    }
}

#[test]
fn what_is_not_understood_is_told() {
    let server = Server::redis(&[]);
    for (line, expected) in [
        ("{\"go\": 1, \"at_us\": 1}", "phase 1 is to begin where phase 0 is awaited"),
        ("{\"go\": 0}", "missing field `at_us`"),
        ("begin", "standard input: \"begin\""),
    ] {
        let mut run = DriverRun::start(DRIVER, &order(&server.endpoint(), &closed()));
        run.say(line);
        let run = run.finish();
        assert_eq!(run.exit_code, Some(1));
        let failed = run.event("failed");
        assert_eq!(failed["kind"], "invalid");
        assert!(failed["message"].as_str().unwrap().contains(expected), "{failed}");
    }
}
