//! The closed loop: each client keeps its number of requests under way.

use std::sync::atomic::Ordering;

use weighhouse_driver_api::Codec;

use super::desk::Pace;
use super::shard::{INTERRUPT_PATIENCE, NetShard};
use crate::plan::{Failure, PhasePlan};

impl<C: Codec> NetShard<C> {
    /// Carries out a phase; returns when all that was begun has ended. It stays a function of its own:
    /// what is called from here is what the counted benchmark counts.
    #[inline(never)]
    pub(super) fn closed_loop(&mut self, plan: &PhasePlan) -> Result<(), Failure> {
        let (Pace::Closed { pipeline, .. } | Pace::Routed { pipeline, .. }) = self.desk.pace else {
            return Ok(());
        };
        let routed = matches!(self.desk.pace, Pace::Routed { .. });
        let mut draining = false;
        let mut leave_at = u64::MAX;
        if routed {
            let now = self.desk.now;
            let clients = (0..self.active * pipeline).map(|one| (now, one % self.active));
            self.desk.thinking.extend(clients);
            self.wake_routed();
        } else {
            self.fill(pipeline);
        }
        loop {
            let until = if draining { u64::MAX } else { plan.deadline };
            let next = [self.desk.thinking.front(), self.desk.pausing.front()];
            let due = next.into_iter().flatten().map(|&(due, _)| due).min();
            self.turn(until, due)?;
            if routed {
                self.wake_routed();
            } else {
                self.wake(pipeline);
            }
            if leave_at == u64::MAX && self.stop.load(Ordering::Relaxed) {
                self.desk.supply.stop();
                leave_at = self.desk.now + INTERRUPT_PATIENCE;
            }
            if !draining && self.desk.supply.is_spent(self.desk.now) {
                draining = true;
                self.desk.thinking.clear();
                self.desk.pausing.clear();
                self.desk.book.drain(self.desk.now.min(plan.deadline));
            }
            if self.desk.now >= leave_at {
                return Ok(());
            }
            if self.desk.in_flight == 0 && (draining || self.desk.supply.is_exhausted()) {
                return Ok(());
            }
            self.listen(plan)?;
        }
    }

    /// Lets clients go on whose pause is over.
    fn wake(&mut self, pipeline: usize) {
        while let Some(&(due, index)) = self.desk.thinking.front() {
            if due > self.desk.now {
                return;
            }
            self.desk.thinking.pop_front();
            let link = &mut self.links[index];
            if link.is_up() && link.pending.len() < pipeline {
                link.compose(&mut self.desk, due, false);
                self.flush(index);
            }
        }
    }
}
