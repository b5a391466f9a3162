//! Connections that are opened anew after so many operations, and what waits while one is opened.

use weighhouse_driver_api::{Codec, ErrorKind};

use super::desk::{Desk, Pace, Part, Pending, Waiting};
use super::link::{FAILURE_PAUSE, Link};
use super::state::State;

impl<C: Codec> Link<C> {
    /// From now on it is closed after so many operations.
    pub(super) fn renew_every(&mut self, operations: Option<u64>) {
        self.renewal = operations.map(|every| (every, every));
        if operations.is_none() && matches!(self.state, State::Ended) {
            self.state = State::Down(0);
        }
    }

    /// After how many it is closed.
    pub(super) fn every(&self) -> Option<u64> {
        self.renewal.map(|(every, _)| every)
    }

    fn is_greeting(&self) -> bool {
        self.pending.front().is_some_and(|first| first.part == Part::Greeting)
    }

    /// Whether an operation may go out over it: at once, or as soon as it is there.
    pub(super) fn takes(&self) -> bool {
        match (self.renewal, &self.state) {
            (None, _) => self.is_up(),
            (Some(_), State::Ended) => true,
            (Some(_), State::Down(_)) => false,
            (Some((_, left)), _) => left > self.waiting.len() as u64,
        }
    }

    /// Whether it may go out at once.
    pub(super) fn takes_at_once(&self) -> bool {
        let more = self.renewal.is_none_or(|(_, left)| left > 0);
        more && self.is_up() && !self.is_greeting() && self.waiting.is_empty()
    }

    /// Gives it an operation that is begun already.
    pub(super) fn hand(
        &mut self,
        desk: &mut Desk<C>,
        pending: Pending,
        request: &[u8],
        once: bool,
    ) {
        if let Some((_, left)) = &mut self.renewal {
            *left = left.saturating_sub(1);
        }
        if once {
            let mut before = Vec::new();
            if let Some(spread) = desk.codec.spread() {
                spread.encode_once(&mut before);
            }
            self.take_over(Desk::<C>::aside(Part::Once), &before);
        }
        self.take_over(pending, request);
    }

    /// Keeps an operation until the connection is there. Where it is opened anew after so many, that is
    /// the operation's own time.
    pub(super) fn wait(
        &mut self,
        desk: &mut Desk<C>,
        mut pending: Pending,
        request: &[u8],
        once: bool,
    ) {
        if self.renewal.is_some() && pending.sent == 0 {
            desk.now = desk.clock.now();
            pending.sent = desk.now;
            desk.sent(&pending);
        }
        let (request, since) = (request.to_vec(), desk.now);
        self.waiting.push_back(Waiting { pending, request, once, since });
    }

    /// Since when the first of what waits has waited.
    pub(super) fn waits_since(&self) -> Option<u64> {
        self.waiting.front().map(|first| first.since)
    }

    /// Lets what waited go out, as far as the connection takes it.
    pub(super) fn admit(&mut self, desk: &mut Desk<C>) {
        while self.renewal.is_none_or(|(_, left)| left > 0)
            && let Some(one) = self.waiting.pop_front()
        {
            self.hand(desk, one.pending, &one.request, one.once);
        }
    }

    /// Whether it has done all it was to do.
    fn is_spent(&self) -> bool {
        self.renewal.is_some_and(|(_, left)| left == 0) && self.pending.is_empty()
    }

    /// Closes it; the next operation opens it anew.
    pub(super) fn end(&mut self) {
        if self.is_spent() {
            self.state = State::Ended;
            self.renewal = self.renewal.map(|(every, _)| (every, every));
        }
    }

    /// What waited goes out once the server is greeted; a connection that has done its part is closed.
    pub(super) fn go_on(&mut self, desk: &mut Desk<C>, greeted: bool) {
        if greeted {
            self.admit(desk);
        }
        if self.is_spent() {
            desk.ended.push(self.index);
        }
    }

    /// What waited for a connection that did not come about has failed: for its reason, or because the
    /// connection is gone that it had not waited for long enough itself.
    pub(super) fn lose_waiting(
        &mut self,
        desk: &mut Desk<C>,
        lost: ErrorKind,
        also: u64,
        said: Option<&str>,
    ) {
        for Waiting { pending, since, .. } in std::mem::take(&mut self.waiting) {
            let sent = if pending.sent > 0 { pending.sent } else { desk.now };
            let in_time = lost == ErrorKind::Timeout && since > also;
            let kind = if in_time { ErrorKind::Connection } else { lost };
            desk.fail(&Pending { sent, ..pending }, kind, said);
            if let Pace::Routed { .. } = desk.pace {
                desk.pausing.push_back((desk.now + FAILURE_PAUSE, self.index));
            }
        }
        self.renewal = self.renewal.map(|(every, _)| (every, every));
    }
}
