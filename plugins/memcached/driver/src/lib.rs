//! Records in a system that speaks memcached's protocol, by the text commands or the meta commands:
//! one item each, all fields in it.
//!
//! An item is opaque to the server, so that an update of one field writes the whole record and a
//! read fetches it; the plugin's disclaimer says so beside every number.

use memchr::memchr;
use weighhouse_driver_api::{
    Checked, Codec, ErrorKind, Expected, Expiry, Feature, Fields, Identity, Malformed, Operation,
    OptionRefused, Options, Outcome, Parsed, RecordShape, Refusal, Request, Secret, Verifier,
};

/// JSON Schema of the options.
const SCHEMA: &str = r#"{
  "type": "object",
  "additionalProperties": false,
  "properties": {
    "commands": {
      "type": "string",
      "enum": ["text", "meta"],
      "default": "text",
      "description": "Which commands are used. text: get and set; meta: mg and ms, which memcached 1.6 and later understand."
    },
    "username": {
      "type": "string",
      "description": "The account of the server's file of accounts (-Y). Needs password_file."
    },
    "password_file": {
      "type": "string",
      "description": "Path of a file on the driver's machine with its password, which every connection logs in with. A line break at its end is not part of it. The password itself appears in no order, event or message."
    }
  }
}"#;

/// Longest line that is no value, for example an error with its text.
const LONGEST_LINE: usize = 4096;
/// Longest value a server may announce: memcached's own limit for an item is 1 GiB.
const LONGEST_VALUE: usize = 1 << 30;

/// Which commands are used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Commands {
    Text,
    Meta,
}

/// The codec (protocol.txt of memcached).
#[derive(Debug, Clone)]
pub struct Memcached {
    commands: Commands,
    /// What follows the key of a command that writes, when all records are of one length and expire
    /// alike.
    write_tail: Option<Vec<u8>>,
    keys_per_read: u16,
    account: Option<(String, Secret)>,
}

/// Longest time to live that is not taken for a date: 30 days (protocol.txt, "Expiration times").
const LONGEST_TTL: u32 = 30 * 86_400;

/// What was seen of a reply that is not complete.
#[derive(Debug, Default, Clone, Copy)]
pub struct Scan {
    /// Where the next line or value begins.
    position: usize,
    /// Bytes of the value that begins there and the end of its line; 0: a line begins there.
    value: usize,
    /// Records that were found.
    found: u16,
    /// Replies that are complete: meta commands have one for each key.
    replies: u16,
    /// The first error.
    error: Option<ErrorKind>,
}

impl Memcached {
    /// What follows the key of a command that writes a record of a length; time to live 0: it never
    /// expires.
    fn tail(commands: Commands, ttl: u32, length: usize) -> Vec<u8> {
        match (commands, ttl) {
            // Flags, time to live, length.
            (Commands::Text, _) => format!(" 0 {ttl} {length}\r\n"),
            (Commands::Meta, 0) => format!(" {length}\r\n"),
            (Commands::Meta, _) => format!(" {length} T{ttl}\r\n"),
        }
        .into_bytes()
    }
}

impl Codec for Memcached {
    type Scan = Scan;

    const IDENTITY: Identity = Identity {
        name: "memcached",
        version: env!("CARGO_PKG_VERSION"),
        endpoint_kinds: &["tcp", "tls", "unix"],
        operations: &Operation::WITHOUT_SCAN,
        features: &[Feature::Ttl, Feature::VariedTtl, Feature::MultiGet],
        options_schema: SCHEMA,
    };

    const SPREAD_BY_CLIENTS: bool = true;

    fn new(shape: &RecordShape, options: &Options) -> Result<Self, OptionRefused> {
        let given = Checked::new(SCHEMA, options)?;
        let commands =
            given.choice("commands", &[("text", Commands::Text), ("meta", Commands::Meta)]);
        let account = match given.account()? {
            (name, _) if name.is_empty() => None,
            (name, file) => Some((name, Secret::of_file(&file)?)),
        };
        let ttl = shape.expiry.longest().unwrap_or(0);
        if ttl > LONGEST_TTL {
            let message = format!(
                "{ttl} s of the workload: memcached takes more than {LONGEST_TTL} for a date"
            );
            return Err(OptionRefused::new("ttl_seconds", message));
        }
        let write_tail = shape
            .constant_blob_length()
            .filter(|_| !matches!(shape.expiry, Expiry::Drawn { .. }))
            .map(|length| Self::tail(commands, ttl, length));
        Ok(Self { commands, write_tail, keys_per_read: shape.keys_per_read, account })
    }

    fn layout(&self) -> &'static str {
        "blob"
    }

    /// An account is shown in the place of a value (protocol.txt, "Authentication"). A server that
    /// wants none would store it as one: it has expired before it is there.
    fn greet(&self, out: &mut Vec<u8>) -> usize {
        let mut commands = 1;
        if let Some((name, secret)) = &self.account {
            let length = name.len() + 1 + secret.shown().len();
            out.extend_from_slice(format!("set weighhouse 0 -1 {length}\r\n{name} ").as_bytes());
            out.extend_from_slice(secret.shown().as_bytes());
            out.extend_from_slice(b"\r\n");
            commands += 1;
        }
        out.extend_from_slice(b"version\r\n");
        commands
    }

    fn refused(&self, said: &[u8]) -> Refusal {
        let mut refusal = Refusal::of::<Self>(said);
        let hint = if said.starts_with(b"CLIENT_ERROR unauthenticated") {
            "the server wants an account: set username and password_file"
        } else if said.starts_with(b"CLIENT_ERROR authentication failure") {
            "are username and password_file those of the server's file of accounts (-Y)?"
        } else {
            return refusal;
        };
        hint.clone_into(&mut refusal.hint);
        refusal
    }

    fn parse_greeting(&self, input: &[u8], _scan: &mut Scan) -> Result<Parsed, Malformed> {
        let Some(line) = first_line(input)? else { return Ok(Parsed::Incomplete) };
        let outcome = if line.starts_with(b"VERSION ") {
            Outcome::Ok
        } else {
            outcome(Expected::first(Operation::Update, Fields::All), line)?
        };
        Ok(Parsed::Complete { consumed: line.len() + 2, outcome })
    }

    fn encode(&self, request: &Request<'_>, out: &mut Vec<u8>) {
        match (request.operation, self.commands) {
            (Operation::Read, Commands::Text) => {
                out.extend_from_slice(b"get ");
                out.extend_from_slice(request.key);
                for key in request.more_keys.iter() {
                    out.push(b' ');
                    out.extend_from_slice(key);
                }
            }
            (Operation::Read, Commands::Meta) => {
                // With the value.
                out.extend_from_slice(b"mg ");
                out.extend_from_slice(request.key);
                for key in request.more_keys.iter() {
                    out.extend_from_slice(b" v\r\nmg ");
                    out.extend_from_slice(key);
                }
                out.extend_from_slice(b" v");
            }
            (Operation::Delete, commands) => {
                let delete = commands == Commands::Text;
                out.extend_from_slice(if delete { b"delete " } else { b"md " });
                out.extend_from_slice(request.key);
            }
            (_, commands) => {
                out.extend_from_slice(if commands == Commands::Text { b"set " } else { b"ms " });
                out.extend_from_slice(request.key);
                if let Some(tail) = &self.write_tail {
                    out.extend_from_slice(tail);
                } else {
                    let length = request.payload.blob_length();
                    let ttl = request.ttl_seconds().unwrap_or(0);
                    out.extend_from_slice(&Self::tail(commands, ttl, length));
                }
                request.payload.blob(out);
            }
        }
        out.extend_from_slice(b"\r\n");
    }

    fn parse(
        &self,
        expected: Expected,
        input: &[u8],
        scan: &mut Scan,
    ) -> Result<Parsed, Malformed> {
        if expected.operation != Operation::Read {
            let Some(line) = first_line(input)? else { return Ok(Parsed::Incomplete) };
            let outcome = outcome(expected, line)?;
            return Ok(Parsed::Complete { consumed: line.len() + 2, outcome });
        }
        // Text: values and END; meta: a value or EN for each key.
        let text = self.commands == Commands::Text;
        let all = if text { 1 } else { self.keys_per_read };
        while scan.replies < all {
            let rest = input.get(scan.position..).unwrap_or_default();
            if scan.value > 0 {
                let Some(value) = rest.get(..scan.value) else { return Ok(Parsed::Incomplete) };
                if !value.ends_with(b"\r\n") {
                    return Err(Malformed("a value is not as long as announced"));
                }
                scan.position += std::mem::take(&mut scan.value);
                scan.found = scan.found.saturating_add(1);
                scan.replies += u16::from(!text);
                continue;
            }
            let Some(line) = first_line(rest)? else { return Ok(Parsed::Incomplete) };
            match line {
                [b'V', b'A', b' ', ..] if !text => scan.value = value_length(line, 1)? + 2,
                [b'V', b'A', b'L', b'U', b'E', b' ', ..] if text => {
                    scan.value = value_length(line, 3)? + 2;
                }
                _ => {
                    scan.replies += 1;
                    if let Outcome::Error(kind) = outcome(expected, line)? {
                        scan.error = scan.error.or(Some(kind));
                    }
                }
            }
            scan.position += line.len() + 2;
        }
        let Scan { position: consumed, found, error, .. } = std::mem::take(scan);
        let outcome = match error {
            Some(kind) => Outcome::Error(kind),
            None if found < self.keys_per_read => Outcome::NotFound,
            None => Outcome::Ok,
        };
        Ok(Parsed::Complete { consumed, outcome })
    }

    fn verify(&self, _expected: Expected, reply: &[u8], verifier: &Verifier<'_>) -> bool {
        let Ok(Some(line)) = first_line(reply) else { return false };
        let start = line.len() + 2;
        let word = if line.starts_with(b"VA ") { 1 } else { 3 };
        value_length(line, word).is_ok_and(|length| {
            reply.get(start..start + length).is_some_and(|value| verifier.blob(value))
        })
    }
}

/// The first line without its end; None while it is incomplete.
fn first_line(input: &[u8]) -> Result<Option<&[u8]>, Malformed> {
    match memchr(b'\n', input) {
        Some(at) => match input.get(..at).and_then(|line| line.strip_suffix(b"\r")) {
            Some(line) => Ok(Some(line)),
            None => Err(Malformed("a line ends without a carriage return")),
        },
        None if input.len() > LONGEST_LINE => Err(Malformed("a line does not end")),
        None => Ok(None),
    }
}

/// The length that a line `VALUE <key> <flags> <bytes> [<cas>]` announces in its word 3, or a line
/// `VA <bytes> <flags>*` in its word 1.
fn value_length(line: &[u8], word: usize) -> Result<usize, Malformed> {
    line.split(|&byte| byte == b' ')
        .nth(word)
        .and_then(|word| std::str::from_utf8(word).ok())
        .and_then(|word| word.parse::<usize>().ok())
        .filter(|&length| length <= LONGEST_VALUE)
        .ok_or(Malformed("a value without a length that makes sense"))
}

/// What a line means that tells an error, by the words that it begins with.
const ERRORS: [(&[u8], ErrorKind); 8] = [
    (b"SERVER_ERROR out of memory", ErrorKind::Full),
    (b"SERVER_ERROR Out of memory", ErrorKind::Full),
    (b"SERVER_ERROR object too large", ErrorKind::TooLarge),
    (b"CLIENT_ERROR object too large", ErrorKind::TooLarge),
    (b"CLIENT_ERROR unauthenticated", ErrorKind::Refused),
    (b"CLIENT_ERROR", ErrorKind::Other),
    // The others of a server are of the moment: too many connections, a proxy without its server.
    (b"SERVER_ERROR", ErrorKind::ServerBusy),
    (b"ERROR", ErrorKind::Other),
];

/// What a line means that is a whole reply.
fn outcome(expected: Expected, line: &[u8]) -> Result<Outcome, Malformed> {
    let reads = expected.operation == Operation::Read;
    match line {
        b"END" | b"EN" if reads => Ok(Outcome::NotFound),
        b"STORED" | b"HD" | b"DELETED" if !reads => Ok(Outcome::Ok),
        b"NOT_STORED" | b"NOT_FOUND" | b"NS" | b"NF" if !reads => Ok(Outcome::NotFound),
        _ => ERRORS
            .iter()
            .find(|(words, _)| line.starts_with(words))
            .map(|&(_, kind)| Outcome::Error(kind))
            .ok_or(Malformed("a line that answers nothing that was asked")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use weighhouse_driver_api::{Keys, Lengths, Payload, ValueSource};

    fn shape() -> RecordShape {
        RecordShape::new(2, 8, "field")
    }

    fn with(options: &serde_json::Value) -> Result<Memcached, OptionRefused> {
        Memcached::new(&shape(), options.as_object().unwrap())
    }

    fn codec() -> Memcached {
        with(&serde_json::json!({})).unwrap()
    }

    fn expected(operation: Operation) -> Expected {
        Expected::first(operation, Fields::All)
    }

    fn encoded(codec: &Memcached, operation: Operation) -> Vec<u8> {
        encoded_with(codec, operation, &Keys::NONE, &shape())
    }

    fn encoded_with(
        codec: &Memcached,
        operation: Operation,
        more_keys: &Keys,
        shape: &RecordShape,
    ) -> Vec<u8> {
        let source = ValueSource::new(1, shape);
        let payload = Payload::new(&source, 7, 1);
        let (key, fields) = (b"user7", Fields::All);
        let request = Request { operation, key, more_keys, scan_length: 0, fields, payload };
        let mut out = Vec::new();
        codec.encode(&request, &mut out);
        out
    }

    #[test]
    fn several_keys_are_read_at_once_and_all_must_be_there() {
        let mut more = Keys::NONE;
        more.push(b"user8");
        let mut shape = shape();
        shape.keys_per_read = 2;
        for (commands, request, both, one) in [
            (
                "text",
                &b"get user7 user8\r\n"[..],
                &b"VALUE user7 0 1\r\na\r\nVALUE user8 0 0\r\n\r\nEND\r\n"[..],
                &b"VALUE user8 0 1\r\nb\r\nEND\r\n"[..],
            ),
            (
                "meta",
                b"mg user7 v\r\nmg user8 v\r\n",
                b"VA 1\r\na\r\nVA 0\r\n\r\n",
                b"EN\r\nVA 1\r\nb\r\n",
            ),
        ] {
            let options = serde_json::json!({"commands": commands});
            let codec = Memcached::new(&shape, options.as_object().unwrap()).unwrap();
            assert_eq!(encoded_with(&codec, Operation::Read, &more, &shape), request);
            for (reply, outcome) in [(both, Outcome::Ok), (one, Outcome::NotFound)] {
                let mut scan = Scan::default();
                for end in 0..reply.len() {
                    let parsed = codec.parse(expected(Operation::Read), &reply[..end], &mut scan);
                    assert_eq!(parsed, Ok(Parsed::Incomplete), "{end} bytes");
                }
                let parsed = codec.parse(expected(Operation::Read), reply, &mut scan);
                assert_eq!(parsed, Ok(Parsed::Complete { consumed: reply.len(), outcome }));
            }
        }
    }

    #[test]
    fn records_are_deleted_and_expire() {
        assert_eq!(encoded(&codec(), Operation::Delete), b"delete user7\r\n");
        let meta = with(&serde_json::json!({"commands": "meta"})).unwrap();
        assert_eq!(encoded(&meta, Operation::Delete), b"md user7\r\n");
        let mut shape = shape();
        shape.expiry = Expiry::All(60);
        for (commands, head) in
            [("text", &b"set user7 0 60 16\r\n"[..]), ("meta", b"ms user7 16 T60\r\n")]
        {
            let options = serde_json::json!({"commands": commands});
            let codec = Memcached::new(&shape, options.as_object().unwrap()).unwrap();
            assert!(encoded(&codec, Operation::Insert).starts_with(head));
        }
        // Each write has its own: half of them none.
        shape.expiry = Expiry::Drawn { fraction: 0.5, min_seconds: 60, max_seconds: 60 };
        for commands in ["text", "meta"] {
            let options = serde_json::json!({"commands": commands});
            let codec = Memcached::new(&shape, options.as_object().unwrap()).unwrap();
            let source = ValueSource::new(1, &shape);
            let expiring = (0..100).filter(|&version| {
                let (key, fields) = (b"user7", Fields::All);
                let payload = Payload::new(&source, 7, version);
                let request = Request {
                    operation: Operation::Update,
                    key,
                    more_keys: &Keys::NONE,
                    scan_length: 0,
                    fields,
                    payload,
                };
                let mut out = Vec::new();
                codec.encode(&request, &mut out);
                let (with, without): (&[u8], &[u8]) = if commands == "text" {
                    (b"set user7 0 60 16\r\n", b"set user7 0 0 16\r\n")
                } else {
                    (b"ms user7 16 T60\r\n", b"ms user7 16\r\n")
                };
                assert!(out.starts_with(with) || out.starts_with(without));
                out.starts_with(with)
            });
            let count = expiring.count();
            assert!((30..=70).contains(&count), "{count}");
        }
        shape.expiry = Expiry::All(LONGEST_TTL + 1);
        let refused = Memcached::new(&shape, &Options::new()).unwrap_err();
        assert_eq!(refused.name, "ttl_seconds");
    }

    #[test]
    fn records_of_drawn_lengths_announce_their_own() {
        let shape = RecordShape::with_lengths(1, Lengths::Drawn(vec![(1.0, 33)]), "field");
        let codec = Memcached::new(&shape, &Options::new()).unwrap();
        let set = encoded_with(&codec, Operation::Update, &Keys::NONE, &shape);
        assert!(set.starts_with(b"set user7 0 0 33\r\n"));
    }

    #[test]
    fn requests_are_those_of_the_protocol() {
        assert_eq!(encoded(&codec(), Operation::Read), b"get user7\r\n");
        let set = encoded(&codec(), Operation::Update);
        assert!(set.starts_with(b"set user7 0 0 16\r\n"));
        assert!(set.ends_with(b"\r\n"));
        assert_eq!(set.len(), b"set user7 0 0 16\r\n".len() + 16 + 2);
    }

    #[test]
    fn meta_requests_are_those_of_the_protocol() {
        let codec = with(&serde_json::json!({"commands": "meta"})).unwrap();
        assert_eq!(encoded(&codec, Operation::Read), b"mg user7 v\r\n");
        let set = encoded(&codec, Operation::Insert);
        assert!(set.starts_with(b"ms user7 16\r\n"));
        assert_eq!(set.len(), b"ms user7 16\r\n".len() + 16 + 2);
    }

    #[test]
    fn unknown_options_are_refused_by_name() {
        assert_eq!(with(&serde_json::json!({"commands": "binary"})).unwrap_err().name, "commands");
        assert_eq!(with(&serde_json::json!({"layout": "hash"})).unwrap_err().name, "layout");
    }

    #[test]
    fn random_bytes_never_panic() {
        let mut state = 7_u64;
        let mut byte = || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            b"VALUE A0123456789END\r\nSTORED"[usize::try_from(state >> 40).unwrap() % 28]
        };
        for turn in 0..200_000 {
            let mut input = if turn % 3 == 0 { b"VA ".to_vec() } else { Vec::new() };
            input.extend((0..turn % 30).map(|_| byte()));
            for operation in Operation::ALL {
                let mut scan = Scan::default();
                let half = codec().parse(expected(operation), &input[..input.len() / 2], &mut scan);
                if half == Ok(Parsed::Incomplete) {
                    let _ = codec().parse(expected(operation), &input, &mut scan);
                }
            }
        }
    }

    #[test]
    fn replies_mean_what_the_protocol_says() {
        let meta: [(&[u8], Outcome); 3] = [
            (b"EN\r\n", Outcome::NotFound),
            (b"VA 3\r\nabc\r\n", Outcome::Ok),
            (b"VA 0 f30\r\n\r\n", Outcome::Ok),
        ];
        for (reply, outcome) in meta {
            let codec = with(&serde_json::json!({"commands": "meta"})).unwrap();
            let parsed = codec.parse(expected(Operation::Read), reply, &mut Scan::default());
            assert_eq!(parsed, Ok(Parsed::Complete { consumed: reply.len(), outcome }));
        }
        let cases: [(Operation, &[u8], Outcome); 12] = [
            (Operation::Delete, b"DELETED\r\n", Outcome::Ok),
            (Operation::Delete, b"NOT_FOUND\r\n", Outcome::NotFound),
            (Operation::Insert, b"HD\r\n", Outcome::Ok),
            (Operation::Update, b"NS\r\n", Outcome::NotFound),
            (Operation::Read, b"END\r\n", Outcome::NotFound),
            (Operation::Read, b"VALUE user7 0 3\r\nabc\r\nEND\r\n", Outcome::Ok),
            (Operation::Insert, b"STORED\r\n", Outcome::Ok),
            (
                Operation::Update,
                b"SERVER_ERROR out of memory storing object\r\n",
                Outcome::Error(ErrorKind::Full),
            ),
            (
                Operation::Update,
                b"SERVER_ERROR object too large for cache\r\n",
                Outcome::Error(ErrorKind::TooLarge),
            ),
            (
                Operation::Read,
                b"SERVER_ERROR Too many open connections\r\n",
                Outcome::Error(ErrorKind::ServerBusy),
            ),
            (
                Operation::Update,
                b"CLIENT_ERROR bad data chunk\r\n",
                Outcome::Error(ErrorKind::Other),
            ),
            (Operation::Read, b"ERROR\r\n", Outcome::Error(ErrorKind::Other)),
        ];
        for (operation, reply, outcome) in cases {
            let mut more = reply.to_vec();
            more.extend_from_slice(b"STORED\r\n");
            let parsed = codec().parse(expected(operation), &more, &mut Scan::default());
            assert_eq!(parsed, Ok(Parsed::Complete { consumed: reply.len(), outcome }));
        }
    }

    #[test]
    fn a_reply_in_pieces_is_the_same_reply() {
        let reply = b"VALUE user7 0 12\r\nab\r\nEND\r\ncde\r\nEND\r\n";
        let mut scan = Scan::default();
        for end in 0..reply.len() {
            let parsed = codec().parse(expected(Operation::Read), &reply[..end], &mut scan);
            assert_eq!(parsed, Ok(Parsed::Incomplete), "{end} bytes");
        }
        let parsed = codec().parse(expected(Operation::Read), reply, &mut scan);
        let complete = Parsed::Complete { consumed: reply.len(), outcome: Outcome::Ok };
        assert_eq!(parsed, Ok(complete));
    }

    #[test]
    fn nonsense_is_refused_and_never_panics() {
        for input in [
            &b"VALUE user7 0\r\n"[..],
            b"VALUE user7 0 -3\r\n",
            b"VALUE user7 0 99999999999999999999\r\n",
            b"STORED\n",
            b"STORED\r\n",
            b"\r\n",
            &[0xff; LONGEST_LINE + 1],
            b"VALUE user7 0 1\r\nabcdefgh\r\n",
            b"VA 3\r\nabcd\r\n",
            b"VA x\r\n",
        ] {
            let parsed = codec().parse(expected(Operation::Read), input, &mut Scan::default());
            assert!(parsed.is_err(), "{input:?}");
        }
    }

    #[test]
    fn what_was_written_is_recognized_and_nothing_else() {
        let source = ValueSource::new(1, &shape());
        let mut blob = Vec::new();
        Payload::new(&source, 7, 1).blob(&mut blob);
        let reply = |value: &[u8]| {
            let mut out = format!("VALUE user7 0 {}\r\n", value.len()).into_bytes();
            out.extend_from_slice(value);
            out.extend_from_slice(b"\r\nEND\r\n");
            out
        };
        let verifier = Verifier::new(&source, 7);
        let read = expected(Operation::Read);
        assert!(codec().verify(read, &reply(&blob), &verifier));
        blob[9] ^= 1;
        assert!(!codec().verify(read, &reply(&blob), &verifier));
        assert!(!codec().verify(read, b"END\r\n", &verifier));
    }
}
