//! What was said of operations that failed: the first words of each kind since they were last
//! forgotten, kept by the thread that does the operations.

use std::cell::RefCell;
use std::fmt::Display;

use crate::{ErrorKind, Outcome};

thread_local! {
    static SAID: RefCell<[Option<String>; ErrorKind::ALL.len()]> = RefCell::default();
}

/// An operation that failed in a way, and the words of whoever told so: the server, or the library
/// that asks it.
pub fn failed(kind: ErrorKind, words: &dyn Display) -> Outcome {
    SAID.with_borrow_mut(|said| {
        said[kind.index()].get_or_insert_with(|| words.to_string());
    });
    Outcome::Error(kind)
}

/// What was said first of operations of this thread that failed in a way.
#[must_use]
pub fn of(kind: ErrorKind) -> Option<String> {
    SAID.with_borrow(|said| said[kind.index()].clone())
}

/// From now on others are the first.
pub fn forget() {
    SAID.with_borrow_mut(|said| *said = Default::default());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_words_of_each_kind_are_kept() {
        forget();
        assert_eq!(failed(ErrorKind::Refused, &"full"), Outcome::Error(ErrorKind::Refused));
        failed(ErrorKind::Refused, &"still full");
        assert_eq!(of(ErrorKind::Refused).as_deref(), Some("full"));
        assert_eq!(of(ErrorKind::Timeout), None);
        forget();
        assert_eq!(of(ErrorKind::Refused), None);
    }
}
