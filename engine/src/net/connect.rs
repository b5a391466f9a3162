//! The first connections: made one by one before anything is measured.

use std::io;
use std::time::Duration;

use weighhouse_driver_api::{Codec, Outcome, Parsed, Refusal};

use super::endpoint::{Endpoint, Socket};
use crate::plan::Failure;

/// How long a connection may take to come about.
pub(super) const PATIENCE: Duration = Duration::from_secs(5);

/// Connects and greets.
pub(super) fn connect<C: Codec>(endpoint: &Endpoint, codec: &C) -> Result<Socket, Failure> {
    let unreachable = |error: io::Error| {
        Failure::new(
            "connection",
            format!("{endpoint} cannot be reached: {error}"),
            "is the server up, and does it allow so many connections?",
        )
    };
    let mut socket = Socket::connect(endpoint, PATIENCE).map_err(unreachable)?;
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
