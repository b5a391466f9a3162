"""How a machine becomes an agent, and stops being one."""

import json
import signal
import stat
from collections.abc import Callable
from pathlib import Path

import pytest
from weighhouse_agent.__main__ import main
from weighhouse_agent.machine.home import Home
from weighhouse_agent.supervisor.enrolment import EnrolmentError, enrol, load_identity
from weighhouse_cli.embedded.directory import free_port
from weighhouse_protocol.order import AttemptOrder
from weighhouse_testing.platform import until

from .conftest import RunningAgent, ended
from .protocol_server import Server


def test_the_token_is_kept_for_its_owner_alone(tmp_path: Path, server: Server) -> None:
    made = enrol(server.url + "/", "whr_registration", tmp_path / "home", name="one")
    home = Home(tmp_path / "home")
    assert stat.S_IMODE(home.identity.stat().st_mode) == 0o600
    assert load_identity(home) == made
    assert made.agent_token == "wha_agent"
    assert made.url == server.url
    assert server.platform.registrations[0].facts.cores > 0


def test_a_lost_answer_is_asked_for_again_as_the_same_machine(
    tmp_path: Path, server: Server
) -> None:
    server.platform.lost = {"/register": 2}
    enrol(server.url, "whr_registration", tmp_path, name="one")
    assert len(server.platform.registrations) == 3
    assert len({each.instance_id for each in server.platform.registrations}) == 1


def test_a_bad_token_is_refused_with_a_hint(tmp_path: Path, server: Server) -> None:
    with pytest.raises(EnrolmentError, match="does not work") as told:
        enrol(server.url, "whr_wrong", tmp_path)
    assert "make another" in told.value.hint
    assert not Home(tmp_path).identity.exists()


def test_a_wrong_address_is_told(tmp_path: Path) -> None:
    with pytest.raises(EnrolmentError, match="no answer"):
        enrol(f"http://127.0.0.1:{free_port()}", "whr_x", tmp_path, patience_seconds=0.3)


def test_a_directory_that_cannot_be_its_own_is_told(
    server: Server, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["enrol", "--url", server.url, "--token", "whr_registration", "--home", "/proc/agent"]
    assert main(words) == 2
    told = capsys.readouterr().err
    assert "/proc/agent" in told
    assert "WEIGHHOUSE_AGENT_HOME" in told
    assert not server.platform.registrations


def test_the_command_line(
    tmp_path: Path, server: Server, capsys: pytest.CaptureFixture[str]
) -> None:
    place = ["--home", str(tmp_path)]
    assert main(["enrol", "--url", server.url, "--token", "whr_wrong", *place]) == 2
    assert "make another" in capsys.readouterr().err
    assert main(["start", *place]) == 2
    assert main(["enrol", "--url", server.url, "--token", "whr_registration", *place]) == 0
    assert main(["facts", *place]) == 0
    facts = json.loads(capsys.readouterr().out.split("\n", 1)[1])
    assert facts["memory_bytes"] > 0


def test_a_revoked_agent_ends(agent: RunningAgent, server: Server) -> None:
    agent.start()
    until("it has a session", lambda: server.platform.sessions)
    server.platform.agent_token = "wha_another"
    assert agent.wait() == 3


def test_one_agent_to_a_home(agent: RunningAgent, server: Server) -> None:
    agent.start()
    until("it has a session", lambda: server.platform.sessions)
    second = RunningAgent(agent.home, agent.environment)
    second.start()
    assert second.wait() == 4
    assert agent.signal(signal.SIGINT) == 0


def test_what_the_platform_does_not_know_is_set_aside(
    agent: RunningAgent, server: Server, order: Callable[..., AttemptOrder]
) -> None:
    wanted = order(measure_seconds=60.0)
    attempt = server.platform.offer(wanted)
    agent.start()
    until("it measures", lambda: "measure" in attempt.phases())
    attempt.status = "superseded"
    server.platform.refusals = {str(wanted.attempt_id): (404, "no such attempt")}
    aside = agent.home.set_aside_directory / str(wanted.attempt_id)
    until("it is set aside", aside.exists)
    assert agent.processes() == []
    after = server.platform.offer(order(measure_seconds=0.1))
    until("the next one ends", lambda: ended(after))


@pytest.mark.parametrize("status", [413, 422])
def test_events_that_are_not_taken_end_the_run_with_a_reason(
    agent: RunningAgent, server: Server, order: Callable[..., AttemptOrder], status: int
) -> None:
    server.platform.refusals = {"/events$": (status, "an event holds what cannot be read")}
    attempt = server.platform.offer(order(measure_seconds=60.0))
    agent.start()
    until("it ends", lambda: ended(attempt))
    assert attempt.completion is not None
    assert attempt.completion.failure is not None
    assert "did not take event 0" in attempt.completion.failure.message
    assert attempt.completion.failure.kind == "invalid", "nobody tries it again"
    assert attempt.completion.events_count == 0
    assert agent.processes() == []


def test_an_old_order_that_was_never_begun_is_not_begun(
    agent: RunningAgent, server: Server, order: Callable[..., AttemptOrder]
) -> None:
    wanted = order()
    server.platform.offer(wanted).status = "lost"
    directory = agent.attempt(wanted.attempt_id)
    directory.path.mkdir()
    directory.order.write_text(wanted.model_dump_json())
    agent.start()
    until("it has a session", lambda: bool(server.platform.sessions))
    until("the order is gone", lambda: not directory.path.exists())
    assert server.platform.attempts[wanted.attempt_id].events == []


def test_a_claim_under_way_is_repeated_after_a_crash(
    agent: RunningAgent, server: Server, order: Callable[..., AttemptOrder]
) -> None:
    server.platform.lost = {"/claims": 1000}
    wanted = order(measure_seconds=0.1)
    attempt = server.platform.offer(wanted)
    agent.start()
    until("it is claimed", lambda: attempt.status == "claimed")
    agent.signal(signal.SIGKILL)
    assert agent.home.claim("machine").exists()
    server.platform.lost = {}
    agent.start()
    until("it ends", lambda: ended(attempt))
    assert len(server.platform.claims) == 1
