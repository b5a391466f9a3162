//! What the client library's errors mean.

use std::io;

use mongodb::error::{Error, ErrorKind as Cause, SYSTEM_OVERLOADED_ERROR, WriteFailure};
use weighhouse_driver_api::ErrorKind;

/// The server gave an operation up for its time: time limits of operations, locks and networks, and
/// that of a write concern.
const TIMEOUTS: [i32; 6] = [24, 50, 64, 89, 202, 262];

/// The server cannot do it now: it is short of memory for it, has a conflict of writes, or is asked
/// too much.
const BUSY: [i32; 5] = [112, 146, 325, 365, 462];

/// It starts, ends, steps down, recovers, or finds no primary or too few nodes.
const UNAVAILABLE: [i32; 10] = [74, 91, 100, 133, 134, 189, 10058, 11600, 11602, 13436];

/// The server does not take it: whoever asks may not, or it is a secondary.
const REFUSED: [i32; 4] = [13, 18, 10107, 13435];

/// Out of disk.
const FULL: [i32; 1] = [14031];

/// The document is larger than is taken.
const TOO_LARGE: [i32; 2] = [10334, 17419];

/// What an error means.
pub(crate) fn kind_of(error: &Error) -> ErrorKind {
    if error.contains_label(SYSTEM_OVERLOADED_ERROR) {
        return ErrorKind::ServerBusy;
    }
    match error.kind.as_ref() {
        Cause::Io(cause) if cause.kind() == io::ErrorKind::TimedOut => ErrorKind::Timeout,
        Cause::Io(_)
        | Cause::ConnectionPoolCleared { .. }
        | Cause::ServerSelection { .. }
        | Cause::DnsResolve { .. }
        | Cause::Shutdown => ErrorKind::Connection,
        Cause::Command(error) => of_code(error.code),
        Cause::Write(WriteFailure::WriteError(error)) => of_code(error.code),
        Cause::Write(WriteFailure::WriteConcernError(error)) => of_code(error.code),
        Cause::InvalidResponse { .. } | Cause::BsonDeserialization(_) | Cause::Bson(_) => {
            ErrorKind::Protocol
        }
        _ => ErrorKind::Other,
    }
}

fn of_code(code: i32) -> ErrorKind {
    if TIMEOUTS.contains(&code) {
        ErrorKind::Timeout
    } else if REFUSED.contains(&code) {
        ErrorKind::Refused
    } else if BUSY.contains(&code) {
        ErrorKind::ServerBusy
    } else if UNAVAILABLE.contains(&code) {
        ErrorKind::Unavailable
    } else if FULL.contains(&code) {
        ErrorKind::Full
    } else if TOO_LARGE.contains(&code) {
        ErrorKind::TooLarge
    } else {
        ErrorKind::Other
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_of_the_network_tells_whether_time_ran_out() {
        let kind = |kind: io::ErrorKind| kind_of(&Error::from(io::Error::from(kind)));
        assert_eq!(kind(io::ErrorKind::TimedOut), ErrorKind::Timeout);
        assert_eq!(kind(io::ErrorKind::ConnectionRefused), ErrorKind::Connection);
        assert_eq!(kind(io::ErrorKind::UnexpectedEof), ErrorKind::Connection);
    }

    #[test]
    fn codes_of_the_server_have_their_kinds() {
        // MaxTimeMSExpired, NotWritablePrimary, ExceededMemoryLimit, PrimarySteppedDown,
        // OutOfDiskSpace, BSONObjectTooLarge, DuplicateKey.
        for (code, kind) in [
            (50, ErrorKind::Timeout),
            (10107, ErrorKind::Refused),
            (146, ErrorKind::ServerBusy),
            (189, ErrorKind::Unavailable),
            (14031, ErrorKind::Full),
            (10334, ErrorKind::TooLarge),
            (11000, ErrorKind::Other),
        ] {
            assert_eq!(of_code(code), kind);
        }
        let lists: [&[i32]; 6] = [&TIMEOUTS, &BUSY, &UNAVAILABLE, &REFUSED, &FULL, &TOO_LARGE];
        let mut codes = lists.concat();
        codes.sort_unstable();
        let all = codes.len();
        codes.dedup();
        assert_eq!(codes.len(), all, "a code has one kind");
    }
}
