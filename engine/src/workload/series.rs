//! Record numbers as data points of time series.
//!
//! A point's number counts moments first and series within a moment second. Its key is what YCSB's
//! `TimeSeriesWorkload` advises for systems that have keys alone: the series' name, the values of
//! its tags, and the moment, with dots between; so the keys of a series are in order of time.

use super::digits::Digits;
use super::random::Random;
use super::stride::shuffle;
use crate::order::{LETTERS, TimeSeries};

/// The series of a moment and their order.
#[derive(Debug, Clone)]
pub struct Points {
    series: u64,
    per_key: u64,
    /// A series is its position within a moment times this, modulo `series`; and back.
    stride: u64,
    back: u64,
}

fn times(one: u64, other: u64, modulo: u64) -> u64 {
    let product = u128::from(one) * u128::from(other) % u128::from(modulo);
    u64::try_from(product).unwrap_or_default()
}

impl Points {
    /// As a workload says.
    #[must_use]
    pub fn new(described: &TimeSeries) -> Self {
        let series = described.series();
        let (stride, back) =
            if described.shuffled && series > 1 { shuffle(series) } else { (1, 1) };
        Self { series, per_key: described.series_per_key(), stride, back }
    }

    /// A point of a series name: any of its series, any moment at which all series have one, below
    /// `bound` points.
    pub(super) fn of_key(&self, key: u64, random: &mut Random, bound: u64) -> u64 {
        let moments = bound / self.series;
        if moments == 0 {
            return random.below(bound);
        }
        let series = key * self.per_key + random.below(self.per_key);
        random.below(moments) * self.series + times(series, self.back, self.series)
    }
}

/// Makes keys of points.
#[derive(Debug, Clone)]
pub(super) struct PointKeys {
    points: Points,
    described: TimeSeries,
    /// Series below this one are late.
    late: f64,
}

impl PointKeys {
    pub(super) fn new(described: &TimeSeries) -> Self {
        let points = Points::new(described);
        let late = described.delayed_fraction * points.series as f64;
        Self { points, described: described.clone(), late }
    }

    /// Puts the key of a point, behind a prefix, into a buffer, in place of what was there.
    #[inline(never)]
    pub(super) fn write(&self, number: u64, prefix: &[u8], key: &mut Vec<u8>) {
        let (described, points) = (&self.described, &self.points);
        let (moment, position) = (number / points.series, number % points.series);
        let series = times(position, points.stride, points.series);
        key.clear();
        key.extend_from_slice(prefix);
        letters(series / points.per_key, described.key_length, key);
        let (mut within, mut below) = (series % points.per_key, points.per_key);
        for cardinality in &described.tag_cardinalities {
            below /= cardinality;
            key.push(b'.');
            letters(within / below, described.tag_value_length, key);
            within %= below;
        }
        key.push(b'.');
        let late = if (series as f64) < self.late && described.delayed_intervals > 0 {
            series % described.delayed_intervals * described.interval
        } else {
            0
        };
        // A point that is asked for and was never written may be later than all time.
        let since = moment.wrapping_mul(described.interval);
        let digits = Digits::of(described.first_moment().wrapping_add(since) - late);
        key.extend(std::iter::repeat_n(b'0', described.unit.digits().saturating_sub(digits.len())));
        digits.append(key);
    }
}

/// A number in letters, A to Z and then a to z, the last one counting fastest.
fn letters(number: u64, length: usize, out: &mut Vec<u8>) {
    const ALPHABET: &[u8; 52] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    let start = out.len();
    let mut rest = number;
    for _ in 0..length {
        out.push(ALPHABET[usize::try_from(rest % LETTERS).unwrap_or_default()]);
        rest /= LETTERS;
    }
    out[start..].reverse();
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    fn described(changes: &serde_json::Value) -> TimeSeries {
        let mut whole = serde_json::json!({
            "series_keys": 3, "tag_cardinalities": [1, 2, 4], "key_length": 2,
            "tag_value_length": 2, "start": 1_483_228_800, "shuffled": false,
            "delayed_fraction": 0.0,
        });
        for (name, value) in changes.as_object().unwrap() {
            whole[name] = value.clone();
        }
        serde_json::from_value(whole).unwrap()
    }

    fn key(described: &TimeSeries, number: u64) -> String {
        let mut key = b"left over".to_vec();
        PointKeys::new(described).write(number, b"", &mut key);
        String::from_utf8(key).unwrap()
    }

    #[test]
    fn all_series_have_a_point_before_the_next_moment() {
        let plain = described(&serde_json::json!({}));
        // The last tag counts fastest, then the one before it, then the name.
        for (number, expected) in [
            (0, "AA.AA.AA.AA.1483228800"),
            (1, "AA.AA.AA.AB.1483228800"),
            (4, "AA.AA.AB.AA.1483228800"),
            (8, "AB.AA.AA.AA.1483228800"),
            (23, "AC.AA.AB.AD.1483228800"),
            (24, "AA.AA.AA.AA.1483228860"),
        ] {
            assert_eq!(key(&plain, number), expected);
        }
        let mut after_z = Vec::new();
        letters(26 + 52, 3, &mut after_z);
        assert_eq!(after_z, b"ABa");
    }

    #[test]
    fn a_shuffled_moment_has_every_series_once() {
        for keys in [1, 3, 5, 64] {
            let shuffled = described(&serde_json::json!({"series_keys": keys, "shuffled": true}));
            let count = keys * 8;
            let points: HashSet<String> = (0..count).map(|one| key(&shuffled, one)).collect();
            assert_eq!(points.len() as u64, count);
            assert!(points.iter().all(|key| key.ends_with(".1483228800")));
        }
    }

    #[test]
    fn late_series_are_late_by_their_own_number_of_intervals() {
        let late =
            described(&serde_json::json!({"delayed_fraction": 0.25, "delayed_intervals": 4}));
        for (number, expected) in
            [(0, "800"), (1, "740"), (3, "620"), (4, "800"), (5, "740"), (6, "800"), (23, "800")]
        {
            assert!(key(&late, number).ends_with(expected), "{number}: {}", key(&late, number));
        }
        let unlike: HashSet<String> = (0..24 * 20).map(|one| key(&late, one)).collect();
        assert_eq!(unlike.len(), 24 * 20);
    }

    #[test]
    fn points_of_a_name_are_its_own_at_any_whole_moment() {
        let shuffled = described(&serde_json::json!({"shuffled": true}));
        let points = Points::new(&shuffled);
        let mut random = Random::new(1, [0; 3]);
        let mut seen = HashSet::new();
        for _ in 0..5000 {
            let number = points.of_key(2, &mut random, 24 * 5 + 7);
            assert!(number < 24 * 5);
            assert!(key(&shuffled, number).starts_with("AC."));
            seen.insert(number);
        }
        assert_eq!(seen.len(), 8 * 5);
        assert!(points.of_key(2, &mut random, 5) < 5);
    }
}
