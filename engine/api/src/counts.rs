//! What a system inside the process counts of its own work.

use std::collections::BTreeMap;

/// Counters since the system was opened, by its own names, beside those of the driver's recorder.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Counts {
    /// Calls, or keys, by command.
    pub commands: BTreeMap<&'static str, u64>,
    /// Keys that were asked for and there; none: not told.
    pub hits: Option<u64>,
    /// Keys that were asked for and not there.
    pub misses: Option<u64>,
    /// Bytes of values that were read.
    pub sent_bytes: Option<u64>,
    /// Bytes of keys and values that were written.
    pub received_bytes: Option<u64>,
    /// Commands that it does not count as it was opened.
    pub lacking: &'static [&'static str],
}

impl Counts {
    /// What was counted between two looks, of which this is the later one.
    #[must_use]
    pub fn since(&self, earlier: &Self) -> Self {
        let grown = |later: Option<u64>, earlier: Option<u64>| Some(later? - earlier?);
        let before = |name| earlier.commands.get(name).copied().unwrap_or_default();
        Self {
            commands: self
                .commands
                .iter()
                .map(|(&name, &calls)| (name, calls - before(name)))
                .collect(),
            hits: grown(self.hits, earlier.hits),
            misses: grown(self.misses, earlier.misses),
            sent_bytes: grown(self.sent_bytes, earlier.sent_bytes),
            received_bytes: grown(self.received_bytes, earlier.received_bytes),
            lacking: self.lacking,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_grew_is_told_and_what_is_not_counted_stays_so() {
        let at = |written, hits| Counts {
            commands: BTreeMap::from([("written", written)]),
            hits,
            lacking: &["read"],
            ..Counts::default()
        };
        let grown = at(12, Some(7)).since(&at(5, Some(7)));
        assert_eq!(grown, at(7, Some(0)));
        assert_eq!(at(12, None).since(&at(5, Some(7))).hits, None);
        assert_eq!(at(3, None).since(&Counts::default()), at(3, None));
    }
}
