//! One connection: requests out, replies in, in order.

use std::collections::VecDeque;
use std::io::{self, ErrorKind as IoError};

use rustix::io::Errno;
use weighhouse_driver_api::{Codec, ErrorKind, Expected, Outcome, Parsed, Refusal};

use super::desk::{Astray, Desk, Pace, Part, Pending, Waiting};
use super::state::State;
use super::tls::{Secure, Tls};
use crate::supply::Untaken;
use crate::workload::Step;

/// The first wait before connecting anew, ns; it doubles up to [`LONGEST_BACKOFF`].
const FIRST_BACKOFF: u64 = 10_000_000;
const LONGEST_BACKOFF: u64 = 1_000_000_000;

/// With keys spread over servers, how long a client pauses after an operation that found its server
/// gone, ns.
pub(super) const FAILURE_PAUSE: u64 = 10_000_000;

/// From how many bytes on the beginning of a reply grows by an eighth: twice as much would be held, for
/// as long as the connection lives, of a value that is large already.
const LARGE: usize = 1 << 20;

/// Bytes that are read at once of what a server said before it hung up.
const LAST_WORDS: usize = 16 << 10;

/// Appends what has come of a reply.
#[inline]
fn keep(rest: &mut Vec<u8>, fresh: &[u8]) {
    if rest.len() > LARGE && rest.capacity() - rest.len() < fresh.len() {
        rest.reserve_exact(fresh.len().max(rest.len() / 8));
    }
    rest.extend_from_slice(fresh);
}

/// Why a connection is lost: what its oldest operation failed of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Lost(pub(super) ErrorKind);

impl From<io::Error> for Lost {
    fn from(error: io::Error) -> Self {
        Self(match error.kind() {
            IoError::AddrNotAvailable => ErrorKind::NoPorts,
            _ => ErrorKind::Connection,
        })
    }
}

/// What a stretch of input amounted to.
#[derive(Debug, Clone, Copy, Default)]
struct Settled {
    /// Bytes of complete replies.
    consumed: usize,
    /// Replies to operations.
    measured: usize,
    /// The last reply to the greeting was among them.
    greeted: bool,
}

/// One connection.
#[derive(Debug)]
pub(super) struct Link<C: Codec> {
    pub(super) index: usize,
    pub(super) state: State,
    pub(super) pending: VecDeque<Pending>,
    /// What goes out as soon as the connection is there.
    pub(super) waiting: VecDeque<Waiting>,
    /// Operations after which it is closed, and how many it still takes; none: it stays.
    pub(super) renewal: Option<(u64, u64)>,
    /// Of the pending ones, how many at the end are not stamped as sent.
    pub(super) unstamped: usize,
    pub(super) out: Vec<u8>,
    /// How much of `out` is written.
    pub(super) written: usize,
    /// The beginning of a reply whose end has not come.
    rest: Vec<u8>,
    scan: C::Scan,
    /// What the server said last on a connection that is lost for it.
    said: Option<String>,
    /// What operations fail of that find it lost.
    pub(super) absent: ErrorKind,
    backoff: u64,
}

impl<C: Codec> Link<C> {
    pub(super) fn new(index: usize, state: State) -> Self {
        Self {
            index,
            state,
            pending: VecDeque::new(),
            waiting: VecDeque::new(),
            renewal: None,
            unstamped: 0,
            out: Vec::new(),
            written: 0,
            rest: Vec::new(),
            scan: C::Scan::default(),
            said: None,
            absent: ErrorKind::Connection,
            backoff: FIRST_BACKOFF,
        }
    }

    pub(super) fn is_up(&self) -> bool {
        match &self.state {
            State::Up(_) | State::Ringed(_) => true,
            State::Secure(secure) => secure.is_ready(),
            State::Connecting(..) | State::Down(_) | State::Ended => false,
        }
    }

    /// Draws an operation that is due at a time (in a closed loop: now) and puts it into the buffer;
    /// false when there is none to draw.
    #[inline(always)]
    #[allow(clippy::inline_always)] // counted by make bench-engine
    pub(super) fn compose(&mut self, desk: &mut Desk<C>, due: u64, held: bool) -> bool {
        match desk.supply.take_read(due) {
            Ok((number, fields)) => {
                let pending = desk.append_read(number, fields, &mut self.out, (due, held));
                self.pending.push_back(pending);
                self.unstamped += 1;
                true
            }
            Err(other) => self.compose_other(desk, other, due, held),
        }
    }

    /// All but plain reads.
    #[inline(never)]
    fn compose_other(&mut self, desk: &mut Desk<C>, left: Untaken, due: u64, held: bool) -> bool {
        let step = desk.supply.take_other(left);
        step.inspect(|step| self.append(desk, step, due, held)).is_some()
    }

    /// The same for a step that was drawn already.
    pub(super) fn append(&mut self, desk: &mut Desk<C>, step: &Step, due: u64, held: bool) {
        let pending = desk.append(step, &mut self.out, due, held);
        self.pending.push_back(pending);
        self.unstamped += 1;
    }

    /// Takes a request whose operation is begun already.
    pub(super) fn take_over(&mut self, pending: Pending, request: &[u8]) {
        self.out.extend_from_slice(request);
        self.pending.push_back(pending);
        self.unstamped += 1;
    }

    /// The connection that was begun is there.
    pub(super) fn come_up(&mut self, tls: Option<&Tls>) -> Result<(), Lost> {
        let state = std::mem::replace(&mut self.state, State::Down(0));
        self.state = match (state, tls) {
            (State::Connecting(socket, _), None) => State::Up(socket),
            (State::Connecting(socket, _), Some(tls)) => {
                State::Secure(Box::new(Secure::begin(socket, tls)?))
            }
            (other, _) => other,
        };
        Ok(())
    }

    /// Puts the greeting into the buffer of a connection that has just come up; how many replies
    /// that gives.
    pub(super) fn greet(&mut self, desk: &mut Desk<C>) -> usize {
        let replies = desk.codec.greet(&mut self.out);
        for _ in 0..replies {
            self.pending.push_back(Desk::<C>::aside(Part::Greeting));
            self.unstamped += 1;
        }
        if replies == 0 {
            self.backoff = FIRST_BACKOFF;
        }
        replies
    }

    /// Fills the pipeline.
    #[inline(always)]
    #[allow(clippy::inline_always)] // counted by make bench-engine
    pub(super) fn fill(&mut self, desk: &mut Desk<C>, pipeline: usize) {
        while self.pending.len() < pipeline && self.compose(desk, desk.now, false) {}
    }

    /// Stamps what is new in the buffer and writes as much as the socket takes.
    #[inline(always)]
    #[allow(clippy::inline_always)] // counted by make bench-engine
    pub(super) fn flush(&mut self, desk: &mut Desk<C>) -> Result<(), Lost> {
        let State::Up(socket) = &self.state else { return self.flush_other(desk) };
        if self.out.is_empty() {
            return Ok(());
        }
        let length = self.out.len();
        if self.unstamped > 0 {
            desk.before_sending();
            stamp(&mut self.pending, std::mem::take(&mut self.unstamped), desk);
        }
        if self.written > 0 {
            return self.flush_rest(desk, None);
        }
        let outcome = socket.try_write(&self.out);
        if outcome != Ok(length) {
            return self.flush_rest(desk, Some(outcome));
        }
        desk.book.recorder().wire.sent += length as u64;
        self.out.clear();
        Ok(())
    }

    /// Goes on writing, after what came of a first attempt, until the socket takes no more.
    #[cold]
    #[inline(never)]
    fn flush_rest(
        &mut self,
        desk: &mut Desk<C>,
        mut attempt: Option<Result<usize, Errno>>,
    ) -> Result<(), Lost> {
        while let State::Up(socket) = &self.state {
            let write = || socket.try_write(&self.out[self.written..]);
            match attempt.take().unwrap_or_else(write) {
                Ok(0) => return Err(Lost(ErrorKind::Connection)),
                Ok(count) => self.written += count,
                Err(Errno::AGAIN) => return Ok(()),
                Err(Errno::INTR) => {}
                Err(_) => return Err(self.last_words(desk)),
            }
            if self.written == self.out.len() {
                desk.book.recorder().wire.sent += self.out.len() as u64;
                self.out.clear();
                self.written = 0;
                break;
            }
        }
        Ok(())
    }

    /// The server has hung up on what was written: why, it may have said before, as of a value that is
    /// too large for it.
    #[cold]
    #[inline(never)]
    fn last_words(&mut self, desk: &mut Desk<C>) -> Lost {
        let mut input = vec![0; LAST_WORDS];
        desk.now = desk.clock.now();
        while let State::Up(socket) = &mut self.state
            && let Ok(count @ 1..) = socket.read(&mut input)
        {
            match self.take_in(desk, &input[..count]) {
                Ok(settled) => {
                    if let Pace::Routed { think, .. } = desk.pace {
                        let again = (desk.now + think, self.index);
                        desk.thinking.extend(std::iter::repeat_n(again, settled.measured));
                    }
                }
                Err(lost) => return lost,
            }
        }
        Lost(ErrorKind::Connection)
    }

    /// Takes in what has come. In a closed loop the next requests go out at once. What waited to
    /// be written is written.
    #[inline(always)]
    #[allow(clippy::inline_always)] // counted by make bench-engine
    pub(super) fn receive(&mut self, desk: &mut Desk<C>, input: &mut [u8]) -> Result<(), Lost> {
        loop {
            let State::Up(socket) = &mut self.state else {
                return self.receive_secure(desk, input);
            };
            let count = match socket.read(input) {
                Ok(0) => return Err(Lost(ErrorKind::Connection)),
                Ok(count) => count,
                Err(error) if error.kind() == IoError::WouldBlock => return self.flush(desk),
                Err(error) if error.kind() == IoError::Interrupted => continue,
                Err(error) => return Err(error.into()),
            };
            self.answer(desk, &input[..count])?;
            self.flush(desk)?;
            // A read that did not fill the buffer left nothing behind in the socket.
            if count < input.len() {
                return Ok(());
            }
        }
    }

    /// Settles what has come, and in a closed loop composes what is next.
    #[inline(always)]
    #[allow(clippy::inline_always)] // counted by make bench-engine
    pub(super) fn answer(&mut self, desk: &mut Desk<C>, fresh: &[u8]) -> Result<(), Lost> {
        desk.now = desk.clock.now();
        self.answer_at(desk, fresh)
    }

    /// The same of what came at the last reading of the clock.
    #[inline(always)]
    #[allow(clippy::inline_always)] // counted by make bench-engine
    pub(super) fn answer_at(&mut self, desk: &mut Desk<C>, fresh: &[u8]) -> Result<(), Lost> {
        desk.book.turn(desk.now);
        desk.book.recorder().wire.received += fresh.len() as u64;
        let settled = self.take_in(desk, fresh)?;
        match desk.pace {
            Pace::Closed { pipeline, think } if think == 0 || settled.greeted => {
                self.fill(desk, pipeline);
            }
            Pace::Closed { think, .. } => self.think(desk, think, settled.measured),
            Pace::Routed { think, .. } => {
                self.think(desk, think, settled.measured);
                self.go_on(desk, settled.greeted);
            }
            Pace::Open => self.go_on(desk, settled.greeted),
        }
        Ok(())
    }

    /// So many clients ask again after a pause.
    fn think(&self, desk: &mut Desk<C>, think: u64, clients: usize) {
        let again = (desk.now + think, self.index);
        desk.thinking.extend(std::iter::repeat_n(again, clients));
    }

    /// Settles all complete replies.
    #[inline(always)]
    #[allow(clippy::inline_always)] // counted by make bench-engine
    fn take_in(&mut self, desk: &mut Desk<C>, fresh: &[u8]) -> Result<Settled, Lost> {
        if self.rest.is_empty() {
            let settled = self.parse(desk, fresh)?;
            if settled.consumed < fresh.len() {
                self.rest.extend_from_slice(&fresh[settled.consumed..]);
            }
            return Ok(settled);
        }
        let mut rest = std::mem::take(&mut self.rest);
        keep(&mut rest, fresh);
        let settled = self.parse(desk, &rest)?;
        rest.drain(..settled.consumed);
        self.rest = rest;
        Ok(settled)
    }

    #[inline(always)]
    #[allow(clippy::inline_always)] // counted by make bench-engine
    fn parse(&mut self, desk: &mut Desk<C>, input: &[u8]) -> Result<Settled, Lost> {
        let mut settled = Settled::default();
        let mut at = 0;
        while at < input.len() {
            // What nobody asked for is not of the protocol.
            let Some(pending) = self.pending.front() else {
                return Err(self.not_understood(&input[at..]));
            };
            if pending.part != Part::Whole {
                match self.parse_part(desk, &input[at..], &mut settled)? {
                    0 => break,
                    consumed => at += consumed,
                }
                continue;
            }
            match desk.codec.parse(pending.expected, &input[at..], &mut self.scan) {
                Ok(Parsed::Incomplete) => break,
                Ok(Parsed::Complete { consumed, outcome }) => {
                    desk.settle(pending, outcome, &input[at..at + consumed]);
                    self.pending.pop_front();
                    settled.measured += 1;
                    at += consumed;
                }
                Ok(Parsed::Continue { consumed }) => {
                    self.follow(desk, &input[at..at + consumed]);
                    at += consumed;
                }
                Ok(Parsed::Elsewhere { consumed }) => {
                    self.stray(desk, &input[at..at + consumed]);
                    at += consumed;
                }
                Err(_) => return Err(self.not_understood(&input[at..])),
            }
        }
        settled.consumed = at;
        Ok(settled)
    }

    /// Goes on with the oldest operation, whose reply leads to a further request.
    #[inline(never)]
    fn follow(&mut self, desk: &mut Desk<C>, reply: &[u8]) {
        let Some(pending) = self.pending.pop_front() else { return };
        desk.heard = desk.now;
        let part = desk.codec.follow(pending.expected, reply, &mut self.out);
        let expected = Expected { part, ..pending.expected };
        self.pending.push_back(Pending { expected, ..pending });
        self.unstamped += 1;
    }

    /// Leaves the oldest operation to whoever knows the other servers.
    #[inline(never)]
    fn stray(&mut self, desk: &mut Desk<C>, reply: &[u8]) {
        let Some(pending) = self.pending.pop_front() else { return };
        desk.heard = desk.now;
        desk.astray.push(Astray { index: self.index, pending, reply: reply.to_vec() });
    }

    /// Takes in a reply to the oldest request, which is no whole operation; how long it was, 0 when
    /// it is incomplete.
    #[inline(never)]
    fn parse_part(
        &mut self,
        desk: &mut Desk<C>,
        input: &[u8],
        settled: &mut Settled,
    ) -> Result<usize, Lost> {
        let Some(&pending) = self.pending.front() else { return Ok(0) };
        let parsed = if pending.part.is_recorded() {
            desk.codec.parse(pending.expected, input, &mut self.scan)
        } else {
            desk.codec.parse_greeting(input, &mut self.scan)
        };
        let (consumed, outcome) = match parsed {
            Ok(Parsed::Complete { outcome, .. })
                if pending.part == Part::Greeting && outcome != Outcome::Ok =>
            {
                desk.heard = desk.now;
                self.said = Some(desk.codec.refused(input).said);
                let Outcome::Error(kind) = outcome else { return Err(Lost(ErrorKind::Protocol)) };
                return Err(Lost(kind));
            }
            Ok(Parsed::Complete { consumed, outcome }) => (consumed, outcome),
            Ok(Parsed::Incomplete) => return Ok(0),
            Ok(Parsed::Elsewhere { consumed }) if pending.part.is_recorded() => {
                self.stray(desk, &input[..consumed]);
                return Ok(consumed);
            }
            Ok(Parsed::Continue { .. } | Parsed::Elsewhere { .. }) | Err(_) => {
                return Err(self.not_understood(input));
            }
        };
        self.pending.pop_front();
        desk.heard = desk.now;
        match (pending.part, outcome) {
            (Part::Greeting, _) => {
                settled.greeted = self.pending.is_empty();
                if self.pending.front().is_none_or(|next| next.part != Part::Greeting) {
                    self.backoff = FIRST_BACKOFF;
                }
            }
            (Part::Map, Outcome::Ok) => desk.maps.push((self.index, input[..consumed].to_vec())),
            // What became of it shows in the reply to the operation, or in the next answer.
            (Part::Map | Part::Once, _) => {}
            (Part::Read, Outcome::Ok | Outcome::NotFound) => {
                let found = desk.verified(&pending, outcome, &input[..consumed]);
                let update = desk.append_update(&pending, found, &mut self.out);
                self.pending.push_back(update);
                self.unstamped += 1;
            }
            (Part::Sought, Outcome::NotFound) => {
                desk.account(&pending, outcome);
                match desk.append_fill(&pending, &mut self.out) {
                    Some(fill) => {
                        self.pending.push_back(fill);
                        self.unstamped += 1;
                    }
                    None => settled.measured += 1,
                }
            }
            (Part::Sought, Outcome::Ok) => {
                let found = desk.verified(&pending, outcome, &input[..consumed]);
                desk.account(&pending, found);
                settled.measured += 1;
            }
            (Part::Update(found), Outcome::Ok) => {
                desk.account(&pending, found);
                settled.measured += 1;
            }
            (_, outcome) => {
                desk.account_reply(&pending, outcome, &input[..consumed]);
                settled.measured += 1;
            }
        }
        Ok(consumed)
    }

    /// What came is not of the protocol.
    #[cold]
    #[inline(never)]
    fn not_understood(&mut self, input: &[u8]) -> Lost {
        self.said = Some(Refusal::quote(input));
        Lost(ErrorKind::Protocol)
    }

    /// When the operation that has waited longest was sent.
    pub(super) fn oldest(&self) -> Option<u64> {
        self.pending.front().map(|first| first.sent).filter(|&sent| sent > 0)
    }

    /// The connection could not even be begun.
    #[cold]
    pub(super) fn lose_unopened(&mut self, desk: &mut Desk<C>, error: &io::Error) {
        let lost = Lost::from(io::Error::from(error.kind()));
        if lost.0 == ErrorKind::NoPorts {
            self.said = Some(error.to_string());
        }
        self.lose(desk, lost, 0);
    }

    /// The connection is gone, with all that was under way on it. The oldest operation failed for
    /// the given reason, as did others that were sent no later than `also`.
    pub(super) fn lose(&mut self, desk: &mut Desk<C>, lost: Lost, also: u64) {
        let said = self.said.take();
        self.absent = match lost.0 {
            ErrorKind::NoPorts => ErrorKind::NoPorts,
            _ => ErrorKind::Connection,
        };
        for (position, pending) in std::mem::take(&mut self.pending).into_iter().enumerate() {
            let was_sent = pending.sent > 0;
            let same = position == 0 || (was_sent && pending.sent <= also);
            let kind = if same { lost.0 } else { ErrorKind::Connection };
            let pending = if was_sent { pending } else { Pending { sent: desk.now, ..pending } };
            desk.fail(&pending, kind, said.as_deref());
            if let (Pace::Routed { .. }, true) = (desk.pace, pending.part.is_recorded()) {
                desk.pausing.push_back((desk.now + FAILURE_PAUSE, self.index));
            }
        }
        self.lose_waiting(desk, lost.0, also, said.as_deref());
        self.unstamped = 0;
        self.out.clear();
        self.written = 0;
        self.rest.clear();
        self.scan = C::Scan::default();
        self.state = State::Down(desk.now + self.backoff);
        self.backoff = (self.backoff * 2).min(LONGEST_BACKOFF);
    }
}

/// Stamps the last few as sent now; what goes on with an operation keeps the stamp of its start.
#[inline(always)]
#[allow(clippy::inline_always)] // counted by make bench-engine
pub(super) fn stamp<C: Codec>(pending: &mut VecDeque<Pending>, fresh: usize, desk: &mut Desk<C>) {
    if let (1, Some(only)) = (fresh, pending.back_mut()) {
        if only.sent == 0 {
            only.sent = desk.now;
            desk.sent(only);
        }
        return;
    }
    for one in pending.iter_mut().rev().take(fresh).filter(|one| one.sent == 0) {
        one.sent = desk.now;
        desk.sent(one);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_large_reply_is_held_once() {
        let mut rest = Vec::new();
        let piece = vec![7; 48 << 10];
        for count in 1..=600 {
            keep(&mut rest, &piece);
            assert_eq!(rest.len(), count * piece.len());
            let spare = rest.capacity() - rest.len();
            assert!(rest.len() < 2 * LARGE || spare <= rest.len() / 8 + piece.len(), "{spare}");
        }
    }
}
