//! Records in a system that speaks RESP: a hash each, as YCSB's redis binding stores them, or one
//! string each.
//!
//! YCSB's binding also adds every inserted key to a sorted set `_indices`, which only its scans
//! read; in a workload without scans that second command of every insert is left out. The commands
//! of one operation go out together, where YCSB's binding waits for each reply before the next.
//!
//! In a Redis Cluster each key is asked for at the server that has its slot.

mod cluster;
mod encode;
mod options;
mod reply;

use memchr::memmem;
use weighhouse_driver_api::{
    Codec, ErrorKind, Expected, Expiry, Feature, Fields, Identity, Malformed, Operation,
    OptionRefused, Options, Outcome, Parsed, RecordShape, Refusal, Request, Spread, Verifier,
};

use encode::{INDEX, bulk, header};
use options::{Layout, ScanIndex, Settings};
pub use reply::Scan;

/// Most records that a scan asks for, whatever the index answers.
const MOST_SCANNED: usize = 10_000;

/// The RESP codec. Understands replies of RESP2 and RESP3.
#[derive(Debug, Clone)]
pub struct Resp {
    settings: Settings,
    index: ScanIndex,
    /// Each field's name as a bulk string.
    names: Vec<Vec<u8>>,
    /// Name of the index, as it is sent.
    index_key: Vec<u8>,
    reads_by_name: bool,
    keys_per_read: u16,
    may_be_partial: bool,
    expiry: Expiry,
    /// What a bulk string of a field's value begins with, when all are of one length.
    value_header: Vec<u8>,
    blob_header: Vec<u8>,
    /// How long a reply with a whole record is, when all are.
    blob_reply: usize,
    /// The header as a word, first octet lowest, and the mask of its octets; nothing equals it when
    /// the header is longer than a word, or differs.
    blob_start: (u64, u64),
}

/// [`Resp::blob_start`] of a header.
fn start_of(header: &[u8]) -> (u64, u64) {
    let mut word = [0; 8];
    match word.get_mut(..header.len()) {
        Some(place) if !header.is_empty() => place.copy_from_slice(header),
        _ => return (1, 0),
    }
    let mask = u64::MAX >> (64 - 8 * header.len());
    (u64::from_le_bytes(word), mask)
}

impl Resp {
    /// How many replies a request gives.
    fn replies(&self, expected: Expected) -> u16 {
        let indexed = u16::from(self.index != ScanIndex::None);
        let expires = u16::from(!self.expiry.is_never() && self.settings.layout == Layout::Hash);
        match (expected.operation, self.settings.layout) {
            (Operation::Insert, _) => 1 + expires + indexed,
            (Operation::Update, _) => 1 + expires,
            (Operation::Delete, _) => 1 + indexed,
            (Operation::Read, Layout::Hash) => self.keys_per_read,
            (Operation::Scan, Layout::Hash) => expected.part.max(1),
            _ => 1,
        }
    }

    /// What one of the replies to a request says.
    fn outcome_of(
        &self,
        reply: &reply::Reply,
        input: &[u8],
        expected: Expected,
        position: u16,
    ) -> Result<Outcome, Malformed> {
        match expected.operation {
            // Whether the index had the key is not asked.
            Operation::Delete if position > 0 => reply.outcome(input, Operation::Update),
            Operation::Read | Operation::Scan if self.settings.layout == Layout::String => {
                let outcome = reply.outcome(input, expected.operation)?;
                let several = input.first() == Some(&b'*');
                let some_missing = outcome == Outcome::Ok
                    && several
                    && expected.operation == Operation::Read
                    && reply::optional_bulks(&input[..reply.end]).contains(&None);
                Ok(if some_missing { Outcome::NotFound } else { outcome })
            }
            operation => reply.outcome(input, operation),
        }
    }
}

impl Codec for Resp {
    type Scan = Scan;

    const IDENTITY: Identity = Identity {
        name: "resp",
        version: env!("CARGO_PKG_VERSION"),
        endpoint_kinds: &["tcp", "tls", "unix"],
        operations: &Operation::ALL,
        features: &[Feature::Ttl, Feature::VariedTtl, Feature::MultiGet],
        options_schema: options::SCHEMA,
    };

    const SPREAD_BY_CLIENTS: bool = true;

    fn new(shape: &RecordShape, options: &Options) -> Result<Self, OptionRefused> {
        let settings = Settings::read(options)?;
        let of = |bytes: &[u8]| {
            let mut out = Vec::new();
            bulk(bytes, &mut out);
            out
        };
        let length = |length: Option<usize>| {
            let mut out = Vec::new();
            if let Some(length) = length {
                header(b'$', length, &mut out);
            }
            out
        };
        if settings.cluster && shape.scans {
            let message = "in a cluster there are no scans: their index is one key, on one server";
            return Err(OptionRefused::new("cluster", message));
        }
        if settings.cluster && shape.keys_per_read > 1 {
            let message = "in a cluster a read asks for one key: others are on other servers";
            return Err(OptionRefused::new("cluster", message));
        }
        let index = match settings.scan_index {
            Some(ScanIndex::None) if shape.scans => {
                let message = "none leaves the workload's scans nothing to go by";
                return Err(OptionRefused::new("scan_index", message));
            }
            Some(index) => index,
            None if shape.scans => ScanIndex::Ycsb,
            None => ScanIndex::None,
        };
        let blob = shape.constant_blob_length();
        let blob_header = length(blob);
        Ok(Self {
            settings,
            index,
            names: shape.field_names().iter().map(|name| of(name.as_bytes())).collect(),
            index_key: of(
                format!("{}{INDEX}", shape.key_prefix.as_deref().unwrap_or("")).as_bytes()
            ),
            reads_by_name: shape.reads_by_name,
            keys_per_read: shape.keys_per_read,
            may_be_partial: shape.may_be_partial,
            expiry: shape.expiry,
            value_header: length(match shape.lengths() {
                weighhouse_driver_api::Lengths::Constant(length) => Some(*length),
                _ => None,
            }),
            blob_start: start_of(&blob_header),
            blob_reply: blob_header.len() + blob.unwrap_or(0) + 2,
            blob_header,
        })
    }

    fn layout(&self) -> &'static str {
        match (self.settings.layout, self.index) {
            (Layout::Hash, ScanIndex::None) => "hash",
            (Layout::Hash, ScanIndex::Ycsb) => "hash+ycsb_index",
            (Layout::Hash, ScanIndex::Lex) => "hash+lex_index",
            (Layout::String, ScanIndex::None) => "string",
            (Layout::String, ScanIndex::Ycsb) => "string+ycsb_index",
            (Layout::String, ScanIndex::Lex) => "string+lex_index",
        }
    }

    fn greet(&self, out: &mut Vec<u8>) -> usize {
        let Settings { username, password, resp3, database, .. } = &self.settings;
        let mut commands = 1;
        let user = username.as_deref();
        match password {
            _ if *resp3 => {
                header(b'*', if password.is_some() { 5 } else { 2 }, out);
                out.extend_from_slice(b"$5\r\nHELLO\r\n$1\r\n3\r\n");
                if let Some(secret) = password {
                    out.extend_from_slice(b"$4\r\nAUTH\r\n");
                    bulk(user.unwrap_or("default").as_bytes(), out);
                    bulk(secret.shown().as_bytes(), out);
                }
                commands += 1;
            }
            Some(secret) => {
                header(b'*', if user.is_some() { 3 } else { 2 }, out);
                out.extend_from_slice(b"$4\r\nAUTH\r\n");
                if let Some(user) = user {
                    bulk(user.as_bytes(), out);
                }
                bulk(secret.shown().as_bytes(), out);
                commands += 1;
            }
            None => {}
        }
        out.extend_from_slice(b"*1\r\n$4\r\nPING\r\n");
        if *database != 0 {
            out.extend_from_slice(b"*2\r\n$6\r\nSELECT\r\n");
            bulk(database.to_string().as_bytes(), out);
            commands += 1;
        }
        commands
    }

    fn refused(&self, said: &[u8]) -> Refusal {
        let word = said.split(u8::is_ascii_whitespace).next().unwrap_or_default();
        let knows_password = self.settings.password.is_some();
        // A server that does not know a command repeats its arguments: the password among them.
        let mut refusal = Refusal::of::<Self>(if knows_password { word } else { said });
        let hint = match word {
            b"-NOAUTH" => "the server wants a password: set password_file, and username if need be",
            b"-WRONGPASS" => "are username and password_file those of the server?",
            b"-NOPERM" => {
                "the user must be allowed PING, SELECT, of a cluster CLUSTER SLOTS, and the \
                 workload's commands"
            }
            b"-MISCONF" => {
                "it takes no writes until it can save: look at its log, and at its directory"
            }
            b"-LOADING" => "it still reads its data set: begin once it is there",
            b"-MASTERDOWN" => "the replica has lost its primary: name another server",
            b"-DENIED" => "it takes connections of its own machine alone (protected-mode)",
            b"-NOPROTO" => "the server does not speak RESP3: leave resp3 out",
            b"-ERR" if self.settings.resp3 => "does the server know HELLO? Else leave resp3 out",
            b"-ERR" if knows_password => "does the server want a password, or user names at all?",
            _ => return refusal,
        };
        hint.clone_into(&mut refusal.hint);
        refusal
    }

    /// The first line that is an error, of a reply that may be several.
    fn words<'a>(&self, reply: &'a [u8]) -> &'a [u8] {
        let at = if reply.starts_with(b"-") {
            1
        } else {
            memmem::find(reply, b"\r\n-").map_or(0, |before| before + 3)
        };
        reply[at..].split(|&byte| byte == b'\r').next().unwrap_or_default()
    }

    fn parse_greeting(&self, input: &[u8], scan: &mut Scan) -> Result<Parsed, Malformed> {
        let Some(reply) = scan.reply.advance(input)? else { return Ok(Parsed::Incomplete) };
        // HELLO is answered with a map.
        let asked = if reply.is_filled() { Operation::Read } else { Operation::Update };
        let outcome = reply.outcome(input, asked)?;
        *scan = Scan::default();
        Ok(Parsed::Complete { consumed: reply.end, outcome })
    }

    #[inline(always)]
    #[allow(clippy::inline_always)] // counted by make bench-engine
    fn encode(&self, request: &Request<'_>, out: &mut Vec<u8>) {
        match self.settings.layout {
            Layout::String if request.operation == Operation::Read => {
                Self::encode_get(request, out);
            }
            // A copy, made here only: a reference would keep the request in memory elsewhere too.
            _ => self.encode_other(*request, out),
        }
    }

    #[inline(always)]
    #[allow(clippy::inline_always)] // counted by make bench-engine
    fn parse(
        &self,
        expected: Expected,
        input: &[u8],
        scan: &mut Scan,
    ) -> Result<Parsed, Malformed> {
        // Nearly every reply, when it comes at once, is a whole value of the length that all have.
        let end = self.blob_reply;
        if expected.operation == Operation::Read
            && scan.is_fresh()
            && let Some(head) = input.first_chunk()
            && u64::from_le_bytes(*head) & self.blob_start.1 == self.blob_start.0
            && input.get(end - 2..end) == Some(b"\r\n")
        {
            return Ok(Parsed::Complete { consumed: end, outcome: Outcome::Ok });
        }
        self.parse_other(expected, input, scan)
    }

    fn follow(&self, expected: Expected, reply: &[u8], out: &mut Vec<u8>) -> u16 {
        let Some(keys) = reply::bulks(reply) else { return 1 };
        let keys = keys.take(MOST_SCANNED);
        match self.settings.layout {
            Layout::Hash => keys.fold(0, |count, key| {
                self.hash_read(key, expected.fields, out);
                count + 1
            }),
            Layout::String => {
                let keys: Vec<_> = keys.collect();
                encode::mget(keys.iter().copied(), keys.len(), out);
                u16::try_from(keys.len()).unwrap_or(u16::MAX)
            }
        }
    }

    fn spread(&self) -> Option<&dyn Spread> {
        self.settings.cluster.then_some(self)
    }

    fn verify(&self, expected: Expected, reply: &[u8], verifier: &Verifier<'_>) -> bool {
        let Some(mut values) = reply::bulks(reply) else { return false };
        match (self.settings.layout, expected.fields) {
            (Layout::String, _) => values.next().is_some_and(|value| verifier.blob(value)),
            (Layout::Hash, Fields::One(index)) => {
                values.next().is_some_and(|value| verifier.field(index, value))
            }
            (Layout::Hash, Fields::All) if self.reads_by_name => {
                let values = reply::optional_bulks(reply);
                values.len() == self.names.len()
                    && (0..).zip(values).all(|(index, value)| {
                        value.map_or(self.may_be_partial, |value| verifier.field(index, value))
                    })
            }
            (Layout::Hash, Fields::All) => {
                let mut found = 0;
                while let (Some(name), Some(value)) = (values.next(), values.next()) {
                    let known = self.names.iter().position(|known| {
                        known.strip_suffix(b"\r\n").is_some_and(|known| {
                            known.strip_suffix(name).is_some_and(|head| head.ends_with(b"\r\n"))
                        })
                    });
                    let Some(index) = known.and_then(|index| u16::try_from(index).ok()) else {
                        return false;
                    };
                    if !verifier.field(index, value) {
                        return false;
                    }
                    found += 1;
                }
                found == self.names.len() || self.may_be_partial
            }
        }
    }
}

impl Resp {
    #[inline(never)]
    fn parse_other(
        &self,
        expected: Expected,
        input: &[u8],
        scan: &mut Scan,
    ) -> Result<Parsed, Malformed> {
        let all = self.replies(expected);
        while scan.replies < all {
            let rest = input.get(scan.base..).unwrap_or_default();
            let Some(reply) = scan.reply.advance(rest)? else { return Ok(Parsed::Incomplete) };
            let outcome = self.outcome_of(&reply, rest, expected, scan.replies)?;
            scan.redirected |= self.settings.cluster && reply.redirects(rest);
            scan.add(&reply, outcome);
            if expected.operation == Operation::Scan && expected.part == 0 {
                let consumed = scan.base;
                *scan = Scan::default();
                let keys = || reply::bulks(rest).is_some_and(|mut keys| keys.next().is_some());
                return Ok(match outcome {
                    Outcome::Ok if reply.is_filled() && !keys() => {
                        return Err(Malformed("an index of no keys"));
                    }
                    Outcome::Ok if reply.is_filled() => Parsed::Continue { consumed },
                    outcome => Parsed::Complete { consumed, outcome },
                });
            }
        }
        let Scan { base: consumed, outcome, redirected, .. } = std::mem::take(scan);
        if redirected {
            return Ok(Parsed::Elsewhere { consumed });
        }
        let outcome = match outcome {
            // A record that was deleted between the look at the index and the read of it.
            Some(Outcome::NotFound) if expected.operation == Operation::Scan => Outcome::Ok,
            outcome => outcome.unwrap_or(Outcome::Ok),
        };
        Ok(Parsed::Complete { consumed, outcome })
    }
}

/// What an error reply means, by its first word and, where that is the general one, by the phrase
/// that Redis and its relatives have for it.
fn error_outcome(message: &[u8]) -> Outcome {
    let word = message.split(|&byte| byte == b' ').next().unwrap_or_default();
    Outcome::Error(match word {
        b"BUSY" | b"TRYAGAIN" => ErrorKind::ServerBusy,
        b"LOADING" | b"MASTERDOWN" | b"CLUSTERDOWN" | b"NOREPLICAS" => ErrorKind::Unavailable,
        b"READONLY" | b"NOPERM" | b"NOAUTH" | b"WRONGPASS" | b"MISCONF" | b"DENIED" => {
            ErrorKind::Refused
        }
        b"OOM" => ErrorKind::Full,
        b"ERR" => of_phrase(&message.to_ascii_lowercase()),
        _ => ErrorKind::Other,
    })
}

fn of_phrase(message: &[u8]) -> ErrorKind {
    let says = |phrase: &str| memmem::find(message, phrase.as_bytes()).is_some();
    if says("out of memory") {
        ErrorKind::Full
    } else if says("exceeds maximum allowed size") || says("invalid bulk length") {
        ErrorKind::TooLarge
    } else if says("max number of clients") || says("operation not permitted") {
        ErrorKind::Refused
    } else {
        ErrorKind::Other
    }
}

#[cfg(test)]
mod tests;
