//! A shard over a client library whose work keeps the thread busy: most of an operation's time is the
//! wait for a turn, and all of it counts.

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

/// Works, waits for what needs no thread, and works again; or is done before it has to wait.
struct Busy {
    waits: bool,
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
        Ok(Self { waits: options.contains_key("waits") })
    }

    fn layout(&self) -> &'static str {
        "none"
    }

    async fn execute(&self, _: &Request<'_>, _: Option<&Verifier<'_>>) -> Outcome {
        work_on();
        if self.waits {
            tokio::time::sleep(Duration::from_micros(1)).await;
            work_on();
        }
        Outcome::Ok
    }
}

/// Seconds of an interval.
const INTERVAL: f64 = 0.1;
/// Intervals until all clients are at work, also on a busy machine.
const RAMP_UP: u64 = 2;

/// What a phase recorded.
struct Recorded {
    /// In all.
    whole: Recorder,
    /// After its first intervals.
    settled: Recorder,
    /// How long it took, s.
    elapsed: f64,
}

fn closed_loop(clients: u64, think_time_us: u64, waits: bool, seconds: f64) -> Recorded {
    let order = serde_json::json!({
        "workload": {"name": "w", "record_count": 100, "operations": {"read": 1.0}},
        "target": {"endpoints": ["tcp://127.0.0.1:1"],
                   "options": if waits { serde_json::json!({"waits": true}) } else { serde_json::json!({}) }},
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
        interval: crate::clock::from_seconds(INTERVAL),
        open: false,
    };
    plans.send(plan).unwrap();
    drop(plans);
    let (mut whole, mut settled) = (Recorder::default(), Recorder::default());
    for report in inbox {
        match report {
            Report::Interval { recorder, sequence, .. } => {
                whole.add(&recorder);
                if sequence >= RAMP_UP {
                    settled.add(&recorder);
                }
            }
            Report::Done { end, .. } => {
                shard.join().unwrap().unwrap();
                let elapsed = (end - start) as f64 / SECOND as f64;
                return Recorded { whole, settled, elapsed };
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
            let seconds = 1.0;
            let recorded = closed_loop(clients, 0, waits, seconds);
            // What begins before the end goes on after it: so much is the least that all clients have
            // waited in the intervals that count, and so much the most in all.
            let least = clients as f64 * (seconds - RAMP_UP as f64 * INTERVAL);
            let most = clients as f64 * recorded.elapsed;
            let (_, settled) = sum(&recorded.settled.responses());
            let (_, whole) = sum(&recorded.whole.responses());
            let said = format!(
                "{clients} clients, waits: {waits}: {settled:.3} s of {least:.3} s after the start, \
                 {whole:.3} s of {most:.3} s in all"
            );
            assert!(settled >= 0.95 * least && whole <= 1.01 * most, "{said}");
        }
    }
}

#[test]
fn pauses_are_no_time_of_operations() {
    let think = 0.002;
    let recorded = closed_loop(4, 2000, true, 0.5);
    let (count, counted) = sum(&recorded.whole.responses());
    assert!(count > 0.0);
    let all = 4.0 * recorded.elapsed;
    assert!(counted + count * think <= 1.01 * all, "{counted} s, {count} pauses in {all} s");
}

#[test]
fn the_wait_for_a_turn_is_recorded_as_the_loops_delay() {
    for waits in [false, true] {
        let Recorded { whole, .. } = closed_loop(8, 0, waits, 0.3);
        let (count, _) = sum(&whole.responses());
        let (seen, _) = sum(&whole.loop_delay);
        assert!(seen > 0.9 * count, "{seen} of {count}");
        // Seven others have their turn first, now and then fewer.
        let median = whole.loop_delay.quantile(0.5);
        assert!(median > 200_000, "waits: {waits}: {median} ns");
    }
}
