//! Requests byte by byte; replies whole, split, malformed and random.

use serde_json::json;
use weighhouse_driver_api::{ErrorKind, Keys, Lengths, Payload, ValueSource};

use super::*;

#[allow(clippy::needless_pass_by_value)] // json!(…) as it comes
fn codec(options: serde_json::Value) -> Resp {
    Resp::new(&shape(), options.as_object().unwrap()).unwrap()
}

fn shape() -> RecordShape {
    RecordShape::new(2, 4, "field")
}

fn shaped(options: &serde_json::Value, change: impl FnOnce(&mut RecordShape)) -> Resp {
    let mut shape = shape();
    change(&mut shape);
    Resp::new(&shape, options.as_object().unwrap()).unwrap()
}

fn hash() -> Resp {
    codec(json!({}))
}

fn encoded(codec: &Resp, operation: Operation, fields: Fields) -> String {
    encoded_with(codec, operation, fields, &Keys::NONE)
}

fn encoded_with(codec: &Resp, operation: Operation, fields: Fields, more_keys: &Keys) -> String {
    encoded_in(codec, operation, (fields, more_keys), 1)
}

fn encoded_in(
    codec: &Resp,
    operation: Operation,
    (fields, more_keys): (Fields, &Keys),
    version: u64,
) -> String {
    let mut expiring = shape();
    expiring.expiry = codec.expiry;
    let source = ValueSource::new(1, &expiring);
    let payload = Payload::new(&source, 5, version);
    let mut out = Vec::new();
    let request = Request { operation, key: b"user5", more_keys, scan_length: 30, fields, payload };
    codec.encode(&request, &mut out);
    String::from_utf8(out).unwrap()
}

fn value(field: Option<u16>) -> String {
    let source = ValueSource::new(1, &shape());
    let payload = Payload::new(&source, 5, 1);
    let mut out = Vec::new();
    match field {
        Some(index) => payload.field(index, &mut out),
        None => payload.blob(&mut out),
    }
    String::from_utf8(out).unwrap()
}

/// A request as its words: `*` and `$` headers left out.
fn words(request: &str) -> Vec<&str> {
    request.split("\r\n").filter(|word| !word.starts_with(['*', '$']) && !word.is_empty()).collect()
}

#[test]
fn the_index_stands_behind_the_prefix_of_the_keys() {
    let prefixed = shaped(&json!({"scan_index": "lex"}), |shape| {
        shape.scans = true;
        shape.key_prefix = Some("{b}:user".to_owned());
    });
    for operation in [Operation::Insert, Operation::Scan, Operation::Delete] {
        let request = encoded(&prefixed, operation, Fields::All);
        assert!(request.contains("$16\r\n{b}:user_indices\r\n"), "{request}");
    }
}

#[test]
fn an_insert_adds_its_key_to_the_index_that_scans_go_by() {
    let scans = |options: serde_json::Value| shaped(&options, |shape| shape.scans = true);
    let ycsb = scans(json!({}));
    let insert = encoded(&ycsb, Operation::Insert, Fields::All);
    // "user5".hashCode() in Java.
    assert!(
        insert
            .ends_with("*4\r\n$4\r\nZADD\r\n$8\r\n_indices\r\n$9\r\n111578570\r\n$5\r\nuser5\r\n")
    );
    let scan = encoded(&ycsb, Operation::Scan, Fields::All);
    assert_eq!(
        words(&scan),
        ["ZRANGEBYSCORE", "_indices", "111578570", "+inf", "LIMIT", "0", "30"]
    );
    assert_eq!(
        words(&encoded(&ycsb, Operation::Delete, Fields::All)),
        ["DEL", "user5", "ZREM", "_indices", "user5"]
    );
    let lex = scans(json!({"scan_index": "lex"}));
    let scan = encoded(&lex, Operation::Scan, Fields::All);
    assert_eq!(words(&scan), ["ZRANGEBYLEX", "_indices", "[user5", "+", "LIMIT", "0", "30"]);
    assert_eq!(lex.layout(), "hash+lex_index");
    assert_eq!(hash().layout(), "hash");
    let mut shape = shape();
    shape.scans = true;
    let refused = Resp::new(&shape, json!({"scan_index": "none"}).as_object().unwrap());
    assert_eq!(refused.unwrap_err().name, "scan_index");
}

#[test]
fn a_scan_reads_the_records_that_the_index_names() {
    let keys = b"*2\r\n$5\r\nuser5\r\n$5\r\nuser9\r\n";
    for (layout, reads, replies) in [
        ("hash", "HGETALL user5 HGETALL user9", &b"*2\r\n$1\r\na\r\n$1\r\nb\r\n*0\r\n"[..]),
        ("string", "MGET user5 user9", &b"*2\r\n$1\r\na\r\n$-1\r\n"[..]),
    ] {
        let codec = shaped(&json!({"layout": layout}), |shape| shape.scans = true);
        let first = Expected::first(Operation::Scan, Fields::All);
        let parsed = codec.parse(first, keys, &mut Scan::default());
        assert_eq!(parsed, Ok(Parsed::Continue { consumed: keys.len() }));
        let mut out = Vec::new();
        let part = codec.follow(first, keys, &mut out);
        assert_eq!(part, 2);
        assert_eq!(words(std::str::from_utf8(&out).unwrap()).join(" "), reads);
        let second = Expected { part, ..first };
        let mut scan = Scan::default();
        for end in 0..replies.len() {
            assert_eq!(codec.parse(second, &replies[..end], &mut scan), Ok(Parsed::Incomplete));
        }
        // A record that is gone meanwhile makes no scan fail.
        let complete = Parsed::Complete { consumed: replies.len(), outcome: Outcome::Ok };
        assert_eq!(codec.parse(second, replies, &mut scan), Ok(complete));
        let strange = codec.parse(first, b"*1\r\n:5\r\n", &mut Scan::default());
        assert_eq!(strange, Err(Malformed("an index of no keys")));
        let nothing = codec.parse(first, b"*0\r\n", &mut Scan::default());
        let not_found = Parsed::Complete { consumed: 4, outcome: Outcome::NotFound };
        assert_eq!(nothing, Ok(not_found));
    }
}

/// What updates of a record send, under an expiry that is drawn, and how many replies they have.
fn drawn(layout: &str, version: u64) -> (String, u16) {
    let expiry = Expiry::Drawn { fraction: 0.5, min_seconds: 60, max_seconds: 90 };
    let codec = shaped(&json!({"layout": layout}), |shape| shape.expiry = expiry);
    let said = encoded_in(&codec, Operation::Update, (Fields::All, &Keys::NONE), version);
    (words(&said).join(" "), codec.replies(Expected::first(Operation::Update, Fields::All)))
}

#[test]
fn a_write_that_does_not_expire_takes_the_time_of_an_earlier_one_away() {
    let expires = |said: &str, word: &str| {
        let seconds = said.split(word).nth(1).and_then(|rest| rest.trim().parse::<u32>().ok());
        seconds.is_some_and(|seconds| (60..=90).contains(&seconds))
    };
    let (mut of_hashes, mut of_strings) = (0, 0);
    for version in 0..40 {
        let (said, replies) = drawn("hash", version);
        assert_eq!(replies, 2);
        assert!(said.ends_with("PERSIST user5") || expires(&said, "EXPIRE user5"), "{said}");
        of_hashes += u32::from(said.ends_with("PERSIST user5"));
        let (said, replies) = drawn("string", version);
        assert_eq!(replies, 1);
        assert!(!said.contains(" EX ") || expires(&said, " EX "), "{said}");
        of_strings += u32::from(!said.contains(" EX "));
    }
    assert_eq!(of_hashes, of_strings);
    assert!((8..=32).contains(&of_hashes), "{of_hashes}");
}

#[test]
fn the_replies_of_all_commands_of_an_operation_are_one_reply() {
    let indexed = shaped(&json!({}), |shape| {
        shape.scans = true;
        shape.expiry = Expiry::All(60);
    });
    let insert = encoded(&indexed, Operation::Insert, Fields::One(0));
    assert!(words(&insert).join(" ").contains("EXPIRE user5 60 ZADD"), "{insert}");
    let cases: [(Operation, &[u8], Outcome); 4] = [
        (Operation::Insert, b":2\r\n:1\r\n:1\r\n", Outcome::Ok),
        (Operation::Insert, b":2\r\n-OOM no\r\n:1\r\n", Outcome::Error(ErrorKind::Full)),
        (Operation::Delete, b":0\r\n:1\r\n", Outcome::NotFound),
        (Operation::Delete, b":1\r\n:0\r\n", Outcome::Ok),
    ];
    for (operation, replies, outcome) in cases {
        let expected = Expected::first(operation, Fields::All);
        let mut scan = Scan::default();
        for end in 0..replies.len() {
            let parsed = indexed.parse(expected, &replies[..end], &mut scan);
            assert_eq!(parsed, Ok(Parsed::Incomplete), "{end} of {operation:?}");
        }
        let complete = Parsed::Complete { consumed: replies.len(), outcome };
        assert_eq!(indexed.parse(expected, replies, &mut scan), Ok(complete));
    }
}

#[test]
fn several_keys_are_read_at_once_and_all_must_be_there() {
    let mut more = Keys::NONE;
    more.push(b"user6");
    more.push(b"user7");
    let string = shaped(&json!({"layout": "string"}), |shape| shape.keys_per_read = 3);
    let request = encoded_with(&string, Operation::Read, Fields::All, &more);
    assert_eq!(words(&request), ["MGET", "user5", "user6", "user7"]);
    let hash = shaped(&json!({}), |shape| shape.keys_per_read = 3);
    let request = encoded_with(&hash, Operation::Read, Fields::All, &more);
    assert_eq!(words(&request).join(" "), "HGETALL user5 HGETALL user6 HGETALL user7");
    let read = Expected::first(Operation::Read, Fields::All);
    let cases: [(&Resp, &[u8], Outcome); 4] = [
        (&string, b"*3\r\n$1\r\na\r\n$0\r\n\r\n$1\r\nc\r\n", Outcome::Ok),
        (&string, b"*3\r\n$1\r\na\r\n$-1\r\n$1\r\nc\r\n", Outcome::NotFound),
        (&hash, b"*1\r\n$1\r\na\r\n*1\r\n$1\r\na\r\n*1\r\n$1\r\na\r\n", Outcome::Ok),
        (&hash, b"*1\r\n$1\r\na\r\n*0\r\n*1\r\n$1\r\na\r\n", Outcome::NotFound),
    ];
    for (codec, reply, outcome) in cases {
        let complete = Parsed::Complete { consumed: reply.len(), outcome };
        assert_eq!(codec.parse(read, reply, &mut Scan::default()), Ok(complete));
    }
}

#[test]
fn reads_by_name_name_all_fields_and_are_verified_in_that_order() {
    let named = shaped(&json!({}), |shape| shape.reads_by_name = true);
    let request = encoded(&named, Operation::Read, Fields::All);
    assert_eq!(words(&request), ["HMGET", "user5", "field0", "field1"]);
    let source = ValueSource::new(1, &shape());
    let verifier = Verifier::new(&source, 5);
    let (zero, one) = (value(Some(0)), value(Some(1)));
    let reply = |zero: &str, one: &str| format!("*2\r\n$4\r\n{zero}\r\n$4\r\n{one}\r\n");
    let read = Expected::first(Operation::Read, Fields::All);
    assert!(named.verify(read, reply(&zero, &one).as_bytes(), &verifier));
    assert!(!named.verify(read, reply(&one, &zero).as_bytes(), &verifier));
}

#[test]
fn values_of_drawn_lengths_announce_their_own() {
    let lengths = Lengths::Drawn(vec![(0.5, 3), (1.0, 12)]);
    let shape = RecordShape::with_lengths(2, lengths, "field");
    let source = ValueSource::new(1, &shape);
    for (layout, fields) in [("hash", Fields::One(1)), ("string", Fields::All)] {
        let codec = Resp::new(&shape, json!({"layout": layout}).as_object().unwrap()).unwrap();
        for version in 1..40 {
            let payload = Payload::new(&source, 5, version);
            let operation = Operation::Update;
            let more_keys = &Keys::NONE;
            let mut out = Vec::new();
            let request =
                Request { operation, key: b"user5", more_keys, scan_length: 0, fields, payload };
            codec.encode(&request, &mut out);
            let text = String::from_utf8(out).unwrap();
            let mut lines = text.trim_end().rsplit("\r\n");
            let (value, header) = (lines.next().unwrap(), lines.next().unwrap());
            assert_eq!(header, format!("${}", value.len()));
        }
    }
}

fn parse(operation: Operation, input: &[u8]) -> Result<Parsed, Malformed> {
    let expected = Expected::first(operation, Fields::All);
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
    let (zero, one) = (value(Some(0)), value(Some(1)));
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
        format!("*3\r\n$3\r\nSET\r\n$5\r\nuser5\r\n$8\r\n{}\r\n", value(None))
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
        (Operation::Insert, "-OOM command\r\n", Outcome::Error(ErrorKind::Full)),
        (Operation::Read, "!10\r\nLOADING it\r\n", Outcome::Error(ErrorKind::Unavailable)),
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
    let expected = Expected::first(Operation::Read, Fields::All);
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
        let expected = Expected { operation: operations[turn % 2], fields: Fields::All, part: 0 };
        let whole = codec.parse(expected, &input, &mut Scan::default());
        let mut scan = Scan::default();
        let split =
            codec.parse(expected, &input[..input.len() / 2], &mut scan).and_then(
                |first| match first {
                    Parsed::Incomplete => codec.parse(expected, &input, &mut scan),
                    complete => Ok(complete),
                },
            );
        assert_eq!(whole, split, "{:?}", String::from_utf8_lossy(&input));
        if let Ok(Parsed::Complete { consumed, .. }) = whole {
            assert!((1..=input.len()).contains(&consumed));
            let source = ValueSource::new(1, &shape());
            let _ = codec.verify(expected, &input[..consumed], &Verifier::new(&source, 1));
        }
    }
}

#[test]
fn values_are_verified_in_each_layout() {
    let source = ValueSource::new(1, &shape());
    let verifier = Verifier::new(&source, 5);
    let (zero, one, blob) = (value(Some(0)), value(Some(1)), value(None));
    let read = |fields| Expected { operation: Operation::Read, fields, part: 0 };
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
