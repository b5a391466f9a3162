//! Replies of any bytes, in any pieces, to any request: never a panic, and always the same answer.
//!
//! The first octets choose commands and operation, the next where the input is cut.

#![no_main]

use std::sync::OnceLock;

use libfuzzer_sys::fuzz_target;
use weighhouse_driver_api::{
    Codec, Expected, Fields, Operation, Parsed, RecordShape, ValueSource, Verifier,
};
use weighhouse_driver_memcached::Memcached;

struct Bench {
    codecs: Vec<Memcached>,
    source: ValueSource,
}

fn bench() -> &'static Bench {
    static BENCH: OnceLock<Bench> = OnceLock::new();
    BENCH.get_or_init(|| {
        let mut codecs = Vec::new();
        for commands in ["text", "meta"] {
            for keys in [1, 3] {
                let mut shape = RecordShape::new(2, 4, "field");
                shape.keys_per_read = keys;
                let options = serde_json::json!({ "commands": commands });
                codecs.push(Memcached::new(&shape, options.as_object().unwrap()).unwrap());
            }
        }
        Bench { codecs, source: ValueSource::new(1, &RecordShape::new(2, 4, "field")) }
    })
}

fuzz_target!(|data: &[u8]| {
    let [choice, cut, input @ ..] = data else { return };
    let bench = bench();
    let codec = &bench.codecs[usize::from(*choice) % bench.codecs.len()];
    let operations = Operation::WITHOUT_SCAN;
    let operation = operations[usize::from(choice / 4) % operations.len()];
    let expected = Expected::first(operation, Fields::All);
    let whole = codec.parse(expected, input, &mut Default::default());
    let mut scan = Default::default();
    let cut = usize::from(*cut).min(input.len());
    let pieces = match codec.parse(expected, &input[..cut], &mut scan) {
        Ok(Parsed::Incomplete) => codec.parse(expected, input, &mut scan),
        early => early,
    };
    assert_eq!(whole, pieces, "in pieces");
    if let Ok(Parsed::Complete { consumed, .. }) = whole {
        assert!((1..=input.len()).contains(&consumed));
        let verifier = Verifier::new(&bench.source, 7);
        let _ = codec.verify(expected, &input[..consumed], &verifier);
    }
    let _ = codec.parse_greeting(input, &mut Default::default());
});
