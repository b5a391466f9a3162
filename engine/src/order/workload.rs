//! The workload of an order.

use serde::Deserialize;
use weighhouse_driver_api::{Expiry, Lengths, Operation, RecordShape};

use super::{OrderRefused, TimeSeries, refuse, within};

/// How far the shares of the operations may be from adding up to 1.
const WEIGHT_TOLERANCE: f64 = 1e-6;

/// Bytes that keys may begin with.
const LONGEST_PREFIX: usize = 64;

/// Bytes of the longest field: a string of Redis.
const LONGEST_FIELD: usize = 512 << 20;

/// Lengths that zipfian draws of at most: each has a row in a table.
const MOST_RANKS: usize = 1_000_000;

/// Seconds until a record expires at the latest.
const LONGEST_TTL: u32 = 1_000_000_000;

/// YCSB's only exponent, also of lengths.
const ZIPFIAN_THETA: f64 = 0.99;

/// A workload in YCSB's terms.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(clippy::struct_excessive_bools)] // each is a field of the document
pub struct Workload {
    /// Short name.
    pub name: String,
    /// For people.
    #[serde(default)]
    pub description: String,
    /// Records in the table before the measured phase.
    #[serde(default = "thousand")]
    pub record_count: u64,
    /// First record number of this slice.
    #[serde(default)]
    pub insert_start: u64,
    /// Records in this slice; default: the rest.
    #[serde(default)]
    pub insert_count: Option<u64>,
    /// Fields in a record.
    #[serde(default = "ten")]
    pub field_count: u16,
    /// Bytes in a field; the most, when lengths are drawn.
    #[serde(default = "hundred")]
    pub field_length: usize,
    /// How the length of each value is drawn.
    #[serde(default)]
    pub field_length_distribution: LengthDistribution,
    /// The shortest value, when lengths are drawn.
    #[serde(default = "one_byte")]
    pub min_field_length: usize,
    /// Lengths and their weights.
    #[serde(default)]
    pub field_length_histogram: Vec<(usize, f64)>,
    /// What names of fields begin with.
    #[serde(default = "field")]
    pub field_name_prefix: String,
    /// Reads take all fields, not one.
    #[serde(default = "yes")]
    pub read_all_fields: bool,
    /// Reads of all fields name them.
    #[serde(default)]
    pub read_fields_by_name: bool,
    /// Updates write all fields, not one.
    #[serde(default)]
    pub write_all_fields: bool,
    /// Share of each operation.
    #[serde(default)]
    pub operations: Mix,
    /// How keys are chosen.
    #[serde(default)]
    pub request_distribution: Distribution,
    /// Exponent of [`Distribution::Zipf`].
    #[serde(default = "ninety_nine_hundredths")]
    pub zipf_theta: f64,
    /// Constant of [`Distribution::Zipfian`].
    #[serde(default = "ninety_nine_hundredths")]
    pub zipfian_constant: f64,
    /// Share of the records that are hot.
    #[serde(default = "fifth")]
    pub hotspot_data_fraction: f64,
    /// Share of the operations that go to them.
    #[serde(default = "four_fifths")]
    pub hotspot_operation_fraction: f64,
    /// Percentage of operations that go to the newest share of records.
    #[serde(default = "ninety_five")]
    pub exponential_percentile: f64,
    /// That share.
    #[serde(default = "six_sevenths")]
    pub exponential_fraction: f64,
    /// Where [`Distribution::Gaussian`] is highest, as a share of the key space.
    #[serde(default = "half")]
    pub gaussian_median: f64,
    /// Its standard deviation, as a share of the key space.
    #[serde(default = "sixth")]
    pub gaussian_stddev: f64,
    /// Fewest records of a scan.
    #[serde(default = "one_record")]
    pub min_scan_length: u16,
    /// Most records of a scan.
    #[serde(default = "thousand_records")]
    pub max_scan_length: u16,
    /// How the length of a scan is drawn.
    #[serde(default)]
    pub scan_length_distribution: ScanLengthDistribution,
    /// How record numbers become keys.
    #[serde(default)]
    pub insert_order: InsertOrder,
    /// What keys begin with; none: YCSB's `user`, and points of time series with nothing.
    #[serde(default)]
    pub key_prefix: Option<String>,
    /// Digits that keys are padded to.
    #[serde(default = "one_digit")]
    pub zero_padding: usize,
    /// Share of reads whose values are checked.
    #[serde(default)]
    pub verify_fraction: f64,
    /// Share of each value that repeats one character.
    #[serde(default)]
    pub value_repetition: f64,
    /// Seconds after which a written record expires.
    #[serde(default)]
    pub ttl_seconds: Option<u32>,
    /// Which writes expire, and when.
    #[serde(default)]
    pub expiry: Option<ExpiryDraw>,
    /// Records that one read asks for.
    #[serde(default = "one_record")]
    pub keys_per_read: u16,
    /// Share of reads that ask for a key that was never inserted.
    #[serde(default)]
    pub read_miss_fraction: f64,
    /// A read that finds nothing is followed by a write of the record.
    #[serde(default)]
    pub fill_on_miss: bool,
    /// Operations after which a connection is closed and opened anew; none: it stays.
    #[serde(default)]
    pub reconnect_every: Option<u64>,
    /// How often the load phase tries again to insert a record.
    #[serde(default = "three_times")]
    pub insert_retry_limit: u8,
    /// Records are data points of time series.
    #[serde(default)]
    pub time_series: Option<TimeSeries>,
}

/// A share of the writes that expires.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExpiryDraw {
    /// The share.
    pub fraction: f64,
    /// The shortest time, seconds.
    pub min_seconds: u32,
    /// The longest time, seconds.
    pub max_seconds: u32,
}

impl ExpiryDraw {
    fn check(&self) -> Result<(), OrderRefused> {
        within("workload.expiry.fraction", &self.fraction, &f64::MIN_POSITIVE, &1.0)?;
        within("workload.expiry.max_seconds", &self.max_seconds, &1, &LONGEST_TTL)?;
        within("workload.expiry.min_seconds", &self.min_seconds, &1, &self.max_seconds)
    }
}

/// Shares of the operations; they add up to 1.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Mix {
    /// Share of reads.
    #[serde(default)]
    pub read: f64,
    /// Share of updates.
    #[serde(default)]
    pub update: f64,
    /// Share of inserts.
    #[serde(default)]
    pub insert: f64,
    /// Share of scans.
    #[serde(default)]
    pub scan: f64,
    /// Share of reads that are followed by an update of the same record.
    #[serde(default)]
    pub read_modify_write: f64,
    /// Share of deletes.
    #[serde(default)]
    pub delete: f64,
}

impl Default for Mix {
    fn default() -> Self {
        Self { read: 0.95, update: 0.05, ..Self::NONE }
    }
}

impl Mix {
    /// Nothing.
    pub const NONE: Self = Self {
        read: 0.0,
        update: 0.0,
        insert: 0.0,
        scan: 0.0,
        read_modify_write: 0.0,
        delete: 0.0,
    };

    /// The share of an operation.
    #[must_use]
    pub fn share(&self, operation: Operation) -> f64 {
        match operation {
            Operation::Read => self.read,
            Operation::Update => self.update,
            Operation::Insert => self.insert,
            Operation::Scan => self.scan,
            Operation::ReadModifyWrite => self.read_modify_write,
            Operation::Delete => self.delete,
        }
    }
}

/// How keys are chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Distribution {
    /// All keys alike.
    #[default]
    Uniform,
    /// YCSB's scrambled zipfian.
    Zipfian,
    /// One after another, over and over.
    Sequential,
    /// The newest keys most often.
    Latest,
    /// A hot set most often.
    Hotspot,
    /// The newest keys most often, by an exponential distribution of their age.
    Exponential,
    /// All keys alike, those inserted meanwhile among them.
    UniformGrowing,
    /// A true Zipf of any exponent.
    Zipf,
    /// A bell around a key.
    Gaussian,
}

impl Distribution {
    /// The names of all in documents.
    pub const NAMES: [&str; 9] = [
        "uniform",
        "zipfian",
        "sequential",
        "latest",
        "hotspot",
        "exponential",
        "uniform_growing",
        "zipf",
        "gaussian",
    ];
}

/// How the length of a value is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LengthDistribution {
    /// All alike.
    #[default]
    Constant,
    /// All lengths alike.
    Uniform,
    /// Short ones most often.
    Zipfian,
    /// By given weights.
    Histogram,
}

/// How the length of a scan is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ScanLengthDistribution {
    /// All lengths alike.
    #[default]
    Uniform,
    /// Short ones most often.
    Zipfian,
}

/// How record numbers become keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum InsertOrder {
    /// `user` and the number's FNV hash.
    #[default]
    Hashed,
    /// `user` and the number.
    Ordered,
}

fn one_digit() -> usize {
    1
}
fn thousand() -> u64 {
    1000
}
fn ten() -> u16 {
    10
}
fn hundred() -> usize {
    100
}
fn field() -> String {
    "field".to_owned()
}
fn yes() -> bool {
    true
}
fn one_byte() -> usize {
    1
}
fn one_record() -> u16 {
    1
}
fn thousand_records() -> u16 {
    1000
}
fn three_times() -> u8 {
    3
}
fn ninety_nine_hundredths() -> f64 {
    0.99
}
fn half() -> f64 {
    0.5
}
fn sixth() -> f64 {
    0.166_666_666_7
}
fn fifth() -> f64 {
    0.2
}
fn four_fifths() -> f64 {
    0.8
}
fn ninety_five() -> f64 {
    95.0
}
fn six_sevenths() -> f64 {
    0.857_142_857_1
}

impl Workload {
    pub(super) fn check(&self) -> Result<(), OrderRefused> {
        within("workload.record_count", &self.record_count, &1, &1_000_000_000_000)?;
        within("workload.field_count", &self.field_count, &1, &1000)?;
        within("workload.field_length", &self.field_length, &1, &LONGEST_FIELD)?;
        within("workload.zero_padding", &self.zero_padding, &1, &180)?;
        self.check_prefix()?;
        within("workload.verify_fraction", &self.verify_fraction, &0.0, &1.0)?;
        self.check_draws()?;
        if let Some(series) = &self.time_series {
            series.check()?;
            self.check_points(series)?;
        }
        let mut characters = self.field_name_prefix.chars();
        if !characters.next().is_some_and(|first| first.is_ascii_alphabetic())
            || !characters.all(|next| next.is_ascii_alphanumeric() || next == '_')
        {
            return refuse("workload.field_name_prefix: a letter, then letters, digits or _");
        }
        self.check_fills()?;
        if self.insert_start >= self.record_count
            || self.insert_count.unwrap_or(1) > self.record_count - self.insert_start
        {
            return refuse("workload.insert_start + insert_count is beyond record_count");
        }
        let mut total = 0.0;
        for operation in Operation::ALL {
            let share = self.operations.share(operation);
            within(&format!("workload.operations.{}", operation.name()), &share, &0.0, &1.0)?;
            total += share;
        }
        if (total - 1.0).abs() > WEIGHT_TOLERANCE {
            return refuse(format!("workload.operations: the shares add up to {total}, not 1"));
        }
        Ok(())
    }

    /// What is filled is one record, and may be all there is.
    fn check_fills(&self) -> Result<(), OrderRefused> {
        if self.insert_count == Some(0) && !self.fill_on_miss {
            return refuse("workload.insert_count: at least 1, or 0 with fill_on_miss");
        }
        within("workload.reconnect_every", &self.reconnect_every.unwrap_or(1), &1, &1_000_000_000)?;
        if self.fill_on_miss && self.keys_per_read > 1 {
            return refuse("workload.fill_on_miss: reads are of one record, keys_per_read: 1");
        }
        if self.fill_on_miss && self.time_series.is_some() {
            return refuse("workload.fill_on_miss: points of time_series are not filled");
        }
        Ok(())
    }

    /// Memcached's keys have at most 250 bytes, all of them printable.
    fn check_prefix(&self) -> Result<(), OrderRefused> {
        let Some(prefix) = &self.key_prefix else { return Ok(()) };
        within("workload.key_prefix", &prefix.len(), &1, &LONGEST_PREFIX)?;
        if !prefix.bytes().all(|byte| byte.is_ascii_graphic()) {
            return refuse("workload.key_prefix: printable characters of ASCII, without blanks");
        }
        Ok(())
    }

    /// What is drawn: lengths, keys, misses.
    fn check_draws(&self) -> Result<(), OrderRefused> {
        within("workload.zipf_theta", &self.zipf_theta, &f64::MIN_POSITIVE, &10.0)?;
        let (least, most) = (f64::MIN_POSITIVE, 1.0 - f64::EPSILON);
        within("workload.zipfian_constant", &self.zipfian_constant, &least, &most)?;
        within("workload.hotspot_data_fraction", &self.hotspot_data_fraction, &0.0, &1.0)?;
        let hot = &self.hotspot_operation_fraction;
        within("workload.hotspot_operation_fraction", hot, &0.0, &1.0)?;
        within(
            "workload.exponential_percentile",
            &self.exponential_percentile,
            &1e-6,
            &99.999_999,
        )?;
        within("workload.exponential_fraction", &self.exponential_fraction, &1e-9, &1.0)?;
        within("workload.max_scan_length", &self.max_scan_length, &1, &10_000)?;
        within("workload.min_scan_length", &self.min_scan_length, &1, &self.max_scan_length)?;
        within("workload.value_repetition", &self.value_repetition, &0.0, &1.0)?;
        within("workload.read_miss_fraction", &self.read_miss_fraction, &0.0, &1.0)?;
        within("workload.keys_per_read", &self.keys_per_read, &1, &1000)?;
        within("workload.gaussian_median", &self.gaussian_median, &0.0, &1.0)?;
        within("workload.gaussian_stddev", &self.gaussian_stddev, &1e-9, &1.0)?;
        within("workload.ttl_seconds", &self.ttl_seconds.unwrap_or(1), &1, &LONGEST_TTL)?;
        if let Some(expiry) = &self.expiry {
            expiry.check()?;
            if self.ttl_seconds.is_some() {
                return refuse("workload.expiry: ttl_seconds says the same of all writes");
            }
        }
        within("workload.insert_retry_limit", &self.insert_retry_limit, &0, &100)?;
        if matches!(
            self.field_length_distribution,
            LengthDistribution::Uniform | LengthDistribution::Zipfian
        ) {
            within("workload.min_field_length", &self.min_field_length, &1, &self.field_length)?;
        }
        if self.field_length_distribution == LengthDistribution::Zipfian
            && self.field_length - self.min_field_length >= MOST_RANKS
        {
            return refuse(format!(
                "workload.min_field_length: zipfian draws of at most {MOST_RANKS} lengths"
            ));
        }
        let histogram = &self.field_length_histogram;
        let wanted = self.field_length_distribution == LengthDistribution::Histogram;
        let usable = |&(length, weight): &(usize, f64)| {
            (1..=LONGEST_FIELD).contains(&length) && weight > 0.0 && weight.is_finite()
        };
        if wanted == histogram.is_empty() || !histogram.iter().all(usable) {
            return refuse(
                "workload.field_length_histogram: pairs of a length within 1 and 536870912 and a \
                 weight above 0, if and only if field_length_distribution is histogram",
            );
        }
        if self.keys_per_read > 1
            && (self.verify_fraction > 0.0 || !self.read_all_fields || self.read_fields_by_name)
        {
            return refuse(
                "workload.keys_per_read: reads of several records read all of them, and are not \
                 verified",
            );
        }
        Ok(())
    }

    /// Whether the workload fits its time series.
    fn check_points(&self, series: &TimeSeries) -> Result<(), OrderRefused> {
        if self.record_count < series.series() {
            return refuse(format!(
                "workload.record_count: at least one data point for each of the {} series",
                series.series()
            ));
        }
        if self.insert_start > 0 || self.insert_count.is_some() {
            return refuse("workload.insert_start, insert_count: time series have no slices");
        }
        if matches!(
            self.request_distribution,
            Distribution::Latest | Distribution::Exponential | Distribution::UniformGrowing
        ) {
            return refuse(
                "workload.request_distribution: it chooses among names of series, which are not \
                 newer or older: uniform, zipfian, zipf, sequential, hotspot or gaussian",
            );
        }
        Ok(())
    }

    /// Records in this slice of the key space.
    #[must_use]
    pub fn slice_length(&self) -> u64 {
        self.insert_count.unwrap_or(self.record_count - self.insert_start)
    }

    /// Records that operations choose among: those of the slice; where what is missing is filled, all
    /// that the backing store has.
    #[must_use]
    pub fn asked_length(&self) -> u64 {
        if self.fill_on_miss { self.record_count - self.insert_start } else { self.slice_length() }
    }

    /// How records look, as far as the workload alone tells.
    pub(super) fn shape(&self) -> RecordShape {
        let mut shape =
            RecordShape::with_lengths(self.field_count, self.lengths(), &self.field_name_prefix);
        shape.expiry = self.when_it_expires();
        shape.reads_by_name = self.read_fields_by_name;
        shape.keys_per_read = self.keys_per_read;
        shape.key_prefix.clone_from(&self.key_prefix);
        shape
    }

    /// When records expire.
    #[must_use]
    pub fn when_it_expires(&self) -> Expiry {
        match (self.expiry, self.ttl_seconds) {
            (Some(ExpiryDraw { fraction, min_seconds, max_seconds }), _) => {
                Expiry::Drawn { fraction, min_seconds, max_seconds }
            }
            (None, Some(seconds)) => Expiry::All(seconds),
            (None, None) => Expiry::Never,
        }
    }

    fn lengths(&self) -> Lengths {
        let between = self.min_field_length..=self.field_length;
        let mut weights: Vec<(usize, f64)> = match self.field_length_distribution {
            LengthDistribution::Constant => return Lengths::Constant(self.field_length),
            LengthDistribution::Uniform => return Lengths::Uniform(between),
            LengthDistribution::Zipfian => {
                let weight = |rank: u32| f64::from(rank).powf(-ZIPFIAN_THETA);
                between.zip((1..).map(weight)).collect()
            }
            LengthDistribution::Histogram => self.field_length_histogram.clone(),
        };
        weights.sort_unstable_by_key(|&(length, _)| length);
        let total: f64 = weights.iter().map(|&(_, weight)| weight).sum();
        let mut seen = 0.0;
        let mut table: Vec<_> = weights
            .into_iter()
            .map(|(length, weight)| {
                seen += weight;
                (seen / total, length)
            })
            .collect();
        if let Some(last) = table.last_mut() {
            last.0 = 1.0;
        }
        Lengths::Drawn(table)
    }
}
