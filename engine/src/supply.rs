//! The operations of a phase, as a shard takes them one by one.

use weighhouse_driver_api::{Fields, Operation};

use crate::plan::PhasePlan;
use crate::workload::{LoadStream, OperationStream, Place, Random, Step};

/// What distinguishes random numbers for verification from others of the same seed.
const VERIFICATION: u64 = 3;

/// Operations of a phase.
#[derive(Debug)]
pub(crate) enum Source {
    Idle,
    Load(LoadStream),
    Run(Box<OperationStream>),
}

impl Source {
    #[inline]
    fn advance(&mut self) -> Option<Step> {
        match self {
            Self::Idle => None,
            Self::Load(stream) => stream.advance(),
            Self::Run(stream) => Some(stream.advance()),
        }
    }

    /// The next operation, of a given kind in a phase that is no load.
    fn advance_of(&mut self, operation: Operation) -> Option<Step> {
        match self {
            Self::Run(stream) => Some(stream.of(operation)),
            _ => self.advance(),
        }
    }

    #[inline]
    pub(crate) fn settle(&mut self, number: u64, done: bool) {
        match self {
            Self::Idle => {}
            Self::Load(stream) => stream.settle(number, done),
            Self::Run(stream) => stream.settle(number, done),
        }
    }
}

/// What [`Supply::take_read`] left to be taken.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Untaken {
    /// Nothing.
    Nothing,
    /// An operation of a load phase.
    Load,
    /// One that is no plain read, of a draw.
    Drawn(u64),
}

/// Draws the operations of a phase, and numbers what they write.
#[derive(Debug)]
pub(crate) struct Supply {
    source: Source,
    left: u64,
    deadline: u64,
    version: u64,
    verify_fraction: f64,
    random: Random,
}

impl Supply {
    /// No operations at all.
    pub(crate) fn idle() -> Self {
        Self {
            source: Source::Idle,
            left: 0,
            deadline: 0,
            version: 0,
            verify_fraction: 0.0,
            random: Random::new(0, [VERIFICATION, 0, 0]),
        }
    }

    pub(crate) fn new(
        source: Source,
        plan: &PhasePlan,
        place: Place,
        (seed, verify_fraction): (u64, f64),
    ) -> Self {
        let phase = plan.index as u64;
        // 4 bits of phase, 8 of shard, 36 to count, which the drivers of one load divide.
        let first = place.share.index * ((1 << 36) / place.share.of);
        Self {
            source,
            left: plan.operations,
            deadline: plan.deadline,
            version: ((phase & 15) << 44) | ((place.shard & 255) << 36) | first,
            verify_fraction,
            random: Random::new(seed, [VERIFICATION, phase, place.purpose()]),
        }
    }

    /// The next operation, due at a time; none when the phase has begun all it is to begin.
    pub(crate) fn take(&mut self, now: u64) -> Option<Step> {
        match self.take_read(now) {
            Ok((number, fields)) => Some(Step::read(number, fields)),
            Err(other) => self.take_other(other),
        }
    }

    /// The next operation, if it is a plain read; else what [`Supply::take_other`] takes. A way of its
    /// own, so that what most operations are stays in registers.
    #[inline(always)]
    #[allow(clippy::inline_always)] // counted by make bench-engine
    pub(crate) fn take_read(&mut self, now: u64) -> Result<(u64, Fields), Untaken> {
        if self.left == 0 || now >= self.deadline {
            return Err(Untaken::Nothing);
        }
        let Source::Run(stream) = &mut self.source else { return Err(Untaken::Load) };
        self.left -= 1;
        stream.advance_read().map_err(Untaken::Drawn)
    }

    /// The operation that [`Supply::take_read`] left.
    #[inline(never)]
    pub(crate) fn take_other(&mut self, left: Untaken) -> Option<Step> {
        match (left, &mut self.source) {
            (Untaken::Drawn(draw), Source::Run(stream)) => Some(stream.rarer(draw)),
            (Untaken::Nothing, _) => None,
            _ => {
                let step = self.source.advance()?;
                self.left -= 1;
                Some(step)
            }
        }
    }

    /// The same for an operation of a given kind, where one is given.
    pub(crate) fn take_of(&mut self, now: u64, operation: Option<Operation>) -> Option<Step> {
        let Some(operation) = operation else { return self.take(now) };
        if self.left == 0 || now >= self.deadline {
            return None;
        }
        let step = self.source.advance_of(operation)?;
        self.left -= 1;
        Some(step)
    }

    /// A further key of the read that was taken last.
    pub(crate) fn another(&mut self) -> u64 {
        match &mut self.source {
            Source::Run(stream) => stream.another(),
            _ => 0,
        }
    }

    /// A version that no other write of the run has.
    #[inline]
    pub(crate) fn version(&mut self) -> u64 {
        self.version += 1;
        self.version
    }

    /// Whether the next read is to be verified.
    #[inline]
    pub(crate) fn verifies(&mut self) -> bool {
        self.verify_fraction > 0.0 && self.random.unit() < self.verify_fraction
    }

    pub(crate) fn settle(&mut self, number: u64, done: bool) {
        self.source.settle(number, done);
        if !done && matches!(self.source, Source::Load(_)) {
            self.left = self.left.saturating_add(1);
        }
    }

    /// Whether nothing more will come at a time.
    #[inline]
    pub(crate) fn is_spent(&self, now: u64) -> bool {
        self.left == 0 || now >= self.deadline
    }

    /// Whether the operations themselves have come to an end: all records are loaded, provided that
    /// none is under way.
    pub(crate) fn is_exhausted(&self) -> bool {
        match &self.source {
            Source::Idle => true,
            Source::Load(stream) => stream.is_exhausted(),
            Source::Run(_) => false,
        }
    }

    /// Begins nothing more.
    pub(crate) fn stop(&mut self) {
        self.left = 0;
    }

    pub(crate) fn into_source(self) -> Source {
        self.source
    }
}
