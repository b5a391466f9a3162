//! Values: a function of (seed, key, field, version), cheap to make and cheap to check.
//!
//! A value is a header and a body. The header holds the version and a checksum over seed, key,
//! field and version; the body is a piece of a pool of random characters, at an offset that the
//! checksum gives. Whoever knows the seed can therefore tell from a value alone whether it was
//! written for this key and field, whatever the version. All bytes are of an alphabet of 64
//! printable characters: nothing to escape anywhere, and nothing for a byte-oriented compressor to
//! find unless it is asked for.
//!
//! How long a value is may be drawn anew for each, out of the same four and the seed; its checksum
//! then vouches for the length too.

use crate::record::{Lengths, RecordShape};

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
    lengths: Lengths,
    field_count: u16,
    /// Whoever wrote the values, they are known by their lengths alone.
    lengths_only: bool,
}

/// What distinguishes the draw of a length from other uses of the same numbers.
const LENGTH: u64 = 0x4C45_4E47_5448;

/// Bytes in which the share of a compressible value that repeats is exact.
const STRETCH: usize = 128;

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
    /// A source for a seed and the records of a shape.
    #[must_use]
    pub fn new(seed: u64, shape: &RecordShape) -> Self {
        Self::compressible(seed, shape, 0.0)
    }

    /// The same with values of which a share (0 to 1) repeats one character, for compressors to
    /// find: the end of every 128 bytes of the pool.
    #[must_use]
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // a share of 128
    pub fn compressible(seed: u64, shape: &RecordShape, repetition: f64) -> Self {
        let mut pool = Vec::with_capacity(POOL_BYTES);
        let mut state = mix(seed);
        while pool.len() < POOL_BYTES {
            state = mix(state);
            pool.extend((0..10).map(|index| character(state >> (6 * index))));
        }
        pool.truncate(POOL_BYTES);
        let repeated = (repetition.clamp(0.0, 1.0) * STRETCH as f64).round() as usize;
        for stretch in pool.chunks_exact_mut(STRETCH) {
            stretch[STRETCH - repeated..].fill(ALPHABET[0]);
        }
        Self {
            seed,
            pool,
            lengths: shape.lengths().clone(),
            field_count: shape.field_count(),
            lengths_only: false,
        }
    }

    /// The same source, which takes any value of a length that the shape allows for one of its own:
    /// for records that somebody else wrote.
    #[must_use]
    pub fn by_length(self) -> Self {
        Self { lengths_only: true, ..self }
    }

    /// Bytes in a value of a field.
    #[inline]
    fn length(&self, key: u64, field: u16, version: u64) -> usize {
        match &self.lengths {
            Lengths::Constant(length) => *length,
            Lengths::Drawn(table) => {
                let bits = mix(self.checksum(key, (u32::from(field), 0), version) ^ LENGTH);
                let unit = (bits >> 11) as f64 * (1.0 / (1_u64 << 53) as f64);
                let index = table.partition_point(|&(share, _)| share <= unit);
                table[index.min(table.len() - 1)].1
            }
        }
    }

    /// Bytes in a record that is stored as one value.
    #[inline]
    fn blob_length(&self, key: u64, version: u64) -> usize {
        match &self.lengths {
            Lengths::Constant(length) => *length * usize::from(self.field_count),
            Lengths::Drawn(_) => {
                (0..self.field_count).map(|field| self.length(key, field, version)).sum()
            }
        }
    }

    /// Of a value of a field with a length.
    fn checksum(&self, key: u64, (field, length): (u32, usize), version: u64) -> u64 {
        let part = u64::from(field) | ((length as u64) << 32);
        mix(mix(mix(self.seed ^ mix(key)) ^ part) ^ version)
    }

    #[allow(clippy::cast_possible_truncation)] // masked to the pool's length
    fn offset(checksum: u64) -> usize {
        (mix(checksum) as usize) & (POOL_BYTES - 1)
    }

    fn write(&self, key: u64, field: u32, version: u64, length: usize, out: &mut Vec<u8>) {
        let (version_length, check_length) = header(length);
        let version = version & ((1 << (6 * version_length)) - 1);
        let checksum = self.checksum(key, (field, length), version);
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

    fn check(&self, key: u64, field: u32, value: &[u8]) -> bool {
        let (least, most) = self.lengths.range();
        let count = if field == BLOB { usize::from(self.field_count) } else { 1 };
        let length = value.len();
        if length < least * count || length > most * count {
            return false;
        }
        if self.lengths_only {
            return true;
        }
        let (version_length, check_length) = header(length);
        let mut version = 0_u64;
        for (index, &byte) in value[..version_length].iter().enumerate() {
            let Some(bits) = ALPHABET.iter().position(|&known| known == byte) else { return false };
            version |= (bits as u64) << (6 * index);
        }
        let checksum = self.checksum(key, (field, length), version);
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

    /// Bytes in the value of a field.
    #[must_use]
    #[inline]
    pub fn field_length(&self, index: u16) -> usize {
        self.source.length(self.key, index, self.version)
    }

    /// Bytes in the record as one value.
    #[must_use]
    #[inline]
    pub fn blob_length(&self) -> usize {
        self.source.blob_length(self.key, self.version)
    }

    /// Appends the value of a field.
    pub fn field(&self, index: u16, out: &mut Vec<u8>) {
        let length = self.field_length(index);
        self.source.write(self.key, u32::from(index), self.version, length, out);
    }

    /// Appends the record as one value.
    pub fn blob(&self, out: &mut Vec<u8>) {
        self.source.write(self.key, BLOB, self.version, self.blob_length(), out);
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
    pub fn field(&self, index: u16, value: &[u8]) -> bool {
        self.source.check(self.key, u32::from(index), value)
    }

    /// Whether this was written as the record.
    #[must_use]
    pub fn blob(&self, value: &[u8]) -> bool {
        self.source.check(self.key, BLOB, value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(seed: u64, length: usize) -> ValueSource {
        ValueSource::new(seed, &RecordShape::new(4, length, "field"))
    }

    #[test]
    fn a_value_is_recognised_at_every_length_and_version() {
        for length in (1..40).chain([1000, POOL_BYTES + 5000]) {
            let source = source(7, length);
            for version in [0, 1, 0xFFFF_FFFF_FFFF] {
                let mut value = Vec::new();
                Payload::new(&source, 42, version).field(3, &mut value);
                assert_eq!(value.len(), length);
                assert!(Verifier::new(&source, 42).field(3, &value), "length {length}");
            }
        }
    }

    #[test]
    fn a_value_of_another_key_field_seed_or_with_one_changed_byte_is_refused() {
        let made = source(7, 100);
        let mut value = Vec::new();
        Payload::new(&made, 42, 9).field(3, &mut value);
        let verifier = Verifier::new(&made, 42);
        assert!(!Verifier::new(&made, 43).field(3, &value));
        assert!(!verifier.field(2, &value));
        assert!(!verifier.blob(&value));
        assert!(!verifier.field(3, &value[..99]));
        assert!(!Verifier::new(&source(8, 100), 42).field(3, &value));
        for position in 0..100 {
            let mut changed = value.clone();
            changed[position] ^= 1;
            assert!(!verifier.field(3, &changed), "byte {position}");
        }
    }

    #[test]
    fn whoever_looks_at_lengths_alone_takes_anybodys_value() {
        let theirs = source(7, 100).by_length();
        assert!(Verifier::new(&theirs, 42).field(3, &[b'x'; 100]));
        assert!(!Verifier::new(&theirs, 42).field(3, &[b'x'; 99]));
        assert!(Verifier::new(&theirs, 42).blob(&[0; 400]));
    }

    #[test]
    fn two_writes_never_give_the_same_value() {
        let source = source(7, 100);
        let (mut one, mut two) = (Vec::new(), Vec::new());
        Payload::new(&source, 1, 1).blob(&mut one);
        Payload::new(&source, 1, 2).blob(&mut two);
        assert_ne!(one, two);
    }

    #[test]
    fn drawn_lengths_come_in_their_shares_and_a_cut_value_is_refused() {
        let lengths = Lengths::Drawn(vec![(0.5, 20), (0.9, 50), (1.0, 400)]);
        let shape = RecordShape::with_lengths(2, lengths, "field");
        let source = ValueSource::new(3, &shape);
        let mut counts = std::collections::BTreeMap::new();
        for key in 0..20_000 {
            let payload = Payload::new(&source, key, key % 7);
            let mut value = Vec::new();
            payload.field(1, &mut value);
            assert_eq!(value.len(), payload.field_length(1));
            *counts.entry(value.len()).or_insert(0_u32) += 1;
            let verifier = Verifier::new(&source, key);
            assert!(verifier.field(1, &value));
            assert!(value.len() == 20 || !verifier.field(1, &value[..value.len() - 1]));
            let mut blob = Vec::new();
            payload.blob(&mut blob);
            assert_eq!(blob.len(), payload.field_length(0) + payload.field_length(1));
            assert!(verifier.blob(&blob));
        }
        for (length, share) in [(20, 0.5), (50, 0.4), (400, 0.1)] {
            let found = f64::from(counts[&length]) / 20_000.0;
            assert!((found - share).abs() < 0.015, "{length}: {found}");
        }
    }

    #[test]
    fn a_share_of_compressible_values_repeats() {
        let shape = RecordShape::new(1, 12_800, "field");
        for share in [0.0, 0.25, 0.5, 1.0] {
            let source = ValueSource::compressible(1, &shape, share);
            let mut value = Vec::new();
            Payload::new(&source, 5, 1).field(0, &mut value);
            assert!(Verifier::new(&source, 5).field(0, &value));
            let is_repeated = |byte: &&u8| **byte == ALPHABET[0];
            let repeated = value.iter().filter(is_repeated).count() as f64;
            // Of the others, one in 64 is the same character.
            let expected = 12_800.0 * (share + (1.0 - share) / 64.0);
            assert!((repeated - expected).abs() < 200.0, "{share}: {repeated}");
        }
    }
}
