//! The behaviour suite of all drivers, with both sets of commands.

use serde_json::json;
use weighhouse_engine_testkit::{Server, Suite};

fn check(commands: &str) {
    let server = Server::memcached(&[]);
    Suite {
        driver: env!("CARGO_BIN_EXE_weighhouse-driver-memcached"),
        endpoint: server.endpoint(),
        options: json!({"commands": commands}),
        tells_missing: true,
        refuses: &[],
        clients: 4,
    }
    .check();
}

#[test]
fn text_commands() {
    check("text");
}

#[test]
fn meta_commands() {
    check("meta");
}
