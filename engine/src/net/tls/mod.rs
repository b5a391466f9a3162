//! TLS: what it is asked for with, and connections that speak it.
//!
//! Away from the path of plain connections, which pay nothing for it.

mod options;
mod stream;

pub use options::{SCHEMA, SERVER_NAME, Tls, TlsOptions};
pub(super) use stream::{BlockingSecure, Secure};
