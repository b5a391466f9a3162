//! How long a task that was woken waits for its turn.

use std::future::{Future, poll_fn};
use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Wake, Waker};

use crate::clock::Clock;

/// Stands between what wakes a task and the task, and remembers when that was.
struct Ear {
    clock: Clock,
    heard: Mutex<Heard>,
}

#[derive(Default)]
struct Heard {
    task: Option<Waker>,
    /// Since when the task waits for its turn.
    since: Option<u64>,
}

impl Ear {
    fn heard(&self) -> MutexGuard<'_, Heard> {
        self.heard.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The task has its turn: how long it waited for that since it was woken, and whom to wake from
    /// now on.
    fn turn(&self, task: &Waker) -> Option<u64> {
        let mut heard = self.heard();
        if !heard.task.as_ref().is_some_and(|known| known.will_wake(task)) {
            heard.task = Some(task.clone());
        }
        heard.since.take().map(|since| self.clock.now().saturating_sub(since))
    }
}

impl Wake for Ear {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        let task = {
            let mut heard = self.heard();
            heard.since.get_or_insert_with(|| self.clock.now());
            heard.task.clone()
        };
        if let Some(task) = task {
            task.wake();
        }
    }
}

/// What came of something that was waited for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Attended<T> {
    /// What it gave.
    pub(crate) output: T,
    /// It was not there at once: others had their turn meanwhile.
    pub(crate) waited: bool,
    /// The longest that it was ready and had no turn, ns.
    pub(crate) delay: u64,
}

/// Waits for something, and takes the time from each waking to the turn that follows.
pub(crate) async fn attend<F: Future>(clock: Clock, future: F) -> Attended<F::Output> {
    let ear = Arc::new(Ear { clock, heard: Mutex::default() });
    let waker = Waker::from(Arc::clone(&ear));
    let mut future = pin!(future);
    let (mut waited, mut delay) = (false, 0);
    let output = poll_fn(|context| {
        delay = delay.max(ear.turn(context.waker()).unwrap_or_default());
        let polled = future.as_mut().poll(&mut Context::from_waker(&waker));
        waited |= polled.is_pending();
        match polled {
            Poll::Ready(output) => Poll::Ready(output),
            Poll::Pending => Poll::Pending,
        }
    })
    .await;
    Attended { output, waited, delay }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;
    use std::rc::Rc;
    use std::time::{Duration, Instant};

    fn run<F: Future>(future: F) -> F::Output {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        tokio::task::LocalSet::new().block_on(&runtime, future)
    }

    #[test]
    fn what_is_there_at_once_waits_for_nothing() {
        let attended = run(attend(Clock::start(), std::future::ready(7)));
        assert_eq!(attended, Attended { output: 7, waited: false, delay: 0 });
    }

    #[test]
    fn a_task_that_is_woken_and_not_run_is_late_by_that() {
        let attended = run(async {
            let (say, hear) = tokio::sync::oneshot::channel();
            let begun = Rc::new(Cell::new(false));
            let sets_begun = Rc::clone(&begun);
            let waits = tokio::task::spawn_local(attend(Clock::start(), async move {
                sets_begun.set(true);
                hear.await
            }));
            while !begun.get() {
                tokio::task::yield_now().await;
            }
            say.send(7).unwrap();
            // Whoever keeps the thread keeps what is ready waiting.
            let kept = Instant::now();
            while kept.elapsed() < Duration::from_millis(20) {
                std::hint::spin_loop();
            }
            waits.await.unwrap()
        });
        assert_eq!((attended.output, attended.waited), (Ok(7), true));
        assert!(attended.delay >= 20_000_000, "{}", attended.delay);
    }

    #[test]
    fn time_until_it_is_woken_is_no_delay_of_the_loop() {
        let (began, slept) = (Instant::now(), Duration::from_millis(100));
        let attended = run(async { attend(Clock::start(), tokio::time::sleep(slept)).await });
        assert!(attended.waited);
        // The clock of a delay begins when the timer rings, and not with the sleep.
        let rest = began.elapsed().checked_sub(slept).unwrap();
        assert!(Duration::from_nanos(attended.delay) <= rest, "{} of {rest:?}", attended.delay);
    }
}
