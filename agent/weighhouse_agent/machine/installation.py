"""An agent that the platform's script installed: where its versions lie, and which one runs.

```
VERSION-DIGEST/   a virtual environment for each version
current           a link to the one that runs
trial             after a switch: the version of before, until the new one has opened its session
returned          why the version of before runs again; told to the platform, then removed
update.json       the update under way, so that its end is told by whoever runs then
```

`/opt/weighhouse-agent/start`, which no update changes, reads `trial` and writes `returned`. An
agent that it started ends with it, as by `kill -9`: the attempt goes on, and the next start finds
it.
"""

import ctypes
import json
import os
import shutil
import signal
from dataclasses import dataclass
from pathlib import Path
from uuid import UUID

from weighhouse_agent.machine.home import read_text, write_atomically

PROGRAMS_VARIABLE = "WEIGHHOUSE_AGENT_PROGRAMS"
STARTER_VARIABLE = "WEIGHHOUSE_AGENT_STARTER"
"""The number of the process that started this one, watches over it, and must not be outlived."""
_PARENT_DEATH_SIGNAL = 1  # PR_SET_PDEATHSIG of linux/prctl.h


def end_with_starter() -> bool:
    """Have an installed agent's process killed when the one ends that started it; any other agent
    goes on by itself.

    Whoever killed the starter would otherwise leave an agent that nobody stops, and that keeps the
    next one off its home. Starters of earlier releases do not tell their number.

    :returns: False: it has ended already, and so should this process.
    """
    starter = os.environ.pop(STARTER_VARIABLE, None)
    if starter is None and PROGRAMS_VARIABLE not in os.environ:
        return True
    ctypes.CDLL(None).prctl(_PARENT_DEATH_SIGNAL, int(signal.SIGKILL))
    return starter is None or str(os.getppid()) == starter


@dataclass(frozen=True)
class Installation:
    """The folder of an agent's versions."""

    folder: Path

    @classmethod
    def found(cls) -> "Installation | None":
        """The one that runs this process; None: this agent was installed otherwise."""
        given = os.environ.get(PROGRAMS_VARIABLE)
        folder = Path(given) if given else None
        return cls(folder) if folder is not None and (folder / "current").is_symlink() else None

    @property
    def running(self) -> str:
        """The name of the version that runs from now on."""
        return os.readlink(self.folder / "current")  # noqa: PTH115 - as it is written

    @property
    def on_trial(self) -> bool:
        """Whether the version that runs has not shown yet that it comes up."""
        return self._trial.exists()

    @property
    def returned(self) -> str | None:
        """Why the version of before runs again; None: it does not."""
        text = read_text(self._returned)
        return None if text is None else text.strip()

    @property
    def update(self) -> UUID | None:
        """The update under way."""
        text = read_text(self._update)
        return None if text is None else UUID(json.loads(text)["update_id"])

    def begin(self, update_id: UUID) -> None:
        """Remember an update."""
        self._returned.unlink(missing_ok=True)
        write_atomically(self._update, json.dumps({"update_id": str(update_id)}))

    def end(self) -> None:
        """There is no update any more, and nobody needs to be told of one."""
        self._returned.unlink(missing_ok=True)
        self._update.unlink(missing_ok=True)

    def switch(self, name: str) -> None:
        """Have another version run from the next start on, on trial."""
        write_atomically(self._trial, self.running)
        draft = self.folder / "link"
        draft.unlink(missing_ok=True)
        draft.symlink_to(name)
        draft.replace(self.folder / "current")

    def confirm(self) -> None:
        """The version that runs has come up: it stays, and all others are removed. Idempotent."""
        self._trial.unlink(missing_ok=True)
        running = self.running
        for each in self.folder.iterdir():
            if each.is_dir() and not each.is_symlink() and each.name != running:
                shutil.rmtree(each, ignore_errors=True)

    @property
    def _trial(self) -> Path:
        return self.folder / "trial"

    @property
    def _returned(self) -> Path:
        return self.folder / "returned"

    @property
    def _update(self) -> Path:
        return self.folder / "update.json"
