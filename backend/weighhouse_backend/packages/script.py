"""The script that makes a machine an agent, the line that people copy to run it, and what installs
the command. Pure, but for the file of the authority.
"""

import re
import shlex
from pathlib import Path
from urllib.parse import urlsplit

from weighhouse_backend.kit.settings import Settings
from weighhouse_backend.packages.release import AGENT, COMMAND, INSTALLER, NotServed, Release

PLACE = re.compile(r"@([A-Z0-9_]+)@")
MOST_CERTIFICATE_BYTES = 64 * 1024
CERTIFICATE = re.compile(
    r"-----BEGIN CERTIFICATE-----\n[A-Za-z0-9+/=\n]+\n-----END CERTIFICATE-----"
)


def script(source: str, settings: Settings, release: Release) -> str:
    """The script with what this platform is and has.

    :param source: with `@NAME@` where a value goes, which comes quoted for a shell.
    :raises NotServed: when the authority's certificate cannot be read.
    """
    agent, installer = release.one_of(AGENT), release.one_of(INSTALLER)
    if agent is None or installer is None:
        raise NotServed("the folder of packages has no agent")
    address = urlsplit(settings.public_url)
    plain = address.scheme != "https"
    values = {
        "ADDRESS": settings.public_url.rstrip("/"),
        "HOST": address.netloc.rpartition("@")[2] if plain else "",
        "VERSION": release.version,
        "INSTALLER": installer.name,
        "INSTALLER_SHA256": installer.sha256,
        "PLUGINS": " ".join(release.plugins()),
        "SYSTEMS": ",".join(release.systems or release.plugins()),
        "AUTHORITY": authority(settings.public_ca_file),
        "NAME": f"{release.version}-{agent.sha256[:8]}",
    }
    return PLACE.sub(lambda found: shlex.quote(values[found[1]]), source)


def refusing(address: str, why: str) -> str:
    """A script that says why nothing can be installed."""
    told = f"The platform at {address} serves no packages to agents: {why}."
    return f"#!/bin/sh\nprintf '%s\\n' {shlex.quote(told)} >&2\nexit 1\n"


def line(settings: Settings, token: str) -> str:
    """What people copy onto a machine.

    :raises NotServed: when the authority's certificate cannot be read.
    """
    address = settings.public_url.rstrip("/")
    certificate = authority(settings.public_ca_file)
    # Through a pipe, so that no file of it is left.
    before = f"printf '%s\\n' {shlex.quote(certificate)} | " if certificate else ""
    option = "--cacert /dev/stdin " if certificate else ""
    return f"{before}curl -fsSL {option}{address}/agent/install.sh | sh -s -- --token {token}"


def command(settings: Settings) -> str:
    """What pip is told to install the command from this platform, asking nobody else."""
    address = settings.public_url.rstrip("/")
    host = urlsplit(address)
    plain = f" --trusted-host {host.netloc.rpartition('@')[2]}" if host.scheme != "https" else ""
    return f"--index-url {address}/agent/simple/{plain} {COMMAND}"


def authority(file: Path | None) -> str:
    """The certificates of the platform's own authority; empty: it has none.

    :raises NotServed: when the file holds none; nothing of it but certificates is ever told.
    """
    if file is None:
        return ""
    try:
        with file.open("rb") as opened:
            text = opened.read(MOST_CERTIFICATE_BYTES + 1).decode("ascii")
    except (OSError, UnicodeError) as error:
        raise NotServed("WEIGHHOUSE_PUBLIC_CA_FILE cannot be read") from error
    found = CERTIFICATE.findall(text.replace("\r\n", "\n"))
    if not found or len(text) > MOST_CERTIFICATE_BYTES:
        raise NotServed("WEIGHHOUSE_PUBLIC_CA_FILE holds no certificate (PEM)")
    return "\n".join(found)
