"""Reads the credentials that a target names, from where the machine's policy keeps them."""

import os
import stat
from pathlib import Path

from weighhouse_protocol.driver import DriverEvent, Failed, PhaseFinished
from weighhouse_protocol.target import Target
from weighhouse_sdk.credentials import Credentials

from weighhouse_agent.machine.policy import Policy, PolicyRefused, check_endpoint

OTHERS = stat.S_IRWXG | stat.S_IRWXO
LONGEST_BYTES = 4096


def credentials_for(policy: Policy, target: Target) -> Credentials | None:
    """What the target's `credentials` stand for; None when it names none.

    :param target: as the policy has let it pass. A name is another endpoint than its address:
        whoever keeps credentials says for which of both.
    :raises PolicyRefused: when the policy keeps none by that name, keeps them for other endpoints,
        or their file is not safe. No message holds a secret or a path.
    """
    name = target.credentials
    if name is None:
        return None
    kept = policy.credentials.get(name)
    if kept is None:
        raise PolicyRefused(
            f"this machine keeps no credentials `{name}`",
            f"the operator of the machine may add [credentials.{name}] to the agent's policy.toml,"
            " or let the run go to another agent",
        )
    allowed = {str(check_endpoint(policy, each).endpoint) for each in kept.endpoints}
    for endpoint in target.endpoints:
        if endpoint not in allowed:
            raise PolicyRefused(
                f"the credentials `{name}` are not kept for the endpoint `{endpoint}`",
                f"the operator of the machine may add it to `endpoints` of [credentials.{name}]",
            )
    password = None
    if kept.password_file is not None:
        password = _password(name, kept.password_file)
    if kept.tls_key_file is not None:
        os.close(_opened(name, "private key", kept.tls_key_file))
    for path in (kept.tls_ca_file, kept.tls_certificate_file):
        if path is not None and not os.access(path, os.R_OK):
            raise _unsafe(name, "certificate", "cannot be read")
    return Credentials(
        username=kept.username,
        password=password,
        password_file=kept.password_file,
        tls_ca_file=kept.tls_ca_file,
        tls_server_name=kept.tls_server_name or None,
        tls_certificate_file=kept.tls_certificate_file,
        tls_key_file=kept.tls_key_file,
    )


def without_secrets(event: DriverEvent, credentials: Credentials | None) -> DriverEvent:
    """What a driver told, without what proves the account, should the system's words repeat it."""
    if credentials is None:
        return event
    if isinstance(event, Failed):
        words = {name: credentials.masked(getattr(event, name)) for name in ("message", "hint")}
        return event.model_copy(update=words)
    if isinstance(event, PhaseFinished):
        operations = {
            name: totals.model_copy(
                update={
                    "said": {
                        kind: said.model_copy(update={"words": credentials.masked(said.words)})
                        for kind, said in totals.said.items()
                    }
                }
            )
            for name, totals in event.operations.items()
        }
        return event.model_copy(update={"operations": operations})
    return event


def _password(name: str, path: Path) -> str:
    """A line break at the file's end is no part of it."""
    descriptor = _opened(name, "password", path)
    try:
        data = os.read(descriptor, LONGEST_BYTES)
    finally:
        os.close(descriptor)
    try:
        password = data.decode().removesuffix("\n").removesuffix("\r")
    except UnicodeDecodeError as error:
        raise _unsafe(name, "password", "is not text") from error
    if not password:
        raise _unsafe(name, "password", "is empty")
    return password


def _opened(name: str, what: str, path: Path) -> int:
    """A file that only its owner can read, open."""
    try:
        # Not through a link, and without waiting for a pipe's other end.
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        raise _unsafe(name, what, f"cannot be read: {error.strerror}") from error
    mode = os.fstat(descriptor).st_mode
    if stat.S_ISREG(mode) and not mode & OTHERS:
        return descriptor
    os.close(descriptor)
    if not stat.S_ISREG(mode):
        raise _unsafe(name, what, "is not a regular file")
    raise _unsafe(name, what, "is open to others than its owner; chmod 600 closes it")


def _unsafe(name: str, what: str, why: str) -> PolicyRefused:
    return PolicyRefused(
        f"the {what} file of the credentials `{name}` {why}",
        f"mend it on the agent's machine; [credentials.{name}] of policy.toml says where it is",
    )
