//! Time: nanoseconds since a day before the driver started, and what they are in unix time.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use nix::time::{ClockId, clock_gettime};

/// Nanoseconds in a second.
pub const SECOND: u64 = 1_000_000_000;

/// What a clock shows at its start, ns: so much of what was before can be told by it, a phase that was
/// to begin before the driver was there, for example.
const BEFORE: u64 = 86_400 * SECOND;

/// Where an agent tells what unix time was when the monotonic clock stood at 0, µs: all processes of an
/// attempt tell one time then, whatever sets the machine's clock meanwhile.
const ANCHOR: &str = "WEIGHHOUSE_CLOCK";

/// Readings of both clocks at the start.
const READINGS: usize = 16;

/// A clock that all threads of a driver share; monotonic.
#[derive(Debug, Clone, Copy)]
pub struct Clock {
    origin: u64,
    origin_unix_us: u64,
}

/// The system's monotonic clock, ns. `Instant` reads the same one; a subtraction of two of its
/// values costs more than the reading.
#[inline(never)] // from many places; so the call below is the only one
#[allow(clippy::cast_sign_loss)] // since the machine was started: never negative
fn monotonic() -> u64 {
    // Linux always has this clock.
    let time = clock_gettime(ClockId::CLOCK_MONOTONIC).unwrap_or_else(|_| unreachable!());
    time.tv_sec() as u64 * SECOND + time.tv_nsec() as u64
}

/// Nanoseconds of a duration, at most 584 years.
#[must_use]
pub fn nanoseconds(duration: Duration) -> u64 {
    duration.as_secs() * SECOND + u64::from(duration.subsec_nanos())
}

/// Nanoseconds of a number of seconds; 0 for negative ones.
#[must_use]
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // saturates
pub fn from_seconds(seconds: f64) -> u64 {
    (seconds * SECOND as f64).round() as u64
}

impl Clock {
    /// A clock that begins now.
    ///
    /// Unix time is as the agent told it; without one, as the machine's clock shows it now.
    ///
    /// Both clocks are read several times: between two readings a busy machine may do other things,
    /// and by so much the two would be apart. The closest readings count.
    #[must_use]
    pub fn start() -> Self {
        let (_, now, unix) = (0..READINGS)
            .map(|_| {
                let before = monotonic();
                let unix = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
                let apart = monotonic().wrapping_sub(before);
                (apart, before.wrapping_add(apart / 2), nanoseconds(unix))
            })
            .min()
            .unwrap_or_else(|| unreachable!("READINGS is not 0"));
        let anchor = std::env::var(ANCHOR).ok().and_then(|told| told.parse::<i128>().ok());
        let begin_us =
            anchor.map_or(i128::from(unix / 1000), |anchor| anchor + i128::from(now / 1000));
        Self {
            origin: now.wrapping_sub(BEFORE),
            origin_unix_us: u64::try_from(begin_us).unwrap_or(0).saturating_sub(BEFORE / 1000),
        }
    }

    /// Nanoseconds of this clock.
    #[inline]
    #[must_use]
    pub fn now(&self) -> u64 {
        monotonic().wrapping_sub(self.origin)
    }

    /// From the start to a moment of this clock, µs.
    #[must_use]
    pub fn elapsed_us(&self, moment: u64) -> u64 {
        moment.saturating_sub(BEFORE) / 1000
    }

    /// A moment in unix time, µs, as one of this clock: negative more than a day before its start.
    #[must_use]
    pub fn moment(&self, unix_us: u64) -> i128 {
        (i128::from(unix_us) - i128::from(self.origin_unix_us)) * 1000
    }

    /// A moment of this clock in unix time, µs.
    #[must_use]
    pub fn unix_us(&self, moment: u64) -> u64 {
        self.origin_unix_us + moment / 1000
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_the_same_in_unix_time_and_back_also_before_the_start() {
        let clock = Clock::start();
        let now = clock.now();
        for moment in [now, now - 3600 * SECOND, now + 3600 * SECOND] {
            let whole = moment / 1000 * 1000;
            assert_eq!(clock.moment(clock.unix_us(whole)), i128::from(whole));
        }
        assert!(clock.moment(0) < 0);
        assert!(clock.elapsed_us(clock.now()) < 60_000_000);
        assert_eq!(clock.elapsed_us(now - 3600 * SECOND), 0);
    }
}
