//! How the client library is made ready: what it must not do on its own, and its connections.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use mongodb::Client;
use mongodb::bson::doc;
use mongodb::error::ErrorKind as Cause;
use mongodb::event::EventHandler;
use mongodb::event::cmap::CmapEvent;
use mongodb::options::{ClientOptions, Credential, ServerAddress};
use tokio::sync::Notify;
use weighhouse_driver_api::ClientFailed;

use crate::options::Settings;

/// How long a connection may take to come about.
const PATIENCE: Duration = Duration::from_secs(5);

/// Connections that are ready, by server.
#[derive(Default)]
struct Ready {
    counts: Mutex<HashMap<ServerAddress, u32>>,
    another: Notify,
}

impl Ready {
    fn hear(&self, event: &CmapEvent) {
        let (address, more) = match event {
            CmapEvent::ConnectionReady(event) => (&event.address, true),
            CmapEvent::ConnectionClosed(event) => (&event.address, false),
            _ => return,
        };
        let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        let count = counts.entry(address.clone()).or_default();
        *count = if more { *count + 1 } else { count.saturating_sub(1) };
        self.another.notify_one();
    }

    /// Connections to the server that has most.
    fn most(&self) -> u32 {
        let counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        counts.values().copied().max().unwrap_or(0)
    }
}

/// A client whose connections are made.
pub(crate) async fn open(
    endpoints: &[String],
    settings: &Settings,
    clients: usize,
) -> Result<Client, ClientFailed> {
    let mut options = client_options(servers(endpoints)?, settings, clients);
    options.credential = credential(settings)?;
    let wanted = options.max_pool_size.unwrap_or(1);
    let ready = Arc::new(Ready::default());
    let heard = Arc::clone(&ready);
    options.cmap_event_handler = Some(EventHandler::callback(move |event| heard.hear(&event)));
    let cannot = |error: mongodb::error::Error| unreachable(endpoints, &error);
    let client = Client::with_options(options).map_err(cannot)?;
    // To a server that the reads' preference leads to; the account is checked by that too.
    client
        .database(&settings.auth_source)
        .run_command(doc! { "ping": 1 })
        .selection_criteria(settings.readers())
        .await
        .map_err(cannot)?;
    while ready.most() < wanted {
        if tokio::time::timeout(PATIENCE, ready.another.notified()).await.is_err() {
            return Err(ClientFailed {
                message: format!(
                    "{}: {} connections of {wanted} came about, and no more in {} s",
                    endpoints.join(", "),
                    ready.most(),
                    PATIENCE.as_secs()
                ),
                hint: "does the server limit its connections?".to_owned(),
            });
        }
    }
    Ok(client)
}

/// What the library is told, but for the account.
fn client_options(
    servers: Vec<ServerAddress>,
    settings: &Settings,
    clients: usize,
) -> ClientOptions {
    let clients = u32::try_from(clients).unwrap_or(u32::MAX);
    let connections = settings.connections.unwrap_or(clients).max(1);
    let mut options = ClientOptions::default();
    options.hosts = servers;
    options.app_name = Some("weighhouse".to_owned());
    // An error is an error.
    options.retry_reads = Some(false);
    options.retry_writes = Some(false);
    options.max_adaptive_retries = Some(0);
    options.connect_timeout = Some(PATIENCE);
    options.server_selection_timeout = Some(settings.server_selection_timeout);
    options.max_pool_size = Some(connections);
    options.min_pool_size = Some(connections);
    // All at once: the library looks only now and then whether some are wanting.
    options.max_connecting = Some(connections);
    options.write_concern = settings.write_concern();
    options.read_concern.clone_from(&settings.read_concern);
    options.selection_criteria = Some(settings.readers());
    options
}

fn servers(endpoints: &[String]) -> Result<Vec<ServerAddress>, ClientFailed> {
    let server = |(index, endpoint): (usize, &String)| {
        let address = endpoint.strip_prefix("tcp://").map(ServerAddress::parse);
        match address {
            Some(Ok(server @ ServerAddress::Tcp { port: Some(_), .. })) => Ok(server),
            _ => Err(ClientFailed {
                message: format!("target.endpoints[{index}]: {endpoint}: not tcp://HOST:PORT"),
                hint: "the driver speaks MongoDB's protocol over TCP".to_owned(),
            }),
        }
    };
    endpoints.iter().enumerate().map(server).collect()
}

fn credential(settings: &Settings) -> Result<Option<Credential>, ClientFailed> {
    if settings.username.is_empty() {
        return Ok(None);
    }
    let file = &settings.password_file;
    let password = std::fs::read_to_string(file).map_err(|error| ClientFailed {
        message: format!("target.options.password_file: {file}: {error}"),
        hint: "the file must be readable to the agent".to_owned(),
    })?;
    let mut credential = Credential::default();
    credential.username = Some(settings.username.clone());
    credential.password = Some(password.trim_end_matches(['\n', '\r']).to_owned());
    credential.source = Some(settings.auth_source.clone());
    Ok(Some(credential))
}

fn unreachable(endpoints: &[String], error: &mongodb::error::Error) -> ClientFailed {
    let hint = match error.kind.as_ref() {
        Cause::Authentication { .. } => "are account, password and auth_source right?",
        Cause::IncompatibleServer { .. } => "the client library needs MongoDB 4.4 or newer",
        _ => "is the server up, and does it speak MongoDB's protocol there?",
    };
    ClientFailed {
        message: format!("{} cannot be reached: {}", endpoints.join(", "), error.kind),
        hint: hint.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use mongodb::options::{Acknowledgment, ReadConcern, ReadPreference};

    use super::*;

    fn names(endpoints: &[&str]) -> Result<Vec<String>, ClientFailed> {
        let endpoints: Vec<String> = endpoints.iter().map(|&one| one.to_owned()).collect();
        Ok(servers(&endpoints)?.iter().map(ToString::to_string).collect())
    }

    #[test]
    fn nothing_is_retried() {
        let options = client_options(Vec::new(), &Settings::default(), 3);
        assert_eq!((options.retry_reads, options.retry_writes), (Some(false), Some(false)));
        assert_eq!(options.max_adaptive_retries, Some(0));
    }

    #[test]
    fn concerns_and_preference_are_handed_over() {
        let told = serde_json::json!({"write_concern": "2", "read_concern": "majority",
                                      "read_preference": "nearest"});
        let settings = Settings::read(told.as_object().unwrap()).unwrap();
        let options = client_options(Vec::new(), &settings, 1);
        let members = options.write_concern.and_then(|concern| concern.w);
        assert_eq!(members, Some(Acknowledgment::Nodes(2)));
        assert_eq!(options.read_concern, Some(ReadConcern::majority()));
        let nearest = ReadPreference::Nearest { options: None };
        assert_eq!(options.selection_criteria, Some(nearest.into()));
    }

    #[test]
    fn there_is_a_connection_for_each_client_unless_told() {
        let mut settings = Settings::default();
        let sizes = |settings: &Settings| {
            let options = client_options(Vec::new(), settings, 7);
            (options.min_pool_size, options.max_pool_size)
        };
        assert_eq!(sizes(&settings), (Some(7), Some(7)));
        settings.connections = Some(2);
        assert_eq!(sizes(&settings), (Some(2), Some(2)));
    }

    #[test]
    fn an_endpoint_is_a_host_and_a_port() {
        let two = names(&["tcp://127.0.0.1:27017", "tcp://db.example:27018"]).unwrap();
        assert_eq!(two, ["127.0.0.1:27017", "db.example:27018"]);
        for wrong in ["tcp://host", "tcp://host:port", "unix:///tmp/mongodb.sock", "host:1"] {
            let failed = names(&["tcp://127.0.0.1:1", wrong]).unwrap_err();
            assert!(failed.message.starts_with("target.endpoints[1]: "), "{}", failed.message);
        }
    }
}
