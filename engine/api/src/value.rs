//! Values: a function of (seed, key, field, version), cheap to make and cheap to check.
//!
//! A value is a header and a body. The header holds the version and a checksum over seed, key,
//! field and version; the body is a piece of a pool of random characters, at an offset that the
//! checksum gives. Whoever knows the seed can therefore tell from a value alone whether it was
//! written for this key and field, whatever the version. All bytes are of an alphabet of 64
//! printable characters: nothing to escape anywhere, and nothing for a byte-oriented compressor to
//! find.

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/// Bytes of random characters that bodies are cut from. Large enough that the records of one block
/// of a storage engine hardly ever share a piece; small enough for a cache of the second level.
const POOL_BYTES: usize = 1 << 20;

/// The field number of a record that is stored as one value.
const BLOB: u32 = u32::MAX;

/// Characters of the header's version; and of its checksum.
const HEADER_PART: usize = 8;

/// Makes values and checks them. The same for equal seeds, on any machine.
#[derive(Debug)]
pub struct ValueSource {
    seed: u64,
    pool: Vec<u8>,
}

/// One step of `SplitMix64` (Steele, Lea, Flood 2014): a well-mixed permutation of 64 bits.
const fn mix(value: u64) -> u64 {
    let mut z = value.wrapping_add(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

const fn character(bits: u64) -> u8 {
    ALPHABET[(bits & 63) as usize]
}

/// Characters of (version, checksum) in a value of a length.
const fn header(length: usize) -> (usize, usize) {
    let half = length / 2;
    let version = if half < HEADER_PART { half } else { HEADER_PART };
    let rest = length - version;
    (version, if rest < HEADER_PART { rest } else { HEADER_PART })
}

impl ValueSource {
    /// A source for a seed.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        let mut pool = Vec::with_capacity(POOL_BYTES);
        let mut state = mix(seed);
        while pool.len() < POOL_BYTES {
            state = mix(state);
            pool.extend((0..10).map(|index| character(state >> (6 * index))));
        }
        pool.truncate(POOL_BYTES);
        Self { seed, pool }
    }

    fn checksum(&self, key: u64, field: u32, version: u64) -> u64 {
        mix(mix(mix(self.seed ^ mix(key)) ^ u64::from(field)) ^ version)
    }

    #[allow(clippy::cast_possible_truncation)] // masked to the pool's length
    fn offset(checksum: u64) -> usize {
        (mix(checksum) as usize) & (POOL_BYTES - 1)
    }

    fn write(&self, key: u64, field: u32, version: u64, length: usize, out: &mut Vec<u8>) {
        let (version_length, check_length) = header(length);
        let version = version & ((1 << (6 * version_length)) - 1);
        let checksum = self.checksum(key, field, version);
        let mut head = [0_u8; 2 * HEADER_PART];
        for (index, place) in head[..version_length].iter_mut().enumerate() {
            *place = character(version >> (6 * index));
        }
        for (index, place) in
            head[version_length..version_length + check_length].iter_mut().enumerate()
        {
            *place = character(checksum >> (6 * index));
        }
        out.extend_from_slice(&head[..version_length + check_length]);
        let mut left = length - version_length - check_length;
        let mut offset = Self::offset(checksum);
        while left > 0 {
            let piece = left.min(POOL_BYTES - offset);
            out.extend_from_slice(&self.pool[offset..offset + piece]);
            left -= piece;
            offset = 0;
        }
    }

    fn check(&self, key: u64, field: u32, length: usize, value: &[u8]) -> bool {
        if value.len() != length {
            return false;
        }
        let (version_length, check_length) = header(length);
        let mut version = 0_u64;
        for (index, &byte) in value[..version_length].iter().enumerate() {
            let Some(bits) = ALPHABET.iter().position(|&known| known == byte) else { return false };
            version |= (bits as u64) << (6 * index);
        }
        let checksum = self.checksum(key, field, version);
        let (found, body) = value[version_length..].split_at(check_length);
        if found.iter().enumerate().any(|(at, &byte)| byte != character(checksum >> (6 * at))) {
            return false;
        }
        let mut body = body;
        let mut offset = Self::offset(checksum);
        while !body.is_empty() {
            let piece = body.len().min(POOL_BYTES - offset);
            if body[..piece] != self.pool[offset..offset + piece] {
                return false;
            }
            body = &body[piece..];
            offset = 0;
        }
        true
    }
}

/// The values of one operation.
#[derive(Debug, Clone, Copy)]
pub struct Payload<'a> {
    source: &'a ValueSource,
    key: u64,
    version: u64,
}

impl<'a> Payload<'a> {
    /// Values of a record, by its number, in a version: no two writes of a run have the same one.
    #[must_use]
    pub fn new(source: &'a ValueSource, key: u64, version: u64) -> Self {
        Self { source, key, version }
    }

    /// Appends the value of a field.
    pub fn field(&self, index: u32, length: usize, out: &mut Vec<u8>) {
        self.source.write(self.key, index, self.version, length, out);
    }

    /// Appends the record as one value.
    pub fn blob(&self, length: usize, out: &mut Vec<u8>) {
        self.source.write(self.key, BLOB, self.version, length, out);
    }
}

/// Checks values that were read.
#[derive(Debug, Clone, Copy)]
pub struct Verifier<'a> {
    source: &'a ValueSource,
    key: u64,
}

impl<'a> Verifier<'a> {
    /// Checks values of a record, by its number.
    #[must_use]
    pub fn new(source: &'a ValueSource, key: u64) -> Self {
        Self { source, key }
    }

    /// Whether this was written as that field of the record.
    #[must_use]
    pub fn field(&self, index: u32, length: usize, value: &[u8]) -> bool {
        self.source.check(self.key, index, length, value)
    }

    /// Whether this was written as the record.
    #[must_use]
    pub fn blob(&self, length: usize, value: &[u8]) -> bool {
        self.source.check(self.key, BLOB, length, value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_recognised_at_every_length_and_version() {
        let source = ValueSource::new(7);
        for length in (1..40).chain([1000, POOL_BYTES + 5000]) {
            for version in [0, 1, 0xFFFF_FFFF_FFFF] {
                let mut value = Vec::new();
                Payload::new(&source, 42, version).field(3, length, &mut value);
                assert_eq!(value.len(), length);
                assert!(Verifier::new(&source, 42).field(3, length, &value), "length {length}");
            }
        }
    }

    #[test]
    fn a_value_of_another_key_field_seed_or_with_one_changed_byte_is_refused() {
        let source = ValueSource::new(7);
        let mut value = Vec::new();
        Payload::new(&source, 42, 9).field(3, 100, &mut value);
        let verifier = Verifier::new(&source, 42);
        assert!(!Verifier::new(&source, 43).field(3, 100, &value));
        assert!(!verifier.field(4, 100, &value));
        assert!(!verifier.blob(100, &value));
        assert!(!verifier.field(3, 100, &value[..99]));
        assert!(!Verifier::new(&ValueSource::new(8), 42).field(3, 100, &value));
        for position in 0..100 {
            let mut changed = value.clone();
            changed[position] ^= 1;
            assert!(!verifier.field(3, 100, &changed), "byte {position}");
        }
    }

    #[test]
    fn two_writes_never_give_the_same_value() {
        let source = ValueSource::new(7);
        let (mut one, mut two) = (Vec::new(), Vec::new());
        Payload::new(&source, 1, 1).blob(100, &mut one);
        Payload::new(&source, 1, 2).blob(100, &mut two);
        assert_ne!(one, two);
    }
}
