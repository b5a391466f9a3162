//! What an error of the library means.

use aerospike::{Error, ErrorKind as Kind, ResultCode};
use weighhouse_driver_api::{ErrorKind, Outcome, said};

/// What came of an operation that failed.
pub(crate) fn outcome_of(error: &Error) -> Outcome {
    match error.server_result_code() {
        Some(ResultCode::KeyNotFoundError) => Outcome::NotFound,
        Some(code) => said::failed(kind_of_code(code), error),
        None => said::failed(kind_of(root(error)), error),
    }
}

/// What an error that is wrapped in others began with: the library puts "no more tries" around the
/// reason of the last one.
fn root(error: &Error) -> &Error {
    let mut root = error;
    while let Some(cause) = root.cause() {
        root = cause;
    }
    root
}

fn kind_of(error: &Error) -> ErrorKind {
    match error.kind() {
        Kind::Timeout => ErrorKind::Timeout,
        Kind::Connection
        | Kind::ConnectionPoolEmpty
        | Kind::NoMoreConnections
        | Kind::MaxErrorRate
        | Kind::InvalidNode
        | Kind::Io(_)
        | Kind::StreamTerminated
        // The namespace was there when the run began: no node is left that tells of it.
        | Kind::InvalidNamespace => ErrorKind::Connection,
        Kind::BadResponse
        | Kind::ParsePeers
        | Kind::InvalidUtf8(_)
        | Kind::ParseAddr(_)
        | Kind::ParseInt(_) => ErrorKind::Protocol,
        _ => ErrorKind::Other,
    }
}

/// What a server's result code means.
fn kind_of_code(code: ResultCode) -> ErrorKind {
    match code {
        ResultCode::Timeout => ErrorKind::Timeout,
        // Out of memory or storage: writes are stopped.
        ResultCode::ServerMemError => ErrorKind::Full,
        ResultCode::RecordTooBig => ErrorKind::TooLarge,
        // Whoever asks may not.
        ResultCode::RoleViolation | ResultCode::NotAuthenticated | ResultCode::FailForbidden => {
            ErrorKind::Refused
        }
        ResultCode::PartitionUnavailable => ErrorKind::Unavailable,
        // A hot key, a queue, a quota.
        ResultCode::DeviceOverload
        | ResultCode::KeyBusy
        | ResultCode::BatchQueuesFull
        | ResultCode::XdrKeyBusy
        | ResultCode::QuotaExceeded => ErrorKind::ServerBusy,
        _ => ErrorKind::Other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_client_library_finds_by_itself_is_told_by_its_root() {
        let wrapped = Error::from(std::io::Error::other("broken")).chain_error("while sending");
        assert_eq!(outcome_of(&wrapped), Outcome::Error(ErrorKind::Connection));
        let wrapped = Error::client_error("odd").chain_error("outer");
        assert_eq!(outcome_of(&wrapped), Outcome::Error(ErrorKind::Other));
        let number = "x".parse::<u8>().unwrap_err();
        assert_eq!(outcome_of(&Error::from(number)), Outcome::Error(ErrorKind::Protocol));
    }

    #[test]
    fn codes_of_a_server_that_is_busy_are_told_from_others() {
        assert_eq!(kind_of_code(ResultCode::Timeout), ErrorKind::Timeout);
        assert_eq!(kind_of_code(ResultCode::ServerMemError), ErrorKind::Full);
        assert_eq!(kind_of_code(ResultCode::KeyBusy), ErrorKind::ServerBusy);
        assert_eq!(kind_of_code(ResultCode::RecordTooBig), ErrorKind::TooLarge);
        assert_eq!(kind_of_code(ResultCode::KeyExistsError), ErrorKind::Other);
    }
}
