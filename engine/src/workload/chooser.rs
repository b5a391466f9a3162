//! Choosing keys by YCSB's request distributions.

use super::keys::fnv_hash;
use super::random::Random;
use super::zipfian::{Skew, Zipfian};
use crate::order::{Distribution, Workload};

/// Chooses record numbers.
#[derive(Debug, Clone)]
pub enum KeyChooser {
    /// All of a slice alike; it does not grow with inserts.
    Uniform {
        /// First record.
        start: u64,
        /// Records.
        count: u64,
    },
    /// YCSB's scrambled zipfian.
    Zipfian {
        /// Of ranks.
        ranks: Zipfian,
        /// First record.
        start: u64,
        /// Records the ranks are scattered over.
        count: u64,
    },
    /// One after another; shards take turns.
    Sequential {
        /// First record.
        start: u64,
        /// Records.
        count: u64,
        /// Position of the next one.
        next: u64,
        /// Positions from one to the next: the number of shards.
        step: u64,
    },
    /// The newest most often.
    Latest {
        /// Of ages.
        ages: Zipfian,
    },
}

impl KeyChooser {
    /// The chooser of a shard. `expected_inserts`: how many records the phase may add; YCSB
    /// scatters zipfian ranks over twice as many, so that hot keys stay hot while it grows.
    ///
    /// Takes a while for `latest` over many records: a million terms are summed.
    #[must_use]
    pub fn new(workload: &Workload, expected_inserts: u64, shard: u64, shards: u64) -> Self {
        let (start, count) = (workload.insert_start, workload.slice_length());
        match workload.request_distribution {
            Distribution::Uniform => Self::Uniform { start, count },
            Distribution::Zipfian => Self::Zipfian {
                ranks: Zipfian::new(Skew::scrambled()),
                start,
                // The upper end is inclusive in YCSB: one more than exists, redrawn when chosen.
                count: count + expected_inserts * 2 + 1,
            },
            Distribution::Sequential => {
                Self::Sequential { start, count, next: shard % count, step: shards }
            }
            Distribution::Latest => {
                Self::Latest { ages: Zipfian::new(Skew::over(workload.record_count)) }
            }
        }
    }

    /// A record number below `bound`, the number of records acknowledged so far without a gap.
    #[inline(always)]
    #[allow(clippy::inline_always)] // counted by make bench-engine
    pub fn choose(&mut self, random: &mut Random, bound: u64) -> u64 {
        match self {
            Self::Uniform { start, count } => *start + random.below(*count),
            Self::Zipfian { ranks, start, count } => loop {
                let hash = fnv_hash(ranks.draw(random)).unsigned_abs();
                let number = *start + hash % *count;
                if number < bound {
                    return number;
                }
            },
            Self::Sequential { start, count, next, step } => {
                let number = *start + *next;
                *next = (*next + *step) % *count;
                number
            }
            Self::Latest { ages } => {
                if ages.items() < bound {
                    ages.grow(bound);
                }
                let newest = bound - 1;
                newest - ages.draw(random).min(newest)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::order::Order;

    fn workload(distribution: &str, records: u64) -> Workload {
        let order = serde_json::json!({
            "workload": {"name": "w", "record_count": records, "request_distribution": distribution},
            "target": {"endpoints": ["tcp://127.0.0.1:1"]},
            "load": {"model": "closed", "clients": 1},
            "phases": [{"kind": "load"}],
            "seed": 1
        });
        Order::parse(&order.to_string()).unwrap().workload
    }

    fn counts(distribution: &str, records: u64, draws: u32) -> Vec<u32> {
        let mut chooser = KeyChooser::new(&workload(distribution, records), 0, 0, 1);
        let mut random = Random::new(99, [0; 3]);
        let mut counts = vec![0_u32; usize::try_from(records).unwrap()];
        for _ in 0..draws {
            let number = chooser.choose(&mut random, records);
            counts[usize::try_from(number).unwrap()] += 1;
        }
        counts
    }

    fn chi_square(counts: &[u32], expected: impl Fn(usize) -> f64) -> f64 {
        let one = |(index, &count): (usize, &u32)| {
            let expected = expected(index);
            (f64::from(count) - expected).powi(2) / expected
        };
        counts.iter().enumerate().map(one).sum()
    }

    /// The 99.9 % point of chi-square, by Wilson and Hilferty (1931).
    fn limit(degrees: f64) -> f64 {
        let part = 2.0 / (9.0 * degrees);
        degrees * (1.0 - part + 3.09 * part.sqrt()).powi(3)
    }

    #[test]
    fn uniform_passes_chi_square() {
        let found = chi_square(&counts("uniform", 1000, 500_000), |_| 500.0);
        assert!(found < limit(999.0), "{found}");
    }

    #[test]
    fn latest_passes_chi_square_against_the_zipf_it_approximates() {
        // Gray's method is exact for the two first ranks and approximate beyond, so the expected
        // shares are those of the method itself: lengths of the unit intervals of each rank.
        let records = 200;
        let zipfian = Zipfian::new(Skew::over(records));
        let cells = 2_000_000;
        let mut shares = vec![0.0; 200];
        for cell in 0..cells {
            let rank = zipfian.rank((f64::from(cell) + 0.5) / f64::from(cells));
            shares[usize::try_from(rank).unwrap().min(199)] += 1.0 / f64::from(cells);
        }
        let draws = 400_000;
        let found = chi_square(&counts("latest", records, draws), |number| {
            shares[199 - number] * f64::from(draws)
        });
        assert!(found < limit(199.0) * 1.05, "{found}");
    }

    #[test]
    fn sequential_takes_turns_among_shards() {
        let workload = workload("sequential", 5);
        let mut random = Random::new(1, [0; 3]);
        let mut take = |shard| {
            let mut chooser = KeyChooser::new(&workload, 0, shard, 2);
            (0..6).map(|_| chooser.choose(&mut random, 5)).collect::<Vec<_>>()
        };
        assert_eq!(take(0), [0, 2, 4, 1, 3, 0]);
        assert_eq!(take(1), [1, 3, 0, 2, 4, 1]);
    }

    /// Shares of the hottest keys as measured with YCSB itself, in percent.
    #[test]
    fn zipfian_is_as_skewed_as_ycsbs() {
        for (records, hottest, ten, one_percent, fifth) in
            [(1000, 3.8, 13.0, 13.0, 39.0), (100_000, 3.8, 12.0, 30.0, 53.0)]
        {
            let draws = 2_000_000_u32;
            let mut counts = counts("zipfian", records, draws);
            counts.sort_unstable_by(|one, two| two.cmp(one));
            let share = |keys: u64| {
                let top = &counts[..usize::try_from(keys).unwrap()];
                100.0 * f64::from(top.iter().sum::<u32>()) / f64::from(draws)
            };
            assert!((share(1) - hottest).abs() < 0.15, "hottest {}", share(1));
            assert!((share(10) - ten).abs() < 1.0, "ten {}", share(10));
            assert!((share(records / 100) - one_percent).abs() < 1.0, "{}", share(records / 100));
            assert!((share(records / 5) - fifth).abs() < 2.0, "fifth {}", share(records / 5));
        }
    }

    #[test]
    fn a_number_that_is_not_acknowledged_is_never_chosen() {
        for distribution in ["uniform", "zipfian", "sequential", "latest"] {
            let mut chooser = KeyChooser::new(&workload(distribution, 100), 5000, 0, 1);
            let mut random = Random::new(3, [0; 3]);
            for bound in 100..2000 {
                assert!(chooser.choose(&mut random, bound) < bound, "{distribution}");
            }
        }
    }
}
