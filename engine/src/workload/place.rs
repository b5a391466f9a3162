//! A thread's place among all that make a load together: those of one driver, and those of others.

use crate::order::{Share, Workload};

/// Which part of the load a thread makes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// Which thread of its driver.
    pub shard: u64,
    /// How many the driver has.
    pub shards: u64,
    /// Which driver of how many.
    pub share: Share,
}

impl Place {
    /// The only thread of the only driver.
    #[must_use]
    pub fn alone() -> Self {
        Self { shard: 0, shards: 1, share: Share::default() }
    }

    /// What distinguishes a thread's random numbers from those of all others. The first driver has
    /// those of a driver alone.
    #[must_use]
    pub fn purpose(self) -> u64 {
        (self.share.index << 32) | self.shard
    }

    /// Its position among the threads of all drivers, and how many those are; drivers of one load
    /// have as many each.
    #[must_use]
    pub(super) fn among_all(self) -> (u64, u64) {
        (self.share.index * self.shards + self.shard, self.share.of * self.shards)
    }

    /// The numbers of the records that its driver loads: from the first to before the second.
    pub(super) fn slice(self, workload: &Workload) -> (u64, u64) {
        let count = u128::from(workload.slice_length());
        let of = u128::from(self.share.of);
        let bound = |index: u64| {
            let before = count * u128::from(index) / of;
            workload.insert_start + u64::try_from(before).unwrap_or(u64::MAX)
        };
        (bound(self.share.index), bound(self.share.index + 1))
    }
}

/// Which numbers the records have that a driver inserts beyond those that are loaded. It counts its
/// own one after another; of all drivers they are every so manieth.
#[derive(Debug, Clone, Copy)]
pub(super) struct Deal {
    /// Numbers below this one are the same for all.
    first: u64,
    share: Share,
}

impl Deal {
    pub(super) fn new(workload: &Workload, share: Share) -> Self {
        // Alone a driver has them all.
        let first = if share.of > 1 { workload.record_count } else { u64::MAX };
        Self { first, share }
    }

    /// The number of a record by the driver's own count.
    #[inline]
    pub(super) fn number(&self, own: u64) -> u64 {
        if own < self.first { own } else { self.dealt(own) }
    }

    #[cold]
    fn dealt(&self, own: u64) -> u64 {
        self.first + self.share.index + (own - self.first) * self.share.of
    }

    /// The driver's own count of a record that it inserted.
    pub(super) fn own(&self, number: u64) -> u64 {
        if number < self.first {
            return number;
        }
        self.first + (number - self.first - self.share.index) / self.share.of
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use weighhouse_driver_api::Operation;

    use super::*;
    use crate::order::Order;
    use crate::workload::{
        Acknowledged, InsertNumbers, LoadStream, OperationStream, Step, stream_hash,
    };

    fn order(changes: &serde_json::Value, share: (u64, u64)) -> Order {
        let mut order = serde_json::json!({
            "workload": {"name": "w", "record_count": 1000, "operations": {"read": 0.5, "insert": 0.5}},
            "target": {"endpoints": ["tcp://127.0.0.1:1"]},
            "load": {"model": "closed", "clients": 1},
            "phases": [{"kind": "load"}, {"kind": "measure", "operation_count": 5000}],
            "seed": 7,
            "share": {"index": share.0, "of": share.1}
        });
        for (name, value) in changes.as_object().unwrap() {
            order["workload"][name] = value.clone();
        }
        Order::parse(&order.to_string()).unwrap()
    }

    fn place(order: &Order, shard: u64, shards: u64) -> Place {
        Place { shard, shards, share: order.share }
    }

    /// What the threads of a driver load.
    fn loaded(order: &Order, shards: u64) -> Vec<u64> {
        let of = |shard| {
            let mut stream = LoadStream::new(&order.workload, place(order, shard, shards));
            std::iter::from_fn(move || stream.advance().map(|step| step.number))
        };
        (0..shards).flat_map(of).collect()
    }

    /// The operations of a driver's threads in turn, every insert acknowledged at once.
    fn steps(order: &Order, shards: u64, count: usize) -> Vec<Step> {
        let shared = Arc::new(Acknowledged::new(order.workload.record_count));
        let mut streams: Vec<_> = (0..shards)
            .map(|shard| {
                let inserts = InsertNumbers::new(Arc::clone(&shared));
                OperationStream::new(order, 1, place(order, shard, shards), inserts)
            })
            .collect();
        let turns = usize::try_from(shards).unwrap();
        (0..count)
            .map(|turn| {
                let stream = &mut streams[turn % turns];
                let step = stream.advance();
                if step.operation == Operation::Insert {
                    stream.settle(step.number, true);
                }
                step
            })
            .collect()
    }

    #[test]
    fn slices_make_up_the_records_and_overlap_nowhere() {
        let sliced = serde_json::json!({"insert_start": 101, "insert_count": 700});
        for changes in [serde_json::json!({}), sliced] {
            for of in [1, 2, 3, 7] {
                let mut all: Vec<u64> = Vec::new();
                for index in 0..of {
                    all.extend(loaded(&order(&changes, (index, of)), 1 + index % 3));
                }
                all.sort_unstable();
                let whole = order(&changes, (0, 1)).workload;
                let first = whole.insert_start;
                assert_eq!(all, (first..first + whole.slice_length()).collect::<Vec<_>>());
            }
        }
        // More drivers than records.
        let few = serde_json::json!({"record_count": 3});
        let all: Vec<_> = (0..10).flat_map(|index| loaded(&order(&few, (index, 10)), 2)).collect();
        assert_eq!(all, [0, 1, 2]);
    }

    #[test]
    fn no_two_drivers_insert_the_same_record() {
        let mut seen = std::collections::HashSet::new();
        for index in 0..3 {
            let order = order(&serde_json::json!({}), (index, 3));
            for step in steps(&order, 2, 5000) {
                if step.operation == Operation::Insert {
                    assert_eq!((step.number - 1000) % 3, index);
                    assert!(seen.insert(step.number), "{} twice", step.number);
                }
            }
        }
        assert!(seen.len() > 7000);
    }

    #[test]
    fn a_driver_reads_what_is_loaded_and_what_it_has_inserted_itself() {
        let series = serde_json::json!({"time_series": {"series_keys": 7}});
        let kinds = ["uniform", "zipfian", "latest", "exponential", "uniform_growing", "hotspot"];
        let kinds = kinds.map(|kind| serde_json::json!({"request_distribution": kind}));
        for changes in kinds.into_iter().chain([series]) {
            let order = order(&changes, (1, 3));
            let mut there: std::collections::HashSet<u64> = (0..1000).collect();
            let mut own = 0;
            for step in steps(&order, 1, 5000) {
                if step.operation == Operation::Insert {
                    there.insert(step.number);
                } else {
                    own += u64::from(step.number >= 1000);
                    assert!(there.contains(&step.number), "{changes}: {}", step.number);
                }
            }
            let grows = ["latest", "exponential", "uniform_growing", "zipfian"]
                .iter()
                .any(|kind| changes["request_distribution"] == *kind);
            assert_eq!(own > 0, grows, "{changes}");
        }
    }

    #[test]
    fn each_driver_draws_for_itself_and_the_first_as_if_alone() {
        let reads = serde_json::json!({"operations": {"read": 1.0}});
        let of = |index, of| stream_hash(&order(&reads, (index, of)), 2);
        assert_eq!(of(0, 1), of(0, 4));
        let hashes: std::collections::HashSet<_> = (0..4).map(|index| of(index, 4)).collect();
        assert_eq!(hashes.len(), 4);
        assert_eq!(of(3, 4), of(3, 4));
    }

    #[test]
    fn drivers_take_turns_through_a_sequence() {
        let whole = serde_json::json!({"operations": {"read": 1.0},
                                       "request_distribution": "sequential"});
        let mut all = Vec::new();
        for index in 0..2 {
            let order = order(&whole, (index, 2));
            all.extend(steps(&order, 2, 500).iter().map(|step| step.number));
        }
        all.sort_unstable();
        assert_eq!(all, (0..1000).collect::<Vec<_>>());
    }
}
