//! The driver against a real Redis that speaks TLS.

#![allow(clippy::unwrap_used)] // also outside of the test functions

use serde_json::{Value, json};
use weighhouse_engine_testkit::{Authority, DriverRun, Run, Server, Suite};

const DRIVER: &str = env!("CARGO_BIN_EXE_weighhouse-driver-resp");
const ANYONE: [&str; 2] = ["--tls-auth-clients", "no"];

fn order(server: &Server, options: &Value) -> Value {
    json!({
        "workload": {"name": "test", "record_count": 200, "field_length": 5000,
                     "operations": {"read": 0.6, "update": 0.4}, "verify_fraction": 1.0},
        "target": {"endpoints": [server.endpoint()], "options": options},
        "load": {"model": "closed", "clients": 3, "pipeline": 8},
        "phases": [{"kind": "load"}, {"kind": "measure", "operation_count": 2000}],
        "seed": 5
    })
}

fn assert_served(run: &Run) {
    run.assert_finished();
    assert_eq!(run.phase("load").count("insert", "ok"), 200);
    assert_eq!(run.phase("measure").not_ok(), 0);
}

fn refusal(run: &Run) -> (String, String) {
    assert_eq!(run.exit_code, Some(1), "{:?}", run.events);
    let failed = run.event("failed");
    assert_eq!(failed["kind"], "connection");
    let text = |name: &str| failed[name].as_str().unwrap().to_owned();
    (text("message"), text("hint"))
}

#[test]
fn over_tls_the_driver_behaves_alike() {
    let authority = Authority::new();
    let server = Server::redis_tls(&authority, &authority.certify("127.0.0.1"), &ANYONE);
    Suite {
        driver: DRIVER,
        endpoint: server.endpoint(),
        options: json!({"tls_ca_file": authority.file()}),
        tells_missing: true,
        refuses: &[],
        clients: 4,
    }
    .check();
}

#[test]
fn long_pipelines_of_long_values_pass_in_both_versions() {
    let authority = Authority::new();
    for version in ["TLSv1.2", "TLSv1.3"] {
        let more = [&ANYONE[..], &["--tls-protocols", version]].concat();
        let server = Server::redis_tls(&authority, &authority.certify("127.0.0.1"), &more);
        let mut order = order(&server, &json!({"tls_ca_file": authority.file()}));
        assert_served(&Run::of(DRIVER, &order));
        // Records of a megabyte, so that neither side can write all at once.
        order["workload"]["field_length"] = 100_000.into();
        order["workload"]["record_count"] = 20.into();
        order["phases"][1]["operation_count"] = 200.into();
        let run = Run::of(DRIVER, &order);
        run.assert_finished();
        assert_eq!(run.phase("measure").not_ok(), 0);
    }
}

#[test]
fn only_the_right_server_is_taken() {
    let (authority, stranger) = (Authority::new(), Authority::new());
    let named = authority.certify("db.example.test");
    let server = Server::redis_tls(&authority, &named, &ANYONE);
    let known = authority.file();
    let run = Run::of(DRIVER, &order(&server, &json!({"tls_ca_file": known})));
    let (message, hint) = refusal(&run);
    assert!(message.contains("certificate"), "{message}");
    assert!(hint.contains("tls_server_name"), "{hint}");
    let by_name = json!({"tls_ca_file": known, "tls_server_name": "db.example.test"});
    assert_served(&Run::of(DRIVER, &order(&server, &by_name)));
    let other = json!({"tls_ca_file": stranger.file(), "tls_server_name": "db.example.test"});
    assert!(refusal(&Run::of(DRIVER, &order(&server, &other))).0.contains("certificate"));
    assert_served(&Run::of(DRIVER, &order(&server, &json!({"tls_verify": false}))));
}

#[test]
fn the_driver_shows_a_certificate_when_asked_for_one() {
    let authority = Authority::new();
    let server = Server::redis_tls(&authority, &authority.certify("127.0.0.1"), &[]);
    let own = authority.certify("loader");
    let options = json!({"tls_ca_file": authority.file(),
                         "tls_certificate_file": own.certificate, "tls_key_file": own.key});
    assert_served(&Run::of(DRIVER, &order(&server, &options)));
    let run = Run::of(DRIVER, &order(&server, &json!({"tls_ca_file": authority.file()})));
    let (message, hint) = refusal(&run);
    assert!(hint.contains("tls_certificate_file"), "{message} {hint}");
}

#[test]
fn a_port_without_tls_is_told() {
    let authority = Authority::new();
    let server = Server::redis(&[]);
    let mut order = order(&server, &json!({"tls_ca_file": authority.file()}));
    order["target"]["endpoints"][0] = server.endpoint().replace("tcp", "tls").into();
    let (message, hint) = refusal(&Run::of(DRIVER, &order));
    assert!(message.contains("no answer"), "{message}");
    assert!(hint.contains("speaks TLS"), "{hint}");
}

#[test]
fn a_restart_is_survived_with_a_new_handshake() {
    let authority = Authority::new();
    let shown = authority.certify("127.0.0.1");
    for load in [
        json!({"model": "closed", "clients": 4, "pipeline": 2}),
        json!({"model": "open", "rate_per_second": 1000, "connections": 4}),
    ] {
        let mut server = Server::redis_tls(&authority, &shown, &ANYONE);
        let mut order = order(&server, &json!({"tls_ca_file": authority.file()}));
        order["load"] = load.clone();
        order["phases"][1] = json!({"kind": "measure", "duration_seconds": 3600});
        order["interval_seconds"] = 0.25.into();
        let mut run = DriverRun::start(DRIVER, &order);
        run.wait_for_load();
        server.kill();
        server.restart();
        run.wait_for_reconnects(4);
        run.wait_for_interval(|one| one["operations"]["update"]["ok"]["count"].as_u64() > Some(0));
        let run = run.end();
        let measure = run.phase("measure");
        assert_eq!(measure.count("read", "errors/protocol"), 0, "{load}");
    }
}
