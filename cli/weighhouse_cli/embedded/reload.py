"""Starts parts anew when their code changes, for those who change it."""

import os
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

from weighhouse_cli.embedded.supervisor import Supervisor

LOOK_SECONDS = 1.0
SUFFIXES = (".py", ".toml")
PASSED_OVER = {"__pycache__", "tests", "driver", "target"}

Snapshot = Mapping[Path, int]
"""When each file was changed last, in nanoseconds."""


@dataclass(slots=True)
class Reloader:
    """Looks at the code of some parts, and has the supervisor start those anew whose code changed.

    A change that is still going on, such as a checkout, is waited for: a part begins anew once a
    look finds what the look before it found.
    """

    supervisor: Supervisor
    code: Mapping[str, tuple[Path, ...]]
    """Parts → the folders whose Python and TOML files they run."""
    _running: dict[str, Snapshot] = field(default_factory=dict)
    _seen: dict[str, Snapshot] = field(default_factory=dict)
    _end: threading.Event = field(default_factory=threading.Event)
    _thread: threading.Thread | None = None

    def __enter__(self) -> Self:
        """Take the code as it is now for what runs, and look from now on."""
        self.look()
        self._thread = threading.Thread(target=self._watch, name="reload", daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Look no more. Repeatable."""
        self._end.set()
        if self._thread is not None:
            self._thread.join()
            self._thread = None

    def look(self) -> list[str]:
        """Look once; the parts that begin anew because of it."""
        changed = []
        for part, folders in self.code.items():
            now = snapshot(folders)
            running = self._running.setdefault(part, now)
            if now != running and now == self._seen.get(part):
                self._running[part] = now
                self.supervisor.restart(part)
                changed.append(part)
            self._seen[part] = now
        return changed

    def _watch(self) -> None:
        while not self._end.wait(LOOK_SECONDS):
            self.look()


def snapshot(folders: tuple[Path, ...]) -> Snapshot:
    """The files that Python runs or reads below some folders, tests apart."""
    found = {}
    for path in _files(folders):
        try:
            found[path] = path.stat().st_mtime_ns
        except OSError:  # gone since it was listed
            continue
    return found


def _files(folders: tuple[Path, ...]) -> Iterator[Path]:
    for folder in folders:
        for place, below, names in os.walk(folder):
            below[:] = [name for name in below if name not in PASSED_OVER]
            yield from (Path(place, name) for name in names if name.endswith(SUFFIXES))
