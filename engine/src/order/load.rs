//! The load of an order.

use std::collections::BTreeMap;

use serde::Deserialize;
use weighhouse_driver_api::Operation;

use super::{OrderRefused, refuse, within};

/// How far rates of operations may be from adding up, as a share.
const RATE_TOLERANCE: f64 = 1e-6;

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
        /// How that changes over a phase; not at all when there is none.
        #[serde(default)]
        profile: Option<Profile>,
        /// Operations due a second by their name, in place of the workload's mix.
        #[serde(default)]
        operation_rates: BTreeMap<String, f64>,
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

/// What an open loop asks for: how operations arrive, how often, and how that changes.
#[derive(Debug, Clone)]
pub struct Arrivals<'a> {
    /// How times are drawn.
    pub arrival: Arrival,
    /// Operations a second of all kinds.
    pub rate: f64,
    /// How the rate changes.
    pub profile: Option<&'a Profile>,
    /// Operations a second of each kind, where each has a rate of its own.
    pub rates: Vec<(Operation, f64)>,
}

/// How the rate of an open loop changes over a phase.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(tag = "shape", rename_all = "snake_case", deny_unknown_fields)]
pub enum Profile {
    /// rate × (1 + amplitude × sin(2π t / period)).
    Sine {
        /// Seconds of a whole swing.
        period_seconds: f64,
        /// Swing as a share of the rate.
        #[serde(default = "half")]
        amplitude: f64,
    },
    /// rate × each factor in turn, over and over.
    Steps {
        /// Seconds of a step.
        step_seconds: f64,
        /// One for each step.
        factors: Vec<f64>,
    },
}

/// One driver's part of a load that several drivers make together: how many records it loads, which
/// numbers it inserts, what it draws. Clients, rates and counts of an order are the part's own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Share {
    /// Which part, from 0 on.
    pub index: u64,
    /// How many there are.
    pub of: u64,
}

impl Default for Share {
    /// All of it.
    fn default() -> Self {
        Self { index: 0, of: 1 }
    }
}

impl Share {
    pub(super) fn check(self) -> Result<(), OrderRefused> {
        within("share.of", &self.of, &1, &1000)?;
        if self.index >= self.of {
            return refuse(format!(
                "share.index: {} of {}; parts count from 0",
                self.index, self.of
            ));
        }
        Ok(())
    }
}

fn one_request() -> usize {
    1
}
fn eight() -> usize {
    8
}
fn kibi() -> usize {
    1024
}
fn half() -> f64 {
    0.5
}

impl Load {
    pub(super) fn check(&self) -> Result<(), OrderRefused> {
        match self {
            Self::Closed { clients, pipeline, think_time_us } => {
                within("load.clients", clients, &1, &10_000)?;
                within("load.pipeline", pipeline, &1, &1000)?;
                within("load.think_time_us", think_time_us, &0, &60_000_000)
            }
            Self::Open {
                rate_per_second,
                connections,
                max_in_flight,
                profile,
                operation_rates,
                ..
            } => {
                if rate_per_second.is_nan() || *rate_per_second <= 0.0 {
                    return refuse("load.rate_per_second: more than 0");
                }
                within("load.rate_per_second", rate_per_second, &0.0, &50_000_000.0)?;
                check_rates(operation_rates, *rate_per_second)?;
                profile.as_ref().map_or(Ok(()), Profile::check)?;
                within("load.connections", connections, &1, &10_000)?;
                within("load.max_in_flight", max_in_flight, &1, &1_000_000)
            }
        }
    }

    /// What an open loop asks for.
    #[must_use]
    pub fn arrivals(&self) -> Option<Arrivals<'_>> {
        let Self::Open { arrival, rate_per_second, profile, operation_rates, .. } = self else {
            return None;
        };
        let rate =
            |operation: Operation| Some((operation, *operation_rates.get(operation.name())?));
        Some(Arrivals {
            arrival: *arrival,
            rate: *rate_per_second,
            profile: profile.as_ref(),
            rates: Operation::ALL.into_iter().filter_map(rate).collect(),
        })
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

fn check_rates(rates: &BTreeMap<String, f64>, all: f64) -> Result<(), OrderRefused> {
    if rates.is_empty() {
        return Ok(());
    }
    let known = |name: &String| Operation::ALL.iter().any(|operation| operation.name() == name);
    if let Some((name, rate)) = rates.iter().find(|(name, rate)| !(known(name) && **rate > 0.0)) {
        return refuse(format!("load.operation_rates.{name}: {rate} is no rate of an operation"));
    }
    let total: f64 = rates.values().sum();
    if (total - all).abs() > RATE_TOLERANCE * all {
        return refuse(format!(
            "load.operation_rates: they add up to {total}, not to rate_per_second {all}"
        ));
    }
    Ok(())
}

impl Profile {
    fn check(&self) -> Result<(), OrderRefused> {
        const WEEK: f64 = 604_800.0;
        match self {
            Self::Sine { period_seconds, amplitude } => {
                within("load.profile.period_seconds", period_seconds, &1e-3, &WEEK)?;
                within("load.profile.amplitude", amplitude, &f64::MIN_POSITIVE, &1.0)
            }
            Self::Steps { step_seconds, factors } => {
                within("load.profile.step_seconds", step_seconds, &1e-3, &WEEK)?;
                if factors.is_empty()
                    || !factors.iter().all(|factor| (0.0..=1000.0).contains(factor))
                    || factors.iter().sum::<f64>() <= 0.0
                {
                    return refuse("load.profile.factors: each within 0 and 1000, and one above 0");
                }
                Ok(())
            }
        }
    }
}
