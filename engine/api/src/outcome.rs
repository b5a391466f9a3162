//! What can be asked, and what can come of it.

/// An operation of the core workload.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Operation {
    /// Read a record, or one field of it.
    Read,
    /// Overwrite a record that exists, or one field of it.
    Update,
    /// Write a record that does not exist yet.
    Insert,
    /// Read a number of records from a key on, in the order that the system keeps keys in.
    Scan,
    /// Read a record, then overwrite it. The engine asks a driver for the read and for the update.
    ReadModifyWrite,
    /// Remove a record.
    Delete,
}

impl Operation {
    /// All of them, in the order of [`Operation::index`].
    pub const ALL: [Self; 6] =
        [Self::Read, Self::Update, Self::Insert, Self::Scan, Self::ReadModifyWrite, Self::Delete];

    /// What a system has that keeps no order of keys: all but scans.
    pub const WITHOUT_SCAN: [Self; 5] =
        [Self::Read, Self::Update, Self::Insert, Self::ReadModifyWrite, Self::Delete];

    /// Position in [`Operation::ALL`].
    #[must_use]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// Whether values are written.
    #[must_use]
    pub const fn writes(self) -> bool {
        matches!(self, Self::Update | Self::Insert)
    }

    /// The name in documents.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Update => "update",
            Self::Insert => "insert",
            Self::Scan => "scan",
            Self::ReadModifyWrite => "read_modify_write",
            Self::Delete => "delete",
        }
    }
}

/// Why an operation failed. Numbered behind the other outcomes, so that [`Outcome::index`] costs
/// nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum ErrorKind {
    /// No reply in time.
    Timeout = 3,
    /// The connection was refused or lost.
    Connection,
    /// The server said that it is asked too much, or that others are in the way: later it may take
    /// the same.
    ServerBusy,
    /// The reply was not of the protocol.
    Protocol,
    /// Any other error reply.
    Other,
    /// The server said that it does not take this: for want of rights, or because it is a replica or
    /// read-only.
    Refused,
    /// The server said that it has no place: memory or storage is full.
    Full,
    /// The server said that the record is larger than it takes.
    TooLarge,
    /// The server said that it, or too many of its nodes, cannot serve now: it starts, loads, ends, or
    /// has no leader.
    Unavailable,
    /// The machine has no port left for another connection: those of closed ones are kept for a while.
    NoPorts,
}

impl ErrorKind {
    /// All of them.
    pub const ALL: [Self; 10] = [
        Self::Timeout,
        Self::Connection,
        Self::ServerBusy,
        Self::Protocol,
        Self::Other,
        Self::Refused,
        Self::Full,
        Self::TooLarge,
        Self::Unavailable,
        Self::NoPorts,
    ];

    /// A number below the length of [`ErrorKind::ALL`], the same for equal kinds only.
    #[must_use]
    pub const fn index(self) -> usize {
        self as usize - Self::Timeout as usize
    }

    /// The name in documents.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Timeout => "timeout",
            Self::Connection => "connection",
            Self::ServerBusy => "server_busy",
            Self::Protocol => "protocol",
            Self::Other => "other",
            Self::Refused => "refused",
            Self::Full => "full",
            Self::TooLarge => "too_large",
            Self::Unavailable => "unavailable",
            Self::NoPorts => "no_ports",
        }
    }
}

/// What came of an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// Done.
    Ok,
    /// The record is not there.
    NotFound,
    /// A value was read that nobody wrote.
    VerifyFailed,
    /// Not done.
    Error(ErrorKind),
}

impl Outcome {
    /// How many there are.
    pub const COUNT: usize = 3 + ErrorKind::ALL.len();

    /// A number below [`Outcome::COUNT`], the same for equal outcomes only.
    #[must_use]
    pub const fn index(self) -> usize {
        match self {
            Self::Ok => 0,
            Self::NotFound => 1,
            Self::VerifyFailed => 2,
            Self::Error(kind) => kind as usize,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn indices_are_distinct_and_below_the_count() {
        let mut all = vec![Outcome::Ok, Outcome::NotFound, Outcome::VerifyFailed];
        all.extend(ErrorKind::ALL.map(Outcome::Error));
        let indices: Vec<_> = all.iter().map(|outcome| outcome.index()).collect();
        assert_eq!(indices, (0..Outcome::COUNT).collect::<Vec<_>>());
    }
}
