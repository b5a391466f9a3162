"""A machine that reaches nothing but the platform becomes its agent by the line from the page; it
works on when the platform is two minor versions ahead, is brought up to it, goes back from a
version that does not start, and leaves nothing when it is removed.
"""

import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from weighhouse_sdk.machine.certificates import certify
from weighhouse_testing.agent_packages import fill
from weighhouse_testing.bare_machine import (
    PLATFORM,
    PLATFORM_URL,
    BareMachine,
    bare_machine,
    environment,
)
from weighhouse_testing.experiments import small_experiment
from weighhouse_testing.platform import RunningPlatform, running_platform
from weighhouse_testing.waits import until

NAME = "far-away"


@dataclass
class Served:
    """A platform whose version and packages are those of a release, one after the other."""

    running: RunningPlatform
    about: Path
    """What says the backend's version."""
    folder: Path
    """A link to the release's packages."""
    releases: dict[str, Path]
    work: Path
    agent: list[subprocess.Popen[bytes]] = field(default_factory=list)

    def become(self, version: str) -> None:
        """Be of a version from now on, with its packages."""
        draft = self.folder.with_name("next")
        draft.symlink_to(self.releases[version])
        draft.replace(self.folder)
        self.about.write_text(
            f"Metadata-Version: 2.1\nName: weighhouse-backend\nVersion: {version}\n"
        )
        until("the platform is of that version", lambda: self.version == version)

    @property
    def version(self) -> str:
        return str(self.running.request("GET", "/about")["version"])

    def line(self) -> str:
        """What the page gives to copy."""
        made = self.running.request("POST", "/agent-registration-tokens", json={})
        assert made["not_installable"] is None
        return str(made["install_command"])

    def found(self) -> dict[str, Any]:
        """The agent, as the page has it."""
        items = self.running.request("GET", "/agents")["items"]
        (one,) = [each for each in items if each["name"] == NAME]
        return dict(one)

    def update(self) -> dict[str, Any]:
        """Press the button, and wait for the end."""
        address = f"/agents/{self.found()['id']}/update"
        until("it is idle", lambda: self.found()["software"]["cannot_update"] is None)
        self.running.request("POST", address)
        return dict(
            until(
                "the update has ended",
                lambda: (
                    (one := self.found()["software"]["update"])["state"]
                    in {"done", "failed", "returned"}
                    and one
                ),
            )
        )

    def measure(self, slug: str) -> None:
        """Have the agent measure a little."""
        text = small_experiment(slug, "redis", repetitions=1, clients=(2,))
        ended = self.running.wait_for_campaign(self.running.start_campaign(text)["id"])
        runs = [run["id"] for cell in ended["cells"] for run in cell["runs"]]
        failures = [self.running.request("GET", f"/runs/{one}")["failure"] for one in runs]
        assert ended["status"] == "completed", failures


def uncompiled(machine: BareMachine) -> list[str]:
    """Modules that the running version has as sources alone, of those that no agent imports too."""
    told = machine.run(
        "cd /opt/weighhouse-agent/programs/current/lib/python3*/site-packages/weighhouse_protocol"
        " && for name in *.py; do ls __pycache__/${name%.py}.*.pyc >/dev/null || echo $name; done"
    )
    assert told.returncode == 0, told.stderr
    return told.stdout.split()


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    work = tmp_path_factory.mktemp("served")
    first = fill(work / "0.1.0", "0.1.0", work=tmp_path_factory.mktemp("build"))
    releases = {"0.1.0": first}
    for version, broken in (("0.3.0", False), ("0.3.1", True)):
        build = tmp_path_factory.mktemp("build")
        place = work / version
        releases[version] = fill(place, version, work=build, broken=broken, like=first)
    releases["0.6.0"] = work / "none"
    about = work / "site" / "weighhouse_backend-0.1.0.dist-info" / "METADATA"
    about.parent.mkdir(parents=True)
    about.write_text("Metadata-Version: 2.1\nName: weighhouse-backend\nVersion: 0.1.0\n")
    folder = work / "packages"
    folder.symlink_to(first)
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("PYTHONPATH", str(about.parent.parent), prepend=":")
        settings = {
            "PACKAGES_DIR": str(folder),
            "PUBLIC_URL": PLATFORM_URL,
            "PUBLIC_CA_FILE": str(certify(work / "certificates", [PLATFORM])),
        }
        with running_platform(agent=False, **settings) as running:
            yield Served(running, about, folder, releases, work)


@pytest.fixture(scope="module")
def machine(served: Served) -> Iterator[BareMachine]:
    port = urlsplit(served.running.url).port or 0
    with bare_machine(port, served.work / "certificates") as made:
        yield made


def test_a_machine_becomes_an_agent_is_updated_and_leaves_nothing(
    served: Served, machine: BareMachine, tmp_path: Path
) -> None:
    before, accounts = machine.files(), machine.accounts()
    unknown = machine.run(f"curl -fsSL {PLATFORM_URL}/agent/install.sh")
    assert "certificate" in unknown.stderr  # of an authority that this machine does not know
    assert "default" not in machine.run("ip route").stdout  # there is no way to any registry

    told = machine.run(f"{served.line()} --dry-run --name {NAME}")
    assert told.returncode == 0, told.stderr
    assert "would make this machine an agent" in told.stdout
    assert "10.213.78.0/24" in told.stdout
    assert (machine.files(), machine.accounts()) == (before, accounts)

    wrong = machine.run(served.line().partition("--token")[0] + f"--token whr_no --name {NAME}")
    assert wrong.returncode != 0
    assert "the platform refused" in wrong.stderr
    assert "what was begun is removed again" in wrong.stderr
    assert (machine.files(), machine.accounts()) == (before, accounts)

    done = machine.run(f"{served.line()} --systems redis --name {NAME}")
    assert done.returncode == 0, done.stderr + done.stdout
    assert "machine" in done.stdout  # what doctor says
    again = machine.run(f"{served.line()} --name {NAME}")
    assert "is there already" in again.stderr
    with (tmp_path / "agent.log").open("wb") as log:
        agent = subprocess.Popen(
            machine.command(
                "setpriv", "--reuid", "weighhouse-agent", "--regid", "weighhouse-agent",
                "--clear-groups", "/opt/weighhouse-agent/start",
            ),
            stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd="/",
            env={**environment(), "WEIGHHOUSE_TRIAL_SECONDS": "600"},
        )  # fmt: skip
    try:
        until("it is there", lambda: served.found()["status"] == "online")
        assert [one["id"] for one in served.found()["plugins"]] == ["redis"]
        assert served.found()["software"]["standing"] == "current"
        served.measure("as-installed")

        served.become("0.3.0")
        assert served.found()["software"]["standing"] == "behind"
        served.measure("two-minor-versions-old")
        came = served.update()
        assert came["state"] == "done", (came, (tmp_path / "agent.log").read_text("utf-8"))
        assert served.found()["agent_version"] == "0.3.0"
        assert uncompiled(machine) == []  # no part of the trial's time was the compiler's
        until("it takes work", lambda: served.found()["no_work"] is None)

        served.become("0.3.1")
        came = served.update()
        assert came["state"] == "returned", (came, (tmp_path / "agent.log").read_text("utf-8"))
        until(
            "the reason is told",
            lambda: "status 2" in served.found()["software"]["update"]["reason"],
        )
        assert served.found()["agent_version"] == "0.3.0"
        served.measure("back-again")

        served.become("0.6.0")
        assert served.found()["software"]["standing"] == "too_old"
        until(
            "the agent is told",
            lambda: "works with 0.4 and newer" in (tmp_path / "agent.log").read_text("utf-8"),
        )
        served.become("0.3.0")

        gone = machine.run("weighhouse-agent-remove --force")
        assert gone.returncode == 0, gone.stderr
        until("it has ended", lambda: agent.poll() is not None)
    finally:
        agent.kill()
        agent.wait()
    assert machine.files() == before
    assert machine.accounts() == accounts
