//! Numbers as decimal digits, which most of a key is.

/// A number's decimal digits.
#[derive(Debug, Clone, Copy)]
pub(super) struct Digits {
    bytes: [u8; 24],
    start: usize,
}

/// Eight digits at once, the first in the lowest octet, each 0 to 9: halves of four, then pairs,
/// then single ones, side by side in one word.
#[inline]
fn eight_digits(number: u64) -> u64 {
    debug_assert!(number < 100_000_000);
    let fours = (number / 10_000) | ((number % 10_000) << 32);
    let high = ((fours * 10_486) >> 20) & 0x7f_0000_007f;
    let pairs = high | ((fours - high * 100) << 16);
    let high = ((pairs * 103) >> 10) & 0x000f_000f_000f_000f;
    high | ((pairs - high * 10) << 8)
}

impl Digits {
    #[inline]
    pub(super) fn of(number: u64) -> Self {
        const ZEROS: u64 = 0x3030_3030_3030_3030;
        const EIGHT: u64 = 100_000_000;
        let (upper, last) = (number / EIGHT, number % EIGHT);
        let words = [upper / EIGHT, upper % EIGHT, last].map(eight_digits);
        let mut bytes = [0; 24];
        for (place, word) in bytes.chunks_exact_mut(8).zip(words) {
            place.copy_from_slice(&(word | ZEROS).to_le_bytes());
        }
        let leading = |word: u64| word.trailing_zeros() as usize / 8;
        let start = if words[0] != 0 {
            leading(words[0])
        } else if words[1] != 0 {
            8 + leading(words[1])
        } else {
            16 + leading(words[2]).min(7)
        };
        Self { bytes, start }
    }

    #[inline]
    pub(super) fn as_bytes(&self) -> &[u8] {
        &self.bytes[self.start..]
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
            assert_eq!(digits.as_bytes(), number.to_string().as_bytes());
        }
    }
}
