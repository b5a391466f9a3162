"""Attempts end to end: a real agent process, real HTTP, a real system, a real driver."""

import json
import os
import signal

import pytest
from weighhouse_agent.machine.home import AttemptDirectory
from weighhouse_agent.supervisor.process_watch import record_of, runs
from weighhouse_testing.platform import until

from .conftest import MakeOrder, RunningAgent, carried_out, ended
from .protocol_server import REQUEST_ID, TIMINGS, Attempt, Server

SPOOLED_OF_A_MOMENT = 5_000


def measured(attempt: Attempt, what: str = "measure") -> None:
    """Wait until an attempt is in its measurement, and the platform has seen an interval of it."""
    until(
        f"an interval of {what} arrives",
        lambda: any(e["interval"]["phase"] == what for e in attempt.of_kind("interval")),
        every=0.02,
    )


def test_a_run_arrives_whole(agent: RunningAgent, server: Server, order: MakeOrder) -> None:
    attempt = carried_out(agent, server, order())
    assert attempt.completion is not None
    assert attempt.completion.outcome == "completed", attempt.completion
    assert attempt.completion.failure is None
    assert attempt.phases() == ["deploy", "load", "warmup", "measure", "collect"]
    assert [event["sequence"] for event in attempt.events] == list(range(len(attempt.events)))
    assert [e["mark"] for e in attempt.of_kind("mark")] == ["deployed", "ready", "stopped"]
    assert [e["moment"] for e in attempt.of_kind("memory")] == ["before", "after_load", "after"]
    assert all(e["resident_bytes"] > 0 for e in attempt.of_kind("memory"))
    target = attempt.of_kind("target")[0]
    assert target["version"] == "1.0"
    assert target["stream_hash"] == "5ca1e"
    assert target["co_located"]
    assert target["facts"]["versions"]["driver scale"] == "0.1.0"
    samples = attempt.of_kind("sample")
    assert len(samples) >= 3
    assert all(each["metrics"]["weights"] == 12.0 for each in samples)
    assert any(each["driver_cpu_percent"] is not None for each in samples)
    ended_phases = {e["phase"]: e for e in attempt.of_kind("phase_ended")}
    counted = sum(each["count"] for each in attempt.answered())
    assert ended_phases["measure"]["operations"]["read"]["ok"] == counted > 0
    assert agent.signal(signal.SIGTERM) == 0


def test_one_after_the_other(agent: RunningAgent, server: Server, order: MakeOrder) -> None:
    attempts = [server.platform.offer(order(measure_seconds=0.1)) for _ in range(3)]
    agent.start()
    until("all end", lambda: all(ended(each) for each in attempts), every=0.02)
    assert {each.completion.outcome for each in attempts if each.completion} == {"completed"}
    opening = server.platform.sessions[-1]
    assert "scale" in {manifest.id for manifest in opening.manifests}
    assert opening.facts.versions["driver scale"] == "0.1.0"


def test_lost_answers_lose_nothing(agent: RunningAgent, server: Server, order: MakeOrder) -> None:
    server.platform.lost = {
        "PUT /agent/v1/session": 1, "POST /agent/v1/claims": 2, "/start": 2, "/events": 3,
        "/complete": 2,
    }  # fmt: skip
    attempt = carried_out(agent, server, order(measure_seconds=1.0))
    assert attempt.completion is not None
    assert attempt.completion.outcome == "completed"
    assert len(server.platform.claims) == 1
    assert not any(server.platform.lost.values())


@pytest.mark.parametrize("wanted", [1.0, 3600.0])
def test_events_are_gathered_as_long_as_the_platform_wants(
    agent: RunningAgent, server: Server, order: MakeOrder, wanted: float
) -> None:
    """And no longer than it takes until a heartbeat, whatever is wanted."""
    server.platform.timings = TIMINGS.model_copy(update={"heartbeat_seconds": 1.0})
    assert TIMINGS.upload_seconds <= 0.1
    server.platform.pause_seconds = wanted
    attempt = carried_out(agent, server, order(measure_seconds=2.5))
    (collected,) = (e["sequence"] for e in attempt.of_kind("phase") if e["phase"] == "collect")
    under_way = [at for at, there in server.platform.batches if there <= collected]
    # What is spooled while a batch is sent follows it at once.
    assert 2 <= len(under_way) <= 2 * (under_way[-1] - under_way[0] + 1)


def test_it_measures_on_while_the_platform_is_away(
    agent: RunningAgent, server: Server, order: MakeOrder
) -> None:
    wanted = order(measure_seconds=1.5)
    attempt = server.platform.offer(wanted)
    agent.start()
    measured(attempt)
    server.stop()
    known = len(attempt.events)
    until("it has its outcome", agent.attempt(wanted.attempt_id).outcome.exists, every=0.02)
    assert len(attempt.events) == known
    server.start()
    until("it is delivered", lambda: ended(attempt), every=0.02)
    assert attempt.completion is not None
    assert attempt.completion.outcome == "completed"
    assert [event["sequence"] for event in attempt.events] == list(range(len(attempt.events)))
    away = [event for event in attempt.events[known:] if event["kind"] == "interval"]
    assert any(event["interval"]["phase"] == "measure" for event in away)


def test_a_killed_agent_costs_nothing(
    agent: RunningAgent, server: Server, order: MakeOrder
) -> None:
    wanted = order(measure_seconds=3.0)
    attempt = server.platform.offer(wanted)
    agent.start()
    measured(attempt)
    pid = agent.attempt_pid(wanted.attempt_id)
    agent.signal(signal.SIGKILL)
    agent.start()
    assert agent.attempt_pid(wanted.attempt_id) == pid
    until("it is delivered", lambda: ended(attempt), every=0.02)
    assert attempt.completion is not None
    assert attempt.completion.outcome == "completed", attempt.completion.failure
    assert attempt.phases().count("measure") == 1
    assert any(call.startswith("GET") for call in server.platform.calls)
    next_one = server.platform.offer(order(measure_seconds=0.1))
    until("the next one ends", lambda: ended(next_one), every=0.02)


def test_a_killed_attempt_is_a_failure_of_the_infrastructure(
    agent: RunningAgent, server: Server, order: MakeOrder
) -> None:
    wanted = order(measure_seconds=60.0)
    attempt = server.platform.offer(wanted)
    agent.start()
    measured(attempt)
    assert len(agent.processes()) >= 2
    kill(agent.attempt_pid(wanted.attempt_id))
    until("it is delivered", lambda: ended(attempt), every=0.02)
    assert attempt.completion is not None
    assert attempt.completion.failure is not None
    assert attempt.completion.failure.kind == "infrastructure"
    assert "signal 9" in attempt.completion.failure.message
    assert agent.processes() == []


def test_both_killed_and_the_last_line_torn(
    agent: RunningAgent, server: Server, order: MakeOrder
) -> None:
    wanted = order(measure_seconds=60.0)
    attempt = server.platform.offer(wanted)
    agent.start()
    measured(attempt)
    agent.signal(signal.SIGKILL)
    directory = agent.attempt(wanted.attempt_id)
    kill(agent.attempt_pid(wanted.attempt_id))
    until("it is dead", lambda: not alive(directory))
    whole = directory.spool.read_bytes().splitlines(keepends=True)
    whole = [line for line in whole if line.endswith(b"\n")]
    torn = b'{"kind":"phase","sequence":' + str(len(whole)).encode()
    directory.spool.write_bytes(b"".join(whole) + torn)
    assert agent.processes() != []
    agent.start()
    until("it is delivered", lambda: ended(attempt), every=0.02)
    assert attempt.completion is not None
    assert attempt.completion.outcome == "failed"
    assert attempt.completion.events_count == len(whole) == len(attempt.events)
    assert attempt.events[-1] == {**attempt.events[-1], **json.loads(whole[-1])}
    assert agent.processes() == []


@pytest.mark.parametrize("mode", ["graceful", "kill"])
def test_cancelled(agent: RunningAgent, server: Server, order: MakeOrder, mode: str) -> None:
    attempt = server.platform.offer(order(measure_seconds=60.0))
    agent.start()
    measured(attempt)
    attempt.cancel = mode
    until("it ends", lambda: ended(attempt), every=0.02)
    assert attempt.completion is not None
    assert attempt.completion.outcome == "cancelled"
    assert agent.processes() == []
    if mode == "graceful":
        assert attempt.of_kind("phase_ended")[-1]["interrupted"]
        assert attempt.of_kind("mark")[-1]["mark"] == "stopped"


def test_cancelled_while_the_plugin_hangs(
    agent: RunningAgent, server: Server, order: MakeOrder
) -> None:
    wanted = order(behaviour="stuck")
    attempt = server.platform.offer(wanted)
    agent.start()
    until("it hangs", lambda: any(e["mark"] == "ready" for e in attempt.of_kind("mark")))
    attempt.cancel = "graceful"
    until("it ends", lambda: ended(attempt), every=0.02)
    assert attempt.completion is not None
    assert attempt.completion.outcome == "cancelled"
    assert agent.processes() == []


def test_a_system_that_ignores_the_signal_is_killed(
    agent: RunningAgent, server: Server, order: MakeOrder
) -> None:
    (agent.home.policy).write_text("[machine]\nstop_seconds = 0.3\n")
    attempt = carried_out(agent, server, order(behaviour="ignores_sigterm"))
    assert attempt.completion is not None
    assert attempt.completion.outcome == "completed"


def test_the_runs_limit(agent: RunningAgent, server: Server, order: MakeOrder) -> None:
    attempt = carried_out(agent, server, order(measure_seconds=60.0, limit_seconds=10.0))
    assert attempt.completion is not None
    assert attempt.completion.failure is not None
    assert attempt.completion.failure.kind == "timeout"
    assert attempt.of_kind("phase_ended")[-1]["interrupted"]


@pytest.mark.parametrize(
    ("parameters", "kind", "told"),
    [
        ({"behaviour": "missing"}, "missing_binary", "apt-get install scale"),
        ({"behaviour": "dies_at_start"}, "not_ready", "the pan is missing"),
        ({"behaviour": "dies_under_load", "measure_seconds": 60.0}, "database", "too heavy"),
        ({"driver": "gives_up"}, "database", "look for it"),
        ({"driver": "garbage"}, "driver", "12 pounds"),
        ({"driver": "dies"}, "driver", "the beam broke"),
        ({"unheard_of": 1}, "invalid", "parameters.unheard_of"),
        ({"system": "nothing"}, "missing_binary", "pip install weighhouse-plugin-nothing"),
    ],
)
def test_failures_say_what_and_why(
    agent: RunningAgent,
    server: Server,
    order: MakeOrder,
    parameters: dict[str, object],
    kind: str,
    told: str,
) -> None:
    attempt = carried_out(agent, server, order(**parameters))
    assert attempt.completion is not None
    failure = attempt.completion.failure
    assert failure is not None
    assert failure.kind == kind, failure
    assert failure.hint
    assert told in " ".join([failure.message, failure.hint, *failure.log_lines])


def test_a_driver_that_is_not_there(agent: RunningAgent, server: Server, order: MakeOrder) -> None:
    agent.environment = {**agent.environment, "WEIGHHOUSE_DRIVERS": "/nowhere"}
    attempt = carried_out(agent, server, order())
    assert attempt.completion is not None
    assert attempt.completion.failure is not None
    assert attempt.completion.failure.kind == "missing_binary"
    assert "weighhouse-driver-scale" in attempt.completion.failure.message
    assert attempt.of_kind("target")[0]["version"] == "1.0"


def test_stopping_the_agent_ends_the_attempt(
    agent: RunningAgent, server: Server, order: MakeOrder
) -> None:
    wanted = order(measure_seconds=60.0)
    attempt = server.platform.offer(wanted)
    agent.start()
    measured(attempt)
    assert agent.signal(signal.SIGTERM) == 0
    assert attempt.completion is not None
    assert attempt.completion.failure is not None
    assert attempt.completion.failure.kind == "infrastructure"
    assert agent.processes() == []
    assert agent.home.attempts() == []


def test_stopped_while_the_platform_is_away_it_delivers_later(
    agent: RunningAgent, server: Server, order: MakeOrder
) -> None:
    wanted = order(measure_seconds=60.0)
    attempt = server.platform.offer(wanted)
    agent.start()
    measured(attempt)
    server.stop()
    assert agent.signal(signal.SIGTERM) == 0
    assert agent.processes() == []
    assert agent.attempt(wanted.attempt_id).outcome.exists()
    server.start()
    agent.start()
    until("it is delivered", lambda: ended(attempt), every=0.02)
    assert attempt.completion is not None
    assert attempt.completion.failure is not None
    assert attempt.completion.failure.kind == "infrastructure"


def kill(pid: int) -> None:
    os.kill(pid, signal.SIGKILL)


def alive(directory: AttemptDirectory) -> bool:
    record = record_of(directory)
    return record is not None and runs(record)


def test_a_batch_that_is_never_taken_ends_its_attempt_alone(
    agent: RunningAgent, server: Server, order: MakeOrder
) -> None:
    wanted = order(measure_seconds=60.0)
    attempt = server.platform.offer(wanted)
    agent.start()
    measured(attempt)
    events = f"POST .*{wanted.attempt_id}/events"
    server.platform.refusals = {events: (500, "a fault")}
    until("it ends", lambda: ended(attempt), every=0.02)
    assert attempt.completion is not None
    failure = attempt.completion.failure
    assert failure is not None
    assert failure.kind == "infrastructure"
    assert REQUEST_ID in failure.message
    assert attempt.completion.events_count == len(attempt.events)
    [kept] = agent.home.set_aside_directory.iterdir()
    sequences = [each["sequence"] for each in json.loads(kept.read_text())["events"]]
    assert sequences[0] == len(attempt.events)
    assert agent.processes() == []
    after = server.platform.offer(order(measure_seconds=0.1))
    until("the next one ends", lambda: ended(after), every=0.02)
    assert after.completion is not None
    assert after.completion.outcome == "completed"


def test_failures_that_pass_are_borne_with(
    agent: RunningAgent, server: Server, order: MakeOrder
) -> None:
    server.platform.timings = server.platform.timings.model_copy(update={"failing_tries": 1000})
    wanted = order(measure_seconds=2.0)
    attempt = server.platform.offer(wanted)
    agent.start()
    measured(attempt)
    server.platform.refusals = {"POST .*/events": (500, "a fault")}
    failed = f"POST /agent/v1/attempts/{wanted.attempt_id}/events 500"
    until("it has failed often", lambda: server.platform.calls.count(failed) >= 4)
    server.platform.refusals = {}
    until("it ends", lambda: ended(attempt), every=0.02)
    assert attempt.completion is not None
    assert attempt.completion.outcome == "completed"


def test_an_attempt_whose_outcome_is_never_taken_is_set_aside(
    agent: RunningAgent, server: Server, order: MakeOrder
) -> None:
    wanted = order(measure_seconds=0.2)
    server.platform.offer(wanted)
    server.platform.refusals = {f"{wanted.attempt_id}/complete": (500, "a fault")}
    agent.start()
    kept = agent.home.set_aside_directory / str(wanted.attempt_id)
    until("it is set aside", kept.is_dir)
    after = server.platform.offer(order(measure_seconds=0.1))
    server.platform.attempts[wanted.attempt_id].status = "lost"
    until("the next one ends", lambda: ended(after), every=0.02)
    assert (kept / "spool.jsonl").exists()
    # It may ask for work before the attempt is marked as lost here, and is let.
    breaches = server.platform.breaches
    breaches[:] = [each for each in breaches if not each.startswith("a new claim while")]


def test_heartbeats_tell_what_is_not_handed_in_yet(
    agent: RunningAgent, server: Server, order: MakeOrder
) -> None:
    attempt = server.platform.offer(order(measure_seconds=60.0))
    agent.start()
    measured(attempt)
    until("all is handed in", lambda: attempt.heartbeats[-1].spool_bytes < SPOOLED_OF_A_MOMENT)
    server.platform.refusals = {"POST .*/events": (503, "away")}
    until("it piles up", lambda: attempt.heartbeats[-1].spool_bytes > 4 * SPOOLED_OF_A_MOMENT)
    server.platform.refusals = {}
    until("it is handed in", lambda: attempt.heartbeats[-1].spool_bytes < SPOOLED_OF_A_MOMENT)


def test_a_heartbeat_that_is_slow_on_its_way_is_waited_for(
    agent: RunningAgent, server: Server, order: MakeOrder
) -> None:
    server.platform.late = {"POST .*/heartbeat": 1.0}  # so that one is always under way
    attempt = carried_out(agent, server, order())
    assert attempt.heartbeats
    assert attempt.completion is not None
    assert server.platform.breaches == []


def test_what_cannot_be_kept_is_replaced(
    agent: RunningAgent, server: Server, order: MakeOrder
) -> None:
    attempt = carried_out(agent, server, order(driver="speaks_nul"))
    assert attempt.completion is not None
    assert attempt.completion.failure is not None
    text = attempt.completion.failure.model_dump_json()
    assert "the \ufffd beam" in text
    assert "\\u0000" not in text
