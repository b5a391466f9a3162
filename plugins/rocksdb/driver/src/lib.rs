//! Records in RocksDB, inside the driver's process: one value each, all fields in it.

mod counts;
mod options;

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rocksdb::{DB, Direction, IteratorMode, ReadOptions, WriteOptions};
use weighhouse_driver_api::{
    Counts, Embedded, EmbeddedFailed, ErrorKind, Feature, Identity, Operation, OptionRefused,
    Options, Outcome, RecordShape, Request, Session, Stopwatch, Verifier, said,
};

use options::Settings;

/// A RocksDB database.
pub struct RocksDb {
    database: Arc<DB>,
    /// Those that it was opened with, which keep its tickers.
    opened_with: rocksdb::Options,
    /// Whether a key was deleted: a tombstone that is still in memory counts as found.
    deleted: Arc<AtomicBool>,
    settings: Settings,
}

/// One thread's way into it.
pub struct RocksDbSession {
    database: Arc<DB>,
    deleted: Arc<AtomicBool>,
    reads: ReadOptions,
    writes: WriteOptions,
    value: Vec<u8>,
}

fn failed(error: &rocksdb::Error, hint: &str) -> EmbeddedFailed {
    EmbeddedFailed { message: format!("RocksDB: {error}"), hint: hint.to_owned() }
}

impl Embedded for RocksDb {
    type Session = RocksDbSession;

    const IDENTITY: Identity = Identity {
        name: "rocksdb",
        version: env!("CARGO_PKG_VERSION"),
        endpoint_kinds: &["file"],
        operations: &Operation::ALL,
        features: &[Feature::MultiGet],
        options_schema: options::SCHEMA,
    };

    fn check(options: &Options) -> Result<(), OptionRefused> {
        Settings::read(options).map(|_| ())
    }

    fn open(
        directory: &Path,
        _shape: &RecordShape,
        options: &Options,
    ) -> Result<Self, EmbeddedFailed> {
        let settings = Settings::read(options).map_err(|refused| EmbeddedFailed {
            message: refused.to_string(),
            hint: String::new(),
        })?;
        let hint = "is the directory there, writable, and used by nobody else?";
        let opened_with = settings.database();
        let database = DB::open(&opened_with, directory).map_err(|error| failed(&error, hint))?;
        Ok(Self { database: Arc::new(database), opened_with, deleted: Arc::default(), settings })
    }

    fn layout(&self) -> &'static str {
        "blob"
    }

    fn session(&self) -> RocksDbSession {
        RocksDbSession {
            database: Arc::clone(&self.database),
            deleted: Arc::clone(&self.deleted),
            reads: ReadOptions::default(),
            writes: self.settings.writes(),
            value: Vec::new(),
        }
    }

    fn counts(&self) -> Option<Counts> {
        let tickers = self.settings.counts_reads().then_some(&self.opened_with);
        let mut told = counts::told(self.database.latest_sequence_number(), tickers);
        if self.deleted.load(Ordering::Relaxed) {
            (told.hits, told.misses) = (None, None);
        }
        Some(told)
    }

    fn close(&self) -> Result<(), EmbeddedFailed> {
        // What is logged is there again after the next opening.
        if self.settings.logs() {
            return Ok(());
        }
        self.database.flush().map_err(|error| failed(&error, "is the disk full?"))
    }
}

/// What an error means. `Busy` and `TryAgain` are RocksDB's own words for "later".
fn error_outcome(error: &rocksdb::Error) -> Outcome {
    use rocksdb::ErrorKind as Theirs;
    let kind = match error.kind() {
        Theirs::Busy | Theirs::TryAgain | Theirs::Incomplete => ErrorKind::ServerBusy,
        Theirs::TimedOut => ErrorKind::Timeout,
        Theirs::IOError if error.to_string().contains("No space left") => ErrorKind::Full,
        Theirs::ShutdownInProgress => ErrorKind::Unavailable,
        _ => ErrorKind::Other,
    };
    said::failed(kind, error)
}

/// What a call that finds nothing out came to.
fn done(result: Result<(), rocksdb::Error>) -> Outcome {
    result.map_or_else(|error| error_outcome(&error), |()| Outcome::Ok)
}

impl RocksDbSession {
    /// How many records were found from a key on, at most so many; each value is looked at.
    fn scan(&self, from: &[u8], most: u16) -> Result<u16, rocksdb::Error> {
        let mode = IteratorMode::From(from, Direction::Forward);
        let mut found = 0;
        for record in self.database.iterator(mode).take(usize::from(most)) {
            std::hint::black_box(record?);
            found += 1;
        }
        Ok(found)
    }

    fn read_several(&self, request: &Request<'_>) -> Outcome {
        let keys = std::iter::once(request.key).chain(request.more_keys.iter());
        let mut outcome = Outcome::Ok;
        for value in self.database.multi_get_opt(keys, &self.reads) {
            match value {
                Ok(Some(value)) => drop(std::hint::black_box(value)),
                Ok(None) => outcome = Outcome::NotFound,
                Err(error) => return error_outcome(&error),
            }
        }
        outcome
    }
}

impl Session for RocksDbSession {
    fn execute(
        &mut self,
        request: &Request<'_>,
        verifier: Option<&Verifier<'_>>,
        watch: &mut dyn Stopwatch,
    ) -> Outcome {
        match request.operation {
            Operation::Update | Operation::Insert => {
                self.value.clear();
                request.payload.blob(&mut self.value);
                watch.begin();
                let written = self.database.put_opt(request.key, &self.value, &self.writes);
                watch.end();
                done(written)
            }
            // Whether there was anything to delete RocksDB does not tell.
            Operation::Delete => {
                self.deleted.store(true, Ordering::Relaxed);
                watch.begin();
                let deleted = self.database.delete_opt(request.key, &self.writes);
                watch.end();
                done(deleted)
            }
            Operation::Scan => {
                watch.begin();
                let found = self.scan(request.key, request.scan_length);
                watch.end();
                match found {
                    Ok(0) => Outcome::NotFound,
                    Ok(_) => Outcome::Ok,
                    Err(error) => error_outcome(&error),
                }
            }
            Operation::Read | Operation::ReadModifyWrite if !request.more_keys.is_empty() => {
                watch.begin();
                let outcome = self.read_several(request);
                watch.end();
                outcome
            }
            Operation::Read | Operation::ReadModifyWrite => {
                watch.begin();
                let found = self.database.get_pinned_opt(request.key, &self.reads);
                watch.end();
                match found {
                    Ok(Some(value)) => match verifier {
                        Some(verifier) if !verifier.blob(&value) => Outcome::VerifyFailed,
                        _ => Outcome::Ok,
                    },
                    Ok(None) => Outcome::NotFound,
                    Err(error) => error_outcome(&error),
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use weighhouse_driver_api::{Fields, Keys, Payload, ValueSource};

    #[derive(Default)]
    struct Counted(u32, u32);

    impl Stopwatch for Counted {
        fn begin(&mut self) {
            self.0 += 1;
        }

        fn end(&mut self) {
            self.1 += 1;
        }
    }

    #[test]
    fn what_was_put_is_got_also_after_opening_again_without_a_log() {
        let directory = tempfile::tempdir().unwrap();
        let shape = RecordShape::new(2, 50, "field");
        let options = serde_json::json!({"wal": false, "compression": "zstd"});
        let options = options.as_object().unwrap();
        let source = ValueSource::new(1, &shape);
        let mut watch = Counted::default();
        let mut execute = |session: &mut RocksDbSession, operation, verify: Option<u64>| {
            let payload = Payload::new(&source, 7, 1);
            let (key, more_keys, fields) = (b"user7", &Keys::NONE, Fields::All);
            let request = Request { operation, key, more_keys, scan_length: 0, fields, payload };
            let verifier = verify.map(|number| Verifier::new(&source, number));
            session.execute(&request, verifier.as_ref(), &mut watch)
        };

        let database = RocksDb::open(directory.path(), &shape, options).unwrap();
        let mut session = database.session();
        assert_eq!(execute(&mut session, Operation::Read, None), Outcome::NotFound);
        assert_eq!(execute(&mut session, Operation::Insert, None), Outcome::Ok);
        database.close().unwrap();
        drop((database, session));

        let database = RocksDb::open(directory.path(), &shape, options).unwrap();
        let mut session = database.session();
        assert_eq!(execute(&mut session, Operation::Read, Some(7)), Outcome::Ok);
        assert_eq!(execute(&mut session, Operation::Read, Some(8)), Outcome::VerifyFailed);
        assert_eq!((watch.0, watch.1), (4, 4));
    }

    #[test]
    fn scans_follow_the_order_of_keys_and_deleted_records_are_gone() {
        let directory = tempfile::tempdir().unwrap();
        let shape = RecordShape::new(1, 20, "field");
        let source = ValueSource::new(1, &shape);
        let database = RocksDb::open(directory.path(), &shape, &Options::new()).unwrap();
        let mut session = database.session();
        let mut watch = Counted::default();
        let mut execute = |operation, key: &str, more: &[&str], scan_length| {
            let mut more_keys = Keys::NONE;
            for key in more {
                more_keys.push(key.as_bytes());
            }
            let (payload, fields) = (Payload::new(&source, 7, 1), Fields::All);
            let (key, more_keys) = (key.as_bytes(), &more_keys);
            let request = Request { operation, key, more_keys, scan_length, fields, payload };
            session.execute(&request, None, &mut watch)
        };
        for key in ["b", "d", "f"] {
            assert_eq!(execute(Operation::Insert, key, &[], 0), Outcome::Ok);
        }
        assert_eq!(execute(Operation::Read, "b", &["d", "f"], 0), Outcome::Ok);
        assert_eq!(execute(Operation::Scan, "e", &[], 10), Outcome::Ok);
        assert_eq!(execute(Operation::Scan, "g", &[], 10), Outcome::NotFound);
        assert_eq!(execute(Operation::Delete, "d", &[], 0), Outcome::Ok);
        assert_eq!(execute(Operation::Read, "b", &["d", "f"], 0), Outcome::NotFound);
        let counted = |from: &str, most| database.session().scan(from.as_bytes(), most).unwrap();
        assert_eq!((counted("a", 10), counted("a", 1), counted("c", 10)), (2, 1, 1));
        assert_eq!((watch.0, watch.1), (8, 8));
    }

    #[test]
    fn it_counts_what_it_is_asked_for_beside_the_driver() {
        let directory = tempfile::tempdir().unwrap();
        let shape = RecordShape::new(1, 20, "field");
        let source = ValueSource::new(1, &shape);
        let counted = serde_json::json!({"statistics": true});
        let mut watch = Counted::default();
        let mut execute = |session: &mut RocksDbSession, operation, key: &str, more: &[&str]| {
            let mut more_keys = Keys::NONE;
            for key in more {
                more_keys.push(key.as_bytes());
            }
            let (payload, fields) = (Payload::new(&source, 7, 1), Fields::All);
            let (key, more_keys) = (key.as_bytes(), &more_keys);
            let request = Request { operation, key, more_keys, scan_length: 2, fields, payload };
            session.execute(&request, None, &mut watch)
        };
        for options in [counted.as_object().unwrap().clone(), Options::new()] {
            let counts_reads = !options.is_empty();
            let database = RocksDb::open(directory.path(), &shape, &options).unwrap();
            let mut session = database.session();
            let before = database.counts().unwrap();
            for key in ["a", "b", "c"] {
                execute(&mut session, Operation::Insert, key, &[]);
            }
            execute(&mut session, Operation::Update, "a", &[]);
            for key in ["a", "a", "z"] {
                execute(&mut session, Operation::Read, key, &[]);
            }
            execute(&mut session, Operation::Read, "a", &["b", "z"]);
            execute(&mut session, Operation::Scan, "a", &[]);
            let told = database.counts().unwrap().since(&before);
            assert_eq!(told.commands["number.keys.written"], 4);
            if counts_reads {
                assert_eq!(told.commands["number.keys.read"], 3);
                assert_eq!(told.commands["number.multiget.keys.read"], 3);
                assert_eq!(told.commands["number.db.seek"], 1);
                assert_eq!((told.hits, told.misses), (Some(4), Some(2)));
                assert_eq!(told.lacking, &[] as &[&str]);
            } else {
                assert_eq!((told.commands.len(), told.hits), (1, None));
                assert!(told.lacking.contains(&"number.keys.read"));
            }
            execute(&mut session, Operation::Delete, "c", &[]);
            let told = database.counts().unwrap().since(&before);
            assert_eq!(told.commands["number.keys.written"], 5);
            assert_eq!((told.hits, told.misses), (None, None));
        }
    }

    #[test]
    fn a_directory_that_cannot_be_made_is_told() {
        let shape = RecordShape::new(1, 1, "field");
        let place = Path::new("/proc/nowhere");
        let error = RocksDb::open(place, &shape, &Options::new()).err().unwrap();
        assert!(error.message.starts_with("RocksDB: "), "{error}");
    }
}
