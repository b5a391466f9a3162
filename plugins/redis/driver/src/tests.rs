//! Requests byte by byte; replies whole, split, malformed and random.

use serde_json::json;
use weighhouse_driver_api::{ErrorKind, Payload, ValueSource};

use super::*;

#[allow(clippy::needless_pass_by_value)] // json!(…) as it comes
fn codec(options: serde_json::Value) -> Resp {
    Resp::new(&RecordShape::new(2, 4, "field"), options.as_object().unwrap()).unwrap()
}

fn hash() -> Resp {
    codec(json!({}))
}

fn encoded(codec: &Resp, operation: Operation, fields: Fields) -> String {
    let source = ValueSource::new(1);
    let payload = Payload::new(&source, 5, 1);
    let mut out = Vec::new();
    codec.encode(&Request { operation, key: b"user5", fields, payload }, &mut out);
    String::from_utf8(out).unwrap()
}

fn value(field: Option<u32>, length: usize) -> String {
    let source = ValueSource::new(1);
    let payload = Payload::new(&source, 5, 1);
    let mut out = Vec::new();
    match field {
        Some(index) => payload.field(index, length, &mut out),
        None => payload.blob(length, &mut out),
    }
    String::from_utf8(out).unwrap()
}

fn parse(operation: Operation, input: &[u8]) -> Result<Parsed, Malformed> {
    let expected = Expected { operation, fields: Fields::All };
    hash().parse(expected, input, &mut Scan::default())
}

fn outcome(operation: Operation, input: &[u8]) -> Outcome {
    match parse(operation, input) {
        Ok(Parsed::Complete { consumed, outcome }) => {
            assert_eq!(consumed, input.len(), "{:?}", String::from_utf8_lossy(input));
            outcome
        }
        other => panic!("{other:?} of {:?}", String::from_utf8_lossy(input)),
    }
}

#[test]
fn a_hash_is_read_whole_or_by_field() {
    assert_eq!(
        encoded(&hash(), Operation::Read, Fields::All),
        "*2\r\n$7\r\nHGETALL\r\n$5\r\nuser5\r\n"
    );
    assert_eq!(
        encoded(&hash(), Operation::Read, Fields::One(1)),
        "*3\r\n$5\r\nHMGET\r\n$5\r\nuser5\r\n$6\r\nfield1\r\n"
    );
}

#[test]
fn a_hash_is_written_whole_or_by_field() {
    let (zero, one) = (value(Some(0), 4), value(Some(1), 4));
    assert_eq!(
        encoded(&hash(), Operation::Insert, Fields::All),
        format!(
            "*6\r\n$4\r\nHSET\r\n$5\r\nuser5\r\n$6\r\nfield0\r\n$4\r\n{zero}\r\n\
             $6\r\nfield1\r\n$4\r\n{one}\r\n"
        )
    );
    assert_eq!(
        encoded(&hash(), Operation::Update, Fields::One(1)),
        format!("*4\r\n$4\r\nHSET\r\n$5\r\nuser5\r\n$6\r\nfield1\r\n$4\r\n{one}\r\n")
    );
}

#[test]
fn a_string_is_always_read_and_written_whole() {
    let codec = codec(json!({"layout": "string"}));
    assert_eq!(codec.layout(), "string");
    assert_eq!(
        encoded(&codec, Operation::Read, Fields::One(1)),
        "*2\r\n$3\r\nGET\r\n$5\r\nuser5\r\n"
    );
    assert_eq!(
        encoded(&codec, Operation::Update, Fields::One(1)),
        format!("*3\r\n$3\r\nSET\r\n$5\r\nuser5\r\n$8\r\n{}\r\n", value(None, 8))
    );
}

#[test]
fn the_greeting_selects_a_database_when_asked_to() {
    let mut out = Vec::new();
    assert_eq!(codec(json!({"database": 3})).greet(&mut out), 2);
    assert_eq!(out, b"*1\r\n$4\r\nPING\r\n*2\r\n$6\r\nSELECT\r\n$1\r\n3\r\n");
}

#[test]
fn replies_have_their_outcomes() {
    for (operation, reply, expected) in [
        (Operation::Read, "$3\r\nabc\r\n", Outcome::Ok),
        (Operation::Read, "$0\r\n\r\n", Outcome::Ok),
        (Operation::Read, "$-1\r\n", Outcome::NotFound),
        (Operation::Read, "_\r\n", Outcome::NotFound),
        (Operation::Read, "*-1\r\n", Outcome::NotFound),
        (Operation::Read, "*0\r\n", Outcome::NotFound),
        (Operation::Read, "%0\r\n", Outcome::NotFound),
        (Operation::Read, "*1\r\n$-1\r\n", Outcome::NotFound),
        (Operation::Read, "*2\r\n$1\r\na\r\n$2\r\nbc\r\n", Outcome::Ok),
        (Operation::Read, "%1\r\n$1\r\na\r\n$2\r\nbc\r\n", Outcome::Ok),
        (Operation::Read, "*2\r\n*1\r\n:5\r\n=7\r\ntxt:abc\r\n", Outcome::Ok),
        (Operation::Read, ">2\r\n+a\r\n$1\r\nb\r\n$1\r\nc\r\n", Outcome::Ok),
        (Operation::Read, "|1\r\n+ttl\r\n:1\r\n$-1\r\n", Outcome::NotFound),
        (Operation::Update, "+OK\r\n", Outcome::Ok),
        (Operation::Insert, ":10\r\n", Outcome::Ok),
        (Operation::Update, "#t\r\n", Outcome::Ok),
        (Operation::Read, "-ERR no\r\n", Outcome::Error(ErrorKind::Other)),
        (Operation::Read, "-WRONGTYPE no\r\n", Outcome::Error(ErrorKind::Other)),
        (Operation::Read, "-BUSYKEY no\r\n", Outcome::Error(ErrorKind::Other)),
        (Operation::Read, "-BUSY script\r\n", Outcome::Error(ErrorKind::ServerBusy)),
        (Operation::Insert, "-OOM command\r\n", Outcome::Error(ErrorKind::ServerBusy)),
        (Operation::Read, "!10\r\nLOADING it\r\n", Outcome::Error(ErrorKind::ServerBusy)),
    ] {
        assert_eq!(outcome(operation, reply.as_bytes()), expected, "{reply:?}");
    }
}

#[test]
fn what_is_not_resp_is_malformed() {
    for reply in [
        "HTTP/1.1 400\r\n",
        "$x\r\n",
        "$-2\r\n",
        "$\r\n",
        "$3\r\nabcd\r\n",
        "$99999999999\r\n",
        "*999999999\r\n",
        "+a\rb\r\n",
        "+OK\r\n",
        "*1\r\n@\r\n",
    ] {
        assert!(parse(Operation::Read, reply.as_bytes()).is_err(), "{reply:?}");
    }
    let endless = vec![b'+'; 70_000];
    assert!(parse(Operation::Update, &endless).is_err());
    assert!(parse(Operation::Update, b"$3\r\nabc\r\n").is_err());
}

#[test]
fn a_reply_that_comes_byte_by_byte_is_the_same_reply() {
    let reply = b"|1\r\n+a\r\n:1\r\n*3\r\n$3\r\nabc\r\n*2\r\n:1\r\n$-1\r\n$1\r\nx\r\n+next\r\n";
    let whole = reply.len() - 7;
    let codec = hash();
    let expected = Expected { operation: Operation::Read, fields: Fields::All };
    let mut scan = Scan::default();
    for end in 0..whole {
        assert_eq!(
            codec.parse(expected, &reply[..end], &mut scan),
            Ok(Parsed::Incomplete),
            "{end}"
        );
    }
    let parsed = codec.parse(expected, reply, &mut scan);
    assert_eq!(parsed, Ok(Parsed::Complete { consumed: whole, outcome: Outcome::Ok }));
}

#[test]
fn random_bytes_never_panic_whether_whole_or_split() {
    let codec = hash();
    let mut state = 7_u64;
    let mut byte = || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        b"*$%~>|!+-:_,(#=0123456789\r\nab-"[usize::try_from(state >> 40).unwrap() % 30]
    };
    let operations = [Operation::Read, Operation::Update];
    for turn in 0..200_000 {
        let input: Vec<u8> = (0..turn % 40).map(|_| byte()).collect();
        let expected = Expected { operation: operations[turn % 2], fields: Fields::All };
        let whole = codec.parse(expected, &input, &mut Scan::default());
        let mut scan = Scan::default();
        let split =
            codec.parse(expected, &input[..input.len() / 2], &mut scan).and_then(
                |first| match first {
                    Parsed::Incomplete => codec.parse(expected, &input, &mut scan),
                    complete @ Parsed::Complete { .. } => Ok(complete),
                },
            );
        assert_eq!(whole, split, "{:?}", String::from_utf8_lossy(&input));
        if let Ok(Parsed::Complete { consumed, .. }) = whole {
            assert!((1..=input.len()).contains(&consumed));
            let source = ValueSource::new(1);
            let _ = codec.verify(expected, &input[..consumed], &Verifier::new(&source, 1));
        }
    }
}

#[test]
fn values_are_verified_in_each_layout() {
    let source = ValueSource::new(1);
    let verifier = Verifier::new(&source, 5);
    let (zero, one, blob) = (value(Some(0), 4), value(Some(1), 4), value(None, 8));
    let read = |fields| Expected { operation: Operation::Read, fields };
    let whole = format!("*4\r\n$6\r\nfield1\r\n$4\r\n{one}\r\n$6\r\nfield0\r\n$4\r\n{zero}\r\n");
    assert!(hash().verify(read(Fields::All), whole.as_bytes(), &verifier));
    let map = whole.replacen("*4", "%2", 1);
    assert!(hash().verify(read(Fields::All), map.as_bytes(), &verifier));
    let swapped = format!("*4\r\n$6\r\nfield0\r\n$4\r\n{one}\r\n$6\r\nfield1\r\n$4\r\n{zero}\r\n");
    assert!(!hash().verify(read(Fields::All), swapped.as_bytes(), &verifier));
    let half = format!("*2\r\n$6\r\nfield1\r\n$4\r\n{one}\r\n");
    assert!(!hash().verify(read(Fields::All), half.as_bytes(), &verifier));
    let single = format!("*1\r\n$4\r\n{one}\r\n");
    assert!(hash().verify(read(Fields::One(1)), single.as_bytes(), &verifier));
    assert!(!hash().verify(read(Fields::One(0)), single.as_bytes(), &verifier));
    let string = codec(json!({"layout": "string"}));
    let text = format!("$8\r\n{blob}\r\n");
    assert!(string.verify(read(Fields::All), text.as_bytes(), &verifier));
    assert!(!string.verify(read(Fields::All), b"$8\r\nabcdefgh\r\n", &verifier));
}
