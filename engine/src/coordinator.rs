//! The coordinator: sends the shards through the phases, merges what they hand over, writes events.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender};
use std::time::Duration;

use weighhouse_driver_api::Counts;

use crate::clock::{Clock, from_seconds};
use crate::event::{EventWriter, SelfMeasured, Span};
use crate::input::Gos;
use crate::machine::StealMeter;
use crate::order::{Load, Order, PhaseKind};
use crate::plan::{Failure, PhasePlan, Report, clients, share};
use crate::recorder::{Due, Recorder};

/// From telling the shards to the phase's start, ns, so that all start together.
const LEAD: u64 = 2_000_000;
/// The same of a phase whose begin was told beforehand.
const HELD_LEAD: u64 = 20_000_000;
/// How often a held driver looks whether it is to end.
const LOOK: Duration = Duration::from_millis(20);

/// Limits beyond which the driver itself may be what was measured.
mod limit {
    /// Processor time of a shard's thread, share of one processor; in a closed loop.
    pub(super) const CPU: f64 = 0.90;
    /// 99th percentile of lag against that of response time; in an open loop.
    pub(super) const LAG: f64 = 0.10;
    /// 99th percentile of loop delay against that of response time.
    pub(super) const LOOP_DELAY: f64 = 0.50;
    /// Stolen processor time, percent.
    pub(super) const STEAL: f64 = 5.0;
}

/// The coordinator's side of a shard.
pub(crate) struct Seat {
    pub(crate) plans: Sender<PhasePlan>,
    pub(crate) returned: Sender<Box<Recorder>>,
}

/// When a phase begins.
enum Begin {
    /// As soon as all shards know of it.
    Next,
    /// At a moment of this clock, which may have passed.
    At(i128),
    /// Not any more.
    Never,
}

/// How a run ended.
#[derive(Debug)]
pub(crate) enum Ended {
    /// All phases are done.
    Finished,
    /// Somebody asked to stop.
    Interrupted,
    /// It could not go on.
    Failed(Failure),
}

pub(crate) struct Coordinator<W> {
    pub(crate) clock: Clock,
    /// When phases begin, for a driver that is held.
    pub(crate) gos: Option<Gos>,
    pub(crate) order: Arc<Order>,
    pub(crate) events: EventWriter<W>,
    pub(crate) seats: Vec<Seat>,
    pub(crate) reports: Receiver<Report>,
    pub(crate) stop: Arc<AtomicBool>,
    /// The database runs in the driver's own threads.
    pub(crate) embedded: bool,
    /// Asks it what it counted.
    pub(crate) count: Option<Count>,
}

/// Asks a system in the process for its counters.
pub(crate) type Count = Box<dyn Fn() -> Option<Counts>>;

/// What came from the shards in a phase.
struct Ledger {
    /// Intervals not yet written, by their number: when they ended, and what is merged so far.
    open: BTreeMap<u64, (u64, Box<Recorder>)>,
    /// Up to which interval each shard has reported.
    through: Vec<Option<u64>>,
    done: Vec<bool>,
    end: u64,
    totals: Recorder,
    shard_cpu: Vec<u64>,
    steal: Vec<f64>,
}

impl Ledger {
    fn new(shards: usize) -> Self {
        Self {
            open: BTreeMap::new(),
            through: vec![None; shards],
            done: vec![false; shards],
            end: 0,
            totals: Recorder::default(),
            shard_cpu: vec![0; shards],
            steal: Vec::new(),
        }
    }

    fn all_done(&self) -> bool {
        self.done.iter().all(|&done| done)
    }

    /// Whether no shard will report anything of an interval any more.
    fn is_complete(&self, sequence: u64) -> bool {
        self.through
            .iter()
            .zip(&self.done)
            .all(|(through, &done)| done || through.is_some_and(|through| through >= sequence))
    }
}

impl<W: Write> Coordinator<W> {
    /// Runs all phases.
    ///
    /// # Errors
    /// When the events can no longer be written.
    pub(crate) fn run(&mut self) -> io::Result<Ended> {
        for index in 0..self.order.phases.len() {
            let at = match self.awaited(index) {
                Ok(Begin::Next) => None,
                Ok(Begin::At(at)) => Some(at),
                Ok(Begin::Never) => return self.leave_out(index).map(|()| Ended::Interrupted),
                Err(failure) => return Ok(Ended::Failed(failure)),
            };
            if let Some(failure) = self.phase(index, at)? {
                return Ok(Ended::Failed(failure));
            }
        }
        let stopped = self.stop.load(Ordering::Relaxed);
        Ok(if stopped { Ended::Interrupted } else { Ended::Finished })
    }

    fn counted(&self) -> Option<Counts> {
        self.count.as_ref().and_then(|count| count())
    }

    fn stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// When a phase begins. A driver that is held waits here until it is told, and then until shortly
    /// before.
    fn awaited(&self, index: usize) -> Result<Begin, Failure> {
        let wrong =
            |message: String| Failure::new("invalid", message, "phases begin in their order");
        let Some(gos) = &self.gos else {
            return Ok(if self.stopped() { Begin::Never } else { Begin::Next });
        };
        let at_us = loop {
            if self.stopped() {
                return Ok(Begin::Never);
            }
            match gos.recv_timeout(LOOK) {
                Ok(Ok(go)) if go.go == index => break go.at_us,
                Ok(Ok(go)) => {
                    let other = go.go;
                    return Err(wrong(format!(
                        "standard input: phase {other} is to begin where phase {index} is awaited"
                    )));
                }
                Ok(Err(message)) => return Err(wrong(message)),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Ok(Begin::Never),
            }
        };
        let at = self.clock.moment(at_us);
        loop {
            let left = at - i128::from(self.clock.now() + HELD_LEAD);
            if self.stopped() {
                return Ok(Begin::Never);
            }
            let Ok(left) = u64::try_from(left) else { return Ok(Begin::At(at)) };
            std::thread::sleep(Duration::from_nanos(left).min(LOOK));
        }
    }

    /// Tells of a held driver that a phase which was awaited will not begin.
    fn leave_out(&mut self, index: usize) -> io::Result<()> {
        if self.gos.is_none() {
            return Ok(());
        }
        let now = self.clock.now();
        let span = Span { phase: self.order.phases[index].kind, index, start: now, end: now };
        self.events.phase_finished(span, &Recorder::default(), &[], true, None)
    }

    /// Carries out a phase that begins at a moment, or else next.
    fn phase(&mut self, index: usize, at: Option<i128>) -> io::Result<Option<Failure>> {
        let phase = self.order.phases[index].clone();
        self.events.phase_started(phase.kind, index)?;
        let before = self.counted();
        let interval = from_seconds(self.order.interval_seconds);
        let now = self.clock.now();
        let begins = at.unwrap_or_else(|| i128::from(now + LEAD));
        // What began before this clock did has the same bounds of intervals as if it had begun with
        // the first of them that this clock knows.
        let start = u64::try_from(begins)
            .or_else(|_| u64::try_from(begins.rem_euclid(i128::from(interval))))
            .unwrap_or_default();
        let ends = |limit: f64| begins + i128::from(from_seconds(limit));
        let ends = |limit: f64| u64::try_from(ends(limit).max(0)).unwrap_or(u64::MAX);
        let operations = phase.operation_count.unwrap_or(u64::MAX);
        let plan = PhasePlan {
            kind: phase.kind,
            index,
            start,
            begin: start.max(now),
            deadline: phase.duration_seconds.map_or(u64::MAX, ends),
            operations,
            operations_of_all: operations,
            clients: clients(&self.order, index),
            interval,
            open: phase.kind != PhaseKind::Load && matches!(self.order.load, Load::Open { .. }),
        };
        let shards = self.seats.len();
        for (shard, seat) in self.seats.iter().enumerate() {
            let sharing = if self.embedded { plan.clients } else { shards };
            let mut plan = plan.clone();
            if phase.operation_count.is_some() {
                plan.operations =
                    if shard < sharing { share(operations, shard, sharing) } else { 0 };
            }
            // A shard that has ended says why in a report.
            let _ = seat.plans.send(plan);
        }
        let mut ledger = Ledger::new(shards);
        let mut steal = StealMeter::default();
        steal.percent();
        while !ledger.all_done() {
            match self.reports.recv() {
                Ok(Report::Interval { shard, sequence, through, end, recorder }) => {
                    ledger.through[shard] = through.or(ledger.through[shard]);
                    self.take(&mut ledger, shard, (sequence, end), recorder);
                }
                Ok(Report::Done { shard, end }) => {
                    ledger.done[shard] = true;
                    ledger.end = ledger.end.max(end);
                }
                Ok(Report::Failed(failure)) => {
                    self.stop.store(true, Ordering::Relaxed);
                    return Ok(Some(failure));
                }
                Err(_) => {
                    return Ok(Some(Failure::new("internal", "all shards have ended", "")));
                }
            }
            self.write_complete(&plan, &mut ledger, &mut steal)?;
        }
        let interrupted = self.stop.load(Ordering::Relaxed);
        let begin = plan.begin;
        let span = Span { phase: plan.kind, index, start: begin, end: ledger.end.max(begin) };
        let reasons = self.client_bound(&plan, &ledger);
        let counted = before.zip(self.counted()).map(|(before, after)| after.since(&before));
        self.events.phase_finished(
            span,
            &ledger.totals,
            &reasons,
            interrupted,
            counted.as_ref(),
        )?;
        Ok(None)
    }

    fn take(
        &self,
        ledger: &mut Ledger,
        shard: usize,
        (sequence, end): (u64, u64),
        mut recorder: Box<Recorder>,
    ) {
        ledger.shard_cpu[shard] += recorder.thread_cpu.0 + recorder.thread_cpu.1;
        if let Some((latest, merged)) = ledger.open.get_mut(&sequence) {
            *latest = end.max(*latest);
            merged.add(&recorder);
            recorder.clear();
            let _ = self.seats[shard].returned.send(recorder);
        } else {
            ledger.open.insert(sequence, (end, recorder));
        }
    }

    /// Writes the intervals that are complete, in order.
    fn write_complete(
        &mut self,
        plan: &PhasePlan,
        ledger: &mut Ledger,
        steal: &mut StealMeter,
    ) -> io::Result<()> {
        while let Some((&sequence, _)) = ledger.open.first_key_value() {
            if !ledger.is_complete(sequence) {
                return Ok(());
            }
            let Some((end, mut recorder)) = ledger.open.remove(&sequence) else { return Ok(()) };
            ledger.totals.add(&recorder);
            let start = plan.bound(sequence).max(plan.begin);
            let drain = plan.drains(start);
            if drain && recorder.is_empty() {
                let _ = self.seats[0].returned.send(recorder);
                continue;
            }
            // A shard may count into its last interval what returned a little later.
            let next = ledger.open.first_key_value().map(|(&next, _)| plan.bound(next));
            let end = end.min(next.unwrap_or(u64::MAX)).max(start);
            let stolen = steal.percent();
            ledger.steal.push(stolen);
            let measured = measured(&recorder, stolen);
            let span = Span { phase: plan.kind, index: plan.index, start, end };
            let due = self.due(plan, sequence, &recorder);
            self.events.interval(span, (sequence, drain), &recorder, due, &measured)?;
            recorder.clear();
            let shard = usize::try_from(sequence).unwrap_or_default() % self.seats.len();
            let _ = self.seats[shard].returned.send(recorder);
        }
        Ok(())
    }

    /// Of an open loop: when the intervals began, unix time µs, in which operations were due that were
    /// begun or given up in this one, and how many.
    fn due(&self, plan: &PhasePlan, sequence: u64, recorder: &Recorder) -> Vec<(u64, Due)> {
        let mut due = recorder.late.clone();
        if recorder.in_time > 0 {
            due.entry(sequence).or_default().begun += recorder.in_time;
        }
        let begins = |sequence| self.clock.unix_us(plan.bound(sequence).max(plan.begin));
        due.into_iter().map(|(sequence, due)| (begins(sequence), due)).collect()
    }

    /// Why the phase may have measured the driver rather than the server.
    fn client_bound(&self, plan: &PhasePlan, ledger: &Ledger) -> Vec<String> {
        let mut reasons = Vec::new();
        let response = ledger.totals.responses().quantile(0.99) as f64;
        let elapsed = ledger.end.saturating_sub(plan.begin).max(1) as f64;
        let open = ledger.totals.lag.count() > 0;
        let busiest = ledger.shard_cpu.iter().max().copied().unwrap_or_default() as f64 / elapsed;
        // In an open loop the last stretch before an operation is spent spinning.
        let paced = matches!(self.order.load, Load::Closed { .. }) || !open;
        if paced && !self.embedded && busiest > limit::CPU {
            let used = ledger.shard_cpu.iter().sum::<u64>() as f64 / elapsed;
            reasons.push(format!(
                "driver_cpu: a shard used {:.0} % of its processor, limit {:.0} %; {}",
                busiest * 100.0,
                limit::CPU * 100.0,
                threads_that_would_do(used, self.seats.len(), plan.clients)
            ));
        }
        let own_lag = ledger.totals.own_lag.quantile(0.99) as f64;
        if open && own_lag > limit::LAG * response {
            reasons.push(format!(
                "pacing_lag: p99 {:.0} us late, limit {:.0} % of the response time's p99 of {:.0} us",
                own_lag / 1000.0,
                limit::LAG * 100.0,
                response / 1000.0
            ));
        }
        let delay = ledger.totals.loop_delay.quantile(0.99) as f64;
        if response > 0.0 && delay > limit::LOOP_DELAY * response {
            reasons.push(format!(
                "loop_delay: p99 {:.0} us, limit {:.0} % of the response time's p99 of {:.0} us",
                delay / 1000.0,
                limit::LOOP_DELAY * 100.0,
                response / 1000.0
            ));
        }
        let steal = ledger.steal.iter().sum::<f64>() / ledger.steal.len().max(1) as f64;
        if steal > limit::STEAL {
            reasons
                .push(format!("steal: {steal:.1} % of processor time, limit {} %", limit::STEAL));
        }
        reasons
    }
}

/// How many threads it takes, by the processor time that so many used. What they would do with more is
/// known only from below: who is out of breath does not show how far it would run.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // a few processors
fn threads_that_would_do(used: f64, threads: usize, clients: usize) -> String {
    let least = ((used / limit::CPU).ceil() as usize).max(threads + 1);
    match (threads, clients) {
        (_, 1) => "one client is one thread's work: only a faster processor helps".to_owned(),
        _ if threads >= clients => {
            format!("its {clients} clients have a thread each: only a faster processor helps")
        }
        _ => format!(
            "{} threads or more would do in place of {threads} (placement.drivers.threads)",
            least.min(clients)
        ),
    }
}

/// What the shards measured of themselves, as an event tells it.
fn measured(recorder: &Recorder, steal_percent: f64) -> SelfMeasured {
    let (user, system) = recorder.process_cpu.unwrap_or(recorder.thread_cpu);
    let open = recorder.lag.count() > 0;
    SelfMeasured {
        cpu_us: (user + system) / 1000,
        user_us: user / 1000,
        system_us: system / 1000,
        lag: open.then(|| recorder.lag.encode()),
        loop_delay_p99_us: recorder.loop_delay.quantile(0.99) as f64 / 1000.0,
        steal_percent,
        in_flight_max: recorder.in_flight_most,
        reconnects: recorder.reconnects,
        saturated: recorder.saturated,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_of_threads_is_named_where_there_are_clients_for_them() {
        let said = |used, threads, clients| threads_that_would_do(used, threads, clients);
        assert!(said(0.97, 1, 8).starts_with("2 threads or more would do in place of 1"));
        assert!(said(3.9, 4, 64).starts_with("5 threads or more"));
        assert!(said(7.9, 8, 64).starts_with("9 threads or more"));
        // Unevenly used: one more than there are.
        assert!(said(1.1, 2, 64).starts_with("3 threads or more"));
        assert!(said(1.9, 2, 3).starts_with("3 threads"));
        assert!(said(1.9, 2, 2).contains("a thread each"));
        assert!(said(0.99, 1, 1).contains("one client"));
    }
}
