//! A driver run as a process.

use std::io::{BufRead, BufReader, Lines, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hdrhistogram::Histogram;
use hdrhistogram::serialization::Deserializer;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::{Value, json};

/// A driver at work.
pub struct DriverRun {
    child: Child,
    /// Of a driver that is held.
    stdin: Option<ChildStdin>,
    lines: Lines<BufReader<ChildStdout>>,
    events: Vec<Value>,
}

/// What time it will be in so long, as [`DriverRun::go`] takes it: unix time, µs.
#[must_use]
pub fn unix_us(ahead: Duration) -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).expect("after 1970");
    (now + ahead).as_micros().try_into().expect("before the year 586512")
}

/// How many operations of all kinds came to an outcome in an interval, for example `ok` or
/// `errors/timeout`.
#[must_use]
pub fn done(interval: &Value, outcome: &str) -> u64 {
    let kinds = interval["operations"].as_object().into_iter().flatten();
    kinds.filter_map(|(_, one)| one.pointer(&format!("/{outcome}/count"))?.as_u64()).sum()
}

/// All ways in which an operation can fail.
const ERRORS: [&str; 10] = [
    "timeout",
    "connection",
    "server_busy",
    "protocol",
    "other",
    "refused",
    "full",
    "too_large",
    "unavailable",
    "no_ports",
];

/// How many operations of all kinds failed in an interval.
#[must_use]
pub fn failed(interval: &Value) -> u64 {
    ERRORS.iter().map(|kind| done(interval, &format!("errors/{kind}"))).sum()
}

/// Of all orders of a program of tests, the way that this variable names: `epoll` or `io_uring`.
const WAY: &str = "WEIGHHOUSE_TEST_IO";

/// An order that does not say by which way it goes goes by the one that is wanted of all.
fn by_the_way(order: &Value) -> Value {
    let mut order = order.clone();
    let secure = order["target"]["endpoints"].to_string().contains("tls://");
    if let (Ok(way), false) = (std::env::var(WAY), secure)
        && let Some(target) = order.get_mut("target").and_then(Value::as_object_mut)
    {
        let options = target.entry("options").or_insert_with(|| json!({}));
        if let Some(options) = options.as_object_mut() {
            options.entry("io").or_insert(way.into());
        }
    }
    order
}

/// A driver that has ended.
#[derive(Debug)]
pub struct Run {
    /// All it wrote.
    pub events: Vec<Value>,
    /// Its exit code; none when a signal ended it.
    pub exit_code: Option<i32>,
}

/// One phase of a run.
#[derive(Debug)]
pub struct Phase<'a> {
    /// Its intervals.
    pub intervals: Vec<&'a Value>,
    /// How it ended.
    pub finished: &'a Value,
}

impl DriverRun {
    /// Starts a driver and hands it an order. One that is held (`hold`) waits for
    /// [`DriverRun::go`] before each phase.
    #[must_use]
    pub fn start(executable: &str, order: &Value) -> Self {
        let order = by_the_way(order);
        let mut child = Command::new(executable)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the driver starts");
        let mut stdin = child.stdin.take().expect("a pipe");
        stdin.write_all(order.to_string().as_bytes()).expect("the order is taken");
        let stdin = (order["hold"] == true).then_some(stdin);
        let lines = BufReader::new(child.stdout.take().expect("a pipe")).lines();
        Self { child, stdin, lines, events: Vec::new() }
    }

    /// Writes a line on the standard input of a driver that is held.
    pub fn say(&mut self, line: &str) {
        let stdin = self.stdin.as_mut().expect("a driver that is held");
        writeln!(stdin, "{line}").expect("the line is taken");
    }

    /// Lets a phase begin at a moment, unix time in µs.
    pub fn go(&mut self, phase: usize, at_us: u64) {
        self.say(&json!({"go": phase, "at_us": at_us}).to_string());
    }

    /// Closes the driver's standard input.
    pub fn hang_up(&mut self) {
        self.stdin = None;
    }

    fn next(&mut self) -> Option<&Value> {
        let line = self.lines.next()?.expect("a line of text");
        let event = serde_json::from_str(&line).unwrap_or_else(|_| panic!("no event: {line}"));
        self.events.push(event);
        self.events.last()
    }

    /// Waits until a phase of a kind has started.
    pub fn wait_for_phase(&mut self, kind: &str) {
        self.wait_for(|event| event["event"] == "phase_started" && event["phase"] == kind);
    }

    /// Waits for an event.
    pub fn wait_for(&mut self, is_it: impl Fn(&Value) -> bool) {
        while let Some(event) = self.next() {
            if is_it(event) {
                return;
            }
        }
        panic!("what was waited for did not come: {:?}", self.events);
    }

    /// Waits for an interval of the measured phase that is as it is to be.
    pub fn wait_for_interval(&mut self, is_it: impl Fn(&Value) -> bool) {
        self.wait_for(|event| {
            event["event"] == "interval" && event["phase"] == "measure" && is_it(event)
        });
    }

    /// Waits until so many connections were made anew in the measured phase.
    pub fn wait_for_reconnects(&mut self, least: u64) {
        let made = |event: &Value| {
            let measured = event["event"] == "interval" && event["phase"] == "measure";
            event["driver"]["reconnects"].as_u64().filter(|_| measured).unwrap_or_default()
        };
        let mut sum: u64 = self.events.iter().map(made).sum();
        while sum < least {
            sum += made(self.next().expect("the driver goes on"));
        }
    }

    /// Waits for an interval like [`DriverRun::wait_for_interval`], if none has come before.
    pub fn see_interval(&mut self, is_it: impl Fn(&Value) -> bool) {
        let measured = |event: &Value| event["event"] == "interval" && event["phase"] == "measure";
        if !self.events.iter().any(|event| measured(event) && is_it(event)) {
            self.wait_for_interval(is_it);
        }
    }

    /// Waits until the measured phase is under way: an operation has succeeded.
    pub fn wait_for_load(&mut self) {
        self.wait_for_interval(|interval| done(interval, "ok") > 0);
    }

    /// Ends a driver whose phase would go on for long yet.
    #[must_use]
    pub fn end(self) -> Run {
        self.terminate();
        let run = self.finish();
        run.assert_finished();
        run
    }

    /// Sends SIGTERM.
    pub fn terminate(&self) {
        let pid = Pid::from_raw(self.child.id().try_into().expect("a pid"));
        kill(pid, Signal::SIGTERM).expect("a running driver");
    }

    /// Reads no further: closes the driver's standard output.
    #[must_use]
    pub fn abandon(self) -> Option<i32> {
        let Self { mut child, lines, .. } = self;
        drop(lines);
        child.wait().expect("an end").code()
    }

    /// Waits for its end.
    #[must_use]
    pub fn finish(mut self) -> Run {
        while self.next().is_some() {}
        let exit_code = self.child.wait().expect("an end").code();
        Run { events: self.events, exit_code }
    }
}

impl Run {
    /// Runs a driver from start to end.
    #[must_use]
    pub fn of(executable: &str, order: &Value) -> Self {
        DriverRun::start(executable, order).finish()
    }

    /// The first event of a kind.
    #[must_use]
    pub fn event(&self, kind: &str) -> &Value {
        let found = self.events.iter().find(|event| event["event"] == kind);
        found.unwrap_or_else(|| panic!("no {kind}: {:?}", self.events))
    }

    /// The first phase of a kind.
    #[must_use]
    pub fn phase(&self, kind: &str) -> Phase<'_> {
        let of = |event: &&Value, name: &str| event["event"] == name && event["phase"] == kind;
        let intervals = self.events.iter().filter(|event| of(event, "interval")).collect();
        let finished = self.events.iter().find(|event| of(event, "phase_finished"));
        let finished = finished.unwrap_or_else(|| panic!("no {kind}: {:?}", self.events));
        Phase { intervals, finished }
    }

    /// Panics unless it did all it was asked.
    pub fn assert_finished(&self) {
        let last = self.events.last().map(|event| event["event"].clone());
        assert_eq!(last, Some("finished".into()), "{:?}", self.events);
        assert_eq!(self.exit_code, Some(0));
    }
}

/// Reads a histogram as it stands in an event.
fn decode(text: &Value) -> Histogram<u64> {
    let bytes = STANDARD.decode(text.as_str().expect("base64")).expect("base64");
    Deserializer::new().deserialize(&mut &bytes[..]).expect("a histogram")
}

impl Phase<'_> {
    /// How many operations came to an outcome, for example `("read", "ok")` or
    /// `("read", "errors/timeout")`; checks that the intervals add up to it.
    #[must_use]
    pub fn count(&self, operation: &str, outcome: &str) -> u64 {
        let total = self.finished.pointer(&format!("/operations/{operation}/{outcome}"));
        let total = total.and_then(Value::as_u64).unwrap_or(0);
        let path = format!("/operations/{operation}/{outcome}/count");
        let parts = self.intervals.iter().filter_map(|one| one.pointer(&path)?.as_u64());
        assert_eq!(parts.sum::<u64>(), total, "{operation} {outcome}");
        total
    }

    /// What was said first of an operation's failures of a kind; it has a time within the phase.
    ///
    /// # Panics
    /// When nothing was said.
    #[must_use]
    pub fn words(&self, operation: &str, kind: &str) -> String {
        let said = &self.finished["operations"][operation]["said"][kind];
        let words = said["words"].as_str();
        let words = words.unwrap_or_else(|| panic!("{operation}, {kind}: {:?}", self.finished));
        let end = self.finished["at_us"].as_u64().expect("a time");
        let begin = end - self.finished["duration_us"].as_u64().expect("a length");
        let at = said["at_us"].as_u64().expect("a time");
        // The phase's own bounds are those of its operations, to a fraction of a second.
        assert!((begin - 1_000_000..=end).contains(&at), "{at} is not in {begin}..{end}");
        words.to_owned()
    }

    /// All operations of all outcomes but `ok`.
    #[must_use]
    pub fn not_ok(&self) -> u64 {
        let outcomes = ERRORS.iter().map(|kind| format!("errors/{kind}"));
        let outcomes: Vec<_> = outcomes
            .chain(["not_found", "verify_failed", "never_sent"].map(str::to_owned))
            .collect();
        ["read", "update", "insert", "scan", "read_modify_write", "delete", "fill"]
            .iter()
            .flat_map(|operation| outcomes.iter().map(|outcome| self.count(operation, outcome)))
            .sum()
    }

    /// A histogram over all intervals, for example `operations/read/ok/response` or `driver/lag`.
    #[must_use]
    pub fn histogram(&self, path: &str) -> Histogram<u64> {
        let mut all = Histogram::new_with_bounds(1, 60_000_000_000, 3).expect("valid bounds");
        all.auto(true);
        let path = format!("/{path}");
        for text in self.intervals.iter().filter_map(|one| one.pointer(&path)) {
            all.add(decode(text)).expect("the same bounds");
        }
        all
    }

    /// A figure of the driver's own, added up over all intervals.
    #[must_use]
    pub fn driver_sum(&self, name: &str) -> u64 {
        self.intervals.iter().filter_map(|one| one["driver"][name].as_u64()).sum()
    }
}
