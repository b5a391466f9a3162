//! Records in a system that speaks CQL, in the table that YCSB's Cassandra binding makes: a row
//! each, a column of text for each field.
//!
//! The wire protocol is left to the official client library. It retries nothing here: an error is
//! an error.

mod options;
mod statements;

use std::sync::Arc;
use std::time::Duration;

use scylla::client::PoolSize;
use scylla::client::execution_profile::ExecutionProfile;
use scylla::client::session::Session;
use scylla::client::session_builder::SessionBuilder;
use scylla::deserialize::row::ColumnIterator;
use scylla::errors::{DbError, ExecutionError, RequestAttemptError};
use scylla::policies::retry::FallthroughRetryPolicy;
use scylla::response::query_result::QueryResult;
use scylla::statement::prepared::PreparedStatement;
use weighhouse_driver_api::{
    ClientDriver, ClientFailed, ErrorKind, Feature, Fields, Identity, Operation, OptionRefused,
    Options, Outcome, RecordShape, Request, Verifier, Way, said,
};

use options::Settings;
use statements::Statements;

/// How long a connection may take to come about.
const PATIENCE: Duration = Duration::from_secs(5);

/// A session, and all statements prepared.
pub struct Cql {
    session: Session,
    statements: Statements,
    may_be_partial: bool,
    expires: bool,
}

impl ClientDriver for Cql {
    const IDENTITY: Identity = Identity {
        name: "cql",
        version: env!("CARGO_PKG_VERSION"),
        endpoint_kinds: &["tcp", "tls"],
        operations: &Operation::ALL,
        features: &[Feature::Ttl, Feature::VariedTtl, Feature::MultiGet],
        options_schema: options::SCHEMA,
    };

    fn check(_shape: &RecordShape, options: &Options) -> Result<(), OptionRefused> {
        Settings::read(options).map(|_| ())
    }

    async fn connect(
        way: &Way,
        shape: &RecordShape,
        options: &Options,
        _clients: usize,
    ) -> Result<Self, ClientFailed> {
        let settings = Settings::read(options).map_err(|refused| ClientFailed {
            message: refused.to_string(),
            hint: String::new(),
        })?;
        let session = session(way, &settings).await?;
        let statements = Statements::prepare(&session, shape, &settings).await?;
        Ok(Self {
            session,
            statements,
            may_be_partial: shape.may_be_partial,
            expires: !shape.expiry.is_never(),
        })
    }

    fn layout(&self) -> &'static str {
        "row"
    }

    async fn execute(&self, request: &Request<'_>, verifier: Option<&Verifier<'_>>) -> Outcome {
        let key = text(request.key);
        match request.operation {
            Operation::Read | Operation::ReadModifyWrite if request.more_keys.is_empty() => {
                let statement = self.statements.read(request.fields);
                let found = self.session.execute_unpaged(statement, (key,)).await;
                self.found(found, verifier.map(|verifier| (verifier, request.fields)))
            }
            Operation::Read | Operation::ReadModifyWrite => {
                let keys: Vec<&str> =
                    std::iter::once(key).chain(request.more_keys.iter().map(text)).collect();
                let found =
                    self.session.execute_unpaged(&self.statements.read_several, (&keys,)).await;
                match found.map(|found| rows(&found)) {
                    Ok(count) if count >= distinct(&keys) => Outcome::Ok,
                    Ok(_) => Outcome::NotFound,
                    Err(error) => said::failed(kind_of(&error), &error),
                }
            }
            Operation::Scan => {
                let statement = self.statements.scan(request.fields);
                let most = i32::from(request.scan_length);
                match self.session.execute_unpaged(statement, (key, most)).await {
                    Ok(found) if rows(&found) > 0 => Outcome::Ok,
                    Ok(_) => Outcome::NotFound,
                    Err(error) => said::failed(kind_of(&error), &error),
                }
            }
            Operation::Delete => self.done(&self.statements.delete, &(key,)).await,
            Operation::Update | Operation::Insert => self.write(request, key).await,
        }
    }
}

impl Cql {
    async fn write(&self, request: &Request<'_>, key: &str) -> Outcome {
        let mut values = Vec::new();
        let mut ends = Vec::new();
        let fields = match request.fields {
            Fields::All => 0..self.statements.fields,
            Fields::One(index) => index..index + 1,
        };
        for index in fields {
            request.payload.field(index, &mut values);
            ends.push(values.len());
        }
        let mut start = 0;
        let fields = ends.iter().map(|&end| text(&values[std::mem::replace(&mut start, end)..end]));
        let fields: Vec<&str> = fields.collect();
        // Where the statements have a mark for it; 0 stands for never.
        let ttl = self.expires.then(|| {
            request.ttl_seconds().map_or(0, |seconds| i32::try_from(seconds).unwrap_or(i32::MAX))
        });
        if request.operation == Operation::Insert {
            // INSERT … VALUES (key, fields…) USING TTL
            let row = statements::Row {
                ttl_first: None,
                key,
                key_first: true,
                fields: &fields,
                ttl_last: ttl,
            };
            self.done(&self.statements.insert, &row).await
        } else {
            // UPDATE … USING TTL SET fields… WHERE y_id = key
            let row = statements::Row {
                ttl_first: ttl,
                key,
                key_first: false,
                fields: &fields,
                ttl_last: None,
            };
            self.done(self.statements.update(request.fields), &row).await
        }
    }

    async fn done(
        &self,
        statement: &PreparedStatement,
        values: &impl scylla::serialize::row::SerializeRow,
    ) -> Outcome {
        match self.session.execute_unpaged(statement, values).await {
            Ok(_) => Outcome::Ok,
            Err(error) => said::failed(kind_of(&error), &error),
        }
    }

    /// What a read of one record came to.
    fn found(
        &self,
        found: Result<QueryResult, ExecutionError>,
        verify: Option<(&Verifier<'_>, Fields)>,
    ) -> Outcome {
        let rows = match found.map(QueryResult::into_rows_result) {
            Ok(Ok(rows)) => rows,
            Ok(Err(error)) => return said::failed(ErrorKind::Protocol, &error),
            Err(error) => return said::failed(kind_of(&error), &error),
        };
        let Ok(columns) = rows.maybe_first_row::<ColumnIterator<'_, '_>>() else {
            return Outcome::Error(ErrorKind::Protocol);
        };
        let Some(columns) = columns else { return Outcome::NotFound };
        let first = match verify {
            Some((_, Fields::One(index))) => index,
            _ => 0,
        };
        for (index, column) in (first..).zip(columns) {
            let Ok(column) = column else { return Outcome::Error(ErrorKind::Protocol) };
            let value = column.slice.map(|slice| slice.as_slice().to_vec());
            if let Some((verifier, _)) = verify {
                let right = value
                    .as_deref()
                    .map_or(self.may_be_partial, |value| verifier.field(index, value));
                if !right {
                    return Outcome::VerifyFailed;
                }
            }
        }
        Outcome::Ok
    }
}

/// Keys and values are of printable ASCII characters.
fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap_or_default()
}

fn distinct(keys: &[&str]) -> usize {
    let mut keys = keys.to_vec();
    keys.sort_unstable();
    keys.dedup();
    keys.len()
}

fn rows(found: &QueryResult) -> usize {
    found.clone().into_rows_result().map_or(0, |rows| rows.rows_num())
}

/// What an error means.
fn kind_of(error: &ExecutionError) -> ErrorKind {
    match error {
        ExecutionError::RequestTimeout(_) => ErrorKind::Timeout,
        ExecutionError::ConnectionPoolError(_) | ExecutionError::EmptyPlan => ErrorKind::Connection,
        ExecutionError::LastAttemptError(attempt) => match attempt {
            RequestAttemptError::BrokenConnectionError(_)
            | RequestAttemptError::UnableToAllocStreamId => ErrorKind::Connection,
            RequestAttemptError::DbError(error, _) => match error {
                DbError::ReadTimeout { .. } | DbError::WriteTimeout { .. } => ErrorKind::Timeout,
                DbError::Overloaded | DbError::RateLimitReached { .. } => ErrorKind::ServerBusy,
                DbError::Unavailable { .. } | DbError::IsBootstrapping | DbError::TruncateError => {
                    ErrorKind::Unavailable
                }
                DbError::Unauthorized | DbError::AuthenticationError => ErrorKind::Refused,
                DbError::ProtocolError => ErrorKind::Protocol,
                _ => ErrorKind::Other,
            },
            RequestAttemptError::UnexpectedResponse(_)
            | RequestAttemptError::BodyExtensionsParseError(_)
            | RequestAttemptError::CqlErrorParseError(_)
            | RequestAttemptError::CqlResultParseError(_) => ErrorKind::Protocol,
            _ => ErrorKind::Other,
        },
        _ => ErrorKind::Other,
    }
}

async fn session(way: &Way, settings: &Settings) -> Result<Session, ClientFailed> {
    let nodes: Vec<String> = way.servers.iter().map(ToString::to_string).collect();
    let profile = ExecutionProfile::builder()
        .retry_policy(Arc::new(FallthroughRetryPolicy::new()))
        // The engine has a limit of its own.
        .request_timeout(None)
        .build();
    let connections =
        std::num::NonZeroUsize::new(settings.connections).unwrap_or(std::num::NonZeroUsize::MIN);
    let mut builder = SessionBuilder::new()
        .known_nodes(&nodes)
        .tls_context(way.secure.as_ref().map(|secure| Arc::clone(&secure.config)))
        .default_execution_profile_handle(profile.into_handle())
        .connection_timeout(PATIENCE)
        .pool_size(PoolSize::PerHost(connections));
    if !settings.username.is_empty() {
        let password =
            std::fs::read_to_string(&settings.password_file).map_err(|error| ClientFailed {
                message: format!(
                    "target.options.password_file: {}: {error}",
                    settings.password_file
                ),
                hint: "the file must be readable to the agent".to_owned(),
            })?;
        builder = builder.user(&settings.username, password.trim_end_matches(['\n', '\r']));
    }
    builder.build().await.map_err(|error| ClientFailed {
        message: format!("{way} cannot be reached: {error}"),
        hint: "is the server up, and does it speak CQL there?".to_owned(),
    })
}
