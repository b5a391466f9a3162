//! Keys that the client spreads over servers which know nothing of each other.
//!
//! - `ketama`: consistent hashing as libmemcached does it for servers of equal weight
//!   (`MEMCACHED_BEHAVIOR_KETAMA_WEIGHTED`, hash MD5), and with it spymemcached and uhashring: 40 MD5
//!   digests of `NAME-0` to `NAME-39` give a server 160 points on a circle of 32 bits, and a key
//!   belongs to the first point at or after the first four octets of its own digest.
//!   <https://www.metabrew.com/article/libketama-consistent-hashing-algo-memcached-clients>
//! - `modulo`: as python-memcached and Perl's `Cache::Memcached`, bits 16 to 30 of the key's CRC-32 by
//!   the number of servers; 0 of them is taken for 1.
//!
//! On the circle the servers are named by their position, `server1`, `server2`, …: addresses change
//! from deployment to deployment, and with them each server's share of the keys would.

use crc::{CRC_32_ISO_HDLC, Crc};
use md5::{Digest, Md5};
use weighhouse_driver_api::{OptionRefused, Options};

/// The engine's option.
const HASHING: &str = "hashing";

/// JSON Schema of the option, which stands beside those of a driver whose keys a client may spread.
pub const SCHEMA: &str = r#"{
  "hashing": {
    "type": "string",
    "enum": ["ketama", "modulo"],
    "description": "How keys are spread over several endpoints, whose servers know nothing of each other. ketama: consistent hashing with 160 points a server, as libmemcached, for servers named server1, server2, … in the order of the endpoints. modulo: CRC-32 by the number of servers, as python-memcached. Every client connects to every server. No scans, one key to a read."
  }
}"#;

/// Digests that give a server its points.
const DIGESTS: u32 = 40;

static CRC: Crc<u32> = Crc::<u32>::new(&CRC_32_ISO_HDLC);

/// How keys are spread.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hashing {
    /// Consistent hashing.
    Ketama,
    /// A checksum by the number of servers.
    Modulo,
}

impl Hashing {
    /// Takes the option out of those of a driver.
    ///
    /// # Errors
    /// When it is another word.
    pub fn take(options: &mut Options) -> Result<Option<Self>, OptionRefused> {
        match options.remove(HASHING).as_ref().map(serde_json::Value::as_str) {
            None => Ok(None),
            Some(Some("ketama")) => Ok(Some(Self::Ketama)),
            Some(Some("modulo")) => Ok(Some(Self::Modulo)),
            Some(_) => Err(OptionRefused::new(HASHING, "ketama or modulo")),
        }
    }

    /// The option, refused.
    #[must_use]
    pub fn refused(message: &str) -> OptionRefused {
        OptionRefused::new(HASHING, message)
    }

    /// Which of so many servers has which key.
    #[must_use]
    pub fn over(self, servers: usize) -> Spreading {
        match self {
            Self::Ketama => {
                let names: Vec<_> = (1..=servers).map(|number| format!("server{number}")).collect();
                Spreading::Circle(circle(&names))
            }
            Self::Modulo => Spreading::Modulo(servers),
        }
    }
}

/// Which server has which key.
#[derive(Debug, Clone)]
pub enum Spreading {
    /// Points in order, and the position of the server that each belongs to.
    Circle(Vec<(u32, usize)>),
    /// The number of servers.
    Modulo(usize),
}

impl Spreading {
    /// The position of the server that has a key.
    #[must_use]
    pub fn server(&self, key: &[u8]) -> usize {
        match self {
            Self::Circle(points) => {
                let digest = Md5::digest(key);
                let [a, b, c, d, ..] = digest[..] else { return 0 };
                let hash = u32::from_le_bytes([a, b, c, d]);
                let next = points.partition_point(|&(point, _)| point < hash);
                points.get(next).or(points.first()).map_or(0, |&(_, server)| server)
            }
            Self::Modulo(servers) => {
                let hash = ((CRC.checksum(key) >> 16) & 0x7fff).max(1);
                usize::try_from(hash).unwrap_or_default() % servers.max(&1)
            }
        }
    }
}

fn circle(names: &[String]) -> Vec<(u32, usize)> {
    let mut points = Vec::new();
    for (server, name) in names.iter().enumerate() {
        for number in 0..DIGESTS {
            let digest = Md5::digest(format!("{name}-{number}"));
            points.extend(digest.chunks_exact(4).map(|part| {
                let part = <[u8; 4]>::try_from(part).unwrap_or_default();
                (u32::from_le_bytes(part), server)
            }));
        }
    }
    points.sort_unstable();
    points
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn positions(names: &[String], keys: &[&str]) -> Vec<usize> {
        let ring = Spreading::Circle(circle(names));
        keys.iter().map(|key| ring.server(key.as_bytes())).collect()
    }

    /// As spymemcached's `KetamaNodeLocatorTest` has them, those past the last point among them.
    #[test]
    fn ketama_is_spymemcacheds() {
        let local = |servers: usize| -> Vec<_> {
            (0..servers).map(|one| format!("127.0.0.1:{}", 10_000 + one)).collect()
        };
        assert_eq!(circle(&local(4)).last().map(|last| last.0), Some(4_294_887_009));
        let keys = ["dustin", "noelani", "some other key", "V5XS8C8N", "8KR2DKR2", "L9KH6X4X"];
        assert_eq!(positions(&local(4), &keys), [0, 2, 0, 3, 3, 3]);
        let keys = ["36", "10037", "22051", "49044", "dustin", "noelani", "some other key"];
        assert_eq!(positions(&local(5), &keys), [2, 3, 1, 4, 0, 2, 4]);
        let eight: Vec<_> = (1..=8).map(|one| format!("10.0.1.{one}:11211")).collect();
        let keys = [
            "0", "233", "466", "699", "932", "1165", "1398", "1631", "1864", "2097", "2330",
            "2563", "2796", "3029", "3262", "3495", "3728", "3961", "126985",
        ];
        let expected = [1, 7, 3, 1, 6, 2, 1, 6, 5, 3, 7, 3, 6, 1, 2, 3, 8, 4, 7].map(|one| one - 1);
        assert_eq!(positions(&eight, &keys), expected);
    }

    /// As libmemcached 1.1.4 answers for these hosts (on its default port it names a server by its
    /// host alone), and uhashring 2.5 for nodes of these names.
    #[test]
    fn ketama_is_libmemcacheds() {
        let names = ["cache-a", "cache-b", "cache-c"].map(str::to_owned);
        let keys = ["alpha", "beta", "gamma", "delta", "epsilon"];
        assert_eq!(positions(&names, &keys), [0, 1, 0, 0, 1]);
        let keys = ["user6284781860667377211", "foo", "a", "b", "user0", "user1", "user2", "user3"];
        for (servers, expected) in [
            (2, [1, 1, 1, 0, 1, 0, 0, 0]),
            (3, [1, 1, 2, 0, 1, 0, 0, 0]),
            (5, [1, 1, 2, 4, 1, 0, 0, 4]),
        ] {
            let spreading = Hashing::Ketama.over(servers);
            assert_eq!(keys.map(|key| spreading.server(key.as_bytes())), expected, "{servers}");
        }
    }

    /// As `((zlib.crc32(key) >> 16) & 0x7fff or 1) % servers` of Python has them.
    #[test]
    fn modulo_is_python_memcacheds() {
        for (servers, expected) in [(2, [1, 1, 1, 0]), (3, [0, 1, 2, 0]), (5, [4, 2, 2, 3])] {
            let spreading = Hashing::Modulo.over(servers);
            let keys: [&[u8]; 4] = [b"user6284781860667377211", b"foo", b"a", b"b"];
            assert_eq!(keys.map(|key| spreading.server(key)), expected, "{servers} servers");
        }
    }

    /// The same keys go to the same server wherever it listens, and no server gets much more than its
    /// share.
    #[test]
    fn shares_are_nearly_even() {
        for hashing in [Hashing::Ketama, Hashing::Modulo] {
            for servers in [1, 2, 3, 8, 64] {
                let spreading = hashing.over(servers);
                let mut counts = vec![0_usize; servers];
                for number in 0..64_000 {
                    counts[spreading.server(format!("user{number}").as_bytes())] += 1;
                }
                let even = 64_000 / servers;
                let near = |&count: &usize| count > even * 7 / 10 && count < even * 14 / 10;
                assert!(counts.iter().all(near), "{hashing:?} over {servers}: {counts:?}");
            }
        }
    }

    #[test]
    fn the_option_is_taken_by_name() {
        let taken = |options: serde_json::Value| {
            let mut options = options.as_object().cloned().unwrap_or_default();
            Hashing::take(&mut options).map(|taken| (taken, options.len()))
        };
        assert_eq!(taken(json!({"layout": "hash"})), Ok((None, 1)));
        assert_eq!(taken(json!({"hashing": "ketama"})), Ok((Some(Hashing::Ketama), 0)));
        assert_eq!(taken(json!({"hashing": "modulo"})), Ok((Some(Hashing::Modulo), 0)));
        for wrong in [json!("jump"), json!(1), json!(null)] {
            assert_eq!(
                taken(json!({"hashing": wrong})).map_err(|no| no.name),
                Err("hashing".into())
            );
        }
    }
}
