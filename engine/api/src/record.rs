//! The shape of a record: its fields, how long their values are, and what is done with records.

use crate::expiry::Expiry;

/// Which fields an operation is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fields {
    /// All of the record.
    All,
    /// One, by index.
    One(u16),
}

/// How long the values of fields are, bytes.
#[derive(Debug, Clone, PartialEq)]
pub enum Lengths {
    /// All alike.
    Constant(usize),
    /// Drawn for every value, each of these alike.
    Uniform(std::ops::RangeInclusive<usize>),
    /// Drawn for every value: (share of values that are not longer, length), both ascending, the
    /// last share 1.
    Drawn(Vec<(f64, usize)>),
}

impl Lengths {
    /// The shortest and the longest.
    #[must_use]
    pub fn range(&self) -> (usize, usize) {
        match self {
            Self::Constant(length) => (*length, *length),
            Self::Uniform(between) => (*between.start(), *between.end()),
            Self::Drawn(table) => {
                let length = |entry: Option<&(f64, usize)>| entry.map_or(0, |entry| entry.1);
                (length(table.first()), length(table.last()))
            }
        }
    }

    /// The mean.
    #[must_use]
    pub fn mean(&self) -> f64 {
        match self {
            Self::Constant(length) => *length as f64,
            Self::Uniform(between) => f64::midpoint(*between.start() as f64, *between.end() as f64),
            Self::Drawn(table) => {
                let mut below = 0.0;
                let part = |&(share, length): &(f64, usize)| {
                    (share - std::mem::replace(&mut below, share)) * length as f64
                };
                table.iter().map(part).sum()
            }
        }
    }
}

/// How records look, and what a workload does with them.
#[derive(Debug, Clone, PartialEq)]
pub struct RecordShape {
    lengths: Lengths,
    names: Vec<String>,
    /// When records expire: [`crate::Request::ttl_seconds`] tells it of each write.
    pub expiry: Expiry,
    /// Reads of all fields name them, one by one.
    pub reads_by_name: bool,
    /// The workload scans: a system without an order of keys needs an index.
    pub scans: bool,
    /// Records that one read asks for.
    pub keys_per_read: u16,
    /// What all keys begin with, where the workload says so: whatever a driver writes beside the
    /// records (an index) is named so, too.
    pub key_prefix: Option<String>,
    /// A record may be there in part: deleted or expired, and then updated in one field.
    pub may_be_partial: bool,
}

impl RecordShape {
    /// Records of `field_count` fields of `field_length` bytes, named `prefix0`, `prefix1`, …
    #[must_use]
    pub fn new(field_count: u16, field_length: usize, prefix: &str) -> Self {
        Self::with_lengths(field_count, Lengths::Constant(field_length), prefix)
    }

    /// The same with lengths that may differ.
    #[must_use]
    pub fn with_lengths(field_count: u16, lengths: Lengths, prefix: &str) -> Self {
        let names = (0..field_count).map(|index| format!("{prefix}{index}")).collect();
        Self {
            lengths,
            names,
            expiry: Expiry::Never,
            reads_by_name: false,
            scans: false,
            keys_per_read: 1,
            key_prefix: None,
            may_be_partial: false,
        }
    }

    /// Names of the fields, by index.
    #[must_use]
    pub fn field_names(&self) -> &[String] {
        &self.names
    }

    /// How long values are.
    #[must_use]
    pub fn lengths(&self) -> &Lengths {
        &self.lengths
    }

    /// Number of fields.
    #[must_use]
    #[allow(clippy::cast_possible_truncation)] // made from a u16
    pub fn field_count(&self) -> u16 {
        self.names.len() as u16
    }

    /// Bytes in a record's values when all are of one length.
    #[must_use]
    pub fn constant_blob_length(&self) -> Option<usize> {
        match self.lengths {
            Lengths::Constant(length) => Some(length * self.names.len()),
            Lengths::Uniform(_) | Lengths::Drawn(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn range_and_mean_are_those_of_the_table() {
        let lengths = Lengths::Drawn(vec![(0.25, 10), (0.75, 20), (1.0, 100)]);
        assert_eq!(lengths.range(), (10, 100));
        assert!((lengths.mean() - 37.5).abs() < 1e-9);
        assert_eq!(Lengths::Constant(7).range(), (7, 7));
        assert_eq!(Lengths::Uniform(3..=8).range(), (3, 8));
        assert!((Lengths::Uniform(3..=8).mean() - 5.5).abs() < 1e-9);
    }
}
