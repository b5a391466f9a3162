//! Recording: a histogram for each operation and outcome that occurs.
//!
//! A recorder belongs to one shard while an interval lasts; then the shard hands it over and goes
//! on with a clean one. What belongs together is merged by addition, never by averaging.

use std::collections::BTreeMap;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hdrhistogram::Histogram;
use hdrhistogram::serialization::{Serializer, V2DeflateSerializer};
use serde::Serialize;
use weighhouse_driver_api::{ErrorKind, Outcome};

use crate::kind::Kind;

/// What a histogram has place for from the start, ns: one minute.
pub const USUAL: u64 = 60_000_000_000;
/// The longest length that is told from longer ones, ns: 146 years.
const LONGEST: u64 = (1 << 62) - 1;

/// Bits of a value that a bucket keeps: 3 significant digits need 2,048 steps.
const KEPT_BITS: u32 = 11;
/// Steps that a bucket adds to the one below it.
const HALF: usize = 1 << (KEPT_BITS - 1);

/// A histogram of nanoseconds, as long as they may be: it grows with the first that is longer.
///
/// The counts lie as `HdrHistogram` lays them out for 1 ns and more with 3 digits, and are encoded by
/// its crate. Recording is done here, because that crate's checks of what cannot happen here cost as
/// much as sending the request (`make bench-engine` counts it).
#[derive(Debug, Clone)]
pub struct Latencies {
    counts: Vec<u64>,
    total: u64,
}

impl Default for Latencies {
    fn default() -> Self {
        Self { counts: vec![0; position(USUAL) + 1], total: 0 }
    }
}

/// Where a value is counted.
#[inline]
#[allow(clippy::cast_possible_truncation)] // below 2^11 after the shift
fn position(nanoseconds: u64) -> usize {
    let bucket = (u64::BITS - KEPT_BITS) - (nanoseconds | ((1 << KEPT_BITS) - 1)).leading_zeros();
    bucket as usize * HALF + (nanoseconds >> bucket) as usize
}

/// The least value that is counted at a position, and how many values are.
fn values_at(position: usize) -> (u64, u64) {
    let bucket = (position / HALF).saturating_sub(1);
    (((position - bucket * HALF) as u64) << bucket, 1 << bucket)
}

impl Latencies {
    /// Records one.
    #[inline]
    pub fn record(&mut self, nanoseconds: u64) {
        match self.counts.get_mut(position(nanoseconds)) {
            Some(place) => {
                *place += 1;
                self.total += 1;
            }
            None => self.record_long(nanoseconds),
        }
    }

    /// Records one for which there is no place yet.
    #[cold]
    #[inline(never)]
    fn record_long(&mut self, nanoseconds: u64) {
        let place = position(nanoseconds.min(LONGEST));
        self.reach(place + 1);
        self.counts[place] += 1;
        self.total += 1;
    }

    /// Has at least so many places.
    fn reach(&mut self, places: usize) {
        if places > self.counts.len() {
            self.counts.resize(places.next_multiple_of(HALF), 0);
        }
    }

    /// How many there are.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.total
    }

    /// The value that a share of all is not above, the highest of those that are not told apart;
    /// 0 without values.
    #[must_use]
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // a share of a count
    pub fn quantile(&self, share: f64) -> u64 {
        let rank = ((share * self.count() as f64).ceil() as u64).max(1);
        let mut seen = 0;
        for (position, count) in self.counts.iter().enumerate() {
            seen += count;
            if seen >= rank {
                let (least, width) = values_at(position);
                return least + (width - 1);
            }
        }
        0
    }

    fn add(&mut self, other: &Self) {
        if other.total > 0 {
            self.reach(other.counts.len());
            for (mine, theirs) in self.counts.iter_mut().zip(&other.counts) {
                *mine += theirs;
            }
        }
        self.total += other.total;
    }

    fn clear(&mut self) {
        if self.total > 0 {
            self.counts.fill(0);
        }
        self.total = 0;
    }

    fn histogram(&self) -> Histogram<u64> {
        let longest = self.counts.iter().rposition(|count| *count > 0).map_or(0, |place| {
            let (least, width) = values_at(place);
            least + (width - 1)
        });
        // The constructor accepts such bounds, and every value lies in them.
        let mut histogram = Histogram::new_with_bounds(1, longest.max(USUAL), 3)
            .unwrap_or_else(|_| unreachable!("the bounds are valid"));
        for (position, &count) in self.counts.iter().enumerate().filter(|(_, count)| **count > 0) {
            histogram
                .record_n(values_at(position).0, count)
                .unwrap_or_else(|_| unreachable!("the value is in range"));
        }
        histogram
    }

    /// `HdrHistogram`, V2, deflated, base64.
    #[must_use]
    pub fn encode(&self) -> String {
        let mut bytes = Vec::new();
        // Writing into memory cannot fail for a histogram of these bounds.
        let _ = V2DeflateSerializer::new().serialize(&self.histogram(), &mut bytes);
        STANDARD.encode(bytes)
    }
}

/// Latencies of one operation and outcome.
#[derive(Debug, Clone, Default)]
pub struct Cell {
    /// From due (open loop) or sent (closed loop) to done.
    pub response: Latencies,
    /// From sent to done; only in an open loop.
    pub service: Option<Latencies>,
}

/// Bytes of requests that were written to connections and of replies that were read from them, as the
/// protocol has them: of TLS, what it carries.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Wire {
    /// Of requests.
    pub sent: u64,
    /// Of replies.
    pub received: u64,
}

/// Of operations that were due in one interval of an open loop.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Due {
    /// How many were begun.
    pub begun: u64,
    /// How many never were.
    pub never_sent: u64,
}

/// What a server said first of operations that failed in one way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Said {
    /// When, ns of the driver's clock.
    pub at: u64,
    /// What, at most [`MOST_SAID`] bytes of it.
    pub words: Box<str>,
}

/// Bytes of a reply that are kept.
pub const MOST_SAID: usize = 2048;

/// All that a shard records in an interval.
#[derive(Debug, Default)]
pub struct Recorder {
    /// Of an open loop: operations begun in the interval in which they were due.
    pub in_time: u64,
    /// Others that were begun or given up in this interval, by the one in which they were due.
    pub late: BTreeMap<u64, Due>,
    /// Operations that were due, waited for a place until the phase was long over, and were given up.
    never_sent: [u64; Kind::COUNT],
    said: [[Option<Box<Said>>; ErrorKind::ALL.len()]; Kind::COUNT],
    cells: [[Option<Box<Cell>>; Outcome::COUNT]; Kind::COUNT],
    /// From due to sent; only in an open loop.
    pub lag: Latencies,
    /// The same, without operations that had to wait for a place or a connection: what the driver
    /// itself is to blame for.
    pub own_lag: Latencies,
    /// How long what was ready had to wait for the loop to come round again, at most.
    pub loop_delay: Latencies,
    /// Most operations under way at once.
    pub in_flight_most: usize,
    /// Connections that were made anew.
    pub reconnects: u64,
    /// Bytes on the wire; none of a system that is not reached over the engine's own connections.
    pub wire: Wire,
    /// Operations had to wait for a place among those in flight.
    pub saturated: bool,
    /// Processor time of the shard's thread, user and system, ns.
    pub thread_cpu: (u64, u64),
    /// The same of the whole process; from the first shard only.
    pub process_cpu: Option<(u64, u64)>,
}

impl Recorder {
    /// Records what came of an operation. `service` is given in an open loop only.
    #[inline(always)]
    #[allow(clippy::inline_always)] // counted by make bench-engine
    pub fn record(
        &mut self,
        kind: impl Into<Kind>,
        outcome: Outcome,
        response: u64,
        service: Option<u64>,
    ) {
        let cell = self.cells[kind.into().index()][outcome.index()].get_or_insert_default();
        cell.response.record(response);
        if let Some(service) = service {
            cell.service.get_or_insert_default().record(service);
        }
    }

    /// Counts an operation that was due in an interval and is given up.
    pub fn give_up(&mut self, kind: impl Into<Kind>, due_in: u64) {
        self.never_sent[kind.into().index()] += 1;
        self.late.entry(due_in).or_default().never_sent += 1;
    }

    /// Keeps what was said of a failure, if it is the first of its operation and kind.
    #[cold]
    #[inline(never)]
    pub fn say(&mut self, operation: impl Into<Kind>, kind: ErrorKind, at: u64, reply: &[u8]) {
        let said = &mut self.said[operation.into().index()][kind.index()];
        if said.is_none() && !reply.is_empty() {
            let kept = &reply[..reply.len().min(MOST_SAID)];
            let words = String::from_utf8_lossy(kept).trim().into();
            *said = Some(Box::new(Said { at, words }));
        }
    }

    /// What was said first of an operation's failures of a kind.
    #[must_use]
    pub fn said(&self, operation: impl Into<Kind>, kind: ErrorKind) -> Option<&Said> {
        self.said[operation.into().index()][kind.index()].as_deref()
    }

    /// How many of an operation were given up.
    #[must_use]
    pub fn never_sent(&self, kind: impl Into<Kind>) -> u64 {
        self.never_sent[kind.into().index()]
    }

    /// Whether nothing was begun, given up, or came back.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        let mut cells = self.cells.iter().flatten().flatten();
        self.in_time == 0 && self.late.is_empty() && cells.all(|cell| cell.response.count() == 0)
    }

    /// Makes place for what is going to be recorded, so that nothing is allocated later.
    pub fn prepare(&mut self, kinds: impl Iterator<Item = Kind>, open: bool) {
        for kind in kinds {
            let cell = self.cells[kind.index()][Outcome::Ok.index()].get_or_insert_default();
            if open {
                cell.service.get_or_insert_default();
            }
        }
    }

    /// What was recorded of an operation and outcome, if any was.
    #[must_use]
    pub fn cell(&self, kind: impl Into<Kind>, outcome: Outcome) -> Option<&Cell> {
        self.cells[kind.into().index()][outcome.index()]
            .as_deref()
            .filter(|cell| cell.response.count() > 0)
    }

    /// How many operations came to this.
    #[must_use]
    pub fn count(&self, kind: impl Into<Kind>, outcome: Outcome) -> u64 {
        self.cell(kind, outcome).map_or(0, |cell| cell.response.count())
    }

    /// Response times of everything that succeeded.
    #[must_use]
    pub fn responses(&self) -> Latencies {
        let mut all = Latencies::default();
        for kind in Kind::all() {
            if let Some(cell) = self.cell(kind, Outcome::Ok) {
                all.add(&cell.response);
            }
        }
        all
    }

    /// Adds what another recorder holds.
    pub fn add(&mut self, other: &Self) {
        self.in_time += other.in_time;
        for (&sequence, theirs) in &other.late {
            let mine = self.late.entry(sequence).or_default();
            mine.begun += theirs.begun;
            mine.never_sent += theirs.never_sent;
        }
        let all_said = self.said.iter_mut().flatten();
        for (mine, theirs) in all_said.zip(other.said.iter().flatten()) {
            let Some(theirs) = theirs.as_deref() else { continue };
            if mine.as_ref().is_none_or(|mine| theirs.at < mine.at) {
                *mine = Some(Box::new(theirs.clone()));
            }
        }
        for (mine, theirs) in self.never_sent.iter_mut().zip(&other.never_sent) {
            *mine += theirs;
        }
        for (mine, theirs) in self.cells.iter_mut().flatten().zip(other.cells.iter().flatten()) {
            let Some(theirs) = theirs.as_deref().filter(|cell| cell.response.count() > 0) else {
                continue;
            };
            let mine = mine.get_or_insert_default();
            mine.response.add(&theirs.response);
            if let Some(service) = &theirs.service {
                mine.service.get_or_insert_default().add(service);
            }
        }
        self.lag.add(&other.lag);
        self.own_lag.add(&other.own_lag);
        self.loop_delay.add(&other.loop_delay);
        self.in_flight_most += other.in_flight_most;
        self.reconnects += other.reconnects;
        self.wire.sent += other.wire.sent;
        self.wire.received += other.wire.received;
        self.saturated |= other.saturated;
        self.thread_cpu.0 += other.thread_cpu.0;
        self.thread_cpu.1 += other.thread_cpu.1;
        self.process_cpu = self.process_cpu.or(other.process_cpu);
    }

    /// Forgets everything and keeps the memory.
    pub fn clear(&mut self) {
        self.in_time = 0;
        self.late.clear();
        self.never_sent = [0; Kind::COUNT];
        self.said = Default::default();
        for cell in self.cells.iter_mut().flatten().flatten() {
            cell.response.clear();
            if let Some(service) = &mut cell.service {
                service.clear();
            }
        }
        self.lag.clear();
        self.own_lag.clear();
        self.loop_delay.clear();
        self.in_flight_most = 0;
        self.reconnects = 0;
        self.wire = Wire::default();
        self.saturated = false;
        self.thread_cpu = (0, 0);
        self.process_cpu = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use weighhouse_driver_api::Operation;

    #[test]
    fn nothing_is_too_long() {
        let hour = 3_600_000_000_000;
        let mut latencies = Latencies::default();
        for length in [1_000, USUAL + 1, hour, 24 * hour, u64::MAX] {
            latencies.record(length);
        }
        assert_eq!(latencies.count(), 5);
        for (share, length) in [(0.2, 1_000), (0.4, USUAL), (0.6, hour), (0.8, 24 * hour)] {
            let told = latencies.quantile(share);
            assert!(told >= length && told - length <= length / 1000, "{told} for {length}");
        }
        assert_eq!(latencies.quantile(1.0), LONGEST);
        let bytes = STANDARD.decode(latencies.encode()).unwrap();
        let read: Histogram<u64> =
            hdrhistogram::serialization::Deserializer::new().deserialize(&mut &bytes[..]).unwrap();
        assert_eq!(read.len(), 5);
        assert_eq!(read.value_at_quantile(0.6), latencies.quantile(0.6));
        let mut sum = Latencies::default();
        sum.record(7);
        sum.add(&latencies);
        assert_eq!((sum.count(), sum.quantile(1.0)), (6, LONGEST));
        sum.clear();
        assert_eq!((sum.count(), sum.quantile(1.0)), (0, 0));
    }

    #[test]
    fn merging_adds_every_histogram_and_counter() {
        let mut one = Recorder::default();
        let mut two = Recorder::default();
        one.record(Operation::Read, Outcome::Ok, 1_000, Some(900));
        two.record(Operation::Read, Outcome::Ok, 3_000, Some(800));
        two.record(Operation::Update, Outcome::NotFound, 5_000, None);
        two.reconnects = 2;
        one.wire = Wire { sent: 30, received: 1_000 };
        two.wire = Wire { sent: 5, received: 7 };
        one.add(&two);
        assert_eq!(one.count(Operation::Read, Outcome::Ok), 2);
        assert_eq!(one.count(Operation::Update, Outcome::NotFound), 1);
        assert_eq!(one.reconnects, 2);
        assert_eq!(one.wire, Wire { sent: 35, received: 1_007 });
        assert_eq!(one.responses().count(), 2);
        one.clear();
        assert_eq!(one.wire, Wire::default());
        assert!(one.cell(Operation::Read, Outcome::Ok).is_none());
    }

    #[test]
    fn an_encoded_histogram_can_be_read_again() {
        let mut latencies = Latencies::default();
        for value in 1..5_000 {
            latencies.record(value * 1_000);
        }
        let bytes = STANDARD.decode(latencies.encode()).unwrap();
        let read: Histogram<u64> =
            hdrhistogram::serialization::Deserializer::new().deserialize(&mut &bytes[..]).unwrap();
        assert_eq!(read, latencies.histogram());
        assert_eq!(read.len(), 4_999);
    }

    #[test]
    fn positions_are_those_of_the_crate_that_encodes() {
        let edges = (0..62).flat_map(|power| [(1_u64 << power) - 1, 1 << power, (1 << power) + 1]);
        let mut random = crate::workload::Random::new(4, [0; 3]);
        let spread =
            std::iter::repeat_with(|| random.bits() >> (2 + random.bits() % 60)).take(20_000);
        for value in edges.chain(spread).chain([0, USUAL, LONGEST]) {
            let mut latencies = Latencies::default();
            latencies.record(value);
            let histogram = latencies.histogram();
            let mut theirs = Histogram::<u64>::new_with_bounds(1, USUAL, 3).unwrap();
            theirs.auto(true);
            theirs.record(value).unwrap();
            assert!(histogram.equivalent(value, values_at(position(value)).0), "{value}");
            assert_eq!(histogram.count_at(value), theirs.count_at(value), "{value}");
            assert_eq!(latencies.quantile(0.5), theirs.highest_equivalent(value), "{value}");
        }
    }

    #[test]
    fn quantiles_are_those_of_the_crate_that_encodes() {
        let mut random = crate::workload::Random::new(5, [0; 3]);
        let mut latencies = Latencies::default();
        for _ in 0..10_007 {
            latencies.record(random.bits() >> 30);
        }
        for share in [0.001, 0.5, 0.9, 0.99, 0.999, 0.9999, 1.0] {
            assert_eq!(latencies.quantile(share), latencies.histogram().value_at_quantile(share));
        }
    }
}
