//! Merging the events of several drivers that loaded one system together: by addition, so that no
//! percentile is ever averaged.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::{Unreadable, decode, encode, number};

/// One stream out of those of several drivers. Intervals of the same phase and number are added:
/// counts and histograms exactly, processor time too; the delay of a loop is that of the worst.
///
/// # Errors
/// When one of them is not complete up to where the others are, or a histogram cannot be read.
pub fn merge(streams: &[Vec<Value>]) -> Result<Vec<Value>, Unreadable> {
    let of = |kind: &str| -> Vec<Vec<&Value>> {
        let is_kind = |event: &&Value| event["event"] == kind;
        streams.iter().map(|stream| stream.iter().filter(is_kind).collect()).collect()
    };
    let mut merged = Vec::new();
    merged.push(ready(&of("ready"))?);
    let finished = of("phase_finished");
    let phases = finished.iter().map(Vec::len).collect::<Vec<_>>();
    if phases.windows(2).any(|pair| pair[0] != pair[1]) {
        return Err(Unreadable::Unlike(format!(
            "the drivers ended unlike numbers of phases ({phases:?}): wait until all have ended"
        )));
    }
    let started = of("phase_started");
    for position in 0..phases.first().copied().unwrap_or(0) {
        let at: Vec<&Value> = finished.iter().map(|events| events[position]).collect();
        let (index, phase) = (&at[0]["index"], &at[0]["phase"]);
        if at.iter().any(|event| event["index"] != *index || event["phase"] != *phase) {
            return Err(Unreadable::Unlike("the drivers went through unlike phases".to_owned()));
        }
        let begun: Vec<&Value> =
            started.iter().filter_map(|events| events.get(position).copied()).collect();
        if let Some(first) = begun.iter().min_by_key(|event| number(event, "at_us")) {
            merged.push((*first).clone());
        }
        let mut intervals: BTreeMap<u64, Vec<&Value>> = BTreeMap::new();
        for event in streams.iter().flatten() {
            if event["event"] == "interval" && event["index"] == *index {
                intervals.entry(number(event, "sequence")).or_default().push(event);
            }
        }
        for parts in intervals.values() {
            merged.push(interval(parts)?);
        }
        merged.push(phase_finished(&at));
    }
    for kind in ["failed", "finished"] {
        let all: Vec<&Value> = of(kind).into_iter().flatten().collect();
        let wanted = if kind == "failed" { 1 } else { streams.len() };
        if all.len() >= wanted
            && let Some(last) = all.iter().max_by_key(|event| number(event, "at_us"))
        {
            merged.push((*last).clone());
            break;
        }
    }
    Ok(merged)
}

fn ready(events: &[Vec<&Value>]) -> Result<Value, Unreadable> {
    let mut all = Vec::new();
    for (index, events) in events.iter().enumerate() {
        let Some(first) = events.first() else {
            return Err(Unreadable::Unlike(format!("stream {} has no \"ready\"", index + 1)));
        };
        all.push(*first);
    }
    let Some((first, others)) = all.split_first() else {
        return Err(Unreadable::Unlike("there is nothing to merge".to_owned()));
    };
    for name in ["driver", "version", "layout"] {
        if let Some(other) = others.iter().find(|other| other[name] != first[name]) {
            return Err(Unreadable::Unlike(format!(
                "{name}: {} and {} do not belong together",
                first[name], other[name]
            )));
        }
    }
    let mut merged = (*first).clone();
    for name in ["shards", "connections"] {
        merged[name] = all.iter().map(|event| number(event, name)).sum::<u64>().into();
    }
    let hashes: Vec<&str> = all.iter().filter_map(|event| event["stream_hash"].as_str()).collect();
    merged["stream_hash"] = hashes.join("+").into();
    Ok(merged)
}

fn interval(parts: &[&Value]) -> Result<Value, Unreadable> {
    let mut merged = parts[0].clone();
    let start = parts.iter().map(|part| number(part, "start_us")).min().unwrap_or(0);
    let end = parts.iter().map(|part| number(part, "start_us") + number(part, "duration_us"));
    merged["start_us"] = start.into();
    merged["duration_us"] = (end.max().unwrap_or(start) - start).into();
    for name in ["at_us", "elapsed_us"] {
        merged[name] = parts.iter().map(|part| number(part, name)).max().unwrap_or(0).into();
    }
    let mut operations = Map::new();
    for part in parts {
        for (name, operation) in part["operations"].as_object().into_iter().flatten() {
            let into = operations.entry(name.clone()).or_insert_with(|| json!({}));
            add_operation(into, operation)?;
        }
    }
    merged["operations"] = operations.into();
    let due = due(parts);
    if !due.is_empty() {
        merged["due"] = due.into();
    }
    merged["driver"] = driver(parts)?;
    Ok(merged)
}

/// By the begin of the interval in which they were due: how many were begun, how many given up.
fn due(parts: &[&Value]) -> Vec<Value> {
    let mut sums = BTreeMap::<u64, (u64, u64)>::new();
    for entry in parts.iter().filter_map(|part| part["due"].as_array()).flatten() {
        let of = |place: usize| entry[place].as_u64().unwrap_or(0);
        let sum = sums.entry(of(0)).or_default();
        *sum = (sum.0 + of(1), sum.1 + of(2));
    }
    sums.into_iter().map(|(at, (begun, never_sent))| json!([at, begun, never_sent])).collect()
}

fn add_operation(into: &mut Value, operation: &Value) -> Result<(), Unreadable> {
    for (name, value) in operation.as_object().into_iter().flatten() {
        if name == "errors" {
            for (kind, recorded) in value.as_object().into_iter().flatten() {
                add_recorded(&mut into["errors"][kind], recorded)?;
            }
        } else {
            add_recorded(&mut into[name], value)?;
        }
    }
    Ok(())
}

fn add_recorded(into: &mut Value, recorded: &Value) -> Result<(), Unreadable> {
    if into.is_null() {
        *into = recorded.clone();
        return Ok(());
    }
    into["count"] = (number(into, "count") + number(recorded, "count")).into();
    // Of drivers of before, whose histograms ended at a minute.
    let beyond = number(into, "overflow") + number(recorded, "overflow");
    if beyond > 0 {
        into["overflow"] = beyond.into();
    }
    for name in ["response", "service"] {
        let sum = added(&into[name], &recorded[name])?;
        if !sum.is_null() {
            into[name] = sum;
        }
    }
    Ok(())
}

/// The sum of two histograms, either of which may be absent.
fn added(one: &Value, other: &Value) -> Result<Value, Unreadable> {
    let (Some(one), Some(other)) = (one.as_str(), other.as_str()) else {
        return Ok(if one.is_null() { other.clone() } else { one.clone() });
    };
    let mut sum = decode(one)?;
    sum.auto(true);
    let unlike = |_| Unreadable::Unlike("histograms of unlike bounds".to_owned());
    sum.add(decode(other)?).map_err(unlike)?;
    Ok(encode(&sum).into())
}

fn driver(parts: &[&Value]) -> Result<Value, Unreadable> {
    let all: Vec<&Value> = parts.iter().map(|part| &part["driver"]).collect();
    let mut merged = all[0].clone();
    for name in ["cpu_us", "user_us", "system_us", "in_flight_max", "reconnects"] {
        merged[name] = all.iter().map(|one| number(one, name)).sum::<u64>().into();
    }
    for name in ["loop_delay_p99_us", "steal_percent"] {
        let worst = all.iter().filter_map(|one| one[name].as_f64()).fold(0.0, f64::max);
        merged[name] = worst.into();
    }
    merged["saturated"] = all.iter().any(|one| one["saturated"] == true).into();
    for other in &all[1..] {
        let sum = added(&merged["lag"], &other["lag"])?;
        if !sum.is_null() {
            merged["lag"] = sum;
        }
    }
    Ok(merged)
}

fn phase_finished(parts: &[&Value]) -> Value {
    let mut merged = parts[0].clone();
    for name in ["at_us", "elapsed_us", "duration_us"] {
        merged[name] = parts.iter().map(|part| number(part, name)).max().unwrap_or(0).into();
    }
    let mut operations = Map::new();
    for part in parts {
        for (name, totals) in part["operations"].as_object().into_iter().flatten() {
            let into = operations.entry(name.clone()).or_insert_with(|| json!({"errors": {}}));
            for (outcome, count) in totals.as_object().into_iter().flatten() {
                if outcome == "errors" {
                    for (kind, count) in count.as_object().into_iter().flatten() {
                        let sum = number(&into["errors"], kind) + count.as_u64().unwrap_or(0);
                        into["errors"][kind] = sum.into();
                    }
                } else {
                    let sum = number(into, outcome) + count.as_u64().unwrap_or(0);
                    into[outcome] = sum.into();
                }
            }
        }
    }
    merged["operations"] = operations.into();
    for way in ["sent", "received"] {
        let told = parts.iter().filter_map(|part| part["wire"][way].as_u64()).collect::<Vec<_>>();
        if !told.is_empty() {
            merged["wire"][way] = told.iter().sum::<u64>().into();
        }
    }
    for name in ["client_bound", "interrupted"] {
        merged[name] = parts.iter().any(|part| part[name] == true).into();
    }
    let reasons: Vec<String> = (1..)
        .zip(parts)
        .flat_map(|(driver, part)| {
            let reasons = part["client_bound_reasons"].as_array().into_iter().flatten();
            reasons
                .filter_map(Value::as_str)
                .map(move |reason| format!("driver {driver}: {reason}"))
        })
        .collect();
    merged["client_bound_reasons"] = reasons.into();
    merged
}
