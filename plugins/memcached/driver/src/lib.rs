//! Records in a system that speaks memcached's protocol, by the text commands or the meta commands:
//! one item each, all fields in it.
//!
//! An item is opaque to the server, so that an update of one field writes the whole record and a
//! read fetches it; the plugin's disclaimer says so beside every number.

use memchr::memchr;
use weighhouse_driver_api::{
    Codec, ErrorKind, Expected, Identity, Malformed, Operation, OptionRefused, Options, Outcome,
    Parsed, RecordShape, Request, Verifier,
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
    blob_length: usize,
    commands: Commands,
    /// What follows the key of a command that writes.
    write_tail: Vec<u8>,
}

/// Nothing is kept between two looks at an incomplete reply: its first line tells its length.
#[derive(Debug, Default, Clone, Copy)]
pub struct Scan {
    /// Bytes the whole reply has, once its first line was read; 0 before.
    length: usize,
    /// Where the value ends in it.
    value_end: usize,
}

/// What ends the reply to a `get`.
const TEXT_END: &[u8] = b"END\r\n";

impl Codec for Memcached {
    type Scan = Scan;

    const IDENTITY: Identity = Identity {
        name: "memcached",
        version: env!("CARGO_PKG_VERSION"),
        endpoint_kinds: &["tcp", "unix"],
        options_schema: SCHEMA,
    };

    fn new(shape: &RecordShape, options: &Options) -> Result<Self, OptionRefused> {
        let mut commands = Commands::Text;
        for (name, value) in options {
            commands = match (name.as_str(), value.as_str()) {
                ("commands", Some("text")) => Commands::Text,
                ("commands", Some("meta")) => Commands::Meta,
                ("commands", _) => return Err(OptionRefused::new(name, "text or meta")),
                _ => {
                    let message = "unknown; the options are commands and timeout_ms";
                    return Err(OptionRefused::new(name, message));
                }
            };
        }
        let blob_length = shape.blob_length();
        let write_tail = match commands {
            // Flags, time of expiry, length.
            Commands::Text => format!(" 0 0 {blob_length}\r\n"),
            Commands::Meta => format!(" {blob_length}\r\n"),
        };
        Ok(Self { blob_length, commands, write_tail: write_tail.into_bytes() })
    }

    fn layout(&self) -> &'static str {
        "blob"
    }

    fn greet(&self, out: &mut Vec<u8>) -> usize {
        out.extend_from_slice(b"version\r\n");
        1
    }

    fn encode(&self, request: &Request<'_>, out: &mut Vec<u8>) {
        let reads = request.operation == Operation::Read;
        let command: &[u8] = match (self.commands, reads) {
            (Commands::Text, true) => b"get ",
            (Commands::Text, false) => b"set ",
            (Commands::Meta, true) => b"mg ",
            (Commands::Meta, false) => b"ms ",
        };
        out.extend_from_slice(command);
        out.extend_from_slice(request.key);
        if !reads {
            out.extend_from_slice(&self.write_tail);
            request.payload.blob(self.blob_length, out);
        } else if self.commands == Commands::Meta {
            // With the value.
            out.extend_from_slice(b" v");
        }
        out.extend_from_slice(b"\r\n");
    }

    fn parse(
        &self,
        expected: Expected,
        input: &[u8],
        scan: &mut Scan,
    ) -> Result<Parsed, Malformed> {
        if scan.length == 0 {
            let Some(line) = first_line(input)? else { return Ok(Parsed::Incomplete) };
            let consumed = line.len() + 2;
            let (length, end) = match line {
                _ if expected.operation != Operation::Read => (None, 0),
                [b'V', b'A', b' ', ..] => (Some(value_length(line, 1)?), 0),
                [b'V', b'A', b'L', b'U', b'E', b' ', ..] => {
                    (Some(value_length(line, 3)?), TEXT_END.len())
                }
                _ => (None, 0),
            };
            let Some(length) = length else {
                return Ok(Parsed::Complete { consumed, outcome: outcome(expected, line)? });
            };
            scan.value_end = consumed + length;
            scan.length = scan.value_end + 2 + end;
        }
        let Some(reply) = input.get(..scan.length) else { return Ok(Parsed::Incomplete) };
        let end = &reply[scan.value_end..];
        if end != b"\r\n" && end.strip_prefix(b"\r\n") != Some(TEXT_END) {
            return Err(Malformed("a value is not as long as announced"));
        }
        Ok(Parsed::Complete { consumed: scan.length, outcome: Outcome::Ok })
    }

    fn verify(&self, _expected: Expected, reply: &[u8], verifier: &Verifier<'_>) -> bool {
        let Ok(Some(line)) = first_line(reply) else { return false };
        let start = line.len() + 2;
        let word = if line.starts_with(b"VA ") { 1 } else { 3 };
        value_length(line, word).is_ok_and(|length| {
            reply
                .get(start..start + length)
                .is_some_and(|value| verifier.blob(self.blob_length, value))
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

/// What a line means that is a whole reply.
fn outcome(expected: Expected, line: &[u8]) -> Result<Outcome, Malformed> {
    let reads = expected.operation == Operation::Read;
    match line {
        b"END" | b"EN" if reads => Ok(Outcome::NotFound),
        b"STORED" | b"HD" if !reads => Ok(Outcome::Ok),
        b"NOT_STORED" | b"NOT_FOUND" | b"NS" | b"NF" if !reads => Ok(Outcome::NotFound),
        _ if !reads && line.starts_with(b"VERSION ") => Ok(Outcome::Ok),
        _ if line.starts_with(b"SERVER_ERROR") => Ok(Outcome::Error(ErrorKind::ServerBusy)),
        _ if line == b"ERROR" || line.starts_with(b"CLIENT_ERROR") => {
            Ok(Outcome::Error(ErrorKind::Other))
        }
        _ => Err(Malformed("a line that answers nothing that was asked")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use weighhouse_driver_api::{Fields, Payload, ValueSource};

    fn with(options: &serde_json::Value) -> Result<Memcached, OptionRefused> {
        Memcached::new(&RecordShape::new(2, 8, "field"), options.as_object().unwrap())
    }

    fn codec() -> Memcached {
        with(&serde_json::json!({})).unwrap()
    }

    fn expected(operation: Operation) -> Expected {
        Expected { operation, fields: Fields::All }
    }

    fn encoded(codec: &Memcached, operation: Operation) -> Vec<u8> {
        let source = ValueSource::new(1);
        let payload = Payload::new(&source, 7, 1);
        let request = Request { operation, key: b"user7", fields: Fields::All, payload };
        let mut out = Vec::new();
        codec.encode(&request, &mut out);
        out
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
        let cases: [(Operation, &[u8], Outcome); 11] = [
            (Operation::Read, b"EN\r\n", Outcome::NotFound),
            (Operation::Read, b"VA 3\r\nabc\r\n", Outcome::Ok),
            (Operation::Read, b"VA 0 f30\r\n\r\n", Outcome::Ok),
            (Operation::Insert, b"HD\r\n", Outcome::Ok),
            (Operation::Update, b"NS\r\n", Outcome::NotFound),
            (Operation::Read, b"END\r\n", Outcome::NotFound),
            (Operation::Read, b"VALUE user7 0 3\r\nabc\r\nEND\r\n", Outcome::Ok),
            (Operation::Insert, b"STORED\r\n", Outcome::Ok),
            (
                Operation::Update,
                b"SERVER_ERROR out of memory storing object\r\n",
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
        let source = ValueSource::new(1);
        let mut blob = Vec::new();
        Payload::new(&source, 7, 1).blob(16, &mut blob);
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
