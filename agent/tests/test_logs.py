"""Logs are followed while a run goes on, and complete when it has ended."""

from pathlib import Path

import pytest
from weighhouse_agent.delivery.logs import LIMIT_BYTES, LIVE_BYTES, PIECE_BYTES, LogSender
from weighhouse_agent.delivery.platform_client import Refused
from weighhouse_agent.machine.home import AttemptDirectory, Home
from weighhouse_testing.platform import until

from .conftest import MakeOrder, RunningAgent, ended
from .protocol_server import Server


class Store:
    """Where logs go: takes a piece where the last one ended."""

    def __init__(self) -> None:
        self.logs: dict[str, bytes] = {}
        self.pieces: list[int] = []
        self.fails_at: int | None = None

    def put(self, stream: str, offset: int, piece: bytes) -> None:
        if self.fails_at == len(self.pieces):
            raise ConnectionError
        stored = self.logs.get(stream, b"")
        if offset > len(stored):
            raise Refused(416, "a gap", {})
        self.pieces.append(len(piece))
        self.logs[stream] = stored + piece[len(stored) - offset :]

    def ask(self) -> dict[str, int]:
        return {stream: len(text) for stream, text in self.logs.items()}

    def sender(self, directory: AttemptDirectory, *, knows: bool = True) -> LogSender:
        return LogSender(directory, self.put, self.ask, self.ask() if knows else {})


@pytest.fixture
def directory(tmp_path: Path) -> AttemptDirectory:
    made = Home(tmp_path).attempt("one")
    made.logs.mkdir(parents=True)
    return made


def write(directory: AttemptDirectory, text: bytes, stream: str = "driver") -> None:
    with (directory.logs / f"{stream}.log").open("ab") as file:
        file.write(text)


def test_small_pieces_while_it_grows_then_the_rest(directory: AttemptDirectory) -> None:
    store = Store()
    sender = store.sender(directory)
    whole = b""
    for number in range(4):
        text = f"line {number}\n".encode() * 8_000
        write(directory, text)
        whole += text
        sender.follow(0.0)
        assert len(store.logs["driver"]) <= (number + 1) * LIVE_BYTES
    assert max(store.pieces) <= LIVE_BYTES
    assert whole.startswith(store.logs["driver"])
    sender.finish()
    assert store.logs["driver"] == whole


def test_no_oftener_than_told(directory: AttemptDirectory) -> None:
    store = Store()
    sender = store.sender(directory)
    write(directory, b"one\n")
    sender.follow(3600.0)
    write(directory, b"two\n")
    sender.follow(3600.0)
    assert store.logs["driver"] == b"one\n"
    sender.finish()
    assert store.logs["driver"] == b"one\ntwo\n"


@pytest.mark.parametrize("followed", [0, 1000])
def test_of_a_long_log_the_middle_is_left_out(directory: AttemptDirectory, followed: int) -> None:
    store = Store()
    sender = store.sender(directory)
    begin = b"begin\n" * (followed // 6)
    write(directory, begin)
    sender.follow(0.0)
    write(directory, b"a line of a log\n" * 200_000 + b"the end\n")
    sender.finish()
    text = store.logs["driver"]
    assert text.startswith(begin)
    first, second = text[len(begin) :].split(b"\n", 3)[1 if begin else 0 :][:2]
    assert b"are left out" in first
    assert second == b"a line of a log"
    assert text.endswith(b"the end\n")
    assert len(text) <= len(begin) + LIMIT_BYTES + 100
    assert max(store.pieces) <= PIECE_BYTES


@pytest.mark.parametrize("knows", [True, False])
@pytest.mark.parametrize("fails_at", [1, 2, 5])
def test_another_agent_sends_on_and_leaves_out_the_same(
    directory: AttemptDirectory, fails_at: int, knows: bool
) -> None:
    undisturbed, store = Store(), Store()
    write(directory, b"begin\n")
    for each in (undisturbed, store):
        each.sender(directory).follow(0.0)
    write(directory, b"a line of a log\n" * 200_000)
    store.fails_at = fails_at
    with pytest.raises(ConnectionError):
        store.sender(directory).finish()
    store.fails_at = None
    store.sender(directory, knows=knows).finish()
    undisturbed.sender(directory).finish()
    assert store.logs == undisturbed.logs


def test_a_log_that_is_not_taken_holds_up_no_other(directory: AttemptDirectory) -> None:
    store = Store()

    def put(stream: str, offset: int, piece: bytes) -> None:
        if stream == "driver":
            raise Refused(413, "too long", {})
        store.put(stream, offset, piece)

    sender = LogSender(directory, put, store.ask)
    write(directory, b"x\n")
    write(directory, b"y\n", "system")
    sender.follow(0.0)
    sender.finish()
    said = b"not taken by the platform: driver.log: too long\n"
    assert store.logs == {"system": b"y\n", "attempt": said}


def test_the_platform_has_a_log_while_the_run_goes_on(
    agent: RunningAgent, server: Server, order: MakeOrder
) -> None:
    wanted = order(measure_seconds=60.0)
    attempt = server.platform.offer(wanted)
    agent.start()
    until("it measures", lambda: "measure" in attempt.phases())
    log = agent.attempt(wanted.attempt_id).logs / "scale.log"
    with log.open("ab") as file:
        file.write(b"the pan is warm\n")
    until("it is followed", lambda: b"the pan is warm" in attempt.logs.get("scale", b""))
    assert not ended(attempt)
    attempt.cancel = "graceful"
    until("it ends", lambda: ended(attempt))
    assert attempt.logs["scale"].count(b"the pan is warm") == 1
