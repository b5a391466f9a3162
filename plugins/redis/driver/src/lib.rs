//! Records in a system that speaks RESP: a hash each, as YCSB's redis binding stores them, or one
//! string each.
//!
//! YCSB's binding also adds every inserted key to a sorted set `_indices`, which only its scans
//! read; as no scans are made here, that second command of every insert is left out.

mod options;
mod reply;

use weighhouse_driver_api::{
    Codec, Expected, Fields, Identity, Malformed, Operation, OptionRefused, Options, Outcome,
    Parsed, RecordShape, Request, Verifier,
};

use options::{Layout, Settings};
pub use reply::Scan;

/// The RESP codec. Understands replies of RESP2 and RESP3.
#[derive(Debug, Clone)]
pub struct Resp {
    settings: Settings,
    field_length: usize,
    blob_length: usize,
    /// Each field's name as a bulk string.
    names: Vec<Vec<u8>>,
    /// What a bulk string of a field's value begins with.
    value_header: Vec<u8>,
    blob_header: Vec<u8>,
    /// The header as a word, first octet lowest, and the mask of its octets; nothing equals it when
    /// the header is longer than a word.
    blob_start: (u64, u64),
}

/// [`Resp::blob_start`] of a header.
fn start_of(header: &[u8]) -> (u64, u64) {
    let mut word = [0; 8];
    match word.get_mut(..header.len()) {
        Some(place) => place.copy_from_slice(header),
        None => return (1, 0),
    }
    let mask = u64::MAX >> (64 - 8 * header.len());
    (u64::from_le_bytes(word), mask)
}

fn header(sign: u8, count: usize, out: &mut Vec<u8>) {
    out.push(sign);
    out.extend_from_slice(itoa::Buffer::new().format(count).as_bytes());
    out.extend_from_slice(b"\r\n");
}

fn bulk(bytes: &[u8], out: &mut Vec<u8>) {
    header(b'$', bytes.len(), out);
    out.extend_from_slice(bytes);
    out.extend_from_slice(b"\r\n");
}

const DIGITS: [u8; 10] = *b"0123456789";

/// A command with one argument, a key. `head` ends with the key's header, to be filled in.
#[inline]
fn command<const LENGTH: usize>(head: &[u8; LENGTH], key: &[u8], out: &mut Vec<u8>) {
    // Nearly every key's length is between these, and one copy into `out` costs less than three.
    if (10..30).contains(&key.len()) {
        let mut whole = [0; 64];
        let end = LENGTH + key.len();
        whole[..LENGTH].copy_from_slice(head);
        let (tens, ones) = (key.len() / 10, key.len() % 10);
        whole[LENGTH - 4..LENGTH - 2].copy_from_slice(&[DIGITS[tens], DIGITS[ones]]);
        whole[LENGTH..end].copy_from_slice(key);
        whole[end..end + 2].copy_from_slice(b"\r\n");
        out.extend_from_slice(&whole[..end + 2]);
    } else {
        out.extend_from_slice(&head[..LENGTH - 5]);
        bulk(key, out);
    }
}

impl Resp {
    fn value(&self, index: u32, request: &Request<'_>, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.names[index as usize]);
        out.extend_from_slice(&self.value_header);
        request.payload.field(index, self.field_length, out);
        out.extend_from_slice(b"\r\n");
    }

    fn encode_hash(&self, request: &Request<'_>, out: &mut Vec<u8>) {
        match (request.operation, request.fields) {
            (Operation::Read, Fields::All) => {
                command(b"*2\r\n$7\r\nHGETALL\r\n$00\r\n", request.key, out);
            }
            (Operation::Read, Fields::One(index)) => {
                out.extend_from_slice(b"*3\r\n$5\r\nHMGET\r\n");
                bulk(request.key, out);
                out.extend_from_slice(&self.names[index as usize]);
            }
            (_, Fields::All) => {
                header(b'*', 2 + 2 * self.names.len(), out);
                out.extend_from_slice(b"$4\r\nHSET\r\n");
                bulk(request.key, out);
                for index in (0..).take(self.names.len()) {
                    self.value(index, request, out);
                }
            }
            (_, Fields::One(index)) => {
                out.extend_from_slice(b"*4\r\n$4\r\nHSET\r\n");
                bulk(request.key, out);
                self.value(index, request, out);
            }
        }
    }

    #[inline(always)]
    #[allow(clippy::inline_always)] // counted by make bench-engine
    fn encode_string(&self, request: &Request<'_>, out: &mut Vec<u8>) {
        if request.operation == Operation::Read {
            command(b"*2\r\n$3\r\nGET\r\n$00\r\n", request.key, out);
        } else {
            out.extend_from_slice(b"*3\r\n$3\r\nSET\r\n");
            bulk(request.key, out);
            out.extend_from_slice(&self.blob_header);
            request.payload.blob(self.blob_length, out);
            out.extend_from_slice(b"\r\n");
        }
    }
}

impl Codec for Resp {
    type Scan = Scan;

    const IDENTITY: Identity = Identity {
        name: "resp",
        version: env!("CARGO_PKG_VERSION"),
        endpoint_kinds: &["tcp", "unix"],
        options_schema: options::SCHEMA,
    };

    fn new(shape: &RecordShape, options: &Options) -> Result<Self, OptionRefused> {
        let name = |name: &String| {
            let mut out = Vec::new();
            bulk(name.as_bytes(), &mut out);
            out
        };
        let length = |length| {
            let mut out = Vec::new();
            header(b'$', length, &mut out);
            out
        };
        Ok(Self {
            settings: Settings::read(options)?,
            field_length: shape.field_length(),
            blob_length: shape.blob_length(),
            names: shape.field_names().iter().map(name).collect(),
            value_header: length(shape.field_length()),
            blob_start: start_of(&length(shape.blob_length())),
            blob_header: length(shape.blob_length()),
        })
    }

    fn layout(&self) -> &'static str {
        self.settings.layout.name()
    }

    fn greet(&self, out: &mut Vec<u8>) -> usize {
        out.extend_from_slice(b"*1\r\n$4\r\nPING\r\n");
        if self.settings.database == 0 {
            return 1;
        }
        out.extend_from_slice(b"*2\r\n$6\r\nSELECT\r\n");
        bulk(self.settings.database.to_string().as_bytes(), out);
        2
    }

    #[inline(always)]
    #[allow(clippy::inline_always)] // counted by make bench-engine
    fn encode(&self, request: &Request<'_>, out: &mut Vec<u8>) {
        match self.settings.layout {
            Layout::Hash => self.encode_hash(request, out),
            Layout::String => self.encode_string(request, out),
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
        let end = self.blob_header.len() + self.blob_length + 2;
        if expected.operation == Operation::Read
            && scan.is_fresh()
            && let Some(head) = input.first_chunk()
            && u64::from_le_bytes(*head) & self.blob_start.1 == self.blob_start.0
            && input.get(end - 2..end) == Some(b"\r\n")
        {
            return Ok(Parsed::Complete { consumed: end, outcome: Outcome::Ok });
        }
        let Some(reply) = scan.advance(input)? else { return Ok(Parsed::Incomplete) };
        let outcome = reply.outcome(input, expected.operation)?;
        Ok(Parsed::Complete { consumed: reply.end, outcome })
    }

    fn verify(&self, expected: Expected, reply: &[u8], verifier: &Verifier<'_>) -> bool {
        let Some(mut values) = reply::bulks(reply) else { return false };
        match (self.settings.layout, expected.fields) {
            (Layout::String, _) => {
                values.next().is_some_and(|value| verifier.blob(self.blob_length, value))
            }
            (Layout::Hash, Fields::One(index)) => {
                values.next().is_some_and(|value| verifier.field(index, self.field_length, value))
            }
            (Layout::Hash, Fields::All) => {
                let mut found = 0;
                while let (Some(name), Some(value)) = (values.next(), values.next()) {
                    let known = self.names.iter().position(|known| {
                        known.strip_suffix(b"\r\n").is_some_and(|known| {
                            known.strip_suffix(name).is_some_and(|head| head.ends_with(b"\r\n"))
                        })
                    });
                    let Some(index) = known.and_then(|index| u32::try_from(index).ok()) else {
                        return false;
                    };
                    if !verifier.field(index, self.field_length, value) {
                        return false;
                    }
                    found += 1;
                }
                found == self.names.len()
            }
        }
    }
}

/// What an error reply means, by its first word.
fn error_outcome(message: &[u8]) -> Outcome {
    use weighhouse_driver_api::ErrorKind;
    const BUSY: [&[u8]; 6] =
        [b"BUSY", b"LOADING", b"OOM", b"TRYAGAIN", b"MASTERDOWN", b"CLUSTERDOWN"];
    let word = message.split(|&byte| byte == b' ').next().unwrap_or_default();
    Outcome::Error(if BUSY.contains(&word) { ErrorKind::ServerBusy } else { ErrorKind::Other })
}

#[cfg(test)]
mod tests;
