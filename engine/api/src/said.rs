//! What was said of an operation that failed, kept from the driver that knows it to the engine that
//! records it, by the thread that does the operation. An operation that succeeds touches nothing.

use std::cell::RefCell;
use std::fmt::{Display, Write};

use crate::{ErrorKind, Outcome};

thread_local! {
    static SAID: RefCell<(Option<ErrorKind>, String)> = RefCell::default();
}

/// An operation that failed in a way, and the words of whoever told so: the server, or the library
/// that asks it.
pub fn failed(kind: ErrorKind, words: &dyn Display) -> Outcome {
    SAID.with_borrow_mut(|(of, said)| {
        *of = Some(kind);
        said.clear();
        // Into a text nothing fails but the words' own description, of which the rest is kept.
        let _ = write!(said, "{words}");
    });
    Outcome::Error(kind)
}

/// Hands over what was said last of an operation of this thread, if it failed in that way; from now
/// on nothing was said.
pub fn take<R>(kind: ErrorKind, keep: impl FnOnce(&str) -> R) -> Option<R> {
    SAID.with_borrow_mut(|(of, said)| (of.take() == Some(kind)).then(|| keep(said)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_of_a_failure_are_told_once_and_of_its_kind_alone() {
        let taken = |kind| take(kind, str::to_owned);
        assert_eq!(failed(ErrorKind::Refused, &"read-only"), Outcome::Error(ErrorKind::Refused));
        assert_eq!(taken(ErrorKind::Refused).as_deref(), Some("read-only"));
        assert_eq!(taken(ErrorKind::Refused), None);
        failed(ErrorKind::Refused, &"still");
        assert_eq!(taken(ErrorKind::Timeout), None);
        assert_eq!(taken(ErrorKind::Refused), None, "what was said is of one operation");
    }
}
