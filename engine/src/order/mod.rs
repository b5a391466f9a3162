//! The order: what a driver reads on standard input.
//!
//! Field names, defaults and limits are those of `weighhouse_protocol.driver`; the fixtures in
//! `protocol/fixtures/driver` keep the two sides from drifting apart.

mod load;
mod series;
mod workload;

use std::io::Read;

use serde::Deserialize;
use weighhouse_driver_api::{Operation, Options, RecordShape};

pub use load::{Arrival, Arrivals, Load, Profile, Share};
pub(crate) use series::LETTERS;
pub use series::{TimeSeries, TimeUnit};
pub use workload::{
    Distribution, InsertOrder, LengthDistribution, Mix, ScanLengthDistribution, Workload,
};

/// An order that cannot be carried out, with the path of what is wrong.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error("{0}")]
pub struct OrderRefused(pub String);

pub(crate) fn refuse<T>(message: impl Into<String>) -> Result<T, OrderRefused> {
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
    /// Which part of a common load this is.
    #[serde(default)]
    pub share: Share,
    /// Whether each phase waits for a line on standard input that says when it begins.
    #[serde(default)]
    pub hold: bool,
    /// What is asked of values that are verified.
    #[serde(default)]
    pub verify: Verify,
}

/// What is asked of values that are verified.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verify {
    /// That they were written for that key, with the order's seed.
    #[default]
    Values,
    /// That they have the fields and lengths of the workload, whoever wrote them.
    Shape,
}

/// Where the system is.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Target {
    /// `tcp://HOST:PORT`, `unix:///PATH` or `file:///DIRECTORY`.
    pub endpoints: Vec<String>,
    /// Addresses of the names in there: none of these names is looked up.
    #[serde(default)]
    pub hosts: crate::net::Hosts,
    /// The driver's options.
    #[serde(default)]
    pub options: Options,
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

pub(crate) fn within<T: PartialOrd + std::fmt::Display>(
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
        Self::read(&mut text.as_bytes())
    }

    /// Reads an order from where more follows if it says so itself (`hold`); else it is all there is.
    ///
    /// # Errors
    /// As [`Order::parse`].
    pub fn read(input: &mut impl Read) -> Result<Self, OrderRefused> {
        let refused = |error: serde_json::Error| OrderRefused(error.to_string());
        let mut document = serde_json::Deserializer::from_reader(input);
        let order = Self::deserialize(&mut document).map_err(refused)?;
        if !order.hold {
            document.end().map_err(refused)?;
        }
        order.check()?;
        Ok(order)
    }

    fn check(&self) -> Result<(), OrderRefused> {
        if self.protocol != 1 {
            return refuse(format!("protocol: {} is unknown; this driver speaks 1", self.protocol));
        }
        within("interval_seconds", &self.interval_seconds, &0.05, &60.0)?;
        within("shards", &self.shards, &1, &256)?;
        self.share.check()?;
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

    /// The share of an operation in phases that are not loads.
    #[must_use]
    pub fn share(&self, operation: Operation) -> f64 {
        match &self.load {
            Load::Open { operation_rates, rate_per_second, .. } if !operation_rates.is_empty() => {
                operation_rates.get(operation.name()).map_or(0.0, |rate| rate / rate_per_second)
            }
            _ => self.workload.operations.share(operation),
        }
    }

    /// How records look, and what is done with them.
    #[must_use]
    pub fn shape(&self) -> RecordShape {
        let mut shape = self.workload.shape();
        shape.scans = self.share(Operation::Scan) > 0.0;
        let go = self.share(Operation::Delete) > 0.0 || !shape.expiry.is_never();
        shape.may_be_partial = go && !self.workload.write_all_fields;
        shape
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
        assert_eq!(order.workload.operations, Mix { read: 0.95, update: 0.05, ..Mix::NONE });
        assert_eq!((order.workload.field_count, order.workload.field_length), (10, 100));
        assert!(order.workload.read_all_fields && !order.workload.write_all_fields);
    }

    #[test]
    fn rates_of_operations_take_the_place_of_the_mix() {
        let order = order(|document| {
            document["load"] = serde_json::json!({"model": "open", "rate_per_second": 200,
                "operation_rates": {"read": 50, "scan": 150}});
        })
        .unwrap();
        assert!((order.share(Operation::Scan) - 0.75).abs() < 1e-12);
        assert!(order.share(Operation::Update).abs() < 1e-12);
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
        let scans = serde_json::json!({"name": "x", "min_scan_length": 50, "max_scan_length": 40});
        assert!(refused("/workload", scans).starts_with("workload.min_scan_length"));
        let lengths = serde_json::json!({"name": "x", "field_length_distribution": "histogram"});
        assert!(refused("/workload", lengths).starts_with("workload.field_length_histogram"));
        let several = serde_json::json!({"name": "x", "keys_per_read": 5, "verify_fraction": 1.0});
        assert!(refused("/workload", several).starts_with("workload.keys_per_read"));
        let beyond = serde_json::json!({"index": 2, "of": 2});
        let refused_share = order(|document| document["share"] = beyond).unwrap_err();
        assert!(refused_share.0.starts_with("share.index: 2 of 2"), "{refused_share}");
        let rates = serde_json::json!({"model": "open", "rate_per_second": 10,
                                       "operation_rates": {"read": 4, "update": 5}});
        assert!(refused("/load", rates).starts_with("load.operation_rates"));
        for prefix in ["", "two words", "a\u{e4}", &"x".repeat(65)] {
            let prefixed = serde_json::json!({"name": "x", "key_prefix": prefix});
            assert!(refused("/workload", prefixed).starts_with("workload.key_prefix"));
        }
        let unknown = serde_json::json!({"model": "open", "rate_per_second": 4,
                                         "operation_rates": {"reed": 4}});
        assert!(refused("/load", unknown).contains("reed"));
        let profile = serde_json::json!({"model": "open", "rate_per_second": 4,
            "profile": {"shape": "sine", "period_seconds": 4, "amplitude": 1.5}});
        assert!(refused("/load", profile).starts_with("load.profile.amplitude"));
        let profile = serde_json::json!({"model": "open", "rate_per_second": 4,
            "profile": {"shape": "steps", "step_seconds": 4, "factors": [0, 0]}});
        assert!(refused("/load", profile).starts_with("load.profile.factors"));
    }
}
