//! Connections over `io_uring` ([`Ring`]): what is to be sent and what has come go through its queues.
//!
//! Connections that are being made stay with epoll, whose own descriptor the ring watches; one that
//! has come up goes over to the ring. All else of a connection is the same either way.

use std::io::{self, ErrorKind as IoError};
use std::os::fd::AsFd;
use std::time::Duration;

use mio::Registry;
use weighhouse_driver_api::{Codec, ErrorKind};
use weighhouse_engine_ring::{Event, Happened, Received};

use super::desk::Desk;
use super::link::{Link, Lost, stamp};
use super::shard::{NetShard, internal};
use super::state::State;
use crate::plan::Failure;

impl<C: Codec> Link<C> {
    /// Goes over to the ring, if the shard has one and the connection is there.
    pub(super) fn join(&mut self, desk: &mut Desk<C>, registry: &Registry) -> io::Result<()> {
        let Some(ring) = &mut desk.ring else { return Ok(()) };
        let mut socket = match std::mem::replace(&mut self.state, State::Down(0)) {
            State::Up(socket) => socket,
            other => {
                self.state = other;
                return Ok(());
            }
        };
        registry.deregister(&mut socket)?;
        self.state = State::Ringed(ring.attach(socket.into_blocking()?, self.index)?);
        Ok(())
    }

    /// Whether it is the ring's socket of that number.
    #[inline]
    fn is_at(&self, slot: usize) -> bool {
        matches!(&self.state, State::Ringed(held) if held.slot() == slot)
    }

    /// Hands what is to be sent over to the ring, which may not be done with what went before.
    #[inline(always)]
    #[allow(clippy::inline_always)] // counted by make bench-engine
    fn hand_over(
        &mut self,
        desk: &mut Desk<C>,
        send: impl FnOnce(&State, &mut Vec<u8>) -> io::Result<bool>,
    ) -> Result<(), Lost> {
        let length = self.out.len() as u64;
        if length == 0 {
            return Ok(());
        }
        if self.unstamped > 0 {
            desk.before_sending();
            stamp(&mut self.pending, std::mem::take(&mut self.unstamped), desk);
        }
        if send(&self.state, &mut self.out)? {
            desk.book.recorder().wire.sent += length;
        }
        Ok(())
    }

    /// [`Link::flush`] of what is not plainly there by epoll.
    #[inline(never)]
    pub(super) fn flush_other(&mut self, desk: &mut Desk<C>) -> Result<(), Lost> {
        if !matches!(self.state, State::Ringed(_)) {
            return self.flush_secure(desk);
        }
        let Some(mut ring) = desk.ring.take() else { return Ok(()) };
        let result = self.hand_over(desk, |state, out| match state {
            State::Ringed(held) => ring.send(held, out),
            _ => Ok(true),
        });
        desk.ring = Some(ring);
        result
    }
}

impl<C: Codec> NetShard<C> {
    /// The thread that calls this has the ring from now on, and the ring the connections.
    pub(super) fn join_ring(&mut self) -> Result<(), Failure> {
        let Some(ring) = &mut self.desk.ring else { return Ok(()) };
        let registry = self.poll.registry();
        ring.enable()
            .and_then(|()| ring.watch(registry.as_fd()))
            .and_then(|()| {
                let mut links = self.links.iter_mut();
                links.try_for_each(|link| link.join(&mut self.desk, registry))
            })
            .map_err(|error| internal(&error))
    }

    /// Sends what is to be sent and waits until something comes, at most so long, ns.
    #[inline]
    pub(super) fn wait_ringed(&mut self, wait: u64) -> Result<(), Failure> {
        let Some(ring) = &mut self.desk.ring else { return Ok(()) };
        ring.wait(Duration::from_nanos(wait)).map_err(|error| internal(&error))
    }

    /// Takes in what has come; whether anything had. All of it lay in the driver's memory when the wait
    /// ended, and so it counts as come by then; the clock is read anew when it is done.
    #[inline(never)]
    pub(super) fn dispatch_ringed(&mut self) -> Result<bool, Failure> {
        let mut any = false;
        while let Some(mut ring) = self.desk.ring.take() {
            let Self { links, desk, lost, .. } = self;
            let rest = loop {
                let Received { owner, slot, filled } = match ring.received() {
                    Ok(received) => received,
                    Err(rest) => break rest,
                };
                any = true;
                let link = &mut links[owner];
                if link.is_at(slot) {
                    let mut result = link.answer_at(desk, &filled);
                    if result.is_ok() {
                        result = link.hand_over(desk, |_, out| ring.send_at(slot, out));
                    }
                    if let Err(reason) = result {
                        lost.push((owner, reason));
                        ring.recycle(filled);
                        break None;
                    }
                }
                ring.recycle(filled);
            };
            let over = rest.is_none() && lost.is_empty();
            let happened = if lost.is_empty() { ring.other(rest) } else { None };
            self.desk.ring = Some(ring);
            while let Some((owner, reason)) = self.lost.pop() {
                self.lose(owner, reason);
            }
            match happened {
                Some(happened) => {
                    any = true;
                    self.take_rare(happened)?;
                }
                None if over => break,
                None => {}
            }
        }
        if any {
            self.follow_up();
            self.desk.now = self.desk.clock.now();
        }
        Ok(any)
    }

    #[cold]
    #[inline(never)]
    fn take_rare(&mut self, happened: Happened) -> Result<(), Failure> {
        let Happened { owner, slot, event } = happened;
        match event {
            Event::Watched => {
                self.poll.poll(&mut self.events, Some(Duration::ZERO)).or_else(
                    |error| match error.kind() {
                        IoError::Interrupted => Ok(()),
                        _ => Err(internal(&error)),
                    },
                )?;
                self.dispatch();
                if let Some(ring) = &mut self.desk.ring {
                    let again = ring.watch(self.poll.registry().as_fd());
                    again.map_err(|error| internal(&error))?;
                }
            }
            Event::Room if self.links[owner].is_at(slot) => self.flush(owner),
            Event::Ended(error) if self.links[owner].is_at(slot) => {
                self.lose(owner, error.map_or(Lost(ErrorKind::Connection), Lost::from));
            }
            Event::Room | Event::Ended(_) | Event::Received(_) => {}
        }
        Ok(())
    }
}
