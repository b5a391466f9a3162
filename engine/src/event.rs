//! Events: what a driver writes on standard output, one JSON document a line.

use std::collections::BTreeMap;
use std::io::{self, Write};

use serde::Serialize;
use weighhouse_driver_api::{Counts, ErrorKind, Outcome};

use crate::clock::Clock;
use crate::kind::Kind;
use crate::net::Chosen;
use crate::order::PhaseKind;
use crate::recorder::{Cell, Due, Recorder, Wire};

/// Operations with one outcome.
#[derive(Debug, Serialize)]
struct Recorded {
    count: u64,
    response: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    service: Option<String>,
}

impl From<&Cell> for Recorded {
    fn from(cell: &Cell) -> Self {
        Self {
            count: cell.response.count(),
            response: cell.response.encode(),
            service: cell.service.as_ref().map(crate::recorder::Latencies::encode),
        }
    }
}

/// One operation in an interval, by outcome.
#[derive(Debug, Default, Serialize)]
struct OperationInterval {
    #[serde(skip_serializing_if = "Option::is_none")]
    ok: Option<Recorded>,
    #[serde(skip_serializing_if = "Option::is_none")]
    not_found: Option<Recorded>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    errors: BTreeMap<&'static str, Recorded>,
    #[serde(skip_serializing_if = "Option::is_none")]
    verify_failed: Option<Recorded>,
    #[serde(skip_serializing_if = "Option::is_none")]
    never_sent: Option<Counted>,
}

/// Operations that there is no time of.
#[derive(Debug, Serialize)]
struct Counted {
    count: u64,
}

#[allow(clippy::trivially_copy_pass_by_ref)] // as serde calls it
fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// What the driver measured of itself in an interval.
#[derive(Debug, Default, Serialize)]
pub struct SelfMeasured {
    /// Processor time, µs.
    pub cpu_us: u64,
    /// Of it, in the driver's code.
    pub user_us: u64,
    /// Of it, in the kernel.
    pub system_us: u64,
    /// Histogram of sent - due; only in an open loop.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lag: Option<String>,
    /// 99th percentile of how long something ready waited for the loop, µs.
    pub loop_delay_p99_us: f64,
    /// Share of the machine's processor time that the hypervisor took, percent.
    pub steal_percent: f64,
    /// Most operations under way at once.
    pub in_flight_max: usize,
    /// Connections made anew.
    pub reconnects: u64,
    /// Operations had to wait for a place among those in flight.
    pub saturated: bool,
}

/// Counts of one operation over a phase.
#[derive(Debug, Default, Serialize)]
struct OperationTotals<'a> {
    ok: u64,
    not_found: u64,
    errors: BTreeMap<&'static str, u64>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    said: BTreeMap<&'static str, SaidFirst<'a>>,
    verify_failed: u64,
    #[serde(skip_serializing_if = "is_zero")]
    never_sent: u64,
}

/// What the server said first of operations that failed in one way.
#[derive(Debug, Serialize)]
struct SaidFirst<'a> {
    at_us: u64,
    words: &'a str,
}

/// What a system in the process counted of its own work in a phase.
#[derive(Debug, Serialize)]
struct SystemCounted<'a> {
    commands: BTreeMap<&'a str, Calls>,
    #[serde(skip_serializing_if = "Option::is_none")]
    hits: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    misses: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    received_bytes: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    sent_bytes: Option<u64>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    lacking: &'a [&'static str],
}

#[derive(Debug, Serialize)]
struct Calls {
    calls: u64,
}

impl<'a> From<&'a Counts> for SystemCounted<'a> {
    fn from(counts: &'a Counts) -> Self {
        Self {
            commands: counts
                .commands
                .iter()
                .map(|(&name, &calls)| (name, Calls { calls }))
                .collect(),
            hits: counts.hits,
            misses: counts.misses,
            received_bytes: counts.received_bytes,
            sent_bytes: counts.sent_bytes,
            lacking: counts.lacking,
        }
    }
}

/// By which way bytes go to and from the system.
#[derive(Debug, Serialize)]
struct Io<'a> {
    way: &'static str,
    reason: &'a str,
    /// The quickest turns of a trial, ns.
    #[serde(skip_serializing_if = "Option::is_none")]
    epoll_ns: Option<u64>,
    #[serde(rename = "io_uring_ns", skip_serializing_if = "Option::is_none")]
    ring_ns: Option<u64>,
}

/// What happened.
#[derive(Debug, Serialize)]
#[serde(tag = "event", rename_all = "snake_case")]
enum Body<'a> {
    Ready {
        driver: &'a str,
        version: &'a str,
        shards: usize,
        connections: usize,
        layout: &'a str,
        #[serde(skip_serializing_if = "Option::is_none")]
        io: Option<Io<'a>>,
        stream_hash: &'a str,
    },
    PhaseStarted {
        phase: PhaseKind,
        index: usize,
    },
    Interval {
        phase: PhaseKind,
        index: usize,
        sequence: u64,
        start_us: u64,
        duration_us: u64,
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        drain: bool,
        #[serde(skip_serializing_if = "Vec::is_empty")]
        due: Vec<(u64, u64, u64)>,
        operations: BTreeMap<&'static str, OperationInterval>,
        driver: &'a SelfMeasured,
    },
    PhaseFinished {
        phase: PhaseKind,
        index: usize,
        duration_us: u64,
        operations: BTreeMap<&'static str, OperationTotals<'a>>,
        client_bound: bool,
        client_bound_reasons: &'a [String],
        interrupted: bool,
        #[serde(skip_serializing_if = "Option::is_none")]
        wire: Option<Wire>,
        #[serde(skip_serializing_if = "Option::is_none")]
        counted: Option<SystemCounted<'a>>,
    },
    Failed {
        kind: &'a str,
        message: &'a str,
        hint: &'a str,
    },
    Finished,
}

#[derive(Debug, Serialize)]
struct Line<'a> {
    #[serde(flatten)]
    body: Body<'a>,
    at_us: u64,
    elapsed_us: u64,
}

/// Where an interval or a phase lies.
#[derive(Debug, Clone, Copy)]
pub struct Span {
    /// What is done in the phase.
    pub phase: PhaseKind,
    /// Position of the phase in the order.
    pub index: usize,
    /// Begin, ns of the driver's clock.
    pub start: u64,
    /// End, ns of the driver's clock.
    pub end: u64,
}

impl Span {
    /// As whole microseconds, so that begin and length add up to the end as it is told.
    fn length_us(self) -> u64 {
        self.end / 1000 - self.start / 1000
    }
}

/// Writes events.
#[derive(Debug)]
pub struct EventWriter<W> {
    clock: Clock,
    out: W,
}

impl<W: Write> EventWriter<W> {
    /// A writer.
    pub fn new(clock: Clock, out: W) -> Self {
        Self { clock, out }
    }

    fn write(&mut self, body: Body<'_>) -> io::Result<()> {
        let now = self.clock.now();
        let line =
            Line { body, at_us: self.clock.unix_us(now), elapsed_us: self.clock.elapsed_us(now) };
        let mut text = serde_json::to_vec(&line)?;
        text.push(b'\n');
        self.out.write_all(&text)?;
        self.out.flush()
    }

    /// Connected, and waiting to begin.
    ///
    /// # Errors
    /// When nobody reads any more; so for the other events.
    pub fn ready(
        &mut self,
        identity: &weighhouse_driver_api::Identity,
        (shards, connections): (usize, usize),
        layout: &str,
        way: Option<&Chosen>,
        stream_hash: &str,
    ) -> io::Result<()> {
        let (driver, version) = (identity.name, identity.version);
        let io = way.map(|chosen| Io {
            way: chosen.way.name(),
            reason: &chosen.reason,
            epoll_ns: chosen.trial.map(|(epoll, _)| epoll),
            ring_ns: chosen.trial.map(|(_, ring)| ring),
        });
        self.write(Body::Ready { driver, version, shards, connections, layout, io, stream_hash })
    }

    /// A phase began.
    ///
    /// # Errors
    /// When nobody reads any more.
    pub fn phase_started(&mut self, phase: PhaseKind, index: usize) -> io::Result<()> {
        self.write(Body::PhaseStarted { phase, index })
    }

    /// What happened in an interval.
    ///
    /// # Errors
    /// When nobody reads any more.
    pub fn interval(
        &mut self,
        span: Span,
        (sequence, drain): (u64, bool),
        recorder: &Recorder,
        due: Vec<(u64, Due)>,
        driver: &SelfMeasured,
    ) -> io::Result<()> {
        let mut operations = BTreeMap::new();
        for operation in Kind::all() {
            let of = |outcome| recorder.cell(operation, outcome).map(Recorded::from);
            let errors: BTreeMap<_, _> = ErrorKind::ALL
                .into_iter()
                .filter_map(|kind| Some((kind.name(), of(Outcome::Error(kind))?)))
                .collect();
            let interval = OperationInterval {
                ok: of(Outcome::Ok),
                not_found: of(Outcome::NotFound),
                verify_failed: of(Outcome::VerifyFailed),
                errors,
                never_sent: Some(recorder.never_sent(operation))
                    .filter(|&count| count > 0)
                    .map(|count| Counted { count }),
            };
            if interval.never_sent.is_some()
                || interval.ok.is_some()
                || interval.not_found.is_some()
                || interval.verify_failed.is_some()
                || !interval.errors.is_empty()
            {
                operations.insert(operation.name(), interval);
            }
        }
        let start_us = self.clock.unix_us(span.start);
        self.write(Body::Interval {
            phase: span.phase,
            index: span.index,
            sequence,
            start_us,
            duration_us: span.length_us(),
            drain,
            due: due.into_iter().map(|(at, due)| (at, due.begun, due.never_sent)).collect(),
            operations,
            driver,
        })
    }

    /// A phase ended; of a system in the process, with what it counted in the phase.
    ///
    /// # Errors
    /// When nobody reads any more.
    pub fn phase_finished(
        &mut self,
        span: Span,
        totals: &Recorder,
        client_bound_reasons: &[String],
        interrupted: bool,
        counted: Option<&Counts>,
    ) -> io::Result<()> {
        let mut operations = BTreeMap::new();
        for operation in Kind::all() {
            let of = |outcome| totals.count(operation, outcome);
            let errors: BTreeMap<_, _> = ErrorKind::ALL
                .into_iter()
                .map(|kind| (kind.name(), of(Outcome::Error(kind))))
                .filter(|&(_, count)| count > 0)
                .collect();
            let first = |kind: ErrorKind| {
                let said = totals.said(operation, kind)?;
                let at_us = self.clock.unix_us(said.at);
                Some((kind.name(), SaidFirst { at_us, words: &said.words }))
            };
            let totals = OperationTotals {
                said: ErrorKind::ALL.into_iter().filter_map(first).collect(),
                ok: of(Outcome::Ok),
                not_found: of(Outcome::NotFound),
                verify_failed: of(Outcome::VerifyFailed),
                errors,
                never_sent: totals.never_sent(operation),
            };
            if totals.ok + totals.not_found + totals.verify_failed + totals.never_sent > 0
                || !totals.errors.is_empty()
            {
                operations.insert(operation.name(), totals);
            }
        }
        self.write(Body::PhaseFinished {
            phase: span.phase,
            index: span.index,
            duration_us: span.length_us(),
            operations,
            client_bound: !client_bound_reasons.is_empty(),
            client_bound_reasons,
            interrupted,
            wire: (totals.wire != Wire::default()).then_some(totals.wire),
            counted: counted.map(SystemCounted::from),
        })
    }

    /// The driver gives up.
    ///
    /// # Errors
    /// When nobody reads any more.
    pub fn failed(&mut self, kind: &str, message: &str, hint: &str) -> io::Result<()> {
        self.write(Body::Failed { kind, message, hint })
    }

    /// The driver did all it was asked.
    ///
    /// # Errors
    /// When nobody reads any more.
    pub fn finished(&mut self) -> io::Result<()> {
        self.write(Body::Finished)
    }
}
