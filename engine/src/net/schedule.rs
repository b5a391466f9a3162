//! When operations of an open loop are due.
//!
//! The schedule depends on nothing but its parameters: neither on when operations were sent nor on
//! when they returned. It is never shifted and nothing is left out.

use crate::clock::SECOND;
use crate::order::Arrival;
use crate::workload::Random;

/// What distinguishes random numbers for arrivals from others of the same seed.
const ARRIVALS: u64 = 2;

/// Due times of one shard in one phase.
#[derive(Debug, Clone)]
pub struct Schedule {
    start: u64,
    times: Times,
    next: u64,
}

#[derive(Debug, Clone)]
enum Times {
    /// Every `gap`, shards taking turns.
    Constant { position: u64, step: u64, gap: f64 },
    /// Independent exponential gaps; those of all shards together are a Poisson process again.
    Poisson { elapsed: f64, mean_gap: f64, random: Random },
}

impl Schedule {
    /// Due times from `start` on, ns, for a shard of several that together make `rate` a second.
    #[must_use]
    pub fn new(
        arrival: Arrival,
        rate: f64,
        start: u64,
        (shard, shards): (u64, u64),
        (seed, phase): (u64, u64),
    ) -> Self {
        let gap = SECOND as f64 / rate;
        let times = match arrival {
            Arrival::Constant => Times::Constant { position: shard, step: shards, gap },
            Arrival::Poisson => Times::Poisson {
                elapsed: 0.0,
                mean_gap: gap * shards as f64,
                random: Random::new(seed, [ARRIVALS, phase, shard]),
            },
        };
        let mut schedule = Self { start, times, next: start };
        schedule.advance();
        schedule
    }

    /// When the next operation is due.
    #[must_use]
    pub fn next(&self) -> u64 {
        self.next
    }

    /// The next operation has been taken.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // 2^53 ns are 104 days
    pub fn advance(&mut self) {
        let offset = match &mut self.times {
            Times::Constant { position, step, gap } => {
                let offset = *position as f64 * *gap;
                *position += *step;
                offset
            }
            Times::Poisson { elapsed, mean_gap, random } => {
                *elapsed += random.exponential() * *mean_gap;
                *elapsed
            }
        };
        self.next = self.start + offset as u64;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn times(arrival: Arrival, shard: u64, shards: u64, count: usize) -> Vec<u64> {
        let mut schedule = Schedule::new(arrival, 2000.0, 1000, (shard, shards), (7, 1));
        let mut times = Vec::new();
        for _ in 0..count {
            times.push(schedule.next());
            schedule.advance();
        }
        times
    }

    #[test]
    fn constant_times_are_even_and_do_not_drift() {
        let all = times(Arrival::Constant, 0, 1, 20_001);
        assert_eq!(all[..3], [1000, 501_000, 1_001_000]);
        assert_eq!(all[20_000], 10 * SECOND + 1000);
    }

    #[test]
    fn shards_interleave_to_the_whole_schedule() {
        let mut both = times(Arrival::Constant, 0, 2, 50);
        both.extend(times(Arrival::Constant, 1, 2, 50));
        both.sort_unstable();
        assert_eq!(both, times(Arrival::Constant, 0, 1, 100));
    }

    #[test]
    fn poisson_gaps_have_the_mean_and_the_spread_of_an_exponential() {
        let all = times(Arrival::Poisson, 0, 1, 100_000);
        let gaps: Vec<f64> = all.windows(2).map(|pair| (pair[1] - pair[0]) as f64).collect();
        let mean = gaps.iter().sum::<f64>() / gaps.len() as f64;
        let variance = gaps.iter().map(|gap| (gap - mean).powi(2)).sum::<f64>() / gaps.len() as f64;
        assert!((mean / 500_000.0 - 1.0).abs() < 0.02, "{mean}");
        assert!((variance.sqrt() / mean - 1.0).abs() < 0.02);
        assert_eq!(all, times(Arrival::Poisson, 0, 1, 100_000));
    }
}
