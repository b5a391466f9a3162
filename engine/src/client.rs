//! Load through a client library: a shard is one thread with a runtime of its own, on which every
//! operation under way is a task.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::task::LocalSet;
use weighhouse_driver_api::{
    ClientDriver, ErrorKind, Fields, Keys, Operation, Options, Outcome, Payload, Request,
    ValueSource, Verifier, Way,
};

use crate::book::Book;
use crate::clock::{Clock, SECOND};
use crate::kind::Kind;
use crate::net::Schedule;
use crate::order::{Load, Order, PhaseKind};
use crate::pacer::{Pacer, internal};
use crate::plan::{Failure, PhasePlan, share};
use crate::supply::{Source, Supply};
use crate::wakes::{Attended, attend};
use crate::workload::{
    Acknowledged, InsertNumbers, KeyMaker, LoadStream, OperationStream, Place, Step,
};

/// Longest sleep, ns, so that the stop flag is seen and intervals are handed over soon.
const LONGEST_SLEEP: u64 = 50_000_000;
/// Closed loop: how long a client pauses that found no way to the server. A library that has given a
/// server up says so a million times a second.
const FAILURE_PAUSE: Duration = Duration::from_millis(10);
/// Timer slack of a shard's thread, ns.
const TIMER_SLACK: u64 = 1_000;
/// How long what is under way may still return after an interrupt, ns.
const INTERRUPT_PATIENCE: u64 = 2 * SECOND;
/// Operations that are due go out in batches, between which replies are taken in.
const BATCH: usize = 64;

/// What a shard is made of.
pub(crate) struct ClientSetup {
    /// Which one of how many.
    pub(crate) shard: (usize, usize),
    /// The whole order.
    pub(crate) order: Arc<Order>,
    /// Where the servers are.
    pub(crate) way: Arc<Way>,
    /// The driver's own options.
    pub(crate) options: Options,
    /// How long an operation may take, ns.
    pub(crate) timeout: u64,
    /// The driver's clock.
    pub(crate) clock: Clock,
    /// Values, the same for all shards.
    pub(crate) values: Arc<ValueSource>,
    /// Inserted numbers, shared by all.
    pub(crate) acknowledged: Arc<Acknowledged>,
    /// Where to record.
    pub(crate) book: Book,
    /// Set when the driver is to end.
    pub(crate) stop: Arc<AtomicBool>,
}

/// What the tasks of a shard share.
struct State {
    book: Book,
    supply: Supply,
    in_flight: usize,
    open: bool,
    /// When any operation ended last.
    heard: u64,
}

/// A shard at work.
struct Shard<D> {
    driver: D,
    setup: Setup,
    keys: KeyMaker,
    state: RefCell<State>,
    /// Rings when an operation has ended.
    ended: Notify,
}

/// The parts of [`ClientSetup`] that do not change.
struct Setup {
    shard: (usize, usize),
    order: Arc<Order>,
    timeout: u64,
    clock: Clock,
    values: Arc<ValueSource>,
    stop: Arc<AtomicBool>,
}

/// How an operation ended.
struct Done {
    outcome: Outcome,
    at: u64,
    /// Others had their turn while it was under way.
    waited: bool,
}

/// An operation with buffers of its own.
struct Drawn {
    /// As what it is recorded.
    kind: Kind,
    step: Step,
    due: u64,
    held: bool,
    verify: bool,
    version: u64,
    key: Vec<u8>,
    more_keys: Keys,
}

/// Starts a shard's work: what a thread has to call. The layout of records comes through `ready`
/// once the driver is connected, or why it is not.
pub(crate) fn work<D: ClientDriver>(
    setup: ClientSetup,
    plans: Receiver<PhasePlan>,
    ready: Sender<Result<&'static str, Failure>>,
) -> impl FnOnce() -> Result<(), Failure> + Send {
    move || {
        let _ = nix::sys::prctl::set_timerslack(TIMER_SLACK);
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(|error| internal(&error))?;
        LocalSet::new().block_on(&runtime, serve::<D>(setup, plans, ready))
    }
}

async fn serve<D: ClientDriver>(
    setup: ClientSetup,
    plans: Receiver<PhasePlan>,
    ready: Sender<Result<&'static str, Failure>>,
) -> Result<(), Failure> {
    let order = Arc::clone(&setup.order);
    let (shard, shards) = setup.shard;
    let shape = order.shape();
    let clients = share(order.most_clients() as u64, shard, shards);
    let clients = usize::try_from(clients).unwrap_or(usize::MAX);
    let connected = D::connect(&setup.way, &shape, &setup.options, clients.max(1)).await;
    let driver = match connected {
        Ok(driver) => driver,
        Err(failed) => {
            // Whoever waits for it reports it.
            let _ = ready.send(Err(Failure::new("connection", failed.message, failed.hint)));
            return Ok(());
        }
    };
    let _ = ready.send(Ok(driver.layout()));
    let shard = Rc::new(Shard {
        driver,
        keys: KeyMaker::new(&order.workload),
        state: RefCell::new(State {
            book: setup.book,
            supply: Supply::idle(),
            in_flight: 0,
            open: false,
            heard: 0,
        }),
        ended: Notify::new(),
        setup: Setup {
            shard: setup.shard,
            order,
            timeout: setup.timeout,
            clock: setup.clock,
            values: setup.values,
            stop: setup.stop,
        },
    });
    let mut pacer = Pacer::new(shard.setup.clock).map_err(|error| internal(&error))?;
    let mut inserts = InsertNumbers::new(setup.acknowledged);
    let mut inbox = inbox(plans);
    while let Some(plan) = inbox.recv().await {
        inserts = shard.phase(&plan, inserts, &mut pacer).await?;
    }
    Ok(())
}

/// Plans as the runtime can wait for them: connections are kept alive meanwhile.
fn inbox(plans: Receiver<PhasePlan>) -> tokio::sync::mpsc::UnboundedReceiver<PhasePlan> {
    let (sender, inbox) = tokio::sync::mpsc::unbounded_channel();
    std::thread::spawn(move || {
        while let Ok(plan) = plans.recv() {
            if sender.send(plan).is_err() {
                return;
            }
        }
    });
    inbox
}

impl<D: ClientDriver> Shard<D> {
    fn now(&self) -> u64 {
        self.setup.clock.now()
    }

    fn stopped(&self) -> bool {
        self.setup.stop.load(Ordering::Relaxed)
    }

    async fn phase(
        self: &Rc<Self>,
        plan: &PhasePlan,
        inserts: InsertNumbers,
        pacer: &mut Pacer,
    ) -> Result<InsertNumbers, Failure> {
        let order = &self.setup.order;
        let (shard, shards) = self.setup.shard;
        let place = Place { shard: shard as u64, shards: shards as u64, share: order.share };
        let loads = plan.kind == PhaseKind::Load;
        let (source, mut kept) = if loads {
            (Source::Load(LoadStream::new(&order.workload, place)), Some(inserts))
        } else {
            let stream = OperationStream::new(order, plan.index, place, inserts);
            (Source::Run(Box::new(stream)), None)
        };
        let arrivals = order.load.arrivals().filter(|_| !loads);
        {
            let mut state = self.state.borrow_mut();
            let verify = (order.seed, order.workload.verify_fraction);
            state.supply = Supply::new(source, plan, place, verify);
            state.book.begin(plan, plan.kinds_that_occur(order));
            state.open = arrivals.is_some();
        }
        pacer.until(plan.begin).await?;
        self.state.borrow_mut().heard = self.now();
        if let (Some(arrivals), Load::Open { max_in_flight, .. }) = (&arrivals, &order.load) {
            let seed = (order.seed, plan.index as u64);
            let schedule = Schedule::new(arrivals, (plan.start, plan.begin), place, seed);
            let cap = share(*max_in_flight as u64, shard, shards).max(1);
            let cap = usize::try_from(cap).unwrap_or(usize::MAX);
            self.open_loop(plan, schedule, cap, pacer).await?;
        } else {
            self.closed_loop(plan, loads, pacer).await?;
        }
        let mut state = self.state.borrow_mut();
        state.book.finish(self.now());
        let spent = std::mem::replace(&mut state.supply, Supply::idle());
        if let Source::Run(stream) = spent.into_source() {
            kept = Some(stream.into_inserts());
        }
        Ok(kept.unwrap_or_else(|| unreachable!("a phase gives back what it took")))
    }

    /// Draws what an operation needs; none when there is none to draw.
    fn draw(&self, due: u64, operation: Option<Operation>, held: bool) -> Option<Drawn> {
        let mut state = self.state.borrow_mut();
        let step = state.supply.take_of(due, operation)?;
        let asked = crate::composer::first_part(step.operation);
        let version = if step.operation == Operation::ReadModifyWrite || asked.writes() {
            state.supply.version()
        } else {
            0
        };
        let (mut key, mut more_keys) = (Vec::new(), Keys::NONE);
        if asked == Operation::Read {
            for _ in 1..self.setup.order.workload.keys_per_read {
                self.keys.write(state.supply.another(), &mut key);
                more_keys.push(&key);
            }
        }
        self.keys.write(step.number, &mut key);
        let verify = asked == Operation::Read && state.supply.verifies();
        state.in_flight += 1;
        let under_way = state.in_flight;
        let recorder = state.book.recorder();
        recorder.in_flight_most = recorder.in_flight_most.max(under_way);
        let kind = step.operation.into();
        Some(Drawn { kind, step, due, held, verify, version, key, more_keys })
    }

    /// The write that follows a read, where it found nothing and that is asked for. It begins now, and
    /// no schedule has it.
    fn fill_of(&self, read: &Drawn, done: &Done) -> Option<Drawn> {
        if !crate::composer::fills(&self.setup.order, &read.step, done.outcome) {
            return None;
        }
        let mut state = self.state.borrow_mut();
        state.in_flight += 1;
        Some(Drawn {
            kind: Kind::Fill,
            step: Step::insert(read.step.number),
            due: done.at,
            held: false,
            verify: false,
            version: state.supply.version(),
            key: read.key.clone(),
            more_keys: Keys::NONE,
        })
    }

    /// Does an operation and records what came of it. Its time begins when the answer before it came
    /// (`answered`), where a client goes on without a pause: what lies between the two is the
    /// driver's work and the wait for a turn, and whoever asks waits for that too.
    async fn execute(&self, drawn: &Drawn, answered: Option<u64>) -> Done {
        let step = &drawn.step;
        let sent = answered.unwrap_or_else(|| self.now());
        if self.state.borrow().open && drawn.kind != Kind::Fill {
            let lag = sent.saturating_sub(drawn.due);
            let mut state = self.state.borrow_mut();
            state.book.recorder().lag.record(lag);
            if !drawn.held {
                state.book.recorder().own_lag.record(lag);
            }
        }
        let limit = Duration::from_nanos(self.setup.timeout);
        let attended = tokio::time::timeout(limit, attend(self.setup.clock, self.ask(drawn))).await;
        let late = Outcome::Error(ErrorKind::Timeout);
        let attended = attended.unwrap_or(Attended { output: late, waited: true, delay: 0 });
        let Attended { output: outcome, waited, delay } = attended;
        let now = self.now();
        let mut state = self.state.borrow_mut();
        if waited {
            state.book.recorder().loop_delay.record(delay);
        }
        state.in_flight -= 1;
        state.heard = now;
        state.book.turn(now);
        let service = now.saturating_sub(sent);
        if state.open {
            let response = now.saturating_sub(drawn.due);
            state.book.record_said(drawn.kind, outcome, response, Some(service), now);
        } else {
            state.book.record_said(drawn.kind, outcome, service, None, now);
        }
        if drawn.kind == Kind::Asked(Operation::Insert) {
            state.supply.settle(step.number, outcome == Outcome::Ok);
        }
        Done { outcome, at: now, waited }
    }

    async fn ask(&self, drawn: &Drawn) -> Outcome {
        let step = &drawn.step;
        let request = |operation: Operation, fields: Fields| Request {
            operation,
            key: &drawn.key,
            more_keys: &drawn.more_keys,
            scan_length: step.scan_length(),
            fields,
            payload: Payload::new(&self.setup.values, step.number, drawn.version),
        };
        let verifier = Verifier::new(&self.setup.values, step.number);
        let verifier = drawn.verify.then_some(&verifier);
        let first = crate::composer::first_part(step.operation);
        let outcome = self.driver.execute(&request(first, step.fields), verifier).await;
        if step.operation != Operation::ReadModifyWrite || matches!(outcome, Outcome::Error(_)) {
            return outcome;
        }
        let update = request(Operation::Update, step.written());
        match self.driver.execute(&update, None).await {
            Outcome::Ok => outcome,
            failed => failed,
        }
    }

    /// Each client is a task that asks, waits for the answer, and asks again.
    async fn closed_loop(
        self: &Rc<Self>,
        plan: &PhasePlan,
        loads: bool,
        pacer: &mut Pacer,
    ) -> Result<(), Failure> {
        let (shard, shards) = self.setup.shard;
        let (pipeline, think) = match self.setup.order.load {
            Load::Closed { pipeline, think_time_us, .. } if !loads => {
                (pipeline, think_time_us * 1000)
            }
            _ => (1, 0),
        };
        let clients = share(plan.clients as u64, shard, shards);
        let clients = usize::try_from(clients).unwrap_or(usize::MAX).saturating_mul(pipeline);
        let mut tasks = tokio::task::JoinSet::new();
        for _ in 0..clients {
            let this = Rc::clone(self);
            tasks.spawn_local(async move { this.client(think).await });
        }
        let mut leave_at = u64::MAX;
        while !tasks.is_empty() {
            let wait = pacer.nap(self.now().saturating_add(LONGEST_SLEEP));
            let all = async { while tasks.join_next().await.is_some() {} };
            tokio::select! {
                () = all => {}
                () = wait => {}
            }
            let now = self.now();
            self.state.borrow_mut().book.turn(now);
            self.listen(plan, now)?;
            if leave_at == u64::MAX && self.stopped() {
                self.state.borrow_mut().supply.stop();
                leave_at = now + INTERRUPT_PATIENCE;
            }
            if now >= leave_at {
                tasks.abort_all();
            }
        }
        Ok(())
    }

    /// Whether there is nothing more to draw: a load may get a failed record back as long as any is
    /// under way.
    fn nothing_will_come(&self) -> bool {
        let state = self.state.borrow();
        state.in_flight == 0 || state.supply.is_spent(self.now())
    }

    async fn client(&self, think: u64) {
        let mut answered = None;
        loop {
            let begins = answered.unwrap_or_else(|| self.now());
            let Some(drawn) = self.draw(begins, None, false) else {
                if self.nothing_will_come() {
                    return;
                }
                tokio::time::sleep(Duration::from_millis(1)).await;
                answered = None;
                continue;
            };
            let mut done = self.execute(&drawn, answered).await;
            if let Some(fill) = self.fill_of(&drawn, &done) {
                done = self.execute(&fill, Some(done.at)).await;
            }
            answered = None;
            if done.outcome == Outcome::Error(ErrorKind::Connection) {
                tokio::time::sleep(FAILURE_PAUSE).await;
            } else if think > 0 {
                tokio::time::sleep(Duration::from_nanos(think)).await;
            } else {
                answered = Some(done.at);
                if !done.waited {
                    // A reply that is there at once must not keep others from their turn.
                    tokio::task::yield_now().await;
                    let delay = self.now().saturating_sub(done.at);
                    self.state.borrow_mut().book.recorder().loop_delay.record(delay);
                }
            }
        }
    }

    /// Operations go out when they are due.
    async fn open_loop(
        self: &Rc<Self>,
        plan: &PhasePlan,
        mut schedule: Schedule,
        cap: usize,
        pacer: &mut Pacer,
    ) -> Result<(), Failure> {
        let mut tasks = tokio::task::JoinSet::new();
        let (mut leave_at, mut held_until) = (u64::MAX, 0);
        loop {
            while tasks.try_join_next().is_some() {}
            let now = self.now();
            self.state.borrow_mut().book.turn(now);
            let mut blocked = false;
            for _ in 0..BATCH {
                let due = schedule.next();
                if due > now || self.state.borrow().supply.is_spent(due) {
                    break;
                }
                if self.state.borrow().in_flight >= cap {
                    self.state.borrow_mut().book.recorder().saturated = true;
                    (blocked, held_until) = (true, now);
                    break;
                }
                let held = due <= held_until;
                let Some(drawn) = self.draw(due, schedule.operation(), held) else { break };
                schedule.advance();
                self.state.borrow_mut().book.begun(due);
                let this = Rc::clone(self);
                tasks.spawn_local(async move {
                    let done = this.execute(&drawn, None).await;
                    if let Some(fill) = this.fill_of(&drawn, &done) {
                        this.execute(&fill, None).await;
                    }
                    this.ended.notify_one();
                });
            }
            let spent = self.state.borrow().supply.is_spent(schedule.next());
            if leave_at == u64::MAX && self.stopped() {
                self.state.borrow_mut().supply.stop();
                leave_at = now + INTERRUPT_PATIENCE;
            }
            let over = spent && (plan.deadline <= now || self.state.borrow().supply.is_spent(0));
            if (over && self.state.borrow().in_flight == 0) || now >= leave_at {
                tasks.abort_all();
                return Ok(());
            }
            if now.saturating_sub(self.setup.timeout) >= plan.deadline && !spent {
                self.give_up(&mut schedule);
                continue;
            }
            self.listen(plan, now)?;
            let until = match (blocked, spent, over) {
                (true, ..) | (.., true) => now.saturating_add(LONGEST_SLEEP),
                (_, true, _) => plan.deadline,
                _ => schedule.next(),
            };
            if until <= now {
                tokio::task::yield_now().await;
                continue;
            }
            tokio::select! {
                result = pacer.until(until.min(now + LONGEST_SLEEP)) => result?,
                () = self.ended.notified(), if blocked || over => {}
            }
        }
    }

    /// Counts what is due and can no longer be sent in time.
    fn give_up(&self, schedule: &mut Schedule) {
        let mut state = self.state.borrow_mut();
        while let Some(step) = state.supply.take_of(schedule.next(), schedule.operation()) {
            state.book.give_up(step.operation, schedule.next());
            if step.operation == Operation::Insert {
                state.supply.settle(step.number, false);
            }
            schedule.advance();
        }
    }

    /// Fails when a phase without a time limit has heard nothing for too long.
    fn listen(&self, plan: &PhasePlan, now: u64) -> Result<(), Failure> {
        let patience = 60 * SECOND + self.setup.timeout;
        if plan.deadline == u64::MAX && now.saturating_sub(self.state.borrow().heard) > patience {
            return Err(Failure::new(
                "connection",
                format!("nothing was heard from the server for {} s", patience / SECOND),
                "is the server still up?",
            ));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
