//! Certificates for tests of TLS.

use std::path::PathBuf;

use rcgen::{BasicConstraints, CertificateParams, DnType, IsCa, Issuer, KeyPair, KeyUsagePurpose};
use tempfile::TempDir;

/// An authority that nobody else trusts; its files end with this value.
pub struct Authority {
    issuer: Issuer<'static, KeyPair>,
    directory: TempDir,
}

/// A certificate and its private key, as PEM files.
#[derive(Debug, Clone)]
pub struct Certified {
    /// The certificate.
    pub certificate: PathBuf,
    /// Its key.
    pub key: PathBuf,
}

impl Authority {
    /// A new authority.
    #[must_use]
    #[allow(clippy::new_without_default)] // each is another one
    pub fn new() -> Self {
        let mut params = CertificateParams::new(Vec::new()).expect("no names");
        params.distinguished_name.push(DnType::CommonName, "Authority of a test");
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::DigitalSignature];
        let key = KeyPair::generate().expect("a key");
        let certificate = params.self_signed(&key).expect("a certificate");
        let directory = TempDir::new().expect("a temporary directory");
        std::fs::write(directory.path().join("ca.pem"), certificate.pem()).expect("written");
        Self { issuer: Issuer::new(params, key), directory }
    }

    /// Its own certificate.
    #[must_use]
    pub fn file(&self) -> PathBuf {
        self.directory.path().join("ca.pem")
    }

    /// A certificate for a host name or an address.
    #[must_use]
    pub fn certify(&self, name: &str) -> Certified {
        let mut params = CertificateParams::new(vec![name.to_owned()]).expect("a name");
        params.distinguished_name.push(DnType::CommonName, name);
        let key = KeyPair::generate().expect("a key");
        let certificate = params.signed_by(&key, &self.issuer).expect("a certificate");
        let file = |end: &str, text: String| {
            let path = self.directory.path().join(format!("{name}.{end}.pem"));
            std::fs::write(&path, text).expect("written");
            path
        };
        Certified {
            certificate: file("certificate", certificate.pem()),
            key: file("key", key.serialize_pem()),
        }
    }
}
