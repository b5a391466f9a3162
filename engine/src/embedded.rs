//! Load on a database inside the process: each client is a thread that calls it.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Receiver;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use weighhouse_driver_api::{
    Fields, Operation, Outcome, Session, Stopwatch, ValueSource, Verifier,
};

use crate::book::Book;
use crate::clock::Clock;
use crate::composer::{Composer, fills, first_part};
use crate::kind::Kind;
use crate::net::Schedule;
use crate::order::{Load, Order, PhaseKind};
use crate::plan::PhasePlan;
use crate::supply::{Source, Supply};
use crate::workload::{Acknowledged, InsertNumbers, LoadStream, OperationStream, Place, Step};

/// Longest sleep, ns, so that the stop flag is seen soon.
const LONGEST_SLEEP: u64 = 50_000_000;
/// The last stretch before an operation is due is spent without sleeping, ns.
const SPIN: u64 = 40_000;
/// Timer slack of a thread, ns.
const TIMER_SLACK: u64 = 1_000;

/// Due times of an open loop that all threads take from: whichever is free first takes the next.
#[derive(Debug)]
pub(crate) struct Shared {
    schedule: Schedule,
    left: u64,
    deadline: u64,
}

impl Shared {
    /// Due times of a phase.
    #[must_use]
    pub(crate) fn new(schedule: Schedule, operations: u64, deadline: u64) -> Self {
        Self { schedule, left: operations, deadline }
    }

    /// When the next operation is due, and of what kind it is where that is not left to the mix.
    fn take(&mut self) -> Option<(u64, Option<Operation>)> {
        let due = self.schedule.next();
        let operation = self.schedule.operation();
        if self.left == 0 || due >= self.deadline {
            return None;
        }
        self.left -= 1;
        self.schedule.advance();
        Some((due, operation))
    }
}

/// When an operation began and ended.
struct Watch {
    clock: Clock,
    began: u64,
    ended: u64,
}

impl Stopwatch for Watch {
    fn begin(&mut self) {
        self.began = self.clock.now();
    }

    fn end(&mut self) {
        self.ended = self.clock.now();
    }
}

/// What a thread is made of.
pub(crate) struct SeatSetup<S> {
    /// Which one of how many.
    pub(crate) shard: (usize, usize),
    /// The whole order.
    pub(crate) order: Arc<Order>,
    /// Its way into the database.
    pub(crate) session: S,
    /// How late an operation of an open loop may begin after the phase's end, ns.
    pub(crate) timeout: u64,
    /// The driver's clock.
    pub(crate) clock: Clock,
    /// Values, the same for all threads.
    pub(crate) values: Arc<ValueSource>,
    /// Inserted numbers, shared by all.
    pub(crate) acknowledged: Arc<Acknowledged>,
    /// Where to record.
    pub(crate) book: Book,
    /// Set when the driver is to end.
    pub(crate) stop: Arc<AtomicBool>,
    /// Due times of the running phase, shared by all; set by whoever begins it first.
    pub(crate) arrivals: Arc<Mutex<Option<(usize, Shared)>>>,
}

/// A thread that makes load.
pub(crate) struct Seat<S> {
    setup: SeatSetup<S>,
    composer: Composer,
    inserts: Option<InsertNumbers>,
    supply: Supply,
    spin: u64,
}

impl<S: Session> Seat<S> {
    /// A thread's part; call [`Seat::run`] in it.
    #[must_use]
    pub(crate) fn new(setup: SeatSetup<S>) -> Self {
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        Self {
            composer: Composer::new(&setup.order.workload, Arc::clone(&setup.values)),
            inserts: Some(InsertNumbers::new(Arc::clone(&setup.acknowledged))),
            supply: Supply::idle(),
            // Threads that spin keep others from running when processors are few.
            spin: if processors > setup.shard.1 { SPIN } else { 0 },
            setup,
        }
    }

    /// Carries out phases until there are no more.
    pub(crate) fn run(mut self, plans: &Receiver<PhasePlan>) {
        let _ = nix::sys::prctl::set_timerslack(TIMER_SLACK);
        while let Ok(plan) = plans.recv() {
            self.phase(&plan);
        }
    }

    fn phase(&mut self, plan: &PhasePlan) {
        let order = Arc::clone(&self.setup.order);
        let (shard, shards) = self.setup.shard;
        let place = Place { shard: shard as u64, shards: plan.clients as u64, share: order.share };
        let loads = plan.kind == PhaseKind::Load;
        let source = if shard >= plan.clients {
            Source::Idle
        } else if loads {
            Source::Load(LoadStream::new(&order.workload, place))
        } else {
            let inserts = self.inserts.take().unwrap_or_else(|| unreachable!("between phases"));
            Source::Run(Box::new(OperationStream::new(&order, plan.index, place, inserts)))
        };
        let open = order.load.arrivals().filter(|_| !loads);
        let mut limits = plan.clone();
        if let Some(asked) = &open {
            // The shared due times hold the limits.
            (limits.operations, limits.deadline) = (u64::MAX, u64::MAX);
            let seed = (order.seed, plan.index as u64);
            let mut arrivals = self.arrivals();
            if arrivals.as_ref().is_none_or(|(index, _)| *index != plan.index) {
                let all = Place { shard: 0, shards: 1, ..place };
                let schedule = Schedule::new(asked, (plan.start, plan.begin), all, seed);
                let all = Shared::new(schedule, plan.operations_of_all, plan.deadline);
                *arrivals = Some((plan.index, all));
            }
        }
        let verify = (order.seed, order.workload.verify_fraction);
        self.supply = Supply::new(source, &limits, place, verify);
        let occurring = plan.kinds_that_occur(&order);
        self.setup.book.begin(plan, occurring);
        debug_assert!(shard < shards);
        self.sleep_until(plan.begin);
        if shard >= plan.clients {
            // Only here to hand over intervals.
        } else if open.is_some() {
            self.open_loop(plan);
        } else {
            let think = match order.load {
                Load::Closed { think_time_us, .. } if !loads => think_time_us * 1000,
                _ => 0,
            };
            self.closed_loop(think);
        }
        self.setup.book.finish(self.setup.clock.now());
        let spent = std::mem::replace(&mut self.supply, Supply::idle());
        if let Source::Run(stream) = spent.into_source() {
            self.inserts = Some(stream.into_inserts());
        }
    }

    fn arrivals(&self) -> std::sync::MutexGuard<'_, Option<(usize, Shared)>> {
        self.setup.arrivals.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn stopped(&self) -> bool {
        self.setup.stop.load(Ordering::Relaxed)
    }

    fn closed_loop(&mut self, think: u64) {
        let mut now = self.setup.clock.now();
        while !self.stopped() {
            let Some(step) = self.supply.take(now) else { return };
            let (outcome, _, done) = self.execute(&step);
            self.setup.book.turn(done);
            self.setup.book.recorder().in_flight_most = 1;
            // From when this client may ask, which is when it had the answer before: what the driver
            // does until it calls the database is time that the client waits too.
            let took = done.saturating_sub(now);
            self.setup.book.record_said(step.operation, outcome, took, None, done);
            now = done;
            if let Some((outcome, _, filled)) = self.fill(&step, outcome) {
                self.setup.book.turn(filled);
                let took = filled.saturating_sub(done);
                self.setup.book.record_said(Kind::Fill, outcome, took, None, filled);
                now = filled;
            }
            if think > 0 {
                now = self.sleep_until(now + think);
            }
        }
    }

    fn open_loop(&mut self, plan: &PhasePlan) {
        while !self.stopped() {
            let next = self.arrivals().as_mut().and_then(|(_, arrivals)| arrivals.take());
            let Some((due, operation)) = next else {
                if plan.deadline != u64::MAX {
                    self.sleep_until(plan.deadline);
                }
                return;
            };
            let now = self.setup.clock.now();
            let held = now > due;
            let now = if held { now } else { self.sleep_until(due) };
            let Some(step) = self.supply.take_of(due, operation) else { return };
            self.setup.book.turn(now);
            if now.saturating_sub(self.setup.timeout) > plan.deadline {
                self.setup.book.give_up(step.operation, due);
                if step.operation == Operation::Insert {
                    self.supply.settle(step.number, false);
                }
                continue;
            }
            self.setup.book.begun(due);
            let (outcome, sent, done) = self.execute(&step);
            self.setup.book.turn(done);
            let recorder = self.setup.book.recorder();
            recorder.in_flight_most = 1;
            recorder.saturated |= held;
            let lag = sent.saturating_sub(due);
            recorder.lag.record(lag);
            if !held {
                recorder.own_lag.record(lag);
            }
            let service = Some(done.saturating_sub(sent));
            let response = done.saturating_sub(due);
            self.setup.book.record_said(step.operation, outcome, response, service, done);
            if let Some((outcome, sent, filled)) = self.fill(&step, outcome) {
                self.setup.book.turn(filled);
                let service = Some(filled.saturating_sub(sent));
                let response = filled.saturating_sub(done);
                self.setup.book.record_said(Kind::Fill, outcome, response, service, filled);
            }
        }
    }

    /// Does an operation; what came of it, when it began and when it was done.
    fn execute(&mut self, step: &Step) -> (Outcome, u64, u64) {
        let reads = first_part(step.operation) == Operation::Read;
        let verifier = Verifier::new(&self.setup.values, step.number);
        let verifier = (reads && self.supply.verifies()).then_some(&verifier);
        let request = self.composer.request(step, &mut self.supply);
        let mut watch = Watch { clock: self.setup.clock, began: 0, ended: 0 };
        let mut outcome = self.setup.session.execute(&request, verifier, &mut watch);
        let sent = watch.began;
        if step.operation == Operation::ReadModifyWrite && !matches!(outcome, Outcome::Error(_)) {
            let request = self.composer.single(
                Operation::Update,
                step.number,
                step.written(),
                &mut self.supply,
            );
            let updated = self.setup.session.execute(&request, None, &mut watch);
            outcome = if updated == Outcome::Ok { outcome } else { updated };
        }
        let done = watch.ended;
        if step.operation == Operation::Insert {
            self.supply.settle(step.number, outcome == Outcome::Ok);
        }
        (outcome, sent, done)
    }

    /// Writes what a read did not find, where that is asked for; as [`Seat::execute`].
    fn fill(&mut self, read: &Step, found: Outcome) -> Option<(Outcome, u64, u64)> {
        if !fills(&self.setup.order, read, found) {
            return None;
        }
        let (insert, all) = (Operation::Insert, Fields::All);
        let request = self.composer.single(insert, read.number, all, &mut self.supply);
        let mut watch = Watch { clock: self.setup.clock, began: 0, ended: 0 };
        let outcome = self.setup.session.execute(&request, None, &mut watch);
        Some((outcome, watch.began, watch.ended))
    }

    /// Waits for a moment, handing over intervals meanwhile; what time it is then.
    fn sleep_until(&mut self, moment: u64) -> u64 {
        loop {
            let now = self.setup.clock.now();
            if now >= moment || self.stopped() {
                return now;
            }
            self.setup.book.turn(now);
            let left = moment - now;
            if left > self.spin {
                let nap = (left - self.spin).min(LONGEST_SLEEP);
                std::thread::sleep(Duration::from_nanos(nap));
            } else {
                std::hint::spin_loop();
            }
        }
    }
}
