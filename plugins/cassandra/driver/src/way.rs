//! Where the library goes that finds a ring's nodes by itself.

use std::net::SocketAddr;
use std::sync::Arc;

use async_trait::async_trait;
use scylla::errors::TranslationError;
use scylla::policies::address_translator::{AddressTranslator, UntranslatedPeer};
use weighhouse_driver_api::Way;

/// Sends the library to where announced nodes are reached, and nowhere that nobody allowed.
pub(crate) struct Announced(pub(crate) Arc<Way>);

impl Announced {
    /// The library asks for every node by the port that it came by itself, whichever they announce:
    /// a node is known by its address alone.
    fn reached(&self, announced: SocketAddr) -> Result<SocketAddr, TranslationError> {
        let same = |name: &str| name.parse().is_ok_and(|at: SocketAddr| at.ip() == announced.ip());
        let mapped = self.0.announced.iter().find(|(name, _)| same(name)).map(|(_, &at)| at);
        mapped
            .or_else(|| self.0.reached(announced))
            .ok_or(TranslationError::NoRuleForAddress(announced))
    }
}

#[async_trait]
impl AddressTranslator for Announced {
    async fn translate_address(
        &self,
        peer: &UntranslatedPeer,
    ) -> Result<SocketAddr, TranslationError> {
        self.reached(peer.untranslated_address())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use weighhouse_driver_api::Server;

    #[test]
    fn a_node_is_reached_where_the_map_says_and_else_on_hosts_that_were_allowed() {
        let at: SocketAddr = "127.0.0.1:9042".parse().unwrap();
        let near = "127.0.0.2:9042".parse().unwrap();
        let server = Server::Place { at, host: "ring".to_owned(), addresses: vec![at.ip()] };
        let way = Way {
            announced: BTreeMap::from([("192.0.2.1:9042".to_owned(), near)]),
            ..Way::plain(vec![server])
        };
        let announced = Announced(Arc::new(way));
        let reached = |text: &str| announced.reached(text.parse().unwrap()).ok();
        assert_eq!(reached("192.0.2.1:9042"), Some(near));
        assert_eq!(reached("127.0.0.1:9043"), Some("127.0.0.1:9043".parse().unwrap()));
        assert_eq!(reached("192.0.2.1:9999"), Some(near));
        assert_eq!(reached("192.0.2.2:9042"), None);
    }
}
