"""What an agent refuses to install, and what it says of an update that is over; tests/packages has
it install one.
"""

import hashlib
import os
import signal
from pathlib import Path
from uuid import uuid4

import pytest
from weighhouse_agent.machine.installation import PROGRAMS_VARIABLE, Installation
from weighhouse_protocol.updates import OfferedFile, UpdateOrder, UpdateProgress
from weighhouse_sdk.testkit import at_hand
from weighhouse_testing.platform import until

from .conftest import MakeOrder, RunningAgent, ended
from .protocol_server import Server
from .test_slots import halves


@pytest.fixture
def programs(agent: RunningAgent, tmp_path: Path) -> Path:
    """Where the versions of an agent lie that was installed by the platform's script."""
    folder = tmp_path / "programs"
    (folder / "0.1.0").mkdir(parents=True)
    (folder / "current").symlink_to("0.1.0")
    agent.environment = {**agent.environment, PROGRAMS_VARIABLE: str(folder)}
    return folder


def ordered(server: Server, content: bytes = b"pip", *, named: bytes = b"pip") -> UpdateOrder:
    """An update whose installer is what is named, or not."""
    file = OfferedFile(
        name="pip-1-py3-none-any.whl",
        sha256=hashlib.sha256(named).hexdigest(),
        size_bytes=len(named),
    )
    server.platform.packages[file.name] = content
    made = UpdateOrder(update_id=uuid4(), version="0.3.0", installer=file, files=(file,))
    server.platform.update = made
    return made


def names(folder: Path) -> list[str]:
    return sorted(one.name for one in folder.iterdir())


def answer(server: Server, order: UpdateOrder) -> UpdateProgress:
    """What the agent says in the end."""
    told: UpdateProgress = until(
        "the agent says what came of it",
        lambda: next((one for one in server.platform.progress if one.state == "failed"), None),
    )
    assert told.update_id == order.update_id
    return told


def test_the_policy_forbids_it(
    agent: RunningAgent, server: Server, programs: Path, order: MakeOrder
) -> None:
    agent.home.policy.write_text("updates = false\n")
    wanted = ordered(server)
    agent.start()
    assert "its policy forbids it" in answer(server, wanted).reason
    assert server.platform.sessions[-1].policy.updates == "forbidden"
    attempt = server.platform.offer(order())
    until("it works on", lambda: ended(attempt))
    assert agent.signal(signal.SIGTERM) == 0
    assert names(programs) == ["0.1.0", "current"]


def test_an_agent_that_was_installed_otherwise_says_so(agent: RunningAgent, server: Server) -> None:
    wanted = ordered(server)
    agent.start()
    assert "not installed by the platform's script" in answer(server, wanted).reason
    assert server.platform.sessions[-1].policy.updates == "by_hand"
    assert agent.signal(signal.SIGTERM) == 0


def test_what_is_not_what_the_platform_named_is_never_run(
    agent: RunningAgent, server: Server, programs: Path
) -> None:
    wanted = ordered(server, b"print('mine now')", named=b"pip")
    agent.start()
    assert "is not what the platform named" in answer(server, wanted).reason
    assert server.platform.sessions[-1].policy.updates == "allowed"
    assert agent.signal(signal.SIGTERM) == 0
    assert names(programs) == ["0.1.0", "current"]


def test_an_installer_that_fails_leaves_nothing_and_says_why(
    agent: RunningAgent, server: Server, programs: Path
) -> None:
    wanted = ordered(server)
    agent.start()
    assert "ended with" in answer(server, wanted).reason
    assert agent.signal(signal.SIGTERM) == 0
    assert names(programs) == ["0.1.0", "current"]


def test_nothing_is_installed_while_a_run_goes_on_in_another_slot(
    request: pytest.FixtureRequest,
    agent: RunningAgent,
    server: Server,
    programs: Path,
    order: MakeOrder,
) -> None:
    if len(os.sched_getaffinity(0)) < 2:
        at_hand.not_run(request, "one processor cannot be divided")
    halves(agent.home.path)
    agent.start()
    attempt = server.platform.offer(order(measure_seconds=60.0, slot="left"))
    until("it runs", lambda: "measure" in attempt.phases())
    wanted = ordered(server)
    assert "a run is under way in slot left" in answer(server, wanted).reason
    attempt.cancel = "graceful"
    until("the attempt ends", lambda: ended(attempt))
    assert agent.signal(signal.SIGTERM) == 0


def test_a_version_that_comes_up_stays_and_the_others_go(
    agent: RunningAgent, server: Server, programs: Path
) -> None:
    (programs / "0.3.0").mkdir()
    installation = Installation(programs)
    installation.begin(uuid4())
    installation.switch("0.3.0")
    assert (installation.running, installation.on_trial) == ("0.3.0", True)
    assert (programs / "trial").read_text() == "0.1.0"
    agent.start()
    until("it is no trial any more", lambda: not installation.on_trial)
    until("the others are gone", lambda: names(programs) == ["0.3.0", "current"])
    assert agent.signal(signal.SIGTERM) == 0
    assert server.platform.progress == []


def test_a_version_that_came_back_tells_why_once(
    agent: RunningAgent, server: Server, programs: Path
) -> None:
    update = uuid4()
    Installation(programs).begin(update)
    (programs / "returned").write_text("its new version ended with status 2\n")
    agent.start()
    until("it is told", lambda: server.platform.progress)
    (told,) = server.platform.progress
    assert (told.update_id, told.state) == (update, "returned")
    assert told.reason == "its new version ended with status 2"
    until("it is over", lambda: names(programs) == ["0.1.0", "current"])
    assert agent.signal(signal.SIGTERM) == 0
