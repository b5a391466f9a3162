//! Replies of any bytes, in any pieces, to any request: never a panic, and always the same answer.
//!
//! The first octets choose layout, operation and part, the next where the input is cut.

#![no_main]

use std::sync::OnceLock;

use libfuzzer_sys::fuzz_target;
use weighhouse_driver_api::{
    Codec, Expected, Expiry, Fields, Operation, Parsed, RecordShape, ValueSource, Verifier,
};
use weighhouse_driver_resp::Resp;

struct Bench {
    codecs: Vec<Resp>,
    source: ValueSource,
}

fn bench() -> &'static Bench {
    static BENCH: OnceLock<Bench> = OnceLock::new();
    BENCH.get_or_init(|| {
        let mut codecs = Vec::new();
        for layout in ["hash", "string"] {
            for (scans, keys, by_name, ttl) in
                [(false, 1, false, None), (true, 1, true, None), (true, 3, false, Some(9))]
            {
                let mut shape = RecordShape::new(2, 4, "field");
                shape.scans = scans;
                shape.keys_per_read = keys;
                shape.reads_by_name = by_name;
                shape.expiry = ttl.map_or(Expiry::Never, Expiry::All);
                let options = serde_json::json!({ "layout": layout });
                codecs.push(Resp::new(&shape, options.as_object().unwrap()).unwrap());
            }
        }
        let options = serde_json::json!({"cluster": true});
        let shape = RecordShape::new(2, 4, "field");
        codecs.push(Resp::new(&shape, options.as_object().unwrap()).unwrap());
        Bench { codecs, source: ValueSource::new(1, &RecordShape::new(2, 4, "field")) }
    })
}

fuzz_target!(|data: &[u8]| {
    let [choice, field, part, cut, input @ ..] = data else { return };
    let bench = bench();
    let codec = &bench.codecs[usize::from(*choice) % bench.codecs.len()];
    let operation = Operation::ALL[usize::from(choice / 8) % Operation::ALL.len()];
    let fields = if field % 3 == 0 { Fields::All } else { Fields::One(u16::from(field % 2)) };
    let expected = Expected { operation, fields, part: u16::from(*part) };
    let whole = codec.parse(expected, input, &mut Default::default());
    let mut scan = Default::default();
    let cut = usize::from(*cut).min(input.len());
    let pieces = match codec.parse(expected, &input[..cut], &mut scan) {
        Ok(Parsed::Incomplete) => codec.parse(expected, input, &mut scan),
        early => early,
    };
    assert_eq!(whole, pieces, "in pieces");
    match whole {
        Ok(Parsed::Complete { consumed, .. }) => {
            assert!((1..=input.len()).contains(&consumed));
            let verifier = Verifier::new(&bench.source, 5);
            let _ = codec.verify(expected, &input[..consumed], &verifier);
        }
        Ok(Parsed::Continue { consumed }) => {
            assert!((1..=input.len()).contains(&consumed));
            let mut out = Vec::new();
            assert!(codec.follow(expected, &input[..consumed], &mut out) > 0);
            assert!(!out.is_empty() && out.len() < 100 * (1 + consumed));
        }
        Ok(Parsed::Elsewhere { consumed }) => {
            assert!((1..=input.len()).contains(&consumed));
            let _ = codec.spread().unwrap().read_elsewhere(&input[..consumed]);
        }
        Ok(Parsed::Incomplete) | Err(_) => {}
    }
    if let Some(spread) = codec.spread() {
        let _ = spread.read_map(input);
    }
    let _ = codec.parse_greeting(input, &mut Default::default());
});
