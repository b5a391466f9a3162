"""The agent's directory: who it is, what it may do, what it has not delivered yet.

```
identity.json   address of the platform, agent token           0600
policy.toml     what this machine accepts; the operator's
instance.json   made once: tells this home from others
claim.json      the claim under way, written before it is sent; claim-SLOT.json of each slot
reserve         room for the outcome of a run that has filled the disk
timings.json    what the server dictated last
kept/SLOT/…     records that wait for a campaign's next run
attempts/ID/    one attempt, until its result is delivered
set-aside/ID/   attempts that the platform would not take
```
"""

import fcntl
import hashlib
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from uuid import UUID

import uuid_utils.compat as uuids

from weighhouse_agent.machine.slots import WHOLE_MACHINE

PASSABLE = 0o711
"""Servers under test run under accounts of their own and must reach their data below."""
SECRET = 0o600


class HomeInUse(Exception):
    """Another agent runs on this home."""


def write_atomically(path: Path, text: str) -> None:
    """Write a file so that it is either not there, or old, or whole; readable to its owner alone.

    Durable: the file is on disk when this returns.
    """
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, SECRET), "w") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
    except OSError:
        draft.unlink(missing_ok=True)
        raise
    directory = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(directory)
    finally:
        os.close(directory)


def read_text(path: Path) -> str | None:
    """A file's text; None when it is not there."""
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return None


def make_passable(directory: Path) -> None:
    """Make a directory that others may pass through but not look into."""
    directory.mkdir(parents=True, exist_ok=True)
    directory.chmod(PASSABLE)


@dataclass(frozen=True)
class AttemptDirectory:
    """Where the files of one attempt are."""

    path: Path

    @property
    def attempt_id(self) -> str:
        """Names the directory."""
        return self.path.name

    @property
    def home(self) -> "Home":
        """The agent's directory that it is in."""
        return Home(self.path.parent.parent)

    @property
    def order(self) -> Path:
        """What the server asked for, with the attempt's token."""
        return self.path / "order.json"

    @property
    def spool(self) -> Path:
        """The numbered events, one a line."""
        return self.path / "spool.jsonl"

    @property
    def outcome(self) -> Path:
        """How it ended; written last, at once."""
        return self.path / "outcome.json"

    @property
    def process(self) -> Path:
        """Which process carries it out."""
        return self.path / "process.json"

    @property
    def request(self) -> Path:
        """Why it is to stop."""
        return self.path / "stop.json"

    @property
    def exit(self) -> Path:
        """How the process ended, where somebody saw it."""
        return self.path / "exit.json"

    @property
    def lock(self) -> Path:
        """Held by the process that carries it out."""
        return self.path / "lock"

    @property
    def clock(self) -> Path:
        """The anchor of its clock."""
        return self.path / "clock.json"

    @property
    def logs(self) -> Path:
        """One file for each stream."""
        return self.path / "logs"

    @property
    def logs_begun(self) -> Path:
        """What the platform had of each log when the attempt had ended."""
        return self.path / "logs.json"

    @property
    def own_log(self) -> Path:
        """What the attempt's own process had to say."""
        return self.logs / "attempt.log"

    @property
    def files(self) -> Path:
        """What becomes the run's files."""
        return self.path / "files"

    @property
    def system(self) -> Path:
        """Belongs to the plugin: data, records of processes."""
        return self.path / "system"


@dataclass(frozen=True)
class Home:
    """The agent's directory."""

    path: Path

    @property
    def identity(self) -> Path:
        """Who this agent is to the platform."""
        return self.path / "identity.json"

    @property
    def policy(self) -> Path:
        """What this machine accepts."""
        return self.path / "policy.toml"

    def claim(self, slot: str) -> Path:
        """A slot's claim under way."""
        return self.path / ("claim.json" if slot == WHOLE_MACHINE else f"claim-{slot}.json")

    @property
    def timings(self) -> Path:
        """What the server dictated last."""
        return self.path / "timings.json"

    @property
    def reserve(self) -> Path:
        """Room that is given back when the disk is full."""
        return self.path / "reserve"

    @property
    def attempts_directory(self) -> Path:
        """Attempts that are not delivered yet."""
        return self.path / "attempts"

    @property
    def kept_directory(self) -> Path:
        """Records that wait for a campaign's next run, by slot."""
        return self.path / "kept"

    @property
    def set_aside_directory(self) -> Path:
        """Attempts that the platform would not take."""
        return self.path / "set-aside"

    def prepare(self) -> None:
        """Make what is missing. Idempotent."""
        make_passable(self.path)
        make_passable(self.attempts_directory)

    @property
    def _instance(self) -> Path:
        return self.path / "instance.json"

    def instance_id(self) -> UUID:
        """Tells this home from others; made at the first call, lasting."""
        text = read_text(self._instance)
        if text is not None:
            return UUID(json.loads(text)["instance_id"])
        made = uuids.uuid7()
        self.prepare()
        write_atomically(self._instance, json.dumps({"instance_id": str(made)}))
        return made

    def known_instance_id(self) -> UUID:
        """The same for whoever only looks: nothing is made; all zeros where there is none yet."""
        return self.instance_id() if self._instance.exists() else UUID(int=0)

    def place(self) -> str:
        """Tells this directory from a copy of it: by where it is, and which file on disk
        `instance.json` is.
        """
        self.instance_id()
        inode = self._instance.stat().st_ino
        return hashlib.sha256(f"{self.path.resolve()}:{inode}".encode()).hexdigest()[:32]

    def attempt(self, attempt_id: UUID | str) -> AttemptDirectory:
        """Where an attempt's files are; makes nothing."""
        return AttemptDirectory(self.attempts_directory / str(attempt_id))

    def attempts(self) -> list[AttemptDirectory]:
        """Attempts that are on disk with their order, oldest first."""
        if not self.attempts_directory.is_dir():
            return []
        found = [AttemptDirectory(path) for path in sorted(self.attempts_directory.iterdir())]
        return [each for each in found if each.order.exists()]

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Keep other agents off this home.

        :raises HomeInUse: when one is at work.
        """
        self.prepare()
        descriptor = os.open(self.path / "lock", os.O_RDWR | os.O_CREAT, SECRET)
        try:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError as error:
                raise HomeInUse(f"another agent runs on {self.path}") from error
            yield
        finally:
            os.close(descriptor)
