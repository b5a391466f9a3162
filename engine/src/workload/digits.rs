//! Numbers as decimal digits, which most of a key is.

/// Most digits that a number has.
pub(super) const MOST: usize = 20;

/// Half of them.
const HALF: u64 = 10_000_000_000;

/// The two digits of every number below 100, and further places, so that no index that comes up is
/// beyond them.
const PAIRS: [[u8; 2]; 256] = {
    let mut pairs = [[b'0'; 2]; 256];
    let mut number = 0;
    while number < 100 {
        pairs[number as usize] = [b'0' + number / 10, b'0' + number % 10];
        number += 1;
    }
    pairs
};

/// The least number of so many digits and one more; 0 has one.
const LEAST: [u64; 20] = {
    let mut least = [0; 20];
    let (mut index, mut power) = (1, 10_u64);
    while index < 20 {
        least[index] = power;
        power = power.wrapping_mul(10);
        index += 1;
    }
    least
};

/// A number's decimal digits.
#[derive(Debug, Clone, Copy)]
pub(super) struct Digits {
    /// The digits end at [`MOST`]; what is behind them is there to be copied along.
    bytes: [u8; 2 * MOST],
    start: usize,
}

/// Ten digits, two at a time, of a number that has no more.
///
/// The number divided by 10^8 is two digits before the point; what is behind it, times 100, gives the
/// next two before it, and so on. With 64 bits behind the point it is too large by less than
/// 10^10 / 2^64, which is less than a digit of the last pair.
#[inline(always)]
#[allow(clippy::inline_always, clippy::cast_possible_truncation)] // counted by make bench-engine
fn ten_digits(number: u64) -> [[u8; 2]; 5] {
    const SCALE: u64 = u64::MAX / 100_000_000 + 1;
    debug_assert!(number < HALF);
    let mut product = u128::from(number) * u128::from(SCALE);
    let mut pairs = [[0; 2]; 5];
    for (index, pair) in pairs.iter_mut().enumerate() {
        if index > 0 {
            product = u128::from(product as u64) * 100;
        }
        *pair = PAIRS[(product >> 64) as usize & 0xff];
    }
    pairs
}

/// How many digits a number has.
#[inline]
fn count(number: u64) -> usize {
    // The bits times log10 of 2: how many digits, or one less.
    let bits = u64::BITS - (number | 1).leading_zeros();
    let least = ((bits * 1233) >> 12) as usize;
    least + usize::from(LEAST.get(least).is_some_and(|&next| number >= next))
}

impl Digits {
    #[inline]
    pub(super) fn of(number: u64) -> Self {
        let mut bytes = [0; 2 * MOST];
        bytes[..MOST / 2].copy_from_slice(ten_digits(number / HALF).as_flattened());
        bytes[MOST / 2..MOST].copy_from_slice(ten_digits(number % HALF).as_flattened());
        let start = MOST - count(number);
        Self { bytes, start }
    }

    /// How many they are.
    #[inline]
    pub(super) fn len(&self) -> usize {
        MOST - self.start
    }

    /// The digits, and behind them what is to be cut off: copying a number of octets that is known
    /// beforehand costs less than a call that copies just as many as there are.
    #[inline]
    pub(super) fn padded(&self) -> &[u8; MOST] {
        self.bytes[self.start..].first_chunk().unwrap_or(&[0; MOST])
    }

    /// Appends them.
    #[inline]
    pub(super) fn append(&self, to: &mut Vec<u8>) {
        to.extend_from_slice(&self.padded()[..self.len()]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_are_those_of_the_number() {
        let mut random = crate::workload::Random::new(9, [0; 3]);
        let spread = std::iter::repeat_with(|| random.bits() >> (random.bits() % 64)).take(20_000);
        let powers = (0..20).flat_map(|power| [10_u64.pow(power) - 1, 10_u64.pow(power)]);
        for number in spread.chain(powers).chain([u64::MAX]) {
            let digits = Digits::of(number);
            let mut text = b"user".to_vec();
            digits.append(&mut text);
            assert_eq!(text, format!("user{number}").as_bytes());
            assert_eq!(digits.len(), text.len() - 4);
        }
    }
}
