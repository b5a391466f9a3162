//! The time series of a workload.

use serde::Deserialize;

use super::{OrderRefused, refuse, within};

/// Most time series.
const MOST_SERIES: u64 = 1_000_000_000;
/// Letters that names are made of.
pub(crate) const LETTERS: u64 = 52;
/// The first moment when none is given: the beginning of 2017, in seconds.
const START_SECONDS: u64 = 1_483_228_800;

/// Records are the data points of time series, as in YCSB's `TimeSeriesWorkload`: all series have a
/// point at a moment before any has one at the next.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TimeSeries {
    /// Names of series.
    #[serde(default = "ten")]
    pub series_keys: u64,
    /// Values of each tag; every name has a series for every combination.
    #[serde(default = "four_tags")]
    pub tag_cardinalities: Vec<u64>,
    /// Letters in a name.
    #[serde(default = "eight")]
    pub key_length: usize,
    /// Letters in a tag's value.
    #[serde(default = "eight")]
    pub tag_value_length: usize,
    /// What moments are counted in.
    #[serde(default)]
    pub unit: TimeUnit,
    /// The first moment; default: the beginning of 2017.
    #[serde(default)]
    pub start: Option<u64>,
    /// From one moment to the next.
    #[serde(default = "sixty")]
    pub interval: u64,
    /// The series of a moment are written in a shuffled order.
    #[serde(default = "yes")]
    pub shuffled: bool,
    /// Share of the series that are late.
    #[serde(default = "tenth")]
    pub delayed_fraction: f64,
    /// They are late by up to so many intervals, but for this one.
    #[serde(default = "five")]
    pub delayed_intervals: u64,
}

/// What moments are counted in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TimeUnit {
    /// Since 1970.
    #[default]
    Seconds,
    /// Since 1970.
    Milliseconds,
}

impl TimeUnit {
    /// Digits of a moment, so that keys of a series are in order of time.
    #[must_use]
    pub fn digits(self) -> usize {
        match self {
            Self::Seconds => 10,
            Self::Milliseconds => 13,
        }
    }
}

fn ten() -> u64 {
    10
}
fn four_tags() -> Vec<u64> {
    vec![1, 2, 4, 8]
}
fn eight() -> usize {
    8
}
fn sixty() -> u64 {
    60
}
fn yes() -> bool {
    true
}
fn tenth() -> f64 {
    0.1
}
fn five() -> u64 {
    5
}

impl TimeSeries {
    /// The first moment.
    #[must_use]
    pub fn first_moment(&self) -> u64 {
        self.start.unwrap_or(match self.unit {
            TimeUnit::Seconds => START_SECONDS,
            TimeUnit::Milliseconds => START_SECONDS * 1000,
        })
    }

    /// Series of one name.
    #[must_use]
    pub fn series_per_key(&self) -> u64 {
        self.tag_cardinalities.iter().product()
    }

    /// All series.
    #[must_use]
    pub fn series(&self) -> u64 {
        self.series_keys * self.series_per_key()
    }

    pub(super) fn check(&self) -> Result<(), OrderRefused> {
        let name = |parameter: &str| format!("workload.time_series.{parameter}");
        within(&name("series_keys"), &self.series_keys, &1, &1_000_000)?;
        within(&name("tag_cardinalities"), &self.tag_cardinalities.len(), &0, &16)?;
        for cardinality in &self.tag_cardinalities {
            within(&name("tag_cardinalities"), cardinality, &1, &1_000_000)?;
        }
        within(&name("key_length"), &self.key_length, &1, &128)?;
        within(&name("tag_value_length"), &self.tag_value_length, &1, &128)?;
        within(&name("interval"), &self.interval, &1, &1_000_000_000)?;
        within(&name("delayed_fraction"), &self.delayed_fraction, &0.0, &1.0)?;
        within(&name("delayed_intervals"), &self.delayed_intervals, &0, &1_000_000)?;
        let all = self.tag_cardinalities.iter().try_fold(self.series_keys, |all, &one| {
            all.checked_mul(one).filter(|&all| all <= MOST_SERIES)
        });
        if all.is_none() {
            return refuse(format!("workload.time_series: more than {MOST_SERIES} series"));
        }
        let names = |length: usize| {
            u32::try_from(length).ok().and_then(|length| LETTERS.checked_pow(length))
        };
        let too_short = |length, count| names(length).is_some_and(|names| names < count);
        if too_short(self.key_length, self.series_keys) {
            return refuse("workload.time_series.key_length: too short for so many series_keys");
        }
        let most = self.tag_cardinalities.iter().copied().max().unwrap_or(1);
        if too_short(self.tag_value_length, most) {
            return refuse("workload.time_series.tag_value_length: too short for so many values");
        }
        let late = self.interval * self.delayed_intervals;
        if self.first_moment() < late || self.first_moment() > 10_u64.pow(16) {
            return refuse("workload.time_series.start: late series would begin before 1970");
        }
        Ok(())
    }
}
