//! What the connections of a shard share: the clock, the codec, the operations to come, the book.

use std::collections::VecDeque;

use weighhouse_driver_api::{Codec, ErrorKind, Expected, Fields, Operation, Outcome};
use weighhouse_engine_ring::Ring;

use crate::book::Book;
use crate::clock::Clock;
use crate::composer::Composer;
use crate::kind::Kind;
use crate::supply::Supply;
use crate::workload::{Step, is_nowhere};

/// An operation under way.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pending {
    pub(super) expected: Expected,
    pub(super) part: Part,
    /// What the read of a read-modify-write is followed by.
    pub(super) written: Fields,
    pub(super) verify: bool,
    pub(super) held: bool,
    /// How many servers sent it elsewhere.
    pub(super) moves: u8,
    pub(super) number: u64,
    pub(super) due: u64,
    /// 0 until it is sent.
    pub(super) sent: u64,
}

/// What the reply is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    /// A whole operation.
    Whole,
    /// To greet the server; not recorded.
    Greeting,
    /// To learn which server has which keys; not recorded.
    Map,
    /// Goes before an operation that is sent elsewhere once; not recorded.
    Once,
    /// The read of a read-modify-write.
    Read,
    /// Its update, after a read that came to this.
    Update(Outcome),
    /// A read that is followed by a fill where it finds nothing.
    Sought,
    /// The write that follows such a read.
    Fill,
}

impl Part {
    /// Whether it belongs to an operation.
    #[inline]
    pub(super) fn is_recorded(self) -> bool {
        !matches!(self, Self::Greeting | Self::Map | Self::Once)
    }

    /// Whether it begins what a schedule has in an open loop.
    fn is_scheduled(self) -> bool {
        !matches!(self, Self::Greeting | Self::Map | Self::Once | Self::Fill)
    }
}

/// An operation whose connection is being made.
#[derive(Debug)]
pub(super) struct Waiting {
    pub(super) pending: Pending,
    pub(super) request: Vec<u8>,
    pub(super) once: bool,
    pub(super) since: u64,
}

/// An operation that a server sent elsewhere.
#[derive(Debug)]
pub(super) struct Astray {
    /// The connection.
    pub(super) index: usize,
    pub(super) pending: Pending,
    pub(super) reply: Vec<u8>,
}

impl Pending {
    /// As what it is recorded.
    #[inline]
    pub(super) fn kind(&self) -> Kind {
        match self.part {
            Part::Read | Part::Update(_) => Kind::Asked(Operation::ReadModifyWrite),
            Part::Fill => Kind::Fill,
            _ => Kind::Asked(self.expected.operation),
        }
    }
}

/// How operations are paced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Pace {
    /// Each connection keeps so many under way, with a pause before each.
    Closed { pipeline: usize, think: u64 },
    /// The same, with keys that are spread over servers or connections that are opened anew: each
    /// client keeps so many under way, over whichever connection, and waits while one is opened.
    Routed { pipeline: usize, think: u64 },
    /// When they are due.
    Open,
}

/// What the connections of a shard share.
#[derive(Debug)]
pub(super) struct Desk<C: Codec> {
    pub(super) clock: Clock,
    /// Where connections go over one.
    pub(super) ring: Option<Box<Ring>>,
    pub(super) codec: C,
    pub(super) composer: Composer,
    pub(super) book: Book,
    pub(super) supply: Supply,
    pub(super) pace: Pace,
    /// What a read is: [`Part::Sought`] where what is missing is filled.
    pub(super) read_part: Part,
    /// The last reading of the clock.
    pub(super) now: u64,
    pub(super) in_flight: usize,
    /// When any reply came last.
    pub(super) heard: u64,
    /// Closed loop with a pause: connections and when they may ask again, in order of time.
    pub(super) thinking: VecDeque<(u64, usize)>,
    /// With keys spread over servers, the same after a failure.
    pub(super) pausing: VecDeque<(u64, usize)>,
    pub(super) astray: Vec<Astray>,
    /// Connections that have done as many operations as one is to do.
    pub(super) ended: Vec<usize>,
    /// Replies to the question where keys are, and the connections they came over.
    pub(super) maps: Vec<(usize, Vec<u8>)>,
}

impl<C: Codec> Desk<C> {
    /// Appends the request of a step that is due at a time (in a closed loop: now).
    #[inline(always)]
    #[allow(clippy::inline_always)] // counted by make bench-engine
    pub(super) fn append(
        &mut self,
        step: &Step,
        out: &mut Vec<u8>,
        due: u64,
        held: bool,
    ) -> Pending {
        if step.operation == Operation::Read {
            return self.append_read(step.number, step.fields, out, (due, held));
        }
        self.in_flight += 1;
        self.append_other(step, out, due, held)
    }

    /// Appends the request of a read.
    #[inline(always)]
    #[allow(clippy::inline_always)] // counted by make bench-engine
    pub(super) fn append_read(
        &mut self,
        number: u64,
        fields: Fields,
        out: &mut Vec<u8>,
        (due, held): (u64, bool),
    ) -> Pending {
        self.in_flight += 1;
        let verify = self.supply.verifies();
        let request = self.composer.read(number, fields, &mut self.supply);
        self.codec.encode(&request, out);
        Pending {
            expected: Expected::first(Operation::Read, fields),
            part: self.read_part,
            written: Fields::All,
            verify,
            held,
            moves: 0,
            number,
            due,
            sent: 0,
        }
    }

    /// All but reads.
    #[inline(never)]
    fn append_other(&mut self, step: &Step, out: &mut Vec<u8>, due: u64, held: bool) -> Pending {
        let part =
            if step.operation == Operation::ReadModifyWrite { Part::Read } else { Part::Whole };
        let verify = part == Part::Read && self.supply.verifies();
        let request = self.composer.request(step, &mut self.supply);
        self.codec.encode(&request, out);
        Pending {
            expected: Expected::first(request.operation, step.fields),
            part,
            written: step.written(),
            verify,
            held,
            moves: 0,
            number: step.number,
            due,
            sent: 0,
        }
    }

    /// Appends the update that follows the read of a read-modify-write.
    pub(super) fn append_update(
        &mut self,
        read: &Pending,
        found: Outcome,
        out: &mut Vec<u8>,
    ) -> Pending {
        let update = Operation::Update;
        let request = self.composer.single(update, read.number, read.written, &mut self.supply);
        self.codec.encode(&request, out);
        let expected = Expected::first(Operation::Update, read.written);
        Pending { expected, part: Part::Update(found), ..*read }
    }

    /// Appends the write that follows a read which found nothing, as an operation of its own that
    /// begins now; none of a key that no store has.
    pub(super) fn append_fill(&mut self, read: &Pending, out: &mut Vec<u8>) -> Option<Pending> {
        if is_nowhere(read.number) {
            return None;
        }
        self.in_flight += 1;
        let insert = Operation::Insert;
        let request = self.composer.single(insert, read.number, Fields::All, &mut self.supply);
        self.codec.encode(&request, out);
        let expected = Expected::first(Operation::Insert, Fields::All);
        let due = self.now;
        Some(Pending { expected, part: Part::Fill, moves: 0, due, sent: 0, held: false, ..*read })
    }

    /// Appends the request of an operation that is sent elsewhere.
    pub(super) fn append_again(&mut self, pending: &Pending, out: &mut Vec<u8>) {
        let Expected { operation, fields, .. } = pending.expected;
        let request = self.composer.single(operation, pending.number, fields, &mut self.supply);
        self.codec.encode(&request, out);
    }

    /// What waits for a reply that is not to an operation.
    pub(super) fn aside(part: Part) -> Pending {
        Pending {
            expected: Expected::first(Operation::Update, Fields::All),
            part,
            written: Fields::All,
            verify: false,
            held: false,
            moves: 0,
            number: 0,
            due: 0,
            sent: 0,
        }
    }

    /// Reads the clock before requests are written, where the time counts at which they go out. In a
    /// closed loop it does not: an operation's time has begun with the answer before it, whose reading
    /// is exact enough for time-outs.
    #[inline(always)]
    #[allow(clippy::inline_always)] // counted by make bench-engine
    pub(super) fn before_sending(&mut self) {
        if !matches!(self.pace, Pace::Closed { .. }) {
            self.now = self.clock.now();
        }
    }

    /// Records that an operation goes out now. A fill was due by no schedule.
    #[inline(always)]
    #[allow(clippy::inline_always)] // counted by make bench-engine
    pub(super) fn sent(&mut self, pending: &Pending) {
        if self.pace == Pace::Open && pending.part.is_scheduled() {
            self.sent_when_due(pending);
        }
    }

    #[inline(never)]
    fn sent_when_due(&mut self, pending: &Pending) {
        let lag = self.now.saturating_sub(pending.due);
        self.book.recorder().lag.record(lag);
        if !pending.held {
            self.book.recorder().own_lag.record(lag);
        }
    }

    /// Records a reply to a whole operation that came now.
    #[inline(always)]
    #[allow(clippy::inline_always)] // counted by make bench-engine
    pub(super) fn settle(&mut self, pending: &Pending, mut outcome: Outcome, reply: &[u8]) {
        self.heard = self.now;
        if pending.verify {
            outcome = self.verified(pending, outcome, reply);
        }
        if let Outcome::Error(kind) = outcome {
            self.keep_said(pending.kind(), kind, reply);
        }
        let operation = pending.expected.operation;
        let inserts = operation == Operation::Insert;
        self.account_as(Kind::Asked(operation), inserts, pending, outcome);
    }

    /// Keeps the words of a reply, if it is the first of its operation and kind.
    #[cold]
    #[inline(never)]
    pub(super) fn keep_said(&mut self, operation: Kind, kind: ErrorKind, reply: &[u8]) {
        let (codec, now) = (&self.codec, self.now);
        let recorder = self.book.recorder();
        if recorder.said(operation, kind).is_none() {
            recorder.say(operation, kind, now, codec.words(reply));
        }
    }

    /// What came of a read, after a look at what it found if that is wanted.
    pub(super) fn verified(&self, pending: &Pending, outcome: Outcome, reply: &[u8]) -> Outcome {
        if pending.verify && outcome == Outcome::Ok {
            let verifier = self.composer.verifier(pending.number);
            if !self.codec.verify(pending.expected, reply, &verifier) {
                return Outcome::VerifyFailed;
            }
        }
        outcome
    }

    /// Records that an operation failed now without a reply of its own; what the server said last
    /// on its connection, if anything, tells why.
    pub(super) fn fail(&mut self, pending: &Pending, kind: ErrorKind, said: Option<&str>) {
        if pending.part.is_recorded() {
            if let Some(said) = said {
                let now = self.now;
                self.book.recorder().say(pending.kind(), kind, now, said.as_bytes());
            }
            self.account(pending, Outcome::Error(kind));
        }
    }

    /// Records a reply to an operation of several parts that came now.
    pub(super) fn account_reply(&mut self, pending: &Pending, outcome: Outcome, reply: &[u8]) {
        if let Outcome::Error(kind) = outcome {
            self.keep_said(pending.kind(), kind, reply);
        }
        self.account(pending, outcome);
    }

    /// Records what came of an operation now.
    pub(super) fn account(&mut self, pending: &Pending, outcome: Outcome) {
        let kind = pending.kind();
        self.account_as(kind, kind == Kind::Asked(Operation::Insert), pending, outcome);
    }

    #[inline(always)]
    #[allow(clippy::inline_always)] // counted by make bench-engine
    fn account_as(&mut self, kind: Kind, inserts: bool, pending: &Pending, outcome: Outcome) {
        self.in_flight -= 1;
        // In a closed loop an operation begins with the client's answer before it, or with the end
        // of its pause: what the client waits for its turn is part of what it sees.
        let response = self.now.saturating_sub(pending.due);
        let service = (self.pace == Pace::Open).then(|| self.now.saturating_sub(pending.sent));
        self.book.record(kind, outcome, response, service);
        if inserts {
            self.supply.settle(pending.number, outcome == Outcome::Ok);
        }
    }
}
