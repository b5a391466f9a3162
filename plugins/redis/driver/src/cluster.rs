//! Redis Cluster: which slot a key is in, who has which slot, and what a redirection says.
//!
//! Source: the Redis Cluster specification, <https://redis.io/docs/latest/operate/oss_and_stack/reference/cluster-spec/>.

use crc::{CRC_16_XMODEM, Crc};
use weighhouse_driver_api::{Elsewhere, Spread, Stretch};

use crate::Resp;
use crate::reply::{Value, redirects, tree};

/// Slots of a cluster.
const SLOTS: u16 = 16_384;

static CRC: Crc<u16> = Crc::<u16>::new(&CRC_16_XMODEM);

/// The slot of a key: CRC16 of what stands between its first `{` and the next `}`, where that is
/// anything, or else of all of it.
fn slot(key: &[u8]) -> u16 {
    let tag = memchr::memchr(b'{', key).and_then(|open| {
        let rest = &key[open + 1..];
        memchr::memchr(b'}', rest).filter(|&length| length > 0).map(|length| &rest[..length])
    });
    CRC.checksum(tag.unwrap_or(key)) % SLOTS
}

impl Spread for Resp {
    fn places(&self) -> u16 {
        SLOTS
    }

    fn place(&self, key: &[u8]) -> u16 {
        slot(key)
    }

    fn encode_question(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(b"*2\r\n$7\r\nCLUSTER\r\n$5\r\nSLOTS\r\n");
    }

    /// The reply: for each range of slots its first and last, its master, and then its replicas; of
    /// each server address, port, and more.
    fn read_map(&self, reply: &[u8]) -> Result<Vec<Stretch>, String> {
        let wrong = || "not an answer to CLUSTER SLOTS".to_owned();
        let Some(Value::List(ranges)) = tree(reply) else { return Err(wrong()) };
        let mut stretches = Vec::new();
        for range in &ranges {
            let Value::List(range) = range else { return Err(wrong()) };
            let [Value::Number(first), Value::Number(last), Value::List(master), ..] =
                range.as_slice()
            else {
                return Err(wrong());
            };
            let (host, port) = match master.as_slice() {
                [Value::Text(host), Value::Number(port), ..] => {
                    (std::str::from_utf8(host).map_err(|_| wrong())?, port)
                }
                // No address: the one that was asked by.
                [Value::Null, Value::Number(port), ..] => ("", port),
                _ => return Err(wrong()),
            };
            let slot = |number: i64| u16::try_from(number).ok().filter(|&slot| slot < SLOTS);
            let (Some(first), Some(last)) = (slot(*first), slot(*last)) else {
                return Err(wrong());
            };
            stretches.push(Stretch { first, last, server: format!("{host}:{port}") });
        }
        if stretches.is_empty() { Err("no server has any slot".to_owned()) } else { Ok(stretches) }
    }

    /// `-MOVED 3999 127.0.0.1:6381`, or `-ASK …`, be it after the replies to earlier commands of
    /// the operation.
    fn read_elsewhere(&self, reply: &[u8]) -> Option<Elsewhere> {
        let lines = reply.split(|&byte| byte == b'\n');
        let line = lines.into_iter().find_map(|line| {
            let line = line.strip_suffix(b"\r")?.strip_prefix(b"-")?;
            redirects(line).then_some(line)
        })?;
        let line = std::str::from_utf8(line).ok()?;
        let mut words = line.split(' ');
        let once = words.next() == Some("ASK");
        let server = words.nth(1)?.to_owned();
        Some(Elsewhere { server, once })
    }

    fn encode_once(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(b"*1\r\n$6\r\nASKING\r\n");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use weighhouse_driver_api::{Codec, RecordShape};

    fn codec() -> Resp {
        let options = json!({"cluster": true});
        Resp::new(&RecordShape::new(2, 4, "field"), options.as_object().unwrap()).unwrap()
    }

    #[test]
    fn slots_are_those_of_the_specification() {
        assert_eq!(CRC.checksum(b"123456789"), 0x31c3);
        // As CLUSTER KEYSLOT of Redis 7.0.15 answers.
        for (key, expected) in [
            ("foo", 12182),
            ("foo{bar}", 5061),
            ("bar", 5061),
            ("{}foo", 9500),
            ("foo{}", 5542),
            ("user6284781860667377211", 10488),
        ] {
            assert_eq!(slot(key.as_bytes()), expected, "{key}");
        }
    }

    #[test]
    fn maps_are_read() {
        let node = "*3\r\n$9\r\n127.0.0.1\r\n:7000\r\n$2\r\nid\r\n";
        let unknown = "*3\r\n$-1\r\n:7001\r\n$2\r\nid\r\n";
        let reply =
            format!("*2\r\n*4\r\n:0\r\n:99\r\n{node}{unknown}*3\r\n:100\r\n:16383\r\n{unknown}");
        let stretch =
            |first, last, server: &str| Stretch { first, last, server: server.to_owned() };
        assert_eq!(
            codec().read_map(reply.as_bytes()),
            Ok(vec![stretch(0, 99, "127.0.0.1:7000"), stretch(100, 16383, ":7001")])
        );
        for wrong in ["*0\r\n", "+OK\r\n", "*1\r\n*1\r\n:1\r\n", "*1\r\n:1\r\n"] {
            assert!(codec().read_map(wrong.as_bytes()).is_err(), "{wrong:?}");
        }
        let beyond = format!("*1\r\n*3\r\n:0\r\n:16384\r\n{node}");
        assert!(codec().read_map(beyond.as_bytes()).is_err());
    }

    #[test]
    fn redirections_are_read() {
        let moved = codec().read_elsewhere(b"-MOVED 3999 127.0.0.1:6381\r\n").unwrap();
        assert_eq!((moved.server.as_str(), moved.once), ("127.0.0.1:6381", false));
        let asked = codec().read_elsewhere(b":1\r\n-ASK 3999 :6381\r\n").unwrap();
        assert_eq!((asked.server.as_str(), asked.once), (":6381", true));
        assert_eq!(codec().read_elsewhere(b"-MOVED 3999\r\n"), None);
    }
}
