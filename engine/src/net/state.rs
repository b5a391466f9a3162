//! The states of a connection, from one that is made before anything is measured to one that is lost.

use std::io::{self, Read, Write};
use std::time::Duration;

use weighhouse_engine_ring::Held;

use super::endpoint::{Endpoint, Socket};
use super::tls::{BlockingSecure, Secure, Tls};

/// The state of a connection.
#[derive(Debug)]
pub(super) enum State {
    /// There; requests can be sent.
    Up(Socket),
    /// The same, over the shard's ring.
    Ringed(Held),
    /// There, with TLS, whose handshake may still be going on.
    Secure(Box<Secure>),
    /// Begun at a time.
    Connecting(Socket, u64),
    /// To be made anew at a time.
    Down(u64),
    /// Closed after so many operations: the next one opens it anew.
    Ended,
}

impl State {
    /// Its socket, if there is one.
    pub(super) fn socket(&mut self) -> Option<&mut Socket> {
        match self {
            Self::Up(socket) | Self::Connecting(socket, _) => Some(socket),
            Self::Secure(secure) => Some(&mut secure.socket),
            Self::Ringed(_) | Self::Down(_) | Self::Ended => None,
        }
    }
}

/// A socket that still blocks.
#[derive(Debug)]
pub(super) enum Blocking {
    Tcp(std::net::TcpStream),
    Unix(std::os::unix::net::UnixStream),
    Secure(Box<BlockingSecure>),
}

impl Blocking {
    /// Connects, waits for it, and leaves the socket blocking until [`Blocking::release`].
    pub(super) fn connect(
        endpoint: &Endpoint,
        tls: Option<&Tls>,
        patience: Duration,
    ) -> io::Result<Self> {
        match endpoint {
            Endpoint::Tcp(address) | Endpoint::Tls(address, _) => {
                let stream = std::net::TcpStream::connect_timeout(address, patience)?;
                stream.set_nodelay(true)?;
                stream.set_read_timeout(Some(patience))?;
                Ok(match tls {
                    Some(tls) => Self::Secure(Box::new(BlockingSecure::over(stream, tls)?)),
                    None => Self::Tcp(stream),
                })
            }
            Endpoint::Unix(path) => {
                let stream = std::os::unix::net::UnixStream::connect(path)?;
                stream.set_read_timeout(Some(patience))?;
                Ok(Self::Unix(stream))
            }
        }
    }

    pub(super) fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            let result = match self {
                Self::Tcp(stream) => stream.read(buffer),
                Self::Unix(stream) => stream.read(buffer),
                Self::Secure(stream) => stream.read(buffer),
            };
            match result {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                result => return result,
            }
        }
    }

    pub(super) fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        match self {
            Self::Tcp(stream) => stream.write_all(bytes),
            Self::Unix(stream) => stream.write_all(bytes),
            Self::Secure(stream) => stream.write_all(bytes),
        }
    }

    /// Blocks no longer.
    pub(super) fn release(self) -> io::Result<State> {
        match self {
            Self::Tcp(stream) => {
                stream.set_nonblocking(true)?;
                Ok(State::Up(Socket::Tcp(mio::net::TcpStream::from_std(stream))))
            }
            Self::Unix(stream) => {
                stream.set_nonblocking(true)?;
                Ok(State::Up(Socket::Unix(mio::net::UnixStream::from_std(stream))))
            }
            Self::Secure(stream) => stream.release().map(State::Secure),
        }
    }
}
