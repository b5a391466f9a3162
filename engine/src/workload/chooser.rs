//! Choosing keys by YCSB's request distributions.

use super::gaussian::Gaussian;
use super::keys::fnv_hash;
use super::place::Place;
use super::random::Random;
use super::series::Points;
use super::stride::stride_for;
use super::zipfian::{Skew, Zipf, Zipfian};
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
    /// A hot set, the lowest numbers, and the others; each alike in itself.
    Hotspot {
        /// First record.
        start: u64,
        /// Records.
        count: u64,
        /// Of them, hot ones.
        hot: u64,
        /// Share of the draws that are hot.
        share: f64,
    },
    /// The newest most often: ages are exponential.
    Exponential {
        /// Their mean, records.
        mean: f64,
    },
    /// All that were inserted so far alike.
    UniformGrowing {
        /// First record.
        start: u64,
    },
    /// A true Zipf, ranks scattered one to one.
    Zipf {
        /// Of ranks.
        ranks: Zipf,
        /// First record.
        start: u64,
        /// Records.
        count: u64,
        /// Without a common divisor with `count`.
        stride: u64,
    },
    /// A bell over a slice.
    Gaussian {
        /// Of places in the slice.
        places: Gaussian,
        /// First record.
        start: u64,
    },
    /// Points of time series: a name by another chooser, any of its series, any moment.
    Points {
        /// Of names.
        keys: Box<Self>,
        /// How many.
        count: u64,
        /// The series.
        points: Points,
        /// Beyond this number of points none is chosen.
        most: u64,
    },
}

impl KeyChooser {
    /// The chooser of a shard. `expected_inserts`: how many records the phase may add; YCSB
    /// scatters zipfian ranks over twice as many, so that hot keys stay hot while it grows.
    ///
    /// Takes a while for `latest` over many records: a million terms are summed.
    #[must_use]
    pub fn new(workload: &Workload, expected_inserts: u64, place: Place) -> Self {
        let (start, count) = (workload.insert_start, workload.slice_length());
        if let Some(series) = &workload.time_series {
            let count = series.series_keys;
            let keys = Workload { record_count: count, time_series: None, ..workload.clone() };
            let keys = match Self::new(&keys, 0, place) {
                // No name will be added.
                Self::Zipfian { ranks, start, .. } => Self::Zipfian { ranks, start, count },
                other => other,
            };
            // A driver's own count of new points says nothing of the series they are of, where
            // others insert beside it.
            let most = if place.share.of > 1 { workload.record_count } else { u64::MAX };
            return Self::Points { keys: Box::new(keys), count, points: Points::new(series), most };
        }
        match workload.request_distribution {
            Distribution::Uniform => Self::Uniform { start, count },
            Distribution::Zipfian => Self::Zipfian {
                ranks: Zipfian::new(Skew::scrambled()),
                start,
                // The upper end is inclusive in YCSB: one more than exists, redrawn when chosen.
                count: count + expected_inserts * 2 + 1,
            },
            Distribution::Sequential => {
                let (position, threads) = place.among_all();
                Self::Sequential { start, count, next: position % count, step: threads }
            }
            Distribution::Latest => {
                Self::Latest { ages: Zipfian::new(Skew::over(workload.record_count)) }
            }
            Distribution::Hotspot => Self::Hotspot {
                start,
                count,
                hot: share_of(count, workload.hotspot_data_fraction),
                share: workload.hotspot_operation_fraction,
            },
            Distribution::Exponential => {
                let records = workload.record_count as f64 * workload.exponential_fraction;
                let logarithm = (1.0 - workload.exponential_percentile / 100.0).ln();
                Self::Exponential { mean: records / -logarithm }
            }
            Distribution::UniformGrowing => Self::UniformGrowing { start },
            Distribution::Zipf => Self::Zipf {
                ranks: Zipf::new(count, workload.zipf_theta),
                start,
                count,
                stride: stride_for(count),
            },
            Distribution::Gaussian => Self::Gaussian {
                places: Gaussian::over(count, workload.gaussian_median, workload.gaussian_stddev),
                start,
            },
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
            other => other.choose_rarer(random, bound),
        }
    }

    /// The choosers that are not counted by `make bench-engine`.
    #[inline(never)]
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // saturates
    fn choose_rarer(&mut self, random: &mut Random, bound: u64) -> u64 {
        match self {
            Self::Hotspot { start, count, hot, share } => {
                let is_hot = random.unit() < *share;
                if (is_hot && *hot > 0) || *hot == *count {
                    *start + random.below(*hot)
                } else {
                    *start + *hot + random.below(*count - *hot)
                }
            }
            Self::Exponential { mean } => loop {
                let age = (random.exponential() * *mean) as u64;
                if age < bound {
                    return bound - 1 - age;
                }
            },
            Self::UniformGrowing { start } => *start + random.below(bound - *start),
            Self::Zipf { ranks, start, count, stride } => {
                let place = u128::from(ranks.draw(random)) * u128::from(*stride);
                *start + (place % u128::from(*count)) as u64
            }
            Self::Gaussian { places, start } => *start + places.draw(random),
            Self::Points { keys, count, points, most } => {
                let key = keys.choose(random, *count);
                points.of_key(key, random, bound.min(*most))
            }
            _ => unreachable!("chosen before"),
        }
    }
}

/// A share of a number of records, whole ones; YCSB casts too.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // at most `count`
fn share_of(count: u64, share: f64) -> u64 {
    ((count as f64 * share) as u64).min(count)
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
        counts_of(&workload(distribution, records), draws)
    }

    fn counts_of(workload: &Workload, draws: u32) -> Vec<u32> {
        let records = workload.record_count;
        let mut chooser = KeyChooser::new(workload, 0, Place::alone());
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
    fn growing_uniform_passes_chi_square_also_after_it_has_grown() {
        let mut chooser = KeyChooser::new(&workload("uniform_growing", 500), 0, Place::alone());
        let mut random = Random::new(5, [0; 3]);
        for bound in [500, 1000] {
            let mut counts = vec![0_u32; usize::try_from(bound).unwrap()];
            for _ in 0..500 * bound {
                let number = chooser.choose(&mut random, bound);
                counts[usize::try_from(number).unwrap()] += 1;
            }
            let found = chi_square(&counts, |_| 500.0);
            assert!(found < limit(bound as f64 - 1.0), "{found}");
        }
    }

    #[test]
    fn hotspot_passes_chi_square() {
        for (data, operations, hot) in [(0.2, 0.8, 200), (0.0, 0.5, 0), (1.0, 0.3, 1000)] {
            let mut workload = workload("hotspot", 1000);
            workload.hotspot_data_fraction = data;
            workload.hotspot_operation_fraction = operations;
            let share = if hot == 0 {
                0.0
            } else if hot == 1000 {
                1.0
            } else {
                operations
            };
            let found = chi_square(&counts_of(&workload, 1_000_000), |number| {
                if number < hot {
                    1e6 * share / hot as f64
                } else {
                    1e6 * (1.0 - share) / (1000 - hot) as f64
                }
            });
            assert!(found < limit(999.0), "{hot}: {found}");
        }
    }

    #[test]
    fn exponential_passes_chi_square() {
        // The whole part of an exponential with mean m is geometric; draws beyond the records are
        // drawn again.
        let workload = workload("exponential", 300);
        let mean = 300.0 * workload.exponential_fraction / -(0.05_f64.ln());
        let stays = (-1.0 / mean).exp();
        let all = 1.0 - stays.powi(300);
        let draws = 1_000_000_u32;
        let found = chi_square(&counts_of(&workload, draws), |number| {
            let age = i32::try_from(299 - number).unwrap();
            f64::from(draws) * stays.powi(age) * (1.0 - stays) / all
        });
        assert!(found < limit(299.0), "{found}");
    }

    #[test]
    fn zipf_of_any_exponent_passes_chi_square() {
        for theta in [0.2, 0.5, 0.99, 1.0, 1.2, 2.0] {
            let mut workload = workload("zipf", 500);
            workload.zipf_theta = theta;
            let chooser = KeyChooser::new(&workload, 0, Place::alone());
            let KeyChooser::Zipf { stride, .. } = chooser else { unreachable!() };
            let zeta: f64 = (1..=500).map(|rank| f64::from(rank).powf(-theta)).sum();
            let mut shares = vec![0.0; 500];
            for rank in 0..500_u32 {
                let place = u128::from(rank) * u128::from(stride) % 500;
                shares[usize::try_from(place).unwrap()] = f64::from(rank + 1).powf(-theta) / zeta;
            }
            assert!(shares.iter().all(|&share| share > 0.0), "every record has a rank");
            let draws = 2_000_000_u32;
            let counts = counts_of(&workload, draws);
            // What is too rare for the test is taken together.
            let (mut seen, mut expected) = (vec![0], vec![0.0]);
            for (count, share) in counts.iter().zip(&shares) {
                let wanted = share * f64::from(draws);
                if wanted < 10.0 {
                    seen[0] += count;
                    expected[0] += wanted;
                } else {
                    seen.push(*count);
                    expected.push(wanted);
                }
            }
            let from = usize::from(expected[0] < 10.0);
            let found = chi_square(&seen[from..], |index| expected[index + from]);
            assert!(found < limit((seen.len() - from) as f64 - 1.0), "{theta}: {found}");
        }
    }

    #[test]
    fn zipfian_passes_chi_square_against_its_definition() {
        // Shares of the ranks by lengths of the unit intervals that lead to them, then scattered.
        // Ranks beyond the first million are so many and so alike that they are uniform: what
        // their hashes leave modulo 50 is.
        let records = 50;
        let ranks = Zipfian::new(Skew::scrambled());
        let mut shares = vec![0.0; 51];
        let exact = 200_000;
        let boundary = |rank: u64| {
            let (mut low, mut high) = (0.0, 1.0);
            for _ in 0..80 {
                let middle = f64::midpoint(low, high);
                if ranks.rank(middle) < rank { low = middle } else { high = middle }
            }
            high
        };
        let mut last = 0.0;
        for rank in 0..exact {
            let next = boundary(rank + 1);
            let place = fnv_hash(rank).unsigned_abs() % (records + 1);
            shares[usize::try_from(place).unwrap()] += next - last;
            last = next;
        }
        let rest = (1.0 - last) / 51.0;
        // The one that does not exist is drawn again.
        let all = 1.0 - (shares[50] + rest);
        let draws = 1_000_000_u32;
        let counts = counts("zipfian", records, draws);
        let found = chi_square(&counts, |number| f64::from(draws) * (shares[number] + rest) / all);
        assert!(found < limit(49.0), "{found}");
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
            let place = Place { shard, shards: 2, ..Place::alone() };
            let mut chooser = KeyChooser::new(&workload, 0, place);
            (0..6).map(|_| chooser.choose(&mut random, 5)).collect::<Vec<_>>()
        };
        assert_eq!(take(0), [0, 2, 4, 1, 3, 0]);
        assert_eq!(take(1), [1, 3, 0, 2, 4, 1]);
    }

    /// Shares of the hottest keys as measured with YCSB itself, in percent.
    ///
    /// The hottest keys of a sample have more of that sample than they are due, and less of
    /// another one than the truly hottest would have: the truth lies between. (Of 1,000 records
    /// the fifth was measured over 1,000 places, and is 1.0 more over the 1,001 that YCSB's core
    /// workload scatters over.)
    #[test]
    fn zipfian_is_as_skewed_as_ycsbs() {
        for (records, hottest, ten, one_percent, fifth) in [
            (1000_u32, 3.9, 13.0, 13.0, 39.0),
            (100_000, 3.8, 12.0, 30.0, 53.0),
            (1_000_000, 3.8, 12.0, 40.0, 63.0),
            (10_000_000, 3.8, 12.0, 50.0, 78.0),
        ] {
            let workload = workload("zipfian", u64::from(records));
            let mut chooser = KeyChooser::new(&workload, 0, Place::alone());
            let mut random = Random::new(99, [0; 3]);
            let draws = (records * 3).clamp(2_000_000, 15_000_000);
            let mut counts = vec![(0_u32, 0_u32); records as usize];
            for _ in 0..draws {
                let mut draw = || chooser.choose(&mut random, u64::from(records));
                counts[usize::try_from(draw()).unwrap()].0 += 1;
                counts[usize::try_from(draw()).unwrap()].1 += 1;
            }
            counts.sort_unstable_by_key(|count| std::cmp::Reverse(count.0));
            for (keys, share, tolerance) in [
                (1, hottest, 0.15),
                (10, ten, 1.0),
                (records / 100, one_percent, 1.0),
                (records / 5, fifth, 1.2),
            ] {
                let top = &counts[..keys as usize];
                let (own, other) =
                    top.iter().fold((0, 0), |sum, count| (sum.0 + count.0, sum.1 + count.1));
                let percent = |sum: u32| 100.0 * f64::from(sum) / f64::from(draws);
                let (high, low) = (percent(own) + tolerance, percent(other) - tolerance);
                assert!((low..high).contains(&share), "{keys} of {records}: {low} to {high}");
            }
        }
    }

    #[test]
    fn a_number_that_is_not_acknowledged_is_never_chosen() {
        for distribution in crate::order::Distribution::NAMES {
            let mut chooser = KeyChooser::new(&workload(distribution, 100), 5000, Place::alone());
            let mut random = Random::new(3, [0; 3]);
            for bound in 100..2000 {
                assert!(chooser.choose(&mut random, bound) < bound, "{distribution}");
            }
        }
    }
}
