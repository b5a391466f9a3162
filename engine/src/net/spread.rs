//! Keys that are spread over several servers: who has which, and what happens when that changes.
//!
//! Each client has a connection to each server. An operation goes to the server that has its key by
//! the last map; a server that has it no longer names the right one, the operation goes there, and
//! its time runs on. Where the right server is gone the operation has failed. The map is asked for
//! anew after either, at most every [`QUESTION_EVERY`]. Where the client itself spreads the keys there
//! is no map, and no server knows of another: the keys of one that is gone fail until it is back.

use weighhouse_driver_api::{Codec, ErrorKind, Operation, Spread};

use super::desk::{Astray, Desk, Pace, Part, Pending};
use super::endpoint::Endpoint;
use super::link::{FAILURE_PAUSE, Link};
use super::shard::NetShard;
use super::state::State;
use crate::plan::Failure;
use crate::workload::Step;

/// Shortest time between two questions where keys are, ns.
const QUESTION_EVERY: u64 = 100_000_000;
/// How often an operation may be sent elsewhere before it has failed.
const MOST_MOVES: u8 = 8;

fn place_of<C: Codec>(desk: &Desk<C>) -> usize {
    desk.codec.spread().map_or(0, |spread| usize::from(spread.place(desk.composer.key())))
}

impl<C: Codec> NetShard<C> {
    /// Sends an operation to the server that has its key: over a client's connection, or over that
    /// of the client with the fewest operations there.
    pub(super) fn route(&mut self, step: &Step, client: Option<usize>, due: u64, held: bool) {
        let mut request = std::mem::take(&mut self.request);
        request.clear();
        let pending = self.desk.append(step, &mut request, due, held);
        let reads = matches!(step.operation, Operation::Read | Operation::Scan);
        let key = self.desk.composer.key();
        let node = match &mut self.routes {
            Some(routes) => routes.server(&self.desk.codec, key, reads),
            None => 0,
        };
        let first = node * self.per_node;
        let index = match client {
            Some(client) => first + client,
            None => self.least_loaded(first).unwrap_or(first),
        };
        self.hand_over(index, pending, &request, false);
        self.request = request;
    }

    /// Gives a connection an operation that is begun already.
    fn hand_over(&mut self, index: usize, pending: Pending, request: &[u8], once: bool) {
        let link = &mut self.links[index];
        if link.takes_at_once() {
            link.hand(&mut self.desk, pending, request, once);
            if !self.touched.contains(&index) {
                self.touched.push(index);
            }
        } else if matches!(link.state, State::Down(_)) && link.waiting.is_empty() {
            let absent = link.absent;
            self.fail_routed(index, &pending, absent);
        } else {
            let ended = matches!(link.state, State::Ended);
            link.wait(&mut self.desk, pending, request, once);
            if ended {
                self.reconnect(index);
            }
        }
    }

    fn fail_routed(&mut self, index: usize, pending: &Pending, kind: ErrorKind) {
        let now = self.desk.now;
        let sent = if pending.sent > 0 { pending.sent } else { now };
        self.desk.fail(&Pending { sent, ..*pending }, kind, None);
        if let Pace::Routed { .. } = self.desk.pace {
            self.desk.pausing.push_back((now + FAILURE_PAUSE, index));
        }
    }

    /// Sends on what servers sent elsewhere or what waited for a connection, takes in new maps, and
    /// asks for one where the last is in doubt.
    pub(super) fn reroute(&mut self) -> Result<(), Failure> {
        if self.routes.is_none() {
            return Ok(());
        }
        for (index, reply) in std::mem::take(&mut self.desk.maps) {
            self.take_map(index, &reply)?;
        }
        for astray in std::mem::take(&mut self.desk.astray) {
            self.send_elsewhere(&astray)?;
        }
        self.ask_where();
        while let Some(index) = self.touched.pop() {
            self.flush(index);
        }
        Ok(())
    }

    fn take_map(&mut self, index: usize, reply: &[u8]) -> Result<(), Failure> {
        let by = self.nodes[index / self.per_node].clone();
        let Some(Ok(stretches)) = self.desk.codec.spread().map(|spread| spread.read_map(reply))
        else {
            // Of a server that does not know at the moment; another one is asked.
            return Ok(());
        };
        let reads_copies = self.desk.codec.spread().is_some_and(Spread::reads_copies);
        for stretch in stretches {
            let node = self.node_named(&stretch.server, &by)?;
            let mut copies = Vec::new();
            for replica in stretch.replicas.iter().filter(|_| reads_copies) {
                copies.push(self.node_named(replica, &by)?);
            }
            if let Some(routes) = &mut self.routes {
                routes.assign(&stretch, node, &copies);
            }
        }
        if let Some(routes) = &mut self.routes {
            routes.outdated = false;
            routes.count(self.nodes.len());
        }
        Ok(())
    }

    /// The position of a server; connects to one that is new.
    fn node_named(&mut self, server: &str, by: &Endpoint) -> Result<usize, Failure> {
        let Some(routes) = &mut self.routes else { return Ok(0) };
        let (node, new) = routes.node(&mut self.nodes, server, by)?;
        if new {
            routes.wanted.push(true);
            for client in 0..self.per_node {
                let index = self.links.len();
                let mut link = Link::new(index, State::Down(self.desk.now));
                link.renew_every(self.links[index - self.per_node].every());
                self.links.push(link);
                if client < self.active {
                    self.reconnect(index);
                }
            }
        }
        Ok(node)
    }

    fn send_elsewhere(&mut self, astray: &Astray) -> Result<(), Failure> {
        let spread = self.desk.codec.spread();
        let to = spread.and_then(|spread| spread.read_elsewhere(&astray.reply));
        let moves = astray.pending.moves + 1;
        let (Some(to), true) = (to, moves <= MOST_MOVES) else {
            self.desk.keep_said(astray.pending.kind(), ErrorKind::Other, &astray.reply);
            self.fail_routed(astray.index, &astray.pending, ErrorKind::Other);
            return Ok(());
        };
        let by = self.nodes[astray.index / self.per_node].clone();
        let node = self.node_named(&to.server, &by)?;
        let mut request = Vec::new();
        self.desk.append_again(&astray.pending, &mut request);
        if let (Some(routes), false) = (&mut self.routes, to.once) {
            if let Some(place) = routes.map.get_mut(place_of(&self.desk)) {
                *place = node;
            }
            routes.outdated = true;
        }
        let index = node * self.per_node + astray.index % self.per_node;
        self.hand_over(index, Pending { moves, ..astray.pending }, &request, to.once);
        Ok(())
    }

    fn ask_where(&mut self) {
        let Some(routes) = &mut self.routes else { return };
        if !routes.outdated || self.desk.now < routes.next_question {
            return;
        }
        let count = self.links.len();
        let up = (0..count).map(|step| (routes.asked + 1 + step) % count);
        let mut up = up.filter(|&index| self.links[index].is_up());
        let Some(index) = up.next() else { return };
        routes.asked = index;
        routes.next_question = self.desk.now + QUESTION_EVERY;
        let mut question = Vec::new();
        if let Some(spread) = self.desk.codec.spread() {
            spread.encode_question(&mut question);
        }
        self.links[index].take_over(Desk::<C>::aside(Part::Map), &question);
        self.touched.push(index);
    }

    /// Closed loop: lets clients go on that may.
    pub(super) fn wake_routed(&mut self) {
        for failed in [false, true] {
            loop {
                let desk = &mut self.desk;
                let queue = if failed { &mut desk.pausing } else { &mut desk.thinking };
                let Some(&(due, index)) = queue.front().filter(|&&(due, _)| due <= desk.now) else {
                    break;
                };
                queue.pop_front();
                if let Some(step) = self.desk.supply.take(due) {
                    self.route(&step, Some(index % self.per_node), due, false);
                }
            }
        }
        while let Some(index) = self.touched.pop() {
            self.flush(index);
        }
    }
}
