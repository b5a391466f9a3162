//! One turn of a shard's loop: wait, take in what came, and now and then the chores.

use std::io::ErrorKind as IoError;
use std::time::Duration;

use mio::{Interest, Registry, Token};
use nix::sys::time::TimeSpec;
use nix::sys::timer::TimerSetTimeFlags;
use nix::sys::timerfd::Expiration;
use weighhouse_driver_api::{Codec, ErrorKind};

use super::desk::{Desk, Pace};
use super::endpoint::PATIENCE;
use super::endpoint::Socket;
use super::link::{Link, Lost};
use super::shard::{NetShard, TIMER, internal};
use super::state::State;
use super::tls::Tls;
use crate::clock::{SECOND, nanoseconds};
use crate::plan::{Failure, PhasePlan};

/// Longest wait for events, ns, so that the stop flag is seen soon.
const LONGEST_WAIT: u64 = 50_000_000;
/// How often time-outs and connections to be made anew are looked for, ns.
const CHORES_EVERY: u64 = 10_000_000;
/// A phase without a time limit fails when nothing was heard for so long, ns.
const SILENCE: u64 = 60 * SECOND;

impl<C: Codec> NetShard<C> {
    /// Waits for events until about `until`, or until just before `due`, whichever is first, and
    /// takes in what came. The clock is read anew.
    pub(super) fn turn(&mut self, until: u64, due: Option<u64>) -> Result<(), Failure> {
        let mut wait = until.min(self.next_chores).min(self.desk.book.next_flip());
        wait = wait.saturating_sub(self.desk.now).min(LONGEST_WAIT);
        if let Some(due) = due {
            let left = due.saturating_sub(self.desk.clock.now());
            if left <= self.spin {
                wait = 0;
            } else if left < wait {
                wait = self.until_due(wait, due, left - self.spin)?;
            }
        }
        let ringed = self.desk.ring.is_some();
        if ringed {
            self.wait_ringed(wait)?;
        } else {
            match self.poll.poll(&mut self.events, Some(Duration::from_nanos(wait))) {
                Ok(()) => {}
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Err(error) => return Err(internal(&error)),
            }
        }
        let woken = self.desk.clock.now();
        self.desk.now = woken;
        let came = if ringed {
            self.dispatch_ringed()?
        } else if self.events.is_empty() {
            false
        } else {
            self.dispatch();
            true
        };
        if came {
            let delay = self.desk.now - woken;
            let under_way = self.desk.in_flight;
            let recorder = self.desk.book.recorder();
            recorder.loop_delay.record(delay);
            recorder.in_flight_most = under_way.max(recorder.in_flight_most);
        }
        if self.desk.now >= self.next_chores {
            self.chores();
        }
        self.reroute()?;
        self.desk.book.turn(self.desk.now);
        Ok(())
    }

    /// How long to wait where something is due before anything else: a ring's wait ends by itself, that of
    /// epoll, which knows milliseconds, by a timer.
    fn until_due(&mut self, wait: u64, due: u64, left: u64) -> Result<u64, Failure> {
        if self.desk.ring.is_some() {
            return Ok(left);
        }
        self.set_timer(due, left)?;
        Ok(wait)
    }

    /// Rings after a time; set once for each moment that something is due.
    fn set_timer(&mut self, due: u64, left: u64) -> Result<(), Failure> {
        if self.timer_set_for != due {
            let left = TimeSpec::from_duration(Duration::from_nanos(left));
            self.timer
                .set(Expiration::OneShot(left), TimerSetTimeFlags::empty())
                .map_err(|error| internal(&error.into()))?;
            self.timer_set_for = due;
        }
        Ok(())
    }

    pub(super) fn dispatch(&mut self) {
        let Self { events, links, desk, input, lost, tls, poll, .. } = self;
        for event in &*events {
            if event.token() == TIMER {
                continue;
            }
            let Some(link) = links.get_mut(event.token().0) else { continue };
            let result = if let State::Up(_) = &link.state {
                let incoming = event.is_readable() || event.is_read_closed() || event.is_error();
                if incoming { link.receive(desk, input) } else { link.flush(desk) }
            } else {
                go_on(link, desk, input, (tls.as_ref(), poll.registry()))
            };
            if let Err(reason) = result {
                lost.push((link.index, reason));
            }
        }
        self.follow_up();
        while let Some((index, reason)) = self.lost.pop() {
            self.lose(index, reason);
        }
    }

    /// Closes connections that have done their part, and opens those anew that something waits for.
    pub(super) fn follow_up(&mut self) {
        while let Some(index) = self.desk.ended.pop() {
            self.links[index].end();
            if !self.links[index].waiting.is_empty() {
                self.reconnect(index);
            }
        }
    }

    pub(super) fn lose(&mut self, index: usize, reason: Lost) {
        self.links[index].lose(&mut self.desk, reason, 0);
        if let Some(routes) = &mut self.routes {
            routes.doubt();
        }
    }

    /// Writes what a connection has to say.
    pub(super) fn flush(&mut self, index: usize) {
        if let Err(reason) = self.links[index].flush(&mut self.desk) {
            self.links[index].lose(&mut self.desk, reason, 0);
        }
    }

    /// What is due by the clock and not by what came: time-outs, and connections to be made anew. A
    /// function of its own, so that the counted benchmark can leave out what time alone brings.
    #[inline(never)]
    fn chores(&mut self) {
        let now = self.desk.now;
        self.next_chores = now + CHORES_EVERY;
        for index in 0..self.links.len() {
            if index % self.per_node >= self.active {
                continue;
            }
            let link = &mut self.links[index];
            match &link.state {
                State::Up(_) | State::Ringed(_) | State::Secure(_) => {
                    let limit = now.saturating_sub(self.timeout);
                    if link.oldest().is_some_and(|sent| sent <= limit) {
                        link.lose(&mut self.desk, Lost(ErrorKind::Timeout), limit);
                    }
                }
                State::Connecting(_, since) => {
                    let limit = now.saturating_sub(self.timeout);
                    if link.waits_since().is_some_and(|since| since <= limit) {
                        link.lose(&mut self.desk, Lost(ErrorKind::Timeout), limit);
                    } else if now.saturating_sub(*since) > nanoseconds(PATIENCE) {
                        link.lose(&mut self.desk, Lost(ErrorKind::Connection), 0);
                    }
                }
                State::Down(at) => {
                    let limit = now.saturating_sub(self.timeout);
                    if link.waits_since().is_some_and(|since| since <= limit) {
                        link.lose(&mut self.desk, Lost(ErrorKind::Timeout), limit);
                        continue;
                    }
                    let is_due = *at <= now;
                    let wanted = match &mut self.routes {
                        Some(routes) if routes.wants(index / self.per_node) => {
                            routes.doubt();
                            true
                        }
                        Some(_) => false,
                        None => true,
                    };
                    if is_due && wanted {
                        self.reconnect(index);
                    }
                }
                State::Ended => {}
            }
        }
        if let Pace::Closed { pipeline, think: 0 } = self.desk.pace {
            self.fill(pipeline);
        }
    }

    /// Fills the pipelines of all connections that are up.
    pub(super) fn fill(&mut self, pipeline: usize) {
        if self.desk.in_flight < self.active * pipeline {
            for index in 0..self.active {
                if self.links[index].is_up() {
                    self.desk.now = self.desk.clock.now();
                    self.links[index].fill(&mut self.desk, pipeline);
                    self.flush(index);
                }
            }
        }
    }

    pub(super) fn reconnect(&mut self, index: usize) {
        let link = &mut self.links[index];
        let begun = Socket::begin(&self.nodes[index / self.per_node]).and_then(|mut socket| {
            let interest = Interest::READABLE | Interest::WRITABLE;
            self.poll.registry().register(&mut socket, Token(index), interest)?;
            Ok(socket)
        });
        match begun {
            Ok(socket) => link.state = State::Connecting(socket, self.desk.now),
            // The queue of a Unix socket is full for a moment: what waits goes on waiting.
            Err(error) if error.kind() == IoError::WouldBlock && link.waits_since().is_some() => {
                link.state = State::Down(self.desk.now);
            }
            Err(error) => link.lose_unopened(&mut self.desk, &error),
        }
    }

    /// Fails when a phase without a time limit has heard nothing for too long.
    pub(super) fn listen(&self, plan: &PhasePlan) -> Result<(), Failure> {
        let patience = SILENCE + self.timeout;
        if plan.deadline == u64::MAX && self.desk.now.saturating_sub(self.desk.heard) > patience {
            return Err(Failure::new(
                "connection",
                format!("nothing was heard from the server for {} s", patience / SECOND),
                "is the server still up?",
            ));
        }
        Ok(())
    }
}

/// Goes on with a connection that is not simply there.
#[inline(never)]
fn go_on<C: Codec>(
    link: &mut Link<C>,
    desk: &mut Desk<C>,
    input: &mut [u8],
    (tls, registry): (Option<&Tls>, &Registry),
) -> Result<(), Lost> {
    match &link.state {
        State::Connecting(socket, _) => match socket.is_connected() {
            Ok(true) => come_up(link, desk, tls, registry),
            Ok(false) => Ok(()),
            Err(error) => Err(Lost::from(error)),
        },
        State::Secure(_) => link.receive_secure(desk, input),
        State::Up(_) | State::Ringed(_) | State::Down(_) | State::Ended => Ok(()),
    }
}

/// A connection that was begun is there.
fn come_up<C: Codec>(
    link: &mut Link<C>,
    desk: &mut Desk<C>,
    tls: Option<&Tls>,
    registry: &Registry,
) -> Result<(), Lost> {
    link.come_up(tls)?;
    link.join(desk, registry)?;
    desk.now = desk.clock.now();
    desk.book.recorder().reconnects += 1;
    let replies = link.greet(desk);
    match desk.pace {
        Pace::Closed { pipeline, .. } if replies == 0 => link.fill(desk, pipeline),
        Pace::Routed { .. } | Pace::Open if replies == 0 => link.admit(desk),
        _ => {}
    }
    link.flush(desk)
}
