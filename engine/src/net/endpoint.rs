//! Endpoints, and the sockets that lead to them.

use std::collections::BTreeMap;
use std::io;
use std::net::{IpAddr, SocketAddr, ToSocketAddrs};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::PathBuf;
use std::time::Duration;

use mio::event::Source;
use mio::{Interest, Registry, Token};
use rustix::io::Errno;
use weighhouse_driver_api::Server;

/// How long a connection may take to come about.
pub(super) const PATIENCE: Duration = Duration::from_secs(5);

/// Name of a host → its addresses, in the order in which they are tried.
pub type Hosts = BTreeMap<String, Vec<IpAddr>>;

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
    /// Reads an endpoint; looks a host name up, and takes its first address.
    ///
    /// # Errors
    /// When it is of another kind, or the name has no address.
    pub fn parse(text: &str) -> Result<Self, String> {
        let (endpoint, _) = Self::candidates(text, &Hosts::new())?;
        Ok(endpoint)
    }

    /// Reads an endpoint whose name has the addresses that were found already, and takes the first
    /// of them where somebody listens; the very first, when nobody does.
    ///
    /// # Errors
    /// As [`Endpoint::parse`].
    pub fn reached(text: &str, hosts: &Hosts) -> Result<Self, String> {
        let (first, others) = Self::candidates(text, hosts)?;
        if others.is_empty() {
            return Ok(first);
        }
        let answers = |endpoint: &&Self| {
            endpoint
                .address()
                .is_some_and(|at| std::net::TcpStream::connect_timeout(&at, PATIENCE).is_ok())
        };
        let all = std::iter::once(&first).chain(&others);
        Ok(all.into_iter().find(answers).cloned().unwrap_or(first))
    }

    /// Where it is; none of a socket's path.
    #[must_use]
    pub fn address(&self) -> Option<SocketAddr> {
        match self {
            Self::Tcp(address) | Self::Tls(address, _) => Some(*address),
            Self::Unix(_) => None,
        }
    }

    /// As client libraries are told of it.
    ///
    /// `written`: the endpoint as it stands in the order.
    #[must_use]
    pub fn server(&self, written: &str, hosts: &Hosts) -> Server {
        let (Self::Tcp(at) | Self::Tls(at, _)) = self else {
            return Server::Socket(PathBuf::from(written.trim_start_matches("unix://")));
        };
        let place = written.split_once("://").map_or(written, |(_, place)| place);
        let host = place.rsplit_once(':').map_or(place, |(host, _)| host);
        let host = host.trim_start_matches('[').trim_end_matches(']').to_owned();
        let addresses = hosts.get(&host).cloned().unwrap_or_else(|| vec![at.ip()]);
        Server::Place { at: *at, host, addresses }
    }

    fn candidates(text: &str, hosts: &Hosts) -> Result<(Self, Vec<Self>), String> {
        if let Some(path) = text.strip_prefix("unix://") {
            return if path.starts_with('/') {
                Ok((Self::Unix(PathBuf::from(path)), Vec::new()))
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
        let (host, port) = address.rsplit_once(':').unwrap_or((address, ""));
        let host = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host);
        let refused = |error: &dyn std::fmt::Display| format!("{text}: {error}");
        let port: u16 = port.parse().map_err(|_| {
            refused(&if secure { "not tls://HOST:PORT" } else { "not tcp://HOST:PORT" })
        })?;
        let found: Vec<SocketAddr> = match hosts.get(host) {
            Some(known) => known.iter().map(|&ip| SocketAddr::new(ip, port)).collect(),
            None => (host, port).to_socket_addrs().map_err(|error| refused(&error))?.collect(),
        };
        let mut found = found
            .into_iter()
            .map(|at| if secure { Self::Tls(at, host.to_owned()) } else { Self::Tcp(at) });
        let first = found.next().ok_or_else(|| refused(&"the name has no address"))?;
        Ok((first, found.collect()))
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

    /// The descriptor alone, which blocks.
    pub(super) fn into_blocking(self) -> io::Result<OwnedFd> {
        match self {
            Self::Tcp(stream) => {
                let stream = std::net::TcpStream::from(OwnedFd::from(stream));
                stream.set_nonblocking(false)?;
                Ok(stream.into())
            }
            Self::Unix(stream) => {
                let stream = std::os::unix::net::UnixStream::from(OwnedFd::from(stream));
                stream.set_nonblocking(false)?;
                Ok(stream.into())
            }
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
        Ok(self.try_write(bytes)?)
    }

    /// The same with the system's own number of an error.
    #[inline]
    pub(super) fn try_write(&self, bytes: &[u8]) -> Result<usize, Errno> {
        rustix::io::write(self.descriptor(), bytes)
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
        let v6 = Endpoint::parse("tls://[::1]:1").unwrap();
        assert_eq!(Endpoint::parse(&v6.to_string()), Ok(v6));
        for wrong in ["127.0.0.1:1", "tcp://127.0.0.1", "unix://relative", "file:///data"] {
            assert!(Endpoint::parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_name_is_where_somebody_listens_and_keeps_its_name() {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let hosts = Hosts::from([(
            "db.example".to_owned(),
            vec!["127.0.0.9".parse().unwrap(), "127.0.0.1".parse().unwrap()],
        )]);
        let found = Endpoint::reached(&format!("tls://db.example:{port}"), &hosts).unwrap();
        let at = SocketAddr::from(([127, 0, 0, 1], port));
        assert_eq!(found, Endpoint::Tls(at, "db.example".to_owned()));
        drop(listener);
        let nobody = Endpoint::reached(&format!("tcp://db.example:{port}"), &hosts).unwrap();
        assert_eq!(nobody, Endpoint::Tcp(SocketAddr::from(([127, 0, 0, 9], port))));
        assert!(Endpoint::reached("tcp://db.example:x", &hosts).is_err());
    }
}
