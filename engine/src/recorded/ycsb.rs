//! Results as YCSB's text exporter prints them, for programs that read that.

use std::collections::BTreeMap;
use std::io::Write;

use hdrhistogram::Histogram;
use serde_json::Value;

use super::{Unreadable, decode, empty, number, outcomes};

/// What was recorded of one operation in a phase.
struct Recorded {
    response: Histogram<u64>,
    service: Option<Histogram<u64>>,
}

/// Writes the last measured phase, or the load when there is none.
///
/// As with YCSB's `measurement.interval=both`, an open loop's response times stand under
/// `Intended-…` and its service times under the plain name. What did not succeed has a metric of
/// its own (`READ-FAILED`), counts by `Return=`, and, unlike with YCSB, no part in the throughput.
///
/// # Errors
/// When no phase has ended, a histogram cannot be read, or the text not be written.
pub fn write_ycsb(events: &[Value], out: &mut impl Write) -> Result<(), Unreadable> {
    let ended = |kind: &str| {
        events
            .iter()
            .rev()
            .find(|event| event["event"] == "phase_finished" && event["phase"] == kind)
    };
    let Some(finished) = ended("measure").or_else(|| ended("load")) else {
        return Err(Unreadable::Unlike("no phase has ended".to_owned()));
    };
    let mut all: BTreeMap<(String, bool), Recorded> = BTreeMap::new();
    for event in events {
        if event["event"] != "interval" || event["index"] != finished["index"] {
            continue;
        }
        for (operation, recorded) in event["operations"].as_object().into_iter().flatten() {
            for (outcome, recorded) in outcomes(recorded) {
                let place = all
                    .entry((operation.clone(), outcome == "ok"))
                    .or_insert_with(|| Recorded { response: empty(), service: None });
                let unlike = |_| Unreadable::Unlike("histograms of unlike bounds".to_owned());
                if let Some(text) = recorded["response"].as_str() {
                    place.response.add(decode(text)?).map_err(unlike)?;
                }
                if let Some(text) = recorded["service"].as_str() {
                    let service = place.service.get_or_insert_with(empty);
                    service.add(decode(text)?).map_err(unlike)?;
                }
            }
        }
    }
    let milliseconds = number(finished, "duration_us") as f64 / 1000.0;
    let operations = finished["operations"].as_object();
    let succeeded: u64 =
        operations.into_iter().flatten().map(|(_, totals)| number(totals, "ok")).sum();
    let throughput = succeeded as f64 * 1000.0 / milliseconds.max(f64::MIN_POSITIVE);
    writeln!(out, "[OVERALL], RunTime(ms), {milliseconds:.0}")?;
    writeln!(out, "[OVERALL], Throughput(ops/sec), {throughput}")?;
    for ((operation, ok), recorded) in &all {
        let name = operation.to_uppercase().replace('_', "-");
        let name = if *ok { name } else { format!("{name}-FAILED") };
        if let Some(service) = &recorded.service {
            write_metric(&name, service, out)?;
            write_metric(&format!("Intended-{name}"), &recorded.response, out)?;
        } else {
            write_metric(&name, &recorded.response, out)?;
        }
    }
    for (operation, totals) in operations.into_iter().flatten() {
        let name = operation.to_uppercase().replace('_', "-");
        let errors = totals["errors"].as_object().into_iter().flatten();
        let errors: u64 = errors.filter_map(|(_, count)| count.as_u64()).sum();
        for (status, count) in [
            ("OK", number(totals, "ok")),
            ("NOT_FOUND", number(totals, "not_found")),
            ("UNEXPECTED_STATE", number(totals, "verify_failed")),
            ("ERROR", errors),
        ] {
            if count > 0 {
                writeln!(out, "[{name}], Return={status}, {count}")?;
            }
        }
    }
    Ok(())
}

/// Latencies in whole µs, as YCSB has them.
fn write_metric(
    name: &str,
    histogram: &Histogram<u64>,
    out: &mut impl Write,
) -> Result<(), Unreadable> {
    let at = |quantile| histogram.value_at_quantile(quantile) / 1000;
    writeln!(out, "[{name}], Operations, {}", histogram.len())?;
    writeln!(out, "[{name}], AverageLatency(us), {}", histogram.mean() / 1000.0)?;
    writeln!(out, "[{name}], MinLatency(us), {}", histogram.min() / 1000)?;
    writeln!(out, "[{name}], MaxLatency(us), {}", histogram.max() / 1000)?;
    writeln!(out, "[{name}], 50thPercentileLatency(us), {}", at(0.50))?;
    writeln!(out, "[{name}], 95thPercentileLatency(us), {}", at(0.95))?;
    writeln!(out, "[{name}], 99thPercentileLatency(us), {}", at(0.99))?;
    writeln!(out, "[{name}], 99.9PercentileLatency(us), {}", at(0.999))?;
    Ok(())
}
