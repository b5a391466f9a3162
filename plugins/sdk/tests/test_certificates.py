"""Certificates of an attempt: for whom they are, who can read the key, whom they are signed by."""

import datetime
import ipaddress
import stat
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.exceptions import InvalidSignature
from weighhouse_sdk.machine.certificates import AUTHORITY, BOTH, CERTIFICATE, KEY, certify, hand_out


def read(path: Path) -> x509.Certificate:
    return x509.load_pem_x509_certificate(path.read_bytes())


def test_a_certificate_names_its_hosts_and_its_authority_alone_signed_it(tmp_path: Path) -> None:
    authority = read(certify(tmp_path / "one", ["127.0.0.1", "::1", "db.test", "127.0.0.1"]))
    certificate = read(tmp_path / "one" / CERTIFICATE)
    certificate.verify_directly_issued_by(authority)
    with pytest.raises(InvalidSignature):
        certificate.verify_directly_issued_by(read(certify(tmp_path / "two", ["127.0.0.1"])))
    names = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    addresses = names.get_values_for_type(x509.IPAddress)
    assert set(addresses) == {ipaddress.ip_address("127.0.0.1"), ipaddress.ip_address("::1")}
    assert names.get_values_for_type(x509.DNSName) == ["db.test"]
    assert len(addresses) == 2
    now = datetime.datetime.now(datetime.UTC)
    assert certificate.not_valid_before_utc < now < certificate.not_valid_after_utc


def test_keys_are_their_owners_alone_and_the_authoritys_is_nowhere(tmp_path: Path) -> None:
    made, handed = tmp_path / "made", tmp_path / "handed"
    certify(made, ["127.0.0.1"])
    hand_out(made, handed, None)
    hand_out(made, handed, None)
    secret = {made: [KEY], handed: [BOTH, KEY]}
    for directory, closed in secret.items():
        names = sorted(path.name for path in directory.iterdir())
        assert names == sorted([AUTHORITY, CERTIFICATE, *closed])
        assert stat.S_IMODE(directory.stat().st_mode) == 0o700
        held = [path.name for path in directory.iterdir() if b"PRIVATE" in path.read_bytes()]
        assert sorted(held) == closed
        assert {stat.S_IMODE((directory / each).stat().st_mode) for each in closed} == {0o600}
    assert (handed / KEY).read_bytes() == (made / KEY).read_bytes()
