//! A cache that evicts exactly what was asked for longest ago: what stores that approximate it are
//! held against.

use std::collections::{BTreeMap, HashMap};

/// A cache-aside cache of records by their numbers: what is not there is filled in.
#[derive(Debug)]
pub struct Lru {
    places: usize,
    asked: u64,
    /// Record → when it was asked for last, and the same the other way round.
    last: HashMap<u64, u64>,
    by_age: BTreeMap<u64, u64>,
}

impl Lru {
    /// An empty one with place for so many records.
    #[must_use]
    pub fn new(places: usize) -> Self {
        Self { places, asked: 0, last: HashMap::new(), by_age: BTreeMap::new() }
    }

    /// Asks for a record; whether it was there. It is from now on.
    pub fn ask(&mut self, record: u64) -> bool {
        self.asked += 1;
        let before = self.last.insert(record, self.asked);
        if let Some(before) = before {
            self.by_age.remove(&before);
        }
        self.by_age.insert(self.asked, record);
        if self.last.len() > self.places
            && let Some((_, oldest)) = self.by_age.pop_first()
        {
            self.last.remove(&oldest);
        }
        before.is_some()
    }

    /// Of so many records asked for, the share that was there, percent.
    #[must_use]
    pub fn hit_ratio(&mut self, records: impl Iterator<Item = u64>) -> f64 {
        let (mut hits, mut all) = (0_u32, 0_u32);
        for record in records {
            hits += u32::from(self.ask(record));
            all += 1;
        }
        100.0 * f64::from(hits) / f64::from(all)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_asked_for_longest_ago_goes() {
        let mut cache = Lru::new(2);
        assert_eq!(
            [1, 2, 1, 3, 2, 3, 1].map(|one| cache.ask(one)),
            [false, false, true, false, false, true, false]
        );
    }
}
