//! The sequence of operations of one shard in one phase.

use std::sync::Arc;

use weighhouse_driver_api::{Fields, Operation};

use super::chooser::KeyChooser;
use super::inserts::{Acknowledged, InsertNumbers};
use super::random::Random;
use crate::order::{Order, Phase, PhaseKind, Workload};

/// How often the load phase tries to insert a record before it leaves it out.
const LOAD_ATTEMPTS: u8 = 4;

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
}

/// The operations of the workload, as YCSB's `CoreWorkload.doTransaction`.
#[derive(Debug)]
pub struct OperationStream {
    random: Random,
    chooser: KeyChooser,
    inserts: InsertNumbers,
    read_below: f64,
    update_below: f64,
    field_count: u64,
    read_all_fields: bool,
    write_all_fields: bool,
}

impl OperationStream {
    /// The operations of a shard in the phase of an index.
    #[must_use]
    pub fn new(
        order: &Order,
        phase_index: usize,
        (shard, shards): (u64, u64),
        inserts: InsertNumbers,
    ) -> Self {
        let workload = &order.workload;
        let mix = workload.operations;
        let has = |share: f64| share > 0.0;
        Self {
            random: Random::new(order.seed, [OPERATIONS, phase_index as u64, shard]),
            chooser: KeyChooser::new(
                workload,
                expected_inserts(workload, order.phases.get(phase_index)),
                shard,
                shards,
            ),
            inserts,
            // The last operation of the mix takes what rounding leaves.
            read_below: if has(mix.update) || has(mix.insert) { mix.read } else { 1.0 },
            update_below: if has(mix.insert) { mix.read + mix.update } else { 1.0 },
            field_count: u64::from(workload.field_count),
            read_all_fields: workload.read_all_fields,
            write_all_fields: workload.write_all_fields,
        }
    }

    /// The next operation.
    #[inline(always)]
    #[allow(clippy::inline_always)] // counted by make bench-engine
    pub fn advance(&mut self) -> Step {
        let draw = self.random.unit();
        if draw >= self.update_below {
            let number = self.inserts.reserve();
            return Step { operation: Operation::Insert, number, fields: Fields::All };
        }
        let (operation, all) = if draw < self.read_below {
            (Operation::Read, self.read_all_fields)
        } else {
            (Operation::Update, self.write_all_fields)
        };
        let number = self.chooser.choose(&mut self.random, self.inserts.bound());
        Step { operation, number, fields: self.fields(all) }
    }

    #[allow(clippy::cast_possible_truncation)] // below field_count, a u32
    #[inline]
    fn fields(&mut self, all: bool) -> Fields {
        if all { Fields::All } else { Fields::One(self.random.below(self.field_count) as u32) }
    }

    /// What came of an insert that this stream gave.
    pub fn settle(&mut self, number: u64, done: bool) {
        if done {
            self.inserts.acknowledge(number);
        } else {
            self.inserts.give_back(number);
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
fn expected_inserts(workload: &Workload, phase: Option<&Phase>) -> u64 {
    let operations = phase.and_then(|phase| phase.operation_count).unwrap_or(0);
    (operations as f64 * workload.operations.insert) as u64
}

/// The inserts of the load phase: a shard's share of the slice, each record until it is there or
/// has failed too often.
#[derive(Debug)]
pub struct LoadStream {
    next: u64,
    end: u64,
    step: u64,
    again: Vec<(u64, u8)>,
    /// Failures of the numbers under way, kept only while there are any.
    failures: Vec<(u64, u8)>,
}

impl LoadStream {
    /// A shard's share.
    #[must_use]
    pub fn new(workload: &Workload, (shard, shards): (u64, u64)) -> Self {
        let end = workload.insert_start + workload.slice_length();
        let next = workload.insert_start + shard;
        Self { next, end, step: shards, again: Vec::new(), failures: Vec::new() }
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
        Some(Step { operation: Operation::Insert, number, fields: Fields::All })
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
        if !done && failures < LOAD_ATTEMPTS {
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
    let mut hash = 0xCBF2_9CE4_8422_2325_u64;
    let mut take = |step: Step| {
        let field = match step.fields {
            Fields::All => u64::MAX,
            Fields::One(index) => u64::from(index),
        };
        for word in [step.operation.index() as u64, step.number, field] {
            for octet in word.to_le_bytes() {
                hash = (hash ^ u64::from(octet)).wrapping_mul(1_099_511_628_211);
            }
        }
    };
    if let Some(index) = phase {
        let shared = Arc::new(Acknowledged::new(order.workload.record_count));
        let mut streams: Vec<_> = (0..shards)
            .map(|shard| {
                let inserts = InsertNumbers::new(Arc::clone(&shared));
                OperationStream::new(order, index, (shard, shards), inserts)
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
        let mut stream = LoadStream::new(&order.workload, (0, 1));
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
        OperationStream::new(order, 1, (0, 1), InsertNumbers::new(shared))
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
        let mut counts = [0_u32; 3];
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
    fn the_load_stream_gives_each_record_once_and_failed_ones_again() {
        let order = order(1, &serde_json::json!({"read": 1.0}), "uniform");
        let mut seen = Vec::new();
        for shard in 0..3 {
            let mut stream = LoadStream::new(&order.workload, (shard, 3));
            while let Some(step) = stream.advance() {
                seen.push(step.number);
                stream.settle(step.number, true);
            }
        }
        seen.sort_unstable();
        assert_eq!(seen, (0..1000).collect::<Vec<_>>());

        let mut stream = LoadStream::new(&order.workload, (0, 1000));
        for _ in 0..LOAD_ATTEMPTS {
            let step = stream.advance().unwrap();
            assert_eq!(step.number, 0);
            stream.settle(step.number, false);
        }
        assert_eq!(stream.advance(), None);
    }
}
