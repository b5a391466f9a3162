//! How the client library is made ready: what it must not do on its own, and its connections.

use std::collections::HashMap;
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::net::ToSocketAddrs;
use std::os::fd::IntoRawFd;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use mongodb::Client;
use mongodb::bson::doc;
use mongodb::error::ErrorKind as Cause;
use mongodb::event::EventHandler;
use mongodb::event::cmap::CmapEvent;
use mongodb::options::{ClientOptions, Credential, ServerAddress, Tls, TlsOptions};
use tokio::sync::Notify;
use weighhouse_driver_api::{ClientFailed, Secure, Server, Way};

use crate::options::Settings;

/// How long a connection may take to come about.
const PATIENCE: Duration = Duration::from_secs(5);
/// File of certificate and key, for as long as it has a name.
const OWN_PEM: &str = "own.pem";

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
    way: &Way,
    settings: &Settings,
    clients: usize,
) -> Result<Client, ClientFailed> {
    let mut options =
        client_options(servers(&way.servers, way.secure.is_some())?, settings, clients);
    options.tls = way.secure.as_ref().map(tls).transpose()?;
    options.credential = credential(settings)?;
    let wanted = options.max_pool_size.unwrap_or(1);
    let ready = Arc::new(Ready::default());
    let heard = Arc::clone(&ready);
    options.cmap_event_handler = Some(EventHandler::callback(move |event| heard.hear(&event)));
    let cannot = |error: mongodb::error::Error| unreachable(way, &error);
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
                    "{way}: {} connections of {wanted} came about, and no more in {} s",
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
    options.repl_set_name.clone_from(&settings.replica_set);
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

/// Servers as the library takes them: it looks names up by itself, and holds certificates against
/// what it was told. Where there is a certificate it is told the name, once that leads nowhere else.
fn servers(named: &[Server], secured: bool) -> Result<Vec<ServerAddress>, ClientFailed> {
    let server = |server: &Server| match server {
        Server::Socket(path) => Ok(ServerAddress::Unix { path: path.clone() }),
        Server::Place { at, .. } if !secured => Ok(ServerAddress::from(*at)),
        Server::Place { at, host, addresses } => {
            let led = (host.as_str(), at.port()).to_socket_addrs().map_err(|error| failed(
                format!("{host}: {error}"),
                "the library looks the name of a certificate up by itself: it has to have an address",
            ))?;
            if let Some(other) = led.map(|one| one.ip()).find(|one| !addresses.contains(one)) {
                return Err(failed(
                    format!("{host} leads to {other} now, which nobody allowed"),
                    "name an address of its own for the server",
                ));
            }
            Ok(ServerAddress::Tcp { host: host.clone(), port: Some(at.port()) })
        }
    };
    named.iter().map(server).collect()
}

fn tls(secure: &Secure) -> Result<Tls, ClientFailed> {
    let mut options = TlsOptions::default();
    options.allow_invalid_certificates = (!secure.verify).then_some(true);
    options.ca_file_path.clone_from(&secure.ca_file);
    options.cert_key_file_path = match (&secure.certificate_file, &secure.key_file) {
        (Some(certificate), Some(key)) => Some(together(certificate, key)?),
        _ => None,
    };
    Ok(Tls::Enabled(options))
}

/// One file of a certificate and its key, as the library wants them. It has no name: only this
/// process finds it, by a descriptor that stays open, as the library reads it for each server.
fn together(certificate: &Path, key: &Path) -> Result<PathBuf, ClientFailed> {
    let written = || -> io::Result<PathBuf> {
        let shown = [fs::read(certificate)?, fs::read(key)?].join(&b'\n');
        let mut file =
            OpenOptions::new().read(true).write(true).create_new(true).mode(0o600).open(OWN_PEM)?;
        fs::remove_file(OWN_PEM)?;
        file.write_all(&shown)?;
        Ok(PathBuf::from(format!("/proc/self/fd/{}", file.into_raw_fd())))
    };
    written().map_err(|error| {
        failed(
            format!("target.options.tls_certificate_file: {error}"),
            "can the agent read both files?",
        )
    })
}

fn failed(message: String, hint: &str) -> ClientFailed {
    ClientFailed { message, hint: hint.to_owned() }
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

fn unreachable(way: &Way, error: &mongodb::error::Error) -> ClientFailed {
    let hint = match error.kind.as_ref() {
        Cause::Authentication { .. } => "are account, password and auth_source right?",
        Cause::IncompatibleServer { .. } => "the client library needs MongoDB 4.4 or newer",
        _ => "is the server up, and does it speak MongoDB's protocol there?",
    };
    ClientFailed {
        message: format!("{way} cannot be reached: {}", error.kind),
        hint: hint.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use mongodb::options::{Acknowledgment, ReadConcern, ReadPreference};

    use super::*;

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
    fn a_server_is_an_address_or_a_socket_and_with_tls_a_name_that_leads_nowhere_else() {
        let at: std::net::SocketAddr = "127.0.0.1:27017".parse().unwrap();
        let place = |host: &str, address: &str| Server::Place {
            at,
            host: host.to_owned(),
            addresses: vec![address.parse().unwrap()],
        };
        let names = |named: &[Server], secured: bool| {
            let found = servers(named, secured)?;
            Ok::<_, ClientFailed>(found.iter().map(ToString::to_string).collect::<Vec<_>>())
        };
        let plain = [place("db.example", "127.0.0.1"), Server::Socket("/s".into())];
        assert_eq!(names(&plain, false).unwrap(), ["127.0.0.1:27017", "/s"]);
        let here = [place("127.0.0.1", "127.0.0.1")];
        assert_eq!(names(&here, true).unwrap(), ["127.0.0.1:27017"]);
        let elsewhere = names(&[place("127.0.0.1", "10.0.0.1")], true).unwrap_err();
        assert!(elsewhere.message.contains("nobody allowed"), "{elsewhere}");
        let unknown = names(&[place("db.invalid", "127.0.0.1")], true).unwrap_err();
        assert!(unknown.message.starts_with("db.invalid: "), "{unknown}");
    }
}
