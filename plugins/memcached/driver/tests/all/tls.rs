//! The driver against a real memcached that speaks TLS.

use serde_json::json;
use weighhouse_engine_testkit::{Authority, Server, Suite};

#[test]
fn over_tls_the_driver_behaves_alike() {
    let authority = Authority::new();
    let server = Server::memcached_tls(&authority.certify("127.0.0.1"));
    Suite {
        driver: env!("CARGO_BIN_EXE_weighhouse-driver-memcached"),
        endpoint: server.endpoint(),
        options: json!({"tls_ca_file": authority.file(), "commands": "meta"}),
        tells_missing: true,
        refuses: &[],
        clients: 4,
    }
    .check();
}
