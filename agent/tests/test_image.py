"""How a container becomes an agent: `infra/images/agent-entrypoint.sh`."""

import os
import signal
import subprocess
import sys
from pathlib import Path

from weighhouse_agent.machine.home import Home
from weighhouse_agent.machine.policy import PolicyFile
from weighhouse_testing.platform import until
from weighhouse_testing.tree import REPOSITORY

from .protocol_server import Server

ENTRYPOINT = REPOSITORY / "infra" / "images" / "agent-entrypoint.sh"


def environment(home: Path, url: str, **more: str) -> dict[str, str]:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    kept = {name: text for name, text in os.environ.items() if name == "PYTHONPATH"}
    return {**kept, "PATH": path, "WEIGHHOUSE_AGENT_HOME": str(home), "WEIGHHOUSE_URL": url, **more}


def test_a_pod_takes_the_token_that_is_left_and_its_pools_roles_and_policy(
    tmp_path: Path, server: Server
) -> None:
    home = Home(tmp_path / "home")
    (tmp_path / "tokens").write_text("whr_wrong\nwhr_registration\n", "utf-8")
    (tmp_path / "policy.toml").write_text('[machine]\naddress = "@ADDRESS@"\n', "utf-8")
    given = environment(
        home.path, server.url,
        WEIGHHOUSE_REGISTRATION_TOKENS=str(tmp_path / "tokens"),
        WEIGHHOUSE_AGENT_POLICY=str(tmp_path / "policy.toml"),
        WEIGHHOUSE_AGENT_ADDRESS="10.42.0.9",
        WEIGHHOUSE_AGENT_ROLES="driver", WEIGHHOUSE_AGENT_NAME="drivers-node-7",
    )  # fmt: skip
    with (tmp_path / "log").open("wb") as log:
        agent = subprocess.Popen([ENTRYPOINT], env=given, stdout=log, stderr=log)
    try:
        until("a session", lambda: bool(server.platform.sessions))
    finally:
        agent.send_signal(signal.SIGTERM)
        assert agent.wait(120) == 0, (tmp_path / "log").read_text("utf-8")
    (registration,) = server.platform.registrations
    assert registration.roles == ("driver",)
    assert registration.name == "drivers-node-7"
    assert PolicyFile(home.policy).read().statement().address == "10.42.0.9"


def test_without_a_token_that_is_good_it_says_so(tmp_path: Path, server: Server) -> None:
    (tmp_path / "tokens").write_text("whr_wrong\n", "utf-8")
    for tokens, words in ((tmp_path / "tokens", "none of the"), (tmp_path / "no", "make some")):
        done = subprocess.run(
            [ENTRYPOINT], capture_output=True, text=True, check=False,
            env=environment(
                tmp_path / "home", server.url, WEIGHHOUSE_REGISTRATION_TOKENS=str(tokens)
            ),
        )  # fmt: skip
        assert done.returncode == 2
        assert words in done.stderr


def test_it_runs_what_it_is_told_to(tmp_path: Path) -> None:
    done = subprocess.run(
        [ENTRYPOINT, "weighhouse-agent", "--version"], capture_output=True, text=True,
        check=True, env=environment(tmp_path, "http://127.0.0.1:9"),
    )  # fmt: skip
    assert done.stdout.strip()
