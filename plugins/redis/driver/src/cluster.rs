//! Redis Cluster: which slot a key is in, who has which slot, and what a redirection says. And a
//! primary with replicas, where they are told apart: one place, which the primary has.
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

/// A server in a reply to CLUSTER SLOTS; without a host where that is the one that was asked by.
fn of_slots(server: &Value) -> Option<String> {
    let Value::List(server) = server else { return None };
    match server.as_slice() {
        [Value::Text(host), Value::Number(port), ..] => {
            Some(format!("{}:{port}", std::str::from_utf8(host).ok()?))
        }
        [Value::Null, Value::Number(port), ..] => Some(format!(":{port}")),
        _ => None,
    }
}

/// The reply to ROLE: a primary's word for itself, and last its replicas, of each address, port and
/// more.
fn read_role(reply: &[u8]) -> Result<Vec<Stretch>, String> {
    let Some(Value::List(role)) = tree(reply) else {
        return Err("not an answer to ROLE".to_owned());
    };
    let [Value::Text(b"master"), .., Value::List(told)] = role.as_slice() else {
        return Err("it is no primary".to_owned());
    };
    let text = |value: &Value| match value {
        Value::Text(text) => std::str::from_utf8(text).ok().map(str::to_owned),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    };
    let place = |replica: &Value| match replica {
        Value::List(replica) => {
            Some(format!("{}:{}", text(replica.first()?)?, text(replica.get(1)?)?))
        }
        _ => None,
    };
    let replicas = told.iter().map(place).collect::<Option<Vec<_>>>();
    let replicas = replicas.ok_or_else(|| "not an answer to ROLE".to_owned())?;
    Ok(vec![Stretch { first: 0, last: 0, server: String::new(), replicas }])
}

impl Spread for Resp {
    fn places(&self) -> u16 {
        if self.settings.cluster { SLOTS } else { 1 }
    }

    fn reads_copies(&self) -> bool {
        self.settings.from_replicas
    }

    fn place(&self, key: &[u8]) -> u16 {
        if self.settings.cluster { slot(key) } else { 0 }
    }

    fn encode_question(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(if self.settings.cluster {
            b"*2\r\n$7\r\nCLUSTER\r\n$5\r\nSLOTS\r\n"
        } else {
            b"*1\r\n$4\r\nROLE\r\n"
        });
    }

    /// The reply: for each range of slots its first and last, its master, and then its replicas; of
    /// each server address, port, and more.
    fn read_map(&self, reply: &[u8]) -> Result<Vec<Stretch>, String> {
        if !self.settings.cluster {
            return read_role(reply);
        }
        let wrong = || "not an answer to CLUSTER SLOTS".to_owned();
        let Some(Value::List(ranges)) = tree(reply) else { return Err(wrong()) };
        let mut stretches = Vec::new();
        for range in &ranges {
            let Value::List(range) = range else { return Err(wrong()) };
            let [Value::Number(first), Value::Number(last), master, replicas @ ..] =
                range.as_slice()
            else {
                return Err(wrong());
            };
            let slot = |number: i64| u16::try_from(number).ok().filter(|&slot| slot < SLOTS);
            let (Some(first), Some(last)) = (slot(*first), slot(*last)) else {
                return Err(wrong());
            };
            let server = of_slots(master).ok_or_else(wrong)?;
            let replicas = replicas.iter().map(of_slots).collect::<Option<_>>();
            stretches.push(Stretch { first, last, server, replicas: replicas.ok_or_else(wrong)? });
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
        told(&json!({"cluster": true}))
    }

    fn told(options: &serde_json::Value) -> Resp {
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
        let stretch = |first, last, server: &str, replicas: &[&str]| Stretch {
            first,
            last,
            server: server.to_owned(),
            replicas: replicas.iter().map(|&each| each.to_owned()).collect(),
        };
        assert_eq!(
            codec().read_map(reply.as_bytes()),
            Ok(vec![
                stretch(0, 99, "127.0.0.1:7000", &[":7001"]),
                stretch(100, 16383, ":7001", &[])
            ])
        );
        for wrong in ["*0\r\n", "+OK\r\n", "*1\r\n*1\r\n:1\r\n", "*1\r\n:1\r\n"] {
            assert!(codec().read_map(wrong.as_bytes()).is_err(), "{wrong:?}");
        }
        let beyond = format!("*1\r\n*3\r\n:0\r\n:16384\r\n{node}");
        assert!(codec().read_map(beyond.as_bytes()).is_err());
    }

    #[test]
    fn a_primary_tells_its_replicas_and_a_replica_that_it_is_none() {
        let codec = told(&json!({"read_from": "replicas"}));
        assert_eq!((codec.places(), codec.place(b"foo"), codec.reads_copies()), (1, 0, true));
        let replica = "*3\r\n$9\r\n192.0.2.7\r\n$4\r\n7001\r\n$1\r\n0\r\n";
        let role = format!("*3\r\n$6\r\nmaster\r\n:0\r\n*1\r\n{replica}");
        let replicas = vec!["192.0.2.7:7001".to_owned()];
        let map = vec![Stretch { first: 0, last: 0, server: String::new(), replicas }];
        assert_eq!(codec.read_map(role.as_bytes()), Ok(map));
        let other = b"*5\r\n$5\r\nslave\r\n$1\r\na\r\n:1\r\n$9\r\nconnected\r\n:0\r\n";
        assert_eq!(codec.read_map(other), Err("it is no primary".to_owned()));
        assert_eq!(told(&json!({})).spread().map(Spread::places), None);
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
