"""An agent that somebody watches over ends with them, also by kill -9; a run goes on."""

import signal
import subprocess
import sys

import pytest
from weighhouse_agent.machine.home import HomeInUse
from weighhouse_agent.machine.installation import PROGRAMS_VARIABLE, STARTER_VARIABLE
from weighhouse_agent.supervisor.process_watch import record_of, runs
from weighhouse_testing.platform import until

from .conftest import MakeOrder, RunningAgent, ended
from .protocol_server import Server


def start_by_a_script(agent: RunningAgent, says: str) -> None:
    """As on a machine where the platform's line installed it: the process is the script's."""
    line = f'{says} "$0" -m weighhouse_agent start --home "$1" & wait'
    with agent.log.open("ab") as log:
        agent.process = subprocess.Popen(
            ["sh", "-c", line, sys.executable, agent.home.path], env=agent.environment,
            stdin=subprocess.DEVNULL, stdout=log, stderr=log,
        )  # fmt: skip


def is_left_alone(agent: RunningAgent) -> bool:
    try:
        with agent.home.locked():
            return True
    except HomeInUse:
        return False


@pytest.mark.parametrize(
    "says", [f"{STARTER_VARIABLE}=$$", f"{PROGRAMS_VARIABLE}=/nowhere"], ids=["now", "before"]
)
def test_a_killed_script_leaves_no_agent_and_the_next_one_finds_the_run(
    agent: RunningAgent, server: Server, order: MakeOrder, says: str
) -> None:
    start_by_a_script(agent, says)
    wanted = order(measure_seconds=60.0)
    attempt = server.platform.offer(wanted)
    agent.attempt_pid(wanted.attempt_id)
    assert not is_left_alone(agent)
    assert agent.signal(signal.SIGKILL) == -signal.SIGKILL
    until("no agent is at work", lambda: is_left_alone(agent))
    carried = record_of(agent.attempt(wanted.attempt_id))
    assert carried is not None
    assert runs(carried)
    agent.start()
    attempt.cancel = "graceful"
    until("the next agent has delivered it", lambda: ended(attempt))
    assert agent.signal(signal.SIGTERM) == 0


def test_one_whose_script_has_ended_does_not_begin(agent: RunningAgent, server: Server) -> None:
    agent.environment = {**agent.environment, STARTER_VARIABLE: "1"}
    agent.start()
    assert agent.wait() == 1
    assert "whoever started this agent has ended" in agent.log.read_text("utf-8")
    assert server.platform.calls.count("POST /agent/v1/claims 200") == 0
