"""Tells why a connection cannot be made secure, and what speaks at a port that says nothing."""

import contextlib
import socket
import ssl
from collections.abc import Callable
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


Connect = Callable[[], socket.socket]
"""Makes another connection to the same server, without TLS."""


def verifier(
    authority: Path | None, certificate: Path | None = None, key: Path | None = None
) -> ssl.SSLContext:
    """What holds servers' certificates against an authority, or the machine's own.

    :param certificate: what is shown of oneself.
    :raises Unfit: when a file cannot be read, or holds none.
    """
    used, option = authority, "tls_ca_file"
    try:
        context = ssl.create_default_context(cafile=authority)
        if certificate is not None:
            used, option = certificate, "tls_certificate_file"
            context.load_cert_chain(certificate, key)
    except OSError as error:
        why = "holds no certificate" if isinstance(error, ssl.SSLError) else error.strerror
        raise Unfit(
            f"the file {used} of the credentials, or its key, cannot be used: {why}",
            f"{option} names a file on the agent's machine in PEM form, with what it is called for",
        ) from error
    return context


def unsecured(error: OSError, host: str, port: int, connect: Connect) -> Exception:
    """Why a handshake failed, in words; the error itself where another try may end otherwise."""
    if isinstance(error, ssl.SSLCertVerificationError):
        return _certificate(error, host)
    reason = str(getattr(error, "reason", "") or "")
    if wants := unshown(error, host):
        return wants
    if any(each in reason for each in PLAIN) or speaks_plainly(connect):
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


def unshown(error: OSError, host: str) -> CertificateRefused | None:
    """A server's wish for a certificate of its client's; None: that is not what it says.

    TLS 1.3 lets it say so after the handshake (RFC 8446, 4.4.2.4), where the first answer is read.
    """
    reason = str(getattr(error, "reason", "") or "")
    if not any(each in reason for each in WANTS_CERTIFICATE):
        return None
    return CertificateRefused(
        f"{host} wants to see a certificate of its client, and there is none that it takes",
        "credentials may name tls_certificate_file and tls_key_file",
    )


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


def overheard(connect: Connect) -> bytes:
    """How something answers that is asked without TLS; empty: not at all."""
    with contextlib.suppress(OSError), connect() as plain:
        plain.sendall(ANYTHING)
        return plain.recv(64)
    return b""


def speaks_plainly(connect: Connect) -> bool:
    """Whether something answers without TLS."""
    heard = overheard(connect)
    return bool(heard) and not heard.startswith((ALERT, HANDSHAKE))


def speaks_tls(connect: Connect, host: str) -> bool:
    """Whether something begins a TLS handshake, whatever its certificate."""
    anybody = ssl.create_default_context()
    anybody.check_hostname, anybody.verify_mode = False, ssl.CERT_NONE
    try:
        with connect() as plain, anybody.wrap_socket(plain, server_hostname=host):
            return True
    except ssl.SSLError as error:
        return any(each in str(error.reason) for each in WANTS_CERTIFICATE)
    except OSError:
        return False
