"""Servers that somebody else set up and that want to know who asks: a real Redis, with and without
TLS.
"""

import json
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from weighhouse_agent.attempt.credentials import credentials_for, without_secrets
from weighhouse_agent.machine.policy import PolicyFile, PolicyRefused, check_order
from weighhouse_cli.embedded.directory import free_port
from weighhouse_protocol.compatibility.targets import is_reserved
from weighhouse_protocol.driver import Failed, PhaseFinished
from weighhouse_protocol.order import AttemptOrder
from weighhouse_sdk.credentials import Credentials, CredentialsRefused
from weighhouse_sdk.testkit.children import child
from weighhouse_sdk.wire import Address, Connection
from weighhouse_testing.platform import until

from .conftest import MakeOrder, RunningAgent, as_users_have_it, ended
from .protocol_server import Server

PASSWORD = "weigh 5 stones, tell nobody"


@dataclass
class Guarded:
    """A Redis that answers to whoever knows the password."""

    endpoint: str
    address: Address
    policy: str
    """What lets it be measured."""


def certificate(directory: Path, host: str) -> tuple[Path, Path, Path]:
    """An authority, a certificate of it for one host, and that one's key."""
    authority, made, key = (directory / name for name in ("ca.pem", "server.pem", "server.key"))
    by = ("-CA", str(authority), "-CAkey", str(directory / "ca.key"))
    leaf = ("-addext", f"subjectAltName={host}", "-addext", "basicConstraints=CA:FALSE")
    for name, file, its_key, more in (
        ("authority", authority, directory / "ca.key", ()),
        ("server", made, key, (*by, *leaf)),
    ):
        subprocess.run(
            [
                *("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt"),
                *("ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj", f"/CN={name}"),
                *("-keyout", str(its_key), "-out", str(file), *more),
            ],
            check=True,
            capture_output=True,
        )
    key.chmod(0o600)
    return authority, made, key


@pytest.fixture(params=["tcp", "tls", "mutual", "unix"])
def guarded(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Guarded]:
    """By its address; with TLS; by a name that its certificate alone is for, where it wants to see
    a certificate, too; and over a socket.
    """
    port, way = free_port(), request.param
    secure, host = way in {"tls", "mutual"}, "localhost" if way == "mutual" else "127.0.0.1"
    lines = [f"bind 127.0.0.1\nrequirepass \"{PASSWORD}\"\ndir {tmp_path}\nsave ''\n"]
    password_file = tmp_path / "password"
    password_file.write_text(PASSWORD + "\n")
    password_file.chmod(0o600)
    policy, shown = [f'password_file = "{password_file}"'], Credentials(password=PASSWORD)
    if secure:
        authority, made, key = certificate(tmp_path, f"{'DNS' if host[0] == 'l' else 'IP'}:{host}")
        lines.append(f"port 0\ntls-port {port}\ntls-cert-file {made}\ntls-key-file {key}\n")
        lines.append(f"tls-ca-cert-file {authority}\n")
        lines.append(f"tls-auth-clients {'yes' if way == 'mutual' else 'no'}\n")
        policy += [f'tls_ca_file = "{authority}"', "tls = true"]
        shown = replace(shown, tls_ca_file=authority)
        if way == "mutual":
            own = Path(shutil.copy2(key, tmp_path / "client.key"))
            policy += [f'tls_certificate_file = "{made}"', f'tls_key_file = "{own}"']
            shown = replace(shown, tls_certificate_file=made, tls_key_file=key)
    socket = tmp_path / "redis.sock"
    lines.append(f"port 0\nunixsocket {socket}\n" if way == "unix" else "")
    lines.append(f"port {port}\n" if way == "tcp" else "")
    configuration = tmp_path / "redis.conf"
    configuration.write_text("".join(lines))
    address = Address(host, port, shown, tls=secure)
    if way == "unix":
        address = Address("", 0, shown, path=str(socket))
    head = f'deployments = ["external"]\npaths = ["{tmp_path}"]\n[credentials.staging]\n'
    head += f'endpoints = ["{address.endpoint}"]\n'
    with child(["redis-server", str(configuration)], stdout=subprocess.DEVNULL):
        until("it listens", lambda: listens(address))
        yield Guarded(address.endpoint, address, head + "\n".join(policy))


def listens(address: Address) -> bool:
    try:
        with Connection(address, 1.0) as connection:
            connection.send(b"PING\r\n")
            return connection.line().startswith("-NOAUTH")
    except OSError:
        return False


def external(order: MakeOrder, endpoint: str, credentials: str | None) -> AttemptOrder:
    load = {"model": "closed", "clients": 2}
    made = order(system="redis", deployment="external", endpoints=(endpoint,), load=load)
    target = made.target.model_copy(update={"credentials": credentials})
    return made.model_copy(update={"target": target})


def with_drivers(agent: RunningAgent) -> RunningAgent:
    agent.environment = as_users_have_it()
    return agent


def test_a_guarded_system_is_measured_and_nothing_tells_the_password(
    agent: RunningAgent, server: Server, order: MakeOrder, guarded: Guarded
) -> None:
    agent.home.policy.write_text(guarded.policy)
    attempt = server.platform.offer(external(order, guarded.endpoint, "staging"))
    with_drivers(agent).start()
    until("it ends", lambda: ended(attempt))
    assert attempt.completion is not None
    assert attempt.completion.outcome == "completed", attempt.completion.failure
    counted = attempt.of_kind("phase_ended")[-1]["operations"]
    assert sum(each["ok"] for each in counted.values()) > 0
    assert attempt.of_kind("target")[0]["version"][0].isdigit()
    assert any(each["metrics"] for each in attempt.of_kind("sample"))
    told = json.dumps(attempt.events) + agent.log.read_text()
    told += "".join(log.decode(errors="replace") for log in attempt.logs.values())
    told += "".join(session.model_dump_json() for session in server.platform.sessions)
    settings = {
        each["name"]: each["value"]
        for each in attempt.of_kind("target")[0]["effective_configuration"]
    }
    assert settings["appendonly"] == "no"
    assert settings["requirepass"] == "(not shown)"
    assert PASSWORD not in told
    assert "/password" not in told
    assert "client.key" not in told


def test_without_credentials_it_says_what_is_wanting(
    agent: RunningAgent, server: Server, order: MakeOrder, guarded: Guarded
) -> None:
    allowed = guarded.policy.partition("[credentials")[0]
    agent.home.policy.write_text(allowed)
    attempt = server.platform.offer(external(order, guarded.endpoint, None))
    with_drivers(agent).start()
    until("it ends", lambda: ended(attempt))
    assert attempt.completion is not None
    assert attempt.completion.failure is not None
    # It is there: nothing is gained by waiting.
    kind = "invalid" if guarded.endpoint.startswith("tls") else "refused"
    assert attempt.completion.failure.kind == kind
    assert "credentials" in attempt.completion.failure.hint


ELSEWHERE = "tcp://127.0.0.1:6399"


def kept(tmp_path: Path, password_file: Path, *more: str) -> PolicyFile:
    path = tmp_path / "policy.toml"
    lines = ['deployments = ["external"]', "[credentials.staging]", f'endpoints = ["{ELSEWHERE}"]']
    path.write_text("\n".join([*lines, f'password_file = "{password_file}"', *more]))
    return PolicyFile(path)


def test_credentials_are_used_for_their_endpoints_alone(tmp_path: Path, order: MakeOrder) -> None:
    password = tmp_path / "password"
    password.write_text("secret")
    password.chmod(0o600)
    policy = kept(tmp_path, password).read()
    allowed = check_order(policy, external(order, ELSEWHERE, "staging")).target
    found = credentials_for(policy, allowed)
    assert found is not None
    assert found.password == "secret"
    assert "secret" not in repr(found)
    assert "secret" not in repr(Address("127.0.0.1", 1, found))
    other = check_order(policy, external(order, "tcp://127.0.0.1:6398", "staging")).target
    with pytest.raises(PolicyRefused, match="not kept for the endpoint"):
        credentials_for(policy, other)
    unknown = check_order(policy, external(order, ELSEWHERE, "production")).target
    with pytest.raises(PolicyRefused, match="keeps no credentials `production`"):
        credentials_for(policy, unknown)
    assert credentials_for(policy, order().target) is None


def open_to_others(path: Path) -> None:
    path.write_text("secret")
    path.chmod(0o640)


def a_link(path: Path) -> None:
    behind = path.with_name("behind")
    behind.write_text("secret")
    behind.chmod(0o600)
    path.symlink_to(behind)


def a_pipe(path: Path) -> None:
    os.mkfifo(path, 0o600)


def an_empty_file(path: Path) -> None:
    path.touch(0o600)


@pytest.mark.parametrize(
    ("make", "told"),
    [
        (open_to_others, "open to others"),
        (a_link, "cannot be read"),
        (a_pipe, "not a regular file"),
        (an_empty_file, "is empty"),
        (Path.mkdir, "not a regular file"),
        (lambda _: None, "cannot be read"),
    ],
)
def test_a_password_file_that_is_not_safe_is_refused(
    tmp_path: Path, order: MakeOrder, make: Callable[[Path], None], told: str
) -> None:
    password = tmp_path / "password"
    make(password)
    policy = kept(tmp_path, password).read()
    with pytest.raises(PolicyRefused) as refused:
        credentials_for(policy, external(order, ELSEWHERE, "staging").target)
    assert told in refused.value.message
    assert "secret" not in str(refused.value.failure())


@pytest.mark.parametrize(
    ("file", "more", "told"),
    [
        ("relative/password", "", "absolute path"),
        ("/etc/password", "tls = true", "asks for tls://"),
        ("/etc/password", 'tls_key_file = "/etc/key"', "belong together"),
        ("/etc/password", "tls_keyfile = 3", "`credentials.staging.tls_keyfile` is not known"),
        ("/etc/password", "[credentials.other]", "`credentials.other.endpoints` is missing"),
        ("/etc/password", "tls = maybe", "no TOML"),
    ],
)
def test_a_policy_that_keeps_them_wrongly_accepts_nothing(
    tmp_path: Path, file: str, more: str, told: str
) -> None:
    with pytest.raises(PolicyRefused, match=told) as refused:
        kept(tmp_path, Path(file), more).read()
    said = str(refused.value.failure())
    assert file not in said
    assert "pydantic" not in said


def test_an_experiment_names_no_files_and_accounts(tmp_path: Path, order: MakeOrder) -> None:
    policy = kept(tmp_path, tmp_path / "password").read()
    wanted = external(order, ELSEWHERE, None)
    options = {"password_file": "/etc/shadow", "layout": "hash"}
    target = wanted.target.model_copy(update={"driver_options": options})
    with pytest.raises(PolicyRefused, match="may not set password_file:"):
        check_order(policy, wanted.model_copy(update={"target": target}))
    assert [
        name for name in ("username", "tls_key_file", "password") if not is_reserved(name)
    ] == []
    assert not is_reserved("layout")


def test_a_driver_that_cannot_log_in_is_named(tmp_path: Path) -> None:
    shown = Credentials(username="a", password="b", password_file=tmp_path / "password")
    with pytest.raises(CredentialsRefused, match="`memcached` has no option username, password_f"):
        shown.driver_options("memcached", ["tls_ca_file", "timeout_ms"])
    options = shown.driver_options("resp", ["username", "password_file", "tls_ca_file"])
    assert options == {"username": "a", "password_file": str(tmp_path / "password")}


def test_what_a_system_says_of_an_error_repeats_no_password() -> None:
    words = f"NOPERM {PASSWORD} may not"
    now = {"at_us": 1, "elapsed_us": 1}
    ended = PhaseFinished.model_validate(
        now | {"phase": "load", "index": 0, "duration_us": 1, "operations": {
            "insert": {"errors": {"refused": 3}, "said": {"refused": {"at_us": 1, "words": words}}}
        }}
    )  # fmt: skip
    gave_up = Failed(at_us=1, elapsed_us=1, kind="connection", message=words, hint=words)
    account = Credentials(username="u", password=PASSWORD)
    for event in (ended, gave_up):
        told = without_secrets(event, account).model_dump_json()
        assert PASSWORD not in told
        assert "NOPERM (not shown) may not" in told
        assert without_secrets(event, None) == event
