//! Event streams read again: real ones, which drivers wrote.

#![allow(clippy::unwrap_used)] // also outside of the test functions

use std::process::Command;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hdrhistogram::Histogram;
use hdrhistogram::serialization::Deserializer;
use hdrhistogram::serialization::interval_log::{IntervalLogIterator, LogEntry};
use serde_json::Value;
use weighhouse_engine::recorded::{merge, read_events, write_hlog, write_ycsb};

const OPEN: &str = include_str!("../../../protocol/fixtures/driver/events-open.jsonl");
const CLOSED: &str = include_str!("../../../protocol/fixtures/driver/events-closed.jsonl");

fn decode(text: &Value) -> Histogram<u64> {
    let bytes = STANDARD.decode(text.as_str().unwrap()).unwrap();
    Deserializer::new().deserialize(&mut &bytes[..]).unwrap()
}

/// All of an operation's response times that came to an outcome in a phase.
fn total(events: &[Value], phase: &str, pointer: &str) -> Histogram<u64> {
    let mut all = Histogram::new_with_bounds(1, 60_000_000_000, 3).unwrap();
    for event in events.iter().filter(|event| event["event"] == "interval") {
        if let Some(text) = event.pointer(pointer).filter(|_| event["phase"] == phase) {
            all.add(decode(text)).unwrap();
        }
    }
    all
}

fn kinds(events: &[Value]) -> Vec<&str> {
    events.iter().map(|event| event["event"].as_str().unwrap()).collect()
}

#[test]
fn merged_streams_hold_the_sum_of_both() {
    for text in [OPEN, CLOSED] {
        let events = read_events(text).unwrap();
        let merged = merge(&[events.clone(), events.clone()]).unwrap();
        assert_eq!(kinds(&merged), kinds(&events));
        for operation in ["read", "update", "insert"] {
            for phase in ["load", "measure"] {
                let pointer = format!("/operations/{operation}/ok/response");
                let (one, two) = (total(&events, phase, &pointer), total(&merged, phase, &pointer));
                assert_eq!(two.len(), 2 * one.len());
                for quantile in [0.0, 0.5, 0.9, 0.99, 0.999, 1.0] {
                    assert_eq!(one.value_at_quantile(quantile), two.value_at_quantile(quantile));
                }
            }
        }
        let finished = |events: &[Value], pointer| {
            let of = |event: &&Value| event["event"] == "phase_finished";
            events.iter().rfind(of).unwrap().pointer(pointer).and_then(Value::as_u64)
        };
        for told in ["/operations/read/ok", "/wire/sent", "/wire/received"] {
            let of_one = finished(&events, told);
            assert_eq!(finished(&merged, told), of_one.map(|count| 2 * count), "{told}");
            assert_eq!(of_one.is_some(), text == CLOSED || told.starts_with("/operations"));
        }
        assert_eq!(merged[0]["connections"], 2 * events[0]["connections"].as_u64().unwrap());
    }
}

#[test]
fn streams_that_do_not_belong_together_are_refused() {
    let events = read_events(OPEN).unwrap();
    let cut: Vec<_> =
        events.iter().filter(|event| event["event"] != "phase_finished").cloned().collect();
    let error = merge(&[events.clone(), cut]).unwrap_err().to_string();
    assert!(error.contains("unlike numbers of phases"), "{error}");
    let mut other = events.clone();
    other[0]["driver"] = "memcached".into();
    assert!(merge(&[events, other]).unwrap_err().to_string().starts_with("driver: "));
    assert!(read_events("{}\n").unwrap_err().to_string().starts_with("line 1: "));
}

#[test]
fn a_log_of_histograms_holds_every_interval() {
    let events = read_events(OPEN).unwrap();
    let mut log = Vec::new();
    write_hlog(&events, &mut log).unwrap();
    let mut reads = Histogram::new_with_bounds(1, 60_000_000_000, 3).unwrap();
    let mut services = 0;
    for entry in IntervalLogIterator::new(&log) {
        let LogEntry::Interval(interval) = entry.unwrap() else { continue };
        let tag = interval.tag().map(|tag| tag.as_str().to_owned());
        let histogram = decode(&interval.encoded_histogram().into());
        match tag.as_deref() {
            Some("read") => reads.add(histogram).unwrap(),
            Some("read.service") => services += histogram.len(),
            _ => {}
        }
    }
    let expected = total(&events, "measure", "/operations/read/ok/response");
    assert_eq!(reads, expected);
    assert_eq!(services, expected.len());
}

#[test]
fn the_text_of_ycsb_has_its_lines() {
    let mut text = Vec::new();
    write_ycsb(&read_events(OPEN).unwrap(), &mut text).unwrap();
    let text = String::from_utf8(text).unwrap();
    let reads = total(&read_events(OPEN).unwrap(), "measure", "/operations/read/ok/response");
    let line = |start: &str| {
        let found = text.lines().find_map(|line| line.strip_prefix(start));
        found.unwrap_or_else(|| panic!("no {start}: {text}")).parse::<f64>().unwrap()
    };
    assert!(line("[OVERALL], Throughput(ops/sec), ") > 0.0);
    assert!((line("[Intended-READ], Operations, ") - reads.len() as f64).abs() < 0.5);
    assert!((line("[READ], Return=OK, ") - reads.len() as f64).abs() < 0.5);
    let p99 = reads.value_at_quantile(0.99) / 1000;
    assert!((line("[Intended-READ], 99thPercentileLatency(us), ") - p99 as f64).abs() < 0.5);
    assert!(line("[READ], 99thPercentileLatency(us), ") <= p99 as f64);
}

#[test]
fn the_program_says_what_it_can_do_and_what_it_cannot_read() {
    let program = |arguments: &[&str]| {
        let output = Command::new(env!("CARGO_BIN_EXE_weighhouse-events"))
            .args(arguments)
            .stdin(std::process::Stdio::null())
            .output()
            .unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        (output.status.code(), text(output.stdout), text(output.stderr))
    };
    let (code, out, _) = program(&["--help"]);
    assert_eq!(code, Some(0));
    assert!(out.contains("merge") && out.contains("hlog") && out.contains("ycsb"));
    let (code, _, error) = program(&["hlog", "/nowhere"]);
    assert_eq!(code, Some(2));
    assert!(error.contains("/nowhere: "), "{error}");
    let fixture = "../protocol/fixtures/driver/events-open.jsonl";
    let (code, out, _) = program(&["ycsb", fixture, fixture]);
    assert_eq!(code, Some(0));
    assert!(out.starts_with("[OVERALL], RunTime(ms), "), "{out}");
}
