"""Clocks of one's own: what one agent takes for the time of day, moved at will.

Debian's libfaketime was tried first: it keeps servers with jemalloc from starting, and with its
steady clock left alone, waiting for a child fails now and then with `Invalid argument`.
"""

import subprocess
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

SOURCE = Path(__file__).with_name("moved_clock.c")
BYTES = 8
PER_SECOND = 1_000_000_000


def library(folder: Path) -> Path:
    """Build what is preloaded.

    :param folder: where to.
    """
    made = folder / "moved_clock.so"
    subprocess.run(
        ["cc", "-O2", "-Wall", "-Werror", "-shared", "-fPIC", "-o", str(made), str(SOURCE)],
        check=True,
    )
    return made


@dataclass
class MovedClock:
    """The clock of a process and its children.

    :param library: as `library` made it.
    :param folder: where its file lies; it has to have room while the clock is in use.
    """

    library: Path
    folder: Path
    offset_seconds: float = 0.0
    _file: Path = field(init=False)

    def __post_init__(self) -> None:
        with tempfile.NamedTemporaryFile(dir=self.folder, suffix=".clock", delete=False) as file:
            file.write(bytes(BYTES))
        self._file = Path(file.name)

    @property
    def environment(self) -> dict[str, str]:
        """What a process that lives by this clock is started with."""
        return {"LD_PRELOAD": str(self.library), "MOVED_CLOCK": str(self._file)}

    def move(self, seconds: float) -> None:
        """Set how far it is ahead of the machine's, at once."""
        self.offset_seconds = seconds
        with self._file.open("r+b", buffering=0) as file:
            file.write(round(seconds * PER_SECOND).to_bytes(BYTES, "little", signed=True))
