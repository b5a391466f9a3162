//! The open loop: operations go out when they are due, whether or not earlier ones returned.
//!
//! An operation that finds no place (so many are under way already, or no connection is up) waits
//! with its due time; what it waited is part of its response time. The schedule goes on meanwhile.

use std::sync::atomic::Ordering;

use weighhouse_driver_api::{Codec, Operation};

use super::schedule::Schedule;
use super::shard::{INTERRUPT_PATIENCE, NetShard};
use super::state::State;
use crate::plan::{Failure, PhasePlan};

/// Operations that are due go out in batches, between which replies are taken in.
const BATCH: usize = 64;
/// Connections that are compared to find the least loaded one.
const COMPARED: usize = 64;

/// What came of issuing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Issued {
    /// All that was due is out.
    All,
    /// A whole batch; more may be due.
    Batch,
    /// There was no place for more.
    Blocked,
}

impl<C: Codec> NetShard<C> {
    /// Carries out a phase.
    pub(super) fn open_loop(
        &mut self,
        plan: &PhasePlan,
        mut schedule: Schedule,
        cap: usize,
    ) -> Result<(), Failure> {
        let mut leave_at = u64::MAX;
        let mut held_until = 0;
        loop {
            let issued = self.issue(&mut schedule, cap, &mut held_until);
            let spent = self.desk.supply.is_spent(schedule.next());
            if leave_at == u64::MAX && self.stop.load(Ordering::Relaxed) {
                self.desk.supply.stop();
                leave_at = self.desk.now + INTERRUPT_PATIENCE;
            }
            let now = self.desk.now;
            let over = spent && (plan.deadline <= now || self.desk.supply.is_spent(0));
            if (over && self.desk.in_flight == 0) || now >= leave_at {
                return Ok(());
            }
            if now.saturating_sub(self.timeout) >= plan.deadline && !spent {
                self.give_up(&mut schedule);
                continue;
            }
            let due = match issued {
                Issued::All if spent && !over => Some(plan.deadline),
                Issued::All if !spent => Some(schedule.next()),
                Issued::Batch => Some(0),
                _ => None,
            };
            self.turn(u64::MAX, due)?;
            self.listen(plan)?;
        }
    }

    /// Sends what is due, as far as there is place.
    fn issue(&mut self, schedule: &mut Schedule, cap: usize, held_until: &mut u64) -> Issued {
        let now = self.desk.clock.now();
        self.desk.now = now;
        self.desk.book.turn(now);
        let mut issued = Issued::Batch;
        for _ in 0..BATCH {
            let due = schedule.next();
            if due > now || self.desk.supply.is_spent(due) {
                issued = Issued::All;
                break;
            }
            let full = self.desk.in_flight >= cap;
            self.desk.book.recorder().saturated |= full;
            let routed = self.routes.is_some();
            let place = if routed { Some(0) } else { self.least_loaded(0).or_else(|| self.gone()) };
            let Some(index) = place.filter(|_| !full) else {
                *held_until = now;
                issued = Issued::Blocked;
                break;
            };
            let Some(step) = self.desk.supply.take_of(due, schedule.operation()) else {
                issued = Issued::All;
                break;
            };
            schedule.advance();
            self.desk.book.begun(due);
            let held = due <= *held_until;
            if routed || self.reopens {
                self.route(&step, (!routed).then_some(index), due, held);
                continue;
            }
            self.links[index].append(&mut self.desk, &step, due, held);
            if !self.touched.contains(&index) {
                self.touched.push(index);
            }
        }
        let under_way = self.desk.in_flight;
        let most = &mut self.desk.book.recorder().in_flight_most;
        *most = under_way.max(*most);
        while let Some(index) = self.touched.pop() {
            self.flush(index);
        }
        issued
    }

    /// Where connections are opened anew and none can be: operations fail of that, and wait for nothing.
    fn gone(&self) -> Option<usize> {
        let mut links = self.links.iter().take(self.active);
        (self.reopens && links.all(|link| matches!(link.state, State::Down(_)))).then_some(0)
    }

    /// Of the connections from a first one on, one for each client, one that takes operations with the
    /// fewest under way.
    pub(super) fn least_loaded(&mut self, first: usize) -> Option<usize> {
        let mut best = None;
        for step in 0..self.active.min(COMPARED) {
            let index = (self.cursor + step) % self.active;
            let link = &self.links[first + index];
            let load = link.pending.len() + link.waiting.len();
            if link.takes() && best.is_none_or(|(least, _)| load < least) {
                best = Some((load, index));
                if load == 0 {
                    break;
                }
            }
        }
        // With all of those compared down, the next call looks at others.
        self.cursor = best.map_or(self.cursor + COMPARED, |(_, index)| index + 1) % self.active;
        best.map(|(_, index)| first + index)
    }

    /// Counts what is due and can no longer be sent in time.
    fn give_up(&mut self, schedule: &mut Schedule) {
        while let Some(step) = self.desk.supply.take_of(schedule.next(), schedule.operation()) {
            self.desk.book.give_up(step.operation, schedule.next());
            if step.operation == Operation::Insert {
                self.desk.supply.settle(step.number, false);
            }
            schedule.advance();
        }
    }
}
