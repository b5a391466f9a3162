"""Makes a certificate that lives as long as an attempt, for servers that are to speak TLS.

Its authority signs this one certificate and is forgotten: its key is written nowhere.
"""

import datetime
import ipaddress
import os
import pwd
import shutil
from collections.abc import Collection
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

AUTHORITY = "authority.pem"
"""File with the authority's certificate."""
CERTIFICATE = "certificate.pem"
"""File with the server's."""
KEY = "key.pem"
"""File with its private key."""
BOTH = "both.pem"
"""File with the server's certificate and key, for servers that want them in one."""
VALID = datetime.timedelta(days=30)
"""Longer than any run."""
PURPOSES = (ExtendedKeyUsageOID.SERVER_AUTH, ExtendedKeyUsageOID.CLIENT_AUTH)
"""Replicas and nodes of a cluster are clients of each other."""
SKEW = datetime.timedelta(hours=1)
"""Before now: clocks of one machine agree, but may be set back."""


def certify(directory: Path, hosts: Collection[str]) -> Path:
    """Make an authority, and a certificate (ECDSA, P-256) for servers at some hosts.

    :param directory: made, closed to others; gets all three files, the key for its owner alone.
    :param hosts: addresses, or names.
    :returns: the file with the authority's certificate.
    """
    directory.mkdir(parents=True, exist_ok=True)
    directory.chmod(0o700)
    signing, own = ec.generate_private_key(ec.SECP256R1()), ec.generate_private_key(ec.SECP256R1())
    issuer = _name("Weighhouse, for one attempt")
    authority = (
        _begun(issuer, issuer, signing.public_key(), signing)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(_usage(signs=True), critical=True)
        .sign(signing, hashes.SHA256())
    )
    certificate = (
        _begun(_name("A server under test"), issuer, own.public_key(), signing)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(_usage(signs=False), critical=True)
        .add_extension(
            x509.ExtendedKeyUsage(PURPOSES),
            critical=False,
        )
        .add_extension(
            x509.SubjectAlternativeName([_alternative(host) for host in sorted(set(hosts))]),
            critical=False,
        )
        .sign(signing, hashes.SHA256())
    )
    pem = serialization.Encoding.PEM
    (directory / AUTHORITY).write_bytes(authority.public_bytes(pem))
    (directory / CERTIFICATE).write_bytes(certificate.public_bytes(pem))
    secret = own.private_bytes(pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    _write_closed(directory / KEY, secret)
    return directory / AUTHORITY


def hand_out(source: Path, directory: Path, user: str | None) -> None:
    """Copy what `certify` made to where a server reads it, closed to everybody else.

    :param user: whom the server becomes; None: who it is started by.
    """
    directory.mkdir(parents=True, exist_ok=True)
    directory.chmod(0o700)
    for name in (AUTHORITY, CERTIFICATE):
        shutil.copyfile(source / name, directory / name)
    certificate, secret = (source / CERTIFICATE).read_bytes(), (source / KEY).read_bytes()
    _write_closed(directory / KEY, secret)
    _write_closed(directory / BOTH, secret + certificate)
    if user is not None:
        entry = pwd.getpwnam(user)
        for path in (directory, *directory.iterdir()):
            os.chown(path, entry.pw_uid, entry.pw_gid)


def _write_closed(path: Path, data: bytes) -> None:
    """Nobody else can read it at any moment."""
    path.unlink(missing_ok=True)
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(data)


def _begun(
    subject: x509.Name,
    issuer: x509.Name,
    key: ec.EllipticCurvePublicKey,
    signing: ec.EllipticCurvePrivateKey,
) -> x509.CertificateBuilder:
    now = datetime.datetime.now(datetime.UTC)
    signer = signing.public_key()
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key)
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - SKEW)
        .not_valid_after(now + VALID)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key), critical=False)
        .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(signer), critical=False)
    )


def _usage(*, signs: bool) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=not signs,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        key_cert_sign=signs,
        crl_sign=signs,
        encipher_only=False,
        decipher_only=False,
    )


def _name(text: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)])


def _alternative(host: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ipaddress.ip_address(host))
    except ValueError:
        return x509.DNSName(host)
