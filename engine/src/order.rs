//! The order: what a driver reads on standard input.
//!
//! Field names, defaults and limits are those of `weighhouse_protocol.driver`; the fixtures in
//! `protocol/fixtures/driver` keep the two sides from drifting apart.

use serde::Deserialize;
use weighhouse_driver_api::{Operation, Options, RecordShape};

/// How far the shares of the operations may be from adding up to 1.
const WEIGHT_TOLERANCE: f64 = 1e-6;

/// An order that cannot be carried out, with the path of what is wrong.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error("{0}")]
pub struct OrderRefused(pub String);

fn refuse<T>(message: impl Into<String>) -> Result<T, OrderRefused> {
    Err(OrderRefused(message.into()))
}

/// What a driver is to do.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Order {
    /// Version of the driver's protocol: 1.
    #[serde(default = "one")]
    pub protocol: u64,
    /// Records, operations and how keys are chosen.
    pub workload: Workload,
    /// Where the system is.
    pub target: Target,
    /// How hard to load it.
    pub load: Load,
    /// One after another.
    pub phases: Vec<Phase>,
    /// Of everything that is random.
    pub seed: u64,
    /// Seconds between two `interval` events.
    #[serde(default = "one_second")]
    pub interval_seconds: f64,
    /// Threads that make load, each with its share of the connections.
    #[serde(default = "one")]
    pub shards: u64,
}

/// A workload in YCSB's terms.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
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
    pub field_count: u32,
    /// Bytes in a field.
    #[serde(default = "hundred")]
    pub field_length: usize,
    /// What names of fields begin with.
    #[serde(default = "field")]
    pub field_name_prefix: String,
    /// Reads take all fields, not one.
    #[serde(default = "yes")]
    pub read_all_fields: bool,
    /// Updates write all fields, not one.
    #[serde(default)]
    pub write_all_fields: bool,
    /// Share of each operation.
    #[serde(default)]
    pub operations: Mix,
    /// How keys are chosen.
    #[serde(default)]
    pub request_distribution: Distribution,
    /// How record numbers become keys.
    #[serde(default)]
    pub insert_order: InsertOrder,
    /// Digits that keys are padded to.
    #[serde(default = "one_digit")]
    pub zero_padding: usize,
    /// Share of reads whose values are checked.
    #[serde(default)]
    pub verify_fraction: f64,
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
}

impl Default for Mix {
    fn default() -> Self {
        Self { read: 0.95, update: 0.05, insert: 0.0 }
    }
}

impl Mix {
    /// The share of an operation.
    #[must_use]
    pub fn share(&self, operation: Operation) -> f64 {
        match operation {
            Operation::Read => self.read,
            Operation::Update => self.update,
            Operation::Insert => self.insert,
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

/// Where the system is.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Target {
    /// `tcp://HOST:PORT`, `unix:///PATH` or `file:///DIRECTORY`.
    pub endpoints: Vec<String>,
    /// The driver's options.
    #[serde(default)]
    pub options: Options,
}

/// How hard to load the system.
#[derive(Debug, Clone, Deserialize)]
#[serde(tag = "model", rename_all = "snake_case", deny_unknown_fields)]
pub enum Load {
    /// Each client waits for its answer before it asks again.
    Closed {
        /// Concurrent clients.
        clients: usize,
        /// Requests a client keeps in flight.
        #[serde(default = "one_request")]
        pipeline: usize,
        /// Pause between an answer and the next request, µs.
        #[serde(default)]
        think_time_us: u64,
    },
    /// Operations are due at their times.
    Open {
        /// How their times are drawn.
        #[serde(default)]
        arrival: Arrival,
        /// Operations due a second.
        rate_per_second: f64,
        /// Connections they go out over.
        #[serde(default = "eight")]
        connections: usize,
        /// Operations that wait for an answer at once, at most.
        #[serde(default = "kibi")]
        max_in_flight: usize,
    },
}

/// How the times of an open loop are drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Arrival {
    /// Evenly.
    #[default]
    Constant,
    /// A Poisson process.
    Poisson,
}

/// One phase of the plan; it ends at the first of its limits.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Phase {
    /// What is done.
    pub kind: PhaseKind,
    /// Limit in seconds.
    #[serde(default)]
    pub duration_seconds: Option<f64>,
    /// Limit in operations.
    #[serde(default)]
    pub operation_count: Option<u64>,
    /// Clients of a load phase.
    #[serde(default)]
    pub clients: Option<usize>,
}

/// What is done in a phase.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum PhaseKind {
    /// Inserts the records.
    Load,
    /// The workload, not to be counted.
    Warmup,
    /// The workload.
    Measure,
}

fn one() -> u64 {
    1
}
fn one_second() -> f64 {
    1.0
}
fn one_digit() -> usize {
    1
}
fn one_request() -> usize {
    1
}
fn thousand() -> u64 {
    1000
}
fn ten() -> u32 {
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
fn eight() -> usize {
    8
}
fn kibi() -> usize {
    1024
}

fn within<T: PartialOrd + std::fmt::Display>(
    path: &str,
    value: &T,
    low: &T,
    high: &T,
) -> Result<(), OrderRefused> {
    if value >= low && value <= high {
        Ok(())
    } else {
        refuse(format!("{path}: {value} is not within {low} and {high}"))
    }
}

impl Order {
    /// Reads an order.
    ///
    /// # Errors
    /// When it is not JSON, has an unknown key, lacks one, or a value is out of its limits.
    pub fn parse(text: &str) -> Result<Self, OrderRefused> {
        let order: Self =
            serde_json::from_str(text).map_err(|error| OrderRefused(error.to_string()))?;
        order.check()?;
        Ok(order)
    }

    fn check(&self) -> Result<(), OrderRefused> {
        if self.protocol != 1 {
            return refuse(format!("protocol: {} is unknown; this driver speaks 1", self.protocol));
        }
        within("interval_seconds", &self.interval_seconds, &0.05, &60.0)?;
        within("shards", &self.shards, &1, &256)?;
        if self.target.endpoints.is_empty() {
            return refuse("target.endpoints: at least one is needed");
        }
        self.workload.check()?;
        self.load.check()?;
        if self.phases.is_empty() {
            return refuse("phases: at least one is needed");
        }
        for (index, phase) in self.phases.iter().enumerate() {
            phase.check(index)?;
        }
        Ok(())
    }

    /// The most clients that any phase has.
    #[must_use]
    pub fn most_clients(&self) -> usize {
        let level = self.load.clients();
        self.phases
            .iter()
            .filter(|phase| phase.kind == PhaseKind::Load)
            .filter_map(|phase| phase.clients)
            .fold(level, usize::max)
    }
}

impl Workload {
    fn check(&self) -> Result<(), OrderRefused> {
        within("workload.record_count", &self.record_count, &1, &1_000_000_000_000)?;
        within("workload.field_count", &self.field_count, &1, &1000)?;
        within("workload.field_length", &self.field_length, &1, &1_000_000)?;
        within("workload.zero_padding", &self.zero_padding, &1, &32)?;
        within("workload.verify_fraction", &self.verify_fraction, &0.0, &1.0)?;
        let mut characters = self.field_name_prefix.chars();
        if !characters.next().is_some_and(|first| first.is_ascii_alphabetic())
            || !characters.all(|next| next.is_ascii_alphanumeric() || next == '_')
        {
            return refuse("workload.field_name_prefix: a letter, then letters, digits or _");
        }
        if self.insert_count == Some(0) {
            return refuse("workload.insert_count: at least 1");
        }
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

    /// Records in this slice of the key space.
    #[must_use]
    pub fn slice_length(&self) -> u64 {
        self.insert_count.unwrap_or(self.record_count - self.insert_start)
    }

    /// How records look.
    #[must_use]
    pub fn shape(&self) -> RecordShape {
        RecordShape::new(self.field_count, self.field_length, &self.field_name_prefix)
    }
}

impl Load {
    fn check(&self) -> Result<(), OrderRefused> {
        match self {
            Self::Closed { clients, pipeline, think_time_us } => {
                within("load.clients", clients, &1, &10_000)?;
                within("load.pipeline", pipeline, &1, &1000)?;
                within("load.think_time_us", think_time_us, &0, &60_000_000)
            }
            Self::Open { rate_per_second, connections, max_in_flight, .. } => {
                if rate_per_second.is_nan() || *rate_per_second <= 0.0 {
                    return refuse("load.rate_per_second: more than 0");
                }
                within("load.rate_per_second", rate_per_second, &0.0, &50_000_000.0)?;
                within("load.connections", connections, &1, &10_000)?;
                within("load.max_in_flight", max_in_flight, &1, &1_000_000)
            }
        }
    }

    /// Clients of a closed loop, connections of an open one.
    #[must_use]
    pub fn clients(&self) -> usize {
        match self {
            Self::Closed { clients, .. } => *clients,
            Self::Open { connections, .. } => *connections,
        }
    }
}

impl Phase {
    fn check(&self, index: usize) -> Result<(), OrderRefused> {
        if let Some(seconds) = self.duration_seconds
            && !(seconds > 0.0 && seconds <= 604_800.0)
        {
            return refuse(format!(
                "phases[{index}].duration_seconds: {seconds} is not in (0, 604800]"
            ));
        }
        if self.operation_count == Some(0) {
            return refuse(format!("phases[{index}].operation_count: at least 1"));
        }
        if let Some(clients) = self.clients {
            within(&format!("phases[{index}].clients"), &clients, &1, &10_000)?;
        }
        if self.kind != PhaseKind::Load
            && self.duration_seconds.is_none()
            && self.operation_count.is_none()
        {
            return refuse(format!(
                "phases[{index}]: a duration_seconds or an operation_count is needed"
            ));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(change: impl FnOnce(&mut serde_json::Value)) -> Result<Order, OrderRefused> {
        let mut document = serde_json::json!({
            "workload": {"name": "reads"},
            "target": {"endpoints": ["tcp://127.0.0.1:1"]},
            "load": {"model": "closed", "clients": 2},
            "phases": [{"kind": "load"}, {"kind": "measure", "duration_seconds": 1}],
            "seed": 1
        });
        change(&mut document);
        Order::parse(&document.to_string())
    }

    #[test]
    fn the_defaults_are_ycsbs() {
        let order = order(|_| ()).unwrap();
        assert_eq!(order.workload.record_count, 1000);
        assert_eq!(order.workload.operations, Mix { read: 0.95, update: 0.05, insert: 0.0 });
        assert_eq!((order.workload.field_count, order.workload.field_length), (10, 100));
        assert!(order.workload.read_all_fields && !order.workload.write_all_fields);
    }

    #[test]
    fn what_is_out_of_limits_is_refused_by_its_path() {
        let refused = |path: &str, value: serde_json::Value| {
            let error = order(|document| *document.pointer_mut(path).unwrap() = value).unwrap_err();
            error.0
        };
        assert!(
            refused("/load", serde_json::json!({"model": "closed", "clients": 0}))
                .starts_with("load.clients")
        );
        assert!(
            refused("/load", serde_json::json!({"model": "open", "rate_per_second": 0}))
                .starts_with("load.rate_per_second")
        );
        assert!(
            refused("/phases/1", serde_json::json!({"kind": "measure"})).starts_with("phases[1]")
        );
        let mix = serde_json::json!({"name": "x", "operations": {"read": 0.5}});
        assert!(refused("/workload", mix).starts_with("workload.operations"));
        let slice = serde_json::json!({"name": "x", "insert_start": 5, "insert_count": 1000});
        assert!(refused("/workload", slice).contains("beyond record_count"));
    }
}
