//! Endpoints, and the sockets that lead to them.

use std::io;
use std::net::{SocketAddr, ToSocketAddrs};
use std::os::fd::{AsFd, BorrowedFd};
use std::path::PathBuf;

use mio::event::Source;
use mio::{Interest, Registry, Token};

/// Where a server listens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Endpoint {
    /// `tcp://HOST:PORT`
    Tcp(SocketAddr),
    /// `unix:///PATH`
    Unix(PathBuf),
    /// `tls://HOST:PORT`: TCP with TLS, and the host as it was written.
    Tls(SocketAddr, String),
}

impl Endpoint {
    /// Reads an endpoint; resolves a host name.
    ///
    /// # Errors
    /// When it is of another kind, or the name has no address.
    pub fn parse(text: &str) -> Result<Self, String> {
        if let Some(path) = text.strip_prefix("unix://") {
            return if path.starts_with('/') {
                Ok(Self::Unix(PathBuf::from(path)))
            } else {
                Err(format!("{text}: the path of a socket begins with /"))
            };
        }
        let (address, secure) = match (text.strip_prefix("tcp://"), text.strip_prefix("tls://")) {
            (Some(address), _) => (address, false),
            (_, Some(address)) => (address, true),
            _ => {
                return Err(format!(
                    "{text}: neither tcp://HOST:PORT, nor tls://HOST:PORT, nor unix:///PATH"
                ));
            }
        };
        let mut found = address.to_socket_addrs().map_err(|error| format!("{text}: {error}"))?;
        let found = found.next().ok_or_else(|| format!("{text}: the name has no address"))?;
        Ok(if secure {
            let host = address.rsplit_once(':').map_or(address, |(host, _)| host);
            let host =
                host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host);
            Self::Tls(found, host.to_owned())
        } else {
            Self::Tcp(found)
        })
    }
}

impl std::fmt::Display for Endpoint {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Tcp(address) => write!(out, "tcp://{address}"),
            Self::Unix(path) => write!(out, "unix://{}", path.display()),
            Self::Tls(address, _) => write!(out, "tls://{address}"),
        }
    }
}

/// A connected socket, or one that is about to be.
#[derive(Debug)]
pub(super) enum Socket {
    Tcp(mio::net::TcpStream),
    Unix(mio::net::UnixStream),
}

impl Socket {
    /// Begins to connect; writable when it has, or has failed.
    pub(super) fn begin(endpoint: &Endpoint) -> io::Result<Self> {
        match endpoint {
            Endpoint::Tcp(address) | Endpoint::Tls(address, _) => {
                mio::net::TcpStream::connect(*address).map(Self::Tcp)
            }
            Endpoint::Unix(path) => mio::net::UnixStream::connect(path).map(Self::Unix),
        }
    }

    /// Whether a connection that was begun is there by now; an error when it failed.
    pub(super) fn is_connected(&self) -> io::Result<bool> {
        match self {
            Self::Tcp(stream) => {
                if let Some(error) = stream.take_error()? {
                    return Err(error);
                }
                match stream.peer_addr() {
                    Ok(_) => stream.set_nodelay(true).map(|()| true),
                    Err(error) if error.kind() == io::ErrorKind::NotConnected => Ok(false),
                    Err(error) => Err(error),
                }
            }
            Self::Unix(stream) => stream.take_error()?.map_or(Ok(true), Err),
        }
    }

    #[inline]
    fn descriptor(&self) -> BorrowedFd<'_> {
        match self {
            Self::Tcp(stream) => stream.as_fd(),
            Self::Unix(stream) => stream.as_fd(),
        }
    }

    /// Reads by the system call itself: the C library's is a point of cancellation, which costs
    /// every operation of a program with threads some hundred instructions.
    #[inline]
    pub(super) fn read(&self, buffer: &mut [u8]) -> io::Result<usize> {
        Ok(rustix::io::read(self.descriptor(), buffer)?)
    }

    /// Writes by the system call itself, as [`Socket::read`] reads.
    #[inline]
    pub(super) fn write(&self, bytes: &[u8]) -> io::Result<usize> {
        Ok(rustix::io::write(self.descriptor(), bytes)?)
    }

    /// Writes several stretches at once.
    pub(super) fn write_vectored(&self, parts: &[io::IoSlice<'_>]) -> io::Result<usize> {
        Ok(rustix::io::writev(self.descriptor(), parts)?)
    }
}

impl Source for Socket {
    fn register(&mut self, to: &Registry, token: Token, interests: Interest) -> io::Result<()> {
        match self {
            Self::Tcp(stream) => stream.register(to, token, interests),
            Self::Unix(stream) => stream.register(to, token, interests),
        }
    }

    fn reregister(&mut self, to: &Registry, token: Token, interests: Interest) -> io::Result<()> {
        match self {
            Self::Tcp(stream) => stream.reregister(to, token, interests),
            Self::Unix(stream) => stream.reregister(to, token, interests),
        }
    }

    fn deregister(&mut self, from: &Registry) -> io::Result<()> {
        match self {
            Self::Tcp(stream) => stream.deregister(from),
            Self::Unix(stream) => stream.deregister(from),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endpoints_are_read_by_scheme() {
        assert_eq!(
            Endpoint::parse("tcp://127.0.0.1:16390"),
            Ok(Endpoint::Tcp(SocketAddr::from(([127, 0, 0, 1], 16390))))
        );
        assert_eq!(
            Endpoint::parse("tls://[::1]:16390"),
            Ok(Endpoint::Tls("[::1]:16390".parse().unwrap(), "::1".to_owned()))
        );
        assert_eq!(Endpoint::parse("unix:///tmp/s"), Ok(Endpoint::Unix("/tmp/s".into())));
        for wrong in ["127.0.0.1:1", "tcp://127.0.0.1", "unix://relative", "file:///data"] {
            assert!(Endpoint::parse(wrong).is_err(), "{wrong}");
        }
    }
}
