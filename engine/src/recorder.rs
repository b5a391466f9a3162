//! Recording: a histogram for each operation and outcome that occurs.
//!
//! A recorder belongs to one shard while an interval lasts; then the shard hands it over and goes
//! on with a clean one. What belongs together is merged by addition, never by averaging.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hdrhistogram::Histogram;
use hdrhistogram::serialization::{Serializer, V2DeflateSerializer};
use weighhouse_driver_api::{Operation, Outcome};

/// The longest latency a histogram holds, ns: one minute.
pub const LONGEST: u64 = 60_000_000_000;

/// A histogram of nanoseconds, and how many values were too long for it.
#[derive(Debug, Clone)]
pub struct Latencies {
    histogram: Histogram<u64>,
    overflow: u64,
}

impl Default for Latencies {
    fn default() -> Self {
        // The bounds are constants that the constructor accepts; a test builds one.
        let histogram = Histogram::new_with_bounds(1, LONGEST, 3)
            .unwrap_or_else(|_| unreachable!("the bounds are valid"));
        Self { histogram, overflow: 0 }
    }
}

impl Latencies {
    /// Records one.
    pub fn record(&mut self, nanoseconds: u64) {
        if nanoseconds > LONGEST || self.histogram.record(nanoseconds).is_err() {
            self.overflow += 1;
        }
    }

    /// Records several of the same length.
    pub fn record_many(&mut self, nanoseconds: u64, count: u64) {
        if nanoseconds > LONGEST || self.histogram.record_n(nanoseconds, count).is_err() {
            self.overflow += count;
        }
    }

    /// How many there are, those too long included.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.histogram.len() + self.overflow
    }

    /// How many were too long.
    #[must_use]
    pub fn overflow(&self) -> u64 {
        self.overflow
    }

    /// The value that a share of all is not above; the bound of the range where it lies beyond, 0
    /// without values.
    #[must_use]
    pub fn quantile(&self, share: f64) -> u64 {
        let all = self.count();
        if all == 0 {
            0
        } else if self.overflow as f64 > (1.0 - share) * all as f64 {
            LONGEST
        } else {
            self.histogram
                .value_at_quantile((share * all as f64 / self.histogram.len() as f64).min(1.0))
        }
    }

    fn add(&mut self, other: &Self) {
        let nothing = other.histogram.is_empty();
        if nothing || self.histogram.add(&other.histogram).is_ok() {
            self.overflow += other.overflow;
        } else {
            self.overflow += other.count();
        }
    }

    fn clear(&mut self) {
        if !self.histogram.is_empty() {
            self.histogram.clear();
        }
        self.overflow = 0;
    }

    /// `HdrHistogram`, V2, deflated, base64.
    #[must_use]
    pub fn encode(&self) -> String {
        let mut bytes = Vec::new();
        // Writing into memory cannot fail for a histogram of these bounds.
        let _ = V2DeflateSerializer::new().serialize(&self.histogram, &mut bytes);
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

/// All that a shard records in an interval.
#[derive(Debug, Default)]
pub struct Recorder {
    cells: [[Option<Box<Cell>>; Outcome::COUNT]; Operation::ALL.len()],
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
    /// Operations had to wait for a place among those in flight.
    pub saturated: bool,
    /// Processor time of the shard's thread, user and system, ns.
    pub thread_cpu: (u64, u64),
    /// The same of the whole process; from the first shard only.
    pub process_cpu: Option<(u64, u64)>,
}

impl Recorder {
    /// Records what came of an operation. `service` is given in an open loop only.
    #[inline]
    pub fn record(
        &mut self,
        operation: Operation,
        outcome: Outcome,
        response: u64,
        service: Option<u64>,
    ) {
        let cell = self.cells[operation.index()][outcome.index()].get_or_insert_default();
        cell.response.record(response);
        if let Some(service) = service {
            cell.service.get_or_insert_default().record(service);
        }
    }

    /// Records operations that were due and were never sent, after they had waited so long.
    pub fn record_unsent(&mut self, operation: Operation, outcome: Outcome, response: u64) {
        let cell = self.cells[operation.index()][outcome.index()].get_or_insert_default();
        cell.response.record(response);
    }

    /// Makes place for what is going to be recorded, so that nothing is allocated later.
    pub fn prepare(&mut self, operations: impl Iterator<Item = Operation>, open: bool) {
        for operation in operations {
            let cell = self.cells[operation.index()][Outcome::Ok.index()].get_or_insert_default();
            if open {
                cell.service.get_or_insert_default();
            }
        }
    }

    /// What was recorded of an operation and outcome, if any was.
    #[must_use]
    pub fn cell(&self, operation: Operation, outcome: Outcome) -> Option<&Cell> {
        self.cells[operation.index()][outcome.index()]
            .as_deref()
            .filter(|cell| cell.response.count() > 0)
    }

    /// How many operations came to this.
    #[must_use]
    pub fn count(&self, operation: Operation, outcome: Outcome) -> u64 {
        self.cell(operation, outcome).map_or(0, |cell| cell.response.count())
    }

    /// Response times of everything that succeeded.
    #[must_use]
    pub fn responses(&self) -> Latencies {
        let mut all = Latencies::default();
        for operation in Operation::ALL {
            if let Some(cell) = self.cell(operation, Outcome::Ok) {
                all.add(&cell.response);
            }
        }
        all
    }

    /// Adds what another recorder holds.
    pub fn add(&mut self, other: &Self) {
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
        self.saturated |= other.saturated;
        self.thread_cpu.0 += other.thread_cpu.0;
        self.thread_cpu.1 += other.thread_cpu.1;
        self.process_cpu = self.process_cpu.or(other.process_cpu);
    }

    /// Forgets everything and keeps the memory.
    pub fn clear(&mut self) {
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
        self.saturated = false;
        self.thread_cpu = (0, 0);
        self.process_cpu = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hdrhistogram::serialization::Deserializer;

    #[test]
    fn what_is_too_long_is_counted_and_not_clamped() {
        let mut latencies = Latencies::default();
        latencies.record(1_000);
        latencies.record(LONGEST + 1);
        assert_eq!((latencies.count(), latencies.overflow()), (2, 1));
        assert!(latencies.quantile(0.5).abs_diff(1_000) <= 1);
        assert_eq!(latencies.quantile(0.99), LONGEST);
    }

    #[test]
    fn merging_adds_every_histogram_and_counter() {
        let mut one = Recorder::default();
        let mut two = Recorder::default();
        one.record(Operation::Read, Outcome::Ok, 1_000, Some(900));
        two.record(Operation::Read, Outcome::Ok, 3_000, Some(800));
        two.record(Operation::Update, Outcome::NotFound, 5_000, None);
        two.reconnects = 2;
        one.add(&two);
        assert_eq!(one.count(Operation::Read, Outcome::Ok), 2);
        assert_eq!(one.count(Operation::Update, Outcome::NotFound), 1);
        assert_eq!(one.reconnects, 2);
        assert_eq!(one.responses().count(), 2);
        one.clear();
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
        assert_eq!(read, latencies.histogram);
        let _ = Deserializer::new();
    }
}
