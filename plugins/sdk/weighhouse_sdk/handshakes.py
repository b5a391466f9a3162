"""Tells why a connection cannot be made secure, and what speaks at a port that says nothing."""

import contextlib
import socket
import ssl
from pathlib import Path

from weighhouse_sdk.replies import CertificateRefused, OtherProtocol, Unfit

ALERT, HANDSHAKE = b"\x15\x03", b"\x16\x03"
"""How records of TLS begin."""
PLAIN = ("WRONG_VERSION_NUMBER", "RECORD_LAYER_FAILURE", "PACKET_LENGTH_TOO_LONG",
         "HTTP_REQUEST", "UNEXPECTED_MESSAGE", "UNKNOWN_PROTOCOL")  # fmt: skip
"""Reasons that OpenSSL gives when what it hears is no TLS."""
WANTS_CERTIFICATE = ("CERTIFICATE_REQUIRED", "BAD_CERTIFICATE")
"""Alerts of a server that wants to see a certificate of its client's."""
ANYTHING = b"GET / HTTP/1.0\r\n\r\n"
"""Every plain protocol answers this, if only with an error."""


def verifier(authority: Path | None) -> ssl.SSLContext:
    """What holds servers' certificates against an authority, or the machine's own.

    :raises Unfit: when its file cannot be read, or holds none.
    """
    try:
        return ssl.create_default_context(cafile=authority)
    except (OSError, ssl.SSLError) as error:
        why = "holds no certificate" if isinstance(error, ssl.SSLError) else error.strerror
        raise Unfit(
            f"the authority's file {authority} cannot be used: {why}",
            "tls_ca_file names a file on the agent's machine with certificates in PEM form",
        ) from error


def unsecured(error: OSError, host: str, port: int, timeout_seconds: float) -> Exception:
    """Why a handshake failed, in words; the error itself where another try may end otherwise."""
    if isinstance(error, ssl.SSLCertVerificationError):
        return _certificate(error, host)
    reason = str(getattr(error, "reason", "") or "")
    if any(each in reason for each in WANTS_CERTIFICATE):
        return CertificateRefused(
            f"{host} wants to see a certificate of its client, and there is none",
            "credentials may name a client's certificate and key, or let the server go without",
        )
    if any(each in reason for each in PLAIN) or speaks_plainly(host, port, timeout_seconds):
        return OtherProtocol(
            f"the server does not speak TLS on port {port}",
            "write the endpoint without TLS (tcp://HOST:PORT), or name the port that speaks it",
        )
    if isinstance(error, ssl.SSLError) and reason and "EOF" not in reason:
        told = reason.replace("_", " ").lower()
        return OtherProtocol(
            f"server and agent agree on no version or cipher of TLS ({told})",
            "have the server offer TLS 1.2 or 1.3",
        )
    return error


def _certificate(error: ssl.SSLCertVerificationError, host: str) -> CertificateRefused:
    match error.verify_code:  # X509_V_ERR_… of OpenSSL's x509_vfy.h
        case 10:
            return CertificateRefused(
                f"the certificate of {host} has expired",
                "have it renewed; or set the agent's clock, should that be wrong",
            )
        case 9:
            return CertificateRefused(
                f"the certificate of {host} is not valid yet",
                "set the clocks of server and agent",
            )
        case 62 | 64:
            return CertificateRefused(
                f"the certificate of the server is for another name than {host}",
                "write the endpoint with the name that stands in its certificate",
            )
        case _:
            return CertificateRefused(
                f"the certificate of {host} is of an authority that is not known here",
                "credentials may name the authority's file: tls_ca_file",
            )


def overheard(host: str, port: int, timeout_seconds: float) -> bytes:
    """How something at a port answers that is asked without TLS; empty: not at all."""
    with (
        contextlib.suppress(OSError),
        socket.create_connection((host, port), timeout_seconds) as plain,
    ):
        plain.sendall(ANYTHING)
        return plain.recv(64)
    return b""


def speaks_plainly(host: str, port: int, timeout_seconds: float) -> bool:
    """Whether something at a port answers without TLS."""
    heard = overheard(host, port, timeout_seconds)
    return bool(heard) and not heard.startswith((ALERT, HANDSHAKE))


def speaks_tls(host: str, port: int, timeout_seconds: float) -> bool:
    """Whether something at a port begins a TLS handshake, whatever its certificate."""
    anybody = ssl.create_default_context()
    anybody.check_hostname, anybody.verify_mode = False, ssl.CERT_NONE
    try:
        with (
            socket.create_connection((host, port), timeout_seconds) as plain,
            anybody.wrap_socket(plain, server_hostname=host),
        ):
            return True
    except ssl.SSLError as error:
        return any(each in str(error.reason) for each in WANTS_CERTIFICATE)
    except OSError:
        return False
