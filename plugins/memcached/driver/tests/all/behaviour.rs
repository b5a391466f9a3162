//! The behaviour suite of all drivers, with both sets of commands, by epoll and by `io_uring`.

use serde_json::json;
use weighhouse_engine_testkit::{Server, Suite};

fn check(commands: &str) {
    for way in ["epoll", "io_uring"] {
        let server = Server::memcached(&[]);
        Suite {
            driver: env!("CARGO_BIN_EXE_weighhouse-driver-memcached"),
            endpoint: server.endpoint(),
            options: json!({"commands": commands, "io": way}),
            tells_missing: true,
            refuses: &[],
            clients: 4,
        }
        .check();
    }
}

#[test]
fn text_commands() {
    check("text");
}

#[test]
fn meta_commands() {
    check("meta");
}
