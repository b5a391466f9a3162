//! What RocksDB counts of its own work.

use std::collections::BTreeMap;

use rocksdb::statistics::Ticker;
use weighhouse_driver_api::Counts;

/// Which tickers are which command, by RocksDB's own words for them.
const READS: &[(&str, &[Ticker])] = &[
    ("number.keys.read", &[Ticker::NumberKeysRead]),
    ("number.multiget.keys.read", &[Ticker::NumberMultigetKeysRead]),
    ("number.db.seek", &[Ticker::NumberDbSeek]),
];
const FOUND: &[Ticker] =
    &[Ticker::MemtableHit, Ticker::GetHitL0, Ticker::GetHitL1, Ticker::GetHitL2AndUp];
const LACKING: &[&str] = &["number.keys.read", "number.multiget.keys.read", "number.db.seek"];

/// The counters since it was opened.
///
/// Each key that is put or deleted takes one number of the sequence, so that writes are counted
/// whether it keeps statistics or not.
pub(crate) fn told(sequence_number: u64, tickers: Option<&rocksdb::Options>) -> Counts {
    let mut commands = BTreeMap::from([("number.keys.written", sequence_number)]);
    let Some(options) = tickers else {
        return Counts { commands, lacking: LACKING, ..Counts::default() };
    };
    let sum = |tickers: &[Ticker]| -> u64 {
        tickers.iter().map(|&ticker| options.get_ticker_count(ticker)).sum()
    };
    commands.extend(READS.iter().map(|&(name, tickers)| (name, sum(tickers))));
    let found = sum(FOUND);
    let asked = commands["number.keys.read"] + commands["number.multiget.keys.read"];
    Counts {
        commands,
        hits: Some(found),
        misses: Some(asked.saturating_sub(found)),
        received_bytes: Some(sum(&[Ticker::BytesWritten])),
        sent_bytes: Some(sum(&[
            Ticker::BytesRead,
            Ticker::NumberMultigetBytesRead,
            Ticker::IterBytesRead,
        ])),
        lacking: &[],
    }
}
