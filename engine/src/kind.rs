//! What figures are kept of.

use weighhouse_driver_api::Operation;

/// An operation of a workload, or a fill: the write that follows a read which found nothing. Drivers
/// know no fills, they are asked for an insert.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// One that a workload has a share of.
    Asked(Operation),
    /// What follows such a read.
    Fill,
}

impl Kind {
    /// How many there are.
    pub const COUNT: usize = Operation::ALL.len() + 1;

    /// All of them, in the order of [`Kind::index`].
    pub fn all() -> impl Iterator<Item = Self> {
        Operation::ALL.into_iter().map(Self::Asked).chain([Self::Fill])
    }

    /// A number below [`Kind::COUNT`], the same for equal kinds only.
    #[must_use]
    #[inline]
    pub const fn index(self) -> usize {
        match self {
            Self::Asked(operation) => operation.index(),
            Self::Fill => Operation::ALL.len(),
        }
    }

    /// The name in documents.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Asked(operation) => operation.name(),
            Self::Fill => "fill",
        }
    }
}

impl From<Operation> for Kind {
    #[inline]
    fn from(operation: Operation) -> Self {
        Self::Asked(operation)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn indices_are_distinct_and_below_the_count() {
        let indices: Vec<_> = Kind::all().map(Kind::index).collect();
        assert_eq!(indices, (0..Kind::COUNT).collect::<Vec<_>>());
    }
}
