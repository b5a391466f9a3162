//! Random numbers of one shard: xoshiro256++ (Blackman, Vigna 2019), seeded through `SplitMix64`.

use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// A sequence of random numbers; the same for the same seed and purpose, on any machine.
#[derive(Debug, Clone)]
pub struct Random(Xoshiro256PlusPlus);

impl Random {
    /// The sequence of a seed for a purpose: equal seeds with unlike purposes are independent.
    #[must_use]
    pub fn new(seed: u64, purpose: [u64; 3]) -> Self {
        let mut state = seed;
        for part in purpose {
            let mut step = Xoshiro256PlusPlus::seed_from_u64(state ^ part.rotate_left(32));
            state = step.next_u64();
        }
        Self(Xoshiro256PlusPlus::seed_from_u64(state))
    }

    /// 64 random bits.
    #[inline]
    pub fn bits(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// Uniform in [0, 1), a multiple of 2^-53, as Java's `nextDouble`.
    #[inline]
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 * (1.0 / (1_u64 << 53) as f64)
    }

    /// Uniform in [0, `bound`), by multiplication (Lemire 2019, without the rejection: the bias is
    /// below `bound` / 2^64). 0 when `bound` is 0.
    #[allow(clippy::cast_possible_truncation)] // the upper half of the product is below 2^64
    #[inline]
    pub fn below(&mut self, bound: u64) -> u64 {
        ((u128::from(self.bits()) * u128::from(bound)) >> 64) as u64
    }

    /// Exponential with mean 1.
    pub fn exponential(&mut self) -> f64 {
        -(1.0 - self.unit()).ln()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_seeds_give_equal_numbers_and_unlike_purposes_do_not() {
        let take = |seed, purpose| {
            let mut random = Random::new(seed, purpose);
            [random.bits(), random.bits(), random.bits()]
        };
        assert_eq!(take(1, [1, 2, 3]), take(1, [1, 2, 3]));
        assert_ne!(take(1, [1, 2, 3]), take(2, [1, 2, 3]));
        assert_ne!(take(1, [1, 2, 3]), take(1, [1, 3, 2]));
    }

    #[test]
    fn units_are_in_range_and_exponentials_have_mean_one() {
        let mut random = Random::new(5, [0; 3]);
        assert!((0..10_000).map(|_| random.unit()).all(|unit| (0.0..1.0).contains(&unit)));
        let mean = (0..200_000).map(|_| random.exponential()).sum::<f64>() / 200_000.0;
        assert!((mean - 1.0).abs() < 0.01, "{mean}");
    }
}
