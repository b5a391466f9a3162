//! Systems reached through a client library.

use std::future::Future;

use crate::{Identity, OptionRefused, Options, Outcome, RecordShape, Request, Verifier, Way};

/// Why a client could not be made ready.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ClientFailed {
    /// What happened.
    pub message: String,
    /// What to try.
    pub hint: String,
}

/// A system whose protocol is left to a client library. One value serves all clients of a shard;
/// its methods are called on that shard's runtime, which has one thread.
///
/// Time is taken around [`ClientDriver::execute`], so that the library's own work counts as the
/// system's: a fact of every result of such a driver.
pub trait ClientDriver: Sized + 'static {
    /// Who this is.
    const IDENTITY: Identity;

    /// Whether its library can hold a server's certificate against another name than the host that
    /// it connects to.
    const OTHER_NAMES: bool = true;

    /// Checks options and shape without touching anything.
    ///
    /// # Errors
    /// When an option is unknown or has a value that is not allowed.
    fn check(shape: &RecordShape, options: &Options) -> Result<(), OptionRefused>;

    /// Connects, for so many clients at once, and makes the place where records are kept if it is
    /// not there.
    fn connect(
        way: &Way,
        shape: &RecordShape,
        options: &Options,
        clients: usize,
    ) -> impl Future<Output = Result<Self, ClientFailed>>;

    /// How a record is stored.
    fn layout(&self) -> &'static str;

    /// Does one operation: never [`crate::Operation::ReadModifyWrite`]. With a verifier, what a
    /// read found is checked.
    fn execute(
        &self,
        request: &Request<'_>,
        verifier: Option<&Verifier<'_>>,
    ) -> impl Future<Output = Outcome>;
}
