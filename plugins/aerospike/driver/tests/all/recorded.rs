//! The driver on what a real node answered, written down once and played again: what each operation
//! sends, byte by byte, and what each answer means. So this needs no server.
//!
//! With `asd` on PATH, or `WEIGHHOUSE_ASD` set to its path, the same operations are done on it too;
//! with `WEIGHHOUSE_RECORD` set their exchanges are written down anew.

#![allow(clippy::unwrap_used)] // also outside of the test functions

use std::net::SocketAddr;
use std::time::Duration;

use crate::wire::{Damage, Exchanges, Player, Recorder};
use serde_json::{Value, json};
use weighhouse_driver_aerospike::Aerospike;
use weighhouse_driver_api::{
    ClientDriver, ErrorKind, Expiry, Fields, Keys, Operation, Outcome, Payload, RecordShape,
    Request, Server, ValueSource, Verifier, Way,
};
use weighhouse_engine_testkit::{Aerospike as Node, PATIENCE};

const FILE: &str = "tests/recorded/community.json";

/// Fields of a record, and bytes of each.
const SHAPE: (u16, usize) = (3, 20);

/// A driver that is connected, and values for it.
struct Talk {
    driver: Aerospike,
    values: ValueSource,
}

impl Talk {
    async fn with(endpoint: &str, mut options: Value, ttl_seconds: Option<u32>) -> Self {
        options["only_endpoints"] = true.into();
        options["connections_per_node"] = 1.into();
        let mut shape = RecordShape::new(SHAPE.0, SHAPE.1, "field");
        shape.expiry = ttl_seconds.map_or(Expiry::Never, Expiry::All);
        let options = options.as_object().unwrap();
        let at: SocketAddr = endpoint.trim_start_matches("tcp://").parse().unwrap();
        let host = at.ip().to_string();
        let way = Way::plain(vec![Server::Place { at, host, addresses: vec![at.ip()] }]);
        let driver = Aerospike::connect(&way, &shape, options, 1).await;
        Self { driver: driver.unwrap(), values: ValueSource::new(7, &shape) }
    }

    async fn ask(&self, operation: Operation, keys: &[u64], fields: Fields) -> Outcome {
        self.ask_as(operation, keys, fields, keys[0]).await
    }

    /// With a verifier for a record that need not be the one asked for.
    async fn ask_as(
        &self,
        operation: Operation,
        keys: &[u64],
        fields: Fields,
        record: u64,
    ) -> Outcome {
        let mut more_keys = Keys::NONE;
        for key in &keys[1..] {
            more_keys.push(format!("user{key}").as_bytes());
        }
        let key = format!("user{}", keys[0]);
        let request = Request {
            operation,
            key: key.as_bytes(),
            more_keys: &more_keys,
            scan_length: 0,
            fields,
            payload: Payload::new(&self.values, keys[0], 1),
        };
        let verifier = Verifier::new(&self.values, record);
        self.driver.execute(&request, Some(&verifier)).await
    }
}

/// What has to happen at the server between operations, when there is one.
trait Hands {
    /// Time passes.
    fn wait(&self, time: Duration);
    /// The server takes no more writes.
    fn fill(&self);
}

/// What the player's server did is in its answers.
struct NoHands;

impl Hands for NoHands {
    fn wait(&self, _: Duration) {}
    fn fill(&self) {}
}

impl Hands for &Node {
    fn wait(&self, time: Duration) {
        std::thread::sleep(time);
    }

    fn fill(&self) {
        let set = "set-config:context=namespace;namespace=ycsb;stop-writes-sys-memory-pct=1";
        assert_eq!(self.info(set), "ok");
        while !self.info("namespace/ycsb").contains("stop_writes=true") {
            std::thread::sleep(Duration::from_millis(50));
        }
    }
}

/// All kinds of operations, and what each must come to.
async fn converse(endpoint: &str, hands: impl Hands) {
    use Fields::{All, One};
    use Operation::{Delete, Insert, Read, Update};
    let other = Outcome::Error(ErrorKind::Other);
    let talk = Talk::with(endpoint, json!({}), None).await;
    for (operation, keys, fields, outcome) in [
        (Insert, &[1][..], All, Outcome::Ok),
        (Insert, &[2], All, Outcome::Ok),
        (Insert, &[3], All, Outcome::Ok),
        (Read, &[1], All, Outcome::Ok),
        (Read, &[1], One(2), Outcome::Ok),
        (Read, &[9], All, Outcome::NotFound),
        (Update, &[1], One(1), Outcome::Ok),
        (Update, &[1], All, Outcome::Ok),
        (Update, &[9], All, Outcome::NotFound),
        (Read, &[1], All, Outcome::Ok),
        (Read, &[1, 2, 3], All, Outcome::Ok),
        (Delete, &[2], All, Outcome::Ok),
        (Delete, &[2], All, Outcome::NotFound),
        (Read, &[2], All, Outcome::NotFound),
        (Read, &[1, 2, 3], All, Outcome::NotFound),
        (Read, &[1, 3], One(0), Outcome::Ok),
    ] {
        let found = talk.ask(operation, keys, fields).await;
        assert_eq!(found, outcome, "{operation:?} {keys:?} {fields:?}");
    }
    // A value of another record, and a field that is not there.
    assert_eq!(talk.ask_as(Read, &[1], All, 3).await, Outcome::VerifyFailed);
    assert_eq!(talk.ask_as(Read, &[1, 3], All, 3).await, Outcome::VerifyFailed);
    assert_eq!(talk.ask(Insert, &[4], One(0)).await, Outcome::Ok);
    assert_eq!(talk.ask(Read, &[4], All).await, Outcome::VerifyFailed);

    let once = json!({"insert_mode": "create_only", "send_key": true, "commit_level": "master"});
    let talk = Talk::with(endpoint, once, None).await;
    assert_eq!(talk.ask(Insert, &[5], All).await, Outcome::Ok);
    assert_eq!(talk.ask(Insert, &[5], All).await, other);
    let durable = Talk::with(endpoint, json!({"durable_delete": true}), None).await;
    assert_eq!(durable.ask(Delete, &[5], All).await, other);

    let expiring = Talk::with(endpoint, json!({"set": "expiring"}), Some(1)).await;
    assert_eq!(expiring.ask(Insert, &[1], All).await, Outcome::Ok);
    hands.wait(Duration::from_millis(2_500));
    assert_eq!(expiring.ask(Read, &[1], All).await, Outcome::NotFound);

    hands.fill();
    assert_eq!(talk.ask(Insert, &[6], All).await, Outcome::Error(ErrorKind::Full));
}

fn on_a_runtime(work: impl Future<Output = ()>) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.unwrap().block_on(work);
}

fn recorded() -> Exchanges {
    Exchanges::from_json(&serde_json::from_str(&std::fs::read_to_string(FILE).unwrap()).unwrap())
}

#[test]
fn a_real_node_answers_so() {
    let Some(node) = Node::start() else { return };
    let recorder = Recorder::to(node.port());
    on_a_runtime(converse(&recorder.endpoint(), &node));
    let written = recorder.written();
    assert!(written.fact("build").starts_with(|first: char| first.is_ascii_digit()));
    if std::env::var_os("WEIGHHOUSE_RECORD").is_some() {
        let text = serde_json::to_string_pretty(&written.to_json()).unwrap();
        std::fs::write(FILE, text + "\n").unwrap();
    }
    assert_eq!(written.requests(), recorded().requests(), "the recording is of other requests");
}

#[test]
fn what_a_node_answered_is_understood() {
    let player = Player::of(recorded());
    on_a_runtime(converse(&player.endpoint(), NoHands));
    assert_eq!(player.left(), Some(0), "asked for in the same way, and for all of it");
}

#[test]
fn damaged_answers_are_found() {
    let player = Player::of(recorded());
    on_a_runtime(async {
        let read = async |patience| {
            // What is broken is broken for good: a new connection each time.
            let talk = Talk::with(&player.endpoint(), json!({}), None).await;
            let asked = talk.ask(Operation::Read, &[1], Fields::All);
            tokio::time::timeout(patience, asked).await
        };
        for (damage, outcome) in [
            (Damage::Altered, Outcome::VerifyFailed),
            (Damage::Cut, Outcome::Error(ErrorKind::Connection)),
            (Damage::Code(2), Outcome::NotFound),
            (Damage::Code(8), Outcome::Error(ErrorKind::Full)),
            (Damage::Code(9), Outcome::Error(ErrorKind::Timeout)),
            (Damage::Code(14), Outcome::Error(ErrorKind::ServerBusy)),
            (Damage::Code(18), Outcome::Error(ErrorKind::ServerBusy)),
            (Damage::Code(13), Outcome::Error(ErrorKind::TooLarge)),
            (Damage::None, Outcome::Ok),
        ] {
            player.set(damage);
            assert_eq!(read(PATIENCE).await.ok(), Some(outcome), "{damage:?}");
        }
        player.set(Damage::Silence);
        let silence = Duration::from_millis(500);
        assert_eq!(read(silence).await.ok(), None, "the engine's own limit ends it");
    });
}
