//! Records in Aerospike, as YCSB's binding keeps them: a record of a set each, its key the
//! workload's, and a bin of bytes for each field.
//!
//! The wire protocol is left to the official client library. It retries nothing unless told so, and
//! its breaker, which refuses operations by itself after many errors, is off: what the workload asks
//! is asked of the server.

mod errors;
mod options;
mod policies;

use std::sync::Arc;

use aerospike::policy::{AdminPolicy, TlsPolicy};
use aerospike::{BatchOperation, BatchReadPolicy, Bin, Bins, Client, Host, Key, Record, Value};
use weighhouse_driver_api::{
    ClientDriver, ClientFailed, ErrorKind, Feature, Fields, Identity, Operation, OptionRefused,
    Options, Outcome, RecordShape, Request, Server, Verifier, Way,
};

use errors::outcome_of;
use options::Settings;
use policies::Policies;

/// Longest name of a bin, bytes.
const LONGEST_BIN: usize = 15;

/// A client of the cluster, and what goes with each operation.
pub struct Aerospike {
    client: Client,
    policies: Policies,
    namespace: String,
    set: String,
    fields: Vec<String>,
    /// What a read of all fields asks for.
    all: Bins,
    /// What a read of one asks for.
    each: Vec<Bins>,
}

impl ClientDriver for Aerospike {
    const IDENTITY: Identity = Identity {
        name: "aerospike",
        version: env!("CARGO_PKG_VERSION"),
        endpoint_kinds: &["tcp", "tls"],
        // Keys are kept by their hashes: there is no order to scan in.
        operations: &Operation::WITHOUT_SCAN,
        features: &[Feature::Ttl, Feature::VariedTtl, Feature::MultiGet],
        options_schema: options::SCHEMA,
    };

    fn check(shape: &RecordShape, options: &Options) -> Result<(), OptionRefused> {
        Settings::read(options)?;
        match shape.field_names().iter().find(|name| name.len() > LONGEST_BIN) {
            Some(name) => Err(OptionRefused::new(
                "field_name_prefix",
                format!("{name} of the workload: a bin's name has at most {LONGEST_BIN} bytes"),
            )),
            None => Ok(()),
        }
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
        let hosts = hosts(way);
        let mut policy = policies::of_client(&settings, clients)?;
        policy.tls_policy =
            way.secure.as_ref().map(|secure| TlsPolicy::new(Arc::clone(&secure.config)));
        let client = Client::new(&policy, &hosts).await.map_err(|error| ClientFailed {
            message: format!("{way} cannot be reached: {error}"),
            hint: "is the server up, and is it Aerospike that listens there?".to_owned(),
        })?;
        admit(&client, &settings, shape).await?;
        let fields = shape.field_names().to_vec();
        let all = if shape.reads_by_name { Bins::Some(fields.clone()) } else { Bins::All };
        Ok(Self {
            client,
            policies: Policies::new(&settings, shape),
            each: fields.iter().map(|name| Bins::Some(vec![name.clone()])).collect(),
            all,
            fields,
            namespace: settings.namespace,
            set: settings.set,
        })
    }

    fn layout(&self) -> &'static str {
        "record"
    }

    async fn execute(&self, request: &Request<'_>, verifier: Option<&Verifier<'_>>) -> Outcome {
        let Ok(key) = self.key(request.key) else { return Outcome::Error(ErrorKind::Other) };
        match request.operation {
            Operation::Read | Operation::ReadModifyWrite if request.more_keys.is_empty() => {
                let bins = self.bins(request.fields).clone();
                match self.client.get(&self.policies.read, &key, bins).await {
                    Ok(record) => self.found(&record, request.fields, verifier),
                    Err(error) => outcome_of(&error),
                }
            }
            Operation::Read | Operation::ReadModifyWrite => {
                self.read_several(key, request, verifier).await
            }
            Operation::Delete => match self.client.delete(&self.policies.delete, &key).await {
                Ok(true) => Outcome::Ok,
                Ok(false) => Outcome::NotFound,
                Err(error) => outcome_of(&error),
            },
            Operation::Update | Operation::Insert => {
                let policy = self.policies.writing(request);
                match self.client.put(&policy, &key, &self.values(request)).await {
                    Ok(()) => Outcome::Ok,
                    Err(error) => outcome_of(&error),
                }
            }
            // Declared unsupported, so that no order of one comes this far.
            Operation::Scan => Outcome::Error(ErrorKind::Other),
        }
    }
}

impl Aerospike {
    fn key(&self, key: &[u8]) -> aerospike::Result<Key> {
        // Keys are of printable ASCII characters.
        let key = String::from_utf8_lossy(key).into_owned();
        Key::new(self.namespace.as_str(), self.set.as_str(), Value::String(key))
    }

    fn bins(&self, fields: Fields) -> &Bins {
        match fields {
            Fields::All => &self.all,
            Fields::One(index) => self.each.get(usize::from(index)).unwrap_or(&self.all),
        }
    }

    /// The fields of a request by their numbers.
    fn numbered(&self, fields: Fields) -> impl Iterator<Item = (u16, &str)> {
        let (first, most) = match fields {
            Fields::All => (0, self.fields.len()),
            Fields::One(index) => (index, 1),
        };
        (first..).zip(self.fields.iter().map(String::as_str).skip(usize::from(first)).take(most))
    }

    fn values(&self, request: &Request<'_>) -> Vec<Bin> {
        let bin = |(index, name): (u16, &str)| {
            let mut value = Vec::with_capacity(request.payload.field_length(index));
            request.payload.field(index, &mut value);
            Bin::new(name, Value::Blob(value))
        };
        self.numbered(request.fields).map(bin).collect()
    }

    /// What a record that is there comes to.
    fn found(&self, record: &Record, fields: Fields, verifier: Option<&Verifier<'_>>) -> Outcome {
        let Some(verifier) = verifier else { return Outcome::Ok };
        let right = self.numbered(fields).all(|(index, name)| match record.bins.get(name) {
            Some(Value::Blob(value)) => verifier.field(index, value),
            // A write is of a record that is there or of all fields: none is there in part.
            _ => false,
        });
        if right { Outcome::Ok } else { Outcome::VerifyFailed }
    }

    async fn read_several(
        &self,
        key: Key,
        request: &Request<'_>,
        verifier: Option<&Verifier<'_>>,
    ) -> Outcome {
        let policy = BatchReadPolicy::default();
        let bins = self.bins(request.fields);
        let mut batch = vec![BatchOperation::read(&policy, key, bins.clone())];
        for key in request.more_keys.iter() {
            let Ok(key) = self.key(key) else { return Outcome::Error(ErrorKind::Other) };
            batch.push(BatchOperation::read(&policy, key, bins.clone()));
        }
        if let Err(error) = self.client.batch(&self.policies.batch, &mut batch).await {
            return outcome_of(&error);
        }
        let mut all = Outcome::Ok;
        for (index, row) in batch.iter().enumerate() {
            let outcome = match (row.record(), row.error()) {
                // The values of the first key alone are known to the verifier.
                (Some(record), _) => {
                    self.found(record, request.fields, verifier.filter(|_| index == 0))
                }
                (None, Some(error)) => outcome_of(error),
                (None, None) => Outcome::Error(ErrorKind::Protocol),
            };
            match outcome {
                Outcome::Ok => {}
                Outcome::NotFound => all = Outcome::NotFound,
                worse => return worse,
            }
        }
        all
    }
}

fn hosts(way: &Way) -> Vec<Host> {
    let host = |server: &Server| match (server, &way.secure) {
        (Server::Place { at, host, .. }, Some(secure)) => {
            let name = secure.server_name.as_ref().unwrap_or(host);
            Some(Host::new_tls(&at.ip().to_string(), name, at.port()))
        }
        (Server::Place { at, .. }, None) => Some(Host::new(&at.ip().to_string(), at.port())),
        // The engine lets none through: it is no kind of endpoint that this driver has.
        (Server::Socket(_), _) => None,
    };
    way.servers.iter().filter_map(host).collect()
}

/// Whether the namespace is there and takes what the workload writes: what would otherwise show as
/// an error of each operation.
async fn admit(
    client: &Client,
    settings: &Settings,
    shape: &RecordShape,
) -> Result<(), ClientFailed> {
    let namespace = &settings.namespace;
    let about = format!("namespace/{namespace}");
    let told = client.info(&AdminPolicy::default(), &["namespaces", &about]).await;
    let told = told.map_err(|error| ClientFailed {
        message: format!("the server does not tell of its namespaces: {error}"),
        hint: "may the account read them?".to_owned(),
    })?;
    let there = told.get("namespaces").map(String::as_str).unwrap_or_default();
    if !there.split(';').any(|one| one == namespace) {
        return Err(ClientFailed {
            message: format!("there is no namespace {namespace}; there are: {there}"),
            hint: "name one by target.options.namespace, or add it to the server's configuration"
                .to_owned(),
        });
    }
    let settings = told.get(&about).map(String::as_str).unwrap_or_default();
    let has = |setting: &str| settings.split(';').any(|one| one == setting);
    if !shape.expiry.is_never() && has("nsup-period=0") && has("allow-ttl-without-nsup=false") {
        return Err(ClientFailed {
            message: format!("namespace {namespace} refuses records that expire"),
            hint: "set nsup-period in the server's configuration of the namespace".to_owned(),
        });
    }
    Ok(())
}
