//! The behaviour suite of all drivers, in every layout, by epoll and by `io_uring`.

use serde_json::json;
use weighhouse_engine_testkit::{Server, Suite};

fn check(options: &serde_json::Value) {
    for way in ["epoll", "io_uring"] {
        let server = Server::redis(&[]);
        let mut options = options.clone();
        options["io"] = json!(way);
        Suite {
            driver: env!("CARGO_BIN_EXE_weighhouse-driver-resp"),
            endpoint: server.endpoint(),
            options,
            tells_missing: true,
            refuses: &[],
            clients: 4,
        }
        .check();
    }
}

#[test]
fn hashes() {
    check(&json!({}));
}

#[test]
fn hashes_with_an_index_in_key_order() {
    check(&json!({"scan_index": "lex"}));
}

#[test]
fn strings() {
    check(&json!({"layout": "string", "database": 3}));
}
