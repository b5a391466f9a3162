//! The engine's options for endpoints `tls://HOST:PORT`.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::client::{Resumption, WebPkiServerVerifier};
use rustls::crypto::{CryptoProvider, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName, UnixTime};
use rustls::{
    ClientConfig, ClientConnection, DigitallySignedStruct, RootCertStore, SignatureScheme,
};
use weighhouse_driver_api::{OptionRefused, Options, Secure, Server};

const CA_FILE: &str = "tls_ca_file";
/// Option with the name that a certificate is for.
pub const SERVER_NAME: &str = "tls_server_name";
const CERTIFICATE_FILE: &str = "tls_certificate_file";
const KEY_FILE: &str = "tls_key_file";
const VERIFY: &str = "tls_verify";

/// JSON Schemas of the options by name, which stand beside those of a driver that takes `tls`.
pub const SCHEMA: &str = r#"{
  "tls_ca_file": {
    "type": "string",
    "description": "Path of a PEM file with the authorities that a tls:// server's certificate may come from; without it those that the driver's machine trusts."
  },
  "tls_server_name": {
    "type": "string",
    "default": "",
    "description": "The name that the server's certificate must be for; empty: the host of the endpoint."
  },
  "tls_certificate_file": {
    "type": "string",
    "description": "Path of a PEM file with the certificate that the driver shows to the server, and those between it and the authority. Needs tls_key_file."
  },
  "tls_key_file": {
    "type": "string",
    "description": "Path of a PEM file with the private key of tls_certificate_file."
  },
  "tls_verify": {
    "type": "boolean",
    "default": true,
    "description": "Whether the server's certificate is verified. false: any certificate is taken, and whoever sits in between can read and change everything."
  }
}"#;

/// How connections are made secure.
#[derive(Debug, Clone)]
pub struct Tls {
    config: Arc<ClientConfig>,
    name: ServerName<'static>,
}

/// The options as they were given.
#[derive(Debug, Clone, Default)]
pub struct TlsOptions {
    ca_file: Option<String>,
    server_name: Option<String>,
    certificate_file: Option<String>,
    key_file: Option<String>,
    verify: Option<bool>,
}

impl TlsOptions {
    /// Takes the options out of those of a driver.
    ///
    /// # Errors
    /// When one is of another type.
    pub fn take(options: &mut Options) -> Result<Self, OptionRefused> {
        let mut text = |name: &str, what: &str| match options.remove(name) {
            None => Ok(None),
            Some(value) => match value.as_str().filter(|text| !text.is_empty()) {
                Some(text) => Ok(Some(text.to_owned())),
                None => Err(OptionRefused::new(name, what)),
            },
        };
        let path = "the path of a PEM file";
        let mut taken = Self {
            ca_file: text(CA_FILE, path)?,
            server_name: None,
            certificate_file: text(CERTIFICATE_FILE, path)?,
            key_file: text(KEY_FILE, path)?,
            verify: None,
        };
        if let Some(value) = options.remove(SERVER_NAME) {
            let name = value.as_str().ok_or_else(|| {
                OptionRefused::new(SERVER_NAME, "the name in the server's certificate")
            })?;
            taken.server_name = Some(name.to_owned()).filter(|name| !name.is_empty());
        }
        if let Some(value) = options.remove(VERIFY) {
            let verify = value.as_bool();
            taken.verify = Some(verify.ok_or_else(|| OptionRefused::new(VERIFY, "true or false"))?);
        }
        Ok(taken)
    }

    /// Refuses what is given for an endpoint without TLS.
    ///
    /// # Errors
    /// When an option is given.
    pub fn none(&self) -> Result<(), OptionRefused> {
        let given = [
            (self.ca_file.is_some(), CA_FILE),
            (self.server_name.is_some(), SERVER_NAME),
            (self.certificate_file.is_some(), CERTIFICATE_FILE),
            (self.key_file.is_some(), KEY_FILE),
            (self.verify.is_some(), VERIFY),
        ];
        match given.into_iter().find(|&(given, _)| given) {
            Some((_, name)) => {
                let message =
                    "only for an endpoint tls://HOST:PORT, which this order does not have";
                Err(OptionRefused::new(name, message))
            }
            None => Ok(()),
        }
    }

    /// Refuses another name for the certificate than the endpoint's host.
    ///
    /// # Errors
    /// When one is given.
    pub fn host_alone(&self) -> Result<(), OptionRefused> {
        if self.server_name.is_none() {
            return Ok(());
        }
        let message = "the driver's library knows no other name than the host of the endpoint";
        Err(OptionRefused::new(SERVER_NAME, message))
    }

    /// Reads the files.
    ///
    /// # Errors
    /// When a file cannot be read or used, or options do not go together.
    pub fn ready(&self, host: &str) -> Result<Tls, OptionRefused> {
        let name = self.name_of(host)?;
        Ok(Tls { config: Arc::new(self.config(None)?), name })
    }

    /// The same for a client library, which asks for a certificate's name by the address of a
    /// server.
    ///
    /// # Errors
    /// As [`TlsOptions::ready`].
    pub fn secure(&self, servers: &[Server]) -> Result<Secure, OptionRefused> {
        let names = self.names(servers)?;
        let path = |file: &Option<String>| file.as_ref().map(PathBuf::from);
        Ok(Secure {
            config: Arc::new(self.config(Some(names))?),
            ca_file: path(&self.ca_file),
            certificate_file: path(&self.certificate_file),
            key_file: path(&self.key_file),
            server_name: self.server_name.clone(),
            verify: self.verify != Some(false),
        })
    }

    fn names(&self, servers: &[Server]) -> Result<Names, OptionRefused> {
        let mut written: BTreeMap<IpAddr, Vec<_>> = BTreeMap::new();
        for server in servers {
            if let Server::Place { at, host, addresses } = server {
                let name = self.name_of(host)?;
                for address in addresses.iter().copied().chain([at.ip()]) {
                    written.entry(address).or_default().push(name.clone());
                }
            }
        }
        for names in written.values_mut() {
            names.dedup();
        }
        Ok(Names { written, alone: self.server_name.is_some() })
    }

    fn name_of(&self, host: &str) -> Result<ServerName<'static>, OptionRefused> {
        let (name, given) = match &self.server_name {
            Some(name) => (name.as_str(), SERVER_NAME),
            None => (host, "endpoints"),
        };
        ServerName::try_from(name.to_owned())
            .map_err(|error| OptionRefused::new(given, format!("{name}: {error}")))
    }

    /// `names`: what certificates are for, whatever they are asked for by.
    fn config(&self, names: Option<Names>) -> Result<ClientConfig, OptionRefused> {
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let refused = |name: &'static str| {
            move |error: rustls::Error| OptionRefused::new(name, error.to_string())
        };
        let builder = ClientConfig::builder_with_provider(Arc::clone(&provider))
            .with_safe_default_protocol_versions()
            .map_err(refused(VERIFY))?;
        let builder = if self.verify == Some(false) {
            let anyone = Arc::new(Anyone { provider });
            builder.dangerous().with_custom_certificate_verifier(anyone)
        } else {
            let roots = Arc::new(self.authorities()?);
            let verifier = WebPkiServerVerifier::builder_with_provider(roots, provider)
                .build()
                .map_err(|error| OptionRefused::new(CA_FILE, error.to_string()))?;
            match names {
                None => builder.with_webpki_verifier(verifier),
                Some(names) => {
                    let meant = Arc::new(Meant { verifier, names });
                    builder.dangerous().with_custom_certificate_verifier(meant)
                }
            }
        };
        let mut config = match (&self.certificate_file, &self.key_file) {
            (None, None) => builder.with_no_client_auth(),
            (Some(certificate), Some(key)) => {
                let shown = certificates(CERTIFICATE_FILE, certificate)?;
                let key = PrivateKeyDer::from_pem_file(Path::new(key))
                    .map_err(|error| OptionRefused::new(KEY_FILE, format!("{key}: {error}")))?;
                builder.with_client_auth_cert(shown, key).map_err(refused(KEY_FILE))?
            }
            (Some(_), None) => {
                return Err(OptionRefused::new(CERTIFICATE_FILE, "needs tls_key_file beside it"));
            }
            (None, Some(_)) => {
                return Err(OptionRefused::new(KEY_FILE, "needs tls_certificate_file beside it"));
            }
        };
        // Each connection greets in full: servers that want a certificate and have no context for
        // sessions refuse to go on with one (SSL_CTX_set_session_id_context(3)).
        config.resumption = Resumption::disabled();
        Ok(config)
    }

    fn authorities(&self) -> Result<RootCertStore, OptionRefused> {
        let mut store = RootCertStore::empty();
        let Some(path) = &self.ca_file else {
            let known = rustls_native_certs::load_native_certs();
            store.add_parsable_certificates(known.certs);
            if store.is_empty() {
                let message = "needed: the driver's machine trusts no authority that can be read";
                return Err(OptionRefused::new(CA_FILE, message));
            }
            return Ok(store);
        };
        for certificate in certificates(CA_FILE, path)? {
            store
                .add(certificate)
                .map_err(|error| OptionRefused::new(CA_FILE, format!("{path}: {error}")))?;
        }
        Ok(store)
    }
}

fn certificates(option: &str, path: &str) -> Result<Vec<CertificateDer<'static>>, OptionRefused> {
    let refused = |what: String| OptionRefused::new(option, format!("{path}: {what}"));
    let found: Result<Vec<_>, _> = CertificateDer::pem_file_iter(Path::new(path))
        .and_then(Iterator::collect)
        .map_err(|error| refused(error.to_string()));
    match found? {
        none if none.is_empty() => Err(refused("no certificate in the file".to_owned())),
        found => Ok(found),
    }
}

impl Tls {
    /// A connection's part of TLS.
    pub(in crate::net) fn connection(&self) -> Result<ClientConnection, rustls::Error> {
        let mut connection = ClientConnection::new(Arc::clone(&self.config), self.name.clone())?;
        // The link keeps what does not fit.
        connection.set_buffer_limit(Some(64 << 10));
        Ok(connection)
    }
}

/// What certificates are for.
#[derive(Debug)]
struct Names {
    /// By the addresses of servers, the names that were written for them.
    written: BTreeMap<IpAddr, Vec<ServerName<'static>>>,
    /// Whether it is these alone, also of servers that others announce.
    alone: bool,
}

impl Names {
    fn of<'a>(&'a self, asked: &'a ServerName<'a>) -> Vec<&'a ServerName<'a>> {
        let address = match asked {
            ServerName::IpAddress(address) => Some(IpAddr::from(*address)),
            _ => None,
        };
        if let Some(names) = address.and_then(|address| self.written.get(&address)) {
            return names.iter().collect();
        }
        let own = (!self.alone).then_some(asked);
        self.written.values().flatten().chain(own).collect()
    }
}

/// Verifies a certificate for the name that was written, where a library asks by an address. A
/// server that others announce, at an address that nobody wrote, is to have one of the names that
/// were written, as who has such a certificate is who was meant, or its own address.
#[derive(Debug)]
struct Meant {
    verifier: Arc<WebPkiServerVerifier>,
    names: Names,
}

impl ServerCertVerifier for Meant {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        server_name: &ServerName<'_>,
        ocsp_response: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        let mut last = Err(rustls::Error::General("no name is known".to_owned()));
        for name in self.names.of(server_name) {
            last = self.verifier.verify_server_cert(
                end_entity,
                intermediates,
                name,
                ocsp_response,
                now,
            );
            if last.is_ok() {
                break;
            }
        }
        last
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        self.verifier.verify_tls12_signature(message, cert, dss)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        self.verifier.verify_tls13_signature(message, cert, dss)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.verifier.supported_verify_schemes()
    }
}

/// Takes any certificate, but whoever shows it must have its key.
#[derive(Debug)]
struct Anyone {
    provider: Arc<CryptoProvider>,
}

impl ServerCertVerifier for Anyone {
    fn verify_server_cert(
        &self,
        _end_entity: &CertificateDer<'_>,
        _intermediates: &[CertificateDer<'_>],
        _server_name: &ServerName<'_>,
        _ocsp_response: &[u8],
        _now: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        let known = &self.provider.signature_verification_algorithms;
        verify_tls12_signature(message, cert, dss, known)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        let known = &self.provider.signature_verification_algorithms;
        verify_tls13_signature(message, cert, dss, known)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider.signature_verification_algorithms.supported_schemes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn taken(options: &serde_json::Value) -> Result<(TlsOptions, Options), OptionRefused> {
        let mut options = options.as_object().unwrap().clone();
        TlsOptions::take(&mut options).map(|taken| (taken, options))
    }

    #[test]
    fn options_of_tls_are_taken_and_others_left() {
        let schema: serde_json::Value = serde_json::from_str(SCHEMA).unwrap();
        for name in schema.as_object().unwrap().keys() {
            let value = if name == VERIFY { json!(false) } else { json!("/x") };
            let (taken, rest) = taken(&json!({name.as_str(): value, "layout": "hash"})).unwrap();
            assert_eq!(taken.none().unwrap_err().name, *name);
            assert_eq!(rest.keys().collect::<Vec<_>>(), ["layout"]);
            assert_eq!(super::tests::taken(&json!({name.as_str(): 7})).unwrap_err().name, *name);
        }
        assert!(taken(&json!({})).unwrap().0.none().is_ok());
    }

    #[test]
    fn what_cannot_be_used_is_refused_by_name() {
        for (options, name) in [
            (json!({"tls_ca_file": "/no/such/file"}), CA_FILE),
            (json!({"tls_ca_file": "/dev/null"}), CA_FILE),
            (json!({"tls_verify": false, "tls_key_file": "/x"}), KEY_FILE),
            (json!({"tls_verify": false, "tls_certificate_file": "/x"}), CERTIFICATE_FILE),
            (json!({"tls_verify": false, "tls_server_name": "a b"}), SERVER_NAME),
        ] {
            let refused = taken(&options).unwrap().0.ready("localhost").unwrap_err();
            assert_eq!(refused.name, name);
        }
    }

    #[test]
    fn a_server_has_the_name_written_for_it_and_an_announced_one_any_of_them_or_its_own() {
        let options = json!({"tls_verify": true}).as_object().unwrap().clone();
        let named = |server_name: Option<&str>| {
            let mut options = options.clone();
            if let Some(name) = server_name {
                options.insert(SERVER_NAME.to_owned(), json!(name));
            }
            let taken = TlsOptions::take(&mut options).unwrap();
            let place = |host: &str, addresses: &[&str]| {
                let addresses: Vec<IpAddr> =
                    addresses.iter().map(|each| each.parse().unwrap()).collect();
                Server::Place { at: (addresses[0], 1).into(), host: host.to_owned(), addresses }
            };
            let servers =
                [place("a.example", &["10.0.0.1", "::1"]), place("b.example", &["10.0.0.2"])];
            taken.names(&servers).unwrap()
        };
        let asked = |names: &Names, host: &'static str| -> Vec<String> {
            let asked = ServerName::try_from(host).unwrap();
            names.of(&asked).iter().map(|name| name.to_str().into_owned()).collect()
        };
        let written = named(None);
        assert_eq!(asked(&written, "10.0.0.1"), ["a.example"]);
        assert_eq!(asked(&written, "::1"), ["a.example"]);
        assert_eq!(asked(&written, "10.0.0.2"), ["b.example"]);
        let announced = asked(&written, "10.0.0.3");
        assert!(announced.contains(&"b.example".to_owned()), "{announced:?}");
        assert!(announced.contains(&"10.0.0.3".to_owned()), "{announced:?}");
        let alone = asked(&named(Some("c.example")), "10.0.0.3");
        assert!(alone.iter().all(|name| name == "c.example"), "{alone:?}");
    }
}
