//! The way to a system: where its servers are, and how connections to them are made secure.

use std::collections::BTreeMap;
use std::fmt;
use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;

use rustls::ClientConfig;

/// Where one server is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Server {
    /// By an address; the host is as it was written, which a certificate is for.
    Place {
        /// An address of the host, where somebody listened a moment ago.
        at: SocketAddr,
        /// A name, or an address.
        host: String,
        /// All addresses of the host that may be spoken to.
        addresses: Vec<IpAddr>,
    },
    /// By the path of a socket.
    Socket(PathBuf),
}

impl Server {
    /// Its port, where it has one.
    #[must_use]
    pub fn port(&self) -> Option<u16> {
        match self {
            Self::Place { at, .. } => Some(at.port()),
            Self::Socket(_) => None,
        }
    }
}

impl fmt::Display for Server {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Place { at, .. } => write!(out, "{at}"),
            Self::Socket(path) => write!(out, "{}", path.display()),
        }
    }
}

/// What TLS is spoken with.
#[derive(Clone)]
pub struct Secure {
    /// For libraries that take one: it verifies certificates for the host that was written, whatever
    /// name or address of a server a library asks it for.
    pub config: Arc<ClientConfig>,
    /// For libraries that read files themselves, PEM: the authorities, …
    pub ca_file: Option<PathBuf>,
    /// … what the driver shows of itself, …
    pub certificate_file: Option<PathBuf>,
    /// … and its key.
    pub key_file: Option<PathBuf>,
    /// What certificates are for, where that is not the host.
    pub server_name: Option<String>,
    /// Whether certificates are verified at all.
    pub verify: bool,
}

/// The way to a system.
#[derive(Clone)]
pub struct Way {
    /// In the order of the endpoints; at least one.
    pub servers: Vec<Server>,
    /// None: without TLS.
    pub secure: Option<Secure>,
    /// What servers announce (`HOST:PORT`, an IPv6 address in brackets) → where that is reached.
    pub announced: BTreeMap<String, SocketAddr>,
}

impl Way {
    /// Servers that are there without TLS, for tests.
    #[must_use]
    pub fn plain(servers: Vec<Server>) -> Self {
        Self { servers, secure: None, announced: BTreeMap::new() }
    }
}

impl Way {
    /// Where a server that others announce is reached; none: nobody allowed to go there.
    #[must_use]
    pub fn reached(&self, announced: SocketAddr) -> Option<SocketAddr> {
        if let Some(&at) = self.announced.get(&announced.to_string()) {
            return Some(at);
        }
        let allowed = self.servers.iter().any(|server| match server {
            Server::Place { addresses, .. } => addresses.contains(&announced.ip()),
            Server::Socket(_) => false,
        });
        allowed.then_some(announced)
    }
}

impl fmt::Display for Way {
    /// All servers, as people read them.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (position, server) in self.servers.iter().enumerate() {
            let between = if position == 0 { "" } else { ", " };
            let scheme = match (server, &self.secure) {
                (Server::Socket(_), _) => "unix",
                (_, Some(_)) => "tls",
                (_, None) => "tcp",
            };
            write!(out, "{between}{scheme}://{server}")?;
        }
        Ok(())
    }
}
