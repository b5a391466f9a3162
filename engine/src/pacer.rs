//! Moments on the runtime of a client library, to some microseconds.

use std::future::Future;
use std::io;
use std::os::fd::OwnedFd;
use std::time::Duration;

use rustix::time::{
    Itimerspec, TimerfdClockId, TimerfdFlags, TimerfdTimerFlags, Timespec, timerfd_create,
    timerfd_settime,
};
use tokio::io::unix::AsyncFd;

use crate::clock::{Clock, SECOND};
use crate::plan::Failure;

/// The last stretch before an operation is due is spent without sleeping, ns.
const SPIN: u64 = 40_000;
/// What to tell of an event loop that failed.
pub(crate) fn internal(error: &io::Error) -> Failure {
    Failure::new("internal", format!("the event loop failed: {error}"), "")
}

/// Waits for moments more exactly than the runtime's own timer, whose step is a millisecond.
pub(crate) struct Pacer {
    clock: Clock,
    timer: AsyncFd<OwnedFd>,
    spin: u64,
}

impl Pacer {
    #[allow(deprecated)] // its successor is unsafe for descriptors that others may close: not this
    pub(crate) fn new(clock: Clock) -> io::Result<Self> {
        let flags = TimerfdFlags::NONBLOCK | TimerfdFlags::CLOEXEC;
        let timer = timerfd_create(TimerfdClockId::Monotonic, flags)?;
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        let spin = if processors > 1 { SPIN } else { 0 };
        Ok(Self { clock, timer: AsyncFd::new(timer)?, spin })
    }

    /// Returns at a moment; what is ready meanwhile gets its turn.
    pub(crate) async fn until(&mut self, moment: u64) -> Result<(), Failure> {
        loop {
            let now = self.clock.now();
            if now >= moment {
                return Ok(());
            }
            let left = moment - now;
            if left <= self.spin {
                tokio::task::yield_now().await;
                continue;
            }
            self.ring_after(left - self.spin).await.map_err(|error| internal(&error))?;
        }
    }

    async fn ring_after(&mut self, left: u64) -> io::Result<()> {
        let once = |seconds: u64, rest: u64| Timespec {
            tv_sec: i64::try_from(seconds).unwrap_or(i64::MAX),
            tv_nsec: i64::try_from(rest).unwrap_or_default(),
        };
        let ring =
            Itimerspec { it_interval: once(0, 0), it_value: once(left / SECOND, left % SECOND) };
        timerfd_settime(self.timer.get_ref(), TimerfdTimerFlags::empty(), &ring)?;
        let mut guard = self.timer.readable().await?;
        guard.clear_ready();
        let mut expirations = [0; 8];
        // Read dry, so that the next ring is an edge again.
        let _ = rustix::io::read(self.timer.get_ref(), &mut expirations);
        Ok(())
    }

    /// A sleep that need not be exact.
    pub(crate) fn nap(&self, until: u64) -> impl Future<Output = ()> + use<> {
        let left = until.saturating_sub(self.clock.now());
        tokio::time::sleep(Duration::from_nanos(left))
    }
}
