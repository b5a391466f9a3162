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

use crate::expiry::Expiry;
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
    expiry: Expiry,
    /// Whoever wrote the values, they are known by their lengths alone.
    lengths_only: bool,
}

/// What distinguishes the draw of a length from other uses of the same numbers.
const LENGTH: u64 = 0x4C45_4E47_5448;
const EXPIRY: u64 = 0x4558_5049_5259;

/// A value that is longer takes just the memory that it needs: buffers that double would hold twice
/// the largest values.
const LARGE: usize = 64 << 10;

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
            expiry: shape.expiry,
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
            Lengths::Uniform(between) => {
                uniform(*between.start(), *between.end(), self.unit(key, field, version))
            }
            Lengths::Drawn(table) => {
                let unit = self.unit(key, field, version);
                let index = table.partition_point(|&(share, _)| share <= unit);
                table[index.min(table.len() - 1)].1
            }
        }
    }

    /// What a length is drawn by, in [0, 1).
    #[inline]
    fn unit(&self, key: u64, field: u16, version: u64) -> f64 {
        let bits = mix(self.checksum(key, (u32::from(field), 0), version) ^ LENGTH);
        (bits >> 11) as f64 * (1.0 / (1_u64 << 53) as f64)
    }

    /// Bytes in a record that is stored as one value.
    #[inline]
    fn blob_length(&self, key: u64, version: u64) -> usize {
        match &self.lengths {
            Lengths::Constant(length) => *length * usize::from(self.field_count),
            Lengths::Uniform(_) | Lengths::Drawn(_) => {
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
        if length > LARGE {
            out.reserve_exact(length);
        }
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

/// A length of a range by a number in [0, 1): the one that a table of all lengths and the shares up to
/// each of them gives.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // below `count`
fn uniform(least: usize, most: usize, unit: f64) -> usize {
    let count = (most - least + 1) as f64;
    let share = |index: usize| index as f64 / count;
    let mut index = ((unit * count) as usize).min(most - least);
    while index < most - least && share(index + 1) <= unit {
        index += 1;
    }
    while index > 0 && share(index) > unit {
        index -= 1;
    }
    least + index
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

    /// Seconds after which the write expires, by seed and record; of what is no insert by its version,
    /// too: each has a draw of its own.
    #[must_use]
    #[inline]
    pub fn ttl_seconds(&self, inserts: bool) -> Option<u32> {
        let expiry = self.source.expiry;
        if !matches!(expiry, Expiry::Drawn { .. }) {
            return expiry.longest();
        }
        let version = if inserts { 0 } else { self.version };
        expiry.seconds(mix(self.source.checksum(self.key, (BLOB, 0), version) ^ EXPIRY))
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
    fn uniform_lengths_are_those_of_a_table_of_all() {
        for (least, most) in [(1, 1), (1, 2), (20, 119), (7, 10_007), (1, 1_000_000)] {
            let count = most - least + 1;
            let table: Vec<_> =
                (1..=count).map(|rank| rank as f64 / count as f64).zip(least..).collect();
            let table =
                ValueSource::new(3, &RecordShape::with_lengths(2, Lengths::Drawn(table), "field"));
            let shape = RecordShape::with_lengths(2, Lengths::Uniform(least..=most), "field");
            let source = ValueSource::new(3, &shape);
            for key in 0..5_000 {
                let length = source.length(key, 1, key);
                assert!((least..=most).contains(&length));
                assert_eq!(length, table.length(key, 1, key), "{key} of {least} to {most}");
            }
            for index in 0..count.min(3_000) {
                let unit = index as f64 / count as f64;
                assert_eq!(uniform(least, most, unit), least + index);
            }
        }
    }

    #[test]
    fn a_large_value_takes_no_more_memory_than_it_has_bytes() {
        let source = source(7, 3 << 20);
        let mut value = Vec::new();
        for times in 1..=3 {
            Payload::new(&source, 42, 9).field(3, &mut value);
            assert_eq!(value.len(), times * (3 << 20));
            assert!(value.capacity() < value.len() + LARGE, "{}", value.capacity());
        }
    }

    #[test]
    fn a_share_of_the_writes_expires_and_its_times_are_alike() {
        let mut shape = RecordShape::new(1, 10, "field");
        shape.expiry = Expiry::Drawn { fraction: 0.3, min_seconds: 60, max_seconds: 69 };
        let source = ValueSource::new(5, &shape);
        let ttl = |key, version, inserts| Payload::new(&source, key, version).ttl_seconds(inserts);
        let mut counts = [0_u32; 10];
        let draws = 200_000;
        for key in 0..draws {
            // Whichever thread loads a record, and however often: it expires alike.
            assert_eq!(ttl(key, 1, true), ttl(key, 77, true));
            if let Some(seconds) = ttl(key % 100, key, false) {
                counts[usize::try_from(seconds - 60).unwrap()] += 1;
            }
        }
        let expected = 0.3 * draws as f64 / 10.0;
        let found: f64 =
            counts.iter().map(|&count| (f64::from(count) - expected).powi(2) / expected).sum();
        // The 99.9 % point of chi-square for the ten times and their sum.
        assert!(found < 29.6, "{counts:?}");
        let inserted = (0..draws).filter(|&key| ttl(key, 0, true).is_some()).count() as f64;
        assert!((inserted / draws as f64 - 0.3).abs() < 0.005, "{inserted}");
        assert!((0..100).any(|version| ttl(1, version, false) != ttl(1, version + 1, false)));
        let other = ValueSource::new(6, &shape);
        assert!(
            (0..100)
                .any(|key| { Payload::new(&other, key, 0).ttl_seconds(true) != ttl(key, 0, true) })
        );
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
