//! The first connections: made one by one before anything is measured.

use std::io;
use std::time::Duration;

use weighhouse_driver_api::{Codec, Outcome, Parsed, Refusal};

use super::endpoint::{Endpoint, Socket};
use super::link::State;
use super::tls::Tls;
use crate::plan::Failure;

/// How long a connection may take to come about.
pub(super) const PATIENCE: Duration = Duration::from_secs(5);

/// Connects and greets.
pub(super) fn connect<C: Codec>(
    endpoint: &Endpoint,
    tls: Option<&Tls>,
    codec: &C,
) -> Result<State, Failure> {
    let unreachable = |error: io::Error| {
        let hint = match (tls.is_some(), error.kind()) {
            (true, io::ErrorKind::InvalidData) => {
                "is the certificate from an authority in tls_ca_file and for tls_server_name, \
                 and does the server want one of the driver (tls_certificate_file)?"
            }
            (true, kind) if kind != io::ErrorKind::ConnectionRefused => {
                "is it a port that speaks TLS, and does the server want a certificate of the \
                 driver (tls_certificate_file)?"
            }
            _ => "is the server up, and does it allow so many connections?",
        };
        let what = match error.kind() {
            io::ErrorKind::WouldBlock => format!("no answer within {} s", PATIENCE.as_secs()),
            _ => error.to_string(),
        };
        Failure::new("connection", format!("{endpoint} cannot be reached: {what}"), hint)
    };
    let mut socket = Socket::connect(endpoint, tls, PATIENCE).map_err(unreachable)?;
    let mut request = Vec::new();
    let replies = codec.greet(&mut request);
    socket.write_all(&request).map_err(unreachable)?;
    let (mut input, mut filled) = (vec![0; 4096], 0);
    for _ in 0..replies {
        let mut scan = C::Scan::default();
        loop {
            let refused = |what: &str| {
                let Refusal { said, hint } = codec.refused(&input[..filled]);
                Failure::new("connection", format!("{endpoint} {what}: {said}"), hint)
            };
            match codec.parse_greeting(&input[..filled], &mut scan) {
                Ok(Parsed::Complete { consumed, outcome: Outcome::Ok }) => {
                    input.copy_within(consumed..filled, 0);
                    filled -= consumed;
                    break;
                }
                Ok(Parsed::Complete { .. }) => return Err(refused("refused the greeting")),
                Ok(Parsed::Continue { .. }) | Err(_) => {
                    return Err(refused("does not speak the protocol"));
                }
                Ok(Parsed::Incomplete) if filled == input.len() => {
                    return Err(refused("does not speak the protocol"));
                }
                Ok(Parsed::Incomplete) => {}
            }
            match socket.read(&mut input[filled..]).map_err(unreachable)? {
                0 => return Err(unreachable(io::ErrorKind::UnexpectedEof.into())),
                count => filled += count,
            }
        }
    }
    socket.release().map_err(unreachable)
}
