//! A shard: one thread that keeps its connections busy through the phases.

use std::collections::VecDeque;
use std::io;
use std::os::fd::{AsFd, AsRawFd};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::mpsc::Receiver;
use std::time::Duration;

use mio::unix::SourceFd;
use mio::{Events, Interest, Poll, Token};
use nix::sys::timerfd::{ClockId, TimerFd, TimerFlags};
use weighhouse_driver_api::{Codec, ValueSource};
use weighhouse_engine_ring::Ring;

use super::announced::Announced;
use super::connect::connect;
use super::desk::{Desk, Pace, Part};
use super::endpoint::Endpoint;
use super::hashing::Hashing;
use super::link::{Link, Lost};
use super::routes::Routes;
use super::schedule::Schedule;
use super::tls::Tls;
use super::way::Way;
use crate::book::Book;
use crate::clock::{Clock, SECOND};
use crate::composer::Composer;
use crate::order::{Load, Order, PhaseKind};
use crate::plan::{Failure, PhasePlan, share};
use crate::supply::{Source, Supply};
use crate::workload::{Acknowledged, InsertNumbers, LoadStream, OperationStream, Place};

/// Bytes read at once.
const INPUT_BYTES: usize = 256 << 10;
/// Events taken at once.
const EVENTS: usize = 1024;
/// The last stretch before an operation is due is spent without sleeping, ns.
const SPIN: u64 = 40_000;
/// Timer slack of a shard's thread, ns; the usual 50 µs is what an ordinary sleep is late by.
const TIMER_SLACK: u64 = 1_000;

/// How long what is under way may still return after an interrupt, ns.
pub(super) const INTERRUPT_PATIENCE: u64 = 2 * SECOND;

/// The token of the timer; connections have their indices.
pub(super) const TIMER: Token = Token(usize::MAX - 1);

/// What a shard is made of.
pub struct ShardSetup<C> {
    /// Which one of how many.
    pub shard: (usize, usize),
    /// The whole order.
    pub order: Arc<Order>,
    /// Where the server is; with keys spread over several, some of them.
    pub endpoints: Vec<Endpoint>,
    /// Where servers that others announce are reached.
    pub announced: Announced,
    /// How the client spreads keys over several servers; none: they know by themselves, or it is one.
    pub hashing: Option<Hashing>,
    /// For an endpoint with TLS.
    pub tls: Option<Tls>,
    /// How bytes go to and from the system; with TLS by epoll.
    pub way: Way,
    /// The protocol.
    pub codec: C,
    /// How long an operation may take, ns.
    pub timeout: u64,
    /// The driver's clock.
    pub clock: Clock,
    /// Values, the same for all shards.
    pub values: Arc<ValueSource>,
    /// Inserted numbers, shared by all.
    pub acknowledged: Arc<Acknowledged>,
    /// Where to record.
    pub book: Book,
    /// Set when the driver is to end.
    pub stop: Arc<AtomicBool>,
}

/// A shard of load over connections.
pub struct NetShard<C: Codec> {
    pub(super) shard: (usize, usize),
    pub(super) order: Arc<Order>,
    /// The servers: one, unless keys are spread over several.
    pub(super) nodes: Vec<Endpoint>,
    /// Connections to each, one for each client: the first so many are to the first server.
    pub(super) per_node: usize,
    pub(super) routes: Option<Routes>,
    pub(super) tls: Option<Tls>,
    /// Whether connections are opened anew after so many operations.
    pub(super) reopens: bool,
    pub(super) timeout: u64,
    pub(super) stop: Arc<AtomicBool>,
    pub(super) poll: Poll,
    pub(super) events: Events,
    pub(super) timer: TimerFd,
    pub(super) timer_set_for: u64,
    pub(super) links: Vec<Link<C>>,
    /// Clients that take part in the phase.
    pub(super) active: usize,
    pub(super) desk: Desk<C>,
    pub(super) inserts: Option<InsertNumbers>,
    pub(super) input: Vec<u8>,
    pub(super) next_chores: u64,
    pub(super) spin: u64,
    pub(super) cursor: usize,
    /// Where requests are made that may go over any connection.
    pub(super) request: Vec<u8>,
    /// Connections with something new to write.
    pub(super) touched: Vec<usize>,
    /// Connections that were lost in this turn.
    pub(super) lost: Vec<(usize, Lost)>,
}

pub(super) fn internal(error: &io::Error) -> Failure {
    Failure::new("internal", format!("the event loop failed: {error}"), "")
}

impl<C: Codec> NetShard<C> {
    /// Connects all clients of a shard and greets the server on each connection.
    ///
    /// # Errors
    /// When the server cannot be reached, or answers in another protocol.
    pub fn connect(setup: ShardSetup<C>) -> Result<Self, Failure> {
        let (shard, shards) = setup.shard;
        let poll = Poll::new().map_err(|error| internal(&error))?;
        let timer = TimerFd::new(ClockId::CLOCK_MONOTONIC, TimerFlags::TFD_NONBLOCK)
            .map_err(|error| internal(&error.into()))?;
        poll.registry()
            .register(&mut SourceFd(&timer.as_fd().as_raw_fd()), TIMER, Interest::READABLE)
            .map_err(|error| internal(&error))?;
        let count = share(setup.order.most_clients() as u64, shard, shards);
        let per_node = usize::try_from(count).unwrap_or_default().max(1);
        let tls = setup.tls.as_ref();
        let several = setup.endpoints.len() > 1;
        let (routes, nodes) = match setup.hashing.filter(|_| several) {
            Some(hashing) => {
                let own = hashing.over(setup.endpoints.len());
                (Some(Routes::chosen(&setup.endpoints, own)), setup.endpoints)
            }
            None => {
                match Routes::discover(&setup.endpoints, &setup.announced, tls, &setup.codec)? {
                    Some((routes, nodes)) => (Some(routes), nodes),
                    None => (None, setup.endpoints),
                }
            }
        };
        let mut links = Vec::new();
        for index in 0..nodes.len() * per_node {
            let mut state = connect(&nodes[index / per_node], tls, &setup.codec)?;
            if let Some(socket) = state.socket() {
                poll.registry()
                    .register(socket, Token(index), Interest::READABLE | Interest::WRITABLE)
                    .map_err(|error| internal(&error))?;
            }
            links.push(Link::new(index, state));
        }
        let workload = &setup.order.workload;
        let inserts = InsertNumbers::new(setup.acknowledged);
        let ring = match setup.way {
            Way::IoUring => {
                Some(Box::new(Ring::new(links.len()).map_err(|error| internal(&error))?))
            }
            Way::Epoll => None,
        };
        let desk = Desk {
            clock: setup.clock,
            ring,
            codec: setup.codec,
            composer: Composer::new(workload, setup.values),
            book: setup.book,
            supply: Supply::idle(),
            pace: Pace::Closed { pipeline: 1, think: 0 },
            read_part: if workload.fill_on_miss { Part::Sought } else { Part::Whole },
            now: 0,
            in_flight: 0,
            heard: 0,
            thinking: VecDeque::new(),
            pausing: VecDeque::new(),
            astray: Vec::new(),
            ended: Vec::new(),
            maps: Vec::new(),
        };
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        Ok(Self {
            shard: setup.shard,
            order: setup.order,
            nodes,
            per_node,
            routes,
            tls: setup.tls,
            reopens: false,
            timeout: setup.timeout,
            stop: setup.stop,
            poll,
            events: Events::with_capacity(EVENTS),
            timer,
            timer_set_for: 0,
            links,
            active: 0,
            desk,
            inserts: Some(inserts),
            input: vec![0; INPUT_BYTES],
            next_chores: 0,
            // Without a processor to itself, a thread that spins keeps the server from running.
            spin: if processors > shards { SPIN } else { 0 },
            cursor: 0,
            request: Vec::new(),
            touched: Vec::new(),
            lost: Vec::new(),
        })
    }

    /// How many connections it has.
    #[must_use]
    pub fn connections(&self) -> usize {
        self.links.len()
    }

    /// Carries out phases until there are no more. Its thread calls this.
    ///
    /// # Errors
    /// When a phase cannot go on.
    pub fn run(mut self, plans: &Receiver<PhasePlan>) -> Result<(), Failure> {
        // Where it is refused, sleeps are less exact, and the lag shows it.
        let _ = nix::sys::prctl::set_timerslack(TIMER_SLACK);
        self.join_ring()?;
        while let Ok(plan) = plans.recv() {
            self.begin(&plan);
            let order = Arc::clone(&self.order);
            match (order.load.arrivals(), &order.load, plan.kind) {
                (Some(arrivals), Load::Open { max_in_flight, .. }, kind)
                    if kind != PhaseKind::Load =>
                {
                    let (shard, shards) = self.shard;
                    let cap = share(*max_in_flight as u64, shard, shards).max(1);
                    let schedule = Schedule::new(
                        &arrivals,
                        (plan.start, plan.begin),
                        self.place(),
                        (self.order.seed, plan.index as u64),
                    );
                    self.open_loop(&plan, schedule, usize::try_from(cap).unwrap_or(usize::MAX))?;
                }
                _ => self.closed_loop(&plan)?,
            }
            self.end();
        }
        Ok(())
    }

    fn place(&self) -> Place {
        let (shard, shards) = self.shard;
        Place { shard: shard as u64, shards: shards as u64, share: self.order.share }
    }

    fn begin(&mut self, plan: &PhasePlan) {
        let (shard, shards) = self.shard;
        let order = &self.order;
        let place = self.place();
        let loads = plan.kind == PhaseKind::Load;
        let source = if loads {
            Source::Load(LoadStream::new(&order.workload, place))
        } else {
            let inserts = self.inserts.take().unwrap_or_else(|| unreachable!("between phases"));
            Source::Run(Box::new(OperationStream::new(order, plan.index, place, inserts)))
        };
        let occurring = plan.kinds_that_occur(order);
        self.desk.pace = match order.load {
            Load::Open { .. } if !loads => Pace::Open,
            Load::Open { .. } => Pace::Closed { pipeline: 1, think: 0 },
            Load::Closed { pipeline, think_time_us, .. } => {
                Pace::Closed { pipeline, think: if loads { 0 } else { think_time_us * 1000 } }
            }
        };
        let every = order.workload.reconnect_every.filter(|_| !loads);
        for link in &mut self.links {
            link.renew_every(every);
        }
        self.reopens = every.is_some();
        if let Pace::Closed { pipeline, think } = self.desk.pace
            && (self.routes.is_some() || self.reopens)
        {
            self.desk.pace = Pace::Routed { pipeline, think };
        }
        let verify = order.workload.verify_fraction;
        self.desk.supply = Supply::new(source, plan, place, (order.seed, verify));
        self.desk.book.begin(plan, occurring);
        self.desk.thinking.clear();
        self.desk.pausing.clear();
        let clients = share(plan.clients as u64, shard, shards);
        self.active = usize::try_from(clients).unwrap_or_default().min(self.per_node);
        self.next_chores = 0;
        while self.desk.clock.now() < plan.begin {
            let left = plan.begin.saturating_sub(self.desk.clock.now());
            std::thread::sleep(Duration::from_nanos(left));
        }
        self.desk.now = self.desk.clock.now();
        self.desk.heard = self.desk.now;
    }

    fn end(&mut self) {
        self.desk.now = self.desk.clock.now();
        self.desk.book.finish(self.desk.now);
        let spent = std::mem::replace(&mut self.desk.supply, Supply::idle());
        if let Source::Run(stream) = spent.into_source() {
            self.inserts = Some(stream.into_inserts());
        }
    }
}
