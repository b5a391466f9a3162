//! What drivers wrote, read again: event streams merged into one, and turned into what other tools
//! read.

mod hlog;
mod merge;
mod ycsb;

use std::io;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hdrhistogram::Histogram;
use hdrhistogram::serialization::{Deserializer, Serializer, V2DeflateSerializer};
use serde_json::Value;

pub use hlog::write_hlog;
pub use merge::merge;
pub use ycsb::write_ycsb;

use crate::recorder::USUAL;

/// An event stream that cannot be read, or streams that do not belong together.
#[derive(Debug, thiserror::Error)]
pub enum Unreadable {
    /// A line is no event.
    #[error("line {line}: {message}")]
    Line {
        /// Counted from 1.
        line: usize,
        /// What is wrong with it.
        message: String,
    },
    /// The streams differ in what they must share.
    #[error("{0}")]
    Unlike(String),
    /// Writing failed.
    #[error("cannot be written: {0}")]
    Io(#[from] io::Error),
}

/// Reads the events of one driver, one JSON document a line.
///
/// # Errors
/// When a line is none.
pub fn read_events(text: &str) -> Result<Vec<Value>, Unreadable> {
    let mut events = Vec::new();
    for (index, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let refused = |message: String| Unreadable::Line { line: index + 1, message };
        let event: Value =
            serde_json::from_str(line).map_err(|error| refused(error.to_string()))?;
        if event["event"].as_str().is_none() {
            return Err(refused("not an event of a driver: it has no \"event\"".to_owned()));
        }
        events.push(event);
    }
    Ok(events)
}

/// An empty histogram with the bounds that drivers record with; it grows as theirs do.
fn empty() -> Histogram<u64> {
    let mut histogram = Histogram::new_with_bounds(1, USUAL, 3)
        .unwrap_or_else(|_| unreachable!("the bounds are valid"));
    histogram.auto(true);
    histogram
}

fn decode(text: &str) -> Result<Histogram<u64>, Unreadable> {
    let refused = || Unreadable::Unlike("a histogram that cannot be read".to_owned());
    let bytes = STANDARD.decode(text).map_err(|_| refused())?;
    Deserializer::new().deserialize(&mut &bytes[..]).map_err(|_| refused())
}

fn encode(histogram: &Histogram<u64>) -> String {
    let mut bytes = Vec::new();
    // Writing into memory cannot fail for a histogram of these bounds.
    let _ = V2DeflateSerializer::new().serialize(histogram, &mut bytes);
    STANDARD.encode(bytes)
}

/// The outcomes of one operation in an interval: how each is called, and what was recorded.
fn outcomes(operation: &Value) -> Vec<(String, &Value)> {
    let mut found = Vec::new();
    for name in ["ok", "not_found", "verify_failed"] {
        if let Some(recorded) = operation.get(name).filter(|recorded| recorded.is_object()) {
            found.push((name.to_owned(), recorded));
        }
    }
    for (kind, recorded) in operation["errors"].as_object().into_iter().flatten() {
        found.push((format!("error.{kind}"), recorded));
    }
    found
}

/// A number of an event; 0 where it is absent.
fn number(event: &Value, name: &str) -> u64 {
    event[name].as_u64().unwrap_or(0)
}
