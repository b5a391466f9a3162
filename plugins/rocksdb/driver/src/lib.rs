//! Records in RocksDB, inside the driver's process: one value each, all fields in it.

mod options;

use std::path::Path;
use std::sync::Arc;

use rocksdb::{DB, ReadOptions, WriteOptions};
use weighhouse_driver_api::{
    Embedded, EmbeddedFailed, ErrorKind, Identity, Operation, OptionRefused, Options, Outcome,
    RecordShape, Request, Session, Stopwatch, Verifier,
};

use options::Settings;

/// A RocksDB database.
pub struct RocksDb {
    database: Arc<DB>,
    settings: Settings,
    blob_length: usize,
}

/// One thread's way into it.
pub struct RocksDbSession {
    database: Arc<DB>,
    reads: ReadOptions,
    writes: WriteOptions,
    blob_length: usize,
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
        options_schema: options::SCHEMA,
    };

    fn check(options: &Options) -> Result<(), OptionRefused> {
        Settings::read(options).map(|_| ())
    }

    fn open(
        directory: &Path,
        shape: &RecordShape,
        options: &Options,
    ) -> Result<Self, EmbeddedFailed> {
        let settings = Settings::read(options).map_err(|refused| EmbeddedFailed {
            message: refused.to_string(),
            hint: String::new(),
        })?;
        let hint = "is the directory there, writable, and used by nobody else?";
        let database =
            DB::open(&settings.database(), directory).map_err(|error| failed(&error, hint))?;
        Ok(Self { database: Arc::new(database), settings, blob_length: shape.blob_length() })
    }

    fn layout(&self) -> &'static str {
        "blob"
    }

    fn session(&self) -> RocksDbSession {
        RocksDbSession {
            database: Arc::clone(&self.database),
            reads: ReadOptions::default(),
            writes: self.settings.writes(),
            blob_length: self.blob_length,
            value: Vec::new(),
        }
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
    Outcome::Error(match error.kind() {
        Theirs::Busy | Theirs::TryAgain | Theirs::Incomplete => ErrorKind::ServerBusy,
        Theirs::TimedOut => ErrorKind::Timeout,
        _ => ErrorKind::Other,
    })
}

impl Session for RocksDbSession {
    fn execute(
        &mut self,
        request: &Request<'_>,
        verifier: Option<&Verifier<'_>>,
        watch: &mut dyn Stopwatch,
    ) -> Outcome {
        if request.operation != Operation::Read {
            self.value.clear();
            request.payload.blob(self.blob_length, &mut self.value);
            watch.begin();
            let written = self.database.put_opt(request.key, &self.value, &self.writes);
            watch.end();
            return match written {
                Ok(()) => Outcome::Ok,
                Err(error) => error_outcome(&error),
            };
        }
        watch.begin();
        let found = self.database.get_pinned_opt(request.key, &self.reads);
        watch.end();
        match found {
            Ok(Some(value)) => match verifier {
                Some(verifier) if !verifier.blob(self.blob_length, &value) => Outcome::VerifyFailed,
                _ => Outcome::Ok,
            },
            Ok(None) => Outcome::NotFound,
            Err(error) => error_outcome(&error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use weighhouse_driver_api::{Fields, Payload, ValueSource};

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
        let source = ValueSource::new(1);
        let mut watch = Counted::default();
        let mut execute = |session: &mut RocksDbSession, operation, verify: Option<u64>| {
            let payload = Payload::new(&source, 7, 1);
            let request = Request { operation, key: b"user7", fields: Fields::All, payload };
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
    fn a_directory_that_cannot_be_made_is_told() {
        let shape = RecordShape::new(1, 1, "field");
        let place = Path::new("/proc/nowhere");
        let error = RocksDb::open(place, &shape, &Options::new()).err().unwrap();
        assert!(error.message.starts_with("RocksDB: "), "{error}");
    }
}
