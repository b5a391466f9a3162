//! The driver on a wire-compatible stand-in, not MongoDB, which all tests of this file share in
//! turn. It shows that driver and library speak the protocol, and what they make of errors; not how
//! MongoDB itself behaves or how fast it is.

#![allow(clippy::unwrap_used)] // also outside of the test functions

use mongodb::bson::{Binary, Bson, Document, doc, spec::BinarySubtype};
use serde_json::{Value, json};
use weighhouse_engine_testkit::{DriverRun, Interjection, MongoStandIn, Run, Suite};

const DRIVER: &str = env!("CARGO_BIN_EXE_weighhouse-driver-mongodb");

fn order(endpoint: &str, collection: &str, phases: &Value) -> Value {
    json!({
        "workload": {"name": "w", "record_count": 200, "field_count": 3, "field_length": 40,
                     "operations": {"read": 0.5, "update": 0.5}, "verify_fraction": 1.0},
        "target": {"endpoints": [endpoint],
                   "options": {"collection": collection, "timeout_ms": 60_000}},
        "load": {"model": "closed", "clients": 4},
        "phases": phases,
        "seed": 5,
        "interval_seconds": 0.2,
    })
}

/// Does something with a collection behind the driver's back.
fn behind<F: Future>(
    stand_in: &MongoStandIn,
    name: &str,
    what: impl FnOnce(mongodb::Collection<Document>) -> F,
) -> F::Output {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let address = format!("mongodb://{}", stand_in.address());
        let client = mongodb::Client::with_uri_str(address).await.unwrap();
        what(client.database("ycsb").collection(name)).await
    })
}

#[test]
fn a_stand_in() {
    let mut stand_in = MongoStandIn::start();
    Suite {
        driver: DRIVER,
        endpoint: stand_in.endpoint(),
        options: json!({"write_concern": "majority", "journal": "true", "write_timeout_ms": 5000,
                        "read_concern": "majority", "read_preference": "primary_preferred"}),
        tells_missing: true,
        refuses: &[],
        clients: 4,
    }
    .check();
    records_lie_as_ycsb_puts_them(&stand_in);
    altered_values_are_found(&stand_in);
    a_plain_insert_overwrites_nothing(&stand_in);
    updates_make_no_records(&stand_in);
    shards_load_their_shares(&stand_in);
    what_a_server_says_of_writes_is_told(&stand_in);
    what_comes_too_late_is_not_taken_for_another_answer(&stand_in);
    a_killed_server_is_counted_and_found_again(&mut stand_in);
}

fn load(stand_in: &MongoStandIn, collection: &str) -> Value {
    let loading = order(&stand_in.endpoint(), collection, &json!([{"kind": "load"}]));
    let run = Run::of(DRIVER, &loading);
    run.assert_finished();
    assert_eq!(run.phase("load").count("insert", "ok"), 200);
    loading
}

fn measuring(mut order: Value, operations: &Value, count: u64) -> Value {
    order["workload"]["operations"] = operations.clone();
    order["phases"] = json!([{"kind": "measure", "operation_count": count}]);
    order
}

fn records_lie_as_ycsb_puts_them(stand_in: &MongoStandIn) {
    // Again: what is there is replaced.
    load(stand_in, "layout");
    load(stand_in, "layout");
    let (count, first) = behind(stand_in, "layout", async |records| {
        let first = doc! {"_id": "user6284781860667377211"};
        let count = records.count_documents(doc! {}).await.unwrap();
        (count, records.find_one(first).await.unwrap().unwrap())
    });
    assert_eq!(count, 200);
    assert_eq!(first.keys().collect::<Vec<_>>(), ["_id", "field0", "field1", "field2"]);
    for field in ["field0", "field1", "field2"] {
        let Some(Bson::Binary(value)) = first.get(field) else { panic!("{first}") };
        assert_eq!((value.subtype, value.bytes.len()), (BinarySubtype::Generic, 40));
    }
}

fn altered_values_are_found(stand_in: &MongoStandIn) {
    let reads = json!({"read": 1.0});
    for (name, change) in [
        // One byte of a value is another; it is of another kind; it is not there.
        ("byte", Some(with_another_end as fn(Binary) -> Bson)),
        ("kind", Some(as_text)),
        ("lost", None),
    ] {
        let loaded = load(stand_in, name);
        let run = Run::of(DRIVER, &measuring(loaded.clone(), &reads, 100));
        assert_eq!(run.phase("measure").count("read", "ok"), 100);
        behind(stand_in, name, async |records| {
            let mut all = records.find(doc! {}).await.unwrap();
            while all.advance().await.unwrap() {
                let mut record = all.deserialize_current().unwrap();
                let key = record.get("_id").unwrap().clone();
                let Some(Bson::Binary(value)) = record.remove("field1") else { panic!("{record}") };
                record.extend(change.map(|change| ("field1".to_owned(), change(value))));
                records.replace_one(doc! {"_id": key}, record).await.unwrap();
            }
        });
        let run = Run::of(DRIVER, &measuring(loaded, &reads, 100));
        run.assert_finished();
        assert_eq!(run.phase("measure").count("read", "verify_failed"), 100, "{name}");
    }
}

fn with_another_end(mut value: Binary) -> Bson {
    value.bytes[39] ^= 1;
    value.into()
}

fn as_text(value: Binary) -> Bson {
    Bson::String(String::from_utf8(value.bytes).unwrap())
}

/// By a proxy: the stand-in is never a secondary, and knows no rights.
fn what_a_server_says_of_writes_is_told(stand_in: &MongoStandIn) {
    let loaded = load(stand_in, "told");
    for (code, name, kind, words) in [
        (10107, "NotWritablePrimary", "refused", "not primary"),
        (13, "Unauthorized", "refused", "not authorized on ycsb to execute command"),
        (14031, "OutOfDiskSpace", "full", "available disk space is less than required"),
    ] {
        let proxy = Interjection::mongo(&stand_in.endpoint(), code, name, words);
        let mut updates = measuring(loaded.clone(), &json!({"update": 1.0}), 10);
        updates["target"]["endpoints"] = json!([proxy.endpoint()]);
        let run = Run::of(DRIVER, &updates);
        let measure = run.phase("measure");
        assert!(measure.count("update", &format!("errors/{kind}")) > 0, "{:?}", measure.finished);
        let said = measure.words("update", kind);
        for part in [words, name, &code.to_string()] {
            assert!(said.contains(part), "{said}");
        }
    }
}

fn a_plain_insert_overwrites_nothing(stand_in: &MongoStandIn) {
    let mut loaded = load(stand_in, "plain");
    loaded["target"]["options"]["insert"] = "insert".into();
    let inserts = measuring(loaded, &json!({"insert": 1.0}), 50);
    let run = Run::of(DRIVER, &inserts);
    run.assert_finished();
    assert_eq!(run.phase("measure").count("insert", "ok"), 50);
    // The same numbers once more.
    let run = Run::of(DRIVER, &inserts);
    assert_eq!(run.phase("measure").count("insert", "ok"), 0);
    assert_eq!(run.phase("measure").count("insert", "errors/other"), 50);
}

fn updates_make_no_records(stand_in: &MongoStandIn) {
    let nothing = order(&stand_in.endpoint(), "nothing", &json!([]));
    let run = Run::of(DRIVER, &measuring(nothing, &json!({"update": 1.0}), 50));
    assert_eq!(run.phase("measure").count("update", "not_found"), 50);
    let count = behind(stand_in, "nothing", async |records| records.count_documents(doc! {}).await);
    assert_eq!(count.unwrap(), 0);
}

fn shards_load_their_shares(stand_in: &MongoStandIn) {
    let phases = json!([{"kind": "load"}, {"kind": "measure", "operation_count": 1001}]);
    let mut two = order(&stand_in.endpoint(), "shards", &phases);
    two["shards"] = 2.into();
    // Two clients of each shard share one.
    two["target"]["options"]["connections_per_shard"] = 1.into();
    let run = Run::of(DRIVER, &two);
    run.assert_finished();
    assert_eq!(run.phase("load").count("insert", "ok"), 200);
    let measure = run.phase("measure");
    assert_eq!(measure.count("read", "ok") + measure.count("update", "ok"), 1001);
}

fn under_load(stand_in: &MongoStandIn, collection: &str) -> Value {
    let phases = json!([{"kind": "load"}, {"kind": "measure", "duration_seconds": 3600}]);
    let mut long = order(&stand_in.endpoint(), collection, &phases);
    long["load"] = json!({"model": "open", "rate_per_second": 100, "connections": 4,
                          "max_in_flight": 64});
    long
}

fn what_comes_too_late_is_not_taken_for_another_answer(stand_in: &MongoStandIn) {
    let mut long = under_load(stand_in, "frozen");
    long["target"]["options"]["timeout_ms"] = 300.into();
    let mut run = DriverRun::start(DRIVER, &long);
    run.wait_for(|event| count(event, "read", "ok") > 0);
    let stopped = stand_in.stop();
    run.wait_for(|event| errors(event, "timeout") > 0);
    stopped.resume();
    run.wait_for(|event| count(event, "read", "ok") > 0 && errors(event, "timeout") == 0);
    run.terminate();
    let run = run.finish();
    assert_eq!(run.exit_code, Some(0));
    let measure = run.phase("measure");
    assert_eq!(measure.count("read", "verify_failed"), 0);
    assert_eq!(measure.count("read", "not_found"), 0);
}

fn a_killed_server_is_counted_and_found_again(stand_in: &mut MongoStandIn) {
    let mut long = under_load(stand_in, "killed");
    long["target"]["options"]["timeout_ms"] = 3000.into();
    long["workload"]["operations"] = json!({"read": 0.4, "update": 0.3, "insert": 0.3});
    long["target"]["options"]["server_selection_timeout_ms"] = 500.into();
    let mut run = DriverRun::start(DRIVER, &long);
    run.wait_for(|event| count(event, "read", "ok") > 0);
    stand_in.kill();
    run.wait_for(|event| errors(event, "connection") > 0);
    stand_in.restart();
    // It comes back empty: what is inserted from then on is there, what was there before is missed.
    run.wait_for(|event| count(event, "insert", "ok") > 0 && count(event, "read", "not_found") > 0);
    run.terminate();
    let run = run.finish();
    assert_eq!(run.exit_code, Some(0));
    assert_eq!(run.phase("measure").finished["interrupted"], true);
    assert_eq!(run.phase("measure").count("read", "verify_failed"), 0);
}

/// Of an interval of the measured phase.
fn count(event: &Value, operation: &str, outcome: &str) -> u64 {
    let count = event.pointer(&format!("/operations/{operation}/{outcome}/count"));
    count.and_then(Value::as_u64).filter(|_| event["phase"] == "measure").unwrap_or(0)
}

/// Of an interval of the measured phase, all operations.
fn errors(event: &Value, kind: &str) -> u64 {
    let of = |operation| {
        let count = event.pointer(&format!("/operations/{operation}/errors/{kind}/count"));
        count.and_then(Value::as_u64).unwrap_or(0)
    };
    ["read", "update", "insert"].map(of).iter().sum()
}

#[test]
fn a_server_that_is_not_there_is_told() {
    let phases = json!([{"kind": "load"}]);
    let mut absent = order("tcp://127.0.0.1:1", "none", &phases);
    absent["target"]["options"]["server_selection_timeout_ms"] = 300.into();
    let run = Run::of(DRIVER, &absent);
    assert_eq!(run.exit_code, Some(1));
    let failed = run.event("failed");
    assert_eq!(failed["kind"], "connection");
    assert!(failed["message"].as_str().unwrap().contains("tcp://127.0.0.1:1 cannot be reached"));
    let run = Run::of(DRIVER, &order("file:///tmp/none", "none", &phases));
    assert!(run.event("failed")["message"].as_str().unwrap().contains("not tcp://HOST:PORT"));
    let mut named = order("tls://127.0.0.1:1", "none", &phases);
    named["target"]["options"]["tls_server_name"] = "other.example".into();
    let run = Run::of(DRIVER, &named);
    let failed = run.event("failed");
    assert!(failed["message"].as_str().unwrap().contains("knows no other name than the host"));
}

#[test]
fn options_are_refused_before_anything_is_reached() {
    let phases = json!([{"kind": "load"}]);
    for (name, value) in [
        ("write_concern", json!("0")),
        ("journal", json!(true)),
        ("read_concern", json!("snapshot")),
        ("username", json!("me")),
        ("retry_writes", json!("true")),
    ] {
        let mut refused = order("tcp://127.0.0.1:1", "none", &phases);
        refused["target"]["options"][name] = value;
        let run = Run::of(DRIVER, &refused);
        assert_eq!(run.exit_code, Some(2), "{name}");
        let message = run.event("failed")["message"].as_str().unwrap().to_owned();
        let named = if name == "username" { "password_file" } else { name };
        assert!(message.starts_with(&format!("target.options.{named}: ")), "{message}");
    }
}
