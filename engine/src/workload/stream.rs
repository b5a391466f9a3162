//! The sequence of operations of one shard in one phase.

use std::sync::Arc;

use weighhouse_driver_api::{Fields, Operation};

use super::chooser::KeyChooser;
use super::inserts::{Acknowledged, InsertNumbers};
use super::place::{Deal, Place};
use super::random::{Random, draws_below, unit_of};
use super::zipfian::{Skew, Zipfian};
use crate::order::{Order, Phase, PhaseKind, ScanLengthDistribution, Workload};

/// Operations that [`stream_hash`] looks at.
const HASHED_OPERATIONS: u64 = 10_000;

/// What distinguishes random numbers for operations from others of the same seed.
const OPERATIONS: u64 = 1;

/// One operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Step {
    /// What to do.
    pub operation: Operation,
    /// Number of the record.
    pub number: u64,
    /// Which fields.
    pub fields: Fields,
    /// Of a scan how many records; of a read-modify-write the field that is written, from 1 on, or
    /// 0 for all. One number for both, so that a step fits into two registers.
    detail: u16,
}

impl Step {
    #[inline]
    fn plain(operation: Operation, number: u64, fields: Fields) -> Self {
        Self { operation, number, fields, detail: 0 }
    }

    /// Records that a scan asks for.
    #[must_use]
    #[inline]
    pub fn scan_length(&self) -> u16 {
        self.detail
    }

    /// Of a read-modify-write: which fields are written.
    #[must_use]
    pub fn written(&self) -> Fields {
        self.detail.checked_sub(1).map_or(Fields::All, Fields::One)
    }

    /// A read of a record.
    #[inline]
    pub(crate) fn read(number: u64, fields: Fields) -> Self {
        Self::plain(Operation::Read, number, fields)
    }

    /// An insert of a record.
    #[inline]
    pub(crate) fn insert(number: u64) -> Self {
        Self::plain(Operation::Insert, number, Fields::All)
    }
}

/// Numbers of keys that are asked for and were never inserted begin here: 2^60, beyond all records.
const MISSES: u64 = 1 << 60;

/// Whether a number is of a key that was never inserted: no store has it.
#[must_use]
pub(crate) fn is_nowhere(number: u64) -> bool {
    number >= MISSES
}

/// How many records scans ask for.
#[derive(Debug, Clone)]
enum ScanLengths {
    Uniform { least: u16, count: u64 },
    Zipfian { least: u16, ranks: Zipfian, last: u64 },
}

impl ScanLengths {
    fn new(workload: &Workload) -> Self {
        let least = workload.min_scan_length;
        let count = u64::from(workload.max_scan_length - least) + 1;
        match workload.scan_length_distribution {
            ScanLengthDistribution::Uniform => Self::Uniform { least, count },
            ScanLengthDistribution::Zipfian => {
                Self::Zipfian { least, ranks: Zipfian::new(Skew::over(count)), last: count - 1 }
            }
        }
    }

    #[allow(clippy::cast_possible_truncation)] // below the count, which a u16 holds
    fn draw(&self, random: &mut Random) -> u16 {
        match self {
            Self::Uniform { least, count } => least + random.below(*count) as u16,
            Self::Zipfian { least, ranks, last } => least + ranks.draw(random).min(*last) as u16,
        }
    }
}

/// Shares added up, in the order in which [`OperationStream::rarer`] compares.
#[derive(Debug, Clone, Copy)]
struct Shares {
    read: f64,
    update: f64,
    scan: f64,
    read_modify_write: f64,
    delete: f64,
}

impl Shares {
    fn of(order: &Order) -> Self {
        let parts = [
            Operation::Read,
            Operation::Update,
            Operation::Scan,
            Operation::ReadModifyWrite,
            Operation::Delete,
            Operation::Insert,
        ]
        .map(|operation| order.share(operation));
        // The last operation of the mix takes what rounding leaves.
        let last = parts.iter().rposition(|&share| share > 0.0).unwrap_or(0);
        let below = |index: usize| {
            if index >= last { 1.0 } else { parts[..=index].iter().sum() }
        };
        Self {
            read: below(0),
            update: below(1),
            scan: below(2),
            read_modify_write: below(3),
            delete: below(4),
        }
    }
}

/// The operations of the workload, as YCSB's `CoreWorkload.doTransaction`.
#[derive(Debug)]
pub struct OperationStream {
    random: Random,
    chooser: KeyChooser,
    inserts: InsertNumbers,
    deal: Deal,
    shares: Shares,
    field_count: u64,
    read_all_fields: bool,
    write_all_fields: bool,
    miss_share: f64,
    /// Draws below this are reads of records that there are; 0, where some reads miss.
    plain_reads: u64,
    scan_lengths: ScanLengths,
}

impl OperationStream {
    /// The operations of a shard in the phase of an index.
    #[must_use]
    pub fn new(order: &Order, phase_index: usize, place: Place, inserts: InsertNumbers) -> Self {
        let workload = &order.workload;
        let shares = Shares::of(order);
        let misses = workload.read_miss_fraction > 0.0;
        Self {
            random: Random::new(order.seed, [OPERATIONS, phase_index as u64, place.purpose()]),
            chooser: KeyChooser::new(
                workload,
                expected_inserts(order, order.phases.get(phase_index)),
                place,
            ),
            inserts,
            deal: Deal::new(workload, place.share),
            shares,
            field_count: u64::from(workload.field_count),
            read_all_fields: workload.read_all_fields,
            write_all_fields: workload.write_all_fields,
            miss_share: workload.read_miss_fraction,
            plain_reads: if misses { 0 } else { draws_below(shares.read) },
            scan_lengths: ScanLengths::new(workload),
        }
    }

    /// The next operation.
    pub fn advance(&mut self) -> Step {
        match self.advance_read() {
            Ok((number, fields)) => Step::read(number, fields),
            Err(draw) => self.rarer(draw),
        }
    }

    /// Draws the next operation: a record and fields of it, if it is a plain read; else what
    /// [`OperationStream::rarer`] makes the operation of.
    #[inline(always)]
    #[allow(clippy::inline_always)] // counted by make bench-engine
    pub(crate) fn advance_read(&mut self) -> Result<(u64, Fields), u64> {
        let draw = self.random.draw();
        if draw < self.plain_reads {
            let number = self.key();
            return Ok((number, self.fields(self.read_all_fields)));
        }
        Err(draw)
    }

    /// The operations that are not counted by `make bench-engine`.
    #[inline(never)]
    pub(crate) fn rarer(&mut self, draw: u64) -> Step {
        let draw = unit_of(draw);
        let shares = self.shares;
        self.of(if draw < shares.read {
            Operation::Read
        } else if draw < shares.update {
            Operation::Update
        } else if draw < shares.scan {
            Operation::Scan
        } else if draw < shares.read_modify_write {
            Operation::ReadModifyWrite
        } else if draw < shares.delete {
            Operation::Delete
        } else {
            Operation::Insert
        })
    }

    /// The next operation, which is to be of a kind.
    pub fn of(&mut self, operation: Operation) -> Step {
        if operation == Operation::Insert {
            return Step::insert(self.deal.number(self.inserts.reserve()));
        }
        let mut number = self.key();
        match operation {
            Operation::Read => {
                if self.miss_share > 0.0 && self.random.unit() < self.miss_share {
                    number |= MISSES;
                }
                Step::plain(operation, number, self.fields(self.read_all_fields))
            }
            Operation::Update => Step::plain(operation, number, self.fields(self.write_all_fields)),
            Operation::Scan => {
                let fields = self.fields(self.read_all_fields);
                let detail = self.scan_lengths.draw(&mut self.random);
                Step { detail, ..Step::plain(operation, number, fields) }
            }
            Operation::ReadModifyWrite => {
                let fields = self.fields(self.read_all_fields);
                let detail = match self.fields(self.write_all_fields) {
                    Fields::All => 0,
                    Fields::One(index) => index + 1,
                };
                Step { detail, ..Step::plain(operation, number, fields) }
            }
            Operation::Delete | Operation::Insert => Step::plain(operation, number, Fields::All),
        }
    }

    /// A further key of the read that was drawn last.
    pub fn another(&mut self) -> u64 {
        let number = self.key();
        let misses = self.miss_share > 0.0 && self.random.unit() < self.miss_share;
        if misses { number | MISSES } else { number }
    }

    #[inline(always)]
    #[allow(clippy::inline_always)] // counted by make bench-engine
    fn key(&mut self) -> u64 {
        self.deal.number(self.chooser.choose(&mut self.random, self.inserts.bound()))
    }

    #[allow(clippy::cast_possible_truncation)] // below field_count, a u16
    #[inline]
    fn fields(&mut self, all: bool) -> Fields {
        if all { Fields::All } else { Fields::One(self.random.below(self.field_count) as u16) }
    }

    /// What came of an insert that this stream gave.
    pub fn settle(&mut self, number: u64, done: bool) {
        let own = self.deal.own(number);
        if done {
            self.inserts.acknowledge(own);
        } else {
            self.inserts.give_back(own);
        }
    }

    /// The shard's insert numbers, for its next phase.
    #[must_use]
    pub fn into_inserts(self) -> InsertNumbers {
        self.inserts
    }
}

/// How many records a phase may add: known only of one that is limited in operations.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // saturates
fn expected_inserts(order: &Order, phase: Option<&Phase>) -> u64 {
    let operations = phase.and_then(|phase| phase.operation_count).unwrap_or(0);
    (operations as f64 * order.share(Operation::Insert)) as u64
}

/// The inserts of the load phase: a shard's share of its driver's slice, each record until it is there or
/// has failed too often.
#[derive(Debug)]
pub struct LoadStream {
    next: u64,
    end: u64,
    step: u64,
    /// Failures after which a record is left out.
    attempts: u8,
    again: Vec<(u64, u8)>,
    /// Failures of the numbers under way, kept only while there are any.
    failures: Vec<(u64, u8)>,
}

impl LoadStream {
    /// A shard's share.
    #[must_use]
    pub fn new(workload: &Workload, place: Place) -> Self {
        let (start, end) = place.slice(workload);
        let next = start + place.shard;
        let attempts = workload.insert_retry_limit + 1;
        Self { next, end, step: place.shards, attempts, again: Vec::new(), failures: Vec::new() }
    }

    /// The next insert; none when all that are left are under way.
    pub fn advance(&mut self) -> Option<Step> {
        let number = if let Some((number, failures)) = self.again.pop() {
            self.failures.push((number, failures));
            number
        } else if self.next < self.end {
            self.next += self.step;
            self.next - self.step
        } else {
            return None;
        };
        Some(Step::insert(number))
    }

    /// Whether none is left, but for those under way.
    #[must_use]
    pub fn is_exhausted(&self) -> bool {
        self.next >= self.end && self.again.is_empty()
    }

    /// What came of an insert that this stream gave.
    pub fn settle(&mut self, number: u64, done: bool) {
        if done && self.failures.is_empty() {
            return;
        }
        let known = self.failures.iter().position(|&(failed, _)| failed == number);
        let failures = known.map_or(0, |index| self.failures.swap_remove(index).1) + 1;
        if !done && failures < self.attempts {
            self.again.push((number, failures));
        }
    }
}

/// A fingerprint of the operations that an order's seed gives: FNV-1a over the first 10,000 of its
/// first phase that is not `load` (or of the load phase), shards taking turns, every insert
/// acknowledged at once.
#[must_use]
pub fn stream_hash(order: &Order, shards: u64) -> String {
    let phase = order.phases.iter().position(|phase| phase.kind != PhaseKind::Load);
    let place = |shard| Place { shard, shards, share: order.share };
    let mut hash = 0xCBF2_9CE4_8422_2325_u64;
    let mut take = |step: Step| {
        let field = |fields| match fields {
            Fields::All => u64::MAX,
            Fields::One(index) => u64::from(index),
        };
        let mut word = |word: u64| {
            for octet in word.to_le_bytes() {
                hash = (hash ^ u64::from(octet)).wrapping_mul(1_099_511_628_211);
            }
        };
        word(step.operation.index() as u64);
        word(step.number);
        word(field(step.fields));
        if step.operation == Operation::ReadModifyWrite {
            word(field(step.written()));
        }
        if step.operation == Operation::Scan {
            word(u64::from(step.scan_length()));
        }
    };
    if let Some(index) = phase {
        let shared = Arc::new(Acknowledged::new(order.workload.record_count));
        let mut streams: Vec<_> = (0..shards)
            .map(|shard| {
                let inserts = InsertNumbers::new(Arc::clone(&shared));
                OperationStream::new(order, index, place(shard), inserts)
            })
            .collect();
        for (stream, _) in (0..shards).cycle().zip(0..HASHED_OPERATIONS) {
            if let Some(stream) = usize::try_from(stream).ok().and_then(|at| streams.get_mut(at)) {
                let step = stream.advance();
                if step.operation == Operation::Insert {
                    stream.settle(step.number, true);
                }
                take(step);
            }
        }
    } else {
        let whole = Place { shards: 1, ..place(0) };
        let mut stream = LoadStream::new(&order.workload, whole);
        (0..HASHED_OPERATIONS).map_while(|_| stream.advance()).for_each(take);
    }
    format!("{hash:016x}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(seed: u64, mix: &serde_json::Value, distribution: &str) -> Order {
        let order = serde_json::json!({
            "workload": {"name": "w", "record_count": 1000, "operations": mix,
                         "request_distribution": distribution, "read_all_fields": false},
            "target": {"endpoints": ["tcp://127.0.0.1:1"]},
            "load": {"model": "closed", "clients": 1},
            "phases": [{"kind": "load"}, {"kind": "measure", "operation_count": 50_000}],
            "seed": seed
        });
        Order::parse(&order.to_string()).unwrap()
    }

    fn stream(order: &Order) -> OperationStream {
        let shared = Arc::new(Acknowledged::new(order.workload.record_count));
        OperationStream::new(order, 1, Place::alone(), InsertNumbers::new(shared))
    }

    #[test]
    fn the_same_seed_and_shards_give_the_same_stream() {
        let mix = serde_json::json!({"read": 0.5, "update": 0.3, "insert": 0.2});
        let hash = |seed, shards| stream_hash(&order(seed, &mix, "zipfian"), shards);
        assert_eq!(hash(42, 1), hash(42, 1));
        assert_eq!(hash(42, 3), hash(42, 3));
        assert_ne!(hash(42, 1), hash(43, 1));
        assert_ne!(hash(42, 1), hash(42, 2));
    }

    /// Written down once; a change of it makes results incomparable with older ones.
    #[test]
    fn the_stream_of_a_seed_is_what_it_always_was() {
        let mix = serde_json::json!({"read": 0.5, "update": 0.3, "insert": 0.2});
        assert_eq!(stream_hash(&order(42, &mix, "zipfian"), 1), "dd4390c5cb111bb0");
    }

    #[test]
    fn operations_come_in_their_shares() {
        let mix = serde_json::json!({"read": 0.5, "update": 0.3, "insert": 0.2});
        let order = order(1, &mix, "latest");
        let mut stream = stream(&order);
        let mut counts = [0_u32; 6];
        for _ in 0..100_000 {
            let step = stream.advance();
            counts[step.operation.index()] += 1;
            if step.operation == Operation::Insert {
                stream.settle(step.number, true);
            }
        }
        for (count, share) in counts.into_iter().zip([0.5, 0.3, 0.2]) {
            assert!((f64::from(count) / 100_000.0 - share).abs() < 0.01);
        }
    }

    #[test]
    fn all_six_operations_come_in_their_shares_and_scans_within_their_lengths() {
        let mix = serde_json::json!({"read": 0.1, "update": 0.15, "insert": 0.2, "scan": 0.25,
                                     "read_modify_write": 0.18, "delete": 0.12});
        for lengths in ["uniform", "zipfian"] {
            let mut order = order(1, &mix, "zipfian");
            order.workload.min_scan_length = 5;
            order.workload.max_scan_length = 44;
            order.workload.scan_length_distribution =
                serde_json::from_value(serde_json::json!(lengths)).unwrap();
            let mut stream = stream(&order);
            let (mut counts, mut scanned) = ([0_u32; 6], [0_u32; 40]);
            for _ in 0..200_000 {
                let step = stream.advance();
                counts[step.operation.index()] += 1;
                if step.operation == Operation::Insert {
                    stream.settle(step.number, true);
                }
                if step.operation == Operation::Scan {
                    scanned[usize::from(step.scan_length() - 5)] += 1;
                }
            }
            for (count, operation) in counts.into_iter().zip(Operation::ALL) {
                let share = order.share(operation);
                assert!((f64::from(count) / 200_000.0 - share).abs() < 0.005, "{operation:?}");
            }
            assert!(scanned.iter().all(|&count| count > 0), "{scanned:?}");
            let even = scanned.iter().all(|&count| count.abs_diff(scanned[0]) < scanned[0] / 5);
            assert_eq!(even, lengths == "uniform", "{scanned:?}");
            assert!(lengths == "uniform" || scanned[0] > 5 * scanned[30]);
        }
    }

    #[test]
    fn misses_come_in_their_share_and_are_keys_of_no_record() {
        let mut order = order(1, &serde_json::json!({"read": 1.0}), "uniform");
        order.workload.read_miss_fraction = 0.25;
        let mut stream = stream(&order);
        let numbers: Vec<_> = (0..100_000)
            .map(|turn| if turn % 2 == 0 { stream.advance().number } else { stream.another() })
            .collect();
        let misses = numbers.iter().filter(|&&number| number >= MISSES).count();
        assert!(misses.abs_diff(25_000) < 600, "{misses}");
        assert!(numbers.iter().all(|number| *number < 1000 || *number >= MISSES));
    }

    #[test]
    fn shards_have_streams_of_their_own_that_depend_on_nothing_else() {
        let order = order(9, &serde_json::json!({"read": 1.0}), "uniform");
        let numbers = |shard, shards| {
            let shared = Arc::new(Acknowledged::new(1000));
            let inserts = InsertNumbers::new(shared);
            let place = Place { shard, shards, ..Place::alone() };
            let mut stream = OperationStream::new(&order, 1, place, inserts);
            (0..100).map(|_| stream.advance().number).collect::<Vec<_>>()
        };
        // The first of two shards does what a single one does: it is its partner that is new.
        assert_eq!(numbers(0, 1), numbers(0, 2));
        assert_ne!(numbers(0, 2), numbers(1, 2));
        assert_eq!(numbers(1, 2), numbers(1, 2));
    }

    #[test]
    fn the_load_stream_gives_each_record_once_and_failed_ones_again() {
        let order = order(1, &serde_json::json!({"read": 1.0}), "uniform");
        let mut seen = Vec::new();
        for shard in 0..3 {
            let place = Place { shard, shards: 3, ..Place::alone() };
            let mut stream = LoadStream::new(&order.workload, place);
            while let Some(step) = stream.advance() {
                seen.push(step.number);
                stream.settle(step.number, true);
            }
        }
        seen.sort_unstable();
        assert_eq!(seen, (0..1000).collect::<Vec<_>>());

        let mut stream = LoadStream::new(&order.workload, Place { shards: 1000, ..Place::alone() });
        for _ in 0..=order.workload.insert_retry_limit {
            let step = stream.advance().unwrap();
            assert_eq!(step.number, 0);
            stream.settle(step.number, false);
        }
        assert_eq!(stream.advance(), None);
    }
}
