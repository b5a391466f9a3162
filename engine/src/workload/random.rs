//! Random numbers of one shard: xoshiro256++ (Blackman, Vigna 2019), seeded through `SplitMix64`.

use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// What [`Random::unit`] makes of a draw.
#[inline]
pub(super) fn unit_of(draw: u64) -> f64 {
    draw as f64 * (1.0 / (1_u64 << 53) as f64)
}

/// The draws of which units are below a share are those below this number.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // at most 2^53
pub(super) fn draws_below(share: f64) -> u64 {
    (share * (1_u64 << 53) as f64).ceil() as u64
}

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
        unit_of(self.draw())
    }

    /// What [`Random::unit`] is made of: uniform in [0, 2^53).
    #[inline]
    pub(super) fn draw(&mut self) -> u64 {
        self.bits() >> 11
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
    fn shares_divide_draws_as_they_divide_units() {
        let mut random = Random::new(6, [0; 3]);
        let tiny = f64::from_bits(1);
        let shares = [0.0, tiny, 0.1, 0.5, 0.95, 1.0 - f64::EPSILON / 2.0, 1.0];
        for share in shares.into_iter().chain((0..1000).map(|_| random.unit())) {
            let bound = draws_below(share);
            let near = bound.saturating_sub(2)..=(bound + 2).min((1 << 53) - 1);
            for draw in near {
                assert_eq!(draw < bound, unit_of(draw) < share, "{draw} of {share}");
            }
        }
    }

    #[test]
    fn units_are_in_range_and_exponentials_have_mean_one() {
        let mut random = Random::new(5, [0; 3]);
        assert!((0..10_000).map(|_| random.unit()).all(|unit| (0.0..1.0).contains(&unit)));
        let mean = (0..200_000).map(|_| random.exponential()).sum::<f64>() / 200_000.0;
        assert!((mean - 1.0).abs() < 0.01, "{mean}");
    }
}
