//! A shard over a client library whose work keeps the thread busy: most of an operation's time is the
//! wait for a turn, and all of it counts.

use std::collections::HashSet;
use std::sync::Mutex;
use std::sync::atomic::AtomicU64;
use std::sync::mpsc::channel;
use std::time::Instant;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hdrhistogram::serialization::Deserializer;
use weighhouse_driver_api::{ClientFailed, Identity, OptionRefused, RecordShape};

use super::*;
use crate::plan::Report;
use crate::recorder::{Latencies, Recorder};

/// What the library does on the thread for an operation.
const WORK: Duration = Duration::from_micros(100);

/// When each client of each phase asked first. A driver has no other way to tell it: threads begin
/// late on a busy machine, each by its own time.
static BEGINNINGS: Mutex<Vec<(u64, Instant)>> = Mutex::new(Vec::new());

/// Works, waits for what needs no thread, and works again; or is done before it has to wait.
struct Busy {
    waits: bool,
    phase: u64,
    seen: RefCell<HashSet<tokio::task::Id>>,
}

fn work_on() {
    let began = Instant::now();
    while began.elapsed() < WORK {
        std::hint::spin_loop();
    }
}

impl ClientDriver for Busy {
    const IDENTITY: Identity = Identity {
        name: "busy",
        version: "0",
        endpoint_kinds: &[],
        operations: &Operation::ALL,
        features: &[],
        options_schema: "{}",
    };

    fn check(_: &RecordShape, _: &Options) -> Result<(), OptionRefused> {
        Ok(())
    }

    async fn connect(
        _: &Way,
        _: &RecordShape,
        options: &Options,
        _: usize,
    ) -> Result<Self, ClientFailed> {
        let phase = options["phase"].as_u64().unwrap();
        Ok(Self { waits: options.contains_key("waits"), phase, seen: RefCell::default() })
    }

    fn layout(&self) -> &'static str {
        "none"
    }

    async fn execute(&self, _: &Request<'_>, _: Option<&Verifier<'_>>) -> Outcome {
        if self.seen.borrow_mut().insert(tokio::task::id()) {
            BEGINNINGS.lock().unwrap().push((self.phase, Instant::now()));
        }
        work_on();
        if self.waits {
            tokio::time::sleep(Duration::from_micros(1)).await;
            work_on();
        }
        Outcome::Ok
    }
}

/// What a phase recorded.
struct Recorded {
    /// In all.
    whole: Recorder,
    /// How long it took, s.
    elapsed: f64,
    /// From when each client asked first until nothing more begins, s; all clients together.
    asked: f64,
}

fn closed_loop(clients: u64, think_time_us: u64, waits: bool, seconds: f64) -> Recorded {
    static PHASES: AtomicU64 = AtomicU64::new(0);
    let phase = PHASES.fetch_add(1, Ordering::Relaxed);
    let mut options = serde_json::json!({"phase": phase});
    if waits {
        options["waits"] = true.into();
    }
    let order = serde_json::json!({
        "workload": {"name": "w", "record_count": 100, "operations": {"read": 1.0}},
        "target": {"endpoints": ["tcp://127.0.0.1:1"], "options": options},
        "load": {"model": "closed", "clients": clients, "think_time_us": think_time_us},
        "phases": [{"kind": "measure", "duration_seconds": seconds}],
        "seed": 1
    });
    let order = Arc::new(Order::parse(&order.to_string()).unwrap());
    let clock = Clock::start();
    let (reports, inbox) = channel();
    let (_returned, spares) = channel();
    let setup = ClientSetup {
        shard: (0, 1),
        way: Arc::new(Way::plain(Vec::new())),
        options: order.target.options.clone(),
        timeout: SECOND,
        clock,
        values: Arc::new(ValueSource::new(1, &order.shape())),
        acknowledged: Arc::new(Acknowledged::new(100)),
        book: Book::new(0, spares, reports),
        stop: Arc::default(),
        order,
    };
    let (plans, to_come) = channel();
    let (ready, connected) = channel();
    let shard = std::thread::spawn(work::<Busy>(setup, to_come, ready));
    connected.recv().unwrap().unwrap();
    let before = Instant::now();
    let start = clock.now();
    let plan = PhasePlan {
        kind: PhaseKind::Measure,
        index: 0,
        start,
        begin: start,
        deadline: start + crate::clock::from_seconds(seconds),
        operations: u64::MAX,
        operations_of_all: u64::MAX,
        clients: usize::try_from(clients).unwrap(),
        interval: crate::clock::from_seconds(0.1),
        open: false,
    };
    plans.send(plan).unwrap();
    drop(plans);
    let mut whole = Recorder::default();
    for report in inbox {
        match report {
            Report::Interval { recorder, .. } => whole.add(&recorder),
            Report::Done { end, .. } => {
                shard.join().unwrap().unwrap();
                let elapsed = (end - start) as f64 / SECOND as f64;
                let beginnings = BEGINNINGS.lock().unwrap();
                let late: Vec<f64> = beginnings
                    .iter()
                    .filter(|(of, _)| *of == phase)
                    .map(|(_, at)| (*at - before).as_secs_f64().min(seconds))
                    .collect();
                // On a machine that was busy all the while, some may have come too late to ask.
                let all = late.len() as u64 == clients;
                assert!(all || late.iter().all(|late| *late > seconds / 2.0), "{late:?}");
                let asked = late.iter().map(|late| seconds - late).sum();
                return Recorded { whole, elapsed, asked };
            }
            Report::Failed(failure) => panic!("{failure:?}"),
        }
    }
    panic!("the shard ended without a word");
}

/// (how many, seconds of all together)
fn sum(latencies: &Latencies) -> (f64, f64) {
    let bytes = STANDARD.decode(latencies.encode()).unwrap();
    let all: hdrhistogram::Histogram<u64> =
        Deserializer::new().deserialize(&mut &bytes[..]).unwrap();
    let count = latencies.count() as f64;
    (count, count * all.mean() / SECOND as f64)
}

#[test]
fn throughput_times_mean_is_the_number_of_clients() {
    for waits in [false, true] {
        for clients in [1, 4, 16] {
            let Recorded { whole, elapsed, asked } = closed_loop(clients, 0, waits, 1.0);
            // What begins before the end goes on after it: so much is the least that all clients have
            // waited, and so much the most.
            let most = clients as f64 * elapsed;
            let (_, waited) = sum(&whole.responses());
            let said = format!(
                "{clients} clients, waits: {waits}: {waited:.3} s, of {asked:.3} to {most:.3} s"
            );
            assert!(waited >= 0.99 * asked && waited <= 1.01 * most, "{said}");
        }
    }
}

#[test]
fn pauses_are_no_time_of_operations() {
    let think = 0.002;
    let recorded = closed_loop(4, 2000, true, 1.0);
    let (count, counted) = sum(&recorded.whole.responses());
    assert!(count > 0.0);
    let all = 4.0 * recorded.elapsed;
    assert!(counted + count * think <= 1.01 * all, "{counted} s, {count} pauses in {all} s");
}

#[test]
fn the_wait_for_a_turn_is_recorded_as_the_loops_delay() {
    for waits in [false, true] {
        let Recorded { whole, .. } = closed_loop(8, 0, waits, 1.0);
        let (count, _) = sum(&whole.responses());
        let (seen, _) = sum(&whole.loop_delay);
        assert!(seen > 0.9 * count, "{seen} of {count}");
        // Seven others have their turn first, now and then fewer.
        let median = whole.loop_delay.quantile(0.5);
        assert!(median > 200_000, "waits: {waits}: {median} ns");
    }
}
