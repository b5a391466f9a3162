"""What tool and system wrote reaches the platform as the run's files, or the log says why not."""

import os
import re
import signal
import time
from pathlib import Path
from typing import cast

import pytest
from weighhouse_agent.attempt.files_kept import keep_what_they_wrote
from weighhouse_agent.delivery.files import FileSender, TooLate
from weighhouse_agent.delivery.platform_client import (
    NeverTaken,
    PlatformAway,
    PlatformClient,
    Refused,
)
from weighhouse_agent.machine.home import AttemptDirectory, Home
from weighhouse_protocol.target import Target
from weighhouse_sdk.context import Context
from weighhouse_sdk.lifecycle import Plugin
from weighhouse_testing.platform import until

from .conftest import MakeOrder, RunningAgent, carried_out, ended
from .protocol_server import Server

ALL = {"weights.txt": b"ounce, pound\n", "scale-scale.conf": b"behaviour none\n"}


def test_files_arrive_before_the_outcome(
    agent: RunningAgent, server: Server, order: MakeOrder
) -> None:
    server.platform.lost["PUT .*/artifacts/"] = 1
    attempt = carried_out(agent, server, order())
    assert attempt.files == ALL
    assert "attempt" not in attempt.logs, "nothing is missing, so nothing is told"


def test_a_failed_run_has_its_files_too(
    agent: RunningAgent, server: Server, order: MakeOrder
) -> None:
    attempt = carried_out(agent, server, order(driver="dies"))
    assert attempt.completion is not None
    assert attempt.completion.outcome == "failed"
    assert attempt.files == ALL


def test_so_has_one_whose_process_was_killed(
    agent: RunningAgent, server: Server, order: MakeOrder
) -> None:
    wanted = order(measure_seconds=60.0)
    attempt = server.platform.offer(wanted)
    agent.start()
    until("it measures", lambda: "measure" in attempt.phases(), every=0.02)
    pid = agent.attempt_pid(wanted.attempt_id)
    os.kill(pid, signal.SIGKILL)
    until("the attempt ends", lambda: ended(attempt), every=0.02)
    assert attempt.files == ALL


def test_how_it_ended_cut_off_by_a_full_disk_holds_nothing_up(
    agent: RunningAgent, server: Server, order: MakeOrder
) -> None:
    wanted = order(measure_seconds=60.0)
    attempt = server.platform.offer(wanted)
    agent.start()
    until("it measures", lambda: "measure" in attempt.phases(), every=0.02)
    pid = agent.attempt_pid(wanted.attempt_id)
    agent.signal(signal.SIGKILL)
    os.kill(pid, signal.SIGKILL)
    agent.attempt(wanted.attempt_id).exit.write_text("")
    agent.start()
    until("the attempt ends", lambda: ended(attempt), every=0.02)
    assert attempt.completion is not None
    assert attempt.completion.failure is not None
    assert "ended without a result" in attempt.completion.failure.message


def test_a_store_that_is_away_costs_no_figures(
    agent: RunningAgent, server: Server, order: MakeOrder
) -> None:
    server.platform.problem = "files-away"
    server.platform.refusals["PUT .*/artifacts/"] = (503, "the store of files does not answer")
    attempt = carried_out(agent, server, order())
    assert attempt.completion is not None
    assert attempt.completion.outcome == "completed"
    assert attempt.files == {}
    log = attempt.logs["attempt"].decode()
    assert all(f"not taken by the platform: {name}: " in log for name in ALL)
    asked = [each for each in server.platform.calls if "PUT" in each and "/artifacts/" in each]
    assert len({each.split()[1] for each in asked}) == 1, "after the first none is tried"


def test_a_platform_that_is_away_is_waited_for(
    agent: RunningAgent, server: Server, order: MakeOrder
) -> None:
    server.platform.refusals["GET .*/attempts/[^/]+$"] = (503, "it is being upgraded")
    wanted = order()
    attempt = server.platform.offer(wanted)
    agent.start()

    def asked_often() -> bool:
        asked = re.compile("GET .*/attempts/[^/]+ 503")
        calls = [each for each in server.platform.calls if asked.fullmatch(each)]
        return len(calls) > server.platform.timings.failing_tries

    until("it is asked again and again", asked_often, every=0.02)
    assert attempt.files == {}
    server.platform.refusals.clear()
    until("the attempt ends", lambda: ended(attempt), every=0.02)
    assert attempt.files == ALL


class Faulty:
    """A plugin that cannot even say what is to be kept."""

    @property
    def kept_files(self) -> tuple[str, ...]:
        raise RuntimeError("no idea")


def test_a_fault_in_keeping_keeps_nothing_from_being_cleaned_up(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    context = Context.open(Target(name="t", system="scale"), tmp_path / "system")
    assert keep_what_they_wrote(cast("Plugin", Faulty()), context) == ()
    assert "not kept: files: RuntimeError('no idea')" in capfd.readouterr().err


class Store:
    """Takes files, but for those that it has a refusal for."""

    def __init__(self, **refusals: Refused) -> None:
        self.refusals = refusals
        self.files: dict[str, bytes] = {}
        self.digests: set[str] = set()
        self.late: set[str] = set()

    def put(self, sha256: str, name: str, content: bytes, end_at: float) -> None:
        if name in self.late:
            raise TooLate("the platform did not take it in time")
        if name in self.refusals:
            raise self.refusals[name]
        self.files[name] = content
        self.digests.add(sha256)

    def send(self, directory: AttemptDirectory) -> None:
        FileSender(directory, lambda sha256: sha256 in self.digests, self.put).finish()


@pytest.fixture
def directory(tmp_path: Path) -> AttemptDirectory:
    made = Home(tmp_path).attempt("one")
    for place in (made.logs, made.files):
        place.mkdir(parents=True)
    for name in "abc":
        (made.files / name).write_text(name * 3)
    (made.files / ".draft").write_text("half of it")
    return made


def test_what_is_there_is_not_sent_again(directory: AttemptDirectory) -> None:
    store = Store()
    store.send(directory)
    assert store.files == {"a": b"aaa", "b": b"bbb", "c": b"ccc"}
    store.files.clear()
    store.send(directory)
    assert store.files == {}


def test_one_that_has_no_room_keeps_no_other_back(directory: AttemptDirectory) -> None:
    store = Store(b=Refused(409, "a quota is used up", {"type": "/problems/quota-exceeded"}))
    store.send(directory)
    assert set(store.files) == {"a", "c"}
    assert directory.own_log.read_text() == "not taken by the platform: b: a quota is used up\n"


@pytest.mark.parametrize(
    "refused",
    [
        NeverTaken(500, "it failed 4 times", {}),
        Refused(401, "who are you?", {}),
        Refused(409, "this part of the attempt is lost", {"type": "/problems/attempt-not-yours"}),
    ],
)
def test_where_no_file_is_taken_none_is_tried(
    directory: AttemptDirectory, refused: Refused
) -> None:
    store = Store(a=refused)
    store.send(directory)
    assert store.files == {}
    assert directory.own_log.read_text().count("not taken") == 3


def test_what_takes_too_long_is_left_and_told(directory: AttemptDirectory) -> None:
    store = Store()
    store.late = {"b"}
    store.send(directory)
    assert set(store.files) == {"a", "c"}
    FileSender(directory, None, store.put).finish(limit_seconds=0.0)
    told = directory.own_log.read_text().splitlines()
    assert told[0].endswith("b: the platform did not take it in time")
    assert len(told) == 1 + len("abc")
    assert all(each.endswith("no more time for it") for each in told[1:])


def test_a_log_that_cannot_be_written_keeps_nothing_back(directory: AttemptDirectory) -> None:
    directory.own_log.mkdir()  # stands for a disk that is full
    store = Store(a=Refused(413, "too large", {}))
    store.send(directory)
    assert set(store.files) == {"b", "c"}
    (directory.files / "d").symlink_to("nowhere")
    store.send(directory)
    assert set(store.files) == {"b", "c"}


def test_what_is_on_its_way_when_the_time_is_over_is_broken_off(server: Server) -> None:
    client = PlatformClient.connect(server.url, "a token")
    content = bytes(1 << 20)
    with pytest.raises(PlatformAway, match="too long to send"):
        client.send("PUT", "/agent/v1/session", content, end_at=time.monotonic() - 1)
    server.platform.late["PUT /agent/v1/session"] = 60.0
    with pytest.raises(PlatformAway, match="ReadTimeout"):
        client.send("PUT", "/agent/v1/session", content, end_at=time.monotonic() + 1)
    server.platform.late.clear()
    with pytest.raises(Refused, match="422"):
        client.send("PUT", "/agent/v1/session", content, end_at=time.monotonic() + 60)
    client.close()
