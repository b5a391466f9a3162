//! Records in a system that speaks MongoDB's wire protocol, in the collection that YCSB's MongoDB
//! binding makes: a document each, the key as `_id`, a binary value for each field.
//!
//! The wire protocol is left to the official client library. It retries nothing here: an error is
//! an error.
//!
//! Records do not expire: the server looks for expired documents once a minute only, so that those
//! whose time is over would still be read.

mod documents;
mod errors;
mod options;
mod session;

use mongodb::action::Action;
use mongodb::bson::RawDocumentBuf;
use mongodb::error::Error;
use mongodb::{Collection, bson::doc};
use weighhouse_driver_api::{
    ClientDriver, ClientFailed, Feature, Identity, Operation, OptionRefused, Options, Outcome,
    RecordShape, Request, Verifier, Way, said,
};

use documents::Documents;
use errors::kind_of;
use options::{Inserts, Settings};

/// A client with its connections, and the collection.
pub struct MongoDb {
    collection: Collection<RawDocumentBuf>,
    documents: Documents,
    inserts: Inserts,
}

impl ClientDriver for MongoDb {
    const IDENTITY: Identity = Identity {
        name: "mongodb",
        version: env!("CARGO_PKG_VERSION"),
        endpoint_kinds: &["tcp", "tls", "unix"],
        operations: &Operation::ALL,
        features: &[Feature::MultiGet],
        options_schema: options::SCHEMA,
    };

    // The library looks a host up by itself, and a certificate is to be for it.
    const OTHER_NAMES: bool = false;

    fn check(_shape: &RecordShape, options: &Options) -> Result<(), OptionRefused> {
        Settings::read(options).map(|_| ())
    }

    async fn connect(
        way: &Way,
        shape: &RecordShape,
        options: &Options,
        clients: usize,
    ) -> Result<Self, ClientFailed> {
        let settings = Settings::read(options).map_err(|refused| ClientFailed {
            message: refused.to_string(),
            hint: String::new(),
        })?;
        let documents = Documents::new(shape)?;
        let client = session::open(way, &settings, clients).await?;
        Ok(Self {
            collection: client.database(&settings.database).collection(&settings.collection),
            documents,
            inserts: settings.inserts,
        })
    }

    fn layout(&self) -> &'static str {
        "document"
    }

    async fn execute(&self, request: &Request<'_>, verifier: Option<&Verifier<'_>>) -> Outcome {
        let outcome = match request.operation {
            Operation::Read | Operation::ReadModifyWrite if request.more_keys.is_empty() => {
                self.read(request, verifier).await
            }
            Operation::Read | Operation::ReadModifyWrite => self.read_several(request).await,
            Operation::Scan => self.scan(request).await,
            Operation::Update => self.update(request).await,
            Operation::Insert => self.insert(request).await,
            Operation::Delete => self.delete(request).await,
        };
        outcome.unwrap_or_else(|error| said::failed(kind_of(&error), &error))
    }
}

/// Done when there was a record to do it with.
fn found(any: bool) -> Outcome {
    if any { Outcome::Ok } else { Outcome::NotFound }
}

impl MongoDb {
    async fn read(
        &self,
        request: &Request<'_>,
        verifier: Option<&Verifier<'_>>,
    ) -> Result<Outcome, Error> {
        let one = self
            .collection
            .find_one(documents::of(request.key))
            .optional(self.documents.projection(request.fields), |one, fields| {
                one.projection(fields)
            })
            .await?;
        let Some(record) = one else { return Ok(Outcome::NotFound) };
        let right = |verifier| self.documents.verify(&record, request.fields, verifier);
        Ok(if verifier.is_none_or(right) { Outcome::Ok } else { Outcome::VerifyFailed })
    }

    async fn read_several(&self, request: &Request<'_>) -> Result<Outcome, Error> {
        let keys = std::iter::once(request.key).chain(request.more_keys.iter());
        let (filter, wanted) = documents::of_several(keys);
        // All in one reply, as far as the protocol lets a reply grow.
        let batch = u32::try_from(wanted).unwrap_or(u32::MAX).saturating_add(1);
        let mut cursor = self
            .collection
            .find(filter)
            .batch_size(batch)
            .optional(self.documents.projection(request.fields), |all, fields| {
                all.projection(fields)
            })
            .await?;
        let mut count = 0;
        while cursor.advance().await? {
            count += 1;
        }
        Ok(found(count >= wanted))
    }

    async fn scan(&self, request: &Request<'_>) -> Result<Outcome, Error> {
        let mut cursor = self
            .collection
            .find(documents::from(request.key))
            .sort(doc! { documents::KEY: 1 })
            .limit(i64::from(request.scan_length))
            .batch_size(u32::from(request.scan_length) + 1)
            .optional(self.documents.projection(request.fields), |all, fields| {
                all.projection(fields)
            })
            .await?;
        let mut any = false;
        while cursor.advance().await? {
            any = true;
        }
        Ok(found(any))
    }

    async fn update(&self, request: &Request<'_>) -> Result<Outcome, Error> {
        let set = self.documents.update(request);
        let updated = self.collection.update_one(documents::of(request.key), set).await?;
        Ok(found(updated.matched_count > 0))
    }

    async fn insert(&self, request: &Request<'_>) -> Result<Outcome, Error> {
        let record = self.documents.record(request);
        match self.inserts {
            Inserts::Replace => {
                let replace = self.collection.replace_one(documents::of(request.key), record);
                replace.upsert(true).await?;
            }
            Inserts::Insert => {
                self.collection.insert_one(record).await?;
            }
        }
        Ok(Outcome::Ok)
    }

    async fn delete(&self, request: &Request<'_>) -> Result<Outcome, Error> {
        let deleted = self.collection.delete_one(documents::of(request.key)).await?;
        Ok(found(deleted.deleted_count > 0))
    }
}
