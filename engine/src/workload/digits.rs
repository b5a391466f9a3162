//! Numbers as decimal digits, which most of a key is.

/// Most digits that a number has.
pub(super) const MOST: usize = 20;

const ZEROS: u64 = 0x3030_3030_3030_3030;

/// A number's decimal digits.
#[derive(Debug, Clone, Copy)]
pub(super) struct Digits {
    /// The digits end at [`MOST`]; what is behind them is there to be copied along.
    bytes: [u8; 2 * MOST],
    start: usize,
}

/// Four digits at once, the first in the lowest octet, each 0 to 9: pairs, then single ones, side by
/// side in one word.
#[inline]
fn four_digits(number: u64) -> u64 {
    debug_assert!(number < 10_000);
    let high = (number * 10_486) >> 20;
    let pairs = high | ((number - high * 100) << 16);
    let high = ((pairs * 103) >> 10) & 0x000f_000f;
    high | ((pairs - high * 10) << 8)
}

/// Eight digits, likewise: halves of four first.
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
        const EIGHT: u64 = 100_000_000;
        let (upper, last) = (number / EIGHT, number % EIGHT);
        let first = four_digits(upper / EIGHT);
        let (middle, last) = (eight_digits(upper % EIGHT), eight_digits(last));
        let mut bytes = [0; 2 * MOST];
        bytes[..4].copy_from_slice(&(first | ZEROS).to_le_bytes()[..4]);
        bytes[4..12].copy_from_slice(&(middle | ZEROS).to_le_bytes());
        bytes[12..MOST].copy_from_slice(&(last | ZEROS).to_le_bytes());
        let leading = |word: u64| word.trailing_zeros() as usize / 8;
        let start = if first != 0 {
            leading(first)
        } else if middle != 0 {
            4 + leading(middle)
        } else {
            12 + leading(last).min(7)
        };
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
