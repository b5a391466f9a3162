//! The driver against a real Redis, in an open loop.

#![allow(clippy::unwrap_used)] // also outside of the test functions

use std::time::Duration;

use hdrhistogram::Histogram;
use serde_json::{Value, json};
use weighhouse_engine_testkit::{DriverRun, Phase, Run, Server, Stall, done};

const DRIVER: &str = env!("CARGO_BIN_EXE_weighhouse-driver-resp");

fn order(server: &Server, load: &Value, seconds: f64) -> Value {
    let mut full = json!({"model": "open"});
    for (name, value) in load.as_object().unwrap() {
        full[name] = value.clone();
    }
    json!({
        "workload": {"name": "test", "record_count": 1000, "operations": {"read": 1.0},
                     "field_count": 1, "field_length": 100},
        "target": {"endpoints": [server.endpoint()], "options": {"layout": "string"}},
        "load": full,
        "phases": [{"kind": "load"}, {"kind": "measure", "duration_seconds": seconds}],
        "seed": 3
    })
}

/// How many of an open loop's operations fell into a stall with so much of it left, at the least: they
/// were due while the server stood still, and the phase was not over yet. One operation at either end
/// may be on the other side of a moment.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // a count of operations
fn due_within(stall: &Stall, phase: &Phase<'_>, rate: f64, left: Duration) -> u64 {
    let begin = phase.intervals[0]["start_us"].as_u64().unwrap();
    let end = begin + phase.finished["duration_us"].as_u64().unwrap();
    let until = (stall.us.1.saturating_sub(u64::try_from(left.as_micros()).unwrap())).min(end);
    let length = until.saturating_sub(stall.us.0.max(begin)) as f64 / 1e6;
    (length * rate).floor() as u64 - 2
}

/// How many values of a histogram are this long or longer.
fn at_least(all: &Histogram<u64>, length: Duration) -> u64 {
    let nanoseconds = u64::try_from(length.as_nanos()).unwrap();
    all.len() - all.count_between(0, all.lowest_equivalent(nanoseconds).saturating_sub(1))
}

/// At a constant rate all operations that fall into a stall wait, evenly between nothing and its
/// length. A coordinated omission would show some ms for all of them but those under way.
///
/// What the stall really was is measured beside it. Nor can responses be longer in all than from when
/// they were due to the ends of the intervals in which they came. Both hold on any machine, for all
/// that a busy one adds comes on both sides.
#[test]
fn a_stall_is_seen_as_long_as_it_was() {
    let server = Server::redis(&[]);
    let (rate, seconds) = (2000.0, 5.0);
    let load = json!({"rate_per_second": rate, "connections": 8, "max_in_flight": 10_000});
    let mut order = order(&server, &load, seconds);
    order["interval_seconds"] = 0.1.into();
    let mut run = DriverRun::start(DRIVER, &order);
    run.wait_for_load();
    let stall = server.stop().resume_after(Duration::from_secs(1));
    let run = run.finish();
    run.assert_finished();
    let measure = run.phase("measure");
    assert_eq!(measure.count("read", "ok"), 10_000, "an operation was left out");
    assert_eq!(measure.not_ok(), 0);
    let response = measure.histogram("operations/read/ok/response");
    let service = measure.histogram("operations/read/ok/service");
    assert_eq!(service.len(), 10_000);
    assert_eq!(measure.histogram("driver/lag").len(), 10_000);
    for share in [0.0, 0.1, 0.5, 0.9, 0.99] {
        let left = stall.length.mul_f64(share);
        let (found, least) = (at_least(&response, left), due_within(&stall, &measure, rate, left));
        assert!(
            found >= least,
            "{found} waited {left:?} or longer of {stall:?}, and {least} had to"
        );
    }

    let begin = measure.intervals[0]["start_us"].as_u64().unwrap();
    let ends: f64 = measure
        .intervals
        .iter()
        .map(|one| {
            let number = |name: &str| one[name].as_u64().unwrap();
            let end = number("start_us") + number("duration_us") - begin;
            done(one, "ok") as f64 * end as f64 / 1e6
        })
        .sum();
    let due: f64 = (0..10_000).map(|number| f64::from(number) / rate).sum();
    let in_all = response.mean() * response.len() as f64 / 1e9;
    // The histogram's buckets are a thousandth wide.
    assert!(in_all <= (ends - due) * 1.001, "{in_all} s waited in all, of {} s", ends - due);
}

#[test]
fn at_the_cap_operations_wait_with_their_stamps() {
    let server = Server::redis(&[]);
    let (rate, cap) = (1000.0, 10);
    let load = json!({"rate_per_second": rate, "connections": 2, "max_in_flight": cap});
    let mut order = order(&server, &load, 3.0);
    order["interval_seconds"] = 0.1.into();
    let mut run = DriverRun::start(DRIVER, &order);
    run.wait_for_load();
    let stall = server.stop().resume_after(Duration::from_secs(1));
    let run = run.finish();
    run.assert_finished();
    let measure = run.phase("measure");
    assert_eq!(measure.count("read", "ok"), 3000);
    assert!(measure.intervals.iter().any(|one| one["driver"]["saturated"] == true));
    let most = measure.intervals.iter().filter_map(|one| one["driver"]["in_flight_max"].as_u64());
    assert_eq!(most.max(), Some(cap));
    // Their responses tell of all that fell into the stall.
    let half = stall.length / 2;
    let response = at_least(&measure.histogram("operations/read/ok/response"), half);
    let least = due_within(&stall, &measure, rate, half);
    assert!(response >= least, "{response} of {least}");
    // All but those at the cap were sent after it. In so much time as the phase took no more can
    // have been under way for so long, whatever else held the server up.
    let service = at_least(&measure.histogram("operations/read/ok/service"), half);
    let took = Duration::from_micros(measure.finished["duration_us"].as_u64().unwrap());
    let turns = took.div_duration_f64(half).ceil() + 1.0;
    assert!(service as f64 <= cap as f64 * turns, "{service} at a cap of {cap} in {took:?}");
    assert!(service < response, "{service} of {response} were sent before the stall's end");
}

#[test]
fn poisson_arrivals_keep_their_rate_over_shards() {
    let server = Server::redis(&[]);
    let load = json!({"arrival": "poisson", "rate_per_second": 2000, "connections": 4});
    let mut order = order(&server, &load, 2.0);
    order["shards"] = 2.into();
    let run = Run::of(DRIVER, &order);
    run.assert_finished();
    let done = run.phase("measure").count("read", "ok");
    // Four standard deviations of a Poisson count of 4,000.
    assert!((3747..=4253).contains(&done), "{done}");
}

#[test]
fn what_could_not_be_sent_in_time_is_counted_when_it_was_due() {
    let server = Server::redis(&[]);
    let load = json!({"rate_per_second": 200_000, "connections": 1, "max_in_flight": 1});
    let mut order = order(&server, &load, 0.5);
    order["target"]["options"]["timeout_ms"] = 100.into();
    let run = Run::of(DRIVER, &order);
    run.assert_finished();
    let measure = run.phase("measure");
    let never = measure.count("read", "never_sent");
    assert!(never > 0);
    assert_eq!(measure.not_ok(), never);
    assert_eq!(measure.count("read", "ok") + never, 100_000);
    let due = |entry: &Value| [0, 1, 2].map(|place| entry[place].as_u64().unwrap());
    let entries = || measure.intervals.iter().filter_map(|one| one["due"].as_array()).flatten();
    let (begin, end) = (
        measure.intervals[0]["start_us"].as_u64().unwrap(),
        measure.intervals[0]["start_us"].as_u64().unwrap() + 500_000,
    );
    assert!(entries().all(|entry| (begin..end).contains(&due(entry)[0])));
    assert_eq!(entries().map(|entry| due(entry)[1]).sum::<u64>(), 100_000 - never);
    assert_eq!(entries().map(|entry| due(entry)[2]).sum::<u64>(), never);
    // The last that were due are those that were not sent, and what was done after the end of the
    // phase stands apart.
    let last = entries().filter(|entry| due(entry)[1] > 0).map(|entry| due(entry)[0]).max();
    let first = entries().filter(|entry| due(entry)[2] > 0).map(|entry| due(entry)[0]).min();
    assert!(last <= first, "{last:?} {first:?}");
    for one in &measure.intervals {
        assert_eq!(one["drain"] == true, one["start_us"].as_u64().unwrap() >= end, "{one}");
    }
    assert!(measure.intervals.iter().any(|one| one["drain"] == true && done(one, "ok") > 0));
}
