//! What the connections of a shard share: the clock, the codec, the operations to come, the book.

use std::collections::VecDeque;
use std::sync::Arc;

use weighhouse_driver_api::{
    Codec, ErrorKind, Expected, Fields, Operation, Outcome, Payload, Request, ValueSource, Verifier,
};

use crate::book::Book;
use crate::clock::Clock;
use crate::supply::Supply;
use crate::workload::KeyMaker;

/// An operation under way.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pending {
    pub(super) expected: Expected,
    pub(super) number: u64,
    pub(super) due: u64,
    pub(super) sent: u64,
    pub(super) role: Role,
}

/// What the reply is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// To greet the server; not recorded.
    Greeting,
    /// To be recorded.
    Measured { verify: bool, held: bool },
}

/// How operations are paced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Pace {
    /// Each connection keeps so many under way, with a pause before each.
    Closed { pipeline: usize, think: u64 },
    /// When they are due.
    Open,
}

/// What the connections of a shard share.
#[derive(Debug)]
pub(super) struct Desk<C: Codec> {
    pub(super) clock: Clock,
    pub(super) codec: C,
    pub(super) keys: KeyMaker,
    pub(super) values: Arc<ValueSource>,
    pub(super) book: Book,
    pub(super) supply: Supply,
    pub(super) pace: Pace,
    /// The last reading of the clock.
    pub(super) now: u64,
    pub(super) in_flight: usize,
    /// When any reply came last.
    pub(super) heard: u64,
    /// Closed loop with a pause: connections and when they may ask again, in order of time.
    pub(super) thinking: VecDeque<(u64, usize)>,
    pub(super) key: Vec<u8>,
}

impl<C: Codec> Desk<C> {
    /// Draws an operation that is due at a time (in a closed loop: now) and appends its request;
    /// none when there is none to draw.
    #[inline(always)]
    #[allow(clippy::inline_always)] // counted by make bench-engine
    pub(super) fn compose(&mut self, out: &mut Vec<u8>, due: u64, held: bool) -> Option<Pending> {
        let step = self.supply.take(due)?;
        let verify = step.operation == Operation::Read && self.supply.verifies();
        let version = if step.operation == Operation::Read { 0 } else { self.supply.version() };
        self.keys.write(step.number, &mut self.key);
        let request = Request {
            operation: step.operation,
            key: &self.key,
            fields: step.fields,
            payload: Payload::new(&self.values, step.number, version),
        };
        self.codec.encode(&request, out);
        self.in_flight += 1;
        let expected = Expected { operation: step.operation, fields: step.fields };
        let role = Role::Measured { verify, held };
        Some(Pending { expected, number: step.number, due, sent: 0, role })
    }

    /// What a connection's greeting waits for.
    pub(super) fn greeting() -> Pending {
        let expected = Expected { operation: Operation::Update, fields: Fields::All };
        Pending { expected, number: 0, due: 0, sent: 0, role: Role::Greeting }
    }

    /// Records that an operation goes out now.
    pub(super) fn sent(&mut self, pending: &Pending) {
        if self.pace != Pace::Open {
            return;
        }
        if let Role::Measured { held, .. } = pending.role {
            let lag = self.now.saturating_sub(pending.due);
            self.book.recorder().lag.record(lag);
            if !held {
                self.book.recorder().own_lag.record(lag);
            }
        }
    }

    /// Records a reply that came now, to be verified or not.
    #[inline(always)]
    #[allow(clippy::inline_always)] // counted by make bench-engine
    pub(super) fn settle(
        &mut self,
        pending: &Pending,
        verify: bool,
        mut outcome: Outcome,
        reply: &[u8],
    ) {
        self.heard = self.now;
        if verify && outcome == Outcome::Ok {
            let verifier = Verifier::new(&self.values, pending.number);
            if !self.codec.verify(pending.expected, reply, &verifier) {
                outcome = Outcome::VerifyFailed;
            }
        }
        self.account(pending, outcome);
    }

    /// Records that an operation failed now without a reply.
    pub(super) fn fail(&mut self, pending: &Pending, kind: ErrorKind) {
        if pending.role != Role::Greeting {
            self.account(pending, Outcome::Error(kind));
        }
    }

    #[inline(always)]
    #[allow(clippy::inline_always)] // counted by make bench-engine
    fn account(&mut self, pending: &Pending, outcome: Outcome) {
        self.in_flight -= 1;
        let service = self.now.saturating_sub(pending.sent);
        let operation = pending.expected.operation;
        if self.pace == Pace::Open {
            let response = self.now.saturating_sub(pending.due);
            self.book.record(operation, outcome, response, Some(service));
        } else {
            self.book.record(operation, outcome, service, None);
        }
        if operation == Operation::Insert {
            self.supply.settle(pending.number, outcome == Outcome::Ok);
        }
    }
}
