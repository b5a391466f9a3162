//! Record numbers and the keys they become, as YCSB's `CoreWorkload.buildKeyName`.

use crate::order::{InsertOrder, Workload};

const PREFIX: &[u8] = b"user";

/// YCSB's `Utils.fnvhash64`: FNV-1a over the eight octets, low first, made positive.
///
/// `i64::MIN` stays negative, as in Java.
#[must_use]
#[allow(clippy::cast_possible_wrap)] // Java's long
pub fn fnv_hash(value: u64) -> i64 {
    let mut rest = value;
    let mut hash = 0xCBF2_9CE4_8422_2325_u64;
    for _ in 0..8 {
        hash = (hash ^ (rest & 0xff)).wrapping_mul(1_099_511_628_211);
        rest >>= 8;
    }
    (hash as i64).wrapping_abs()
}

/// Makes keys of record numbers.
#[derive(Debug, Clone)]
pub struct KeyMaker {
    hashed: bool,
    padding: usize,
}

impl KeyMaker {
    /// As the workload says.
    #[must_use]
    pub fn new(workload: &Workload) -> Self {
        Self {
            hashed: workload.insert_order == InsertOrder::Hashed,
            padding: workload.zero_padding,
        }
    }

    /// Puts the key of a record into a buffer, in place of what was there.
    pub fn write(&self, number: u64, key: &mut Vec<u8>) {
        let mut digits = itoa::Buffer::new();
        let digits =
            if self.hashed { digits.format(fnv_hash(number)) } else { digits.format(number) };
        key.clear();
        key.extend_from_slice(PREFIX);
        for _ in digits.len()..self.padding {
            key.push(b'0');
        }
        key.extend_from_slice(digits.as_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(order: InsertOrder, padding: usize, number: u64) -> String {
        let maker = KeyMaker { hashed: order == InsertOrder::Hashed, padding };
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
    fn keys_are_hashed_or_ordered_and_padded_with_zeros() {
        assert_eq!(key(InsertOrder::Hashed, 1, 0), "user6284781860667377211");
        assert_eq!(key(InsertOrder::Hashed, 20, 0), "user06284781860667377211");
        assert_eq!(key(InsertOrder::Ordered, 1, 17), "user17");
        assert_eq!(key(InsertOrder::Ordered, 8, 17), "user00000017");
    }
}
