"""A Redis as somebody set it up who tells others little: TLS alone, by a name that its certificate
is for, no CONFIG, and an account of least rights, made by the command of the plugin's own page.
"""

import contextlib
import os
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from redis import Redis
from redis.exceptions import RedisError
from weighhouse_cli.embedded.directory import free_port
from weighhouse_plugin_redis import PLUGIN
from weighhouse_sdk.machine.certificates import AUTHORITY, CERTIFICATE, KEY, certify
from weighhouse_sdk.testkit.children import child
from weighhouse_sdk.testkit.rights_testing import ACCOUNT, MEASURES, PASSWORD, command_of

from weighhouse_testing.waits import until

HOST = "localhost"
OPERATORS = "of the house"


@dataclass(frozen=True)
class Reticent:
    """Where it is, and how it is reached."""

    endpoint: str
    policy: str
    """Of the agent that is to measure it."""


@contextlib.contextmanager
def reticent_redis(directory: Path) -> Iterator[Reticent]:
    """One that answers for as long as the block lasts."""
    certify(directory, {HOST})
    authority, port = directory / AUTHORITY, free_port()
    file = directory / "reticent.conf"
    file.write_text(
        f"port 0\ntls-port {port}\ntls-auth-clients no\nbind 127.0.0.1\nsave ''\n"
        f"tls-cert-file {directory / CERTIFICATE}\ntls-key-file {directory / KEY}\n"
        f"tls-ca-cert-file {authority}\n"
        'rename-command CONFIG ""\nuser default off\n'
        f'user operator on ">{OPERATORS}" ~* +@all\n',
        encoding="utf-8",
    )
    with child(["redis-server", str(file)], stdout=subprocess.DEVNULL, cwd="/"):
        until("it answers", lambda: _answers(port, authority))
        _run_the_pages_command(port, authority)
        secret = directory / "password"
        secret.write_text(PASSWORD, encoding="utf-8")
        secret.chmod(0o600)
        endpoint = f"tls://{HOST}:{port}"
        yield Reticent(
            endpoint,
            'deployments = ["process", "external"]\nnetworks = ["127.0.0.0/8", "::1"]\n'
            f'[credentials.theirs]\nendpoints = ["{endpoint}"]\nusername = "{ACCOUNT}"\n'
            f'password_file = "{secret}"\ntls = true\ntls_ca_file = "{authority}"\n',
        )


def _run_the_pages_command(port: int, authority: Path) -> None:
    line = command_of(PLUGIN, MEASURES).replace("HOST", HOST).replace("PORT", str(port))
    line = line.replace("redis-cli", f"redis-cli --tls --cacert '{authority}'", 1)
    done = subprocess.run(
        ["bash", "-ec", line],
        env={**os.environ, "REDISCLI_AUTH": OPERATORS},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.strip().endswith("OK"), (line, done.stdout, done.stderr)


def _answers(port: int, authority: Path) -> bool:
    try:
        with Redis(
            HOST, port, username="operator", password=OPERATORS, ssl=True,
            ssl_ca_certs=str(authority),
        ) as client:  # fmt: skip
            return bool(client.ping())
    except (RedisError, OSError):
        return False
