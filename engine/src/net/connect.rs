//! The first connections: made one by one before anything is measured.

use std::io;

use weighhouse_driver_api::{Codec, Outcome, Parsed, Refusal, Spread, Stretch};

use super::endpoint::{Endpoint, PATIENCE};
use super::state::{Blocking, State};
use super::tls::Tls;
use crate::plan::Failure;

const NO_PORTS: &str = "is a port of this machine free for it? Those of connections that were closed \
    are kept for a minute (TIME_WAIT; net.ipv4.ip_local_port_range)";

fn unreachable<'a>(
    endpoint: &'a Endpoint,
    tls: Option<&Tls>,
) -> impl Fn(io::Error) -> Failure + 'a {
    let secure = tls.is_some();
    move |error: io::Error| {
        let hint = match (secure, error.kind()) {
            (_, io::ErrorKind::AddrNotAvailable) => NO_PORTS,
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
    }
}

/// Connects and greets.
pub(super) fn connect<C: Codec>(
    endpoint: &Endpoint,
    tls: Option<&Tls>,
    codec: &C,
) -> Result<State, Failure> {
    greeted(endpoint, tls, codec)?.release().map_err(unreachable(endpoint, tls))
}

/// Asks a server where keys are.
pub(super) fn ask_map<C: Codec>(
    endpoint: &Endpoint,
    tls: Option<&Tls>,
    codec: &C,
    spread: &dyn Spread,
) -> Result<Vec<Stretch>, Failure> {
    let failed = unreachable(endpoint, tls);
    let unusable = |what: String, hint: String| {
        Failure::new("connection", format!("{endpoint} does not say where keys are: {what}"), hint)
    };
    let incomplete = || "is it a server of a cluster, and is the cluster complete?".to_owned();
    let mut socket = greeted(endpoint, tls, codec)?;
    let mut request = Vec::new();
    spread.encode_question(&mut request);
    socket.write_all(&request).map_err(&failed)?;
    let (mut reply, mut scan) = (Vec::new(), C::Scan::default());
    let mut input = vec![0; 4096];
    loop {
        match socket.read(&mut input).map_err(&failed)? {
            0 => return Err(failed(io::ErrorKind::UnexpectedEof.into())),
            count => reply.extend_from_slice(&input[..count]),
        }
        match codec.parse_greeting(&reply, &mut scan) {
            Ok(Parsed::Incomplete) => {}
            Ok(Parsed::Complete { consumed, outcome: Outcome::Ok }) => {
                return spread
                    .read_map(&reply[..consumed])
                    .map_err(|what| unusable(what, incomplete()));
            }
            _ => {
                let Refusal { said, hint } = codec.refused(&reply);
                return Err(unusable(said, hint));
            }
        }
    }
}

fn greeted<C: Codec>(
    endpoint: &Endpoint,
    tls: Option<&Tls>,
    codec: &C,
) -> Result<Blocking, Failure> {
    let unreachable = unreachable(endpoint, tls);
    let mut socket = Blocking::connect(endpoint, tls, PATIENCE).map_err(&unreachable)?;
    let mut request = Vec::new();
    let replies = codec.greet(&mut request);
    socket.write_all(&request).map_err(&unreachable)?;
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
                Ok(Parsed::Continue { .. } | Parsed::Elsewhere { .. }) | Err(_) => {
                    return Err(refused("does not speak the protocol"));
                }
                Ok(Parsed::Incomplete) if filled == input.len() => {
                    return Err(refused("does not speak the protocol"));
                }
                Ok(Parsed::Incomplete) => {}
            }
            match socket.read(&mut input[filled..]).map_err(&unreachable)? {
                0 => return Err(unreachable(io::ErrorKind::UnexpectedEof.into())),
                count => filled += count,
            }
        }
    }
    Ok(socket)
}
