//! What the client library's errors mean.

use std::io;

use mongodb::error::{Error, ErrorKind as Cause, SYSTEM_OVERLOADED_ERROR, WriteFailure};
use weighhouse_driver_api::ErrorKind;

/// The server gave an operation up for its time: time limits of operations, locks and networks, and
/// that of a write concern.
const TIMEOUTS: [i32; 6] = [24, 50, 64, 89, 202, 262];

/// The server cannot do it now: it is short of memory, has a conflict of writes, is asked too much,
/// starts, ends, or is no primary yet.
const BUSY: [i32; 13] = [91, 112, 133, 134, 146, 189, 325, 365, 462, 10058, 11600, 11602, 13436];

/// The server does not take it: whoever asks may not, it is a secondary, or out of disk.
const REFUSED: [i32; 5] = [13, 18, 10107, 13435, 14031];

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
        // MaxTimeMSExpired, NotWritablePrimary, ExceededMemoryLimit, DuplicateKey.
        for (code, kind) in [
            (50, ErrorKind::Timeout),
            (10107, ErrorKind::Refused),
            (146, ErrorKind::ServerBusy),
            (11000, ErrorKind::Other),
        ] {
            assert_eq!(of_code(code), kind);
        }
        assert!(TIMEOUTS.iter().all(|code| !BUSY.contains(code) && !REFUSED.contains(code)));
        assert!(REFUSED.iter().all(|code| !BUSY.contains(code)));
    }
}
