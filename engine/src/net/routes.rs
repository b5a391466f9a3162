//! Which server of several has which keys.

use std::net::IpAddr;

use weighhouse_driver_api::{Codec, Stretch};

use super::connect::ask_map;
use super::endpoint::Endpoint;
use super::hashing::Spreading;
use super::tls::Tls;
use crate::plan::Failure;

/// Which server has which keys.
#[derive(Debug)]
pub(super) struct Routes {
    /// Where keys are by the client's choice, which nobody is asked about and nothing changes.
    own: Option<Spreading>,
    /// Of each place the position of its server among the shard's.
    pub(super) map: Vec<usize>,
    /// Whether a server has any place.
    pub(super) wanted: Vec<bool>,
    /// Hosts that load may go to: those of the order.
    allowed: Vec<IpAddr>,
    pub(super) outdated: bool,
    pub(super) next_question: u64,
    /// Where to look first for a connection to ask over.
    pub(super) asked: usize,
}

fn host_of(endpoint: &Endpoint) -> Option<IpAddr> {
    match endpoint {
        Endpoint::Tcp(address) | Endpoint::Tls(address, _) => Some(address.ip()),
        Endpoint::Unix(_) => None,
    }
}

/// The endpoint of a server that another one named, with the other's scheme, and its host where the
/// name has none.
fn named(server: &str, by: &Endpoint) -> Result<Endpoint, Failure> {
    let own = || {
        host_of(by).map(|host| if host.is_ipv6() { format!("[{host}]") } else { host.to_string() })
    };
    let scheme = if matches!(by, Endpoint::Tls(..)) { "tls" } else { "tcp" };
    let (host, port) = server.rsplit_once(':').unwrap_or((server, ""));
    let host = match host {
        "" | "?" => own().unwrap_or_default(),
        host if host.contains(':') && !host.starts_with('[') => format!("[{host}]"),
        host => host.to_owned(),
    };
    Endpoint::parse(&format!("{scheme}://{host}:{port}")).map_err(|message| {
        Failure::new(
            "connection",
            format!("{by} names a server that cannot be used: {message}"),
            "",
        )
    })
}

impl Routes {
    fn new(endpoints: &[Endpoint]) -> Self {
        Self {
            own: None,
            map: Vec::new(),
            wanted: Vec::new(),
            allowed: endpoints.iter().filter_map(host_of).collect(),
            outdated: false,
            next_question: 0,
            asked: 0,
        }
    }

    /// Keys are on the order's servers as the client chooses.
    pub(super) fn chosen(endpoints: &[Endpoint], own: Spreading) -> Self {
        let wanted = vec![true; endpoints.len()];
        Self { own: Some(own), wanted, ..Self::new(endpoints) }
    }

    /// The position of the server that has a key.
    pub(super) fn server<C: Codec>(&self, codec: &C, key: &[u8]) -> usize {
        if let Some(own) = &self.own {
            return own.server(key);
        }
        let place = codec.spread().map_or(0, |spread| usize::from(spread.place(key)));
        self.map.get(place).copied().unwrap_or_default()
    }

    /// Asks the order's servers one after another where keys are; the servers that have some.
    pub(super) fn discover<C: Codec>(
        endpoints: &[Endpoint],
        tls: Option<&Tls>,
        codec: &C,
    ) -> Result<Option<(Self, Vec<Endpoint>)>, Failure> {
        let Some(spread) = codec.spread() else { return Ok(None) };
        let map = vec![usize::MAX; usize::from(spread.places())];
        let mut routes = Self { map, ..Self::new(endpoints) };
        let mut failure = Failure::new("connection", "no endpoint to ask".to_owned(), "");
        for endpoint in endpoints {
            let stretches = match ask_map(endpoint, tls, codec, spread) {
                Ok(stretches) => stretches,
                Err(failed) => {
                    failure = failed;
                    continue;
                }
            };
            let mut nodes = Vec::new();
            for stretch in &stretches {
                let (node, _) = routes.node(&mut nodes, &stretch.server, endpoint)?;
                routes.assign(stretch, node);
            }
            if let Some(place) = routes.map.iter().position(|&node| node == usize::MAX) {
                return Err(Failure::new(
                    "connection",
                    format!("{endpoint}: no server has place {place} of {}", routes.map.len()),
                    "is the cluster complete?",
                ));
            }
            routes.count(nodes.len());
            return Ok(Some((routes, nodes)));
        }
        Err(failure)
    }

    /// The position of a server by its name, and whether it is a new one.
    pub(super) fn node(
        &self,
        nodes: &mut Vec<Endpoint>,
        server: &str,
        by: &Endpoint,
    ) -> Result<(usize, bool), Failure> {
        let endpoint = named(server, by)?;
        if let Some(known) = nodes.iter().position(|node| *node == endpoint) {
            return Ok((known, false));
        }
        if host_of(&endpoint).is_none_or(|host| !self.allowed.contains(&host)) {
            return Err(Failure::new(
                "connection",
                format!(
                    "{by} names the server {endpoint}, which is on no host of target.endpoints"
                ),
                "name an endpoint on each host of the cluster: load goes nowhere else",
            ));
        }
        nodes.push(endpoint);
        Ok((nodes.len() - 1, true))
    }

    pub(super) fn assign(&mut self, stretch: &Stretch, node: usize) {
        let (first, last) = (usize::from(stretch.first), usize::from(stretch.last));
        if let Some(places) = self.map.get_mut(first..=last) {
            places.fill(node);
        }
    }

    /// Which of so many servers have places.
    pub(super) fn count(&mut self, nodes: usize) {
        self.wanted = vec![false; nodes];
        for &node in &self.map {
            if let Some(wanted) = self.wanted.get_mut(node) {
                *wanted = true;
            }
        }
    }

    /// Whether a server is worth connecting to.
    pub(super) fn wants(&self, node: usize) -> bool {
        self.wanted.get(node).copied().unwrap_or_default()
    }

    /// The map may be wrong.
    pub(super) fn doubt(&mut self) {
        self.outdated = self.own.is_none();
    }
}
