//! Time: nanoseconds since the driver started, and what they are in unix time.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use nix::time::{ClockId, clock_gettime};

/// Nanoseconds in a second.
pub const SECOND: u64 = 1_000_000_000;

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
    #[must_use]
    pub fn start() -> Self {
        let unix = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Self { origin: monotonic(), origin_unix_us: nanoseconds(unix) / 1000 }
    }

    /// Nanoseconds since the start.
    #[inline]
    #[must_use]
    pub fn now(&self) -> u64 {
        monotonic() - self.origin
    }

    /// A moment of this clock in unix time, µs.
    #[must_use]
    pub fn unix_us(&self, moment: u64) -> u64 {
        self.origin_unix_us + moment / 1000
    }
}
