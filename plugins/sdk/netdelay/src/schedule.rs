//! When a packet is due.

use std::time::{Duration, Instant};

use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// Gives each packet the moment when it goes on: its arrival, the delay, and a deviation that is
/// uniform between minus and plus the jitter; never before the packet ahead of it.
pub(crate) struct Schedule {
    least: Duration,
    spread_ns: u64,
    last: Option<Instant>,
    random: Xoshiro256PlusPlus,
}

impl Schedule {
    /// The jitter is at most the delay; what is above is taken as the delay.
    pub(crate) fn new(delay: Duration, jitter: Duration, seed: u64) -> Self {
        let jitter = jitter.min(delay);
        Self {
            least: delay.saturating_sub(jitter),
            spread_ns: u64::try_from(2 * jitter.as_nanos()).unwrap_or(u64::MAX - 1),
            last: None,
            random: Xoshiro256PlusPlus::seed_from_u64(seed),
        }
    }

    /// For a packet that arrived now.
    pub(crate) fn due(&mut self, now: Instant) -> Instant {
        // The high half of a product is uniform, and as even as 64 bits allow.
        let product = u128::from(self.random.next_u64()) * u128::from(self.spread_ns + 1);
        let deviation = Duration::from_nanos(u64::try_from(product >> 64).unwrap_or(0));
        let due = now + self.least + deviation;
        let due = self.last.map_or(due, |last| due.max(last));
        self.last = Some(due);
        due
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DELAY: Duration = Duration::from_millis(20);
    const JITTER: Duration = Duration::from_millis(2);
    const LEAST: Duration = Duration::from_millis(18);

    #[test]
    fn without_jitter_every_packet_waits_the_delay() {
        let now = Instant::now();
        let mut schedule = Schedule::new(DELAY, Duration::ZERO, 1);
        assert!((0..100).all(|_| schedule.due(now) == now + DELAY));
    }

    #[test]
    fn jitter_fills_its_range_evenly_and_stays_inside() {
        let start = Instant::now();
        let mut schedule = Schedule::new(DELAY, JITTER, 7);
        let mut counts = [0_u32; 4];
        for number in 0..4_000_u32 {
            // So far apart that none waits for the one ahead.
            let now = start + number * 10 * JITTER;
            let waited = schedule.due(now) - now;
            assert!(waited >= LEAST && waited <= DELAY + JITTER, "{waited:?}");
            let quarter = waited.saturating_sub(LEAST).as_micros() / 1_000;
            counts[usize::try_from(quarter.min(3)).unwrap()] += 1;
        }
        assert!(counts.iter().all(|count| (850..1150).contains(count)), "{counts:?}");
    }

    #[test]
    fn packets_stay_in_order() {
        let start = Instant::now();
        let mut schedule = Schedule::new(DELAY, DELAY, 3);
        let dues: Vec<_> =
            (0..1_000).map(|us| schedule.due(start + Duration::from_micros(us))).collect();
        assert!(dues.is_sorted());
        assert!(dues.windows(2).any(|pair| pair[0] < pair[1]));
    }
}
