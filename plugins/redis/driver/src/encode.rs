//! Requests: which commands an operation becomes.

use weighhouse_driver_api::{Fields, Operation, Request};

use crate::Resp;
use crate::options::{Layout, ScanIndex};

/// The sorted set of all keys, by the name that YCSB's redis binding gives it; behind the prefix of
/// the keys, where they have one of their own.
pub(crate) const INDEX: &str = "_indices";

pub(crate) fn header(sign: u8, count: usize, out: &mut Vec<u8>) {
    out.push(sign);
    out.extend_from_slice(itoa::Buffer::new().format(count).as_bytes());
    out.extend_from_slice(b"\r\n");
}

pub(crate) fn bulk(bytes: &[u8], out: &mut Vec<u8>) {
    header(b'$', bytes.len(), out);
    out.extend_from_slice(bytes);
    out.extend_from_slice(b"\r\n");
}

/// The digits of the lengths that most keys have, from 16 on.
const LENGTHS: [[u8; 2]; 17] = {
    let mut lengths = [[b'0'; 2]; 17];
    let mut length = 16;
    while length <= 32 {
        lengths[length as usize - 16] = [b'0' + length / 10, b'0' + length % 10];
        length += 1;
    }
    lengths
};

/// A command with one argument, a key. `head` ends with the key's header, to be filled in.
#[inline]
fn command<const LENGTH: usize>(head: &[u8; LENGTH], key: &[u8], out: &mut Vec<u8>) {
    // Nearly every key's length is between these. Copies of a length that is known beforehand cost
    // less than calls that copy just what there is: the key's two ends overlap, and what is appended
    // beyond the command is cut off again.
    if let (16..=32, Some(first), Some(last)) =
        (key.len(), key.first_chunk::<16>(), key.last_chunk::<16>())
    {
        let mut whole = [0; 64];
        let end = LENGTH + key.len();
        whole[..LENGTH].copy_from_slice(head);
        whole[LENGTH - 4..LENGTH - 2].copy_from_slice(&LENGTHS[key.len() - 16]);
        whole[LENGTH..LENGTH + 16].copy_from_slice(first);
        whole[end - 16..end].copy_from_slice(last);
        whole[end..end + 2].copy_from_slice(b"\r\n");
        let length = out.len() + end + 2;
        out.extend_from_slice(&whole);
        out.truncate(length);
    } else {
        out.extend_from_slice(&head[..LENGTH - 5]);
        bulk(key, out);
    }
}

/// A read of several strings.
pub(crate) fn mget<'a>(keys: impl Iterator<Item = &'a [u8]>, count: usize, out: &mut Vec<u8>) {
    header(b'*', 1 + count, out);
    out.extend_from_slice(b"$4\r\nMGET\r\n");
    keys.for_each(|key| bulk(key, out));
}

/// Java's `String.hashCode` of characters that are one octet each.
pub(crate) fn java_hash(key: &[u8]) -> i32 {
    key.iter().fold(0_i32, |hash, &byte| hash.wrapping_mul(31).wrapping_add(i32::from(byte)))
}

impl Resp {
    fn value(&self, index: u16, request: &Request<'_>, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.names[usize::from(index)]);
        if self.value_header.is_empty() {
            header(b'$', request.payload.field_length(index), out);
        } else {
            out.extend_from_slice(&self.value_header);
        }
        request.payload.field(index, out);
        out.extend_from_slice(b"\r\n");
    }

    /// A read of a hash.
    pub(crate) fn hash_read(&self, key: &[u8], fields: Fields, out: &mut Vec<u8>) {
        match fields {
            Fields::All if self.reads_by_name => {
                header(b'*', 2 + self.names.len(), out);
                out.extend_from_slice(b"$5\r\nHMGET\r\n");
                bulk(key, out);
                self.names.iter().for_each(|name| out.extend_from_slice(name));
            }
            Fields::All => command(b"*2\r\n$7\r\nHGETALL\r\n$00\r\n", key, out),
            Fields::One(index) => {
                out.extend_from_slice(b"*3\r\n$5\r\nHMGET\r\n");
                bulk(key, out);
                out.extend_from_slice(&self.names[usize::from(index)]);
            }
        }
    }

    fn hash_write(&self, request: &Request<'_>, out: &mut Vec<u8>) {
        match request.fields {
            Fields::All => {
                header(b'*', 2 + 2 * self.names.len(), out);
                out.extend_from_slice(b"$4\r\nHSET\r\n");
                bulk(request.key, out);
                for index in (0..).take(self.names.len()) {
                    self.value(index, request, out);
                }
            }
            Fields::One(index) => {
                out.extend_from_slice(b"*4\r\n$4\r\nHSET\r\n");
                bulk(request.key, out);
                self.value(index, request, out);
            }
        }
        if self.expiry.is_never() {
            return;
        }
        // A hash keeps the time that it was given before.
        if let Some(seconds) = request.ttl_seconds() {
            out.extend_from_slice(b"*3\r\n$6\r\nEXPIRE\r\n");
            bulk(request.key, out);
            bulk(itoa::Buffer::new().format(seconds).as_bytes(), out);
        } else {
            out.extend_from_slice(b"*2\r\n$7\r\nPERSIST\r\n");
            bulk(request.key, out);
        }
    }

    fn string_write(&self, request: &Request<'_>, out: &mut Vec<u8>) {
        let ttl = request.ttl_seconds();
        let head: &[u8] =
            if ttl.is_some() { b"*5\r\n$3\r\nSET\r\n" } else { b"*3\r\n$3\r\nSET\r\n" };
        out.extend_from_slice(head);
        bulk(request.key, out);
        if self.blob_header.is_empty() {
            header(b'$', request.payload.blob_length(), out);
        } else {
            out.extend_from_slice(&self.blob_header);
        }
        request.payload.blob(out);
        out.extend_from_slice(b"\r\n");
        if let Some(seconds) = ttl {
            out.extend_from_slice(b"$2\r\nEX\r\n");
            bulk(itoa::Buffer::new().format(seconds).as_bytes(), out);
        }
    }

    #[inline(always)]
    #[allow(clippy::inline_always)] // counted by make bench-engine
    pub(crate) fn encode_get(request: &Request<'_>, out: &mut Vec<u8>) {
        if request.more_keys.is_empty() {
            command(b"*2\r\n$3\r\nGET\r\n$00\r\n", request.key, out);
        } else {
            let keys = std::iter::once(request.key).chain(request.more_keys.iter());
            mget(keys, 1 + request.more_keys.len(), out);
        }
    }

    /// All but the read of a string.
    #[inline(never)]
    pub(crate) fn encode_other(&self, request: Request<'_>, out: &mut Vec<u8>) {
        let request = &request;
        match request.operation {
            Operation::Read | Operation::ReadModifyWrite => {
                for key in std::iter::once(request.key).chain(request.more_keys.iter()) {
                    self.hash_read(key, request.fields, out);
                }
            }
            Operation::Update | Operation::Insert => {
                match self.settings.layout {
                    Layout::Hash => self.hash_write(request, out),
                    Layout::String => self.string_write(request, out),
                }
                if request.operation == Operation::Insert {
                    self.index_add(request.key, out);
                }
            }
            Operation::Scan => self.index_range(request, out),
            Operation::Delete => {
                command(b"*2\r\n$3\r\nDEL\r\n$00\r\n", request.key, out);
                if self.index != ScanIndex::None {
                    out.extend_from_slice(b"*3\r\n$4\r\nZREM\r\n");
                    out.extend_from_slice(&self.index_key);
                    bulk(request.key, out);
                }
            }
        }
    }

    fn index_add(&self, key: &[u8], out: &mut Vec<u8>) {
        let score = match self.index {
            ScanIndex::None => return,
            ScanIndex::Ycsb => java_hash(key),
            ScanIndex::Lex => 0,
        };
        out.extend_from_slice(b"*4\r\n$4\r\nZADD\r\n");
        out.extend_from_slice(&self.index_key);
        bulk(itoa::Buffer::new().format(score).as_bytes(), out);
        bulk(key, out);
    }

    fn index_range(&self, request: &Request<'_>, out: &mut Vec<u8>) {
        if self.index == ScanIndex::Lex {
            out.extend_from_slice(b"*7\r\n$11\r\nZRANGEBYLEX\r\n");
            out.extend_from_slice(&self.index_key);
            header(b'$', 1 + request.key.len(), out);
            out.push(b'[');
            out.extend_from_slice(request.key);
            out.extend_from_slice(b"\r\n$1\r\n+\r\n");
        } else {
            out.extend_from_slice(b"*7\r\n$13\r\nZRANGEBYSCORE\r\n");
            out.extend_from_slice(&self.index_key);
            bulk(itoa::Buffer::new().format(java_hash(request.key)).as_bytes(), out);
            out.extend_from_slice(b"$4\r\n+inf\r\n");
        }
        out.extend_from_slice(b"$5\r\nLIMIT\r\n$1\r\n0\r\n");
        bulk(itoa::Buffer::new().format(request.scan_length).as_bytes(), out);
    }
}
