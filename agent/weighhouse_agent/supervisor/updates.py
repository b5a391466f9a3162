"""Brings this agent up to the platform's version, beside the one that runs.

Only what the platform names by its digest is installed, fetched from it alone over the connection
that everything else goes over, into an environment of its own. The agent then ends; the script that
starts it goes back when the new version does not open a session in time.
"""

import hashlib
import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from importlib.metadata import distributions
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import urlsplit
from uuid import UUID

import httpx
import structlog
from weighhouse_protocol.facts import PolicyStatement
from weighhouse_protocol.updates import OfferedFile, UpdateOrder, UpdateProgress

from weighhouse_agent import VERSION
from weighhouse_agent.delivery.platform_client import PlatformAway, PlatformClient, Refused
from weighhouse_agent.machine.home import Home
from weighhouse_agent.machine.installation import Installation
from weighhouse_agent.machine.policy import PolicyFile, PolicyRefused

LOG = structlog.get_logger("weighhouse_agent")
AUTHORITY_VARIABLE = "SSL_CERT_FILE"
AGENT = "weighhouse-agent"
PLUGIN = "weighhouse-plugin-"
PROXIES = ("http_proxy", "https_proxy", "no_proxy", "HTTPS_PROXY", "NO_PROXY")
PASSED_ON = ("PATH", "HOME", "LANG", *PROXIES)
PATIENCE_SECONDS = 600.0
"""With each program on the way: the machine may be slow, or busy with something else."""
PAUSE_SECONDS = 5.0
"""Before a platform that tells of the same update again is asked again."""
LONGEST_REASON = 800


class UpdateFailed(Exception):
    """Nothing was changed; the message says why, and how it is mended."""


def statement(policy: PolicyFile) -> PolicyStatement:
    """What the platform is told of the policy, and whether it may update this agent."""
    told = policy.statement()
    by_hand = Installation.found() is None
    return told.model_copy(update={"updates": "by_hand"}) if by_hand else told


@dataclass
class Updates:
    """Carries out updates.

    :param client: with the agent's token.
    :param busy: what this agent is at, in words; None: it is idle.
    :param end: has the program end, to begin anew with what is installed then.
    """

    home: Home
    client: PlatformClient
    stop: threading.Event
    busy: Callable[[], str | None]
    end: Callable[[], None]
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _taken: UUID | None = None

    def take(self, update_id: UUID) -> None:
        """Carry out the update that waits, whoever tells of it; what comes of it is told to the
        platform.
        """
        with self._lock:
            if self._taken == update_id:
                self.stop.wait(PAUSE_SECONDS)
                return
            self._taken = update_id
            try:
                order = self.client.ask("GET", "/agent/v1/update", None, UpdateOrder)
                self._carry_out(order)
            except (PlatformAway, Refused) as error:
                LOG.warning("the update could not be asked for", reason=str(error))
                if isinstance(error, PlatformAway):
                    self._taken = None
                self.stop.wait(PAUSE_SECONDS)
            except UpdateFailed as error:
                LOG.warning("the update failed", reason=str(error))
                self._tell(update_id, "failed", str(error))

    def session_opened(self) -> None:
        """This version has come up. What became of an update is told, if nobody knows yet."""
        installation = Installation.found()
        if installation is None:
            return
        returned, update_id = installation.returned, installation.update
        try:
            if returned is not None and update_id is not None:
                LOG.warning("back at the version of before", reason=returned)
                if not self._tell(update_id, "returned", returned):
                    return
                installation.end()
            elif installation.on_trial:
                LOG.info("updated", version=VERSION)
                installation.confirm()
                installation.end()
        except OSError as error:
            LOG.warning("the installation could not be tidied", reason=str(error))

    def _carry_out(self, order: UpdateOrder) -> None:
        installation = Installation.found()
        if installation is None:
            raise UpdateFailed("it was not installed by the platform's script; update it by hand")
        try:
            allowed = PolicyFile(self.home.policy).read().updates
        except PolicyRefused as error:
            raise UpdateFailed(error.message) from error
        if not allowed:
            raise UpdateFailed("its policy forbids it: `updates` in its policy.toml")
        self._require_idle()
        self._tell(order.update_id, "installing")
        name = self._install(installation, order)
        self._require_idle()
        try:
            installation.begin(order.update_id)
            self._tell(order.update_id, "starting")
            installation.switch(name)
        except OSError as error:
            raise UpdateFailed(f"its files could not be written: {error.strerror}") from error
        LOG.info("beginning anew", version=order.version)
        self.end()

    def _require_idle(self) -> None:
        found = self.busy()
        if found is None and self.home.attempts():
            found = "what it measured is not delivered yet"
        if found is not None:
            raise UpdateFailed(f"{found}; ask again when it is idle")

    def _install(self, installation: Installation, order: UpdateOrder) -> str:
        """Install into a folder of its own; what there was of that name is removed before.

        :returns: the folder's name.
        """
        digest = hashlib.sha256("".join(one.sha256 for one in order.files).encode()).hexdigest()
        name = f"{Path(order.version).name}-{digest[:8]}"
        if name == installation.running:
            raise UpdateFailed("just these files are what runs")
        place = installation.folder / name
        try:
            with TemporaryDirectory(dir=installation.folder, prefix=".update-") as folder:
                self._fill(place, Path(folder), order)
            _try(place, order.version)
        except OSError as error:
            shutil.rmtree(place, ignore_errors=True)
            raise UpdateFailed(f"its files could not be written: {error.strerror}") from error
        except UpdateFailed:
            shutil.rmtree(place, ignore_errors=True)
            raise
        return name

    def _fill(self, place: Path, work: Path, order: UpdateOrder) -> None:
        installer = work / order.installer.name
        self._fetch(order.installer, installer)
        _run([_python(), "-m", "venv", "--clear", "--without-pip", str(place)])
        pip = [str(place / "bin" / "python"), f"{installer}/pip", "--isolated", "--quiet",
               "--disable-pip-version-check", "--no-cache-dir"]  # fmt: skip
        wheels = work / "wheels"
        _run([*pip, "download", *self._index(), "--only-binary", ":all:", "--dest", str(wheels),
              *_installed_now(order.version)])  # fmt: skip
        _hold(wheels, order)
        files = [str(path) for path in sorted(wheels.iterdir())]
        # Compiled now: the time that the new version has to come up is no compiler's.
        _run([*pip, "install", "--no-index", "--no-deps", *files])

    def _fetch(self, file: OfferedFile, target: Path) -> None:
        address = f"/agent/packages/{file.sha256}/{file.name}"
        try:
            with self.client.http.stream("GET", address) as answer:
                content = b""
                for piece in answer.iter_bytes():
                    content += piece
                    if len(content) > file.size_bytes:
                        break
        except httpx.HTTPError as error:
            raise UpdateFailed(f"{file.name} could not be fetched: {error}") from error
        if hashlib.sha256(content).hexdigest() != file.sha256:
            raise UpdateFailed(f"{file.name} is not what the platform named")
        target.write_bytes(content)

    def _index(self) -> list[str]:
        """Options of pip: the platform's index and no other, its certificate held as the agent's
        own calls hold it.
        """
        address = str(self.client.http.base_url).rstrip("/")
        options = ["--index-url", f"{address}/agent/simple/"]
        split = urlsplit(address)
        if split.scheme != "https":
            options += ["--trusted-host", split.netloc]
        elif authority := os.environ.get(AUTHORITY_VARIABLE):
            options += ["--cert", authority]
        return options

    def _tell(self, update_id: UUID, state: str, reason: str = "") -> bool:
        body = UpdateProgress.model_validate(
            {"update_id": update_id, "state": state, "reason": reason[:LONGEST_REASON]}
        )
        try:
            self.client.send("POST", "/agent/v1/update", body)
        except (PlatformAway, Refused) as error:
            LOG.info("how far the update is could not be told", reason=str(error))
            return isinstance(error, Refused)
        return True


def _python() -> str:
    """The machine's own Python, that this environment was made of."""
    return str(getattr(sys, "_base_executable", sys.executable))


def _try(place: Path, version: str) -> None:
    """:raises UpdateFailed: when what was installed is not what was wanted."""
    told = _run([str(place / "bin" / AGENT), "--version"])
    if told != version:
        raise UpdateFailed(f"what was installed says that it is {told[:80]}")


def _installed_now(version: str) -> list[str]:
    """What pip is asked for: the agent in its new version, and each plugin that is here."""
    names = {str(one.metadata["Name"]).lower().replace("_", "-") for one in distributions()}
    return [f"{AGENT}=={version}", *sorted(name for name in names if name.startswith(PLUGIN))]


def _hold(folder: Path, order: UpdateOrder) -> None:
    """:raises UpdateFailed: when a file is not one that the platform named."""
    named = {one.name: one.sha256 for one in order.files}
    for path in folder.iterdir():
        if named.get(path.name) != hashlib.sha256(path.read_bytes()).hexdigest():
            raise UpdateFailed(f"{path.name} is not among what the platform named")


def _run(command: list[str]) -> str:
    """What a program says.

    :raises UpdateFailed: when it does not end well.
    """
    given = {name: os.environ[name] for name in PASSED_ON if name in os.environ}
    environment = {**given, "PIP_CONFIG_FILE": os.devnull}
    try:
        done = subprocess.run(
            command, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True,
            timeout=PATIENCE_SECONDS, check=False,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired) as error:
        raise UpdateFailed(f"{Path(command[0]).name} did not end well: {error}") from error
    if done.returncode != 0:
        said = (done.stderr or done.stdout).strip()[-LONGEST_REASON // 2 :]
        raise UpdateFailed(f"{Path(command[0]).name} ended with {done.returncode}: {said}")
    return done.stdout.strip()
