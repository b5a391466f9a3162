//! Where servers are reached that announce themselves by addresses which lead nowhere from here.

use std::collections::BTreeMap;
use std::net::SocketAddr;

use super::endpoint::{Endpoint, Hosts};

/// What servers announce (`HOST:PORT`, an IPv6 address in brackets) → where that is reached.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Announced(BTreeMap<String, Endpoint>);

impl Announced {
    /// Reads the map of an order.
    ///
    /// # Errors
    /// What is wrong with an address, and with which.
    pub fn read(map: &BTreeMap<String, String>, hosts: &Hosts) -> Result<Self, String> {
        let one = |(announced, endpoint): (&String, &String)| {
            let reached = Endpoint::reached(endpoint, hosts)
                .map_err(|message| format!("target.address_map: {announced}: {message}"))?;
            Ok((announced.clone(), reached))
        };
        map.iter().map(one).collect::<Result<_, String>>().map(Self)
    }

    /// Where what is announced so is reached; none: there.
    pub(super) fn get(&self, announced: &str) -> Option<&Endpoint> {
        self.0.get(announced)
    }

    /// Where all of it is reached.
    pub(super) fn endpoints(&self) -> impl Iterator<Item = &Endpoint> {
        self.0.values()
    }

    /// The addresses, as client libraries are told of them.
    #[must_use]
    pub fn addresses(&self) -> BTreeMap<String, SocketAddr> {
        let one = |(name, at): (&String, &Endpoint)| Some((name.clone(), at.address()?));
        self.0.iter().filter_map(one).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_map_is_read_with_the_names_of_the_order() {
        let hosts = Hosts::from([("db.example".to_owned(), vec!["127.0.0.1".parse().unwrap()])]);
        let map = BTreeMap::from([("192.0.2.1:7000".to_owned(), "tcp://db.example:7".to_owned())]);
        let read = Announced::read(&map, &hosts).unwrap();
        assert_eq!(read.get("192.0.2.1:7000").unwrap().to_string(), "tcp://127.0.0.1:7");
        assert_eq!(read.get("192.0.2.1:7001"), None);
        assert_eq!(read.addresses()["192.0.2.1:7000"].to_string(), "127.0.0.1:7");
        let wrong = BTreeMap::from([("a:1".to_owned(), "nowhere".to_owned())]);
        let message = Announced::read(&wrong, &hosts).unwrap_err();
        assert!(message.starts_with("target.address_map: a:1: nowhere"), "{message}");
    }
}
