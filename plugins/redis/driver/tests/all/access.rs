//! Logging in to a real Redis, and RESP3.

#![allow(clippy::unwrap_used)] // also outside of the test functions

use std::io::Write;

use serde_json::{Value, json};
use tempfile::NamedTempFile;
use weighhouse_engine_testkit::{Run, Server, Suite};

const DRIVER: &str = env!("CARGO_BIN_EXE_weighhouse-driver-resp");
const PASSWORD: &str = "correct-horse-battery";

fn file(password: &str) -> NamedTempFile {
    let mut file = NamedTempFile::new().unwrap();
    writeln!(file, "{password}").unwrap();
    file
}

fn order(server: &Server, options: &Value) -> Value {
    json!({
        "workload": {"name": "test", "record_count": 200,
                     "operations": {"read": 0.6, "update": 0.4}, "verify_fraction": 1.0},
        "target": {"endpoints": [server.endpoint()], "options": options},
        "load": {"model": "closed", "clients": 2},
        "phases": [{"kind": "load"}, {"kind": "measure", "operation_count": 1000}],
        "seed": 5
    })
}

/// The run did all, and showed no password.
fn assert_served(run: &Run) {
    run.assert_finished();
    assert_eq!(run.phase("load").count("insert", "ok"), 200);
    assert_eq!(run.phase("measure").not_ok(), 0);
    assert!(!format!("{:?}", run.events).contains(PASSWORD));
}

/// What the run failed of, after a look for the password in it.
fn refusal(run: &Run, password: &str) -> (String, String) {
    assert_eq!(run.exit_code, Some(1), "{:?}", run.events);
    let failed = run.event("failed");
    assert_eq!(failed["kind"], "connection");
    assert!(!failed.to_string().contains(password), "{failed}");
    let text = |name: &str| failed[name].as_str().unwrap().to_owned();
    (text("message"), text("hint"))
}

#[test]
fn the_default_user_logs_in_with_a_password() {
    let server = Server::redis(&["--requirepass", PASSWORD]);
    let right = file(PASSWORD);
    for resp3 in [false, true] {
        let options = json!({"password_file": right.path(), "resp3": resp3});
        assert_served(&Run::of(DRIVER, &order(&server, &options)));
        let wrong = file("wrong-horse");
        let options = json!({"password_file": wrong.path(), "resp3": resp3});
        let run = Run::of(DRIVER, &order(&server, &options));
        let (message, hint) = refusal(&run, "wrong-horse");
        assert!(message.contains("refused the greeting") && message.contains("WRONGPASS"));
        assert!(hint.contains("password_file"), "{hint}");
        let run = Run::of(DRIVER, &order(&server, &json!({"resp3": resp3})));
        let (message, hint) = refusal(&run, PASSWORD);
        assert!(message.contains("NOAUTH") && hint.contains("password_file"), "{message} {hint}");
    }
}

#[test]
fn a_user_of_the_access_list_logs_in() {
    let word = format!(">{PASSWORD}");
    let rule = ["--user", "loader", "on", &word, "~*", "+@all", "--user", "default", "off"];
    let server = Server::redis(&rule);
    let right = file(PASSWORD);
    for resp3 in [false, true] {
        let options = json!({"username": "loader", "password_file": right.path(), "resp3": resp3});
        assert_served(&Run::of(DRIVER, &order(&server, &options)));
        let options = json!({"username": "nobody", "password_file": right.path(), "resp3": resp3});
        let run = Run::of(DRIVER, &order(&server, &options));
        assert!(refusal(&run, PASSWORD).0.contains("WRONGPASS"));
    }
}

#[test]
fn a_server_that_repeats_what_it_does_not_know_makes_no_password_public() {
    let memcached = Server::memcached(&[]);
    // It knows no HELLO, and quotes a command's arguments.
    let redis = Server::redis(&["--rename-command", "HELLO", "", "--requirepass", PASSWORD]);
    for server in [memcached, redis] {
        for resp3 in [false, true] {
            let right = file(PASSWORD);
            let options = json!({"password_file": right.path(), "resp3": resp3});
            let run = Run::of(DRIVER, &order(&server, &options));
            if run.exit_code != Some(0) {
                refusal(&run, PASSWORD);
            }
        }
    }
}

#[test]
fn a_connection_that_is_made_anew_logs_in_again() {
    let mut server = Server::redis(&["--requirepass", PASSWORD]);
    let right = file(PASSWORD);
    let mut order = order(&server, &json!({"password_file": right.path(), "resp3": true}));
    order["phases"][1] = json!({"kind": "measure", "duration_seconds": 3600});
    let mut run = weighhouse_engine_testkit::DriverRun::start(DRIVER, &order);
    run.wait_for_load();
    server.kill();
    server.restart();
    run.wait_for_reconnects(2);
    run.wait_for_interval(|one| one["operations"]["update"]["ok"]["count"].as_u64() > Some(0));
    let run = run.end();
    let measure = run.phase("measure");
    assert_eq!(measure.count("read", "errors/other"), 0);
}

#[test]
fn over_resp3_the_driver_behaves_alike() {
    for layout in ["hash", "string"] {
        let server = Server::redis(&[]);
        Suite {
            driver: DRIVER,
            endpoint: server.endpoint(),
            options: json!({"layout": layout, "resp3": true}),
            tells_missing: true,
            refuses: &[],
            clients: 4,
        }
        .check();
    }
}
