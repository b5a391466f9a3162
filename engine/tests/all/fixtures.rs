//! The two sides of the driver's protocol agree: what Python's models accept and refuse, the engine
//! accepts and refuses.

#![allow(clippy::unwrap_used)] // also outside of the test functions

use std::fs;
use std::path::Path;

use weighhouse_engine::order::Order;

fn fixtures(prefix: &str) -> Vec<(String, String)> {
    let folder = Path::new("../protocol/fixtures/driver");
    let mut found: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "json"))
        .filter_map(|path| {
            let name = path.file_name()?.to_str()?.to_owned();
            name.starts_with(prefix).then(|| (name, fs::read_to_string(&path).unwrap()))
        })
        .collect();
    found.sort();
    assert!(!found.is_empty(), "no {prefix}*.json in {}", folder.display());
    found
}

#[test]
fn every_order_is_understood() {
    for (name, text) in fixtures("order-") {
        assert!(Order::parse(&text).is_ok(), "{name}: {:?}", Order::parse(&text).err());
    }
}

#[test]
fn every_bad_order_is_refused() {
    for (name, text) in fixtures("bad-order-") {
        assert!(Order::parse(&text).is_err(), "{name}");
    }
}
