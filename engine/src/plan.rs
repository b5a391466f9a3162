//! What the coordinator tells the shards, and what they tell it.

use weighhouse_driver_api::Operation;

use crate::kind::Kind;
use crate::order::{Order, PhaseKind};
use crate::recorder::Recorder;

/// A phase as a shard is to carry it out.
#[derive(Debug, Clone)]
pub struct PhasePlan {
    /// What is done.
    pub kind: PhaseKind,
    /// Position in the order.
    pub index: usize,
    /// When it starts, ns of the driver's clock: intervals and due times are counted from here.
    pub start: u64,
    /// When this driver takes part in it from: later than its start where it was told too late.
    pub begin: u64,
    /// When it ends; never when it is the largest number.
    pub deadline: u64,
    /// Operations of this shard; no limit when it is the largest number.
    pub operations: u64,
    /// The same of all shards.
    pub operations_of_all: u64,
    /// Clients of all shards.
    pub clients: usize,
    /// Length of an interval, ns.
    pub interval: u64,
    /// Whether operations are due by a clock: what comes after the deadline then lies in intervals
    /// of its own.
    pub open: bool,
}

impl PhasePlan {
    /// When an interval begins, ns: at whole multiples of the interval after the start, and in an
    /// open loop at the deadline as well.
    #[must_use]
    pub fn bound(&self, sequence: u64) -> u64 {
        let regular =
            |sequence: u64| self.start.saturating_add(sequence.saturating_mul(self.interval));
        match self.cut() {
            Some(whole) if sequence == whole + 1 => self.deadline,
            Some(whole) if sequence > whole + 1 => regular(sequence - 1),
            _ => regular(sequence),
        }
    }

    /// The interval of a moment that is not before the start.
    #[must_use]
    pub fn sequence(&self, moment: u64) -> u64 {
        let regular = moment.saturating_sub(self.start) / self.interval;
        regular + u64::from(self.cut().is_some() && moment >= self.deadline)
    }

    /// Whether what is done at a moment comes after what the phase is about.
    #[must_use]
    pub fn drains(&self, moment: u64) -> bool {
        self.open && moment >= self.deadline
    }

    /// The interval that the deadline cuts in two, if there is one.
    fn cut(&self) -> Option<u64> {
        let length = self.deadline.saturating_sub(self.start);
        (self.open && self.deadline != u64::MAX && !length.is_multiple_of(self.interval))
            .then(|| length / self.interval)
    }

    /// What the phase does.
    #[must_use]
    pub fn kinds_that_occur(&self, order: &Order) -> Vec<Kind> {
        let occurs = |kind: &Kind| match (self.kind, *kind) {
            (PhaseKind::Load, kind) => kind == Kind::Asked(Operation::Insert),
            (_, Kind::Asked(operation)) => order.share(operation) > 0.0,
            (_, Kind::Fill) => order.workload.fill_on_miss,
        };
        Kind::all().filter(occurs).collect()
    }
}

/// What a shard tells.
#[derive(Debug)]
pub enum Report {
    /// An interval is over.
    Interval {
        /// Who tells.
        shard: usize,
        /// First interval that it covers.
        sequence: u64,
        /// Last interval that it covers; none when the phase's last one, which may go on beyond
        /// its length.
        through: Option<u64>,
        /// When it ended, ns.
        end: u64,
        /// What happened; to be given back.
        recorder: Box<Recorder>,
    },
    /// The phase is over.
    Done {
        /// Who tells.
        shard: usize,
        /// When its last operation was done, ns.
        end: u64,
    },
    /// The shard gives up.
    Failed(Failure),
}

/// Why a driver gives up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// `connection`, `target` or `internal`.
    pub kind: &'static str,
    /// What happened.
    pub message: String,
    /// What to try.
    pub hint: String,
}

impl Failure {
    /// A failure of a kind.
    pub fn new(kind: &'static str, message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { kind, message: message.into(), hint: hint.into() }
    }
}

/// A shard's share of a number of things that are dealt out in turns.
#[must_use]
pub fn share(all: u64, shard: usize, shards: usize) -> u64 {
    let (shard, shards) = (shard as u64, shards as u64);
    all / shards + u64::from(shard < all % shards)
}

/// Clients of a phase.
#[must_use]
pub fn clients(order: &Order, index: usize) -> usize {
    let level = order.load.clients();
    match order.phases.get(index) {
        Some(phase) if phase.kind == PhaseKind::Load => phase.clients.unwrap_or(level),
        _ => level,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_of_an_open_loop_end_with_the_phase() {
        let plan = |open, deadline| PhasePlan {
            kind: PhaseKind::Measure,
            index: 0,
            start: 1_000,
            begin: 1_000,
            deadline,
            operations: u64::MAX,
            operations_of_all: u64::MAX,
            clients: 1,
            interval: 100,
            open,
        };
        let bounds = |plan: &PhasePlan| (0..6).map(|it| plan.bound(it)).collect::<Vec<_>>();
        let regular = [1_000, 1_100, 1_200, 1_300, 1_400, 1_500];
        for (open, deadline) in [(false, 1_250), (true, 1_200), (true, u64::MAX)] {
            assert_eq!(bounds(&plan(open, deadline)), regular);
        }
        let cut = plan(true, 1_250);
        assert_eq!(bounds(&cut), [1_000, 1_100, 1_200, 1_250, 1_300, 1_400]);
        for sequence in 0..6 {
            assert_eq!(cut.sequence(cut.bound(sequence)), sequence);
            assert_eq!(cut.sequence(cut.bound(sequence + 1) - 1), sequence);
        }
        assert!(cut.drains(1_250) && !cut.drains(1_249) && !plan(false, 1_250).drains(1_300));
    }

    #[test]
    fn shares_add_up_and_differ_by_one_at_most() {
        let shares: Vec<_> = (0..4).map(|shard| share(10, shard, 4)).collect();
        assert_eq!(shares, [3, 3, 2, 2]);
    }
}
