//! Waiting for a state, and never for a time.

use std::time::{Duration, Instant};

/// So long may a state take on the busiest machine; what takes longer has failed.
pub const PATIENCE: Duration = Duration::from_secs(600);

/// Between two looks.
const PAUSE: Duration = Duration::from_millis(5);

/// Looks again and again until there is something, and returns it.
///
/// Time does not decide whether a test passes: it only ends the wait for what does not come.
#[allow(clippy::must_use_candidate)] // often waited for nothing but the state
pub fn until<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let began = Instant::now();
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(began.elapsed() < PATIENCE, "this has not come to be: {what}");
        std::thread::sleep(PAUSE);
    }
}
