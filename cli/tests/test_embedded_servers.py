"""The embedded servers, for real: started, private, restarted, stopped."""

import errno
import json
import os
import signal
import socket
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import psycopg
import pytest
import redis as redis_client
from weighhouse_cli.embedded.binaries import postgres_directory
from weighhouse_cli.embedded.directory import (
    FIRST_PORT,
    LOCAL_PORTS,
    PlatformDirectory,
    free_port,
    require_free,
)
from weighhouse_cli.embedded.errors import BinaryMissing, DirectoryInUse, PartFailed, PortTaken
from weighhouse_cli.embedded.part import Dispensable, Part, PartPlan, birth, end_leftover
from weighhouse_cli.embedded.servers import redis, shared_buffers
from weighhouse_cli.embedded.supervisor import GIVE_UP_AFTER, Patience, Supervisor
from weighhouse_sdk.testkit.children import child
from weighhouse_testing.fixtures import plain
from weighhouse_testing.waits import until


@pytest.mark.parametrize(("gibibytes", "buffers"), [(1, 64), (8, 128), (24, 384), (512, 1024)])
def test_postgresql_keeps_more_pages_on_a_large_machine(gibibytes: int, buffers: int) -> None:
    assert shared_buffers(gibibytes << 30) == buffers


def test_postgresql_wants_its_password(postgres_server: str) -> None:
    with psycopg.connect(plain(postgres_server)) as connection:
        found = connection.execute("SELECT current_user").fetchone()
    assert found == ("weighhouse",)
    wrong = plain(postgres_server).replace("not-a-secret", "guess")
    with pytest.raises(psycopg.OperationalError, match="password"):
        psycopg.connect(wrong)


def test_data_are_opened_by_the_version_that_made_them_or_it_is_named(tmp_path: Path) -> None:
    found = postgres_directory()
    command = [found / "postgres", "--version"]
    told = subprocess.run(command, capture_output=True, text=True, check=True)
    (tmp_path / "PG_VERSION").write_text(told.stdout.split()[2].split(".")[0] + "\n")
    assert postgres_directory(tmp_path) == found
    (tmp_path / "PG_VERSION").write_text("9\n")
    with pytest.raises(BinaryMissing, match=r"PostgreSQL 9, which made .* package postgresql-9"):
        postgres_directory(tmp_path)


def test_redis_wants_its_password(redis_server: str) -> None:
    with redis_client.from_url(redis_server) as client:
        assert client.ping()
    with (
        redis_client.from_url(redis_server.replace(":not-a-secret@", "")) as client,
        pytest.raises(redis_client.AuthenticationError),
    ):
        client.ping()


def _sleeper(tmp_path: Path, name: str = "sleeper", command: str = "exec sleep 300") -> PartPlan:
    return PartPlan(
        name=name,
        command=("/bin/sh", "-c", command),
        environment={"PATH": "/usr/bin:/bin"},
        directory=tmp_path,
        log=tmp_path / f"{name}.log",
        record=tmp_path / f"{name}.json",
        ready=lambda: True,
    )


def _dispensable(tmp_path: Path, command: str) -> PartPlan:
    return replace(
        _sleeper(tmp_path, command=command),
        dispensable=Dispensable(
            final=frozenset({3}), hint="bring a ticket", renewed_by=tmp_path / "ticket"
        ),
    )


def test_a_part_that_ended_for_good_leaves_the_others_alone(tmp_path: Path) -> None:
    notices: list[str] = []
    supervisor = Supervisor(notice=notices.append)
    other = supervisor.start(_sleeper(tmp_path, "other"))
    part = supervisor.start(
        _dispensable(tmp_path, "test -e ticket && exec sleep 300; sleep 0.5; exit 3")
    )
    supervisor.watch()
    try:
        until("it is given up", lambda: part.gone)
        assert "goes on without it. bring a ticket" in part.gone
        until("it is told", lambda: notices == [part.gone])
        until("it is in its log", lambda: part.gone in part.plan.log.read_text())
        assert other.alive()
        assert part.starts == 1
        (tmp_path / "ticket").touch()
        until("it is started again", lambda: part.alive() and not part.gone)
        assert other.starts == 1
    finally:
        supervisor.stop()


def test_what_was_renewed_before_it_ended_is_started_again(tmp_path: Path) -> None:
    supervisor = Supervisor()
    command = "test -e ticket && exec sleep 300; sleep 0.5; touch ticket; exit 3"
    part = supervisor.start(_dispensable(tmp_path, command))
    supervisor.watch()
    try:
        until("it runs with its ticket", lambda: part.starts > 1 and part.alive())
        assert part.gone == ""
    finally:
        supervisor.stop()


@pytest.mark.parametrize("needed", [True, False])
def test_one_that_dies_again_and_again_is_told_and_what_is_needed_is_tried_on(
    tmp_path: Path, needed: bool
) -> None:
    notices: list[str] = []
    supervisor = Supervisor(notice=notices.append, patience=Patience(pauses=(0.0,)))
    plan = _dispensable(tmp_path, "test -e room && exec sleep 300; sleep 0.1; echo full; exit 1")
    part = supervisor.start(replace(plan, dispensable=None) if needed else plan)
    supervisor.watch()
    try:
        if needed:
            until("it is told", lambda: notices)
            assert "again and again" in notices[0]
            assert "full" in notices[0]
            (tmp_path / "room").touch()
            until("it is back", lambda: part.alive() and part.starts > GIVE_UP_AFTER)
        else:
            until("it is given up", lambda: part.gone)
            assert "again and again" in part.gone
    finally:
        supervisor.stop()


def test_whoever_looks_after_parts_survives_what_goes_wrong_with_one(tmp_path: Path) -> None:
    def broken(_name: str, word: str) -> None:
        if word == "restarting":
            raise OSError(errno.ENOSPC, "No space left on device")

    notices: list[str] = []
    supervisor = Supervisor(listener=broken, notice=notices.append)
    part, other = (
        supervisor.start(_sleeper(tmp_path)),
        supervisor.start(_sleeper(tmp_path, "other")),
    )
    supervisor.watch()
    try:
        assert part.process is not None
        assert other.process is not None
        os.kill(part.process.pid, signal.SIGKILL)
        until("it is told", lambda: any("No space left" in one for one in notices))
        supervisor.listener = lambda _name, _word: None
        os.kill(other.process.pid, signal.SIGKILL)
        until("the other is started again", lambda: other.starts == 2 and other.alive())
        until("so is the first", lambda: part.starts == 2 and part.alive())
    finally:
        supervisor.stop()


def test_a_part_that_dies_is_started_again(tmp_path: Path) -> None:
    supervisor = Supervisor()
    part = supervisor.start(_sleeper(tmp_path))
    supervisor.watch()
    try:
        assert part.process is not None
        first = part.process.pid
        os.kill(first, signal.SIGKILL)
        until("another process", lambda: part.alive() and part.process.pid != first)
        assert part.starts == 2
    finally:
        supervisor.stop()
    assert birth(part.process.pid) is None


def test_a_part_that_does_not_come_up_shows_its_log(tmp_path: Path) -> None:
    supervisor = Supervisor()
    with pytest.raises(PartFailed, match="the disk is made of cheese"):
        supervisor.start(
            PartPlan(
                name="cheese",
                command=("/bin/sh", "-c", "echo the disk is made of cheese; exit 3"),
                environment={"PATH": "/usr/bin:/bin"},
                directory=tmp_path,
                log=tmp_path / "cheese.log",
                record=tmp_path / "cheese.json",
                ready=lambda: False,
            )
        )
    supervisor.stop()


def test_what_a_crash_left_is_ended_and_nothing_else(tmp_path: Path) -> None:
    left = Part(_sleeper(tmp_path))
    left.start()
    other = Part(_sleeper(tmp_path, "other"))
    other.start()
    assert left.process is not None
    assert other.process is not None
    try:
        # The supervisor that started it is gone: only the record tells of it.
        record = left.plan.record
        assert end_leftover(record, signal.SIGTERM, seconds=0.5)
        left.process.wait(120)
        assert birth(other.process.pid) is not None
        # A record whose process is gone, or whose pid belongs to another, harms nobody.
        record.write_text(f'{{"pid": {other.process.pid}, "born": 1}}', encoding="utf-8")
        assert not end_leftover(record, signal.SIGTERM)
        assert other.alive()
    finally:
        other.stop()


def test_a_directory_serves_one_platform(tmp_path: Path) -> None:
    with (
        PlatformDirectory(tmp_path / "data"),
        pytest.raises(DirectoryInUse, match=str(os.getpid())),
        PlatformDirectory(tmp_path / "data"),
    ):
        pass


def test_a_taken_port_is_named(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(PortTaken, match=str(port)):
            require_free(port)


def test_secrets_are_for_their_owner_alone(tmp_path: Path) -> None:
    with PlatformDirectory(tmp_path / "data") as home:
        assert home.secret("one") == home.secret("one")
        assert home.secret("one") != home.secret("two")
        files = list(home.folder("secrets").iterdir())
    assert {file.stat().st_mode & 0o777 for file in files} == {0o600}


def test_redis_is_ready_when_it_answers(tmp_path: Path) -> None:
    supervisor = Supervisor()
    server = redis(tmp_path / "redis", tmp_path, tmp_path, free_port(), "secret")
    supervisor.start(server.plan)
    try:
        with redis_client.from_url(server.url) as client:
            assert client.set("a", 1)
        configuration = tmp_path / "redis" / "redis.conf"
        assert configuration.stat().st_mode & 0o777 == 0o600
    finally:
        supervisor.stop()


def test_stopping_a_part_ends_what_left_its_session(tmp_path: Path) -> None:
    child = tmp_path / "child"
    part = Part(
        _sleeper(tmp_path, command=f"setsid sh -c 'echo $$ > {child}; exec sleep 300' & wait")
    )
    part.start()
    pid = until("the child", lambda: child.exists() and int(child.read_text() or 0))
    part.stop()
    assert birth(int(pid)) is None


KILLED_SUPERVISOR = """
import sys, time
from pathlib import Path
from weighhouse_cli.embedded.part import PartPlan
from weighhouse_cli.embedded.supervisor import GIVE_UP_AFTER, Supervisor

here = Path(sys.argv[1])
plan = PartPlan(
    name="orphan", command=("/bin/sleep", "300"), environment={}, directory=here,
    log=here / "log", record=here / "orphan.json", ready=lambda: True,
)
Supervisor().start(plan)
print("started", flush=True)
time.sleep(300)
"""


def test_a_killed_supervisor_leaves_nothing_running(tmp_path: Path) -> None:
    with child(
        [sys.executable, "-c", KILLED_SUPERVISOR, str(tmp_path)], stdout=subprocess.PIPE
    ) as supervisor:
        assert supervisor.stdout is not None
        assert supervisor.stdout.readline() == b"started\n"
        pid = json.loads((tmp_path / "orphan.json").read_text())["pid"]
        cmdline = Path(f"/proc/{pid}/cmdline")
        until("the part itself runs", lambda: cmdline.read_bytes().startswith(b"/bin/sleep"))
        supervisor.kill()
    until("the part ends", lambda: birth(pid) is None)


def test_stopping_a_part_clears_its_territory(tmp_path: Path) -> None:
    territory = tmp_path / "territory"
    territory.mkdir()
    part = Part(replace(_sleeper(tmp_path), territory=territory))
    part.start()
    with child(["/bin/sleep", "300"], cwd=territory) as stray:
        part.stop()
        assert birth(stray.pid) is None


def test_a_port_is_given_once_to_whoever_asks_on_this_machine() -> None:
    program = (
        "from weighhouse_cli.embedded.directory import free_port\n"
        "print([free_port() for _ in range(400)], flush=True)\n"
        "input()"
    )
    others = [
        subprocess.Popen(
            [sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        for _ in range(3)
    ]
    given = [free_port() for _ in range(400)]
    for each in others:
        assert each.stdout is not None
        given += json.loads(each.stdout.readline())
    assert len(set(given)) == len(given) == 4 * 400
    outgoing = int(LOCAL_PORTS.read_text(encoding="utf-8").split()[0])
    assert all(FIRST_PORT <= port < max(outgoing, FIRST_PORT + 1) for port in given)
    for each in others:
        each.communicate(b"\n")
