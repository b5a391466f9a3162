//! Logs of `HdrHistogram` (`.hlog`), for `HistogramLogProcessor`, `HistogramLogAnalyzer` and their
//! kin.

use std::io::Write;
use std::time::{Duration, UNIX_EPOCH};

use hdrhistogram::serialization::V2DeflateSerializer;
use hdrhistogram::serialization::interval_log::{IntervalLogWriterBuilder, Tag};
use serde_json::Value;

use super::{Unreadable, decode, number, outcomes};

/// Nanoseconds in the unit of the log's column `Interval_Max`: a millisecond, as jHiccup's.
const MAX_DIVISOR: f64 = 1_000_000.0;

/// Writes each interval's histograms, ns, under a tag each: `read` is what succeeded in the measured
/// phase, from due (in a closed loop the answer before) to done; `read.service` from sent; another
/// outcome follows after a point (`read.not_found`, `read.error.timeout`); another phase goes before
/// (`load.insert`, `warmup.read`).
///
/// # Errors
/// When a histogram cannot be read, or the log not be written.
pub fn write_hlog(events: &[Value], out: &mut impl Write) -> Result<(), Unreadable> {
    let begin = |event: &Value| Duration::from_micros(number(event, "start_us"));
    let intervals: Vec<&Value> =
        events.iter().filter(|event| event["event"] == "interval").collect();
    let start = intervals.iter().map(|event| begin(event)).min().unwrap_or_default();
    let mut serializer = V2DeflateSerializer::new();
    let mut builder = IntervalLogWriterBuilder::new();
    builder
        .add_comment("latencies in ns; a tag is [phase.]operation[.outcome][.service]")
        .with_start_time(UNIX_EPOCH + start)
        .with_base_time(UNIX_EPOCH + start)
        .with_max_value_divisor(MAX_DIVISOR);
    let mut log = builder.begin_log_with(out, &mut serializer)?;
    for event in intervals {
        let phase = event["phase"].as_str().unwrap_or_default();
        let phase = if phase == "measure" { String::new() } else { format!("{phase}.") };
        let (from, length) = (
            begin(event).saturating_sub(start),
            Duration::from_micros(number(event, "duration_us")),
        );
        for (operation, recorded) in event["operations"].as_object().into_iter().flatten() {
            for (outcome, recorded) in outcomes(recorded) {
                let outcome = if outcome == "ok" { String::new() } else { format!(".{outcome}") };
                for (kind, suffix) in [("response", ""), ("service", ".service")] {
                    let Some(text) = recorded[kind].as_str() else { continue };
                    let tag = format!("{phase}{operation}{outcome}{suffix}");
                    let tag = Tag::new(&tag);
                    let histogram = decode(text)?;
                    log.write_histogram(&histogram, from, length, tag).map_err(|error| {
                        Unreadable::Io(std::io::Error::other(format!("{error:?}")))
                    })?;
                }
            }
        }
    }
    Ok(())
}
