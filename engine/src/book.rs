//! The recorder a shard writes into, handed over at every interval's end.

use std::sync::mpsc::{Receiver, Sender};

use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeValLike;
use weighhouse_driver_api::{ErrorKind, Outcome, said};

use crate::kind::Kind;
use crate::plan::{PhasePlan, Report};
use crate::recorder::Recorder;

/// Processor time, (user, system), ns.
type CpuTime = (u64, u64);

fn cpu_time(who: UsageWho) -> CpuTime {
    let nanoseconds = |time: nix::sys::time::TimeVal| {
        u64::try_from(time.num_microseconds()).unwrap_or_default() * 1000
    };
    getrusage(who)
        .map_or((0, 0), |usage| (nanoseconds(usage.user_time()), nanoseconds(usage.system_time())))
}

fn difference(now: CpuTime, before: CpuTime) -> CpuTime {
    (now.0.saturating_sub(before.0), now.1.saturating_sub(before.1))
}

/// Records for one shard.
#[derive(Debug)]
pub struct Book {
    shard: usize,
    current: Box<Recorder>,
    spare: Option<Box<Recorder>>,
    returned: Receiver<Box<Recorder>>,
    reports: Sender<Report>,
    kinds: Vec<Kind>,
    plan: Option<PhasePlan>,
    open: bool,
    interval: u64,
    deadline: u64,
    sequence: u64,
    /// When the running interval began.
    since: u64,
    next_flip: u64,
    thread_cpu: CpuTime,
    process_cpu: CpuTime,
}

impl Book {
    /// A book of a shard. `returned` brings recorders back that went out through `reports`.
    #[must_use]
    pub fn new(shard: usize, returned: Receiver<Box<Recorder>>, reports: Sender<Report>) -> Self {
        Self {
            shard,
            current: Box::default(),
            spare: None,
            returned,
            reports,
            kinds: Vec::new(),
            plan: None,
            open: false,
            interval: 1,
            deadline: u64::MAX,
            sequence: 0,
            since: 0,
            next_flip: u64::MAX,
            thread_cpu: (0, 0),
            process_cpu: (0, 0),
        }
    }

    /// Begins a phase in which these operations occur. Its thread calls this.
    pub fn begin(&mut self, plan: &PhasePlan, kinds: Vec<Kind>) {
        self.kinds = kinds;
        self.open = plan.open;
        self.interval = plan.interval;
        self.deadline = plan.deadline;
        self.sequence = plan.sequence(plan.begin);
        self.since = plan.bound(self.sequence);
        self.next_flip = plan.bound(self.sequence + 1);
        self.plan = Some(plan.clone());
        self.current.clear();
        self.current.prepare(self.kinds.iter().copied(), self.open);
        let next = self.take_spare();
        self.spare = Some(next);
        self.thread_cpu = cpu_time(UsageWho::RUSAGE_THREAD);
        self.process_cpu = cpu_time(UsageWho::RUSAGE_SELF);
    }

    fn take_spare(&mut self) -> Box<Recorder> {
        let mut recorder =
            self.spare.take().or_else(|| self.returned.try_recv().ok()).unwrap_or_default();
        recorder.prepare(self.kinds.iter().copied(), self.open);
        recorder
    }

    /// Where to record.
    #[inline]
    pub fn recorder(&mut self) -> &mut Recorder {
        &mut self.current
    }

    /// When the running interval ends.
    #[must_use]
    #[inline]
    pub fn next_flip(&self) -> u64 {
        self.next_flip
    }

    /// Records what came of an operation that was done at a time.
    #[inline]
    pub fn record(
        &mut self,
        kind: impl Into<Kind>,
        outcome: Outcome,
        response: u64,
        service: Option<u64>,
    ) {
        self.current.record(kind, outcome, response, service);
    }

    /// Counts an operation of an open loop that is begun now.
    #[inline]
    pub fn begun(&mut self, due: u64) {
        if due >= self.since {
            self.current.in_time += 1;
        } else {
            let due_in = self.due_in(due);
            self.current.late.entry(due_in).or_default().begun += 1;
        }
    }

    /// Counts one that was due and is not going to be sent any more.
    pub fn give_up(&mut self, kind: impl Into<Kind>, due: u64) {
        let due_in = self.due_in(due);
        self.current.give_up(kind, due_in);
    }

    fn due_in(&self, due: u64) -> u64 {
        self.plan.as_ref().map_or(0, |plan| plan.sequence(due))
    }

    /// Hands over the intervals that are over at a time. What is recorded after this call lies in
    /// the interval of that time.
    #[inline]
    pub fn turn(&mut self, now: u64) {
        while now >= self.next_flip {
            if self.next_flip >= self.deadline && !self.open {
                self.drain(self.deadline);
                if now < self.next_flip {
                    return;
                }
            }
            self.flip(now);
        }
    }

    /// Nothing is begun from a time on: what returns soon after it still belongs to the last
    /// interval, rather than to a tiny one of its own. In an open loop it does not, for it was not
    /// done in the phase.
    pub fn drain(&mut self, from: u64) {
        if !self.open && self.next_flip < from.saturating_add(self.interval / 2) {
            self.next_flip += self.interval;
        }
    }

    fn flip(&mut self, now: u64) {
        let Some(plan) = &self.plan else { return };
        let next = plan.sequence(self.next_flip);
        let end = plan.bound(next + 1);
        self.hand_over(Some(next - 1), self.next_flip);
        (self.sequence, self.since, self.next_flip) = (next, self.next_flip, end);
        if now < self.next_flip {
            self.spare = self.returned.try_recv().ok();
        }
    }

    /// Records what came of an operation of a client library, or of an embedded database, with what
    /// was said of it if it failed.
    pub fn record_said(
        &mut self,
        kind: impl Into<Kind>,
        outcome: Outcome,
        response: u64,
        service: Option<u64>,
        now: u64,
    ) {
        let kind = kind.into();
        if let Outcome::Error(error) = outcome {
            self.keep_said(kind, error, now);
        }
        self.current.record(kind, outcome, response, service);
    }

    #[cold]
    fn keep_said(&mut self, operation: Kind, kind: ErrorKind, now: u64) {
        said::take(kind, |words| self.current.say(operation, kind, now, words.as_bytes()));
    }

    fn hand_over(&mut self, through: Option<u64>, end: u64) {
        let thread = cpu_time(UsageWho::RUSAGE_THREAD);
        self.current.thread_cpu = difference(thread, self.thread_cpu);
        self.thread_cpu = thread;
        if self.shard == 0 {
            let process = cpu_time(UsageWho::RUSAGE_SELF);
            self.current.process_cpu = Some(difference(process, self.process_cpu));
            self.process_cpu = process;
        }
        let next = self.take_spare();
        let recorder = std::mem::replace(&mut self.current, next);
        let (shard, sequence) = (self.shard, self.sequence);
        // A coordinator that is gone needs no report; the stop flag ends this shard.
        let _ = self.reports.send(Report::Interval { shard, sequence, through, end, recorder });
    }

    /// Ends the phase: hands over what is left.
    pub fn finish(&mut self, end: u64) {
        self.turn(end);
        self.hand_over(None, end);
        self.next_flip = u64::MAX;
        let _ = self.reports.send(Report::Done { shard: self.shard, end });
    }
}
