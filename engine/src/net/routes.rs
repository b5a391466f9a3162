//! Which server of several has which keys.

use std::net::IpAddr;

use weighhouse_driver_api::{Codec, Stretch};

use super::announced::Announced;
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
    /// Of each place the positions of the servers that reads go to; empty: reads go where writes do.
    copies: Vec<Vec<usize>>,
    /// Which of the copies the next read goes to.
    turn: usize,
    /// Where servers that others announce are reached.
    announced: Announced,
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
/// name has none; of one that is announced by another address than it is reached by, the latter.
fn named(server: &str, by: &Endpoint, announced: &Announced) -> Result<Endpoint, Failure> {
    if server.is_empty() {
        return Ok(by.clone());
    }
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
    if let Some(reached) = announced.get(&format!("{host}:{port}")) {
        return Ok(reached.clone());
    }
    Endpoint::parse(&format!("{scheme}://{host}:{port}")).map_err(|message| {
        Failure::new(
            "connection",
            format!("{by} names a server that cannot be used: {message}"),
            "",
        )
    })
}

impl Routes {
    fn new(endpoints: &[Endpoint], announced: Announced) -> Self {
        let hosts = endpoints.iter().chain(announced.endpoints());
        Self {
            own: None,
            map: Vec::new(),
            copies: Vec::new(),
            turn: 0,
            wanted: Vec::new(),
            allowed: hosts.filter_map(host_of).collect(),
            announced,
            outdated: false,
            next_question: 0,
            asked: 0,
        }
    }

    /// Keys are on the order's servers as the client chooses.
    pub(super) fn chosen(endpoints: &[Endpoint], own: Spreading) -> Self {
        let wanted = vec![true; endpoints.len()];
        Self { own: Some(own), wanted, ..Self::new(endpoints, Announced::default()) }
    }

    /// The position of the server that a key is asked for at.
    pub(super) fn server<C: Codec>(&mut self, codec: &C, key: &[u8], reads: bool) -> usize {
        if let Some(own) = &self.own {
            return own.server(key);
        }
        let place = codec.spread().map_or(0, |spread| usize::from(spread.place(key)));
        match self.copies.get(place).filter(|copies| reads && !copies.is_empty()) {
            Some(copies) => {
                self.turn = self.turn.wrapping_add(1);
                copies[self.turn % copies.len()]
            }
            None => self.map.get(place).copied().unwrap_or_default(),
        }
    }

    /// Asks the order's servers one after another where keys are; the servers that have some.
    pub(super) fn discover<C: Codec>(
        endpoints: &[Endpoint],
        announced: &Announced,
        tls: Option<&Tls>,
        codec: &C,
    ) -> Result<Option<(Self, Vec<Endpoint>)>, Failure> {
        let Some(spread) = codec.spread() else { return Ok(None) };
        let map = vec![usize::MAX; usize::from(spread.places())];
        let mut routes = Self { map, ..Self::new(endpoints, announced.clone()) };
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
                let mut copies = Vec::new();
                for replica in stretch.replicas.iter().filter(|_| spread.reads_copies()) {
                    copies.push(routes.node(&mut nodes, replica, endpoint)?.0);
                }
                routes.assign(stretch, node, &copies);
            }
            if let Some(lonely) = routes.without_copy(spread.reads_copies()) {
                return Err(Failure::new(
                    "connection",
                    format!("{} has no replica that reads could go to", nodes[lonely]),
                    "give each primary a replica, or let reads go to primaries",
                ));
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
        let endpoint = named(server, by, &self.announced)?;
        if let Some(known) = nodes.iter().position(|node| *node == endpoint) {
            return Ok((known, false));
        }
        let is_by = server.is_empty();
        if !is_by && host_of(&endpoint).is_none_or(|host| !self.allowed.contains(&host)) {
            return Err(Failure::new(
                "connection",
                format!(
                    "{by} names the server {endpoint}, which is on no host of target.endpoints"
                ),
                "name an endpoint on each host of the cluster, or say by address_map where it is \
                 reached: load goes nowhere else",
            ));
        }
        nodes.push(endpoint);
        Ok((nodes.len() - 1, true))
    }

    /// Gives a stretch to a server, and its copies to others; without any, it keeps those it had.
    pub(super) fn assign(&mut self, stretch: &Stretch, node: usize, copies: &[usize]) {
        let (first, last) = (usize::from(stretch.first), usize::from(stretch.last));
        if let Some(places) = self.map.get_mut(first..=last) {
            places.fill(node);
        }
        if copies.is_empty() {
            return;
        }
        self.copies.resize(self.map.len(), Vec::new());
        if let Some(places) = self.copies.get_mut(first..=last) {
            places.fill(copies.to_vec());
        }
    }

    /// The server of a place that has no copy, where reads are to go to those.
    fn without_copy(&self, reads_copies: bool) -> Option<usize> {
        let lacking = |&place: &usize| self.copies.get(place).is_none_or(Vec::is_empty);
        (0..self.map.len()).filter(|_| reads_copies).find(lacking).map(|place| self.map[place])
    }

    /// Which of so many servers have places.
    pub(super) fn count(&mut self, nodes: usize) {
        self.wanted = vec![false; nodes];
        for &node in self.map.iter().chain(self.copies.iter().flatten()) {
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
