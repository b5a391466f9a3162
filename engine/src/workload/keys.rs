//! Record numbers and the keys they become, as YCSB's `CoreWorkload.buildKeyName`.

use super::digits::{Digits, MOST};
use super::series::PointKeys;
use crate::order::{InsertOrder, Workload};

/// What YCSB's keys begin with.
const PREFIX: &[u8] = b"user";

/// YCSB's `Utils.fnvhash64`: FNV-1a over the eight octets, low first, made positive.
///
/// `i64::MIN` stays negative, as in Java.
#[must_use]
#[allow(clippy::cast_possible_wrap)] // Java's long
#[inline]
pub fn fnv_hash(value: u64) -> i64 {
    let mut rest = value;
    let mut hash = 0xCBF2_9CE4_8422_2325_u64;
    let mut zeros = 8;
    while rest != 0 {
        hash = (hash ^ (rest & 0xff)).wrapping_mul(FNV_PRIME);
        rest >>= 8;
        zeros -= 1;
    }
    (hash.wrapping_mul(FNV_POWERS[zeros]) as i64).wrapping_abs()
}

const FNV_PRIME: u64 = 1_099_511_628_211;

/// Powers of the prime: octets of zero, which the high ones of nearly every number are, only
/// multiply.
const FNV_POWERS: [u64; 9] = {
    let mut powers = [1; 9];
    let mut index = 1;
    while index < 9 {
        powers[index] = FNV_PRIME.wrapping_mul(powers[index - 1]);
        index += 1;
    }
    powers
};

/// Makes keys of record numbers.
#[derive(Debug, Clone)]
pub struct KeyMaker {
    hashed: bool,
    padding: usize,
    /// Digits from which on a key is made the short way: none, where it has a prefix of its own.
    plain_from: usize,
    /// In the place of YCSB's.
    prefix: Option<Box<[u8]>>,
    points: Option<Box<PointKeys>>,
}

impl KeyMaker {
    /// As the workload says.
    #[must_use]
    pub fn new(workload: &Workload) -> Self {
        let hashed = workload.insert_order == InsertOrder::Hashed;
        let made = Self::of(hashed, workload.zero_padding, workload.key_prefix.as_deref());
        let series = workload.time_series.as_ref();
        Self { points: series.map(|series| Box::new(PointKeys::new(series))), ..made }
    }

    fn of(hashed: bool, padding: usize, prefix: Option<&str>) -> Self {
        let plain_from = if prefix.is_some() { usize::MAX } else { padding };
        let prefix = prefix.map(|prefix| prefix.as_bytes().into());
        Self { hashed, padding, plain_from, prefix, points: None }
    }

    /// Puts the key of a record into a buffer, in place of what was there.
    #[inline(always)]
    #[allow(clippy::inline_always)] // counted by make bench-engine
    pub fn write(&self, number: u64, key: &mut Vec<u8>) {
        if let Some(points) = &self.points {
            return points.write(number, self.prefix.as_deref().unwrap_or_default(), key);
        }
        let hash = if self.hashed { fnv_hash(number) } else { 0 };
        let digits = Digits::of(if self.hashed { hash.cast_unsigned() } else { number });
        key.clear();
        if digits.len() < self.plain_from || hash < 0 {
            key.extend_from_slice(self.prefix.as_deref().unwrap_or(PREFIX));
            // Java pads before the sign, which one hash of all has.
            for _ in digits.len() + usize::from(hash < 0)..self.padding {
                key.push(b'0');
            }
            key.extend_from_slice(if hash < 0 { b"-" } else { b"" });
            digits.append(key);
            return;
        }
        // One copy of a length that is known beforehand, cut to what there is.
        let mut whole = [0; PREFIX.len() + MOST];
        whole[..PREFIX.len()].copy_from_slice(PREFIX);
        whole[PREFIX.len()..].copy_from_slice(digits.padded());
        key.extend_from_slice(&whole);
        key.truncate(PREFIX.len() + digits.len());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(order: InsertOrder, padding: usize, number: u64) -> String {
        prefixed(order, padding, number, None)
    }

    fn prefixed(order: InsertOrder, padding: usize, number: u64, prefix: Option<&str>) -> String {
        let maker = KeyMaker::of(order == InsertOrder::Hashed, padding, prefix);
        let mut key = b"left over".to_vec();
        maker.write(number, &mut key);
        String::from_utf8(key).unwrap()
    }

    #[test]
    fn hashes_are_those_that_ycsb_leaves_in_a_server() {
        let known = [
            6_284_781_860_667_377_211,
            8_517_097_267_634_966_620,
            1_820_151_046_732_198_393,
            4_052_466_453_699_787_802,
        ];
        for (number, hash) in (0..).zip(known) {
            assert_eq!(fnv_hash(number), hash);
        }
    }

    #[test]
    fn octets_of_zero_are_hashed_like_others() {
        let whole = |value: u64| {
            let hash =
                value.to_le_bytes().into_iter().fold(0xCBF2_9CE4_8422_2325, |hash, octet| {
                    (hash ^ u64::from(octet)).wrapping_mul(FNV_PRIME)
                });
            i64::from_le_bytes(u64::to_le_bytes(hash)).wrapping_abs()
        };
        for value in (0..64).flat_map(|shift| [1 << shift, u64::MAX >> shift, 0xff00 << shift]) {
            assert_eq!(fnv_hash(value), whole(value), "{value:x}");
        }
    }

    #[test]
    fn keys_are_hashed_or_ordered_and_padded_with_zeros() {
        assert_eq!(key(InsertOrder::Hashed, 1, 0), "user6284781860667377211");
        assert_eq!(key(InsertOrder::Hashed, 20, 0), "user06284781860667377211");
        assert_eq!(key(InsertOrder::Ordered, 1, 17), "user17");
        assert_eq!(key(InsertOrder::Ordered, 8, 17), "user00000017");
    }

    #[test]
    fn a_prefix_stands_in_the_place_of_ycsbs() {
        let tagged = |order, padding, number| prefixed(order, padding, number, Some("{b}:user"));
        assert_eq!(tagged(InsertOrder::Hashed, 1, 0), "{b}:user6284781860667377211");
        assert_eq!(tagged(InsertOrder::Ordered, 8, 17), "{b}:user00000017");
        assert_eq!(prefixed(InsertOrder::Ordered, 180, 5, Some("k")).len(), 181);
    }
}
