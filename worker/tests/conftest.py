"""Servers that letters are handed to."""

import ssl
import subprocess

import pytest
from aiosmtpd.controller import Controller
from aiosmtpd.smtp import AuthResult
from weighhouse_backend.kit.settings import Settings
from weighhouse_cli.embedded.directory import free_port
from weighhouse_worker.tools import Tools

from worker.tests.receiving import receiving, told

SMTP_PASSWORD = "only for this server"


class Kept:
    """Keeps what it is handed."""

    def __init__(self):
        self.letters = []

    async def handle_DATA(self, server, session, envelope):  # noqa: N802 - the library's name
        self.letters.append((session.ssl is not None, session.authenticated, envelope))
        return "250 kept"


@pytest.fixture(scope="module")
def certificate(tmp_path_factory):
    folder = tmp_path_factory.mktemp("certificate")
    key, made = folder / "key.pem", folder / "certificate.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-keyout", key,
         "-out", made, "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"],
        check=True, capture_output=True,
    )  # fmt: skip
    return key, made


@pytest.fixture
def server(certificate):
    """A server that takes letters only over a secret connection, of those who know the password."""
    key, made = certificate
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(made, key)

    def known(server, session, envelope, mechanism, data):
        return AuthResult(success=data.password == SMTP_PASSWORD.encode())

    kept = Kept()
    controller = Controller(
        kept, hostname="localhost", port=free_port(), tls_context=context, require_starttls=True,
        authenticator=known, auth_required=True,
    )  # fmt: skip
    controller.start()
    yield controller, kept.letters
    controller.stop()


@pytest.fixture
def tools(database_url, redis_server, server, certificate):
    return Tools(
        Settings(
            database_url=database_url, redis_url=redis_server, secret_key="sixteen characters",
            public_url="https://weighhouse.example", smtp_host="localhost",
            smtp_port=server[0].port, smtp_ca_file=str(certificate[1]), smtp_user="weighhouse",
            smtp_password=SMTP_PASSWORD, mail_from="weighhouse@weighhouse.example",
            notices_to_own_networks=True,
        )
    )  # fmt: skip


@pytest.fixture
def project(tools):
    return told(tools)


@pytest.fixture
def receiver():
    with receiving() as made:
        yield made
