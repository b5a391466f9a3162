//! One behaviour suite for all drivers: what each must do on a real server, by what it says of
//! itself.

use std::fmt::Write as _;
use std::process::Command;

use serde_json::{Value, json};

use crate::run::{Phase, Run};

/// Records that the suite loads.
const RECORDS: u64 = 300;

/// Of all that the clients of a closed loop have, the least and the most that may show as time of
/// operations, as shares.
const COUNTED: std::ops::RangeInclusive<f64> = 0.95..=1.01;

/// Seconds of an interval.
const INTERVAL: f64 = 0.1;
/// Intervals until all clients are at work, also on a busy machine.
const RAMP_UP: u64 = 2;

/// How the time of a measured phase was spent, in seconds.
struct Times {
    /// What was asked for, without the first intervals.
    asked: f64,
    /// In operations, without the first intervals.
    settled: f64,
    /// All that it took.
    elapsed: f64,
    /// In operations, in all.
    whole: f64,
    /// How many operations there were.
    operations: f64,
}

/// A driver, a real server that is empty, and how the driver is to reach it.
pub struct Suite<'a> {
    /// The driver's executable.
    pub driver: &'a str,
    /// Where the server is; for a system inside the driver a directory that does not exist yet is
    /// made below it for each part.
    pub endpoint: String,
    /// The driver's options.
    pub options: Value,
    /// Whether the server tells that a record to delete was not there.
    pub tells_missing: bool,
    /// What the driver can do and these options exclude: `scan`, `multi_get`.
    pub refuses: &'static [&'static str],
    /// How many clients.
    pub clients: u64,
}

impl Suite<'_> {
    /// What the driver says of itself.
    #[must_use]
    pub fn describe(&self) -> Value {
        let output = Command::new(self.driver).arg("--describe").output().expect("the driver runs");
        serde_json::from_slice(&output.stdout).expect("a description")
    }

    fn order(&self, part: u64, workload: &Value, load: &Value, phases: &Value) -> Value {
        let mut whole = json!({"name": "behaviour", "record_count": RECORDS, "field_count": 3,
                               "field_length": 40, "insert_start": 0});
        for (name, value) in workload.as_object().expect("an object") {
            whole[name] = value.clone();
        }
        let endpoint = if self.endpoint.starts_with("file://") {
            let directory = format!("{}/{part}", self.endpoint.trim_start_matches("file://"));
            std::fs::create_dir_all(&directory).expect("a directory");
            format!("file://{directory}")
        } else {
            self.endpoint.clone()
        };
        json!({
            "workload": whole,
            "target": {"endpoints": [endpoint], "options": self.options},
            "load": load,
            "phases": phases,
            "seed": 100 + part,
            "interval_seconds": INTERVAL,
        })
    }

    /// Loads all records, then does so many operations of a mix.
    fn run(&self, part: u64, workload: &Value, operations: u64) -> Run {
        let load = json!({"model": "closed", "clients": self.clients});
        let phases = json!([{"kind": "load", "clients": self.clients},
                            {"kind": "measure", "operation_count": operations}]);
        let run = Run::of(self.driver, &self.order(part, workload, &load, &phases));
        run.assert_finished();
        assert_eq!(run.phase("load").count("insert", "ok"), RECORDS);
        run
    }

    /// All of it. A part that the driver does not have by its own word is tried too: it must be
    /// refused.
    pub fn check(&self) {
        let description = self.describe();
        let has = |list: &str, name: &str| {
            let all = description[list].as_array().expect("a list");
            all.iter().any(|one| one == name)
        };
        self.reads_find_what_was_written();
        self.updates_are_read_back();
        self.inserts_are_found_by_later_reads();
        self.read_modify_writes_are_one_operation();
        self.misses_are_not_found();
        self.drawn_lengths_are_verified();
        self.large_values_are_read_back();
        self.points_of_series_are_records();
        self.closed_loops_count_all_of_their_time();
        self.pauses_of_clients_are_not_counted();
        self.threads_are_told();
        self.open_loops_keep_their_schedule();
        self.unknown_options_are_refused();
        for (name, workload) in [
            ("scan", json!({"operations": {"scan": 1.0}})),
            ("multi_get", json!({"keys_per_read": 3})),
        ] {
            if self.refuses.contains(&name) {
                self.is_refused(&workload, "target.options.");
            }
        }
        let excluded = |name| self.refuses.contains(&name);
        if has("operations", "scan") && !excluded("scan") {
            self.scans_find_records();
        } else if !excluded("scan") {
            self.is_refused(&json!({"operations": {"scan": 1.0}}), "workload.operations.scan");
        }
        if has("operations", "delete") {
            self.deleted_records_are_gone();
        }
        if has("features", "multi_get") && !excluded("multi_get") {
            self.several_keys_are_read_at_once();
        } else if !excluded("multi_get") {
            self.is_refused(&json!({"keys_per_read": 3}), "workload.keys_per_read");
        }
        if has("features", "ttl") {
            self.records_expire();
        } else {
            self.is_refused(&json!({"ttl_seconds": 60}), "workload.ttl_seconds");
        }
        if has("features", "varied_ttl") {
            self.a_share_of_the_records_expires();
        } else {
            let draw = json!({"fraction": 0.5, "min_seconds": 1, "max_seconds": 60});
            self.is_refused(&json!({"expiry": draw}), "workload.expiry");
        }
    }

    fn reads_find_what_was_written(&self) {
        for fields in
            [json!({}), json!({"read_all_fields": false}), json!({"read_fields_by_name": true})]
        {
            let mut workload = json!({"operations": {"read": 1.0}, "verify_fraction": 1.0,
                                      "request_distribution": "sequential"});
            for (name, value) in fields.as_object().expect("an object") {
                workload[name] = value.clone();
            }
            let run = self.run(1, &workload, RECORDS);
            assert_eq!(run.phase("measure").count("read", "ok"), RECORDS, "{workload}");
            assert_eq!(run.phase("measure").not_ok(), 0);
        }
    }

    fn updates_are_read_back(&self) {
        for all in [false, true] {
            let workload = json!({"operations": {"read": 0.5, "update": 0.5}, "verify_fraction": 1.0,
                                  "write_all_fields": all, "request_distribution": "zipfian"});
            let run = self.run(2, &workload, 1000);
            let measure = run.phase("measure");
            assert_eq!(measure.count("read", "ok") + measure.count("update", "ok"), 1000);
            assert!(measure.count("update", "ok") > 400);
        }
    }

    fn inserts_are_found_by_later_reads(&self) {
        let workload = json!({"operations": {"read": 0.5, "insert": 0.5}, "verify_fraction": 1.0,
                              "request_distribution": "latest"});
        let run = self.run(3, &workload, 800);
        let measure = run.phase("measure");
        assert_eq!(measure.count("read", "ok") + measure.count("insert", "ok"), 800);
        assert_eq!(measure.not_ok(), 0);
    }

    fn read_modify_writes_are_one_operation(&self) {
        let workload = json!({"operations": {"read_modify_write": 1.0}, "verify_fraction": 1.0});
        let run = self.run(4, &workload, 400);
        let measure = run.phase("measure");
        assert_eq!(measure.count("read_modify_write", "ok"), 400);
        assert_eq!(measure.count("read", "ok") + measure.count("update", "ok"), 0);
    }

    fn misses_are_not_found(&self) {
        let workload = json!({"operations": {"read": 1.0}, "read_miss_fraction": 0.5});
        let run = self.run(5, &workload, 600);
        let measure = run.phase("measure");
        let missed = measure.count("read", "not_found");
        assert_eq!(measure.count("read", "ok") + missed, 600);
        assert!((200..400).contains(&missed), "{missed}");
    }

    fn drawn_lengths_are_verified(&self) {
        let workload = json!({"operations": {"read": 0.7, "update": 0.3}, "verify_fraction": 1.0,
                              "field_length_distribution": "zipfian", "field_length": 2000,
                              "min_field_length": 20, "value_repetition": 0.5});
        let run = self.run(6, &workload, 500);
        let measure = run.phase("measure");
        assert_eq!(measure.count("read", "ok") + measure.count("update", "ok"), 500);
    }

    /// Records of a megabyte, which all systems take as they are shipped.
    fn large_values_are_read_back(&self) {
        let workload = json!({"operations": {"read": 0.7, "update": 0.3}, "verify_fraction": 1.0,
                              "record_count": 6, "field_length": 333_333, "key_prefix": "large",
                              "write_all_fields": true});
        let load = json!({"model": "closed", "clients": self.clients});
        let phases = json!([{"kind": "load", "clients": self.clients},
                            {"kind": "measure", "operation_count": 40}]);
        let run = Run::of(self.driver, &self.order(15, &workload, &load, &phases));
        run.assert_finished();
        assert_eq!(run.phase("load").count("insert", "ok"), 6);
        let measure = run.phase("measure");
        assert_eq!(measure.count("read", "ok") + measure.count("update", "ok"), 40);
    }

    fn points_of_series_are_records(&self) {
        let workload = json!({"operations": {"read": 0.4, "insert": 0.6}, "verify_fraction": 1.0,
                              "request_distribution": "zipfian", "field_count": 1,
                              "field_length": 8,
                              "time_series": {"series_keys": 7, "tag_cardinalities": [1, 3]}});
        let run = self.run(14, &workload, 600);
        let measure = run.phase("measure");
        assert_eq!(measure.count("read", "ok") + measure.count("insert", "ok"), 600);
    }

    /// Little's law, from both sides: throughput times mean latency is the number of operations under
    /// way. A client that waits uncounted (for its turn in the driver, say) shows from below, time
    /// that is counted twice from above. Both are ratios of times that a busy machine lengthens
    /// alike.
    fn closed_loops_count_all_of_their_time(&self) {
        let embedded = self.endpoint.starts_with("file://");
        let mut levels = vec![(1, 1), (4, 1), (16, 1)];
        if !embedded {
            levels.push((4, 4));
        }
        let (mut right, mut said) = (true, String::new());
        for (clients, pipeline) in levels {
            let load = json!({"model": "closed", "clients": clients, "pipeline": pipeline});
            let times = self.measured(15, &load);
            let all = f64::from(clients * pipeline);
            // What begins before the phase's end goes on for a while after it, for each client another
            // while: from below that time counts which was asked for, from above all that it took.
            let found = (times.settled / (all * times.asked), times.whole / (all * times.elapsed));
            right &= found.0 >= *COUNTED.start() && found.1 <= *COUNTED.end();
            let percent = [100.0 * found.0, 100.0 * found.1];
            let _ = write!(
                said,
                "\n{clients} clients, pipeline {pipeline}: {:.1} % of what was asked for, {:.1} % of \
                 what it took",
                percent[0], percent[1]
            );
        }
        assert!(right, "{}: throughput x mean latency is{said}", self.driver);
    }

    /// What a client thinks is no time of any operation.
    fn pauses_of_clients_are_not_counted(&self) {
        let think = 0.002;
        let load = json!({"model": "closed", "clients": 4, "think_time_us": 2000});
        let times = self.measured(16, &load);
        let paused = times.operations * think;
        assert!(paused > 0.0, "no operation was done");
        assert!(
            times.whole + paused <= 4.0 * times.elapsed * COUNTED.end(),
            "{} s of operations and {paused} s of pauses in 4 x {} s",
            times.whole,
            times.elapsed
        );
    }

    /// How the time of a measured phase was spent.
    fn measured(&self, part: u64, load: &Value) -> Times {
        let seconds = 0.6;
        let workload = json!({"operations": {"read": 0.5, "update": 0.5}});
        let phases = json!([{"kind": "load"}, {"kind": "measure", "duration_seconds": seconds}]);
        let run = Run::of(self.driver, &self.order(part, &workload, load, &phases));
        run.assert_finished();
        let whole = run.phase("measure");
        assert_eq!(whole.not_ok(), 0, "{:?}", whole.finished);
        let mut settled = run.phase("measure");
        settled.intervals.retain(|one| one["sequence"].as_u64() >= Some(RAMP_UP));
        let all = |phase: &Phase<'_>| {
            let (mut time, mut count) = (0.0, 0);
            for operation in ["read", "update"] {
                let times = phase.histogram(&format!("operations/{operation}/ok/response"));
                time += times.mean() * times.len() as f64 / 1e9;
                count += times.len();
            }
            (time, count as f64)
        };
        let (time, operations) = all(&whole);
        Times {
            asked: seconds - RAMP_UP as f64 * INTERVAL,
            settled: all(&settled).0,
            elapsed: whole.finished["duration_us"].as_f64().expect("a duration") / 1e6,
            whole: time,
            operations,
        }
    }

    /// A driver has as many threads as it was given, as long as each has a client; with the database
    /// inside, each client is a thread.
    fn threads_are_told(&self) {
        let embedded = self.endpoint.starts_with("file://");
        let phases =
            json!([{"kind": "load", "clients": 3}, {"kind": "measure", "operation_count": 100}]);
        for (clients, threads, told) in [(3, 1, 1), (3, 2, 2), (1, 2, 1)] {
            let load = json!({"model": "closed", "clients": clients});
            let mut order = self.order(17, &json!({}), &load, &phases);
            order["shards"] = threads.into();
            let run = Run::of(self.driver, &order);
            run.assert_finished();
            let told = if embedded { 3 } else { told };
            assert_eq!(run.event("ready")["shards"], told, "{clients} clients, {threads} threads");
            assert_eq!(run.phase("load").count("insert", "ok"), RECORDS);
        }
    }

    fn open_loops_keep_their_schedule(&self) {
        let phases = json!([{"kind": "load", "clients": self.clients},
                            {"kind": "measure", "duration_seconds": 0.5}]);
        for load in [
            json!({"model": "open", "rate_per_second": 600, "connections": self.clients}),
            json!({"model": "open", "rate_per_second": 600, "connections": self.clients,
                   "profile": {"shape": "sine", "period_seconds": 0.25}}),
        ] {
            let workload = json!({"operations": {"read": 1.0}});
            let run = Run::of(self.driver, &self.order(7, &workload, &load, &phases));
            run.assert_finished();
            let measure = run.phase("measure");
            // Every operation that was due is there, on whatever machine.
            assert_eq!(measure.count("read", "ok"), 300);
            assert_eq!(measure.histogram("operations/read/ok/service").len(), 300);
            assert_eq!(measure.histogram("driver/lag").len(), 300);
        }
    }

    fn unknown_options_are_refused(&self) {
        let mut options = self.options.clone();
        options["no_such_option"] = true.into();
        let other = Suite { options, endpoint: self.endpoint.clone(), ..*self };
        let phases = json!([{"kind": "load"}]);
        let load = json!({"model": "closed", "clients": 1});
        let run = Run::of(self.driver, &other.order(8, &json!({}), &load, &phases));
        assert_eq!(run.exit_code, Some(2));
        let message = run.event("failed")["message"].as_str().expect("a message").to_owned();
        assert!(message.contains("target.options.no_such_option"), "{message}");
    }

    fn scans_find_records(&self) {
        for fields in [json!({}), json!({"read_all_fields": false})] {
            let mut workload = json!({"operations": {"scan": 0.8, "insert": 0.2},
                                      "max_scan_length": 20, "scan_length_distribution": "zipfian"});
            for (name, value) in fields.as_object().expect("an object") {
                workload[name] = value.clone();
            }
            let run = self.run(9, &workload, 300);
            let measure = run.phase("measure");
            let (scans, inserts) = (measure.count("scan", "ok"), measure.count("insert", "ok"));
            assert_eq!(scans + inserts, 300, "{:?}", measure.finished);
            assert!(scans > 180, "{scans}");
        }
    }

    fn deleted_records_are_gone(&self) {
        // Each record once, in order; then what is deleted is asked for.
        let workload = json!({"operations": {"delete": 1.0}, "request_distribution": "sequential"});
        let run = self.run(10, &workload, RECORDS);
        let measure = run.phase("measure");
        let gone = measure.count("delete", "ok");
        assert_eq!(gone, RECORDS, "each record is deleted once: {:?}", measure.finished);
        let load = json!({"model": "closed", "clients": self.clients});
        let phases = json!([{"kind": "measure", "operation_count": 100}]);
        let reads = json!({"operations": {"read": 1.0}});
        let run = Run::of(self.driver, &self.order(10, &reads, &load, &phases));
        run.assert_finished();
        assert_eq!(run.phase("measure").count("read", "not_found"), 100);
        if self.tells_missing {
            let deletes = json!({"operations": {"delete": 1.0}});
            let run = Run::of(self.driver, &self.order(10, &deletes, &load, &phases));
            let told = run.phase("measure").count("delete", "not_found");
            assert_eq!(told, 100, "deletes of what is gone; `tells_missing` says it is told");
        }
    }

    fn several_keys_are_read_at_once(&self) {
        let workload = json!({"operations": {"read": 0.8, "update": 0.2}, "keys_per_read": 5});
        let run = self.run(11, &workload, 300);
        let measure = run.phase("measure");
        assert_eq!(measure.count("read", "ok") + measure.count("update", "ok"), 300);
        let workload = json!({"operations": {"read": 1.0}, "keys_per_read": 5,
                              "read_miss_fraction": 1.0});
        let run = self.run(11, &workload, 100);
        assert_eq!(run.phase("measure").count("read", "not_found"), 100);
    }

    fn records_expire(&self) {
        let workload = json!({"operations": {"read": 1.0}, "ttl_seconds": 1});
        let load = json!({"model": "closed", "clients": self.clients, "think_time_us": 20_000});
        let phases = json!([{"kind": "load", "clients": self.clients},
                            {"kind": "warmup", "duration_seconds": 2.5},
                            {"kind": "measure", "operation_count": 50}]);
        let run = Run::of(self.driver, &self.order(12, &workload, &load, &phases));
        run.assert_finished();
        assert_eq!(run.phase("measure").count("read", "not_found"), 50);
    }

    /// Of a share of the records nothing is left after their time, the others stay; and what an update
    /// of one field makes of one that is gone is not taken for a wrong value.
    fn a_share_of_the_records_expires(&self) {
        let workload = json!({"operations": {"read": 0.5, "update": 0.5}, "key_prefix": "going",
                              "expiry": {"fraction": 0.5, "min_seconds": 1, "max_seconds": 2},
                              "verify_fraction": 1.0, "request_distribution": "sequential"});
        let load = json!({"model": "closed", "clients": 1, "think_time_us": 3_500_000});
        let phases = json!([{"kind": "load", "clients": self.clients},
                            {"kind": "warmup", "duration_seconds": 3.5}]);
        let waited = Run::of(self.driver, &self.order(16, &workload, &load, &phases));
        waited.assert_finished();
        let load = json!({"model": "closed", "clients": 1});
        let phases = json!([{"kind": "measure", "operation_count": 2 * RECORDS}]);
        let run = Run::of(self.driver, &self.order(16, &workload, &load, &phases));
        run.assert_finished();
        let measure = run.phase("measure");
        let (found, gone) = (measure.count("read", "ok"), measure.count("read", "not_found"));
        assert_eq!(measure.count("read", "verify_failed"), 0);
        assert!(gone > RECORDS / 8 && found > RECORDS / 4, "{found} found, {gone} gone");
    }

    fn is_refused(&self, workload: &Value, parameter: &str) {
        let phases = json!([{"kind": "load"}, {"kind": "measure", "operation_count": 10}]);
        let load = json!({"model": "closed", "clients": 1});
        let run = Run::of(self.driver, &self.order(13, workload, &load, &phases));
        assert_eq!(run.exit_code, Some(2), "{:?}", run.events);
        let message = run.event("failed")["message"].as_str().expect("a message").to_owned();
        assert!(message.starts_with(parameter), "{message}");
    }
}
